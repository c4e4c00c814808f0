/* SPDX-License-Identifier: BSD-3-Clause */
/* Footprint size: how many rays meet each partition, socket and node of a slice, computed without tracing. */
#include "decomposition.h"

#include "memory.h"
#include "vector.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A rectangle of voxels, x ± half_width and y ± half_height in the grid's coordinates (geometry.h). */
typedef struct Rectangle {
    double x, y, half_width, half_height;
} Rectangle;

/* Columns at one angle: bit c % 64 of word c / 64. Words other than first_word … end_word − 1 are 0. */
typedef struct Columns {
    int64_t first_word, end_word;
    uint64_t *word; /* owned */
} Columns;

/* An angle of the scan, which stands for all from number `first` to `end` − 1. */
typedef struct Angle {
    double cosine, sine;
    int64_t first, end;
    int64_t first_bit, last_bit;    /* of the ranks that own any of them */
    int64_t ray_count[SINO_LEVELS]; /* of one of them, of all members of a level */
} Angle;

/* A rank, and the angles first … end − 1 that it owns. */
typedef struct Owner {
    int64_t rank, first, end;
} Owner;

/* Working memory. */
typedef struct Work {
    const SinoGeometry *scan;
    const SinoDecomposition *decomposition;
    SinoFootprintSizes *sizes;
    Rectangle *rectangle;            /* of all partitions; owned */
    int64_t *first_rectangle;        /* [partition + 1]; owned */
    Columns shadow[SINO_LEVELS + 1]; /* of a partition, its socket, its node, and all nodes */
    uint64_t *owner[SINO_LEVELS];    /* [member]: bit set of the ranks that own any of its rays; owned */
    int64_t owner_words;             /* words of a member's bit set; no more bits than there are angles are needed */
} Work;

static int by_place(const void *a, const void *b)
{
    const SinoTilePlace *p = a, *q = b;
    if (p->row != q->row) return p->row < q->row ? -1 : 1;
    return (p->column > q->column) - (p->column < q->column);
}

/* A rectangle of tiles: columns and rows first … end − 1. */
typedef struct TileBox {
    int32_t first_column, end_column, first_row, end_row;
} TileBox;

/* The rectangle of a box in a grid of `size` voxels a side, each of which is `coarseness` voxels of the scan wide. */
static Rectangle rectangle_of(int64_t size, int64_t coarseness, const TileBox *box)
{
    const double voxel = (double)coarseness;
    const int64_t left = sino_tile_first_voxel(size, box->first_column),
                  top = sino_tile_first_voxel(size, box->first_row);
    const int64_t right = sino_tile_first_voxel(size, box->end_column),
                  bottom = sino_tile_first_voxel(size, box->end_row);
    const double x0 = (double)(left > 0 ? left : 0), x1 = (double)(right < size ? right : size);
    const double y0 = (double)(top > 0 ? top : 0), y1 = (double)(bottom < size ? bottom : size);
    return (Rectangle){.x = voxel * (x0 + x1 - (double)size) / 2,
                       .y = voxel * ((double)size - y0 - y1) / 2,
                       .half_width = voxel * (x1 - x0) / 2,
                       .half_height = voxel * (y1 - y0) / 2};
}

/* Turns tiles in the order of by_place into runs along rows, and runs stacked on each other into one box. Returns the
 * number of boxes. */
static int64_t box_tiles(int64_t tile_count, const SinoTilePlace *tile, TileBox *box)
{
    int64_t count = 0, above = 0; /* boxes before `above` cannot be extended any more */
    for (int64_t t = 0; t < tile_count;) {
        const int32_t row = tile[t].row, first = tile[t].column;
        int32_t end = first;
        for (; t < tile_count && tile[t].row == row && tile[t].column == end; t++) end++;
        while (above < count && box[above].end_row < row) above++;
        int64_t same = above;
        while (same < count &&
               !(box[same].end_row == row && box[same].first_column == first && box[same].end_column == end))
            same++;
        if (same < count)
            box[same].end_row = row + 1;
        else
            box[count++] = (TileBox){first, end, row, row + 1};
    }
    return count;
}

/* Appends the rectangles of one partition; returns their number. */
static int64_t add_rectangles(Work *work, int64_t partition, SinoTilePlace *tile, TileBox *box)
{
    const SinoDecomposition *decomposition = work->decomposition;
    const int64_t first = decomposition->first[partition], count = decomposition->first[partition + 1] - first;
    if (count == 0) return 0;
    memcpy(tile, decomposition->tile + first, (size_t)count * sizeof *tile);
    qsort(tile, (size_t)count, sizeof *tile, by_place);
    const int64_t boxes = box_tiles(count, tile, box), coarseness = decomposition->coarseness;
    const int64_t size = sino_decomposition_grid(work->scan->grid_size, coarseness);
    for (int64_t i = 0; i < boxes; i++)
        work->rectangle[work->first_rectangle[partition] + i] = rectangle_of(size, coarseness, &box[i]);
    return boxes;
}

