/* SPDX-License-Identifier: BSD-3-Clause */
/* Policy task: what a scheduling policy in a shared object (--scheduler FILE.so:NAME) can ask about a task. Such a
 * policy needs no other header of sinodag (docs/SCHEDULING.md, docs/policy_longest.c). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct starpu_task;

/* Numbers of a position are −1 where a task has none. Their meaning: docs/GLOSSARY.md. */
typedef struct SinoPolicyTask {
    const char *name;  /* the kind of task, as in profiles: "spmm_project"; constant */
    int64_t slab;      /* slices that are in flight together, from 0 */
    int64_t minibatch; /* slices that each task takes together, from 0 in each slab; a chain of tasks */
    int64_t partition; /* the share of a slice's voxels, or of a matrix's rows */
    int64_t iteration; /* from 0; the solver's start has none */
    double work; /* measure of the task's time, for tasks of one name: of SpMM nonzeros times slices; 0: unknown */
    bool host;   /* only cores run it */
    int64_t data_bytes;  /* of all data that the task accesses, in lines of 64 bytes */
    int64_t block_bytes; /* the largest of them: a block of the operator for products */
} SinoPolicyTask;

/* Describes a task to `about`. False: it is one of StarPU's own tasks; `about` is untouched. Any thread may call it
 * between the push of the task and its end. */
bool sino_policy_task(const struct starpu_task *task, SinoPolicyTask *about);
