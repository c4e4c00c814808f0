/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone run: weights of rays, lists of pieces, filters, and the sets of memory that bound a reconstruction. */
#include "cone_run.h"

#include "cone_weigh.h"
#include "memory.h"
#include "solver.h"

#include <stdlib.h>

SinoConeRun sino_cone_run_of(const SinoConeReconstruction *reconstruction)
{
    const SinoConeStreaming *plan = reconstruction->streaming;
    const bool alone = plan->grid_rows == 1 && plan->grid_columns == 1; /* each rank does all, as in a search */
    const int64_t rank = alone ? 0 : sino_processes_rank(sino_runtime_processes(reconstruction->runtime));
    SinoConeRun run = {.of = *reconstruction,
                       .filtered = sino_cone_filtered(reconstruction->cone),
                       .rank = sino_cone_rank(plan, rank),
                       .blocks = sino_cone_block_count(reconstruction->cone, plan)};
    run.share = sino_cone_largest_share(reconstruction->cone, plan, run.rank.row);
    return run;
}

/* Weights of rays, so that the sum over all projections is the attenuation of a voxel's side. */
static SinoStatus weigh_rays(SinoConeRun *run)
{
    const SinoCone *cone = run->of.cone;
    const int64_t rays = sino_times(cone->angle_count, run->filtered.column_count);
    const double columns_per_voxel = cone->voxel_size * cone->source_detector / cone->source_object / cone->pixel_width;
    double *weight = NULL;
    SINO_TRY(sino_allocate(rays, sizeof *run->ray_weight, "weights of rays", &run->ray_weight));
    SINO_TRY(sino_allocate(rays, sizeof *weight, "weights of rays", &weight));
    SinoStatus status = sino_cone_ray_weights(cone, weight);
    for (int64_t i = 0; i < rays && !status; i++) run->ray_weight[i] = (float)(weight[i] * columns_per_voxel);
    free(weight);
    if (!status && sino_runtime_devices(run->of.runtime) & SINO_DEVICE_CUDA)
        status = sino_data_borrow(run->of.runtime, "weights of rays", run->ray_weight,
                                  rays * (int64_t)sizeof *run->ray_weight, &run->weights);
    return status;
}

/* The angles of each piece and block, and the lines of each slab. */
static SinoStatus list_pieces(SinoConeRun *run)
{
    const SinoCone *cone = run->of.cone;
    const SinoConeStreaming *plan = run->of.streaming;
    const int64_t blocks = run->blocks;
    SINO_TRY(sino_allocate(sino_times(blocks, SINO_BLOCK_PIECES), sizeof *run->piece, "pieces", &run->piece));
    SINO_TRY(
        sino_allocate(sino_times(blocks, SINO_BLOCK_PROJECTIONS), sizeof *run->angle_rad, "angles", &run->angle_rad));
    SINO_TRY(
        sino_allocate(sino_times(plan->grid_rows + 1, plan->slab_count), sizeof *run->lines, "lines", &run->lines));
    int64_t last = 0; /* projections of the last block */
    for (int64_t b = 0; b < blocks; b++) {
        int64_t projection = 0;
        for (int64_t p = 0; p < sino_cone_piece_count(cone, plan, b); p++) {
            const SinoSpan angles = sino_cone_piece(cone, plan, b, p);
            run->piece[b * SINO_BLOCK_PIECES + p] = (SinoAngleRun){angles.first, angles.count};
            for (int64_t k = 0; k < angles.count; k++)
                run->angle_rad[b * SINO_BLOCK_PROJECTIONS + projection++] = cone->angle_rad[angles.first + k];
        }
        last = projection;
    }
    for (int64_t s = 0; s < plan->slab_count; s++) {
        SinoConeLines *lines = run->lines + s * (plan->grid_rows + 1);
        for (int64_t r = 0; r < plan->grid_rows; r++)
            lines[r] = sino_cone_share_lines(cone, plan, sino_cone_share(cone, plan, s, r));
        lines[plan->grid_rows] = lines[run->rank.row];
        lines[plan->grid_rows].group_count = last / plan->symmetry.turns;
    }
    return NULL;
}

const SinoConeLines *sino_cone_run_lines(const SinoConeRun *run, int64_t slab, int64_t row)
{
    return &run->lines[slab * (run->of.streaming->grid_rows + 1) + row];
}

