/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone reconstruction: the graph of FDK for cone beams, slab after slab.
 *
 *     of each piece:  load → stages → count → weigh → filter → lines
 *     of each block:  backproject_cone into every part
 *     of each image:  assemble_cone from every part → store
 *
 * Sets of counts, sinograms, lines and images bound the memory. StarPU loads and filters pieces while earlier blocks
 * are added to the parts. A part gets its blocks in order, so that its voxels do not depend on the schedule. The images
 * of a chunk are stored while the last block is added to the next chunk, and while the next slab begins. */
#include "cone_reconstruction.h"

#include "arithmetic.h"
#include "assemble_cone_task.h"
#include "count_task.h"
#include "filter_task.h"
#include "memory.h"
#include "sample_task.h"
#include "solver.h"
#include "stages.h"
#include "weigh_task.h"

#include <stdlib.h>

enum { FIELD_SETS = 2, IMAGE_SETS_MAX = 64, BLOCK_SETS_MAX = 4 };

/* The memory of a piece between its load and its lines. */
typedef struct PieceSet {
    SinoData *sinogram, *repaired, *tally;
} PieceSet;

typedef struct Run {
    SinoConeReconstruction of;
    SinoInput input;      /* as pieces see it: with as many angles as a piece has; owns nothing */
    int64_t rows;         /* of the slab with most */
    SinoAngleRun *piece;  /* [block][SINO_BLOCK_PIECES]: the angles of each piece; owned */
    double *angle_rad;    /* [block][SINO_BLOCK_PROJECTIONS]; owned */
    float *ray_weight;    /* [angle][column]; owned */
    SinoData *weights;    /* ray_weight for GPUs; NULL: none computes */
    SinoConeLines *lines; /* [slab][2]: of all blocks but the last, of the last; owned */
    double one[SINO_PIECE_PROJECTIONS];
    SinoFilter *filter;
    SinoFilterPlans *plans[SINO_PIECE_PROJECTIONS + 1]; /* [angles of a piece]; NULL: no piece has as many */
    SinoStages *stages;
    PieceSet set[SINO_COUNT_SETS_MAX];
    SinoData *block[BLOCK_SETS_MAX][SINO_BLOCK_PIECES];
    SinoData **part; /* [chunk][band] */
    SinoData *image[IMAGE_SETS_MAX];
    SinoData *undefined[FIELD_SETS];  /* of a slab: as the tally of the record */
    SinoData *none;                   /* zeros: no residuals, no undefined values */
    SinoData *pack_scratch, *scratch; /* work memory of tasks lines and backproject_cone */
    int64_t pieces_begun, images_begun;
} Run;

/* ---- what is made once ---- */

static int64_t tally_count(const Run *run)
{
    const SinoTally tally = sino_cone_tally(run->of.input, run->of.record);
    return sino_tally_count(&tally);
}

SinoRecordShape sino_cone_record_shape(const SinoCone *cone, bool pictures)
{
    return (SinoRecordShape){.slice_count = cone->z_count,
                             .height = cone->y_count,
                             .width = cone->x_count,
                             .columns = 1,
                             .angle_count = cone->angle_count,
                             .row_count = cone->row_count,
                             .column_count = cone->column_count,
                             .row_name = "detector rows",
                             .pictures = pictures,
                             .planes = cone->z_count > 1};
}

SinoTally sino_cone_tally(const SinoInput *input, const SinoRecord *record)
{
    return (SinoTally){.by_angle = record->by_angle,
                       .by_column = record->by_column,
                       .by_row = record->repaired,
                       .column_count = record->column_count,
                       .row_count = record->row_count,
                       .run_count = input->run_count,
                       .run = input->run};
}

