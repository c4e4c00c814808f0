/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings, peers: options and values as TomoPy, its command line, tomocupy, nabu, httomo, ASTRA and RTK spell them. A
 * spelling that means exactly the same is understood; any other gets the right word in the refusal. */
#include "settings_table.h"

#include <string.h>
#include <strings.h>

static const char axis[] = "a column of the detector, where 0 is the middle of the first column";
static const char stripes[] = "auto, none, sorting, vo-all, fw, ti or wiener";
static const char mask[] = "1 is the inscribed circle";
static const char part[] = "from the first that is used to the one after the last";

const SinoPeerOption sino_peer_options[] = {
    /* the same */
    {"filter-name", "fbp-filter", NULL, true},
    {"hardware", "device", NULL, true},
    {"ncore", "workers", NULL, true},
    {"niter", "iterations", NULL, true},
    {"niterations", "iterations", NULL, true},
    {"num-iter", "iterations", NULL, true},
    {"output", "out", NULL, true},
    {"overwrite-results", "overwrite", NULL, true},
    {"positivity", "nonnegativity", NULL, true},
    {"positivity-constraint", "nonnegativity", NULL, true},
    {"retrieve-phase-method", "phase-method", NULL, true},
    {"rotation-axis-method", "rotation-axis-auto", NULL, true},
    {"take-logarithm", "minus-log", NULL, true},
    {"dsd", "source-detector-distance", NULL, true},
    {"dso", "source-object-distance", NULL, true},
    {"sdd", "source-detector-distance", NULL, true},
    {"sid", "source-object-distance", NULL, true},
    {"sod", "source-object-distance", NULL, true},
    /* other values, or another meaning */
    {"axis", "rotation-axis", axis, false},
    {"center", "rotation-axis", axis, false},
    {"center-of-rotation", "rotation-axis", axis, false},
    {"cor", "rotation-axis", axis, false},
    {"rotation-axis-position", "rotation-axis", axis, false},
    {"rotation-center", "rotation-axis", axis, false},
    {"find-center", "rotation-axis-auto", NULL, false},
    {"alpha", "delta-beta", "1/(4 pi^2 alpha)", false},
    {"beam-hardening-method", "beam-hardening", "the coefficients of a polynomial", false},
    {"blocked-views", "exclude", "numbers of projections to leave out, such as 30,100:110", false},
    {"cpu", "device", "cpu: cores alone", false},
    {"cuda", "device", "cuda: GPUs compute", false},
    {"distance", "propagation-distance", "in mm", false},
    {"retrieve-phase-alpha", "delta-beta", "1/(4 pi^2 alpha)", false},
    {"clear-folder", "overwrite", NULL, false},
    {"force", "overwrite", NULL, false},
    {"clip-outer-circle", "mask-ratio", mask, false},
    {"reconstruction-mask", "mask-ratio", mask, false},
    {"reconstruction-mask-ratio", "mask-ratio", mask, false},
    {"dark-file-name", "darks", NULL, false},
    {"flat-file-name", "flats", NULL, false},
    {"dezinger", "zinger-removal-method", "standard removes them", false},
    {"dtype", "precision", "float32 is single", false},
    {"end-x", "end-column", part, false},
    {"end-z", "end-row", part, false},
    {"start-x", "start-column", part, false},
    {"start-z", "start-row", part, false},
    {"fbp-filter-type", "fbp-filter", NULL, false},
    {"gridrec-filter", "fbp-filter", NULL, false},
    {"file-format", "save-format", NULL, false},
    {"flat-correction-method", "flat-correction", "standard is mean", false},
    {"format", "json", NULL, false},
    {"gpu-id", "device", NULL, false},
    {"gpus", "device", NULL, false},
    {"lambda", "relaxation", NULL, false},
    {"location", "out", NULL, false},
    {"output-dir", "out", NULL, false},
    {"output-file", "out", NULL, false},
    {"output-folder", "out", NULL, false},
    {"output-path", "out", NULL, false},
    {"save-folder", "out", NULL, false},
    {"max-memory", "memory", NULL, false},
    {"paganin", "phase-method", "paganin", false},
    {"remove-rings", "remove-stripe-method", stripes, false},
    {"ring-removal", "remove-stripe-method", stripes, false},
    {"rings", "remove-stripe-method", stripes, false},
    {"stripe-removal", "remove-stripe-method", stripes, false},
    {"tilt", "detector-tilt", "in degrees", false},
    {"tv", "regularization", "the strength of total variation, with fista", false},
    {"memory-per-node", "memory", NULL, false},
    {"method", "algorithm", NULL, false},
    {"nprojpersubset", "subsets", "the number of subsets, not of projections in one", false},
    {"num-threads", "workers", NULL, false},
    {"threads", "workers", NULL, false},
    {"verbose", "profile", NULL, false},
    /* nothing here */
    {"enable-halftomo", NULL, "sinodag finds half acquisitions by itself", false},
    {"end-proj", NULL, "--exclude leaves out projections by number, --end-angle by angle", false},
    {"start-proj", NULL, "--exclude leaves out projections by number, --start-angle by angle", false},
    {"file-type", NULL, "sinodag finds half acquisitions by itself", false},
    {"lamino-angle", NULL, "sinodag does not reconstruct laminography", false},
    {NULL, NULL, NULL, false},
};

static const char direct[] = "fbp is the direct method";
static const char powers[] = "tomocupy's 0, 1, 2, 3 are 1, 2, 4, 8 here";

const SinoPeerValue sino_peer_values[] = {
    {"algorithm", "cgls", "cg", NULL},
    {"algorithm", "em", "mlem", NULL},
    {"algorithm", "fourierrec", NULL, direct},
    {"algorithm", "gridrec", NULL, direct},
    {"algorithm", "linerec", NULL, direct},
    {"algorithm", "lprec", NULL, direct},
    {"binning", "0", NULL, powers},
    {"binning", "1", "1", powers},
    {"device", "gpu", NULL, "cuda and opencl are GPUs"},
    {"fbp-filter", "none", NULL, "ramp is the filter without a window"},
    {"fbp-filter", "ram-lak", "ramp", NULL},
    {"fbp-filter", "ramlak", "ramp", NULL},
    {"fbp-filter", "shepp-logan", "shepp", NULL},
    {"nsino", "0.5", "-1", NULL},
    {"nsino", NULL, NULL, "a detector row; tomocupy's share of the height, times the rows"},
    {"reconstruction-type", "slice", NULL, "--start-row 7 --end-row 8 reconstructs row 7 alone"},
    {"rotation-axis-auto", "manual", NULL, "--rotation-axis alone gives the axis by hand"},
    {"rotation-axis-auto", "sift", NULL, "phase also compares projections"},
    {"save-format", "h5", "hdf5", NULL},
    {NULL, NULL, NULL, NULL},
};

const SinoPeerOption *sino_peer_option(const char *word, size_t length)
{
    for (const SinoPeerOption *peer = sino_peer_options; peer->word; peer++)
        if (*peer->word == *word && strncmp(peer->word, word, length) == 0 && peer->word[length] == '\0') return peer;
    return NULL;
}

const SinoPeerValue *sino_peer_value(const SinoSetting *row, const char *value)
{
    for (const SinoPeerValue *peer = sino_peer_values; peer->option; peer++)
        if (strcmp(peer->option, row->name) == 0 && (!peer->word || strcasecmp(peer->word, value) == 0)) return peer;
    return NULL;
}
