/* SPDX-License-Identifier: BSD-3-Clause */
/* TIFF file: reads compressed strips and tiles through libtiff, rows of uncompressed ones directly.
 *
 * A strip counts as a tile as wide as the image. The file is read by pread, not mapped: if another process truncates
 * it, reading fails with an error instead of SIGBUS. */
#include "tiff_images.h"

#include "child.h"
#include "files.h"
#include "memory.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <tiffio.h>
#include <unistd.h>

static const int64_t side_max = 1 << 20; /* pixels */

struct SinoTiffFile {
    SinoTiffClient client; /* must be first: the message handler gets the handle as a SinoTiffClient */
    const char *path;      /* not owned */
    int descriptor;
    int64_t position;
    TIFF *tiff;
    void *buffer; /* holds a decoded strip or tile; owned */
    int64_t buffer_bytes;
};

/* How the current page is stored. */
typedef struct Layout {
    const SinoNumber *sample;
    int64_t row_count, column_count;
    int64_t tile_rows, tile_columns;
    bool tiled, plain; /* plain: uncompressed bytes */
} Layout;

bool sino_tiff_probe(const char *path)
{
    static const char signature[][4] = {{'I', 'I', 42, 0}, {'M', 'M', 0, 42}, {'I', 'I', 43, 0}, {'M', 'M', 0, 43}};
    char start[4];
    const bool whole = sino_regular_head(path, sizeof start, start) == (int64_t)sizeof start;
    for (size_t i = 0; i < sizeof signature / sizeof *signature && whole; i++)
        if (memcmp(start, signature[i], sizeof start) == 0) return true;
    return false;
}

/* Returns the bytes read: fewer than `count` at the end of the file and after an error. */
static int64_t read_at(const SinoTiffFile *file, int64_t position, void *bytes, int64_t count)
{
    int64_t done = 0;
    while (done < count) {
        const ssize_t got = pread(file->descriptor, (char *)bytes + done, (size_t)(count - done), position + done);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        done += got;
    }
    return done;
}

/* Never returns −1: libtiff 4.5 would then write before its buffer. */
static tmsize_t client_read(thandle_t handle, void *bytes, tmsize_t count)
{
    SinoTiffFile *file = handle;
    const int64_t done = read_at(file, file->position, bytes, count);
    file->position += done;
    return done;
}

static tmsize_t client_write(thandle_t handle, void *bytes, tmsize_t count)
{
    (void)handle;
    (void)bytes;
    (void)count;
    return -1;
}

static toff_t client_size(thandle_t handle)
{
    struct stat about;
    return fstat(((SinoTiffFile *)handle)->descriptor, &about) == 0 ? (toff_t)about.st_size : 0;
}

static toff_t client_seek(thandle_t handle, toff_t offset, int whence)
{
    SinoTiffFile *file = handle;
    const int64_t base = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? file->position : (int64_t)client_size(handle);
    file->position = (int64_t)((uint64_t)base + offset);
    return (toff_t)file->position;
}

static int client_close(thandle_t handle)
{
    (void)handle; /* sino_tiff_file_close closes the descriptor */
    return 0;
}

SinoStatus sino_tiff_file_open(const char *path, SinoTiffFile **opened)
{
    SinoTiffFile *file;
    sino_tiff_quiet();
    sino_child_step();
    SINO_TRY(sino_allocate(1, sizeof *file, "a TIFF file", &file));
    file->path = path;
    file->descriptor = -1;
    SinoStatus status = NULL;
    int64_t bytes;
    SINO_TRY_OR(status, fail, sino_regular_open(path, &file->descriptor, &bytes));
    file->tiff =
        TIFFClientOpen(path, "rm", file, client_read, client_write, client_seek, client_close, client_size, NULL, NULL);
    SINO_CHECK_OR(status, fail, file->tiff, SINO_BAD_INPUT, "%s cannot be opened as TIFF (libtiff: %s)", path,
                  sino_tiff_reason(&file->client));
    *opened = file;
    return NULL;
fail:
    sino_tiff_file_close(file);
    return status;
}

void sino_tiff_file_close(SinoTiffFile *file)
{
    if (!file) return;
    if (file->tiff) TIFFClose(file->tiff);
    if (file->descriptor >= 0) close(file->descriptor);
    free(file->buffer);
    free(file);
}

