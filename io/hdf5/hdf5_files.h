/* SPDX-License-Identifier: BSD-3-Clause */
/* HDF5 files: those of other programs, which are read, and those that sinodag writes. */
#pragma once

#include "files.h"
#include "paths.h"
#include "status.h"

#include <hdf5.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* HDF5 attribute: short texts and integers that other programs attach to groups and datasets. */

enum { SINO_HDF5_TEXT = 128 };

/* Reads a text of fixed or variable length. False: `object` has no such attribute, or it is no single text of fewer
 * than SINO_HDF5_TEXT characters; of texts of fixed length the beginning is read. */
bool sino_hdf5_text(hid_t object, const char *name, char text[SINO_HDF5_TEXT]);

/* The same for an attribute that is a text or a list of texts, of which it reads the first one. */
bool sino_hdf5_first_text(hid_t object, const char *name, char text[SINO_HDF5_TEXT]);

/* The same for text number `number` of an attribute that is a list of `count` texts. */
bool sino_hdf5_text_of(hid_t object, const char *name, int64_t count, int64_t number, char text[SINO_HDF5_TEXT]);

/* The same for the value of a dataset: one text, or a list of one. */
bool sino_hdf5_dataset_text(hid_t dataset, char text[SINO_HDF5_TEXT]);

/* Reads `count` integers. False: there is no such attribute, or it holds something else. */
bool sino_hdf5_integers(hid_t object, const char *name, int64_t count, int64_t *values);

/* Reads an attribute that is one number. False: there is none; *value stays. */
bool sino_hdf5_attribute_number(hid_t object, const char *name, double *value);

/* HDF5 dataset: reads numbers from HDF5 files of other programs; errors name file and dataset. */

enum {
    SINO_DATASET_RANK = H5S_MAX_RANK, /* the highest rank that is read */
    SINO_ANY_RANK = -1
};

typedef struct SinoDataset {
    hid_t id;         /* H5I_INVALID_HID: closed, or the dataset is absent */
    const char *file; /* for messages; not owned */
    const char *name; /* not owned */
    int rank;
    int64_t size[SINO_DATASET_RANK];
    int64_t chunk[SINO_DATASET_RANK]; /* 1 in every dimension when the layout is not chunked */
    int64_t value_bytes;
    bool chunked;
    bool filtered;        /* its chunks pass filters, such as compression */
    bool deflated;        /* the last filter is deflate, and the others keep the number of bytes */
    bool scaled;          /* a value is offset + scale · stored number, as the attributes scale_factor and add_offset
                           * say (CF conventions) */
    double scale, offset; /* 1 and 0 if it is not scaled */
    char stored_type[16]; /* "uint16", "float64" … */
} SinoDataset;

/* Whether a regular file has HDF5's signature. Such a file may still be damaged. */
bool sino_hdf5_probe(const char *path);

/* Opens a file for reading; the caller closes it with H5Fclose. SINO_BAD_INPUT: no such file, a directory, not HDF5,
 * damaged. */
SinoStatus sino_hdf5_open(const char *path, hid_t *file);

/* Opens the dataset `name` of integers or floating-point numbers with exactly `rank` dimensions, or SINO_ANY_RANK. If
 * an optional dataset is absent, dataset->id is H5I_INVALID_HID. `path` and `name` must outlive the dataset.
 * SINO_BAD_INPUT: absent, dangling link, not a dataset, another rank or type, a filter that this HDF5 lacks, a
 * scale_factor of 0 or one that is not finite. Whether its values exist is not checked: sino_dataset_open_whole. */
SinoStatus sino_dataset_open(const char *path, hid_t file, const char *name, int rank, bool optional,
                             SinoDataset *dataset);
void sino_dataset_close(SinoDataset *dataset); /* accepts an absent dataset */

/* Reads the box [first, first + count): values of memory_type, of scaled numbers those that they stand for, which must
 * be H5T_NATIVE_FLOAT or H5T_NATIVE_DOUBLE (SINO_BAD_INPUT: integers, such as indices, are wanted). HDF5 takes some
 * kilobytes for each chunk of a read; the box is therefore read in pieces of few chunks. */
SinoStatus sino_dataset_read(const SinoDataset *dataset, const int64_t *first, const int64_t *count, hid_t memory_type,
                             void *values);

/* HDF5 chunk: checks that stored chunks have all their bytes. HDF5 1.10 takes a chunk that was stored without some of
 * its filters, or that is short once decompressed, for whole, and reads beyond its end. */

/* Checks every chunk that the box [first, first + count) touches. SINO_BAD_INPUT: a chunk is stored without filters in
 * fewer bytes than it has, or the first chunk of the box is short when it is decompressed by deflate. */
SinoStatus sino_hdf5_check_chunks(const SinoDataset *dataset, const int64_t *first, const int64_t *count);

/* Whether all chunks of a frame, number `frame` along the first dimension, are stored; true also if this HDF5 cannot
 * tell. */
SinoStatus sino_hdf5_frame_stored(const SinoDataset *dataset, int64_t frame, bool *stored);

