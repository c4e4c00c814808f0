/* SPDX-License-Identifier: BSD-3-Clause */
/* Bench CSV: parses the table, whose columns are found by name. */
#include "bench_csv.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "regular_file.h"

/* Columns that are read; the first line gives their positions. */
enum { PRECISION, SLICES, WORKERS, PROJECT, BACKPROJECT, READ, COLUMNS };
static const char *const name[COLUMNS] = {"precision",          "slices",   "workers", "project_gflops",
                                          "backproject_gflops", "read_gbps"};

enum { FIELDS_MAX = 64 };

/* Splits a line at its commas, in place; returns the number of fields. */
static int split(char *line, char *field[FIELDS_MAX])
{
    int count = 0;
    line[strcspn(line, "\r\n")] = '\0';
    for (char *next; count < FIELDS_MAX && (next = strsep(&line, ",")) != NULL;) field[count++] = next;
    return count;
}

static bool find_columns(int count, char *const *field, int column[COLUMNS])
{
    for (int c = 0; c < COLUMNS; c++) {
        column[c] = 0;
        while (column[c] < count && strcmp(field[column[c]], name[c]) != 0) column[c]++;
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

static SinoStatus take_row(const char *path, char *const *field, const int column[COLUMNS], SinoBenchRates *rates)
{
    double value[COLUMNS] = {0};
    for (int c = SLICES; c < COLUMNS; c++)
        SINO_CHECK(parse(field[column[c]], &value[c]), SINO_BAD_INPUT,
                   "%s: %s is '%s'; allowed: a number from 1e-9 to 1e9", path, name[c], field[column[c]]);
    if ((int64_t)value[SLICES] <= rates->slices) return NULL;
    *rates = (SinoBenchRates){.slices = (int64_t)value[SLICES],
                              .kernel_gflops = 2 / (1 / value[PROJECT] + 1 / value[BACKPROJECT]) / value[WORKERS],
                              .memory_gbps = value[READ] / value[WORKERS]};
    return NULL;
}

static SinoStatus read_lines(const char *path, FILE *file, const char *precision, SinoBenchRates *rates)
{
    char line[4096], *field[FIELDS_MAX];
    int column[COLUMNS];
    const bool headed = fgets(line, sizeof line, file) && find_columns(split(line, field), field, column);
    SINO_CHECK(headed, SINO_BAD_INPUT, "%s is no table of `sinodag bench --csv`", path);
    while (fgets(line, sizeof line, file)) {
        const int count = split(line, field);
        for (int c = 0; c < COLUMNS; c++)
            SINO_CHECK(column[c] < count, SINO_BAD_INPUT, "%s: a line has %d fields; needed: one for %s", path, count,
                       name[c]);
        if (strcmp(field[column[PRECISION]], precision) == 0) SINO_TRY(take_row(path, field, column, rates));
    }
    SINO_CHECK(!ferror(file), SINO_FAILED, "%s cannot be read: %s", path, strerror(errno));
    SINO_CHECK(rates->slices > 0, SINO_BAD_INPUT,
               "%s has no figures in %s precision; allowed: a table of `sinodag bench --precision %s --csv`", path,
               precision, precision);
    return NULL;
}

SinoStatus sino_bench_csv_read(const char *path, const char *precision, SinoBenchRates *result)
{
    SinoBenchRates rates = {0};
    SINO_TRY(sino_regular_check(path));
    FILE *file = fopen(path, "re");
    SINO_CHECK(file, SINO_BAD_INPUT, "%s: %s", path, strerror(errno));
    SinoStatus status = read_lines(path, file, precision, &rates);
    (void)fclose(file);
    if (!status) *result = rates;
    return status;
}
