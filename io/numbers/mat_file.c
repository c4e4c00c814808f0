/* SPDX-License-Identifier: BSD-3-Clause */
/* MAT file: finds a variable, and makes its values readable in any order. */
#include "mat_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files.h"
#include "memory.h"
#include "npy.h"

enum { LIST_BYTES = 400 };

struct SinoMatFile {
    const char *path; /* not owned */
    int descriptor;
    int64_t bytes;
    bool swapped;
    int64_t offset; /* of the variable's element */
    bool compressed;
    int unpacked; /* the inflated variable; < 0: not yet */
    SinoMatVariable variable;
};

/* What a pass over the variables has found. */
typedef struct Found {
    int count;             /* of variables that fit */
    int64_t offset;        /* of the first of them */
    size_t length;         /* of the list */
    char list[LIST_BYTES]; /* of all variables */
} Found;

bool sino_mat_probe(const void *memory, int64_t bytes)
{
    const unsigned char *byte = memory;
    if (bytes < SINO_MAT_HEAD) return false;
    return memcmp(byte + 124, "\0\1IM", 4) == 0 || memcmp(byte + 124, "\1\0MI", 4) == 0;
}

bool sino_mat_probe_file(const char *path)
{
    unsigned char head[SINO_MAT_HEAD];
    return sino_mat_probe(head, sino_regular_head(path, sizeof head, head));
}

/* Opens the element at `offset`, and reads what is before its values. The caller closes the stream. */
static SinoStatus open_element(const SinoMatFile *file, int64_t offset, SinoMatStream *stream,
                               SinoMatVariable *variable)
{
    SINO_TRY(sino_mat_stream_open(file->path, file->descriptor, file->swapped, offset, file->bytes, stream));
    return sino_mat_array_head(stream, variable);
}

/* Appends "NAME (2 × 3 double)" to the list, as far as it fits. */
static void list_variable(const SinoMatVariable *variable, Found *found)
{
    char text[LIST_BYTES];
    size_t length = (size_t)snprintf(text, sizeof text, "%s%s (", found->length ? ", " : "", variable->name);
    for (int d = 0; d < variable->rank && length < sizeof text; d++)
        length +=
            (size_t)snprintf(text + length, sizeof text - length, "%s%" PRId64, d ? " x " : "", variable->size[d]);
    if (length < sizeof text)
        length += (size_t)snprintf(text + length, sizeof text - length, " %s%s)", variable->complex ? "complex " : "",
                                   variable->class_name);
    if (length < sizeof found->list - found->length) memcpy(found->list + found->length, text, length + 1);
    if (length < sizeof found->list - found->length) found->length += length;
}

/* Whether the name is that of the variable, or of a field in it. */
static bool is_named(const char *name, const char *variable)
{
    const size_t length = strcspn(name, "/");
    return strlen(variable) == length && strncmp(name, variable, length) == 0;
}

/* Looks at all variables. */
static SinoStatus look(const SinoMatFile *file, const char *name, bool (*wanted)(const SinoMatVariable *), Found *found)
{
    *found = (Found){.count = 0};
    for (int64_t offset = SINO_MAT_HEAD; offset < file->bytes;) {
        SinoMatStream stream;
        SinoMatVariable variable;
        SinoStatus status = open_element(file, offset, &stream, &variable);
        const int64_t next = stream.next;
        sino_mat_stream_close(&stream);
        if (status) return status;
        if (variable.name[0]) { /* MATLAB's own data have none */
            if ((name ? is_named(name, variable.name) : wanted(&variable)) && found->count++ == 0)
                found->offset = offset;
            list_variable(&variable, found);
        }
        offset = next;
    }
    return NULL;
}

static SinoStatus find(SinoMatFile *file, const char *name, bool (*wanted)(const SinoMatVariable *), const char *what)
{
    Found found;
    SINO_TRY(look(file, name, wanted, &found));
    const char *list = found.length ? found.list : "nothing";
    SINO_CHECK(!name || found.count > 0, SINO_BAD_INPUT, "%s has no variable %s; it has: %s", file->path, name, list);
    SINO_CHECK(name || found.count == 1, SINO_BAD_INPUT,
               "%s has %s %s; allowed: the name of a variable, as FILE:/NAME or with --dataset; it has: %s", file->path,
               found.count ? "several" : "no", what, list);
    file->offset = found.offset;
    return NULL;
}

