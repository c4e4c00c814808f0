/* SPDX-License-Identifier: BSD-3-Clause */
/* Stream socket: reads what has come of a message, without waiting for the rest. */
#include "stream_socket.h"

#include <errno.h>
#include <inttypes.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "memory.h"

enum { WAIT_MS = 50, PREFIX_BYTES = 16, HEADER_BYTES_MAX = 1 << 16, VALUE_BYTES_MAX = 1 << 30 };

static const char scheme[] = "tcp://";

/* A part of a message, as far as it has come. */
typedef struct Part {
    char *bytes; /* owned */
    int64_t count, come, room;
} Part;

struct SinoStreamSocket {
    int listener, link; /* < 0: none */
    bool heard;         /* the sender of the link has sent something */
    Part prefix, header, values;
};

bool sino_stream_named(const char *path)
{
    return path && strncmp(path, scheme, sizeof scheme - 1) == 0;
}

bool sino_stream_socket_connected(const SinoStreamSocket *socket)
{
    return socket->link >= 0;
}

/* Takes HOST:PORT, [HOST]:PORT or :PORT apart. */
static SinoStatus split_address(const char *address, char host[NI_MAXHOST], char port[NI_MAXSERV])
{
    const char *at = address + sizeof scheme - 1, *colon = strrchr(at, ':');
    char *end = NULL;
    const long number = colon ? strtol(colon + 1, &end, 10) : 0;
    SINO_CHECK(colon && colon - at < NI_MAXHOST && number > 0 && number < 65536 && *end == '\0', SINO_BAD_INPUT,
               "'%s' is no address of a stream; allowed: tcp://HOST:PORT with a port of 1 to 65535", address);
    const bool brackets = *at == '[' && colon[-1] == ']';
    const int length = (int)(colon - at) - 2 * brackets;
    snprintf(host, NI_MAXHOST, "%.*s", length, length > 0 ? at + brackets : "");
    if (length <= 0) snprintf(host, NI_MAXHOST, "127.0.0.1");
    snprintf(port, NI_MAXSERV, "%ld", number);
    return NULL;
}

SinoStatus sino_stream_check(const char *address)
{
    char host[NI_MAXHOST], port[NI_MAXSERV];
    return split_address(address, host, port);
}

static SinoStatus listen_at(const char *address, const struct addrinfo *place, int *listener)
{
    static const int yes = 1;
    *listener = socket(place->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    SINO_CHECK(*listener >= 0, SINO_FAILED, "%s: no socket: %s", address, strerror(errno));
    (void)setsockopt(*listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes); /* of a run that has just ended */
    SINO_CHECK(bind(*listener, place->ai_addr, place->ai_addrlen) == 0 && listen(*listener, 1) == 0, SINO_BAD_INPUT,
               "'%s' cannot be listened to: %s; allowed: an address of this computer and a port that is free", address,
               strerror(errno));
    return NULL;
}

static SinoStatus begin(const char *address, SinoStreamSocket *made)
{
    static const struct addrinfo wanted = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE};
    char host[NI_MAXHOST], port[NI_MAXSERV];
    struct addrinfo *place = NULL;
    SINO_TRY(split_address(address, host, port));
    SINO_TRY(sino_allocate(PREFIX_BYTES, 1, "a message", &made->prefix.bytes));
    made->prefix.count = made->prefix.room = PREFIX_BYTES;
    const int failed = getaddrinfo(host, port, &wanted, &place);
    SINO_CHECK(failed == 0, SINO_BAD_INPUT, "'%s' is no address of a stream: %s; allowed: tcp://HOST:PORT", address,
               gai_strerror(failed));
    SinoStatus status = listen_at(address, place, &made->listener);
    freeaddrinfo(place);
    return status;
}

SinoStatus sino_stream_socket_open(const char *address, SinoStreamSocket **opened)
{
    SinoStreamSocket *made;
    SINO_TRY(sino_allocate(1, sizeof *made, "a socket", &made));
    made->listener = made->link = -1;
    SINO_GIVE(begin(address, made), made, sino_stream_socket_close, opened);
}

static void begin_message(SinoStreamSocket *socket)
{
    socket->prefix.come = socket->header.come = socket->values.come = 0;
    socket->header.count = socket->values.count = 0;
}

