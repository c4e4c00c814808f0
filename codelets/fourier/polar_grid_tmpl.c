/* SPDX-License-Identifier: BSD-3-Clause */
/* The part of Polar grid that depends on the precision. polar_grid_cpu.c includes this file once per type, with REAL,
 * FFTW() and NAME() defined. Complex numbers are pairs of REAL. */

/* A plan for columns of the grid, and for pairs of rows. FFTW_ESTIMATE makes the same plan in every run. */
static SinoStatus NAME(make_plans)(SinoPolarGrid *grid)
{
    const int count = (int)grid->grid_size;
    const int64_t bytes = sino_polar_grid_row_bytes(grid->size, grid->precision);
    REAL *rows = NULL;
    SINO_TRY(sino_allocate(sino_ceil_multiple(bytes, 64), 1, "rows of a grid", &rows));
    FFTW(complex) *from = (void *)rows, *to = (void *)(rows + ROWS * row_stride(grid->grid_size));
    grid->NAME(plan) = FFTW(plan_dft_1d)(count, from, to, FFTW_BACKWARD, FFTW_ESTIMATE);
    free(rows);
    SINO_CHECK(grid->NAME(plan), SINO_FAILED, "FFTW made no plan for %d points", count);
    return NULL;
}

/* Half of the taps' coefficients, for both directions of the grid. */
static void NAME(keep_tap)(int tap, const double coefficient[NODES], REAL *taps)
{
    for (int n = 0; n < NODES; n++) {
        REAL *row = taps + (n % 2 ? n / 2 : (NODES + n) / 2) * TAPS;
        row[tap] = row[tap + TAPS / 2] = (REAL)coefficient[n];
    }
}

/* ---- spreading ---- */

/* Vectors, because arrays are taken apart into scalars: a number for each tap; a complex number for each tap, or for
 * each lane. */
typedef REAL NAME(Taps) __attribute__((vector_size(TAPS * sizeof(REAL))));
typedef REAL NAME(Pairs) __attribute__((vector_size(2 * TAPS * sizeof(REAL))));
typedef REAL NAME(Lanes) __attribute__((vector_size(2 * LANES * sizeof(REAL))));

/* Terms of a ray: their first points in a grid of one lane, and the weights of the TAPS columns, and of the TAPS points
 * of each. */
typedef struct NAME(Places) {
    int64_t count, term[BLOCK], point[BLOCK];
    REAL over[BLOCK][TAPS], down[BLOCK][TAPS];
} NAME(Places);

/* The first point of the grid under the window of a frequency, and the variable of the taps' polynomials. */
SINO_INLINE int64_t NAME(first_point)(double at, REAL *z)
{
    const double first = ceil(at - TAPS / 2.0);
    *z = (REAL)(2 * (first - (at - TAPS / 2.0)) - 1);
    return (int64_t)first;
}

/* The polynomials of half of the taps, as an even and an odd part, in both directions at once. */
SINO_INLINE void NAME(weigh)(const REAL *taps, REAL over, REAL down, REAL *weight_over, REAL *weight_down)
{
    const NAME(Taps) z = {over, over, over, over, down, down, down, down}, square = z * z;
    NAME(Taps) even, odd, factor;
    memcpy(&even, taps, sizeof even);
    memcpy(&odd, taps + NODES / 2 * TAPS, sizeof odd);
    for (int n = 1; n < NODES / 2; n++) {
        memcpy(&factor, taps + n * TAPS, sizeof factor);
        even = even * square + factor;
        memcpy(&factor, taps + (NODES / 2 + n) * TAPS, sizeof factor);
        odd = odd * square + factor;
    }
    const NAME(Taps) low = even + odd * z, high = even - odd * z;
    const NAME(Taps) all_over = __builtin_shufflevector(low, high, 0, 1, 2, 3, 11, 10, 9, 8);
    const NAME(Taps) all_down = __builtin_shufflevector(low, high, 4, 5, 6, 7, 15, 14, 13, 12);
    memcpy(weight_over, &all_over, sizeof all_over);
    memcpy(weight_down, &all_down, sizeof all_down);
}