/* Weights of rays, so that the sum over all projections is the attenuation of a voxel's side. */
static SinoStatus weigh_rays(Run *run)
{
    const SinoCone *cone = run->of.cone;
    const int64_t rays = sino_times(cone->angle_count, cone->column_count);
    const double columns_per_voxel = cone->voxel_size * cone->source_detector / cone->source_object / cone->pixel_width;
    double *weight = NULL;
    SINO_TRY(sino_allocate(rays, sizeof *run->ray_weight, "weights of rays", &run->ray_weight));
    SINO_TRY(sino_allocate(rays, sizeof *weight, "weights of rays", &weight));
    SinoStatus status = sino_cone_ray_weights(cone, run->of.arc, weight);
    for (int64_t i = 0; i < rays && !status; i++) run->ray_weight[i] = (float)(weight[i] * columns_per_voxel);
    free(weight);
    if (!status && sino_runtime_devices(run->of.runtime) & SINO_DEVICE_CUDA)
        status = sino_data_borrow(run->of.runtime, "weights of rays", run->ray_weight,
                                  rays * (int64_t)sizeof *run->ray_weight, &run->weights);
    return status;
}

/* The angles of each piece and block, and the lines of each slab. */
static SinoStatus list_pieces(Run *run)
{
    const SinoCone *cone = run->of.cone;
    const SinoConeStreaming *plan = run->of.streaming;
    const int64_t blocks = sino_cone_block_count(cone, plan);
    SINO_TRY(sino_allocate(sino_times(blocks, SINO_BLOCK_PIECES), sizeof *run->piece, "pieces", &run->piece));
    SINO_TRY(
        sino_allocate(sino_times(blocks, SINO_BLOCK_PROJECTIONS), sizeof *run->angle_rad, "angles", &run->angle_rad));
    SINO_TRY(sino_allocate(sino_times(2, plan->slab_count), sizeof *run->lines, "lines", &run->lines));
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
        run->lines[2 * s] = run->lines[2 * s + 1] = sino_cone_slab_lines(cone, plan, s);
        run->lines[2 * s + 1].group_count = last / plan->symmetry.turns;
    }
    return NULL;
}

static SinoStatus new_filter(Run *run)
{
    const SinoConeStreaming *plan = run->of.streaming;
    const int64_t blocks = sino_cone_block_count(run->of.cone, plan);
    const int64_t stride = sino_panel_stride(SINO_SINGLE, run->rows);
    for (int k = 0; k < SINO_PIECE_PROJECTIONS; k++) run->one[k] = 1;
    SINO_TRY(sino_filter_new(run->of.cone->column_count, sino_solver_window(run->of.settings->fbp_filter), SINO_SINGLE,
                             &run->filter));
    for (int64_t b = 0; b < blocks; b++)
        for (int64_t p = 0; p < sino_cone_piece_count(run->of.cone, plan, b); p++) {
            SinoFilterPlans **plans = &run->plans[run->piece[b * SINO_BLOCK_PIECES + p].count];
            if (*plans) continue;
            SINO_TRY(sino_filter_plans_new(run->of.runtime, run->filter, plans - run->plans, stride, run->one, plans));
        }
    return NULL;
}

static SinoStatus new_piece_sets(Run *run)
{
    SinoRuntime *runtime = run->of.runtime;
    const int64_t angles = SINO_PIECE_PROJECTIONS, columns = run->of.cone->column_count;
    const int64_t stride = sino_panel_stride(SINO_SINGLE, run->rows);
    for (int64_t i = 0; i < run->of.streaming->piece_sets; i++) {
        PieceSet *set = &run->set[i];
        SINO_TRY(
            sino_data_vector(runtime, "sinogram", sino_times(angles, columns), stride, sizeof(float), &set->sinogram));
        SINO_TRY(sino_data_vector(runtime, "repaired", run->rows, 1, sizeof(int64_t), &set->repaired));
        SINO_TRY(sino_data_vector(runtime, "tally", angles + columns, 1, sizeof(int64_t), &set->tally));
    }
    return NULL;
}

