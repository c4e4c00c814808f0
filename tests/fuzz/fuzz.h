/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzzing: what the targets share. A target is a function LLVMFuzzerTestOneInput, which libFuzzer calls with bytes that
 * it changes until they reach new branches; a crash, a sanitizer's report or abort() is a finding. Results that users
 * would see as errors are none. */
#pragma once

#include "scan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FUZZ_FILES = 3, FUZZ_PATH = 32 };

static inline void fuzz_require(bool condition)
{
    if (!condition) abort();
}

/* The path of file `number`, in memory, with these contents, until the next call for the number. */
static inline const char *fuzz_file(int number, const void *data, size_t size)
{
    static int descriptor[FUZZ_FILES];
    static char path[FUZZ_FILES][FUZZ_PATH];
    if (!path[number][0]) {
        descriptor[number] = memfd_create("fuzz", MFD_CLOEXEC);
        fuzz_require(descriptor[number] >= 0);
        fuzz_require(fchmod(descriptor[number], 0600) == 0); /* files that others may write to are refused */
        snprintf(path[number], FUZZ_PATH, "/proc/self/fd/%d", descriptor[number]);
    }
    fuzz_require(ftruncate(descriptor[number], 0) == 0);
    fuzz_require(pwrite(descriptor[number], data, size, 0) == (ssize_t)size);
    return path[number];
}

static inline int64_t fuzz_smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Opens a scan, and reads a few values in a corner of it: the last ones, which a wrong size would put outside. */
static inline void fuzz_scan(const SinoScanRequest *request)
{
    static float values[4 * 4 * 64];
    SinoScan *scan = NULL;
    SinoStatus status = sino_scan_open(request, &scan);
    if (!status) {
        const SinoScanInfo *info = sino_scan_info(scan);
        const int64_t angles = fuzz_smaller(info->angle_count, 4), rows = fuzz_smaller(info->row_count, 4);
        const int64_t columns = fuzz_smaller(info->column_count, 64);
        const SinoScanBox box = {info->row_count - rows, rows, info->column_count - columns, columns};
        status = sino_scan_read(scan, info->angle_count - angles, angles, &box, values);
        if (!status) status = sino_scan_read_projection(scan, 0, &box, values);
        if (!status && info->flat_count <= 4) status = sino_scan_read_flats(scan, &box, values);
        if (!status && info->dark_count <= 4) status = sino_scan_read_darks(scan, &box, values);
        sino_scan_close(scan);
    }
    sino_status_free(status);
}
