/* SPDX-License-Identifier: BSD-3-Clause */
/* sinodag: the main program. Verbs, their help, and the exit codes 0, 1 (failed) and 2 (invalid input). */
#include "ending.h"
#include "launcher.h"
#include "log.h"
#include "platform.h"
#include "settings.h"
#include "status.h"
#include "text.h"
#include "version.h"
#include "workflows.h"

#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

typedef struct Verb {
    const char *name;
    int bit; /* of SINO_VERB_… */
    SinoStatus (*run)(const SinoSettings *settings, SinoLog *log);
    SinoStatus (*run_ranks)(const SinoSettings *settings, SinoJob *job, SinoLog *log); /* instead, in several ranks */
} Verb;

static const Verb verb_table[] = {
    {"recon", SINO_VERB_RECON, .run_ranks = sino_recon},
    {"phantom", SINO_VERB_PHANTOM, .run = sino_phantom},
    {"info", SINO_VERB_INFO, .run = sino_info},
    {"demo", SINO_VERB_DEMO, .run = sino_demo},
    {"bench", SINO_VERB_BENCH, .run = sino_bench},
    {"plan", SINO_VERB_PLAN, .run = sino_plan},
    {"simulate", SINO_VERB_SIMULATE, .run_ranks = sino_simulate},
    {"sweep", SINO_VERB_SWEEP, .run = sino_sweep},
    {"init", SINO_VERB_INIT, .run = sino_init},
    {"compare", SINO_VERB_COMPARE, .run = sino_compare},
    {"join", SINO_VERB_JOIN, .run = sino_join},
};
enum { VERB_COUNT = sizeof verb_table / sizeof *verb_table };

static const Verb *find_verb(const char *name)
{
    for (const Verb *verb = verb_table; verb < verb_table + VERB_COUNT; verb++)
        if (strcmp(verb->name, name) == 0) return verb;
    return NULL;
}

static void print_help(FILE *out)
{
    fputs("sinodag reconstructs X-ray tomography volumes as StarPU task graphs.\n"
          "\n"
          "Usage: sinodag VERB [options]\n"
          "\n"
          "Verbs:\n",
          out);
    for (const Verb *verb = verb_table; verb < verb_table + VERB_COUNT; verb++)
        fprintf(out, "  %-9s %s\n", verb->name, sino_verb_summary(verb->bit));
    fputs("\n"
          "sinodag VERB --help lists the usual options of a verb, --help all lists every one,\n"
          "--help tune the settings for --tune;\n"
          "sinodag --version prints the version.\n"
          "Exit codes: 0 done, 1 failed, 2 input or settings that cannot be honoured.\n",
          out);
}

/* Output on stdout is part of the result, so a failed write is an error. */
static SinoStatus check_stdout(void)
{
    SINO_CHECK(fflush(stdout) == 0 && !ferror(stdout), SINO_FAILED, "stdout cannot be written");
    return NULL;
}

static SinoStatus check_alone(const Verb *verb, const SinoJob *job)
{
    SINO_CHECK(sino_job_count(job) == 1 || verb->run_ranks, SINO_BAD_INPUT,
               "sinodag %s started as %" PRId64 " MPI processes; allowed: one (sinodag recon can use several)",
               verb->name, sino_job_count(job));
    return NULL;
}

static SinoStatus run_settings(const Verb *verb, const SinoSettings *settings, SinoJob *job, SinoLog *log)
{
    if (settings->help && sino_job_rank(job) == 0) {
        printf("sinodag %s: %s\n\n", verb->name, sino_verb_summary(verb->bit));
        sino_settings_help(verb->bit, settings->help, stdout);
    } else if (!settings->help) {
        SINO_TRY(sino_simulate_allows(verb->bit));
        SINO_TRY(verb->run_ranks ? verb->run_ranks(settings, job, log) : verb->run(settings, log));
    }
    return check_stdout();
}

static void print_plain(const char *text)
{
    fputs("sinodag: ", stderr);
    sino_print_visible(text, stderr);
    fputc('\n', stderr);
}

/* Prints the error, if any, frees it and returns the exit code. Before the settings are read (log NULL) the error is
 * plain text. */
static int finish(SinoStatus status, SinoLog *log)
{
    const int exit_code = sino_status_exit_code(status);
    if (log)
        sino_log_error(log, status);
    else if (*sino_status_text(status))
        print_plain(sino_status_text(status));
    sino_status_free(status);
    sino_ending_finish(exit_code);
    return exit_code;
}

static bool names_opencl(const SinoSettings *settings)
{
    /* The children of a sweep inherit what is hidden. */
    for (int64_t i = 0; i < settings->sweep.device_sets.count; i++)
        if (settings->sweep.device_sets.value[i] != SINO_DEVICE_ALL &&
            (settings->sweep.device_sets.value[i] & SINO_DEVICE_OPENCL))
            return true;
    return settings->runtime.devices != SINO_DEVICE_ALL && (settings->runtime.devices & SINO_DEVICE_OPENCL);
}

