/* SPDX-License-Identifier: BSD-3-Clause */
/* Phantom: a head of ellipsoids after Shepp & Logan (Kak & Slaney, ch. 3, table 3.1; in three dimensions Yu, Ye & Wang,
 * Proc. SPIE 6318 (2006)), with chords 2ab·√(A² − t²)/A², A² = a²cos²(θ−φ) + b²sin²(θ−φ), as line integrals. */
#include "phantom.h"

#include "arithmetic.h"
#include "phantom_texture.h"
#include "random_stream.h"

#include <math.h>
#include <string.h>

/* The values make details visible: skull 1, brain 1/4, ventricles 0, details 1/8 more. Their sums are exact in binary
 * and so never below 0. The details are taller than published and closer to the middle, so that the middle slice shows
 * all of them. */
static const SinoEllipsoid ellipsoids[] = {
    {1, 0.69, 0.92, 0.81, 0, 0, 0, 0, false},
    {-0.75, 0.6624, 0.874, 0.78, 0, -0.0184, 0, 0, false},
    {-0.25, 0.11, 0.31, 0.22, 0.22, 0, 0, -18, false},
    {-0.25, 0.16, 0.41, 0.28, -0.22, 0, 0, 18, false},
    {0.125, 0.21, 0.25, 0.41, 0, 0.35, -0.15, 0, false},
    {0.125, 0.046, 0.046, 0.2, 0, 0.1, 0.1, 0, false},
    {0.125, 0.046, 0.046, 0.2, 0, -0.1, -0.1, 0, false},
    {0.125, 0.046, 0.023, 0.15, -0.08, -0.605, 0.05, 0, false},
    {0.125, 0.023, 0.023, 0.12, 0, -0.606, 0, 0, false},
    {0.125, 0.023, 0.046, 0.15, 0.06, -0.605, -0.05, 0, false},
};
enum { ELLIPSOID_COUNT = sizeof ellipsoids / sizeof ellipsoids[0] };

/* The largest line integral of all slices of the head, and of the texture, with half the grid as the unit of length.
 * Attenuation is scaled so that it becomes 2. */
static const double longest_path = 0.62, longest_of_texture = 1.13;

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
    bool smooth; /* the value is multiplied by (1 − ρ²)², where ρ is 1 on the border */
} PhantomEllipse;

/* Attenuation per voxel of material with the value 1. */
static double unit_attenuation(const SinoPhantom *phantom)
{
    return 2 / ((phantom->textured ? longest_of_texture : longest_path) * (double)phantom->size / 2);
}

/* Of slice z, as a share of half the grid. */
static double height_of(const SinoPhantom *phantom, int64_t z)
{
    return slice_extent(phantom) * (2 * ((double)z + 0.5) / (double)phantom->height - 1);
}

/* The section of an ellipsoid that the plane of this height meets. */
static PhantomEllipse section_of(const SinoPhantom *phantom, double height, const SinoEllipsoid *e)
{
    const double half = (double)phantom->size / 2;
    const double share = (height - e->z) / e->c, rest = 1 - share * share;
    const double section = sqrt(rest) * half, value = e->smooth ? e->value * rest * rest : e->value;
    return (PhantomEllipse){value,       section * e->a,           section * e->b, half * e->x,
                            half * e->y, e->tilt_deg * M_PI / 180, e->smooth};
}

/* What is done with every ellipse of a slice. */
typedef struct Section {
    const SinoPhantom *phantom;
    double height;
    const SinoGeometry *geometry; /* NULL: voxels are wanted */
    float *slice;
    double *sinogram;
} Section;

/* The norm of (x, y) − center in which the ellipse is the unit disk. */
static double ellipse_norm(const PhantomEllipse *ellipse, double cos_tilt, double sin_tilt, double x, double y)
{
    const double u = (x - ellipse->x) * cos_tilt + (y - ellipse->y) * sin_tilt;
    const double v = (y - ellipse->y) * cos_tilt - (x - ellipse->x) * sin_tilt;
    return hypot(u / ellipse->a, v / ellipse->b);
}

/* The mean over the sample points of the voxel at (x, y) of what the ellipse adds to the value 1. Only a voxel on the
 * border, or of a smooth ellipse, needs sampling: in the ellipse's norm no point of a voxel is farther than √½/min(a,
 * b) from the voxel's center. */
static double voxel_share(const PhantomEllipse *ellipse, double cos_tilt, double sin_tilt, double x, double y)
{
    const double reach = M_SQRT1_2 / fmin(ellipse->a, ellipse->b);
    const double norm = ellipse_norm(ellipse, cos_tilt, sin_tilt, x, y);
    double sum = 0;
    if (norm > 1 + reach) return 0;
    if (norm < 1 - reach && !ellipse->smooth) return 1;
    for (int i = 0; i < SAMPLES * SAMPLES; i++) {
        const int row = i / SAMPLES, column = i % SAMPLES;
        const double dx = (column + 0.5) / SAMPLES - 0.5;
        const double dy = (row + 0.5) / SAMPLES - 0.5;
        const double at = ellipse_norm(ellipse, cos_tilt, sin_tilt, x + dx, y + dy), rest = 1 - at * at;
        sum += at > 1 ? 0 : ellipse->smooth ? rest * rest : 1;
    }
    return sum / (SAMPLES * SAMPLES);
}