static SinoStatus new_blocks(Run *run)
{
    const SinoConeStreaming *plan = run->of.streaming;
    int64_t bytes = 0;
    for (int64_t s = 0; s < plan->slab_count; s++)
        bytes = sino_larger(bytes, sino_lines_bytes(&run->lines[2 * s], run->piece[0].count));
    for (int64_t i = 0; i < plan->block_sets; i++)
        for (int64_t p = 0; p < sino_cone_piece_count(run->of.cone, plan, 0); p++)
            SINO_TRY(sino_data_new(run->of.runtime, "lines", bytes, &run->block[i][p]));
    return NULL;
}

static SinoStatus new_parts(Run *run)
{
    const SinoCone *cone = run->of.cone;
    const SinoConeStreaming *plan = run->of.streaming;
    const int64_t chunks = sino_cone_chunk_count(cone, plan, 0), bands = sino_cone_band_count(cone, plan);
    SINO_TRY(sino_allocate(sino_times(chunks, bands), sizeof(void *), "parts", &run->part));
    for (int64_t i = 0; i < chunks * bands; i++) {
        const SinoConePart part = sino_cone_part(cone, plan, 0, i / bands, i % bands);
        SINO_TRY(sino_data_vector(run->of.runtime, "part", sino_cone_part_voxels(&part, plan->symmetry), 1,
                                  sizeof(float), &run->part[i]));
    }
    return NULL;
}

static SinoStatus new_images(Run *run)
{
    SinoRuntime *runtime = run->of.runtime;
    const SinoConeStreaming *plan = run->of.streaming;
    const int64_t pixels = sino_times(run->of.cone->y_count, run->of.cone->x_count), tally = tally_count(run);
    const int64_t history = sino_times(plan->image_slices, run->of.record->columns),
                  zeros = sino_larger(tally, history);
    int64_t *zero = NULL;
    for (int64_t i = 0; i < plan->image_sets; i++)
        SINO_TRY(sino_data_vector(runtime, "image", plan->image_slices, pixels, sizeof(float), &run->image[i]));
    for (int i = 0; i < FIELD_SETS; i++)
        SINO_TRY(sino_data_vector(runtime, "undefined", tally, 1, sizeof(int64_t), &run->undefined[i]));
    SINO_TRY(sino_allocate(zeros, sizeof *zero, "images", &zero));
    SinoStatus status = sino_data_copy(runtime, "none", zero, zeros * (int64_t)sizeof *zero, &run->none);
    free(zero);
    return status;
}

static SinoStatus new_scratch(Run *run)
{
    const SinoConeStreaming *plan = run->of.streaming;
    const SinoConePart part = sino_cone_part(run->of.cone, plan, 0, 0, 0);
    const SinoConePacking packing = {.lines = run->lines, .rows = {SINO_SINGLE, 0, run->rows}};
    int64_t bytes = 0;
    for (int64_t s = 0; s < plan->slab_count; s++)
        bytes = sino_larger(bytes, sino_cone_scratch_bytes(&run->lines[2 * s], &part));
    SINO_TRY(sino_data_scratch(run->of.runtime, "lines scratch", sino_cone_pack_scratch_bytes(&packing),
                               &run->pack_scratch));
    return sino_data_scratch(run->of.runtime, "backproject scratch", bytes, &run->scratch);
}

static SinoStatus new_stages(Run *run)
{
    const SinoStagesRequest request = {.runtime = run->of.runtime,
                                       .input = &run->input,
                                       .slices = {SINO_SINGLE, sino_panel_stride(SINO_SINGLE, run->rows), run->rows},
                                       .ray_count = sino_times(SINO_PIECE_PROJECTIONS, run->of.cone->column_count),
                                       .slab_slices = run->rows,
                                       .set_count = run->of.streaming->piece_sets,
                                       .field_set_count = sino_smaller(FIELD_SETS, run->of.streaming->slab_count)};
    run->input = *run->of.input;
    run->input.angle_count = SINO_PIECE_PROJECTIONS;
    return sino_stages_new(&request, &run->stages);
}

