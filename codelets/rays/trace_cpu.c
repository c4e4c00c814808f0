/* SPDX-License-Identifier: BSD-3-Clause */
/* Trace: exact lengths of rays in voxels, tile by tile, grouped (siddon.h says how a ray is followed). */
#include "trace_sections.h"

#include "half.h"
#include "memory.h"
#include "siddon.h"
#include "vector.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
    GROUP_ANGLES_RAYS = SINO_GROUP_ANGLES_MAX * SINO_ANGLE_RAYS,
    SECTION_GROUPS_MAX = SINO_SECTION_GROUPS * (GROUP_ANGLES_RAYS / SINO_GROUP_RAYS + 1)
};

/* The crossing of one ray and the tile. */
typedef struct Segment {
    double offset; /* signed distance from the tile's center; the rays of a group have nearly the same */
    uint32_t ray;
    int32_t first, count; /* range in the workspace's voxels and lengths */
} Segment;

typedef struct SinoTraceWorkspace {
    /* the rays of group_angles angles that cross the tile */
    Segment segment[GROUP_ANGLES_RAYS];
    Segment sorted[GROUP_ANGLES_RAYS];
    int segment_count, crossing_count;
    uint8_t crossed_voxel[GROUP_ANGLES_RAYS * SINO_RAY_VOXELS + 2];
    double crossed_length[GROUP_ANGLES_RAYS * SINO_RAY_VOXELS + 2];
    /* the group at hand */
    double united[SINO_GROUP_VOXELS + 1][SINO_GROUP_RAYS];
    uint64_t group_number;
    uint64_t seen[SINO_TILE_VOXELS]; /* 256·number of the last group that has the voxel + its place there */
    /* the section at hand */
    SinoSectionHeader header;
    uint32_t ray[SECTION_GROUPS_MAX + SINO_GROUPS_AHEAD][SINO_GROUP_RAYS];
    uint8_t count[SECTION_GROUPS_MAX];
    uint8_t voxel[SECTION_GROUPS_MAX * SINO_GROUP_VOXELS];
    uint8_t length[(size_t)SECTION_GROUPS_MAX * SINO_GROUP_VOXELS * SINO_GROUP_RAYS * sizeof(double)]; /* as stored */
} Workspace;

static SinoFrame frame_of(const SinoGeometry *geometry, SinoTilePlace tile)
{
    return sino_frame_of(geometry->grid_size, tile);
}

static SinoFan fan_of(const SinoGeometry *geometry, const SinoFrame *frame, int64_t angle)
{
    const double angle_rad = geometry->angle_rad[angle];
    return sino_fan_of(geometry->grid_size, geometry->column_count, geometry->center, frame, cos(angle_rad),
                       sin(angle_rad));
}

/* The steps of a ray through the tile. */
typedef struct Steps {
    double lower_length[SINO_TILE], upper_length[SINO_TILE];
    int32_t lower[SINO_TILE];
} Steps;

SINO_INLINE void take_steps(const SinoRayPath *path, Steps *steps)
{
    for (int i = 0; i < SINO_TILE; i++) {
        const SinoRayStep step = sino_ray_step(path, i);
        steps->lower[i] = step.lower;
        steps->lower_length[i] = step.lower_length;
        steps->upper_length[i] = step.upper_length;
    }
}

/* Has no branches: the processor cannot predict whether a voxel counts. */
SINO_INLINE int append(Workspace *work, int at, int voxel, double length, bool inside)
{
    work->crossed_voxel[at] = (uint8_t)voxel;
    work->crossed_length[at] = length;
    return at + (inside & (length > SINO_LEAST_LENGTH));
}

/* Appends one step of a ray to the workspace; returns the new end. */
SINO_INLINE int append_step(Workspace *work, int at, const SinoRayPath *path, int i, const SinoRayStep *step)
{
    const SinoAxis *along = &path->along, *across = &path->across;
    const int voxel = (along->offset + i) * along->stride + (across->offset + step->lower) * across->stride;
    at = append(work, at, voxel, step->lower_length, (unsigned)step->lower < (unsigned)across->count);
    return append(work, at, voxel + across->stride, step->upper_length,
                  (unsigned)(step->lower + 1) < (unsigned)across->count);
}

