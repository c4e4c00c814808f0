/* SPDX-License-Identifier: BSD-3-Clause */
/* SpMM kernels of one instruction set: SINO_ISA names it, SINO_VECTOR_BYTES is the width of its registers. */
#include "spmm_isa.h"

#include "vector.h"

#include <stdbool.h>

#ifdef __F16C__
#include <immintrin.h>
#endif

#define UNROLL _Pragma("GCC unroll 8")

enum { LINE = 64 /* bytes of a cache line */ };

enum {
    ANGLE_RAYS_MAX = 3 * SINO_TILE / 2 + 3,
    SECTION_RAYS_MAX = SINO_SECTION_GROUPS * (SINO_GROUP_ANGLES_MAX * ANGLE_RAYS_MAX + SINO_GROUP_RAYS),
    SECTION_VOXELS_MAX = SECTION_RAYS_MAX / SINO_GROUP_RAYS * SINO_GROUP_VOXELS
};

struct SinoSpmmScratch {
    float tile[SINO_TILE_VOXELS * 2 * SINO_VECTOR_BYTES / 4]; /* rows of one tile */
    float length[SECTION_VOXELS_MAX * SINO_GROUP_RAYS];       /* lengths of one section */
    uint8_t voxel[SECTION_VOXELS_MAX + 32];                   /* voxels of one section in another orientation */
    uint32_t ray[SECTION_RAYS_MAX + SINO_GROUPS_AHEAD * SINO_GROUP_RAYS]; /* rows of y of one section and orientation */
};

/* Flags: which data are stored as half, and the direction. They are constants where kernels are inlined. */
typedef struct SinoSpmmFlags {
    bool back, x_half, y_half;
} SinoSpmmFlags;

/* Convert 4, 8 or 16 halves to floats and back. */
SINO_INLINE void expand_lanes(int lanes, const SinoHalf *from, void *floats)
{
    float *const to = floats;
#ifdef __AVX512F__
    if (lanes == 16) {
        _mm512_storeu_ps(to, _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)from)));
        return;
    }
#endif
#ifdef __F16C__
    if (lanes == 8) {
        _mm256_storeu_ps(to, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)from)));
        return;
    }
    if (lanes == 4) {
        _mm_storeu_ps(to, _mm_cvtph_ps(_mm_loadl_epi64((const __m128i *)from)));
        return;
    }
#endif
    /* cppcheck-suppress objectIndex; `to` has `lanes` elements, in one vector */
    for (int i = 0; i < lanes; i++) to[i] = sino_half_value(from[i]);
}

SINO_INLINE void narrow_lanes(int lanes, const void *floats, SinoHalf *to)
{
    const float *const from = floats;
#ifdef __AVX512F__
    if (lanes == 16) {
        _mm256_storeu_si256((__m256i *)to, _mm512_cvtps_ph(_mm512_loadu_ps(from), _MM_FROUND_TO_NEAREST_INT));
        return;
    }
#endif
#ifdef __F16C__
    if (lanes == 8) {
        _mm_storeu_si128((__m128i *)to, _mm256_cvtps_ph(_mm256_loadu_ps(from), _MM_FROUND_TO_NEAREST_INT));
        return;
    }
    if (lanes == 4) {
        _mm_storel_epi64((__m128i *)to, _mm_cvtps_ph(_mm_loadu_ps(from), _MM_FROUND_TO_NEAREST_INT));
        return;
    }
#endif
    /* cppcheck-suppress objectIndex; likewise */
    for (int i = 0; i < lanes; i++) to[i] = sino_half(from[i]);
}

static void expand(int64_t count, const SinoHalf *from, float *to)
{
    int64_t i = 0;
    for (; i + 8 <= count; i += 8) expand_lanes(8, from + i, to + i);
    for (; i < count; i++) to[i] = sino_half_value(from[i]);
}

static void narrow(int64_t count, const float *from, SinoHalf *to)
{
    int64_t i = 0;
    for (; i + 8 <= count; i += 8) narrow_lanes(8, from + i, to + i);
    for (; i < count; i++) to[i] = sino_half(from[i]);
}

typedef float Register __attribute__((vector_size(SINO_VECTOR_BYTES), aligned(4), may_alias));

/* Converts rows of `width` halves, each times its slice's unit, which spmm_cpu.c gives them. A panel's width is a power
 * of two and at most two registers. */
