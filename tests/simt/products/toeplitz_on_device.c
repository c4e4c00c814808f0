/* SPDX-License-Identifier: BSD-3-Clause */
/* sino_toeplitz_product by the functions of toeplitz_cuda.h. */
#include "toeplitz_on_device.h"

#include "simt_device.h"
#include "toeplitz_cuda.h"
#include "toeplitz_private.h"
#include "transforms_on_device.h"

void toeplitz_product_on_device(const SinoToeplitz *toeplitz, const SinoTileMap *map, SinoSlices slices,
                                const float *const *x, void *cores, float *const *y)
{
    (void)cores;
    const int64_t size = toeplitz->geometry.grid_size, tiles = sino_tile_side(size) * sino_tile_side(size);
    const int64_t parts = count_parts(map, tiles);
    const size_t map_bytes = (size_t)tiles * sizeof *map->tile;
    const size_t spectrum_bytes = (size_t)sino_toeplitz_bytes(&toeplitz->geometry);
    const SinoToeplitzBatch batch = sino_toeplitz_batch(size, transform_bytes(size, SINO_TOEPLITZ_BATCH_BYTES));
    const size_t scratch_bytes = (size_t)sino_toeplitz_cuda_scratch_bytes(&batch);
    SinoToeplitzCuda *plans = NULL;
    device_check(sino_toeplitz_cuda_new(&batch, &plans));
    float *spectrum = device_lend(sino_toeplitz_spectrum(toeplitz), spectrum_bytes);
    void *tile = device_lend(map->tile, map_bytes), *scratch = device_memory(scratch_bytes);
    const float **of_x = calloc((size_t)parts + 1, sizeof *of_x);
    float **of_y = calloc((size_t)parts + 1, sizeof *of_y);
    if (!of_x || !of_y) abort();
    for (int64_t p = 0; p < parts; p++) of_x[p] = device_lend(x[p], part_vector_bytes(map, slices, p));
    for (int64_t p = 0; p < parts; p++) of_y[p] = device_lend(y[p], part_vector_bytes(map, slices, p));
    const SinoToeplitzTables tables = {spectrum, {tile, map->part_rows}, parts};
    device_check(sino_toeplitz_product_cuda(NULL, plans, &tables, slices, of_x, scratch, of_y));
    for (int64_t p = 0; p < parts; p++) device_unlend(x[p], (void *)of_x[p], part_vector_bytes(map, slices, p));
    for (int64_t p = 0; p < parts; p++) device_return(y[p], of_y[p], part_vector_bytes(map, slices, p));
    device_unlend(map->tile, tile, map_bytes);
    device_unlend(sino_toeplitz_spectrum(toeplitz), spectrum, spectrum_bytes);
    device_free(scratch);
    free(of_x);
    free(of_y);
    sino_toeplitz_cuda_free(plans);
}
