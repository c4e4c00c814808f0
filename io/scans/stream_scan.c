/* SPDX-License-Identifier: BSD-3-Clause */
/* Stream scan: projections that another program sends (stream_header.h), in a file without a name (npy.h) of
 * which they are read like those of another scan. A thread receives them, whatever the run computes meanwhile. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "angle_list.h"
#include "memory.h"
#include "npy.h"
#include "numbers.h"
#include "platform.h"
#include "scan_source.h"
#include "stream_header.h"
#include "stream_socket.h"

enum { FIELD_VALUE_BYTES = 8 /* room in the file for a pixel of a flat or dark field */ };

typedef struct Field {
    SinoNpy type; /* kind, item_bytes and swapped of its values; item_bytes 0: not known yet */
    int64_t count;
    int64_t come, whole; /* frames that are here, and those from the first one on */
    int64_t offset;      /* of frame 0 in the file */
    bool *has;           /* [count]; owned */
} Field;

typedef struct Stream {
    char *address; /* owned */
    SinoStreamSocket *socket;
    int descriptor; /* of the file; < 0: none */
    pthread_t thread;
    bool running;
    pthread_mutex_t mutex; /* of what follows; what the header tells does not change once `begun` is seen */
    bool stop, connected, begun, ended;
    int64_t rows, columns;
    Field field[SINO_SCAN_FIELDS];
    double *angle;   /* [projections], in the unit of the header; owned; NULL: the sender has none */
    double last_s;   /* when a message was taken, or the stream was opened */
    int64_t refused; /* messages */
    char first[SINO_LOOK_REASON], last[SINO_LOOK_REASON]; /* why the first one was, and the last one */
    char failure[SINO_LOOK_REASON];                       /* what has ended the stream */
} Stream;

static int64_t frame_bytes(const Stream *stream, const Field *field)
{
    return sino_times(sino_times(stream->rows, stream->columns), field->type.item_bytes);
}

/* The file has room for all projections, or the stream ends here. */
static SinoStatus take_room(Stream *stream, const SinoStreamHeader *header)
{
    const int64_t pixels = sino_times(header->values.size[1], header->values.size[2]);
    Field *data = &stream->field[SINO_FIELD_DATA];
    int64_t end = sino_times(header->values.count, header->values.item_bytes);
    SINO_CHECK(fallocate(stream->descriptor, 0, 0, end) == 0 || errno == EOPNOTSUPP, SINO_FAILED,
               "no room for the %.3g MB of a stream: %s; allowed: TMPDIR with a folder that has room",
               1e-6 * (double)end, strerror(errno));
    data->type = header->values;
    for (int i = 0; i < SINO_SCAN_FIELDS; i++) {
        Field *field = &stream->field[i];
        field->count = header->fields[i];
        if (i != SINO_FIELD_DATA) field->offset = end;
        if (i != SINO_FIELD_DATA) end += sino_times(sino_times(field->count, pixels), FIELD_VALUE_BYTES);
        SINO_TRY(sino_allocate(field->count, sizeof *field->has, "frames of a stream", &field->has));
    }
    return NULL;
}

static SinoStatus begin_series(Stream *stream, const SinoStreamHeader *header, const SinoStreamMessage *message)
{
    const int64_t angles = header->fields[SINO_FIELD_DATA];
    const SinoScanInfo info = {.angle_count = angles,
                               .row_count = header->values.size[1],
                               .column_count = header->values.size[2],
                               .flat_count = header->fields[SINO_FIELD_FLATS],
                               .dark_count = header->fields[SINO_FIELD_DARKS]};
    SinoNpy type;
    SINO_CHECK(!stream->begun, SINO_FAILED,
               "another series begins, and %" PRId64 " of %" PRId64 " projections of the first one have come",
               stream->field[SINO_FIELD_DATA].come, stream->field[SINO_FIELD_DATA].count);
    SINO_TRY(sino_scan_check_limits("the header", &info));
    (void)sino_stream_type("float64", &type);
    SINO_CHECK(message->value_bytes == 0 || message->value_bytes == angles * (int64_t)sizeof(double), SINO_BAD_INPUT,
               "its angles have %" PRId64 " bytes; allowed: 0, or %" PRId64 " for %" PRId64 " projections",
               message->value_bytes, angles * (int64_t)sizeof(double), angles);
    if (message->value_bytes > 0) {
        SINO_TRY(sino_allocate(angles, sizeof *stream->angle, "angles", &stream->angle));
        sino_npy_doubles(&type, message->values, angles, stream->angle);
    }
    stream->rows = info.row_count;
    stream->columns = info.column_count;
    SINO_TRY(take_room(stream, header));
    stream->begun = true;
    return NULL;
}

