/* SPDX-License-Identifier: BSD-3-Clause */
/* Bench, graph of cone beams: the tasks of cone_reconstruction.c without files; a fill of memory stands for the load of
 * a piece. Voxels and projections are numbers without meaning: the time of no task depends on them. */
#include "bench_cone.h"
#include "cone_tasks.h"
#include "fourier_tasks.h"
#include "memory.h"
#include "rays_tasks.h"
#include "stages_tasks.h"

#include <stdlib.h>

enum { BLOCK_SETS_MAX = 4, IMAGE_SETS_MAX = 64 };

struct SinoBenchConeGraph {
    SinoBenchMachine *machine;
    const SinoCone *cone;
    SinoConeStreaming streaming;
    SinoSpan share;                                     /* all voxels */
    SinoSlices rows;                                    /* of a piece: all rows of the detector that see voxels */
    int64_t first_row;                                  /* of the detector */
    int64_t sinogram_bytes, piece_bytes;                /* of a piece with most projections */
    int64_t chunks, bands;                              /* parts: [chunk][band] */
    double *angle_rad;                                  /* [block][SINO_BLOCK_PROJECTIONS]; owned */
    float *ray_weight;                                  /* [SINO_PIECE_PROJECTIONS][column]: 1; owned */
    double gain[SINO_PIECE_PROJECTIONS];                /* of the filter */
    SinoConeLines lines[2];                             /* of all blocks but the last; of the last */
    SinoFilter *filter;                                 /* owned, as all that follows */
    SinoFilterPlans *plans[SINO_PIECE_PROJECTIONS + 1]; /* [projections of a piece]; NULL: no piece has as many */
    int64_t set_count;                                  /* of sinograms: the plan's, and one for each worker */
    SinoData **sinogram;                                /* [set_count] */
    SinoData **piece;                                   /* [worker]: lines of its own */
    SinoData *block[BLOCK_SETS_MAX][SINO_BLOCK_PIECES];
    SinoData **part;
    SinoData *image[IMAGE_SETS_MAX];
    SinoData *pack_scratch, *scratch;
};

/* ---- data ---- */

static int64_t pieces_of(const SinoBenchConeGraph *graph, int64_t block)
{
    return sino_cone_piece_count(graph->cone, &graph->streaming, block);
}

static SinoSpan angles_of(const SinoBenchConeGraph *graph, int64_t block, int64_t piece)
{
    return sino_cone_piece(graph->cone, &graph->streaming, block, piece);
}

static int64_t blocks_of(const SinoBenchConeGraph *graph)
{
    return sino_cone_block_count(graph->cone, &graph->streaming);
}

/* The filter's gain is 1 at most with a weight of 2, so that rows filtered over and over neither grow nor vanish soon.
 */
static SinoStatus new_filter(SinoBenchConeGraph *graph)
{
    for (int k = 0; k < SINO_PIECE_PROJECTIONS; k++) graph->gain[k] = 2;
    SINO_TRY(sino_filter_new(graph->cone->column_count, SINO_WINDOW_NONE, SINO_SINGLE, &graph->filter));
    for (int64_t b = 0; b < blocks_of(graph); b++)
        for (int64_t p = 0; p < pieces_of(graph, b); p++) {
            const int64_t count = angles_of(graph, b, p).count;
            if (graph->plans[count]) continue;
            SINO_TRY(sino_filter_plans_new(graph->machine->runtime, graph->filter, count, graph->rows.stride,
                                           graph->gain, &graph->plans[count]));
        }
    return NULL;
}

static SinoStatus new_numbers(SinoBenchConeGraph *graph)
{
    const int64_t blocks = blocks_of(graph), weights = sino_times(SINO_PIECE_PROJECTIONS, graph->cone->column_count);
    const int64_t angles = sino_times(blocks, SINO_BLOCK_PROJECTIONS);
    int64_t last = 0;
    SINO_TRY(sino_allocate(angles, sizeof *graph->angle_rad, "angles", &graph->angle_rad));
    SINO_TRY(sino_allocate(weights, sizeof *graph->ray_weight, "weights of rays", &graph->ray_weight));
    for (int64_t i = 0; i < weights; i++) graph->ray_weight[i] = 1;
    for (int64_t b = 0; b < blocks; b++) {
        last = 0;
        for (int64_t p = 0; p < pieces_of(graph, b); p++) {
            const SinoSpan span = angles_of(graph, b, p);
            for (int64_t k = 0; k < span.count; k++)
                graph->angle_rad[b * SINO_BLOCK_PROJECTIONS + last++] = graph->cone->angle_rad[span.first + k];
        }
    }
    graph->lines[0] = graph->lines[1] = sino_cone_share_lines(graph->cone, &graph->streaming, graph->share);
    graph->lines[1].group_count = last / graph->streaming.symmetry.turns;
    return NULL;
}

