/* SPDX-License-Identifier: BSD-3-Clause */
/* Simulation, a rank: in the shared object of which SMPI loads a copy for each rank (simulated_ranks.h). SMPI calls the
 * copy's main as an MPI program in an actor of SimGrid. StarPU-MPI makes of that actor the thread that sends and
 * receives, and calls starpu_main in another one. */
#include "simulated_ranks.h"
#include "simulation_private.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* StarPU-MPI's, which StarPU's own main calls when SMPI is there. */
int _starpu_mpi_simgrid_init(int argument_count, char **arguments);

/* StarPU's, which STARPU_SILENT sets only when StarPU-MPI has complained of SMPI's threads. */
extern int _starpu_silent;

void sino_simulation_arguments(int *argument_count, char ***arguments)
{
    *argument_count = sino_simulated_ranks.argument_count;
    *arguments = sino_simulated_ranks.arguments;
}

/* The pointer to a list with this memory, or, if bytes > 0, with the same bytes; to NULL: there is none. */
static SinoSharedList **find_list(const void *memory, int64_t bytes)
{
    SinoSharedList **at = &sino_simulated_ranks.lists;
    for (; *at; at = &(*at)->next) {
        if ((*at)->memory == memory) break;
        if (bytes > 0 && (*at)->bytes == bytes && memcmp((*at)->memory, memory, (size_t)bytes) == 0) break;
    }
    return at;
}

const void *sino_shared_list(void *memory, int64_t bytes)
{
    if (!memory || bytes <= 0) return memory;
    SinoSharedList **const at = find_list(memory, bytes);
    if (!*at) {
        *at = malloc(sizeof **at);
        if (*at) **at = (SinoSharedList){.memory = memory, .bytes = bytes, .ranks = 1};
        return memory;
    }
    if ((*at)->memory != memory) free(memory);
    (*at)->ranks++;
    return (*at)->memory;
}

void sino_shared_list_free(const void *list)
{
    SinoSharedList **const at = find_list(list, 0), *const shared = *at;
    if (shared && --shared->ranks > 0) return;
    if (shared) *at = shared->next;
    free(shared);
    free((void *)list);
}

static SinoSimulated the; /* of this copy */

/* The last rank ends the process of all of them, whose threads for messages may still wait for others. */
int starpu_main(int argument_count, char **arguments)
{
    SinoSimulatedRanks *const all = &sino_simulated_ranks;
    (void)argument_count, (void)arguments;
    const int code = the.program(the.argument_count, the.arguments);
    if (code > all->exit_code) all->exit_code = code;
    if (++all->ended < all->count) return code;
    sino_simulated_forget_files();
    (void)fflush(NULL);
    _exit(all->exit_code);
}

/* The environment is that of all ranks, so STARPU_HOSTNAME is put back while nothing else runs. */
static SinoStatus open_costs(const SinoMachineFile *machine, SinoTaskCosts **costs)
{
    const SinoSimulatedRanks *const all = &sino_simulated_ranks;
    if (*all->host)
        setenv("STARPU_HOSTNAME", all->host, 1);
    else
        unsetenv("STARPU_HOSTNAME");
    SinoStatus status = sino_task_costs_open(*all->directory ? all->directory : NULL, machine, costs);
    setenv("STARPU_HOSTNAME", SINO_SIMULATED_HOST, 1);
    return status;
}

SinoStatus sino_simulation_run(const SinoSimulationRequest *request, SinoProgram *program, int argument_count,
                               char **arguments, int *exit_code)
{
    static char *no_arguments[] = {NULL};
    int none = 0;
    SINO_TRY(sino_shared_code_map(sino_simulated_ranks.object));
    SINO_TRY(sino_simulation_check(request));
    the = (SinoSimulated){.machine = sino_simulation_share(request),
                          .files_free_us = &sino_simulated_ranks.files_free_us,
                          .program = program,
                          .argument_count = argument_count,
                          .arguments = arguments};
    snprintf(the.folder, sizeof the.folder, "%s", sino_simulated_ranks.folder);
    SINO_TRY(open_costs(&the.machine, &the.costs));
    sino_simulated_begin(&the);
    _starpu_silent = 1;
    *exit_code = _starpu_mpi_simgrid_init(none, no_arguments);
    return NULL;
}
