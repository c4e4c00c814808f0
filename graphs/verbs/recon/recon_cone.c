/* SPDX-License-Identifier: BSD-3-Clause */
/* recon of a cone beam: FDK (L. Feldkamp et al., J. Opt. Soc. Am. A 1, 612, 1984). */
#include "recon_cone.h"

#include "center_search.h"
#include "cone_reconstruction.h"
#include "cone_scan.h"
#include "cone_weigh.h"
#include "memory.h"
#include "memory_scan.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

typedef struct Cone {
    SinoCone cone;
    SinoConeArc arc; /* known once the rotation axis is */
    SinoUnitPlan plan;
    SinoConeTraffic traffic;
} Cone;

/* The beam is widest at the axis in the plane of the source. */
SinoReconFacts sino_recon_cone_facts(const SinoCone *cone, int64_t memory_bytes, int64_t budget_bytes,
                                     int64_t data_bytes)
{
    const double micrometres_per_mm = 1e3;
    const double columns = fmax(cone->center + 0.5, (double)cone->column_count - 0.5 - cone->center);
    const double half = columns * cone->pixel_width;
    const double seen = cone->source_object * half / hypot(half, cone->source_detector) / cone->voxel_size;
    const int64_t side = cone->x_count < cone->y_count ? cone->x_count : cone->y_count;
    return (SinoReconFacts){.memory_bytes = memory_bytes,
                            .budget_bytes = budget_bytes,
                            .data_bytes = data_bytes,
                            .voxel_um = cone->voxel_size * micrometres_per_mm,
                            .slice_um = cone->voxel_size * micrometres_per_mm,
                            .radius = fmax(seen, (double)side / 2)};
}

SinoReconSizes sino_recon_cone_sizes(const SinoCone *cone)
{
    return (SinoReconSizes){.count = 2,
                            .of = {{"scan",
                                    SINO_AMOUNT_NUMBER,
                                    3,
                                    {{"angles", "angles", (double)cone->angle_count},
                                     {"columns", "columns", (double)cone->column_count},
                                     {"rows", "rows", (double)cone->row_count}}},
                                   {"volume",
                                    SINO_AMOUNT_NUMBER,
                                    3,
                                    {{"x", "x", (double)cone->x_count},
                                     {"y", "y", (double)cone->y_count},
                                     {"z", "z", (double)sino_cone_slices(cone)}}}}};
}

SinoStatus sino_recon_cone_size(SinoRecon *recon, SinoCone *cone)
{
    double center = recon->input.geometry.center;
    if (center < 0) SINO_TRY(sino_center_given(&recon->settings->center, &recon->input, &center));
    SINO_TRY(sino_cone_scan(recon->settings, &recon->input, center, cone));
    SINO_TRY(sino_cone_take_margin(recon->settings, cone));
    recon->request.slice_count = sino_cone_slices(cone);
    recon->request.height = cone->y_count;
    recon->request.width = cone->x_count;
    return NULL;
}

SinoStatus sino_recon_cone_begin(SinoRecon *recon, SinoCone *cone)
{
    SINO_TRY(sino_recon_open_scan(recon));
    SINO_TRY(sino_recon_cone_size(recon, cone));
    recon->request.row_step = 1;
    recon->request.units = "1/cm";
    for (int i = 0; i < 3; i++) recon->request.voxel_um[i] = 1000 * cone->voxel_size;
    return NULL;
}

static SinoStatus begin(SinoRecon *recon)
{
    Cone *own;
    SINO_TRY(sino_allocate(1, sizeof *own, "the run", &own));
    recon->own = own;
    return sino_recon_cone_begin(recon, &own->cone);
}

static SinoRecordShape record(const SinoRecon *recon)
{
    const Cone *own = recon->own;
    return sino_cone_record_shape(&own->cone, 1, 1, sino_settings_records_planes(recon->settings));
}

static SinoStatus plan(SinoRecon *recon)
{
    Cone *own = recon->own;
    SinoMachine machine;
    SINO_TRY(sino_processes_agree(recon->processes, sino_recon_cone_size(recon, &own->cone)));
    SINO_TRY(sino_recon_cone_machine(recon, &machine));
    SinoUnitPlanRequest request = sino_fdk_plan_request(recon->settings, &recon->input, &own->cone, &machine,
                                                        sino_processes_count(recon->processes));
    (void)sino_resume_number(&recon->resume, "slabs", &request.slab_count);
    if (request.grid.batch_groups == 0 &&
        sino_resume_number(&recon->resume, "rows of ranks", &request.grid.batch_groups))
        (void)sino_resume_number(&recon->resume, "columns of ranks", &request.grid.data_ranks);
    SINO_TRY(sino_processes_agree(recon->processes, sino_unit_plan_new(&request, &own->plan)));
    return sino_recon_cone_range_plan(recon, &own->cone, &own->plan.total_bytes, &own->plan.bytes.data);
}

