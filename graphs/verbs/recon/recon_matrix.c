/* SPDX-License-Identifier: BSD-3-Clause */
/* recon of counts with a system matrix. */
#include "recon_volume.h"

#include "halves.h"
#include "memory.h"
#include "recon_halves.h"
#include "simulation.h"
#include "unit_plan.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Matrix {
    char *path[SINO_COUNTS_PATHS]; /* of the counts */
    SinoMatrixInput input;
    SinoGaussian filter; /* of finished images */
    SinoUnitPlan plan;
    double planned_s; /* once the matrix is there */
    SinoOperator *op;
    double *lost;                 /* [set] */
    double *strength;             /* [set]: of the prior of bsrem; NULL: none */
    int64_t *iterations;          /* [set]: those of --iterations auto; NULL: as many as the settings say */
    int64_t nonzero_count, bytes; /* of the blocks of all ranks; of rank 0 once the images are there */
    SinoVolume **saved;           /* [number of the saved iteration]: images on their way; NULL: not open */
    int64_t *sets;                /* [number of the saved iteration]: sets that it has */
    int64_t saved_count;
} Matrix;

/* ---- input ---- */

static SinoRecordShape record(const SinoRecon *recon)
{
    const Matrix *own = recon->own;
    return sino_matrix_record_shape(recon->settings, &own->input);
}

static void request_volume(SinoRecon *recon)
{
    const Matrix *own = recon->own;
    const SinoRecordShape shape = record(recon);
    recon->request.slice_count = shape.slice_count;
    recon->request.set_count = shape.set_count;
    recon->request.height = shape.height;
    recon->request.width = shape.width;
    recon->request.row_step = 1;
    recon->request.units = "counts";
    for (int i = 0; i < 3; i++) recon->request.voxel_um[i] = 1000 * own->input.survey->outline.grid.size[i];
}

static SinoStatus try_input(const SinoSettings *settings)
{
    return sino_matrix_try(settings->counts.system_matrix);
}

/* Names the files of the counts, whose checksum is that of the input. */
static SinoStatus name_counts(SinoRecon *recon)
{
    Matrix *own = recon->own;
    SINO_TRY(sino_counts_paths(recon->settings->input.file_name, own->path));
    recon->files.name = (const char *const *)own->path;
    while (recon->files.count < SINO_COUNTS_PATHS && own->path[recon->files.count]) recon->files.count++;
    return NULL;
}

static SinoMatrixShare share_of(const SinoRecon *recon)
{
    return (SinoMatrixShare){.rank = sino_processes_rank(recon->processes),
                             .rank_count = sino_processes_count(recon->processes)};
}

static SinoStatus begin(SinoRecon *recon)
{
    const SinoSettings *settings = recon->settings;
    Matrix *own;
    SINO_TRY(sino_allocate(1, sizeof *own, "the run", &own));
    recon->own = own;
    SINO_TRY(name_counts(recon));
    SINO_TRY(sino_matrix_input_open(settings, share_of(recon), recon->log, &own->input));
    SINO_TRY(sino_matrix_filter(&settings->counts, &own->input.survey->outline.grid, &own->filter));
    SINO_TRY(sino_allocate(own->input.set_count, sizeof *own->lost, "sets of counts", &own->lost));
    if (settings->solver.algorithm == SINO_ALGORITHM_BSREM)
        SINO_TRY(sino_allocate(own->input.set_count, sizeof *own->strength, "sets of counts", &own->strength));
    for (int64_t s = 0; own->strength && s < own->input.set_count; s++) own->strength[s] = NAN;
    request_volume(recon);
    return NULL;
}

/* Collective. Every rank solves as many sets together as the one with least memory can. */
static SinoStatus agree_plan(const SinoRecon *recon, SinoStatus status)
{
    Matrix *own = recon->own;
    const int64_t sets = own->plan.batch_units;
    SINO_TRY(sino_processes_agree(recon->processes, status));
    SINO_TRY(sino_processes_least(recon->processes, &own->plan.batch_units));
    const bool apart = sino_processes_count(recon->processes) > 1 && own->input.set_count > own->plan.batch_units;
    SINO_CHECK(!apart || recon->settings->counts.save_every == 0, SINO_BAD_INPUT,
               "save-every in several processes that solve %" PRId64 " of %" PRId64
               " sets together; allowed: as many sets as are solved together",
               sets, own->input.set_count);
    return NULL;
}

