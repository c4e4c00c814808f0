/* SPDX-License-Identifier: BSD-3-Clause */
/* Pinhole: traces rays view by view. */
#include "pinhole.h"

#include "testing_hdf5_matrix.h"

#include <math.h>

enum {
    PARTS = 2, /* of a voxel along each axis; rays start in the middle of a part */
    STARTS = PARTS * PARTS * PARTS,
    ENDS = 24, /* rays of each part */
    RAYS = STARTS * ENDS,
    WINDOW = 16 /* bins that a voxel reaches, along each axis */
};

/* One view while it is made. */
typedef struct View {
    const PinholeCamera *camera;
    const double (*ray)[4]; /* [RAYS]: a point of the hole, and the deviate at the detector, along x' and z'; mm */
    double cosine, sine;
    int64_t count, room;
    int32_t *bin; /* [entry], as they come: by voxel; owned, as are the following */
    uint32_t *voxel;
    float *value;
    uint32_t *sorted_voxel; /* [entry], by bin */
    float *sorted_value;
    int64_t *start; /* [bin + 1]; of the whole matrix */
} View;

/* The file while it is written. */
typedef struct Output {
    hid_t file, group, indices, values;
    int64_t count; /* entries written */
    PinholeMatrix matrix;
} Output;

/* Place n of the sequence: multiples of the powers of 1/φ, where φ⁵ = φ + 1. */
static void make_rays(const PinholeCamera *camera, double ray[RAYS][4])
{
    const double phi = 1.1673039782614187, pi = 3.14159265358979323846;
    for (int n = 0; n < RAYS; n++) {
        double place[4], step = 1;
        for (int i = 0; i < 4; i++) {
            step /= phi;
            place[i] = (n + 1) * step - floor((n + 1) * step);
        }
        const double hole = camera->hole_diameter_mm / 2 * sqrt(place[0]);
        const double inside = 1 - exp(-camera->blur_limit * camera->blur_limit / 2);
        const double blur = camera->blur_mm * sqrt(-2 * log1p(-place[2] * inside));
        ray[n][0] = hole * cos(2 * pi * place[1]);
        ray[n][1] = hole * sin(2 * pi * place[1]);
        ray[n][2] = blur * cos(2 * pi * place[3]);
        ray[n][3] = blur * sin(2 * pi * place[3]);
    }
}

/* The part within the body of the way from a point to the hole. */
static double way_in_body(const PinholeCamera *camera, const double point[3])
{
    const double step[3] = {-point[0], camera->hole_mm - point[1], -point[2]};
    const double across = step[0] * step[0] + step[1] * step[1], radius = camera->body_radius_mm;
    const double along = point[0] * step[0] + point[1] * step[1];
    const double outside = point[0] * point[0] + point[1] * point[1] - radius * radius;
    const double length = sqrt(across + step[2] * step[2]);
    const double root = along * along - across * outside;
    if (root <= 0) return 0;
    double leave = fmin((-along + sqrt(root)) / across, 1), enter = fmax((-along - sqrt(root)) / across, 0);
    if (step[2] != 0) {
        const double half = copysign(camera->body_length_mm / 2, step[2]);
        leave = fmin(leave, (half - point[2]) / step[2]);
        enter = fmax(enter, (-half - point[2]) / step[2]);
    }
    return leave > enter ? (leave - enter) * length : 0;
}

/* What share of the photons from a point the hole lets through. */
static double efficiency(const PinholeCamera *camera, const double point[3])
{
    const double depth = camera->hole_mm - point[1], reach = tan(camera->acceptance_rad) * depth;
    const double square = point[0] * point[0] + depth * depth + point[2] * point[2];
    if (fabs(point[0]) > reach || fabs(point[2]) > reach) return 0;
    return camera->reference_mm * camera->reference_mm / square * (depth / sqrt(square)) *
           exp(-camera->attenuation * way_in_body(camera, point));
}

static void add_entry(View *view, int64_t bin, int64_t voxel, double value)
{
    if (view->count == view->room) {
        view->room = view->room > 0 ? 2 * view->room : 1 << 20;
        view->bin = realloc(view->bin, (size_t)view->room * sizeof *view->bin);
        view->voxel = realloc(view->voxel, (size_t)view->room * sizeof *view->voxel);
        view->value = realloc(view->value, (size_t)view->room * sizeof *view->value);
        assert_true(view->bin && view->voxel && view->value);
    }
    view->bin[view->count] = (int32_t)bin;
    view->voxel[view->count] = (uint32_t)voxel;
    view->value[view->count++] = (float)value;
}

