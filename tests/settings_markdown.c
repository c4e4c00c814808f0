/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings page: prints docs/SETTINGS.md. With a file's name, it fails unless that file is the same page. */
#include "settings.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool is_same(FILE *file, const char *page, size_t size)
{
    char *stored = malloc(size + 1);
    const bool same = stored && fread(stored, 1, size + 1, file) == size && memcmp(stored, page, size) == 0;
    free(stored);
    return same;
}

int main(int argument_count, char **arguments)
{
    if (argument_count < 2) {
        sino_settings_markdown(stdout);
        return fflush(stdout) == 0 ? 0 : 1;
    }
    char *page = NULL;
    size_t size;
    FILE *out = open_memstream(&page, &size);
    if (!out) return 1;
    sino_settings_markdown(out);
    if (fclose(out) != 0) return 1;
    FILE *file = fopen(arguments[1], "rb");
    const bool same = file && is_same(file, page, size);
    if (!same) fprintf(stderr, "%s is not what %s prints; make it anew\n", arguments[1], arguments[0]);
    if (file) (void)fclose(file);
    free(page);
    return same ? 0 : 1;
}
