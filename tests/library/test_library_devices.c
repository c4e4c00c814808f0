/* SPDX-License-Identifier: BSD-3-Clause */
/* Library: arrays on CUDA devices, which tests/cuda_double plays: the bits of arrays in main memory, and nothing else
 * is touched. */
#include "cuda_runtime_api.h"
#include "testing_library.h"

#include <inttypes.h>
#include <math.h>

enum { ANGLES = 12, COLUMNS = 17, SLICES = 3, RAYS = ANGLES * COLUMNS, VOXELS = COLUMNS * COLUMNS, GAP = 0x5a };

/* An array on a device: a block of bytes that are GAP, or elements. */
typedef struct OnDevice {
    SinodagArray array;
    char *block;
    int64_t bytes;
} OnDevice;

static int64_t bytes_of(SinodagType type)
{
    static const int64_t bytes[] = {
        [SINODAG_FLOAT32] = 4, [SINODAG_FLOAT64] = 8, [SINODAG_UINT8] = 1, [SINODAG_UINT16] = 2};
    return bytes[type];
}

static double element(const void *data, SinodagType type, int64_t at)
{
    switch (type) {
    case SINODAG_FLOAT32:
        return (double)((const float *)data)[at];
    case SINODAG_FLOAT64:
        return ((const double *)data)[at];
    case SINODAG_UINT8:
        return ((const uint8_t *)data)[at];
    default:
        return ((const uint16_t *)data)[at];
    }
}

static void set(void *data, SinodagType type, int64_t at, double value)
{
    switch (type) {
    case SINODAG_FLOAT32:
        ((float *)data)[at] = (float)value;
        break;
    case SINODAG_FLOAT64:
        ((double *)data)[at] = value;
        break;
    case SINODAG_UINT8:
        ((uint8_t *)data)[at] = (uint8_t)value;
        break;
    default:
        ((uint16_t *)data)[at] = (uint16_t)value;
        break;
    }
}

/* Strides of a layout, and the elements from the start of the block to the first one. */
typedef struct Layout {
    const char *name;
    int64_t stride[3], first, elements; /* of the block */
    int rectangles;
} Layout;

/* Where element (i, j, k) of volume v is. */
static int64_t place(const SinodagArray *array, int64_t v, int64_t i, int64_t j, int64_t k)
{
    const int64_t *s = array->stride;
    const bool usual = s[0] == 0 && s[1] == 0 && s[2] == 0;
    if (usual) return ((v * array->size[0] + i) * array->size[1] + j) * array->size[2] + k;
    return v * array->volume_stride + i * s[0] + j * s[1] + k * s[2];
}

/* values: of the elements in C order; NULL: none. */
static OnDevice on_device(int device, SinodagArray array, Layout layout, const double *values)
{
    const int64_t element_bytes = bytes_of(array.type);
    OnDevice made = {.array = array, .bytes = layout.elements * element_bytes};
    char *host = malloc((size_t)made.bytes);
    int64_t n = 0;
    assert_non_null(host);
    memset(host, GAP, (size_t)made.bytes);
    memcpy(made.array.stride, layout.stride, sizeof layout.stride);
    for (int64_t v = 0; v < (array.volumes ? array.volumes : 1) && values; v++)
        for (int64_t i = 0; i < array.size[0]; i++)
            for (int64_t j = 0; j < array.size[1]; j++)
                for (int64_t k = 0; k < array.size[2]; k++)
                    set(host, array.type, layout.first + place(&made.array, v, i, j, k), values[n++]);
    made.block = sino_double_allocate(device, made.bytes);
    assert_non_null(made.block);
    assert_true(sino_double_write(made.block, host, made.bytes));
    free(host);
    made.array.device = SINODAG_CUDA;
    made.array.data = made.block + layout.first * element_bytes;
    return made;
}

