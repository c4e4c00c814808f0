/* SPDX-License-Identifier: BSD-3-Clause */
/* Csr4 writer: the header, whose number of entries is known at the end; the ends of rows; and the entries behind them.
 */
#include "csr4_writer.h"

#include <assert.h>
#include <endian.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"
#include "memory.h"

enum { HEADER_BYTES = 28, COUNT_PLACE = 16, END_BYTES = 8, ENTRY_BYTES = 8, PIECE = 1 << 15 };

struct SinoCsr4Writer {
    SinoOutputFile *file;
    int64_t row_count, rows_written, entry_count;
    int64_t ends_at, entries_at; /* offsets in the file */
    unsigned char *piece;        /* [PIECE · 8]; owned */
};

static unsigned char *put_word(unsigned char *to, uint32_t word)
{
    word = htole32(word);
    memcpy(to, &word, sizeof word);
    return to + sizeof word;
}

static unsigned char *put_long(unsigned char *to, int64_t number)
{
    const uint64_t bits = htole64((uint64_t)number);
    memcpy(to, &bits, sizeof bits);
    return to + sizeof bits;
}

static unsigned char *put_real(unsigned char *to, double number)
{
    const float value = (float)number;
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return put_word(to, bits);
}

static int64_t scanner_bytes(const SinoCsr4Scanner *scanner)
{
    const int64_t fixed = 4 + 20 + 4 + 4 + 4 + 12 + 12;
    return fixed + 4 * (scanner->block_size - 1) + 4 * (scanner->ring_count - 1);
}

/* The header, with 0 entries, and the description of the scanner. */
static unsigned char *put_header(unsigned char *to, const SinoCsr4Scanner *scanner, int64_t rows, int64_t columns)
{
    const SinoVoxelGrid *grid = &scanner->grid;
    const unsigned char signature[8] = {'P', 'C', 'S', 'R', 4, (unsigned char)scanner->mirrors};
    memcpy(to, signature, sizeof signature);
    to = put_word(to + 8, (uint32_t)rows);
    to = put_word(to, (uint32_t)columns);
    to = put_long(to, 0);
    to = put_word(to, (uint32_t)scanner_bytes(scanner));
    to = put_word(to, 1); /* layer */
    to = put_real(to, scanner->crystal_width);
    to = put_real(to, scanner->crystal_width);
    to = put_real(to, scanner->crystal_depth);
    to = put_real(to, scanner->radius);
    to = put_real(to, scanner->attenuation);
    to = put_word(to, (uint32_t)scanner->block_count);
    to = put_word(to, (uint32_t)scanner->block_size);
    for (int64_t i = 1; i < scanner->block_size; i++) to = put_real(to, scanner->gap);
    to = put_word(to, (uint32_t)scanner->ring_count);
    for (int64_t i = 1; i < scanner->ring_count; i++) to = put_real(to, scanner->gap);
    for (int d = 0; d < 3; d++) to = put_real(to, grid->size[d]);
    to = put_word(to, (uint32_t)grid->x_count);
    to = put_word(to, (uint32_t)grid->y_count);
    return put_word(to, (uint32_t)grid->z_count);
}

static SinoStatus write_header(SinoCsr4Writer *writer, const SinoCsr4Scanner *scanner, int64_t columns)
{
    unsigned char *header;
    SINO_TRY(sino_allocate(writer->ends_at, 1, "a header", &header));
    const unsigned char *end = put_header(header, scanner, writer->row_count, columns);
    assert(end == header + writer->ends_at);
    (void)end;
    sino_output_write(writer->file, 0, header, (size_t)writer->ends_at);
    free(header);
    return sino_output_status(writer->file);
}

static SinoStatus open_file(const char *path, bool overwrite, const SinoCsr4Scanner *scanner, SinoCsr4Writer *writer)
{
    const SinoVoxelGrid *grid = &scanner->grid;
    const int64_t crystals = sino_times(scanner->block_count, sino_times(scanner->block_size, scanner->ring_count));
    const int64_t columns = sino_times(grid->x_count, sino_times(grid->y_count, grid->z_count));
    writer->row_count = sino_times(crystals, crystals);
    SINO_CHECK(writer->row_count <= UINT32_MAX && columns <= UINT32_MAX, SINO_BAD_INPUT,
               "the matrix %s has %" PRId64 " rows and %" PRId64 " columns; allowed: up to %" PRIu32 " of each", path,
               writer->row_count, columns, UINT32_MAX);
    writer->ends_at = HEADER_BYTES + scanner_bytes(scanner);
    writer->entries_at = writer->ends_at + writer->row_count * END_BYTES;
    SINO_TRY(sino_allocate(PIECE, ENTRY_BYTES, "entries", &writer->piece));
    SINO_TRY(sino_output_open(path, overwrite, &writer->file));
    return write_header(writer, scanner, columns);
}

SinoStatus sino_csr4_writer_open(const char *path, bool overwrite, const SinoCsr4Scanner *scanner,
                                 SinoCsr4Writer **opened)
{
    SinoCsr4Writer *writer;
    SINO_TRY(sino_allocate(1, sizeof *writer, "a matrix's writer", &writer));
    SINO_GIVE(open_file(path, overwrite, scanner, writer), writer, sino_csr4_writer_abandon, opened);
}

static void write_ends(SinoCsr4Writer *writer, const SinoSparseRows *rows)
{
    for (int64_t done = 0; done < rows->row_count; done += PIECE) {
        const int64_t count = sino_smaller(rows->row_count - done, PIECE);
        unsigned char *to = writer->piece;
        for (int64_t i = 0; i < count; i++)
            to = put_long(to, writer->entry_count + rows->start[done + i + 1] - rows->start[0]);
        sino_output_write(writer->file, writer->ends_at + (rows->first_row + done) * END_BYTES, writer->piece,
                          (size_t)(to - writer->piece));
    }
}

static void write_entries(SinoCsr4Writer *writer, const SinoSparseRows *rows)
{
    for (int64_t done = rows->start[0]; done < rows->start[rows->row_count]; done += PIECE) {
        const int64_t count = sino_smaller(rows->start[rows->row_count] - done, PIECE);
        unsigned char *to = writer->piece;
        for (int64_t i = done; i < done + count; i++)
            to = put_real(put_word(to, rows->column[i]), (double)rows->value[i]);
        sino_output_write(writer->file, writer->entries_at + writer->entry_count * ENTRY_BYTES, writer->piece,
                          (size_t)(to - writer->piece));
        writer->entry_count += count;
    }
}

SinoStatus sino_csr4_writer_rows(SinoCsr4Writer *writer, const SinoSparseRows *rows)
{
    assert(rows->first_row == writer->rows_written && rows->first_row + rows->row_count <= writer->row_count);
    write_ends(writer, rows);
    write_entries(writer, rows);
    writer->rows_written += rows->row_count;
    return sino_output_status(writer->file);
}

int64_t sino_csr4_writer_entries(const SinoCsr4Writer *writer)
{
    return writer->entry_count;
}

SinoStatus sino_csr4_writer_finish(SinoCsr4Writer *writer)
{
    assert(writer->rows_written == writer->row_count);
    (void)put_long(writer->piece, writer->entry_count);
    sino_output_write(writer->file, COUNT_PLACE, writer->piece, sizeof(int64_t));
    SinoStatus status = sino_output_seal(writer->file);
    writer->file = NULL;
    sino_csr4_writer_abandon(writer);
    return status;
}

void sino_csr4_writer_abandon(SinoCsr4Writer *writer)
{
    if (!writer) return;
    sino_output_discard(writer->file);
    free(writer->piece);
    free(writer);
}
