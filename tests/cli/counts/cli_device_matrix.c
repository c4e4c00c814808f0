/* SPDX-License-Identifier: BSD-3-Clause */
/* Command line, system matrices on devices (cli_devices.h): the images are those of cores. */
#include "cli_devices.h"

#include <math.h>

#define SMALL_PET "phantom --geometry pet --crystals 8x3x2 --rays 4 --volume 16x14x6 --voxel-size 0.6 -o m.csr4 "

/* A matrix and its lists of which a device of 12 MiB holds a part. */
#define LARGE_PET "phantom --geometry pet --crystals 30x3x5 --rays 6 --volume 32x32x12 --voxel-size 0.4 -o m.csr4 "

enum { PET_X = 16, PET_Y = 14, PET_Z = 6, PET_VOXELS = PET_X * PET_Y * PET_Z };

/* The images of a run with m.csr4, set after set. The caller frees them. */
static double *images_of(const char *directory, const char *environment, const char *words, int rank,
                         const int64_t *size, CliRun *run)
{
    *run = (CliRun){.directory = directory, .environment = environment};
    cli_start(
        run,
        "recon m.counts --system-matrix m.csr4 --additive m.additive -o out.h5 --overwrite --pictures no --report none "
        "--profile --iterations 3 %s",
        words);
    cli_wait(run);
    if (run->exit_code != 0) fail_msg("%s:\n%s", words, run->err);
    return cli_read_doubles(directory, "out.h5", "/exchange/data", rank, size);
}

/* The largest difference, by the largest value. */
static double off_by(int64_t count, const double *found, const double *expected)
{
    double most = 0, off = 0;
    for (int64_t i = 0; i < count; i++) {
        most = fmax(most, fabs(expected[i]));
        off = fmax(off, fabs(found[i] - expected[i]));
    }
    return off / most;
}

static const int64_t one_image[] = {PET_Z, PET_Y, PET_X}, three_images[] = {3, PET_Z, PET_Y, PET_X};

/* The products run on devices alone, or wherever StarPU has them run. */
static void assert_products_on(const CliRun *run, const char *device, bool is_sweep)
{
    static const char *const counts[] = {"bricks_sweep", "voxels_add", "update_voxels_mlem"};
    static const char *const integrals[] = {"bricks_project", "bricks_backproject", "voxels_add"};
    const bool alone = strcmp(device, cli_device_kind()->device) == 0;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        const char *name = is_sweep ? counts[i] : integrals[i];
        if (alone && cli_device_tasks_on(run, name, "   ") > 0) fail_msg("%s ran on cores:\n%s", name, run->err);
        if (alone && i == 0 && cli_device_tasks_on(run, name, cli_device_kind()->place) == 0)
            fail_msg("no %s:\n%s", name, run->err);
    }
    assert_non_null(strstr(run->err, "sinodag: lists of it for devices: "));
}

static void assert_images_agree(const char *directory, const char *algorithm, int rank, const int64_t *size)
{
    const char *const device[] = {cli_device_kind()->device, cli_device_kind()->with_cores};
    const int64_t sets = rank == 4 ? size[0] : 1;
    char words[160];
    CliRun run;
    snprintf(words, sizeof words, "--algorithm %s --device cpu", algorithm);
    double *expected = images_of(directory, NULL, words, rank, size, &run);
    cli_free(&run);
    for (int i = 0; i < 2; i++) {
        snprintf(words, sizeof words, "--algorithm %s --device %s", algorithm, device[i]);
        double *found = images_of(directory, NULL, words, rank, size, &run);
        const double off = off_by(sets * PET_VOXELS, found, expected);
        print_message("%s: %.2g\n", words, off);
        assert_true(off <= 1e-5);
        assert_products_on(&run, device[i], algorithm[0] == 'm' || algorithm[0] == 'o');
        cli_free(&run);
        free(found);
    }
    free(expected);
}

/* Row partitions of a matrix go to devices and cores. */
static void system_matrices(void **state)
{
    static const char *const algorithm[] = {"mlem", "osem --subsets 3 --precision mixed", "cg"};
    cli_works(*state, SMALL_PET "--counts 300000 --background 0.25");
    for (size_t i = 0; i < sizeof algorithm / sizeof *algorithm; i++)
        assert_images_agree(*state, algorithm[i], 3, one_image);
    cli_works(*state, SMALL_PET "--overwrite --counts 300000 --background 0.25 --replicates 3");
    assert_images_agree(*state, "mlem", 4, three_images);
}

