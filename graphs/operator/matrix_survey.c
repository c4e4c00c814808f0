/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrix survey: counts the entries of rows, chooses the order of voxels, and divides the rows. */
#include "matrix_survey.h"

#include "bricks_tasks.h"
#include "counts_file.h"
#include "memory.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    PARTITIONS_MIN = 8, /* as many as a run of several workers needs */
    PARTITIONS_MAX = 256,
    NONZEROS_PER_VOXEL = 64,       /* of a row partition, so that sums over row partitions take little of the time */
    BLOCK_NONZEROS = 1 << 17,      /* of a subset's block, about: 100 µs of a core */
    BLOCK_NONZEROS_PER_VOXEL = 16, /* likewise */
    ROW_COST = 8                   /* of a row, in nonzeros */
};

void sino_matrix_survey_free(SinoMatrixSurvey *survey)
{
    if (!survey) return;
    sino_matrix_close(survey->file);
    sino_operator_file_close(survey->kept);
    sino_brick_order_free(survey->order);
    free(survey->first_row);
    free(survey->packed);
    free(survey->subset_rows);
    free(survey->row);
    free(survey->present);
    free(survey->block);
    free(survey->mask);
    free(survey);
}

int64_t sino_matrix_subset_first(const SinoMatrixSurvey *survey, int64_t subset)
{
    int64_t first = 0;
    for (int64_t s = 0; s < subset; s++) first += survey->subset_rows[s];
    return first;
}

int64_t sino_matrix_group_first(const SinoMatrixSurvey *survey, int64_t group)
{
    return sino_times(survey->subset_count, group) / survey->group_count;
}

SinoBrickFold sino_matrix_fold_at(const SinoMatrixSurvey *survey, int64_t subset, int64_t first)
{
    const int64_t row = (sino_matrix_subset_first(survey, subset) + first) / survey->orientation_count;
    return (SinoBrickFold){.orientation_count = survey->orientation_count,
                           .present = survey->present ? survey->present + row : NULL};
}

SinoBrickMirror sino_matrix_mirror(const SinoMatrixSurvey *survey)
{
    return (SinoBrickMirror){.order = survey->order, .grid = survey->outline.grid, .mirrors = survey->mirrors};
}

/* By the share of the rows of vectors that are rows of the matrix. */
int64_t sino_matrix_all_nonzeros(const SinoMatrixSurvey *survey, int64_t stored)
{
    int64_t rows = 0;
    if (!survey->mirrors) return stored;
    for (int64_t i = 0; i < survey->row_count; i++) rows += survey->row[i] >= 0;
    return (int64_t)((double)stored * (double)survey->orientation_count * (double)rows / (double)survey->row_count);
}

int64_t sino_matrix_block_bytes(const SinoMatrixSurvey *survey, SinoPrecision precision)
{
    const double nonzeros = (double)survey->nonzero_count;
    const int64_t blocks = sino_times(survey->subset_count, survey->partition_count);
    return (int64_t)(nonzeros * survey->bytes_per_nonzero[precision == SINO_MIXED]) +
           sino_times(blocks, sino_brick_head_bytes(0)) + survey->row_count / SINO_BRICK_ROWS * 16;
}

/* What a block in single has beside its values are at least the mask and the number of each stored brick. */
int64_t sino_matrix_lists_bytes(const SinoMatrixSurvey *survey)
{
    const double mask = (double)survey->order->lanes / 8, beside = survey->bytes_per_nonzero[0] - sizeof(float);
    const double stored = (double)survey->nonzero_count * fmin(fmax(beside / (mask + 1), 0), 1);
    const double of_entry = 2 * (sizeof(uint32_t) + mask) + sizeof(uint32_t) + sizeof(uint16_t);
    const int64_t blocks = sino_times(survey->subset_count, survey->partition_count);
    return (int64_t)(stored * (of_entry + sizeof(SinoBrickListRun))) +
           sino_times(survey->row_count, (int64_t)sizeof(SinoBrickListRow)) +
           sino_times(blocks, sino_brick_lists_bytes_most(0, 0));
}

