/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks: every kind of task of the graphs, named as in a trace. Inserting one submits it; it runs when its data are
 * ready.
 *
 * Structures passed by pointer inside the arguments (scan, footprint, filter, volume …) are not owned and outlive the
 * tasks. Ray vectors have a row per ray, voxel vectors one per voxel; both lie in panels (panel.h). */
#ifndef SINO_TASKS_H
#define SINO_TASKS_H

#include "assemble.h"
#include "cast.h"
#include "center.h"
#include "correct.h"
#include "filter.h"
#include "machine.h"
#include "operator_file.h"
#include "output_file.h"
#include "pack.h"
#include "phantom.h"
#include "picture.h"
#include "reduce.h"
#include "regroup_cuda.h"
#include "roofline.h"
#include "runtime.h"
#include "scan.h"
#include "settings.h"
#include "spmm.h"
#include "tiff_image.h"
#include "trace.h"
#include "update.h"
#include "volume.h"

/* Angles of a scan that follow each other. */
typedef struct SinoAngleRun {
    int64_t first, count;
} SinoAngleRun;

/* load: a slab's counts[angle][row][column], of the angles of all runs, and its mean or median flat and dark
 * field[row][column]. `io` orders all tasks that call HDF5. */
typedef struct SinoLoad {
    SinoScan *scan;
    SinoScanBox box;
    int64_t run_count;
    const SinoAngleRun *run; /* not owned */
    SinoFlatCorrection flat_correction;
} SinoLoad;
SinoStatus sino_insert_load(SinoRuntime *runtime, SinoPosition position, const SinoLoad *load, SinoData *io,
                            SinoData *counts, SinoData *flat, SinoData *dark);

/* correct: counts to the line integrals of one minibatch. */
typedef struct SinoCorrect {
    SinoCorrection correction;
    SinoData *counts, *flat, *dark;
    SinoData *sinogram, *repaired; /* repaired: int64[slice] */
    SinoData *places, *scratch;    /* for GPUs: the correction's places, and sino_correct_scratch; NULL: cores do it */
} SinoCorrect;
SinoStatus sino_insert_correct(SinoRuntime *runtime, SinoPosition position, const SinoCorrect *correct);
SinoStatus sino_correct_scratch(SinoRuntime *runtime, const SinoCorrection *correction, SinoData **scratch);

/* A filter's plans, for minibatches of so many angles and slices with padding; on GPUs, too, where they compute. Filter
 * and weights are not owned. SINO_FAILED: a GPU has no memory for its plan. */
typedef struct SinoFilterPlans SinoFilterPlans;
SinoStatus sino_filter_plans_new(SinoRuntime *runtime, const SinoFilter *filter, int64_t angle_count, int64_t stride,
                                 const double *angle_weight, SinoFilterPlans **plans);
void sino_filter_plans_free(SinoFilterPlans *plans); /* takes NULL; no task may use them any more */

/* filter: the ramp filter on a minibatch's line integrals, in place. */
SinoStatus sino_insert_filter(SinoPosition position, const SinoFilterPlans *plans, SinoSlices slices,
                              SinoData *sinogram);

/* center: Vo's metric of some candidates. */
SinoStatus sino_insert_center(SinoRuntime *runtime, const SinoCenterVo *vo, int64_t candidate_count,
                              const double *candidate, double *metric);

/* trace: a run of tiles, into its block. trace_measure, trace_fill: the same in two passes (trace_sections.h), which
 * GPUs can do: sizes of a run's sections, and what they hold to `bytes`, data over their place in the block.
 * trace_mark: touched[ray] = 1 for every ray of such a run of so many bytes. pack: afterwards a run's rays r become
 * local[r]. */
typedef struct SinoTraceTables {
    const SinoLayout *layout;
    int64_t section_count;
    SinoData *angles;   /* SinoTraceAngle of each angle */
    SinoData *sections; /* SinoTraceSection[section_count] */
    SinoData *sizes;    /* SinoTraceSize[section_count + 1] */
} SinoTraceTables;
SinoStatus sino_insert_trace(SinoRuntime *runtime, int64_t partition, SinoPackRun *run);
SinoStatus sino_insert_trace_measure(SinoRuntime *runtime, int64_t partition, const SinoTraceTables *tables);
SinoStatus sino_insert_trace_fill(SinoRuntime *runtime, int64_t partition, const SinoTraceTables *tables,
                                  SinoData *bytes);
