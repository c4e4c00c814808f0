/* SPDX-License-Identifier: BSD-3-Clause */
/* Weights file: weights of rays, read as a scan, or kept as a table of all rows. */
#include "weights_file.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "child.h"
#include "files.h"
#include "hdf5_files.h"
#include "memory.h"
#include "npy.h"
#include "numbers.h"
#include "paths.h"

struct SinoWeightsFile {
    char *name;            /* in errors; owned */
    SinoScan *scan;        /* of three dimensions; NULL: a table */
    SinoMemoryScan memory; /* of an array */
    int64_t column_count;  /* of the table */
    int64_t lines;         /* of the table: projections, or 1 for all */
    float *table;          /* [line][column]; owned; NULL: a scan */
};

/* Sizes of an array of one or two dimensions, and its values. rank 3: the file is read as a scan. */
typedef struct Table {
    int rank;
    int64_t size[2];
    float *value; /* owned */
} Table;

/* A file that is only tried may have any sizes. */
static SinoStatus check_table(const SinoWeightsRequest *request, const Table *table)
{
    const int64_t *size = request->size;
    if (size[0] == 0) return NULL;
    SINO_CHECK(table->rank == 2 || table->size[0] == size[2], SINO_BAD_INPUT,
               "--weights %s has %" PRId64 " numbers; allowed: one for each of %" PRId64 " columns", request->path,
               table->size[0], size[2]);
    SINO_CHECK(table->rank == 1 || (table->size[0] == size[0] && table->size[1] == size[2]), SINO_BAD_INPUT,
               "--weights %s has %" PRId64 " x %" PRId64 " numbers; allowed: %" PRId64 " projections x %" PRId64
               " columns",
               request->path, table->size[0], table->size[1], size[0], size[2]);
    return NULL;
}

static SinoStatus new_table(const SinoWeightsRequest *request, Table *table)
{
    int64_t count;
    SINO_TRY(check_table(request, table));
    SINO_TRY(sino_multiply(table->size[0], table->rank == 2 ? table->size[1] : 1, "weights", &count));
    return sino_allocate(sino_larger(count, 1), sizeof *table->value, "weights", &table->value);
}

static void take_rank(int rank, const int64_t *size, Table *table)
{
    table->rank = rank == 1 || rank == 2 ? rank : 3;
    for (int i = 0; i < 2 && table->rank < 3; i++) table->size[i] = i < rank ? size[i] : 1;
}

static SinoStatus read_npy_header(const char *path, int descriptor, int64_t bytes, SinoNpy *npy)
{
    char *head;
    const int64_t head_bytes = sino_smaller(bytes, SINO_NPY_HEADER_BYTES);
    SINO_TRY(sino_allocate(sino_larger(head_bytes, 1), 1, "a header", &head));
    SinoStatus status = sino_regular_read(path, descriptor, 0, head_bytes, head);
    if (!status) status = sino_npy_parse(path, head, head_bytes, npy);
    free(head);
    return status;
}

static SinoStatus take_npy_values(const SinoWeightsRequest *request, int descriptor, int64_t bytes, Table *table)
{
    SinoNpy npy;
    SINO_TRY(read_npy_header(request->path, descriptor, bytes, &npy));
    take_rank(npy.rank, npy.size, table);
    if (table->rank == 3) return NULL;
    SINO_CHECK(sino_npy_is_number(&npy) && npy.kind != SINO_NPY_BOOL, SINO_BAD_INPUT,
               "%s holds %s; allowed: integers or floating-point numbers", request->path, npy.stored_type);
    SINO_CHECK(bytes - npy.header_bytes >= sino_npy_bytes(&npy), SINO_BAD_INPUT,
               "%s is cut: it has %" PRId64 " of the %" PRId64 " bytes of its values", request->path,
               bytes - npy.header_bytes, sino_npy_bytes(&npy));
    SINO_TRY(new_table(request, table));
    return sino_plain_values_read(request->path, descriptor, npy.header_bytes, &npy, npy.count, SINO_COUNT_FLOAT32,
                                  table->value);
}

static SinoStatus take_npy(const SinoWeightsRequest *request, Table *table)
{
    int descriptor;
    int64_t bytes;
    SINO_TRY(sino_regular_open(request->path, &descriptor, &bytes));
    SinoStatus status = take_npy_values(request, descriptor, bytes, table);
    close(descriptor);
    return status;
}

static SinoStatus take_dataset(const SinoWeightsRequest *request, const SinoDataset *dataset, Table *table)
{
    const int64_t first[2] = {0};
    take_rank(dataset->rank, dataset->size, table);
    if (table->rank == 3) return NULL;
    SINO_TRY(new_table(request, table));
    return sino_dataset_read(dataset, first, table->size, H5T_NATIVE_FLOAT, table->value);
}

