/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings: the options of a run. One table (settings_table.c) serves the command line, the YAML file and the docs. */
#ifndef SINO_SETTINGS_H
#define SINO_SETTINGS_H

#include "device.h"
#include "interpolation.h"
#include "log.h"
#include "model_use.h"
#include "precision.h"
#include "projector.h"
#include "scan_axes.h"
#include "status.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef enum SinoGeometryChoice {
    SINO_GEOMETRY_PARALLEL,
    SINO_GEOMETRY_CONE,
    SINO_GEOMETRY_FAN,   /* cones of one row each */
    SINO_GEOMETRY_PET,   /* phantom only */
    SINO_GEOMETRY_MATRIX /* rays are the rows of --system-matrix */
} SinoGeometryChoice;
/* Whether rays come from points: of a cone, or of fans. */
static inline bool sino_geometry_is_cone(SinoGeometryChoice geometry)
{
    return geometry == SINO_GEOMETRY_CONE || geometry == SINO_GEOMETRY_FAN;
}

/* How the sample turns as angles grow (docs/CONES.md). */
typedef enum SinoAngleDirection { SINO_CLOCKWISE, SINO_COUNTERCLOCKWISE } SinoAngleDirection;
typedef enum SinoAlgorithmChoice {
    SINO_ALGORITHM_CG,
    SINO_ALGORITHM_SIRT,
    SINO_ALGORITHM_FBP,
    SINO_ALGORITHM_MLEM,
    SINO_ALGORITHM_OSEM,
    SINO_ALGORITHM_FDK, /* of cone beams; no SinoSolver */
    SINO_ALGORITHM_FISTA,
    SINO_ALGORITHM_BSREM
} SinoAlgorithmChoice;
typedef enum SinoReconstructionType { SINO_RECONSTRUCTION_FULL, SINO_RECONSTRUCTION_TRY } SinoReconstructionType;
typedef enum SinoFlatCorrection { SINO_FLAT_MEAN, SINO_FLAT_MEDIAN, SINO_FLAT_NONE } SinoFlatCorrection;
/* Meaning of the values of a scan. AUTO: line integrals in raw sinograms, counts in every other format. Of a system
 * matrix only AUTO, where the file says what it holds, and EVENTS, which are numbers of rows (io/counts/counts_file.h).
 */
typedef enum SinoScanValues {
    SINO_VALUES_AUTO,
    SINO_VALUES_COUNTS,
    SINO_VALUES_TRANSMISSION,
    SINO_VALUES_LINE_INTEGRALS,
    SINO_VALUES_EVENTS
} SinoScanValues;
typedef enum SinoFbpFilter {
    SINO_FILTER_RAMP, /* no window */
    SINO_FILTER_SHEPP,
    SINO_FILTER_COSINE,
    SINO_FILTER_HANN,
    SINO_FILTER_HAMMING,
    SINO_FILTER_PARZEN,
    SINO_FILTER_BUTTERWORTH
} SinoFbpFilter;
typedef enum SinoNonnegativityChoice {
    SINO_NONNEGATIVITY_AUTO,
    SINO_NONNEGATIVITY_YES,
    SINO_NONNEGATIVITY_NO
} SinoNonnegativityChoice;
/* What fista adds to the residual (codelets/solvers/variation.h, codelets/solvers/prior.h), or bsrem to the likelihood
 * (codelets/bricks/bsrem.h). */
typedef enum SinoPriorChoice {
    SINO_PRIOR_TOTAL_VARIATION,
    SINO_PRIOR_OF_HUBER,
    SINO_PRIOR_OF_QGGMRF,
    SINO_PRIOR_OF_RELATIVE_DIFFERENCES
} SinoPriorChoice;
/* Weights of rays in a least-squares solution. AUTO: by photons where the scan holds counts or transmissions. FILE: of
 * a file, or of an array (memory_scan.h). */