/* The elements in C order are `values`, and all other bytes are GAP. Frees the array. */
static void is_on_device(OnDevice *of, const double *values)
{
    const int64_t element_bytes = bytes_of(of->array.type),
                  first = ((char *)of->array.data - of->block) / element_bytes;
    char *host = malloc((size_t)of->bytes);
    int64_t n = 0;
    assert_non_null(host);
    assert_true(sino_double_read(host, of->block, of->bytes));
    for (int64_t v = 0; v < (of->array.volumes ? of->array.volumes : 1); v++)
        for (int64_t i = 0; i < of->array.size[0]; i++)
            for (int64_t j = 0; j < of->array.size[1]; j++)
                for (int64_t k = 0; k < of->array.size[2]; k++) {
                    const int64_t at = first + place(&of->array, v, i, j, k);
                    assert_true(element(host, of->array.type, at) == values[n++]);
                    memset(host + at * element_bytes, GAP, (size_t)element_bytes);
                }
    for (int64_t i = 0; i < of->bytes; i++) assert_true(host[i] == GAP);
    free(host);
    sino_double_free(of->block);
}

static SinodagArray array_of(void *data, SinodagType type, int64_t a, int64_t b, int64_t c)
{
    return (SinodagArray){.data = data, .type = type, .size = {a, b, c}};
}

static const double *angles(void)
{
    static double angle_rad[ANGLES];
    for (int k = 0; k < ANGLES; k++) angle_rad[k] = 3.14159265358979323846 * k / ANGLES;
    return angle_rad;
}

static SinodagOperator *new_operator(void)
{
    const SinodagGeometry geometry = {.angles = ANGLES, .columns = COLUMNS, .angle_rad = angles(), .center = NAN};
    SinodagOperator *op = NULL;
    succeeds(sinodag_operator_new(&geometry, NULL, &op));
    return op;
}

static const Layout images_in[] = {
    {"C order by 0", {0, 0, 0}, 0, SLICES *VOXELS, 1},
    {"C order", {VOXELS, COLUMNS, 1}, 0, SLICES *VOXELS, 1},
    {"slices last", {1, COLUMNS *SLICES, SLICES}, 0, SLICES *VOXELS, 1},
    {"backwards", {-VOXELS, -COLUMNS, -1}, SLICES *VOXELS - 1, SLICES *VOXELS, 1},
    {"columns upwards, rows down", {VOXELS, -1, COLUMNS}, COLUMNS - 1, SLICES *VOXELS, 1},
    {"rows with gaps", {(COLUMNS + 3) * COLUMNS, COLUMNS + 3, 1}, 2, SLICES *(COLUMNS + 3) * COLUMNS, 1},
    {"rows and slices with gaps",
     {(COLUMNS + 3) * COLUMNS + 5, COLUMNS + 3, 1},
     0,
     SLICES *((COLUMNS + 3) * COLUMNS + 5),
     SLICES},
    {"every other element", {2 * VOXELS, 2 * COLUMNS, 2}, 1, 2 * SLICES *VOXELS, 1},
    {"every other slice", {2 * VOXELS, COLUMNS, 1}, 0, 2 * SLICES *VOXELS, 1},
};
enum { LAYOUTS = sizeof images_in / sizeof *images_in };

/* Images of every layout, either way, have the bits of images in main memory. */
static void layouts_are_copied(void **state)
{
    (void)state;
    static const SinodagType types[] = {SINODAG_FLOAT32, SINODAG_FLOAT64};
    SinodagOperator *op = new_operator();
    double *x = numbers(SLICES * VOXELS, 1), *back = calloc(SLICES * VOXELS, sizeof *back);
    double *y = calloc(SLICES * RAYS, sizeof *y), *same = calloc(SLICES * RAYS, sizeof *same);
    const SinodagArray host = array_of(x, SINODAG_FLOAT64, SLICES, COLUMNS, COLUMNS);
    const SinodagArray to = array_of(y, SINODAG_FLOAT64, SLICES, ANGLES, COLUMNS);
    const SinodagArray to_same = array_of(same, SINODAG_FLOAT64, SLICES, ANGLES, COLUMNS);
    const SinodagArray to_back = array_of(back, SINODAG_FLOAT64, SLICES, COLUMNS, COLUMNS);
    succeeds(sinodag_project(op, &host, &to));
    succeeds(sinodag_backproject(op, &to, &to_back));
    for (int i = 0; i < LAYOUTS; i++)
        for (int t = 0; t < 2; t++) {
            const SinodagArray image = array_of(NULL, types[t], SLICES, COLUMNS, COLUMNS);
            OnDevice device = on_device(t, image, images_in[i], x);
            sino_double_fail_at(0);
            succeeds(sinodag_project(op, &device.array, &to_same));
            if (sino_double_rectangles() != images_in[i].rectangles)
                fail_msg("%s: %" PRId64 " rectangles", images_in[i].name, sino_double_rectangles());
            assert_memory_equal(y, same, SLICES * RAYS * sizeof *y);
            is_on_device(&device, x);
            device = on_device(t, image, images_in[i], NULL);
            sino_double_fail_at(0);
            succeeds(sinodag_backproject(op, &to, &device.array));
            assert_int_equal(sino_double_rectangles(), images_in[i].rectangles);
            is_on_device(&device, back);
        }
    free(x);
    free(back);
    free(y);
    free(same);
    succeeds(sinodag_operator_free(op));
}

