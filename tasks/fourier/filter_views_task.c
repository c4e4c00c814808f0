/* SPDX-License-Identifier: BSD-3-Clause */
/* Task filter_views: weights and ramp filter of FDK for projections that have vectors. */
#include "fourier_tasks.h"

#include "arithmetic.h"
#include "task.h"

typedef struct FilterViews {
    SinoOperand rays, scratch;
    SinoFilterViews of;
} FilterViews;

static SinoStatus filter_views_cpu(const SinoTask *task)
{
    const FilterViews *arguments = task->arguments;
    const SinoFilterViews *of = &arguments->of;
    const int64_t pixels = sino_times(of->column_count, of->row_count);
    const int64_t length = of->along_rows ? of->column_count : of->row_count;
    for (int64_t k = of->first; k < of->first + of->count; k++)
        sino_view_filter(of->filter, of->along_rows, &of->view[k], of->column_count, of->row_count, of->weight[k],
                         of->share ? of->share + k * length : NULL, arguments->scratch.at,
                         (float *)arguments->rays.at + k * pixels);
    return NULL;
}

static const SinoTaskKind filter_views_kind = {
    .name = "filter_views",
    SINO_ARGUMENTS(FilterViews, SINO_READS(FilterViews, rays), SINO_USES(FilterViews, scratch)),
    .cpu = filter_views_cpu};

SinoStatus sino_insert_filter_views(SinoRuntime *runtime, SinoPosition position, const SinoFilterViews *wanted,
                                    SinoData *scratch, SinoData *rays)
{
    const FilterViews arguments = {.rays.data = rays, .scratch.data = scratch, .of = *wanted};
    const double pixels = (double)wanted->column_count * (double)wanted->row_count;
    return SINO_SUBMIT(runtime, &filter_views_kind, position, &arguments, .work = pixels * (double)wanted->count);
}
