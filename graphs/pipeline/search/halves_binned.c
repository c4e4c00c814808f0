/* SPDX-License-Identifier: BSD-3-Clause */
/* Halves, binned: the geometry, the projections and the mask of a scan whose columns are averaged in twos. */
#include "halves.h"

#include "memory.h"
#include "undefined.h"

#include <math.h>

enum { BINNING = 2 };

int64_t sino_halves_binning(const SinoGeometry *geometry)
{
    enum { LEAST_ANGLES = 60, LEAST_COLUMNS = 192 };
    const int64_t angles = geometry->angle_count, columns = geometry->column_count;
    return angles >= LEAST_ANGLES && angles < columns && columns >= LEAST_COLUMNS ? BINNING : 1;
}

SinoHalvesFan sino_halves_fan(const SinoSettings *settings, const SinoCone *cone)
{
    enum { LEAST_ANGLES = 60, LEAST_COLUMNS = 128, MANY = 8, FEW = 4 };
    const bool varied = sino_prior_first(&settings->prior) == SINO_PRIOR_TOTAL_VARIATION;
    const int64_t angles = cone->angle_count, columns = cone->column_count;
    const bool several = sino_cone_pixel_rays(cone, 0).across > 1;
    const double width = several ? sino_cone_pixel_voxels(cone, 0).width : 1, more = several ? 2 * width : 1;
    const double grown =
        hypot((double)cone->x_count + more, (double)cone->y_count + more) / 2 * cone->voxel_size; /* by averaging */
    SinoHalvesFan fan = {1, 1, 1, 1};
    if (settings->solver.weights == SINO_WEIGHTS_FILE) return fan;
    if (!settings->solver.mask && grown < cone->source_object) fan.voxels = width;
    if (varied) fan.count = cone->z_count >= MANY ? MANY : FEW;
    if (angles >= columns)
        fan.step = angles >= (int64_t)2 * LEAST_ANGLES ? 2 : 1;
    else if (angles >= LEAST_ANGLES && columns >= LEAST_COLUMNS && !settings->solver.mask &&
             grown < cone->source_object)
        fan.binning = BINNING;
    return fan;
}

SinoProblem sino_halves_fan_problem(SinoHalvesFan fan, const SinoProblem *row, double *angle_rad, SinoCone *seen)
{
    const SinoCone *cone = row->cone;
    const double rounding = 1e-6, binning = (double)fan.binning, voxels = binning * fan.voxels;
    SinoProblem trials = *row;
    *seen = *cone;
    seen->angle_count /= fan.step;
    for (int64_t k = 0; k < seen->angle_count; k++) angle_rad[k] = cone->angle_rad[k * fan.step];
    seen->angle_rad = angle_rad;
    seen->column_count = sino_ceil_divide(cone->column_count, fan.binning);
    seen->center = (cone->center + 0.5) / binning - 0.5;
    seen->pixel_width *= binning;
    seen->voxel_size *= voxels;
    seen->x_count = (int64_t)ceil((double)cone->x_count / voxels - rounding);
    seen->y_count = (int64_t)ceil((double)cone->y_count / voxels - rounding);
    seen->row_count = seen->z_count = fan.count;
    seen->center_row = sino_cone_plane_slice(seen);
    trials.geometry = sino_halves_binned(&row->geometry, fan.binning);
    trials.geometry.angle_count = seen->angle_count;
    trials.cone = seen;
    trials.subset_count = sino_smaller(row->subset_count, seen->angle_count);
    return trials;
}

int64_t sino_halves_parts(int64_t angle_count)
{
    enum { PARTS_MOST = 4 };
    return sino_larger(SINO_HALVES, sino_smaller(angle_count / 2, PARTS_MOST));
}

int64_t sino_halves_folds(const SinoGeometry *geometry)
{
    enum { ENOUGH_RAYS = 1 << 17 }; /* with 90 × 256, strengths of two parts are up to half an octave apart */
    return sino_geometry_ray_count(geometry) < ENOUGH_RAYS ? 2 : 1;
}

int64_t sino_halves_strengths(const SinoOperatorKind *kind)
{
    return kind->minibatch > 0 ? SINO_HALVES_STEPS : SINO_HALVES_STRENGTHS;
}

SinoGeometry sino_halves_binned(const SinoGeometry *geometry, int64_t binning)
{
    SinoGeometry binned = *geometry;
    if (binning == 1) return binned;
    const int64_t side = sino_ceil_divide(sino_geometry_slice_side(geometry), BINNING);
    binned.column_count = sino_ceil_divide(geometry->column_count, BINNING);
    binned.grid_size = 2 * sino_ceil_divide(geometry->grid_size, (int64_t)2 * BINNING);
    binned.center = (geometry->center + 0.5) / BINNING - 0.5;
    binned.margin = (binned.grid_size - side) / 2;
    return binned;
}

int64_t sino_halves_partitions(const SinoProblem *problem, int64_t workers, int64_t devices)
{
    enum { LEAST_TILES = 8 }; /* fewer take longer to add up than to compute */
    const int64_t side = sino_ceil_divide(problem->geometry.grid_size, SINO_TILE);
    const int64_t most = sino_larger(sino_times(side, side) / LEAST_TILES, 1);
    return sino_smaller(most, sino_larger(devices > 0 ? devices : workers, 1));
}

static float average(bool of_counts, float a, float b)
{
    if (sino_is_undefined(a)) return b;
    if (sino_is_undefined(b)) return a;
    if (!of_counts) return (a + b) / 2;
    return fminf(a, b) - logf((1 + expf(-fabsf(a - b))) / 2);
}

void sino_halves_bin(const SinoGeometry *geometry, bool of_counts, float *sinogram)
{
    const int64_t columns = geometry->column_count;
    float *to = sinogram;
    for (int64_t k = 0; k < geometry->angle_count; k++) {
        const float *from = sinogram + k * columns;
        for (int64_t c = 0; c < columns; c += BINNING)
            *to++ = average(of_counts, from[c], from[sino_smaller(c + 1, columns - 1)]);
    }
}

/* The binned voxel of a row or column that the middle of voxel i lies in. */
static int64_t voxel_of(int64_t i, int64_t side, int64_t narrow)
{
    const double at = ((double)i - (double)(side - 1) / 2) / BINNING + (double)(narrow - 1) / 2;
    return sino_larger(0, sino_smaller(llround(at), narrow - 1));
}

SinoStatus sino_halves_bin_mask(const SinoGeometry *geometry, const SinoGeometry *binned, const unsigned char *mask,
                                unsigned char **result)
{
    const int64_t side = sino_geometry_slice_side(geometry), narrow = sino_geometry_slice_side(binned);
    SINO_TRY(sino_allocate(sino_times(narrow, narrow), sizeof **result, "a mask", result));
    for (int64_t y = 0; y < side; y++)
        for (int64_t x = 0; x < side; x++)
            if (mask[y * side + x])
                (*result)[voxel_of(y, side, narrow) * narrow + voxel_of(x, side, narrow)] = mask[y * side + x];
    return NULL;
}
