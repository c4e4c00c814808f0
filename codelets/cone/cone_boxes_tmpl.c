/* SPDX-License-Identifier: BSD-3-Clause */
/* Boxes: projections whose detector columns are in no upright plane, ray by ray; part of cone_project_isa.c.
 *
 * A ray is followed along x, y or z, whichever it is nearest to. In each plane of voxels it passes it takes the four
 * voxels around. LANES rays of neighbouring rows are computed together. The band is cut into boxes, which are copied to
 * work memory with zeros around them: rays that pass beside a box are moved to its zeros. */

enum { BOX_X = SINO_CONE_BOX_X, BOX_Y = SINO_CONE_BOX_Y, BOX_Z = SINO_CONE_BOX_Z };

/* Voxels first[i] … first[i] + count[i] − 1 along x, y and z. Voxel (0, 0, 0) of the copy is at `origin` of it. */
typedef struct Box {
    int64_t first[3], count[3], stride[3], origin;
    float *copy;
} Box;

static Box box_of(const SinoConeWork *work, const int64_t first[3], const int64_t count[3])
{
    Box box = {.copy = work->box};
    for (int i = 0; i < 3; i++) {
        box.first[i] = first[i];
        box.count[i] = count[i];
    }
    box.stride[2] = 1;
    box.stride[0] = count[2] + SINO_CONE_BOX_BORDER;
    box.stride[1] = (count[0] + SINO_CONE_BOX_BORDER) * box.stride[0];
    box.origin = box.stride[0] + box.stride[1] + box.stride[2];
    return box;
}

static void fill_box(const SinoCone *cone, const Box *box, SinoConeBand band, bool back, const float *voxels)
{
    memset(box->copy, 0, (size_t)(box->stride[1] * (box->count[1] + SINO_CONE_BOX_BORDER)) * sizeof *box->copy);
    for (int64_t y = 0; y < box->count[1] && !back; y++)
        for (int64_t x = 0; x < box->count[0]; x++) {
            const int64_t run = (box->first[1] - band.first_row + y) * cone->x_count + box->first[0] + x;
            memcpy(box->copy + box->origin + y * box->stride[1] + x * box->stride[0],
                   voxels + run * cone->z_count + box->first[2], (size_t)box->count[2] * sizeof *voxels);
        }
}

static void add_box(const SinoCone *cone, const Box *box, SinoConeBand band, float *voxels)
{
    for (int64_t y = 0; y < box->count[1]; y++)
        for (int64_t x = 0; x < box->count[0]; x++) {
            const int64_t run = (box->first[1] - band.first_row + y) * cone->x_count + box->first[0] + x;
            const float *restrict from = box->copy + box->origin + y * box->stride[1] + x * box->stride[0];
            float *restrict to = voxels + run * cone->z_count + box->first[2];
            for (int64_t z = 0; z < box->count[2]; z++) to[z] += from[z];
        }
}

/* LANES rays that are followed along the same axis. In plane p of the box a ray is at start + slope·p across, from one
 * voxel before the first one of the box. Rays that have another axis are far beside it. */
typedef struct Bundle {
    float start[2][LANES], slope[2][LANES], length[LANES];
    float most[2]; /* places beyond the box across */
    int64_t first_plane, plane_count;
    int32_t stride[2];
    int64_t plane_stride;
} Bundle;

/* Rays, in voxels from the box's first one. */
typedef struct Rays {
    double from[3][LANES], ray[3][LANES], size[3][LANES];
    int axis[LANES]; /* −1: no ray */
} Rays;

static void take_rays(const SinoView *view, const Box *box, int64_t column, int64_t row, int64_t row_count, Rays *rays)
{
    for (int a = 0; a < 3; a++) {
        const double first = view->first[a] + (double)column * view->column[a], step = view->row[a];
        const double source = view->source[a], here = (double)box->first[a];
        for (int i = 0; i < LANES; i++) {
            const double pixel = first + (double)(row + i) * step;
            rays->from[a][i] = (view->parallel ? pixel : source) - here;
            rays->ray[a][i] = view->parallel ? source : pixel - source;
            rays->size[a][i] = fabs(rays->ray[a][i]);
        }
    }
    for (int i = 0; i < LANES; i++) {
        const int flat = rays->size[0][i] > rays->size[1][i] ? 0 : 1;
        const int axis = rays->size[2][i] > rays->size[flat][i] ? 2 : flat;
        rays->axis[i] = row + i < row_count ? axis : -1;
    }
}

