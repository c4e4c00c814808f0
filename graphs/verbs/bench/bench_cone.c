/* SPDX-License-Identifier: BSD-3-Clause */
/* bench of cone beams: the steps of FDK, with and without symmetry, in both precisions. */
#include "bench_cone.h"

#include "memory.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* A repetition takes at least 50 ms, unless that needs more than COUNT_MAX products; repetitions end after about 10 s.
 */
enum { COUNT_MAX = 1000 };
static const double repetition_s = 0.05, repetitions_s = 10;

static const SinoPrecision precisions[] = {SINO_SINGLE, SINO_MIXED};
enum { PRECISIONS = sizeof precisions / sizeof *precisions };

static SinoStatus begin(const SinoSettings *settings, void **own)
{
    const int64_t angles = settings->phantom.angles, columns = settings->input.columns;
    SinoBenchCone *bench;
    SINO_TRY(sino_bench_check_precisions(&settings->bench, "cone"));
    SINO_TRY(sino_allocate(1, sizeof *bench, "figures", &bench));
    *own = bench;
    bench->settings = settings;
    SINO_TRY(sino_allocate(angles, sizeof *bench->angle_rad, "angles", &bench->angle_rad));
    for (int64_t k = 0; k < angles; k++) bench->angle_rad[k] = 2 * SINO_PI * (double)k / (double)angles;
    return sino_cone_describe(settings, angles, bench->angle_rad, columns, columns, &bench->scan);
}

/* How a run of the scan would divide its memory. SINO_BAD_INPUT: one pass over the projections does not fit. */
static SinoStatus plan_of(const SinoBenchCone *bench, SinoPrecision precision, bool symmetry, int64_t worker_count,
                          SinoUnitPlan *plan)
{
    const SinoUnitPlanRequest request = {.kind = &sino_fdk_plan,
                                         .cone = &bench->scan.cone,
                                         .input = &bench->scan.input,
                                         .machine = {.worker_count = worker_count, .memory_bytes = INT64_MAX},
                                         .precision = precision,
                                         .symmetry = symmetry,
                                         .slab_count = 1};
    return sino_unit_plan_new(&request, plan);
}

/* Sinogram and lines of a piece. Lines of single precision take most. */
static int64_t worker_bytes(const SinoBenchCone *bench, const SinoUnitPlan *plan)
{
    const SinoCone *cone = &bench->scan.cone;
    const SinoConeLines lines =
        sino_cone_share_lines(cone, &plan->streaming, sino_cone_share(cone, &plan->streaming, 0, 0));
    const int64_t stride = sino_panel_stride(SINO_SINGLE, cone->row_count);
    const int64_t rays = sino_times(SINO_PIECE_PROJECTIONS, cone->column_count);
    return sino_times(rays, sino_times(stride, (int64_t)sizeof(float))) +
           sino_lines_bytes(&lines, SINO_PIECE_PROJECTIONS);
}

static bool has_symmetry(const SinoBenchCone *bench)
{
    const SinoConeSymmetry symmetry = sino_cone_symmetry(&bench->scan.cone, bench->settings->projection.symmetry);
    return symmetry.turns * symmetry.halves > 1;
}

static SinoStatus needed(void *own, SinoRuntime *runtime, int64_t budget_bytes, int64_t *bytes)
{
    const SinoBenchCone *bench = own;
    const int64_t worker_count = sino_runtime_worker_count(runtime);
    (void)budget_bytes;
    *bytes = sino_runtime_base_bytes();
    for (int symmetric = 0; symmetric < 2; symmetric++) {
        SinoUnitPlan plan;
        SINO_TRY(plan_of(bench, SINO_SINGLE, symmetric, worker_count, &plan));
        const int64_t own_bytes = sino_times(worker_count, worker_bytes(bench, &plan));
        *bytes = sino_larger(*bytes, plan.total_bytes + own_bytes);
    }
    *bytes += sino_bench_read_bytes(worker_count);
    return NULL;
}

/* Does a step `count` times. */
typedef SinoStatus Step(SinoBenchConeGraph *graph, int64_t workers, int64_t count, SinoBenchTime *taken);

static SinoStatus backproject(SinoBenchConeGraph *graph, int64_t workers, int64_t count, SinoBenchTime *taken)
{
    return sino_bench_cone_backproject(graph, workers, count, false, taken);
}

