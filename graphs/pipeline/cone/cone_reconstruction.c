/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone reconstruction: the graph of FDK for cone beams, slab after slab.
 *
 *     of each piece:  load → stages → count → weigh → filter → lines
 *     of each block:  backproject_cone into every part
 *     of each image:  assemble_cone from every part → store
 *
 * Sets of counts, sinograms, lines and images bound the memory. StarPU loads and filters pieces while earlier blocks
 * are added to the parts. A part gets its blocks in order, so that its voxels do not depend on the schedule. The images
 * of a chunk are stored while the last block is added to the next chunk, and while the next slab begins.
 *
 * Ranks (cone_streaming.h): the lines of a piece are made once for each row of ranks, by the rank of the column that
 * has the piece, and travel as messages. After the last block the ranks of a row send the parts of a chunk to the one
 * that stores it, chunk by chunk. */
#include "cone_reconstruction.h"

#include "arithmetic.h"
#include "cone_run.h"
#include "cone_tasks.h"
#include "consensus.h"
#include "input_parts.h"
#include "message.h"
#include "stages_tasks.h"

/* A slab while it is submitted. */
typedef struct Slab {
    int64_t number;
    SinoSpan slices, rows;
    SinoSpan share;    /* of this rank */
    int64_t uncounted; /* rows, the first ones, that an earlier slab has counted */
    bool wanted;       /* not all slices are done; false: only the sinogram's picture is wanted */
    bool counted;      /* this rank has loaded a piece, and counts its undefined values */
    int64_t pieces;    /* of this column, so far */
} Slab;

static SinoPosition position_of(const Slab *slab)
{
    return (SinoPosition){.slab = slab->number, .minibatch = -1, .partition = -1, .iteration = -1};
}

static bool is_done(const SinoConeRun *run, int64_t first, int64_t count)
{
    return run->of.volume && sino_volume_is_done(run->of.volume, first, count);
}

/* Loads a piece, and makes its sinogram. */
static SinoStatus insert_sinogram(SinoConeRun *run, Slab *slab, const SinoAngleRun *angles, SinoData **sinogram)
{
    const SinoConePiece piece = {.position = position_of(slab),
                                 .angles = angles,
                                 .rows = slab->rows,
                                 .uncounted = slab->uncounted,
                                 .field_set = slab->number % SINO_CONE_FIELD_SETS,
                                 .first = !slab->counted,
                                 .undefined = run->undefined[slab->number % SINO_CONE_FIELD_SETS]};
    slab->counted = true;
    run->pieces_begun++;
    return sino_cone_pieces_insert(run->pieces, &piece, sinogram);
}

/* A piece of a block, and the lines that it becomes in this rank. */
typedef struct Piece {
    int64_t block, number; /* of the piece in its block */
    const SinoAngleRun *angles;
    SinoData *lines;
} Piece;

/* The message of a piece's lines to or from a rank of this column, for the share of a row. */
static SinoMessage message_of_lines(const SinoConeRun *run, const Slab *slab, const Piece *piece, int64_t other,
                                    int64_t row)
{
    const SinoConeStreaming *plan = run->of.streaming;
    const int64_t number = (slab->number * run->blocks + piece->block) * SINO_BLOCK_PIECES + piece->number;
    return (SinoMessage){.name = "lines",
                         .position = position_of(slab),
                         .process = sino_cone_process(plan, (SinoConeRank){other, run->rank.column}),
                         .tag = number * plan->grid_rows + row};
}

/* Makes the lines of a filtered piece for the share of a row of ranks, and sends them if they are for another rank. */
static SinoStatus insert_lines(SinoConeRun *run, const Slab *slab, const Piece *piece, SinoConePacking *packing,
                               int64_t row, SinoData *sinogram)
{
    const SinoConeStreaming *plan = run->of.streaming;
    const bool own = row == run->rank.row;
    SinoData *lines = own ? piece->lines : run->sent[(run->pieces_begun - 1) % plan->send_sets * plan->grid_rows + row];
    if (sino_cone_share(run->of.cone, plan, slab->number, row).count == 0) return NULL;
    packing->lines = sino_cone_run_lines(run, slab->number, row);
    SINO_TRY(sino_insert_lines(run->of.runtime, position_of(slab), packing, sinogram, run->pack_scratch, lines));
    if (own) return NULL;
    const SinoMessage message = message_of_lines(run, slab, piece, row, row);
    run->of.traffic->lines_bytes += sino_cone_piece_bytes(run->of.cone, plan, row);
    return sino_send(run->of.runtime, &message, lines);
}