int64_t sino_matrix_block_rows(const SinoMatrixSurvey *survey)
{
    const int64_t blocks = sino_times(survey->subset_count, survey->partition_count);
    int64_t most = 0;
    for (int64_t i = 0; i < blocks; i++) most = sino_larger(most, survey->block[i].row_count);
    return most;
}

int64_t sino_matrix_survey_bytes(const SinoMatrixSurvey *survey)
{
    const SinoBrickOrder *order = survey->order;
    const int64_t leads = survey->mirrors ? survey->read_count : 0;
    const int64_t rows = sino_times(sino_times(survey->row_count, 2) + leads, (int64_t)sizeof *survey->row);
    const int64_t voxels = sino_times(order->row_count, (int64_t)(sizeof *order->column + sizeof *survey->mask)) +
                           sino_times(order->column_count, (int64_t)sizeof *order->place);
    return rows + voxels + survey->outline.image_bytes;
}

/* ---- rows ---- */

/* Row partitions of a matrix that is one subset. */
static int64_t undivided_partitions(const SinoMatrixSurvey *survey)
{
    const int64_t wanted = survey->read_nonzeros / sino_times(NONZEROS_PER_VOXEL, survey->order->row_count);
    const int64_t least = sino_times(PARTITIONS_MIN, sino_larger(survey->request.rank_count, 1));
    return sino_smaller(sino_larger(sino_smaller(wanted, PARTITIONS_MAX), least), survey->read_count);
}

/* Row partitions of a matrix with subsets: as many as the blocks of a subset are worth, and a power of two, as workers
 * often are. */
static int64_t subset_partitions(const SinoMatrixSurvey *survey, int64_t most)
{
    const SinoMatrixRequest *request = &survey->request;
    const int64_t ranks = sino_larger(request->rank_count, 1);
    const int64_t least = ranks == 1 ? 1 : sino_times(request->rank_weight ? PARTITIONS_MIN : 2, ranks);
    const int64_t block = sino_larger(BLOCK_NONZEROS, sino_times(BLOCK_NONZEROS_PER_VOXEL, survey->order->row_count));
    const int64_t wanted = survey->read_nonzeros / sino_times(survey->subset_count, block) + 1;
    int64_t count = 1;
    while (count < wanted && count < most) count += count;
    return sino_smaller(sino_larger(count, least), most);
}

/* Row partitions end where they have their share of the entries; they have a row each at least. */
static SinoStatus divide_rows(SinoMatrixSurvey *survey, const int64_t *entries)
{
    const int64_t rows = survey->read_count, nonzeros = survey->read_nonzeros;
    const int64_t undivided = undivided_partitions(survey);
    const int64_t most = survey->subset_count > 1 ? subset_partitions(survey, undivided) : undivided;
    const int64_t units = sino_ceil_divide(undivided, most);
    const double share = ((double)nonzeros + (double)rows * ROW_COST) / (double)most;
    double sum = 0;
    int64_t made = 0;
    SINO_TRY(sino_allocate(most + 1, sizeof *survey->first_row, "row partitions", &survey->first_row));
    for (int64_t i = 0; i < rows; i++) {
        if (made < most && sum >= share * (double)made && (made == 0 || i > survey->first_row[made - 1]))
            survey->first_row[made++] = i;
        sum += (double)entries[i] + ROW_COST;
    }
    survey->partition_count = survey->all_partitions = made;
    survey->first_row[made] = rows;
    survey->group_count = survey->outline.row_access ? sino_smaller(units, survey->subset_count) : 1;
    return NULL;
}

static double speed_of(const SinoMatrixRequest *request, int64_t rank)
{
    return request->rank_weight ? request->rank_weight[rank] : 1;
}

