/* SPDX-License-Identifier: BSD-3-Clause */
/* Scan sample: some values of a scan, and statistics of them. */
#include "checks.h"

#include "input_parts.h"
#include "memory.h"
#include "plausible.h"
#include "sort.h"
#include "stripe_sample.h"
#include "zingers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Most images of a kind, blocks of rows, and rows of a block. */
enum { PROJECTIONS = 64, FIELDS = 16, BLOCKS = 3, BLOCK_ROWS = 4 };

/* Projections that tell stripes and air; of few rows and columns more are taken, up to so many values in all. */
enum { USUAL_PROJECTIONS = 16, USUAL_VALUES = 100000 };

/* Runs of neighbouring projections of the middle block, and the values of each that are looked at for zingers. */
enum { RUNS = 4, RUN_VALUES = 100000 };

/* Consecutive rows of the sample, and memory for them. */
typedef struct Block {
    const SinoInput *input;
    SinoScanBox box;
    int64_t pixels;
    double *flat, *dark; /* means of the fields, [pixels]; flat: for the projection at hand; owned */
    double *sets;        /* means of several sets of flat fields, [set][pixels]; owned */
    double flat_mean, dark_mean;
    double most;          /* where counts and fields begin to be implausible; 0: not known yet */
    float *values;        /* of one image; owned */
    float *integrals;     /* [row][projection][column]; NaN: undefined; owned */
    double *peak, *peaks; /* [pixels]: sums of peaks over projections, and of their squares; owned */
} Block;

/* A sum and its number of summands. */
typedef struct Sum {
    double value;
    int64_t count;
} Sum;

static void add_to(Sum *sum, double value)
{
    sum->value += value;
    sum->count++;
}

static double mean_of(const Sum *sum)
{
    return sum->count > 0 ? sum->value / (double)sum->count : (double)NAN;
}

/* The outermost columns are looked at in four strips of equal width, whose line integrals must agree if they are air.
 */
enum { STRIPS = 4 };

/* Mean counts of the flat fields that a block reads, in order. */
typedef struct FlatLevels {
    int64_t count;
    double mean[FIELDS];
} FlatLevels;

/* Sums of a sample in the making. */
typedef struct Sums {
    FlatLevels flats;             /* of the last block */
    Sum air[PROJECTIONS][STRIPS]; /* line integrals: from left to right, two strips at each side */
    Sum *level;                   /* [column] of defined line integrals; owned */
    Sum transmission, edge_transmission;
    Sum weight, variance; /* e^(-line integral), which fista weighs rays by, and its inverse */
    Sum fringed;          /* of rows of projections: 1 if they have fringes */
    SinoStripeSample stripes;
    int64_t place[PROJECTIONS]; /* of a projection of the sample among them all, by their angles */
    int64_t *odd;               /* [column]: rows in which it is odd; owned */
} Sums;

/* The rows of block i of `blocks`: the whole part of the scan if it has few rows, else some around the middle of each
 * of `blocks` equal shares. */
static SinoScanBox box_of_block(const SinoInput *input, int64_t blocks, int64_t i)
{
    const int64_t share = input->row_count / blocks, rows = blocks == 1 ? share : sino_smaller(share, BLOCK_ROWS);
    return (SinoScanBox){.first_row = input->first_row + i * share + (share - rows) / 2,
                         .row_count = rows,
                         .first_column = input->first_column,
                         .column_count = input->column_count};
}

typedef SinoStatus ReadFields(SinoScan *scan, int64_t first, int64_t count, const SinoScanBox *box, float *counts);

/* Where counts begin to be implausible, by the flat field in block->values. */
static double most_of(const Block *block)
{
    int exponents[SINO_EXPONENTS] = {0};
    for (int64_t p = 0; p < block->pixels; p++) exponents[sino_exponent_of(block->values[p])]++;
    return SINO_PLAUSIBLE_MOST * sino_exponents_level(exponents);
}

/* mean[pixel]: the mean of the finite values of at most FIELDS of `images` fields from number `first` on; NaN if one of
 * them is implausible. *all: the mean of all of them. */
