/* SPDX-License-Identifier: BSD-3-Clause */
/* Command line, disk: if the disk is full, the run fails with exit code 1, says which results are safe, and leaves no
 * partial file. A small tmpfs stands for the disk where it may be mounted. A limit on file sizes (ulimit -f) is tested
 * everywhere. */
#include "cli.h"

enum { SIZE = 64, SLICES = 8, SLICE = SIZE * SIZE };

/* Each slice is an entry of the journal. */
#define ONE_BY_ONE "--minibatch 1 "
#define RECON      "recon scan.h5 --rotation-axis 31.5 --algorithm cg --iterations 4 "

/* scan.h5, and its volume as both.h5 and both/recon_00000.tiff … */
static void make_reference(const char *directory, const char *options)
{
    cli_works(directory, "phantom -o scan.h5 --size 64 --angles 30 --slices 8 --noise 0");
    cli_works(directory, RECON "-o both.h5 --save-format both --pictures no --report none %s", options);
}

static void mount_disk(const char *directory, int64_t bytes)
{
    char options[40];
    snprintf(options, sizeof options, "size=%lld", (long long)bytes / 4096 * 4096);
    cli_mount(directory, "disk", 0, options);
}

/* Rows 0 to rows − 1 are in the folder, whole, with the marker of an unfinished volume, and nothing else. */
static void assert_rows(const char *directory, const char *folder, int rows)
{
    char path[TESTING_PATH], *expected = NULL;
    size_t size;
    FILE *names = open_memstream(&expected, &size);
    assert_non_null(names);
    for (int row = 0; row < rows; row++) {
        char name[64];
        fprintf(names, "%srecon_%05d.tiff", row ? " " : "", row);
        if (row == 0) fprintf(names, " recon_00000_to_%05d.partial", SLICES - 1);
        snprintf(name, sizeof name, "both/recon_%05d.tiff", row);
        float *wanted = cli_read_tiff(directory, name, SIZE);
        snprintf(name, sizeof name, "%s/recon_%05d.tiff", folder, row);
        float *found = cli_read_tiff(directory, name, SIZE);
        assert_memory_equal(found, wanted, SLICE * sizeof *found);
        free(wanted);
        free(found);
    }
    assert_int_equal(fclose(names), 0);
    assert_names(testing_path(path, directory, folder), expected);
    free(expected);
}

static void assert_empty(const char *directory, const char *folder)
{
    char path[TESTING_PATH];
    assert_names(testing_path(path, directory, folder), "");
}

static void no_room_for_hdf5_from_the_start(void **state)
{
    CliRun run = {.directory = *state};
    make_reference(*state, "");
    mount_disk(*state, cli_file_size(*state, "both.h5") / 2);
    cli_start(&run, RECON "-o disk/out.h5");
    cli_wait(&run);
    cli_assert_ended(&run, 1, "disk/out.h5 | # KiB | No space left");
    cli_start(&run, RECON "-o disk/out.h5 --save-format both");
    cli_wait(&run);
    cli_assert_ended(&run, 1, "disk/out.h5 | # KiB | No space left");
    cli_start(&run, RECON "-o disk/out.tif --save-format tiff-stack");
    cli_wait(&run);
    cli_assert_ended(&run, 1, "disk/out.tif | # KiB | No space left");
    assert_empty(*state, "disk");
}

static void hdf5_fails_at_its_end(void **state)
{
    CliRun run = {.directory = *state};
    make_reference(*state, "");
    mount_disk(*state, cli_file_size(*state, "both.h5") - 1);
    cli_start(&run, RECON "-o disk/out.h5");
    cli_wait(&run);
    cli_assert_ended(&run, 1, "disk/out.h5 | byte # | No space left | disk/out.h5 was not written");
    assert_empty(*state, "disk");
}

static void assert_same_volume(const char *directory, const char *name)
{
    float *wanted = cli_read_volume(directory, "both.h5", SLICES, SIZE);
    float *found = cli_read_volume(directory, name, SLICES, SIZE);
    assert_memory_equal(found, wanted, SLICES * SLICE * sizeof *found);
    free(wanted);
    free(found);
}

