/* SPDX-License-Identifier: BSD-3-Clause */
/* Bricks, speed: products with the matrix of a small-animal PET scanner, beside CSR and CSC in the same rounds.
 *
 *     brick_speed [NONZEROS [THREADS [file|pairs [libmkl_rt.so|- [plain|avx2|avx512|avx512vbmi2]]]]]
 *
 * The matrix is like that of MADPET-II: 18 modules of 4 × 8 crystals, 2 × 2 × 6 mm, in a ring of radius 35.5 mm; 140 ×
 * 140 × 40 voxels of 0.5 mm; a row for each pair of crystals in different modules, the mean of 12 rays between
 * quasi-random points of both. Rows are added until there are NONZEROS (6e7). For all formats they lie in the order of
 * numbers (file), or of sino_brick_pair_key (pairs, the default). Times are processor time of the longest thread. */
#include "brick_isa.h"
#include "brick_pack.h"
#include "csr.h"
#include "memory.h"
#include "panel.h"
#include "platform.h"
#include "testing.h"

#include <dlfcn.h>
#include <math.h>
#include <pthread.h>

enum { NX = 140, NY = 140, NZ = 40, COLUMNS = NX * NY * NZ, MODULES = 18, ACROSS = 4, AXIAL = 8, RAYS = 12 };
enum { CRYSTALS = MODULES * ACROSS * AXIAL, THREADS_MOST = 64, ROUNDS = 7 };

/* ---- threads ---- */

/* One thread's share of a piece of work. */
typedef struct Share {
    void (*work)(void *context, int thread);
    void *context;
    int thread;
    double taken_s; /* of processor time */
} Share;

