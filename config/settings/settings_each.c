/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings, one by one: describes the rows of the table to a function, for programs that show settings themselves. Such
 * programs have no files for a word. */
#include "settings_table.h"

/* What a value is, in one word. */
static const char *type_of(SinoSettingKind kind)
{
    switch (kind) {
    case SINO_SETTING_FLAG:
        return "flag";
    case SINO_SETTING_INTEGER:
    case SINO_SETTING_AMOUNT:
        return "integer";
    case SINO_SETTING_REAL:
    case SINO_SETTING_AXIS:
        return "number";
    case SINO_SETTING_CHOICE:
        return "choice";
    case SINO_SETTING_CHOICES:
    case SINO_SETTING_COUNTS:
        return "list";
    default:
        return "text";
    }
}

static void describe(const SinoSetting *row, SinoSettingVisit *visit, void *of)
{
    char allowed[SINO_ALLOWED_SIZE], words[SINO_ALLOWED_SIZE], needs[SINO_FACTS_SIZE];
    const bool choice = row->kind == SINO_SETTING_CHOICE;
    const SinoSettingText text = {.name = row->name,
                                  .group = sino_group_title[row->group],
                                  .type = type_of(row->kind),
                                  .usual = row->fallback,
                                  .allowed = row->file ? words : sino_setting_allowed(row, allowed),
                                  .words = choice ? sino_words_join(row->choices, sino_setting_words(row), "or", words)
                                                  : NULL,
                                  .unit = row->unit,
                                  .needs = sino_setting_needs(row, needs),
                                  .help = row->help};
    visit(of, &text);
}

void sino_settings_each(int verb, SinoSettingVisit *visit, void *of)
{
    for (int group = 0; group < SINO_GROUP_COUNT; group++)
        for (int i = 0; i < SINO_SETTING_COUNT; i++) {
            const SinoSetting *row = &sino_setting_table[i];
            if ((int)row->group == group && sino_setting_names_verb(row, verb)) describe(row, visit, of);
        }
}