static SinoStatus new_data(Run *run)
{
    for (int64_t s = 0; s < run->of.streaming->slab_count; s++) {
        const SinoSpan slices = sino_cone_slab(run->of.cone, run->of.streaming, s);
        run->rows = sino_larger(run->rows, sino_cone_rows(run->of.cone, slices).count);
    }
    SINO_TRY(weigh_rays(run));
    SINO_TRY(list_pieces(run));
    SINO_TRY(new_filter(run));
    SINO_TRY(new_stages(run));
    SINO_TRY(new_piece_sets(run));
    SINO_TRY(new_blocks(run));
    SINO_TRY(new_parts(run));
    SINO_TRY(new_images(run));
    return new_scratch(run);
}

static void free_data(Run *run)
{
    const SinoConeStreaming *plan = run->of.streaming;
    for (int i = 0; i < SINO_COUNT_SETS_MAX; i++) {
        sino_data_free(run->set[i].sinogram);
        sino_data_free(run->set[i].repaired);
        sino_data_free(run->set[i].tally);
    }
    for (int i = 0; i < BLOCK_SETS_MAX * SINO_BLOCK_PIECES; i++)
        sino_data_free(run->block[i / SINO_BLOCK_PIECES][i % SINO_BLOCK_PIECES]);
    sino_data_free_each(run->part,
                        sino_cone_chunk_count(run->of.cone, plan, 0) * sino_cone_band_count(run->of.cone, plan));
    for (int i = 0; i < IMAGE_SETS_MAX; i++) sino_data_free(run->image[i]);
    for (int i = 0; i < FIELD_SETS; i++) sino_data_free(run->undefined[i]);
    sino_data_free(run->none);
    sino_data_free(run->pack_scratch);
    sino_data_free(run->scratch);
    sino_stages_free(run->stages);
    for (int i = 0; i <= SINO_PIECE_PROJECTIONS; i++) sino_filter_plans_free(run->plans[i]);
    sino_filter_free(run->filter);
    free(run->piece);
    free(run->angle_rad);
    sino_data_free(run->weights);
    free(run->ray_weight);
    free(run->lines);
}

/* ---- the graph ---- */

/* A slab while it is submitted. */
typedef struct Slab {
    int64_t number;
    SinoSpan slices, rows;
    int64_t uncounted; /* rows, the first ones, that an earlier slab has counted */
    bool wanted;       /* not all slices are done; false: only the sinogram's picture is wanted */
} Slab;

static SinoPosition position_of(const Slab *slab)
{
    return (SinoPosition){.slab = slab->number, .minibatch = -1, .partition = -1, .iteration = -1};
}

static bool is_done(const Run *run, int64_t first, int64_t count)
{
    return run->of.volume && sino_volume_is_done(run->of.volume, first, count);
}

/* Copies the row of the sinogram's picture, if this slab has it and no earlier one. */
static SinoStatus insert_sample(Run *run, const Slab *slab, const SinoAngleRun *angles, SinoSlices rows,
                                SinoData *sinogram)
{
    const SinoSample sample = {.slice = run->of.record->row_count / 2 - slab->rows.first,
                               .column_count = run->of.cone->column_count,
                               .run_count = 1,
                               .run = angles,
                               .to = run->of.record->sinogram};
    if (!sample.to || sample.slice < slab->uncounted || sample.slice >= rows.slice_count) return NULL;
    return sino_insert_sample(run->of.runtime, position_of(slab), rows, &sample, sinogram);
}

