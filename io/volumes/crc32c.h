/* SPDX-License-Identifier: BSD-3-Clause */
/* CRC-32C (Castagnoli, RFC 3720), which Zarr puts behind the index of a shard. */
#ifndef SINO_CRC32C_H
#define SINO_CRC32C_H

#include <stdint.h>

uint32_t sino_crc32c(const void *bytes, int64_t count);

#endif
