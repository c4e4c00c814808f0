/* SPDX-License-Identifier: BSD-3-Clause */
/* Replay stream: what replay_scan sends to a run that follows a stream (docs/INPUT.md). A failure ends the program. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef struct ReplayStream {
    int socket;
    int64_t rows, columns;
} ReplayStream;

/* Waits until a run listens to the port of this computer. */
void replay_stream_open(const char *port, ReplayStream *stream);

/* The first message; angles in degrees. */
void replay_stream_begin(const ReplayStream *stream, int64_t projections, bool is_float, int64_t flats, int64_t darks,
                         const double *angle);

/* htype: "image", "flat" or "dark". Pixels are uint16 or float32. */
void replay_stream_send(const ReplayStream *stream, const char *htype, int64_t frame, bool is_float,
                        const void *pixels);

/* Ten messages that no receiver takes, when image 0 of uint16 has been sent, and no image 39. */
void replay_stream_send_bad(const ReplayStream *stream);

/* The last message. */
void replay_stream_end(const ReplayStream *stream);
