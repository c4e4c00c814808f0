/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks compare_sums and compare_likeness: how close two slices are; compare_map and store_map: the error map. */
#include "files_tasks.h"

#include "error_map.h"
#include "task.h"

#include <math.h>

typedef struct Compare {
    SinoOperand a, b;
    const SinoCompareRequest *request;
    SinoComparison *comparison;
} Compare;

static SinoStatus compare_sums_cpu(const SinoTask *task)
{
    const Compare *of = task->arguments;
    const SinoCompareRequest *request = of->request;
    const float *a = of->a.at, *b = of->b.at;
    SinoComparison *found = of->comparison;
    found->all = sino_pair_sums(request->region, request->width, a, b);
    found->object = request->object ? sino_pair_sums(request->object, request->width, a, b) : sino_pair_none();
    found->background =
        request->background ? sino_pair_sums(request->background, request->width, a, b) : sino_pair_none();
    return NULL;
}

static SinoStatus compare_likeness_cpu(const SinoTask *task)
{
    const Compare *of = task->arguments;
    const SinoCompareRequest *request = of->request;
    const float *a = of->a.at, *b = of->b.at;
    SinoComparison *found = of->comparison;
    if (request->range > 0)
        SINO_TRY(sino_similarity(request->region, request->width, request->range, a, b, &found->similarity));
    if (!isnan(request->scale))
        found->fit_error = sino_pair_fit_error(request->region, request->width, request->scale, request->offset, a, b);
    return found->rings ? sino_rings_sum(request->rings, a, b, found->rings) : NULL;
}

#define OPERANDS SINO_ARGUMENTS(Compare, SINO_READS(Compare, a), SINO_READS(Compare, b))
static const SinoTaskKind sums_kind = {.name = "compare_sums", OPERANDS, .cpu = compare_sums_cpu};
static const SinoTaskKind likeness_kind = {.name = "compare_likeness", OPERANDS, .cpu = compare_likeness_cpu};

static SinoStatus submit(SinoRuntime *runtime, const SinoTaskKind *kind, const SinoCompareRequest *request, SinoData *a,
                         SinoData *b, SinoComparison *comparison)
{
    const Compare arguments = {.a.data = a, .b.data = b, .request = request, .comparison = comparison};
    return SINO_SUBMIT(runtime, kind, SINO_NOWHERE, &arguments);
}

SinoStatus sino_insert_compare_sums(SinoRuntime *runtime, const SinoCompareRequest *request, SinoData *a, SinoData *b,
                                    SinoComparison *comparison)
{
    return submit(runtime, &sums_kind, request, a, b, comparison);
}

SinoStatus sino_insert_compare_likeness(SinoRuntime *runtime, const SinoCompareRequest *request, SinoData *a,
                                        SinoData *b, SinoComparison *comparison)
{
    return submit(runtime, &likeness_kind, request, a, b, comparison);
}

typedef struct Map {
    SinoOperand a, b;
    int64_t height, width;
} Map;

static SinoStatus compare_map_cpu(const SinoTask *task)
{
    const Map *of = task->arguments;
    return sino_error_map(of->height, of->width, of->a.at, of->b.at, of->a.at);
}

static const SinoTaskKind map_kind = {
    .name = "compare_map", SINO_ARGUMENTS(Map, SINO_UPDATES(Map, a), SINO_READS(Map, b)), .cpu = compare_map_cpu};

typedef struct StoreMap {
    SinoOperand map, io;
    SinoVolume *volume;
    int64_t slice;
} StoreMap;

static SinoStatus store_map_cpu(const SinoTask *task)
{
    const StoreMap *of = task->arguments;
    return sino_volume_write(of->volume, of->slice, 1, of->map.at);
}

static const SinoTaskKind store_kind = {.name = "store_map",
                                        .waits = true,
                                        SINO_ARGUMENTS(StoreMap, SINO_READS(StoreMap, map), SINO_UPDATES(StoreMap, io)),
                                        .cpu = store_map_cpu};

SinoStatus sino_insert_compare_map(SinoRuntime *runtime, int64_t height, int64_t width, SinoData *io, SinoData *a,
                                   SinoData *b, SinoVolume *volume, int64_t slice)
{
    const Map map = {.a.data = a, .b.data = b, .height = height, .width = width};
    const StoreMap store = {.map.data = a, .io.data = io, .volume = volume, .slice = slice};
    SINO_TRY(SINO_SUBMIT(runtime, &map_kind, SINO_NOWHERE, &map));
    return SINO_SUBMIT(runtime, &store_kind, SINO_NOWHERE, &store);
}