/* Nobody knows beforehand how large it becomes. */
static void compressed_hdf5_fills_the_disk(void **state)
{
    CliRun run = {.directory = *state};
    make_reference(*state, "");
    cli_works(*state, RECON "-o small.h5 --compression deflate --pictures no");
    mount_disk(*state, cli_file_size(*state, "small.h5") / 2);
    cli_start(&run, RECON "-o disk/out.h5 --compression deflate");
    cli_wait(&run);
    cli_assert_ended(&run, 1, "disk/out.h5 | byte # | No space left | disk/out.h5 was not written");
    assert_empty(*state, "disk");
}

/* The slices fit, the shards do not; --resume needs the shards only. */
static void zarr_fails_at_its_end(void **state)
{
    CliRun run = {.directory = *state};
    char path[TESTING_PATH];
    make_reference(*state, "");
    mount_disk(*state, SLICES * SLICE * 4 * 3 / 2);
    cli_start(&run, RECON "-o disk/out.zarr --save-format zarr");
    cli_wait(&run);
    cli_assert_ended(&run, 1,
                     "disk/out.zarr.partial/0/c/0/0/0 | byte # | No space left | disk/out.zarr was not written | "
                     "--resume | 8 of 8 slices");
    assert_names(testing_path(path, *state, "disk"), "out.zarr.journal out.zarr.slices.partial");
}

static void tiff_keeps_finished_rows(void **state)
{
    CliRun run = {.directory = *state};
    make_reference(*state, ONE_BY_ONE);
    /* The marker and the journal take a page each, a TIFF file five. */
    mount_disk(*state, 2 * 4096 + 3 * 20480);
    cli_start(&run, RECON ONE_BY_ONE "-o disk/out --save-format tiff");
    cli_wait(&run);
    cli_assert_ended(&run, 1,
                     "disk/out/recon_00003.tiff | byte 0 | No space left | rows 0 to 2 are complete | disk/out | "
                     "--resume | 3 of 8 slices");
    assert_rows(*state, "disk/out", 3);
}

static void both_keep_finished_rows(void **state)
{
    CliRun run = {.directory = *state};
    make_reference(*state, ONE_BY_ONE);
    mount_disk(*state, 37 * 4096 + 2 * 20480); /* the marker, the journal and room for the HDF5 file come first */
    cli_start(&run, RECON ONE_BY_ONE "-o disk/out.h5 --save-format both");
    cli_wait(&run);
    cli_assert_ended(&run, 1,
                     "disk/out/recon_00002.tiff | byte 0 | No space left | rows 0 to 1 are complete | disk/out.h5 was "
                     "not written | --resume | 2 of 8 slices");
    assert_rows(*state, "disk/out", 2);
    char path[TESTING_PATH];
    assert_names(testing_path(path, *state, "disk"),
                 "out out/recon_00000.tiff out/recon_00000_to_00007.partial out/recon_00001.tiff "
                 "out.h5.journal out.h5.partial");
}

static void pictures_fail_after_the_volume(void **state)
{
    CliRun run = {.directory = *state};
    make_reference(*state, "");
    /* The journal, which is gone before the pictures, leaves room for the first one. */
    mount_disk(*state, (cli_file_size(*state, "both.h5") + 4095) / 4096 * 4096 + 4096);
    cli_start(&run, RECON "-o disk/out.h5");
    cli_wait(&run);
    cli_assert_ended(&run, 1, "disk/out_sinogram_00004.png | byte 0 | No space left | volume is complete");
    assert_same_volume(*state, "disk/out.h5");
    char path[TESTING_PATH];
    assert_names(testing_path(path, *state, "disk"), "out.h5 out_slice_00004.png");
}

static void graph_fails(void **state)
{
    CliRun run = {.directory = *state};
    make_reference(*state, "");
    mount_disk(*state, 4096);
    cli_start(&run, RECON "-o out.h5 --graph disk/graph.dot");
    cli_wait(&run);
    cli_assert_ended(&run, 1, "disk/graph.dot | byte # | No space left | volume is complete");
    free(cli_read_volume(*state, "out.h5", SLICES, SIZE));
    assert_empty(*state, "disk");
}

