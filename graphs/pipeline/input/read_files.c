/* SPDX-License-Identifier: BSD-3-Clause */
/* Read files: every file that a run of recon reads, except its settings. */
#include "input_parts.h"

#include "counts_file.h"

#include <stdlib.h>
#include <string.h>

static SinoStatus add_known(SinoReadFiles *read, const char *option, int64_t count, const char *const *path)
{
    read->option = option;
    for (int64_t i = 0; i < count; i++) SINO_TRY(sino_file_list_add(&read->list, path[i]));
    return NULL;
}

static SinoStatus add_named(SinoReadFiles *read, const char *option, const char *given)
{
    read->option = option;
    return given ? sino_file_list_whole(given, &read->list) : NULL;
}

/* --theta may be a range, or a part "NAME[A:B]" of a file. */
static SinoStatus add_theta(SinoReadFiles *read, const char *given)
{
    const char *bracket = given ? strrchr(given, '[') : NULL;
    SINO_TRY(add_named(read, "--theta", given));
    if (read->list.count > 0 || !bracket) return NULL;
    char *name = strndup(given, (size_t)(bracket - given));
    SINO_CHECK(name, SINO_FAILED, "no memory for a file name");
    SinoStatus status = add_named(read, "--theta", name);
    free(name);
    return status;
}

static SinoStatus list_scan(const SinoSettings *settings, const SinoScanInfo *info, SinoReadFiles *read)
{
    const bool weights = settings->solver.weights == SINO_WEIGHTS_FILE;
    SINO_TRY(add_known(read++, "the input", info->file_count, info->file_name));
    SINO_TRY(add_theta(read++, settings->input.theta));
    SINO_TRY(add_known(read++, "--flats", info->flat_file_count, info->flat_file_name));
    SINO_TRY(add_known(read++, "--darks", info->dark_file_count, info->dark_file_name));
    SINO_TRY(add_named(read++, "--align", sino_input_shifts_file(&settings->stages)));
    SINO_TRY(add_named(read++, "--start", settings->solver.start));
    SINO_TRY(add_named(read++, "--mask", settings->solver.mask));
    return add_named(read, "--weights", weights ? settings->solver.weights_file : NULL);
}

/* `given` NULL: there is none. */
static SinoStatus add_counts(SinoReadFiles *read, const char *option, const char *given)
{
    char *path[SINO_COUNTS_PATHS];
    read->option = option;
    if (!given) return NULL;
    SinoStatus status = sino_counts_paths(given, path);
    for (int i = 0; i < SINO_COUNTS_PATHS; i++) {
        if (!status && path[i]) status = sino_file_list_add(&read->list, path[i]);
        free(path[i]);
    }
    return status;
}

/* A matrix is FILE or FILE:/GROUP, as counts are. */
static SinoStatus list_matrix(const SinoSettings *settings, SinoReadFiles *read)
{
    SINO_TRY(add_counts(read++, "the input", settings->input.file_name));
    SINO_TRY(add_counts(read++, "--system-matrix", settings->counts.system_matrix));
    SINO_TRY(add_counts(read++, "--multiplicative", settings->counts.multiplicative));
    SINO_TRY(add_counts(read++, "--additive", settings->counts.additive));
    SINO_TRY(add_counts(read++, "--sensitivity", settings->counts.sensitivity));
    SINO_TRY(add_counts(read++, "--attenuation-map", settings->counts.attenuation_map));
    SINO_TRY(add_counts(read++, "--start", settings->solver.start));
    return add_counts(read, "--mask", settings->solver.mask);
}

SinoStatus sino_read_files_list(const SinoSettings *settings, const SinoInput *scan, SinoReadFiles read[SINO_READS])
{
    return scan ? list_scan(settings, scan->info, read) : list_matrix(settings, read);
}

void sino_read_files_free(SinoReadFiles read[SINO_READS])
{
    for (int i = 0; i < SINO_READS; i++) sino_file_list_free(&read[i].list);
}
