/* SPDX-License-Identifier: BSD-3-Clause */
/* Reference operator: the system matrix of a small geometry, dense and in double (R. L. Siddon, Med. Phys. 12, 252
 * (1985), as published: all crossings of a ray, sorted). */
#include "reference_operator.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Of 8 bytes each. */
static void *allocate_or_exit(int64_t count)
{
    double *values = calloc((size_t)(count > 0 ? count : 1), sizeof *values);
    if (values) return values;
    fprintf(stderr, "no memory for the reference operator\n");
    exit(1);
}

static int ascending(const void *a, const void *b)
{
    const double p = *(const double *)a, q = *(const double *)b;
    return (p > q) - (p < q);
}

double reference_ray_offset(const SinoGeometry *geometry, int64_t ray)
{
    return (double)(ray % geometry->column_count) - geometry->center;
}

/* Crossings of start + alpha·direction with the N+1 lines of one axis. */
static int64_t cross_lines(int64_t grid_size, double start, double direction, double *alpha)
{
    if (fabs(direction) < 1e-12) return 0;
    for (int64_t i = 0; i <= grid_size; i++) alpha[i] = ((double)i - (double)grid_size / 2 - start) / direction;
    return grid_size + 1;
}

static void trace_row(const SinoGeometry *geometry, int64_t ray, double *alpha, double *length)
{
    const int64_t size = geometry->grid_size;
    const double angle = geometry->angle_rad[ray / geometry->column_count];
    const double offset = reference_ray_offset(geometry, ray), half = (double)size / 2;
    const double x = offset * cos(angle), y = offset * sin(angle);
    const double x_step = -sin(angle), y_step = cos(angle);
    int64_t count = cross_lines(size, x, x_step, alpha);
    count += cross_lines(size, y, y_step, alpha + count);
    qsort(alpha, (size_t)count, sizeof *alpha, ascending);
    for (int64_t i = 0; i + 1 < count; i++) {
        const double middle = (alpha[i] + alpha[i + 1]) / 2;
        const double column = floor(x + middle * x_step + half), row = floor(half - (y + middle * y_step));
        if (column < 0 || column >= (double)size || row < 0 || row >= (double)size) continue;
        length[(int64_t)row * size + (int64_t)column] += alpha[i + 1] - alpha[i];
    }
}

/* Products take a tenth of the time by the voxels that rays meet. */
static void list_voxels(ReferenceOperator *reference)
{
    const int64_t voxels = reference->voxel_count;
    reference->met_count = allocate_or_exit(reference->ray_count);
    reference->met = allocate_or_exit(reference->ray_count * voxels);
    for (int64_t i = 0; i < reference->ray_count * voxels; i++) {
        const int64_t ray = i / voxels;
        if (reference->length[i] != 0) reference->met[ray * voxels + reference->met_count[ray]++] = i % voxels;
    }
}

ReferenceOperator reference_operator_create(const SinoGeometry *geometry)
{
    const int64_t voxels = geometry->grid_size * geometry->grid_size;
    ReferenceOperator reference = {.ray_count = sino_geometry_ray_count(geometry), .voxel_count = voxels};
    reference.length = allocate_or_exit(reference.ray_count * voxels);
    double *alpha = allocate_or_exit(2 * (geometry->grid_size + 1));
    for (int64_t ray = 0; ray < reference.ray_count; ray++)
        trace_row(geometry, ray, alpha, reference.length + ray * voxels);
    free(alpha);
    list_voxels(&reference);
    return reference;
}

void reference_operator_free(ReferenceOperator *reference)
{
    free(reference->length);
    free(reference->met_count);
    free(reference->met);
    *reference = (ReferenceOperator){0};
}

void reference_operator_project(const ReferenceOperator *reference, const double *x, double *y)
{
    for (int64_t i = 0; i < reference->ray_count; i++) {
        const double *length = reference->length + i * reference->voxel_count;
        const int64_t *met = reference->met + i * reference->voxel_count;
        double sum = 0;
        for (int64_t k = 0; k < reference->met_count[i]; k++) sum += length[met[k]] * x[met[k]];
        y[i] = sum;
    }
}

void reference_operator_add_backprojection(const ReferenceOperator *reference, const double *y, double scale, double *x)
{
    for (int64_t i = 0; i < reference->ray_count; i++) {
        const double *length = reference->length + i * reference->voxel_count;
        const int64_t *met = reference->met + i * reference->voxel_count;
        for (int64_t k = 0; k < reference->met_count[i]; k++) x[met[k]] += scale * length[met[k]] * y[i];
    }
}

void reference_operator_backproject(const ReferenceOperator *reference, const double *y, double *x)
{
    for (int64_t j = 0; j < reference->voxel_count; j++) x[j] = 0;
    reference_operator_add_backprojection(reference, y, 1, x);
}

double reference_operator_norm_square(const ReferenceOperator *reference)
{
    double *x = allocate_or_exit(reference->voxel_count), *y = allocate_or_exit(reference->ray_count), size = 1;
    for (int64_t j = 0; j < reference->voxel_count; j++) x[j] = 1;
    for (int i = 0; i < 50; i++) {
        double square = 0;
        reference_operator_project(reference, x, y);
        reference_operator_backproject(reference, y, x);
        for (int64_t j = 0; j < reference->voxel_count; j++) square += x[j] * x[j];
        size = sqrt(square);
        for (int64_t j = 0; j < reference->voxel_count; j++) x[j] /= size;
    }
    free(x);
    free(y);
    return 1.01 * size;
}

int64_t reference_operator_nonzero_count(const ReferenceOperator *reference, double least)
{
    int64_t count = 0;
    for (int64_t i = 0; i < reference->ray_count * reference->voxel_count; i++) count += reference->length[i] > least;
    return count;
}

double reference_chord(const SinoGeometry *geometry, int64_t ray)
{
    const double angle = geometry->angle_rad[ray / geometry->column_count], size = (double)geometry->grid_size;
    const double a = fabs(cos(angle)), b = fabs(sin(angle)), offset = fabs(reference_ray_offset(geometry, ray));
    if (offset <= size * fabs(a - b) / 2) return size / fmax(a, b);
    return fmax(0, (size * (a + b) / 2 - offset) / (a * b));
}

/* splitmix64 */
double reference_random(uint64_t *seed)
{
    uint64_t z = (*seed += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-52 - 1;
}