static SinoStatus new_pieces(SinoBenchConeGraph *graph)
{
    SinoRuntime *runtime = graph->machine->runtime;
    const int64_t workers = graph->machine->worker_count, most = angles_of(graph, 0, 0).count;
    const int64_t rays = sino_times(SINO_PIECE_PROJECTIONS, graph->cone->column_count);
    graph->sinogram_bytes = sino_times(rays, sino_times(graph->rows.stride, (int64_t)sizeof(float)));
    graph->piece_bytes = sino_lines_bytes(graph->lines, most);
    graph->set_count = sino_larger(workers, graph->streaming.piece_sets);
    SINO_TRY(sino_allocate(graph->set_count, sizeof(SinoData *), "sinograms", &graph->sinogram));
    SINO_TRY(sino_allocate(workers, sizeof(SinoData *), "lines", &graph->piece));
    for (int64_t i = 0; i < graph->set_count; i++)
        SINO_TRY(sino_data_new(runtime, "sinogram", graph->sinogram_bytes, &graph->sinogram[i]));
    for (int64_t w = 0; w < workers; w++)
        SINO_TRY(sino_data_new(runtime, "lines", graph->piece_bytes, &graph->piece[w]));
    for (int64_t i = 0; i < graph->streaming.block_sets; i++)
        for (int64_t p = 0; p < pieces_of(graph, 0); p++)
            SINO_TRY(sino_data_new(runtime, "lines", graph->piece_bytes, &graph->block[i][p]));
    return NULL;
}

static SinoConePart part_of(const SinoBenchConeGraph *graph, int64_t part)
{
    return sino_cone_part(graph->cone, &graph->streaming, graph->share, part / graph->bands, part % graph->bands);
}

static SinoStatus new_volume(SinoBenchConeGraph *graph)
{
    SinoRuntime *runtime = graph->machine->runtime;
    const SinoConeStreaming *plan = &graph->streaming;
    const int64_t pixels = sino_times(graph->cone->y_count, graph->cone->x_count);
    const SinoConePacking packing = {.lines = graph->lines, .rows = graph->rows};
    SINO_TRY(sino_allocate(sino_times(graph->chunks, graph->bands), sizeof(SinoData *), "parts", &graph->part));
    for (int64_t i = 0; i < graph->chunks * graph->bands; i++) {
        const SinoConePart part = part_of(graph, i);
        SINO_TRY(sino_data_vector(runtime, "part", sino_cone_part_voxels(&part, plan->symmetry), 1, sizeof(float),
                                  &graph->part[i]));
    }
    for (int64_t i = 0; i < plan->image_sets; i++)
        SINO_TRY(sino_data_vector(runtime, "image", plan->image_slices, pixels, sizeof(float), &graph->image[i]));
    SINO_TRY(sino_data_scratch(runtime, "lines scratch", sino_cone_pack_scratch_bytes(&packing), &graph->pack_scratch));
    return sino_data_scratch(runtime, "backproject scratch", sino_cone_scratch_bytes(graph->lines), &graph->scratch);
}

static SinoStatus new_data(SinoBenchConeGraph *graph)
{
    const SinoSpan rows = sino_cone_rows(graph->cone, (SinoSpan){0, graph->cone->z_count});
    graph->share = sino_cone_share(graph->cone, &graph->streaming, 0, 0);
    graph->first_row = rows.first;
    graph->rows = (SinoSlices){SINO_SINGLE, sino_panel_stride(SINO_SINGLE, rows.count), rows.count};
    graph->chunks = sino_cone_chunk_count(&graph->streaming, graph->share);
    graph->bands = sino_cone_band_count(graph->cone, &graph->streaming);
    SINO_TRY(new_numbers(graph));
    SINO_TRY(new_filter(graph));
    SINO_TRY(new_pieces(graph));
    return new_volume(graph);
}