static SinoStatus mean_of_fields(Block *block, ReadFields *read, int64_t first, int64_t images, double *mean,
                                 double *all, FlatLevels *levels)
{
    const int64_t taken = sino_smaller(images, FIELDS);
    double sum = 0;
    int64_t count = 0;
    levels->count = taken;
    for (int64_t i = 0; i < taken; i++) {
        double of_image = 0;
        SINO_TRY(read(block->input->scan, first + i * images / taken, 1, &block->box, block->values));
        if (block->most == 0) block->most = most_of(block);
        for (int64_t p = 0; p < block->pixels; p++) {
            const double value = (double)block->values[p];
            if (!isfinite(value)) continue;
            if (fabs(value) >= block->most) {
                mean[p] = (double)NAN;
                continue;
            }
            mean[p] += value / (double)taken;
            of_image += value;
            count++;
        }
        sum += of_image;
        levels->mean[i] = of_image / (double)block->pixels;
    }
    *all = count > 0 ? sum / (double)count : 0;
    return NULL;
}

static SinoStatus read_sets(Block *block)
{
    const SinoFlatSets *sets = &block->input->flat_sets;
    FlatLevels unused;
    for (int64_t s = 0; s < sets->count; s++) {
        const int64_t first = s > 0 ? sets->end[s - 1] : 0;
        double mean;
        SINO_TRY(mean_of_fields(block, sino_scan_read_some_flats, first, sets->end[s] - first,
                                block->sets + s * block->pixels, &mean, &unused));
        block->flat_mean += mean / (double)sets->count;
    }
    return NULL;
}

/* The flat field of a projection between two sets. */
static void interpolate_flat(Block *block, int64_t angle)
{
    const SinoFlatSets *sets = &block->input->flat_sets;
    if (!block->sets) return;
    const double at = sino_flat_sets_at(sets, block->input->info, angle);
    const int64_t set = sino_smaller((int64_t)at, sets->count - 2);
    const double *before = block->sets + set * block->pixels, *after = before + block->pixels;
    for (int64_t p = 0; p < block->pixels; p++)
        block->flat[p] = before[p] + (after[p] - before[p]) * (at - (double)set);
}

static SinoStatus read_fields(Block *block, SinoScanSample *sample, double share, FlatLevels *levels)
{
    FlatLevels unused;
    const SinoScanInfo *info = block->input->info;
    if (block->input->flat_sets.count > 0)
        SINO_TRY(read_sets(block));
    else
        SINO_TRY(mean_of_fields(block, sino_scan_read_some_flats, 0, info->flat_count, block->flat, &block->flat_mean,
                                levels));
    SINO_TRY(
        mean_of_fields(block, sino_scan_read_some_darks, 0, info->dark_count, block->dark, &block->dark_mean, &unused));
    sample->flat += share * block->flat_mean;
    if (info->dark_count > 0) sample->dark += share * block->dark_mean;
    return NULL;
}

/* The line integral of pixel p, as the stages compute it without binning; NaN: undefined. */
static double integral_of(const Block *block, const SinoScanSample *sample, int64_t p)
{
    const SinoInput *input = block->input;
    double value = (double)block->values[p];
    if (input->saturation > 0 && value >= input->saturation && !(sample->fields && sample->flat >= input->saturation))
        return NAN;
    if (sample->fields) value = (value - block->dark[p]) / fmax(block->flat[p] - block->dark[p], 0);
    if (input->minus_log) value = -log(value);
    return isfinite(value) ? value : NAN;
}

/* Columns at each side of the detector that count as its edges, where most scans see air. */
static int64_t edge_columns(int64_t column_count)
{
    return sino_larger(column_count / 20, 1);
}

static bool is_at_edge(int64_t column, int64_t column_count)
{
    const int64_t edge = edge_columns(column_count);
    return column < edge || column >= column_count - edge;
}

/* Adds the transmission of pixel p if its flat fields have at least half of the mean light. */
static void add_transmission(const Block *block, const SinoScanSample *sample, int64_t p, Sums *sums)
{
    const double light = block->flat[p] - block->dark[p], value = (double)block->values[p] - block->dark[p];
    const double mean = block->flat_mean - block->dark_mean;
    if (!sample->fields || !(light > 0) || !(2 * light >= mean) || !isfinite(value)) return;
    add_to(&sums->transmission, value / light);
    if (is_at_edge(p % sample->column_count, sample->column_count)) add_to(&sums->edge_transmission, value / light);
}

/* Columns of one strip of air. */
static int64_t strip_columns(int64_t column_count)
{
    return sino_larger(column_count / 80, 1);
}

/* The strip of a column; −1: none. */
static int64_t strip_of(int64_t column, int64_t column_count)
{
    const int64_t width = strip_columns(column_count), from_right = column_count - 1 - column;
    if (column < 2 * width) return column / width;
    return from_right < 2 * width ? STRIPS - 1 - from_right / width : -1;
}

