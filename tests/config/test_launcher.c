/* SPDX-License-Identifier: BSD-3-Clause */
/* Launcher: what the variables of each launcher mean, alone and nested. */
#include "launcher.h"
#include "testing.h"

static const char *const known[] = {"OMPI_COMM_WORLD_RANK",
                                    "OMPI_COMM_WORLD_SIZE",
                                    "MV2_COMM_WORLD_RANK",
                                    "MV2_COMM_WORLD_SIZE",
                                    "PMI_RANK",
                                    "PMI_SIZE",
                                    "FLUX_TASK_RANK",
                                    "FLUX_JOB_SIZE",
                                    "PALS_RANKID",
                                    "PMIX_RANK",
                                    "PMIX_NAMESPACE",
                                    "SLURM_PROCID",
                                    "SLURM_STEP_NUM_TASKS",
                                    "SLURM_JOB_ID",
                                    "SLURM_NTASKS"};

/* The launcher with these variables, "NAME=VALUE NAME=VALUE …", and none of the others. */
static SinoLauncher with(const char *variables)
{
    char text[256];
    snprintf(text, sizeof text, "%s", variables);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) assert_int_equal(unsetenv(known[i]), 0);
    for (char *rest = text, *word; (word = strsep(&rest, " "));) {
        char *value = strchr(word, '=');
        if (!value) continue;
        *value = '\0';
        assert_int_equal(setenv(word, value + 1, 1), 0);
    }
    return sino_launcher();
}

static void assert_launcher(const char *variables, const char *name, int64_t rank, int64_t size)
{
    const SinoLauncher launcher = with(variables);
    if (!name != !launcher.name || (name && strcmp(name, launcher.name) != 0) || launcher.rank != rank ||
        launcher.size != size)
        fail_msg("'%s': launcher %s, rank %lld, size %lld", variables, launcher.name ? launcher.name : "none",
                 (long long)launcher.rank, (long long)launcher.size);
}

static void each_launcher(void **state)
{
    (void)state;
    assert_launcher("", NULL, 0, 1);
    assert_launcher("OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=2", "Open MPI", 1, 2);
    assert_launcher("MV2_COMM_WORLD_RANK=1 MV2_COMM_WORLD_SIZE=4", "MVAPICH", 1, 4);
    assert_launcher("PMI_RANK=3 PMI_SIZE=4", "a PMI launcher", 3, 4);
    assert_launcher("PMI_RANK=3", "a PMI launcher", 3, 0);
    assert_launcher("FLUX_TASK_RANK=0 FLUX_JOB_SIZE=2", "Flux", 0, 2);
    assert_launcher("PALS_RANKID=5", "PALS", 5, 0);
    assert_launcher("PMIX_RANK=1 PMIX_NAMESPACE=prterun-host-1@1", "a PMIx launcher", 1, 0);
    assert_launcher("SLURM_PROCID=2 SLURM_STEP_NUM_TASKS=3", "srun", 2, 3);
    assert_launcher("PMIX_RANK=2 PMIX_NAMESPACE=slurm.pmix.7.0 SLURM_PROCID=2 SLURM_STEP_NUM_TASKS=3", "srun", 2, 3);
}

/* A batch script has a number of a process, but no step. */
static void within_an_allocation(void **state)
{
    (void)state;
    assert_launcher("SLURM_PROCID=0 SLURM_JOB_ID=7 SLURM_NTASKS=4", NULL, 0, 1);
    assert_launcher("SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=1", "srun", 0, 1);
}

/* mpirun starts its daemons by srun, whose variables the processes of mpirun then inherit. */
static void the_inner_launcher_counts(void **state)
{
    (void)state;
    assert_launcher("SLURM_PROCID=1 SLURM_STEP_NUM_TASKS=2 OMPI_COMM_WORLD_RANK=5 OMPI_COMM_WORLD_SIZE=8 PMIX_RANK=5",
                    "Open MPI", 5, 8);
    assert_launcher("SLURM_PROCID=1 SLURM_STEP_NUM_TASKS=2 PMI_RANK=3 PMI_SIZE=4", "a PMI launcher", 3, 4);
    assert_launcher("SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=1 PMIX_RANK=3 PMIX_NAMESPACE=prterun-host-1@1",
                    "a PMIx launcher", 3, 0);
}

static void what_is_no_number_is_no_rank(void **state)
{
    (void)state;
    assert_launcher("PMI_RANK=", NULL, 0, 1);
    assert_launcher("PMI_RANK=x PMI_SIZE=2", NULL, 0, 1);
    assert_launcher("PMI_RANK=-1 PMI_SIZE=2", NULL, 0, 1);
}

static void steps_without_a_plug_in(void **state)
{
    (void)state;
    SinoLauncher launcher = with("SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=2");
    assert_false(sino_launcher_serves_mpi(&launcher));
    assert_int_equal(setenv("PMI_FD", "7", 1), 0);
    assert_true(sino_launcher_serves_mpi(&launcher));
    assert_int_equal(unsetenv("PMI_FD"), 0);
    launcher = with("FLUX_TASK_RANK=0 FLUX_JOB_SIZE=2");
    assert_true(sino_launcher_serves_mpi(&launcher));
}

TESTING_SUBJECT(launcher)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_launcher),
        cmocka_unit_test(within_an_allocation),
        cmocka_unit_test(the_inner_launcher_counts),
        cmocka_unit_test(what_is_no_number_is_no_rank),
        cmocka_unit_test(steps_without_a_plug_in),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
