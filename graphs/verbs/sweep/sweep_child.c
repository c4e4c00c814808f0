/* SPDX-License-Identifier: BSD-3-Clause */
/* Children of a sweep: this program with the verbs phantom, recon and simulate. */
#include "sweep.h"

#include "workflows.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The words of a command line. */
enum { WORDS_MAX = 96 };
typedef struct Command {
    int count;
    char *word[WORDS_MAX + 1]; /* owned; NULL after the last */
    bool failed;               /* no memory, or too many words */
} Command;

static void add(Command *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(Command *command, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    char *word = NULL;
    const bool made = vasprintf(&word, format, list) >= 0;
    va_end(list);
    if (!made || command->count == WORDS_MAX) {
        command->failed = true;
        if (made) free(word);
        return;
    }
    command->word[command->count++] = word;
}

static void release(Command *command)
{
    for (int i = 0; i < command->count; i++) free(command->word[i]);
}

/* Runs the command, and frees its words. */
static SinoStatus run(const char *program, Command *command, const char *log_path, double limit_s, SinoProgramEnd *end)
{
    SinoStatus status = command->failed ? sino_error(SINO_FAILED, "no memory for a command line")
                                        : sino_program_run(program, command->word, log_path, limit_s, end);
    release(command);
    return status;
}

/* Seconds. A trial takes a tenth of one, unless a policy never schedules a task, or a simulator starts itself. */
enum { TRIAL_S = 15 };

static const char own_program[] = "/proc/self/exe";

/* Adds what the sweep has in common with the verb. A scan whose file tells a cone beam is swept as a parallel one. */
static SinoStatus add_common(const SinoSweep *sweep, int verb, Command *command)
{
    char **words = NULL;
    SINO_TRY(sino_settings_words(sweep->settings, SINO_VERB_SWEEP, verb, &words));
    add(command, "--geometry=parallel");
    for (char **word = words; *word; word++) add(command, "%s", *word);
    sino_words_free(words);
    return NULL;
}

static void add_case(const SinoSweepCase *of, Command *command)
{
    char devices[SINO_DEVICES_SIZE];
    if (*of->scheduler) add(command, "--scheduler=%s", of->scheduler);
    add(command, "--minibatch=%" PRId64, of->minibatch);
    add(command, "--partitions=%" PRId64, of->partitions);
    add(command, "--workers=%" PRId64, of->workers);
    add(command, "--device=%s", sino_devices_text(of->devices, ',', devices));
    add(command, "--precision=%s", sino_precision_name(of->precision));
}

/* The scan of a case; a phantom's is made if there is none yet. */
static SinoStatus find_scan(const SinoSweep *sweep, const SinoSweepCase *of, char path[SINO_SWEEP_PATH])
{
    char log[SINO_SWEEP_PATH];
    Command command = {.count = 0};
    SinoProgramEnd end;
    snprintf(path, SINO_SWEEP_PATH, "%s", sweep->settings->input.file_name ? sweep->settings->input.file_name : "");
    if (of->columns == 0) return NULL;
    sino_sweep_path(sweep, path, "scan_%" PRId64 "_%" PRId64 "_%" PRId64 ".h5", of->columns, of->angles, of->slices);
    if (access(path, R_OK) == 0) return NULL;
    add(&command, "sinodag");
    add(&command, "phantom");
    add(&command, "--out=%s", path);
    add(&command, "--size=%" PRId64, of->columns);
    add(&command, "--angles=%" PRId64, of->angles);
    add(&command, "--slices=%" PRId64, of->slices);
    SINO_TRY(run(own_program, &command, sino_sweep_path(sweep, log, "phantom.log"), 0, &end));
    SINO_CHECK(end.exit_code == 0, SINO_FAILED, "the phantom of %" PRId64 " columns cannot be made: %s", of->columns,
               end.message);
    return NULL;
}

/* Where profile and log of a run are written: in the folder of --keep, or in the temporary one. */
static void name_files(const SinoSweep *sweep, const char *kind, int64_t number, SinoSweepChild *child,
                       char log[SINO_SWEEP_PATH])
{
    const char *keep = number > 0 ? sweep->settings->sweep.keep : NULL;
    if (!keep) {
        sino_sweep_path(sweep, child->profile_path, "profile.json");
        sino_sweep_path(sweep, log, "run.log");
        return;
    }
    snprintf(child->profile_path, SINO_SWEEP_PATH, "%s/%s_%05" PRId64 ".json", keep, kind, number);
    snprintf(log, SINO_SWEEP_PATH, "%s/%s_%05" PRId64 ".log", keep, kind, number);
}

SinoStatus sino_sweep_recon(SinoSweep *sweep, const SinoSweepCase *of, const char *models, const char *kind,
                            int64_t number, SinoSweepChild *child)
{
    char scan[SINO_SWEEP_PATH], log[SINO_SWEEP_PATH];
    Command command = {.count = 0};
    SINO_TRY(find_scan(sweep, of, scan));
    name_files(sweep, kind, number, child, log);
    sino_sweep_path(sweep, child->volume_path, "volume.h5");
    (void)unlink(child->profile_path);
    add(&command, "sinodag");
    add(&command, "recon");
    add(&command, "--file-name=%s", scan);
    add(&command, "--out=%s", child->volume_path);
    add(&command, "--overwrite");
    add(&command, "--pictures=no");
    add(&command, "--report=none");
    add(&command, "--profile=%s", child->profile_path);
    add(&command, "--models=%s", models);
    if (of->columns > 0) add(&command, "--rotation-axis=%.1f", (double)(of->columns - 1) / 2);
    add_case(of, &command);
    SinoStatus status = add_common(sweep, SINO_VERB_RECON, &command);
    if (!status) return run(own_program, &command, log, number == 0 ? TRIAL_S : 0, &child->end);
    release(&command);
    return status;
}

/* ---- the simulator ---- */

static const char *simulator(void)
{
    const char *named = getenv("SINODAG_SIMULATOR");
    return named && *named ? named : own_program;
}

SinoStatus sino_sweep_check_simulator(const SinoSweep *sweep)
{
    char log[SINO_SWEEP_PATH];
    Command command = {.count = 0};
    SinoProgramEnd end;
    SINO_TRY(sino_simulate_check());
    add(&command, "sinodag");
    add(&command, "simulate");
    add(&command, "--help");
    SINO_TRY(run(simulator(), &command, sino_sweep_path(sweep, log, "simulator.log"), TRIAL_S, &end));
    SINO_CHECK(end.exit_code == 0, SINO_BAD_INPUT,
               "--simulate is '%s', but `%s simulate --help` fails: %s; allowed: a program with the verb simulate, "
               "which SINODAG_SIMULATOR may name",
               sweep->settings->sweep.simulation == SINO_SIMULATION_ONLY ? "only" : "yes",
               simulator() == own_program ? "sinodag" : simulator(), *end.message ? end.message : "it does not start");
    return NULL;
}

SinoStatus sino_sweep_simulate(SinoSweep *sweep, const SinoSweepCase *of, int64_t number, const char *graph,
                               SinoSweepChild *child)
{
    char log[SINO_SWEEP_PATH];
    Command command = {.count = 0};
    name_files(sweep, "simulation", number, child, log);
    child->volume_path[0] = '\0';
    (void)unlink(child->profile_path);
    add(&command, "sinodag");
    add(&command, "simulate");
    if (of->columns > 0) {
        add(&command, "--columns=%" PRId64, of->columns);
        add(&command, "--angles=%" PRId64, of->angles);
        add(&command, "--slices=%" PRId64, of->slices);
    } else {
        add(&command, "--file-name=%s", sweep->settings->input.file_name);
    }
    add(&command, "--overwrite");
    add(&command, "--profile=%s", child->profile_path);
    if (graph) add(&command, "--graph=%s", graph);
    add_case(of, &command);
    SinoStatus status = add_common(sweep, SINO_VERB_PLAN, &command);
    if (!status) return run(simulator(), &command, log, 0, &child->end);
    release(&command);
    return status;
}
