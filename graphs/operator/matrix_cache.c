/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrix cache: surveys and blocks as pieces of operator files (operator_file.h). */
#include "matrix_survey.h"

#include "brick.h"
#include "counts_file.h"
#include "memory.h"
#include "paths.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Increases with every change of what is kept, or of how rows are divided. */
enum { CACHE_VERSION = 5 };

/* Pieces; blocks follow. */
enum { HEAD, FIRST_ROW, SUBSET_ROWS, ROW, BLOCK, PLACE, FIRST_BLOCK };

typedef struct Head {
    int64_t row_count, column_count, nonzero_count, crystal_count;
    SinoRings rings;
    SinoVoxelGrid grid;
    int64_t own_rows, own_nonzeros, all_partitions, subset_count, partition_count, group_count, lanes, brick_count;
    int64_t mirrors, folded; /* of the matrix; those that are folded */
    double bytes_per_nonzero[2];
} Head;

static const char event[] = "operator";

SinoStatus sino_matrix_cache_check(const char *directory)
{
    return directory ? sino_operator_file_check(directory) : NULL;
}

/* ---- key ---- */

/* What determines the blocks, beside the named part of the file. */
typedef struct Identity {
    int64_t version, brick_version, precision, folding, subset_count, rank, rank_count;
    uint64_t weights; /* of ranks */
    int64_t device, inode, bytes, changed_s, changed_ns;
    char parts[24];               /* checksum of parts of the file: a copy may keep the time of another one */
    char map[24], map_values[24]; /* checksums; zeros: no attenuation */
    SinoVoxelGrid grid;
    double slope, width_mm; /* of a camera's blur */
} Identity;

/* Key and file of a matrix. */
typedef struct Place {
    SinoOperatorKey key;
    char *path; /* owned */
} Place;

/* A digest of the ranks' weights. */
static uint64_t digest_of(const SinoMatrixRequest *request)
{
    uint64_t digest = 0;
    if (!request->rank_weight) return 0;
    const SinoOperatorKey key =
        sino_operator_file_key(request->rank_weight, sino_times(request->rank_count, (int64_t)sizeof(double)));
    memcpy(&digest, key.digest, sizeof digest);
    return digest;
}

/* A checksum of a map of attenuation, whose files are small, and of the name of its values in them. */
static SinoStatus sum_map(const char *map, Identity *identity)
{
    char *path[SINO_COUNTS_PATHS] = {NULL};
    SinoStatus status = sino_counts_paths(map, path);
    if (!status) {
        const char *inner = map + strlen(path[0]);
        sino_checksum_bytes(inner, strlen(inner), identity->map_values);
        status = sino_checksum_files(path[1] ? 2 : 1, (const char *const *)path, identity->map);
    }
    for (int i = 0; i < SINO_COUNTS_PATHS; i++) free(path[i]);
    return status;
}

static SinoStatus identify(const char *file, const SinoMatrixRequest *request, SinoPrecision precision,
                           Identity *identity)
{
    struct stat info;
    SINO_CHECK(stat(file, &info) == 0, SINO_BAD_INPUT, "%s: %s", file, strerror(errno));
    *identity = (Identity){.version = CACHE_VERSION,
                           .brick_version = SINO_BRICK_VERSION,
                           .precision = precision,
                           .folding = request->folding == SINO_FOLD_NEVER ? 0 : 1,
                           .subset_count = request->subset_count,
                           .rank = request->rank,
                           .rank_count = request->rank_count,
                           .weights = digest_of(request),
                           .device = (int64_t)info.st_dev,
                           .inode = (int64_t)info.st_ino,
                           .bytes = info.st_size,
                           .changed_s = info.st_mtim.tv_sec,
                           .changed_ns = info.st_mtim.tv_nsec,
                           .grid = request->grid,
                           .slope = request->camera.slope,
                           .width_mm = request->camera.width_mm};
    SINO_TRY(sino_checksum_parts(1, &file, identity->parts));
    return request->camera.attenuation ? sum_map(request->camera.attenuation, identity) : NULL;
}

static SinoStatus place_of(const char *directory, const SinoMatrixRequest *request, SinoPrecision precision,
                           Place *place)
{
    const int64_t length = (int64_t)strlen(request->path);
    Identity identity;
    char *text = NULL, *file = NULL, *inner = NULL;
    SinoStatus status = sino_inner_path_split(request->path, &file, &inner);
    if (!status) status = identify(file, request, precision, &identity);
    if (!status) status = sino_allocate((int64_t)sizeof identity + length, 1, "a key", &text);
    if (!status) {
        memcpy(text, &identity, sizeof identity);
        for (int64_t i = 0; inner && inner[i]; i++) text[(int64_t)sizeof identity + i] = inner[i];
        place->key = sino_operator_file_key(text, (int64_t)sizeof identity + length);
        status = sino_operator_file_path(directory, &place->key, &place->path);
    }
    free(text);
    free(file);
    free(inner);
    return status;
}

