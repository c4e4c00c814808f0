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
 * Flags: the file leaves out what mirrors give (system_matrix.h). An entry that is stored counts; one that is not has
 * the value of a stored entry that a combination of the flagged mirrors takes to it. Hence entries on a plane of
 * symmetry, which are their own images, count once, and a file may store more than it needs to (matrix_csr4_mirror.c).
 */
#include "matrix_source.h"

#include <endian.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files.h"
#include "memory.h"

enum {
    HEADER_BYTES = 28,
    SCANNER_BYTES_MIN = 60,
    SCANNER_BYTES_MAX = 1 << 20,
    LAYER_BYTES = 20,
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
    csr4->entries_at = csr4->ends_at + csr4->row_count * SINO_CSR4_END;
    const int64_t left = file_bytes - csr4->entries_at;
    SINO_CHECK(left >= 0 && left % SINO_CSR4_ENTRY == 0 && left / SINO_CSR4_ENTRY == csr4->entry_count, SINO_BAD_INPUT,
               "%s has %" PRId64 " bytes, which are not those of its %" PRId64 " rows and %" PRIu64
               " entries; it is not whole, or damaged",
               path, file_bytes, csr4->row_count, (uint64_t)csr4->entry_count);
    return read_scanner(csr4, scanner_bytes, outline);
}

static SinoStatus check_rows(const SinoCsr4 *csr4)
{
    int64_t *start = NULL, count, end = 0;
    SINO_TRY(sino_allocate(SINO_CSR4_PIECE + 1, sizeof *start, "rows of a matrix", &start));
    SinoStatus status = NULL;
    for (int64_t row = 0; row < csr4->row_count && !status; row += count) {
        count = sino_smaller(SINO_CSR4_PIECE, csr4->row_count - row);
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

static void close_csr4(void *state)
{
    SinoCsr4 *csr4 = state;
    if (csr4->descriptor >= 0) close(csr4->descriptor);
    free(csr4->image);
    free(csr4->lead);
    free(csr4);
}

static const SinoMatrixSource stored = {
    .count_rows = sino_csr4_count_stored, .read = sino_csr4_read_stored, .close = close_csr4};
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
