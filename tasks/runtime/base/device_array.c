/* SPDX-License-Identifier: BSD-3-Clause */
/* Arrays of a caller on a CUDA device: an array with strides is copied in as few rectangles as its layout has. */
#include "device_array.h"

#include "arithmetic.h"
#include "device_memory.h"

#include <inttypes.h>
#include <stdlib.h>

enum { DIMENSIONS = SINO_DEVICE_ARRAY_DIMENSIONS };
static const int64_t span_max = INT64_MAX / 8; /* bytes; of each dimension one way or the other */

/* Dimensions that have elements of their own, the one with the largest step first; returns their number. */
static int order_of(const SinoDeviceArray *array, int order[DIMENSIONS])
{
    int count = 0;
    for (int d = 0; d < DIMENSIONS; d++) {
        if (array->size[d] == 1 || array->step[d] == 0) continue;
        int at = count++;
        for (; at > 0 && llabs(array->step[order[at - 1]]) < llabs(array->step[d]); at--) order[at] = order[at - 1];
        order[at] = d;
    }
    return count;
}

SinoDevicePacked sino_device_array_pack(const SinoDeviceArray *array)
{
    SinoDevicePacked packed = {.count = 1};
    int order[DIMENSIONS];
    for (int i = order_of(array, order) - 1; i >= 0; i--) {
        const int d = order[i];
        packed.step[d] = array->step[d] < 0 ? -packed.count : packed.count;
        if (array->step[d] < 0) packed.first += sino_times(array->size[d] - 1, packed.count);
        packed.count = sino_times(packed.count, array->size[d]);
    }
    return packed;
}

/* A rectangle for each of some outer dimensions. */
typedef struct Rectangles {
    SinoDeviceRectangle first;                    /* at the lowest address */
    int64_t outer[DIMENSIONS], apart[DIMENSIONS]; /* how many, and bytes between them, the largest first */
    int outer_count;
} Rectangles;

static int64_t step_bytes(const SinoDeviceArray *array, int dimension)
{
    return sino_times(llabs(array->step[dimension]), array->element_bytes);
}

static char *lowest_address(const SinoDeviceArray *array)
{
    char *lowest = array->first;
    for (int d = 0; d < DIMENSIONS; d++)
        if (array->step[d] < 0) lowest += (array->size[d] - 1) * array->step[d] * array->element_bytes;
    return lowest;
}

/* Dimensions without gaps become a row; the next ones, as long as their rows are as far apart, a rectangle. */
static Rectangles rectangles_of(const SinoDeviceArray *array)
{
    SinoDeviceRectangle of = {.device = lowest_address(array), .row_bytes = array->element_bytes, .row_count = 1};
    Rectangles all = {.outer_count = 0};
    int order[DIMENSIONS], left = order_of(array, order);
    for (; left > 0 && step_bytes(array, order[left - 1]) == of.row_bytes; left--)
        of.row_bytes = sino_times(of.row_bytes, array->size[order[left - 1]]);
    of.pitch = left > 0 ? step_bytes(array, order[left - 1]) : of.row_bytes;
    if (of.pitch < of.row_bytes || of.pitch > SINO_DEVICE_PITCH_MAX) of.pitch = of.row_bytes;
    for (; left > 0 && step_bytes(array, order[left - 1]) == sino_times(of.pitch, of.row_count); left--)
        of.row_count = sino_times(of.row_count, array->size[order[left - 1]]);
    for (; all.outer_count < left; all.outer_count++) {
        all.outer[all.outer_count] = array->size[order[all.outer_count]];
        all.apart[all.outer_count] = step_bytes(array, order[all.outer_count]);
    }
    all.first = of;
    return all;
}

/* No element lies where the address would wrap. */
static SinoStatus check_span(const char *what, const SinoDeviceArray *array)
{
    for (int d = 0; d < DIMENSIONS; d++) {
        int64_t bytes = 0;
        const bool wraps = __builtin_mul_overflow(array->size[d] - 1, array->step[d], &bytes) ||
                           __builtin_mul_overflow(bytes, array->element_bytes, &bytes) || llabs(bytes) > span_max;
        SINO_CHECK(!wraps, SINO_BAD_INPUT, "%s have a stride of %" PRId64 " elements; allowed: those of an array", what,
                   array->step[d]);
    }
    return NULL;
}

SinoStatus sino_device_array_check(const char *what, const SinoDeviceArray *array)
{
    int device = 0;
    SINO_TRY(check_span(what, array));
    return sino_device_memory_find(what, array->first, &device);
}

/* All rectangles, the last dimension fastest. */
static SinoStatus copy_all(const char *what, const Rectangles *of, bool to_device, char *memory)
{
    int64_t at[DIMENSIONS] = {0};
    SinoDeviceRectangle rectangle = of->first;
    rectangle.to_device = to_device;
    rectangle.host = memory;
    for (;;) {
        SINO_TRY(sino_device_memory_copy(what, &rectangle));
        rectangle.host += sino_times(rectangle.row_bytes, rectangle.row_count);
        int d = of->outer_count - 1;
        for (; d >= 0 && at[d] == of->outer[d] - 1; d--) {
            rectangle.device -= at[d] * of->apart[d];
            at[d] = 0;
        }
        if (d < 0) return NULL;
        at[d]++;
        rectangle.device += of->apart[d];
    }
}

SinoStatus sino_device_array_copy(const char *what, const SinoDeviceArray *array, bool to_device, void *memory)
{
    const Rectangles of = rectangles_of(array);
    int device = 0, before = 0;
    SINO_TRY(sino_device_memory_find(what, array->first, &device));
    SINO_TRY(sino_device_memory_enter(what, device, &before));
    SinoStatus status = copy_all(what, &of, to_device, memory);
    SinoStatus left = sino_device_memory_leave(what, before); /* after a failure, too: `memory` is in use */
    if (!status) return left;
    sino_status_free(left);
    return status;
}
