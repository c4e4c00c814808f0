/* SPDX-License-Identifier: BSD-3-Clause */
/* Library, cone beams: products, several volumes, solutions, FDK, and what is refused. */
#include "testing_library.h"

#include <math.h>
#include <pthread.h>

enum { N = 4 };

enum { K = 10, ROWS = 7, M = 21, PIXELS = K * ROWS * M, VOXELS = ROWS * M * M };

static const char *const lengths[] = {"geometry=cone", "source-object-distance=200", "source-detector-distance=300",
                                      "detector-pixel=0.3", NULL};

static SinodagGeometry cone(int64_t subsets)
{
    static double angle_rad[K];
    for (int k = 0; k < K; k++) angle_rad[k] = 2 * 3.14159265358979323846 * k / K;
    return (SinodagGeometry){
        .angles = K, .columns = M, .angle_rad = angle_rad, .center = NAN, .subsets = subsets, .rows = ROWS};
}

static SinodagOperator *new_cone(int64_t subsets)
{
    const SinodagGeometry geometry = cone(subsets);
    SinodagOperator *op = NULL;
    succeeds(sinodag_operator_new(&geometry, lengths, &op));
    return op;
}

static SinodagArray volume_of(void *data, SinodagType type)
{
    return (SinodagArray){.data = data, .type = type, .size = {ROWS, M, M}};
}

static SinodagArray views_of(void *data, SinodagType type, int64_t angles)
{
    return (SinodagArray){.data = data, .type = type, .size = {angles, ROWS, M}};
}

static void cones_are_adjoint(void **state)
{
    (void)state;
    SinodagOperator *op = new_cone(0);
    SinodagAbout about;
    double *x = numbers(VOXELS, 13), *y = numbers(PIXELS, 14);
    double *of_x = numbers(PIXELS, 15), *of_y = numbers(VOXELS, 16);
    const SinodagArray ax = volume_of(x, SINODAG_FLOAT64), ay = views_of(y, SINODAG_FLOAT64, K);
    const SinodagArray to_y = views_of(of_x, SINODAG_FLOAT64, K), to_x = volume_of(of_y, SINODAG_FLOAT64);
    succeeds(sinodag_operator_about(op, &about));
    assert_memory_equal(about.images, ax.size, sizeof ax.size);
    assert_memory_equal(about.projections, ay.size, sizeof ay.size);
    assert_memory_equal(about.voxels, ax.size, sizeof ax.size);
    succeeds(sinodag_project(op, &ax, &to_y));
    succeeds(sinodag_backproject(op, &ay, &to_x));
    const double left = dot(PIXELS, of_x, y);
    assert_true(fabs(left - dot(VOXELS, x, of_y)) < 1e-6 * left);
    for (int i = 0; i < VOXELS; i++) x[i] = 1;
    succeeds(sinodag_project(op, &ax, &to_y)); /* the middle ray crosses M voxels */
    assert_true(fabs(of_x[ROWS / 2 * M + M / 2] - M) < 1e-5 * M);
    free(x);
    free(y);
    free(of_x);
    free(of_y);
    succeeds(sinodag_operator_free(op));
}

/* Subsets, layouts and types give the same bits. */
static void cones_have_subsets_and_strides(void **state)
{
    (void)state;
    SinodagOperator *op = new_cone(1), *divided = new_cone(N);
    double *x = numbers(VOXELS, 17), *part = numbers(PIXELS, 18);
    float *turned = calloc(VOXELS, sizeof *turned), *y = calloc(PIXELS, sizeof *y);
    for (int64_t i = 0; i < VOXELS; i++) turned[VOXELS - 1 - i] = (float)x[i];
    const SinodagArray of = volume_of(x, SINODAG_FLOAT64), to = views_of(y, SINODAG_FLOAT32, K);
    SinodagArray of_turned = volume_of(turned + VOXELS - 1, SINODAG_FLOAT32);
    memcpy(of_turned.stride, (int64_t[]){-M * M, -M, -1}, sizeof of_turned.stride);
    succeeds(sinodag_project(op, &of, &to));
    for (int s = 0; s < N; s++) { /* each angle is a column, and each pixel a row of the array */
        SinodagArray view = views_of(part + s, SINODAG_FLOAT64, (K - s + N - 1) / N);
        memcpy(view.stride, (int64_t[]){N, M * K, K}, sizeof view.stride);
        succeeds(sinodag_project_subset(divided, s, &of_turned, &view));
    }
    for (int k = 0; k < K; k++)
        for (int p = 0; p < ROWS * M; p++) assert_true(part[p * K + k] == (double)y[k * ROWS * M + p]);
    const SinodagArray all = views_of(y, SINODAG_FLOAT32, K), whole = volume_of(turned, SINODAG_FLOAT32);
    succeeds(sinodag_backproject(op, &all, &of));
    succeeds(sinodag_backproject(divided, &all, &whole));
    for (int i = 0; i < VOXELS; i++) assert_true(fabs((double)turned[i] - x[i]) < 1e-4 * x[VOXELS / 2]);
    succeeds(sinodag_operator_free(op));
    succeeds(sinodag_operator_free(divided));
    free(x);
    free(part);
    free(turned);
    free(y);
}

