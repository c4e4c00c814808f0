/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings, rules: which settings and words the algorithm and the geometry allow, and the defaults that follow from
 * them. */
#include "settings.h"
#include "settings_table.h"

#include <string.h>

/* The setting that excludes what only some algorithms, geometries or removals of stripes have, and its word. */
typedef struct Excluder {
    const char *name, *word, *const *words;
    unsigned allowed; /* bits of its words */
} Excluder;

static Excluder find_excluder(int algorithms, int geometries, int removals, const SinoSettings *settings)
{
    const struct {
        const char *name;
        int word, allowed;
    } all[] = {{"geometry", (int)settings->geometry.kind, geometries},
               {"algorithm", (int)settings->solver.algorithm, algorithms},
               {"remove-stripe-method", (int)settings->stages.stripe_removal, removals}};
    size_t i = 0;
    while (i < 2 && (all[i].allowed == 0 || (all[i].allowed & 1 << all[i].word))) i++;
    const SinoSetting *row = sino_setting_find(SINO_VERB_RECON, all[i].name, strlen(all[i].name));
    unsigned possible = 0; /* words that the other settings allow, too */
    for (unsigned word = 0; row->choices[word]; word++)
        if (!sino_word_forbidden(row, word, settings)) possible |= (unsigned)all[i].allowed & 1u << word;
    return (Excluder){.name = row->name,
                      .word = row->choices[all[i].word],
                      .words = row->choices,
                      .allowed = possible ? possible : (unsigned)all[i].allowed};
}

static SinoStatus check_word(const SinoSetting *row, const SinoSettings *settings)
{
    unsigned word, allowed = 0;
    char text[SINO_ALLOWED_SIZE];
    if (row->kind != SINO_SETTING_CHOICE) return NULL;
    memcpy(&word, (const char *)settings + row->offset, sizeof word);
    const SinoWordRule *rule = sino_word_forbidden(row, word, settings);
    if (!rule) return NULL;
    for (unsigned i = 0; row->choices[i]; i++)
        if ((sino_setting_words(row) >> i & 1) && !sino_word_forbidden(row, i, settings)) allowed |= 1u << i;
    const Excluder by = find_excluder(rule->algorithms, rule->geometries, 0, settings);
    return sino_error(SINO_BAD_INPUT, "--%s %s contradicts --%s %s; allowed: %s", row->name, row->choices[word],
                      by.name, by.word, sino_words_join(row->choices, allowed, "or", text));
}

SinoStatus sino_setting_check(const SinoSetting *row, const SinoSettings *settings)
{
    char text[SINO_ALLOWED_SIZE];
    SINO_TRY(check_word(row, settings));
    if (sino_setting_applies(row, settings)) return NULL;
    const Excluder by = find_excluder(row->algorithms, row->geometries, row->removals, settings);
    return sino_error(SINO_BAD_INPUT, "--%s contradicts --%s %s; allowed: --%s with --%s %s", row->name, by.name,
                      by.word, row->name, by.name, sino_words_join(by.words, by.allowed, "or", text));
}

/* FISTA with its usual subsets comes close to its minimum in 15 iterations, without subsets in 80. More than those of
 * the demo would fit the noise of its scan, or its counts. */
static const char *usual_iterations(int verb, const SinoSettings *settings)
{
    if (settings->solver.algorithm == SINO_ALGORITHM_FISTA)
        return settings->projection.projector == SINO_PROJECTOR_TOEPLITZ ? SINO_NORMAL_ITERATIONS_TEXT : "15";
    if (verb != SINO_VERB_DEMO) return "30";
    if (settings->geometry.kind != SINO_GEOMETRY_PET) return "12";
    return settings->solver.algorithm == SINO_ALGORITHM_OSEM ? "2" : "20";
}

const char *sino_setting_settled(const SinoSetting *row, int verb, const SinoSettings *settings)
{
    if (strcmp(row->name, "algorithm") == 0 && settings->geometry.kind != SINO_GEOMETRY_PARALLEL) return NULL;
    if (strcmp(row->name, "iterations") == 0) return usual_iterations(verb, settings);
    if (strcmp(row->name, "prior") == 0)
        return settings->solver.algorithm == SINO_ALGORITHM_BSREM ? "relative-difference" : "auto";
    return row->fallback;
}
