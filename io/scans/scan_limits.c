/* SPDX-License-Identifier: BSD-3-Clause */
/* Scan, limits: the sizes that a scan may declare. */
#include "scan_limits.h"
#include "memory.h"
#include "scan_source.h"

#include <inttypes.h>

static SinoStatus check_count(const char *path, const char *what, int64_t count, int64_t most)
{
    SINO_CHECK(count <= most, SINO_BAD_INPUT, "%s declares %" PRId64 " %s; allowed: up to %" PRId64, path, count, what,
               most);
    return NULL;
}

/* Checks that every product of a field's sizes fits in 63 bits, in bytes of any type. */
static SinoStatus check_bytes(const char *path, const SinoScanInfo *info, int64_t count, const char *what)
{
    int64_t bytes;
    const int64_t sizes[] = {info->row_count, info->column_count, count, 16};
    SinoStatus status = sino_product(4, sizes, what, &bytes);
    if (!status) return NULL;
    sino_status_free(status);
    return sino_error(SINO_BAD_INPUT,
                      "%s declares %" PRId64 " %s of %" PRId64 " rows and %" PRId64
                      " columns; allowed: sizes whose product is below 2^59",
                      path, count, what, info->row_count, info->column_count);
}

SinoStatus sino_scan_check_limits(const char *path, const SinoScanInfo *info)
{
    SINO_TRY(check_count(path, "rows", info->row_count, SINO_SIDE_MAX));
    SINO_TRY(check_count(path, "columns", info->column_count, SINO_SIDE_MAX));
    SINO_TRY(check_count(path, "projections", info->angle_count, SINO_IMAGES_MAX));
    SINO_TRY(check_count(path, "flat fields", info->flat_count, SINO_IMAGES_MAX));
    SINO_TRY(check_count(path, "dark fields", info->dark_count, SINO_IMAGES_MAX));
    SINO_TRY(check_bytes(path, info, info->angle_count, "projections"));
    SINO_TRY(check_bytes(path, info, info->flat_count, "flat fields"));
    return check_bytes(path, info, info->dark_count, "dark fields");
}
