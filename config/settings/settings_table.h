/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings table: one row per setting; the command line, the YAML file, the help and docs/SETTINGS.md read it. Private
 * to the files settings*.c. */
#pragma once

#include "settings.h"

#include <stddef.h>

typedef enum SinoSettingKind {
    SINO_SETTING_FLAG,     /* bool */
    SINO_SETTING_INTEGER,  /* int64_t */
    SINO_SETTING_AMOUNT,   /* int64_t ≥ 1; 0: auto */
    SINO_SETTING_REAL,     /* double */
    SINO_SETTING_CHOICE,   /* an enum that counts from 0 */
    SINO_SETTING_CHOICES,  /* unsigned: bits 1 << choice */
    SINO_SETTING_COUNTS,   /* SinoCountList */
    SINO_SETTING_TEXT,     /* char *, owned */
    SINO_SETTING_REPORT,   /* char *, owned: a flag, or the name of a file with the row's ending; NULL: no */
    SINO_SETTING_BYTES,    /* int64_t */
    SINO_SETTING_DURATION, /* double, in seconds; 0: none */
    SINO_SETTING_AXIS,     /* double; NaN: auto */
    SINO_SETTING_GRID,     /* SinoGridShape; zero: auto */
    SINO_SETTING_VOLUME,   /* SinoVolumeShape; zero: auto */
    SINO_SETTING_TOPOLOGY, /* SinoTopologyShape; zero: auto */
    SINO_SETTING_WEIGHTS,  /* SinoWeightList */
    SINO_SETTING_PIXEL,    /* SinoPixelSize; zero: not given */
    SINO_SETTING_CRYSTALS, /* SinoCrystalShape */
    SINO_SETTING_RANGE,    /* SinoValueRange; zero: auto */
    SINO_SETTING_DEVICES,  /* SinoCountList of bits of device.h */
    SINO_SETTING_TUNE      /* no member: pairs NAME=VALUE for other rows */
} SinoSettingKind;

typedef enum SinoSettingGroup {
    SINO_GROUP_INPUT,
    SINO_GROUP_STAGES,
    SINO_GROUP_GEOMETRY,
    SINO_GROUP_CENTER,
    SINO_GROUP_SOLVER,
    SINO_GROUP_MACHINE,
    SINO_GROUP_RANKS,
    SINO_GROUP_OUTPUT,
    SINO_GROUP_PHANTOM,
    SINO_GROUP_BENCHMARK,
    SINO_GROUP_PLAN,
    SINO_GROUP_SWEEP,
    SINO_GROUP_COMPARE,
    SINO_GROUP_GENERAL,
    SINO_GROUP_COUNT
} SinoSettingGroup;

/* One setting. Rows may share a name if no verb takes two of them; such rows may also share the member, unless it is a
 * text. */
typedef struct SinoSetting {
    const char *name;           /* long option without its dashes, and key of the YAML file */
    const char *alias;          /* alternative long option, as other programs call it; NULL: none */
    const char *operand;        /* name of the value in the help: "FILE", "N" … */
    const char *unit;           /* NULL: none */
    const char *fallback;       /* default as text; NULL: none, the member stays zero */
    const char *ending;         /* of SINO_SETTING_REPORT: how names of files end */
    const char *bare;           /* value of the option without one; NULL: it needs one, unless it is a flag */
    const char *const *choices; /* words in the order of the enum, then NULL */
    unsigned words;             /* bits 1 << choice of the words that the verbs have; 0: all */
    const char *help;
    const char *brief; /* the same in a few words, for the short help; NULL: it does not have the setting */
    size_t offset;     /* of the member of SinoSettings */
    size_t file;       /* of SINO_SETTING_CHOICE: offset of a char *, owned: the name of a file, as which any value but
                        * the words is read; the choice is then the number after theirs. 0: words alone */
    double low, high;  /* bounds of a number; of SINO_SETTING_BYTES in bytes */
    bool low_excluded, high_excluded;
    int item_most;      /* of SINO_SETTING_WEIGHTS: most numbers, at most SINO_WEIGHTS_MAX; 0: that many */
    bool argument_only; /* not a key of the YAML file */
    bool per_rank;      /* ranks may have different values: names of files, and what a rank's machine offers */
    bool may_change;    /* a run and its --resume may differ in it (sino_settings_fixed_text) */
    char letter;        /* short option; 0: none */
    SinoSettingKind kind;
    SinoSettingGroup group;
    int brief_verbs;    /* bits of the verbs whose short help has the setting */
    int verbs;          /* bits of the verbs that have this setting */
    int tune;           /* bits of those whose help has it for --tune NAME=VALUE; they take --NAME VALUE, too */
    int algorithms;     /* bits 1 << SinoAlgorithmChoice of the algorithms that use it; 0: all */
    int geometries;     /* bits 1 << SinoGeometryChoice of the geometries that have it; 0: all */
    const char *reason; /* why cone and fan beams lack it, where parallel beams have it; else NULL */
    int removals;       /* bits 1 << SinoStripeRemoval of the methods that use it; 0: all */
} SinoSetting;

