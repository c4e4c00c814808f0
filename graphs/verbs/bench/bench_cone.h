/* SPDX-License-Identifier: BSD-3-Clause */
/* Bench, cone beams: the graph of FDK without files, and what of it is measured. */
#pragma once

#include "bench.h"
#include "cone_scan.h"
#include "settings.h"
#include "unit_plan.h"

typedef enum SinoBenchStep {
    SINO_BENCH_BACKPROJECT, /* a block of projections is added to all voxels, again and again */
    SINO_BENCH_RUN          /* all projections are weighed, filtered, made lines of and added; voxels become slices */
} SinoBenchStep;

/* Figures of one step, precision and symmetry. Rates are 10⁹ a second, of `workers` workers together. */
typedef struct SinoBenchConeRow {
    SinoBenchStep step;
    SinoPrecision precision;
    SinoConeSymmetry symmetry;
    int64_t workers;                           /* that compute at the same time */
    int count;                                 /* repetitions: fewer where they take long */
    double gups[SINO_BENCH_REPEATS];           /* voxel updates; every voxel counts for every projection */
    double filter_gpixels[SINO_BENCH_REPEATS]; /* pixels that are weighed, filtered and made lines of */
    double per_flop[SINO_BENCH_REPEATS]; /* updates in the processor time of an FMA: its flops just before and after */
} SinoBenchConeRow;

enum { SINO_BENCH_CONE_ROWS = 2 * 2 * 3 }; /* precisions, symmetries, steps: on one worker, on all, the run */

typedef struct SinoBenchCone {
    const SinoSettings *settings; /* not owned */
    double *angle_rad;            /* owned */
    SinoConeDescription scan;
    SinoBenchMachine machine;
    int row_count;
    SinoBenchConeRow row[SINO_BENCH_CONE_ROWS];
} SinoBenchCone;

/* Data for a plan, and what tasks of it do. */
typedef struct SinoBenchConeGraph SinoBenchConeGraph;
SinoStatus sino_bench_cone_graph_new(SinoBenchCone *bench, const SinoUnitPlan *plan, SinoBenchConeGraph **graph);
void sino_bench_cone_graph_free(SinoBenchConeGraph *graph); /* takes NULL */

/* Each submits tasks and returns when they are done, after *taken. `workers`: one, or all of them.
 *     backproject  `count` times the first block, into every part; `first`: the parts are 0 before
 *     filter       `count` times a piece by each worker; the next one of it must follow sino_bench_cone_fill
 *     run          everything once */
SinoStatus sino_bench_cone_backproject(SinoBenchConeGraph *graph, int64_t workers, int64_t count, bool first,
                                       SinoBenchTime *taken);
SinoStatus sino_bench_cone_fill(SinoBenchConeGraph *graph);
SinoStatus sino_bench_cone_filter(SinoBenchConeGraph *graph, int64_t workers, int64_t count, SinoBenchTime *taken);
SinoStatus sino_bench_cone_run(SinoBenchConeGraph *graph, SinoBenchTime *taken);

/* Voxel updates of a backprojection, and pixels of a filtered piece. */
double sino_bench_cone_updates(const SinoBenchConeGraph *graph);
double sino_bench_cone_pixels(const SinoBenchConeGraph *graph);

/* Of a SinoBenchCone. */
void sino_bench_cone_print(const void *own, FILE *out);
void sino_bench_cone_print_csv(const void *own, FILE *out);
