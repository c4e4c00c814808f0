/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone model, report: predicted times of a cone-beam reconstruction as a table for people, and as JSON. */
#include "plan_report.h"

#include "amounts.h"
#include "memory.h"
#include "text.h"

#include <inttypes.h>

/* Steps that go on at the same time, the longest of them, steps one after the other, and the run. */
static SinoAmounts times_of(const SinoConeTimes *times)
{
    return (SinoAmounts){"seconds",
                         SINO_AMOUNT_SECONDS,
                         11,
                         {{"load", "load", times->load},
                          {"filter", "filter", times->filter},
                          {"gather", "gather in columns", times->gather},
                          {"to_device", "copy to devices", times->to_device},
                          {"backproject", "copy and backproject", times->backproject},
                          {"compute", "the longest of these", times->compute},
                          {"transpose", "transpose", times->transpose},
                          {"from_device", "copy from devices", times->from_device},
                          {"reduce", "sum along rows", times->reduce},
                          {"store", "store", times->store},
                          {"run", "run", times->run}}};
}

void sino_cone_print_scan(const SinoCone *cone, bool assumed, FILE *out)
{
    fprintf(out, "scan         %" PRId64 " projections of %" PRId64 " x %" PRId64 " pixels\n", cone->angle_count,
            cone->column_count, cone->row_count);
    if (cone->view)
        fprintf(out, "geometry     vectors of %" PRId64 " projections; voxel: %.6g mm\n", cone->angle_count,
                cone->voxel_size);
    else
        fprintf(out,
                "geometry     source to axis: %.6g mm, to detector: %.6g mm; pixel: %.6g x %.6g mm; voxel: %.6g mm%s\n",
                cone->source_object, cone->source_detector, cone->pixel_width, cone->pixel_height, cone->voxel_size,
                assumed ? " (assumed)" : "");
    fprintf(out, "volume       %" PRId64 " x %" PRId64 " x %" PRId64 " voxels\n", cone->x_count, cone->y_count,
            cone->z_count);
}

static void print_head(const SinoConeModelReport *report, const SinoConeTimes *times, FILE *out)
{
    const SinoConeProblem *problem = &report->problem;
    const SinoConeGrid grid = report->grid;
    char bytes[24];
    sino_cone_print_scan(&report->cone, report->assumed, out);
    fprintf(out,
            "grid         %" PRId64 "x%" PRId64 ": the volume in %" PRId64 ", the projections in %" PRId64 " (%s)\n",
            grid.rows, grid.columns, grid.rows, grid.columns, report->why);
    if (report->planned)
        fprintf(out, "passes       %" PRId64 " over the projections; %s\n", report->plan.streaming.slab_count,
                sino_fdk_plan_kernel(&report->plan));
    if (sino_times(grid.rows, grid.columns) == 1) return;
    fprintf(out, "gathered     %s by each rank, of %" PRId64 " bytes per pixel\n",
            sino_bytes_text((int64_t)times->gather_bytes, bytes), problem->sample_bytes);
    fprintf(out, "reduced      %s of each rank\n", sino_bytes_text((int64_t)times->reduce_bytes, bytes));
}

/* Of devices: what eq. 7 counts. */
static SinoAmounts device_items(const SinoConeModelReport *report)
{
    const int64_t voxels = sino_cone_part_bytes(&report->problem, report->grid);
    const int64_t lines = sino_cone_block_bytes(&report->problem);
    return (SinoAmounts){"memory_bytes",
                         SINO_AMOUNT_BYTES,
                         3,
                         {{"voxels", "voxels", (double)voxels},
                          {"lines", "a block of projections", (double)lines},
                          {"total", "total", (double)(voxels + lines)}}};
}

static SinoAmounts memory_items(const SinoConeModelReport *report)
{
    return report->planned ? sino_fdk_plan.list_bytes(&report->plan) : device_items(report);
}

static int64_t budget_of(const SinoConeModelReport *report)
{
    return report->planned ? report->plan.budget_bytes : report->machine.memory_bytes;
}

static void print_memory(const SinoConeModelReport *report, FILE *out)
{
    const SinoAmounts items = memory_items(report);
    char bytes[24];
    fprintf(out, "\nmemory of a rank, of %s\n", sino_bytes_text(budget_of(report), bytes));
    sino_amounts_print(&items, out);
}

static void print_run(const SinoConeTimes *times, double range_s, FILE *out)
{
    const SinoAmounts items = times_of(times);
    char text[SINO_DURATION_SIZE];
    fprintf(out, "\ntime of the run\n");
    sino_amounts_print(&items, out);
    if (range_s > 0) fprintf(out, "  %-28s %12s\n", "before, range of values", sino_duration_text(range_s, text));
    fprintf(out, "  %-28s %12.4g 10^9 updates per second, %.4g 2^30\n", "rate", times->gups,
            times->gups * 1e9 / 0x1p30);
}

static void print_assumed(const SinoConeMachine *machine, FILE *out)
{
    fprintf(out,
            "\nassumed      per rank: backprojection %g 10^9 updates per second, sums along rows %g GB/s, transpose %g "
            "GB/s;\n"
            "             per node (ranks: %" PRId64 "): filter %g 10^9 pixels per second, from other nodes %g GB/s,\n"
            "             copies of what is gathered %g GB/s",
            machine->backproject_gups, machine->reduce_gbps, machine->transpose_gbps, machine->ranks_per_node,
            machine->filter_gpixels, machine->link_gbps, machine->copy_gbps);
    if (machine->to_device_gbps > 0)
        fprintf(out, ", to devices %g GB/s, from devices %g GB/s", machine->to_device_gbps, machine->from_device_gbps);
    fprintf(out, ";\n             all files: read %g GB/s, written %g GB/s\n", machine->load_gbps, machine->store_gbps);
}

