/* SPDX-License-Identifier: BSD-3-Clause */
/* Sweep CSV: comments that begin with #, names of columns, rows; texts in quotes (RFC 4180). */
#include "sweep_csv.h"

#include "device.h"
#include "files.h"
#include "memory.h"
#include "settings.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

const char *const sino_sweep_phase_name[SINO_SWEEP_PHASES] = {"calibration", "simulation", "measurement"};

struct SinoSweepCsv {
    char *path; /* owned */
    int file;
};

typedef enum Kind { PHASE, COUNT, SIZE, REAL, TEXT, DEVICES, PRECISION } Kind;

/* A column: COUNT may be unknown (−1), SIZE never is. */
typedef struct Column {
    const char *name;
    Kind kind;
    size_t offset, size; /* of the member */
} Column;

#define COLUMN(name, kind, member)                                                                                     \
    {                                                                                                                  \
        name, kind, offsetof(SinoSweepRow, member), sizeof(((SinoSweepRow *)0)->member)                                \
    }

static const Column column[] = {
    COLUMN("phase", PHASE, phase),
    COLUMN("scheduler", TEXT, of.scheduler),
    COLUMN("columns", SIZE, of.columns),
    COLUMN("angles", SIZE, of.angles),
    COLUMN("slices", SIZE, of.slices),
    COLUMN("minibatch", SIZE, of.minibatch),
    COLUMN("partitions", SIZE, of.partitions),
    COLUMN("workers", SIZE, of.workers),
    COLUMN("devices", DEVICES, of.devices),
    COLUMN("precision", PRECISION, of.precision),
    COLUMN("repetition", SIZE, repetition),
    COLUMN("order", SIZE, order),
    COLUMN("seed", SIZE, seed),
    COLUMN("exit_code", SIZE, exit_code),
    COLUMN("makespan_s", REAL, makespan_s),
    COLUMN("build_s", REAL, build_s),
    COLUMN("inside_tasks", REAL, inside_tasks),
    COLUMN("task_s", REAL, task_s),
    COLUMN("area_bound_s", REAL, area_bound_s),
    COLUMN("critical_path_s", REAL, path_bound_s),
    COLUMN("starpu_bound_s", REAL, starpu_bound_s),
    COLUMN("tasks", COUNT, tasks),
    COLUMN("transfer_bytes", COUNT, transfer_bytes),
    COLUMN("peak_bytes", COUNT, peak_bytes),
    COLUMN("hash", TEXT, hash),
    COLUMN("difference", REAL, difference),
    COLUMN("predicted_s", REAL, predicted_s),
    COLUMN("load", REAL, load),
    COLUMN("message", TEXT, message),
};
enum { COLUMNS = sizeof column / sizeof *column };

SinoSweepRow sino_sweep_row(SinoSweepPhase phase, const SinoSweepCase *of)
{
    SinoSweepRow row = {.phase = phase, .of = *of};
    for (const Column *c = column; c < column + COLUMNS; c++) {
        const double nothing = NAN;
        const int64_t unknown = -1;
        if (c->kind == REAL) memcpy((char *)&row + c->offset, &nothing, sizeof nothing);
        if (c->kind == COUNT) memcpy((char *)&row + c->offset, &unknown, sizeof unknown);
    }
    return row;
}

/* ---- rows in memory ---- */

void sino_sweep_rows_free(SinoSweepRows *rows)
{
    free(rows->row);
    *rows = (SinoSweepRows){.count = 0};
}

SinoStatus sino_sweep_rows_add(SinoSweepRows *rows, const SinoSweepRow *row)
{
    const bool full = (rows->count & (rows->count - 1)) == 0; /* the space is a power of two */
    if (full) {
        const size_t space = rows->count > 0 ? 2 * (size_t)rows->count : 1;
        SinoSweepRow *longer = reallocarray(rows->row, space, sizeof *longer);
        SINO_CHECK(longer, SINO_FAILED, "no memory for %zu rows of a table", space);
        rows->row = longer;
    }
    rows->row[rows->count++] = *row;
    return NULL;
}

