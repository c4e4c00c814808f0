/* SPDX-License-Identifier: BSD-3-Clause */
/* The part of Polar grid that depends on the precision. polar_grid_cpu.c includes this file once per type, with REAL,
 * FFTW() and TMPL() defined. Complex numbers are pairs of REAL. */

static void TMPL(free_plans)(SinoPolarGrid *grid)
{
    if (grid->TMPL(along)) FFTW(destroy_plan)(grid->TMPL(along));
    if (grid->TMPL(across)) FFTW(destroy_plan)(grid->TMPL(across));
}

/* Plans for columns of the grid in place, and for the half of a row's transform. FFTW_ESTIMATE makes the same plan in
 * every run. */
static SinoStatus TMPL(make_plans)(SinoPolarGrid *grid)
{
    const int count = (int)grid->grid_size;
    const int64_t bytes = sino_polar_grid_row_bytes(grid->size, grid->precision);
    REAL *rows = NULL;
    SINO_TRY(sino_allocate(sino_ceil_multiple(bytes, 64), 1, "rows of a grid", &rows));
    REAL *half = rows + ROWS * row_stride(grid->grid_size);
    FFTW(complex) *column = (void *)rows;
    grid->TMPL(along) = FFTW(plan_dft_1d)(count, column, column, FFTW_BACKWARD, FFTW_ESTIMATE);
    grid->TMPL(across) = FFTW(plan_dft_c2r_1d)(count, (void *)half, rows, FFTW_ESTIMATE);
    free(rows);
    SINO_CHECK(grid->TMPL(along) && grid->TMPL(across), SINO_FAILED, "FFTW made no plan for %d points", count);
    return NULL;
}

static void TMPL(keep_tap)(int at, double coefficient, REAL *taps)
{
    REAL *twice = taps + NODES * TAPS + 2 * at;
    taps[at] = twice[0] = twice[1] = (REAL)coefficient;
}

/* The weights of the points under a window; each of them twice, for a complex number. As arrays the compiler takes them
 * apart into scalars. */
typedef REAL TMPL(Weights) __attribute__((vector_size(TAPS * sizeof(REAL))));
typedef REAL TMPL(Pairs) __attribute__((vector_size(2 * TAPS * sizeof(REAL))));

/* The first point of the grid under the window of a frequency, and the variable of the taps' polynomials. */
SINO_INLINE int64_t TMPL(first_point)(double at, REAL *z)
{
    const double first = ceil(at - TAPS / 2.0);
    *z = (REAL)(2 * (first - (at - TAPS / 2.0)) - 1);
    return (int64_t)first;
}

/* The places of term k: column k·across, and the place k·along of it. `turned`: its conjugate is spread. A term has the
 * element of its first point in the sums; the weights of TAPS columns; those of TAPS points of a column, for the real
 * and the imaginary part. */
typedef struct TMPL(Place) {
    TMPL(Weights) over;
    TMPL(Pairs) down;
} TMPL(Place);

SINO_VECTORISED static void TMPL(place)(const SinoPolarGrid *grid, double along, double across, bool turned,
                                        int64_t count, int64_t *element, TMPL(Place) * place)
{
    const int64_t size = grid->grid_size, stride = 2 * column_stride(size);
    const REAL *taps = grid->taps, *twice = taps + NODES * TAPS;
    for (int64_t k = 0; k < count; k++) {
        REAL z_over, z_down;
        TMPL(Weights) over, factor;
        TMPL(Pairs) down, pair;
        const int64_t column = TMPL(first_point)((double)k * across, &z_over) + MARGIN;
        const int64_t at = TMPL(first_point)((double)k * along, &z_down);
        element[k] = column * stride + 2 * (at < 0 ? at + size : at);
        memcpy(&over, taps, sizeof over);
        memcpy(&down, twice, sizeof down);
        for (int n = 1; n < NODES; n++) {
            memcpy(&factor, taps + n * TAPS, sizeof factor);
            memcpy(&pair, twice + 2 * n * TAPS, sizeof pair);
            over = over * z_over + factor;
            down = down * z_down + pair;
        }
        for (int t = 1; turned && t < 2 * TAPS; t += 2) down[t] = -down[t];
        memcpy(&place[k].over, &over, sizeof over);
        memcpy(&place[k].down, &down, sizeof down);
    }
}

