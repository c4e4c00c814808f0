/* SPDX-License-Identifier: BSD-3-Clause */
/* Models: times of tasks, measured and told, and bounds of a run. */
#pragma once

#include "log.h"
#include "machine_file.h"
#include "status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Bounds: times that no schedule of measured tasks can beat. */

/* Tasks in the order of submission. Task t takes seconds[t] ≥ 0 and waits for the tasks edge[first_edge[t]] …
 * edge[first_edge[t + 1] − 1], which all come before it. */
typedef struct SinoTaskTimes {
    int64_t count;
    const double *seconds;      /* [count] */
    const uint32_t *first_edge; /* [count + 1] */
    const uint32_t *edge;
} SinoTaskTimes;

typedef struct SinoChain {
    double seconds; /* the sum over the chain */
    int64_t last;   /* its last task; −1: there is none */
    int64_t *before; /* [count] the task before each task in the longest chain that ends with it; −1: it is the first */
} SinoChain;

/* The critical path: the longest chain of tasks that wait for each other. The caller frees chain->before. SINO_FAILED:
 * no memory. */
SinoStatus sino_critical_path(const SinoTaskTimes *tasks, SinoChain *chain);

enum { SINO_BOUND_TYPES = 3 }; /* types of workers: cores, CUDA devices, OpenCL devices */

/* Tasks of one kind: their number, and the mean time on each type of worker; 0: none ran there, so none can. */
typedef struct SinoKindTimes {
    double count, mean_s[SINO_BOUND_TYPES];
} SinoKindTimes;

/* The area bound: the least time in which workers[type] workers of each type can do all tasks if they wait for nothing
 * and tasks can be divided. A linear program, solved by its dual: any prices of the types' time give a lower bound, and
 * the best prices give the optimum. */
double sino_area_bound(int64_t kind_count, const SinoKindTimes *kind, const int64_t workers[SINO_BOUND_TYPES]);

/* Cost fit: a curve through measured times of tasks of one kind, for sizes and widths that were never measured.
 *
 *     t = (a + b·work + c·bytes) · exp(z(log₂ size, log₂ width)),   a, b, c ≥ 0
 *
 * a, b and c are fitted by least squares of relative errors, in which single bad times count little. What they leave
 * over, because caches hold small sizes and kernels for narrow vectors are slower, is z: a Gaussian process (C. E.
 * Rasmussen, C. K. I. Williams, Gaussian Processes for Machine Learning, MIT Press 2006, ch. 2) that passes near the
 * measured times and goes to 0 far from them.
 *
 * Kernels take one panel of a vector after another (panel.h), and read what a task has once, such as A, for each of
 * them. 48 slices in panels of 32 and 16 take what 32 and 16 take: where the last panel is narrower than the others,
 * both have a law and a z of their own. */

/* Tasks that are alike. */
typedef struct SinoCostPoint {
    double work, bytes, width; /* 0: they have none */
    double panel;              /* width of a whole panel of their vectors; 0: vectors are one panel */
    double seconds;            /* median, above 0 */
    double noise;              /* standard error of the median, relative */
} SinoCostPoint;

typedef struct SinoCostFit SinoCostFit;

/* Fits a curve through one point or more; of more than 64 it takes 64, spread over all sizes. SINO_FAILED: no memory.
 */
SinoStatus sino_cost_fit_new(int64_t count, const SinoCostPoint *point, SinoCostFit **fit);
void sino_cost_fit_free(SinoCostFit *fit); /* takes NULL */

/* Seconds of a task of `work`, `bytes`, `width` and `panel`; the other members are not read. `error`: NULL, or the
 * expected relative error: what the points of sizes near this one miss a curve through all other sizes by (root of the
 * mean square), more where no point is near, and growing by 0.1 for each factor of two beyond the measured sizes or
 * widths. */
double sino_cost_fit_s(const SinoCostFit *fit, const SinoCostPoint *point, double *error);

