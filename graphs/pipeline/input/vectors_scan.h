/* SPDX-License-Identifier: BSD-3-Clause */
/* Vectors scan: a scan whose projections have vectors, from a file and what the settings say. */
#pragma once

#include "cone.h"
#include "input.h"
#include "settings.h"

/* Sets input->view by --vectors, if the geometry is of vectors, for the part of the detector and the projections that
 * the input has. SINO_BAD_INPUT: as of sino_vectors_read; or the file has vectors of more or fewer projections than the
 * scan, or of a detector of another size; or no size of pixels is told, or two are; or as of sino_orbit_parse. */
SinoStatus sino_vectors_take(const SinoGeometrySettings *settings, SinoInput *input);

/* The vectors of such an input as --vectors reads them: numbers[projection of the file], of its whole detector. Those
 * of projections that the input leaves out stay. */
void sino_vectors_of_file(const SinoInput *input, double (*numbers)[SINO_VIEW_NUMBERS]);

/* sino_cone_scan of such an input, given the sizes of the detector and of the grid, whose middle is where the vectors
 * have 0. A voxel is as wide as a detector pixel seen there, the mean of all projections. Members of the cone that an
 * axis would determine are NaN. SINO_BAD_INPUT: the volume reaches behind the source, or no projection sees it; or with
 * fdk as of sino_fdk_check. */
SinoStatus sino_vectors_scan(const SinoSettings *settings, const SinoInput *input, SinoCone *cone);
