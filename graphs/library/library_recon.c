/* SPDX-License-Identifier: BSD-3-Clause */
/* Library, reconstructions: recon of the arrays of a caller. */
#include "library.h"
#include "library_devices.h"
#include "library_operator.h"
#include "recon.h"

#include "memory_scan.h"
#include "scan_limits.h"

#include <inttypes.h>
#include <math.h>

/* Names of files, files that are written, and what belongs to the runtime. */
static const char *const denied[] = {"file-name",
                                     "theta",
                                     "dataset",
                                     "theta-dataset",
                                     "theta-unit",
                                     "axes",
                                     "flats",
                                     "darks",
                                     "columns",
                                     "follow",
                                     "follow-timeout",
                                     "system-matrix",
                                     "multiplicative",
                                     "additive",
                                     "sensitivity",
                                     "start",
                                     "mask",
                                     "reconstruction-type",
                                     "sweep",
                                     "workers",
                                     "device",
                                     "scheduler",
                                     "models",
                                     "stall-limit",
                                     "graph",
                                     "profile",
                                     "trace",
                                     "grid",
                                     "topology",
                                     "communication",
                                     "overlap",
                                     "node-weights",
                                     "out",
                                     "save-format",
                                     "compression",
                                     "output-type",
                                     "output-range",
                                     "post-filter",
                                     "save-every",
                                     "halves",
                                     "pictures",
                                     "report",
                                     "resume",
                                     "overwrite",
                                     "config",
                                     "log",
                                     "help",
                                     "tune",
                                     NULL};
static const char *const own[] = {"pictures=no", "report=none", NULL};
const SinoLibrarySettings sino_library_recon = {.what = "a reconstruction in memory", .denied = denied, .own = own};

/* `of` data NULL: there are no images, unless they are needed. */
static SinoStatus use(const char *what, bool needed, const SinodagArray *of, SinoMemoryImages *images)
{
    static const int64_t bytes[] = {
        [SINODAG_FLOAT32] = 4, [SINODAG_FLOAT64] = 8, [SINODAG_UINT8] = 1, [SINODAG_UINT16] = 2};
    static const SinoMemoryType type[] = {[SINODAG_FLOAT32] = SINO_MEMORY_FLOAT32,
                                          [SINODAG_FLOAT64] = SINO_MEMORY_FLOAT64,
                                          [SINODAG_UINT8] = SINO_MEMORY_UINT8,
                                          [SINODAG_UINT16] = SINO_MEMORY_UINT16};
    const int64_t *size = of->size;
    *images = (SinoMemoryImages){0};
    SINO_CHECK(of->data || !needed, SINO_BAD_INPUT, "%s have no data; allowed: an array", what);
    if (!of->data) return NULL;
    SINO_CHECK(of->volumes == 0 || of->volumes == 1, SINO_BAD_INPUT, "%s are of %" PRId64 " volumes; allowed: 0 or 1",
               what, of->volumes);
    SINO_CHECK((unsigned)of->type < sizeof type / sizeof *type, SINO_BAD_INPUT,
               "%s are of type %d; allowed: SINODAG_FLOAT32, SINODAG_FLOAT64, SINODAG_UINT8, SINODAG_UINT16", what,
               (int)of->type);
    SINO_TRY(sino_library_check_device(what, of));
    SINO_CHECK(size[0] >= 1 && size[0] <= SINO_IMAGES_MAX && size[1] >= 1 && size[1] <= SINO_SIDE_MAX && size[2] >= 1 &&
                   size[2] <= SINO_SIDE_MAX,
               SINO_BAD_INPUT, "%s have the sizes (%" PRId64 ", %" PRId64 ", %" PRId64 "); allowed: 1 to %d of each",
               what, size[0], size[1], size[2], SINO_SIDE_MAX);
    SINO_CHECK((uintptr_t)of->data % (uintptr_t)bytes[of->type] == 0, SINO_BAD_INPUT,
               "%s begin at an address that is no multiple of the size of their elements; allowed: aligned arrays",
               what);
    *images = (SinoMemoryImages){.type = type[of->type], .first = of->data, .size = {size[0], size[1], size[2]}};
    return sino_library_steps(what, of, bytes[of->type], images->step);
}

