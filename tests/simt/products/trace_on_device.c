/* SPDX-License-Identifier: BSD-3-Clause */
/* sino_trace_tiles by the functions of trace_cuda.cu, and by the CPU: the same sizes and bytes. */
#include "trace_on_device.h"

#include "simt_device.h"
#include "testing.h"
#include "trace_sections.h"

#include <inttypes.h>

static void expect(int64_t found, int64_t expected, const char *what)
{
    if (found == expected) return;
    fprintf(stderr, "%s: %" PRId64 " on the device, %" PRId64 " on the CPU\n", what, found, expected);
    abort();
}

static int64_t first_difference(const uint8_t *a, const uint8_t *b, int64_t size)
{
    int64_t at = 0;
    while (at < size && a[at] == b[at]) at++;
    return at;
}

static void compare_sizes(const SinoLayout *layout, int64_t count, const SinoTraceSection *section,
                          const SinoTraceSize *size)
{
    const int64_t bytes = (count + 1) * (int64_t)sizeof *size;
    SinoTraceSize *expected = malloc((size_t)bytes);
    if (!expected) abort();
    device_check(sino_trace_measure(layout, count, section, expected));
    expect(first_difference((const void *)size, (const void *)expected, bytes), bytes, "bytes of sizes the same");
    free(expected);
}

/* What a device makes of the tiles; its sizes' last element tells how much. */
static void *trace_on_device(const SinoLayout *layout, int64_t first_tile, int64_t tile_count,
                             const SinoTilePlace *tile, SinoTraceSize *total)
{
    const int64_t count = sino_trace_sections(layout, first_tile, tile_count, tile, NULL);
    const size_t section_bytes = (size_t)count * sizeof(SinoTraceSection);
    const size_t angle_bytes = (size_t)layout->geometry.angle_count * sizeof(SinoTraceAngle);
    SinoTraceSection *section = malloc(section_bytes + 1);
    SinoTraceAngle *angle = malloc(angle_bytes);
    if (!section || !angle) abort();
    sino_trace_sections(layout, first_tile, tile_count, tile, section);
    sino_trace_angles(layout, angle);
    void *of_section = device_lend(section, section_bytes), *of_angle = device_lend(angle, angle_bytes);
    void *of_size = device_memory((size_t)(count + 1) * sizeof(SinoTraceSize));
    device_check(sino_trace_measure_cuda(NULL, layout, of_angle, count, of_section, of_size));
    SinoTraceSize *size = (SinoTraceSize *)(void *)device_copy(of_size, (size_t)(count + 1) * sizeof *size);
    compare_sizes(layout, count, section, size);
    *total = size[count];
    for (int64_t i = 0; i < count; i++) total->nonzero_count += size[i].nonzero_count;
    for (int64_t i = 0; i < count; i++) total->voxel_count += size[i].voxel_count;
    void *bytes = device_memory((size_t)total->offset);
    device_check(sino_trace_fill_cuda(NULL, layout, of_angle, count, of_section, of_size, bytes));
    device_unlend(section, of_section, section_bytes);
    device_unlend(angle, of_angle, angle_bytes);
    device_free(of_size);
    free(section);
    free(angle);
    free(size);
    return bytes;
}

/* On the host a run of a few tiles at a time, another one with each call: fibers take long. */
enum {
#ifdef SINO_SIMT_HOST
    TILES_MAX = 9 / TESTING_STEP
#else
    TILES_MAX = INT32_MAX
#endif
};

static void compare(const SinoLayout *layout, int64_t first_tile, int64_t tile_count, const SinoTilePlace *tile,
                    const SinoTrace *trace)
{
    SinoTraceSize total;
    void *bytes = trace_on_device(layout, first_tile, tile_count, tile, &total);
    expect(total.offset, trace->size, "bytes of sections");
    expect(total.nonzero_count, trace->stored_nonzero_count, "stored nonzeros");
    expect(total.voxel_count * (int64_t)SINO_GROUP_RAYS, trace->stored_count, "stored lengths");
    unsigned char *copy = device_copy(bytes, (size_t)trace->size);
    expect(first_difference(copy, trace->bytes, trace->size), trace->size, "bytes that are the same");
    free(copy);
    device_free(bytes);
}

SinoStatus trace_tiles_on_device(const SinoLayout *layout, int64_t first_tile, int64_t tile_count,
                                 const SinoTilePlace *tile, SinoTrace *trace)
{
    static int64_t turn = 0;
    if (tile_count <= TILES_MAX) {
        SinoStatus status = sino_trace_tiles(layout, first_tile, tile_count, tile, trace);
        if (!status) compare(layout, first_tile, tile_count, tile, trace);
        return status;
    }
    SinoTrace part = {0};
    const int64_t skipped = turn++ * 7919 % (tile_count - TILES_MAX + 1);
    device_check(sino_trace_tiles(layout, first_tile + skipped, TILES_MAX, tile + skipped, &part));
    compare(layout, first_tile + skipped, TILES_MAX, tile + skipped, &part);
    sino_trace_free(&part);
    return sino_trace_tiles(layout, first_tile, tile_count, tile, trace);
}
