/* SPDX-License-Identifier: BSD-3-Clause */
/* CRC-32C (Castagnoli, RFC 3720), which Zarr puts behind chunks and the index of a shard. */
#pragma once

#include <stdint.h>

enum { SINO_CRC32C_BYTES = 4 };

uint32_t sino_crc32c(const void *bytes, int64_t count);

/* The sum as Zarr stores it, the lowest byte first. */
void sino_crc32c_store(uint32_t sum, uint8_t stored[SINO_CRC32C_BYTES]);
