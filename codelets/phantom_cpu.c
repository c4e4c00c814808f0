/* SPDX-License-Identifier: BSD-3-Clause */
/* Phantom: a head of ellipsoids after Shepp & Logan (Kak & Slaney, ch. 3, table 3.1; in three dimensions Yu, Ye & Wang,
 * Proc. SPIE 6318 (2006)), with chords 2ab·√(A² − t²)/A², A² = a²cos²(θ−φ) + b²sin²(θ−φ), as line integrals. */
#include "phantom.h"

#include "random_stream.h"

#include <math.h>
#include <string.h>

/* One ellipsoid, tilted about z only, so that every slice of it is an ellipse. Lengths are shares of half the grid. */
typedef struct PhantomEllipsoid {
    double value;    /* added inside */
    double a, b, c;  /* half-axes */
    double x, y, z;  /* center */
    double tilt_deg; /* from x to a */
} PhantomEllipsoid;

/* The values make details visible: skull 1, brain 1/4, ventricles 0, details 1/8 more. Their sums are exact in binary
 * and so never below 0. The details are taller than published and closer to the middle, so that the middle slice shows
 * all of them. */
static const PhantomEllipsoid ellipsoids[] = {
    {1, 0.69, 0.92, 0.81, 0, 0, 0, 0},
    {-0.75, 0.6624, 0.874, 0.78, 0, -0.0184, 0, 0},
    {-0.25, 0.11, 0.31, 0.22, 0.22, 0, 0, -18},
    {-0.25, 0.16, 0.41, 0.28, -0.22, 0, 0, 18},
    {0.125, 0.21, 0.25, 0.41, 0, 0.35, -0.15, 0},
    {0.125, 0.046, 0.046, 0.2, 0, 0.1, 0.1, 0},
    {0.125, 0.046, 0.046, 0.2, 0, -0.1, -0.1, 0},
    {0.125, 0.046, 0.023, 0.15, -0.08, -0.605, 0.05, 0},
    {0.125, 0.023, 0.023, 0.12, 0, -0.606, 0, 0},
    {0.125, 0.023, 0.046, 0.15, 0.06, -0.605, -0.05, 0},
};
enum { ELLIPSOID_COUNT = sizeof ellipsoids / sizeof ellipsoids[0] };

/* The largest line integral of all slices, with half the grid as the unit of length. Attenuation is scaled so that it
 * becomes 2. */
static const double longest_path = 0.62;

/* Slices lie between −0.9 and 0.9 of the skull's half-height, or in the whole grid. */
static double slice_extent(const SinoPhantom *phantom)
{
    return phantom->whole ? 1 : 0.9 * 0.81;
}

/* Sample points along each side of a voxel. */
enum { SAMPLES = 8 };

/* An ellipse of one slice; lengths in voxels. */
typedef struct PhantomEllipse {
    double value, a, b, x, y, tilt_rad;
} PhantomEllipse;

/* Attenuation per voxel of material with the value 1. */
static double unit_attenuation(const SinoPhantom *phantom)
{
    return 2 / (longest_path * (double)phantom->size / 2);
}

/* Finds the ellipses of slice z; returns their number. */
static int cut_slice(const SinoPhantom *phantom, int64_t z, PhantomEllipse ellipse[ELLIPSOID_COUNT])
{
    const double half = (double)phantom->size / 2;
    const double height = slice_extent(phantom) * (2 * ((double)z + 0.5) / (double)phantom->height - 1);
    int count = 0;
    for (int i = 0; i < ELLIPSOID_COUNT; i++) {
        const PhantomEllipsoid *e = &ellipsoids[i];
        const double share = (height - e->z) / e->c;
        if (fabs(share) >= 1) continue;
        const double section = sqrt(1 - share * share) * half;
        ellipse[count++] = (PhantomEllipse){e->value,    section * e->a, section * e->b,
                                            half * e->x, half * e->y,    e->tilt_deg * M_PI / 180};
    }
    return count;
}

/* The norm of (x, y) − center in which the ellipse is the unit disk. */
static double ellipse_norm(const PhantomEllipse *ellipse, double cos_tilt, double sin_tilt, double x, double y)
{
    const double u = (x - ellipse->x) * cos_tilt + (y - ellipse->y) * sin_tilt;
    const double v = (y - ellipse->y) * cos_tilt - (x - ellipse->x) * sin_tilt;
    return hypot(u / ellipse->a, v / ellipse->b);
}

