/* SPDX-License-Identifier: BSD-3-Clause */
/* Layout: which rays of a scan are stored, which follow from them by symmetry, and in which order they are numbered. */
#include "layout.h"

#include "memory.h"

#include <math.h>
#include <stdlib.h>

static const double half_turn_rad = SINO_PI;
static const uint32_t every_orientation = (1u << SINO_ORIENTATIONS) - 1;

double sino_orientation_angle_rad(int orientation, double angle_rad)
{
    const double mirrored = orientation >= 4 ? half_turn_rad - angle_rad : angle_rad;
    return mirrored + (orientation % 4) * half_turn_rad / 2;
}

void sino_orientation_place(int orientation, int64_t size, int64_t *row, int64_t *column)
{
    if (orientation >= 4) *column = size - 1 - *column;
    for (int turn = 0; turn < orientation % 4; turn++) {
        const int64_t before = *row;
        *row = size - 1 - *column;
        *column = before;
    }
}

/* The orientation that equals `first` followed by `second`. It is found from the image of a place that no orientation
 * but the identity leaves unchanged. */
static int compose(int first, int second)
{
    enum { SIZE = 4 };
    int64_t row = 0, column = 1;
    sino_orientation_place(first, SIZE, &row, &column);
    sino_orientation_place(second, SIZE, &row, &column);
    for (int g = 0;; g++) {
        int64_t to_row = 0, to_column = 1;
        sino_orientation_place(g, SIZE, &to_row, &to_column);
        if (to_row == row && to_column == column) return g;
    }
}

uint32_t sino_orientation_group(uint32_t orientations)
{
    uint32_t group = 1, before = 0;
    while (group != before) {
        before = group;
        for (int first = 0; first < SINO_ORIENTATIONS; first++)
            for (int second = 0; second < SINO_ORIENTATIONS; second++)
                if ((before >> first & 1) && (orientations >> second & 1)) group |= 1u << compose(first, second);
    }
    return group;
}

/* An angle of the scan, and the angles that follow from it by symmetry. */
typedef struct Angle {
    double turn_rad;       /* in [0, 2π) */
    int64_t number;        /* number of the angle in the scan */
    int64_t next;          /* its own index; once the angle is taken, that of a later one, before which all are taken */
    uint32_t orientations; /* orientations of a stored angle (bits); 0: the angle follows from another one */
    int64_t mate[SINO_ORIENTATIONS]; /* number in the scan of the angle that orientation g gives */
} Angle;

static double modulo_turn(double angle_rad)
{
    const double turn = 2 * half_turn_rad, rest = fmod(angle_rad, turn);
    const double positive = rest < 0 ? rest + turn : rest;
    return positive < turn ? positive : 0;
}

static int by_angle(const void *a, const void *b)
{
    const Angle *p = a, *q = b;
    if (p->turn_rad != q->turn_rad) return p->turn_rad < q->turn_rad ? -1 : 1;
    return p->number < q->number ? -1 : p->number > q->number;
}

/* Scans mostly are in order. */
static void sort(Angle *angle, int64_t count)
{
    bool sorted = true;
    for (int64_t i = 1; i < count && sorted; i++) sorted = by_angle(&angle[i - 1], &angle[i]) <= 0;
    if (!sorted) qsort(angle, (size_t)count, sizeof *angle, by_angle);
}

/* Narrows the range low … high in which a sorted angle is searched: of even angles it is near the place that its value
 * tells, and a search of all would mostly miss the caches. */
static void guess_range(const Angle *angle, double turn_rad, int64_t *low, int64_t *high)
{
    enum { REACH = 2 };
    const int64_t last = *high - 1;
    const double first_rad = angle[0].turn_rad, span_rad = angle[last].turn_rad - first_rad;
    const double share = span_rad > 0 ? (turn_rad - first_rad) / span_rad : 0;
    const int64_t guess = (int64_t)(fmin(fmax(share, 0), 1) * (double)last);
    const int64_t before = sino_larger(guess - REACH, 0), after = sino_smaller(guess + REACH, last);
    if (angle[before].turn_rad < turn_rad) *low = before + 1;
    if (angle[after].turn_rad >= turn_rad) *high = after;
}

