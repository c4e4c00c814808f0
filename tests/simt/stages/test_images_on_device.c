/* SPDX-License-Identifier: BSD-3-Clause */
/* Images on a GPU: random scans of many shapes, whose upright and filtered images are compared with the CPU's
 * (images_on_device.h); more angles than are made at a time. */
#include "images_on_device.h"
#include "memory.h"
#include "testing.h"

#include <math.h>

enum { SATURATION = 250 };

/* A detector, and the part of it that is made. */
typedef struct Shape {
    int64_t rows, columns;              /* of the detector */
    int64_t first_row, slices, binning; /* of the result, in rows of the detector */
    int64_t first_column, column_count, angles;
    int64_t sets;
    double tilt_rad;
    SinoCorrectInput input;
    SinoPrecision precision;
    bool flat_field, minus_log, marked, dark, placed;
} Shape;

/* A scan in memory, of which a slab is taken. Each pointer is owned. */
typedef struct Scan {
    void *counts;
    float *flat, *dark;
    double *flat_at;
    int64_t *place, *repaired, *tally;
} Scan;

static void *new_array(int64_t count, size_t each)
{
    void *made = NULL;
    assert_success(sino_allocate(count, each, "test", &made));
    return made;
}

static void set_count(const Shape *shape, void *counts, int64_t i, double value)
{
    if (shape->input == SINO_CORRECT_UINT8)
        ((uint8_t *)counts)[i] = (uint8_t)value;
    else if (shape->input == SINO_CORRECT_UINT16)
        ((uint16_t *)counts)[i] = (uint16_t)value;
    else
        ((float *)counts)[i] = (float)value;
}

/* Makes one of 400 values implausible: of a size that floats have, of either sign. */
static void spoil(int64_t count, uint32_t *seed, float *values)
{
    for (int64_t i = 0; i < count; i++) {
        const double choice = testing_uniform(seed), size = exp2(10 + 117 * testing_uniform(seed));
        if (choice < 1.0 / 400) values[i] = (float)(choice < 1.0 / 800 ? -size : size);
    }
}

/* Counts of light and shadow with noise; among them saturated ones, zeros, dead pixels, and a row without light. */
static Scan new_scan(const Shape *shape, int64_t rows)
{
    const int64_t pixels = rows * shape->columns, sets = shape->sets > 1 ? shape->sets : 1;
    const double full = shape->flat_field ? 240 : 1, bright = shape->flat_field ? SATURATION : 1.1;
    Scan scan = {.counts = new_array(shape->angles * pixels, sizeof(float)),
                 .flat = new_array(sets * pixels, sizeof(float)),
                 .dark = new_array(pixels, sizeof(float)),
                 .flat_at = new_array(shape->angles, sizeof(double)),
                 .place = new_array(shape->angles, sizeof(int64_t)),
                 .repaired = new_array(shape->slices, sizeof(int64_t)),
                 .tally = new_array(shape->angles + shape->columns, sizeof(int64_t))};
    uint32_t seed = (uint32_t)(shape->columns * 7 + shape->rows);
    for (int64_t i = 0; i < pixels; i++) scan.dark[i] = (float)(4 * testing_uniform(&seed));
    for (int64_t i = 0; i < sets * pixels; i++) {
        const bool dead = i < pixels ? testing_uniform(&seed) < 0.005 : scan.flat[i % pixels] <= 0;
        scan.flat[i] = dead || i % pixels / shape->columns == rows / 3 ? 0 : (float)(200 + 40 * testing_uniform(&seed));
    }
    for (int64_t i = 0; i < shape->angles * pixels; i++) {
        const double kind = testing_uniform(&seed), shade = 0.1 + 0.8 * testing_uniform(&seed);
        set_count(shape, scan.counts, i, kind < 0.003 ? 0 : kind < 0.006 ? bright : shade * full);
    }
    spoil(pixels, &seed, scan.dark);
    spoil(sets * pixels, &seed, scan.flat);
    if (shape->input == SINO_CORRECT_FLOAT32) spoil(shape->angles * pixels, &seed, scan.counts);
    for (int64_t k = 0; k < shape->angles; k++) {
        scan.flat_at[k] = (double)(sets - 1) * (double)k / (double)(shape->angles > 1 ? shape->angles - 1 : 1);
        scan.place[k] = shape->angles - 1 - k;
    }
    return scan;
}

