/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone, the kind of operator: a cone beam's A and Aᵀ without a matrix (cone_project.h). A volume is one slice of the
 * engine. Its partitions are bands of rows, [row][column][z], z contiguous; a vector of rays has [angle][column][row]
 * in the order of the subsets of angles. Single precision. One rank has the whole volume. */
#pragma once

#include "operator.h"

/* Rows of a band. They depend on the volume alone, as the last bits of sums over bands do. */
int64_t sino_cone_band_rows(const SinoCone *cone);

/* Work that the products of a whole volume tell (sino_runtime_advance), from iteration 1 on: what solvers do before
 * depends on them. */
double sino_cone_product_work(const SinoCone *cone);

/* "2 x 2 rays, as they span 2 x 2 voxels": the pixels of the projection with most rays; empty if none has several. */
enum { SINO_CONE_PIXELS_TEXT = 96 };
const char *sino_cone_pixels_text(const SinoCone *cone, char text[SINO_CONE_PIXELS_TEXT]);