static void phantom_fails(void **state)
{
    CliRun run = {.directory = *state};
    mount_disk(*state, 61440);
    cli_start(&run, "phantom -o disk/scan.h5 --size 64 --angles 60 --slices 8 --truth truth.h5");
    cli_wait(&run);
    cli_assert_ended(&run, 1, "disk/scan.h5 | # KiB | No space left");
    cli_start(&run, "phantom -o scan.h5 --size 64 --angles 60 --slices 8 --truth disk/truth.h5");
    cli_wait(&run);
    cli_assert_ended(&run, 1, "disk/truth.h5 | # KiB | No space left");
    assert_names(*state, "disk");
    cli_start(&run, "demo --out disk/demo --size 64 --angles 60 --slices 8");
    cli_wait(&run);
    cli_assert_ended(&run, 1, "disk/demo/truth.h5 | # KiB | No space left");
    assert_names(*state, "disk");
}

/* Every file is smaller than the limit but the one that shall fail. */
static void files_beyond_the_limit(void **state)
{
    CliRun run = {.directory = *state};
    make_reference(*state, "");
    run.file_bytes_max = cli_file_size(*state, "both.h5") - 1;
    cli_start(&run, RECON "-o out.h5");
    cli_wait(&run);
    cli_assert_ended(&run, 1, "out.h5 | byte # | File too large | out.h5 was not written | --resume | 8 of 8 slices");
    cli_works(*state, RECON "-o out.h5 --pictures no --report none --resume");
    assert_same_volume(*state, "out.h5");
    char path[TESTING_PATH];
    assert_int_equal(unlink(testing_path(path, *state, "out.h5")), 0);
    run.file_bytes_max = cli_file_size(*state, "both.h5") / 2;
    cli_start(&run, RECON "-o out.h5 --save-format both");
    cli_wait(&run);
    cli_assert_ended(&run, 1, "out.h5 | # KiB | File too large");
    run.file_bytes_max = cli_file_size(*state, "both/recon_00000.tiff") - 1;
    cli_start(&run, RECON "-o out --save-format tiff");
    cli_wait(&run);
    cli_assert_ended(&run, 1, "out/recon_00000.tiff | byte # | File too large | no row is complete");
    run.file_bytes_max = 8192;
    cli_start(&run, "phantom -o new.h5 --size 64 --angles 60 --slices 8");
    cli_wait(&run);
    cli_assert_ended(&run, 1, "new.h5 | # | File too large");
    run.file_bytes_max = 4096;
    cli_start(&run,
              "recon scan.h5 -o one --rotation-axis 31 --end-row 1 --save-format tiff --algorithm cg --iterations 4 "
              "--graph graph.dot --pictures no --report none --end-column 16");
    cli_wait(&run);
    cli_assert_ended(&run, 1, "graph.dot | byte # | File too large | volume is complete");
    char *names = cli_listing(*state);
    assert_null(strstr(names, "partial"));
    assert_null(strstr(names, "graph"));
    assert_null(strstr(names, "new"));
    assert_null(strstr(names, "truth"));
    assert_null(strstr(names, "out"));
    assert_non_null(strstr(names, "one/recon_00000.tiff"));
    free(names);
}

int cli_disk_tests(void)
{
    const struct CMUnitTest tests[] = {
        CLI_TEST(no_room_for_hdf5_from_the_start),
        CLI_TEST(hdf5_fails_at_its_end),
        CLI_TEST(compressed_hdf5_fills_the_disk),
        CLI_TEST(zarr_fails_at_its_end),
        CLI_TEST(tiff_keeps_finished_rows),
        CLI_TEST(both_keep_finished_rows),
        CLI_TEST(pictures_fail_after_the_volume),
        CLI_TEST(graph_fails),
        CLI_TEST(phantom_fails),
        CLI_TEST(files_beyond_the_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
