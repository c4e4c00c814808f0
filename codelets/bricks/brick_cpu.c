/* SPDX-License-Identifier: BSD-3-Clause */
/* Bricks on a CPU core: walks over the bands and panels of a block, and chooses the instruction set. A sweep goes group
 * of bands by group: forward, comparison and backward, while the group is in L2; the next one is fetched meanwhile. */
#include "brick_isa.h"

#include "vector.h"

#include <string.h>

/* Bytes of the bands of a group, at most, unless it is a single band: a third of a large L2. */
enum { GROUP_BYTES = 256 << 10 };

const SinoBrickIsa *sino_brick_isa(void)
{
#ifdef __x86_64__
    if (sino_vector_bytes() == 64 && __builtin_cpu_supports("avx512vbmi2")) return &sino_brick_avx512vbmi2;
#endif
    return SINO_BEST_ISA(sino_brick);
}

const char *sino_brick_isa_name(void)
{
    return sino_brick_isa()->name;
}

/* Consecutive bands that are computed together, of which the last one may be incomplete. */
typedef struct Group {
    int64_t first_row, row_count;
    SinoBrickWork work;
    bool has_nonzeros;
} Group;

/* The band behind a group that begins with `first`. */
static int64_t end_of_group(const SinoBrickHead *head, int64_t width, int64_t first)
{
    const int64_t *offset = sino_brick_offsets(head), bands = sino_brick_band_count(head->row_count);
    int64_t end = first + 1;
    while (end < bands && end - first < SINO_BRICK_GROUP && offset[end + 1] - offset[first] <= GROUP_BYTES * width)
        end++;
    return sino_smaller(end, bands);
}

/* The group that begins with band `first`. Returns the band behind it. */
static int64_t find_group(const SinoBrickHead *head, int64_t width, int64_t first, Group *group)
{
    const int64_t *offset = sino_brick_offsets(head), end = end_of_group(head, width, first);
    const int64_t next_end = end_of_group(head, width, end), first_row = first * SINO_BRICK_ROWS;
    const char *const bytes = (const char *)head;
    *group = (Group){.first_row = first_row,
                     .row_count = sino_smaller((end - first) * SINO_BRICK_ROWS, head->row_count - first_row),
                     .has_nonzeros = offset[end] > offset[first],
                     .work = {.head = head,
                              .band_count = end - first,
                              .ahead = bytes + offset[end],
                              .ahead_bytes = offset[sino_larger(next_end, end)] - offset[end]}};
    for (int64_t b = first; b < end; b++)
        if (offset[b + 1] > offset[b]) group->work.band[b - first] = (const void *)(bytes + offset[b]);
    return end;
}

static SinoSlices slices_of(int64_t stride)
{
    return (SinoSlices){.precision = SINO_SINGLE, .stride = stride, .slice_count = stride};
}

/* Rows of y of a group, in whole bands. */
enum { ELEMENTS = SINO_BRICK_GROUP_ROWS * SINO_PANEL_MAX };

/* A block that is not folded; a folded one has all orientations of all sets in one panel. */
static const SinoBrickFold flat = {.orientation_count = 1};

/* Sets the rows of a group that repeat others to 0. */
static void clear_absent(const SinoBrickFold *fold, const Group *group, int64_t width, float *rows)
{
    const int64_t orientations = fold->orientation_count, sets = width / orientations;
    const unsigned all = (1U << orientations) - 1;
    for (int64_t i = 0; fold->present && i < group->row_count; i++) {
        const unsigned absent = all & ~(unsigned)fold->present[group->first_row + i];
        for (int64_t k = 0; absent >> k; k++)
            if (absent >> k & 1) memset(rows + i * width + k * sets, 0, (size_t)sets * sizeof *rows);
    }
}

static void project_panel(const SinoBrickIsa *with, const SinoBrickHead *head, const SinoBrickFold *fold, int64_t width,
                          const float *x, float *y)
{
    const int64_t bands = sino_brick_band_count(head->row_count);
    float rows[ELEMENTS];
    Group group;
    for (int64_t b = 0; b < bands;) {
        b = find_group(head, width, b, &group);
        with->project(&group.work, width, x, rows);
        clear_absent(fold, &group, width, rows);
        memcpy(y + group.first_row * width, rows, (size_t)sino_times(group.row_count, width) * sizeof *y);
    }
}

void sino_brick_project_with(const SinoBrickIsa *with, const void *block, const SinoBrickFold *fold, int64_t stride,
                             const float *x, float *y)
{
    const SinoBrickHead *head = block;
    const SinoSlices slices = slices_of(stride);
    if (fold) {
        project_panel(with, head, fold, fold->orientation_count * stride, x, y);
        return;
    }
    for (SinoPanel at = sino_panel_at(slices, 0); at.first < stride; at = sino_panel_next(slices, at))
        project_panel(with, head, &flat, at.slices.stride, sino_panel_from(at, head->brick_count * head->lanes, x),
                      sino_panel_to(at, head->row_count, y));
}