/* The most numbers of a row of the kind SINO_SETTING_WEIGHTS. */
static inline int sino_setting_item_most(const SinoSetting *row)
{
    return row->item_most > 0 ? row->item_most : SINO_WEIGHTS_MAX;
}

/* Words of a choice that only some algorithms or geometries allow. */
typedef struct SinoWordRule {
    const char *name;           /* of the setting, of kind SINO_SETTING_CHOICE; NULL ends the table */
    unsigned words;             /* bits 1 << choice */
    int algorithms, geometries; /* as of SinoSetting */
} SinoWordRule;

typedef struct SinoVerbText {
    int verb; /* one SINO_VERB_… bit */
    const char *name, *summary, *usage, *example;
} SinoVerbText;

/* Bits of the verbs that take several input files. */
enum { SINO_VERBS_OF_FILES = SINO_VERB_JOIN };

enum { SINO_SETTING_COUNT = 207, SINO_VERB_COUNT = 11, SINO_ALLOWED_SIZE = 128 };
extern const SinoSetting sino_setting_table[SINO_SETTING_COUNT];
extern const SinoWordRule sino_word_rules[];
extern const SinoVerbText sino_verb_table[SINO_VERB_COUNT];
extern const char *const sino_group_title[SINO_GROUP_COUNT];

/* An option as another program spells it. */
typedef struct SinoPeerOption {
    const char *word;   /* without dashes; NULL ends the table */
    const char *name;   /* of the setting; NULL: there is none */
    const char *answer; /* for the refusal; NULL: the name says it all */
    bool same;          /* means exactly the same, and is understood */
} SinoPeerOption;

/* A value as another program spells it. */
typedef struct SinoPeerValue {
    const char *option; /* name of the setting; NULL ends the table */
    const char *word;   /* NULL: any other value that is refused */
    const char *value;  /* what it means here, and is understood as; NULL: it is refused */
    const char *answer; /* for the refusal; of a value that is understood: a remark for the log; NULL: none */
} SinoPeerValue;

/* settings_peers.c */
extern const SinoPeerOption sino_peer_options[];
extern const SinoPeerValue sino_peer_values[];
const SinoPeerOption *sino_peer_option(const char *word, size_t length); /* NULL: no such word */
const SinoPeerValue *sino_peer_value(const SinoSetting *row, const char *value);

/* settings_name.c */
const SinoVerbText *sino_verb_text(int verb);
/* The row with this name, alias or peers' word for it: the verb's own row, else a row of other verbs. NULL: unknown. */
const SinoSetting *sino_setting_find(int verb, const char *word, size_t length);
SinoStatus sino_setting_check_verb(const SinoSetting *row, int verb, const char *where);
SinoStatus sino_setting_unknown(int verb, const char *what, const char *dashes, const char *word);
/* Whether the algorithm and the geometry of the settings have the setting. */
bool sino_setting_applies(const SinoSetting *row, const SinoSettings *settings);
/* The rule by which algorithm or geometry forbid a word of a choice; NULL: it is allowed. */
const SinoWordRule *sino_word_forbidden(const SinoSetting *row, unsigned word, const SinoSettings *settings);
/* Writes the words whose bit is set as "a, b or c" (`last` is "or") into `text`, and returns `text`. */
const char *sino_words_join(const char *const *words, unsigned bits, const char *last, char text[SINO_ALLOWED_SIZE]);

/* settings_rules.c. The default under the geometry and the algorithm of the settings, as text; NULL: none, or it is not
 * always the same. */
const char *sino_setting_settled(const SinoSetting *row, int verb, const SinoSettings *settings);

/* settings_value.c. Error messages start with `where` ("--iterations", "scan.yaml: iterations"). Values of the user get
 * the peers' spellings understood; a default must not. */
SinoStatus sino_setting_assign_given(const SinoSetting *row, const char *where, const char *value,
                                     SinoSettings *settings);
SinoStatus sino_setting_assign(const SinoSetting *row, const char *where, const char *value, SinoSettings *settings);
SinoStatus sino_setting_assign_member(const SinoSetting *row, const char *where, const char *value, char *member);
/* Adds to the remarks that the program logs when its log is open. */
SinoStatus sino_settings_remark(SinoSettings *settings, const char *remark);
bool sino_setting_is_list(const SinoSetting *row);   /* values with commas between them; a sequence in YAML */
unsigned sino_setting_words(const SinoSetting *row); /* bits of the words that the verbs have */
const char *sino_setting_allowed(const SinoSetting *row, char text[SINO_ALLOWED_SIZE]); /* "an integer from 1 to 9" */
bool sino_setting_is_unset(const SinoSetting *row, const SinoSettings *settings);       /* no default, and not given */
void sino_setting_print(const SinoSetting *row, const SinoSettings *settings, FILE *out); /* in YAML syntax */
const char *sino_setting_file(const SinoSetting *row, const SinoSettings *settings); /* given for a word; NULL: none */
bool sino_report_is_file(const SinoSetting *row, const char *text);                  /* has the row's ending */
bool sino_flag_parse(const char *text, bool *value);                  /* yes, true, on, 1; no, false, off, 0 */
bool sino_integer_parse(const char *text, int64_t *value);            /* decimal */
bool sino_real_parse(const char *text, size_t length, double *value); /* decimal; no "nan", no "inf" */
bool sino_duration_parse(const char *text, double *seconds); /* "90", "90s", "10min", "1.5h", "2d"; "none": 0 */
void sino_duration_print(double seconds, FILE *out);
bool sino_setting_in_range(const SinoSetting *row, double value);
void sino_real_print(double value, FILE *out); /* shortest digits that read back as the same number */

