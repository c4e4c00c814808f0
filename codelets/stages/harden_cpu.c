/* SPDX-License-Identifier: BSD-3-Clause */
/* Harden: Horner's scheme on blocks of values. */
#include "harden.h"

#include "undefined.h"
#include "vector.h"

#include <assert.h>

enum { BLOCK = 64 };

/* Blocks, because compilers vectorise the innermost loop. Panels without padding between their rows are one run of
 * values. */
#define DEFINE_HARDEN(type)                                                                                            \
    SINO_VECTORISED static void harden_##type(const SinoHardening *hardening, int64_t count, type *values)             \
    {                                                                                                                  \
        for (int64_t first = 0; first < count; first += BLOCK) {                                                       \
            const int64_t length = count - first < BLOCK ? count - first : BLOCK;                                      \
            type *at = values + first;                                                                                 \
            double sum[BLOCK] = {0};                                                                                   \
            for (int64_t j = hardening->count - 1; j >= 0; j--)                                                        \
                for (int64_t i = 0; i < length; i++) sum[i] = (sum[i] + hardening->coefficient[j]) * (double)at[i];    \
            for (int64_t i = 0; i < length; i++) {                                                                     \
                const type value = (type)sum[i] + (type)0;                                                             \
                at[i] = sino_is_undefined(at[i]) ? at[i] : value;                                                      \
            }                                                                                                          \
        }                                                                                                              \
    }

DEFINE_HARDEN(float)
DEFINE_HARDEN(double)

void sino_harden(const SinoHardening *hardening, int64_t ray_count, SinoSlices slices, void *sinogram)
{
    assert(hardening->count >= 1 && hardening->count <= SINO_HARDEN_MOST);
    if (slices.precision == SINO_DOUBLE)
        harden_double(hardening, ray_count * slices.stride, sinogram);
    else
        harden_float(hardening, ray_count * slices.stride, sinogram);
}
