/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings, table: the table of all settings. */
#include "settings_table.h"

#include "panel.h"
#include "settings_bits.h"

#include <string.h>

enum {
    RECON = SINO_VERB_RECON | SINO_VERB_INIT,
    PHANTOM = SINO_VERB_PHANTOM,
    INFO = SINO_VERB_INFO,
    DEMO = SINO_VERB_DEMO,
    BENCH = SINO_VERB_BENCH,
    PLAN = SINO_VERB_PLAN,
    SIMULATE = SINO_VERB_SIMULATE,
    SWEEP = SINO_VERB_SWEEP,
    COMPARE = SINO_VERB_COMPARE,
    JOIN = SINO_VERB_JOIN,
    EVERY_VERB = RECON | PHANTOM | INFO | DEMO | BENCH | PLAN | SIMULATE | SWEEP | COMPARE | JOIN,
    MATRIX_VERBS = RECON | INFO | BENCH | PLAN | SIMULATE, /* that take a system matrix */
    PET_VERBS = PHANTOM | DEMO,                            /* that make one */
    RUNS = RECON | DEMO,
    TUNING = RECON | INFO | DEMO | PLAN | SIMULATE /* that have settings for --tune */
};

enum {
    COUNTS_WORD = 1 << SINO_VALUES_COUNTS,
    TRANSMISSION = 1 << SINO_VALUES_TRANSMISSION,
    INTEGRALS = 1 << SINO_VALUES_LINE_INTEGRALS,
    EVENTS = 1 << SINO_VALUES_EVENTS
};

enum {
    FW = 1 << SINO_REMOVE_FW,
    TI = 1 << SINO_REMOVE_TI,
    SORTING = 1 << SINO_REMOVE_SORTING,
    VO_ALL = 1 << SINO_REMOVE_VO_ALL
};

/* The geometries of a row that cone and fan beams lack, and why they lack it. */
#define ONLY(kinds, why) .geometries = (kinds), .reason = (why)
static const char of_images[] = "each row of a fan scan is a fan of its own",
                  of_distance[] = "the distances of a cone beam tell it";
static const char of_sinograms[] = "the axis of a cone beam is found by rays and their reverses, of all rows";
static const char of_projectors[] = "each other geometry has one projector";
static const char of_slices[] = "a volume of a cone beam, or an image of counts, is solved as a whole";
static const char of_stored[] = "nothing is stored for cone beams";
static const char of_prior[] = "the prior of a cone beam is in 3-D, and of fans in 2-D";
static const char of_room[] = "--volume gives the room of a cone beam";
static const char of_bench[] = "of cone beams bench measures FDK";
static const char of_shares[] = "ranks of cone beams have equal parts";
static const char of_pixels[] =
    "distances and --detector-pixel give the voxels of cone beams, the file those of a matrix";
static const char of_rates[] = "cone beams are planned by rates of their own";

/* More than any real detector or volume needs; products of a few such sizes stay far below overflow. */
#define COUNT_MAX 1e9
/* Bounds of a row are doubles, which represent every integer up to 2^53. */
#define SEED_MAX  9007199254740992.0
#define BYTES_MAX 1152921504606846976.0
/* Of a voxel; float32 has room for 3e38. */
#define VALUE_MAX 1e30
/* In mm: from a picometre to a kilometre. */
#define LENGTH_MIN 1e-9
#define LENGTH_MAX 1e6

static const char *const algorithm_words[] = {"cg", "sirt", "fbp", "mlem", "osem", "fdk", "fista", "bsrem", NULL};
static const char *const prior_words[] = {"total-variation", "huber", "qggmrf", "relative-difference", "auto", NULL};
static const char *const weight_words[] = {"auto", "counts", "none", NULL};
static const char *const geometry_words[] = {"parallel", "cone", "fan", "vectors", "pet", "matrix", NULL};
static const char *const direction_words[] = {"auto", "clockwise", "counterclockwise", NULL};
static const char *const type_words[] = {"full", "try", NULL};
static const char *const axes_words[] = {"angle,row,column",
                                         "row,angle,column",
                                         "angle,column,row",
                                         "row,column,angle",
                                         "column,angle,row",
                                         "column,row,angle",
                                         NULL};
static const char *const angle_unit_words[] = {"auto", "degrees", "radians", NULL};
static const char *const values_words[] = {"auto", "counts", "transmission", "line-integrals", "events", NULL};
static const char *const flat_words[] = {"mean", "median", "none", NULL};
static const char *const filter_words[] = {"ramp", "shepp", "cosine", "hann", "hamming", "parzen", "butterworth", NULL};
static const char *const object_words[] = {"head", "texture", NULL};
static const char *const phase_words[] = {"none", "paganin", "gpaganin", "bronnikov", "ctf", NULL};
static const char *const flat_interpolation_words[] = {"linear", "none", NULL};
static const char *const zinger_words[] = {"auto", "none", "standard", NULL};
static const char *const stripe_words[] = {"auto", "none", "fw", "ti", "sorting", "vo-all", "wiener", NULL};
static const char *const save_words[] = {"hdf5", "tiff", "both", "tiff-stack", "zarr", NULL};
static const char *const compression_words[] = {"none", "deflate", "zstd", NULL};
static const char *const type_of_output_words[] = {"float32", "uint16", "uint8", NULL};
static const char *const nonnegativity_words[] = {"auto", "yes", "no", NULL};
static const char *const padding_words[] = {"auto", "zeros", "edges", NULL};
static const char *const center_words[] = {"auto", "vo", "phase", "pairs", "entropy", NULL};
static const char *const precision_words[] = {"single", "double", "half", "mixed", NULL};
static const char *const projector_words[] = {"auto",   "rays",     "rotate",   "lines", "strips",
                                              "pixels", "gridding", "toeplitz", NULL};
static const char *const interpolation_words[] = {"nearest", "linear", "cubic", NULL};
static const char *const communication_words[] = {"hierarchical", "direct", NULL};
static const char *const weights_words[] = {"auto", NULL};
static const char *const model_words[] = {"auto", "record", "frozen", "renew", NULL};
static const char *const device_words[] = {"cpu", "cuda", "opencl", NULL};
static const char *const simulation_words[] = {"no", "yes", "only", NULL};
static const char *const help_words[] = {"no", "yes", "all", "tune", NULL};
static const char *const mirror_words[] = {"auto", "folded", "unfolded", NULL};
static const char *const log_words[] = {"text", "json", NULL};

const char *const sino_group_title[SINO_GROUP_COUNT] = {"Input",   "Stages", "Geometry", "Center",  "Solver",
                                                        "Machine", "Ranks",  "Output",   "Phantom", "Benchmark",
                                                        "Plan",    "Sweep",  "Compare",  "General"};

const SinoWordRule sino_word_rules[] = {
    {.name = "algorithm", .words = FBP, .geometries = PARALLEL},
    {.name = "algorithm", .words = FISTA, .geometries = SCANS},
    {.name = "algorithm", .words = FDK, .geometries = CONES | VECTORS},
    {.name = "algorithm", .words = BSREM, .geometries = MATRIX},
    {.name = "prior",
     .words = 1u << SINO_PRIOR_TOTAL_VARIATION | 1u << SINO_PRIOR_OF_QGGMRF | 1u << SINO_PRIOR_AUTO,
     .algorithms = FISTA},
    {.name = "prior", .words = 1u << SINO_PRIOR_OF_RELATIVE_DIFFERENCES, .algorithms = BSREM},
    {.name = "precision", .words = 1u << SINO_DOUBLE | 1u << SINO_HALF, .geometries = PARALLEL},
    {.name = "object", .words = 1u << SINO_OBJECT_TEXTURE, .geometries = PARALLEL},
    {.name = "data", .words = COUNTS_WORD | TRANSMISSION | INTEGRALS, .geometries = SCANS},
    {.name = "data", .words = EVENTS, .geometries = MATRIX},
    {.name = NULL},
};

const SinoVerbText sino_verb_table[SINO_VERB_COUNT] = {
    {SINO_VERB_RECON, "recon", "reconstruct the volume of a scan", "sinodag recon FILE --out FILE [options]",
     "sinodag recon scan.h5 -o volume.h5 --algorithm fbp --fbp-filter hann"},
    {PHANTOM, "phantom", "simulate the scan of a known object, and write its true volume",
     "sinodag phantom --out FILE [options]",
     "sinodag phantom -o scan.h5 --size 256 --angles 400 --slices 16 --truth truth.h5"},
    {INFO, "info", "print what a scan holds, what looks wrong, and the memory of a reconstruction",
     "sinodag info FILE [options]", "sinodag info scan.h5"},
    {DEMO, "demo", "simulate a scan, reconstruct it and compare with the truth",
     "sinodag demo [--out FOLDER] [options]", "sinodag demo --out demo"},
    {BENCH, "bench", "measure the operator's kernels beside this machine's limits", "sinodag bench [options]",
     "sinodag bench --slices 8,16,32 --csv bench.csv --roofline bench.svg"},
    {PLAN, "plan", "predict memory and time of a run, on one computer or on many", "sinodag plan [FILE] [options]",
     "sinodag plan --angles 1501 --columns 2048 --slices 1792 --ranks 4 --memory 96GiB"},
    {SIMULATE, "simulate", "run the tasks of a reconstruction in virtual time, on a machine that need not be here",
     "sinodag simulate [FILE] [options]",
     "sinodag simulate --angles 1501 --columns 2048 --slices 1792 --machine h100x8"},
    {SWEEP, "sweep", "compare scheduling policies, sizes and settings by many runs",
     "sinodag sweep [FILE] --csv FILE [options]",
     "sinodag sweep --schedulers all --minibatches 4,8 --csv sweep.csv --report sweep.html"},
    {SINO_VERB_INIT, "init", "write a commented file of settings for a scan", "sinodag init FILE --out FILE [options]",
     "sinodag init scan.h5 -o scan.yaml"},
    {COMPARE, "compare", "measure how close a volume is to a reference, and the resolution of two half-sets",
     "sinodag compare VOLUME REFERENCE [options]", "sinodag compare volume.h5 truth.h5"},
    {JOIN, "join", "join volumes of consecutive rows into one", "sinodag join VOLUME... --out FILE [options]",
     "sinodag join part_*.h5 -o volume.h5"},
};

/* Offset of a member; a compile error when the member's type differs from the type that the kind writes. */
#define AT(member, type)                                                                                               \
    .offset = offsetof(SinoSettings, member) + 0 * sizeof(_Generic(((SinoSettings *)0)->member, type : 0))
#define AT_CHOICE(member)                                                                                              \
    .offset = offsetof(SinoSettings, member) +                                                                         \
              0 * sizeof(char[sizeof(((SinoSettings *)0)->member) == sizeof(unsigned) ? 1 : -1])

#define FLAG(member, text) .kind = SINO_SETTING_FLAG, AT(member, bool), .fallback = (text), .operand = "yes|no"
#define INTEGER(member, least, most, text)                                                                             \
    .kind = SINO_SETTING_INTEGER, AT(member, int64_t), .low = (least), .high = (most), .fallback = (text),             \
    .operand = "N"
/* A rate of plan; if it is not given (0), --machine provides it. */
#define RATE(member) REAL(member, 0, COUNT_MAX, NULL), .low_excluded = true
#define REAL(member, least, most, text)                                                                                \
    .kind = SINO_SETTING_REAL, AT(member, double), .low = (least), .high = (most), .fallback = (text), .operand = "X"
#define CHOICE(member, words, text)                                                                                    \
    .kind = SINO_SETTING_CHOICE, AT_CHOICE(member), .choices = (words), .fallback = (text), .operand = "NAME"
