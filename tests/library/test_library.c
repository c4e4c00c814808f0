/* SPDX-License-Identifier: BSD-3-Clause */
/* Library: the shared object as a program sees it: products, layouts, threads, misuse, and what stays after use. */
#include "testing_library.h"

#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <sys/wait.h>

enum { ANGLES = 24, COLUMNS = 33, SLICES = 5, RAYS = ANGLES * COLUMNS, VOXELS = COLUMNS * COLUMNS };

static const char *const in_double[] = {"precision=double", NULL};

static const double *angles(void)
{
    static double angle_rad[ANGLES];
    for (int k = 0; k < ANGLES; k++) angle_rad[k] = 3.14159265358979323846 * k / ANGLES;
    return angle_rad;
}

static SinodagGeometry geometry(void)
{
    return (SinodagGeometry){.angles = ANGLES, .columns = COLUMNS, .angle_rad = angles(), .center = NAN};
}

static SinodagOperator *new_operator(const char *const *settings)
{
    const SinodagGeometry wanted = geometry();
    SinodagOperator *op = NULL;
    succeeds(sinodag_operator_new(&wanted, settings, &op));
    assert_non_null(op);
    return op;
}

static SinodagArray images(void *data, SinodagType type)
{
    return (SinodagArray){.data = data, .type = type, .size = {SLICES, COLUMNS, COLUMNS}};
}

static SinodagArray projections(void *data, SinodagType type)
{
    return (SinodagArray){.data = data, .type = type, .size = {SLICES, ANGLES, COLUMNS}};
}

static void directions_are_adjoint(void **state)
{
    (void)state;
    SinodagOperator *op = new_operator(in_double);
    double *x = numbers(SLICES * VOXELS, 1), *y = numbers(SLICES * RAYS, 2);
    double *of_x = numbers(SLICES * RAYS, 3), *of_y = numbers(SLICES * VOXELS, 4);
    const SinodagArray ax = images(x, SINODAG_FLOAT64), ay = projections(y, SINODAG_FLOAT64);
    const SinodagArray aof_x = projections(of_x, SINODAG_FLOAT64), aof_y = images(of_y, SINODAG_FLOAT64);
    succeeds(sinodag_project(op, &ax, &aof_x));
    succeeds(sinodag_backproject(op, &ay, &aof_y));
    for (int f = 0; f < SLICES; f++) {
        const double left = dot(RAYS, of_x + f * RAYS, y + f * RAYS);
        assert_true(fabs(left - dot(VOXELS, x + f * VOXELS, of_y + f * VOXELS)) < 1e-12 * left);
    }
    for (int f = 0; f < SLICES; f++) /* at 0° a ray sums a column of the image */
        for (int c = 0; c < COLUMNS; c++) {
            double sum = 0;
            for (int r = 0; r < COLUMNS; r++) sum += x[f * VOXELS + r * COLUMNS + c];
            assert_true(fabs(sum - of_x[f * RAYS + c]) < 1e-12 * sum);
        }
    free(x);
    free(y);
    free(of_x);
    free(of_y);
    succeeds(sinodag_operator_free(op));
}

/* The same bits, however arrays lie in memory, and whatever the partitions of work are. */
static void layouts_agree(void **state)
{
    (void)state;
    SinodagOperator *op = new_operator(NULL);
    double *x = numbers(SLICES * VOXELS, 1), *turned = numbers(SLICES * VOXELS, 2);
    float *y = calloc(SLICES * RAYS, sizeof *y), *last = calloc(SLICES * RAYS, sizeof *last);
    for (int i = 0; i < SLICES * VOXELS; i++) turned[SLICES * VOXELS - 1 - i] = x[i];
    SinodagArray of = images(x, SINODAG_FLOAT64), to = projections(y, SINODAG_FLOAT32);
    succeeds(sinodag_project(op, &of, &to));
    SinodagArray of_turned = images(turned + SLICES * VOXELS - 1, SINODAG_FLOAT64);
    memcpy(of_turned.stride, (int64_t[]){-VOXELS, -COLUMNS, -1}, sizeof of_turned.stride);
    SinodagArray to_last = projections(last, SINODAG_FLOAT32);
    memcpy(to_last.stride, (int64_t[]){1, SLICES * COLUMNS, SLICES}, sizeof to_last.stride);
    succeeds(sinodag_project(op, &of_turned, &to_last));
    for (int f = 0; f < SLICES; f++)
        for (int r = 0; r < RAYS; r++) assert_true(y[f * RAYS + r] == last[r * SLICES + f]);
    free(x);
    free(turned);
    free(y);
    free(last);
    succeeds(sinodag_operator_free(op));
}

/* Many slices go through several slots. */
static void many_slices(void **state)
{
    enum { MANY = 150 };
    (void)state;
    SinodagOperator *op = new_operator(NULL);
    float *x = calloc(MANY * VOXELS, sizeof *x), *y = calloc(MANY * RAYS, sizeof *y);
    for (int f = 0; f < MANY; f++) x[f * VOXELS + VOXELS / 2] = (float)f;
    SinodagArray of = images(x, SINODAG_FLOAT32), to = projections(y, SINODAG_FLOAT32);
    of.size[0] = to.size[0] = MANY;
    succeeds(sinodag_project(op, &of, &to));
    for (int f = 0; f < MANY; f++) assert_true(y[f * RAYS + COLUMNS / 2] == (float)f);
    free(x);
    free(y);
    succeeds(sinodag_operator_free(op));
}

