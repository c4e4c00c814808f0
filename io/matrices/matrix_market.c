/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrix Market: text files, compressed by gzip or not (R. F. Boisvert, R. Pozo, K. A. Remington, NISTIR 5935, 1996):
 *
 *     %%MatrixMarket matrix coordinate real|integer|pattern general|symmetric
 *     % comments
 *     rows columns entries
 *     row column value        (for each entry; counted from 1; no value in a pattern, which means 1)
 *
 * A symmetric matrix has the entries on and below its diagonal. */
#include "matrix_source.h"

#include <errno.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include <zlib.h>

#include "files.h"
#include "memory.h"
#include "numbers.h"

enum {
    LINE_BYTES_MAX = 1 << 18, /* of a line; also what is read at once */
    INFLATE_BUFFER = 1 << 17,
    LEAST_LINE = 4,   /* bytes of an entry */
    MOST_RATIO = 1032 /* of bytes of text to those of gzip, by the format of the latter */
};

static const char banner[] = "%%MatrixMarket";

typedef struct Market {
    const char *path; /* not owned */
    locale_t c_locale;
    int64_t row_count, column_count, entry_count;
    bool pattern, symmetric;
} Market;

/* A file that is read line by line. */
typedef struct Lines {
    const char *path; /* not owned */
    gzFile file;
    char *buffer; /* LINE_BYTES_MAX bytes and one more; owned */
    char *at, *end;
    int64_t number; /* of the line, from 1 */
} Lines;

static SinoStatus open_lines(const char *path, Lines *lines)
{
    int descriptor;
    int64_t bytes;
    *lines = (Lines){.path = path};
    SINO_TRY(sino_allocate(LINE_BYTES_MAX + 1, 1, "lines of text", &lines->buffer));
    lines->at = lines->end = lines->buffer;
    SinoStatus status = sino_regular_open(path, &descriptor, &bytes);
    if (!status) {
        lines->file = gzdopen(descriptor, "rb");
        if (!lines->file) close(descriptor);
        if (!lines->file) status = sino_error(SINO_FAILED, "no memory for reading %s", path);
    }
    if (lines->file) (void)gzbuffer(lines->file, INFLATE_BUFFER);
    if (status) free(lines->buffer);
    return status;
}

static void close_lines(Lines *lines)
{
    (void)gzclose(lines->file); /* opened for reading: nothing can be lost */
    free(lines->buffer);
}

/* Reads on behind the part of a line that is there. */
static SinoStatus fill(Lines *lines)
{
    int error;
    const size_t left = (size_t)(lines->end - lines->at);
    memmove(lines->buffer, lines->at, left);
    lines->at = lines->buffer;
    lines->end = lines->buffer + left;
    SINO_CHECK(left < LINE_BYTES_MAX, SINO_BAD_INPUT, "%s: line %" PRId64 " is longer than %d bytes", lines->path,
               lines->number + 1, LINE_BYTES_MAX);
    const int got = gzread(lines->file, lines->end, (unsigned)(LINE_BYTES_MAX - left));
    const char *reason = gzerror(lines->file, &error);
    SINO_CHECK(got >= 0 && (error == Z_OK || error == Z_STREAM_END), error == Z_ERRNO ? SINO_FAILED : SINO_BAD_INPUT,
               "%s cannot be read behind line %" PRId64 ": %s", lines->path, lines->number,
               error == Z_ERRNO ? strerror(errno) : reason);
    lines->end += got;
    return NULL;
}

