/* SPDX-License-Identifier: BSD-3-Clause */
/* Policy: StarPU's by name, sinodag's own, or one of a shared object. */
#include "device_choice.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "policy_queue.h"
#include "runtime_private.h"

typedef struct starpu_sched_policy *(*FindPolicy)(const char *name);
typedef struct starpu_sched_policy **(*ListPolicies)(void);

enum { KNOWN_BYTES = 512 };

/* Policies of sinodag, which every StarPU can have. */
static struct starpu_sched_policy *const ours[] = {&sino_policy_affinity};
enum { OURS = sizeof ours / sizeof *ours };

/* " a b c" */
static void list_names(struct starpu_sched_policy **policy, char known[KNOWN_BYTES])
{
    known[0] = '\0';
    for (; policy && *policy; policy++) {
        const size_t used = strlen(known);
        snprintf(known + used, KNOWN_BYTES - used, " %s", (*policy)->policy_name);
    }
}

static SinoStatus find_predefined(const char *name, struct starpu_sched_policy **own)
{
    char known[KNOWN_BYTES];
    struct starpu_sched_policy **all = starpu_sched_get_predefined_policies();
    for (int i = 0; i < OURS; i++)
        if (strcmp(ours[i]->policy_name, name) == 0) *own = ours[i];
    if (*own) return NULL;
    for (struct starpu_sched_policy **policy = all; *policy; policy++)
        if (strcmp((*policy)->policy_name, name) == 0) return NULL;
    list_names(all, known);
    return sino_error(SINO_BAD_INPUT,
                      "scheduler is '%s'; this StarPU has:%s; allowed, too: sino-affinity, FILE.so:NAME", name, known);
}

/* A function of the object. ISO C has no conversion between pointers to objects and to functions; POSIX has. */
static void look_up(void *object, const char *name, size_t bytes, void *function)
{
    void *const found = dlsym(object, name);
    memcpy(function, &found, bytes);
}

/* An object that was linked to another StarPU would schedule tasks of a runtime that nobody started. */
static SinoStatus check_starpu(const char *path, void *object)
{
    int (*theirs)(struct starpu_task *);
    look_up(object, "starpu_task_submit", sizeof theirs, &theirs);
    SINO_CHECK(!theirs || theirs == starpu_task_submit, SINO_BAD_INPUT,
               "scheduler: %s is linked to another StarPU than this program, which has %d.%d.%d", path,
               STARPU_MAJOR_VERSION, STARPU_MINOR_VERSION, STARPU_RELEASE_VERSION);
    return NULL;
}

/* StarPU calls these without looking whether they are there. */
static SinoStatus check_functions(const char *path, const SinoPolicy *policy)
{
    const struct starpu_sched_policy *const own = policy->own;
    const char *const missing = !own->init_sched  ? "init_sched"
                                : !own->push_task ? "push_task"
                                : !own->pop_task  ? "pop_task"
                                                  : NULL;
    SINO_CHECK(!missing, SINO_BAD_INPUT, "scheduler: policy '%s' of %s has no function %s", policy->name, path,
               missing);
    return NULL;
}

static SinoStatus find_own(const char *path, SinoPolicy *policy)
{
    FindPolicy find;
    ListPolicies list;
    char known[KNOWN_BYTES] = "";
    SINO_TRY(check_starpu(path, policy->object));
    SINO_TRY(sino_simulation_check_policy(path, policy->object));
    look_up(policy->object, "starpu_get_sched_lib_policy", sizeof find, &find);
    look_up(policy->object, "starpu_get_sched_lib_policies", sizeof list, &list);
    SINO_CHECK(find, SINO_BAD_INPUT, "scheduler: %s has no function starpu_get_sched_lib_policy", path);
    policy->own = find(policy->name);
    if (policy->own) return check_functions(path, policy);
    if (list) list_names(list(), known);
    return sino_error(SINO_BAD_INPUT, "scheduler: %s has no policy '%s'%s%s", path, policy->name,
                      known[0] ? "; it has:" : "", known);
}

/* The last colon ends the path of the file, which may have others. */
static SinoStatus open_own(const char *text, const char *colon, SinoPolicy *policy)
{
    char path[4096];
    const size_t length = (size_t)(colon - text);
    SINO_CHECK(length + 3 <= sizeof path, SINO_BAD_INPUT, "scheduler: a path of %zu bytes; allowed: at most %zu",
               length, sizeof path - 3);
    /* Without a slash dlopen would look in the directories of the system, and not here. */
    snprintf(path, sizeof path, "%s%.*s", memchr(text, '/', length) ? "" : "./", (int)length, text);
    policy->object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    SINO_CHECK(policy->object, SINO_BAD_INPUT, "scheduler: %s", dlerror());
    SinoStatus status = find_own(path, policy);
    if (status) sino_policy_close(policy);
    return status;
}

SinoStatus sino_policy_open(const char *text, SinoPolicy *policy)
{
    const char *const colon = strrchr(text, ':'), *const name = colon ? colon + 1 : text;
    *policy = (SinoPolicy){.object = NULL};
    SINO_CHECK(*name && strlen(name) < sizeof policy->name, SINO_BAD_INPUT,
               "scheduler is '%s'; allowed: NAME or FILE.so:NAME, NAME of at most %zu bytes", text,
               sizeof policy->name - 1);
    snprintf(policy->name, sizeof policy->name, "%s", name);
    return colon ? open_own(text, colon, policy) : find_predefined(name, &policy->own);
}

SinoStatus sino_policy_check(const char *text)
{
    SinoPolicy policy;
    SINO_TRY(sino_policy_open(text, &policy));
    sino_policy_close(&policy);
    return NULL;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

SinoStatus sino_policy_names(const char ***names)
{
    struct starpu_sched_policy **all = starpu_sched_get_predefined_policies();
    int64_t count = 0;
    const char **list = NULL;
    while (all[count]) count++;
    SINO_TRY(sino_allocate(count + OURS + 1, sizeof *list, "names of policies", &list));
    for (int64_t i = 0; i < count; i++) list[i] = all[i]->policy_name;
    for (int i = 0; i < OURS; i++) list[count++] = ours[i]->policy_name;
    qsort(list, (size_t)count, sizeof *list, compare_names);
    *names = list;
    return NULL;
}

void sino_policy_configure(const SinoPolicy *policy, struct starpu_conf *conf)
{
    conf->sched_policy = policy->own;
    conf->sched_policy_name = policy->own ? NULL : policy->name;
}

void sino_policy_close(SinoPolicy *policy)
{
    if (policy->object) (void)dlclose(policy->object);
    *policy = (SinoPolicy){.object = NULL};
}