/* Projections of a subset are those of its angles; backprojections of all subsets add up to that of all angles. */
static void check_subsets(const char *projector, const char *precision, int64_t count)
{
    const char *const settings[] = {precision, projector, "partitions=3", NULL};
    const double rounding = strstr(precision, "double") ? 1e-12 : 1e-5;
    SinodagGeometry wanted = geometry();
    SinodagOperator *whole = new_operator(settings), *op = NULL;
    SinodagAbout about;
    double *x = numbers(SLICES * VOXELS, 1), *y = numbers(SLICES * RAYS, 2);
    double *of_x = calloc(SLICES * RAYS, sizeof *of_x), *part = calloc(SLICES * RAYS, sizeof *part);
    double *of_y = calloc(SLICES * VOXELS, sizeof *of_y), *addend = calloc(SLICES * VOXELS, sizeof *addend);
    double *sum = calloc(SLICES * VOXELS, sizeof *sum);
    wanted.subsets = count;
    succeeds(sinodag_operator_new(&wanted, settings, &op));
    succeeds(sinodag_operator_about(op, &about));
    assert_int_equal(about.subsets, count);
    SinodagArray ax = images(x, SINODAG_FLOAT64), ay = projections(y, SINODAG_FLOAT64);
    SinodagArray of = projections(of_x, SINODAG_FLOAT64), back = images(of_y, SINODAG_FLOAT64);
    SinodagArray to = projections(part, SINODAG_FLOAT64), one = images(addend, SINODAG_FLOAT64);
    succeeds(sinodag_project(whole, &ax, &of));
    succeeds(sinodag_backproject(whole, &ay, &back));
    for (int64_t s = 0; s < count; s++) { /* views of the arrays of all angles */
        SinodagArray of_subset = to, from_subset = ay;
        of_subset.data = part + s * COLUMNS;
        from_subset.data = y + s * COLUMNS;
        of_subset.size[1] = from_subset.size[1] = (ANGLES - s + count - 1) / count;
        memcpy(of_subset.stride, (int64_t[]){RAYS, count * COLUMNS, 1}, sizeof of_subset.stride);
        memcpy(from_subset.stride, of_subset.stride, sizeof from_subset.stride);
        succeeds(sinodag_project_subset(op, s, &ax, &of_subset));
        succeeds(sinodag_backproject_subset(op, s, &from_subset, &one));
        for (int i = 0; i < SLICES * VOXELS; i++) sum[i] += addend[i];
    }
    for (int i = 0; i < SLICES * RAYS; i++) assert_true(fabs(part[i] - of_x[i]) <= rounding * COLUMNS);
    for (int i = 0; i < SLICES * VOXELS; i++) assert_true(fabs(sum[i] - of_y[i]) <= rounding * ANGLES);
    memset(of_x, 0, SLICES * RAYS * sizeof *of_x);
    succeeds(sinodag_project(op, &ax, &of));
    succeeds(sinodag_backproject(op, &ay, &one));
    assert_memory_equal(of_x, part, SLICES * RAYS * sizeof *part);
    for (int i = 0; i < SLICES * VOXELS; i++) assert_true(fabs(sum[i] - addend[i]) <= rounding * ANGLES);
    double *const all[] = {x, y, of_x, part, of_y, addend, sum};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
    succeeds(sinodag_operator_free(op));
    succeeds(sinodag_operator_free(whole));
}

static void subsets_make_the_whole(void **state)
{
    (void)state;
    check_subsets("projector=rays", "precision=double", 1);
    check_subsets("projector=rays", "precision=double", 5);
    check_subsets("projector=rays", "precision=single", ANGLES);
    check_subsets("projector=rotate", "precision=single", 5);
}

static void subsets_are_refused(void **state)
{
    (void)state;
    SinodagGeometry wanted = geometry();
    SinodagOperator *op = NULL;
    wanted.subsets = ANGLES + 1;
    refused(sinodag_operator_new(&wanted, NULL, &op), "subsets | 25 | 24 angles | 0 to 24");
    wanted.subsets = -1;
    refused(sinodag_operator_new(&wanted, NULL, &op), "subsets is -1");
    wanted.subsets = 5;
    succeeds(sinodag_operator_new(&wanted, NULL, &op));
    float *x = calloc(SLICES * VOXELS, sizeof *x), *y = calloc(SLICES * RAYS, sizeof *y);
    const SinodagArray of = images(x, SINODAG_FLOAT32);
    SinodagArray to = projections(y, SINODAG_FLOAT32);
    refused(sinodag_project_subset(op, 0, &of, &to), "(5, 24, 33); allowed: (S, 5, 33)");
    to.size[1] = 5;
    refused(sinodag_project_subset(op, 4, &of, &to), "(5, 5, 33); allowed: (S, 4, 33)");
    refused(sinodag_project_subset(op, 5, &of, &to), "subset | 5 | 0 to 4");
    refused(sinodag_project_subset(op, INT64_MAX, &of, &to), "subset | 9223372036854775807 | 0 to 4");
    refused(sinodag_backproject_subset(op, -1, &to, &of), "subset | -1 | 0 or more");
    succeeds(sinodag_backproject_subset(op, 3, &to, &of));
    free(x);
    free(y);
    succeeds(sinodag_operator_free(op));
    refused(sinodag_project_subset(op, 0, &of, &to), "was freed");
}

static void about_tells_sizes(void **state)
{
    (void)state;
    static const char *const larger[] = {"volume=40x40", "partitions=3", NULL};
    SinodagOperator *op = new_operator(larger);
    SinodagAbout about;
    succeeds(sinodag_operator_about(op, &about));
    assert_true(about.images[0] == 0 && about.images[1] == 40 && about.images[2] == 40 && about.partitions == 3);
    assert_true(about.projections[0] == 0 && about.projections[1] == ANGLES && about.projections[2] == COLUMNS);
    assert_true(about.voxels[0] == 1 && about.voxels[1] == 40 && about.voxels[2] == 40);
    assert_true(about.nonzeros > ANGLES * COLUMNS && about.bytes > 0);
    succeeds(sinodag_operator_free(op));
}

static void geometries_are_refused(void **state)
{
    (void)state;
    SinodagOperator *op = NULL;
    double unusual[ANGLES];
    memcpy(unusual, angles(), sizeof unusual);
    unusual[7] = NAN;
    const SinodagGeometry none = {.angles = ANGLES, .columns = COLUMNS}, usual = geometry();
    SinodagGeometry wrong = usual;
    refused(sinodag_operator_new(NULL, NULL, &op), "no angles");
    refused(sinodag_operator_new(&none, NULL, &op), "no angles");
    refused(sinodag_operator_new(&usual, NULL, NULL), "no place");
    wrong.angles = 0;
    refused(sinodag_operator_new(&wrong, NULL, &op), "angles | 0 | 1 to 1048576");
    wrong = usual;
    wrong.columns = INT64_MAX;
    refused(sinodag_operator_new(&wrong, NULL, &op), "columns is 9223372036854775807");
    wrong = usual;
    wrong.angle_rad = unusual;
    refused(sinodag_operator_new(&wrong, NULL, &op), "angle 7 is nan");
    wrong = usual;
    wrong.center = INFINITY;
    refused(sinodag_operator_new(&wrong, NULL, &op), "center is inf");
    assert_null(op);
}

