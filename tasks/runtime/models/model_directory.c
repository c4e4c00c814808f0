/* SPDX-License-Identifier: BSD-3-Clause */
/* Model directory: the directory of StarPU's performance models and measurements of the machine.
 *
 * StarPU ends the program if it cannot make this directory, and if a file there is damaged, as after a full disk or
 * when several runs write at once. Each run therefore gets a directory of its own. Copies of the files that are kept
 * (models.h) and undamaged come there: those of the machine at the start, a model's before its first task, as a run
 * uses a tenth of them. When StarPU has stopped, the files that changed replace those that are kept, each at once. The
 * files of the bus belong together and are taken as one set or not at all. */
#include "models.h"

#include "ending.h"
#include "memory.h"
#include "platform.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char variable[] = "STARPU_PERF_MODEL_DIR";
static const char own_prefix[] = "sinodag-starpu-";
static const char host_variable[] = "STARPU_HOSTNAME";
static const char samples[] = "sinodag_samples";

/* StarPU has no more room for the name of the directory. */
enum { PATH_MOST = 120, HOST_BYTES = 65 };

struct SinoModels {
    SinoLog *log;     /* not owned */
    char *given;      /* the variable's value before; owned; NULL: it was not set */
    char *kept;       /* where files are kept; owned; NULL: nowhere */
    char *own;        /* this run's directory; owned; NULL: not made yet */
    int lock;         /* descriptor of `own`, locked as long as the run lives; −1: none */
    bool frozen;      /* models of tasks are not kept */
    SinoLastAct last; /* removes `own` */
    char host[HOST_BYTES];
};

static char *join(const char *directory, const char *name)
{
    char *path = NULL;
    return asprintf(&path, "%s/%s", directory, name) < 0 ? NULL : path;
}

/* ---- where files are kept ---- */

static const char *first_set(const char *const *name)
{
    for (; *name; name++) {
        const char *value = getenv(*name);
        if (value && *value) return value;
    }
    return "/tmp";
}

/* The variable's directory; NULL: it is not set, or a program that runs StarPU by libsinodag started this one, whose
 * own directory it then names. */
static const char *given_path(void)
{
    const char *path = getenv(variable), *slash = path ? strrchr(path, '/') : NULL;
    return slash && strncmp(slash + 1, own_prefix, strlen(own_prefix)) == 0 ? NULL : path;
}

/* Beside the directory that StarPU 1.3 and 1.4 choose for all programs. */
static char *default_path(void)
{
    static const char *const name[] = {"XDG_CACHE_HOME", "STARPU_HOME", "HOME", "TMPDIR", NULL};
    return join(first_set(name), ".starpu/sampling/sinodag");
}

/* Makes the directory and its missing parents. */
static bool make_path(char *path)
{
    for (size_t i = 1; path[0] && path[i]; i++) {
        if (path[i] != '/') continue;
        path[i] = '\0';
        const bool fine = mkdir(path, 0777) == 0 || errno == EEXIST || errno == EROFS || errno == EACCES;
        path[i] = '/';
        if (!fine) return false;
    }
    return mkdir(path, 0777) == 0 || errno == EEXIST;
}