static SinoStatus new_filter(SinoConeRun *run)
{
    const SinoConeStreaming *plan = run->of.streaming;
    const int64_t blocks = run->blocks;
    const int64_t stride = sino_panel_stride(SINO_SINGLE, run->rows);
    for (int k = 0; k < SINO_PIECE_PROJECTIONS; k++) run->one[k] = 1;
    SINO_TRY(sino_filter_new(run->filtered.column_count, sino_solver_window(run->of.settings->solver.fbp_filter),
                             SINO_SINGLE, &run->filter));
    sino_filter_fill(run->filter, run->of.input->pad_edges, false);
    for (int64_t b = 0; b < blocks; b++)
        for (int64_t p = 0; p < sino_cone_piece_count(run->of.cone, plan, b); p++) {
            SinoFilterPlans **plans = &run->plans[run->piece[b * SINO_BLOCK_PIECES + p].count];
            if (*plans) continue;
            SINO_TRY(sino_filter_plans_new(run->of.runtime, run->filter, plans - run->plans, stride, run->one, plans));
        }
    return NULL;
}

static SinoStatus new_blocks(SinoConeRun *run)
{
    const SinoConeStreaming *plan = run->of.streaming;
    const int64_t bytes = sino_cone_piece_bytes(run->of.cone, plan, run->rank.row);
    for (int64_t i = 0; i < plan->block_sets && bytes > 0; i++)
        for (int64_t p = 0; p < sino_cone_piece_count(run->of.cone, plan, 0); p++)
            SINO_TRY(sino_data_new(run->of.runtime, "lines", bytes, &run->block[i][p]));
    return NULL;
}

int64_t sino_cone_run_part_voxels(const SinoConeRun *run)
{
    const SinoConePart part = sino_cone_part(run->of.cone, run->of.streaming, run->share, 0, 0);
    return sino_cone_part_voxels(&part, run->of.streaming->symmetry);
}

/* Parts that are sent are all as large as the largest one, for which the receiver has memory. */
static SinoStatus new_parts(SinoConeRun *run)
{
    const SinoCone *cone = run->of.cone;
    const SinoConeStreaming *plan = run->of.streaming;
    const int64_t chunks = sino_cone_chunk_count(plan, run->share), bands = sino_cone_band_count(cone, plan);
    SINO_TRY(sino_allocate(sino_larger(sino_times(chunks, bands), 1), sizeof(void *), "parts", &run->part));
    for (int64_t i = 0; i < chunks * bands; i++) {
        const SinoConePart part = sino_cone_part(cone, plan, run->share, i / bands, i % bands);
        const int64_t voxels =
            plan->grid_columns > 1 ? sino_cone_run_part_voxels(run) : sino_cone_part_voxels(&part, plan->symmetry);
        SINO_TRY(sino_data_vector(run->of.runtime, "part", voxels, 1, sizeof(float), &run->part[i]));
    }
    return NULL;
}

/* Memory of messages to and from other ranks. */
static SinoStatus new_messages(SinoConeRun *run)
{
    SinoRuntime *runtime = run->of.runtime;
    const SinoConeStreaming *plan = run->of.streaming;
    const int64_t rows = plan->grid_rows;
    if (rows > 1) SINO_TRY(sino_allocate(sino_times(plan->send_sets, rows), sizeof(void *), "messages", &run->sent));
    for (int64_t i = 0; i < plan->send_sets * rows; i++) {
        const int64_t bytes = sino_cone_piece_bytes(run->of.cone, plan, i % rows);
        if (i % rows != run->rank.row && bytes > 0)
            SINO_TRY(sino_data_new(runtime, "sent lines", bytes, &run->sent[i]));
    }
    if (plan->arrival_sets == 0 || run->share.count == 0) return NULL;
    SINO_TRY(sino_allocate(plan->arrival_sets, sizeof(void *), "arrivals", &run->arrival));
    for (int64_t i = 0; i < plan->arrival_sets; i++)
        SINO_TRY(
            sino_data_vector(runtime, "arrival", sino_cone_run_part_voxels(run), 1, sizeof(float), &run->arrival[i]));
    return NULL;
}

