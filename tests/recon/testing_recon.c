/* SPDX-License-Identifier: BSD-3-Clause */
/* Testing of whole reconstructions: verbs run inside the test, results read back, the operator in double. */
#include "testing_recon.h"

#include "memory.h"
#include "minibatch.h"
#include "rays_private.h"
#include "testing.h"
#include "volume.h"
#include "workflows.h"

#include <hdf5.h>
#include <math.h>

enum { WORDS_MAX = 64 };

/* One word, with the argument that it stands for. */
static char *expand(const char *word, va_list *arguments)
{
    char *text = NULL;
    int length;
    if (strcmp(word, "%s") == 0)
        length = asprintf(&text, "%s", va_arg(*arguments, const char *));
    else if (strcmp(word, "%d") == 0)
        length = asprintf(&text, "%d", va_arg(*arguments, int));
    else if (strcmp(word, "%g") == 0)
        length = asprintf(&text, "%.17g", va_arg(*arguments, double));
    else
        length = asprintf(&text, "%s", word);
    assert_true(length >= 0);
    return text;
}

/* `last`: more words, each as it is; NULL at the end. */
static SinoSettings *read_settings(int verb, const char *words, va_list *arguments, const char *const *last)
{
    char *copy = strdup(words), *place = NULL, *expanded[WORDS_MAX];
    int count = 0;
    SinoSettings *settings = NULL;
    for (char *word = strtok_r(copy, " ", &place); word; word = strtok_r(NULL, " ", &place)) {
        assert_true(count < WORDS_MAX);
        expanded[count++] = expand(word, arguments);
    }
    for (; *last; last++) {
        assert_true(count < WORDS_MAX);
        expanded[count++] = strdup(*last);
    }
    assert_success(sino_settings_read(verb, count, expanded, &settings));
    for (int i = 0; i < count; i++) free(expanded[i]);
    free(copy);
    return settings;
}

SinoSettings *testing_settings(int verb, const char *words, ...)
{
    const char *const nothing = NULL;
    va_list arguments;
    va_start(arguments, words);
    SinoSettings *settings = read_settings(verb, words, &arguments, &nothing);
    va_end(arguments);
    return settings;
}

static SinoStatus recon(const SinoSettings *settings, SinoLog *log)
{
    return sino_recon(settings, NULL, log);
}

static void run(SinoStatus (*verb)(const SinoSettings *, SinoLog *), SinoSettings *settings)
{
    SinoLog *log = NULL;
    assert_success(sino_log_open(SINO_LOG_TEXT, &log));
    assert_success(verb(settings, log));
    sino_log_close(log);
    sino_settings_free(settings);
}

void testing_phantom(const char *words, ...)
{
    const char *const overwrite[] = {"--overwrite", NULL};
    va_list arguments;
    va_start(arguments, words);
    SinoSettings *settings = read_settings(SINO_VERB_PHANTOM, words, &arguments, overwrite);
    va_end(arguments);
    run(sino_phantom, settings);
}

/* All of a dataset, and its sizes; caller frees. */
static void *read_dataset(hid_t file, const char *name, hid_t type, size_t element_bytes, hsize_t size[2])
{
    const hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
    assert_true(dataset >= 0);
    const hid_t space = H5Dget_space(dataset);
    assert_true(H5Sget_simple_extent_ndims(space) <= 2);
    size[0] = size[1] = 1;
    assert_true(H5Sget_simple_extent_dims(space, size, NULL) >= 0);
    void *values = malloc((size_t)(size[0] * size[1]) * element_bytes);
    assert_non_null(values);
    assert_true(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    assert_true(H5Sclose(space) >= 0 && H5Dclose(dataset) >= 0);
    return values;
}

static void read_process(const char *path, TestingVolume *volume)
{
    hsize_t size[2];
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0);
    int64_t *nonzeros = read_dataset(file, "/process/nonzeros", H5T_NATIVE_INT64, sizeof *nonzeros, size);
    double *center = read_dataset(file, "/process/center", H5T_NATIVE_DOUBLE, sizeof *center, size);
    volume->nonzeros = *nonzeros;
    volume->center = *center;
    volume->repaired = read_dataset(file, "/process/repaired", H5T_NATIVE_INT64, sizeof *volume->repaired, size);
    volume->residual = read_dataset(file, "/process/residuals", H5T_NATIVE_DOUBLE, sizeof *volume->residual, size);
    assert_int_equal(size[0], volume->slice_count);
    volume->columns = (int64_t)size[1];
    if (H5Lexists(file, "/process/log_likelihood", H5P_DEFAULT) > 0)
        volume->likelihood =
            read_dataset(file, "/process/log_likelihood", H5T_NATIVE_DOUBLE, sizeof *volume->likelihood, size);
    assert_true(H5Fclose(file) >= 0);
    free(nonzeros);
    free(center);
}