#define CHOICE_OR_FILE(member, words, text)                                                                            \
    .kind = SINO_SETTING_CHOICE, AT_CHOICE(member), .choices = (words), .fallback = (text),                            \
    .file =                                                                                                            \
        offsetof(SinoSettings, member##_file) + 0 * sizeof(_Generic(((SinoSettings *)0)->member##_file, char * : 0)),  \
    .operand = "NAME|FILE"
#define CHOICES(member, words, text)                                                                                   \
    .kind = SINO_SETTING_CHOICES, AT(member, unsigned), .choices = (words), .fallback = (text), .operand = "LIST"
#define COUNTS(member, least, most, text)                                                                              \
    .kind = SINO_SETTING_COUNTS, AT(member, SinoCountList), .low = (least), .high = (most), .fallback = (text),        \
    .operand = "LIST"
#define SHARES(which, member, type, most, text, what)                                                                  \
    .kind = SINO_SETTING_##which, AT(member, type), .low = 1, .high = (most), .fallback = (text), .operand = (what)
#define BRIEF(takers, text) .brief_verbs = (takers), .brief = (text)
#define TEXT(member, what)  .kind = SINO_SETTING_TEXT, AT(member, char *), .operand = (what)

#define ROW(section, takers, option, ...)                                                                              \
    {                                                                                                                  \
        .group = SINO_GROUP_##section, .verbs = (takers), .name = (option), __VA_ARGS__                                \
    }

const SinoSetting sino_setting_table[] = {
    ROW(INPUT, RECON | INFO | PLAN | SIMULATE | SWEEP | COMPARE | JOIN, "file-name", TEXT(input.file_name, "FILE"),
        .per_rank = true, .may_change = true,
        .help =
            "the scan: a Data Exchange or NXtomo HDF5 file, or FILE:/DATASET; TIFF, EDF, FITS, MRC or DM images by a "
            "folder, a quoted pattern or a file of several images; a .npy array; an array of a MATLAB file, or "
            "FILE:/NAME; or raw float32 sinograms (with --theta and --columns); with --system-matrix the counts of its "
            "rows: .npy, HDF5 or MATLAB (FILE:/DATASET), Interfile, raw int32 or float32, or a list of events; "
            "compare: the volume that is judged, a file as the reference; join: HDF5 volumes of runs with --start-row "
            "and --end-row, by their names, a folder or a quoted pattern; the option's name may be left out"),
    ROW(INPUT, RECON | INFO | PLAN | SIMULATE, "theta", TEXT(input.theta, "ANGLES"), .per_rank = true,
        .geometries = ORBITS,
        BRIEF(RECON | INFO | PLAN | SIMULATE, "angles: a file of degrees, or 0:180, 0:180:excluded, 0:step:0.5"),
        .help = "angles that replace those of the scan: a text file of degrees, one per line, or a table with a column "
                "named angle or theta; a .npy list or a raw float32 file of radians; FILE:COLUMN for another column; "
                "FILE[A:B] for the angles number A to B - 1 of a file; FILE:/DATASET of HDF5, MATLAB or .npz; or a "
                "range of degrees: 0:180 (both ends included), 0:180:excluded (180 left out), 0:step:0.5"),
    ROW(INPUT, RECON | INFO | PLAN | SIMULATE, "dataset", TEXT(input.dataset, "PATH"), .geometries = SCANS,
        .help = "dataset of the projections in an HDF5 file, or its NXtomo entry if it has several; variable of a "
                "MATLAB file, array of .npz; if not given: sinodag finds it"),
    ROW(INPUT, RECON | INFO | PLAN | SIMULATE, "theta-dataset", TEXT(input.theta_dataset, "PATH"), .geometries = ORBITS,
        .help = "dataset of the angles in the scan's HDF5 file, variable in its MATLAB file, array in its .npz; "
                "--theta FILE:/DATASET names one of another file"),
    ROW(INPUT, RECON | INFO | PLAN | SIMULATE, "theta-unit", CHOICE(input.theta_unit, angle_unit_words, "auto"),
        .geometries = ORBITS,
        .help = "unit of the angles of the scan, of --theta and of --theta-dataset; auto: radians in .npy and raw "
                "files, in HDF5 where an attribute (units, angle_unit) says so, in MATLAB and tables of text where a "
                "name ends in rad; else degrees"),
    ROW(INPUT, RECON | INFO | PLAN | SIMULATE, "axes", CHOICE(input.axes, axes_words, "angle,row,column"),
        .geometries = SCANS,
        .help = "order of the dimensions of the projections in HDF5, NumPy, MATLAB and images, the slowest one first; "
                "row,angle,column: sinograms"),
    ROW(INPUT, RECON | INFO | PLAN | SIMULATE, "flats", TEXT(input.flats, "IMAGES"), .per_rank = true,
        .geometries = SCANS, BRIEF(RECON | INFO, "flat fields: images as those of scans, .npy, or FILE:/DATASET"),
        .help = "flat fields that replace those of the scan: images by a file, a folder or a quoted pattern; a .npy "
                "array; FILE:/DATASET of HDF5, MATLAB or .npz, or :/DATASET of the scan's file"),
    ROW(INPUT, RECON | INFO | PLAN | SIMULATE, "open-beam", REAL(input.open_beam, 0, COUNT_MAX, NULL),
        .low_excluded = true, .unit = "counts", .geometries = SCANS,
        .help = "count of every pixel where there is no object, instead of flat fields"),
    ROW(INPUT, RECON | INFO | PLAN | SIMULATE, "darks", TEXT(input.darks, "IMAGES"), .per_rank = true,
        .geometries = SCANS, BRIEF(RECON | INFO, "dark fields, likewise"),
        .help = "dark fields that replace those of the scan: in files or a dataset, as flat fields"),
    ROW(INPUT, RECON | INFO, "columns", INTEGER(input.columns, 1, COUNT_MAX, NULL), .geometries = SCANS,
        BRIEF(INFO, "detector columns of raw sinograms; needs --theta"),
        .help = "detector columns of raw sinograms; needs --theta"),
    ROW(INPUT, RECON | INFO | PLAN | SIMULATE, "exclude", TEXT(input.exclude, "LIST"), .geometries = SCANS,
        .help = "projections to leave out, by number from 0 on: 30,100:110 leaves out 30 and 100 to 109, 1::2 every "
                "second one from 1 on"),
    ROW(INPUT, RECON | SIMULATE, "follow", .kind = SINO_SETTING_REPORT, AT(input.follow, char *), .fallback = "no",
        .operand = "yes|no|FILE", .ending = ".html", .may_change = true, .geometries = ORBITS,
        .help = "reconstruct while another program still writes the scan: a Data Exchange or NXtomo file, a --dataset "
                "of HDF5, TIFF images in a folder, or a stream at tcp://HOST:PORT, with the angles of all projections "
                "there or in --theta; fbp or fdk, which need --rotation-axis, before any other algorithm; no sample of "
                "the scan chooses their stages; the volume of fdk has the bits of --symmetry no; a name that ends in "
                ".html: a page of three planes meanwhile"),
    ROW(INPUT, RECON | SIMULATE, "follow-timeout", .tune = RECON | SIMULATE, REAL(input.follow_timeout_s, 0, 1e6, "60"),
        .low_excluded = true, .unit = "seconds", .may_change = true, .geometries = ORBITS,
        .help = "how long --follow waits for the next projection before it gives up"),
    ROW(INPUT, RECON | INFO | PLAN | SIMULATE, "start-angle", .kind = SINO_SETTING_AXIS, AT(input.start_angle, double),
        .low = -1e6, .high = 1e6, .fallback = "auto", .operand = "auto|X", .unit = "degrees", .geometries = ORBITS,
        .help = "leave out projections at smaller angles; auto: none"),
    ROW(INPUT, RECON | INFO | PLAN | SIMULATE, "end-angle", .kind = SINO_SETTING_AXIS, AT(input.end_angle, double),
        .low = -1e6, .high = 1e6, .fallback = "auto", .operand = "auto|X", .unit = "degrees", .geometries = ORBITS,
        .help = "leave out projections at larger angles; auto: none"),
    ROW(INPUT, RECON | INFO | PLAN | SIMULATE, "angle-binning", INTEGER(input.angle_binning, 1, 1024, "1"),
        .unit = "projections", .geometries = ORBITS,
        .help = "average so many consecutive projections, and their angles; 1: none"),
    ROW(INPUT, RECON | PLAN | SIMULATE, "start-row", INTEGER(input.start_row, 0, COUNT_MAX, "0"), .geometries = SCANS,
        BRIEF(RECON, "first detector row to reconstruct"), .help = "first detector row to reconstruct"),
    ROW(INPUT, RECON | PLAN | SIMULATE, "end-row", INTEGER(input.end_row, -1, COUNT_MAX, "-1"), .geometries = SCANS,
        BRIEF(RECON, "the row after the last one to reconstruct"),
        .help = "the row after the last one to reconstruct; -1: up to the end"),
    ROW(INPUT, RECON | PLAN | SIMULATE, "start-column", INTEGER(input.start_column, 0, COUNT_MAX, "0"),
        .geometries = SCANS, .help = "first detector column to use"),
    ROW(INPUT, RECON | PLAN | SIMULATE, "end-column", INTEGER(input.end_column, -1, COUNT_MAX, "-1"),
        .geometries = SCANS, .help = "the column after the last one to use; -1: up to the end"),
    ROW(INPUT, RECON | PLAN | SIMULATE, "binning", INTEGER(input.binning, 1, 1024, "1"), .unit = "pixels",
        .geometries = SCANS, BRIEF(RECON | PLAN, "average squares of N by N detector pixels"),
        .help = "average squares of this many by this many detector pixels; 1: no binning"),
    ROW(INPUT, RECON | INFO | PLAN | SIMULATE, "data", CHOICE(input.scan_values, values_words, "auto"),
        BRIEF(INFO, "kind of values"),
        .help = "the kind of values in the scan; counts: flat and dark fields are applied, then -ln is taken; "
                "transmission: only -ln is taken; line-integrals: used unchanged; auto: line integrals in raw "
                "sinograms, else counts, unless --flat-correction none or --minus-log no say otherwise; with "
                "--system-matrix only auto, and events: an array has the numbers of the rows of events"),
    ROW(INPUT, RECON | PLAN | SIMULATE, "flat-correction", CHOICE(input.flat_correction, flat_words, "mean"),
        .geometries = SCANS,
        .help =
            "how several flat or dark fields are combined into one; none: neither flat nor dark fields are applied"),
    ROW(INPUT, RECON | INFO | PLAN | SIMULATE, "flat-interpolation", .tune = RECON | INFO | PLAN | SIMULATE,
        CHOICE(input.flat_interpolation, flat_interpolation_words, "linear"), .geometries = SCANS,
        .help = "between flat fields that were taken at several times of the scan, as --flat-positions or the frames "
                "of an NXtomo file tell; linear: each projection is divided by a line between the sets before and "
                "after it; none: all flat fields are one set"),
    ROW(INPUT, RECON | INFO | PLAN | SIMULATE, "flat-positions", .tune = RECON | INFO | PLAN | SIMULATE,
        COUNTS(input.flat_positions, 0, COUNT_MAX, NULL), .geometries = SCANS,
        .help = "how many projections were taken before each set of flat fields, such as 0,900,1800; the sets have "
                "equally many flat fields; if not given: as the scan tells"),
    ROW(INPUT, RECON | SIMULATE, "minus-log", FLAG(input.minus_log, "yes"), .geometries = SCANS,
        .help = "take -ln of the transmission; no: the values already are line integrals"),
    ROW(INPUT, RECON | INFO | SIMULATE, "saturation", .kind = SINO_SETTING_AXIS, AT(input.saturation, double), .low = 0,
        .high = COUNT_MAX, .fallback = "auto", .operand = "auto|X", .geometries = SCANS,
        .help = "counts of this value and more are undefined, for the detector was overexposed; auto: the largest "
                "value of an integer type, if the counts are divided by flat fields; 0: none"),
    ROW(INPUT, RECON | INFO | SIMULATE, "max-repaired", REAL(input.max_repaired, 0, 1, "0.2"), .may_change = true,
        .geometries = SCANS,
        .help = "refuse a scan of whose values more than this share is undefined (dropped projections, dead columns, "
                "saturated pixels); iterative algorithms give these rays the weight 0, fbp interpolates them"),

    ROW(INPUT, MATRIX_VERBS, "system-matrix", TEXT(counts.system_matrix, "FILE"), .per_rank = true,
        .geometries = MATRIX, BRIEF(MATRIX_VERBS, "a sparse matrix, of whose rows FILE has the counts"),
        .help = "a sparse matrix with a row for each count and a column for each voxel: csr4, Matrix Market (.mtx, "
                ".mtx.gz), HDF5 (FILE:/GROUP), SciPy's .npz; or the text map of a scanner's crystals or the Interfile "
                "header of a SPECT scan, from which it is computed"),
    ROW(INPUT, RECON | INFO | PLAN | SIMULATE, "attenuation-map", TEXT(counts.attenuation_map, "FILE"),
        .per_rank = true, .geometries = MATRIX,
        .help = "of a SPECT header's matrix: an image in 1/cm, in a file as that of the counts; if not given: nothing "
                "is attenuated"),
    ROW(INPUT, RECON | INFO | PLAN | SIMULATE, "collimator", .tune = RECON | INFO | PLAN | SIMULATE,
        .kind = SINO_SETTING_WEIGHTS, AT(counts.collimator, SinoWeightList), .low = 0, .high = 1000, .item_most = 2,
        .operand = "SLOPE,MM", .geometries = MATRIX,
        .help = "of a SPECT header's matrix: the blur of the collimator; its standard deviation h mm before the "
                "detector is SLOPE h + MM; if not given: none"),
    ROW(INPUT, RECON | INFO | PLAN | SIMULATE | PET_VERBS, "mirrors", .tune = RECON | INFO | PLAN | SIMULATE,
        CHOICE(counts.mirrors, mirror_words, "auto"), .geometries = MATRIX | PET,
        .help = "of a csr4 matrix whose file leaves out entries that mirrors of the scanner repeat; folded: it stays "
                "so, and is multiplied with all mirrored images at once, by cores alone; unfolded: mirrored entries "
                "are stored, too; auto: folded, unless devices compute, or mirrored entries of the file disagree; "
                "phantom: folded writes such a matrix, auto does not"),
    ROW(INPUT, RECON | PLAN | SIMULATE, "multiplicative", TEXT(counts.multiplicative, "FILE"), .per_rank = true,
        .geometries = MATRIX,
        .help =
            "factor of each row, normalisation times attenuation, in a file as that of the counts; if not given: 1"),
    ROW(INPUT, RECON | PLAN | SIMULATE, "additive", TEXT(counts.additive, "FILE"), .per_rank = true,
        .geometries = MATRIX,
        .help =
            "expected randoms and scatter of each row, as counts, in a file as that of the counts; if not given: 0"),
    ROW(INPUT, RECON | PLAN | SIMULATE, "sensitivity", .tune = RECON | PLAN | SIMULATE,
        TEXT(counts.sensitivity, "FILE"), .per_rank = true, .algorithms = MLEM | OSEM | BSREM, .geometries = MATRIX,
        .help = "image of the voxels' sensitivities, in a file as that of the counts; if not given: the backprojection "
                "of the multiplicative factors"),
    ROW(INPUT, RECON | PLAN | SIMULATE, "start", TEXT(solver.start, "FILE"), .per_rank = true, .algorithms = ITERATIVE,
        .help =
            "volume that the first iteration begins from, such as that of another run, with as many slices of the "
            "same sides: HDF5 (FILE or FILE:/DATASET), TIFF, OME-Zarr or .npy; --system-matrix, with mlem, osem and "
            "bsrem: image, in a file as that of the counts"),
    ROW(INPUT, RECON | PLAN | SIMULATE, "mask", TEXT(solver.mask, "FILE"), .per_rank = true,
        .help = "image; voxels where it is 0 stay 0; of scans, with fista, cg and sirt, one slice as large as those of "
                "the volume, for all of them: HDF5 (FILE or FILE:/DATASET), TIFF or .npy; --system-matrix: in a file "
                "as that of the counts"),

    ROW(STAGES, RECON | INFO | PLAN | SIMULATE, "stages", .tune = RECON | INFO | PLAN | SIMULATE,
        TEXT(stages.order, "ORDER"), .geometries = SCANS,
        .help = "order of the stages that change sinograms, each named once, separated by commas; if not given: "
                "zingers,air,stripes,harden; flat fields, tilt and phase retrieval come before, in this order"),
    ROW(STAGES, RECON | INFO | PLAN | SIMULATE, "detector-tilt", .kind = SINO_SETTING_AXIS,
        AT(stages.detector_tilt_deg, double), .low = -10, .high = 10, .fallback = "auto", .operand = "auto|X",
        .unit = "degrees", ONLY(PARALLEL | CONE, of_images),
        .help = "turn the projections back, before any other stage, of a detector that is tilted about the beam; "
                "positive if the rotation axis lies at larger columns in lower rows; the log of a run tells when the "
                "axis leans, and by how much; auto: 0, or of a cone beam what its projections tell without doubt"),
    ROW(STAGES, RECON | SIMULATE, "align", TEXT(stages.align, "SHIFTS"), .per_rank = true,
        ONLY(PARALLEL | CONE | VECTORS, of_images),
        .help =
            "shift projections back, before any other stage, that lie beside their places; shifts: find how far, by "
            "reconstructing and comparing in turn; pose: small turns of --vectors, too; FILE: by what it tells, in "
            "columns and rows: text whose first line is columns,rows with a line for each projection, or an earlier "
            "volume in HDF5, which was aligned; header: by what the header of a scanner tells, which is chosen where "
            "it does; none: not at all"),
    ROW(STAGES, RECON | INFO | PLAN | SIMULATE, "phase-method", CHOICE(stages.phase_method, phase_words, "none"),
        ONLY(PARALLEL | CONE, of_images),
        .help = "phase retrieval of a beam that has propagated behind an object of one material; paganin: Paganin's "
                "filter; gpaganin: generalised, which keeps more of the finest detail; bronnikov: modified "
                "Bronnikov's, of objects that absorb little; ctf: by the contrast transfer function, of objects that "
                "absorb little, at larger distances; each needs --energy, --delta-beta or --material, and of parallel "
                "beams --propagation-distance and --pixel-size"),
    ROW(STAGES, RECON | INFO | PLAN | SIMULATE, "delta-beta", REAL(stages.delta_beta, 0, COUNT_MAX, NULL),
        .low_excluded = true, ONLY(PARALLEL | CONE, of_images),
        .help = "delta/beta of the material's index of refraction 1 - delta + i beta, at that energy"),
    ROW(STAGES, RECON | INFO | PLAN | SIMULATE, "material", TEXT(stages.material, "FORMULA"),
        ONLY(PARALLEL | CONE, of_images),
        .help = "chemical formula of the material, such as CaCO3, instead of --delta-beta: delta by the density of its "
                "electrons, beta by its attenuation"),
    ROW(STAGES, RECON | INFO | PLAN | SIMULATE, "density", REAL(stages.density, 0, 1e3, NULL), .low_excluded = true,
        .unit = "g/cm3", ONLY(PARALLEL | CONE, of_images), .help = "density of the --material"),
    ROW(STAGES, RECON | INFO | PLAN | SIMULATE, "attenuation", REAL(stages.attenuation, 0, 1e9, NULL),
        .low_excluded = true, .unit = "1/cm", ONLY(PARALLEL | CONE, of_images),
        .help = "linear attenuation coefficient of the --material at that energy"),
    ROW(STAGES, RECON | INFO | PLAN | SIMULATE, "energy", REAL(stages.energy_kev, 0, 1e5, NULL), .low_excluded = true,
        .unit = "keV", ONLY(PARALLEL | CONE, of_images), .help = "mean energy of the beam"),
    ROW(STAGES, RECON | INFO | PLAN | SIMULATE, "propagation-distance", REAL(stages.propagation_mm, 0, COUNT_MAX, NULL),
        .low_excluded = true, .unit = "mm", ONLY(PARALLEL, of_distance),
        .help = "distance from the object to the detector"),
    ROW(STAGES, RECON | INFO | PLAN | SIMULATE, "zinger-removal-method",
        CHOICE(stages.zinger_removal, zinger_words, "auto"), .geometries = SCANS, BRIEF(RECON, "zingers"),
        .help = "values of single projections that stray photons made too bright; standard: iterative algorithms give "
                "these rays the weight 0, fbp takes the median of three angles; none: keep them; auto: standard if a "
                "sample of the scan has zingers"),
    ROW(STAGES, RECON | INFO | PLAN | SIMULATE, "zinger-level", .tune = RECON | INFO | PLAN | SIMULATE,
        REAL(stages.zinger_level, 0, 1e6, "10"), .low_excluded = true, .geometries = SCANS,
        .help = "how many standard deviations of its column's noise a zinger is too bright; besides, it is too bright "
                "by a tenth at least"),
    ROW(STAGES, RECON | INFO | PLAN | SIMULATE, "air", .kind = SINO_SETTING_AXIS, AT(stages.air, double), .low = 0,
        .high = COUNT_MAX, .fallback = "auto", .operand = "auto|N", .unit = "columns", .geometries = SCANS,
        .help = "normalise each row of each projection to the light beside the object: a line between the means of the "
                "first and last N columns divides the transmission; 0: none; auto: if a sample of the scan shows air "
                "at both edges, and light that changes during the scan"),
    ROW(STAGES, RECON | INFO | PLAN | SIMULATE, "remove-stripe-method",
        CHOICE(stages.stripe_removal, stripe_words, "auto"), .geometries = SCANS,
        BRIEF(RECON, "stripes, which make rings"),
        .help =
            "remove stripes from sinograms, which make rings in slices; fw: Fourier-wavelet (Muench), for many fine "
            "stripes; ti: Titarenko's offsets, the fastest; sorting: Vo's algorithm 3, for partial stripes; vo-all: "
            "dead, fluctuating and large stripes, too (Vo's algorithms 3 to 6); wiener: offsets of columns, as far as "
            "they stand out of noise and object, and dead columns; none: keep them; auto: if a sample of the scan has "
            "stripes, wiener, or sorting where angles are not in order"),
    ROW(STAGES, RECON | INFO | PLAN | SIMULATE, "fw-sigma", .tune = RECON | INFO | PLAN | SIMULATE,
        REAL(stages.fw_sigma, 0, 1e6, "2"), .low_excluded = true, .removals = FW, .geometries = SCANS,
        .help = "width of the damping of fw, in frequencies along the angles"),
    ROW(STAGES, RECON | INFO | PLAN | SIMULATE, "fw-level", .tune = RECON | INFO | PLAN | SIMULATE,
        INTEGER(stages.fw_level, 0, 30, "0"), .removals = FW, .geometries = SCANS,
        .help = "levels of the wavelet transform of fw; 0: for stripes up to a 32nd of the detector's width"),
    ROW(STAGES, RECON | INFO | PLAN | SIMULATE, "ti-nblock", .tune = RECON | INFO | PLAN | SIMULATE,
        INTEGER(stages.ti_nblock, 0, 1e6, "0"), .removals = TI, .geometries = SCANS,
        .help = "blocks of angles that have offsets of their own in ti; 0: one"),
    ROW(STAGES, RECON | INFO | PLAN | SIMULATE, "ti-alpha", .tune = RECON | INFO | PLAN | SIMULATE,
        REAL(stages.ti_alpha, 1, 1e6, "1.5"), .removals = TI, .geometries = SCANS,
        .help = "how often ti adds the least product of its two corrections before it takes the root"),
    ROW(STAGES, RECON | INFO | PLAN | SIMULATE, "vo-all-snr", .tune = RECON | INFO | PLAN | SIMULATE,
        REAL(stages.vo_snr, 0, 1e6, "3"), .low_excluded = true, .removals = VO_ALL, .geometries = SCANS,
        .help = "how far a dead or large stripe stands out of the noise in vo-all; less finds more"),
    ROW(STAGES, RECON | INFO | PLAN | SIMULATE, "vo-all-la-size", .tune = RECON | INFO | PLAN | SIMULATE,
        INTEGER(stages.vo_large_size, 0, 10001, "0"), .unit = "columns", .removals = VO_ALL, .geometries = SCANS,
        .help = "columns of the medians by which vo-all finds dead and large stripes; 0: 3 % of the detector, 9 to 61"),
    ROW(STAGES, RECON | INFO | PLAN | SIMULATE, "vo-all-sm-size", .tune = RECON | INFO | PLAN | SIMULATE,
        INTEGER(stages.vo_small_size, 0, 10001, "0"), .unit = "columns", .removals = SORTING | VO_ALL,
        .geometries = SCANS,
        .help =
            "columns of the median of sorting, and of the last step of vo-all; 0: a hundredth of the detector, 5 to "
            "21"),
    ROW(STAGES, RECON | INFO | PLAN | SIMULATE, "beam-hardening", .kind = SINO_SETTING_WEIGHTS,
        AT(stages.beam_hardening, SinoWeightList), .low = -1e6, .high = 1e6, .item_most = 8, .operand = "LIST",
        .geometries = SCANS,
        .help = "correct line integrals p for beam hardening: they become a p + b p^2 + c p^3 ... with the numbers "
                "a,b,c..., up to 8; the last stage; if not given: none"),

    ROW(GEOMETRY, MATRIX_VERBS & ~BENCH, "geometry", CHOICE(geometry.kind, geometry_words, "parallel"),
        .words = SCANS | MATRIX, BRIEF(MATRIX_VERBS & ~BENCH, "beam"),
        .help =
            "parallel: rays of a projection are parallel, as at synchrotrons; cone: they come from a point, and the "
            "detector is flat, as in laboratories, also chosen where the scan's file or an option tells how far the "
            "source is (rays spread over a degree or more); fan: each row has a source of its own at its height, as "
            "rows that are channels (energies, times) of one fan have; vectors: each projection has vectors of its "
            "own, of --vectors, which says this, too; matrix: each is a row of --system-matrix, which says this, too"),
    ROW(GEOMETRY, BENCH, "geometry", CHOICE(geometry.kind, geometry_words, "parallel"), .words = ORBITS | MATRIX,
        BRIEF(BENCH, "beam"), .help = "rays whose products are measured; matrix: those of --system-matrix"),
    ROW(GEOMETRY, PHANTOM, "geometry", CHOICE(geometry.kind, geometry_words, "parallel"),
        .words = PARALLEL | CONE | VECTORS | PET, BRIEF(PHANTOM, "beam, or a PET scanner"),
        .help = "parallel, cone: a scan of these rays; vectors: a scan whose projections have those of --vectors; pet: "
                "the system matrix of a ring of crystals, and counts"),
    ROW(GEOMETRY, DEMO, "geometry", CHOICE(geometry.kind, geometry_words, "parallel"), .words = PARALLEL | CONE | PET,
        BRIEF(DEMO, "beam, or a PET scanner"),
        .help = "parallel, cone: a scan of these rays; pet: the system matrix of a ring of crystals, and counts"),
    ROW(GEOMETRY, RECON | PHANTOM | INFO | PLAN | SIMULATE, "vectors", TEXT(geometry.vectors, "FILE"), .per_rank = true,
        .geometries = VECTORS,
        .help = "12 numbers in mm per projection: source, middle of the detector, and the steps to the next column and "
                "row, as ASTRA's cone_vec has them; in a .npy array, or in text whose first line names them (srcX "
                "...); parallel:FILE: the direction of parallel rays in place of the source (parallel3d_vec), as text "
                "says itself (rayX ...); or RTK's geometry in XML, with --detector-pixel; a scenario of CTSimU in "
                "JSON, or a .nsipro file; or words, as orbit:source=200,detector=300,pixel=0.2,turns=3,pitch=8 for a "
                "helix, and orbit:tilt=30 for laminography by parallel rays; roll turns the detector"),
    ROW(GEOMETRY, RECON | INFO | PHANTOM | DEMO | PLAN | SIMULATE, "source-object-distance",
        REAL(geometry.source_object_mm, LENGTH_MIN, LENGTH_MAX, NULL), .unit = "mm", .geometries = CONES,
        BRIEF(RECON | INFO | PLAN, "cone beams: mm from the source to the rotation axis"),
        .help = "from the source to the rotation axis; if not given: what the scan's file says; phantom and demo: four "
                "times the side of a slice, or two thirds of the distance to the detector"),
    ROW(GEOMETRY, RECON | INFO | PHANTOM | DEMO | PLAN | SIMULATE, "source-detector-distance",
        REAL(geometry.source_detector_mm, LENGTH_MIN, LENGTH_MAX, NULL), .unit = "mm", .geometries = CONES,
        BRIEF(RECON | INFO | PLAN, "cone beams: mm from the source to the detector"),
        .help = "from the source to the detector, at right angles; if not given: what the scan's file says; phantom "
                "and demo: one and a half times the distance to the axis"),
    ROW(GEOMETRY, RECON | INFO | PHANTOM | DEMO | PLAN | SIMULATE, "detector-pixel", .kind = SINO_SETTING_PIXEL,
        AT(geometry.detector_pixel, SinoPixelSize), .low = LENGTH_MIN, .high = LENGTH_MAX, .operand = "W|WxH",
        .unit = "mm", .geometries = CONES | VECTORS, BRIEF(INFO | PLAN, "cone beams: size of a detector pixel in mm"),
        .help = "width and height of a detector pixel, before binning; if not given: what the scan's file says; "
                "phantom and demo: 0.2; of vectors: where their file tells none"),
    ROW(GEOMETRY, RECON | INFO | PHANTOM | DEMO | PLAN | SIMULATE, "angle-direction",
        CHOICE(geometry.angle_direction, direction_words, "auto"), .geometries = ORBITS,
        .help = "how the sample turns as the angles grow, seen from above, where projections are as the source sees "
                "them with row 0 on top; counterclockwise turns the sign of every angle; auto: clockwise, unless rays "
                "and their reverses in a whole turn of a cone or fan beam deny it"),

    ROW(CENTER, RECON | PLAN | SIMULATE, "center-row", .kind = SINO_SETTING_AXIS, AT(center.row, double), .low = -1e6,
        .high = 1e6, .fallback = "auto", .operand = "auto|X", .unit = "rows", .geometries = CONE,
        .help = "detector row that the perpendicular from the source meets, where 0 is the middle of the first row; "
                "auto: the middle of the detector, unless the projections deny it"),
    ROW(CENTER, RECON | INFO | PLAN | SIMULATE | SWEEP, "rotation-axis", .kind = SINO_SETTING_AXIS,
        AT(center.rotation_axis, double), .low = -1e6, .high = 1e6, .fallback = "auto", .operand = "auto|X",
        .unit = "columns", .may_change = true, .geometries = ORBITS,
        BRIEF(RECON, "rotation center, a column; 0 is the middle of the first one"),
        .help = "rotation center as a detector column, where 0 is the middle of the first column; auto: sinodag finds "
                "it from the scan"),
    ROW(CENTER, RECON | SIMULATE, "rotation-axis-auto", CHOICE(center.method, center_words, "auto"), .may_change = true,
        ONLY(PARALLEL, of_sinograms),
        .help =
            "method that finds the center; vo: uses one sinogram; phase: uses the projections at 0 and 180 degrees; "
            "pairs: compares all projections of a whole turn with those half a turn later, wherever the axis is; "
            "entropy: takes the center whose filtered backprojection has the least entropy; auto: vo, checked by pairs "
            "or phase; entropy decides if they differ by more than a column, and is the center if it is far from both"),
    ROW(CENTER, RECON | SIMULATE, "reconstruction-type", CHOICE(center.reconstruction_type, type_words, "full"),
        .geometries = ORBITS | MATRIX, BRIEF(RECON, "try: one slice with several centers or other values"),
        .help = "full: reconstruct the volume; try: reconstruct one slice with several centers, or the values of "
                "--sweep, to choose by eye; counts have no centers"),
    ROW(CENTER, RECON | SIMULATE, "sweep", TEXT(center.sweep, "NAME=VALUES"), .geometries = ORBITS | MATRIX,
        .help = "values of a setting that --reconstruction-type try compares, such as rotation-axis=290:300:0.5, "
                "iterations=5,10,20 or remove-stripe-method=none,fw,ti; if not given: centers of --center-search-width "
                "and --center-search-step"),
    ROW(CENTER, RECON | SIMULATE, "center-search-width", REAL(center.search_width, 0, COUNT_MAX, "0"),
        .unit = "columns", .may_change = true, .geometries = ORBITS,
        .help =
            "columns to each side that are searched: from the middle of the detector, or, with --reconstruction-type "
            "try, from the center; 0: 50 (of a cone beam: a quarter of all columns), or 5 with try"),
    ROW(CENTER, RECON | SIMULATE, "center-search-step", REAL(center.search_step, 0, COUNT_MAX, "0.5"),
        .low_excluded = true, .unit = "columns", .may_change = true, .geometries = ORBITS,
        .help = "distance between two centers of --reconstruction-type try"),
    ROW(CENTER, RECON | SIMULATE, "nsino", INTEGER(center.nsino, -1, COUNT_MAX, "-1"), .may_change = true,
        ONLY(PARALLEL, of_sinograms),
        .help = "detector row that is used to find the center and by --reconstruction-type try; -1: the middle one, "
                "and two others for the center"),

    ROW(SOLVER, RECON | DEMO | PLAN | SIMULATE, "algorithm", .alias = "reconstruction-algorithm",
        CHOICE(solver.algorithm, algorithm_words, "fista"), BRIEF(RECON | DEMO | PLAN | SIMULATE, "method"),
        .help =
            "fista: least squares of weighted rays, with a prior against noise and streaks, and without negative "
            "values; cg: conjugate gradients for least squares, the default where ranks share a slice (--grid), "
            "with --projector toeplitz, with --reconstruction-type try, and with --vectors for which fista would take "
            "more than 2 GiB; sirt: simultaneous iterative technique, slower; fbp: filtered backprojection, without "
            "iterations; mlem: maximum likelihood of counts, never "
            "negative, the default with --system-matrix; osem: mlem by subsets of the angles or rows, faster, the "
            "default of demo --geometry pet; bsrem: osem with a prior against noise, by steps that converge; fdk: "
            "filtered backprojection of cone beams (Feldkamp), the default of those for which fista would take more "
            "than 2 GiB, of demo, of arrays in memory, and of plan and simulate without a scan"),
    ROW(SOLVER, SWEEP, "algorithm", .alias = "reconstruction-algorithm",
        CHOICE(solver.algorithm, algorithm_words, "cg"), BRIEF(SWEEP, "method"),
        .help = "that of the runs that are compared; the words are those of recon"),
    ROW(SOLVER, RECON | DEMO | PLAN | SIMULATE | SWEEP, "iterations", .kind = SINO_SETTING_AMOUNT,
        AT(solver.iterations, int64_t), .low = 1, .high = COUNT_MAX, .fallback = "15", .operand = "N|auto",
        .algorithms = ITERATIVE,
        BRIEF(RECON | DEMO | PLAN | SIMULATE | SWEEP, "iterations, unless the algorithm has none"),
        .help =
            "largest number of iterations; if not given: 15 of fista, 40 of parallel beams with few angles or a gap, "
            "8 of cone and fan beams with 160 projections or more, 80 by --projector toeplitz, 30 of others; demo: "
            "12 of others, with --geometry pet 2 of osem and 20 of others; auto, of scans by cg, sirt, mlem or "
            "osem: of each slice, or the volume of a cone beam, as many as reconstruct each half of the "
            "projections closest to the other half, at most 40, of sirt and mlem 400; by fista 40; of counts with "
            "--system-matrix by mlem or osem: of each set, by halves of its counts"),
    ROW(SOLVER, RECON | DEMO | SIMULATE, "tolerance", REAL(solver.tolerance, 0, 1, "0"), .high_excluded = true,
        .algorithms = ITERATIVE,
        .help = "a slice, or the volume of a cone beam, stops when its residual |Ax - b| / |b| is at most this; 0: "
                "only after the last iteration"),
    ROW(SOLVER, RECON | DEMO | SIMULATE, "likelihood-tolerance", .tune = RUNS | SIMULATE,
        REAL(solver.likelihood_tolerance, 0, 1, "0"), .high_excluded = true, .algorithms = MLEM | OSEM,
        .help = "a slice stops when an iteration adds at most this share to its log-likelihood; 0: only after the last "
                "iteration"),
    ROW(SOLVER, RECON | DEMO | SIMULATE | SWEEP, "relaxation", .tune = RUNS | SIMULATE,
        REAL(solver.relaxation, 0, 2, "1"), .low_excluded = true, .high_excluded = true, .algorithms = SIRT,
        .help = "length of each step of sirt"),
    ROW(SOLVER, RECON | DEMO | SIMULATE | SWEEP, "nonnegativity", .kind = SINO_SETTING_CHOICE,
        AT_CHOICE(solver.nonnegativity), .choices = nonnegativity_words, .fallback = "auto", .bare = "yes",
        .operand = "auto|yes|no", .algorithms = SIRT | FISTA,
        .help = "no value is below 0: fista finds the best volume without any, sirt sets negative values to 0 after "
                "each iteration; auto: no for sirt, yes for fista unless --minimum is negative, or --regularization "
                "auto finds that the projections deny it"),
    ROW(SOLVER, RECON | DEMO | SIMULATE, "minimum", .kind = SINO_SETTING_AXIS, AT(solver.minimum, double),
        .low = -COUNT_MAX, .high = 0, .fallback = "auto", .operand = "NUMBER|auto", .algorithms = SIRT | FISTA,
        .help = "no value is below this, in units of the volume, in place of --nonnegativity; not above 0, which air "
                "has; auto: 0 with --nonnegativity yes, or auto for fista, else none"),
    ROW(SOLVER, RECON | DEMO | SIMULATE, "maximum", .kind = SINO_SETTING_AXIS, AT(solver.maximum, double), .low = 0,
        .low_excluded = true, .high = COUNT_MAX, .fallback = "auto", .operand = "NUMBER|auto",
        .algorithms = SIRT | FISTA,
        .help = "no value is above this, in units of the volume, such as that of the densest material; auto: none"),
    ROW(SOLVER, RECON | DEMO | PLAN | SIMULATE, "support-ratio", REAL(solver.support_ratio, 0, 1, "0"),
        .algorithms = CG | SIRT | FISTA, .geometries = SCANS,
        .help = "the object lies within a circle with this share of the inscribed circle's radius: voxels outside are "
                "0 in every iteration, where --mask-ratio only leaves them out of the volume; 0: anywhere"),
    ROW(SOLVER, RECON | DEMO | SIMULATE, "regularization", .kind = SINO_SETTING_AXIS, AT(prior.regularization, double),
        .low = 0, .high = COUNT_MAX, .fallback = "auto", .operand = "NUMBER|auto", .algorithms = FISTA | BSREM,
        .help = "strength of the prior that fista adds to half the weighted square of the residual, or bsrem takes "
                "from the log-likelihood; more gives fewer details and less noise, 0 none of it; auto: of fista, with "
                "which a slice predicts best the projections that it lacks; of bsrem, 2 (with --prior huber 4) over "
                "the root of the counts per voxel"),
    ROW(SOLVER, RECON | DEMO | SIMULATE, "prior", CHOICE(prior.kind, prior_words, "auto"), .algorithms = FISTA | BSREM,
        .help = "what fista adds to the residual for differences of neighbouring voxels; total-variation: their sum, "
                "which flattens noise and keeps edges; huber: squares of small ones, which leave slopes; qggmrf: "
                "squares of small ones and powers of 1.2 of large ones, as MBIR does; auto, of fista: total-variation, "
                "or qggmrf where --regularization auto finds that it predicts better; relative-difference, the default "
                "of bsrem, which has no other but huber: squares over the sum of both voxels"),
    ROW(SOLVER, RECON | DEMO | PLAN | SIMULATE, "prior-dimensions", INTEGER(prior.dimensions, 2, 3, "2"),
        .algorithms = FISTA, ONLY(PARALLEL, of_prior),
        .help = "2: the prior compares voxels within a slice; 3: those of neighbouring slices, too, for which all "
                "slices must be in memory, of all ranks together"),
    ROW(SOLVER, RECON | DEMO | SIMULATE, "prior-threshold", .tune = RUNS | SIMULATE, .kind = SINO_SETTING_AXIS,
        AT(prior.threshold, double), .low = 0, .low_excluded = true, .high = COUNT_MAX, .fallback = "auto",
        .operand = "NUMBER|auto", .algorithms = FISTA | BSREM,
        .help = "difference of neighbouring voxels that counts as large with --prior huber and qggmrf, as a share of "
                "the typical value of the object; auto: 0.1"),
    ROW(SOLVER, RECON | DEMO | PLAN | SIMULATE | SWEEP, "weights", CHOICE_OR_FILE(solver.weights, weight_words, "auto"),
        .algorithms = CG | SIRT | FISTA, .geometries = SCANS,
        .help = "weights of rays in fista, cg and sirt; counts: the share of the photons that the object lets through, "
                "so that dark rays, which are noisy, count less; none: all alike; auto: of fista counts where the scan "
                "holds counts or transmissions, of cg and sirt none; a file: numbers from 0 on, such as one over the "
                "variance of each line integral, where 0 leaves the ray out: as large as the projections of the scan, "
                "with the same --axes, or angles x columns, or columns, which then hold for all others: HDF5 "
                "(FILE:/DATASET), .npy, or a stack of TIFF images"),
    ROW(SOLVER, RECON | DEMO | PLAN | SIMULATE | SWEEP, "subsets", .kind = SINO_SETTING_AMOUNT,
        AT(solver.subsets, int64_t), .low = 1, .high = 4096, .fallback = "auto", .operand = "N|auto",
        .algorithms = OSEM | FISTA | BSREM,
        .help = "subsets that osem, bsrem and fista divide the angles, or the rows of a system matrix, into; each "
                "iteration updates a slice once per subset, of fista after 3 iterations once per two, after 10 once "
                "per four, of more than 16 after 2 and 5; auto: of osem and bsrem 8, or as many as there are angles; "
                "of fista 16, or fewer, so that each has 5 angles, 32 of cone and fan beams with 160 or more"),
    ROW(SOLVER, RECON | INFO | PLAN | SIMULATE, "margin", .kind = SINO_SETTING_AXIS, AT(geometry.margin, double),
        .low = 0, .high = COUNT_MAX, .fallback = "auto", .operand = "auto|N", .unit = "voxels", .algorithms = ITERATIVE,
        ONLY(PARALLEL, of_room),
        .help = "voxels beyond each side of a slice, for an object wider than the detector; they are computed and not "
                "written; auto: where a sample of the scan shows such an object, as many as it needs"),
    ROW(SOLVER, RECON | DEMO | SIMULATE | SWEEP, "fbp-filter", CHOICE(solver.fbp_filter, filter_words, "ramp"),
        .algorithms = FBP | FDK, BRIEF(RECON, "filter of fbp and fdk"),
        .help = "window that is multiplied with the ramp filter against noise; ramp: none"),
    ROW(STAGES, RECON | DEMO | SIMULATE, "padding-type", .tune = RUNS | SIMULATE,
        CHOICE(solver.padding, padding_words, "auto"), .algorithms = FBP | FDK, .geometries = SCANS,
        .help = "what continues a projection beyond the detector before it is filtered; edges: ellipses through its "
                "outermost values, for objects wider than the detector; auto: edges where a sample of the scan shows "
                "such an object"),
    ROW(SOLVER, RECON | DEMO | PLAN | SIMULATE, "precision", CHOICE(projection.precision, precision_words, "single"),
        BRIEF(PLAN, "precision"),
        .help = "single, double: the type of all vectors and ray lengths; mixed: ray lengths and the vectors "
                "multiplied by them are stored as half, sums and solver vectors as single; half: sums are stored as "
                "half, too; cone beams: single, and, by fdk, mixed with filtered projections of 16 bits; a system "
                "matrix: single, or mixed with its values of 16 bits"),
    ROW(SOLVER, RECON | DEMO | BENCH | PLAN | SIMULATE | SWEEP, "symmetry", .tune = RUNS | PLAN,
        FLAG(projection.symmetry, "yes"), .may_change = true, .geometries = ORBITS,
        .help = "store angles that are quarter turns or mirror images of other angles only once, which saves memory; "
                "fdk: voxels that mirror each other share their places on the detector, which saves time"),
    ROW(SOLVER, RECON | DEMO | PLAN | SIMULATE | SWEEP, "projector",
        CHOICE(projection.projector, projector_words, "auto"), .may_change = true, ONLY(PARALLEL, of_projectors),
        .help = "rays: the lengths of rays in voxels, traced once and kept; rotate: slices are turned and summed in "
                "every product, nothing is kept; lines: the lengths are computed in every product, nothing is kept; "
                "strips: likewise, with the mean length over the width of a detector pixel, for sharp objects; pixels: "
                "fbp interpolates between detector columns at the middle of each pixel, nothing is kept; gridding: fbp "
                "sums frequencies by FFTs, nothing is kept; toeplitz: cg and fista multiply by the normal operator as "
                "a convolution, by FFTs, for objects that lie within the detector; auto: rays, but lines or, for fbp, "
                "gridding where that takes less time, and where the lengths do not fit memory toeplitz, if all rays "
                "have the same weight and it takes at most half the time, else lines or rotate, if tracing them again "
                "would take longer"),
    ROW(SOLVER, RECON | DEMO | PLAN | SIMULATE | SWEEP, "interpolation", .tune = RUNS | PLAN,
        CHOICE(projection.interpolation, interpolation_words, "linear"), ONLY(PARALLEL, of_projectors),
        .help = "interpolation of --projector rotate between voxels"),

    ROW(MACHINE, RECON | DEMO | PLAN | SIMULATE, "partitions", .tune = RUNS,
        INTEGER(runtime.partitions, 0, 1000000, "0"), .may_change = true, ONLY(PARALLEL, of_slices),
        BRIEF(SIMULATE, "parts of a slice; 0: sinodag chooses"),
        .help = "parts that the voxels of a slice are divided into; 0: sinodag chooses, 1 unless there are fewer "
                "minibatches than workers or the operator needs more memory than there is"),
    ROW(MACHINE, RECON | DEMO | PLAN | SIMULATE, "minibatch", .tune = RUNS, .alias = "nsino-per-chunk",
        INTEGER(runtime.minibatch, 0, 256, "0"), .unit = "slices", .may_change = true, ONLY(PARALLEL, of_slices),
        BRIEF(SIMULATE, "slices that one task computes together; 0: sinodag chooses"),
        .help = "slices that one task computes together; 0: sinodag chooses"),
    ROW(MACHINE, RECON | DEMO | BENCH | PLAN | SIMULATE | SWEEP, "memory", .kind = SINO_SETTING_BYTES,
        AT(runtime.memory_bytes, int64_t), .low = 0, .high = BYTES_MAX, .fallback = "0", .operand = "SIZE",
        .unit = "bytes", .per_rank = true, .may_change = true,
        BRIEF(RECON | PLAN, "most memory of the run, such as 8GiB"),
        .help = "main memory that the run may use; 0: 80 % of what is free"),
    ROW(MACHINE, RECON | SIMULATE, "scratch-folder", .tune = RECON | SIMULATE, TEXT(runtime.scratch_folder, "DIR"),
        .per_rank = true, .may_change = true, .geometries = CONES | VECTORS,
        .help = "folder on a disk for the vectors of an iterative algorithm that memory has no room for; the files "
                "have no names; if not given: that of the volume"),
    ROW(MACHINE, RECON | DEMO | BENCH | PLAN | SIMULATE | COMPARE, "workers", INTEGER(runtime.workers, 0, 1000000, "0"),
        .unit = "cores", .per_rank = true, .may_change = true,
        BRIEF(BENCH | PLAN | SIMULATE, "cores that compute; 0: all"),
        .help = "CPU cores that compute; 0: every core that this process may use"),
    ROW(MACHINE, RECON | DEMO, "device", CHOICES(runtime.devices, device_words, "all"), .per_rank = true,
        BRIEF(DEMO, "processors: cpu, cuda, opencl, or all"),
        .help =
            "processors that compute; cuda or opencl alone: devices run every task that they have a kernel for, cores "
            "run the other tasks; all: cores, and GPUs by CUDA if there are any, alone in iterations if cores would "
            "add little; opencl is used only if it is named"),
    ROW(MACHINE, SIMULATE, "device", CHOICES(runtime.devices, device_words, "all"),
        BRIEF(SIMULATE, "processors of the machine: cpu, cuda, or all"),
        .help = "processors of the machine that compute, as of recon; all: its cores and its GPUs"),
    ROW(MACHINE, RECON | DEMO | BENCH | SIMULATE, "scheduler", .tune = RUNS,
        TEXT(runtime.scheduler, "NAME|FILE.so:NAME"), .per_rank = true, .may_change = true,
        BRIEF(SIMULATE, "scheduling policy of StarPU, or sino-affinity"),
        .help = "scheduling policy: one of StarPU's (lws, dmdas ...), sino-affinity, or one of a shared object of "
                "yours; if not given: STARPU_SCHED, or else lws, or dmdas with devices"),
    ROW(MACHINE, RECON | DEMO | SIMULATE, "models", .tune = RUNS | SIMULATE,
        CHOICE(runtime.models, model_words, "auto"), .may_change = true,
        .help = "StarPU's models of the times of tasks; record: policies use them, and every run adds what it "
                "measures, under any policy; frozen: they stay as they are; renew: they are measured anew; auto: "
                "record, unless STARPU_CALIBRATE is 0 (frozen) or 2 (renew)"),
    ROW(MACHINE, RECON | DEMO | SIMULATE, "operator-cache", TEXT(projection.cache, "DIR"), .per_rank = true,
        .may_change = true, ONLY(PARALLEL | MATRIX | PET, of_stored),
        .help = "directory in which the operator (the ray lengths, or the system matrix as it is computed with) is "
                "stored for later runs of the same geometry, which read it; --reconstruction-type try reads operators "
                "but stores none"),
    ROW(MACHINE, RECON | PHANTOM | DEMO | BENCH | SIMULATE | SWEEP | COMPARE, "stall-limit", .tune = RUNS | SIMULATE,
        .kind = SINO_SETTING_DURATION, AT(runtime.stall_limit_s, double), .low = 0, .high = COUNT_MAX,
        .fallback = "10min", .operand = "TIME", .may_change = true,
        .help = "a run in which no task ends for this time says what waits for what, and ends, and so do ranks one of "
                "which gives no sign of life; none: they wait for ever"),
    ROW(MACHINE, RECON | DEMO | SIMULATE, "graph", .tune = RUNS, TEXT(runtime.graph, "FILE"), .per_rank = true,
        .may_change = true,
        .help = "write the task graph as a DOT file; a name that ends in .jsonl: as lines of JSON, with data, and, in "
                "a simulation, the time of each task"),
    ROW(MACHINE, RECON | DEMO | SIMULATE, "profile", .kind = SINO_SETTING_REPORT, AT(runtime.profile, char *),
        .fallback = "no", .operand = "yes|no|FILE", .ending = ".json", .may_change = true,
        BRIEF(SIMULATE, "report how the time was spent"),
        .help = "measure every task and report how the time was spent; a name that ends in .json: also write it to "
                "this file, as docs/JSON.md describes"),
    ROW(MACHINE, RECON | DEMO | SIMULATE, "trace", .tune = RUNS, TEXT(runtime.trace, "FILE"), .may_change = true,
        BRIEF(SIMULATE, "write when and where every task ran, for ui.perfetto.dev"),
        .help = "write when and where every task ran as JSON that https://ui.perfetto.dev and chrome://tracing open; a "
                "name that ends in .paje: for ViTE and StarVZ, if StarPU has FxT"),

    ROW(RANKS, RECON | DEMO | PLAN | SIMULATE, "grid", SHARES(GRID, team.grid, SinoGridShape, 1e6, "auto", "auto|BxD"),
        .may_change = true, .geometries = SCANS,
        .help = "B groups of D ranks: the groups share the slices, the ranks of a group share each slice; auto: D is "
                "as small as memory allows; of a cone beam: B rows of ranks share the volume, D columns the "
                "projections; auto: as many rows as ranks"),
    ROW(RANKS, RECON | DEMO | PLAN | SIMULATE, "topology", .tune = RUNS,
        SHARES(TOPOLOGY, team.topology, SinoTopologyShape, 1e6, "auto", "auto|LIST"), .may_change = true,
        ONLY(PARALLEL, of_slices),
        .help = "partitions of a slice: nodes that share it, sockets of a node, workers of a socket; a rank may have "
                "several nodes; auto: one node per rank, with the sockets and workers of the machine"),
    ROW(RANKS, RECON | DEMO | PLAN | SIMULATE, "communication", .tune = RUNS,
        CHOICE(team.communication, communication_words, "hierarchical"), ONLY(PARALLEL, of_slices),
        .help = "hierarchical: partial sums are added within sockets, then within nodes, then between nodes; direct: "
                "they are sent to their owners at once"),
    ROW(RANKS, RECON | DEMO | PLAN | SIMULATE, "overlap", .tune = RUNS, FLAG(team.overlap, "yes"),
        ONLY(PARALLEL, of_slices),
        .help = "exchange the sums of some slices while others are computed; no: exchange without overlap, for "
                "measurements"),
    ROW(RANKS, RECON | DEMO, "node-weights", .tune = RECON | DEMO, .kind = SINO_SETTING_WEIGHTS,
        AT(team.node_weights, SinoWeightList), .low = 0, .low_excluded = true, .high = COUNT_MAX,
        .choices = weights_words, .operand = "auto|LIST", ONLY(PARALLEL | MATRIX, of_shares),
        .help = "relative speed of each rank, in the order of the ranks; auto: by the times of products that runs have "
                "kept on each node; if not given, all are alike"),
    ROW(RANKS, PLAN | SIMULATE, "node-weights", .tune = PLAN | SIMULATE, .kind = SINO_SETTING_WEIGHTS,
        AT(team.node_weights, SinoWeightList), .low = 0, .low_excluded = true, .high = COUNT_MAX, .operand = "LIST",
        ONLY(PARALLEL | MATRIX, of_shares),
        .help = "relative speed of each rank, in the order of the ranks; if not given, all are alike"),

    ROW(OUTPUT, RECON | PHANTOM | DEMO | SIMULATE | JOIN, "out", .letter = 'o', .alias = "out-path-name",
        TEXT(output.path, "FILE"), .per_rank = true, .may_change = true,
        BRIEF(RECON | PHANTOM | DEMO | JOIN, "the output"),
        .help = "the output; recon: an HDF5 file (with --save-format tiff: a directory; with both: an HDF5 file, and a "
                "directory of its name without .h5); phantom: an HDF5 scan, with --geometry pet a system matrix in "
                "csr4, and its counts in a file of that name and .counts; demo: a directory, \"demo\" if not given; "
                "join: as recon; init: a file of settings, or - to print them"),
    ROW(OUTPUT, RECON | SIMULATE | JOIN, "save-format", CHOICE(output.format, save_words, "hdf5"),
        BRIEF(RECON | JOIN, "format of the volume"),
        .help = "hdf5: one file with the volume in /exchange/data; tiff: one file recon_00000.tiff ... per detector "
                "row; both: these two; tiff-stack: one TIFF file with all slices; zarr: a folder, an OME-Zarr pyramid "
                "for viewers; join: not both"),
    ROW(OUTPUT, RECON | PLAN | SIMULATE, "compression", CHOICE(output.compression, compression_words, "none"),
        .help = "store the volume without loss in fewer bytes, which takes longer; deflate: HDF5 of one rank, without "
                "--resume, and TIFF files of single slices; zstd: zarr"),
    ROW(OUTPUT, RECON | PLAN | SIMULATE, "output-type", CHOICE(output.type, type_of_output_words, "float32"),
        .help = "numbers of the volume in its files; integers stand for equal steps of --output-range, which is one "
                "for the whole volume"),
    ROW(OUTPUT, RECON | SIMULATE, "output-range", .kind = SINO_SETTING_RANGE, AT(output.range, SinoValueRange),
        .low = -VALUE_MAX, .high = VALUE_MAX, .fallback = "auto", .operand = "auto|MIN:MAX",
        .help = "values that the least and the largest number of --output-type stand for; values beyond them are "
                "clipped, and counted; NaN becomes MIN; auto: by a quick reconstruction of some slices, of a cone beam "
                "by a coarse one; with float32: the range that viewers show"),
    ROW(OUTPUT, RECON | INFO | PLAN | SIMULATE, "volume",
        SHARES(VOLUME, geometry.volume, SinoVolumeShape, 65536, "auto", "auto|NxN|XxYxZ"), .unit = "voxels",
        .help = "sides of a slice, which is centered on the rotation axis; auto: the number of detector columns; an "
                "even side needs about a quarter of the memory of an odd one, a larger one has room for an object "
                "wider than the detector; cone beams: also the number of slices, which are centered on the plane of "
                "the source; auto or NxN: the number of detector rows; with --system-matrix XxYxZ voxels; auto: what "
                "its file says; a map of crystals needs them"),
    ROW(OUTPUT, RECON | INFO | PLAN | SIMULATE, "voxel-size",
        REAL(geometry.voxel_size_mm, LENGTH_MIN, LENGTH_MAX, NULL), .unit = "mm",
        .geometries = CONES | VECTORS | MATRIX,
        .help = "side of a voxel; if not given: the width of a detector pixel (after binning) as seen at the axis; "
                "with --system-matrix what its file says; a map of crystals needs it"),
    ROW(OUTPUT, RECON | SIMULATE, "mask-ratio", REAL(output.mask_ratio, 0, 1, "0"), .geometries = SCANS,
        .help = "set voxels to 0 outside a circle with this share of the inscribed circle's radius; 0: no mask"),
    ROW(OUTPUT, RECON | INFO | PLAN | SIMULATE, "pixel-size", REAL(geometry.pixel_size_um, 0, COUNT_MAX, "0"),
        .unit = "micrometres", ONLY(PARALLEL, of_pixels),
        BRIEF(RECON, "micrometres of a detector pixel, for values in 1/cm"),
        .help = "side of a detector pixel, for values per cm and for --phase-method; 0: values per detector pixel"),
    ROW(OUTPUT, RECON | SIMULATE, "post-filter", REAL(counts.post_filter_mm, 0, LENGTH_MAX, "0"), .unit = "mm",
        .geometries = MATRIX,
        .help = "smooth the finished image with a Gaussian of this full width at half maximum; 0: do not"),
    ROW(OUTPUT, RECON | SIMULATE, "save-every", INTEGER(counts.save_every, 0, COUNT_MAX, "0"), .unit = "iterations",
        .geometries = MATRIX, .help = "also save the image after every so many iterations; 0: only the last one"),
    ROW(OUTPUT, RECON | SIMULATE, "halves", FLAG(output.halves, "no"), .geometries = SCANS, .may_change = true,
        .help = "also reconstruct the volumes of the projections of even and of odd number, OUT_even and OUT_odd, with "
                "the same settings, and tell by their difference the noise, the error and the resolution of the "
                "volume; takes about twice the time"),
    ROW(OUTPUT, RECON | DEMO | SIMULATE, "pictures", FLAG(output.pictures, "yes"), .may_change = true,
        .help = "write PNG pictures of middle slices beside the result"),
    ROW(OUTPUT, RECON | DEMO | SIMULATE, "report", TEXT(output.report, "auto|none|FILE"), .fallback = "auto",
        .per_rank = true, .may_change = true, BRIEF(RECON, "page about the run, beside the volume; none: no page"),
        .help = "write a page of HTML that needs no other file: pictures, what was odd, center, settings, residuals, "
                "time and memory; auto: the name of the output with .html"),
    ROW(OUTPUT, RECON | SIMULATE | SWEEP, "resume", FLAG(output.resume, "no"), .argument_only = true,
        BRIEF(RECON | SWEEP, "go on from what an unfinished run has stored"),
        .help = "go on from the slices, or the sets of counts, that an unfinished run of the same settings and input "
                "has stored; a new run begins if there are none; sweep: go on from the rows of the CSV file"),
    ROW(OUTPUT, EVERY_VERB & ~INFO & ~PLAN, "overwrite", FLAG(output.overwrite, "no"), .may_change = true,
        BRIEF(EVERY_VERB & ~INFO & ~PLAN, "replace existing results"), .help = "replace existing results"),
    ROW(OUTPUT, INFO | PLAN | SIMULATE | COMPARE, "json", FLAG(output.json, "no"),
        BRIEF(INFO | PLAN | SIMULATE | COMPARE, "print one JSON object"),
        .help = "print one JSON object, whose names are in docs/JSON.md; yes if --log json is given"),

    ROW(PHANTOM, PHANTOM | DEMO, "size", INTEGER(phantom.size, 1, 65536, "256"), .unit = "pixels", .geometries = SCANS,
        BRIEF(PHANTOM | DEMO, "detector columns"),
        .help = "number of detector columns, which is also the side of a slice"),
    ROW(PHANTOM, PHANTOM | DEMO, "object", CHOICE(phantom.object, object_words, "head"), .geometries = SCANS,
        BRIEF(PHANTOM, "what is scanned"),
        .help = "what is scanned; head: ellipsoids, each of one value, after Shepp and Logan; texture, of parallel "
                "beams: a body with grains of all sizes, smooth fields, crystals and pores, as of bone or rock"),
    ROW(PHANTOM, PHANTOM | DEMO, "angles", INTEGER(phantom.angles, 1, 1000000, "400"), .geometries = SCANS,
        BRIEF(PHANTOM | DEMO, "projections"), .help = "projections over 180 degrees; with --geometry cone over 360"),
    ROW(PHANTOM, PHANTOM | DEMO, "slices", INTEGER(phantom.slices, 1, 1000000, "16"), .geometries = SCANS,
        BRIEF(PHANTOM | DEMO, "detector rows"), .help = "detector rows"),
    ROW(PHANTOM, PHANTOM | DEMO, "noise", REAL(phantom.noise, 0, 1, "0.01"), .geometries = SCANS,
        BRIEF(PHANTOM | DEMO, "photon noise of an open-beam count; 0: none"),
        .help = "relative standard deviation of an open-beam count (photon noise); 0: no noise"),
    ROW(PHANTOM, PHANTOM | DEMO, "seed", INTEGER(phantom.seed, 0, SEED_MAX, "1"), BRIEF(PHANTOM, "seed of the noise"),
        .help = "seed of the noise: the same seed gives the same scan on any machine"),
    ROW(PHANTOM, PHANTOM, "truth", TEXT(phantom.truth, "FILE"),
        BRIEF(PHANTOM, "also write the true volume to this HDF5 file"),
        .help = "also write the true volume to this HDF5 file; with --geometry pet it is always written, to a file "
                "with the name of the matrix and .truth.h5 unless this names another"),
    ROW(PHANTOM, PHANTOM | DEMO, "volume",
        SHARES(VOLUME, geometry.volume, SinoVolumeShape, 65536, "auto", "auto|XxYxZ"), .unit = "voxels",
        .geometries = PET,
        .help = "voxels along x, y and z; auto: as many as fill the scanner, 38x38x10 with 24x4x4 crystals"),
    ROW(PHANTOM, PHANTOM | DEMO, "voxel-size", REAL(geometry.voxel_size_mm, LENGTH_MIN, LENGTH_MAX, NULL), .unit = "mm",
        .geometries = PET, .help = "side of a voxel; if not given: 1"),
    ROW(PHANTOM, PHANTOM | DEMO, "crystals", .kind = SINO_SETTING_CRYSTALS, AT(phantom.crystals, SinoCrystalShape),
        .low = 1, .high = 65535, .fallback = "24x4x4", .operand = "BxTxR", .geometries = PET,
        BRIEF(PHANTOM, "PET scanner: B blocks of T crystals in R rings"),
        .help = "B blocks on a circle, T crystals of each along the circle, R rings of them; the crystals have 2x2x10 "
                "mm, and the blocks touch"),
    ROW(PHANTOM, PHANTOM | DEMO, "rays", INTEGER(phantom.rays, 1, 65536, "12"), .geometries = PET,
        .help = "rays between two crystals of which a row of the matrix is the mean"),
    ROW(PHANTOM, PHANTOM | DEMO, "counts", INTEGER(phantom.total_counts, 1, COUNT_MAX, "2000000"), .geometries = PET,
        BRIEF(PHANTOM, "PET scanner: expected counts"),
        .help = "expected number of the counts of a set, which have Poisson's distribution"),
    ROW(PHANTOM, PHANTOM, "replicates", INTEGER(phantom.replicates, 1, 4096, "1"), .geometries = PET,
        .help = "sets of counts of the same activity, which differ in their noise; the file of counts has them one "
                "after the other"),
    ROW(PHANTOM, PHANTOM | DEMO, "background", REAL(phantom.background, 0, 1, "0"), .high_excluded = true,
        .geometries = PET,
        .help = "share of the counts that are randoms and scatter; above 0 their expected numbers are written, too, to "
                "a file with the name of the matrix and .additive"),

    ROW(BENCHMARK, BENCH, "columns", INTEGER(input.columns, 1, 65536, "512"), .unit = "pixels", .geometries = ORBITS,
        BRIEF(BENCH, "detector columns"),
        .help = "number of detector columns, which is also the side of a slice; cone beams: 256 if not given, as many "
                "rows, and the volume is a cube"),
    ROW(BENCHMARK, BENCH, "angles", INTEGER(phantom.angles, 1, 1000000, "375"), .geometries = ORBITS,
        BRIEF(BENCH, "projections"), .help = "projections over 180 degrees; cone beams: over 360, 360 if not given"),
    ROW(BENCHMARK, BENCH, "volume", SHARES(VOLUME, geometry.volume, SinoVolumeShape, 65536, "auto", "auto|XxYxZ"),
        .unit = "voxels", .geometries = CONES,
        .help = "voxels of a cone beam's volume along x, y and z; auto: as many as columns"),
    ROW(BENCHMARK, BENCH, "precision", CHOICES(bench.precisions, precision_words, "all"),
        BRIEF(BENCH, "precisions to measure"),
        .help = "precisions to measure: the types of stored and multiplied vectors and ray lengths; cone beams and "
                "system matrices have single and mixed"),
    ROW(BENCHMARK, BENCH, "slices", COUNTS(bench.slice_counts, 1, SINO_SLICES_MAX, "1,2,4,8,16,32,64"),
        ONLY(PARALLEL | MATRIX, of_bench), BRIEF(BENCH, "slices, or sets of counts, of one product"),
        .help = "slices, or sets of counts of a system matrix, that one product computes together; 1,8 if not given, "
                "with --system-matrix"),
    ROW(BENCHMARK, BENCH | SWEEP, "csv", TEXT(bench.csv, "FILE"), .may_change = true,
        BRIEF(BENCH | SWEEP, "table of what was measured"),
        .help = "write the measurements to this CSV file, too; sweep needs it, and adds a row as each run ends"),
    ROW(BENCHMARK, BENCH, "roofline", TEXT(bench.roofline, "FILE"), ONLY(PARALLEL, of_bench),
        BRIEF(BENCH, "picture of it below the machine's limits, .svg"),
        .help = "draw GFLOP/s over flops per byte below the machine's limits, as .svg"),

    ROW(PLAN, PLAN | SIMULATE, "columns", INTEGER(input.columns, 1, 65536, NULL), .geometries = SCANS,
        BRIEF(PLAN | SIMULATE, "detector columns of a scan without a file"),
        .help = "number of detector columns of a scan without a file, or of raw sinograms with --theta; also the side "
                "of a slice"),
    ROW(PLAN, PLAN | SIMULATE, "angles", INTEGER(phantom.angles, 1, 1000000, NULL), .geometries = SCANS,
        BRIEF(PLAN | SIMULATE, "projections of a scan without a file"),
        .help = "projections over 180 degrees of a scan without a file; with --geometry cone over 360"),
    ROW(PLAN, PLAN | SIMULATE, "slices", INTEGER(phantom.slices, 1, 1000000, NULL), .geometries = SCANS,
        BRIEF(PLAN | SIMULATE, "detector rows of a scan without a file"),
        .help = "detector rows of a scan without a file"),
    ROW(PLAN, SIMULATE, "arrival", REAL(plan.arrival_per_s, 0, COUNT_MAX, NULL), .low_excluded = true,
        .unit = "projections/s", .geometries = ORBITS, BRIEF(SIMULATE, "projections per second of a scan that comes"),
        .help = "with --follow: projections come at this rate from the beginning of the run on; if not given: all are "
                "there"),
    ROW(PLAN, PLAN | SIMULATE, "ranks", INTEGER(plan.ranks, 1, 1e6, NULL), BRIEF(PLAN | SIMULATE, "MPI ranks"),
        .help = "MPI ranks of the run; if not given: the nodes of --machine, 1 for most of them"),
    ROW(PLAN, PLAN, "slurm", FLAG(plan.slurm, "no"), BRIEF(PLAN, "print a batch script for Slurm"),
        .help = "print a batch script for Slurm, with the memory and the time of the plan and its settings, instead of "
                "the plan"),
    ROW(PLAN, PLAN | SIMULATE | SWEEP, "machine", TEXT(plan.machine, "NAME|FILE"),
        BRIEF(PLAN | SIMULATE | SWEEP, "a preset or a file (docs/MACHINES.md)"),
        .help =
            "the machine: usual (the default; of simulate: here), a preset or a file (docs/MACHINES.md), or a table of "
            "sinodag bench --csv; cone beams: usual, abci (four V100 per node, as in iFDK's paper), or a table of "
            "bench --geometry cone --csv; the options below override them; sweep: the machine of --simulate"),
    ROW(PLAN, PLAN, "ranks-per-node", INTEGER(plan.ranks_per_node, 1, 1e6, NULL), .algorithms = FDK,
        .geometries = CONES, .help = "ranks that share a node; if not given: 1, or what --machine says"),
    ROW(PLAN, SIMULATE, "ranks-per-node", INTEGER(plan.ranks_per_node, 1, 1e6, NULL),
        .help = "simulate: ranks that share the cores, the devices and the memory of a node alike; if not given: 1"),
    ROW(PLAN, PLAN, "backprojection-gups", .tune = PLAN, RATE(plan.backproject_gups), .unit = "10^9 updates/s",
        .algorithms = FDK, .geometries = CONES,
        .help = "rate at which a rank, or its device, adds projections to voxels (sinodag bench measures it)"),
    ROW(PLAN, PLAN, "filter-gpixels", .tune = PLAN, RATE(plan.filter_gpixels), .unit = "10^9 pixels/s",
        .algorithms = FDK, .geometries = CONES,
        .help = "rate at which a rank weighs and filters projections (sinodag bench measures it)"),
    ROW(PLAN, PLAN, "device-memory", .tune = PLAN, .kind = SINO_SETTING_BYTES, AT(plan.device_memory_bytes, int64_t),
        .low = 1 << 20, .high = BYTES_MAX, .operand = "SIZE", .unit = "bytes", .algorithms = FDK, .geometries = CONES,
        .help = "memory of a rank's device, which holds the rank's part of the volume; if not given: there is no "
                "device, or what --machine says"),
    ROW(PLAN, PLAN, "device-bandwidth", .tune = PLAN, RATE(plan.device_gbps), .unit = "GB/s", .algorithms = FDK,
        .geometries = CONES,
        .help = "rate at which a rank copies to its device, and from it; if not given: 25, or what --machine says"),
    ROW(PLAN, PLAN, "kernel-gflops", .tune = PLAN, RATE(plan.kernel_gflops), .unit = "GFLOP/s",
        ONLY(PARALLEL, of_rates),
        .help = "rate at which a worker projects and backprojects (sinodag bench measures it)"),
    ROW(PLAN, PLAN, "memory-bandwidth", .tune = PLAN, RATE(plan.memory_gbps), .unit = "GB/s",
        .help = "rate at which a worker reads and writes vectors and sums"),
    ROW(PLAN, PLAN, "socket-bandwidth", .tune = PLAN, RATE(plan.socket_gbps), .unit = "GB/s", ONLY(PARALLEL, of_rates),
        .help = "rate at which a worker sends to other workers of its socket"),
    ROW(PLAN, PLAN, "node-bandwidth", .tune = PLAN, RATE(plan.node_gbps), .unit = "GB/s", ONLY(PARALLEL, of_rates),
        .help = "rate at which a socket sends to other sockets of its node"),
    ROW(PLAN, PLAN, "link-bandwidth", .tune = PLAN, RATE(plan.link_gbps), .unit = "GB/s",
        .help = "rate at which a node sends to other nodes while it receives at the same rate"),
    ROW(PLAN, PLAN, "link-latency", .tune = PLAN, RATE(plan.link_latency_us), .unit = "microseconds",
        ONLY(PARALLEL | MATRIX, of_rates), .help = "time of a message between nodes in addition to that of its bytes"),
    ROW(PLAN, PLAN, "file-bandwidth", .tune = PLAN, RATE(plan.file_gbps), .unit = "GB/s",
        .help = "rate at which all ranks together read and write files"),

    ROW(SWEEP, SWEEP, "schedulers", TEXT(sweep.schedulers, "LIST"), BRIEF(SWEEP, "policies to compare, or all"),
        .help = "scheduling policies that are compared, separated by commas; all: those that run here; FILE.so:NAME: "
                "one of a shared object; if not given: lws, or dmdas too if devices compute"),
    ROW(SWEEP, SWEEP, "columns", COUNTS(sweep.column_counts, 1, 65536, "256"), .unit = "pixels",
        BRIEF(SWEEP, "detector columns of phantom scans"),
        .help = "numbers of detector columns of the phantom scans that are reconstructed if there is no FILE"),
    ROW(SWEEP, SWEEP, "angles", COUNTS(sweep.angle_counts, 1, 1000000, "400"),
        BRIEF(SWEEP, "projections of phantom scans"),
        .help = "numbers of projections of these scans, over 180 degrees"),
    ROW(SWEEP, SWEEP, "slices", COUNTS(sweep.slice_counts, 1, 1000000, "32"),
        BRIEF(SWEEP, "detector rows of phantom scans"), .help = "detector rows of these scans"),
    ROW(SWEEP, SWEEP, "minibatches", COUNTS(sweep.minibatches, 0, 256, "0"), .unit = "slices",
        BRIEF(SWEEP, "values of --minibatch"), .help = "values of --minibatch; 0: sinodag chooses"),
    ROW(SWEEP, SWEEP, "partitions", COUNTS(sweep.partition_counts, 0, 1000000, "0"),
        BRIEF(SWEEP, "values of --partitions"), .help = "values of --partitions; 0: sinodag chooses"),
    ROW(SWEEP, SWEEP, "workers", COUNTS(sweep.worker_counts, 0, 1000000, "0"), .unit = "cores",
        BRIEF(SWEEP, "values of --workers"), .help = "values of --workers; 0: every core that this process may use"),
    ROW(SWEEP, SWEEP, "devices", .kind = SINO_SETTING_DEVICES, AT(sweep.device_sets, SinoCountList), .fallback = "cpu",
        .choices = device_words, .operand = "LIST", BRIEF(SWEEP, "values of --device: cpu,cpu+opencl,all"),
        .help = "values of --device, with + between the devices of one run: cpu,cpu+opencl,all"),
    ROW(SWEEP, SWEEP, "precisions", CHOICES(sweep.precisions, precision_words, "single"),
        .help = "values of --precision"),
    ROW(SWEEP, SWEEP, "repetitions", INTEGER(sweep.repetitions, 1, 10000, "3"),
        BRIEF(SWEEP, "runs of each combination"),
        .help = "runs of each combination; each repetition has an order of its own"),
    ROW(SWEEP, SWEEP, "seed", INTEGER(phantom.seed, 0, SEED_MAX, "1"), .help = "seed of the order of the runs"),
    ROW(SWEEP, SWEEP, "simulate", .kind = SINO_SETTING_CHOICE, AT_CHOICE(sweep.simulation), .choices = simulation_words,
        .fallback = "no", .bare = "yes", .operand = "no|yes|only", BRIEF(SWEEP, "also predict the time of each"),
        .help = "also predict the time of each combination by sinodag simulate; only: run nothing else"),
    ROW(SWEEP, SWEEP, "report", TEXT(sweep.report, "FILE"), .may_change = true,
        BRIEF(SWEEP, "tables and plots as a page of HTML"),
        .help = "write tables and plots as a page of HTML that needs no other file"),
    ROW(SWEEP, SWEEP, "plots", TEXT(sweep.plots, "DIR"), .may_change = true,
        .help = "also write the plots as SVG files to this directory"),
    ROW(SWEEP, SWEEP, "archive", TEXT(sweep.archive, "FILE"), .may_change = true,
        .help = "with --simulate: write the table and the task graph of each combination as a tar file for other "
                "schedulers (docs/lab/archive.md)"),
    ROW(SWEEP, SWEEP, "keep", TEXT(sweep.keep, "DIR"), .may_change = true,
        .help = "keep the profile and the log of every run in this directory"),

    ROW(COMPARE, COMPARE, "reference", TEXT(compare.reference, "FILE"), .per_rank = true,
        .help = "the volume that the other one is compared with: HDF5 (FILE:/DATASET; /exchange/data if no dataset is "
                "named), a TIFF file with all slices, a folder or a quoted pattern of TIFF files, OME-Zarr, .npy, or "
                "raw float32 with --volume; the option's name may be left out"),
    ROW(COMPARE, COMPARE, "volume", SHARES(VOLUME, geometry.volume, SinoVolumeShape, 65536, "auto", "auto|XxYxZ"),
        .unit = "voxels", BRIEF(COMPARE, "sizes of raw float32 volumes"),
        .help = "voxels of raw float32 volumes along x, y and z; auto: other formats tell them"),
    ROW(COMPARE, COMPARE, "slices", TEXT(compare.slices, "A:B"), BRIEF(COMPARE, "slices A to B - 1"),
        .help = "compare slices A to B - 1, counted from 0; if not given: all"),
    ROW(COMPARE, COMPARE, "region", TEXT(compare.region, "REGION"), .fallback = "circle",
        BRIEF(COMPARE, "circle, all, X0:X1,Y0:Y1 or X,Y,RADIUS"),
        .help = "the part of each slice that counts; circle: the inscribed one; all: the slice; X0:X1,Y0:Y1: columns "
                "X0 to X1 - 1 of rows Y0 to Y1 - 1; X,Y,RADIUS: a circle; in voxels, column 0 and row 0 are top left"),
    ROW(COMPARE, COMPARE, "object", TEXT(compare.object, "X,Y,RADIUS"),
        BRIEF(COMPARE, "circle of the contrast to noise; needs --background"),
        .help = "circle in an object, for its contrast to noise: its mean less that of --background, in standard "
                "deviations of the latter"),
    ROW(COMPARE, COMPARE, "background", TEXT(compare.surroundings, "X,Y,RADIUS"),
        BRIEF(COMPARE, "circle beside the object"),
        .help = "circle in even surroundings, for the contrast to noise of --object"),
    ROW(COMPARE, COMPARE, "frc", TEXT(compare.frc, "FILE"), .may_change = true,
        BRIEF(COMPARE, "resolution of half-sets: the curve as CSV"),
        .help = "write the Fourier ring correlation to this CSV file, and print the resolution; it is one only if the "
                "volumes come from independent halves of the projections (docs/QUALITY.md)"),
    ROW(COMPARE, COMPARE, "error-map", TEXT(compare.error_map, "FILE"), .may_change = true,
        BRIEF(COMPARE, "of half-sets: the error of each voxel, HDF5"),
        .help = "write an HDF5 volume of the estimated error of each voxel of the volume of all projections: the root "
                "mean square, about the voxel, of the difference of two half-sets, over the root of 2; it is one only "
                "if the volumes come from independent halves of the projections (docs/QUALITY.md)"),
    ROW(COMPARE, COMPARE, "picture", TEXT(compare.picture, "FILE"), .may_change = true,
        BRIEF(COMPARE, "both volumes and their difference as PNG"),
        .help = "write a PNG of the slice that differs most: the volume, the reference, and the difference"),
    ROW(COMPARE, COMPARE, "at-most", REAL(compare.at_most, 0, COUNT_MAX, NULL), .low_excluded = true,
        BRIEF(COMPARE, "fail if the relative L2 error is larger"),
        .help = "end with exit code 1 if the relative L2 error of all slices together is larger"),

    ROW(GENERAL, EVERY_VERB, "config", TEXT(config, "FILE"), .argument_only = true, .per_rank = true,
        BRIEF(EVERY_VERB, "YAML file of settings"),
        .help = "YAML file with one \"name: value\" line per setting; the command line overrides it"),
    ROW(GENERAL, TUNING, "tune", .kind = SINO_SETTING_TUNE, .operand = "NAME=VALUE", .argument_only = true,
        .per_rank = true,
        .help = "settings that few runs need, which --help tune explains; --config has each in a line of its own"),
    ROW(GENERAL, EVERY_VERB, "log", CHOICE(log, log_words, "text"), .per_rank = true, .may_change = true,
        .help = "format of the log on stderr; json: one object per line"),
    ROW(GENERAL, EVERY_VERB, "help", .letter = 'h', .kind = SINO_SETTING_CHOICE, AT_CHOICE(help), .choices = help_words,
        .fallback = "no", .bare = "yes", .operand = "[all|tune]", .argument_only = true,
        BRIEF(EVERY_VERB, "show this; all: show every option; tune: those of --tune"),
        .help = "show the usual options, all, or the settings for --tune, and stop"),
};

const char *sino_algorithm_name(SinoAlgorithmChoice algorithm)
{
    return algorithm_words[algorithm];
}

const char *sino_geometry_name(SinoGeometryChoice geometry)
{
    return geometry_words[geometry];
}

const char *sino_output_type_name(SinoOutputType type)
{
    return type_of_output_words[type];
}

const char *sino_precision_name(SinoPrecision precision)
{
    return precision_words[precision];
}

const char *sino_devices_text(unsigned devices, char between, char text[SINO_DEVICES_SIZE])
{
    size_t length = 0;
    snprintf(text, SINO_DEVICES_SIZE, "%s", devices == SINO_DEVICE_ALL ? "all" : "");
    for (int i = 0; devices != SINO_DEVICE_ALL && device_words[i] && length < SINO_DEVICES_SIZE; i++)
        if (devices >> i & 1)
            length += (size_t)snprintf(text + length, SINO_DEVICES_SIZE - length, "%s%s",
                                       length ? (const char[]){between, '\0'} : "", device_words[i]);
    return text;
}

const char *sino_projector_name(SinoProjector projector)
{
    return projector_words[projector];
}

SinoProjector sino_projector_of(const char *name)
{
    for (int i = 0; projector_words[i]; i++)
        if (strcmp(projector_words[i], name) == 0) return (SinoProjector)i;
    return SINO_PROJECTOR_AUTO;
}

const char *sino_interpolation_name(SinoInterpolation interpolation)
{
    return interpolation_words[interpolation];
}

const char *sino_communication_name(SinoCommunication communication)
{
    return communication_words[communication];
}
