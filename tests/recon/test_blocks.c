/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocks: FBP of a scan that comes by blocks of angles has the bits of the scan as a whole. */
#include "testing.h"
#include "testing_recon.h"
#include "volume.h"
#include "workflows.h"

enum { SIZE = 45, SLICES = 3 };

#define STAGES "--zinger-removal-method none --remove-stripe-method none --air 0 --pictures no --overwrite "

typedef struct Volume {
    int64_t slice_count, size;
    float *value; /* owned */
} Volume;

/* The volume that settings write to `path`; they are freed. */
static Volume reconstruct(const char *path, SinoSettings *settings, bool follow)
{
    SinoLog *log = NULL;
    Volume volume;
    int64_t height;
    settings->input.follow = follow;
    assert_success(sino_log_open(SINO_LOG_TEXT, &log));
    assert_success(sino_recon(settings, NULL, log));
    assert_success(sino_volume_read(path, &volume.slice_count, &height, &volume.size, &volume.value));
    sino_log_close(log);
    sino_settings_free(settings);
    return volume;
}

static void assert_same(Volume a, Volume b)
{
    assert_true(a.slice_count == b.slice_count && a.size == b.size);
    assert_memory_equal(a.value, b.value, (size_t)(a.slice_count * a.size * a.size) * sizeof *a.value);
    free(a.value);
    free(b.value);
}

/* In 1, 3 and 7 blocks, of which the last one is short; with undefined values; of a half acquisition. */
static void phantoms_have_the_bits_of_the_whole(void **state)
{
    static const struct {
        int angles;
        const char *words;
    } runs[] = {{30, "--rotation-axis 22.3 --projector pixels"},
                {90, "--rotation-axis 22.3 --projector pixels --saturation 9000"},
                {200, "--rotation-axis 22.3 --projector rays"},
                {200, "--rotation-axis 22.3 --projector pixels"},
                {200, "--rotation-axis 22.3 --projector gridding --saturation 9000"},
                {90, "--theta 0:360 --rotation-axis 8.5"}};
    char scan[TESTING_PATH], out[TESTING_PATH], words[300];
    testing_path(scan, *state, "scan.h5");
    testing_path(out, *state, "volume.h5");
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        Volume volume[2];
        snprintf(words, sizeof words, "%%s --algorithm fbp --minibatch 2 --out %%s --max-repaired 1 " STAGES "%s",
                 runs[i].words);
        testing_phantom("--out %s --size %d --angles %d --slices %d", scan, SIZE, runs[i].angles, SLICES);
        for (int follow = 0; follow < 2; follow++)
            volume[follow] = reconstruct(out, testing_settings(SINO_VERB_RECON, words, scan, out), follow);
        assert_same(volume[0], volume[1]);
    }
}

static void tooth_has_the_bits_of_the_whole(void **state)
{
    Volume volume[2];
    char scan[TESTING_PATH], out[TESTING_PATH];
    if (!testing_data_there("tooth/tooth.h5")) skip();
    testing_data(scan, "tooth/tooth.h5");
    testing_path(out, *state, "volume.h5");
    for (int follow = 0; follow < 2; follow++)
        volume[follow] = reconstruct(
            out,
            testing_settings(SINO_VERB_RECON, "%s --algorithm fbp --rotation-axis 296 --out %s " STAGES, scan, out),
            follow);
    assert_same(volume[0], volume[1]);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, testing_directory_make, testing_directory_remove)

TESTING_SUBJECT(blocks)
{
    const struct CMUnitTest tests[] = {TEST(phantoms_have_the_bits_of_the_whole),
                                       TEST(tooth_has_the_bits_of_the_whole)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
