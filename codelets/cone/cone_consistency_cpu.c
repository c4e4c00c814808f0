/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone consistency: the minimum of the squared differences between the integrals of pairs of lines, by quadratic
 * functions through sums on both sides. Noise, which adds as much to every sum, does not move it. */
#include "cone_consistency.h"

#include "cone_center.h"
#include "memory.h"
#include "vector.h"

#include <math.h>
#include <stdlib.h>

enum {
    CENTER,
    CENTER_ROW,
    TILT,
    NUMBERS,
    GROUPS = 8,        /* of pairs, by the angle of the first */
    EDGE = 2,          /* columns at the ends of a line that must see air, and rows beyond a line */
    LINES_LEAST = 200, /* pairs of lines */
    LANES = 8          /* columns that are summed at a time */
};

/* Angles between two projections, in degrees. */
static const double apart_deg[] = {60, 90, 120};
enum { APARTS = sizeof apart_deg / sizeof *apart_deg };

/* Air at the end of a line: up to this share of the largest value. */
static const double air_share = 0.05;

typedef struct Numbers {
    double of[NUMBERS];
} Numbers;

/* Two projections, and the geometry of the planes through their sources. */
typedef struct Pair {
    int64_t angle[2];
    int64_t group;
    double distance;            /* from the axis to the line through both sources */
    double along[2], across[2]; /* unit vectors: of that line, and from it to the axis */
} Pair;

typedef struct Search {
    const SinoCone *cone;
    Numbers start;
    float *smooth; /* [angle][row][column], rows smoothed; owned */
    double air;    /* the largest value of air */
    int64_t pair_count;
    Pair *pair;    /* [pair_count]; owned */
    int64_t *line; /* [line_count] pair · row_count + number of the height; owned */
    double *value; /* [line_count] differences; owned */
    int64_t line_count;
} Search;

/* Rows smoothed by 1 4 6 4 1, which makes the noise of values between rows and on them alike. */
static void smooth_projection(const SinoCone *cone, const float *projection, float *smooth)
{
    static const float weight[5] = {1 / 16.0F, 4 / 16.0F, 6 / 16.0F, 4 / 16.0F, 1 / 16.0F};
    const int64_t columns = cone->column_count, last = cone->row_count - 1;
    for (int64_t r = 0; r <= last; r++)
        for (int64_t i = 0; i < 5; i++) {
            const float *row = projection + sino_smaller(sino_larger(r + i - 2, 0), last) * columns;
            for (int64_t c = 0; c < columns; c++) smooth[r * columns + c] += weight[i] * row[c];
        }
}

/* The value at a place of the detector, by linear interpolation. Beyond the columns it is 0; beyond the rows it is the
 * value of the nearest row. */
static double value_at(const SinoCone *cone, const float *smooth, double row, double column)
{
    const int64_t columns = cone->column_count;
    const double inside = fmin(fmax(row, 0), (double)(cone->row_count - 1));
    if (!(column >= 0 && column <= (double)(columns - 1))) return 0;
    const int64_t r = sino_smaller((int64_t)inside, cone->row_count - 2),
                  c = sino_smaller((int64_t)column, columns - 2);
    const double down = inside - (double)r, right = column - (double)c;
    const float *at = smooth + r * columns + c;
    const double above = (1 - right) * (double)at[0] + right * (double)at[1];
    const double below = (1 - right) * (double)at[columns] + right * (double)at[columns + 1];
    return (1 - down) * above + down * below;
}

/* A line on the detector of one of the pair: the rays in the plane through both sources that passes the axis at the
 * height z. */
typedef struct Line {
    const SinoCone *cone;
    const float *smooth;
    double cosine, sine, middle_row, middle_column; /* of the tilt */
    double center, first_row, row_slope;            /* upright row = first_row + row_slope·(column − center) */
    double x0, x1, y0, y1; /* of a column's ray in the plane: to the axis and along the sources, as column − center */
} Line;