/* Adds the weight of a ray by its photons (docs/ALGORITHMS.md). One in a thousand of the light is as good as none. */
static void add_weight(double integral, Sums *sums)
{
    const double least = 1e-3, weight = fmin(fmax(exp(-integral), least), 1);
    add_to(&sums->weight, weight);
    add_to(&sums->variance, 1 / weight);
}

static void add_projection(const Block *block, int64_t number, SinoScanSample *sample, Sums *sums)
{
    for (int64_t p = 0; p < block->pixels; p++) {
        add_transmission(block, sample, p, sums);
        const double value = (double)block->values[p], integral = integral_of(block, sample, p);
        sample->count++;
        sample->zero += value == 0;
        if (isfinite(value)) sample->mean += value;
        if (isfinite(value) && is_at_edge(p % sample->column_count, sample->column_count)) sample->edges += value;
        sample->finite += isfinite(value) != 0;
        sample->undefined += isnan(integral) != 0;
        if (isnan(integral)) continue;
        sample->integral += integral;
        add_weight(integral, sums);
        sample->column_integral[p % sample->column_count] += fabs(integral);
        add_to(&sums->level[p % sample->column_count], integral);
        const int64_t strip = strip_of(p % sample->column_count, sample->column_count);
        if (strip >= 0) add_to(&sums->air[number][strip], integral);
    }
}

/* The median of line[c] over two strips at each side, or of the differences of their neighbours. sorted: scratch. */
static double median_of_strips(int64_t count, const double *line, bool differences, double *sorted)
{
    const int64_t width = 2 * strip_columns(count);
    int64_t n = 0;
    for (int64_t c = 0; c + 1 < count; c++)
        if (c < width || c >= count - width) sorted[n++] = differences ? fabs(line[c + 1] - line[c]) : line[c];
    n = sino_sort_finite(n, sorted);
    return n > 0 ? sorted[n / 2] : (double)NAN;
}

/* How far the line integrals of a row fall below those of air, as a share of its large ones, where they do so beside
 * the object and far above the noise; else 0. Light that has propagated behind an edge is brighter than air. */
static double fringe_of(int64_t count, const double *line, double *sorted)
{
    const double of_air = 0.1, of_flank = 0.2, sure = 6, of_pair = 1.4826 / 2; /* deviation of means of two by |d| */
    const int64_t near = sino_larger(count / 20, 4);
    memcpy(sorted, line, (size_t)count * sizeof *line);
    const int64_t kept = sino_sort_finite(count, sorted);
    const double most = kept > 0 ? sorted[kept * 95 / 100] : 0;
    const double air = median_of_strips(count, line, false, sorted);
    const double noise = of_pair * median_of_strips(count, line, true, sorted);
    double low = INFINITY;
    int64_t at = 0;
    for (int64_t c = 0; c + 1 < count; c++) {
        if (!((line[c] + line[c + 1]) / 2 < low)) continue;
        low = (line[c] + line[c + 1]) / 2;
        at = c;
    }
    if (!(most > 0 && fabs(air) < of_air * most && air - low > sure * noise)) return 0;
    bool left = false, right = false; /* the object is there; at both sides of a hot column in its shadow */
    for (int64_t c = sino_larger(at - near, 0); c < at; c++) left |= line[c] > of_flank * most;
    for (int64_t c = at + 2; c < sino_smaller(at + near, count); c++) right |= line[c] > of_flank * most;
    return left != right ? (air - low) / most : 0;
}

/* `line` has room for two rows. */
static void add_fringes(const Block *block, const SinoScanSample *sample, double *line, Sums *sums)
{
    const int64_t columns = sample->column_count;
    for (int64_t first = 0; first < block->pixels; first += columns) {
        for (int64_t c = 0; c < columns; c++) line[c] = integral_of(block, sample, first + c);
        add_to(&sums->fringed, fringe_of(columns, line, line + columns) > SINO_FRINGES);
    }
}

/* Rows of at least this many columns, and this many projections, tell stripes, and air. */
enum { STRIPE_COLUMNS = 100, REACH = 2, AIR_COLUMNS = 32 };

static bool tells_stripes(const SinoScanSample *sample)
{
    return sample->projections >= USUAL_PROJECTIONS && sample->column_count >= STRIPE_COLUMNS;
}

