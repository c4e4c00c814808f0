/* SPDX-License-Identifier: BSD-3-Clause */
/* Text: durations, UTF-8 and JSON. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Duration: seconds in units that people read. */

enum { SINO_DURATION_SIZE = 32 };

/* Writes "850 us", "1.25 ms", "12.3 s", "4 min 36 s", "4 h 36 min" or "12 days 3 h", with three digits below a minute,
 * and returns `text`. NaN, infinite or negative: "unknown". */
const char *sino_duration_text(double duration_s, char text[SINO_DURATION_SIZE]);

/* UTF-8: decoding one character at a time, for texts that the program writes as YAML or JSON, and printing text of
 * strangers (names in files, paths) so that it can neither steer a terminal nor forge a line. */

/* Returns the bytes (1 to 4) of the character at `text`, and its code point in *code. 0: not UTF-8 (RFC 3629: shortest
 * form, no surrogates). NUL is a character of one byte. */
int sino_utf8_decode(const char *text, uint32_t *code);

bool sino_utf8_is_valid(const char *text);

/* Prints `text` on one line: control characters, line separators and marks that change the direction of writing as
 * \x1b or \u202e, bytes that are not UTF-8 as \xff. Everything else is printed as it is. */
void sino_print_visible(const char *text, FILE *out);

/* JSON: writes objects, as the log and the reports do (RFC 8259). It takes no memory, so that the log can still say
 * that there is none, and any bytes, because file names may have them; libraries of Debian take UTF-8 only, and build a
 * tree first. */

typedef struct SinoJson {
    FILE *out;
    bool compact; /* one line; else a line for each member of the outermost object */
    int depth;
    bool has_members; /* the open object or list has a member already */
} SinoJson;

/* Open and close an object or a list. `name`: as a member of the open object; NULL: in a list, or outermost. */
void sino_json_open(SinoJson *json, const char *name);
void sino_json_close(SinoJson *json);
void sino_json_open_list(SinoJson *json, const char *name);
void sino_json_close_list(SinoJson *json);

/* Members of the open object; name NULL: of the open list. Names are ASCII without quotes. */
void sino_json_text(SinoJson *json, const char *name, const char *text); /* text NULL: null. Bad UTF-8 becomes U+FFFD */
void sino_json_integer(SinoJson *json, const char *name, int64_t value);
void sino_json_real(SinoJson *json, const char *name, double value);         /* NaN and infinities: null */
void sino_json_thousandths(SinoJson *json, const char *name, int64_t value); /* value/1000, exactly */
void sino_json_flag(SinoJson *json, const char *name, bool value);