static Line line_of(const Search *search, const Pair *pair, int side, const Numbers *numbers, double z)
{
    const SinoCone *cone = search->cone;
    const int64_t angle = pair->angle[side];
    const double rad = cone->angle_rad[angle], c = cos(rad), s = sin(rad), far = cone->source_detector;
    const double steep = hypot(pair->distance, z) / pair->distance, width = cone->pixel_width;
    const double depth = far * (c * pair->across[1] - s * pair->across[0]);
    const double depth_slope = width * (c * pair->across[0] + s * pair->across[1]);
    const double rows = z / pair->distance / cone->pixel_height, tilt = numbers->of[TILT];
    return (Line){.cone = cone,
                  .smooth = search->smooth + angle * cone->row_count * cone->column_count,
                  .cosine = cos(tilt),
                  .sine = sin(tilt),
                  .middle_row = (double)(cone->row_count - 1) / 2,
                  .middle_column = (double)(cone->column_count - 1) / 2,
                  .center = numbers->of[CENTER],
                  .first_row = numbers->of[CENTER_ROW] + rows * depth,
                  .row_slope = rows * depth_slope,
                  .x0 = steep * depth,
                  .x1 = steep * depth_slope,
                  .y0 = far * (c * pair->along[1] - s * pair->along[0]),
                  .y1 = width * (c * pair->along[0] + s * pair->along[1])};
}

static double row_of(const Line *line, double column)
{
    return line->first_row + line->row_slope * (column - line->center);
}

/* The value where the line crosses a column of the projection that is turned back by the tilt. */
static double line_value(const Line *line, double column)
{
    const double down = row_of(line, column) - line->middle_row, right = column - line->middle_column;
    return value_at(line->cone, line->smooth, line->middle_row + down * line->cosine - right * line->sine,
                    line->middle_column + down * line->sine + right * line->cosine);
}

/* The columns c, from..to, at which start + slope·c is 0 to most; none: to < from. */
static void clip(double start, double slope, double most, int64_t *from, int64_t *to)
{
    const double a = (slope > 0 ? -start : most - start) / slope, b = (slope > 0 ? most - start : -start) / slope;
    if (slope == 0) {
        if (!(start >= 0 && start <= most)) *to = -1;
        return;
    }
    if (a > (double)*from) *from = a < (double)*to ? (int64_t)ceil(a) : *to + 1;
    if (b < (double)*to) *to = b >= 0 ? (int64_t)floor(b) : -1;
}

SINO_INLINE double clamp(double value, double most)
{
    const double low = value > 0 ? value : 0;
    return low < most ? low : most;
}

/* The values along the line times the weights of their rays. Row and column of its places are linear functions of the
 * column of the projection that is turned back by the tilt, so that only columns whose places exist are summed. */
SINO_VECTORISED static double integral(const Line *line)
{
    const SinoCone *cone = line->cone;
    const float *const smooth = line->smooth;
    const int columns = (int)cone->column_count, rows = (int)cone->row_count;
    const double start = row_of(line, 0) - line->middle_row, last_row = (double)(rows - 1), center = line->center;
    const double row0 = line->middle_row + start * line->cosine + line->middle_column * line->sine;
    const double row1 = line->row_slope * line->cosine - line->sine;
    const double column0 = line->middle_column + start * line->sine - line->middle_column * line->cosine;
    const double column1 = line->row_slope * line->sine + line->cosine;
    const double x0 = line->x0 - line->x1 * center, x1 = line->x1, y0 = line->y0 - line->y1 * center, y1 = line->y1;
    int64_t from = 0, to = columns - 1;
    double sum[LANES] = {0}, all = 0;
    clip(column0, column1, (double)(columns - 1), &from, &to);
    for (int first = (int)from; first <= (int)to; first += LANES)
        for (int lane = 0; lane < LANES; lane++) {
            const int inside = first + lane <= (int)to, c = inside ? first + lane : (int)to;
            const double row = clamp(row0 + row1 * c, last_row), column = column0 + column1 * c;
            const double x = x0 + x1 * c, y = y0 + y1 * c;
            const int r = (int)row < rows - 2 ? (int)row : rows - 2;
            const int i = (int)column < columns - 2 ? (int)column : columns - 2;
            const double down = row - r, right = column - i;
            const int at = r * columns + i;
            const double upper = (1 - right) * (double)smooth[at] + right * (double)smooth[at + 1];
            const double lower = (1 - right) * (double)smooth[at + columns] + right * (double)smooth[at + columns + 1];
            const double value = (1 - down) * upper + down * lower;
            sum[lane] += inside * value / (x * sqrt(x * x + y * y));
        }
    for (int lane = 0; lane < LANES; lane++) all += sum[lane];
    return fabs(line->x0 * line->y1 - line->y0 * line->x1) * all;
}

/* The height of a plane of pair p at the axis, near the one that row r sees there. The fractions of all pairs are
 * spread evenly: values between rows have less noise, so that lines at equal ones would draw the numbers there. */
