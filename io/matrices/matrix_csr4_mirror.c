/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrix csr4, mirrors: rows of files that leave out what mirrors give. A row is made of the rows of the file that
 * mirrors take to it: its *orbit*. Such rows become all rows of the matrix, or, of a folded matrix, the first row of
 * each orbit (its *lead*). */
#include "matrix_source.h"

#include <inttypes.h>
#include <stdlib.h>

#include "memory.h"

/* Whether a row is a pair of crystals in the wrong order, which mirrors never give. */
static bool is_turned(const SinoCsr4 *csr4, int64_t row)
{
    return row / csr4->crystals > row % csr4->crystals;
}

SinoStatus sino_csr4_check_turned(const SinoCsr4 *csr4, int64_t first, int64_t count, const int64_t *start)
{
    for (int64_t i = 0; i < count && csr4->flags; i++)
        SINO_CHECK(start[i] == start[i + 1] || !is_turned(csr4, first + i), SINO_BAD_INPUT,
                   "%s leaves out mirrored entries (flags %d), but has entries in row %" PRId64
                   "; allowed: rows a · %" PRId64 " + b of crystals a ≤ b",
                   csr4->path, csr4->flags, first + i, csr4->crystals);
    return NULL;
}

/* ---- orbits ---- */

SinoStatus sino_csr4_list_images(SinoCsr4 *csr4)
{
    const int64_t crystals = csr4->crystals, orientations = sino_orientation_count(csr4->flags);
    SINO_TRY(sino_allocate(sino_times(orientations, crystals), sizeof *csr4->image, "mirrored crystals", &csr4->image));
    for (int64_t k = 0; k < orientations; k++)
        for (int64_t i = 0; i < crystals; i++)
            csr4->image[k * crystals + i] =
                (uint32_t)sino_mirror_crystal(&csr4->mirror, sino_orientation(csr4->flags, k), i);
    return NULL;
}

/* The row of a pair of crystals in orientation k. Pairs in the wrong order, which have no entries, keep it. */
static int64_t image_of(const SinoCsr4 *csr4, int64_t a, int64_t b, int64_t k)
{
    const int64_t crystals = csr4->crystals;
    const int64_t p = csr4->image[k * crystals + a], q = csr4->image[k * crystals + b];
    const int64_t least = sino_smaller(p, q), most = sino_larger(p, q);
    return a <= b ? least * crystals + most : most * crystals + least;
}

/* Whether the row of a pair is the first one of its orbit. */
static bool is_lead(const SinoCsr4 *csr4, int64_t a, int64_t b)
{
    const int64_t orientations = sino_orientation_count(csr4->flags), row = a * csr4->crystals + b;
    for (int64_t k = 1; k < orientations; k++)
        if (image_of(csr4, a, b, k) < row) return false;
    return true;
}

static int64_t lead_of(const SinoCsr4 *csr4, int64_t a, int64_t b)
{
    const int64_t orientations = sino_orientation_count(csr4->flags);
    int64_t lead = INT64_MAX;
    for (int64_t k = 0; k < orientations; k++) lead = sino_smaller(lead, image_of(csr4, a, b, k));
    return lead;
}

/* The row of the matrix that is read as this one. */
static int64_t row_of(const SinoCsr4 *csr4, int64_t row)
{
    return csr4->lead ? csr4->lead[row] : row;
}

int64_t sino_csr4_lead_row(const void *state, int64_t row)
{
    const SinoCsr4 *csr4 = state;
    const int64_t crystals = csr4->crystals;
    return csr4->lead ? csr4->lead[row] : lead_of(csr4, row / crystals, row % crystals);
}

int64_t sino_csr4_image_row(const void *state, int64_t row, int64_t orientation)
{
    const SinoCsr4 *csr4 = state;
    const int64_t crystals = csr4->crystals, a = row_of(csr4, row) / crystals, b = row_of(csr4, row) % crystals;
    const int64_t image = image_of(csr4, a, b, orientation);
    for (int64_t k = 0; k < orientation; k++)
        if (image_of(csr4, a, b, k) == image) return -1;
    return image;
}

