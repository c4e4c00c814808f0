/* SPDX-License-Identifier: BSD-3-Clause */
/* Live: three planes of the volume of a run that follows a scan, and the page that shows them (--follow=PAGE).
 *
 * A graph has its tasks fill the planes of sino_live_next after each block of projections, and then calls
 * sino_live_show, whose task writes the page if the last one is a second old. sino_input_await asks for pages while it
 * waits. There are two sets of planes, so that one is filled while the page is made of the other. */
#pragma once

#include "files_tasks.h"
#include "input.h"

enum { SINO_LIVE_SETS = 2 };

typedef struct SinoLive SinoLive;

/* Not owned; they outlive the result. */
typedef struct SinoLiveRequest {
    const char *path, *title, *units, *algorithm; /* as of SinoLivePage */
    const SinoInput *input;                       /* its rotation axis is known */
    int64_t x_count, y_count, z_count;            /* of the volume */
    bool parallel;                                /* a row of the beam tells the center */
} SinoLiveRequest;

/* Allocates planes of zeros, and writes a page without them. SINO_BAD_INPUT: it cannot be written. */
SinoStatus sino_live_new(const SinoLiveRequest *request, SinoLive **live);

/* The run ends well, and one by the algorithm `next` goes on. Takes NULL. */
void sino_live_leave(SinoLive *live, const char *next);

/* It has begun. Planes of other sizes are not for the page; live may be NULL. */
void sino_live_go_on(SinoLive *live, const SinoLiveRequest *request);
bool sino_live_takes(const SinoLive *live, int64_t x_count, int64_t y_count, int64_t z_count);

/* Bytes of the planes; with so many line integrals, of a parallel beam, also of these and of the sums. */
int64_t sino_live_bytes(int64_t x_count, int64_t y_count, int64_t z_count, int64_t rays);

/* Makes the planes known to the runtime, until _close; both take NULL. */
SinoStatus sino_live_open(SinoLive *live, SinoRuntime *runtime);
void sino_live_close(SinoLive *live);

/* The planes that the next tasks update: data of floats, as those of SinoLivePage. */
SinoData *const *sino_live_next(SinoLive *live);
SinoData *const *sino_live_planes(const SinoLive *live); /* those of the last _next */

/* Of a parallel beam: sums that tasks add blocks to, zeros before, which lie as the planes do. */
SinoData *const *sino_live_sums(const SinoLive *live);

/* Where tasks put the line integrals of the middle slice, float[angle][column], of a parallel beam; the result is data
 * that they update, so that the page takes them when it has the planes. */
SinoData *sino_live_row(const SinoLive *live, float **sinogram);

/* By what sums over the first `added` angles are multiplied so that these count as if they were all: each stands for
 * its arc among them. Angles that have yet to come beyond all others stand for nothing. 1 of all angles. */
double sino_live_gain(SinoLive *live, int64_t added);

/* How far a graph has come; as of SinoLivePage. */
typedef struct SinoLiveMoment {
    SinoPosition position;
    int64_t added, pass, pass_total;
} SinoLiveMoment;

/* Inserts the task that shows these planes. */
SinoStatus sino_live_show(SinoLive *live, const SinoLiveMoment *moment);

/* Shows the same planes again with what has come of the scan, if the last page was asked for a second ago; nothing
 * before _open. Takes NULL. */
SinoStatus sino_live_show_again(SinoLive *live);

/* Writes the last page, and frees everything. `status`: how the run has ended; not consumed. Takes NULL. Errors as of
 * sino_live_page_write. */
SinoStatus sino_live_end(SinoLive *live, SinoStatus status);
