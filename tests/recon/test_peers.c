/* SPDX-License-Identifier: BSD-3-Clause */
/* Peers: TomoPy's own test arrays (docs/lab/accuracy.md). TomoPy stores [slice][row][column] as sinodag does.
 * Center 24.0 of TomoPy's iterative codes is sinodag's 23.5. */
#include "memory.h"
#include "testing.h"
#include "testing_hdf5.h"
#include "testing_recon.h"

#include "stages.h"

#include <math.h>

enum { ANGLES = 16, SLICES = 8, SIZE = 48, VOXELS = SIZE * SIZE, RAYS = ANGLES * SIZE, ITERATIONS = 4 };

static const double center = 23.5;

/* The values of TomoPy's NAME.npy, of this count; the array's type must be `type`. Caller frees. */
static void *read_array(const char *name, const char *type, int64_t count, size_t element_bytes)
{
    char path[TESTING_PATH], file_name[128], header[4096] = {0}, wanted[32];
    uint8_t start[10];
    snprintf(file_name, sizeof file_name, "tomopy-expected/%s.npy", name);
    snprintf(wanted, sizeof wanted, "'descr': '%s'", type);
    FILE *file = fopen(testing_data(path, file_name), "rb");
    assert_non_null(file);
    assert_int_equal(fread(start, 1, sizeof start, file), sizeof start);
    assert_memory_equal(start, "\x93NUMPY\x01", 7); /* version 1: two bytes of header length */
    const size_t length = start[8] + 256u * start[9];
    assert_true(length < sizeof header && fread(header, 1, length, file) == length);
    if (!strstr(header, wanted) || !strstr(header, "'fortran_order': False"))
        fail_msg("%s: expected %s, found %s", path, wanted, header);
    char *values = malloc((size_t)count * element_bytes + 1);
    assert_non_null(values);
    assert_int_equal(fread(values, 1, (size_t)count * element_bytes + 1, file), (size_t)count * element_bytes);
    assert_int_equal(fclose(file), 0);
    return values;
}

/* The projections as raw sinograms [slice][angle][column], and their angles as float32. */
static void write_scan(const char *directory, char sinogram[TESTING_PATH], char theta[TESTING_PATH])
{
    float *projections = read_array("proj", "<f4", ANGLES * SLICES * SIZE, sizeof *projections);
    double *angle_rad = read_array("angle", "<f8", ANGLES, sizeof *angle_rad);
    float *slices = malloc(ANGLES * SLICES * SIZE * sizeof *slices), angles[ANGLES];
    assert_non_null(slices);
    for (int64_t i = 0; i < ANGLES * SLICES * SIZE; i++) {
        const int64_t k = i / (SLICES * SIZE), z = i / SIZE % SLICES;
        slices[(z * ANGLES + k) * SIZE + i % SIZE] = projections[i];
    }
    for (int k = 0; k < ANGLES; k++) angles[k] = (float)angle_rad[k];
    testing_write_file(testing_path(sinogram, directory, "sinogram.bin"), slices, ANGLES * SLICES * SIZE * 4);
    testing_write_file(testing_path(theta, directory, "theta.bin"), angles, sizeof angles);
    free(projections);
    free(angle_rad);
    free(slices);
}

/* TomoPy's iterations by hand on sinodag's operator: b[ray][slice] and one vector of each kind. */
typedef struct Problem {
    double angle_rad[ANGLES];
    TestingOperator *a;
    double b[RAYS * SLICES], y[RAYS * SLICES], x[VOXELS * SLICES], g[VOXELS * SLICES], column_sum[VOXELS * SLICES];
} Problem;

