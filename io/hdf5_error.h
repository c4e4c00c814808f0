/* SPDX-License-Identifier: BSD-3-Clause */
/* HDF5 error: our statuses from HDF5's failures, with HDF5's own reason. */
#ifndef SINO_HDF5_ERROR_H
#define SINO_HDF5_ERROR_H

#include "status.h"

/* HDF5 prints no errors by itself from here on; call at the start of whatever calls HDF5. */
void sino_hdf5_quiet(void);

/* An error whose text ends in " (HDF5: reason)", the innermost one of the call that failed last. */
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

#endif