/* ---- load ---- */

/* A copy of piece i, which has `count` elements. SINO_BAD_INPUT: it has not; the text is a predicate. */
static SinoStatus take(const SinoOperatorFile *file, int64_t i, int64_t count, size_t element, void *copy)
{
    const SinoOperatorPiece piece = sino_operator_file_piece(file, i);
    SINO_TRY(sino_operator_file_verify(file, i));
    SINO_CHECK(piece.bytes == sino_times(count, (int64_t)element), SINO_BAD_INPUT,
               "has a piece %" PRId64 " of %" PRId64 " bytes", i, piece.bytes);
    SINO_TRY(sino_allocate(count, element, "a matrix", copy));
    memcpy(*(void **)copy, piece.memory, (size_t)piece.bytes);
    return NULL;
}

/* Whether the mirrors are some, and those of a folded matrix have a grid. Rows that repeat others have no number, so
 * that there may be more than the matrix has. */
static bool has_mirrors(const Head *head)
{
    const SinoVoxelGrid *grid = &head->grid;
    if (head->mirrors < 0 || head->mirrors >= SINO_MIRRORS) return false;
    if (head->folded == 0) return head->own_rows <= head->row_count;
    if (grid->x_count <= 0 || grid->y_count <= 0 || grid->z_count <= 0) return false;
    const int64_t orientations = sino_orientation_count((int)head->mirrors);
    return head->folded == head->mirrors && head->own_rows % orientations == 0 &&
           head->own_rows <= sino_times(head->row_count, orientations) &&
           sino_times(grid->x_count, sino_times(grid->y_count, grid->z_count)) == head->column_count;
}

static SinoStatus take_head(const SinoOperatorFile *file, Head *head)
{
    const int64_t most = (int64_t)1 << 40;
    SINO_CHECK(sino_operator_file_piece_count(file) > FIRST_BLOCK, SINO_BAD_INPUT, "has too few pieces");
    const SinoOperatorPiece piece = sino_operator_file_piece(file, HEAD);
    SINO_TRY(sino_operator_file_verify(file, HEAD));
    SINO_CHECK(piece.bytes == (int64_t)sizeof *head, SINO_BAD_INPUT, "has no sizes");
    memcpy(head, piece.memory, sizeof *head);
    SINO_CHECK(
        head->row_count > 0 && head->row_count < most && head->own_rows > 0 && has_mirrors(head) &&
            head->own_nonzeros >= 0 && head->column_count > 0 && head->column_count < most && head->subset_count > 0 &&
            head->partition_count > 0 && head->group_count > 0 && head->group_count <= head->subset_count &&
            sino_times(head->subset_count, head->partition_count) == sino_operator_file_piece_count(file) - FIRST_BLOCK,
        SINO_BAD_INPUT, "has sizes that disagree");
    return NULL;
}

/* Whether rows, row partitions and blocks fit each other, so that nothing outside the vectors is touched. */
static bool fits(const SinoMatrixSurvey *survey)
{
    const int64_t rows = survey->row_count, count = survey->partition_count;
    int64_t all = 0;
    for (int64_t p = 0; p < count; p++)
        if (survey->first_row[p] < 0 || survey->first_row[p + 1] <= survey->first_row[p]) return false;
    const int64_t orientations = survey->orientation_count;
    for (int64_t i = 0; i < rows; i++)
        if (survey->row[i] < (survey->mirrors ? -1 : 0) || survey->row[i] >= survey->outline.row_count) return false;
    for (int64_t s = 0; s < survey->subset_count; s++) {
        int64_t next = 0;
        for (int64_t p = 0; p < count; p++) {
            const SinoMatrixBlock *block = &survey->block[s * count + p];
            if (block->first != next || block->row_count < 0 || block->row_count > rows - next ||
                block->row_count % orientations != 0)
                return false;
            next += block->row_count;
        }
        if (next != survey->subset_rows[s]) return false;
        all += next;
    }
    return all == rows && survey->first_row[count] - survey->first_row[0] == rows / orientations;
}

