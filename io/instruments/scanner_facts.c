/* SPDX-License-Identifier: BSD-3-Clause */
/* Scanner facts: how the readers of headers tell what they find. */
#include <glob.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "memory.h"
#include "scanner_private.h"

void sino_scanner_drop_ending(char *name)
{
    char *point = strrchr(name, '.');
    if (point) *point = '\0';
}

void sino_scanner_say(SinoScannerHeader *header, bool open, const char *format, ...)
{
    va_list values;
    if (header->note_count == SINO_SCANNER_NOTES) return;
    SinoScannerNote *note = &header->note[header->note_count++];
    note->open = open;
    va_start(values, format);
    vsnprintf(note->text, sizeof note->text, format, values);
    va_end(values);
}

SinoStatus sino_scanner_beside(const SinoScannerHeader *header, const char *name, char **path)
{
    const char *slash = strrchr(header->path, '/');
    const int length = slash ? (int)(slash + 1 - header->path) : 0;
    const int made = asprintf(path, "%.*s%s", length, header->path, name);
    if (made < 0) *path = NULL;
    SINO_CHECK(made >= 0, SINO_FAILED, "no memory for a file name");
    for (char *at = *path + length; *at; at++)
        if (*at == '\\') *at = '/';
    return NULL;
}

SinoStatus sino_scanner_find(const SinoScannerHeader *header, const char *name, char **path)
{
    SINO_TRY(sino_scanner_beside(header, name, path));
    if (access(*path, F_OK) == 0) return NULL;
    free(*path);
    *path = NULL;
    return NULL;
}

SinoStatus sino_scanner_stem(const SinoScannerHeader *header, char **stem)
{
    const char *slash = strrchr(header->path, '/');
    *stem = strdup(slash ? slash + 1 : header->path);
    SINO_CHECK(*stem, SINO_FAILED, "no memory for a file name");
    sino_scanner_drop_ending(*stem);
    return NULL;
}

SinoStatus sino_scanner_name_images(SinoScannerHeader *header, const char *prefix, int64_t digits)
{
    char *pattern = NULL;
    size_t size;
    FILE *out = open_memstream(&pattern, &size);
    SINO_CHECK(out, SINO_FAILED, "no memory for a file name");
    for (const char *at = prefix; *at; at++) fputc(strchr("*?[", *at) ? '?' : *at, out);
    for (int64_t i = 0; i < digits; i++) fputs("[0-9]", out);
    fputs(digits > 0 ? ".[tT][iI][fF]*" : "[0-9]*.[tT][iI][fF]*", out);
    SINO_CHECK(fclose(out) == 0, SINO_FAILED, "no memory for a file name");
    char *images = NULL;
    SinoStatus status = sino_scanner_beside(header, pattern, &images);
    free(pattern);
    SINO_TRY(status);
    free(header->images);
    header->images = images;
    return NULL;
}

static bool any_file(const char *pattern)
{
    glob_t found = {.gl_pathc = 0};
    const bool any = glob(pattern, GLOB_NOSORT, NULL, &found) == 0;
    globfree(&found);
    return any;
}

SinoStatus sino_scanner_name_images_by(SinoScannerHeader *header, const char *prefix, const char *other, int64_t digits)
{
    SINO_TRY(sino_scanner_name_images(header, other, digits));
    const bool only_other = any_file(header->images);
    SINO_TRY(sino_scanner_name_images(header, prefix, digits));
    return only_other && !any_file(header->images) ? sino_scanner_name_images(header, other, digits) : NULL;
}

SinoStatus sino_scanner_equal_angles(SinoScannerHeader *header, int64_t count, double first_deg, double step_deg)
{
    SINO_TRY(sino_allocate(count, sizeof *header->angle_deg, "angles", &header->angle_deg));
    for (int64_t k = 0; k < count; k++) header->angle_deg[k] = first_deg + (double)k * step_deg;
    header->angle_count = count;
    return NULL;
}

SinoStatus sino_scanner_need(const SinoScannerHeader *header, bool there, const char *name)
{
    SINO_CHECK(there, SINO_BAD_INPUT, "%s does not tell %s; needed: the header as the scanner wrote it", header->path,
               name);
    return NULL;
}
