/* SPDX-License-Identifier: BSD-3-Clause */
/* Visible: which characters a terminal obeys instead of showing them. */
#include "visible.h"

#include "utf8.h"

#include <inttypes.h>
#include <stdbool.h>

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
