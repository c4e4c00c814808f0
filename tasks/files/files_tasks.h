/* SPDX-License-Identifier: BSD-3-Clause */
/* The tasks that read, compare and store files. */
#pragma once

#include "counts_file.h"
#include "image_quality.h"
#include "input_settings.h"
#include "journal.h"
#include "page.h"
#include "panel.h"
#include "plane_sums.h"
#include "ring_correlation.h"
#include "runtime.h"
#include "scan.h"
#include "status.h"
#include "volume.h"
#include "volume_input.h"
#include "weights_file.h"

#include <stdbool.h>
#include <stdint.h>

/* Inserts checksum, which writes the digits of the checksum of `count` whole files (sino_checksum_files). Names and
 * digits are not owned. `bytes`: of the files, if they are known; for simulations. */
SinoStatus sino_insert_checksum(SinoRuntime *runtime, int64_t count, const char *const *path, int64_t bytes,
                                char *digits);

/* Tasks compare_sums and compare_likeness: how close two slices are (image_quality.h, ring_correlation.h); compare_map
 * and store_map: the error of each voxel by slices of both halves (error_map.h). */

/* What is compared of slices a and b; nothing is owned, all of it outlives the tasks. */
typedef struct SinoCompareRequest {
    int64_t width; /* voxels of a row */
    const SinoImageRegion *region;
    const SinoImageRegion *object, *background; /* circles; NULL: none */
    /* of compare_likeness alone, after all sums are known: */
    double range;           /* of the reference b; 0: there is no structural similarity */
    double scale, offset;   /* the straight line that fits best, from a to b; NaN: there is none */
    const SinoRings *rings; /* NULL: no ring correlation */
} SinoCompareRequest;

/* Of two slices. */
typedef struct SinoComparison {
    SinoPairSums all, object, background;
    SinoSimilarity similarity;
    double fit_error;    /* Σ(scale·a + offset − b)² */
    SinoRingSums *rings; /* [sino_rings_count]; NULL: not wanted; not owned */
} SinoComparison;

/* Each writes its part of *comparison: the sums, or what follows them. a, b: float[height][width]. */
SinoStatus sino_insert_compare_sums(SinoRuntime *runtime, const SinoCompareRequest *request, SinoData *a, SinoData *b,
                                    SinoComparison *comparison);
SinoStatus sino_insert_compare_likeness(SinoRuntime *runtime, const SinoCompareRequest *request, SinoData *a,
                                        SinoData *b, SinoComparison *comparison);

/* Writes the error map of a and b to a, and to a slice of the volume, which outlives the task. io: void data that
 * orders the tasks of files. */
SinoStatus sino_insert_compare_map(SinoRuntime *runtime, int64_t height, int64_t width, SinoData *io, SinoData *a,
                                   SinoData *b, SinoVolume *volume, int64_t slice);

/* Inserts a task compress for each of the images [count], which `store` then writes. They are slices first_slice,
 * first_slice + 1 … of the volume. The volume packs (sino_volume_packs). */
SinoStatus sino_insert_compress(SinoRuntime *runtime, SinoPosition position, SinoVolume *volume, int64_t first_slice,
                                int64_t count, int64_t pixels, SinoData *image);

/* Bytes of a slice of so many voxels as it is stored. */
int64_t sino_compress_slice_bytes(SinoOutputType type, int64_t voxels);

/* Task live: writes the page of a run that follows a scan, once a second at most. */

/* The line integrals of a detector row, by which the rotation axis is found. Nothing is owned. */
typedef struct SinoLiveRow {
    float *sinogram;         /* [angle][column], filled by tasks before those of the page; NULL: there is none */
    const double *angle_rad; /* of each row */
    int64_t column_count;
    double around;             /* the axis is near this column */
    double first_column, step; /* the place of column c in the file: first_column + step·c */
} SinoLiveRow;

/* What the tasks of a run have shown; zeros before the first one. */
typedef struct SinoLiveShown {
    double last_s;       /* when, by sino_platform_now_s */
    int64_t added;       /* projections */
    double added_s;      /* when they became as many */
    double added_per_s;  /* then */
    SinoLiveTrail trail; /* of the xy plane and the row */
    bool failed;         /* a page could not be written, which is told once, as a warning */
} SinoLiveShown;

/* Inserts live. The planes, the rate and the trail of the page come from the task. `shown`, `row` and the page's texts
 * are not owned, and outlive the tasks; `order`: void data that all tasks of the page have. */
SinoStatus sino_insert_live(SinoRuntime *runtime, SinoPosition position, const SinoLivePage *page,
                            const SinoLiveRow *row, SinoLiveShown *shown, SinoData *const plane[SINO_LIVE_PLANES],
                            SinoData *order);

/* Consecutive angles of a scan. */
typedef struct SinoAngleRun {
    int64_t first, count;
} SinoAngleRun;

/* The part of a scan that a task load reads: counts[angle][row][column] of a box at the angles of all runs, and the
 * box's mean or median flat fields[set][row][column] and dark field[row][column]. The data `io` orders all tasks that
 * call HDF5. */
