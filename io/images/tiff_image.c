/* SPDX-License-Identifier: BSD-3-Clause */
/* TIFF image: strips through libtiff into an output file. */
#include "tiff_images.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tiffio.h>

#include "arithmetic.h"
#include "files.h"
#include "numbers.h"

/* Every reader handles strips of strip_bytes. Files above classic_bytes are BigTIFF, which alone can address them. */
static const int64_t strip_bytes = 1 << 20;
enum { ZIP_QUALITY = 1 };
static const int64_t classic_bytes = (int64_t)4000 << 20;

typedef struct TiffSink {
    SinoTiffClient client; /* must be first: the message handler gets the handle as a SinoTiffClient */
    SinoOutputFile *file;
    int64_t position;
} TiffSink;

static tmsize_t sink_read(thandle_t handle, void *bytes, tmsize_t count)
{
    TiffSink *sink = handle;
    if (!sino_output_read(sink->file, sink->position, bytes, (size_t)count)) return -1;
    sink->position += count;
    return count;
}

/* Reports success to libtiff in any case; sino_output_status returns failures. */
static tmsize_t sink_write(thandle_t handle, void *bytes, tmsize_t count)
{
    TiffSink *sink = handle;
    sino_output_write(sink->file, sink->position, bytes, (size_t)count);
    sink->position += count;
    return count;
}

static toff_t sink_size(thandle_t handle)
{
    return (toff_t)sino_output_size(((TiffSink *)handle)->file);
}

static toff_t sink_seek(thandle_t handle, toff_t offset, int whence)
{
    TiffSink *sink = handle;
    const int64_t base = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? sink->position : (int64_t)sink_size(handle);
    sink->position = base + (int64_t)offset;
    return (toff_t)sink->position;
}

static int sink_close(thandle_t handle)
{
    (void)handle; /* the output file is not owned */
    return 0;
}

/* Pixels per centimetre, where the size of a pixel is known. */
static bool set_resolution(TIFF *tiff, const double pixel_um[2])
{
    const double um_per_cm = 1e4;
    if (!(pixel_um[0] > 0) || !(pixel_um[1] > 0)) return true;
    return TIFFSetField(tiff, TIFFTAG_RESOLUTIONUNIT, RESUNIT_CENTIMETER) &&
           TIFFSetField(tiff, TIFFTAG_XRESOLUTION, um_per_cm / pixel_um[0]) &&
           TIFFSetField(tiff, TIFFTAG_YRESOLUTION, um_per_cm / pixel_um[1]);
}

static bool set_compression(TIFF *tiff, const SinoTiffImage *image)
{
    if (!image->deflate) return TIFFSetField(tiff, TIFFTAG_COMPRESSION, COMPRESSION_NONE);
    return TIFFSetField(tiff, TIFFTAG_COMPRESSION, COMPRESSION_ADOBE_DEFLATE) &&
           TIFFSetField(tiff, TIFFTAG_ZIPQUALITY, ZIP_QUALITY) &&
           (image->type == SINO_OUTPUT_FLOAT32 || TIFFSetField(tiff, TIFFTAG_PREDICTOR, PREDICTOR_HORIZONTAL));
}

static bool set_tags(TIFF *tiff, const SinoTiffImage *image, int64_t strip_rows)
{
    const int bits = 8 * (int)sino_codes_bytes(image->type);
    const int format = image->type == SINO_OUTPUT_FLOAT32 ? SAMPLEFORMAT_IEEEFP : SAMPLEFORMAT_UINT;
    return TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, (uint32_t)image->width) &&
           TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, (uint32_t)image->height) &&
           TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, bits) && TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, 1) &&
           TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT, format) && set_compression(tiff, image) &&
           TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK) &&
           TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG) &&
           TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, (uint32_t)strip_rows) && set_resolution(tiff, image->pixel_um) &&
           (!image->description || TIFFSetField(tiff, TIFFTAG_IMAGEDESCRIPTION, image->description));
}

static bool write_strips(TIFF *tiff, const SinoTiffImage *image, int64_t strip_rows)
{
    const int64_t row_bytes = sino_times(image->width, sino_codes_bytes(image->type));
    /* The predictor works in place. */
    char *copy = image->deflate ? malloc((size_t)sino_times(strip_rows, row_bytes)) : NULL;
    bool written = copy || !image->deflate;
    for (int64_t row = 0; written && row < image->height; row += strip_rows) {
        const int64_t rows = sino_smaller(strip_rows, image->height - row), bytes = sino_times(rows, row_bytes);
        /* libtiff only reads a strip that it does not compress, but its parameter is not const. */
        char *strip = (char *)(uintptr_t)image->pixels + row * row_bytes;
        if (copy) memcpy(copy, strip, (size_t)bytes);
        written = TIFFWriteEncodedStrip(tiff, (uint32_t)(row / strip_rows), copy ? copy : strip, bytes) >= 0;
    }
    free(copy);
    return written;
}

static SinoStatus write_tiff(const char *path, SinoOutputFile *file, const SinoTiffImage *image)
{
    TiffSink sink = {.file = file};
    const int64_t row_bytes = sino_times(image->width, sino_codes_bytes(image->type));
    const int64_t strip_rows = row_bytes < strip_bytes ? strip_bytes / row_bytes : 1;
    const char *mode = image->height > classic_bytes / row_bytes ? "w8" : "w";
    sino_tiff_quiet();
    TIFF *tiff = TIFFClientOpen(path, mode, &sink, sink_read, sink_write, sink_seek, sink_close, sink_size, NULL, NULL);
    SINO_CHECK(tiff, SINO_FAILED, "%s: libtiff cannot begin a file (libtiff: %s)", path,
               sino_tiff_reason(&sink.client));
    const bool written = set_tags(tiff, image, strip_rows) && write_strips(tiff, image, strip_rows) && TIFFFlush(tiff);
    TIFFClose(tiff);
    SINO_TRY(sino_output_status(file));
    SINO_CHECK(written, SINO_FAILED, "%s: libtiff failed to write %" PRId64 " × %" PRId64 " pixels (libtiff: %s)", path,
               image->height, image->width, sino_tiff_reason(&sink.client));
    return NULL;
}

SinoStatus sino_tiff_image_save(const char *path, bool overwrite, const SinoTiffImage *image)
{
    SinoOutputFile *file;
    SINO_CHECK(image->height >= 1 && image->height <= INT32_MAX && image->width >= 1 && image->width <= INT32_MAX / 4,
               SINO_BAD_INPUT, "%s: an image of %" PRId64 " × %" PRId64 " pixels; allowed in TIFF: 1 × 1 to %d × %d",
               path, image->height, image->width, INT32_MAX, INT32_MAX / 4);
    SINO_TRY(sino_output_open(path, overwrite, &file));
    SinoStatus status = write_tiff(path, file, image);
    if (!status) return sino_output_seal(file);
    sino_output_discard(file);
    return status;
}

SinoStatus sino_tiff_image_write(const char *path, int64_t height, int64_t width, const float *values,
                                 const char *description)
{
    const SinoTiffImage image = {.height = height, .width = width, .pixels = values, .description = description};
    return sino_tiff_image_save(path, true, &image);
}
