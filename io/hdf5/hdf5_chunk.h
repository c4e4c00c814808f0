/* SPDX-License-Identifier: BSD-3-Clause */
/* HDF5 chunk: checks that stored chunks have all their bytes. HDF5 1.10 takes a chunk that was stored without some of
 * its filters, or that is short once decompressed, for whole, and reads beyond its end. */
#pragma once

#include "hdf5_dataset.h"

/* Checks every chunk that the box [first, first + count) touches. SINO_BAD_INPUT: a chunk is stored without filters in
 * fewer bytes than it has, or the first chunk of the box is short when it is decompressed by deflate. */
SinoStatus sino_hdf5_check_chunks(const SinoDataset *dataset, const int64_t *first, const int64_t *count);

/* Whether all chunks of a frame, number `frame` along the first dimension, are stored; true also if this HDF5 cannot
 * tell. */
SinoStatus sino_hdf5_frame_stored(const SinoDataset *dataset, int64_t frame, bool *stored);
