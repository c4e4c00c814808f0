/* SPDX-License-Identifier: BSD-3-Clause */
/* HDF5 attribute: reading attributes of unknown type. */
#include "hdf5_attribute.h"

#include <string.h>

/* Reads a text of fixed length, which HDF5 cuts to the size. */
static bool read_fixed(hid_t attribute, hid_t type, char text[SINO_HDF5_TEXT])
{
    const hid_t memory = H5Tcopy(H5T_C_S1);
    const bool fine = memory >= 0 && H5Tset_size(memory, SINO_HDF5_TEXT) >= 0 &&
                      H5Tset_cset(memory, H5Tget_cset(type)) >= 0 && H5Aread(attribute, memory, text) >= 0;
    if (memory >= 0) (void)H5Tclose(memory);
    if (!fine) return false;
    text[SINO_HDF5_TEXT - 1] = '\0';
    for (size_t length = strlen(text); length > 0 && text[length - 1] == ' '; length--) text[length - 1] = '\0';
    return true;
}

/* Reads a text of variable or of fixed length. False: it is none, or too long. */
static bool read_text(hid_t attribute, hid_t type, char text[SINO_HDF5_TEXT])
{
    const hid_t space = H5Aget_space(attribute);
    const bool single = space >= 0 && H5Sget_simple_extent_npoints(space) == 1;
    if (space >= 0) (void)H5Sclose(space);
    if (!single || H5Tget_class(type) != H5T_STRING) return false;
    if (H5Tis_variable_str(type) > 0) {
        char *found = NULL;
        if (H5Aread(attribute, type, &found) < 0 || !found) return false;
        const size_t length = strlen(found);
        if (length < SINO_HDF5_TEXT) memcpy(text, found, length + 1);
        (void)H5free_memory(found);
        return length < SINO_HDF5_TEXT;
    }
    return read_fixed(attribute, type, text);
}

bool sino_hdf5_text(hid_t object, const char *name, char text[SINO_HDF5_TEXT])
{
    if (H5Aexists(object, name) <= 0) return false;
    const hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    const hid_t type = attribute >= 0 ? H5Aget_type(attribute) : H5I_INVALID_HID;
    const bool fine = type >= 0 && read_text(attribute, type, text);
    if (type >= 0) (void)H5Tclose(type);
    if (attribute >= 0) (void)H5Aclose(attribute);
    return fine;
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
