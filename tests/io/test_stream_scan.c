/* SPDX-License-Identifier: BSD-3-Clause */
/* Stream scan: messages that come in pieces, in any order, from one connection after another, and those that end it. */
#include <arpa/inet.h>
#include <math.h>
#include <sys/wait.h>
#include <unistd.h>

#include "scan.h"
#include "scan_follow.h"
#include "stream_socket.h"
#include "testing_port.h"

enum { ANGLES = 5, ROWS = 2, COLUMNS = 3, PIXELS = ROWS * COLUMNS };

static const SinoScanGate open_gate;

static int connect_to(int port)
{
    const struct sockaddr_in place = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const int link = socket(AF_INET, SOCK_STREAM, 0);
    int failed = -1;
    for (int i = 0; i < 300 && failed; i++) {
        failed = connect(link, (const struct sockaddr *)&place, sizeof place);
        if (failed) (void)usleep(10000);
    }
    assert_int_equal(failed, 0);
    return link;
}

static void send_bytes(int link, const void *bytes, size_t count)
{
    assert_int_equal(send(link, bytes, count, MSG_NOSIGNAL), count);
}

static void send_message(int link, const char *header, const void *values, size_t bytes)
{
    const uint64_t count[] = {strlen(header), bytes};
    send_bytes(link, count, sizeof count);
    send_bytes(link, header, strlen(header));
    if (bytes > 0) send_bytes(link, values, bytes);
}

/* Until a message, an error, or half a second. */
static SinoStatus receive(SinoStreamSocket *socket, SinoStreamMessage *message)
{
    SinoStatus status = NULL;
    message->came = false;
    for (int i = 0; i < 10 && !status && !message->came; i++) status = sino_stream_socket_receive(socket, message);
    return status;
}

static void messages_come_whole(void **state)
{
    static const unsigned char prefix[16] = {3, [8] = 2}, long_prefix[16] = {0, 0, 2};
    SinoStreamSocket *socket, *other;
    SinoStreamMessage message;
    char address[64];
    const int port = testing_free_port();
    (void)state;
    snprintf(address, sizeof address, "tcp://:%d", port);
    assert_success(sino_stream_socket_open(address, &socket));
    assert_error(sino_stream_socket_open(address, &other), SINO_BAD_INPUT, "tcp://: | cannot be listened to | free");
    assert_false(sino_stream_socket_connected(socket));
    int link = connect_to(port);
    for (int i = 0; i < 16; i++) {
        send_bytes(link, prefix + i, 1);
        assert_success(sino_stream_socket_receive(socket, &message));
        assert_false(message.came);
    }
    assert_true(sino_stream_socket_connected(socket));
    send_bytes(link, "abcxy", 5);
    send_message(link, "", "", 0);
    assert_success(receive(socket, &message));
    assert_int_equal(message.header_bytes, 3);
    assert_memory_equal(message.header, "abc", 3);
    assert_int_equal(message.value_bytes, 2);
    assert_memory_equal(message.values, "xy", 2);
    assert_success(receive(socket, &message));
    assert_true(message.came);
    assert_int_equal(message.header_bytes + message.value_bytes, 0);
    send_bytes(link, prefix, 9);
    close(link);
    assert_error(receive(socket, &message), SINO_BAD_INPUT, "ended within it");
    assert_false(sino_stream_socket_connected(socket));
    link = connect_to(port);
    send_bytes(link, long_prefix, 16);
    assert_error(receive(socket, &message), SINO_BAD_INPUT, "header | 131072 | allowed: 65536");
    close(link);
    link = connect_to(port);
    send_message(link, "again", "", 0);
    assert_success(receive(socket, &message));
    assert_int_equal(message.header_bytes, 5);
    const int next = connect_to(port); /* waits for the sender that was heard */
    send_message(next, "next", "", 0);
    send_message(link, "still", "", 0);
    assert_success(receive(socket, &message));
    assert_int_equal(message.header_bytes, 5);
    close(link);
    assert_success(receive(socket, &message));
    assert_int_equal(message.header_bytes, 4);
    close(next);
    sino_stream_socket_close(socket);
}

