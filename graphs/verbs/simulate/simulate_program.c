/* SPDX-License-Identifier: BSD-3-Clause */
/* simulate, programs: from the program that computes to the one that simulates, and from there into the simulation. */
#include "simulate.h"

#include "memory.h"
#include "workflows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char variable[] = "SINODAG_SIMULATOR";

/* Where the simulator lies, from the directory of the program: as `./run simulator` builds it, or installed. */
static const char *const places[] = {"../build-simulator/sinodag", "sinodag-simulator",
                                     "../libexec/sinodag/sinodag-simulator"};
enum { PLACES = sizeof places / sizeof *places, PATH_BYTES = SINO_SIMULATE_PATH - 64 };

/* The directory of this program, with its last slash. */
static bool find_directory(char path[PATH_BYTES])
{
    const ssize_t length = readlink("/proc/self/exe", path, PATH_BYTES - 1);
    if (length <= 0) return false;
    path[length] = '\0';
    char *const slash = strrchr(path, '/');
    if (slash) slash[1] = '\0';
    return slash != NULL;
}

SinoStatus sino_simulate_request(const SinoSettings *settings, const SinoMachineFile *machine,
                                 char launcher[SINO_SIMULATE_PATH], SinoSimulationRequest *request)
{
    char directory[PATH_BYTES];
    *request = (SinoSimulationRequest){.machine = machine,
                                       .workers = settings->runtime.workers,
                                       .devices = settings->runtime.devices & ~(unsigned)SINO_DEVICE_CPU,
                                       .ranks_per_node =
                                           settings->plan.ranks_per_node > 0 ? settings->plan.ranks_per_node : 1};
    SINO_TRY(sino_multiply(machine->nodes, request->ranks_per_node, "--ranks-per-node", &request->ranks));
    if (settings->plan.ranks > 0) request->ranks = settings->plan.ranks;
    if (!find_directory(directory)) return NULL;
    /* Within a simulation this program is the launcher itself. */
    snprintf(launcher, SINO_SIMULATE_PATH, "%ssinodag-ranks", directory);
    if (access(launcher, X_OK) != 0) snprintf(launcher, SINO_SIMULATE_PATH, "%sranks/sinodag-ranks", directory);
    if (access(launcher, X_OK) == 0) request->launcher = launcher;
    return NULL;
}

/* The simulator: the named one, or the first of the places. */
static bool find_simulator(char path[SINO_SIMULATE_PATH])
{
    const char *given = getenv(variable);
    char directory[PATH_BYTES];
    if (given && *given) return snprintf(path, SINO_SIMULATE_PATH, "%s", given) < SINO_SIMULATE_PATH;
    if (!find_directory(directory)) return false;
    for (int i = 0; i < PLACES; i++) {
        snprintf(path, SINO_SIMULATE_PATH, "%s%s", directory, places[i]);
        if (access(path, X_OK) == 0) return true;
    }
    return false;
}

/* Becomes the simulator. Returns if there is none. */
static void become_simulator(char **arguments)
{
    char path[SINO_SIMULATE_PATH];
    if (find_simulator(path)) (void)execv(path, arguments);
}

SinoStatus sino_simulate_check(void)
{
    char path[SINO_SIMULATE_PATH];
    return SINO_SIMULATES || find_simulator(path) ? NULL : sino_simulate_missing();
}

SinoStatus sino_simulate_missing(void)
{
    const char *given = getenv(variable);
    char directory[PATH_BYTES] = "";
    SINO_CHECK(!given || !*given, SINO_BAD_INPUT,
               "%s is '%s', which cannot be started: %s; `./run simulator` builds a "
               "simulator",
               variable, given, strerror(access(given, X_OK) == 0 ? ENOEXEC : errno));
    (void)find_directory(directory);
    return sino_error(
        SINO_BAD_INPUT,
        "simulate needs the program that simulates, which is not %s%s, nor named by %s; `./run simulator` "
        "builds it",
        directory, places[0], variable);
}

SinoStatus sino_simulate_machine(const SinoSettings *settings, SinoMachineFile *machine)
{
    return settings->plan.machine ? sino_machine_named(settings, machine)
                                  : sino_machine_file_open("--machine", "here", machine);
}

/* What the simulation needs to know before it begins. */
static SinoStatus read_machine(int argument_count, char **arguments, SinoMachineFile *machine,
                               char launcher[SINO_SIMULATE_PATH], SinoSimulationRequest *request)
{
    SinoSettings *settings = NULL;
    SINO_TRY(sino_settings_read(SINO_VERB_SIMULATE, argument_count - 2, arguments + 2, &settings));
    SinoStatus status = settings->help ? sino_error(SINO_BAD_INPUT, "help") : sino_simulate_machine(settings, machine);
    if (!status) status = sino_simulate_request(settings, machine, launcher, request);
    sino_settings_free(settings);
    return status;
}

static int tell_standstill(void)
{
    fputs("sinodag: the simulation came to a standstill: no worker got any of the tasks that were left; another "
          "--scheduler "
          "may give them one\n",
          stderr);
    return 1;
}

/* Runs the program in a simulation. Bad arguments are the program's to tell. */
static int enter(int argument_count, char **arguments, int (*program)(int, char **))
{
    SinoMachineFile machine;
    SinoSimulationRequest request;
    char launcher[SINO_SIMULATE_PATH];
    int exit_code = 0;
    SinoStatus status = read_machine(argument_count, arguments, &machine, launcher, &request);
    if (!status) status = sino_simulation_run(&request, program, argument_count, arguments, &exit_code);
    if (status) exit_code = program(argument_count, arguments);
    if (exit_code == SINO_STANDSTILL) exit_code = tell_standstill();
    sino_status_free(status);
    return exit_code;
}

/* Whether the program itself answers: what it says of its arguments does not depend on which simulator there is. */
static bool answers(int argument_count, char **arguments)
{
    SinoSettings *settings = NULL;
    SinoStatus status = sino_settings_read(SINO_VERB_SIMULATE, argument_count - 2, arguments + 2, &settings);
    const bool itself = status || settings->help;
    sino_status_free(status);
    sino_settings_free(settings);
    return itself;
}

int sino_simulate_enter(int argument_count, char **arguments, int (*program)(int, char **))
{
    sino_simulation_arguments(&argument_count, &arguments);
    const bool simulate = argument_count > 1 && strcmp(arguments[1], "simulate") == 0;
    if (!simulate) return program(argument_count, arguments);
    if (SINO_SIMULATES) return enter(argument_count, arguments, program);
    if (!answers(argument_count, arguments)) become_simulator(arguments);
    return program(argument_count, arguments);
}

SinoStatus sino_simulate_allows(int verb)
{
    const int computing = SINO_VERB_RECON | SINO_VERB_PHANTOM | SINO_VERB_DEMO | SINO_VERB_BENCH;
    SINO_CHECK(!SINO_SIMULATES || !(verb & computing), SINO_BAD_INPUT,
               "this program simulates, and computes nothing; allowed: simulate, plan, info");
    return NULL;
}