void testing_recon_to(const char *path, const char *words, ...)
{
    const char *const last[] = {"--out", path, "--overwrite", "--pictures", "no", NULL};
    va_list arguments;
    va_start(arguments, words);
    SinoSettings *settings = read_settings(SINO_VERB_RECON, words, &arguments, last);
    va_end(arguments);
    run(recon, settings);
}

TestingVolume testing_recon(const char *directory, const char *words, ...)
{
    char path[TESTING_PATH];
    TestingVolume volume = {0};
    int64_t height;
    const char *const last[] = {"--out", testing_path(path, directory, "volume.h5"), "--overwrite", "--pictures", "no",
                                NULL};
    va_list arguments;
    va_start(arguments, words);
    SinoSettings *settings = read_settings(SINO_VERB_RECON, words, &arguments, last);
    va_end(arguments);
    run(recon, settings);
    assert_success(sino_volume_read(path, &volume.slice_count, &height, &volume.size, &volume.value));
    assert_int_equal(height, volume.size);
    for (int64_t i = 0; i < volume.slice_count * volume.size * volume.size; i++) assert_true(isfinite(volume.value[i]));
    read_process(path, &volume);
    return volume;
}

void testing_volume_free(TestingVolume *volume)
{
    free(volume->value);
    free(volume->residual);
    free(volume->likelihood);
    free(volume->repaired);
    *volume = (TestingVolume){0};
}

const float *testing_slice(const TestingVolume *volume, int64_t slice)
{
    assert_true(slice >= 0 && slice < volume->slice_count);
    return volume->value + slice * volume->size * volume->size;
}

double testing_error_within(int64_t slice_count, int64_t size, double radius, const float *a, const float *b)
{
    const double middle = (double)(size - 1) / 2;
    double off = 0, norm = 0;
    for (int64_t i = 0; i < slice_count * size * size; i++) {
        const double x = (double)(i % size) - middle, y = (double)(i / size % size) - middle;
        if (x * x + y * y >= radius * radius) continue;
        const double difference = (double)a[i] - (double)b[i];
        off += difference * difference;
        norm += (double)b[i] * (double)b[i];
    }
    assert_true(norm > 0);
    return sqrt(off / norm);
}

double testing_error(int64_t count, const float *a, const float *b)
{
    double off = 0, norm = 0;
    for (int64_t i = 0; i < count; i++) {
        const double difference = (double)a[i] - (double)b[i];
        off += difference * difference;
        norm += (double)b[i] * (double)b[i];
    }
    assert_true(norm > 0);
    return sqrt(off / norm);
}

double testing_error_doubles(int64_t count, const double *a, const double *b)
{
    double off = 0, norm = 0;
    for (int64_t i = 0; i < count; i++) {
        off += (a[i] - b[i]) * (a[i] - b[i]);
        norm += b[i] * b[i];
    }
    assert_true(norm > 0);
    return sqrt(off / norm);
}

