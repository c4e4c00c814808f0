/* SPDX-License-Identifier: BSD-3-Clause */
/* The tasks of parallel beams, and of the vectors and sums that all beams have. */
#pragma once

#include "assemble.h"
#include "cast.h"
#include "fill.h"
#include "geometry.h"
#include "pack.h"
#include "panel.h"
#include "phantom.h"
#include "pixels.h"
#include "reduce.h"
#include "regroup_cuda.h"
#include "rotate.h"
#include "runtime.h"
#include "spmm.h"
#include "spmm_array.h"
#include "strided.h"

#include <stdbool.h>

/* Inserts assemble, which writes a partition's voxels `x` (voxel vector in panels) into `image`, float[slice][N][N].
 * `first`: the first of the image's partitions. `tiles`: the places of the partition's tiles, for devices; NULL: only
 * cores run the task. */
SinoStatus sino_insert_assemble(SinoRuntime *runtime, SinoPosition position, const SinoAssemble *assemble, bool first,
                                SinoData *tiles, SinoData *x, SinoData *image);

/* Inserts fill, which writes a partition's voxels `x` (voxel vector in panels) from `image`, float[slice][S][S]. */
SinoStatus sino_insert_fill(SinoRuntime *runtime, SinoPosition position, const SinoFill *fill, SinoData *image,
                            SinoData *x);

/* Insert cast_units, cast_narrow and cast_widen (cast.h) on `rows` rows. cast_units finds the units of a vector, i.e.
 * the value that a half of 1 stands for, from the vector's parts one after another; `first` and `last` mark its first
 * and last part. cast_narrow casts a part to halves; cast_widen casts halves back to single. `exponent` e: halves are
 * below 2^e. */
SinoStatus sino_insert_cast_units(SinoRuntime *runtime, SinoPosition position, SinoSlices slices, int64_t rows,
                                  int exponent, bool first, bool last, SinoData *x, SinoData *units);
SinoStatus sino_insert_cast_narrow(SinoRuntime *runtime, SinoPosition position, SinoSlices slices, int64_t rows,
                                   SinoData *x, SinoData *units, SinoData *to);
SinoStatus sino_insert_cast_widen(SinoRuntime *runtime, SinoPosition position, SinoSlices slices, int64_t rows,
                                  SinoData *x, SinoData *units, SinoData *to);

/* Insert tasks that measure a core's peak rates. measure_fma does multiply-adds in registers
 * (sino_machine_multiply_add). measure_read reads all of the data. measure_copy copies the first half to the second.
 * measure_fill writes bytes that are small normal numbers in every precision. `bytes` is the size of the data, a
 * multiple of 8 for measure_read, of 2 for measure_copy. */
SinoStatus sino_insert_measure_fma(SinoRuntime *runtime, SinoPrecision precision, int64_t rounds);
SinoStatus sino_insert_measure_read(SinoRuntime *runtime, int64_t bytes, SinoData *data);
SinoStatus sino_insert_measure_copy(SinoRuntime *runtime, int64_t bytes, SinoData *data);
SinoStatus sino_insert_measure_fill(SinoRuntime *runtime, int64_t bytes, SinoData *data);

/* Task pack: replaces ray numbers in a traced run of tiles by row numbers of the partition's footprint: ray r becomes
 * local[r]. mark: sets run->touched[ray] = 1 for every ray of a run that another process has traced.
 * Task touch: touches reserved memory, so that many cores take its pages from the system at once. */
SinoStatus sino_insert_pack(SinoRuntime *runtime, int64_t partition, const SinoPackRun *run, const uint32_t *local);
SinoStatus sino_insert_mark(SinoRuntime *runtime, int64_t partition, const SinoPackRun *run);

/* `partition` is for labels only. */
SinoStatus sino_insert_touch(SinoRuntime *runtime, int64_t partition, void *memory, int64_t bytes);

/* The detector row `row` of a slab of counts, and its true slice, that a task phantom makes. Counts are dark +
 * gain·photons·beam·exp(−p). Without noise they are exact floats; with noise they are Poisson deviates rounded to
 * uint16. */
