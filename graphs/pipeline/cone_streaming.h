/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone streaming: how a cone-beam run divides its volume and its projections, and the bytes that this takes.
 *
 * The volume is divided into slabs of slices; all projections pass once through memory for each slab. A slab is divided
 * into parts (cone_lines.h): bands of rows, chunks of voxels along z. Projections come in pieces of consecutive angles,
 * each of which is loaded, filtered and made lines of by itself. Pieces form blocks, which are added to all parts. With
 * quarter turns the pieces of a block are a quarter turn apart. */
#ifndef SINO_CONE_STREAMING_H
#define SINO_CONE_STREAMING_H

#include "backproject_cone_task.h"
#include "input.h"

typedef struct SinoConeStreaming {
    SinoConeSymmetry symmetry;
    SinoPrecision precision; /* of lines: SINO_SINGLE or SINO_MIXED */
    int64_t slab_slices;     /* slices of each slab but the last; with halves: all slices */
    int64_t slab_count;
    int64_t band_rows;    /* rows of base runs of a part */
    int64_t part_voxels;  /* voxels of a part's runs: a multiple of image_slices */
    int64_t image_slices; /* slices that are stored together */
    int64_t piece_sets;   /* pieces that are loaded and filtered at the same time */
    int64_t block_sets;   /* blocks of lines in memory at the same time */
    int64_t image_sets;   /* images in memory at the same time */
} SinoConeStreaming;

/* Consecutive numbers. */
typedef struct SinoSpan {
    int64_t first, count;
} SinoSpan;

/* Slices of a slab. */
SinoSpan sino_cone_slab(const SinoCone *cone, const SinoConeStreaming *streaming, int64_t slab);

/* The detector rows that see voxels of `slices`, at least one of them. */
SinoSpan sino_cone_rows(const SinoCone *cone, SinoSpan slices);

/* The lines of a slab: all members but group_count, which is that of the first block. */
SinoConeLines sino_cone_slab_lines(const SinoCone *cone, const SinoConeStreaming *streaming, int64_t slab);

/* Blocks of a run, and pieces of a block. */
int64_t sino_cone_block_count(const SinoCone *cone, const SinoConeStreaming *streaming);
int64_t sino_cone_piece_count(const SinoCone *cone, const SinoConeStreaming *streaming, int64_t block);

/* The angles of a piece of a block. */
SinoSpan sino_cone_piece(const SinoCone *cone, const SinoConeStreaming *streaming, int64_t block, int64_t piece);

/* The parts of a slab: chunks of voxels along z, and bands of each. */
int64_t sino_cone_chunk_count(const SinoCone *cone, const SinoConeStreaming *streaming, int64_t slab);
int64_t sino_cone_band_count(const SinoCone *cone, const SinoConeStreaming *streaming);
SinoConePart sino_cone_part(const SinoCone *cone, const SinoConeStreaming *streaming, int64_t slab, int64_t chunk,
                            int64_t band);

/* Bytes of a rank, of the largest slab. */
typedef struct SinoConeBytes {
    int64_t parts;   /* the slab's voxels */
    int64_t pieces;  /* counts, flat and dark fields, and sinograms */
    int64_t lines;   /* blocks of lines */
    int64_t images;  /* slices on their way to the volume */
    int64_t weights; /* weights of rays */
    int64_t scratch; /* work memory of tasks on all workers */
    int64_t data;    /* those of these that are StarPU data */
    int64_t total;   /* of all, without the program's own */
} SinoConeBytes;

SinoConeBytes sino_cone_bytes(const SinoCone *cone, const SinoInput *input, const SinoConeStreaming *streaming,
                              int64_t worker_count);

#endif