/* How far a line integral is off both neighbours, if it is on the same side of both. */
static double peak_of(const double *p)
{
    const double left = p[0] - p[-1], right = p[0] - p[1];
    if (left > 0 && right > 0) return fmin(left, right);
    return left < 0 && right < 0 ? fmax(left, right) : 0;
}

/* Adds what the projection in block->values tells of stripes. `line` has room for a row. */
static void add_peaks(const Block *block, const SinoScanSample *sample, int64_t number, double *line)
{
    const int64_t columns = sample->column_count;
    for (int64_t first = 0; first < block->pixels; first += columns) {
        float *integrals = block->integrals + first * sample->projections + number * columns;
        for (int64_t c = 0; c < columns; c++) line[c] = integral_of(block, sample, first + c);
        for (int64_t c = 0; c < columns; c++) integrals[c] = (float)line[c];
        for (int64_t c = REACH; c < columns - REACH; c++) {
            const double peak = peak_of(line + c);
            block->peak[first + c] += peak;
            block->peaks[first + c] += peak * peak;
        }
    }
}

/* Counts with flat fields, and transmissions. */
static bool has_known_unit(const SinoInput *input)
{
    return input->minus_log || input->flat_correction != SINO_FLAT_NONE;
}

/* Whether a pixel is off both neighbours in all projections: hot or dead. A zinger is off in one of them. In an unknown
 * unit noise may be large. */
static bool is_odd(const Block *block, const SinoScanSample *sample, int64_t pixel, double n)
{
    const double sure = has_known_unit(block->input) ? 4 : 15;
    const double mean = block->peak[pixel] / n, variance = (block->peaks[pixel] / n - mean * mean) / (n - 1);
    if (!isfinite(mean)) return true;
    return fabs(mean) > SINO_ODD_COLUMN * sample->unit && fabs(mean) > sure * sqrt(fmax(variance, 0));
}

/* Whether the mean peak of a pixel is far above its noise. An edge of the object that stands still makes none. */
static bool is_standing(const Block *block, const SinoScanSample *sample, int64_t pixel, double n)
{
    const double sure = 1.5, mean = block->peak[pixel] / n, variance = block->peaks[pixel] / n - mean * mean;
    return fabs(mean) > SINO_STANDING * sample->unit && fabs(mean) > sure * sqrt(fmax(variance, 0));
}

/* What all projections of the block tell of stripes. */
static SinoStatus judge_stripes(const Block *block, SinoScanSample *sample, Sums *sums)
{
    const double n = (double)sample->projections;
    const int64_t columns = sample->column_count;
    for (int64_t first = 0; first < block->pixels; first += columns) {
        SINO_TRY(sino_stripe_sample_add(sample->projections, columns, block->integrals + first * sample->projections,
                                        &sums->stripes));
        for (int64_t c = REACH; c < columns - REACH; c++) {
            sample->standing += is_standing(block, sample, first + c, n);
            sums->odd[c] += is_odd(block, sample, first + c, n);
        }
    }
    return NULL;
}

/* Number i of the projections of a sample. */
static int64_t angle_of(const SinoScanSample *sample, const SinoInput *input, int64_t i)
{
    return i * input->info->angle_count / sample->projections;
}

/* Gives the counts of a projection of the file, and its flat field; NaN where they are implausible. read: its values,
 * if they have been read already; else NULL. */
static SinoStatus load_projection(Block *block, int64_t number, const float *read)
{
    if (read)
        memcpy(block->values, read, (size_t)block->pixels * sizeof *block->values);
    else
        SINO_TRY(sino_scan_read_projection(block->input->scan, number, &block->box, block->values));
    for (int64_t p = 0; p < block->pixels && block->most > 0; p++)
        if ((double)fabsf(block->values[p]) >= block->most) block->values[p] = NAN;
    interpolate_flat(block, number);
    return NULL;
}

/* The number in the scan of the input's angle k. */
static int64_t number_of(const SinoInput *input, int64_t k)
{
    int64_t run = 0;
    for (; k >= input->run[run].count; run++) k -= input->run[run].count;
    return input->run[run].first + k;
}