static SinoStatus find_rectangles(Work *work)
{
    const SinoDecomposition *decomposition = work->decomposition;
    const int64_t partitions = decomposition->partition_count;
    SinoTilePlace *tile = NULL;
    TileBox *box = NULL;
    SinoStatus status = NULL;
    SINO_TRY_OR(status, cleanup, sino_allocate(decomposition->tile_count, sizeof *tile, "tiles", &tile));
    SINO_TRY_OR(status, cleanup, sino_allocate(decomposition->tile_count, sizeof *box, "tiles", &box));
    SINO_TRY_OR(status, cleanup,
                sino_allocate(decomposition->tile_count, sizeof *work->rectangle, "tiles", &work->rectangle));
    SINO_TRY_OR(status, cleanup,
                sino_allocate(partitions + 1, sizeof *work->first_rectangle, "partitions", &work->first_rectangle));
    for (int64_t p = 0; p < partitions; p++)
        work->first_rectangle[p + 1] = work->first_rectangle[p] + add_rectangles(work, p, tile, box);
cleanup:
    free(tile);
    free(box);
    return status;
}

static SinoStatus new_sizes(Work *work, const SinoTopology *topology)
{
    SinoFootprintSizes *sizes = work->sizes;
    const int64_t ranks = topology->rank_count;
    sizes->topology = *topology;
    sizes->member_count[SINO_LEVEL_WORKER] = sino_topology_partitions(topology);
    sizes->member_count[SINO_LEVEL_SOCKET] = sino_topology_sockets(topology);
    sizes->member_count[SINO_LEVEL_NODE] = topology->node_count;
    const int64_t owners = ranks < work->scan->angle_count ? ranks : work->scan->angle_count;
    work->owner_words = (owners + 63) / 64;
    for (SinoLevel level = 0; level < SINO_LEVELS; level++) {
        const int64_t members = sizes->member_count[level];
        int64_t words;
        SINO_TRY(sino_multiply(members, work->owner_words, "owners of footprints", &words));
        SINO_TRY(sino_allocate(members, sizeof *sizes->member[level], "footprints", &sizes->member[level]));
        SINO_TRY(sino_allocate(ranks, sizeof *sizes->taken[level], "ranks", &sizes->taken[level]));
        SINO_TRY(sino_allocate(ranks, sizeof *sizes->sender_count[level], "ranks", &sizes->sender_count[level]));
        SINO_TRY(sino_allocate(words, sizeof **work->owner, "owners of footprints", &work->owner[level]));
    }
    return NULL;
}

static SinoStatus new_shadows(Work *work)
{
    const int64_t words = sino_ceil_divide(work->scan->column_count, 64);
    for (Columns *shadow = work->shadow; shadow <= work->shadow + SINO_LEVELS; shadow++) {
        shadow->first_word = INT64_MAX;
        SINO_TRY(sino_allocate(words, sizeof *shadow->word, "footprints", &shadow->word));
    }
    return NULL;
}

static void extend(Columns *columns, int64_t first, int64_t end)
{
    columns->first_word = sino_smaller(columns->first_word, first);
    columns->end_word = sino_larger(columns->end_word, end);
}

static void add_columns(Columns *columns, int64_t first, int64_t last)
{
    if (first > last) return;
    const int64_t from = first / 64, to = last / 64;
    const uint64_t head = UINT64_MAX << first % 64, tail = UINT64_MAX >> (63 - last % 64);
    extend(columns, from, to + 1);
    columns->word[from] |= from == to ? head & tail : head;
    for (int64_t w = from + 1; w < to; w++) columns->word[w] = UINT64_MAX;
    columns->word[to] |= from == to ? 0 : tail;
}

/* Adds words to others and clears them; returns the number of their bits. */
SINO_VECTORISED static int64_t move_bits(int64_t count, uint64_t *restrict from, uint64_t *restrict to)
{
    int64_t bits = 0;
    for (int64_t w = 0; w < count; w++) {
        bits += __builtin_popcountll(from[w]);
        to[w] |= from[w];
        from[w] = 0;
    }
    return bits;
}