/* The first row partition of a rank: ranks before it have their share of all row partitions, which are about equal. */
static int64_t first_partition(const SinoMatrixSurvey *survey, int64_t rank)
{
    const SinoMatrixRequest *request = &survey->request;
    double before = 0, all = 0;
    for (int64_t r = 0; r < request->rank_count; r++) {
        all += speed_of(request, r);
        if (r < rank) before += speed_of(request, r);
    }
    return rank >= request->rank_count ? survey->all_partitions
                                       : (int64_t)(before / all * (double)survey->all_partitions + 0.5);
}

/* Keeps this rank's row partitions. */
static SinoStatus take_share(SinoMatrixSurvey *survey, const int64_t *entries)
{
    const SinoMatrixRequest *request = &survey->request;
    if (request->rank_count > 1) {
        const int64_t first = first_partition(survey, request->rank);
        const int64_t count = first_partition(survey, request->rank + 1) - first;
        SINO_CHECK(survey->all_partitions >= request->rank_count, SINO_BAD_INPUT,
                   "%" PRId64 " processes share the rows of a matrix that is divided into %" PRId64
                   " parts; allowed: at most so many processes",
                   request->rank_count, survey->all_partitions);
        memmove(survey->first_row, survey->first_row + first, (size_t)(count + 1) * sizeof *survey->first_row);
        survey->partition_count = count;
    }
    survey->row_count =
        sino_times(survey->first_row[survey->partition_count] - survey->first_row[0], survey->orientation_count);
    for (int64_t i = survey->first_row[0]; i < survey->first_row[survey->partition_count]; i++)
        survey->nonzero_count += entries[i];
    return NULL;
}

/* The number n of crystals of which the rows seem to be pairs: there are n² rows, and row a·n + b is empty where a > b.
 * 0: they are no pairs. The format of the file, which may tell it, does not matter, so that all formats give the same
 * order and thus the same bits. */
static int64_t crystals_of(const SinoMatrixSurvey *survey, const int64_t *entries)
{
    const int64_t rows = survey->outline.row_count, crystals = (int64_t)llround(sqrt((double)rows));
    if (survey->mirrors) return survey->outline.crystal_count;
    if (rows / crystals != crystals || rows % crystals != 0) return 0;
    for (int64_t row = 0; row < rows; row++)
        if (entries[row] > 0 && row / crystals > row % crystals) return 0;
    return crystals;
}

/* Moves rows without entries behind the others, which keep their order: sweeps visit bands without nonzeros only to add
 * up their counts. */
static SinoStatus put_empty_last(const int64_t *entries, int64_t count, int64_t *row)
{
    int64_t *empty = NULL, kept = 0, moved = 0;
    SINO_TRY(sino_allocate(count, sizeof *empty, "the order of rows", &empty));
    for (int64_t i = 0; i < count; i++) {
        if (entries[row[i]] > 0)
            row[kept++] = row[i];
        else
            empty[moved++] = row[i];
    }
    memcpy(row + kept, empty, (size_t)moved * sizeof *row);
    free(empty);
    return NULL;
}

/* Rows that are pairs of crystals are packed in the order of their keys; others as they are; those without entries come
 * last. */
static SinoStatus order_rows(SinoMatrixSurvey *survey, int64_t partition, const int64_t *entries, int64_t crystals)
{
    const int64_t first = survey->first_row[partition], count = survey->first_row[partition + 1] - first;
    int64_t *row = survey->packed + (first - survey->first_row[0]);
    uint64_t *key = NULL;
    for (int64_t i = 0; i < count; i++) row[i] = i;
    if (crystals > 0) {
        SINO_TRY(sino_allocate(count, sizeof *key, "the order of rows", &key));
        for (int64_t i = 0; i < count; i++)
            key[i] = sino_brick_pair_key(crystals, sino_matrix_image_row(survey->file, first + i, 0));
        SinoStatus status = sino_brick_sort_rows(count, key, row);
        free(key);
        SINO_TRY(status);
    }
    SINO_TRY(put_empty_last(entries + first, count, row));
    for (int64_t i = 0; i < count; i++) row[i] += first;
    return NULL;
}

