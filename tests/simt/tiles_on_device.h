/* SPDX-License-Identifier: BSD-3-Clause */
/* Tiles and vectors of variation.h in a device's memory. */
#pragma once

#include "simt_device.h"
#include "variation.h"

static inline size_t part_bytes(const SinoVariation *variation, int64_t part)
{
    const int64_t tiles = variation->first_tile[part + 1] - variation->first_tile[part];
    const SinoSlices slices = variation->slices;
    return (size_t)(tiles * SINO_TILE_VOXELS * slices.stride) * sino_precision_bytes(slices.precision);
}

/* A vector of the part that is computed, and one element of each of its rows. */
static inline size_t own_bytes(const SinoVariation *variation)
{
    return part_bytes(variation, variation->part);
}

static inline size_t edge_bytes(const SinoVariation *variation)
{
    return own_bytes(variation) / (size_t)variation->slices.stride;
}

static inline size_t state_bytes(const SinoVariation *variation)
{
    return (size_t)variation->slices.slice_count * sizeof(SinoSliceState);
}

static inline size_t tile_count(const SinoVariation *variation)
{
    return (size_t)variation->first_tile[variation->part_count];
}

/* The same with tables on the device. */
static inline SinoVariation lend_tables(const SinoVariation *variation)
{
    SinoVariation lent = *variation;
    lent.tile = device_lend(variation->tile, tile_count(variation) * sizeof *lent.tile);
    lent.neighbour = device_lend(variation->neighbour, tile_count(variation) * sizeof *lent.neighbour);
    return lent;
}

static inline void unlend_tables(const SinoVariation *variation, const SinoVariation *lent)
{
    device_unlend(variation->tile, (void *)lent->tile, tile_count(variation) * sizeof *lent->tile);
    device_unlend(variation->neighbour, (void *)lent->neighbour, tile_count(variation) * sizeof *lent->neighbour);
}

/* Fills lent[part] with the parts of a vector on the device. */
static inline void lend_parts(const SinoVariation *variation, const void *const *vector, const void **lent)
{
    for (int64_t i = 0; i < variation->part_count; i++) lent[i] = device_lend(vector[i], part_bytes(variation, i));
}

static inline void unlend_parts(const SinoVariation *variation, const void *const *vector, const void *const *lent)
{
    for (int64_t i = 0; i < variation->part_count; i++)
        device_unlend(vector[i], (void *)lent[i], part_bytes(variation, i));
}
