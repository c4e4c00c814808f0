/* SPDX-License-Identifier: BSD-3-Clause */
/* Task live: writes the page of a run that follows a scan, once a second at most. */
#include "live_task.h"

#include "arithmetic.h"
#include "center.h"
#include "memory.h"
#include "platform.h"
#include "slice_quality.h"
#include "task.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double least_s = 1;

/* Projections that tell the center, spread over all; more tell little more, and take longer. Below the least number, or
 * above the largest doubt in columns, it is not known. */
enum { PROJECTIONS_MOST = 96, PROJECTIONS_LEAST = 8 };
static const double most_doubt = 3;

typedef struct Live {
    SinoOperand xy, xz, yz, order;
    SinoLivePage page;
    const SinoLiveRow *row;
    SinoLiveShown *shown;
} Live;

/* The center by some of the first `added` projections; NaN: it is not known. */
static SinoStatus find_center(const SinoLiveRow *row, int64_t added, double *center, double *doubt)
{
    const int64_t columns = row->column_count, step = sino_ceil_divide(added, PROJECTIONS_MOST);
    const int64_t count = sino_ceil_divide(added, step);
    double *angle = NULL;
    float *line = NULL;
    SinoStatus status = sino_allocate(count, sizeof *angle, "angles", &angle);
    if (!status) status = sino_allocate(sino_times(count, columns), sizeof *line, "a sinogram", &line);
    for (int64_t i = 0; i < count && !status; i++) {
        angle[i] = row->angle_rad[i * step];
        memcpy(line + i * columns, row->sinogram + i * step * columns, (size_t)columns * sizeof *line);
    }
    if (!status) status = sino_center_moments(count, angle, columns, line, row->around, center, doubt);
    free(angle);
    free(line);
    return status;
}

/* Takes every second point away. */
static void halve(SinoLiveTrail *trail)
{
    for (int64_t i = 0; i < trail->count / 2; i++) {
        trail->added[i] = trail->added[2 * i];
        trail->center[i] = trail->center[2 * i];
        trail->entropy[i] = trail->entropy[2 * i];
    }
    trail->count /= 2;
}

static SinoStatus add_point(SinoLiveTrail *trail, const Live *of)
{
    const SinoLivePage *page = &of->page;
    const SinoLiveRow *row = of->row;
    double center = NAN, doubt = INFINITY;
    if (row->sinogram && page->added >= PROJECTIONS_LEAST) SINO_TRY(find_center(row, page->added, &center, &doubt));
    if (trail->count == SINO_LIVE_POINTS) halve(trail);
    const bool known = doubt <= most_doubt;
    trail->added[trail->count] = (double)page->added;
    trail->center[trail->count] = known ? row->first_column + row->step * center : NAN;
    trail->entropy[trail->count++] = sino_slice_entropy(sino_times(page->x_count, page->y_count), of->xy.at);
    trail->doubt = !row->sinogram ? INFINITY : known ? row->step * doubt : NAN;
    return NULL;
}

/* Notes the rate at which projections are added, unless the planes have no more than before. */
static void measure(SinoLiveShown *shown, int64_t added, double now_s)
{
    if (shown->added_s > 0) shown->added_per_s = (double)(added - shown->added) / (now_s - shown->added_s);
    shown->added_s = now_s;
    shown->added = added;
}

/* A run does not fail because of its page. */
static SinoStatus live_cpu(const SinoTask *task)
{
    const Live *of = task->arguments;
    SinoLiveShown *shown = of->shown;
    const double now_s = sino_platform_now_s();
    SinoLivePage page = of->page;
    const bool due = now_s - shown->last_s >= least_s, last = page.added == page.added_total;
    if (page.added > shown->added && !page.next && (due || last)) {
        measure(shown, page.added, now_s);
        SINO_TRY(add_point(&shown->trail, of));
    }
    if (!due) return NULL;
    page.trail = &shown->trail;
    page.plane[SINO_LIVE_XY] = of->xy.at;
    page.plane[SINO_LIVE_XZ] = of->xz.at;
    page.plane[SINO_LIVE_YZ] = of->yz.at;
    page.added_per_s = shown->added_per_s;
    SinoStatus status = sino_live_page_write(&page);
    if (status && !shown->failed)
        sino_log_warning(sino_runtime_log(task->runtime), "follow", "%s", sino_status_text(status));
    shown->failed |= status != NULL;
    sino_status_free(status);
    shown->last_s = now_s;
    return NULL;
}

static const SinoTaskKind live_kind = {
    .name = "live",
    .waits = true,
    SINO_ARGUMENTS(Live, SINO_READS(Live, xy), SINO_READS(Live, xz), SINO_READS(Live, yz), SINO_UPDATES(Live, order)),
    .cpu = live_cpu};

SinoStatus sino_insert_live(SinoRuntime *runtime, SinoPosition position, const SinoLivePage *page,
                            const SinoLiveRow *row, SinoLiveShown *shown, SinoData *const plane[SINO_LIVE_PLANES],
                            SinoData *order)
{
    const Live arguments = {.xy.data = plane[SINO_LIVE_XY],
                            .xz.data = plane[SINO_LIVE_XZ],
                            .yz.data = plane[SINO_LIVE_YZ],
                            .order.data = order,
                            .page = *page,
                            .row = row,
                            .shown = shown};
    return SINO_SUBMIT(runtime, &live_kind, position, &arguments);
}
