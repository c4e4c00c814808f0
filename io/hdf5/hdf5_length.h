/* SPDX-License-Identifier: BSD-3-Clause */
/* HDF5 length: one length of an apparatus, with its unit, as other programs store it. */
#pragma once

#include <hdf5.h>

/* The length in mm that the dataset `name` of one number says with its text attribute `units` (m, mm, um, micrometres
 * …). 0: there is no such dataset, or it cannot be read, has several numbers, no unit of length, or a number that is
 * not finite. `path`: of the file. */
double sino_hdf5_length(const char *path, hid_t file, const char *name);

/* Millimetres of a unit of length; 0: it is none. */
double sino_length_unit(const char *text);
