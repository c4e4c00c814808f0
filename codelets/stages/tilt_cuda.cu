/* SPDX-License-Identifier: BSD-3-Clause */
/* Tilt on a GPU: transmissions of as many projections as fill some MiB, and a cubic between four rows of them for each
 * pixel of the upright images, which correct_cuda.h turns into line integrals. The place that a pixel sees, its weights
 * and its neighbours are those of every angle, so that a thread finds them once. */
#include "panel_cuda.cuh"

#include <math.h>

extern "C" {
#include "arithmetic.h"
#include "correct_cuda.h"
#include "tilt_cuda.h"
#include "tilt_private.h"
#include "transmission_cuda.h"
}

enum {
    THREADS = 256,
    ANGLES_EACH = 8, /* angles of a thread, at least */
    GRID_MAX = 65535
};

/* What the kernel reads of a call. Rows are those of the detector. */
struct Turn {
    SinoTiltPart part;
    double sine, cosine, middle, center, row_count, column_count;
    int64_t columns; /* of the detector, and of lines */
    int64_t angle_count;
    bool transmissions;
    const float *lines;
    const uint8_t *marks;
    float *image; /* [angle][part.rows][part.column_count] */
};

/* The weights of the four values around t in [0, 1) between the second and the third. */
static __device__ __forceinline__ void weigh(float t, float (&weight)[4])
{
    weight[0] = ((-0.5F * t + 1) * t - 0.5F) * t;
    weight[1] = (1.5F * t - 2.5F) * t * t + 1;
    weight[2] = ((-1.5F * t + 2) * t + 0.5F) * t;
    weight[3] = (0.5F * t - 0.5F) * t * t;
}

/* What a pixel takes its value from, at every angle: places in the lines of one angle. */
struct Neighbours {
    float across[4], along[4];
    int64_t row[4], column[4]; /* row: of its first column */
    int64_t nearest;
};

static __device__ __forceinline__ Neighbours neighbours_of(const Turn &turn, double row, double column)
{
    const double row_below = floor(row), column_below = floor(column);
    const int64_t y = static_cast<int64_t>(row_below) - turn.part.from_first, x = static_cast<int64_t>(column_below);
    Neighbours of;
    weigh(static_cast<float>(column - column_below), of.across);
    weigh(static_cast<float>(row - row_below), of.along);
    for (int64_t i = 0; i < 4; i++) {
        of.row[i] = min(max(y - 1 + i, int64_t(0)), turn.part.from_rows - 1) * turn.columns;
        of.column[i] = min(max(x - 1 + i, int64_t(0)), turn.columns - 1);
    }
    of.nearest = (static_cast<int64_t>(floor(row + 0.5)) - turn.part.from_first) * turn.columns +
                 static_cast<int64_t>(floor(column + 0.5));
    return of;
}

static __device__ __forceinline__ float value_at(const Turn &turn, const Neighbours &of, const float *lines)
{
    float least = static_cast<float>(INFINITY), sum = 0;
#pragma unroll
    for (int j = 0; j < 4; j++) {
        const float *const line = lines + of.row[j];
        const float second = line[of.column[1]], third = line[of.column[2]];
        sum += of.along[j] * (of.across[0] * line[of.column[0]] + of.across[1] * second + of.across[2] * third +
                              of.across[3] * line[of.column[3]]);
        if (j == 1 || j == 2) least = fminf(least, fminf(second, third));
    }
    return turn.transmissions ? fmaxf(sum, least / 2) : sum;
}

/* Grid x: columns, y: rows of the image, z: angles. */
static __global__ void __launch_bounds__(THREADS) turn_kernel(Turn turn)
{
    const int64_t x = blockIdx.x * static_cast<int64_t>(THREADS) + threadIdx.x;
    const int64_t pixels = turn.part.rows * turn.part.column_count, lines = turn.part.from_rows * turn.columns;
    if (x >= turn.part.column_count) return;
    const double c = static_cast<double>(turn.part.first_column + x) - turn.center;
    for (int64_t y = blockIdx.y; y < turn.part.rows; y += gridDim.y) {
        const double r = static_cast<double>(turn.part.first + y) - turn.middle;
        const double row = turn.middle + r * turn.cosine - c * turn.sine;
        const double column = turn.center + r * turn.sine + c * turn.cosine;
        const bool inside =
            row >= -0.5 && row < turn.row_count - 0.5 && column >= -0.5 && column < turn.column_count - 0.5;
        float *const to = turn.image + y * turn.part.column_count + x;
        if (!inside) {
            for (int64_t k = blockIdx.z; k < turn.angle_count; k += gridDim.z) to[k * pixels] = static_cast<float>(NAN);
            continue;
        }
        const Neighbours of = neighbours_of(turn, row, column);
        for (int64_t k = blockIdx.z; k < turn.angle_count; k += gridDim.z) {
            const bool undefined = turn.marks[k * lines + of.nearest] != 0;
            to[k * pixels] = undefined ? static_cast<float>(NAN) : value_at(turn, of, turn.lines + k * lines);
        }
    }
}

