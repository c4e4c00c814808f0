/* SPDX-License-Identifier: BSD-3-Clause */
/* Status: allocation and texts of errors. */
#include "status.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct SinoError {
    SinoErrorKind kind;
    char text[];
};

static const struct {
    SinoErrorKind kind;
    char text[32];
} no_memory = {SINO_FAILED, "out of memory"};

static SinoStatus out_of_memory(void)
{
    return (SinoStatus)(void *)(size_t)(const void *)&no_memory;
}

static SinoStatus new_error(SinoErrorKind kind, const char *prefix_format, va_list arguments, const char *rest)
{
    va_list again;
    va_copy(again, arguments);
    const int length = vsnprintf(NULL, 0, prefix_format, again);
    va_end(again);
    if (length < 0) return out_of_memory();
    const size_t size = (size_t)length + strlen(rest) + 1;
    SinoStatus status = malloc(sizeof *status + size);
    if (!status) return out_of_memory();
    status->kind = kind;
    vsnprintf(status->text, size, prefix_format, arguments);
    memcpy(status->text + length, rest, strlen(rest) + 1);
    return status;
}

SinoStatus sino_error(SinoErrorKind kind, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    SinoStatus status = new_error(kind, format, arguments, "");
    va_end(arguments);
    return status;
}

SinoStatus sino_error_prefix(SinoStatus status, const char *format, ...)
{
    if (!status) return NULL;
    char *rest = malloc(strlen(status->text) + 3);
    if (!rest) return status;
    sprintf(rest, ": %s", status->text);
    va_list arguments;
    va_start(arguments, format);
    SinoStatus longer = new_error(status->kind, format, arguments, rest);
    va_end(arguments);
    free(rest);
    sino_status_free(status);
    return longer;
}

SinoStatus sino_error_told(SinoErrorKind kind)
{
    SinoStatus status = calloc(1, sizeof *status + 1);
    if (!status) return out_of_memory();
    status->kind = kind;
    return status;
}

int sino_status_exit_code(SinoStatus status)
{
    return status ? (int)status->kind : 0;
}

const char *sino_status_text(SinoStatus status)
{
    return status ? status->text : "";
}

void sino_status_free(SinoStatus status)
{
    if (status != out_of_memory()) free(status);
}