/* A program that connects and sends nothing keeps no other one away. */
static void silent_senders_give_way(void **state)
{
    SinoStreamSocket *socket;
    SinoStreamMessage message;
    char address[64];
    const int port = testing_free_port();
    (void)state;
    snprintf(address, sizeof address, "tcp://:%d", port);
    assert_success(sino_stream_socket_open(address, &socket));
    const int silent = connect_to(port);
    assert_success(sino_stream_socket_receive(socket, &message));
    assert_true(sino_stream_socket_connected(socket));
    const int link = connect_to(port);
    send_message(link, "abc", "", 0);
    assert_success(receive(socket, &message));
    assert_true(message.came);
    assert_int_equal(message.header_bytes, 3);
    close(silent);
    close(link);
    sino_stream_socket_close(socket);
}

static void send_image(int link, int frame)
{
    char header[128];
    uint16_t pixels[PIXELS];
    for (int i = 0; i < PIXELS; i++) pixels[i] = (uint16_t)(100 * frame + i);
    snprintf(header, sizeof header, "{\"htype\":\"image\",\"frame\":%d,\"shape\":[2,3],\"type\":\"uint16\"}", frame);
    send_message(link, header, pixels, sizeof pixels);
}

/* Sends a series in an odd order by two connections, in a child. */
static void send_series(int port)
{
    static const double angle[ANGLES] = {0, 30, 60, 90, 120};
    static const float flat[PIXELS] = {1, 2, 3, 4, 5, 6.5F};
    static const int order[] = {1, 0, 1, 3, 4};
    int link = connect_to(port);
    send_image(link, 0); /* of a series before */
    send_message(link, "{\"htype\":\"header\",\"shape\":[5,2,3],\"type\":\"uint16\",\"flats\":1}", angle, sizeof angle);
    send_message(link, "{\"htype\":\"flat\",\"frame\":0,\"shape\":[2,3],\"type\":\"float32\"}", flat, sizeof flat);
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) send_image(link, order[i]);
    close(link);
    link = connect_to(port);
    send_image(link, 2);
    send_message(link, "{\"htype\":\"series_end\"}", "", 0);
    close(link);
}

static void a_series_is_a_scan(void **state)
{
    const SinoScanBox box = {1, 1, 1, 2};
    char address[64];
    SinoScan *scan;
    uint16_t counts[ANGLES * 2];
    float flat[2];
    const int port = testing_free_port();
    (void)state;
    snprintf(address, sizeof address, "tcp://127.0.0.1:%d", port);
    assert_error(sino_scan_open(&(SinoScanRequest){.path = address}, &scan), SINO_BAD_INPUT, "stream | recon --follow");
    const pid_t child = fork();
    if (child == 0) {
        send_series(port);
        _exit(0);
    }
    assert_success(sino_scan_open(&(SinoScanRequest){.path = address, .follow_s = 5}, &scan));
    const SinoScanInfo *info = sino_scan_info(scan);
    assert_int_equal(info->angle_count, ANGLES);
    assert_int_equal(info->flat_count, 1);
    assert_true(fabs(info->angle_rad[3] - 1.5707963267948966) < 1e-15);
    assert_success(sino_scan_await(scan, ANGLES, &open_gate));
    assert_success(sino_scan_read(scan, 0, ANGLES, &box, counts));
    for (int k = 0; k < ANGLES; k++) assert_int_equal(counts[2 * k + 1], 100 * k + 5);
    assert_success(sino_scan_read_flats(scan, &box, flat));
    assert_true(flat[0] == 5 && flat[1] == 6.5F);
    assert_int_equal(sino_scan_arrival(scan).refused, 2);
    assert_non_null(strstr(sino_scan_arrival(scan).refusal,
                           "refused: 2, the first one because it is of a series whose header has not come, the last "
                           "one because it is image 1 again"));
    sino_scan_close(scan);
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_error(sino_scan_open(&(SinoScanRequest){.path = address, .follow_s = 0.1}, &scan), SINO_FAILED,
                 "no series has begun for 0.1 s | no sender");
}

TESTING_SUBJECT(stream_scan)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_come_whole),
        cmocka_unit_test(silent_senders_give_way),
        cmocka_unit_test(a_series_is_a_scan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
