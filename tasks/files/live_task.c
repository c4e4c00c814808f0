/* SPDX-License-Identifier: BSD-3-Clause */
/* Task live: writes the page of a run that follows a scan, once a second at most. */
#include "live_task.h"

#include "platform.h"
#include "task.h"

static const double least_s = 1;

typedef struct Live {
    SinoOperand xy, xz, yz, order;
    SinoLivePage page;
    SinoLiveShown *shown;
} Live;

/* Notes the rate at which projections are added, unless the planes have no more than before. */
static void measure(SinoLiveShown *shown, int64_t added, double now_s)
{
    if (added == shown->added) return;
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
    if (now_s - shown->last_s < least_s) return NULL;
    measure(shown, page.added, now_s);
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

SinoStatus sino_insert_live(SinoRuntime *runtime, SinoPosition position, const SinoLivePage *page, SinoLiveShown *shown,
                            SinoData *const plane[SINO_LIVE_PLANES], SinoData *order)
{
    const Live arguments = {.xy.data = plane[SINO_LIVE_XY],
                            .xz.data = plane[SINO_LIVE_XZ],
                            .yz.data = plane[SINO_LIVE_YZ],
                            .order.data = order,
                            .page = *page,
                            .shown = shown};
    return SINO_SUBMIT(runtime, &live_kind, position, &arguments);
}
