/* SPDX-License-Identifier: BSD-3-Clause */
/* Policy: the scheduling policy of a run, one that StarPU has or one in a shared object of the user's. */
#pragma once

#include "status.h"

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
