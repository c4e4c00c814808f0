/* SPDX-License-Identifier: BSD-3-Clause */
/* Scan frames: runs of frames, and arrays in another order of dimensions. */
#include "scan_frames.h"

#include <assert.h>
#include <string.h>

#include "arithmetic.h"

void sino_frame_list_add(SinoFrameList *list, int64_t frame)
{
    assert(list->run);
    SinoFrameRun *last = list->run_count > 0 ? &list->run[list->run_count - 1] : NULL;
    if (last && last->first + last->count == frame)
        last->count++;
    else
        list->run[list->run_count++] = (SinoFrameRun){.first = frame, .count = 1};
    list->count++;
}

SinoFrameRun sino_frame_list_run(const SinoFrameList *list, int64_t first, int64_t most)
{
    if (!list->run) return (SinoFrameRun){.first = first, .count = sino_smaller(most, list->count - first)};
    int64_t i = 0;
    while (first >= list->run[i].count) first -= list->run[i++].count;
    assert(i < list->run_count);
    return (SinoFrameRun){.first = list->run[i].first + first, .count = sino_smaller(most, list->run[i].count - first)};
}

int64_t sino_frame_list_among(const SinoFrameList *list, int64_t frames)
{
    int64_t count = 0;
    if (!list->run) return sino_smaller(frames, list->count);
    for (int64_t r = 0; r < list->run_count; r++)
        count += sino_smaller(sino_larger(frames - list->run[r].first, 0), list->run[r].count);
    return count;
}

/* [axes][dimension]: which of angle, row, column it is. */
static const int meaning_of[6][3] = {
    [SINO_AXES_ANGLE_ROW_COLUMN] = {0, 1, 2}, [SINO_AXES_ROW_ANGLE_COLUMN] = {1, 0, 2},
    [SINO_AXES_ANGLE_COLUMN_ROW] = {0, 2, 1}, [SINO_AXES_ROW_COLUMN_ANGLE] = {1, 2, 0},
    [SINO_AXES_COLUMN_ANGLE_ROW] = {2, 0, 1}, [SINO_AXES_COLUMN_ROW_ANGLE] = {2, 1, 0},
};

int sino_axes_dimension(SinoScanAxes axes, int meaning)
{
    for (int d = 0; d < 2; d++)
        if (meaning_of[axes][d] == meaning) return d;
    return 2;
}

void sino_axes_order(SinoScanAxes axes, const int64_t by_meaning[3], int64_t by_dimension[3])
{
    for (int d = 0; d < 3; d++) by_dimension[d] = by_meaning[meaning_of[axes][d]];
}

void sino_axes_arrange(SinoScanAxes axes, const int64_t count[3], int64_t value_bytes, const void *from,
                       const int64_t start[3], const int64_t whole[3], void *to)
{
    const int64_t by_meaning[3] = {sino_times(whole[1], whole[2]), whole[2], 1};
    const int64_t bytes = value_bytes;
    const char *value = from;
    int64_t step[3];
    sino_axes_order(axes, by_meaning, step);
    char *corner = (char *)to + ((start[0] * whole[1] + start[1]) * whole[2] + start[2]) * bytes;
    for (int64_t i = 0; i < count[0]; i++) {
        for (int64_t j = 0; j < count[1]; j++) {
            char *at = corner + (i * step[0] + j * step[1]) * bytes;
            if (step[2] == 1) {
                memcpy(at, value, (size_t)(count[2] * bytes));
                value += count[2] * bytes;
                continue;
            }
            for (int64_t k = 0; k < count[2]; k++, value += bytes)
                memcpy(at + k * step[2] * bytes, value, (size_t)bytes);
        }
    }
}