/* Rows that are fans of their own: each slice is what an operator of this row alone gives, by fdk to the bit. */
static void fans_are_cones_of_a_row(void **state)
{
    (void)state;
    const char *const by_fdk[] = {"algorithm=fdk", NULL};
    const char *fans[] = {"geometry=fan", lengths[1], lengths[2], lengths[3], NULL};
    const SinodagGeometry of_rows = cone(1);
    SinodagGeometry of_row = of_rows;
    SinodagOperator *all, *one;
    float *x = calloc(VOXELS, sizeof *x), *y = calloc(PIXELS, sizeof *y), slice[M * M], row[K * M] = {0};
    const SinodagArray volume = volume_of(x, SINODAG_FLOAT32), views = views_of(y, SINODAG_FLOAT32, K);
    of_row.rows = 1;
    succeeds(sinodag_operator_new(&of_rows, fans, &all));
    succeeds(sinodag_operator_new(&of_row, lengths, &one));
    for (int i = 0; i < VOXELS; i++) x[i] = (float)(i % 7 + i / (M * M));
    succeeds(sinodag_project(all, &volume, &views));
    for (int64_t r = 0; r < ROWS; r += 3) {
        const SinodagArray of_slice = {.data = x + r * M * M, .type = SINODAG_FLOAT32, .size = {1, M, M}};
        const SinodagArray of_view = {.data = row, .type = SINODAG_FLOAT32, .size = {K, 1, M}};
        succeeds(sinodag_project(one, &of_slice, &of_view));
        for (int i = 0; i < K * M; i++)
            assert_true(fabsf(row[i] - y[(i / M * ROWS + r) * M + i % M]) <= 1e-5F * fabsf(row[i]));
    }
    succeeds(sinodag_solve(all, &views, by_fdk, &(SinodagSolution){.volume = volume}));
    for (int64_t r = 0; r < ROWS; r += 3) {
        const SinodagArray of_view = {
            .data = y + r * M, .type = SINODAG_FLOAT32, .size = {K, 1, M}, .stride = {ROWS * M, M, 1}};
        const SinodagArray of_slice = {.data = slice, .type = SINODAG_FLOAT32, .size = {1, M, M}};
        succeeds(sinodag_solve(one, &of_view, by_fdk, &(SinodagSolution){.volume = of_slice}));
        assert_memory_equal(slice, x + r * M * M, sizeof slice);
    }
    free(x);
    free(y);
    succeeds(sinodag_operator_free(all));
    succeeds(sinodag_operator_free(one));
}

enum { VOLUMES = 3 };

/* A volume and its projections among others, by which it is `first` elements from the array's beginning. */
static SinodagArray one_of(SinodagArray array, int64_t first)
{
    array.data =
        array.type == SINODAG_FLOAT64 ? (void *)((double *)array.data + first) : (void *)((float *)array.data + first);
    array.volumes = 0;
    array.volume_stride = 0;
    return array;
}

/* Volumes that follow each other, and whose elements are VOLUMES apart; projections backwards, with a gap. */
typedef struct Several {
    double *x;
    float *y;
    SinodagArray volumes, projections;
} Several;