static Problem *problem_new(void)
{
    Problem *problem = calloc(1, sizeof *problem);
    assert_non_null(problem);
    float *projections = read_array("proj", "<f4", ANGLES * SLICES * SIZE, sizeof *projections);
    double *angle_rad = read_array("angle", "<f8", ANGLES, sizeof *angle_rad);
    memcpy(problem->angle_rad, angle_rad, sizeof problem->angle_rad);
    const SinoGeometry geometry = {ANGLES, SIZE, SIZE, problem->angle_rad, center, 0};
    problem->a = testing_operator_new(&geometry, SINO_DOUBLE, true, 2, 0, SLICES);
    for (int64_t i = 0; i < ANGLES * SLICES * SIZE; i++) {
        const int64_t k = i / (SLICES * SIZE), z = i / SIZE % SLICES;
        problem->b[(k * SIZE + i % SIZE) * SLICES + z] = (double)projections[i];
    }
    for (int64_t i = 0; i < VOXELS * SLICES; i++) problem->x[i] = 1e-6; /* where TomoPy starts */
    for (int64_t i = 0; i < RAYS * SLICES; i++) problem->y[i] = 1;
    testing_operator_backproject(problem->a, problem->y, problem->column_sum);
    free(projections);
    free(angle_rad);
    return problem;
}

static void problem_free(Problem *problem)
{
    testing_operator_free(problem->a);
    free(problem);
}

/* The relative L2 difference of the problem's x and TomoPy's array of that name. */
static double problem_error(const Problem *problem, const char *name)
{
    float *expected = read_array(name, "<f4", SLICES * VOXELS, sizeof *expected);
    float *found = malloc(SLICES * VOXELS * sizeof *found);
    assert_non_null(found);
    for (int64_t i = 0; i < SLICES * VOXELS; i++) found[i] = (float)problem->x[i % VOXELS * SLICES + i / VOXELS];
    const double error = testing_error(SLICES * VOXELS, found, expected);
    print_message("sinodag's operator, TomoPy's %s: relative L2 difference %.2g\n", name, error);
    free(expected);
    free(found);
    return error;
}

/* Σ a² of every ray, from A applied to the unit vectors: TomoPy's SIRT divides by it where ours divides by Σ a. */
static void square_sums(Problem *problem, double *sum)
{
    double *unit = calloc(VOXELS * SLICES, sizeof *unit);
    assert_non_null(unit);
    for (int64_t r = 0; r < RAYS; r++) sum[r] = 0;
    for (int64_t v = 0; v < VOXELS; v += SLICES) {
        for (int64_t f = 0; f < SLICES; f++) unit[(v + f) * SLICES + f] = 1;
        testing_operator_project(problem->a, unit, problem->y);
        for (int64_t f = 0; f < SLICES; f++) unit[(v + f) * SLICES + f] = 0;
        for (int64_t i = 0; i < RAYS * SLICES; i++) sum[i / SLICES] += problem->y[i] * problem->y[i];
    }
    free(unit);
}

/* TomoPy's sirt.c: x += Aᵀ((b − A x)/Σ a²)/Σ a, the first sum along a ray, the second over the rays of a voxel. */
static void operator_reproduces_tomopy_sirt(void **state)
{
    (void)state;
    Problem *problem = problem_new();
    double square_sum[RAYS];
    square_sums(problem, square_sum);
    for (int iteration = 0; iteration < ITERATIONS; iteration++) {
        testing_operator_project(problem->a, problem->x, problem->y);
        for (int64_t i = 0; i < RAYS * SLICES; i++)
            problem->y[i] = square_sum[i / SLICES] > 0 ? (problem->b[i] - problem->y[i]) / square_sum[i / SLICES] : 0;
        testing_operator_backproject(problem->a, problem->y, problem->g);
        for (int64_t i = 0; i < VOXELS * SLICES; i++)
            if (problem->column_sum[i] > 0) problem->x[i] += problem->g[i] / problem->column_sum[i];
    }
    assert_true(problem_error(problem, "sirt") < 1e-3);
    problem_free(problem);
}