static SinoStatus plan(SinoRecon *recon)
{
    Matrix *own = recon->own;
    SinoMachine machine = {0};
    int64_t devices = sino_runtime_device_count(recon->runtime);
    SINO_TRY(sino_processes_largest(recon->processes, &devices));
    SinoStatus status = sino_machine_here(recon->settings, recon->runtime, &machine);
    if (!status && devices > 0)
        status = sino_matrix_input_unfold(recon->settings, share_of(recon), recon->log, &own->input);
    const SinoUnitPlanRequest request = sino_counts_plan_request(recon->settings, &own->input, &machine);
    if (!status) status = sino_unit_plan_new(&request, &own->plan);
    if (!status) {
        const SinoUnitTimes times =
            sino_unit_plan_times(&request, &own->plan, sino_settings_iterations(&recon->settings->solver));
        own->planned_s = times.run - times.load;
    }
    return agree_plan(recon, status);
}

static void print_plan(const SinoRecon *recon, FILE *out)
{
    const Matrix *own = recon->own;
    fprintf(out, "processors: %s%s\n", sino_brick_isa_name(),
            sino_runtime_device_count(recon->runtime) > 0 ? " and devices" : "");
    fprintf(out, "ranks: %" PRId64 "\n", sino_processes_count(recon->processes));
    fprintf(out, "row partitions: %" PRId64 "\n", own->input.survey->all_partitions);
}

/* One rank keeps the images of a set. */
static SinoRestored restored(const SinoRecon *recon)
{
    (void)recon;
    return (SinoRestored){.data_ranks = 1};
}

/* ---- images on their way ---- */

/* The name of the images after an iteration: OUT_iteration_NUMBER.h5. */
static char *name_of_saved(const SinoRecon *recon, int64_t iteration)
{
    return sino_output_name(&recon->settings->output, "iteration", iteration, ".h5");
}

/* Opens the volume of the number-th saved iteration. */
static SinoStatus open_saved(SinoRecon *recon, int64_t number)
{
    Matrix *own = recon->own;
    char *name = name_of_saved(recon, (number + 1) * recon->settings->counts.save_every);
    SinoVolumeRequest request = recon->request;
    SINO_CHECK(name, SINO_FAILED, "no memory for file names");
    request.hdf5_path = name;
    request.tiff_directory = request.stack_path = request.zarr_path = NULL;
    request.codes = (SinoVoxelCodes){0}; /* --start needs all digits */
    SinoStatus status = sino_volume_open(&request, &own->saved[number]);
    free(name);
    return status;
}

static SinoStatus save(void *of, int64_t iteration, int64_t set, const float *image)
{
    SinoRecon *recon = of;
    Matrix *own = recon->own;
    const int64_t number = iteration / recon->settings->counts.save_every - 1;
    const int64_t slices = recon->request.slice_count / own->input.set_count;
    if (SINO_SIMULATES) return NULL;
    if (!own->saved[number]) SINO_TRY(open_saved(recon, number));
    SINO_TRY(sino_volume_write(own->saved[number], set * slices, slices, image));
    if (++own->sets[number] < own->input.set_count) return NULL;
    SINO_TRY(sino_volume_process_integers(own->saved[number], "iteration", 0, &iteration, "of the image"));
    SinoVolume *volume = own->saved[number];
    own->saved[number] = NULL;
    return sino_volume_finish(volume);
}

/* Room for the images, whose names must be free. */
static SinoStatus prepare_saved(SinoRecon *recon)
{
    Matrix *own = recon->own;
    const int64_t every = recon->settings->counts.save_every;
    if (every == 0 || SINO_SIMULATES) return NULL;
    own->saved_count = (recon->settings->solver.iterations - 1) / every;
    SINO_TRY(sino_allocate(own->saved_count, sizeof *own->sets, "images", &own->sets));
    SINO_TRY(sino_allocate(own->saved_count, sizeof(void *), "images", &own->saved));
    for (int64_t i = 0; i < own->saved_count; i++) {
        char *name = name_of_saved(recon, (i + 1) * every);
        SINO_CHECK(name, SINO_FAILED, "no memory for file names");
        SinoStatus status = sino_recon_check_new(recon->settings, name);
        free(name);
        SINO_TRY(status);
    }
    return NULL;
}

/* ---- the run ---- */

static void tell_plan(const SinoRecon *recon)
{
    const Matrix *own = recon->own;
    const SinoCountsInfo *counts = sino_counts_info(own->input.files.counts);
    char total[24], budget[24];
    sino_log_info(recon->log, "plan",
                  "counts: %s%s, sets: %" PRId64 ", solved together: %" PRId64 ", %" PRId64
                  " row partitions on %" PRId64 " workers, memory: %s of %s",
                  counts->kind, counts->events ? ", events" : "", own->input.set_count, own->plan.batch_units,
                  own->input.survey->partition_count, sino_runtime_worker_count(recon->runtime),
                  sino_bytes_text(own->plan.total_bytes, total), sino_bytes_text(own->plan.budget_bytes, budget));
    if (sino_runtime_device_count(recon->runtime) == 0 || own->plan.stay.listed) return;
    if (own->input.survey->mirrors)
        sino_log_warning(recon->log, "devices",
                         "products with the matrix stay on cores, since it is folded; with --mirrors unfolded devices "
                         "take part");
    else
        sino_log_warning(
            recon->log, "devices",
            "products with the matrix stay on cores: %s of memory do not hold the matrix and its lists for "
            "devices",
            budget);
}