SINO_INLINE int walk(Workspace *work, const SinoRayPath *path)
{
    Steps steps;
    int at = work->crossing_count;
    take_steps(path, &steps);
    for (int i = 0; i < path->along.count; i++) {
        const SinoRayStep step = {steps.lower[i], steps.lower_length[i], steps.upper_length[i]};
        at = append_step(work, at, path, i, &step);
    }
    return at;
}

SINO_INLINE int walk_line(Workspace *work, const SinoRayPath *path)
{
    const SinoRayStep step = sino_ray_line_step(path);
    int at = work->crossing_count;
    for (int i = 0; i < path->along.count; i++) at = append_step(work, at, path, i, &step);
    return at;
}

/* Appends the voxels and lengths that the ray crosses to the workspace; returns the new end. */
SINO_INLINE int trace_ray(Workspace *work, const SinoFrame *frame, const SinoFan *fan, double size, double rho)
{
    const SinoRayPath path = sino_ray_path(frame, fan, size, rho);
    return path.on_line ? walk_line(work, &path) : walk(work, &path);
}

SINO_VECTORISED static void trace_angle(const SinoGeometry *geometry, const SinoFrame *frame, int64_t angle,
                                        Workspace *work)
{
    const SinoFan fan = fan_of(geometry, frame, angle);
    for (int64_t column = fan.first; column <= fan.last; column++) {
        const double rho = fan.rho0 + (double)column;
        const int end = trace_ray(work, frame, &fan, (double)geometry->grid_size, rho);
        if (end == work->crossing_count) continue;
        work->segment[work->segment_count++] = (Segment){.offset = sino_fan_offset(&fan, frame, rho),
                                                         .ray = (uint32_t)(angle * geometry->column_count + column),
                                                         .first = work->crossing_count,
                                                         .count = end - work->crossing_count};
        work->crossing_count = end;
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

/* Sorts the segments by offset, then by ray: first into buckets of a sixteenth of a voxel, then by insertion, since a
 * bucket holds about one segment. */
static void sort_segments(Workspace *work)
{
    const int count = work->segment_count;
    const double reach = 0.75 * SINO_TILE; /* offsets lie within T/√2 of the center */
    int begin[BUCKETS + 1] = {0};
    for (int i = 0; i < count; i++) begin[bucket_of(&work->segment[i], reach) + 1]++;
    for (int b = 0; b < BUCKETS; b++) begin[b + 1] += begin[b];
    for (int i = 0; i < count; i++) work->sorted[begin[bucket_of(&work->segment[i], reach)]++] = work->segment[i];
    for (int i = 1; i < count; i++) {
        const Segment segment = work->sorted[i];
        int j = i;
        for (; j > 0 && goes_before(&segment, &work->sorted[j - 1]); j--) work->sorted[j] = work->sorted[j - 1];
        work->sorted[j] = segment;
    }
}

/* Unites the voxels of some rays and writes the rays' lengths in each voxel; returns the number of voxels. */
static int unite(Workspace *work, const Segment *segment, int ray_count, uint8_t *voxel)
{
    const uint64_t stamp = ++work->group_number * SINO_TILE_VOXELS;
    int voxel_count = 0;
    for (int r = 0; r < ray_count; r++) {
        for (int i = segment[r].first; i < segment[r].first + segment[r].count; i++) {
            const uint8_t crossed = work->crossed_voxel[i];
            const uint64_t seen = work->seen[crossed];
            const bool is_new = seen < stamp;
            const int place = is_new ? voxel_count : (int)(seen - stamp);
            work->seen[crossed] = stamp + (uint64_t)place;
            voxel[place] = crossed;
            work->united[place][r] = work->crossed_length[i];
            voxel_count += is_new;
            if (is_new) memset(work->united[voxel_count], 0, sizeof work->united[0]);
        }
    }
    return voxel_count;
}

SINO_VECTORISED static void to_single(int64_t count, const double *from, float *to)
{
    for (int64_t i = 0; i < count; i++) to[i] = (float)from[i];
}

SINO_VECTORISED static void to_half(int64_t count, const double *from, SinoHalf *to)
{
    for (int64_t i = 0; i < count; i++) to[i] = sino_half((float)from[i]);
}

static void store_lengths(SinoPrecision precision, int64_t count, const double *from, void *to)
{
    if (precision == SINO_DOUBLE)
        memcpy(to, from, (size_t)count * sizeof *from);
    else if (precision == SINO_SINGLE)
        to_single(count, from, to);
    else
        to_half(count, from, to);
}

/* Adds one group to the section. Its number of voxels is padded to an even number. */
static void add_group(Workspace *work, SinoPrecision precision, const Segment *segment, int ray_count)
{
    SinoSectionHeader *header = &work->header;
    uint8_t *voxel = work->voxel + header->voxel_count;
    uint32_t *ray = work->ray[header->group_count];
    memset(work->united[0], 0, sizeof work->united[0]);
    int count = unite(work, segment, ray_count, voxel);
    if (count % 2 == 1) {
        voxel[count] = (uint8_t)(count > 1 ? voxel[0] : voxel[0] ^ 1);
        memset(work->united[count++], 0, sizeof work->united[0]);
    }
    const int64_t lengths = (int64_t)count * SINO_GROUP_RAYS;
    store_lengths(precision, lengths, work->united[0],
                  work->length +
                      (size_t)header->voxel_count * SINO_GROUP_RAYS * (size_t)sino_precision_bytes(precision));
    for (int r = 0; r < SINO_GROUP_RAYS; r++) ray[r] = segment[r < ray_count ? r : 0].ray;
    for (int r = 0; r < ray_count; r++) header->nonzero_count += segment[r].count;
    work->count[header->group_count++] = (uint8_t)count;
    header->voxel_count += count;
}

static void group_segments(Workspace *work, SinoPrecision precision)
{
    sort_segments(work);
    for (int first = 0; first < work->segment_count; first += SINO_GROUP_RAYS) {
        const int left = work->segment_count - first;
        add_group(work, precision, &work->sorted[first], left < SINO_GROUP_RAYS ? left : SINO_GROUP_RAYS);
    }
}

/* Makes room for `more` bytes. The estimate at the start nearly always suffices. */
static SinoStatus reserve(SinoTrace *trace, int64_t more)
{
    if (trace->size + more <= trace->capacity) return NULL;
    const int64_t capacity = (trace->size + more) + trace->size / 8 + 65536;
    uint8_t *bytes = sino_allocate_large(capacity);
    char text[24];
    SINO_CHECK(bytes, SINO_FAILED, "no memory for traced rays: %s asked for", sino_bytes_text(capacity, text));
    if (trace->bytes) memcpy(bytes, trace->bytes, (size_t)trace->size);
    sino_free_large(trace->bytes);
    trace->bytes = bytes;
    trace->capacity = capacity;
    return NULL;
}

/* Traces the section into the workspace. */
static void trace_section(const SinoLayout *layout, const SinoTraceSection *section, Workspace *work)
{
    const SinoFrame frame = frame_of(&layout->geometry, section->place);
    SinoSectionHeader *header = &work->header;
    SinoSection arrays;
    *header = (SinoSectionHeader){.tile = section->tile, .orientations = section->orientations, .step = section->step};
    for (int64_t angle = section->first; angle < section->end; angle += layout->group_angles) {
        const int64_t end = angle + layout->group_angles < section->end ? angle + layout->group_angles : section->end;
        work->segment_count = work->crossing_count = 0;
        for (int64_t a = angle; a < end; a++) trace_angle(&layout->geometry, &frame, a, work);
        group_segments(work, layout->precision);
    }
    if (header->group_count > 0) header->bytes = sino_section_arrays(header, layout->precision, &arrays);
}

/* Writes the section in the workspace, which has at least one group, to `to`. */
static void write_section(Workspace *work, SinoPrecision precision, uint8_t *to)
{
    const SinoSectionHeader *header = &work->header;
    const int64_t lengths = (int64_t)header->voxel_count * SINO_GROUP_RAYS;
    SinoSection section;
    for (int g = 0; g < SINO_GROUPS_AHEAD; g++)
        memcpy(work->ray[header->group_count + g], work->ray[header->group_count - 1], sizeof work->ray[0]);
    memset(to + header->bytes - 32, 0, 32);
    memcpy(to, header, sizeof *header);
    sino_section_arrays((SinoSectionHeader *)(void *)to, precision, &section);
    memcpy(section.ray, work->ray, (size_t)(header->group_count + SINO_GROUPS_AHEAD) * sizeof work->ray[0]);
    memset(section.count + (int64_t)(header->group_count - 1) / 8 * 8, 0, 8);
    memcpy(section.count, work->count, (size_t)header->group_count);
    memcpy(section.voxel, work->voxel, (size_t)header->voxel_count);
    memset(section.voxel + header->voxel_count, 0,
           (size_t)((uint8_t *)section.length - section.voxel - header->voxel_count));
    memcpy(section.length, work->length, (size_t)lengths * sino_precision_bytes(precision));
}

/* Appends the section in the workspace to the trace. */
static SinoStatus append_section(Workspace *work, SinoTrace *trace)
{
    const SinoSectionHeader *header = &work->header;
    if (header->group_count == 0) return NULL;
    SINO_TRY(reserve(trace, header->bytes));
    write_section(work, trace->precision, trace->bytes + trace->size);
    trace->size += header->bytes;
    trace->stored_nonzero_count += header->nonzero_count;
    trace->nonzero_count += header->nonzero_count * __builtin_popcount(header->orientations);
    trace->stored_count += (int64_t)header->voxel_count * SINO_GROUP_RAYS;
    return NULL;
}

/* At most so many angles tell how many nonzeros a tile has. */
enum { ENOUGH = 90 };
typedef struct Directions {
    int64_t count;
    double cosine[ENOUGH], sine[ENOUGH];
} Directions;

static double estimate(const SinoGeometry *geometry, const Directions *directions, SinoTilePlace tile)
{
    const SinoFrame frame = frame_of(geometry, tile);
    double sum = 0;
    if (frame.width == 0 || frame.height == 0) return 0;
    for (int64_t i = 0; i < directions->count; i++) {
        const SinoFan fan = sino_fan_of(geometry->grid_size, geometry->column_count, geometry->center, &frame,
                                        directions->cosine[i], directions->sine[i]);
        if (fan.last < fan.first) continue;
        const double cosine = fabs(fan.cosine), sine = fabs(fan.sine);
        const double shadow = frame.width * cosine + frame.height * sine;
        const double share = (double)(fan.last - fan.first + 1) / shadow; /* compared, not fmin: many calls */
        sum += (share < 1 ? share : 1) * (cosine + sine);
    }
    return sum * frame.width * frame.height * (double)geometry->angle_count / (double)directions->count;
}

static Directions directions_of(const SinoGeometry *geometry)
{
    const int64_t step = 1 + geometry->angle_count / ENOUGH;
    Directions directions = {0};
    for (int64_t angle = 0; angle < geometry->angle_count; angle += step) {
        directions.cosine[directions.count] = cos(geometry->angle_rad[angle]);
        directions.sine[directions.count++] = sin(geometry->angle_rad[angle]);
    }
    return directions;
}

/* An estimate of the bytes that the tiles will take, a little too high. */
static int64_t expected_bytes(const SinoLayout *layout, int64_t tile_count, const SinoTilePlace *tile)
{
    const double stored = (double)sino_layout_stored_angles(layout) / (double)layout->geometry.angle_count;
    const double bytes_per_nonzero = 1.6 + 1.3 * (double)sino_precision_bytes(layout->precision);
    const Directions directions = directions_of(&layout->geometry);
    double nonzeros = 0;
    for (int64_t t = 0; t < tile_count; t++) nonzeros += estimate(&layout->geometry, &directions, tile[t]);
    return (int64_t)(nonzeros * stored * bytes_per_nonzero) + 65536;
}

/* Most sections take a small part of the largest one's 4 MiB, of which the rest takes no memory. */
static SinoStatus new_workspace(Workspace **work)
{
    *work = sino_reserve(sizeof(Workspace));
    SINO_CHECK(*work, SINO_FAILED, "no addresses for tracing: %zu bytes asked for", sizeof(Workspace));
    return NULL;
}

static void free_workspace(Workspace *work)
{
    sino_release(work, sizeof *work);
}

static SinoStatus append_sections(const SinoLayout *layout, int64_t section_count, const SinoTraceSection *section,
                                  SinoTrace *trace)
{
    for (int64_t i = 0; i < section_count; i++) {
        trace_section(layout, &section[i], trace->workspace);
        SINO_TRY(append_section(trace->workspace, trace));
    }
    return NULL;
}

static SinoStatus trace_tiles(const SinoLayout *layout, int64_t first_tile, int64_t tile_count,
                              const SinoTilePlace *tile, SinoTrace *trace)
{
    const int64_t section_count = sino_trace_sections(layout, first_tile, tile_count, tile, NULL);
    SinoTraceSection *section = NULL;
    Workspace *work = trace->workspace;
    if (!work) SINO_TRY(new_workspace(&work));
    trace->workspace = work;
    SINO_TRY(reserve(trace, expected_bytes(layout, tile_count, tile)));
    SINO_TRY(sino_allocate(section_count, sizeof *section, "sections to trace", &section));
    sino_trace_sections(layout, first_tile, tile_count, tile, section);
    SinoStatus status = append_sections(layout, section_count, section, trace);
    free(section);
    return status;
}

SinoStatus sino_trace_tiles(const SinoLayout *layout, int64_t first_tile, int64_t tile_count, const SinoTilePlace *tile,
                            SinoTrace *trace)
{
    *trace = (SinoTrace){.precision = layout->precision,
                         .bytes = trace->bytes,
                         .capacity = trace->capacity,
                         .workspace = trace->workspace};
    SinoStatus status = trace_tiles(layout, first_tile, tile_count, tile, trace);
    if (status) sino_trace_free(trace);
    return status;
}

void sino_trace_free(SinoTrace *trace)
{
    sino_free_large(trace->bytes);
    free_workspace(trace->workspace);
    *trace = (SinoTrace){0};
}

SinoStatus sino_trace_measure(const SinoLayout *layout, int64_t section_count, const SinoTraceSection *section,
                              SinoTraceSize *size)
{
    Workspace *work = NULL;
    int64_t offset = 0;
    SINO_TRY(new_workspace(&work));
    for (int64_t i = 0; i < section_count; i++) {
        trace_section(layout, &section[i], work);
        size[i] = (SinoTraceSize){.offset = offset,
                                  .bytes = work->header.bytes,
                                  .nonzero_count = work->header.nonzero_count,
                                  .group_count = work->header.group_count,
                                  .voxel_count = work->header.voxel_count};
        offset += size[i].bytes;
    }
    size[section_count] = (SinoTraceSize){.offset = offset, .bytes = offset};
    free_workspace(work);
    return NULL;
}

SinoStatus sino_trace_fill(const SinoLayout *layout, int64_t section_count, const SinoTraceSection *section,
                           const SinoTraceSize *size, void *bytes)
{
    Workspace *work = NULL;
    SINO_TRY(new_workspace(&work));
    for (int64_t i = 0; i < section_count; i++) {
        if (size[i].bytes == 0) continue;
        trace_section(layout, &section[i], work);
        write_section(work, layout->precision, (uint8_t *)bytes + size[i].offset);
    }
    free_workspace(work);
    return NULL;
}

void sino_trace_estimate(const SinoGeometry *geometry, int64_t tile_count, const SinoTilePlace *tile, double *nonzeros)
{
    const Directions directions = directions_of(geometry);
    for (int64_t t = 0; t < tile_count; t++) nonzeros[t] = estimate(geometry, &directions, tile[t]);
}
