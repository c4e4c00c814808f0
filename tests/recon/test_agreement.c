/* SPDX-License-Identifier: BSD-3-Clause */
/* Agreement: a reconstruction does not depend on its division and scheduling. Cropping, binning, early stopping and
 * bounds do what their settings say. */
#include "reference_operator.h"
#include "run_plan.h"
#include "testing.h"
#include "testing_hdf5.h"
#include "testing_recon.h"
#include "volume.h"

#include <math.h>

enum { ANGLES = 60, SLICES = 17, FIELDS = 10 };

static const double within_single = 1e-5, within_double = 1e-7; /* volumes are stored as float32 */

static char *make_scan(char path[TESTING_PATH], const char *directory, int size, double noise)
{
    char name[64];
    snprintf(name, sizeof name, "scan%d-%g.h5", size, noise);
    testing_path(path, directory, name);
    testing_phantom("--out %s --size %d --angles %d --slices %d --noise %g", path, size, ANGLES, SLICES, noise);
    return path;
}

static double difference(const TestingVolume *a, const TestingVolume *b)
{
    assert_true(a->slice_count == b->slice_count && a->size == b->size);
    return testing_error(a->slice_count * a->size * a->size, a->value, b->value);
}

/* Bit for bit the same, residuals too. */
static void assert_same(const TestingVolume *a, const TestingVolume *b)
{
    assert_true(a->slice_count == b->slice_count && a->size == b->size && a->columns == b->columns);
    const int64_t voxels = a->slice_count * a->size * a->size;
    assert_memory_equal(a->value, b->value, (size_t)voxels * sizeof *a->value);
    assert_memory_equal(a->residual, b->residual, (size_t)(a->slice_count * a->columns) * sizeof *a->residual);
}

static void assert_same_slice(const TestingVolume *a, int64_t slice_a, const TestingVolume *b, int64_t slice_b)
{
    assert_int_equal(a->size, b->size);
    assert_memory_equal(testing_slice(a, slice_a), testing_slice(b, slice_b),
                        (size_t)(a->size * a->size) * sizeof *a->value);
}

/* Turned tiles are summed in the order of super-tiles, which no run of tiles may cut, even where the outer ones are
 * partly beyond the grid. */
static void workers_do_not_cut_super_tiles(void **state)
{
    static const int sizes[] = {200, 288};
    char scan[TESTING_PATH];
    testing_path(scan, *state, "large.h5");
    for (size_t s = 0; s < 2; s++) {
        TestingVolume found[2];
        testing_phantom("--out %s --size %d --angles 40 --slices 1", scan, sizes[s]);
        for (int workers = 1; workers <= 2; workers++)
            found[workers - 1] = testing_recon(
                *state, "%s --rotation-axis 100 --algorithm cg --iterations 3 --partitions 1 --workers %d", scan,
                workers);
        assert_same(&found[0], &found[1]);
        testing_volume_free(&found[0]);
        testing_volume_free(&found[1]);
    }
}

static void partitions_and_workers_agree(void **state)
{
    static const int sizes[] = {48, 45}, partitions[] = {1, 2, 3, 7, 20}; /* 9 tiles: some of 20 have none */
    char scan[TESTING_PATH];
    for (size_t s = 0; s < 2; s++) {
        const double center = (double)(sizes[s] - 1) / 2;
        TestingVolume expected =
            testing_recon(*state, "%s --rotation-axis %g --algorithm cg --iterations 10 --partitions 1 --workers 1",
                          make_scan(scan, *state, sizes[s], 0), center);
        for (size_t p = 0; p < sizeof partitions / sizeof *partitions; p++) {
            TestingVolume found[2];
            for (int workers = 1; workers <= 2; workers++)
                found[workers - 1] = testing_recon(
                    *state,
                    "%s --rotation-axis %g --algorithm cg --iterations 10 --partitions %d --minibatch 17 --workers %d",
                    scan, center, partitions[p], workers);
            print_message("%d², %d partitions: %.2g\n", sizes[s], partitions[p], difference(&found[0], &expected));
            assert_true(difference(&found[0], &expected) <= within_single);
            assert_same(&found[0], &found[1]);
            assert_int_equal(found[0].nonzeros, expected.nonzeros);
            testing_volume_free(&found[0]);
            testing_volume_free(&found[1]);
        }
        testing_volume_free(&expected);
    }
}