static SinoStatus build(SinoRecon *recon)
{
    Matrix *own = recon->own;
    const SinoOperatorRequest request = {.problem = own->input.problem,
                                         .shape = {.data_rank = sino_processes_rank(recon->processes),
                                                   .data_count = sino_processes_count(recon->processes),
                                                   .nodes = 1,
                                                   .sockets = 1,
                                                   .workers = 1},
                                         .window_count = own->plan.stay.window_count,
                                         .listed = own->plan.stay.listed,
                                         .cache = recon->settings->projection.cache};
    SINO_TRY(sino_processes_agree(recon->processes, prepare_saved(recon)));
    tell_plan(recon);
    SINO_TRY(sino_operator_new(recon->runtime, &request, &own->op));
    own->op->kind->report(own->op);
    return NULL;
}

/* Collective. Sums what every rank knows of its rows. */
static SinoStatus join(SinoRecon *recon)
{
    Matrix *own = recon->own;
    int64_t sizes[] = {own->op->nonzero_count, sino_matrix_bytes(own->op)};
    SINO_TRY(sino_processes_sum_integers(recon->processes, 2, sizes));
    own->nonzero_count = sizes[0];
    own->bytes = sizes[1];
    return sino_processes_sum_doubles(recon->processes, own->input.set_count, own->lost);
}

static SinoMatrixSolution solution_of(SinoRecon *recon)
{
    const Matrix *own = recon->own;
    const int64_t every = recon->settings->counts.save_every;
    return (SinoMatrixSolution){.runtime = recon->runtime,
                                .settings = recon->settings,
                                .op = own->op,
                                .solver = own->input.solver,
                                .files = &own->input.files,
                                .set_count = own->input.set_count,
                                .batch_sets = own->plan.batch_units,
                                .iterations = own->iterations,
                                .filter = own->filter,
                                .volume = recon->volume,
                                .journal = recon->resume.journal,
                                .record = &recon->record,
                                .save = {.save = every > 0 ? save : NULL, .of = recon, .every = every},
                                .lost = own->lost,
                                .strength = own->strength};
}

/* Collective. Finds the numbers of --iterations auto. */
static SinoStatus choose(SinoRecon *recon)
{
    Matrix *own = recon->own;
    const int64_t sets = own->input.set_count;
    char numbers[80];
    if (recon->settings->solver.iterations > 0 || !own->input.solver->has_likelihood) return NULL;
    const SinoMatrixSolution solution = solution_of(recon);
    sino_log_info(recon->log, "solver",
                  "search: each half of the counts is reconstructed, and compared with the other");
    SINO_TRY(sino_processes_agree(recon->processes,
                                  sino_allocate(sets, sizeof *own->iterations, "iterations", &own->iterations)));
    SINO_TRY(sino_halves_counts(&solution, own->iterations));
    sino_recon_mark(recon, "the iterations are found");
    SINO_TRY(sino_recon_numbers_text(sets, own->iterations, "set", numbers, sizeof numbers));
    sino_log_info(recon->log, "solver", "iterations: %s, by both halves of the counts", numbers);
    return NULL;
}

static SinoStatus compute(SinoRecon *recon)
{
    const SinoMatrixSolution solution = solution_of(recon);
    return sino_matrix_solve(&solution);
}

static SinoReconFacts facts(const SinoRecon *recon)
{
    const double micrometres_per_mm = 1e3;
    const Matrix *own = recon->own;
    const double *size = own->input.survey->outline.grid.size;
    return (SinoReconFacts){.memory_bytes = own->plan.total_bytes,
                            .budget_bytes = own->plan.budget_bytes,
                            .data_bytes = own->plan.bytes.data,
                            .operator_bytes = own->plan.bytes.bricks,
                            .lists_bytes = own->plan.bytes.lists,
                            .compute_s = own->planned_s,
                            .voxel_um = size[0] * micrometres_per_mm,
                            .slice_um = size[2] * micrometres_per_mm};
}

static SinoReconSizes sizes(const SinoRecon *recon)
{
    const Matrix *own = recon->own;
    const SinoMatrixSurvey *matrix = own->input.survey;
    return (SinoReconSizes){.count = 2,
                            .of = {{"matrix",
                                    SINO_AMOUNT_NUMBER,
                                    3,
                                    {{"rows", "rows", (double)matrix->outline.row_count},
                                     {"voxels", "voxels", (double)matrix->outline.column_count},
                                     {"nonzeros", "nonzeros", (double)matrix->outline.nonzero_count}}},
                                   {"sets",
                                    SINO_AMOUNT_NUMBER,
                                    4,
                                    {{"count", "sets", (double)own->input.set_count},
                                     {"together", "solved together", (double)own->plan.batch_units},
                                     {"subsets", "subsets", (double)matrix->subset_count},
                                     {"row_partitions", "row partitions", (double)matrix->all_partitions}}}}};
}