/* The share of the sample points of the voxel at (x, y) that lie inside the ellipse. Only a voxel on the border needs
 * sampling: in the ellipse's norm no point of a voxel is farther than √½/min(a, b) from the voxel's center. */
static double voxel_share(const PhantomEllipse *ellipse, double cos_tilt, double sin_tilt, double x, double y)
{
    const double reach = M_SQRT1_2 / fmin(ellipse->a, ellipse->b);
    const double norm = ellipse_norm(ellipse, cos_tilt, sin_tilt, x, y);
    if (norm > 1 + reach) return 0;
    if (norm < 1 - reach) return 1;
    int inside = 0;
    for (int i = 0; i < SAMPLES * SAMPLES; i++) {
        const int row = i / SAMPLES, column = i % SAMPLES;
        const double dx = (column + 0.5) / SAMPLES - 0.5;
        const double dy = (row + 0.5) / SAMPLES - 0.5;
        inside += ellipse_norm(ellipse, cos_tilt, sin_tilt, x + dx, y + dy) <= 1;
    }
    return (double)inside / (SAMPLES * SAMPLES);
}

static void add_ellipse(const PhantomEllipse *ellipse, int64_t size, float *slice)
{
    const double cos_tilt = cos(ellipse->tilt_rad), sin_tilt = sin(ellipse->tilt_rad);
    const double middle = (double)(size - 1) / 2;
    for (int64_t i = 0; i < size; i++) {
        for (int64_t j = 0; j < size; j++) {
            const double x = (double)j - middle, y = middle - (double)i;
            slice[i * size + j] += (float)(ellipse->value * voxel_share(ellipse, cos_tilt, sin_tilt, x, y));
        }
    }
}

void sino_phantom_slice(const SinoPhantom *phantom, int64_t z, float *slice)
{
    PhantomEllipse ellipse[ELLIPSOID_COUNT];
    const int count = cut_slice(phantom, z, ellipse);
    const int64_t voxel_count = phantom->size * phantom->size;
    memset(slice, 0, (size_t)voxel_count * sizeof *slice);
    for (int i = 0; i < count; i++) add_ellipse(&ellipse[i], phantom->size, slice);
    const float unit = (float)unit_attenuation(phantom);
    for (int64_t v = 0; v < voxel_count; v++) slice[v] *= unit;
}

/* Adds the chords of one projection's rays; `scale` is the attenuation per unit of length for the value 1. */
static void add_chords(const PhantomEllipse *ellipse, double scale, double angle_rad, double center,
                       int64_t column_count, double *projection)
{
    const double along_a = ellipse->a * cos(angle_rad - ellipse->tilt_rad);
    const double along_b = ellipse->b * sin(angle_rad - ellipse->tilt_rad);
    const double extent_squared = along_a * along_a + along_b * along_b;
    const double factor = 2 * ellipse->a * ellipse->b / extent_squared * ellipse->value * scale;
    const double middle = center + ellipse->x * cos(angle_rad) + ellipse->y * sin(angle_rad);
    for (int64_t c = 0; c < column_count; c++) {
        const double t = (double)c - middle;
        const double rest = extent_squared - t * t;
        if (rest > 0) projection[c] += factor * sqrt(rest);
    }
}

void sino_phantom_sinogram(const SinoPhantom *phantom, int64_t z, const SinoGeometry *geometry, double *sinogram)
{
    PhantomEllipse ellipse[ELLIPSOID_COUNT];
    const int count = cut_slice(phantom, z, ellipse);
    const double scale = unit_attenuation(phantom);
    const int64_t column_count = geometry->column_count;
    memset(sinogram, 0, (size_t)sino_geometry_ray_count(geometry) * sizeof *sinogram);
    for (int64_t k = 0; k < geometry->angle_count; k++) {
        for (int i = 0; i < count; i++) {
            add_chords(&ellipse[i], scale, geometry->angle_rad[k], geometry->center, column_count,
                       sinogram + k * column_count);
        }
    }
}

/* A point or a direction, in voxels from the middle of the grid. */
typedef struct Vector {
    double x, y, z;
} Vector;

/* An ellipsoid in voxels: turning by −tilt and dividing by the half-axes makes it the unit ball. */
typedef struct PhantomBall {
    double value, cos_tilt, sin_tilt;
    Vector middle, half_axis;
} PhantomBall;

