/* SPDX-License-Identifier: BSD-3-Clause */
/* Repairs: what a run tells of the undefined values of its scan. */
#include "checks.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char sino_repairs_advice[] =
    "--start-row, --end-row, --start-column and --end-column for the part with values, --data line-integrals if the "
    "values are no counts, or a larger --max-repaired";

/* Undefined values by kind. */
typedef struct Kinds {
    int64_t projections, columns; /* without any value */
    int64_t of_row;               /* values of these that each row lacks */
    int64_t total, rest, rows;    /* rows: those that lack more than `of_row` */
} Kinds;

static Kinds kinds_of(const SinoRecord *record)
{
    Kinds kinds = {0};
    const int64_t rows = record->row_count, angles = record->angle_count, columns = record->column_count;
    for (int64_t k = 0; k < angles; k++) kinds.projections += record->by_angle[k] == rows * columns;
    for (int64_t c = 0; c < columns; c++) kinds.columns += record->by_column[c] == rows * angles;
    kinds.of_row = kinds.projections * columns + kinds.columns * (angles - kinds.projections);
    for (int64_t i = 0; i < rows; i++) {
        kinds.total += record->repaired[i];
        kinds.rows += record->repaired[i] > kinds.of_row;
    }
    kinds.rest = kinds.total - rows * kinds.of_row;
    return kinds;
}

/* Appends the numbers from … to to a list. */
static void append(int64_t from, int64_t to, size_t size, char *text)
{
    const size_t length = strlen(text);
    const char *between = length > 0 ? ", " : "";
    if (from == to)
        snprintf(text + length, size - length, "%s%" PRId64, between, from);
    else
        snprintf(text + length, size - length, "%s%" PRId64 " to %" PRId64, between, from, to);
}

/* What entries of a list are: entry i stands for the `step` numbers from number[i] or, if that is NULL, from first +
 * i · step on. */
typedef struct Numbers {
    int64_t first, step;
    const int64_t *number;
} Numbers;

static int64_t number_of(const Numbers *numbers, int64_t i)
{
    return numbers->number ? numbers->number[i] : numbers->first + i * numbers->step;
}

/* Lists the numbers of the entries that equal `full`, as "3, 7 to 9, 12", and how many more there are if they are many.
 */
static void list_full(int64_t count, const int64_t *entry, int64_t full, const Numbers *numbers, size_t size,
                      char *text)
{
    enum { RANGES = 12 };
    const int64_t step = numbers->step;
    int64_t ranges = 0, left_out = 0, end;
    *text = 0;
    for (int64_t i = 0; i < count; i = end) {
        end = i + 1;
        if (entry[i] != full) continue;
        while (end < count && entry[end] == full && number_of(numbers, end) == number_of(numbers, end - 1) + step)
            end++;
        if (ranges++ < RANGES)
            append(number_of(numbers, i), number_of(numbers, end - 1) + step - 1, size, text);
        else
            left_out += (end - i) * step;
    }
    const size_t length = strlen(text);
    if (left_out > 0) snprintf(text + length, size - length, " and %" PRId64 " more", left_out);
}

/* Whether all projections without any value are left out. */
static bool are_dropped(const SinoInput *input, const SinoRecord *record)
{
    const int64_t full = record->row_count * record->column_count;
    bool dropped = input->dropped != NULL;
    for (int64_t k = 0; k < record->angle_count && dropped; k++)
        dropped = record->by_angle[k] != full || input->dropped[k];
    return dropped;
}

void sino_repairs_tell(SinoLog *log, const SinoInput *input, const SinoRecord *record, bool weighted)
{
    const Kinds kinds = kinds_of(record);
    const int64_t rows = record->row_count, angles = record->angle_count, columns = record->column_count;
    const Numbers projections = {.step = input->info->angle_binning, .number = input->info->projection};
    const Numbers detector = {.first = input->first_column, .step = input->binning};
    char list[512];
    if (kinds.projections > 0) {
        list_full(angles, record->by_angle, rows * columns, &projections, sizeof list, list);
        sino_log_warning(log, "repair", "projections without any value: %" PRId64 " of %" PRId64 ", %s; number %s",
                         kinds.projections, angles,
                         weighted                     ? "they have weight 0"
                         : are_dropped(input, record) ? "they are left out"
                                                      : "they are taken as 0",
                         list);
    }
    if (kinds.columns > 0) {
        list_full(columns, record->by_column, rows * angles, &detector, sizeof list, list);
        sino_log_warning(log, "repair", "detector columns without any value: %" PRId64 " of %" PRId64 ", %s; column %s",
                         kinds.columns, columns, weighted ? "they have weight 0" : "they are interpolated", list);
    }
    const bool one = kinds.rest == 1;
    const char *const weightless = one ? "has weight 0" : "have weight 0";
    const char *const interpolated = one ? "was interpolated" : "were interpolated";
    if (kinds.rest > 0)
        sino_log_warning(log, "repair", "%" PRId64 " %sundefined value%s in %" PRId64 " of %" PRId64 " %s %s",
                         kinds.rest, kinds.projections + kinds.columns > 0 ? "other " : "", one ? "" : "s", kinds.rows,
                         rows, record->row_name, weighted ? weightless : interpolated);
}

SinoStatus sino_repairs_check(const SinoRecord *record, double most)
{
    const Kinds kinds = kinds_of(record);
    const double values = (double)record->row_count * (double)record->angle_count * (double)record->column_count;
    SINO_CHECK((double)kinds.total <= most * values, SINO_BAD_INPUT,
               "%.1f %% of the values are undefined; allowed: up to %g %% (--max-repaired %g): %s",
               100 * (double)kinds.total / values, 100 * most, most, sino_repairs_advice);
    return NULL;
}