typedef enum SinoRayWeights {
    SINO_WEIGHTS_AUTO,
    SINO_WEIGHTS_COUNTS,
    SINO_WEIGHTS_NONE,
    SINO_WEIGHTS_FILE
} SinoRayWeights;
/* What `phantom` simulates the scan of (codelets/phantoms/phantom.h). */
typedef enum SinoPhantomObject { SINO_OBJECT_HEAD, SINO_OBJECT_TEXTURE } SinoPhantomObject;
typedef enum SinoPhaseMethod {
    SINO_PHASE_NONE,
    SINO_PHASE_PAGANIN,
    SINO_PHASE_GPAGANIN,
    SINO_PHASE_BRONNIKOV,
    SINO_PHASE_CTF_METHOD
} SinoPhaseMethod;
typedef enum SinoFlatInterpolation { SINO_FLATS_LINEAR, SINO_FLATS_AS_ONE } SinoFlatInterpolation;
/* Removal of stripes from sinograms (codelets/stages/stripes.h). */
typedef enum SinoStripeRemoval {
    SINO_REMOVE_AUTO,
    SINO_REMOVE_NONE,
    SINO_REMOVE_FW,
    SINO_REMOVE_TI,
    SINO_REMOVE_SORTING,
    SINO_REMOVE_VO_ALL
} SinoStripeRemoval;
/* AUTO of both: by a sample of the scan (graphs/pipeline/checks/suspicion.h). */
typedef enum SinoZingerRemoval { SINO_ZINGERS_AUTO, SINO_ZINGERS_NONE, SINO_ZINGERS_STANDARD } SinoZingerRemoval;
/* How the filter continues a projection beyond the detector. */
typedef enum SinoPaddingType { SINO_PADDING_AUTO, SINO_PADDING_ZEROS, SINO_PADDING_EDGES } SinoPaddingType;

/* Numbers of the volume in its file. */
typedef enum SinoOutputType { SINO_OUTPUT_FLOAT32, SINO_OUTPUT_UINT16, SINO_OUTPUT_UINT8 } SinoOutputType;
typedef enum SinoSaveFormat {
    SINO_SAVE_HDF5,
    SINO_SAVE_TIFF,
    SINO_SAVE_BOTH,
    SINO_SAVE_STACK,
    SINO_SAVE_ZARR
} SinoSaveFormat;
typedef enum SinoCompression { SINO_COMPRESSION_NONE, SINO_COMPRESSION_DEFLATE, SINO_COMPRESSION_ZSTD } SinoCompression;
typedef enum SinoCenterMethod {
    SINO_CENTER_AUTO,
    SINO_CENTER_VO,
    SINO_CENTER_PHASE,
    SINO_CENTER_PAIRS,
    SINO_CENTER_ENTROPY
} SinoCenterMethod;
typedef enum SinoSimulation { SINO_SIMULATION_NO, SINO_SIMULATION_YES, SINO_SIMULATION_ONLY } SinoSimulation;
typedef enum SinoHelpChoice { SINO_HELP_NONE, SINO_HELP_SHORT, SINO_HELP_ALL, SINO_HELP_TUNE } SinoHelpChoice;
typedef enum SinoCommunication { SINO_COMMUNICATION_HIERARCHICAL, SINO_COMMUNICATION_DIRECT } SinoCommunication;

/* Verbs of the program, as bits. */
enum {
    SINO_VERB_RECON = 1,
    SINO_VERB_PHANTOM = 2,
    SINO_VERB_INFO = 4,
    SINO_VERB_DEMO = 8,
    SINO_VERB_BENCH = 16,
    SINO_VERB_PLAN = 32,
    SINO_VERB_SIMULATE = 64,
    SINO_VERB_SWEEP = 128,
    SINO_VERB_INIT = 256, /* has the settings of recon */
    SINO_VERB_COMPARE = 512,
    SINO_VERB_JOIN = 1024
};

/* Distinct counts, in the order in which the user gave them. */
enum { SINO_COUNTS_MAX = 32 };
typedef struct SinoCountList {
    int64_t count; /* 1 … SINO_COUNTS_MAX */
    int64_t value[SINO_COUNTS_MAX];
} SinoCountList;

/* Process grid P_b × P_d: slices are shared among P_b batch groups; each slice of a group is shared among its P_d data
 * ranks. 0 × 0: sinodag chooses. */
typedef struct SinoGridShape {
    int64_t batch_groups, data_ranks;
} SinoGridShape;

/* Voxels of a slice along x and y, of a cone beam's volume also along z. 0 × 0: the number of detector columns along
 * both; z 0: the number of detector rows. */
typedef struct SinoVolumeShape {
    int64_t x, y, z;
} SinoVolumeShape;

/* Values from low to high; both 0: auto. */
typedef struct SinoValueRange {
    double low, high;
} SinoValueRange;

/* A detector pixel, in mm; 0 × 0: not given. */
typedef struct SinoPixelSize {
    double width, height;
} SinoPixelSize;

/* Of a system matrix that leaves out what mirrors give: whether products keep the mirrors; of the phantom: whether the
 * matrix leaves that out. */
