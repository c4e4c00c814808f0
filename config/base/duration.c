/* SPDX-License-Identifier: BSD-3-Clause */
/* Duration: seconds in units that people read. */
#include "text.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>

/* Decimals that give a value below 1000 three digits. */
static int decimals(double value)
{
    return value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
}

/* "HIGH UNIT LOW UNIT" of a number of the low unit, of which `per` make one of the high one. */
static const char *two_units(double count, int64_t per, const char *high, const char *low, char *text)
{
    const int64_t whole = (int64_t)(count + 0.5);
    snprintf(text, SINO_DURATION_SIZE, "%" PRId64 " %s %" PRId64 " %s", whole / per, high, whole % per, low);
    return text;
}

const char *sino_duration_text(double duration_s, char text[SINO_DURATION_SIZE])
{
    static const char *const unit[] = {"ns", "us", "ms", "s"};
    if (!(duration_s >= 0 && duration_s < 1e15)) {
        snprintf(text, SINO_DURATION_SIZE, "unknown");
    } else if (duration_s < 59.95) {
        double value = duration_s * 1e9;
        int i = 0;
        for (; value >= 999.5 && i < 3; i++) value /= 1000;
        snprintf(text, SINO_DURATION_SIZE, duration_s > 0 ? "%.*f %s" : "0 s", decimals(value), value, unit[i]);
    } else if (duration_s < 3599.5) {
        return two_units(duration_s, 60, "min", "s", text);
    } else if (duration_s < 47.5 * 3600) {
        return two_units(duration_s / 60, 60, "h", "min", text);
    } else {
        return two_units(duration_s / 3600, 24, "days", "h", text);
    }
    return text;
}