typedef struct SinoLoad {
    SinoScan *scan;
    SinoScanBox box;
    int64_t run_count;
    const SinoAngleRun *run; /* not owned */
    SinoFlatCorrection flat_correction;
    int64_t flat_sets;           /* sets of flat fields; 0: all flat fields are one */
    const int64_t *flat_set_end; /* [set]: number of the flat field after its last one; not owned */
    bool aside;                  /* sino_runtime_wait does not wait for the task */
    bool fields;                 /* false: only counts are read; flat and dark are NULL */
} SinoLoad;

/* Bytes in which a task load averages `image_count` fields of `rows` rows: it does so in pieces of whole rows. */
int64_t sino_load_field_bytes(int64_t image_count, int64_t rows, int64_t row_bytes);

SinoStatus sino_insert_load(SinoRuntime *runtime, SinoPosition position, const SinoLoad *load, SinoData *io,
                            SinoData *counts, SinoData *flat, SinoData *dark);

/* Tasks load_volume and load_counts: read slices of a finished volume (volume_input.h), and a set of values that go
 * with a system matrix (counts_file.h). */

/* Slices of a volume. Pointers are not owned, and outlive the task. */
typedef struct SinoVolumeSlices {
    SinoVolumeInput *input;
    int64_t first_slice, slice_count;
    const char *name; /* in errors; NULL: any values are allowed */
    double least;     /* with a name: every value is finite, and at least this, 0 or −∞ */
} SinoVolumeSlices;

/* values: float[slice][height][width], of slice_count slices or more. io: void data that orders the tasks that read
 * files. The run fails with SINO_BAD_INPUT if the file is damaged, or a value is not allowed. */
SinoStatus sino_insert_load_volume(SinoRuntime *runtime, SinoPosition position, const SinoVolumeSlices *part,
                                   SinoData *io, SinoData *values);

/* values: float of every element of a set. io: void data that orders the tasks that read and write files. The file is
 * not owned, and outlives the task. */
SinoStatus sino_insert_load_counts(SinoRuntime *runtime, SinoPosition position, SinoCountsFile *file, int64_t set,
                                   SinoData *io, SinoData *values);

/* Weights of a minibatch's rays that this rank owns (weights_file.h). Pointers are not owned, and outlive the task. */
typedef struct SinoLoadWeights {
    SinoWeightsFile *file; /* NULL in simulations, or if there is `slice` */
    SinoWeightsPart part;  /* whose box has the rows of the minibatch's slices */
    const float *slice;    /* [angle of the scan][column]: weights of every slice; NULL: `file` has them */
    int64_t run_count;
    const SinoAngleRun *run; /* the angles */
    const int64_t *place;    /* angle number j of the runs becomes rows place[j]·M + c of M columns; NULL: j */
    SinoSlices slices;
    int64_t member_count;       /* the rows of all of them, one after the other, are those of the rays */
    const int64_t *member_rows; /* [member_count]; NULL: there is one member */
} SinoLoadWeights;

/* weights[member_count]: vectors in panels, a row for each ray; padding becomes 0. sinogram: the line integrals of the
 * same rays, in one vector, which become −0, no value (correct.h), where the weight is 0. io: void data that orders the
 * tasks that read files; NULL if there is `slice`. The run fails with SINO_BAD_INPUT if a weight is not allowed. */
SinoStatus sino_insert_load_weights(SinoRuntime *runtime, SinoPosition position, const SinoLoadWeights *load,
                                    SinoData *io, SinoData *sinogram, SinoData *const *weights);

/* Sections: three orthogonal planes of a volume, and its largest values along z, taken for pictures while its slices
 * are stored. */

/* Slices of `height` rows of `width` voxels. Whoever fills the structure owns the arrays. */
typedef struct SinoSections {
    int64_t width, height;
    int64_t slice_count; /* of the volume, or of its first set of slices, which the sections show */
    int64_t slice;       /* number of the slice that is copied to xy */
    float *xy;           /* [height][width]; NULL: not wanted */
    float *xz;           /* [slice_count][width], of row height/2; NULL: not wanted */
    float *yz;           /* [slice_count][height], of column width/2; NULL: not wanted */
    float *maximum;      /* [height][width]: of the slices taken; −∞ before the first one; NULL: not wanted */
} SinoSections;

/* Copies what slices[slice_count], of which the first one is slice first_slice of the volume, have of the sections.
 * Slices may come in any order, one caller at a time. */
void sino_sections_take(const SinoSections *sections, int64_t first_slice, int64_t slice_count, const float *slices);

/* Task planes: takes what slices have of three planes of the volume. Tasks plane_sums and show_sums: the planes of a
 * volume whose projections come, by their rays alone (plane_sums.h). */

/* Slices of a minibatch, and the volume; its arrays are not used. */
typedef struct SinoPlanes {
    SinoSections sections;
    int64_t first_slice, slice_count;
} SinoPlanes;

/* Inserts planes, from `image`, float[slice][height][width], to the planes, as those of SinoLivePage. */
SinoStatus sino_insert_planes(SinoRuntime *runtime, SinoPosition position, const SinoPlanes *planes, SinoData *image,
                              SinoData *const plane[SINO_LIVE_PLANES]);

