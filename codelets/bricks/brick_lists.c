/* SPDX-License-Identifier: BSD-3-Clause */
/* Brick lists: two walks over the stored bricks of each wave, of which the first counts those of each brick of x, and
 * the second writes them. */
#include "brick_lists.h"

#include "memory.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A stored brick, as a walk over a band meets it. */
typedef struct Met {
    uint32_t row, shift; /* of the band; of the segment */
    uint32_t brick, mask;
    uint32_t value; /* its first one, of the band */
} Met;

typedef void Meet(const Met *met, void *context);

static const SinoBrickBand *band_at(const SinoBrickHead *head, int64_t band)
{
    const int64_t *offset = sino_brick_offsets(head);
    return offset[band + 1] > offset[band] ? (const void *)((const char *)head + offset[band]) : NULL;
}

static uint32_t mask_of(const SinoBrickHead *head, const SinoBrickArrays *arrays, int64_t brick)
{
    return head->lanes == 32 ? ((const uint32_t *)arrays->mask)[brick] : ((const uint16_t *)arrays->mask)[brick];
}

/* Calls `meet` for each stored brick of a band, in its order. */
static void walk_band(const SinoBrickHead *head, const SinoBrickBand *band, const SinoBrickArrays *arrays, Meet *meet,
                      void *context)
{
    int64_t segment = 0, brick = 0;
    Met met = {.value = 0};
    for (int64_t visit = 0; visit < band->visit_count; visit++)
        for (int left = arrays->segments[visit]; left >= 0; left--, segment++) {
            met.row = arrays->segment[segment] >> 8 & (SINO_BRICK_ROWS - 1);
            met.shift = arrays->segment[segment] >> 13;
            for (int bricks = arrays->segment[segment] & 0xff; bricks >= 0; bricks--, brick++) {
                met.brick = arrays->first[visit] + arrays->brick[brick];
                met.mask = mask_of(head, arrays, brick);
                meet(&met, context);
                met.value += (uint32_t)__builtin_popcount(met.mask);
            }
        }
}

static void walk_wave(const SinoBrickHead *head, int64_t first_band, int64_t end_band, Meet *meet, void *context)
{
    SinoBrickArrays arrays;
    for (int64_t b = first_band; b < end_band; b++) {
        const SinoBrickBand *band = band_at(head, b);
        if (!band) continue;
        (void)sino_brick_band_arrays(band, head->lanes, head->precision, &arrays);
        walk_band(head, band, &arrays, meet, context);
    }
}

/* The band behind a wave that begins with `first`. */
static int64_t end_of_wave(const SinoBrickHead *head, int64_t first)
{
    const int64_t *offset = sino_brick_offsets(head), bands = sino_brick_band_count(head->row_count);
    int64_t end = first + 1;
    while (end < bands && end - first < SINO_BRICK_WAVE_ROWS / SINO_BRICK_ROWS &&
           offset[end + 1] - offset[first] <= SINO_BRICK_WAVE)
        end++;
    return end;
}

/* ---- sizes ---- */

static void count_met(const Met *met, void *context)
{
    uint32_t *const count = context;
    count[met->brick]++;
}

/* Counts the stored bricks of each brick of x in a wave. Returns how many have any. */
static int64_t count_runs(const SinoBrickHead *head, int64_t first_band, int64_t end_band, uint32_t *count)
{
    int64_t runs = 0;
    memset(count, 0, (size_t)head->brick_count * sizeof *count);
    walk_wave(head, first_band, end_band, count_met, count);
    for (int64_t i = 0; i < head->brick_count; i++) runs += count[i] > 0;
    return runs;
}

static int64_t place_array(SinoBrickLists *lists, int64_t count, size_t bytes)
{
    const int64_t at = lists->bytes;
    lists->bytes = sino_ceil_multiple(at + sino_times(count, (int64_t)bytes), 64);
    return at;
}

/* The head of the lists: places the arrays one after another. */
static SinoBrickLists head_of(const SinoBrickHead *head, int64_t waves, int64_t runs)
{
    const int64_t entries = head->stored_brick_count;
    SinoBrickLists lists = {.bytes = sino_ceil_multiple(sizeof lists, 64),
                            .lanes = head->lanes,
                            .precision = head->precision,
                            .row_count = head->row_count,
                            .brick_count = head->brick_count,
                            .wave_count = waves,
                            .run_count = runs,
                            .entry_count = entries};
    const size_t mask_bytes = (size_t)head->lanes / 8;
    lists.wave_at = place_array(&lists, waves, sizeof(SinoBrickWave));
    lists.row_at = place_array(&lists, head->row_count + 1, sizeof(SinoBrickListRow));
    lists.row_value_at = place_array(&lists, entries, sizeof(uint32_t));
    lists.row_mask_at = place_array(&lists, entries, mask_bytes);
    lists.row_brick_at = place_array(&lists, entries, sizeof(uint32_t));
    lists.run_at = place_array(&lists, runs + waves, sizeof(SinoBrickListRun));
    lists.run_value_at = place_array(&lists, entries, sizeof(uint32_t));
    lists.run_mask_at = place_array(&lists, entries, mask_bytes);
    lists.run_code_at = place_array(&lists, entries, sizeof(uint16_t));
    return lists;
}

