/* SPDX-License-Identifier: BSD-3-Clause */
/* Trace: exact lengths of rays in voxels (R. L. Siddon, Med. Phys. 12, 252 (1985)), tile by tile, grouped.
 *
 * u runs right from the grid's left edge and v down from its top edge; a ray is u·cosθ − v·sinθ = ρ. It advances along
 * the axis to which it is closer, so that each step of one voxel crosses at most one edge of the other axis. Positions
 * are the grid's, not the tile's: neighbouring tiles compute the same bits, so a ray along their border lies in one of
 * them, never in both or in neither. */
#include "trace.h"

#include "memory.h"
#include "vector.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
    RAY_VOXELS = 2 * SINO_TILE,         /* the most voxels a ray crosses in a tile */
    ANGLE_RAYS = SINO_TILE * 3 / 2 + 3, /* the most rays of one angle that cross a tile: √2·T and rounding */
    BLOCK_RAYS = SINO_GROUP_ANGLES * ANGLE_RAYS
};

/* What one ray crosses in the tile. */
typedef struct Segment {
    double offset; /* signed distance from the tile's center: rays of one group have nearly the same */
    int64_t ray;
    int count;
    uint16_t voxel[RAY_VOXELS];
    double length[RAY_VOXELS];
} Segment;

typedef struct Workspace {
    Segment segment[BLOCK_RAYS];
    Segment *sorted[BLOCK_RAYS];
    int segment_count;
    uint16_t voxel[SINO_TILE_VOXELS]; /* the union of one group's voxels */
    double length[SINO_TILE_VOXELS][SINO_GROUP_RAYS];
    int16_t place[SINO_TILE_VOXELS]; /* of a voxel in the union; −1: not there */
    int voxel_count, nonzero_count;
} Workspace;

/* The part of a tile inside the grid, and where it lies. */
typedef struct Frame {
    double left, top;  /* of the tile's corner in the grid */
    int width, height; /* voxels inside the grid */
} Frame;

static Frame frame_of(const SinoGeometry *geometry, SinoTilePlace tile)
{
    const int64_t left = (int64_t)tile.column * SINO_TILE, top = (int64_t)tile.row * SINO_TILE;
    const int64_t size = geometry->grid_size;
    return (Frame){.left = (double)left,
                   .top = (double)top,
                   .width = (int)(size - left < SINO_TILE ? size - left : SINO_TILE),
                   .height = (int)(size - top < SINO_TILE ? size - top : SINO_TILE)};
}

/* Rays of one angle that can cross the tile: columns first … last, and ρ of column 0. */
typedef struct Fan {
    double cosine, sine, rho0;
    int64_t first, last; /* with one more where rounding leaves it open */
} Fan;

SINO_INLINE double lesser(double a, double b)
{
    return a < b ? a : b;
}

SINO_INLINE double greater(double a, double b)
{
    return a > b ? a : b;
}

static Fan fan_of(const SinoGeometry *geometry, const Frame *frame, int64_t angle)
{
    Fan fan = {.cosine = cos(geometry->angle_rad[angle]), .sine = sin(geometry->angle_rad[angle])};
    const double half = (double)geometry->grid_size / 2;
    fan.rho0 = half * (fan.cosine - fan.sine) - geometry->center;
    const double corner = frame->left * fan.cosine - frame->top * fan.sine;
    const double low = corner + lesser(0, frame->width * fan.cosine) + lesser(0, -frame->height * fan.sine);
    const double high = corner + greater(0, frame->width * fan.cosine) + greater(0, -frame->height * fan.sine);
    const double last_column = (double)(geometry->column_count - 1), rounding = 1e-6;
    fan.first = (int64_t)greater(0, ceil(low - fan.rho0 - rounding));
    fan.last = (int64_t)lesser(last_column, floor(high - fan.rho0 + rounding));
    return fan;
}

/* Lengths below this share of a voxel are rounding, not matter. */
static const double least_length = 1e-10;

/* Without branches: whether a voxel counts is a coin toss to the processor. */
SINO_INLINE int append(Segment *segment, int count, int voxel, double length, int inside)
{
    segment->voxel[count] = (uint16_t)voxel;
    segment->length[count] = length;
    return count + (inside & (length > least_length));
}

/* One axis of the tile: its first voxel in the grid, how many, and how far apart in the tile. */
typedef struct Axis {
    double first;
    int count, stride;
} Axis;

