/* SPDX-License-Identifier: BSD-3-Clause */
/* Update on an OpenCL device. */
#include "update.h"

/* The same struct as History of update.cl. */
typedef struct History {
    int64_t columns, numbers, iteration;
    double tolerance, likelihood_tolerance;
} History;

static History history_of(const SinoHistory *history)
{
    return (History){.columns = history->columns,
                     .numbers = history->numbers,
                     .iteration = history->iteration,
                     .tolerance = history->tolerance,
                     .likelihood_tolerance = history->likelihood_tolerance};
}

static const char *const kernel[SINO_UPDATE_FORMULA_COUNT] = {
#define ROW(name, NAME, task, a, b, c, d, sums, state) [SINO_UPDATE_##NAME] = "formula_" #name,
    SINO_UPDATE_FORMULAS(ROW)
#undef ROW
};

SinoStatus sino_update_opencl(SinoOpencl *opencl, const SinoUpdate *update, const cl_mem vector[SINO_UPDATE_VECTORS],
                              cl_mem state, cl_mem sums)
{
    const SinoOpenclSlices layout = sino_opencl_slices(update->slices);
    const int32_t first = update->first, add = update->add;
    const int64_t items = sino_update_row[update->formula].sums > 0 ? 1 : update->rows;
    const SinoOpenclArgument argument[] = {SINO_CL(layout),
                                           SINO_CL(update->rows),
                                           SINO_CL(first),
                                           SINO_CL(add),
                                           SINO_CL(update->argument[0]),
                                           SINO_CL(update->argument[1]),
                                           SINO_CL(update->argument[2]),
                                           SINO_CL(vector[0]),
                                           SINO_CL(vector[1]),
                                           SINO_CL(vector[2]),
                                           SINO_CL(vector[3]),
                                           SINO_CL(state),
                                           SINO_CL(sums)};
    return sino_opencl_launch(opencl, update->slices.precision, kernel[update->formula], update->slices.stride, items,
                              SINO_CL_COUNT(argument), argument);
}

SinoStatus sino_update_slices_opencl(SinoOpencl *opencl, SinoUpdateRule rule, SinoSlices slices, bool first,
                                     double argument, cl_mem sums, cl_mem state)
{
    const SinoOpenclSlices layout = sino_opencl_slices(slices);
    const int32_t is_first = first, number = (int32_t)rule;
    const SinoOpenclArgument arguments[] = {SINO_CL(layout),   SINO_CL(number), SINO_CL(is_first),
                                            SINO_CL(argument), SINO_CL(sums),   SINO_CL(state)};
    return sino_opencl_launch(opencl, slices.precision, "update_slices", slices.stride, 1, SINO_CL_COUNT(arguments),
                              arguments);
}

SinoStatus sino_update_collect_opencl(SinoOpencl *opencl, SinoSlices slices, cl_mem part, bool first, cl_mem total)
{
    const SinoOpenclSlices layout = sino_opencl_slices(slices);
    const int32_t is_first = first;
    const SinoOpenclArgument argument[] = {SINO_CL(layout), SINO_CL(is_first), SINO_CL(part), SINO_CL(total)};
    return sino_opencl_launch(opencl, slices.precision, "update_collect", slices.stride, 1, SINO_CL_COUNT(argument),
                              argument);
}

SinoStatus sino_update_start_opencl(SinoOpencl *opencl, SinoSlices slices, cl_mem sums, cl_mem state,
                                    const SinoHistory *history, cl_mem residual)
{
    const SinoOpenclSlices layout = sino_opencl_slices(slices);
    const History where = history_of(history);
    const SinoOpenclArgument argument[] = {SINO_CL(layout), SINO_CL(where), SINO_CL(sums), SINO_CL(state),
                                           SINO_CL(residual)};
    return sino_opencl_launch(opencl, slices.precision, "update_start", slices.stride, 1, SINO_CL_COUNT(argument),
                              argument);
}

SinoStatus sino_update_record_opencl(SinoOpencl *opencl, SinoSlices slices, cl_mem sums, cl_mem state,
                                     const SinoHistory *history, cl_mem residual, cl_mem active)
{
    const SinoOpenclSlices layout = sino_opencl_slices(slices);
    const History where = history_of(history);
    const SinoOpenclArgument argument[] = {SINO_CL(layout), SINO_CL(where),    SINO_CL(sums),
                                           SINO_CL(state),  SINO_CL(residual), SINO_CL(active)};
    return sino_opencl_launch(opencl, slices.precision, "update_record", 1, 1, SINO_CL_COUNT(argument), argument);
}