static SinoStatus filter(SinoBenchConeGraph *graph, int64_t workers, int64_t count, SinoBenchTime *taken)
{
    SINO_TRY(sino_bench_cone_fill(graph));
    return sino_bench_cone_filter(graph, workers, count, taken);
}

static SinoStatus run(SinoBenchConeGraph *graph, int64_t workers, int64_t count, SinoBenchTime *taken)
{
    (void)workers;
    (void)count;
    return sino_bench_cone_run(graph, taken);
}

static SinoStatus choose_count(Step *step, SinoBenchConeGraph *graph, int64_t workers, int64_t *count)
{
    SinoBenchTime taken;
    SINO_TRY(step(graph, workers, 1, &taken));
    *count = taken.elapsed_s * COUNT_MAX > repetition_s ? (int64_t)ceil(repetition_s / taken.elapsed_s) : COUNT_MAX;
    return NULL;
}

/* The processor time of 10⁹ flops. */
static SinoStatus measure_flop(SinoBenchMachine *machine, int64_t workers, double *seconds)
{
    double gflops;
    SinoBenchTime taken;
    SINO_TRY(sino_bench_fma(machine, SINO_SINGLE, workers, &gflops, &taken));
    *seconds = taken.processor_s / (gflops * taken.elapsed_s);
    return NULL;
}

/* A step, again and again. */
typedef struct Repetition {
    Step *step;
    int64_t workers, count; /* times that a repetition does the step */
    double amount;          /* that a step does */
} Repetition;

/* rate[i]: 10⁹ amounts a second, of *repeats repetitions. per_flop[i]: amounts in the processor time of a flop, that of
 * before and after; NULL: it is not measured. */
static SinoStatus repeat(SinoBenchMachine *machine, SinoBenchConeGraph *graph, const Repetition *what, int *repeats,
                         double *rate, double *per_flop)
{
    double sum = 0, before = 0, after = 0;
    const double amount = 1e-9 * what->amount * (double)what->count;
    if (per_flop) SINO_TRY(measure_flop(machine, what->workers, &before));
    for (*repeats = 0; *repeats < SINO_BENCH_REPEATS && sum < repetitions_s; ++*repeats) {
        SinoBenchTime taken;
        SINO_TRY(what->step(graph, what->workers, what->count, &taken));
        rate[*repeats] = amount / taken.elapsed_s;
        sum += taken.elapsed_s;
        if (!per_flop) continue;
        SINO_TRY(measure_flop(machine, what->workers, &after));
        per_flop[*repeats] = amount / taken.processor_s * (before + after) / 2;
        before = after;
    }
    return NULL;
}

static void tell_row(SinoBenchCone *bench, const SinoBenchConeRow *row)
{
    sino_log_info(sino_runtime_log(bench->machine.runtime), "bench",
                  "%s, %s, workers: %" PRId64 ": %s %.2f 10^9 updates per second, filter %.3f 10^9 pixels per second",
                  sino_precision_name(row->precision),
                  row->symmetry.turns * row->symmetry.halves > 1 ? "symmetric" : "general", row->workers,
                  row->step == SINO_BENCH_RUN ? "run" : "backproject", sino_bench_figure(row->count, row->gups).best,
                  sino_bench_figure(row->count, row->filter_gpixels).best);
}

static SinoBenchConeRow *next_row(SinoBenchCone *bench, const SinoUnitPlan *plan, SinoBenchStep step, int64_t workers)
{
    SinoBenchConeRow *row = &bench->row[bench->row_count];
    *row = (SinoBenchConeRow){
        .step = step, .precision = plan->streaming.precision, .symmetry = plan->streaming.symmetry, .workers = workers};
    return row;
}

static SinoStatus measure_filter(SinoBenchCone *bench, SinoBenchConeGraph *graph, SinoBenchConeRow *row)
{
    int repeats;
    Repetition what = {filter, row->workers, 0, sino_bench_cone_pixels(graph) * (double)row->workers};
    SINO_TRY(choose_count(filter, graph, row->workers, &what.count));
    SINO_TRY(repeat(&bench->machine, graph, &what, &repeats, row->filter_gpixels, NULL));
    for (int i = repeats; i < SINO_BENCH_REPEATS; i++) row->filter_gpixels[i] = row->filter_gpixels[repeats - 1];
    return NULL;
}

