/* SPDX-License-Identifier: BSD-3-Clause */
/* Phantom, texture: ellipsoids at random places, by counters and hashes. The sum of their values is nowhere negative:
 * a pore takes from the body what the body has, pores do not meet, and whatever else is added is positive. */
#include "phantom_texture.h"

#include "random_stream.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>

enum { SEED = 20, PORES = 900, TRIES = 20 };

/* Ellipsoids of one sort. They lie in the body, and reach up to `high` beyond the slices between −1 and 1. */
typedef struct Sort {
    int count;
    bool smooth, in_pores;
    double low, high;   /* half-axes: between */
    double least, most; /* values */
    double flattest;    /* smallest quotient of b and a */
} Sort;

static const double body_value = 0.5;
static const SinoEllipsoid body = {.value = body_value, .a = 0.9, .b = 0.8, .c = 20, .tilt_deg = 25};

static const Sort pores = {.count = PORES, .low = 0.03, .high = 0.2, .flattest = 0.5};

enum { SORTS = 4 };
static const Sort sorts[SORTS] = {
    {.count = 60,
     .smooth = true,
     .in_pores = true,
     .low = 0.25,
     .high = 0.45,
     .least = 0.02,
     .most = 0.1,
     .flattest = 0.6},
    {.count = 20000, .smooth = true, .low = 0.04, .high = 0.12, .least = 0.01, .most = 0.1, .flattest = 0.4},
    {.count = 300000, .smooth = true, .low = 0.0125, .high = 0.04, .least = 0.02, .most = 0.25, .flattest = 0.4},
    {.count = 1500, .low = 0.015, .high = 0.06, .least = 0.2, .most = 0.6, .flattest = 0.4},
};

static double between(SinoRandomStream *stream, double low, double high)
{
    return low + (high - low) * sino_random_uniform(stream);
}

/* Whether a disk of this radius around (x, y) lies in the body. */
static bool is_in_body(double x, double y, double radius)
{
    const double cosine = cos(body.tilt_deg * M_PI / 180), sine = sin(body.tilt_deg * M_PI / 180);
    const double u = x * cosine + y * sine, v = y * cosine - x * sine;
    return radius < body.b && hypot(u / (body.a - radius), v / (body.b - radius)) < 1;
}

/* The ellipsoid of this number; value 0 where no place in the body is found. */
static SinoEllipsoid draw(const Sort *sort, uint64_t sort_number, uint64_t number)
{
    SinoRandomStream stream = sino_random_stream(SEED + sort_number, number);
    const double share = sino_random_uniform(&stream);
    /* The number of ellipsoids in an octave of their size falls as its square. */
    const double low = 1 / (sort->low * sort->low), high = 1 / (sort->high * sort->high);
    const double radius = 1 / sqrt(low + share * (high - low));
    SinoEllipsoid drawn = {.a = radius, .smooth = sort->smooth};
    drawn.b = radius * between(&stream, sort->flattest, 1);
    drawn.c = radius * between(&stream, sort->flattest, 1);
    drawn.tilt_deg = between(&stream, 0, 180);
    drawn.z = between(&stream, -1 - sort->high, 1 + sort->high);
    const double value = between(&stream, sort->least, sort->most);
    for (int i = 0; i < TRIES && drawn.value == 0; i++) {
        drawn.x = between(&stream, -1, 1);
        drawn.y = between(&stream, -1, 1);
        if (is_in_body(drawn.x, drawn.y, radius)) drawn.value = value;
    }
    return drawn;
}

/* Whether the balls around the ellipsoids meet. */
static bool meet(const SinoEllipsoid *one, const SinoEllipsoid *other)
{
    const double x = one->x - other->x, y = one->y - other->y, z = one->z - other->z, reach = one->a + other->a;
    return x * x + y * y + z * z < reach * reach;
}

static bool meets_any(const SinoEllipsoid *one, int count, const SinoEllipsoid *others)
{
    for (int i = 0; i < count; i++)
        if (meet(one, &others[i])) return true;
    return false;
}

/* Draws pores that do not meet; returns their number. */
static int draw_pores(SinoEllipsoid drawn[PORES])
{
    int count = 0;
    Sort sort = pores;
    sort.least = sort.most = -body_value;
    for (int i = 0; i < PORES; i++) {
        const SinoEllipsoid pore = draw(&sort, SORTS, (uint64_t)i);
        if (pore.value < 0 && !meets_any(&pore, count, drawn)) drawn[count++] = pore;
    }
    return count;
}

/* The ellipsoids that are left of `count` where the plane meets them. */
static int keep_cut(double height, int count, SinoEllipsoid *drawn)
{
    int kept = 0;
    for (int i = 0; i < count; i++)
        if (fabs(height - drawn[i].z) < drawn[i].c) drawn[kept++] = drawn[i];
    return kept;
}

void sino_phantom_texture(double height, SinoEllipsoidUse *use, void *context)
{
    SinoEllipsoid pore[PORES];
    const int pore_count = keep_cut(height, draw_pores(pore), pore);
    use(context, &body);
    for (int i = 0; i < pore_count; i++) use(context, &pore[i]);
    for (size_t s = 0; s < SORTS; s++)
        for (int i = 0; i < sorts[s].count; i++) {
            const SinoEllipsoid drawn = draw(&sorts[s], s, (uint64_t)i);
            const bool cut = drawn.value > 0 && fabs(height - drawn.z) < drawn.c;
            if (cut && (sorts[s].in_pores || !meets_any(&drawn, pore_count, pore))) use(context, &drawn);
        }
}
