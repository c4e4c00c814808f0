/* SPDX-License-Identifier: BSD-3-Clause */
/* Log: what a run tells while it goes on, on stderr, as text or as one JSON object per line. Safe from any thread. */
#ifndef SINO_LOG_H
#define SINO_LOG_H

#include "status.h"

#include <stdint.h>

typedef struct SinoLog SinoLog;

typedef enum SinoLogFormat { SINO_LOG_TEXT, SINO_LOG_JSON } SinoLogFormat;

/* How far a reconstruction is. */
typedef struct SinoProgress {
    int64_t slab, slab_count;           /* slabs begin at 1 */
    int64_t iteration, iteration_count; /* of the minibatch that has just finished one */
    double residual;  /* ‖Ax − b‖ over that minibatch's slices relative to ‖b‖; NaN: not known */
    double done;      /* share of the whole run, 0…1 */
    double elapsed_s; /* since the run began; with `done` it makes the ETA */
} SinoProgress;

/* `format` text: a progress line that is redrawn when stderr is a terminal, plain lines (at most one a second)
 * otherwise. `format` JSON: objects with "time" (seconds since open), "level", "event" and "message"; every progress,
 * with its numbers and "remaining" seconds; null: not known. */
SinoStatus sino_log_open(SinoLogFormat format, SinoLog **log);
void sino_log_close(SinoLog *log); /* takes NULL */

/* From now on errors only: of the processes of a job one tells what goes on. */
void sino_log_mute(SinoLog *log);

/* `event` is a short word that machines can match: "center", "repair", "memory", "output" … */
void sino_log_info(SinoLog *log, const char *event, const char *format, ...) __attribute__((format(printf, 3, 4)));
void sino_log_warning(SinoLog *log, const char *event, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* "sinodag: " and the text; nothing when there is none, as somebody else tells it. Does not consume the status. */
void sino_log_error(SinoLog *log, SinoStatus status);
void sino_log_progress(SinoLog *log, const SinoProgress *progress);

#endif
