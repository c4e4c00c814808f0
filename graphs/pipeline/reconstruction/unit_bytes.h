/* SPDX-License-Identifier: BSD-3-Clause */
/* Unit bytes: the memory of a reconstruction whose units are in memory as a whole, or of FDK. */
#pragma once

#include <stdint.h>

/* What a kind of units lacks is 0. */
typedef struct SinoUnitBytes {
    int64_t bricks;         /* blocks of a matrix; a window of them */
    int64_t lists;          /* of the blocks, and what devices use in products */
    int64_t orders;         /* of voxels and rows */
    int64_t building;       /* while blocks are made */
    int64_t operator_bytes; /* of these four */
    int64_t vectors;        /* of the solver, its weights and the values that go with a matrix */
    int64_t paged;          /* those of the vectors that are in scratch files; 0: none */
    int64_t window;         /* bytes of the scratch files that are in memory at a time */
    int64_t parts;          /* of FDK: the share's voxels; */
    int64_t lines;          /* blocks of lines; */
    int64_t messages;       /* lines and voxels on their way to other ranks, or from them; */
    int64_t weights;        /* weights of rays; */
    int64_t early;          /* lines that have arrived before their block's memory was free: StarPU's memory */
    int64_t pieces;         /* counts and sinograms of pieces of a scan */
    int64_t integrals;      /* the whole scan after its stages; 0: pieces are loaded from its file */
    int64_t images;         /* slices on their way to the volume, and what is stored with them */
    int64_t scratch;        /* work memory of tasks on all workers */
    int64_t search;         /* what the search for a strength takes before, beyond all this */
    int64_t loading;        /* flat or dark fields being averaged */
    int64_t data;           /* StarPU data: of these all but early, weights, scratch, integrals and fields */
    int64_t total;          /* of all, without the program's own */
} SinoUnitBytes;