/* ---- writing ---- */

static void print_text(const char *text, FILE *out)
{
    if (!text[strcspn(text, ",\"\n\r#")]) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"') fputc('"', out);
        fputc(*text == '\n' || *text == '\r' ? ' ' : *text, out);
    }
    fputc('"', out);
}

static void print_field(const Column *c, const SinoSweepRow *row, FILE *out)
{
    const char *member = (const char *)row + c->offset;
    char devices[SINO_DEVICES_SIZE];
    int64_t count;
    double real;
    switch (c->kind) {
    case PHASE:
        fputs(sino_sweep_phase_name[row->phase], out);
        break;
    case DEVICES:
        fputs(sino_devices_text(row->of.devices, '+', devices), out);
        break;
    case PRECISION:
        fputs(sino_precision_name(row->of.precision), out);
        break;
    case TEXT:
        print_text(member, out);
        break;
    case COUNT:
    case SIZE:
        memcpy(&count, member, sizeof count);
        if (count >= 0 || c->kind == SIZE) fprintf(out, "%" PRId64, count);
        break;
    case REAL:
        memcpy(&real, member, sizeof real);
        if (isfinite(real)) fprintf(out, "%.9g", real);
        break;
    }
}

static SinoStatus write_all(const SinoSweepCsv *csv, const char *text, size_t size)
{
    while (size > 0) {
        const ssize_t written = write(csv->file, text, size);
        if (written < 0 && errno == EINTR) continue;
        SINO_CHECK(written > 0, SINO_FAILED, "%s cannot be written: %s", csv->path, strerror(errno));
        text += written;
        size -= (size_t)written;
    }
    return NULL;
}

/* Closes a stream into memory, writes its text, and frees it. */
static SinoStatus flush(const SinoSweepCsv *csv, FILE *out, char *const *text, const size_t *size)
{
    SinoStatus status = NULL;
    if (!out || fclose(out) != 0) status = sino_error(SINO_FAILED, "no memory for a row of %s", csv->path);
    if (!status) status = write_all(csv, *text, *size);
    free(*text);
    return status;
}

SinoStatus sino_sweep_csv_add(SinoSweepCsv *csv, const SinoSweepRow *row)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    for (int c = 0; out && c < COLUMNS; c++) {
        if (c > 0) fputc(',', out);
        print_field(&column[c], row, out);
    }
    if (out) fputc('\n', out);
    SINO_TRY(flush(csv, out, &text, &size));
    SINO_CHECK(fdatasync(csv->file) == 0 || errno == EINVAL || errno == EROFS, SINO_FAILED, "%s cannot be written: %s",
               csv->path, strerror(errno));
    return NULL;
}

/* The lines of the text, each after "# ". */
static void print_comments(const char *lines, FILE *out)
{
    while (*lines) {
        const int length = (int)strcspn(lines, "\n");
        fprintf(out, "# %.*s\n", length, lines);
        lines += length;
        if (*lines) lines++;
    }
}

static SinoStatus write_head(const SinoSweepCsv *csv, const char *identity, const char *remark)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out) {
        print_comments(identity, out);
        print_comments(remark, out);
        for (int c = 0; c < COLUMNS; c++) fprintf(out, "%s%s", c > 0 ? "," : "", column[c].name);
        fputc('\n', out);
    }
    return flush(csv, out, &text, &size);
}

/* ---- reading ---- */