/* Loads and filters a piece, and makes its lines for all ranks of this column. */
static SinoStatus insert_own_piece(SinoConeRun *run, Slab *slab, const Piece *piece)
{
    SinoRuntime *runtime = run->of.runtime;
    const SinoAngleRun *angles = piece->angles;
    const SinoSlices rows = {SINO_SINGLE, sino_panel_stride(SINO_SINGLE, slab->rows.count), slab->rows.count};
    SinoData *sinogram = NULL;
    const int64_t first_weight = angles->first * run->filtered.column_count;
    const SinoWeigh weigh = {.cone = run->of.cone,
                             .angle_count = angles->count,
                             .rows = rows,
                             .first_row = slab->rows.first,
                             .ray_weight = run->ray_weight + first_weight,
                             .weights = run->weights,
                             .first_weight = first_weight};
    SinoConePacking packing = {
        .cone = run->of.cone, .rows = rows, .first_row = slab->rows.first, .angle_count = angles->count};
    SINO_TRY(sino_input_await(run->of.input, runtime, sino_cone_pieces_io(run->pieces), run->of.live,
                              angles->first + angles->count));
    SINO_TRY(insert_sinogram(run, slab, angles, &sinogram));
    if (!slab->wanted) return NULL;
    SinoData *beside = run->weighed[(run->pieces_begun - 1) % run->of.streaming->piece_sets];
    SinoData *weighed = beside ? beside : sinogram;
    SINO_TRY(sino_insert_weigh(runtime, position_of(slab), &weigh, sinogram, weighed));
    SINO_TRY(sino_insert_filter(position_of(slab), run->plans[angles->count], rows, weighed));
    for (int64_t r = 1; r <= run->of.streaming->grid_rows; r++) /* other ranks first */
        SINO_TRY(insert_lines(run, slab, piece, &packing, (run->rank.row + r) % run->of.streaming->grid_rows, weighed));
    return NULL;
}

/* The pieces of a column go round its ranks. */
static SinoStatus insert_piece(SinoConeRun *run, Slab *slab, const Piece *piece)
{
    const int64_t owner = slab->pieces++ % run->of.streaming->grid_rows;
    if (owner == run->rank.row) return insert_own_piece(run, slab, piece);
    if (slab->share.count == 0 || !slab->wanted) return NULL;
    const SinoMessage message = message_of_lines(run, slab, piece, owner, run->rank.row);
    return sino_receive(run->of.runtime, &message, piece->lines);
}

static SinoStatus insert_block(SinoConeRun *run, Slab *slab, int64_t block, SinoData *const *lines)
{
    for (int64_t p = 0; p < sino_cone_piece_count(run->of.cone, run->of.streaming, block); p++) {
        const Piece piece = {block, p, &run->piece[block * SINO_BLOCK_PIECES + p], lines[p]};
        SINO_TRY(insert_piece(run, slab, &piece));
    }
    return NULL;
}

/* What a block adds to all slices, in units of a slice's store. */
static double work_of_block(int64_t projections)
{
    return (double)projections / 16;
}

/* The lines of this rank's blocks. */
static const SinoConeLines *block_lines(const SinoConeRun *run, int64_t slab, int64_t block)
{
    return sino_cone_run_lines(run, slab, block + 1 == run->blocks ? run->of.streaming->grid_rows : run->rank.row);
}

/* The memory of the lines of a block that is the last one begun, or the number `back` before it. */
static SinoData *const *lines_of(const SinoConeRun *run, int64_t back)
{
    return run->block[(run->blocks_begun - 1 - back) % run->of.streaming->block_sets];
}