SINO_VECTORISED static void TMPL(spread)(int64_t stride, int64_t count, const int64_t *element,
                                         const TMPL(Place) * place, const REAL *strength, REAL *sums)
{
    for (int64_t k = 0; k < count; k++) {
        REAL *at = sums + element[k];
        TMPL(Pairs) pair, to;
        for (int t = 0; t < TAPS; t++) {
            /* cppcheck-suppress uninitvar; which is a write */
            pair[2 * t] = strength[2 * k];
            pair[2 * t + 1] = strength[2 * k + 1];
        }
        pair *= place[k].down;
        for (int c = 0; c < TAPS; c++) {
            memcpy(&to, at + c * stride, sizeof to);
            to += place[k].over[c] * pair;
            memcpy(at + c * stride, &to, sizeof to);
        }
    }
}

/* Adds what was spread beyond the end of a column to its beginning. */
static void TMPL(close_column)(int64_t size, REAL *column)
{
    for (int64_t i = 0; i < 2 * TAPS; i++) column[i] += column[2 * size + i];
}

/* Adds the conjugate of a column in the margin to the column of the opposite frequencies. */
static void TMPL(reflect_column)(int64_t size, const REAL *from, REAL *to)
{
    for (int64_t i = 0; i < size; i++) {
        const int64_t opposite = i == 0 ? 0 : size - i;
        to[2 * opposite] += from[2 * i];
        to[2 * opposite + 1] -= from[2 * i + 1];
    }
}

static void TMPL(transform)(const SinoPolarGrid *grid, REAL *sums)
{
    const int64_t size = grid->grid_size, stride = 2 * column_stride(size), half = size / 2;
    REAL *const first = sums + MARGIN * stride; /* column 0 */
    for (int64_t c = -MARGIN; c <= half + MARGIN; c++) TMPL(close_column)(size, first + c * stride);
    for (int64_t c = 1; c <= MARGIN; c++) {
        TMPL(reflect_column)(size, first - c * stride, first + c * stride);
        TMPL(reflect_column)(size, first + (half + c) * stride, first + (half - c) * stride);
    }
    for (int64_t c = 0; c <= half; c++) {
        REAL *column = first + c * stride;
        FFTW(execute_dft)(grid->TMPL(along), (void *)column, (void *)column);
    }
}

/* A column is its own opposite at frequency 0 and G/2; a real transform counts all others twice. */
static void TMPL(finish)(const SinoPolarGrid *grid, const REAL *sums, int64_t first_row, int64_t count, REAL *rows)
{
    const int64_t size = grid->grid_size, stride = 2 * column_stride(size), half = size / 2;
    const int64_t step = row_stride(size), middle = grid->size / 2;
    const REAL *first = sums + MARGIN * stride;
    REAL *spectra = rows + ROWS * step;
    int64_t place[ROWS];
    for (int64_t r = 0; r < count; r++) {
        const int64_t row = first_row + r - middle;
        place[r] = 2 * (row < 0 ? row + size : row);
    }
    for (int64_t c = 0; c <= half; c++)
        for (int64_t r = 0; r < count; r++) {
            const REAL twice = c == 0 || c == half ? 2 : 1;
            spectra[r * step + 2 * c] = twice * first[c * stride + place[r]];
            spectra[r * step + 2 * c + 1] = twice * first[c * stride + place[r] + 1];
        }
    for (int64_t r = 0; r < count; r++) {
        REAL *row = rows + r * step, *spectrum = spectra + r * step;
        FFTW(execute_dft_c2r)(grid->TMPL(across), (void *)spectrum, row);
        const double scale = grid->inverse[first_row + r] / 2;
        for (int64_t j = 0; j < grid->size; j++) {
            const int64_t at = j - middle;
            spectrum[j] = (REAL)(scale * grid->inverse[j]) * row[at < 0 ? at + size : at];
        }
        memcpy(row, spectrum, (size_t)grid->size * sizeof *row);
    }
}
