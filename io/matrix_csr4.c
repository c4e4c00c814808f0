/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrix csr4: system matrices of PET scanners in the format "PCSR", version 4, of T. Küstner's programs
 * (github.com/envelope-project/mlem). Little-endian, without padding:
 *
 *     "PCSR", u8 version, u8 flags, u16, u32 rows, u32 columns, u64 entries, u32 n
 *     n bytes: u32 layers, f32[layers][5], u32 blocks, u32 blocksize, f32 gap[blocksize − 1], u32 rings,
 *              f32 gap[rings − 1], f32 voxel[3] in mm, u32 grid[3]
 *     u64 end[rows]: the number of entries of this row and all before it
 *     entries × {u32 column, f32 value}
 *
 * Flags: the file leaves out what mirrors give (matrix_mirror.h). An entry that is stored counts; one that is not has
 * the value of a stored entry that a combination of the flagged mirrors takes to it. Hence entries on a plane of
 * symmetry, which are their own images, count once, and a file may store more than it needs to (matrix_csr4_mirror.c).
 */
#include "matrix_csr4.h"

#include <endian.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arithmetic.h"
#include "matrix_rows.h"
#include "memory.h"
#include "regular_file.h"
#include "vector.h"

enum {
    HEADER_BYTES = 28,
    SCANNER_BYTES_MIN = 60,
    SCANNER_BYTES_MAX = 1 << 20,
    LAYER_BYTES = 20,
    ENTRY_BYTES = 8,
    END_BYTES = 8,
    PIECE = 1 << 14, /* entries, or ends of rows, that are read at once */
};

static uint32_t word_of(const unsigned char *bytes)
{
    uint32_t word;
    memcpy(&word, bytes, sizeof word);
    return le32toh(word);
}

static int64_t long_of(const unsigned char *bytes)
{
    return (int64_t)((uint64_t)word_of(bytes + 4) << 32 | word_of(bytes));
}

