/* SPDX-License-Identifier: BSD-3-Clause */
/* Footprint size: how many rays meet each partition, socket and node of a slice, computed without tracing. */
#include "footprint_size.h"

#include "memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A rectangle of voxels, x ± half_width and y ± half_height in the grid's coordinates (geometry.h). */
typedef struct Rectangle {
    double x, y, half_width, half_height;
} Rectangle;

/* Columns first … last at one angle. */
typedef struct Interval {
    int32_t first, last;
    int32_t rectangle; /* its number in the partition; unused in merged intervals */
} Interval;

/* Consecutive angles that a rank owns, and its bit, different for each owner. */
typedef struct Owner {
    int64_t rank, bit, angle_count;
} Owner;

/* Working memory, used angle by angle. */
typedef struct Work {
    const SinoGeometry *scan;
    const SinoDecomposition *decomposition;
    SinoFootprintSizes *sizes;
    Rectangle *rectangle;         /* of all partitions; owned */
    int64_t *first_rectangle;     /* [partition + 1]; owned */
    Interval *shadow;             /* [rectangle], sorted by first column within a partition; owned */
    Interval *list[2];            /* merged columns of a socket's workers, and of a node's sockets; owned */
    uint64_t *owner[SINO_LEVELS]; /* [member]: bit set of the ranks that own any of its rays; owned */
    Owner *share;                 /* [share_count]: the owners of an angle; owned */
    int64_t share_count;
    int64_t owner_words; /* words of a member's bit set; no more bits than there are angles are needed */
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
    SINO_TRY(sino_allocate(owners, sizeof *work->share, "owners of footprints", &work->share));
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

/* Allocates the lists for the intervals of the largest socket and node. */
static SinoStatus new_lists(Work *work, const SinoTopology *topology)
{
    const int64_t *first = work->first_rectangle, partitions = work->decomposition->partition_count;
    const int64_t node = topology->sockets * topology->workers;
    int64_t most = 0;
    for (int64_t p = 0; p < partitions; p += node) {
        const int64_t count = first[p + node] - first[p];
        if (count > most) most = count;
    }
    for (int i = 0; i < 2; i++) SINO_TRY(sino_allocate(most, sizeof **work->list, "footprints", &work->list[i]));
    SINO_TRY(sino_allocate(first[partitions], sizeof *work->shadow, "footprints", &work->shadow));
    for (int64_t p = 0; p < partitions; p++)
        for (int64_t r = first[p]; r < first[p + 1]; r++) work->shadow[r].rectangle = (int32_t)(r - first[p]);
    return NULL;
}

static int by_first(const void *a, const void *b)
{
    const int32_t p = ((const Interval *)a)->first, q = ((const Interval *)b)->first;
    return (p > q) - (p < q);
}

/* Insertion sort in place, as neighbouring angles have nearly the same order; another sort where they do not. */
static void sort_intervals(int64_t count, Interval *interval)
{
    const int64_t few = 16 * count;
    int64_t moves = 0;
    for (int64_t i = 1; i < count && moves <= few; i++) {
        const Interval moved = interval[i];
        int64_t j = i;
        for (; j > 0 && interval[j - 1].first > moved.first; j--, moves++) interval[j] = interval[j - 1];
        interval[j] = moved;
    }
    if (moves > few) qsort(interval, (size_t)count, sizeof *interval, by_first);
}

/* Merges sorted intervals that overlap or touch, appends the results to `merged`, and returns their number. */
static int64_t merge_intervals(int64_t count, const Interval *sorted, Interval *merged)
{
    int64_t made = 0;
    for (int64_t i = 0; i < count; i++) {
        if (sorted[i].last < sorted[i].first) continue;
        if (made == 0 || sorted[i].first > merged[made - 1].last + 1)
            merged[made++] = sorted[i];
        else if (sorted[i].last > merged[made - 1].last)
            merged[made - 1].last = sorted[i].last;
    }
    return made;
}

static int64_t interval_rays(int64_t count, const Interval *interval)
{
    int64_t rays = 0;
    for (int64_t i = 0; i < count; i++) rays += interval[i].last - interval[i].first + 1;
    return rays;
}

/* An angle of the scan, which stands for `count` of them from number `first` on. */
typedef struct Angle {
    double rad, cosine, sine;
    int64_t first, count;
} Angle;

/* The columns whose rays meet a rectangle in more than 1e-9. */
static void cast_shadow(const Work *work, const Angle *angle, const Rectangle *rectangle, Interval *shadow)
{
    const double touch = 1e-9, middle = rectangle->x * angle->cosine + rectangle->y * angle->sine + work->scan->center;
    const double half =
        rectangle->half_width * fabs(angle->cosine) + rectangle->half_height * fabs(angle->sine) - touch;
    const double first = ceil(middle - half), last = floor(middle + half), end = (double)(work->scan->column_count - 1);
    shadow->first = (int32_t)(first > 0 ? fmin(first, end + 1) : 0);
    shadow->last = (int32_t)(last < end ? fmax(last, -1) : end);
}

/* Finds who owns the angle. */
static void find_owners(Work *work, const Angle *angle)
{
    const int64_t angles = work->scan->angle_count, ranks = work->sizes->topology.rank_count;
    const int64_t end = angle->first + angle->count;
    work->share_count = 0;
    for (int64_t k = angle->first, next; k < end; k = next) {
        const int64_t owner = sino_owner_of_angle(angles, ranks, k);
        next = sino_smaller(sino_owner_first_angle(angles, ranks, owner + 1), end);
        work->share[work->share_count++] = (Owner){owner, ranks < angles ? owner : k, next - k};
    }
}

/* Adds rays of a member that another rank owns to the counts. */
static void count_taken(Work *work, SinoLevel level, int64_t member, const Owner *owner, int64_t rays)
{
    SinoFootprintSizes *sizes = work->sizes;
    uint64_t *word = &work->owner[level][member * work->owner_words + owner->bit / 64];
    const uint64_t bit = (uint64_t)1 << owner->bit % 64;
    const bool is_new = (*word & bit) == 0;
    sizes->taken[level][owner->rank] += rays;
    sizes->member[level][member].owner_count += is_new;
    sizes->sender_count[level][owner->rank] += is_new;
    *word |= bit;
}

/* Adds the rays at an angle of a member, on the node of a rank, to its counts. */
static void count_rays(Work *work, SinoLevel level, int64_t member, int64_t rank, int64_t rays)
{
    SinoFootprintSize *size = &work->sizes->member[level][member];
    if (rays == 0) return;
    for (const Owner *owner = work->share; owner < work->share + work->share_count; owner++) {
        const int64_t owned = sino_times(rays, owner->angle_count);
        size->ray_count += owned;
        if (owner->rank == rank)
            size->own_count += owned;
        else
            count_taken(work, level, member, owner, owned);
    }
}

/* Appends one partition's columns to `merged`; returns the number of intervals. */
static int64_t shade_partition(Work *work, int64_t partition, const Angle *angle, Interval *merged)
{
    const int64_t first = work->first_rectangle[partition], count = work->first_rectangle[partition + 1] - first;
    Interval *shadow = work->shadow + first;
    for (int64_t i = 0; i < count; i++)
        cast_shadow(work, angle, &work->rectangle[first + shadow[i].rectangle], &shadow[i]);
    sort_intervals(count, shadow);
    return merge_intervals(count, shadow, merged);
}

static void shade_node(Work *work, int64_t node, const Angle *angle)
{
    const SinoTopology *topology = &work->sizes->topology;
    Interval *of_workers = work->list[0], *of_sockets = work->list[1];
    const int64_t rank = sino_topology_rank_of_node(topology, node);
    int64_t node_count = 0;
    for (int64_t s = node * topology->sockets; s < (node + 1) * topology->sockets; s++) {
        int64_t socket_count = 0;
        for (int64_t p = s * topology->workers; p < (s + 1) * topology->workers; p++) {
            const int64_t count = shade_partition(work, p, angle, of_workers + socket_count);
            count_rays(work, SINO_LEVEL_WORKER, p, rank, interval_rays(count, of_workers + socket_count));
            socket_count += count;
        }
        sort_intervals(socket_count, of_workers);
        const int64_t merged = merge_intervals(socket_count, of_workers, of_sockets + node_count);
        count_rays(work, SINO_LEVEL_SOCKET, s, rank, interval_rays(merged, of_sockets + node_count));
        node_count += merged;
    }
    sort_intervals(node_count, of_sockets);
    const int64_t merged = merge_intervals(node_count, of_sockets, of_workers);
    count_rays(work, SINO_LEVEL_NODE, node, rank, interval_rays(merged, of_workers));
}

static int by_angle(const void *a, const void *b)
{
    const Angle *p = a, *q = b;
    if (p->rad != q->rad) return p->rad < q->rad ? -1 : 1;
    return (p->first > q->first) - (p->first < q->first);
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
        const int64_t first = k * step, together = sino_smaller(step, all - first);
        const double rad = work->scan->angle_rad[first + together / 2];
        angle[k] = (Angle){rad, cos(rad), sin(rad), first, together};
    }
    bool sorted = true; /* as the angles of most scans are */
    for (int64_t k = 1; k < count && sorted; k++) sorted = by_angle(&angle[k - 1], &angle[k]) <= 0;
    if (!sorted) qsort(angle, (size_t)count, sizeof *angle, by_angle);
    for (int64_t k = 0; k < count; k++) {
        find_owners(work, &angle[k]);
        for (int64_t n = 0; n < work->sizes->topology.node_count; n++) shade_node(work, n, &angle[k]);
    }
    free(angle);
    return NULL;
}

