/* SPDX-License-Identifier: BSD-3-Clause */
/* Setting names: lookup by name or alias, and errors for unknown names. */
#include "settings_table.h"

#include <limits.h>
#include <string.h>

const SinoVerbText *sino_verb_text(int verb)
{
    const SinoVerbText *text = sino_verb_table;
    while (text->verb != verb) text++;
    return text;
}

const char *sino_verb_summary(int verb)
{
    return sino_verb_text(verb)->summary;
}

/* Every setting is looked for among all names: most differ in the first letter. */
static bool is_spelled(const char *name, const char *word, size_t length)
{
    return name && *name == *word && strncmp(name, word, length) == 0 && name[length] == '\0';
}

const SinoSetting *sino_setting_find(int verb, const char *word, size_t length)
{
    const SinoSetting *found = NULL;
    const SinoPeerOption *peer = sino_peer_option(word, length);
    if (peer && peer->same) {
        word = peer->name;
        length = strlen(word);
    }
    for (const SinoSetting *row = sino_setting_table; row < sino_setting_table + SINO_SETTING_COUNT; row++) {
        if (!is_spelled(row->name, word, length) && !is_spelled(row->alias, word, length)) continue;
        if (row->verbs & verb) return row;
        if (!found) found = row;
    }
    return found;
}

/* Bits of the verbs of all rows with this name. */
static int verbs_of_name(const char *name)
{
    int verbs = 0;
    for (const SinoSetting *row = sino_setting_table; row < sino_setting_table + SINO_SETTING_COUNT; row++)
        if (strcmp(row->name, name) == 0) verbs |= row->verbs;
    return verbs;
}

static bool applies(int algorithms, int geometries, const SinoSettings *settings)
{
    return (algorithms == 0 || (algorithms & 1 << settings->solver.algorithm) != 0) &&
           (geometries == 0 || (geometries & 1 << settings->geometry.kind) != 0);
}

bool sino_setting_applies(const SinoSetting *row, const SinoSettings *settings)
{
    return applies(row->algorithms, row->geometries, settings) &&
           (row->removals == 0 || (row->removals & 1 << settings->stages.stripe_removal) != 0);
}

const SinoWordRule *sino_word_forbidden(const SinoSetting *row, unsigned word, const SinoSettings *settings)
{
    for (const SinoWordRule *rule = sino_word_rules; rule->name; rule++)
        if (strcmp(rule->name, row->name) == 0 && (rule->words >> word & 1) &&
            !applies(rule->algorithms, rule->geometries, settings))
            return rule;
    return NULL;
}

const char *sino_words_join(const char *const *words, unsigned bits, const char *last, char text[SINO_ALLOWED_SIZE])
{
    size_t length = 0;
    text[0] = '\0';
    for (int i = 0; words[i]; i++) {
        if (!(bits >> i & 1)) continue;
        const bool is_last = bits >> i == 1 || !words[i + 1];
        const char *between = length == 0 ? "" : is_last ? " " : ", ";
        const int added = snprintf(text + length, SINO_ALLOWED_SIZE - length, "%s%s%s%s", between,
                                   length && is_last ? last : "", length && is_last ? " " : "", words[i]);
        length += (size_t)added;
        if (length >= SINO_ALLOWED_SIZE) break;
    }
    return text;
}

bool sino_setting_names_verb(const SinoSetting *row, int verb)
{
    return (row->verbs & verb) && verb != SINO_VERB_INIT;
}

SinoStatus sino_setting_check_verb(const SinoSetting *row, int verb, const char *where)
{
    if (row->verbs & verb) return NULL;
    const char *names[SINO_VERB_COUNT + 1] = {NULL};
    const int verbs = verbs_of_name(row->name);
    int count = 0;
    for (int i = 0; i < SINO_VERB_COUNT; i++)
        if ((verbs & sino_verb_table[i].verb) && sino_verb_table[i].verb != SINO_VERB_INIT)
            names[count++] = sino_verb_table[i].name;
    char text[SINO_ALLOWED_SIZE];
    return sino_error(SINO_BAD_INPUT, "%s is not an option of %s; allowed: with %s", where, sino_verb_text(verb)->name,
                      sino_words_join(names, UINT_MAX, "or", text));
}

enum { WORD_MAX = 40, VERB_WORD_MAX = 16 };

/* Levenshtein distance of two words, row by row. */
static int edit_distance(const char *a, const char *b)
{
    int distance[WORD_MAX + 1];
    const int length = (int)strlen(b);
    for (int j = 0; j <= length; j++) distance[j] = j;
    for (int i = 1; a[i - 1]; i++) {
        int diagonal = distance[0];
        distance[0] = i;
        for (int j = 1; j <= length; j++) {
            const int replaced = diagonal + (a[i - 1] != b[j - 1]);
            const int shorter = distance[j] < distance[j - 1] ? distance[j] : distance[j - 1];
            diagonal = distance[j];
            distance[j] = replaced < shorter + 1 ? replaced : shorter + 1;
        }
    }
    return distance[length];
}

