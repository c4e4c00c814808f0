/* SPDX-License-Identifier: BSD-3-Clause */
/* Buffers: the memory of a minibatch, described by const tables. A row of a table (SinoBuffer) names the kind of rows
 * that a buffer has and the type of its elements. A shape (SinoShape) counts the rows of each kind. Table and shape
 * together give the bytes. Allocation, the memory plan, the device plan, the forecast, `info` and `plan` all read the
 * same tables. */
#pragma once

#include "data.h"
#include "panel.h"

/* Kinds of rows. A kind has members, and a table's entry of that kind stands for one buffer per member. */
typedef enum SinoRows {
    SINO_ROWS_MINIBATCH, /* one member with one row: data that a minibatch has once */
    SINO_ROWS_RAYS,      /* one member: the rays that this rank owns */
    SINO_ROWS_COMPLETED, /* one member: the completed projections of this rank's angles (redundancy.h); no member unless
                          * direct methods need them */
    SINO_ROWS_GRID,      /* one member: floats of the sums that an operator keeps of a slice between blocks of angles */
    SINO_ROWS_BLOCK,     /* one member: the rays of a block of angles; no member unless a scan comes by blocks */
    SINO_ROWS_WAITING,   /* one member: the rays of all blocks; no member if the operator adds each block at once */
    SINO_ROWS_SUBSET,    /* a member per subset of the data: its rays that this rank owns */
    SINO_ROWS_VOXELS,    /* a member per partition of this rank: its voxels */
    SINO_ROWS_FOOTPRINT, /* a member per partition of this rank: the rays that meet the partition */
    SINO_ROWS_PARTIAL,   /* as SINO_ROWS_FOOTPRINT where partial sums are added up; no members for a single partition */
    SINO_ROWS_SOCKET,    /* a member per socket whose partitions are summed: the rays that meet the socket */
    SINO_ROWS_PIECE,     /* a member per node: the rays of its footprint that this rank owns */
    SINO_ROWS_SENT,      /* a member per node and rank: the rays of the node's footprint that the other rank owns */
    SINO_ROWS_ARRIVAL,   /* a member per node of other ranks: the rays of its footprint that this rank owns */
    SINO_ROWS_ELSEWHERE, /* a member per partition of the slice: the voxels of partitions that other ranks have */
    SINO_ROWS_RANKS,     /* a member per rank that shares the slices: one row for every other rank */
    SINO_ROWS_SHARED,    /* one member with one row if several ranks share the slices, else no member */
    SINO_ROWS_PIXELS,    /* one member: the pixels of an image */
    SINO_ROWS_TALLY,     /* one member: the angles whose rays this rank owns, then the columns of the detector */
    SINO_ROWS_ADDENDS,   /* a member per row partition of a system matrix: all voxels */
    SINO_ROWS_KINDS
} SinoRows;

/* Row counts of the members of one kind. */
typedef struct SinoExtent {
    int64_t members;
    int64_t total;       /* rows of all members */
    int64_t most;        /* rows of the largest member */
    int64_t filled;      /* members that have rows */
    const int64_t *rows; /* [members]; −1: the member has no buffer; not owned; NULL: the shape is an estimate */
} SinoExtent;

/* The extents of one rank, and the precision of its operator. */
typedef struct SinoShape {
    SinoPrecision precision;
    SinoExtent extent[SINO_ROWS_KINDS];
} SinoShape;

typedef enum SinoElement {
    SINO_ELEMENT_REAL,  /* the solver's precision: float or double */
    SINO_ELEMENT_HALF,  /* a half; no buffer if the operator stores single or double */
    SINO_ELEMENT_UNITS, /* SinoCastUnits of a vector of halves; no buffer if the operator stores single or double */
    SINO_ELEMENT_FLOAT,
    SINO_ELEMENT_INTEGER,
    SINO_ELEMENT_DOUBLE,
    SINO_ELEMENT_SUMS,
    SINO_ELEMENT_STATE
} SinoElement;

/* Elements of one row. */
typedef enum SinoLanes {
    SINO_LANES_SLICES,  /* one per slice of the minibatch, padding included */
    SINO_LANES_HISTORY, /* the numbers of a slice's history (SinoHistory), slice after slice */
    SINO_LANES_ONE,     /* one */
    /* for all rows of a member together; a member without rows has no buffer: */
    SINO_LANES_ONE_MEMBER,   /* one */
    SINO_LANES_SLICES_MEMBER /* one per slice of the minibatch, padding included */
} SinoLanes;

typedef struct SinoBuffer {
    const char *name; /* in task graphs and messages */
    SinoRows rows;
    SinoElement element;
    SinoLanes lanes;
} SinoBuffer;

/* The size of a minibatch. */
typedef struct SinoBatch {
    int64_t stride;          /* slices, padding included (panel.h) */
    int64_t history_numbers; /* of a slice (SinoHistory) */
} SinoBatch;

/* The extent of one member with `rows` rows. */
SinoExtent sino_extent_one(int64_t rows);

/* The extent of members whose row counts are rows[members]. `rows` is not owned and must outlive the extent. */
SinoExtent sino_extent_of(int64_t members, const int64_t *rows);

/* Bytes of all members of the `count` buffers of a table. The sum saturates at 2⁵⁹, so that several such sums can be
 * added without overflow. */
int64_t sino_buffers_bytes(int64_t count, const SinoBuffer *buffer, const SinoShape *shape, SinoBatch batch);

/* Bytes of the largest member of one buffer. */
int64_t sino_buffer_most_bytes(const SinoBuffer *buffer, const SinoShape *shape, SinoBatch batch);

/* Allocates one buffer: (*data)[member], NULL for members without a buffer. *data is NULL if the buffer has no
 * elements. The shape's extent must have its `rows` array. After a failure the caller frees the members made so far
 * with sino_data_free_each. SINO_FAILED: no memory. */
SinoStatus sino_buffer_new(SinoRuntime *runtime, const SinoBuffer *buffer, const SinoShape *shape, SinoBatch batch,
                           SinoData ***data);
