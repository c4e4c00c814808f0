/* SPDX-License-Identifier: BSD-3-Clause */
/* File list: the files that one file name, one folder or one pattern stands for, in natural order (img_2 before
 * img_10). */
#pragma once

#include "file_order.h"
#include "status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct SinoFileList {
    int64_t count;
    char **name;         /* paths that can be opened from the working directory; owned */
    SinoFileOrder order; /* of the files of the last folder or pattern */
} SinoFileList;

/* Whether `named` is a pattern: no file has this name, and it contains one of the characters * ? [ */
bool sino_file_list_is_pattern(const char *named);

/* Whether a folder contains files with one of the endings; hidden files do not count. */
bool sino_file_list_has(const char *folder, const char *const *endings);

/* Lists the files of each of named[count]: a file, with any ending; a folder, of which the files with one of the
 * endings are listed, hidden ones left out; or a shell pattern (quoted by the user), of which every match is listed.
 * The caller frees the list with sino_file_list_free. Several names are listed in natural order, every path once.
 * SINO_BAD_INPUT: no such file, nothing matches, a match is not a file, names in a folder differ in more than numbers,
 * since flats or darks may be among the projections, or as of file_order.h. */
SinoStatus sino_file_list_new(int64_t count, const char *const *named, const char *const *endings, SinoFileList *list);
void sino_file_list_free(SinoFileList *list);

/* Adds every file that is read of `named`, whatever its ending, in natural order: the matches of a pattern, the files
 * in a folder and in the folders within it, hidden ones left out, or the file of FILE or FILE:INNER. Nothing: there is
 * none. */
SinoStatus sino_file_list_whole(const char *named, SinoFileList *list);

/* Adds a copy of a path. SINO_FAILED: no memory. */
SinoStatus sino_file_list_add(SinoFileList *list, const char *path);

/* Sorts the paths from number `first` on in natural order, and leaves out repeated ones. */
void sino_file_list_unite(SinoFileList *list, int64_t first);

/* Finds a gap in the numbers of the file names, as a missing file leaves it: between file *before and the next one.
 * False: no gap, or names without numbers. */
bool sino_file_list_gap(const SinoFileList *list, int64_t *before);

/* Writes a remark if the order of the files is doubtful: names differ in more than numbers, numbers are hexadecimal, or
 * a number is missing, whose consequence `gap` ends the sentence. */
void sino_file_list_remark(const SinoFileList *list, const char *gap, size_t size, char *remark);
