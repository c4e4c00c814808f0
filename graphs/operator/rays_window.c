/* SPDX-License-Identifier: BSD-3-Clause */
/* Rays, windows: a few pieces of memory that hold the blocks of partitions in turn.
 *
 * The submitting thread decides which partition a window holds when it inserts tasks; StarPU delays the filling of a
 * window until the tasks that read it have run. */
#include "memory.h"
#include "rays_private.h"
#include "simulation.h"
#include "stages_tasks.h"

#include <stdlib.h>

static SinoLoadWindow fill_of(const SinoRays *op, int64_t p)
{
    const SinoPartition *partition = &op->partition[p];
    SinoBlockHeader header = {0};
    if (SINO_SIMULATES) sino_rays_sketch_header(op, p, &header);
    return (SinoLoadWindow){.pack = {.layout = &op->layout,
                                     .tile_count = partition->tile_count,
                                     .tile = partition->tile,
                                     .footprint = &partition->footprint,
                                     .capacity = op->window_bytes},
                            .kept = partition->kept,
                            .nonzero_count = header.stored_nonzero_count};
}

static SinoStatus open_window(SinoRuntime *runtime, SinoRays *op, SinoRaysWindow *window)
{
    char text[24];
    if (!window->reserved) window->reserved = sino_reserve(op->window_bytes);
    SINO_CHECK(window->reserved, SINO_FAILED, "no addresses for the operator: %s asked for",
               sino_bytes_text(op->window_bytes, text));
    window->holds = -1;
    return sino_data_borrow(runtime, "A", window->reserved, op->window_bytes, &window->block);
}

/* Results of tracing all blocks for the first time. */
typedef struct Survey {
    SinoBlockHeader *header; /* [partition] */
    uint8_t **touched;
} Survey;

static SinoStatus insert_survey(SinoRuntime *runtime, SinoRays *op, Survey *survey)
{
    for (int64_t p = 0; p < op->partition_count; p++) {
        SinoPosition position = SINO_NOWHERE;
        SinoLoadWindow fill = fill_of(op, p);
        position.partition = p;
        if (!SINO_SIMULATES) SINO_TRY(sino_allocate(op->ray_count, 1, "a footprint's marks", &survey->touched[p]));
        fill.pack.touched = survey->touched[p];
        fill.header = &survey->header[p];
        SINO_TRY(sino_insert_load_window(runtime, position, &fill, op->window[p % op->window_count].block));
    }
    return NULL;
}

static SinoStatus take_survey(SinoRays *op, const Survey *survey)
{
    if (SINO_SIMULATES) SINO_TRY(sino_rays_sketch_footprints(op));
    for (int64_t p = 0; p < op->partition_count; p++) {
        if (SINO_SIMULATES) sino_rays_sketch_header(op, p, &survey->header[p]);
        sino_rays_take_header(op, p, &survey->header[p]);
        if (!SINO_SIMULATES) SINO_TRY(sino_rays_number_rays(op, p, survey->touched[p]));
    }
    return NULL;
}

static SinoStatus survey_partitions(SinoRuntime *runtime, SinoRays *op)
{
    SinoStatus status = NULL;
    Survey survey = {0};
    SINO_TRY_OR(status, cleanup,
                sino_allocate(op->partition_count, sizeof *survey.header, "partitions", &survey.header));
    SINO_TRY_OR(status, cleanup,
                sino_allocate(op->partition_count, sizeof *survey.touched, "partitions", &survey.touched));
    status = sino_runtime_wait_after(runtime, insert_survey(runtime, op, &survey));
    if (!status) status = take_survey(op, &survey);
cleanup:
    for (int64_t p = 0; survey.touched && p < op->partition_count; p++) free(survey.touched[p]);
    free(survey.touched);
    free(survey.header);
    return status;
}

SinoStatus sino_rays_open_windows(SinoRuntime *runtime, SinoRays *op)
{
    SINO_TRY(sino_allocate(op->window_count, sizeof *op->window, "windows", &op->window));
    for (int64_t p = 0; p < op->partition_count; p++) {
        const int64_t most = op->file ? op->partition[p].block_bytes : sino_rays_most_bytes(op, p);
        if (most > op->window_bytes) op->window_bytes = most;
    }
    for (int64_t w = 0; w < op->window_count; w++) SINO_TRY(open_window(runtime, op, &op->window[w]));
    return op->file ? NULL : survey_partitions(runtime, op);
}

void sino_rays_close_windows(SinoRays *op)
{
    for (int64_t w = 0; op->window && w < op->window_count; w++) {
        sino_data_free(op->window[w].block);
        sino_release(op->window[w].reserved, op->window_bytes);
    }
    free(op->window);
}

SinoStatus sino_rays_block(SinoRuntime *runtime, const SinoRays *op, SinoPosition position, SinoData **block)
{
    const int64_t p = position.partition;
    *block = op->partition[p].block;
    if (op->window_count == 0) return NULL;
    SinoRaysWindow *window = &op->window[p % op->window_count];
    *block = window->block;
    if (window->holds == p) return NULL;
    const SinoLoadWindow fill = fill_of(op, p);
    window->holds = p;
    return sino_insert_load_window(runtime, position, &fill, window->block);
}
