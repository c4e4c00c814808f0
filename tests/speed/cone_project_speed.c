/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone project, speed: updates (voxels × angles) per second of CPU time of both directions, on one thread, beside
 * Siddon's exact lengths ray by ray, and beside the same orbit tilted, whose projections have vectors; and how far the
 * rays of the voxelised phantom are from its exact line integrals. */
#include "cone_project_isa.h"
#include "memory.h"
#include "phantom.h"
#include "testing.h"
#include "vector.h"

#include <math.h>
#include <time.h>

static double cpu_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* R. L. Siddon's sum over one ray (Med. Phys. 12, 252, 1985), in the incremental form of F. Jacobs et al. */
static float siddon(const SinoCone *cone, int64_t angle, int64_t column, int64_t row, const float *voxels)
{
    const double c = cos(cone->angle_rad[angle]), s = sin(cone->angle_rad[angle]), far = cone->source_detector;
    const double u = ((double)column - cone->center) * cone->pixel_width;
    const double v = ((double)row - cone->center_row) * cone->pixel_height, sign[3] = {1, -1, 1};
    const double source[3] = {cone->source_object * s, -cone->source_object * c, 0};
    const double line[3] = {u * c - far * s, far * c + u * s, v};
    const int64_t count[3] = {cone->x_count, cone->y_count, cone->z_count};
    const int64_t stride[3] = {cone->z_count, cone->x_count * cone->z_count, 1};
    double from[3], step[3], enter = 0, leave = 1e30, next[3], each[3], length = 0;
    int64_t at[3], offset = 0;
    for (int i = 0; i < 3; i++) {
        from[i] = sign[i] * source[i] / cone->voxel_size + 0.5 * (double)count[i];
        step[i] = sign[i] * line[i] / cone->voxel_size;
        length += step[i] * step[i];
        if (step[i] == 0 && !(from[i] >= 0 && from[i] < (double)count[i])) return 0;
        const double a = -from[i] / step[i], b = ((double)count[i] - from[i]) / step[i];
        if (step[i] != 0) enter = fmax(enter, fmin(a, b)), leave = fmin(leave, fmax(a, b));
    }
    if (!(enter < leave)) return 0;
    for (int i = 0; i < 3; i++) {
        const double place = from[i] + step[i] * enter;
        at[i] = sino_larger(0, sino_smaller(count[i] - 1, (int64_t)floor(place)));
        next[i] = step[i] == 0 ? 1e30 : ((double)(at[i] + (step[i] > 0)) - from[i]) / step[i];
        each[i] = step[i] == 0 ? 0 : fabs(1 / step[i]);
        offset += at[i] * stride[i];
    }
    double sum = 0;
    while (enter < leave) {
        const int i = next[0] < next[1] ? (next[0] < next[2] ? 0 : 2) : next[1] < next[2] ? 1 : 2;
        const double end = fmin(next[i], leave);
        sum += fmax(0, end - enter) * (double)voxels[offset];
        enter = end;
        next[i] += each[i];
        at[i] += step[i] > 0 ? 1 : -1;
        offset += step[i] > 0 ? stride[i] : -stride[i];
        if (at[i] < 0 || at[i] >= count[i]) break;
    }
    return (float)(sum * sqrt(length));
}

/* Root of the mean squared difference from the exact line integrals, in percent of the largest. */
static double error_percent(int64_t size, const SinoCone *cone, const float *rays)
{
    const SinoPhantom phantom = {.size = size, .height = size, .whole = true};
    const int64_t pixels = cone->row_count * cone->column_count;
    double *exact = NULL, sum = 0, most = 0;
    assert_success(sino_allocate(pixels, sizeof *exact, "test", &exact));
    for (int64_t k = 0; k < cone->angle_count; k += 9) {
        sino_phantom_cone(&phantom, cone, k, exact);
        for (int64_t i = 0; i < pixels; i++) {
            const int64_t row = i / cone->column_count, column = i % cone->column_count;
            const double error = (double)rays[(k * cone->column_count + column) * cone->row_count + row] - exact[i];
            sum += error * error;
            most = fmax(most, exact[i]);
        }
    }
    free(exact);
    return 100 * sqrt(sum / (double)(pixels * ((cone->angle_count + 8) / 9))) / most;
}

/* Memory of the measurements of one size. */
typedef struct Vectors {
    float *volume, *sum, *ray; /* [y][x][z], [y][x][z], [angle][column][row] */
    void *scratch;
} Vectors;

enum { ANGLES = 90 };

static void new_vectors(const SinoCone *cone, Vectors *of)
{
    const int64_t size = cone->x_count, voxels = size * size * size;
    const SinoPhantom phantom = {.size = size, .height = size, .whole = true};
    float *slice = NULL;
    assert_success(sino_allocate(voxels, sizeof *of->volume, "test", &of->volume));
    assert_success(sino_allocate(voxels, sizeof *of->sum, "test", &of->sum));
    assert_success(sino_allocate(ANGLES * size * size, sizeof *of->ray, "test", &of->ray));
    const SinoView any = {0};
    SinoCone widest = *cone;
    widest.view = &any;
    widest.angle_count = 1;
    assert_success(sino_allocate(sino_cone_project_scratch_bytes(&widest), 1, "test", &of->scratch));
    assert_success(sino_allocate(size * size, sizeof *slice, "test", &slice));
    for (int64_t z = 0; z < size; z++) {
        sino_phantom_slice(&phantom, z, slice);
        for (int64_t i = 0; i < size * size; i++) of->volume[i * size + z] = slice[i];
    }
    free(slice);
}

