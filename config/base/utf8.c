/* SPDX-License-Identifier: BSD-3-Clause */
/* UTF-8: decoder and validation (RFC 3629); which characters a terminal obeys instead of showing them. */
#include "text.h"

#include <inttypes.h>
#include <stdbool.h>

int sino_utf8_decode(const char *text, uint32_t *code)
{
    static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *byte = (const unsigned char *)text;
    const int length = byte[0] < 0x80 ? 1 : byte[0] >> 5 == 6 ? 2 : byte[0] >> 4 == 14 ? 3 : byte[0] >> 3 == 30 ? 4 : 0;
    if (length == 0) return 0;
    uint32_t result = length == 1 ? byte[0] : byte[0] & (0x7Fu >> length);
    for (int i = 1; i < length; i++) {
        /* The terminating NUL is not a continuation byte, so this loop never reads past it. */
        if (byte[i] >> 6 != 2) return 0;
        result = result << 6 | (byte[i] & 0x3Fu);
    }
    if (result < least[length] || result > 0x10FFFF || result >> 11 == 0x1B) return 0;
    *code = result;
    return length;
}

bool sino_utf8_is_valid(const char *text)
{
    uint32_t code;
    while (*text) {
        const int length = sino_utf8_decode(text, &code);
        if (length == 0) return false;
        text += length;
    }
    return true;
}

/* Controls of ASCII and of Latin-1; line and paragraph separators; marks, embeddings, overrides and isolates of
 * bidirectional text; the byte order mark. */
static bool is_obeyed(uint32_t code)
{
    return code < 0x20 || (code >= 0x7F && code < 0xA0) || (code >= 0x2028 && code <= 0x202E) ||
           (code >= 0x2066 && code <= 0x2069) || code == 0x200E || code == 0x200F || code == 0x061C || code == 0xFEFF;
}

void sino_print_visible(const char *text, FILE *out)
{
    while (*text) {
        uint32_t code = 0;
        const int length = sino_utf8_decode(text, &code);
        if (length == 0)
            fprintf(out, "\\x%02x", (unsigned)(unsigned char)*text);
        else if (is_obeyed(code))
            fprintf(out, code < 0x100 ? "\\x%02" PRIx32 : "\\u%04" PRIx32, code);
        else
            fwrite(text, 1, (size_t)length, out);
        text += length ? length : 1;
    }
}
