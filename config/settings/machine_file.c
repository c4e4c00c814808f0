/* SPDX-License-Identifier: BSD-3-Clause */
/* Machine file: the keys, their ranges, and which of them a file must have. */
#include "machine_file.h"

#include "settings_table.h"
#include "yaml_texts.h"

#include <stdio.h>
#include <string.h>

/* What decides whether a key may be left out. */
typedef enum Need {
    FREE,     /* it may: the fallback holds */
    ALWAYS,   /* it must be there */
    OF_DEVICE /* if the nodes have devices it must be there, else it must not */
} Need;

typedef struct Key {
    SinoSetting row; /* its offset is into SinoMachineFile */
    Need need;
} Key;

/* The kinds of devices, in the order of the words. */
static const char *const device_words[] = {"none", "cuda", "opencl", NULL};
static const unsigned device_bits[] = {0, SINO_DEVICE_CUDA, SINO_DEVICE_OPENCL};

#define AT(member)       offsetof(SinoMachineFile, member)
#define COUNT(at, most)  .kind = SINO_SETTING_INTEGER, .offset = AT(at), .low = 1, .high = (most)
#define BYTES(at)        .kind = SINO_SETTING_BYTES, .offset = AT(at), .low = 1 << 20, .high = 0x1p60
#define RATE(at)         .kind = SINO_SETTING_REAL, .offset = AT(at), .low = 1e-9, .high = 1e9
#define TIME(at)         .kind = SINO_SETTING_REAL, .offset = AT(at), .low = 0, .high = 1e6
#define KEY(called, ...) .row = {.name = (called), __VA_ARGS__}

enum { LIKE, NAME, DEVICE, KEY_COUNT = 25 };

static const Key keys[KEY_COUNT] = {
    [LIKE] = {KEY("like", .kind = SINO_SETTING_TEXT, .operand = "NAME")},
    [NAME] = {KEY("name", .kind = SINO_SETTING_TEXT, .operand = "NAME")},
    [DEVICE] = {KEY("device", .kind = SINO_SETTING_CHOICE, .offset = AT(device_kind), .choices = device_words)},
    {KEY("nodes", COUNT(nodes, 1e6), .fallback = "1")},
    {KEY("sockets", COUNT(sockets, 1e4), .fallback = "1")},
    {KEY("cores", COUNT(cores, 1e5)), ALWAYS},
    {KEY("memory", BYTES(memory_bytes)), ALWAYS},
    {KEY("core-gflops", RATE(core.gflops)), ALWAYS},
    {KEY("core-bandwidth", RATE(core.memory_gbps)), ALWAYS},
    {KEY("core-overhead", TIME(core.task_us), .fallback = "2")},
    {KEY("devices", COUNT(device_count, 1e4)), OF_DEVICE},
    {KEY("device-memory", BYTES(device_bytes)), OF_DEVICE},
    {KEY("device-gflops", RATE(device.gflops)), OF_DEVICE},
    {KEY("device-bandwidth", RATE(device.memory_gbps)), OF_DEVICE},
    {KEY("device-overhead", TIME(device.task_us), .fallback = "10")},
    {KEY("host-device-bandwidth", RATE(host_device.gbps)), OF_DEVICE},
    {KEY("host-device-latency", TIME(host_device.latency_us), .fallback = "10")},
    {KEY("device-device-bandwidth", RATE(device_device.gbps)), OF_DEVICE},
    {KEY("device-device-latency", TIME(device_device.latency_us), .fallback = "20")},
    {KEY("host-bandwidth", RATE(host_gbps)), OF_DEVICE},
    {KEY("socket-bandwidth", RATE(socket_gbps), .fallback = "20")},
    {KEY("node-bandwidth", RATE(node_gbps), .fallback = "20")},
    {KEY("link-bandwidth", RATE(network.gbps), .fallback = "12.5")},
    {KEY("link-latency", TIME(network.latency_us), .fallback = "10")},
    {KEY("file-bandwidth", RATE(file_gbps), .fallback = "1")},
};

static SinoStatus unknown_key(const void *context, const char *word)
{
    char list[640] = "";
    size_t length = 0;
    (void)context;
    for (int i = 0; i < KEY_COUNT; i++)
        length += (size_t)snprintf(list + length, sizeof list - length, "%s%s", i > 0 ? ", " : "", keys[i].row.name);
    return sino_error(SINO_BAD_INPUT, "unknown key '%s'; allowed: %s", word, list);
}