double testing_residual_error(const TestingVolume *a, const TestingVolume *b)
{
    double worst = 0;
    assert_true(a->slice_count == b->slice_count && a->columns == b->columns);
    for (int64_t i = 0; i < a->slice_count * a->columns; i++) {
        assert_true(isnan(a->residual[i]) == isnan(b->residual[i]));
        if (b->residual[i] > 0) worst = fmax(worst, fabs(a->residual[i] / b->residual[i] - 1));
    }
    return worst;
}

bool testing_data_there(const char *name)
{
    char path[TESTING_PATH];
    const char *directory = getenv("SINODAG_TEST_DATA");
    snprintf(path, sizeof path, "%s/%s", directory && directory[0] ? directory : SINO_SOURCE_ROOT "/../shared/data",
             name);
    if (access(path, R_OK) == 0) return true;
    print_message("skipped: there is no %s; set SINODAG_TEST_DATA\n", path);
    return false;
}

void *testing_read_file(const char *path, int64_t size_bytes)
{
    FILE *file = fopen(path, "rb");
    char *bytes = malloc((size_t)size_bytes + 1);
    assert_true(file && bytes);
    assert_int_equal(fread(bytes, 1, (size_t)size_bytes + 1, file), size_bytes);
    assert_int_equal(fclose(file), 0);
    return bytes;
}

void testing_write_file(const char *path, const void *bytes, int64_t size_bytes)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, (size_t)size_bytes, file), size_bytes);
    assert_int_equal(fclose(file), 0);
}

struct TestingOperator {
    SinoLog *log;
    SinoRuntime *runtime;
    SinoOperator *operator;
    SinoMinibatch *minibatch;
    double *angle_rad; /* what the operator refers to; owned */
};

/* The vectors of one product. */
enum { RAYS, VOXELS };
static const SinoBuffer product_buffers[] = {
    [RAYS] = {"rays", SINO_ROWS_RAYS, SINO_ELEMENT_REAL, SINO_LANES_SLICES},
    [VOXELS] = {"voxels", SINO_ROWS_VOXELS, SINO_ELEMENT_REAL, SINO_LANES_SLICES}};
static const SinoVectors product_vectors = {.count = 2, .buffer = product_buffers, .tomogram = VOXELS};

static const SinoRays *rays_of(const TestingOperator *a)
{
    const SinoRaysOwn *own = a->operator->own;
    return own->subset[0].rays;
}

TestingOperator *testing_operator_new(const SinoGeometry *geometry, SinoPrecision precision, bool symmetry,
                                      int64_t partition_count, int64_t window_count, int64_t slice_count)
{
    TestingOperator *a = NULL;
    const SinoSlices slices = {.precision = sino_precision_solver(precision),
                               .stride = sino_panel_stride(precision, slice_count),
                               .slice_count = slice_count};
    const SinoTopology topology = {.rank_count = 1, .node_count = 1, .sockets = 1, .workers = partition_count};
    assert_success(sino_allocate(1, sizeof *a, "test", &a));
    assert_success(sino_log_open(SINO_LOG_TEXT, &a->log));
    const SinoRuntimeRequest request = {.log = a->log};
    assert_success(sino_runtime_start(&request, &a->runtime));
    a->angle_rad = calloc((size_t)geometry->angle_count, sizeof *a->angle_rad);
    assert_non_null(a->angle_rad);
    memcpy(a->angle_rad, geometry->angle_rad, (size_t)geometry->angle_count * sizeof *a->angle_rad);
    SinoOperatorRequest wanted = {
        .problem = {.geometry = *geometry, .precision = precision, .symmetry = symmetry, .subset_count = 1},
        .division = {.topology = topology},
        .shape = SINO_EXCHANGE_ALONE(partition_count),
        .window_count = window_count};
    wanted.problem.geometry.angle_rad = a->angle_rad;
    assert_success(sino_operator_new(a->runtime, &wanted, &a->operator));
    const SinoMinibatchRequest minibatch = {
        .op = a->operator, .vectors = & product_vectors, .slices = slices, .history_numbers = 1};
    assert_success(sino_minibatch_new(a->runtime, &minibatch, &a->minibatch));
    return a;
}

