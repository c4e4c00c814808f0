/* SPDX-License-Identifier: BSD-3-Clause */
/* Live: planes in memory of its own, which the page of the end needs after the run's data are gone. */
#include "live.h"

#include "ending.h"
#include "memory.h"
#include "platform.h"
#include "scan_follow.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double after_s = 1;

enum { SUMS = SINO_LIVE_SETS, SETS_MAX /* of planes */ };

struct SinoLive {
    const SinoInput *input; /* NULL: between two runs */
    const char *algorithm;  /* of the run; the page has that of the planes */
    SinoRuntime *runtime;
    SinoLivePage page, early; /* early: of a run that a signal ends */
    SinoLastAct last;
    SinoLiveShown shown;
    SinoLiveRow row;                          /* its sinogram is owned */
    SinoPosition position;                    /* of the last task */
    double asked_s;                           /* when it was submitted, by sino_platform_now_s */
    int set;                                  /* of the last sino_live_next */
    int set_count;                            /* with sums, or without */
    double *gap;                              /* [angles] of sino_live_gain; owned */
    int64_t gain_added;                       /* of the last sino_live_gain; 0: there was none */
    double gain, all_rad;                     /* what it gave; the arc of all angles; 0: not known */
    float *plane[SETS_MAX][SINO_LIVE_PLANES]; /* owned */
    SinoData *data[SETS_MAX][SINO_LIVE_PLANES], *order;
};

static int64_t plane_bytes(const SinoLivePage *page, int plane)
{
    const int64_t height = plane == SINO_LIVE_XY ? page->y_count : page->z_count;
    const int64_t width = plane == SINO_LIVE_YZ ? page->y_count : page->x_count;
    return sino_times(sino_times(height, width), (int64_t)sizeof(float));
}

int64_t sino_live_bytes(int64_t x_count, int64_t y_count, int64_t z_count, int64_t rays)
{
    const SinoLivePage page = {.x_count = x_count, .y_count = y_count, .z_count = z_count};
    int64_t bytes = sino_times(rays, (int64_t)sizeof(float));
    const int64_t sets = rays > 0 ? SETS_MAX : SINO_LIVE_SETS;
    for (int p = 0; p < SINO_LIVE_PLANES; p++) bytes += sino_times(sets, plane_bytes(&page, p));
    return bytes;
}

/* The page's numbers of the scan, as of now. */
static void tell_arrival(SinoLive *live)
{
    const SinoScanArrival arrival = sino_scan_arrival(live->input->scan);
    const double seconds = arrival.last_s - arrival.first_s;
    if (arrival.limit_s == 0) return; /* all have come */
    live->page.come = arrival.frames;
    live->page.come_per_s = seconds > 0 ? (double)(arrival.frames - arrival.first_frames) / seconds : 0;
}

static void free_live(SinoLive *live)
{
    for (int i = 0; i < SETS_MAX * SINO_LIVE_PLANES; i++) free(live->plane[i / SINO_LIVE_PLANES][i % SINO_LIVE_PLANES]);
    free(live->gap);
    free(live->row.sinogram);
    free(live);
}

static SinoStatus new_row(SinoLive *live, const SinoGeometry *geometry)
{
    const double first = sino_input_column_of_file(live->input, 0);
    live->row = (SinoLiveRow){.angle_rad = geometry->angle_rad,
                              .column_count = geometry->column_count,
                              .around = geometry->center,
                              .first_column = first,
                              .step = sino_input_column_of_file(live->input, 1) - first};
    return sino_allocate(sino_times(geometry->angle_count, geometry->column_count), sizeof *live->row.sinogram,
                         "a sinogram for the page", &live->row.sinogram);
}

static void end_early(void *of, FILE *clause)
{
    (void)clause;
    sino_live_page_end(of);
}

SinoStatus sino_live_new(const SinoLiveRequest *request, SinoLive **live)
{
    const SinoInput *input = request->input;
    SinoStatus status = NULL;
    SinoLive *made;
    SINO_TRY(sino_allocate(1, sizeof *made, "the page", &made));
    made->input = input;
    made->algorithm = request->algorithm;
    made->position = SINO_NOWHERE;
    made->set_count = request->parallel ? SETS_MAX : SINO_LIVE_SETS;
    made->page = (SinoLivePage){.path = request->path,
                                .title = request->title,
                                .units = request->units,
                                .algorithm = request->algorithm,
                                .x_count = request->x_count,
                                .y_count = request->y_count,
                                .z_count = request->z_count,
                                .come_total = input->info->file_angle_count,
                                .added_total = input->angle_count,
                                .center = sino_input_column_of_file(input, input->geometry.center)};
    for (int i = 0; i < made->set_count * SINO_LIVE_PLANES && !status; i++)
        status = sino_allocate(plane_bytes(&made->page, i % SINO_LIVE_PLANES), 1, "planes of the page",
                               &made->plane[i / SINO_LIVE_PLANES][i % SINO_LIVE_PLANES]);
    if (!status) status = sino_allocate(input->geometry.angle_count, sizeof *made->gap, "angles", &made->gap);
    if (request->parallel && !status) status = new_row(made, &input->geometry);
    tell_arrival(made);
    if (!status) status = sino_live_page_write(&made->page);
    if (status) {
        free_live(made);
        return status;
    }
    made->early = made->page;
    made->early.ended = "The run was ended early.";
    made->early.failed = true;
    made->last = (SinoLastAct){.act = end_early, .of = &made->early};
    sino_ending_add(&made->last);
    *live = made;
    return NULL;
}

