/* SPDX-License-Identifier: BSD-3-Clause */
/* Compare, region: which slices and which voxels of them count. */
#include "arithmetic.h"
#include "compare.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Reads `count` numbers, each followed by its character of `ends`, the last one by the end of the text. */
static bool take_numbers(const char *text, const char *ends, int count, double *number)
{
    for (int i = 0; i < count; i++) {
        char *end;
        number[i] = strtod(text, &end);
        if (end == text || *end != ends[i] || !isfinite(number[i])) return false;
        text = end + 1;
    }
    return true;
}

static bool is_count(double number)
{
    return number >= 0 && number <= 1e9 && floor(number) == number;
}

static SinoStatus select_slices(SinoCompare *compare)
{
    const char *text = compare->settings->compare.slices;
    const int64_t count = sino_volume_input_info(compare->input[0])->slice_count;
    double of[2];
    compare->count = count;
    if (!text) return NULL;
    SINO_CHECK(take_numbers(text, ":", 2, of) && is_count(of[0]) && is_count(of[1]) && of[0] < of[1] &&
                   of[1] <= (double)count,
               SINO_BAD_INPUT, "--slices is '%s'; allowed: A:B, with 0 <= A < B <= %" PRId64 ", the number of slices",
               text, count);
    compare->first = (int64_t)of[0];
    compare->count = (int64_t)(of[1] - of[0]);
    return NULL;
}

static SinoImageRegion whole(const SinoCompare *compare)
{
    return (SinoImageRegion){.end_column = compare->width, .end_row = compare->height};
}

static void set_circle(double x, double y, double radius, SinoImageRegion *region)
{
    region->circle = true;
    region->x = x;
    region->y = y;
    region->radius = radius;
}

/* The largest circle within a rectangle. */
static void inscribe(SinoImageRegion *region)
{
    const int64_t columns = region->end_column - region->first_column, rows = region->end_row - region->first_row;
    set_circle((double)(region->first_column + region->end_column - 1) / 2,
               (double)(region->first_row + region->end_row - 1) / 2, (double)sino_smaller(columns, rows) / 2, region);
}

/* A circle that reaches to the edges of the outermost voxels at most, and holds the middle of a voxel. */
static SinoStatus check_circle(const SinoCompare *compare, const char *name, const char *text, const double of[3])
{
    const double x = of[0], y = of[1], radius = of[2];
    const bool inside = x - radius >= -0.5 && y - radius >= -0.5 && x + radius <= (double)compare->width - 0.5 &&
                        y + radius <= (double)compare->height - 0.5;
    SINO_CHECK(radius > 0 && inside, SINO_BAD_INPUT,
               "--%s is '%s'; allowed: X,Y,RADIUS, a circle within the slice of %" PRId64 " x %" PRId64 " voxels", name,
               text, compare->width, compare->height);
    SINO_CHECK(hypot(x - round(x), y - round(y)) <= radius, SINO_BAD_INPUT,
               "--%s is '%s', in which there is the middle of no voxel; allowed: a larger circle", name, text);
    return NULL;
}

static SinoStatus select_circle(const SinoCompare *compare, const char *name, const char *text, SinoImageRegion *region)
{
    double of[3];
    SINO_CHECK(take_numbers(text, ",,", 3, of), SINO_BAD_INPUT,
               "--%s is '%s'; allowed: X,Y,RADIUS, the middle and the radius of a circle in voxels", name, text);
    SINO_TRY(check_circle(compare, name, text, of));
    *region = whole(compare);
    set_circle(of[0], of[1], of[2], region);
    return NULL;
}

static SinoStatus select_region(SinoCompare *compare)
{
    const char *text = compare->settings->compare.region;
    double of[4];
    SinoImageRegion *region = &compare->region;
    *region = whole(compare);
    if (strcmp(text, "all") == 0) return NULL;
    if (strcmp(text, "circle") == 0) {
        inscribe(region);
        return NULL;
    }
    if (!take_numbers(text, ":,:", 4, of)) {
        SINO_CHECK(take_numbers(text, ",,", 3, of), SINO_BAD_INPUT,
                   "--region is '%s'; allowed: circle, all, X0:X1,Y0:Y1 or X,Y,RADIUS", text);
        return select_circle(compare, "region", text, region);
    }
    for (int i = 0; i < 4; i += 2) {
        const int64_t most = i == 0 ? compare->width : compare->height;
        SINO_CHECK(is_count(of[i]) && is_count(of[i + 1]) && of[i] < of[i + 1] && of[i + 1] <= (double)most,
                   SINO_BAD_INPUT, "--region is '%s'; allowed: X0:X1,Y0:Y1, with 0 <= %c0 < %c1 <= %" PRId64, text,
                   i == 0 ? 'X' : 'Y', i == 0 ? 'X' : 'Y', most);
    }
    *region = (SinoImageRegion){.first_column = (int64_t)of[0],
                                .end_column = (int64_t)of[1],
                                .first_row = (int64_t)of[2],
                                .end_row = (int64_t)of[3]};
    return NULL;
}

static SinoStatus select_contrast(SinoCompare *compare)
{
    const SinoSettings *settings = compare->settings;
    SINO_CHECK(!settings->compare.object == !settings->compare.surroundings, SINO_BAD_INPUT,
               "--%s is '%s' without --%s; allowed: both or neither",
               settings->compare.object ? "object" : "background",
               settings->compare.object ? settings->compare.object : settings->compare.surroundings,
               settings->compare.object ? "background" : "object");
    if (!settings->compare.object) return NULL;
    SINO_TRY(select_circle(compare, "object", settings->compare.object, &compare->object));
    SINO_TRY(select_circle(compare, "background", settings->compare.surroundings, &compare->background));
    compare->request.object = &compare->object;
    compare->request.background = &compare->background;
    return NULL;
}

SinoStatus sino_compare_select(SinoCompare *compare)
{
    SINO_TRY(select_slices(compare));
    SINO_TRY(select_region(compare));
    compare->disc = compare->region;
    if (!compare->disc.circle) inscribe(&compare->disc);
    return select_contrast(compare);
}

const char *sino_compare_region_text(const SinoCompare *compare, char text[SINO_COMPARE_REGION_TEXT])
{
    const SinoImageRegion *region = &compare->region;
    const char *given = compare->settings->compare.region;
    if (strcmp(given, "all") == 0)
        snprintf(text, SINO_COMPARE_REGION_TEXT, "all voxels");
    else if (strcmp(given, "circle") == 0)
        snprintf(text, SINO_COMPARE_REGION_TEXT, "the inscribed circle");
    else if (region->circle)
        snprintf(text, SINO_COMPARE_REGION_TEXT, "the circle of radius %g about %g,%g", region->radius, region->x,
                 region->y);
    else
        snprintf(text, SINO_COMPARE_REGION_TEXT, "columns %" PRId64 ":%" PRId64 " of rows %" PRId64 ":%" PRId64,
                 region->first_column, region->end_column, region->first_row, region->end_row);
    return text;
}
