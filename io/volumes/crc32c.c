/* SPDX-License-Identifier: BSD-3-Clause */
/* CRC-32C, four bits at a time: an index of a shard has a kilobyte or so. */
#include "crc32c.h"

uint32_t sino_crc32c(const void *bytes, int64_t count)
{
    /* The remainders of 0 to 15, with the polynomial 0x1EDC6F41 in reversed bits. */
    static const uint32_t nibble[] = {0x00000000, 0x105EC76F, 0x20BD8EDE, 0x30E349B1, 0x417B1DBC, 0x5125DAD3,
                                      0x61C69362, 0x7198540D, 0x82F63B78, 0x92A8FC17, 0xA24BB5A6, 0xB21572C9,
                                      0xC38D26C4, 0xD3D3E1AB, 0xE330A81A, 0xF36E6F75};
    const uint8_t *byte = bytes;
    uint32_t crc = UINT32_MAX;
    for (int64_t i = 0; i < count; i++) {
        crc ^= byte[i];
        crc = crc >> 4 ^ nibble[crc & 15];
        crc = crc >> 4 ^ nibble[crc & 15];
    }
    return ~crc;
}
