/* SPDX-License-Identifier: BSD-3-Clause */
/* Status: the result of every function that can fail. NULL is success; anything else is an error with its text. */
#pragma once

/* Kind of an error, and exit code of the program. */
typedef enum SinoErrorKind {
    SINO_FAILED = 1,   /* the run failed: disk full, out of memory, a library's error */
    SINO_BAD_INPUT = 2 /* the user's input, settings or files are invalid */
} SinoErrorKind;

typedef struct SinoError *SinoStatus;

/* Creates an error. The text is one sentence that gives the value received and the values allowed. Never returns NULL:
 * when memory is short, it returns a constant error that says so. */
SinoStatus sino_error(SinoErrorKind kind, const char *format, ...)
    __attribute__((format(printf, 2, 3), returns_nonnull));

/* Puts "prefix: " before the text of an error; the kind stays. Consumes `status`, returns the new error. */
SinoStatus sino_error_prefix(SinoStatus status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Creates an error without a text, for an error that another rank prints, or that the output of a verb shows. */
SinoStatus sino_error_told(SinoErrorKind kind);

/* 0 for success, else the kind. */
int sino_status_exit_code(SinoStatus status);

/* The text, owned by the status; "" for success, and for an error that another rank prints. */
const char *sino_status_text(SinoStatus status);

/* Takes NULL. */
void sino_status_free(SinoStatus status);

/* Returns the error of the expression, if any, to the caller. */
#define SINO_TRY(expression)                                                                                           \
    do {                                                                                                               \
        SinoStatus sino_try_ = (expression);                                                                           \
        if (sino_try_) return sino_try_;                                                                               \
    } while (0)

/* Stores the error of the expression in `status`, and jumps to the one label that releases resources. */
#define SINO_TRY_OR(status, label, expression)                                                                         \
    do {                                                                                                               \
        if (((status) = (expression))) goto label;                                                                     \
    } while (0)

/* Ends a function that makes an object: gives it to the caller, or frees it and returns the error of the expression. */
#define SINO_GIVE(expression, object, free_object, result)                                                             \
    do {                                                                                                               \
        SinoStatus sino_give_ = (expression);                                                                          \
        if (sino_give_)                                                                                                \
            free_object(object);                                                                                       \
        else                                                                                                           \
            *(result) = (object);                                                                                      \
        return sino_give_;                                                                                             \
    } while (0)

/* Returns a new error to the caller unless the condition holds. */
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