/* Counts zingers in RUNS runs of neighbouring projections, spread over the turn. line[3][pixels]: scratch memory. */
static SinoStatus count_zingers(Block *block, SinoScanSample *sample, const int64_t *order, float *line)
{
    const int64_t share = block->input->angle_count / RUNS, pixels = block->pixels, columns = sample->column_count;
    const int64_t length = sino_smaller(share, 2 + RUN_VALUES / pixels);
    for (int64_t run = 0; run < RUNS; run++)
        for (int64_t i = 0; i < length; i++) {
            float *const here = line + i % 3 * pixels;
            const int64_t k = run * share + i;
            SINO_TRY(load_projection(block, number_of(block->input, order ? order[k] : k), NULL));
            int64_t zingers = 0;
            for (int64_t p = 0; p < pixels; p++) here[p] = (float)integral_of(block, sample, p);
            for (int64_t p = 0; p < pixels && i > 1; p += columns)
                zingers += sino_zingers_count(columns, line + (i - 2) % 3 * pixels + p, line + (i - 1) % 3 * pixels + p,
                                              here + p, SINO_ZINGERS_LEAST * sample->unit);
            sample->zingers += zingers;
            sample->with_zingers += zingers > 0;
        }
    sample->looked_at += RUNS * sino_larger(length - 2, 0);
    sample->neighbours = sample->looked_at * pixels;
    return NULL;
}

/* order: of the angles; NULL: they are in order. */
static SinoStatus look_for_zingers(Block *block, SinoScanSample *sample, const int64_t *order)
{
    float *line = NULL;
    SinoStatus status = sino_allocate(sino_times(3, block->pixels), sizeof *line, "a sample", &line);
    if (!status) status = count_zingers(block, sample, order, line);
    free(line);
    return status;
}

/* What a block is looked at for, beside its levels. */
typedef struct BlockLooks {
    bool stripes, zingers;
    const int64_t *order; /* of the angles; NULL: they are in order; not owned */
} BlockLooks;

/* read: [projection][pixels] if they have been read already; else NULL. */
static SinoStatus read_block(const SinoInput *input, const SinoScanBox *box, double share, BlockLooks looks,
                             const float *read, SinoScanSample *sample, Sums *sums)
{
    Block block = {.input = input, .box = *box, .most = sample->most};
    SinoStatus status = NULL;
    double *line = NULL;
    SINO_TRY(sino_multiply(box->row_count, box->column_count, "a sample", &block.pixels));
    SINO_TRY_OR(status, end, sino_allocate(block.pixels, sizeof *block.flat, "a sample", &block.flat));
    SINO_TRY_OR(status, end, sino_allocate(block.pixels, sizeof *block.dark, "a sample", &block.dark));
    SINO_TRY_OR(status, end, sino_allocate(block.pixels, sizeof *block.values, "a sample", &block.values));
    SINO_TRY_OR(status, end,
                sino_allocate(sino_times(sample->projections, block.pixels), sizeof *block.integrals, "a sample",
                              &block.integrals));
    SINO_TRY_OR(status, end, sino_allocate(block.pixels, sizeof *block.peak, "a sample", &block.peak));
    SINO_TRY_OR(status, end, sino_allocate(block.pixels, sizeof *block.peaks, "a sample", &block.peaks));
    SINO_TRY_OR(status, end, sino_allocate(sino_times(2, box->column_count), sizeof *line, "a sample", &line));
    if (input->flat_sets.count > 0)
        SINO_TRY_OR(status, end,
                    sino_allocate(sino_times(input->flat_sets.count, block.pixels), sizeof *block.sets, "a sample",
                                  &block.sets));
    if (sample->fields) SINO_TRY_OR(status, end, read_fields(&block, sample, share, &sums->flats));
    for (int64_t i = 0; i < sample->projections; i++) {
        SINO_TRY_OR(status, end,
                    load_projection(&block, angle_of(sample, input, i), read ? read + i * block.pixels : NULL));
        add_projection(&block, i, sample, sums);
        if (looks.stripes && input->minus_log) add_fringes(&block, sample, line, sums);
        if (looks.stripes) add_peaks(&block, sample, sums->place[i], line);
    }
    if (looks.stripes) SINO_TRY_OR(status, end, judge_stripes(&block, sample, sums));
    if (looks.zingers) SINO_TRY_OR(status, end, look_for_zingers(&block, sample, looks.order));
    sample->rows += box->row_count;
end:
    free(block.flat);
    free(block.dark);
    free(block.sets);
    free(block.values);
    free(block.integrals);
    free(block.peak);
    free(block.peaks);
    free(line);
    return status;
}

static int64_t blocks_of(const SinoInput *input)
{
    return input->row_count > (int64_t)BLOCKS * BLOCK_ROWS ? BLOCKS : 1;
}

