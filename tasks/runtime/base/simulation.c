/* SPDX-License-Identifier: BSD-3-Clause */
/* Simulation: what runs in every program: the clock, the cores, the addresses of data. */
#include "simulation.h"

#include "memory.h"
#include "platform.h"
#include "runtime_private.h"

#include <stdlib.h>

#if __has_include(<starpu_patches.h>)
#include <starpu_patches.h>
const char *const sino_starpu_patches[] = {STARPU_PATCHES, NULL};
#else
const char *const sino_starpu_patches[] = {NULL};
#endif

double sino_runtime_now_s(void)
{
    return SINO_SIMULATES ? 1e-6 * starpu_timing_now() : sino_platform_now_s();
}

int64_t sino_runtime_core_count(void)
{
    const SinoMachineFile *machine = sino_simulation_machine();
    return machine ? machine->cores : sino_platform_core_count();
}

void *sino_data_addresses(int64_t bytes)
{
    if (SINO_SIMULATES) return sino_reserve(bytes);
    return starpu_cuda_worker_get_count() > 0 ? sino_allocate_pages(bytes) : sino_allocate_large(bytes);
}

void sino_data_addresses_free(void *memory, int64_t bytes)
{
    if (SINO_SIMULATES)
        sino_release(memory, bytes);
    else
        sino_free_large(memory);
}

SinoMachineFile sino_simulation_share(const SinoSimulationRequest *request)
{
    SinoMachineFile share = *request->machine;
    share.cores /= request->ranks_per_node;
    share.device_count = request->devices ? share.device_count / request->ranks_per_node : 0;
    share.memory_bytes /= request->ranks_per_node;
    if (request->workers > 0) share.cores = request->workers;
    return share;
}

#ifndef SINO_SIMULATED_RANK

void sino_simulation_arguments(int *argument_count, char ***arguments)
{
    (void)argument_count, (void)arguments;
}

const void *sino_shared_list(void *memory, int64_t bytes)
{
    (void)bytes;
    return memory;
}

void sino_shared_list_free(const void *list)
{
    free((void *)list);
}

#endif

#ifndef SINO_SIMGRID

static SinoStatus usual_program(void)
{
    return sino_error(SINO_FAILED, "this program was not built for simulations");
}

SinoStatus sino_simulation_check(const SinoSimulationRequest *request)
{
    (void)request;
    return usual_program();
}

SinoStatus sino_simulation_run(const SinoSimulationRequest *request, SinoProgram *program, int argument_count,
                               char **arguments, int *exit_code)
{
    (void)request, (void)program, (void)argument_count, (void)arguments, (void)exit_code;
    return usual_program();
}

const SinoMachineFile *sino_simulation_machine(void)
{
    return NULL;
}

SinoStatus sino_simulation_check_policy(const char *path, void *object)
{
    (void)path, (void)object;
    return NULL;
}

SinoStatus sino_simulation_await(SinoRuntime *runtime, double at_s)
{
    (void)runtime, (void)at_s;
    return usual_program();
}

SinoStatus sino_simulation_counts(SinoRuntime *runtime, SinoSimulationCounts *counts)
{
    (void)runtime, (void)counts;
    return usual_program();
}

SinoStatus sino_simulation_begin(SinoRuntime *runtime)
{
    (void)runtime;
    return NULL;
}

void sino_simulation_submitted(struct starpu_task *task, const SinoAccesses *accesses)
{
    (void)task, (void)accesses;
}

void sino_simulation_ended(SinoRuntime *runtime, struct starpu_task *task)
{
    (void)runtime, (void)task;
}

bool sino_simulation_time(struct starpu_task *task, bool on_device, SinoSimulatedTime *time)
{
    (void)task, (void)on_device, (void)time;
    return false;
}

void sino_simulation_end(SinoRuntime *runtime)
{
    (void)runtime;
}

void sino_simulation_model(struct starpu_perfmodel *model)
{
    (void)model;
}

#endif
