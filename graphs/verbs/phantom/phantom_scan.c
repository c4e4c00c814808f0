/* SPDX-License-Identifier: BSD-3-Clause */
/* phantom, scans: exact line integrals of a head or a texture of ellipsoids, and its true volume. */
#include "cone_scan.h"
#include "job_kind.h"
#include "memory.h"
#include "phantom_verb.h"
#include "rays_tasks.h"
#include "recon.h"

#include <inttypes.h>
#include <stdlib.h>

/* Detector rows made and written at a time, and the number of flat fields (and of dark fields). */
enum { SLAB_ROWS = 16, FIELD_COUNT = 10 };

typedef struct Scan {
    const SinoSettings *settings;
    SinoRuntime *runtime;
    SinoGeometry geometry;
    SinoScanSetup setup; /* of a cone beam; else 0 */
    SinoCone cone;
    SinoView *view;               /* of projections that have vectors; else NULL */
    double *angle_rad;            /* of the file */
    double *turned_rad;           /* with the sign that --angle-direction says */
    void *counts, *flats, *darks; /* of one slab */
    float *truth;                 /* [SLAB_ROWS][N][N] */
    SinoScanWriter *writer;
    SinoVolume *volume; /* NULL: the truth is not requested */
} Scan;

static bool is_cone(const Scan *scan)
{
    return sino_job_is_cone(scan->settings);
}

/* A half circle of a parallel beam, a whole circle of a cone beam; the end is left out. */
static SinoStatus new_angles(Scan *scan)
{
    const SinoSettings *settings = scan->settings;
    const double arc = is_cone(scan) ? 2 * SINO_PI : SINO_PI;
    SINO_TRY(sino_allocate(settings->phantom.angles, sizeof *scan->angle_rad, "angles", &scan->angle_rad));
    SINO_TRY(sino_allocate(settings->phantom.angles, sizeof *scan->turned_rad, "angles", &scan->turned_rad));
    for (int64_t k = 0; k < settings->phantom.angles; k++) {
        scan->angle_rad[k] = arc * (double)k / (double)settings->phantom.angles;
        scan->turned_rad[k] =
            settings->geometry.angle_direction == SINO_COUNTERCLOCKWISE ? -scan->angle_rad[k] : scan->angle_rad[k];
    }
    return NULL;
}

/* As recon sees the scan by default. */
static SinoStatus describe_cone(Scan *scan)
{
    const SinoSettings *settings = scan->settings;
    SinoConeDescription description = {0};
    SinoStatus status = sino_cone_describe(settings, settings->phantom.angles, scan->turned_rad, settings->phantom.size,
                                           settings->phantom.slices, &description);
    scan->view = description.input.view;
    if (status) return status;
    if (!scan->view) scan->setup = sino_cone_setup(&settings->geometry, &description.info);
    scan->cone = description.cone;
    return NULL;
}

static SinoStatus new_buffers(Scan *scan)
{
    const SinoSettings *settings = scan->settings;
    const size_t element = settings->phantom.noise > 0 ? sizeof(uint16_t) : sizeof(float);
    const int64_t row = SLAB_ROWS * settings->phantom.size;
    int64_t pixels, counts;
    SINO_TRY(new_angles(scan));
    scan->geometry = (SinoGeometry){.angle_count = settings->phantom.angles,
                                    .column_count = settings->phantom.size,
                                    .grid_size = settings->phantom.size,
                                    .angle_rad = scan->turned_rad,
                                    .center = (double)(settings->phantom.size - 1) / 2};
    if (is_cone(scan)) SINO_TRY(describe_cone(scan));
    SINO_TRY(sino_multiply(settings->phantom.angles, row, "counts", &counts));
    SINO_TRY(sino_allocate(counts, element, "counts", &scan->counts));
    SINO_TRY(sino_allocate(FIELD_COUNT * row, element, "flat fields", &scan->flats));
    SINO_TRY(sino_allocate(FIELD_COUNT * row, element, "dark fields", &scan->darks));
    SINO_TRY(sino_multiply(settings->phantom.size, row, "the truth", &pixels));
    return settings->phantom.truth ? sino_allocate(pixels, sizeof *scan->truth, "the truth", &scan->truth) : NULL;
}

