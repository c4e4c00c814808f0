/* SPDX-License-Identifier: BSD-3-Clause */
/* Resources: the bytes of a run, from the tables of buffers that allocation reads. */
#include "resources.h"

#include "arithmetic.h"
#include "files_tasks.h"
#include "halves.h"
#include "input_parts.h"
#include "live.h"
#include "rotate.h"
#include "stages_tasks.h"
#include "support.h"

#include <math.h>

int64_t sino_workload_fields(const SinoInput *input)
{
    if (input->flat_correction == SINO_FLAT_NONE) return 0;
    return sino_larger(input->info->flat_count, input->info->dark_count);
}

int64_t sino_workload_packed(const SinoOutputSettings *settings, int64_t voxels)
{
    if (settings->compression != SINO_COMPRESSION_DEFLATE) return 0;
    return sino_compress_slice_bytes(settings->type, voxels);
}

bool sino_workload_is_supported(const SinoSolverSettings *settings)
{
    return settings->support_ratio > 0 || settings->mask;
}

static int64_t packing_bytes(const SinoMachine *machine, int64_t slices, int64_t slice_bytes)
{
    if (slice_bytes == 0) return 0;
    return sino_volume_packed_bytes(slices, sino_larger(machine->worker_count, 1), slice_bytes);
}

int64_t sino_workload_packing(const SinoOutputSettings *settings, const SinoMachine *machine, int64_t slices,
                              int64_t voxels)
{
    return packing_bytes(machine, slices, sino_workload_packed(settings, voxels));
}

/* Columns that trials of strengths average. Weights of a file are not averaged, and without weights, by the normal
 * operator, averaged columns want other strengths. */
static int64_t trial_binning(const SinoSolver *solver, const SinoSettings *settings, const SinoGeometry *geometry)
{
    if (solver->choice != SINO_ALGORITHM_FISTA || !isnan(settings->prior.regularization)) return 0;
    return settings->solver.weights == SINO_WEIGHTS_FILE || solver->normal ? 1 : sino_halves_binning(geometry);
}

/* What the tilt of the detector and phase retrieval add: all columns of the detector, the rows beside a slab, and
 * scratch memory. */
static void add_images(const SinoInput *input, int64_t angle_count, SinoWorkload *job)
{
    SinoInput plain = *input;
    if (!sino_input_has_images(input)) return;
    plain.phase.range = 0;
    plain.tilt_rad = 0;
    plain.shift = NULL;
    plain.column_count = input->info->column_count;
    job->slice_bytes = sino_input_slab_bytes(&plain, angle_count, 1);
    job->field_bytes = sino_input_field_bytes(&plain, 1);
    job->fields_bytes = sino_input_fields_bytes(&plain, 1);
    job->halo_bytes = sino_input_slab_bytes(input, angle_count, 1) - job->slice_bytes;
    job->halo_fields_bytes = sino_input_fields_bytes(input, 1) - job->fields_bytes;
    const int64_t none = sino_input_images_bytes(input, 0);
    job->stage_slice_bytes = sino_input_images_bytes(input, input->binning) - none;
    job->stage_bytes += none;
    const int64_t none_of_gpus = sino_input_images_gpu_bytes(input, 0);
    const int64_t slice_of_gpus = sino_input_images_gpu_bytes(input, 1) - none_of_gpus;
    job->stage_gpu_bytes += sino_larger(none_of_gpus - none, 0);
    job->stage_gpu_slice_bytes = sino_larger(slice_of_gpus - job->stage_slice_bytes, 0);
}

static SinoFinishWork finish_of(const SinoSolver *solver, const SinoSettings *settings, int64_t subsets)
{
    const bool prior = settings->prior.regularization != 0; /* NaN: one that is sought */
    if (!solver->finish_work || !prior) return (SinoFinishWork){0};
    return solver->finish_work(subsets, sino_settings_iterations(&settings->solver));
}

