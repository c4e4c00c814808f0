/* SPDX-License-Identifier: BSD-3-Clause */
/* Task checksum: the checksum of the input files, computed beside the reconstruction. */
#include "files_tasks.h"

#include "paths.h"
#include "task.h"

typedef struct Arguments {
    int64_t count;
    const char *const *path;
    char *digits;
} Arguments;

static SinoStatus checksum_cpu(const SinoTask *task)
{
    const Arguments *arguments = task->arguments;
    return sino_checksum_files(arguments->count, arguments->path, arguments->digits);
}

static const SinoTaskKind checksum_kind = {
    .name = "checksum", .waits = true, .argument_bytes = sizeof(Arguments), .cpu = checksum_cpu};

SinoStatus sino_insert_checksum(SinoRuntime *runtime, int64_t count, const char *const *path, int64_t bytes,
                                char *digits)
{
    const Arguments arguments = {.count = count, .path = path, .digits = digits};
    return SINO_SUBMIT(runtime, &checksum_kind, SINO_NOWHERE, &arguments, .work = 1, .file_bytes = bytes);
}