/* Without ray lengths: the same bits for any number of workers, near each other for any division, and as near to those
 * of kept lengths as is told. */
static void divisions_agree(const char *directory, const char *projector, double near)
{
    static const char *const algorithms[] = {"cg --iterations 8", "sirt --iterations 20", "fbp"};
    static const char *const divisions[] = {"--partitions 1 --workers 1", "--partitions 1 --workers 2",
                                            "--partitions 5", "--partitions 20 --minibatch 3",
                                            "--topology nodes=2,sockets=2,workers=1"};
    enum { DIVISIONS = sizeof divisions / sizeof *divisions };
    char scan[TESTING_PATH], words[200];
    make_scan(scan, directory, 48, 0);
    for (int a = 0; a < 3; a++) {
        TestingVolume found[DIVISIONS];
        snprintf(words, sizeof words, "%%s --rotation-axis 22.6 --algorithm %s --projector rays", algorithms[a]);
        TestingVolume rays = testing_recon(directory, words, scan);
        for (int d = 0; d < DIVISIONS; d++) {
            snprintf(words, sizeof words, "%%s --rotation-axis 22.6 --algorithm %s --projector %s %s", algorithms[a],
                     projector, divisions[d]);
            found[d] = testing_recon(directory, words, scan);
            assert_true(difference(&found[d], &found[0]) <= within_single);
        }
        assert_same(&found[1], &found[0]);
        print_message("%s: %s is off kept lengths by %.2g\n", algorithms[a], projector, difference(&found[0], &rays));
        assert_true(difference(&found[0], &rays) < near);
        for (int d = 0; d < DIVISIONS; d++) testing_volume_free(&found[d]);
        testing_volume_free(&rays);
    }
}

static void rotations_agree(void **state)
{
    divisions_agree(*state, "rotate", 0.2);
}

static void lines_agree(void **state)
{
    divisions_agree(*state, "lines", 1e-4);
}

static void strips_agree(void **state)
{
    divisions_agree(*state, "strips", 0.2);
}

/* Backprojection without ray lengths: the same bits for any division. */
static void divisions_keep_bits(const char *directory, const char *scan, const char *projector)
{
    static const char *const divisions[] = {"--partitions 1 --workers 1", "--partitions 1 --workers 2",
                                            "--partitions 5", "--partitions 20 --minibatch 3"};
    char words[200];
    TestingVolume found[4];
    for (int d = 0; d < 4; d++) {
        snprintf(words, sizeof words, "%%s --rotation-axis 22.6 --algorithm fbp --projector %s %s", projector,
                 divisions[d]);
        found[d] = testing_recon(directory, words, scan);
    }
    for (int d = 0; d < 4; d++) {
        assert_memory_equal(found[d].value, found[0].value, SLICES * 48 * 48 * sizeof *found[d].value);
        assert_true(found[d].nonzeros == 0);
    }
    for (int d = 0; d < 4; d++) testing_volume_free(&found[d]);
}

static void pixels_agree(void **state)
{
    char scan[TESTING_PATH];
    make_scan(scan, *state, 48, 0);
    divisions_keep_bits(*state, scan, "pixels");
}

static void gridding_agrees(void **state)
{
    char scan[TESTING_PATH];
    make_scan(scan, *state, 48, 0);
    divisions_keep_bits(*state, scan, "gridding");
}

