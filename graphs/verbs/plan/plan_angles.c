/* SPDX-License-Identifier: BSD-3-Clause */
/* plan, angles: those of a scan without a file. */
#include "angle_list.h"
#include "memory.h"
#include "plan_report.h"

SinoStatus sino_plan_angles(const SinoSettings *settings, double arc_rad, double **angle_rad)
{
    int64_t count = settings->angles;
    if (settings->theta) {
        SinoAngleUnit unit = settings->theta_unit;
        return sino_angle_list_read(settings->theta, &unit, count, &count, angle_rad);
    }
    SINO_TRY(sino_allocate(count, sizeof **angle_rad, "angles", angle_rad));
    for (int64_t k = 0; k < count; k++) (*angle_rad)[k] = arc_rad * (double)k / (double)count;
    return NULL;
}
