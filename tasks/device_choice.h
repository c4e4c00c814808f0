/* SPDX-License-Identifier: BSD-3-Clause */
/* Device choice: which processing units StarPU is started with, and which of them a task may run on. Private to tasks.
 *
 * What is asked for by name and is not there is refused. `all` takes what there is: CPU cores, and GPUs by CUDA. */
#ifndef SINO_DEVICE_CHOICE_H
#define SINO_DEVICE_CHOICE_H

#include "device.h"
#include "status.h"

#include <stdbool.h>

#include <starpu.h>

/* Before StarPU starts: the numbers of devices to look for. `wanted`: bits of device.h. SINO_BAD_INPUT: this program or
 * this StarPU was built without them. */
SinoStatus sino_device_configure(unsigned wanted, struct starpu_conf *conf);

/* After it has started: what there is of it. SINO_BAD_INPUT: a device asked for by name was not found. */
SinoStatus sino_device_find(unsigned wanted, unsigned *found);

/* StarPU's bits of the processing units for a task: of those in use, accelerators when the codelet has a kernel for
 * them, cores when they were asked for or it has none. `host`: cores only. */
int sino_device_where(unsigned devices, const struct starpu_codelet *codelet, bool host);

/* For the policy heteroprio, whose tasks wait in buckets that are for some processing units each: gives every set of
 * them its bucket, those of one kind alone first. A task's priority is its bucket's number. */
void sino_device_make_buckets(unsigned scheduling_context);
int sino_device_bucket(int where);

#endif
