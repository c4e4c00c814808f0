/* SPDX-License-Identifier: BSD-3-Clause */
/* Log: text and JSON lines, pauses between progress lines, redrawing on a terminal, many threads. */
#include "log.h"

#include "testing_subject.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

/* stderr goes to a file between capture_begin and capture_end, which returns the file's bytes. */
typedef struct Capture {
    FILE *file;
    int old_stderr;
} Capture;

static void capture_begin(Capture *capture)
{
    capture->file = tmpfile();
    assert_non_null(capture->file);
    capture->old_stderr = dup(STDERR_FILENO);
    dup2(fileno(capture->file), STDERR_FILENO);
}

static char *capture_end(Capture *capture)
{
    (void)fflush(stderr);
    dup2(capture->old_stderr, STDERR_FILENO);
    close(capture->old_stderr);
    const long size = lseek(fileno(capture->file), 0, SEEK_END);
    char *text = calloc((size_t)size + 1, 1);
    assert_int_equal(fseek(capture->file, 0, SEEK_SET), 0);
    assert_int_equal(fread(text, 1, (size_t)size, capture->file), size);
    (void)fclose(capture->file);
    return text;
}

/* The end of the JSON value at `text`, NULL when it is none: objects, strings, numbers and null are what the log has.
 */
static const char *json_string_end(const char *text)
{
    if (*text++ != '"') return NULL;
    while (*text != '"') {
        if ((unsigned char)*text < 0x20) return NULL;
        if (*text == '\\' && !strchr("\"\\u", *++text)) return NULL;
        text++;
    }
    return text + 1;
}

static const char *json_scalar_end(const char *text)
{
    if (strncmp(text, "null", 4) == 0) return text + 4;
    if (*text == '"') return json_string_end(text);
    char *end;
    (void)strtod(text, &end);
    return end > text && strspn(text, "-0123456789") ? end : NULL;
}

static bool is_json_line(const char *text, const char **end)
{
    if (*text++ != '{') return false;
    do {
        text = json_string_end(text);
        if (!text || *text++ != ':') return false;
        text = json_scalar_end(text);
        if (!text) return false;
    } while (*text++ == ',');
    *end = text + 1;
    return text[-1] == '}' && *text == '\n';
}

static int count_json_lines(const char *text)
{
    int count = 0;
    for (; *text; count++) assert_true(is_json_line(text, &text));
    return count;
}

static void text_lines_are_plain(void **state)
{
    (void)state;
    Capture capture;
    SinoLog *log = NULL;
    capture_begin(&capture);
    assert_null(sino_log_open(SINO_LOG_TEXT, &log));
    sino_log_info(log, "center", "center %.1f", 296.0);
    sino_log_warning(log, "repair", "%d values repaired", 3);
    SinoStatus status = sino_error(SINO_FAILED, "disk full");
    sino_log_error(log, status);
    sino_log_error(log, NULL);
    sino_status_free(status);
    sino_log_close(log);
    sino_log_close(NULL);
    char *text = capture_end(&capture);
    assert_string_equal(text, "sinodag: center 296.0\nsinodag: warning: 3 values repaired\nsinodag: disk full\n");
    free(text);
}

static void progress_lines_pause_but_the_last_comes(void **state)
{
    (void)state;
    Capture capture;
    SinoLog *log = NULL;
    capture_begin(&capture);
    assert_null(sino_log_open(SINO_LOG_TEXT, &log));
    SinoProgress progress = {.slab = 1, .slab_count = 2, .iteration_count = 30, .residual = NAN};
    for (int i = 0; i < 100; i++) {
        progress.iteration = progress.least_iteration = i % 30;
        sino_log_progress(log, &progress);
    }
    progress = (SinoProgress){2, 2, 11, 30, 30, 5, 64, 1.234e-3, 1, 7};
    sino_log_progress(log, &progress);
    sino_log_close(log);
    char *text = capture_end(&capture);
    assert_string_equal(text,
                        "sinodag: part 1/2, iteration 0/30, 0 %\n"
                        "sinodag: part 2/2, iteration 11–30/30, 5 of 64 slices stopped, residual 1.23e-03, 100 %, "
                        "0:00:00 left\n");
    free(text);
}

