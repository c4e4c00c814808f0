/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzzing: the arguments of a verb. The input is a byte that chooses the verb, and one argument per line. */
#include "fuzz.h"
#include "settings_table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { ARGUMENTS = 64 };
    if (size < 1) return 0;
    const int verb = sino_verb_table[data[0] % SINO_VERB_COUNT].verb;
    char *argument[ARGUMENTS + 1] = {NULL}, *text = malloc(size), *rest = text;
    int count = 0;
    fuzz_require(text != NULL);
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    /* --config would read files of this machine. */
    if (strstr(text, "config")) rest = NULL;
    while (count < ARGUMENTS && (argument[count] = strsep(&rest, "\n"))) count++;
    argument[count] = NULL;
    SinoSettings *settings = NULL;
    char *printed = NULL;
    SinoStatus status = sino_settings_read(verb, count, argument, &settings);
    if (!status) {
        fuzz_require(!sino_settings_text(settings, verb, &printed));
        free(printed);
        sino_settings_free(settings);
    }
    sino_status_free(status);
    free(text);
    return 0;
}
