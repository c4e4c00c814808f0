/* SPDX-License-Identifier: BSD-3-Clause */
/* Policies of a sweep: the names of --schedulers; of all that StarPU has, those that a small run works with. */
#include "sweep.h"

#include "device_choice.h"

#include <stdlib.h>
#include <string.h>

static SinoStatus add(SinoSweep *sweep, const char *name, size_t length)
{
    for (int64_t i = 0; i < sweep->scheduler_count; i++)
        SINO_CHECK(strlen(sweep->scheduler[i]) != length || strncmp(sweep->scheduler[i], name, length) != 0,
                   SINO_BAD_INPUT, "--schedulers is '%s', which has %.*s twice; allowed: different names",
                   sweep->settings->sweep.schedulers, (int)length, name);
    char **longer = reallocarray(sweep->scheduler, (size_t)sweep->scheduler_count + 1, sizeof *longer);
    if (longer) sweep->scheduler = longer;
    char *copy = strndup(name, length);
    if (longer && copy) {
        sweep->scheduler[sweep->scheduler_count++] = copy;
        return NULL;
    }
    free(copy);
    return sino_error(SINO_FAILED, "no memory for names of policies");
}

static SinoStatus leave_out(SinoSweep *sweep, const char *name, const char *message)
{
    char *longer = NULL;
    const char *reason = *message ? message : "it says nothing", *before = sweep->left_out ? sweep->left_out : "";
    sino_log_warning(sweep->log, "policy", "%s is left out: it does not run here: %s", name, reason);
    SINO_CHECK(asprintf(&longer, "%sleft out: %s: %s\n", before, name, reason) >= 0, SINO_FAILED,
               "no memory for names of policies");
    free(sweep->left_out);
    sweep->left_out = longer;
    return NULL;
}

/* A run of a scan of 16 columns, by which a policy shows that it works with the first set of devices. */
static SinoStatus try_policy(SinoSweep *sweep, const char *name, bool *works)
{
    SinoSweepChild child;
    SinoSweepCase of = {.columns = 16,
                        .angles = 8,
                        .slices = 1,
                        .devices = (unsigned)sweep->settings->sweep.device_sets.value[0],
                        .precision = SINO_SINGLE};
    snprintf(of.scheduler, sizeof of.scheduler, "%s", name);
    SINO_TRY(sino_sweep_recon(sweep, &of, "frozen", "trial", 0, &child));
    *works = child.end.exit_code == 0;
    return *works ? NULL : leave_out(sweep, name, child.end.message);
}

static SinoStatus add_all(SinoSweep *sweep)
{
    const char **names = NULL;
    SINO_TRY(sino_policy_names(&names));
    SinoStatus status = NULL;
    for (int64_t i = 0; !status && names[i]; i++) {
        bool works = true;
        if (sweep->settings->sweep.simulation != SINO_SIMULATION_ONLY) status = try_policy(sweep, names[i], &works);
        if (!status && works) status = add(sweep, names[i], strlen(names[i]));
    }
    free(names);
    return status;
}

static SinoStatus add_named(SinoSweep *sweep, const char *name, size_t length)
{
    char text[sizeof((SinoSweepCase *)0)->scheduler];
    if (length == 3 && strncmp(name, "all", 3) == 0) return add_all(sweep);
    SINO_CHECK(length > 0 && length < sizeof text, SINO_BAD_INPUT,
               "--schedulers is '%s'; allowed: all, or names of 1 to %zu bytes, separated by commas",
               sweep->settings->sweep.schedulers, sizeof text - 1);
    snprintf(text, sizeof text, "%.*s", (int)length, name);
    SINO_TRY(sino_policy_check(text));
    return add(sweep, name, length);
}

SinoStatus sino_sweep_policies(SinoSweep *sweep)
{
    const SinoCountList *sets = &sweep->settings->sweep.device_sets;
    const bool cores = sets->count == 1 && sets->value[0] == SINO_DEVICE_CPU;
    const char *list = sweep->settings->sweep.schedulers ? sweep->settings->sweep.schedulers
                       : cores                           ? "lws"
                                                         : "lws,dmdas";
    for (const char *at = list;; at++) {
        const size_t length = strcspn(at, ",");
        SINO_TRY(add_named(sweep, at, length));
        at += length;
        if (*at == '\0') return NULL;
    }
}