void sino_live_leave(SinoLive *live, const char *next)
{
    if (!live) return;
    live->page.next = next;
    live->input = NULL;
    live->page.trail = &live->shown.trail;
    for (int p = 0; p < SINO_LIVE_PLANES; p++) live->page.plane[p] = live->plane[live->set][p];
    sino_status_free(sino_live_page_write(&live->page)); /* the page of the end tells */
}

void sino_live_go_on(SinoLive *live, const SinoLiveRequest *request)
{
    live->input = request->input;
    live->algorithm = request->algorithm;
}

bool sino_live_takes(const SinoLive *live, int64_t x_count, int64_t y_count, int64_t z_count)
{
    return live && live->page.x_count == x_count && live->page.y_count == y_count && live->page.z_count == z_count;
}

SinoStatus sino_live_open(SinoLive *live, SinoRuntime *runtime)
{
    if (!live) return NULL;
    live->runtime = runtime;
    SINO_TRY(sino_data_new(runtime, "page", 0, &live->order));
    for (int s = 0; s < live->set_count; s++)
        for (int p = 0; p < SINO_LIVE_PLANES; p++)
            SINO_TRY(
                sino_data_borrow(runtime, "plane", live->plane[s][p], plane_bytes(&live->page, p), &live->data[s][p]));
    return NULL;
}

void sino_live_close(SinoLive *live)
{
    if (!live) return;
    for (int i = 0; i < SETS_MAX * SINO_LIVE_PLANES; i++) {
        SinoData **data = &live->data[i / SINO_LIVE_PLANES][i % SINO_LIVE_PLANES];
        sino_data_free(*data);
        *data = NULL;
    }
    sino_data_free(live->order);
    live->order = NULL;
}

SinoData *const *sino_live_next(SinoLive *live)
{
    live->set = (live->set + 1) % SINO_LIVE_SETS;
    return live->data[live->set];
}

SinoData *const *sino_live_sums(const SinoLive *live)
{
    return live->data[SUMS];
}

SinoData *sino_live_row(const SinoLive *live, float **sinogram)
{
    *sinogram = live->row.sinogram;
    return live->order;
}

SinoData *const *sino_live_planes(const SinoLive *live)
{
    return live->data[live->set];
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The arc of half a turn, after which lines are seen again, that the first `count` angles cover: the gaps between
 * neighbours, of which those far larger than the middle one count in part. */
static double covered_rad(const SinoLive *live, int64_t count)
{
    const double turn_rad = SINO_PI, together_rad = 1e-6, large = 4;
    const double *angle_rad = live->input->geometry.angle_rad;
    double *gap = live->gap, arc_rad = 0;
    int64_t same = 0;
    for (int64_t k = 0; k < count; k++) gap[k] = angle_rad[k] - turn_rad * floor(angle_rad[k] / turn_rad);
    qsort(gap, (size_t)count, sizeof *gap, compare);
    const double first_rad = gap[0];
    for (int64_t k = 0; k < count; k++) gap[k] = (k + 1 < count ? gap[k + 1] : first_rad + turn_rad) - gap[k];
    qsort(gap, (size_t)count, sizeof *gap, compare);
    while (same + 1 < count && gap[same] < together_rad) same++;
    const double most_rad = large * gap[(same + count) / 2];
    for (int64_t k = same; k < count; k++) arc_rad += fmin(gap[k], most_rad);
    return arc_rad;
}

double sino_live_gain(SinoLive *live, int64_t added)
{
    const int64_t all = live->input->geometry.angle_count;
    if (added <= 0 || added >= all) return 1;
    if (live->all_rad == 0) live->all_rad = covered_rad(live, all);
    if (added != live->gain_added) live->gain = covered_rad(live, added) / live->all_rad * (double)all / (double)added;
    live->gain_added = added;
    return live->gain;
}

static SinoStatus ask(SinoLive *live)
{
    tell_arrival(live);
    live->asked_s = sino_platform_now_s();
    return sino_insert_live(live->runtime, live->position, &live->page, &live->row, &live->shown, live->data[live->set],
                            live->order);
}

SinoStatus sino_live_show(SinoLive *live, const SinoLiveMoment *moment)
{
    live->position = moment->position;
    live->page.algorithm = live->algorithm;
    live->page.center = sino_input_column_of_file(live->input, live->input->geometry.center);
    live->page.added = moment->added;
    live->page.pass = moment->pass;
    live->page.pass_total = moment->pass_total;
    return ask(live);
}

SinoStatus sino_live_show_again(SinoLive *live)
{
    if (!live || !live->order || sino_platform_now_s() - live->asked_s < after_s) return NULL;
    return ask(live);
}

SinoStatus sino_live_end(SinoLive *live, SinoStatus status)
{
    char *failed = NULL;
    if (!live) return NULL;
    sino_ending_remove(&live->last);
    if (status && asprintf(&failed, "The run has failed: %s", sino_status_text(status)) < 0) failed = NULL;
    live->page.failed = status;
    live->page.ended = failed ? failed : status ? "The run has failed." : "The run is complete.";
    live->page.trail = &live->shown.trail;
    for (int p = 0; p < SINO_LIVE_PLANES; p++) live->page.plane[p] = live->plane[live->set][p];
    SinoStatus written = sino_live_page_write(&live->page);
    free_live(live);
    free(failed);
    return written;
}
