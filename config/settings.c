/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings: THE table, and how defaults, YAML file and arguments become one checked SinoSettings. */
#include "settings.h"

#include "memory.h"
#include "panel.h"
#include "settings_table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
    RECON = SINO_VERB_RECON,
    PHANTOM = SINO_VERB_PHANTOM,
    INFO = SINO_VERB_INFO,
    DEMO = SINO_VERB_DEMO,
    BENCH = SINO_VERB_BENCH,
    PLAN = SINO_VERB_PLAN,
    EVERY_VERB = RECON | PHANTOM | INFO | DEMO | BENCH | PLAN
};

enum { CG = 1 << SINO_ALGORITHM_CG, SIRT = 1 << SINO_ALGORITHM_SIRT, FBP = 1 << SINO_ALGORITHM_FBP };

/* Above every detector, volume and patience; far below overflow of the sizes that are made from it. */
#define COUNT_MAX 1e9
/* Bounds are doubles, which hold every integer up to here. */
#define SEED_MAX  9007199254740992.0
#define BYTES_MAX 1152921504606846976.0

static const char *const algorithm_words[] = {"cg", "sirt", "fbp", NULL};
static const char *const type_words[] = {"full", "try", NULL};
static const char *const flat_words[] = {"mean", "median", "none", NULL};
static const char *const filter_words[] = {"ramp", "shepp", "cosine", "hann", "hamming", "parzen", "butterworth", NULL};
static const char *const save_words[] = {"hdf5", "tiff", "both", NULL};
static const char *const center_words[] = {"vo", "phase", NULL};
static const char *const precision_words[] = {"single", "double", "half", "mixed", NULL};
static const char *const communication_words[] = {"hierarchical", "direct", NULL};
static const char *const plan_words[] = {"table", "json", NULL};
static const char *const device_words[] = {"cpu", "cuda", "opencl", NULL};
static const char *const log_words[] = {"text", "json", NULL};

const char *const sino_group_title[SINO_GROUP_COUNT] = {"Input",  "Center",  "Solver",    "Machine", "Ranks",
                                                        "Output", "Phantom", "Benchmark", "Plan",    "General"};

const SinoVerbText sino_verb_table[SINO_VERB_COUNT] = {
    {RECON, "recon", "sinodag recon FILE --out FILE [options]",
     "sinodag recon scan.h5 -o volume.h5 --algorithm cg --iterations 30"},
    {PHANTOM, "phantom", "sinodag phantom --out FILE [options]",
     "sinodag phantom -o scan.h5 --size 256 --angles 400 --slices 16 --truth truth.h5"},
    {INFO, "info", "sinodag info FILE [options]", "sinodag info scan.h5"},
    {DEMO, "demo", "sinodag demo [--out FOLDER] [options]", "sinodag demo --out demo"},
    {BENCH, "bench", "sinodag bench [options]", "sinodag bench --slices 8,16,32 --csv bench.csv --roofline bench.svg"},
    {PLAN, "plan", "sinodag plan [FILE] [options]",
     "sinodag plan --angles 1501 --columns 2048 --slices 1792 --ranks 4 --memory 96GiB"},
};

/* Does not compile when the member is not of the type that the kind writes. */
#define AT(member, type)                                                                                               \
    .offset = offsetof(SinoSettings, member) + 0 * sizeof(_Generic(((SinoSettings *)0)->member, type : 0))
#define AT_CHOICE(member)                                                                                              \
    .offset = offsetof(SinoSettings, member) +                                                                         \
              0 * sizeof(char[sizeof(((SinoSettings *)0)->member) == sizeof(unsigned) ? 1 : -1])

#define FLAG(member, text) .kind = SINO_SETTING_FLAG, AT(member, bool), .fallback = (text), .operand = "yes|no"
#define INTEGER(member, least, most, text)                                                                             \
    .kind = SINO_SETTING_INTEGER, AT(member, int64_t), .low = (least), .high = (most), .fallback = (text),             \
    .operand = "N"
#define REAL(member, least, most, text)                                                                                \
    .kind = SINO_SETTING_REAL, AT(member, double), .low = (least), .high = (most), .fallback = (text), .operand = "X"
#define CHOICE(member, words, text)                                                                                    \
    .kind = SINO_SETTING_CHOICE, AT_CHOICE(member), .choices = (words), .fallback = (text), .operand = "NAME"
