/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings: what the user asked for. One table (settings.c) serves the command line, the YAML file and the docs. */
#ifndef SINO_SETTINGS_H
#define SINO_SETTINGS_H

#include "device.h"
#include "log.h"
#include "precision.h"
#include "status.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef enum SinoAlgorithmChoice { SINO_ALGORITHM_CG, SINO_ALGORITHM_SIRT, SINO_ALGORITHM_FBP } SinoAlgorithmChoice;
typedef enum SinoReconstructionType { SINO_RECONSTRUCTION_FULL, SINO_RECONSTRUCTION_TRY } SinoReconstructionType;
typedef enum SinoFlatCorrection { SINO_FLAT_MEAN, SINO_FLAT_MEDIAN, SINO_FLAT_NONE } SinoFlatCorrection;
typedef enum SinoFbpFilter {
    SINO_FILTER_RAMP, /* no window */
    SINO_FILTER_SHEPP,
    SINO_FILTER_COSINE,
    SINO_FILTER_HANN,
    SINO_FILTER_HAMMING,
    SINO_FILTER_PARZEN,
    SINO_FILTER_BUTTERWORTH
} SinoFbpFilter;
typedef enum SinoSaveFormat { SINO_SAVE_HDF5, SINO_SAVE_TIFF, SINO_SAVE_BOTH } SinoSaveFormat;
typedef enum SinoCenterMethod { SINO_CENTER_VO, SINO_CENTER_PHASE } SinoCenterMethod;
typedef enum SinoCommunication { SINO_COMMUNICATION_HIERARCHICAL, SINO_COMMUNICATION_DIRECT } SinoCommunication;
typedef enum SinoPlanFormat { SINO_PLAN_TABLE, SINO_PLAN_JSON } SinoPlanFormat;

/* Bits of the verbs that take a setting. */
enum {
    SINO_VERB_RECON = 1,
    SINO_VERB_PHANTOM = 2,
    SINO_VERB_INFO = 4,
    SINO_VERB_DEMO = 8,
    SINO_VERB_BENCH = 16,
    SINO_VERB_PLAN = 32
};

/* Different counts, in the order in which they were given. */
enum { SINO_COUNTS_MAX = 32 };
typedef struct SinoCountList {
    int64_t count; /* 1 … SINO_COUNTS_MAX */
    int64_t value[SINO_COUNTS_MAX];
} SinoCountList;

/* P_b × P_d: slices are shared out to batch groups, each slice of a group to its data ranks. 0 × 0: chosen. */
typedef struct SinoGridShape {
    int64_t batch_groups, data_ranks;
} SinoGridShape;

/* Shares of a slice in a hierarchy: the nodes of a batch group, sockets of each, workers of each; 0: chosen. */
typedef struct SinoTopologyShape {
    int64_t nodes, sockets, workers;
} SinoTopologyShape;

/* A positive number per rank. */
enum { SINO_WEIGHTS_MAX = 4096 };
typedef struct SinoWeightList {
    int64_t count; /* 0: not given */
    double value[SINO_WEIGHTS_MAX];
} SinoWeightList;

/* Text members are owned by the settings; NULL when not given. Counts of rows and columns are of the file's detector.
 */
