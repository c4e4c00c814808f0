/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings, numbers: conversion from and to decimal text. */
#include "settings_table.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool sino_flag_parse(const char *text, bool *value)
{
    static const char *const word[] = {"no", "yes", "false", "true", "off", "on", "0", "1"};
    for (int i = 0; i < 8; i++) {
        if (strcasecmp(text, word[i]) != 0) continue;
        *value = i % 2;
        return true;
    }
    return false;
}

bool sino_integer_parse(const char *text, int64_t *value)
{
    if (text[strspn(text, "-0123456789")] != '\0') return false;
    char *end;
    errno = 0;
    const long long result = strtoll(text, &end, 10);
    if (end == text || *end != '\0' || errno) return false;
    *value = result;
    return true;
}

/* Decimal only: strtod would also accept "nan", "inf" and hexadecimal. */
bool sino_real_parse(const char *text, size_t length, double *value)
{
    if (strspn(text, "+-.0123456789eE") < length) return false;
    char *end;
    errno = 0;
    const double result = strtod(text, &end);
    if (end == text || end != text + length || errno) return false;
    *value = result;
    return true;
}

typedef struct Unit {
    const char *name;
    double seconds;
} Unit;

static const Unit units[] = {{"d", 86400}, {"h", 3600}, {"min", 60}, {"s", 1}, {"", 1}};
enum { UNIT_COUNT = sizeof units / sizeof *units };

bool sino_duration_parse(const char *text, double *seconds)
{
    const size_t length = strspn(text, ".0123456789");
    double number;
    if (strcmp(text, "none") == 0) {
        *seconds = 0;
        return true;
    }
    if (!sino_real_parse(text, length, &number)) return false;
    for (const Unit *unit = units; unit < units + UNIT_COUNT; unit++) {
        if (strcmp(text + length + (text[length] == ' '), unit->name) != 0) continue;
        *seconds = number * unit->seconds;
        return true;
    }
    return false;
}

/* In the largest unit of which the time is a whole number. */
void sino_duration_print(double seconds, FILE *out)
{
    const Unit *unit = units;
    while (unit->seconds > 1 && fmod(seconds, unit->seconds) != 0) unit++;
    if (seconds > 0) sino_real_print(seconds / unit->seconds, out);
    fputs(seconds > 0 ? unit->name : "none", out);
}

bool sino_setting_in_range(const SinoSetting *row, double value)
{
    return (row->low_excluded ? value > row->low : value >= row->low) &&
           (row->high_excluded ? value < row->high : value <= row->high);
}

void sino_real_print(double value, FILE *out)
{
    char text[32];
    int digits = 15;
    do {
        snprintf(text, sizeof text, "%.*g", digits, value);
    } while (strtod(text, NULL) != value && ++digits <= 17);
    fputs(text, out);
}
