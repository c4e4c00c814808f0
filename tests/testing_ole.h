/* SPDX-License-Identifier: BSD-3-Clause */
/* Testing with OLE: compound files with the images of a Zeiss Xradia scanner. All streams lie in sectors of their own.
 */
#pragma once

#include <stdint.h>
#include <string.h>

enum {
    TESTING_OLE_ROOT,
    TESTING_OLE_INFO,
    TESTING_OLE_IMAGES,
    TESTING_OLE_REFERENCE,
    TESTING_OLE_ALIGNMENT,
    TESTING_OLE_STREAMS
};

typedef struct TestingXradia {
    int shift;       /* sectors have 1 << shift bytes: 9 or 12 */
    uint32_t stated; /* number of images that the file tells */
    uint32_t rows, columns, images;
    const uint16_t *image;            /* [images][rows][columns] */
    const uint16_t *flat;             /* [rows][columns]; NULL: there is none */
    const float *flats;               /* [2][rows][columns], as newer files have them; NULL: there are none */
    uint32_t flats_type;              /* that the file tells; 0: 10, float32 */
    const float *angle;               /* [images] */
    const float *x_shift, *y_shift;   /* [images], in a file with a flat field; NULL: there are none */
    float pixel_um, source, detector; /* source 0: a parallel beam */
} TestingXradia;

/* A file that is being made: sector 0 is the table of sectors, the directory follows. */
typedef struct TestingOle {
    unsigned char *bytes;
    size_t sector_bytes;
    uint32_t sectors, entries, directory;
} TestingOle;

static inline void testing_ole_put(unsigned char *at, uint32_t value)
{
    for (int i = 0; i < 4; i++) at[i] = (unsigned char)(value >> 8 * i);
}

static inline unsigned char *testing_ole_sector(const TestingOle *ole, uint32_t sector)
{
    return ole->bytes + ole->sector_bytes * (sector + 1);
}

/* The sector that follows another one in its chain. */
static inline void testing_ole_chain(const TestingOle *ole, uint32_t sector, uint32_t next)
{
    testing_ole_put(testing_ole_sector(ole, 0) + 4 * (size_t)sector, next);
}

static inline void testing_ole_entry(const TestingOle *ole, uint32_t entry, const char *name, int type, uint32_t right,
                                     uint32_t child, uint32_t first, uint32_t bytes)
{
    unsigned char *at = testing_ole_sector(ole, 1) + 128 * (size_t)entry;
    for (size_t i = 0; name[i]; i++) at[2 * i] = (unsigned char)name[i];
    at[66] = (unsigned char)type;
    testing_ole_put(at + 68, UINT32_MAX);
    testing_ole_put(at + 72, right);
    testing_ole_put(at + 76, child);
    testing_ole_put(at + 116, first);
    testing_ole_put(at + 120, bytes);
}

/* Adds a stream; the next one is its right sibling unless it is the last of its storage. */
static inline void testing_ole_stream(TestingOle *ole, const char *name, const void *values, size_t bytes, int last)
{
    const uint32_t first = ole->sectors, count = (uint32_t)((bytes + ole->sector_bytes - 1) / ole->sector_bytes);
    testing_ole_entry(ole, ole->entries, name, 2, last ? UINT32_MAX : ole->entries + 1, UINT32_MAX, first,
                      (uint32_t)bytes);
    memcpy(testing_ole_sector(ole, first), values, bytes);
    for (uint32_t i = 0; i < count; i++) testing_ole_chain(ole, first + i, i + 1 < count ? first + i + 1 : 0xfffffffe);
    ole->sectors += count;
    ole->entries++;
}