/* Adds a block to a part. Number `part`: chunk · bands + band. */
static SinoStatus insert_backprojection(SinoConeRun *run, const Slab *slab, int64_t block, SinoData *const *lines,
                                        int64_t part, int64_t turn)
{
    const SinoCone *cone = run->of.cone;
    const SinoConeStreaming *plan = run->of.streaming;
    const int64_t bands = sino_cone_band_count(cone, plan);
    const double pixels = (double)cone->x_count * (double)cone->y_count;
    SinoBackprojectCone what = {.cone = &run->filtered,
                                .lines = block_lines(run, slab->number, block),
                                .part = sino_cone_part(cone, plan, slab->share, part / bands, part % bands),
                                .angle_rad = run->angle_rad + block * SINO_BLOCK_PROJECTIONS,
                                .piece_projections = run->piece[block * SINO_BLOCK_PIECES].count,
                                .first = block == run->rank.column,
                                .turn = turn};
    const int64_t runs = (int64_t)plan->symmetry.turns * plan->symmetry.halves;
    const double voxels = (double)(what.part.x_count * what.part.y_count * runs) * (double)what.part.voxel_count;
    SinoPosition position = position_of(slab);
    position.partition = part;
    what.progress = work_of_block(sino_cone_projections(what.lines)) * voxels / pixels;
    return sino_insert_backproject_cone(run->of.runtime, position, &what, sino_cone_piece_count(cone, plan, block),
                                        lines, run->scratch, run->part[part]);
}

/* The column of ranks that stores a chunk. */
static int64_t keeper_of(const SinoConeRun *run, int64_t chunk)
{
    return chunk % run->of.streaming->grid_columns;
}

/* The message of a part between two columns. Tags of lines come first. */
static SinoMessage message_of_part(const SinoConeRun *run, const Slab *slab, int64_t part, int64_t other,
                                   int64_t sender)
{
    const SinoConeStreaming *plan = run->of.streaming;
    const int64_t lines = plan->slab_count * run->blocks * SINO_BLOCK_PIECES * plan->grid_rows;
    const int64_t parts = sino_cone_chunk_count(plan, run->share) * sino_cone_band_count(run->of.cone, plan);
    return (SinoMessage){.name = "part",
                         .position = position_of(slab),
                         .process = sino_cone_process(plan, (SinoConeRank){run->rank.row, other}),
                         .tag = lines + (slab->number * parts + part) * plan->grid_columns + sender};
}

/* Adds up a part over the ranks of this row, in the rank that stores it: its own sum, then those of the other columns
 * in the order in which they make them. */
static SinoStatus insert_sum(SinoConeRun *run, const Slab *slab, int64_t part, int64_t keeper)
{
    SinoRuntime *runtime = run->of.runtime;
    const int64_t own = run->rank.column, voxels = sino_cone_run_part_voxels(run);
    if (own != keeper) {
        const SinoMessage message = message_of_part(run, slab, part, keeper, own);
        run->of.traffic->part_bytes += sino_times(voxels, (int64_t)sizeof(float));
        return sino_send(runtime, &message, run->part[part]);
    }
    const int64_t columns = run->of.streaming->grid_columns;
    for (int64_t i = 1; i < columns; i++) {
        const int64_t sender = (own + columns - i) % columns;
        const SinoMessage message = message_of_part(run, slab, part, sender, sender);
        SinoData *arrival = run->arrival[run->arrivals_begun++ % run->of.streaming->arrival_sets];
        SINO_TRY(sino_receive(runtime, &message, arrival));
        SINO_TRY(sino_insert_add_cone(runtime, position_of(slab), voxels, arrival, run->part[part]));
    }
    return NULL;
}

/* The slices of a slab whose journal entries have the undefined values of the whole slab. */
static SinoSpan first_image(const SinoConeRun *run, const Slab *slab)
{
    const SinoConeStreaming *plan = run->of.streaming;
    const int64_t voxels = slab->slices.count / plan->symmetry.halves;
    const int64_t middle = plan->symmetry.halves == 2 ? run->of.cone->z_count / 2 : slab->slices.first;
    return (SinoSpan){middle, sino_smaller(plan->image_slices, voxels)};
}

