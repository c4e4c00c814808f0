/* SPDX-License-Identifier: BSD-3-Clause */
/* Scan follow: looks at the file again and again until the projections are there. */
#include "scan_follow.h"

#include <assert.h>
#include <inttypes.h>
#include <time.h>

#include "platform.h"
#include "scan_source.h"

enum { LOOK_AGAIN_MS = 20 };

SinoScanArrival sino_scan_arrival(const SinoScan *scan)
{
    SinoScanArrival arrival = scan->arrival;
    arrival.refused = scan->look.refused;
    arrival.refusal = scan->look.reason;
    return arrival;
}

int64_t sino_scan_frames_before(const SinoScan *scan, int64_t end)
{
    if (end == 0) return 0;
    return scan->frame ? scan->frame[end - 1] + scan->info.angle_binning : end;
}

bool sino_scan_has_come(const SinoScan *scan, int64_t end)
{
    return scan->arrival.limit_s == 0 || scan->arrival.frames >= sino_scan_frames_before(scan, end);
}

static void take(SinoScanArrival *arrival, int64_t frames)
{
    const double now_s = sino_platform_now_s();
    if (arrival->first_s == 0) {
        arrival->first_s = now_s;
        arrival->first_frames = frames;
    } else if (frames == arrival->frames) {
        return;
    }
    arrival->frames = frames;
    arrival->last_s = now_s;
}

SinoStatus sino_scan_look(SinoScan *scan, const SinoScanGate *gate)
{
    const SinoScanPart *data = &scan->data;
    if (scan->arrival.limit_s == 0) return NULL;
    scan->look = (SinoScanLook){0};
    if (gate->enter) SINO_TRY(gate->enter(gate->of));
    SinoStatus status = data->source->look(data->file, &scan->look);
    if (gate->leave) gate->leave(gate->of);
    if (status) return status;
    const int64_t frames = scan->look.frames;
    SINO_CHECK(frames >= scan->arrival.frames, SINO_FAILED,
               "%s had %" PRId64 " projections, and now has %" PRId64 ": it was cut, or begun anew", scan->path,
               scan->arrival.frames, frames);
    take(&scan->arrival, frames);
    return NULL;
}

SinoStatus sino_scan_await(SinoScan *scan, int64_t end, const SinoScanGate *gate)
{
    static const struct timespec pause = {.tv_nsec = LOOK_AGAIN_MS * 1000000L};
    const SinoScanArrival *arrival = &scan->arrival;
    const char *reason = scan->look.reason;
    assert(end >= 0 && end <= scan->info.angle_count);
    while (!sino_scan_has_come(scan, end)) {
        SINO_TRY(sino_scan_look(scan, gate));
        if (sino_scan_has_come(scan, end) || (gate->stopped && gate->stopped(gate->of))) return NULL;
        SINO_CHECK(sino_platform_now_s() - arrival->last_s <= arrival->limit_s, SINO_FAILED,
                   "%s: %" PRId64 " of %" PRId64 " projections have come, and none for %g s (--follow-timeout)%s%s",
                   scan->path, arrival->frames, scan->info.file_angle_count, arrival->limit_s, *reason ? "; " : "",
                   reason);
        (void)nanosleep(&pause, NULL);
    }
    return NULL;
}
