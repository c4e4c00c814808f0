/* SPDX-License-Identifier: BSD-3-Clause */
/* Details on a GPU: the tests of the CPU's function. */
#include "detail.h"
#include "tiles_on_device.h"

static void detail_on_device(const SinoVariation *tiles, SinoDetailSlices slices, double share, const void *const *g,
                             const void *const *m, const void *const *x, void *scratch, void *const *u)
{
    enum { GUARD = 64 };
    const size_t bytes = (size_t)sino_detail_bytes(tiles->grid_size);
    const void *of_g[SINO_VARIATION_CUDA_PARTS], *of_m[SINO_VARIATION_CUDA_PARTS], *of_x[SINO_VARIATION_CUDA_PARTS];
    void *of_u[SINO_VARIATION_CUDA_PARTS], *work = device_memory(bytes + GUARD);
    const SinoVariation lent = lend_tables(tiles);
    SinoVariation given = lent;
    (void)scratch;
    given.neighbour = tiles->neighbour; /* as the task has it, in host memory */
    lend_parts(tiles, g, of_g);
    lend_parts(tiles, m, of_m);
    lend_parts(tiles, x, of_x);
    lend_parts(tiles, (const void *const *)u, (const void **)of_u);
    device_check(sino_detail_cuda(NULL, &given, slices, share, of_g, of_m, of_x, work, of_u));
    for (int64_t i = 0; i < tiles->part_count; i++) device_return(u[i], of_u[i], part_bytes(tiles, i));
    unlend_parts(tiles, x, of_x);
    unlend_parts(tiles, m, of_m);
    unlend_parts(tiles, g, of_g);
    unlend_tables(tiles, &lent);
    device_free_guarded(work, bytes, GUARD);
}

#define sino_detail detail_on_device

#include "../../codelets/test_detail.c" /* NOLINT(bugprone-suspicious-include) */