/* Stores slices: voxels, undefined values, or both. `image` NULL: another rank stores the voxels. */
static SinoStatus insert_store(SinoConeRun *run, const Slab *slab, SinoPosition position, SinoSpan slices,
                               SinoData *image)
{
    SinoRecord *record = run->of.record;
    const SinoStore store = {.keeper = image,
                             .volume = run->of.volume,
                             .journal = run->of.journal,
                             .first_slice = slices.first,
                             .slice_count = slices.count,
                             .numbers = record->numbers,
                             .history = record->history,
                             .tallied = slices.first == first_image(run, slab).first && slab->counted,
                             .tally = sino_cone_tally(run->of.input, record),
                             .sections = record->sections};
    return sino_insert_store(run->of.runtime, position, &store, sino_cone_pieces_io(run->pieces),
                             image ? image : run->none, run->none, run->none,
                             store.tallied ? run->undefined[slab->number % SINO_CONE_FIELD_SETS] : run->none);
}

/* Stores slices that lie in one chunk. */
static SinoStatus insert_image(SinoConeRun *run, const Slab *slab, int64_t chunk, int64_t first, int64_t count)
{
    const SinoConeStreaming *plan = run->of.streaming;
    const int64_t bands = sino_cone_band_count(run->of.cone, plan);
    SinoPosition position = position_of(slab);
    position.minibatch = first / plan->image_slices;
    SinoData *image = run->image[run->images_begun++ % plan->image_sets];
    if (is_done(run, first, count)) return NULL;
    for (int64_t b = 0; b < bands; b++) {
        const SinoConeAssembly assembly = {.cone = run->of.cone,
                                           .symmetry = plan->symmetry,
                                           .part = sino_cone_part(run->of.cone, plan, slab->share, chunk, b),
                                           .first_slice = first,
                                           .slice_count = count,
                                           .scale = run->of.scale,
                                           .mask_ratio = run->of.settings->output.mask_ratio};
        SINO_TRY(sino_insert_assemble_cone(run->of.runtime, position, &assembly, b == 0, run->part[chunk * bands + b],
                                           image));
    }
    return insert_store(run, slab, position, (SinoSpan){first, count}, image);
}

