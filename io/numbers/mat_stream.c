/* SPDX-License-Identifier: BSD-3-Clause */
/* MAT stream: every size is checked against what is there before it is used. */
#include "mat_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"
#include "memory.h"

enum { TAG_BYTES = 8, SMALL_MOST = 4 };

static uint32_t word_of(const SinoMatStream *stream, const unsigned char bytes[4])
{
    uint32_t word;
    memcpy(&word, bytes, sizeof word);
    return stream->swapped ? __builtin_bswap32(word) : word;
}

static SinoStatus damaged(const SinoMatStream *stream, const char *what)
{
    return sino_error(SINO_BAD_INPUT, "%s is damaged: %s, %" PRId64 " bytes into the element before byte %" PRId64,
                      stream->path, what, stream->at, stream->next);
}

/* Gets more compressed bytes. */
static SinoStatus refill(SinoMatStream *stream)
{
    const int64_t more = sino_smaller(SINO_MAT_BLOCK, stream->file_end - stream->file_at);
    if (more == 0) return damaged(stream, "its compressed bytes end early");
    SINO_TRY(sino_regular_read(stream->path, stream->descriptor, stream->file_at, more, stream->block));
    stream->file_at += more;
    stream->inflater.next_in = stream->block;
    stream->inflater.avail_in = (uInt)more;
    return NULL;
}

/* Inflates at most SINO_MAT_BLOCK bytes. */
static SinoStatus inflate_bytes(SinoMatStream *stream, int64_t count, void *bytes)
{
    z_stream *inflater = &stream->inflater;
    inflater->next_out = bytes;
    inflater->avail_out = (uInt)count;
    while (inflater->avail_out > 0) {
        if (inflater->avail_in == 0) SINO_TRY(refill(stream));
        const int code = inflate(inflater, Z_NO_FLUSH);
        stream->complete = code == Z_STREAM_END;
        if ((code != Z_OK && !stream->complete) || (stream->complete && inflater->avail_out > 0))
            return damaged(stream, "its bytes cannot be inflated");
    }
    return NULL;
}

SinoStatus sino_mat_stream_read(SinoMatStream *stream, int64_t count, void *bytes)
{
    if (count > stream->end - stream->at) return damaged(stream, "its parts are larger than it says");
    if (!stream->compressed) {
        SINO_TRY(sino_regular_read(stream->path, stream->descriptor, stream->base + stream->at, count, bytes));
        stream->at += count;
        return NULL;
    }
    for (int64_t done = 0; done < count;) {
        const int64_t piece = sino_smaller(SINO_MAT_BLOCK, count - done);
        SINO_TRY(inflate_bytes(stream, piece, (char *)bytes + done));
        done += piece;
        stream->at += piece;
    }
    return NULL;
}

SinoStatus sino_mat_stream_skip(SinoMatStream *stream, int64_t count)
{
    unsigned char lost[4096];
    if (count > stream->end - stream->at) return damaged(stream, "its parts are larger than it says");
    if (!stream->compressed) {
        stream->at += count;
        return NULL;
    }
    for (int64_t done = 0; done < count;) {
        const int64_t piece = sino_smaller((int64_t)sizeof lost, count - done);
        SINO_TRY(sino_mat_stream_read(stream, piece, lost));
        done += piece;
    }
    return NULL;
}

SinoStatus sino_mat_stream_tag(SinoMatStream *stream, SinoMatTag *tag)
{
    unsigned char bytes[TAG_BYTES];
    SINO_TRY(sino_mat_stream_read(stream, TAG_BYTES, bytes));
    const uint32_t first = word_of(stream, bytes);
    *tag = (SinoMatTag){.type = first & 0xffff, .bytes = first >> 16, .small = first >> 16 != 0};
    memcpy(tag->within, bytes + 4, sizeof tag->within);
    if (tag->small) return tag->bytes <= SMALL_MOST ? NULL : damaged(stream, "a short part has more than 4 bytes");
    tag->type = first;
    tag->bytes = word_of(stream, bytes + 4);
    return tag->bytes <= stream->end - stream->at ? NULL : damaged(stream, "its parts are larger than it says");
}

