/* SPDX-License-Identifier: BSD-3-Clause */
/* Library, devices: an array on a device and its copy have the same sizes and different strides. */
#include "library_devices.h"

#include "device_array.h"
#include "memory.h"

static const int64_t bytes_of[] = {
    [SINODAG_FLOAT32] = 4, [SINODAG_FLOAT64] = 8, [SINODAG_UINT8] = 1, [SINODAG_UINT16] = 2};

SinoStatus sino_library_check_device(const char *what, const SinodagArray *array)
{
    SINO_CHECK(array->device == SINODAG_MAIN_MEMORY || array->device == SINODAG_CUDA, SINO_BAD_INPUT,
               "%s are on device %d; allowed: SINODAG_MAIN_MEMORY, SINODAG_CUDA", what, (int)array->device);
    return NULL;
}

/* Volumes are the first dimension. */
static SinoDeviceArray on_device(const SinodagArray *array)
{
    const int64_t *size = array->size, *stride = array->stride, volumes = sino_larger(1, array->volumes);
    const bool usual = stride[0] == 0 && stride[1] == 0 && stride[2] == 0;
    const int64_t rows = sino_times(size[1], size[2]);
    SinoDeviceArray of = {.first = array->data,
                          .element_bytes = bytes_of[array->type],
                          .size = {volumes, size[0], size[1], size[2]},
                          .step = {array->volume_stride, stride[0], stride[1], stride[2]}};
    if (!usual) return of;
    if (array->volume_stride == 0) of.step[0] = sino_times(size[0], rows);
    of.step[1] = rows;
    of.step[2] = size[2];
    of.step[3] = 1;
    return of;
}

/* Strides that are all 0 would stand for others; that of a dimension with one element may be any. */
static void set_strides(const SinoDevicePacked *packed, SinodagArray *array)
{
    array->volume_stride = packed->step[0];
    for (int d = 0; d < 3; d++) array->stride[d] = array->size[d] == 1 ? 1 : packed->step[d + 1];
}

SinoStatus sino_library_bring(const char *what, const SinodagArray *array, bool output, SinoBrought *brought)
{
    *brought = (SinoBrought){.array = *array, .what = what, .from = array};
    if (array->device == SINODAG_MAIN_MEMORY) return NULL;
    const SinoDeviceArray from = on_device(array);
    SINO_TRY(sino_device_array_check(what, &from));
    const SinoDevicePacked packed = sino_device_array_pack(&from);
    const int64_t bytes = sino_times(packed.count, from.element_bytes);
    char text[24];
    brought->memory = sino_allocate_large(bytes);
    SINO_CHECK(brought->memory, SINO_FAILED, "no memory for %s: %s asked for", what, sino_bytes_text(bytes, text));
    brought->array.device = SINODAG_MAIN_MEMORY;
    brought->array.data = (char *)brought->memory + sino_times(packed.first, from.element_bytes);
    set_strides(&packed, &brought->array);
    return output ? NULL : sino_device_array_copy(what, &from, false, brought->memory);
}

SinoStatus sino_library_give(const SinoBrought *brought)
{
    if (!brought->memory) return NULL;
    const SinoDeviceArray to = on_device(brought->from);
    return sino_device_array_copy(brought->what, &to, true, brought->memory);
}

void sino_library_forget(SinoBrought *brought)
{
    sino_free_large(brought->memory);
    brought->memory = NULL;
}