static void json_lines_parse(void **state)
{
    (void)state;
    Capture capture;
    SinoLog *log = NULL;
    capture_begin(&capture);
    assert_null(sino_log_open(SINO_LOG_JSON, &log));
    sino_log_info(log, "output", "%s", "a \"b\" \\ c\nd\x01 \xc3\xbc \xff.h5");
    sino_log_warning(log, "memory", "little");
    SinoStatus status = sino_error(SINO_BAD_INPUT, "no");
    sino_log_error(log, status);
    sino_status_free(status);
    sino_log_progress(log, &(SinoProgress){1, 2, 2, 3, 30, 0, 64, NAN, 0, 7});
    sino_log_progress(log, &(SinoProgress){1, 2, 2, 3, 30, 0, 64, NAN, 0.004, 7});
    sino_log_progress(log, &(SinoProgress){1, 2, 4, 4, 30, 0, 64, 0.25, 0.5, 7});
    sino_log_close(log);
    char *text = capture_end(&capture);
    assert_int_equal(count_json_lines(text), 6);
    assert_non_null(strstr(text,
                           "\"level\":\"info\",\"event\":\"output\",\"message\":\"a \\\"b\\\" \\\\ c\\u000ad\\u0001 "
                           "\xc3\xbc \\ufffd.h5\"}\n"));
    assert_non_null(strstr(text, "\"level\":\"warning\",\"event\":\"memory\",\"message\":\"little\"}\n"));
    assert_non_null(strstr(text, "\"level\":\"error\",\"event\":\"error\",\"message\":\"no\"}\n"));
    assert_non_null(strstr(text, "\"slab\":1,\"slab_count\":2,\"least_iteration\":2,\"iteration\":3,"
                                 "\"iteration_count\":30,\"stopped_slices\":0,\"slice_count\":64,\"residual\":null,"
                                 "\"done\":0,\"remaining\":null}\n"));
    assert_non_null(strstr(text, "\"done\":0.004,\"remaining\":null}\n")); /* too little to tell */
    const char *numbers = strstr(text, "\"residual\":0.25,\"done\":0.5,\"remaining\":7}");
    assert_non_null(numbers);
    assert_null(strstr(numbers, "null"));
    free(text);
}

enum { THREADS = 4, MESSAGES = 200 };

static void *chatter(void *log)
{
    for (int i = 0; i < MESSAGES; i++) {
        sino_log_info(log, "thread", "message %d", i);
        sino_log_progress(log, &(SinoProgress){1, 1, i, i, MESSAGES, 0, 1, 0.5, 0.5, 7});
    }
    return NULL;
}

