/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone streaming and plan: pieces are all projections once, parts are all voxels once, and a slab's rows are all that
 * see its voxels. */
#include "cone_model.h"
#include "memory.h"
#include "testing.h"
#include "unit_plan.h"

#include <math.h>
#include <string.h>
#include <time.h>

enum { ANGLES_MAX = 200 };

typedef struct Scan {
    double angle_rad[ANGLES_MAX];
    SinoScanInfo info;
    SinoInput input;
    SinoCone cone;
} Scan;

static void make_scan(int64_t angles, int64_t columns, int64_t rows, int64_t x, int64_t y, int64_t z, Scan *scan)
{
    *scan = (Scan){.info = {.type = SINO_COUNT_UINT16}};
    for (int64_t k = 0; k < angles; k++) scan->angle_rad[k] = 2 * SINO_PI * (double)k / (double)angles;
    scan->input = (SinoInput){.info = &scan->info,
                              .binning = 1,
                              .row_count = rows,
                              .slice_count = rows,
                              .column_count = columns,
                              .angle_count = angles,
                              .geometry = {.column_count = columns, .angle_count = angles}};
    scan->cone = (SinoCone){.angle_count = angles,
                            .column_count = columns,
                            .row_count = rows,
                            .x_count = x,
                            .y_count = y,
                            .z_count = z,
                            .angle_rad = scan->angle_rad,
                            .source_object = 300,
                            .source_detector = 450,
                            .pixel_width = 1.5,
                            .pixel_height = 1.5,
                            .voxel_size = 1,
                            .center = 0.5 * (double)(columns - 1),
                            .center_row = 0.5 * (double)(rows - 1)};
}

static void check_pieces(const SinoCone *cone, const SinoConeStreaming *plan)
{
    int seen[ANGLES_MAX] = {0};
    for (int64_t b = 0; b < sino_cone_block_count(cone, plan); b++) {
        const int64_t pieces = sino_cone_piece_count(cone, plan, b), first = sino_cone_piece(cone, plan, b, 0).count;
        assert_in_range(pieces, 1, SINO_BLOCK_PIECES);
        for (int64_t p = 0; p < pieces; p++) {
            const SinoSpan angles = sino_cone_piece(cone, plan, b, p);
            assert_in_range(angles.count, 1, SINO_PIECE_PROJECTIONS);
            assert_true(p + 1 == pieces || angles.count == first);
            for (int64_t k = angles.first; k < angles.first + angles.count; k++) seen[k]++;
        }
    }
    for (int64_t k = 0; k < cone->angle_count; k++) assert_int_equal(seen[k], 1);
}

/* Marks the voxels of a base run; turned runs follow from symmetry (test_cone_assemble.c). */
static void mark(const SinoCone *cone, const SinoConeStreaming *plan, const SinoConePart *part, int *seen)
{
    for (int64_t y = part->first_y; y < part->first_y + part->y_count; y++)
        for (int64_t x = 0; x < part->x_count; x++)
            for (int64_t v = part->first; v < part->first + part->voxel_count; v++) {
                const int64_t middle = cone->z_count / 2;
                const int64_t run = y * cone->x_count + x;
                if (plan->symmetry.halves == 1) {
                    seen[run * cone->z_count + v]++;
                } else {
                    seen[run * cone->z_count + middle + v]++;
                    seen[run * cone->z_count + middle - 1 - v]++;
                }
            }
}

static void check_parts(const SinoCone *cone, const SinoConeStreaming *plan)
{
    int *seen = NULL;
    const int64_t share = plan->symmetry.turns > 1 ? 2 : 1;
    assert_success(sino_allocate(cone->x_count * cone->y_count * cone->z_count, sizeof *seen, "test", &seen));
    for (int64_t s = 0; s < plan->slab_count; s++)
        for (int64_t r = 0; r < plan->grid_rows; r++) {
            const SinoSpan runs = sino_cone_share(cone, plan, s, r);
            for (int64_t c = 0; c < sino_cone_chunk_count(plan, runs); c++)
                for (int64_t b = 0; b < sino_cone_band_count(cone, plan); b++) {
                    const SinoConePart part = sino_cone_part(cone, plan, runs, c, b);
                    assert_int_equal(part.x_count, cone->x_count / share);
                    mark(cone, plan, &part, seen);
                }
        }
    for (int64_t y = 0; y < cone->y_count / share; y++)
        for (int64_t x = 0; x < cone->x_count / share; x++)
            for (int64_t z = 0; z < cone->z_count; z++)
                assert_int_equal(seen[(y * cone->x_count + x) * cone->z_count + z], 1);
    free(seen);
}