static SinoStatus check_sizes(const SinoBrickHead *head)
{
    const int64_t *offset = sino_brick_offsets(head), bands = sino_brick_band_count(head->row_count);
    const int64_t most = (int64_t)UINT32_MAX * (int64_t)sizeof(uint16_t); /* a value takes 2 bytes or more */
    SINO_CHECK(head->stored_brick_count <= UINT32_MAX, SINO_FAILED,
               "a block of bricks for GPUs: %" PRId64 " stored bricks; allowed: up to %" PRIu32,
               head->stored_brick_count, UINT32_MAX);
    for (int64_t b = 0; b < bands; b++)
        SINO_CHECK(offset[b + 1] - offset[b] <= most, SINO_FAILED,
                   "a block of bricks for GPUs: %" PRId64 " bytes for %d rows; allowed: up to %" PRId64,
                   offset[b + 1] - offset[b], SINO_BRICK_ROWS, most);
    return NULL;
}

static SinoStatus measure(const SinoBrickHead *head, uint32_t **count, SinoBrickLists *lists)
{
    const int64_t bands = sino_brick_band_count(head->row_count);
    int64_t waves = 0, runs = 0;
    SINO_TRY(check_sizes(head));
    SINO_TRY(sino_allocate(sino_larger(head->brick_count, 1), sizeof **count, "lists of bricks", count));
    for (int64_t first = 0; first < bands; waves++) {
        const int64_t end = end_of_wave(head, first);
        runs += count_runs(head, first, end, *count);
        first = end;
    }
    *lists = head_of(head, waves, runs);
    return NULL;
}

SinoStatus sino_brick_lists_bytes(const void *block, int64_t *bytes)
{
    uint32_t *count = NULL;
    SinoBrickLists lists;
    SINO_TRY(measure(block, &count, &lists));
    free(count);
    *bytes = lists.bytes;
    return NULL;
}

int64_t sino_brick_lists_bytes_most(int64_t row_count, int64_t nonzero_count)
{
    static const int64_t masks = 4, arrays = 576; /* bytes: of a mask, at most; by which nine arrays are aligned */
    const int64_t of_wave = (int64_t)(sizeof(SinoBrickWave) + sizeof(SinoBrickListRun));
    const int64_t of_entry = 2 * ((int64_t)sizeof(uint32_t) + masks) + (int64_t)(sizeof(uint32_t) + sizeof(uint16_t)) +
                             (int64_t)sizeof(SinoBrickListRun);
    return sino_times(row_count + 1, (int64_t)sizeof(SinoBrickListRow)) +
           sino_times(sino_brick_band_count(row_count), of_wave) + sino_times(nonzero_count, of_entry) +
           (int64_t)sizeof(SinoBrickLists) + arrays;
}

/* ---- entries ---- */

static void *array(SinoBrickLists *lists, int64_t at)
{
    return (char *)lists + at;
}

/* Where entries of rows, or of runs, go: the next one of each. */
typedef struct Entries {
    const SinoBrickHead *head;
    uint32_t *next, *value; /* [row of the band] or [brick]; [entry] */
    void *mask;
    uint32_t *brick;      /* of rows */
    uint16_t *code;       /* of runs */
    uint32_t first_value; /* of the band, from what values are counted from */
    uint32_t first_row;   /* of the band, in the wave */
} Entries;

static void note(const Entries *entries, const Met *met, uint32_t at)
{
    entries->value[at] = entries->first_value + met->value;
    if (entries->head->lanes == 32)
        ((uint32_t *)entries->mask)[at] = met->mask;
    else
        ((uint16_t *)entries->mask)[at] = (uint16_t)met->mask;
}

/* The values of a band, counted in values from `start`. */
static uint32_t first_value(const SinoBrickHead *head, const SinoBrickArrays *arrays, const void *start)
{
    const int64_t bytes = head->precision == SINO_SINGLE ? (int64_t)sizeof(float) : (int64_t)sizeof(uint16_t);
    return (uint32_t)(((const char *)arrays->value - (const char *)start) / bytes);
}

/* ---- rows ---- */

static void count_of_row(const Met *met, void *context)
{
    uint32_t *const count = context;
    count[met->row]++;
}

static void note_of_row(const Met *met, void *context)
{
    const Entries *entries = context;
    const uint32_t at = entries->next[met->row]++;
    note(entries, met, at);
    entries->brick[at] = met->brick | met->shift << 29;
}