/* Moves columns to those of the level above; returns their number. */
static int64_t move_columns(Columns *from, Columns *to)
{
    if (from->end_word <= from->first_word) return 0;
    const int64_t count =
        move_bits(from->end_word - from->first_word, from->word + from->first_word, to->word + from->first_word);
    extend(to, from->first_word, from->end_word);
    from->first_word = INT64_MAX;
    from->end_word = 0;
    return count;
}

static inline double within(double value, double least, double most)
{
    const double enough = value > least ? value : least;
    return enough < most ? enough : most;
}

/* Adds the columns whose rays meet a rectangle in more than 1e-9. */
static void cast_shadow(const Work *work, const Angle *angle, const Rectangle *rectangle, Columns *shadow)
{
    const double touch = 1e-9, middle = rectangle->x * angle->cosine + rectangle->y * angle->sine + work->scan->center;
    const double half =
        rectangle->half_width * fabs(angle->cosine) + rectangle->half_height * fabs(angle->sine) - touch;
    const double end = (double)(work->scan->column_count - 1);
    const double least = within(middle - half, 0, end + 1), most = within(middle + half, -1, end);
    const int64_t first = (int64_t)least, last = (int64_t)most; /* rounded towards 0; now first up, and last down */
    add_columns(shadow, first + ((double)first < least), last - ((double)last > most));
}

/* The bit of the rank that owns an angle. Where there are more ranks than angles, each angle has a bit. */
static int64_t bit_of(const Work *work, int64_t angle)
{
    const int64_t angles = work->scan->angle_count, ranks = work->sizes->topology.rank_count;
    return ranks < angles ? sino_owner_of_angle(angles, ranks, angle) : angle;
}

static int64_t rank_of_bit(const Work *work, int64_t bit)
{
    const int64_t angles = work->scan->angle_count, ranks = work->sizes->topology.rank_count;
    return ranks < angles ? bit : sino_owner_of_angle(angles, ranks, bit);
}

/* Counts the other ranks that own any of the angles, where a member has had no rays of theirs yet. */
static void count_owners(Work *work, SinoLevel level, int64_t member, int64_t rank, const Angle *angle)
{
    const uint64_t all = UINT64_MAX;
    for (int64_t w = angle->first_bit / 64; w <= angle->last_bit / 64; w++) {
        const uint64_t from = w == angle->first_bit / 64 ? all << angle->first_bit % 64 : all;
        const uint64_t owners = w == angle->last_bit / 64 ? from & all >> (63 - angle->last_bit % 64) : from;
        uint64_t *word = &work->owner[level][member * work->owner_words + w];
        for (uint64_t left = owners & ~*word; left; left &= left - 1) {
            const int64_t owner = rank_of_bit(work, 64 * w + __builtin_ctzll(left));
            if (owner == rank) continue;
            work->sizes->member[level][member].owner_count++;
            work->sizes->sender_count[level][owner]++;
        }
        *word |= owners;
    }
}

static Owner owner_of_rank(const Work *work, int64_t rank)
{
    const int64_t angles = work->scan->angle_count, ranks = work->sizes->topology.rank_count;
    return (Owner){rank, sino_owner_first_angle(angles, ranks, rank), sino_owner_first_angle(angles, ranks, rank + 1)};
}

/* The number of the angles that the rank owns. */
static int64_t owned_angles(const Owner *owner, const Angle *angle)
{
    const int64_t first = sino_larger(angle->first, owner->first), end = sino_smaller(angle->end, owner->end);
    return sino_larger(end - first, 0);
}

/* Adds the rays at an angle of a member, on a node of the rank, to its counts. */
static void count_rays(Work *work, SinoLevel level, int64_t member, const Owner *rank, Angle *angle, int64_t rays)
{
    SinoFootprintSize *size = &work->sizes->member[level][member];
    if (rays == 0) return;
    size->ray_count += sino_times(rays, angle->end - angle->first);
    size->own_count += sino_times(owned_angles(rank, angle), rays);
    angle->ray_count[level] += rays;
    count_owners(work, level, member, rank->rank, angle);
}

/* Fills in the shadow of a partition. */
static void shade_partition(Work *work, int64_t partition, const Angle *angle)
{
    for (int64_t r = work->first_rectangle[partition]; r < work->first_rectangle[partition + 1]; r++)
        cast_shadow(work, angle, &work->rectangle[r], &work->shadow[SINO_LEVEL_WORKER]);
}

