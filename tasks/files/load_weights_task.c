/* SPDX-License-Identifier: BSD-3-Clause */
/* Task load_weights: reads the weights of a minibatch's rays. */
#include "files_tasks.h"

#include "memory.h"
#include "task.h"

#include <stdlib.h>

typedef struct LoadWeights {
    SinoOperand sinogram;
    SinoOperandList weights; /* [member] */
    SinoOperand io;          /* if it reads a file */
    SinoLoadWeights load;
} LoadWeights;

/* Weights of consecutive angles: of slice f at value[angle · angle_step + f · slice_step + column]. */
typedef struct Piece {
    const float *value;
    int64_t angle_step, slice_step, columns;
} Piece;

static int64_t columns_of(const SinoLoadWeights *load)
{
    return load->part.box.column_count / load->part.binning;
}

static int64_t rows_of(const SinoLoadWeights *load)
{
    int64_t angles = 0;
    for (int64_t i = 0; i < load->run_count; i++) angles += load->run[i].count;
    return angles * columns_of(load);
}

/* Rows of vectors in panels: of one member, and the same of the sinogram. */
typedef struct Rows {
    SinoSlices slices;
    int64_t rows, first; /* of the member, and the first of the angle's rows */
    void *weights;
    int64_t all_rows, first_of_all;
    void *sinogram;
} Rows;

static void set(SinoPrecision precision, void *vector, int64_t at, double value)
{
    if (precision == SINO_DOUBLE)
        ((double *)vector)[at] = value;
    else
        ((float *)vector)[at] = (float)value;
}

/* Copies one angle of a piece to its rows, panel by panel. */
static void copy_angle(const Piece *piece, int64_t angle, const Rows *to)
{
    const SinoSlices slices = to->slices;
    for (SinoPanel panel = sino_panel_at(slices, 0); panel.first < slices.stride;
         panel = sino_panel_next(slices, panel)) {
        const int64_t stride = panel.slices.stride;
        void *weights = sino_panel_to(panel, to->rows, to->weights);
        void *sinogram = sino_panel_to(panel, to->all_rows, to->sinogram);
        for (int64_t f = 0; f < stride; f++) {
            const bool padding = panel.first + f >= slices.slice_count;
            const float *from =
                piece->value + angle * piece->angle_step + (padding ? 0 : panel.first + f) * piece->slice_step;
            for (int64_t c = 0; c < piece->columns; c++) {
                set(slices.precision, weights, (to->first + c) * stride + f, padding ? 0 : (double)from[c]);
                if (!padding && from[c] == 0)
                    set(slices.precision, sinogram, (to->first_of_all + c) * stride + f, -0.0);
            }
        }
    }
}

/* The member that has a row of the rays; *first: its first row. */
static int64_t member_of(const SinoLoadWeights *load, int64_t row, int64_t *first)
{
    int64_t member = 0;
    *first = 0;
    while (load->member_count > 1 && row >= *first + load->member_rows[member]) *first += load->member_rows[member++];
    return member;
}

/* Copies a piece, whose first angle is number `first` of the runs. */
static void copy_piece(const LoadWeights *of, const Piece *piece, int64_t first, int64_t count)
{
    const SinoLoadWeights *load = &of->load;
    const int64_t all_rows = rows_of(load);
    for (int64_t j = 0; j < count; j++) {
        const int64_t row = (load->place ? load->place[first + j] : first + j) * piece->columns;
        int64_t begin;
        const int64_t member = member_of(load, row, &begin);
        Rows to = {.slices = load->slices, .all_rows = all_rows, .first_of_all = row, .first = row - begin};
        to.rows = load->member_count > 1 ? load->member_rows[member] : all_rows;
        to.weights = of->weights.at[member];
        to.sinogram = of->sinogram.at;
        copy_angle(piece, j, &to);
    }
}

/* Reads `count` angles of the scan from angle k on, which are number `first` of the runs and later ones. */
static SinoStatus read_angles(const LoadWeights *of, int64_t k, int64_t count, int64_t first, float *memory)
{
    const SinoLoadWeights *load = &of->load;
    const int64_t columns = columns_of(load);
    Piece piece = {memory, load->slices.slice_count * columns, columns, columns};
    if (load->slice)
        piece = (Piece){.value = load->slice + k * columns, .angle_step = columns, .columns = columns};
    else
        SINO_TRY(sino_weights_read(load->file, &load->part, k, count, memory));
    copy_piece(of, &piece, first, count);
    return NULL;
}

static SinoStatus load_weights_cpu(const SinoTask *task)
{
    const LoadWeights *of = task->arguments;
    const SinoLoadWeights *load = &of->load;
    const int64_t angle_values = sino_times(load->slices.slice_count, columns_of(load));
    const int64_t at_once = sino_larger(1, SINO_WEIGHTS_PIECE_BYTES / sino_times(angle_values, (int64_t)sizeof(float)));
    float *memory = NULL;
    int64_t first = 0;
    if (!load->slice) SINO_TRY(sino_allocate(sino_times(at_once, angle_values), sizeof *memory, "weights", &memory));
    SinoStatus status = NULL;
    for (int64_t i = 0; i < load->run_count; i++)
        for (int64_t k = 0, count = 0; k < load->run[i].count && !status; k += count, first += count) {
            count = sino_smaller(at_once, load->run[i].count - k);
            status = read_angles(of, load->run[i].first + k, count, first, memory);
        }
    free(memory);
    return status;
}

static const SinoTaskKind load_weights_kind = {.name = "load_weights",
                                               .waits = true,
                                               SINO_ARGUMENTS(LoadWeights, SINO_UPDATES(LoadWeights, sinogram),
                                                              SINO_WRITES_EACH(LoadWeights, weights),
                                                              SINO_MAY_UPDATE(LoadWeights, io)),
                                               .cpu = load_weights_cpu};

SinoStatus sino_insert_load_weights(SinoRuntime *runtime, SinoPosition position, const SinoLoadWeights *load,
                                    SinoData *io, SinoData *sinogram, SinoData *const *weights)
{
    const LoadWeights arguments = {.sinogram.data = sinogram,
                                   .weights = {.data = weights, .count = load->member_count},
                                   .io.data = io,
                                   .load = *load};
    const int64_t bytes = sino_times(sino_times(rows_of(load), load->slices.slice_count), (int64_t)sizeof(float));
    return SINO_SUBMIT(runtime, &load_weights_kind, position, &arguments, .file_bytes = io ? bytes : 0);
}
