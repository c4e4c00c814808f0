/* SPDX-License-Identifier: BSD-3-Clause */
/* Brick pack: the entries of a band are put into buckets of their tiles, each bucket is sorted by row, brick and lane
 * (radix sort), and then written segment by segment. */
#include "brick_pack.h"

#include "memory.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    LANE_BITS = 5,
    BRICK_BITS = 8,
    DIGIT_BITS = 9, /* two digits are row, brick and lane */
    DIGITS = 1 << DIGIT_BITS,
    FEW = 48, /* entries that are sorted by insertion */
    SHIFT_MOST = 7
};

/* A nonzero. In a bucket `at` is row of the band · 2¹³ + brick of the tile · 2⁵ + lane. */
typedef struct Entry {
    uint32_t at; /* as it arrives: the voxel's place */
    float value;
} Entry;

/* The entries of a tile in a band. */
typedef struct Bucket {
    uint32_t tile;
    int64_t first, end; /* of the sorted entries */
} Bucket;

/* A row's entries in a bucket. */
typedef struct Run {
    int row;
    int64_t first, end, bricks;
    float most;
} Run;

/* Arrays of a band while it is made: [capacity]. */
typedef struct Work {
    int64_t capacity;
    Entry *arrived, *sorted, *spare;
    Bucket *bucket;
    SinoBrickArrays out; /* all but unit */
} Work;

struct SinoBrickPacker {
    const SinoBrickOrder *order; /* not owned */
    SinoPrecision precision;
    SinoBrickHead *head; /* the block; not owned */
    int64_t capacity, at;
    int64_t rows;                      /* that arrived, of row_count */
    int64_t row_end[SINO_BRICK_ROWS];  /* of the rows of this band in work.arrived */
    int64_t *tile_entries;             /* [tile_count]: those of this band; 0 between bands */
    uint8_t lane_of[SINO_BRICK_LANES]; /* by row of the brick */
    float unit[SINO_BRICK_ROWS];       /* largest values, then units of the rows of this band */
    SinoBrickBand band;
    Work work;
};

int64_t sino_brick_bytes_most(int64_t row_count, int64_t nonzero_count)
{
    enum { EACH = 20, BAND = 192 }; /* a nonzero with visit, segment, brick and unit of its own; head and padding */
    const int64_t bands = sino_smaller(sino_brick_band_count(row_count), nonzero_count);
    return sino_smaller(sino_brick_head_bytes(row_count) + SINO_BRICK_TAIL + sino_times(nonzero_count, EACH) +
                            sino_times(bands, BAND),
                        (int64_t)1 << 59);
}

/* ---- work memory ---- */

static void free_work(Work *work)
{
    free(work->arrived);
    free(work->sorted);
    free(work->spare);
    free(work->bucket);
    free(work->out.first);
    free(work->out.value);
    free(work->out.mask);
    free(work->out.segment);
    free(work->out.brick);
    free(work->out.segments);
    *work = (Work){.capacity = 0};
}

static SinoStatus allocate_work(int64_t capacity, Work *work)
{
    static const char what[] = "packing a band of rows";
    work->capacity = capacity;
    SINO_TRY(sino_allocate(capacity, sizeof *work->arrived, what, &work->arrived));
    SINO_TRY(sino_allocate(capacity, sizeof *work->sorted, what, &work->sorted));
    SINO_TRY(sino_allocate(capacity, sizeof *work->spare, what, &work->spare));
    SINO_TRY(sino_allocate(capacity, sizeof *work->bucket, what, &work->bucket));
    SINO_TRY(sino_allocate(capacity, sizeof *work->out.first, what, &work->out.first));
    SINO_TRY(sino_allocate(capacity, sizeof(float), what, &work->out.value));
    SINO_TRY(sino_allocate(capacity, sizeof(uint32_t), what, &work->out.mask));
    SINO_TRY(sino_allocate(capacity, sizeof *work->out.segment, what, &work->out.segment));
    SINO_TRY(sino_allocate(capacity, sizeof *work->out.brick, what, &work->out.brick));
    return sino_allocate(capacity, sizeof *work->out.segments, what, &work->out.segments);
}

