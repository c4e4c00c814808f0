/* SPDX-License-Identifier: BSD-3-Clause */
/* Bench, report: the figures as a table, as CSV, and as a roofline. */
#include "bench.h"
#include "memory.h"
#include "spmm.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

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

/* The points of one precision and direction. */
typedef struct Series {
    char name[40];
    SinoRooflinePoint point[SINO_COUNTS_MAX];
} Series;

static int by_intensity(const void *a, const void *b)
{
    const double x = ((const SinoRooflinePoint *)a)->intensity, y = ((const SinoRooflinePoint *)b)->intensity;
    return x < y ? -1 : x > y;
}

/* Points of a backprojection have no labels, because they lie just below or above the projection's points. */
static SinoRooflineSeries series_of(const SinoBench *bench, SinoPrecision precision, bool back, Series *series)
{
    int64_t count = 0;
    for (int64_t i = 0; i < bench->row_count; i++) {
        const SinoBenchRow *row = &bench->row[i];
        if (row->precision != precision) continue;
        const SinoBenchKernel *kernel = back ? &row->backproject : &row->project;
        SinoRooflinePoint *point = &series->point[count++];
        *point = (SinoRooflinePoint){.intensity = kernel->intensity, .gflops = figure_of(kernel->gflops).best};
        if (!back) snprintf(point->label, sizeof point->label, "%d", (int)row->slices);
    }
    qsort(series->point, (size_t)count, sizeof *series->point, by_intensity);
    snprintf(series->name, sizeof series->name, "%s, %s", sino_precision_name(precision),
             back ? "backproject" : "project");
    return (SinoRooflineSeries){
        .name = series->name, .colour = (int)precision, .hollow = back, .point_count = count, .point = series->point};
}

SinoStatus sino_bench_draw(const SinoBench *bench, SinoRooflineFormat format, SinoOutputFile *file)
{
    char title[120];
    Series points[2 * SINO_PRECISIONS];
    SinoRooflineSeries series[2 * SINO_PRECISIONS];
    const SinoRoof roof[] = {{"FMA, single", bench->machine.fma_gflops[SINO_SINGLE]},
                             {"FMA, double", bench->machine.fma_gflops[SINO_DOUBLE]}};
    SinoRoofline roofline = {.title = title,
                             .note = "numbers beside points: slices that one product computes together",
                             .read_gbps = bench->machine.read_gbps,
                             .roof_count = 2,
                             .roof = roof,
                             .series = series};
    snprintf(title, sizeof title, "sinodag: %" PRId64 " columns, %" PRId64 " angles, %" PRId64 " workers with %s",
             bench->column_count, bench->angle_count, bench->machine.worker_count, sino_spmm_isa_name());
    for (int p = 0; p < SINO_PRECISIONS; p++) {
        if (bench->op[p].nonzero_count == 0) continue;
        for (int back = 0; back < 2; back++, roofline.series_count++)
            series[roofline.series_count] = series_of(bench, (SinoPrecision)p, back, &points[roofline.series_count]);
    }
    return sino_roofline_draw(&roofline, format, file);
}