/* TomoPy's mlem.c: x *= Aᵀ(b/A x)/Σ a. */
static void operator_reproduces_tomopy_mlem(void **state)
{
    (void)state;
    Problem *problem = problem_new();
    for (int iteration = 0; iteration < ITERATIONS; iteration++) {
        testing_operator_project(problem->a, problem->x, problem->y);
        for (int64_t i = 0; i < RAYS * SLICES; i++)
            problem->y[i] = problem->y[i] > 0 ? problem->b[i] / problem->y[i] : 0;
        testing_operator_backproject(problem->a, problem->y, problem->g);
        for (int64_t i = 0; i < VOXELS * SLICES; i++)
            if (problem->column_sum[i] > 0) problem->x[i] *= problem->g[i] / problem->column_sum[i];
    }
    assert_true(problem_error(problem, "mlem") < 1e-3);
    problem_free(problem);
}

/* The program's SIRT, from zero, with Σ a where TomoPy has Σ a²: 2.3 % after four iterations. A center that is half a
 * column off is seen. */
static void sirt_comes_near_tomopy(void **state)
{
    char sinogram[TESTING_PATH], theta[TESTING_PATH];
    write_scan(*state, sinogram, theta);
    float *expected = read_array("sirt", "<f4", SLICES * VOXELS, sizeof *expected);
    const char *words = "%s --theta %s --columns %d --rotation-axis %g --algorithm sirt --iterations %d";
    TestingVolume found = testing_recon(*state, words, sinogram, theta, SIZE, center, ITERATIONS);
    TestingVolume off = testing_recon(*state, words, sinogram, theta, SIZE, center + 0.5, ITERATIONS);
    const double error = testing_error_within(SLICES, SIZE, 24, found.value, expected);
    const double error_off = testing_error_within(SLICES, SIZE, 24, off.value, expected);
    print_message("SIRT: relative L2 difference %.4f, half a column off %.4f\n", error, error_off);
    assert_true(error < 0.03 && error_off > 0.06);
    testing_volume_free(&found);
    testing_volume_free(&off);
    free(expected);
}

/* The program's MLEM is TomoPy's: the value that all voxels start with does not matter. */
static void mlem_is_tomopys(void **state)
{
    char sinogram[TESTING_PATH], theta[TESTING_PATH];
    write_scan(*state, sinogram, theta);
    float *expected = read_array("mlem", "<f4", SLICES * VOXELS, sizeof *expected);
    TestingVolume found =
        testing_recon(*state, "%s --theta %s --columns %d --rotation-axis %g --algorithm mlem --iterations %d",
                      sinogram, theta, SIZE, center, ITERATIONS);
    const double error = testing_error_within(SLICES, SIZE, 24, found.value, expected);
    print_message("MLEM: relative L2 difference %.2g\n", error);
    assert_true(error < 3e-3);
    testing_volume_free(&found);
    free(expected);
}

/* MLEM by sums of turned slices is TomoPy's MLEM to the error of the interpolation, not its accelerated one, whose
 * formula is another (docs/operator.md). */
static void mlem_by_rotation_comes_near_tomopy(void **state)
{
    static const char *const interpolation[] = {"nearest", "linear", "cubic"};
    char sinogram[TESTING_PATH], theta[TESTING_PATH];
    write_scan(*state, sinogram, theta);
    float *expected = read_array("mlem", "<f4", SLICES * VOXELS, sizeof *expected);
    for (int i = 0; i < 3; i++) {
        TestingVolume found = testing_recon(*state,
                                            "%s --theta %s --columns %d --rotation-axis %g --algorithm mlem "
                                            "--iterations %d --projector rotate --interpolation %s",
                                            sinogram, theta, SIZE, center, ITERATIONS, interpolation[i]);
        const double error = testing_error_within(SLICES, SIZE, 20, found.value, expected);
        print_message("MLEM by rotation, %s: relative L2 difference %.3f\n", interpolation[i], error);
        assert_true(error < 0.05);
        testing_volume_free(&found);
    }
    free(expected);
}

