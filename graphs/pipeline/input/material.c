/* SPDX-License-Identifier: BSD-3-Clause */
/* Material: reads formulas, and computes δ/β. */
#include "input_parts.h"

#include "arithmetic.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Elements by atomic number; weight 0: none is standard. */
static const struct {
    char symbol[3];
    double weight;
} elements[] = {
    {"", 0},        {"H", 1.008},   {"He", 4.0026}, {"Li", 6.94},   {"Be", 9.0122}, {"B", 10.81},   {"C", 12.011},
    {"N", 14.007},  {"O", 15.999},  {"F", 18.998},  {"Ne", 20.180}, {"Na", 22.990}, {"Mg", 24.305}, {"Al", 26.982},
    {"Si", 28.085}, {"P", 30.974},  {"S", 32.06},   {"Cl", 35.45},  {"Ar", 39.95},  {"K", 39.098},  {"Ca", 40.078},
    {"Sc", 44.956}, {"Ti", 47.867}, {"V", 50.942},  {"Cr", 51.996}, {"Mn", 54.938}, {"Fe", 55.845}, {"Co", 58.933},
    {"Ni", 58.693}, {"Cu", 63.546}, {"Zn", 65.38},  {"Ga", 69.723}, {"Ge", 72.630}, {"As", 74.922}, {"Se", 78.971},
    {"Br", 79.904}, {"Kr", 83.798}, {"Rb", 85.468}, {"Sr", 87.62},  {"Y", 88.906},  {"Zr", 91.224}, {"Nb", 92.906},
    {"Mo", 95.95},  {"Tc", 0},      {"Ru", 101.07}, {"Rh", 102.91}, {"Pd", 106.42}, {"Ag", 107.87}, {"Cd", 112.41},
    {"In", 114.82}, {"Sn", 118.71}, {"Sb", 121.76}, {"Te", 127.60}, {"I", 126.90},  {"Xe", 131.29}, {"Cs", 132.91},
    {"Ba", 137.33}, {"La", 138.91}, {"Ce", 140.12}, {"Pr", 140.91}, {"Nd", 144.24}, {"Pm", 0},      {"Sm", 150.36},
    {"Eu", 151.96}, {"Gd", 157.25}, {"Tb", 158.93}, {"Dy", 162.50}, {"Ho", 164.93}, {"Er", 167.26}, {"Tm", 168.93},
    {"Yb", 173.05}, {"Lu", 174.97}, {"Hf", 178.49}, {"Ta", 180.95}, {"W", 183.84},  {"Re", 186.21}, {"Os", 190.23},
    {"Ir", 192.22}, {"Pt", 195.08}, {"Au", 196.97}, {"Hg", 200.59}, {"Tl", 204.38}, {"Pb", 207.2},  {"Bi", 208.98},
    {"Po", 0},      {"At", 0},      {"Rn", 0},      {"Fr", 0},      {"Ra", 0},      {"Ac", 0},      {"Th", 232.04},
    {"Pa", 231.04}, {"U", 238.03},
};

enum { ELEMENTS = sizeof elements / sizeof *elements, DEEPEST = 8 };

typedef struct Sum {
    double electrons, mass;
} Sum;

/* The element at the beginning of a text; 0: none. The longer symbol is meant. */
static int element_of(const char *text, size_t *length)
{
    const bool two = text[0] && text[1] >= 'a' && text[1] <= 'z';
    *length = two ? 2 : 1;
    for (int z = 1; z < ELEMENTS; z++)
        if (strlen(elements[z].symbol) == *length && strncmp(elements[z].symbol, text, *length) == 0) return z;
    return 0;
}

/* The number after an element or a group; 1 without one. */
static double count_of(const char **at)
{
    if (!(**at >= '0' && **at <= '9')) return 1;
    char digits[24] = "";
    const size_t length = strspn(*at, "0123456789.");
    if (length >= sizeof digits) return 0;
    memcpy(digits, *at, length);
    char *end;
    const double count = strtod(digits, &end);
    *at += length;
    return *end ? 0 : count;
}

/* Adds what follows, up to a closing bracket or the end. False: the text is no formula. */
static bool add_group(const char **at, int depth, Sum *sum)
{
    while (**at && **at != ')') {
        Sum part = {0, 0};
        if (**at == '(') {
            ++*at;
            if (depth == DEEPEST || !add_group(at, depth + 1, &part) || **at != ')') return false;
            ++*at;
        } else {
            size_t length;
            const int z = element_of(*at, &length);
            if (z == 0 || elements[z].weight == 0) return false;
            part = (Sum){z, elements[z].weight};
            *at += length;
        }
        const double count = count_of(at);
        if (!(count > 0 && count < 1e9)) return false;
        sum->electrons += count * part.electrons;
        sum->mass += count * part.mass;
    }
    return true;
}

SinoStatus sino_material_formula(const char *formula, double *electrons, double *mass)
{
    Sum sum = {0, 0};
    const char *at = formula;
    SINO_CHECK(
        add_group(&at, 0, &sum) && *at == '\0' && sum.mass > 0, SINO_BAD_INPUT,
        "material is '%s'; allowed: a formula of elements up to uranium that have a standard atomic weight, such "
        "as CaCO3, Ca10(PO4)6(OH)2 or Fe0.7Ni0.3",
        formula);
    *electrons = sum.electrons;
    *mass = sum.mass;
    return NULL;
}

SinoStatus sino_material_delta_beta(const char *formula, double density, double attenuation, double energy_kev,
                                    double *delta_beta)
{
    const double electron_radius_m = 2.8179403262e-15, avogadro = 6.02214076e23;
    const double wavelength_m = 1.2398419843320026e-9 / energy_kev; /* hc */
    double electrons, mass;
    SINO_TRY(sino_material_formula(formula, &electrons, &mass));
    const double electrons_m3 = density * 1e6 / mass * avogadro * electrons;
    const double delta = electron_radius_m * wavelength_m * wavelength_m * electrons_m3 / (2 * SINO_PI);
    const double beta = attenuation * 100 * wavelength_m / (4 * SINO_PI);
    *delta_beta = delta / beta;
    return NULL;
}