/* Makes room for `more` entries beside the `kept` ones that arrived. */
static SinoStatus make_room(int64_t kept, int64_t more, Work *work)
{
    if (kept + more <= work->capacity) return NULL;
    Work larger = {.capacity = 0};
    SinoStatus status = allocate_work(sino_larger(kept + more, work->capacity + work->capacity / 2), &larger);
    if (status) {
        free_work(&larger);
        return status;
    }
    if (kept > 0) memcpy(larger.arrived, work->arrived, (size_t)kept * sizeof *work->arrived);
    free_work(work);
    *work = larger;
    return NULL;
}

/* ---- a band ---- */

static SinoStatus too_small(const SinoBrickPacker *packer)
{
    return sino_error(SINO_FAILED, "a block of bricks: %" PRId64 " bytes are too few for its rows", packer->capacity);
}

static int by_tile(const void *a, const void *b)
{
    const Bucket *x = a, *y = b;
    return x->tile < y->tile ? -1 : x->tile > y->tile;
}

static uint32_t tile_of(const SinoBrickPacker *packer, uint32_t place)
{
    return packer->order->tile_of[place / (uint32_t)packer->order->lanes];
}

/* Counts the entries of tiles, and places the buckets one after another. Returns their number. */
static int64_t find_buckets(SinoBrickPacker *packer, int64_t entries)
{
    Work *const work = &packer->work;
    int64_t count = 0, first = 0;
    for (int64_t i = 0; i < entries; i++) {
        const uint32_t tile = tile_of(packer, work->arrived[i].at);
        if (packer->tile_entries[tile]++ == 0) work->bucket[count++].tile = tile;
    }
    qsort(work->bucket, (size_t)count, sizeof *work->bucket, by_tile);
    for (int64_t i = 0; i < count; i++) {
        Bucket *const bucket = &work->bucket[i];
        int64_t *const entered = &packer->tile_entries[bucket->tile];
        bucket->first = first;
        bucket->end = first += *entered;
        *entered = bucket->first; /* where the next entry goes */
    }
    return count;
}

static void fill_buckets(SinoBrickPacker *packer, int64_t rows)
{
    const SinoBrickOrder *order = packer->order;
    const uint32_t lanes = (uint32_t)order->lanes;
    int64_t i = 0;
    for (int64_t row = 0; row < rows; row++)
        for (; i < packer->row_end[row]; i++) {
            const Entry entry = packer->work.arrived[i];
            const uint32_t tile = tile_of(packer, entry.at);
            const uint32_t brick = entry.at / lanes - (uint32_t)order->tile_first[tile];
            const uint32_t lane = packer->lane_of[entry.at % lanes];
            packer->work.sorted[packer->tile_entries[tile]++] =
                (Entry){(uint32_t)row << (BRICK_BITS + LANE_BITS) | brick << LANE_BITS | lane, entry.value};
        }
}

static void insertion_sort(int64_t count, Entry *entry)
{
    for (int64_t i = 1; i < count; i++) {
        const Entry moved = entry[i];
        int64_t at = i;
        for (; at > 0 && entry[at - 1].at > moved.at; at--) entry[at] = entry[at - 1];
        entry[at] = moved;
    }
}

/* One pass of a radix sort. place[digit]: how many entries have it. */
static void scatter(int64_t count, const Entry *from, int shift, int32_t *place, Entry *to)
{
    int32_t before = 0;
    for (int i = 0; i < DIGITS; i++) {
        const int32_t with = place[i];
        place[i] = before;
        before += with;
    }
    for (int64_t i = 0; i < count; i++) to[place[from[i].at >> shift & (DIGITS - 1)]++] = from[i];
}

static void radix_sort(int64_t count, Entry *entry, Entry *spare)
{
    int32_t low[DIGITS] = {0}, high[DIGITS] = {0};
    for (int64_t i = 0; i < count; i++) {
        low[entry[i].at & (DIGITS - 1)]++;
        high[entry[i].at >> DIGIT_BITS]++;
    }
    scatter(count, entry, 0, low, spare);
    scatter(count, spare, DIGIT_BITS, high, entry);
}

/* Adds up entries of the same row and column. Returns how many are left. */
static int64_t merge(int64_t count, Entry *entry)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < count; i++)
        if (kept > 0 && entry[kept - 1].at == entry[i].at)
            entry[kept - 1].value += entry[i].value;
        else
            entry[kept++] = entry[i];
    return kept;
}

