/* SPDX-License-Identifier: BSD-3-Clause */
/* Input: the part of a scan that is reconstructed, checked against the scan's contents. */
#pragma once

#include "correct.h"
#include "files_tasks.h"
#include "flat_sets.h"
#include "harden.h"
#include "layout.h"
#include "settings.h"
#include "stripes.h"
#include "tilt.h"
#include "view.h"
#include "weights_file.h"

/* Stages whose order --stages tells. */
enum { SINO_STAGES_MOVABLE = 4 };

typedef struct SinoInput {
    SinoScan *scan;
    const SinoScanInfo *info;
    int64_t first_row, row_count;       /* detector rows, a multiple of binning */
    int64_t first_column, column_count; /* detector columns, a multiple of binning */
    int64_t binning;
    int64_t slice_count; /* row_count / binning; of a cone beam: rows of the detector, binned */
    SinoFlatCorrection flat_correction;
    SinoFlatSets flat_sets;
    bool minus_log;
    int64_t air;                          /* columns of air at each side, before binning; 0: no normalisation */
    double tilt_rad;                      /* of the detector (codelets/stages/tilt.h); 0: none */
    double row_shift;                     /* of a cone beam whose center row is not given: detector rows from the middle
                                           * to the center row */
    SinoPhaseOptions phase;               /* its range 0: no phase retrieval; its columns: see sino_input_phase */
    SinoHardening hardening;              /* count 0: no correction */
    bool stages_ordered;                  /* false: stages run in the order of their table (stages.h) */
    int stage_order[SINO_STAGES_MOVABLE]; /* numbers in the table of the stages after the first */
    bool stages_chosen;                   /* the next two are sinodag's choice, by a sample of the scan */
    double zinger_level;                  /* standard deviations; 0: zingers are kept */
    SinoStripesOptions stripes;           /* its sizes: see sino_input_stripes */
    bool uneven;       /* the object reaches beyond the detector, or lets so little light through that rays should not
                        * count alike: by a sample of the scan, not for the normal operator */
    bool pad_edges;    /* projections are continued by their outermost values before they are filtered */
    double saturation; /* counts of this value or more are undefined; 0: none */
    double most;       /* without flat fields: values as far from 0 as this are undefined; 0: none */
    double unit;       /* how large a line integral of 1 is in the unit of the values, by a sample (checks.h); 1 of
                        * counts and transmissions */
    SinoWeightsFile *weights; /* of rays (input_parts.h), which whoever opened the input closes with it; NULL: none */
    double weights_scale;     /* a power of two near the largest weight of the middle slice */
    double weights_zero;      /* the share of its rays whose weight is 0 */
    SinoGeometry geometry; /* of one slice, binned; center −1 until it is known; the scan's angles, with the sign that
                            * --angle-direction says; of a cone beam: its angles and columns (cone_scan.h) */
    int64_t center_rows;   /* detector rows by which the center was found; 0: given, or not by rows */
    double center_uncertainty; /* how far the true center may be off, about two standard deviations, in columns of the
                                * detector; of 1 row or more */
    SinoView *view;      /* [geometry.angle_count], in mm: vectors of the projections, of the detector after crop and
                          * binning; owned; NULL: the scan turns about an axis */
    bool turned;         /* `view` has been turned and shifted by --align pose */
    SinoShift *shift;    /* [geometry.angle_count], of the projections, in columns and rows of the file; owned; NULL:
                          * none */
    double shift_reach;  /* the largest distance by rows among the shifts */
    bool *dropped;       /* [geometry.angle_count]: projections without any value, which direct methods leave out
                          * (stages.h); owned; NULL: not looked for */
    double *negated_rad; /* [geometry.angle_count]: the angles, if their sign is turned; owned; else NULL */
    int64_t first_slice; /* first slice that this rank works on: 0, or the beginning of its share */
    int64_t angle_count; /* angles that this rank reads: all of the scan, or its share */
    int64_t run_count;
    SinoAngleRun *run;    /* [run_count]: the angles that this rank reads; owned */
    double arrival_per_s; /* of a scan that is followed in a simulation: projections of the file; 0: all are there */
    int64_t *place; /* [angle_count]: number of each in this rank's ray vectors; owned; NULL: all angles, in order */
} SinoInput;