static void threads_do_not_mix_their_lines(void **state)
{
    (void)state;
    Capture capture;
    SinoLog *log = NULL;
    pthread_t thread[THREADS];
    capture_begin(&capture);
    assert_null(sino_log_open(SINO_LOG_JSON, &log));
    for (int i = 0; i < THREADS; i++) assert_int_equal(pthread_create(&thread[i], NULL, chatter, log), 0);
    for (int i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
    sino_log_close(log);
    char *text = capture_end(&capture);
    assert_int_equal(count_json_lines(text), THREADS * MESSAGES * 2);
    free(text);
}

/* What the terminal got so far; the kernel may deliver it in pieces. */
static void read_terminal(int terminal, char *text, size_t size)
{
    size_t length = 0;
    struct pollfd ready = {.fd = terminal, .events = POLLIN};
    while (length + 1 < size && poll(&ready, 1, 100) > 0) {
        const ssize_t count = read(terminal, text + length, size - 1 - length);
        if (count <= 0) break;
        length += (size_t)count;
    }
    text[length] = '\0';
}

static void terminal_line_is_redrawn_and_cleared(void **state)
{
    (void)state;
    char text[1024];
    SinoLog *log = NULL;
    const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
    if (terminal < 0 || grantpt(terminal) != 0 || unlockpt(terminal) != 0) skip();
    const int line = open(ptsname(terminal), O_RDWR | O_NOCTTY);
    if (line < 0) skip();
    const int old_stderr = dup(STDERR_FILENO);
    dup2(line, STDERR_FILENO);
    SinoStatus status = sino_log_open(SINO_LOG_TEXT, &log);
    if (!status) {
        sino_log_progress(log, &(SinoProgress){1, 1, 1, 1, 2, 0, 1, NAN, 0, 7});
        sino_log_progress(log, &(SinoProgress){1, 1, 1, 1, 2, 0, 1, NAN, 0, 7}); /* too soon to be seen */
        sino_log_info(log, "output", "written");
        sino_log_progress(log, &(SinoProgress){1, 1, 2, 2, 2, 0, 1, NAN, 1, 7});
        sino_log_close(log);
    }
    (void)fflush(stderr);
    dup2(old_stderr, STDERR_FILENO);
    close(old_stderr);
    assert_null(status);
    read_terminal(terminal, text, sizeof text);
    close(line);
    close(terminal);
    assert_string_equal(text, "\rpart 1/1, iteration 1/2, 0 %\033[K\r\033[Ksinodag: written\r\n"
                              "\rpart 1/1, iteration 2/2, 100 %, 0:00:00 left\033[K\r\n");
}

/* Kept are messages since the call, with details that are not shown; not those of a muted log, and a thousand at most.
 */
static void messages_are_kept(void **state)
{
    (void)state;
    Capture capture;
    SinoLog *log = NULL;
    const SinoLogLine *line;
    capture_begin(&capture);
    assert_null(sino_log_open(SINO_LOG_TEXT, &log));
    sino_log_info(log, "early", "not kept");
    assert_int_equal(sino_log_kept(log, &line), 0);
    sino_log_keep(log);
    sino_log_info(log, "center", "center %.1f", 296.0);
    sino_log_detail(log, "plan", "slabs: %d", 3);
    sino_log_warning(log, "repair", "odd\n");
    assert_int_equal(sino_log_kept(log, &line), 3);
    assert_string_equal(line[0].message, "center 296.0");
    assert_string_equal(line[0].level, "info");
    assert_string_equal(line[0].event, "center");
    assert_string_equal(line[1].message, "slabs: 3");
    assert_string_equal(line[2].message, "odd\n");
    assert_string_equal(line[2].level, "warning");
    assert_true(line[0].time_s >= 0 && line[2].time_s >= line[0].time_s);
    for (int i = 0; i < 2000; i++) sino_log_detail(log, "plan", "%d", i);
    assert_int_equal(sino_log_kept(log, &line), 1000);
    assert_string_equal(line[999].message, "996");
    sino_log_mute(log, true);
    sino_log_close(log);
    char *text = capture_end(&capture);
    assert_null(strstr(text, "slabs"));
    free(text);
    capture_begin(&capture);
    assert_null(sino_log_open(SINO_LOG_TEXT, &log));
    sino_log_keep(log);
    sino_log_mute(log, true);
    sino_log_warning(log, "repair", "of another rank");
    assert_int_equal(sino_log_kept(log, &line), 0);
    sino_log_close(log);
    free(capture_end(&capture));
}

TESTING_SUBJECT(log)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_lines_are_plain),
        cmocka_unit_test(messages_are_kept),
        cmocka_unit_test(progress_lines_pause_but_the_last_comes),
        cmocka_unit_test(json_lines_parse),
        cmocka_unit_test(threads_do_not_mix_their_lines),
        cmocka_unit_test(terminal_line_is_redrawn_and_cleared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
