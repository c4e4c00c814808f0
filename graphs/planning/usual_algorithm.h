/* SPDX-License-Identifier: BSD-3-Clause */
/* Usual algorithm: the one of a scan with cone or fan beams, or vectors, where the user names none: fista where its
 * vectors are small, else fdk, or cg where projections have vectors. Of a file, of arrays in memory, and of the sizes
 * that plan and simulate are given, so that all of them choose the same. Usual iterations: those of fista where the
 * user gives no number. */
#pragma once

#include "geometry.h"
#include "settings.h"

/* A SinoSettingsSource. fdk is told of a --grid whose ranks have parts of the volume of a cone. Nothing is told of
 * other geometries, where the lengths of the beam are missing, and where fdk alone serves: with --follow,
 * in mixed precision, and by rates of fdk. SINO_BAD_INPUT: the scan cannot be opened. */
SinoStatus sino_usual_algorithm(const SinoSettings *given, SinoToldSettings *told);

/* Sets the iterations of settings that leave them to sinodag, if a scan of parallel beams has few angles for its
 * columns, or a gap between them within half a turn, or one of cone or fan beams so many that fista takes more subsets
 * (sino_solver_orbit_iterations); else changes nothing. The geometry is of the angles and columns that are
 * reconstructed. SINO_FAILED: no memory. */
SinoStatus sino_usual_iterations(const SinoGeometry *geometry, SinoSettings *settings);
