/* SPDX-License-Identifier: BSD-3-Clause */
/* HDF5 attribute: reading attributes of unknown type. */
#include "hdf5_files.h"

#include <string.h>

/* What has texts: an attribute, or a dataset. */
typedef struct Holder {
    hid_t id;
    bool dataset;
} Holder;

enum { TEXTS_MAX = 64 };

static bool read_all(const Holder *holder, hid_t memory, void *to)
{
    return (holder->dataset ? H5Dread(holder->id, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, to)
                            : H5Aread(holder->id, memory, to)) >= 0;
}

/* Reads number `number` of `count` texts of fixed length, which HDF5 cuts to the size. */
static bool read_fixed(const Holder *holder, hid_t type, int64_t count, int64_t number, char text[SINO_HDF5_TEXT])
{
    char texts[TEXTS_MAX * SINO_HDF5_TEXT];
    const hid_t memory = H5Tcopy(H5T_C_S1);
    const bool fine = memory >= 0 && count <= TEXTS_MAX && H5Tset_size(memory, SINO_HDF5_TEXT) >= 0 &&
                      H5Tset_cset(memory, H5Tget_cset(type)) >= 0 && read_all(holder, memory, texts);
    if (memory >= 0) (void)H5Tclose(memory);
    if (!fine) return false;
    memcpy(text, texts + number * SINO_HDF5_TEXT, SINO_HDF5_TEXT);
    text[SINO_HDF5_TEXT - 1] = '\0';
    for (size_t length = strlen(text); length > 0 && text[length - 1] == ' '; length--) text[length - 1] = '\0';
    return true;
}

static bool read_variable(const Holder *holder, hid_t type, int64_t count, int64_t number, char text[SINO_HDF5_TEXT])
{
    char *found[TEXTS_MAX] = {NULL};
    if (count > TEXTS_MAX || !read_all(holder, type, found)) return false;
    const size_t length = found[number] ? strlen(found[number]) : SINO_HDF5_TEXT;
    if (length < SINO_HDF5_TEXT) memcpy(text, found[number], length + 1);
    for (int64_t i = 0; i < count; i++)
        if (found[i]) (void)H5free_memory(found[i]);
    return length < SINO_HDF5_TEXT;
}

/* The texts that a holder must have, and the one that is read. */
typedef struct Texts {
    int64_t least, most, number;
} Texts;

/* Reads a text of variable or of fixed length. False: it is none, or too long. */
static bool read_text(const Holder *holder, Texts wanted, char text[SINO_HDF5_TEXT])
{
    const hid_t space = holder->dataset ? H5Dget_space(holder->id) : H5Aget_space(holder->id);
    const hid_t type = holder->dataset ? H5Dget_type(holder->id) : H5Aget_type(holder->id);
    const int64_t count = space >= 0 ? (int64_t)H5Sget_simple_extent_npoints(space) : 0;
    bool fine = type >= 0 && count >= wanted.least && count <= wanted.most && H5Tget_class(type) == H5T_STRING;
    if (fine && H5Tis_variable_str(type) > 0)
        fine = read_variable(holder, type, count, wanted.number, text);
    else if (fine)
        fine = read_fixed(holder, type, count, wanted.number, text);
    if (type >= 0) (void)H5Tclose(type);
    if (space >= 0) (void)H5Sclose(space);
    return fine;
}

static bool read_attribute(hid_t object, const char *name, Texts wanted, char text[SINO_HDF5_TEXT])
{
    if (H5Aexists(object, name) <= 0) return false;
    const Holder holder = {.id = H5Aopen(object, name, H5P_DEFAULT)};
    const bool fine = holder.id >= 0 && read_text(&holder, wanted, text);
    if (holder.id >= 0) (void)H5Aclose(holder.id);
    return fine;
}

bool sino_hdf5_text(hid_t object, const char *name, char text[SINO_HDF5_TEXT])
{
    return read_attribute(object, name, (Texts){1, 1, 0}, text);
}

bool sino_hdf5_first_text(hid_t object, const char *name, char text[SINO_HDF5_TEXT])
{
    return read_attribute(object, name, (Texts){1, TEXTS_MAX, 0}, text);
}

bool sino_hdf5_text_of(hid_t object, const char *name, int64_t count, int64_t number, char text[SINO_HDF5_TEXT])
{
    return read_attribute(object, name, (Texts){count, count, number}, text);
}

bool sino_hdf5_dataset_text(hid_t dataset, char text[SINO_HDF5_TEXT])
{
    return read_text(&(Holder){.id = dataset, .dataset = true}, (Texts){1, 1, 0}, text);
}

bool sino_hdf5_integers(hid_t object, const char *name, int64_t count, int64_t *values)
{
    if (H5Aexists(object, name) <= 0) return false;
    const hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    const hid_t type = attribute >= 0 ? H5Aget_type(attribute) : H5I_INVALID_HID;
    const hid_t space = attribute >= 0 ? H5Aget_space(attribute) : H5I_INVALID_HID;
    const bool fine = type >= 0 && space >= 0 && H5Tget_class(type) == H5T_INTEGER &&
                      H5Sget_simple_extent_npoints(space) == count && H5Aread(attribute, H5T_NATIVE_INT64, values) >= 0;
    if (space >= 0) (void)H5Sclose(space);
    if (type >= 0) (void)H5Tclose(type);
    if (attribute >= 0) (void)H5Aclose(attribute);
    return fine;
}

bool sino_hdf5_attribute_number(hid_t object, const char *name, double *value)
{
    double found;
    const hid_t attribute = H5Aexists(object, name) > 0 ? H5Aopen(object, name, H5P_DEFAULT) : H5I_INVALID_HID;
    if (attribute < 0) return false;
    const hid_t space = H5Aget_space(attribute), type = H5Aget_type(attribute);
    const H5T_class_t class = type >= 0 ? H5Tget_class(type) : H5T_NO_CLASS;
    const bool read = (class == H5T_INTEGER || class == H5T_FLOAT) && space >= 0 &&
                      H5Sget_simple_extent_npoints(space) == 1 && H5Aread(attribute, H5T_NATIVE_DOUBLE, &found) >= 0;
    if (type >= 0) (void)H5Tclose(type);
    if (space >= 0) (void)H5Sclose(space);
    (void)H5Aclose(attribute);
    if (read) *value = found;
    return read;
}
