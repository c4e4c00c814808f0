/* SPDX-License-Identifier: BSD-3-Clause */
/* Count type: HDF5's types of a scan's counts, in memory and in the files that sinodag writes. */
#pragma once

#include "scan.h"

#include <hdf5.h>

static inline hid_t sino_count_memory_type(SinoCountType type)
{
    if (type == SINO_COUNT_UINT8) return H5T_NATIVE_UINT8;
    return type == SINO_COUNT_UINT16 ? H5T_NATIVE_UINT16 : H5T_NATIVE_FLOAT;
}

static inline hid_t sino_count_file_type(SinoCountType type)
{
    if (type == SINO_COUNT_UINT8) return H5T_STD_U8LE;
    return type == SINO_COUNT_UINT16 ? H5T_STD_U16LE : H5T_IEEE_F32LE;
}