/* The ray's voxels when it advances by `along` and its position across is start + along·slope with |slope| ≤ 1. */
SINO_INLINE void walk(Segment *segment, double start, double slope, Axis along, Axis across)
{
    const double full = sqrt(1 + slope * slope);
    int count = 0;
    double from = start + along.first * slope;
    for (int i = 0; i < along.count; i++) {
        const double to = start + (along.first + (i + 1)) * slope;
        const double least = lesser(from, to), most = greater(from, to);
        const double lower = floor(least), edge = lower + 1;
        /* Share of this step in the lower voxel; all of it when no edge is crossed. */
        const int crossed = most > edge;
        const double share = crossed ? (edge - least) / (most - least) : 1;
        const int place = (int)(lower - across.first), voxel = i * along.stride + place * across.stride;
        const int inside = (unsigned)place < (unsigned)across.count;
        const int next_inside = crossed & ((unsigned)(place + 1) < (unsigned)across.count);
        count = append(segment, count, voxel, share * full, inside);
        count = append(segment, count, voxel + across.stride, (1 - share) * full, next_inside);
        from = to;
    }
    segment->count = count;
}

/* Whether the ray runs along a line of the grid, and which. Decided in the grid's own coordinates, so that all tiles
 * agree; its last bits would put it on one side or the other. */
SINO_INLINE bool on_grid_line(double start, double slope, double size, double *line)
{
    const double rounding = 1e-9, middle = start + slope * size / 2;
    *line = floor(middle + 0.5);
    return fabs(slope) * size < rounding && fabs(middle - *line) < rounding;
}

/* A ray along a grid line belongs half to the voxels on either side. */
SINO_INLINE void walk_line(Segment *segment, double line, Axis along, Axis across)
{
    const int place = (int)(line - across.first);
    int count = 0;
    for (int i = 0; i < along.count; i++)
        for (int side = place - 1; side <= place; side++)
            count = append(segment, count, i * along.stride + side * across.stride, 0.5,
                           (unsigned)side < (unsigned)across.count);
    segment->count = count;
}

SINO_INLINE void trace_ray(Segment *segment, const Frame *frame, const Fan *fan, double size, double rho)
{
    const Axis right = {.first = frame->left, .count = frame->width, .stride = 1};
    const Axis down = {.first = frame->top, .count = frame->height, .stride = SINO_TILE};
    const bool steep = fabs(fan->sine) < fabs(fan->cosine);
    const double start = steep ? rho / fan->cosine : -rho / fan->sine;
    const double slope = steep ? fan->sine / fan->cosine : fan->cosine / fan->sine;
    double line;
    if (on_grid_line(start, slope, size, &line))
        walk_line(segment, line, steep ? down : right, steep ? right : down);
    else if (steep)
        walk(segment, start, slope, down, right);
    else
        walk(segment, start, slope, right, down);
}

SINO_VECTORISED static void trace_angle(const SinoGeometry *geometry, const Frame *frame, int64_t angle,
                                        Workspace *work)
{
    const Fan fan = fan_of(geometry, frame, angle);
    const double half = SINO_TILE / 2.0;
    const double middle = (frame->left + half) * fan.cosine - (frame->top + half) * fan.sine;
    for (int64_t column = fan.first; column <= fan.last; column++) {
        Segment *segment = &work->segment[work->segment_count];
        const double rho = fan.rho0 + (double)column;
        trace_ray(segment, frame, &fan, (double)geometry->grid_size, rho);
        if (segment->count == 0) continue;
        segment->offset = rho - middle;
        segment->ray = angle * geometry->column_count + column;
        work->segment_count++;
    }
}

static bool goes_before(const Segment *a, const Segment *b)
{
    return a->offset != b->offset ? a->offset < b->offset : a->ray < b->ray;
}

enum { BUCKETS = 24 * SINO_TILE };

static int bucket_of(const Segment *segment, double reach)
{
    const int bucket = (int)((segment->offset + reach) * (BUCKETS / (2 * reach)));
    return bucket < 0 ? 0 : bucket >= BUCKETS ? BUCKETS - 1 : bucket;
}

/* Sorts the segments by offset, then ray: into buckets of a sixteenth voxel, then by insertion, since a bucket holds
 * about one of them. */