/* The rays of an axis; false: none of them passes the box. */
static bool bundle_of(const Rays *rays, const Box *box, int axis, Bundle *bundle)
{
    const int across[2] = {axis == 0 ? 1 : 0, axis == 2 ? 1 : 2};
    const float end = (float)(box->count[axis] - 1);
    float from = end + 1, to = -1, enter[LANES], leave[LANES];
    for (int i = 0; i < LANES; i++) {
        enter[i] = rays->axis[i] == axis ? 0 : end + 1;
        leave[i] = end;
        bundle->length[i] = 1;
    }
    for (int k = 0; k < 2; k++) {
        const float most = (float)(box->count[across[k]] + 1);
        bundle->most[k] = most;
        bundle->stride[k] = (int32_t)box->stride[across[k]];
        for (int i = 0; i < LANES; i++) {
            const bool mine = rays->axis[i] == axis;
            const double slope = mine ? rays->ray[across[k]][i] / rays->ray[axis][i] : 0;
            const double start = mine ? rays->from[across[k]][i] - slope * rays->from[axis][i] + 1 : 0;
            const float steep = fabs(slope) > 1e-9 ? (float)slope : 1e-9F;
            const float begin = -(float)start / steep, rest = (most - (float)start) / steep;
            bundle->slope[k][i] = (float)slope;
            bundle->start[k][i] = (float)start;
            bundle->length[i] += (float)(slope * slope);
            enter[i] = fmaxf(enter[i], fminf(begin, rest));
            leave[i] = fminf(leave[i], fmaxf(begin, rest));
        }
    }
    for (int i = 0; i < LANES; i++) {
        const bool passes = rays->axis[i] == axis && enter[i] <= leave[i];
        bundle->length[i] = rays->axis[i] == axis ? sqrtf(bundle->length[i]) : 0;
        from = passes ? fminf(from, enter[i]) : from;
        to = passes ? fmaxf(to, leave[i]) : to;
    }
    bundle->first_plane = (int64_t)fmaxf(from - 1, 0);
    bundle->plane_count = (int64_t)fminf(to + 1, end) + 1 - bundle->first_plane;
    bundle->plane_stride = box->stride[axis];
    return from <= to;
}

#if defined __AVX2__

#if defined __AVX512F__
#define MULTIPLY           _mm512_mul_ps
#define ENTRY(k)           _mm512_set1_epi32(k)
#define ADD_ENTRIES        _mm512_add_epi32
#define SCALE(at, by)      _mm512_mullo_epi32(at, ENTRY(by))
#define GATHER(from, at)   _mm512_i32gather_ps(at, from, 4)
#define STORE_ENTRIES(to)  _mm512_storeu_si512
#else
#define MULTIPLY           _mm256_mul_ps
#define ENTRY(k)           _mm256_set1_epi32(k)
#define ADD_ENTRIES        _mm256_add_epi32
#define SCALE(at, by)      _mm256_mullo_epi32(at, ENTRY(by))
#define GATHER(from, at)   _mm256_i32gather_ps(from, at, 4)
#endif

/* Where the rays pass a plane: the first of four voxels, and shares of the next one across. */
typedef struct Places {
    Entries entry;
    Floats share[2];
} Places;

SINO_INLINE Places places_of(const Bundle *bundle, int64_t plane)
{
    Places places;
    Entries entry[2];
    for (int k = 0; k < 2; k++) {
        const Floats at = FMA(ALL((float)plane), LOAD(bundle->slope[k]), LOAD(bundle->start[k]));
        const Floats inside = LESSER(GREATER(at, ALL(0)), ALL(bundle->most[k]));
        entry[k] = FLOOR(inside);
        places.share[k] = SUB(inside, WHOLE(entry[k]));
    }
    places.entry = ADD_ENTRIES(SCALE(entry[0], bundle->stride[0]), SCALE(entry[1], bundle->stride[1]));
    return places;
}

