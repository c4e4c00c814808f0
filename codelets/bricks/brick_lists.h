/* SPDX-License-Identifier: BSD-3-Clause */
/* Brick lists: what a GPU needs beside the values of a block of bricks (brick.h), so that no sum has two owners: the
 * stored bricks of each row of y, and those of each brick of x. Made once, on the host, of a block that passes
 * sino_brick_check. Values are not copied. docs/bricks.md has the reasons.
 *
 * A *wave* is consecutive bands of at most SINO_BRICK_WAVE bytes together, or a single band: a sweep goes forward and
 * backward over a wave while it is in L2. An *entry* is a stored brick; a *run* is the entries of one brick of x in a
 * wave. Entries have the order of the block. Lists are one piece of memory without addresses, aligned to 64 bytes:
 *
 *     SinoBrickLists | waves | rows | their entries: values, masks, bricks | runs | their entries: values, masks, codes
 *
 * Each array begins on 64 bytes, at the offset that the head has for it. */
#pragma once

#include "brick.h"

enum {
    SINO_BRICK_WAVE = 16 << 20, /* bytes */
    SINO_BRICK_WAVE_ROWS = 8192 /* rows of a wave, at most: whole bands; their numbers take 13 bits */
};

/* Where entries have their values, counted in values from the start of the row's band, or of the run's wave: uint32.
 * Their masks: uint32, or uint16 if there are 16 lanes. Offsets are in bytes from the lists' start. */
typedef struct SinoBrickLists {
    int64_t bytes;
    int64_t lanes, precision, row_count, brick_count; /* of the block */
    int64_t wave_count, run_count, entry_count;
    int64_t wave_at;      /* SinoBrickWave[wave_count] */
    int64_t row_at;       /* SinoBrickListRow[row_count + 1]; the last one ends the last row */
    int64_t row_value_at; /* [entry_count] */
    int64_t row_mask_at;  /* [entry_count] */
    int64_t row_brick_at; /* uint32[entry_count]: bits 0 … 27 brick of x, bits 29 … 31 shift of the segment */
    int64_t run_at;       /* SinoBrickListRun[run_count + wave_count]: behind those of a wave is one that ends them */
    int64_t run_value_at; /* [entry_count] */
    int64_t run_mask_at;  /* [entry_count] */
    int64_t run_code_at;  /* uint16[entry_count]: bits 0 … 12 row of the wave, bits 13 … 15 shift of the segment */
} SinoBrickLists;

typedef struct SinoBrickWave {
    int64_t first_row, row_count;
    int64_t offset;      /* of its first band in the block */
    int64_t first_run;   /* in the array, with those that end waves */
    int64_t run_count;   /* without the one that ends them */
    int64_t first_entry; /* of its runs */
} SinoBrickWave;

typedef struct SinoBrickListRow {
    uint32_t entry; /* the row's first one; the next row's first one ends them */
    float unit;     /* of its values: 1 in single */
} SinoBrickListRow;

typedef struct SinoBrickListRun {
    uint32_t brick; /* of x */
    uint32_t entry; /* its first one, of the wave */
} SinoBrickListRun;

/* The bytes of the lists of a block. SINO_FAILED: no memory, or so large a block that 32 bits do not count its
 * stored bricks or the values of a band. */
SinoStatus sino_brick_lists_bytes(const void *block, int64_t *bytes);

/* The bytes of the lists of any block of so many rows and nonzeros, at most: what a caller reserves (sino_reserve). */
int64_t sino_brick_lists_bytes_most(int64_t row_count, int64_t nonzero_count);

/* Writes the lists into memory of so many bytes, aligned to 64. Errors as above. */
SinoStatus sino_brick_lists_fill(const void *block, SinoBrickLists *lists);

/* The waves of lists in host memory. */
static inline const SinoBrickWave *sino_brick_list_waves(const SinoBrickLists *lists)
{
    return (const SinoBrickWave *)(const void *)((const char *)lists + lists->wave_at);
}