#define CHOICES(member, words, text)                                                                                   \
    .kind = SINO_SETTING_CHOICES, AT(member, unsigned), .choices = (words), .fallback = (text), .operand = "LIST"
#define COUNTS(member, least, most, text)                                                                              \
    .kind = SINO_SETTING_COUNTS, AT(member, SinoCountList), .low = (least), .high = (most), .fallback = (text),        \
    .operand = "LIST"
#define SHARES(which, member, type, most, text, what)                                                                  \
    .kind = SINO_SETTING_##which, AT(member, type), .low = 1, .high = (most), .fallback = (text), .operand = (what)
#define TEXT(member, what) .kind = SINO_SETTING_TEXT, AT(member, char *), .operand = (what)

#define ROW(section, takers, option, ...)                                                                              \
    {                                                                                                                  \
        .group = SINO_GROUP_##section, .verbs = (takers), .name = (option), __VA_ARGS__                                \
    }

const SinoSetting sino_setting_table[] = {
    ROW(INPUT, RECON | INFO | PLAN, "file-name", TEXT(file_name, "FILE"),
        .help =
            "the scan: Data Exchange HDF5, or raw float32 sinograms (with --theta and --columns); the option's name "
            "may be left out"),
    ROW(INPUT, RECON | INFO | PLAN, "theta", TEXT(theta, "FILE"),
        .help = "angles of raw sinograms: float32 radians, one per angle; needs --columns"),
    ROW(INPUT, RECON | INFO, "columns", INTEGER(columns, 1, COUNT_MAX, NULL),
        .help = "detector columns of raw sinograms; needs --theta"),
    ROW(INPUT, RECON | PLAN, "start-row", INTEGER(start_row, 0, COUNT_MAX, "0"),
        .help = "first detector row to reconstruct"),
    ROW(INPUT, RECON | PLAN, "end-row", INTEGER(end_row, -1, COUNT_MAX, "-1"),
        .help = "the row after the last; -1: up to the end"),
    ROW(INPUT, RECON | PLAN, "start-column", INTEGER(start_column, 0, COUNT_MAX, "0"),
        .help = "first detector column to use"),
    ROW(INPUT, RECON | PLAN, "end-column", INTEGER(end_column, -1, COUNT_MAX, "-1"),
        .help = "the column after the last; -1: up to the end"),
    ROW(INPUT, RECON | PLAN, "binning", INTEGER(binning, 1, 1024, "1"), .unit = "pixels",
        .help = "average squares of this many detector pixels a side"),
    ROW(INPUT, RECON | PLAN, "flat-correction", CHOICE(flat_correction, flat_words, "mean"),
        .help = "how flat and dark fields are made one; none: counts are not divided by them"),
    ROW(INPUT, RECON, "minus-log", FLAG(minus_log, "yes"),
        .help = "take -ln of the transmission; no: the values are line integrals already"),

    ROW(CENTER, RECON, "rotation-axis", .kind = SINO_SETTING_AXIS, AT(rotation_axis, double), .low = -1e6, .high = 1e6,
        .fallback = "auto", .operand = "auto|X", .unit = "columns",
        .help = "rotation center: a detector column whose 0 is the centre of column 0; auto: found from the scan"),
    ROW(CENTER, RECON, "rotation-axis-auto", CHOICE(center_method, center_words, "vo"),
        .help = "how the center is found; vo: from one sinogram, phase: from the projections at 0 and 180 degrees"),
    ROW(CENTER, RECON, "reconstruction-type", CHOICE(reconstruction_type, type_words, "full"),
        .help = "full: the volume; try: one slice with many centers, to choose by eye"),
    ROW(CENTER, RECON, "center-search-width", REAL(center_search_width, 0, COUNT_MAX, "0"), .unit = "columns",
        .help = "how far to each side the search goes from the middle, and try from the center; 0: chosen, 50 and 5"),
    ROW(CENTER, RECON, "center-search-step", REAL(center_search_step, 0, COUNT_MAX, "0.5"), .low_excluded = true,
        .unit = "columns", .help = "distance of the centers of try"),
    ROW(CENTER, RECON, "nsino", INTEGER(nsino, -1, COUNT_MAX, "-1"),
        .help = "detector row that serves to find the center and to try; -1: the middle one"),

    ROW(SOLVER, RECON | DEMO | PLAN, "algorithm", .alias = "reconstruction-algorithm",
        CHOICE(algorithm, algorithm_words, "cg"),
        .help =
            "cg: conjugate gradients for least squares; sirt: simultaneous iterations; fbp: filtered backprojection"),
    ROW(SOLVER, RECON | DEMO | PLAN, "iterations", INTEGER(iterations, 1, COUNT_MAX, "30"), .algorithms = CG | SIRT,
        .help = "iterations, at most; demo: 12 when not given"),
    ROW(SOLVER, RECON | DEMO, "tolerance", REAL(tolerance, 0, 1, "0"), .high_excluded = true, .algorithms = CG | SIRT,
        .help = "stop a slice when its |Ax - b| / |b| is no larger; 0: never before the last iteration"),
    ROW(SOLVER, RECON | DEMO, "relaxation", REAL(relaxation, 0, 2, "1"), .low_excluded = true, .high_excluded = true,
        .algorithms = SIRT, .help = "step length"),
    ROW(SOLVER, RECON | DEMO, "nonnegativity", FLAG(nonnegativity, "no"), .algorithms = SIRT,
        .help = "set negative values to 0 after each iteration"),
    ROW(SOLVER, RECON | DEMO, "fbp-filter", CHOICE(fbp_filter, filter_words, "ramp"), .algorithms = FBP,
        .help = "window on the ramp filter; ramp: none"),
    ROW(SOLVER, RECON | DEMO | PLAN, "precision", CHOICE(precision, precision_words, "single"),
        .help = "single, double: all vectors and ray lengths; mixed: lengths and what is multiplied by them stored as "
                "half, sums and solver vectors single; half: sums stored as half, too"),
    ROW(SOLVER, RECON | DEMO | BENCH | PLAN, "symmetry", FLAG(symmetry, "yes"),
        .help = "store rays once whose angles are quarter turns or mirror images of others"),

    ROW(MACHINE, RECON | DEMO, "partitions", INTEGER(partitions, 0, 1000000, "0"),
        .help = "shares that the voxels of a slice are split into; 0: chosen, 1 unless there are fewer minibatches "
                "than workers or the operator needs more memory than there is"),
    ROW(MACHINE, RECON | DEMO | PLAN, "minibatch", .alias = "nsino-per-chunk", INTEGER(minibatch, 0, 256, "0"),
        .unit = "slices", .help = "slices that one task computes together; 0: chosen"),
    ROW(MACHINE, RECON | DEMO | BENCH | PLAN, "memory", .kind = SINO_SETTING_BYTES, AT(memory_bytes, int64_t), .low = 0,
        .high = BYTES_MAX, .fallback = "0", .operand = "SIZE", .unit = "bytes",
        .help = "main memory to stay within; 0: chosen from what is free"),
    ROW(MACHINE, RECON | DEMO | BENCH | PLAN, "workers", INTEGER(workers, 0, 1000000, "0"), .unit = "cores",
        .help = "CPU cores that compute; 0: every core that this process may use"),
    ROW(MACHINE, RECON | DEMO, "device", CHOICES(devices, device_words, "all"),
        .help =
            "what computes; cuda or opencl alone: every task for which they have a kernel, cores do the others; all: "
            "cores, and GPUs by CUDA where there are any; opencl only when it is named"),
    ROW(MACHINE, RECON | DEMO | BENCH, "scheduler", TEXT(scheduler, "NAME"),
        .help =
            "StarPU's scheduling policy (lws, dmdas ...); without it STARPU_SCHED or, failing that, lws, dmdas with "
            "devices"),
    ROW(MACHINE, RECON | DEMO, "operator-cache", TEXT(operator_cache, "DIR"),
        .help = "directory in which the operator is kept for later runs of the same geometry, which read it; "
                "--reconstruction-type try reads operators but keeps none"),
    ROW(MACHINE, RECON | DEMO, "graph", TEXT(graph, "FILE"), .help = "write the task graph as a DOT file"),
    ROW(MACHINE, RECON | DEMO, "profile", FLAG(profile, "no"),
        .help = "measure every task and report where the time went"),

    ROW(RANKS, RECON | DEMO | PLAN, "grid", SHARES(GRID, grid, SinoGridShape, 1e6, "auto", "auto|BxD"),
        .help =
            "ranks as B groups, which share the slices, of D ranks, which share each slice; auto: as few that share "
            "a slice as memory allows"),
    ROW(RANKS, RECON | DEMO | PLAN, "topology", SHARES(TOPOLOGY, topology, SinoTopologyShape, 1e6, "auto", "auto|LIST"),
        .help =
            "shares of a slice: nodes of a group of ranks, sockets of a node, workers of a socket; several nodes may "
            "lie in a rank; auto: a node per rank, as the machine is"),
    ROW(RANKS, RECON | DEMO | PLAN, "communication", CHOICE(communication, communication_words, "hierarchical"),
        .help =
            "hierarchical: partial sums are added within sockets, within nodes, then between nodes; direct: sent to "
            "their owners at once"),
    ROW(RANKS, RECON | DEMO | PLAN, "overlap", FLAG(overlap, "yes"),
        .help = "exchange sums of some slices while others are computed; no: for measurements"),
    ROW(RANKS, RECON | DEMO | PLAN, "node-weights", .kind = SINO_SETTING_WEIGHTS, AT(node_weights, SinoWeightList),
        .low = 0, .low_excluded = true, .high = COUNT_MAX, .operand = "LIST",
        .help = "how fast each rank is, relative to the others, in the order of ranks; without it all are alike"),

    ROW(OUTPUT, RECON | PHANTOM | DEMO, "out", .letter = 'o', .alias = "out-path-name", TEXT(out, "FILE"),
        .help = "what is written; recon: HDF5 file (with --save-format tiff: directory; with both: HDF5 file, and a "
                "directory of its name without .h5); phantom: HDF5 scan; demo: "
                "directory, \"demo\" when left out"),
    ROW(OUTPUT, RECON, "save-format", CHOICE(save_format, save_words, "hdf5"),
        .help = "hdf5: /exchange/data of one file; tiff: recon_00000.tiff by detector row"),
    ROW(OUTPUT, RECON, "mask-ratio", REAL(mask_ratio, 0, 1, "0"),
        .help = "set voxels beyond this share of the inscribed circle's radius to 0; 0: no mask"),
    ROW(OUTPUT, RECON, "pixel-size", REAL(pixel_size_um, 0, COUNT_MAX, "0"), .unit = "micrometres",
        .help = "side of a detector pixel, for values per cm; 0: values per detector pixel"),
    ROW(OUTPUT, RECON | DEMO, "pictures", FLAG(pictures, "yes"),
        .help = "write PNG pictures of middle slices beside the result"),
    ROW(OUTPUT, EVERY_VERB & ~INFO & ~PLAN, "overwrite", FLAG(overwrite, "no"), .help = "replace results that exist"),

    ROW(PHANTOM, PHANTOM | DEMO, "size", INTEGER(size, 1, 65536, "256"), .unit = "pixels",
        .help = "detector columns, and side of a slice"),
    ROW(PHANTOM, PHANTOM | DEMO, "angles", INTEGER(angles, 1, 1000000, "400"), .help = "projections over 180 degrees"),
    ROW(PHANTOM, PHANTOM | DEMO, "slices", INTEGER(slices, 1, 1000000, "16"), .help = "detector rows"),
    ROW(PHANTOM, PHANTOM | DEMO, "noise", REAL(noise, 0, 1, "0.01"),
        .help = "relative standard deviation of a count of the open beam (photon noise); 0: none"),
    ROW(PHANTOM, PHANTOM | DEMO, "seed", INTEGER(seed, 0, SEED_MAX, "1"),
        .help = "start of the noise: the same seed gives the same scan on any machine"),
    ROW(PHANTOM, PHANTOM, "truth", TEXT(truth, "FILE"), .help = "also write the true volume, as HDF5"),

    ROW(BENCHMARK, BENCH, "columns", INTEGER(columns, 1, 65536, "512"), .unit = "pixels",
        .help = "detector columns, and side of a slice"),
    ROW(BENCHMARK, BENCH, "angles", INTEGER(angles, 1, 1000000, "375"), .help = "projections over 180 degrees"),
    ROW(BENCHMARK, BENCH, "precision", CHOICES(precisions, precision_words, "all"),
        .help = "types in which vectors and ray lengths are stored and multiplied"),
    ROW(BENCHMARK, BENCH, "slices", COUNTS(slice_counts, 1, SINO_SLICES_MAX, "1,2,4,8,16,32,64"),
        .help = "slices that one product computes together"),
    ROW(BENCHMARK, BENCH, "csv", TEXT(csv, "FILE"), .help = "also write the figures as CSV"),
    ROW(BENCHMARK, BENCH, "roofline", TEXT(roofline, "FILE"),
        .help = "draw GFLOP/s over flops per byte below the machine's limits, as .svg or .png by the file's ending"),

    ROW(PLAN, PLAN, "columns", INTEGER(columns, 1, 65536, NULL),
        .help = "detector columns, and side of a slice, of a scan without a file; of raw sinograms with --theta"),
    ROW(PLAN, PLAN, "angles", INTEGER(angles, 1, 1000000, NULL),
        .help = "projections over 180 degrees of a scan without a file"),
    ROW(PLAN, PLAN, "slices", INTEGER(slices, 1, 1000000, NULL), .help = "detector rows of a scan without a file"),
    ROW(PLAN, PLAN, "ranks", INTEGER(ranks, 1, 1e6, "1"), .help = "MPI ranks of the run"),
    ROW(PLAN, PLAN, "format", CHOICE(plan_format, plan_words, "table"), .help = "how the plan is written"),
    ROW(PLAN, PLAN, "kernel-gflops", REAL(kernel_gflops, 0, COUNT_MAX, "50"), .low_excluded = true, .unit = "GFLOP/s",
        .help = "what a worker multiplies with a panel of slices (sinodag bench measures it)"),
    ROW(PLAN, PLAN, "memory-bandwidth", REAL(memory_gbps, 0, COUNT_MAX, "20"), .low_excluded = true, .unit = "GB/s",
        .help = "what a worker reads and writes in updates of vectors and sums"),
    ROW(PLAN, PLAN, "socket-bandwidth", REAL(socket_gbps, 0, COUNT_MAX, "20"), .low_excluded = true, .unit = "GB/s",
        .help = "what a worker sends to others of its socket"),
    ROW(PLAN, PLAN, "node-bandwidth", REAL(node_gbps, 0, COUNT_MAX, "20"), .low_excluded = true, .unit = "GB/s",
        .help = "what a socket sends to others of its node"),
    ROW(PLAN, PLAN, "link-bandwidth", REAL(link_gbps, 0, COUNT_MAX, "12.5"), .low_excluded = true, .unit = "GB/s",
        .help = "what a node sends to, and at the same time receives from, other nodes"),
    ROW(PLAN, PLAN, "link-latency", REAL(link_latency_us, 0, COUNT_MAX, "10"), .unit = "microseconds",
        .help = "what a message between nodes takes beside its bytes"),
    ROW(PLAN, PLAN, "file-bandwidth", REAL(file_gbps, 0, COUNT_MAX, "1"), .low_excluded = true, .unit = "GB/s",
        .help = "what all ranks together read and write"),

    ROW(GENERAL, EVERY_VERB, "config", TEXT(config, "FILE"), .argument_only = true,
        .help = "YAML file with one \"name: value\" line per setting; the command line wins over it"),
    ROW(GENERAL, EVERY_VERB, "log", CHOICE(log, log_words, "text"),
        .help = "how the run tells what it does, on stderr; json: one object per line"),
    ROW(GENERAL, EVERY_VERB, "help", .letter = 'h', FLAG(help, "no"), .argument_only = true,
        .help = "show these options and stop"),
};