static uint16_t tag_of(TIFF *tiff, uint32_t tag)
{
    uint16_t value = 0;
    return TIFFGetFieldDefaulted(tiff, tag, &value) ? value : 0;
}

/* How pages are compressed that libtiff cannot read, or only if it was built so. */
static SinoStatus check_compression(const SinoTiffFile *file)
{
    static const struct {
        int number;
        const char *name;
    } known[] = {{6, "old JPEG"},      {7, "JPEG"},        {33003, "JPEG 2000"}, {33005, "JPEG 2000"},
                 {34712, "JPEG 2000"}, {34887, "LERC"},    {34925, "LZMA"},      {50000, "Zstandard"},
                 {50001, "WebP"},      {50002, "JPEG XL"}, {52546, "JPEG XL"}};
    const int compression = tag_of(file->tiff, TIFFTAG_COMPRESSION);
    const char *name = "a codec that it does not know";
    if (TIFFIsCODECConfigured((uint16_t)compression)) return NULL;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].number == compression) name = known[i].name;
    return sino_error(
        SINO_BAD_INPUT,
        "%s is compressed by %s (TIFF compression %d), which libtiff cannot read here; allowed: none, LZW, "
        "deflate or another that it reads, as after tiffcp -c lzw",
        file->path, name, compression);
}

static SinoStatus check_orientation(const SinoTiffFile *file)
{
    const int orientation = tag_of(file->tiff, TIFFTAG_ORIENTATION);
    SINO_CHECK(orientation <= ORIENTATION_TOPLEFT, SINO_BAD_INPUT,
               "%s is to be shown turned or mirrored (TIFF orientation %d); allowed: 1, whose first row is the top and "
               "whose first column the left; if the pixels lie so, tiffset -s 274 1 says it",
               file->path, orientation);
    return NULL;
}

static bool is_reduced(const SinoTiffFile *file)
{
    uint32_t type = 0;
    return TIFFGetField(file->tiff, TIFFTAG_SUBFILETYPE, &type) && (type & (FILETYPE_REDUCEDIMAGE | FILETYPE_MASK));
}

/* Refuses images whose numbers are not brightness values: colours, palettes, and 0 as white. */
static SinoStatus check_meaning(const SinoTiffFile *file)
{
    const uint16_t samples = tag_of(file->tiff, TIFFTAG_SAMPLESPERPIXEL);
    uint16_t photometric = PHOTOMETRIC_MINISBLACK;
    (void)TIFFGetField(file->tiff, TIFFTAG_PHOTOMETRIC, &photometric);
    SINO_CHECK(samples == 1, SINO_BAD_INPUT, "%s has %d numbers per pixel; allowed: 1 (grey values)", file->path,
               (int)samples);
    SINO_CHECK(photometric == PHOTOMETRIC_MINISBLACK, SINO_BAD_INPUT,
               "%s has %s; allowed: grey values whose 0 is black", file->path,
               photometric == PHOTOMETRIC_PALETTE      ? "colours of a palette"
               : photometric == PHOTOMETRIC_MINISWHITE ? "grey values whose 0 is white"
                                                       : "parts of colours");
    return NULL;
}

static SinoStatus take_tiles(const SinoTiffFile *file, Layout *layout)
{
    uint32_t rows = 0, columns = 0;
    if (layout->tiled) {
        (void)TIFFGetField(file->tiff, TIFFTAG_TILELENGTH, &rows);
        (void)TIFFGetField(file->tiff, TIFFTAG_TILEWIDTH, &columns);
    } else {
        (void)TIFFGetFieldDefaulted(file->tiff, TIFFTAG_ROWSPERSTRIP, &rows);
        columns = (uint32_t)layout->column_count;
        if (rows > layout->row_count) rows = (uint32_t)layout->row_count;
    }
    SINO_CHECK(rows > 0 && columns > 0 && rows <= side_max && columns <= side_max, SINO_BAD_INPUT,
               "%s has strips or tiles of %" PRIu32 " × %" PRIu32 " pixels; allowed: 1 to %" PRId64 " a side",
               file->path, columns, rows, side_max);
    layout->tile_rows = rows;
    layout->tile_columns = columns;
    return NULL;
}

