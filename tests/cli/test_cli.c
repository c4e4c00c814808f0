/* SPDX-License-Identifier: BSD-3-Clause */
/* Command line: test_cli SUBJECT runs the tests of one subject against the program that $SINODAG names. */
#include "cli.h"

static const struct {
    const char *name;
    int (*run)(void);
} subject[] = {
    {"input", cli_input_tests},
    {"settings", cli_settings_tests},
    {"disk", cli_disk_tests},
    {"output", cli_output_tests},
    {"formats", cli_formats_tests},
    {"graph", cli_graph_tests},
    {"trace", cli_trace_tests},
    {"trace_ranks", cli_trace_ranks_tests},
    {"trace_device", cli_trace_device_tests},
    {"info", cli_info_tests},
    {"interrupt", cli_interrupt_tests},
    {"operator_cache", cli_operator_cache_tests},
    {"bench", cli_bench_tests},
    {"plan", cli_plan_tests},
    {"ranks", cli_ranks_tests},
    {"job", cli_job_tests},
    {"phase", cli_phase_tests},
    {"tilt", cli_tilt_tests},
    {"align", cli_align_tests},
    {"instruments", cli_instruments_tests},
    {"stages", cli_stages_tests},
    {"suspicion", cli_suspicion_tests},
    {"center", cli_center_tests},
    {"fista", cli_fista_tests},
    {"normal", cli_normal_tests},
    {"volume_prior", cli_volume_prior_tests},
    {"volume_prior_ranks", cli_volume_prior_ranks_tests},
    {"halves", cli_halves_tests},
    {"mask", cli_mask_tests},
    {"weights", cli_weights_tests},
    {"solvers", cli_solvers_tests},
    {"start", cli_start_tests},
    {"try", cli_try_tests},
    {"slurm", cli_slurm_tests},
    {"init", cli_init_tests},
    {"compare", cli_compare_tests},
    {"device", cli_device_tests},
    {"device_absent", cli_device_absent_tests},
    {"device_cone", cli_device_cone_tests},
    {"device_matrix", cli_device_matrix_tests},
    {"hostile", cli_hostile_tests},
    {"models", cli_models_tests},
    {"inject", cli_inject_tests},
    {"report", cli_report_tests},
    {"resume", cli_resume_tests},
    {"cone", cli_cone_tests},
    {"follow", cli_follow_tests},
    {"follow_ranks", cli_follow_ranks_tests},
    {"cone_iterative", cli_cone_iterative_tests},
    {"vectors", cli_vectors_tests},
    {"cone_recon", cli_cone_recon_tests},
    {"cone_stages", cli_cone_stages_tests},
    {"cone_ranks", cli_cone_ranks_tests},
    {"counts_ranks", cli_counts_ranks_tests},
    {"pet", cli_pet_tests},
    {"counts", cli_counts_tests},
    {"counts_files", cli_counts_files_tests},
    {"mirrors", cli_mirrors_tests},
    {"spect", cli_spect_tests},
    {"safir", cli_safir_tests},
    {"scans", cli_scans_tests},
    {"policy", cli_policy_tests},
    {"simulate", cli_simulate_tests},
    {"simulate_graph", cli_simulate_graph_tests},
    {"simulate_lines", cli_simulate_lines_tests},
    {"simulate_machine", cli_simulate_machine_tests},
    {"simulate_ranks", cli_simulate_ranks_tests},
    {"sweep", cli_sweep_tests},
};

int main(int argument_count, char **arguments)
{
    for (size_t i = 0; argument_count == 2 && i < sizeof subject / sizeof *subject; i++)
        if (strcmp(arguments[1], subject[i].name) == 0) return subject[i].run();
    fputs("usage: SINODAG=PROGRAM test_cli SUBJECT; subjects:", stderr);
    for (size_t i = 0; i < sizeof subject / sizeof *subject; i++) fprintf(stderr, " %s", subject[i].name);
    fputs("\n", stderr);
    return 2;
}
