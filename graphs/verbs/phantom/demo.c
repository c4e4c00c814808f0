/* SPDX-License-Identifier: BSD-3-Clause */
/* demo: makes the folder, and runs what the geometry asks for. */
#include "phantom_verb.h"
#include "workflows.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

SinoStatus sino_demo(const SinoSettings *settings, SinoLog *log)
{
    const bool made = mkdir(settings->output.path, 0777) == 0;
    SINO_CHECK(made || errno == EEXIST, SINO_BAD_INPUT, "out: cannot make the folder '%s': %s", settings->output.path,
               strerror(errno));
    SinoStatus status =
        sino_phantom_is_pet(&settings->geometry) ? sino_demo_pet(settings, log) : sino_demo_scan(settings, log);
    if (status && made) rmdir(settings->output.path); /* succeeds only if the directory is empty */
    return status;
}