SinoStatus sino_footprint_sizes_new(const SinoGeometry *scan, const SinoDecomposition *decomposition,
                                    const SinoTopology *topology, SinoFootprintSizes *result)
{
    SinoStatus status = NULL;
    SinoFootprintSizes made = {0};
    Work work = {.scan = scan, .decomposition = decomposition, .sizes = &made};
    SINO_TRY_OR(status, cleanup, new_sizes(&work, topology));
    SINO_TRY_OR(status, cleanup, find_rectangles(&work));
    SINO_TRY_OR(status, cleanup, new_lists(&work, topology));
    SINO_TRY_OR(status, cleanup, shade_all(&work));
    *result = made;
    made = (SinoFootprintSizes){0};
cleanup:
    sino_footprint_sizes_free(&made);
    free(work.rectangle);
    free(work.first_rectangle);
    free(work.share);
    free(work.shadow);
    for (int i = 0; i < 2; i++) free(work.list[i]);
    for (SinoLevel level = 0; level < SINO_LEVELS; level++) free(work.owner[level]);
    return status;
}

/* Lists the rays that the rectangles of a partition cover at angle k; `ray` NULL: counts them only. */
static int64_t list_rays(Work *work, int64_t partition, int64_t k, Interval *merged, uint32_t *ray)
{
    const double rad = work->scan->angle_rad[k];
    const Angle angle = {.rad = rad, .cosine = cos(rad), .sine = sin(rad)};
    const int64_t intervals = shade_partition(work, partition, &angle, merged), columns = work->scan->column_count;
    for (int64_t i = 0; ray && i < intervals; i++)
        for (int64_t c = merged[i].first; c <= merged[i].last; c++) *ray++ = (uint32_t)(k * columns + c);
    return interval_rays(intervals, merged);
}

