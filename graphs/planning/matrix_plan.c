/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrix plan: the memory of a reconstruction from counts and a system matrix, and its time. */
#include "matrix_plan.h"

#include "arithmetic.h"
#include "memory.h"
#include "resources.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static const double giga = 1e9;

SinoMatrixPlanRequest sino_matrix_plan_request(const SinoSettings *settings, const SinoMatrixInput *input,
                                               const SinoMachine *machine)
{
    const SinoRecordShape shape = sino_matrix_record_shape(settings, input);
    const int64_t packing =
        sino_workload_packing(settings, machine, 2 * shape.slice_count / sino_larger(1, shape.set_count),
                              sino_times(shape.width, shape.height)); /* of two images */
    return (SinoMatrixPlanRequest){.problem = &input->problem,
                                   .solver = input->solver,
                                   .files = &input->files,
                                   .machine = *machine,
                                   .set_count = input->set_count,
                                   .history_numbers = shape.numbers,
                                   .record_bytes = sino_record_bytes(&shape) + packing,
                                   .cached = settings->operator_cache != NULL};
}

static SinoStatus complete(const SinoMatrixPlanRequest *request, int64_t sets, SinoMatrixPlan *plan)
{
    const int64_t workers = sino_larger(request->machine.worker_count, 1);
    plan->batch_sets = sets;
    SINO_TRY(sino_matrix_solution_bytes(request->problem, request->solver, request->files, request->history_numbers,
                                        sets, workers, plan->stay, &plan->bytes));
    plan->total_bytes = sino_runtime_base_bytes() + plan->bytes.total + request->record_bytes;
    return NULL;
}

static SinoStatus too_little(const SinoMatrixPlanRequest *request, const SinoMatrixPlan *plan)
{
    const SinoMatrixOutline *outline = &request->problem->matrix->outline;
    char budget[24], needed[24], blocks[24], vectors[24];
    return sino_error(SINO_BAD_INPUT,
                      "memory: %s may be used, and a matrix of %" PRId64 " rows, %" PRId64 " voxels and %" PRId64
                      " nonzeros needs %s (%s of bricks, %s of vectors); allowed: --memory %" PRId64 "MiB or more%s%s",
                      sino_bytes_text(plan->budget_bytes, budget), outline->row_count, outline->column_count,
                      outline->nonzero_count, sino_bytes_text(plan->total_bytes, needed),
                      sino_bytes_text(plan->bytes.operator_bytes, blocks),
                      sino_bytes_text(plan->bytes.vectors, vectors), (plan->total_bytes >> 20) + 1,
                      request->problem->precision == SINO_MIXED ? "" : ", or --precision mixed",
                      request->cached ? "" : ", or --operator-cache, from which the matrix is read in every iteration");
}

/* Device memory of two tasks, of which one arrives while the other one computes. */
static SinoStatus device_bytes(const SinoMatrixPlanRequest *request, const SinoMatrixPlan *plan,
                               SinoMatrixDeviceNeed *need, int64_t *bytes)
{
    SINO_TRY(sino_matrix_device_need(request->problem, request->files, plan->batch_sets, need));
    *bytes = sino_device_room_of_tasks(&request->machine.devices, need->block, need->vectors);
    return NULL;
}

static SinoStatus fits_devices(const SinoMatrixPlanRequest *request, const SinoMatrixPlan *plan, bool *fits)
{
    SinoMatrixDeviceNeed need;
    int64_t bytes = 0;
    SINO_TRY(device_bytes(request, plan, &need, &bytes));
    *fits = !plan->stay.listed || request->machine.devices.bytes == 0 || bytes <= request->machine.devices.bytes;
    return NULL;
}

static SinoStatus too_small(const SinoMatrixPlanRequest *request, const SinoMatrixPlan *plan)
{
    const SinoDeviceRoom *room = &request->machine.devices;
    char bytes[24], all[24], block[24], vectors[24], more[24], others[64] = "";
    SinoMatrixDeviceNeed need;
    int64_t of_tasks = 0;
    SINO_TRY(device_bytes(request, plan, &need, &of_tasks));
    const int64_t held = sino_device_room_held(room, need.block, need.vectors);
    if (held > 0) snprintf(others, sizeof others, ", and %s that StarPU holds", sino_bytes_text(held, more));
    return sino_error(SINO_BAD_INPUT,
                      "a device has %s of memory; two tasks of this reconstruction need %s there at a time (each a "
                      "block of the matrix with its lists %s and vectors %s%s); allowed: a device with more memory, or "
                      "--device cpu",
                      sino_bytes_text(room->bytes, bytes), sino_bytes_text(of_tasks, all),
                      sino_bytes_text(need.block, block), sino_bytes_text(need.vectors, vectors), others);
}

/* Halves the sets until they fit memory and, where the matrix has lists, devices. */
static SinoStatus choose_sets(const SinoMatrixPlanRequest *request, SinoMatrixPlan *plan, bool *fits)
{
    int64_t sets = sino_matrix_batch_sets(request->problem->matrix, request->set_count);
    for (;; sets = sino_ceil_divide(sets, 2)) {
        SINO_TRY(complete(request, sets, plan));
        SINO_TRY(fits_devices(request, plan, fits));
        *fits = *fits && plan->total_bytes <= plan->budget_bytes;
        if (*fits || sets == 1) return NULL;
    }
}