static double height_of(const SinoCone *cone, int64_t p, int64_t r)
{
    const double golden = 0.6180339887498949, fraction = (double)p * golden - floor((double)p * golden);
    const double row = (double)r + fraction - 0.5 - cone->center_row;
    return row * cone->pixel_height * cone->source_object / cone->source_detector;
}

/* Both ends see air, and no place is beyond the rows. */
static bool is_whole(const Search *search, const Line *line)
{
    const double last = (double)(line->cone->column_count - 1), last_row = (double)(line->cone->row_count - 1);
    const double a = row_of(line, 0), b = row_of(line, last);
    if (fmin(a, b) < EDGE || fmax(a, b) > last_row - EDGE) return false;
    double most = 0;
    for (int i = 0; i < EDGE; i++) most = fmax(most, fmax(fabs(line_value(line, i)), fabs(line_value(line, last - i))));
    return most <= search->air;
}

static SinoStatus take_lines(Search *search)
{
    const SinoCone *cone = search->cone;
    SINO_TRY(
        sino_allocate(sino_times(search->pair_count, cone->row_count), sizeof *search->line, "lines", &search->line));
    for (int64_t p = 0; p < search->pair_count; p++)
        for (int64_t r = 0; r < cone->row_count; r++) {
            const double z = height_of(cone, p, r);
            const Line a = line_of(search, &search->pair[p], 0, &search->start, z);
            const Line b = line_of(search, &search->pair[p], 1, &search->start, z);
            if (is_whole(search, &a) && is_whole(search, &b))
                search->line[search->line_count++] = p * cone->row_count + r;
        }
    return sino_allocate(search->line_count, sizeof *search->value, "differences", &search->value);
}

/* Differences at the numbers, without the mean of each pair. */
static void differences(const Search *search, const Numbers *numbers, double *value)
{
    const int64_t rows = search->cone->row_count;
    for (int64_t i = 0, end; i < search->line_count; i = end) {
        const int64_t p = search->line[i] / rows;
        double mean = 0;
        for (end = i; end < search->line_count && search->line[end] / rows == p; end++) {
            const double z = height_of(search->cone, p, search->line[end] % rows);
            const Line a = line_of(search, &search->pair[p], 0, numbers, z);
            const Line b = line_of(search, &search->pair[p], 1, numbers, z);
            value[end] = integral(&a) - integral(&b);
            mean += value[end];
        }
        mean /= (double)(end - i);
        for (int64_t j = i; j < end; j++) value[j] -= mean;
    }
}

/* Where sums of squared differences are taken about the numbers: there, a step to each side of each, and a step of each
 * two. */
enum { PLACES = 1 + 2 * NUMBERS + NUMBERS * (NUMBERS - 1) / 2 };

/* Sums of squares of each group at each place. */
typedef struct Squares {
    double at[GROUPS][PLACES];
} Squares;

/* Adds the squared differences at the numbers to the groups of their pairs. */
static void square(const Search *search, const Numbers *numbers, double *value, Squares *squares, int place)
{
    differences(search, numbers, value);
    for (int64_t i = 0; i < search->line_count; i++)
        squares->at[search->pair[search->line[i] / search->cone->row_count].group][place] += value[i] * value[i];
}

static void take_squares(const Search *search, const Numbers *numbers, const double step[NUMBERS], Squares *squares)
{
    *squares = (Squares){0};
    int place = 0;
    square(search, numbers, search->value, squares, place++);
    for (int n = 0; n < NUMBERS; n++)
        for (int side = -1; side <= 1; side += 2) {
            Numbers moved = *numbers;
            moved.of[n] += side * step[n];
            square(search, &moved, search->value, squares, place++);
        }
    for (int n = 0; n < NUMBERS; n++)
        for (int k = 0; k < n; k++) {
            Numbers moved = *numbers;
            moved.of[n] += step[n];
            moved.of[k] += step[k];
            square(search, &moved, search->value, squares, place++);
        }
}

/* Solves matrix · x = right, whose matrix is positive definite; false: it is not. */
static bool solve(double m[NUMBERS][NUMBERS + 1], double x[NUMBERS])
{
    double scale[NUMBERS];
    for (int i = 0; i < NUMBERS; i++) scale[i] = m[i][i];
    for (int i = 0; i < NUMBERS; i++) {
        if (!(m[i][i] > 1e-6 * scale[i])) return false;
        for (int k = 0; k < NUMBERS; k++) {
            const double factor = m[k][i] / m[i][i];
            for (int j = i; k != i && j <= NUMBERS; j++) m[k][j] -= factor * m[i][j];
        }
    }
    for (int i = 0; i < NUMBERS; i++) x[i] = m[i][NUMBERS] / m[i][i];
    return true;
}

