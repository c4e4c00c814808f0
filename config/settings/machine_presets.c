/* SPDX-License-Identifier: BSD-3-Clause */
/* Machine presets: machines with a name.
 *
 * Rates of products are those of sinodag where they are known: cores reach half of their peak of multiply-adds
 * (docs/lab/kernels.md), and GPUs 0.28 of their peak in single precision, which is the 19 of 67 TFLOP/s that
 * docs/lab/gpu_models.md predicts for an H100; no GPU of this table has been measured. Memory gives 0.8 of the
 * bandwidth in a data sheet. Times of a task without work are assumed: 2 µs on a core (docs/lab/nodes.md), 10 µs on a
 * device. A device takes a core that drives it. */
#include "machine_file.h"
#include "platform.h"

#include <stdio.h>
#include <string.h>

/* One core of today's servers, measured in docs/lab/kernels.md; network and files are assumed: 100 Gbit/s, 1 GB/s. */
static const SinoMachineFile usual = {
    .nodes = 1,
    .core = {.gflops = 50, .memory_gbps = 20, .task_us = 2},
    .network = {.gbps = 12.5, .latency_us = 10},
    .socket_gbps = 20,
    .node_gbps = 20,
    .file_gbps = 1,
};

/* NVIDIA's DGX H100 and DGX H200 (data sheets): two Xeon Platinum 8480C of 56 cores, 2 TB of DDR5-4800 in 8 channels of
 * a socket (614 GB/s in all); eight GPUs with 67 TFLOP/s in single precision, 80 GB at 3.35 TB/s or 141 GB at 4.8 TB/s;
 * NVLink 450 GB/s each way; PCIe 5.0 x16, of which 55 of 63 GB/s arrive; eight ConnectX-7 of 400 Gbit/s. A core: peak
 * 2.0 GHz × 64 flops. Latencies are assumed. */
#define DGX                                                                                                            \
    .nodes = 1, .core = {.gflops = 64, .memory_gbps = 4.4, .task_us = 2}, .device_kind = SINO_DEVICE_CUDA,             \
    .host_device = {.gbps = 55, .latency_us = 10}, .device_device = {.gbps = 360, .latency_us = 10},                   \
    .socket_gbps = 4.4, .node_gbps = 80, .file_gbps = 20
#define H100 .device_bytes = 80000000000, .device = {.gflops = 19000, .memory_gbps = 2680, .task_us = 10}
#define H200 .device_bytes = 141000000000, .device = {.gflops = 19000, .memory_gbps = 3840, .task_us = 10}

static const SinoMachineFile presets[] = {
    /* An eighth of a DGX H100. */
    {DGX, H100, .name = "h100x1", .sockets = 1, .cores = 13, .memory_bytes = 256000000000, .device_count = 1,
     .host_gbps = 55, .network = {.gbps = 45, .latency_us = 5}},
    {DGX, H100, .name = "h100x8", .sockets = 2, .cores = 104, .memory_bytes = 2048000000000, .device_count = 8,
     .host_gbps = 440, .network = {.gbps = 360, .latency_us = 5}},
    {DGX, H200, .name = "h200x8", .sockets = 2, .cores = 104, .memory_bytes = 2048000000000, .device_count = 8,
     .host_gbps = 440, .network = {.gbps = 360, .latency_us = 5}},
    /* StarPU's tools/perfmodels/README: two Xeon X5650 of 6 cores (2.67 GHz × 8 flops; 32 GB/s of memory a socket),
     * three Tesla M2070 (1.03 TFLOP/s, 150 GB/s). Links and the memory of a device are those of its mirage.bandwidth,
     * mirage.latency and mirage.platform.v4.xml. Main memory and network are assumed. */
    {.name = "mirage",
     .nodes = 1,
     .sockets = 2,
     .cores = 9,
     .memory_bytes = 36000000000,
     .core = {.gflops = 10.7, .memory_gbps = 4.3, .task_us = 2},
     .device_kind = SINO_DEVICE_CUDA,
     .device_count = 3,
     .device_bytes = 5636554752,
     .device = {.gflops = 290, .memory_gbps = 120, .task_us = 10},
     .host_device = {.gbps = 6.02, .latency_us = 9.8},
     .device_device = {.gbps = 3.07, .latency_us = 24},
     .host_gbps = 6.52,
     .network = {.gbps = 3.2, .latency_us = 10},
     .socket_gbps = 4.3,
     .node_gbps = 12,
     .file_gbps = 1},
    /* StarPU's sirocco: two Xeon E5-2680 v3 of 12 cores (2.5 GHz × 32 flops; 68 GB/s of memory a socket), four K40M
     * (4.29 TFLOP/s, 288 GB/s). Links and the memory of a device as above, of sirocco. */
    {.name = "sirocco",
     .nodes = 1,
     .sockets = 2,
     .cores = 20,
     .memory_bytes = 128000000000,
     .core = {.gflops = 40, .memory_gbps = 4.5, .task_us = 2},
     .device_kind = SINO_DEVICE_CUDA,
     .device_count = 4,
     .device_bytes = 12079136768,
     .device = {.gflops = 1200, .memory_gbps = 230, .task_us = 10},
     .host_device = {.gbps = 10.5, .latency_us = 10.3},
     .device_device = {.gbps = 7.65, .latency_us = 23},
     .host_gbps = 10.5,
     .network = {.gbps = 5, .latency_us = 10},
     .socket_gbps = 4.5,
     .node_gbps = 30,
     .file_gbps = 1},
    /* A node of Summit with six V100. Rates of devices are of M. Hidayetoğlu et al., "Petascale XCT" (SC 2020, Sec. IV:
     * 75 TFLOP/s in mixed precision on 24 of them; memory 900 GB/s; NVLink 50 GB/s each way, X bus 64 GB/s both ways
     * together). Network and files are not given there and are assumed. POWER9: 21 cores of a socket are free (3.07 GHz
     * × 16 flops; 170 GB/s of memory a socket); 512 GB. */
    {.name = "summit",
     .nodes = 1,
     .sockets = 2,
     .cores = 36,
     .memory_bytes = 512000000000,
     .core = {.gflops = 24.5, .memory_gbps = 6.5, .task_us = 2},
     .device_kind = SINO_DEVICE_CUDA,
     .device_count = 6,
     .device_bytes = 16000000000,
     .device = {.gflops = 3125, .memory_gbps = 900, .task_us = 10},
     .host_device = {.gbps = 50, .latency_us = 10},
     .device_device = {.gbps = 50, .latency_us = 10},
     .host_gbps = 270,
     .network = {.gbps = 25, .latency_us = 10},
     .socket_gbps = 50,
     .node_gbps = 32,
     .file_gbps = 100},
};

const char *sino_machine_presets(void)
{
    return "here, usual, h100x1, h100x8, h200x8, mirage, sirocco, summit";
}

bool sino_machine_preset(const char *name, SinoMachineFile *machine)
{
    if (strcmp(name, "here") == 0 || strcmp(name, "usual") == 0) {
        *machine = usual;
        snprintf(machine->name, sizeof machine->name, "%s", name);
        machine->cores = sino_platform_core_count();
        machine->sockets = sino_platform_socket_count();
        machine->memory_bytes = sino_platform_available_bytes();
        return true;
    }
    for (size_t i = 0; i < sizeof presets / sizeof *presets; i++) {
        if (strcmp(name, presets[i].name) != 0) continue;
        *machine = presets[i];
        return true;
    }
    return false;
}
