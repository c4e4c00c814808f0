/* SPDX-License-Identifier: BSD-3-Clause */
/* Compare: what the verb knows of two volumes. Private to compare.c, compare_region.c and compare_report.c. */
#pragma once

#include "compare_halves.h"
#include "files_tasks.h"
#include "settings.h"
#include "volume.h"
#include "volume_input.h"

#include <stdio.h>

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