SinoStatus sino_matrix_plan_new(const SinoMatrixPlanRequest *request, SinoMatrixPlan *result)
{
    SinoMatrixPlan plan = {.budget_bytes = request->machine.memory_bytes,
                           .stay.listed = request->machine.devices.count > 0 && !request->problem->matrix->mirrors};
    bool fits = false;
    SINO_TRY(choose_sets(request, &plan, &fits));
    if (!fits && plan.stay.listed) {
        if (plan.total_bytes <= plan.budget_bytes) return too_small(request, &plan);
        plan.stay.listed = false;
        SINO_TRY(choose_sets(request, &plan, &fits));
    }
    if (!fits && request->cached) {
        plan.stay.window_count = sino_larger(request->machine.worker_count, 1);
        SINO_TRY(choose_sets(request, &plan, &fits));
    }
    if (!fits) return too_little(request, &plan);
    *result = plan;
    return NULL;
}

SinoStatus sino_matrix_plan_least_bytes(const SinoMatrixPlanRequest *request, int64_t *bytes)
{
    SinoMatrixPlan plan = {0};
    SINO_TRY(complete(request, 1, &plan));
    *bytes = plan.total_bytes;
    return NULL;
}

SinoMatrixRates sino_matrix_rates(SinoPrecision precision)
{
    return (SinoMatrixRates){.pack_gnnz = 0.03, .nonzero_ns = precision == SINO_MIXED ? 0.43 : 0.63, .set_ns = 0.36};
}

/* Voxels that a folded matrix reads and writes beside: each row partition clears the sums of the orientations, and adds
 * them up; the orientations of x are made once. */
static double orientation_voxels(const SinoMatrixSurvey *matrix)
{
    const double lanes = (double)matrix->orientation_count * (double)matrix->order->row_count;
    return matrix->mirrors ? (2 * (double)matrix->partition_count + 1) * lanes : 0;
}

/* Bytes of vectors that an iteration reads and writes: rows once; voxels, and the sums of row partitions, which are
 * written and read, once for each subset. */
static double vector_bytes(const SinoMatrixPlanRequest *request, int64_t sets)
{
    enum { ROWS = 2 /* counts, and what goes with them */, VOXELS = 4 /* image, sums, sensitivity; image again */ };
    const SinoMatrixSurvey *matrix = request->problem->matrix;
    const double stride = (double)sino_panel_stride(SINO_SINGLE, sets), real = sizeof(float);
    const double rows = ROWS * (double)matrix->row_count;
    const double voxels = (VOXELS + 2 * (double)matrix->partition_count) * (double)matrix->order->row_count;
    return stride * real * (rows + (double)matrix->subset_count * (voxels + orientation_voxels(matrix)));
}

/* Each subset has one sum of voxels over the ranks (voxel_sum.h). */
static double exchange_seconds(const SinoMatrixPlanRequest *request, int64_t sets)
{
    const SinoMatrixSurvey *matrix = request->problem->matrix;
    const SinoRates *rates = &request->machine.rates;
    const double others = (double)(matrix->request.rank_count - 1);
    const double stride = (double)sino_panel_stride(SINO_SINGLE, sets);
    const double vector = sizeof(float) * stride * (double)matrix->order->row_count;
    if (!(others > 0)) return 0;
    return (double)matrix->subset_count * 2 *
           (vector * others / (others + 1) / (giga * rates->link_gbps) + 1e-6 * rates->link_latency_us * others);
}

SinoMatrixTimes sino_matrix_times(const SinoMatrixPlanRequest *request, const SinoMatrixPlan *plan, int64_t iterations)
{
    const SinoMatrixSurvey *matrix = request->problem->matrix;
    const SinoMatrixOutline *outline = &matrix->outline;
    const SinoMatrixRates rates = sino_matrix_rates(request->problem->precision);
    const double workers = (double)sino_larger(request->machine.worker_count, 1);
    const double memory = giga * workers * request->machine.rates.memory_gbps;
    const double file = giga * request->machine.rates.file_gbps;
    const double orientations = (double)matrix->orientation_count;
    const double sets = (double)request->set_count, together = orientations * (double)plan->batch_sets;
    const double batches = (double)sino_ceil_divide(request->set_count, plan->batch_sets);
    const double nonzeros = (double)matrix->nonzero_count; /* of this rank; all ranks read from the same files */
    const double voxels = (double)outline->column_count * sets;
    const double bytes = nonzeros * matrix->bytes_per_nonzero[request->problem->precision == SINO_MIXED];
    const double passes =
        request->solver->has_likelihood ? 1 : 2; /* a sweep reads the matrix once, two products twice */
    SinoMatrixTimes times = {.load = fmax(2 * sizeof(float) * (double)matrix->read_nonzeros / file,
                                          nonzeros / (giga * workers * rates.pack_gnnz)),
                             .read = batches * passes * bytes / (plan->stay.window_count > 0 ? file : memory),
                             .products =
                                 batches * nonzeros * (rates.nonzero_ns + together * rates.set_ns) / (giga * workers),
                             .vectors = batches * vector_bytes(request, plan->batch_sets) / memory,
                             .store = sizeof(float) * voxels / file};
    times.exchange = batches * exchange_seconds(request, plan->batch_sets);
    times.iteration = fmax(times.read, times.products) + times.vectors + times.exchange;
    times.start = times.iteration + times.products / (2 * batches);
    times.run = times.load + times.start + (double)iterations * times.iteration + times.store;
    return times;
}