/* Writes the leads of all orbits in ascending order, unless `lead` is NULL; returns their number. */
static int64_t list_leads(const SinoCsr4 *csr4, int64_t *lead)
{
    const int64_t crystals = csr4->crystals;
    int64_t count = 0;
    for (int64_t a = 0; a < crystals; a++)
        for (int64_t b = 0; b < crystals; b++) {
            if (!is_lead(csr4, a, b)) continue;
            if (lead) lead[count] = a * crystals + b;
            count++;
        }
    return count;
}

SinoStatus sino_csr4_fold(void *state, int64_t *read_count)
{
    SinoCsr4 *csr4 = state;
    *read_count = list_leads(csr4, NULL);
    SINO_TRY(sino_allocate(*read_count, sizeof *csr4->lead, "rows of a matrix", &csr4->lead));
    (void)list_leads(csr4, csr4->lead);
    return NULL;
}

/* ---- rows ---- */

SinoStatus sino_csr4_count_mirrored(void *state, int64_t first, int64_t count, int64_t *entries)
{
    const SinoCsr4 *csr4 = state;
    const int64_t crystals = csr4->crystals, orientations = sino_orientation_count(csr4->flags);
    int64_t start[2];
    for (int64_t i = 0; i < count; i++) {
        const int64_t row = row_of(csr4, first + i);
        entries[i] = 0;
        for (int64_t k = 0; k < orientations && !is_turned(csr4, row); k++) {
            SINO_TRY(sino_csr4_starts(csr4, image_of(csr4, row / crystals, row % crystals, k), 1, start));
            entries[i] += start[1] - start[0];
        }
    }
    return NULL;
}

/* A row that is being made. */
typedef struct Making {
    SinoEntries entries;
    SinoRowBuffer stored; /* one row of the file */
} Making;

/* Adds the images of a stored row's entries in orientation k behind the first *count entries. */
static SinoStatus add_images(const SinoCsr4 *csr4, int64_t row, int64_t k, Making *making, int64_t *count)
{
    const SinoSparseRows *rows = &making->stored.rows;
    const int64_t crystals = csr4->crystals, stored = image_of(csr4, row / crystals, row % crystals, k);
    const int which = sino_orientation(csr4->flags, k);
    SINO_TRY(sino_csr4_read_stored((void *)csr4, stored, 1, &making->stored));
    for (int64_t i = 0; i < rows->start[1]; i++)
        making->entries.entry[(*count)++] =
            (SinoEntry){.value = (double)rows->value[i],
                        .column = sino_mirror_column(&csr4->mirror, which, rows->column[i]),
                        .rank = (uint32_t)which};
    return NULL;
}

static SinoStatus make(const SinoCsr4 *csr4, int64_t most, Making *making, SinoRowBuffer *buffer, int64_t i)
{
    const int64_t row = row_of(csr4, buffer->rows.first_row + i), orientations = sino_orientation_count(csr4->flags);
    int64_t count = 0;
    making->entries.row = row;
    SINO_TRY(sino_entries_need(&making->entries, most));
    for (int64_t k = 0; k < orientations && most > 0; k++) SINO_TRY(add_images(csr4, row, k, making, &count));
    return sino_row_put(csr4->path, csr4->column_count, &making->entries, count, buffer, i);
}

SinoStatus sino_csr4_read_mirrored(void *state, int64_t first, int64_t count, SinoRowBuffer *buffer)
{
    const SinoCsr4 *csr4 = state;
    Making making = {.entries.alike = csr4->lead != NULL};
    int64_t *most = NULL, sum = 0;
    SinoStatus status = NULL;
    SINO_TRY_OR(status, end, sino_allocate(count, sizeof *most, "rows of a matrix", &most));
    SINO_TRY_OR(status, end, sino_csr4_count_mirrored(state, first, count, most));
    for (int64_t i = 0; i < count; i++) sum += most[i];
    SINO_TRY_OR(status, end, sino_row_buffer_need(buffer, first, count, sum));
    for (int64_t i = 0; i < count; i++) SINO_TRY_OR(status, end, make(csr4, most[i], &making, buffer, i));
end:
    free(most);
    sino_entries_free(&making.entries);
    sino_row_buffer_free(&making.stored);
    return status;
}