static SinoStatus write_frame(Stream *stream, const Field *field, int64_t frame, const char *bytes)
{
    const int64_t count = frame_bytes(stream, field);
    int64_t done = 0;
    while (done < count) {
        const ssize_t written = pwrite(stream->descriptor, bytes + done, (size_t)(count - done),
                                       (off_t)(field->offset + frame * count + done));
        if (written < 0 && errno == EINTR) continue;
        SINO_CHECK(written > 0, SINO_FAILED,
                   "a frame cannot be written to the temporary file: %s; allowed: TMPDIR with a folder that has room",
                   strerror(errno));
        done += written;
    }
    return NULL;
}

static SinoStatus take_frame(Stream *stream, const SinoStreamHeader *header, const SinoStreamMessage *message)
{
    static const char *const names[] = {"image", "flat", "dark"};
    Field *field = &stream->field[header->field];
    const SinoNpy *values = &header->values, *type = field->type.item_bytes > 0 ? &field->type : values;
    const char *name = names[header->field];
    SINO_CHECK(stream->begun, SINO_BAD_INPUT, "it is of a series whose header has not come");
    SINO_CHECK(header->frame < field->count, SINO_BAD_INPUT, "it is %s %" PRId64 " of %" PRId64, name, header->frame,
               field->count);
    SINO_CHECK(!field->has[header->frame], SINO_BAD_INPUT, "it is %s %" PRId64 " again", name, header->frame);
    SINO_CHECK(values->size[0] == stream->rows && values->size[1] == stream->columns, SINO_BAD_INPUT,
               "%s %" PRId64 " has %" PRId64 " rows and %" PRId64 " columns; allowed: %" PRId64 " and %" PRId64, name,
               header->frame, values->size[0], values->size[1], stream->rows, stream->columns);
    SINO_CHECK(values->kind == type->kind && values->item_bytes == type->item_bytes, SINO_BAD_INPUT,
               "%s %" PRId64 " has values of %s; allowed: %s", name, header->frame, values->stored_type,
               type->stored_type);
    SINO_CHECK(message->value_bytes == sino_times(values->count, values->item_bytes), SINO_BAD_INPUT,
               "%s %" PRId64 " has %" PRId64 " bytes; allowed: %" PRId64, name, header->frame, message->value_bytes,
               sino_times(values->count, values->item_bytes));
    if (field->type.item_bytes == 0) field->type = *values;
    SINO_TRY(write_frame(stream, field, header->frame, message->values));
    field->has[header->frame] = true;
    field->come++;
    while (field->whole < field->count && field->has[field->whole]) field->whole++;
    return NULL;
}

/* SINO_BAD_INPUT: the message is refused. SINO_FAILED: the stream ends. */
static SinoStatus take_message(Stream *stream, const SinoStreamMessage *message)
{
    SinoStreamHeader header;
    SINO_TRY(sino_stream_header_parse(message->header, message->header_bytes, &header));
    if (header.kind == SINO_STREAM_SERIES) return begin_series(stream, &header, message);
    if (header.kind == SINO_STREAM_FRAME) return take_frame(stream, &header, message);
    SINO_CHECK(stream->begun, SINO_BAD_INPUT, "it ends a series whose header has not come");
    stream->ended = true;
    return NULL;
}

static void keep_error(Stream *stream, SinoStatus status)
{
    const bool refused = sino_status_exit_code(status) == SINO_BAD_INPUT;
    char *text = !refused ? stream->failure : stream->refused > 0 ? stream->last : stream->first;
    if (status) snprintf(text, SINO_LOOK_REASON, "%s", sino_status_text(status));
    stream->refused += refused;
    sino_status_free(status);
}

static void *receive(void *of)
{
    Stream *stream = of;
    for (bool goes_on = true; goes_on;) {
        SinoStreamMessage message;
        SinoStatus status = sino_stream_socket_receive(stream->socket, &message);
        pthread_mutex_lock(&stream->mutex);
        if (!status && message.came) {
            status = take_message(stream, &message);
            if (!status) stream->last_s = sino_platform_now_s();
        }
        keep_error(stream, status);
        stream->connected = sino_stream_socket_connected(stream->socket);
        goes_on = !stream->stop && !stream->ended && !*stream->failure;
        pthread_mutex_unlock(&stream->mutex);
    }
    return NULL;
}

