/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings YAML: reads the file of --config by libcyaml, and prints the settings in force in the same form.
 *
 * libcyaml sees every key as an optional string; the parser of the command line checks the values. */
#include "memory.h"
#include "regular_file.h"
#include "settings_table.h"

#include <cyaml/cyaml.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <yaml.h>

static const int64_t file_bytes_max = (int64_t)1 << 20;

/* The first error message of libcyaml about a file, and the position that its backtrace starts with. */
typedef struct Complaint {
    char text[256], place[160];
} Complaint;

static void trim_newline(char *text)
{
    text[strcspn(text, "\n")] = '\0';
}

static void hear(cyaml_log_t level, void *context, const char *format, va_list arguments)
{
    (void)level;
    Complaint *complaint = context;
    char line[256];
    vsnprintf(line, sizeof line, format, arguments);
    trim_newline(line);
    if (!complaint->text[0])
        snprintf(complaint->text, sizeof complaint->text, "%s", strncmp(line, "Load: ", 6) == 0 ? line + 6 : line);
    else if (!complaint->place[0] && strncmp(line, "  in ", 5) == 0)
        snprintf(complaint->place, sizeof complaint->place, "%.150s", line + 1);
}

static SinoStatus describe(const char *path, int verb, cyaml_err_t error, const Complaint *complaint)
{
    static const char unknown[] = "Unexpected key: ";
    SINO_CHECK(error != CYAML_ERR_OOM, SINO_FAILED, "no memory to read %s", path);
    if (error == CYAML_ERR_INVALID_KEY && strncmp(complaint->text, unknown, strlen(unknown)) == 0)
        return sino_error_prefix(sino_setting_unknown(verb, "unknown setting", "", complaint->text + strlen(unknown)),
                                 "%s", path);
    return sino_error(SINO_BAD_INPUT, "%s: %s%s; allowed: one \"name: value\" line per setting", path,
                      complaint->text[0] ? complaint->text : cyaml_strerror(error), complaint->place);
}

/* Fields for libcyaml: row i goes to text[i]. Left out, and so unknown keys, are rows for the command line only, and
 * rows of other verbs whose name the verb's own row shares. */
static void make_fields(int verb, cyaml_schema_field_t field[SINO_SETTING_COUNT + 1])
{
    int count = 0;
    for (unsigned i = 0; i < SINO_SETTING_COUNT; i++) {
        const SinoSetting *row = &sino_setting_table[i];
        if (row->argument_only || sino_setting_find(verb, row->name, strlen(row->name)) != row) continue;
        field[count++] = (cyaml_schema_field_t){
            .key = row->name,
            .data_offset = i * (uint32_t)sizeof(char *),
            .value = {.type = CYAML_STRING,
                      .flags = (enum cyaml_flag)(CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL),
                      .data_size = sizeof(char),
                      .string = {.min = 0, .max = CYAML_UNLIMITED}},
        };
    }
    field[count] = (cyaml_schema_field_t){.key = NULL};
}

static SinoStatus assign_texts(const char *path, int verb, char *const text[SINO_SETTING_COUNT], SinoSettings *settings,
                               bool given[SINO_SETTING_COUNT])
{
    for (int i = 0; i < SINO_SETTING_COUNT; i++) {
        if (!text[i]) continue;
        const SinoSetting *row = &sino_setting_table[i];
        SinoStatus status = sino_setting_check_verb(row, verb, row->name);
        if (!status) status = sino_setting_assign_given(row, row->name, text[i], settings);
        if (status) return sino_error_prefix(status, "%s", path);
        given[i] = true;
    }
    return NULL;
}

static SinoStatus load_bytes(const char *path, int descriptor, int64_t size, char **bytes)
{
    SINO_CHECK(size <= file_bytes_max, SINO_BAD_INPUT, "%s has %" PRId64 " bytes; allowed for settings: up to %" PRId64,
               path, size, file_bytes_max);
    SINO_TRY(sino_allocate(size, 1, "a file of settings", bytes));
    for (int64_t done = 0; done < size;) {
        const ssize_t got = pread(descriptor, *bytes + done, (size_t)(size - done), done);
        if (got < 0 && errno == EINTR) continue;
        SINO_CHECK(got > 0, SINO_FAILED, "%s cannot be read: %s", path,
                   got < 0 ? strerror(errno) : "the file has become shorter");
        done += got;
    }
    return NULL;
}

static SinoStatus load_file(const char *path, char **bytes, int64_t *size)
{
    int descriptor;
    SINO_TRY(sino_error_prefix(sino_regular_open(path, &descriptor, size), "--config"));
    SinoStatus status = load_bytes(path, descriptor, *size, bytes);
    close(descriptor);
    return status;
}

