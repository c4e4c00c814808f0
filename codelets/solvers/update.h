/* SPDX-License-Identifier: BSD-3-Clause */
/* Update: the vector operations of the solvers between two SpMMs, with one step length, residual and stop per slice.
 * update_formulas.h defines the arithmetic.
 *
 * Ray vectors have one row per ray, voxel vectors one row per voxel. Both lie in panels (panel.h) of the given
 * precision, single or double. Sums, states and histories have one element per slice. Sums are double and run row after
 * row, so that a slice's sums do not depend on the other slices of its batch. */
#pragma once

#include "cuda_stream.h"
#include "opencl_device.h"
#include "panel.h"
#include "status.h"
#include "update_formulas.h"

/* One row of the list SINO_UPDATE_FORMULAS. */
typedef struct SinoUpdateRow {
    const char *task; /* name of the task in StarPU traces */
    int vector[SINO_UPDATE_VECTORS];
    int sums;
    bool reads_state;
} SinoUpdateRow;
extern const SinoUpdateRow sino_update_row[SINO_UPDATE_FORMULA_COUNT];

/* One application of a formula to vectors, or to a part of each vector. */
typedef struct SinoUpdate {
    SinoUpdateFormula formula;
    SinoSlices slices; /* slices; padding stays zero */
    int64_t rows;      /* of the vectors */
    int64_t first_row; /* on cores: the rows to which the formula is applied */
    int64_t row_count; /* 0: all rows */
    bool first;        /* some vectors have no values yet; the formula's row says how it treats them */
    bool add;          /* adds to existing sums: this is another part of the same vectors */
    double argument[SINO_UPDATE_ARGUMENTS];
} SinoUpdate;

/* Applies a formula. `vector`: in the order of the formula's row, disjoint; BY_ROW vectors have `rows` elements.
 * `state`: one per slice; NULL if the row reads none. `sums`: one per slice; NULL if the row has none. */
void sino_update(const SinoUpdate *update, void *const vector[SINO_UPDATE_VECTORS], const SinoSliceState *state,
                 SinoSliceSums *sums);

/* Applies a rule to the state of every slice. */
void sino_update_slices(SinoUpdateRule rule, SinoSlices slices, bool first, double argument, const SinoSliceSums *sums,
                        SinoSliceState *state);

/* sums[f].sum[SINO_SUM_SQUARE] = ‖Ax − b‖² of CG on the normal equations, from the states. */
void sino_update_residual(SinoSlices slices, const SinoSliceState *state, SinoSliceSums *sums);

/* Adds the sums of one part of a vector: total += part; the `first` part starts the total. A vector may have parts of
 * several partitions or processes; the caller adds them in a fixed order. */
void sino_update_collect(SinoSlices slices, const SinoSliceSums *part, bool first, SinoSliceSums *total);

/* History of a solver: residual[slice·numbers + iteration] = ‖Ax − b‖²; columns later, if there are twice as many
 * numbers as columns, the log-likelihood, NaN at iteration 0. NaN in iterations after the slice stopped. */
typedef struct SinoHistory {
    double *residual;
    int64_t columns; /* iterations + 1 */
    int64_t numbers; /* of a slice: columns, or twice as many */
    int64_t iteration;
    double tolerance;            /* a slice stops at ‖Ax − b‖ ≤ tolerance·‖b‖ */
    double likelihood_tolerance; /* a slice stops once its log-likelihood L gains at most this times |L|; 0: never */
} SinoHistory;

/* Records iteration 0 with x = 0: residuals are the sums of r = b; the rest of the history becomes NaN. Initialises the
 * states. */
void sino_update_start(SinoSlices slices, const SinoSliceSums *sums, SinoSliceState *state, const SinoHistory *history);

/* Records the residuals of this iteration, SINO_SUM_SQUARE of the sums, and, where the history has them, the
 * log-likelihoods SINO_SUM_LIKELIHOOD, and stops slices. *active: number of slices
 * that continue. */
void sino_update_record(SinoSlices slices, const SinoSliceSums *sums, SinoSliceState *state, const SinoHistory *history,
                        int64_t *active);

/* On a GPU. Vectors, states, sums, history->residual and *active are in device memory, aligned to 16 bytes; the array
 * `vector`, update and history are in host memory (cuda_stream.h). Step lengths, residuals and stops stay on the
 * device.
 *
 * Sums are double, over a tree whose shape depends on the number of rows only. A slice's sums are therefore the same
 * in every run, on every device, and whatever its batch is. `workspace`: sino_update_cuda_workspace_bytes, aligned to
 * 16 bytes; it holds nothing between calls; NULL: the formula has no sums. */
int64_t sino_update_cuda_workspace_bytes(SinoSlices slices);

SinoStatus sino_update_cuda(cudaStream_t stream, const SinoUpdate *update, void *const vector[SINO_UPDATE_VECTORS],
                            const SinoSliceState *state, SinoSliceSums *sums, void *workspace);
SinoStatus sino_update_slices_cuda(cudaStream_t stream, SinoUpdateRule rule, SinoSlices slices, bool first,
                                   double argument, const SinoSliceSums *sums, SinoSliceState *state);
SinoStatus sino_update_residual_cuda(cudaStream_t stream, SinoSlices slices, const SinoSliceState *state,
                                     SinoSliceSums *sums);
SinoStatus sino_update_collect_cuda(cudaStream_t stream, SinoSlices slices, const SinoSliceSums *part, bool first,
                                    SinoSliceSums *total);
SinoStatus sino_update_start_cuda(cudaStream_t stream, SinoSlices slices, const SinoSliceSums *sums,
                                  SinoSliceState *state, const SinoHistory *history);
SinoStatus sino_update_record_cuda(cudaStream_t stream, SinoSlices slices, const SinoSliceSums *sums,
                                   SinoSliceState *state, const SinoHistory *history, int64_t *active);

/* On an OpenCL device, with buffers of the device (opencl_device.h). The buffer `residual` replaces history->residual,
 * which is ignored. `active` receives the number of slices that continue, an int64. */
SinoStatus sino_update_opencl(SinoOpencl *opencl, const SinoUpdate *update, const cl_mem vector[SINO_UPDATE_VECTORS],
                              cl_mem state, cl_mem sums);
SinoStatus sino_update_slices_opencl(SinoOpencl *opencl, SinoUpdateRule rule, SinoSlices slices, bool first,
                                     double argument, cl_mem sums, cl_mem state);
SinoStatus sino_update_collect_opencl(SinoOpencl *opencl, SinoSlices slices, cl_mem part, bool first, cl_mem total);
SinoStatus sino_update_start_opencl(SinoOpencl *opencl, SinoSlices slices, cl_mem sums, cl_mem state,
                                    const SinoHistory *history, cl_mem residual);
SinoStatus sino_update_record_opencl(SinoOpencl *opencl, SinoSlices slices, cl_mem sums, cl_mem state,
                                     const SinoHistory *history, cl_mem residual, cl_mem active);