/* The sender has gone, or is sent away. */
static void end_link(SinoStreamSocket *socket)
{
    close(socket->link);
    socket->link = -1;
    socket->heard = false;
    begin_message(socket);
}

static SinoStatus make_room(Part *part, const unsigned char *prefix, const char *what, uint64_t most)
{
    uint64_t count = 0;
    for (int i = 7; i >= 0; i--) count = count << 8 | prefix[i];
    SINO_CHECK(count <= most, SINO_BAD_INPUT, "its %s has %" PRIu64 " bytes; allowed: %" PRIu64, what, count, most);
    part->count = (int64_t)count;
    if (part->count <= part->room) return NULL;
    free(part->bytes);
    part->room = 0;
    SINO_TRY(sino_allocate(part->count, 1, "a message", &part->bytes));
    part->room = part->count;
    return NULL;
}

/* Reads what has come of a part; *whole: all of it. */
static SinoStatus read_part(SinoStreamSocket *socket, Part *part, bool *whole)
{
    while (part->come < part->count) {
        const ssize_t got = recv(socket->link, part->bytes + part->come, (size_t)(part->count - part->come), 0);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
        if (got <= 0) {
            const bool between = part == &socket->prefix && part->come == 0;
            end_link(socket);
            *whole = false;
            SINO_CHECK(between, SINO_BAD_INPUT, "the connection ended within it");
            return NULL;
        }
        part->come += got;
        socket->heard = true;
    }
    *whole = part->come == part->count;
    return NULL;
}

static SinoStatus read_message(SinoStreamSocket *socket, bool *whole)
{
    const bool begins = socket->prefix.come < socket->prefix.count;
    const unsigned char *prefix = (const unsigned char *)socket->prefix.bytes;
    SINO_TRY(read_part(socket, &socket->prefix, whole));
    if (*whole && begins) SINO_TRY(make_room(&socket->header, prefix, "header", HEADER_BYTES_MAX));
    if (*whole && begins) SINO_TRY(make_room(&socket->values, prefix + 8, "array", VALUE_BYTES_MAX));
    if (*whole) SINO_TRY(read_part(socket, &socket->header, whole));
    return *whole ? read_part(socket, &socket->values, whole) : NULL;
}

/* What has come, if anything does in a moment, of the sender that is there, or of a new one while nothing has been
 * heard of it. */
static SinoStatus await(SinoStreamSocket *socket, bool *came)
{
    struct pollfd wanted[] = {{.fd = socket->link, .events = POLLIN}, /* < 0: poll passes over it */
                              {.fd = socket->heard ? -1 : socket->listener, .events = POLLIN}};
    const int ready = poll(wanted, 2, WAIT_MS);
    SINO_CHECK(ready >= 0 || errno == EINTR, SINO_FAILED, "the socket of a stream fails: %s", strerror(errno));
    if (ready > 0 && wanted[0].revents == 0) {
        if (socket->link >= 0) close(socket->link);
        socket->link = accept4(socket->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK); /* < 0: it has gone again */
    }
    *came = ready > 0 && socket->link >= 0;
    return NULL;
}

SinoStatus sino_stream_socket_receive(SinoStreamSocket *socket, SinoStreamMessage *message)
{
    bool whole = false;
    *message = (SinoStreamMessage){.came = false};
    if (socket->values.come == socket->values.count && socket->header.come == socket->header.count &&
        socket->prefix.come == socket->prefix.count)
        begin_message(socket); /* the last one was given away */
    SINO_TRY(await(socket, &whole));
    if (!whole) return NULL;
    SinoStatus status = read_message(socket, &whole);
    if (status && socket->link >= 0) end_link(socket);
    if (status || !whole) return status;
    *message = (SinoStreamMessage){.came = true,
                                   .header = socket->header.bytes,
                                   .values = socket->values.bytes,
                                   .header_bytes = socket->header.count,
                                   .value_bytes = socket->values.count};
    return NULL;
}

void sino_stream_socket_close(SinoStreamSocket *socket)
{
    if (!socket) return;
    if (socket->link >= 0) close(socket->link);
    if (socket->listener >= 0) close(socket->listener);
    free(socket->prefix.bytes);
    free(socket->header.bytes);
    free(socket->values.bytes);
    free(socket);
}
