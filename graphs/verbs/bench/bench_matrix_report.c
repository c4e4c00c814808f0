/* SPDX-License-Identifier: BSD-3-Clause */
/* Bench, report of system matrices: the figures as a table and as CSV. */
#include "bench_matrix.h"
#include "memory.h"

#include <inttypes.h>

static const char *const step_name[] = {[SINO_BENCH_MATRIX_PROJECT] = "project",
                                        [SINO_BENCH_MATRIX_BACKPROJECT] = "backproject",
                                        [SINO_BENCH_MATRIX_MLEM] = "mlem"};

/* Seconds, of which the best are the least. */
static SinoBenchFigure figure_of(const SinoBenchMatrixRow *row, SinoBenchMatrixStep step)
{
    double rate[SINO_BENCH_REPEATS];
    for (int i = 0; i < row->count; i++) rate[i] = 1 / row->seconds[step][i];
    const SinoBenchFigure figure = sino_bench_figure(row->count, rate);
    return (SinoBenchFigure){.best = 1 / figure.best, .median = 1 / figure.median};
}

/* Products of a nonzero and a set: an iteration has one in each direction. */
static double products_of(const SinoBenchMatrix *bench, const SinoBenchMatrixRow *row, SinoBenchMatrixStep step)
{
    const int directions = step == SINO_BENCH_MATRIX_MLEM ? 2 : 1;
    return (double)bench->packing[row->precision].nonzero_count * (double)row->sets * directions;
}

static double bytes_per_nonzero(const SinoBenchPacking *packing)
{
    return (double)packing->bytes / (double)packing->nonzero_count;
}

static double pack_rate(const SinoBenchPacking *packing)
{
    return 1e-9 * (double)packing->nonzero_count / packing->elapsed_s;
}

static void print_shape(const SinoBrickShape *shape, FILE *out)
{
    fprintf(out, "bricks       of %d x %d x %d voxels, tiles of %d x %d x %d bricks\n", shape->brick[0],
            shape->brick[1], shape->brick[2], shape->tile[0], shape->tile[1], shape->tile[2]);
}

static void print_packing(SinoPrecision precision, const SinoBenchPacking *packing, FILE *out)
{
    char bytes[24];
    if (packing->nonzero_count == 0) return; /* this precision was not requested */
    fprintf(out, "A            %s: %s, %.3f bytes per nonzero, read and packed at %.4f 10^9 nonzeros per second\n",
            sino_precision_name(precision), sino_bytes_text(packing->bytes, bytes), bytes_per_nonzero(packing),
            pack_rate(packing));
}

static void print_row(const SinoBenchMatrix *bench, const SinoBenchMatrixRow *row, FILE *out)
{
    for (int s = 0; s < SINO_BENCH_MATRIX_STEPS; s++) {
        const SinoBenchMatrixStep step = (SinoBenchMatrixStep)s;
        const SinoBenchFigure seconds = figure_of(row, step);
        const double gbps = 1e-9 * (double)bench->packing[row->precision].bytes / seconds.best;
        fprintf(out, "%-9s %4" PRId64 "  %-11s %10.4g %10.4g %9.4g %9.4g %9.3g\n", sino_precision_name(row->precision),
                row->sets, step_name[s], seconds.best, seconds.median,
                1e-9 * products_of(bench, row, step) / seconds.best, gbps, gbps / bench->machine.read_gbps);
    }
}