const char *sino_algorithm_name(SinoAlgorithmChoice algorithm)
{
    return algorithm_words[algorithm];
}

const char *sino_filter_name(SinoFbpFilter filter)
{
    return filter_words[filter];
}

const char *sino_precision_name(SinoPrecision precision)
{
    return precision_words[precision];
}

const char *sino_communication_name(SinoCommunication communication)
{
    return communication_words[communication];
}

/* Of rows that share a name, the verb's. Settings of other verbs too: info plans with those of recon. */
static SinoStatus assign_defaults(int verb, SinoSettings *settings)
{
    for (const SinoSetting *row = sino_setting_table; row < sino_setting_table + SINO_SETTING_COUNT; row++)
        if (row->fallback && sino_setting_find(verb, row->name, strlen(row->name)) == row)
            SINO_TRY(sino_setting_assign(row, row->name, row->fallback, settings));
    return NULL;
}

static SinoStatus assign_arguments(const char *const text[SINO_SETTING_COUNT], SinoSettings *settings,
                                   bool given[SINO_SETTING_COUNT])
{
    for (int i = 0; i < SINO_SETTING_COUNT; i++) {
        if (!text[i]) continue;
        char where[40];
        snprintf(where, sizeof where, "--%s", sino_setting_table[i].name);
        SINO_TRY(sino_setting_assign(&sino_setting_table[i], where, text[i], settings));
        given[i] = true;
    }
    return NULL;
}