static void settings_are_refused(void **state)
{
    (void)state;
    static const char *const wrong[][2] = {{"precision=triple", "--precision | 'triple'"},
                                           {"precision", "'precision' is no name=value"},
                                           {"--precision=double", "is no name=value"},
                                           {"", "is no name=value"},
                                           {"workers=1", "'workers=1' | geometry, precision,"},
                                           {"out=x", "'out=x' is no setting"},
                                           {"partitions=-1", "--partitions is '-1'"}};
    SinodagOperator *op = NULL;
    const SinodagGeometry usual = geometry();
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const char *const settings[] = {wrong[i][0], NULL};
        refused(sinodag_operator_new(&usual, settings, &op), wrong[i][1]);
    }
    const char *const twice[] = {"partitions=1", "partitions=2", NULL};
    refused(sinodag_operator_new(&usual, twice, &op), "given twice");
    assert_null(op);
}

static void arrays_are_refused(void **state)
{
    (void)state;
    SinodagOperator *op = new_operator(NULL);
    float *x = calloc(SLICES * VOXELS + 1, sizeof *x), *y = calloc(SLICES * RAYS, sizeof *y);
    const SinodagArray of = images(x, SINODAG_FLOAT32), to = projections(y, SINODAG_FLOAT32);
    SinodagArray wrong = of;
    refused(sinodag_project(op, NULL, &to), "the images have no data");
    refused(sinodag_project(op, &of, NULL), "the projections have no data");
    wrong.data = NULL;
    refused(sinodag_project(op, &wrong, &to), "the images have no data");
    wrong = of;
    wrong.type = SINODAG_UINT16;
    refused(sinodag_project(op, &wrong, &to), "allowed: SINODAG_FLOAT32");
    wrong.type = (SinodagType)99;
    refused(sinodag_project(op, &wrong, &to), "of type 99");
    refused(sinodag_project(op, &to, &of), "(5, 24, 33); allowed: (S, 33, 33)");
    wrong = of;
    wrong.size[0] = 4;
    refused(sinodag_project(op, &wrong, &to), "4 images and projections of 5 slices");
    wrong.size[0] = 0;
    refused(sinodag_project(op, &wrong, &to), "(0, 33, 33)");
    wrong = of;
    wrong.data = (char *)x + 1;
    refused(sinodag_project(op, &wrong, &to), "aligned");
    x[3 * VOXELS + 7] = NAN;
    refused(sinodag_project(op, &of, &to), "the images: among the slices 0 to 4 is a value that is NaN");
    x[3 * VOXELS + 7] = 0;
    succeeds(sinodag_project(op, &of, &to)); /* the failure is over */
    y[0] = INFINITY;
    refused(sinodag_backproject(op, &to, &of), "the projections: among");
    free(x);
    free(y);
    succeeds(sinodag_operator_free(op));
}

/* A message of a call is told in the caller's locale. */
static void tell_in_own_locale(void *of, const char *level, const char *event, const char *message)
{
    (void)level;
    (void)event;
    (void)message;
    ++*(int *)of;
    assert_ptr_equal(uselocale((locale_t)0), LC_GLOBAL_LOCALE);
}

/* Numbers of settings are told with decimal points. */
static void look_for_point(void *of, const SinodagSetting *setting)
{
    if (strcmp(setting->name, "max-repaired") == 0) *(bool *)of = strcmp(setting->usual, "0.2") == 0;
}

/* A locale with decimal commas, made here. False: this system cannot. */
static bool use_commas(void)
{
    const char *const make = "mkdir -p commas && localedef -c -i de_DE -f UTF-8 ./commas/de_DE.UTF-8 >commas/out 2>&1";
    if (system(make) != 0) return false; // NOLINT(cert-env33-c): locales are made by a program
    setenv("LOCPATH", "commas", 1);
    return setlocale(LC_ALL, "de_DE.UTF-8") && *localeconv()->decimal_point == ',';
}

/* Settings have decimal points whatever the locale of the program is, which a call does not change. */
static void commas_of_a_locale_change_nothing(void **state)
{
    (void)state;
    static int told; /* by the calls of later tests, too */
    static const char *const steps[] = {"algorithm=sirt", "relaxation=0.75", "iterations=2", NULL};
    static const char *const memory[] = {"memory=0.5GiB", NULL};
    float *x[2], *y = calloc(RAYS, sizeof *y);
    char *before = strdup(setlocale(LC_ALL, NULL));
    for (int i = 0; i < RAYS; i++) y[i] = (float)(i % 7) / 8;
    for (int commas = 0; commas < 2; commas++) {
        bool point = false;
        SinodagOperator *op = NULL;
        const SinodagGeometry wanted = geometry();
        x[commas] = calloc(VOXELS, sizeof **x);
        SinodagArray of = images(x[commas], SINODAG_FLOAT32), to = projections(y, SINODAG_FLOAT32);
        of.size[0] = to.size[0] = 1;
        if (commas && !use_commas()) print_message("no locale with decimal commas can be made here\n");
        succeeds(sinodag_start(NULL, tell_in_own_locale, &told));
        succeeds(sinodag_operator_new(&wanted, memory, &op));
        succeeds(sinodag_solve(op, &to, steps, &(SinodagSolution){.volume = of}));
        succeeds(sinodag_operator_free(op));
        succeeds(sinodag_stop());
        succeeds(sinodag_settings("recon", look_for_point, &point));
        assert_true(point);
        assert_ptr_equal(uselocale((locale_t)0), LC_GLOBAL_LOCALE);
    }
    setlocale(LC_ALL, before);
    free(before);
    assert_memory_equal(x[0], x[1], VOXELS * sizeof **x);
    assert_true(told > 0);
    free(x[0]);
    free(x[1]);
    free(y);
}