static PhantomBall ball_of(const SinoPhantom *phantom, const PhantomEllipsoid *e)
{
    const double half = (double)phantom->size / 2, high = (double)phantom->height / 2 / slice_extent(phantom);
    return (PhantomBall){.value = e->value,
                         .cos_tilt = cos(e->tilt_deg * M_PI / 180),
                         .sin_tilt = sin(e->tilt_deg * M_PI / 180),
                         .middle = {half * e->x, half * e->y, high * e->z},
                         .half_axis = {half * e->a, half * e->b, high * e->c}};
}

static Vector to_unit_ball(const PhantomBall *ball, Vector v)
{
    return (Vector){(v.x * ball->cos_tilt + v.y * ball->sin_tilt) / ball->half_axis.x,
                    (v.y * ball->cos_tilt - v.x * ball->sin_tilt) / ball->half_axis.y, v.z / ball->half_axis.z};
}

static double dot(Vector a, Vector b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

/* Length in the ball of the line from `source` along a direction of length 1. */
static double chord_in_ball(const PhantomBall *ball, Vector source, Vector direction)
{
    const Vector from = {source.x - ball->middle.x, source.y - ball->middle.y, source.z - ball->middle.z};
    const Vector o = to_unit_ball(ball, from), d = to_unit_ball(ball, direction);
    const double square = dot(d, d), along = dot(o, d) / square;
    const Vector nearest = {o.x - along * d.x, o.y - along * d.y, o.z - along * d.z};
    const double rest = 1 - dot(nearest, nearest);
    return rest > 0 ? 2 * sqrt(rest / square) : 0;
}

void sino_phantom_cone(const SinoPhantom *phantom, const SinoCone *cone, int64_t angle, double *projection)
{
    const double cosine = cos(cone->angle_rad[angle]), sine = sin(cone->angle_rad[angle]);
    const double distance = cone->source_object / cone->voxel_size, scale = unit_attenuation(phantom);
    const Vector source = {distance * sine, -distance * cosine, 0};
    PhantomBall ball[ELLIPSOID_COUNT];
    for (int i = 0; i < ELLIPSOID_COUNT; i++) ball[i] = ball_of(phantom, &ellipsoids[i]);
    for (int64_t pixel = 0; pixel < cone->row_count * cone->column_count; pixel++) {
        const int64_t row = pixel / cone->column_count, column = pixel % cone->column_count;
        const double side = ((double)column - cone->center) * cone->pixel_width;
        const double up = ((double)row - cone->center_row) * cone->pixel_height;
        const double length = hypot(hypot(side, up), cone->source_detector);
        const double forth = cone->source_detector / length, across = side / length;
        const Vector direction = {across * cosine - forth * sine, across * sine + forth * cosine, up / length};
        double sum = 0;
        for (int i = 0; i < ELLIPSOID_COUNT; i++) sum += ball[i].value * chord_in_ball(&ball[i], source, direction);
        projection[pixel] = scale * sum;
    }
}

/* By inversion: the first count whose cumulative probability exceeds one uniform deviate. */
static double small_poisson(double mean, SinoRandomStream *stream)
{
    double probability = exp(-mean);
    double rest = sino_random_uniform(stream) - probability;
    double count = 0;
    while (rest > 0 && probability > 0) {
        count++;
        probability *= mean / count;
        rest -= probability;
    }
    return count;
}

/* By transformed rejection with squeeze, algorithm PTRS of W. Hörmann, Insurance: Math. and Econ. 12, 39 (1993). */
static double large_poisson(double mean, SinoRandomStream *stream)
{
    const double b = 0.931 + 2.53 * sqrt(mean);
    const double a = -0.059 + 0.02483 * b;
    const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4);
    const double squeeze = 0.9277 - 3.6224 / (b - 2);
    for (;;) {
        const double u = sino_random_uniform(stream) - 0.5;
        const double v = sino_random_uniform(stream);
        const double margin = 0.5 - fabs(u);
        const double count = floor((2 * a / margin + b) * u + mean + 0.43);
        if (margin >= 0.07 && v <= squeeze) return count;
        if (count < 0 || (margin < 0.013 && v > margin)) continue;
        int sign; /* lgamma would store the sign in a global variable */
        const double log_probability = count * log(mean) - mean - lgamma_r(count + 1, &sign);
        if (log(v * inverse_alpha / (a / (margin * margin) + b)) <= log_probability) return count;
    }
}

double sino_phantom_poisson(double mean, uint64_t seed, uint64_t index)
{
    SinoRandomStream stream = sino_random_stream(seed, index);
    if (!(mean > 0)) return 0;
    return mean < 10 ? small_poisson(mean, &stream) : large_poisson(mean, &stream);
}
