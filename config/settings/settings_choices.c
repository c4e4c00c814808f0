/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings choices: lists of words, and lists of sets of devices. */
#include "settings_table.h"

#include <string.h>
#include <strings.h>

/* Parses words separated by commas into bits; "all" sets every bit. */
bool sino_choices_parse(const char *const *choices, const char *text, unsigned *bits)
{
    unsigned result = 0, count = 0;
    while (choices[count]) count++;
    if (strcasecmp(text, "all") == 0) {
        *bits = (1u << count) - 1;
        return true;
    }
    for (const char *word = text;; word++) {
        const size_t length = strcspn(word, ",");
        unsigned i = 0;
        while (i < count && !(strlen(choices[i]) == length && strncasecmp(choices[i], word, length) == 0)) i++;
        if (i == count || (result >> i & 1)) return false;
        result |= 1u << i;
        word += length;
        if (*word == '\0') break;
    }
    *bits = result;
    return true;
}

void sino_choices_print(const char *const *choices, unsigned bits, FILE *out)
{
    unsigned all;
    sino_choices_parse(choices, "all", &all);
    if (bits == all) {
        fputs("all", out);
        return;
    }
    const char *between = "";
    for (int i = 0; choices[i]; i++) {
        if (!(bits >> i & 1)) continue;
        fprintf(out, "%s%s", between, choices[i]);
        between = ",";
    }
}

/* Parses the `length` bytes at `text`, words joined by +. */
static bool parse_set(const char *const *words, const char *text, size_t length, unsigned *devices)
{
    char word[40];
    if (length == 0 || length >= sizeof word) return false;
    for (size_t i = 0; i < length; i++) word[i] = text[i] == '+' ? ',' : text[i];
    word[length] = '\0';
    return sino_choices_parse(words, word, devices);
}

bool sino_devices_parse(const SinoSetting *row, const char *text, SinoCountList *sets)
{
    SinoCountList result = {0};
    for (const char *at = text;; at++) {
        const size_t length = strcspn(at, ",");
        unsigned devices;
        if (result.count == SINO_COUNTS_MAX || !parse_set(row->choices, at, length, &devices)) return false;
        for (int64_t i = 0; i < result.count; i++)
            if (result.value[i] == (int64_t)devices) return false;
        result.value[result.count++] = (int64_t)devices;
        at += length;
        if (*at == '\0') break;
    }
    *sets = result;
    return true;
}

void sino_devices_print(const SinoCountList *sets, FILE *out)
{
    char text[SINO_DEVICES_SIZE];
    for (int64_t i = 0; i < sets->count; i++)
        fprintf(out, "%s%s", i ? "," : "", sino_devices_text((unsigned)sets->value[i], '+', text));
}
