/* SPDX-License-Identifier: BSD-3-Clause */
/* Library, settings: texts of a caller as the arguments of recon, whose parser checks them. */
#include "library.h"

#include "memory.h"
#include "usual_algorithm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int64_t count_of(const char *const *texts)
{
    int64_t count = 0;
    while (texts && texts[count]) count++;
    return count;
}

/* Whether a text "name=value" or "name" has this name. */
static bool has_name(const char *text, const char *name)
{
    const size_t length = strlen(name);
    return strncmp(text, name, length) == 0 && (text[length] == '=' || text[length] == '\0');
}

static bool is_in(const char *text, const char *const *names)
{
    for (; *names; names++)
        if (has_name(text, *names)) return true;
    return false;
}

static SinoStatus refuse(const SinoLibrarySettings *of, const char *text)
{
    char list[1024] = "";
    size_t length = 0;
    const char *const *names = of->allowed ? of->allowed : of->denied;
    for (const char *const *name = names; *name && length < sizeof list; name++)
        length += (size_t)snprintf(list + length, sizeof list - length, "%s%s", name == names ? "" : ", ", *name);
    return sino_error(SINO_BAD_INPUT, "'%.80s' is no setting of %s; allowed: %s%s", text, of->what,
                      of->allowed ? "" : "those of recon but ", list);
}

bool sino_library_allows(const SinoLibrarySettings *of, const char *text)
{
    return of->allowed ? is_in(text, of->allowed) : !is_in(text, of->denied);
}

static SinoStatus check(const SinoLibrarySettings *of, const char *text)
{
    const size_t name = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-_");
    SINO_CHECK(name > 0 && text[0] != '-' && text[name] == '=', SINO_BAD_INPUT,
               "the setting '%.80s' is no name=value; allowed: as precision=double", text);
    return sino_library_allows(of, text) ? NULL : refuse(of, text);
}

const char *sino_library_given(const char *const *given, const char *name)
{
    for (; given && *given; given++)
        if (has_name(*given, name) && (*given)[strlen(name)] == '=') return *given + strlen(name) + 1;
    return NULL;
}

/* Appends "--name=value". */
static SinoStatus add(const char *text, int *count, char **arguments)
{
    SINO_CHECK(asprintf(&arguments[*count], "--%s", text) >= 0, SINO_FAILED, "no memory for settings");
    ++*count;
    return NULL;
}

/* Whether one of the caller's texts has the name of this one. */
static bool is_replaced(const char *own, const char *const *given)
{
    for (; given && *given; given++) {
        const size_t length = strcspn(own, "=") + 1;
        if (strncmp(own, *given, length) == 0) return true;
    }
    return false;
}

static SinoStatus fill(const SinoLibrarySettings *of, const char *const *given, int *count, char **arguments)
{
    SINO_TRY(add("file-name=projections", count, arguments));
    SINO_TRY(add("out=volume", count, arguments)); /* of files, which a library does not write */
    for (const char *const *own = of->own; own && *own; own++)
        if (!is_replaced(*own, given)) SINO_TRY(add(*own, count, arguments));
    for (; given && *given; given++) {
        SINO_TRY(check(of, *given));
        SINO_TRY(add(*given, count, arguments));
    }
    return NULL;
}

/* Names of files are no settings of a library. */
static SinoStatus check_weights(const SinoLibrarySettings *of, const SinoSettings *settings)
{
    const bool array = sino_library_given(of->own, "weights");
    SINO_CHECK(
        array || settings->solver.weights != SINO_WEIGHTS_FILE, SINO_BAD_INPUT,
        "the setting weights is '%s'; allowed: auto, counts or none, or of sinodag_recon an array in place of it",
        settings->solver.weights_file);
    return NULL;
}

SinoStatus sino_library_settings(const SinoLibrarySettings *of, const char *const *given, SinoSettings **settings)
{
    const SinoSettingsSources sources = {.algorithm = of->memory ? sino_usual_algorithm : NULL, .memory = of->memory};
    char **arguments;
    int count = 0;
    *settings = NULL;
    SINO_TRY(sino_allocate(2 + count_of(of->own) + count_of(given), sizeof *arguments, "settings", &arguments));
    SinoStatus status = fill(of, given, &count, arguments);
    if (!status) status = sino_settings_read_told(SINO_VERB_RECON, count, arguments, &sources, settings);
    for (int i = 0; i < count; i++) free(arguments[i]);
    free(arguments);
    if (!status) status = check_weights(of, *settings);
    if (status) {
        sino_settings_free(*settings);
        *settings = NULL;
    }
    return status;
}

const char *sino_library_usual(const SinoLibrarySettings *of, const SinoSettingText *text)
{
    for (const char *const *own = of->own; own && *own; own++)
        if (has_name(*own, text->name)) return *own + strlen(text->name) + 1;
    return text->usual;
}
