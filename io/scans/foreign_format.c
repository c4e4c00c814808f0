/* SPDX-License-Identifier: BSD-3-Clause */
/* Foreign format: names files of formats that are not read, by their first bytes. */
#include "foreign_format.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "regular_file.h"

enum { HEAD_BYTES = 256 };

/* Bytes that all files of a format have at one place. */
typedef struct Format {
    int64_t offset, count;
    const char *bytes;
    const char *name, *way;
} Format;

#define BYTES(offset, text) (offset), sizeof(text) - 1, (text)

static const char to_tiff[] = "other programs make TIFF images of it",
                  to_npy[] = "Python packages read it, and numpy.save makes .npy of it";

static const Format formats[] = {
    {BYTES(208, "MAP "), "MRC", "mrc2tif of IMOD makes TIFF images of it"},
    {BYTES(0, "\x0e\x03\x13\x01"), "HDF4", "h4toh5 makes HDF5 of it"},
    {BYTES(0, "CDF\x01"), "NetCDF 3", "nccopy -k nc4 makes HDF5 of it"},
    {BYTES(0, "CDF\x02"), "NetCDF 3", "nccopy -k nc4 makes HDF5 of it"},
    {BYTES(0, "SIMPLE  ="), "FITS", "the Python package astropy reads it, and numpy.save makes .npy of it"},
    {BYTES(128, "DICM"), "DICOM", "the Python package pydicom reads it, and numpy.save makes .npy of it"},
    {BYTES(0, "\0\0\0\x03"), "DM3 of DigitalMicrograph", to_npy},
    {BYTES(0, "\0\0\0\x04"), "DM4 of DigitalMicrograph", to_npy},
    {BYTES(0, "\0\x70\x44\0"), "HIS of a PerkinElmer or Varex detector", to_tiff},
    {BYTES(0, "NRRD000"), "NRRD", to_npy},
    {BYTES(0, "\xff\xd8\xff"), "JPEG", "its values are no counts; take the files that the detector wrote"},
    {BYTES(0, "\x89PNG"), "PNG", to_tiff},
    {BYTES(0, "\x1f\x8b"), "a file compressed by gzip", "gunzip unpacks it"},
    {BYTES(0, "PK\x03\x04"), "a ZIP archive", "unzip unpacks it"},
};

static bool has(const Format *format, int64_t count, const char *head)
{
    return format->offset + format->count <= count &&
           memcmp(head + format->offset, format->bytes, (size_t)format->count) == 0;
}

SinoStatus sino_foreign_format(const char *path, const char *allowed)
{
    char head[HEAD_BYTES];
    int descriptor;
    int64_t bytes;
    SINO_TRY(sino_regular_open(path, &descriptor, &bytes));
    const ssize_t count = pread(descriptor, head, sizeof head, 0);
    close(descriptor);
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        SINO_CHECK(!has(&formats[i], count, head), SINO_BAD_INPUT, "%s is %s, which is not read: %s; allowed: %s", path,
                   formats[i].name, formats[i].way, allowed);
    return NULL;
}
