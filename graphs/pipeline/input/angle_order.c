/* SPDX-License-Identifier: BSD-3-Clause */
/* Angle order: projections by their places in a turn. */
#include "input_parts.h"

#include "memory.h"

#include <math.h>
#include <stdlib.h>

/* Neighbours are taken in the order of the angles where those of the file are so many times as far apart. */
static const double far_apart = 1.4;

/* An angle of the input, and its place in a turn. */
typedef struct Angle {
    int64_t number;
    double turned_rad; /* by sino_angle_turned_rad */
} Angle;

static int by_place(const void *a, const void *b)
{
    const Angle *first = a, *second = b;
    if (first->turned_rad != second->turned_rad) return first->turned_rad < second->turned_rad ? -1 : 1;
    return first->number < second->number ? -1 : first->number > second->number;
}

/* The sum of the gaps between neighbours, each the shorter way round. */
static double gaps_of(int64_t count, const Angle *angle)
{
    double sum = 0;
    for (int64_t k = 1; k < count; k++)
        sum += fabs(remainder(angle[k].turned_rad - angle[k - 1].turned_rad, 2 * SINO_PI));
    return sum;
}

double sino_angle_turned_rad(double angle_rad)
{
    const double turned = fmod(angle_rad, 2 * SINO_PI);
    return turned < 0 ? turned + 2 * SINO_PI : turned;
}

SinoStatus sino_angle_order(const SinoInput *input, int64_t **order)
{
    const int64_t count = input->angle_count;
    Angle *angle = NULL;
    int64_t k = 0;
    SINO_TRY(sino_allocate(sino_larger(count, 1), sizeof *angle, "angles", &angle));
    for (int64_t i = 0; i < input->run_count; i++)
        for (int64_t j = 0; j < input->run[i].count; j++, k++)
            angle[k] = (Angle){k, sino_angle_turned_rad(input->geometry.angle_rad[input->run[i].first + j])};
    const double of_file = gaps_of(count, angle);
    qsort(angle, (size_t)count, sizeof *angle, by_place);
    SinoStatus status = NULL;
    if (of_file > far_apart * gaps_of(count, angle))
        status = sino_allocate(count, sizeof **order, "the order of the angles", order);
    for (k = 0; *order && k < count; k++) (*order)[k] = angle[k].number;
    free(angle);
    return status;
}
