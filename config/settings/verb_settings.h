/* SPDX-License-Identifier: BSD-3-Clause */
/* Verb settings: the groups of sweep, bench, compare, phantom and plan. */
#pragma once

#include "device.h"
#include "setting_types.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum SinoSimulation { SINO_SIMULATION_NO, SINO_SIMULATION_YES, SINO_SIMULATION_ONLY } SinoSimulation;

/* Lists of what the runs differ in. */
typedef struct SinoSweepSettings {
    char *schedulers; /* names separated by commas; NULL: sinodag chooses */
    SinoCountList column_counts, angle_counts, slice_counts, minibatches, partition_counts, worker_counts;
    SinoCountList device_sets; /* bits of device.h */
    unsigned precisions;       /* bits 1 << SinoPrecision, at least one is set */
    int64_t repetitions;
    SinoSimulation simulation;
    char *report, *plots, *keep; /* a page, directories of plots and of profiles; NULL: none */
    char *archive;               /* a tar file; NULL: none */
} SinoSweepSettings;

typedef struct SinoBenchSettings {
    unsigned precisions;        /* bits 1 << SinoPrecision, at least one is set */
    SinoCountList slice_counts; /* --slices: minibatches to measure */
    char *csv, *roofline;       /* paths of the table of figures and of the picture; NULL: none */
} SinoBenchSettings;

/* input.file_name is the volume that is judged. */
typedef struct SinoCompareSettings {
    char *reference;             /* the volume that it is compared with */
    char *slices;                /* --slices A:B; NULL: all */
    char *region;                /* "circle", "all", X0:X1,Y0:Y1 or X,Y,RADIUS */
    char *object, *surroundings; /* --object, --background: circles X,Y,RADIUS; NULL: no contrast */
    char *frc, *picture;         /* paths of the ring correlation's table and of a picture; NULL: none */
    char *error_map;             /* path of the volume of estimated errors; NULL: none */
    double at_most;              /* largest relative L2 error that passes; 0: any */
} SinoCompareSettings;

/* What `phantom` simulates the scan of (codelets/phantoms/phantom.h). */
typedef enum SinoPhantomObject { SINO_OBJECT_HEAD, SINO_OBJECT_TEXTURE } SinoPhantomObject;

/* Crystals of a PET scanner: blocks on a circle, crystals of a block along the circle, rings. 0: sinodag chooses. */
typedef struct SinoCrystalShape {
    int64_t blocks, block_size, rings;
} SinoCrystalShape;

/* A scan that is simulated, or described by its sizes. */
typedef struct SinoPhantomSettings {
    int64_t size, angles, slices; /* bench and plan also use angles, plan also slices; there 0: not given */
    double noise;                 /* relative standard deviation of an open-beam count; 0: none */
    SinoPhantomObject object;
    int64_t seed;
    char *truth;
    SinoCrystalShape crystals;
    int64_t total_counts; /* that are expected */
    double background;    /* share of them that are randoms and scatter, below 1 */
    int64_t rays;         /* between two crystals */
    int64_t replicates;   /* sets of counts */
} SinoPhantomSettings;

/* A machine that need not exist. A rate of 0: as --machine has it. */
typedef struct SinoPlanSettings {
    bool slurm;                              /* plan: print a batch script */
    int64_t ranks;                           /* 0: the nodes of the machine */
    char *machine;                           /* a preset, or a file of bench --csv; NULL: preset "usual" */
    double kernel_gflops;                    /* of a worker that multiplies a panel of slices; 0: rate of the machine */
    double memory_gbps, socket_gbps;         /* of a worker: to its memory, to others of its socket; 0: as above */
    double node_gbps, link_gbps, file_gbps;  /* of a socket to others, of a node to others, of all files; 0: as above */
    double link_latency_us;                  /* of a message between nodes; 0: as above */
    double backproject_gups, filter_gpixels; /* of a rank, of cone beams, in 10⁹ a second; 0: as above */
    double device_gbps;                      /* of a rank's copies to its device, and from it; 0: as above */
    int64_t device_memory_bytes;             /* of a rank's device; 0: as above */
    int64_t ranks_per_node;                  /* 0: as above */
    double arrival_per_s;                    /* simulate: projections of a scan that is followed; 0: all are there */
} SinoPlanSettings;
