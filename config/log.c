/* SPDX-License-Identifier: BSD-3-Clause */
/* Log: one line per message on stderr, as text or JSON; progress as a line that is redrawn on a terminal. */
#include "log.h"

#include "memory.h"
#include "platform.h"
#include "utf8.h"
#include "visible.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
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

void sino_log_close(SinoLog *log)
{
    if (!log) return;
    if (log->line_is_open) fputc('\n', stderr);
    pthread_mutex_destroy(&log->mutex);
    free(log);
}

static void print_json_string(const char *text, FILE *out)
{
    uint32_t code;
    fputc('"', out);
    while (*text) {
        const int length = sino_utf8_decode(text, &code);
        if (length == 0)
            fputs("\\ufffd", out); /* JSON must be UTF-8; a file name may be any bytes */
        else if (code == '"' || code == '\\')
            fprintf(out, "\\%c", (char)code);
        else if (code < 0x20 || (code >= 0x7F && code < 0xA0))
            fprintf(out, "\\u%04" PRIx32, code);
        else
            fwrite(text, 1, (size_t)length, out);
        text += length ? length : 1;
    }
    fputc('"', out);
}

static void print_json_number(const char *name, double value, FILE *out)
{
    if (isfinite(value))
        fprintf(out, ",\"%s\":%.9g", name, value);
    else
        fprintf(out, ",\"%s\":null", name);
}

static void print_json_head(double time_s, const char *level, const char *event, const char *message, FILE *out)
{
    fprintf(out, "{\"time\":%.3f,\"level\":\"%s\",\"event\":", time_s, level);
    print_json_string(event, out);
    fputs(",\"message\":", out);
    print_json_string(message, out);
}

static void print_text(SinoLog *log, const char *level, const char *message, FILE *out)
{
    fprintf(out, "%ssinodag: %s", log->line_is_open ? "\r\033[K" : "",
            strcmp(level, "warning") == 0 ? "warning: " : "");
    sino_print_visible(message, out);
    fputc('\n', out);
    log->line_is_open = false;
}

static void write_message(SinoLog *log, const char *level, const char *event, const char *message)
{
    char *line = NULL;
    size_t size;
    pthread_mutex_lock(&log->mutex);
    /* The line is written at once, so that lines of several ranks do not mix. Without memory it is written piece by
     * piece. */
    FILE *memory = open_memstream(&line, &size);
    FILE *out = memory ? memory : stderr;
    if (log->format == SINO_LOG_JSON) {
        print_json_head(sino_platform_now_s() - log->start_s, level, event, message, out);
        fputs("}\n", out);
    } else {
        print_text(log, level, message, out);
    }
    if (memory && fclose(memory) == 0) fwrite(line, 1, size, stderr);
    pthread_mutex_unlock(&log->mutex);
    free(line);
}

static void write_formatted(SinoLog *log, const char *level, const char *event, const char *format, va_list arguments)
{
    char *message = NULL;
    if (vasprintf(&message, format, arguments) < 0) {
        write_message(log, level, event, "a message was lost: out of memory");
        return;
    }
    write_message(log, level, event, message);
    free(message);
}

void sino_log_mute(SinoLog *log)
{
    log->muted = true;
}

void sino_log_show_details(SinoLog *log)
{
    log->detailed = true;
}

void sino_log_detail(SinoLog *log, const char *event, const char *format, ...)
{
    if (log->muted || !(log->detailed || log->format == SINO_LOG_JSON)) return;
    va_list arguments;
    va_start(arguments, format);
    write_formatted(log, "info", event, format, arguments);
    va_end(arguments);
}

void sino_log_info(SinoLog *log, const char *event, const char *format, ...)
{
    if (log->muted) return;
    va_list arguments;
    va_start(arguments, format);
    write_formatted(log, "info", event, format, arguments);
    va_end(arguments);
}

void sino_log_warning(SinoLog *log, const char *event, const char *format, ...)
{
    if (log->muted) return;
    va_list arguments;
    va_start(arguments, format);
    write_formatted(log, "warning", event, format, arguments);
    va_end(arguments);
}

void sino_log_error(SinoLog *log, SinoStatus status)
{
    if (*sino_status_text(status)) write_message(log, "error", "error", sino_status_text(status));
}

/* NaN, unknown, while nothing is done. */
static double remaining_s(double done, double elapsed_s)
{
    return done > 0 && done <= 1 ? elapsed_s * (1 - done) / done : NAN;
}

/* Text of a progress, as "part 1/4, iteration 12/30, residual 1.23e-03, 41 %, 0:03:21 left". */
static void progress_text(const SinoProgress *progress, double left_s, char *text, size_t size)
{
    char iteration[64] = "", residual[40] = "", left[40] = "";
    if (progress->iteration_count > 0)
        snprintf(iteration, sizeof iteration, ", iteration %" PRId64 "/%" PRId64, progress->iteration,
                 progress->iteration_count);
    if (isfinite(progress->residual)) snprintf(residual, sizeof residual, ", residual %.2e", progress->residual);
    /* An estimate above a hundred years comes from too small a share to mean anything. */
    if (isfinite(left_s) && left_s < 3e9) {
        const int64_t seconds = (int64_t)(left_s + 0.5);
        snprintf(left, sizeof left, ", %" PRId64 ":%02d:%02d left", seconds / 3600, (int)(seconds / 60 % 60),
                 (int)(seconds % 60));
    }
    snprintf(text, size, "part %" PRId64 "/%" PRId64 "%s%s, %.0f %%%s", progress->slab, progress->slab_count, iteration,
             residual, 100 * progress->done, left);
}

static void write_json_progress(const SinoProgress *progress, double elapsed_s, double left_s, const char *text)
{
    char *line = NULL;
    size_t size;
    FILE *out = open_memstream(&line, &size);
    if (!out) return; /* no memory: this progress is skipped */
    print_json_head(elapsed_s, "info", "progress", text, out);
    fprintf(out,
            ",\"slab\":%" PRId64 ",\"slab_count\":%" PRId64 ",\"iteration\":%" PRId64 ",\"iteration_count\":%" PRId64,
            progress->slab, progress->slab_count, progress->iteration, progress->iteration_count);
    print_json_number("residual", progress->residual, out);
    print_json_number("done", progress->done, out);
    print_json_number("remaining", left_s, out);
    fputs("}\n", out);
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
    const double left_s = remaining_s(progress->done, progress->elapsed_s);
    const bool is_last = progress->done >= 1;
    /* Seconds between two progress lines. */
    const double pause_s = log->format == SINO_LOG_JSON ? 0 : log->on_terminal ? 0.1 : 1;
    if (is_last || log->last_progress_s < 0 || elapsed_s - log->last_progress_s >= pause_s) {
        progress_text(progress, left_s, text, sizeof text);
        if (log->format == SINO_LOG_JSON)
            write_json_progress(progress, elapsed_s, left_s, text);
        else
            write_text_progress(log, is_last, text);
        log->last_progress_s = elapsed_s;
    }
    pthread_mutex_unlock(&log->mutex);
}
