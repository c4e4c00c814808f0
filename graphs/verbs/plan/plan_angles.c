/* SPDX-License-Identifier: BSD-3-Clause */
/* plan of a scan without a file: its angles, and an input of the sizes that settings give. */
#include "angle_list.h"
#include "cone_scan.h"
#include "job_kind.h"
#include "memory.h"
#include "plan_report.h"

/* The angles of --theta, else equal steps over an arc, whose end is left out; angle_rad[--angles]. */
static SinoStatus list_angles(const SinoSettings *settings, double arc_rad, double **angle_rad)
{
    int64_t count = settings->phantom.angles;
    if (settings->input.theta) {
        SinoAngleUnit unit = settings->input.theta_unit;
        return sino_angle_list_read(settings->input.theta, &unit, count, &count, angle_rad);
    }
    SINO_TRY(sino_allocate(count, sizeof **angle_rad, "angles", angle_rad));
    for (int64_t k = 0; k < count; k++) (*angle_rad)[k] = arc_rad * (double)k / (double)count;
    return NULL;
}

SinoStatus sino_plan_imagine(const SinoSettings *settings, SinoImagined *imagined, SinoInput *input)
{
    const bool cone = sino_job_is_cone(settings);
    SINO_TRY(list_angles(settings, cone ? 2 * SINO_PI : SINO_PI, &imagined->angle_rad));
    imagined->info = (SinoScanInfo){.kind = "imagined",
                                    .stored_type = "uint16",
                                    .type = SINO_COUNT_UINT16,
                                    .angle_count = settings->phantom.angles,
                                    .row_count = settings->phantom.slices,
                                    .column_count = settings->input.columns,
                                    .flat_count = 1,
                                    .dark_count = 1,
                                    .file_angle_count = settings->phantom.angles,
                                    .angle_binning = 1,
                                    .full_count = UINT16_MAX,
                                    .angle_rad = imagined->angle_rad,
                                    .remark = ""};
    if (cone) imagined->info.setup = sino_cone_usual_setup(&settings->geometry, settings->input.columns);
    return sino_input_imagine(settings, &imagined->info, input);
}