static SinoStatus check_blocks(const SinoMatrixSurvey *survey, const SinoOperatorFile *file)
{
    for (int64_t p = 0; p < survey->partition_count; p++)
        for (int64_t s = 0; s < survey->subset_count; s++) {
            const int64_t number = FIRST_BLOCK + sino_times(p, survey->subset_count) + s;
            const SinoOperatorPiece piece = sino_operator_file_piece(file, number);
            SINO_TRY(sino_operator_file_verify(file, number));
            SINO_TRY(
                sino_brick_check(piece.memory, piece.bytes,
                                 survey->block[s * survey->partition_count + p].row_count / survey->orientation_count,
                                 survey->order->brick_count));
            sino_forget(piece.memory, piece.bytes); /* the file may be larger than the memory of the run */
        }
    return NULL;
}

/* Which rows of the vectors count. */
static SinoStatus mark_present(SinoMatrixSurvey *survey)
{
    const int64_t orientations = survey->orientation_count;
    if (!survey->mirrors) return NULL;
    SINO_TRY(sino_allocate(survey->row_count / orientations, sizeof *survey->present, "a matrix", &survey->present));
    for (int64_t i = 0; i < survey->row_count; i++)
        survey->present[i / orientations] |= (uint8_t)((survey->row[i] >= 0 ? 1U : 0U) << i % orientations);
    return NULL;
}

static SinoStatus take_all(const SinoOperatorFile *file, SinoMatrixSurvey *survey)
{
    uint32_t *place = NULL;
    Head head;
    SINO_TRY(take_head(file, &head));
    survey->outline = (SinoMatrixOutline){.row_count = head.row_count,
                                          .column_count = head.column_count,
                                          .nonzero_count = head.nonzero_count,
                                          .grid = head.grid,
                                          .crystal_count = head.crystal_count,
                                          .rings = head.rings,
                                          .row_access = true,
                                          .mirrors = (int)head.mirrors};
    survey->mirrors = (int)head.folded;
    survey->orientation_count = sino_orientation_count(survey->mirrors);
    survey->subset_count = head.subset_count;
    survey->partition_count = head.partition_count;
    survey->group_count = head.group_count;
    survey->all_partitions = head.all_partitions;
    survey->row_count = head.own_rows;
    survey->nonzero_count = head.own_nonzeros;
    memcpy(survey->bytes_per_nonzero, head.bytes_per_nonzero, sizeof head.bytes_per_nonzero);
    SINO_TRY(take(file, FIRST_ROW, head.partition_count + 1, sizeof *survey->first_row, &survey->first_row));
    SINO_TRY(take(file, SUBSET_ROWS, head.subset_count, sizeof *survey->subset_rows, &survey->subset_rows));
    SINO_TRY(take(file, ROW, head.own_rows, sizeof *survey->row, &survey->row));
    SINO_TRY(
        take(file, BLOCK, sino_times(head.subset_count, head.partition_count), sizeof *survey->block, &survey->block));
    SINO_TRY(take(file, PLACE, head.column_count, sizeof *place, &place));
    SinoStatus status =
        sino_brick_order_of_places(head.lanes, head.brick_count, head.column_count, place, &survey->order);
    free(place);
    SINO_TRY(status);
    SINO_CHECK(fits(survey), SINO_BAD_INPUT, "has rows that disagree");
    SINO_TRY(mark_present(survey));
    return check_blocks(survey, file);
}

static SinoStatus open_kept(const Place *place, SinoMatrixSurvey *survey)
{
    SINO_TRY(sino_operator_file_open(place->path, &place->key, &survey->kept));
    if (!survey->kept) return NULL;
    SinoStatus status = take_all(survey->kept, survey);
    SinoStatus told = status ? sino_error((SinoErrorKind)sino_status_exit_code(status), "%s %s", place->path,
                                          sino_status_text(status))
                             : NULL;
    sino_status_free(status);
    return told;
}

SinoStatus sino_matrix_cache_load(SinoLog *log, const char *directory, const SinoMatrixRequest *request,
                                  SinoPrecision precision, SinoMatrixSurvey **result)
{
    SinoMatrixSurvey *survey = NULL;
    Place place = {0};
    if (!directory) return NULL;
    SINO_TRY(sino_allocate(1, sizeof *survey, "a matrix", &survey));
    SinoStatus status = place_of(directory, request, precision, &place);
    survey->request = *request;
    if (!status) status = open_kept(&place, survey);
    if (!status && survey->kept && (survey->mirrors || request->folding != SINO_FOLD_ALWAYS)) {
        sino_log_info(log, event, "matrix: read from %s", place.path);
        *result = survey;
        survey = NULL;
    }
    free(place.path);
    sino_matrix_survey_free(survey);
    if (status && sino_status_exit_code(status) == SINO_BAD_INPUT) {
        sino_log_warning(log, event, "%s; the matrix is packed again", sino_status_text(status));
        sino_status_free(status);
        return NULL;
    }
    return status;
}