static SinoStatus find_center(SinoRecon *recon)
{
    const Cone *own = recon->own;
    return sino_cone_center_search(recon->runtime, recon->settings, &own->cone, &recon->input);
}

static void print_plan(const SinoRecon *recon, FILE *out)
{
    const Cone *own = recon->own;
    fprintf(out, "processors: %s\n", sino_cone_isa_name());
    fprintf(out, "slabs: %" PRId64 "\n", own->plan.streaming.slab_count);
    fprintf(out, "rows of ranks: %" PRId64 "\n", own->plan.streaming.grid_rows);
    fprintf(out, "columns of ranks: %" PRId64 "\n", own->plan.streaming.grid_columns);
}

void sino_recon_cone_tell(const SinoRecon *recon, const SinoCone *cone, const char *arc)
{
    if (cone->view) {
        sino_log_info(recon->log, "geometry",
                      "vectors of %" PRId64 " projections, %" PRId64
                      " of which are computed ray by ray; voxels of %.4g mm",
                      cone->angle_count, sino_cone_leaning_count(cone), cone->voxel_size);
        return;
    }
    sino_log_info(recon->log, "geometry", "%s: magnification %.4g, voxels of %.4g mm%s%s",
                  cone->fans ? "fan beams, one per row" : "cone beam", cone->source_detector / cone->source_object,
                  cone->voxel_size, arc ? ", " : "", arc ? arc : "");
}

static void tell_geometry(const SinoRecon *recon)
{
    static const char *const arc_name[] = {[SINO_CONE_CIRCLE] = "a whole circle",
                                           [SINO_CONE_DISPLACED] = "a whole circle, the detector displaced",
                                           [SINO_CONE_SHORT] = "a short scan"};
    const Cone *own = recon->own;
    char text[192], gaps[80] = "";
    if (own->arc.gap_count > 1)
        snprintf(gaps, sizeof gaps, " with %" PRId64 " gaps, by which up to %.0f %% of the lines are not seen",
                 own->arc.gap_count, 100 * own->arc.unseen);
    snprintf(text, sizeof text, "%s%s (%.1f degrees, fan ±%.1f degrees)",
             own->arc.gap_count > 1 ? "a circle" : arc_name[own->arc.kind], gaps, own->arc.length_rad * 180 / SINO_PI,
             own->arc.fan_rad * 180 / SINO_PI);
    sino_recon_cone_tell(recon, &own->cone, text);
}

static void tell_ranks(const SinoRecon *recon)
{
    const Cone *own = recon->own;
    const SinoConeStreaming *streaming = &own->plan.streaming;
    if (sino_processes_count(recon->processes) == 1) return;
    sino_log_info(recon->log, "ranks",
                  "ranks: %" PRId64 " in a grid of %" PRId64 "x%" PRId64
                  ": rows share the volume, columns the projections",
                  sino_processes_count(recon->processes), streaming->grid_rows, streaming->grid_columns);
}

static void tell_plan(const SinoRecon *recon)
{
    const Cone *own = recon->own;
    const SinoConeStreaming *streaming = &own->plan.streaming;
    const SinoCone *cone = &own->cone;
    char total[24], budget[24];
    sino_log_info(recon->log, "plan",
                  "volume: %" PRId64 " x %" PRId64 " x %" PRId64 " voxels, passes over the projections: %" PRId64
                  " on %" PRId64 " cores, memory: %s of %s",
                  cone->x_count, cone->y_count, cone->z_count, streaming->slab_count,
                  sino_runtime_worker_count(recon->runtime), sino_bytes_text(own->plan.total_bytes, total),
                  sino_bytes_text(own->plan.budget_bytes, budget));
    sino_log_info(recon->log, "plan", "backprojection: %s, %s", sino_fdk_plan_kernel(&own->plan), sino_cone_isa_name());
    sino_log_detail(recon->log, "plan",
                    "slabs of %" PRId64 " slices, parts of %" PRId64 " rows and %" PRId64 " voxels, pieces: %" PRId64
                    ", blocks: %" PRId64 ", images: %" PRId64,
                    streaming->slab_slices, streaming->band_rows, streaming->part_voxels, streaming->piece_sets,
                    streaming->block_sets, streaming->image_sets);
}

