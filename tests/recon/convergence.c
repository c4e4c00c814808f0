/* SPDX-License-Identifier: BSD-3-Clause */
/* Convergence by precision: prints CG's residuals on two of MemXCT's sinograms as CSV. tests/plot_convergence draws
 * them (docs/convergence.svg). */
#include "testing.h"
#include "testing_recon.h"

enum { ITERATIONS = 24 };

typedef struct Set {
    const char *name;
    int columns;
} Set;

static void print_set(const Set *set, const char *directory, const char *sinogram)
{
    char theta[TESTING_PATH], name[64];
    snprintf(name, sizeof name, "memxct/%s_theta.bin", set->name);
    testing_data(theta, name);
    for (SinoPrecision precision = 0; precision < SINO_PRECISIONS; precision++) {
        TestingVolume volume = testing_recon(
            directory, "%s --theta %s --columns %d --rotation-axis %g --algorithm cg --iterations %d --precision %s",
            sinogram, theta, set->columns, (double)(set->columns - 1) / 2, ITERATIONS, sino_precision_name(precision));
        for (int64_t i = 0; i < volume.columns; i++)
            printf("%s,%s,%lld,%.9g\n", set->name, sino_precision_name(precision), (long long)i, volume.residual[i]);
        testing_volume_free(&volume);
    }
}

static void print_sets(void **state)
{
    static const Set set[] = {{"ADS1", 256}, {"ADS2", 512}};
    printf("set,precision,iteration,squared_residual\n");
    for (size_t i = 0; i < sizeof set / sizeof *set; i++) {
        char sinogram[TESTING_PATH], name[64];
        snprintf(name, sizeof name, "memxct/%s_sinogram.bin", set[i].name);
        if (testing_data_there(name)) print_set(&set[i], *state, testing_data(sinogram, name));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(print_sets, testing_directory_make, testing_directory_remove)};
    if (!testing_data_there("memxct/ADS1_sinogram.bin")) return TESTING_SKIPPED;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
