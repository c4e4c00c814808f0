/* SPDX-License-Identifier: BSD-3-Clause */
/* Bench, report: the figures as a table, as CSV, and as a roofline. */
#include "bench.h"
#include "memory.h"
#include "plot.h"
#include "spmm.h"

#include <inttypes.h>
#include <math.h>

typedef struct Figures {
    SinoBenchFigure gflops, of_peak, of_roofline;
    double slice_ms; /* all workers together, best repetition */
} Figures;

static SinoBenchFigure figure_of(const double values[SINO_BENCH_REPEATS])
{
    return sino_bench_figure(SINO_BENCH_REPEATS, values);
}

static Figures figures_of(const SinoBench *bench, SinoPrecision precision, const SinoBenchKernel *kernel)
{
    double of_peak[SINO_BENCH_REPEATS], of_roofline[SINO_BENCH_REPEATS];
    for (int i = 0; i < SINO_BENCH_REPEATS; i++) {
        of_peak[i] = kernel->gflops[i] / kernel->fma_gflops[i];
        of_roofline[i] = kernel->gflops[i] / fmin(kernel->fma_gflops[i], bench->machine.read_gbps * kernel->intensity);
    }
    Figures figures = {
        .gflops = figure_of(kernel->gflops), .of_peak = figure_of(of_peak), .of_roofline = figure_of(of_roofline)};
    figures.slice_ms = 2e-6 * (double)bench->op[precision].nonzero_count / figures.gflops.best;
    return figures;
}

/* Speed of building A: 10⁶ nonzeros per second, all workers together. */
static double build_speed(const SinoBenchOperator *op)
{
    return 1e-6 * (double)op->nonzero_count / op->build_s;
}

static double density(const SinoBenchOperator *op)
{
    return (double)op->stored_nonzero_count / (double)op->stored_count;
}

static double bytes_per_nonzero(const SinoBenchOperator *op)
{
    return (double)op->bytes / (double)op->nonzero_count;
}

static void print_operator(const SinoBench *bench, SinoPrecision precision, FILE *out)
{
    const SinoBenchOperator *op = &bench->op[precision];
    char bytes[24];
    if (op->nonzero_count == 0) return; /* this precision was not requested */
    fprintf(out,
            "operator     %s: %" PRId64 " nonzeros, %" PRId64 " of %" PRId64
            " angles stored, density %.3f, %s (%.2f bytes per nonzero), built at %.1f M "
            "nonzeros/s (%.1f per worker)\n",
            sino_precision_name(precision), op->nonzero_count, op->stored_angles, bench->angle_count, density(op),
            sino_bytes_text(op->bytes, bytes), bytes_per_nonzero(op), build_speed(op),
            build_speed(op) / (double)bench->machine.worker_count);
}

static void print_kernel(const SinoBench *bench, const SinoBenchRow *row, const char *name,
                         const SinoBenchKernel *kernel, FILE *out)
{
    const Figures figures = figures_of(bench, row->precision, kernel);
    fprintf(out, "%-9s %6" PRId64 "  %-11s %8.1f %8.1f %8.3f %8.3f %8.3f %8.3f %12.4g\n",
            sino_precision_name(row->precision), row->slices, name, figures.gflops.best, figures.gflops.median,
            figures.of_peak.best, figures.of_peak.median, figures.of_roofline.best, figures.of_roofline.median,
            figures.slice_ms);
}

void sino_bench_print(const SinoBench *bench, FILE *out)
{
    fprintf(out,
            "scan         %" PRId64 " columns, %" PRId64 " angles\n"
            "machine      %" PRId64 " workers with %s\n"
            "FMA peak     %.1f GFLOP/s in single, %.1f in double\n"
            "bandwidth    %.1f GB/s reading\n",
            bench->column_count, bench->angle_count, bench->machine.worker_count, sino_spmm_isa_name(),
            bench->machine.fma_gflops[SINO_SINGLE], bench->machine.fma_gflops[SINO_DOUBLE], bench->machine.read_gbps);
    for (int p = 0; p < SINO_PRECISIONS; p++) print_operator(bench, (SinoPrecision)p, out);
    fprintf(out, "\n%28s%18s%18s%18s\n", "", "GFLOP/s", "of FMA peak", "of roofline");
    fprintf(out, "%-9s %6s  %-11s %8s %8s %8s %8s %8s %8s %12s\n", "precision", "slices", "direction", "best", "median",
            "best", "median", "best", "median", "ms per slice");
    for (int64_t i = 0; i < bench->row_count; i++) {
        print_kernel(bench, &bench->row[i], "project", &bench->row[i].project, out);
        print_kernel(bench, &bench->row[i], "backproject", &bench->row[i].backproject, out);
    }
}