/* Values of a block in all projections. */
static int64_t values_of(const SinoScanSample *sample, const SinoScanBox *box)
{
    return sino_times(sample->projections, sino_times(box->row_count, box->column_count));
}

/* Finds where values that are not divided by flat fields begin to be implausible, and their unit. value[count]: scratch
 * memory. Beside the level the noise counts: a sample without the object has no other measure. */
static void find_level(const SinoInput *input, int64_t count, const float *read, double *value, SinoScanSample *sample)
{
    const double of_noise = 4096; /* line integrals of 8 above a noise of 0.002 */
    const int64_t columns = input->column_count;
    for (int64_t i = 0; i < count; i++) value[i] = fabs((double)read[i]);
    const int64_t kept = sino_sort_finite(count, value);
    if (kept == 0) return;
    const int64_t above = sino_smaller(sino_larger(kept / 100, 3), kept / 2);
    const double level = value[kept - 1 - above], largest = value[kept - 1];
    if (!input->minus_log && largest > 0) sample->unit = (level > 0 ? level : largest) / 2;
    if (input->info->type != SINO_COUNT_FLOAT32) return;
    for (int64_t i = 0; i < count; i++)
        value[i] = (i + 1) % columns > 0 ? fabs((double)read[i + 1] - (double)read[i]) : (double)NAN;
    const double noise = value[sino_sort_finite(count, value) / 2];
    sample->most = SINO_PLAUSIBLE_MOST_DIVIDED * (input->minus_log ? fmax(level, 1) : level);
    if (!input->minus_log) sample->most = fmax(sample->most, of_noise * noise);
}

/* Reads the blocks one after the other, and judges how large their values are, unless flat fields tell. */
static SinoStatus read_values(const SinoInput *input, SinoScanSample *sample, float **read)
{
    const int64_t blocks = blocks_of(input);
    double *value = NULL;
    int64_t count = 0;
    if (input->flat_correction != SINO_FLAT_NONE) return NULL;
    for (int64_t b = 0; b < blocks; b++) {
        const SinoScanBox box = box_of_block(input, blocks, b);
        count += values_of(sample, &box);
    }
    SINO_TRY(sino_allocate(count, sizeof **read, "a sample", read));
    float *to = *read;
    for (int64_t b = 0; b < blocks; b++) {
        const SinoScanBox box = box_of_block(input, blocks, b);
        for (int64_t i = 0; i < sample->projections; i++, to += box.row_count * box.column_count)
            SINO_TRY(sino_scan_read_projection(input->scan, angle_of(sample, input, i), &box, to));
    }
    SINO_TRY(sino_allocate(count, sizeof *value, "a sample", &value));
    find_level(input, count, *read, value, sample);
    free(value);
    return NULL;
}

/* Stripes are told by projections that follow each other round the axis. */
static void place_projections(const SinoInput *input, const SinoScanSample *sample, Sums *sums)
{
    double turned[PROJECTIONS];
    for (int64_t i = 0; i < sample->projections; i++) sums->place[i] = i;
    if (sample->in_order) return;
    for (int64_t i = 0; i < sample->projections; i++)
        turned[i] = sino_angle_turned_rad(input->geometry.angle_rad[angle_of(sample, input, i)]);
    for (int64_t i = 0; i < sample->projections; i++) {
        sums->place[i] = 0;
        for (int64_t j = 0; j < sample->projections; j++)
            sums->place[i] += turned[j] < turned[i] || (j < i && turned[j] == turned[i]);
    }
}

/* read: by read_values; NULL: nothing. */
static SinoStatus read_blocks(const SinoInput *input, bool stages, const float *read, SinoScanSample *sample,
                              Sums *sums)
{
    const int64_t blocks = blocks_of(input);
    int64_t *order = NULL;
    SinoStatus status = stages ? sino_angle_order(input, &order) : NULL;
    sample->in_order = !order;
    place_projections(input, sample, sums);
    for (int64_t b = 0; b < blocks && !status; b++) {
        const SinoScanBox box = box_of_block(input, blocks, b);
        const BlockLooks looks = {
            .stripes = stages && tells_stripes(sample), .zingers = stages && b == blocks / 2, .order = order};
        status = read_block(input, &box, 1 / (double)blocks, looks, read, sample, sums);
        if (read) read += values_of(sample, &box);
    }
    free(order);
    return status;
}

