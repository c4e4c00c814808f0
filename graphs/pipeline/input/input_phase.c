/* SPDX-License-Identifier: BSD-3-Clause */
/* Input, phase: the filter of phase retrieval, from the settings. */
#include "arithmetic.h"
#include "cone_scan.h"
#include "input.h"
#include "input_parts.h"
#include "job_kind.h"

#include <math.h>

static const struct {
    const char *name, *title;
    SinoPhaseFilter filter;
    bool weak;
} methods[] = {
    [SINO_PHASE_NONE] = {"none", "none", SINO_PHASE_PLAIN, false},
    [SINO_PHASE_PAGANIN] = {"paganin", "Paganin's phase retrieval", SINO_PHASE_PLAIN, false},
    [SINO_PHASE_GPAGANIN] = {"gpaganin", "generalised Paganin's phase retrieval", SINO_PHASE_GENERALISED, false},
    [SINO_PHASE_BRONNIKOV] = {"bronnikov", "Bronnikov's phase retrieval", SINO_PHASE_PLAIN, true},
    [SINO_PHASE_CTF_METHOD] = {"ctf", "phase retrieval by contrast transfer", SINO_PHASE_CTF, true}};

#define ALL_METHODS "paganin, gpaganin, bronnikov or ctf"

const char *sino_input_phase_title(const SinoInput *input)
{
    int method = SINO_PHASE_PAGANIN;
    while (methods[method].filter != input->phase.filter || methods[method].weak != input->phase.weak) method++;
    return methods[method].title;
}

/* What only phase retrieval needs is refused without it. */
static SinoStatus check_unused(const SinoStageSettings *settings)
{
    const struct {
        const char *name;
        double value;
    } number[] = {{"delta-beta", settings->delta_beta},
                  {"energy", settings->energy_kev},
                  {"propagation-distance", settings->propagation_mm},
                  {"density", settings->density},
                  {"attenuation", settings->attenuation}};
    for (int i = 0; i < 5; i++)
        SINO_CHECK(!(number[i].value > 0), SINO_BAD_INPUT,
                   "%s is %g, but phase-method is none; allowed: with --phase-method " ALL_METHODS, number[i].name,
                   number[i].value);
    SINO_CHECK(!settings->material, SINO_BAD_INPUT,
               "material is '%s', but phase-method is none; allowed: with --phase-method " ALL_METHODS,
               settings->material);
    return NULL;
}

/* The beam behind the object, as if it was parallel. */
typedef struct Propagation {
    double distance_mm, pixel_um;
} Propagation;

/* A cone beam with magnification M shows what a parallel beam shows at 1/M of the distance, on pixels of 1/M of the
 * width (D. Paganin, Coherent X-Ray Optics, 2006, section 4.5). */
static SinoStatus propagation_of_cone(const SinoSettings *settings, const SinoInput *input, Propagation *found)
{
    const double most_unequal = 0.01;
    const SinoScanSetup setup = sino_cone_setup(&settings->geometry, input->info);
    SINO_TRY(sino_cone_check_setup(settings, &setup));
    SINO_CHECK(fabs(setup.pixel_height / setup.pixel_width - 1) <= most_unequal, SINO_BAD_INPUT,
               "phase-method is %s, and pixels are %g mm wide and %g mm high; allowed: with pixels as high as wide",
               methods[settings->stages.phase_method].name, setup.pixel_width, setup.pixel_height);
    const double magnification = setup.source_detector / setup.source_object;
    *found = (Propagation){(setup.source_detector - setup.source_object) / magnification,
                           1000 * setup.pixel_width / magnification};
    return NULL;
}

static SinoStatus check_needed(const SinoSettings *settings, bool cone)
{
    const struct {
        const char *name;
        double value;
    } number[] = {{"energy", settings->stages.energy_kev},
                  {"propagation-distance", settings->stages.propagation_mm},
                  {"pixel-size", settings->geometry.pixel_size_um}};
    for (int i = 0; i < (cone ? 1 : 3); i++)
        SINO_CHECK(number[i].value > 0, SINO_BAD_INPUT,
                   "phase-method is %s without --%s; needed: --energy%s, and --delta-beta or --material",
                   methods[settings->stages.phase_method].name, number[i].name,
                   cone ? "" : ", --propagation-distance, --pixel-size");
    return NULL;
}