static void print_csv_kernel(const SinoBenchKernel *kernel, const Figures *figures, FILE *out)
{
    fprintf(out, ",%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g", figures->gflops.median, figures->of_peak.best,
            figures->of_peak.median, figures->of_roofline.best, figures->of_roofline.median, figures->slice_ms,
            kernel->intensity);
}

static void print_csv_row(const SinoBench *bench, const SinoBenchRow *row, FILE *out)
{
    const SinoBenchOperator *op = &bench->op[row->precision];
    const Figures project = figures_of(bench, row->precision, &row->project);
    const Figures backproject = figures_of(bench, row->precision, &row->backproject);
    fprintf(out, "%s,%" PRId64 ",%" PRId64 ",%" PRId64 ",%.6g,%.6g,%.6g,%.6g,%" PRId64 ",%.6g",
            sino_precision_name(row->precision), row->slices, bench->machine.worker_count, op->nonzero_count,
            project.gflops.best, backproject.gflops.best,
            bench->machine.fma_gflops[sino_precision_solver(row->precision)], bench->machine.read_gbps, op->bytes,
            build_speed(op));
    print_csv_kernel(&row->project, &project, out);
    print_csv_kernel(&row->backproject, &backproject, out);
    fprintf(out, ",%.6g,%.6g,%.6g,%" PRId64 ",%" PRId64 ",%" PRId64 ",%s,%d\n",
            build_speed(op) / (double)bench->machine.worker_count, bytes_per_nonzero(op), density(op),
            bench->column_count, bench->angle_count, op->stored_angles, sino_spmm_isa_name(), SINO_BENCH_REPEATS);
}

#define CSV_KERNEL(name)                                                                                               \
    "," name "_gflops_median," name "_of_peak," name "_of_peak_median," name "_of_roofline," name                      \
    "_of_roofline_median," name "_ms_per_slice," name "_flops_per_byte"

void sino_bench_print_csv(const SinoBench *bench, FILE *out)
{
    fputs("precision,slices,workers,nonzeros,project_gflops,backproject_gflops,fma_peak_gflops,read_gbps,"
          "operator_bytes,build_mnnz_per_s" CSV_KERNEL("project") CSV_KERNEL(
              "backproject") ",build_mnnz_per_s_per_worker,bytes_per_nonzero,density,columns,angles,stored_angles,"
                             "instruction_set,repetitions\n",
          out);
    for (int64_t i = 0; i < bench->row_count; i++) print_csv_row(bench, &bench->row[i], out);
}

/* ---- the roofline: at I flops per byte the machine allows min(peak, I·bandwidth) (S. Williams et al., Comm. ACM 52,
 * 65, 2009) ---- */

/* The points of one precision and direction. */
typedef struct Points {
    char name[40];
    double intensity[SINO_COUNTS_MAX], gflops[SINO_COUNTS_MAX];
    int64_t slices[SINO_COUNTS_MAX];
} Points;

/* Adds a point in the order of intensity. */
static void add_point(Points *points, int64_t count, const SinoBenchKernel *kernel, int64_t slices)
{
    int64_t at = count;
    for (; at > 0 && points->intensity[at - 1] > kernel->intensity; at--) {
        points->intensity[at] = points->intensity[at - 1];
        points->gflops[at] = points->gflops[at - 1];
        points->slices[at] = points->slices[at - 1];
    }
    points->intensity[at] = kernel->intensity;
    points->gflops[at] = figure_of(kernel->gflops).best;
    points->slices[at] = slices;
}

/* Points of a backprojection have no numbers, because they lie just below or above the projection's points. */
static SinoPlotSeries series_of(const SinoBench *bench, SinoPrecision precision, bool back, Points *points)
{
    int64_t count = 0;
    for (int64_t i = 0; i < bench->row_count; i++) {
        const SinoBenchRow *row = &bench->row[i];
        if (row->precision != precision) continue;
        add_point(points, count++, back ? &row->backproject : &row->project, row->slices);
    }
    snprintf(points->name, sizeof points->name, "%s, %s", sino_precision_name(precision),
             back ? "backproject" : "project");
    return (SinoPlotSeries){.name = points->name,
                            .mark = back ? SINO_PLOT_RING : SINO_PLOT_DOT,
                            .colour = (int)precision,
                            .joined = true,
                            .count = count,
                            .x = points->intensity,
                            .y = points->gflops,
                            .label = back ? NULL : points->slices};
}