/* Loads a piece, and makes its sinogram. */
static SinoStatus insert_sinogram(Run *run, const Slab *slab, const SinoAngleRun *angles, bool first, SinoSlices rows,
                                  int64_t number)
{
    const PieceSet *set = &run->set[number];
    const int64_t field_set = slab->number % FIELD_SETS;
    const SinoStageLoad load = {.position = position_of(slab),
                                .set = number,
                                .field_set = field_set,
                                .fields = first,
                                .first_slice = slab->rows.first,
                                .slice_count = slab->rows.count,
                                .run_count = 1,
                                .run = angles};
    const SinoStageWork work = {.position = position_of(slab),
                                .slices = rows,
                                .set = number,
                                .field_set = field_set,
                                .angle_count = angles->count,
                                .slab_slices = slab->rows.count,
                                .uncounted = slab->uncounted,
                                .sinogram = set->sinogram,
                                .repaired = set->repaired,
                                .tally = set->tally};
    const SinoCount count = {.first_angle = angles->first,
                             .angle_count = angles->count,
                             .angle_total = run->of.cone->angle_count,
                             .column_count = run->of.cone->column_count,
                             .first_row = slab->rows.first,
                             .row_count = slab->rows.count};
    SINO_TRY(sino_stages_load(run->stages, &load));
    SINO_TRY(sino_stages_insert(run->stages, &work));
    SINO_TRY(insert_sample(run, slab, angles, rows, set->sinogram));
    return sino_insert_count(run->of.runtime, position_of(slab), &count, first, set->repaired, set->tally,
                             run->undefined[slab->number % FIELD_SETS], tally_count(run));
}

/* Makes the lines of a piece. */
static SinoStatus insert_piece(Run *run, const Slab *slab, const SinoAngleRun *angles, bool first, SinoData *lines)
{
    SinoRuntime *runtime = run->of.runtime;
    const SinoSlices rows = {SINO_SINGLE, sino_panel_stride(SINO_SINGLE, slab->rows.count), slab->rows.count};
    const int64_t number = run->pieces_begun++ % run->of.streaming->piece_sets;
    SinoData *sinogram = run->set[number].sinogram;
    const int64_t first_weight = angles->first * run->of.cone->column_count;
    const SinoWeigh weigh = {.cone = run->of.cone,
                             .angle_count = angles->count,
                             .rows = rows,
                             .first_row = slab->rows.first,
                             .ray_weight = run->ray_weight + first_weight,
                             .weights = run->weights,
                             .first_weight = first_weight};
    const SinoConePacking packing = {.cone = run->of.cone,
                                     .lines = &run->lines[2 * slab->number],
                                     .rows = rows,
                                     .first_row = slab->rows.first,
                                     .angle_count = angles->count};
    SINO_TRY(insert_sinogram(run, slab, angles, first, rows, number));
    if (!slab->wanted) return NULL;
    SINO_TRY(sino_insert_weigh(runtime, position_of(slab), &weigh, sinogram));
    SINO_TRY(sino_insert_filter(position_of(slab), run->plans[angles->count], rows, sinogram));
    return sino_insert_lines(runtime, position_of(slab), &packing, sinogram, run->pack_scratch, lines);
}

static SinoStatus insert_block(Run *run, const Slab *slab, int64_t block)
{
    SinoData **lines = run->block[block % run->of.streaming->block_sets];
    for (int64_t p = 0; p < sino_cone_piece_count(run->of.cone, run->of.streaming, block); p++)
        SINO_TRY(insert_piece(run, slab, &run->piece[block * SINO_BLOCK_PIECES + p], block == 0 && p == 0, lines[p]));
    return NULL;
}

/* What a block adds to all slices, in units of a slice's store. */
static double work_of_block(int64_t projections)
{
    return (double)projections / 16;
}