/* Reads where the values of the variable are, or those of a field in it. */
static SinoStatus take_variable(SinoMatFile *file, const char *name)
{
    SinoMatStream stream;
    SinoMatVariable *variable = &file->variable;
    SinoStatus status = open_element(file, file->offset, &stream, variable);
    for (const char *at = name; !status && at && (at = strchr(at, '/'));)
        status = sino_mat_array_field(&stream, ++at, variable);
    if (!status) status = sino_mat_array_values(&stream, variable);
    file->compressed = stream.compressed;
    sino_mat_stream_close(&stream);
    return status;
}

static SinoStatus open_variable(SinoMatFile *file, const char *name, bool (*wanted)(const SinoMatVariable *),
                                const char *what)
{
    unsigned char head[SINO_MAT_HEAD] = {0};
    SINO_TRY(sino_regular_open(file->path, &file->descriptor, &file->bytes));
    SINO_TRY(sino_regular_read(file->path, file->descriptor, 0, sino_smaller(file->bytes, SINO_MAT_HEAD), head));
    SINO_CHECK(sino_mat_probe(head, file->bytes), SINO_BAD_INPUT, "%s is no MATLAB file of level 5", file->path);
    const bool little = head[126] == 'I';
    file->swapped = little != (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
    if (name && *name == '/') name++;
    SINO_TRY(find(file, name, wanted, what));
    return take_variable(file, name);
}

SinoStatus sino_mat_open(const char *path, const char *name, bool (*wanted)(const SinoMatVariable *), const char *what,
                         SinoMatFile **opened)
{
    SinoMatFile *file;
    SINO_TRY(sino_allocate(1, sizeof *file, "a MATLAB file", &file));
    file->path = path;
    file->descriptor = file->unpacked = -1;
    SINO_GIVE(open_variable(file, name, wanted, what), file, sino_mat_close, opened);
}

void sino_mat_close(SinoMatFile *file)
{
    if (!file) return;
    if (file->descriptor >= 0) close(file->descriptor);
    if (file->unpacked >= 0) close(file->unpacked);
    free(file);
}

const SinoMatVariable *sino_mat_variable(const SinoMatFile *file)
{
    return &file->variable;
}

/* Writes the bytes of a stream behind its tag to byte 8 and on. */
static SinoStatus copy(SinoMatStream *stream, int descriptor, char *block)
{
    SINO_CHECK(lseek(descriptor, stream->at, SEEK_SET) == stream->at, SINO_FAILED, "%s: %s", stream->path,
               strerror(errno));
    while (stream->at < stream->end) {
        const int64_t piece = sino_smaller(SINO_MAT_BLOCK, stream->end - stream->at);
        SINO_TRY(sino_mat_stream_read(stream, piece, block));
        SINO_TRY(sino_nameless_write(stream->path, descriptor, block, piece));
    }
    return sino_mat_stream_finish(stream);
}

static SinoStatus unpack(void *owner, int descriptor)
{
    const SinoMatFile *file = owner;
    SinoMatStream stream;
    char *block = NULL;
    SinoStatus status =
        sino_mat_stream_open(file->path, file->descriptor, file->swapped, file->offset, file->bytes, &stream);
    if (!status) status = sino_allocate(SINO_MAT_BLOCK, 1, "a compressed variable", &block);
    if (!status) status = copy(&stream, descriptor, block);
    free(block);
    sino_mat_stream_close(&stream);
    return status;
}

SinoStatus sino_mat_unpack(SinoMatFile *file, int *descriptor)
{
    *descriptor = file->descriptor;
    if (!file->compressed) return NULL;
    if (file->unpacked < 0) SINO_TRY(sino_nameless_new(unpack, file, &file->unpacked));
    *descriptor = file->unpacked;
    return NULL;
}