/* The subset of a row that is stored. */
static int64_t subset_of(const SinoMatrixSurvey *survey, int64_t row)
{
    return survey->subset_count > 1 ? sino_matrix_lead_row(survey->file, row) % survey->subset_count : 0;
}

/* Counts the rows and entries of the partition's blocks. */
static void count_blocks(SinoMatrixSurvey *survey, int64_t partition, const int64_t *entries)
{
    for (int64_t i = survey->first_row[partition]; i < survey->first_row[partition + 1]; i++) {
        const int64_t s = subset_of(survey, i);
        SinoMatrixBlock *block = &survey->block[s * survey->partition_count + partition];
        block->row_count += survey->orientation_count;
        block->nonzero_count += entries[i];
    }
}

/* Blocks of a subset follow each other in its vectors. */
static void place_blocks(SinoMatrixSurvey *survey)
{
    for (int64_t s = 0; s < survey->subset_count; s++)
        for (int64_t p = 0; p < survey->partition_count; p++) {
            SinoMatrixBlock *block = &survey->block[s * survey->partition_count + p];
            block->first = survey->subset_rows[s];
            survey->subset_rows[s] += block->row_count;
        }
}

/* Lists a row that is stored, in every orientation, from index `at` of the vectors on. */
static void list_row(SinoMatrixSurvey *survey, int64_t row, int64_t at)
{
    unsigned present = 0;
    for (int64_t k = 0; k < survey->orientation_count; k++) {
        survey->row[at + k] = sino_matrix_image_row(survey->file, row, k);
        present |= (survey->row[at + k] >= 0 ? 1U : 0U) << k;
    }
    if (survey->present) survey->present[at / survey->orientation_count] = (uint8_t)present;
}

/* Lists the rows of the vectors of each subset. */
static SinoStatus list_rows(SinoMatrixSurvey *survey)
{
    int64_t *next = NULL;
    SINO_TRY(sino_allocate(survey->subset_count, sizeof *next, "subsets of rows", &next));
    for (int64_t s = 0; s < survey->subset_count; s++) next[s] = sino_matrix_subset_first(survey, s);
    for (int64_t i = 0; i < survey->row_count / survey->orientation_count; i++) {
        int64_t *at = &next[subset_of(survey, survey->packed[i])];
        list_row(survey, survey->packed[i], *at);
        *at += survey->orientation_count;
    }
    free(next);
    return NULL;
}

static SinoStatus place_rows(SinoMatrixSurvey *survey, const int64_t *entries)
{
    const int64_t rows = survey->row_count, stored = rows / survey->orientation_count;
    const int64_t crystals = crystals_of(survey, entries);
    SINO_TRY(sino_allocate(stored, sizeof *survey->packed, "rows of a matrix", &survey->packed));
    if (survey->mirrors) SINO_TRY(sino_allocate(stored, sizeof *survey->present, "rows of a matrix", &survey->present));
    SINO_TRY(sino_allocate(rows, sizeof *survey->row, "rows of a matrix", &survey->row));
    SINO_TRY(sino_allocate(survey->subset_count, sizeof *survey->subset_rows, "subsets", &survey->subset_rows));
    SINO_TRY(sino_allocate(sino_times(survey->subset_count, survey->partition_count), sizeof *survey->block, "blocks",
                           &survey->block));
    for (int64_t p = 0; p < survey->partition_count; p++) {
        SINO_TRY(order_rows(survey, p, entries, crystals));
        count_blocks(survey, p, entries);
    }
    place_blocks(survey);
    return list_rows(survey);
}

/* ---- the request ---- */

static bool has_grid(const SinoVoxelGrid *grid)
{
    return grid->x_count > 0;
}