/* What the machine is before the file's keys: the machine that it is like, or nothing. */
static SinoStatus begin(const char *path, const char *like, SinoMachineFile *machine)
{
    *machine = (SinoMachineFile){.name = ""};
    if (!like) return NULL;
    SINO_CHECK(sino_machine_preset(like, machine), SINO_BAD_INPUT, "%s: like is '%s'; allowed: %s", path, like,
               sino_machine_presets());
    return NULL;
}

static SinoStatus assign_name(const char *path, const char *name, SinoMachineFile *machine)
{
    if (!name) return NULL;
    SINO_CHECK(*name && strlen(name) < sizeof machine->name, SINO_BAD_INPUT,
               "%s: name has %zu bytes; allowed: 1 to %zu", path, strlen(name), sizeof machine->name - 1);
    snprintf(machine->name, sizeof machine->name, "%s", name);
    return NULL;
}

/* The kind of devices. `none` takes them from a machine that is like one with devices. */
static SinoStatus assign_device(const char *path, const char *kind, SinoMachineFile *machine)
{
    char text[SINO_ALLOWED_SIZE];
    if (!kind) return NULL;
    for (unsigned i = 0; device_words[i]; i++) {
        if (strcmp(device_words[i], kind) != 0) continue;
        machine->device_kind = device_bits[i];
        if (i == 0) machine->device_count = machine->device_bytes = 0;
        return NULL;
    }
    return sino_error(SINO_BAD_INPUT, "%s: device is '%s'; allowed: %s", path, kind,
                      sino_words_join(device_words, ~0u, "or", text));
}

static SinoStatus assign_key(const char *path, const Key *key, const char *text, SinoMachineFile *machine)
{
    char where[512], allowed[SINO_ALLOWED_SIZE];
    int64_t bits; /* of a number of 8 bytes; 0: the machine that it is like does not have it */
    memcpy(&bits, (const char *)machine + key->row.offset, sizeof bits);
    const char *value = text ? text : bits != 0 ? NULL : key->row.fallback;
    SINO_CHECK(!text || key->need != OF_DEVICE || machine->device_kind, SINO_BAD_INPUT,
               "%s: %s is '%s' without devices; allowed: with device: cuda or opencl", path, key->row.name, text);
    const bool needed = key->need == ALWAYS || (key->need == OF_DEVICE && machine->device_kind);
    SINO_CHECK(!needed || text || bits != 0, SINO_BAD_INPUT, "%s has no %s; needed: %s, or like: one of %s", path,
               key->row.name, sino_setting_allowed(&key->row, allowed), sino_machine_presets());
    if (!value) return NULL;
    snprintf(where, sizeof where, "%s: %s", path, key->row.name);
    return sino_setting_assign_member(&key->row, where, value, (char *)machine + key->row.offset);
}

static SinoStatus assign_all(const char *path, char *const *text, SinoMachineFile *machine)
{
    SINO_TRY(begin(path, text[LIKE], machine));
    SINO_TRY(assign_device(path, text[DEVICE], machine));
    for (int i = DEVICE + 1; i < KEY_COUNT; i++) SINO_TRY(assign_key(path, &keys[i], text[i], machine));
    const char *slash = strrchr(path, '/');
    snprintf(machine->name, sizeof machine->name, "%.63s", slash ? slash + 1 : path);
    return assign_name(path, text[NAME], machine);
}

static SinoStatus read_file(const char *where, const char *path, SinoMachineFile *machine)
{
    const char *name[KEY_COUNT];
    char *none[KEY_COUNT] = {NULL}, **text;
    for (int i = 0; i < KEY_COUNT; i++) name[i] = keys[i].row.name;
    const SinoYamlFile file = {
        .path = path, .where = where, .content = "a machine", .count = KEY_COUNT, .key = name, .unknown = unknown_key};
    SINO_TRY(sino_yaml_texts_read(&file, &text));
    SinoMachineFile read;
    SinoStatus status = assign_all(path, text ? text : none, &read);
    sino_yaml_texts_free(KEY_COUNT, text);
    if (!status) *machine = read;
    return status;
}

SinoStatus sino_machine_file_open(const char *where, const char *name, SinoMachineFile *machine)
{
    if (sino_machine_preset(name, machine)) return NULL;
    SINO_CHECK(strchr(name, '.') || strchr(name, '/'), SINO_BAD_INPUT,
               "%s is '%s'; allowed: %s, a file of a machine (docs/MACHINES.md), or a table of `sinodag bench --csv`",
               where, name, sino_machine_presets());
    return read_file(where, name, machine);
}