/* Strides that wrap lead nowhere, or where other elements are. That of a single slice has no meaning. */
static void strides_that_wrap_are_refused(void **state)
{
    (void)state;
    static const int64_t wrong[] = {INT64_MAX, INT64_MIN, INT64_MIN + 1, -((int64_t)1 << 50)};
    SinodagOperator *op = new_operator(NULL);
    float *x = calloc(SLICES * VOXELS, sizeof *x), *y = calloc(SLICES * RAYS, sizeof *y);
    const SinodagArray of = images(x, SINODAG_FLOAT32), to = projections(y, SINODAG_FLOAT32);
    for (int i = 0; i < 12; i++)
        for (int d = 0; d < 3; d++) {
            const int64_t stride = i < 4 ? wrong[i] : (int64_t)1 << (51 + i);
            SinodagArray far = of, there = to;
            memcpy(far.stride, (int64_t[]){VOXELS, COLUMNS, 1}, sizeof far.stride);
            memcpy(there.stride, (int64_t[]){RAYS, COLUMNS, 1}, sizeof there.stride);
            far.stride[d] = there.stride[d] = stride;
            refused(sinodag_project(op, &far, &to), "lead out of memory");
            refused(sinodag_project(op, &of, &there), "lead out of memory");
            refused(sinodag_backproject(op, &there, &of), "lead out of memory");
            refused(sinodag_solve(op, &to, NULL, &(SinodagSolution){.volume = far}), "lead out of memory");
            if (d > 0) continue;
            far.size[0] = there.size[0] = 1;
            succeeds(sinodag_project(op, &far, &there));
        }
    free(x);
    free(y);
    succeeds(sinodag_operator_free(op));
}

/* Arrays that share memory: slices would be written while others are still to be read. */
static void overlaps_are_refused(void **state)
{
    (void)state;
    enum { ALL = SLICES * (VOXELS + RAYS) };
    SinodagOperator *op = new_operator(NULL);
    float *memory = calloc(ALL, sizeof *memory);
    const SinodagArray of = images(memory, SINODAG_FLOAT32),
                       next = projections(memory + SLICES * VOXELS, SINODAG_FLOAT32);
    SinodagArray to = next;
    succeeds(sinodag_project(op, &of, &to));
    to.data = memory + SLICES * VOXELS - 1;
    refused(sinodag_project(op, &of, &to), "overlap in memory");
    refused(sinodag_backproject(op, &to, &of), "overlap in memory");
    refused(sinodag_solve(op, &to, NULL, &(SinodagSolution){.volume = of}), "overlap in memory");
    to.data = memory;
    refused(sinodag_project(op, &of, &to), "overlap in memory");
    to.data = memory + ALL - 1; /* its elements lie before */
    memcpy(to.stride, (int64_t[]){-RAYS, -COLUMNS, -1}, sizeof to.stride);
    succeeds(sinodag_project(op, &of, &to));
    to.stride[0] = -RAYS - 1;
    refused(sinodag_project(op, &of, &to), "overlap in memory");
    to.stride[0] = INT64_MIN;
    refused(sinodag_project(op, &of, &to), "lead out of memory");
    static const char *const steps[] = {"algorithm=sirt", "iterations=1", NULL};
    SinodagArray start = of;
    succeeds(sinodag_solve(op, &next, steps, &(SinodagSolution){.volume = of, .start = &start}));
    start.size[0] = 1; /* the image of all slices is that of the first one */
    refused(sinodag_solve(op, &next, steps, &(SinodagSolution){.volume = of, .start = &start}),
            "the images of start and the volume overlap in memory");
    free(memory);
    succeeds(sinodag_operator_free(op));
}

/* Values that no enumeration has, and null pointers, of every function. */
static void nonsense_is_refused(void **state)
{
    (void)state;
    SinodagOperator *op = new_operator(NULL), *none = NULL;
    float *x = calloc(SLICES * VOXELS, sizeof *x), *y = calloc(SLICES * RAYS, sizeof *y);
    const SinodagArray of = images(x, SINODAG_FLOAT32), to = projections(y, SINODAG_FLOAT32);
    static const int devices[] = {-1, 2, 7, INT32_MAX};
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
        SinodagArray wrong = of;
        wrong.device = (SinodagDevice)devices[i];
        refused(sinodag_project(op, &wrong, &to), "the images");
        refused(sinodag_solve(op, &to, NULL, &(SinodagSolution){.volume = wrong}), "");
        wrong = to;
        wrong.device = (SinodagDevice)devices[i];
        refused(sinodag_project(op, &of, &wrong), "the projections");
        refused(sinodag_recon(&(SinodagScan){.projections = wrong}, NULL, &(SinodagOutput){0}), "");
    }
    SinodagArray huge = of;
    huge.size[0] = INT64_MAX;
    refused(sinodag_project(op, &huge, &to), "slices");
    huge.size[0] = INT64_MIN;
    refused(sinodag_project(op, &huge, &to), "allowed: (S, 33, 33)");
    refused(sinodag_operator_new(NULL, NULL, &none), "");
    refused(sinodag_operator_new(&(SinodagGeometry){0}, NULL, &none), "");
    refused(sinodag_solve(op, &to, NULL, NULL), "");
    refused(sinodag_solve(op, NULL, NULL, &(SinodagSolution){.volume = of}), "");
    refused(sinodag_recon(NULL, NULL, NULL), "");
    refused(sinodag_settings(NULL, NULL, NULL), "");
    assert_null(none);
    succeeds(sinodag_operator_about(op, NULL));
    succeeds(sinodag_project(op, &of, &to));
    free(x);
    free(y);
    succeeds(sinodag_operator_free(op));
}

static void freed_operators_are_refused(void **state)
{
    (void)state;
    float x[1] = {0};
    const SinodagArray of = images(x, SINODAG_FLOAT32), to = projections(x, SINODAG_FLOAT32);
    SinodagAbout about;
    SinodagOperator *op = new_operator(NULL);
    succeeds(sinodag_operator_free(op));
    refused(sinodag_operator_free(op), "was freed");
    SinodagOperator *later = new_operator(in_double); /* where the memory of the freed one was */
    refused(sinodag_project(op, &of, &to), "was freed");
    succeeds(sinodag_operator_free(later));
    refused(sinodag_backproject(NULL, &to, &of), "does not exist");
    refused(sinodag_operator_about(op, &about), "was freed");
    succeeds(sinodag_operator_free(NULL));
}

