/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrix survey: what a reconstruction with a system matrix knows before the matrix is packed: where voxels and rows
 * lie in vectors, and how the rows are divided.
 *
 * The rows of the matrix are divided into *row partitions*, ranges of rows with about the same number of nonzeros. How
 * many there are depends on the matrix and the subsets alone, as the last bits of sums over row partitions do. Of N
 * subsets, subset s has the rows i with i mod N = s. A subset and a row partition have one block of bricks (brick.h).
 * Small subsets have few row partitions, as each of them takes time for all voxels; so that matrices are nevertheless
 * packed by many tasks, a task packs a *unit*, the blocks of a group of subsets in a row partition.
 *
 * Of a matrix with mirror symmetry only one row of each orbit may be stored (*folded*,
 * matrix_file.h). They are the rows that are divided and packed; vectors of rays have, for each, a row of every
 * orientation, one after another. Rows that repeat others, as the stored row is its own mirror image, belong to no row
 * of the matrix. A subset has whole orbits, folded or not: row i of the matrix goes to that of the first row of its
 * orbit.
 *
 * Each rank has consecutive row partitions with its share of the nonzeros; all that follows is of this rank.
 *
 * Vectors of rays have the rows of a subset, row partition after row partition, in the order in which the block has
 * them. */
#pragma once

#include "brick.h"
#include "brick_mirror.h"
#include "log.h"
#include "matrix_file.h"
#include "operator_file.h"
#include "panel.h"

/* Rows of a subset in a row partition, in every orientation. */
typedef struct SinoMatrixBlock {
    int64_t first; /* of the block in the subset's vectors */
    int64_t row_count;
    int64_t nonzero_count; /* at most */
} SinoMatrixBlock;

/* Whether matrices with mirrors are folded: never; if that serves, as the file stores no mirror images of different
 * values; or always, or refused. */
typedef enum SinoMatrixFolding { SINO_FOLD_NEVER, SINO_FOLD_WELL, SINO_FOLD_ALWAYS } SinoMatrixFolding;

typedef struct SinoMatrixRequest {
    const char *path;
    const SinoMemoryMatrix *memory; /* read in place of the file; NULL: the file; not owned */
    const char *mask;               /* an image of which voxels are not 0; NULL: none */
    SinoVoxelGrid grid;             /* counts 0: that of the file, if it has one; size 0: unknown */
    SinoCamera camera;
    SinoMatrixFolding folding;
    int64_t subset_count;
    int64_t rank, rank_count;  /* this rank gets a share of the rows; 0, 0: there is one rank */
    const double *rank_weight; /* [rank_count]: relative speed; NULL: all alike; not owned */
    int64_t memory_bytes;      /* that a survey may take; 0: any */
} SinoMatrixRequest;

typedef struct SinoMatrixSurvey {
    SinoMatrixRequest request; /* its paths are not owned */
    SinoMatrixFile *file;      /* owned; NULL: the matrix is kept */
    SinoOperatorFile *kept;    /* packed blocks from a cache; NULL: none; owned */
    SinoMatrixOutline outline; /* its grid is that of the request where that has one */
    SinoBrickOrder *order;     /* owned */
    int mirrors;               /* of a folded matrix; 0: it is not folded */
    int64_t orientation_count; /* rows of the vectors for each row that is stored; 1: it is not folded */
    int64_t subset_count, partition_count;
    int64_t group_count;    /* groups of consecutive subsets, each of which is packed by a task of its own */
    int64_t all_partitions; /* of all ranks; the next ones are this rank's */
    int64_t read_count;     /* rows that are stored, of all ranks: those of the matrix, or its orbits */
    int64_t read_nonzeros;  /* of these, at most */
    int64_t row_count;      /* of this rank's vectors; of one rank that is not folded: outline.row_count */
    int64_t nonzero_count;  /* that are stored of this rank, at most */
    int64_t *first_row;     /* [partition_count + 1]: of the rows that are stored; owned */
    int64_t *packed;        /* [row_count / orientation_count]: the stored rows of each row partition in the order of
                             * packing; NULL: kept; owned */
    int64_t *subset_rows;   /* [subset_count]: rows of the subset's vectors; owned */
    int64_t
        *row; /* [row_count]: rows of the matrix, subset after subset, as in the subsets' vectors; −1: none; owned */
    uint8_t *present; /* [row_count / orientation_count]: as of SinoBrickFold, in this order; NULL: not folded; owned */
    SinoMatrixBlock *block;      /* [subset · partition_count + row partition]; owned */
    double bytes_per_nonzero[2]; /* of bricks, single and mixed; estimated */
    float *mask;                 /* [order->row_count]: 0 where voxels stay 0, else 1; NULL: none; owned */
} SinoMatrixSurvey;