static SinoStatus measure_backproject(SinoBenchCone *bench, SinoBenchConeGraph *graph, const SinoUnitPlan *plan,
                                      int64_t workers)
{
    Repetition what = {backproject, workers, 0, sino_bench_cone_updates(graph)};
    SinoBenchConeRow *row = next_row(bench, plan, SINO_BENCH_BACKPROJECT, workers);
    SINO_TRY(measure_filter(bench, graph, row));
    SINO_TRY(choose_count(backproject, graph, workers, &what.count));
    SINO_TRY(repeat(&bench->machine, graph, &what, &row->count, row->gups, row->per_flop));
    tell_row(bench, row);
    bench->row_count++;
    return NULL;
}

/* The filter of a run is that of the row before it. */
static SinoStatus measure_run(SinoBenchCone *bench, SinoBenchConeGraph *graph, const SinoUnitPlan *plan)
{
    const SinoCone *cone = &bench->scan.cone;
    const double voxels = (double)cone->x_count * (double)cone->y_count * (double)cone->z_count;
    SinoBenchConeRow *row = next_row(bench, plan, SINO_BENCH_RUN, bench->machine.worker_count);
    for (int i = 0; i < SINO_BENCH_REPEATS; i++) row->filter_gpixels[i] = row[-1].filter_gpixels[i];
    const Repetition what = {run, row->workers, 1, voxels * (double)cone->angle_count};
    SINO_TRY(repeat(&bench->machine, graph, &what, &row->count, row->gups, row->per_flop));
    tell_row(bench, row);
    bench->row_count++;
    return NULL;
}

static SinoStatus measure_graph(SinoBenchCone *bench, SinoBenchConeGraph *graph, const SinoUnitPlan *plan)
{
    SinoBenchTime taken;
    SINO_TRY(sino_bench_cone_fill(graph));
    SINO_TRY(sino_bench_cone_backproject(graph, bench->machine.worker_count, 1, true, &taken)); /* touches voxels */
    if (bench->machine.worker_count > 1) SINO_TRY(measure_backproject(bench, graph, plan, 1));
    SINO_TRY(measure_backproject(bench, graph, plan, bench->machine.worker_count));
    return measure_run(bench, graph, plan);
}

static SinoStatus measure_plan(SinoBenchCone *bench, SinoPrecision precision, bool symmetry)
{
    SinoUnitPlan plan;
    SinoBenchConeGraph *graph = NULL;
    SINO_TRY(plan_of(bench, precision, symmetry, bench->machine.worker_count, &plan));
    SINO_TRY(sino_bench_cone_graph_new(bench, &plan, &graph));
    SinoStatus status = measure_graph(bench, graph, &plan);
    sino_bench_cone_graph_free(graph);
    return status;
}

static SinoStatus measure_all(SinoBenchCone *bench)
{
    SINO_TRY(sino_bench_peaks(&bench->machine));
    SINO_TRY(sino_bench_read(&bench->machine));
    SINO_TRY(sino_bench_copy(&bench->machine));
    for (int p = 0; p < PRECISIONS; p++) {
        if (!(bench->settings->bench.precisions >> precisions[p] & 1)) continue;
        if (has_symmetry(bench)) SINO_TRY(measure_plan(bench, precisions[p], true));
        SINO_TRY(measure_plan(bench, precisions[p], false));
    }
    SINO_TRY(sino_bench_copy(&bench->machine));
    return sino_bench_read(&bench->machine);
}

static SinoStatus measure(void *own, SinoRuntime *runtime)
{
    SinoBenchCone *bench = own;
    bench->machine = sino_bench_machine(runtime);
    SinoStatus status = measure_all(bench);
    sino_bench_stream_free(&bench->machine);
    return status;
}

static void release(void *own)
{
    SinoBenchCone *bench = own;
    if (!bench) return;
    free(bench->angle_rad);
    free(bench);
}

const SinoBenchKind sino_bench_cone = {.begin = begin,
                                       .bytes = needed,
                                       .fewer = "columns, angles, voxels",
                                       .measure = measure,
                                       .print = sino_bench_cone_print,
                                       .print_csv = sino_bench_cone_print_csv,
                                       .release = release};