static void sort_bucket(SinoBrickPacker *packer, Bucket *bucket)
{
    Entry *const entry = packer->work.sorted + bucket->first;
    const int64_t count = bucket->end - bucket->first;
    if (count <= FEW)
        insertion_sort(count, entry);
    else
        radix_sort(count, entry, packer->work.spare);
    bucket->end = bucket->first + merge(count, entry);
    for (int64_t i = bucket->first; i < bucket->end; i++) {
        float *const most = &packer->unit[packer->work.sorted[i].at >> (BRICK_BITS + LANE_BITS)];
        *most = fmaxf(*most, packer->work.sorted[i].value);
    }
}

/* The runs of a bucket, those of fewer bricks first. Returns their number. */
static int find_runs(const Bucket *bucket, const Entry *entry, Run run[SINO_BRICK_ROWS])
{
    int count = 0;
    uint32_t brick = UINT32_MAX;
    for (int64_t i = bucket->first; i < bucket->end; i++) {
        const int row = (int)(entry[i].at >> (BRICK_BITS + LANE_BITS));
        if (count == 0 || run[count - 1].row != row) run[count++] = (Run){.row = row, .first = i};
        Run *const last = &run[count - 1];
        last->end = i + 1;
        last->most = fmaxf(last->most, entry[i].value);
        last->bricks += entry[i].at >> LANE_BITS != brick;
        brick = entry[i].at >> LANE_BITS;
    }
    for (int i = 1; i < count; i++) {
        const Run moved = run[i];
        int at = i;
        for (; at > 0 && run[at - 1].bricks > moved.bricks; at--) run[at] = run[at - 1];
        run[at] = moved;
    }
    return count;
}

static uint16_t rounded(float value, float per_unit)
{
    return (uint16_t)fminf(value * per_unit + 0.5F, 65535);
}

/* The values of a run; returns the segment's shift. */
static int write_values(const SinoBrickPacker *packer, const Run *run)
{
    const Entry *entry = packer->work.sorted + run->first;
    const int64_t at = packer->band.value_count, count = run->end - run->first;
    if (packer->precision == SINO_SINGLE) {
        float *const to = (float *)packer->work.out.value + at;
        for (int64_t i = 0; i < count; i++) to[i] = entry[i].value;
        return 0;
    }
    uint16_t *const to = (uint16_t *)packer->work.out.value + at;
    const float unit = packer->unit[run->row];
    int shift = 0;
    while (shift < SHIFT_MOST && run->most * (float)(2 << shift) <= 65535 * unit) shift++;
    const float per_unit = (float)(1 << shift) / unit;
    for (int64_t i = 0; i < count; i++) to[i] = rounded(entry[i].value, per_unit);
    return shift;
}

static void write_bricks(SinoBrickPacker *packer, const Run *run)
{
    const Entry *entry = packer->work.sorted;
    const SinoBrickArrays *out = &packer->work.out;
    int64_t at = packer->band.brick_count - 1;
    uint32_t brick = UINT32_MAX, mask = 0;
    for (int64_t i = run->first; i < run->end; i++) {
        if (entry[i].at >> LANE_BITS != brick) {
            brick = entry[i].at >> LANE_BITS;
            out->brick[++at] = (uint8_t)brick;
            mask = 0;
        }
        mask |= 1U << (entry[i].at & (SINO_BRICK_LANES - 1));
        if (packer->order->lanes == 32)
            ((uint32_t *)out->mask)[at] = mask;
        else
            ((uint16_t *)out->mask)[at] = (uint16_t)mask;
    }
    packer->band.brick_count = at + 1;
}

static void write_bucket(SinoBrickPacker *packer, const Bucket *bucket)
{
    Run run[SINO_BRICK_ROWS];
    const SinoBrickArrays *out = &packer->work.out;
    SinoBrickBand *const band = &packer->band;
    const int count = find_runs(bucket, packer->work.sorted, run);
    out->first[band->visit_count] = (uint32_t)packer->order->tile_first[bucket->tile];
    out->segments[band->visit_count++] = (uint8_t)(count - 1);
    for (int i = 0; i < count; i++) {
        const int shift = write_values(packer, &run[i]);
        write_bricks(packer, &run[i]);
        out->segment[band->segment_count++] = (uint16_t)(run[i].bricks - 1 + (run[i].row << 8) + (shift << 13));
        band->value_count += run[i].end - run[i].first;
    }
}

