/* SPDX-License-Identifier: BSD-3-Clause */
/* TIFF image: uncompressed float32 strips through libtiff into an output file. */
#include "tiff_image.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

#include <tiffio.h>

#include "memory.h"
#include "output_file.h"
#include "tiff_client.h"

/* Every reader handles strips of strip_bytes. Files above classic_bytes are BigTIFF, which alone can address them. */
static const int64_t strip_bytes = 1 << 20;
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

static bool set_tags(TIFF *tiff, int64_t height, int64_t width, int64_t strip_rows, const char *description)
{
    return TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, (uint32_t)width) &&
           TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, (uint32_t)height) && TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, 32) &&
           TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, 1) &&
           TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT, SAMPLEFORMAT_IEEEFP) &&
           TIFFSetField(tiff, TIFFTAG_COMPRESSION, COMPRESSION_NONE) &&
           TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK) &&
           TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG) &&
           TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, (uint32_t)strip_rows) &&
           (!description || TIFFSetField(tiff, TIFFTAG_IMAGEDESCRIPTION, description));
}

static bool write_strips(TIFF *tiff, int64_t height, int64_t width, int64_t strip_rows, const float *values)
{
    for (int64_t row = 0; row < height; row += strip_rows) {
        const int64_t rows = row + strip_rows < height ? strip_rows : height - row;
        /* libtiff only reads the strip, but its parameter is not const */
        void *strip = (void *)(uintptr_t)(values + row * width);
        if (TIFFWriteEncodedStrip(tiff, (uint32_t)(row / strip_rows), strip, rows * width * 4) < 0) return false;
    }
    return true;
}

static SinoStatus write_tiff(const char *path, SinoOutputFile *file, int64_t height, int64_t width, const float *values,
                             const char *description)
{
    TiffSink sink = {.file = file};
    const int64_t row_bytes = width * 4;
    const int64_t strip_rows = row_bytes < strip_bytes ? strip_bytes / row_bytes : 1;
    const char *mode = height > classic_bytes / row_bytes ? "w8" : "w";
    sino_tiff_quiet();
    TIFF *tiff = TIFFClientOpen(path, mode, &sink, sink_read, sink_write, sink_seek, sink_close, sink_size, NULL, NULL);
    SINO_CHECK(tiff, SINO_FAILED, "%s: libtiff cannot begin a file (libtiff: %s)", path,
               sino_tiff_reason(&sink.client));
    const bool written = set_tags(tiff, height, width, strip_rows, description) &&
                         write_strips(tiff, height, width, strip_rows, values) && TIFFFlush(tiff);
    TIFFClose(tiff);
    SINO_TRY(sino_output_status(file));
    SINO_CHECK(written, SINO_FAILED, "%s: libtiff failed to write %" PRId64 " × %" PRId64 " pixels (libtiff: %s)", path,
               height, width, sino_tiff_reason(&sink.client));
    return NULL;
}

static SinoStatus save(const char *path, bool overwrite, int64_t height, int64_t width, const float *values,
                       const char *description)
{
    SinoOutputFile *file;
    SINO_CHECK(height >= 1 && height <= INT32_MAX && width >= 1 && width <= INT32_MAX / 4, SINO_BAD_INPUT,
               "%s: an image of %" PRId64 " × %" PRId64 " pixels; allowed in TIFF: 1 × 1 to %d × %d", path, height,
               width, INT32_MAX, INT32_MAX / 4);
    SINO_TRY(sino_output_open(path, overwrite, &file));
    SinoStatus status = write_tiff(path, file, height, width, values, description);
    if (!status) return sino_output_seal(file);
    sino_output_discard(file);
    return status;
}

SinoStatus sino_tiff_image_write(const char *path, int64_t height, int64_t width, const float *values,
                                 const char *description)
{
    return save(path, true, height, width, values, description);
}

SinoStatus sino_tiff_image_create(const char *path, int64_t height, int64_t width, const float *values,
                                  const char *description)
{
    return save(path, false, height, width, values, description);
}
