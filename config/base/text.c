/* SPDX-License-Identifier: BSD-3-Clause */
/* Text: durations, UTF-8 and JSON. */
#include "text.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Duration: seconds in units that people read. */

/* Decimals that give a value below 1000 three digits. */
static int decimals(double value)
{
    return value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
}

/* "HIGH UNIT LOW UNIT" of a number of the low unit, of which `per` make one of the high one. */
static const char *two_units(double count, int64_t per, const char *high, const char *low, char *text)
{
    const int64_t whole = (int64_t)(count + 0.5);
    snprintf(text, SINO_DURATION_SIZE, "%" PRId64 " %s %" PRId64 " %s", whole / per, high, whole % per, low);
    return text;
}

const char *sino_duration_text(double duration_s, char text[SINO_DURATION_SIZE])
{
    static const char *const unit[] = {"ns", "us", "ms", "s"};
    if (!(duration_s >= 0 && duration_s < 1e15)) {
        snprintf(text, SINO_DURATION_SIZE, "unknown");
    } else if (duration_s < 59.95) {
        double value = duration_s * 1e9;
        int i = 0;
        for (; value >= 999.5 && i < 3; i++) value /= 1000;
        snprintf(text, SINO_DURATION_SIZE, duration_s > 0 ? "%.*f %s" : "0 s", decimals(value), value, unit[i]);
    } else if (duration_s < 3599.5) {
        return two_units(duration_s, 60, "min", "s", text);
    } else if (duration_s < 47.5 * 3600) {
        return two_units(duration_s / 60, 60, "h", "min", text);
    } else {
        return two_units(duration_s / 3600, 24, "days", "h", text);
    }
    return text;
}

/* UTF-8: decoder and validation (RFC 3629); which characters a terminal obeys instead of showing them. */

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

/* JSON: writes objects, as the log and the reports do (RFC 8259). */

static void begin_member(SinoJson *json, const char *name)
{
    if (json->has_members) fputs(json->compact ? "," : json->depth == 1 ? ",\n " : ", ", json->out);
    if (name) fprintf(json->out, json->compact ? "\"%s\":" : "\"%s\": ", name);
    json->has_members = true;
}

static void open_bracket(SinoJson *json, const char *name, char bracket)
{
    begin_member(json, name);
    fputc(bracket, json->out);
    json->depth++;
    json->has_members = false;
}

static void close_bracket(SinoJson *json, char bracket)
{
    fputc(bracket, json->out);
    json->depth--;
    json->has_members = true;
    if (json->depth == 0) fputc('\n', json->out);
}

void sino_json_open(SinoJson *json, const char *name)
{
    open_bracket(json, name, '{');
}

void sino_json_close(SinoJson *json)
{
    close_bracket(json, '}');
}

void sino_json_open_list(SinoJson *json, const char *name)
{
    open_bracket(json, name, '[');
}

void sino_json_close_list(SinoJson *json)
{
    close_bracket(json, ']');
}

static void print_string(const char *text, FILE *out)
{
    uint32_t code;
    fputc('"', out);
    while (*text) {
        const int length = sino_utf8_decode(text, &code);
        if (length == 0)
            fputs("\\ufffd", out);
        else if (code == '"' || code == '\\')
            fprintf(out, "\\%c", (char)code);
        else if (code < 0x20 || (code >= 0x7F && code < 0xA0))
            fprintf(out, "\\u%04" PRIx32, code);
        else
            fwrite(text, 1, (size_t)length, out);
        text += length ? length : 1;
    }
    fputc('"', out);
}

void sino_json_text(SinoJson *json, const char *name, const char *text)
{
    begin_member(json, name);
    if (text)
        print_string(text, json->out);
    else
        fputs("null", json->out);
}

void sino_json_integer(SinoJson *json, const char *name, int64_t value)
{
    begin_member(json, name);
    fprintf(json->out, "%" PRId64, value);
}

void sino_json_real(SinoJson *json, const char *name, double value)
{
    begin_member(json, name);
    if (isfinite(value))
        fprintf(json->out, "%.10g", value);
    else
        fputs("null", json->out);
}

void sino_json_thousandths(SinoJson *json, const char *name, int64_t value)
{
    const int64_t size = value < 0 ? -value : value;
    begin_member(json, name);
    fprintf(json->out, "%s%" PRId64 ".%03d", value < 0 ? "-" : "", size / 1000, (int)(size % 1000));
}

void sino_json_flag(SinoJson *json, const char *name, bool value)
{
    begin_member(json, name);
    fputs(value ? "true" : "false", json->out);
}