static Several several(void)
{
    enum { GAP = 5 };
    Several made = {.x = numbers(VOLUMES * VOXELS, 23), .y = calloc(VOLUMES * (PIXELS + GAP), sizeof(float))};
    made.volumes = volume_of(made.x, SINODAG_FLOAT64);
    made.projections = views_of(made.y + (VOLUMES - 1) * (PIXELS + GAP), SINODAG_FLOAT32, K);
    made.volumes.volumes = made.projections.volumes = VOLUMES;
    made.volumes.volume_stride = 1;
    made.projections.volume_stride = -(PIXELS + GAP);
    memcpy(made.volumes.stride, (int64_t[]){VOLUMES * M * M, VOLUMES * M, VOLUMES}, sizeof made.volumes.stride);
    memcpy(made.projections.stride, (int64_t[]){ROWS * M, M, 1}, sizeof made.projections.stride);
    return made;
}

/* Several volumes have the bits of one after another: products, those of subsets, and solutions with residuals. */
static void cones_take_several_volumes(void **state)
{
    enum { ITERATIONS = 2, SUBSET = 1, ANGLES = (K - SUBSET + N - 1) / N };
    const char *const by_cg[] = {"algorithm=cg", "iterations=2", NULL};
    (void)state;
    SinodagOperator *op = new_cone(1), *divided = new_cone(N);
    const Several of = several();
    float *one = calloc(PIXELS, sizeof *one), *volumes = calloc(VOLUMES * VOXELS, sizeof *volumes),
          *volume = calloc(VOXELS, sizeof *volume), *part = calloc(VOLUMES * PIXELS, sizeof *part);
    double residual[VOLUMES * (ITERATIONS + 1)], alone[ITERATIONS + 1];
    const SinodagArray to = views_of(one, SINODAG_FLOAT32, K), image = volume_of(volume, SINODAG_FLOAT32);
    SinodagArray found = volume_of(volumes, SINODAG_FLOAT32), some = views_of(part, SINODAG_FLOAT32, ANGLES);
    SinodagSolution solution = {.volume = found, .residual = residual, .columns = ITERATIONS + 1};
    solution.volume.volumes = found.volumes = some.volumes = VOLUMES; /* in C order */
    succeeds(sinodag_project(op, &of.volumes, &of.projections));
    succeeds(sinodag_project_subset(divided, SUBSET, &of.volumes, &some));
    succeeds(sinodag_solve(op, &of.projections, by_cg, &solution));
    for (int64_t v = 0; v < VOLUMES; v++) {
        const SinodagArray x = one_of(of.volumes, v * of.volumes.volume_stride);
        const SinodagArray y = one_of(of.projections, v * of.projections.volume_stride);
        const SinodagSolution each = {.volume = image, .residual = alone, .columns = ITERATIONS + 1};
        succeeds(sinodag_project(op, &x, &to));
        assert_memory_equal(one, y.data, PIXELS * sizeof *one);
        for (int k = 0; k < ANGLES; k++)
            assert_memory_equal(part + (v * ANGLES + k) * ROWS * M, one + (SUBSET + k * N) * ROWS * M,
                                ROWS * M * sizeof *one);
        succeeds(sinodag_solve(op, &y, by_cg, &each));
        assert_memory_equal(volume, volumes + v * VOXELS, VOXELS * sizeof *volume);
        assert_memory_equal(alone, residual + v * (ITERATIONS + 1), sizeof alone);
    }
    succeeds(sinodag_backproject(divided, &of.projections, &found));
    for (int64_t v = 0; v < VOLUMES; v++) {
        const SinodagArray y = one_of(of.projections, v * of.projections.volume_stride);
        succeeds(sinodag_backproject(divided, &y, &image));
        assert_memory_equal(volume, volumes + v * VOXELS, VOXELS * sizeof *volume);
    }
    found.volumes = 2;
    refused(sinodag_backproject(op, &of.projections, &found), "there are 2 volumes and projections of 3");
    found.volumes = -1;
    refused(sinodag_backproject(op, &of.projections, &found), "the images | of -1 volumes | 0 to");
    succeeds(sinodag_operator_free(op));
    succeeds(sinodag_operator_free(divided));
    free(of.x);
    free(of.y);
    free(one);
    free(part);
    free(volume);
    free(volumes);
}

static float *allocate(void *of, int64_t slices, int64_t rows, int64_t columns)
{
    return slices * rows * columns == VOXELS ? of : NULL;
}