static void shade_node(Work *work, int64_t node, const Owner *rank, Angle *angle)
{
    const SinoTopology *topology = &work->sizes->topology;
    Columns *of_worker = &work->shadow[SINO_LEVEL_WORKER], *of_socket = &work->shadow[SINO_LEVEL_SOCKET];
    Columns *of_node = &work->shadow[SINO_LEVEL_NODE];
    for (int64_t s = node * topology->sockets; s < (node + 1) * topology->sockets; s++) {
        for (int64_t p = s * topology->workers; p < (s + 1) * topology->workers; p++) {
            shade_partition(work, p, angle);
            count_rays(work, SINO_LEVEL_WORKER, p, rank, angle, move_columns(of_worker, of_socket));
        }
        count_rays(work, SINO_LEVEL_SOCKET, s, rank, angle, move_columns(of_socket, of_node));
    }
    count_rays(work, SINO_LEVEL_NODE, node, rank, angle, move_columns(of_node, of_node + 1));
}

/* Counts the rays of each rank in footprints on other ranks: all that it owns but those on its own nodes. */
static void count_taken(Work *work, SinoLevel level, int64_t count, const Angle *angle)
{
    SinoFootprintSizes *sizes = work->sizes;
    const int64_t members = sizes->member_count[level], ranks = sizes->topology.rank_count;
    Owner owner = owner_of_rank(work, 0);
    for (const Angle *at = angle; at < angle + count;) {
        sizes->taken[level][owner.rank] += sino_times(owned_angles(&owner, at), at->ray_count[level]);
        if (owner.end < at->end)
            owner = owner_of_rank(work, owner.rank + 1);
        else
            at++;
    }
    for (int64_t m = 0; m < members; m++)
        sizes->taken[level][m / (members / ranks)] -= sizes->member[level][m].own_count;
}

/* Every angle, or where there are very many shadows, or partitions, one of several neighbours in the file. */
static SinoStatus shade_all(Work *work)
{
    enum { SHADOWS_MANY = 1 << 22, SHADOWS_ENOUGH = 1 << 20 };
    const int64_t all = work->scan->angle_count, partitions = work->decomposition->partition_count;
    const int64_t shadows = sino_times(all, sino_larger(partitions, work->first_rectangle[partitions]));
    const int64_t wanted = shadows > SHADOWS_MANY ? 1 + shadows / SHADOWS_ENOUGH : 1;
    const int64_t step = sino_smaller(wanted, all), count = sino_ceil_divide(all, step);
    Angle *angle = NULL;
    SINO_TRY(sino_allocate(count, sizeof *angle, "angles", &angle));
    for (int64_t k = 0; k < count; k++) {
        const int64_t first = sino_times(k, step), together = sino_smaller(step, all - first);
        const double rad = work->scan->angle_rad[first + together / 2];
        angle[k] = (Angle){.cosine = cos(rad), .sine = sin(rad), .first = first, .end = first + together};
        angle[k].first_bit = bit_of(work, first);
        angle[k].last_bit = bit_of(work, first + together - 1);
    }
    for (int64_t n = 0; n < work->sizes->topology.node_count; n++) {
        const Owner rank = owner_of_rank(work, sino_topology_rank_of_node(&work->sizes->topology, n));
        for (int64_t k = 0; k < count; k++) shade_node(work, n, &rank, &angle[k]);
    }
    for (SinoLevel level = 0; level < SINO_LEVELS; level++) count_taken(work, level, count, angle);
    free(angle);
    return NULL;
}

static void free_shapes(Work *work)
{
    free(work->rectangle);
    free(work->first_rectangle);
    for (int i = 0; i <= SINO_LEVELS; i++) free(work->shadow[i].word);
}

SinoStatus sino_footprint_sizes_new(const SinoGeometry *scan, const SinoDecomposition *decomposition,
                                    const SinoTopology *topology, SinoFootprintSizes *result)
{
    SinoStatus status = NULL;
    SinoFootprintSizes made = {0};
    Work work = {.scan = scan, .decomposition = decomposition, .sizes = &made};
    SINO_TRY_OR(status, cleanup, new_sizes(&work, topology));
    SINO_TRY_OR(status, cleanup, find_rectangles(&work));
    SINO_TRY_OR(status, cleanup, new_shadows(&work));
    SINO_TRY_OR(status, cleanup, shade_all(&work));
    *result = made;
    made = (SinoFootprintSizes){0};
cleanup:
    sino_footprint_sizes_free(&made);
    free_shapes(&work);
    for (SinoLevel level = 0; level < SINO_LEVELS; level++) free(work.owner[level]);
    return status;
}

/* Lists the rays that the rectangles of a partition cover at angle k, and returns their number; `ray` NULL: counts them
 * only. */