void sino_bench_matrix_print(const void *own, FILE *out)
{
    const SinoBenchMatrix *bench = own;
    const SinoMatrixOutline *outline = &bench->survey->outline;
    const SinoBenchMatrixRow *row = &bench->row[0];
    const int64_t nonzeros = bench->packing[row->precision].nonzero_count;
    fprintf(out,
            "matrix       %s: %" PRId64 " rows, %" PRId64 " columns, %" PRId64 " nonzeros\n"
            "machine      %" PRId64 " workers with %s\n"
            "bandwidth    %.1f GB/s reading; 16 bytes per nonzero, as of CSR and CSC, take %.4g s\n",
            sino_matrix_kind(bench->survey->file), outline->row_count, outline->column_count, nonzeros,
            bench->machine.worker_count, sino_brick_isa_name(), bench->machine.read_gbps,
            16e-9 * (double)nonzeros / bench->machine.read_gbps);
    print_shape(&bench->survey->order->shape, out);
    for (int p = 0; p < SINO_PRECISIONS; p++) print_packing((SinoPrecision)p, &bench->packing[p], out);
    fprintf(out, "\n%-9s %4s  %-11s %21s %9s %9s %9s\n", "", "", "", "seconds", "10^9", "GB/s", "of read");
    fprintf(out, "%-9s %4s  %-11s %10s %10s %9s %9s %9s\n", "precision", "sets", "step", "best", "median", "nonzero/s",
            "of A", "bandwidth");
    for (int64_t i = 0; i < bench->row_count; i++) print_row(bench, &bench->row[i], out);
}

static void print_csv_row(const SinoBenchMatrix *bench, const SinoBenchMatrixRow *row, FILE *out)
{
    const SinoMatrixOutline *outline = &bench->survey->outline;
    const SinoBenchPacking *packing = &bench->packing[row->precision];
    SinoBenchFigure seconds[SINO_BENCH_MATRIX_STEPS];
    for (int s = 0; s < SINO_BENCH_MATRIX_STEPS; s++) seconds[s] = figure_of(row, (SinoBenchMatrixStep)s);
    fprintf(out, "%" PRId64 ",%.6g", packing->nonzero_count, bytes_per_nonzero(packing));
    for (int s = 0; s < SINO_BENCH_MATRIX_STEPS; s++) fprintf(out, ",%.6g", seconds[s].best);
    fprintf(out, ",%.6g,%s,%" PRId64 ",%" PRId64, bench->machine.read_gbps, sino_precision_name(row->precision),
            row->sets, bench->machine.worker_count);
    for (int s = 0; s < SINO_BENCH_MATRIX_STEPS; s++) fprintf(out, ",%.6g", seconds[s].median);
    for (int s = 0; s < SINO_BENCH_MATRIX_STEPS; s++)
        fprintf(out, ",%.6g", 1e-9 * products_of(bench, row, (SinoBenchMatrixStep)s) / seconds[s].best);
    for (int s = 0; s < SINO_BENCH_MATRIX_STEPS; s++)
        fprintf(out, ",%.6g", 1e-9 * (double)packing->bytes / seconds[s].best);
    fprintf(out, ",%.6g,%" PRId64 ",%" PRId64 ",%" PRId64 ",%s,%d\n", pack_rate(packing), packing->bytes,
            outline->row_count, outline->column_count, sino_brick_isa_name(), row->count);
}

void sino_bench_matrix_print_csv(const void *own, FILE *out)
{
    const SinoBenchMatrix *bench = own;
    fputs("nonzeros,bytes_per_nonzero", out);
    for (int s = 0; s < SINO_BENCH_MATRIX_STEPS; s++) fprintf(out, ",%s_s", step_name[s]);
    fputs(",read_gbps,precision,sets,workers", out);
    for (int s = 0; s < SINO_BENCH_MATRIX_STEPS; s++) fprintf(out, ",%s_s_median", step_name[s]);
    for (int s = 0; s < SINO_BENCH_MATRIX_STEPS; s++) fprintf(out, ",%s_gnnz_per_s", step_name[s]);
    for (int s = 0; s < SINO_BENCH_MATRIX_STEPS; s++) fprintf(out, ",%s_gbps", step_name[s]);
    fputs(",pack_gnnz_per_s,matrix_bytes,rows,columns,instruction_set,repetitions\n", out);
    for (int64_t i = 0; i < bench->row_count; i++) print_csv_row(bench, &bench->row[i], out);
}