SinoStatus sino_insert_trace_mark(SinoRuntime *runtime, int64_t partition, SinoPrecision precision, int64_t size,
                                  SinoData *bytes, uint8_t *touched);
SinoStatus sino_insert_pack(SinoRuntime *runtime, int64_t partition, const SinoPackRun *run, const uint32_t *local);

/* touch: memory that was reserved gets its pages. */
SinoStatus sino_insert_touch(SinoRuntime *runtime, int64_t partition, void *memory, int64_t bytes);

/* What GPUs need to make lists. */
typedef struct SinoRegroupData {
    SinoRegroupShape shape;
    SinoData *block, *table; /* table: sino_regroup_table */
    SinoData *head;          /* of the lists; NULL: they are measured */
    SinoData *rays;          /* the footprint's; NULL: every ray, in order */
} SinoRegroupData;

/* Some visits, first … first + count − 1. */
typedef struct SinoRegroupPart {
    int64_t partition;
    const SinoRegroup *regroup;
    int64_t first, count;
    const SinoRegroupData *data; /* NULL: the task is for cores */
    SinoData *written;           /* with data: over the sizes, or the lists, of these visits */
} SinoRegroupPart;

/* The most bytes of lists for a task on a GPU that reads `input_bytes`; 0: GPUs cannot, or there is none. */
int64_t sino_regroup_gpu_bytes(const SinoRuntime *runtime, const SinoRegroupShape *shape, int64_t input_bytes);

/* regroup_measure: the sizes of some visits of the lists that devices gather from (regroup.h); `size` is the first
 * one's. regroup_fill: the visits themselves; `lists` are all of the lists, with their tables. Both are in main memory.
 */
SinoStatus sino_insert_regroup_measure(SinoRuntime *runtime, const SinoRegroupPart *part, SinoRegroupSize *size);
SinoStatus sino_insert_regroup_fill(SinoRuntime *runtime, const SinoRegroupPart *part, void *lists);

/* fill: a partition's block, into a window. */
typedef struct SinoFill {
    SinoPackBlock pack;
    SinoBlockHeader *header; /* gets a copy of the block's; NULL: not wanted */
    const void *kept;        /* the block in a mapped file; NULL: it is traced */
} SinoFill;
SinoStatus sino_insert_fill(SinoRuntime *runtime, SinoPosition position, const SinoFill *fill, SinoData *window);

/* spmm_project: y = A x of one partition. spmm_backproject: x = Aᵀ y. Types of the vectors: spmm.h. */
typedef struct SinoSpmm {
    int64_t stride;
    double work; /* 2·nonzeros·slices */
    SinoData *block;
    bool has_lists;    /* the block is of block_data.h, and devices can have it; else only cores */
    SinoData *scratch; /* sino_spmm_scratch_bytes */
    SinoData *units;   /* SinoUnits of the vector that is read, when it is half; NULL: it is not */
} SinoSpmm;
SinoStatus sino_insert_spmm_project(SinoRuntime *runtime, SinoPosition position, const SinoSpmm *spmm, SinoData *x,
                                    SinoData *y);
SinoStatus sino_insert_spmm_backproject(SinoRuntime *runtime, SinoPosition position, const SinoSpmm *spmm, SinoData *y,
                                        SinoData *x);

/* cast_units: what halves of a vector will stand for, looked at part by part (cast.h). cast_narrow: a part to halves;
 * cast_widen: back to single. */
SinoStatus sino_insert_cast_units(SinoRuntime *runtime, SinoPosition position, SinoSlices slices, int64_t rows,
                                  int exponent, bool first, bool last, SinoData *x, SinoData *units);
SinoStatus sino_insert_cast_narrow(SinoRuntime *runtime, SinoPosition position, SinoSlices slices, int64_t rows,
                                   SinoData *x, SinoData *units, SinoData *to);