/* One image for all slices; rows that overlap; both arrays on devices, of which the thread's own stays current. */
static void inputs_may_overlap(void **state)
{
    enum { BLOCK = 2 * VOXELS };
    (void)state;
    static const Layout shared[] = {{"one image", {0, COLUMNS, 1}, 0, VOXELS, 1},
                                    {"overlapping rows", {COLUMNS, 1, 1}, 0, BLOCK, SLICES * COLUMNS}};
    SinodagOperator *op = new_operator();
    double *block = numbers(BLOCK, 4), *y = calloc(SLICES * RAYS, sizeof *y);
    for (int i = 0; i < 2; i++) {
        int current = 0;
        SinodagArray host = array_of(block, SINODAG_FLOAT64, SLICES, COLUMNS, COLUMNS);
        memcpy(host.stride, shared[i].stride, sizeof host.stride);
        const SinodagArray to = array_of(y, SINODAG_FLOAT64, SLICES, ANGLES, COLUMNS);
        succeeds(sinodag_project(op, &host, &to));
        SinodagArray given = host;
        given.device = SINODAG_CUDA;
        given.data = sino_double_allocate(0, BLOCK * (int64_t)sizeof *block);
        assert_true(sino_double_write(given.data, block, BLOCK * (int64_t)sizeof *block));
        OnDevice out = on_device(1, array_of(NULL, SINODAG_FLOAT64, SLICES, ANGLES, COLUMNS),
                                 (Layout){.elements = SLICES * RAYS}, NULL);
        assert_int_equal(cudaSetDevice(1), cudaSuccess);
        succeeds(sinodag_project(op, &given, &out.array));
        assert_int_equal(cudaGetDevice(&current), cudaSuccess);
        assert_int_equal(current, 1);
        is_on_device(&out, y);
        sino_double_free(given.data);
    }
    free(block);
    free(y);
    succeeds(sinodag_operator_free(op));
}

/* A product reads what the device was told to write before, in whatever stream. */
static void work_before_comes_first(void **state)
{
    (void)state;
    SinodagOperator *op = new_operator();
    float x[VOXELS] = {0}, y[RAYS] = {0};
    OnDevice device =
        on_device(0, array_of(NULL, SINODAG_FLOAT32, 1, COLUMNS, COLUMNS), (Layout){.elements = VOXELS}, NULL);
    const SinodagArray to = array_of(y, SINODAG_FLOAT32, 1, ANGLES, COLUMNS);
    x[VOXELS / 2] = 1;
    assert_true(sino_double_write_later(device.block, x, sizeof x));
    succeeds(sinodag_project(op, &device.array, &to));
    assert_true(y[COLUMNS / 2] == 1);
    sino_double_free(device.block);
    succeeds(sinodag_operator_free(op));
}

