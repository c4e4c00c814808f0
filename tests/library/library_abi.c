/* SPDX-License-Identifier: BSD-3-Clause */
/* The binary interface of sinodag.h as programs and the package for Python were compiled or written for it: where the
 * members of structures lie, and the numbers of words. A difference means that programs must be compiled anew: a
 * structure that grows is a new version of the library (soname). On machines whose pointers and longs have 64 bits. */
#include "sinodag.h"

#include <stddef.h>
#include <stdio.h>

#define SIZE(type, wanted)                                                                                             \
    {                                                                                                                  \
#type, sizeof(type), wanted                                                                                    \
    }
#define AT(type, member, wanted)                                                                                       \
    {                                                                                                                  \
#type "." #member, offsetof(type, member), wanted                                                              \
    }
#define WORD(word, wanted)                                                                                             \
    {                                                                                                                  \
#word, word, wanted                                                                                            \
    }

static const struct {
    const char *what;
    size_t found, wanted;
} table[] = {
    WORD(SINODAG_FAILED, 1),
    WORD(SINODAG_BAD_INPUT, 2),
    WORD(SINODAG_FLOAT32, 0),
    WORD(SINODAG_FLOAT64, 1),
    WORD(SINODAG_UINT8, 2),
    WORD(SINODAG_UINT16, 3),
    WORD(SINODAG_INT32, 4),
    WORD(SINODAG_INT64, 5),
    WORD(SINODAG_MAIN_MEMORY, 0),
    WORD(SINODAG_CUDA, 1),
    SIZE(SinodagType, 4),
    SIZE(SinodagSetting, 72),
    AT(SinodagSetting, help, 64),
    SIZE(SinodagArray, 80),
    AT(SinodagArray, type, 8),
    AT(SinodagArray, device, 12),
    AT(SinodagArray, size, 16),
    AT(SinodagArray, stride, 40),
    AT(SinodagArray, volumes, 64),
    AT(SinodagArray, volume_stride, 72),
    SIZE(SinodagMatrix, 48),
    AT(SinodagMatrix, columns, 8),
    AT(SinodagMatrix, index_type, 16),
    AT(SinodagMatrix, value_type, 20),
    AT(SinodagMatrix, start, 24),
    AT(SinodagMatrix, column, 32),
    AT(SinodagMatrix, value, 40),
    SIZE(SinodagGeometry, 64),
    AT(SinodagGeometry, columns, 8),
    AT(SinodagGeometry, angle_rad, 16),
    AT(SinodagGeometry, center, 24),
    AT(SinodagGeometry, slices, 32),
    AT(SinodagGeometry, subsets, 40),
    AT(SinodagGeometry, rows, 48),
    AT(SinodagGeometry, matrix, 56),
    SIZE(SinodagAbout, 104),
    AT(SinodagAbout, projections, 24),
    AT(SinodagAbout, voxels, 48),
    AT(SinodagAbout, nonzeros, 72),
    AT(SinodagAbout, bytes, 80),
    AT(SinodagAbout, partitions, 88),
    AT(SinodagAbout, subsets, 96),
    SIZE(SinodagScan, 328),
    AT(SinodagScan, flats, 80),
    AT(SinodagScan, darks, 160),
    AT(SinodagScan, angle_rad, 240),
    AT(SinodagScan, weights, 248),
    SIZE(SinodagSolution, 144),
    AT(SinodagSolution, residual, 80),
    AT(SinodagSolution, columns, 88),
    AT(SinodagSolution, progress, 96),
    AT(SinodagSolution, of, 104),
    AT(SinodagSolution, start, 112),
    AT(SinodagSolution, multiplicative, 120),
    AT(SinodagSolution, additive, 128),
    AT(SinodagSolution, sensitivity, 136),
    SIZE(SinodagOutput, 24),
    AT(SinodagOutput, progress, 8),
    AT(SinodagOutput, of, 16),
};

int main(void)
{
    enum { SKIPPED = 77 };
    int wrong = 0;
    if (sizeof(void *) != 8 || sizeof(long) != 8) return SKIPPED;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].found != table[i].wanted) {
            printf("%s is %zu; programs were compiled for %zu\n", table[i].what, table[i].found, table[i].wanted);
            wrong = 1;
        }
    if (!wrong) printf("%zu places are as they were\n", sizeof table / sizeof *table);
    return wrong;
}
