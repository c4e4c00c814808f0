/* SPDX-License-Identifier: BSD-3-Clause */
/* Volume in HDF5: writes and reads the dataset, in chunks one slice high. */
#include "volume_hdf5.h"

#include <inttypes.h>
#include <stdlib.h>

#include "arithmetic.h"
#include "hdf5_dataset.h"
#include "memory.h"

/* Values of a chunk at most. HDF5 allows chunks below 4 GiB, but a reader must hold a whole one. */
static const int64_t chunk_values_max = (1 << 30) / 4;

static SinoStatus create_data(SinoHdf5Output *output, const SinoVolumeRequest *request, hid_t *data)
{
    static const char name[] = "/exchange/data";
    const int64_t chunk_width = sino_smaller(request->width, chunk_values_max);
    const int64_t chunk_height = sino_smaller(request->height, chunk_values_max / chunk_width);
    const hsize_t chunk[] = {1, (hsize_t)chunk_height, (hsize_t)chunk_width};
    const hsize_t size[] = {(hsize_t)request->slice_count, (hsize_t)request->height, (hsize_t)request->width};
    const SinoHdf5Shape shape = {.name = name, .file_type = H5T_IEEE_F32LE, .rank = 3, .size = size, .chunk = chunk};
    SINO_TRY(sino_hdf5_output_create(output, &shape, data));
    SINO_TRY(sino_hdf5_output_attribute(output, name, "units", request->units));
    SINO_TRY(sino_hdf5_output_attribute(output, name, "axes", "z:y:x"));
    return sino_hdf5_output_reserve(output);
}

SinoStatus sino_volume_hdf5_open(const SinoVolumeRequest *request, SinoVolumeHdf5 *hdf5)
{
    SinoHdf5Output *output;
    hid_t data;
    SINO_TRY(request->resume ? sino_hdf5_output_reopen(request->hdf5_path, request->overwrite, &output)
                             : sino_hdf5_output_open(request->hdf5_path, request->overwrite, &output));
    SinoStatus status = create_data(output, request, &data);
    if (status) {
        request->resume ? sino_hdf5_output_keep(output) : sino_hdf5_output_discard(output);
        return status;
    }
    *hdf5 = (SinoVolumeHdf5){.output = output, .data = data, .height = request->height, .width = request->width};
    return NULL;
}

SinoStatus sino_volume_hdf5_write(SinoVolumeHdf5 *hdf5, int64_t first, int64_t count, const float *slices)
{
    const hsize_t start[] = {(hsize_t)first, 0, 0};
    const hsize_t extent[] = {(hsize_t)count, (hsize_t)hdf5->height, (hsize_t)hdf5->width};
    return sino_hdf5_output_write(hdf5->output, hdf5->data, 3, start, extent, H5T_NATIVE_FLOAT, slices);
}

SinoStatus sino_volume_hdf5_read(SinoVolumeHdf5 *hdf5, int64_t first, int64_t count, float *slices)
{
    const hsize_t start[] = {(hsize_t)first, 0, 0};
    const hsize_t extent[] = {(hsize_t)count, (hsize_t)hdf5->height, (hsize_t)hdf5->width};
    return sino_hdf5_output_read(hdf5->output, hdf5->data, 3, start, extent, H5T_NATIVE_FLOAT, slices);
}

SinoStatus sino_volume_hdf5_places(SinoVolumeHdf5 *hdf5, int64_t slice_count, int64_t *place)
{
    const int64_t bytes = sino_times(sino_times(hdf5->height, hdf5->width), (int64_t)sizeof(float));
    SINO_CHECK(H5Tequal(H5T_NATIVE_FLOAT, H5T_IEEE_F32LE) > 0, SINO_FAILED,
               "this machine's numbers have another byte order than the file's: use one process");
    return sino_hdf5_output_chunks(hdf5->output, hdf5->data, slice_count, bytes, place);
}

static SinoStatus read_data(const SinoDataset *data, float **slices)
{
    static const int64_t first[3];
    const int64_t *size = data->size;
    float *values;
    int64_t slice, count;
    SINO_CHECK(size[0] > 0 && size[1] > 0 && size[2] > 0, SINO_BAD_INPUT,
               "%s: %s is %" PRId64 " × %" PRId64 " × %" PRId64 "; allowed: 1 or more of each", data->file, data->name,
               size[0], size[1], size[2]);
    SINO_TRY(sino_multiply(size[1], size[2], "a slice", &slice));
    SINO_TRY(sino_multiply(slice, size[0], "a volume", &count));
    SINO_TRY(sino_allocate(count, sizeof *values, "a volume", &values));
    SinoStatus status = sino_dataset_read(data, first, size, H5T_NATIVE_FLOAT, values);
    if (status) {
        free(values);
        return status;
    }
    *slices = values;
    return NULL;
}

SinoStatus sino_volume_read(const char *path, int64_t *slice_count, int64_t *height, int64_t *width, float **slices)
{
    hid_t file;
    SinoDataset data = {.id = H5I_INVALID_HID};
    SinoStatus status = NULL;
    SINO_TRY(sino_hdf5_open(path, &file));
    SINO_TRY_OR(status, end, sino_dataset_open(path, file, "/exchange/data", 3, false, &data));
    SINO_TRY_OR(status, end, read_data(&data, slices));
    *slice_count = data.size[0];
    *height = data.size[1];
    *width = data.size[2];
end:
    sino_dataset_close(&data);
    (void)H5Fclose(file); /* opened for reading: nothing can be lost */
    return status;
}
