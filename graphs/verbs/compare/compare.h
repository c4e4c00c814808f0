/* SPDX-License-Identifier: BSD-3-Clause */
/* Compare: what the verb knows of two volumes. */
#pragma once

#include "files_tasks.h"
#include "runtime.h"
#include "settings.h"
#include "volume.h"
#include "volume_input.h"

#include <stdio.h>

/* Compare, halves: the noise, the error and the resolution of a volume, by the volumes of both halves of its
 * projections, which have the same balance of data and prior. Let d be the root mean square of their difference.
 *
 *     noise = d/2      of the mean of both, whose noise is independent
 *     error = d/√2     the noise of a half: twice the square of the volume's own, of which the other half stands for
 *                      what both halves have wrong in common, and no difference shows (docs/QUALITY.md)
 */

typedef struct SinoWorth {
    double noise, error;      /* root mean squares in the inscribed circles, in units of the volumes */
    double relative;          /* error, as a share of the root mean square of the volume; NaN: it is 0 */
    double half_bit, seventh; /* frequencies where the ring correlation falls below 1/2 bit and 1/7, cycles per voxel;
                               * NaN: it never does; 0: not known */
} SinoWorth;

/* By the mean squares of the difference, and of the mean of both halves; of no ring correlation. */
SinoWorth sino_compare_worth_of(double difference, double square);

/* Reads two volumes of equal size twice, a few slices at a time. SINO_BAD_INPUT: a value is NaN or infinite.
 * SINO_FAILED: no memory, or a task failed. */
SinoStatus sino_compare_halves(SinoRuntime *runtime, char *even, char *odd, SinoWorth *worth);

/* Compare: what the verb knows of two volumes. Private to compare.c, compare_region.c and compare_report.c. */

enum { SINO_COMPARE_REGION_TEXT = 96 };

typedef struct SinoCompare {
    const SinoSettings *settings;
    SinoVolumeInput *input[2]; /* the volume, and its reference */
    int64_t first, count;      /* slices of both */
    int64_t height, width;
    SinoImageRegion region, object, background;
    SinoImageRegion disc;    /* of the ring correlation */
    SinoComparison *slice;   /* [count]; owned */
    SinoComparison total;    /* of all slices; its rings are owned */
    SinoRingSums *ring_sums; /* [count][rings], of the slices; NULL: no ring correlation; owned */
    SinoRings *rings;        /* owned */
    int64_t ring_count;
    SinoRingPoint *curve; /* owned */
    SinoCompareRequest request;
    SinoVolume *map;      /* the error map; NULL: none, or finished; owned */
    float grey[2], reach; /* ranges of the picture */
} SinoCompare;

/* compare_region.c. Reads --slices, --region, --object and --background. SINO_BAD_INPUT: malformed, or outside. */
SinoStatus sino_compare_select(SinoCompare *compare);
/* The region in words; returns `text`. */
const char *sino_compare_region_text(const SinoCompare *compare, char text[SINO_COMPARE_REGION_TEXT]);

typedef enum SinoCompareMeasure {
    SINO_COMPARE_RELATIVE,    /* ‖a − b‖/‖b‖ */
    SINO_COMPARE_RMSE,        /* √(Σ(a − b)²/n) */
    SINO_COMPARE_PSNR,        /* 20 log₁₀(range/RMSE), infinite if both are equal */
    SINO_COMPARE_SIMILARITY,  /* mean structural similarity */
    SINO_COMPARE_CORRELATION, /* Pearson's */
    SINO_COMPARE_MEASURES
} SinoCompareMeasure;

/* compare_report.c. A measure of a slice or of all; NaN: it is not defined. */
double sino_compare_measure(const SinoCompare *compare, const SinoComparison *of, SinoCompareMeasure which);
/* Of two halves whose ring correlation is known. */
SinoWorth sino_compare_worth(const SinoCompare *compare);
/* The slice, 0 … count − 1, where the measure is worst; −1: it is not defined in any. */
int64_t sino_compare_worst(const SinoCompare *compare, SinoCompareMeasure which);
void sino_compare_print(const SinoCompare *compare, FILE *out);
void sino_compare_json(const SinoCompare *compare, FILE *out);
void sino_compare_curve(const SinoCompare *compare, FILE *out); /* the ring correlation as CSV */