/* Says why there are no more frames; "": it is not known. `wants`: there are more. */
static const char *tell_why(const Stream *stream, bool wants, char text[SINO_LOOK_REASON])
{
    const bool lonely = wants && !stream->connected && !stream->ended, several = stream->refused > 1;
    const char *const alone = lonely ? "no sender is connected" : "", *const then = lonely ? "; " : "";
    if (stream->refused == 0)
        snprintf(text, SINO_LOOK_REASON, "%s", alone);
    else
        snprintf(text, SINO_LOOK_REASON, "%s%smessages refused: %" PRId64 ", %sbecause %.200s%s%.200s", alone, then,
                 stream->refused, several ? "the first one " : "", stream->first,
                 several ? ", the last one because " : "", stream->last);
    return text;
}

static SinoStatus look_for_fields(Stream *stream, double limit_s, bool *ready)
{
    const Field *flats = &stream->field[SINO_FIELD_FLATS], *darks = &stream->field[SINO_FIELD_DARKS];
    char why[SINO_LOOK_REASON];
    *ready = stream->begun && flats->whole == flats->count && darks->whole == darks->count;
    if (*ready) return NULL;
    (void)tell_why(stream, true, why);
    SINO_CHECK(!*stream->failure, SINO_FAILED, "%s: %s", stream->address, stream->failure);
    const bool late = sino_platform_now_s() - stream->last_s > limit_s;
    SINO_CHECK(stream->begun || !late, SINO_FAILED, "%s: no series has begun for %g s (--follow-timeout)%s%s",
               stream->address, limit_s, *why ? "; " : "", why);
    SINO_CHECK(!late && !stream->ended, SINO_FAILED,
               "%s: %" PRId64 " of %" PRId64 " flat and %" PRId64 " of %" PRId64 " dark fields have come, and %s%s%s",
               stream->address, flats->come, flats->count, darks->come, darks->count,
               stream->ended ? "the series has ended" : "no more within the --follow-timeout", *why ? "; " : "", why);
    return NULL;
}

/* Waits for the header, and all flat and dark fields. */
static SinoStatus await_fields(Stream *stream, double limit_s)
{
    static const struct timespec pause = {.tv_nsec = 10000000L};
    SinoStatus status = NULL;
    for (bool ready = false; !ready && !status;) {
        pthread_mutex_lock(&stream->mutex);
        status = look_for_fields(stream, limit_s, &ready);
        pthread_mutex_unlock(&stream->mutex);
        if (!ready && !status) (void)nanosleep(&pause, NULL);
    }
    return status;
}

static SinoStatus look(void *file, SinoScanLook *found)
{
    Stream *stream = file;
    const Field *data = &stream->field[SINO_FIELD_DATA];
    pthread_mutex_lock(&stream->mutex);
    SinoStatus status = NULL;
    found->frames = data->whole;
    found->refused = stream->refused;
    (void)tell_why(stream, data->whole < data->count, found->reason);
    if (data->whole < data->count && *stream->failure)
        status = sino_error(SINO_FAILED, "%s: %s", stream->address, stream->failure);
    else if (data->whole < data->count && stream->ended)
        status = sino_error(SINO_FAILED,
                            "%s: the series has ended, and %" PRId64 " of %" PRId64 " projections have come%s%s",
                            stream->address, data->come, data->count, *found->reason ? "; " : "", found->reason);
    pthread_mutex_unlock(&stream->mutex);
    return status;
}

static SinoStatus read_frames(void *file, SinoScanField which, int64_t first, int64_t count, const SinoScanBox *box,
                              SinoCountType type, void *counts)
{
    const Stream *stream = file;
    const Field *field = &stream->field[which];
    const SinoNpy *stored = &field->type;
    const bool whole = box->column_count == stream->columns;
    const int64_t lines = whole ? box->row_count : 1, line = sino_times(lines, box->column_count);
    char *to = counts;
    for (int64_t k = first; k < first + count; k++)
        for (int64_t j = 0; j < box->row_count; j += lines, to += line * sino_count_bytes(type)) {
            const int64_t pixel = (box->first_row + j) * stream->columns + box->first_column;
            const int64_t at = field->offset + k * frame_bytes(stream, field) + pixel * stored->item_bytes;
            SINO_TRY(sino_plain_values_read(stream->address, stream->descriptor, at, stored, line, type, to));
        }
    return NULL;
}