typedef struct SinoPhantomRow {
    SinoPhantom phantom;
    SinoGeometry geometry;  /* of a cone beam: angles and columns */
    const SinoCone *cone;   /* not owned, must outlive the task; NULL: the beam is parallel */
    int64_t slice;          /* slice of the phantom, and absolute row of the scan */
    int64_t row, slab_rows; /* row within the slab; rows of the slab */
    int64_t field_count;    /* number of flat fields, and of dark fields */
    double noise;           /* relative standard deviation of an open-beam count */
    uint64_t seed;
    void *counts;        /* uint16_t[K][slab_rows][M]; float without noise */
    void *flats, *darks; /* [field][slab_rows][M], of the type of counts */
    float *truth;        /* [N][N]; NULL: not wanted */
    double truth_scale;  /* of the truth: its value for an attenuation of 1 per voxel */
} SinoPhantomRow;
SinoStatus sino_insert_phantom(SinoRuntime *runtime, const SinoPhantomRow *row);

/* Tasks pixels_project and pixels_back: products of a parallel beam and the pixels of a partition, without a matrix. */

/* What a core takes for a pixel, angle and slice of a minibatch of so many slices, in flops of a product: measured in
 * docs/lab/projectors.md. Four slices share places and weights. */
enum { SINO_PIXELS_SHARING = 4 };
double sino_pixels_flops(SinoPixelWeights weights, int64_t slices);

/* Inserts pixels_project, which adds the rays of the angles of `what`, with lengths as weights. The rays are writable
 * between rays_begin and rays_end; `order`, void data, orders the tasks of the same angles, of which the first clears
 * the rays. */
SinoStatus sino_insert_pixels_project(SinoRuntime *runtime, SinoPosition position, const SinoPixels *what, bool first,
                                      SinoData *pixels, SinoData *scratch, SinoData *order, SinoData *rays);

/* Inserts pixels_back, which adds to the pixels of what->tile; `first`: they are 0 before. The arrays of `what` outlive
 * the task. */
SinoStatus sino_insert_pixels_back(SinoRuntime *runtime, SinoPosition position, const SinoPixels *what, bool first,
                                   SinoData *rays, SinoData *scratch, SinoData *pixels);

/* Tasks rays_begin and rays_end: many tasks write different parts of one vector of rays at the same time.
 *
 * rays_begin, which writes the vector, comes before these tasks, and rays_end after them. In between, the tasks access
 * the vector as if they read it; those that write the same part are ordered by data of their own. All of them run on
 * cores, whose memory the vector stays in. */

/* Number of tasks, at most `most`, that may share a vector of `rows` rows: each has enough to do. */
int64_t sino_useful_parts(SinoSlices slices, int64_t rows, int64_t most);

/* The first row of part i; `rows` for i = part_count. */
int64_t sino_part_first(int64_t rows, int64_t part_count, int64_t i);

/* _begin with `kept`: the tasks also read what the vector had before. */
SinoStatus sino_insert_rays_begin(SinoRuntime *runtime, SinoPosition position, bool kept, SinoData *rays);
SinoStatus sino_insert_rays_end(SinoRuntime *runtime, SinoPosition position, SinoData *rays);

/* In such a task: sets the rays of some angles to 0, of float elements (panel.h). */
void sino_rays_clear(const SinoGeometry *geometry, SinoSlices slices, int64_t first_angle, int64_t angle_count,
                     float *rays);

/* Task reduce: adds partial projections level by level, or spreads totals back. */

/* The levels of the sums of partial projections: over a socket's partitions, over a node's sockets, over all nodes. */
typedef enum SinoReduction { SINO_REDUCE_SOCKET, SINO_REDUCE_NODE, SINO_REDUCE_GLOBAL, SINO_REDUCTIONS } SinoReduction;

/* Partial vectors whose sum is a vector; nothing is owned. */
typedef struct SinoParts {
    int64_t count;         /* 0: there are none */
    const SinoRowMap *map; /* [count]: whole, to the rows of the vector; outlive the tasks */
    SinoData *const *vector;
} SinoParts;