static int64_t list_rays(Work *work, int64_t partition, int64_t k, uint32_t *ray)
{
    const double rad = work->scan->angle_rad[k];
    const Angle angle = {.cosine = cos(rad), .sine = sin(rad)};
    Columns *shadow = work->shadow;
    shade_partition(work, partition, &angle);
    for (int64_t w = shadow->first_word; ray && w < shadow->end_word; w++)
        for (uint64_t left = shadow->word[w]; left; left &= left - 1)
            *ray++ = (uint32_t)(k * work->scan->column_count + 64 * w + __builtin_ctzll(left));
    return move_columns(shadow, shadow + 1);
}

SinoStatus sino_footprint_rays(const SinoGeometry *geometry, const SinoDecomposition *decomposition, int64_t partition,
                               int64_t *count, uint32_t **result)
{
    SinoStatus status = NULL;
    uint32_t *ray = NULL;
    int64_t rays = 0;
    Work work = {.scan = geometry, .decomposition = decomposition};
    SINO_TRY_OR(status, cleanup, find_rectangles(&work));
    SINO_TRY_OR(status, cleanup, new_shadows(&work));
    for (int64_t k = 0; k < geometry->angle_count; k++) rays += list_rays(&work, partition, k, NULL);
    SINO_TRY_OR(status, cleanup, sino_allocate(rays, sizeof *ray, "a footprint", &ray));
    *count = rays;
    *result = ray;
    for (int64_t k = 0; k < geometry->angle_count; k++) ray += list_rays(&work, partition, k, ray);
cleanup:
    free_shapes(&work);
    return status;
}

void sino_footprint_sizes_free(SinoFootprintSizes *sizes)
{
    for (SinoLevel level = 0; level < SINO_LEVELS; level++) {
        free(sizes->member[level]);
        free(sizes->taken[level]);
        free(sizes->sender_count[level]);
    }
    *sizes = (SinoFootprintSizes){0};
}

int64_t sino_footprint_sizes_total(const SinoFootprintSizes *sizes, SinoLevel level)
{
    int64_t rays = 0;
    for (int64_t i = 0; i < sizes->member_count[level]; i++) rays += sizes->member[level][i].ray_count;
    return rays;
}

/* Communication: the number of rays that one projection of a slice moves at each level. */

/* Rays that are added if each run of `run` members is summed; *most: rays of the busiest run. */
static int64_t added(const SinoFootprintSizes *sizes, SinoLevel level, int64_t run, int64_t *most)
{
    int64_t all = 0;
    *most = 0;
    if (run == 1) return 0;
    for (int64_t first = 0; first < sizes->member_count[level]; first += run) {
        int64_t rays = 0;
        for (int64_t m = first; m < first + run; m++) rays += sizes->member[level][m].ray_count;
        all += rays;
        *most = sino_larger(*most, rays);
    }
    return all;
}

/* Rays that the members of a level send to the owners. */
static void send(const SinoFootprintSizes *sizes, SinoLevel level, SinoTraffic *traffic)
{
    const int64_t ranks = sizes->topology.rank_count, per_rank = sizes->member_count[level] / ranks;
    for (int64_t r = 0; r < ranks; r++) {
        int64_t rays = 0, messages = 0;
        for (int64_t m = r * per_rank; m < (r + 1) * per_rank; m++) {
            const SinoFootprintSize *size = &sizes->member[level][m];
            rays += size->ray_count - size->own_count;
            messages += size->owner_count;
        }
        traffic->global += rays;
        traffic->messages += messages;
        traffic->most_sent = sino_larger(traffic->most_sent, rays);
        traffic->most_received = sino_larger(traffic->most_received, sizes->taken[level][r]);
        traffic->most_messages =
            sino_larger(traffic->most_messages, sino_larger(messages, sizes->sender_count[level][r]));
    }
}

SinoTraffic sino_traffic(const SinoFootprintSizes *sizes, SinoCommunication communication)
{
    SinoTraffic traffic = {0};
    for (SinoLevel level = 0; level < SINO_LEVELS; level++)
        traffic.footprints[level] = sino_footprint_sizes_total(sizes, level);
    if (communication == SINO_COMMUNICATION_DIRECT) {
        send(sizes, SINO_LEVEL_WORKER, &traffic);
        return traffic;
    }
    traffic.socket = added(sizes, SINO_LEVEL_WORKER, sizes->topology.workers, &traffic.most_socket);
    traffic.node = added(sizes, SINO_LEVEL_SOCKET, sizes->topology.sockets, &traffic.most_node);
    send(sizes, SINO_LEVEL_NODE, &traffic);
    return traffic;
}