SinoStatus sino_bench_cone_graph_new(SinoBenchCone *bench, const SinoUnitPlan *plan, SinoBenchConeGraph **result)
{
    SinoBenchConeGraph *graph;
    SINO_TRY(sino_allocate(1, sizeof *graph, "the graph", &graph));
    graph->machine = &bench->machine;
    graph->cone = &bench->scan.cone;
    graph->streaming = plan->streaming;
    SINO_GIVE(new_data(graph), graph, sino_bench_cone_graph_free, result);
}

void sino_bench_cone_graph_free(SinoBenchConeGraph *graph)
{
    if (!graph) return;
    sino_data_free_each(graph->sinogram, graph->set_count);
    sino_data_free_each(graph->piece, graph->machine->worker_count);
    for (int i = 0; i < BLOCK_SETS_MAX * SINO_BLOCK_PIECES; i++)
        sino_data_free(graph->block[i / SINO_BLOCK_PIECES][i % SINO_BLOCK_PIECES]);
    sino_data_free_each(graph->part, graph->chunks * graph->bands);
    for (int i = 0; i < IMAGE_SETS_MAX; i++) sino_data_free(graph->image[i]);
    sino_data_free(graph->pack_scratch);
    sino_data_free(graph->scratch);
    for (int i = 0; i <= SINO_PIECE_PROJECTIONS; i++) sino_filter_plans_free(graph->plans[i]);
    sino_filter_free(graph->filter);
    free(graph->angle_rad);
    free(graph->ray_weight);
    free(graph);
}

double sino_bench_cone_updates(const SinoBenchConeGraph *graph)
{
    const SinoCone *cone = graph->cone;
    return (double)cone->x_count * (double)cone->y_count * (double)cone->z_count *
           (double)sino_cone_projections(&graph->lines[blocks_of(graph) == 1]);
}

double sino_bench_cone_pixels(const SinoBenchConeGraph *graph)
{
    return (double)angles_of(graph, 0, 0).count * (double)graph->cone->column_count * (double)graph->rows.slice_count;
}

/* ---- tasks ---- */

/* Makes lines of a piece. */
static SinoStatus insert_piece(SinoBenchConeGraph *graph, SinoSpan angles, SinoData *sinogram, SinoData *piece)
{
    SinoRuntime *runtime = graph->machine->runtime;
    const SinoWeigh weigh = {.cone = graph->cone,
                             .angle_count = angles.count,
                             .rows = graph->rows,
                             .first_row = graph->first_row,
                             .ray_weight = graph->ray_weight};
    const SinoConePacking packing = {.cone = graph->cone,
                                     .lines = graph->lines,
                                     .rows = graph->rows,
                                     .first_row = graph->first_row,
                                     .angle_count = angles.count};
    SINO_TRY(sino_insert_weigh(runtime, SINO_NOWHERE, &weigh, sinogram, sinogram));
    SINO_TRY(sino_insert_filter(SINO_NOWHERE, graph->plans[angles.count], graph->rows, sinogram));
    return sino_insert_lines(runtime, SINO_NOWHERE, &packing, sinogram, graph->pack_scratch, piece);
}

/* Makes the lines of a block, from numbers. */
static SinoStatus insert_block(SinoBenchConeGraph *graph, int64_t block, int64_t *begun)
{
    SinoData **lines = graph->block[block % graph->streaming.block_sets];
    for (int64_t p = 0; p < pieces_of(graph, block); p++) {
        SinoData *sinogram = graph->sinogram[(*begun)++ % graph->streaming.piece_sets];
        SINO_TRY(sino_insert_measure_fill(graph->machine->runtime, graph->sinogram_bytes, sinogram));
        SINO_TRY(insert_piece(graph, angles_of(graph, block, p), sinogram, lines[p]));
    }
    return NULL;
}

static SinoStatus insert_backprojection(SinoBenchConeGraph *graph, int64_t block, int64_t part, bool first)
{
    const SinoBackprojectCone what = {.cone = graph->cone,
                                      .lines = &graph->lines[block + 1 == blocks_of(graph)],
                                      .part = part_of(graph, part),
                                      .angle_rad = graph->angle_rad + block * SINO_BLOCK_PROJECTIONS,
                                      .piece_projections = angles_of(graph, block, 0).count,
                                      .first = first};
    return sino_insert_backproject_cone(graph->machine->runtime, SINO_NOWHERE, &what, pieces_of(graph, block),
                                        graph->block[block % graph->streaming.block_sets], graph->scratch,
                                        graph->part[part]);
}

