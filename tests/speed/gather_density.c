/* SPDX-License-Identifier: BSD-3-Clause */
/* Gather density: prints figures of the lists for devices (gather.h) at the sizes of real scans, from some tiles of a
 * slice: the share of true nonzeros among the multiplied lengths, the bytes per nonzero, and the bytes that a visit
 * moves. */
#include "memory.h"
#include "pack.h"
#include "regroup.h"
#include "testing.h"

#include <math.h>

enum { TILES = 48 /* sixteen along each of three lines */ };

typedef struct Figures {
    double visits, nonzeros, stored, bytes, bundles, held, entered, rows, loads, wavefronts;
} Figures;

/* Eight rows of halves are loaded at once: as many times as the fullest of the banks' eighths has of them. */
static void count_loads(const SinoGatherHeader *header, const SinoGatherVisit *visit, Figures *figures)
{
    SinoGatherLists lists;
    sino_gather_arrays(header, visit, &lists);
    for (int64_t i = 0; header->outputs == 16 && i < visit->step_count * 16; i += 8) {
        int count[8] = {0}, most = 0;
        for (int j = 0; j < 8; j++) {
            bool again = false; /* the same row is read once */
            for (int k = 0; k < j; k++) again = again || lists.slot[i + k] == lists.slot[i + j];
            const int of_bank = count[sino_gather_bank(lists.slot[i + j])] += !again;
            if (of_bank > most) most = of_bank;
        }
        figures->wavefronts += most;
        figures->loads++;
    }
}

static Figures figures_of(const SinoGatherHeader *header)
{
    Figures figures = {.visits = header->visit_count,
                       .nonzeros = (double)header->stored_nonzero_count,
                       .stored = (double)header->stored_count};
    const SinoGatherVisit *visit = sino_gather_visits(header);
    figures.bytes = (double)(header->bytes - visit->offset);
    for (int32_t v = 0; v < header->visit_count; v++) {
        const SinoGatherSpan *span = sino_gather_spans(header) + (int64_t)v * header->angles;
        figures.bundles += visit[v].bundle_count;
        for (int32_t a = 0; a < header->angles; a++) figures.held += span[a].count;
        count_loads(header, &visit[v], &figures);
    }
    return figures;
}

static void print_row(const SinoGatherHeader *header)
{
    static const char *const names[] = {"single", "double", "half", "mixed"};
    const Figures f = figures_of(header);
    printf("| %s | %s | %d | %.3f | %.2f | %.1f | %.1f | %d | %.0f | %d | %s%.2f |\n",
           header->back ? "backproject" : "project", names[header->precision], header->outputs, f.nonzeros / f.stored,
           f.bytes / f.nonzeros, f.bundles / f.visits, f.nonzeros / f.visits, header->columns * header->angles,
           f.held / f.visits, (int)header->index_bytes, f.loads > 0 ? "" : "n/a ",
           f.loads > 0 ? f.wavefronts / f.loads : 0);
}

/* A column of tiles, a row, and the diagonal: walks that go on from tile to tile. */
static void choose_tiles(int64_t size, SinoTilePlace *tile)
{
    const int32_t side = (int32_t)sino_tile_side(size), middle = side / 2;
    for (int32_t i = 0; i < TILES / 3; i++) {
        tile[i] = (SinoTilePlace){.column = middle + side / 5, .row = middle + i};
        tile[TILES / 3 + i] = (SinoTilePlace){.column = middle - TILES / 3 + i, .row = middle - side / 5};
        tile[2 * (TILES / 3) + i] = (SinoTilePlace){.column = side / 5 + i, .row = side / 5 + i};
    }
}

static void print_scan(int64_t size, int64_t angles)
{
    double *rad = malloc((size_t)angles * sizeof *rad);
    SinoTilePlace tile[TILES];
    assert_non_null(rad);
    for (int64_t k = 0; k < angles; k++) rad[k] = (double)k * M_PI / (double)angles;
    choose_tiles(size, tile);
    const SinoGeometry scan = {angles, size, size, rad, (double)(size - 1) / 2, 0};
    const SinoFootprint footprint = {sino_geometry_ray_count(&scan), NULL};
    for (int p = 0; p < SINO_PRECISIONS; p++) {
        SinoLayout layout;
        SinoBlockHeader *block;
        assert_success(sino_layout_new(&scan, (SinoPrecision)p, false, &layout));
        const int64_t capacity = (int64_t)TILES * angles * 700 * (int64_t)(2 + sino_precision_bytes((SinoPrecision)p));
        assert_success(sino_allocate(capacity, 1, "a block", &block));
        assert_success(sino_pack_block(
            &(SinoPackBlock){
                .layout = &layout, .tile_count = TILES, .tile = tile, .footprint = &footprint, .capacity = capacity},
            block));
        for (int i = 0; i < 4; i++) {
            SinoGatherHeader *lists;
            if (i >= 2 && p != SINO_HALF && p != SINO_MIXED) continue;
            const SinoRegroupInput input = {block, &layout, &footprint, tile, i % 2, i < 2 ? 4 : 16};
            assert_success(sino_regroup_block(&input, &lists));
            print_row(lists);
            free(lists);
        }
        free(block);
        sino_layout_free(&layout);
    }
    free(rad);
}

int main(void)
{
    static const int64_t scans[][2] = {{512, 375}, {1024, 750}, {2048, 1500}};
    for (size_t i = 0; i < sizeof scans / sizeof *scans; i++) {
        printf(
            "\n%d x %d, %d angles\n\n| direction | precision | R | density | bytes per nonzero | bundles per visit | "
            "nonzeros per visit | slots | rays held | most index bytes | wavefronts per 8 rows "
            "|\n|---|---|---|---|---|---|---|---|---|---|---|\n",
            (int)scans[i][0], (int)scans[i][0], (int)scans[i][1]);
        print_scan(scans[i][0], scans[i][1]);
    }
    return 0;
}
