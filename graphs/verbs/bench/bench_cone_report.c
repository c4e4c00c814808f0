/* SPDX-License-Identifier: BSD-3-Clause */
/* Bench, report of cone beams: the figures as a table and as CSV. */
#include "bench_cone.h"
#include "cone_backproject.h"

#include <inttypes.h>

static const char *const step_name[] = {[SINO_BENCH_BACKPROJECT] = "backproject", [SINO_BENCH_RUN] = "run"};

/* The rates of a row. `per_flop`: updates per floating-point operation that would have taken the processor time. */
typedef struct Figures {
    SinoBenchFigure gups, filter, per_flop;
} Figures;

static Figures figures_of(const SinoBenchConeRow *row)
{
    return (Figures){.gups = sino_bench_figure(row->count, row->gups),
                     .filter = sino_bench_figure(SINO_BENCH_REPEATS, row->filter_gpixels),
                     .per_flop = sino_bench_figure(row->count, row->per_flop)};
}

static const char *symmetry_name(SinoConeSymmetry symmetry)
{
    const bool turns = symmetry.turns > 1, halves = symmetry.halves > 1;
    return turns && halves ? "turns+halves" : turns ? "turns" : halves ? "halves" : "none";
}

static void print_row(const SinoBenchConeRow *row, FILE *out)
{
    const Figures figures = figures_of(row);
    fprintf(out, "%-9s  %-12s  %-11s %7" PRId64 " %8.3f %8.3f %9.3f %10.4f %10.4f %8.4f %8.4f\n",
            sino_precision_name(row->precision), symmetry_name(row->symmetry), step_name[row->step], row->workers,
            figures.gups.best, figures.gups.median, figures.gups.best * 1e9 / 0x1p30, figures.filter.best,
            figures.filter.median, figures.per_flop.best, figures.per_flop.median);
}

void sino_bench_cone_print(const void *own, FILE *out)
{
    const SinoBenchCone *bench = own;
    const SinoCone *cone = &bench->scan.cone;
    fprintf(out,
            "scan         %" PRId64 " projections of %" PRId64 " x %" PRId64 " pixels\n"
            "volume       %" PRId64 " x %" PRId64 " x %" PRId64 " voxels\n"
            "machine      %" PRId64 " workers with %s\n"
            "FMA peak     %.1f GFLOP/s in single\n"
            "bandwidth    %.1f GB/s reading, %.1f GB/s copying (both ways)\n",
            cone->angle_count, cone->column_count, cone->row_count, cone->x_count, cone->y_count, cone->z_count,
            bench->machine.worker_count, sino_cone_isa_name(), bench->machine.fma_gflops[SINO_SINGLE],
            bench->machine.read_gbps, bench->machine.copy_gbps);
    fprintf(out, "\n%-9s  %-12s  %-11s %7s %27s%21s%18s\n", "", "", "", "", "10^9, 2^30 updates per s",
            "10^9 pixels per s", "updates per flop");
    fprintf(out, "%-9s  %-12s  %-11s %7s %8s %8s %9s %10s %10s %8s %8s\n", "precision", "shared", "step", "workers",
            "best", "median", "2^30", "filter", "median", "of peak", "median");
    for (int i = 0; i < bench->row_count; i++) print_row(&bench->row[i], out);
}

static void print_csv_row(const SinoBenchCone *bench, const SinoBenchConeRow *row, FILE *out)
{
    const SinoCone *cone = &bench->scan.cone;
    const Figures figures = figures_of(row);
    fprintf(out, "%" PRId64 ",%" PRId64 ",%s,%" PRId64 ",%.6g,%.6g,%s,%s,%.6g,%.6g,%.6g",
            cone->x_count * cone->y_count * cone->z_count, cone->angle_count, sino_precision_name(row->precision),
            row->workers, figures.gups.best, figures.filter.best, step_name[row->step], symmetry_name(row->symmetry),
            figures.gups.median, figures.gups.best * 1e9 / 0x1p30, figures.filter.median);
    fprintf(out, ",%.6g,%.6g,%.6g,%.6g,%.6g,%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%s,%d\n",
            figures.per_flop.best, figures.per_flop.median, bench->machine.fma_gflops[SINO_SINGLE],
            bench->machine.read_gbps, bench->machine.copy_gbps, cone->x_count, cone->y_count, cone->z_count,
            cone->column_count, cone->row_count, sino_cone_isa_name(), row->count);
}

void sino_bench_cone_print_csv(const void *own, FILE *out)
{
    const SinoBenchCone *bench = own;
    fputs("voxels,projections,precision,workers,gups,filter_gpixels_per_s,step,shared,gups_median,updates_2_30_per_s,"
          "filter_gpixels_per_s_median,updates_per_peak_flop,updates_per_peak_flop_median,fma_peak_gflops,read_gbps,"
          "copy_gbps,"
          "x,y,z,columns,rows,instruction_set,repetitions\n",
          out);
    for (int i = 0; i < bench->row_count; i++) print_csv_row(bench, &bench->row[i], out);
}
