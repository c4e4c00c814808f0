/* SPDX-License-Identifier: BSD-3-Clause */
/* HDF5 error: the innermost description on HDF5's error stack. */
#include "hdf5_files.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <hdf5.h>

enum { REASON_BYTES = 256 };

void sino_hdf5_quiet(void)
{
    /* Every object is closed where it was opened. At the program's exit there is nothing left for HDF5 to do; after a
     * failure it would print that it cannot do it, or crash. Only the first call, before any other of HDF5, matters. */
    (void)H5dont_atexit();
    (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL); /* on failure HDF5 prints its errors, which is harmless */
}

/* H5E_WALK_UPWARD begins at the innermost entry; a positive return ends the walk. */
static herr_t take_reason(unsigned depth, const H5E_error2_t *entry, void *reason)
{
    (void)depth;
    if (!entry->desc || !entry->desc[0]) return 0;
    snprintf(reason, REASON_BYTES, "%s", entry->desc);
    return 1;
}

SinoStatus sino_hdf5_error(SinoErrorKind kind, const char *format, ...)
{
    char reason[REASON_BYTES] = "no reason given";
    (void)H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_reason, reason);
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0) text = NULL;
    va_end(arguments);
    SinoStatus status = sino_error(kind, "%s (HDF5: %s)", text ? text : "HDF5 failed", reason);
    free(text);
    return status;
}