static void use_once(void)
{
    SinodagOperator *op = new_operator(NULL);
    float *x = calloc(SLICES * VOXELS, sizeof *x), *y = calloc(SLICES * RAYS, sizeof *y);
    const SinodagArray of = images(x, SINODAG_FLOAT32), to = projections(y, SINODAG_FLOAT32);
    succeeds(sinodag_project(op, &of, &to));
    succeeds(sinodag_backproject(op, &to, &of));
    free(x);
    free(y);
    succeeds(sinodag_operator_free(op));
}

/* The volume of a reconstruction, and what its functions do. */
typedef struct Volume {
    float *value;
    int64_t size[3];
    bool refuses, cancels, calls;
    double done;
} Volume;

static float *allocate(void *of, int64_t slices, int64_t rows, int64_t columns)
{
    Volume *volume = of;
    volume->size[0] = slices;
    volume->size[1] = rows;
    volume->size[2] = columns;
    volume->value = volume->refuses ? NULL : calloc((size_t)(slices * rows * columns), sizeof *volume->value);
    if (volume->calls) refused(sinodag_stop(), "a function that sinodag calls");
    return volume->value;
}

static int progress(void *of, double done, const char *text)
{
    Volume *volume = of;
    assert_true(*text && done >= 0 && done <= 1.001);
    volume->done = done;
    return volume->cancels;
}

/* Line integrals of a disk of value 0.02 in the middle, as float32 or, turned in memory, as float64. */
static SinodagArray disk(SinodagType type)
{
    const int64_t count = ANGLES * SLICES * COLUMNS;
    SinodagArray array = {.type = type, .size = {ANGLES, SLICES, COLUMNS}};
    double *wide = calloc((size_t)count, sizeof *wide);
    float *narrow = (float *)(void *)wide;
    assert_non_null(wide);
    for (int64_t i = 0; i < count; i++) {
        const double s = (double)(i % COLUMNS) - (COLUMNS - 1) / 2.0, half = 100 - s * s;
        const float value = half > 0 ? (float)(0.04 * sqrt(half)) : 0;
        if (type == SINODAG_FLOAT64)
            wide[count - 1 - i] = (double)value;
        else
            narrow[i] = value;
    }
    array.data = wide;
    if (type == SINODAG_FLOAT64) {
        array.data = wide + count - 1;
        memcpy(array.stride, (int64_t[]){-SLICES * COLUMNS, -COLUMNS, -1}, sizeof array.stride);
    }
    return array;
}

static const char *const by_cg[] = {"data=line-integrals", "algorithm=cg", "iterations=8", "rotation-axis=16", NULL};

static void volumes_are_reconstructed(void **state)
{
    (void)state;
    Volume volume = {.calls = true}, other = {0};
    const SinodagScan scan = {.projections = disk(SINODAG_FLOAT32), .angle_rad = angles()};
    const SinodagScan turned = {.projections = disk(SINODAG_FLOAT64), .angle_rad = angles()};
    succeeds(sinodag_recon(&scan, by_cg, &(SinodagOutput){allocate, progress, &volume}));
    assert_true(volume.size[0] == SLICES && volume.size[1] == COLUMNS && volume.size[2] == COLUMNS);
    double mean = 0;
    for (int i = 0; i < 49; i++) mean += (double)volume.value[2 * VOXELS + (13 + i / 7) * COLUMNS + 13 + i % 7] / 49;
    assert_true(volume.done == 1 && fabs(mean - 0.02) < 0.001);
    succeeds(sinodag_recon(&turned, by_cg, &(SinodagOutput){allocate, NULL, &other}));
    assert_memory_equal(volume.value, other.value, SLICES * VOXELS * sizeof *volume.value);
    free(volume.value);
    free(other.value);
    free(scan.projections.data);
    free((double *)turned.projections.data - (ANGLES * SLICES * COLUMNS - 1));
}

static SinodagOperator *new_divided(int64_t subsets)
{
    static const char *const settings[] = {"symmetry=no", "partitions=2", NULL};
    SinodagGeometry wanted = geometry();
    SinodagOperator *op = NULL;
    wanted.subsets = subsets;
    succeeds(sinodag_operator_new(&wanted, settings, &op));
    return op;
}

/* The projections of a scan as those of slices, which are the same numbers. */
static SinodagArray as_slices(SinodagArray scan)
{
    scan.size[0] = SLICES;
    scan.size[1] = ANGLES;
    memcpy(scan.stride, (int64_t[]){COLUMNS, SLICES * COLUMNS, 1}, sizeof scan.stride);
    return scan;
}

/* Solutions have the bits of a reconstruction with the same settings. */
static void solutions_are_reconstructions(void **state)
{
    (void)state;
    static const struct {
        int64_t subsets, iterations;
        const char *settings[5];
    } by[] = {{1, 8, {"algorithm=cg", "iterations=8"}},
              {1, 5, {"algorithm=sirt", "iterations=5", "relaxation=1.5", "maximum=0.015"}},
              {1, 4, {"algorithm=cg", "iterations=4", "weights=counts"}},
              {1, 5, {"algorithm=sirt", "iterations=5", "weights=counts"}},
              {4, 3, {"algorithm=fista", "iterations=3", "regularization=0.001", "weights=counts"}},
              {1, 4, {"algorithm=mlem", "iterations=4"}},
              {4, 3, {"algorithm=osem", "iterations=3"}},
              {4, 3, {"algorithm=fista", "iterations=3", "regularization=0.001"}},
              {1, 0, {"algorithm=fbp", "fbp-filter=hann", "padding-type=zeros"}}};
    const SinodagScan scan = {.projections = disk(SINODAG_FLOAT32), .angle_rad = angles()};
    const SinodagArray data = as_slices(scan.projections);
    for (size_t i = 0; i < sizeof by / sizeof *by; i++) {
        const char *of_recon[20] = {
            "data=line-integrals",        "rotation-axis=16",         "symmetry=no", "partitions=2", "projector=rays",
            "zinger-removal-method=none", "remove-stripe-method=none"};
        int count = 7;
        for (const char *const *given = by[i].settings; *given; given++) of_recon[count++] = *given;
        if (by[i].iterations > 0) of_recon[count++] = "margin=0";
        if (by[i].subsets > 1) of_recon[count++] = "subsets=4";
        Volume volume = {0};
        double residual[SLICES][9];
        float *found = calloc(SLICES * VOXELS, sizeof *found);
        SinodagOperator *op = new_divided(by[i].subsets);
        const SinodagSolution solution = {.volume = images(found, SINODAG_FLOAT32),
                                          .residual = residual[0],
                                          .columns = by[i].iterations + 1,
                                          .progress = by[i].iterations > 0 ? progress : NULL,
                                          .of = &volume};
        succeeds(sinodag_solve(op, &data, by[i].settings, &solution));
        assert_true(by[i].iterations == 0 || fabs(volume.done - 1) < 1e-9);
        for (int64_t k = 1; k <= by[i].iterations; k++) assert_true(residual[0][k] < residual[0][k - 1]);
        succeeds(sinodag_recon(&scan, of_recon, &(SinodagOutput){allocate, NULL, &volume}));
        assert_memory_equal(volume.value, found, SLICES * VOXELS * sizeof *found);
        free(volume.value);
        free(found);
        succeeds(sinodag_operator_free(op));
    }
    free(scan.projections.data);
}

