/* SPDX-License-Identifier: BSD-3-Clause */
/* Boxes: projections whose detector columns are in no upright plane, ray by ray; part of cone_project_isa.c.
 *
 * A ray is followed along x, y or z, whichever it is nearest to. In each plane of voxels it passes it takes the four
 * voxels around. RAYS rays of neighbouring rows are computed together. The band is cut into boxes, which are copied to
 * work memory with zeros around them: rays that pass beside a box are moved to its zeros. */

enum { RAYS = 8 };
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

SINO_INLINE float lesser(float a, float b)
{
    return a < b ? a : b;
}

SINO_INLINE float greater(float a, float b)
{
    return a > b ? a : b;
}

/* RAYS rays that are followed along the same axis. In plane p of the box a ray is at start + slope·p across, from one
 * voxel before the first one of the box. Rays that have another axis are far beside it. */
typedef struct Bundle {
    float start[2][RAYS], slope[2][RAYS], length[RAYS];
    float most[2]; /* places beyond the box across */
    int64_t first_plane, plane_count;
    int32_t stride[2];
    int64_t plane_stride;
} Bundle;

/* Rays, in voxels from the box's first one. */
typedef struct Rays {
    double from[3][RAYS], ray[3][RAYS], size[3][RAYS];
    int axis[RAYS]; /* along which each is followed; −1: no ray */
    int axes;       /* bits 1 << axis of all */
    float share;    /* of each in its pixel */
} Rays;

static void take_rays(const SinoView *view, const Box *box, int64_t column, int64_t row, int64_t row_count, Rays *rays)
{
    for (int a = 0; a < 3; a++) {
        const double first = view->first[a] + (double)column * view->column[a], step = view->row[a];
        const double source = view->source[a], here = (double)box->first[a];
        for (int i = 0; i < RAYS; i++) {
            const double pixel = first + (double)(row + i) * step;
            rays->from[a][i] = (view->parallel ? pixel : source) - here;
            rays->ray[a][i] = view->parallel ? source : pixel - source;
            rays->size[a][i] = fabs(rays->ray[a][i]);
        }
    }
    rays->axes = 0;
    for (int i = 0; i < RAYS; i++) {
        const double x = rays->size[0][i], y = rays->size[1][i], most = x > y ? x : y;
        const int flat = x > y ? 0 : 1, axis = rays->size[2][i] > most ? 2 : flat;
        rays->axis[i] = row + i < row_count ? axis : -1;
        rays->axes |= row + i < row_count ? 1 << axis : 0;
    }
}

/* Narrows enter … leave to the planes where each ray is between −1 and the box's end across. */
static void cross_box(const Bundle *bundle, int k, float *restrict enter, float *restrict leave)
{
    const float most = bundle->most[k], *restrict start = bundle->start[k], *restrict slope = bundle->slope[k];
    for (int i = 0; i < RAYS; i++) {
        const float steep = fabsf(slope[i]) > 1e-9F ? slope[i] : 1e-9F;
        const float begin = -start[i] / steep, rest = (most - start[i]) / steep;
        enter[i] = greater(enter[i], lesser(begin, rest));
        leave[i] = lesser(leave[i], greater(begin, rest));
    }
}

/* The rays of an axis; false: none of them passes the box. */
static bool bundle_of(const Rays *rays, const Box *box, int axis, Bundle *bundle)
{
    const int across[2] = {axis == 0 ? 1 : 0, axis == 2 ? 1 : 2};
    const float end = (float)(box->count[axis] - 1);
    float from = end + 1, to = -1, enter[RAYS], leave[RAYS];
    double mine[RAYS], pace[RAYS];
    for (int i = 0; i < RAYS; i++) {
        const bool follows = rays->axis[i] == axis;
        const double along = follows ? rays->ray[axis][i] : 1;
        mine[i] = follows ? 1 : 0;
        pace[i] = mine[i] / along;
        enter[i] = follows ? 0 : end + 1;
        leave[i] = follows ? end : -1;
        bundle->length[i] = 1;
    }
    for (int k = 0; k < 2; k++) {
        const double *restrict ray = rays->ray[across[k]], *restrict at = rays->from[across[k]];
        const double *restrict along = rays->from[axis];
        bundle->most[k] = (float)(box->count[across[k]] + 1);
        bundle->stride[k] = (int32_t)box->stride[across[k]];
        for (int i = 0; i < RAYS; i++) {
            const double slope = ray[i] * pace[i];
            bundle->slope[k][i] = (float)slope;
            bundle->start[k][i] = (float)((at[i] - slope * along[i] + 1) * mine[i]);
        }
        for (int i = 0; i < RAYS; i++) bundle->length[i] += bundle->slope[k][i] * bundle->slope[k][i];
        cross_box(bundle, k, enter, leave);
    }
    for (int i = 0; i < RAYS; i++) {
        const bool passes = enter[i] <= leave[i];
        bundle->length[i] = rays->share * (float)mine[i] * sqrtf(bundle->length[i]);
        from = lesser(from, passes ? enter[i] : end + 1);
        to = greater(to, passes ? leave[i] : -1);
    }
    bundle->first_plane = (int64_t)greater(from - 1, 0);
    bundle->plane_count = (int64_t)lesser(to + 1, end) + 1 - bundle->first_plane;
    bundle->plane_stride = box->stride[axis];
    return from <= to;
}

