/* SPDX-License-Identifier: BSD-3-Clause */
/* Stage stripes: removes stripes from sinograms (codelets/stripes.h). */
#include "memory.h"
#include "stages.h"
#include "stripes_task.h"

#include <stdlib.h>

typedef struct Own {
    SinoStripes *stripes;
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
    else
        snprintf(text, size, "dead, large and partial stripes (vo-all), snr %g", stripes->snr);
}

/* Ranks that share a slice are refused before: a rank without angles makes no stage. */
static SinoStatus prepare(const SinoStagesRequest *request, void **result)
{
    Own *own;
    const SinoStripesOptions stripes = sino_input_stripes(request->input);
    SINO_TRY(sino_allocate(1, sizeof *own, "a stage", &own));
    *result = own;
    SINO_TRY(sino_stripes_new(&stripes, &own->stripes));
    return sino_data_scratch(request->runtime, "stripes scratch", sino_stripes_scratch_bytes(&stripes), &own->scratch);
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
    const SinoRemoveStripes remove = {.stripes = own->stripes,
                                      .place = request->input->place,
                                      .slices = work->slices,
                                      .marked = request->marked,
                                      .angle_count = request->input->angle_count,
                                      .column_count = request->input->geometry.column_count,
                                      .scratch = own->scratch,
                                      .sinogram = work->sinogram};
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
