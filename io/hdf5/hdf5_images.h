/* SPDX-License-Identifier: BSD-3-Clause */
/* HDF5 images: which datasets of a file might hold projections, for refusals. */
#pragma once

#include <stddef.h>

#include <hdf5.h>

/* Writes what of an open file might be projections into `text`: datasets of three dimensions, and links that
 * lead nowhere, those of the root first, as "for --dataset: /a/b (uint16, 90 x 4 x 5), /c …; /d is a link to …"; "" if
 * there is neither. */
void sino_hdf5_images(const char *path, hid_t file, size_t size, char *text);