/* Solutions are volumes of recon without slices beyond them, in whose unit, 1/cm, a voxel is 0.2 mm. */
static void solutions_of_cones_are_reconstructions(void **state)
{
    static const struct {
        int64_t subsets;
        const char *settings[4];
    } by[] = {{1, {"algorithm=cg", "iterations=5"}},
              {1, {"algorithm=sirt", "iterations=4", "nonnegativity=yes"}},
              {1, {"algorithm=mlem", "iterations=3"}},
              {3, {"algorithm=osem", "iterations=3"}},
              {3, {"algorithm=fista", "iterations=3", "regularization=0.01"}}};
    (void)state;
    double *x = numbers(VOXELS, 19);
    float *y = calloc(PIXELS, sizeof *y), *found = calloc(VOXELS, sizeof *found),
          *volume = calloc(VOXELS, sizeof *volume);
    const SinodagArray of = volume_of(x, SINODAG_FLOAT64), data = views_of(y, SINODAG_FLOAT32, K);
    for (size_t i = 0; i < sizeof by / sizeof *by; i++) {
        char size[64];
        const char *of_recon[20] = {"data=line-integrals", "rotation-axis=10", size};
        int count = 3;
        snprintf(size, sizeof size, "volume=%dx%dx%d", M, M, ROWS);
        for (const char *const *given = lengths; *given; given++) of_recon[count++] = *given;
        for (const char *const *given = by[i].settings; *given; given++) of_recon[count++] = *given;
        if (by[i].subsets > 1) of_recon[count++] = "subsets=3";
        SinodagOperator *op = new_cone(by[i].subsets);
        const SinodagSolution to = {.volume = volume_of(found, SINODAG_FLOAT32)};
        const SinodagScan scan = {.projections = data, .angle_rad = cone(1).angle_rad};
        succeeds(sinodag_project(op, &of, &data));
        succeeds(sinodag_solve(op, &data, by[i].settings, &to));
        succeeds(sinodag_recon(&scan, of_recon, &(SinodagOutput){allocate, NULL, volume}));
        for (int v = 0; v < VOXELS; v++) {
            const double scaled = (double)found[v] * 10 / 0.2;
            if (!(fabs((double)volume[v] - scaled) <= 1e-6 * fabs(scaled)))
                fail_msg("%s: voxel %d is %.9g, and %.9g of recon", by[i].settings[0], v, scaled, (double)volume[v]);
        }
        succeeds(sinodag_operator_free(op));
    }
    free(x);
    free(y);
    free(found);
    free(volume);
}

/* A volume of 64³ voxels takes 1 MiB, and each vector of a solver as much: with little memory one volume is solved
 * after another, to the same bits, or none. */
static void solutions_keep_to_memory(void **state)
{
    enum { SIDE = 64, VOXELS_64 = SIDE * SIDE * SIDE };
    const char *const by_cg[] = {"iterations=2", NULL};
    const char *const memory[] = {"memory=2MiB", "memory=7MiB", "memory=64MiB"};
    const SinodagGeometry geometry = cone(1);
    (void)state;
    double *y = numbers(VOLUMES * PIXELS, 29);
    float *x = calloc(VOLUMES * VOXELS_64, sizeof *x), *wanted = calloc(VOLUMES * VOXELS_64, sizeof *wanted);
    SinodagArray views = views_of(y, SINODAG_FLOAT64, K);
    views.volumes = VOLUMES;
    const SinodagArray volumes = {.data = x, .size = {SIDE, SIDE, SIDE}, .volumes = VOLUMES};
    for (int i = 0; i < 3; i++) {
        const char *const settings[] = {lengths[0],        lengths[1],        lengths[2], lengths[3],
                                        "volume=64x64x64", "voxel-size=0.05", memory[i],  NULL};
        SinodagOperator *op = NULL;
        succeeds(sinodag_operator_new(&geometry, settings, &op));
        if (i == 0)
            refused(sinodag_solve(op, &views, by_cg, &(SinodagSolution){.volume = volumes}),
                    "memory: the solution of a volume needs");
        else
            succeeds(sinodag_solve(op, &views, by_cg, &(SinodagSolution){.volume = volumes}));
        if (i == 1) memcpy(wanted, x, VOLUMES * VOXELS_64 * sizeof *x);
        succeeds(sinodag_operator_free(op));
    }
    assert_memory_equal(x, wanted, VOLUMES * VOXELS_64 * sizeof *x);
    free(x);
    free(wanted);
    free(y);
}