/* Line integrals of the strips over the projections. */
typedef struct Strips {
    double level, drift;    /* mean and standard deviation of all strips together */
    double sides, halves;   /* root mean squares: both sides differ, and outer and inner strips */
    double slope, of_slope; /* mean of inner less outer strips, and its standard deviation */
    double least;           /* of all strips and projections */
} Strips;

static Strips strips_of(const SinoScanSample *sample, const Sums *sums)
{
    const double n = (double)sample->projections;
    double level = 0, square = 0, sides = 0, halves = 0, slope = 0, slopes = 0, least = INFINITY;
    for (int64_t i = 0; i < sample->projections; i++) {
        double p[STRIPS];
        for (int s = 0; s < STRIPS; s++) p[s] = mean_of(&sums->air[i][s]);
        for (int s = 0; s < STRIPS; s++) least = fmin(least, p[s]);
        const double all = (p[0] + p[1] + p[2] + p[3]) / STRIPS, rise = (p[1] + p[2] - p[0] - p[3]) / 2;
        level += all / n;
        square += all * all / n;
        sides += pow((p[0] + p[1] - p[2] - p[3]) / 2, 2) / n;
        halves += (pow(p[0] - p[1], 2) + pow(p[3] - p[2], 2)) / 2 / n;
        slope += rise / n;
        slopes += rise * rise / n;
    }
    return (Strips){.level = level,
                    .drift = sqrt(fmax(square - level * level, 0)),
                    .sides = sqrt(sides),
                    .halves = sqrt(halves),
                    .slope = slope,
                    .of_slope = sqrt(fmax(slopes - slope * slope, 0) / fmax(n - 1, 1)),
                    .least = least};
}

/* Whether the strips are air whose light changes: they are as bright as the flat fields, or nearly; their changes from
 * projection to projection are alike, which those of an object are not. */
static bool is_changing_air(const Strips *strips)
{
    return strips->drift > 0.005 && fabs(strips->level) < 0.3 && strips->sides < strips->drift / 4 &&
           strips->halves < strips->drift / 5;
}

/* Whether the strips are air of another exposure than that of the flat fields: up to three times as bright, or as dark,
 * and the same at both sides and in all projections. An object that reaches beyond the detector rises towards its
 * middle: a disk by a twentieth of all that it rises. */
static bool is_other_air(const Strips *strips, double rise)
{
    const double even = 0.05 * rise, flat = fmin(0.01 * rise, fmax(3 * strips->of_slope, 0.002 * fabs(strips->level)));
    return fabs(strips->level) > SINO_AIR_LEVEL && fabs(strips->level) < log(3) && strips->sides < even &&
           strips->halves < even && strips->drift < even && fabs(strips->slope) < flat;
}

/* Columns at each side whose mean line integrals are those of the strips. */
static int64_t count_air(const SinoScanSample *sample, double level, double rise)
{
    const int64_t columns = sample->column_count;
    int64_t count = 0;
    while (count < columns / 4 && fabs(sample->column_level[count] - level) < 0.03 * rise &&
           fabs(sample->column_level[columns - 1 - count] - level) < 0.03 * rise)
        count++;
    return sino_larger(count * 3 / 4, 2 * strip_columns(columns));
}

/* The largest line integral that three columns beside each other have, as an odd column is no object. */
static double most_of_three(const SinoScanSample *sample)
{
    const double *p = sample->column_level;
    double most = 0;
    for (int64_t c = 1; c + 1 < sample->column_count; c++) most = fmax(most, fmin(fmin(p[c - 1], p[c]), p[c + 1]));
    return most;
}

/* Air is brighter than what is between it. */
static void judge_air(SinoScanSample *sample, const Sums *sums)
{
    double most = 0;
    if (sample->projections < USUAL_PROJECTIONS || sample->column_count < AIR_COLUMNS) return;
    const Strips strips = strips_of(sample, sums);
    for (int64_t c = 0; c < sample->column_count; c++) most = fmax(most, sample->column_level[c]);
    sample->air_level = strips.level;
    sample->brightest = exp(-strips.least);
    const double rise = most_of_three(sample) - strips.level;
    if (tells_stripes(sample) && most > strips.level + 0.1 && is_changing_air(&strips)) {
        sample->air_columns = 2 * strip_columns(sample->column_count);
        sample->air_drift = strips.drift;
    } else if (rise > 0.1 && is_other_air(&strips, rise)) {
        sample->air_columns = count_air(sample, strips.level, rise);
    }
}