static SinoStatus insert_backprojections(Run *run, const Slab *slab, int64_t block, int64_t chunk)
{
    const SinoCone *cone = run->of.cone;
    const SinoConeStreaming *plan = run->of.streaming;
    const int64_t bands = sino_cone_band_count(cone, plan);
    const bool last = block + 1 == sino_cone_block_count(cone, plan);
    const double pixels = (double)run->of.cone->x_count * (double)run->of.cone->y_count;
    for (int64_t b = 0; b < bands; b++) {
        SinoBackprojectCone what = {.cone = cone,
                                    .lines = &run->lines[2 * slab->number + last],
                                    .part = sino_cone_part(cone, plan, slab->number, chunk, b),
                                    .angle_rad = run->angle_rad + block * SINO_BLOCK_PROJECTIONS,
                                    .piece_projections = run->piece[block * SINO_BLOCK_PIECES].count,
                                    .first = block == 0};
        const int64_t runs = (int64_t)plan->symmetry.turns * plan->symmetry.halves;
        const double voxels = (double)(what.part.x_count * what.part.y_count * runs) * (double)what.part.voxel_count;
        SinoPosition position = position_of(slab);
        position.partition = chunk * bands + b;
        what.progress = work_of_block(sino_cone_projections(what.lines)) * voxels / pixels;
        SINO_TRY(sino_insert_backproject_cone(
            run->of.runtime, position, &what, sino_cone_piece_count(cone, plan, block),
            run->block[block % plan->block_sets], run->scratch, run->part[chunk * bands + b]));
    }
    return NULL;
}

/* The slices of a slab that are stored first, with the undefined values of the whole slab. */
static SinoSpan first_image(const Run *run, const Slab *slab)
{
    const SinoConeStreaming *plan = run->of.streaming;
    const int64_t voxels = slab->slices.count / plan->symmetry.halves;
    const int64_t middle = plan->symmetry.halves == 2 ? run->of.cone->z_count / 2 : slab->slices.first;
    return (SinoSpan){middle, sino_smaller(plan->image_slices, voxels)};
}

/* Stores slices first … first + count − 1, which lie in one chunk. */
static SinoStatus insert_image(Run *run, const Slab *slab, int64_t chunk, int64_t first, int64_t count)
{
    const SinoConeStreaming *plan = run->of.streaming;
    SinoRecord *record = run->of.record;
    const int64_t bands = sino_cone_band_count(run->of.cone, plan);
    SinoPosition position = position_of(slab);
    position.minibatch = run->images_begun;
    SinoData *image = run->image[run->images_begun++ % plan->image_sets];
    if (is_done(run, first, count)) return NULL;
    for (int64_t b = 0; b < bands; b++) {
        const SinoConeAssembly assembly = {.cone = run->of.cone,
                                           .symmetry = plan->symmetry,
                                           .part = sino_cone_part(run->of.cone, plan, slab->number, chunk, b),
                                           .first_slice = first,
                                           .slice_count = count,
                                           .scale = run->of.scale,
                                           .mask_ratio = run->of.settings->mask_ratio};
        SINO_TRY(sino_insert_assemble_cone(run->of.runtime, position, &assembly, b == 0, run->part[chunk * bands + b],
                                           image));
    }
    const SinoStore store = {.keeper = true,
                             .volume = run->of.volume,
                             .journal = run->of.journal,
                             .first_slice = first,
                             .slice_count = count,
                             .columns = record->columns,
                             .residuals = record->residuals,
                             .tally = sino_cone_tally(run->of.input, record),
                             .sections = record->sections};
    const bool carries = first == first_image(run, slab).first;
    SinoData *undefined = carries ? run->undefined[slab->number % FIELD_SETS] : run->none;
    return sino_insert_store(run->of.runtime, position, &store, sino_stages_io(run->stages), image, run->none,
                             run->none, undefined);
}

static SinoStatus insert_images(Run *run, const Slab *slab, int64_t chunk)
{
    const SinoConeStreaming *plan = run->of.streaming;
    const SinoConePart part = sino_cone_part(run->of.cone, plan, slab->number, chunk, 0);
    const int64_t middle = run->of.cone->z_count / 2;
    for (int64_t i = 0; i < part.voxel_count; i += plan->image_slices) {
        const int64_t count = sino_smaller(plan->image_slices, part.voxel_count - i), from = part.first + i;
        if (plan->symmetry.halves == 1) {
            SINO_TRY(insert_image(run, slab, chunk, from, count));
        } else {
            SINO_TRY(insert_image(run, slab, chunk, middle + from, count));
            SINO_TRY(insert_image(run, slab, chunk, middle - from - count, count));
        }
    }
    return NULL;
}