/* Whether the lines of slice z have the row, and the sinogram, too. */
static bool has_row(const SinoCone *cone, const SinoConeLines *lines, SinoSpan rows, int64_t z, int64_t row)
{
    if (row < 0 || row >= cone->row_count) return true; /* is 0 anyhow */
    if (row < rows.first || row >= rows.first + rows.count) return false;
    const double plane = sino_cone_plane_row(cone, lines->symmetry);
    const int64_t entry = lines->symmetry.halves == 1 ? row
                          : z >= cone->z_count / 2    ? row - (int64_t)floor(plane)
                                                      : (int64_t)ceil(plane) - row;
    return entry >= lines->first_row && entry < lines->first_row + lines->entry_count;
}

/* The row of ranks that has slice z of a slab. */
static int64_t row_of_ranks(const SinoCone *cone, const SinoConeStreaming *plan, int64_t slab, int64_t z)
{
    const int64_t middle = cone->z_count / 2;
    const int64_t voxel = plan->symmetry.halves == 1 ? z : z >= middle ? z - middle : middle - 1 - z;
    int64_t row = 0;
    while (true) {
        const SinoSpan runs = sino_cone_share(cone, plan, slab, row);
        if (voxel >= runs.first && voxel < runs.first + runs.count) return row;
        row++;
        assert_true(row < plan->grid_rows);
    }
}

/* Each voxel of each slab is seen between two rows that are loaded. */
static void check_rows(const SinoCone *cone, const SinoConeStreaming *plan)
{
    for (int64_t s = 0; s < plan->slab_count; s++) {
        const SinoSpan slices = sino_cone_slab(cone, plan, s), rows = sino_cone_rows(cone, slices);
        assert_true(rows.first >= 0 && rows.count >= 1 && rows.first + rows.count <= cone->row_count);
        for (int64_t z = slices.first; z < slices.first + slices.count; z++) {
            const int64_t of_ranks = row_of_ranks(cone, plan, s, z);
            const SinoConeLines lines = sino_cone_share_lines(cone, plan, sino_cone_share(cone, plan, s, of_ranks));
            for (int64_t i = 0; i < 4; i++) {
                const double x = (i % 2 ? 0.5 : -0.5) * (double)(cone->x_count - 1) * cone->voxel_size;
                const double y = (i / 2 ? 0.5 : -0.5) * (double)(cone->y_count - 1) * cone->voxel_size;
                const double height = ((double)z - 0.5 * (double)(cone->z_count - 1)) * cone->voxel_size;
                for (int64_t k = 0; k < cone->angle_count; k++) {
                    const double c = cos(cone->angle_rad[k]), t = sin(cone->angle_rad[k]);
                    const double depth = cone->source_object - (x * t - y * c);
                    const double magnified = height * cone->source_detector / depth / cone->pixel_height;
                    const double row = cone->center_row + (cone->fans ? height / cone->voxel_size : magnified);
                    assert_true(has_row(cone, &lines, rows, z, (int64_t)floor(row)));
                    assert_true(has_row(cone, &lines, rows, z, (int64_t)floor(row) + 1));
                }
            }
        }
    }
}

static const struct {
    int64_t angles, columns, rows, x, y, z;
} size[] = {{180, 70, 60, 48, 48, 40}, {90, 64, 30, 40, 44, 60}, {64, 20, 90, 20, 20, 90},
            {7, 33, 1, 33, 33, 1},     {33, 40, 64, 17, 30, 33}, {65, 40, 40, 2, 2, 200}};

static void divisions_are_complete(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof size / sizeof *size; i++)
        for (int64_t slabs = 0; slabs <= 4; slabs++)
            for (int64_t workers = 1; workers <= 64; workers *= 4) {
                const int64_t ranks = size[i].z < 16 ? 1 : 1 + (slabs + workers) % 3;
                Scan scan;
                SinoUnitPlan plan;
                make_scan(size[i].angles, size[i].columns, size[i].rows, size[i].x, size[i].y, size[i].z, &scan);
                scan.cone.center_row += slabs == 3 ? 0.3 : 0;
                scan.cone.fans = slabs == 4;
                const SinoUnitPlanRequest request = {
                    .kind = &sino_fdk_plan,
                    .cone = &scan.cone,
                    .input = &scan.input,
                    .machine = {.worker_count = workers, .memory_bytes = (int64_t)1 << 40},
                    .symmetry = workers != 4,
                    .slab_count = slabs,
                    .rank_count = ranks};
                assert_success(sino_unit_plan_new(&request, &plan));
                assert_int_equal(plan.streaming.grid_rows * plan.streaming.grid_columns, ranks);
                check_pieces(&scan.cone, &plan.streaming);
                check_parts(&scan.cone, &plan.streaming);
                check_rows(&scan.cone, &plan.streaming);
            }
}