static void backproject_panel(const SinoBrickIsa *with, const SinoBrickHead *head, const SinoBrickFold *fold,
                              int64_t width, const float *y, float *x)
{
    const int64_t bands = sino_brick_band_count(head->row_count);
    float rows[ELEMENTS] = {0};
    Group group;
    for (int64_t b = 0; b < bands;) {
        b = find_group(head, width, b, &group);
        memcpy(rows, y + group.first_row * width, (size_t)sino_times(group.row_count, width) * sizeof *y);
        clear_absent(fold, &group, width, rows);
        with->backproject(&group.work, width, rows, x);
    }
}

void sino_brick_backproject_with(const SinoBrickIsa *with, const void *block, const SinoBrickFold *fold, int64_t stride,
                                 const float *y, float *x)
{
    const SinoBrickHead *head = block;
    const SinoSlices slices = slices_of(stride);
    if (fold) {
        backproject_panel(with, head, fold, fold->orientation_count * stride, y, x);
        return;
    }
    for (SinoPanel at = sino_panel_at(slices, 0); at.first < stride; at = sino_panel_next(slices, at))
        backproject_panel(with, head, &flat, at.slices.stride, sino_panel_from(at, head->row_count, y),
                          sino_panel_to(at, head->brick_count * head->lanes, x));
}

/* Compares the rows of a group with their counts, as many rows of y at a time as a band has. width: of a row of y.
 * counts: of the panel. */
static void compare_group(const SinoBrickIsa *with, const Group *group, int64_t orientations, int64_t width,
                          const SinoBrickCounts *counts, float *rows, SinoBrickSums *sums)
{
    const int64_t count = sino_times(group->row_count, orientations);
    const int64_t first = sino_times(group->first_row, orientations);
    for (int64_t i = 0; i < count; i += SINO_BRICK_ROWS) {
        const int64_t row = first + i, at = sino_times(row, width);
        const SinoBrickComparison comparison = {.row_count = sino_smaller(SINO_BRICK_ROWS, count - i),
                                                .width = width,
                                                .empty = !group->work.band[i / orientations / SINO_BRICK_ROWS],
                                                .counts = counts->counts + at,
                                                .multiplicative =
                                                    counts->multiplicative ? counts->multiplicative + row : NULL,
                                                .additive = counts->additive ? counts->additive + at : NULL};
        with->compare(&comparison, rows + sino_times(i, width), sums);
    }
}

static void sweep_panel(const SinoBrickIsa *with, const SinoBrickHead *head, const SinoBrickFold *fold, int64_t width,
                        const float *x, const SinoBrickCounts *counts, float *x_sum, SinoBrickSums *sums)
{
    const int64_t bands = sino_brick_band_count(head->row_count), orientations = fold->orientation_count;
    float rows[ELEMENTS];
    Group group;
    for (int64_t b = 0; b < bands;) {
        b = find_group(head, width, b, &group);
        const int64_t bytes = group.work.ahead_bytes;
        group.work.ahead_bytes = bytes / 2;
        if (group.has_nonzeros)
            with->project(&group.work, width, x, rows);
        else
            memset(rows, 0, (size_t)sino_smaller(group.row_count * width, ELEMENTS) * sizeof *rows);
        clear_absent(fold, &group, width, rows);
        compare_group(with, &group, orientations, width / orientations, counts, rows, sums);
        group.work.ahead += bytes / 2;
        group.work.ahead_bytes = bytes - bytes / 2;
        if (group.has_nonzeros) with->backproject(&group.work, width, rows, x_sum);
    }
}

void sino_brick_sweep_with(const SinoBrickIsa *with, const void *block, const SinoBrickFold *fold, int64_t stride,
                           const float *x, const SinoBrickCounts *counts, float *x_sum, SinoBrickSums *sums)
{
    const SinoBrickHead *head = block;
    const SinoSlices slices = slices_of(stride);
    const int64_t voxels = head->brick_count * head->lanes, rays = head->row_count;
    memset(sums, 0, (size_t)stride * sizeof *sums);
    if (fold) {
        sweep_panel(with, head, fold, sino_times(fold->orientation_count, stride), x, counts, x_sum, sums);
        return;
    }
    for (SinoPanel at = sino_panel_at(slices, 0); at.first < stride; at = sino_panel_next(slices, at)) {
        const SinoBrickCounts panel = {.counts = sino_panel_from(at, rays, counts->counts),
                                       .multiplicative = counts->multiplicative,
                                       .additive =
                                           counts->additive ? sino_panel_from(at, rays, counts->additive) : NULL};
        sweep_panel(with, head, &flat, at.slices.stride, sino_panel_from(at, voxels, x), &panel,
                    sino_panel_to(at, voxels, x_sum), sums + at.first);
    }
}

void sino_brick_project(const void *block, const SinoBrickFold *fold, int64_t stride, const float *x, float *y)
{
    sino_brick_project_with(sino_brick_isa(), block, fold, stride, x, y);
}

void sino_brick_backproject(const void *block, const SinoBrickFold *fold, int64_t stride, const float *y, float *x)
{
    sino_brick_backproject_with(sino_brick_isa(), block, fold, stride, y, x);
}

void sino_brick_sweep(const void *block, const SinoBrickFold *fold, int64_t stride, const float *x,
                      const SinoBrickCounts *counts, float *x_sum, SinoBrickSums *sums)
{
    sino_brick_sweep_with(sino_brick_isa(), block, fold, stride, x, counts, x_sum, sums);
}