/* Of the sets that this run has solved. */
static void tell_strengths(const SinoRecon *recon)
{
    const Matrix *own = recon->own;
    double least = INFINITY, most = -INFINITY;
    for (int64_t s = 0; s < own->input.set_count; s++) {
        least = fmin(least, own->strength[s]);
        most = fmax(most, own->strength[s]);
    }
    if (least > most) return;
    if (least == most)
        sino_log_info(recon->log, "solver", "regularization: %.3g", most);
    else
        sino_log_info(recon->log, "solver", "regularization: %.3g to %.3g by set", least, most);
}

static SinoStatus write_strengths(const SinoRecon *recon)
{
    const Matrix *own = recon->own;
    if (!own->strength) return NULL;
    tell_strengths(recon);
    return sino_volume_process_doubles(
        recon->volume, "regularization", own->input.set_count, 0, own->strength,
        "strength of the prior, per set; NaN: of a set that an unfinished run stored, or without counts");
}

static void tell_left_out(const SinoRecon *recon)
{
    const Matrix *own = recon->own;
    const SinoCountsInfo *counts = sino_counts_info(own->input.files.counts);
    if (counts->other_count > 0)
        sino_log_info(recon->log, "counts", "%" PRId64 " records are no events (times, randoms), and are left out",
                      counts->other_count);
}

static SinoStatus write_process(SinoRecon *recon)
{
    const Matrix *own = recon->own;
    const SinoVoxelGrid *grid = &own->input.survey->outline.grid;
    const int64_t nonzeros = own->nonzero_count;
    const double bytes = (double)own->bytes / (double)sino_larger(nonzeros, 1);
    SinoVolume *volume = recon->volume;
    tell_left_out(recon);
    sino_matrix_tell_lost(recon->log, own->input.survey->subset_count, own->input.set_count, own->lost);
    SINO_TRY(sino_volume_process_text(volume, "system_matrix", recon->settings->counts.system_matrix));
    SINO_TRY(sino_volume_process_integers(volume, "nonzeros", 0, &nonzeros, "of the system matrix"));
    SINO_TRY(sino_volume_process_doubles(volume, "bytes_per_nonzero", 0, 0, &bytes, "of the stored system matrix"));
    SINO_TRY(sino_volume_process_integers(volume, "orientations", 0, &own->input.survey->orientation_count,
                                          "mirrored images that each nonzero stands for"));
    if (grid->size[0] > 0)
        SINO_TRY(sino_volume_process_doubles(volume, "voxel_size", 3, 0, grid->size, "mm along x, y and z"));
    if (own->input.solver->has_likelihood)
        SINO_TRY(sino_volume_process_doubles(
            volume, "lost_counts", own->input.set_count, 0, own->lost,
            "counts of rows that no voxel explains, per set; NaN: of a set that an unfinished run stored"));
    SINO_TRY(write_strengths(recon));
    if (own->iterations)
        SINO_TRY(sino_volume_process_integers(volume, "iterations", own->input.set_count, own->iterations,
                                              "per set, by both halves of its counts"));
    return sino_recon_write_history(recon, own->input.set_count, "per set", "NaN once the set has stopped");
}

static void keep(SinoRecon *recon)
{
    const Matrix *own = recon->own;
    own->op->kind->keep(own->op, recon->settings->projection.cache);
}

static void release(SinoRecon *recon)
{
    Matrix *own = recon->own;
    if (!own) return;
    for (int64_t i = 0; i < own->saved_count && own->saved; i++)
        if (own->saved[i]) sino_volume_abandon(own->saved[i]);
    free(own->saved);
    free(own->sets);
    sino_operator_free(own->op);
    sino_matrix_input_close(&own->input);
    free(own->lost);
    free(own->strength);
    free(own->iterations);
    for (int i = 0; i < SINO_COUNTS_PATHS; i++) free(own->path[i]);
    free(own);
}

const SinoReconKind sino_recon_matrix = {.try_input = try_input,
                                         .begin = begin,
                                         .plan = plan,
                                         .print_plan = print_plan,
                                         .record = record,
                                         .build = build,
                                         .choose = choose,
                                         .restored = restored,
                                         .compute = compute,
                                         .facts = facts,
                                         .sizes = sizes,
                                         .planes = true,
                                         .report = join,
                                         .write_process = write_process,
                                         .keep = keep,
                                         .release = release};
