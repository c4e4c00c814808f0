/* SPDX-License-Identifier: BSD-3-Clause */
/* Markup: the five characters that XML reserves, and those that it forbids. */
#include "page.h"

#include "text.h"

#include <stdint.h>

/* The reference of a reserved character; NULL: it is none. */
static const char *reference(uint32_t code)
{
    switch (code) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

void sino_markup_text(const char *text, FILE *out)
{
    while (*text) {
        uint32_t code = 0;
        const int length = sino_utf8_decode(text, &code);
        const bool allowed = length > 0 && code >= 0x20 && code != 0x7F && code != 0xFFFE && code != 0xFFFF;
        if (!allowed)
            fputs("\xEF\xBF\xBD", out);
        else if (reference(code))
            fputs(reference(code), out);
        else
            fwrite(text, 1, (size_t)length, out);
        text += length > 0 ? length : 1;
    }
}