/* The rows and slices of a slab, and what of it is wanted. Not to be asked once this run's own stores of the slab may
 * run. */
static Slab slab_of(const Run *run, int64_t number)
{
    const SinoCone *cone = run->of.cone;
    const SinoConeStreaming *plan = run->of.streaming;
    Slab slab = {.number = number, .slices = sino_cone_slab(cone, plan, number)};
    slab.rows = sino_cone_rows(cone, slab.slices);
    if (number > 0) {
        const SinoSpan before = sino_cone_rows(cone, sino_cone_slab(cone, plan, number - 1));
        slab.uncounted = sino_smaller(sino_larger(before.first + before.count - slab.rows.first, 0), slab.rows.count);
    }
    slab.wanted = !is_done(run, slab.slices.first, slab.slices.count);
    return slab;
}

static bool is_pictured(const Run *run, const Slab *slab)
{
    const int64_t row = run->of.record->row_count / 2 - slab->rows.first;
    return run->of.record->sinogram && row >= slab->uncounted && row < slab->rows.count;
}

/* Block b + 1 is loaded and filtered while block b is added. */
static SinoStatus insert_slab(Run *run, int64_t number)
{
    const Slab slab = slab_of(run, number);
    const int64_t blocks = sino_cone_block_count(run->of.cone, run->of.streaming);
    const int64_t chunks = sino_cone_chunk_count(run->of.cone, run->of.streaming, number);
    if (!slab.wanted && !is_pictured(run, &slab)) return NULL;
    for (int64_t b = 0; b < blocks; b++) {
        if (sino_runtime_failed(run->of.runtime)) return NULL;
        SINO_TRY(insert_block(run, &slab, b));
        for (int64_t c = 0; slab.wanted && c < chunks; c++) {
            SINO_TRY(insert_backprojections(run, &slab, b, c));
            if (b + 1 == blocks) SINO_TRY(insert_images(run, &slab, c));
        }
    }
    return NULL;
}

/* Announces the work: of each slice that is not done, its store and the blocks that are added to its slab. */
static SinoStatus expect(const Run *run)
{
    const SinoConeStreaming *plan = run->of.streaming;
    const int64_t slices = run->of.cone->z_count;
    double work = 0;
    for (int64_t s = 0; s < plan->slab_count; s++) {
        const Slab slab = slab_of(run, s);
        if (slab.wanted) work += (double)slab.slices.count * work_of_block(run->of.cone->angle_count);
    }
    for (int64_t i = 0; i < slices; i++) work += !is_done(run, i, 1);
    const SinoProgressShape shape = {.slice_count = slices,
                                     .slab_slices = plan->slab_slices,
                                     .slab_minibatches = sino_ceil_divide(plan->slab_slices, plan->image_slices),
                                     .minibatch_slices = plan->image_slices};
    return sino_runtime_expect(run->of.runtime, work, &shape);
}

SinoStatus sino_cone_reconstruct(const SinoConeReconstruction *reconstruction)
{
    Run run = {.of = *reconstruction};
    SinoRuntime *runtime = reconstruction->runtime;
    SinoStatus status = expect(&run);
    if (!status) status = new_data(&run);
    sino_runtime_profile_begin(runtime);
    for (int64_t s = 0; !status && s < reconstruction->streaming->slab_count; s++) status = insert_slab(&run, s);
    status = sino_runtime_wait_after(runtime, status);
    if (!status) sino_runtime_profile_report(runtime, "");
    free_data(&run);
    return status;
}
