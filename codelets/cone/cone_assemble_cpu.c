/* SPDX-License-Identifier: BSD-3-Clause */
/* Cone assemble: runs along z become slices, in blocks of 16 × 16 so that every access to memory is a whole cache line.
 */
#include "cone_mapping.h"

#include "vector.h"

#include <math.h>
#include <stdbool.h>

enum { BLOCK = SINO_CONE_VOXELS };

/* Floats from run to run. */
static int64_t run_stride(const SinoConeAssembly *of)
{
    return of->run_voxels > 0 ? of->run_voxels : sino_cone_run_voxels(&of->part);
}

static void map_place(const SinoConeAssembly *of, int turn, SinoConeMapping *mapping)
{
    const SinoConePart *part = &of->part;
    const int64_t last = of->cone->x_count - 1;
    const int64_t runs = (int64_t)of->symmetry.turns * of->symmetry.halves;
    const int64_t along_x = sino_times(runs, run_stride(of)), along_y = sino_times(along_x, part->x_count);
    const bool odd = turn % 2 == 1;
    /* A quarter turn takes (x, y) to (y, last − x). */
    mapping->x_0 = turn == 0   ? part->first_x
                   : turn == 1 ? part->first_y
                   : turn == 2 ? last - part->first_x
                               : last - part->first_y;
    mapping->y_0 = turn == 0   ? part->first_y
                   : turn == 1 ? last - part->first_x
                   : turn == 2 ? last - part->first_y
                               : part->first_x;
    mapping->x_step = turn == 0 || turn == 1 ? 1 : -1;
    mapping->y_step = turn == 0 || turn == 3 ? 1 : -1;
    mapping->a_count = odd ? part->y_count : part->x_count;
    mapping->b_count = odd ? part->x_count : part->y_count;
    mapping->a_stride = odd ? along_y : along_x;
    mapping->b_stride = odd ? along_x : along_y;
}

static void map_slices(const SinoConeAssembly *of, int half, SinoConeMapping *mapping)
{
    const int64_t middle = of->cone->z_count / 2, first = of->part.first;
    mapping->z_0 = of->symmetry.halves == 1 ? first : half == 0 ? middle + first : middle - 1 - first;
    mapping->z_step = half == 0 ? 1 : -1;
    const int64_t low = of->first_slice - mapping->z_0, high = low + of->slice_count; /* voxels, for steps of 1 */
    mapping->first = sino_larger(half == 0 ? low : 1 - high, 0);
    mapping->end = sino_smaller(half == 0 ? high : 1 - low, of->part.voxel_count);
}

/* Leaves out the base runs along a or b that are outside `count` columns or rows from `low` on. */
static void clip(int64_t low, int64_t count, int64_t step, int64_t stride, int64_t *first, int64_t *runs, int64_t *from)
{
    const int64_t inside = step > 0 ? low - *first : *first - (low + count - 1);
    const int64_t begin = sino_smaller(sino_larger(inside, 0), *runs);
    const int64_t end = sino_smaller(sino_larger(inside + count, begin), *runs);
    *runs = end - begin;
    *first += step * begin;
    *from += stride * begin;
}

SinoConeMapping sino_cone_mapping(const SinoConeAssembly *assembly, int turn, int half)
{
    const SinoConeBox box = sino_cone_assembly_box(assembly);
    SinoConeMapping mapping;
    const int run = turn * assembly->symmetry.halves + half;
    map_place(assembly, turn, &mapping);
    map_slices(assembly, half, &mapping);
    mapping.from = run * run_stride(assembly);
    clip(box.x, box.x_count, mapping.x_step, mapping.a_stride, &mapping.x_0, &mapping.a_count, &mapping.from);
    clip(box.y, box.y_count, mapping.y_step, mapping.b_stride, &mapping.y_0, &mapping.b_count, &mapping.from);
    return mapping;
}

bool sino_cone_assembly_meets(const SinoConeAssembly *assembly)
{
    for (int turn = 0; turn < assembly->symmetry.turns; turn++)
        for (int half = 0; half < assembly->symmetry.halves; half++) {
            const SinoConeMapping mapping = sino_cone_mapping(assembly, turn, half);
            if (mapping.a_count > 0 && mapping.b_count > 0 && mapping.first < mapping.end) return true;
        }
    return false;
}

