/* SPDX-License-Identifier: BSD-3-Clause */
/* YAML texts: reads files of "name: value" lines by libcyaml. Values are texts, which the caller checks. A sequence is
 * read as the text of its items with commas between them. */
#pragma once

#include "status.h"

#include <stdbool.h>

enum { SINO_YAML_KEYS_MOST = 256 };

/* A file and the names that it may have. */
typedef struct SinoYamlFile {
    const char *path;
    const char *where;      /* what named the file, for messages: "--config" */
    const char *content;    /* of the file, for messages: "settings" */
    int count;              /* of the names; SINO_YAML_KEYS_MOST at most */
    const char *const *key; /* [count]; NULL: no name for this text */
    const bool *lists;      /* [count]: the value may be a sequence; NULL: none may */
    /* The error of a name that is not in `key`. */
    SinoStatus (*unknown)(const void *context, const char *word);
    const void *context;
} SinoYamlFile;

/* (*text)[i] becomes the value of key[i], NULL if the file does not have it. *text is NULL if the file has no value at
 * all. The caller returns it with sino_yaml_texts_free. SINO_BAD_INPUT: no such file, no YAML, more than 1 MiB, values
 * that are neither texts nor allowed sequences of texts, unknown names. SINO_FAILED: no memory, or the file cannot be
 * read. */
SinoStatus sino_yaml_texts_read(const SinoYamlFile *file, char ***text);
void sino_yaml_texts_free(int count, char **text); /* takes NULL */
