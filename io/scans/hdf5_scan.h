/* SPDX-License-Identifier: BSD-3-Clause */
/* HDF5 scan: what formats of scans in HDF5 share: datasets of frames, and angles. */
#pragma once

#include "files.h"
#include "hdf5_files.h"
#include "scan.h"
#include "scan_frames.h"
#include "scan_source.h"

#include <hdf5.h>
#include <stdbool.h>
#include <stdint.h>

/* Where the frames of a field are. */
typedef struct SinoHdf5Field {
    char *name;          /* of the dataset; owned; NULL: the field has the data's dataset, or is absent */
    SinoDataset dataset; /* id negative: as above */
    SinoScanAxes axes;
    SinoFrameList frames;
} SinoHdf5Field;

/* A file that another process still writes. */
typedef struct SinoHdf5Follow {
    bool on;                     /* false: nothing else is set */
    bool swmr;                   /* the file is open with SWMR */
    bool used[SINO_SCAN_FIELDS]; /* the field has a dataset of its own */
    int64_t all;                 /* frames of all kinds that will come; 0: as many as projections */
    int64_t whole;               /* frames of the data that can be read */
    int64_t seen;                /* of the last look; maybe not whole */
    SinoFileState last, taken;   /* at the last look, and when `whole` frames were found in a quiet file */
    char first[17];              /* of sino_dataset_first_row; "": no frame has come */
    bool other;                  /* the file has another scan now */
    double changed_s, opened_s;  /* when the file was seen to change, and was opened */
} SinoHdf5Follow;

typedef struct SinoHdf5Scan {
    char *path; /* owned */
    hid_t file;
    SinoHdf5Field field[3]; /* by SinoScanField */
    SinoFileList files;     /* the path, then those of sources */
    SinoHdf5Follow follow;
} SinoHdf5Scan;

/* Opens the file as a part of a scan, which owns *opened, on failure, too. `follow`: another process still writes it.
 */
SinoStatus sino_hdf5_scan_new(const char *path, bool follow, SinoScanPart *part, SinoHdf5Scan **opened);

/* Opens the file of a request to look inside; the caller closes it with H5Fclose. Negative: it cannot be opened. */
hid_t sino_hdf5_scan_peek(const SinoScanRequest *request);
SinoHdf5Scan *sino_hdf5_scan_of(const SinoScan *scan); /* NULL: its data are not in HDF5 */

/* Opens the dataset of the data, and fills the sizes and the type of the scan's info. `layer`: it may have two
 * dimensions, as one layer of the first of three, such as one sinogram. SINO_BAD_INPUT: as of sino_dataset_open_whole;
 * a size is 0, or beyond the limits of scan_limits.h. */
SinoStatus sino_hdf5_scan_open_data(SinoHdf5Scan *hdf5, const char *name, bool layer, SinoScanAxes axes,
                                    SinoScan *scan);

/* Opens the dataset of flat or dark fields, [image][row][column] or [row][column]. *count: the number of images; 0: an
 * optional dataset is absent. SINO_BAD_INPUT, in addition: other rows or columns than `info` has; `like` names what has
 * them. */
SinoStatus sino_hdf5_scan_open_field(SinoHdf5Scan *hdf5, SinoScanField field, const char *name, bool optional,
                                     const SinoScanInfo *info, const char *like, int64_t *count);

/* Reads the angles of the scan from a dataset, of which one dimension may be larger than 1, with one for each
 * projection or, if the data have other frames, too, one for each frame. Its attribute `units` may say radians;
 * otherwise they are degrees. *angle_rad NULL: it is optional and absent; else the caller frees it. `sources` gets the
 * files that it takes values from. SINO_BAD_INPUT: another number of angles, an angle that is not finite, an unknown
 * unit. */
typedef struct SinoHdf5Angles {
    const char *path, *name;
    hid_t file;
    bool optional;
    int64_t projections;         /* 0: as many as there are */
    const SinoFrameList *frames; /* of the projections; NULL: no others */
    int64_t frame_count;         /* of all kinds */
    const char *like;            /* names the projections in errors */
    SinoAngleUnit *unit;         /* asked for; auto becomes radians if the dataset has an attribute that says so */
} SinoHdf5Angles;
SinoStatus sino_hdf5_angles_read(const SinoHdf5Angles *angles, SinoFileList *sources, int64_t *count,
                                 double **angle_rad);

/* The same for the scan's own file, as scan->angle_rad; `like`: the name of the data. If the scan has no angle_count,
 * it becomes their number. */
