/* SPDX-License-Identifier: BSD-3-Clause */
/* Ports of this computer, for tests of streams. */
#pragma once

#include "testing.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

/* A port of 127.0.0.1 that is free now. */
static inline int testing_free_port(void)
{
    struct sockaddr_in place = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t bytes = sizeof place;
    const int found = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(found, (struct sockaddr *)&place, bytes), 0);
    assert_int_equal(getsockname(found, (struct sockaddr *)&place, &bytes), 0);
    close(found);
    return ntohs(place.sin_port);
}
