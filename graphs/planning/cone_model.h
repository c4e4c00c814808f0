/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone model: the time of a cone-beam reconstruction on R × C ranks, before anything is allocated. P. Chen et al.,
 * "iFDK: a scalable framework for instant high-resolution image reconstruction", SC 2019, equations 4 to 19.
 *
 * The volume is divided among R rows of ranks, the projections among C columns. Each rank loads and filters its share
 * of the projections, and gathers those of its column; it adds these to the part of its row; the C parts of a row are
 * summed; files are written. Load, filter, gather and backprojection go on at the same time; all else follows. */
#pragma once

#include "cone_streaming.h"
#include "machine_rates.h"
#include "settings.h"

/* Rates in 10⁹ bytes or operations per second; 0: the step takes no time. */
typedef struct SinoConeMachine {
    int64_t ranks_per_node;
    int64_t memory_bytes;    /* of a rank, on its device if it has one, for its part and one block of projections */
    int64_t run_voxels;      /* voxels along z that a kernel adds to at once, idle or not: 32 threads of a warp */
    double load_gbps;        /* all files together */
    double store_gbps;       /* all files together */
    double filter_gpixels;   /* of a node */
    double link_gbps;        /* of a node: gathered from other nodes */
    double copy_gbps;        /* of a node: gathered by its ranks, from wherever */
    double to_device_gbps;   /* of a node: to all of its devices */
    double backproject_gups; /* of a rank: voxel updates */
    double transpose_gbps;   /* of a rank: its part, into slices */
    double from_device_gbps; /* of a node: from all of its devices */
    double reduce_gbps;      /* of a rank: its part */
} SinoConeMachine;

typedef struct SinoConeProblem {
    int64_t column_count, row_count, angle_count; /* U, V, N: of the detector and its projections */
    int64_t x_count, y_count, z_count;            /* X, Y, Z: voxels */
    int64_t sample_bytes;                         /* of a filtered sample between ranks and on devices: 4, or 2 */
    int64_t block_angles;                         /* projections of a block on a device */
    int64_t passes;                               /* that all projections take through load and filter; 0: one */
} SinoConeProblem;

typedef struct SinoConeGrid {
    int64_t rows, columns; /* R, C */
} SinoConeGrid;

/* Seconds, and bytes of each rank. */
typedef struct SinoConeTimes {
    double load, filter, gather, to_device, backproject; /* backproject includes to_device */
    double compute;                                      /* the longest of them */
    double transpose, from_device, reduce, store;
    double run;
    double overlap;                    /* δ = (load + filter + gather + backproject)/compute */
    double gups;                       /* 10⁹ voxel updates per second of the run, of all ranks */
    double gather_bytes, reduce_bytes; /* received from the column; sent along the row */
} SinoConeTimes;

/* Bytes of a rank: its part of the volume, and a block of projections. */
int64_t sino_cone_part_bytes(const SinoConeProblem *problem, SinoConeGrid grid);
int64_t sino_cone_block_bytes(const SinoConeProblem *problem);

/* Chooses R, the least power of two for which a part and a block fit the memory of a rank (eq. 7), and C = ranks/R, at
 * most N/R; R·C ranks work. SINO_BAD_INPUT: there are fewer ranks than R, or no R will do. */
SinoStatus sino_cone_grid_choose(const SinoConeMachine *machine, const SinoConeProblem *problem, int64_t rank_count,
                                 SinoConeGrid *grid);

/* Equations 8 to 19. Two are more exact than the paper's. Gathering (eq. 10, whose rate is not printed) is what arrives
 * at a node from other nodes for each of the columns that share it, and what its ranks copy, one after the other. The
 * updates of a backprojection (eq. 12) count idle voxels of runs: a part is a pair of mirror images along z. */
SinoConeTimes sino_cone_times(const SinoConeMachine *machine, const SinoConeProblem *problem, SinoConeGrid grid);

/* Rates of kernels, which no preset of SinoRates has; 0: not known, or no device. */
typedef struct SinoConeKernelRates {
    double backproject_gups; /* of a rank */
    double filter_gpixels;   /* of a rank */
    double device_gbps;      /* of a rank: to and from its devices */
} SinoConeKernelRates;

/* Nodes of `ranks_per_node` ranks with the rates of `machine`: files, links, memory of ranks or of their devices. */
SinoConeMachine sino_cone_machine_of(const SinoMachine *machine, int64_t ranks_per_node,
                                     const SinoConeKernelRates *kernels);

/* The nodes that the settings describe, or that --machine names; settings override what it says. `symmetric`: kernels
 * that share positions are used. SINO_BAD_INPUT: the name is neither a preset nor a file of `bench --geometry cone`; a
 * file lacks the precision; a bandwidth of devices is given, and there are none. */
SinoStatus sino_cone_machine_new(const SinoSettings *settings, bool symmetric, SinoConeMachine *machine);

/* The paper's machine, and its measurements. */
extern const SinoConeMachine sino_cone_abci;

enum { SINO_CONE_PUBLISHED_COUNT = 8 };

/* A row of Table 5: 2048 × 2048 × 4096 → `size`³. Seconds; filter includes load, 0: below 0.7. */
typedef struct SinoConePublished {
    int64_t size, rank_count, rows; /* R */
    double filter, gather, backproject, compute, overlap;
} SinoConePublished;

extern const SinoConePublished sino_cone_published[SINO_CONE_PUBLISHED_COUNT];

/* The problem of a row. */
SinoConeProblem sino_cone_published_problem(const SinoConePublished *row);

/* Cone part size: how large the parts of a cone-beam run are (cone_streaming.h), for the cores and devices that
 * compute. The volume does not depend on it: every voxel gets the same sums in the same order. */

/* Sets part_voxels and band_rows of a division whose grid, slabs, symmetry and images are known.
 * Cores get bands of few rows, so that no worker waits for another's part. A device needs about 10⁹ updates for each
 * launch, and bands of whole blocks of threads: where devices compute, parts of all are as large as those, unless that
 * leaves devices without parts, or two tasks do not fit a device. */
void sino_cone_part_size(const SinoCone *cone, const SinoMachine *machine, SinoConeStreaming *streaming);

/* Bytes of the data of tasks on a device, of the row of ranks that needs most. */
typedef struct SinoConeDeviceNeed {
    int64_t part;     /* the largest part */
    int64_t piece;    /* a piece's lines */
    int64_t lines;    /* a block of lines */
    int64_t image;    /* slices that are stored together */
    int64_t sinogram; /* a piece of projections */
    int64_t task;     /* the most that one task accesses */
} SinoConeDeviceNeed;

SinoConeDeviceNeed sino_cone_device_need(const SinoCone *cone, const SinoConeStreaming *streaming);

/* Whether two tasks fit each device, or no device computes. */
bool sino_cone_fits_devices(const SinoCone *cone, const SinoMachine *machine, const SinoConeStreaming *streaming);

/* The error of a run of which no division fits the devices: always SINO_BAD_INPUT, with the sizes in the text. */
SinoStatus sino_cone_device_too_small(const SinoCone *cone, const SinoMachine *machine,
                                      const SinoConeStreaming *streaming);