static void project_bundle(const Bundle *bundle, const Box *box, int count, float *rays)
{
    const float *plane = box->copy + (bundle->first_plane + 1) * bundle->plane_stride;
    float all[LANES];
    Floats sum = ALL(0);
    for (int64_t p = 0; p < bundle->plane_count; p++, plane += bundle->plane_stride) {
        const Places at = places_of(bundle, bundle->first_plane + p);
        const float *beside = plane + bundle->stride[0];
        const Floats a = GATHER(plane, at.entry), b = GATHER(plane + bundle->stride[1], at.entry);
        const Floats c = GATHER(beside, at.entry), d = GATHER(beside + bundle->stride[1], at.entry);
        const Floats low = FMA(at.share[1], SUB(b, a), a), high = FMA(at.share[1], SUB(d, c), c);
        sum = ADD(sum, FMA(at.share[0], SUB(high, low), low));
    }
    STORE(all, MULTIPLY(sum, LOAD(bundle->length)));
    for (int i = 0; i < count; i++) rays[i] += all[i];
}

static void spread_bundle(const Bundle *bundle, const Box *box, int count, const float *rays)
{
    float *plane = box->copy + (bundle->first_plane + 1) * bundle->plane_stride;
    float value[LANES] = {0}, weight[4][LANES];
    int32_t entry[LANES];
    for (int i = 0; i < count; i++) value[i] = rays[i] * bundle->length[i];
    const Floats one = ALL(1), all = LOAD(value);
    const int64_t next = bundle->stride[1], beside = bundle->stride[0];
    for (int64_t p = 0; p < bundle->plane_count; p++, plane += bundle->plane_stride) {
        const Places at = places_of(bundle, bundle->first_plane + p);
        const Floats high = MULTIPLY(all, at.share[0]), low = MULTIPLY(all, SUB(one, at.share[0]));
        const Floats rest = SUB(one, at.share[1]);
        STORE(weight[0], MULTIPLY(low, rest));
        STORE(weight[1], MULTIPLY(low, at.share[1]));
        STORE(weight[2], MULTIPLY(high, rest));
        STORE(weight[3], MULTIPLY(high, at.share[1]));
        memcpy(entry, &at.entry, sizeof entry);
        for (int i = 0; i < count; i++) {
            float *to = plane + entry[i];
            to[0] += weight[0][i];
            to[next] += weight[1][i];
            to[beside] += weight[2][i];
            to[beside + next] += weight[3][i];
        }
    }
}

#else

/* The four voxels that ray i passes in a plane, and their weights. */
SINO_INLINE int64_t place_of(const Bundle *bundle, int i, int64_t plane, float weight[4])
{
    int64_t entry = 0;
    float share[2];
    for (int k = 0; k < 2; k++) {
        const float at = bundle->start[k][i] + bundle->slope[k][i] * (float)plane;
        const float inside = at < 0 ? 0 : at > bundle->most[k] ? bundle->most[k] : at;
        const int32_t whole = (int32_t)inside;
        entry += (int64_t)whole * bundle->stride[k];
        share[k] = inside - (float)whole;
    }
    weight[0] = (1 - share[0]) * (1 - share[1]);
    weight[1] = (1 - share[0]) * share[1];
    weight[2] = share[0] * (1 - share[1]);
    weight[3] = share[0] * share[1];
    return entry;
}

static void project_bundle(const Bundle *bundle, const Box *box, int count, float *rays)
{
    const int64_t next = bundle->stride[1], beside = bundle->stride[0];
    for (int i = 0; i < count; i++) {
        float sum = 0, w[4];
        for (int64_t p = bundle->first_plane; p < bundle->first_plane + bundle->plane_count; p++) {
            const float *at = box->copy + (p + 1) * bundle->plane_stride + place_of(bundle, i, p, w);
            sum += w[0] * at[0] + w[1] * at[next] + w[2] * at[beside] + w[3] * at[beside + next];
        }
        rays[i] += bundle->length[i] * sum;
    }
}

