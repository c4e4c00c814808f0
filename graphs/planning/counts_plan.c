/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts plan: the memory of a reconstruction from counts and a system matrix, and its time. */
#include "unit_plan.h"

#include "amounts.h"
#include "memory.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static const double giga = 1e9;

SinoUnitPlanRequest sino_counts_plan_request(const SinoSettings *settings, const SinoMatrixInput *input,
                                             const SinoMachine *machine)
{
    const SinoRecordShape shape = sino_matrix_record_shape(settings, input);
    return (SinoUnitPlanRequest){.kind = &sino_counts_plan,
                                 .problem = &input->problem,
                                 .solver = input->solver,
                                 .files = &input->files,
                                 .machine = *machine,
                                 .rank_count = input->survey->request.rank_count,
                                 .unit_count = input->set_count,
                                 .history_numbers = shape.numbers,
                                 .record_bytes = sino_unit_record_bytes(
                                     &settings->output, machine, &shape,
                                     2 * shape.slice_count / sino_larger(1, shape.set_count)), /* of two images */
                                 .halved = input->solver->has_likelihood && settings->solver.iterations == 0,
                                 .cached = settings->projection.cache != NULL};
}

/* Sets that are solved together; with halves at least the two of a set. */
static int64_t sets_in_memory(const SinoUnitPlanRequest *request, const SinoUnitPlan *plan)
{
    return sino_larger(plan->batch_units, request->halved ? 2 : 1);
}

static SinoStatus count_bytes(const SinoUnitPlanRequest *request, SinoUnitPlan *plan)
{
    const int64_t voxels = request->problem->matrix->outline.column_count;
    SINO_TRY(sino_matrix_solution_bytes(request->problem, request->solver, request->files, request->history_numbers,
                                        sets_in_memory(request, plan), sino_larger(request->machine.worker_count, 1),
                                        plan->stay, &plan->bytes));
    if (!request->halved) return NULL;
    const int64_t compared = sino_times(sets_in_memory(request, plan), sino_times(voxels, (int64_t)sizeof(float)));
    plan->bytes.images += compared;
    plan->bytes.data += compared;
    plan->bytes.total += compared;
    return NULL;
}

static int64_t most_sets(const SinoUnitPlanRequest *request)
{
    return sino_matrix_batch_sets(request->problem->matrix, request->unit_count);
}

static SinoStatus widest(const SinoUnitPlanRequest *request, SinoUnitPlan *plan)
{
    plan->batch_units = most_sets(request);
    plan->stay.listed = request->machine.devices.count > 0 && !request->problem->matrix->mirrors;
    return NULL;
}

static void least(const SinoUnitPlanRequest *request, SinoUnitPlan *plan)
{
    (void)request;
    plan->batch_units = 1;
}

/* Halves the sets until they fit memory and, where the matrix has lists, devices. Then lists are given up, and last the
 * matrix goes to the cache. A device that has no room for one set is refused. */
static bool narrow(const SinoUnitPlanRequest *request, SinoUnitPlan *plan)
{
    if (plan->batch_units > 1) {
        plan->batch_units = sino_ceil_divide(plan->batch_units, 2);
        return true;
    }
    const bool unlists = plan->stay.listed && plan->total_bytes > plan->budget_bytes;
    if (!unlists && (plan->stay.listed || !request->cached || plan->stay.window_count > 0)) return false;
    if (!unlists) plan->stay.window_count = sino_larger(request->machine.worker_count, 1);
    plan->stay.listed = false;
    plan->batch_units = most_sets(request);
    return true;
}

/* Device memory of two tasks, of which one arrives while the other one computes. */
static SinoStatus fits_devices(const SinoUnitPlanRequest *request, const SinoUnitPlan *plan, bool *fits)
{
    const SinoDeviceRoom *room = &request->machine.devices;
    SinoMatrixDeviceNeed need;
    if (!plan->stay.listed || room->bytes == 0) return NULL;
    SINO_TRY(sino_matrix_device_need(request->problem, request->files, sets_in_memory(request, plan), &need));
    *fits = sino_device_room_of_tasks(room, need.block, need.vectors) <= room->bytes;
    return NULL;
}

static SinoStatus too_small(const SinoUnitPlanRequest *request, const SinoUnitPlan *plan)
{
    char parts[120], block[24], vectors[24];
    SinoMatrixDeviceNeed need;
    SINO_TRY(sino_matrix_device_need(request->problem, request->files, sets_in_memory(request, plan), &need));
    snprintf(parts, sizeof parts, "each a block of the matrix with its lists %s and vectors %s",
             sino_bytes_text(need.block, block), sino_bytes_text(need.vectors, vectors));
    return sino_plan_too_small(&request->machine.devices, need.block, need.vectors, parts,
                               "a device with more memory, or --device cpu");
}

