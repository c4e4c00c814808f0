/* SPDX-License-Identifier: BSD-3-Clause */
/* recon of a volume, inside: the state of a run (recon_volume.c), and what differs between geometries
 * (recon_parallel.c, recon_cone.c, recon_cone_solution.c; recon_scan.c has what is of scans). */
#pragma once

#include "amounts.h"
#include "compare.h"
#include "ending.h"
#include "job_kind.h"
#include "live.h"
#include "recon.h"
#include "recon_resume.h"
#include "settings.h"
#include "stages.h"

#include <stdio.h>

typedef struct SinoReconKind SinoReconKind;

/* The files of an input; not owned. */
typedef struct SinoInputFiles {
    int64_t count;
    const char *const *name;
} SinoInputFiles;

/* The time of the run's phases, which follow each other. */
enum { SINO_PHASES = 12 };
typedef struct SinoReconClock {
    double last_s; /* when the last phase ended, by sino_platform_now_s */
    int count;
    struct {
        const char *name; /* constant */
        double seconds;
    } phase[SINO_PHASES];
} SinoReconClock;

/* Numbers of a scan or a matrix, and of the division of the work. */
enum { SINO_RECON_SIZES_MAX = 3 };
typedef struct SinoReconSizes {
    int count;
    SinoAmounts of[SINO_RECON_SIZES_MAX];
    SinoAmounts team; /* how ranks share the work; count 0: all alike */
} SinoReconSizes;

/* What a run took: the most of any rank, and sums over ranks. */
typedef struct SinoReconMeasured {
    int64_t peak_bytes, data_bytes;                /* of main memory of the process, and of StarPU's data */
    int64_t read_bytes, written_bytes, sent_bytes; /* of files by system calls, and of messages between ranks */
    double processor_s;
} SinoReconMeasured;

/* What the report tells of a kind's plan and volume. */
typedef struct SinoReconFacts {
    int64_t memory_bytes, budget_bytes;  /* planned for a rank */
    int64_t data_bytes;                  /* planned, of StarPU data */
    int64_t operator_bytes, lists_bytes; /* planned, of what the operator stores, and of its lists for devices */
    bool weighs_rays;                    /* undefined values have weight 0; false: they are interpolated */
    double compute_s;                    /* planned for the slices; 0: not known */
    double voxel_um, slice_um;           /* side of a voxel within a slice, and across; 0: not known */
    double radius; /* in voxels: what lies further from the axis was not seen by all; 0: all was */
    int64_t least_iterations, most_iterations; /* planned, of a slice; 0: as many as the record has columns */
    double strength;                           /* of the prior; 0: there is none */
} SinoReconFacts;

typedef struct SinoRecon SinoRecon;

/* A run, or its simulation (simulate.c), which has no files to write. The kind owns `own`; runtime and volume are
 * opened by the run. */
struct SinoRecon {
    const SinoJobKind *job;
    const SinoReconKind *kind; /* of the job */
    const SinoSettings *settings;
    SinoLog *log;
    SinoProcesses *processes;
    SinoRuntime *runtime;
    bool runs_in;             /* the runtime is a caller's, who stops it */
    const SinoSettings *then; /* of the run that goes on with the whole scan; NULL: none does */
    const SinoRecon *whole;   /* the run whose choices this one takes, which has half of its projections; NULL: none */
    SinoStageChoice stages;   /* what a sample of the scan showed */
    SinoWorth worth;          /* of the volume, by its halves; noise 0: not known */
    SinoInput input;          /* a scan; after `build`: this rank's share of it; info NULL: the kind's input is none */
    SinoIntegrals *integrals; /* of the input, where a reconstruction does not load its scan; else NULL */
    SinoInputFiles files;     /* of the input, whose checksum is in /process */
    SinoResume resume;        /* zero: the run keeps no journals */
    SinoOutputNames names;
    SinoVolumeRequest request;
    SinoVolume *volume;
    SinoRecord record;
    SinoLive *live;    /* the page of --follow, which a run leaves to the one that goes on; NULL: none */
    SinoLastAct last;  /* tells what --resume goes on from; once the volume is complete, tells so */
    char checksum[17]; /* of the input; rank 0 only */
    SinoReconClock clock;
    SinoReconMeasured begin, measured; /* begin: of files, before the run */
    void *own;
};

/* What a kind of geometry does in a run, in this order. Functions are collective where they say so; a status is not
 * agreed upon otherwise. */