SinoStatus sino_insert_cast_widen(SinoRuntime *runtime, SinoPosition position, SinoSlices slices, int64_t rows,
                                  SinoData *x, SinoData *units, SinoData *to);

/* Where partial sums of projections meet: those of a socket's partitions, of a node's sockets, of all nodes. */
typedef enum SinoReduction { SINO_REDUCE_SOCKET, SINO_REDUCE_NODE, SINO_REDUCE_GLOBAL, SINO_REDUCTIONS } SinoReduction;

/* reduce_socket, reduce_node, reduce_global: total += partial on the map's rows; `first` starts the sum. In insertion
 * order, so the same every time. `list`: the map's rows for devices; NULL: cores do it. */
SinoStatus sino_insert_reduce(SinoRuntime *runtime, SinoReduction level, SinoPosition position, SinoSlices slices,
                              const SinoRowMap *map, SinoData *list, bool first, SinoData *partial, SinoData *total);

/* spread_global, spread_node, spread_socket: the map's rows of a partial from the total. */
SinoStatus sino_insert_spread(SinoRuntime *runtime, SinoReduction level, SinoPosition position, SinoSlices slices,
                              const SinoRowMap *map, SinoData *list, SinoData *total, SinoData *partial);

/* What a vector adds up to. update_sums: one part of it, with its products along w unless that is NULL; update_collect:
 * the sums of another process's part. sums, total: SinoSliceSums[slice]; `first` starts them. */
SinoStatus sino_insert_update_sums(SinoRuntime *runtime, SinoPosition position, SinoSlices slices, int64_t rows,
                                   SinoData *v, SinoData *w, bool first, SinoData *sums);
SinoStatus sino_insert_update_collect(SinoRuntime *runtime, SinoPosition position, SinoSlices slices, SinoData *part,
                                      bool first, SinoData *total);

/* update_start: iteration 0 of a solver from x = 0, from the sums of r = b. state: SinoSliceState[slice]; history:
 * double[slice][columns]. */
typedef struct SinoIteration {
    int64_t columns;   /* of the history: iterations + 1 */
    int64_t iteration; /* 0 … columns − 1 */
    double tolerance;
} SinoIteration;
SinoStatus sino_insert_update_start(SinoRuntime *runtime, SinoPosition position, SinoSlices slices,
                                    SinoIteration iteration, SinoData *sums, SinoData *state, SinoData *history);

/* update_step: CG's step lengths from the sums of q = A d along r. update_residual: after a projection, CG's new r, or
 * SIRT's weighted residual (w holds A x, then R(b − A x); `first`: x = 0), and its sums. update_record: these into the
 * history; active: int64, the slices that go on. update_direction: CG's beta from the sums of g along g0. */
SinoStatus sino_insert_update_step(SinoRuntime *runtime, SinoPosition position, SinoSlices slices, SinoData *sums,
                                   SinoData *state);
SinoStatus sino_insert_update_residual_cg(SinoRuntime *runtime, SinoPosition position, SinoSlices slices,
                                          int64_t ray_count, SinoData *q, SinoData *state, SinoData *r, SinoData *sums);
SinoStatus sino_insert_update_residual_sirt(SinoRuntime *runtime, SinoPosition position, SinoSlices slices,
                                            int64_t ray_count, SinoData *b, SinoData *row_weight, bool first,
                                            SinoData *w, SinoData *sums);
SinoStatus sino_insert_update_record(SinoRuntime *runtime, SinoPosition position, SinoSlices slices,
                                     SinoIteration iteration, SinoData *sums, SinoData *state, SinoData *history,
                                     SinoData *active);
SinoStatus sino_insert_update_direction(SinoRuntime *runtime, SinoPosition position, SinoSlices slices, SinoData *sums,
                                        bool first, SinoData *state);

/* update_voxels: after a backprojection, CG's new x and direction, or SIRT's new x. `first`: from x = 0. */
SinoStatus sino_insert_update_voxels_cg(SinoRuntime *runtime, SinoPosition position, SinoSlices slices,
                                        int64_t voxel_count, bool first, SinoData *g, SinoData *state, SinoData *g0,
                                        SinoData *d, SinoData *x);