/* In double, where residuals tell more than the float32 of the volume. */
static void partitions_agree_in_double(void **state)
{
    static const char *const algorithms[] = {"cg", "sirt"};
    static const double within[] = {1e-10, 1e-12}; /* CG amplifies rounding from one iteration to the next */
    char scan[TESTING_PATH];
    make_scan(scan, *state, 45, 0);
    for (int a = 0; a < 2; a++) {
        const char *words = "%s --rotation-axis 22 --iterations 8 --precision double --algorithm %s --partitions %d "
                            "--minibatch %d";
        TestingVolume expected = testing_recon(*state, words, scan, algorithms[a], 1, 17);
        static const int partitions[] = {2, 7, 1}, minibatch[] = {17, 5, 1};
        for (int i = 0; i < 3; i++) {
            TestingVolume found = testing_recon(*state, words, scan, algorithms[a], partitions[i], minibatch[i]);
            const double off = testing_residual_error(&found, &expected);
            print_message("%s in double, %d partitions, minibatch %d: volume %.2g, residuals %.2g\n", algorithms[a],
                          partitions[i], minibatch[i], difference(&found, &expected), off);
            assert_true(difference(&found, &expected) <= within_double);
            assert_true(off <= within[a]);
            testing_volume_free(&found);
        }
        testing_volume_free(&expected);
    }
}

static void minibatches_agree(void **state)
{
    static const int minibatch[] = {1, 2, 5, 16, 17};
    static const char *const algorithms[] = {"cg", "sirt", "fbp"};
    char scan[TESTING_PATH];
    make_scan(scan, *state, 48, 0);
    for (int a = 0; a < 3; a++) {
        const char *words = a < 2 ? "%s --rotation-axis 23.5 --algorithm %s --minibatch %d --iterations 10"
                                  : "%s --rotation-axis 23.5 --algorithm %s --minibatch %d";
        TestingVolume expected = testing_recon(*state, words, scan, algorithms[a], SLICES);
        for (size_t i = 0; i < sizeof minibatch / sizeof *minibatch; i++) {
            TestingVolume found = testing_recon(*state, words, scan, algorithms[a], minibatch[i]);
            print_message("%s, minibatch %d: %.2g\n", algorithms[a], minibatch[i], difference(&found, &expected));
            assert_true(difference(&found, &expected) <= within_single);
            testing_volume_free(&found);
        }
        testing_volume_free(&expected);
    }
}

static void schedulers_agree(void **state)
{
    static const char *const schedulers[] = {"lws", "dmda", "dmdas", "eager", "prio", "random", "sino-affinity"};
    char scan[TESTING_PATH];
    make_scan(scan, *state, 48, 0);
    const char *words =
        "%s --rotation-axis 23.5 --algorithm cg --iterations 10 --partitions 3 --minibatch 5 --scheduler %s";
    TestingVolume expected = testing_recon(*state, words, scan, "ws");
    for (size_t i = 0; i < sizeof schedulers / sizeof *schedulers; i++) {
        TestingVolume found = testing_recon(*state, words, scan, schedulers[i]);
        assert_same(&found, &expected);
        testing_volume_free(&found);
    }
    testing_volume_free(&expected);
}

/* A slice's result depends on the kernels that its stride gives, not on its neighbours. */
static void slices_are_independent(void **state)
{
    char scan[TESTING_PATH];
    make_scan(scan, *state, 48, 0);
    assert_int_equal(sino_panel_stride(SINO_SINGLE, 16), sino_panel_stride(SINO_SINGLE, 13));
    const char *words =
        "%s --rotation-axis 23.5 --algorithm cg --iterations 10 --partitions 1 --minibatch 16 --start-row %d "
        "--end-row %d";
    TestingVolume all = testing_recon(*state, words, scan, 0, 16), some = testing_recon(*state, words, scan, 3, 16);
    assert_int_equal(some.slice_count, 13);
    for (int64_t i = 0; i < some.slice_count; i++) assert_same_slice(&some, i, &all, i + 3);
    static const int rows[] = {5, 8, 15};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        TestingVolume one = testing_recon(*state, words, scan, rows[i], rows[i] + 1);
        assert_int_equal(one.slice_count, 1);
        const double off = testing_error(48 * 48, one.value, testing_slice(&all, rows[i]));
        print_message("row %d alone: %.2g\n", rows[i], off);
        assert_true(off <= within_single);
        testing_volume_free(&one);
    }
    testing_volume_free(&all);
    testing_volume_free(&some);
}

