/* SPDX-License-Identifier: BSD-3-Clause */
/* settings_pages: a program that prints the manual page ("man") or the completion of a shell ("bash", "zsh", "fish").
 */
#include "settings.h"

#include <stdio.h>
#include <string.h>

int main(int argument_count, char **arguments)
{
    static const struct {
        const char *name;
        void (*print)(FILE *out);
    } page[] = {{"man", sino_settings_man},
                {"bash", sino_settings_bash},
                {"zsh", sino_settings_zsh},
                {"fish", sino_settings_fish}};
    for (size_t i = 0; argument_count == 2 && i < sizeof page / sizeof *page; i++) {
        if (strcmp(arguments[1], page[i].name) != 0) continue;
        page[i].print(stdout);
        return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
    }
    fprintf(stderr, "usage: %s man|bash|zsh|fish\n", arguments[0]);
    return 2;
}
