/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings: the options of a run. One table (settings_table.c) serves the command line, the YAML file and the docs. */
#pragma once

#include "center_settings.h"
#include "count_settings.h"
#include "geometry_settings.h"
#include "input_settings.h"
#include "log.h"
#include "output_settings.h"
#include "panel.h"
#include "prior_settings.h"
#include "projection_settings.h"
#include "projector.h"
#include "runtime_settings.h"
#include "setting_types.h"
#include "solver_settings.h"
#include "stage_settings.h"
#include "status.h"
#include "team_settings.h"
#include "verb_settings.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef enum SinoHelpChoice { SINO_HELP_NONE, SINO_HELP_SHORT, SINO_HELP_ALL, SINO_HELP_TUNE } SinoHelpChoice;

/* Verbs of the program, as bits. */
enum {
    SINO_VERB_RECON = 1,
    SINO_VERB_PHANTOM = 2,
    SINO_VERB_INFO = 4,
    SINO_VERB_DEMO = 8,
    SINO_VERB_BENCH = 16,
    SINO_VERB_PLAN = 32,
    SINO_VERB_SIMULATE = 64,
    SINO_VERB_SWEEP = 128,
    SINO_VERB_INIT = 256, /* has the settings of recon */
    SINO_VERB_COMPARE = 512,
    SINO_VERB_JOIN = 1024
};

/* One positive number per rank. */
enum { SINO_WEIGHTS_MAX = 4096 };

/* All settings of every verb, in groups. The settings own their texts; NULL: not given. */
typedef struct SinoSettings {
    SinoInputSettings input;
    SinoStageSettings stages;
    SinoCountSettings counts;
    SinoGeometrySettings geometry;
    SinoCenterSettings center;
    SinoSolverSettings solver;
    SinoPriorSettings prior;
    SinoProjectionSettings projection;
    SinoRuntimeSettings runtime;
    SinoTeamSettings team;
    SinoOutputSettings output;
    SinoPhantomSettings phantom;
    SinoBenchSettings bench;
    SinoPlanSettings plan;
    SinoSweepSettings sweep;
    SinoCompareSettings compare;
    char *config;
    SinoLogFormat log;
    SinoHelpChoice help;
    const struct SinoMemoryRun *memory; /* input and output in memory (memory_scan.h); NULL: files; not owned */
    char *remarks;                      /* on values that other programs take otherwise, for the log; NULL: none */
} SinoSettings;

/* Reads the settings of `verb` (one bit): defaults first, then the YAML file of --config, then the arguments (argv
 * without program and verb). The caller frees *settings. SINO_BAD_INPUT: a setting is unknown, malformed, out of range,
 * contradicts another one, or belongs to another verb. */
SinoStatus sino_settings_read(int verb, int argument_count, char **arguments, SinoSettings **settings);
void sino_settings_free(SinoSettings *settings); /* takes NULL */

/* What an input file says of the settings, which count where the user gives none. */
enum { SINO_TOLD_SETTINGS = 8, SINO_TOLD_VALUE = 1024 };
typedef struct SinoToldSettings {
    char by[160]; /* "the header of Nikon XTek"; "": nothing is told */
    int count;
    struct {
        const char *name; /* of the setting */
        char value[SINO_TOLD_VALUE];
    } of[SINO_TOLD_SETTINGS];
} SinoToldSettings;

/* Reads what the scan tells: the input file, arrays in memory, or the sizes that plan and simulate are given; `given`:
 * the settings so far. */
typedef SinoStatus SinoSettingsSource(const SinoSettings *given, SinoToldSettings *told);

/* NULL: nothing is told. */
typedef struct SinoSettingsSources {
    SinoSettingsSource *header;    /* settings that the header of the input file tells; never the algorithm */
    SinoSettingsSource *algorithm; /* the algorithm that the projections ask for. Called with all other settings. It
                                    * counts unless settings that are given exclude it. */
    const struct SinoMemoryRun *memory; /* SinoSettings.memory; NULL: files */
} SinoSettingsSources;

/* sino_settings_read of a verb whose scan may tell settings. */
SinoStatus sino_settings_read_told(int verb, int argument_count, char **arguments, const SinoSettingsSources *sources,
                                   SinoSettings **settings);

/* Whether no value of SIRT or FISTA is below 0, as far as the settings decide: with `auto`, projections may deny it
 * (graphs/pipeline/search/halves.h). */
bool sino_settings_nonnegative(const SinoSolverSettings *settings);

/* The largest number of iterations of a run. */
int64_t sino_settings_iterations(const SinoSolverSettings *settings);

/* Iterations of FISTA without subsets that come close to its minimum. */
#define SINO_NORMAL_ITERATIONS      80
#define SINO_NORMAL_ITERATIONS_TEXT "80"

/* Whether --projector toeplitz does what the settings ask for, which leave the projector to the plan: the same
 * algorithm, prior, bounds and masks, and no weights of rays but those of --weights auto. *normal: the settings that
 * name it, with its usual number of iterations if none is given; owns nothing, untouched if it does not. */