typedef struct SinoSettings {
    /* input: recon, info */
    char *file_name;                    /* positional, or --file-name */
    char *theta;                        /* --theta: float32 radians of a raw sinogram */
    int64_t columns;                    /* --columns of a raw sinogram; 0: not given. bench: of the detector */
    int64_t start_row, end_row;         /* [start, end); end −1: all */
    int64_t start_column, end_column;   /* crop */
    int64_t binning;                    /* average binning × binning detector pixels; ≥ 1 */
    SinoFlatCorrection flat_correction; /* --flat-correction */
    bool minus_log;                     /* --minus-log yes|no */
    /* center */
    double rotation_axis;           /* NaN: auto */
    SinoCenterMethod center_method; /* --rotation-axis-auto vo|phase */
    SinoReconstructionType reconstruction_type;
    double center_search_width; /* pixels to each side: of the search, and of `try` */
    double center_search_step;  /* pixels: of `try` */
    int64_t nsino;              /* --nsino: the row used to find the center and to try; −1: the middle one */
    /* solver */
    SinoAlgorithmChoice algorithm;
    int64_t iterations;
    double tolerance;   /* stop a slice at ‖Ax−b‖/‖b‖ ≤ tolerance; 0: never */
    double relaxation;  /* SIRT step length, (0, 2) */
    bool nonnegativity; /* SIRT only */
    SinoFbpFilter fbp_filter;
    SinoPrecision precision;
    bool symmetry; /* store quarter turns and mirror images once */
    /* machine */
    int64_t partitions, minibatch; /* minibatch 0: chosen */
    int64_t memory_bytes;          /* 0: chosen from what the machine has free */
    int64_t workers;               /* 0: every core */
    unsigned devices;              /* bits of device.h */
    char *scheduler;               /* NULL: STARPU_SCHED, or by the hardware */
    char *graph;                   /* DOT file of the task graph */
    bool profile;
    char *operator_cache; /* directory in which operators are kept; NULL: none */
    /* ranks */
    SinoGridShape grid;
    SinoTopologyShape topology;
    SinoCommunication communication;
    bool overlap;                /* exchanges run while other minibatches compute */
    SinoWeightList node_weights; /* how fast each rank is, relative to the others */
    /* output */
    char *out; /* -o, --out-path-name; demo: "demo" when not given */
    SinoSaveFormat save_format;
    double mask_ratio;    /* zero outside this share of the inscribed circle; 0: no mask */
    double pixel_size_um; /* 0: values per detector pixel, else per cm */
    bool pictures, overwrite;
    /* phantom, demo */
    int64_t size, angles, slices; /* angles: of bench and plan too; slices: of plan too; 0 there: not given */
    double noise;                 /* relative standard deviation of an open-beam count; 0: none */
    int64_t seed;
    char *truth;
    /* bench */
    unsigned precisions;        /* bits 1 << SinoPrecision, at least one */
    SinoCountList slice_counts; /* --slices: minibatches to measure */
    char *csv, *roofline;       /* files of figures and of the picture; NULL: none */
    /* plan: a run on a machine that need not be there */
    int64_t ranks;
    SinoPlanFormat plan_format;
    double kernel_gflops;                   /* of a worker, with a panel of slices */
    double memory_gbps, socket_gbps;        /* of a worker: its memory; to the others of its socket */
    double node_gbps, link_gbps, file_gbps; /* of a socket to the others, of a node to the others, of all files */
    double link_latency_us;                 /* of a message between nodes */
    /* every verb */
    char *config;
    SinoLogFormat log;
    bool help;
} SinoSettings;

/* Settings of `verb` (one bit) from the defaults, then the YAML file of --config, then the arguments (argv without
 * program and verb). SINO_BAD_INPUT for what is unknown, malformed, out of range, contradictory or another verb's. */
SinoStatus sino_settings_read(int verb, int argument_count, char **arguments, SinoSettings **settings);
void sino_settings_free(SinoSettings *settings); /* takes NULL */

/* The settings in force, one "name: value" line each in table order: valid YAML for --config. Caller frees *text. */
SinoStatus sino_settings_text(const SinoSettings *settings, int verb, char **text);

/* The options of a verb for --help, and docs/SETTINGS.md: both from the table. */
void sino_settings_help(int verb, FILE *out);
void sino_settings_markdown(FILE *out);

/* The words of a choice as the command line spells them ("cg", "ramp" …). */
const char *sino_algorithm_name(SinoAlgorithmChoice algorithm);
const char *sino_filter_name(SinoFbpFilter filter);
const char *sino_precision_name(SinoPrecision precision);
const char *sino_communication_name(SinoCommunication communication);

#endif
