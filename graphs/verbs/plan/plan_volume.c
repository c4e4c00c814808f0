/* SPDX-License-Identifier: BSD-3-Clause */
/* plan of a cone beam by an iterative algorithm: its memory, and its time on the cores or GPUs of a machine. */
#include "cone_kind.h"
#include "plan_report.h"

#include <inttypes.h>

typedef struct Volume {
    const SinoCone *cone;
    bool assumed;
} Volume;

static void print_head(const SinoUnitReport *report, FILE *out)
{
    const Volume *volume = report->of;
    char pixels[SINO_CONE_PIXELS_TEXT];
    sino_cone_print_scan(volume->cone, volume->assumed, out);
    if (*sino_cone_pixels_text(volume->cone, pixels)) fprintf(out, "pixels       %s\n", pixels);
    fprintf(out, "algorithm    %s, iterations: %" PRId64 "; volume and scan are in %s\n",
            sino_algorithm_name(report->settings->solver.algorithm), report->settings->solver.iterations,
            report->plan.bytes.paged > 0 ? "scratch files, and partly in memory" : "memory as a whole");
    if (report->settings->plan.ranks > 1)
        fprintf(out, "ranks        %" PRId64 ", which share the projections; each has the whole volume\n",
                report->settings->plan.ranks);
}

/* Of the first projection. */
static void json_pixels(const SinoCone *cone, SinoJson *json)
{
    const SinoPixelRays rays = sino_cone_pixel_rays(cone, 0);
    sino_json_open(json, "rays_per_pixel");
    sino_json_integer(json, "across", rays.across);
    sino_json_integer(json, "up", rays.up);
    sino_json_close(json);
}

static void json_head(const SinoUnitReport *report, SinoJson *json)
{
    const Volume *volume = report->of;
    sino_cone_json_scan(json, volume->cone, volume->assumed);
    json_pixels(volume->cone, json);
    sino_json_text(json, "algorithm", sino_algorithm_name(report->settings->solver.algorithm));
    sino_json_integer(json, "iterations", report->settings->solver.iterations);
    sino_json_integer(json, "ranks", report->settings->plan.ranks);
}

static void print_assumed(const SinoUnitReport *report, FILE *out)
{
    const SinoCone *cone = ((const Volume *)report->of)->cone;
    const SinoConeProductRates rates = sino_cone_products(cone);
    const SinoMachine *machine = &report->request.machine;
    const double gpu = sino_cone_device_gups(machine, cone);
    if (gpu > 0)
        fprintf(out,
                "\nassumed      GPUs: %" PRId64 ", one of which projects at a time; per GPU: %.4g 10^9 updates per "
                "second, memory %g GB/s, with room for the vectors",
                machine->devices.count, gpu, machine->rates.memory_gbps);
    else
        fprintf(out,
                "\nassumed      workers: %" PRId64
                "; per worker: project %g, backproject %g 10^9 updates per second, memory "
                "%g GB/s%s",
                machine->worker_count, rates.project_gups, rates.backproject_gups, machine->rates.memory_gbps,
                machine->devices.count > 0 && cone->window.pitch_mm > 0 ? "; helices are not for GPUs" : "");
}

SinoStatus sino_plan_volume(const SinoSettings *settings, const SinoInput *input, const SinoCone *cone, bool assumed)
{
    const Volume volume = {cone, assumed};
    SinoMachine machine;
    SinoProblem problem;
    SINO_TRY(sino_machine_new(settings, 0, &machine));
    SINO_TRY(sino_volume_problem(settings, input, cone, settings->plan.ranks, &problem));
    SinoUnitReport report = {.settings = settings,
                             .of = &volume,
                             .request =
                                 sino_volume_plan_request(settings, input, &problem, settings->plan.ranks, &machine),
                             .print_head = print_head,
                             .json_head = json_head,
                             .print_assumed = print_assumed};
    return sino_plan_units(&report);
}