/* Takes the next field of a row into `word`, of at most `size` bytes; false: it is malformed, or too long. */
static bool take_field(const char **at, char *word, size_t size, bool last)
{
    const bool quoted = **at == '"';
    size_t length = 0;
    if (quoted) ++*at;
    while (**at && length + 1 < size) {
        if (quoted && (*at)[0] == '"' && (*at)[1] != '"') break;
        if (!quoted && **at == ',') break;
        if (quoted && **at == '"') ++*at;
        word[length++] = *(*at)++;
    }
    word[length] = '\0';
    if (quoted && *(*at)++ != '"') return false;
    if (last) return **at == '\0';
    return *(*at)++ == ',';
}

static bool parse_word(const char *const *words, int count, const char *text, unsigned *value)
{
    for (int i = 0; i < count; i++)
        if (strcmp(words[i], text) == 0) {
            *value = (unsigned)i;
            return true;
        }
    return false;
}

static bool parse_phase(const char *word, SinoSweepRow *row)
{
    unsigned value = 0;
    const bool known = parse_word(sino_sweep_phase_name, SINO_SWEEP_PHASES, word, &value);
    row->phase = (SinoSweepPhase)value;
    return known;
}

static bool parse_precision(const char *word, SinoSweepRow *row)
{
    for (int p = 0; p < SINO_PRECISIONS; p++) {
        row->of.precision = (SinoPrecision)p;
        if (strcmp(word, sino_precision_name((SinoPrecision)p)) == 0) return true;
    }
    return false;
}

static bool parse_devices(const char *word, SinoSweepRow *row)
{
    char text[SINO_DEVICES_SIZE];
    for (row->of.devices = 1; row->of.devices <= SINO_DEVICE_ALL; row->of.devices++)
        if (strcmp(word, sino_devices_text(row->of.devices, '+', text)) == 0) return true;
    return false;
}

static bool parse_field(const Column *c, const char *word, SinoSweepRow *row)
{
    char *member = (char *)row + c->offset, *end = NULL;
    if (c->kind == PHASE) return parse_phase(word, row);
    if (c->kind == PRECISION) return parse_precision(word, row);
    if (c->kind == DEVICES) return parse_devices(word, row);
    if (c->kind == TEXT) {
        snprintf(member, c->size, "%s", word);
        return strlen(word) < c->size;
    }
    if (!*word) return c->kind != SIZE;
    const int64_t count = strtoll(word, &end, 10);
    const double real = c->kind == REAL ? strtod(word, &end) : 0;
    memcpy(member, c->kind == REAL ? (const void *)&real : (const void *)&count, c->size);
    return *end == '\0';
}

static bool parse_row(const char *line, SinoSweepRow *row)
{
    char word[512];
    *row = sino_sweep_row(SINO_SWEEP_CALIBRATION, &(SinoSweepCase){.columns = 0});
    for (int c = 0; c < COLUMNS; c++)
        if (!take_field(&line, word, sizeof word, c + 1 == COLUMNS) || !parse_field(&column[c], word, row))
            return false;
    return true;
}

static bool is_head(const char *line)
{
    for (int c = 0; c < COLUMNS; c++) {
        const size_t length = strlen(column[c].name);
        if (strncmp(line, column[c].name, length) != 0 || line[length] != (c + 1 == COLUMNS ? '\0' : ',')) return false;
        line += length + 1;
    }
    return true;
}

/* Compares the first comments of the table with the lines of `identity`; *text advances behind them. */
static SinoStatus check_identity(const char *path, const char *identity, char **text)
{
    for (const char *line = identity; *line;) {
        const size_t length = strcspn(line, "\n");
        char *found = strsep(text, "\n");
        const char *words = found && strncmp(found, "# ", 2) == 0 ? found + 2 : NULL;
        SINO_CHECK(words, SINO_BAD_INPUT, "%s is no table of a sweep; allowed: a new file, or --overwrite", path);
        SINO_CHECK(strlen(words) == length && strncmp(words, line, length) == 0, SINO_BAD_INPUT,
                   "%s has rows of another sweep: '%s' there, '%.*s' now; allowed: the same sweep with --resume, or "
                   "--overwrite",
                   path, words, (int)length, line);
        line += length + (line[length] == '\n');
    }
    return NULL;
}

