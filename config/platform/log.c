/* SPDX-License-Identifier: BSD-3-Clause */
/* Log: one line per message on stderr, as text or JSON; progress as a line that is redrawn on a terminal. */
#include "log.h"

#include "memory.h"
#include "platform.h"
#include "text.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct SinoLog {
    pthread_mutex_t mutex; /* protects the members below and the order of lines */
    SinoLogFormat format;
    bool on_terminal, muted, detailed;
    double start_s;         /* monotonic clock */
    double last_progress_s; /* since start_s; negative: no progress was written yet */
    bool line_is_open;      /* a progress line stands on the terminal, without newline */
    bool ended;             /* nothing is written any more */
    SinoLogSink sink;       /* line NULL: stderr */
    bool keeps;
    SinoLogLine *line; /* [line_count]; owned */
    int64_t line_count;
};

SinoStatus sino_log_open(SinoLogFormat format, SinoLog **log)
{
    SinoLog *result = NULL;
    SINO_TRY(sino_allocate(1, sizeof *result, "the log", &result));
    if (pthread_mutex_init(&result->mutex, NULL) != 0) {
        free(result);
        return sino_error(SINO_FAILED, "the log's mutex cannot be made");
    }
    result->format = format;
    result->on_terminal = isatty(STDERR_FILENO) == 1;
    result->start_s = sino_platform_now_s();
    result->last_progress_s = -1;
    *log = result;
    return NULL;
}

SinoStatus sino_log_open_sink(const SinoLogSink *sink, SinoLog **log)
{
    SINO_TRY(sino_log_open(SINO_LOG_TEXT, log));
    (*log)->sink = *sink;
    (*log)->on_terminal = false;
    return NULL;
}

void sino_log_close(SinoLog *log)
{
    if (!log) return;
    if (log->line_is_open) fputc('\n', stderr);
    pthread_mutex_destroy(&log->mutex);
    for (int64_t i = 0; i < log->line_count; i++) free(log->line[i].message);
    free(log->line);
    free(log);
}

static void open_json(SinoJson *json, double time_s, const char *level, const char *event, const char *message)
{
    sino_json_open(json, NULL);
    sino_json_real(json, "time", round(1000 * time_s) / 1000);
    sino_json_text(json, "level", level);
    sino_json_text(json, "event", event);
    sino_json_text(json, "message", message);
}

static void print_text(SinoLog *log, const char *level, const char *message, FILE *out)
{
    fprintf(out, "%ssinodag: %s", log->line_is_open ? "\r\033[K" : "",
            strcmp(level, "warning") == 0 ? "warning: " : "");
    sino_print_visible(message, out);
    fputc('\n', out);
    log->line_is_open = false;
}

/* The caller holds the mutex. */
static void write_line(SinoLog *log, const char *level, const char *event, const char *message)
{
    char *line = NULL;
    size_t size;
    if (log->sink.line) {
        log->sink.line(log->sink.of, level, event, message);
        return;
    }
    /* The line is written at once, so that lines of several ranks do not mix. Without memory it is written piece by
     * piece. */
    FILE *memory = open_memstream(&line, &size);
    FILE *out = memory ? memory : stderr;
    if (log->format == SINO_LOG_JSON) {
        SinoJson json = {.out = out, .compact = true};
        open_json(&json, sino_platform_now_s() - log->start_s, level, event, message);
        sino_json_close(&json);
    } else {
        print_text(log, level, message, out);
    }
    if (memory && fclose(memory) == 0) fwrite(line, 1, size, stderr);
    free(line);
}

/* The caller holds the mutex. Without memory a message is not kept. */
static void keep_line(SinoLog *log, const char *level, const char *event, const char *message)
{
    enum { MOST = 1000, PIECE_OF = 64 };
    if (!log->keeps || log->line_count == MOST) return;
    if (log->line_count % PIECE_OF == 0) {
        SinoLogLine *more = realloc(log->line, (size_t)(log->line_count + PIECE_OF) * sizeof *more);
        if (!more) return;
        log->line = more;
    }
    SinoLogLine *line = &log->line[log->line_count];
    *line = (SinoLogLine){sino_platform_now_s() - log->start_s, level, event, strdup(message)};
    if (line->message) log->line_count++;
}

