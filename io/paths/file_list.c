/* SPDX-License-Identifier: BSD-3-Clause */
/* File list: finds and sorts the files of a file name, a folder or a pattern. */
#include "paths.h"

#include <dirent.h>
#include <errno.h>
#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "files.h"

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static int compare_names(const void *a, const void *b)
{
    return sino_natural_compare(*(char *const *)a, *(char *const *)b);
}

bool sino_file_list_is_pattern(const char *named)
{
    return strpbrk(named, "*?[") != NULL && sino_path_kind(named) == SINO_PATH_ABSENT;
}

/* Makes room for one more name; the room is the power of two above their number. */
static SinoStatus make_room(SinoFileList *list)
{
    const int64_t count = list->count;
    if (count > 0 && (count & (count - 1)) != 0) return NULL;
    char **larger = reallocarray(list->name, count > 0 ? (size_t)count : 1, 2 * sizeof *larger);
    SINO_CHECK(larger, SINO_FAILED, "no memory for %" PRId64 " file names", count);
    list->name = larger;
    return NULL;
}

static SinoStatus add_name(const char *folder, const char *name, SinoFileList *list)
{
    SINO_TRY(make_room(list));
    const bool slash = *folder && folder[strlen(folder) - 1] != '/';
    SINO_CHECK(asprintf(&list->name[list->count], "%s%s%s", folder, slash ? "/" : "", name) >= 0, SINO_FAILED,
               "no memory for a file name");
    list->count++;
    return NULL;
}

SinoStatus sino_file_list_add(SinoFileList *list, const char *path)
{
    return add_name("", path, list);
}

void sino_file_list_unite(SinoFileList *list, int64_t first)
{
    int64_t kept = first;
    if (list->count <= first) return;
    qsort(list->name + first, (size_t)(list->count - first), sizeof *list->name, compare_names);
    for (int64_t i = first; i < list->count; i++) {
        if (kept > first && strcmp(list->name[kept - 1], list->name[i]) == 0)
            free(list->name[i]);
        else
            list->name[kept++] = list->name[i];
    }
    list->count = kept;
}

/* The error for names from number `first` on, all of which start with the folder's, that differ in more than numbers.
 */
static SinoStatus refuse_series(const char *folder, const SinoFileList *list, int64_t first)
{
    int64_t other = first + 1;
    while (other + 1 < list->count && sino_differ_in_digits(list->name[first], list->name[other])) other++;
    return sino_error(
        SINO_BAD_INPUT,
        "%s holds files of different names, such as %s and %s; allowed: a folder of one series of images, or "
        "a quoted pattern that chooses one, such as '%s/name_*.tif'",
        folder, list->name[first], list->name[other], folder);
}

static bool is_wanted(const struct dirent *entry, const char *const *endings)
{
    return entry->d_name[0] != '.' && sino_file_name_ends(entry->d_name, endings);
}

bool sino_file_list_has(const char *folder, const char *const *endings)
{
    DIR *directory = opendir(folder);
    bool found = false;
    if (!directory) return false;
    for (const struct dirent *entry; !found && (entry = readdir(directory));) found = is_wanted(entry, endings);
    closedir(directory);
    return found;
}

static SinoStatus list_folder(const char *folder, const char *const *endings, SinoFileList *list)
{
    const int64_t first = list->count;
    SinoStatus status = NULL;
    DIR *directory = opendir(folder);
    SINO_CHECK(directory, SINO_BAD_INPUT, "%s: %s", folder, strerror(errno));
    for (const struct dirent *entry; !status && (entry = readdir(directory));)
        if (is_wanted(entry, endings)) status = add_name(folder, entry->d_name, list);
    closedir(directory);
    if (status) return status;
    SINO_CHECK(list->count > first, SINO_BAD_INPUT, "%s is a folder without %s files", folder, endings[0]);
    SINO_TRY(sino_file_order(list->count - first, list->name + first, &list->order));
    return list->order == SINO_ORDER_NUMBERS ? NULL : refuse_series(folder, list, first);
}

/* The pattern, in which no * ? [ of a folder that exists is special; the caller frees it. NULL: no memory. */
static char *protect_folder(const char *pattern)
{
    char *text = malloc(2 * strlen(pattern) + 1), *to = text;
    const char *slash = NULL;
    bool exists = false;
    for (size_t length = strlen(pattern); text && length > 0 && !exists; length--) {
        if (pattern[length - 1] != '/') continue;
        snprintf(text, length + 1, "%s", pattern);
        exists = sino_path_kind(text) == SINO_PATH_FOLDER;
        slash = pattern + length;
    }
    for (const char *at = pattern; text && *at; at++) {
        if (exists && at < slash && strchr("*?[\\", *at)) *to++ = '\\';
        *to++ = *at;
    }
    if (text) *to = '\0';
    return text;
}

static SinoStatus list_pattern(const char *pattern, SinoFileList *list)
{
    const int64_t first = list->count;
    SinoStatus status = NULL;
    glob_t found;
    char *protected = protect_folder(pattern);
    SINO_CHECK(protected, SINO_FAILED, "no memory for the files of '%s'", pattern);
    const int result = glob(protected, GLOB_NOSORT, NULL, &found);
    free(protected);
    SINO_CHECK(result != GLOB_NOSPACE, SINO_FAILED, "no memory for the files of '%s'", pattern);
    SINO_CHECK(result == 0, SINO_BAD_INPUT, "'%s' matches no file", pattern);
    for (size_t i = 0; i < found.gl_pathc && !status; i++) status = add_name("", found.gl_pathv[i], list);
    globfree(&found);
    return status ? status : sino_file_order(list->count - first, list->name + first, &list->order);
}