/* The iteration after which a slice stopped: the last one with a residual. */
static int64_t last_iteration(const TestingVolume *volume, int64_t slice)
{
    int64_t last = volume->columns - 1;
    while (last > 0 && isnan(volume->residual[slice * volume->columns + last])) last--;
    return last;
}

static void check_stop(const TestingVolume *stopped, int64_t slice, double tolerance)
{
    const double *residual = stopped->residual + slice * stopped->columns;
    const int64_t last = last_iteration(stopped, slice);
    for (int64_t i = 0; i <= last; i++) assert_false(isnan(residual[i]));
    if (last + 1 < stopped->columns) assert_true(residual[last] <= tolerance * tolerance * residual[0]);
    if (last > 0) assert_true(residual[last - 1] > tolerance * tolerance * residual[0]);
}

static void stopped_slices_stay(void **state)
{
    enum { ITERATIONS = 20 };
    static const char *const algorithms[] = {"cg", "sirt"};
    static const double tolerances[] = {0.03, 0.1};
    char scan[TESTING_PATH];
    make_scan(scan, *state, 48, 0);
    for (int a = 0; a < 2; a++) {
        const char *words = "%s --rotation-axis 23.5 --algorithm %s --tolerance %g --iterations %d --partitions 2 "
                            "--minibatch 2"; /* nine minibatches: slots serve several */
        TestingVolume stopped = testing_recon(*state, words, scan, algorithms[a], tolerances[a], ITERATIONS);
        int slices_stopped_after[ITERATIONS + 1] = {0}, distinct = 0;
        for (int64_t i = 0; i < SLICES; i++) {
            check_stop(&stopped, i, tolerances[a]);
            slices_stopped_after[last_iteration(&stopped, i)]++;
        }
        for (int k = 1; k < ITERATIONS; k++) {
            if (slices_stopped_after[k] == 0) continue;
            distinct++;
            print_message("%s: %d slices stop after iteration %d\n", algorithms[a], slices_stopped_after[k], k);
            TestingVolume exact = testing_recon(*state, words, scan, algorithms[a], 0.0, k);
            for (int64_t i = 0; i < SLICES; i++)
                if (last_iteration(&stopped, i) == k) assert_same_slice(&stopped, i, &exact, i);
            testing_volume_free(&exact);
        }
        assert_true(distinct >= 2); /* else the phantom tests nothing */
        testing_volume_free(&stopped);
    }
}

/* The slabs that the plan makes of a scan in this memory, or 0 when it does not fit. */
static int64_t planned_slabs(SinoSettings *settings, const SinoInput *input, int64_t memory_bytes)
{
    SinoRunPlan plan = {0};
    SinoPlanRequest request = {
        .job = sino_workload_of_input(settings, input), .choices = sino_choices_of(settings), .rank_count = 1};
    settings->runtime.memory_bytes = memory_bytes;
    assert_success(sino_machine_new(settings, 2, &request.machine));
    SinoStatus status = sino_run_plan_new(&request, &plan);
    if (!status) assert_true(plan.resources.total_bytes <= memory_bytes);
    const int64_t slab_count = status ? 0 : plan.streaming.slab_count;
    sino_status_free(status);
    sino_run_plan_free(&plan);
    return slab_count;
}

/* The least --memory that lets a scan through in minibatches of 40, and in how many slabs. */
static int64_t least_memory(const char *scan, int64_t *slab_count)
{
    SinoSettings *settings = testing_settings(
        SINO_VERB_RECON, "%s --algorithm cg --minibatch 40 --partitions 2 --out unused.h5 --rotation-axis 1", scan);
    SinoInput input = {0};
    SinoLog *log = NULL;
    assert_success(sino_log_open(SINO_LOG_TEXT, &log));
    assert_success(sino_input_open(settings, log, &input));
    int64_t low = 0, high = (int64_t)4 << 30;
    while (high - low > 1024) {
        const int64_t middle = (low + high) / 2;
        *(planned_slabs(settings, &input, middle) == 0 ? &low : &high) = middle;
    }
    *slab_count = planned_slabs(settings, &input, high);
    sino_input_close(&input);
    sino_settings_free(settings);
    sino_log_close(log);
    return high;
}