bool sino_settings_by_normal(const SinoSettings *settings, SinoSettings *normal);

/* --report of recon: whether there is one; its path, NULL if there is none, or sinodag chooses the name. */
bool sino_settings_wants_report(const SinoSettings *settings);
const char *sino_settings_report_file(const SinoSettings *settings);

/* Whether a run records planes of the volume, for pictures or for the report. */
bool sino_settings_records_planes(const SinoSettings *settings);

/* What a setting that was not given is for a scan. */
typedef struct SinoSettingNote {
    const char *name;   /* of the setting */
    const char *value;  /* as YAML */
    const char *reason; /* NULL: none is told */
} SinoSettingNote;

/* Prints a file for --config: what was given of recon's settings, and as comments those with a note, and the usual ones
 * with their defaults. SINO_FAILED: no memory. */
SinoStatus sino_settings_template(const SinoSettings *settings, int64_t note_count, const SinoSettingNote *note,
                                  FILE *out);

/* The settings in force, one "name: value" line each in table order: valid YAML for --config. The caller frees *text.
 */
SinoStatus sino_settings_text(const SinoSettings *settings, int verb, char **text);

/* The same for the settings that differ from their defaults. The caller frees *text. */
SinoStatus sino_settings_changed_text(const SinoSettings *settings, int verb, char **text);

/* The same without the settings that a run and its --resume may have different: those that do not change the volume,
 * and those whose effect on a run SinoRunPlan tells. The caller frees *text. */
SinoStatus sino_settings_fixed_text(const SinoSettings *settings, int verb, char **text);

/* The same for the settings that all ranks of a run must share. Left out are names of files, which may be copies on
 * each node, and what may suit each rank's machine: memory, workers, device, scheduler and log. */
SinoStatus sino_settings_shared_text(const SinoSettings *settings, int verb, char **text);

/* The settings that `verb` has in common with the verb `to`, as words of the command line of `to`, such as
 * "--iterations=10", in table order and then NULL. Left out are defaults, the input file, outputs, and what every verb
 * has. The caller frees *words with sino_words_free. */
SinoStatus sino_settings_words(const SinoSettings *settings, int verb, int to, char ***words);
void sino_words_free(char **words); /* takes NULL */

/* Prints the options of a verb for --help, from the table. */
void sino_settings_help(int verb, SinoHelpChoice which, FILE *out);

/* Prints the manual page of a verb, or of the program (""), from the table. False: there is no such verb. */
bool sino_settings_man(const char *verb, FILE *out);
/* Print what shells read to complete a command line, from the table. */
void sino_settings_bash(FILE *out);
void sino_settings_zsh(FILE *out);
void sino_settings_fish(FILE *out);

/* One setting of a verb, in the words of the table. The texts are valid during the call; NULL: there is none. */
typedef struct SinoSettingText {
    const char *name, *group;
    const char *type;    /* "flag", "integer", "number", "choice", "list", "text" */
    const char *usual;   /* the default */
    const char *allowed; /* "an integer from 1 to 9" */
    const char *words;   /* of a choice: "cg, sirt or fbp" */
    const char *unit;
    const char *needs; /* "; with --algorithm cg or sirt"; "": nothing */
    const char *help;
} SinoSettingText;
typedef void SinoSettingVisit(void *of, const SinoSettingText *setting);

/* Calls `visit` for every setting of a verb, group after group as in the help. */
void sino_settings_each(int verb, SinoSettingVisit *visit, void *of);

const char *sino_verb_summary(int verb); /* a few words; static text */

/* The verb that a mistyped word is probably meant for, with or without dashes before it; NULL: none is close. */
const char *sino_verb_closest(const char *word);

/* The word of a choice on the command line ("cg", "ramp" …). Static text. */
const char *sino_algorithm_name(SinoAlgorithmChoice algorithm);
const char *sino_geometry_name(SinoGeometryChoice geometry);
const char *sino_output_type_name(SinoOutputType type);
/* The JSON file of --profile; NULL: none. */
const char *sino_settings_profile_file(const SinoRuntimeSettings *settings);
/* The page of --follow; NULL: none. */
const char *sino_settings_live_page(const SinoInputSettings *settings);
const char *sino_precision_name(SinoPrecision precision);
/* A set of bits of device.h as --device has it, such as "cpu,opencl", with another sign in place of the comma. */
enum { SINO_DEVICES_SIZE = 24 };
const char *sino_devices_text(unsigned devices, char between, char text[SINO_DEVICES_SIZE]);
const char *sino_projector_name(SinoProjector projector);
/* The projector of a name; SINO_PROJECTOR_AUTO: it is none. */
SinoProjector sino_projector_of(const char *name);
const char *sino_interpolation_name(SinoInterpolation interpolation);
const char *sino_communication_name(SinoCommunication communication);
