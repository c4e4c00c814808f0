/* SPDX-License-Identifier: BSD-3-Clause */
/* Redundancy: projections of a half acquisition, completed by the opposite ones; weights of detector columns, which
 * rise smoothly as those of D. L. Parker for fan beams do (Med. Phys. 9, 254 (1982)). */
#include "redundancy.h"

#include "memory.h"
#include "undefined.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const double whole_turn = 350 * M_PI / 180;
static const double far_off = 0.1; /* of the columns */

/* Angles closer than this are one: even 10⁵ columns from the axis their rays are less than a tenth of a pixel apart. */
static const double equal_rad = 1e-6;

/* The angles next to half a turn later: angle[0] with the share 1 − share, angle[1] with the share `share`. */
typedef struct SinoOpposite {
    int64_t angle[2];
    double share;
} SinoOpposite;

/* A column of completed projections. */
typedef struct SinoCompleted {
    double own;      /* share of the projection itself, 0 to 1; the opposite one has the rest */
    int64_t column;  /* of the opposite projection: left of the mirrored place */
    double fraction; /* of a column from there to the place; 0: the place is the column */
} SinoCompleted;

struct SinoRedundancy {
    int64_t angle_count, column_count; /* of the sinogram */
    int64_t width;
    int64_t first;          /* completed column of detector column 0 */
    SinoOpposite *opposite; /* [angle_count]: numbers in the sinogram */
    SinoCompleted *at;      /* [width] */
    double *weight;         /* [column_count] */
};

#define TEMPLATE "redundancy_tmpl.c"
#include "two_precisions_tmpl.c"

static bool matters(const SinoGeometry *geometry)
{
    double least = INFINITY, most = -INFINITY;
    for (int64_t k = 0; k < geometry->angle_count; k++) {
        least = fmin(least, geometry->angle_rad[k]);
        most = fmax(most, geometry->angle_rad[k]);
    }
    const double count = (double)geometry->angle_count, step = count > 1 ? (most - least) / (count - 1) : 0;
    const double columns = (double)geometry->column_count, off = fabs(geometry->center - (columns - 1) / 2);
    return sino_geometry_slice_side(geometry) > geometry->column_count && off >= far_off * columns &&
           most - least + step >= whole_turn;
}

/* Columns that the opposite projection adds on the shorter side: none lies beyond its last one. */
static int64_t added(const SinoGeometry *geometry)
{
    const double off = fabs(geometry->center - (double)(geometry->column_count - 1) / 2);
    const double reach = fmin(2 * off, (double)(geometry->column_count - 1));
    return (int64_t)floor(reach + 1e-9);
}

static bool left_is_shorter(const SinoGeometry *geometry)
{
    return geometry->center <= (double)(geometry->column_count - 1) / 2;
}

int64_t sino_redundancy_width(const SinoGeometry *geometry)
{
    return matters(geometry) ? geometry->column_count + added(geometry) : 0;
}

/* Columns of the shorter side, and the distance of a column from the axis as a share of them, −1 at the end of the
 * shorter side and 1 where rays are seen once. */
static double share_of_shorter(const SinoGeometry *geometry, double column)
{
    const double before = geometry->center + 0.5, after = (double)geometry->column_count - 0.5 - geometry->center;
    const double shorter = fmax(fmin(before, after), 0.5), direction = after >= before ? 1 : -1;
    return fmin(fmax(direction * (column - geometry->center) / shorter, -1), 1);
}

void sino_redundancy_weights(const SinoGeometry *geometry, double *weight)
{
    for (int64_t c = 0; c < geometry->column_count; c++)
        weight[c] = 2 * pow(sin(M_PI / 4 * (1 + share_of_shorter(geometry, (double)c))), 2);
}

static void find_columns(const SinoGeometry *geometry, const SinoRedundancy *redundancy)
{
    const double last = (double)(geometry->column_count - 1);
    for (int64_t i = 0; i < redundancy->width; i++) {
        const double column = (double)(i - redundancy->first);
        const double mirrored = fmin(fmax(2 * geometry->center - column, 0), last);
        const bool inside = column >= 0 && column <= last;
        const double share = fmin(share_of_shorter(geometry, column), 0);
        redundancy->at[i] = (SinoCompleted){.own = inside ? pow(sin(M_PI / 2 * (1 + share)), 2) : 0,
                                            .column = (int64_t)floor(mirrored),
                                            .fraction = mirrored - floor(mirrored)};
        if (share >= 0) redundancy->at[i].own = 1;
    }
}

typedef struct SortedAngle {
    double angle_rad; /* in [0, 2π) */
    int64_t index;
} SortedAngle;

static int compare_angles(const void *left, const void *right)
{
    const SortedAngle *a = left, *b = right;
    return (a->angle_rad > b->angle_rad) - (a->angle_rad < b->angle_rad);
}

static double folded(double angle_rad)
{
    const double rest = fmod(angle_rad, 2 * M_PI);
    const double positive = rest < 0 ? rest + 2 * M_PI : rest;
    return positive < 2 * M_PI ? positive : 0;
}

