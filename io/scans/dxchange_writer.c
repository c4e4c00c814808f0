/* SPDX-License-Identifier: BSD-3-Clause */
/* Data Exchange writer: writes a scan in the Data Exchange layout of HDF5 (De Carlo et al., J. Synchrotron Rad. 21,
 * 1224, 2014). */
#include "scan.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "hdf5_files.h"
#include "hdf5_scan.h"
#include "memory.h"

struct SinoScanWriter {
    SinoHdf5Output *output;
    hid_t data, flats, darks; /* H5I_INVALID_HID: none; closed with the file */
    hid_t memory_type;
    int64_t angle_count, flat_count, dark_count, row_count, column_count;
    int64_t rows_written;
};

static SinoStatus create_frames(SinoScanWriter *writer, const char *name, hid_t type, int64_t count,
                                const char *description, hid_t *dataset)
{
    if (count == 0) return NULL;
    const hsize_t size[] = {(hsize_t)count, (hsize_t)writer->row_count, (hsize_t)writer->column_count};
    const SinoHdf5Shape shape = {.name = name, .file_type = type, .rank = 3, .size = size};
    SINO_TRY(sino_hdf5_output_create(writer->output, &shape, dataset));
    SINO_TRY(sino_hdf5_output_attribute(writer->output, name, "units", "counts"));
    SINO_TRY(sino_hdf5_output_attribute(writer->output, name, "axes", "theta:y:x"));
    return sino_hdf5_output_attribute(writer->output, name, "description", description);
}

static SinoStatus write_angles(SinoScanWriter *writer, const double *angle_rad)
{
    double *degrees;
    const hsize_t count = (hsize_t)writer->angle_count;
    const SinoHdf5Shape shape = {.name = "/exchange/theta", .file_type = H5T_IEEE_F64LE, .rank = 1, .size = &count};
    SINO_TRY(sino_allocate(writer->angle_count, sizeof *degrees, "angles", &degrees));
    for (int64_t k = 0; k < writer->angle_count; k++) degrees[k] = angle_rad[k] * (180 / M_PI);
    SinoStatus status =
        sino_hdf5_output_values(writer->output, &shape, H5T_NATIVE_DOUBLE, degrees, "angle of each projection");
    free(degrees);
    SINO_TRY(status);
    return sino_hdf5_output_attribute(writer->output, shape.name, "units", "deg");
}

static SinoStatus write_length(SinoScanWriter *writer, const char *name, double mm, const char *description)
{
    const SinoHdf5Shape shape = {.name = name, .file_type = H5T_IEEE_F64LE, .rank = 0};
    SINO_TRY(sino_hdf5_output_values(writer->output, &shape, H5T_NATIVE_DOUBLE, &mm, description));
    return sino_hdf5_output_attribute(writer->output, name, "units", "mm");
}

static SinoStatus write_setup(SinoScanWriter *writer, const SinoScanSetup *setup)
{
    SINO_TRY(write_length(writer, SINO_SOURCE_DISTANCE, -setup->source_object, "from the rotation axis, upstream"));
    SINO_TRY(write_length(writer, SINO_DETECTOR_DISTANCE, setup->source_detector - setup->source_object,
                          "from the rotation axis"));
    SINO_TRY(write_length(writer, SINO_PIXEL_WIDTH, setup->pixel_width, "width of a pixel"));
    return write_length(writer, SINO_PIXEL_HEIGHT, setup->pixel_height, "height of a pixel");
}

static SinoStatus create_all(SinoScanWriter *writer, const SinoScanShape *shape)
{
    const hid_t type = sino_count_file_type(shape->type);
    const bool setup = shape->setup.source_object > 0;
    SINO_TRY(sino_hdf5_output_text(writer->output, "/implements", setup ? "exchange:measurement" : "exchange"));
    if (setup) SINO_TRY(write_setup(writer, &shape->setup));
    if (shape->description) {
        SINO_TRY(sino_hdf5_output_attribute(writer->output, "/", "description", shape->description));
    }
    SINO_TRY(write_angles(writer, shape->angle_rad));
    SINO_TRY(create_frames(writer, "/exchange/data", type, shape->angle_count, "transmission", &writer->data));
    SINO_TRY(create_frames(writer, "/exchange/data_white", type, shape->flat_count, "flat fields", &writer->flats));
    SINO_TRY(create_frames(writer, "/exchange/data_dark", type, shape->dark_count, "dark fields", &writer->darks));
    return sino_hdf5_output_reserve(writer->output);
}

SinoStatus sino_scan_writer_open(const char *path, bool overwrite, const SinoScanShape *shape, SinoScanWriter **opened)
{
    assert(shape->angle_count >= 1 && shape->row_count >= 1 && shape->column_count >= 1);
    SinoScanWriter *writer;
    SINO_TRY(sino_allocate(1, sizeof *writer, "a scan's writer", &writer));
    SinoStatus status = NULL;
    SINO_TRY_OR(status, end, sino_hdf5_output_open(path, overwrite, &writer->output));
    writer->data = writer->flats = writer->darks = H5I_INVALID_HID;
    writer->memory_type = sino_count_memory_type(shape->type);
    writer->angle_count = shape->angle_count;
    writer->flat_count = shape->flat_count;
    writer->dark_count = shape->dark_count;
    writer->row_count = shape->row_count;
    writer->column_count = shape->column_count;
    SINO_TRY_OR(status, end, create_all(writer, shape));
    *opened = writer;
    return NULL;
end:
    sino_scan_writer_abandon(writer);
    return status;
}

static SinoStatus write_frames(SinoScanWriter *writer, hid_t dataset, int64_t frames, int64_t first_row,
                               int64_t row_count, const void *counts)
{
    if (frames == 0) return NULL;
    const hsize_t first[] = {0, (hsize_t)first_row, 0};
    const hsize_t extent[] = {(hsize_t)frames, (hsize_t)row_count, (hsize_t)writer->column_count};
    return sino_hdf5_output_write(writer->output, dataset, 3, first, extent, writer->memory_type, counts);
}

SinoStatus sino_scan_writer_rows(SinoScanWriter *writer, int64_t first_row, int64_t row_count, const void *counts,
                                 const void *flats, const void *darks)
{
    assert(first_row >= 0 && row_count >= 1 && first_row + row_count <= writer->row_count);
    SINO_TRY(write_frames(writer, writer->data, writer->angle_count, first_row, row_count, counts));
    SINO_TRY(write_frames(writer, writer->flats, writer->flat_count, first_row, row_count, flats));
    SINO_TRY(write_frames(writer, writer->darks, writer->dark_count, first_row, row_count, darks));
    writer->rows_written += row_count;
    return NULL;
}

SinoStatus sino_scan_writer_finish(SinoScanWriter *writer)
{
    if (writer->rows_written != writer->row_count) {
        SinoStatus status = sino_error(SINO_FAILED, "%" PRId64 " rows of a scan were written; allowed: all %" PRId64,
                                       writer->rows_written, writer->row_count);
        sino_scan_writer_abandon(writer);
        return status;
    }
    SinoStatus status = sino_hdf5_output_seal(writer->output);
    free(writer);
    return status;
}

void sino_scan_writer_abandon(SinoScanWriter *writer)
{
    if (!writer) return;
    sino_hdf5_output_discard(writer->output);
    free(writer);
}
