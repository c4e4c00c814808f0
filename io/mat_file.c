/* SPDX-License-Identifier: BSD-3-Clause */
/* MAT file: the parts of an array are its flags, sizes and name, then its values, each behind a tag. */
#include "mat_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arithmetic.h"
#include "mat_stream.h"
#include "memory.h"
#include "path_kind.h"
#include "regular_file.h"

enum { LIST_BYTES = 400, SPARSE = 5, FIRST_NUMBERS = 6, LAST_NUMBERS = 15, COMPLEX = 0x800 };

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

static const char *const class_names[] = {"of an unknown class",
                                          "cell array",
                                          "structure",
                                          "object",
                                          "text",
                                          "sparse",
                                          "double",
                                          "single",
                                          "int8",
                                          "uint8",
                                          "int16",
                                          "uint16",
                                          "int32",
                                          "uint32",
                                          "int64",
                                          "uint64",
                                          "function"};

bool sino_mat_probe(const void *memory, int64_t bytes)
{
    const unsigned char *byte = memory;
    if (bytes < SINO_MAT_HEAD) return false;
    return memcmp(byte + 124, "\0\1IM", 4) == 0 || memcmp(byte + 124, "\1\0MI", 4) == 0;
}

static SinoStatus read_head(const char *path, int *descriptor, int64_t *bytes, unsigned char head[SINO_MAT_HEAD])
{
    SINO_TRY(sino_regular_open(path, descriptor, bytes));
    return sino_regular_read(path, *descriptor, 0, sino_smaller(*bytes, SINO_MAT_HEAD), head);
}

bool sino_mat_probe_file(const char *path)
{
    unsigned char head[SINO_MAT_HEAD] = {0};
    int descriptor = -1;
    int64_t bytes;
    if (sino_path_kind(path) != SINO_PATH_FILE) return false;
    SinoStatus status = read_head(path, &descriptor, &bytes, head);
    const bool found = !status && sino_mat_probe(head, bytes);
    if (descriptor >= 0) close(descriptor);
    sino_status_free(status);
    return found;
}

static uint32_t word_at(const SinoMatStream *stream, const unsigned char *bytes)
{
    uint32_t word;
    memcpy(&word, bytes, sizeof word);
    return stream->swapped ? __builtin_bswap32(word) : word;
}

static SinoStatus damaged(const SinoMatStream *stream, const char *what)
{
    return sino_error(SINO_BAD_INPUT, "%s is damaged: the variable before byte %" PRId64 " has %s", stream->path,
                      stream->next, what);
}

static SinoStatus take_flags(SinoMatStream *stream, SinoMatVariable *variable)
{
    SinoMatTag tag;
    unsigned char bytes[8];
    SINO_TRY(sino_mat_stream_tag(stream, &tag));
    if (tag.type != SINO_MAT_UINT32 || tag.bytes != 8) return damaged(stream, "no flags");
    SINO_TRY(sino_mat_stream_body(stream, &tag, 8, bytes));
    const uint32_t flags = word_at(stream, bytes), class = flags & 0xff;
    variable->complex = flags & COMPLEX;
    variable->class_name = class < sizeof class_names / sizeof *class_names ? class_names[class] : *class_names;
    variable->class = class == SPARSE                                   ? SINO_MAT_SPARSE_ARRAY
                      : class >= FIRST_NUMBERS && class <= LAST_NUMBERS ? SINO_MAT_NUMBERS
                                                                        : SINO_MAT_OTHER;
    return NULL;
}

/* Arrays of more dimensions than are read are of another class. */
static SinoStatus take_sizes(SinoMatStream *stream, SinoMatVariable *variable)
{
    SinoMatTag tag;
    unsigned char bytes[4 * SINO_NPY_RANK];
    SINO_TRY(sino_mat_stream_tag(stream, &tag));
    if (tag.type != SINO_MAT_INT32 || tag.bytes < 8 || tag.bytes % 4 != 0) return damaged(stream, "no sizes");
    SINO_TRY(sino_mat_stream_body(stream, &tag, (int64_t)sizeof bytes, bytes));
    if (tag.bytes > (int64_t)sizeof bytes) variable->class = SINO_MAT_OTHER;
    variable->rank = (int)sino_smaller(tag.bytes / 4, SINO_NPY_RANK);
    for (int d = 0; d < variable->rank; d++) {
        variable->size[d] = (int32_t)word_at(stream, bytes + 4 * (size_t)d);
        if (variable->size[d] < 0) return damaged(stream, "a size below 0");
    }
    return NULL;
}

