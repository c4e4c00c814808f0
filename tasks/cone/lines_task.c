/* SPDX-License-Identifier: BSD-3-Clause */
/* Task lines: filtered cone-beam projections become the lines that backprojection reads. */
#include "cone_tasks.h"

#include "task.h"

/* The units take one cache line, the lines follow. */
enum { UNIT_BYTES = 64 };
_Static_assert(SINO_PIECE_PROJECTIONS * sizeof(float) <= UNIT_BYTES, "units of a piece");

int64_t sino_lines_bytes(const SinoConeLines *lines, int64_t count)
{
    const int64_t projection = sino_times(sino_cone_projection_entries(lines), sino_cone_entry_bytes(lines));
    return UNIT_BYTES + sino_times(count, projection);
}

float *sino_lines_units(void *piece)
{
    return piece;
}

void *sino_lines_in(void *piece)
{
    return (char *)piece + UNIT_BYTES;
}

typedef struct Lines {
    SinoOperand sinogram, scratch, piece;
    SinoConePacking packing;
} Lines;

static SinoStatus lines_cpu(const SinoTask *task)
{
    const Lines *of = task->arguments;
    sino_cone_pack(&of->packing, of->sinogram.at, of->scratch.at, sino_lines_in(of->piece.at),
                   sino_lines_units(of->piece.at));
    return NULL;
}

static SinoStatus lines_cuda(const SinoTask *task, cudaStream_t stream)
{
    const Lines *of = task->arguments;
    return sino_cone_pack_cuda(stream, &of->packing, of->sinogram.at, of->scratch.at, sino_lines_in(of->piece.at),
                               sino_lines_units(of->piece.at));
}

static const SinoTaskKind lines_kind = {
    .name = "lines",
    SINO_ARGUMENTS(Lines, SINO_READS(Lines, sinogram), SINO_USES(Lines, scratch), SINO_WRITES(Lines, piece)),
    SINO_CPU_CUDA(lines)};

SinoStatus sino_insert_lines(SinoRuntime *runtime, SinoPosition position, const SinoConePacking *packing,
                             SinoData *sinogram, SinoData *scratch, SinoData *piece)
{
    const Lines arguments = {
        .sinogram.data = sinogram, .scratch.data = scratch, .piece.data = piece, .packing = *packing};
    return SINO_SUBMIT(runtime, &lines_kind, position, &arguments);
}
