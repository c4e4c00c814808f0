/* SPDX-License-Identifier: BSD-3-Clause */
/* Foreign format: names files of formats that are not read, by their first bytes or endings. */
#include "foreign_format.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "regular_file.h"

enum { HEAD_BYTES = 512 };

/* What all files of a format have: bytes at one place, or an ending of the name. */
typedef struct Format {
    int64_t offset, count;
    const char *bytes, *name, *way;
} Format;

#define BYTES(offset, text) (offset), sizeof(text) - 1, (text)
#define ENDING(text)        -1, sizeof(text) - 1, (text)

static const char to_tiff[] = "convert it to TIFF images by the program that wrote it",
                  by_itk[] = "convert it to TIFF images by SimpleITK",
                  by_nibabel[] = "convert it to .npy by nibabel and numpy.save",
                  by_rosettasciio[] = "convert it to TIFF images by HyperSpy",
                  by_nccopy[] = "convert it by nccopy -k nc4",
                  no_counts[] = "its values are no counts; take the files that the detector wrote",
                  a_volume[] = "it holds a volume; take the projections from which it was made";

/* The first row that fits counts. */
static const Format formats[] = {
    {BYTES(0, "\x0e\x03\x13\x01"), "an HDF4 file", "convert it by h4toh5"},
    {BYTES(0, "CDF\x01"), "a NetCDF 3 file", by_nccopy},
    {BYTES(0, "CDF\x02"), "a NetCDF 3 file", by_nccopy},
    {BYTES(0, "CDF\x05"), "a NetCDF 3 file", by_nccopy},
    {BYTES(128, "DICM"), "a DICOM file", "convert it to .npy by pydicom and numpy.save"},
    {BYTES(0, "\0\x70\x44\0"), "a HIS file of a PerkinElmer or Varex detector", to_tiff},
    {BYTES(344, "n+1\0"), "a NIfTI volume", by_nibabel},
    {BYTES(344, "ni1\0"), "the header of a NIfTI volume", by_nibabel},
    {BYTES(4, "n+2\0"), "a NIfTI volume", by_nibabel},
    {BYTES(0, "\x5c\x01\0\0"), "the header of an Analyze volume", by_nibabel},
    {BYTES(0, "\0\0\x01\x5c"), "the header of an Analyze volume", by_nibabel},
    {BYTES(0, "MATRIX7"), "an ECAT 7 file", by_nibabel},
    {BYTES(0, "NRRD000"), "an NRRD file", by_itk},
    {BYTES(0, "ObjectType = Image"), "the header of a MetaImage", by_itk},
    {BYTES(0, "NDims = "), "the header of a MetaImage", by_itk},
    {BYTES(0, "# vtk DataFile"), "a VTK file", by_itk},
    {BYTES(0, "# AmiraMesh"), "an AmiraMesh", to_tiff},
    {BYTES(0, "# Avizo"), "an AmiraMesh", to_tiff},
    {BYTES(0, "{volume"), "a VGI header of VGStudio", a_volume},
    {ENDING(".vol"), "a VOL file", a_volume},
    {ENDING(".rek"), "a REK volume", a_volume},
    {BYTES(0, "root"), "a ROOT file", "convert it to .npy by uproot and numpy.save"},
    {BYTES(0, "CTDATA-HEADER_V1"), "an ISQ or RSQ file of Scanco", "convert it to TIFF images by itk-ioscanco"},
    {BYTES(0, "ncaa\n"), "a VFF file", to_tiff},
    {BYTES(0, "P5\n"), "a PGM image", "convert it to TIFF images by ImageMagick"},
    {ENDING(".bmp"), "a BMP image", no_counts},
    {BYTES(0, "II\x97\x01"), "a SER file of TIA", by_rosettasciio},
    {BYTES(0, "ZISRAWFILE"), "a CZI file of Zeiss", by_rosettasciio},
    {BYTES(0, "\xed\xfe\0\0N"), "a SEQ file of Norpix", to_tiff},
    {BYTES(0, "CI\x2c\0"), "a CINE file of Phantom", to_tiff},
    {BYTES(0, "###CBF"), "a CBF image", "convert it to EDF images by fabio-convert"},
    {BYTES(0, "\xff\xd8\xff"), "a JPEG image", no_counts},
    {BYTES(0, "\0\0\0\x0cjP  "), "a JPEG 2000 image", to_tiff},
    {BYTES(0, "\x89PNG"), "a PNG image", "convert it to TIFF images by ImageMagick"},
    {BYTES(0, "GIF8"), "a GIF image", no_counts},
    {BYTES(0, "\x1f\x8b"), "compressed by gzip", "gunzip unpacks it"},
    {BYTES(0, "BZh"), "compressed by bzip2", "bunzip2 unpacks it"},
    {BYTES(0, "\xfd\x37zXZ"), "compressed by xz", "unxz unpacks it"},
    {BYTES(0, "\x28\xb5\x2f\xfd"), "compressed by zstd", "unzstd unpacks it"},
    {BYTES(0, "7z\xbc\xaf"), "a 7z archive", "7z x unpacks it"},
    {BYTES(0, "Rar!"), "a RAR archive", "unrar x unpacks it"},
    {BYTES(257, "ustar"), "a tar archive", "tar xf unpacks it"},
    {BYTES(0, "PK\x03\x04"), "a ZIP archive", "unzip unpacks it"},
};

static bool has(const Format *format, const char *path, int64_t count, const char *head)
{
    if (format->offset < 0) return sino_file_name_ends(path, (const char *[]){format->bytes, NULL});
    return format->offset + format->count <= count &&
           memcmp(head + format->offset, format->bytes, (size_t)format->count) == 0;
}

SinoStatus sino_foreign_format(const char *path)
{
    char head[HEAD_BYTES];
    SINO_TRY(sino_regular_check(path));
    const int64_t count = sino_regular_head(path, sizeof head, head);
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        SINO_CHECK(!has(&formats[i], path, count, head), SINO_BAD_INPUT, "%s is %s, which is not read: %s", path,
                   formats[i].name, formats[i].way);
    return NULL;
}