/* Inserts reduce_socket, reduce_node or reduce_global: total += partial on the map's rows; `first` starts the sum.
 * Tasks on one total run in insertion order, so its bits are the same every time. `list`: the map's rows for devices;
 * NULL: cores run the task. */
SinoStatus sino_insert_reduce(SinoRuntime *runtime, SinoReduction level, SinoPosition position, SinoSlices slices,
                              const SinoRowMap *map, SinoData *list, bool first, SinoData *partial, SinoData *total);

/* Inserts the tasks of the same name that add up all partials at once on cores, with the bits of sino_insert_reduce for
 * one partial after another: total = Σ partial. `count` partials with maps that are whole and outlive the tasks; the
 * total's rows are shared among up to `part_count` tasks. */
SinoStatus sino_insert_reduce_all(SinoRuntime *runtime, SinoReduction level, SinoPosition position, SinoSlices slices,
                                  int64_t count, const SinoRowMap *map, SinoData *const *partial, int64_t part_count,
                                  SinoData *total);

/* Inserts spread_global, spread_node or spread_socket: fills the map's rows of `partial` from `total`. `first`: no task
 * has filled rows of it yet. */
SinoStatus sino_insert_spread(SinoRuntime *runtime, SinoReduction level, SinoPosition position, SinoSlices slices,
                              const SinoRowMap *map, SinoData *list, bool first, SinoData *total, SinoData *partial);

/* Tasks regroup_measure and regroup_fill: the lists that devices gather from (regroup.h). */

/* Data with which GPUs make the lists. */
typedef struct SinoRegroupData {
    SinoRegroupShape shape;
    SinoData *block, *table; /* table: sino_regroup_table */
    SinoData *head;          /* head of the lists; NULL while lists are measured */
    SinoData *rays;          /* the footprint's rays; NULL: every ray, in order */
} SinoRegroupData;

/* The visits first … first + count − 1 of one partition and direction. Pointers are not owned. */
typedef struct SinoRegroupPart {
    int64_t partition;
    const SinoRegroup *regroup;
    int64_t first, count;
    const SinoRegroupData *data; /* NULL: only cores run the task */
    int64_t nonzero_count;       /* stored ones of these visits, if they are known; for simulations */
    SinoData *written;           /* if `data` is given: data over the memory of these visits' sizes, or lists */
} SinoRegroupPart;

/* Most bytes of lists that a task on a GPU may write if it reads `input_bytes`; 0: GPUs cannot run the task, or there
 * is no GPU. */
int64_t sino_regroup_gpu_bytes(const SinoRuntime *runtime, const SinoRegroupShape *shape, int64_t input_bytes);

/* Insert regroup_measure and regroup_fill (regroup.h). regroup_measure finds the sizes of the visits; `size` points to
 * the size of the first. regroup_fill writes the visits; `lists` points to the lists as a whole, with their tables.
 * Both are in main memory. */
SinoStatus sino_insert_regroup_measure(SinoRuntime *runtime, const SinoRegroupPart *part, SinoRegroupSize *size);
SinoStatus sino_insert_regroup_fill(SinoRuntime *runtime, const SinoRegroupPart *part, void *lists);

/* Tasks rotate_project and rotate_back: products of a parallel beam's A and Aᵀ with a partition, without a matrix. */

/* Of a product's angles, and of a partition's tiles. NULL, all of them: cores compute. Nothing is owned. */
typedef struct SinoRotateData {
    SinoData *turn, *number, *tile;
} SinoRotateData;

/* Bytes of the tables of the geometry's angles and of tile_count tiles. */
typedef struct SinoRotateDataBytes {
    int64_t turn, number, tile;
} SinoRotateDataBytes;
SinoRotateDataBytes sino_rotate_data_bytes(const SinoGeometry *geometry, int64_t tile_count);

/* Make tables, which the caller frees with sino_data_free. *tile becomes NULL if there are no tiles. */
SinoStatus sino_rotate_data_angles(SinoRuntime *runtime, const SinoGeometry *geometry, SinoData **turn);
SinoStatus sino_rotate_data_tiles(SinoRuntime *runtime, const SinoRotate *what, SinoData **number, SinoData **tile);

