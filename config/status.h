/* SPDX-License-Identifier: BSD-3-Clause */
/* Status: what every fallible call returns. NULL is success; anything else is an error with its text. */
#ifndef SINO_STATUS_H
#define SINO_STATUS_H

/* The kind of an error is the program's exit code. */
typedef enum SinoErrorKind {
    SINO_FAILED = 1,   /* the run failed: disk full, out of memory, a library's error */
    SINO_BAD_INPUT = 2 /* the user's input, settings or files cannot be honoured */
} SinoErrorKind;

typedef struct SinoError *SinoStatus;

/* A new error. The text is one sentence that gives the value received and the values allowed.
 * Never returns NULL: when memory is short, a constant error that says so. */
SinoStatus sino_error(SinoErrorKind kind, const char *format, ...)
    __attribute__((format(printf, 2, 3), returns_nonnull));

/* The same kind, with "prefix: " before the text. Consumes `status`. */
SinoStatus sino_error_prefix(SinoStatus status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same kind without a text, for what somebody else tells: another process. */
SinoStatus sino_error_told(SinoErrorKind kind);

/* 0 for success, else the kind. */
int sino_status_exit_code(SinoStatus status);

/* Owned by the status; "" for success, and for an error that is told already. */
const char *sino_status_text(SinoStatus status);

/* Takes NULL. */
void sino_status_free(SinoStatus status);

/* Forward an error to the caller. */
#define SINO_TRY(expression)                                                                                           \
    do {                                                                                                               \
        SinoStatus sino_try_ = (expression);                                                                           \
        if (sino_try_) return sino_try_;                                                                               \
    } while (0)

/* Keep the error in `status` and leave by the one label that releases what is held. */
#define SINO_TRY_OR(status, label, expression)                                                                         \
    do {                                                                                                               \
        if (((status) = (expression))) goto label;                                                                     \
    } while (0)

/* Create an error unless the condition holds. */
#define SINO_CHECK(condition, ...)                                                                                     \
    do {                                                                                                               \
        if (!(condition)) return sino_error(__VA_ARGS__);                                                              \
    } while (0)

#define SINO_CHECK_OR(status, label, condition, ...)                                                                   \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            (status) = sino_error(__VA_ARGS__);                                                                        \
            goto label;                                                                                                \
        }                                                                                                              \
    } while (0)

#endif
