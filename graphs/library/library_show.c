/* SPDX-License-Identifier: BSD-3-Clause */
/* Library, shown settings: those of each function, for programs that show them. */
#include "library.h"

#include <locale.h>
#include <string.h>

/* A caller's function that shows settings. */
typedef struct Visitor {
    const SinoLibrarySettings *settings;
    SinodagVisit *visit;
    void *of;
} Visitor;

static void show(void *of, const SinoSettingText *text)
{
    const Visitor *visitor = of;
    if (!sino_library_allows(visitor->settings, text->name)) return;
    const SinodagSetting setting = {.name = text->name,
                                    .group = text->group,
                                    .type = text->type,
                                    .usual = sino_library_usual(visitor->settings, text),
                                    .allowed = text->allowed,
                                    .words = text->words,
                                    .unit = text->unit,
                                    .needs = text->needs,
                                    .help = text->help};
    visitor->visit(visitor->of, &setting);
}

SinodagStatus sinodag_settings(const char *function, SinodagVisit *visit, void *of)
{
    static const struct {
        const char *name;
        const SinoLibrarySettings *settings;
    } functions[] = {{"start", &sino_library_start},
                     {"operator", &sino_library_operator},
                     {"solve", &sino_library_solve},
                     {"recon", &sino_library_recon}};
    SINO_CHECK(visit, SINO_BAD_INPUT, "there is no function that is shown settings; allowed: a function");
    for (size_t i = 0; function && i < sizeof functions / sizeof *functions; i++)
        if (strcmp(function, functions[i].name) == 0) {
            Visitor visitor = {.settings = functions[i].settings, .visit = visit, .of = of};
            const locale_t points = newlocale(LC_ALL_MASK, "C", (locale_t)0), callers = uselocale((locale_t)0);
            if (points) uselocale(points);
            sino_settings_each(SINO_VERB_RECON, show, &visitor);
            uselocale(callers);
            if (points) freelocale(points);
            return NULL;
        }
    return sino_error(SINO_BAD_INPUT, "'%.80s' has no settings; allowed: start, operator, solve, recon",
                      function ? function : "");
}