/* Less memory takes more passes, until nothing fits; the plan never exceeds the memory. */
static void memory_decides_the_passes(void **state)
{
    (void)state;
    Scan scan;
    make_scan(180, 256, 256, 256, 256, 256, &scan);
    SinoUnitPlanRequest request = {.kind = &sino_fdk_plan,
                                   .cone = &scan.cone,
                                   .input = &scan.input,
                                   .machine = {.worker_count = 2},
                                   .symmetry = true};
    int64_t passes = 1;
    bool refused = false;
    for (int64_t memory = (int64_t)400 << 20; !refused; memory -= (int64_t)5 << 20) {
        SinoUnitPlan plan;
        request.machine.memory_bytes = memory;
        SinoStatus status = sino_unit_plan_new(&request, &plan);
        refused = status;
        if (status) {
            assert_int_equal(sino_status_exit_code(status), SINO_BAD_INPUT);
            assert_non_null(strstr(sino_status_text(status), "MiB or more"));
            sino_status_free(status);
            continue;
        }
        assert_true(plan.total_bytes <= memory);
        assert_true(plan.streaming.slab_count >= passes);
        passes = plan.streaming.slab_count;
    }
    assert_true(passes > 4);
}

static SinoUnitPlanRequest request_with_devices(const Scan *scan, int64_t devices, int64_t device_bytes)
{
    return (SinoUnitPlanRequest){.kind = &sino_fdk_plan,
                                 .cone = &scan->cone,
                                 .input = &scan->input,
                                 .machine = {.worker_count = 4,
                                             .memory_bytes = (int64_t)1 << 40,
                                             .devices = {.count = devices, .bytes = device_bytes}},
                                 .symmetry = true,
                                 .rank_count = 1};
}

/* The plan has the fewest slabs that fit; of parts, as many bytes as it says. */
static void no_fewer_slabs_would_do(void **state)
{
    (void)state;
    Scan scan;
    make_scan(180, 64, 64, 64, 64, 700, &scan);
    SinoUnitPlanRequest request = {.kind = &sino_fdk_plan,
                                   .cone = &scan.cone,
                                   .input = &scan.input,
                                   .machine = {.worker_count = 2},
                                   .symmetry = true};
    int64_t least;
    assert_success(sino_unit_plan_least_bytes(&request, &least));
    for (request.machine.memory_bytes = least; request.machine.memory_bytes < least + (25 << 20);
         request.machine.memory_bytes += 100000) {
        SinoUnitPlan plan, given;
        request.slab_count = 0;
        assert_success(sino_unit_plan_new(&request, &plan));
        SinoStatus status;
        do {
            sino_status_free(request.slab_count > 0 ? status : NULL);
            request.slab_count++;
            status = sino_unit_plan_new(&request, &given);
        } while (status);
        assert_int_equal(plan.streaming.slab_count, given.streaming.slab_count);
        assert_int_equal(plan.total_bytes, given.total_bytes);
        const SinoConeStreaming *streaming = &plan.streaming;
        const SinoSpan share = sino_cone_largest_share(&scan.cone, streaming, 0);
        int64_t voxels = 0;
        for (int64_t c = 0; c < sino_cone_chunk_count(streaming, share); c++)
            for (int64_t b = 0; b < sino_cone_band_count(&scan.cone, streaming); b++) {
                const SinoConePart part = sino_cone_part(&scan.cone, streaming, share, c, b);
                voxels += sino_cone_part_voxels(&part, streaming->symmetry);
            }
        assert_int_equal(plan.bytes.parts, 4 * voxels);
    }
}

/* A volume of very many slices is planned, or refused, in less than the ten seconds of a processor that a plan may
 * take. */
static void very_large_volumes_are_planned_soon(void **state)
{
    (void)state;
    static const SinoGridShape grids[] = {{1, 1}, {6000, 1}};
    for (size_t i = 0; i < sizeof grids / sizeof *grids; i++) {
        Scan scan;
        SinoUnitPlan plan;
        make_scan(180, 65536, 200000, 65536, 65536, 200000, &scan);
        SinoUnitPlanRequest request = request_with_devices(&scan, 2, (int64_t)1 << 30);
        request.machine.memory_bytes = (int64_t)1 << 30;
        request.rank_count = grids[i].batch_groups;
        request.grid = grids[i];
        const clock_t begin = clock();
        assert_error(sino_unit_plan_new(&request, &plan), SINO_BAD_INPUT, "memory: 1.00 GiB may be used");
        assert_true(clock() - begin < (clock_t)10 * CLOCKS_PER_SEC);
    }
}