/* The slices of a chunk of parts, or its mirror images. */
static SinoStatus insert_images(SinoBenchConeGraph *graph, int64_t chunk, bool mirrored, int64_t *begun)
{
    const SinoConeStreaming *plan = &graph->streaming;
    const SinoConePart at = part_of(graph, chunk * graph->bands);
    const int64_t middle = plan->symmetry.halves == 2 ? graph->cone->z_count / 2 : 0;
    for (int64_t i = 0; i < at.voxel_count; i += plan->image_slices) {
        const int64_t count = sino_smaller(plan->image_slices, at.voxel_count - i), from = at.first + i;
        SinoData *image = graph->image[(*begun)++ % plan->image_sets];
        for (int64_t b = 0; b < graph->bands; b++) {
            const SinoConeAssembly assembly = {.cone = graph->cone,
                                               .symmetry = plan->symmetry,
                                               .part = part_of(graph, chunk * graph->bands + b),
                                               .first_slice = mirrored ? middle - from - count : middle + from,
                                               .slice_count = count,
                                               .scale = 1};
            SINO_TRY(sino_insert_assemble_cone(graph->machine->runtime, SINO_NOWHERE, &assembly, b == 0,
                                               graph->part[chunk * graph->bands + b], image));
        }
    }
    return NULL;
}

static SinoStatus insert_run(SinoBenchConeGraph *graph)
{
    const int64_t blocks = blocks_of(graph);
    int64_t pieces = 0, images = 0;
    for (int64_t b = 0; b < blocks; b++) {
        SINO_TRY(insert_block(graph, b, &pieces));
        for (int64_t c = 0; c < graph->chunks; c++) {
            for (int64_t i = 0; i < graph->bands; i++)
                SINO_TRY(insert_backprojection(graph, b, c * graph->bands + i, b == 0));
            for (int half = 0; half < graph->streaming.symmetry.halves && b + 1 == blocks; half++)
                SINO_TRY(insert_images(graph, c, half == 1, &images));
        }
    }
    return NULL;
}

/* ---- what is measured ---- */

SinoStatus sino_bench_cone_run(SinoBenchConeGraph *graph, SinoBenchTime *taken)
{
    const SinoBenchTime begin = sino_bench_now();
    SINO_TRY(sino_runtime_wait_after(graph->machine->runtime, insert_run(graph)));
    *taken = sino_bench_since(begin);
    return NULL;
}

SinoStatus sino_bench_cone_fill(SinoBenchConeGraph *graph)
{
    SinoStatus status = NULL;
    int64_t begun = 0;
    for (int64_t i = 0; i < graph->set_count && !status; i++)
        status = sino_insert_measure_fill(graph->machine->runtime, graph->sinogram_bytes, graph->sinogram[i]);
    if (!status) status = insert_block(graph, 0, &begun);
    return sino_runtime_wait_after(graph->machine->runtime, status);
}

SinoStatus sino_bench_cone_filter(SinoBenchConeGraph *graph, int64_t workers, int64_t count, SinoBenchTime *taken)
{
    const SinoSpan angles = angles_of(graph, 0, 0);
    const SinoBenchTime begin = sino_bench_now();
    SinoStatus status = NULL;
    for (int64_t i = 0; i < count * workers && !status; i++)
        status = insert_piece(graph, angles, graph->sinogram[i % workers], graph->piece[i % workers]);
    SINO_TRY(sino_runtime_wait_after(graph->machine->runtime, status));
    *taken = sino_bench_since(begin);
    return NULL;
}

/* One worker computes when each task waits for the one before it. */
SinoStatus sino_bench_cone_backproject(SinoBenchConeGraph *graph, int64_t workers, int64_t count, bool first,
                                       SinoBenchTime *taken)
{
    SinoRuntime *runtime = graph->machine->runtime;
    const SinoBenchTime begin = sino_bench_now();
    SinoStatus status = NULL;
    for (int64_t i = 0; i < count; i++)
        for (int64_t part = 0; part < graph->chunks * graph->bands && !status; part++) {
            status = insert_backprojection(graph, 0, part, first);
            if (workers == 1) status = sino_runtime_wait_after(runtime, status);
        }
    SINO_TRY(sino_runtime_wait_after(runtime, status));
    *taken = sino_bench_since(begin);
    return NULL;
}
