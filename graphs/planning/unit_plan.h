/* SPDX-License-Identifier: BSD-3-Clause */
/* Unit plan: the memory and the time of a reconstruction whose units are in memory as a whole (solve.h): the volume of
 * a cone beam, or sets of counts with a system matrix. FDK streams projections, and divides its volume. */
#pragma once

#include "amounts.h"
#include "cone_solution.h"
#include "cone_streaming.h"
#include "machine_rates.h"
#include "matrix_solution.h"
#include "settings.h"

typedef struct SinoUnitPlanKind SinoUnitPlanKind;

typedef struct SinoUnitPlanRequest {
    const SinoUnitPlanKind *kind;
    SinoMachine machine;
    int64_t rank_count;         /* that share each unit */
    int64_t record_bytes;       /* with compressed slices that wait to be written */
    const SinoInput *input;     /* of a scan; NULL: of counts */
    const SinoProblem *problem; /* of the kind cone or matrix, for a solver: */
    const SinoSolver *solver;
    bool supported;                /* some voxels of a volume stay 0 */
    int64_t search_iterations;     /* of a detector row as a fan, for the strength of a prior; 0: no search */
    const SinoSettings *searching; /* whose search for a strength takes memory; not owned; NULL: none */
    int64_t unit_count;            /* 1, or the sets of the counts */
    int64_t history_numbers;       /* of a unit (SinoHistory) */
    const SinoMatrixFiles *files;  /* of counts, and: */
    bool halved;                   /* --iterations auto: each set's halves are solved together, and compared */
    bool cached;                   /* there is a directory for a matrix that does not fit memory */
    const SinoCone *cone;          /* of FDK, and: */
    SinoPrecision precision;       /* of lines */
    bool symmetry;                 /* quarter turns and mirror images are used where the scan has them */
    int64_t slab_count;            /* 0: the plan chooses */
    SinoGridShape grid;            /* rows × columns of ranks; 0 × 0: the plan chooses */
} SinoUnitPlanRequest;

typedef struct SinoUnitPlan {
    int64_t batch_units; /* that are solved together */
    SinoConeSets sets;   /* of a volume */
    SinoMatrixStay stay; /* of counts; windows: row partitions that are in memory at a time, from a file of the cache */
    SinoConeStreaming streaming; /* of FDK */
    SinoUnitBytes bytes;
    int64_t total_bytes; /* with the program itself and the record */
    int64_t budget_bytes;
} SinoUnitPlan;

/* Seconds of a rank; nothing overlaps but load with what makes line integrals. */
typedef struct SinoUnitTimes {
    double load;      /* the scan, or the matrix, which is packed */
    double start;     /* before the iterations: a search, products of the scan, sensitivities or weights, a sweep */
    double read;      /* of one iteration: the matrix is read from memory, once or twice */
    double products;  /* of one iteration: computed, as if the matrix were in the cache */
    double vectors;   /* of one iteration */
    double paging;    /* of one iteration: scratch files are read and written */
    double exchange;  /* of one iteration: sums of voxels over ranks */
    double iteration; /* the longer one of read and products, then vectors, paging and exchange; of all units */
    double store;
    double run;
} SinoUnitTimes;

extern const SinoUnitPlanKind sino_volume_plan, sino_counts_plan, sino_fdk_plan;

/* What a kind of units states; the rest is the same for all. */
struct SinoUnitPlanKind {
    /* The widest division; the next narrower one, false: there is none; and one that takes least memory. */
    SinoStatus (*widest)(const SinoUnitPlanRequest *request, SinoUnitPlan *plan);
    bool (*narrow)(const SinoUnitPlanRequest *request, SinoUnitPlan *plan);
    void (*least)(const SinoUnitPlanRequest *request, SinoUnitPlan *plan);
    /* plan->bytes of the division, without `loading`. */
    SinoStatus (*bytes)(const SinoUnitPlanRequest *request, SinoUnitPlan *plan);
    /* Whether two tasks fit a device. NULL: no task runs there. */
    SinoStatus (*fits_devices)(const SinoUnitPlanRequest *request, const SinoUnitPlan *plan, bool *fits);
    /* The plan is the last division, which does not fit memory or, if it does, devices. */
    SinoStatus (*refuse)(const SinoUnitPlanRequest *request, const SinoUnitPlan *plan);
    /* But for iteration and run; `start` without the first sweep. FDK has a model of its own (cone_model.h). */
    SinoUnitTimes (*times)(const SinoUnitPlanRequest *request, const SinoUnitPlan *plan);
    bool sweeps; /* a sweep of a matrix precedes the first iteration, and iterations read it */
    SinoAmounts (*list_bytes)(const SinoUnitPlan *plan);
};