static SinoStatus check_files(const SinoFileList *list)
{
    for (int64_t i = 0; i < list->count; i++) {
        const SinoPathKind kind = sino_path_kind(list->name[i]);
        SINO_CHECK(kind != SINO_PATH_ABSENT, SINO_BAD_INPUT, "%s: %s", list->name[i], strerror(errno));
        SINO_CHECK(kind == SINO_PATH_FILE, SINO_BAD_INPUT, "%s is not a regular file", list->name[i]);
    }
    return NULL;
}

SinoStatus sino_file_list_new(int64_t count, const char *const *named, const char *const *endings, SinoFileList *result)
{
    SinoFileList list = {0};
    SinoStatus status = NULL;
    for (int64_t i = 0; i < count && !status; i++) {
        if (sino_path_kind(named[i]) == SINO_PATH_FOLDER)
            status = list_folder(named[i], endings, &list);
        else if (sino_file_list_is_pattern(named[i]))
            status = list_pattern(named[i], &list);
        else
            status = add_name("", named[i], &list);
    }
    if (count > 1) sino_file_list_unite(&list, 0);
    if (!status) status = check_files(&list);
    if (status)
        sino_file_list_free(&list);
    else
        *result = list;
    return status;
}

static SinoStatus add_below(const char *folder, SinoFileList *list);

/* Adds a file, or the files below a folder; a link to a folder is not followed. */
static SinoStatus add_path(const char *path, SinoFileList *list)
{
    struct stat about;
    if (lstat(path, &about) == 0 && S_ISDIR(about.st_mode)) return add_below(path, list);
    return sino_path_kind(path) == SINO_PATH_FILE ? add_name("", path, list) : NULL;
}

static SinoStatus add_below(const char *folder, SinoFileList *list)
{
    SinoStatus status = NULL;
    DIR *directory = opendir(folder);
    SINO_CHECK(directory, SINO_BAD_INPUT, "%s: %s", folder, strerror(errno));
    for (const struct dirent *entry; !status && (entry = readdir(directory));) {
        char *path = NULL;
        if (entry->d_name[0] == '.') continue;
        status = asprintf(&path, "%s/%s", folder, entry->d_name) < 0
                     ? sino_error(SINO_FAILED, "no memory for a file name")
                     : add_path(path, list);
        free(path);
    }
    closedir(directory);
    return status;
}

/* FILE or FILE:INNER. */
static SinoStatus add_file_of(const char *named, SinoFileList *list)
{
    char *file = NULL, *inner = NULL;
    SinoStatus split = sino_inner_path_split(named, &file, &inner);
    SinoStatus status = split ? NULL : add_path(file, list);
    sino_status_free(split); /* there is no such file */
    free(file);
    free(inner);
    return status;
}

SinoStatus sino_file_list_whole(const char *named, SinoFileList *list)
{
    const int64_t first = list->count;
    if (sino_path_kind(named) == SINO_PATH_FOLDER)
        SINO_TRY(add_below(named, list));
    else if (sino_file_list_is_pattern(named))
        sino_status_free(list_pattern(named, list)); /* nothing matches */
    else
        SINO_TRY(add_file_of(named, list));
    sino_file_list_unite(list, first);
    return NULL;
}

void sino_file_list_free(SinoFileList *list)
{
    for (int64_t i = 0; i < list->count; i++) free(list->name[i]);
    free(list->name);
    *list = (SinoFileList){0};
}

/* The last number in a file name, without folder and ending; −1: no number, or one too long for a count. */
static int64_t number_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path, *point = strrchr(name, '.');
    const char *end = point && point > name ? point : name + strlen(name);
    while (end > name && !is_digit(end[-1])) end--;
    const char *first = end;
    while (first > name && is_digit(first[-1])) first--;
    if (end == first || end - first > 15) return -1;
    return strtoll(first, NULL, 10);
}

bool sino_file_list_gap(const SinoFileList *list, int64_t *before)
{
    if (list->order != SINO_ORDER_NUMBERS) return false;
    int64_t least = INT64_MAX;
    for (int64_t i = 0; i + 1 < list->count; i++) {
        const int64_t step = number_of(list->name[i + 1]) - number_of(list->name[i]);
        if (number_of(list->name[i]) < 0 || step <= 0) return false; /* the number is not a file counter */
        if (step < least) least = step;
    }
    for (int64_t i = 0; i + 1 < list->count; i++) {
        if (number_of(list->name[i + 1]) - number_of(list->name[i]) == least) continue;
        *before = i;
        return true;
    }
    return false;
}

void sino_file_list_remark(const SinoFileList *list, const char *gap, size_t size, char *remark)
{
    int64_t before;
    if (list->order != SINO_ORDER_NUMBERS)
        snprintf(remark, size, "the names of the files %s; their order is taken to be %.100s, %.100s … %.100s",
                 list->order == SINO_ORDER_TEXT ? "differ in more than numbers" : "have hexadecimal numbers",
                 list->name[0], list->name[1], list->name[list->count - 1]);
    else if (sino_file_list_gap(list, &before))
        snprintf(remark, size, "the numbers of the files skip some between %.150s and %.150s; %s", list->name[before],
                 list->name[before + 1], gap);
}
