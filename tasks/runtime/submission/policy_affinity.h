/* SPDX-License-Identifier: BSD-3-Clause */
/* Policy affinity, `--scheduler sino-affinity`: each partition of each minibatch has a device, its home. Its products
 * run there, so that its block of the operator and its vectors never move. docs/lab/policies.md has figures. */
#pragma once

struct starpu_sched_policy;

extern struct starpu_sched_policy sino_policy_affinity;
