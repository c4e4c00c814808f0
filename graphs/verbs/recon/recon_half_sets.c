/* SPDX-License-Identifier: BSD-3-Clause */
/* recon --halves: after the run of all projections, one run reconstructs the projections of even number, and another
 * one those of odd number. Both take the center, the stages, the prior and the iterations of the first run. They
 * multiply the strength of the prior by their share of the projections, so that data and prior have the same balance.
 * Then recon compares the two volumes.
 *
 * The file of the whole volume gets its name last, so that --resume can tell which halves are complete. */
#include "recon_volume.h"

#include "page.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const words[SINO_OUTPUT_HALVES] = {"even", "odd"};

SinoStatus sino_recon_half_sets_check(const SinoRecon *recon)
{
    if (!recon->settings->output.halves) return NULL;
    const int64_t projections = recon->input.info->angle_count;
    SINO_CHECK(projections > 1, SINO_BAD_INPUT,
               "--halves is yes, but there is %" PRId64 " projection; allowed: with 2 or more", projections);
    for (int h = 0; h < SINO_OUTPUT_HALVES && !recon->resume.earlier; h++)
        SINO_TRY(sino_recon_check_new(recon->settings, recon->names.half[h]));
    return NULL;
}

static bool is_younger(const struct stat *file, const struct stat *other)
{
    const struct timespec *a = &file->st_mtim, *b = &other->st_mtim;
    return a->tv_sec > b->tv_sec || (a->tv_sec == b->tv_sec && a->tv_nsec >= b->tv_nsec);
}

/* Whether the unfinished run that this one goes on with has completed a half, which is then younger than the last slice
 * of the whole volume. A file has its name when it is whole; a folder of slices has a journal until then. */
static SinoStatus find_done(const SinoRecon *recon, const char *path, bool *done)
{
    const SinoSaveFormat format = recon->settings->output.format;
    struct stat half, last;
    char *journal = NULL;
    *done = false;
    if (!recon->resume.earlier) return NULL;
    SINO_CHECK(asprintf(&journal, "%s.journal", path) >= 0, SINO_FAILED, "no memory for a file name");
    const bool named = stat(path, &half) == 0 && stat(recon->resume.path, &last) == 0 && is_younger(&half, &last);
    const bool folder = format == SINO_SAVE_TIFF || format == SINO_SAVE_BOTH;
    *done = named && (!folder || access(journal, F_OK) != 0);
    if (named && !folder) (void)unlink(journal); /* of a run that was killed as the file got its name */
    free(journal);
    return NULL;
}

SinoSettings sino_recon_half_sets_settings(const SinoRecon *recon, int half)
{
    static char none[] = "none";
    SinoSettings settings = *recon->settings;
    const int64_t all = recon->record.angle_count, taken = (all + 1 - half) / 2;
    const double strength = recon->kind->facts(recon).strength;
    settings.input.half = 1 + half;
    settings.output.path = recon->names.half[half];
    settings.output.halves = settings.output.pictures = false;
    settings.output.report = none;
    settings.output.range = recon->request.codes.range;
    settings.projection.cache = NULL;
    if (recon->kind->find_center)
        settings.center.rotation_axis = sino_input_column_of_file(&recon->input, recon->input.geometry.center);
    if (strength > 0) settings.prior.regularization = strength * (double)taken / (double)all;
    return settings;
}

SinoRecon sino_recon_half_sets_run(const SinoRecon *recon, const SinoSettings *settings)
{
    return (SinoRecon){.job = recon->job,
                       .kind = recon->kind,
                       .settings = settings,
                       .log = recon->log,
                       .processes = recon->processes,
                       .runtime = recon->runtime,
                       .runs_in = true,
                       .whole = recon};
}

void sino_recon_half_sets_rest(SinoRecon *recon)
{
    if (recon->kind->rest) recon->kind->rest(recon);
    sino_integrals_free(recon->integrals);
    recon->integrals = NULL;
}

