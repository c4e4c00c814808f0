/* SPDX-License-Identifier: BSD-3-Clause */
/* SpMM for one type: REAL is the element, LANES a vector of them, NAME(x) the function names, PRECISION the
 * SinoPrecision. Included by spmm_isa.c.
 *
 * A row of slices is worked on in pieces of two vectors, then one, then parts of one. A piece keeps its R × vectors
 * sums in registers while it runs through the group. */

typedef struct NAME(Group) {
    uint32_t ray[SINO_GROUP_RAYS];
    uint32_t voxel_count;
    const uint16_t *voxel;
    const REAL *length;
    const uint8_t *next;
} NAME(Group);

SINO_INLINE NAME(Group) NAME(read_group)(const uint8_t *at)
{
    const SinoGroupHeader *header = (const void *)at;
    const uint8_t *voxel = at + sizeof *header;
    const uint8_t *length = voxel + sino_group_index_bytes(header->voxel_count);
    NAME(Group)
    group = {.voxel_count = header->voxel_count,
             .voxel = (const void *)voxel,
             .length = (const void *)length,
             .next = at + sino_group_bytes(header->voxel_count, PRECISION)};
    for (int r = 0; r < SINO_GROUP_RAYS; r++) group.ray[r] = header->ray[r];
    return group;
}

/* A piece of `vectors` vectors of `lanes` slices. Projecting: rays are sums over the union's voxels. Backprojecting:
 * each voxel of the union receives every ray. */
