/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone backproject on a CPU core: symmetry of a scan, and the choice of the instruction set. */
#include "cone_isa.h"

#include <math.h>
#include <string.h>

/* Positions that differ by less are the same: a thousandth of a pixel at 1000 columns from the axis. */
static const double same_rad = 1e-6, same_row = 1e-6;

static bool comes_in_fours(const SinoCone *cone)
{
    const int64_t quarter = cone->angle_count / 4;
    if (cone->angle_count % 4 != 0 || cone->x_count != cone->y_count || cone->x_count % 2 != 0) return false;
    for (int64_t k = 0; k < 3 * quarter; k++) {
        const double turn = cone->angle_rad[k + quarter] - cone->angle_rad[k];
        if (fabs(remainder(turn - SINO_PI / 2, 2 * SINO_PI)) > same_rad) return false;
    }
    return true;
}

SinoConeSymmetry sino_cone_symmetry(const SinoCone *cone, bool allowed)
{
    const bool halves =
        cone->z_count % 2 == 0 && cone->lift == 0 && fabs(remainder(2 * cone->center_row, 1)) <= same_row;
    return (SinoConeSymmetry){.turns = allowed && comes_in_fours(cone) ? SINO_CONE_TURNS : 1,
                              .halves = allowed && halves ? 2 : 1};
}

/* The best instruction set that the processor has. */
static const SinoConeIsa *isa(void)
{
#ifdef __x86_64__
    if (sino_vector_bytes() == 64 && __builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512vbmi"))
        return &sino_cone_avx512vnni;
#endif
    return SINO_BEST_ISA(sino_cone);
}

const char *sino_cone_isa_name(void)
{
    return isa()->name;
}

/* Work memory: cosines, sines and gains, lines. */
typedef struct Sizes {
    int64_t angles, line_stride, lines; /* elements */
    int64_t bytes;
} Sizes;

static Sizes sizes_of(const SinoConeLines *lines)
{
    const int64_t runs = (int64_t)lines->symmetry.turns * lines->symmetry.halves;
    Sizes sizes = {.angles = sino_ceil_multiple(sino_cone_projections(lines), 8) + SINO_CONE_PASS,
                   .line_stride = lines->entry_count + (int64_t)2 * SINO_CONE_MARGIN};
    sizes.lines = sino_times(SINO_CONE_PASS * runs, sizes.line_stride);
    sizes.bytes = 3 * sizes.angles * (int64_t)sizeof(double) + sino_times(sizes.lines, sino_cone_entry_bytes(lines));
    return sizes;
}

int64_t sino_cone_scratch_bytes(const SinoConeLines *lines)
{
    return sizes_of(lines).bytes;
}

/* The offset of sino_cone_runs, rounded before whole rows are taken off: the same for the lines of any part. Planes far
 * beyond the detector are all the same. */
static int64_t origin_of(const SinoCone *cone, const SinoConeLines *lines)
{
    const double row = sino_cone_plane_row(cone, lines->symmetry), furthest = 0x1p29;
    const double offset = lines->symmetry.halves == 2 ? row - floor(row) : row;
    return llrint(fmax(-furthest, fmin(offset, furthest)) * (double)SINO_CONE_ONE) - lines->first_row * SINO_CONE_ONE;
}

void sino_cone_backproject(const SinoConeBackprojection *what, void *scratch, float *part)
{
    sino_cone_backproject_with(isa(), what, scratch, part);
}

void sino_cone_backproject_with(const SinoConeIsa *isa, const SinoConeBackprojection *what, void *scratch, float *part)
{
    const SinoConeLines *lines = what->lines;
    const Sizes sizes = sizes_of(lines);
    const SinoConeRuns runs = sino_cone_runs(what->cone, lines, what->part);
    const int64_t projections = sino_cone_projections(lines);
    double *cosine = scratch, *sine = cosine + sizes.angles, *gain = sine + sizes.angles;
    SinoConePass pass = {.of = what,
                         .part = part,
                         .cosine = cosine,
                         .sine = sine,
                         .gain = gain,
                         .offset = runs.offset,
                         .slope = runs.slope,
                         .origin = origin_of(what->cone, lines),
                         .doubled_slope = llrint(2 * runs.slope),
                         .weight_most = sino_cone_largest_weight(what->cone),
                         .line_stride = sizes.line_stride,
                         .line = gain + sizes.angles};
    memset(scratch, 0, (size_t)(3 * sizes.angles) * sizeof(double));
    for (int64_t p = 0; p < projections; p++) {
        cosine[p] = cos(what->angle_rad[p]);
        sine[p] = sin(what->angle_rad[p]);
    }
    memset(pass.line, 0, (size_t)(sizes.lines * sino_cone_entry_bytes(lines)));
    if (lines->precision != SINO_MIXED) {
        isa->single(&pass);
        return;
    }
    for (int64_t p = 0; p < projections; p++) pass.unit_most = fmaxf(pass.unit_most, what->unit[p]);
    if (!(pass.unit_most > 0)) return;
    for (int64_t p = 0; p < projections; p++)
        gain[p] = 32767 / pass.weight_most * (double)what->unit[p] / (double)pass.unit_most;
    isa->mixed(&pass);
}