typedef enum SinoMirrorChoice { SINO_MIRRORS_AUTO, SINO_MIRRORS_FOLDED, SINO_MIRRORS_UNFOLDED } SinoMirrorChoice;

/* Crystals of a PET scanner: blocks on a circle, crystals of a block along the circle, rings. 0: sinodag chooses. */
typedef struct SinoCrystalShape {
    int64_t blocks, block_size, rings;
} SinoCrystalShape;

/* Hierarchy that shares a slice: nodes of a batch group, sockets of a node, workers of a socket; 0: sinodag chooses. */
typedef struct SinoTopologyShape {
    int64_t nodes, sockets, workers;
} SinoTopologyShape;

/* One positive number per rank. */
enum { SINO_WEIGHTS_MAX = 4096 };
typedef struct SinoWeightList {
    int64_t count; /* 0: not given; at most SINO_WEIGHTS_MAX */
    double *value; /* owned by the settings */
} SinoWeightList;

typedef struct SinoNameList {
    int64_t count;
    char **name; /* [count]; owned by the settings, as each name is */
} SinoNameList;

/* All settings of every verb. The settings own their texts; NULL: not given. Rows and columns are those of the detector
 * in the file, before crop and binning. */
typedef struct SinoSettings {
    /* input: recon, info */
    char *file_name;                    /* positional, or --file-name; of several the first */
    SinoNameList more_files;            /* join: the others */
    char *theta;                        /* --theta: angles from a file or a range (io/scans/angle_list.h) */
    SinoAngleUnit theta_unit;           /* of the angles, whatever files say */
    char *dataset, *theta_dataset;      /* --dataset, --theta-dataset: of an HDF5 file; NULL: as its format has them */
    SinoScanAxes axes;                  /* --axes: order of the dimensions of the data */
    char *flats, *darks;                /* --flats, --darks: images by file, folder or pattern, or FILE:/DATASET */
    char *exclude;                      /* --exclude: numbers of projections to leave out (io/scans/scan.h) */
    double start_angle, end_angle;      /* in degrees, both included; NaN: no limit */
    int64_t angle_binning;              /* average this many consecutive projections; ≥ 1 */
    double open_beam;                   /* count of every pixel without object; 0: flat fields tell it */
    int64_t columns;                    /* --columns of a raw sinogram; 0: not given. bench: of the detector */
    int64_t start_row, end_row;         /* [start, end); end −1: all */
    int64_t start_column, end_column;   /* crop */
    int64_t binning;                    /* average binning × binning detector pixels; ≥ 1 */
    SinoScanValues scan_values;         /* --data; unless AUTO it determines the next two members */
    SinoFlatCorrection flat_correction; /* --flat-correction */
    SinoFlatInterpolation flat_interpolation; /* between sets of flat fields */
    SinoCountList flat_positions; /* projections before each set of flat fields; count 0: as the scan tells */
    bool minus_log;               /* --minus-log yes|no */
    double saturation;            /* counts of this value or more are undefined; 0: none; NaN: auto */
    double max_repaired;          /* largest share of undefined values that a run accepts */
    /* stages */
    char *stages;                     /* --stages: their order; NULL: not given */
    SinoZingerRemoval zinger_removal; /* --zinger-removal-method */
    double zinger_level;              /* standard deviations */
    SinoStripeRemoval stripe_removal; /* --remove-stripe-method */
    double fw_sigma, ti_alpha, vo_snr;
    int64_t fw_level, ti_nblock;
    int64_t vo_small_size, vo_large_size; /* columns of medians; small 0: by the width of the detector */
    double air;                           /* columns of air at each side; 0: no normalisation; NaN: auto */
    double detector_tilt_deg;             /* --detector-tilt; 0: upright */
    SinoPhaseMethod phase_method;         /* --phase-method; what follows is 0 without it */
    double delta_beta, energy_kev, propagation_mm;
    char *material;                /* a formula, instead of delta_beta; NULL: not given */
    double density, attenuation;   /* of the material: g/cm³, 1/cm */
    SinoWeightList beam_hardening; /* coefficients of p, p², …; count 0: no correction */
    /* input of a system matrix; file_name has the counts (io/counts/counts_file.h) */
    char *system_matrix; /* --system-matrix (io/matrices/matrix_file.h); geometry is SINO_GEOMETRY_MATRIX */
    SinoMirrorChoice mirrors;
    char *multiplicative, *additive; /* of each row: factor of the projection; expected counts added to it */
    char *sensitivity, *start;       /* images: of the voxels' sensitivities; to begin from */
    char *mask;                      /* image; voxels with 0 stay 0 */
    /* geometry */
    SinoGeometryChoice geometry;
    double source_object_mm, source_detector_mm; /* distances from the source to the axis and to the detector; 0: not
                                                  * given */
    SinoPixelSize detector_pixel;                /* before binning */
    SinoAngleDirection angle_direction;
    /* center */
    double center_row;              /* where the plane of the source meets the detector; NaN: the middle */
    double rotation_axis;           /* NaN: auto */
    SinoCenterMethod center_method; /* --rotation-axis-auto */
    SinoReconstructionType reconstruction_type;
    double center_search_width; /* pixels to each side, for the search and for `try` */
    double center_search_step;  /* pixels, for `try` */
    char *sweep;                /* --sweep of recon: what `try` tries (settings_vary.h); NULL: centers */
    int64_t nsino;              /* --nsino: the row for the center search and for `try`; −1: the middle row */
    /* solver */
    SinoAlgorithmChoice algorithm;
    int64_t iterations;          /* 0: auto; see sino_settings_iterations */
    double tolerance;            /* stop a slice at ‖Ax−b‖/‖b‖ ≤ tolerance; 0: never */
    double likelihood_tolerance; /* stop a slice whose log-likelihood L gains at most this times |L|; 0: never */
    double relaxation;           /* SIRT relaxation factor, in (0, 2) */
    SinoNonnegativityChoice nonnegativity; /* SIRT and FISTA; see sino_settings_nonnegative */
    double support_ratio;     /* SIRT and FISTA of parallel beams: of the inscribed circle's radius; 0: all voxels */
    double minimum, maximum;  /* SIRT and FISTA: bounds, in units of the volume; NaN: none */
    SinoPriorChoice prior;    /* FISTA and BSREM */
    int64_t prior_dimensions; /* FISTA only: 2, within slices, or 3; 0: the verb does not say */
    double prior_threshold;   /* FISTA and BSREM with a smooth prior: share of the object's typical value; NaN: auto */
    double regularization;    /* FISTA and BSREM: strength of the prior; NaN: auto */
    SinoRayWeights weights;   /* FISTA, CG and SIRT */
    char *weights_file;       /* of SINO_WEIGHTS_FILE, whose row is that of `weights` */
    bool usual_algorithm;     /* no --algorithm was given; not of the table */
    bool usual_iterations;    /* no --iterations were given; not of the table */
    double margin;            /* voxels beyond each side of a slice, computed and not written; NaN: auto */
    int64_t subsets;          /* OSEM and FISTA: of the angles, or of the rows of a system matrix; 0: auto */
    SinoFbpFilter fbp_filter;
    SinoPaddingType padding; /* --padding-type */
    SinoPrecision precision;
    bool symmetry; /* store symmetric rays (quarter turns, mirror images) once */
    SinoProjector projector;
    SinoInterpolation interpolation; /* of SINO_PROJECTOR_ROTATE */
    /* machine */
    int64_t partitions, minibatch; /* minibatch 0: sinodag chooses */
    int64_t memory_bytes;          /* 0: from the available memory of the machine */
    int64_t workers;               /* 0: every core */
    unsigned devices;              /* bits of device.h */
    char *scheduler;               /* NULL: STARPU_SCHED, or a choice by the hardware */
    SinoModelUse models;           /* of StarPU */
    char *graph;                   /* path of a DOT file of the task graph; NULL: none */
    char *profile;                 /* "yes": log a profile; else also write this JSON file; NULL: no profile */
    char *trace;                   /* path of a trace of all tasks; NULL: none */
    bool resume;                   /* go on from what an unfinished run left behind */
    double stall_limit_s;          /* a run in which no task ends for so long ends; 0: never */
    char *operator_cache;          /* directory of stored operators; NULL: none */
    /* ranks */
    SinoGridShape grid;
    SinoTopologyShape topology;
    SinoCommunication communication;
    bool overlap;                /* exchanges run while other minibatches compute */
    SinoWeightList node_weights; /* speed of each rank relative to the others */
    /* output */
    char *out; /* -o, --out-path-name; demo: "demo" when not given */
    SinoSaveFormat save_format;
    SinoCompression compression;
    SinoOutputType output_type;
    SinoValueRange output_range; /* what the least and the largest number of an integer type mean */
    SinoVolumeShape volume;
    double voxel_size_mm;  /* of the volume of a cone beam, a PET scanner or a system matrix; 0: not given */
    double mask_ratio;     /* voxels beyond this share of the inscribed circle are zero; 0: no mask */
    double pixel_size_um;  /* > 0: volume in 1/cm; 0: volume per detector pixel */
    double post_filter_mm; /* full width at half maximum of a Gaussian on the finished image; 0: none */
    int64_t save_every;    /* also save the image after every so many iterations; 0: never */
    bool pictures, overwrite;
    char *
        run_report; /* recon, demo: path of a page about the run, or "auto", beside the volume, or "none"; NULL: none */
    bool json;      /* info, plan: print one JSON object */
    bool slurm;     /* plan: print a batch script */
    /* phantom, demo */
    int64_t size, angles, slices; /* bench and plan also use angles, plan also slices; there 0: not given */
    double noise;                 /* relative standard deviation of an open-beam count; 0: none */
    SinoPhantomObject phantom_object;
    int64_t seed;
    char *truth;
    /* phantom of a PET scanner */
    SinoCrystalShape crystals;
    int64_t total_counts; /* that are expected */
    double background;    /* share of them that are randoms and scatter, below 1 */
    int64_t rays;         /* between two crystals */
    int64_t replicates;   /* sets of counts */
    /* bench */
    unsigned precisions;        /* bits 1 << SinoPrecision, at least one is set */
    SinoCountList slice_counts; /* --slices: minibatches to measure */
    char *csv, *roofline;       /* paths of the table of figures and of the picture; NULL: none */
    /* plan: a run on a machine that need not exist */
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
    /* sweep: lists of what the runs differ in */
    char *schedulers; /* names separated by commas; NULL: sinodag chooses */
    SinoCountList column_counts, angle_counts, swept_slices, minibatches, partition_counts, worker_counts;
    SinoCountList device_sets; /* bits of device.h */
    unsigned swept_precisions; /* bits 1 << SinoPrecision, at least one is set */
    int64_t repetitions;
    SinoSimulation simulation;
    char *report, *plots, *keep; /* a page, directories of plots and of profiles; NULL: none */
    /* compare: file_name is the volume that is judged */
    char *reference;             /* the volume that it is compared with */
    char *compared_slices;       /* --slices A:B; NULL: all */
    char *region;                /* "circle", "all", X0:X1,Y0:Y1 or X,Y,RADIUS */
    char *object, *surroundings; /* --object, --background: circles X,Y,RADIUS; NULL: no contrast */
    char *frc, *picture;         /* paths of the ring correlation's table and of a picture; NULL: none */
    double at_most;              /* largest relative L2 error that passes; 0: any */
    /* every verb */
    char *config;
    SinoLogFormat log;
    SinoHelpChoice help;
    const struct SinoMemoryRun *memory; /* input and output in memory (memory_scan.h); NULL: files; not owned */
    char *remarks;                      /* on values that other programs take otherwise, for the log; NULL: none */
} SinoSettings;