static void measure_siddon(const SinoCone *cone, const Vectors *of, double updates)
{
    const int64_t size = cone->x_count;
    const double begin = cpu_s();
    for (int64_t k = 0; k < ANGLES; k += 9)
        for (int64_t c = 0; c < size; c++)
            for (int64_t r = 0; r < size; r++) of->ray[(k * size + c) * size + r] = siddon(cone, k, c, r, of->volume);
    const double taken = cpu_s() - begin;
    printf("| %d | Siddon, ray by ray | %.3f | | %.3f |\n", (int)size, updates / 9 / taken,
           error_percent(size, cone, of->ray));
}

static void measure_isa(const SinoConeProjectIsa *isa, const SinoCone *cone, const Vectors *of, double updates,
                        const char *remark)
{
    const int64_t size = cone->x_count, voxels = size * size * size, rays = ANGLES * size * size;
    double best[2] = {1e30, 1e30}, percent = 0;
    for (int repeat = 0; repeat < 3; repeat++)
        for (int back = 0; back < 2; back++) {
            memset(back ? of->sum : of->ray, 0, (size_t)(back ? voxels : rays) * sizeof(float));
            const double begin = cpu_s();
            sino_cone_project_with(isa, back, cone, (SinoConeBand){0, size}, (SinoConeAngles){0, ANGLES},
                                   back ? of->ray : of->volume, of->scratch, back ? of->sum : of->ray);
            best[back] = fmin(best[back], cpu_s() - begin);
            if (!back && !cone->view) percent = error_percent(size, cone, of->ray);
        }
    printf("| %d | %s%s | %.3f | %.3f | %.3f |\n", (int)size, isa->name, remark, updates / best[0], updates / best[1],
           percent);
}

/* The orbit with its axis tilted towards the source. */
static void tilt(const SinoCone *cone, double tilt_rad, SinoView view[ANGLES])
{
    for (int k = 0; k < ANGLES; k++) {
        const SinoView level = sino_cone_orbit_view(cone, 0);
        const double c = cos(tilt_rad), s = sin(tilt_rad), turn = cone->angle_rad[k];
        const double *const from[] = {level.source, level.first, level.column, level.row};
        double *const to[] = {view[k].source, view[k].first, view[k].column, view[k].row};
        for (int i = 0; i < 4; i++) {
            const double y = c * from[i][1] - s * from[i][2], z = s * from[i][1] + c * from[i][2];
            to[i][0] = from[i][0] * cos(turn) - y * sin(turn);
            to[i][1] = from[i][0] * sin(turn) + y * cos(turn);
            to[i][2] = z;
        }
        view[k].parallel = false;
    }
}

static void measure(int64_t size)
{
    static const SinoConeProjectIsa *const isas[] = {
        &sino_cone_project_plain,
#ifdef __x86_64__
        &sino_cone_project_avx2,
        &sino_cone_project_avx512,
#endif
    };
    static const int64_t bytes[] = {0, 32, 64};
    double angle_rad[ANGLES];
    for (int k = 0; k < ANGLES; k++) angle_rad[k] = 2 * SINO_PI * k / ANGLES;
    const double middle = 0.5 * (double)(size - 1), updates = 1e-9 * ANGLES * (double)(size * size * size);
    const SinoCone cone = {.angle_count = ANGLES,
                           .column_count = size,
                           .row_count = size,
                           .x_count = size,
                           .y_count = size,
                           .z_count = size,
                           .angle_rad = angle_rad,
                           .source_object = 4 * (double)size,
                           .source_detector = 6 * (double)size,
                           .pixel_width = 1.5,
                           .pixel_height = 1.5,
                           .voxel_size = 1,
                           .center = middle,
                           .center_row = middle};
    Vectors of = {0};
    new_vectors(&cone, &of);
    measure_siddon(&cone, &of, updates);
    for (size_t i = 0; i < sizeof isas / sizeof *isas; i++)
        if (sino_vector_bytes() >= bytes[i]) measure_isa(isas[i], &cone, &of, updates, "");
    for (int degrees = 0; degrees <= 30; degrees += 10) {
        char remark[32];
        SinoView view[ANGLES] = {0};
        SinoCone tilted = cone;
        tilt(&cone, degrees * SINO_PI / 180, view);
        tilted.view = view;
        snprintf(remark, sizeof remark, ", tilted by %d degrees", degrees);
        for (size_t i = 0; i < sizeof isas / sizeof *isas; i++)
            if (sino_vector_bytes() >= bytes[i]) measure_isa(isas[i], &tilted, &of, updates, remark);
    }
    free(of.volume);
    free(of.sum);
    free(of.ray);
    free(of.scratch);
}

int main(int count, char **argument)
{
    printf("| size | way | project, 1e9/s | backproject, 1e9/s | error, %% |\n| --- | --- | --- | --- | --- |\n");
    measure(64);
    measure(128);
    if (count > 1 && strcmp(argument[1], "full") == 0) measure(256);
    return 0;
}