/* Units are so large that 2^SHIFT_MOST/unit is finite. */
static const float unit_least = 0x1p-112F;

/* Turns the largest values of rows into units. */
static void find_units(SinoBrickPacker *packer)
{
    for (int row = 0; row < SINO_BRICK_ROWS; row++) {
        if (packer->unit[row] > 0) packer->band.rows |= 1U << row;
        packer->unit[row] = fmaxf(packer->unit[row] / 65535, unit_least);
    }
}

/* Copies the finished arrays to their places in the block. */
static SinoStatus append_band(SinoBrickPacker *packer)
{
    SinoBrickArrays to;
    const SinoBrickArrays *out = &packer->work.out;
    SinoBrickBand *const band = (SinoBrickBand *)(void *)((char *)packer->head + packer->at);
    const int64_t lanes = packer->order->lanes, precision = packer->precision;
    const int64_t bytes = sino_brick_band_arrays(&packer->band, lanes, precision, &to);
    if (bytes > packer->capacity - SINO_BRICK_TAIL - packer->at) return too_small(packer);
    memset(band, 0, (size_t)bytes);
    *band = packer->band;
    (void)sino_brick_band_arrays(band, lanes, precision, &to);
    const size_t value_bytes = precision == SINO_MIXED ? sizeof(uint16_t) : sizeof(float);
    memcpy(to.first, out->first, (size_t)band->visit_count * sizeof *to.first);
    memcpy(to.value, out->value, (size_t)band->value_count * value_bytes);
    memcpy(to.mask, out->mask, (size_t)band->brick_count * (size_t)(lanes / 8));
    memcpy(to.segment, out->segment, (size_t)band->segment_count * sizeof *to.segment);
    memcpy(to.brick, out->brick, (size_t)band->brick_count);
    memcpy(to.segments, out->segments, (size_t)band->visit_count);
    for (int row = 0, i = 0; precision == SINO_MIXED && row < SINO_BRICK_ROWS; row++)
        if (band->rows >> row & 1) to.unit[i++] = packer->unit[row];
    packer->at += bytes;
    return NULL;
}

static void count_band(SinoBrickPacker *packer)
{
    packer->head->nonzero_count += packer->band.value_count;
    packer->head->stored_brick_count += packer->band.brick_count;
    packer->head->segment_count += packer->band.segment_count;
}

/* Packs the rows that arrived since the last band. */
static SinoStatus pack_band(SinoBrickPacker *packer)
{
    const int64_t number = (packer->rows - 1) / SINO_BRICK_ROWS, rows = packer->rows - number * SINO_BRICK_ROWS;
    const int64_t entries = packer->row_end[rows - 1];
    packer->band = (SinoBrickBand){.visit_count = 0};
    memset(packer->unit, 0, sizeof packer->unit);
    if (entries > 0) {
        const int64_t buckets = find_buckets(packer, entries);
        fill_buckets(packer, rows);
        for (int64_t i = 0; i < buckets; i++) {
            packer->tile_entries[packer->work.bucket[i].tile] = 0;
            sort_bucket(packer, &packer->work.bucket[i]);
        }
        find_units(packer);
        for (int64_t i = 0; i < buckets; i++) write_bucket(packer, &packer->work.bucket[i]);
        SINO_TRY(append_band(packer));
        count_band(packer);
    }
    ((int64_t *)(packer->head + 1))[number + 1] = packer->at;
    return NULL;
}

/* ---- rows ---- */

SinoStatus sino_brick_packer_new(const SinoBrickOrder *order, SinoPrecision precision, int64_t row_count, void *block,
                                 int64_t capacity, SinoBrickPacker **result)
{
    SinoBrickPacker *packer;
    const int64_t head_bytes = sino_brick_head_bytes(row_count);
    assert(order->tile_count > 0 && (precision == SINO_SINGLE || precision == SINO_MIXED));
    SINO_TRY(sino_allocate(1, sizeof *packer, "packing rows", &packer));
    *packer = (SinoBrickPacker){
        .order = order, .precision = precision, .head = block, .capacity = capacity, .at = head_bytes};
    SinoStatus status = capacity < head_bytes + SINO_BRICK_TAIL ? too_small(packer) : NULL;
    if (!status)
        status = sino_allocate(order->tile_count, sizeof *packer->tile_entries, "tiles", &packer->tile_entries);
    if (status) {
        sino_brick_packer_free(packer);
        return status;
    }
    for (int64_t lane = 0; lane < order->lanes; lane++)
        packer->lane_of[sino_brick_lane_row(order->lanes, precision, lane)] = (uint8_t)lane;
    memset(block, 0, (size_t)head_bytes);
    *packer->head = (SinoBrickHead){
        .row_count = row_count, .brick_count = order->brick_count, .lanes = order->lanes, .precision = precision};
    ((int64_t *)(packer->head + 1))[0] = head_bytes;
    *result = packer;
    return NULL;
}