/* Memory for few slices at a time changes nothing; nor does a slot that serves several minibatches. */
static void slabs_agree(void **state)
{
    char scan[TESTING_PATH], bytes[32];
    int64_t slab_count;
    testing_path(scan, *state, "tall.h5");
    testing_phantom("--out %s --size 48 --angles %d --slices 160 --noise 0", scan, ANGLES);
    snprintf(bytes, sizeof bytes, "%lldB", (long long)least_memory(scan, &slab_count));
    print_message("in %s: %lld slabs\n", bytes, (long long)slab_count);
    assert_true(slab_count >= 2);
    const char *words =
        "%s --rotation-axis 23.5 --algorithm cg --iterations 5 --minibatch %d --partitions 2 --workers 2 --memory %s";
    TestingVolume ample = testing_recon(*state, words, scan, 40, "4GiB");
    TestingVolume tight = testing_recon(*state, words, scan, 40, bytes);
    TestingVolume single = testing_recon(*state, words, scan, 1, "4GiB"); /* 160 minibatches through a few slots */
    assert_same(&ample, &tight);
    print_message("minibatches of one slice: %.2g\n", difference(&single, &ample));
    assert_true(difference(&single, &ample) <= within_single);
    testing_volume_free(&ample);
    testing_volume_free(&tight);
    testing_volume_free(&single);
}

static void one_slice_has_many_workers(void **state)
{
    char scan[TESTING_PATH];
    testing_path(scan, *state, "one.h5");
    testing_phantom("--out %s --size 40 --angles 30 --slices 1 --noise 0", scan);
    const char *words = "%s --rotation-axis 19.5 --algorithm cg --iterations 6 --workers %d --partitions %d";
    TestingVolume one = testing_recon(*state, words, scan, 1, 1), two = testing_recon(*state, words, scan, 2, 0);
    assert_int_equal(one.slice_count, 1);
    assert_true(difference(&two, &one) <= within_single);
    testing_volume_free(&one);
    testing_volume_free(&two);
}

static void bounded_sirt_has_no_negative_value(void **state)
{
    char scan[TESTING_PATH];
    make_scan(scan, *state, 48, 0.05);
    const char *words = "%s --rotation-axis 23.5 --algorithm sirt --iterations 30 --nonnegativity %s";
    TestingVolume free_one = testing_recon(*state, words, scan, "no"),
                  bounded = testing_recon(*state, words, scan, "yes");
    int64_t negative = 0, positive = 0;
    for (int64_t i = 0; i < SLICES * 48 * 48; i++) {
        negative += free_one.value[i] < 0;
        positive += bounded.value[i] > 0;
        assert_true(bounded.value[i] >= 0);
    }
    print_message("SIRT: %lld negative voxels without the bound, %lld above 0 with it\n", (long long)negative,
                  (long long)positive);
    assert_true(negative > 100 && positive > SLICES * 48 * 12);
    testing_volume_free(&free_one);
    testing_volume_free(&bounded);
}

/* A scan held by the test. */
typedef struct Scan {
    int64_t rows, columns;
    double theta[ANGLES];          /* degrees */
    float *counts, *flats, *darks; /* [angle or field][row][column] */
} Scan;

static Scan scan_new(int64_t rows, int64_t columns)
{
    const Scan scan = {.rows = rows,
                       .columns = columns,
                       .counts = calloc((size_t)(ANGLES * rows * columns), sizeof(float)),
                       .flats = calloc((size_t)(FIELDS * rows * columns), sizeof(float)),
                       .darks = calloc((size_t)(FIELDS * rows * columns), sizeof(float))};
    assert_true(scan.counts && scan.flats && scan.darks);
    return scan;
}

static void scan_free(Scan *scan)
{
    free(scan->counts);
    free(scan->flats);
    free(scan->darks);
}