/* Turn i of a ray is the term i / SECTIONS of the section i mod SECTIONS. Places those of BLOCK turns. */
SINO_INLINE void NAME(place)(const SinoPolarGrid *grid, const Ray *ray, int64_t first, NAME(Places) * places)
{
    const int64_t size = grid->grid_size, section = section_terms(ray);
    int64_t n = 0;
    for (int64_t i = first; i < first + BLOCK; i++) {
        const int64_t k = i % SECTIONS * section + i / SECTIONS;
        REAL z_over, z_down;
        if (i >= SECTIONS * section || k >= ray->count) continue;
        const int64_t column = NAME(first_point)((double)k * ray->across, &z_over) + MARGIN;
        const int64_t row = NAME(first_point)((double)k * ray->along, &z_down);
        NAME(weigh)(grid->taps, z_over, z_down, places->over[n], places->down[n]);
        places->point[n] = column * column_stride(size) + (row < 0 ? row + size : row);
        places->term[n++] = k;
    }
    places->count = n;
}

SINO_VECTORISED static void NAME(add_one)(const SinoPolarGrid *grid, const Ray *ray, const REAL *strength, REAL *sums)
{
    const int64_t stride = 2 * column_stride(grid->grid_size);
    const REAL sign = ray->turned ? -1 : 1;
    NAME(Places) at;
    for (int64_t first = 0; first < SECTIONS * section_terms(ray); first += BLOCK) {
        NAME(place)(grid, ray, first, &at);
        for (int64_t i = 0; i < at.count; i++) {
            const REAL real = strength[2 * at.term[i]], imaginary = sign * strength[2 * at.term[i] + 1];
            REAL *to = sums + 2 * at.point[i];
            NAME(Pairs) pair = {0}, sum;
            for (int t = 0; t < TAPS; t++) {
                pair[2 * t] = real * at.down[i][t];
                pair[2 * t + 1] = imaginary * at.down[i][t];
            }
            for (int c = 0; c < TAPS; c++) {
                memcpy(&sum, to + c * stride, sizeof sum);
                sum += at.over[i][c] * pair;
                memcpy(to + c * stride, &sum, sizeof sum);
            }
        }
    }
}

SINO_VECTORISED static void NAME(add_lanes)(const SinoPolarGrid *grid, const Ray *ray, const REAL *strength, REAL *sums)
{
    const int64_t stride = 2 * LANES * column_stride(grid->grid_size);
    const REAL sign = ray->turned ? -1 : 1;
    const NAME(Lanes) signs = {1, sign, 1, sign, 1, sign, 1, sign};
    NAME(Places) at;
    for (int64_t first = 0; first < SECTIONS * section_terms(ray); first += BLOCK) {
        NAME(place)(grid, ray, first, &at);
        for (int64_t i = 0; i < at.count; i++) {
            REAL *to = sums + 2 * LANES * at.point[i];
            NAME(Lanes) value, pair[TAPS], sum;
            memcpy(&value, strength + 2 * LANES * at.term[i], sizeof value);
            for (int t = 0; t < TAPS; t++) pair[t] = signs * value * at.down[i][t];
            for (int c = 0; c < TAPS; c++)
                for (int t = 0; t < TAPS; t++) {
                    REAL *const element = to + c * stride + 2 * LANES * t;
                    memcpy(&sum, element, sizeof sum);
                    sum += at.over[i][c] * pair[t];
                    memcpy(element, &sum, sizeof sum);
                }
        }
    }
}

/* ---- transform ---- */

/* Copies a column from[point][lane] to columns to[lane][point]. What was spread beyond the end goes to the beginning.
 */
SINO_INLINE void NAME(take_lanes)(int64_t size, int64_t lanes, const REAL *from, REAL *to)
{
    const int64_t step = 2 * column_stride(size);
    for (int64_t i = 0; i < size; i++)
        for (int64_t t = 0; t < lanes; t++) memcpy(to + t * step + 2 * i, from + 2 * (i * lanes + t), 2 * sizeof *to);
    for (int64_t i = 0; i < TAPS; i++)
        for (int64_t t = 0; t < 2 * lanes; t++) to[t / 2 * step + 2 * i + t % 2] += from[2 * (size + i) * lanes + t];
}

SINO_VECTORISED static void NAME(take_column)(int64_t size, int64_t lanes, const REAL *from, REAL *to)
{
    if (lanes == 1)
        NAME(take_lanes)(size, 1, from, to);
    else
        NAME(take_lanes)(size, LANES, from, to);
}

/* Adds the conjugate of a column in the margin, which is at the opposite frequencies. */
static void NAME(add_opposite)(int64_t size, int64_t lanes, const REAL *from, REAL *to)
{
    const int64_t step = 2 * column_stride(size);
    for (int64_t i = 0; i < size + TAPS; i++)
        for (int64_t t = 0; t < lanes; t++) {
            REAL *at = to + t * step + 2 * ((2 * size - i) % size);
            at[0] += from[2 * (i * lanes + t)];
            at[1] -= from[2 * (i * lanes + t) + 1];
        }
}