void sino_brick_packer_free(SinoBrickPacker *packer)
{
    if (!packer) return;
    free_work(&packer->work);
    free(packer->tile_entries);
    free(packer);
}

/* Notes the entries of a row behind those that arrived before. */
static SinoStatus take_row(SinoBrickPacker *packer, const SinoSparseRows *rows, int64_t i)
{
    const SinoBrickOrder *order = packer->order;
    const int64_t in_band = packer->rows % SINO_BRICK_ROWS, row = rows->first_row + i;
    int64_t end = in_band == 0 ? 0 : packer->row_end[in_band - 1];
    SINO_TRY(make_room(end, rows->start[i + 1] - rows->start[i], &packer->work));
    Entry *const to = packer->work.arrived;
    for (int64_t k = rows->start[i]; k < rows->start[i + 1]; k++) {
        const float value = rows->value[k];
        SINO_CHECK((int64_t)rows->column[k] < order->column_count, SINO_BAD_INPUT,
                   "row %" PRId64 " of the matrix has column %" PRIu32 ", not below %" PRId64, row, rows->column[k],
                   order->column_count);
        SINO_CHECK(value >= 0 && value <= 0x1.fffffep127F, SINO_BAD_INPUT,
                   "row %" PRId64 " of the matrix has the value %g, not a finite one of at least 0", row,
                   (double)value);
        to[end] = (Entry){order->place[rows->column[k]], value};
        end += value > 0;
    }
    packer->row_end[in_band] = end;
    packer->rows++;
    return NULL;
}

SinoStatus sino_brick_pack_rows(SinoBrickPacker *packer, const SinoSparseRows *rows)
{
    for (int64_t i = 0; i < rows->row_count; i++) {
        assert(packer->rows < packer->head->row_count);
        SINO_TRY(take_row(packer, rows, i));
        if (packer->rows % SINO_BRICK_ROWS == 0) SINO_TRY(pack_band(packer));
    }
    return NULL;
}

SinoStatus sino_brick_pack_end(SinoBrickPacker *packer, int64_t *bytes)
{
    assert(packer->rows == packer->head->row_count);
    if (packer->rows % SINO_BRICK_ROWS != 0) SINO_TRY(pack_band(packer));
    memset((char *)packer->head + packer->at, 0, SINO_BRICK_TAIL);
    packer->head->bytes = packer->at + SINO_BRICK_TAIL;
    *bytes = packer->head->bytes;
    return NULL;
}

SinoStatus sino_brick_pack(const SinoBrickOrder *order, SinoPrecision precision, const SinoSparseRows *rows,
                           SinoBrickHead **block)
{
    const int64_t most = sino_brick_bytes_most(rows->row_count, rows->start[rows->row_count] - rows->start[0]);
    SinoBrickPacker *packer = NULL;
    SinoStatus status = NULL;
    int64_t bytes;
    void *const memory = sino_reserve(most);
    SINO_CHECK(memory, SINO_FAILED, "no addresses for a block of bricks");
    SINO_TRY_OR(status, end, sino_brick_packer_new(order, precision, rows->row_count, memory, most, &packer));
    SINO_TRY_OR(status, end, sino_brick_pack_rows(packer, rows));
    SINO_TRY_OR(status, end, sino_brick_pack_end(packer, &bytes));
    *block = sino_allocate_large(bytes);
    SINO_CHECK_OR(status, end, *block, SINO_FAILED, "no memory for a block of bricks");
    memcpy(*block, memory, (size_t)bytes);
end:
    sino_brick_packer_free(packer);
    sino_release(memory, most);
    return status;
}
