/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone model, report: predicted times of a cone-beam reconstruction as a table for people, and as JSON. */
#include "cone_model_report.h"

#include "arithmetic.h"
#include "duration.h"
#include "json.h"
#include "memory.h"

#include <inttypes.h>

/* A row of a table, and a member of the JSON object. */
typedef struct Item {
    const char *key, *name;
    double value;
} Item;

enum { STEPS = 5, REST = 4, ITEMS = STEPS + 1 + REST + 1 };

/* Steps that go on at the same time, the longest of them, steps one after the other, and the run. */
typedef struct Items {
    Item item[ITEMS];
} Items;

static Items items_of(const SinoConeTimes *times)
{
    return (Items){{{"load", "load", times->load},
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

static void print_head(const SinoConeProblem *problem, SinoConeGrid grid, const SinoConeTimes *times, FILE *out)
{
    char bytes[24];
    fprintf(out, "scan         %" PRId64 " projections of %" PRId64 " x %" PRId64 " pixels\n", problem->angle_count,
            problem->column_count, problem->row_count);
    fprintf(out, "volume       %" PRId64 " x %" PRId64 " x %" PRId64 " voxels\n", problem->x_count, problem->y_count,
            problem->z_count);
    fprintf(out, "grid         %" PRId64 "x%" PRId64 ": the volume in %" PRId64 ", the projections in %" PRId64 "\n",
            grid.rows, grid.columns, grid.rows, grid.columns);
    fprintf(out, "gathered     %s by each rank, of %" PRId64 " bytes per pixel\n",
            sino_bytes_text((int64_t)times->gather_bytes, bytes), problem->sample_bytes);
    fprintf(out, "reduced      %s of each rank\n", sino_bytes_text((int64_t)times->reduce_bytes, bytes));
}

static void print_run(const SinoConeTimes *times, FILE *out)
{
    const Items items = items_of(times);
    char text[SINO_DURATION_SIZE];
    fprintf(out, "\ntime of the run\n");
    for (const Item *item = items.item; item < items.item + ITEMS; item++)
        if (item->value > 0) fprintf(out, "  %-24s %12s\n", item->name, sino_duration_text(item->value, text));
    fprintf(out, "  %-24s %12.4g 10^9 updates per second, %.4g 2^30\n", "rate", times->gups,
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

void sino_cone_model_print(const SinoConeMachine *machine, const SinoConeProblem *problem, SinoConeGrid grid, FILE *out)
{
    const SinoConeTimes times = sino_cone_times(machine, problem, grid);
    print_head(problem, grid, &times, out);
    print_run(&times, out);
    print_assumed(machine, out);
    print_table(grid, &times, out);
}

void sino_cone_model_json(const SinoConeMachine *machine, const SinoConeProblem *problem, SinoConeGrid grid, FILE *out)
{
    const SinoConeTimes times = sino_cone_times(machine, problem, grid);
    const Items items = items_of(&times);
    SinoJson json = {.out = out};
    sino_json_open(&json, NULL);
    sino_json_open(&json, "scan");
    sino_json_integer(&json, "angles", problem->angle_count);
    sino_json_integer(&json, "columns", problem->column_count);
    sino_json_integer(&json, "rows", problem->row_count);
    sino_json_close(&json);
    sino_json_open(&json, "volume");
    sino_json_integer(&json, "x", problem->x_count);
    sino_json_integer(&json, "y", problem->y_count);
    sino_json_integer(&json, "z", problem->z_count);
    sino_json_close(&json);
    sino_json_open(&json, "grid");
    sino_json_integer(&json, "rows", grid.rows);
    sino_json_integer(&json, "columns", grid.columns);
    sino_json_close(&json);
    sino_json_open(&json, "bytes");
    sino_json_real(&json, "gather", times.gather_bytes);
    sino_json_real(&json, "reduce", times.reduce_bytes);
    sino_json_close(&json);
    sino_json_open(&json, "seconds");
    for (int i = 0; i < ITEMS; i++) sino_json_real(&json, items.item[i].key, items.item[i].value);
    sino_json_close(&json);
    sino_json_real(&json, "overlap", times.overlap);
    sino_json_real(&json, "gups", times.gups);
    sino_json_close(&json);
}
