/* SPDX-License-Identifier: BSD-3-Clause */
/* SpMM bench: both directions of every SpMM kernel on the first GPU, as TFLOP/s of true nonzeros, beside what the
 * device does at best and cuSPARSE's SpMM in the same run: spmm_bench [COLUMNS ANGLES [SLICES …]], else 1024 750 32 64
 * 128.
 *
 * cuSPARSE gets A and its transpose as CSR, rows and columns along Hilbert curves, single precision, row-major vectors;
 * its best algorithm and F count. It is left out, and that is said, where they do not fit the device's memory. */
#include "csr.h"
#include "device_peak.h"
#include "half.h"
#include "memory.h"
#include "pack.h"
#include "panel.h"
#include "regroup.h"
#include "spmm_cuda.h"

#include <cuda_runtime_api.h>
#include <cusparse.h>

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { REPETITIONS = 5, SLICE_COUNTS_MAX = 16, SKIPPED = 77 };

#define CUDA_TRY(call)                                                                                                 \
    do {                                                                                                               \
        const cudaError_t error_ = (call);                                                                             \
        SINO_CHECK(error_ == cudaSuccess, SINO_FAILED, "%s: %s", #call, cudaGetErrorString(error_));                   \
    } while (0)
#define CUSPARSE_TRY(call)                                                                                             \
    do {                                                                                                               \
        const cusparseStatus_t error_ = (call);                                                                        \
        SINO_CHECK(error_ == CUSPARSE_STATUS_SUCCESS, SINO_FAILED, "%s: %s", #call, cusparseGetErrorString(error_));   \
    } while (0)

/* ---- work in parallel on the host ---- */

typedef struct Loop {
    SinoStatus (*step)(void *data, int64_t i);
    void *data;
    int64_t count;
    _Atomic int64_t next;
    _Atomic(SinoStatus) failed;
} Loop;

static void *loop_thread(void *argument)
{
    Loop *loop = argument;
    for (int64_t i; (i = atomic_fetch_add(&loop->next, 1)) < loop->count && !atomic_load(&loop->failed);) {
        SinoStatus none = NULL, status = loop->step(loop->data, i);
        if (status && !atomic_compare_exchange_strong(&loop->failed, &none, status)) sino_status_free(status);
    }
    return NULL;
}

/* step(data, i) for i < count, by as many threads as there are processors. */
static SinoStatus for_each(int64_t count, SinoStatus (*step)(void *data, int64_t i), void *data)
{
    enum { THREADS_MAX = 256 };
    Loop loop = {.step = step, .data = data, .count = count};
    pthread_t thread[THREADS_MAX];
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    int started = 0;
    while (started < processors - 1 && started < THREADS_MAX &&
           pthread_create(&thread[started], NULL, loop_thread, &loop) == 0)
        started++;
    loop_thread(&loop);
    for (int i = 0; i < started; i++) pthread_join(thread[i], NULL);
    return loop.failed;
}

/* ---- the operator ---- */

/* A scan of a half turn, its whole grid as one partition. */
typedef struct Scan {
    SinoGeometry geometry;
    double *angle_rad; /* owned */
    int64_t tile_count;
    SinoTilePlace *tile; /* of the partition, whole orbits of super-tiles; owned */
} Scan;

/* The tiles of the super-tile in the grid's row and column, and those of its images (graphs/operator/decomposition.c).
 */
static void add_orbit(Scan *scan, int64_t side, int64_t row, int64_t column, bool *taken)
{
    const int64_t supers = side / SINO_SUPER_TILE, size = scan->geometry.grid_size;
    for (int g = 0; g < SINO_ORIENTATIONS; g++) {
        int64_t r = row, c = column;
        sino_orientation_place(g, supers, &r, &c);
        if (taken[r * supers + c]) continue;
        taken[r * supers + c] = true;
        for (int64_t i = 0; i < SINO_SUPER_TILE * SINO_SUPER_TILE; i++) {
            const int64_t tile_row = r * SINO_SUPER_TILE + i / SINO_SUPER_TILE;
            const int64_t tile_column = c * SINO_SUPER_TILE + i % SINO_SUPER_TILE;
            if (sino_tile_range(size, tile_row).count == 0 || sino_tile_range(size, tile_column).count == 0) continue;
            scan->tile[scan->tile_count++] = (SinoTilePlace){.column = (int32_t)tile_column, .row = (int32_t)tile_row};
        }
    }
}

static SinoStatus scan_new(int64_t columns, int64_t angles, Scan *scan)
{
    const int64_t side = sino_tile_side(columns), supers = side / SINO_SUPER_TILE;
    bool *taken;
    SINO_TRY(sino_allocate(angles, sizeof *scan->angle_rad, "angles", &scan->angle_rad));
    SINO_TRY(sino_allocate(side * side, sizeof *scan->tile, "tiles", &scan->tile));
    SINO_TRY(sino_allocate(supers * supers, sizeof *taken, "super-tiles", &taken));
    for (int64_t k = 0; k < angles; k++) scan->angle_rad[k] = (double)k * M_PI / (double)angles;
    scan->geometry = (SinoGeometry){angles, columns, columns, scan->angle_rad, (double)(columns - 1) / 2, 0};
    for (int64_t i = 0; i < supers * supers; i++) add_orbit(scan, side, i / supers, i % supers, taken);
    free(taken);
    return NULL;
}

typedef struct Packing {
    SinoPackRun *run; /* a super-tile each; owned */
    int64_t count;
    SinoPackArea area;
} Packing;

static SinoStatus pack_step(void *data, int64_t i)
{
    Packing *packing = data;
    return sino_pack_run(&packing->run[i]);
}

static SinoStatus packing_new(const Scan *scan, const SinoLayout *layout, Packing *packing)
{
    const int64_t pieces = sino_pack_piece_count(scan->tile_count, scan->tile);
    const int64_t length_bytes = 2 + (int64_t)sino_precision_bytes(layout->precision);
    *packing = (Packing){
        .area = {.capacity = scan->tile_count * sino_layout_stored_angles(layout) * 600 * length_bytes + (1 << 20),
                 .used = sino_block_head_bytes(scan->tile_count, pieces)}};
    SINO_TRY(sino_allocate(pieces, sizeof *packing->run, "runs", &packing->run));
    packing->area.block = sino_reserve(packing->area.capacity);
    SINO_CHECK(packing->area.block, SINO_FAILED, "no addresses for a block");
    SinoBlockPiece *piece = (SinoBlockPiece *)sino_block_pieces((SinoBlockHeader *)(void *)packing->area.block);
    /* The table of pieces comes after the header that says how many there are. */
    for (int64_t first = 0, count; first < scan->tile_count; first += count) {
        count = sino_trace_super_tile(scan->tile_count - first, scan->tile + first);
        packing->run[packing->count] = (SinoPackRun){.layout = layout,
                                                     .first_tile = first,
                                                     .tile_count = count,
                                                     .tile = scan->tile + first,
                                                     .area = &packing->area,
                                                     .piece = piece + packing->count};
        packing->count++;
    }
    return NULL;
}

static SinoStatus block_new(const Scan *scan, const SinoLayout *layout, Packing *packing)
{
    SinoBlockHeader header = {.tile_count = scan->tile_count,
                              .ray_count = sino_geometry_ray_count(&scan->geometry),
                              .precision = layout->precision};
    SINO_TRY(packing_new(scan, layout, packing));
    SINO_TRY(for_each(packing->count, pack_step, packing));
    header.bytes = packing->area.used;
    header.piece_count = packing->count;
    for (int64_t i = 0; i < packing->count; i++) {
        header.nonzero_count += packing->run[i].nonzero_count;
        header.stored_nonzero_count += packing->run[i].stored_nonzero_count;
        header.stored_count += packing->run[i].stored_count;
    }
    return sino_pack_head(&header, layout, scan->tile, packing->area.block);
}

static void packing_free(Packing *packing)
{
    free(packing->run);
    sino_release(packing->area.block, packing->area.capacity);
    *packing = (Packing){0};
}

enum { VISITS = 256 /* of a step */ };

typedef struct Regrouping {
    SinoRegroup *regroup;
    SinoRegroupSize *size; /* of each visit */
    void *lists;           /* NULL: to be measured */
} Regrouping;

static SinoStatus regroup_step(void *data, int64_t i)
{
    const Regrouping *of = data;
    const int64_t left = sino_regroup_visit_count(of->regroup) - i * VISITS, count = left < VISITS ? left : VISITS;
    if (!of->lists) return sino_regroup_measure(of->regroup, i * VISITS, count, of->size + i * VISITS);
    return sino_regroup_fill(of->regroup, i * VISITS, count, of->lists);
}

/* Lists in the device's memory, and a copy of their header. */
typedef struct Lists {
    SinoGatherHeader header;
    void *memory; /* the device's; owned */
} Lists;

static SinoStatus lists_new(const SinoRegroupInput *input, Lists *lists)
{
    Regrouping of = {0};
    SINO_TRY(sino_regroup_new(input, &of.regroup));
    const int64_t visits = sino_regroup_visit_count(of.regroup), steps = (visits + VISITS - 1) / VISITS;
    SINO_TRY(sino_allocate(visits, sizeof *of.size, "sizes of visits", &of.size));
    SINO_TRY(for_each(steps, regroup_step, &of));
    sino_regroup_take(of.regroup, 0, visits, of.size);
    const int64_t bytes = sino_regroup_bytes(of.regroup);
    SINO_TRY(sino_allocate(bytes, 1, "gather lists", &of.lists));
    sino_regroup_head(of.regroup, of.lists);
    SINO_TRY(for_each(steps, regroup_step, &of));
    memcpy(&lists->header, of.lists, sizeof lists->header);
    CUDA_TRY(cudaMalloc(&lists->memory, (size_t)bytes));
    CUDA_TRY(cudaMemcpy(lists->memory, of.lists, (size_t)bytes, cudaMemcpyHostToDevice));
    free(of.lists);
    free(of.size);
    sino_regroup_free(of.regroup);
    return NULL;
}

/* ---- times ---- */

/* What is timed. */
typedef struct Timed {
    SinoStatus (*run)(void *data);
    void *data;
} Timed;

/* The shortest of some repetitions, after one that does not count. */
static SinoStatus shortest(Timed timed, double *seconds)
{
    cudaEvent_t begin, end;
    CUDA_TRY(cudaEventCreate(&begin));
    CUDA_TRY(cudaEventCreate(&end));
    *seconds = INFINITY;
    for (int i = 0; i <= REPETITIONS; i++) {
        float milliseconds;
        CUDA_TRY(cudaEventRecord(begin, NULL));
        SINO_TRY(timed.run(timed.data));
        CUDA_TRY(cudaEventRecord(end, NULL));
        CUDA_TRY(cudaEventSynchronize(end));
        CUDA_TRY(cudaEventElapsedTime(&milliseconds, begin, end));
        if (i > 0) *seconds = fmin(*seconds, (double)milliseconds / 1e3);
    }
    CUDA_TRY(cudaEventDestroy(begin));
    CUDA_TRY(cudaEventDestroy(end));
    return NULL;
}

/* Everything of one run of the bench. */
typedef struct Bench {
    Scan scan;
    SinoSpmmDevice device;
    double multiply_add[2], tensor, copy; /* per second; [1]: in double */
    double cusparse[2];                   /* flops per second: project, backproject; 0: none */
    int64_t slice_counts[SLICE_COUNTS_MAX];
    int slice_count_count;
    double disagreement; /* of directions, the largest */
} Bench;

/* Random values of the type that a precision reads; halves between 0.5 and 1, so that none is too large. */
static SinoStatus random_vector(SinoPrecision precision, int64_t count, void **memory, void **copy)
{
    const size_t bytes = sino_precision_bytes(precision);
    uint64_t state = 88172645463325252u;
    SINO_TRY(sino_allocate(count, bytes, "a vector", copy));
    for (int64_t i = 0; i < count; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        const double value = 0.5 + (double)(state >> 40) * 0x1p-25;
        if (precision == SINO_DOUBLE)
            ((double *)*copy)[i] = value;
        else if (precision == SINO_SINGLE)
            ((float *)*copy)[i] = (float)value;
        else
            ((SinoHalf *)*copy)[i] = sino_half((float)(value / 16)); /* sums of 3·N lengths stay halves */
    }
    CUDA_TRY(cudaMalloc(memory, (size_t)count * bytes));
    CUDA_TRY(cudaMemcpy(*memory, *copy, (size_t)count * bytes, cudaMemcpyHostToDevice));
    return NULL;
}

static double value_at(size_t bytes, const void *values, int64_t at)
{
    if (bytes == sizeof(double)) return ((const double *)values)[at];
    if (bytes == sizeof(float)) return (double)((const float *)values)[at];
    return (double)sino_half_value(((const SinoHalf *)values)[at]);
}

/* One direction and F. */
typedef struct Product {
    SinoSpmmProductCuda product;
    void *from, *to; /* the device's; owned */
    void *from_copy; /* owned */
    int64_t from_count, to_count;
    size_t to_bytes;
} Product;

static SinoStatus multiply(void *data)
{
    const Product *of = data;
    if (of->product.header.back) return sino_spmm_backproject_cuda(NULL, &of->product, of->from, of->to);
    return sino_spmm_project_cuda(NULL, &of->product, of->from, of->to);
}

static SinoStatus product_new(const Bench *bench, const Lists *lists, int64_t slice_count, Product *of)
{
    const SinoGatherHeader *header = &lists->header;
    const SinoPrecision precision = (SinoPrecision)header->precision;
    const int64_t stride = sino_panel_stride(precision, slice_count);
    const int64_t voxels = header->tile_count * SINO_TILE_VOXELS, rays = header->ray_count;
    *of = (Product){.product = {.device = bench->device,
                                .header = *header,
                                .lists = lists->memory,
                                .panel_width = sino_panel_width(precision),
                                .stride = stride},
                    .from_count = stride * (header->back ? rays : voxels),
                    .to_count = stride * (header->back ? voxels : rays),
                    .to_bytes = precision == SINO_MIXED ? sizeof(float) : sino_precision_bytes(precision)};
    SINO_TRY(random_vector(precision, of->from_count, &of->from, &of->from_copy));
    CUDA_TRY(cudaMalloc(&of->to, (size_t)of->to_count * of->to_bytes));
    return NULL;
}

static SinoStatus product_free(Product *of)
{
    CUDA_TRY(cudaFree(of->from));
    CUDA_TRY(cudaFree(of->to));
    free(of->from_copy);
    return NULL;
}

/* <to, the other direction's from>, over all slices. */
static SinoStatus dot(const Product *of, const Product *other, double *sum)
{
    void *to;
    SINO_TRY(sino_allocate(of->to_count, of->to_bytes, "a result", &to));
    CUDA_TRY(cudaMemcpy(to, of->to, (size_t)of->to_count * of->to_bytes, cudaMemcpyDeviceToHost));
    const size_t bytes = sino_precision_bytes((SinoPrecision)other->product.header.precision);
    *sum = 0;
    for (int64_t i = 0; i < of->to_count; i++)
        *sum += value_at(of->to_bytes, to, i) * value_at(bytes, other->from_copy, i);
    free(to);
    return NULL;
}

static void print_row(const Bench *bench, const Product *of, int64_t slice_count, double seconds)
{
    static const char *const names[] = {"single", "double", "half", "mixed"};
    const SinoGatherHeader *header = &of->product.header;
    const SinoPrecision precision = (SinoPrecision)header->precision;
    const double flops = 2.0 * (double)header->nonzero_count * (double)slice_count / seconds;
    /* What has to be moved at least: the lists, one vector in, one out. */
    const double bytes = (double)header->bytes + (double)of->from_count * (double)sino_precision_bytes(precision) +
                         (double)of->to_count * (double)of->to_bytes;
    const double cusparse = bench->cusparse[header->back != 0];
    printf("| %s | %s | %s | %d | %.2f | %.2f | %.0f %% | %.0f %% | ", header->back ? "backproject" : "project",
           names[precision], header->outputs == 16 ? "tensor" : "fma", (int)slice_count, seconds * 1e3, flops / 1e12,
           100 * flops / (header->outputs == 16 ? bench->tensor : bench->multiply_add[precision == SINO_DOUBLE]),
           100 * bytes / seconds / bench->copy);
    if (cusparse > 0)
        printf("%.2f |\n", flops / cusparse);
    else
        printf("n/a |\n");
    if (fflush(stdout) != 0) exit(1);
}

/* Both directions with F slices; <Ax, y> = <x, Aᵀy> tells whether they are what they should be. */
static SinoStatus bench_products(Bench *bench, const Lists lists[2], int64_t slice_count)
{
    Product product[2];
    double seconds, sum[2];
    for (int back = 0; back <= 1; back++) {
        SINO_TRY(product_new(bench, &lists[back], slice_count, &product[back]));
        SINO_TRY(shortest((Timed){multiply, &product[back]}, &seconds));
        print_row(bench, &product[back], slice_count, seconds);
    }
    for (int back = 0; back <= 1; back++) SINO_TRY(dot(&product[back], &product[!back], &sum[back]));
    bench->disagreement = fmax(bench->disagreement, fabs(sum[0] - sum[1]) / fabs(sum[0]));
    for (int back = 0; back <= 1; back++) SINO_TRY(product_free(&product[back]));
    return NULL;
}

/* ---- cuSPARSE ---- */

/* A matrix of cuSPARSE and its vectors. */
typedef struct Sparse {
    cusparseHandle_t handle;
    cusparseSpMatDescr_t matrix;
    cusparseDnMatDescr_t from, to;
    cusparseSpMMAlg_t algorithm;
    void *offset, *column, *length, *from_memory, *to_memory, *buffer; /* the device's; owned */
} Sparse;

static SinoStatus multiply_sparse(void *data)
{
    const Sparse *of = data;
    const float one = 1, zero = 0;
    CUSPARSE_TRY(cusparseSpMM(of->handle, CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_NON_TRANSPOSE, &one,
                              of->matrix, of->from, &zero, of->to, CUDA_R_32F, of->algorithm, of->buffer));
    return NULL;
}

static SinoStatus to_device(int64_t count, size_t bytes, const void *values, void **memory)
{
    CUDA_TRY(cudaMalloc(memory, (size_t)count * bytes));
    if (values) CUDA_TRY(cudaMemcpy(*memory, values, (size_t)count * bytes, cudaMemcpyHostToDevice));
    return NULL;
}

/* With what the algorithm makes of the matrix beforehand, which is not timed. */
static SinoStatus prepare_sparse(Sparse *of)
{
    const float one = 1, zero = 0;
    size_t bytes = 0;
    CUSPARSE_TRY(cusparseSpMM_bufferSize(of->handle, CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_NON_TRANSPOSE,
                                         &one, of->matrix, of->from, &zero, of->to, CUDA_R_32F, of->algorithm, &bytes));
    SINO_TRY(to_device((int64_t)bytes + 1, 1, NULL, &of->buffer));
    /* Algorithms that make nothing beforehand may say so. */
    (void)cusparseSpMM_preprocess(of->handle, CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_NON_TRANSPOSE, &one,
                                  of->matrix, of->from, &zero, of->to, CUDA_R_32F, of->algorithm, of->buffer);
    return NULL;
}

static SinoStatus time_sparse(Sparse *of, double *seconds)
{
    of->buffer = NULL;
    SinoStatus status = prepare_sparse(of);
    if (!status) status = shortest((Timed){multiply_sparse, of}, seconds);
    if (cudaFree(of->buffer) == cudaSuccess || status) return status;
    return sino_error(SINO_FAILED, "cudaFree of cuSPARSE's buffer failed");
}

/* The best of the algorithms with F slices; one that refuses does not count. */
static SinoStatus bench_sparse(Sparse *of, const Csr *csr, int64_t slice_count, double *best)
{
    static const cusparseSpMMAlg_t algorithms[] = {CUSPARSE_SPMM_ALG_DEFAULT, CUSPARSE_SPMM_CSR_ALG1,
                                                   CUSPARSE_SPMM_CSR_ALG2, CUSPARSE_SPMM_CSR_ALG3};
    void *copy;
    SINO_TRY(random_vector(SINO_SINGLE, csr->column_count * slice_count, &of->from_memory, &copy));
    free(copy);
    SINO_TRY(to_device(csr->row_count * slice_count, sizeof(float), NULL, &of->to_memory));
    CUSPARSE_TRY(cusparseCreateDnMat(&of->from, csr->column_count, slice_count, slice_count, of->from_memory,
                                     CUDA_R_32F, CUSPARSE_ORDER_ROW));
    CUSPARSE_TRY(cusparseCreateDnMat(&of->to, csr->row_count, slice_count, slice_count, of->to_memory, CUDA_R_32F,
                                     CUSPARSE_ORDER_ROW));
    for (size_t i = 0; i < sizeof algorithms / sizeof *algorithms; i++) {
        double seconds;
        of->algorithm = algorithms[i];
        SinoStatus status = time_sparse(of, &seconds);
        if (!status) *best = fmax(*best, 2.0 * (double)csr->nonzero_count * (double)slice_count / seconds);
        sino_status_free(status);
    }
    CUSPARSE_TRY(cusparseDestroyDnMat(of->from));
    CUSPARSE_TRY(cusparseDestroyDnMat(of->to));
    CUDA_TRY(cudaFree(of->from_memory));
    CUDA_TRY(cudaFree(of->to_memory));
    return NULL;
}

static SinoStatus bench_csr(const Bench *bench, const Csr *csr, double *best)
{
    Sparse of = {0};
    CUSPARSE_TRY(cusparseCreate(&of.handle));
    /* Offsets and columns of 32 bits, which every algorithm takes. */
    int32_t *offset = NULL;
    SINO_TRY(sino_allocate(csr->row_count + 1, sizeof *offset, "offsets", &offset));
    for (int64_t i = 0; i <= csr->row_count; i++) offset[i] = (int32_t)csr->offset[i];
    SINO_TRY(to_device(csr->row_count + 1, sizeof *offset, offset, &of.offset));
    free(offset);
    SINO_TRY(to_device(csr->nonzero_count, sizeof *csr->column, csr->column, &of.column));
    SINO_TRY(to_device(csr->nonzero_count, sizeof *csr->length, csr->length, &of.length));
    CUSPARSE_TRY(cusparseCreateCsr(&of.matrix, csr->row_count, csr->column_count, csr->nonzero_count, of.offset,
                                   of.column, of.length, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                                   CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
    for (int i = 0; i < bench->slice_count_count; i++) SINO_TRY(bench_sparse(&of, csr, bench->slice_counts[i], best));
    CUSPARSE_TRY(cusparseDestroySpMat(of.matrix));
    CUDA_TRY(cudaFree(of.offset));
    CUDA_TRY(cudaFree(of.column));
    CUDA_TRY(cudaFree(of.length));
    CUSPARSE_TRY(cusparseDestroy(of.handle));
    return NULL;
}

static SinoStatus bench_cusparse(Bench *bench, const SinoBlockHeader *block, const SinoLayout *layout)
{
    size_t available, total;
    const int64_t bytes = block->nonzero_count * 8;
    CUDA_TRY(cudaMemGetInfo(&available, &total));
    if (bytes > (int64_t)(available * 3 / 4) || block->nonzero_count > INT32_MAX) {
        printf("cuSPARSE: left out, %.1f GB of CSR or %.1f billion nonzeros are too many for %.1f GB or 32 bits\n",
               (double)bytes / 1e9, (double)block->nonzero_count / 1e9, (double)available / 1e9);
        return NULL;
    }
    Csr csr = csr_of_block(block, layout, bench->scan.tile), transposed = csr_transposed(&csr);
    SINO_TRY(bench_csr(bench, &csr, &bench->cusparse[0]));
    SINO_TRY(bench_csr(bench, &transposed, &bench->cusparse[1]));
    printf("cuSPARSE SpMM, single, CSR along Hilbert curves, best algorithm and F: %.2f and %.2f TFLOP/s\n",
           bench->cusparse[0] / 1e12, bench->cusparse[1] / 1e12);
    csr_free(&csr);
    csr_free(&transposed);
    return NULL;
}

/* ---- all of it ---- */

static SinoStatus bench_precision(Bench *bench, SinoPrecision precision)
{
    SinoLayout layout;
    Packing packing;
    SINO_TRY(sino_layout_new(&bench->scan.geometry, precision, true, &layout));
    SINO_TRY(block_new(&bench->scan, &layout, &packing));
    const SinoBlockHeader *block = (const void *)packing.area.block;
    const SinoFootprint footprint = {.ray_count = block->ray_count};
    const bool halves = precision == SINO_HALF || precision == SINO_MIXED;
    if (precision == SINO_SINGLE) {
        SINO_TRY(bench_cusparse(bench, block, &layout));
        printf("\n| direction | precision | units | F | ms | TFLOP/s | of peak | of copy bandwidth | x cuSPARSE |\n"
               "|---|---|---|---|---|---|---|---|---|\n");
    }
    for (int outputs = 4; outputs <= (halves ? 16 : 4); outputs += 12) {
        Lists lists[2];
        for (int back = 0; back <= 1; back++)
            SINO_TRY(lists_new(&(SinoRegroupInput){block, &layout, &footprint, bench->scan.tile, back, outputs},
                               &lists[back]));
        for (int i = 0; i < bench->slice_count_count; i++)
            SINO_TRY(bench_products(bench, lists, bench->slice_counts[i]));
        for (int back = 0; back <= 1; back++) CUDA_TRY(cudaFree(lists[back].memory));
    }
    packing_free(&packing);
    sino_layout_free(&layout);
    return NULL;
}

static SinoStatus measure_peaks(Bench *bench)
{
    struct cudaDeviceProp properties;
    CUDA_TRY(cudaGetDeviceProperties(&properties, 0));
    SINO_TRY(sino_spmm_cuda_device(&bench->device));
    SINO_TRY(device_peak_multiply_add(0, &bench->multiply_add[0]));
    SINO_TRY(device_peak_multiply_add(1, &bench->multiply_add[1]));
    SINO_TRY(device_peak_tensor(&bench->tensor));
    SINO_TRY(device_peak_copy(1 << 30, &bench->copy));
    printf(
        "%s: %d multiprocessors, %d KiB of shared memory per block; measured: %.1f TFLOP/s of multiply-adds in single, "
        "%.1f in double, %.0f of mma.m16n8k16, copies at %.2f TB/s\n",
        properties.name, bench->device.multiprocessor_count, (int)(bench->device.shared_bytes >> 10),
        bench->multiply_add[0] / 1e12, bench->multiply_add[1] / 1e12, bench->tensor / 1e12, bench->copy / 1e12);
    return NULL;
}

static SinoStatus bench_all(Bench *bench)
{
    static const SinoPrecision precisions[] = {SINO_SINGLE, SINO_MIXED, SINO_HALF, SINO_DOUBLE};
    SINO_TRY(measure_peaks(bench));
    for (int p = 0; p < SINO_PRECISIONS; p++) SINO_TRY(bench_precision(bench, precisions[p]));
    printf("\n<Ax, y> and <x, Aty> differ by %.1e at most\n", bench->disagreement);
    SINO_CHECK(bench->disagreement < 5e-3, SINO_FAILED, "the directions are not adjoint: results are wrong");
    return NULL;
}

static SinoStatus read_arguments(int count, char **words, Bench *bench)
{
    static const int64_t usual[] = {32, 64, 128};
    const int64_t columns = count > 2 ? atoll(words[1]) : 1024, angles = count > 2 ? atoll(words[2]) : 750;
    SINO_CHECK(
        columns >= 16 && angles >= 1 && count - 3 <= SLICE_COUNTS_MAX, SINO_BAD_INPUT,
        "usage: spmm_bench [COLUMNS ANGLES [SLICES ...]], with at least 16 columns and at most %d counts of slices",
        SLICE_COUNTS_MAX);
    for (int i = 0; i < (count > 3 ? count - 3 : 3); i++)
        bench->slice_counts[bench->slice_count_count++] = count > 3 ? atoll(words[3 + i]) : usual[i];
    for (int i = 0; i < bench->slice_count_count; i++)
        SINO_CHECK(bench->slice_counts[i] >= 1 && bench->slice_counts[i] <= SINO_SLICES_MAX, SINO_BAD_INPUT,
                   "slices must be between 1 and %d", SINO_SLICES_MAX);
    return scan_new(columns, angles, &bench->scan);
}

int main(int argument_count, char **arguments)
{
    Bench bench = {0};
    int devices = 0;
    SinoStatus status = read_arguments(argument_count, arguments, &bench);
    if (!status && (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0)) {
        printf("skipped: no GPU\n");
        return SKIPPED;
    }
    if (!status) status = bench_all(&bench);
    if (status) fprintf(stderr, "spmm_bench: %s\n", sino_status_text(status));
    const int code = sino_status_exit_code(status);
    sino_status_free(status);
    free(bench.scan.angle_rad);
    free(bench.scan.tile);
    return code;
}
