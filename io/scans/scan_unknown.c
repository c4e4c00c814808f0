/* SPDX-License-Identifier: BSD-3-Clause */
/* Scan unknown: the error for an input that no format recognises; it says what the input seems to be. */
#include "scan_source.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <hdf5.h>

#include "files.h"
#include "hdf5_files.h"
#include "paths.h"

enum { NAMES_BYTES = 160, HEAD_BYTES = 512 };

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

/* The error for a file of a format in the table, with the format's name and a program that converts it. NULL: the file
 * is of none of these formats. */
static SinoStatus refuse_foreign(const char *path)
{
    char head[HEAD_BYTES];
    SINO_TRY(sino_regular_check(path));
    const int64_t count = sino_regular_head(path, sizeof head, head);
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        SINO_CHECK(!has(&formats[i], path, count, head), SINO_BAD_INPUT, "%s is %s, which is not read: %s", path,
                   formats[i].name, formats[i].way);
    return NULL;
}

/* Names at the root of an HDF5 file, as many as fit. */
typedef struct RootNames {
    char text[NAMES_BYTES];
    size_t length;
} RootNames;

static herr_t add_name(hid_t root, const char *name, const H5L_info_t *about, void *to)
{
    RootNames *names = to;
    (void)root;
    (void)about;
    if (names->length < sizeof names->text)
        names->length += (size_t)snprintf(names->text + names->length, sizeof names->text - names->length, "%s/%s",
                                          names->length ? ", " : "", name);
    return 0;
}

static SinoStatus refuse_hdf5(const char *path)
{
    hid_t file;
    char images[1536];
    RootNames names = {.text = ""};
    SINO_TRY(sino_hdf5_open(path, &file));
    (void)H5Literate(file, H5_INDEX_NAME, H5_ITER_INC, NULL, add_name, &names);
    sino_hdf5_images(path, file, sizeof images, images);
    (void)H5Fclose(file);
    return sino_error(
        SINO_BAD_INPUT,
        "%s is an HDF5 file without /exchange/data and without NXtomo frames (it holds %s%s%s); allowed: Data Exchange "
        "(/exchange/data), NXtomo (instrument/detector/data with image_key), or any with --dataset",
        path, names.length ? names.text : "nothing", *images ? "; " : "", images);
}

static bool is_empty(const char *path)
{
    struct stat file;
    return stat(path, &file) == 0 && file.st_size == 0;
}

SinoStatus sino_scan_unknown(const SinoScanRequest *request, const char *allowed)
{
    const char *const path = request->path;
    switch (sino_path_kind(path)) {
    case SINO_PATH_ABSENT:
        return sino_error(SINO_BAD_INPUT, "%s: %s", path, strerror(errno));
    case SINO_PATH_FOLDER:
        if (access(path, R_OK | X_OK) != 0) return sino_error(SINO_BAD_INPUT, "%s: %s", path, strerror(errno));
        return sino_error(
            SINO_BAD_INPUT,
            "%s is a folder without TIFF, EDF, FITS, MRC or DM images; allowed: a folder of one series of them", path);
    case SINO_PATH_OTHER:
        return sino_error(SINO_BAD_INPUT,
                          "%s is neither a file nor a folder; allowed: a file, a folder or a quoted pattern", path);
    case SINO_PATH_FILE:
        break;
    }
    SINO_TRY(sino_regular_check(path)); /* it may be closed to this user */
    if (sino_hdf5_probe(path)) return refuse_hdf5(path);
    if (is_empty(path)) return sino_error(SINO_BAD_INPUT, "%s is an empty file; allowed: %s", path, allowed);
    SINO_TRY(refuse_foreign(path));
    return sino_error(SINO_BAD_INPUT, "%s is of no known format; allowed: %s%s", path, allowed,
                      request->theta ? "" : "; counts: --system-matrix");
}
