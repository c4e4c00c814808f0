/* SPDX-License-Identifier: BSD-3-Clause */
/* Operator: A, which maps the partitions of an image to data (rays), and its transpose, as tasks of a minibatch's
 * graph. Solvers and the pipeline use operators through this interface only. Each kind of operator is one row of the
 * table in operator_table.c.
 *
 * The image is divided into partitions, each with voxel vectors of its own. A rank has the ray vectors of the rays that
 * it owns. With OSEM and FISTA the data are divided into subsets, each with ray vectors of its own (SINO_ROWS_SUBSET);
 * a single subset has all rays. */
#pragma once

#include "band.h"
#include "cone.h"
#include "decomposition.h"
#include "geometry.h"
#include "matrix_survey.h"
#include "partial_sums.h"
#include "processes.h"
#include "projector.h"
#include "rays_tasks.h"
#include "redundancy.h"
#include "topology.h"
#include "trace.h"

typedef struct SinoOperatorKind SinoOperatorKind;

/* The part of a reconstruction that determines the operator. */
typedef struct SinoProblem {
    SinoGeometry geometry; /* of one slice, angles in the order of the scan; angle_rad is not owned */
    const SinoCone *cone;  /* of the scan, whose whole volume then is one slice; NULL: a parallel beam; not owned */
    const SinoMatrixSurvey *matrix; /* a system matrix, in place of a scan; NULL: none; not owned */
    SinoPrecision precision;
    bool symmetry;        /* store rays that are quarter turns or mirror images of each other once, if angles pair up */
    int64_t subset_count; /* subsets of the data; 1 except for OSEM, FISTA */
    int64_t left_out;     /* the last subset has every so-many-th angle of the others, which solvers then lack; 0: all
                           * subsets are solved */
    int64_t block_angles; /* angles of a block of a scan that comes by blocks; 0: it comes as a whole */
    bool whole_orbits;    /* a subset has all quarter turns and mirror images of its angles, if it can
                           * (angle_subsets.h); whether they are stored or not, so that it changes no values */
    SinoProjector projector;         /* of a parallel beam; AUTO: the plan chooses; until it has, as RAYS */
    SinoInterpolation interpolation; /* of SINO_PROJECTOR_ROTATE */
} SinoProblem;

/* Subsets whose rays a solver has. */
static inline int64_t sino_problem_solved_subsets(const SinoProblem *problem)
{
    return problem->subset_count - (problem->left_out > 0 ? 1 : 0);
}

/* The division of a batch group's slices among its ranks. */
typedef struct SinoDivision {
    SinoTopology topology;
    const double *rank_weight; /* [rank of the group]: relative speed; NULL: all alike; not owned */
    double mean_weight;        /* mean speed of all ranks of the run */
    bool direct;               /* --communication direct */
} SinoDivision;

typedef struct SinoOperatorRequest {
    SinoProblem problem;
    SinoDivision division;
    SinoRayExchangeShape shape; /* of this rank */
    int64_t window_count;       /* number of partitions whose blocks are in memory at a time; 0: all */
    int64_t slots;              /* minibatches whose products are in flight at a time; 0: one, or not known */
    bool listed;                /* the kind matrix: blocks get lists, with which devices compute */
    const char *cache;          /* directory of saved operators; NULL: none */
    SinoRing ring;              /* ranks that have the same partitions of other slices, and may build them together */
} SinoOperatorRequest;

/* Properties of an operator that take no time to compute. */
typedef struct SinoOperatorOutline {
    int64_t bytes;            /* blocks of all ranks: an upper bound */
    int64_t unit_count;       /* indivisible parts of a slice */
    int64_t voxel_count;      /* rows of the voxel vectors of all partitions */
    int64_t device_minibatch; /* slices of a minibatch that suit products on GPUs; 0: as many as share what they read */
} SinoOperatorOutline;

/* Properties of an operator, computed before it is built. Where ranks differ, the largest value of any rank. */
typedef struct SinoOperatorSize {
    int64_t bytes;               /* blocks of a rank: an upper bound */
    int64_t partition_bytes;     /* block of the largest partition: an upper bound */
    int64_t map_bytes;           /* footprints and index maps */
    int64_t table_bytes;         /* tables that exist beside these where devices compute */
    int64_t product_bytes;       /* scratch of a product on a device, beside lists and vectors */
    int64_t whole_vectors;       /* vectors of the voxels of all partitions that a product has; 0: of one partition */
    int64_t building_bytes;      /* temporary memory while the operator is built */
    SinoShape shape;             /* estimated: extents without `rows` */
    SinoTraffic traffic, direct; /* of a projection: with the division's hierarchy, and without a hierarchy */
    double nonzero_count;        /* of one slice */
    double slowest_nonzeros;     /* of one slice: of the slowest worker, divided by its rank's relative speed */
    int64_t stored_angles, orientations;
    int64_t all_bytes; /* blocks of all ranks of a batch group together */
} SinoOperatorSize;