/* Weights in an array are those of a file; what is 0 in them need have no line integral. */
static void arrays_of_weights(void **state)
{
    (void)state;
    static const char *const settings[] = {"data=line-integrals", "rotation-axis=16", "algorithm=cg", "iterations=4",
                                           NULL};
    static const char *const twice[] = {"data=line-integrals", "algorithm=cg", "weights=none", NULL};
    static const char *const named[] = {"data=line-integrals", "algorithm=cg", "weights=w.npy", NULL};
    static const char *const other[] = {"data=line-integrals", "algorithm=fbp", NULL};
    SinodagScan scan = {.projections = disk(SINODAG_FLOAT32), .angle_rad = angles()};
    float ones[COLUMNS], some[COLUMNS];
    Volume plain = {0}, weighted = {0}, without = {0};
    for (int c = 0; c < COLUMNS; c++) ones[c] = 3;
    for (int c = 0; c < COLUMNS; c++) some[c] = c == 9 ? 0 : 1;
    const SinodagOutput to[] = {{allocate, NULL, &plain}, {allocate, NULL, &weighted}, {allocate, NULL, &without}};
    succeeds(sinodag_recon(&scan, settings, &to[0]));
    scan.weights = (SinodagArray){.data = ones, .type = SINODAG_FLOAT32, .size = {1, 1, COLUMNS}};
    succeeds(sinodag_recon(&scan, settings, &to[1]));
    double off = 0, size = 0;
    for (int64_t i = 0; i < SLICES * VOXELS; i++) {
        off += pow((double)plain.value[i] - (double)weighted.value[i], 2);
        size += pow((double)plain.value[i], 2);
    }
    assert_true(off <= 1e-10 * size);
    refused(sinodag_recon(&scan, twice, &to[2]), "the setting weights is 'none', and there is an array of weights");
    refused(sinodag_recon(&scan, other, &to[2]), "--weights contradicts --algorithm fbp");
    scan.weights.size[2] = COLUMNS - 1;
    refused(sinodag_recon(&scan, settings, &to[2]), "the weights: 24 projections of ");
    scan.weights.size[2] = COLUMNS;
    ones[3] = -1;
    refused(sinodag_recon(&scan, settings, &to[2]), "the weights: the weight of column 3 of row ");
    scan.weights.data = some;
    succeeds(sinodag_recon(&scan, settings, &to[2]));
    assert_memory_not_equal(without.value, plain.value, SLICES * VOXELS * sizeof(float));
    scan.weights.data = NULL;
    refused(sinodag_recon(&scan, named, &to[2]), "'w.npy' | auto | none");
    free(plain.value);
    free(weighted.value);
    free(without.value);
    free(scan.projections.data);
}

/* A solution that goes on from another one is that of all iterations: of SIRT and MLEM, which keep nothing but x. */
static void solutions_go_on(void **state)
{
    (void)state;
    static const char *const by[][3][3] = {
        {{"algorithm=sirt", "iterations=3"}, {"algorithm=sirt", "iterations=4"}, {"algorithm=sirt", "iterations=7"}},
        {{"algorithm=mlem", "iterations=3"}, {"algorithm=mlem", "iterations=4"}, {"algorithm=mlem", "iterations=7"}}};
    SinodagOperator *op = new_operator(NULL);
    double *x = numbers(SLICES * VOXELS, 21), *half = numbers(SLICES * VOXELS, 22), *all = numbers(SLICES * VOXELS, 23);
    float *y = calloc(SLICES * RAYS, sizeof *y), *found = calloc(SLICES * VOXELS, sizeof *found);
    const SinodagArray of = images(x, SINODAG_FLOAT64), data = projections(y, SINODAG_FLOAT32);
    SinodagArray start = images(half, SINODAG_FLOAT64);
    SinodagSolution to = {.volume = images(found, SINODAG_FLOAT32), .start = &start};
    const SinodagSolution first = {.volume = start}, whole = {.volume = images(all, SINODAG_FLOAT64)};
    succeeds(sinodag_project(op, &of, &data));
    for (int i = 0; i < 2; i++) {
        succeeds(sinodag_solve(op, &data, by[i][0], &first));
        succeeds(sinodag_solve(op, &data, by[i][1], &to));
        succeeds(sinodag_solve(op, &data, by[i][2], &whole));
        for (int v = 0; v < SLICES * VOXELS; v++) assert_true(fabs((double)found[v] - all[v]) < 1e-5);
    }
    start.size[0] = 2;
    refused(sinodag_solve(op, &data, NULL, &to), "start | 2 | 5 slices | 1");
    start.size[0] = 1; /* of all slices: no residual of the first one is left */
    for (int v = 0; v < VOXELS; v++) half[v] = x[v];
    succeeds(sinodag_solve(op, &data, by[0][0], &to));
    for (int v = 0; v < VOXELS; v++) assert_true(fabs((double)found[v] - x[v]) < 1e-4);
    half[7] = INFINITY;
    refused(sinodag_solve(op, &data, NULL, &to), "start has a value that is NaN or infinite");
    to.start = NULL;
    to.additive = &start;
    refused(sinodag_solve(op, &data, NULL, &to), "--additive contradicts --geometry parallel");
    double *const doubles[] = {x, half, all};
    for (int i = 0; i < 3; i++) free(doubles[i]);
    free(y);
    free(found);
    succeeds(sinodag_operator_free(op));
}