/* Solutions from and to devices, with a start there. */
static void solutions_are_copied(void **state)
{
    (void)state;
    static const char *const settings[] = {"algorithm=sirt", "iterations=3", NULL};
    SinodagOperator *op = new_operator();
    double *y = numbers(SLICES * RAYS, 5), *start = numbers(VOXELS, 6), *x = calloc(SLICES * VOXELS, sizeof *x);
    const SinodagArray of_y = array_of(y, SINODAG_FLOAT64, SLICES, ANGLES, COLUMNS);
    const SinodagArray of_start = array_of(start, SINODAG_FLOAT64, 1, COLUMNS, COLUMNS);
    const SinodagArray of_x = array_of(NULL, SINODAG_FLOAT64, SLICES, COLUMNS, COLUMNS);
    SinodagSolution solution = {.volume = of_x, .start = &of_start};
    solution.volume.data = x;
    succeeds(sinodag_solve(op, &of_y, settings, &solution));
    OnDevice in = on_device(0, of_y, (Layout){.elements = SLICES * RAYS}, y);
    OnDevice first = on_device(1, of_start, (Layout){.elements = VOXELS}, start);
    OnDevice out = on_device(1, of_x, images_in[6], NULL);
    solution = (SinodagSolution){.volume = out.array, .start = &first.array};
    succeeds(sinodag_solve(op, &in.array, settings, &solution));
    is_on_device(&in, y);
    is_on_device(&first, start);
    is_on_device(&out, x);
    free(y);
    free(start);
    free(x);
    succeeds(sinodag_operator_free(op));
}

/* Counts of a matrix, with factors and a background on the device. */
static void counts_are_copied(void **state)
{
    enum { SETS = 2 };
    (void)state;
    static const int32_t begin[] = {0, 2, 3, 5}, column[] = {0, 1, 1, 0, 1};
    static const float value[] = {1, 2, 0.5F, 1, 1};
    static const char *const settings[] = {"iterations=4", NULL};
    static double counts[SETS * 3] = {5, 3, 4, 9, 1, 2}, factor[3] = {0.5, 1, 0.75}, more[3] = {0.25, 0, 1};
    const SinodagMatrix matrix = {3, 2, SINODAG_INT32, SINODAG_FLOAT32, begin, column, value};
    SinodagOperator *op = NULL;
    double x[SETS * 2] = {0};
    succeeds(sinodag_operator_new(&(SinodagGeometry){.matrix = &matrix}, NULL, &op));
    const SinodagArray rows = array_of(counts, SINODAG_FLOAT64, SETS, 3, 1),
                       factors = array_of(factor, SINODAG_FLOAT64, 1, 3, 1);
    const SinodagArray added = array_of(more, SINODAG_FLOAT64, 1, 3, 1);
    SinodagSolution solution = {
        .volume = array_of(x, SINODAG_FLOAT64, SETS, 2, 1), .multiplicative = &factors, .additive = &added};
    succeeds(sinodag_solve(op, &rows, settings, &solution));
    OnDevice in = on_device(0, rows, (Layout){.elements = SETS * 3}, counts);
    OnDevice by = on_device(0, factors, (Layout){.elements = 3}, factor),
             plus = on_device(0, added, (Layout){.elements = 3}, more);
    OnDevice out = on_device(0, solution.volume, (Layout){.elements = SETS * 2}, NULL);
    solution = (SinodagSolution){.volume = out.array, .multiplicative = &by.array, .additive = &plus.array};
    succeeds(sinodag_solve(op, &in.array, settings, &solution));
    is_on_device(&out, x);
    sino_double_free(in.block);
    sino_double_free(by.block);
    const SinodagArray here = array_of(x, SINODAG_FLOAT64, SETS, 2, 1);
    plus.array.size[1] = 2;
    refused(sinodag_solve(op, &rows, settings, &(SinodagSolution){.volume = here, .additive = &plus.array}),
            "the values of additive have the sizes (1, 2, 1)");
    sino_double_free(plus.block);
    succeeds(sinodag_operator_free(op));
}