static SinoStatus open_files(Scan *scan)
{
    const SinoSettings *settings = scan->settings;
    const SinoScanShape shape = {.type = settings->phantom.noise > 0 ? SINO_COUNT_UINT16 : SINO_COUNT_FLOAT32,
                                 .angle_count = settings->phantom.angles,
                                 .row_count = settings->phantom.slices,
                                 .column_count = settings->phantom.size,
                                 .flat_count = FIELD_COUNT,
                                 .dark_count = FIELD_COUNT,
                                 .angle_rad = scan->angle_rad,
                                 .setup = scan->setup,
                                 .description = "phantom of ellipsoids with exact line integrals"};
    const SinoVolumeRequest request = {.hdf5_path = settings->phantom.truth,
                                       .overwrite = settings->output.overwrite,
                                       .slice_count = settings->phantom.slices,
                                       .height = settings->phantom.size,
                                       .width = settings->phantom.size,
                                       .row_step = 1,
                                       .units = is_cone(scan) ? "1/cm" : "1/pixel"};
    if (settings->phantom.truth) SINO_TRY(sino_volume_open(&request, &scan->volume));
    return sino_scan_writer_open(settings->output.path, settings->output.overwrite, &shape, &scan->writer);
}

static SinoStatus insert_rows(Scan *scan, int64_t first, int64_t count)
{
    const SinoSettings *settings = scan->settings;
    for (int64_t r = 0; r < count; r++) {
        const SinoPhantomRow row = {
            .phantom = {.size = settings->phantom.size,
                        .height = settings->phantom.slices,
                        .whole = is_cone(scan), /* its rays leave the slices */
                        .textured = settings->phantom.object == SINO_OBJECT_TEXTURE},
            .geometry = scan->geometry,
            .cone = is_cone(scan) ? &scan->cone : NULL,
            .slice = first + r,
            .row = r,
            .slab_rows = count,
            .field_count = FIELD_COUNT,
            .noise = settings->phantom.noise,
            .seed = (uint64_t)settings->phantom.seed,
            .counts = scan->counts,
            .flats = scan->flats,
            .darks = scan->darks,
            .truth_scale = is_cone(scan) ? 10 / scan->cone.voxel_size : 1, /* mm of a cm */
            .truth = scan->truth ? scan->truth + r * settings->phantom.size * settings->phantom.size : NULL};
        SINO_TRY(sino_insert_phantom(scan->runtime, &row));
    }
    return NULL;
}

static SinoStatus write_slabs(Scan *scan)
{
    for (int64_t first = 0; first < scan->settings->phantom.slices; first += SLAB_ROWS) {
        const int64_t left = scan->settings->phantom.slices - first, count = left < SLAB_ROWS ? left : SLAB_ROWS;
        SINO_TRY(sino_runtime_wait_after(scan->runtime, insert_rows(scan, first, count)));
        SINO_TRY(sino_scan_writer_rows(scan->writer, first, count, scan->counts, scan->flats, scan->darks));
        if (scan->volume) SINO_TRY(sino_volume_write(scan->volume, first, count, scan->truth));
    }
    return NULL;
}

static SinoStatus finish_files(Scan *scan, SinoLog *log)
{
    const SinoSettings *settings = scan->settings;
    SinoStatus status = sino_scan_writer_finish(scan->writer);
    scan->writer = NULL;
    if (status) return status;
    sino_log_info(log, "output", "scan: %s, /exchange/data (%" PRId64 ", %" PRId64 ", %" PRId64 ")",
                  settings->output.path, settings->phantom.angles, settings->phantom.slices, settings->phantom.size);
    if (scan->view)
        sino_log_info(log, "output", "vectors of %s, voxels of %g mm", settings->geometry.vectors,
                      scan->cone.voxel_size);
    else if (is_cone(scan))
        sino_log_info(log, "output",
                      "cone beam: source to axis %g mm, to detector %g mm, pixels of %gx%g mm, voxels of %g mm",
                      scan->setup.source_object, scan->setup.source_detector, scan->setup.pixel_width,
                      scan->setup.pixel_height, scan->cone.voxel_size);
    if (!scan->volume) return NULL;
    status = sino_volume_finish(scan->volume);
    scan->volume = NULL;
    if (!status) sino_log_info(log, "output", "truth: %s", settings->phantom.truth);
    return status;
}

static SinoStatus run(Scan *scan, SinoLog *log)
{
    const SinoRuntimeRequest request = {.workers = scan->settings->runtime.workers,
                                        .scheduler = scan->settings->runtime.scheduler,
                                        .stall_limit_s = scan->settings->runtime.stall_limit_s,
                                        .log = log};
    SINO_TRY(new_buffers(scan));
    SINO_TRY(open_files(scan));
    SINO_TRY(sino_runtime_start(&request, &scan->runtime));
    SINO_TRY(write_slabs(scan));
    return finish_files(scan, log);
}

SinoStatus sino_phantom_scan(const SinoSettings *settings, SinoLog *log)
{
    Scan scan = {.settings = settings};
    SinoStatus status = run(&scan, log);
    sino_scan_writer_abandon(scan.writer);
    sino_volume_abandon(scan.volume);
    sino_status_free(sino_runtime_stop(scan.runtime));
    free(scan.view);
    free(scan.angle_rad);
    free(scan.turned_rad);
    free(scan.counts);
    free(scan.flats);
    free(scan.darks);
    free(scan.truth);
    return status;
}
