/* SPDX-License-Identifier: BSD-3-Clause */
/* HDF5 chunk: checks chunks that are stored without some of their filters. HDF5 1.10 takes such a chunk for whole
 * whatever its size, and reads beyond its end. */
#ifndef SINO_HDF5_CHUNK_H
#define SINO_HDF5_CHUNK_H

#include "hdf5_dataset.h"

/* Checks every chunk that the box [first, first + count) touches. SINO_BAD_INPUT: a chunk is stored without filters in
 * fewer bytes than it has. */
SinoStatus sino_hdf5_check_chunks(const SinoDataset *dataset, const int64_t *first, const int64_t *count);

#endif