/* δ/β as given, or of the material. */
static SinoStatus find_delta_beta(const SinoStageSettings *settings, double *delta_beta)
{
    const bool given = settings->delta_beta > 0;
    SINO_CHECK(given || settings->material, SINO_BAD_INPUT,
               "phase-method is %s without --delta-beta; needed: --delta-beta, or --material with --density and "
               "--attenuation",
               methods[settings->phase_method].name);
    SINO_CHECK(!given || (!settings->material && !(settings->density > 0) && !(settings->attenuation > 0)),
               SINO_BAD_INPUT,
               "delta-beta is %g, and a material is given; allowed: --delta-beta, or --material with --density and "
               "--attenuation",
               settings->delta_beta);
    *delta_beta = settings->delta_beta;
    if (given) return NULL;
    SINO_CHECK(settings->density > 0 && settings->attenuation > 0, SINO_BAD_INPUT,
               "material is '%s' without --%s; needed: --density and --attenuation", settings->material,
               settings->density > 0 ? "attenuation" : "density");
    return sino_material_delta_beta(settings->material, settings->density, settings->attenuation, settings->energy_kev,
                                    delta_beta);
}

/* The contrast transfer function has no zero on the detector. */
static SinoStatus check_transfer(const SinoStageSettings *settings, const Propagation *beam, double chi)
{
    SINO_CHECK(settings->phase_method != SINO_PHASE_CTF_METHOD || chi <= SINO_PHASE_CTF_MAX, SINO_BAD_INPUT,
               "phase-method is ctf, whose transfer function falls to 0 on this detector: propagation-distance is %g "
               "mm; allowed: up to %.4g mm with this energy and pixel-size",
               beam->distance_mm, beam->distance_mm * SINO_PHASE_CTF_MAX / chi);
    return NULL;
}

SinoStatus sino_input_take_phase(const SinoSettings *settings, SinoInput *input)
{
    const bool cone = sino_job_is_cone(settings);
    Propagation beam = {settings->stages.propagation_mm, settings->geometry.pixel_size_um};
    double delta_beta = 0;
    if (settings->stages.phase_method == SINO_PHASE_NONE) return check_unused(&settings->stages);
    const char *const name = methods[settings->stages.phase_method].name;
    SINO_TRY(check_needed(settings, cone));
    if (cone) SINO_TRY(propagation_of_cone(settings, input, &beam));
    SINO_TRY(find_delta_beta(&settings->stages, &delta_beta));
    SINO_CHECK(input->minus_log, SINO_BAD_INPUT,
               "phase-method is %s, but the values are line integrals; allowed: with --data counts or transmission",
               name);
    const double wavelength_m = 1.2398419843320026e-9 / settings->stages.energy_kev; /* hc */
    const double pixel_m = beam.pixel_um * 1e-6, distance_m = beam.distance_mm * 1e-3;
    const double fresnel = wavelength_m * distance_m / (4 * SINO_PI) / (pixel_m * pixel_m);
    const double range = sqrt(delta_beta * fresnel);
    SINO_CHECK(range <= SINO_PHASE_RANGE_MAX, SINO_BAD_INPUT,
               "phase-method %s would blur over %.4g pixels, by delta-beta %g, energy %g keV, propagation-distance "
               "%g mm and pixel-size %g micrometres; allowed: values that give up to %g pixels",
               name, range, delta_beta, settings->stages.energy_kev, beam.distance_mm, beam.pixel_um,
               SINO_PHASE_RANGE_MAX);
    SINO_TRY(check_transfer(&settings->stages, &beam, 2 * SINO_PI * SINO_PI * fresnel));
    input->phase = (SinoPhaseOptions){.filter = methods[settings->stages.phase_method].filter,
                                      .weak = methods[settings->stages.phase_method].weak,
                                      .range = range,
                                      .delta_beta = delta_beta};
    return NULL;
}