static SinoStatus refuse(const SinoUnitPlanRequest *request, const SinoUnitPlan *plan)
{
    const SinoMatrixOutline *outline = &request->problem->matrix->outline;
    char subject[160], parts[80], others[120], blocks[24], vectors[24];
    if (plan->total_bytes <= plan->budget_bytes) return too_small(request, plan);
    snprintf(subject, sizeof subject, "a matrix of %" PRId64 " rows, %" PRId64 " voxels and %" PRId64 " nonzeros needs",
             outline->row_count, outline->column_count, outline->nonzero_count);
    snprintf(parts, sizeof parts, " (%s of bricks, %s of vectors)", sino_bytes_text(plan->bytes.operator_bytes, blocks),
             sino_bytes_text(plan->bytes.vectors, vectors));
    snprintf(others, sizeof others, "%s%s", request->problem->precision == SINO_MIXED ? "" : ", or --precision mixed",
             request->cached ? "" : ", or --operator-cache, from which the matrix is read in every iteration");
    return sino_plan_too_little(plan->total_bytes, plan->budget_bytes, subject, parts, others);
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
static double vector_bytes(const SinoUnitPlanRequest *request, int64_t sets)
{
    enum { ROWS = 2 /* counts, and what goes with them */, VOXELS = 4 /* image, sums, sensitivity; image again */ };
    const SinoMatrixSurvey *matrix = request->problem->matrix;
    const double stride = (double)sino_panel_stride(SINO_SINGLE, sets), real = sizeof(float);
    const double rows = ROWS * (double)matrix->row_count;
    const double voxels = (VOXELS + 2 * (double)matrix->partition_count) * (double)matrix->order->row_count;
    return stride * real * (rows + (double)matrix->subset_count * (voxels + orientation_voxels(matrix)));
}

static SinoUnitTimes count_times(const SinoUnitPlanRequest *request, const SinoUnitPlan *plan)
{
    const SinoMatrixSurvey *matrix = request->problem->matrix;
    const SinoMatrixOutline *outline = &matrix->outline;
    const SinoMatrixRates rates = sino_matrix_rates(request->problem->precision);
    const double workers = (double)sino_larger(request->machine.worker_count, 1);
    const double memory = giga * workers * request->machine.rates.memory_gbps;
    const double file = giga * request->machine.rates.file_gbps;
    const double orientations = (double)matrix->orientation_count;
    const double sets = (double)request->unit_count, together = orientations * (double)plan->batch_units;
    const double batches = (double)sino_ceil_divide(request->unit_count, plan->batch_units);
    const double nonzeros = (double)matrix->nonzero_count; /* of this rank; all ranks read from the same files */
    const double voxels = (double)outline->column_count * sets;
    const double bytes = nonzeros * matrix->bytes_per_nonzero[request->problem->precision == SINO_MIXED];
    const double passes =
        request->solver->has_likelihood ? 1 : 2; /* a sweep reads the matrix once, two products twice */
    SinoUnitTimes times = {.load = fmax(2 * sizeof(float) * (double)matrix->read_nonzeros / file,
                                        nonzeros / (giga * workers * rates.pack_gnnz)),
                           .read = batches * passes * bytes / (plan->stay.window_count > 0 ? file : memory),
                           .products =
                               batches * nonzeros * (rates.nonzero_ns + together * rates.set_ns) / (giga * workers),
                           .vectors = batches * vector_bytes(request, plan->batch_units) / memory,
                           .store = sizeof(float) * voxels / file};
    const double stride = (double)sino_panel_stride(SINO_SINGLE, plan->batch_units);
    times.exchange =
        batches * sino_unit_sums_seconds(request, stride * (double)matrix->order->row_count, matrix->subset_count);
    times.start = times.products / (2 * batches);
    return times;
}

static SinoAmounts list_bytes(const SinoUnitPlan *plan)
{
    const SinoUnitBytes *bytes = &plan->bytes;
    const int64_t rest = plan->total_bytes - bytes->total; /* program and record */
    return (SinoAmounts){"memory_bytes",
                         SINO_AMOUNT_BYTES,
                         7,
                         {{"base", "program, pictures", (double)rest},
                          {"matrix", "matrix", (double)bytes->bricks},
                          {"orders", "orders of voxels, rows", (double)bytes->orders},
                          {"building", "matrix being packed", (double)bytes->building},
                          {"vectors", "counts, images, vectors", (double)bytes->vectors},
                          {"images", "images to be stored", (double)bytes->images},
                          {"total", "total", (double)plan->total_bytes}}};
}

const SinoUnitPlanKind sino_counts_plan = {.widest = widest,
                                           .narrow = narrow,
                                           .least = least,
                                           .bytes = count_bytes,
                                           .fits_devices = fits_devices,
                                           .refuse = refuse,
                                           .times = count_times,
                                           .sweeps = true,
                                           .list_bytes = list_bytes};
