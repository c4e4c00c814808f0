/* SPDX-License-Identifier: BSD-3-Clause */
/* Device choice: the processing units with which StarPU is started, and those on which a task may run. Private to
 * tasks.
 *
 * A device requested by name that is missing is an error. `all` uses CPU cores, and GPUs by CUDA, as far as they
 * exist. */
#pragma once

#include "device.h"
#include "status.h"

#include <starpu.h>
#include <stdbool.h>

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

/* Policy: the scheduling policy of a run, one that StarPU has or one in a shared object of the user's. */

struct starpu_conf;

typedef struct SinoPolicy {
    char name[64];                   /* without the file */
    void *object;                    /* of dlopen; NULL: StarPU has the policy */
    struct starpu_sched_policy *own; /* in the object; NULL: StarPU has the policy */
} SinoPolicy;

/* Finds a policy by NAME, or in a shared object by FILE.so:NAME. The object defines, as StarPU 1.4 wants it of
 * STARPU_SCHED_LIB,
 *
 *     struct starpu_sched_policy *starpu_get_sched_lib_policy(const char *name);
 *
 * which returns NULL for a name that it does not know, and optionally
 *
 *     struct starpu_sched_policy **starpu_get_sched_lib_policies(void);
 *
 * a list that ends with NULL, for the error message. SINO_BAD_INPUT: there is no such policy, the file is no shared
 * object, lacks the function, or uses another StarPU than this program. */
SinoStatus sino_policy_open(const char *text, SinoPolicy *policy);

/* Whether there is such a policy; errors as of sino_policy_open. */
SinoStatus sino_policy_check(const char *text);

/* The names of the policies that this StarPU has, sorted, and then NULL. The caller frees *names with free(), not the
 * names, which are StarPU's. */
SinoStatus sino_policy_names(const char ***names);

/* Gives StarPU's configuration the policy, which must outlive StarPU's run. */
void sino_policy_configure(const SinoPolicy *policy, struct starpu_conf *conf);

/* After StarPU has stopped. Takes a zeroed policy, too. */
void sino_policy_close(SinoPolicy *policy);
