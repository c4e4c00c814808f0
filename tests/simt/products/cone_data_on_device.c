/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of cone_pack.h and cone_assemble.h, and sino_cone_weigh, by those of cone_pack_cuda.cu,
 * cone_assemble_cuda.cu and cone_weigh_cuda.cu. */
#include "cone_data_on_device.h"

#include "cone_assemble.h"
#include "cone_pack.h"
#include "cone_weigh.h"
#include "simt_device.h"

void cone_pack_on_device(const SinoConePacking *packing, const float *sinogram, void *scratch, void *line, float *unit)
{
    const SinoConeLines *lines = packing->lines;
    const int64_t rays = packing->angle_count * lines->column_count;
    const size_t sinogram_bytes = (size_t)(rays * packing->rows.stride) * sizeof *sinogram;
    const size_t line_bytes =
        (size_t)(packing->angle_count * sino_cone_projection_entries(lines)) * (size_t)sino_cone_entry_bytes(lines);
    const size_t unit_bytes = (size_t)packing->angle_count * sizeof *unit;
    const size_t scratch_bytes = (size_t)sino_cone_pack_scratch_bytes(packing);
    float *from = device_lend(sinogram, sinogram_bytes), *units = device_lend(unit, unit_bytes);
    void *to = device_lend(line, line_bytes), *work = device_memory(scratch_bytes);
    (void)scratch;
    device_check(sino_cone_pack_cuda(NULL, packing, from, work, to, units));
    device_unlend(sinogram, from, sinogram_bytes);
    device_return(line, to, line_bytes);
    device_return(unit, units, unit_bytes);
    device_free(work);
}

void cone_weigh_on_device(const SinoCone *cone, int64_t angle_count, SinoSlices rows, int64_t first_row,
                          const float *ray_weight, const float *sinogram, float *weighed)
{
    const size_t row_bytes = (size_t)rows.stride * sizeof *sinogram;
    const size_t bytes = (size_t)(angle_count * cone->column_count) * row_bytes;
    const size_t wide = (size_t)(angle_count * sino_cone_filtered(cone).column_count);
    float *weight = device_lend(ray_weight, wide * sizeof *ray_weight), *to = device_lend(weighed, wide * row_bytes);
    float *from = weighed == sinogram ? to : device_lend(sinogram, bytes);
    device_check(sino_cone_weigh_cuda(NULL, cone, angle_count, rows, first_row, weight, from, to));
    if (from != to) device_unlend(sinogram, from, bytes);
    device_return(weighed, to, wide * row_bytes);
    device_unlend(ray_weight, weight, wide * sizeof *ray_weight);
}

void cone_assemble_on_device(const SinoConeAssembly *assembly, const float *part, float *image)
{
    const SinoConeBox box = sino_cone_assembly_box(assembly);
    const size_t bytes = (size_t)sino_cone_part_voxels(&assembly->part, assembly->symmetry) * sizeof *part;
    const size_t image_bytes = (size_t)(assembly->slice_count * box.y_count * box.x_count) * sizeof *image;
    float *from = device_lend(part, bytes), *to = device_lend(image, image_bytes);
    device_check(sino_cone_assemble_cuda(NULL, assembly, from, to));
    device_unlend(part, from, bytes);
    device_return(image, to, image_bytes);
}