/* SIRT goes on from a volume as it would have by itself. */
static void solutions_have_a_start(void **state)
{
    const char *const two[] = {"algorithm=sirt", "iterations=2", NULL}, *const four[] = {"algorithm=sirt",
                                                                                         "iterations=4", NULL};
    (void)state;
    SinodagOperator *op = new_cone(1);
    double *y = numbers(PIXELS, 31), off = 0, largest = 0;
    float *first = calloc(VOXELS, sizeof *first), *more = calloc(VOXELS, sizeof *more);
    float *wanted = calloc(VOXELS, sizeof *wanted);
    const SinodagArray views = views_of(y, SINODAG_FLOAT64, K), start = volume_of(first, SINODAG_FLOAT32);
    succeeds(sinodag_solve(op, &views, two, &(SinodagSolution){.volume = start}));
    succeeds(sinodag_solve(op, &views, two,
                           &(SinodagSolution){.volume = volume_of(more, SINODAG_FLOAT32), .start = &start}));
    succeeds(sinodag_solve(op, &views, four, &(SinodagSolution){.volume = volume_of(wanted, SINODAG_FLOAT32)}));
    for (int i = 0; i < VOXELS; i++) {
        off = fmax(off, fabs((double)more[i] - (double)wanted[i]));
        largest = fmax(largest, fabs((double)wanted[i]));
    }
    assert_true(largest > 0 && off < 1e-5 * largest);
    free(y);
    free(first);
    free(more);
    free(wanted);
    succeeds(sinodag_operator_free(op));
}

/* How often it was called, and the share that it was told last, which grows; ends the call after so many. */
typedef struct Told {
    int count, end;
    double done;
} Told;

static int watch(void *of, double done, const char *text)
{
    Told *told = of;
    (void)text;
    if (!(done >= told->done && done <= 1)) told->end = 1;
    told->done = done;
    told->count++;
    return told->end > 0 && told->count >= told->end;
}

/* Arrays get the algorithm that the program takes for a file of their size. */
static void small_cones_get_fista(void **state)
{
    const char *of_recon[12] = {"data=line-integrals", "rotation-axis=10", "iterations=2", "regularization=0.01"};
    float *volume[2] = {calloc(VOXELS, sizeof **volume), calloc(VOXELS, sizeof **volume)};
    double *x = numbers(PIXELS, 5);
    (void)state;
    const SinodagScan scan = {.projections = views_of(x, SINODAG_FLOAT64, K), .angle_rad = cone(1).angle_rad};
    int count = 4;
    for (int i = 0; lengths[i]; i++) of_recon[count++] = lengths[i];
    succeeds(sinodag_recon(&scan, of_recon, &(SinodagOutput){allocate, NULL, volume[0]}));
    of_recon[count] = "algorithm=fista";
    succeeds(sinodag_recon(&scan, of_recon, &(SinodagOutput){allocate, NULL, volume[1]}));
    assert_memory_equal(volume[0], volume[1], VOXELS * sizeof **volume);
    free(volume[0]);
    free(volume[1]);
    free(x);
}

