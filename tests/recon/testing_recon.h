/* SPDX-License-Identifier: BSD-3-Clause */
/* Testing of whole reconstructions: verbs run inside the test, results read back, the operator in double. */
#pragma once

#include "geometry.h"
#include "panel.h"
#include "settings.h"

#include <stdbool.h>
#include <stdint.h>

/* What a recon wrote. */
typedef struct TestingVolume {
    int64_t slice_count, size, columns;
    float *value;      /* [slice][N][N] */
    double *residual;  /* [slice][columns]: ‖Ax − b‖² before the first and after each iteration */
    int64_t *repaired; /* [slice] */
    int64_t nonzeros;
    double *likelihood; /* as residual; NULL: none */
    double center;
} TestingVolume;

/* Settings from words between spaces, of which "%s", "%d" and "%g" stand for an argument, whatever it holds. */
SinoSettings *testing_settings(int verb, const char *words, ...);

/* sinodag recon, to DIRECTORY/volume.h5 without pictures; fails the test when the recon fails. */
TestingVolume testing_recon(const char *directory, const char *words, ...);
/* The same to a file of the caller's, which is not read. */
void testing_recon_to(const char *path, const char *words, ...);
void testing_volume_free(TestingVolume *volume);

/* sinodag phantom, with the same words. */
void testing_phantom(const char *words, ...);

/* The slice of a volume. */
const float *testing_slice(const TestingVolume *volume, int64_t slice);

/* ‖a − b‖/‖b‖, of voxels closer to the middle of their N×N slice than `radius`; and of plain numbers. */
double testing_error_within(int64_t slice_count, int64_t size, double radius, const float *a, const float *b);
double testing_error(int64_t count, const float *a, const float *b);
double testing_error_doubles(int64_t count, const double *a, const double *b);

/* The largest |a − b|/|b| of residuals; NaN must meet NaN. */
double testing_residual_error(const TestingVolume *a, const TestingVolume *b);

/* Whether a measured file (testing_data) is there; says that the tests are skipped when not. For main, which then
 * returns TESTING_SKIPPED, so that meson counts the program as skipped. */
enum { TESTING_SKIPPED = 77 };
bool testing_data_there(const char *name);

/* `size` bytes of a file of exactly that size; caller frees. */
void *testing_read_file(const char *path, int64_t size_bytes);
void testing_write_file(const char *path, const void *bytes, int64_t size_bytes);

/* The operator of graphs/ with StarPU running, driven with vectors in double: x[row·N + column][slice], y[ray][slice].
 */
typedef struct TestingOperator TestingOperator;
TestingOperator *testing_operator_new(const SinoGeometry *geometry, SinoPrecision precision, bool symmetry,
                                      int64_t partition_count, int64_t window_count, int64_t slice_count);
int64_t testing_operator_nonzeros(const TestingOperator *a);
void testing_operator_project(TestingOperator *a, const double *x, double *y);
void testing_operator_backproject(TestingOperator *a, const double *y, double *x);
void testing_operator_free(TestingOperator *a);