/* A plan is made for a file, or for a scan that is described. */
static SinoStatus check_described(const SinoSettings *settings)
{
    SINO_CHECK(settings->angles && settings->columns && settings->slices, SINO_BAD_INPUT,
               "plan has neither an input file nor all of --angles, --columns and --slices; needed: %s",
               sino_verb_text(PLAN)->usage);
    SINO_CHECK(!settings->theta, SINO_BAD_INPUT, "--theta is '%s' without an input file; allowed: with raw sinograms",
               settings->theta);
    const bool whole = settings->start_row == 0 && settings->end_row == -1 && settings->start_column == 0 &&
                       settings->end_column == -1 && settings->binning == 1;
    SINO_CHECK(whole, SINO_BAD_INPUT,
               "--binning and ranges of rows or columns choose a part of a file; allowed: with an input file");
    return NULL;
}

static SinoStatus check_file_alone(const SinoSettings *settings)
{
    SINO_CHECK(!settings->angles && !settings->slices, SINO_BAD_INPUT,
               "--angles and --slices describe a scan without a file; allowed: without '%s'", settings->file_name);
    return NULL;
}

static SinoStatus check_needed(int verb, const SinoSettings *settings)
{
    const SinoVerbText *text = sino_verb_text(verb);
    SINO_CHECK(settings->file_name || !(verb & (RECON | INFO)), SINO_BAD_INPUT, "%s has no input file; needed: %s",
               text->name, text->usage);
    SINO_CHECK(settings->out || !(verb & (RECON | PHANTOM)), SINO_BAD_INPUT, "%s has no --out; needed: %s", text->name,
               text->usage);
    if (verb == PLAN && !settings->file_name) return check_described(settings);
    if (!(verb & (RECON | INFO | PLAN))) return NULL;
    SINO_CHECK(!settings->theta || settings->columns, SINO_BAD_INPUT,
               "--theta is '%s' without --columns; raw sinograms need both, an HDF5 scan neither", settings->theta);
    SINO_CHECK(!settings->columns || settings->theta, SINO_BAD_INPUT,
               "--columns is %" PRId64 " without --theta; raw sinograms need both, an HDF5 scan neither",
               settings->columns);
    return verb == PLAN ? check_file_alone(settings) : NULL;
}