/* Bins and places in them are counted from the corner of the detector; `corner` is that of the window. */
static void trace_part(const View *view, int part, const double point[3], const int64_t corner[2],
                       float window[WINDOW][WINDOW])
{
    const PinholeCamera *camera = view->camera;
    const double grows = (camera->detector_mm - point[1]) / (camera->hole_mm - point[1]), scale = 1 / camera->bin_mm;
    const double first_x = ((1 - grows) * point[0]) * scale + (double)camera->bin_count / 2 - (double)corner[0];
    const double first_z = ((1 - grows) * point[2]) * scale + (double)camera->slice_count / 2 - (double)corner[1];
    const float value = (float)(efficiency(camera, point) / RAYS);
    for (int i = part * ENDS; i < (part + 1) * ENDS; i++) {
        const double *ray = view->ray[i];
        const int x = (int)(first_x + (ray[0] * grows + ray[2]) * scale);
        const int z = (int)(first_z + (ray[1] * grows + ray[3]) * scale);
        assert_true(x >= 0 && x < WINDOW && z >= 0 && z < WINDOW);
        /* cppcheck-suppress negativeIndex; such a test has ended above */
        window[z][x] += value;
    }
}

/* The point of the voxel at these shares of its sides, in the frame of the view. */
static void place_point(const View *view, const int64_t index[3], const double share[3], double point[3])
{
    const SinoVoxelGrid *grid = &view->camera->grid;
    const double x = ((double)index[0] + share[0] - (double)grid->x_count / 2) * grid->size[0];
    const double y = ((double)index[1] + share[1] - (double)grid->y_count / 2) * grid->size[1];
    point[0] = x * view->cosine + y * view->sine;
    point[1] = -x * view->sine + y * view->cosine;
    point[2] = ((double)index[2] + share[2] - (double)grid->z_count / 2) * grid->size[2];
}

static void trace_voxel(View *view, const int64_t index[3])
{
    static const double middle[3] = {0.5, 0.5, 0.5};
    const PinholeCamera *camera = view->camera;
    float window[WINDOW][WINDOW] = {{0}};
    double point[3];
    place_point(view, index, middle, point);
    if (point[0] * point[0] + point[1] * point[1] > camera->object_radius_mm * camera->object_radius_mm) return;
    const double grows = (camera->detector_mm - point[1]) / (camera->hole_mm - point[1]);
    const int64_t corner[2] = {
        (int64_t)floor((1 - grows) * point[0] / camera->bin_mm + (double)(camera->bin_count - WINDOW) / 2),
        (int64_t)floor((1 - grows) * point[2] / camera->bin_mm + (double)(camera->slice_count - WINDOW) / 2)};
    for (int part = 0; part < STARTS; part++) {
        const double share[3] = {(part % PARTS + 0.5) / PARTS, (part / PARTS % PARTS + 0.5) / PARTS,
                                 (part / PARTS / PARTS + 0.5) / PARTS};
        place_point(view, index, share, point);
        trace_part(view, part, point, corner, window);
    }
    const int64_t voxel = (index[2] * camera->grid.y_count + index[1]) * camera->grid.x_count + index[0];
    for (int64_t i = 0; i < WINDOW * WINDOW; i++) {
        const int64_t x = corner[0] + i % WINDOW, z = corner[1] + i / WINDOW;
        if (window[i / WINDOW][i % WINDOW] <= 0 || x < 0 || x >= camera->bin_count || z < 0 || z >= camera->slice_count)
            continue;
        add_entry(view, z * camera->bin_count + x, voxel, window[i / WINDOW][i % WINDOW]);
    }
}

/* Entries by bin; those of a bin stay by voxel. */
static void sort_view(View *view)
{
    const int64_t bins = view->camera->slice_count * view->camera->bin_count;
    const size_t count = (size_t)view->count + 1;
    int64_t *next = malloc((size_t)bins * sizeof *next);
    free(view->sorted_voxel);
    free(view->sorted_value);
    view->sorted_voxel = calloc(count, sizeof *view->sorted_voxel);
    view->sorted_value = calloc(count, sizeof *view->sorted_value);
    assert_true(next && view->sorted_voxel && view->sorted_value);
    memset(view->start, 0, (size_t)(bins + 1) * sizeof *view->start);
    for (int64_t i = 0; i < view->count; i++) view->start[view->bin[i] + 1]++;
    for (int64_t i = 0; i < bins; i++) view->start[i + 1] += view->start[i];
    memcpy(next, view->start, (size_t)bins * sizeof *next);
    for (int64_t i = 0; i < view->count; i++) {
        const int64_t at = next[view->bin[i]]++;
        view->sorted_voxel[at] = view->voxel[i];
        view->sorted_value[at] = view->value[i];
    }
    free(next);
}

static void trace_view(View *view, int64_t number)
{
    const SinoVoxelGrid *grid = &view->camera->grid;
    const double angle = view->camera->first_angle_rad + (double)number * view->camera->angle_step_rad;
    view->cosine = cos(angle);
    view->sine = sin(angle);
    view->count = 0;
    for (int64_t i = 0; i < grid->x_count * grid->y_count * grid->z_count; i++) {
        const int64_t index[3] = {i % grid->x_count, i / grid->x_count % grid->y_count,
                                  i / grid->x_count / grid->y_count};
        trace_voxel(view, index);
    }
    sort_view(view);
}