/* Index of the first sorted angle that is not less than turn_rad. */
static int64_t lower_bound(const Angle *angle, int64_t count, double turn_rad)
{
    int64_t low = 0, high = count;
    guess_range(angle, turn_rad, &low, &high);
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (angle[middle].turn_rad < turn_rad)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The first angle from index i on that is not taken; `count`: there is none. Shortens the way for later calls. */
static int64_t first_left(Angle *angle, int64_t count, int64_t i)
{
    while (i < count && angle[i].next != i) {
        if (angle[i].next < count) angle[i].next = angle[angle[i].next].next;
        i = angle[i].next;
    }
    return i;
}

static void take(Angle *angle, int64_t i)
{
    angle[i].next = i + 1;
}

/* Index of an angle within the tolerance that is not taken; −1: there is none. */
static int64_t find(Angle *angle, int64_t count, double turn_rad, double tolerance_rad)
{
    /* Near 0 the range consists of two parts. */
    for (int around = -1; around <= 1; around++) {
        const double middle = turn_rad + around * 2 * half_turn_rad;
        if (middle + tolerance_rad < 0 || middle - tolerance_rad > 2 * half_turn_rad) continue;
        const int64_t i = first_left(angle, count, lower_bound(angle, count, middle - tolerance_rad));
        if (i < count && angle[i].turn_rad <= middle + tolerance_rad) return i;
    }
    return -1;
}

static void pair_angles(const SinoGeometry *scan, uint32_t allowed, Angle *angle)
{
    const double tolerance_rad = fmin(1e-5, 2e-3 / (double)scan->grid_size);
    for (int64_t i = 0; i < scan->angle_count; i++) {
        if (angle[i].next != i) continue;
        take(angle, i);
        angle[i].orientations = 1;
        angle[i].mate[0] = angle[i].number;
        for (int g = 1; g < SINO_ORIENTATIONS; g++) {
            if (!(allowed >> g & 1)) continue;
            const double turn_rad = modulo_turn(sino_orientation_angle_rad(g, angle[i].turn_rad));
            const int64_t mate = find(angle, scan->angle_count, turn_rad, tolerance_rad);
            if (mate < 0) continue;
            take(angle, mate);
            angle[i].orientations |= 1u << g;
            angle[i].mate[g] = angle[mate].number;
        }
    }
}

static void add_to_class(SinoLayout *layout, uint32_t orientations)
{
    int c = 0;
    while (c < layout->class_count && layout->angle_class[c].orientations != orientations) c++;
    if (c == layout->class_count) {
        layout->angle_class[c] =
            (SinoAngleClass){.orientations = orientations, .orientation_count = __builtin_popcount(orientations)};
        layout->class_count++;
    }
    layout->angle_class[c].count++;
}

/* Sorts the stored angles into classes. When all classes are in use, an angle that would need a new class goes into
 * class 0, and the angles that follow from it are stored as well. */
static void classify(SinoLayout *layout, Angle *angle, int64_t count)
{
    add_to_class(layout, 1);
    layout->angle_class[0].count = 0;
    for (int64_t i = 0; i < count; i++) {
        if (angle[i].orientations == 0) continue;
        bool known = layout->class_count < SINO_ANGLE_CLASSES;
        for (int c = 0; c < layout->class_count; c++)
            known = known || layout->angle_class[c].orientations == angle[i].orientations;
        if (!known) {
            layout->angle_class[0].count += __builtin_popcount(angle[i].orientations) - 1;
            angle[i].orientations = 1;
        }
        add_to_class(layout, angle[i].orientations);
    }
    int64_t first = 0;
    for (int c = 0; c < layout->class_count; c++) {
        layout->angle_class[c].first = first;
        first += layout->angle_class[c].count * layout->angle_class[c].orientation_count;
        if (layout->angle_class[c].count > 0) layout->orientations |= layout->angle_class[c].orientations;
    }
}

static void put(SinoLayout *layout, const SinoGeometry *scan, int64_t number, int64_t place)
{
    layout->place[number] = place;
    layout->angle_rad[place] = scan->angle_rad[number];
}

/* Numbers the angles of a class with several orientations. */
static void place_class(SinoLayout *layout, const SinoGeometry *scan, const SinoAngleClass *class, const Angle *angle)
{
    int64_t next = class->first;
    for (int64_t i = 0; i < scan->angle_count; i++) {
        if (angle[i].orientations != class->orientations) continue;
        int64_t place = next++;
        for (int g = 0; g < SINO_ORIENTATIONS; g++) {
            if (!(class->orientations >> g & 1)) continue;
            put(layout, scan, angle[i].mate[g], place);
            place += class->count;
        }
    }
}

/* Numbers the angles that are in no class with several orientations. */
static void place_single(SinoLayout *layout, const SinoGeometry *scan, const Angle *angle)
{
    int64_t place = layout->angle_class[0].first;
    for (int64_t i = 0; i < scan->angle_count; i++)
        if (layout->place[angle[i].number] < 0) put(layout, scan, angle[i].number, place++);
}

static int ascending(const void *a, const void *b)
{
    const double p = *(const double *)a, q = *(const double *)b;
    return (p > q) - (p < q);
}

/* Chooses the number B of neighbouring angles over which groups of R = 4 rays are closest together. Measured optima are
 * 4 at steps of 3°, 8 at 0.96°, 12 at 0.48°, 16 at 0.24°, 22 at 0.12° (offsets of a group spread by R/B voxels, angles
 * by T/2·B steps: B ∝ 1/√step). The step is the median one. */
static SinoStatus choose_group_angles(SinoLayout *layout)
{
    double *gap = NULL;
    int64_t count = 0;
    SINO_TRY(sino_allocate(layout->geometry.angle_count, sizeof *gap, "angles", &gap));
    for (int c = 0; c < layout->class_count; c++) {
        const SinoAngleClass *class = &layout->angle_class[c];
        for (int64_t k = class->first + 1; k < class->first + class->count; k++)
            gap[count++] = modulo_turn(layout->angle_rad[k] - layout->angle_rad[k - 1]);
    }
    qsort(gap, (size_t)count, sizeof *gap, ascending);
    const double step_rad = count > 0 ? gap[count / 2] : half_turn_rad;
    free(gap);
    const double angles = step_rad > 0 ? round(16 * sqrt(half_turn_rad / 750 / step_rad)) : SINO_GROUP_ANGLES_MAX;
    layout->group_angles = (int64_t)fmin(fmax(angles, 1), SINO_GROUP_ANGLES_MAX);
    return NULL;
}

static SinoStatus fill(SinoLayout *layout, const SinoGeometry *scan, uint32_t allowed, Angle *angle)
{
    const int64_t count = scan->angle_count;
    SINO_TRY(sino_allocate(count, sizeof *layout->place, "angles", &layout->place));
    SINO_TRY(sino_allocate(count, sizeof *layout->angle_rad, "angles", &layout->angle_rad));
    for (int64_t k = 0; k < count; k++) {
        angle[k] = (Angle){.number = k, .turn_rad = modulo_turn(scan->angle_rad[k])};
        layout->place[k] = -1;
    }
    sort(angle, count);
    for (int64_t i = 0; i < count; i++) angle[i].next = i;
    pair_angles(scan, allowed, angle);
    classify(layout, angle, count);
    for (int c = 1; c < layout->class_count; c++) place_class(layout, scan, &layout->angle_class[c], angle);
    place_single(layout, scan, angle);
    layout->geometry.angle_rad = layout->angle_rad;
    return choose_group_angles(layout);
}

/* `allowed`: the orientations in which angles may pair up. */
static SinoStatus new_layout(const SinoGeometry *scan, SinoPrecision precision, uint32_t allowed, SinoLayout *result)
{
    SinoLayout layout = {.geometry = *scan, .precision = precision};
    Angle *angle = NULL;
    SinoStatus status = sino_allocate(scan->angle_count, sizeof *angle, "angles", &angle);
    if (!status) status = fill(&layout, scan, allowed, angle);
    free(angle);
    if (status)
        sino_layout_free(&layout);
    else
        *result = layout;
    return status;
}

/* The largest distance between an angle and its number times `step_rad`, both counted from the first angle. */
static double deviation_of(const SinoGeometry *scan, double step_rad)
{
    double deviation_rad = 0;
    for (int64_t k = 0; k < scan->angle_count; k++) {
        const double even = scan->angle_rad[0] + (double)k * step_rad;
        deviation_rad = fmax(deviation_rad, fabs(scan->angle_rad[k] - even));
    }
    return deviation_rad;
}

/* The step that fits the scan's angles best among the even divisions of a half or a full turn, with or without the end
 * angle. */
static double even_step(const SinoGeometry *scan, double *deviation_rad)
{
    const double direction = scan->angle_rad[scan->angle_count - 1] < scan->angle_rad[0] ? -1 : 1;
    double best_rad = 0;
    *deviation_rad = INFINITY;
    for (int half_turns = 1; half_turns <= 2; half_turns++) {
        for (int with_end = 0; with_end <= 1; with_end++) {
            const double step_rad = direction * half_turns * half_turn_rad / (double)(scan->angle_count - with_end);
            const double found_rad = deviation_of(scan, step_rad);
            if (found_rad >= *deviation_rad) continue;
            *deviation_rad = found_rad;
            best_rad = step_rad;
        }
    }
    return best_rad;
}

/* Makes the layout of the evenly spaced angles that the scan's file rounded, if there are such angles and if far fewer
 * of them need storing. */
static SinoStatus space_evenly(const SinoGeometry *scan, SinoLayout *layout)
{
    enum { LEAST_ANGLES = 8 };
    double *even = NULL, deviation_rad;
    if (scan->angle_count < LEAST_ANGLES) return NULL;
    const double step_rad = even_step(scan, &deviation_rad);
    if (!(deviation_rad > 0 && deviation_rad <= sino_layout_even_tolerance_rad(scan->grid_size))) return NULL;
    SINO_TRY(sino_allocate(scan->angle_count, sizeof *even, "angles", &even));
    for (int64_t k = 0; k < scan->angle_count; k++) even[k] = scan->angle_rad[0] + (double)k * step_rad;
    SinoGeometry spaced = *scan;
    spaced.angle_rad = even;
    SinoLayout found = {0};
    SinoStatus status = new_layout(&spaced, layout->precision, every_orientation, &found);
    if (!status && 4 * sino_layout_stored_angles(&found) <= 3 * sino_layout_stored_angles(layout)) {
        const SinoLayout other = *layout;
        *layout = found;
        layout->deviation_rad = deviation_rad;
        found = other;
    }
    sino_layout_free(&found);
    free(even);
    return status;
}

double sino_layout_even_tolerance_rad(int64_t grid_size)
{
    return fmin(1e-4, 0.02 / ((double)grid_size / 2));
}

SinoStatus sino_layout_new(const SinoGeometry *scan, SinoPrecision precision, bool symmetry, SinoLayout *result)
{
    SinoLayout layout;
    const bool paired = symmetry && scan->grid_size % 2 == 0;
    SINO_TRY(new_layout(scan, precision, paired ? every_orientation : 1, &layout));
    SinoStatus status = paired ? space_evenly(scan, &layout) : NULL;
    if (status)
        sino_layout_free(&layout);
    else
        *result = layout;
    return status;
}

SinoStatus sino_layout_part(const SinoLayout *scan, int64_t count, const int64_t *number, SinoLayout *result)
{
    SinoLayout part = {0};
    double *angle_rad = NULL;
    SINO_TRY(sino_allocate(count, sizeof *angle_rad, "angles", &angle_rad));
    for (int64_t i = 0; i < count; i++) angle_rad[i] = scan->angle_rad[scan->place[number[i]]];
    SinoGeometry geometry = scan->geometry;
    geometry.angle_count = count;
    geometry.angle_rad = angle_rad;
    SinoStatus status = new_layout(&geometry, scan->precision, sino_orientation_group(scan->orientations), &part);
    free(angle_rad);
    if (status) return status;
    part.deviation_rad = scan->deviation_rad;
    *result = part;
    return NULL;
}

void sino_layout_free(SinoLayout *layout)
{
    free(layout->place);
    free(layout->angle_rad);
    *layout = (SinoLayout){0};
}

int64_t sino_layout_stored_angles(const SinoLayout *layout)
{
    int64_t count = 0;
    for (int c = 0; c < layout->class_count; c++) count += layout->angle_class[c].count;
    return count;
}