/* Several volumes of cone beams. */
static void volumes_are_copied(void **state)
{
    enum { VIEWS = 6, ROWS = 4, SIDE = 8, VOLUMES = 2, VOLUME = ROWS * SIDE * SIDE, PIXELS = VIEWS * ROWS * SIDE };
    (void)state;
    static const char *const cone[] = {"geometry=cone", "source-object-distance=400", "source-detector-distance=600",
                                       "detector-pixel=0.2", NULL};
    const SinodagGeometry geometry = {
        .angles = VIEWS, .columns = SIDE, .rows = ROWS, .angle_rad = angles(), .center = NAN};
    SinodagOperator *op = NULL;
    SinodagAbout about;
    succeeds(sinodag_operator_new(&geometry, cone, &op));
    succeeds(sinodag_operator_about(op, &about));
    assert_int_equal(about.images[0], ROWS);
    double *x = numbers(VOLUMES * VOLUME, 7), *y = calloc(VOLUMES * PIXELS, sizeof *y);
    SinodagArray images = array_of(x, SINODAG_FLOAT64, ROWS, SIDE, SIDE),
                 rays = array_of(y, SINODAG_FLOAT64, VIEWS, ROWS, SIDE);
    images.volumes = rays.volumes = VOLUMES;
    succeeds(sinodag_project(op, &images, &rays));
    images.volume_stride = 1; /* volumes last, rows from below */
    const Layout last = {
        "", {SIDE * SIDE * VOLUMES, -SIDE * VOLUMES, VOLUMES}, (SIDE - 1) * SIDE * VOLUMES, VOLUMES * VOLUME, 1};
    OnDevice in = on_device(1, images, last, x), out = on_device(1, rays, (Layout){.elements = VOLUMES * PIXELS}, NULL);
    succeeds(sinodag_project(op, &in.array, &out.array));
    is_on_device(&in, x);
    is_on_device(&out, y);
    free(x);
    free(y);
    succeeds(sinodag_operator_free(op));
}

static float *allocate(void *of, int64_t slices, int64_t rows, int64_t columns)
{
    float **memory = of;
    *memory = calloc((size_t)(slices * rows * columns), sizeof **memory);
    return *memory;
}

/* Counts and fields of 16 bits and less; `on`: on devices. Freed by the caller. */
static float *volume_of(bool on)
{
    enum { ROWS = 2, FIELD = ROWS * COLUMNS };
    static const char *const settings[] = {"algorithm=fbp", "rotation-axis=8", NULL};
    double counts[ANGLES * FIELD], flats[2 * FIELD], darks[FIELD];
    uint16_t counts_here[ANGLES * FIELD];
    uint8_t flats_here[2 * FIELD], darks_here[FIELD];
    float *volume = NULL;
    for (int i = 0; i < ANGLES * FIELD; i++) counts[i] = counts_here[i] = (uint16_t)(100 + i * 7 % 40);
    for (int i = 0; i < 2 * FIELD; i++) flats[i] = flats_here[i] = (uint8_t)(200 + i % 3);
    for (int i = 0; i < FIELD; i++) darks[i] = darks_here[i] = (uint8_t)(i % 2);
    SinodagScan scan = {.projections = array_of(counts_here, SINODAG_UINT16, ANGLES, ROWS, COLUMNS),
                        .flats = array_of(flats_here, SINODAG_UINT8, 2, ROWS, COLUMNS),
                        .darks = array_of(darks_here, SINODAG_UINT8, 1, ROWS, COLUMNS),
                        .angle_rad = angles()};
    OnDevice p = {.block = NULL}, f = {.block = NULL}, d = {.block = NULL};
    if (on) {
        p = on_device(0, scan.projections, (Layout){"", {1, COLUMNS * ANGLES, ANGLES}, 0, ANGLES * FIELD, 1}, counts);
        f = on_device(1, scan.flats, (Layout){.elements = 2 * FIELD}, flats);
        d = on_device(0, scan.darks, (Layout){.elements = FIELD}, darks);
        scan.projections = p.array;
        scan.flats = f.array;
        scan.darks = d.array;
    }
    const SinodagOutput output = {.allocate = allocate, .of = &volume};
    succeeds(sinodag_recon(&scan, settings, &output));
    sino_double_free(p.block);
    sino_double_free(f.block);
    sino_double_free(d.block);
    return volume;
}