SinoStatus sino_mat_stream_body(SinoMatStream *stream, const SinoMatTag *tag, int64_t room, void *bytes)
{
    const int64_t wanted = sino_smaller(tag->bytes, room);
    if (tag->small) {
        memcpy(bytes, tag->within, (size_t)wanted);
        return NULL;
    }
    SINO_TRY(sino_mat_stream_read(stream, wanted, bytes));
    const int64_t rest = sino_ceil_multiple(tag->bytes, TAG_BYTES) - wanted;
    return sino_mat_stream_skip(stream, sino_smaller(rest, stream->end - stream->at));
}

int64_t sino_mat_stream_place(const SinoMatStream *stream, const SinoMatTag *tag)
{
    return stream->base + stream->at - (tag->small ? SMALL_MOST : 0);
}

SinoStatus sino_mat_stream_finish(SinoMatStream *stream)
{
    unsigned char none;
    z_stream *inflater = &stream->inflater;
    inflater->next_out = &none;
    inflater->avail_out = 1;
    for (int code = Z_OK; stream->compressed && !stream->complete && code != Z_STREAM_END;) {
        if (inflater->avail_in == 0) SINO_TRY(refill(stream));
        code = inflate(inflater, Z_NO_FLUSH);
        if ((code != Z_OK && code != Z_STREAM_END) || inflater->avail_out == 0)
            return damaged(stream, "its checksum is wrong, or it is longer than it says");
    }
    return NULL;
}

/* Begins to inflate, and reads the tag within. */
static SinoStatus open_compressed(SinoMatStream *stream, int64_t offset)
{
    SINO_TRY(sino_allocate(SINO_MAT_BLOCK, 1, "a compressed element", &stream->block));
    SINO_CHECK(inflateInit(&stream->inflater) == Z_OK, SINO_FAILED, "%s: zlib cannot begin", stream->path);
    stream->compressed = true;
    stream->at = stream->base = 0;
    stream->file_at = offset + TAG_BYTES;
    stream->file_end = stream->next;
    stream->end = TAG_BYTES;
    unsigned char bytes[TAG_BYTES];
    SINO_TRY(sino_mat_stream_read(stream, TAG_BYTES, bytes));
    if (word_of(stream, bytes) != SINO_MAT_MATRIX) return damaged(stream, "no array is compressed in it");
    stream->end = TAG_BYTES + (int64_t)word_of(stream, bytes + 4);
    return NULL;
}

SinoStatus sino_mat_stream_open(const char *path, int descriptor, bool swapped, int64_t offset, int64_t bytes,
                                SinoMatStream *stream)
{
    unsigned char tag[TAG_BYTES];
    *stream =
        (SinoMatStream){.path = path, .descriptor = descriptor, .swapped = swapped, .end = TAG_BYTES, .base = offset};
    SINO_CHECK(bytes - offset >= TAG_BYTES, SINO_BAD_INPUT, "%s is cut: it ends within the element at byte %" PRId64,
               path, offset);
    SINO_TRY(sino_mat_stream_read(stream, TAG_BYTES, tag));
    const uint32_t type = word_of(stream, tag);
    const int64_t size = word_of(stream, tag + 4);
    SINO_CHECK(type == SINO_MAT_MATRIX || type == SINO_MAT_COMPRESSED, SINO_BAD_INPUT,
               "%s is damaged: the element at byte %" PRId64 " has type %" PRIu32
               "; allowed: 14, an array, and 15, a compressed one",
               path, offset, type);
    SINO_CHECK(size <= bytes - offset - TAG_BYTES, SINO_BAD_INPUT,
               "%s is cut: it has %" PRId64 " of the %" PRId64 " bytes of the element at byte %" PRId64, path,
               bytes - offset - TAG_BYTES, size, offset);
    stream->end = TAG_BYTES + size;
    stream->next = offset + TAG_BYTES + size;
    return type == SINO_MAT_MATRIX ? NULL : open_compressed(stream, offset);
}

void sino_mat_stream_close(SinoMatStream *stream)
{
    if (stream->compressed) (void)inflateEnd(&stream->inflater);
    free(stream->block);
    stream->block = NULL;
    stream->compressed = false;
}
