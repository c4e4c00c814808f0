/* SPDX-License-Identifier: BSD-3-Clause */
/* checksum: of the input file, beside the reconstruction. */
#include "checksum.h"

#include "tasks.h"

typedef struct Arguments {
    SinoTaskHead head;
    const char *path;
    char *digits;
} Arguments;

static SinoStatus checksum(void *buffers[], const Arguments *arguments)
{
    (void)buffers;
    return sino_checksum_file(arguments->path, arguments->digits);
}

SINO_CPU_FUNCTION(checksum_cpu, Arguments, checksum)
SINO_CODELET(codelet, "checksum", checksum_cpu)

SinoStatus sino_insert_checksum(SinoRuntime *runtime, const char *path, char *digits)
{
    const Arguments arguments = {.head = {.work = 1}, .path = path, .digits = digits};
    return sino_task_submit(runtime, &codelet, SINO_NOWHERE, false, &arguments, sizeof arguments, 0, NULL);
}