SinoStatus sino_recon_half_sets_done(const SinoRecon *recon, int half, bool *done)
{
    const char *path = recon->names.half[half];
    SINO_TRY(sino_processes_agree(recon->processes, find_done(recon, path, done)));
    SINO_TRY(sino_processes_broadcast(recon->processes, (int64_t)sizeof *done, done));
    sino_log_info(recon->log, "halves", "projections of %s number: %s%s", words[half], path,
                  *done ? " is complete, from an unfinished run" : "");
    return NULL;
}

static void print_resolution(const SinoWorth *worth, FILE *out)
{
    if (isnan(worth->half_bit))
        fputs(", resolution 2 voxels or finer", out);
    else if (worth->half_bit > 0)
        fprintf(out, ", resolution %.3g voxels", 1 / worth->half_bit);
}

/* "noise 0.0012, estimated error 0.0017 (3.1 % of the values), resolution 2.6 voxels"; NULL: no memory. */
static char *text_of(const SinoRecon *recon)
{
    const SinoWorth *worth = &recon->worth;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out) return NULL;
    fprintf(out, "noise %.3g %s, estimated error %.3g", worth->noise, recon->request.units, worth->error);
    if (!isnan(worth->relative)) fprintf(out, " (%.2g %%)", 100 * worth->relative);
    print_resolution(worth, out);
    if (fclose(out) == 0) return text;
    free(text);
    return NULL;
}

void sino_recon_half_sets_tell(const SinoRecon *recon, const char *of)
{
    char *text = text_of(recon);
    sino_log_info(recon->log, "halves", "by both halves of %s: %s", of, text ? text : "no memory");
    free(text);
}

/* A volume with values that are no numbers has no measures. */
SinoStatus sino_recon_half_sets_compare(SinoRecon *recon)
{
    SinoStatus status = sino_compare_halves(recon->runtime, recon->names.half[0], recon->names.half[1], &recon->worth);
    if (sino_status_exit_code(status) == SINO_BAD_INPUT) {
        sino_log_warning(recon->log, "halves", "the halves cannot be compared: %s", sino_status_text(status));
        sino_status_free(status);
        return NULL;
    }
    if (status) return status;
    sino_recon_half_sets_tell(recon, "the projections");
    return NULL;
}

SinoStatus sino_recon_half_sets_write(const SinoRecon *recon)
{
    const SinoWorth *worth = &recon->worth;
    const double voxels = 1 / worth->half_bit;
    SinoVolume *volume = recon->volume;
    if (recon->whole) SINO_TRY(sino_volume_process_text(volume, "half", words[recon->settings->input.half - 1]));
    if (!(worth->noise > 0)) return NULL;
    SINO_TRY(sino_volume_process_doubles(volume, "noise", 0, 0, &worth->noise,
                                         "root mean square, by the volumes of both halves of the projections"));
    SINO_TRY(sino_volume_process_doubles(volume, "error", 0, 0, &worth->error,
                                         "estimated root mean square, by the same volumes"));
    SINO_TRY(sino_volume_process_doubles(volume, "relative_error", 0, 0, &worth->relative,
                                         "the same as a share of the root mean square of the volume"));
    if (worth->half_bit == 0) return NULL;
    return sino_volume_process_doubles(
        volume, "resolution", 0, 0, &voxels,
        "voxels, where the ring correlation of the same volumes falls below 1/2 bit; NaN: 2 or finer");
}

void sino_recon_half_sets_report(const SinoRecon *recon, FILE *out)
{
    if (recon->settings->output.halves)
        sino_page_row(out, "halves of the projections", "%s, %s", recon->names.half[0], recon->names.half[1]);
    if (!(recon->worth.noise > 0)) return;
    char *text = text_of(recon);
    sino_page_row(out, "by both halves", "%s", text ? text : "");
    free(text);
}
