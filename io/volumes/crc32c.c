/* SPDX-License-Identifier: BSD-3-Clause */
/* CRC-32C: by an instruction of the processor, or four bits at a time. */
#include "volume_private.h"

#include <string.h>

static uint32_t by_table(uint32_t crc, const uint8_t *byte, int64_t count)
{
    /* The remainders of 0 to 15, with the polynomial 0x1EDC6F41 in reversed bits. */
    static const uint32_t nibble[] = {0x00000000, 0x105EC76F, 0x20BD8EDE, 0x30E349B1, 0x417B1DBC, 0x5125DAD3,
                                      0x61C69362, 0x7198540D, 0x82F63B78, 0x92A8FC17, 0xA24BB5A6, 0xB21572C9,
                                      0xC38D26C4, 0xD3D3E1AB, 0xE330A81A, 0xF36E6F75};
    for (int64_t i = 0; i < count; i++) {
        crc ^= byte[i];
        crc = crc >> 4 ^ nibble[crc & 15];
        crc = crc >> 4 ^ nibble[crc & 15];
    }
    return crc;
}

#ifdef __x86_64__
__attribute__((target("sse4.2"))) static uint32_t by_instruction(uint32_t crc, const uint8_t *byte, int64_t count)
{
    uint64_t sum = crc;
    int64_t i = 0;
    for (uint64_t word; i + (int64_t)sizeof word <= count; i += (int64_t)sizeof word) {
        memcpy(&word, byte + i, sizeof word);
        sum = __builtin_ia32_crc32di(sum, word);
    }
    return by_table((uint32_t)sum, byte + i, count - i);
}
#endif

uint32_t sino_crc32c(const void *bytes, int64_t count)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("sse4.2")) return ~by_instruction(UINT32_MAX, bytes, count);
#endif
    return ~by_table(UINT32_MAX, bytes, count);
}

void sino_crc32c_store(uint32_t sum, uint8_t stored[SINO_CRC32C_BYTES])
{
    for (int i = 0; i < SINO_CRC32C_BYTES; i++) stored[i] = (uint8_t)(sum >> 8 * i);
}
