/* SPDX-License-Identifier: BSD-3-Clause */
/* Orbit views: the vectors of projections by words. */
#include "cone_scan.h"

#include "arithmetic.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const char prefix[] = "orbit:";

typedef struct Word {
    const char *name;
    size_t offset;
    double least, most;
} Word;

#define WORD(text, member, least, most)                                                                                \
    {                                                                                                                  \
        text, offsetof(SinoOrbit, member), least, most                                                                 \
    }
static const Word words[] = {WORD("source", source_mm, 1e-9, 1e6), WORD("detector", detector_mm, 1e-9, 1e6),
                             WORD("pixel", pixel_mm, 1e-9, 1e6),   WORD("tilt", tilt_deg, -89, 89),
                             WORD("roll", roll_deg, -180, 180),    WORD("turns", turns, 1e-6, 1e6),
                             WORD("pitch", pitch_mm, -1e6, 1e6)};
enum { WORDS = sizeof words / sizeof *words };

bool sino_orbit_probe(const char *vectors)
{
    return strncmp(vectors, prefix, sizeof prefix - 1) == 0;
}

/* Takes "NAME=NUMBER", `length` characters; `taken`: the words so far. */
static SinoStatus take_word(const char *vectors, const char *text, size_t length, bool taken[WORDS], SinoOrbit *orbit)
{
    for (int i = 0; i < WORDS; i++) {
        const size_t name = strlen(words[i].name);
        if (length <= name || strncmp(text, words[i].name, name) != 0 || text[name] != '=') continue;
        char *end;
        const double value = strtod(text + name + 1, &end);
        SINO_CHECK(end == text + length && length > name + 1 && value >= words[i].least && value <= words[i].most,
                   SINO_BAD_INPUT, "--vectors is %s: '%.*s'; allowed: %s=NUMBER from %g to %g", vectors, (int)length,
                   text, words[i].name, words[i].least, words[i].most);
        SINO_CHECK(!taken[i], SINO_BAD_INPUT, "--vectors is %s, with %s twice; allowed: once", vectors, words[i].name);
        taken[i] = true;
        memcpy((char *)orbit + words[i].offset, &value, sizeof value);
        return NULL;
    }
    return sino_error(SINO_BAD_INPUT,
                      "--vectors is %s: '%.*s'; allowed: source, detector, pixel, tilt, roll, turns and pitch, each "
                      "=NUMBER, with commas between them",
                      vectors, (int)length, text);
}

SinoStatus sino_orbit_parse(const char *vectors, SinoOrbit *result)
{
    SinoOrbit orbit = {.pixel_mm = 1};
    bool taken[WORDS] = {false};
    for (const char *at = vectors + sizeof prefix - 1; *at;) {
        const size_t length = strcspn(at, ",");
        SINO_TRY(take_word(vectors, at, length, taken, &orbit));
        at += length + (at[length] == ',');
    }
    SINO_CHECK((orbit.source_mm > 0) == (orbit.detector_mm > 0) && orbit.source_mm <= orbit.detector_mm, SINO_BAD_INPUT,
               "--vectors is %s; allowed: source and detector with detector >= source, or neither", vectors);
    SINO_CHECK(orbit.pitch_mm == 0 || orbit.turns > 0, SINO_BAD_INPUT, "--vectors is %s; allowed: pitch with turns",
               vectors);
    *result = orbit;
    return NULL;
}

/* Turns a vector about x by the tilt and about z by the angle. */
static void turn(const SinoOrbit *orbit, double angle_rad, const double from[3], double to[3])
{
    const double tilt = orbit->tilt_deg * (SINO_PI / 180);
    const double along = cos(tilt) * from[1] - sin(tilt) * from[2];
    to[0] = cos(angle_rad) * from[0] - sin(angle_rad) * along;
    to[1] = sin(angle_rad) * from[0] + cos(angle_rad) * along;
    to[2] = sin(tilt) * from[1] + cos(tilt) * from[2];
}

SinoView sino_orbit_view(const SinoOrbit *orbit, double angle_rad, double part)
{
    const bool parallel = !(orbit->source_mm > 0);
    const double c = orbit->pixel_mm * cos(orbit->roll_deg * (SINO_PI / 180));
    const double s = orbit->pixel_mm * sin(orbit->roll_deg * (SINO_PI / 180));
    const double source[3] = {0, parallel ? 1 : -orbit->source_mm, 0};
    const double middle[3] = {0, orbit->detector_mm - orbit->source_mm, 0}, column[3] = {c, 0, s}, row[3] = {-s, 0, c};
    const double up = orbit->pitch_mm * orbit->turns * (part - 0.5);
    SinoView view = {.parallel = parallel};
    turn(orbit, angle_rad, source, view.source);
    turn(orbit, angle_rad, middle, view.first);
    turn(orbit, angle_rad, column, view.column);
    turn(orbit, angle_rad, row, view.row);
    if (!parallel) view.source[2] += up;
    view.first[2] += up;
    return view;
}
