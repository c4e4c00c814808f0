/* SPDX-License-Identifier: BSD-3-Clause */
/* Accuracy: prints the tables of docs/lab/accuracy.md, which compare reconstructions of the noise-free phantom with its
 * truth. */
#include "testing.h"
#include "testing_recon.h"

#include "volume.h"

#include <math.h>

/* A phantom scan of one slice, 25 angles for 16 columns, and its voxel averages. */
typedef struct Head {
    int size;
    char scan[TESTING_PATH];
    float *truth;
} Head;

/* Relative to ‖truth‖ within the inscribed circle, which every angle covers. */
typedef struct Errors {
    double all;
    double flat; /* of voxels whose 5 × 5 neighbours have all the same value: away from edges */
    double bias; /* mean error over mean truth */
} Errors;

static Head make_head(const char *directory, int size)
{
    Head head = {.size = size};
    char truth[TESTING_PATH];
    int64_t slices, height, width;
    testing_path(head.scan, directory, "scan.h5");
    testing_path(truth, directory, "truth.h5");
    testing_phantom("--out %s --truth %s --size %d --angles %d --slices 1 --noise 0", head.scan, truth, size,
                    size * 25 / 16);
    assert_success(sino_volume_read(truth, &slices, &height, &width, &head.truth));
    return head;
}

static bool is_flat(const Head *head, int64_t row, int64_t column)
{
    enum { REACH = 2 };
    const float value = head->truth[row * head->size + column];
    for (int64_t r = row - REACH; r <= row + REACH; r++)
        for (int64_t c = column - REACH; c <= column + REACH; c++)
            if (r >= 0 && r < head->size && c >= 0 && c < head->size &&
                fabsf(head->truth[r * head->size + c] - value) > 1e-6f * value)
                return false;
    return true;
}

static Errors errors_of(const Head *head, const TestingVolume *volume)
{
    const double middle = (double)(head->size - 1) / 2, radius = (double)head->size / 2;
    double norm = 0, all = 0, flat = 0, sum = 0, truth = 0;
    for (int64_t i = 0; i < (int64_t)head->size * head->size; i++) {
        const int64_t row = i / head->size, column = i % head->size;
        if (hypot((double)column - middle, (double)row - middle) > radius) continue;
        const double expected = (double)head->truth[i], off = (double)volume->value[i] - expected;
        norm += expected * expected;
        truth += expected;
        sum += off;
        all += off * off;
        if (is_flat(head, row, column)) flat += off * off;
    }
    return (Errors){sqrt(all / norm), sqrt(flat / norm), sum / truth};
}

static Errors run(const Head *head, const char *directory, const char *options)
{
    char words[256];
    snprintf(words, sizeof words, "%%s --rotation-axis %%g %s", options);
    TestingVolume volume = testing_recon(directory, words, head->scan, (double)(head->size - 1) / 2);
    const Errors errors = errors_of(head, &volume);
    testing_volume_free(&volume);
    return errors;
}

static const char *const iterative[] = {"--algorithm cg --iterations 10", "--algorithm cg --iterations 30",
                                        "--algorithm sirt --iterations 200"};

static void methods_at_256(void **state)
{
    static const char *const windows[] = {"ramp", "shepp", "cosine", "hann", "hamming", "parzen", "butterworth"};
    Head head = make_head(*state, 256);
    printf("\n| 256², 400 angles | relative L2 error | of it away from edges | bias |\n|---|---|---|---|\n");
    for (size_t i = 0; i < 3; i++) {
        const Errors errors = run(&head, *state, iterative[i]);
        printf("| `%s` | %.2f %% | %.2f %% | %+.3f %% |\n", iterative[i], 100 * errors.all, 100 * errors.flat,
               100 * errors.bias);
    }
    for (size_t i = 0; i < sizeof windows / sizeof *windows; i++) {
        char options[128];
        snprintf(options, sizeof options, "--algorithm fbp --fbp-filter %s", windows[i]);
        const Errors errors = run(&head, *state, options);
        printf("| `%s` | %.2f %% | %.2f %% | %+.3f %% |\n", options, 100 * errors.all, 100 * errors.flat,
               100 * errors.bias);
    }
    free(head.truth);
}

static void error_against_resolution(void **state)
{
    static const int sizes[] = {64, 128, 256, 512};
    static const char *const options[] = {"--algorithm cg --iterations 10", "--algorithm cg --iterations 30",
                                          "--algorithm sirt --iterations 200", "--algorithm fbp --fbp-filter ramp",
                                          "--algorithm fbp --fbp-filter shepp"};
    printf("\n| N², angles | CG-10 | CG-30 | SIRT-200 | FBP ramp | FBP shepp |\n|---|---|---|---|---|---|\n");
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        Head head = make_head(*state, sizes[s]);
        printf("| %d², %d |", head.size, head.size * 25 / 16);
        for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
            const Errors errors = run(&head, *state, options[i]);
            printf(" %.2f %% |", 100 * errors.all);
            fflush(stdout);
        }
        printf("\n");
        free(head.truth);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, testing_directory_make, testing_directory_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(methods_at_256), TEST(error_against_resolution)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
