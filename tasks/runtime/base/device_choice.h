/* SPDX-License-Identifier: BSD-3-Clause */
/* Device choice: the processing units with which StarPU is started, and those on which a task may run. Private to
 * tasks.
 *
 * A device requested by name that is missing is an error. `all` uses CPU cores, and GPUs by CUDA, as far as they
 * exist. */
#pragma once

#include "device.h"
#include "status.h"

#include <stdbool.h>

#include <starpu.h>

/* Called before StarPU starts: sets the numbers of devices in `conf`. `wanted`: bits of device.h. SINO_BAD_INPUT: this
 * program or this StarPU was built without a device requested by name. */
SinoStatus sino_device_configure(unsigned wanted, struct starpu_conf *conf);

/* Called after StarPU has started: *found has the bits of `wanted` that exist. SINO_BAD_INPUT: a device requested by
 * name does not exist. */
SinoStatus sino_device_find(unsigned wanted, unsigned *found);

/* StarPU's bits of the processing units on which a task may run. Of the units in use (`devices`) these are accelerators
 * for which the codelet has a kernel, and cores if they were requested or no accelerator has a kernel. `host`: cores
 * only. */
int sino_device_where(unsigned devices, const struct starpu_codelet *codelet, bool host);

/* The policy heteroprio keeps waiting tasks in buckets, each for a set of kinds of processing units.
 * sino_device_make_buckets gives every set its bucket, sets of one kind first. The priority of a task is the number of
 * its bucket, sino_device_bucket. */
void sino_device_make_buckets(unsigned scheduling_context);
int sino_device_bucket(int where);