/* Ranks of a column have as many blocks in memory as fit, and the rest of the plan does not change. */
static void memory_decides_how_far_ranks_are_apart(void **state)
{
    (void)state;
    Scan scan;
    int depths = 0;
    make_scan(192, 256, 256, 256, 256, 256, &scan);
    SinoUnitPlanRequest request = {.kind = &sino_fdk_plan,
                                   .cone = &scan.cone,
                                   .input = &scan.input,
                                   .machine = {.worker_count = 2, .memory_bytes = (int64_t)1 << 32},
                                   .symmetry = true,
                                   .rank_count = 4,
                                   .grid = {4, 1}};
    SinoUnitPlan plan, before;
    assert_success(sino_unit_plan_new(&request, &before));
    assert_int_equal(before.streaming.block_sets, 6); /* all of them */
    while (before.streaming.slab_count == 1) {
        request.machine.memory_bytes = before.total_bytes - 1;
        assert_success(sino_unit_plan_new(&request, &plan));
        assert_true(plan.total_bytes < before.total_bytes);
        if (plan.streaming.slab_count == 1) {
            assert_true(plan.streaming.block_sets < before.streaming.block_sets);
            assert_int_equal(plan.streaming.send_sets, plan.streaming.block_sets); /* each has one of four pieces */
            assert_true(plan.bytes.early > 0 && plan.bytes.early < before.bytes.early);
            assert_int_equal(plan.bytes.parts, before.bytes.parts);
            depths++;
        }
        before = plan;
    }
    assert_int_equal(depths, 2); /* three blocks, then one */
}

/* Updates of a task. */
static double updates_of(const Scan *scan, const SinoConeStreaming *plan)
{
    const SinoConePart part = sino_cone_part(&scan->cone, plan, sino_cone_largest_share(&scan->cone, plan, 0), 0, 0);
    return (double)sino_cone_part_voxels(&part, plan->symmetry) * SINO_BLOCK_PROJECTIONS;
}

/* Parts of a large volume are 1 to 4 ms of a GPU with 10¹² updates a second, and whole blocks of threads. */
static void parts_are_worth_a_launch(void **state)
{
    (void)state;
    for (int64_t side = 512; side <= 4096; side *= 2)
        for (int64_t devices = 1; devices <= 8; devices *= 2)
            for (int turns = 0; turns < 2; turns++) {
                Scan scan;
                SinoUnitPlan plan;
                make_scan(180, side, side, side, side, side, &scan);
                SinoUnitPlanRequest request = request_with_devices(&scan, devices, 0);
                request.machine.memory_bytes = (int64_t)1 << 50;
                request.symmetry = turns;
                assert_success(sino_unit_plan_new(&request, &plan));
                const double updates = updates_of(&scan, &plan.streaming), all = pow((double)side, 3) * 32;
                assert_int_equal(plan.streaming.band_rows % 8, 0);
                assert_true(updates <= 4e9 && updates >= fmin(0.5e9, all / (4 * (double)devices)));
            }
}

/* Any device gets parts that fit it twice, or the plan is refused; parts are all voxels once. */
static void parts_fit_devices(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof size / sizeof *size; i++) {
        bool refused = false;
        int64_t rows = INT64_MAX;
        for (int64_t bytes = (int64_t)1 << 26; !refused; bytes = bytes * 3 / 4) {
            Scan scan;
            SinoUnitPlan plan;
            make_scan(size[i].angles, size[i].columns, size[i].rows, size[i].x, size[i].y, size[i].z, &scan);
            const SinoUnitPlanRequest request = request_with_devices(&scan, 2, bytes);
            SinoStatus status = sino_unit_plan_new(&request, &plan);
            refused = status;
            if (status) {
                assert_int_equal(sino_status_exit_code(status), SINO_BAD_INPUT);
                assert_non_null(strstr(sino_status_text(status), "a device has "));
                sino_status_free(status);
                continue;
            }
            const SinoConeDeviceNeed need = sino_cone_device_need(&scan.cone, &plan.streaming);
            assert_true(2 * need.task <= bytes && need.task >= need.part + need.lines);
            if (plan.streaming.slab_count == 1) {
                assert_true(plan.streaming.band_rows <= rows);
                rows = plan.streaming.band_rows;
            }
            check_parts(&scan.cone, &plan.streaming);
        }
    }
}

TESTING_SUBJECT(cone_streaming)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(divisions_are_complete),
        cmocka_unit_test(memory_decides_the_passes),
        cmocka_unit_test(no_fewer_slabs_would_do),
        cmocka_unit_test(very_large_volumes_are_planned_soon),
        cmocka_unit_test(memory_decides_how_far_ranks_are_apart),
        cmocka_unit_test(parts_are_worth_a_launch),
        cmocka_unit_test(parts_fit_devices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
