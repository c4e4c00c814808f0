/* SPDX-License-Identifier: BSD-3-Clause */
/* OLE file: streams of a compound file (MS-CFB), by path. A file is a sequence of sectors; the table `next` chains
 * those of a stream. Streams below 4096 bytes lie in small sectors of one stream, that of the root. */
#include "xradia_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "files.h"
#include "memory.h"

enum { HEAD_BYTES = 512, ENTRY_BYTES = 128, DIRECT_TABLES = 109, NAME_BYTES = 32, STORAGE = 1, STREAM = 2, ROOT = 5 };

/* From here on sector numbers have other meanings. */
static const uint32_t last_sector = 0xfffffffa;

typedef struct Entry {
    char name[NAME_BYTES];
    int type;
    uint32_t left, right, child, first;
    int64_t bytes, parent; /* parent −1: it is not reached from the root */
} Entry;

struct SinoOle {
    char *path; /* owned */
    int descriptor;
    int64_t sector_bytes, sector_count, small_bytes, small_limit;
    uint32_t *next; /* [sector_count]; owned */
    int64_t small_count;
    uint32_t *small_next; /* [small_count]; owned */
    int64_t entry_count;
    Entry *entry; /* owned */
};

static uint32_t number(const unsigned char *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static SinoStatus damaged(const SinoOle *ole, const char *what)
{
    return sino_error(SINO_BAD_INPUT, "%s is a damaged OLE file: %s", ole->path, what);
}

/* Whether a file begins as compound files do. */
static bool is_compound(const char *head, int64_t count)
{
    return count >= 8 && memcmp(head, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", 8) == 0;
}

static SinoStatus read_sector(const SinoOle *ole, uint32_t sector, unsigned char *bytes)
{
    if ((int64_t)sector >= ole->sector_count) return damaged(ole, "a sector is beyond its end");
    return sino_regular_read(ole->path, ole->descriptor, ((int64_t)sector + 1) * ole->sector_bytes, ole->sector_bytes,
                             bytes);
}

/* Takes table sector number `table`, whose numbers continue the table. */
static SinoStatus take_table(SinoOle *ole, int64_t table, uint32_t sector, unsigned char *bytes)
{
    const int64_t numbers = ole->sector_bytes / 4, first = table * numbers;
    SINO_TRY(read_sector(ole, sector, bytes));
    for (int64_t i = 0; i < numbers && first + i < ole->sector_count; i++) ole->next[first + i] = number(bytes + 4 * i);
    return NULL;
}

/* The table lies in the sectors that the head names, and then in those that a chain of sectors names. */
static SinoStatus read_tables(SinoOle *ole, const unsigned char *head, unsigned char *bytes, unsigned char *list)
{
    const int64_t tables = number(head + 44), numbers = ole->sector_bytes / 4;
    uint32_t chain = number(head + 68);
    int64_t table = 0;
    if (tables > ole->sector_count) return damaged(ole, "its table is longer than the file");
    for (; table < tables && table < DIRECT_TABLES; table++)
        SINO_TRY(take_table(ole, table, number(head + 76 + 4 * table), bytes));
    while (table < tables) {
        SINO_TRY(read_sector(ole, chain, list));
        for (int64_t i = 0; i + 1 < numbers && table < tables; i++, table++)
            SINO_TRY(take_table(ole, table, number(list + 4 * i), bytes));
        chain = number(list + ole->sector_bytes - 4);
    }
    return NULL;
}

/* Number of sectors of a chain; at most as many as the file has. */
static SinoStatus chain_length(const SinoOle *ole, uint32_t first, int64_t *length)
{
    *length = 0;
    for (uint32_t at = first; at < last_sector; at = ole->next[at]) {
        if ((int64_t)at >= ole->sector_count || *length == ole->sector_count)
            return damaged(ole, "a chain of sectors does not end");
        ++*length;
    }
    return NULL;
}

/* Reads `count` bytes from byte `offset` of a chain of sectors on. */
static SinoStatus read_chain(const SinoOle *ole, uint32_t first, int64_t offset, int64_t count, unsigned char *bytes)
{
    const int64_t size = ole->sector_bytes;
    uint32_t at = first;
    int64_t skip = offset / size, within = offset % size, steps = 0;
    while (count > 0) {
        if ((int64_t)at >= ole->sector_count || steps++ > ole->sector_count)
            return damaged(ole, "a stream is shorter than it says");
        if (skip-- <= 0) {
            const int64_t part = count < size - within ? count : size - within;
            SINO_TRY(sino_regular_read(ole->path, ole->descriptor, ((int64_t)at + 1) * size + within, part, bytes));
            bytes += part;
            count -= part;
            within = 0;
        }
        at = ole->next[at];
    }
    return NULL;
}

/* Names are UTF-16; what is beyond ASCII becomes '?'. */
static void take_entry(const unsigned char *from, bool wide_sizes, Entry *entry)
{
    *entry = (Entry){.type = from[66],
                     .left = number(from + 68),
                     .right = number(from + 72),
                     .child = number(from + 76),
                     .first = number(from + 116),
                     .bytes = (int64_t)number(from + 120),
                     .parent = -1};
    if (wide_sizes) entry->bytes |= (int64_t)(number(from + 124) & 0x7fffffff) << 32;
    for (int64_t i = 0; i + 1 < NAME_BYTES; i++)
        entry->name[i] = from[2 * i + 1] || from[2 * i] > 126 ? '?' : (char)from[2 * i];
}

/* Marks the entries below each storage, whose siblings are a tree, with it. Each is marked once. */
static SinoStatus mark_parents(SinoOle *ole)
{
    int64_t *waiting, count = 0;
    SINO_TRY(sino_allocate(3 * ole->entry_count + 3, sizeof *waiting, "a directory", &waiting));
    ole->entry[0].parent = 0;
    if (ole->entry[0].child < ole->entry_count) waiting[count++] = ole->entry[0].child;
    if (count > 0) ole->entry[waiting[0]].parent = 0;
    while (count > 0) {
        const int64_t at = waiting[--count];
        const Entry *entry = &ole->entry[at];
        const struct {
            uint32_t to;
            int64_t parent;
        } links[] = {{entry->left, entry->parent}, {entry->right, entry->parent}, {entry->child, at}};
        for (int i = 0; i < 3; i++) {
            if ((int64_t)links[i].to >= ole->entry_count || ole->entry[links[i].to].parent >= 0) continue;
            ole->entry[links[i].to].parent = links[i].parent;
            waiting[count++] = links[i].to;
        }
    }
    free(waiting);
    return NULL;
}

/* All bytes of a chain of sectors, whose number is `count`; the caller frees them. */
static SinoStatus read_whole(const SinoOle *ole, uint32_t first, int64_t *count, unsigned char **bytes)
{
    int64_t sectors;
    SINO_TRY(chain_length(ole, first, &sectors));
    *count = sino_times(sectors, ole->sector_bytes);
    SINO_TRY(sino_allocate(*count, 1, "a table", bytes));
    SinoStatus status = read_chain(ole, first, 0, *count, *bytes);
    if (status) free(*bytes);
    return status;
}

static SinoStatus read_directory(SinoOle *ole, uint32_t first)
{
    int64_t count;
    unsigned char *bytes;
    SINO_TRY(read_whole(ole, first, &count, &bytes));
    ole->entry_count = count / ENTRY_BYTES;
    SinoStatus status = sino_allocate(ole->entry_count, sizeof *ole->entry, "a directory", &ole->entry);
    for (int64_t i = 0; i < ole->entry_count && !status; i++)
        take_entry(bytes + i * ENTRY_BYTES, ole->sector_bytes > HEAD_BYTES, &ole->entry[i]);
    free(bytes);
    SINO_TRY(status);
    if (ole->entry_count == 0 || ole->entry[0].type != ROOT) return damaged(ole, "its directory has no root");
    return mark_parents(ole);
}

static SinoStatus read_small_table(SinoOle *ole, uint32_t first)
{
    int64_t count;
    unsigned char *bytes;
    SINO_TRY(read_whole(ole, first, &count, &bytes));
    ole->small_count = count / 4;
    SinoStatus status = sino_allocate(ole->small_count, sizeof *ole->small_next, "a table", &ole->small_next);
    for (int64_t i = 0; i < ole->small_count && !status; i++) ole->small_next[i] = number(bytes + 4 * i);
    free(bytes);
    return status;
}

static SinoStatus read_all(SinoOle *ole, int64_t bytes)
{
    unsigned char head[HEAD_BYTES], *sectors;
    if (bytes < HEAD_BYTES) return damaged(ole, "it is too short");
    SINO_TRY(sino_regular_read(ole->path, ole->descriptor, 0, HEAD_BYTES, head));
    const int shift = head[30] | head[31] << 8, small_shift = head[32] | head[33] << 8;
    if (!is_compound((const char *)head, HEAD_BYTES) || (shift != 9 && shift != 12) || small_shift != 6)
        return damaged(ole, "its sectors have no usual size");
    ole->sector_bytes = (int64_t)1 << shift;
    ole->small_bytes = (int64_t)1 << small_shift;
    ole->small_limit = number(head + 56);
    ole->sector_count = bytes / ole->sector_bytes - 1 + (bytes % ole->sector_bytes != 0);
    if (ole->sector_count < 1) return damaged(ole, "it is too short");
    SINO_TRY(sino_allocate(ole->sector_count, sizeof *ole->next, "a table", &ole->next));
    SINO_TRY(sino_allocate(2 * ole->sector_bytes, 1, "a table", &sectors));
    SinoStatus status = read_tables(ole, head, sectors, sectors + ole->sector_bytes);
    free(sectors);
    if (!status) status = read_directory(ole, number(head + 48));
    return status ? status : read_small_table(ole, number(head + 60));
}

SinoStatus sino_ole_open(const char *path, SinoOle **result)
{
    SinoOle *ole;
    int64_t bytes;
    SINO_TRY(sino_allocate(1, sizeof *ole, "an OLE file", &ole));
    ole->descriptor = -1;
    ole->path = strdup(path);
    SinoStatus status = ole->path ? sino_regular_open(path, &ole->descriptor, &bytes)
                                  : sino_error(SINO_FAILED, "no memory for a file name");
    if (!status) status = read_all(ole, bytes);
    SINO_GIVE(status, ole, sino_ole_close, result);
}

void sino_ole_close(SinoOle *ole)
{
    if (!ole) return;
    if (ole->descriptor >= 0) close(ole->descriptor);
    free(ole->path);
    free(ole->next);
    free(ole->small_next);
    free(ole->entry);
    free(ole);
}

int64_t sino_ole_find(const SinoOle *ole, const char *name)
{
    int64_t parent = 0;
    for (;;) {
        const size_t length = strcspn(name, "/");
        const int type = name[length] ? STORAGE : STREAM;
        int64_t found = -1;
        for (int64_t i = 1; i < ole->entry_count && found < 0; i++) {
            const Entry *entry = &ole->entry[i];
            if (entry->parent == parent && entry->type == type && strlen(entry->name) == length &&
                strncasecmp(entry->name, name, length) == 0)
                found = i;
        }
        if (found < 0 || type == STREAM) return found;
        parent = found;
        name += length + 1;
    }
}

int64_t sino_ole_bytes(const SinoOle *ole, int64_t stream)
{
    return ole->entry[stream].bytes;
}

/* Small sectors lie one after the other in the stream of the root. */
static SinoStatus read_small(const SinoOle *ole, const Entry *entry, int64_t offset, int64_t count,
                             unsigned char *bytes)
{
    uint32_t at = entry->first;
    int64_t skip = offset / ole->small_bytes, within = offset % ole->small_bytes, steps = 0;
    while (count > 0) {
        if ((int64_t)at >= ole->small_count || steps++ > ole->small_count)
            return damaged(ole, "a stream is shorter than it says");
        if (skip-- <= 0) {
            const int64_t part = count < ole->small_bytes - within ? count : ole->small_bytes - within;
            SINO_TRY(read_chain(ole, ole->entry[0].first, sino_times(at, ole->small_bytes) + within, part, bytes));
            bytes += part;
            count -= part;
            within = 0;
        }
        at = ole->small_next[at];
    }
    return NULL;
}

SinoStatus sino_ole_read(const SinoOle *ole, int64_t stream, int64_t offset, int64_t count, void *bytes)
{
    const Entry *entry = &ole->entry[stream];
    SINO_CHECK(offset >= 0 && count >= 0 && offset <= entry->bytes && count <= entry->bytes - offset, SINO_BAD_INPUT,
               "%s: the stream %s has %" PRId64 " bytes; needed: %" PRId64 " from byte %" PRId64 " on", ole->path,
               entry->name, entry->bytes, count, offset);
    if (entry->bytes < ole->small_limit) return read_small(ole, entry, offset, count, bytes);
    return read_chain(ole, entry->first, offset, count, bytes);
}
