/* SPDX-License-Identifier: BSD-3-Clause */
/* Simulation: a program whose StarPU was built over SimGrid (`./run simulator`) runs task graphs in virtual time, on a
 * machine that need not be here. A task does nothing and takes the time that it is expected to take (models.h); data
 * have addresses, but no pages. Everything that differs from a usual program is behind these functions, which are
 * trivial there. */
#pragma once

#include "data.h"
#include "models.h"

#include <stdbool.h>

#ifdef SINO_SIMGRID
enum { SINO_SIMULATES = 1 };
#else
enum { SINO_SIMULATES = 0 };
#endif

/* The program, from the command line to the exit code. */
typedef int SinoProgram(int argument_count, char **arguments);

/* What is simulated; nothing is owned. */
typedef struct SinoSimulationRequest {
    const SinoMachineFile *machine;
    int64_t workers;        /* of each rank; 0: all of its cores */
    bool devices;           /* the ranks use the machine's devices */
    int64_t ranks;          /* 1 or more */
    int64_t ranks_per_node; /* that share cores, devices and memory of a node alike */
    const char *launcher;   /* program that starts several ranks; NULL: there is none */
} SinoSimulationRequest;

/* No exit code of the program: SimGrid has seen that nothing goes on, and has ended before the program did. */
enum { SINO_STANDSTILL = -1 };

/* Runs the program in a simulation; *exit_code: what the program returned, or SINO_STANDSTILL. Called by main, before
 * threads; once. With several ranks this process becomes the launcher, so that the function returns with errors only;
 * each rank then calls it again, in the launcher. Errors: those of sino_simulation_check. SINO_FAILED: a temporary
 * directory for the description of the machine cannot be made. */
SinoStatus sino_simulation_run(const SinoSimulationRequest *request, SinoProgram *program, int argument_count,
                               char **arguments, int *exit_code);

/* SINO_BAD_INPUT: more workers than a rank has cores, or than this StarPU was built for, likewise devices; more ranks
 * than the machine's nodes take; devices that the ranks of a node cannot share alike; several ranks without a launcher.
 * SINO_FAILED: this is a usual program. */
SinoStatus sino_simulation_check(const SinoSimulationRequest *request);

/* The command line of a rank, which is not what main gets; otherwise both stay. */
void sino_simulation_arguments(int *argument_count, char ***arguments);

/* The node of a machine as one of the ranks on it sees it. */
SinoMachineFile sino_simulation_share(const SinoSimulationRequest *request);

/* The machine that is simulated, of several ranks the share of each, within sino_simulation_run; else NULL. */
const SinoMachineFile *sino_simulation_machine(void);

/* Names of the patches (config/starpu) of the StarPU with which the program was built; NULL ends them. */
extern const char *const sino_starpu_patches[];

/* Whether the simulated devices have a kernel of a kind of task that has these. StarPU's simulated CUDA devices play
 * those of any kind. */
bool sino_simulation_has_kernel(bool cuda, bool opencl);

/* SINO_BAD_INPUT: the shared object with a policy, which dlopen has returned, waits by locks of the system, which never
 * end in a simulation. A usual program takes any. */
SinoStatus sino_simulation_check_policy(const char *path, void *object);

/* Cores that a runtime may use: of this process, or of the simulated machine. */
int64_t sino_runtime_core_count(void);

/* Seconds since some moment: of a monotonic clock, or of virtual time. */
double sino_runtime_now_s(void);

/* Addresses for data: memory; in a simulation only addresses, whose pages exist once they are written. */
void *sino_data_addresses(int64_t bytes);
void sino_data_addresses_free(void *memory, int64_t bytes); /* takes NULL */

/* Lists that are only read: of several simulated ranks one copy of equal ones. Takes memory of sino_allocate, and gives
 * it back, or what another rank has given. Both take NULL. */
const void *sino_shared_list(void *memory, int64_t bytes);
void sino_shared_list_free(const void *list);

/* In a simulation: the thread that submits sleeps until at_s after its begin. Tasks that it submits from then on are
 * released at that time. Nothing, if they already are. SINO_FAILED: no memory, or this is a usual program. */
SinoStatus sino_simulation_await(SinoRuntime *runtime, double at_s);

/* ---- what a simulation has counted ---- */

enum { SINO_SIMULATED_KINDS_MAX = 64, SINO_SIMULATED_NODES_MAX = 64 };

/* Tasks of one name on one kind of processor. */
typedef struct SinoSimulatedKind {
    const char *name;
    unsigned device; /* SINO_DEVICE_… */
    int64_t count, by_source[SINO_COST_SOURCES];
    double seconds;
} SinoSimulatedKind;

/* Memory of a node of StarPU's: of the machine, or of a device. */
typedef struct SinoSimulatedNode {
    char name[32];
    int64_t most_bytes; /* in use at a time */
} SinoSimulatedNode;

typedef struct SinoSimulatedLink {
    char from[32], to[32];
    int64_t count, bytes;
} SinoSimulatedLink;

/* Messages that a rank has sent. Times are from the data being ready to the arrival. */
typedef struct SinoSimulatedMessages {
    int64_t count, bytes;
    double seconds;
} SinoSimulatedMessages;

/* Times that no order of the tasks beats, whatever the policy: tasks begin when they are released, and workers compute
 * what is released later in any shares (area), or one after another what depends on each other (path). */
typedef struct SinoSimulatedBounds {
    double area_s, path_s;
} SinoSimulatedBounds;

typedef struct SinoSimulationCounts {
    double makespan_s, building_s; /* virtual: of all tasks; of those that build the operator */
    double task_s;                 /* of all workers */
    double between_s;              /* of all cores: what StarPU needs between tasks */
    int64_t worker_count, core_count, device_count;
    int64_t task_count, by_source[SINO_COST_SOURCES];
    double error; /* by which part the sum of the times of tasks is expected to differ, if all tasks err alike */
    int64_t kind_count, node_count, link_count;
    SinoSimulatedKind kind[SINO_SIMULATED_KINDS_MAX]; /* longest sums first */
    SinoSimulatedNode node[SINO_SIMULATED_NODES_MAX];
    SinoSimulatedLink *link; /* [link_count]: those that were used; the caller frees it */
    SinoSimulatedMessages messages;
    SinoSimulatedBounds bounds;
    SinoLateness lateness; /* of what sino_simulation_await has released */
} SinoSimulationCounts;

/* What tasks have counted so far; no task may be in flight. SINO_FAILED: no memory, or this is a usual program. */
SinoStatus sino_simulation_counts(SinoRuntime *runtime, SinoSimulationCounts *counts);
