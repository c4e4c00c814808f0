/* SPDX-License-Identifier: BSD-3-Clause */
/* Zarr folder: names, folders, metadata. */
#include "volume_private.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "platform.h"
#include "text.h"

/* What has the temporary name must be what a killed run of this user has left. */
static SinoStatus check_partial(const char *path)
{
    struct stat about;
    char *name, *inside;
    SINO_CHECK(asprintf(&name, "%s.partial", path) >= 0, SINO_FAILED, "no memory for a file name");
    const bool exists = lstat(name, &about) == 0;
    bool ours = !exists || (S_ISDIR(about.st_mode) && about.st_uid == geteuid());
    if (exists && ours && asprintf(&inside, "%s/0/c", name) >= 0) {
        ours = access(inside, F_OK) == 0;
        free(inside);
    }
    SinoStatus status =
        ours ? NULL
             : sino_error(SINO_BAD_INPUT, "%s is not what an unfinished run has left; allowed: no such name", name);
    free(name);
    return status;
}

static SinoStatus check_final(const char *path, bool overwrite)
{
    struct stat about;
    char *metadata;
    if (lstat(path, &about) != 0) return NULL;
    SINO_CHECK(overwrite, SINO_BAD_INPUT, "%s exists; --overwrite replaces it", path);
    SINO_CHECK(asprintf(&metadata, "%s/zarr.json", path) >= 0, SINO_FAILED, "no memory for a file name");
    const bool zarr = S_ISDIR(about.st_mode) && access(metadata, F_OK) == 0;
    free(metadata);
    SINO_CHECK(zarr, SINO_BAD_INPUT, "%s is no Zarr folder; allowed: a new name, or a folder with a file zarr.json",
               path);
    return NULL;
}

SinoStatus sino_zarr_folder_check(const char *path, bool overwrite)
{
    SINO_TRY(check_partial(path));
    return check_final(path, overwrite);
}

void sino_zarr_folder_remove(const char *path)
{
    sino_platform_remove_folder(path);
}

/* Makes the folder PARENT/NAME, or, with `number` at least 0, PARENT/NAME/NUMBER. */
static SinoStatus make(const char *format, ...) __attribute__((format(printf, 1, 2)));

static SinoStatus make(const char *format, ...)
{
    char *path = NULL;
    va_list arguments;
    va_start(arguments, format);
    const int length = vasprintf(&path, format, arguments);
    va_end(arguments);
    SINO_CHECK(length >= 0, SINO_FAILED, "no memory for a file name");
    const int made = mkdir(path, 0777), error_number = errno;
    SinoStatus status =
        made == 0 ? NULL : sino_error(SINO_FAILED, "folder %s cannot be made: %s", path, strerror(error_number));
    free(path);
    return status;
}

static SinoStatus write_json(const char *folder, const char *text)
{
    char *path;
    SinoOutputFile *file;
    SINO_CHECK(asprintf(&path, "%s/zarr.json", folder) >= 0, SINO_FAILED, "no memory for a file name");
    SinoStatus status = sino_output_open(path, true, &file);
    free(path);
    if (status) return status;
    sino_output_write(file, 0, text, strlen(text));
    return sino_output_seal(file);
}

static void print_sizes(SinoJson *json, const char *name, const int64_t size[3])
{
    sino_json_open_list(json, name);
    for (int i = 0; i < 3; i++) sino_json_integer(json, NULL, size[i]);
    sino_json_close_list(json);
}

/* A codec that stores numbers in the byte order of this machine. */
static void print_bytes_codec(SinoJson *json)
{
    const uint16_t one = 1;
    sino_json_open(json, NULL);
    sino_json_text(json, "name", "bytes");
    sino_json_open(json, "configuration");
    sino_json_text(json, "endian", *(const char *)&one ? "little" : "big");
    sino_json_close(json);
    sino_json_close(json);
}

static void print_checksum_codec(SinoJson *json)
{
    sino_json_open(json, NULL);
    sino_json_text(json, "name", "crc32c");
    sino_json_close(json);
}

