/* SPDX-License-Identifier: BSD-3-Clause */
/* Simulation, start: of one rank in this process, of several by the program that starts them (simulated_ranks.c).
 *
 * SimGrid reads the description of the machine before StarPU's main calls the program, which is how StarPU is made: the
 * main of its library starts SimGrid, and calls starpu_main in an actor of it. The main function of this program
 * therefore describes the machine first, and then calls StarPU's. */
#include "device.h"
#include "memory.h"
#include "models.h"
#include "simulation_private.h"

#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static SinoSimulated the;

int starpu_main(int argument_count, char **arguments)
{
    (void)argument_count, (void)arguments;
    the.exit_code = the.program(the.argument_count, the.arguments);
    return the.exit_code;
}

/* Calls StarPU's main with arguments for SimGrid: it speaks only of what is critical. */
static SinoStatus call_starpu(void)
{
    char name[] = "sinodag", quiet[] = "--log=root.thresh:critical";
    char *arguments[] = {name, quiet, NULL};
    int (*starpu)(int, char **);
    void *const found = dlsym(RTLD_NEXT, "main"); /* POSIX: pointers to functions are pointers to void */
    SINO_CHECK(found, SINO_FAILED, "StarPU's library has no main, by which simulations begin");
    memcpy(&starpu, &found, sizeof starpu);
    (void)starpu(2, arguments);
    return NULL;
}

/* The directory of the times that runs have measured, for the machine `here`; NULL: another machine. The caller frees
 * it. */
static SinoStatus find_measured(const SinoMachineFile *machine, char **directory)
{
    const bool measured = strcmp(machine->name, "here") == 0;
    *directory = measured ? sino_models_directory() : NULL;
    SINO_CHECK(*directory || !measured, SINO_FAILED, "no memory for a file name");
    return NULL;
}

/* Before StarPU's variables name another host. */
static SinoStatus open_costs(const SinoMachineFile *machine, SinoTaskCosts **costs)
{
    char *directory = NULL;
    SINO_TRY(find_measured(machine, &directory));
    SinoStatus status = sino_task_costs_open(directory, machine, costs);
    free(directory);
    return status;
}

/* StarPU's simulation counts 650 µs for each MiB of memory that CUDA pins; OpenCL devices pin nothing. */
static void set_variables(const char *folder, const SinoMachineFile *machine)
{
    if (machine->device_kind == SINO_DEVICE_OPENCL) setenv("STARPU_SIMGRID_CUDA_MALLOC_COST", "0", 0);
    setenv("STARPU_PERF_MODEL_DIR", folder, 1);
    setenv("STARPU_HOSTNAME", SINO_SIMULATED_HOST, 1);
    setenv("STARPU_SILENT", "1", 0);
}

static SinoStatus run_alone(const SinoSimulationRequest *request, SinoProgram *program, int argument_count,
                            char **arguments, int *exit_code)
{
    the = (SinoSimulated){.machine = sino_simulation_share(request),
                          .program = program,
                          .argument_count = argument_count,
                          .arguments = arguments,
                          .exit_code = SINO_STANDSTILL};
    const int64_t cards = the.machine.device_count;
    SINO_TRY(open_costs(&the.machine, &the.costs));
    SinoStatus status = sino_simulated_machine_write(&the.machine, NULL, the.machine.cores + cards, cards,
                                                     SINO_SIMULATED_HOST, the.folder);
    if (status) {
        sino_task_costs_free(the.costs);
        return status;
    }
    set_variables(the.folder, &the.machine);
    sino_simulated_begin(&the);
    status = call_starpu();
    sino_simulated_end();
    if (!status) *exit_code = the.exit_code;
    return status;
}

/* ---- several ranks ---- */

/* What the launcher gets before the command line. */
enum { LAUNCHER, OBJECT, FOLDER, RANKS, PER_NODE, DIRECTORY, HOST, OWN_ARGUMENTS };

/* Replaces this process by the launcher. Returns if that fails. */
static SinoStatus become_launcher(const SinoSimulationRequest *request, char *const own[OWN_ARGUMENTS],
                                  int argument_count, char **arguments)
{
    char **all = NULL;
    SINO_TRY(sino_allocate(OWN_ARGUMENTS + argument_count + 1, sizeof *all, "arguments", &all));
    for (int i = 0; i < OWN_ARGUMENTS; i++) all[i] = own[i];
    for (int i = 0; i < argument_count; i++) all[OWN_ARGUMENTS + i] = arguments[i];
    set_variables(own[FOLDER], request->machine);
    (void)execv(request->launcher, all);
    free(all);
    return sino_error(SINO_BAD_INPUT, "%s cannot be started: %s", request->launcher, strerror(errno));
}

/* As many texts as the launcher's own arguments, made from `folder` and `directory`; the caller frees them. */
static SinoStatus print_arguments(const SinoSimulationRequest *request, const char *folder, const char *directory,
                                  char *own[OWN_ARGUMENTS])
{
    const char *const host = getenv("STARPU_HOSTNAME");
    const char *const slash = strrchr(request->launcher, '/');
    const int length = slash ? (int)(slash + 1 - request->launcher) : 0;
    const bool fine = asprintf(&own[LAUNCHER], "%s", request->launcher) >= 0 &&
                      asprintf(&own[OBJECT], "%.*ssinodag_rank.so", length, request->launcher) >= 0 &&
                      asprintf(&own[FOLDER], "%s", folder) >= 0 &&
                      asprintf(&own[RANKS], "%" PRId64, request->ranks) >= 0 &&
                      asprintf(&own[PER_NODE], "%" PRId64, request->ranks_per_node) >= 0 &&
                      asprintf(&own[DIRECTORY], "%s", directory ? directory : "") >= 0 &&
                      asprintf(&own[HOST], "%s", host ? host : "") >= 0;
    SINO_CHECK(fine, SINO_FAILED, "no memory for the arguments of %s", request->launcher);
    return NULL;
}

static SinoStatus run_ranks(const SinoSimulationRequest *request, int argument_count, char **arguments)
{
    const SinoSimulatedCluster cluster = {.ranks = request->ranks, .per_node = request->ranks_per_node};
    const SinoMachineFile share = sino_simulation_share(request);
    char folder[64], *directory = NULL, *own[OWN_ARGUMENTS] = {NULL};
    SinoStatus status = NULL;
    SINO_TRY(sino_simulated_machine_write(&share, &cluster, share.cores + share.device_count, share.device_count,
                                          SINO_SIMULATED_HOST, folder));
    SINO_TRY_OR(status, cleanup, find_measured(request->machine, &directory));
    SINO_TRY_OR(status, cleanup, print_arguments(request, folder, directory, own));
    status = become_launcher(request, own, argument_count, arguments);
cleanup:
    for (int i = 0; i < OWN_ARGUMENTS; i++) free(own[i]);
    free(directory);
    sino_simulated_machine_remove(folder);
    return status;
}

SinoStatus sino_simulation_run(const SinoSimulationRequest *request, SinoProgram *program, int argument_count,
                               char **arguments, int *exit_code)
{
    SINO_TRY(sino_simulation_check(request));
    return request->ranks > 1 ? run_ranks(request, argument_count, arguments)
                              : run_alone(request, program, argument_count, arguments, exit_code);
}
