/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings, conflicts: which values of two settings exclude each other. One row per pair. */
#include "settings_bits.h"
#include "settings_table.h"

#include <stdlib.h>
#include <string.h>

enum { RECON = SINO_VERB_RECON | SINO_VERB_SIMULATE, RUNS = RECON | SINO_VERB_PLAN };

/* Values are words with commas between them; after '!' all but these. A text that is not given has the value "". */
typedef struct SinoConflict {
    const char *name, *values;        /* of the setting that is refused */
    const char *other, *other_values; /* and of the one that excludes it (NULL: the verbs do); NULL: all */
    int algorithms, geometries;       /* bits 1 << choice: the conflict exists with these; 0: with all */
    int verbs;                        /* bits: and in these; 0: in all */
    const char *reason;               /* why, as a clause about the other; NULL: it is plain */
    const char *allowed;
} SinoConflict;

static const char GIVEN[] = "!", FOLLOWS[] = "!no", FULL[] = "with --reconstruction-type full";
static const char FOURIER[] = "another projector, or --algorithm fista";

static const SinoConflict conflicts[] = {
    {"resume", "yes", "save-every", "!0", .reason = "whose images are of one run",
     .allowed = "one of them, or --start with an image that was saved"},
    {"start", GIVEN, "algorithm", NULL, .algorithms = ~(MLEM | OSEM | BSREM), .geometries = MATRIX,
     .allowed = "--start with --algorithm mlem, osem or bsrem"},
    {"start", GIVEN, "projector", "toeplitz", .algorithms = ~FISTA, .reason = "which begins from 0",
     .allowed = FOURIER},
    {"start", GIVEN, "reconstruction-type", "try", .allowed = FULL},
    {"start", GIVEN, "iterations", "auto", .reason = "which counts from 0", .allowed = "a number"},
    {"halves", "yes", "reconstruction-type", "try", .allowed = FULL},
    {"align", "shifts,pose", "reconstruction-type", "try",
     .allowed = "a file of shifts, or --reconstruction-type full"},
    {"align", "shifts,pose", "resume", "yes", .reason = "which goes on with shifts that were found before",
     .allowed = "a new run"},
    {"align", "pose", "geometry", NULL, .geometries = ~VECTORS, .reason = "which has no vectors to turn",
     .allowed = "--vectors, such as orbit:tilt=0 for parallel rays, or --align shifts"},
    /* A followed scan is not there yet. */
    {"follow", FOLLOWS, "reconstruction-type", "try", .allowed = FULL},
    {"follow", FOLLOWS, "rotation-axis", "auto", .algorithms = ~ITERATIVE, .reason = "which is found by the whole scan",
     .allowed = "--rotation-axis with a column, or an iterative algorithm"},
    {"follow", FOLLOWS, "align", "shifts,pose", .reason = "which are found by the whole scan",
     .allowed = "one of them"},
    {"follow", FOLLOWS, "halves", "yes", .algorithms = ~ITERATIVE,
     .reason = "whose volumes are made after the whole one", .allowed = "one of them"},
    {"follow", FOLLOWS, "resume", "yes", .reason = "of an unfinished run, which keeps nothing if it follows a scan",
     .allowed = "one of them"},
    {"follow", FOLLOWS, "remove-stripe-method", "!auto,none", .algorithms = ~ITERATIVE,
     .reason = "which needs whole sinograms", .allowed = "auto or none"},
    {"follow", FOLLOWS, "zinger-removal-method", "!auto,none", .algorithms = ~ITERATIVE,
     .reason = "which needs whole sinograms", .allowed = "auto or none"},
    {"arrival", "!0", "follow", "no", .verbs = SINO_VERB_SIMULATE, .reason = "with which all projections are there",
     .allowed = "with --follow"},
    {"report", "!auto,none", "reconstruction-type", "try", .allowed = FULL},
    {"iterations", "auto", "algorithm", NULL, .algorithms = ~(MLEM | OSEM), .geometries = MATRIX, .verbs = RUNS,
     .allowed = "a number, or --algorithm mlem or osem"},
    {"save-every", "!0", "iterations", "auto", .geometries = MATRIX, .verbs = RUNS,
     .reason = "by which each set has a number of its own", .allowed = "one of them"},
    {"iterations", "auto", "geometry", NULL, .geometries = MATRIX, .verbs = ~RUNS,
     .allowed = "a number, or --geometry parallel"},
    {"iterations", "auto", "geometry", NULL, .geometries = ~(PARALLEL | MATRIX), .verbs = ~RECON,
     .allowed = "a number, or --geometry parallel"},
    {"iterations", "auto", "geometry", NULL, .geometries = VECTORS, .verbs = RECON,
     .reason = "whose halves have no FDK to be compared with", .allowed = "a number, or --geometry parallel or cone"},
    /* Total variation is of the same kind for differences of all sizes. */
    {"prior-threshold", "!auto", "prior", "auto,total-variation", .allowed = "auto, or --prior huber or qggmrf"},
    /* A prior in 3-D ties all slices together: they are solved, stop and are stored as one. */
    {"prior-dimensions", "3", "reconstruction-type", "try", .reason = "which reconstructs one slice", .allowed = "2"},
    {"tolerance", "!0", "prior-dimensions", "3", .reason = "with which no slice stops before the others",
     .allowed = "0, or --prior-dimensions 2"},
    {"resume", "yes", "prior-dimensions", "3", .reason = "with which slices are complete all at once",
     .allowed = "a new run, or --prior-dimensions 2"},
    /* The normal operator has all projections at once, of one slice at a time; with weights AᵀW A is no convolution. */
    {"subsets", "!auto,1", "projector", "toeplitz", .algorithms = FISTA,
     .reason = "which has all angles in one product", .allowed = "1"},
    {"prior-dimensions", "3", "projector", "toeplitz", .algorithms = FISTA,
     .reason = "by which slices are solved one at a time", .allowed = "2, or another projector"},
    {"weights", "!auto,none", "projector", "toeplitz", .reason = "which weighs no rays",
     .allowed = "--weights none, or another projector"},
    {"weights", "!auto,counts,none", "geometry", NULL, .geometries = ~PARALLEL, .allowed = "auto, counts or none"},
    /* Solvers that keep voxels at 0. Images of a system matrix have masks with all of them. */
    {"mask", GIVEN, "algorithm", NULL, .algorithms = ~(FISTA | CG | SIRT), .geometries = ~MATRIX,
     .allowed = "--mask with --algorithm cg, sirt or fista"},
    {"mask", GIVEN, "projector", "toeplitz", .algorithms = ~FISTA, .reason = "which computes all voxels",
     .allowed = FOURIER},
    {"support-ratio", "!0", "projector", "toeplitz", .algorithms = ~FISTA, .reason = "which computes all voxels",
     .allowed = FOURIER},
    {"node-weights", "auto", "resume", "yes", .reason = "which needs the shares of the run before",
     .allowed = "a list, or a new run"},
    {"node-weights", "auto", "geometry", NULL, .geometries = ~PARALLEL, .allowed = "a list, or --geometry parallel"},
    {"slurm", "yes", "json", "yes", .verbs = SINO_VERB_PLAN, .allowed = "one of them"},
    {"resume", "yes", "overwrite", "yes", .verbs = SINO_VERB_SWEEP, .allowed = "one of them"},
    {"sweep", GIVEN, "reconstruction-type", "full", .verbs = RECON | SINO_VERB_INIT,
     .allowed = "with --reconstruction-type try"},
    /* Values decide which tasks follow. */
    {"reconstruction-type", "try", NULL, .verbs = SINO_VERB_SIMULATE, .reason = "which compares slices",
     .allowed = "full"},
    {"align", "shifts,pose", NULL, .verbs = SINO_VERB_SIMULATE, .reason = "whose rounds end by values of the scan",
     .allowed = "a file of shifts"},
    {"machine", GIVEN, "simulate", "no", .verbs = SINO_VERB_SWEEP, .allowed = "with --simulate"},
};