#define DEFINE_PIECE(piece, lanes, vectors)                                                                            \
    typedef REAL NAME(piece##_vector)                                                                                  \
        __attribute__((vector_size((lanes) * sizeof(REAL)), aligned(sizeof(REAL)), may_alias));                        \
    SINO_INLINE void NAME(project_##piece)(const NAME(Group) * group, int64_t stride, const REAL *x, REAL *y)          \
    {                                                                                                                  \
        typedef NAME(piece##_vector) Vector;                                                                           \
        Vector sum[SINO_GROUP_RAYS][vectors];                                                                          \
        UNROLL for (int r = 0; r < SINO_GROUP_RAYS; r++) UNROLL for (int v = 0; v < (vectors); v++) sum[r][v] =        \
            (Vector){0};                                                                                               \
        for (uint32_t i = 0; i < group->voxel_count; i++) {                                                            \
            const Vector *from = (const Vector *)(x + group->voxel[i] * stride);                                       \
            UNROLL for (int r = 0; r < SINO_GROUP_RAYS; r++) UNROLL for (int v = 0; v < (vectors); v++) sum[r][v] +=   \
                from[v] * group->length[i * SINO_GROUP_RAYS + r];                                                      \
        }                                                                                                              \
        UNROLL for (int r = 0; r < SINO_GROUP_RAYS; r++)                                                               \
        {                                                                                                              \
            Vector *to = (Vector *)(y + group->ray[r] * stride);                                                       \
            UNROLL for (int v = 0; v < (vectors); v++) to[v] += sum[r][v];                                             \
        }                                                                                                              \
    }                                                                                                                  \
    SINO_INLINE void NAME(backproject_##piece)(const NAME(Group) * group, int64_t stride, const REAL *y, REAL *x)      \
    {                                                                                                                  \
        typedef NAME(piece##_vector) Vector;                                                                           \
        Vector value[SINO_GROUP_RAYS][vectors];                                                                        \
        UNROLL for (int r = 0; r < SINO_GROUP_RAYS; r++) UNROLL for (int v = 0; v < (vectors); v++) value[r][v] =      \
            ((const Vector *)(y + group->ray[r] * stride))[v];                                                         \
        for (uint32_t i = 0; i < group->voxel_count; i++) {                                                            \
            Vector *to = (Vector *)(x + group->voxel[i] * stride);                                                     \
            UNROLL for (int v = 0; v < (vectors); v++)                                                                 \
            {                                                                                                          \
                Vector sum = to[v];                                                                                    \
                UNROLL for (int r = 0; r < SINO_GROUP_RAYS; r++) sum +=                                                \
                    value[r][v] * group->length[i * SINO_GROUP_RAYS + r];                                              \
                to[v] = sum;                                                                                           \
            }                                                                                                          \
        }                                                                                                              \
    }

/* One or two slices: too few for a vector, so the group's rays are its lanes instead. Two voxels at a time, that the
 * sums need not wait for each other. */
typedef REAL NAME(RayVector)
    __attribute__((vector_size(SINO_GROUP_RAYS * sizeof(REAL)), aligned(sizeof(REAL)), may_alias));

_Static_assert(SINO_GROUP_RAYS == 4, "the narrow pieces name each ray of a group");

#define DEFINE_NARROW(piece, slices)                                                                                   \
    SINO_INLINE void NAME(project_##piece)(const NAME(Group) * group, int64_t stride, const REAL *x, REAL *y)          \
    {                                                                                                                  \
        const NAME(RayVector) *length = (const void *)group->length;                                                   \
        NAME(RayVector) sum[2][slices];                                                                                \
        uint32_t i = 0;                                                                                                \
        UNROLL for (int f = 0; f < (slices); f++) sum[0][f] = sum[1][f] = (NAME(RayVector)){0};                        \
        for (; i + 2 <= group->voxel_count; i += 2)                                                                    \
            UNROLL for (uint32_t j = 0; j < 2; j++) UNROLL for (int f = 0; f < (slices); f++) sum[j][f] +=             \
                length[i + j] * x[group->voxel[i + j] * stride + f];                                                   \
        if (i < group->voxel_count)                                                                                    \
            UNROLL for (int f = 0; f < (slices); f++) sum[0][f] += length[i] * x[group->voxel[i] * stride + f];        \
        UNROLL for (int f = 0; f < (slices); f++) UNROLL for (int r = 0; r < SINO_GROUP_RAYS; r++)                     \
            y[group->ray[r] * stride + f] += sum[0][f][r] + sum[1][f][r];                                              \
    }                                                                                                                  \
    SINO_INLINE void NAME(backproject_##piece)(const NAME(Group) * group, int64_t stride, const REAL *y, REAL *x)      \
    {                                                                                                                  \
        const NAME(RayVector) *length = (const void *)group->length;                                                   \
        NAME(RayVector) value[slices];                                                                                 \
        UNROLL for (int f = 0; f < (slices); f++) value[f] =                                                           \
            (NAME(RayVector)){y[group->ray[0] * stride + f], y[group->ray[1] * stride + f],                            \
                              y[group->ray[2] * stride + f], y[group->ray[3] * stride + f]};                           \
        for (uint32_t i = 0; i < group->voxel_count; i++) UNROLL for (int f = 0; f < (slices); f++)                    \
            {                                                                                                          \
                const NAME(RayVector) product = value[f] * length[i];                                                  \
                x[group->voxel[i] * stride + f] += (product[0] + product[2]) + (product[1] + product[3]);              \
            }                                                                                                          \
    }

DEFINE_PIECE(pair, LANES, 2)
DEFINE_PIECE(full, LANES, 1)
#if SINO_VECTOR_BYTES > 32
DEFINE_PIECE(half, LANES / 2, 1)
#endif
#if SINO_VECTOR_BYTES > 16
DEFINE_PIECE(words4, 16 / sizeof(REAL), 1)
#endif
DEFINE_NARROW(two, 2)
DEFINE_NARROW(one, 1)

/* Every slice of one group, in the widest pieces that fit. */
#define TAKE_PIECES(direction, piece, slices)                                                                          \
    for (; f + (int64_t)(slices) <= stride; f += (int64_t)(slices))                                                    \
        NAME(direction##_##piece)(group, stride, from + f, to + f);

#if SINO_VECTOR_BYTES > 32
#define TAKE_HALVES(direction) TAKE_PIECES(direction, half, LANES / 2)
#else
#define TAKE_HALVES(direction)
#endif
#if SINO_VECTOR_BYTES > 16
#define TAKE_QUARTERS(direction) TAKE_PIECES(direction, words4, 16 / sizeof(REAL))
#else
#define TAKE_QUARTERS(direction)
#endif

#define DEFINE_GROUP(direction)                                                                                        \
    SINO_INLINE void NAME(direction##_group)(const NAME(Group) * group, int64_t stride, const REAL *from, REAL *to)    \
    {                                                                                                                  \
        int64_t f = 0;                                                                                                 \
        TAKE_PIECES(direction, pair, 2 * LANES)                                                                        \
        TAKE_PIECES(direction, full, LANES)                                                                            \
        TAKE_HALVES(direction)                                                                                         \
        TAKE_QUARTERS(direction)                                                                                       \
        TAKE_PIECES(direction, two, 2)                                                                                 \
        TAKE_PIECES(direction, one, 1)                                                                                 \
    }

DEFINE_GROUP(project)
DEFINE_GROUP(backproject)

/* Every section of the block. `from_step` and `to_step` are the rows that a tile has in each of the vectors. */
#define DEFINE_BLOCK(direction, from_step, to_step)                                                                    \
    static void NAME(direction)(const SinoBlockHeader *header, int64_t stride, const void *from_rows, void *to_rows)   \
    {                                                                                                                  \
        const uint8_t *at = (const uint8_t *)(header + 1), *const end = (const uint8_t *)header + header->bytes;       \
        while (at < end) {                                                                                             \
            const SinoSectionHeader section = *(const SinoSectionHeader *)(const void *)at;                            \
            const REAL *from = (const REAL *)from_rows + section.tile * (from_step)*stride;                            \
            REAL *to = (REAL *)to_rows + section.tile * (to_step)*stride;                                              \
            at += sizeof section;                                                                                      \
            for (int32_t g = 0; g < section.group_count; g++) {                                                        \
                const NAME(Group) group = NAME(read_group)(at);                                                        \
                NAME(direction##_group)(&group, stride, from, to);                                                     \
                at = group.next;                                                                                       \
            }                                                                                                          \
        }                                                                                                              \
    }

DEFINE_BLOCK(project, SINO_TILE_VOXELS, 0)
DEFINE_BLOCK(backproject, 0, SINO_TILE_VOXELS)

#undef DEFINE_PIECE
#undef DEFINE_NARROW
#undef TAKE_PIECES
#undef TAKE_HALVES
#undef TAKE_QUARTERS
#undef DEFINE_GROUP
#undef DEFINE_BLOCK
