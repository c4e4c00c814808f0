/* SPDX-License-Identifier: BSD-3-Clause */
/* Bench, machine: FMA peak and read bandwidth, and data that every worker has for itself; what kinds of beams share. */
#include "bench.h"
#include "machine.h"
#include "memory.h"
#include "platform.h"
#include "rays_tasks.h"
#include "sort.h"

#include <math.h>

/* An FMA measurement takes about 15 ms. */
enum { FMA_ROUNDS = 8000000 };

/* Bandwidths are measured several times at first, and fewer times later, when other load on the machine may have
 * changed. */
enum { LATER_REPEATS = 2 };

SinoBenchMachine sino_bench_machine(SinoRuntime *runtime)
{
    return (SinoBenchMachine){.runtime = runtime, .worker_count = sino_runtime_worker_count(runtime)};
}

/* Bytes that each worker reads: far more than a cache that it may share. */
static int64_t stream_bytes(int64_t worker_count)
{
    const int64_t page = 4096;
    return sino_larger((int64_t)128 << 20, 4 * sino_platform_cache_bytes() / worker_count / page * page);
}

int64_t sino_bench_read_bytes(int64_t worker_count)
{
    return sino_times(worker_count, stream_bytes(worker_count));
}

SinoStatus sino_bench_data_fill(SinoBenchMachine *machine, int64_t bytes, SinoData *const *data)
{
    SinoStatus status = NULL;
    for (int64_t w = 0; w < machine->worker_count && !status; w++)
        status = sino_insert_measure_fill(machine->runtime, bytes, data[w]);
    return sino_runtime_wait_after(machine->runtime, status);
}

SinoStatus sino_bench_data_new(SinoBenchMachine *machine, const char *name, int64_t bytes, SinoData **data)
{
    for (int64_t w = 0; w < machine->worker_count; w++)
        SINO_TRY(sino_data_new(machine->runtime, name, bytes, &data[w]));
    return sino_bench_data_fill(machine, bytes, data);
}

void sino_bench_data_free(const SinoBenchMachine *machine, SinoData **data)
{
    for (int64_t w = 0; w < machine->worker_count; w++) {
        sino_data_free(data[w]);
        data[w] = NULL;
    }
}

SinoBenchTime sino_bench_now(void)
{
    return (SinoBenchTime){sino_platform_now_s(), sino_platform_processor_s()};
}

SinoBenchTime sino_bench_since(SinoBenchTime begin)
{
    const SinoBenchTime now = sino_bench_now();
    return (SinoBenchTime){now.elapsed_s - begin.elapsed_s, now.processor_s - begin.processor_s};
}

SinoStatus sino_bench_fma(SinoBenchMachine *machine, SinoPrecision precision, int64_t workers, double *gflops,
                          SinoBenchTime *taken)
{
    SinoStatus status = NULL;
    double *largest = &machine->fma_gflops[sino_precision_solver(precision)];
    const double flops = (double)workers * sino_machine_multiply_add_flops(precision, FMA_ROUNDS);
    const SinoBenchTime begin = sino_bench_now();
    for (int64_t w = 0; w < workers && !status; w++)
        status = sino_insert_measure_fma(machine->runtime, precision, FMA_ROUNDS);
    SINO_TRY(sino_runtime_wait_after(machine->runtime, status));
    const SinoBenchTime time = sino_bench_since(begin);
    *gflops = 1e-9 * flops / time.elapsed_s;
    if (taken) *taken = time;
    if (workers == machine->worker_count) *largest = fmax(*largest, *gflops);
    return NULL;
}

SinoStatus sino_bench_peaks(SinoBenchMachine *machine)
{
    double gflops;
    for (int repeat = 0; repeat < SINO_BENCH_REPEATS; repeat++) {
        SINO_TRY(sino_bench_fma(machine, SINO_SINGLE, machine->worker_count, &gflops, NULL));
        SINO_TRY(sino_bench_fma(machine, SINO_DOUBLE, machine->worker_count, &gflops, NULL));
    }
    return NULL;
}

/* sino_insert_measure_read or sino_insert_measure_copy */
typedef SinoStatus Insert(SinoRuntime *runtime, int64_t bytes, SinoData *data);

static SinoStatus stream_once(SinoBenchMachine *machine, Insert *insert, int64_t bytes, SinoData *const *data,
                              double *largest_gbps)
{
    SinoStatus status = NULL;
    const double begin = sino_platform_now_s();
    for (int64_t w = 0; w < machine->worker_count && !status; w++) status = insert(machine->runtime, bytes, data[w]);
    SINO_TRY(sino_runtime_wait_after(machine->runtime, status));
    const double gbps = 1e-9 * (double)(machine->worker_count * bytes) / (sino_platform_now_s() - begin);
    *largest_gbps = fmax(*largest_gbps, gbps);
    return NULL;
}

static SinoStatus stream(SinoBenchMachine *machine, Insert *insert, double *largest_gbps)
{
    const int64_t bytes = stream_bytes(machine->worker_count);
    const int repeats = *largest_gbps > 0 ? LATER_REPEATS : SINO_BENCH_REPEATS;
    if (!machine->stream) {
        SINO_TRY(sino_allocate(machine->worker_count, sizeof(SinoData *), "vectors", &machine->stream));
        SINO_TRY(sino_bench_data_new(machine, "stream", bytes, machine->stream));
    }
    for (int repeat = 0; repeat < repeats; repeat++)
        SINO_TRY(stream_once(machine, insert, bytes, machine->stream, largest_gbps));
    return NULL;
}

void sino_bench_stream_free(SinoBenchMachine *machine)
{
    sino_data_free_each(machine->stream, machine->worker_count);
    machine->stream = NULL;
}

SinoStatus sino_bench_read(SinoBenchMachine *machine)
{
    return stream(machine, sino_insert_measure_read, &machine->read_gbps);
}

SinoStatus sino_bench_copy(SinoBenchMachine *machine)
{
    return stream(machine, sino_insert_measure_copy, &machine->copy_gbps);
}

SinoBenchFigure sino_bench_figure(int count, const double values[SINO_BENCH_REPEATS])
{
    double sorted[SINO_BENCH_REPEATS] = {0};
    for (int i = 0; i < count; i++) sorted[i] = values[i];
    (void)sino_sort_finite(count, sorted);
    return (SinoBenchFigure){.best = sorted[count - 1], .median = sorted[count / 2]};
}

SinoStatus sino_bench_check_precisions(const SinoBenchSettings *settings, const char *geometry)
{
    const unsigned have = 1u << SINO_SINGLE | 1u << SINO_MIXED, all = (1u << SINO_PRECISIONS) - 1;
    SINO_CHECK(settings->precisions == all || !(settings->precisions & ~have), SINO_BAD_INPUT,
               "--precision contains %s; allowed with --geometry %s: all, or one or both of single and mixed",
               sino_precision_name(settings->precisions >> SINO_DOUBLE & 1 ? SINO_DOUBLE : SINO_HALF), geometry);
    return NULL;
}