static bool is_masked(const SinoConeAssembly *of, int64_t x, int64_t y)
{
    const SinoCone *cone = of->cone;
    const double from_x = (double)x - 0.5 * (double)(cone->x_count - 1),
                 from_y = (double)y - 0.5 * (double)(cone->y_count - 1);
    const double radius = 0.5 * of->mask_ratio * (double)sino_smaller(cone->x_count, cone->y_count);
    return of->mask_ratio > 0 && hypot(from_x, from_y) > radius;
}

/* `count` ≤ BLOCK neighbours along x from `a` on, and voxels i … end − 1, at most BLOCK of them. */
static void copy_block(const SinoConeAssembly *of, const SinoConeMapping *mapping, const float *from, int64_t a,
                       int64_t count, int64_t b, int64_t i, int64_t end, float *image)
{
    const SinoConeBox box = sino_cone_assembly_box(of);
    const int64_t y = mapping->y_0 + mapping->y_step * b;
    float block[BLOCK][BLOCK]; /* [voxel][neighbour] */
    for (int64_t k = 0; k < count; k++) {
        const int64_t x = mapping->x_0 + mapping->x_step * (a + k);
        const float scale = is_masked(of, x, y) ? 0 : (float)of->scale;
        const float *run = from + k * mapping->a_stride + i;
        for (int64_t v = 0; v < end - i; v++) block[v][k] = scale * run[v];
    }
    for (int64_t v = 0; v < end - i; v++) {
        const int64_t slice = mapping->z_0 + mapping->z_step * (i + v) - of->first_slice;
        float *row = image + (slice * box.y_count + y - box.y) * box.x_count;
        for (int64_t k = 0; k < count; k++) row[mapping->x_0 + mapping->x_step * (a + k) - box.x] = block[v][k];
    }
}

void sino_cone_assemble(const SinoConeAssembly *assembly, const float *part, float *image)
{
    for (int turn = 0; turn < assembly->symmetry.turns; turn++)
        for (int half = 0; half < assembly->symmetry.halves; half++) {
            const SinoConeMapping mapping = sino_cone_mapping(assembly, turn, half);
            const float *runs = part + mapping.from;
            for (int64_t b = 0; b < mapping.b_count; b++)
                for (int64_t a = 0; a < mapping.a_count; a += BLOCK)
                    for (int64_t i = mapping.first; i < mapping.end; i += BLOCK)
                        copy_block(assembly, &mapping, runs + a * mapping.a_stride + b * mapping.b_stride, a,
                                   sino_smaller(BLOCK, mapping.a_count - a), b, i, sino_smaller(i + BLOCK, mapping.end),
                                   image);
        }
}

/* Up to BLOCK voxels i … end − 1 of each of the runs along x. */
static void fill_runs(const SinoConeAssembly *of, const SinoConeMapping *mapping, const float *image, int64_t b,
                      int64_t i, int64_t end, float *runs)
{
    const SinoConeBox box = sino_cone_assembly_box(of);
    const int64_t y = mapping->y_0 + mapping->y_step * b - box.y;
    for (int64_t a = 0; a < mapping->a_count; a++)
        for (int64_t v = i; v < end; v++) {
            const int64_t slice = mapping->z_0 + mapping->z_step * v - of->first_slice;
            const int64_t x = mapping->x_0 + mapping->x_step * a - box.x;
            runs[a * mapping->a_stride + v] = (float)of->scale * image[(slice * box.y_count + y) * box.x_count + x];
        }
}

void sino_cone_fill(const SinoConeAssembly *assembly, const float *image, float *part)
{
    for (int turn = 0; turn < assembly->symmetry.turns; turn++)
        for (int half = 0; half < assembly->symmetry.halves; half++) {
            const SinoConeMapping mapping = sino_cone_mapping(assembly, turn, half);
            for (int64_t b = 0; b < mapping.b_count; b++)
                for (int64_t i = mapping.first; i < mapping.end; i += BLOCK)
                    fill_runs(assembly, &mapping, image, b, i, sino_smaller(i + BLOCK, mapping.end),
                              part + mapping.from + b * mapping.b_stride);
        }
}

SINO_VECTORISED void sino_cone_add(int64_t count, const float *from, float *to)
{
    for (int64_t i = 0; i < count; i++) to[i] += from[i];
}