static SinoStatus read_lines(const char *path, char *text, const char *identity, SinoSweepRows *rows)
{
    SINO_TRY(check_identity(path, identity, &text));
    bool headed = false;
    for (char *line; (line = strsep(&text, "\n"));) {
        SinoSweepRow row;
        if (!*line || *line == '#') continue;
        SINO_CHECK(headed ? parse_row(line, &row) : is_head(line), SINO_BAD_INPUT,
                   "%s has a line that no sweep of this version wrote: '%.60s'; allowed: --overwrite", path, line);
        if (headed) SINO_TRY(sino_sweep_rows_add(rows, &row));
        headed = true;
    }
    SINO_CHECK(headed, SINO_BAD_INPUT, "%s has no names of columns; allowed: --overwrite", path);
    return NULL;
}

/* Reads the whole file, drops a last line without its end, also in the file, and takes the rows. */
static SinoStatus read_table(const SinoSweepCsv *csv, int64_t bytes, const char *identity, SinoSweepRows *rows)
{
    char *text = NULL;
    SINO_TRY(sino_allocate(bytes + 1, 1, "a table", &text));
    SinoStatus status = NULL;
    const ssize_t got = pread(csv->file, text, (size_t)bytes, 0);
    if (got != bytes) status = sino_error(SINO_FAILED, "%s cannot be read: %s", csv->path, strerror(errno));
    int64_t whole = bytes;
    while (whole > 0 && text[whole - 1] != '\n') whole--;
    text[whole] = '\0';
    if (!status) status = read_lines(csv->path, text, identity, rows);
    if (!status && ftruncate(csv->file, whole) != 0)
        status = sino_error(SINO_FAILED, "%s cannot be cut: %s", csv->path, strerror(errno));
    free(text);
    return status;
}

static SinoStatus begin(SinoSweepCsv *csv, bool resume, const char *identity, const char *remark, SinoSweepRows *rows)
{
    struct stat info;
    SINO_CHECK(flock(csv->file, LOCK_EX | LOCK_NB) == 0, SINO_BAD_INPUT, "%s is being written by another process",
               csv->path);
    SINO_CHECK(fstat(csv->file, &info) == 0, SINO_FAILED, "%s: %s", csv->path, strerror(errno));
    if (resume && info.st_size > 0) return read_table(csv, (int64_t)info.st_size, identity, rows);
    SINO_CHECK(ftruncate(csv->file, 0) == 0, SINO_FAILED, "%s cannot be cut: %s", csv->path, strerror(errno));
    return write_head(csv, identity, remark);
}

SinoStatus sino_sweep_csv_open(const char *path, bool overwrite, bool resume, const char *identity, const char *remark,
                               SinoSweepRows *rows, SinoSweepCsv **csv)
{
    SinoSweepCsv *made = NULL;
    SINO_TRY(sino_output_check(path, overwrite || resume));
    SINO_TRY(sino_allocate(1, sizeof *made, "a table", &made));
    made->path = strdup(path);
    made->file = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | (overwrite || resume ? 0 : O_EXCL), 0666);
    SinoStatus status = made->path && made->file >= 0 ? begin(made, resume, identity, remark, rows)
                                                      : sino_error(SINO_FAILED, "%s: %s", path, strerror(errno));
    if (!status) {
        *csv = made;
        return NULL;
    }
    SinoStatus closed = sino_sweep_csv_close(made);
    sino_status_free(closed);
    return status;
}

SinoStatus sino_sweep_csv_close(SinoSweepCsv *csv)
{
    if (!csv) return NULL;
    const bool closed = csv->file < 0 || close(csv->file) == 0;
    SinoStatus status = closed ? NULL : sino_error(SINO_FAILED, "%s cannot be written: %s", csv->path, strerror(errno));
    free(csv->path);
    free(csv);
    return status;
}