/* Opens the matrix; counts the entries of its rows, which reads files without row access as a whole; reads a sample of
 * rows. SINO_BAD_INPUT: the file (matrix_file.h), a grid that does not have as many voxels as the matrix has columns,
 * more subsets than rows. SINO_FAILED: no memory. */
SinoStatus sino_matrix_survey_new(const SinoMatrixRequest *request, SinoMatrixSurvey **survey);

/* Reads the mask of the survey's request. SINO_BAD_INPUT: it has another size, or is 0 everywhere. */
SinoStatus sino_matrix_read_mask(SinoMatrixSurvey *survey);

void sino_matrix_survey_free(SinoMatrixSurvey *survey); /* takes NULL */

/* The first index of a subset's rows in `row`. */
int64_t sino_matrix_subset_first(const SinoMatrixSurvey *survey, int64_t subset);

/* The first subset of a group; of group_count: the number of subsets. */
int64_t sino_matrix_group_first(const SinoMatrixSurvey *survey, int64_t group);

/* The orientations of a folded matrix, for the block with the rows `first` … of a subset's vectors. */
SinoBrickFold sino_matrix_fold_at(const SinoMatrixSurvey *survey, int64_t subset, int64_t first);

/* The mirrored images of its voxels. */
SinoBrickMirror sino_matrix_mirror(const SinoMatrixSurvey *survey);

/* Nonzeros of the whole matrix, about, of which `stored` are stored. */
int64_t sino_matrix_all_nonzeros(const SinoMatrixSurvey *survey, int64_t stored);

/* Bytes of all blocks, estimated; and of the survey itself. */
int64_t sino_matrix_block_bytes(const SinoMatrixSurvey *survey, SinoPrecision precision);
int64_t sino_matrix_survey_bytes(const SinoMatrixSurvey *survey);

/* Bytes of the lists of all blocks for devices (brick_lists.h): an upper bound, estimated as the blocks are. */
int64_t sino_matrix_lists_bytes(const SinoMatrixSurvey *survey);

/* Rows of the largest block. */
int64_t sino_matrix_block_rows(const SinoMatrixSurvey *survey);

/* Matrix cache: packed system matrices kept as files of a directory, with their surveys. The key is made of what
 * identifies the matrix's file (device, inode, size, time of its last change), the part of it that is named, and
 * everything else that determines the blocks. A kept matrix is mapped: its blocks may be larger than memory. */

/* Called before any work. SINO_BAD_INPUT: no file can be written in the directory (NULL: no directory is asked for). */
SinoStatus sino_matrix_cache_check(const char *directory);

/* The survey of a matrix that is kept in the directory (NULL: none), without its mask. *survey NULL: there is no file,
 * or it cannot be trusted (a warning says so). SINO_FAILED: no memory. */
SinoStatus sino_matrix_cache_load(SinoLog *log, const char *directory, const SinoMatrixRequest *request,
                                  SinoPrecision precision, SinoMatrixSurvey **survey);

/* The block of a row partition and a subset in a kept file. */
SinoOperatorPiece sino_matrix_kept_block(const SinoOperatorFile *kept, const SinoMatrixSurvey *survey,
                                         int64_t partition, int64_t subset);

/* A matrix on its way to the directory. */
typedef struct SinoMatrixKeeper SinoMatrixKeeper;

/* Blocks follow row partition after row partition, and in each subset after subset; bytes: of all blocks, about. After
 * an error the caller calls _discard. Errors: those of operator_file.h. */
SinoStatus sino_matrix_keeper_new(const char *directory, SinoPrecision precision, const SinoMatrixSurvey *survey,
                                  int64_t bytes, SinoMatrixKeeper **keeper);
SinoStatus sino_matrix_keeper_append(SinoMatrixKeeper *keeper, const void *block, int64_t bytes);

/* Completes the file, tells so and frees the keeper. *kept: the file, mapped; NULL: not wanted. */
SinoStatus sino_matrix_keeper_end(SinoLog *log, SinoMatrixKeeper *keeper, SinoOperatorFile **kept);
void sino_matrix_keeper_discard(SinoMatrixKeeper *keeper); /* takes NULL */

/* Matrix sample: what some rows of a system matrix tell of all, while it is surveyed. Sets the order of the voxels, and
 * the bytes per nonzero. entries: [row that is read], at most. SINO_BAD_INPUT: the file is refused (matrix_file.h).
 * SINO_FAILED: no memory. */
SinoStatus sino_matrix_order_voxels(SinoMatrixSurvey *survey, const int64_t *entries);