static inline void testing_ole_begin(TestingOle *ole, int shift)
{
    memcpy(ole->bytes, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", 8);
    ole->bytes[30] = (unsigned char)shift;
    ole->bytes[32] = 6;
    testing_ole_put(ole->bytes + 44, 1);
    testing_ole_put(ole->bytes + 48, 1);
    testing_ole_put(ole->bytes + 60, 0xfffffffe);
    testing_ole_put(ole->bytes + 68, 0xfffffffe);
    for (uint32_t i = 1; i <= ole->directory; i++) testing_ole_chain(ole, i, i < ole->directory ? i + 1 : 0xfffffffe);
    ole->sectors = ole->directory + 1;
    ole->entries = TESTING_OLE_STREAMS;
}

static inline void testing_ole_info(TestingOle *ole, const TestingXradia *wanted)
{
    const uint32_t geometry = wanted->source != 0 ? 1 : 2, uint16_type = 5;
    testing_ole_stream(ole, "ImageWidth", &wanted->columns, 4, 0);
    testing_ole_stream(ole, "ImageHeight", &wanted->rows, 4, 0);
    testing_ole_stream(ole, "NoOfImages", &wanted->stated, 4, 0);
    testing_ole_stream(ole, "DataType", &uint16_type, 4, 0);
    testing_ole_stream(ole, "XrayGeometry", &geometry, 4, 0);
    testing_ole_stream(ole, "StoRADistance", &wanted->source, 4, 0);
    testing_ole_stream(ole, "DtoRADistance", &wanted->detector, 4, 0);
    testing_ole_stream(ole, "Angles", wanted->angle, 4 * (size_t)wanted->images, 0);
    testing_ole_stream(ole, "PixelSize", &wanted->pixel_um, 4, 1);
}

/* Writes the file into `bytes`, which are 0 and have room; returns its size. At most 100 images, and as many sectors as
 * the numbers of one. */
static inline size_t testing_ole_xradia(const TestingXradia *wanted, unsigned char *bytes)
{
    enum { INFO_STREAMS = 9 };
    const uint32_t entries = TESTING_OLE_STREAMS + INFO_STREAMS + wanted->images + (wanted->flat ? 2 : 0) +
                             (wanted->flats ? 3 : 0) + (wanted->x_shift ? 2 : 0),
                   type = 5, flats_type = wanted->flats_type ? wanted->flats_type : 10;
    const size_t pixels = 2 * (size_t)wanted->rows * wanted->columns;
    char name[16] = "Image";
    TestingOle ole = {.bytes = bytes, .sector_bytes = (size_t)1 << wanted->shift};
    ole.directory = (uint32_t)((128 * (size_t)entries + ole.sector_bytes - 1) / ole.sector_bytes);
    testing_ole_begin(&ole, wanted->shift);
    testing_ole_info(&ole, wanted);
    const uint32_t images = ole.entries;
    for (uint32_t i = 0; i < wanted->images; i++) {
        const uint32_t number = i + 1;
        name[5] = (char)('0' + number / 10);
        name[6] = (char)('0' + number % 10);
        name[7] = '\0';
        if (number < 10) memmove(name + 5, name + 6, 2);
        testing_ole_stream(&ole, name, (const char *)wanted->image + i * pixels, pixels, number == wanted->images);
    }
    const uint32_t reference = ole.entries;
    if (wanted->flat) {
        testing_ole_stream(&ole, "DataType", &type, 4, 0);
        testing_ole_stream(&ole, "Image", wanted->flat, pixels, 1);
    }
    if (wanted->flats) {
        testing_ole_stream(&ole, "DataType", &flats_type, 4, 0);
        testing_ole_stream(&ole, "Image1", wanted->flats, 2 * pixels, 0);
        testing_ole_stream(&ole, "Image2", wanted->flats + pixels / 2, 2 * pixels, 1);
    }
    const uint32_t alignment = ole.entries;
    if (wanted->x_shift) {
        testing_ole_stream(&ole, "X-Shifts", wanted->x_shift, 4 * (size_t)wanted->images, 0);
        testing_ole_stream(&ole, "Y-Shifts", wanted->y_shift, 4 * (size_t)wanted->images, 1);
        testing_ole_entry(&ole, TESTING_OLE_ALIGNMENT, "Alignment", 1, UINT32_MAX, alignment, 0, 0);
    }
    testing_ole_entry(&ole, TESTING_OLE_ROOT, "Root Entry", 5, UINT32_MAX, TESTING_OLE_INFO, 0, 0);
    testing_ole_entry(&ole, TESTING_OLE_INFO, "ImageInfo", 1, TESTING_OLE_IMAGES, TESTING_OLE_STREAMS, 0, 0);
    testing_ole_entry(&ole, TESTING_OLE_IMAGES, "ImageData1", 1,
                      wanted->flat || wanted->flats ? TESTING_OLE_REFERENCE : UINT32_MAX, images, 0, 0);
    if (wanted->flat || wanted->flats)
        testing_ole_entry(&ole, TESTING_OLE_REFERENCE, wanted->flat ? "ReferenceData" : "MultiReferenceData", 1,
                          wanted->x_shift ? TESTING_OLE_ALIGNMENT : UINT32_MAX, reference, 0, 0);
    return ole.sector_bytes * (ole.sectors + 1);
}