/* Reads the settings and opens the log, on every rank; all ranks fail if one does. *settings and *log may be set even
 * then. */
static SinoStatus prepare(const Verb *verb, int argument_count, char **arguments, SinoJob *job, SinoSettings **settings,
                          SinoLog **log)
{
    SinoStatus status = sino_settings_read_told(verb->bit, argument_count, arguments, &sino_scan_sources, settings);
    if (!status && !names_opencl(*settings)) sino_platform_hide_opencl();
    if (!status) status = check_alone(verb, job);
    if (!status) status = sino_log_open((*settings)->log, log);
    sino_ending_set_log(*log);
    if (*log && (*settings)->runtime.profile) sino_log_show_details(*log);
    SINO_TRY(sino_job_agree(job, status));
    return sino_job_check_same(job, verb->bit, *settings);
}

static int run_verb(const Verb *verb, int argument_count, char **arguments, SinoJob *job)
{
    SinoSettings *settings = NULL;
    SinoLog *log = NULL;
    SinoStatus status = prepare(verb, argument_count, arguments, job, &settings, &log);
    if (log && settings->remarks && sino_job_rank(job) == 0) sino_log_info(log, "settings", "%s", settings->remarks);
    if (!status) status = run_settings(verb, settings, job, log);
    const int exit_code = finish(status, log);
    sino_ending_set_log(NULL);
    sino_log_close(log);
    sino_settings_free(settings);
    return exit_code;
}

static SinoStatus unknown_verb(const char *name)
{
    char names[96] = "";
    size_t length = 0;
    for (int i = 0; i < VERB_COUNT && length < sizeof names; i++)
        length += (size_t)snprintf(names + length, sizeof names - length, "%s%s", i ? ", " : "", verb_table[i].name);
    if (!name) return sino_error(SINO_BAD_INPUT, "no verb; allowed: %s (sinodag --help tells more)", names);
    const char *const meant = sino_verb_closest(name);
    return sino_error(SINO_BAD_INPUT, "unknown verb '%s'%s%s%s; allowed: %s", name, meant ? " (did you mean " : "",
                      meant ? meant : "", meant ? "?)" : "", names);
}

/* Threads of libraries, which the program cannot know, would end it by SIGSEGV. */
static SinoStatus check_stack(void)
{
    const int64_t needed_bytes = 1 << 20;
    struct rlimit limit;
    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= (rlim_t)needed_bytes) return NULL;
    if (sino_launcher().rank > 0) return sino_error_told(SINO_FAILED); /* process 0 prints it */
    return sino_error(SINO_FAILED,
                      "the stack of a thread may have %" PRId64 " KiB (ulimit -s); needed: %" PRId64 " KiB or more",
                      (int64_t)limit.rlim_cur >> 10, needed_bytes >> 10);
}

/* Ends a process that could not join the others. A launcher ends every process as soon as one exits with an error, even
 * if another one's message is still unprinted; a process with nothing to print therefore waits one second. */
static int end_alone(SinoStatus status)
{
    if (!*sino_status_text(status)) (void)sleep(1);
    return finish(status, NULL);
}

/* Opens /dev/null in the place of a closed stdin, stdout or stderr. Otherwise a file that the program opens would get
 * that descriptor, and receive what is printed. */
static void occupy_standard_files(void)
{
    int descriptor;
    do {
        descriptor = open("/dev/null", O_RDONLY);
    } while (descriptor >= 0 && descriptor <= STDERR_FILENO);
    if (descriptor >= 0) close(descriptor);
}

static int run_program(int argument_count, char **arguments)
{
    occupy_standard_files();
    sino_last_words_install();
    sino_platform_keep_hwloc_from_opencl();
    signal(SIGXFSZ, SIG_IGN); /* beyond `ulimit -f` a write then fails, as on a full disk */
    const char *name = argument_count > 1 ? arguments[1] : "";
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || (strcmp(name, "help") == 0 && argument_count == 2)) {
        print_help(stdout);
        return finish(check_stdout(), NULL);
    }
    if (strcmp(name, "--version") == 0 || strcmp(name, "version") == 0) {
        printf("sinodag %s\n", sino_version_text());
        return finish(check_stdout(), NULL);
    }
    SinoJob *job = NULL;
    sino_ending_set_ranks(sino_launcher().rank == 0, NULL, NULL); /* until the ranks have joined */
    sino_ending_watch_signals();
    SinoStatus status = check_stack();
    if (!status) status = sino_job_start(&job);
    if (status) return end_alone(status);
    const Verb *verb = find_verb(name);
    status = sino_job_agree(job, verb ? NULL : unknown_verb(argument_count > 1 ? name : NULL));
    const int exit_code =
        status || !verb ? finish(status, NULL) : run_verb(verb, argument_count - 2, arguments + 2, job);
    sino_job_end(job);
    return exit_code;
}

int main(int argument_count, char **arguments)
{
    return sino_simulate_enter(argument_count, arguments, run_program);
}
