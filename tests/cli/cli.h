/* SPDX-License-Identifier: BSD-3-Clause */
/* Command line: runs the program that $SINODAG names as its users do, and looks at what it says and leaves. */
#pragma once

#include "testing.h"

#include <sys/types.h>

/* One run of the program. Zero what does not matter. */
typedef struct CliRun {
    const char *directory;   /* it runs in */
    const char *environment; /* "NAME=VALUE"; NULL: nothing more */
    const char *launcher;    /* words before the program, the first found by PATH; NULL: none */
    const char *stdout_path; /* NULL: captured */
    bool stdout_closed, stderr_closed;
    int64_t file_bytes_max; /* RLIMIT_FSIZE; 0: none */
    /* set by cli_start and cli_wait */
    pid_t pid;
    int out_descriptor, err_descriptor;
    int exit_code; /* minus the signal that ended it */
    int64_t peak_bytes;
    double elapsed_s;
    char *out, *err; /* owned */
} CliRun;

/* Words of the line are separated by single blanks. */
void cli_start(CliRun *run, const char *format, ...) __attribute__((format(printf, 2, 3)));
void cli_wait(CliRun *run);
void cli_free(CliRun *run);

/* Waits until a file in the run's directory has so many bytes; false: the run has ended before. */
bool cli_await_size(const CliRun *run, const char *name, int64_t bytes);

/* Waits, for a minute at most, until stderr contains `text`. */
void cli_await(const CliRun *run, const char *text);
/* Until the log is at this part or a later one: lines of parts that take no second are left out. */
void cli_await_part(const CliRun *run, int least);