/* The problem of a run of recon with these settings on a cone beam, as one of rank_count ranks; pointers are not owned.
 * SINO_BAD_INPUT: the kind of job does not take the precision; another grid than 1 x rank_count; ranks without an angle
 * of each subset. */
SinoStatus sino_volume_problem(const SinoSettings *settings, const SinoInput *input, const SinoCone *cone,
                               int64_t rank_count, SinoProblem *problem);

/* The requests of a run of recon with these settings; pointers are not owned. */
SinoUnitPlanRequest sino_volume_plan_request(const SinoSettings *settings, const SinoInput *input,
                                             const SinoProblem *problem, int64_t rank_count,
                                             const SinoMachine *machine);
SinoUnitPlanRequest sino_counts_plan_request(const SinoSettings *settings, const SinoMatrixInput *input,
                                             const SinoMachine *machine);

/* The first division that fits, widest first. Of a volume: sets of pieces and images for every worker to be busy, or
 * the fewest. Of counts: as many sets together as two panels hold; where devices compute, blocks get lists for them,
 * unless memory has no room for these; a matrix that does not fit goes to the cache, if there is one. Of FDK: as few
 * slabs as fit, because every slab takes a pass over all projections; one slab may use the mirror symmetry of the
 * volume. Of the grids of ranks, the one with most rows of ranks, each of which has voxels: then ranks need fewest rows
 * of projections, and add up least voxels. SINO_BAD_INPUT: not even the narrowest division fits, memory or a device;
 * the text names a memory that would do; a given grid does not fit the ranks, the volume or the projections. */
SinoStatus sino_unit_plan_new(const SinoUnitPlanRequest *request, SinoUnitPlan *plan);

/* The least memory that any plan takes; of FDK on one rank. */
SinoStatus sino_unit_plan_least_bytes(const SinoUnitPlanRequest *request, int64_t *bytes);

/* SinoUnitPlanRequest.record_bytes of output with that record, of which so many slices wait to be written. */
int64_t sino_unit_record_bytes(const SinoOutputSettings *settings, const SinoMachine *machine,
                               const SinoRecordShape *shape, int64_t slices);

/* Seconds of `count` sums of vectors of `elements` floats over the ranks (partial_sums.h). */
double sino_unit_sums_seconds(const SinoUnitPlanRequest *request, double elements, int64_t count);

/* The time of a run in which no unit stops early. */
SinoUnitTimes sino_unit_plan_times(const SinoUnitPlanRequest *request, const SinoUnitPlan *plan, int64_t iterations);

/* As rows of a table. */
SinoAmounts sino_unit_list_times(const SinoUnitPlanKind *kind, const SinoUnitTimes *times);

/* Rates of products of one worker with a cone, in 10⁹ updates (voxels times angles) per second: measured in
 * docs/lab/cones.md. */
typedef struct SinoConeProductRates {
    double project_gups, backproject_gups;
} SinoConeProductRates;

SinoConeProductRates sino_cone_products(const SinoCone *cone); /* the usual ones of all its projections */

/* Whether GPUs of a machine file compute products of a cone beam, at the rate of each in 10⁹ updates per second; 0:
 * cores do, as those with a window. */
double sino_cone_device_gups(const SinoMachine *machine, const SinoCone *cone);

/* Rates of one worker with a matrix: measured in docs/lab/sparse.md. */
typedef struct SinoMatrixRates {
    double pack_gnnz;  /* 10⁹ nonzeros that it packs per second */
    double nonzero_ns; /* both products of a nonzero, or a sweep over it, take this, and … */
    double set_ns;     /* … this for each set that is solved with others */
} SinoMatrixRates;

SinoMatrixRates sino_matrix_rates(SinoPrecision precision);

/* FDK plan: how a run of FDK divides its volume and projections (cone_streaming.h). */

/* The request of a run of recon with these settings, on rank_count ranks; pointers are not owned. */
SinoUnitPlanRequest sino_fdk_plan_request(const SinoSettings *settings, const SinoInput *input, const SinoCone *cone,
                                          const SinoMachine *machine, int64_t rank_count);

/* The coarse volume by whose planes recon finds the range of an integer volume, and the settings of its run, which is
 * by FDK. It has every step-th voxel along each axis, at least every second one and 64 at most, and takes a pass over
 * all projections. A voxel takes longer than in the volume, since the rows that it needs lie further apart. */
SinoCone sino_cone_coarse(const SinoCone *cone);
SinoSettings sino_cone_coarse_settings(const SinoSettings *settings);

/* What of the scan's symmetry the plan uses, in words. */
const char *sino_fdk_plan_kernel(const SinoUnitPlan *plan);