/* Compares both halves of the flat fields with what they differ among themselves. */
static double change_of(const FlatLevels *levels, double dark)
{
    const int64_t half = levels->count / 2;
    double mean[2] = {0}, square = 0;
    if (half < 2) return 0;
    for (int64_t i = 0; i < 2 * half; i++) mean[i / half] += levels->mean[i] / (double)half;
    for (int64_t i = 0; i < 2 * half; i++) square += pow(levels->mean[i] - mean[i / half], 2);
    const double deviation = sqrt(square / (double)(2 * half - 2)), change = mean[1] - mean[0];
    const double light = (mean[0] + mean[1]) / 2 - (isnan(dark) ? 0 : dark);
    return fabs(change) > 6 * deviation && fabs(change) > 0.005 * light && light > 0 ? change / light : 0;
}

/* Makes means of sums. */
static void finish(SinoScanSample *sample, const Sums *sums)
{
    const double lines = (double)(sample->projections * sample->rows);
    if (sample->finite > 0) sample->mean /= (double)sample->finite;
    if (sample->undefined < sample->count) sample->integral /= (double)(sample->count - sample->undefined);
    for (int64_t c = 0; c < sample->column_count; c++) {
        if (lines > 0) sample->column_integral[c] /= lines;
        sample->column_level[c] = mean_of(&sums->level[c]);
    }
    sample->edges /= lines * 2 * (double)edge_columns(sample->column_count);
    sample->stripes = sino_stripe_sample_deviation(&sums->stripes);
    sample->fringed = sums->fringed.count > 0 ? mean_of(&sums->fringed) : 0;
    for (int64_t c = 0; c < sample->column_count; c++) sample->odd_columns += sums->odd[c] > 0;
    sample->transmission = mean_of(&sums->transmission);
    sample->edge_transmission = mean_of(&sums->edge_transmission);
    sample->evenness = 1 / (mean_of(&sums->weight) * mean_of(&sums->variance));
    sample->flat_change = change_of(&sums->flats, sample->dark);
    judge_air(sample, sums);
}

/* Few rows or columns of more projections tell as much as many. */
static int64_t projections_of(const SinoInput *input)
{
    const int64_t blocks = blocks_of(input), rows = blocks == 1 ? input->row_count : blocks * BLOCK_ROWS;
    const int64_t most = USUAL_VALUES / sino_larger(rows * input->column_count, 1);
    const int64_t wanted = sino_smaller(sino_larger(most, USUAL_PROJECTIONS), PROJECTIONS);
    return sino_smaller(input->info->angle_count, wanted);
}

SinoStatus sino_scan_sample_new(const SinoInput *input, bool stages, SinoScanSample *result)
{
    const SinoScanInfo *info = input->info;
    const int64_t columns = input->column_count;
    Sums sums = {0};
    float *read = NULL;
    SinoStatus status = NULL;
    const bool divided = input->flat_correction != SINO_FLAT_NONE;
    SinoScanSample sample = {.projections = projections_of(input),
                             .fields = divided && info->flat_count > 0,
                             .lacks_fields = divided && info->flat_count == 0,
                             .dark = info->dark_count > 0 ? 0 : (double)NAN,
                             .unit = 1,
                             .air_level = (double)NAN,
                             .brightest = (double)NAN,
                             .column_count = columns};
    SINO_TRY_OR(status, end,
                sino_allocate(columns, sizeof *sample.column_integral, "a sample", &sample.column_integral));
    SINO_TRY_OR(status, end, sino_allocate(columns, sizeof *sample.column_level, "a sample", &sample.column_level));
    SINO_TRY_OR(status, end, sino_allocate(columns, sizeof *sums.level, "a sample", &sums.level));
    SINO_TRY_OR(status, end, sino_allocate(columns, sizeof *sums.odd, "a sample", &sums.odd));
    SINO_TRY_OR(status, end, read_values(input, &sample, &read));
    SINO_TRY_OR(status, end, read_blocks(input, stages, read, &sample, &sums));
    finish(&sample, &sums);
end:
    free(read);
    free(sums.level);
    free(sums.odd);
    if (status)
        sino_scan_sample_free(&sample);
    else
        *result = sample;
    return status;
}

void sino_scan_sample_free(SinoScanSample *sample)
{
    free(sample->column_integral);
    free(sample->column_level);
    *sample = (SinoScanSample){0};
}