/* FDK of several volumes, whose array is in another order and type, is that of recon, in another unit. */
static void fdk_solves_cones(void **state)
{
    const char *const by_fdk[] = {"algorithm=fdk", "fbp-filter=hann", NULL};
    const char *of_recon[8] = {"data=line-integrals", "rotation-axis=10", "fbp-filter=hann"};
    (void)state;
    SinodagOperator *op = new_cone(N);
    const Several of = several();
    float *volume = calloc(VOXELS, sizeof *volume);
    double *wanted = calloc(VOXELS, sizeof *wanted), error = 0, largest = 0;
    Told told = {0};
    for (int i = 0; lengths[i]; i++) of_recon[3 + i] = lengths[i];
    succeeds(sinodag_project(op, &of.volumes, &of.projections));
    const SinodagSolution solution = {.volume = of.volumes, .progress = watch, .of = &told};
    succeeds(sinodag_solve(op, &of.projections, by_fdk, &solution));
    assert_true(told.count > 0 && told.end == 0 && told.done > 1 - 1e-9);
    for (int64_t v = 0; v < VOLUMES; v++) {
        const SinodagArray y = one_of(of.projections, v * of.projections.volume_stride);
        const SinodagScan scan = {.projections = y, .angle_rad = cone(1).angle_rad};
        const SinodagSolution in_order = {.volume = volume_of(volume, SINODAG_FLOAT32)};
        succeeds(sinodag_recon(&scan, of_recon, &(SinodagOutput){allocate, NULL, volume}));
        for (int i = 0; i < VOXELS; i++) wanted[i] = (double)volume[i] * 0.2 / 10;
        succeeds(sinodag_solve(op, &y, by_fdk, &in_order)); /* into the array itself */
        for (int i = 0; i < VOXELS; i++) {
            assert_true(of.x[i * VOLUMES + v] == (double)volume[i]);
            error = fmax(error, fabs((double)volume[i] - wanted[i]));
            largest = fmax(largest, fabs(wanted[i]));
        }
    }
    assert_true(error <= 1e-6 * largest && largest > 0.1);
    succeeds(sinodag_operator_free(op));
    free(of.x);
    free(of.y);
    free(volume);
    free(wanted);
}

/* A call that its caller ends fails, and the next one works. */
static void cones_are_cancelled(void **state)
{
    const char *const by[][3] = {{"algorithm=fdk", NULL}, {"algorithm=cg", "iterations=50", NULL}};
    (void)state;
    SinodagOperator *op = new_cone(1);
    const Several of = several();
    succeeds(sinodag_project(op, &of.volumes, &of.projections));
    for (size_t i = 0; i < sizeof by / sizeof *by; i++) {
        Told told = {.end = 1};
        const SinodagSolution ended = {.volume = of.volumes, .progress = watch, .of = &told};
        const SinodagSolution whole = {.volume = of.volumes};
        SinodagStatus status = sinodag_solve(op, &of.projections, by[i], &ended);
        assert_int_equal(sinodag_status_code(status), SINODAG_FAILED);
        assert_string_equal(sinodag_status_text(status), "cancelled by the caller");
        sinodag_status_free(status);
        succeeds(sinodag_solve(op, &of.projections, by[i], &whole));
    }
    succeeds(sinodag_operator_free(op));
    free(of.x);
    free(of.y);
}

static void fdk_refuses(void **state)
{
    const char *const by_fdk[] = {"algorithm=fdk", NULL}, *const with_iterations[] = {"algorithm=fdk", "iterations=3",
                                                                                      NULL};
    (void)state;
    SinodagGeometry short_arc = cone(1),
                    parallel = {.angles = K, .columns = M, .angle_rad = short_arc.angle_rad, .center = NAN};
    double residual = 0, few[K], *x = numbers(VOXELS, 27), *y = numbers(PIXELS, 28);
    for (int k = 0; k < K; k++) few[k] = 0.1 * k;
    short_arc.angle_rad = few;
    SinodagOperator *op = new_cone(1), *of_arc = NULL, *of_beams = NULL;
    succeeds(sinodag_operator_new(&short_arc, lengths, &of_arc)); /* iterative algorithms take it */
    succeeds(sinodag_operator_new(&parallel, NULL, &of_beams));
    const SinodagArray data = views_of(y, SINODAG_FLOAT64, K);
    SinodagArray slices = {.data = y, .type = SINODAG_FLOAT64, .size = {1, K, M}};
    SinodagSolution to = {.volume = volume_of(x, SINODAG_FLOAT64)};
    const SinodagSolution to_slice = {.volume = {.data = x, .type = SINODAG_FLOAT64, .size = {1, M, M}}};
    refused(sinodag_solve(of_arc, &data, by_fdk, &to), "degrees");
    refused(sinodag_solve(op, &data, with_iterations, &to), "--iterations");
    refused(sinodag_solve(of_beams, &slices, by_fdk, &to_slice), "fdk");
    slices.volumes = 2;
    refused(sinodag_project(of_beams, &to_slice.volume, &slices), "the projections | of 2 volumes | 0 or 1");
    to.residual = &residual;
    to.columns = 1;
    refused(sinodag_solve(op, &data, by_fdk, &to), "residuals, which fdk does not compute");
    to.residual = NULL;
    y[PIXELS - 1] = NAN;
    refused(sinodag_solve(op, &data, by_fdk, &to), "volume 0 has a value that is NaN or infinite");
    memset(y, 0, PIXELS * sizeof *y); /* of which recon thinks that the file is damaged */
    succeeds(sinodag_solve(op, &data, by_fdk, &to));
    for (int i = 0; i < VOXELS; i++) assert_true(x[i] == 0);
    succeeds(sinodag_operator_free(op));
    succeeds(sinodag_operator_free(of_arc));
    succeeds(sinodag_operator_free(of_beams));
    free(x);
    free(y);
}