static SinoStatus new_images(SinoConeRun *run)
{
    SinoRuntime *runtime = run->of.runtime;
    const SinoConeStreaming *plan = run->of.streaming;
    const int64_t pixels = sino_times(run->of.cone->y_count, run->of.cone->x_count),
                  tally = sino_cone_tally_count(run->of.input, run->of.record);
    const int64_t history = sino_times(plan->image_slices, run->of.record->numbers),
                  zeros = sino_larger(tally, history);
    int64_t *zero = NULL;
    for (int64_t i = 0; i < plan->image_sets; i++)
        SINO_TRY(sino_data_vector(runtime, "image", plan->image_slices, pixels, sizeof(float), &run->image[i]));
    for (int i = 0; i < SINO_CONE_FIELD_SETS; i++)
        SINO_TRY(sino_data_vector(runtime, "undefined", tally, 1, sizeof(int64_t), &run->undefined[i]));
    SINO_TRY(sino_allocate(zeros, sizeof *zero, "images", &zero));
    SinoStatus status = sino_data_copy(runtime, "none", zero, zeros * (int64_t)sizeof *zero, &run->none);
    free(zero);
    return status;
}

static SinoStatus new_scratch(SinoConeRun *run)
{
    const SinoConeStreaming *plan = run->of.streaming;
    const SinoConePacking packing = {.lines = run->lines, .rows = {SINO_SINGLE, 0, run->rows}};
    int64_t bytes = 0;
    for (int64_t s = 0; s < plan->slab_count; s++)
        bytes = sino_larger(bytes, sino_cone_scratch_bytes(sino_cone_run_lines(run, s, run->rank.row)));
    SINO_TRY(sino_data_scratch(run->of.runtime, "lines scratch", sino_cone_pack_scratch_bytes(&packing),
                               &run->pack_scratch));
    return sino_data_scratch(run->of.runtime, "backproject scratch", bytes, &run->scratch);
}

static SinoStatus new_pieces(SinoConeRun *run)
{
    const SinoConePiecesRequest request = {.runtime = run->of.runtime,
                                           .input = run->of.input,
                                           .cone = run->of.cone,
                                           .record = run->of.record,
                                           .row_count = run->rows,
                                           .set_count = run->of.streaming->piece_sets,
                                           .field_set_count =
                                               sino_smaller(SINO_CONE_FIELD_SETS, run->of.streaming->slab_count)};
    const int64_t bytes = sino_cone_weighed_bytes(run->of.cone, run->rows);
    for (int64_t i = 0; i < request.set_count && bytes > 0; i++)
        SINO_TRY(sino_data_new(run->of.runtime, "weighed", bytes, &run->weighed[i]));
    return sino_cone_pieces_new(&request, &run->pieces);
}

SinoStatus sino_cone_run_allocate(SinoConeRun *run)
{
    for (int64_t s = 0; s < run->of.streaming->slab_count; s++) {
        const SinoSpan slices = sino_cone_slab(run->of.cone, run->of.streaming, s);
        run->rows = sino_larger(run->rows, sino_cone_rows(run->of.cone, slices).count);
    }
    SINO_TRY(weigh_rays(run));
    SINO_TRY(list_pieces(run));
    SINO_TRY(new_filter(run));
    SINO_TRY(new_pieces(run));
    SINO_TRY(new_blocks(run));
    SINO_TRY(new_parts(run));
    SINO_TRY(new_messages(run));
    SINO_TRY(new_images(run));
    SINO_TRY(sino_live_open(run->of.live, run->of.runtime));
    return new_scratch(run);
}

void sino_cone_run_free(SinoConeRun *run)
{
    const SinoConeStreaming *plan = run->of.streaming;
    for (int i = 0; i < SINO_CONE_BLOCKS_MAX * SINO_BLOCK_PIECES; i++)
        sino_data_free(run->block[i / SINO_BLOCK_PIECES][i % SINO_BLOCK_PIECES]);
    sino_data_free_each(run->part, sino_cone_chunk_count(plan, run->share) * sino_cone_band_count(run->of.cone, plan));
    sino_data_free_each(run->sent, plan->send_sets * plan->grid_rows);
    sino_data_free_each(run->arrival, plan->arrival_sets);
    for (int i = 0; i < SINO_CONE_IMAGES_MAX; i++) sino_data_free(run->image[i]);
    for (int i = 0; i < SINO_CONE_FIELD_SETS; i++) sino_data_free(run->undefined[i]);
    sino_live_close(run->of.live);
    sino_data_free(run->none);
    sino_data_free(run->pack_scratch);
    sino_data_free(run->scratch);
    for (int i = 0; i < SINO_COUNT_SETS_MAX; i++) sino_data_free(run->weighed[i]);
    sino_cone_pieces_free(run->pieces);
    for (int i = 0; i <= SINO_PIECE_PROJECTIONS; i++) sino_filter_plans_free(run->plans[i]);
    sino_filter_free(run->filter);
    free(run->piece);
    free(run->angle_rad);
    sino_data_free(run->weights);
    free(run->ray_weight);
    free(run->lines);
}