static double thread_s(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void *run_share(void *share_)
{
    Share *const share = share_;
    const double begin = thread_s();
    share->work(share->context, share->thread);
    share->taken_s = thread_s() - begin;
    return NULL;
}

/* Processor time of the thread that takes longest: what the work takes where nothing else runs. */
static double run(int threads, void (*work)(void *context, int thread), void *context)
{
    pthread_t id[THREADS_MOST];
    Share share[THREADS_MOST];
    double longest = 0;
    for (int t = 0; t < threads; t++) {
        share[t] = (Share){work, context, t, 0};
        if (t > 0) assert_int_equal(pthread_create(&id[t], NULL, run_share, &share[t]), 0);
    }
    run_share(&share[0]);
    for (int t = 1; t < threads; t++) assert_int_equal(pthread_join(id[t], NULL), 0);
    for (int t = 0; t < threads; t++) longest = fmax(longest, share[t].taken_s);
    return longest;
}

/* ---- matrix ---- */

static double fraction(double x)
{
    return x - floor(x);
}

/* The point (u, v, w) of a crystal, in its sides. */
static void crystal_point(int crystal, double u, double v, double w, double point[3])
{
    const int module = crystal / (ACROSS * AXIAL), across = crystal / AXIAL % ACROSS, axial = crystal % AXIAL;
    const double angle_rad = 2 * SINO_PI * module / MODULES, pitch = 2.3, side = 2, radius = 35.5 + 6 * w;
    const double tangent = (across - (ACROSS - 1) / 2.0) * pitch + (u - 0.5) * side;
    point[0] = radius * cos(angle_rad) - tangent * sin(angle_rad);
    point[1] = radius * sin(angle_rad) + tangent * cos(angle_rad);
    point[2] = (axial - (AXIAL - 1) / 2.0) * pitch + (v - 0.5) * side;
}

/* Lengths of rays in voxels, and the voxels that any ray met. */
typedef struct Tube {
    float length[COLUMNS];
    uint32_t met[COLUMNS];
    int64_t count;
} Tube;

/* R. L. Siddon's walk (Med. Phys. 12, 252, 1985) from p to q. */
static void add_ray(const double p[3], const double q[3], double weight, Tube *tube)
{
    static const int count[3] = {NX, NY, NZ}, stride[3] = {1, NX, NX * NY};
    double from[3], step[3], next[3], each[3], enter = 0, leave = 1, length = 0;
    int at[3], voxel = 0;
    for (int k = 0; k < 3; k++) {
        step[k] = (q[k] - p[k]) / 0.5;
        from[k] = p[k] / 0.5 + count[k] / 2.0;
        length += step[k] * step[k];
        if (fabs(step[k]) < 1e-12 && !(from[k] >= 0 && from[k] < count[k])) return;
        const double a = -from[k] / step[k], b = (count[k] - from[k]) / step[k];
        if (fabs(step[k]) >= 1e-12) enter = fmax(enter, fmin(a, b)), leave = fmin(leave, fmax(a, b));
    }
    if (enter >= leave) return;
    for (int k = 0; k < 3; k++) {
        const double place = from[k] + step[k] * (enter + 1e-9 * (leave - enter));
        at[k] = (int)fmin(fmax(floor(place), 0), count[k] - 1);
        next[k] = fabs(step[k]) < 1e-12 ? 1e30 : (at[k] + (step[k] > 0) - from[k]) / step[k];
        each[k] = fabs(step[k]) < 1e-12 ? 0 : 1 / fabs(step[k]);
        voxel += at[k] * stride[k];
    }
    while (enter < leave - 1e-12) {
        const int k = next[0] < next[1] ? (next[0] < next[2] ? 0 : 2) : next[1] < next[2] ? 1 : 2;
        const double end = fmin(next[k], leave);
        const float share = (float)((end - enter) * sqrt(length) * 0.5 * weight);
        if (share > 0) {
            if (tube->length[voxel] == 0) tube->met[tube->count++] = (uint32_t)voxel;
            tube->length[voxel] += share;
        }
        enter = end;
        next[k] += each[k];
        at[k] += step[k] > 0 ? 1 : -1;
        if (at[k] < 0 || at[k] >= count[k]) return;
        voxel += step[k] > 0 ? stride[k] : -stride[k];
    }
}

/* The rows of crystal a with all later ones. */
typedef struct Fan {
    int64_t count;
    int64_t end[CRYSTALS];
    uint32_t *column;
    float *value;
} Fan;

typedef struct Generator {
    int first, threads;
    Fan *fan; /* [threads] */
    Tube *tube[THREADS_MOST];
} Generator;

static int by_number(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static void trace_pair(int a, int b, Tube *tube)
{
    tube->count = 0;
    for (int ray = 0; ray < RAYS; ray++) {
        const double s = ray + 0.5 + 0.37 * a + 0.11 * b;
        const double deep_a = fraction(s * 0.324718), deep_b = fraction(s * 0.5497004779 + 0.1);
        double p[3], q[3];
        crystal_point(a, fraction(s * 0.7548776662), fraction(s * 0.5698402910), deep_a, p);
        crystal_point(b, fraction(s * 0.8191725134 + 0.3), fraction(s * 0.6710436067 + 0.7), deep_b, q);
        add_ray(p, q, exp(-0.087 * 6 * (deep_a + deep_b)) / RAYS * 1e-6, tube);
    }
    qsort(tube->met, (size_t)tube->count, sizeof *tube->met, by_number);
}

static void make_fan(void *generator_, int thread)
{
    const Generator *generator = generator_;
    const int a = generator->first + thread;
    Tube *const tube = generator->tube[thread];
    Fan *const fan = &generator->fan[thread];
    int64_t at = 0;
    fan->count = 0;
    for (int b = a + 1; b < CRYSTALS && a < CRYSTALS; b++) {
        if (a / (ACROSS * AXIAL) != b / (ACROSS * AXIAL))
            trace_pair(a, b, tube);
        else
            tube->count = 0;
        for (int64_t i = 0; i < tube->count; i++, at++) {
            fan->column[at] = tube->met[i];
            fan->value[at] = tube->length[tube->met[i]];
            tube->length[tube->met[i]] = 0;
        }
        fan->end[fan->count++] = at;
    }
}

enum { FAN_MOST = CRYSTALS * 4000 };

/* Appends the rows of a fan; empty rows of pairs a < b stay. Returns whether there are enough nonzeros. */
static bool append_fan(const Fan *fan, int64_t wanted, SinoSparseRows *rows)
{
    int64_t at = rows->start[rows->row_count], from = 0;
    for (int64_t i = 0; i < fan->count && at < wanted; i++) {
        const int64_t count = fan->end[i] - from;
        memcpy(rows->column + at, fan->column + from, (size_t)count * sizeof *rows->column);
        memcpy(rows->value + at, fan->value + from, (size_t)count * sizeof *rows->value);
        from = fan->end[i];
        rows->start[++rows->row_count] = at += count;
    }
    return at >= wanted;
}

static SinoSparseRows make_matrix(int64_t wanted, int threads)
{
    Generator generator = {.threads = threads};
    SinoSparseRows rows = {.row_count = 0};
    bool enough = false;
    rows.start = sino_allocate_large((CRYSTALS * CRYSTALS + 1) * (int64_t)sizeof *rows.start);
    rows.column = sino_allocate_large((wanted + 10000) * (int64_t)sizeof *rows.column);
    rows.value = sino_allocate_large((wanted + 10000) * (int64_t)sizeof *rows.value);
    rows.start[0] = 0;
    assert_success(sino_allocate(threads, sizeof *generator.fan, "test", &generator.fan));
    for (int t = 0; t < threads; t++) {
        assert_success(sino_allocate(1, sizeof *generator.tube[t], "test", &generator.tube[t]));
        assert_success(sino_allocate(FAN_MOST, sizeof(uint32_t), "test", &generator.fan[t].column));
        assert_success(sino_allocate(FAN_MOST, sizeof(float), "test", &generator.fan[t].value));
    }
    for (; generator.first < CRYSTALS && !enough; generator.first += threads) {
        run(threads, make_fan, &generator);
        for (int t = 0; t < threads && !enough; t++) enough = append_fan(&generator.fan[t], wanted, &rows);
    }
    for (int t = 0; t < threads; t++) {
        free(generator.tube[t]);
        free(generator.fan[t].column);
        free(generator.fan[t].value);
    }
    free(generator.fan);
    return rows;
}

/* Sorts the rows by their pairs of crystals. */
static void sort_rows(SinoSparseRows *rows)
{
    const int64_t count = rows->row_count, all = rows->start[count];
    SinoSparseRows sorted = {.row_count = count};
    uint64_t *key = NULL;
    int64_t *from = NULL, row = 0;
    sorted.start = sino_allocate_large((count + 1) * (int64_t)sizeof *sorted.start);
    sorted.column = sino_allocate_large(all * (int64_t)sizeof *sorted.column);
    sorted.value = sino_allocate_large(all * (int64_t)sizeof *sorted.value);
    assert_success(sino_allocate(count, sizeof *key, "test", &key));
    assert_success(sino_allocate(count, sizeof *from, "test", &from));
    for (int a = 0; a < CRYSTALS; a++)
        for (int b = a + 1; b < CRYSTALS && row < count; b++, row++)
            key[row] = sino_brick_pair_key(CRYSTALS, (int64_t)a * CRYSTALS + b);
    assert_success(sino_brick_sort_rows(count, key, from));
    sorted.start[0] = 0;
    for (int64_t i = 0; i < count; i++) {
        const int64_t first = rows->start[from[i]], entries = rows->start[from[i] + 1] - first, to = sorted.start[i];
        memcpy(sorted.column + to, rows->column + first, (size_t)entries * sizeof *sorted.column);
        memcpy(sorted.value + to, rows->value + first, (size_t)entries * sizeof *sorted.value);
        sorted.start[i + 1] = to + entries;
    }
    sino_free_large(rows->start);
    sino_free_large(rows->column);
    sino_free_large(rows->value);
    free(key);
    free(from);
    *rows = sorted;
}

/* ---- CSR and CSC ---- */

/* Rows of products: those of A with CSR, those of Aᵀ with CSC. */
typedef struct Sparse {
    int64_t count, columns;
    int64_t *start;
    uint32_t *index;
    float *value;
    int64_t cut[THREADS_MOST + 1]; /* each thread's first row */
    const float *from;
    float *to;
} Sparse;

/* Rows first … end − 1. */
static SinoSparseRows rows_of(const Sparse *of, int64_t first, int64_t end)
{
    return (SinoSparseRows){.first_row = first,
                            .row_count = end - first,
                            .start = of->start + first,
                            .column = of->index,
                            .value = of->value};
}

static void multiply(void *of_, int thread)
{
    const Sparse *of = of_;
    const int64_t first = of->cut[thread];
    const SinoSparseRows rows = rows_of(of, first, of->cut[thread + 1]);
    sino_csr_multiply(&rows, of->columns, of->from, of->to + first);
}

static void cut(int threads, Sparse *of)
{
    const int64_t all = of->start[of->count];
    int64_t row = 0;
    of->cut[0] = 0;
    for (int t = 1; t < threads; t++) {
        while (of->start[row] < all / threads * t) row++;
        of->cut[t] = row;
    }
    of->cut[threads] = of->count;
}

static Sparse transpose(const Sparse *from)
{
    const SinoSparseRows rows = rows_of(from, 0, from->count), *const part = &rows;
    const SinoCsr matrix = {.part_count = 1, .part = &part};
    SinoSparseRows to;
    int64_t *entries = NULL;
    assert_success(sino_allocate(from->columns, sizeof *entries, "test", &entries));
    sino_csr_count_columns(&matrix, 0, from->columns, entries);
    assert_success(sino_csr_transpose(&matrix, 0, from->columns, entries, &to));
    free(entries);
    return (Sparse){
        .count = to.row_count, .columns = from->count, .start = to.start, .index = to.column, .value = to.value};
}

/* ---- bricks ---- */

/* The instruction set of the products: that of the name. */
static const SinoBrickIsa *isa;

static void choose_isa(const char *name)
{
    static const SinoBrickIsa *const all[] = {
        &sino_brick_plain,
#ifdef __x86_64__
        &sino_brick_avx2,
        &sino_brick_avx512,
        &sino_brick_avx512vbmi2,
#endif
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(all[i]->name, name) == 0) isa = all[i];
}

/* Each thread has a partition of rows: its block, rays and sums of voxels, of `sets` count sets. */
typedef struct Bricks {
    int threads;
    int64_t sets, voxels, columns;
    const SinoBrickOrder *order;
    const Sparse *csr;
    SinoPrecision precision;
    SinoBrickHead *block[THREADS_MOST];
    float *x, *sum[THREADS_MOST], *counts[THREADS_MOST], *rays[THREADS_MOST];
    SinoBrickSums sums[THREADS_MOST][SINO_PANEL_MAX];
} Bricks;

static void pack(void *bricks_, int thread)
{
    Bricks *bricks = bricks_;
    const SinoSparseRows rows = rows_of(bricks->csr, bricks->csr->cut[thread], bricks->csr->cut[thread + 1]);
    assert_success(sino_brick_pack(bricks->order, bricks->precision, &rows, &bricks->block[thread]));
}

static void project(void *bricks_, int thread)
{
    const Bricks *bricks = bricks_;
    sino_brick_project_with(isa, bricks->block[thread], NULL, bricks->sets, bricks->x, bricks->rays[thread]);
}

static void backproject(void *bricks_, int thread)
{
    const Bricks *bricks = bricks_;
    memset(bricks->sum[thread], 0, (size_t)(bricks->voxels * bricks->sets) * sizeof(float));
    sino_brick_backproject_with(isa, bricks->block[thread], NULL, bricks->sets, bricks->counts[thread],
                                bricks->sum[thread]);
}

static void sweep(void *bricks_, int thread)
{
    Bricks *bricks = bricks_;
    const SinoBrickCounts counts = {.counts = bricks->counts[thread]};
    memset(bricks->sum[thread], 0, (size_t)(bricks->voxels * bricks->sets) * sizeof(float));
    sino_brick_sweep_with(isa, bricks->block[thread], NULL, bricks->sets, bricks->x, &counts, bricks->sum[thread],
                          bricks->sums[thread]);
}

/* Adds the sums of all threads to the first one's. */
static void reduce(void *bricks_, int thread)
{
    const Bricks *bricks = bricks_;
    const int64_t all = bricks->voxels * bricks->sets, first = all / bricks->threads * thread;
    const int64_t end = thread + 1 == bricks->threads ? all : all / bricks->threads * (thread + 1);
    for (int t = 1; t < bricks->threads; t++)
        for (int64_t i = first; i < end; i++) bricks->sum[0][i] += bricks->sum[t][i];
}

static void new_vectors(Bricks *bricks, int64_t sets)
{
    bricks->sets = sets;
    bricks->x = sino_allocate_large(bricks->voxels * sets * (int64_t)sizeof(float));
    for (int64_t i = 0; i < bricks->voxels * sets; i++)
        bricks->x[i] = bricks->order->column[i / sets] == SINO_BRICK_NO_COLUMN ? 0 : 1 + (float)(i % 97) / 64;
    for (int t = 0; t < bricks->threads; t++) {
        const int64_t rows = bricks->block[t]->row_count;
        bricks->sum[t] = sino_allocate_large(bricks->voxels * sets * (int64_t)sizeof(float));
        bricks->counts[t] = sino_allocate_large(rows * sets * (int64_t)sizeof(float));
        bricks->rays[t] = sino_allocate_large(rows * sets * (int64_t)sizeof(float));
        for (int64_t i = 0; i < rows * sets; i++) bricks->counts[t][i] = (float)(i % 7);
    }
}

static void free_vectors(Bricks *bricks)
{
    sino_free_large(bricks->x);
    for (int t = 0; t < bricks->threads; t++) {
        sino_free_large(bricks->sum[t]);
        sino_free_large(bricks->counts[t]);
        sino_free_large(bricks->rays[t]);
    }
}

/* ---- bandwidth ---- */

typedef struct Read {
    int threads;
    const uint64_t *from;
    int64_t count;
    uint64_t sum[THREADS_MOST];
} Read;

SINO_VECTORISED static uint64_t sum_of(const uint64_t *from, int64_t count)
{
    uint64_t sum[32] = {0}, all = 0;
    for (int64_t i = 0; i + 32 <= count; i += 32) {
        __builtin_prefetch(from + i + 512);
        __builtin_prefetch(from + i + 520);
        __builtin_prefetch(from + i + 528);
        __builtin_prefetch(from + i + 536);
        for (int j = 0; j < 32; j++) sum[j] ^= from[i + j];
    }
    for (int j = 0; j < 32; j++) all ^= sum[j];
    return all;
}

static void read_memory(void *read_, int thread)
{
    Read *read = read_;
    const int64_t share = read->count / read->threads;
    read->sum[thread] = sum_of(read->from + share * thread, share);
}

/* ---- MKL ---- */

/* The functions of MKL's inspector-executor interface, and the matrix if the library is at hand. */
typedef struct Description {
    int type, mode, diagonal;
} Description;

typedef struct Mkl {
    void *matrix;
    int (*multiply)(int operation, float alpha, void *matrix, Description description, const float *x, float beta,
                    float *y);
} Mkl;

enum { PLAIN = 10, TRANSPOSED = 11, GENERAL = 20 };
static const Description general = {GENERAL, 0, 0};

static Mkl open_mkl(const char *path, const Sparse *csr)
{
    Mkl mkl = {.matrix = NULL};
    void *const library = path ? dlopen(path, RTLD_NOW | RTLD_GLOBAL) : NULL;
    int *start = NULL;
    if (path && !library) fail_msg("%s", dlerror());
    if (!library) return mkl;
    int (*create)(void **, int, int, int, int *, int *, int *, float *);
    int (*hint)(void *, int, Description, int), (*optimize)(void *);
    *(void **)&create = dlsym(library, "mkl_sparse_s_create_csr");
    *(void **)&hint = dlsym(library, "mkl_sparse_set_mv_hint");
    *(void **)&optimize = dlsym(library, "mkl_sparse_optimize");
    *(void **)&mkl.multiply = dlsym(library, "mkl_sparse_s_mv");
    assert_success(sino_allocate(csr->count + 1, sizeof *start, "test", &start));
    for (int64_t i = 0; i <= csr->count; i++) start[i] = (int)csr->start[i];
    assert_int_equal(create(&mkl.matrix, 0, (int)csr->count, COLUMNS, start, start + 1, (int *)csr->index, csr->value),
                     0);
    assert_int_equal(hint(mkl.matrix, PLAIN, general, 1000), 0);
    assert_int_equal(hint(mkl.matrix, TRANSPOSED, general, 1000), 0);
    const double begin = sino_platform_now_s();
    assert_int_equal(optimize(mkl.matrix), 0);
    printf("MKL optimises in %.1f s\n", sino_platform_now_s() - begin);
    return mkl;
}

/* ---- measurements ---- */

/* Seconds of each round. */
typedef enum Kind {
    READ,
    CSR,
    CSC,
    MKL_PROJECT,
    MKL_BACK,
    PROJECT,
    BACK,
    SWEEP,
    PROJECT_8,
    BACK_8,
    SWEEP_8,
    KINDS
} Kind;

typedef struct Times {
    double s[KINDS][ROUNDS];
} Times;

static double best_of(const Times *times, Kind kind)
{
    double best = INFINITY;
    for (int i = 0; i < ROUNDS; i++) best = fmin(best, times->s[kind][i]);
    return best;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* The median over rounds of (a + b)/c. */
static double ratio_of(const Times *times, Kind a, Kind b, Kind c)
{
    double ratio[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) ratio[i] = (times->s[a][i] + times->s[b][i]) / times->s[c][i];
    qsort(ratio, ROUNDS, sizeof *ratio, by_size);
    return ratio[ROUNDS / 2];
}

static void time_bricks(Bricks *bricks, int round, Kind project_kind, Times *times)
{
    const int threads = bricks->threads;
    times->s[project_kind][round] = run(threads, project, bricks);
    times->s[project_kind + 1][round] = run(threads, backproject, bricks) + run(threads, reduce, bricks);
    times->s[project_kind + 2][round] = run(threads, sweep, bricks) + run(threads, reduce, bricks);
}

static void report(const char *name, const Times *times, Kind kind, double work, double bytes)
{
    const double best = best_of(times, kind);
    printf("  %-24s %8.4f s  %6.2f Gnnz/s  %5.1f GB/s of A\n", name, best, work / best * 1e-9, bytes / best * 1e-9);
}

static void report_bricks(const Times *times, double nonzeros, double bytes, bool mkl)
{
    report("project", times, PROJECT, nonzeros, bytes);
    report("backproject", times, BACK, nonzeros, bytes);
    report("sweep", times, SWEEP, 2 * nonzeros, bytes);
    report("project, 8 sets", times, PROJECT_8, 8 * nonzeros, bytes);
    report("backproject, 8 sets", times, BACK_8, 8 * nonzeros, bytes);
    report("sweep, 8 sets", times, SWEEP_8, 16 * nonzeros, bytes);
    printf("  CSR + CSC / sweep: %.2f", ratio_of(times, CSR, CSC, SWEEP));
    if (mkl) printf(";  MKL / sweep: %.2f", ratio_of(times, MKL_PROJECT, MKL_BACK, SWEEP));
    printf(";  8 sets / 1: %.2f times the throughput\n", 8 * best_of(times, SWEEP) / best_of(times, SWEEP_8));
    printf("  16 bytes per nonzero / read bandwidth: %.4f s, %.2f sweeps\n",
           16 * nonzeros / (8 * nonzeros / best_of(times, READ)), 2 * best_of(times, READ) / best_of(times, SWEEP));
}

static void measure(Sparse *csr, Sparse *csc, const Mkl *mkl, Bricks *one, Bricks *eight)
{
    const int64_t nonzeros = csr->start[csr->count];
    Times times;
    Read read = {.threads = one->threads, .from = (const uint64_t *)(const void *)csr->index, .count = nonzeros / 2};
    for (int i = 0; i < ROUNDS; i++) {
        times.s[READ][i] = 2 * run(one->threads, read_memory, &read);
        times.s[CSR][i] = run(one->threads, multiply, csr);
        times.s[CSC][i] = run(one->threads, multiply, csc);
        const double begin = sino_platform_processor_s();
        if (mkl->matrix) mkl->multiply(PLAIN, 1, mkl->matrix, general, csr->from, 0, csr->to);
        const double middle = sino_platform_processor_s();
        if (mkl->matrix) mkl->multiply(TRANSPOSED, 1, mkl->matrix, general, csc->from, 0, csc->to);
        times.s[MKL_PROJECT][i] = (middle - begin) / one->threads;
        times.s[MKL_BACK][i] = (sino_platform_processor_s() - middle) / one->threads;
        time_bricks(one, i, PROJECT, &times);
        time_bricks(eight, i, PROJECT_8, &times);
    }
    double bytes = 0, bricks = 0, segments = 0;
    for (int t = 0; t < one->threads; t++) {
        bytes += (double)one->block[t]->bytes;
        bricks += (double)one->block[t]->stored_brick_count;
        segments += (double)one->block[t]->segment_count;
    }
    printf("%s: %.3f bytes per nonzero, %.2f nonzeros per brick of %d, %.1f bricks per segment\n",
           one->precision == SINO_MIXED ? "mixed" : "single", bytes / (double)nonzeros, (double)nonzeros / bricks,
           (int)one->order->lanes, bricks / segments);
    printf("  read bandwidth %.1f GB/s\n", 8 * (double)nonzeros / best_of(&times, READ) * 1e-9);
    report("CSR", &times, CSR, (double)nonzeros, 8 * (double)nonzeros);
    report("CSC", &times, CSC, (double)nonzeros, 8 * (double)nonzeros);
    if (mkl->matrix) report("MKL A x", &times, MKL_PROJECT, (double)nonzeros, 8 * (double)nonzeros);
    if (mkl->matrix) report("MKL A^T y", &times, MKL_BACK, (double)nonzeros, 8 * (double)nonzeros);
    report_bricks(&times, (double)nonzeros, bytes, mkl->matrix);
}

static void measure_precision(Sparse *csr, Sparse *csc, const Mkl *mkl, const SinoBrickOrder *order, int threads,
                              SinoPrecision precision)
{
    Bricks one = {.threads = threads, .voxels = order->row_count, .order = order, .csr = csr, .precision = precision};
    const double seconds = run(threads, pack, &one);
    printf("packing: %.1f million nonzeros per second and thread\n",
           (double)csr->start[csr->count] / seconds / threads * 1e-6);
    Bricks eight = one;
    new_vectors(&one, 1);
    new_vectors(&eight, sino_panel_stride(SINO_SINGLE, 8));
    measure(csr, csc, mkl, &one, &eight);
    free_vectors(&one);
    free_vectors(&eight);
    for (int t = 0; t < threads; t++) sino_free_large(one.block[t]);
}

/* Every 500th row. */
static SinoSparseRows sample_of(const SinoSparseRows *rows)
{
    SinoSparseRows sample = {.row_count = 0, .column = rows->column, .value = rows->value};
    enum { STEP = 500, ROW_MOST = 8000 };
    const int64_t count = rows->row_count / STEP;
    assert_success(sino_allocate(count + 1, sizeof *sample.start, "test", &sample.start));
    assert_success(sino_allocate(count * ROW_MOST, sizeof *sample.column, "test", &sample.column));
    for (int64_t i = 0; i < count; i++) {
        const int64_t first = rows->start[i * STEP],
                      entries = sino_smaller(rows->start[i * STEP + 1] - first, ROW_MOST);
        memcpy(sample.column + sample.start[i], rows->column + first, (size_t)entries * sizeof *sample.column);
        sample.start[i + 1] = sample.start[i] + entries;
    }
    sample.row_count = count;
    return sample;
}

static SinoBrickOrder *order_of(const SinoSparseRows *rows)
{
    const SinoVoxelGrid grid = {.x_count = NX, .y_count = NY, .z_count = NZ};
    SinoSparseRows sample = sample_of(rows);
    SinoBrickOrder *order;
    assert_success(sino_brick_order_new(&grid, COLUMNS, &sample, &order));
    free(sample.start);
    free(sample.column);
    const SinoBrickShape *found = &order->shape;
    printf("bricks of %d x %d x %d voxels, tiles of %d x %d x %d bricks\n", found->brick[0], found->brick[1],
           found->brick[2], found->tile[0], found->tile[1], found->tile[2]);
    return order;
}

int main(int count, char **argument)
{
    const double wanted = count > 1 ? strtod(argument[1], NULL) : 6e7;
    const int threads = count > 2 ? (int)strtol(argument[2], NULL, 10) : sino_platform_core_count();
    if (!(wanted >= 1e5 && wanted <= 2e9 && threads >= 1 && threads <= THREADS_MOST)) return 2;
    choose_isa(count > 5 ? argument[5] : sino_brick_isa_name());
    if (!isa) return 2;
    const double begin = sino_platform_now_s();
    SinoSparseRows rows = make_matrix((int64_t)wanted, threads);
    const bool pairs = count <= 3 || strcmp(argument[3], "pairs") == 0;
    if (pairs) sort_rows(&rows);
    Sparse csr = {
        .count = rows.row_count, .columns = COLUMNS, .start = rows.start, .index = rows.column, .value = rows.value};
    Sparse csc = transpose(&csr);
    printf("%d rows in the order of %s, %.3g nonzeros, %d threads, %s; made and transposed in %.1f s\n",
           (int)rows.row_count, pairs ? "pairs" : "the file", (double)rows.start[rows.row_count], threads, isa->name,
           sino_platform_now_s() - begin);
    cut(threads, &csr);
    cut(threads, &csc);
    float *const x = sino_allocate_large(COLUMNS * 4), *const y = sino_allocate_large(csr.count * 4);
    for (int64_t i = 0; i < COLUMNS; i++) x[i] = 1 + (float)(i % 97) / 64;
    csr.from = csc.to = x;
    csr.to = y;
    csc.from = y;
    float *const back = sino_allocate_large(COLUMNS * 4);
    csc.to = back;
    const Mkl mkl = open_mkl(count > 4 && strcmp(argument[4], "-") != 0 ? argument[4] : NULL, &csr);
    SinoBrickOrder *order = order_of(&rows);
    measure_precision(&csr, &csc, &mkl, order, threads, SINO_MIXED);
    measure_precision(&csr, &csc, &mkl, order, threads, SINO_SINGLE);
    sino_brick_order_free(order);
    return 0;
}