static SinoStatus take_name(SinoMatStream *stream, SinoMatVariable *variable)
{
    SinoMatTag tag;
    char name[SINO_MAT_NAME] = "";
    SINO_TRY(sino_mat_stream_tag(stream, &tag));
    if (tag.type != SINO_MAT_INT8 && tag.type != SINO_MAT_UINT8 && tag.type != SINO_MAT_UTF8)
        return damaged(stream, "no name");
    SINO_TRY(sino_mat_stream_body(stream, &tag, SINO_MAT_NAME - 1, name));
    if (tag.bytes < SINO_MAT_NAME) memcpy(variable->name, name, sizeof name);
    return NULL;
}

static SinoStatus take_head(SinoMatStream *stream, SinoMatVariable *variable)
{
    *variable = (SinoMatVariable){.class = SINO_MAT_OTHER};
    SINO_TRY(take_flags(stream, variable));
    SINO_TRY(take_sizes(stream, variable));
    return take_name(stream, variable);
}

static bool set_type(const SinoMatStream *stream, const SinoMatTag *tag, SinoNpy *type)
{
    static const struct {
        SinoMatType type;
        SinoNpyKind kind;
        int64_t bytes;
    } types[] = {{SINO_MAT_INT8, SINO_NPY_INT, 1},     {SINO_MAT_UINT8, SINO_NPY_UINT, 1},
                 {SINO_MAT_INT16, SINO_NPY_INT, 2},    {SINO_MAT_UINT16, SINO_NPY_UINT, 2},
                 {SINO_MAT_INT32, SINO_NPY_INT, 4},    {SINO_MAT_UINT32, SINO_NPY_UINT, 4},
                 {SINO_MAT_SINGLE, SINO_NPY_FLOAT, 4}, {SINO_MAT_DOUBLE, SINO_NPY_FLOAT, 8},
                 {SINO_MAT_INT64, SINO_NPY_INT, 8},    {SINO_MAT_UINT64, SINO_NPY_UINT, 8}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (types[i].type != (SinoMatType)tag->type) continue;
        *type = (SinoNpy){.kind = types[i].kind, .item_bytes = types[i].bytes, .swapped = stream->swapped, .rank = 1};
        return true;
    }
    return false;
}

/* Notes what a part holds, and where. */
static SinoStatus take_part(SinoMatStream *stream, SinoNpy *part, SinoMatTag *tag)
{
    SINO_TRY(sino_mat_stream_tag(stream, tag));
    if (!set_type(stream, tag, part)) return damaged(stream, "values of no known type");
    part->count = part->size[0] = tag->bytes / part->item_bytes;
    part->header_bytes = sino_mat_stream_place(stream, tag);
    return NULL;
}

/* Integers that are stored must be among those of the class, so that no value changes. */
static bool fits_class(const SinoMatVariable *variable)
{
    static const char *const of[] = {"int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", NULL};
    int i = 0;
    while (of[i] && strcmp(of[i], variable->class_name) != 0) i++;
    if (!of[i]) return true; /* double or single */
    const bool sign = i % 2 == 0;
    const int64_t class_bytes = (int64_t)1 << i / 2, bytes = variable->values.item_bytes;
    if (variable->values.kind == SINO_NPY_UINT) return sign ? bytes < class_bytes : bytes <= class_bytes;
    return variable->values.kind == SINO_NPY_INT && sign && bytes <= class_bytes;
}

static SinoStatus take_numbers(SinoMatStream *stream, SinoMatVariable *variable)
{
    SinoMatTag tag;
    int64_t count;
    SINO_TRY(sino_product(variable->rank, variable->size, "values of a MATLAB file", &count));
    SINO_TRY(take_part(stream, &variable->values, &tag));
    if (tag.bytes != sino_times(count, variable->values.item_bytes))
        return damaged(stream, "another number of values than its sizes say");
    return fits_class(variable) ? NULL : damaged(stream, "values that its class does not have");
}

static SinoStatus take_sparse(SinoMatStream *stream, SinoMatVariable *variable)
{
    SinoNpy *const parts[] = {&variable->rows, &variable->ends, &variable->values};
    SinoMatTag tag;
    char none[1];
    for (int i = 0; i < 3; i++) {
        SINO_TRY(take_part(stream, parts[i], &tag));
        if (i < 2 && !sino_npy_is_integer(parts[i])) return damaged(stream, "indices that are no integers");
        if (i < 2) SINO_TRY(sino_mat_stream_body(stream, &tag, 0, none));
    }
    if (variable->rank != 2 || variable->ends.count != variable->size[1] + 1)
        return damaged(stream, "another number of columns than its sizes say");
    return NULL;
}

