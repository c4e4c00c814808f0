/* SPDX-License-Identifier: BSD-3-Clause */
/* HDF5 error: statuses that contain HDF5's own reason for a failure. */
#pragma once

#include "status.h"

/* Stops HDF5 from printing errors. Every function that calls HDF5 calls this first. */
void sino_hdf5_quiet(void);

/* Creates an error whose text ends in " (HDF5: reason)": the innermost reason of the call that failed last. */
SinoStatus sino_hdf5_error(SinoErrorKind kind, const char *format, ...) __attribute__((format(printf, 2, 3)));

#define SINO_HDF5_CHECK(condition, ...)                                                                                \
    do {                                                                                                               \
        if (!(condition)) return sino_hdf5_error(__VA_ARGS__);                                                         \
    } while (0)

#define SINO_HDF5_CHECK_OR(status, label, condition, ...)                                                              \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            (status) = sino_hdf5_error(__VA_ARGS__);                                                                   \
            goto label;                                                                                                \
        }                                                                                                              \
    } while (0)
