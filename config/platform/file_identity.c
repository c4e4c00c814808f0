/* SPDX-License-Identifier: BSD-3-Clause */
/* File identity: existing files are told apart by device and inode, others by those of their folder and by name. */
#include "files.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

struct SinoNamedFile {
    const char *what;
    char *path;       /* owned */
    const char *name; /* part of path: the name in a folder, of a file that does not exist; else NULL */
    bool output;
    int64_t number; /* in the order in which they were added */
    dev_t device;   /* of the file, or of its folder */
    ino_t inode;
};

/* The folder of a path that does not exist; false: it does not exist either. */
static bool find_folder(const char *path, struct stat *about)
{
    const char *slash = strrchr(path, '/');
    if (!slash) return stat(".", about) == 0;
    char *folder = strndup(path, (size_t)(slash - path) + 1);
    const bool found = folder && stat(folder, about) == 0;
    free(folder);
    return found;
}

static void identify(SinoNamedFile *file)
{
    struct stat about = {0};
    const char *slash = strrchr(file->path, '/');
    if (stat(file->path, &about) != 0) {
        const bool found = find_folder(file->path, &about);
        file->name = slash && found ? slash + 1 : file->path;
    }
    file->device = about.st_dev;
    file->inode = about.st_ino;
}

/* The number of files doubles when it is a power of two. */
static SinoStatus add(SinoNamedFiles *files, const char *what, bool output, char *path)
{
    const int64_t count = files->count;
    if ((count & (count - 1)) == 0) {
        SinoNamedFile *larger = reallocarray(files->file, count > 0 ? (size_t)count : 1, 2 * sizeof *larger);
        if (!larger) free(path);
        SINO_CHECK(larger, SINO_FAILED, "no memory for the names of files");
        files->file = larger;
    }
    SinoNamedFile *file = &files->file[files->count++];
    *file = (SinoNamedFile){.what = what, .path = path, .output = output, .number = count};
    identify(file);
    return NULL;
}

static SinoStatus add_copy(SinoNamedFiles *files, const char *what, bool output, const char *path, const char *ending)
{
    char *copy = NULL;
    SINO_CHECK(asprintf(&copy, "%s%s", path, ending) >= 0, SINO_FAILED, "no memory for the names of files");
    return add(files, what, output, copy);
}

/* A copy of FILE, or of FILE in FILE:INNER, which names a place in a file. */
static char *without_inner_path(const char *path)
{
    struct stat about;
    char *file = strdup(path);
    if (!file || stat(path, &about) == 0) return file;
    for (char *colon = strchr(file, ':'); colon; colon = strchr(colon + 1, ':')) {
        *colon = '\0';
        if (stat(file, &about) == 0) return file;
        *colon = ':';
    }
    return file;
}

SinoStatus sino_files_input(SinoNamedFiles *files, const char *what, const char *path)
{
    if (!path) return NULL;
    char *file = without_inner_path(path);
    SINO_CHECK(file, SINO_FAILED, "no memory for a file name");
    SinoStatus status = add_copy(files, what, false, file, "");
    free(file);
    return status;
}

SinoStatus sino_files_output(SinoNamedFiles *files, const char *what, const char *path)
{
    if (!path) return NULL;
    SINO_TRY(add_copy(files, what, true, path, ""));
    return add_copy(files, what, true, path, ".partial");
}

static int compare_place(const SinoNamedFile *a, const SinoNamedFile *b)
{
    if (a->device != b->device) return a->device < b->device ? -1 : 1;
    if (a->inode != b->inode) return a->inode < b->inode ? -1 : 1;
    if (!a->name || !b->name) return (a->name != NULL) - (b->name != NULL);
    return strcmp(a->name, b->name);
}

/* Outputs come after inputs that are the same file. */
static int compare(const void *a, const void *b)
{
    const SinoNamedFile *first = a, *second = b;
    const int order = compare_place(first, second);
    if (order != 0) return order;
    if (first->output != second->output) return (int)first->output - (int)second->output;
    return first->number < second->number ? -1 : first->number > second->number;
}

/* Whether a folder is read as a whole: a Zarr folder, in which any file may be a part of the volume. */
static bool is_zarr(const char *folder)
{
    static const char *const mark[] = {"zarr.json", ".zgroup", ".zattrs", ".zarray"};
    bool found = false;
    for (size_t i = 0; i < sizeof mark / sizeof *mark && !found; i++) {
        char *path = NULL;
        if (asprintf(&path, "%s/%s", folder, mark[i]) < 0) return false;
        found = access(path, F_OK) == 0;
        free(path);
    }
    return found;
}

/* Whether a file that is there is one of a stack of TIFF images. */
static bool is_image(const char *path)
{
    const char *ending = strrchr(path, '.');
    return ending && (strcasecmp(ending, ".tif") == 0 || strcasecmp(ending, ".tiff") == 0) && access(path, F_OK) == 0;
}

/* The input folder that has the output as a part, in itself or in a folder below; NULL: there is none. */
static const SinoNamedFile *folder_with(const SinoNamedFiles *files, const SinoNamedFile *output)
{
    const SinoNamedFile *found = NULL;
    char *here = *output->path == '/' ? strdup("") : getcwd(NULL, 0), *at = NULL;
    struct stat about;
    if (here && asprintf(&at, "%s/%s", here, output->path) < 0) at = NULL;
    free(here);
    for (char *slash = at ? strrchr(at, '/') : NULL; slash && slash > at && !found; slash = strrchr(at, '/')) {
        *slash = '\0';
        if (stat(at, &about) != 0) continue;
        for (int64_t i = 0; i < files->count && !found; i++) {
            const SinoNamedFile *file = &files->file[i];
            const bool same =
                !file->output && !file->name && file->device == about.st_dev && file->inode == about.st_ino;
            if (same && (is_zarr(at) || is_image(output->path))) found = file;
        }
    }
    free(at);
    return found;
}

static SinoStatus check_folders(const SinoNamedFiles *files)
{
    for (int64_t i = 0; i < files->count; i++) {
        const SinoNamedFile *file = &files->file[i];
        const SinoNamedFile *folder = file->output ? folder_with(files, file) : NULL;
        SINO_CHECK(!folder, SINO_BAD_INPUT,
                   "%s, '%s', lies in %s, '%s', and would be a part of it; allowed: other folders", file->what,
                   file->path, folder->what, folder->path);
    }
    return NULL;
}

SinoStatus sino_files_check(SinoNamedFiles *files)
{
    if (files->count == 0) return NULL;
    SINO_TRY(check_folders(files));
    qsort(files->file, (size_t)files->count, sizeof *files->file, compare);
    for (int64_t i = 1; i < files->count; i++) {
        const SinoNamedFile *other = &files->file[i - 1], *file = &files->file[i];
        if (!file->output || compare_place(other, file) != 0) continue;
        const bool alike = strcmp(file->path, other->path) == 0;
        return sino_error(SINO_BAD_INPUT, "%s and %s are the same file, '%s'%s%s%s; allowed: different files",
                          file->what, other->what, file->path, alike ? "" : " and '", alike ? "" : other->path,
                          alike ? "" : "'");
    }
    return NULL;
}

void sino_files_free(SinoNamedFiles *files)
{
    for (int64_t i = 0; i < files->count; i++) free(files->file[i].path);
    free(files->file);
    *files = (SinoNamedFiles){0};
}
