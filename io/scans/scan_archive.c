/* SPDX-License-Identifier: BSD-3-Clause */
/* Scan archive: files, other than HDF5, whose arrays have names. */
#include "scan_source.h"

const SinoScanFormat *sino_scan_archive(const char *path)
{
    static const SinoScanFormat *const formats[] = {&sino_mat_scan_format, &sino_npz_scan_format, NULL};
    const SinoScanRequest request = {.path = path};
    for (const SinoScanFormat *const *at = formats; *at; at++)
        if ((*at)->probe(&request)) return *at;
    return NULL;
}