/* A message that is not shown is only kept. */
static void write_message(SinoLog *log, const char *level, const char *event, const char *message, bool shown)
{
    pthread_mutex_lock(&log->mutex);
    if (!log->ended && shown) write_line(log, level, event, message);
    keep_line(log, level, event, message);
    pthread_mutex_unlock(&log->mutex);
}

static void write_formatted(SinoLog *log, const char *level, const char *event, bool shown, const char *format,
                            va_list arguments)
{
    char *message = NULL;
    if (vasprintf(&message, format, arguments) < 0) {
        write_message(log, level, event, "a message was lost: out of memory", shown);
        return;
    }
    write_message(log, level, event, message, shown);
    free(message);
}

void sino_log_keep(SinoLog *log)
{
    log->keeps = true;
}

int64_t sino_log_kept(SinoLog *log, const SinoLogLine **line)
{
    pthread_mutex_lock(&log->mutex);
    const int64_t count = log->line_count;
    *line = log->line;
    pthread_mutex_unlock(&log->mutex);
    return count;
}

void sino_log_mute(SinoLog *log, bool muted)
{
    log->muted = muted;
}

void sino_log_show_details(SinoLog *log)
{
    log->detailed = true;
}

void sino_log_detail(SinoLog *log, const char *event, const char *format, ...)
{
    const bool shown = log->detailed || log->format == SINO_LOG_JSON;
    if (log->muted || !(shown || log->keeps)) return;
    va_list arguments;
    va_start(arguments, format);
    write_formatted(log, "info", event, shown, format, arguments);
    va_end(arguments);
}

void sino_log_info(SinoLog *log, const char *event, const char *format, ...)
{
    if (log->muted) return;
    va_list arguments;
    va_start(arguments, format);
    write_formatted(log, "info", event, true, format, arguments);
    va_end(arguments);
}

void sino_log_warning(SinoLog *log, const char *event, const char *format, ...)
{
    if (log->muted) return;
    va_list arguments;
    va_start(arguments, format);
    write_formatted(log, "warning", event, true, format, arguments);
    va_end(arguments);
}

void sino_log_error(SinoLog *log, SinoStatus status)
{
    if (*sino_status_text(status)) write_message(log, "error", "error", sino_status_text(status), true);
}

void sino_log_last_words(SinoLog *log, SinoStatus status)
{
    pthread_mutex_lock(&log->mutex);
    if (!log->ended) write_line(log, "error", "error", sino_status_text(status));
    log->ended = true;
    pthread_mutex_unlock(&log->mutex);
}

enum { PIECE = 96 };

/* ", iteration 12/30", or ", iteration 9–12/30" when slices are at different ones; "" without iterations. */
static const char *iteration_text(const SinoProgress *progress, char text[PIECE])
{
    text[0] = '\0';
    if (progress->iteration_count <= 0) return text;
    if (progress->least_iteration < progress->iteration)
        snprintf(text, PIECE, ", iteration %" PRId64 "–%" PRId64 "/%" PRId64, progress->least_iteration,
                 progress->iteration, progress->iteration_count);
    else
        snprintf(text, PIECE, ", iteration %" PRId64 "/%" PRId64, progress->iteration, progress->iteration_count);
    return text;
}

static const char *stopped_text(const SinoProgress *progress, char text[PIECE])
{
    text[0] = '\0';
    if (progress->stopped_slices > 0)
        snprintf(text, PIECE, ", %" PRId64 " of %" PRId64 " slices stopped", progress->stopped_slices,
                 progress->slice_count);
    return text;
}