/* More slices than slots have room for, which stop by themselves; each is that of its own. */
static void solutions_of_many_slices(void **state)
{
    enum { MANY = 70, COLUMNS_OF_RESIDUALS = 41 };
    (void)state;
    static const char *const settings[] = {"iterations=40", "tolerance=0.2", NULL};
    static const char *const small[] = {"minibatch=3", "precision=double", NULL};
    SinodagOperator *op = new_operator(small);
    double *x = calloc(MANY * VOXELS, sizeof *x), *y = calloc(MANY * RAYS, sizeof *y);
    double *found = calloc(MANY * VOXELS, sizeof *found), *one = calloc(VOXELS, sizeof *one);
    double *residual = calloc(MANY * COLUMNS_OF_RESIDUALS, sizeof *residual);
    for (int f = 0; f < MANY; f++) x[f * VOXELS + 5 * COLUMNS + f % 30] = 1 + f;
    SinodagArray of = images(x, SINODAG_FLOAT64), to = projections(y, SINODAG_FLOAT64);
    of.size[0] = to.size[0] = MANY;
    succeeds(sinodag_project(op, &of, &to));
    SinodagSolution solution = {
        .volume = images(found, SINODAG_FLOAT64), .residual = residual, .columns = COLUMNS_OF_RESIDUALS};
    solution.volume.size[0] = MANY;
    succeeds(sinodag_solve(op, &to, settings, &solution));
    for (int f = 0; f < MANY; f++) {
        const double *of_slice = residual + f * COLUMNS_OF_RESIDUALS;
        int last = 0;
        while (last < COLUMNS_OF_RESIDUALS - 1 && !isnan(of_slice[last + 1])) last++;
        assert_true(last > 1 && last < COLUMNS_OF_RESIDUALS - 1);
        assert_true(of_slice[last] <= 0.04 * of_slice[0] && of_slice[last - 1] > 0.04 * of_slice[0]);
    }
    solution = (SinodagSolution){.volume = images(one, SINODAG_FLOAT64)};
    solution.volume.size[0] = to.size[0] = 1;
    to.data = y + 66 * RAYS;
    succeeds(sinodag_solve(op, &to, settings, &solution));
    for (int i = 0; i < VOXELS; i++) assert_true(fabs(one[i] - found[66 * VOXELS + i]) < 1e-9);
    double *const all[] = {x, y, found, one, residual};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
    succeeds(sinodag_operator_free(op));
}

static void solutions_are_refused(void **state)
{
    (void)state;
    static const char *const wrong[][3] = {{"iterations=auto", NULL, "--iterations | auto | a number"},
                                           {"algorithm=fista", NULL, "--regularization | auto | a number"},
                                           {"algorithm=fdk", NULL, "--algorithm fdk contradicts --geometry parallel"},
                                           {"algorithm=magic", NULL, "--algorithm is 'magic'"},
                                           {"relaxation=1.5", NULL, "--relaxation"},
                                           {"precision=double", NULL, "'precision=double' | algorithm,"},
                                           {"iterations=0", NULL, "--iterations is '0'"}};
    SinodagOperator *op = new_divided(1), *divided = new_divided(4);
    Volume volume = {.cancels = true};
    double residual[SLICES][9];
    float *x = calloc(SLICES * VOXELS, sizeof *x);
    const SinodagArray scan = disk(SINODAG_FLOAT32), data = as_slices(scan);
    SinodagSolution to = {.volume = images(x, SINODAG_FLOAT32)};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        refused(sinodag_solve(op, &data, wrong[i], &to), wrong[i][2]);
    refused(sinodag_solve(divided, &data, NULL, &to), "--algorithm is cg, and the operator has 4 subsets");
    refused(sinodag_solve(op, NULL, NULL, &to), "the projections have no data");
    refused(sinodag_solve(op, &data, NULL, NULL), "no place for the solution");
    refused(sinodag_solve(op, &scan, NULL, &to), "(24, 5, 33); allowed: (S, 24, 33)");
    to.residual = residual[0];
    refused(sinodag_solve(op, &data, NULL, &to), "there | 0 residuals of a slice | 31");
    to = (SinodagSolution){.volume = to.volume, .progress = progress, .of = &volume};
    SinodagStatus status = sinodag_solve(op, &data, NULL, &to);
    assert_string_equal(sinodag_status_text(status), "cancelled by the caller");
    sinodag_status_free(status);
    to.progress = NULL;
    float *first = scan.data, usual = *first;
    *first = NAN;
    refused(sinodag_solve(op, &data, NULL, &to), "the projections: among");
    *first = usual;
    succeeds(sinodag_solve(op, &data, NULL, &to)); /* failures are over */
    succeeds(sinodag_operator_free(op));
    refused(sinodag_solve(op, &data, NULL, &to), "was freed");
    succeeds(sinodag_operator_free(divided));
    free(x);
    free(scan.data);
}

static void reconstructions_are_refused(void **state)
{
    (void)state;
    static const char *const wrong[][3] = {{"overwrite=yes", "is no setting of a reconstruction in memory"},
                                           {"algorithm=magic", "--algorithm is 'magic'"},
                                           {"geometry=matrix", "--geometry is matrix without --system-matrix"}};
    Volume volume = {.refuses = true};
    const SinodagOutput output = {allocate, progress, &volume};
    const SinodagScan scan = {.projections = disk(SINODAG_FLOAT32), .angle_rad = angles()};
    SinodagScan bad = {0};
    refused(sinodag_recon(NULL, NULL, &output), "there is no scan");
    refused(sinodag_recon(&bad, NULL, &output), "the projections have no data");
    refused(sinodag_recon(&scan, NULL, NULL), "no function that makes the volume");
    refused(sinodag_recon(&scan, NULL, &output), "'projections' has no flat fields");
    bad = scan;
    bad.flats = scan.projections;
    bad.flats.size[2]--;
    refused(sinodag_recon(&bad, NULL, &output), "5 rows | 32 columns | 5 and 33");
    bad = scan;
    bad.projections.type = (SinodagType)-1;
    refused(sinodag_recon(&bad, by_cg, &output), "of type -1");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        refused(sinodag_recon(&scan, (const char *const[]){wrong[i][0], NULL}, &output), wrong[i][1]);
    refused(sinodag_recon(&scan, (const char *const[]){"geometry=cone", "data=line-integrals", NULL}, &output),
            "needs | lengths | --source-object-distance");
    SinodagStatus status = sinodag_recon(&scan, by_cg, &output);
    assert_int_equal(sinodag_status_code(status), SINODAG_FAILED);
    assert_string_equal(sinodag_status_text(status), "there is no memory for a volume of 5 x 33 x 33 voxels");
    sinodag_status_free(status);
    volume = (Volume){.cancels = true};
    status = sinodag_recon(&scan, by_cg, &output);
    assert_int_equal(sinodag_status_code(status), SINODAG_FAILED);
    assert_string_equal(sinodag_status_text(status), "cancelled by the caller");
    sinodag_status_free(status);
    free(volume.value);
    free(scan.projections.data);
    use_once();
}