static float real_of(const unsigned char *bytes)
{
    const uint32_t bits = word_of(bytes);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The scanner's description while it is read. */
typedef struct Scanner {
    const unsigned char *at;
    int64_t left;      /* bytes; −1 once too many were taken */
    bool symmetric[2]; /* gaps between the crystals of a block, and between rings, are the same from both ends */
} Scanner;

/* Passes `count` parts of `bytes` bytes each, and returns where they begin; NULL: there are not so many. */
static const unsigned char *take(Scanner *scanner, int64_t count, int64_t bytes)
{
    const unsigned char *at = scanner->at;
    if (scanner->left < 0 || count < 0 || count > scanner->left / bytes) {
        scanner->left = -1;
        return NULL;
    }
    scanner->at += count * bytes;
    scanner->left -= count * bytes;
    return at;
}

static int64_t take_word(Scanner *scanner)
{
    const unsigned char *at = take(scanner, 1, 4);
    return at ? (int64_t)word_of(at) : 0;
}

static bool take_gaps(Scanner *scanner, int64_t count)
{
    const unsigned char *gap = take(scanner, count, 4);
    bool symmetric = gap != NULL;
    for (int64_t i = 0; symmetric && i < count; i++) {
        const float a = real_of(gap + 4 * i), b = real_of(gap + 4 * (count - 1 - i));
        symmetric = fabsf(a - b) <= 1e-4F * fmaxf(fabsf(a), fabsf(b));
    }
    return symmetric;
}

/* Reads the description's numbers. False: they need other bytes than it has. */
static bool take_scanner(Scanner *scanner, SinoMirror *mirror, SinoVoxelGrid *grid)
{
    mirror->layer_count = take_word(scanner);
    (void)take(scanner, mirror->layer_count, LAYER_BYTES);
    mirror->block_count = take_word(scanner);
    mirror->block_size = take_word(scanner);
    scanner->symmetric[0] = take_gaps(scanner, mirror->block_size - 1);
    mirror->ring_count = take_word(scanner);
    scanner->symmetric[1] = take_gaps(scanner, mirror->ring_count - 1);
    const unsigned char *size = take(scanner, 3, 4);
    for (int64_t d = 0; d < 3 && size; d++) grid->size[d] = (double)real_of(size + 4 * d);
    mirror->x_count = grid->x_count = take_word(scanner);
    mirror->y_count = grid->y_count = take_word(scanner);
    mirror->z_count = grid->z_count = take_word(scanner);
    return scanner->left == 0;
}

static SinoStatus check_grid(const SinoCsr4 *csr4, const SinoVoxelGrid *grid)
{
    const int64_t voxels = sino_times(grid->x_count, sino_times(grid->y_count, grid->z_count));
    const bool unknown = grid->x_count == 0 && grid->y_count == 0 && grid->z_count == 0;
    SINO_CHECK(unknown || voxels == csr4->column_count, SINO_BAD_INPUT,
               "%s has %" PRId64 " columns, but a grid of %" PRId64 " × %" PRId64 " × %" PRId64
               " voxels; allowed: as many columns as voxels, or the grid 0 × 0 × 0",
               csr4->path, csr4->column_count, grid->x_count, grid->y_count, grid->z_count);
    for (int d = 0; d < 3; d++)
        SINO_CHECK(grid->size[d] >= 0 && isfinite(grid->size[d]), SINO_BAD_INPUT,
                   "%s has voxels of %g mm along %c; allowed: more, or 0 for an unknown size", csr4->path,
                   grid->size[d], "xyz"[d]);
    return NULL;
}

/* Whether the scanner has the symmetries that the flags use. */
static SinoStatus check_mirrors(const SinoCsr4 *csr4, const Scanner *scanner)
{
    const SinoMirror *mirror = &csr4->mirror;
    const int64_t crystals = sino_mirror_crystals(mirror);
    const int round = SINO_MIRROR_X | SINO_MIRROR_Y;
    SINO_CHECK(crystals > 0 && mirror->x_count > 0 && sino_times(crystals, crystals) == csr4->row_count, SINO_BAD_INPUT,
               "%s leaves out mirrored entries (flags %d), but has %" PRId64 " rows, and a scanner of %" PRId64
               " crystals and %" PRId64 " voxels along x; allowed: as many rows as pairs of crystals, and a known grid",
               csr4->path, csr4->flags, csr4->row_count, crystals, mirror->x_count);
    SINO_CHECK(!(csr4->flags & SINO_MIRROR_Y) || mirror->block_count % 2 == 0, SINO_BAD_INPUT,
               "%s leaves out entries mirrored in y (flags %d), but has %" PRId64
               " blocks on a circle; allowed: an even number",
               csr4->path, csr4->flags, mirror->block_count);
    SINO_CHECK(!(csr4->flags & round) || scanner->symmetric[0], SINO_BAD_INPUT,
               "%s leaves out entries mirrored in x or y (flags %d), but its blocks are not symmetric; allowed: gaps "
               "between crystals that are the same from both ends",
               csr4->path, csr4->flags);
    SINO_CHECK(!(csr4->flags & SINO_MIRROR_Z) || scanner->symmetric[1], SINO_BAD_INPUT,
               "%s leaves out entries mirrored in z (flags %d), but its rings are not symmetric; allowed: gaps between "
               "rings that are the same from both ends",
               csr4->path, csr4->flags);
    return NULL;
}

static SinoStatus read_scanner(SinoCsr4 *csr4, int64_t bytes, SinoMatrixOutline *outline)
{
    Scanner scanner = {.left = bytes};
    unsigned char *block = NULL;
    SINO_TRY(sino_allocate(bytes, 1, "a scanner's description", &block));
    SinoStatus status = sino_regular_read(csr4->path, csr4->descriptor, HEADER_BYTES, bytes, block);
    scanner.at = block;
    if (!status && !take_scanner(&scanner, &csr4->mirror, &outline->grid))
        status =
            sino_error(SINO_BAD_INPUT,
                       "%s: its description of a scanner with %" PRId64 " layers, blocks of %" PRId64
                       " crystals and %" PRId64 " rings does not have the %" PRId64 " bytes that it says",
                       csr4->path, csr4->mirror.layer_count, csr4->mirror.block_size, csr4->mirror.ring_count, bytes);
    free(block);
    if (status) return status;
    csr4->crystals = sino_mirror_crystals(&csr4->mirror);
    SINO_TRY(check_grid(csr4, &outline->grid));
    if (csr4->flags) SINO_TRY(check_mirrors(csr4, &scanner));
    outline->crystal_count = sino_times(csr4->crystals, csr4->crystals) == csr4->row_count ? csr4->crystals : 0;
    return NULL;
}

static SinoStatus read_header(SinoCsr4 *csr4, int64_t file_bytes, SinoMatrixOutline *outline)
{
    unsigned char header[HEADER_BYTES];
    const char *path = csr4->path;
    SINO_CHECK(file_bytes >= HEADER_BYTES, SINO_BAD_INPUT, "%s has %" PRId64 " bytes; allowed: at least %d", path,
               file_bytes, HEADER_BYTES);
    SINO_TRY(sino_regular_read(path, csr4->descriptor, 0, HEADER_BYTES, header));
    SINO_CHECK(header[4] == 4, SINO_BAD_INPUT, "%s has csr version %d; allowed: 4", path, header[4]);
    csr4->flags = header[5];
    SINO_CHECK(csr4->flags < SINO_MIRRORS, SINO_BAD_INPUT,
               "%s has the flags %d; allowed: sums of 1, 2 and 4 for mirrors in x, y and z", path, csr4->flags);
    csr4->row_count = word_of(header + 8);
    csr4->column_count = word_of(header + 12);
    csr4->entry_count = long_of(header + 16);
    SINO_TRY(sino_matrix_check_size(path, csr4->row_count, csr4->column_count));
    const int64_t scanner_bytes = word_of(header + 24);
    SINO_CHECK(scanner_bytes >= SCANNER_BYTES_MIN && scanner_bytes <= SCANNER_BYTES_MAX, SINO_BAD_INPUT,
               "%s describes its scanner in %" PRId64 " bytes; allowed: %d to %d", path, scanner_bytes,
               SCANNER_BYTES_MIN, SCANNER_BYTES_MAX);
    csr4->ends_at = HEADER_BYTES + scanner_bytes;
    csr4->entries_at = csr4->ends_at + csr4->row_count * END_BYTES;
    const int64_t left = file_bytes - csr4->entries_at;
    SINO_CHECK(left >= 0 && left % ENTRY_BYTES == 0 && left / ENTRY_BYTES == csr4->entry_count, SINO_BAD_INPUT,
               "%s has %" PRId64 " bytes, which are not those of its %" PRId64 " rows and %" PRIu64
               " entries; it is not whole, or damaged",
               path, file_bytes, csr4->row_count, (uint64_t)csr4->entry_count);
    return read_scanner(csr4, scanner_bytes, outline);
}

/* start[0 … count]: the first entries of rows first … first + count, checked. */
SinoStatus sino_csr4_starts(const SinoCsr4 *csr4, int64_t first, int64_t count, int64_t *start)
{
    const int64_t skipped = first == 0; /* the file has the ends of rows only */
    bool fine = true;
    start[0] = 0;
    SINO_TRY(sino_regular_read(csr4->path, csr4->descriptor, csr4->ends_at + (first - 1 + skipped) * END_BYTES,
                               (count + 1 - skipped) * END_BYTES, start + skipped));
    for (int64_t i = 0; i <= count; i++) start[i] = (int64_t)le64toh((uint64_t)start[i]);
    for (int64_t i = 0; i < count; i++) fine &= start[i] <= start[i + 1];
    if (fine && start[0] >= 0 && start[count] <= csr4->entry_count) return NULL;
    int64_t i = start[0] < 0 || start[0] > csr4->entry_count ? -1 : 0;
    while (i >= 0 && start[i + 1] >= start[i] && start[i + 1] <= csr4->entry_count) i++;
    return sino_error(SINO_BAD_INPUT,
                      "%s: row %" PRId64 " ends at entry %" PRIu64 "; allowed: %" PRIu64
                      " (the end of the row before it) to %" PRId64,
                      csr4->path, first + i, (uint64_t)start[i + 1], i < 0 ? 0 : (uint64_t)start[i], csr4->entry_count);
}

static SinoStatus count_stored(void *state, int64_t first, int64_t count, int64_t *entries)
{
    const SinoCsr4 *csr4 = state;
    int64_t *start = NULL, piece;
    SINO_TRY(sino_allocate(sino_smaller(PIECE, count) + 1, sizeof *start, "rows of a matrix", &start));
    SinoStatus status = NULL;
    for (int64_t done = 0; done < count && !status; done += piece) {
        piece = sino_smaller(PIECE, count - done);
        status = sino_csr4_starts(csr4, first + done, piece, start);
        for (int64_t i = 0; i < piece && !status; i++) entries[done + i] = start[i + 1] - start[i];
    }
    free(start);
    return status;
}

static SinoStatus check_rows(const SinoCsr4 *csr4)
{
    int64_t *start = NULL, count, end = 0;
    SINO_TRY(sino_allocate(PIECE + 1, sizeof *start, "rows of a matrix", &start));
    SinoStatus status = NULL;
    for (int64_t row = 0; row < csr4->row_count && !status; row += count) {
        count = sino_smaller(PIECE, csr4->row_count - row);
        status = sino_csr4_starts(csr4, row, count, start);
        if (!status) status = sino_csr4_check_turned(csr4, row, count, start);
        end = start[count];
    }
    free(start);
    if (status) return status;
    SINO_CHECK(end == csr4->entry_count, SINO_BAD_INPUT,
               "%s: its rows have %" PRId64 " entries; allowed: the %" PRId64 " that its header says", csr4->path, end,
               csr4->entry_count);
    return NULL;
}

/* What is not as it should be among entries. */
typedef struct Flaws {
    int64_t descents; /* columns that are not above the one before them, also those that begin a row */
    bool others;      /* columns outside the matrix, values that are 0, negative or not finite */
} Flaws;

/* raw[2 · count]: column and value in turns. True: there is a column or a value of Flaws.others. */
SINO_VECTORISED static bool split(const uint32_t *restrict raw, int64_t count, uint32_t column_count,
                                  uint32_t *restrict column, float *restrict value)
{
    uint32_t others = 0;
    for (int64_t i = 0; i < count; i++) {
        const uint32_t bits = raw[2 * i + 1];
        column[i] = raw[2 * i];
        memcpy(&value[i], &bits, sizeof bits);
        others |= (column[i] >= column_count) | (bits - 1 >= 0x7f7fffff);
    }
    return others != 0;
}

/* How many of these columns are not above the one before them. The one before the first is there. */
SINO_VECTORISED static int64_t count_descents(const uint32_t *column, int64_t count)
{
    uint32_t descents = 0;
    for (int64_t i = 0; i < count; i++) descents += column[i] <= column[i - 1];
    return descents;
}

/* Reads entries first … first + count − 1 of the file as they are into the rows' arrays. */
static SinoStatus read_entries(const SinoCsr4 *csr4, int64_t first, int64_t count, SinoRowBuffer *buffer, Flaws *flaws)
{
    uint32_t *raw = NULL, *column = buffer->rows.column;
    float *value = buffer->rows.value;
    int64_t piece;
    *flaws = (Flaws){.descents = 0};
    SINO_TRY(sino_row_buffer_piece(buffer, sino_smaller(PIECE, count) * ENTRY_BYTES, &raw));
    for (int64_t done = 0; done < count; done += piece) {
        piece = sino_smaller(PIECE, count - done);
        SINO_TRY(sino_regular_read(csr4->path, csr4->descriptor, csr4->entries_at + (first + done) * ENTRY_BYTES,
                                   piece * ENTRY_BYTES, raw));
        if (__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__)
            for (int64_t i = 0; i < 2 * piece; i++) raw[i] = le32toh(raw[i]);
        flaws->others |= split(raw, piece, (uint32_t)csr4->column_count, column + done, value + done);
        const int64_t compared = done == 0; /* the first entry of all has none before it */
        flaws->descents += count_descents(column + done + compared, piece - compared);
    }
    return NULL;
}

/* Whether descents are at the beginnings of rows only. */
static bool are_ascending(const SinoSparseRows *rows, int64_t descents)
{
    const uint32_t *column = rows->column;
    int64_t between = 0;
    for (int64_t i = 0; i < rows->row_count; i++) {
        const int64_t at = rows->start[i];
        if (at > 0 && at < rows->start[i + 1]) between += column[at] <= column[at - 1];
    }
    return between == descents;
}

SinoStatus sino_csr4_read_stored(void *state, int64_t first, int64_t count, SinoRowBuffer *buffer)
{
    const SinoCsr4 *csr4 = state;
    SinoSparseRows *rows = &buffer->rows;
    Flaws flaws;
    SINO_TRY(sino_row_buffer_need(buffer, first, count, 0));
    SINO_TRY(sino_csr4_starts(csr4, first, count, rows->start));
    const int64_t begin = rows->start[0], entry_count = rows->start[count] - begin;
    SINO_TRY(sino_row_buffer_need(buffer, first, count, entry_count));
    for (int64_t i = count; i > 0; i--) rows->start[i] -= begin;
    SINO_TRY(read_entries(csr4, begin, entry_count, buffer, &flaws));
    if (!flaws.others && are_ascending(rows, flaws.descents)) return NULL;
    return sino_rows_put(csr4->path, csr4->column_count, NULL, buffer);
}

static void close_csr4(void *state)
{
    SinoCsr4 *csr4 = state;
    if (csr4->descriptor >= 0) close(csr4->descriptor);
    free(csr4->image);
    free(csr4->lead);
    free(csr4);
}

static const SinoMatrixSource stored = {.count_rows = count_stored, .read = sino_csr4_read_stored, .close = close_csr4};
static const SinoMatrixSource mirrored = {.count_rows = sino_csr4_count_mirrored,
                                          .read = sino_csr4_read_mirrored,
                                          .fold = sino_csr4_fold,
                                          .image_row = sino_csr4_image_row,
                                          .lead_row = sino_csr4_lead_row,
                                          .close = close_csr4};

static bool probe(const char *path, const unsigned char *head, int64_t bytes)
{
    (void)path;
    return bytes >= 4 && memcmp(head, "PCSR", 4) == 0;
}

static SinoStatus open_csr4(SinoMatrixFile *file)
{
    SinoCsr4 *csr4;
    int64_t bytes;
    SINO_TRY(sino_allocate(1, sizeof *csr4, "a matrix file", &csr4));
    csr4->path = file->path;
    csr4->descriptor = -1;
    file->source = &stored;
    file->state = csr4;
    SINO_TRY(sino_regular_open(file->path, &csr4->descriptor, &bytes));
    SINO_TRY(read_header(csr4, bytes, &file->outline));
    SINO_TRY(check_rows(csr4));
    if (csr4->flags) {
        SINO_TRY(sino_csr4_list_images(csr4));
        file->source = &mirrored;
    }
    file->outline.row_count = csr4->row_count;
    file->outline.column_count = csr4->column_count;
    file->outline.nonzero_count = sino_times(csr4->entry_count, sino_orientation_count(csr4->flags));
    file->outline.mirrors = csr4->flags;
    file->outline.row_access = true;
    return NULL;
}

const SinoMatrixFormat sino_csr4_format = {
    .name = "csr4", .example = "PCSR version 4", .probe = probe, .open = open_csr4};