/* Text of a progress, as "part 1/4, iteration 9–12/30, 3 of 64 slices stopped, residual 1.23e-03, 41 %, 0:03:21 left".
 */
static void progress_text(const SinoProgress *progress, double left_s, char *text, size_t size)
{
    char iteration[PIECE], stopped[PIECE], residual[40] = "", left[40] = "";
    if (isfinite(progress->residual)) snprintf(residual, sizeof residual, ", residual %.2e", progress->residual);
    /* An estimate above a hundred years comes from too small a share to mean anything. */
    if (isfinite(left_s) && left_s < 3e9) {
        const int64_t seconds = (int64_t)(left_s + 0.5);
        snprintf(left, sizeof left, ", %" PRId64 ":%02d:%02d left", seconds / 3600, (int)(seconds / 60 % 60),
                 (int)(seconds % 60));
    }
    snprintf(text, size, "part %" PRId64 "/%" PRId64 "%s%s%s, %.0f %%%s", progress->slab, progress->slab_count,
             iteration_text(progress, iteration), stopped_text(progress, stopped), residual, 100 * progress->done,
             left);
}

static void write_json_progress(const SinoProgress *progress, double elapsed_s, double left_s, const char *text)
{
    char *line = NULL;
    size_t size;
    FILE *out = open_memstream(&line, &size);
    if (!out) return; /* no memory: this progress is skipped */
    SinoJson json = {.out = out, .compact = true};
    open_json(&json, elapsed_s, "info", "progress", text);
    sino_json_integer(&json, "slab", progress->slab);
    sino_json_integer(&json, "slab_count", progress->slab_count);
    sino_json_integer(&json, "least_iteration", progress->least_iteration);
    sino_json_integer(&json, "iteration", progress->iteration);
    sino_json_integer(&json, "iteration_count", progress->iteration_count);
    sino_json_integer(&json, "stopped_slices", progress->stopped_slices);
    sino_json_integer(&json, "slice_count", progress->slice_count);
    sino_json_real(&json, "residual", progress->residual);
    sino_json_real(&json, "done", progress->done);
    sino_json_real(&json, "remaining", left_s);
    sino_json_close(&json);
    if (fclose(out) == 0) fwrite(line, 1, size, stderr);
    free(line);
}

static void write_text_progress(SinoLog *log, bool is_last, const char *text)
{
    if (!log->on_terminal) {
        fprintf(stderr, "sinodag: %s\n", text);
        return;
    }
    fprintf(stderr, "\r%s\033[K%s", text, is_last ? "\n" : "");
    log->line_is_open = !is_last;
}

void sino_log_progress(SinoLog *log, const SinoProgress *progress)
{
    char text[320];
    if (log->muted) return;
    pthread_mutex_lock(&log->mutex);
    const double elapsed_s = sino_platform_now_s() - log->start_s;
    const double done = progress->done;
    const double least = 0.005; /* a few tasks would decide before */
    const double left_s = done >= least && done <= 1 ? progress->elapsed_s * (1 - done) / done : NAN; /* NaN: unknown */
    const bool is_last = done >= 1;
    /* Seconds between two progress lines. */
    const double pause_s = log->format == SINO_LOG_JSON ? 0 : log->on_terminal || log->sink.line ? 0.1 : 1;
    if (log->ended) {
        pthread_mutex_unlock(&log->mutex);
        return;
    }
    if (is_last || log->last_progress_s < 0 || elapsed_s - log->last_progress_s >= pause_s) {
        progress_text(progress, left_s, text, sizeof text);
        if (log->sink.line) {
            if (log->sink.progress) log->sink.progress(log->sink.of, progress, text);
        } else if (log->format == SINO_LOG_JSON) {
            write_json_progress(progress, elapsed_s, left_s, text);
        } else {
            write_text_progress(log, is_last, text);
        }
        log->last_progress_s = elapsed_s;
    }
    pthread_mutex_unlock(&log->mutex);
}
