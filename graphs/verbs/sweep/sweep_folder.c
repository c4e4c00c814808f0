/* SPDX-License-Identifier: BSD-3-Clause */
/* Folders of a sweep: the temporary one for scans and volumes, and those for what is kept. */
#include "sweep.h"

#include "ending.h"
#include "memory.h"

#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct SinoSweepFolder {
    char path[256];
    SinoLastAct last;
};

/* Removes the files of the folder, which has no folders, and the folder; again while another thread still makes files.
 */
static void remove_all(const char *path)
{
    const struct timespec pause = {.tv_nsec = 10000000};
    for (int i = 0; i < 100 && access(path, F_OK) == 0; i++) {
        if (i > 0) (void)nanosleep(&pause, NULL);
        DIR *folder = opendir(path);
        if (!folder) return;
        for (const struct dirent *entry; (entry = readdir(folder));) (void)unlinkat(dirfd(folder), entry->d_name, 0);
        (void)closedir(folder);
        (void)rmdir(path);
    }
}

static void remove_at_end(void *of, FILE *clause)
{
    const SinoSweepFolder *folder = of;
    (void)clause;
    remove_all(folder->path);
}

static SinoStatus make(void *of)
{
    SinoSweepFolder *folder = of;
    SINO_CHECK(mkdtemp(folder->path), SINO_FAILED, "no temporary folder %s: %s", folder->path, strerror(errno));
    return NULL;
}

SinoStatus sino_sweep_folder_make(SinoSweepFolder **folder)
{
    SinoSweepFolder *made = NULL;
    SinoStatus status = NULL;
    const char *place = getenv("TMPDIR");
    if (!place || !*place) place = "/tmp";
    SINO_TRY(sino_allocate(1, sizeof *made, "a temporary folder", &made));
    const int length = snprintf(made->path, sizeof made->path, "%s/sinodag-sweep-XXXXXX", place);
    made->last = (SinoLastAct){.act = remove_at_end, .of = made};
    SINO_CHECK_OR(status, fail, length < (int)sizeof made->path, SINO_FAILED, "no temporary folder in %s: %s", place,
                  strerror(ENAMETOOLONG));
    SINO_TRY_OR(status, fail, sino_ending_add_made(&made->last, make));
    *folder = made;
    return NULL;
fail:
    free(made);
    return status;
}

void sino_sweep_folder_remove(SinoSweepFolder *folder)
{
    if (!folder) return;
    sino_ending_remove(&folder->last);
    remove_all(folder->path);
    free(folder);
}

const char *sino_sweep_path(const SinoSweep *sweep, char path[SINO_SWEEP_PATH], const char *format, ...)
{
    va_list list;
    const int length = snprintf(path, SINO_SWEEP_PATH, "%s/", sweep->folder->path);
    va_start(list, format);
    vsnprintf(path + length, (size_t)(SINO_SWEEP_PATH - length), format, list);
    va_end(list);
    return path;
}

static bool is_empty(const char *path)
{
    int count = 0;
    DIR *folder = opendir(path);
    if (!folder) return false;
    while (readdir(folder)) count++;
    (void)closedir(folder);
    return count <= 2; /* "." and ".." */
}

SinoStatus sino_sweep_directory(const SinoOutputSettings *settings, const char *option, const char *path)
{
    SINO_CHECK(mkdir(path, 0777) == 0 || errno == EEXIST, SINO_BAD_INPUT, "%s: %s: %s", option, path, strerror(errno));
    SINO_CHECK(access(path, W_OK | X_OK) == 0, SINO_BAD_INPUT, "%s: %s: %s", option, path, strerror(errno));
    SINO_CHECK(settings->overwrite || settings->resume || is_empty(path), SINO_BAD_INPUT,
               "%s: %s exists and is no empty directory; allowed: a new one, or --overwrite", option, path);
    return NULL;
}