/* *line: the next line, which ends in '\0' and is valid until the next call; NULL: there is none. */
static SinoStatus next_line(Lines *lines, char **line)
{
    char *feed;
    *line = NULL;
    for (size_t seen = 0; !(feed = memchr(lines->at + seen, '\n', (size_t)(lines->end - lines->at) - seen));) {
        seen = (size_t)(lines->end - lines->at);
        SINO_TRY(fill(lines));
        if ((size_t)(lines->end - lines->at) > seen) continue;
        if (seen == 0) return NULL;
        feed = lines->end; /* of a last line without a line feed; the buffer has one byte more */
        break;
    }
    lines->number++;
    SINO_CHECK(!memchr(lines->at, '\0', (size_t)(feed - lines->at)), SINO_BAD_INPUT,
               "%s: line %" PRId64 " has a byte 0; allowed: text", lines->path, lines->number);
    *feed = '\0';
    *line = lines->at;
    lines->at = feed < lines->end ? feed + 1 : feed;
    return NULL;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

static const char *skip_space(const char *at)
{
    while (is_space(*at)) at++;
    return at;
}

/* The next line that is neither blank nor a comment, without the space before it. */
static SinoStatus next_content(Lines *lines, const char **text)
{
    char *line;
    do {
        SINO_TRY(next_line(lines, &line));
        *text = line ? skip_space(line) : NULL;
    } while (line && (**text == '\0' || **text == '%'));
    return NULL;
}

/* Reads the next word of the first line. False: it is none of the two or three. *which: the one that it is. */
static bool take_word(const char **at, const char *const *words, char found[20], int *which)
{
    *at = skip_space(*at);
    size_t length = 0;
    for (; **at && !is_space(**at); (*at)++)
        if (length < 19) found[length++] = **at;
    found[length] = '\0';
    for (*which = 0; words[*which]; (*which)++)
        if (strcasecmp(found, words[*which]) == 0) return true;
    return false;
}

static SinoStatus take_banner(Market *market, Lines *lines)
{
    static const char *const objects[] = {"matrix", NULL}, *const forms[] = {"coordinate", NULL};
    static const char *const fields[] = {"real", "integer", "pattern", NULL};
    static const char *const symmetries[] = {"general", "symmetric", NULL};
    char *line, word[20];
    int which;
    SINO_TRY(next_line(lines, &line));
    SINO_CHECK(line && strncasecmp(line, banner, sizeof banner - 1) == 0, SINO_BAD_INPUT, "%s does not begin with %s",
               market->path, banner);
    const char *at = line + sizeof banner - 1;
    SINO_CHECK(take_word(&at, objects, word, &which), SINO_BAD_INPUT, "%s holds a '%s'; allowed: matrix", market->path,
               word);
    SINO_CHECK(take_word(&at, forms, word, &which), SINO_BAD_INPUT, "%s holds a matrix as '%s'; allowed: coordinate",
               market->path, word);
    SINO_CHECK(take_word(&at, fields, word, &which), SINO_BAD_INPUT,
               "%s holds '%s' values; allowed: real, integer and pattern", market->path, word);
    market->pattern = which == 2;
    SINO_CHECK(take_word(&at, symmetries, word, &which), SINO_BAD_INPUT,
               "%s holds a matrix of symmetry '%s'; allowed: general and symmetric", market->path, word);
    market->symmetric = which == 1;
    return NULL;
}

static const char *take_number(const char *at, int64_t *number)
{
    return at ? sino_text_integer(skip_space(at), number) : NULL;
}

/* Whether a number ended properly, and the line with it. */
static bool is_end(const char *at)
{
    return at && *skip_space(at) == '\0';
}

static SinoStatus take_sizes(Market *market, Lines *lines)
{
    const char *text;
    SINO_TRY(next_content(lines, &text));
    SINO_CHECK(text, SINO_BAD_INPUT, "%s ends before its sizes", market->path);
    const char *at = take_number(text, &market->row_count);
    at = take_number(at && is_space(*at) ? at : NULL, &market->column_count);
    at = take_number(at && is_space(*at) ? at : NULL, &market->entry_count);
    SINO_CHECK(is_end(at), SINO_BAD_INPUT,
               "%s: line %" PRId64 " is '%.60s'; allowed: the numbers of rows, columns and entries", market->path,
               lines->number, text);
    SINO_TRY(sino_matrix_check_size(market->path, market->row_count, market->column_count));
    SINO_CHECK(!market->symmetric || market->row_count == market->column_count, SINO_BAD_INPUT,
               "%s has %" PRId64 " rows and %" PRId64 " columns; allowed for a symmetric matrix: as many of each",
               market->path, market->row_count, market->column_count);
    return NULL;
}

static SinoStatus refuse_entry(const Market *market, const Lines *lines, const char *text)
{
    return sino_error(SINO_BAD_INPUT,
                      "%s: line %" PRId64 " is '%.60s'; allowed: row (1 to %" PRId64 "), column (1 to %" PRId64 ")%s%s",
                      market->path, lines->number, text, market->row_count, market->column_count,
                      market->pattern ? "" : " and a finite value of at least 0",
                      market->symmetric ? ", on or below the diagonal" : "");
}

static SinoStatus take_entry(const Market *market, const Lines *lines, const char *text, SinoMatrixScan *scan)
{
    int64_t row = 0, column = 0;
    double value = 1;
    const char *at = take_number(text, &row);
    at = take_number(at && is_space(*at) ? at : NULL, &column);
    if (!market->pattern) at = at && is_space(*at) ? sino_text_double(skip_space(at), market->c_locale, &value) : NULL;
    const bool inside = row >= 1 && row <= market->row_count && column >= 1 && column <= market->column_count;
    if (!is_end(at) || !inside || !(value >= 0) || isinf(value) || (market->symmetric && column > row))
        return refuse_entry(market, lines, text);
    SINO_TRY(sino_matrix_scan_entry(scan, row - 1, (uint32_t)(column - 1), value));
    if (!market->symmetric || row == column) return NULL;
    return sino_matrix_scan_entry(scan, column - 1, (uint32_t)(row - 1), value);
}

static SinoStatus take_entries(const Market *market, Lines *lines, SinoMatrixScan *scan)
{
    const char *text;
    for (int64_t count = 0;; count++) {
        SINO_TRY(next_content(lines, &text));
        SINO_CHECK(text || count == market->entry_count, SINO_BAD_INPUT,
                   "%s ends after %" PRId64 " entries; allowed: the %" PRId64 " that it says", market->path, count,
                   market->entry_count);
        if (!text) return NULL;
        SINO_CHECK(count < market->entry_count, SINO_BAD_INPUT,
                   "%s: line %" PRId64 " is behind the last of %" PRId64 " entries that the file says", market->path,
                   lines->number, market->entry_count);
        SINO_TRY(take_entry(market, lines, text, scan));
    }
}

static SinoStatus scan_file(void *state, SinoMatrixScan *scan)
{
    Market market = *(const Market *)state; /* its sizes are read anew */
    Lines lines;
    SINO_TRY(open_lines(market.path, &lines));
    const Market *before = state;
    SinoStatus status = take_banner(&market, &lines);
    if (!status) status = take_sizes(&market, &lines);
    if (!status && (market.row_count != before->row_count || market.column_count != before->column_count))
        status = sino_error(SINO_BAD_INPUT, "%s has changed", market.path);
    if (!status) status = take_entries(&market, &lines, scan);
    close_lines(&lines);
    return status;
}

static SinoStatus count_rows(void *state, int64_t first, int64_t count, int64_t *entries)
{
    return sino_matrix_scan_count(scan_file, state, first, count, entries);
}

static SinoStatus read_rows(void *state, int64_t first, int64_t count, SinoRowBuffer *buffer)
{
    const Market *market = state;
    return sino_matrix_scan_read(scan_file, state, market->path, market->column_count, first, count, buffer);
}

static void close_market(void *state)
{
    Market *market = state;
    if (market->c_locale) freelocale(market->c_locale);
    free(market);
}

static const SinoMatrixSource source = {.count_rows = count_rows, .read = read_rows, .close = close_market};

static bool probe(const char *path, const unsigned char *head, int64_t bytes)
{
    char text[sizeof banner - 1];
    if (bytes < 2) return false;
    if (head[0] != 0x1f || head[1] != 0x8b)
        return bytes >= (int64_t)sizeof text && strncasecmp((const char *)head, banner, sizeof text) == 0;
    gzFile file = gzopen(path, "rb"); /* a regular file by then */
    if (!file) return false;
    const int got = gzread(file, text, sizeof text);
    (void)gzclose(file);
    return got < 0 || (got == (int)sizeof text && strncasecmp(text, banner, sizeof text) == 0); /* open says why */
}

/* A file cannot have more entries than its bytes have room for. */
static SinoStatus check_room(const Market *market)
{
    int descriptor;
    int64_t bytes;
    unsigned char head[2] = {0};
    SINO_TRY(sino_regular_open(market->path, &descriptor, &bytes));
    SinoStatus status = sino_regular_read(market->path, descriptor, 0, sino_smaller(bytes, sizeof head), head);
    close(descriptor);
    if (status) return status;
    const int64_t text = head[0] == 0x1f && head[1] == 0x8b ? sino_times(bytes, MOST_RATIO) : bytes;
    SINO_CHECK(market->entry_count <= text / LEAST_LINE + 1, SINO_BAD_INPUT,
               "%s says that it has %" PRId64 " entries, for which its %" PRId64 " bytes are too few", market->path,
               market->entry_count, bytes);
    return NULL;
}

static SinoStatus open_market(SinoMatrixFile *file)
{
    Market *market;
    Lines lines;
    SINO_TRY(sino_allocate(1, sizeof *market, "a matrix file", &market));
    market->path = file->path;
    file->source = &source;
    file->state = market;
    market->c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    SINO_CHECK(market->c_locale, SINO_FAILED, "no memory for a locale");
    SINO_TRY(open_lines(file->path, &lines));
    SinoStatus status = take_banner(market, &lines);
    if (!status) status = take_sizes(market, &lines);
    close_lines(&lines);
    if (status) return status;
    SINO_TRY(check_room(market));
    file->outline.row_count = market->row_count;
    file->outline.column_count = market->column_count;
    file->outline.nonzero_count = sino_times(market->entry_count, market->symmetric ? 2 : 1);
    return NULL;
}

const SinoMatrixFormat sino_market_format = {
    .name = "Matrix Market", .example = "*.mtx, *.mtx.gz", .probe = probe, .open = open_market};