/* HDF5 driver: HDF5 writes through an output file (files.h), which hides failures from HDF5.
 *
 * When HDF5 1.10 learns of a full disk, it keeps a file that can be neither closed nor dropped; at exit it tries again,
 * prints errors and may crash. With this driver HDF5 always closes cleanly, and sino_output_status returns the failure.
 */

/* Returns a driver, negative on failure. Unregister it after its files are closed: HDF5 1.10 would otherwise release
 * the driver with its last file, and then call it. */
hid_t sino_hdf5_driver_register(void);
void sino_hdf5_driver_unregister(hid_t driver); /* accepts a negative value */

/* Returns a file access property list for H5Fcreate, which the caller closes with H5Pclose; negative on failure. `file`
 * is not owned, and must outlive the HDF5 file. */
hid_t sino_hdf5_driver_access(hid_t driver, SinoOutputFile *file);

/* HDF5 error: statuses that contain HDF5's own reason for a failure. */

/* Stops HDF5 from printing errors. Every function that calls HDF5 calls this first. */
void sino_hdf5_quiet(void);

/* Creates an error whose text ends in " (HDF5: reason)": the innermost reason of the call that failed last. */
SinoStatus sino_hdf5_error(SinoErrorKind kind, const char *format, ...) __attribute__((format(printf, 2, 3)));

#define SINO_HDF5_CHECK(condition, ...)                                                                                \
    do {                                                                                                               \
        if (!(condition)) return sino_hdf5_error(__VA_ARGS__);                                                         \
    } while (0)

#define SINO_HDF5_CHECK_OR(status, label, condition, ...)                                                              \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            (status) = sino_hdf5_error(__VA_ARGS__);                                                                   \
            goto label;                                                                                                \
        }                                                                                                              \
    } while (0)

/* HDF5 growing: files that another process still writes. A file that is written with SWMR (single writer, multiple
 * readers) can be read at any time; another one between the writer's flushes. */

/* What the superblock says of the writer; older superblocks than version 3 say nothing. */
typedef enum SinoHdf5Writer {
    SINO_HDF5_NO_WRITER, /* or it is not known */
    SINO_HDF5_WRITER,    /* HDF5 refuses to open the file */
    SINO_HDF5_SWMR_WRITER
} SinoHdf5Writer;

SinoHdf5Writer sino_hdf5_writer(const char *path);

/* Opens a file for reading beside its writer, without a lock, which might keep the writer from opening it again; the
 * caller closes it with H5Fclose. *swmr: with SWMR; then H5Drefresh shows how datasets have grown. SINO_BAD_INPUT: as
 * of sino_hdf5_open. */
SinoStatus sino_hdf5_open_growing(const char *path, bool *swmr, hid_t *file);

/* SINO_BAD_INPUT: the stored chunks of the dataset do not tell which frames have come. */
SinoStatus sino_dataset_check_growing(const SinoDataset *dataset);

/* HDF5 images: which datasets of a file might hold projections, for refusals. */

/* Writes what of an open file might be projections into `text`: datasets of three dimensions, and links that
 * lead nowhere, those of the root first, as "for --dataset: /a/b (uint16, 90 x 4 x 5), /c …; /d is a link to …"; "" if
 * there is neither. */
void sino_hdf5_images(const char *path, hid_t file, size_t size, char *text);

/* HDF5 length: one length of an apparatus, with its unit, as other programs store it. */

/* The length in mm that the dataset `name` of one number says with its text attribute `units` (m, mm, um, micrometres
 * …). 0: there is no such dataset, or it cannot be read, has several numbers, no unit of length, or a number that is
 * not finite. `path`: of the file. */
double sino_hdf5_length(const char *path, hid_t file, const char *name);

/* Millimetres of a unit of length; 0: it is none. */
double sino_length_unit(const char *text);

/* HDF5 output: an HDF5 file that gets its final name only when it is complete. */

typedef struct SinoHdf5Output SinoHdf5Output;

/* A dataset of `rank` 0 (one value) or more dimensions. */
typedef struct SinoHdf5Shape {
    const char *name; /* missing groups are created */
    hid_t file_type;
    int rank;
    const hsize_t *size;
    const hsize_t *chunk; /* NULL: contiguous */
    int deflate;          /* level of compression of the chunks, whose bytes are shuffled before; 0: none */
} SinoHdf5Shape;

/* Creates the file under its temporary name; the caller ends with _seal or _discard. Errors as of sino_output_open. */
SinoStatus sino_hdf5_output_open(const char *path, bool overwrite, SinoHdf5Output **output);

/* sino_hdf5_output_open over the temporary file that a killed run left behind: where the same datasets are created in
 * the same order, they find the values that the killed run wrote. */
SinoStatus sino_hdf5_output_reopen(const char *path, bool overwrite, SinoHdf5Output **output);

/* Creates a dataset, and, unless it is compressed, allocates its space in the file without filling it. The file closes
 * the dataset; an earlier H5Dclose is allowed. */
SinoStatus sino_hdf5_output_create(SinoHdf5Output *output, const SinoHdf5Shape *shape, hid_t *dataset);

