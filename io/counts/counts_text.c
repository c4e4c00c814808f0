/* SPDX-License-Identifier: BSD-3-Clause */
/* Events in text: a row, or two crystals, per line; # begins a comment. */
#include "counts_source.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files.h"
#include "memory.h"
#include "numbers.h"

/* Bytes that show whether a file is text, bytes that are read at a time, and bytes of a line at most. */
enum { TELLING_BYTES = 4096, PIECE_BYTES = 1 << 18, LINE_BYTES = 200 };

/* A file that is read in pieces; a line may reach from one into the next. */
typedef struct Lines {
    const char *path;
    int descriptor;
    int64_t bytes, at;  /* of the file, and of it read so far */
    char *piece;        /* [PIECE_BYTES + 1]; owned */
    int64_t first, end; /* bytes of the piece that are left */
    int64_t number;     /* of the last line, counted from 1 */
    int members;        /* numbers of a line; 0: no line had one yet */
    int64_t event_count;
} Lines;

static bool probe_text(const SinoCountsFile *file)
{
    char bytes[TELLING_BYTES] = "";
    return sino_text_probe(bytes, sino_regular_head(file->path, TELLING_BYTES, bytes));
}

static SinoStatus open_text(SinoCountsFile *file)
{
    SINO_CHECK(file->request.events != SINO_EVENTS_REFUSED, SINO_BAD_INPUT,
               "%s is text; allowed: a NumPy array, HDF5, Interfile, or raw int32 or float32", file->path);
    file->info.set_count = 1;
    file->info.events = true;
    file->info.stored_type = "text";
    return NULL;
}

/* Reads the next piece behind what is left of the last one. */
static SinoStatus read_piece(Lines *lines)
{
    const int64_t left = lines->end - lines->first;
    memmove(lines->piece, lines->piece + lines->first, (size_t)left);
    const int64_t count = sino_smaller(lines->bytes - lines->at, PIECE_BYTES - left);
    SINO_TRY(sino_regular_read(lines->path, lines->descriptor, lines->at, count, lines->piece + left));
    lines->at += count;
    lines->first = 0;
    lines->end = left + count;
    return NULL;
}

/* *line: the next line, ended by NUL; NULL: there is none. */
static SinoStatus next_line(Lines *lines, char **line)
{
    const bool low = lines->end - lines->first <= LINE_BYTES;
    if (low && lines->at < lines->bytes) SINO_TRY(read_piece(lines));
    const int64_t left = lines->end - lines->first;
    char *start = lines->piece + lines->first;
    *line = NULL;
    if (left == 0) return NULL;
    lines->number++;
    char *end = memchr(start, '\n', (size_t)sino_smaller(left, LINE_BYTES + 1));
    SINO_CHECK(end || left <= LINE_BYTES, SINO_BAD_INPUT,
               "%s: line %" PRId64 " is longer than %d bytes; allowed: one event per line", lines->path, lines->number,
               LINE_BYTES);
    if (!end) end = start + left;
    lines->first = sino_smaller(end + 1 - lines->piece, lines->end);
    *end = '\0';
    *line = start;
    return NULL;
}

/* Reads up to 2 numbers, separated by blanks or a comma. −1: the line holds something else. */
static int take_numbers(const char *text, int64_t member[2])
{
    int count = 0;
    for (text += strspn(text, " \t\r"); *text && *text != '#'; text += strspn(text, " \t\r")) {
        char *end;
        errno = 0;
        if (count == 2 || !isdigit((unsigned char)*text)) return -1;
        member[count++] = strtoll(text, &end, 10);
        if (errno || (*end && !strchr(" \t\r,#", *end))) return -1;
        text = end;
        if (*text == ',' && count == 1) text++;
    }
    return count;
}

static SinoStatus count_line(Lines *lines, const char *line, SinoEventCounter *counter)
{
    int64_t member[2];
    const int members = take_numbers(line, member);
    const bool pairs = counter->request->crystal_count > 0;
    SINO_CHECK(members >= 0, SINO_BAD_INPUT, "%s: line %" PRId64 " is '%.60s'; allowed: the number of a row%s",
               lines->path, lines->number, line, pairs ? ", or those of two crystals" : "");
    if (members == 0) return NULL;
    if (lines->members == 0) lines->members = members;
    SINO_CHECK(members == lines->members, SINO_BAD_INPUT,
               "%s: line %" PRId64 " has %d number%s, those before it %d; allowed: the same in all lines", lines->path,
               lines->number, members, members == 1 ? "" : "s", lines->members);
    lines->event_count++;
    return sino_event_counter_add(counter, lines->number, members, member);
}

/* As many rows as the matrix has may be a value for each row, which text cannot hold. */
static SinoStatus check_meaning(const Lines *lines, const SinoCountsRequest *request)
{
    const bool doubtful = lines->members == 1 && lines->event_count == request->element_count;
    SINO_CHECK(!doubtful || request->events == SINO_EVENTS_ONLY, SINO_BAD_INPUT,
               "%s has %" PRId64 " lines of one number, as many as there are rows; text holds events, not counts; "
               "allowed: counts as a NumPy array, HDF5, Interfile, raw int32 or float32",
               lines->path, lines->event_count);
    SINO_CHECK(lines->event_count > 0, SINO_BAD_INPUT, "%s has no events; allowed: one per line", lines->path);
    return NULL;
}

static SinoStatus count_lines(Lines *lines, SinoEventCounter *counter)
{
    char *line;
    SINO_TRY(sino_allocate(PIECE_BYTES + 1, 1, "lines", &lines->piece));
    for (;;) {
        SINO_TRY(next_line(lines, &line));
        if (!line) return check_meaning(lines, counter->request);
        SINO_TRY(count_line(lines, line, counter));
    }
}

static SinoStatus read_text(SinoCountsFile *file, int64_t first_set, int64_t set_count, float *values)
{
    Lines lines = {.path = file->path};
    SinoEventCounter counter = {0};
    (void)first_set;
    (void)set_count;
    SINO_TRY(sino_regular_open(file->path, &lines.descriptor, &lines.bytes));
    SinoStatus status = sino_event_counter_new(&file->request, "line", &counter);
    if (!status) status = count_lines(&lines, &counter);
    if (!status) sino_event_counter_take(&counter, values);
    sino_event_counter_free(&counter);
    free(lines.piece);
    close(lines.descriptor);
    return status;
}

const SinoCountsFormat sino_counts_text = {.name = "text", .probe = probe_text, .open = open_text, .read = read_text};
