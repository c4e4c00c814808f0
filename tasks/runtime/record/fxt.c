/* SPDX-License-Identifier: BSD-3-Clause */
/* FxT: StarPU's own trace, for a --trace file that ends in .paje (ViTE, StarVZ). StarPU writes events into a folder of
 * their own while it runs, and makes the Paje file of them afterwards. A StarPU that was built with FxT would write
 * them in every run. */
#include "files.h"
#include "memory.h"
#include "runtime_private.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct SinoFxt {
    SinoOutputFile *output;
    char folder[256]; /* "": not made yet */
};

bool sino_fxt_is_meant(const char *path)
{
    const size_t length = path ? strlen(path) : 0;
    return length > 5 && strcmp(path + length - 5, ".paje") == 0;
}

#ifdef STARPU_USE_FXT
#include <starpu_fxt.h>

static SinoStatus make_folder(SinoFxt *fxt)
{
    const char *parent = getenv("TMPDIR");
    const int length =
        snprintf(fxt->folder, sizeof fxt->folder, "%s/sinodag-fxt-XXXXXX", parent && *parent ? parent : "/tmp");
    if (length < (int)sizeof fxt->folder && mkdtemp(fxt->folder)) return NULL;
    SinoStatus status = sino_error(SINO_FAILED, "no folder for a trace can be made in %s: %s",
                                   parent && *parent ? parent : "/tmp", strerror(errno));
    fxt->folder[0] = '\0';
    return status;
}

static SinoStatus open_trace(const SinoRuntimeRequest *request, SinoFxt *fxt)
{
    char prefix[sizeof fxt->folder + 1];
    SINO_CHECK(sino_processes_count(request->processes) == 1, SINO_BAD_INPUT,
               "trace is '%s', and there are several ranks; allowed: a name that does not end in .paje",
               request->trace_path);
    SINO_TRY(sino_output_open(request->trace_path, request->overwrite, &fxt->output));
    SINO_TRY(make_folder(fxt));
    snprintf(prefix, sizeof prefix, "%s/", fxt->folder);
    setenv("STARPU_FXT_TRACE", "1", 1);
    setenv("STARPU_FXT_PREFIX", prefix, 1);
    setenv("STARPU_GENERATE_TRACE", "0", 1);
    return NULL;
}

/* The path of the only file of events in the folder. */
static bool find_events(const SinoFxt *fxt, char path[512])
{
    DIR *folder = opendir(fxt->folder);
    bool found = false;
    for (const struct dirent *entry; folder && !found && (entry = readdir(folder));) {
        found = strncmp(entry->d_name, "prof_file", 9) == 0;
        if (found) snprintf(path, 512, "%s/%.200s", fxt->folder, entry->d_name);
    }
    if (folder) closedir(folder);
    return found;
}

static SinoStatus copy(const char *from, SinoOutputFile *output)
{
    char bytes[1 << 14];
    int64_t at = 0;
    FILE *file = fopen(from, "r");
    SINO_CHECK(file, SINO_FAILED, "StarPU has made no trace: %s: %s", from, strerror(errno));
    for (size_t count; (count = fread(bytes, 1, sizeof bytes, file)) > 0; at += (int64_t)count)
        sino_output_write(output, at, bytes, count);
    (void)fclose(file);
    return NULL;
}

static SinoStatus write_trace(SinoFxt *fxt)
{
    char events[512], paje[512];
    struct starpu_fxt_options options = {0}; /* StarPU frees members that its own initialisation leaves as they are */
    SINO_CHECK(find_events(fxt, events), SINO_FAILED, "StarPU has written no events into %s", fxt->folder);
    snprintf(paje, sizeof paje, "%s/paje.trace", fxt->folder);
    starpu_fxt_options_init(&options);
    options.dir = fxt->folder;
#ifdef SINO_STARPU_FXT_SET_DIR
    starpu_fxt_options_set_dir(&options);
#endif
    options.filenames[options.ninputfiles++] = events;
    starpu_fxt_generate_trace(&options);
    return copy(paje, fxt->output);
}

static void remove_folder(const SinoFxt *fxt)
{
    DIR *folder = fxt->folder[0] ? opendir(fxt->folder) : NULL;
    for (const struct dirent *entry; folder && (entry = readdir(folder));)
        if (entry->d_name[0] != '.') (void)unlinkat(dirfd(folder), entry->d_name, 0);
    if (folder) closedir(folder);
    if (fxt->folder[0]) (void)rmdir(fxt->folder);
}
#else
static SinoStatus open_trace(const SinoRuntimeRequest *request, SinoFxt *fxt)
{
    (void)fxt;
    return sino_error(SINO_BAD_INPUT,
                      "trace is '%s', which needs a StarPU with FxT, and this one has none; allowed: a name that does "
                      "not end in .paje, or the StarPU that ./run starpu builds where libfxt-dev is",
                      request->trace_path);
}

static SinoStatus write_trace(SinoFxt *fxt)
{
    (void)fxt;
    return NULL;
}

static void remove_folder(const SinoFxt *fxt)
{
    (void)fxt;
}
#endif

SinoStatus sino_fxt_open(const SinoRuntimeRequest *request, SinoFxt **result)
{
    SinoFxt *fxt = NULL;
    if (!sino_fxt_is_meant(request->trace_path)) {
        setenv("STARPU_FXT_TRACE", "0", 0);
        return NULL;
    }
    SINO_TRY(sino_allocate(1, sizeof *fxt, "the trace", &fxt));
    SINO_GIVE(open_trace(request, fxt), fxt, sino_fxt_free, result);
}

SinoStatus sino_fxt_close(SinoFxt *fxt)
{
    SINO_TRY(fxt ? write_trace(fxt) : NULL);
    if (!fxt) return NULL;
    SinoOutputFile *output = fxt->output;
    fxt->output = NULL;
    return sino_output_seal(output);
}

void sino_fxt_free(SinoFxt *fxt)
{
    if (!fxt) return;
    remove_folder(fxt);
    sino_output_discard(fxt->output);
    free(fxt);
}