/* Reads the settings of `verb` (one bit): defaults first, then the YAML file of --config, then the arguments (argv
 * without program and verb). The caller frees *settings. SINO_BAD_INPUT: a setting is unknown, malformed, out of range,
 * contradicts another one, or belongs to another verb. */
SinoStatus sino_settings_read(int verb, int argument_count, char **arguments, SinoSettings **settings);
void sino_settings_free(SinoSettings *settings); /* takes NULL */

/* Whether no value of SIRT or FISTA is below 0, as far as the settings decide: with `auto`, projections may deny it
 * (graphs/pipeline/search/halves.h). */
bool sino_settings_nonnegative(const SinoSettings *settings);

/* The largest number of iterations of a run. */
int64_t sino_settings_iterations(const SinoSettings *settings);

/* Iterations of FISTA without subsets that come close to its minimum. */
#define SINO_NORMAL_ITERATIONS      80
#define SINO_NORMAL_ITERATIONS_TEXT "80"

/* Whether --projector toeplitz does what the settings ask for, which leave the projector to the plan: the same
 * algorithm, prior, bounds and masks, and no weights of rays but those of --weights auto. *normal: the settings that
 * name it, with its usual number of iterations if none is given; owns nothing, untouched if it does not. */
bool sino_settings_by_normal(const SinoSettings *settings, SinoSettings *normal);