/* Exit code 0. What it wrote to stderr is lost. */
void cli_works(const char *directory, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Runs a line that works: what info prints, what other verbs log; caller frees. */
int cli_code_of_info(const char *out); /* 2: it says that recon refuses; else 0 */
char *cli_output_of(const char *directory, const char *line);

/* Exit code 2, one line on stderr, "sinodag: " and a sentence with these key words (testing_tells): the option or the
 * file, the value received, those allowed; nothing on stdout, nothing changed in the directory. */
void cli_refuses(const char *directory, const char *keys, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The run ended with this code, and the last line of stderr, or by a launcher any line, is "sinodag: " and a sentence
 * with these key words. Frees it. */
void cli_assert_ended(CliRun *run, int exit_code, const char *keys);

/* The number that follows the first `before` in the text; *rest, unless NULL, is what follows the number. */
double cli_number_after(const char *text, const char *before, const char **rest);

/* Runs another program, found by PATH, without output; 127: it is not installed. */
int cli_tool(const char *name, const char *first, const char *second);

/* "path size" lines of everything in the directory, sorted; caller frees. */
char *cli_listing(const char *directory);

/* The names of everything in the directory, sorted, separated by blanks, are these. */
void assert_names(const char *directory, const char *names);

/* Scans of the counts 500 behind flats of 1000, with every fourth column at 900 as uint16. */
typedef struct CliScan {
    uint64_t angles, rows, columns;
    int data_rank;                    /* 3; fewer: the first sizes only; 0: no dataset */
    uint64_t flats, flat_rows, darks; /* 0 flats: none; 0 rows: as many as the data have */
    uint16_t flat_count;              /* of every pixel */
    uint64_t theta_count;             /* 0: no dataset */
    const double *theta;              /* degrees; NULL: 0 to 180 */
    uint64_t changed;                 /* the first of the counts become … */
    uint16_t changed_count;           /* … this */
    uint16_t dark_count;              /* of every pixel */
    bool single;                      /* flat and dark fields have two dimensions, of one image */
    uint16_t (*count)(uint64_t angle, uint64_t row, uint64_t column); /* a count of the data; NULL: as above */
} CliScan;

extern const CliScan cli_scan; /* 12 angles, 4 rows, 16 columns, 2 flats, 1 dark */

void cli_write_scan(const char *directory, const char *name, const CliScan *scan);
void cli_write_bytes(const char *directory, const char *name, const void *bytes, size_t count);
/* A file of NumPy of this type ("<f4") and shape ("(3, 4)"). */
void cli_write_npy(const char *directory, const char *name, const char *type, const char *shape, const void *values,
                   size_t bytes);
void cli_write_text(const char *directory, const char *name, const char *text);
int64_t cli_file_size(const char *directory, const char *name);
bool cli_exists(const char *directory, const char *name);

/* A whole file, which has so many bytes; caller frees. */
void *cli_read_bytes(const char *directory, const char *name, size_t bytes);
bool cli_same_files(const char *directory, const char *a, const char *b);

/* A whole dataset as doubles, whose rank and sizes are these; caller frees. */
double *cli_read_doubles(const char *directory, const char *name, const char *dataset, int rank, const int64_t *size);

/* /exchange/data with these sizes, as stored; caller frees. */
float *cli_read_volume(const char *directory, const char *name, int64_t slices, int64_t size);

/* A float32 TIFF of one page; caller frees. */
float *cli_read_tiff(const char *directory, const char *name, int64_t size);

/* Writes disks.bin, a raw sinogram of `angles` angles over `turn` radians of 64 columns with the axis at `center`, and
 * disks_theta.bin: two disks of density 0.02, of radius `large` on the axis, and of radius 3 at `off` columns from it.
 */
void cli_write_disks(const char *directory, int angles, double turn, double center, double large, double off);

/* Correlation of two slices of size² voxels within this radius about their middle. */
double cli_correlation(int64_t size, double radius, const float *a, const float *b);

/* ‖a − b‖/‖b‖; of a volume of one slice and that of t.h5 within the inscribed circle. */
double cli_difference(int64_t count, const float *a, const float *b);
double cli_error(const char *directory, const char *name, int64_t size);

/* Mounts a tmpfs with these options (MS_… and "size=…") on directory/name, which is made; skips the test, loudly, where
 * that is not allowed. The teardown below takes it away. */
void cli_mount(const char *directory, const char *name, unsigned long flags, const char *options);
int cli_directory_remove(void **state);

/* The simulator: SINODAG_SIMULATOR, or the one of the build folder beside that of the program. Skips the test, loudly,
 * where there is none. */
const char *cli_simulator(void);

#define CLI_TEST(function) cmocka_unit_test_setup_teardown(function, testing_directory_make, cli_directory_remove)

/* The same on one core, which takes two thirds of the time: a test that compares no divisions of the work. */
int cli_one_core_make(void **state);
int cli_one_core_remove(void **state);
#define CLI_ONE_CORE(function) cmocka_unit_test_setup_teardown(function, cli_one_core_make, cli_one_core_remove)

/* The subjects, each in a file of its own; the number of failed tests. */
int cli_input_tests(void);
int cli_volume_prior_tests(void);
int cli_weights_tests(void);
int cli_volume_prior_ranks_tests(void);
int cli_settings_tests(void);
int cli_disk_tests(void);
int cli_output_tests(void);
int cli_formats_tests(void);
int cli_graph_tests(void);
int cli_trace_tests(void);
int cli_trace_ranks_tests(void);
int cli_trace_device_tests(void);
int cli_interrupt_tests(void);
int cli_hostile_tests(void);
int cli_inject_tests(void);
int cli_models_tests(void);
int cli_info_tests(void);
int cli_cone_tests(void);
int cli_follow_tests(void);
int cli_follow_ranks_tests(void);
int cli_cone_iterative_tests(void);
int cli_vectors_tests(void);
int cli_cone_recon_tests(void);
int cli_cone_ranks_tests(void);
int cli_cone_stages_tests(void);
int cli_counts_ranks_tests(void);
int cli_pet_tests(void);
int cli_policy_tests(void);
int cli_counts_tests(void);
int cli_counts_files_tests(void);
int cli_mirrors_tests(void);
int cli_spect_tests(void);
int cli_safir_tests(void);
int cli_scans_tests(void);
int cli_simulate_tests(void);
int cli_simulate_graph_tests(void);
int cli_simulate_lines_tests(void);
int cli_simulate_machine_tests(void);
int cli_phase_tests(void);
int cli_tilt_tests(void);
int cli_align_tests(void);
int cli_instruments_tests(void);
int cli_stages_tests(void);
int cli_simulate_ranks_tests(void);
int cli_suspicion_tests(void);
int cli_center_tests(void);
int cli_fista_tests(void);
int cli_normal_tests(void);
int cli_halves_tests(void);
int cli_mask_tests(void);
int cli_solvers_tests(void);
int cli_start_tests(void);
int cli_try_tests(void);
int cli_slurm_tests(void);
int cli_init_tests(void);
int cli_compare_tests(void);
int cli_sweep_tests(void);
int cli_bench_tests(void);
int cli_plan_tests(void);
int cli_ranks_tests(void);
int cli_report_tests(void);
int cli_resume_tests(void);
int cli_job_tests(void);
int cli_operator_cache_tests(void);
int cli_device_tests(void);
int cli_device_absent_tests(void);
int cli_device_cone_tests(void);
int cli_device_matrix_tests(void);
