/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzzing: the YAML file of a machine. What is read is in range. */
#include "fuzz.h"
#include "machine_file.h"

#include <math.h>

static bool is_rate(double value)
{
    return value >= 1e-9 && value <= 1e9;
}

static bool is_whole(const SinoMachineFile *machine)
{
    const bool cores = machine->nodes >= 1 && machine->sockets >= 1 && machine->cores >= 1 &&
                       machine->memory_bytes >= 1 << 20 && is_rate(machine->core.gflops) &&
                       is_rate(machine->core.memory_gbps) && isfinite(machine->core.task_us);
    const bool links = is_rate(machine->network.gbps) && is_rate(machine->socket_gbps) && is_rate(machine->node_gbps) &&
                       is_rate(machine->file_gbps);
    const bool devices = machine->device_kind == 0
                             ? machine->device_count == 0
                             : machine->device_count >= 1 && machine->device_bytes >= 1 << 20 &&
                                   is_rate(machine->device.gflops) && is_rate(machine->device.memory_gbps) &&
                                   is_rate(machine->host_device.gbps) && is_rate(machine->host_gbps);
    return cores && links && devices && machine->name[0] != '\0';
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    SinoMachineFile machine;
    SinoStatus status = sino_machine_file_open("--machine", fuzz_file(0, data, size), &machine);
    fuzz_require(status || is_whole(&machine));
    sino_status_free(status);
    return 0;
}