/* The files are those of the dataset, and closed with it. */
static SinoStatus take_hdf5(const SinoWeightsRequest *request, const char *path, const char *name, Table *table)
{
    hid_t file;
    SinoFileList files = {0};
    SinoDataset dataset = {.id = H5I_INVALID_HID};
    SINO_TRY(sino_hdf5_open(path, &file));
    SinoStatus status = sino_dataset_open_whole(path, file, name, SINO_ANY_RANK, false, &files, &dataset);
    if (!status) status = take_dataset(request, &dataset, table);
    sino_dataset_close(&dataset);
    (void)H5Fclose(file); /* opened for reading: nothing can be lost */
    sino_file_list_free(&files);
    return status;
}

/* Reads an array of one or two dimensions. */
static SinoStatus take_table(const SinoWeightsRequest *request, Table *table)
{
    char *path = NULL, *inner = NULL;
    table->rank = 3;
    SinoStatus split = sino_inner_path_split(request->path, &path, &inner), status = NULL;
    if (!split && !inner && sino_npy_probe_file(path)) status = take_npy(request, table);
    if (!split && inner && sino_hdf5_probe(path)) status = take_hdf5(request, path, inner, table);
    sino_status_free(split); /* a folder, a pattern, or no file, which the scan then says */
    free(path);
    free(inner);
    return status;
}

static SinoStatus check_weight(const char *name, double value, int64_t projection, int64_t row, int64_t column)
{
    SINO_CHECK(isfinite(value) && value >= 0, SINO_BAD_INPUT,
               "%s: the weight of column %" PRId64 " of row %" PRId64 " of projection %" PRId64
               " is %g; allowed: finite numbers of 0 or more",
               name, column, row, projection, value);
    return NULL;
}

static SinoStatus check_values(const SinoWeightsFile *file)
{
    for (int64_t i = 0; i < file->lines; i++)
        for (int64_t c = 0; c < file->column_count; c++)
            SINO_TRY(check_weight(file->name, (double)file->table[i * file->column_count + c], i, 0, c));
    return NULL;
}

/* A size of 1 stands for all. */
static void spread(const SinoWeightsRequest *request, SinoMemoryImages *images)
{
    for (int i = 0; i < 3; i++) {
        if (images->size[i] != 1) continue;
        images->size[i] = request->size[i];
        images->step[i] = 0;
    }
}

static SinoStatus open_scan(const SinoWeightsRequest *request, SinoWeightsFile *file)
{
    SinoScanRequest scan = {.path = request->path, .axes = request->axes};
    if (request->memory) {
        file->memory.projections = *request->memory;
        spread(request, &file->memory.projections);
        scan.memory = &file->memory;
    }
    SinoStatus opened = sino_scan_open(&scan, &file->scan);
    if (opened) return sino_error_prefix(opened, "--weights, which is a file unless it is auto, counts or none");
    const SinoScanInfo *info = sino_scan_info(file->scan);
    const int64_t *size = request->size;
    SINO_CHECK(size[0] == 0 ||
                   (info->angle_count == size[0] && info->row_count == size[1] && info->column_count == size[2]),
               SINO_BAD_INPUT,
               "%s: %" PRId64 " projections of %" PRId64 " rows and %" PRId64 " columns; allowed: %" PRId64
               " of %" PRId64 " and %" PRId64 ", as the scan, or an array of projections x columns, or of columns",
               file->name, info->angle_count, info->row_count, info->column_count, size[0], size[1], size[2]);
    return NULL;
}

static SinoStatus fill(const SinoWeightsRequest *request, SinoWeightsFile *file)
{
    Table table = {.rank = 3};
    SinoStatus status = request->memory ? NULL : take_table(request, &table);
    file->table = table.value;
    if (status) return status;
    if (table.rank == 3) return open_scan(request, file);
    file->column_count = table.size[table.rank - 1];
    file->lines = table.rank == 2 ? table.size[0] : 1;
    return check_values(file);
}

SinoStatus sino_weights_open(const SinoWeightsRequest *request, SinoWeightsFile **opened)
{
    SinoWeightsFile *file;
    SINO_TRY(sino_allocate(1, sizeof *file, "weights", &file));
    const int length = asprintf(&file->name, "%s%s", request->memory ? "" : "--weights ", request->path);
    SinoStatus status = length < 0 ? sino_error(SINO_FAILED, "no memory for a file name") : fill(request, file);
    SINO_GIVE(status, file, sino_weights_close, opened);
}

void sino_weights_close(SinoWeightsFile *file)
{
    if (!file) return;
    sino_scan_close(file->scan);
    free(file->table);
    free(file->name);
    free(file);
}

static SinoStatus open_and_close(const void *request)
{
    SinoWeightsFile *file = NULL;
    SINO_TRY(sino_weights_open(request, &file));
    sino_weights_close(file);
    return NULL;
}

SinoStatus sino_weights_try(const SinoWeightsRequest *request)
{
    return sino_child_try_headers(request->path, 2, open_and_close, request);
}