typedef struct SinoOperator {
    const SinoOperatorKind *kind;
    SinoRuntime *runtime; /* not owned */
    SinoProblem problem;
    SinoShape shape;        /* of this rank; extents have `rows` */
    const int64_t *place;   /* [angle of the scan]: its number among this rank's angles, in the order of the rows of ray
                             * vectors; −1: another rank has the angle; owned by the kind */
    int64_t nonzero_count;  /* nonzeros of this rank's partitions */
    int64_t slots;          /* of the request */
    bool replicated;        /* every rank that shares the slices has all voxels */
    bool idle;              /* this rank has no work; nothing else is filled in */
    SinoRayExchange *ranks; /* the ranks that share the slices; NULL: idle; not owned */
    void *own;              /* of the kind */
} SinoOperator;

/* Buffers that one slot of minibatches needs for its products. */
typedef struct SinoOperatorWork {
    const SinoOperator *op; /* not owned */
    SinoPartialSums *sums;  /* partial sums and messages between ranks that share the slices; owned by the kind */
    void *own;              /* of the kind */
} SinoOperatorWork;

/* Consecutive angles of a scan that comes by blocks. count 0: the scan comes as a whole. */
typedef struct SinoAngleBlock {
    int64_t first, count;
    bool last;
} SinoAngleBlock;

typedef struct SinoProduct {
    SinoPosition position;
    SinoSlices slices;
    int64_t subset;       /* 0 … subset_count − 1 */
    SinoAngleBlock block; /* of kinds with `adds`, the angles of y; count 0: all */
    SinoData *sums;       /* of SINO_ROWS_GRID, what the blocks before left; NULL: the kind keeps none */
    /* A caller's array in place of x, which is then NULL, of kinds and operators with image_bytes; NULL: there is x. */
    const SinoImages *images;
} SinoProduct;

/* What a sweep compares A x with, for the rows of its subset: ybar = n · A x + r and the counts g. Data are not owned.
 */
typedef struct SinoSweep {
    SinoData *counts;         /* g of every slice */
    SinoData *multiplicative; /* n of the rows; NULL: 1 */
    SinoData *additive;       /* r of every slice; NULL: 0 */
    bool add;                 /* to the sums of other subsets */
    /* The update of x before the sweep, by what the sweep before wrote, if sweeps of the operator update x
     * (SinoOperatorKind.updates): x = x · weight · to where the weight is above 0 and the slice goes on. */
    SinoData *weight;      /* 1/s of that sweep's subset, [voxel], which never changes; NULL: no update */
    int64_t weight_subset; /* that subset */
    SinoData *state;       /* of the slices */
    bool everywhere;       /* weights are above 0 where no row of their subset meets a voxel */
} SinoSweep;

/* The conversion of voxels to the pixels of images. */
typedef struct SinoImaging {
    double scale;         /* output value = scale · value per voxel */
    double mask_ratio;    /* pixels outside mask_ratio times the inscribed circle's radius are 0; 0: no mask */
    int64_t first, count; /* a volume: the slices of it that become images; else not used */
} SinoImaging;

/* The tiles of the partitions of a slice, on one rank; nothing is owned. */
typedef struct SinoTiling {
    int64_t partition_count;
    const int64_t *first;      /* [partition_count + 1]: tiles of partition p: first[p] … first[p + 1] − 1 */
    const SinoTilePlace *tile; /* whose voxels follow each other in the partition's vectors, row after row */
} SinoTiling;

/* Where the products of a kind can run. */
typedef enum SinoKernels { SINO_KERNELS_OF_CORES, SINO_KERNELS_OF_CUDA, SINO_KERNELS_OF_ALL } SinoKernels;