/* A dataset that grows. */
static hid_t open_list(hid_t group, const char *name, hid_t type)
{
    const hsize_t size = 0, chunk = 1 << 18, limit = H5S_UNLIMITED;
    const hid_t space = H5Screate_simple(1, &size, &limit), creation = H5Pcreate(H5P_DATASET_CREATE);
    assert_true(space >= 0 && H5Pset_chunk(creation, 1, &chunk) >= 0);
    const hid_t list = H5Dcreate2(group, name, type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    assert_true(list >= 0 && H5Pclose(creation) >= 0 && H5Sclose(space) >= 0);
    return list;
}

static void append(hid_t list, hid_t type, int64_t before, int64_t count, const void *values)
{
    const hsize_t size = (hsize_t)before + (hsize_t)count, first = (hsize_t)before, length = (hsize_t)count;
    assert_true(H5Dset_extent(list, &size) >= 0);
    const hid_t space = H5Dget_space(list), memory = H5Screate_simple(1, &length, NULL);
    assert_true(H5Sselect_hyperslab(space, H5S_SELECT_SET, &first, NULL, &length, NULL) >= 0);
    assert_true(H5Dwrite(list, type, memory, space, H5P_DEFAULT, values) >= 0);
    assert_true(H5Sclose(memory) >= 0 && H5Sclose(space) >= 0);
}

static void open_output(const PinholeCamera *camera, const char *path, Output *output)
{
    const SinoVoxelGrid *grid = &camera->grid;
    PinholeMatrix *matrix = &output->matrix;
    matrix->row_count = camera->view_count * camera->slice_count * camera->bin_count;
    matrix->voxel_count = grid->x_count * grid->y_count * grid->z_count;
    matrix->start = calloc((size_t)matrix->row_count + 1, sizeof *matrix->start);
    matrix->sensitivity = calloc((size_t)matrix->voxel_count, sizeof *matrix->sensitivity);
    assert_true(matrix->start && matrix->sensitivity);
    output->file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    output->group = H5Gcreate2(output->file, "/matrix", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(output->group >= 0);
    output->indices = open_list(output->group, "indices", H5T_STD_U32LE);
    output->values = open_list(output->group, "data", H5T_IEEE_F32LE);
}

/* Writes a view, whose first row is this. */
static void write_view(const View *view, int64_t first_row, Output *output)
{
    const int64_t bins = view->camera->slice_count * view->camera->bin_count;
    append(output->indices, H5T_NATIVE_UINT32, output->count, view->count, view->sorted_voxel);
    append(output->values, H5T_NATIVE_FLOAT, output->count, view->count, view->sorted_value);
    for (int64_t i = 1; i <= bins; i++) output->matrix.start[first_row + i] = output->count + view->start[i];
    for (int64_t i = 0; i < view->count; i++) output->matrix.sensitivity[view->voxel[i]] += (double)view->value[i];
    output->count += view->count;
}

static void close_output(Output *output)
{
    const PinholeMatrix *matrix = &output->matrix;
    const int64_t shape[] = {matrix->row_count, matrix->voxel_count};
    testing_hdf5_array(output->group, "indptr", H5T_STD_I64LE, H5T_NATIVE_INT64, false, matrix->row_count + 1,
                       matrix->start);
    testing_text_attribute(output->group, "encoding-type", false, "csr_matrix");
    testing_attribute(output->group, "shape", H5T_NATIVE_INT64, 2, shape);
    assert_true(H5Dclose(output->indices) >= 0 && H5Dclose(output->values) >= 0);
    assert_true(H5Gclose(output->group) >= 0 && H5Fclose(output->file) >= 0);
}

PinholeMatrix pinhole_write(const PinholeCamera *camera, const char *path)
{
    const int64_t bins = camera->slice_count * camera->bin_count;
    static double ray[RAYS][4];
    View view = {.camera = camera, .ray = (const double(*)[4])ray};
    Output output = {.count = 0};
    make_rays(camera, ray);
    view.start = calloc((size_t)bins + 1, sizeof *view.start);
    assert_non_null(view.start);
    open_output(camera, path, &output);
    for (int64_t k = 0; k < camera->view_count; k++) {
        trace_view(&view, k);
        write_view(&view, k * bins, &output);
    }
    close_output(&output);
    free(view.start);
    free(view.bin);
    free(view.voxel);
    free(view.value);
    free(view.sorted_voxel);
    free(view.sorted_value);
    return output.matrix;
}

void pinhole_free(PinholeMatrix *matrix)
{
    free(matrix->start);
    free(matrix->sensitivity);
}