/* Pearson's correlation and the slope a ≈ slope·b over voxels within `radius` of the middle. */
static double correlation(double radius, const float *a, const float *b, double *slope)
{
    double n = 0, sa = 0, sb = 0, saa = 0, sbb = 0, sab = 0;
    for (int64_t i = 0; i < SLICES * VOXELS; i++) {
        const double x = (double)(i % SIZE) - 23.5, y = (double)(i / SIZE % SIZE) - 23.5;
        if (x * x + y * y >= radius * radius) continue;
        n++;
        sa += (double)a[i];
        sb += (double)b[i];
        saa += (double)a[i] * (double)a[i];
        sbb += (double)b[i] * (double)b[i];
        sab += (double)a[i] * (double)b[i];
    }
    *slope = sab / sbb;
    return (sab - sa * sb / n) / sqrt((saa - sa * sa / n) * (sbb - sb * sb / n));
}

/* Sixteen angles leave streaks in which each code's interpolation shows: correlated, not equal. gridrec's hann and
 * hamming are left out: TomoPy's default parameter makes them 0.5 + 0.5·cos(2πν), which is 1 at Nyquist again. */
static void fbp_correlates_with_gridrec(void **state)
{
    static const struct {
        const char *ours, *theirs;
    } filter[] = {{"ramp", "gridrec_ramlak"},
                  {"shepp", "gridrec_shepp"},
                  {"cosine", "gridrec_cosine"},
                  {"parzen", "gridrec_parzen"},
                  {"butterworth", "gridrec_butterworth"}};
    char sinogram[TESTING_PATH], theta[TESTING_PATH];
    write_scan(*state, sinogram, theta);
    for (size_t i = 0; i < sizeof filter / sizeof *filter; i++) {
        double slope;
        float *expected = read_array(filter[i].theirs, "<f4", SLICES * VOXELS, sizeof *expected);
        TestingVolume found =
            testing_recon(*state, "%s --theta %s --columns %d --rotation-axis %g --algorithm fbp --fbp-filter %s",
                          sinogram, theta, SIZE, center, filter[i].ours);
        const double likeness = correlation(22, found.value, expected, &slope);
        print_message("FBP %s and %s: correlation %.4f, slope %.3f\n", filter[i].ours, filter[i].theirs, likeness,
                      slope);
        assert_true(likeness > 0.96 && slope > 0.8 && slope < 1.1);
        testing_volume_free(&found);
        free(expected);
    }
}

enum { COUNT_COLUMNS = 46 };

/* tomo, flat and dark as a Data Exchange file. */
static void write_counts(const char *path)
{
    int *tomo = read_array("tomo", "<i4", ANGLES * SLICES * COUNT_COLUMNS, sizeof *tomo);
    int *flat = read_array("flat", "<i4", 2 * SLICES * COUNT_COLUMNS, sizeof *flat);
    int *dark = read_array("dark", "<i4", 2 * SLICES * COUNT_COLUMNS, sizeof *dark);
    double theta[ANGLES];
    for (int k = 0; k < ANGLES; k++) theta[k] = 180.0 * k / ANGLES;
    const hid_t file = testing_hdf5_create(path);
    const TestingDataset datasets[] = {
        {"/exchange/data", H5T_STD_U16LE, H5T_NATIVE_INT, 3, {ANGLES, SLICES, COUNT_COLUMNS}, tomo, 0},
        {"/exchange/data_white", H5T_STD_U16LE, H5T_NATIVE_INT, 3, {2, SLICES, COUNT_COLUMNS}, flat, 0},
        {"/exchange/data_dark", H5T_STD_U16LE, H5T_NATIVE_INT, 3, {2, SLICES, COUNT_COLUMNS}, dark, 0},
        {"/exchange/theta", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 1, {ANGLES}, theta, 0},
    };
    for (size_t i = 0; i < sizeof datasets / sizeof *datasets; i++) testing_hdf5_dataset(file, &datasets[i]);
    testing_hdf5_close(file);
    free(tomo);
    free(flat);
    free(dark);
}

