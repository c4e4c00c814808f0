/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings shapes: parses and prints settings of several numbers: grids, topologies, weights. */
#include "settings_table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Parses the `length` bytes at `text` as an integer within the row's bounds. */
static bool parse_part(const SinoSetting *row, const char *text, size_t length, int64_t *value)
{
    char word[24];
    if (length == 0 || length >= sizeof word) return false;
    memcpy(word, text, length);
    word[length] = '\0';
    int64_t part;
    if (!sino_integer_parse(word, &part) || !sino_setting_in_range(row, (double)part)) return false;
    *value = part;
    return true;
}

/* Parses the `length` bytes at `text` as a number within the row's bounds. */
static bool parse_real(const SinoSetting *row, const char *text, size_t length, double *value)
{
    char word[40];
    if (length == 0 || length >= sizeof word) return false;
    memcpy(word, text, length);
    word[length] = '\0';
    return sino_real_parse(word, length, value) && sino_setting_in_range(row, *value);
}

/* Parses `least` to `most` integers such as "2x3"; "auto" is zeros, and so are the integers that are left out. */
static bool parse_sides(const SinoSetting *row, const char *text, int least, int most, int64_t *side)
{
    int64_t result[3] = {0};
    int count = 0;
    for (const char *word = text; strcmp(text, "auto") != 0; word++) {
        const size_t length = strcspn(word, "x");
        if (count == most || !parse_part(row, word, length, &result[count++])) return false;
        word += length;
        if (*word == '\0') break;
    }
    if (count > 0 && count < least) return false;
    memcpy(side, result, (size_t)most * sizeof *side);
    return true;
}

static void print_pair(int64_t first, int64_t second, FILE *out)
{
    if (first > 0)
        fprintf(out, "%" PRId64 "x%" PRId64, first, second);
    else
        fputs("auto", out);
}

bool sino_grid_parse(const SinoSetting *row, const char *text, SinoGridShape *grid)
{
    int64_t side[2];
    if (!parse_sides(row, text, 2, 2, side)) return false;
    *grid = (SinoGridShape){.batch_groups = side[0], .data_ranks = side[1]};
    return true;
}

void sino_grid_print(const SinoGridShape *grid, FILE *out)
{
    print_pair(grid->batch_groups, grid->data_ranks, out);
}

bool sino_volume_parse(const SinoSetting *row, const char *text, SinoVolumeShape *volume)
{
    int64_t side[3];
    if (!parse_sides(row, text, 2, 3, side)) return false;
    *volume = (SinoVolumeShape){.x = side[0], .y = side[1], .z = side[2]};
    return true;
}

void sino_volume_print(const SinoVolumeShape *volume, FILE *out)
{
    print_pair(volume->x, volume->y, out);
    if (volume->z > 0) fprintf(out, "x%" PRId64, volume->z);
}

bool sino_pixel_parse(const SinoSetting *row, const char *text, SinoPixelSize *pixel)
{
    SinoPixelSize result;
    const size_t length = strcspn(text, "x");
    if (!parse_real(row, text, length, &result.width)) return false;
    const char *rest = text + length + 1;
    result.height = result.width;
    if (text[length] && !parse_real(row, rest, strlen(rest), &result.height)) return false;
    *pixel = result;
    return true;
}

void sino_pixel_print(const SinoPixelSize *pixel, FILE *out)
{
    sino_real_print(pixel->width, out);
    if (pixel->height == pixel->width) return;
    fputc('x', out);
    sino_real_print(pixel->height, out);
}

bool sino_range_parse(const SinoSetting *row, const char *text, SinoValueRange *range)
{
    SinoValueRange result = {0};
    const size_t length = strcspn(text, ":");
    if (strcmp(text, "auto") == 0) {
        *range = result;
        return true;
    }
    if (!text[length] || !parse_real(row, text, length, &result.low)) return false;
    const char *rest = text + length + 1;
    if (!parse_real(row, rest, strlen(rest), &result.high) || result.low >= result.high) return false;
    *range = result;
    return true;
}

void sino_range_print(const SinoValueRange *range, FILE *out)
{
    if (range->low >= range->high) {
        fputs("auto", out);
        return;
    }
    sino_real_print(range->low, out);
    fputc(':', out);
    sino_real_print(range->high, out);
}

bool sino_crystals_parse(const SinoSetting *row, const char *text, SinoCrystalShape *crystals)
{
    int64_t side[3];
    if (strcmp(text, "auto") == 0 || !parse_sides(row, text, 3, 3, side)) return false;
    *crystals = (SinoCrystalShape){.blocks = side[0], .block_size = side[1], .rings = side[2]};
    return true;
}

void sino_crystals_print(const SinoCrystalShape *crystals, FILE *out)
{
    print_pair(crystals->blocks, crystals->block_size, out);
    fprintf(out, "x%" PRId64, crystals->rings);
}

/* The member that the prefix of a word names ("nodes="); *length: bytes of the prefix. NULL: none. */
static int64_t *level_of(SinoTopologyShape *topology, const char *word, size_t *length)
{
    const struct {
        const char *name;
        int64_t *member;
    } level[] = {{"nodes=", &topology->nodes}, {"sockets=", &topology->sockets}, {"workers=", &topology->workers}};
    for (size_t i = 0; i < sizeof level / sizeof *level; i++) {
        *length = strlen(level[i].name);
        if (strncmp(word, level[i].name, *length) == 0) return level[i].member;
    }
    return NULL;
}

bool sino_topology_parse(const SinoSetting *row, const char *text, SinoTopologyShape *topology)
{
    SinoTopologyShape result = {0};
    for (const char *word = text; strcmp(text, "auto") != 0; word++) {
        size_t name_length;
        const size_t length = strcspn(word, ",");
        int64_t *level = level_of(&result, word, &name_length);
        if (!level || *level > 0 || !parse_part(row, word + name_length, length - name_length, level)) return false;
        word += length;
        if (*word == '\0') break;
    }
    *topology = result;
    return true;
}

void sino_topology_print(const SinoTopologyShape *topology, FILE *out)
{
    const struct {
        const char *name;
        int64_t count;
    } level[] = {{"nodes", topology->nodes}, {"sockets", topology->sockets}, {"workers", topology->workers}};
    const char *between = "";
    for (size_t i = 0; i < sizeof level / sizeof *level; i++) {
        if (level[i].count == 0) continue;
        fprintf(out, "%s%s=%" PRId64, between, level[i].name, level[i].count);
        between = ",";
    }
    if (!*between) fputs("auto", out);
}

bool sino_weights_parse(const SinoSetting *row, const char *text, SinoWeightList *list)
{
    int64_t count = 0;
    const int most = sino_setting_item_most(row);
    if (row->choices && strcmp(text, row->choices[0]) == 0) {
        free(list->value);
        *list = (SinoWeightList){.measured = true};
        return true;
    }
    double *made = malloc((size_t)most * sizeof *made);
    if (!made) return false;
    for (const char *at = text;; at++) {
        const size_t length = strcspn(at, ",");
        if (count == most || !parse_real(row, at, length, &made[count])) goto refused;
        count++;
        at += length;
        if (*at == '\0') break;
    }
    free(list->value);
    *list = (SinoWeightList){.count = count, .value = made};
    return true;
refused:
    free(made);
    return false;
}

void sino_weights_print(const SinoWeightList *list, FILE *out)
{
    if (list->measured) fputs("auto", out);
    for (int64_t i = 0; i < list->count; i++) {
        if (i) fputc(',', out);
        sino_real_print(list->value[i], out);
    }
}
