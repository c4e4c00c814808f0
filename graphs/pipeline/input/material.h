/* SPDX-License-Identifier: BSD-3-Clause */
/* Material: refraction and absorption of X-rays by a material of known formula, density and attenuation.
 *
 *     δ = r_e·λ²·n_e/(2π),    n_e = ρ·N_A·ΣZ/ΣA,    β = µ·λ/(4π)
 *
 * with the classical radius of the electron r_e and the electrons of the formula, ΣZ of mass ΣA (Als-Nielsen and
 * McMorrow, Elements of Modern X-ray Physics, 2nd ed., ch. 3.1). Beside the absorption edges of the heavier elements δ
 * differs from that by a few percent. Atomic weights are the standard ones, abridged (IUPAC, 2021). */
#pragma once

#include "status.h"

/* The electrons and the mass, in g/mol, of a formula such as CaCO3, Ca10(PO4)6(OH)2 or Fe0.7Ni0.3. SINO_BAD_INPUT: it
 * is none, or has an element without a standard atomic weight. */
SinoStatus sino_material_formula(const char *formula, double *electrons, double *mass);

/* *delta_beta at an energy. density in g/cm³, attenuation µ in 1/cm, both above 0. Errors: as above. */
SinoStatus sino_material_delta_beta(const char *formula, double density, double attenuation, double energy_kev,
                                    double *delta_beta);