/* --report of recon: whether there is one; its path, NULL if there is none, or sinodag chooses the name. */
bool sino_settings_wants_report(const SinoSettings *settings);
const char *sino_settings_report_file(const SinoSettings *settings);

/* Whether a run records planes of the volume, for pictures or for the report. */
bool sino_settings_records_planes(const SinoSettings *settings);

/* What a setting that was not given is for a scan. */
typedef struct SinoSettingNote {
    const char *name;   /* of the setting */
    const char *value;  /* as YAML */
    const char *reason; /* NULL: none is told */
} SinoSettingNote;

/* Prints a file for --config: what was given of recon's settings, and as comments those with a note, and the usual ones
 * with their defaults. SINO_FAILED: no memory. */
SinoStatus sino_settings_template(const SinoSettings *settings, int64_t note_count, const SinoSettingNote *note,
                                  FILE *out);

/* The settings in force, one "name: value" line each in table order: valid YAML for --config. The caller frees *text.
 */
SinoStatus sino_settings_text(const SinoSettings *settings, int verb, char **text);

/* The same for the settings that differ from their defaults. The caller frees *text. */
SinoStatus sino_settings_changed_text(const SinoSettings *settings, int verb, char **text);

/* The same without the settings that a run and its --resume may have different: those that do not change the volume,
 * and those whose effect on a run SinoRunPlan tells. The caller frees *text. */