/* "" for 0, which is not measured. */
static const char *measured_text(double measured, char text[8])
{
    text[0] = '\0';
    if (measured > 0) snprintf(text, 8, "%.1f", measured);
    return text;
}

/* A row of the table. `measured`: NULL for the user's run. */
static void print_row(const char *volume, SinoConeGrid grid, const SinoConeTimes *times,
                      const SinoConePublished *measured, FILE *out)
{
    const SinoConePublished none = {0}, *row = measured ? measured : &none;
    char text[5][8], shape[48];
    snprintf(shape, sizeof shape, "%" PRId64 "x%" PRId64, grid.rows, grid.columns);
    fprintf(out, "  %-8s %5" PRId64 " %6s %6.1f %4s %6.1f %4s %6.1f %4s %6.1f %5s  %3.1f %3s %8.1f %6.1f %6.1f\n",
            volume, sino_times(grid.rows, grid.columns), shape, times->load + times->filter,
            measured && measured->filter <= 0 ? "<0.7" : measured_text(row->filter, text[0]), times->gather,
            measured_text(row->gather, text[1]), times->backproject, measured_text(row->backproject, text[2]),
            times->compute, measured_text(row->compute, text[3]), times->overlap, measured_text(row->overlap, text[4]),
            times->transpose + times->from_device + times->reduce, times->store, times->run);
}

static void print_published(const SinoConePublished *row, FILE *out)
{
    const SinoConeProblem problem = sino_cone_published_problem(row);
    const SinoConeGrid grid = {row->rows, row->rank_count / row->rows};
    const SinoConeTimes times = sino_cone_times(&sino_cone_abci, &problem, grid);
    char volume[16];
    snprintf(volume, sizeof volume, "%" PRId64 "^3", row->size);
    print_row(volume, grid, &times, row, out);
}

static void print_table(SinoConeGrid grid, const SinoConeTimes *times, FILE *out)
{
    fprintf(out, "\nseconds of this model, and beside them those measured by iFDK with a rank per V100 on ABCI, from "
                 "4096 projections\n"
                 "of 2048 x 2048 pixels (P. Chen et al., SC 2019, Table 5)\n");
    fprintf(out, "  %-8s %5s %6s %11s %11s %11s %12s  %7s %8s %6s %6s\n", "volume", "ranks", "grid", "load,filter",
            "gather", "backproject", "longest", "overlap", "copy,sum", "store", "run");
    print_row("this run", grid, times, NULL, out);
    for (int i = 0; i < SINO_CONE_PUBLISHED_COUNT; i++) print_published(&sino_cone_published[i], out);
}

void sino_cone_model_print(const SinoConeModelReport *report, FILE *out)
{
    const SinoConeTimes times = sino_cone_times(&report->machine, &report->problem, report->grid);
    print_head(report, &times, out);
    print_memory(report, out);
    print_run(&times, report->range_s, out);
    print_assumed(&report->machine, out);
    print_table(report->grid, &times, out);
}

void sino_cone_json_scan(SinoJson *json, const SinoCone *cone, bool assumed)
{
    sino_json_open(json, "geometry");
    sino_json_real(json, "source_object_mm", cone->source_object);
    sino_json_real(json, "source_detector_mm", cone->source_detector);
    sino_json_real(json, "pixel_width_mm", cone->pixel_width);
    sino_json_real(json, "pixel_height_mm", cone->pixel_height);
    sino_json_real(json, "voxel_mm", cone->voxel_size);
    sino_json_flag(json, "assumed", assumed);
    sino_json_close(json);
    sino_json_open(json, "scan");
    sino_json_integer(json, "angles", cone->angle_count);
    sino_json_integer(json, "columns", cone->column_count);
    sino_json_integer(json, "rows", cone->row_count);
    sino_json_close(json);
    sino_json_open(json, "volume");
    sino_json_integer(json, "x", cone->x_count);
    sino_json_integer(json, "y", cone->y_count);
    sino_json_integer(json, "z", cone->z_count);
    sino_json_close(json);
}

static void json_of_grid(SinoJson *json, const SinoConeModelReport *report)
{
    sino_json_open(json, "grid");
    sino_json_integer(json, "rows", report->grid.rows);
    sino_json_integer(json, "columns", report->grid.columns);
    sino_json_text(json, "why", report->why);
    sino_json_close(json);
    sino_json_integer(json, "passes", sino_larger(report->problem.passes, 1));
}

void sino_cone_model_json(const SinoConeModelReport *report, FILE *out)
{
    const SinoConeTimes times = sino_cone_times(&report->machine, &report->problem, report->grid);
    const SinoAmounts memory = memory_items(report);
    const SinoAmounts bytes = {
        "bytes", SINO_AMOUNT_BYTES, 2, {{"gather", "", times.gather_bytes}, {"reduce", "", times.reduce_bytes}}};
    const SinoAmounts items = times_of(&times);
    SinoJson json = {.out = out};
    sino_json_open(&json, NULL);
    sino_cone_json_scan(&json, &report->cone, report->assumed);
    json_of_grid(&json, report);
    sino_json_integer(&json, "budget_bytes", budget_of(report));
    sino_amounts_json(&memory, &json);
    sino_amounts_json(&bytes, &json);
    sino_amounts_json(&items, &json);
    sino_json_real(&json, "range_seconds", report->range_s);
    sino_json_real(&json, "overlap", times.overlap);
    sino_json_real(&json, "gups", times.gups);
    sino_json_close(&json);
}