/* TomoPy's remove_stripe_fw and remove_stripe_ti with their defaults, on each sinogram of proj. */
static void check_stripes(const char *name, SinoStripesMethod method)
{
    const SinoStripesOptions options = {.method = method,
                                        .angle_count = ANGLES,
                                        .column_count = SIZE,
                                        .fw_sigma = 2,
                                        .fw_level = 6, /* log2 of the largest side, rounded up */
                                        .ti_alpha = 1.5};
    const SinoSlices slices = {SINO_SINGLE, 1, 1};
    float *projections = read_array("proj", "<f4", ANGLES * SLICES * SIZE, sizeof *projections);
    float *expected = read_array(name, "<f4", ANGLES * SLICES * SIZE, sizeof *expected), sinogram[RAYS];
    SinoStripes *stripes = NULL;
    void *scratch = NULL;
    double error = 0, norm = 0;
    assert_success(sino_stripes_new(&options, &stripes));
    assert_success(sino_allocate(sino_stripes_scratch_bytes(&options), 1, "test", &scratch));
    for (int64_t z = 0; z < SLICES; z++) {
        for (int64_t i = 0; i < RAYS; i++) sinogram[i] = projections[(i / SIZE * SLICES + z) * SIZE + i % SIZE];
        sino_stripes_run(stripes, slices, NULL, false, scratch, sinogram);
        for (int64_t i = 0; i < RAYS; i++) {
            const double value = (double)expected[(i / SIZE * SLICES + z) * SIZE + i % SIZE];
            error += pow((double)sinogram[i] - value, 2);
            norm += value * value;
        }
    }
    if (sqrt(error / norm) > 2e-6) fail_msg("%s: %g", name, sqrt(error / norm));
    sino_stripes_free(stripes);
    free(scratch);
    free(projections);
    free(expected);
}

static void stripes_are_tomopys(void **state)
{
    (void)state;
    check_stripes("remove_stripe_fw", SINO_STRIPES_FW);
    check_stripes("remove_stripe_ti", SINO_STRIPES_TI);
}

/* What the stages make of counts.h5 with these words, against an array of TomoPy's; `dark`: also where it is 0. */
static void check_stages(const char *directory, const char *words, const char *array, bool dark,
                         double of_value(double))
{
    char path[TESTING_PATH];
    float *expected = read_array(array, "<f4", ANGLES * SLICES * COUNT_COLUMNS, sizeof *expected);
    char line[2 * TESTING_PATH];
    snprintf(line, sizeof line, "%s --out unused.h5 --rotation-axis 22.5 %s",
             testing_path(path, directory, "counts.h5"), words);
    SinoSettings *settings = testing_settings(SINO_VERB_RECON, line);
    SinoLog *log = NULL;
    SinoRuntime *runtime = NULL;
    SinoInput input;
    assert_success(sino_log_open(SINO_LOG_TEXT, &log));
    assert_success(sino_input_open(settings, log, &input));
    const SinoRuntimeRequest request = {.log = log};
    assert_success(sino_runtime_start(&request, &runtime));
    double worst = 0;
    for (int64_t z = 0; z < SLICES; z++) {
        float *found = NULL;
        assert_success(sino_stages_read(runtime, &input, false, false, z, 1, &found));
        for (int64_t i = 0; i < ANGLES * COUNT_COLUMNS; i++) {
            const int64_t k = i / COUNT_COLUMNS, c = i % COUNT_COLUMNS;
            const float wanted = expected[(k * SLICES + z) * COUNT_COLUMNS + c];
            if (dark || wanted > 0) worst = fmax(worst, fabs(of_value((double)found[i]) - (double)wanted));
        }
        free(found);
    }
    print_message("%s: largest difference %.2g\n", array, worst);
    assert_true(worst < 1e-6);
    assert_success(sino_runtime_stop(runtime));
    sino_input_close(&input);
    sino_settings_free(settings);
    sino_log_close(log);
    free(expected);
}

static double same(double value)
{
    return value;
}

static double transmission(double value)
{
    return exp(-value);
}