/* Inserts plane_sums: adds angles to the sums, which lie like the planes of SinoLivePage. */
SinoStatus sino_insert_plane_sums(SinoRuntime *runtime, SinoPosition position, const SinoPlaneSums *what,
                                  SinoData *rays, SinoData *const sums[SINO_LIVE_PLANES]);

/* Planes of sums: of a volume of slice_count slices of side × side voxels. */
typedef struct SinoSumsShown {
    int64_t side, slice_count;
    double scale, mask_ratio; /* as of sino_plane_sums_show */
} SinoSumsShown;

/* Inserts show_sums: makes planes of the sums. */
SinoStatus sino_insert_show_sums(SinoRuntime *runtime, SinoPosition position, const SinoSumsShown *shown,
                                 SinoData *const sums[SINO_LIVE_PLANES], SinoData *const plane[SINO_LIVE_PLANES]);

/* Where the entries of a journal go. Pointers are not owned. */
typedef struct SinoRestore {
    const SinoJournal *journal;
    SinoVolume *volume;
    int64_t slice_count;   /* of the volume */
    int64_t numbers;       /* of a slice's history */
    double *history;       /* the run's [slices][numbers] */
    int64_t *repaired;     /* the run's [slices]; NULL: not told */
    int64_t tally_count;   /* of every entry; the caller adds the tallies of slices that are taken over */
    SinoSections sections; /* get the slices that are found */
    int64_t *told; /* [2][slices]: becomes 1 where this rank has a slice's repair count; and where its voxels are on the
                    * disk as they were stored */
} SinoRestore;

/* Inserts restore, which reads the slices that an unfinished run has stored back, compares their checksums, and copies
 * what the entries tell. Entries that do not fit the volume are left out. */
SinoStatus sino_insert_restore(SinoRuntime *runtime, const SinoRestore *restore);

/* The slice of a minibatch whose line integrals a task sample copies for a picture, at the angles of its sinogram. */
typedef struct SinoSample {
    int64_t slice, column_count;
    int64_t run_count;
    const SinoAngleRun *run; /* [run_count]: angles of the scan; not owned */
    const int64_t *place;    /* number of each angle in the sinogram; NULL: in order; not owned */
    float *to;               /* float[K·M], in the order of the scan; not owned */
} SinoSample;
/* `order`: void data that all tasks have which use the copy; NULL: it is used after the run. */
SinoStatus sino_insert_sample(SinoRuntime *runtime, SinoPosition position, SinoSlices slices, const SinoSample *sample,
                              SinoData *sinogram, SinoData *order);

/* Tasks shard and shrink: the levels of a volume that is a pyramid, from the slices that are stored. */

/* Inserts shard, which compresses and writes a shard of a level. The slices of the level are complete. */
SinoStatus sino_insert_shard(SinoRuntime *runtime, SinoVolume *volume, int64_t level, int64_t shard);

/* Inserts shrink, which makes slices [first, first + count) of the next level. */
SinoStatus sino_insert_shrink(SinoRuntime *runtime, SinoVolume *volume, int64_t level, int64_t first, int64_t count);

/* Where undefined values are counted. Pointers are not owned. */
typedef struct SinoTally {
    int64_t *by_angle;  /* the run's [angle of the scan] */
    int64_t *by_column; /* the run's [column_count] */
    int64_t *by_row;    /* the run's [row_count]; NULL: rows are counted as slices (SinoStore.repaired) */
    int64_t column_count, row_count, run_count;
    const SinoAngleRun *run; /* [run_count]: the angles of this rank, in the order of a minibatch's tally */
} SinoTally;

/* The numbers of a minibatch's tally: by angle of this rank, then by column, then by row. */
int64_t sino_tally_count(const SinoTally *to);

/* Adds a minibatch's tally to the run's. */
void sino_tally_add(const SinoTally *to, const int64_t *tally);

/* Destinations of a minibatch: the image goes to the volume, history and counts of undefined values go to the run's
 * arrays. Of the ranks that share a minibatch one keeps its image; the others (`keeper` false) contribute the counts of
 * their angles. Pointers are not owned. */
typedef struct SinoStore {
    bool keeper;
    bool rounds;          /* the image becomes what the volume has of it; sino_insert_store sets it */
    SinoVolume *volume;   /* NULL: only the picture is written */
    SinoJournal *journal; /* gets an entry once the images are written; NULL: none */
    int64_t first_slice, slice_count;
    int64_t iteration_count; /* 0: a direct method */
    int64_t numbers;         /* of a slice's history (SinoHistory) */
    double *history;         /* the run's [slices][numbers] */
    int64_t *repaired;       /* the run's [slices]; NULL: not told */
    bool tallied;            /* the tally goes to the run's arrays and to the journal; false: another entry has it */
    SinoTally tally;
    SinoSections sections; /* get the minibatch's part */
} SinoStore;
SinoStatus sino_insert_store(SinoRuntime *runtime, SinoPosition position, const SinoStore *store, SinoData *io,
                             SinoData *image, SinoData *history, SinoData *repaired, SinoData *tally);