static void scan_read(const char *path, const char *name, hid_t type, void *values)
{
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    const hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
    assert_true(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    assert_true(H5Dclose(dataset) >= 0 && H5Fclose(file) >= 0);
}

static void scan_write(const char *path, const Scan *scan)
{
    const hid_t file = testing_hdf5_create(path);
    const hsize_t rows = (hsize_t)scan->rows, columns = (hsize_t)scan->columns;
    const TestingDataset datasets[] = {
        {"/exchange/data", H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, 3, {ANGLES, rows, columns}, scan->counts, 0},
        {"/exchange/data_white", H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, 3, {FIELDS, rows, columns}, scan->flats, 0},
        {"/exchange/data_dark", H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, 3, {FIELDS, rows, columns}, scan->darks, 0},
        {"/exchange/theta", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 1, {ANGLES}, scan->theta, 0},
    };
    for (size_t i = 0; i < sizeof datasets / sizeof *datasets; i++) testing_hdf5_dataset(file, &datasets[i]);
    testing_hdf5_close(file);
}

/* Averages of binning × binning pixels from (row 0, first_column) on. */
static void average(int64_t images, const Scan *from, const float *values, int first_column, int binning,
                    const Scan *to, float *result)
{
    for (int64_t i = 0; i < images * to->rows * to->columns; i++) {
        const int64_t image = i / (to->rows * to->columns), row = i / to->columns % to->rows, column = i % to->columns;
        double sum = 0;
        for (int r = 0; r < binning; r++)
            for (int c = 0; c < binning; c++)
                sum += (double)values[(image * from->rows + row * binning + r) * from->columns + first_column +
                                      column * binning + c];
        result[i] = (float)(sum / (binning * binning));
    }
}

/* Cropping and binning by settings against a scan of the columns and averages themselves. No ray runs along a line of
 * the grid, where the last bit of the center would decide whose it is. */
static void crop_and_binning_are_what_they_say(void **state)
{
    static const struct {
        int first, end, binning;
    } part[] = {{4, 46, 1}, {0, 48, 2}, {3, 46, 2}, {1, 48, 3}};
    enum { SIZE = 48 };
    const double center = 23.5;
    char path[TESTING_PATH], part_path[TESTING_PATH];
    Scan whole = scan_new(SLICES, SIZE);
    make_scan(path, *state, SIZE, 0);
    scan_read(path, "/exchange/data", H5T_NATIVE_FLOAT, whole.counts);
    scan_read(path, "/exchange/data_white", H5T_NATIVE_FLOAT, whole.flats);
    scan_read(path, "/exchange/data_dark", H5T_NATIVE_FLOAT, whole.darks);
    scan_read(path, "/exchange/theta", H5T_NATIVE_DOUBLE, whole.theta);
    testing_path(part_path, *state, "part.h5");
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        const int binning = part[i].binning, first = part[i].first;
        Scan binned = scan_new(SLICES / binning, (part[i].end - first) / binning);
        memcpy(binned.theta, whole.theta, sizeof whole.theta);
        average(ANGLES, &whole, whole.counts, first, binning, &binned, binned.counts);
        average(FIELDS, &whole, whole.flats, first, binning, &binned, binned.flats);
        average(FIELDS, &whole, whole.darks, first, binning, &binned, binned.darks);
        scan_write(part_path, &binned);
        TestingVolume expected = testing_recon(*state, "%s --rotation-axis %g --algorithm cg --iterations 5 --margin 0",
                                               part_path, (center - first - (binning - 1) / 2.0) / binning);
        TestingVolume found = testing_recon(*state,
                                            "%s --rotation-axis %g --algorithm cg --iterations 5 --margin 0 "
                                            "--start-column %d --end-column %d --binning "
                                            "%d",
                                            path, center, first, part[i].end, binning);
        assert_int_equal(found.size, (part[i].end - first) / binning);
        assert_true(fabs(found.center - center) < 1e-9);
        for (int64_t v = 0; v < expected.slice_count * expected.size * expected.size; v++)
            expected.value[v] /= (float)binning; /* per pixel of the detector */
        print_message("columns %d to %d by %d: %.2g\n", first, part[i].end, binning, difference(&found, &expected));
        assert_true(difference(&found, &expected) <= within_single);
        testing_volume_free(&expected);
        testing_volume_free(&found);
        scan_free(&binned);
    }
    scan_free(&whole);
}

