/* SPDX-License-Identifier: BSD-3-Clause */
/* Scan sample: some values of a scan, by which `info` and `recon` judge whether the scan is what it is taken for. */
#pragma once

#include "input.h"

/* A column is odd if it is off both neighbours by more than this, as a difference of line integrals in their natural
 * unit. */
#define SINO_ODD_COLUMN 0.15

/* A pixel stands out if it is off both neighbours by more than this in the mean of projections, in the same unit. */
#define SINO_STANDING 0.02

/* Fringes of phase contrast that nonnegative slices cannot have. */
#define SINO_FRINGES 0.03

/* Air that is brighter or darker than the flat fields by more than a factor of e^0.05 has another exposure. */
#define SINO_AIR_LEVEL 0.05

/* Statistics of the counts (or values) of a sample, and of the line integrals that follow from them. */
typedef struct SinoScanSample {
    int64_t projections, rows; /* sampled: projections spread over the scan, rows in blocks spread over the detector */
    bool in_order;             /* neighbours in the file see the object from sides close together (angle_order.h) */
    int64_t count, finite, zero;
    double mean, edges;   /* means of the finite values; edges: of the outermost columns */
    bool fields;          /* the scan has the flat fields that its values are divided by */
    bool lacks_fields;    /* its values are taken for counts, and it has no flat fields */
    double flat, dark;    /* means of the fields; dark NaN: the scan has none */
    double flat_change;   /* of the second half of the flat fields against the first, as a share of their light; 0 if
                           * it is no more than they differ among themselves, or if they are sets */
    double most;          /* without flat fields: where values begin to be implausible, by the level of the sample's
                           * values, which a hundredth of them exceeds; 0: nowhere, as of integers */
    double unit;          /* how large a line integral of 1 is in the unit of the values: 1 of counts and transmissions;
                           * of line integrals, whose unit is not known, half of their level, for few objects let less
                           * than e^-2 of the light through */
    int64_t undefined;    /* values without a line integral (codelets/stages/correct.h) */
    double integral;      /* mean of the defined line integrals; 0 if there is none */
    int64_t column_count; /* of the part of the scan that is reconstructed */
    double *column_integral;  /* [column]: mean of the absolute line integrals; owned */
    double *column_level;     /* [column]: mean of the defined line integrals; NaN if there is none; owned */
    double transmission;      /* mean where the flat fields have light; NaN: none has, or there are no flat fields */
    double edge_transmission; /* likewise, of the outermost columns */
    double evenness;          /* of the weights w of rays by their photons: 1/(mean of w · mean of 1/w); NaN: no ray */
    double stripes;       /* deviation of the columns' offsets, in line integrals (stripe_sample.h); NaN if the sample
                           * is too small for that */
    double fringed;       /* share of rows of projections that fall below air beside the object by more than
                           * SINO_FRINGES of their large line integrals, as fringes of phase contrast do */
    int64_t zingers;      /* values of neighbouring projections that are far brighter than those around them */
    int64_t neighbours;   /* values of neighbouring projections that were looked at */
    int64_t looked_at;    /* these projections */
    int64_t with_zingers; /* those of them that have some */
    int64_t air_columns;  /* columns of air at each side, whose light changes during the scan, or differs from the
                           * flat fields'; 0: not air, or neither */
    double air_drift;     /* standard deviation of its line integrals over the projections */
    double air_level;     /* mean line integral of the outermost columns; NaN: not known */
    double brightest;     /* the largest mean transmission of the outermost columns, over sides and projections; without
                           * fields their largest mean count; NaN: not known */
    int64_t standing;     /* pixels that are off both neighbours by more than SINO_STANDING, far above their noise */
    int64_t odd_columns;  /* columns that differ from both neighbours in every projection: hot or dead */
} SinoScanSample;

/* Reads a sample of the part of the scan that `input` selects. stages: looks for stripes, odd columns, fringes and
 * zingers, too; without, their numbers are 0, or NaN. SINO_FAILED: no memory, or the file cannot be read. */
SinoStatus sino_scan_sample_new(const SinoInput *input, bool stages, SinoScanSample *sample);
void sino_scan_sample_free(SinoScanSample *sample);