static SinoStatus use_scan(const SinodagScan *scan, SinoMemoryScan *used)
{
    SINO_CHECK(scan, SINO_BAD_INPUT, "there is no scan; allowed: the address of one");
    SINO_TRY(use("the projections", true, &scan->projections, &used->projections));
    SINO_TRY(use("the flats", false, &scan->flats, &used->flats));
    SINO_TRY(use("the darks", false, &scan->darks, &used->darks));
    SINO_TRY(use("the weights", false, &scan->weights, &used->weights));
    used->angle_rad = scan->angle_rad;
    for (int64_t k = 0; scan->angle_rad && k < scan->projections.size[0]; k++)
        SINO_CHECK(isfinite(scan->angle_rad[k]), SINO_BAD_INPUT,
                   "angle %" PRId64 " is %g; allowed: finite numbers of radians", k, scan->angle_rad[k]);
    return NULL;
}

/* SinoMemoryVolume.allocate: `of` is the output. */
static float *allocate(void *of, int64_t slices, int64_t rows, int64_t columns)
{
    const SinodagOutput *output = of;
    sino_library_calls(true);
    float *memory = output->allocate(output->of, slices, rows, columns);
    sino_library_calls(false);
    return memory;
}

/* The settings of a scan. An array of weights is to the parser a file of this name. */
static SinoStatus read_settings(const SinodagScan *scan, const SinoMemoryRun *run, const char *const *given,
                                SinoSettings **settings)
{
    static const char *const own_weights[] = {"pictures=no", "report=none", "weights=the weights", NULL};
    SinoLibrarySettings of = sino_library_recon;
    const char *weights = sino_library_given(given, "weights");
    SINO_CHECK(!weights || !scan->weights.data, SINO_BAD_INPUT,
               "the setting weights is '%s', and there is an array of weights; allowed: one of them", weights);
    if (scan->weights.data) of.own = own_weights;
    of.memory = run;
    return sino_library_settings(&of, given, settings);
}

static SinoStatus reconstruct_here(const SinodagScan *scan, const char *const *given, const SinodagOutput *output)
{
    SinodagOutput copy;
    SinoMemoryRun run = {.volume = {.allocate = allocate, .of = &copy}};
    SinoSettings *settings = NULL;
    SINO_CHECK(output && output->allocate, SINO_BAD_INPUT,
               "there is no function that makes the volume; allowed: a function");
    copy = *output;
    SINO_TRY(use_scan(scan, &run.scan));
    SINO_TRY(read_settings(scan, &run, given, &settings));
    if (settings->remarks) sino_log_info(sino_runtime_log(sino_library_runtime()), "settings", "%s", settings->remarks);
    sino_library_show_progress(output->progress, output->of);
    SinoStatus status = sino_recon_in(sino_library_runtime(), settings);
    sino_library_show_progress(NULL, NULL);
    sino_settings_free(settings);
    return status;
}

/* Images on devices are brought to main memory once they are found to be such as recon takes. */
static SinoStatus reconstruct(const SinodagScan *scan, const char *const *given, const SinodagOutput *output)
{
    SinoMemoryScan checked;
    SinoBrought brought[4] = {0};
    SINO_TRY(sino_library_need_runtime());
    SINO_TRY(use_scan(scan, &checked));
    const SinodagArray *const images[] = {&scan->projections, &scan->flats, &scan->darks, &scan->weights};
    static const char *const what[] = {"the projections", "the flats", "the darks", "the weights"};
    SinodagScan here = *scan;
    SinodagArray *const places[] = {&here.projections, &here.flats, &here.darks, &here.weights};
    SinoStatus status = NULL;
    for (int i = 0; i < 4 && !status; i++) {
        if (!images[i]->data) continue;
        status = sino_library_bring(what[i], images[i], false, &brought[i]);
        *places[i] = brought[i].array;
    }
    if (!status) status = reconstruct_here(&here, given, output);
    for (int i = 0; i < 4; i++) sino_library_forget(&brought[i]);
    return status;
}

SinodagStatus sinodag_recon(const SinodagScan *scan, const char *const *settings, const SinodagOutput *output)
{
    SinoStatus status = sino_library_enter();
    if (status) return status;
    status = reconstruct(scan, settings, output);
    sino_library_leave();
    return status;
}