/* The value of a setting as messages show it, which the caller frees; "": none. */
static SinoStatus value_of(const SinoSetting *row, const SinoSettings *settings, char **value)
{
    bool usual;
    const char *text = sino_setting_file(row, settings);
    if (row->kind == SINO_SETTING_TEXT) memcpy(&text, (const char *)settings + row->offset, sizeof text);
    if (row->kind != SINO_SETTING_TEXT && !text) return sino_setting_yaml(row, settings, value, &usual);
    *value = strdup(text ? text : "");
    SINO_CHECK(*value, SINO_FAILED, "no memory for the text of a setting");
    return NULL;
}

static bool is_one_of(const char *value, const char *words)
{
    const size_t length = strlen(value);
    for (const char *word = words;; word += strcspn(word, ",") + 1) {
        const size_t end = strcspn(word, ",");
        if (end == length && strncmp(word, value, length) == 0) return true;
        if (word[end] == '\0') return false;
    }
}

static bool matches(const char *value, const char *words)
{
    return !words || (*words == '!' ? !is_one_of(value, words + 1) : is_one_of(value, words));
}

static bool holds(const SinoConflict *row, int verb, const SinoSettings *settings)
{
    return (row->algorithms == 0 || (row->algorithms >> settings->solver.algorithm & 1)) &&
           (row->geometries == 0 || (row->geometries >> settings->geometry.kind & 1)) &&
           (row->verbs == 0 || (row->verbs & verb));
}

/* A value that no other setting excludes. */
static SinoStatus refuse_for_verb(const SinoConflict *row, int verb, const char *value)
{
    return sino_error(SINO_BAD_INPUT, "--%s is '%s', %s, in %s; allowed: %s", row->name, value, row->reason,
                      sino_verb_text(verb)->name, row->allowed);
}

/* "--name value", without the value of a flag. */
static SinoStatus refuse(const SinoConflict *row, const char *value, const char *other)
{
    const bool flag = strcmp(value, "yes") == 0, other_flag = strcmp(other, "yes") == 0;
    return sino_error(SINO_BAD_INPUT, "--%s%s%s contradicts --%s%s%s%s%s; allowed: %s", row->name, flag ? "" : " ",
                      flag ? "" : value, row->other, other_flag ? "" : " ", other_flag ? "" : other,
                      row->reason ? ", " : "", row->reason ? row->reason : "", row->allowed);
}

static SinoStatus check_conflict(const SinoConflict *row, int verb, const SinoSettings *settings)
{
    char *value = NULL, *other = NULL;
    SinoStatus status = value_of(sino_setting_find(verb, row->name, strlen(row->name)), settings, &value);
    if (!status && matches(value, row->values) && !row->other) status = refuse_for_verb(row, verb, value);
    if (!status && matches(value, row->values) && row->other) {
        status = value_of(sino_setting_find(verb, row->other, strlen(row->other)), settings, &other);
        if (!status && matches(other, row->other_values)) status = refuse(row, value, other);
    }
    free(other);
    free(value);
    return status;
}

SinoStatus sino_settings_check_conflicts(int verb, const SinoSettings *settings)
{
    for (size_t i = 0; i < sizeof conflicts / sizeof *conflicts; i++)
        if (holds(&conflicts[i], verb, settings)) SINO_TRY(check_conflict(&conflicts[i], verb, settings));
    return NULL;
}