#if defined __AVX2__

/* Where the rays pass a plane: the first of four voxels, and shares of the next one across. */
typedef struct Places {
    __m256 share[2];
    int32_t entry[RAYS];
} Places;

SINO_INLINE void take_places(const Bundle *bundle, int64_t plane, Places *places)
{
    __m256i entry[2];
    for (int k = 0; k < 2; k++) {
        const __m256 at = _mm256_fmadd_ps(_mm256_set1_ps((float)plane), _mm256_loadu_ps(bundle->slope[k]),
                                          _mm256_loadu_ps(bundle->start[k]));
        const __m256 inside = _mm256_min_ps(_mm256_max_ps(at, _mm256_setzero_ps()), _mm256_set1_ps(bundle->most[k]));
        entry[k] = _mm256_cvttps_epi32(inside);
        places->share[k] = _mm256_sub_ps(inside, _mm256_cvtepi32_ps(entry[k]));
        entry[k] = _mm256_mullo_epi32(entry[k], _mm256_set1_epi32(bundle->stride[k]));
    }
    _mm256_storeu_si256((__m256i *)places->entry, _mm256_add_epi32(entry[0], entry[1]));
}

/* Two rays' pairs of neighbours in memory. */
SINO_INLINE __m128 two_pairs(const float *from, const int32_t entry[2])
{
    const __m128 first = _mm_castsi128_ps(_mm_loadl_epi64((const __m128i *)(from + entry[0])));
    return _mm_loadh_pi(first, (const __m64 *)(from + entry[1]));
}

/* What the rays see between two voxels that are neighbours along z, or `next` apart. Loads of pairs are three times as
 * fast as gathers. */
SINO_INLINE __m256 between(const float *from, int64_t next, const Places *at)
{
    __m256 low, high;
    if (next == 1) {
        const int32_t *entry = at->entry;
        const __m256 even = _mm256_set_m128(two_pairs(from, entry + 4), two_pairs(from, entry));
        const __m256 odd = _mm256_set_m128(two_pairs(from, entry + 6), two_pairs(from, entry + 2));
        low = _mm256_shuffle_ps(even, odd, 0x88);
        high = _mm256_shuffle_ps(even, odd, 0xdd);
    } else {
        const __m256i entry = _mm256_loadu_si256((const __m256i *)at->entry);
        low = _mm256_i32gather_ps(from, entry, 4);
        high = _mm256_i32gather_ps(from + next, entry, 4);
    }
    return _mm256_fmadd_ps(at->share[1], _mm256_sub_ps(high, low), low);
}

SINO_INLINE void project_planes(const Bundle *bundle, const Box *box, int64_t next, float *sums)
{
    const float *plane = box->copy + (bundle->first_plane + 1) * bundle->plane_stride;
    __m256 sum = _mm256_setzero_ps();
    for (int64_t p = 0; p < bundle->plane_count; p++, plane += bundle->plane_stride) {
        Places at;
        take_places(bundle, bundle->first_plane + p, &at);
        const __m256 low = between(plane, next, &at), high = between(plane + bundle->stride[0], next, &at);
        sum = _mm256_add_ps(sum, _mm256_fmadd_ps(at.share[0], _mm256_sub_ps(high, low), low));
    }
    _mm256_storeu_ps(sums, _mm256_mul_ps(sum, _mm256_loadu_ps(bundle->length)));
}