static double dot(int64_t count, const double *a, const double *b)
{
    double sum = 0;
    for (int64_t i = 0; i < count; i++) sum += a[i] * b[i];
    return sum;
}

static double *random_vector(int64_t count, uint64_t seed)
{
    double *values = malloc((size_t)count * sizeof *values);
    assert_non_null(values);
    for (int64_t i = 0; i < count; i++) values[i] = (double)(float)reference_random(&seed);
    return values;
}

/* y = A x and x = Aᵀ y of one slice, by the dense operator. */
static void reference_products(const ReferenceOperator *reference, const double *x, const double *y, double *ax,
                               double *aty)
{
    for (int64_t v = 0; v < reference->voxel_count; v++) aty[v] = 0;
    for (int64_t r = 0; r < reference->ray_count; r++) {
        const double *row = reference->length + r * reference->voxel_count;
        ax[r] = dot(reference->voxel_count, row, x);
        for (int64_t v = 0; v < reference->voxel_count; v++) aty[v] += row[v] * y[r];
    }
}

/* Slice f of x[..][count]. */
static void take_slice(int64_t length, int64_t count, int64_t f, const double *x, double *slice)
{
    for (int64_t i = 0; i < length; i++) slice[i] = x[i * count + f];
}

/* The graphs' project and backproject, of every partition count, against each other and the dense operator. */
static void check_operator(const SinoGeometry *geometry, SinoPrecision precision, bool symmetry, int64_t partitions,
                           int64_t windows)
{
    enum { COUNT = 3 };
    static const double error[SINO_PRECISIONS] = {
        [SINO_SINGLE] = 2e-6, [SINO_DOUBLE] = 1e-13, [SINO_HALF] = 2e-3, [SINO_MIXED] = 6e-4};
    const double within = error[precision];
    ReferenceOperator reference = reference_operator_create(geometry);
    const int64_t rays = reference.ray_count, voxels = reference.voxel_count;
    double *x = random_vector(voxels * COUNT, 1), *y = random_vector(rays * COUNT, 2);
    double *ax = random_vector(rays * COUNT, 3), *aty = random_vector(voxels * COUNT, 4);
    double *x1 = random_vector(voxels, 5), *y1 = random_vector(rays, 6), *ax1 = random_vector(rays, 7);
    double *aty1 = random_vector(voxels, 8), *found_ax = random_vector(rays, 9), *found_aty = random_vector(voxels, 10);
    TestingOperator *a = testing_operator_new(geometry, precision, symmetry, partitions, windows, COUNT);
    testing_operator_project(a, x, ax);
    testing_operator_backproject(a, y, aty);
    for (int f = 0; f < COUNT; f++) {
        take_slice(voxels, COUNT, f, x, x1);
        take_slice(rays, COUNT, f, y, y1);
        take_slice(rays, COUNT, f, ax, found_ax);
        take_slice(voxels, COUNT, f, aty, found_aty);
        reference_products(&reference, x1, y1, ax1, aty1);
        const double scale = sqrt(dot(rays, ax1, ax1) * dot(rays, y1, y1));
        const double asymmetry = fabs(dot(rays, found_ax, y1) - dot(voxels, x1, found_aty)) / scale;
        if (f == 0)
            print_message("%lld columns, %s, symmetry %d, %lld partitions: asymmetry %.2g, off %.2g and %.2g\n",
                          (long long)geometry->column_count, sino_precision_name(precision), symmetry,
                          (long long)partitions, asymmetry, testing_error_doubles(rays, found_ax, ax1),
                          testing_error_doubles(voxels, found_aty, aty1));
        assert_true(asymmetry <= within);
        assert_true(testing_error_doubles(rays, found_ax, ax1) <= within);
        assert_true(testing_error_doubles(voxels, found_aty, aty1) <= within);
    }
    testing_operator_free(a);
    reference_operator_free(&reference);
    double *const vectors[] = {x, y, ax, aty, x1, y1, ax1, aty1, found_ax, found_aty};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) free(vectors[i]);
}

