/* SPDX-License-Identifier: BSD-3-Clause */
/* YAML lists: values of a YAML file that are sequences. */
#pragma once

#include "yaml_texts.h"

#include <stdint.h>

/* list[i], NULL before the call, becomes the items of the sequence that the first document of `bytes` gives key[i],
 * with commas between them; it stays NULL if the document gives no sequence. The caller frees each list[i], also after
 * a failure. What is no YAML is left to the reader of the texts. SINO_BAD_INPUT: a name that is there twice, a
 * sequence for a name that takes none, a mapping as value, an empty sequence, items that are no texts or have a comma,
 * texts with NUL. SINO_FAILED: no memory. */
SinoStatus sino_yaml_lists_read(const SinoYamlFile *file, const char *bytes, int64_t size, char **list);