static SinoStatus check_range(const char *what, int64_t start, int64_t end)
{
    SINO_CHECK(end == -1 || end > start, SINO_BAD_INPUT,
               "empty %s range: --start-%s is %" PRId64 ", --end-%s is %" PRId64
               "; allowed: an end above the start, or "
               "-1",
               what, what, start, what, end);
    return NULL;
}

static SinoStatus check_algorithm(const bool given[SINO_SETTING_COUNT], SinoAlgorithmChoice algorithm)
{
    char text[SINO_ALLOWED_SIZE];
    for (int i = 0; i < SINO_SETTING_COUNT; i++) {
        const SinoSetting *row = &sino_setting_table[i];
        SINO_CHECK(!given[i] || sino_setting_applies(row, algorithm), SINO_BAD_INPUT,
                   "--%s contradicts --algorithm %s; allowed: --%s with --algorithm %s", row->name,
                   algorithm_words[algorithm], row->name,
                   sino_words_join(algorithm_words, (unsigned)row->algorithms, "or", text));
    }
    return NULL;
}

/* Both say how often a slice is cut. */
static SinoStatus check_shares(const SinoSettings *settings)
{
    SINO_CHECK(settings->partitions == 0 || settings->topology.workers == 0, SINO_BAD_INPUT,
               "--partitions is %" PRId64 ", and --topology has workers=%" PRId64 "; allowed: one of them",
               settings->partitions, settings->topology.workers);
    const int64_t nodes = settings->topology.nodes, ranks = settings->grid.data_ranks;
    SINO_CHECK(nodes == 0 || ranks == 0 || nodes % ranks == 0, SINO_BAD_INPUT,
               "--topology has nodes=%" PRId64 ", and --grid %" PRId64 " ranks for each slice; allowed: a multiple of "
               "them",
               nodes, ranks);
    return NULL;
}