/* load and correct against tomopy.normalize: (tomo − dark)/(flat − dark). */
static void transmission_is_tomopys(void **state)
{
    char path[TESTING_PATH];
    write_counts(testing_path(path, *state, "counts.h5"));
    check_stages(*state, "--minus-log no --flat-correction mean", "normalize", true, same);
}

/* Stage air against tomopy.normalize_bg, which works on counts; a count of 0 has no line integral. */
static void air_is_tomopys(void **state)
{
    char path[TESTING_PATH];
    write_counts(testing_path(path, *state, "counts.h5"));
    check_stages(*state, "--data transmission --air 1", "normalize_bg", false, transmission);
}

/* TomoPy's retrieve_phase with its defaults: 1 µm, 50 cm, 20 keV, alpha 10⁻³. This version of it takes frequencies in
 * cycles, where Paganin's formula has radians, so that its range is 2π times shorter; and its frequencies lie between
 * those of the transform. The filter is linear: 1 is added, as projections of 0 are no transmissions. */
static void phase_comes_near_tomopy(void **state)
{
    (void)state;
    enum { PIXELS = SLICES * SIZE };
    const double wavelength_cm = 1.2398419843e-7 / 20, range = sqrt(wavelength_cm * 50 / (4 * M_PI) / 1e-3) / 1e-4;
    const SinoPhaseOptions options = {.range = range / (2 * M_PI), .column_count = SIZE};
    const SinoCorrection correction = {.input = SINO_CORRECT_FLOAT32,
                                       .slices = {SINO_DOUBLE, sino_panel_stride(SINO_DOUBLE, SLICES), SLICES},
                                       .angle_count = ANGLES,
                                       .column_count = SIZE,
                                       .row_count = SLICES,
                                       .binning = 1};
    float *images = read_array("proj", "<f4", ANGLES * PIXELS, sizeof *images);
    float *expected = read_array("retrieve_phase", "<f4", ANGLES * PIXELS, sizeof *expected);
    int64_t repaired[SLICES], tally[ANGLES + SIZE];
    double error = 0, norm = 0;
    SinoPhase *phase = NULL;
    void *scratch = NULL, *found = NULL;
    for (int64_t i = 0; i < ANGLES * PIXELS; i++) images[i] += 1;
    assert_success(sino_phase_new(&options, &phase));
    assert_success(sino_allocate(sino_phase_scratch_bytes(&options, SLICES), 1, "test", &scratch));
    assert_success(sino_allocate(ANGLES * SIZE * correction.slices.stride, sizeof(double), "test", &found));
    assert_success(sino_phase_correct(phase, &correction, 0, images, NULL, NULL, scratch, found, repaired, tally));
    for (int64_t i = 0; i < ANGLES * PIXELS; i++) {
        const int64_t k = i / PIXELS, z = i / SIZE % SLICES, ray = k * SIZE + i % SIZE;
        const double value = ((double *)found)[sino_panel_element(correction.slices, ANGLES * SIZE, ray, z)] - 1;
        error += pow(value - (double)expected[i], 2);
        norm += (double)expected[i] * (double)expected[i];
    }
    print_message("retrieve_phase: relative difference %.2g\n", sqrt(error / norm));
    assert_true(sqrt(error / norm) < 0.02);
    sino_phase_free(phase);
    free(scratch);
    free(found);
    free(images);
    free(expected);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, testing_directory_make, testing_directory_remove)

TESTING_SUBJECT(peers)
{
    const struct CMUnitTest tests[] = {
        TEST(operator_reproduces_tomopy_sirt),
        TEST(operator_reproduces_tomopy_mlem),
        TEST(sirt_comes_near_tomopy),
        TEST(mlem_is_tomopys),
        TEST(mlem_by_rotation_comes_near_tomopy),
        TEST(fbp_correlates_with_gridrec),
        TEST(stripes_are_tomopys),
        TEST(transmission_is_tomopys),
        TEST(air_is_tomopys),
        TEST(phase_comes_near_tomopy),
    };
    if (!testing_data_there("tomopy-expected/proj.npy")) return TESTING_SKIPPED;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