/* Takes over what the request says of the grid. */
static SinoStatus take_grid(const SinoMatrixRequest *request, SinoMatrixSurvey *survey)
{
    const SinoVoxelGrid *given = &request->grid;
    SinoVoxelGrid *grid = &survey->outline.grid;
    const int64_t columns = survey->outline.column_count;
    if (has_grid(given)) {
        const int64_t voxels = sino_times(sino_times(given->x_count, given->y_count), given->z_count);
        SINO_CHECK(voxels == columns, SINO_BAD_INPUT,
                   "volume is %" PRId64 "x%" PRId64 "x%" PRId64 " = %" PRId64
                   " voxels; allowed: as many as %s has columns, %" PRId64,
                   given->x_count, given->y_count, given->z_count, voxels, request->path, columns);
        const bool same = grid->x_count == given->x_count && grid->y_count == given->y_count;
        SINO_CHECK(
            !has_grid(grid) || same, SINO_BAD_INPUT,
            "volume is %" PRId64 "x%" PRId64 "x%" PRId64 "; allowed: that of %s, %" PRId64 "x%" PRId64 "x%" PRId64,
            given->x_count, given->y_count, given->z_count, request->path, grid->x_count, grid->y_count, grid->z_count);
        grid->x_count = given->x_count;
        grid->y_count = given->y_count;
        grid->z_count = given->z_count;
    }
    for (int i = 0; i < 3; i++)
        if (given->size[i] > 0) grid->size[i] = given->size[i];
    return NULL;
}

SinoStatus sino_matrix_read_mask(SinoMatrixSurvey *survey)
{
    const SinoMatrixRequest *request = &survey->request;
    const SinoBrickOrder *order = survey->order;
    const SinoCountsRequest wanted = {.path = request->mask,
                                      .element_count = order->column_count,
                                      .image = true,
                                      .grid = survey->outline.grid,
                                      .set_count = 1,
                                      .negative = true};
    SinoCountsFile *file = NULL;
    float *image = NULL;
    int64_t kept = 0;
    if (!request->mask) return NULL;
    SINO_TRY(sino_allocate(order->row_count, sizeof *survey->mask, "the mask", &survey->mask));
    SINO_TRY(sino_allocate(order->column_count, sizeof *image, "the mask", &image));
    SinoStatus status = sino_counts_open(&wanted, &file);
    if (!status) status = sino_counts_read(file, 0, 1, image);
    for (int64_t i = 0; i < order->column_count && !status; i++) {
        const bool keeps = image[i] > 0 || image[i] < 0;
        survey->mask[order->place[i]] = keeps ? 1 : 0;
        kept += keeps;
    }
    sino_counts_close(file);
    free(image);
    SINO_TRY(status);
    SINO_CHECK(kept > 0, SINO_BAD_INPUT, "mask %s is 0 everywhere; allowed: an image with a voxel that is not 0",
               request->mask);
    return NULL;
}

/* Opens the file, folded or not. */
static SinoStatus open_file(const SinoMatrixRequest *request, bool folded, SinoMatrixSurvey *survey)
{
    survey->request = *request;
    SINO_TRY(sino_matrix_open_from(request->path, request->memory, &survey->file));
    SINO_TRY(sino_matrix_frame(survey->file, &request->grid, &request->camera));
    survey->outline = *sino_matrix_outline(survey->file);
    survey->subset_count = request->subset_count;
    survey->mirrors = folded ? survey->outline.mirrors : 0;
    survey->orientation_count = sino_orientation_count(survey->mirrors);
    SINO_CHECK(request->folding != SINO_FOLD_ALWAYS || survey->mirrors, SINO_BAD_INPUT,
               "mirrors is folded, but %s leaves out no mirrored entries; allowed: auto or unfolded", request->path);
    if (survey->mirrors) SINO_TRY(sino_matrix_fold(survey->file));
    survey->read_count = sino_matrix_read_count(survey->file);
    return NULL;
}

