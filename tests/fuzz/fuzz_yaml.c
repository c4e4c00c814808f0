/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzzing: the YAML file of --config. What is read and printed must be read again, and printed the same. The input is a
 * byte that chooses the verb, and the text. */
#include "fuzz.h"
#include "settings.h"

static SinoStatus read_text(int verb, const void *text, size_t size, SinoSettings **settings)
{
    char config[] = "--config", path[FUZZ_PATH];
    snprintf(path, sizeof path, "%s", fuzz_file(0, text, size));
    return sino_settings_read(verb, 2, (char *[]){config, path, NULL}, settings);
}

static char *print(const SinoSettings *settings, int verb)
{
    char *text = NULL;
    fuzz_require(!sino_settings_text(settings, verb, &text));
    return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1) return 0;
    const int verb = 1 << data[0] % 6;
    SinoSettings *settings = NULL, *again = NULL;
    SinoStatus status = read_text(verb, data + 1, size - 1, &settings);
    if (!status) {
        char *text = print(settings, verb);
        fuzz_require(!read_text(verb, text, strlen(text), &again));
        char *other = print(again, verb);
        fuzz_require(strcmp(text, other) == 0);
        free(text);
        free(other);
        sino_settings_free(again);
        sino_settings_free(settings);
    }
    sino_status_free(status);
    return 0;
}