/* Fills the layout of the page that libtiff has read. */
static SinoStatus take_layout(const SinoTiffFile *file, Layout *layout)
{
    uint32_t rows = 0, columns = 0;
    TIFF *tiff = file->tiff;
    (void)TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &rows);
    (void)TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &columns);
    SINO_CHECK(rows > 0 && columns > 0 && rows <= side_max && columns <= side_max, SINO_BAD_INPUT,
               "%s has %" PRIu32 " × %" PRIu32 " pixels; allowed: 1 to %" PRId64 " a side", file->path, columns, rows,
               side_max);
    SINO_TRY(check_meaning(file));
    SINO_TRY(check_orientation(file));
    SINO_TRY(check_compression(file));
    const uint16_t bits = tag_of(tiff, TIFFTAG_BITSPERSAMPLE), format = tag_of(tiff, TIFFTAG_SAMPLEFORMAT);
    *layout = (Layout){.sample = sino_tiff_sample_find(format, bits),
                       .row_count = rows,
                       .column_count = columns,
                       .tiled = TIFFIsTiled(tiff),
                       .plain = tag_of(tiff, TIFFTAG_COMPRESSION) == COMPRESSION_NONE &&
                                tag_of(tiff, TIFFTAG_FILLORDER) == FILLORDER_MSB2LSB};
    SINO_CHECK(layout->sample, SINO_BAD_INPUT,
               "%s has numbers of %d bits in sample format %d; allowed: integers of 8, 16 or 32 bits, floats of 32 or "
               "64",
               file->path, (int)bits, (int)format);
    return take_tiles(file, layout);
}

const char *sino_tiff_file_description(const SinoTiffFile *file)
{
    const char *description = NULL;
    return TIFFGetField(file->tiff, TIFFTAG_IMAGEDESCRIPTION, &description) ? description : NULL;
}

/* ImageJ writes a stack of more than 4 GB as one page, and gives the number of images in the page's description. */
static SinoStatus check_hidden_images(const SinoTiffFile *file)
{
    const char *description = sino_tiff_file_description(file);
    if (!description) return NULL;
    const char *images = strncmp(description, "ImageJ=", 7) == 0 ? strstr(description, "images=") : NULL;
    SINO_CHECK(!images || strtoll(images + 7, NULL, 10) <= 1, SINO_BAD_INPUT,
               "%s is an ImageJ stack whose images lie behind one page; allowed: a page per image, as in an image "
               "sequence or BigTIFF",
               file->path);
    return NULL;
}

static SinoStatus add_page(const SinoTiffFile *file, int64_t *room, int64_t *count, SinoTiffPage **pages)
{
    Layout layout;
    SINO_TRY(take_layout(file, &layout));
    if (*count == *room) {
        SinoTiffPage *larger = reallocarray(*pages, (size_t)(2 * *room + 1), sizeof *larger);
        SINO_CHECK(larger, SINO_FAILED, "no memory for %" PRId64 " pages of %s", *count, file->path);
        *pages = larger;
        *room = 2 * *room + 1;
    }
    (*pages)[(*count)++] = (SinoTiffPage){.row_count = layout.row_count,
                                          .column_count = layout.column_count,
                                          .type = sino_tiff_sample_type(layout.sample),
                                          .stored_type = layout.sample->name,
                                          .place = TIFFCurrentDirOffset(file->tiff)};
    return NULL;
}

SinoStatus sino_tiff_file_pages(SinoTiffFile *file, int64_t *count, SinoTiffPage **pages)
{
    SinoStatus status = NULL;
    SinoTiffPage *found = NULL;
    int64_t room = 0, found_count = 0;
    do {
        if (!is_reduced(file)) SINO_TRY_OR(status, fail, add_page(file, &room, &found_count, &found));
    } while (TIFFReadDirectory(file->tiff));
    SINO_CHECK_OR(status, fail, !file->client.message[0], SINO_BAD_INPUT,
                  "%s: page %" PRId64 " cannot be read (libtiff: %s)", file->path, found_count,
                  sino_tiff_reason(&file->client));
    SINO_CHECK_OR(status, fail, found_count > 0, SINO_BAD_INPUT,
                  "%s has previews and masks only (TIFF subfile types); allowed: images of full resolution",
                  file->path);
    if (found_count == 1) SINO_TRY_OR(status, fail, check_hidden_images(file));
    *count = found_count;
    *pages = found;
    return NULL;
fail:
    free(found);
    return status;
}

static SinoStatus need_buffer(SinoTiffFile *file, int64_t bytes)
{
    if (bytes <= file->buffer_bytes) return NULL;
    free(file->buffer);
    file->buffer = NULL;
    file->buffer_bytes = 0;
    SINO_TRY(sino_allocate(bytes, 1, "a part of a TIFF image", &file->buffer));
    file->buffer_bytes = bytes;
    return NULL;
}

