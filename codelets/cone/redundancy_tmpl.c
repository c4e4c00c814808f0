/* SPDX-License-Identifier: BSD-3-Clause */
/* Redundancy in one precision. Included by redundancy_cpu.c with REAL and NAME defined. */

/* to[slice] = the completed column i of a projection whose rays are `own`, and whose opposite ones are `first` and
 * `second`. */
SINO_VECTORISED static void NAME(complete_column)(const SinoCompleted *at, double share, int64_t stride,
                                                  int64_t own_ray, const REAL *own, const REAL *first,
                                                  const REAL *second, REAL *to)
{
    const REAL mine = (REAL)at->own, later = (REAL)share, right = (REAL)at->fraction;
    const REAL *left_first = first + at->column * stride, *left_second = second + at->column * stride;
    const int64_t next = at->fraction > 0 ? stride : 0;
    const REAL *self = own + own_ray * stride;
    for (int64_t f = 0; f < stride; f++) {
        const REAL a = left_first[f] + right * (left_first[f + next] - left_first[f]);
        const REAL b = left_second[f] + right * (left_second[f + next] - left_second[f]);
        const REAL other = a + later * (b - a);
        const bool of_first = sino_is_undefined(left_first[f]) | sino_is_undefined(left_first[f + next]);
        const bool of_second = sino_is_undefined(left_second[f]) | sino_is_undefined(left_second[f + next]);
        const bool gap = of_first | (of_second & (later > 0)) | (sino_is_undefined(self[f]) & (mine > 0));
        to[f] = gap ? -(REAL)0 : other + mine * (self[f] - other);
    }
}

static void NAME(complete)(const SinoRedundancy *redundancy, int64_t stride, const REAL *panel, REAL *completed)
{
    const int64_t columns = redundancy->column_count, width = redundancy->width;
    for (int64_t k = 0; k < redundancy->angle_count; k++) {
        const SinoOpposite *opposite = &redundancy->opposite[k];
        const REAL *own = panel + k * columns * stride;
        const REAL *first = panel + opposite->angle[0] * columns * stride;
        const REAL *second = panel + opposite->angle[1] * columns * stride;
        REAL *to = completed + k * width * stride;
        for (int64_t i = 0; i < width; i++) {
            const SinoCompleted *at = &redundancy->at[i];
            const int64_t own_ray = sino_smaller(sino_larger(i - redundancy->first, 0), columns - 1);
            if (at->own < 1)
                NAME(complete_column)(at, opposite->share, stride, own_ray, own, first, second, to + i * stride);
            else
                memcpy(to + i * stride, own + own_ray * stride, (size_t)stride * sizeof *to);
        }
    }
}

SINO_VECTORISED static void NAME(weigh)(const SinoRedundancy *redundancy, int64_t stride, const REAL *completed,
                                        REAL *panel)
{
    const int64_t columns = redundancy->column_count;
    for (int64_t k = 0; k < redundancy->angle_count; k++)
        for (int64_t c = 0; c < columns; c++) {
            const REAL factor = (REAL)redundancy->weight[c];
            const REAL *from = completed + (k * redundancy->width + redundancy->first + c) * stride;
            REAL *to = panel + (k * columns + c) * stride;
            for (int64_t f = 0; f < stride; f++) to[f] = factor * from[f];
        }
}