SinoStatus sino_insert_update_voxels_sirt(SinoRuntime *runtime, SinoPosition position, SinoSlices slices,
                                          int64_t voxel_count, double relaxation, bool nonnegativity, bool first,
                                          SinoData *g, SinoData *column_weight, SinoData *state, SinoData *x);

/* weights: SIRT's 1/(row sums) or 1/(column sums), in place; and the vector of ones they are made from. */
SinoStatus sino_insert_weights_ones(SinoRuntime *runtime, SinoPrecision precision, int64_t count, SinoData *vector);
SinoStatus sino_insert_weights_reciprocal(SinoRuntime *runtime, SinoPrecision precision, int64_t count,
                                          SinoData *vector);

/* assemble: one partition's voxels into a minibatch's images; `first` of its partitions. `tiles`: the places of the
 * partition's tiles, for devices; NULL: only cores do it. */
SinoStatus sino_insert_assemble(SinoRuntime *runtime, SinoPosition position, const SinoAssemble *assemble, bool first,
                                SinoData *tiles, SinoData *x, SinoData *image);

/* sample: the line integrals of one slice of a minibatch, for a picture, at the angles of its sinogram. */
typedef struct SinoSample {
    int64_t slice, column_count;
    int64_t run_count;
    const SinoAngleRun *run; /* angles of the scan; not owned */
    const int64_t *place;    /* of each of them in the sinogram; not owned */
    float *to;               /* float[K·M], in the order of the scan */
} SinoSample;
SinoStatus sino_insert_sample(SinoRuntime *runtime, SinoPosition position, SinoSlices slices, const SinoSample *sample,
                              SinoData *sinogram);

/* store: a minibatch's image to the volume, its history and repair counts to the arrays of the run. Of the processes
 * that share a minibatch one keeps its image; the others (keeper false) have repair counts of their own angles. */
typedef struct SinoStore {
    bool keeper;
    SinoVolume *volume; /* NULL: only the picture is wanted */
    int64_t first_slice, slice_count;
    int64_t columns;       /* of the history */
    double *residuals;     /* run's [slices][columns] */
    int64_t *repaired;     /* run's [slices] */
    int64_t picture_slice; /* the slice that is copied to `picture` when it is among these */
    int64_t pixel_count;   /* N² */
    float *picture;        /* NULL: none */
} SinoStore;
SinoStatus sino_insert_store(SinoRuntime *runtime, SinoPosition position, const SinoStore *store, SinoData *io,
                             SinoData *image, SinoData *history, SinoData *repaired);

/* checksum: of a whole file, as sino_checksum_file. */
SinoStatus sino_insert_checksum(SinoRuntime *runtime, const char *path, char *digits);

/* phantom: row `row` of a slab of counts, and of its true slice. Counts are dark + gain·photons·beam·exp(−p); without
 * noise they are exact floats, else Poisson deviates rounded to uint16. */
typedef struct SinoPhantomRow {
    SinoPhantom phantom;
    SinoGeometry geometry;
    int64_t slice;          /* of the phantom, and absolute row of the scan */
    int64_t row, slab_rows; /* within the slab */
    int64_t field_count;    /* flats, and as many darks */
    double noise;           /* relative standard deviation of an open-beam count */
    uint64_t seed;
    void *counts;        /* [K][slab_rows][M] of uint16, float without noise */
    void *flats, *darks; /* [field][slab_rows][M] */
    float *truth;        /* [N][N]; NULL: not wanted */
} SinoPhantomRow;
SinoStatus sino_insert_phantom(SinoRuntime *runtime, const SinoPhantomRow *row);

/* measure_fma: multiply-adds in registers, as sino_machine_multiply_add. measure_read: reads all of the data, whose
 * bytes are a multiple of 8. measure_fill: bytes that are small normal numbers in every precision. */
SinoStatus sino_insert_measure_fma(SinoRuntime *runtime, SinoPrecision precision, int64_t rounds);
SinoStatus sino_insert_measure_read(SinoRuntime *runtime, int64_t bytes, SinoData *data);
SinoStatus sino_insert_measure_fill(SinoRuntime *runtime, int64_t bytes, SinoData *data);

#endif