static void sort_segments(Workspace *work)
{
    const int count = work->segment_count;
    const double reach = 0.75 * SINO_TILE; /* offsets lie within T/√2 of the center */
    int begin[BUCKETS + 1] = {0};
    for (int i = 0; i < count; i++) begin[bucket_of(&work->segment[i], reach) + 1]++;
    for (int b = 0; b < BUCKETS; b++) begin[b + 1] += begin[b];
    for (int i = 0; i < count; i++) work->sorted[begin[bucket_of(&work->segment[i], reach)]++] = &work->segment[i];
    for (int i = 1; i < count; i++) {
        Segment *segment = work->sorted[i];
        int j = i;
        for (; j > 0 && goes_before(segment, work->sorted[j - 1]); j--) work->sorted[j] = work->sorted[j - 1];
        work->sorted[j] = segment;
    }
}

static void unite(Workspace *work, int first, int ray_count)
{
    work->voxel_count = work->nonzero_count = 0;
    for (int r = 0; r < ray_count; r++) {
        const Segment *segment = work->sorted[first + r];
        for (int i = 0; i < segment->count; i++) {
            int16_t *place = &work->place[segment->voxel[i]];
            if (*place < 0) {
                *place = (int16_t)work->voxel_count;
                work->voxel[work->voxel_count] = segment->voxel[i];
                memset(work->length[work->voxel_count++], 0, sizeof work->length[0]);
            }
            work->length[*place][r] = segment->length[i];
        }
        work->nonzero_count += segment->count;
    }
    for (int i = 0; i < work->voxel_count; i++) work->place[work->voxel[i]] = -1;
}

/* Room for `more` bytes. What the estimate at the start gave is nearly always enough. */
static SinoStatus reserve(SinoTrace *trace, int64_t more)
{
    if (trace->size + more <= trace->capacity) return NULL;
    const int64_t capacity = (trace->size + more) + trace->size / 8 + 65536;
    uint8_t *bytes = sino_allocate_large(capacity);
    char text[24];
    SINO_CHECK(bytes, SINO_FAILED, "no memory for traced rays: %s asked for", sino_bytes_text(capacity, text));
    if (trace->bytes) memcpy(bytes, trace->bytes, (size_t)trace->size);
    free(trace->bytes);
    trace->bytes = bytes;
    trace->capacity = capacity;
    return NULL;
}

static void write_lengths(const Workspace *work, SinoPrecision precision, uint8_t *to)
{
    const double *length = work->length[0];
    const int count = work->voxel_count * SINO_GROUP_RAYS;
    if (precision == SINO_DOUBLE) {
        memcpy(to, length, (size_t)count * sizeof(double));
        return;
    }
    for (int i = 0; i < count; i++) {
        const float value = (float)length[i];
        memcpy(to + (size_t)i * sizeof value, &value, sizeof value);
    }
}

static SinoStatus write_group(const Workspace *work, int first, int ray_count, SinoTrace *trace)
{
    const int64_t bytes = sino_group_bytes(work->voxel_count, trace->precision);
    SINO_TRY(reserve(trace, bytes));
    uint8_t *to = trace->bytes + trace->size;
    memset(to, 0, (size_t)bytes);
    SinoGroupHeader header = {.voxel_count = (uint32_t)work->voxel_count,
                              .nonzero_count = (uint32_t)work->nonzero_count};
    for (int r = 0; r < SINO_GROUP_RAYS; r++)
        header.ray[r] = (uint32_t)work->sorted[first + (r < ray_count ? r : 0)]->ray;
    memcpy(to, &header, sizeof header);
    memcpy(to + sizeof header, work->voxel, (size_t)work->voxel_count * sizeof *work->voxel);
    write_lengths(work, trace->precision, to + sizeof header + sino_group_index_bytes(work->voxel_count));
    trace->size += bytes;
    trace->nonzero_count += work->nonzero_count;
    trace->stored_count += (int64_t)work->voxel_count * SINO_GROUP_RAYS;
    return NULL;
}

