/* SPDX-License-Identifier: BSD-3-Clause */
/* HDF5 follow: the projections of an HDF5 file that another process still writes.
 *
 * A file that is written with SWMR is read at any time. Of another one, projections count once the file has not changed
 * for a while, or were there at an earlier look; the file is opened anew for every look that may show more. */
#pragma once

#include "hdf5_scan.h"

/* Opens hdf5->file to be followed; the data of the scan will be followed, too. */
SinoStatus sino_hdf5_follow_open(SinoHdf5Scan *hdf5);

/* hdf5_follow_angles.c: all projections that will come, and their angles: those of --theta, or of the dataset `theta`.
 * Call it when all datasets are open. SINO_BAD_INPUT: there are no angles; fewer than projections; or as of
 * sino_hdf5_follow_begin. */
SinoStatus sino_hdf5_follow_expect(SinoHdf5Scan *hdf5, const SinoScanRequest *request, const char *theta,
                                   SinoScan *scan);

/* The same for a scan that has its projections and their angles. `theta`: the dataset of these; NULL: they are the
 * user's. SINO_BAD_INPUT: angles that come with the projections. */
SinoStatus sino_hdf5_follow_begin(SinoHdf5Scan *hdf5, const char *theta, const SinoScan *scan);

/* SinoScanSource.look. */
SinoStatus sino_hdf5_follow_look(void *file, SinoScanLook *found);

/* Opens what is closed, before a read. _again: before a read that has failed is repeated, everything. */
SinoStatus sino_hdf5_follow_ready(SinoHdf5Scan *hdf5);
SinoStatus sino_hdf5_follow_again(SinoHdf5Scan *hdf5);
