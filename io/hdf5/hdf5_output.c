/* SPDX-License-Identifier: BSD-3-Clause */
/* HDF5 output: creating, filling and sealing an HDF5 file. */
#include "hdf5_files.h"

#include <stdlib.h>
#include <string.h>

#include "files.h"
#include "memory.h"

/* Without it each text takes and clears 2 MiB, a sixth of the time of a run of a small scan. */
enum { CONVERSION_BYTES = 4096 };

struct SinoHdf5Output {
    char *path;
    SinoOutputFile *file;
    hid_t driver, hdf5;
    hid_t text_type, link_creation; /* strings of any length; creation of missing groups */
    hid_t whole;                    /* transfer of a whole dataset, such as a text */
};

/* The status of the output file comes first: it explains more than HDF5's own error. */
static SinoStatus check(const SinoHdf5Output *output, bool done, const char *what)
{
    SINO_TRY(sino_output_status(output->file));
    SINO_HDF5_CHECK(done, SINO_FAILED, "%s: writing %s failed", output->path, what);
    return NULL;
}

static SinoStatus create_file(SinoHdf5Output *output)
{
    output->driver = sino_hdf5_driver_register();
    const hid_t access = sino_hdf5_driver_access(output->driver, output->file);
    if (access >= 0) {
        output->hdf5 = H5Fcreate(output->path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
        (void)H5Pclose(access);
    }
    SINO_TRY(check(output, output->hdf5 >= 0, "the file's header"));
    output->text_type = H5Tcopy(H5T_C_S1);
    output->link_creation = H5Pcreate(H5P_LINK_CREATE);
    output->whole = H5Pcreate(H5P_DATASET_XFER);
    const bool made = output->text_type >= 0 && H5Tset_size(output->text_type, H5T_VARIABLE) >= 0 &&
                      H5Tset_cset(output->text_type, H5T_CSET_UTF8) >= 0 && output->link_creation >= 0 &&
                      H5Pset_create_intermediate_group(output->link_creation, 1) >= 0 && output->whole >= 0 &&
                      H5Pset_buffer(output->whole, CONVERSION_BYTES, NULL, NULL) >= 0;
    return check(output, made, "types");
}

/* Closing reports failed writes, by the driver or by HDF5. */
static SinoStatus close_file(SinoHdf5Output *output)
{
    if (output->text_type >= 0) (void)H5Tclose(output->text_type);
    if (output->link_creation >= 0) (void)H5Pclose(output->link_creation);
    if (output->whole >= 0) (void)H5Pclose(output->whole);
    const bool closed = output->hdf5 < 0 || H5Fclose(output->hdf5) >= 0;
    sino_hdf5_driver_unregister(output->driver);
    return check(output, closed, "the end of the file");
}

static void release(SinoHdf5Output *output)
{
    free(output->path);
    free(output);
}

/* Creates the HDF5 file in the temporary file that `open` opens. */
static SinoStatus open_output(const char *path, bool overwrite,
                              SinoStatus (*open)(const char *, bool, SinoOutputFile **),
                              void (*give_up)(SinoHdf5Output *), SinoHdf5Output **opened)
{
    SinoHdf5Output *output;
    sino_hdf5_quiet();
    SINO_TRY(sino_allocate(1, sizeof *output, "an HDF5 output", &output));
    output->driver = output->hdf5 = output->text_type = output->link_creation = output->whole = H5I_INVALID_HID;
    SinoStatus status = NULL;
    output->path = strdup(path);
    SINO_CHECK_OR(status, end, output->path, SINO_FAILED, "no memory for a file name");
    SINO_TRY_OR(status, end, open(path, overwrite, &output->file));
    SINO_TRY_OR(status, end, create_file(output));
    *opened = output;
    return NULL;
end:
    give_up(output);
    return status;
}

SinoStatus sino_hdf5_output_open(const char *path, bool overwrite, SinoHdf5Output **opened)
{
    return open_output(path, overwrite, sino_output_open, sino_hdf5_output_discard, opened);
}

SinoStatus sino_hdf5_output_reopen(const char *path, bool overwrite, SinoHdf5Output **opened)
{
    return open_output(path, overwrite, sino_output_reopen, sino_hdf5_output_keep, opened);
}

static hid_t dataset_creation(const SinoHdf5Shape *shape)
{
    const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    if (creation < 0) return H5I_INVALID_HID;
    const bool text = H5Tis_variable_str(shape->file_type) > 0; /* HDF5 must fill strings of variable length */
    const H5D_alloc_time_t when = shape->deflate > 0 ? H5D_ALLOC_TIME_INCR : H5D_ALLOC_TIME_EARLY;
    if (H5Pset_alloc_time(creation, when) >= 0 &&
        H5Pset_fill_time(creation, text ? H5D_FILL_TIME_IFSET : H5D_FILL_TIME_NEVER) >= 0 &&
        (!shape->chunk || H5Pset_chunk(creation, shape->rank, shape->chunk) >= 0) &&
        (shape->deflate == 0 ||
         (H5Pset_shuffle(creation) >= 0 && H5Pset_deflate(creation, (unsigned)shape->deflate) >= 0))) {
        return creation;
    }
    (void)H5Pclose(creation);
    return H5I_INVALID_HID;
}

SinoStatus sino_hdf5_output_create(SinoHdf5Output *output, const SinoHdf5Shape *shape, hid_t *dataset)
{
    sino_hdf5_quiet();
    hid_t made = H5I_INVALID_HID;
    const hid_t space = shape->rank > 0 ? H5Screate_simple(shape->rank, shape->size, NULL) : H5Screate(H5S_SCALAR);
    const hid_t creation = dataset_creation(shape);
    const hid_t access = H5Pcreate(H5P_DATASET_ACCESS);
    /* No chunk cache: chunks are written whole, so each goes to the disk, and fails, at once. */
    if (space >= 0 && creation >= 0 && access >= 0 && H5Pset_chunk_cache(access, 0, 0, 0) >= 0) {
        made = H5Dcreate2(output->hdf5, shape->name, shape->file_type, space, output->link_creation, creation, access);
    }
    SinoStatus status = check(output, made >= 0, shape->name);
    if (space >= 0) (void)H5Sclose(space);
    if (creation >= 0) (void)H5Pclose(creation);
    if (access >= 0) (void)H5Pclose(access);
    if (!status) *dataset = made;
    return status;
}

SinoStatus sino_hdf5_output_reserve(SinoHdf5Output *output)
{
    hsize_t bytes = 0;
    SINO_TRY(check(output, H5Fget_filesize(output->hdf5, &bytes) >= 0, "the file's size"));
    return sino_output_reserve(output->file, (int64_t)bytes);
}

SinoStatus sino_hdf5_output_write(SinoHdf5Output *output, hid_t dataset, int rank, const hsize_t *first,
                                  const hsize_t *count, hid_t memory_type, const void *values)
{
    sino_hdf5_quiet();
    if (!count)
        return check(output, H5Dwrite(dataset, memory_type, H5S_ALL, H5S_ALL, output->whole, values) >= 0, "values");
    const hid_t memory = H5Screate_simple(rank, count, NULL);
    const hid_t space = H5Dget_space(dataset);
    const bool written = memory >= 0 && space >= 0 &&
                         H5Sselect_hyperslab(space, H5S_SELECT_SET, first, NULL, count, NULL) >= 0 &&
                         H5Dwrite(dataset, memory_type, memory, space, H5P_DEFAULT, values) >= 0;
    SinoStatus status = check(output, written, "values");
    if (memory >= 0) (void)H5Sclose(memory);
    if (space >= 0) (void)H5Sclose(space);
    return status;
}

SinoStatus sino_hdf5_output_write_chunk(SinoHdf5Output *output, hid_t dataset, const hsize_t *first, uint32_t left_out,
                                        int64_t count, const void *bytes)
{
    sino_hdf5_quiet();
    return check(output, H5Dwrite_chunk(dataset, H5P_DEFAULT, left_out, first, (size_t)count, bytes) >= 0, "values");
}

SinoStatus sino_hdf5_output_read(SinoHdf5Output *output, hid_t dataset, int rank, const hsize_t *first,
                                 const hsize_t *count, hid_t memory_type, void *values)
{
    sino_hdf5_quiet();
    const hid_t memory = H5Screate_simple(rank, count, NULL);
    const hid_t space = H5Dget_space(dataset);
    const bool read = memory >= 0 && space >= 0 &&
                      H5Sselect_hyperslab(space, H5S_SELECT_SET, first, NULL, count, NULL) >= 0 &&
                      H5Dread(dataset, memory_type, memory, space, H5P_DEFAULT, values) >= 0;
    if (memory >= 0) (void)H5Sclose(memory);
    if (space >= 0) (void)H5Sclose(space);
    SINO_HDF5_CHECK(read, SINO_FAILED, "%s: reading values back failed", output->path);
    return NULL;
}

SinoStatus sino_hdf5_output_chunk(SinoHdf5Output *output, hid_t dataset, const hsize_t *first, int64_t bytes,
                                  int64_t *place)
{
    haddr_t address = HADDR_UNDEF;
    hsize_t size = 0;
    unsigned filters = 0;
    sino_hdf5_quiet();
    SINO_TRY(check(output, H5Dget_chunk_info_by_coord(dataset, first, &filters, &address, &size) >= 0,
                   "where a chunk lies"));
    SINO_CHECK(address != HADDR_UNDEF && (int64_t)size == bytes, SINO_FAILED,
               "%s: a slice is not in one piece in the file; use one process", output->path);
    *place = (int64_t)address;
    return NULL;
}

SinoStatus sino_hdf5_output_values(SinoHdf5Output *output, const SinoHdf5Shape *shape, hid_t memory_type,
                                   const void *values, const char *description)
{
    hid_t dataset;
    SINO_TRY(sino_hdf5_output_create(output, shape, &dataset));
    SinoStatus status = sino_hdf5_output_write(output, dataset, shape->rank, NULL, NULL, memory_type, values);
    const bool closed = H5Dclose(dataset) >= 0;
    if (!status) status = check(output, closed, shape->name);
    if (status || !description) return status;
    return sino_hdf5_output_attribute(output, shape->name, "description", description);
}

SinoStatus sino_hdf5_output_stamp(SinoHdf5Output *output, int64_t offset, const void *bytes, size_t count, void *before)
{
    SINO_CHECK(!before || sino_output_read(output->file, offset, before, count), SINO_FAILED,
               "reading values back failed");
    sino_output_write(output->file, offset, bytes, count);
    sino_output_sync(output->file);
    return sino_output_status(output->file);
}

SinoStatus sino_hdf5_output_text(SinoHdf5Output *output, const char *name, const char *text)
{
    const SinoHdf5Shape shape = {.name = name, .file_type = output->text_type, .rank = 0};
    return sino_hdf5_output_values(output, &shape, output->text_type, &text, NULL);
}

static SinoStatus write_attribute(SinoHdf5Output *output, const char *object, const char *name, hid_t file_type,
                                  hid_t memory_type, const void *value)
{
    sino_hdf5_quiet();
    hid_t attribute = H5I_INVALID_HID;
    const hid_t space = H5Screate(H5S_SCALAR);
    if (space >= 0) {
        attribute =
            H5Acreate_by_name(output->hdf5, object, name, file_type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        (void)H5Sclose(space);
    }
    const bool written = attribute >= 0 && H5Awrite(attribute, memory_type, value) >= 0;
    const bool closed = attribute < 0 || H5Aclose(attribute) >= 0;
    return check(output, written && closed, name);
}

SinoStatus sino_hdf5_output_attribute(SinoHdf5Output *output, const char *object, const char *name, const char *text)
{
    return write_attribute(output, object, name, output->text_type, output->text_type, &text);
}

SinoStatus sino_hdf5_output_number(SinoHdf5Output *output, const char *object, const char *name, double value)
{
    return write_attribute(output, object, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &value);
}

SinoStatus sino_hdf5_output_seal(SinoHdf5Output *output)
{
    sino_hdf5_quiet();
    SinoStatus status = close_file(output);
    if (status) {
        sino_output_give_up(output->file);
    } else {
        status = sino_output_seal(output->file);
    }
    release(output);
    return status;
}

/* The status of a file that does not get its name does not matter. */
static void end_early(SinoHdf5Output *output, void (*end)(SinoOutputFile *))
{
    if (!output) return;
    sino_hdf5_quiet();
    if (output->file) sino_status_free(close_file(output));
    end(output->file);
    release(output);
}

void sino_hdf5_output_discard(SinoHdf5Output *output)
{
    end_early(output, sino_output_discard);
}

void sino_hdf5_output_keep(SinoHdf5Output *output)
{
    end_early(output, sino_output_keep);
}

void sino_hdf5_output_stay(SinoHdf5Output *output)
{
    sino_output_stay(output->file);
}