/* The rows of a band, which may be NULL. row[count]: begins where these end. */
static void fill_band_rows(const SinoBrickBand *band, int64_t count, Entries *entries, SinoBrickListRow *row)
{
    const SinoBrickHead *head = entries->head;
    SinoBrickArrays arrays;
    uint32_t next[SINO_BRICK_ROWS] = {0};
    if (band) {
        (void)sino_brick_band_arrays(band, head->lanes, head->precision, &arrays);
        walk_band(head, band, &arrays, count_of_row, next);
    }
    for (int64_t r = 0; r < count; r++) {
        const bool has_unit = band && head->precision == SINO_MIXED && (band->rows >> r & 1);
        row[r].unit = has_unit ? *arrays.unit++ : 1;
        row[r + 1].entry = row[r].entry + next[r];
        next[r] = row[r].entry;
    }
    if (!band) return;
    entries->next = next;
    entries->first_value = first_value(head, &arrays, band);
    walk_band(head, band, &arrays, note_of_row, entries);
}

static void fill_rows(const SinoBrickHead *head, SinoBrickLists *lists)
{
    SinoBrickListRow *const row = array(lists, lists->row_at);
    Entries entries = {.head = head,
                       .value = array(lists, lists->row_value_at),
                       .mask = array(lists, lists->row_mask_at),
                       .brick = array(lists, lists->row_brick_at)};
    for (int64_t first = 0; first < head->row_count; first += SINO_BRICK_ROWS)
        fill_band_rows(band_at(head, first / SINO_BRICK_ROWS), sino_smaller(SINO_BRICK_ROWS, head->row_count - first),
                       &entries, row + first);
}

/* ---- runs ---- */

static void note_of_run(const Met *met, void *context)
{
    const Entries *entries = context;
    const uint32_t at = entries->next[met->brick]++;
    note(entries, met, at);
    entries->code[at] = (uint16_t)((entries->first_row + met->row) | met->shift << 13);
}

static void fill_entries(const SinoBrickHead *head, int64_t first_band, int64_t end_band, Entries *entries)
{
    const char *const wave = (const char *)head + sino_brick_offsets(head)[first_band];
    for (int64_t b = first_band; b < end_band; b++) {
        const SinoBrickBand *band = band_at(head, b);
        SinoBrickArrays arrays;
        if (!band) continue;
        (void)sino_brick_band_arrays(band, head->lanes, head->precision, &arrays);
        entries->first_value = first_value(head, &arrays, wave);
        entries->first_row = (uint32_t)((b - first_band) * SINO_BRICK_ROWS);
        walk_band(head, band, &arrays, note_of_run, entries);
    }
}

/* Counts become the number of the first entry. Returns the number of entries. */
static uint32_t begin_runs(int64_t brick_count, uint32_t *count, SinoBrickListRun *run)
{
    uint32_t before = 0;
    for (int64_t i = 0; i < brick_count; i++) {
        const uint32_t with = count[i];
        if (with > 0) *run++ = (SinoBrickListRun){(uint32_t)i, before};
        count[i] = before;
        before += with;
    }
    *run = (SinoBrickListRun){0, before};
    return before;
}

static void fill_wave(const SinoBrickHead *head, int64_t first_band, int64_t end_band, uint32_t *count,
                      SinoBrickLists *lists, SinoBrickWave *wave)
{
    const int64_t first_row = first_band * SINO_BRICK_ROWS;
    wave->first_row = first_row;
    wave->row_count = sino_smaller(end_band * SINO_BRICK_ROWS, head->row_count) - first_row;
    wave->offset = sino_brick_offsets(head)[first_band];
    wave->run_count = count_runs(head, first_band, end_band, count);
    SinoBrickListRun *const run = (SinoBrickListRun *)array(lists, lists->run_at) + wave->first_run;
    const uint32_t entries = begin_runs(head->brick_count, count, run);
    Entries to = {.head = head,
                  .next = count,
                  .value = (uint32_t *)array(lists, lists->run_value_at) + wave->first_entry,
                  .mask = (char *)array(lists, lists->run_mask_at) + wave->first_entry * (head->lanes / 8),
                  .code = (uint16_t *)array(lists, lists->run_code_at) + wave->first_entry};
    fill_entries(head, first_band, end_band, &to);
    wave[1].first_run = wave->first_run + wave->run_count + 1;
    wave[1].first_entry = wave->first_entry + entries;
}

static void fill_waves(const SinoBrickHead *head, uint32_t *count, SinoBrickLists *lists)
{
    const int64_t bands = sino_brick_band_count(head->row_count);
    SinoBrickWave *to = array(lists, lists->wave_at), now[2] = {{.first_row = 0}};
    for (int64_t first = 0; first < bands;) {
        const int64_t end = end_of_wave(head, first);
        fill_wave(head, first, end, count, lists, now);
        *to++ = now[0];
        now[0] = now[1];
        first = end;
    }
}

SinoStatus sino_brick_lists_fill(const void *block, SinoBrickLists *lists)
{
    uint32_t *count = NULL;
    SinoBrickLists head;
    SINO_TRY(measure(block, &count, &head));
    memset(lists, 0, (size_t)head.bytes);
    *lists = head;
    fill_rows(block, lists);
    fill_waves(block, count, lists);
    free(count);
    return NULL;
}
