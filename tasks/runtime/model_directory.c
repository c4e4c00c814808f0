/* SPDX-License-Identifier: BSD-3-Clause */
/* Model directory: the directory of StarPU's performance models and measurements of the machine.
 *
 * StarPU ends the program if it cannot make this directory, as in containers and on nodes without a home. The directory
 * is therefore tested first; if the test fails, StarPU gets a temporary one. */
#include "runtime_private.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char variable[] = "STARPU_PERF_MODEL_DIR";

static const char *first_set(const char *const *name)
{
    for (; *name; name++) {
        const char *value = getenv(*name);
        if (value) return value;
    }
    return "/tmp";
}

/* The directory that StarPU 1.3 and 1.4 choose. */
static char *default_path(void)
{
    static const char *const name[] = {"XDG_CACHE_HOME", "STARPU_HOME", "HOME", "TMPDIR", NULL};
    char *path = NULL;
    return asprintf(&path, "%s/.starpu/sampling", first_set(name)) < 0 ? NULL : path;
}

/* Makes the directory and its missing parents. */
static bool make_path(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        const bool fine = mkdir(path, 0777) == 0 || errno == EEXIST || errno == EROFS || errno == EACCES;
        *slash = '/';
        if (!fine) return false;
    }
    return mkdir(path, 0777) == 0 || errno == EEXIST;
}

/* Whether there is room for some small files. Without room StarPU would leave empty files, at which every later start
 * fails. */
static bool has_room(const char *path)
{
    const int64_t room_bytes = 64 << 10;
    char *name = NULL;
    if (asprintf(&name, "%s/sinodag-XXXXXX", path) < 0) return false;
    const int file = mkstemp(name);
    if (file >= 0) {
        errno = posix_fallocate(file, 0, room_bytes);
        const int error_number = errno;
        close(file);
        unlink(name);
        errno = error_number;
    }
    free(name);
    return file >= 0 && errno == 0;
}

/* Whether the directories that StarPU writes to exist or can be made; if not, errno is set. */
static bool is_usable(const char *path)
{
    static const char *const part[] = {"bus", "codelets", "debug"};
    bool usable = true;
    for (int i = 0; usable && i < 3; i++) {
        char *name = NULL;
        if (asprintf(&name, "%s/%s", path, part[i]) < 0) return false;
        usable = make_path(name) && has_room(name);
        free(name);
    }
    return usable;
}

static SinoStatus make_temporary(char **made)
{
    static const char *const name[] = {"TMPDIR", NULL};
    char *path = NULL;
    SINO_CHECK(asprintf(&path, "%s/sinodag-starpu-XXXXXX", first_set(name)) >= 0, SINO_FAILED,
               "no memory for a file name");
    if (mkdtemp(path) && setenv(variable, path, 1) == 0) {
        *made = path;
        return NULL;
    }
    SinoStatus status = sino_error(SINO_FAILED, "StarPU needs a directory for its models, and %s cannot be made: %s",
                                   path, strerror(errno));
    free(path);
    return status;
}

SinoStatus sino_model_directory_choose(SinoLog *log, char **temporary)
{
    const char *given = getenv(variable);
    if (given) {
        SINO_CHECK(is_usable(given), SINO_BAD_INPUT, "%s is '%s', which cannot be written: %s", variable, given,
                   strerror(errno));
        return NULL;
    }
    char *path = default_path();
    SINO_CHECK(path, SINO_FAILED, "no memory for a file name");
    SinoStatus status = NULL;
    if (!is_usable(path)) {
        if (log)
            sino_log_info(log, "models", "StarPU's measurements are not kept: %s cannot be written (%s)", path,
                          strerror(errno));
        status = make_temporary(temporary);
    }
    free(path);
    return status;
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *walk)
{
    (void)info;
    (void)kind;
    (void)walk;
    return remove(path);
}

void sino_model_directory_remove(char *temporary)
{
    if (!temporary) return;
    (void)nftw(temporary, remove_one, 16, FTW_DEPTH | FTW_PHYS); /* a failure leaves temporary files only */
    unsetenv(variable);
    free(temporary);
}

void sino_model_directory_end_early(void *temporary, FILE *clause)
{
    (void)clause;
    (void)nftw(temporary, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}