struct SinoReconKind {
    /* Tries in a child process whether the headers of the input can be read (sino_input_try). */
    SinoStatus (*try_input)(const SinoSettings *settings);
    /* On every rank: opens the input, unless it is there, allocates `own`, and completes the request of the volume. */
    SinoStatus (*begin)(SinoRecon *recon);
    /* Collective. Divides the work, again if the center has changed the size of slices; the runtime is up, and all
     * ranks have the same input. */
    SinoStatus (*plan)(SinoRecon *recon);
    /* Finds the rotation axis, which is not given; rank 0 only. NULL: there is none. */
    SinoStatus (*find_center)(SinoRecon *recon);
    /* Collective. Reconstructs a slice quickly, in the units of the output, into the new `record` of every rank. The
     * rotation axis is known. NULL: the kind has planes, or no SINO_JOB_RANGE. */
    SinoStatus (*sample)(SinoRecon *recon, int64_t slice, SinoRecord *record);
    /* Collective. The same for three planes through the middle of a coarse volume, into the record of rank 0. */
    SinoStatus (*sample_planes)(SinoRecon *recon, SinoRecord *record);
    /* Writes the choices of the plan that a resumed run must have, as "name: value" lines. */
    void (*print_plan)(const SinoRecon *recon, FILE *out);
    SinoRecordShape (*record)(const SinoRecon *recon);
    /* Collective. Makes what the whole run needs, and tells the plan. */
    SinoStatus (*build)(SinoRecon *recon);
    /* Collective. Finds what the scan decides of the solver; after `build`. NULL: nothing. */
    SinoStatus (*choose)(SinoRecon *recon);
    /* Restricts the input to this rank's share; after `choose`. NULL: it stays whole. */
    SinoStatus (*share)(SinoRecon *recon);
    /* How journals count, and the ranks that share a slice. */
    SinoRestored (*restored)(const SinoRecon *recon);
    /* Computes and stores all slices, while rank 0 computes the checksum of the input. Waits for all tasks, on failure
     * too. */
    SinoStatus (*compute)(SinoRecon *recon);
    /* After `compute` and `report`, before runs of halves: frees what is large. NULL: nothing is. */
    void (*rest)(SinoRecon *recon);
    SinoReconFacts (*facts)(const SinoRecon *recon);
    SinoReconSizes (*sizes)(const SinoRecon *recon);
    bool planes; /* pictures of the planes across the slices are files, too */
    /* Collective. With --profile: logs more of the run. NULL: nothing. */
    SinoStatus (*report)(SinoRecon *recon);
    /* Writes entries of /process; rank 0 only. */
    SinoStatus (*write_process)(SinoRecon *recon);
    /* After the output is complete. NULL: nothing is kept. */
    void (*keep)(SinoRecon *recon);
    void (*release)(SinoRecon *recon); /* `own` may be NULL */
};

/* A run of the settings, in a runtime that is the caller's; NULL: it starts its own. Nothing is owned. */
SinoRecon sino_recon_begun(const SinoSettings *settings, SinoRuntime *runtime, SinoProcesses *processes, SinoLog *log);

/* SINO_BAD_INPUT: with --follow, the kind or the settings need the whole scan at once, or several ranks have a page. */
SinoStatus sino_recon_check_follow(const SinoRecon *recon);

/* Collective, before the runtime starts: checks --follow, and in a child process whether the input can be read. */
SinoStatus sino_recon_check_settings(const SinoRecon *recon);

/* Opens the input on every rank; rank 0 also checks that the outputs may be written. */
SinoStatus sino_recon_open_input(SinoRecon *recon);

/* Collective. Reconstructs the volume and frees what the run owns. */
SinoStatus sino_recon_run(SinoRecon *recon);

/* Adds to the error of a failed run which output is safe on disk; `safe` NULL: unknown. Consumes the status. */
SinoStatus sino_recon_add_safe(SinoStatus status, const char *safe);

/* Opens the scan that the settings name as the input of the run, unless there is an input. */
SinoStatus sino_recon_open_scan(SinoRecon *recon);

/* Collective, in this order: what recon and simulate do between the opened input and the first slab. _judge: rank 0
 * looks at a sample of the scan, by which all choose stages; before the runtime starts. _divide: the plan, the rotation
 * axis, and what else is known before the operator. _build: the record and the operator. _choose: what the scan decides
 * of the solver, and this rank's share. */
SinoStatus sino_recon_judge(SinoRecon *recon);
SinoStatus sino_recon_divide(SinoRecon *recon);
SinoStatus sino_recon_build(SinoRecon *recon);
SinoStatus sino_recon_choose(SinoRecon *recon);

/* Collective, of cone beams. Stages that need whole sinograms are left out where sinodag chose them, and a rank has too
 * little memory for the whole scan. */
SinoStatus sino_recon_limit_stages(SinoRecon *recon);

/* Collective. Each rank runs them of the whole scan, if there are any, and keeps recon->integrals. */
SinoStatus sino_recon_keep_integrals(SinoRecon *recon);