static void free_scan(Scan *scan)
{
    free(scan->counts);
    free(scan->flat);
    free(scan->dark);
    free(scan->flat_at);
    free(scan->place);
    free(scan->repaired);
    free(scan->tally);
}

static SinoCorrection correction_of(const Shape *shape, const Scan *scan, int64_t image_row, int64_t rows)
{
    return (SinoCorrection){
        .input = shape->input,
        .slices = {shape->precision, sino_panel_stride(shape->precision, shape->slices), shape->slices},
        .angle_count = shape->angles,
        .column_count = shape->column_count,
        .row_count = rows,
        .first_row = shape->first_row - image_row,
        .binning = shape->binning,
        .flat_field = shape->flat_field,
        .minus_log = shape->minus_log,
        .marked = shape->marked,
        .saturation = shape->flat_field ? SATURATION : 0,
        .plausible = 1000,
        .flat_sets = shape->sets,
        .flat_at = shape->sets > 1 ? scan->flat_at : NULL,
        .place = shape->placed ? scan->place : NULL};
}

/* Corrects on the device; images_on_device.c compares. options: of phase retrieval; range 0: none. */
static void check(const Shape *shape, SinoPhaseOptions options)
{
    const SinoPhaseOptions *filter = options.range > 0 ? &options : NULL;
    SinoTilt tilt = {.angle_rad = shape->tilt_rad, .row_count = shape->rows, .column_count = shape->columns};
    options.column_count = shape->columns;
    options.first_column = shape->first_column;
    const int64_t halo = sino_tilt_halo(&tilt) + (filter ? sino_phase_halo(filter) : 0);
    const int64_t own = shape->slices * shape->binning;
    const int64_t begin = shape->first_row > halo ? shape->first_row - halo : 0;
    const int64_t end = shape->first_row + own + halo < shape->rows ? shape->first_row + own + halo : shape->rows;
    Scan scan = new_scan(shape, end - begin);
    const SinoCorrection correction = correction_of(shape, &scan, begin, end - begin);
    const float *flat = shape->flat_field ? scan.flat : NULL, *dark = shape->dark ? scan.dark : NULL;
    SinoPhase *phase = NULL;
    tilt.first_column = shape->first_column;
    tilt.image_row = begin;
    if (filter) assert_success(sino_phase_new(filter, &phase));
    const int64_t bytes =
        shape->tilt_rad != 0 ? sino_tilt_scratch_bytes(&tilt, filter, own) : sino_phase_scratch_bytes(filter, own);
    void *scratch = new_array(bytes, 1);
    void *sinogram = new_array(shape->angles * (shape->column_count / shape->binning) * correction.slices.stride,
                               sino_precision_bytes(shape->precision));
    if (shape->tilt_rad != 0)
        assert_success(tilt_correct_on_device(&tilt, phase, &correction, scan.counts, flat, dark, scratch, sinogram,
                                              scan.repaired, scan.tally));
    else
        assert_success(phase_correct_on_device(phase, &correction, begin, scan.counts, flat, dark, scratch, sinogram,
                                               scan.repaired, scan.tally));
    sino_phase_free(phase);
    free(scratch);
    free(sinogram);
    free_scan(&scan);
}

/* A detector, scan and part of any kind. */
static Shape draw(uint32_t *seed, int i, int64_t most_columns, int64_t most_rows)
{
    Shape shape = {.rows = 2 + (int64_t)((double)most_rows * testing_uniform(seed)),
                   .columns = 2 + (int64_t)((double)most_columns * testing_uniform(seed)),
                   .binning = 1 + (int64_t)(2 * testing_uniform(seed)),
                   .angles = 1 + (int64_t)(11 * testing_uniform(seed)),
                   .sets = 1 + (int64_t)(3 * testing_uniform(seed)),
                   .tilt_rad = (testing_uniform(seed) - 0.5) * (i % 3 ? 0.3 : 0.01),
                   .input = (SinoCorrectInput)(i % 3),
                   .precision = i % 4 == 3 ? SINO_DOUBLE : SINO_SINGLE,
                   .flat_field = i % 3 != 2 || i % 2,
                   .minus_log = testing_uniform(seed) < 0.7,
                   .marked = testing_uniform(seed) < 0.7,
                   .dark = testing_uniform(seed) < 0.7,
                   .placed = testing_uniform(seed) < 0.5};
    const int64_t most = shape.rows / shape.binning;
    shape.slices = 1 + (int64_t)((double)(most < 40 ? most : 40) * 0.999 * testing_uniform(seed));
    shape.first_row = (int64_t)((double)(shape.rows - shape.slices * shape.binning) * testing_uniform(seed));
    shape.first_column = (int64_t)((double)(shape.columns - shape.binning) * 0.3 * testing_uniform(seed));
    shape.column_count =
        shape.columns - shape.first_column - (int64_t)(0.3 * testing_uniform(seed) * (double)shape.columns);
    if (shape.column_count < shape.binning) shape.column_count = shape.binning;
    return shape;
}

