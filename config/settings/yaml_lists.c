/* SPDX-License-Identifier: BSD-3-Clause */
/* YAML lists: a walk through the events of libyaml, before libcyaml reads the texts. libcyaml knows no value that is
 * either a text or a sequence. */
#include "yaml_lists.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

/* What Walk.key is if it is no number of a key. */
enum { NAME_IS_NEXT = -1, UNKNOWN_NAME = -2 };

typedef struct Walk {
    const SinoYamlFile *file;
    char **list;
    int depth;                         /* open sequences and mappings */
    int key;                           /* whose value is next, at depth 1 */
    bool mapping;                      /* the document is a mapping */
    bool over;                         /* the first document has ended */
    bool ended;                        /* the stream has */
    FILE *items;                       /* those of list[key]; NULL: the walk is in no list */
    int64_t count;                     /* of the items */
    size_t item_size;                  /* bytes in list[key], kept by `items` */
    char *anchor[SINO_YAML_KEYS_MOST]; /* of the list that a key has; NULL: none, or another value has it by now */
    bool seen[SINO_YAML_KEYS_MOST];
} Walk;

static bool takes_list(const SinoYamlFile *file, int key)
{
    return file->lists && file->lists[key];
}

static SinoStatus refuse_shape(const Walk *walk, const yaml_event_t *event, const char *shape)
{
    return sino_error(SINO_BAD_INPUT, "%s: line %zu gives %s %s; allowed: one value%s", walk->file->path,
                      event->start_mark.line + 1, walk->file->key[walk->key], shape,
                      takes_list(walk->file, walk->key) ? ", or a list of values" : "");
}

static SinoStatus refuse_item(const Walk *walk, const yaml_event_t *event, const char *what)
{
    return sino_error(SINO_BAD_INPUT, "%s: line %zu has %s in the list of %s; allowed: one value per item",
                      walk->file->path, event->start_mark.line + 1, what, walk->file->key[walk->key]);
}

/* libcyaml finds a name that is there twice, but not if the value is one that it passes over. */
static SinoStatus take_name(Walk *walk, int key, const yaml_event_t *event)
{
    walk->key = key;
    if (key == UNKNOWN_NAME) return NULL;
    SINO_CHECK(!walk->seen[key], SINO_BAD_INPUT, "%s: line %zu gives %s again; allowed: once", walk->file->path,
               event->start_mark.line + 1, walk->file->key[key]);
    walk->seen[key] = true;
    return NULL;
}

static int find_key(const SinoYamlFile *file, const yaml_event_t *event)
{
    for (int i = 0; i < file->count; i++)
        if (file->key[i] && strcmp(file->key[i], (const char *)event->data.scalar.value) == 0) return i;
    return UNKNOWN_NAME; /* libcyaml reports it */
}

/* Takes a name or a value of the document's mapping. What lies deeper, or is no mapping, is libcyaml's to refuse. */
static SinoStatus take_text(Walk *walk, int key, const yaml_event_t *event)
{
    if (walk->depth != 1 || !walk->mapping) return NULL;
    if (walk->key == NAME_IS_NEXT) return take_name(walk, key, event);
    walk->key = NAME_IS_NEXT;
    return NULL;
}

/* Whether an anchor is that of a list. */
static bool names_list(const Walk *walk, const yaml_char_t *anchor)
{
    for (int i = 0; i < SINO_YAML_KEYS_MOST; i++)
        if (walk->anchor[i] && strcmp(walk->anchor[i], (const char *)anchor) == 0) return true;
    return false;
}

/* The last value that has an anchor counts. */
static void forget_anchor(Walk *walk, const yaml_char_t *anchor)
{
    for (int i = 0; i < SINO_YAML_KEYS_MOST && anchor; i++) {
        if (!walk->anchor[i] || strcmp(walk->anchor[i], (const char *)anchor) != 0) continue;
        free(walk->anchor[i]);
        walk->anchor[i] = NULL;
    }
}

static SinoStatus take_scalar(Walk *walk, const yaml_event_t *event)
{
    const char *value = (const char *)event->data.scalar.value;
    /* libcyaml ends a text at NUL, which a quoted text of YAML may contain as \0. */
    SINO_CHECK(!memchr(value, '\0', event->data.scalar.length), SINO_BAD_INPUT,
               "%s: line %zu has a text with the character \\0; allowed: texts without it", walk->file->path,
               event->start_mark.line + 1);
    forget_anchor(walk, event->data.scalar.anchor);
    if (!walk->items) return take_text(walk, find_key(walk->file, event), event);
    if (!*value) return refuse_item(walk, event, "an empty value");
    if (strchr(value, ',')) return refuse_item(walk, event, "a value with a comma");
    fprintf(walk->items, "%s%s", walk->count++ ? "," : "", value);
    return NULL;
}