static bool is_same_file(const char *a, const char *b)
{
    if (!a || !b) return false;
    struct stat first, second;
    return strcmp(a, b) == 0 || (stat(a, &first) == 0 && stat(b, &second) == 0 && S_ISREG(first.st_mode) &&
                                 first.st_dev == second.st_dev && first.st_ino == second.st_ino);
}

/* With --overwrite a slip of the hand would replace the scan itself. */
static SinoStatus check_files(const SinoSettings *settings)
{
    const struct {
        const char *output_name, *output, *other_name, *other;
    } pair[] = {
        {"--out", settings->out, "the input file", settings->file_name},
        {"--out", settings->out, "--theta", settings->theta},
        {"--out", settings->out, "--config", settings->config},
        {"--graph", settings->graph, "the input file", settings->file_name},
        {"--graph", settings->graph, "--theta", settings->theta},
        {"--graph", settings->graph, "--config", settings->config},
        {"--graph", settings->graph, "--out", settings->out},
        {"--operator-cache", settings->operator_cache, "--out", settings->out},
        {"--operator-cache", settings->operator_cache, "--graph", settings->graph},
        {"--truth", settings->truth, "--config", settings->config},
        {"--truth", settings->truth, "--out", settings->out},
        {"--csv", settings->csv, "--config", settings->config},
        {"--roofline", settings->roofline, "--config", settings->config},
        {"--roofline", settings->roofline, "--csv", settings->csv},
    };
    for (size_t i = 0; i < sizeof pair / sizeof *pair; i++)
        SINO_CHECK(!is_same_file(pair[i].output, pair[i].other), SINO_BAD_INPUT,
                   "%s and %s are the same file, '%s'; allowed: different files", pair[i].output_name,
                   pair[i].other_name, pair[i].output);
    return NULL;
}