/* The angles at or before, and after, the angle `at`, in a circle. */
static SinoOpposite around(int64_t count, const SortedAngle *sorted, double at)
{
    int64_t low = 0, high = count; /* sorted[low − 1] ≤ at < sorted[high] */
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (sorted[middle].angle_rad <= at)
            low = middle + 1;
        else
            high = middle;
    }
    const SortedAngle *before = &sorted[low > 0 ? low - 1 : count - 1], *after = &sorted[low < count ? low : 0];
    const double since = folded(at - before->angle_rad), until = folded(after->angle_rad - at);
    const double gap = since + until;
    if (since <= equal_rad || gap <= equal_rad) return (SinoOpposite){{before->index, before->index}, 0};
    if (until <= equal_rad) return (SinoOpposite){{after->index, after->index}, 0};
    return (SinoOpposite){{before->index, after->index}, since / gap};
}

static SinoStatus find_opposites(const SinoGeometry *geometry, const int64_t *place, const SinoRedundancy *redundancy)
{
    const int64_t count = geometry->angle_count;
    SinoStatus status = NULL;
    SortedAngle *sorted;
    SINO_TRY(sino_allocate(count, sizeof *sorted, "sorted angles", &sorted));
    for (int64_t k = 0; k < count; k++) sorted[k] = (SortedAngle){folded(geometry->angle_rad[k]), k};
    qsort(sorted, (size_t)count, sizeof *sorted, compare_angles);
    for (int64_t k = 0; k < count && !status; k++) {
        if (place[k] < 0) continue;
        SinoOpposite found = around(count, sorted, folded(geometry->angle_rad[k] + M_PI));
        for (int i = 0; i < 2; i++) {
            const int64_t of_scan = found.angle[i];
            found.angle[i] = place[of_scan];
            if (place[of_scan] < 0 && !status)
                status = sino_error(SINO_BAD_INPUT,
                                    "fbp completes projection %lld of the half acquisition by the opposite one, number "
                                    "%lld, which another of the ranks that share the slice has; allowed: --grid Nx1 "
                                    "of N ranks, or --algorithm cg",
                                    (long long)k, (long long)of_scan);
        }
        redundancy->opposite[place[k]] = found;
    }
    free(sorted);
    return status;
}

static SinoStatus fill(const SinoGeometry *geometry, const int64_t *place, SinoRedundancy *redundancy)
{
    const int64_t columns = geometry->column_count;
    for (int64_t k = 0; k < geometry->angle_count; k++) redundancy->angle_count += place[k] >= 0;
    redundancy->column_count = columns;
    redundancy->width = sino_redundancy_width(geometry);
    redundancy->first = left_is_shorter(geometry) ? redundancy->width - columns : 0;
    SINO_TRY(sino_allocate(redundancy->angle_count, sizeof *redundancy->opposite, "angles", &redundancy->opposite));
    SINO_TRY(sino_allocate(redundancy->width, sizeof *redundancy->at, "completed columns", &redundancy->at));
    SINO_TRY(sino_allocate(columns, sizeof *redundancy->weight, "weights of columns", &redundancy->weight));
    find_columns(geometry, redundancy);
    sino_redundancy_weights(geometry, redundancy->weight);
    return find_opposites(geometry, place, redundancy);
}

SinoStatus sino_redundancy_new(const SinoGeometry *geometry, const int64_t *place, SinoRedundancy **redundancy)
{
    SinoRedundancy *made;
    SINO_TRY(sino_allocate(1, sizeof *made, "the half acquisition", &made));
    SINO_GIVE(fill(geometry, place, made), made, sino_redundancy_free, redundancy);
}

void sino_redundancy_free(SinoRedundancy *redundancy)
{
    if (!redundancy) return;
    free(redundancy->opposite);
    free(redundancy->at);
    free(redundancy->weight);
    free(redundancy);
}

void sino_redundancy_complete(const SinoRedundancy *redundancy, SinoSlices slices, const void *sinogram,
                              void *completed)
{
    const int64_t rays = redundancy->angle_count * redundancy->column_count;
    const int64_t wide = redundancy->angle_count * redundancy->width;
    for (SinoPanel at = sino_panel_at(slices, 0); at.first < slices.slice_count; at = sino_panel_next(slices, at)) {
        const void *from = sino_panel_from(at, rays, sinogram);
        void *to = sino_panel_to(at, wide, completed);
        if (slices.precision == SINO_DOUBLE)
            complete_double(redundancy, at.slices.stride, from, to);
        else
            complete_single(redundancy, at.slices.stride, from, to);
    }
}

void sino_redundancy_weigh(const SinoRedundancy *redundancy, SinoSlices slices, const void *completed, void *sinogram)
{
    const int64_t rays = redundancy->angle_count * redundancy->column_count;
    const int64_t wide = redundancy->angle_count * redundancy->width;
    for (SinoPanel at = sino_panel_at(slices, 0); at.first < slices.slice_count; at = sino_panel_next(slices, at)) {
        const void *from = sino_panel_from(at, wide, completed);
        void *to = sino_panel_to(at, rays, sinogram);
        if (slices.precision == SINO_DOUBLE)
            weigh_double(redundancy, at.slices.stride, from, to);
        else
            weigh_single(redundancy, at.slices.stride, from, to);
    }
}
