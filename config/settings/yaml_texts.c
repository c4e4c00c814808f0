/* SPDX-License-Identifier: BSD-3-Clause */
/* YAML texts: reading by libcyaml, which sees every key as an optional string. */
#include "yaml_texts.h"

#include "files.h"
#include "memory.h"
#include "yaml_lists.h"

#include <assert.h>
#include <cyaml/cyaml.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const int64_t file_bytes_max = (int64_t)1 << 20;

/* The first error message of libcyaml about a file, and the position that its backtrace starts with. */
typedef struct Complaint {
    char text[256], place[160];
} Complaint;

static void hear(cyaml_log_t level, void *context, const char *format, va_list arguments)
{
    (void)level;
    Complaint *complaint = context;
    char line[256];
    vsnprintf(line, sizeof line, format, arguments);
    line[strcspn(line, "\n")] = '\0';
    if (!complaint->text[0])
        snprintf(complaint->text, sizeof complaint->text, "%s", strncmp(line, "Load: ", 6) == 0 ? line + 6 : line);
    else if (!complaint->place[0] && strncmp(line, "  in ", 5) == 0)
        snprintf(complaint->place, sizeof complaint->place, "%.150s", line + 1);
}

static SinoStatus describe(const SinoYamlFile *file, cyaml_err_t error, const Complaint *complaint)
{
    static const char unknown[] = "Unexpected key: ";
    SINO_CHECK(error != CYAML_ERR_OOM, SINO_FAILED, "no memory to read %s", file->path);
    if (error == CYAML_ERR_INVALID_KEY && strncmp(complaint->text, unknown, strlen(unknown)) == 0)
        return sino_error_prefix(file->unknown(file->context, complaint->text + strlen(unknown)), "%s", file->path);
    return sino_error(SINO_BAD_INPUT, "%s: %s%s; allowed: one \"name: value\" line per setting", file->path,
                      complaint->text[0] ? complaint->text : cyaml_strerror(error), complaint->place);
}

/* Fields for libcyaml: key i goes to text[i]. libcyaml passes over a sequence that is read as list[i]. */
static void make_fields(const SinoYamlFile *file, char *const *list,
                        cyaml_schema_field_t field[SINO_YAML_KEYS_MOST + 1])
{
    int count = 0;
    for (int i = 0; i < file->count && count < SINO_YAML_KEYS_MOST; i++) {
        if (!file->key[i]) continue;
        field[count++] = (cyaml_schema_field_t){
            .key = file->key[i],
            .data_offset = (uint32_t)i * (uint32_t)sizeof(char *),
            .value = {.type = CYAML_STRING,
                      .flags = (enum cyaml_flag)(CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL),
                      .data_size = sizeof(char),
                      .string = {.min = 0, .max = CYAML_UNLIMITED}},
        };
        if (list[i])
            field[count - 1].value = (cyaml_schema_value_t){.type = CYAML_IGNORE, .flags = CYAML_FLAG_OPTIONAL};
    }
    field[count] = (cyaml_schema_field_t){.key = NULL};
}

static SinoStatus load_bytes(const SinoYamlFile *file, int descriptor, int64_t size, char **bytes)
{
    SINO_CHECK(size <= file_bytes_max, SINO_BAD_INPUT, "%s has %" PRId64 " bytes; allowed for %s: up to %" PRId64,
               file->path, size, file->content, file_bytes_max);
    SINO_TRY(sino_allocate(size, 1, "a file of settings", bytes));
    for (int64_t done = 0; done < size;) {
        const ssize_t got = pread(descriptor, *bytes + done, (size_t)(size - done), done);
        if (got < 0 && errno == EINTR) continue;
        SINO_CHECK(got > 0, SINO_FAILED, "%s cannot be read: %s", file->path,
                   got < 0 ? strerror(errno) : "the file has become shorter");
        done += got;
    }
    return NULL;
}

static SinoStatus load_file(const SinoYamlFile *file, char **bytes, int64_t *size)
{
    int descriptor;
    SINO_TRY(sino_error_prefix(sino_regular_open(file->path, &descriptor, size), "%s", file->where));
    SinoStatus status = load_bytes(file, descriptor, *size, bytes);
    close(descriptor);
    return status;
}

static SinoStatus read_bytes(const SinoYamlFile *file, const char *bytes, int64_t size, char *const *list, char ***text)
{
    cyaml_schema_field_t field[SINO_YAML_KEYS_MOST + 1];
    make_fields(file, list, field);
    const cyaml_schema_value_t schema = {.type = CYAML_MAPPING,
                                         .flags = CYAML_FLAG_POINTER,
                                         .data_size = (uint32_t)file->count * (uint32_t)sizeof(char *),
                                         .mapping = {.fields = field}};
    Complaint complaint = {.text = ""};
    const cyaml_config_t config = {
        .log_fn = hear, .log_ctx = &complaint, .mem_fn = cyaml_mem, .log_level = CYAML_LOG_WARNING};
    char **read = NULL;
    const cyaml_err_t error =
        cyaml_load_data((const uint8_t *)bytes, (size_t)size, &config, &schema, (cyaml_data_t **)&read, NULL);
    *text = read;
    /* Warnings are errors too: they mean that libcyaml left a second document unread. */
    if (error == CYAML_OK && !complaint.text[0]) return NULL;
    cyaml_free(&config, &schema, read, 0);
    *text = NULL;
    return describe(file, error, &complaint);
}

static SinoStatus read_values(const SinoYamlFile *file, const char *bytes, int64_t size, char ***text)
{
    char *list[SINO_YAML_KEYS_MOST] = {NULL};
    SinoStatus status = sino_yaml_lists_read(file, bytes, size, list);
    if (!status) status = read_bytes(file, bytes, size, list, text);
    for (int i = 0; i < file->count; i++) {
        if (*text && list[i])
            (*text)[i] = list[i];
        else
            free(list[i]);
    }
    return status;
}

SinoStatus sino_yaml_texts_read(const SinoYamlFile *file, char ***text)
{
    char *bytes = NULL;
    int64_t size;
    *text = NULL;
    assert(file->count <= SINO_YAML_KEYS_MOST);
    SinoStatus status = load_file(file, &bytes, &size);
    if (!status) status = read_values(file, bytes, size, text);
    free(bytes);
    return status;
}

void sino_yaml_texts_free(int count, char **text)
{
    for (int i = 0; text && i < count; i++) free(text[i]);
    free(text);
}