SinoStatus sino_footprint_rays(const SinoGeometry *geometry, const SinoDecomposition *decomposition, int64_t partition,
                               int64_t *count, uint32_t **result)
{
    SinoStatus status = NULL;
    Interval *merged = NULL;
    uint32_t *ray = NULL;
    int64_t rays = 0;
    Work work = {.scan = geometry, .decomposition = decomposition};
    SINO_TRY_OR(status, cleanup, find_rectangles(&work));
    const int64_t *first = work.first_rectangle, boxes = first[partition + 1] - first[partition];
    SINO_TRY_OR(status, cleanup,
                sino_allocate(first[decomposition->partition_count], sizeof *work.shadow, "footprints", &work.shadow));
    SINO_TRY_OR(status, cleanup, sino_allocate(boxes, sizeof *merged, "footprints", &merged));
    for (int64_t r = 0; r < boxes; r++) work.shadow[first[partition] + r].rectangle = (int32_t)r;
    for (int64_t k = 0; k < geometry->angle_count; k++) rays += list_rays(&work, partition, k, merged, NULL);
    SINO_TRY_OR(status, cleanup, sino_allocate(rays, sizeof *ray, "a footprint", &ray));
    *count = rays;
    *result = ray;
    for (int64_t k = 0; k < geometry->angle_count; k++) ray += list_rays(&work, partition, k, merged, ray);
cleanup:
    free(merged);
    free(work.rectangle);
    free(work.first_rectangle);
    free(work.shadow);
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