SinoWorkload sino_workload_of_input(const SinoSettings *settings, const SinoInput *input)
{
    const SinoSolver *solver = sino_solver_of(settings);
    const SinoStripesOptions stripes = sino_input_stripes(input);
    const int64_t of_cores = stripes.method ? sino_stripes_scratch_bytes(&stripes) : 0;
    const int64_t side = sino_geometry_slice_side(&input->geometry);
    const int64_t block = solver->blocks ? sino_smaller(SINO_BLOCK_ANGLES, input->geometry.angle_count) : 0;
    const int64_t together = block > 0 ? block : input->angle_count;
    SinoWorkload job = {
        .problem = {.geometry = input->geometry,
                    .precision = settings->projection.precision,
                    .symmetry = settings->projection.symmetry,
                    .subset_count = sino_solver_subsets(solver, &settings->solver, input->geometry.angle_count),
                    .block_angles = block,
                    .whole_orbits = settings->projection.symmetry,
                    .projector = settings->projection.projector,
                    .interpolation = settings->projection.interpolation},
        .solver = solver,
        .sought = sino_workload_is_sought(solver, &settings->prior),
        .halved = solver->iterative && settings->solver.iterations == 0,
        .history_columns = sino_solver_history_columns(solver, &settings->solver),
        .trial_iterations = sino_halves_trial_iterations(&settings->solver),
        .trial_binning = trial_binning(solver, settings, &input->geometry),
        .history_numbers = sino_solver_history_numbers(solver, &settings->solver),
        .slice_count = input->slice_count,
        .slice_bytes = sino_input_slab_bytes(input, together, 1),
        .field_bytes = sino_input_field_bytes(input, 1),
        .fields_bytes = sino_input_fields_bytes(input, 1),
        .stage_bytes = of_cores,
        .stage_gpu_bytes = sino_larger(sino_stripes_gpu_bytes(&stripes) - of_cores, 0),
        .field_images = sino_workload_fields(input),
        .packed_bytes = sino_workload_packed(&settings->output, sino_times(side, side)),
        .supported = sino_workload_is_supported(&settings->solver),
        .mask_bytes = sino_mask_bytes(&settings->solver, side, side),
        .ray_weight_bytes = sino_input_weights_bytes(&settings->solver, input, SINO_SLICES_MAX),
        .pictures = sino_settings_records_planes(settings),
        .live_bytes = sino_settings_live_page(&settings->input)
                          ? sino_live_bytes(side, side, input->slice_count,
                                            sino_times(input->angle_count, input->geometry.column_count))
                          : 0};
    add_images(input, together, &job);
    job.finish = finish_of(solver, settings, job.problem.subset_count);
    if (!sino_input_is_half(input)) job.problem.geometry.center = (double)(input->geometry.column_count - 1) / 2;
    return job;
}

bool sino_workload_is_sought(const SinoSolver *solver, const SinoPriorSettings *settings)
{
    return solver->normal && solver->choice == SINO_ALGORITHM_FISTA && isnan(settings->regularization);
}

/* The search has two more operators, the second of which is built while there is the first, and a slot for each
 * strength that is tried at a time, with the projections that it predicts; and an operator that rotates
 * (halves.h). */
static int64_t search_bytes(const SinoWorkload *job, const SinoOperatorSize *size, const SinoMachine *machine,
                            int64_t slot_bytes)
{
    const SinoGeometry *scan = &job->problem.geometry;
    const int64_t rays = sino_times(sino_ceil_divide(scan->angle_count, 2), scan->column_count);
    const int64_t scratch = sino_times(sino_larger(machine->worker_count, 1), sino_rotate_scratch_bytes());
    const int64_t predicted = sino_times(rays, sino_panel_stride(SINO_SINGLE, 1) * (int64_t)sizeof(float));
    if (!job->sought) return 0;
    return SINO_HALVES * (size->map_bytes + (machine->devices.count > 0 ? size->table_bytes : 0) + scratch) +
           sino_larger(size->building_bytes, SINO_HALVES_STEPS * (slot_bytes + predicted));
}

SinoOperatorRequest sino_trial_operator(const SinoProblem *problem, int64_t binning, int64_t workers, int64_t devices)
{
    SinoProblem trial = *problem;
    trial.geometry = sino_halves_binned(&problem->geometry, binning);
    const int64_t partitions = sino_halves_partitions(&trial, workers, devices);
    const bool on_cores = devices == 0 && problem->precision == SINO_SINGLE;
    trial.projector = on_cores ? SINO_PROJECTOR_LINES : SINO_PROJECTOR_RAYS;
    if (on_cores && sino_halves_folds(&problem->geometry) == 1 &&
        sino_operator_completed(&trial.geometry, 1).total == 0) {
        trial.left_out = sino_halves_parts(problem->geometry.angle_count);
        trial.subset_count++;
    }
    return (SinoOperatorRequest){.problem = trial,
                                 .division = {.topology = {1, 1, 1, partitions}, .mean_weight = 1},
                                 .shape = SINO_EXCHANGE_ALONE(partitions)};
}

SinoBatch sino_trial_batch(const SinoWorkload *job, const SinoOperatorKind *kind)
{
    const int64_t slices = sino_times(sino_halves_strengths(kind), sino_halves_folds(&job->problem.geometry));
    return (SinoBatch){.stride = sino_panel_stride(job->problem.precision, slices),
                       .history_numbers = job->trial_iterations + 1};
}