static void check_cone_refused(SinodagGeometry geometry, const char *setting, const char *text)
{
    const char *settings[8] = {0};
    int count = 0;
    for (const char *const *given = lengths; *given; given++)
        if (!setting || strncmp(*given, setting, strcspn(setting, "=") + 1) != 0) settings[count++] = *given;
    if (setting) settings[count++] = setting;
    SinodagOperator *op = NULL;
    refused(sinodag_operator_new(&geometry, settings, &op), text);
    assert_null(op);
}

static void cones_refuse(void **state)
{
    static const char *const unknown[] = {"geometry=cone", NULL}, *const by_fbp[] = {"algorithm=fbp", NULL};
    const char *const large[] = {lengths[0],           lengths[1],      lengths[2], lengths[3],
                                 "volume=600x600x600", "memory=100MiB", NULL};
    (void)state;
    SinodagGeometry wrong = cone(1);
    SinodagOperator *op = NULL;
    refused(sinodag_operator_new(&wrong, unknown, &op), "needed: --source-object-distance");
    refused(sinodag_operator_new(&wrong, NULL, &op), "rows | 7 | 0");
    refused(sinodag_operator_new(&wrong, large, &op),
            "memory: 100 MiB may be used, and a volume and its projections need");
    check_cone_refused(wrong, "precision=double", "--precision double contradicts --geometry cone");
    check_cone_refused(wrong, "precision=mixed", "precision is not single");
    check_cone_refused(wrong, "symmetry=no", "symmetry with geometry=cone");
    check_cone_refused(wrong, "operator-cache=x", "--operator-cache contradicts --geometry cone");
    check_cone_refused(wrong, "partitions=2", "--partitions contradicts --geometry cone");
    check_cone_refused(wrong, "voxel-size=50", "source is inside the volume");
    check_cone_refused(wrong, "source-object-distance=999", "the detector is between source and rotation axis");
    check_cone_refused(wrong, "volume=8x8x8x8", "--volume");
    wrong.rows = 0;
    check_cone_refused(wrong, NULL, "rows | 0 | 1 to");
    wrong.rows = INT64_MAX;
    check_cone_refused(wrong, NULL, "rows is 9223372036854775807");
    wrong = cone(K + 1);
    check_cone_refused(wrong, NULL, "subsets is 11, and there are 10 angles");
    op = new_cone(1);
    float *x = calloc(VOXELS, sizeof *x), *y = calloc(PIXELS, sizeof *y);
    SinodagArray of = volume_of(x, SINODAG_FLOAT32), to = views_of(y, SINODAG_FLOAT32, K);
    const SinodagSolution usual = {.volume = of};
    refused(sinodag_solve(op, &to, by_fbp, &usual), "--algorithm fbp contradicts --geometry cone");
    of.size[0]++;
    refused(sinodag_project(op, &of, &to), "(8, 21, 21); allowed: (7, 21, 21)");
    of.size[0]--;
    to.size[0]--;
    refused(sinodag_project(op, &of, &to), "(9, 7, 21); allowed: (10, 7, 21)");
    to.size[0]++;
    x[9] = NAN;
    refused(sinodag_project(op, &of, &to), "NaN or infinite");
    x[9] = 0;
    succeeds(sinodag_project(op, &of, &to)); /* failures are over */
    free(x);
    free(y);
    succeeds(sinodag_operator_free(op));
    refused(sinodag_project(op, &of, &to), "was freed");
}