static SinoStatus insert_images(SinoConeRun *run, const Slab *slab, int64_t chunk)
{
    const SinoConeStreaming *plan = run->of.streaming;
    const SinoConePart part = sino_cone_part(run->of.cone, plan, slab->share, chunk, 0);
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
static Slab slab_of(const SinoConeRun *run, int64_t number)
{
    const SinoCone *cone = run->of.cone;
    const SinoConeStreaming *plan = run->of.streaming;
    Slab slab = {.number = number, .slices = sino_cone_slab(cone, plan, number)};
    slab.rows = sino_cone_rows(cone, slab.slices);
    slab.share = sino_cone_share(cone, plan, number, run->rank.row);
    if (number > 0) {
        const SinoSpan before = sino_cone_rows(cone, sino_cone_slab(cone, plan, number - 1));
        slab.uncounted = sino_smaller(sino_larger(before.first + before.count - slab.rows.first, 0), slab.rows.count);
    }
    slab.wanted = !is_done(run, slab.slices.first, slab.slices.count);
    return slab;
}

static bool is_pictured(const SinoConeRun *run, const Slab *slab)
{
    const int64_t row = run->of.record->row_count / 2 - slab->rows.first;
    return run->of.record->sinogram && row >= slab->uncounted && row < slab->rows.count;
}

/* A rank that is alone stops submitting after a failure. Others wait for the messages of a rank that is not; its tasks
 * then do nothing. */
static bool gives_up(const SinoConeRun *run)
{
    return sino_processes_count(sino_runtime_processes(run->of.runtime)) == 1 && sino_runtime_failed(run->of.runtime);
}

/* Whether this rank stores the image that has the undefined values of the slab. */
static bool keeps_first(const SinoConeRun *run, const Slab *slab)
{
    const SinoSpan first = first_image(run, slab);
    const int64_t voxel = run->of.streaming->symmetry.halves == 2 ? 0 : first.first;
    return run->rank.column == 0 && slab->share.first <= voxel && voxel < slab->share.first + slab->share.count;
}

/* Tells the undefined values that this rank has counted, if it stores other images. */
static SinoStatus insert_tally(SinoConeRun *run, const Slab *slab)
{
    const SinoSpan first = first_image(run, slab);
    if (keeps_first(run, slab) || !slab->counted || is_done(run, first.first, first.count)) return NULL;
    return insert_store(run, slab, position_of(slab), first, NULL);
}

/* The last blocks of a slab, which are in memory together and are added to one part after another, so that the first
 * parts are summed and stored while the others are computed. They leave memory for a block of the next slab. */
static int64_t last_blocks(const SinoConeRun *run, const Slab *slab)
{
    const SinoConeStreaming *plan = run->of.streaming;
    const int64_t own = sino_ceil_divide(run->blocks - run->rank.column, plan->grid_columns);
    const bool goes_on = slab->number + 1 < plan->slab_count && plan->block_sets > 1;
    if (run->of.settings->input.follow) return 1; /* each is added as soon as it has come */
    return sino_smaller(own, plan->block_sets - goes_on);
}

/* Adds the last `count` blocks to a part. */
static SinoStatus insert_last_backprojections(SinoConeRun *run, const Slab *slab, int64_t count, int64_t part,
                                              int64_t turn)
{
    const int64_t columns = run->of.streaming->grid_columns;
    const int64_t last = run->rank.column + (sino_ceil_divide(run->blocks - run->rank.column, columns) - 1) * columns;
    for (int64_t back = count - 1; back >= 0; back--)
        SINO_TRY(insert_backprojection(run, slab, last - back * columns, lines_of(run, back), part, turn));
    return NULL;
}

/* Adds the last `count` blocks to all parts, sums them, and makes images. Of as many chunks as there are columns, each
 * of which stores one, a rank takes a band after the other, and of a band its own chunk last: so the ranks of a row
 * send and receive at the same time, and a part is made when those of other ranks arrive. */
static SinoStatus insert_last_blocks(SinoConeRun *run, const Slab *slab, int64_t count)
{
    const SinoConeStreaming *plan = run->of.streaming;
    const int64_t bands = sino_cone_band_count(run->of.cone, plan), columns = plan->grid_columns;
    const int64_t chunks = sino_cone_chunk_count(plan, slab->share);
    int64_t turn = 0;
    for (int64_t first = 0; first < chunks; first += columns) {
        for (int64_t b = 0; b < bands; b++)
            for (int64_t i = 1; i <= columns; i++) {
                const int64_t keeper = (run->rank.column + i) % columns, chunk = first + keeper;
                if (chunk >= chunks) continue;
                SINO_TRY(insert_last_backprojections(run, slab, count, chunk * bands + b, ++turn));
                SINO_TRY(insert_sum(run, slab, chunk * bands + b, keeper));
            }
        if (first + run->rank.column < chunks) SINO_TRY(insert_images(run, slab, first + run->rank.column));
    }
    return NULL;
}

/* Pieces of the next blocks are loaded and filtered while a block is added. */
static SinoStatus insert_slab(SinoConeRun *run, int64_t number)
{
    Slab slab = slab_of(run, number);
    const SinoConeStreaming *plan = run->of.streaming;
    const int64_t columns = plan->grid_columns, last = last_blocks(run, &slab);
    const int64_t parts = sino_cone_chunk_count(plan, slab.share) * sino_cone_band_count(run->of.cone, plan);
    if (!slab.wanted && !is_pictured(run, &slab)) return NULL;
    const bool tallies = slab.wanted && !is_done(run, first_image(run, &slab).first, first_image(run, &slab).count);
    for (int64_t b = run->rank.column; b < run->blocks; b += columns) {
        if (gives_up(run)) return NULL;
        run->blocks_begun++;
        SINO_TRY(insert_block(run, &slab, b, lines_of(run, 0)));
        for (int64_t p = 0; slab.wanted && b + last * columns < run->blocks && p < parts; p++)
            SINO_TRY(insert_backprojection(run, &slab, b, lines_of(run, 0), p, 0));
        if (slab.wanted && b + last * columns < run->blocks) SINO_TRY(sino_cone_live_show(run, number, slab.share, b));
    }
    if (slab.wanted) SINO_TRY(insert_last_blocks(run, &slab, last));
    if (slab.wanted) SINO_TRY(sino_cone_live_show(run, number, slab.share, run->blocks - 1));
    return tallies ? insert_tally(run, &slab) : NULL;
}

/* Slices of a chunk that are not done, if this rank stores them. */
static int64_t slices_to_store(const SinoConeRun *run, const Slab *slab)
{
    const SinoConeStreaming *plan = run->of.streaming;
    const int64_t middle = run->of.cone->z_count / 2;
    int64_t count = 0;
    for (int64_t v = 0; v < slab->share.count; v++) {
        const int64_t voxel = slab->share.first + v;
        if (keeper_of(run, v / plan->part_voxels) != run->rank.column) continue;
        if (plan->symmetry.halves == 1)
            count += !is_done(run, voxel, 1);
        else
            count += !is_done(run, middle + voxel, 1) + !is_done(run, middle - 1 - voxel, 1);
    }
    return count;
}

/* Announces this rank's work: the stores of slices, and the blocks that are added to its shares. */
static SinoStatus expect(const SinoConeRun *run)
{
    const SinoConeStreaming *plan = run->of.streaming;
    double work = 0;
    int64_t projections = 0;
    for (int64_t b = run->rank.column; b < run->blocks; b += plan->grid_columns)
        for (int64_t p = 0; p < sino_cone_piece_count(run->of.cone, plan, b); p++)
            projections += sino_cone_piece(run->of.cone, plan, b, p).count;
    for (int64_t s = 0; s < plan->slab_count; s++) {
        const Slab slab = slab_of(run, s);
        if (!slab.wanted) continue;
        work += (double)(slab.share.count * plan->symmetry.halves) * work_of_block(projections);
        work += (double)slices_to_store(run, &slab);
    }
    const SinoProgressShape shape = {.slice_count = run->of.cone->z_count,
                                     .slab_slices = plan->slab_slices,
                                     .slab_minibatches = sino_ceil_divide(plan->slab_slices, plan->image_slices),
                                     .minibatch_slices = plan->image_slices};
    return sino_runtime_expect(run->of.runtime, work, &shape);
}

static SinoStatus begin(SinoConeRun *run)
{
    if (!run->of.aside) SINO_TRY(expect(run));
    return sino_cone_run_allocate(run);
}

static SinoStatus insert_all(SinoConeRun *run)
{
    for (int64_t s = 0; s < run->of.streaming->slab_count; s++) {
        if (s > 0) SINO_TRY(sino_consensus_go_on(run->of.runtime));
        if (sino_runtime_failed(run->of.runtime) && s > 0) return NULL;
        SINO_TRY(insert_slab(run, s));
    }
    return NULL;
}

SinoStatus sino_cone_reconstruct(const SinoConeReconstruction *reconstruction)
{
    SinoRuntime *runtime = reconstruction->runtime;
    SinoProcesses *processes = sino_runtime_processes(runtime);
    SinoConeRun run = sino_cone_run_of(reconstruction);
    SinoStatus status = sino_processes_agree(processes, begin(&run));
    const bool begun = !status; /* all ranks have begun */
    if (!reconstruction->aside) sino_runtime_profile_begin(runtime);
    if (!status) status = insert_all(&run);
    /* Other ranks would wait for ever for messages that this rank no longer submits. */
    if (begun && *sino_status_text(status) && sino_processes_count(processes) > 1)
        sino_processes_abort(processes, status);
    status = sino_runtime_wait_after(runtime, status);
    if (!reconstruction->aside) sino_runtime_expect_nothing(runtime);
    if (!status && !reconstruction->aside) sino_runtime_profile_report(runtime, "");
    sino_cone_run_free(&run);
    return status;
}