/* What a core takes to turn samples for `slices` slices, in flops of a product with lengths of rays
 * (docs/lab/projectors.md). A slice has a sample for each voxel and angle. */
double sino_rotate_effort(SinoInterpolation interpolation, double samples, int64_t slices);

/* Inserts rotate_project between rays_begin and rays_end, on cores: adds what->tile's part of A x to
 * the rays of what's angles in `rays`, which has all rays of what->geometry. `first` of the partitions: these rays
 * become 0 before. `order`: void data that all tasks of these angles write. The arrays of `what` outlive the task. */
SinoStatus sino_insert_rotate_project(SinoRuntime *runtime, SinoPosition position, const SinoRotate *what, bool first,
                                      SinoData *voxels, SinoData *scratch, SinoData *order, SinoData *rays);

/* The same for all angles of `rays` by one task, on a core or a device. */
SinoStatus sino_insert_rotate_project_all(SinoRuntime *runtime, SinoPosition position, const SinoRotate *what,
                                          bool first, const SinoRotateData *tables, SinoData *voxels, SinoData *scratch,
                                          SinoData *rays);

/* Inserts rotate_back, which writes Aᵀ y of what's angles to the partition. */
SinoStatus sino_insert_rotate_back(SinoRuntime *runtime, SinoPosition position, const SinoRotate *what,
                                   const SinoRotateData *tables, SinoData *rays, SinoData *scratch, SinoData *voxels);

/* Tasks spmm_project and spmm_backproject: products of a partition's block of A (spmm.h). */

/* Of a product that passes its rays on by itself, so that they never leave the device: the sum to which spmm_project
 * adds them, with the bits of sino_insert_reduce, or from which spmm_backproject takes them. The product's y is then
 * scratch memory. */
typedef struct SinoSpmmSum {
    SinoData *total; /* NULL: there is none */
    SinoData *list;  /* the map's rows in a device's memory; NULL: there are none */
    SinoRowMap map;
    SinoSlices slices;
    bool first; /* of the tasks that add to the total */
} SinoSpmmSum;

/* Operands of spmm_project (y = A x) and spmm_backproject (x = Aᵀ y) of one partition and minibatch. Types of the
 * vectors: spmm.h. */
typedef struct SinoSpmm {
    int64_t stride;
    double work;  /* 2·nonzeros·stride */
    double flops; /* 2·nonzeros·slices */
    int64_t slice_count;
    SinoPrecision precision;
    SinoData *block;
    bool has_lists;    /* `block` has gather lists (block_data.h), so devices can run the task; false: only cores can */
    SinoData *scratch; /* of sino_spmm_scratch_bytes bytes */
    SinoSpmmRows
        rows;        /* backprojection reads the footprint's rows of a longer y, on cores; row NULL: y has them only */
    SinoData *units; /* SinoCastUnits of the vector that is read, if its elements are halves; else NULL */
    SinoSpmmSum sum;
} SinoSpmm;

/* Speed of products of F slices relative to a panel of 16 or more, for which each length of A is read once for all
 * slices. */
double sino_spmm_efficiency(int64_t slices);

SinoStatus sino_insert_spmm_project(SinoRuntime *runtime, SinoPosition position, const SinoSpmm *spmm, SinoData *x,
                                    SinoData *y);
SinoStatus sino_insert_spmm_backproject(SinoRuntime *runtime, SinoPosition position, const SinoSpmm *spmm, SinoData *y,
                                        SinoData *x);

/* Insert take_tiles, take_rays, give_tiles and give_rays, from the arrays of a caller to vectors, and back (strided.h).
 * A task that takes rays from a first row above 0 on keeps what tasks before have put into the vector; several that
 * take rays at the same time are between rays_begin and rays_end (`shared`). The arrays are no data of StarPU: the
 * caller waits for the tasks before it touches them. A value that is NaN or infinite ends the run with SINO_BAD_INPUT;
 * `what` names the array in the text, and `first` is the number of its first slice there. */