/* A kind says by its members what it can do: a plan matches them with what a solver needs (sino_solver_fits). */
struct SinoOperatorKind {
    const char *name;
    SinoProjector projector; /* of a parallel beam, by this kind; AUTO: the kind is of another geometry */
    SinoKernels kernels;
    bool adds;    /* backproject takes blocks of angles; rays are in the order of the scan, and ranks share no slice */
    bool stores;  /* A is stored, in any precision; false: nothing is, and products are in single precision */
    bool asked;   /* by --projector alone: the model of the detector differs, so that the plan never chooses it */
    bool lengths; /* products are by the lengths of rays in voxels, or their means over a detector pixel */
    int64_t minibatch; /* slices of a minibatch, if in a larger one a product costs as much for each slice; 0: a panel,
                        * which reads A or its tables once for all slices */
    /* Flops of a product of one slice, in a minibatch of `slices`, as SinoRates.kernel_gflops counts them. NULL: twice
     * its nonzeros. */
    double (*product_flops)(const SinoProblem *problem, int64_t slices);
    /* Whether the kind can solve the problem. */
    bool (*takes)(const SinoOperatorKind *kind, const SinoProblem *problem);
    /* Called before any work. SINO_BAD_INPUT: operators cannot be saved in the folder (NULL: no folder is asked
     * for). */
    SinoStatus (*check)(const char *folder);
    /* Fills in *outline at once. */
    SinoStatus (*outline)(const SinoProblem *problem, SinoOperatorOutline *outline);
    /* Time grows with angles × partitions: seconds for thousands of both. */
    SinoStatus (*size)(const SinoProblem *problem, const SinoDivision *division, int64_t worker_count,
                       SinoOperatorSize *size);
    /* Collective. Builds the operator: fills in op->shape, place, nonzero_count, ranks and own. An idle rank takes part
     * in the collective calls only. After a failure `close` is called. */
    SinoStatus (*open)(SinoOperator *op, const SinoOperatorRequest *request);
    void (*close)(SinoOperator *op);
    /* Bytes of one work. */
    int64_t (*work_bytes)(const SinoShape *shape, SinoBatch batch);
    /* Allocates a work (sino_operator_work_new): fills in work->sums and own. After a failure `work_close` is called.
     */
    SinoStatus (*work_open)(SinoOperatorWork *work, const SinoSlices *slices, int64_t number, bool overlap);
    void (*work_close)(SinoOperatorWork *work);
    /* Insert the tasks of y = A x and of x = Aᵀ y for product->subset: x[partition of this rank] are voxel vectors, y
     * is the vector of the rays that this rank owns. Ranks that share the slices insert the same products in the same
     * order. project NULL: the kind backprojects only. With a block of angles that is not the first, backproject adds
     * to x, or to sums: after all blocks x has the bits of the product of all angles. */
    SinoStatus (*project)(SinoOperatorWork *work, const SinoProduct *product, SinoData *const *x, SinoData *y);
    SinoStatus (*backproject)(SinoOperatorWork *work, const SinoProduct *product, SinoData *y, SinoData *const *x);
    /* The same as far as partial vectors whose sums are the rays, which the caller adds up: fills in *parts.
     * parts->count 0: nothing is inserted, and `project` is to be called. NULL: the kind has no partial vectors. */
    SinoStatus (*project_parts)(SinoOperatorWork *work, const SinoProduct *product, SinoData *const *x,
                                SinoParts *parts);
    /* Scratch memory of a product with `images`, of each worker; 0: the operator has no such products. NULL: the kind
     * has none. */
    int64_t (*image_bytes)(const SinoOperator *op, SinoSlices slices);
    /* Inserts the tasks of y = AᵀA x. NULL: solvers project and backproject. */
    SinoStatus (*normal)(SinoOperatorWork *work, const SinoProduct *product, SinoData *const *x, SinoData *const *y);
    /* An upper bound of the largest eigenvalue of AᵀA; of kinds with `normal`. */
    double (*norm)(const SinoOperator *op);
    /* Inserts the tasks of x' = Aᵀ (n · g/ybar) to `to`, where ybar is not > 0 the ratio is 0; and of the sums of
     * (ybar − g)² and of the log-likelihood (SinoSliceSums). A is read once. NULL: the kind has no sweep. */
    SinoStatus (*sweep)(SinoOperatorWork *work, const SinoProduct *product, const SinoSweep *sweep, SinoData *const *x,
                        SinoData *const *to, SinoData *sums);
    /* Whether a sweep may update x before, as SinoSweep says; `to` then stays untouched between sweeps. NULL: no. */
    bool (*updates)(const SinoOperator *op);
    /* Inserts the tasks that write the slices to image, float[slice][N][N]; of a volume, [slice][Y][X]. Called on the
     * rank that keeps the images, after sino_insert_voxel_messages. */
    SinoStatus (*image)(SinoOperatorWork *work, const SinoProduct *product, const SinoImaging *imaging,
                        SinoData *const *x, SinoData *image);
    /* Inserts the tasks that write voxels from the slices of a volume, the inverse of `image`: x = scale · image. NULL:
     * voxels are in tiles. */
    SinoStatus (*fill)(SinoOperatorWork *work, const SinoProduct *product, const SinoImaging *imaging, SinoData *image,
                       SinoData *const *x);
    /* The tiles of all partitions of the slice. NULL: the kind has no tiles. */
    SinoTiling (*tiling)(const SinoOperator *op);
    /* A partition of a volume, for priors: its `volume`, `least` and `most` are not set. NULL: partitions are no bands.
     */
    SinoBand (*band)(const SinoOperator *op, int64_t partition);
    /* report: describes the operator in the log. keep: saves the operator in the folder (NULL: does nothing); called
     * once the volume is written. A kind that stores nothing has none. */
    void (*report)(const SinoOperator *op);
    void (*keep)(SinoOperator *op, const char *folder);
};