static void spread_bundle(const Bundle *bundle, const Box *box, int count, const float *rays)
{
    const int64_t next = bundle->stride[1], beside = bundle->stride[0];
    for (int i = 0; i < count; i++) {
        const float value = bundle->length[i] * rays[i];
        float w[4];
        for (int64_t p = bundle->first_plane; p < bundle->first_plane + bundle->plane_count; p++) {
            float *at = box->copy + (p + 1) * bundle->plane_stride + place_of(bundle, i, p, w);
            at[0] += w[0] * value;
            at[next] += w[1] * value;
            at[beside] += w[2] * value;
            at[beside + next] += w[3] * value;
        }
    }
}

#endif

/* The pixels that may see the box: those of its corners, a voxel further out. `number`: 1 columns, 2 rows. */
static SinoConeAngles pixels_of(const SinoViewPlanes *planes, const Box *box, int number, int64_t count)
{
    double low = INFINITY, high = -INFINITY;
    for (int corner = 0; corner < 8; corner++) {
        double point[3];
        for (int i = 0; i < 3; i++)
            point[i] = (double)(corner >> i & 1 ? box->first[i] + box->count[i] : box->first[i] - 1);
        const double depth = sino_view_value(planes, 0, point);
        if (!(depth > 0)) return (SinoConeAngles){0, count};
        const double pixel = sino_view_value(planes, number, point) / depth;
        low = fmin(low, pixel);
        high = fmax(high, pixel);
    }
    low = fmax(floor(low), 0);
    high = fmin(ceil(high), (double)(count - 1));
    if (!(low <= high)) return (SinoConeAngles){0, 0};
    return (SinoConeAngles){(int64_t)low, (int64_t)high - (int64_t)low + 1};
}

static void pass_rays(const SinoCone *cone, const SinoView *view, const Box *box, int64_t column, int64_t row,
                      const float *from, float *to)
{
    const int count = (int)sino_smaller(LANES, cone->row_count - row);
    Rays rays;
    Bundle bundle;
    take_rays(view, box, column, row, cone->row_count, &rays);
    for (int axis = 0; axis < 3; axis++) {
        if (!bundle_of(&rays, box, axis, &bundle)) continue;
        if (from)
            spread_bundle(&bundle, box, count, from + row);
        else
            project_bundle(&bundle, box, count, to + row);
    }
}

/* The box and its rays of all angles that are not in upright planes. */
static void pass_box(const SinoCone *cone, const Box *box, SinoConeBand band, SinoConeAngles angles, bool back,
                     const float *from, float *to)
{
    bool filled = false;
    for (int64_t k = 0; k < angles.count; k++) {
        const SinoView view = sino_cone_grid_view(cone, angles.first + k);
        SinoView upright = view;
        if (stand_up(cone, &upright)) continue;
        const SinoViewPlanes planes = sino_view_planes(&view);
        const SinoConeAngles columns = pixels_of(&planes, box, 1, cone->column_count);
        const SinoConeAngles rows = pixels_of(&planes, box, 2, cone->row_count);
        if (!filled) fill_box(cone, box, band, back, from);
        filled = true;
        for (int64_t c = columns.first; c < columns.first + columns.count; c++)
            for (int64_t r = rows.first / LANES * LANES; r < rows.first + rows.count; r += LANES) {
                const int64_t ray = (k * cone->column_count + c) * cone->row_count;
                pass_rays(cone, &view, box, c, r, back ? from + ray : NULL, back ? NULL : to + ray);
            }
    }
    if (back && filled) add_box(cone, box, band, to);
}

static void pass_boxes(const SinoCone *cone, SinoConeBand band, SinoConeAngles angles, const SinoConeWork *work,
                       bool back, const float *from, float *to)
{
    const int64_t end = band.first_row + band.row_count;
    for (int64_t y = band.first_row; y < end; y += BOX_Y)
        for (int64_t x = 0; x < cone->x_count; x += BOX_X)
            for (int64_t z = 0; z < cone->z_count; z += BOX_Z) {
                const int64_t first[3] = {x, y, z};
                const int64_t count[3] = {sino_smaller(BOX_X, cone->x_count - x), sino_smaller(BOX_Y, end - y),
                                          sino_smaller(BOX_Z, cone->z_count - z)};
                const Box box = box_of(work, first, count);
                pass_box(cone, &box, band, angles, back, from, to);
            }
}