static void print_codecs(SinoJson *json, const SinoZarrPyramid *pyramid, const SinoZarrLevel *level)
{
    sino_json_open_list(json, "codecs");
    sino_json_open(json, NULL);
    sino_json_text(json, "name", "sharding_indexed");
    sino_json_open(json, "configuration");
    print_sizes(json, "chunk_shape", level->chunk);
    sino_json_open_list(json, "codecs");
    print_bytes_codec(json);
    if (pyramid->request->zstd) {
        sino_json_open(json, NULL);
        sino_json_text(json, "name", "zstd");
        sino_json_open(json, "configuration");
        sino_json_integer(json, "level", 1);
        sino_json_flag(json, "checksum", false);
        sino_json_close(json);
        sino_json_close(json);
    }
    print_checksum_codec(json);
    sino_json_close_list(json);
    sino_json_open_list(json, "index_codecs");
    print_bytes_codec(json);
    print_checksum_codec(json);
    sino_json_close_list(json);
    sino_json_text(json, "index_location", "end");
    sino_json_close(json);
    sino_json_close(json);
    sino_json_close_list(json);
}

static void print_array(SinoJson *json, const SinoZarrPyramid *pyramid, const SinoZarrLevel *level)
{
    static const char *const type[] = {"float32", "uint16", "uint8"}, *const axis[] = {"z", "y", "x"};
    sino_json_open(json, NULL);
    sino_json_integer(json, "zarr_format", 3);
    sino_json_text(json, "node_type", "array");
    print_sizes(json, "shape", level->size);
    sino_json_text(json, "data_type", type[pyramid->request->codes.type]);
    sino_json_open(json, "chunk_grid");
    sino_json_text(json, "name", "regular");
    sino_json_open(json, "configuration");
    print_sizes(json, "chunk_shape", level->shard);
    sino_json_close(json);
    sino_json_close(json);
    sino_json_open(json, "chunk_key_encoding");
    sino_json_text(json, "name", "default");
    sino_json_open(json, "configuration");
    sino_json_text(json, "separator", "/");
    sino_json_close(json);
    sino_json_close(json);
    sino_json_integer(json, "fill_value", 0);
    print_codecs(json, pyramid, level);
    sino_json_open_list(json, "dimension_names");
    for (int i = 0; i < 3; i++) sino_json_text(json, NULL, axis[i]);
    sino_json_close_list(json);
    sino_json_open(json, "attributes");
    sino_json_close(json);
    sino_json_close(json);
}

/* Side of a voxel of level 0 along z, y and x; 1 where it is unknown. */
static double side(const SinoZarrPyramid *pyramid, int axis)
{
    const double um = pyramid->request->voxel_um[2 - axis];
    return um > 0 ? um : 1;
}

static void print_transformation(SinoJson *json, const SinoZarrPyramid *pyramid, const char *type, double factor)
{
    sino_json_open(json, NULL);
    sino_json_text(json, "type", type);
    sino_json_open_list(json, type);
    for (int i = 0; i < 3; i++) sino_json_real(json, NULL, factor * side(pyramid, i));
    sino_json_close_list(json);
    sino_json_close(json);
}

static void print_multiscale(SinoJson *json, const SinoZarrPyramid *pyramid)
{
    static const char *const axis[] = {"z", "y", "x"};
    sino_json_open(json, NULL);
    sino_json_text(json, "name", "volume");
    sino_json_open_list(json, "axes");
    for (int i = 0; i < 3; i++) {
        sino_json_open(json, NULL);
        sino_json_text(json, "name", axis[i]);
        sino_json_text(json, "type", "space");
        if (pyramid->request->voxel_um[2 - i] > 0) sino_json_text(json, "unit", "micrometer");
        sino_json_close(json);
    }
    sino_json_close_list(json);
    sino_json_open_list(json, "datasets");
    for (int64_t l = 0; l < pyramid->level_count; l++) {
        char name[24];
        const double factor = (double)((int64_t)1 << l);
        snprintf(name, sizeof name, "%" PRId64, l);
        sino_json_open(json, NULL);
        sino_json_text(json, "path", name);
        sino_json_open_list(json, "coordinateTransformations");
        print_transformation(json, pyramid, "scale", factor);
        print_transformation(json, pyramid, "translation", (factor - 1) / 2); /* the middle of the first voxel */
        sino_json_close_list(json);
        sino_json_close(json);
    }
    sino_json_close_list(json);
    sino_json_text(json, "type", "mean");
    sino_json_close(json);
}