/* *least: the minimum of the quadratic function through the sums of all groups but `without`; false: there is none. */
static bool find_least(const Squares *squares, int without, const Numbers *numbers, const double step[NUMBERS],
                       Numbers *least)
{
    double sum[PLACES] = {0}, m[NUMBERS][NUMBERS + 1], x[NUMBERS];
    for (int g = 0; g < GROUPS; g++)
        for (int i = 0; g != without && i < PLACES; i++) sum[i] += squares->at[g][i];
    for (int n = 0, place = 1 + 2 * NUMBERS; n < NUMBERS; n++) {
        m[n][n] = sum[1 + 2 * n] + sum[2 + 2 * n] - 2 * sum[0];
        m[n][NUMBERS] = (sum[1 + 2 * n] - sum[2 + 2 * n]) / 2;
        for (int k = 0; k < n; k++) m[n][k] = m[k][n] = sum[place++] - sum[2 + 2 * n] - sum[2 + 2 * k] + sum[0];
    }
    if (!solve(m, x)) return false;
    for (int n = 0; n < NUMBERS; n++) least->of[n] = numbers->of[n] + x[n] * step[n];
    return true;
}

/* The spread of the estimates without one group each (jackknife). */
static bool find_errors(const Squares *squares, const Numbers *numbers, const double step[NUMBERS],
                        SinoConeConsistency *result)
{
    Numbers all, without[GROUPS];
    SinoConeNumber *const number[NUMBERS] = {&result->center, &result->center_row, &result->tilt};
    if (!find_least(squares, -1, numbers, step, &all)) return false;
    for (int g = 0; g < GROUPS; g++)
        if (!find_least(squares, g, numbers, step, &without[g])) return false;
    for (int n = 0; n < NUMBERS; n++) {
        double mean = 0, sum = 0;
        for (int g = 0; g < GROUPS; g++) mean += without[g].of[n] / GROUPS;
        for (int g = 0; g < GROUPS; g++) sum += (without[g].of[n] - mean) * (without[g].of[n] - mean);
        *number[n] = (SinoConeNumber){all.of[n], sqrt(sum * (GROUPS - 1) / GROUPS)};
    }
    return true;
}

/* result->line_count 0: the lines do not tell the numbers. */
static void descend(Search *search, SinoConeConsistency *result)
{
    static const double widths[] = {1, 1, 0.5}, most = 4; /* in steps */
    const SinoCone *cone = search->cone;
    const double half = (double)cone->column_count / 2, usual[NUMBERS] = {1, 4, 1 / half};
    Numbers numbers = search->start, least;
    double step[NUMBERS];
    Squares squares;
    for (size_t s = 0; s < sizeof widths / sizeof *widths; s++) {
        if (s > 0) numbers = least;
        for (int n = 0; n < NUMBERS; n++) step[n] = widths[s] * usual[n];
        take_squares(search, &numbers, step, &squares);
        if (!find_least(&squares, -1, &numbers, step, &least)) return;
        for (int n = 0; n < NUMBERS; n++)
            least.of[n] = numbers.of[n] + fmin(fmax(least.of[n] - numbers.of[n], -most * step[n]), most * step[n]);
    }
    if (find_errors(&squares, &numbers, step, result)) result->line_count = search->line_count;
}

/* The projection whose angle is nearest to `rad` after the angle of projection `k`; −1: none is within half of `most`.
 */
static int64_t partner(const SinoCone *cone, int64_t k, double rad, double most)
{
    int64_t best = -1;
    double least = most / 2;
    for (int64_t i = 0; i < cone->angle_count; i++) {
        const double off = fabs(remainder(cone->angle_rad[i] - cone->angle_rad[k] - rad, 2 * SINO_PI));
        if (off > least) continue;
        least = off;
        best = i;
    }
    return best;
}

