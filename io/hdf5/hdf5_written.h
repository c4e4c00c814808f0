/* SPDX-License-Identifier: BSD-3-Clause */
/* HDF5 written: which frames of a dataset another process has written so far. */
#pragma once

#include "hdf5_dataset.h"

/* Takes over the size that a dataset of three dimensions has now. `whole`: the number of frames, slices of its first
 * dimension, of which the first ones were whole before; becomes that of frames whose chunks all are stored. If chunks
 * have several frames, one whose middle row has the fill value alone has not been written. SINO_FAILED: no readable
 * size, or another size of a frame. */
SinoStatus sino_dataset_grow(SinoDataset *dataset, int64_t *whole);

/* The checksum of the middle row of the first frame, which tells two scans apart. */
SinoStatus sino_dataset_first_row(const SinoDataset *dataset, char digits[17]);