/* Model directory: the directory in which StarPU keeps what it has measured, safe against damaged files, full disks and
 * runs at the same time. */

typedef struct SinoModels SinoModels;

/* Before StarPU starts: makes a directory for this run, copies into it what earlier runs have kept of the machine in
 * STARPU_PERF_MODEL_DIR, or else in ~/.starpu/sampling/sinodag, and lets the variable name it. Damaged files are set
 * aside with a warning. Without a place to keep files the run goes on, with a message. `log`: NULL for none; not owned.
 * SINO_BAD_INPUT: STARPU_PERF_MODEL_DIR cannot be written. SINO_FAILED: no directory can be made anywhere. */
SinoStatus sino_models_open(SinoLog *log, SinoModels **models);

/* Before the first task of a performance model: copies what earlier runs have kept of it. Takes NULL. */
void sino_models_take(SinoModels *models, const char *symbol);

/* Whether they are frozen. */
bool sino_models_frozen(const SinoModels *models);

/* Where earlier runs have kept them, and this one will; NULL: nowhere. Not owned. */
const char *sino_models_kept(const SinoModels *models);

/* The run's copy of the file of its own samples; the caller frees it. NULL: no memory, or this machine
 * has no name. */
char *sino_models_samples_path(const SinoModels *models);

/* Where runs keep models, whether it exists or not; to be asked while no runtime is there. The caller frees it. NULL:
 * no memory. */
char *sino_models_directory(void);

/* The file of samples that such a directory has; likewise. */
char *sino_models_kept_samples_path(const char *directory);

/* What the run measures of tasks will not be kept; what it measures of buses will. */
void sino_models_freeze(SinoModels *models);

/* After StarPU has stopped: keeps what has changed, removes the run's directory, and restores the variable. Takes NULL.
 */
void sino_models_close(SinoModels *models);

/* Model file: a file of StarPU's measurements that another run can trust. Its last line has a checksum of what precedes
 * it, and the number of the set to which it belongs; StarPU takes the line for a comment. */

typedef enum SinoModelFileState {
    SINO_MODEL_FILE_NONE,    /* there is no such file, or no memory for it */
    SINO_MODEL_FILE_DAMAGED, /* not a file, not sealed, or not as it was sealed */
    SINO_MODEL_FILE_GOOD
} SinoModelFileState;

typedef struct SinoModelFile {
    char *text; /* without the last line; owned */
    size_t bytes;
    uint64_t set;
} SinoModelFile;

/* Reads a sealed file. Unless the state is GOOD, `file` is empty. */
SinoModelFileState sino_model_file_read(const char *path, SinoModelFile *file);

/* Reads a file that StarPU has written. False: there is none, or it does not end with a line. */
bool sino_model_file_read_plain(const char *path, SinoModelFile *file);

/* Write the text alone, and the text with its last line. An existing file is replaced at once: no reader sees a part of
 * the new one. False, with errno: not written. */
bool sino_model_file_write_plain(const char *path, const SinoModelFile *file);
bool sino_model_file_write(const char *path, const SinoModelFile *file);

bool sino_model_file_same(const SinoModelFile *a, const SinoModelFile *b); /* the texts */
void sino_model_file_free(SinoModelFile *file);                            /* leaves it empty */

/* Releases: tasks that may begin from some moment on, as projections arrive, and how long after it they end. */

enum { SINO_RELEASE_KINDS = 64 };

/* Tasks that are released together. Number k is the same kind of task in all releases. */
typedef struct SinoRelease {
    double at_s;                            /* when they may begin */
    double end_s;                           /* when the last one has ended; 0: none has */
    SinoKindTimes kind[SINO_RELEASE_KINDS]; /* count 0: none of this kind */
} SinoRelease;

/* Adds a task to a kind of a release; seconds[type] 0: it cannot run there. */
void sino_release_add(SinoRelease *release, int64_t kind, const double seconds[SINO_BOUND_TYPES]);