/* Whether the manual and docs/SETTINGS.md name a verb among those that have the setting; init has what recon has. */
bool sino_setting_names_verb(const SinoSetting *row, int verb);

/* settings_choices.c. False: the text is not allowed; the value is unchanged. */
bool sino_choices_parse(const char *const *choices, const char *text, unsigned *bits); /* words with commas, or "all" */
void sino_choices_print(const char *const *choices, unsigned bits, FILE *out);
bool sino_devices_parse(const SinoSetting *row, const char *text, SinoCountList *sets);
void sino_devices_print(const SinoCountList *sets, FILE *out);

/* settings_shapes.c: settings of several numbers. False: the text is not allowed; the value is unchanged. */
bool sino_grid_parse(const SinoSetting *row, const char *text, SinoGridShape *grid);
bool sino_volume_parse(const SinoSetting *row, const char *text, SinoVolumeShape *volume);
bool sino_topology_parse(const SinoSetting *row, const char *text, SinoTopologyShape *topology);
bool sino_pixel_parse(const SinoSetting *row, const char *text, SinoPixelSize *pixel);
bool sino_range_parse(const SinoSetting *row, const char *text, SinoValueRange *range);
bool sino_crystals_parse(const SinoSetting *row, const char *text, SinoCrystalShape *crystals);
bool sino_weights_parse(const SinoSetting *row, const char *text, SinoWeightList *list);
void sino_grid_print(const SinoGridShape *grid, FILE *out);
void sino_volume_print(const SinoVolumeShape *volume, FILE *out);
void sino_topology_print(const SinoTopologyShape *topology, FILE *out);
void sino_pixel_print(const SinoPixelSize *pixel, FILE *out);
void sino_range_print(const SinoValueRange *range, FILE *out);
void sino_crystals_print(const SinoCrystalShape *crystals, FILE *out);
void sino_weights_print(const SinoWeightList *list, FILE *out);

/* settings_yaml.c: the value as YAML has it, which the caller frees, and whether it is the default. SINO_FAILED: no
 * memory. */
SinoStatus sino_setting_yaml(const SinoSetting *row, const SinoSettings *settings, char **value, bool *usual);

/* settings_rules.c: whether algorithm and geometry of the settings allow the setting and its value. */
SinoStatus sino_setting_check(const SinoSetting *row, const SinoSettings *settings);
/* settings_conflicts.c: whether values of two settings exclude each other. */
SinoStatus sino_settings_check_conflicts(int verb, const SinoSettings *settings);

/* Whether the help of the verb has the setting for --tune. */
static inline bool sino_setting_is_tuned(const SinoSetting *row, int verb)
{
    return (row->tune & verb) != 0;
}

/* settings_help.c. Writes default, allowed values, unit, and what has the setting: "default 30; an integer from 1 to 9;
 * pixels; with --algorithm cg or sirt"; returns `text`. */
enum { SINO_FACTS_SIZE = 768 };
const char *sino_setting_facts(const SinoSetting *row, char text[SINO_FACTS_SIZE]);
/* Writes what has the setting: "; with --algorithm cg or sirt"; "": all; returns `text`. */
const char *sino_setting_needs(const SinoSetting *row, char text[SINO_FACTS_SIZE]);
/* Writes words of a setting of recon whose bits are set, such as "cg or sirt"; returns `text`. */
const char *sino_setting_words_text(const char *name, unsigned words, char text[SINO_ALLOWED_SIZE]);
/* The value as help and manual show it: "FILE", "[yes|no]"; "": there is none. */
const char *sino_setting_operand(const SinoSetting *row);
/* The brief text, or the beginning of the help; returns `text`. */
enum { SINO_GIST_SIZE = 96 };
const char *sino_setting_gist(const SinoSetting *row, char text[SINO_GIST_SIZE]);

/* What a command line gives; texts are of the arguments, or of `tune`. */
typedef struct SinoArguments {
    const char *text[SINO_SETTING_COUNT]; /* of each row; NULL: not given */
    int64_t more_count;
    const char **more; /* [more_count]: input files after the first; the caller gives room for all arguments */
    int64_t tune_count;
    char **tune; /* [tune_count]: values of --tune, cut into texts; likewise; the caller frees each */
} SinoArguments;

/* settings_arguments.c. Adds what the arguments give. */
SinoStatus sino_settings_arguments(int verb, int count, char **arguments, SinoArguments *given);

/* settings_yaml.c: assigns the settings of the file at `path`, and sets given[] of their rows. */
SinoStatus sino_settings_yaml_read(const char *path, int verb, SinoSettings *settings, bool given[SINO_SETTING_COUNT]);
