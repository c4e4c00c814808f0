/* SPDX-License-Identifier: BSD-3-Clause */
/* recon of a cone beam, inside: shared by FDK (recon_cone.c) and the iterative algorithms (recon_cone_solution.c). */
#pragma once

#include "recon_volume.h"
#include "solver.h"
#include "unit_plan.h"

/* Opens the scan. The cone with the axis that is given, or else in the middle; and the request of its volume. Errors:
 * those of sino_recon_open_scan and sino_cone_scan. */
SinoStatus sino_recon_cone_begin(SinoRecon *recon, SinoCone *cone);

/* The cone with the axis that is known, or as in sino_recon_cone_begin, and the size of its volume in the request. */
SinoStatus sino_recon_cone_size(SinoRecon *recon, SinoCone *cone);

/* Collective. The machine of the run's plans. */
SinoStatus sino_recon_cone_machine(const SinoRecon *recon, SinoMachine *machine);

/* Of --output-range auto (recon_cone_range.c), collective. _sample is SinoReconKind.sample_planes; _range_plan raises
 * the bytes of a rank, of all and of StarPU data, to what that takes before the run. Nothing if the range is given. */
SinoStatus sino_recon_cone_sample(SinoRecon *recon, SinoRecord *record);
SinoStatus sino_recon_cone_range_plan(const SinoRecon *recon, const SinoCone *cone, int64_t *total_bytes,
                                      int64_t *data_bytes);

/* Collective: every rank finds the same. What fista adds to the residual (recon_cone_prior.c), as the settings say or,
 * where they are auto, by the row nearest to the plane of the source as a fan beam. The axis is known;
 * photon_weights and mask: SinoSolverRun. `input` is line integrals where stages need whole sinograms. */
SinoStatus sino_recon_cone_prior(SinoRuntime *runtime, const SinoSettings *settings, const SinoInput *input,
                                 const SinoCone *cone, bool photon_weights, const unsigned char *mask,
                                 SinoRegularization *found);

/* --iterations auto: the number of cg, sirt, mlem or osem, at most the number of the settings, which it logs. On one
 * rank; `input` as above. SINO_BAD_INPUT: there is only one projection. */
SinoStatus sino_recon_cone_iterations(SinoRuntime *runtime, const SinoSettings *settings, const SinoInput *input,
                                      const SinoCone *cone, const unsigned char *mask, int64_t *iterations);

/* Logs the geometry. `arc`: what the angles cover, in words; NULL: not told. */
void sino_recon_cone_tell(const SinoRecon *recon, const SinoCone *cone, const char *arc);

/* Numbers of the scan and of the volume. */
SinoReconSizes sino_recon_cone_sizes(const SinoCone *cone);

/* What the report tells of a cone beam's volume. */
SinoReconFacts sino_recon_cone_facts(const SinoCone *cone, int64_t memory_bytes, int64_t budget_bytes,
                                     int64_t data_bytes);