/* The least time in which the workers can end all tasks, if these wait for nothing but their release and can be
 * divided: the largest one, over all releases, of its time and the area bound of what is released from then on. Times
 * of releases grow; kinds from kind_count on are empty. */
double sino_release_bound(int64_t count, const SinoRelease *release, int64_t kind_count,
                          const int64_t workers[SINO_BOUND_TYPES]);

/* How long after releases their tasks, and all tasks of earlier ones, have ended. The last release, whose tasks also
 * end the run, does not count. */
typedef struct SinoLateness {
    int64_t count;         /* releases */
    double last_s;         /* the time of the last one */
    double mean_s, most_s; /* 0: none counts */
    double growth;         /* by how much it grows in a second, by a line through all; 0: fewer than two count */
    bool keeps_up;         /* it does not grow by more than the time between two releases */
} SinoLateness;

SinoLateness sino_release_lateness(int64_t count, const SinoRelease *release);

/* Sample table: times of tasks that runs have measured, with what they depend on. Beside StarPU's performance models,
 * whose entries have a hash in place of width, precision and bytes.
 *
 * An entry stands for tasks that are alike: one model, kind of processor and footprint (codelet.c), and bytes that
 * differ by less than a fifth. It holds a sample of their times, so that a median can be told, whatever disturbs a few
 * tasks. A new run takes two thirds of the places of the sample: times of older runs fade. */

enum { SINO_SAMPLE_TIMES = 15, SINO_SAMPLE_SYMBOL_BYTES = 64, SINO_SAMPLE_ENTRIES = 4096 };

typedef struct SinoSampleEntry {
    char symbol[SINO_SAMPLE_SYMBOL_BYTES];
    unsigned device; /* SINO_DEVICE_CPU, _CUDA, _OPENCL */
    uint32_t footprint;
    int64_t width;
    int precision; /* and what follows: as of SinoTaskFeatures */
    uint32_t variant;
    double work, flops, bytes;   /* means */
    double count;                /* tasks measured; those of older runs fade */
    int64_t age;                 /* runs that have measured other tasks since */
    int time_count;              /* 1 … SINO_SAMPLE_TIMES */
    float us[SINO_SAMPLE_TIMES]; /* ascending, once it is in a table */
} SinoSampleEntry;

/* Entries in the order of sino_sample_compare. */
typedef struct SinoSampleTable {
    SinoSampleEntry *entry; /* owned */
    int64_t count, capacity;
} SinoSampleTable;

/* The number of the step of a fifth in which bytes lie. */
long sino_sample_step(double bytes);

/* The order of entries: model, device, footprint, bytes. 0: they are of tasks that are alike. */
int sino_sample_compare(const SinoSampleEntry *a, const SinoSampleEntry *b);

/* Another time of a task that is like those of the entry; its sample then stands for all of them alike. `random`: state
 * of the caller's random numbers, not 0. Times need not be in order. */
void sino_sample_add(SinoSampleEntry *entry, double work, double flops, double bytes, double us, uint64_t *random);

/* Adds an entry whose times are in any order; those of an entry that is alike count by their number. SINO_FAILED: no
 * memory. */
SinoStatus sino_sample_table_add(SinoSampleTable *table, const SinoSampleEntry *entry);

/* Adds the table of a run to the one that is kept. `renew`: entries of the models and devices of the run are forgotten
 * first. More than SINO_SAMPLE_ENTRIES: the oldest ones go. SINO_FAILED: no memory. */
SinoStatus sino_sample_table_merge(SinoSampleTable *kept, const SinoSampleTable *run, bool renew);

/* What a worker needs between two tasks is an entry, too: of a policy, and of a class of bytes of the later task's
 * data, since large tasks leave less of StarPU's own data in the caches. */