/* The part of the box that lies in one tile. */
typedef struct Part {
    uint32_t tile;
    int64_t first_row, row_count, first_column, column_count; /* within the tile */
    int64_t row, column;                                      /* of the first pixel of the part, within the box */
} Part;

/* Reads the rows of the part from the file to `buffer`; *row_bytes: bytes of a row there. */
static SinoStatus load_plain(SinoTiffFile *file, const Layout *layout, const Part *part, int64_t *row_bytes)
{
    const int64_t bytes = layout->sample->bytes, stride = layout->tile_columns * bytes;
    const bool whole = part->column_count == layout->tile_columns; /* rows are contiguous: one read */
    const int64_t reads = whole ? 1 : part->row_count, rows = whole ? part->row_count : 1;
    const int64_t start = (int64_t)TIFFGetStrileOffset(file->tiff, part->tile);
    const int64_t stored = (int64_t)TIFFGetStrileByteCount(file->tiff, part->tile);
    const int64_t from = start + part->first_row * stride + part->first_column * bytes;
    SINO_CHECK(start > 0 && stored >= (part->first_row + part->row_count) * stride, SINO_BAD_INPUT,
               "%s is damaged: strip or tile %" PRIu32 " has %" PRId64 " bytes, and begins at byte %" PRId64,
               file->path, part->tile, stored, start);
    *row_bytes = sino_times(part->column_count, bytes);
    SINO_TRY(need_buffer(file, sino_times(part->row_count, *row_bytes)));
    for (int64_t i = 0; i < reads; i++) {
        char *to = (char *)file->buffer + i * *row_bytes;
        SINO_CHECK(read_at(file, from + i * stride, to, rows * *row_bytes) == rows * *row_bytes, SINO_BAD_INPUT,
                   "%s is cut: it ends before its %" PRId64 " rows of %" PRId64 " pixels", file->path,
                   layout->row_count, layout->column_count);
    }
    if (TIFFIsByteSwapped(file->tiff))
        sino_number_swap(layout->sample->bytes, part->row_count * part->column_count, file->buffer);
    return NULL;
}

/* Decodes the whole strip or tile; libtiff corrects the byte order. */
static SinoStatus load_coded(SinoTiffFile *file, const Layout *layout, const Part *part, int64_t *row_bytes)
{
    const int64_t across = (layout->column_count + layout->tile_columns - 1) / layout->tile_columns;
    const int64_t left = layout->row_count - sino_times(part->tile / across, layout->tile_rows);
    const int64_t rows = layout->tiled || left > layout->tile_rows ? layout->tile_rows : left;
    *row_bytes = sino_times(layout->tile_columns, layout->sample->bytes);
    SINO_TRY(need_buffer(file, sino_times(rows, *row_bytes)));
    file->client.message[0] = '\0';
    const tmsize_t done = layout->tiled ? TIFFReadEncodedTile(file->tiff, part->tile, file->buffer, rows * *row_bytes)
                                        : TIFFReadEncodedStrip(file->tiff, part->tile, file->buffer, rows * *row_bytes);
    SINO_CHECK(done == rows * *row_bytes && !file->client.message[0], SINO_BAD_INPUT,
               "%s is cut or damaged: strip or tile %" PRIu32 " cannot be read (libtiff: %s)", file->path, part->tile,
               sino_tiff_reason(&file->client));
    return NULL;
}

static SinoStatus read_part(SinoTiffFile *file, const Layout *layout, const Part *part, const SinoScanBox *box,
                            SinoCountType type, char *counts)
{
    int64_t row_bytes = 0;
    SINO_TRY((layout->plain ? load_plain : load_coded)(file, layout, part, &row_bytes));
    const char *from = file->buffer;
    if (!layout->plain) from += part->first_row * row_bytes + part->first_column * layout->sample->bytes;
    for (int64_t r = 0; r < part->row_count; r++) {
        char *to = counts + ((part->row + r) * box->column_count + part->column) * sino_count_bytes(type);
        sino_tiff_sample_convert(layout->sample, part->column_count, from + r * row_bytes, type, to);
    }
    return NULL;
}

/* The overlap of tile number `tile` along one side with [first, first + count): its position and length within the
 * tile, and its position within the range. */