static void expand_rows(int64_t rows, int64_t width, const SinoHalf *from, const float *unit, float *to)
{
    enum { LANES_MOST = SINO_VECTOR_BYTES / 4, CHUNK = 2 * LANES_MOST };
    float repeated[CHUNK] = {0};
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
    for (int64_t i = 0; i < CHUNK; i++) repeated[i] = unit[i % width];
    const Register factor[2] = {*(const Register *)repeated, *(const Register *)(repeated + LANES_MOST)};
    for (int64_t i = 0; i < rows * width; i += CHUNK) UNROLL for (int64_t j = 0; j < 2; j++)
        {
            Register value;
            expand_lanes(LANES_MOST, from + i + j * LANES_MOST, &value);
            *(Register *)(to + i + j * LANES_MOST) = value * factor[j];
        }
}

SINO_INLINE float half_value(SinoHalf half)
{
#ifdef __F16C__
    return _cvtsh_ss(half);
#else
    return sino_half_value(half);
#endif
}

/* Numbers the voxels of a section in orientation g ≥ 1 (sino_orientation_place). Odd quarter turns swap row and column;
 * row and column then run backwards or forwards. */
static void orient_voxels(int orientation, int64_t count, const uint8_t *from, uint8_t *to)
{
    static const uint8_t backwards[SINO_ORIENTATIONS] = {0x00, 0xf0, 0xff, 0x0f, 0x0f, 0x00, 0xf0, 0xff};
    const uint8_t flip = backwards[orientation];
    _Static_assert(SINO_TILE == 16, "row and column are a digit each");
    if (orientation % 2 == 0)
        for (int64_t i = 0; i < count; i++) to[i] = from[i] ^ flip;
    else
        for (int64_t i = 0; i < count; i++) to[i] = (uint8_t)(from[i] << 4 | from[i] >> 4) ^ flip;
}

/* Finds the rows of y of `count` rays; `row` begins with the orientation's first row. */
static void find_rays(int64_t count, const uint32_t *ray, const uint32_t *row, uint32_t *to)
{
    for (int64_t i = 0; i < count; i++) to[i] = row[ray[i]];
}

/* The name of x for the panel PANEL in the type of NAME: x_pair_single, for example. */
#define NAME_EXPANDED(x)       NAME(x)
#define PANEL_JOIN(x, panel)   x##_##panel
#define PANEL_EXPAND(x, panel) PANEL_JOIN(x, panel)
#define PANEL_NAME(x)          NAME_EXPANDED(PANEL_EXPAND(x, PANEL))

#define REAL       float
#define REAL_BYTES 4
#define LANES      (SINO_VECTOR_BYTES / REAL_BYTES)
#define NAME(x)    x##_single
#include "spmm_tmpl.c"
#undef REAL
#undef REAL_BYTES
#undef NAME

#define REAL       double
#define REAL_BYTES 8
#define NAME(x)    x##_double
#include "spmm_tmpl.c"

#define DEFINE_KERNEL(name, type, back_, x_half_, y_half_)                                                             \
    static void name(const SinoBlockHeader *header, const SinoSpmmProduct *product)                                    \
    {                                                                                                                  \
        run_##type(header, product, (SinoSpmmFlags){.back = back_, .x_half = x_half_, .y_half = y_half_});             \
    }

DEFINE_KERNEL(project_double, double, false, false, false)
DEFINE_KERNEL(backproject_double, double, true, false, false)
DEFINE_KERNEL(project_single, single, false, false, false)
DEFINE_KERNEL(backproject_single, single, true, false, false)
DEFINE_KERNEL(project_half, single, false, true, true)
DEFINE_KERNEL(backproject_half, single, true, true, true)
DEFINE_KERNEL(project_mixed, single, false, true, false)
DEFINE_KERNEL(backproject_mixed, single, true, false, true)

const SinoSpmmIsa SINO_ISA_OBJECT(sino_spmm, SINO_ISA) = {.name = SINO_ISA_TEXT(SINO_ISA),
                                                          .project = {[SINO_SINGLE] = project_single,
                                                                      [SINO_DOUBLE] = project_double,
                                                                      [SINO_HALF] = project_half,
                                                                      [SINO_MIXED] = project_mixed},
                                                          .backproject = {[SINO_SINGLE] = backproject_single,
                                                                          [SINO_DOUBLE] = backproject_double,
                                                                          [SINO_HALF] = backproject_half,
                                                                          [SINO_MIXED] = backproject_mixed},
                                                          .scratch_bytes = sizeof(SinoSpmmScratch)};