/* The axis is known now. */
static SinoStatus build(SinoRecon *recon)
{
    Cone *own = recon->own;
    SINO_TRY(sino_processes_agree(recon->processes, sino_recon_cone_size(recon, &own->cone)));
    SINO_TRY(sino_processes_agree(recon->processes, sino_cone_arc_new(&own->cone, &own->arc)));
    tell_geometry(recon);
    tell_ranks(recon);
    tell_plan(recon);
    return NULL;
}

static SinoRestored restored(const SinoRecon *recon)
{
    return (SinoRestored){.data_ranks = 1, .tally = sino_cone_tally(&recon->input, &recon->record)};
}

/* A caller's volume may have the unit of the operator. */
static double scale_of(const SinoRecon *recon)
{
    const Cone *own = recon->own;
    const SinoMemoryRun *memory = recon->settings->memory;
    return memory && memory->of_operator ? 1 : sino_recon_cone_scale(&own->cone);
}

static SinoStatus compute(SinoRecon *recon)
{
    Cone *own = recon->own;
    const SinoConeReconstruction reconstruction = {.runtime = recon->runtime,
                                                   .settings = recon->settings,
                                                   .input = sino_integrals_or(recon->integrals, &recon->input),
                                                   .cone = &own->cone,
                                                   .streaming = &own->plan.streaming,
                                                   .scale = scale_of(recon),
                                                   .volume = recon->volume,
                                                   .journal = recon->resume.journal,
                                                   .record = &recon->record,
                                                   .traffic = &own->traffic,
                                                   .live = recon->live};
    return sino_cone_reconstruct(&reconstruction);
}

static SinoReconFacts facts(const SinoRecon *recon)
{
    const Cone *own = recon->own;
    return sino_recon_cone_facts(&own->cone, own->plan.total_bytes, own->plan.budget_bytes, own->plan.bytes.data);
}

static SinoReconSizes sizes(const SinoRecon *recon)
{
    const Cone *own = recon->own;
    const SinoConeStreaming *streaming = &own->plan.streaming;
    SinoReconSizes sizes = sino_recon_cone_sizes(&own->cone);
    sizes.of[sizes.count++] =
        (SinoAmounts){"passes", SINO_AMOUNT_NUMBER, 1, {{"slabs", "slabs", (double)streaming->slab_count}}};
    sizes.team = (SinoAmounts){"grid",
                               SINO_AMOUNT_NUMBER,
                               2,
                               {{"grid_rows", "rows of ranks", (double)streaming->grid_rows},
                                {"grid_columns", "columns of ranks", (double)streaming->grid_columns}}};
    return sizes;
}

/* Logs the bytes that the ranks have sent, all together. */
static SinoStatus tell_traffic(SinoRecon *recon)
{
    const Cone *own = recon->own;
    int64_t bytes[] = {own->traffic.lines_bytes, own->traffic.part_bytes};
    if (!recon->settings->runtime.profile || sino_processes_count(recon->processes) == 1) return NULL;
    SINO_TRY(sino_processes_sum_integers(recon->processes, 2, bytes));
    sino_log_info(recon->log, "profile",
                  "messages of all ranks: %" PRId64 " bytes of lines in columns, %" PRId64 " bytes of voxels in rows",
                  bytes[0], bytes[1]);
    return NULL;
}

static SinoStatus write_process(SinoRecon *recon)
{
    const Cone *own = recon->own;
    const SinoRecord *of = &recon->record;
    SINO_TRY(sino_volume_process_doubles(recon->volume, "voxel_size", 0, 0, &own->cone.voxel_size, "mm"));
    SINO_TRY(sino_volume_process_text(recon->volume, "kernel", sino_fdk_plan_kernel(&own->plan)));
    return sino_volume_process_integers(recon->volume, "repaired", of->row_count, of->repaired,
                                        "undefined values interpolated, per detector row");
}

static void release(SinoRecon *recon)
{
    free(recon->own);
}

const SinoReconKind sino_recon_cone = {.try_input = sino_input_try,
                                       .begin = begin,
                                       .plan = plan,
                                       .find_center = find_center,
                                       .sample_planes = sino_recon_cone_sample,
                                       .print_plan = print_plan,
                                       .record = record,
                                       .build = build,
                                       .restored = restored,
                                       .compute = compute,
                                       .facts = facts,
                                       .sizes = sizes,
                                       .planes = true,
                                       .report = tell_traffic,
                                       .write_process = write_process,
                                       .release = release};
