/* SPDX-License-Identifier: BSD-3-Clause */
/* Volume in HDF5: writes and reads the dataset, in chunks one slice high. */
#include "volume_private.h"

#include <inttypes.h>
#include <stdlib.h>

#include "hdf5_files.h"
#include "memory.h"

/* Values of a chunk at most. HDF5 allows chunks below 4 GiB, but a reader must hold a whole one. */
static const int64_t chunk_values_max = (1 << 30) / 4;

/* Slices of one set as a box of the dataset. */
typedef struct Box {
    hsize_t first[4], count[4];
} Box;

/* A dataset of one set lacks the first dimension. */
static int rank_of(const SinoVolumeHdf5 *hdf5)
{
    return hdf5->sets ? 4 : 3;
}

static int64_t slice_bytes(const SinoVolumeHdf5 *hdf5)
{
    return sino_times(sino_times(hdf5->height, hdf5->width), (int64_t)H5Tget_size(hdf5->type));
}

/* The slices of [first, first + count) that are of the same set as the first one. */
static Box box_of(const SinoVolumeHdf5 *hdf5, int64_t first, int64_t count)
{
    const int64_t z = first % hdf5->set_slices;
    return (Box){{(hsize_t)(first / hdf5->set_slices), (hsize_t)z, 0, 0},
                 {1, (hsize_t)sino_smaller(count, hdf5->set_slices - z), (hsize_t)hdf5->height, (hsize_t)hdf5->width}};
}

static hid_t memory_type(SinoOutputType type)
{
    return type == SINO_OUTPUT_FLOAT32  ? H5T_NATIVE_FLOAT
           : type == SINO_OUTPUT_UINT16 ? H5T_NATIVE_UINT16
                                        : H5T_NATIVE_UINT8;
}

static hid_t file_type(SinoOutputType type)
{
    return type == SINO_OUTPUT_FLOAT32 ? H5T_IEEE_F32LE : type == SINO_OUTPUT_UINT16 ? H5T_STD_U16LE : H5T_STD_U8LE;
}

/* What readers of the CF conventions (xarray, netCDF4) understand. */
static SinoStatus describe_codes(const SinoVolumeHdf5 *hdf5, const SinoVoxelCodes *codes, const char *name)
{
    if (codes->type == SINO_OUTPUT_FLOAT32) return NULL;
    SINO_TRY(sino_hdf5_output_number(hdf5->output, name, "scale_factor", sino_codes_step(codes)));
    return sino_hdf5_output_number(hdf5->output, name, "add_offset", codes->range.low);
}

static SinoStatus create_data(const SinoVolumeHdf5 *hdf5, const SinoVolumeRequest *request, hid_t *data)
{
    static const char name[] = "/exchange/data";
    const int64_t chunk_width = sino_smaller(request->width, chunk_values_max);
    const int64_t chunk_height = sino_smaller(request->height, chunk_values_max / chunk_width);
    const int rank = rank_of(hdf5);
    const hsize_t chunk[] = {1, 1, (hsize_t)chunk_height, (hsize_t)chunk_width};
    const hsize_t size[] = {(hsize_t)(request->slice_count / hdf5->set_slices), (hsize_t)hdf5->set_slices,
                            (hsize_t)request->height, (hsize_t)request->width};
    const SinoHdf5Shape shape = {.name = name,
                                 .file_type = file_type(request->codes.type),
                                 .rank = rank,
                                 .size = size + 4 - rank,
                                 .chunk = chunk + 4 - rank,
                                 .deflate = request->deflate ? SINO_DEFLATE_LEVEL : 0};
    SINO_TRY(sino_hdf5_output_create(hdf5->output, &shape, data));
    SINO_TRY(sino_hdf5_output_attribute(hdf5->output, name, "units", request->units));
    SINO_TRY(describe_codes(hdf5, &request->codes, name));
    SINO_TRY(sino_hdf5_output_attribute(hdf5->output, name, "axes", hdf5->sets ? "set:z:y:x" : "z:y:x"));
    return sino_hdf5_output_reserve(hdf5->output);
}

SinoStatus sino_volume_hdf5_open(const SinoVolumeRequest *request, SinoVolumeHdf5 *hdf5)
{
    const int64_t set_count = sino_larger(1, request->set_count);
    SinoVolumeHdf5 opened = {.set_slices = request->slice_count / set_count,
                             .sets = set_count > 1,
                             .height = request->height,
                             .width = request->width,
                             .type = memory_type(request->codes.type)};
    SINO_TRY(request->resume ? sino_hdf5_output_reopen(request->hdf5_path, request->overwrite, &opened.output)
                             : sino_hdf5_output_open(request->hdf5_path, request->overwrite, &opened.output));
    SinoStatus status = create_data(&opened, request, &opened.data);
    if (status)
        request->resume ? sino_hdf5_output_keep(opened.output) : sino_hdf5_output_discard(opened.output);
    else
        *hdf5 = opened;
    return status;
}