static SinoStatus check(int verb, const bool given[SINO_SETTING_COUNT], const SinoSettings *settings)
{
    SINO_TRY(check_needed(verb, settings));
    SINO_TRY(check_range("row", settings->start_row, settings->end_row));
    SINO_TRY(check_range("column", settings->start_column, settings->end_column));
    SINO_TRY(check_algorithm(given, settings->algorithm));
    SINO_TRY(check_shares(settings));
    return check_files(settings);
}

/* More iterations would fit the noise of the demo's scan. */
static SinoStatus assign_demo_defaults(SinoSettings *settings)
{
    SINO_TRY(sino_setting_assign(sino_setting_find(DEMO, "out", 3), "--out", "demo", settings));
    return sino_setting_assign(sino_setting_find(DEMO, "iterations", 10), "--iterations", "12", settings);
}

static SinoStatus read_all(int verb, const char *const text[SINO_SETTING_COUNT], SinoSettings *settings)
{
    bool given[SINO_SETTING_COUNT] = {false};
    SINO_TRY(assign_defaults(verb, settings));
    if (verb == DEMO) SINO_TRY(assign_demo_defaults(settings));
    const char *config = text[sino_setting_find(verb, "config", 6) - sino_setting_table];
    if (config) SINO_TRY(sino_settings_yaml_read(config, verb, settings, given));
    SINO_TRY(assign_arguments(text, settings, given));
    return settings->help ? NULL : check(verb, given, settings);
}

SinoStatus sino_settings_read(int verb, int argument_count, char **arguments, SinoSettings **settings)
{
    const char *text[SINO_SETTING_COUNT] = {NULL};
    SINO_TRY(sino_settings_arguments(verb, argument_count, arguments, text));
    SinoSettings *result = NULL;
    SINO_TRY(sino_allocate(1, sizeof *result, "the settings", &result));
    SinoStatus status = read_all(verb, text, result);
    if (status) {
        sino_settings_free(result);
        return status;
    }
    *settings = result;
    return NULL;
}

void sino_settings_free(SinoSettings *settings)
{
    if (!settings) return;
    for (const SinoSetting *row = sino_setting_table; row < sino_setting_table + SINO_SETTING_COUNT; row++) {
        if (row->kind != SINO_SETTING_TEXT) continue;
        char *text;
        memcpy(&text, (const char *)settings + row->offset, sizeof text);
        free(text);
    }
    free(settings);
}
