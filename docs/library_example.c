/* SPDX-License-Identifier: BSD-3-Clause */
/* A program that uses libsinodag (docs/LIBRARY.md): Landweber's iteration, x ← x + t·Aᵀ(b − A x), for one slice.
 *
 *     cc library_example.c $(pkg-config --cflags --libs sinodag) -lm -o example */
#include <sinodag.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ANGLES = 90, COLUMNS = 64, RAYS = ANGLES * COLUMNS, VOXELS = COLUMNS * COLUMNS, ITERATIONS = 100 };

/* Prints an error, if there is one. */
static int failed(SinodagStatus status)
{
    const int code = sinodag_status_code(status);
    if (code) fprintf(stderr, "example: %s\n", sinodag_status_text(status));
    sinodag_status_free(status);
    return code;
}

static SinodagArray projections_of(float *data)
{
    return (SinodagArray){.data = data, .type = SINODAG_FLOAT32, .size = {1, ANGLES, COLUMNS}};
}

static SinodagArray images_of(float *data)
{
    return (SinodagArray){.data = data, .type = SINODAG_FLOAT32, .size = {1, COLUMNS, COLUMNS}};
}

static double norm(long count, const float *values)
{
    double sum = 0;
    for (long i = 0; i < count; i++) sum += (double)values[i] * (double)values[i];
    return sqrt(sum);
}

/* A disk of radius 20 around (5, −8), of value 1. */
static void fill(float *image)
{
    for (int i = 0; i < VOXELS; i++) {
        const int row = i / COLUMNS, column = i % COLUMNS;
        const double x = column - (COLUMNS - 1) / 2.0, y = (COLUMNS - 1) / 2.0 - row;
        image[i] = hypot(x - 5, y + 8) <= 20;
    }
}

static int iterate(SinodagOperator *op, const float *b, float *x)
{
    static float residual[RAYS], step[VOXELS];
    const SinodagArray of_x = images_of(x), of_residual = projections_of(residual), of_step = images_of(step);
    const float t = 1.0F / (ANGLES * COLUMNS); /* at most 2/‖A‖² */
    for (int i = 0; i < ITERATIONS; i++) {
        if (failed(sinodag_project(op, &of_x, &of_residual))) return 1;
        for (int r = 0; r < RAYS; r++) residual[r] = b[r] - residual[r];
        if (failed(sinodag_backproject(op, &of_residual, &of_step))) return 1;
        for (int v = 0; v < VOXELS; v++) x[v] += t * step[v];
    }
    printf("residual %.4f\n", norm(RAYS, residual) / norm(RAYS, b));
    return 0;
}

static int run(void)
{
    static float truth[VOXELS], x[VOXELS], b[RAYS];
    double angle_rad[ANGLES];
    SinodagOperator *op = NULL;
    for (int k = 0; k < ANGLES; k++) angle_rad[k] = 3.14159265358979 * k / ANGLES;
    const SinodagGeometry geometry = {.angles = ANGLES, .columns = COLUMNS, .angle_rad = angle_rad, .center = 31.5};
    const char *const settings[] = {"precision=single", NULL};
    if (failed(sinodag_operator_new(&geometry, settings, &op))) return 1;
    fill(truth);
    const SinodagArray of_truth = images_of(truth), of_b = projections_of(b);
    const int wrong = failed(sinodag_project(op, &of_truth, &of_b)) || iterate(op, b, x);
    for (int v = 0; v < VOXELS; v++) x[v] -= truth[v];
    if (!wrong) printf("error %.4f\n", norm(VOXELS, x) / norm(VOXELS, truth));
    return failed(sinodag_operator_free(op)) || wrong;
}

int main(void)
{
    if (failed(sinodag_start(NULL, NULL, NULL))) return 1;
    const int code = run();
    return failed(sinodag_stop()) || code;
}
