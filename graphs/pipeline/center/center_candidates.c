/* SPDX-License-Identifier: BSD-3-Clause */
/* Centers by a metric of candidates: Vo's, and the entropy of the slice. Whole columns are tried first, then tenths
 * around the best one. In a wide range Vo's metric first tries averages of two columns, a quarter of the work each. */
#include "center_methods.h"
#include "memory.h"
#include "simulation.h"
#include "stages_tasks.h"

#include <math.h>
#include <stdlib.h>

/* Parameters of Vo's paper: the object-to-field ratio, and the number of rows about zero frequency that are left
 * out. */
static const double vo_radius_ratio = 0.5;
enum { VO_DROP = 20 };

/* One of the two is NULL. */
typedef struct Metric {
    SinoRuntime *runtime;
    const SinoCenterVo *vo;
    const SinoCenterEntropy *entropy;
} Metric;

/* Computes, by tasks, the metrics of `count` candidates first, first + step, … */
static SinoStatus measure(const Metric *of, int64_t count, double first, double step, double *metric)
{
    SinoStatus status = NULL;
    double *candidate;
    SINO_TRY(sino_allocate(count, sizeof *candidate, "centers", &candidate));
    for (int64_t i = 0; i < count; i++) candidate[i] = first + (double)i * step;
    const int64_t share = count / (4 * sino_runtime_worker_count(of->runtime)) + 1;
    for (int64_t i = 0; i < count && !status; i += share) {
        const int64_t some = sino_smaller(count - i, share);
        status = of->vo ? sino_insert_center(of->runtime, of->vo, some, candidate + i, metric + i)
                        : sino_insert_center_entropy(of->runtime, of->entropy, some, candidate + i, metric + i);
    }
    status = sino_runtime_wait_after(of->runtime, status);
    free(candidate);
    return status;
}

/* The best of the candidates first, first + step, … up to `last`. */
static SinoStatus try_candidates(const Metric *of, double first, double last, double step, SinoCenterFound *best)
{
    const int64_t count = (int64_t)((last - first) / step + 0.5) + 1;
    double *metric;
    SINO_TRY(sino_allocate(count, sizeof *metric, "centers", &metric));
    SinoStatus status = measure(of, count, first, step, metric);
    int64_t least = 0;
    for (int64_t i = 1; i < count; i++)
        if (metric[i] < metric[least]) least = i;
    if (SINO_SIMULATES) least = count / 2;
    *best = (SinoCenterFound){
        .center = first + (double)least * step, .metric = metric[least], .at_edge = least == 0 || least == count - 1};
    free(metric);
    return status;
}

/* The range in whole columns of the detector. */
static SinoCenterRange whole_columns(const SinoGeometry *geometry, SinoCenterRange range)
{
    const double last = (double)(geometry->column_count - 1);
    const double low = fmin(fmax(ceil(range.low), 0), last);
    return (SinoCenterRange){low, fmax(fmin(floor(range.high), last), low)};
}

/* The best center of the ranges. */
static SinoStatus search(const Metric *metric, const SinoGeometry *geometry, int64_t range_count,
                         const SinoCenterRange *range, SinoCenterFound *found)
{
    const double last = (double)(geometry->column_count - 1);
    SinoCenterFound coarse = {.metric = INFINITY};
    for (int64_t i = 0; i < range_count; i++) {
        const SinoCenterRange here = whole_columns(geometry, range[i]);
        SinoCenterFound best;
        SINO_TRY(try_candidates(metric, here.low, here.high, 1, &best));
        best.at_edge &= here.high > here.low;
        if (best.metric < coarse.metric) coarse = best;
    }
    SINO_TRY(try_candidates(metric, fmax(coarse.center - 2, 0), fmin(coarse.center + 2, last), 0.1, found));
    found->at_edge = coarse.at_edge;
    return NULL;
}

/* Number of leading angles that cover half a turn. */
static SinoStatus half_turn(const SinoGeometry *geometry, int64_t *angle_count)
{
    int64_t count = 1;
    while (count < geometry->angle_count && sino_center_degrees(geometry, count) < 180.001) count++;
    const double covered = sino_center_degrees(geometry, count - 1);
    SINO_CHECK(covered > SINO_CENTER_LEAST_DEG, SINO_BAD_INPUT,
               "the angles cover %.1f degrees; finding the center needs about 180; give --rotation-axis", covered);
    *angle_count = count;
    return NULL;
}

/* A search with a metric of one sinogram. */
typedef SinoStatus Search(const Metric *metric, const SinoGeometry *geometry, int64_t range_count,
                          const SinoCenterRange *range, SinoCenterFound *found);