static void projections_are_adjoint(void **state)
{
    (void)state;
    static const int64_t partitions[] = {1, 3, 20};
    double half_turn_rad[24], whole_turn_rad[24];
    for (int k = 0; k < 24; k++) half_turn_rad[k] = M_PI * k / 24;
    for (int k = 0; k < 24; k++) whole_turn_rad[k] = 2 * M_PI * (23 - k) / 24;
    const SinoGeometry geometry[] = {{24, 48, 48, half_turn_rad, 23.5, 0},
                                     {24, 40, 50, half_turn_rad, 17.2, 0},
                                     {24, 48, 48, whole_turn_rad, 22.1, 0},
                                     {23, 45, 45, half_turn_rad, 19.3, 0}};
    for (size_t g = 0; g < sizeof geometry / sizeof *geometry; g++)
        for (size_t p = 0; p < 3; p++)
            for (int symmetry = 0; symmetry < 2; symmetry++)
                for (SinoPrecision precision = 0; precision < SINO_PRECISIONS; precision++)
                    check_operator(&geometry[g], precision, symmetry, partitions[p], 0);
}

/* Blocks that take turns in memory, more or less often. */
static void windows_are_refilled(void **state)
{
    (void)state;
    double angle_rad[24];
    for (int k = 0; k < 24; k++) angle_rad[k] = M_PI * k / 24;
    const SinoGeometry geometry = {24, 48, 48, angle_rad, 20.3, 0};
    for (int64_t windows = 1; windows <= 3; windows++)
        for (int symmetry = 0; symmetry < 2; symmetry++)
            for (SinoPrecision precision = 0; precision < SINO_PRECISIONS; precision++)
                check_operator(&geometry, precision, symmetry, 7, windows);
}

/* Errors found when this was written: 0.184, 0.111, 0.117 (docs/lab/accuracy.md). */
static void phantom_comes_back(void **state)
{
    static const struct {
        const char *words;
        double bound;
    } run[] = {{"%s --rotation-axis 63.5 --algorithm cg --iterations 30", 0.2},
               {"%s --rotation-axis 63.5 --algorithm sirt --iterations 200", 0.12},
               {"%s --rotation-axis 63.5 --algorithm fbp --fbp-filter shepp", 0.125}};
    char scan[TESTING_PATH], truth_path[TESTING_PATH];
    int64_t slices, height, width;
    float *truth = NULL;
    testing_path(scan, *state, "head.h5");
    testing_path(truth_path, *state, "truth.h5");
    testing_phantom("--out %s --truth %s --size 128 --angles 200 --slices 1 --noise 0", scan, truth_path);
    assert_success(sino_volume_read(truth_path, &slices, &height, &width, &truth));
    for (size_t i = 0; i < sizeof run / sizeof *run; i++) {
        TestingVolume volume = testing_recon(*state, run[i].words, scan);
        const double error = testing_error_within(1, 128, 64, volume.value, truth);
        print_message("%s: error %.4f\n", run[i].words, error);
        assert_true(error < run[i].bound);
        testing_volume_free(&volume);
    }
    free(truth);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, testing_directory_make, testing_directory_remove)

TESTING_SUBJECT(agreement)
{
    const struct CMUnitTest tests[] = {
        TEST(workers_do_not_cut_super_tiles),
        TEST(partitions_and_workers_agree),
        TEST(partitions_agree_in_double),
        TEST(minibatches_agree),
        TEST(schedulers_agree),
        TEST(slices_are_independent),
        TEST(stopped_slices_stay),
        TEST(slabs_agree),
        TEST(one_slice_has_many_workers),
        TEST(bounded_sirt_has_no_negative_value),
        TEST(crop_and_binning_are_what_they_say),
        TEST(projections_are_adjoint),
        TEST(rotations_agree),
        TEST(lines_agree),
        TEST(strips_agree),
        TEST(pixels_agree),
        TEST(gridding_agrees),
        TEST(windows_are_refilled),
        TEST(phantom_comes_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
