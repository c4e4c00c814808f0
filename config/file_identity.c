/* SPDX-License-Identifier: BSD-3-Clause */
/* File identity: existing files are told apart by device and inode, others by those of their folder and by name. */
#include "file_identity.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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

SinoStatus sino_files_check(SinoNamedFiles *files)
{
    if (files->count == 0) return NULL;
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