int64_t sino_trial_bytes(const SinoWorkload *job, const SinoProblem *problem, const SinoOperatorSize *size,
                         const SinoMachine *machine)
{
    const SinoSolver *solver = job->solver;
    const SinoBatch batch = sino_trial_batch(job, sino_operator_kind(problem));
    const bool devices = machine->devices.count > 0;
    return size->bytes + size->map_bytes + (devices ? sino_device_estimate_lists(size->bytes) + size->table_bytes : 0) +
           sino_larger(size->building_bytes,
                       sino_minibatch_bytes(sino_operator_kind(problem), &solver->vectors, &size->shape, batch) +
                           sino_solver_weight_bytes(solver, problem, &size->shape) +
                           (job->supported ? sino_support_bytes(&size->shape) : 0));
}

/* Memory of a worker: scratch memory of stages, which it keeps, and that of the solver's tasks. */
static int64_t scratch_bytes(const SinoWorkload *job, const SinoMachine *machine, const SinoStreaming *streaming)
{
    const bool on_gpus = machine->devices.slices > 0;
    const int64_t of_slice = job->stage_slice_bytes + (on_gpus ? job->stage_gpu_slice_bytes : 0);
    const int64_t of_stage =
        job->stage_bytes + (on_gpus ? job->stage_gpu_bytes : 0) + sino_times(streaming->minibatch, of_slice);
    const int64_t of_solver = job->solver->scratch_bytes ? job->solver->scratch_bytes(&job->problem) : 0;
    return of_stage + of_solver;
}

SinoResources sino_resources(const SinoWorkload *job, const SinoOperatorSize *size, const SinoMachine *machine,
                             const SinoStreaming *streaming, int64_t data_ranks, int64_t window_count)
{
    enum { SLAB_SETS = 2 };
    const SinoSolver *solver = job->solver;
    const SinoOperatorKind *kind = sino_operator_kind(&job->problem);
    const SinoBatch batch = {.stride = streaming->stride, .history_numbers = job->history_numbers};
    const int64_t slab = streaming->slab_slices;
    const SinoRecordShape record = sino_record_shape(&job->problem.geometry, job->slice_count, job->history_columns,
                                                     job->history_numbers, job->pictures);
    SinoResources bytes = {
        .base_bytes = sino_runtime_base_bytes(),
        .operator_bytes = window_count > 0 ? sino_times(window_count, size->partition_bytes) : size->bytes,
        .lists_bytes = machine->devices.count > 0 ? sino_device_estimate_lists(size->bytes) : 0,
        .map_bytes = size->map_bytes + (machine->devices.count > 0 ? size->table_bytes : 0),
        .building_bytes = size->building_bytes,
        .slot_bytes = sino_minibatch_bytes(kind, &solver->vectors, &size->shape, batch),
        .vector_bytes = sino_buffers_bytes(solver->vectors.count, solver->vectors.buffer, &size->shape, batch),
        .sum_bytes = kind->work_bytes(&size->shape, batch),
        .weight_bytes = sino_solver_weight_bytes(job->solver, &job->problem, &size->shape) +
                        (job->supported ? sino_support_bytes(&size->shape) : 0),
        .slab_bytes = sino_times(slab, sino_ceil_divide(job->slice_bytes, data_ranks) + job->fields_bytes) +
                      sino_ceil_divide(job->halo_bytes, data_ranks) + job->halo_fields_bytes,
        .loading_bytes = sino_load_field_bytes(job->field_images, slab, job->field_bytes) + job->ray_weight_bytes,
        .stage_bytes = sino_times(sino_larger(machine->worker_count, 1), scratch_bytes(job, machine, streaming)),
        .packing_bytes = packing_bytes(machine, sino_times(streaming->slots, streaming->minibatch), job->packed_bytes),
        .record_bytes = sino_record_bytes(&record) + job->live_bytes + job->mask_bytes};
    bytes.building_bytes = sino_larger(bytes.building_bytes, search_bytes(job, size, machine, bytes.slot_bytes));
    const int64_t sets =
        streaming->slab_count < SLAB_SETS && !solver->blocks ? streaming->slab_count : SLAB_SETS; /* or of blocks */
    bytes.data_bytes =
        sino_times(streaming->slots, bytes.slot_bytes) + bytes.weight_bytes + sino_times(sets, bytes.slab_bytes);
    const int64_t running =
        bytes.data_bytes + bytes.loading_bytes + bytes.stage_bytes + bytes.packing_bytes + bytes.record_bytes;
    bytes.total_bytes = bytes.base_bytes + bytes.operator_bytes + bytes.lists_bytes + bytes.map_bytes +
                        sino_larger(bytes.building_bytes, running);
    return bytes;
}