/* Opens the element at `offset`, and reads what is before its values. The caller closes the stream. */
static SinoStatus open_element(const SinoMatFile *file, int64_t offset, SinoMatStream *stream,
                               SinoMatVariable *variable)
{
    SINO_TRY(sino_mat_stream_open(file->path, file->descriptor, file->swapped, offset, file->bytes, stream));
    return take_head(stream, variable);
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
            if ((name ? strcmp(name, variable.name) == 0 : wanted(&variable)) && found->count++ == 0)
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
    if (name && *name == '/') name++;
    SINO_TRY(look(file, name, wanted, &found));
    const char *list = found.length ? found.list : "nothing";
    SINO_CHECK(!name || found.count > 0, SINO_BAD_INPUT, "%s has no variable %s; it has: %s", file->path, name, list);
    SINO_CHECK(name || found.count == 1, SINO_BAD_INPUT,
               "%s has %s %s; allowed: the name of a variable, as FILE:/NAME or with --dataset; it has: %s", file->path,
               found.count ? "several" : "no", what, list);
    file->offset = found.offset;
    return NULL;
}

/* Reads where the values of the variable are. */
static SinoStatus take_variable(SinoMatFile *file)
{
    SinoMatStream stream;
    SinoMatVariable *variable = &file->variable;
    SinoStatus status = open_element(file, file->offset, &stream, variable);
    if (!status && !variable->complex && variable->class == SINO_MAT_NUMBERS) status = take_numbers(&stream, variable);
    if (!status && !variable->complex && variable->class == SINO_MAT_SPARSE_ARRAY)
        status = take_sparse(&stream, variable);
    file->compressed = stream.compressed;
    sino_mat_stream_close(&stream);
    return status;
}

static SinoStatus open_variable(SinoMatFile *file, const char *name, bool (*wanted)(const SinoMatVariable *),
                                const char *what)
{
    unsigned char head[SINO_MAT_HEAD] = {0};
    SINO_TRY(read_head(file->path, &file->descriptor, &file->bytes, head));
    SINO_CHECK(sino_mat_probe(head, file->bytes), SINO_BAD_INPUT, "%s is no MATLAB file of level 5", file->path);
    const bool little = head[126] == 'I';
    file->swapped = little != (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
    SINO_TRY(find(file, name, wanted, what));
    return take_variable(file);
}

SinoStatus sino_mat_open(const char *path, const char *name, bool (*wanted)(const SinoMatVariable *), const char *what,
                         SinoMatFile **opened)
{
    SinoMatFile *file;
    SINO_TRY(sino_allocate(1, sizeof *file, "a MATLAB file", &file));
    file->path = path;
    file->descriptor = file->unpacked = -1;
    SinoStatus status = open_variable(file, name, wanted, what);
    if (status)
        sino_mat_close(file);
    else
        *opened = file;
    return status;
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

/* A file without a name, which is gone when it is closed. */
static SinoStatus open_nameless(int *descriptor)
{
    const char *place = getenv("TMPDIR");
    char name[4096];
    if (!place || !*place) place = "/tmp";
    *descriptor = open(place, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (*descriptor >= 0) return NULL;
    const int length = snprintf(name, sizeof name, "%s/sinodag-mat-XXXXXX", place);
    *descriptor = length < (int)sizeof name ? mkstemp(name) : -1;
    SINO_CHECK(*descriptor >= 0, SINO_FAILED, "no temporary file in %s: %s; allowed: TMPDIR with another folder", place,
               strerror(errno));
    (void)unlink(name);
    return NULL;
}

static SinoStatus write_all(const char *path, int descriptor, const char *bytes, int64_t count)
{
    while (count > 0) {
        const ssize_t written = write(descriptor, bytes, (size_t)count);
        if (written < 0 && errno == EINTR) continue;
        SINO_CHECK(written > 0, SINO_FAILED,
                   "%s: the temporary file for a compressed variable cannot be written: %s; allowed: TMPDIR with a "
                   "folder that has room",
                   path, strerror(errno));
        bytes += written;
        count -= written;
    }
    return NULL;
}

/* Writes the bytes of a stream behind its tag to byte 8 and on. */
static SinoStatus copy(SinoMatStream *stream, int descriptor, char *block)
{
    SINO_CHECK(lseek(descriptor, stream->at, SEEK_SET) == stream->at, SINO_FAILED, "%s: %s", stream->path,
               strerror(errno));
    while (stream->at < stream->end) {
        const int64_t piece = sino_smaller(SINO_MAT_BLOCK, stream->end - stream->at);
        SINO_TRY(sino_mat_stream_read(stream, piece, block));
        SINO_TRY(write_all(stream->path, descriptor, block, piece));
    }
    return sino_mat_stream_finish(stream);
}

static SinoStatus unpack_to(const SinoMatFile *file, int descriptor)
{
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
    if (file->unpacked < 0) {
        int made;
        SINO_TRY(open_nameless(&made));
        SinoStatus status = unpack_to(file, made);
        if (status) {
            close(made);
            return status;
        }
        file->unpacked = made;
    }
    *descriptor = file->unpacked;
    return NULL;
}
