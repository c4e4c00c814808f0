/* SPDX-License-Identifier: BSD-3-Clause */
/* Center order: projections in the order of their angles. */
#include "center_methods.h"

#include "memory.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef struct Place {
    double angle_rad;
    int64_t index;
} Place;

static int compare_places(const void *a, const void *b)
{
    const Place *const one = a, *const other = b;
    if (one->angle_rad != other->angle_rad) return one->angle_rad < other->angle_rad ? -1 : 1;
    return one->index < other->index ? -1 : 1;
}

/* Whether angles rise, or fall, over one and a half turns at most. */
static bool is_in_order(const SinoGeometry *geometry)
{
    const double *const angle = geometry->angle_rad;
    const double span = angle[geometry->angle_count - 1] - angle[0];
    bool rising = true, falling = true;
    for (int64_t k = 1; k < geometry->angle_count; k++) {
        rising &= angle[k] >= angle[k - 1];
        falling &= angle[k] <= angle[k - 1];
    }
    return (rising || falling) && fabs(span) <= 3 * SINO_PI;
}

static void sort(const SinoGeometry *geometry, Place *places, SinoCenterOrder *order)
{
    const int64_t count = geometry->angle_count;
    double least = INFINITY;
    for (int64_t k = 0; k < count; k++) least = fmin(least, geometry->angle_rad[k]);
    for (int64_t k = 0; k < count; k++) {
        const double turns = floor((geometry->angle_rad[k] - least) / (2 * SINO_PI) + 1e-9);
        places[k] = (Place){geometry->angle_rad[k] - turns * 2 * SINO_PI, k};
    }
    qsort(places, (size_t)count, sizeof *places, compare_places);
    for (int64_t k = 0; k < count; k++) {
        order->angle_rad[k] = places[k].angle_rad;
        order->place[k] = places[k].index;
    }
    order->geometry.angle_rad = order->angle_rad;
}

SinoStatus sino_center_order_new(const SinoGeometry *geometry, SinoCenterOrder *result)
{
    SinoCenterOrder order = {.geometry = *geometry};
    const int64_t count = geometry->angle_count;
    Place *places = NULL;
    SinoStatus status = NULL;
    if (is_in_order(geometry)) {
        *result = order;
        return NULL;
    }
    SINO_TRY_OR(status, cleanup, sino_allocate(count, sizeof *places, "angles", &places));
    SINO_TRY_OR(status, cleanup, sino_allocate(count, sizeof *order.angle_rad, "angles", &order.angle_rad));
    SINO_TRY_OR(status, cleanup, sino_allocate(count, sizeof *order.place, "angles", &order.place));
    sort(geometry, places, &order);
    *result = order;
cleanup:
    free(places);
    if (status) sino_center_order_free(&order);
    return status;
}

/* Moves the projections along the cycle of places that begins with `start`; `from` loses it. */
static void move_cycle(int64_t start, int64_t columns, int64_t *from, float *kept, float *sinogram)
{
    const size_t bytes = (size_t)columns * sizeof *sinogram;
    int64_t to = start;
    memcpy(kept, sinogram + start * columns, bytes);
    while (from[to] != start) {
        const int64_t next = from[to];
        memcpy(sinogram + to * columns, sinogram + next * columns, bytes);
        from[to] = -1;
        to = next;
    }
    memcpy(sinogram + to * columns, kept, bytes);
    from[to] = -1;
}

SinoStatus sino_center_order_apply(const SinoCenterOrder *order, float *sinogram)
{
    const int64_t count = order->geometry.angle_count, columns = order->geometry.column_count;
    int64_t *from;
    float *kept = NULL;
    if (!order->place) return NULL;
    SINO_TRY(sino_allocate(count, sizeof *from, "angles", &from));
    SinoStatus status = sino_allocate(columns, sizeof *kept, "a projection", &kept);
    if (!status) memcpy(from, order->place, (size_t)count * sizeof *from);
    for (int64_t k = 0; k < count && !status; k++)
        if (from[k] >= 0) move_cycle(k, columns, from, kept, sinogram);
    free(kept);
    free(from);
    return status;
}

void sino_center_order_free(SinoCenterOrder *order)
{
    free(order->angle_rad);
    free(order->place);
    *order = (SinoCenterOrder){.angle_rad = NULL};
}
