/* SPDX-License-Identifier: BSD-3-Clause */
/* MAT file: a variable of a MATLAB file of level 5, which MATLAB writes unless it is told `-v7.3` or `-v4`, and Octave
 * and SciPy write, too (MathWorks, MAT-File Format, R2023b). Files of version 7.3 are HDF5. */
#pragma once

#include "mat_array.h"

enum { SINO_MAT_HEAD = 128 }; /* bytes of a file before its variables */

typedef struct SinoMatFile SinoMatFile;

/* Whether these first bytes of a file are those of a MATLAB file of level 5. */
bool sino_mat_probe(const void *memory, int64_t bytes);

/* The same by the first bytes of a file. */
bool sino_mat_probe_file(const char *path);

/* Opens the variable of this name, of which a slash before it is no part, or VARIABLE/FIELD of a structure; NULL: the
 * only one that is `wanted`, which is asked before the places of values are known. `what` names the wanted ones in
 * errors. `path` must outlive the file. SINO_BAD_INPUT: no MATLAB file of level 5, cut, damaged; there is no such
 * variable, or several (the error lists what is there). */
SinoStatus sino_mat_open(const char *path, const char *name, bool (*wanted)(const SinoMatVariable *), const char *what,
                         SinoMatFile **opened);
void sino_mat_close(SinoMatFile *file); /* takes NULL */

const SinoMatVariable *sino_mat_variable(const SinoMatFile *file);

/* The places of values are bytes of *descriptor, which the file owns. A compressed variable is inflated for that, once,
 * into a file without a name in TMPDIR, or else in /tmp. SINO_BAD_INPUT: it cannot be inflated. SINO_FAILED: no room.
 */
SinoStatus sino_mat_unpack(SinoMatFile *file, int *descriptor);