/* What viewers show at first; a channel for the whole volume. */
static void print_window(SinoJson *json, const SinoVoxelCodes *codes)
{
    const double largest = sino_codes_largest(codes);
    const double low = largest > 0 ? 0 : codes->range.low, high = largest > 0 ? largest : codes->range.high;
    if (low >= high) return;
    sino_json_open(json, "omero");
    sino_json_open_list(json, "channels");
    sino_json_open(json, NULL);
    sino_json_text(json, "color", "FFFFFF");
    sino_json_open(json, "window");
    sino_json_real(json, "min", low);
    sino_json_real(json, "max", high);
    sino_json_real(json, "start", low);
    sino_json_real(json, "end", high);
    sino_json_close(json);
    sino_json_close(json);
    sino_json_close_list(json);
    sino_json_close(json);
}

static void print_group(SinoJson *json, const SinoZarrPyramid *pyramid, const char *attributes)
{
    const SinoVoxelCodes *codes = &pyramid->request->codes;
    sino_json_open(json, NULL);
    sino_json_integer(json, "zarr_format", 3);
    sino_json_text(json, "node_type", "group");
    sino_json_open(json, "attributes");
    sino_json_open(json, "ome");
    sino_json_text(json, "version", "0.5");
    sino_json_open_list(json, "multiscales");
    print_multiscale(json, pyramid);
    sino_json_close_list(json);
    print_window(json, codes);
    sino_json_close(json);
    sino_json_open(json, "sinodag");
    sino_json_text(json, "units", pyramid->request->units);
    if (sino_codes_step(codes) > 0) {
        sino_json_real(json, "scale_factor", sino_codes_step(codes));
        sino_json_real(json, "add_offset", codes->range.low);
    }
    if (*attributes) fprintf(json->out, ",%s", attributes);
    sino_json_close(json);
    sino_json_close(json);
    sino_json_close(json);
}

/* Writes metadata of a level, or, with level −1, of the group. */
static SinoStatus write_metadata(const SinoZarrPyramid *pyramid, int64_t level, const char *attributes)
{
    char *text = NULL, *folder = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    SINO_CHECK(out, SINO_FAILED, "no memory for metadata");
    SinoJson json = {.out = out, .compact = true};
    if (level < 0)
        print_group(&json, pyramid, attributes);
    else
        print_array(&json, pyramid, &pyramid->level[level]);
    const bool printed = fclose(out) == 0;
    const bool named = level < 0 ? (folder = strdup(pyramid->folder)) != NULL
                                 : asprintf(&folder, "%s/%" PRId64, pyramid->folder, level) >= 0;
    SinoStatus status = printed && named ? write_json(folder, text) : sino_error(SINO_FAILED, "no memory for metadata");
    free(text);
    free(folder);
    return status;
}

static SinoStatus make_level(const SinoZarrPyramid *pyramid, int64_t level)
{
    int64_t count[3];
    const char *folder = pyramid->folder;
    (void)sino_zarr_shard_count(&pyramid->level[level], count);
    SINO_TRY(make("%s/%" PRId64, folder, level));
    SINO_TRY(make("%s/%" PRId64 "/c", folder, level));
    for (int64_t z = 0; z < count[0]; z++) {
        SINO_TRY(make("%s/%" PRId64 "/c/%" PRId64, folder, level, z));
        for (int64_t y = 0; y < count[1]; y++)
            SINO_TRY(make("%s/%" PRId64 "/c/%" PRId64 "/%" PRId64, folder, level, z, y));
    }
    return write_metadata(pyramid, level, "");
}

SinoStatus sino_zarr_folder_make(const SinoZarrPyramid *pyramid, const char *attributes)
{
    sino_zarr_folder_remove(pyramid->folder);
    SINO_TRY(make("%s", pyramid->folder));
    for (int64_t l = 0; l < pyramid->level_count; l++) SINO_TRY(make_level(pyramid, l));
    return write_metadata(pyramid, -1, attributes);
}

SinoStatus sino_zarr_folder_seal(const char *partial, const char *path, bool overwrite)
{
    char *old;
    SINO_TRY(check_final(path, overwrite));
    SINO_CHECK(asprintf(&old, "%s.old", path) >= 0, SINO_FAILED, "no memory for a file name");
    const bool replaces = rename(path, old) == 0;
    const bool renamed = rename(partial, path) == 0;
    SinoStatus status = renamed ? NULL : sino_error(SINO_FAILED, "%s cannot get its name: %s", path, strerror(errno));
    if (replaces && renamed) sino_zarr_folder_remove(old);
    if (replaces && !renamed) (void)rename(old, path);
    free(old);
    return status;
}
