/* SPDX-License-Identifier: BSD-3-Clause */
/* Input: which part of a scan is reconstructed, checked against what the scan holds. */
#ifndef SINO_INPUT_H
#define SINO_INPUT_H

#include "tasks.h"

typedef struct SinoInput {
    SinoScan *scan;
    const SinoScanInfo *info;
    int64_t first_row, row_count;       /* detector rows, a multiple of binning */
    int64_t first_column, column_count; /* detector columns, a multiple of binning */
    int64_t binning;
    int64_t slice_count; /* row_count / binning */
    SinoFlatCorrection flat_correction;
    bool minus_log;
    SinoGeometry geometry; /* of one slice, binned; center −1 until it is known; angles are the scan's */
    int64_t first_slice;   /* of those that this process works on: 0, or where its share begins */
    int64_t angle_count;   /* that this process reads: all of the scan, or its share */
    int64_t run_count;
    SinoAngleRun *run; /* these angles; owned */
    int64_t *place;    /* of each of them, among the rows of this process's ray vectors; owned; NULL: of all */
} SinoInput;

/* SINO_BAD_INPUT: rows or columns outside the detector or empty, nothing left after binning, flats absent or all zero.
 */
SinoStatus sino_input_open(const SinoSettings *settings, SinoLog *log, SinoInput *input);
void sino_input_close(SinoInput *input);

/* Between the file's detector columns and the geometry's, which begin at first_column and are `binning` wide. */
double sino_input_column_of_file(const SinoInput *input, double grid_column);
double sino_input_column_of_grid(const SinoInput *input, double file_column);

/* Some of the slices from now on; those before are others'. */
void sino_input_take_slices(SinoInput *input, int64_t first, int64_t count);

/* Only those angles from now on that are number first … first + count − 1 of the layout. SINO_FAILED: no memory. */
SinoStatus sino_input_take_angles(SinoInput *input, const SinoLayout *layout, int64_t first, int64_t count);

/* How the slices from slice_in_slab on, of a slab of slab_slices, are corrected. */
SinoCorrection sino_input_correction(const SinoInput *input, SinoSlices slices, int64_t slab_slices,
                                     int64_t slice_in_slab);

/* The slab of slices as a box of the scan. */
SinoLoad sino_input_load(const SinoInput *input, int64_t first_slice, int64_t slice_count);

/* Bytes of a slab's counts at some angles, and of its flat and dark field. */
int64_t sino_input_slab_bytes(const SinoInput *input, int64_t angle_count, int64_t slice_count);
int64_t sino_input_field_bytes(const SinoInput *input, int64_t slice_count);

/* The slice made from a detector row; −1: the middle slice. SINO_BAD_INPUT: not among those reconstructed. */
SinoStatus sino_input_slice_of_row(const SinoInput *input, int64_t row, int64_t *slice);

#endif
