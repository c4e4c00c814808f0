/* SPDX-License-Identifier: BSD-3-Clause */
/* Operator file: layout, writing and mapping. */
#include "operator_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <xxhash.h>

#include "ending.h"
#include "files.h"
#include "memory.h"

enum { FORMAT_VERSION = 1, BYTE_ORDER_MARK = 0x01020304, OTHER_BYTE_ORDER_MARK = 0x04030201, PAGE_BYTES = 4096 };

static const mode_t others_write = S_IWGRP | S_IWOTH;

static const char magic[8] = "sinodagA";

typedef struct Header {
    char magic[8];
    uint32_t byte_order, format_version;
    SinoOperatorKey key;
    int64_t piece_count, total_bytes;
    uint64_t table_checksum;
    uint64_t checksum; /* of the header up to this member */
} Header;

typedef struct Entry {
    int64_t offset; /* in the file, a multiple of PAGE_BYTES */
    int64_t bytes;
    uint64_t checksum;
} Entry;

_Static_assert(sizeof(Header) == 64 && sizeof(Entry) == 24, "the file's format has no padding");

struct SinoOperatorFile {
    uint8_t *memory; /* the mapping */
    int64_t bytes;
    char *path; /* owned */
};

/* Rounds up to whole pages; `bytes` is at most INT64_MAX − PAGE_BYTES. */
static int64_t whole_pages(int64_t bytes)
{
    return (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
}

static int64_t front_bytes(int64_t piece_count)
{
    return whole_pages((int64_t)sizeof(Header) + piece_count * (int64_t)sizeof(Entry));
}

static uint64_t checksum(const void *memory, int64_t bytes)
{
    return XXH3_64bits(memory, (size_t)bytes);
}

static uint64_t header_checksum(const Header *header)
{
    return checksum(header, offsetof(Header, checksum));
}

SinoOperatorKey sino_operator_file_key(const void *text, int64_t bytes)
{
    XXH128_canonical_t digest;
    SinoOperatorKey key;
    XXH128_canonicalFromHash(&digest, XXH3_128bits_withSeed(text, (size_t)bytes, FORMAT_VERSION));
    memcpy(key.digest, digest.digest, sizeof key.digest);
    return key;
}

SinoStatus sino_operator_file_path(const char *directory, const SinoOperatorKey *key, char **path)
{
    char digits[2 * sizeof key->digest + 1];
    for (size_t i = 0; i < sizeof key->digest; i++) snprintf(digits + 2 * i, 3, "%02x", key->digest[i]);
    SINO_CHECK(asprintf(path, "%s/operator-%s.sinodag", directory, digits) >= 0, SINO_FAILED,
               "no memory for a file name");
    return NULL;
}

static SinoStatus refuse(const char *directory, const char *what, int error_number)
{
    return sino_error(SINO_BAD_INPUT,
                      "--operator-cache is '%s', which %s: %s; allowed: a directory that can be written, or a new one "
                      "in one that can",
                      directory, what, strerror(error_number));
}

/* Checks that a missing directory can be created. */
static SinoStatus check_parent(const char *directory)
{
    char *copy = strdup(directory);
    SINO_CHECK(copy, SINO_FAILED, "no memory for a file name");
    const int failure = access(dirname(copy), W_OK | X_OK) == 0 ? 0 : errno;
    free(copy);
    return failure ? refuse(directory, "cannot be made", failure) : NULL;
}

/* Computing with a file that someone else has written would be as dangerous as running their program. */
static SinoStatus check_owner(const char *directory, const struct stat *info)
{
    SINO_CHECK(info->st_uid == geteuid(), SINO_BAD_INPUT,
               "--operator-cache is '%s', which belongs to another user (number %u); allowed: a directory of your own",
               directory, (unsigned)info->st_uid);
    SINO_CHECK(!(info->st_mode & others_write), SINO_BAD_INPUT,
               "--operator-cache is '%s', where others may write (mode %04o); allowed: a directory where only you may: "
               "chmod go-w '%s'",
               directory, info->st_mode & 07777, directory);
    return NULL;
}

SinoStatus sino_operator_file_check(const char *directory)
{
    struct stat info;
    if (stat(directory, &info) != 0)
        return errno == ENOENT ? check_parent(directory) : refuse(directory, "cannot be made", errno);
    if (!S_ISDIR(info.st_mode)) return refuse(directory, "cannot be used", ENOTDIR);
    if (access(directory, R_OK | W_OK | X_OK) != 0) return refuse(directory, "cannot be used", errno);
    return check_owner(directory, &info);
}

struct SinoOperatorWriter {
    SinoOutputFile *file;
    SinoOperatorKey key;
    int64_t piece_count, written; /* pieces */
    int64_t end;                  /* of the file so far */
    Entry *entry;                 /* [piece_count]; owned */
};

/* Creates the directory of the path. A failure is ignored here: opening the file then fails and gives the reason. */
static void make_directory_of(const char *path)
{
    char *copy = strdup(path);
    if (copy) (void)mkdir(dirname(copy), 0777 & ~others_write);
    free(copy);
}

/* The space is reserved first, so that a disk that is too small fails early. */
static SinoStatus begin(const char *path, int64_t bytes, SinoOperatorWriter *writer)
{
    SINO_TRY(
        sino_allocate(writer->piece_count, sizeof *writer->entry, "the table of an operator file", &writer->entry));
    make_directory_of(path);
    SINO_TRY(sino_output_open(path, true, &writer->file));
    SINO_TRY(sino_output_protect(writer->file));
    return sino_output_reserve(writer->file, writer->end + bytes);
}

SinoStatus sino_operator_writer_new(const char *path, const SinoOperatorKey *key, int64_t piece_count, int64_t bytes,
                                    SinoOperatorWriter **result)
{
    SinoOperatorWriter *writer = NULL;
    SINO_TRY(sino_allocate(1, sizeof *writer, "an operator file", &writer));
    *writer = (SinoOperatorWriter){.key = *key, .piece_count = piece_count, .end = front_bytes(piece_count)};
    SINO_GIVE(begin(path, bytes, writer), writer, sino_operator_writer_discard, result);
}

SinoStatus sino_operator_writer_append(SinoOperatorWriter *writer, const SinoOperatorPiece *piece)
{
    Entry *entry = &writer->entry[writer->written++];
    *entry = (Entry){.offset = writer->end, .bytes = piece->bytes, .checksum = checksum(piece->memory, piece->bytes)};
    sino_output_write(writer->file, entry->offset, piece->memory, (size_t)piece->bytes);
    writer->end = whole_pages(writer->end + piece->bytes);
    return sino_output_status(writer->file);
}

/* Table and header come last. */
SinoStatus sino_operator_writer_end(SinoOperatorWriter *writer)
{
    const int64_t table_bytes = writer->piece_count * (int64_t)sizeof *writer->entry;
    Header header = {.byte_order = BYTE_ORDER_MARK,
                     .format_version = FORMAT_VERSION,
                     .key = writer->key,
                     .piece_count = writer->piece_count,
                     .total_bytes = writer->end,
                     .table_checksum = checksum(writer->entry, table_bytes)};
    memcpy(header.magic, magic, sizeof magic);
    header.checksum = header_checksum(&header);
    sino_output_resize(writer->file, writer->end);
    sino_output_write(writer->file, sizeof header, writer->entry, (size_t)table_bytes);
    sino_output_write(writer->file, 0, &header, sizeof header);
    SinoStatus status = sino_output_status(writer->file);
    if (!status) {
        status = sino_output_seal(writer->file);
        writer->file = NULL;
    }
    sino_operator_writer_discard(writer);
    return status;
}

void sino_operator_writer_discard(SinoOperatorWriter *writer)
{
    if (!writer) return;
    if (writer->file) sino_output_discard(writer->file);
    free(writer->entry);
    free(writer);
}

SinoStatus sino_operator_file_write(const char *path, const SinoOperatorKey *key, int64_t piece_count,
                                    const SinoOperatorPiece *piece)
{
    SinoOperatorWriter *writer = NULL;
    SinoStatus status = NULL;
    int64_t bytes = 0;
    for (int64_t i = 0; i < piece_count; i++) bytes += whole_pages(piece[i].bytes);
    SINO_TRY(sino_operator_writer_new(path, key, piece_count, bytes, &writer));
    for (int64_t i = 0; i < piece_count && !status; i++) status = sino_operator_writer_append(writer, &piece[i]);
    if (!status) return sino_operator_writer_end(writer);
    sino_operator_writer_discard(writer);
    return status;
}

static const Header *header_of(const SinoOperatorFile *file)
{
    return (const Header *)file->memory;
}

static const Entry *table_of(const SinoOperatorFile *file)
{
    return (const Entry *)(file->memory + sizeof(Header));
}

/* Checks byte order and format version first, because they decide whether the rest of the header is readable. */
static SinoStatus check_header(const SinoOperatorFile *file, const char *path, const SinoOperatorKey *key)
{
    const Header *header = header_of(file);
    SINO_CHECK(memcmp(header->magic, magic, sizeof magic) == 0, SINO_BAD_INPUT, "%s is no operator file", path);
    SINO_CHECK(header->byte_order != OTHER_BYTE_ORDER_MARK, SINO_BAD_INPUT,
               "%s was written by a machine of another byte order", path);
    SINO_CHECK(header->byte_order == BYTE_ORDER_MARK, SINO_BAD_INPUT, "%s is damaged: it has no byte order", path);
    SINO_CHECK(header->format_version == FORMAT_VERSION, SINO_BAD_INPUT,
               "%s is an operator file of version %" PRIu32 "; this program reads version %d", path,
               header->format_version, FORMAT_VERSION);
    SINO_CHECK(header->checksum == header_checksum(header), SINO_BAD_INPUT,
               "%s is damaged: wrong checksum of its header", path);
    SINO_CHECK(memcmp(&header->key, key, sizeof *key) == 0, SINO_BAD_INPUT, "%s holds another operator", path);
    SINO_CHECK(header->total_bytes == file->bytes, SINO_BAD_INPUT,
               "%s is damaged: it has %" PRId64 " bytes of %" PRId64, path, file->bytes, header->total_bytes);
    return NULL;
}

/* Whether the pieces follow each other from page to page up to the end of the file. No sum overflows, because every
 * offset is checked to be below the file size, which is a number of whole pages. */
static bool fits(const SinoOperatorFile *file)
{
    const int64_t count = header_of(file)->piece_count;
    const Entry *entry = table_of(file);
    int64_t end = front_bytes(count);
    for (int64_t i = 0; i < count; i++) {
        if (entry[i].offset != end || entry[i].bytes < 0 || entry[i].bytes > file->bytes - end) return false;
        end = whole_pages(end + entry[i].bytes);
    }
    return end == file->bytes;
}

static SinoStatus check_table(const SinoOperatorFile *file, const char *path)
{
    const int64_t count = header_of(file)->piece_count, entry_bytes = sizeof(Entry);
    SINO_CHECK(file->bytes % PAGE_BYTES == 0 && count >= 0 &&
                   count <= (file->bytes - (int64_t)sizeof(Header)) / entry_bytes &&
                   header_of(file)->table_checksum == checksum(table_of(file), count * entry_bytes),
               SINO_BAD_INPUT, "%s is damaged: wrong checksum of its table", path);
    SINO_CHECK(fits(file), SINO_BAD_INPUT, "%s is damaged: its table does not fit the file", path);
    return NULL;
}

static SinoStatus map(const char *path, int descriptor, SinoOperatorFile *file)
{
    struct stat info;
    SINO_CHECK(fstat(descriptor, &info) == 0, SINO_BAD_INPUT, "%s cannot be read: %s", path, strerror(errno));
    SINO_CHECK(S_ISREG(info.st_mode), SINO_BAD_INPUT, "%s is not a regular file", path);
    SINO_CHECK(info.st_uid == geteuid(), SINO_BAD_INPUT, "%s belongs to another user, who may have changed it", path);
    SINO_CHECK(!(info.st_mode & others_write), SINO_BAD_INPUT,
               "%s may have been changed by others (mode %04o); `chmod go-w` on files that you trust", path,
               info.st_mode & 07777);
    SINO_CHECK(info.st_size >= (int64_t)sizeof(Header), SINO_BAD_INPUT, "%s is damaged: it has %" PRId64 " bytes", path,
               (int64_t)info.st_size);
    file->path = strdup(path);
    SINO_CHECK(file->path, SINO_FAILED, "no memory for a file name");
    void *memory = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    SINO_CHECK(memory != MAP_FAILED, errno == ENOMEM ? SINO_FAILED : SINO_BAD_INPUT, "%s cannot be mapped: %s", path,
               strerror(errno));
    file->memory = memory;
    file->bytes = info.st_size;
    sino_last_words_mapped(memory, file->bytes, file->path);
    return NULL;
}

SinoStatus sino_operator_file_open(const char *path, const SinoOperatorKey *key, SinoOperatorFile **result)
{
    SinoOperatorFile *file = NULL;
    SinoStatus status = NULL;
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* does not block on a FIFO */
    if (descriptor < 0 && errno == ENOENT) {
        *result = NULL;
        return NULL;
    }
    SINO_CHECK(descriptor >= 0, SINO_BAD_INPUT, "%s cannot be read: %s", path, strerror(errno));
    SINO_TRY_OR(status, end, sino_allocate(1, sizeof *file, "an operator file", &file));
    SINO_TRY_OR(status, end, map(path, descriptor, file));
    SINO_TRY_OR(status, end, check_header(file, path, key));
    SINO_TRY_OR(status, end, check_table(file, path));
    *result = file;
    file = NULL;
end:
    close(descriptor);
    sino_operator_file_close(file);
    return status;
}

int64_t sino_operator_file_piece_count(const SinoOperatorFile *file)
{
    return header_of(file)->piece_count;
}

SinoOperatorPiece sino_operator_file_piece(const SinoOperatorFile *file, int64_t i)
{
    const Entry *entry = &table_of(file)[i];
    return (SinoOperatorPiece){.memory = file->memory + entry->offset, .bytes = entry->bytes};
}

SinoStatus sino_operator_file_verify(const SinoOperatorFile *file, int64_t i)
{
    const SinoOperatorPiece piece = sino_operator_file_piece(file, i);
    SINO_CHECK(table_of(file)[i].checksum == checksum(piece.memory, piece.bytes), SINO_BAD_INPUT,
               "is damaged: wrong checksum of piece %" PRId64, i);
    return NULL;
}

void sino_operator_file_close(SinoOperatorFile *file)
{
    if (!file) return;
    if (file->memory) {
        sino_last_words_unmapped(file->memory);
        munmap(file->memory, (size_t)file->bytes);
    }
    free(file->path);
    free(file);
}