static void upright_images(void **state)
{
    (void)state;
    uint32_t seed = 11;
    for (int i = 0; i < 60; i++) {
        const Shape shape = draw(&seed, i, 290, 60);
        check(&shape, (SinoPhaseOptions){.range = 0});
    }
}

/* Every other one of a tilted detector. */
static void filtered_images(void **state)
{
    (void)state;
    static const SinoPhaseFilter filter[] = {SINO_PHASE_PLAIN, SINO_PHASE_GENERALISED, SINO_PHASE_CTF};
    uint32_t seed = 12;
    for (int i = 0; i < 24; i++) {
        Shape shape = draw(&seed, i, 180, 40);
        const SinoPhaseOptions options = {.filter = filter[i / 2 % 3],
                                          .weak = testing_uniform(&seed) < 0.4,
                                          .range = 0.2 + 2 * testing_uniform(&seed),
                                          .delta_beta = 60};
        shape.angles = 1 + shape.angles / 3;
        if (i % 2) shape.tilt_rad = 0;
        check(&shape, options);
    }
}

/* A detector of one row or column, a single angle, and a tilt that leaves nothing of the outermost rows. */
static void edge_shapes(void **state)
{
    (void)state;
    static const Shape shapes[] = {
        {.rows = 1, .columns = 40, .slices = 1, .binning = 1, .column_count = 40, .angles = 1, .tilt_rad = 0.02},
        {.rows = 40, .columns = 1, .slices = 40, .binning = 1, .column_count = 1, .angles = 2, .tilt_rad = 0.17},
        {.rows = 6, .columns = 300, .slices = 6, .binning = 1, .column_count = 300, .angles = 3, .tilt_rad = -0.17},
        {.rows = 30,
         .columns = 257,
         .first_row = 29,
         .slices = 1,
         .binning = 1,
         .first_column = 256,
         .column_count = 1,
         .angles = 9,
         .tilt_rad = 1e-4}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int j = 0; j < 4; j++) {
            Shape shape = shapes[i];
            shape.input = j % 2 ? SINO_CORRECT_UINT16 : SINO_CORRECT_FLOAT32;
            shape.flat_field = shape.dark = j % 2;
            shape.minus_log = true;
            shape.marked = j < 2;
            check(&shape, (SinoPhaseOptions){.range = j / 2 ? 0.5 : 0});
            shape.tilt_rad = 0;
            check(&shape, (SinoPhaseOptions){.weak = j / 2, .range = 1});
        }
}

static void more_angles_than_are_made_at_a_time(void **state)
{
    (void)state;
    const Shape shape = {.rows = 64,
                         .columns = 512,
                         .first_row = 8,
                         .slices = 40,
                         .binning = 1,
                         .column_count = 512,
                         .angles = 80,
                         .sets = 3,
                         .tilt_rad = 0.02,
                         .input = SINO_CORRECT_UINT8,
                         .flat_field = true,
                         .minus_log = true,
                         .marked = true,
                         .dark = true,
                         .placed = true};
    check(&shape, (SinoPhaseOptions){.range = 0});
    check(&shape, (SinoPhaseOptions){.range = 0.3});
}

TESTING_SUBJECT(images)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(upright_images),
        cmocka_unit_test(filtered_images),
        cmocka_unit_test(edge_shapes),
        cmocka_unit_test(more_angles_than_are_made_at_a_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
