/* SPDX-License-Identifier: BSD-3-Clause */
/* HDF5 places: the search order of H5F_prefix_open_file in HDF5 1.10 to 1.14.
 *
 * An absolute name is tried first, and then its last part takes the name's place. Relative names are looked for in the
 * folders of an environment variable, in the folder that a dataset makes of the same variable, beside the file that
 * names them, in the working directory, and beside the file that a symbolic link leads to. */
#include "hdf5_files.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "paths.h"

enum { PLACES_MAX = 64 };

typedef struct Places {
    char *path[PLACES_MAX]; /* in HDF5's order; owned */
    int count;
    bool complete; /* false: no memory, or too many */
} Places;

static void add_place(const char *folder, size_t folder_length, const char *name, Places *places)
{
    char *path = NULL;
    const bool slash = folder_length > 0 && folder[folder_length - 1] != '/';
    if (places->count == PLACES_MAX ||
        asprintf(&path, "%.*s%s%s", (int)folder_length, folder, slash ? "/" : "", name) < 0)
        places->complete = false;
    else
        places->path[places->count++] = path;
}

static void add_beside(const char *file, const char *name, Places *places)
{
    const char *slash = strrchr(file, '/');
    add_place(file, slash ? (size_t)(slash - file) + 1 : 0, name, places);
}

/* `folders`: separated by colons. */
static void add_folders(const char *folders, const char *name, Places *places)
{
    while (folders && *folders) {
        const size_t length = strcspn(folders, ":");
        if (length > 0) add_place(folders, length, name, places);
        folders += length + (folders[length] == ':');
    }
}

/* The folder that a dataset of the file `user` makes of a variable: ${ORIGIN} at its start is the folder of the file.
 * *folder: owned by the caller; NULL: none. False: no memory. */
static bool dataset_folder(const char *user, const char *variable, char **folder)
{
    static const char origin[] = "${ORIGIN}";
    const char *prefix = getenv(variable), *slash = strrchr(user, '/');
    const int user_folder = slash ? (int)(slash - user) + 1 : 0;
    *folder = NULL;
    if (!prefix || !*prefix || strcmp(prefix, ".") == 0) return true;
    if (strncmp(prefix, origin, strlen(origin)) != 0)
        *folder = strdup(prefix);
    else if (asprintf(folder, "%.*s%s", user_folder ? user_folder : 1, user_folder ? user : ".",
                      prefix + strlen(origin)) < 0)
        *folder = NULL;
    return *folder != NULL;
}

static void add_dataset_folder(const char *user, const char *name, const char *variable, Places *places)
{
    char *folder;
    if (!dataset_folder(user, variable, &folder)) places->complete = false;
    if (folder) add_place(folder, strlen(folder), name, places);
    free(folder);
}

/* `dataset`: the name is that of a dataset's source, not that of a link. */
static void find_places(const char *user, const char *name, const char *variable, bool dataset, Places *places)
{
    places->complete = true;
    if (*name == '/') {
        add_place("", 0, name, places);
        name = strrchr(name, '/') + 1;
    }
    add_folders(getenv(variable), name, places);
    if (dataset) add_dataset_folder(user, name, variable, places);
    add_beside(user, name, places);
    add_place("", 0, name, places);
    char *resolved = realpath(user, NULL);
    if (resolved) add_beside(resolved, name, places);
    free(resolved);
}

static void free_places(Places *places)
{
    for (int i = 0; i < places->count; i++) free(places->path[i]);
}

static bool is_passed(const char *path)
{
    const SinoPathKind kind = sino_path_kind(path);
    return kind == SINO_PATH_ABSENT || kind == SINO_PATH_FOLDER;
}

/* HDF5 tries the places in turn, and goes on when a file cannot be opened. Here the first file must open: another one
 * of its name elsewhere need not be what the scan means. */
static SinoStatus open_first(const Places *places, const char *name, char **path, hid_t *file)
{
    int i = 0;
    while (i < places->count && is_passed(places->path[i])) i++;
    SINO_CHECK(i < places->count, SINO_BAD_INPUT,
               "%.300s does not exist; needed: beside the file that takes values from it, or in a folder of "
               "HDF5_VDS_PREFIX",
               name);
    SINO_CHECK(sino_path_kind(places->path[i]) == SINO_PATH_FILE, SINO_BAD_INPUT, "%s is not a regular file",
               places->path[i]);
    *file = H5Fopen(places->path[i], H5F_ACC_RDONLY, H5P_DEFAULT);
    SINO_HDF5_CHECK(*file >= 0, SINO_BAD_INPUT, "%s is cut, damaged or no HDF5 file", places->path[i]);
    *path = strdup(places->path[i]);
    if (*path) return NULL;
    (void)H5Fclose(*file);
    return sino_error(SINO_FAILED, "no memory for a file name");
}

SinoStatus sino_hdf5_open_source(const char *user, const char *name, char **path, hid_t *file)
{
    Places places = {0};
    find_places(user, name, "HDF5_VDS_PREFIX", true, &places);
    SinoStatus status = places.complete ? open_first(&places, name, path, file)
                                        : sino_error(SINO_FAILED, "no memory for the places of a file");
    free_places(&places);
    return status;
}

/* External raw files are relative to the working directory, or to the folder of the variable. */
SinoStatus sino_hdf5_raw_path(const char *user, const char *name, char **path)
{
    char *folder = NULL;
    const bool known = *name == '/' || dataset_folder(user, "HDF5_EXTFILE_PREFIX", &folder);
    const int length = known ? asprintf(path, "%s%s%s", folder ? folder : "", folder ? "/" : "", name) : -1;
    free(folder);
    SINO_CHECK(length >= 0, SINO_FAILED, "no memory for a file name");
    return NULL;
}

/* Called by HDF5 before it opens the file of an external link; negative: it does not. */
static herr_t look_before(const char *parent_file, const char *parent_group, const char *child_file,
                          const char *child_object, unsigned *flags, hid_t access, void *unused)
{
    Places places = {0};
    (void)parent_group;
    (void)child_object;
    (void)flags;
    (void)access;
    (void)unused;
    find_places(parent_file, child_file, "HDF5_EXT_PREFIX", false, &places);
    bool fine = places.complete;
    for (int i = 0; i < places.count; i++) fine = fine && sino_path_kind(places.path[i]) != SINO_PATH_OTHER;
    free_places(&places);
    return fine ? 0 : -1;
}

hid_t sino_hdf5_link_access(void)
{
    const hid_t access = H5Pcreate(H5P_DATASET_ACCESS);
    if (access >= 0 && H5Pset_elink_cb(access, look_before, NULL) < 0) {
        (void)H5Pclose(access);
        return H5I_INVALID_HID;
    }
    return access;
}
