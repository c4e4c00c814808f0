/* SPDX-License-Identifier: BSD-3-Clause */
/* Rays, report: the description of the memoised operator in the log. */
#include "rays_private.h"

#include "memory.h"
#include "text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* Sums over the subsets. */
typedef struct Totals {
    int64_t bytes, lists_bytes, stored_angles;
    double build_s;
} Totals;

static Totals totals_of(const SinoOperator *op)
{
    const SinoRaysOwn *own = op->own;
    Totals totals = {0};
    for (int64_t s = 0; s < op->problem.subset_count; s++) {
        const SinoRays *rays = own->subset[s].rays;
        totals.bytes += rays->bytes;
        totals.lists_bytes += rays->lists_bytes;
        totals.stored_angles += sino_layout_stored_angles(&rays->layout);
        totals.build_s += rays->build_s;
    }
    return totals;
}

static const char *why_stored(const SinoOperator *op, char text[96])
{
    const SinoRaysOwn *own = op->own;
    const SinoLayout *layout = &own->subset[0].rays->layout;
    if (!op->problem.symmetry) return " (symmetry is off)";
    if (layout->geometry.grid_size % 2 == 1) {
        const int64_t even = layout->geometry.grid_size + 1;
        snprintf(text, 96, " (symmetry needs an even slice, such as --volume %" PRId64 "x%" PRId64 ")", even, even);
        return text;
    }
    if (layout->orientations > 1) return " (the others are quarter turns or mirror images)";
    return op->problem.subset_count > 1 ? " (no quarter turns or mirror images within a subset)"
                                        : " (no quarter turns or mirror images among them)";
}

/* Reports windows: the memory is too small for the whole operator. */
static void report_windows(const SinoOperator *op, const SinoRays *rays)
{
    char whole[24], resident[24];
    int64_t largest = 0;
    if (rays->window_count == 0) return;
    for (int64_t p = 0; p < rays->partition_count; p++)
        if (rays->partition[p].block_bytes > largest) largest = rays->partition[p].block_bytes;
    sino_log_warning(sino_runtime_log(op->runtime), "operator",
                     "the ray lengths take %s, more than the memory for them: %s of them are in memory at a time, the "
                     "others are %s when they are needed, which takes long",
                     sino_bytes_text(rays->bytes, whole), sino_bytes_text(rays->window_count * largest, resident),
                     rays->file ? "read again" : "computed again");
    sino_log_detail(sino_runtime_log(op->runtime), "operator",
                    "windows: %" PRId64 " of %" PRId64 " partitions are in memory at a time", rays->window_count,
                    rays->partition_count);
}

static void report_even_angles(const SinoOperator *op, const SinoLayout *layout)
{
    const double degrees = 180 / M_PI;
    if (layout->deviation_rad == 0) return;
    sino_log_info(
        sino_runtime_log(op->runtime), "operator",
        "angles are taken as evenly spaced, which lets them follow from each other: those of the input differ "
        "by up to %.3g degrees, %.2g voxel at the grid's edge (--symmetry no: as they are)",
        layout->deviation_rad * degrees, layout->deviation_rad * (double)layout->geometry.grid_size / 2);
}

void sino_rays_report(const SinoOperator *op)
{
    const SinoRaysOwn *own = op->own;
    SinoLog *log = sino_runtime_log(op->runtime);
    char bytes[24], why[96], duration[SINO_DURATION_SIZE];
    if (op->idle) return;
    const Totals totals = totals_of(op);
    sino_log_info(log, "operator", "ray lengths: %s, %s in %s", sino_bytes_text(totals.bytes, bytes),
                  own->subset[0].rays->file ? "read" : "computed", sino_duration_text(totals.build_s, duration));
    sino_log_detail(log, "operator",
                    "operator%s of %" PRId64 " nonzeros, %s (%.2f bytes per nonzero), %s in %.2f s; %" PRId64
                    " of %" PRId64 " angles stored%s",
                    op->ranks->shape.data_count > 1 ? " (this rank's share)" : "", op->nonzero_count,
                    sino_bytes_text(totals.bytes, bytes),
                    (double)totals.bytes / (double)(op->nonzero_count > 0 ? op->nonzero_count : 1),
                    own->subset[0].rays->file ? "read" : "built", totals.build_s, totals.stored_angles,
                    op->problem.geometry.angle_count, why_stored(op, why));
    sino_angle_subsets_report(&own->angles, log);
    report_even_angles(op, &own->subset[0].rays->layout);
    if (totals.lists_bytes > 0)
        sino_log_detail(log, "operator", "lists of it for devices: %s", sino_bytes_text(totals.lists_bytes, bytes));
    report_windows(op, own->subset[0].rays);
}