int64_t testing_operator_nonzeros(const TestingOperator *a)
{
    return a->operator->nonzero_count;
}

/* The slices of one row of a vector: in when `write`, else out. */
static void exchange(const TestingOperator *a, void *memory, int64_t rows, int64_t row, bool write, double *value)
{
    const SinoSlices slices = a->minibatch->slices;
    for (int64_t f = 0; f < slices.slice_count; f++) {
        const int64_t at = sino_panel_element(slices, rows, row, f);
        double *wide = (double *)memory + at;
        float *narrow = (float *)memory + at;
        if (slices.precision == SINO_DOUBLE && write) *wide = value[f];
        if (slices.precision == SINO_DOUBLE && !write) value[f] = *wide;
        if (slices.precision == SINO_SINGLE && write) *narrow = (float)value[f];
        if (slices.precision == SINO_SINGLE && !write) value[f] = (double)*narrow;
    }
}

static void exchange_rays(TestingOperator *a, bool write, double *y)
{
    void *memory;
    SinoData *data = a->minibatch->vector[RAYS][0];
    assert_success(sino_data_acquire(data, write ? SINO_WRITE : SINO_READ, &memory));
    const SinoLayout *layout = &rays_of(a)->layout;
    const int64_t columns = layout->geometry.column_count;
    for (int64_t i = 0; i < rays_of(a)->ray_count; i++)
        exchange(a, memory, rays_of(a)->ray_count, layout->place[i / columns] * columns + i % columns, write,
                 y + i * a->minibatch->slices.slice_count);
    sino_data_release(data);
}

/* Voxels of tiles that reach beyond the grid are written as 1: nothing may read them. */
static void exchange_voxels(TestingOperator *a, bool write, double *x)
{
    const int64_t size = rays_of(a)->layout.geometry.grid_size, count = a->minibatch->slices.slice_count;
    double ones[SINO_SLICES_MAX];
    for (int64_t f = 0; f < count; f++) ones[f] = 1;
    for (int64_t p = 0; p < rays_of(a)->partition_count; p++) {
        const SinoPartition *partition = &rays_of(a)->partition[p];
        SinoData *data = a->minibatch->vector[VOXELS][p];
        void *memory;
        assert_success(sino_data_acquire(data, write ? SINO_WRITE : SINO_READ, &memory));
        for (int64_t v = 0; v < partition->voxel_count; v++) {
            const SinoTilePlace tile = partition->tile[v / SINO_TILE_VOXELS];
            const int64_t row = sino_tile_first_voxel(size, tile.row) + v % SINO_TILE_VOXELS / SINO_TILE;
            const int64_t column = sino_tile_first_voxel(size, tile.column) + v % SINO_TILE;
            const bool inside = row >= 0 && column >= 0 && row < size && column < size;
            double *value = inside ? x + (row * size + column) * count : ones;
            if (inside || write) exchange(a, memory, partition->voxel_count, v, write, value);
        }
        sino_data_release(data);
    }
}

void testing_operator_project(TestingOperator *a, const double *x, double *y)
{
    exchange_voxels(a, true, (double *)x);
    assert_success(sino_insert_project(a->minibatch, -1, VOXELS, RAYS));
    assert_success(sino_runtime_wait(a->runtime));
    exchange_rays(a, false, y);
}

void testing_operator_backproject(TestingOperator *a, const double *y, double *x)
{
    exchange_rays(a, true, (double *)y);
    assert_success(sino_insert_backproject(a->minibatch, -1, RAYS, VOXELS));
    assert_success(sino_runtime_wait(a->runtime));
    exchange_voxels(a, false, x);
}

void testing_operator_free(TestingOperator *a)
{
    sino_minibatch_free(a->minibatch);
    sino_operator_free(a->operator);
    free(a->angle_rad);
    assert_success(sino_runtime_stop(a->runtime));
    sino_log_close(a->log);
    free(a);
}