/* The section of one tile and the angles first … end − 1. */
static SinoStatus trace_section(const SinoGeometry *geometry, SinoTilePlace place, int64_t tile, int64_t first_angle,
                                int64_t end_angle, Workspace *work, SinoTrace *trace)
{
    const Frame frame = frame_of(geometry, place);
    work->segment_count = 0;
    for (int64_t angle = first_angle; angle < end_angle; angle++) trace_angle(geometry, &frame, angle, work);
    if (work->segment_count == 0) return NULL;
    sort_segments(work);
    const SinoSectionHeader header = {.tile = (int32_t)tile,
                                      .group_count = (work->segment_count + SINO_GROUP_RAYS - 1) / SINO_GROUP_RAYS};
    SINO_TRY(reserve(trace, (int64_t)sizeof header));
    memcpy(trace->bytes + trace->size, &header, sizeof header);
    trace->size += (int64_t)sizeof header;
    for (int first = 0; first < work->segment_count; first += SINO_GROUP_RAYS) {
        const int left = work->segment_count - first;
        const int ray_count = left < SINO_GROUP_RAYS ? left : SINO_GROUP_RAYS;
        unite(work, first, ray_count);
        SINO_TRY(write_group(work, first, ray_count, trace));
    }
    return NULL;
}

static bool same_super_tile(SinoTilePlace a, SinoTilePlace b)
{
    return a.column / SINO_SUPER_TILE == b.column / SINO_SUPER_TILE &&
           a.row / SINO_SUPER_TILE == b.row / SINO_SUPER_TILE;
}

/* Every section of the tiles first … end − 1, which lie in one super-tile. */
static SinoStatus trace_super_tile(const SinoGeometry *geometry, const SinoTilePlace *place, int64_t first, int64_t end,
                                   int64_t first_tile, Workspace *work, SinoTrace *trace)
{
    for (int64_t angle = 0; angle < geometry->angle_count; angle += SINO_GROUP_ANGLES) {
        const int64_t left = geometry->angle_count - angle;
        const int64_t end_angle = angle + (left < SINO_GROUP_ANGLES ? left : SINO_GROUP_ANGLES);
        for (int64_t t = first; t < end; t++)
            SINO_TRY(trace_section(geometry, place[t], first_tile + t, angle, end_angle, work, trace));
    }
    return NULL;
}

/* A little more than the tiles will take. */
static int64_t expected_bytes(const SinoGeometry *geometry, SinoPrecision precision, int64_t tile_count,
                              const SinoTilePlace *tile)
{
    double nonzeros = 0;
    for (int64_t t = 0; t < tile_count; t++) nonzeros += sino_trace_estimate(geometry, tile[t]);
    return (int64_t)(nonzeros * sino_trace_bytes_per_nonzero(precision)) + 65536;
}

SinoStatus sino_trace_tiles(const SinoGeometry *geometry, SinoPrecision precision, int64_t first_tile,
                            int64_t tile_count, const SinoTilePlace *tile, SinoTrace *trace)
{
    SinoStatus status = NULL;
    Workspace *work = NULL;
    *trace = (SinoTrace){.precision = precision};
    SINO_TRY(sino_allocate(1, sizeof *work, "tracing", &work));
    memset(work->place, 0xff, sizeof work->place);
    SINO_TRY_OR(status, cleanup, reserve(trace, expected_bytes(geometry, precision, tile_count, tile)));
    for (int64_t first = 0, end; first < tile_count; first = end) {
        for (end = first + 1; end < tile_count && same_super_tile(tile[first], tile[end]); end++) continue;
        SINO_TRY_OR(status, cleanup, trace_super_tile(geometry, tile, first, end, first_tile, work, trace));
    }
cleanup:
    free(work);
    if (status) sino_trace_free(trace);
    return status;
}

void sino_trace_free(SinoTrace *trace)
{
    free(trace->bytes);
    trace->bytes = NULL;
    trace->size = trace->capacity = 0;
}

double sino_trace_estimate(const SinoGeometry *geometry, SinoTilePlace tile)
{
    const Frame frame = frame_of(geometry, tile);
    double sum = 0;
    for (int64_t angle = 0; angle < geometry->angle_count; angle++) {
        const Fan fan = fan_of(geometry, &frame, angle);
        if (fan.last < fan.first) continue;
        const double cosine = fabs(fan.cosine), sine = fabs(fan.sine);
        const double shadow = frame.width * cosine + frame.height * sine;
        const double share = fmin(1, (double)(fan.last - fan.first + 1) / shadow);
        sum += share * (cosine + sine);
    }
    return sum * frame.width * frame.height;
}

double sino_trace_bytes_per_nonzero(SinoPrecision precision)
{
    return precision == SINO_DOUBLE ? 14 : 7.5;
}