static SinoStatus survey_rows(SinoMatrixSurvey *survey)
{
    const int64_t rows = survey->read_count;
    int64_t *entries = NULL, counted = 0;
    SINO_TRY(sino_allocate(rows, sizeof *entries, "rows of a matrix", &entries));
    SinoStatus status = sino_matrix_count_rows(survey->file, 0, rows, entries);
    for (int64_t i = 0; i < rows; i++) counted += entries[i];
    if (survey->outline.nonzero_count == 0) survey->outline.nonzero_count = counted;
    survey->read_nonzeros = survey->mirrors ? counted : survey->outline.nonzero_count;
    if (!status) status = sino_matrix_order_voxels(survey, entries);
    if (!status) status = divide_rows(survey, entries);
    if (!status) status = take_share(survey, entries);
    if (!status) status = place_rows(survey, entries);
    free(entries);
    return status;
}

/* Memory that a survey takes, at the least: while voxels are ordered, which are sorted if no grid is known, or while
 * rows are listed. */
static int64_t least_bytes(const SinoMatrixSurvey *survey)
{
    enum { ENTRIES = 8, LISTS = 2 * 8, PLACES = 2 * 4, MARKS = 1, SORTED = PLACES + 2 * 16 }; /* of a row or a voxel */
    const int64_t rows = survey->read_count, voxels = survey->outline.column_count;
    const int64_t order = has_grid(&survey->outline.grid) ? PLACES + MARKS : PLACES + MARKS + SORTED;
    return sino_times(2, survey->outline.image_bytes) +
           sino_larger(sino_times(ENTRIES, rows) + sino_times(order, voxels),
                       sino_times(ENTRIES + LISTS, rows) + sino_times(PLACES, voxels));
}

static SinoStatus check_memory(const SinoMatrixSurvey *survey)
{
    const int64_t may = survey->request.memory_bytes, needs = least_bytes(survey);
    char budget[24], needed[24];
    SINO_CHECK(may == 0 || needs <= may, SINO_BAD_INPUT,
               "memory: %s may be used, and tables of the %" PRId64 " rows and %" PRId64
               " voxels of %s need %s; allowed: --memory %" PRId64 "MiB or more",
               sino_bytes_text(may, budget), survey->read_count, survey->outline.column_count, survey->request.path,
               sino_bytes_text(needs, needed), (needs >> 20) + 1);
    return NULL;
}

static SinoStatus survey_all(const SinoMatrixRequest *request, bool folded, SinoMatrixSurvey *survey)
{
    SINO_TRY(open_file(request, folded, survey));
    const int64_t rows = survey->outline.row_count;
    SINO_CHECK(rows > 0 && survey->outline.column_count > 0, SINO_BAD_INPUT,
               "%s has %" PRId64 " rows and %" PRId64 " columns; allowed: at least one of each", request->path, rows,
               survey->outline.column_count);
    SINO_CHECK(request->subset_count <= rows, SINO_BAD_INPUT,
               "subsets is %" PRId64 "; allowed: at most the rows of the matrix, %" PRId64, request->subset_count,
               rows);
    SINO_TRY(take_grid(request, survey));
    SINO_TRY(check_memory(survey));
    return survey_rows(survey);
}

static SinoStatus survey_new(const SinoMatrixRequest *request, bool folded, SinoMatrixSurvey **result)
{
    SinoMatrixSurvey *survey = NULL;
    SINO_TRY(sino_allocate(1, sizeof *survey, "a matrix", &survey));
    SINO_GIVE(survey_all(request, folded, survey), survey, sino_matrix_survey_free, result);
}

/* Where the sample of a folded matrix shows that it lacks the symmetry, it is unfolded. Whatever else is wrong is found
 * again. */
SinoStatus sino_matrix_survey_new(const SinoMatrixRequest *request, SinoMatrixSurvey **survey)
{
    SinoStatus status = survey_new(request, request->folding != SINO_FOLD_NEVER, survey);
    if (!status || request->folding != SINO_FOLD_WELL || sino_status_exit_code(status) != SINO_BAD_INPUT) return status;
    sino_status_free(status);
    return survey_new(request, false, survey);
}