/* One call. */
struct Call {
    Turn turn;
    SinoTransmissionCuda rows;
    const char *counts;
    int64_t image_bytes; /* of the counts of an angle */
};

/* Places the arrays of a call in the scratch memory; returns the angles that they have. */
static int64_t place(const SinoTilt *tilt, char *scratch, Call *call)
{
    const SinoTiltPart *const part = &call->turn.part;
    const int64_t lines = part->from_rows, values = lines * tilt->column_count,
                  pixels = part->rows * part->column_count;
    const int64_t angles = sino_larger(SINO_IMAGES_BATCH_BYTES / sino_tilt_angle_bytes(tilt, lines, pixels), 1);
    SinoTransmissionCuda *const rows = &call->rows;
    rows->bounds = static_cast<SinoTransmissionBounds *>(
        sino_images_take(&scratch, lines * static_cast<int64_t>(sizeof(SinoTransmissionBounds))));
    rows->undefined =
        static_cast<int *>(sino_images_take(&scratch, angles * lines * static_cast<int64_t>(sizeof(int))));
    rows->lines =
        static_cast<float *>(sino_images_take(&scratch, angles * values * static_cast<int64_t>(sizeof(float))));
    rows->marks = static_cast<uint8_t *>(sino_images_take(&scratch, angles * values));
    call->turn.lines = rows->lines;
    call->turn.marks = rows->marks;
    call->turn.image =
        static_cast<float *>(sino_images_take(&scratch, angles * pixels * static_cast<int64_t>(sizeof(float))));
    return angles;
}

/* Makes upright images, as SinoImagesCuda has it. */
static SinoStatus turn_images(void *of, cudaStream_t stream, int64_t first, int64_t count, const void **images)
{
    Call *const call = static_cast<Call *>(of);
    const SinoTiltPart *const part = &call->turn.part;
    const dim3 blocks(sino_blocks_for(part->column_count, THREADS, INT32_MAX), sino_blocks_for(part->rows, 1, GRID_MAX),
                      sino_blocks_for(count, ANGLES_EACH, GRID_MAX));
    call->turn.angle_count = count;
    SINO_TRY(sino_transmission_rows_cuda(stream, &call->rows, first, count, call->counts + first * call->image_bytes));
    SINO_TRY(sino_launch(SinoLaunch{"tilt_turn", blocks, THREADS, 0, stream}, turn_kernel, call->turn));
    *images = call->turn.image;
    return NULL;
}

static Turn turn_of(const SinoTilt *tilt, const SinoPhaseOptions *phase, const SinoCorrection *correction)
{
    Turn turn = {};
    turn.part = sino_tilt_part(tilt, phase, correction);
    turn.sine = sin(tilt->angle_rad);
    turn.cosine = cos(tilt->angle_rad);
    turn.middle = static_cast<double>(tilt->row_count - 1) / 2;
    turn.center = static_cast<double>(tilt->column_count - 1) / 2;
    turn.row_count = static_cast<double>(tilt->row_count);
    turn.column_count = static_cast<double>(tilt->column_count);
    turn.columns = tilt->column_count;
    turn.transmissions = correction->minus_log;
    return turn;
}

SinoStatus sino_tilt_correct_cuda(cudaStream_t stream, const SinoTilt *tilt, const SinoPhaseCuda *phase,
                                  const SinoCorrection *correction, const void *counts, const float *flat,
                                  const float *dark, void *scratch, void *sinogram, int64_t *repaired, int64_t *tally)
{
    const SinoPhaseOptions *const options = phase ? sino_phase_cuda_options(phase) : NULL;
    char *rest = static_cast<char *>(scratch), *const after_own = rest + sino_tilt_own_bytes(tilt, options, correction);
    void *const workspace = sino_images_take(&rest, sino_correct_cuda_workspace_bytes(correction));
    Call call = {turn_of(tilt, options, correction), {}, static_cast<const char *>(counts), 0};
    call.image_bytes = correction->row_count * tilt->column_count * sino_correct_input_bytes(correction->input);
    call.rows.from = {correction, tilt->column_count, counts, flat, dark, NULL};
    call.rows.first_row = call.turn.part.from_first - tilt->image_row;
    call.rows.line_count = call.turn.part.from_rows;
    call.rows.continued = call.rows.stride = tilt->column_count;
    call.rows.alone = correction->minus_log ? 1 : 0;
    const SinoImagesCuda images = {place(tilt, rest, &call), turn_images, &call};
    const SinoCorrection after = sino_tilt_after(tilt, &call.turn.part, correction);
    SINO_TRY(sino_transmission_bounds_cuda(stream, &call.rows));
    if (phase)
        return sino_phase_correct_cuda(stream, phase, &after, NULL, NULL, NULL, &images, after_own, sinogram, repaired,
                                       tally);
    return sino_correct_images_cuda(stream, &after, &images, sinogram, repaired, tally, workspace);
}
