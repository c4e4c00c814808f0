/* SPDX-License-Identifier: BSD-3-Clause */
/* Stage stripes: removes stripes from sinograms (codelets/stages/stripes.h). */
#include "device_room.h"
#include "memory.h"
#include "stages.h"
#include "stages_tasks.h"

#include <stdlib.h>

typedef struct Own {
    SinoStripes *stripes;
    bool host; /* cores alone run the task */
    SinoData *scratch;
} Own;

static bool is_wanted(const SinoInput *input)
{
    return input->stripes.method != SINO_STRIPES_NONE;
}

static void describe(const SinoInput *input, size_t size, char *text)
{
    const SinoStripesOptions *stripes = &input->stripes;
    if (stripes->method == SINO_STRIPES_FW)
        snprintf(text, size, "Fourier-wavelet (fw), sigma %g", stripes->fw_sigma);
    else if (stripes->method == SINO_STRIPES_TI)
        snprintf(text, size, "Titarenko (ti), alpha %g", stripes->ti_alpha);
    else if (stripes->method == SINO_STRIPES_SORTING)
        snprintf(text, size, "sorting (Vo)");
    else if (stripes->method == SINO_STRIPES_WIENER)
        snprintf(text, size, "offsets of columns (Wiener)");
    else
        snprintf(text, size, "dead, large and partial stripes (vo-all), snr %g", stripes->snr);
}

/* Whether GPUs have room for a sinogram and `bytes` of scratch memory; 0: they have no kernels. */
static bool is_for_gpus(const SinoStagesRequest *request, int64_t bytes)
{
    const bool cuda = sino_runtime_devices(request->runtime) & SINO_DEVICE_CUDA;
    return cuda && bytes > 0 && sino_device_takes(request->runtime, sino_stage_sinogram_bytes(request) + bytes);
}

/* Ranks that share a slice are refused before: a rank without angles makes no stage. */
static SinoStatus prepare(const SinoStagesRequest *request, void **result)
{
    Own *own;
    const SinoStripesOptions stripes = sino_input_stripes(request->input);
    const int64_t of_cores = sino_stripes_scratch_bytes(&stripes), of_gpus = sino_stripes_gpu_bytes(&stripes);
    SINO_TRY(sino_allocate(1, sizeof *own, "a stage", &own));
    *result = own;
    SINO_TRY(sino_stripes_new(&stripes, &own->stripes));
    own->host = !is_for_gpus(request, of_gpus);
    return sino_data_scratch(request->runtime, "stripes scratch", own->host ? of_cores : sino_larger(of_cores, of_gpus),
                             &own->scratch);
}

static void release(void *released)
{
    Own *own = released;
    if (!own) return;
    sino_data_free(own->scratch);
    sino_stripes_free(own->stripes);
    free(own);
}

static SinoStatus insert(const SinoStagesRequest *request, void *prepared, const SinoStageWork *work)
{
    const Own *own = prepared;
    SinoRemoveStripes remove = {.stripes = own->stripes,
                                .rows = sino_stage_rows(request, work),
                                .marked = request->marked,
                                .scratch = own->scratch};
    if (own->host) remove.rows.places = NULL;
    remove.rows.host |= own->host;
    return sino_insert_stripes(request->runtime, work->position, &remove);
}

const SinoStageKind sino_stage_stripes = {.name = "stripes",
                                          .help = "stripes, which become rings, are taken out of each sinogram",
                                          .scope = SINO_SCOPE_SINOGRAM,
                                          .wanted = is_wanted,
                                          .describe = describe,
                                          .prepare = prepare,
                                          .release = release,
                                          .insert = insert};
