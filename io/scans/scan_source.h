/* SPDX-License-Identifier: BSD-3-Clause */
/* Scan source: what a format implements behind scan.h. A format is one file of io/ and one row of the table in scan.c.
 */
#pragma once

#include "paths.h"
#include "scan.h"
#include "scan_follow.h"

#include <stdio.h>
#include <string.h>

enum { SINO_LOOK_REASON = 512 };

/* What a look at a scan that another process writes finds. */
typedef struct SinoScanLook {
    int64_t frames;                /* of the data, from the first one on, that are whole */
    int64_t refused;               /* messages of a stream */
    char reason[SINO_LOOK_REASON]; /* why there are no more; the next look may find them; "": unknown */
} SinoScanLook;

typedef struct SinoScanSource {
    /* Reads frames first … first + count − 1 of a field, cropped to the box, converted to `type`. The field exists. */
    SinoStatus (*read)(void *file, SinoScanField field, int64_t first, int64_t count, const SinoScanBox *box,
                       SinoCountType type, void *counts);
    void (*close)(void *file);
    /* Looks at a scan that another process writes; *found is zeros. NULL: the source cannot tell. */
    SinoStatus (*look)(void *file, SinoScanLook *found);
} SinoScanSource;

/* A source and its open file. */
typedef struct SinoScanPart {
    const SinoScanSource *source; /* NULL: no source */
    void *file;                   /* owned by the source; NULL until opened */
} SinoScanPart;

struct SinoScan {
    SinoScanInfo info; /* its pointers point to the members below, or into `data` */
    char stored_type[16];
    char remark[2048];
    char evidence[256];
    char *path;               /* path of a scan of one file; owned */
    double *angle_rad;        /* owned; NULL until they are known */
    bool takes_axes;          /* the format can have --axes */
    SinoAngleUnit angle_unit; /* of the request; radians also if a file says so of its angles */
    SinoScanPart data;        /* source of the data, and of the format's own flats and darks */
    SinoScanPart flats;       /* of --flats; source NULL: not given */
    SinoScanPart darks;       /* of --darks; source NULL: not given */
    int64_t *frame;           /* [info.angle_count]: the (first) projection of each angle; owned; NULL: all, in order */
    int64_t *flat_position;   /* of the info; owned; NULL: unknown */
    int64_t *kept[SINO_SCAN_FIELDS]; /* [field][number]: number in its part of each flat or dark field that stays;
                                      * owned; NULL: all do */
    double saturation;               /* where a projection has so much, an average has it too; 0: never */
    SinoScanArrival arrival;         /* of a scan that is followed; else zeros */
    SinoScanLook look;               /* the last one */
    double open_beam;                /* count of every pixel of the flat field; 0: there is no such */
};

typedef struct SinoArrayScan SinoArrayScan; /* array_scan.h */

typedef struct SinoScanFormat {
    const char *name;    /* becomes SinoScanInfo.kind: "Data Exchange HDF5" */
    const char *example; /* such inputs in a word or two, for the error when no format recognises a file; NULL: another
                            row has them */
    const char *evidence, *certainty; /* of SinoScanInfo, unless `open` sets them */
    bool takes_dataset;               /* can choose what --dataset names */
    bool takes_axes;                  /* can have --axes */
    bool grows;                       /* can be followed while it is written (SinoScanRequest.follow_s) */
    bool takes_columns;               /* the format has no sizes of its own and needs --columns */
    /* Whether the input of the request has this format. Looks at names and at the first bytes of a file. A recognised
     * file may still be damaged; `open` then refuses it. */
    bool (*probe)(const SinoScanRequest *request);
    /* Fills scan->data and its part of scan->info in a zeroed scan. scan.c then adds info.kind, the pointers of info,
     * the angles of --theta, and the fields of --flats and --darks. `open` reads the angles if --theta is not given, or
     * if their number determines the number of projections. On failure the caller closes the scan, which releases every
     * part filled so far. */
    SinoStatus (*open)(const SinoScanRequest *request, SinoScan *scan);
    /* Opens an array of this format as --flats, --darks or, if arrays have names (takes_dataset), --theta of a scan of
     * any format; NULL: the format has no arrays. `array`: its name; NULL: the only one. `part` may be filled even on
     * failure, and owns *opened. */
    SinoStatus (*open_array)(const char *named, const char *array, SinoScanPart *part, SinoArrayScan **opened);
    /* Opens images of a format without arrays as --flats or --darks; NULL: it has none. `part` may be filled even on
     * failure. *files: the list of the part's files, which the part owns. SINO_BAD_INPUT: other rows or columns than
     * `info` has. */
    SinoStatus (*open_fields)(const char *named, const SinoScanInfo *info, SinoScanPart *part, int64_t *count,
                              const SinoFileList **files);
} SinoScanFormat;

extern const SinoScanFormat sino_memory_format, sino_dxchange_format, sino_nxtomo_format, sino_nxdata_format,
    sino_dataset_format, sino_instrument_format, sino_interfile_scan_format, sino_images_format, sino_npy_scan_format,
    sino_npz_scan_format, sino_mat_scan_format, sino_tiff_format, sino_sinogram_format, sino_stream_format;

/* Opens what --flats or --darks of the request name for a scan of any format. `part`, *files, errors: as of
 * SinoScanFormat.open_fields. */
SinoStatus sino_scan_fields_open(const SinoScanRequest *request, SinoScanField field, const SinoScanInfo *info,
                                 SinoScanPart *part, int64_t *count, const SinoFileList **files);

/* The format of a file, other than HDF5, whose arrays have names; NULL: another file. */
const SinoScanFormat *sino_scan_archive(const char *path);

/* SINO_BAD_INPUT: the sizes in `info` exceed the limits (scan_limits.h), or their products 63 bits. A format calls this
 * before it allocates what the sizes determine. */
SinoStatus sino_scan_check_limits(const char *path, const SinoScanInfo *info);

/* Reads the angles of --theta, or of the scan's dataset if it begins with a colon, into the scan. If the scan has no
 * angle_count, it becomes their number. SINO_BAD_INPUT: another number of them, or as of angle_list.h. */
SinoStatus sino_scan_take_theta(const SinoScanRequest *request, SinoScan *scan);

/* scan_select.c: leaves out and joins the projections of a scan with angles as the request says, and reads them
 * thereafter, if scan->frame is not NULL. SINO_BAD_INPUT: a malformed list, numbers beyond the last projection, no
 * projection is left, averaged angles differ by more than 10 degrees. */
SinoStatus sino_scan_select(const SinoScanRequest *request, SinoScan *scan);
SinoStatus sino_scan_read_selected(SinoScan *scan, int64_t first, int64_t count, const SinoScanBox *box,
                                   SinoCountType type, void *counts);

/* Adds a line to those of the remark, as far as there is room. */
static inline void sino_scan_add_remark(SinoScan *scan, const char *remark)
{
    const size_t length = strlen(scan->remark);
    snprintf(scan->remark + length, sizeof scan->remark - length, "%s%s", length > 0 ? "\n" : "", remark);
}

/* Sets the angles to 0°…180° inclusive, as TomoPy and others do for a file without angles. */
SinoStatus sino_scan_assume_angles(SinoScan *scan);

/* The error for an input that no format recognises: it says what the input seems to be, and lists the known formats.
 * `allowed` ends the sentence. */
SinoStatus sino_scan_unknown(const SinoScanRequest *request, const char *allowed);
