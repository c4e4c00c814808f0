/* SPDX-License-Identifier: BSD-3-Clause */
/* Library, solutions by FDK: the graph of the program (cone_reconstruction.h), whose scan is the caller's line
 * integrals and whose lengths are those of the operator. A volume follows another. */
#include "library_operator.h"

#include "library.h"
#include "memory.h"
#include "memory_scan.h"
#include "recon.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

typedef struct Fdk {
    const SinodagOperator *of;
    const SinodagSolution *solution;
    const SinoArrays *arrays;
    int64_t number;  /* of the volume */
    float *turned;   /* [Z][Y][X] where the caller's array is no float32 in C order; owned; NULL: it is */
    double per_call; /* share of a volume in the progress */
} Fdk;

static SinoStatus check(const SinodagOperator *op, const SinodagSolution *solution)
{
    SINO_CHECK(op->cone.angle_count > 0, SINO_BAD_INPUT,
               "--algorithm is fdk, and the operator is none of cone beams; allowed: with the setting geometry=cone of "
               "an operator");
    SINO_CHECK(!solution->residual, SINO_BAD_INPUT,
               "there is an array for residuals, which fdk does not compute; allowed: none");
    return NULL;
}

/* ---- the volume ---- */

static SinoStrided volume_of(const Fdk *fdk)
{
    SinoStrided to = fdk->arrays->images;
    const int64_t bytes = to.type == SINO_STRIDED_FLOAT64 ? (int64_t)sizeof(double) : (int64_t)sizeof(float);
    to.first = (char *)to.first + fdk->number * fdk->arrays->image_step * bytes;
    return to;
}

static bool is_in_order(const SinoStrided *to, const SinoCone *cone)
{
    return to->type == SINO_STRIDED_FLOAT32 && to->step[2] == 1 && to->step[1] == cone->x_count &&
           to->step[0] == sino_times(cone->x_count, cone->y_count);
}

static SinoStatus open_volume(Fdk *fdk)
{
    const SinoCone *cone = &fdk->of->cone;
    if (is_in_order(&fdk->arrays->images, cone)) return NULL;
    return sino_allocate(sino_times(sino_times(cone->z_count, cone->y_count), cone->x_count), sizeof *fdk->turned,
                         "a volume", &fdk->turned);
}

/* Copies a volume that was computed beside the caller's array. */
static void give(const Fdk *fdk)
{
    const SinoStrided to = volume_of(fdk);
    const SinoCone *cone = &fdk->of->cone;
    const float *from = fdk->turned;
    if (!from) return;
    for (int64_t z = 0; z < cone->z_count; z++)
        for (int64_t y = 0; y < cone->y_count; y++)
            for (int64_t x = 0; x < cone->x_count; x++, from++) {
                const int64_t at = z * to.step[0] + y * to.step[1] + x * to.step[2];
                if (to.type == SINO_STRIDED_FLOAT64)
                    ((double *)to.first)[at] = (double)*from;
                else
                    ((float *)to.first)[at] = *from;
            }
}

/* SinoMemoryVolume.allocate: `of` is the Fdk. */
static float *volume_memory(void *of, int64_t slices, int64_t rows, int64_t columns)
{
    const Fdk *fdk = of;
    (void)slices;
    (void)rows;
    (void)columns;
    return fdk->turned ? fdk->turned : volume_of(fdk).first;
}

/* SinodagProgress: `of` is the Fdk. A volume is a share of the call. */
static int tell(void *of, double done, const char *text)
{
    const Fdk *fdk = of;
    const SinodagSolution *to = fdk->solution;
    return to->progress(to->of, ((double)fdk->number + done) * fdk->per_call, text);
}

/* ---- the run ---- */

/* The lengths of the operator as settings of recon. */
static void set_lengths(const SinodagOperator *op, SinoSettings *settings)
{
    const SinoCone *cone = &op->cone;
    settings->geometry.kind = cone->fans ? SINO_GEOMETRY_FAN : SINO_GEOMETRY_CONE;
    settings->geometry.source_object_mm = cone->source_object;
    settings->geometry.source_detector_mm = cone->source_detector;
    settings->geometry.detector_pixel = (SinoPixelSize){.width = cone->pixel_width, .height = cone->pixel_height};
    settings->geometry.voxel_size_mm = cone->voxel_size;
    settings->center.row = cone->center_row;
    settings->center.rotation_axis = cone->center;
    settings->geometry.volume = (SinoVolumeShape){.x = cone->x_count, .y = cone->y_count, .z = cone->z_count};
    settings->runtime.memory_bytes = op->memory_bytes;
}

static SinoMemoryImages projections_of(const Fdk *fdk)
{
    const SinoStrided *from = &fdk->arrays->projections;
    const SinoCone *cone = &fdk->of->cone;
    const bool wide = from->type == SINO_STRIDED_FLOAT64;
    const int64_t bytes = wide ? (int64_t)sizeof(double) : (int64_t)sizeof(float);
    return (SinoMemoryImages){.type = wide ? SINO_MEMORY_FLOAT64 : SINO_MEMORY_FLOAT32,
                              .first = (const char *)from->first + fdk->number * fdk->arrays->projection_step * bytes,
                              .size = {cone->angle_count, cone->row_count, cone->column_count},
                              .step = {from->step[0], from->step[1], from->step[2]}};
}

/* recon fills in values that are NaN; a solution refuses them, as products do. */
static SinoStatus check_values(const Fdk *fdk)
{
    const SinoMemoryImages of = projections_of(fdk);
    bool finite = true;
    for (int64_t k = 0; k < of.size[0]; k++)
        for (int64_t r = 0; r < of.size[1]; r++)
            for (int64_t c = 0; c < of.size[2]; c++) {
                const int64_t at = k * of.step[0] + r * of.step[1] + c * of.step[2];
                finite &= of.type == SINO_MEMORY_FLOAT64 ? isfinite(((const double *)of.first)[at])
                                                         : isfinite(((const float *)of.first)[at]);
            }
    SINO_CHECK(finite, SINO_BAD_INPUT,
               "the projections: volume %" PRId64 " has a value that is NaN or infinite; allowed: finite values",
               fdk->number);
    return NULL;
}

static SinoStatus reconstruct(Fdk *fdk, SinoSettings *settings)
{
    const SinoMemoryRun run = {.scan = {.projections = projections_of(fdk), .angle_rad = fdk->of->angle_rad},
                               .volume = {.allocate = volume_memory, .of = fdk},
                               .of_operator = true};
    SINO_TRY(check_values(fdk));
    settings->memory = &run;
    SinoStatus status = sino_recon_in(sino_library_runtime(), settings);
    settings->memory = NULL;
    if (!status) give(fdk);
    return status;
}

SinoStatus sino_library_solve_fdk(const SinodagOperator *op, SinoSettings *settings, const SinoArrays *arrays,
                                  const SinodagSolution *solution)
{
    Fdk fdk = {.of = op, .solution = solution, .arrays = arrays, .per_call = 1 / (double)arrays->slice_count};
    SINO_TRY(check(op, solution));
    SINO_TRY(open_volume(&fdk));
    set_lengths(op, settings);
    sino_library_show_progress(solution->progress ? tell : NULL, &fdk);
    SinoStatus status = NULL;
    for (; fdk.number < arrays->slice_count && !status; fdk.number++) status = reconstruct(&fdk, settings);
    sino_library_show_progress(NULL, NULL);
    free(fdk.turned);
    return status;
}
