/* SPDX-License-Identifier: BSD-3-Clause */
/* Vectors file, text: a line of 12 numbers for each projection, below their names. */
#include <inttypes.h>
#include <string.h>

#include "arithmetic.h"
#include "numbers.h"
#include "vectors_private.h"

static const char names_cone[] = "srcX,srcY,srcZ,dX,dY,dZ,uX,uY,uZ,vX,vY,vZ";
static const char names_parallel[] = "rayX,rayY,rayZ,dX,dY,dZ,uX,uY,uZ,vX,vY,vZ";

/* Whatever is of no other format, so that the error tells what is allowed. */
static bool probe(const char *head, int64_t bytes)
{
    (void)head;
    (void)bytes;
    return true;
}

/* Takes the line apart: ends it and cuts white space off its end. Returns the next one. */
static char *end_line(char *line)
{
    const size_t length = strcspn(line, "\n");
    char *next = line + length + (line[length] == '\n');
    line[length] = '\0';
    for (size_t i = length; i > 0 && strchr(" \t\r", line[i - 1]); i--) line[i - 1] = '\0';
    return next;
}

static SinoStatus parse_line(const SinoHeaderText *text, int64_t number, const char *line, double *value)
{
    const char *at = line;
    int count = 0;
    while (at && *at && count < SINO_VECTORS_NUMBERS) {
        at = sino_text_double(at + strspn(at, " \t"), text->c_locale, &value[count]);
        if (!at) break;
        count++;
        at += strspn(at, " \t");
        if (*at != ',') break;
        at++;
    }
    SINO_CHECK(count == SINO_VECTORS_NUMBERS && !*at, SINO_BAD_INPUT,
               "%s: line %" PRId64 " is '%.60s'; allowed: 12 numbers with commas between them", text->path, number,
               line);
    return NULL;
}

static SinoStatus parse(const SinoHeaderText *text, SinoVectors *vectors)
{
    int64_t lines = 0, count = 0;
    double value[SINO_VECTORS_NUMBERS];
    for (const char *at = text->text; (at = strchr(at, '\n')); at++) lines++;
    char *next = end_line(text->text);
    const bool parallel = strcmp(text->text, names_parallel) == 0;
    SINO_CHECK(
        parallel || strcmp(text->text, names_cone) == 0, SINO_BAD_INPUT,
        "%s begins with '%.80s'; allowed: an array of NumPy, a volume of --align pose, RTK's XML, CTSimU's JSON, "
        "a .nsipro file, or text whose first line is %s or %s",
        text->path, text->text, names_cone, names_parallel);
    SINO_TRY(sino_vectors_new(text->path, sino_larger(lines, 1), vectors));
    for (int64_t number = 2; *next; number++) {
        char *line = next;
        next = end_line(line);
        if (!*line) continue;
        SINO_TRY(parse_line(text, number, line, value));
        SINO_TRY(sino_vectors_take_numbers(text->path, parallel, count++, SINO_VECTORS_NUMBERS, value, vectors));
    }
    vectors->count = count;
    SINO_CHECK(count > 0, SINO_BAD_INPUT, "%s has no line of numbers; allowed: one for each projection", text->path);
    return NULL;
}

const SinoVectorsFormat sino_vectors_text = {.probe = probe, .parse = parse};