/* The scan that the settings name. Its texts are theirs. */
SinoScanRequest sino_input_scan_request(const SinoSettings *settings);

/* Tries in a child process whether the headers of the scan can be read (sino_scan_try). A verb calls this before it
 * starts MPI or StarPU. */
SinoStatus sino_input_try(const SinoSettings *settings);

/* Opens the scan that the settings name and selects a part of it. Of counts it reads some rows of the flat and dark
 * fields, to leave out the odd ones (flat_sets.h); flats may be absent. SINO_BAD_INPUT: rows or columns are outside
 * the detector or empty, or nothing is left after binning. */
SinoStatus sino_input_describe(const SinoSettings *settings, SinoInput *input);

/* sino_input_describe of a scan that is not there, for simulations: `info`, which is not copied, says what it would
 * hold: counts, flat and dark fields. The input's scan is NULL. */
SinoStatus sino_input_imagine(const SinoSettings *settings, const SinoScanInfo *info, SinoInput *input);

/* The angles of its geometry are a guess that no run takes. */
bool sino_input_lacks_angles(const SinoInput *input);

/* Checks that the scan has what a run needs, without reading counts. SINO_BAD_INPUT: it lacks angles or flat fields, or
 * the settings name fields that are not used. */
SinoStatus sino_input_check(const SinoInputSettings *settings, const SinoInput *input);

/* sino_input_describe for a run: logs warnings about the scan, and requires usable flats unless the settings say
 * otherwise. SINO_BAD_INPUT, in addition: flats are absent or without light. */
SinoStatus sino_input_open(const SinoSettings *settings, SinoLog *log, SinoInput *input);
void sino_input_close(SinoInput *input);

/* Sets grid_size and margin for a scan with `columns` columns after binning: --volume and --margin; of a cone beam the
 * slice's side along x. SINO_BAD_INPUT: the beam is parallel, and --volume is not square, or too small for the
 * algorithm, or --margin is of no use. */
SinoStatus sino_input_size_grid(const SinoSettings *settings, int64_t columns, SinoGeometry *grid);

/* Convert between the file's detector columns and the geometry's columns, which begin at first_column and are `binning`
 * detector columns wide. */
double sino_input_column_of_file(const SinoInput *input, double grid_column);
double sino_input_column_of_grid(const SinoInput *input, double file_column);

/* The same for rows: those of the geometry begin at the first row of all ranks. */
double sino_input_row_of_grid(const SinoInput *input, double file_row);

/* The input with every column of the detector: a crop may leave out the part by which the center is found. Owns
 * nothing. */
SinoInput sino_input_with_all_columns(const SinoInput *input);

/* Restricts the input to `count` of its slices from `first` on; other ranks have the rest. */
void sino_input_take_slices(SinoInput *input, int64_t first, int64_t count);

/* Restricts the input to the angles k of the scan with place[k] ≠ −1. place[k] is the angle's number among the rows of
 * this rank's ray vectors; `place` is not kept. SINO_FAILED: no memory. */
SinoStatus sino_input_take_angles(SinoInput *input, const int64_t *place);

/* The correction of a minibatch's `slices`, which begin at slice_in_slab of a slab of slab_slices slices whose first
 * one is slice first_slice. */
SinoCorrection sino_input_correction(const SinoInput *input, SinoSlices slices, int64_t first_slice,
                                     int64_t slab_slices, int64_t slice_in_slab);

/* Whether --align asks for a search for shifts, and whether for turns, too. */
bool sino_input_searches_shifts(const SinoStageSettings *settings);
bool sino_input_searches_turns(const SinoStageSettings *settings);

/* The file of shifts that --align names; NULL: none. */
const char *sino_input_shifts_file(const SinoStageSettings *settings);

/* Copies the shifts of the input's angles from all[projection of the file], in columns and rows of the file. */
SinoStatus sino_input_take_shifts(const SinoShift *all, SinoInput *input);