typedef struct Told {
    int count;
    bool has_precision, has_out;
} Told;

static void look_at_setting(void *of, const SinodagSetting *setting)
{
    Told *seen = of;
    seen->count++;
    seen->has_out |= strcmp(setting->name, "out") == 0;
    assert_true(setting->name && *setting->group && *setting->type && *setting->allowed && *setting->help);
    if (strcmp(setting->name, "precision") != 0) return;
    seen->has_precision = true;
    assert_string_equal(setting->type, "choice");
    assert_string_equal(setting->words, "single, double, half or mixed");
    assert_string_equal(setting->usual, "single");
}

static void settings_are_told(void **state)
{
    (void)state;
    Told of_start = {0}, of_operator = {0}, of_solve = {0}, of_recon = {0};
    succeeds(sinodag_settings("start", look_at_setting, &of_start));
    succeeds(sinodag_settings("operator", look_at_setting, &of_operator));
    succeeds(sinodag_settings("solve", look_at_setting, &of_solve));
    succeeds(sinodag_settings("recon", look_at_setting, &of_recon));
    assert_true(of_solve.count == 14 && !of_solve.has_precision);
    assert_true(of_start.count == 7 && of_operator.count >= 9 && of_recon.count > 60);
    assert_true(!of_start.has_precision && of_operator.has_precision && of_recon.has_precision && !of_recon.has_out);
    refused(sinodag_settings("cook", look_at_setting, NULL), "'cook' | start, operator, solve, recon");
    refused(sinodag_settings(NULL, look_at_setting, NULL), "'' has no settings");
    refused(sinodag_settings("recon", NULL, NULL), "no function that is shown settings");
}

static int told;
static SinodagStatus from_inside;

static void tell(void *of, const char *level, const char *event, const char *message)
{
    assert_ptr_equal(of, &told);
    assert_true(*level && *event && *message);
    if (!told++) from_inside = sinodag_start(NULL, NULL, NULL);
}

/* Starts count; messages go to the caller; a call from there is refused; a forked process is told so. */
static void starts_count(void **state)
{
    (void)state;
    static const char *const one[] = {"workers=1", NULL};
    const SinodagGeometry usual = geometry();
    SinodagOperator *op = NULL;
    succeeds(sinodag_start(NULL, tell, &told));
    refused(sinodag_start(one, NULL, NULL), "'workers=1' …");
    op = new_operator(NULL);
    assert_true(told > 0);
    refused(from_inside, "a function that sinodag calls");
    succeeds(sinodag_stop());
    const pid_t child = fork();
    if (child == 0) {
        SinodagStatus status = sinodag_operator_free(op);
        _exit(sinodag_status_code(status) == SINODAG_BAD_INPUT && strstr(sinodag_status_text(status), "forked") ? 0
                                                                                                                : 1);
    }
    int code = -1;
    assert_true(waitpid(child, &code, 0) == child && code == 0);
    succeeds(sinodag_stop()); /* the one of the group */
    refused(sinodag_stop(), "sinodag_stop without sinodag_start");
    refused(sinodag_operator_new(&usual, NULL, &op), "has not started");
    succeeds(sinodag_operator_free(op));
    refused(sinodag_start((const char *const[]){"workers=none", NULL}, NULL, NULL), "--workers is 'none'");
    succeeds(sinodag_start(one, NULL, NULL));
}

static void memory_does_not_grow(void **state)
{
    (void)state;
    check_growth(use_once, 100);
}

static void *in_thread(void *argument)
{
    for (int i = 0; i < 5; i++) use_once();
    return argument;
}

static void threads_take_turns(void **state)
{
    (void)state;
    pthread_t thread[3];
    for (int i = 0; i < 3; i++) assert_int_equal(pthread_create(&thread[i], NULL, in_thread, NULL), 0);
    for (int i = 0; i < 3; i++) assert_int_equal(pthread_join(thread[i], NULL), 0);
}

TESTING_SUBJECT(library)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(directions_are_adjoint),
                                       cmocka_unit_test(layouts_agree),
                                       cmocka_unit_test(many_slices),
                                       cmocka_unit_test(subsets_make_the_whole),
                                       cmocka_unit_test(subsets_are_refused),
                                       cmocka_unit_test(about_tells_sizes),
                                       cmocka_unit_test(geometries_are_refused),
                                       cmocka_unit_test(settings_are_refused),
                                       cmocka_unit_test(arrays_are_refused),
                                       cmocka_unit_test(commas_of_a_locale_change_nothing),
                                       cmocka_unit_test(strides_that_wrap_are_refused),
                                       cmocka_unit_test(overlaps_are_refused),
                                       cmocka_unit_test(nonsense_is_refused),
                                       cmocka_unit_test(freed_operators_are_refused),
                                       cmocka_unit_test(memory_does_not_grow),
                                       cmocka_unit_test(threads_take_turns),
                                       cmocka_unit_test(volumes_are_reconstructed),
                                       cmocka_unit_test(reconstructions_are_refused),
                                       cmocka_unit_test(solutions_are_reconstructions),
                                       cmocka_unit_test(solutions_of_many_slices),
                                       cmocka_unit_test(arrays_of_weights),
                                       cmocka_unit_test(solutions_go_on),
                                       cmocka_unit_test(solutions_are_refused),
                                       cmocka_unit_test(settings_are_told),
                                       cmocka_unit_test(starts_count)};
    return cmocka_run_group_tests(tests, start, stop);
}