/* Axes that contain all points, the highest roof, a visible part of the slope on one side and of the roofs on the
 * other. */
static void choose_axes(const SinoBench *bench, double lowest, double highest, SinoPlot *plot)
{
    double x[2] = {lowest / bench->machine.read_gbps / 5, 10 * highest / bench->machine.read_gbps};
    double y[2] = {lowest / 5, 1.3 * highest};
    for (int64_t s = 0; s < plot->series_count; s++)
        for (int64_t i = 0; i < plot->series[s].count; i++) {
            sino_plot_include(plot->series[s].x[i], &x[0], &x[1]);
            sino_plot_include(plot->series[s].y[i], &y[0], &y[1]);
        }
    sino_plot_axis(&plot->x, x[0], x[1], 0);
    sino_plot_axis(&plot->y, y[0], y[1], 0);
}

typedef struct Limit {
    char name[64];
    double x[2], y[2];
} Limit;

static SinoPlotSeries limit_of(const Limit *limit)
{
    return (SinoPlotSeries){.name = limit->name,
                            .mark = SINO_PLOT_LIMIT,
                            .colour = SINO_PLOT_BLACK,
                            .count = 2,
                            .x = limit->x,
                            .y = limit->y};
}

static void find_limits(const SinoBench *bench, double highest, const SinoPlot *plot, Limit limit[3])
{
    const double bandwidth = bench->machine.read_gbps, *peak = bench->machine.fma_gflops;
    const double left = fmax(sino_plot_tick(&plot->x, 0), sino_plot_tick(&plot->y, 0) / bandwidth);
    const double right = sino_plot_tick(&plot->x, sino_plot_ticks(&plot->x));
    limit[0] = (Limit){.x = {left, highest / bandwidth}, .y = {left * bandwidth, highest}};
    snprintf(limit[0].name, sizeof limit[0].name, "read bandwidth: %.*f GB/s", bandwidth < 1000, bandwidth);
    for (int p = 0; p < 2; p++) {
        const double flat = peak[p];
        limit[1 + p] = (Limit){.x = {flat / bandwidth, right}, .y = {flat, flat}};
        snprintf(limit[1 + p].name, sizeof limit[1 + p].name, "FMA, %s: %.*f GFLOP/s",
                 sino_precision_name((SinoPrecision)p), flat < 1000, flat);
    }
}

void sino_bench_draw(const SinoBench *bench, FILE *out)
{
    enum { LIMITS = 3 };
    const double *peak = bench->machine.fma_gflops;
    const double lowest = fmin(peak[SINO_SINGLE], peak[SINO_DOUBLE]),
                 highest = fmax(peak[SINO_SINGLE], peak[SINO_DOUBLE]);
    char title[120];
    Points points[2 * SINO_PRECISIONS];
    Limit limit[LIMITS];
    SinoPlotSeries series[2 * SINO_PRECISIONS + LIMITS];
    SinoPlot plot = {.title = title,
                     .note = "numbers beside points: slices that one product computes together",
                     .width = 900,
                     .height = 600,
                     .x = {.name = "arithmetic intensity (flops per byte)", .scale = SINO_PLOT_LOGARITHMIC},
                     .y = {.name = "speed (GFLOP/s)", .scale = SINO_PLOT_LOGARITHMIC},
                     .series = series};
    snprintf(title, sizeof title, "sinodag: %" PRId64 " columns, %" PRId64 " angles, %" PRId64 " workers with %s",
             bench->column_count, bench->angle_count, bench->machine.worker_count, sino_spmm_isa_name());
    for (int p = 0; p < SINO_PRECISIONS; p++)
        for (int back = 0; bench->op[p].nonzero_count > 0 && back < 2; back++, plot.series_count++)
            series[plot.series_count] = series_of(bench, (SinoPrecision)p, back, &points[plot.series_count]);
    choose_axes(bench, lowest, highest, &plot);
    find_limits(bench, highest, &plot, limit);
    for (int i = 0; i < LIMITS; i++) series[plot.series_count++] = limit_of(&limit[i]);
    sino_plot_draw(&plot, out);
}
