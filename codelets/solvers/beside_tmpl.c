/* SPDX-License-Identifier: BSD-3-Clause */
/* Beside, one panel: REAL is the element, NAME(x) the function names. Included by variation_tmpl.c and prior_tmpl.c. */

/* result[i·of + lane] = from[i·distance] for `count` rows. */
static void NAME(take_lane)(int64_t count, int64_t of, int64_t lane, const REAL *from, int64_t distance, REAL *result)
{
    for (int64_t i = 0; i < count; i++) result[i * of + lane] = from[i * distance];
}

static void NAME(take_edge)(const SinoBeside *beside, const REAL *own, int64_t of, int64_t lane, int64_t row,
                            int64_t count, REAL *result)
{
    static const REAL zero = 0;
    const REAL *edge = beside->edge;
    if (edge)
        NAME(take_lane)(count, of, lane, edge + row, 1, result);
    else if (beside->same)
        NAME(take_lane)(count, of, lane, own + lane, of, result);
    else
        NAME(take_lane)(count, of, lane, &zero, 0, result);
}

/* result[row][slice of the panel]: of `count` rows from `row` on, the values of the slice before each one. */
static void NAME(take_before)(const SinoBeside *beside, SinoPanel at, int64_t row, int64_t count, REAL *result)
{
    const int64_t step = at.slices.stride;
    const REAL *own = (const REAL *)sino_panel_from(at, beside->rows, beside->vector) + row * step;
    memcpy(result + 1, own, (size_t)(count * step - 1) * sizeof *own);
    if (at.first == 0) {
        NAME(take_edge)(beside, own, step, 0, row, count, result);
        return;
    }
    const int64_t width = sino_panel_width(at.slices.precision); /* of every panel but the last */
    const SinoPanel before = sino_panel_at(beside->slices, at.first - width);
    const REAL *from = sino_panel_from(before, beside->rows, beside->vector);
    NAME(take_lane)(count, step, 0, from + row * width + width - 1, width, result);
}

/* The same of the slice after each one. Padding gets what lies there. */
static void NAME(take_after)(const SinoBeside *beside, SinoPanel at, int64_t row, int64_t count, REAL *result)
{
    const int64_t step = at.slices.stride, last = beside->slices.slice_count - 1 - at.first;
    const REAL *own = (const REAL *)sino_panel_from(at, beside->rows, beside->vector) + row * step;
    memcpy(result, own + 1, (size_t)(count * step - 1) * sizeof *own);
    result[count * step - 1] = own[count * step - 1];
    if (last >= step) {
        const SinoPanel after = sino_panel_next(beside->slices, at);
        const REAL *from = sino_panel_from(after, beside->rows, beside->vector);
        NAME(take_lane)(count, step, step - 1, from + row * after.slices.stride, after.slices.stride, result);
    } else if (last >= 0) {
        NAME(take_edge)(beside, own, step, last, row, count, result);
    }
}
