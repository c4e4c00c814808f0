/* SPDX-License-Identifier: BSD-3-Clause */
/* Paths: files, folders, patterns, and places in files. */
#pragma once

#include "status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

/* Checksum: XXH3-64 of the concatenated bytes of files, as `cat FILES | xxhsum -H3` prints it. */

/* Writes 16 hexadecimal digits and NUL. Reads each file once, in pieces of 1 MiB. */
SinoStatus sino_checksum_files(int64_t count, const char *const *path, char digits[17]);

/* The checksum of a part of the files: 64 pieces of 64 KiB, spread evenly over the concatenated bytes from the first to
 * the last; of all bytes if there are no more. */
SinoStatus sino_checksum_parts(int64_t count, const char *const *path, char digits[17]);

/* The checksum of bytes in memory. */
void sino_checksum_bytes(const void *bytes, size_t count, char digits[17]);

/* File order: the order of a series of images by the numbers in their names. */

typedef enum SinoFileOrder {
    SINO_ORDER_NUMBERS,     /* names differ in numbers alone */
    SINO_ORDER_HEXADECIMAL, /* names differ in one number, which has digits from a to f */
    SINO_ORDER_TEXT         /* names differ in more: runs of digits compare as numbers, everything else byte by byte */
} SinoFileOrder;

/* Sorts names, and tells how. Numbers may have decimals; a − before a number counts as its sign if the other names have
 * none there. SINO_BAD_INPUT, with two names: they have several numbers, of which a later one tells all names apart and
 * orders them in another way than those before it; or decimals that order them in another way than two numbers would.
 * SINO_FAILED: no memory. */
SinoStatus sino_file_order(int64_t count, char **name, SinoFileOrder *order);

/* Comparison of texts by SINO_ORDER_TEXT. */
int sino_natural_compare(const char *a, const char *b);

/* Whether texts are equal but for their digits. */
bool sino_differ_in_digits(const char *a, const char *b);

/* File list: the files that one file name, one folder or one pattern stands for, in natural order (img_2 before
 * img_10). */

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
 * since flats or darks may be among the projections, or as of sino_file_order. */
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

/* Inner path: FILE:INNER names a place in a file, such as a dataset. Splits FILE or FILE:INNER into *file and *inner
 * (NULL: there is none), which the caller frees, on failure too. If something of the whole name exists, that is the
 * file; else FILE ends at the first colon before which a file ends. SINO_BAD_INPUT: there is no such file. */
SinoStatus sino_inner_path_split(const char *given, char **file, char **inner);

/* Path kind: the type of file at a path. A FIFO or a device is recognised before it is opened, because opening may
 * block. */

typedef enum SinoPathKind {
    SINO_PATH_ABSENT, /* no such path, or not reachable; errno is set */
    SINO_PATH_FILE,
    SINO_PATH_FOLDER,
    SINO_PATH_OTHER
} SinoPathKind;

static inline SinoPathKind sino_path_kind(const char *path)
{
    struct stat about;
    if (stat(path, &about) != 0) return SINO_PATH_ABSENT;
    if (S_ISREG(about.st_mode)) return SINO_PATH_FILE;
    return S_ISDIR(about.st_mode) ? SINO_PATH_FOLDER : SINO_PATH_OTHER;
}
