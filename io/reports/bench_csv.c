/* SPDX-License-Identifier: BSD-3-Clause */
/* Bench CSV: parses the tables, whose columns are found by name. */
#include "bench_csv.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"

enum { FIELDS_MAX = 64, COLUMNS_MAX = 8 };

typedef struct Table Table;

/* A kind of table: the columns that are read, of which the first `words` are words; the first line of a file gives
 * their positions. */
typedef struct TableKind {
    const char *command; /* that writes such tables */
    const char *name[COLUMNS_MAX];
    int words, columns;
    /* Takes the figures of a row of the wanted precision. */
    SinoStatus (*take)(Table *table, char *const word[COLUMNS_MAX]);
} TableKind;

struct Table {
    const TableKind *kind;
    const char *path, *precision;
    bool symmetric;
    double value[COLUMNS_MAX]; /* of the current row */
    SinoBenchRates rates;
    SinoBenchConeRates cone;
    double workers; /* of the row that `cone` is from; 0: none */
};

/* Splits a line at its commas, in place; returns the number of fields. */
static int split(char *line, char *field[FIELDS_MAX])
{
    int count = 0;
    line[strcspn(line, "\r\n")] = '\0';
    for (char *next; count < FIELDS_MAX && (next = strsep(&line, ",")) != NULL;) field[count++] = next;
    return count;
}

static bool find_columns(const TableKind *kind, int count, char *const *field, int column[COLUMNS_MAX])
{
    for (int c = 0; c < kind->columns; c++) {
        column[c] = 0;
        while (column[c] < count && strcmp(field[column[c]], kind->name[c]) != 0) column[c]++;
        if (column[c] == count) return false;
    }
    return true;
}

static bool parse(const char *text, double *value)
{
    char *end;
    *value = strtod(text, &end);
    return end != text && *end == '\0' && *value >= 1e-9 && *value <= 1e9;
}

static SinoStatus take_row(Table *table, char *const *field, const int column[COLUMNS_MAX])
{
    const TableKind *kind = table->kind;
    char *word[COLUMNS_MAX] = {NULL};
    for (int c = 0; c < kind->words; c++) word[c] = field[column[c]];
    if (!word[0] || strcmp(word[0], table->precision) != 0) return NULL;
    for (int c = kind->words; c < kind->columns; c++)
        SINO_CHECK(parse(field[column[c]], &table->value[c]), SINO_BAD_INPUT,
                   "%s: %s is '%s'; allowed: a number from 1e-9 to 1e9", table->path, kind->name[c], field[column[c]]);
    return kind->take(table, word);
}

static SinoStatus read_lines(Table *table, FILE *file)
{
    char line[4096], *field[FIELDS_MAX];
    int column[COLUMNS_MAX];
    const TableKind *kind = table->kind;
    const bool headed = fgets(line, sizeof line, file) && find_columns(kind, split(line, field), field, column);
    SINO_CHECK(headed, SINO_BAD_INPUT, "%s is no table of `%s --csv`", table->path, kind->command);
    while (fgets(line, sizeof line, file)) {
        const int count = split(line, field);
        for (int c = 0; c < kind->columns; c++)
            SINO_CHECK(column[c] < count, SINO_BAD_INPUT, "%s: a line has %d fields; needed: one for %s", table->path,
                       count, kind->name[c]);
        SINO_TRY(take_row(table, field, column));
    }
    SINO_CHECK(!ferror(file), SINO_FAILED, "%s cannot be read: %s", table->path, strerror(errno));
    return NULL;
}

static SinoStatus read_table(Table *table)
{
    SINO_TRY(sino_regular_check(table->path));
    FILE *file = fopen(table->path, "re");
    SINO_CHECK(file, SINO_BAD_INPUT, "%s: %s", table->path, strerror(errno));
    SinoStatus status = read_lines(table, file);
    (void)fclose(file);
    return status;
}

enum { PRECISION, SLICES, WORKERS, PROJECT, BACKPROJECT, READ, PARALLEL_COLUMNS };

static SinoStatus take_parallel(Table *table, char *const word[COLUMNS_MAX])
{
    const double *value = table->value;
    (void)word;
    if ((int64_t)value[SLICES] <= table->rates.slices) return NULL;
    table->rates = (SinoBenchRates){.slices = (int64_t)value[SLICES],
                                    .kernel_gflops = 2 / (1 / value[PROJECT] + 1 / value[BACKPROJECT]) / value[WORKERS],
                                    .memory_gbps = value[READ] / value[WORKERS]};
    return NULL;
}

static const TableKind parallel_kind = {
    .command = "sinodag bench",
    .name = {"precision", "slices", "workers", "project_gflops", "backproject_gflops", "read_gbps"},
    .words = 1,
    .columns = PARALLEL_COLUMNS,
    .take = take_parallel};

SinoStatus sino_bench_csv_read(const char *path, const char *precision, SinoBenchRates *result)
{
    Table table = {.kind = &parallel_kind, .path = path, .precision = precision};
    SINO_TRY(read_table(&table));
    SINO_CHECK(table.rates.slices > 0, SINO_BAD_INPUT,
               "%s has no figures in %s precision; allowed: a table of `sinodag bench --precision %s --csv`", path,
               precision, precision);
    *result = table.rates;
    return NULL;
}

enum { STEP = 1, SHARED, CONE_WORKERS, GUPS, FILTER, CONE_READ, CONE_COLUMNS };

/* Takes the fastest of the rows with most workers. */
static SinoStatus take_cone(Table *table, char *const word[COLUMNS_MAX])
{
    const double *value = table->value, workers = value[CONE_WORKERS];
    const SinoBenchConeRates rates = {.backproject_gups = value[GUPS] / workers,
                                      .filter_gpixels = value[FILTER] / workers,
                                      .memory_gbps = value[CONE_READ] / workers};
    const bool general = strcmp(word[SHARED], "none") == 0, more = workers > table->workers;
    if (strcmp(word[STEP], "backproject") != 0 || !(general || table->symmetric)) return NULL;
    if (!more && (workers < table->workers || rates.backproject_gups < table->cone.backproject_gups)) return NULL;
    table->workers = workers;
    table->cone = rates;
    return NULL;
}

static const TableKind cone_kind = {
    .command = "sinodag bench --geometry cone",
    .name = {"precision", "step", "shared", "workers", "gups", "filter_gpixels_per_s", "read_gbps"},
    .words = 3,
    .columns = CONE_COLUMNS,
    .take = take_cone};

SinoStatus sino_bench_csv_read_cone(const char *path, const char *precision, bool symmetric, SinoBenchConeRates *result)
{
    Table table = {.kind = &cone_kind, .path = path, .precision = precision, .symmetric = symmetric};
    SINO_TRY(read_table(&table));
    SINO_CHECK(table.workers > 0, SINO_BAD_INPUT,
               "%s has no figures in %s precision%s; allowed: a table of `sinodag bench --geometry cone --csv`", path,
               precision, symmetric ? "" : " of the general kernel (shared: none)");
    *result = table.cone;
    return NULL;
}