static void scans_are_copied(void **state)
{
    (void)state;
    float *here = volume_of(false), *there = volume_of(true);
    assert_memory_equal(here, there, 2 * VOXELS * sizeof *here);
    free(here);
    free(there);
}

static void wrong_arrays_are_refused(void **state)
{
    (void)state;
    SinodagOperator *op = new_operator();
    float x[VOXELS] = {0}, y[RAYS] = {0};
    const SinodagArray to = array_of(y, SINODAG_FLOAT32, 1, ANGLES, COLUMNS);
    SinodagArray image = array_of(x, SINODAG_FLOAT32, 1, COLUMNS, COLUMNS);
    image.device = SINODAG_CUDA;
    refused(sinodag_project(op, &image, &to),
            "the images are said to lie on a CUDA device, which has nothing at their address");
    image.device = (SinodagDevice)7;
    refused(sinodag_project(op, &image, &to), "7 | SINODAG_MAIN_MEMORY | SINODAG_CUDA");
    OnDevice device =
        on_device(0, array_of(NULL, SINODAG_FLOAT32, 1, COLUMNS, COLUMNS), (Layout){.elements = VOXELS}, NULL);
    device.array.stride[1] = INT64_MAX / 2;
    refused(sinodag_project(op, &device.array, &to),
            ", 4611686018427387903, 0) and that of volumes 0, which lead out of memory");
    device.array.stride[1] = INT64_MIN;
    refused(sinodag_project(op, &device.array, &to),
            ", -9223372036854775808, 0) and that of volumes 0, which lead out of memory");
    memset(device.array.stride, 0, sizeof device.array.stride);
    device.array.size[2]--;
    refused(sinodag_project(op, &device.array, &to), "the images have the sizes (1, 17, 16)");
    device.array.size[2]++; /* and GAP is no NaN */
    succeeds(sinodag_project(op, &device.array, &to));
    sino_double_free(device.block);
    refused(sinodag_project(op, &device.array, &to), "which has nothing at their address");
    succeeds(sinodag_operator_free(op));
}

/* Whichever call of CUDA fails, the error is told, and the thread's device is what it was. */
static void failures_are_told(void **state)
{
    (void)state;
    SinodagOperator *op = new_operator();
    double *x = numbers(VOXELS, 8);
    OnDevice in = on_device(1, array_of(NULL, SINODAG_FLOAT32, 1, COLUMNS, COLUMNS), (Layout){.elements = VOXELS}, x);
    OnDevice out = on_device(1, array_of(NULL, SINODAG_FLOAT32, 1, ANGLES, COLUMNS), (Layout){.elements = RAYS}, NULL);
    assert_int_equal(cudaSetDevice(0), cudaSuccess);
    sino_double_fail_at(0);
    succeeds(sinodag_project(op, &in.array, &out.array));
    const int64_t calls = sino_double_calls();
    assert_in_range(calls, 16, 17);
    for (int64_t i = 1; i <= calls; i++) {
        sino_double_fail_at(i);
        SinodagStatus status = sinodag_project(op, &in.array, &out.array);
        if (sinodag_status_code(status) != SINODAG_FAILED ||
            !strstr(sinodag_status_text(status), " on a CUDA device: "))
            fail_msg("call %" PRId64 ": %d %s", i, sinodag_status_code(status), sinodag_status_text(status));
        sinodag_status_free(status);
        sino_double_fail_at(0);
        assert_int_equal(cudaSetDevice(0), cudaSuccess);
    }
    succeeds(sinodag_project(op, &in.array, &out.array));
    sino_double_free(in.block);
    sino_double_free(out.block);
    free(x);
    succeeds(sinodag_operator_free(op));
}

TESTING_SUBJECT(library_devices)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layouts_are_copied),      cmocka_unit_test(inputs_may_overlap),
        cmocka_unit_test(work_before_comes_first), cmocka_unit_test(solutions_are_copied),
        cmocka_unit_test(counts_are_copied),       cmocka_unit_test(volumes_are_copied),
        cmocka_unit_test(scans_are_copied),        cmocka_unit_test(wrong_arrays_are_refused),
        cmocka_unit_test(failures_are_told),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
