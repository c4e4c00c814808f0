/* SPDX-License-Identifier: BSD-3-Clause */
/* The function of assemble.h by that of assemble_cuda.cu: linked first, it makes the test of the CPU's test this. */
#include "assemble.h"

#include "simt_device.h"

void sino_assemble(const SinoAssemble *assemble, const void *x, float *image)
{
    const SinoSlices slices = assemble->slices;
    const size_t voxels = (size_t)(assemble->tile_count * SINO_TILE_VOXELS * slices.stride);
    const size_t bytes = voxels * sino_precision_bytes(slices.precision);
    const size_t tile_bytes = (size_t)assemble->tile_count * sizeof *assemble->tile;
    const int64_t side = assemble->grid_size - 2 * assemble->margin;
    const size_t image_bytes = (size_t)(slices.slice_count * side * side) * sizeof *image;
    void *of_x = device_lend(x, bytes), *of_tile = device_lend(assemble->tile, tile_bytes);
    void *of_image = device_lend(image, image_bytes);
    SinoAssemble of_device = *assemble;
    of_device.tile = of_tile;
    device_check(sino_assemble_cuda(NULL, &of_device, of_x, of_image));
    device_unlend(x, of_x, bytes);
    device_unlend(assemble->tile, of_tile, tile_bytes);
    device_return(image, of_image, image_bytes);
}