static void overlap(int64_t tile, int64_t size, int64_t first, int64_t count, int64_t *inside, int64_t *length,
                    int64_t *at)
{
    const int64_t start = sino_times(tile, size);
    const int64_t begin = sino_larger(start, first), end = sino_smaller(start + size, first + count);
    *inside = begin - start;
    *length = end - begin;
    *at = begin - first;
}

SinoStatus sino_tiff_file_read(SinoTiffFile *file, const SinoTiffPage *page, const SinoScanBox *box, SinoCountType type,
                               void *counts)
{
    Layout layout;
    file->client.message[0] = '\0';
    while (page->place == 0 && is_reduced(file) && TIFFReadDirectory(file->tiff)) {
    }
    const bool current = page->place == 0 || page->place == TIFFCurrentDirOffset(file->tiff);
    SINO_CHECK(current || TIFFSetSubDirectory(file->tiff, page->place), SINO_BAD_INPUT,
               "%s: a page is gone (libtiff: %s)", file->path, sino_tiff_reason(&file->client));
    SINO_TRY(take_layout(file, &layout));
    SINO_CHECK(layout.row_count == page->row_count && layout.column_count == page->column_count &&
                   layout.sample->name == page->stored_type,
               SINO_BAD_INPUT, "%s has changed since it was opened", file->path);
    const int64_t across = (layout.column_count + layout.tile_columns - 1) / layout.tile_columns;
    const int64_t last_row = box->first_row + box->row_count - 1,
                  last_column = box->first_column + box->column_count - 1;
    for (int64_t y = box->first_row / layout.tile_rows; y <= last_row / layout.tile_rows; y++) {
        for (int64_t x = box->first_column / layout.tile_columns; x <= last_column / layout.tile_columns; x++) {
            Part part = {.tile = (uint32_t)(y * across + x)};
            overlap(y, layout.tile_rows, box->first_row, box->row_count, &part.first_row, &part.row_count, &part.row);
            overlap(x, layout.tile_columns, box->first_column, box->column_count, &part.first_column,
                    &part.column_count, &part.column);
            SINO_TRY(read_part(file, &layout, &part, box, type, counts));
        }
    }
    return NULL;
}

/* TIFF client: stores libtiff's messages with the file that they concern. */

static void keep_message(thandle_t handle, const char *module, const char *format, va_list arguments)
{
    SinoTiffClient *client = handle;
    (void)module;
    if (client && !client->message[0]) vsnprintf(client->message, sizeof client->message, format, arguments);
}

void sino_tiff_quiet(void)
{
    TIFFSetErrorHandler(NULL);
    TIFFSetWarningHandler(NULL);
    TIFFSetWarningHandlerExt(NULL);
    TIFFSetErrorHandlerExt(keep_message);
}

const char *sino_tiff_reason(const SinoTiffClient *client)
{
    return client->message[0] ? client->message : "no reason given";
}

/* TIFF sample: the number types of TIFF that are read, and what they become in memory. */

const SinoNumber *sino_tiff_sample_find(int format, int bits)
{
    const int64_t bytes = bits / 8;
    if (bits % 8 != 0) return NULL;
    if (format == SAMPLEFORMAT_IEEEFP) return sino_number_find(SINO_NUMBER_REAL, bytes);
    if (bytes > 4) return NULL;
    if (format == SAMPLEFORMAT_INT) return sino_number_find(SINO_NUMBER_SIGNED, bytes);
    /* "undefined" means integers in TIFF 6.0 */
    const bool is_unsigned = format == SAMPLEFORMAT_UINT || format == SAMPLEFORMAT_VOID;
    return is_unsigned ? sino_number_find(SINO_NUMBER_UNSIGNED, bytes) : NULL;
}

SinoCountType sino_tiff_sample_type(const SinoNumber *sample)
{
    if (sample->kind != SINO_NUMBER_UNSIGNED || sample->bytes > 2) return SINO_COUNT_FLOAT32;
    return sample->bytes == 1 ? SINO_COUNT_UINT8 : SINO_COUNT_UINT16;
}

void sino_tiff_sample_convert(const SinoNumber *sample, int64_t count, const void *from, SinoCountType type, void *to)
{
    assert(type == sino_tiff_sample_type(sample) || type == SINO_COUNT_FLOAT32);
    if (type == SINO_COUNT_FLOAT32)
        sample->to_float(from, count, to);
    else
        memcpy(to, from, (size_t)(count * sample->bytes));
}
