/* SPDX-License-Identifier: BSD-3-Clause */
/* Resources: the bytes of a run, computed from the tables of buffers that allocation reads: the tables of the solver,
 * of a slot and of the operator's products (minibatch.h), and the sizes of slabs and of the record
 * (reconstruction.h). */
#pragma once

#include "machine_rates.h"
#include "reconstruction.h"
#include "record.h"
#include "settings.h"
#include "solver.h"

/* The reconstruction whose resources are computed. */
typedef struct SinoWorkload {
    SinoProblem problem;
    const SinoSolver *solver;
    SinoFinishWork finish;    /* of each slice after its iterations; zeros: none */
    bool sought;              /* the strength of a prior is sought by a solver of the normal equations */
    bool halved;              /* --iterations auto: slices are reconstructed from halves of their projections */
    int64_t history_columns;  /* iterations + 1; 1 for a direct method */
    int64_t trial_iterations; /* of the search for the strength of a prior */
    int64_t trial_binning;    /* columns that it averages, if memory has room (halves.h); 0: no search */
    int64_t history_numbers;  /* of a slice (SinoHistory) */
    int64_t slice_count;      /* slices of the volume */
    int64_t slice_bytes;      /* counts of one slice at all angles, or those of a block */
    int64_t field_bytes;      /* one flat or dark field of a slice */
    int64_t halo_bytes, halo_fields_bytes; /* of the rows beside a slab that images need: counts, and
                                            * all fields */
    int64_t stage_slice_bytes;             /* scratch memory of stages on each worker, for each slice of a minibatch */
    int64_t fields_bytes;    /* the fields of a slice that are kept: the flat field of each set, and the dark field */
    int64_t stage_bytes;     /* scratch memory of a worker that runs a stage */
    int64_t stage_gpu_bytes; /* what it has more where GPUs run stages, too */
    int64_t stage_gpu_slice_bytes; /* likewise, for each slice of a minibatch */
    int64_t field_images;          /* fields held in memory while they are averaged; 0: none */
    int64_t packed_bytes;     /* a slice of a volume whose slices are compressed before they are written; 0: none are */
    bool supported;           /* the solver has a support (support.h) */
    int64_t mask_bytes;       /* the image of --mask */
    int64_t ray_weight_bytes; /* of --weights with a file: what stays in memory, and what is being read */
    bool pictures;
    int64_t live_bytes; /* planes of the page of --follow */
} SinoWorkload;

/* Whether the settings keep voxels at 0. */
bool sino_workload_is_supported(const SinoSolverSettings *settings);

/* Whether a solver of the normal equations seeks the strength of its prior (halves.h). */
bool sino_workload_is_sought(const SinoSolver *solver, const SinoPriorSettings *settings);

/* The workload of the part of a file that the settings select. The rotation axis is assumed in the middle but of a half
 * acquisition: sizes hardly depend on it, and it may not be known yet. */
SinoWorkload sino_workload_of_input(const SinoSettings *settings, const SinoInput *input);

/* SinoWorkload.packed_bytes of slices of so many voxels; and the bytes at most of all packed slices, `slices` of which
 * wait at a time. */
int64_t sino_workload_packed(const SinoOutputSettings *settings, int64_t voxels);
int64_t sino_workload_packing(const SinoOutputSettings *settings, const SinoMachine *machine, int64_t slices,
                              int64_t voxels);

/* The larger number of the flat and dark fields that an input is divided by; 0: none is used. */
int64_t sino_workload_fields(const SinoInput *input);

/* Bytes of the rank with most. */
typedef struct SinoResources {
    int64_t base_bytes;     /* program, libraries, tasks in flight */
    int64_t operator_bytes; /* the operator's blocks, or its windows */
    int64_t lists_bytes;    /* lists that devices gather from, in main memory */
    int64_t map_bytes;      /* footprints and index maps */
    int64_t building_bytes; /* temporary memory of building the operator, or of the search for the strength of a solver
                             * of the normal equations, before data of slices exist */
    int64_t slot_bytes;     /* one slot (a minibatch's buffers) */
    int64_t vector_bytes;   /* part of slot_bytes: the solver's vectors */
    int64_t sum_bytes;      /* part of slot_bytes: partial sums, and halves of vectors */
    int64_t weight_bytes;   /* vectors that the solver prepares for all minibatches */
    int64_t slab_bytes;     /* counts and fields of one slab; two slabs are in memory, one of them being loaded */
    int64_t loading_bytes;  /* fields being averaged, and weights of a file */
    int64_t stage_bytes;    /* scratch memory of all workers that run a stage */
    int64_t packing_bytes;  /* compressed slices that wait to be written, and the work of compressing on each core */
    int64_t record_bytes;   /* residuals, repair counts and pictures */
    int64_t data_bytes;     /* StarPU data while slices are reconstructed: slots, weights and slabs */
    int64_t total_bytes;
} SinoResources;

/* The resources of a rank, for an operator of the given size. window_count 0: all blocks are in memory. */
SinoResources sino_resources(const SinoWorkload *job, const SinoOperatorSize *size, const SinoMachine *machine,
                             const SinoStreaming *streaming, int64_t data_ranks, int64_t window_count);

/* The operator of trials of strengths with averaged columns of the problem, on a rank of its own. Where it stores
 * nothing and all trials lack the same projections, it has these in a subset of their own. */
SinoOperatorRequest sino_trial_operator(const SinoProblem *problem, int64_t binning, int64_t workers, int64_t devices);

/* The minibatch of trials of averaged columns of the job; and the bytes of both, of the size that the kind tells. */
SinoBatch sino_trial_batch(const SinoWorkload *job, const SinoOperatorKind *kind);
int64_t sino_trial_bytes(const SinoWorkload *job, const SinoProblem *problem, const SinoOperatorSize *size,
                         const SinoMachine *machine);

/* Device plan: whether the largest task of each kind fits a device's memory (device_room.h), and the size of the lists
 * that devices gather from. */

/* Bytes of the largest data of any task on a device. */
typedef struct SinoDeviceNeed {
    int64_t lists;   /* lists of one partition and direction */
    int64_t vectors; /* vectors that one task accesses */
} SinoDeviceNeed;

/* The largest data of a task, with a minibatch of the given size. */
SinoDeviceNeed sino_device_need(const SinoVectors *vectors, const SinoOperatorSize *size, SinoBatch batch);

/* Upper bound of the bytes of all lists of an operator whose blocks have operator_bytes. */
int64_t sino_device_estimate_lists(int64_t operator_bytes);

/* The error of a task that does not fit a device: always SINO_BAD_INPUT, with the sizes in the text. */
SinoStatus sino_device_too_small(const SinoDeviceRoom *room, SinoDeviceNeed need, int64_t partition_count,
                                 int64_t minibatch);
