/* SPDX-License-Identifier: BSD-3-Clause */
/* Image scan: lists the images of all files when a scan opens, and reads them as layers of an array. */
#include "image_scan.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "child.h"
#include "files.h"
#include "memory.h"
#include "paths.h"
#include "scan_frames.h"
#include "tiff_images.h"

static const SinoImageKind *const kinds[] = {&sino_edf_images, &sino_fits_images, &sino_mrc_images, &sino_dm_images,
                                             NULL};

static const SinoImageKind *kind_of_file(const char *path)
{
    char head[SINO_IMAGE_HEAD];
    const int64_t count = sino_regular_head(path, sizeof head, head);
    for (int i = 0; kinds[i]; i++)
        if (kinds[i]->probe(head, count)) return kinds[i];
    return NULL;
}

/* Of a pattern the first file decides. */
static const SinoImageKind *kind_of_pattern(const char *named)
{
    static const char *const no_endings[] = {NULL};
    SinoFileList files;
    SinoStatus status = sino_file_list_new(1, &named, no_endings, &files);
    const SinoImageKind *kind = !status && files.count > 0 ? kind_of_file(files.name[0]) : NULL;
    if (!status) sino_file_list_free(&files);
    sino_status_free(status);
    return kind;
}

/* NULL: the name stands for no images of these kinds. */
static const SinoImageKind *kind_of(const char *named)
{
    const SinoPathKind path = sino_path_kind(named);
    if (path == SINO_PATH_FILE) return kind_of_file(named);
    if (path == SINO_PATH_ABSENT && sino_file_list_is_pattern(named)) return kind_of_pattern(named);
    for (int i = 0; kinds[i] && path == SINO_PATH_FOLDER; i++)
        if (sino_file_list_has(named, kinds[i]->endings)) return kinds[i];
    return NULL;
}

static SinoStatus check_folder(const SinoImageKind *kind, const char *folder)
{
    const char *other = sino_tiff_stack_probe(folder) ? "TIFF images" : NULL;
    for (int i = 0; kinds[i]; i++)
        if (kinds[i] != kind && sino_file_list_has(folder, kinds[i]->endings)) other = kinds[i]->name;
    SINO_CHECK(!other, SINO_BAD_INPUT,
               "%s has %s and %s; allowed: a folder of one kind, or a quoted pattern, such as '%s/*%s'", folder,
               kind->name, other, folder, kind->endings[0]);
    return NULL;
}

static SinoStatus list_files(const SinoImageKind *kind, const char *named, SinoScanPart *part, SinoImageList *list)
{
    if (sino_path_kind(named) == SINO_PATH_FOLDER) SINO_TRY(check_folder(kind, named));
    SINO_TRY(sino_array_scan_new(NULL, part, &list->arrays));
    SinoFileList *files = &list->arrays->files;
    SINO_TRY(sino_file_list_new(1, &named, kind->endings, files));
    for (list->file = 0; list->file < files->count; list->file++) {
        list->path = files->name[list->file];
        *list->angle_source = '\0';
        sino_child_step();
        SINO_TRY(sino_regular_open(list->path, &list->descriptor, &list->bytes));
        SinoStatus status = NULL;
        if (list->bytes == 0) status = sino_error(SINO_BAD_INPUT, "%s is empty", list->path);
        if (!status) status = kind->list(list);
        close(list->descriptor);
        if (status) return status;
    }
    return NULL;
}

static SinoStatus open_array(const char *named, const char *array, SinoScanPart *part, SinoArrayScan **opened)
{
    SinoImageList list = {.wants_angles = false};
    (void)array; /* it has no name */
    SinoStatus status = list_files(kind_of(named), named, part, &list);
    free(list.angle_deg);
    *opened = list.arrays;
    return status;
}

/* Integers of 16 bits to which 32768 is added are unsigned. */
static bool is_shifted(const SinoArrayScan *arrays)
{
    const SinoNpy *array = &arrays->array;
    return array->kind == SINO_NPY_INT && array->item_bytes == 2 && arrays->scale.factor == 1 &&
           arrays->scale.offset == 32768 && isnan(arrays->scale.blank);
}

static void take_type(const SinoArrayScan *arrays, SinoScan *scan)
{
    const bool scaled = arrays->scale.factor != 0, shifted = scaled && is_shifted(arrays);
    scan->info.type = shifted ? SINO_COUNT_UINT16 : scaled ? SINO_COUNT_FLOAT32 : sino_plain_count_type(&arrays->array);
    snprintf(scan->stored_type, sizeof scan->stored_type, "%.7s%s", shifted ? "uint16" : arrays->array.stored_type,
             scaled && !shifted ? ", scaled" : "");
}

/* Takes the angles if the files tell all of them, and not one for all. */
static SinoStatus take_angles(const SinoImageKind *kind, const SinoImageList *list, SinoScan *scan)
{
    const int64_t count = scan->info.angle_count;
    bool fine = list->wants_angles && count == list->arrays->array.size[0], differ = count == 1;
    for (int64_t k = 0; k < count && fine; k++) {
        fine = isfinite(list->angle_deg[k]);
        differ = differ || list->angle_deg[k] != list->angle_deg[0];
    }
    snprintf(scan->evidence, sizeof scan->evidence, "%s", kind->evidence);
    if (!fine || !differ) return NULL;
    snprintf(scan->evidence, sizeof scan->evidence, "%.60s; angles of %.160s", kind->evidence, list->angle_source);
    SINO_TRY(sino_allocate(count, sizeof *scan->angle_rad, "angles", &scan->angle_rad));
    for (int64_t k = 0; k < count; k++) scan->angle_rad[k] = list->angle_deg[k] * (SINO_PI / 180);
    return NULL;
}

static SinoStatus fill_scan(const SinoScanRequest *request, const SinoImageKind *kind, const SinoImageList *list,
                            SinoScan *scan)
{
    const bool sinograms = sino_axes_dimension(request->axes, 0) > 0;
    SINO_TRY(sino_array_scan_data(list->arrays, request, &scan->info));
    take_type(list->arrays, scan);
    scan->info.kind = kind->name;
    sino_file_list_remark(&list->arrays->files,
                          sinograms ? "a missing sinogram joins slices that are apart"
                                    : "a missing projection gives others wrong angles",
                          sizeof scan->remark, scan->remark);
    if (*list->remark) sino_scan_add_remark(scan, list->remark);
    return take_angles(kind, list, scan);
}

static SinoStatus open_images(const SinoScanRequest *request, SinoScan *scan)
{
    const SinoImageKind *kind = kind_of(request->path);
    SINO_CHECK(kind, SINO_BAD_INPUT, "%s has changed", request->path);
    SinoImageList list = {.wants_angles = !request->theta && sino_axes_dimension(request->axes, 0) == 0};
    SinoStatus status = list_files(kind, request->path, &scan->data, &list);
    if (!status) status = fill_scan(request, kind, &list, scan);
    free(list.angle_deg);
    return status;
}

static bool probe_images(const SinoScanRequest *request)
{
    return kind_of(request->path);
}

const SinoScanFormat sino_images_format = {.name = "EDF, FITS, MRC, DM3 and DM4 images",
                                           .example = "EDF, FITS, MRC, DM3, DM4",
                                           .certainty = "certain",
                                           .takes_axes = true,
                                           .probe = probe_images,
                                           .open = open_images,
                                           .open_array = open_array};