/* The voxels from `first` to before `end` along an axis may lie within `reach` of the coordinate `at`. */
static void range_of(double at, double reach, int64_t size, int64_t *first, int64_t *end)
{
    *first = sino_larger(0, (int64_t)floor(at - reach) - 1);
    *end = sino_smaller(size, (int64_t)ceil(at + reach) + 2);
}

static void add_ellipse(const PhantomEllipse *ellipse, int64_t size, float *slice)
{
    const double cos_tilt = cos(ellipse->tilt_rad), sin_tilt = sin(ellipse->tilt_rad);
    const double middle = (double)(size - 1) / 2, reach = fmax(ellipse->a, ellipse->b) + 1;
    int64_t left, right, top, bottom;
    range_of(ellipse->x + middle, reach, size, &left, &right);
    range_of(middle - ellipse->y, reach, size, &top, &bottom);
    for (int64_t i = top; i < bottom; i++) {
        for (int64_t j = left; j < right; j++) {
            const double x = (double)j - middle, y = middle - (double)i;
            slice[i * size + j] += (float)(ellipse->value * voxel_share(ellipse, cos_tilt, sin_tilt, x, y));
        }
    }
}

/* Adds the chords of one projection's rays; `scale` is the attenuation per unit of length for the value 1. Along a
 * chord of the unit disk whose half length is h, the integral of 1 is 2h, and that of (1 − ρ²)² is 16/15·h⁵. */
static void add_chords(const PhantomEllipse *ellipse, double scale, double angle_rad, double center,
                       int64_t column_count, double *projection)
{
    const double along_a = ellipse->a * cos(angle_rad - ellipse->tilt_rad);
    const double along_b = ellipse->b * sin(angle_rad - ellipse->tilt_rad);
    const double extent_squared = along_a * along_a + along_b * along_b;
    const double factor = 2 * ellipse->a * ellipse->b / extent_squared * ellipse->value * scale;
    const double middle = center + ellipse->x * cos(angle_rad) + ellipse->y * sin(angle_rad);
    int64_t first, end;
    range_of(middle, sqrt(extent_squared), column_count, &first, &end);
    for (int64_t c = first; c < end; c++) {
        const double t = (double)c - middle;
        const double rest = extent_squared - t * t, share = rest / extent_squared;
        if (rest > 0) projection[c] += factor * sqrt(rest) * (ellipse->smooth ? 8.0 / 15 * share * share : 1);
    }
}

static void add_section(void *context, const SinoEllipsoid *ellipsoid)
{
    const Section *section = context;
    const SinoPhantom *phantom = section->phantom;
    const SinoGeometry *geometry = section->geometry;
    const PhantomEllipse ellipse = section_of(phantom, section->height, ellipsoid);
    if (!geometry) {
        add_ellipse(&ellipse, phantom->size, section->slice);
        return;
    }
    const double scale = unit_attenuation(phantom);
    for (int64_t k = 0; k < geometry->angle_count; k++)
        add_chords(&ellipse, scale, geometry->angle_rad[k], geometry->center, geometry->column_count,
                   section->sinogram + k * geometry->column_count);
}

/* Adds every ellipsoid that the section meets. */
static void add_sections(Section *section)
{
    if (section->phantom->textured) {
        sino_phantom_texture(section->height, add_section, section);
        return;
    }
    for (int i = 0; i < ELLIPSOID_COUNT; i++)
        if (fabs((section->height - ellipsoids[i].z) / ellipsoids[i].c) < 1) add_section(section, &ellipsoids[i]);
}

void sino_phantom_slice(const SinoPhantom *phantom, int64_t z, float *slice)
{
    Section section = {.phantom = phantom, .height = height_of(phantom, z), .slice = slice};
    const int64_t voxel_count = phantom->size * phantom->size;
    memset(slice, 0, (size_t)voxel_count * sizeof *slice);
    add_sections(&section);
    const float unit = (float)unit_attenuation(phantom);
    for (int64_t v = 0; v < voxel_count; v++) slice[v] *= unit;
}

void sino_phantom_sinogram(const SinoPhantom *phantom, int64_t z, const SinoGeometry *geometry, double *sinogram)
{
    Section section = {.phantom = phantom, .height = height_of(phantom, z), .geometry = geometry, .sinogram = sinogram};
    memset(sinogram, 0, (size_t)sino_geometry_ray_count(geometry) * sizeof *sinogram);
    add_sections(&section);
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

static PhantomBall ball_of(const SinoPhantom *phantom, const SinoEllipsoid *e)
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
    const SinoView view = cone->view ? cone->view[angle] : sino_cone_orbit_view(cone, cone->angle_rad[angle]);
    const double scale = unit_attenuation(phantom), size = cone->voxel_size;
    PhantomBall ball[ELLIPSOID_COUNT];
    for (int i = 0; i < ELLIPSOID_COUNT; i++) ball[i] = ball_of(phantom, &ellipsoids[i]);
    for (int64_t pixel = 0; pixel < cone->row_count * cone->column_count; pixel++) {
        const int64_t row = pixel / cone->column_count, column = pixel % cone->column_count;
        double from[3], ray[3];
        for (int i = 0; i < 3; i++) {
            const double place = view.first[i] + (double)column * view.column[i] + (double)row * view.row[i];
            from[i] = view.parallel ? place : view.source[i];
            ray[i] = view.parallel ? view.source[i] : place - view.source[i];
        }
        const double length = sqrt(sino_view_dot(ray, ray));
        const Vector source = {from[0] / size, from[1] / size, from[2] / size};
        const Vector direction = {ray[0] / length, ray[1] / length, ray[2] / length};
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