/* Reserves disk space for everything created so far, if the file system can. SINO_FAILED: the disk is too small. */
SinoStatus sino_hdf5_output_reserve(SinoHdf5Output *output);

/* Writes values of memory_type into the box [first, first + count) of a dataset; count NULL: the whole dataset. */
SinoStatus sino_hdf5_output_write(SinoHdf5Output *output, hid_t dataset, int rank, const hsize_t *first,
                                  const hsize_t *count, hid_t memory_type, const void *values);

/* Writes a chunk that begins at `first`, as its filters have left it; bit k of `left_out`: without filter k. */
SinoStatus sino_hdf5_output_write_chunk(SinoHdf5Output *output, hid_t dataset, const hsize_t *first, uint32_t left_out,
                                        int64_t count, const void *bytes);

/* Reads values of the box [first, first + count) of a dataset back. */
SinoStatus sino_hdf5_output_read(SinoHdf5Output *output, hid_t dataset, int rank, const hsize_t *first,
                                 const hsize_t *count, hid_t memory_type, void *values);

/* Creates and writes a small dataset, with an attribute `description` unless that is NULL. */
SinoStatus sino_hdf5_output_values(SinoHdf5Output *output, const SinoHdf5Shape *shape, hid_t memory_type,
                                   const void *values, const char *description);

/* *place: offset in the file of the chunk that begins at `first`, which is uncompressed. SINO_FAILED: it has not
 * `bytes` bytes. */
SinoStatus sino_hdf5_output_chunk(SinoHdf5Output *output, hid_t dataset, const hsize_t *first, int64_t bytes,
                                  int64_t *place);

/* Writes bytes at an offset of the file, for other processes to see. before[count] gets the bytes that were there;
 * NULL: they are not wanted. */
SinoStatus sino_hdf5_output_stamp(SinoHdf5Output *output, int64_t offset, const void *bytes, size_t count,
                                  void *before);

/* Writes a UTF-8 text of any length, which h5py reads as str. */
SinoStatus sino_hdf5_output_text(SinoHdf5Output *output, const char *name, const char *text);

/* Writes a text attribute `name` of an object ("/" is the file). */
SinoStatus sino_hdf5_output_attribute(SinoHdf5Output *output, const char *object, const char *name, const char *text);

/* The same of a number. */
SinoStatus sino_hdf5_output_number(SinoHdf5Output *output, const char *object, const char *name, double value);

/* Flushes, closes and syncs the file, and gives it its final name. Frees the output in either case; on failure no file
 * has the final name. */
SinoStatus sino_hdf5_output_seal(SinoHdf5Output *output);
void sino_hdf5_output_discard(SinoHdf5Output *output); /* takes NULL */
void sino_hdf5_output_keep(SinoHdf5Output *output);    /* leaves the temporary file for _reopen; takes NULL */
void sino_hdf5_output_stay(SinoHdf5Output *output);    /* as sino_output_stay */

/* HDF5 places: where HDF5 looks for another file that a file names, for virtual datasets, external links and external
 * raw files. */

/* Opens the source file `name` of a virtual dataset in the file `user`, in the first place where HDF5 finds it. *path
 * is its path, *file the open file; the caller frees and closes them. SINO_BAD_INPUT: no such file, it is damaged, or
 * it is no regular file. */
SinoStatus sino_hdf5_open_source(const char *user, const char *name, char **path, hid_t *file);

/* *path: where HDF5 looks for the external raw file `name` of a dataset in the file `user`; the caller frees it. */
SinoStatus sino_hdf5_raw_path(const char *user, const char *name, char **path);

/* An access list for links and datasets, which the caller closes with H5Pclose: HDF5 follows no external link to
 * anything but a regular file. Negative on failure. */
hid_t sino_hdf5_link_access(void);

/* HDF5 source: datasets whose values lie in other files, virtual or external. Where a file is missing, cut or too
 * small, HDF5 silently reads fill values; here that is an error. */

/* sino_dataset_open, and the paths of the files with values of the dataset are added to `files`. SINO_BAD_INPUT, in
 * addition: a source of a virtual dataset is missing, damaged, smaller than what is taken from it, or of another type
 * (the error names the source); sources that leave values undefined, are named by a pattern with %b, refer to one
 * another in a ring, or are nested more than 8 deep; an external raw file is missing or too short; the dataset was
 * never written. */
SinoStatus sino_dataset_open_whole(const char *path, hid_t file, const char *name, int rank, bool optional,
                                   SinoFileList *files, SinoDataset *dataset);

/* HDF5 written: which frames of a dataset another process has written so far. */

/* Takes over the size that a dataset of three dimensions has now. `whole`: the number of frames, slices of its first
 * dimension, of which the first ones were whole before; becomes that of frames whose chunks all are stored. If chunks
 * have several frames, one whose middle row has the fill value alone has not been written. SINO_FAILED: no readable
 * size, or another size of a frame. */
SinoStatus sino_dataset_grow(SinoDataset *dataset, int64_t *whole);

/* The checksum of the middle row of the first frame, which tells two scans apart. */
SinoStatus sino_dataset_first_row(const SinoDataset *dataset, char digits[17]);
