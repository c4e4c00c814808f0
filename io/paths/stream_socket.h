/* SPDX-License-Identifier: BSD-3-Clause */
/* Stream socket: listens at an address of this computer for a program that sends messages by TCP, one program at a
 * time: a new one is heard once the last one has gone, or while that has sent nothing. A message is
 *
 *     bytes of the header, bytes of the values    two unsigned integers of 64 bits, little-endian
 *     header, values
 *
 * One message is in memory; while it is not received, the sender waits. */
#pragma once

#include "status.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct SinoStreamSocket SinoStreamSocket;

/* Both texts live until the next call. */
typedef struct SinoStreamMessage {
    bool came;
    const char *header, *values;
    int64_t header_bytes, value_bytes;
} SinoStreamMessage;

/* Whether the name of a scan is the address of a stream: tcp://HOST:PORT. Without a host it is 127.0.0.1, so that other
 * computers reach no address that does not say so. */
bool sino_stream_named(const char *path);          /* false of NULL */
SinoStatus sino_stream_check(const char *address); /* SINO_BAD_INPUT: it lacks a host or a port */

/* SINO_BAD_INPUT: no such address, or another program listens there. SINO_FAILED: no memory. */
SinoStatus sino_stream_socket_open(const char *address, SinoStreamSocket **opened);

/* Waits a moment for a sender and its next message. SINO_BAD_INPUT: a message that is too long, or ends early; the
 * connection is closed, and another one may come. SINO_FAILED: an error of the system. */
SinoStatus sino_stream_socket_receive(SinoStreamSocket *socket, SinoStreamMessage *message);

/* Whether a sender is connected. */
bool sino_stream_socket_connected(const SinoStreamSocket *socket);

void sino_stream_socket_close(SinoStreamSocket *socket); /* takes NULL */