static void close_stream(void *file)
{
    Stream *stream = file;
    if (stream->running) {
        pthread_mutex_lock(&stream->mutex);
        stream->stop = true;
        pthread_mutex_unlock(&stream->mutex);
        (void)pthread_join(stream->thread, NULL);
    }
    sino_stream_socket_close(stream->socket);
    if (stream->descriptor >= 0) close(stream->descriptor);
    (void)pthread_mutex_destroy(&stream->mutex);
    for (int i = 0; i < SINO_SCAN_FIELDS; i++) free(stream->field[i].has);
    free(stream->angle);
    free(stream->address);
    free(stream);
}

static const SinoScanSource stream_source = {.read = read_frames, .close = close_stream, .look = look};

/* The angles of the header, unless --theta has them. */
static SinoStatus take_angles(const SinoScanRequest *request, const Stream *stream, SinoScan *scan)
{
    const int64_t count = scan->info.angle_count;
    const double rad = sino_angle_unit_rad(scan->angle_unit, SINO_ANGLE_UNIT_DEGREES);
    if (request->theta) return sino_scan_take_theta(request, scan);
    SINO_CHECK(stream->angle, SINO_BAD_INPUT,
               "the header of %s has no angles; needed: float64 values behind it, or --theta with all angles",
               stream->address);
    SINO_TRY(sino_allocate(count, sizeof *scan->angle_rad, "angles", &scan->angle_rad));
    for (int64_t k = 0; k < count; k++) {
        SINO_CHECK(isfinite(stream->angle[k]), SINO_BAD_INPUT, "%s: angle %" PRId64 " is %f; allowed: finite angles",
                   stream->address, k, stream->angle[k]);
        scan->angle_rad[k] = stream->angle[k] * rad;
    }
    return NULL;
}

static SinoStatus no_bytes(void *owner, int descriptor)
{
    (void)owner;
    (void)descriptor;
    return NULL;
}

static SinoStatus begin(const SinoScanRequest *request, Stream *stream)
{
    stream->address = strdup(request->path);
    SINO_CHECK(stream->address, SINO_FAILED, "no memory for an address");
    stream->last_s = sino_platform_now_s();
    SINO_TRY(sino_stream_socket_open(stream->address, &stream->socket));
    SINO_TRY(sino_nameless_new(no_bytes, NULL, &stream->descriptor));
    stream->running = pthread_create(&stream->thread, NULL, receive, stream) == 0;
    SINO_CHECK(stream->running, SINO_FAILED, "%s: the system gives no thread", stream->address);
    return await_fields(stream, request->follow_s);
}

static SinoStatus open_stream(const SinoScanRequest *request, SinoScan *scan)
{
    SinoScanInfo *info = &scan->info;
    Stream *stream;
    SINO_CHECK(request->follow_s > 0, SINO_BAD_INPUT, "'%s' is a stream of projections; needed: recon --follow",
               request->path);
    SINO_TRY(sino_allocate(1, sizeof *stream, "a stream", &stream));
    stream->descriptor = -1;
    (void)pthread_mutex_init(&stream->mutex, NULL); /* always succeeds */
    scan->data = (SinoScanPart){.source = &stream_source, .file = stream};
    SINO_TRY(begin(request, stream));
    info->type = sino_plain_count_type(&stream->field[SINO_FIELD_DATA].type);
    info->angle_count = stream->field[SINO_FIELD_DATA].count;
    info->row_count = stream->rows;
    info->column_count = stream->columns;
    info->flat_count = stream->field[SINO_FIELD_FLATS].count;
    info->dark_count = stream->field[SINO_FIELD_DARKS].count;
    snprintf(scan->stored_type, sizeof scan->stored_type, "%s", stream->field[SINO_FIELD_DATA].type.stored_type);
    return take_angles(request, stream, scan);
}

static bool probe_stream(const SinoScanRequest *request)
{
    return sino_stream_named(request->path);
}

const SinoScanFormat sino_stream_format = {.name = "a stream of projections",
                                           .evidence = "its address",
                                           .certainty = "certain",
                                           .grows = true,
                                           .probe = probe_stream,
                                           .open = open_stream};