/* Writes slices from `from`, or, where it is NULL, reads them to `to`. */
static SinoStatus move_slices(SinoVolumeHdf5 *hdf5, int64_t first, int64_t count, const char *from, char *to)
{
    const int rank = rank_of(hdf5), skipped = 4 - rank;
    const int64_t bytes = slice_bytes(hdf5);
    for (int64_t done = 0; done < count;) {
        const Box box = box_of(hdf5, first + done, count - done);
        const hsize_t *start = box.first + skipped, *extent = box.count + skipped;
        if (from)
            SINO_TRY(
                sino_hdf5_output_write(hdf5->output, hdf5->data, rank, start, extent, hdf5->type, from + done * bytes));
        else
            SINO_TRY(
                sino_hdf5_output_read(hdf5->output, hdf5->data, rank, start, extent, hdf5->type, to + done * bytes));
        done += (int64_t)box.count[1];
    }
    return NULL;
}

SinoStatus sino_volume_hdf5_write(SinoVolumeHdf5 *hdf5, int64_t first, int64_t count, const void *slices)
{
    return move_slices(hdf5, first, count, slices, NULL);
}

SinoStatus sino_volume_hdf5_read(SinoVolumeHdf5 *hdf5, int64_t first, int64_t count, void *slices)
{
    return move_slices(hdf5, first, count, NULL, slices);
}

bool sino_volume_hdf5_takes_packed(const SinoVolumeHdf5 *hdf5)
{
    return sino_times(hdf5->height, hdf5->width) <= chunk_values_max &&
           H5Tequal(H5T_NATIVE_FLOAT, H5T_IEEE_F32LE) > 0 && H5Tequal(H5T_NATIVE_UINT16, H5T_STD_U16LE) > 0;
}

SinoStatus sino_volume_hdf5_write_packed(SinoVolumeHdf5 *hdf5, int64_t slice, const SinoPackedSlice *packed)
{
    enum { DEFLATE = 1 }; /* after shuffle, filter 0 of the dataset */
    const Box box = box_of(hdf5, slice, 1);
    return sino_hdf5_output_write_chunk(hdf5->output, hdf5->data, box.first + 4 - rank_of(hdf5),
                                        packed->deflated ? 0 : 1u << DEFLATE, packed->count, packed->bytes);
}

SinoStatus sino_volume_hdf5_places(SinoVolumeHdf5 *hdf5, int64_t slice_count, int64_t *place)
{
    const int64_t bytes = slice_bytes(hdf5);
    SINO_CHECK(H5Tequal(H5T_NATIVE_FLOAT, H5T_IEEE_F32LE) > 0, SINO_FAILED,
               "this machine's numbers have another byte order than the file's: use one process");
    for (int64_t i = 0; i < slice_count; i++) {
        const Box box = box_of(hdf5, i, 1);
        SINO_TRY(sino_hdf5_output_chunk(hdf5->output, hdf5->data, box.first + 4 - rank_of(hdf5), bytes, &place[i]));
    }
    return NULL;
}

/* The size of a volume of three dimensions, or of four: the sets' slices follow each other. */
static SinoStatus size_of(const SinoDataset *data, int64_t size[3], int64_t *count)
{
    const int more = data->rank - 3;
    SINO_CHECK(more == 0 || more == 1, SINO_BAD_INPUT, "%s: %s has %d dimensions; allowed: 3 or 4", data->file,
               data->name, data->rank);
    for (int i = 0; i < 3; i++) size[i] = data->size[more + i];
    if (more) SINO_TRY(sino_multiply(data->size[0], data->size[1], "a volume", &size[0]));
    SINO_CHECK(size[0] > 0 && size[1] > 0 && size[2] > 0, SINO_BAD_INPUT,
               "%s: %s is %" PRId64 " × %" PRId64 " × %" PRId64 "; allowed: 1 or more of each", data->file, data->name,
               size[0], size[1], size[2]);
    return sino_product(3, size, "a volume", count);
}

static SinoStatus read_data(const SinoDataset *data, int64_t size[3], float **slices)
{
    static const int64_t first[4];
    float *values;
    int64_t count;
    SINO_TRY(size_of(data, size, &count));
    SINO_TRY(sino_allocate(count, sizeof *values, "a volume", &values));
    SINO_GIVE(sino_dataset_read(data, first, data->size, H5T_NATIVE_FLOAT, values), values, free, slices);
}

SinoStatus sino_volume_read(const char *path, int64_t *slice_count, int64_t *height, int64_t *width, float **slices)
{
    hid_t file;
    SinoDataset data = {.id = H5I_INVALID_HID};
    SinoStatus status = NULL;
    int64_t size[3];
    SINO_TRY(sino_hdf5_open(path, &file));
    SINO_TRY_OR(status, end, sino_dataset_open(path, file, "/exchange/data", SINO_ANY_RANK, false, &data));
    SINO_TRY_OR(status, end, read_data(&data, size, slices));
    *slice_count = size[0];
    *height = size[1];
    *width = size[2];
end:
    sino_dataset_close(&data);
    (void)H5Fclose(file); /* opened for reading: nothing can be lost */
    return status;
}