static SinoStatus keep_anchor(Walk *walk, const yaml_char_t *anchor)
{
    forget_anchor(walk, anchor);
    if (!anchor) return NULL;
    walk->anchor[walk->key] = strdup((const char *)anchor);
    SINO_CHECK(walk->anchor[walk->key], SINO_FAILED, "no memory to read %s", walk->file->path);
    return NULL;
}

/* libcyaml takes an alias of a text for the text, and knows no lists. */
static SinoStatus take_alias(Walk *walk, const yaml_event_t *event)
{
    if (walk->items) return refuse_item(walk, event, "an alias");
    const bool value = walk->depth == 1 && walk->mapping && walk->key >= 0;
    if (value && names_list(walk, event->data.alias.anchor)) return refuse_shape(walk, event, "an alias of a list");
    return take_text(walk, UNKNOWN_NAME, event);
}

static SinoStatus open_list(Walk *walk)
{
    walk->count = 0;
    walk->items = open_memstream(&walk->list[walk->key], &walk->item_size);
    SINO_CHECK(walk->items, SINO_FAILED, "no memory to read %s", walk->file->path);
    return NULL;
}

static SinoStatus close_list(Walk *walk)
{
    FILE *items = walk->items;
    walk->items = NULL;
    SINO_CHECK(!items || fclose(items) == 0, SINO_FAILED, "no memory to read %s", walk->file->path);
    return NULL;
}

static SinoStatus begin(Walk *walk, const yaml_event_t *event)
{
    const bool mapping = event->type == YAML_MAPPING_START_EVENT;
    if (walk->items) return refuse_item(walk, event, mapping ? "a mapping" : "a list");
    if (walk->depth == 0) walk->mapping = mapping;
    walk->depth++;
    if (walk->depth != 2 || !walk->mapping) return NULL;
    if (walk->key == NAME_IS_NEXT) walk->key = UNKNOWN_NAME; /* libcyaml refuses such a name */
    if (walk->key == UNKNOWN_NAME) return NULL;
    if (mapping) return refuse_shape(walk, event, "a mapping");
    if (!takes_list(walk->file, walk->key)) return refuse_shape(walk, event, "a list");
    SINO_TRY(keep_anchor(walk, event->data.sequence_start.anchor));
    return open_list(walk);
}

static SinoStatus end(Walk *walk, const yaml_event_t *event)
{
    if (walk->items && walk->count == 0) return refuse_shape(walk, event, "an empty list");
    SINO_TRY(close_list(walk));
    if (--walk->depth == 1) walk->key = NAME_IS_NEXT;
    return NULL;
}

static SinoStatus take_event(Walk *walk, const yaml_event_t *event)
{
    walk->ended = event->type == YAML_STREAM_END_EVENT;
    walk->over |= event->type == YAML_DOCUMENT_END_EVENT;
    if (walk->over || walk->ended) return NULL; /* libcyaml refuses a second document */
    if (event->type == YAML_SCALAR_EVENT) return take_scalar(walk, event);
    if (event->type == YAML_SEQUENCE_START_EVENT || event->type == YAML_MAPPING_START_EVENT) return begin(walk, event);
    if (event->type == YAML_SEQUENCE_END_EVENT || event->type == YAML_MAPPING_END_EVENT) return end(walk, event);
    return event->type == YAML_ALIAS_EVENT ? take_alias(walk, event) : NULL;
}

SinoStatus sino_yaml_lists_read(const SinoYamlFile *file, const char *bytes, int64_t size, char **list)
{
    yaml_parser_t parser;
    yaml_event_t event;
    SinoStatus status = NULL;
    Walk walk = {.file = file, .list = list, .key = NAME_IS_NEXT};
    SINO_CHECK(yaml_parser_initialize(&parser), SINO_FAILED, "no memory to read %s", file->path);
    yaml_parser_set_input_string(&parser, (const unsigned char *)bytes, (size_t)size);
    while (!walk.ended && !status && yaml_parser_parse(&parser, &event)) {
        status = take_event(&walk, &event);
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    for (int i = 0; i < SINO_YAML_KEYS_MOST; i++) free(walk.anchor[i]);
    SinoStatus closed = close_list(&walk); /* after a failure in a list, and after what is no YAML */
    if (!status) return closed;
    sino_status_free(closed);
    return status;
}