SinoStatus sino_settings_fixed_text(const SinoSettings *settings, int verb, char **text);

/* The same for the settings that all ranks of a run must share. Left out are names of files, which may be copies on
 * each node, and what may suit each rank's machine: memory, workers, device, scheduler and log. */
SinoStatus sino_settings_shared_text(const SinoSettings *settings, int verb, char **text);

/* The settings that `verb` has in common with the verb `to`, as words of the command line of `to`, such as
 * "--iterations=10", in table order and then NULL. Left out are defaults, the input file, outputs, and what every verb
 * has. The caller frees *words with sino_words_free. */
SinoStatus sino_settings_words(const SinoSettings *settings, int verb, int to, char ***words);
void sino_words_free(char **words); /* takes NULL */

/* Prints the options of a verb for --help, and the text of docs/SETTINGS.md, from the table. */
void sino_settings_help(int verb, SinoHelpChoice which, FILE *out);
void sino_settings_markdown(FILE *out);

/* Prints the manual page of a verb, or of the program (""), from the table. False: there is no such verb. */
bool sino_settings_man(const char *verb, FILE *out);
/* Print what shells read to complete a command line, from the table. */
void sino_settings_bash(FILE *out);
void sino_settings_zsh(FILE *out);
void sino_settings_fish(FILE *out);

/* One setting of a verb, in the words of the table. The texts are valid during the call; NULL: there is none. */
typedef struct SinoSettingText {
    const char *name, *group;
    const char *type;    /* "flag", "integer", "number", "choice", "list", "text" */
    const char *usual;   /* the default */
    const char *allowed; /* "an integer from 1 to 9" */
    const char *words;   /* of a choice: "cg, sirt or fbp" */
    const char *unit;
    const char *needs; /* "; with --algorithm cg or sirt"; "": nothing */
    const char *help;
} SinoSettingText;
typedef void SinoSettingVisit(void *of, const SinoSettingText *setting);

/* Calls `visit` for every setting of a verb, group after group as in the help. */
void sino_settings_each(int verb, SinoSettingVisit *visit, void *of);

const char *sino_verb_summary(int verb); /* a few words; static text */

/* The verb that a mistyped word is probably meant for, with or without dashes before it; NULL: none is close. */
const char *sino_verb_closest(const char *word);

/* The word of a choice on the command line ("cg", "ramp" …). Static text. */
const char *sino_algorithm_name(SinoAlgorithmChoice algorithm);
const char *sino_geometry_name(SinoGeometryChoice geometry);
const char *sino_output_type_name(SinoOutputType type);
const char *sino_filter_name(SinoFbpFilter filter);
const char *sino_stripe_removal_name(SinoStripeRemoval removal);
/* The JSON file of --profile; NULL: none. */
const char *sino_settings_profile_file(const SinoSettings *settings);
const char *sino_precision_name(SinoPrecision precision);
/* A set of bits of device.h as --device has it, such as "cpu,opencl", with another sign in place of the comma. */
enum { SINO_DEVICES_SIZE = 24 };
const char *sino_devices_text(unsigned devices, char between, char text[SINO_DEVICES_SIZE]);
const char *sino_projector_name(SinoProjector projector);
/* The projector of a name; SINO_PROJECTOR_AUTO: it is none. */
SinoProjector sino_projector_of(const char *name);
const char *sino_interpolation_name(SinoInterpolation interpolation);
const char *sino_communication_name(SinoCommunication communication);

#endif
