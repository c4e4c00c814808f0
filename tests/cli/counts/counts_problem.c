/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts problem: plain loops over a matrix in rows. */
#include "counts_problem.h"

#include "cli.h"

#include <math.h>

CountsProblem counts_read_matrix(const char *directory, const char *name)
{
    const size_t bytes = (size_t)cli_file_size(directory, name);
    unsigned char *file = cli_read_bytes(directory, name, bytes);
    uint32_t rows, columns, scanner_bytes;
    uint64_t entries;
    memcpy(&rows, file + 8, 4);
    memcpy(&columns, file + 12, 4);
    memcpy(&entries, file + 16, 8);
    memcpy(&scanner_bytes, file + 24, 4);
    const unsigned char *ends = file + 28 + scanner_bytes, *pairs = ends + 8 * (size_t)rows;
    CountsProblem problem = {rows, columns, calloc(rows + 1, sizeof(uint64_t)), calloc(entries + 1, sizeof(uint32_t)),
                             calloc(entries + 1, sizeof(float))};
    assert_true(problem.start && problem.column && problem.value);
    assert_int_equal(bytes, 28 + scanner_bytes + 8 * (rows + entries));
    memcpy(problem.start + 1, ends, 8 * (size_t)rows);
    for (uint64_t i = 0; i < entries; i++) {
        memcpy(&problem.column[i], pairs + 8 * i, 4);
        memcpy(&problem.value[i], pairs + 8 * i + 4, 4);
        assert_true(problem.column[i] < columns);
    }
    free(file);
    return problem;
}

void counts_free(CountsProblem *problem)
{
    free(problem->start);
    free(problem->column);
    free(problem->value);
}

static double *new_doubles(int64_t count)
{
    double *values = calloc((size_t)count + 1, sizeof *values);
    assert_non_null(values);
    return values;
}

double *counts_read_int32(const char *directory, const char *name, int64_t count)
{
    int32_t *stored = cli_read_bytes(directory, name, (size_t)count * sizeof *stored);
    double *values = new_doubles(count);
    for (int64_t i = 0; i < count; i++) values[i] = stored[i];
    free(stored);
    return values;
}

double *counts_read_float32(const char *directory, const char *name, int64_t count)
{
    float *stored = cli_read_bytes(directory, name, (size_t)count * sizeof *stored);
    double *values = new_doubles(count);
    for (int64_t i = 0; i < count; i++) values[i] = (double)stored[i];
    free(stored);
    return values;
}

void counts_write_float32(const char *directory, const char *name, int64_t count, const double *values)
{
    float *stored = calloc((size_t)count, sizeof *stored);
    assert_non_null(stored);
    for (int64_t i = 0; i < count; i++) stored[i] = (float)values[i];
    cli_write_bytes(directory, name, stored, (size_t)count * sizeof *stored);
    free(stored);
}

TestingMatrix counts_entries(const CountsProblem *problem)
{
    const int64_t count = (int64_t)problem->start[problem->row_count];
    TestingMatrix matrix = {.row_count = problem->row_count, .column_count = problem->voxel_count, .count = count};
    matrix.entry = calloc((size_t)count, sizeof *matrix.entry);
    assert_non_null(matrix.entry);
    for (int64_t row = 0; row < problem->row_count; row++)
        for (uint64_t i = problem->start[row]; i < problem->start[row + 1]; i++)
            matrix.entry[i] = (TestingEntry){row, problem->column[i], (double)problem->value[i]};
    return matrix;
}

void counts_backproject(const CountsProblem *problem, const double *n, double *sum)
{
    memset(sum, 0, (size_t)problem->voxel_count * sizeof *sum);
    for (int64_t row = 0; row < problem->row_count; row++)
        for (uint64_t i = problem->start[row]; i < problem->start[row + 1]; i++)
            sum[problem->column[i]] += (double)problem->value[i] * (n ? n[row] : 1);
}

void counts_project(const CountsProblem *problem, const double *image, double *expected)
{
    for (int64_t row = 0; row < problem->row_count; row++) {
        expected[row] = 0;
        for (uint64_t i = problem->start[row]; i < problem->start[row + 1]; i++)
            expected[row] += (double)problem->value[i] * image[problem->column[i]];
    }
}

double counts_explained(const CountsProblem *problem, const double *counts)
{
    double sum = 0;
    for (int64_t row = 0; row < problem->row_count; row++)
        if (problem->start[row + 1] > problem->start[row]) sum += counts[row];
    return sum;
}

/* expected = n · (A f) + r */
static void expect(const CountsProblem *problem, const CountsModel *model, const double *image, double *expected)
{
    counts_project(problem, image, expected);
    for (int64_t row = 0; row < problem->row_count; row++)
        expected[row] = expected[row] * (model->multiplicative ? model->multiplicative[row] : 1) +
                        (model->additive ? model->additive[row] : 0);
}

/* One update by the rows `subset`, `subset` + subset_count … */
static void update(const CountsProblem *problem, const CountsModel *model, int subset, int subset_count, double *image)
{
    double *ratio = new_doubles(problem->row_count), *own = new_doubles(problem->row_count);
    double *factor = new_doubles(problem->voxel_count), *sensitivity = new_doubles(problem->voxel_count);
    expect(problem, model, image, ratio);
    for (int64_t row = 0; row < problem->row_count; row++) {
        own[row] = row % subset_count != subset ? 0 : model->multiplicative ? model->multiplicative[row] : 1;
        ratio[row] = ratio[row] > 0 ? own[row] * model->counts[row] / ratio[row] : 0;
    }
    counts_backproject(problem, ratio, factor);
    counts_backproject(problem, own, sensitivity);
    for (int64_t voxel = 0; voxel < problem->voxel_count; voxel++) {
        const double s = model->sensitivity ? model->sensitivity[voxel] / subset_count : sensitivity[voxel];
        if (s > 0) image[voxel] *= factor[voxel] / s;
    }
    free(ratio);
    free(own);
    free(factor);
    free(sensitivity);
}

void counts_mlem(const CountsProblem *problem, const CountsModel *model, int iterations, double *image)
{
    for (int i = 0; i < iterations; i++) update(problem, model, 0, 1, image);
}

void counts_osem(const CountsProblem *problem, const CountsModel *model, int subset_count, const int *order,
                 int iterations, double *image)
{
    for (int i = 0; i < iterations; i++)
        for (int k = 0; k < subset_count; k++) update(problem, model, order[k], subset_count, image);
}

double counts_likelihood(const CountsProblem *problem, const CountsModel *model, const double *image)
{
    double *expected = new_doubles(problem->row_count), sum = 0;
    expect(problem, model, image, expected);
    for (int64_t row = 0; row < problem->row_count; row++)
        if (expected[row] > 0) sum += model->counts[row] * log(expected[row]) - expected[row];
    free(expected);
    return sum;
}