enum { SINO_BETWEEN_CLASSES = 12 };
int sino_between_class(int64_t bytes);
void sino_between_symbol(const char *policy, char symbol[SINO_SAMPLE_SYMBOL_BYTES]); /* shortened if too long */
bool sino_between_is(const SinoSampleEntry *entry);
double sino_between_bytes(int number); /* that the entry of a class has */

/* As text, a line for each entry. Reading: false if the text is no such table (the table is then empty). */
void sino_sample_table_print(const SinoSampleTable *table, FILE *out);
bool sino_sample_table_parse(const char *text, SinoSampleTable *table);
void sino_sample_table_free(SinoSampleTable *table); /* leaves it empty */

/* The time below which a part of the times of an entry lies, in µs; 0.5: the median. */
double sino_sample_quantile(const SinoSampleEntry *entry, double part);

/* Task cost: how long a task takes on a kind of processor: as earlier runs have measured it, else by a curve through
 * what they have measured of tasks of its kind, else by the rates of a machine.
 *
 * Needs neither StarPU nor a run. Costs are read only once they are open, from any thread. */

typedef enum SinoCostSource {
    SINO_COST_MEASURED, /* of tasks with this footprint and this work */
    SINO_COST_FITTED,
    SINO_COST_RATE,
    SINO_COST_SOURCES
} SinoCostSource;

/* What the time of a task depends on, as it was submitted (SinoTaskRequest). */
typedef struct SinoTaskFeatures {
    const char *symbol; /* of its performance model, "sinodag_<kind>[_<revision>]" */
    uint32_t footprint; /* StarPU's, of the same model; 0: not known */
    double work, flops; /* 0: not given */
    int64_t bytes;      /* of its data, scratch left out */
    int64_t width;      /* stride of its vectors; 0: it has none */
    int precision;      /* 1 + SinoPrecision; 0: it has none */
    uint32_t variant;   /* which data it reads and writes: a hash; 0: not known */
} SinoTaskFeatures;

typedef struct SinoTaskCosts SinoTaskCosts;

/* Reads what runs on this machine have kept in `directory` (sino_models_directory). NULL: nothing, so that rates give
 * every time. A file there that is missing or damaged counts as empty; nothing is written. `machine` is copied.
 * SINO_FAILED: no memory. */
SinoStatus sino_task_costs_open(const char *directory, const SinoMachineFile *machine, SinoTaskCosts **costs);
void sino_task_costs_free(SinoTaskCosts *costs); /* takes NULL */

/* Seconds of a task by rates alone: of its flops in single precision or its bytes, whichever takes longer. */
double sino_processor_s(const SinoProcessorRates *rates, double flops, double bytes);

/* Whether GPUs alone run iterations: of `devices` (bits of device.h, as the user asked for) cores are none; or the user
 * named none, and cores together have so little of the rate of memory, at which vectors are updated, that a part in
 * iterations saves less than copies of vectors cost: below an eighth of the GPUs' rate. Policies place each task by
 * itself; on cores they would save one a short wait, and its vectors would travel there and back. The policy
 * sino-affinity leaves tasks where their data are; scheduler NULL: the usual one. */
bool sino_devices_iterate_alone(unsigned devices, const char *scheduler, double cores_gbps, double devices_gbps);

/* Seconds that the task takes on one processor of a kind: SINO_DEVICE_CPU, _CUDA or _OPENCL. `source`, `error`: NULL,
 * or where the time is from, and by which part of it a run is expected to differ (standard deviation). If the machine
 * has no device of the kind and nothing was measured on one, the result is infinite. */
double sino_task_cost_s(const SinoTaskCosts *costs, unsigned device, const SinoTaskFeatures *task,
                        SinoCostSource *source, double *error);

/* Seconds that a core takes between two tasks under a policy, before one with these bytes of data: the median of what
 * runs have measured with this policy, else with another. 0: nothing was measured. */
double sino_task_between_s(const SinoTaskCosts *costs, const char *policy, int64_t bytes);

/* "measured", "fitted", "rate". */
const char *sino_cost_source_name(SinoCostSource source);