/* ---- keep ---- */

struct SinoMatrixKeeper {
    Place place;
    SinoOperatorWriter *writer;
};

static SinoStatus append(SinoMatrixKeeper *keeper, const void *memory, int64_t count, size_t element)
{
    const SinoOperatorPiece piece = {.memory = memory, .bytes = sino_times(count, (int64_t)element)};
    return sino_operator_writer_append(keeper->writer, &piece);
}

static SinoStatus append_survey(SinoMatrixKeeper *keeper, const SinoMatrixSurvey *survey)
{
    const SinoMatrixOutline *outline = &survey->outline;
    const Head head = {.row_count = outline->row_count,
                       .column_count = outline->column_count,
                       .nonzero_count = outline->nonzero_count,
                       .crystal_count = outline->crystal_count,
                       .rings = outline->rings,
                       .mirrors = outline->mirrors,
                       .folded = survey->mirrors,
                       .grid = outline->grid,
                       .own_rows = survey->row_count,
                       .own_nonzeros = survey->nonzero_count,
                       .all_partitions = survey->all_partitions,
                       .subset_count = survey->subset_count,
                       .partition_count = survey->partition_count,
                       .group_count = survey->group_count,
                       .lanes = survey->order->lanes,
                       .brick_count = survey->order->brick_count,
                       .bytes_per_nonzero = {survey->bytes_per_nonzero[0], survey->bytes_per_nonzero[1]}};
    SINO_TRY(append(keeper, &head, 1, sizeof head));
    SINO_TRY(append(keeper, survey->first_row, survey->partition_count + 1, sizeof *survey->first_row));
    SINO_TRY(append(keeper, survey->subset_rows, survey->subset_count, sizeof *survey->subset_rows));
    SINO_TRY(append(keeper, survey->row, survey->row_count, sizeof *survey->row));
    SINO_TRY(append(keeper, survey->block, sino_times(survey->subset_count, survey->partition_count),
                    sizeof *survey->block));
    return append(keeper, survey->order->place, outline->column_count, sizeof *survey->order->place);
}

SinoStatus sino_matrix_keeper_new(const char *directory, SinoPrecision precision, const SinoMatrixSurvey *survey,
                                  int64_t bytes, SinoMatrixKeeper **result)
{
    const int64_t pieces = FIRST_BLOCK + sino_times(survey->subset_count, survey->partition_count);
    SinoMatrixKeeper *keeper = NULL;
    SINO_TRY(sino_allocate(1, sizeof *keeper, "a matrix", &keeper));
    SinoStatus status = place_of(directory, &survey->request, precision, &keeper->place);
    if (!status)
        status = sino_operator_writer_new(keeper->place.path, &keeper->place.key, pieces,
                                          bytes + sino_matrix_survey_bytes(survey), &keeper->writer);
    if (!status) status = append_survey(keeper, survey);
    if (status)
        sino_matrix_keeper_discard(keeper);
    else
        *result = keeper;
    return status;
}

SinoStatus sino_matrix_keeper_append(SinoMatrixKeeper *keeper, const void *block, int64_t bytes)
{
    return append(keeper, block, bytes, 1);
}

SinoStatus sino_matrix_keeper_end(SinoLog *log, SinoMatrixKeeper *keeper, SinoOperatorFile **kept)
{
    const Place *place = &keeper->place;
    SinoStatus status = sino_operator_writer_end(keeper->writer);
    keeper->writer = NULL;
    if (!status) sino_log_info(log, event, "matrix: kept in %s", place->path);
    if (!status && kept) status = sino_operator_file_open(place->path, &place->key, kept);
    if (!status && kept && !*kept) status = sino_error(SINO_FAILED, "%s is gone", place->path);
    sino_matrix_keeper_discard(keeper);
    return status;
}

void sino_matrix_keeper_discard(SinoMatrixKeeper *keeper)
{
    if (!keeper) return;
    sino_operator_writer_discard(keeper->writer);
    free(keeper->place.path);
    free(keeper);
}

SinoOperatorPiece sino_matrix_kept_block(const SinoOperatorFile *kept, const SinoMatrixSurvey *survey,
                                         int64_t partition, int64_t subset)
{
    return sino_operator_file_piece(kept, FIRST_BLOCK + sino_times(partition, survey->subset_count) + subset);
}