/* Each column sums[point][lane] becomes the lanes' transforms, [lane][point]. */
static void NAME(transform)(const SinoPolarGrid *grid, int64_t lanes, REAL *sums, REAL *rows)
{
    const int64_t size = grid->grid_size, step = 2 * column_stride(size), stride = lanes * step, half = size / 2;
    for (int64_t c = 0; c <= half; c++) {
        REAL *column = sums + (MARGIN + c) * stride;
        NAME(take_column)(size, lanes, column, rows);
        if (c >= 1 && c <= MARGIN) NAME(add_opposite)(size, lanes, column - 2 * c * stride, rows);
        if (c < half && c >= half - MARGIN) NAME(add_opposite)(size, lanes, column + 2 * (half - c) * stride, rows);
        for (int64_t t = 0; t < lanes; t++)
            FFTW(execute_dft)(grid->NAME(plan), (void *)(rows + t * step), (void *)(column + t * step));
    }
}

/* The spectra of pairs of real rows a, b as complex rows a + ib: from[column][point] to to[pair][column]. Rows are the
 * points at `place`, an even number. A column is its own opposite at frequency 0 and G/2; a real transform counts all
 * others twice. */
static void NAME(gather_pairs)(int64_t size, int64_t lanes, const REAL *from, int64_t rows, const int64_t *place,
                               REAL *to)
{
    const int64_t stride = 2 * lanes * column_stride(size), step = row_stride(size), half = size / 2;
    for (int64_t c = 0; c <= half; c++) {
        const REAL *column = from + c * stride, *ahead = from + sino_smaller(c + AHEAD, half) * stride;
        __builtin_prefetch(ahead + place[0]);
        __builtin_prefetch(ahead + place[rows - 1]);
        for (int64_t r = 0; r < rows; r += 2) {
            const REAL *a = column + place[r], *b = column + place[r + 1];
            const bool is_own = c == 0 || c == half;
            REAL *same = to + r * step + 2 * c, *opposite = to + r * step + 2 * (size - c);
            if (is_own) {
                same[0] = 2 * a[0];
                same[1] = 2 * b[0];
                continue;
            }
            same[0] = a[0] - b[1];
            same[1] = a[1] + b[0];
            opposite[0] = a[0] + b[1];
            opposite[1] = b[0] - a[1];
        }
    }
}

/* Pixels of a pair of rows: the end of the transform, then its beginning; the window's transform is divided out. */
SINO_VECTORISED static void NAME(scale_pair)(const SinoPolarGrid *grid, const double scale[2], const REAL *from,
                                             REAL *to_even, REAL *to_odd)
{
    const int64_t middle = grid->size / 2;
    for (int64_t part = 0; part < 2; part++) {
        const int64_t begin = part ? middle : 0, end = part ? grid->size : middle;
        const REAL *pair = from + (part ? 0 : 2 * (grid->grid_size - middle));
        for (int64_t j = begin; j < end; j++) {
            to_even[j] = (REAL)(scale[0] * grid->inverse[j]) * pair[2 * (j - begin)];
            to_odd[j] = (REAL)(scale[1] * grid->inverse[j]) * pair[2 * (j - begin) + 1];
        }
    }
}

static REAL *NAME(finish)(const SinoPolarGrid *grid, int64_t lanes, int64_t lane, const REAL *sums, int64_t first_row,
                          int64_t count, REAL *rows)
{
    const int64_t size = grid->grid_size, step = row_stride(size), middle = grid->size / 2;
    const int64_t even = sino_ceil_multiple(count, 2);
    const REAL *first = sums + 2 * (MARGIN * lanes + lane) * column_stride(size);
    REAL *transformed = rows + ROWS * step;
    int64_t place[ROWS];
    for (int64_t r = 0; r < ROWS; r++) {
        const int64_t row = first_row + sino_smaller(r, count - 1) - middle;
        place[r] = 2 * (row < 0 ? row + size : row);
    }
    NAME(gather_pairs)(size, lanes, first, even, place, rows);
    for (int64_t r = 0; r < even; r += 2) {
        const double *inverse = grid->inverse + first_row + r, scale[2] = {inverse[0] / 2, inverse[r + 1 < count] / 2};
        REAL *const pair = rows + r * step;
        FFTW(execute_dft)(grid->NAME(plan), (void *)pair, (void *)(transformed + r * step));
        NAME(scale_pair)(grid, scale, transformed + r * step, pair, pair + step);
    }
    return rows;
}
