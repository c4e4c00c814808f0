/* SPDX-License-Identifier: BSD-3-Clause */
/* sino_zingers_remove by the function of zingers_cuda.cu, and a look that the CPU's has the same bits and counts. */
#include "zingers_on_device.h"

#include "simt_device.h"
#include "zingers.h"

static void same(const char *what, const void *of_device, const void *other, size_t bytes)
{
    unsigned char *copy = device_copy(of_device, bytes);
    const int difference = memcmp(copy, other, bytes);
    free(copy);
    if (difference == 0) return;
    fprintf(stderr, "zingers: the device's %s differ from the CPU's\n", what);
    abort();
}

SinoStatus zingers_remove_on_device(const SinoZingers *zingers, SinoSlices slices, const int64_t *place, void *sinogram,
                                    int64_t *undefined, int64_t *by_angle, int64_t *by_column)
{
    const size_t angles = (size_t)zingers->angle_count, columns = (size_t)zingers->column_count;
    const size_t bytes = angles * columns * (size_t)slices.stride * sino_precision_bytes(slices.precision);
    const size_t slice_bytes = (size_t)slices.slice_count * sizeof *undefined;
    const size_t angle_bytes = angles * sizeof *by_angle, column_bytes = columns * sizeof *by_column;
    void *of_sinogram = device_lend(sinogram, bytes), *of_place = device_lend(place, angle_bytes);
    int64_t *of_undefined = device_lend(undefined, slice_bytes), *of_angle = device_lend(by_angle, angle_bytes);
    int64_t *of_column = device_lend(by_column, column_bytes);
    SinoZingers of_device = *zingers;
    void *const of_order = device_lend(zingers->order, angle_bytes);
    of_device.order = of_order;
    device_check(
        sino_zingers_remove_cuda(NULL, &of_device, slices, of_place, of_sinogram, of_undefined, of_angle, of_column));
    device_check(sino_zingers_remove(zingers, slices, place, sinogram, undefined, by_angle, by_column));
    same("sinograms", of_sinogram, sinogram, bytes);
    same("counts of slices", of_undefined, undefined, slice_bytes);
    same("counts of angles", of_angle, by_angle, angle_bytes);
    same("counts of columns", of_column, by_column, column_bytes);
    device_unlend(place, of_place, angle_bytes);
    device_unlend(zingers->order, of_order, angle_bytes);
    device_return(sinogram, of_sinogram, bytes);
    device_return(undefined, of_undefined, slice_bytes);
    device_return(by_angle, of_angle, angle_bytes);
    device_return(by_column, of_column, column_bytes);
    return NULL;
}