typedef struct SinoTake {
    const char *what; /* constant */
    int64_t first;
} SinoTake;
SinoStatus sino_take_check(bool finite, SinoTake take, SinoSlices slices);
SinoStatus sino_insert_take_tiles(SinoRuntime *runtime, SinoPosition position, SinoTake take,
                                  const SinoStridedTiles *tiles, SinoData *x);
SinoStatus sino_insert_take_rays(SinoRuntime *runtime, SinoPosition position, SinoTake take,
                                 const SinoStridedRays *rays, bool shared, SinoData *y);
SinoStatus sino_insert_give_tiles(SinoRuntime *runtime, SinoPosition position, const SinoStridedTiles *tiles,
                                  SinoData *x);
SinoStatus sino_insert_give_rays(SinoRuntime *runtime, SinoPosition position, const SinoStridedRays *rays, SinoData *y);

/* Inserts give_sums: the rays are the sums of `parts`. scratch: sino_give_sums_bytes, of each worker. On cores. */
int64_t sino_give_sums_bytes(SinoSlices slices, int64_t column_count);
SinoStatus sino_insert_give_sums(SinoRuntime *runtime, SinoPosition position, const SinoStridedRays *rays,
                                 const SinoParts *parts, SinoData *scratch);

/* Task spmm_array: one partition's block of A times the array of a caller, in single or double, on cores. */

/* The images of a product, in place of its voxel vectors. */
typedef struct SinoImages {
    SinoStrided array; /* from the product's first slice on */
    SinoTake take;     /* of projections */
    SinoData *copies;  /* scratch memory of each worker: sino_images_copies_bytes */
} SinoImages;
int64_t sino_images_copies_bytes(SinoSlices slices);

/* Operands beside those of SinoSpmm. */
typedef struct SinoSpmmArray {
    const SinoImages *images;
    SinoSlices slices;
    int64_t grid_size, tile_count;
    const SinoTilePlace *tile; /* of the partition; not owned */
} SinoSpmmArray;

/* Insert y = A·images and images = Aᵀ y; rows of `spmm` as there. Errors as of sino_insert_take_tiles. */
SinoStatus sino_insert_spmm_project_array(SinoRuntime *runtime, SinoPosition position, const SinoSpmm *spmm,
                                          const SinoSpmmArray *array, SinoData *y);
SinoStatus sino_insert_spmm_backproject_array(SinoRuntime *runtime, SinoPosition position, const SinoSpmm *spmm,
                                              SinoData *y, const SinoSpmmArray *array);

/* What a core takes to trace a stored nonzero, in flops of a product (docs/lab/kernels.md). */
enum { SINO_TRACE_FLOPS = 1200 };

/* trace traces a run of tiles into its block in one pass, on a core. trace_measure and trace_fill do the same in two
 * passes, which GPUs can run (trace_sections.h): trace_measure finds the sizes of the run's sections; trace_fill writes
 * the sections to `bytes`, data over the run's place in the block. trace_mark sets touched[ray] = 1 for every ray of
 * such a run, which has `size` bytes. */
typedef struct SinoTraceTables {
    const SinoLayout *layout;
    int64_t section_count;
    SinoData *angles;   /* SinoTraceAngle[angle] */
    SinoData *sections; /* SinoTraceSection[section_count] */
    SinoData *sizes;    /* SinoTraceSize[section_count + 1] */
} SinoTraceTables;
SinoStatus sino_insert_trace(SinoRuntime *runtime, int64_t partition, SinoPackRun *run);
SinoStatus sino_insert_trace_measure(SinoRuntime *runtime, int64_t partition, const SinoTraceTables *tables);
SinoStatus sino_insert_trace_fill(SinoRuntime *runtime, int64_t partition, const SinoTraceTables *tables,
                                  SinoData *bytes);
SinoStatus sino_insert_trace_mark(SinoRuntime *runtime, int64_t partition, SinoPrecision precision, int64_t size,
                                  SinoData *bytes, uint8_t *touched);