/* Whether there is room for some small files. */
static bool has_room(const char *path)
{
    const int64_t room_bytes = 64 << 10;
    char *name = join(path, "sinodag-XXXXXX");
    if (!name) return false;
    const int file = mkostemp(name, O_CLOEXEC);
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

/* The directories of StarPU that are looked at. */
static const char *const part[] = {"bus", "codelets"};
enum { BUS, CODELETS, PARTS };

/* Whether the directories exist or can be made, with room; if not, errno is set. */
static bool is_usable(const char *path)
{
    bool usable = true;
    for (int i = 0; usable && i < PARTS; i++) {
        char *name = join(path, part[i]);
        if (!name) return false;
        usable = make_path(name) && has_room(name);
        free(name);
    }
    return usable;
}

static SinoStatus choose_kept(SinoModels *models)
{
    models->kept = models->given ? strdup(models->given) : default_path();
    SINO_CHECK(models->kept, SINO_FAILED, "no memory for a file name");
    if (is_usable(models->kept)) return NULL;
    SINO_CHECK(!models->given, SINO_BAD_INPUT, "%s is '%s', which cannot be written: %s", variable, models->given,
               strerror(errno));
    if (models->log)
        sino_log_info(models->log, "models", "StarPU's measurements are not kept: %s cannot be written (%s)",
                      models->kept, strerror(errno));
    free(models->kept);
    models->kept = NULL;
    return NULL;
}

/* ---- the run's own directory ---- */

/* Removes a directory that a killed run has left: one of this user that nobody has locked for a minute. */
static void remove_left(const char *path)
{
    const time_t grace_s = 60;
    struct stat info;
    const int descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (descriptor < 0) return;
    if (fstat(descriptor, &info) == 0 && info.st_uid == geteuid() && info.st_mtime < time(NULL) - grace_s &&
        flock(descriptor, LOCK_EX | LOCK_NB) == 0)
        sino_platform_remove_folder(path);
    close(descriptor);
}

static void remove_all_left(const char *place)
{
    DIR *directory = opendir(place);
    if (!directory) return;
    for (const struct dirent *entry; (entry = readdir(directory));) {
        if (strncmp(entry->d_name, own_prefix, strlen(own_prefix)) != 0) continue;
        char *path = join(place, entry->d_name);
        if (path) remove_left(path);
        free(path);
    }
    closedir(directory);
}

/* Makes the run's directory in `place`; if not, errno is set. */
static bool make_own(SinoModels *models, const char *place)
{
    char *path = NULL;
    if (strlen(place) > PATH_MOST) {
        errno = ENAMETOOLONG;
        return false;
    }
    remove_all_left(place);
    if (asprintf(&path, "%s/%sXXXXXX", place, own_prefix) < 0) return false;
    const bool made = mkdtemp(path) != NULL;
    /* A limit on the size of files (ulimit -f) holds everywhere, and StarPU's files are mostly smaller. */
    if (made && (is_usable(path) || errno == EFBIG)) {
        models->own = path;
        models->lock = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (models->lock >= 0) (void)flock(models->lock, LOCK_EX | LOCK_NB); /* without locks nothing is ever removed */
        return true;
    }
    const int error_number = errno;
    if (made) sino_platform_remove_folder(path);
    free(path);
    errno = error_number;
    return false;
}

static void end_early(void *own, FILE *clause)
{
    (void)clause;
    sino_platform_remove_folder(own);
}

static SinoStatus choose_own(SinoModels *models)
{
    const char *const place[] = {getenv("TMPDIR"), "/tmp", "/dev/shm"};
    const char *first = NULL;
    int error_number = 0;
    for (int i = 0; i < 3; i++) {
        if (!place[i] || !*place[i]) continue;
        if (make_own(models, place[i])) {
            models->last = (SinoLastAct){.act = end_early, .of = models->own, .late = true};
            sino_ending_add(&models->last);
            return NULL;
        }
        if (first) continue;
        first = place[i];
        error_number = errno;
    }
    return sino_error(SINO_FAILED,
                      "StarPU needs a directory for some small files, and none can be made in %s (%s), nor elsewhere; "
                      "set TMPDIR to a directory with room, of at most %d bytes of name",
                      first, strerror(error_number), PATH_MOST);
}

/* ---- files ---- */

static void name_host(char host[HOST_BYTES])
{
    const char *named = getenv(host_variable);
    if (named)
        snprintf(host, HOST_BYTES, "%s", named);
    else if (gethostname(host, HOST_BYTES - 1) != 0)
        host[0] = '\0';
    if (!named) host[strcspn(host, ".")] = '\0';
}

static bool is_bus_file(const char *ending)
{
    static const char *const known[] = {"config",    "affinity",     "latency",
                                        "bandwidth", "platform.xml", "platform.v4.xml"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(ending, known[i]) == 0) return true;
    return false;
}

/* Whether StarPU on this machine reads a file of this name: HOST.latency or sinodag_spmm.HOST. */
static bool is_mine(const SinoModels *models, int kind, const char *name)
{
    const size_t length = strlen(models->host), name_length = strlen(name);
    if (length == 0 || name_length <= length + 1) return false;
    if (kind == BUS)
        return strncmp(name, models->host, length) == 0 && name[length] == '.' && is_bus_file(name + length + 1);
    return name[name_length - length - 1] == '.' && strcmp(name + name_length - length, models->host) == 0;
}

typedef void Visit(SinoModels *models, const char *from, const char *to, void *argument);

/* Calls visit(models, path in `from`, path in `to`, argument) for every file of this machine in a part of `from`, whose
 * folders are made in `to`. */
static void for_each(SinoModels *models, int kind, const char *from, const char *to, Visit *visit, void *argument)
{
    DIR *directory = opendir(from);
    if (!directory) return;
    (void)mkdir(to, 0777);
    for (const struct dirent *entry; (entry = readdir(directory));) {
        struct stat info;
        if (entry->d_name[0] == '.') continue;
        char *source = join(from, entry->d_name), *target = join(to, entry->d_name);
        if (source && target) {
            if (is_mine(models, kind, entry->d_name))
                visit(models, source, target, argument);
            else if (kind == CODELETS && lstat(source, &info) == 0 && S_ISDIR(info.st_mode))
                for_each(models, kind, source, target, visit, argument);
        }
        free(source);
        free(target);
    }
    closedir(directory);
}

static void for_each_in(SinoModels *models, int kind, const char *from, const char *to, Visit *visit, void *argument)
{
    char *source = join(from, part[kind]), *target = join(to, part[kind]);
    if (source && target) for_each(models, kind, source, target, visit, argument);
    free(source);
    free(target);
}

static void set_aside(const SinoModels *models, const char *path)
{
    char *aside = NULL;
    if (asprintf(&aside, "%s.aside", path) < 0) return;
    (void)remove(aside); /* an older one of another kind would be in the way */
    const bool moved = rename(path, aside) == 0;
    if (models->log && moved)
        sino_log_warning(models->log, "models",
                         "%s, a file of StarPU's measurements, is damaged or no run of sinodag wrote it; it is set "
                         "aside as %s, and the measurement is made again",
                         path, aside);
    else if (models->log)
        sino_log_warning(models->log, "models",
                         "%s, a file of StarPU's measurements, is damaged or no run of sinodag wrote it; it is not "
                         "used",
                         path);
    free(aside);
}

/* Whether all files seen so far belong to one set. */
typedef struct Set {
    bool whole;
    uint64_t number; /* 0: no file yet */
    int count;       /* of files seen and not taken yet */
} Set;

static void look_at(SinoModels *models, const char *from, const char *to, void *argument)
{
    Set *set = argument;
    SinoModelFile file;
    (void)to;
    const SinoModelFileState state = sino_model_file_read(from, &file);
    if (state == SINO_MODEL_FILE_DAMAGED) set_aside(models, from);
    set->whole &= state == SINO_MODEL_FILE_GOOD && (set->number == 0 || set->number == file.set);
    set->number = file.set;
    set->count++;
    sino_model_file_free(&file);
}

static void take(SinoModels *models, const char *from, const char *to, void *argument)
{
    Set *set = argument; /* NULL: each file is one */
    SinoModelFile file;
    const SinoModelFileState state = sino_model_file_read(from, &file);
    if (state == SINO_MODEL_FILE_DAMAGED) set_aside(models, from);
    if (set) set->whole &= state == SINO_MODEL_FILE_GOOD && file.set == set->number;
    if (set) set->count--;
    if (state == SINO_MODEL_FILE_GOOD) (void)sino_model_file_write_plain(to, &file); /* else it is measured again */
    sino_model_file_free(&file);
}

static void drop(SinoModels *models, const char *from, const char *to, void *argument)
{
    (void)models;
    (void)to;
    (void)argument;
    (void)unlink(from);
}

/* Another run may keep its set between both looks. */
static void take_bus(SinoModels *models)
{
    Set set = {.whole = true};
    for_each_in(models, BUS, models->kept, models->own, look_at, &set);
    if (!set.whole) return;
    for_each_in(models, BUS, models->kept, models->own, take, &set);
    if (!set.whole || set.count != 0) for_each_in(models, BUS, models->own, models->own, drop, NULL);
}

/* Takes the file whose name is the symbol in `argument` and the host. */
static void take_named(SinoModels *models, const char *from, const char *to, void *argument)
{
    const char *name = strrchr(from, '/') + 1, *symbol = argument;
    const size_t length = strlen(symbol);
    if (strncmp(name, symbol, length) == 0 && name[length] == '.' && strcmp(name + length + 1, models->host) == 0)
        take(models, from, to, NULL);
}

void sino_models_take(SinoModels *models, const char *symbol)
{
    if (models && models->kept) for_each_in(models, CODELETS, models->kept, models->own, take_named, (void *)symbol);
}

/* What to do with the files of the run. */
typedef struct Keep {
    uint64_t set;
    bool all; /* also those that did not change */
    bool changed;
    int error_number; /* of a file that could not be kept; 0: none */
} Keep;

/* Whether the kept file has another text than the run's file. */
static void compare(SinoModels *models, const char *from, const char *to, void *argument)
{
    Keep *keep = argument;
    SinoModelFile mine, kept;
    (void)models;
    if (!sino_model_file_read_plain(from, &mine)) return;
    keep->changed |= sino_model_file_read(to, &kept) != SINO_MODEL_FILE_GOOD || !sino_model_file_same(&mine, &kept);
    sino_model_file_free(&mine);
    sino_model_file_free(&kept);
}

static void keep_file(SinoModels *models, const char *from, const char *to, void *argument)
{
    Keep *keep = argument;
    SinoModelFile file;
    keep->changed = false;
    compare(models, from, to, keep);
    if (!keep->changed && !keep->all) return;
    if (!sino_model_file_read_plain(from, &file)) return;
    file.set = keep->set;
    if (!sino_model_file_write(to, &file)) keep->error_number = errno;
    sino_model_file_free(&file);
}

static uint64_t new_set(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return ((uint64_t)now.tv_sec << 30 | (uint64_t)now.tv_nsec) ^ (uint64_t)getpid() << 44;
}

static void keep_all(SinoModels *models)
{
    Keep keep = {.set = new_set()};
    for_each_in(models, BUS, models->own, models->kept, compare, &keep);
    keep.all = keep.changed;
    if (keep.all) for_each_in(models, BUS, models->own, models->kept, keep_file, &keep);
    keep.all = false;
    if (!models->frozen) for_each_in(models, CODELETS, models->own, models->kept, keep_file, &keep);
    if (keep.error_number && models->log)
        sino_log_info(models->log, "models", "StarPU's measurements are not kept: %s cannot be written (%s)",
                      models->kept, strerror(keep.error_number));
}

/* ---- */

SinoStatus sino_models_open(SinoLog *log, SinoModels **result)
{
    SinoStatus status = NULL;
    SinoModels *models;
    const char *given = given_path();
    SINO_TRY(sino_allocate(1, sizeof *models, "StarPU's models", &models));
    models->log = log;
    models->lock = -1;
    name_host(models->host);
    if (given) models->given = strdup(given);
    SINO_CHECK_OR(status, fail, !given || models->given, SINO_FAILED, "no memory for a file name");
    SINO_TRY_OR(status, fail, choose_kept(models));
    SINO_TRY_OR(status, fail, choose_own(models));
    if (models->kept) take_bus(models);
    sino_models_take(models, samples);
    SINO_CHECK_OR(status, fail, setenv(variable, models->own, 1) == 0, SINO_FAILED, "no memory for a variable");
    *result = models;
    return NULL;
fail:
    sino_models_close(models);
    return status;
}

static char *samples_path(const char *directory, const char *host)
{
    char *path = NULL;
    if (host[0] == '\0') return NULL;
    return asprintf(&path, "%s/%s/%s.%s", directory, part[CODELETS], samples, host) < 0 ? NULL : path;
}

const char *sino_models_kept(const SinoModels *models)
{
    return models->kept;
}

char *sino_models_samples_path(const SinoModels *models)
{
    return samples_path(models->own, models->host);
}

char *sino_models_directory(void)
{
    const char *given = given_path();
    return given ? strdup(given) : default_path();
}

char *sino_models_kept_samples_path(const char *directory)
{
    char host[HOST_BYTES] = "";
    name_host(host);
    return samples_path(directory, host);
}

bool sino_models_frozen(const SinoModels *models)
{
    return models->frozen;
}

void sino_models_freeze(SinoModels *models)
{
    models->frozen = true;
}

void sino_models_close(SinoModels *models)
{
    if (!models) return;
    sino_ending_remove(&models->last);
    /* Without room StarPU may have written a part of a file, and not have noticed. */
    if (models->own && models->kept && is_usable(models->own)) keep_all(models);
    if (models->given)
        (void)setenv(variable, models->given, 1);
    else
        unsetenv(variable);
    if (models->own) sino_platform_remove_folder(models->own);
    if (models->lock >= 0) close(models->lock);
    free(models->given);
    free(models->kept);
    free(models->own);
    free(models);
}
