/* SPDX-License-Identifier: BSD-3-Clause */
/* JSON: writes objects, as the log and the reports do (RFC 8259). It takes no memory, so that the log can still say
 * that there is none, and any bytes, because file names may have them; libraries of Debian take UTF-8 only, and build a
 * tree first. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

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