/* recon_align.c. With --align shifts, collective: finds the shifts of the projections, or takes those of the whole
 * scan. _write: all shifts that there are, to /process. SINO_BAD_INPUT: several ranks. */
SinoStatus sino_recon_align(SinoRecon *recon);
SinoStatus sino_recon_write_shifts(SinoRecon *recon);

/* Writes `count` histories, each of which as many slices share, to /process: residuals, and log_likelihood if the
 * solver records it, which is logged, too. `whose` ("per slice") and `stopped` ("NaN once the slice has stopped") end
 * the descriptions. */
SinoStatus sino_recon_write_history(const SinoRecon *recon, int64_t count, const char *whose, const char *stopped);

/* Of the output (recon_output.c). _check_compression refuses one that the format has not; _make_levels, of rank 0,
 * makes the pyramid of a Zarr volume whose slices are all stored. */
SinoStatus sino_recon_check_compression(const SinoRecon *recon);

/* SINO_BAD_INPUT: the name of the output ends as that of another format (.h5, .tif, .zarr). */
SinoStatus sino_recon_check_name(const SinoOutputSettings *settings);
bool sino_recon_keeps_journals(const SinoRecon *recon);
SinoStatus sino_recon_make_levels(SinoRecon *recon);
void sino_recon_tell_output(const SinoRecon *recon);

/* --output-range (recon_range.c). _check_range refuses one that the kind cannot find, or that is too narrow;
 * _find_range, collective, completes the request of the volume; _write_range tells how many voxels were clipped, and
 * writes so to /process. */
SinoStatus sino_recon_check_range(const SinoRecon *recon);
bool sino_recon_samples_range(const SinoRecon *recon); /* slices are reconstructed to find it */
SinoStatus sino_recon_find_range(SinoRecon *recon);
SinoStatus sino_recon_write_range(SinoRecon *recon);

/* --halves (recon_half_sets.c). _check, of rank 0, refuses names that exist. _settings are those of half 0 (even) or 1,
 * which own nothing; _run is its run, by these. _rest frees what only the whole run needs. _done, collective: whether
 * the run that this one goes on with has completed the half. _compare, of rank 0, finds noise, error and resolution;
 * _tell (by both halves "of" the projections), _write and _report tell them, if they are known. */
SinoStatus sino_recon_half_sets_check(const SinoRecon *recon);
SinoSettings sino_recon_half_sets_settings(const SinoRecon *recon, int half);
SinoRecon sino_recon_half_sets_run(const SinoRecon *recon, const SinoSettings *settings);
void sino_recon_half_sets_rest(SinoRecon *recon);
SinoStatus sino_recon_half_sets_done(const SinoRecon *recon, int half, bool *done);
SinoStatus sino_recon_half_sets_compare(SinoRecon *recon);
void sino_recon_half_sets_tell(const SinoRecon *recon, const char *of);
SinoStatus sino_recon_half_sets_write(const SinoRecon *recon);
void sino_recon_half_sets_report(const SinoRecon *recon, FILE *out);

/* SinoReconKind.sample of a parallel beam. */
SinoStatus sino_recon_sample_slice(SinoRecon *recon, int64_t slice, SinoRecord *record);
/* recon_report.c. Ends a phase of the run, which began where the last one ended. */
void sino_recon_mark(SinoRecon *recon, const char *phase);

/* _begin resets the counters of this rank. _end, collective, gives rank 0 the measures of all ranks. */
void sino_recon_measure_begin(SinoRecon *recon);
SinoStatus sino_recon_measure_end(SinoRecon *recon);

/* Writes the report, if it is wanted, and tells its name; rank 0 only. */
SinoStatus sino_recon_report(SinoRecon *recon);

/* recon_report_pictures.c. A copy of a slice of the volume's size for a picture, with NaN where few rays pass: beyond
 * the inscribed circle of a parallel beam; the caller frees it. SINO_FAILED: no memory. */
SinoStatus sino_recon_mask(const SinoRecon *recon, const float *slice, float **masked);

/* Print the picture of a slice, the others, and the curves of iterations; a run without
 * iterations has none. */
SinoStatus sino_recon_report_slice(const SinoRecon *recon, FILE *out);
SinoStatus sino_recon_report_pictures(const SinoRecon *recon, FILE *out);
SinoStatus sino_recon_report_curves(const SinoRecon *recon, FILE *out);

extern const SinoReconKind sino_recon_parallel, sino_recon_cone, sino_recon_cone_solution, sino_recon_vectors,
    sino_recon_matrix;

/* [SinoJobChoice] */
extern const SinoReconKind *const sino_recon_kinds[SINO_JOBS];
