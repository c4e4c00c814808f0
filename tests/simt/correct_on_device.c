/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of correct.h by those of correct_cuda.h: linked first, they make the tests of the CPU's test these. */
#include "correct_cuda.h"

#include "device.h"

SinoStatus sino_correct(const SinoCorrection *correction, const void *counts, const float *flat, const float *dark,
                        void *sinogram, int64_t *repaired)
{
    static const size_t input_bytes[] = {sizeof(uint8_t), sizeof(uint16_t), sizeof(float)};
    const SinoSlices slices = correction->slices;
    const int64_t pixels = correction->row_count * correction->column_count;
    const int64_t rays = correction->angle_count * (correction->column_count / correction->binning);
    const size_t count_bytes = (size_t)(correction->angle_count * pixels) * input_bytes[correction->input];
    const size_t field_bytes = (size_t)pixels * sizeof *flat;
    const size_t place_bytes = (size_t)correction->angle_count * sizeof *correction->place;
    const size_t sinogram_bytes = (size_t)(rays * slices.stride) * sino_precision_bytes(slices.precision);
    const size_t repaired_bytes = (size_t)slices.slice_count * sizeof *repaired;
    const size_t workspace_bytes = (size_t)sino_correct_cuda_workspace_bytes(correction);
    void *of_counts = device_lend(counts, count_bytes), *of_place = device_lend(correction->place, place_bytes);
    void *of_flat = device_lend(flat, field_bytes), *of_dark = device_lend(dark, field_bytes);
    void *of_sinogram = device_lend(sinogram, sinogram_bytes), *of_repaired = device_lend(repaired, repaired_bytes);
    void *workspace = memset(device_memory(workspace_bytes), 0xff, workspace_bytes);
    SinoCorrection of_device = *correction;
    of_device.place = of_place;
    device_check(sino_correct_cuda(NULL, &of_device, of_counts, of_flat, of_dark, of_sinogram, of_repaired, workspace));
    device_unlend(counts, of_counts, count_bytes);
    device_unlend(correction->place, of_place, place_bytes);
    device_unlend(flat, of_flat, field_bytes);
    device_unlend(dark, of_dark, field_bytes);
    device_return(sinogram, of_sinogram, sinogram_bytes);
    device_return(repaired, of_repaired, repaired_bytes);
    device_free(workspace);
    return NULL;
}

typedef SinoStatus Average(cudaStream_t stream, int64_t field_count, int64_t pixel_count, const float *fields,
                           float *result);

static void average(Average *function, int64_t field_count, int64_t pixel_count, const float *fields, float *result)
{
    const size_t field_bytes = (size_t)(field_count * pixel_count) * sizeof *fields;
    const size_t result_bytes = (size_t)pixel_count * sizeof *result;
    void *of_fields = device_lend(fields, field_bytes), *of_result = device_lend(result, result_bytes);
    device_check(function(NULL, field_count, pixel_count, of_fields, of_result));
    device_unlend(fields, of_fields, field_bytes);
    device_return(result, of_result, result_bytes);
}

void sino_fields_mean(int64_t field_count, int64_t pixel_count, const float *fields, float *result)
{
    average(sino_fields_mean_cuda, field_count, pixel_count, fields, result);
}

SinoStatus sino_fields_median(int64_t field_count, int64_t pixel_count, const float *fields, float *result)
{
    average(sino_fields_median_cuda, field_count, pixel_count, fields, result);
    return NULL;
}