/* libcyaml ends a text at NUL, which a quoted text of YAML may contain as \0. */
static SinoStatus refuse_nul(const char *path, const char *bytes, int64_t size)
{
    yaml_parser_t parser;
    yaml_event_t event;
    bool ended = false;
    SinoStatus status = NULL;
    SINO_CHECK(yaml_parser_initialize(&parser), SINO_FAILED, "no memory to read %s", path);
    yaml_parser_set_input_string(&parser, (const unsigned char *)bytes, (size_t)size);
    /* libcyaml reports what is no YAML. */
    while (!ended && !status && yaml_parser_parse(&parser, &event)) {
        ended = event.type == YAML_STREAM_END_EVENT;
        if (event.type == YAML_SCALAR_EVENT && memchr(event.data.scalar.value, '\0', event.data.scalar.length))
            status =
                sino_error(SINO_BAD_INPUT, "%s: line %zu has a text with the character \\0; allowed: texts without it",
                           path, event.start_mark.line + 1);
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    return status;
}

static SinoStatus read_bytes(const char *path, int verb, const char *bytes, int64_t size, SinoSettings *settings,
                             bool given[SINO_SETTING_COUNT])
{
    cyaml_schema_field_t field[SINO_SETTING_COUNT + 1];
    make_fields(verb, field);
    const cyaml_schema_value_t schema = {.type = CYAML_MAPPING,
                                         .flags = CYAML_FLAG_POINTER,
                                         .data_size = SINO_SETTING_COUNT * sizeof(char *),
                                         .mapping = {.fields = field}};
    Complaint complaint = {.text = ""};
    const cyaml_config_t config = {
        .log_fn = hear, .log_ctx = &complaint, .mem_fn = cyaml_mem, .log_level = CYAML_LOG_WARNING};
    char **text = NULL;
    const cyaml_err_t error =
        cyaml_load_data((const uint8_t *)bytes, (size_t)size, &config, &schema, (cyaml_data_t **)&text, NULL);
    SinoStatus status = NULL;
    /* Warnings are errors too: they mean that libcyaml left a second document unread. */
    if (error != CYAML_OK || complaint.text[0])
        status = describe(path, verb, error, &complaint);
    else if (text) /* NULL: the file has no setting */
        status = assign_texts(path, verb, text, settings, given);
    cyaml_free(&config, &schema, text, 0);
    return status;
}

SinoStatus sino_settings_yaml_read(const char *path, int verb, SinoSettings *settings, bool given[SINO_SETTING_COUNT])
{
    char *bytes = NULL;
    int64_t size;
    SinoStatus status = load_file(path, &bytes, &size);
    if (!status) status = refuse_nul(path, bytes, size);
    if (!status) status = read_bytes(path, verb, bytes, size, settings, given);
    free(bytes);
    return status;
}

/* Which settings a text has. */
typedef enum Selection { ALL, FIXED, SHARED } Selection;

/* Skips settings of other algorithms: they have no effect, and reading them back would be refused as a
 * contradiction. */
static bool is_printed(const SinoSetting *row, const SinoSettings *settings, int verb, Selection selection)
{
    const bool selected =
        selection == SHARED ? !row->per_rank : !row->argument_only && !(selection == FIXED && row->may_change);
    return selected && (row->verbs & verb) && sino_setting_applies(row, settings) &&
           !sino_setting_is_unset(row, settings);
}

static SinoStatus print_settings(const SinoSettings *settings, int verb, Selection selection, char **text)
{
    char *buffer = NULL;
    size_t size;
    FILE *out = open_memstream(&buffer, &size);
    SINO_CHECK(out, SINO_FAILED, "no memory for the text of the settings");
    for (const SinoSetting *row = sino_setting_table; row < sino_setting_table + SINO_SETTING_COUNT; row++) {
        if (!is_printed(row, settings, verb, selection)) continue;
        fprintf(out, "%s: ", row->name);
        sino_setting_print(row, settings, out);
        fputc('\n', out);
    }
    if (fclose(out) != 0) {
        free(buffer);
        return sino_error(SINO_FAILED, "no memory for the text of the settings");
    }
    *text = buffer;
    return NULL;
}

SinoStatus sino_settings_text(const SinoSettings *settings, int verb, char **text)
{
    return print_settings(settings, verb, ALL, text);
}

SinoStatus sino_settings_fixed_text(const SinoSettings *settings, int verb, char **text)
{
    return print_settings(settings, verb, FIXED, text);
}

SinoStatus sino_settings_shared_text(const SinoSettings *settings, int verb, char **text)
{
    return print_settings(settings, verb, SHARED, text);
}