/* Samples of a product of one slice that is computed pixel by pixel for every angle. */
static inline double sino_operator_samples(const SinoProblem *problem)
{
    const double size = (double)problem->geometry.grid_size;
    return size * size * (double)problem->geometry.angle_count;
}

/* SINO_ROWS_PIXELS of a parallel beam. */
static inline SinoExtent sino_operator_pixels(const SinoGeometry *geometry)
{
    const int64_t side = sino_geometry_slice_side(geometry);
    return sino_extent_one(sino_times(side, side));
}

/* SINO_ROWS_BLOCK. */
static inline SinoExtent sino_operator_block(const SinoProblem *problem)
{
    const int64_t rays = sino_times(problem->block_angles, problem->geometry.column_count);
    return rays > 0 ? sino_extent_one(rays) : (SinoExtent){0};
}

/* Whether blocks of angles are added as they come: projections of a half acquisition wait for the opposite ones. */
static inline bool sino_operator_adds(const SinoOperatorKind *kind, const SinoGeometry *geometry)
{
    return kind->adds && sino_redundancy_width(geometry) == 0;
}

/* SINO_ROWS_WAITING of a kind that adds no blocks, of so many rays. */
static inline SinoExtent sino_operator_waiting(const SinoProblem *problem, int64_t rays)
{
    return problem->block_angles > 0 ? sino_extent_one(rays) : (SinoExtent){0};
}

/* SINO_ROWS_COMPLETED of a rank with angle_count angles of a parallel beam. */
static inline SinoExtent sino_operator_completed(const SinoGeometry *geometry, int64_t angle_count)
{
    const int64_t width = sino_redundancy_width(geometry);
    return width > 0 ? sino_extent_one(sino_times(angle_count, width)) : (SinoExtent){0};
}

extern const SinoOperatorKind sino_rays_kind, sino_rotate_kind, sino_lines_kind, sino_strips_kind, sino_pixels_kind,
    sino_gridding_kind, sino_toeplitz_kind, sino_cone_kind, sino_bricks_kind;

/* All kinds, and NULL at the end. */
extern const SinoOperatorKind *const sino_operator_kinds[];

/* The first kind of the table that takes the problem; NULL: none does, which sino_run_plan_new refuses. */
const SinoOperatorKind *sino_operator_kind(const SinoProblem *problem);

/* The kind of a projector; AUTO: rays. */
const SinoOperatorKind *sino_operator_of(SinoProjector projector);

/* The kinds of parallel beams that store nothing, in the order in which a plan tries them; NULL: no more. */
const SinoOperatorKind *sino_operator_unstored(int number);

/* Whether products by the projector are of AᵀA alone: columns beyond the detector then count as 0, and every ray
 * counts alike. */
static inline bool sino_operator_is_normal(SinoProjector projector)
{
    return sino_operator_of(projector)->normal != NULL;
}

/* Collective over all ranks. Returns when the operator and its exchange between ranks are ready. Errors: those of the
 * kind's `open`. */
SinoStatus sino_operator_new(SinoRuntime *runtime, const SinoOperatorRequest *request, SinoOperator **op);
void sino_operator_free(SinoOperator *op); /* takes NULL */

/* `slices` is not owned and outlives the work; its stride must not change. `number` is unique among the works of one
 * operator and goes into message tags. `overlap` false: the submitting thread waits for each exchange. */
SinoStatus sino_operator_work_new(const SinoOperator *op, const SinoSlices *slices, int64_t number, bool overlap,
                                  SinoOperatorWork **work);
void sino_operator_work_free(SinoOperatorWork *work); /* takes NULL */
