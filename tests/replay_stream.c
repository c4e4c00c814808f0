/* SPDX-License-Identifier: BSD-3-Clause */
/* Replay stream: messages by TCP. */
#include "replay_stream.h"

#include <inttypes.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void need(bool fine, const char *what)
{
    if (fine) return;
    perror(what);
    exit(1);
}

static void send_bytes(const ReplayStream *stream, const void *bytes, size_t count)
{
    for (const char *at = bytes; count > 0;) {
        const ssize_t sent = send(stream->socket, at, count, MSG_NOSIGNAL);
        need(sent > 0, "replay_scan: the receiver has gone");
        at += sent;
        count -= (size_t)sent;
    }
}

static void send_message(const ReplayStream *stream, const char *header, const void *values, size_t bytes)
{
    const uint64_t count[] = {strlen(header), bytes}; /* on a little-endian machine */
    send_bytes(stream, count, sizeof count);
    send_bytes(stream, header, strlen(header));
    send_bytes(stream, values, bytes);
}

void replay_stream_open(const char *port, ReplayStream *stream)
{
    const struct sockaddr_in place = {.sin_family = AF_INET,
                                      .sin_port = htons((uint16_t)strtoul(port, NULL, 10)),
                                      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int failed = -1;
    for (int i = 0; i < 1500 && failed; i++) { /* until the receiver listens */
        stream->socket = socket(AF_INET, SOCK_STREAM, 0);
        failed = connect(stream->socket, (const struct sockaddr *)&place, sizeof place);
        if (failed) close(stream->socket);
        if (failed) (void)usleep(10000);
    }
    need(!failed, "replay_scan: nobody listens");
}

void replay_stream_begin(const ReplayStream *stream, int64_t projections, bool is_float, int64_t flats, int64_t darks,
                         const double *angle)
{
    char header[256];
    snprintf(header, sizeof header,
             "{\"htype\": \"header\", \"shape\": [%" PRId64 ", %" PRId64 ", %" PRId64
             "], \"type\": \"%s\", \"flats\": %" PRId64 ", \"darks\": %" PRId64 "}",
             projections, stream->rows, stream->columns, is_float ? "float32" : "uint16", flats, darks);
    send_message(stream, header, angle, (size_t)projections * sizeof *angle);
}

void replay_stream_send(const ReplayStream *stream, const char *htype, int64_t frame, bool is_float, const void *pixels)
{
    char header[256];
    snprintf(header, sizeof header,
             "{\"htype\": \"%s\", \"frame\": %" PRId64 ", \"shape\": [%" PRId64 ", %" PRId64
             "], \"type\": \"%s\", \"compression\": \"none\", \"msg_number\": %" PRId64 "}",
             htype, frame, stream->rows, stream->columns, is_float ? "float32" : "uint16", frame);
    send_message(stream, header, pixels, (size_t)(stream->rows * stream->columns) * (is_float ? 4 : 2));
}

void replay_stream_send_bad(const ReplayStream *stream)
{
    static const char *const formats[] = {
        "{\"htype\": \"image\", \"frame\": 39, \"shape\": [%" PRId64 ", %" PRId64 "], \"type\": \"uint16\"}", /* cut */
        "{\"htype\": \"image\", \"frame\": 39, \"shape\": [%" PRId64 ", %" PRId64 "], \"type\": \"uint16\"",
        "{\"htype\": \"picture\", \"frame\": 39, \"shape\": [%" PRId64 ", %" PRId64 "], \"type\": \"uint16\"}",
        "{\"htype\": \"image\", \"frame\": 99999, \"shape\": [%" PRId64 ", %" PRId64 "], \"type\": \"uint16\"}",
        "{\"htype\": \"image\", \"frame\": -1, \"shape\": [%" PRId64 ", %" PRId64 "], \"type\": \"uint16\"}",
        "{\"htype\": \"image\", \"frame\": 0, \"shape\": [%" PRId64 ", %" PRId64 "], \"type\": \"uint16\"}",
        "{\"htype\": \"image\", \"frame\": 39, \"shape\": [1%" PRId64 ", %" PRId64 "], \"type\": \"uint16\"}",
        "{\"htype\": \"image\", \"frame\": 39, \"shape\": [%" PRId64 ", %" PRId64 "], \"type\": \"int16\"}",
        "{\"htype\": \"image\", \"frame\": 39, \"shape\": [%" PRId64 ", %" PRId64 "], \"type\": \"uint8\"}",
    };
    const size_t bytes = (size_t)(stream->rows * stream->columns) * 2;
    void *pixels = calloc(1, bytes);
    char header[256];
    need(pixels, "replay_scan: no memory");
    send_message(stream, "", "", 0);
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        snprintf(header, sizeof header, formats[i], stream->rows, stream->columns);
        send_message(stream, header, pixels, i == 0 ? bytes - 1 : bytes);
    }
    free(pixels);
}

void replay_stream_end(const ReplayStream *stream)
{
    send_message(stream, "{\"htype\": \"series_end\"}", "", 0);
    need(close(stream->socket) == 0, "replay_scan: the connection");
}
