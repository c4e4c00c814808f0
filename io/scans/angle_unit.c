/* SPDX-License-Identifier: BSD-3-Clause */
/* Angle unit: words for degrees and radians. */
#include "angle_list.h"

#include "arithmetic.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

static const char *const degrees[] = {"deg", "degs", "degree", "degrees", "\xc2\xb0", NULL};
static const char *const radians[] = {"rad", "rads", "radian", "radians", NULL};

double sino_angle_unit_rad(SinoAngleUnit asked, SinoAngleUnit of_file)
{
    const SinoAngleUnit unit = asked == SINO_ANGLE_UNIT_AUTO ? of_file : asked;
    return unit == SINO_ANGLE_UNIT_RADIANS ? 1 : SINO_PI / 180;
}

static bool is_among(const char *const *words, const char *word)
{
    while (*words && strcasecmp(*words, word) != 0) words++;
    return *words;
}

bool sino_angle_unit_word(const char *word, SinoAngleUnit *unit)
{
    const bool in_radians = is_among(radians, word);
    *unit = in_radians ? SINO_ANGLE_UNIT_RADIANS : SINO_ANGLE_UNIT_DEGREES;
    return in_radians || is_among(degrees, word);
}

bool sino_angle_in_name(const char *name)
{
    static const char *const words[] = {"angle", "theta", "rotation", "degree"};
    bool found = false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) found = found || strcasestr(name, words[i]);
    return found;
}

bool sino_angle_unit_in_name(const char *name)
{
    size_t length = strlen(name);
    while (length > 0 && ispunct((unsigned char)name[length - 1])) length--;
    for (size_t i = 0; radians[i]; i++) {
        const size_t ending = strlen(radians[i]);
        if (length < ending || strncasecmp(name + length - ending, radians[i], ending) != 0) continue;
        return length == ending || (name[length - ending - 1] | 0x20) != 'g'; /* but not of 400 grad */
    }
    return false;
}
