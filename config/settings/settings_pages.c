/* SPDX-License-Identifier: BSD-3-Clause */
/* settings_pages: a program that prints a manual page ("man", or "man VERB") or the completion of a shell ("bash",
 * "zsh", "fish"). */
#include "settings.h"

#include <stdio.h>
#include <string.h>

static bool print_page(const char *page, const char *verb)
{
    static const struct {
        const char *name;
        void (*print)(FILE *out);
    } shell[] = {{"bash", sino_settings_bash}, {"zsh", sino_settings_zsh}, {"fish", sino_settings_fish}};
    if (strcmp(page, "man") == 0) return sino_settings_man(verb, stdout);
    for (size_t i = 0; !*verb && i < sizeof shell / sizeof *shell; i++) {
        if (strcmp(page, shell[i].name) != 0) continue;
        shell[i].print(stdout);
        return true;
    }
    return false;
}

int main(int argument_count, char **arguments)
{
    const bool known = (argument_count == 2 || argument_count == 3) &&
                       print_page(arguments[1], argument_count == 3 ? arguments[2] : "");
    if (known) return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
    fprintf(stderr, "usage: %s man [VERB]|bash|zsh|fish\n", arguments[0]);
    return 2;
}