/* Averages of columns 2c and 2c + 1: [angle][column_count / 2]. */
static SinoStatus average_columns(int64_t angle_count, int64_t column_count, const float *sinogram, float **averaged)
{
    const int64_t half = column_count / 2;
    SINO_TRY(sino_allocate(sino_times(angle_count, half), sizeof **averaged, "a sinogram", averaged));
    for (int64_t k = 0; k < angle_count; k++)
        for (int64_t c = 0; c < half; c++) {
            const float *pair = sinogram + k * column_count + 2 * c;
            (*averaged)[k * half + c] = (pair[0] + pair[1]) / 2;
        }
    return NULL;
}

/* Narrows a range to a few columns about the best average of two columns, unless that lies at an end of the range. */
static SinoStatus narrow(const SinoCenterRow *row, int64_t angle_count, SinoCenterRange *range)
{
    enum { LEAST_COLUMNS = 128 }; /* and as many candidates as repay the work */
    const double beside = 2, least_width = 24, column_count = (double)row->geometry->column_count;
    const double low = fmax(range->low, 0), high = fmin(range->high, column_count - 1);
    SinoCenterVo *vo = NULL;
    SinoCenterFound best = {0};
    float *averaged;
    if (row->geometry->column_count < LEAST_COLUMNS || high - low < least_width) return NULL;
    SINO_TRY(average_columns(angle_count, row->geometry->column_count, row->sinogram, &averaged));
    SinoStatus status =
        sino_center_vo_new(angle_count, row->geometry->column_count / 2, averaged, vo_radius_ratio, VO_DROP, &vo);
    if (!status)
        status = try_candidates(&(Metric){.runtime = row->runtime, .vo = vo}, ceil((low - 0.5) / 2),
                                floor((high - 0.5) / 2), 1, &best);
    sino_center_vo_free(vo);
    free(averaged);
    if (status || best.at_edge) return status;
    *range = (SinoCenterRange){2 * best.center + 0.5 - beside, 2 * best.center + 0.5 + beside};
    return NULL;
}

static SinoStatus search_vo(const SinoCenterRow *row, Search *search_ranges, const SinoCenterRange *range,
                            SinoCenterFound *found)
{
    int64_t angle_count;
    SinoCenterVo *vo;
    SINO_TRY(half_turn(row->geometry, &angle_count));
    SINO_TRY(
        sino_center_vo_new(angle_count, row->geometry->column_count, row->sinogram, vo_radius_ratio, VO_DROP, &vo));
    SinoStatus status = search_ranges(&(Metric){.runtime = row->runtime, .vo = vo}, row->geometry, 1, range, found);
    sino_center_vo_free(vo);
    return status;
}

static SinoStatus search_entropy(const SinoCenterRow *row, Search *search_ranges, int64_t range_count,
                                 const SinoCenterRange *range, SinoCenterFound *found)
{
    SinoCenterEntropy *entropy;
    SinoGeometry half = *row->geometry; /* in a whole turn a wrong center blurs, without artefacts */
    SINO_TRY(half_turn(row->geometry, &half.angle_count));
    SINO_TRY(sino_center_entropy_new(&half, row->sinogram, &entropy));
    SinoStatus status =
        search_ranges(&(Metric){.runtime = row->runtime, .entropy = entropy}, row->geometry, range_count, range, found);
    sino_center_entropy_free(entropy);
    return status;
}

/* Tenths of the range alone. */
static SinoStatus search_tenths(const Metric *metric, const SinoGeometry *geometry, int64_t range_count,
                                const SinoCenterRange *range, SinoCenterFound *found)
{
    const double last = (double)(geometry->column_count - 1);
    (void)range_count; /* one */
    return try_candidates(metric, fmax(range->low, 0), fmin(range->high, last), 0.1, found);
}

SinoStatus sino_center_by_vo(const SinoCenterRow *row, SinoCenterRange range, SinoCenterFound *found)
{
    int64_t angle_count;
    SinoCenterRange near = range;
    SINO_TRY(half_turn(row->geometry, &angle_count));
    SINO_TRY(narrow(row, angle_count, &near));
    SINO_TRY(search_vo(row, search, &near, found));
    const bool narrowed = near.low > range.low && near.high < range.high;
    return narrowed && found->at_edge ? search_vo(row, search, &range, found) : NULL;
}

SinoStatus sino_center_by_entropy(const SinoCenterRow *row, int64_t range_count, const SinoCenterRange *range,
                                  SinoCenterFound *found)
{
    return search_entropy(row, search, range_count, range, found);
}

SinoStatus sino_center_near(const SinoCenterRow *row, bool entropy, double around, double width, SinoCenterFound *found)
{
    const SinoCenterRange range = {around - width, around + width};
    return entropy ? search_entropy(row, search_tenths, 1, &range, found)
                   : search_vo(row, search_tenths, &range, found);
}
