/* SPDX-License-Identifier: BSD-3-Clause */
/* Task live: writes the page of a run that follows a scan, once a second at most. */
#include "files_tasks.h"

#include "arithmetic.h"
#include "center.h"
#include "platform.h"
#include "slice_quality.h"
#include "task.h"

#include <math.h>

static const double least_s = 1;

/* With a larger doubt, in columns, the center is not known. */
static const double most_doubt = 3;

typedef struct Live {
    SinoOperand xy, xz, yz, order;
    SinoLivePage page;
    const SinoLiveRow *row;
    SinoLiveShown *shown;
} Live;

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
    if (row->sinogram)
        SINO_TRY(sino_center_moments_of_some(page->added, row->angle_rad, row->column_count, row->sinogram, row->around,
                                             &center, &doubt));
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