/* The number of an angle's projection in the file, and how many the file has. */
int64_t sino_input_projection(const SinoInput *input, int64_t angle);
int64_t sino_input_projections(const SinoInput *input);

/* Takes the tilt of the detector, shifts of a file and phase retrieval from the settings. SINO_BAD_INPUT: what they
 * need is missing. */
SinoStatus sino_input_take_images(const SinoSettings *settings, SinoInput *input);

SinoStatus sino_input_take_order(const SinoStageSettings *settings, SinoInput *input); /* of the stages */
SinoStatus sino_input_take_phase(const SinoSettings *settings, SinoInput *input);
const char *sino_input_phase_title(const SinoInput *input); /* of the method, as `info` calls it */

/* Whether whole images are filtered or resampled before the logarithm: then a slab has all columns of the detector, and
 * sino_input_halo rows to each side, as far as the detector goes. */
bool sino_input_has_images(const SinoInput *input);
int64_t sino_input_halo(const SinoInput *input);

/* Phase retrieval of the input's detector, if input->phase.range is not 0, and its tilt, of counts whose first row is
 * the detector's row image_row. */
SinoPhaseOptions sino_input_phase(const SinoInput *input);
SinoTilt sino_input_tilt(const SinoInput *input, int64_t image_row); /* of all angles of the scan */

/* Bytes of scratch memory of both, for a minibatch of `rows` rows of the detector. */
int64_t sino_input_images_bytes(const SinoInput *input, int64_t rows);

/* Scratch memory with which GPUs compute them for a minibatch of so many slices; 0: there are none. */
int64_t sino_input_images_gpu_bytes(const SinoInput *input, int64_t slices);

/* Gives the slices another side and margin. SINO_BAD_INPUT: too large. */
SinoStatus sino_input_enlarge(SinoInput *input, int64_t side, int64_t margin);

/* Whether the center is known and the scan is a half acquisition whose slices have room for what is seen once
 * (redundancy.h). */
bool sino_input_is_half(const SinoInput *input);

/* What a sample of the scan asks for, where the settings leave the choice. */
typedef struct SinoStageChoice {
    bool zingers;
    SinoStripesMethod stripes;
    bool edges;     /* the object reaches beyond the detector */
    int64_t air;    /* columns at each side; 0: none */
    int64_t margin; /* voxels beyond each side of the slices (geometry.h) that have room for the object; 0: none */
    int64_t side;   /* of the volume of a cone beam that has room for the object; 0: as it is */
    bool uneven;    /* see SinoInput */
    double most;    /* see SinoInput */
    double unit;    /* likewise; 0: 1, as no scan was judged */
    double tilt_rad, row_shift; /* likewise; 0: none */
    bool turned;                /* the sample turns counterclockwise */
} SinoStageChoice;

/* Takes the choice over. SINO_BAD_INPUT: slices with the margin are too large. */
SinoStatus sino_input_choose_stages(const SinoStageSettings *settings, SinoStageChoice choice, SinoInput *input);

/* The removal of stripes from sinograms of the input's angles and columns. */
SinoStripesOptions sino_input_stripes(const SinoInput *input);

/* The load of a slab: its slices as a box of the scan. */
SinoLoad sino_input_load(const SinoInput *input, int64_t first_slice, int64_t slice_count);

/* Bytes of a slab's counts at angle_count angles, with the rows beside it that images need, of one flat or
 * dark field of a slab, and of all that `load` makes of them: the flat field of each set, and the dark field. */
int64_t sino_input_slab_bytes(const SinoInput *input, int64_t angle_count, int64_t slice_count);
int64_t sino_input_field_bytes(const SinoInput *input, int64_t slice_count);
int64_t sino_input_fields_bytes(const SinoInput *input, int64_t slice_count);

/* *slice: the slice that contains a detector row; row < 0: the middle slice. SINO_BAD_INPUT: the row is not
 * reconstructed. */
SinoStatus sino_input_slice_of_row(const SinoInput *input, int64_t row, int64_t *slice);
