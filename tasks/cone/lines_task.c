/* SPDX-License-Identifier: BSD-3-Clause */
/* Task lines: filtered cone-beam projections become the lines that backprojection reads. */
#include "lines_task.h"

#include "cone_pack_cuda.h"
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

static SinoStatus lines_cpu(const SinoTask *task)
{
    void *piece = sino_task_buffer(task, 2);
    sino_cone_pack(task->arguments, sino_task_buffer(task, 0), sino_task_buffer(task, 1), sino_lines_in(piece),
                   sino_lines_units(piece));
    return NULL;
}

static SinoStatus lines_cuda(const SinoTask *task, cudaStream_t stream)
{
    void *piece = sino_task_buffer(task, 2);
    return sino_cone_pack_cuda(stream, task->arguments, sino_task_buffer(task, 0), sino_task_buffer(task, 1),
                               sino_lines_in(piece), sino_lines_units(piece));
}

static const SinoTaskKind lines_kind = {.name = "lines",
                                        .argument_bytes = sizeof(SinoConePacking),
                                        .access_min = 3,
                                        .access_max = 3,
                                        .cpu = lines_cpu,
                                        .cuda = SINO_ON_CUDA(lines_cuda)};

SinoStatus sino_insert_lines(SinoRuntime *runtime, SinoPosition position, const SinoConePacking *packing,
                             SinoData *sinogram, SinoData *scratch, SinoData *piece)
{
    const SinoAccess access[] = {{sinogram, SINO_READ}, {scratch, SINO_SCRATCH}, {piece, SINO_WRITE}};
    return sino_task_submit(runtime, &lines_kind,
                            &(SinoTaskRequest){.position = position,
                                               .arguments = packing,
                                               .argument_bytes = sizeof *packing,
                                               .access = access,
                                               .access_count = 3});
}