/* Products and a solution of a matrix, over and over: `argument` is where failures are counted. */
static void *use_matrix(void *argument)
{
    enum { ROWS_OF_A = 3, SETS = 20 };
    static const int32_t row_start[] = {0, 2, 3, 5}, column[] = {0, 1, 1, 0, 2};
    static const float value[] = {1, 2, 3, 4, 5};
    int *failures = argument;
    const SinodagMatrix matrix = {ROWS_OF_A, 3, SINODAG_INT32, SINODAG_FLOAT32, row_start, column, value};
    const char *const by_mlem[] = {"algorithm=mlem", "iterations=2", NULL};
    double *x = numbers(SETS * 3, 31), *y = numbers(SETS * ROWS_OF_A, 32);
    const SinodagArray of = {.data = x, .type = SINODAG_FLOAT64, .size = {SETS, 3, 1}};
    const SinodagArray to = {.data = y, .type = SINODAG_FLOAT64, .size = {SETS, ROWS_OF_A, 1}};
    for (int i = 0; i < 4; i++) {
        SinodagOperator *op = NULL;
        *failures += sinodag_operator_new(&(SinodagGeometry){.matrix = &matrix}, NULL, &op) != NULL;
        *failures += sinodag_project(op, &of, &to) != NULL;
        *failures += sinodag_solve(op, &to, by_mlem, &(SinodagSolution){.volume = of}) != NULL;
        *failures += sinodag_operator_free(op) != NULL;
    }
    free(x);
    free(y);
    return NULL;
}

/* The same of a cone beam. */
static void *use_cone(void *argument)
{
    int *failures = argument;
    const char *const by_fdk[] = {"algorithm=fdk", NULL};
    const Several of = several();
    const SinodagSolution volumes = {.volume = of.volumes};
    for (int i = 0; i < 4; i++) {
        SinodagOperator *op = new_cone(N);
        *failures += sinodag_project(op, &of.volumes, &of.projections) != NULL;
        *failures += sinodag_solve(op, &of.projections, by_fdk, &volumes) != NULL;
        *failures += sinodag_operator_free(op) != NULL;
    }
    free(of.x);
    free(of.y);
    return NULL;
}

/* Operators of different kinds, each in a thread of its own. */
static void threads_of_kinds_take_turns(void **state)
{
    pthread_t thread[2];
    int failures[2] = {0};
    (void)state;
    assert_int_equal(pthread_create(&thread[0], NULL, use_matrix, &failures[0]), 0);
    assert_int_equal(pthread_create(&thread[1], NULL, use_cone, &failures[1]), 0);
    for (int i = 0; i < 2; i++) assert_int_equal(pthread_join(thread[i], NULL), 0);
    assert_int_equal(failures[0] + failures[1], 0);
}

/* Operators, products and solutions. */
static void use_once(void)
{
    static double x[VOXELS], y[PIXELS];
    const char *const by_cg[] = {"iterations=2", NULL}, *const by_fdk[] = {"algorithm=fdk", NULL};
    const SinodagArray volume = volume_of(x, SINODAG_FLOAT64), views = views_of(y, SINODAG_FLOAT64, K);
    const SinodagSolution solution = {.volume = volume};
    SinodagOperator *op = new_cone(N);
    succeeds(sinodag_backproject(op, &views, &volume));
    succeeds(sinodag_operator_free(op));
    op = new_cone(1);
    succeeds(sinodag_solve(op, &views, by_cg, &solution));
    succeeds(sinodag_solve(op, &views, by_fdk, &solution));
    succeeds(sinodag_operator_free(op));
}

static void memory_does_not_grow(void **state)
{
    (void)state;
    check_growth(use_once, 30);
}

TESTING_SUBJECT(library_cones)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(cones_are_adjoint),
                                       cmocka_unit_test(cones_have_subsets_and_strides),
                                       cmocka_unit_test(cones_take_several_volumes),
                                       cmocka_unit_test(solutions_of_cones_are_reconstructions),
                                       cmocka_unit_test(solutions_keep_to_memory),
                                       cmocka_unit_test(solutions_have_a_start),
                                       cmocka_unit_test(fdk_solves_cones),
                                       cmocka_unit_test(small_cones_get_fista),
                                       cmocka_unit_test(fans_are_cones_of_a_row),
                                       cmocka_unit_test(cones_are_cancelled),
                                       cmocka_unit_test(fdk_refuses),
                                       cmocka_unit_test(cones_refuse),
                                       cmocka_unit_test(threads_of_kinds_take_turns),
                                       cmocka_unit_test(memory_does_not_grow)};
    return cmocka_run_group_tests(tests, start, stop);
}
