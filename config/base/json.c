/* SPDX-License-Identifier: BSD-3-Clause */
/* JSON: writes objects, as the log and the reports do (RFC 8259). */
#include "text.h"

#include <inttypes.h>
#include <math.h>

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