static void project_bundle(const Bundle *bundle, const Box *box, int count, float *rays)
{
    float sums[RAYS];
    if (bundle->stride[1] == 1)
        project_planes(bundle, box, 1, sums);
    else
        project_planes(bundle, box, bundle->stride[1], sums);
    for (int i = 0; i < count; i++) rays[i] += sums[i];
}

/* Neighbours along z are added one by one: as a pair, the next ray's load would wait for the store of another pair. */
static void spread_bundle(const Bundle *bundle, const Box *box, int count, const float *rays)
{
    float *plane = box->copy + (bundle->first_plane + 1) * bundle->plane_stride, weight[4][RAYS];
    const __m256 one = _mm256_set1_ps(1);
    const int64_t next = bundle->stride[1], beside = bundle->stride[0];
    float values[RAYS] = {0};
    for (int i = 0; i < count; i++) values[i] = rays[i] * bundle->length[i];
    const __m256 value = _mm256_loadu_ps(values);
    for (int64_t p = 0; p < bundle->plane_count; p++, plane += bundle->plane_stride) {
        Places at;
        take_places(bundle, bundle->first_plane + p, &at);
        const __m256 high = _mm256_mul_ps(value, at.share[0]);
        const __m256 low = _mm256_mul_ps(value, _mm256_sub_ps(one, at.share[0]));
        const __m256 rest = _mm256_sub_ps(one, at.share[1]);
        _mm256_storeu_ps(weight[0], _mm256_mul_ps(low, rest));
        _mm256_storeu_ps(weight[1], _mm256_mul_ps(low, at.share[1]));
        _mm256_storeu_ps(weight[2], _mm256_mul_ps(high, rest));
        _mm256_storeu_ps(weight[3], _mm256_mul_ps(high, at.share[1]));
#pragma GCC unroll 8
        for (int i = 0; i < RAYS; i++) {
            float *to = plane + at.entry[i];
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

/* Of a split cone; from, to: the pixels of the column. */
static void pass_rays(const SinoCone *cone, const SinoView *view, SinoPixelRays each, const Box *box, int64_t column,
                      int64_t row, const float *from, float *to)
{
    const int count = (int)sino_smaller(RAYS, cone->row_count - row);
    int64_t pixel[RAYS] = {0};
    float value[RAYS] = {0};
    Rays rays = {.share = 1 / (float)(each.across * each.up)};
    Bundle bundle;
    for (int i = 0; i < count; i++) pixel[i] = each.up == 1 ? row + i : (row + i) / each.up;
    for (int i = 0; i < count && from; i++) value[i] = from[pixel[i]];
    take_rays(view, box, column, row, cone->row_count, &rays);
    for (int axis = 0; axis < 3; axis++) {
        if (!(rays.axes >> axis & 1) || !bundle_of(&rays, box, axis, &bundle)) continue;
        if (from)
            spread_bundle(&bundle, box, count, value);
        else
            project_bundle(&bundle, box, count, value);
    }
    for (int i = 0; i < count && to; i++) to[pixel[i]] += value[i];
}

/* The box and its rays of all angles that are not in upright planes. */
static void pass_box(const SinoCone *cone, const Box *box, SinoConeBand band, SinoConeAngles angles, bool back,
                     const float *from, float *to)
{
    bool filled = false;
    for (int64_t k = 0; k < angles.count; k++) {
        SinoView view = sino_cone_grid_view(cone, angles.first + k), upright = view;
        if (sino_cone_stand_up(cone, &upright)) continue;
        const SinoPixelRays rays = sino_cone_pixel_rays(cone, angles.first + k);
        const SinoCone split = sino_cone_split(cone, rays, &view);
        const SinoViewPlanes planes = sino_view_planes(&view);
        const SinoConeAngles columns = pixels_of(&planes, box, 1, split.column_count);
        const SinoConeAngles rows = pixels_of(&planes, box, 2, split.row_count);
        if (!filled) fill_box(cone, box, band, back, from);
        filled = true;
        for (int64_t c = columns.first; c < columns.first + columns.count; c++)
            for (int64_t r = rows.first / RAYS * RAYS; r < rows.first + rows.count; r += RAYS) {
                const int64_t ray = (k * cone->column_count + c / rays.across) * cone->row_count;
                pass_rays(&split, &view, rays, box, c, r, back ? from + ray : NULL, back ? NULL : to + ray);
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
