/* SPDX-License-Identifier: BSD-3-Clause */
/* Circle: the different angles of a scan in rising order, modulo a turn. */
#include "circle.h"

#include "memory.h"

#include <math.h>
#include <stdlib.h>

typedef struct SortedAngle {
    double angle_rad; /* in [−equal_rad, turn − equal_rad) */
    int64_t index;
} SortedAngle;

static const double equal_rad = 1e-6;

/* The longest step that is no gap: in radians, or as a multiple of the mean. */
static const double most_gap_rad = SINO_PI / 6, most_gaps = 4;

static int compare_angles(const void *left, const void *right)
{
    const SortedAngle *a = left, *b = right;
    return (a->angle_rad > b->angle_rad) - (a->angle_rad < b->angle_rad);
}

static double folded(double angle_rad, double turn_rad)
{
    const double rest = fmod(angle_rad, turn_rad), positive = rest < 0 ? rest + turn_rad : rest;
    return turn_rad - positive <= equal_rad ? positive - turn_rad : positive;
}

static void merge(int64_t angle_count, const SortedAngle *sorted, SinoCircle *circle)
{
    for (int64_t i = 0; i < angle_count; i++) {
        const bool first = i == 0 || sorted[i].angle_rad - circle->angle_rad[circle->count - 1] > equal_rad;
        if (first) circle->angle_rad[circle->count++] = sorted[i].angle_rad;
        circle->members[circle->count - 1]++;
        circle->number[sorted[i].index] = circle->count - 1;
    }
}

SinoStatus sino_circle_new(int64_t angle_count, const double *angle_rad, const bool *dropped, double turn_rad,
                           SinoCircle *circle)
{
    SinoCircle made = {.turn_rad = turn_rad};
    SortedAngle *sorted;
    int64_t kept = 0;
    SINO_TRY(sino_allocate(angle_count, sizeof *sorted, "sorted angles", &sorted));
    SinoStatus status = NULL;
    SINO_TRY_OR(status, end, sino_allocate(angle_count, sizeof *made.angle_rad, "angles", &made.angle_rad));
    SINO_TRY_OR(status, end, sino_allocate(angle_count, sizeof *made.members, "angles", &made.members));
    SINO_TRY_OR(status, end, sino_allocate(angle_count, sizeof *made.number, "angles", &made.number));
    for (int64_t k = 0; k < angle_count; k++) {
        made.number[k] = -1;
        if (!dropped || !dropped[k]) sorted[kept++] = (SortedAngle){folded(angle_rad[k], turn_rad), k};
    }
    qsort(sorted, (size_t)kept, sizeof *sorted, compare_angles);
    merge(kept, sorted, &made);
end:
    free(sorted);
    if (status)
        sino_circle_free(&made);
    else
        *circle = made;
    return status;
}

void sino_circle_free(SinoCircle *circle)
{
    free(circle->angle_rad);
    free(circle->members);
    free(circle->number);
}

double sino_circle_angle(const SinoCircle *circle, int64_t i)
{
    if (i < 0) return circle->angle_rad[circle->count - 1] - circle->turn_rad;
    return i < circle->count ? circle->angle_rad[i] : circle->angle_rad[0] + circle->turn_rad;
}

static double step_after(const SinoCircle *circle, int64_t i)
{
    return sino_circle_angle(circle, i + 1) - sino_circle_angle(circle, i);
}

void sino_circle_shares(const SinoCircle *circle, double *share, SinoCircleGaps *gaps)
{
    const int64_t count = circle->count;
    const double allowed = fmax(most_gap_rad, most_gaps * circle->turn_rad / (double)count);
    SinoCircleGaps found = {0};
    double seen = circle->turn_rad;
    for (int64_t i = 0; i < count; i++) {
        const double step = step_after(circle, i);
        found.longest_rad = fmax(found.longest_rad, step);
        if (step <= allowed) continue;
        found.count++;
        seen -= step;
    }
    const double mean = seen / (double)(count - found.count); /* less than a quarter of all steps are gaps */
    for (int64_t i = 0; i < count; i++) share[i] = 0;
    for (int64_t i = 0; i < count; i++) {
        const double step = step_after(circle, i), of_both = step > allowed ? mean : step;
        share[i] += of_both / 2;
        share[(i + 1) % count] += of_both / 2;
        found.lacking_rad += step - of_both;
    }
    *gaps = found;
}
