/* SPDX-License-Identifier: BSD-3-Clause */
/* Command line, devices: what tests of reconstructions on devices share. SINODAG_TEST_DEVICE names the devices: opencl
 * (the default), where PoCL uses the cores; cuda; or simt, where the host plays CUDA GPUs. */
#pragma once

#include "cli.h"

enum { CLI_DEVICE_SKIPPED = 77 }; /* a program's exit code where there are no devices */

/* One kind of devices, and how StarPU and the profile call them. */
typedef struct CliDeviceKind {
    const char *name, *device, *with_cores, *place, *node;
    const char *one_device; /* the variable that makes it one */
    const char *least_memory,
        *little_memory; /* the environment: too little for any task, and for all of them at once */
    /* A scan of which no device of little memory holds all data, and iterations in which they come and go. */
    int large_size, large_angles;
    const char *large_words;
} CliDeviceKind;

const CliDeviceKind *cli_device_kind(void);

/* Whether it builds the operator, and has kernels for every other task, too. */
bool cli_device_is_cuda(void);

/* Whether there are such devices; otherwise says why there are none. */
bool cli_device_found(void);

/* The volume of scan.h5, of `slices` slices of `size` columns, that these devices compute, which works. The caller
 * frees both it and the run. */
float *cli_device_volume(const char *directory, int slices, int size, const char *environment, const char *device,
                         const char *words, CliRun *run);

/* Tasks of a name that ran on devices of a kind, `place` of CliDeviceKind, or on cores, "   "; 0: none. */
int64_t cli_device_tasks_on(const CliRun *run, const char *name, const char *place);

/* Whether something went between main memory and one of two devices, of which the other may have had nothing to do. */
bool cli_device_has_transfers(const CliRun *run, bool to_device);

/* An amount of memory, as the log tells it after some text. */
double cli_device_bytes_after(const char *line, const char *text);

/* Bytes that went from main memory to all devices. */
double cli_device_bytes_received(const CliRun *run);
