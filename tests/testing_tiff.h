/* SPDX-License-Identifier: BSD-3-Clause */
/* Testing with TIFF: images of a known pattern in every way that libtiff writes. */
#pragma once

#include "testing.h"

#include <tiffio.h>

typedef struct TestingTiff {
    const char *mode; /* of TIFFOpen: "w", "wl", "wb", "w8", "a" … */
    int format, bits; /* SAMPLEFORMAT_… */
    int compression;
    int64_t rows, columns;
    int64_t strip_rows, tile; /* tile: pixels a side, a multiple of 16; 0: strips */
    int64_t image;            /* number of the image, for its values */
    int samples;              /* per pixel; 0: 1 */
    int photometric;          /* 0: MINISBLACK, for PHOTOMETRIC_MINISWHITE is 0 give −1 */
    int subfile, orientation; /* FILETYPE_…, ORIENTATION_…; 0: none */
    const char *description;  /* NULL: none */
    const void *values;       /* [rows][columns] of the type, for images in strips; NULL: testing_tiff_value */
} TestingTiff;

/* A whole number that every type of 8 bits or more holds. */
static inline double testing_tiff_value(int64_t image, int64_t row, int64_t column)
{
    return (double)((image * 31 + row * 7 + column * 3) % 120);
}

static inline void testing_tiff_set(const TestingTiff *wanted, void *to, int64_t at, double value)
{
    const bool is_float = wanted->format == SAMPLEFORMAT_IEEEFP;
    if (wanted->bits == 8) ((uint8_t *)to)[at] = (uint8_t)value;
    if (wanted->bits == 16) ((uint16_t *)to)[at] = (uint16_t)value;
    if (wanted->bits == 32 && !is_float) ((uint32_t *)to)[at] = (uint32_t)value;
    if (wanted->bits == 32 && is_float) ((float *)to)[at] = (float)value;
    if (wanted->bits == 64) ((double *)to)[at] = value;
}

/* The rows and columns from (row, column) on, padded with 0 beyond the image. */
static inline void testing_tiff_block(const TestingTiff *wanted, int64_t row, int64_t column, int64_t rows,
                                      int64_t columns, void *to)
{
    const int64_t samples = wanted->samples ? wanted->samples : 1;
    for (int64_t r = 0; r < rows; r++)
        for (int64_t c = 0; c < columns * samples; c++) {
            const bool inside = row + r < wanted->rows && column + c / samples < wanted->columns;
            testing_tiff_set(wanted, to, r * columns * samples + c,
                             inside ? testing_tiff_value(wanted->image, row + r, column + c / samples) : 0);
        }
}

__attribute__((unused)) static void testing_tiff_write(const char *path, const TestingTiff *wanted)
{
    TIFF *tiff = TIFFOpen(path, wanted->mode ? wanted->mode : "w");
    assert_non_null(tiff);
    const int64_t height = wanted->tile ? wanted->tile : wanted->strip_rows ? wanted->strip_rows : wanted->rows;
    const int64_t width = wanted->tile ? wanted->tile : wanted->columns;
    const int64_t samples = wanted->samples ? wanted->samples : 1, bytes = height * width * samples * wanted->bits / 8;
    void *block = calloc(1, (size_t)bytes + 8);
    assert_non_null(block);
    assert_true(TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, (uint32_t)wanted->rows) &&
                TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, (uint32_t)wanted->columns) &&
                TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, wanted->bits) &&
                TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT, wanted->format) &&
                TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, (int)samples) &&
                TIFFSetField(tiff, TIFFTAG_COMPRESSION, wanted->compression ? wanted->compression : COMPRESSION_NONE) &&
                TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC,
                             wanted->photometric
                                 ? wanted->photometric < 0 ? PHOTOMETRIC_MINISWHITE : wanted->photometric
                                 : PHOTOMETRIC_MINISBLACK) &&
                TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG));
    if (wanted->subfile) assert_true(TIFFSetField(tiff, TIFFTAG_SUBFILETYPE, wanted->subfile));
    if (wanted->orientation) assert_true(TIFFSetField(tiff, TIFFTAG_ORIENTATION, wanted->orientation));
    if (wanted->description) assert_true(TIFFSetField(tiff, TIFFTAG_IMAGEDESCRIPTION, wanted->description));
    if (wanted->tile)
        assert_true(TIFFSetField(tiff, TIFFTAG_TILELENGTH, (uint32_t)height) &&
                    TIFFSetField(tiff, TIFFTAG_TILEWIDTH, (uint32_t)width));
    else
        assert_true(TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, (uint32_t)height));
    uint32_t number = 0;
    for (int64_t row = 0; row < wanted->rows; row += height)
        for (int64_t column = 0; column < wanted->columns; column += width, number++) {
            const int64_t left = wanted->rows - row, rows = wanted->tile || left > height ? height : left;
            if (wanted->values)
                memcpy(block, (const char *)wanted->values + row * width * wanted->bits / 8,
                       (size_t)(rows * width * wanted->bits / 8));
            else
                testing_tiff_block(wanted, row, column, rows, width, block);
            const int64_t part = rows * width * samples * wanted->bits / 8;
            assert_true((wanted->tile ? TIFFWriteEncodedTile : TIFFWriteEncodedStrip)(tiff, number, block, part) >= 0);
        }
    free(block);
    TIFFClose(tiff);
}
