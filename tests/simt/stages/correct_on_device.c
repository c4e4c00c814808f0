/* SPDX-License-Identifier: BSD-3-Clause */
/* sino_correct by the function of correct_cuda.h. */
#include "correct_on_device.h"

#include "correct_cuda.h"
#include "simt_device.h"

SinoStatus correct_on_device(const SinoCorrection *correction, const void *counts, const float *flat, const float *dark,
                             void *sinogram, int64_t *repaired, int64_t *tally)
{
    static const size_t input_bytes[] = {sizeof(uint8_t), sizeof(uint16_t), sizeof(float)};
    const SinoSlices slices = correction->slices;
    const int64_t pixels = correction->row_count * correction->column_count;
    const int64_t rays = correction->angle_count * (correction->column_count / correction->binning);
    const size_t count_bytes = (size_t)(correction->angle_count * pixels) * input_bytes[correction->input];
    const size_t field_bytes = (size_t)pixels * sizeof *flat;
    const size_t flat_bytes = (size_t)(correction->flat_sets > 1 ? correction->flat_sets : 1) * field_bytes;
    const size_t at_bytes = (size_t)correction->angle_count * sizeof *correction->flat_at;
    const size_t place_bytes = (size_t)correction->angle_count * sizeof *correction->place;
    const size_t sinogram_bytes = (size_t)(rays * slices.stride) * sino_precision_bytes(slices.precision);
    const size_t repaired_bytes = (size_t)slices.slice_count * sizeof *repaired;
    const int64_t tallied = correction->angle_count + correction->column_count / correction->binning;
    const size_t tally_bytes = (size_t)tallied * sizeof *tally;
    const size_t workspace_bytes = (size_t)sino_correct_cuda_workspace_bytes(correction);
    void *of_counts = device_lend(counts, count_bytes), *of_place = device_lend(correction->place, place_bytes);
    void *of_at = device_lend(correction->flat_at, at_bytes);
    void *of_flat = device_lend(flat, flat_bytes), *of_dark = device_lend(dark, field_bytes);
    void *of_sinogram = device_lend(sinogram, sinogram_bytes), *of_repaired = device_lend(repaired, repaired_bytes);
    void *of_tally = device_lend(tally, tally_bytes);
    void *workspace = device_memory(workspace_bytes);
    SinoCorrection of_device = *correction;
    of_device.place = of_place;
    of_device.flat_at = of_at;
    device_check(sino_correct_cuda(NULL, &of_device, of_counts, of_flat, of_dark, of_sinogram, of_repaired, of_tally,
                                   workspace));
    device_unlend(counts, of_counts, count_bytes);
    device_unlend(correction->place, of_place, place_bytes);
    device_unlend(correction->flat_at, of_at, at_bytes);
    device_unlend(flat, of_flat, flat_bytes);
    device_unlend(dark, of_dark, field_bytes);
    device_return(sinogram, of_sinogram, sinogram_bytes);
    device_return(repaired, of_repaired, repaired_bytes);
    device_return(tally, of_tally, tally_bytes);
    device_free(workspace);
    return NULL;
}