static Pair pair_of(const SinoCone *cone, int64_t a, int64_t b)
{
    const double distance = cone->source_object;
    const double from[2] = {distance * sin(cone->angle_rad[a]), -distance * cos(cone->angle_rad[a])};
    const double to[2] = {distance * sin(cone->angle_rad[b]), -distance * cos(cone->angle_rad[b])};
    const double length = hypot(to[0] - from[0], to[1] - from[1]);
    const double middle[2] = {(from[0] + to[0]) / 2, (from[1] + to[1]) / 2}, off = hypot(middle[0], middle[1]);
    return (Pair){.angle = {a, b},
                  .group = a * GROUPS / cone->angle_count,
                  .distance = off,
                  .along = {(to[0] - from[0]) / length, (to[1] - from[1]) / length},
                  .across = {-middle[0] / off, -middle[1] / off}};
}

/* Pairs whose line is beyond all that the detector sees. */
static SinoStatus take_pairs(Search *search)
{
    const SinoCone *cone = search->cone;
    const double half = fmax(cone->center, (double)(cone->column_count - 1) - cone->center) * cone->pixel_width;
    const double fan = atan(half / cone->source_detector), margin = 10 * SINO_PI / 180;
    SINO_TRY(sino_allocate(sino_times(APARTS, cone->angle_count), sizeof *search->pair, "pairs", &search->pair));
    for (int64_t k = 0; k < cone->angle_count; k++)
        for (int i = 0; i < APARTS; i++) {
            const double rad = apart_deg[i] * SINO_PI / 180;
            if (rad / 2 + fan + margin > SINO_PI / 2) continue;
            const int64_t other = partner(cone, k, rad, apart_deg[0] * SINO_PI / 180);
            if (other >= 0) search->pair[search->pair_count++] = pair_of(cone, k, other);
        }
    return NULL;
}

static SinoStatus smooth(Search *search, const float *projections)
{
    const SinoCone *cone = search->cone;
    const int64_t pixels = sino_times(cone->row_count, cone->column_count);
    float most = 0;
    SINO_TRY(
        sino_allocate(sino_times(cone->angle_count, pixels), sizeof *search->smooth, "projections", &search->smooth));
    for (int64_t k = 0; k < cone->angle_count; k++)
        smooth_projection(cone, projections + k * pixels, search->smooth + k * pixels);
    for (int64_t i = 0; i < cone->angle_count * pixels; i++) most = fmaxf(most, search->smooth[i]);
    search->air = air_share * (double)most;
    return NULL;
}

/* Finds the axis by rays and their reverses in the middle row, unless it is given; NaN: these do not tell it. */
static SinoStatus find_axis(const SinoCone *cone, const float *projections, double *axis)
{
    const int64_t rows = cone->row_count, columns = cone->column_count;
    SinoConeCenter found;
    float *row = NULL;
    *axis = cone->center;
    if (!isnan(*axis)) return NULL;
    SINO_TRY(sino_allocate(sino_times(cone->angle_count, columns), sizeof *row, "a sinogram", &row));
    const int64_t r = (int64_t)fmin(fmax(cone->center_row, 0), (double)(rows - 1));
    for (int64_t k = 0; k < cone->angle_count; k++)
        for (int64_t c = 0; c < columns; c++) row[k * columns + c] = projections[(k * rows + r) * columns + c];
    SinoStatus status = sino_cone_center_find(cone, row, 0, (double)(columns - 1), &found);
    free(row);
    if (!status && found.found) *axis = found.center;
    if (!status || sino_status_exit_code(status) != SINO_BAD_INPUT) return status;
    sino_status_free(status); /* no ray is measured from both sides */
    return NULL;
}

SinoStatus sino_cone_consistency_find(const SinoCone *cone, double tilt_rad, const float *projections,
                                      SinoConeConsistency *result)
{
    SinoStatus status = NULL;
    SinoCone started = *cone;
    *result = (SinoConeConsistency){0};
    if (cone->angle_count < GROUPS || cone->row_count < 2 || cone->column_count < 2) return NULL;
    if (sino_times(cone->row_count, cone->column_count) > INT32_MAX) return NULL; /* places in vectors are 32 bits */
    SINO_TRY(find_axis(cone, projections, &started.center));
    if (isnan(started.center)) return NULL;
    Search search = {.cone = &started, .start = {{started.center, cone->center_row, tilt_rad}}};
    SINO_TRY_OR(status, out, smooth(&search, projections));
    SINO_TRY_OR(status, out, take_pairs(&search));
    SINO_TRY_OR(status, out, take_lines(&search));
    if (search.line_count >= LINES_LEAST) descend(&search, result);
    result->axis = started.center;
out:
    free(search.smooth);
    free(search.pair);
    free(search.line);
    free(search.value);
    return status;
}
