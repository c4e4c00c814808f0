/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings arguments: splits the command line into settings and their texts. */
#include "settings_table.h"

#include <ctype.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

static const SinoSetting *find_letter(char letter)
{
    for (const SinoSetting *row = sino_setting_table; row < sino_setting_table + SINO_SETTING_COUNT; row++)
        if (row->letter && row->letter == letter) return row;
    return NULL;
}

enum { WORD_SIZE = 80 };

/* The row of "--name" or "-o"; NULL: unknown. Some programs have "--the_name". */
static const SinoSetting *find_option(int verb, const char *spelling)
{
    char word[WORD_SIZE];
    snprintf(word, sizeof word, "%s", spelling);
    const size_t length = strlen(word);
    for (char *c = word; *c; c++)
        if (*c == '_') *c = '-';
    if (length > 2 && word[1] == '-') return sino_setting_find(verb, word + 2, length - 2);
    return length == 2 ? find_letter(word[1]) : NULL;
}

/* A dash before a digit or a point begins a negative number, not an option. */
static bool looks_like_option(const char *argument)
{
    return argument[0] == '-' && argument[1] != '\0' && !isdigit((unsigned char)argument[1]) && argument[1] != '.';
}

/* Whether the option may stand without a value. */
static bool is_flag(const SinoSetting *row)
{
    return row->kind == SINO_SETTING_FLAG || row->kind == SINO_SETTING_REPORT;
}

/* An option that may have one of a few words as its value, and has another value without. */
static bool stands_bare(const SinoSetting *row, const char *next)
{
    bool flag;
    if (!row->bare || (next && row->kind == SINO_SETTING_CHOICE && sino_flag_parse(next, &flag))) return false;
    for (const char *const *word = row->choices; next && *word; word++)
        if (strcmp(next, *word) == 0) return false;
    return true;
}

/* The value of an option without "=": the next argument. A flag needs no value, but accepts "yes" or "no", and a report
 * the name of a file with its ending, which no input has. */
static SinoStatus next_value(const SinoSetting *row, int count, char **arguments, int *i, const char **value)
{
    const char *next = *i + 1 < count ? arguments[*i + 1] : NULL;
    bool flag;
    const bool named = next && row->kind == SINO_SETTING_REPORT && sino_report_is_file(row, next);
    if (is_flag(row) && !named && !(next && sino_flag_parse(next, &flag))) {
        *value = "yes";
        return NULL;
    }
    if (stands_bare(row, next)) {
        *value = row->bare;
        return NULL;
    }
    char text[SINO_ALLOWED_SIZE];
    SINO_CHECK(next && !looks_like_option(next), SINO_BAD_INPUT, "--%s has no value; allowed: %s", row->name,
               sino_setting_allowed(row, text));
    *value = next;
    ++*i;
    return NULL;
}

static SinoStatus keep(const SinoSetting *row, const char *value, const char *text[SINO_SETTING_COUNT])
{
    const char **kept = &text[row - sino_setting_table];
    SINO_CHECK(!*kept, SINO_BAD_INPUT, "--%s is given twice, '%s' and '%s'; allowed: once", row->name, *kept, value);
    *kept = value;
    return NULL;
}

/* What may be wrong with file names: a word after an option may be meant as its value, or as the rest of it: 2 GB. */
typedef struct Doubt {
    const SinoSetting *option;      /* the option just before; NULL: none, or one with "=" */
    const char *begun;              /* its value; NULL: it needs none, and has none */
    const SinoSetting *kept_option; /* both of the name that is kept, if there is no such file */
    const char *kept_begun;
} Doubt;

static SinoStatus refuse_rest(const SinoSetting *option, const char *begun, const char *value)
{
    char text[SINO_ALLOWED_SIZE];
    return sino_error(SINO_BAD_INPUT, "--%s is '%s%s%s'; allowed: %s", option->name, begun ? begun : "",
                      begun ? " " : "", value, sino_setting_allowed(option, text));
}

/* The setting that a word without a dash is for: the input file, or, after one, the file that it is compared with. */
static const SinoSetting *row_of_name(int verb, const char *text[SINO_SETTING_COUNT])
{
    const SinoSetting *input = sino_setting_find(verb, "file-name", 9);
    const SinoSetting *reference = sino_setting_find(verb, "reference", 9);
    return text[input - sino_setting_table] && (reference->verbs & verb) ? reference : input;
}

static SinoStatus keep_file_name(int verb, const char *name, SinoArguments *given, Doubt *doubt)
{
    const char **const text = given->text;
    const SinoSetting *row = row_of_name(verb, text);
    const SinoSetting *option = access(name, F_OK) != 0 ? doubt->option : NULL;
    const char *kept = text[row - sino_setting_table];
    if (option && (kept || !(row->verbs & verb))) return refuse_rest(option, doubt->begun, name);
    if (kept && doubt->kept_option) return refuse_rest(doubt->kept_option, doubt->kept_begun, kept);
    if (kept && (verb & SINO_VERBS_OF_FILES)) {
        given->more[given->more_count++] = name;
        return NULL;
    }
    SINO_CHECK(row->verbs & verb, SINO_BAD_INPUT, "'%s' is not an option of %s, which takes no file name; needed: %s",
               name, sino_verb_text(verb)->name, sino_verb_text(verb)->usage);
    SINO_CHECK(!kept || strcmp(row->name, "reference") != 0, SINO_BAD_INPUT,
               "there are three input files, the last ones '%s' and '%s'; needed: %s", kept, name,
               sino_verb_text(verb)->usage);
    SINO_CHECK(!kept, SINO_BAD_INPUT,
               "there are two input files, '%s' and '%s'; allowed: one, or a quoted pattern of TIFF images", kept,
               name);
    doubt->kept_option = option;
    doubt->kept_begun = option ? doubt->begun : NULL;
    return keep(row, name, text);
}

