/* SPDX-License-Identifier: BSD-3-Clause */
/* Log: messages and progress of a run on stderr, as text or as one JSON object per line. Calls are safe from any
 * thread. */
#pragma once

#include "status.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct SinoLog SinoLog;

typedef enum SinoLogFormat { SINO_LOG_TEXT, SINO_LOG_JSON } SinoLogFormat;

/* Progress of a reconstruction, of which a part (slab) is in work. */
typedef struct SinoProgress {
    int64_t slab, slab_count;                            /* slab counts from 1 */
    int64_t least_iteration, iteration, iteration_count; /* of the part's slices: the least and the most advanced */
    int64_t stopped_slices, slice_count;                 /* of the part: at the tolerance; all */
    double residual; /* ‖Ax − b‖/‖b‖ over the slices of the part, where a slice not begun counts as 1; NaN: not known */
    double done;      /* finished share of the whole run, 0…1 */
    double elapsed_s; /* since the work that counts has begun; the remaining time follows from it and `done` */
} SinoProgress;

/* Opens a log on stderr; the caller closes it with sino_log_close.
 *
 * Text: on a terminal one progress line that is redrawn, elsewhere plain lines, at most one a second. JSON: objects
 * with "time" (seconds since open), "level", "event" and "message". A progress object is written for every call, and
 * adds the numbers of SinoProgress and the "remaining" seconds; null: not known. */
SinoStatus sino_log_open(SinoLogFormat format, SinoLog **log);

/* Functions that get what a log would write; called from any thread, one call at a time. The texts are valid during a
 * call. */
typedef struct SinoLogSink {
    void (*line)(void *of, const char *level, const char *event, const char *message);
    void (*progress)(void *of, const SinoProgress *progress, const char *text); /* NULL: progress is dropped */
    void *of;                                                                   /* not owned */
} SinoLogSink;

/* Opens a log that writes nothing, but calls the functions of the sink, which is copied. */
SinoStatus sino_log_open_sink(const SinoLogSink *sink, SinoLog **log);
void sino_log_close(SinoLog *log); /* takes NULL */

/* From now on the log writes errors only, or all again: in a job of several ranks, one rank writes messages and
 * progress. */
void sino_log_mute(SinoLog *log, bool muted);

/* From now on the log writes details in text, too. */
void sino_log_show_details(SinoLog *log);

/* From now on the log also keeps its messages, details among them, in memory: the first thousand. */
void sino_log_keep(SinoLog *log);

/* A message that is kept; its texts belong to the log. */
typedef struct SinoLogLine {
    double time_s;     /* since the log was opened */
    const char *level; /* "info" or "warning" */
    const char *event;
    char *message;
} SinoLogLine;

/* *line: the messages that are kept; valid until the next message. Returns their number. */
int64_t sino_log_kept(SinoLog *log, const SinoLogLine **line);

/* `event` is a short word for programs that read the log: "center", "repair", "memory", "output" … */
void sino_log_info(SinoLog *log, const char *event, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Details of how the program works, for experts: in text only after sino_log_show_details, in JSON always. */
void sino_log_detail(SinoLog *log, const char *event, const char *format, ...) __attribute__((format(printf, 3, 4)));
void sino_log_warning(SinoLog *log, const char *event, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Writes "sinodag: " and the text of the error. Writes nothing when the text is empty, because another rank prints the
 * error. Does not consume the status. */
void sino_log_error(SinoLog *log, SinoStatus status);
/* The same, for the last line of a program that ends while other threads go on: the log writes nothing afterwards. */
void sino_log_last_words(SinoLog *log, SinoStatus status);
void sino_log_progress(SinoLog *log, const SinoProgress *progress);