/* A matrix that is kept has no lists; they are made again. Devices alone make the same bits in every run. */
static void kept_matrices_get_lists(void **state)
{
    CliRun run;
    char words[80];
    snprintf(words, sizeof words, "--algorithm mlem --operator-cache kept --device %s", cli_device_kind()->device);
    cli_works(*state, SMALL_PET "--counts 300000 --background 0.25");
    double *built = images_of(*state, NULL, words, 3, one_image, &run);
    cli_free(&run);
    double *kept = images_of(*state, NULL, words, 3, one_image, &run);
    assert_non_null(strstr(run.err, "sinodag: operator: kept, "));
    assert_products_on(&run, cli_device_kind()->device, true);
    assert_memory_equal(built, kept, PET_VOXELS * sizeof *built);
    free(built);
    free(kept);
    cli_free(&run);
}

/* Blocks and lists come and go where a device holds some of them. */
static void matrices_larger_than_the_device(void **state)
{
    static const int64_t size[] = {12, 32, 32};
    const int64_t voxels = size[0] * size[1] * size[2];
    CliRun cores, narrow;
    char words[80];
    if (cli_device_is_cuda()) skip(); /* StarPU takes memory of GPUs in pieces of 32 MiB */
    assert_int_equal(setenv(cli_device_kind()->one_device, "1", 1), 0);
    cli_works(*state, LARGE_PET "--counts 300000 --background 0.25");
    double *expected = images_of(*state, NULL, "--algorithm mlem --device cpu", 3, size, &cores);
    snprintf(words, sizeof words, "--algorithm mlem --device %s", cli_device_kind()->device);
    double *found = images_of(*state, "STARPU_LIMIT_OPENCL_MEM=12", words, 3, size, &narrow);
    assert_int_equal(unsetenv(cli_device_kind()->one_device), 0);
    const double lists = cli_device_bytes_after(narrow.err, "sinodag: lists of it for devices: ");
    print_message("to devices: %.0f bytes, lists %.0f\n", cli_device_bytes_received(&narrow), lists);
    assert_true(cli_device_bytes_received(&narrow) > 2 * lists);
    assert_true(off_by(voxels, found, expected) <= 1e-5);
    assert_products_on(&narrow, cli_device_kind()->device, true);
    free(expected);
    free(found);
    cli_free(&cores);
    cli_free(&narrow);
}

/* The bytes that a run of LARGE_PET plans with so much memory, of which cores compute the products. */
static double planned_bytes(const char *directory, const char *device, double memory_bytes, const char *words)
{
    static const int64_t size[] = {12, 32, 32};
    CliRun run;
    char line[160];
    snprintf(line, sizeof line, "--algorithm mlem --workers 1 --device %s --memory %.0fMiB %s", device,
             memory_bytes / 0x1p20, words);
    free(images_of(directory, NULL, line, 3, size, &run));
    const bool told = strstr(run.err, "products with the matrix stay on cores: ");
    if (told != (strcmp(device, "cpu") != 0) || cli_device_tasks_on(&run, "bricks_sweep", "   ") == 0 ||
        cli_device_tasks_on(&run, "bricks_sweep", cli_device_kind()->place) > 0)
        fail_msg("%s:\n%s", line, run.err);
    const double bytes = cli_device_bytes_after(run.err, " workers, memory: ");
    cli_free(&run);
    return bytes;
}

/* Without memory for the lists, some 8 MiB, or for the matrix, as large, cores compute; a device that is too small is
 * refused. */
static void matrices_without_room_for_lists(void **state)
{
    const double mib = 0x1p20;
    CliRun none = {.directory = *state, .environment = cli_device_kind()->least_memory};
    cli_works(*state, LARGE_PET "--counts 300000 --background 0.25");
    cli_start(&none, "recon m.counts --system-matrix m.csr4 -o refused.h5 --algorithm mlem --device %s",
              cli_device_kind()->device);
    cli_wait(&none);
    if (!strstr(none.err, "sinodag: a device has 1.00 MiB of memory; two tasks of this reconstruction need "))
        fail_msg("%s", none.err);
    assert_int_equal(none.exit_code, 2);
    cli_free(&none);
    assert_false(cli_exists(*state, "refused.h5"));
    const double cores = planned_bytes(*state, "cpu", 4096 * mib, "");
    planned_bytes(*state, cli_device_kind()->device, cores + 5 * mib, "");
    planned_bytes(*state, cli_device_kind()->device, cores - 3 * mib, "--operator-cache kept");
}

int cli_device_matrix_tests(void)
{
    const struct CMUnitTest tests[] = {CLI_TEST(system_matrices), CLI_TEST(kept_matrices_get_lists),
                                       CLI_TEST(matrices_larger_than_the_device),
                                       CLI_TEST(matrices_without_room_for_lists)};
    return cli_device_found() ? cmocka_run_group_tests(tests, NULL, NULL) : CLI_DEVICE_SKIPPED;
}