/* The row of a setting for --tune whose name stands before the "=" of `pair`; NULL: there is none. */
static const SinoSetting *row_of_pair(int verb, const char *pair)
{
    char word[WORD_SIZE];
    const size_t length = strcspn(pair, ",=");
    snprintf(word, sizeof word, "--%.*s", (int)(length < WORD_SIZE ? length : WORD_SIZE), pair);
    const SinoSetting *row = pair[length] == '=' ? find_option(verb, word) : NULL;
    return row && row->tune ? row : NULL;
}

/* Ends the value, and returns the pair after it; NULL: it is the last one. A value may have commas itself. */
static char *end_value(int verb, const SinoSetting *row, char *value)
{
    const bool several = sino_setting_is_list(row) || row->kind == SINO_SETTING_TOPOLOGY;
    char *comma = strchr(value, ',');
    while (comma && several && !row_of_pair(verb, comma + 1)) comma = strchr(comma + 1, ',');
    if (!comma) return NULL;
    *comma = '\0';
    return comma + 1;
}

static SinoStatus refuse_pair(int verb, const char *pair)
{
    char word[WORD_SIZE];
    const size_t length = strcspn(pair, ",=");
    snprintf(word, sizeof word, "%.*s", (int)(length < WORD_SIZE ? length : WORD_SIZE), pair);
    SINO_CHECK(pair[length] == '=', SINO_BAD_INPUT,
               "--tune has '%s' without a value; allowed: NAME=VALUE, with commas between several", word);
    const SinoSetting *row = sino_setting_find(verb, word, strlen(word));
    if (!row) return sino_setting_unknown(verb, "--tune: unknown setting", "", word);
    SINO_TRY(sino_setting_check_verb(row, verb, word));
    return sino_error(SINO_BAD_INPUT, "--tune has %s, which is an option; needed: --%s VALUE", word, row->name);
}

static SinoStatus keep_pairs(int verb, const char *pairs, SinoArguments *given)
{
    char *pair = strdup(pairs);
    SINO_CHECK(pair, SINO_FAILED, "no memory for a setting of %zu bytes", strlen(pairs));
    given->tune[given->tune_count++] = pair;
    while (pair) {
        const SinoSetting *row = row_of_pair(verb, pair);
        if (!row) return refuse_pair(verb, pair);
        char *value = strchr(pair, '=') + 1, where[WORD_SIZE];
        snprintf(where, sizeof where, "--tune %s", row->name);
        SINO_TRY(sino_setting_check_verb(row, verb, where));
        pair = end_value(verb, row, value);
        SINO_TRY(keep(row, value, given->text));
    }
    return NULL;
}

/* arguments[*i] is an option; *i advances when the next argument is its value. */
static SinoStatus keep_option(int verb, int count, char **arguments, int *i, SinoArguments *given, Doubt *doubt)
{
    const char *argument = arguments[*i];
    const char *value = strchr(argument, '=');
    char word[WORD_SIZE];
    snprintf(word, sizeof word, "%.*s", value ? (int)(value - argument) : INT_MAX, argument);
    const SinoSetting *row = find_option(verb, word);
    if (!row) return sino_setting_unknown(verb, "unknown option", "--", word);
    SINO_TRY(sino_setting_check_verb(row, verb, word));
    const int at = *i;
    if (!value && (is_flag(row) || row->unit || row->kind == SINO_SETTING_DURATION)) doubt->option = row;
    if (value)
        value++;
    else
        SINO_TRY(next_value(row, count, arguments, i, &value));
    doubt->begun = *i > at ? value : NULL;
    if (doubt->begun && is_flag(row)) doubt->option = NULL;
    return row->kind == SINO_SETTING_TUNE ? keep_pairs(verb, value, given) : keep(row, value, given->text);
}

SinoStatus sino_settings_arguments(int verb, int count, char **arguments, SinoArguments *given)
{
    bool options_ended = false;
    Doubt doubt = {0};
    for (int i = 0; i < count; i++) {
        const bool is_name = options_ended || arguments[i][0] != '-' || arguments[i][1] == '\0';
        if (is_name) SINO_TRY(keep_file_name(verb, arguments[i], given, &doubt));
        doubt.option = NULL;
        if (is_name) continue;
        if (strcmp(arguments[i], "--") == 0)
            options_ended = true;
        else
            SINO_TRY(keep_option(verb, count, arguments, &i, given, &doubt));
    }
    return NULL;
}