/* Distance of a word from a name; a word that is the beginning of the name has distance 1. */
static int unlikeness(const char *word, const char *name)
{
    if (!name) return INT_MAX;
    const size_t length = strlen(word);
    if (length >= 3 && strncmp(word, name, length) == 0) return 1;
    return edit_distance(word, name);
}

const char *sino_verb_closest(const char *word)
{
    const char *closest = NULL;
    int least = 3;
    if (strlen(word) > VERB_WORD_MAX) return NULL;
    word += strspn(word, "-");
    for (int i = 0; i < SINO_VERB_COUNT; i++) {
        const char *const name = sino_verb_table[i].name;
        const bool longer = strncmp(word, name, strlen(name)) == 0; /* reconstruct */
        const int distance = longer ? 1 : unlikeness(word, name);
        if (distance >= least || 2 * distance > (int)strlen(name)) continue;
        least = distance;
        closest = name;
    }
    return closest;
}

/* The settings whose names, aliases or peers' words are closest to a word. */
enum { GUESSES_MAX = 3 };
typedef struct Guesses {
    const char *word;
    int least, count; /* distance; number of names at that distance */
    const char *name[GUESSES_MAX];
} Guesses;

static void guess(const char *spelling, const char *name, Guesses *guesses)
{
    const int distance = unlikeness(guesses->word, spelling);
    if (distance > guesses->least) return;
    if (distance < guesses->least) guesses->count = 0;
    guesses->least = distance;
    for (int i = 0; i < guesses->count && i < GUESSES_MAX; i++)
        if (strcmp(guesses->name[i], name) == 0) return;
    if (guesses->count < GUESSES_MAX) guesses->name[guesses->count] = name;
    guesses->count++;
}

/* Whether the verb has a setting of this name, for --config or for the command line. */
static bool can_be_given(int verb, bool for_yaml, const char *name)
{
    const SinoSetting *row = sino_setting_find(verb, name, strlen(name));
    return (row->verbs & verb) && !(for_yaml && row->argument_only);
}

static void find_closest(int verb, bool for_yaml, Guesses *guesses)
{
    const size_t length = strlen(guesses->word);
    if (length < 2 || length > WORD_MAX) return; /* any letter is like any other */
    guesses->least = length < 4 ? 1 : length < 6 ? 2 : (int)length / 3;
    for (const SinoSetting *row = sino_setting_table; row < sino_setting_table + SINO_SETTING_COUNT; row++) {
        if (!(row->verbs & verb) || !can_be_given(verb, for_yaml, row->name)) continue;
        guess(row->name, row->name, guesses);
        guess(row->alias, row->name, guesses);
    }
    for (const SinoPeerOption *peer = sino_peer_options; peer->word; peer++)
        if (peer->name && can_be_given(verb, for_yaml, peer->name)) guess(peer->word, peer->name, guesses);
}

/* The refusal of a word that another program has for a setting, or for what sinodag does not do. */
static SinoStatus answer_peer(int verb, const char *what, const char *dashes, const char *word,
                              const SinoPeerOption *peer)
{
    const char *name = sino_verb_text(verb)->name, *answer = peer->answer;
    if (!peer->name) return sino_error(SINO_BAD_INPUT, "%s %s of %s: %s", what, word, name, answer);
    return sino_error(SINO_BAD_INPUT, "%s %s of %s; did you mean %s%s%s%s%s?", what, word, name, dashes, peer->name,
                      answer ? " (" : "", answer ? answer : "", answer ? ")" : "");
}

SinoStatus sino_setting_unknown(int verb, const char *what, const char *dashes, const char *word)
{
    const char *name = sino_verb_text(verb)->name, *bare = word + strspn(word, "-");
    const bool for_yaml = dashes[0] == '\0';
    Guesses guesses = {.word = bare};
    const SinoPeerOption *peer = sino_peer_option(bare, strlen(bare));
    if (peer && (!peer->name || can_be_given(verb, for_yaml, peer->name)))
        return answer_peer(verb, what, dashes, word, peer);
    find_closest(verb, for_yaml, &guesses);
    if (guesses.count == 0 || guesses.count > GUESSES_MAX)
        return sino_error(SINO_BAD_INPUT, "%s %s of %s; allowed: those that sinodag %s --help all lists", what, word,
                          name, name);
    char text[GUESSES_MAX * (WORD_MAX + 8)] = "";
    size_t length = 0;
    for (int i = 0; i < guesses.count; i++)
        length +=
            (size_t)snprintf(text + length, sizeof text - length, "%s%s%s", i ? " or " : "", dashes, guesses.name[i]);
    return sino_error(SINO_BAD_INPUT, "%s %s of %s; did you mean %s?", what, word, name, text);
}