SinoStatus sino_hdf5_scan_take_angles(SinoHdf5Scan *hdf5, const char *name, bool optional, SinoScan *scan);

/* The file names of the scan's info. Call it when all datasets are open. */
void sino_hdf5_scan_name_files(SinoHdf5Scan *hdf5, SinoScanInfo *info);

/* The lengths of a setup as the NeXus classes NXsource and NXdetector define them: distances from the sample along the
 * beam, which upstream is negative, and pixels of the detector. */
#define SINO_SOURCE_DISTANCE   "/measurement/instrument/source/distance"
#define SINO_DETECTOR_DISTANCE "/measurement/instrument/detector/distance"
#define SINO_PIXEL_WIDTH       "/measurement/instrument/detector/x_pixel_size"
#define SINO_PIXEL_HEIGHT      "/measurement/instrument/detector/y_pixel_size"

/* The lengths of a setup by the names of their datasets; what is absent or not believable is 0. */
typedef struct SinoSetupNames {
    const char *source_distance, *detector_distance, *pixel_width, *pixel_height;
} SinoSetupNames;
SinoScanSetup sino_hdf5_scan_setup(const SinoHdf5Scan *hdf5, const SinoSetupNames *names);

/* HDF5 follow: the projections of an HDF5 file that another process still writes.
 *
 * A file that is written with SWMR is read at any time. Of another one, projections count once the file has not changed
 * for a while, or were there at an earlier look; the file is opened anew for every look that may show more. */

/* Opens hdf5->file to be followed; the data of the scan will be followed, too. */
SinoStatus sino_hdf5_follow_open(SinoHdf5Scan *hdf5);

/* hdf5_follow_angles.c: all projections that will come, and their angles: those of --theta, or of the dataset `theta`.
 * Call it when all datasets are open. SINO_BAD_INPUT: there are no angles; fewer than projections; or as of
 * sino_hdf5_follow_begin. */
SinoStatus sino_hdf5_follow_expect(SinoHdf5Scan *hdf5, const SinoScanRequest *request, const char *theta,
                                   SinoScan *scan);

/* The same for a scan that has its projections and their angles. `theta`: the dataset of these; NULL: they are the
 * user's. SINO_BAD_INPUT: angles that come with the projections. */
SinoStatus sino_hdf5_follow_begin(SinoHdf5Scan *hdf5, const char *theta, const SinoScan *scan);

/* SinoScanSource.look. */
SinoStatus sino_hdf5_follow_look(void *file, SinoScanLook *found);

/* Opens what is closed, before a read. _again: before a read that has failed is repeated, everything. */
SinoStatus sino_hdf5_follow_ready(SinoHdf5Scan *hdf5);
SinoStatus sino_hdf5_follow_again(SinoHdf5Scan *hdf5);

/* Count type: HDF5's types of a scan's counts, in memory and in the files that sinodag writes. */

static inline hid_t sino_count_memory_type(SinoCountType type)
{
    if (type == SINO_COUNT_UINT8) return H5T_NATIVE_UINT8;
    return type == SINO_COUNT_UINT16 ? H5T_NATIVE_UINT16 : H5T_NATIVE_FLOAT;
}

static inline hid_t sino_count_file_type(SinoCountType type)
{
    if (type == SINO_COUNT_UINT8) return H5T_STD_U8LE;
    return type == SINO_COUNT_UINT16 ? H5T_STD_U16LE : H5T_IEEE_F32LE;
}

/* NXtomo, finding: the tomography scans of a NeXus file, by what groups contain rather than by their names. */

enum { SINO_NX_NAME = 512, SINO_NX_ENTRIES = 16 };

/* A group with instrument/DETECTOR/data and instrument/DETECTOR/image_key. */
typedef struct SinoNxEntry {
    char group[SINO_NX_NAME];    /* "/entry1/tomo_entry" */
    char detector[SINO_NX_NAME]; /* group of the frames and their keys */
    char angles[SINO_NX_NAME];   /* dataset; "": none was found */
    bool defined;                /* the group says that it is NXtomo */
    int score;                   /* higher: a better candidate */
} SinoNxEntry;

/* Finds the scans at and below a group, "/" or the user's choice, which may also be the dataset of frames itself. Of
 * scans with the same frames the first one remains, of others those with the highest score. *count: of those; 0: none,
 * or the file or the group cannot be read. */
void sino_nxtomo_find(const char *path, hid_t file, const char *group, SinoNxEntry entry[SINO_NX_ENTRIES],
                      int64_t *count);
