/* SPDX-License-Identifier: BSD-3-Clause */
/* Scan limits: the largest scan that is read. A larger number in a file is damage or an attack. */
#pragma once

/* Rows or columns of a detector; projections, flat fields or dark fields of a scan. Planning takes some seconds for as
 * many projections. */
enum { SINO_SIDE_MAX = 1 << 20, SINO_IMAGES_MAX = 1 << 20 };