int64_t sino_weights_bytes(const SinoWeightsFile *file)
{
    return file->table ? sino_times(sino_times(file->lines, file->column_count), (int64_t)sizeof *file->table) : 0;
}

/* Values of some projections: value (projection, row, column) is number projection · step[0] + row · step[1] + column
 * of `first`. */
typedef struct Piece {
    SinoCountType type;
    const void *first;
    int64_t step[2];
    int64_t projection; /* number of the first one, for errors */
} Piece;

static double value_at(const Piece *piece, int64_t at)
{
    if (piece->type == SINO_COUNT_UINT8) return ((const uint8_t *)piece->first)[at];
    if (piece->type == SINO_COUNT_UINT16) return ((const uint16_t *)piece->first)[at];
    return (double)((const float *)piece->first)[at];
}

/* The weight of the mean of `count` projections and binning × binning pixels, from pixel (row, column) of projection
 * `from` of the piece on. */
static SinoStatus average(const SinoWeightsFile *file, const SinoWeightsPart *part, const Piece *piece,
                          const int64_t from[3], float *weight)
{
    const int64_t count = part->angle_binning, binning = part->binning;
    double sum = 0;
    bool whole = true;
    for (int64_t i = from[0]; i < from[0] + count; i++)
        for (int64_t r = from[1]; r < from[1] + binning; r++)
            for (int64_t c = from[2]; c < from[2] + binning; c++) {
                const double value = value_at(piece, i * piece->step[0] + r * piece->step[1] + c);
                SINO_TRY(check_weight(file->name, value, piece->projection + i, part->box.first_row + r,
                                      part->box.first_column + c));
                whole = whole && value > 0;
                sum += value;
            }
    *weight = whole ? (float)(sum / (double)(count * binning * binning)) : 0;
    return NULL;
}

static SinoStatus average_angles(const SinoWeightsFile *file, const SinoWeightsPart *part, const Piece *piece,
                                 int64_t angle_count, float *weights)
{
    const int64_t rows = part->box.row_count / part->binning, columns = part->box.column_count / part->binning;
    for (int64_t k = 0; k < angle_count; k++)
        for (int64_t r = 0; r < rows; r++)
            for (int64_t c = 0; c < columns; c++)
                SINO_TRY(average(file, part, piece,
                                 (const int64_t[]){k * part->angle_binning, r * part->binning, c * part->binning},
                                 weights++));
    return NULL;
}

static int64_t projection_of(const SinoWeightsPart *part, int64_t k)
{
    return part->projection ? part->projection[k] : k;
}

/* Angles from k on, at most `most`, whose projections follow each other. */
static int64_t run_of(const SinoWeightsPart *part, int64_t k, int64_t most)
{
    int64_t run = 1;
    while (run < most && projection_of(part, k + run) == projection_of(part, k) + run * part->angle_binning) run++;
    return run;
}

static SinoStatus read_run(SinoWeightsFile *file, const SinoWeightsPart *part, int64_t k, int64_t run, void *memory,
                           float *weights)
{
    const int64_t first = projection_of(part, k), columns = file->column_count;
    Piece piece = {.type = SINO_COUNT_FLOAT32, .projection = first, .first = memory};
    if (file->table) {
        piece.first = file->table + (file->lines > 1 ? first * columns : 0) + part->box.first_column;
        piece.step[0] = file->lines > 1 ? columns : 0;
    } else {
        piece.type = sino_scan_info(file->scan)->type;
        piece.step[0] = part->box.row_count * part->box.column_count;
        piece.step[1] = part->box.column_count;
        SINO_TRY(sino_scan_read(file->scan, first, run * part->angle_binning, &part->box, memory));
    }
    return average_angles(file, part, &piece, run, weights);
}

SinoStatus sino_weights_read(SinoWeightsFile *file, const SinoWeightsPart *part, int64_t first_angle,
                             int64_t angle_count, float *weights)
{
    const int64_t pixels = sino_times(part->box.row_count, part->box.column_count);
    const int64_t angle_bytes = sino_times(sino_times(pixels, part->angle_binning), (int64_t)sizeof *weights);
    const int64_t most = file->table ? angle_count : sino_larger(1, SINO_WEIGHTS_PIECE_BYTES / angle_bytes);
    const int64_t step = pixels / (part->binning * part->binning), end = first_angle + angle_count;
    void *memory = NULL;
    SinoStatus status = NULL;
    if (!file->table) SINO_TRY(sino_allocate(sino_smaller(most, angle_count), angle_bytes, "weights", &memory));
    for (int64_t k = first_angle, run = 1; k < end && !status; k += run) {
        run = run_of(part, k, sino_smaller(most, end - k));
        status = read_run(file, part, k, run, memory, weights + (k - first_angle) * step);
    }
    free(memory);
    return status;
}
