/* SPDX-License-Identifier: BSD-3-Clause */
/* Input follow: looks for projections between the tasks that call HDF5. */
#include "input_parts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "arithmetic.h"
#include "paths.h"
#include "platform.h"
#include "scan_follow.h"
#include "simulation.h"

enum { OPEN_AGAIN_MS = 100 };

typedef struct Gate {
    SinoRuntime *runtime;
    SinoData *io;
    SinoLive *live;
} Gate;

static SinoStatus enter(void *of)
{
    const Gate *gate = of;
    void *unused;
    SINO_TRY(sino_live_show_again(gate->live));
    return sino_data_acquire(gate->io, SINO_READ_WRITE, &unused);
}

static void leave(void *of)
{
    const Gate *gate = of;
    sino_data_release(gate->io);
}

static bool is_stopped(void *of)
{
    const Gate *gate = of;
    return sino_runtime_failed(gate->runtime);
}

/* The first look at a scan tells how much of it there is. */
static SinoStatus look_first(const SinoInput *input, const SinoScanGate *gate, SinoLog *log)
{
    if (sino_scan_arrival(input->scan).first_s > 0) return NULL;
    SINO_TRY(sino_scan_look(input->scan, gate));
    sino_log_info(log, "follow", "%" PRId64 " of %" PRId64 " projections have come",
                  sino_scan_arrival(input->scan).frames, input->info->file_angle_count);
    return NULL;
}

/* In virtual time projections come at a rate, from the beginning of the run on; without a rate all are there. */
static SinoStatus await_rate(const SinoInput *input, SinoRuntime *runtime, int64_t end)
{
    const int64_t frames = input->scan ? sino_scan_frames_before(input->scan, end) : end;
    return input->arrival_per_s > 0 ? sino_simulation_await(runtime, (double)frames / input->arrival_per_s) : NULL;
}

SinoStatus sino_input_await(const SinoInput *input, SinoRuntime *runtime, SinoData *io, SinoLive *live, int64_t end)
{
    Gate gate = {runtime, io, live};
    const SinoScanGate around = {.of = &gate, .enter = enter, .leave = leave, .stopped = is_stopped};
    if (SINO_SIMULATES) return await_rate(input, runtime, end);
    if (!input->scan || sino_scan_has_come(input->scan, end)) return NULL; /* no scan: it is imagined */
    SINO_TRY(look_first(input, &around, sino_runtime_log(runtime)));
    return sino_scan_await(input->scan, end, &around);
}

static SinoStatus try_open(const SinoSettings *settings)
{
    const SinoScanRequest request = sino_input_scan_request(settings);
    SinoScan *scan = NULL;
    SinoStatus status = sino_scan_open(&request, &scan);
    sino_scan_close(scan);
    return status;
}

SinoStatus sino_input_await_whole(const SinoSettings *settings, SinoLog *log)
{
    static const struct timespec pause = {.tv_nsec = OPEN_AGAIN_MS * 1000000L};
    const double limit_s = settings->input.follow_timeout_s, begin_s = sino_platform_now_s();
    SinoStatus status = try_open(settings);
    if (status) sino_log_info(log, "follow", "waiting until the writer has closed the scan");
    while (status && sino_platform_now_s() - begin_s <= limit_s) {
        sino_status_free(status);
        (void)nanosleep(&pause, NULL);
        status = try_open(settings);
    }
    if (!status) return NULL;
    SinoStatus late = sino_error(SINO_FAILED,
                                 "the scan cannot be opened as a whole %g s after its last projection "
                                 "(--follow-timeout): %s",
                                 limit_s, sino_status_text(status));
    sino_status_free(status);
    return late;
}

void sino_input_tell_arrival(const SinoInput *input, SinoLog *log)
{
    const SinoScanInfo *info = input->info;
    const SinoScanArrival arrival = sino_scan_arrival(input->scan);
    const double seconds = arrival.last_s - arrival.first_s, since = sino_platform_now_s() - arrival.last_s;
    const int64_t came = arrival.frames - arrival.first_frames,
                  bytes = sino_times(sino_times(info->row_count, info->column_count), sino_count_bytes(info->type));
    if (arrival.limit_s == 0) return;
    if (arrival.refused > 0) sino_log_warning(log, "follow", "%s", arrival.refusal);
    if (came > 1 && seconds > 0)
        sino_log_info(log, "follow",
                      "%" PRId64 " projections came in %.1f s (%.3g per second, %.3g MB/s); the volume was complete "
                      "%.2f s after the last one",
                      came, seconds, (double)came / seconds, 1e-6 * (double)came * (double)bytes / seconds, since);
}

void sino_input_follow_checksum(const SinoInput *input, char digits[17])
{
    char *text = NULL;
    if (!input->scan || sino_scan_arrival(input->scan).limit_s == 0) return;
    const SinoScanBox row = {
        .first_row = input->info->row_count / 2, .row_count = 1, .column_count = input->info->column_count};
    SinoStatus status = sino_scan_identity(input->scan, &row, &text);
    if (!status) sino_checksum_bytes(text, strlen(text), digits);
    sino_status_free(status);
    free(text);
}

SinoStatus sino_input_check_follow(const SinoSettings *settings)
{
    const SinoOutputSettings *output = &settings->output;
    SINO_CHECK(!settings->input.follow || output->type == SINO_OUTPUT_FLOAT32 || output->range.low < output->range.high,
               SINO_BAD_INPUT,
               "output-range is auto, which is found by the whole scan, and --follow is given; allowed: --output-range "
               "MIN:MAX, or --output-type float32");
    return NULL;
}
