/* SPDX-License-Identifier: BSD-3-Clause */
/* phantom, PET: the system matrix of a ring scanner as csr4 file, Poisson counts of an activity, and the activity.
 *
 * The matrix is made crystal by crystal, and each row is projected when it is made. The sum of all means gives the
 * scale of the activity at which the expected number of counts is the one asked for. */
#include "bricks_tasks.h"
#include "csr4_writer.h"
#include "files.h"
#include "memory.h"
#include "phantom_verb.h"
#include "volume.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Crystals whose rows are made, and then written, at a time. */
enum { SLAB_CRYSTALS = 32 };

typedef struct Pet {
    const SinoSettings *settings;
    SinoRuntime *runtime;
    SinoPetScanner scanner;
    int64_t crystals, rows, voxels, used_rows; /* used: rows with entries */
    char *counts_name, *terms_name, *truth_name;
    float *activity; /* [orientation][voxel]; the first one is the activity, the others are mirrored */
    double *mean;    /* [row] */
    int32_t *counts; /* [SLAB_CRYSTALS][crystals] */
    float *terms;    /* likewise */
    SinoPetRows made[SLAB_CRYSTALS];
    double scale, additive; /* as of SinoPetCounts */
    double total;           /* of the counts of all sets */
    SinoCsr4Writer *matrix;
    SinoOutputFile *counts_file, *terms_file; /* terms: NULL without background */
    SinoVolume *truth;
} Pet;

/* The even number nearest below, 2 at least. */
static int64_t even_below(double number)
{
    return sino_larger(2 * (int64_t)floor(number / 2), 2);
}

/* The grid of the settings, or one whose corners reach 0.8 of the radius, and which is as high as the rings. */
static void choose_grid(const SinoGeometrySettings *settings, SinoPetScanner *scanner)
{
    const double size = settings->voxel_size_mm > 0 ? settings->voxel_size_mm : 1;
    const double height = (double)scanner->ring_count * (scanner->crystal_width + scanner->gap);
    SinoVoxelGrid *grid = &scanner->grid;
    for (int d = 0; d < 3; d++) grid->size[d] = size;
    grid->x_count = settings->volume.x;
    grid->y_count = settings->volume.y;
    grid->z_count = settings->volume.z;
    if (grid->x_count == 0) {
        grid->x_count = grid->y_count = even_below(1.12 * scanner->radius / size);
        grid->z_count = even_below(height / size + 1.9);
    }
}

static SinoStatus check_scanner(const Pet *pet)
{
    const SinoCrystalShape *crystals = &pet->settings->phantom.crystals;
    const SinoVoxelGrid *grid = &pet->scanner.grid;
    const double x = (double)grid->x_count * grid->size[0] / 2, y = (double)grid->y_count * grid->size[1] / 2;
    SINO_CHECK(crystals->blocks >= 4, SINO_BAD_INPUT,
               "--crystals is %" PRId64 "x%" PRId64 "x%" PRId64 "; allowed: 4 blocks on a circle or more",
               crystals->blocks, crystals->block_size, crystals->rings);
    SINO_CHECK(pet->crystals <= UINT16_MAX, SINO_BAD_INPUT,
               "--crystals is %" PRId64 "x%" PRId64 "x%" PRId64 ", %" PRId64 " crystals; allowed: up to %d",
               crystals->blocks, crystals->block_size, crystals->rings, pet->crystals, UINT16_MAX);
    SINO_CHECK(grid->z_count > 0, SINO_BAD_INPUT,
               "--volume is %" PRId64 "x%" PRId64
               "; allowed with --geometry pet: auto, or three sides such as 40x40x10",
               grid->x_count, grid->y_count);
    SINO_CHECK(pet->voxels <= UINT32_MAX, SINO_BAD_INPUT,
               "the volume has %" PRId64 " × %" PRId64 " × %" PRId64 " voxels; allowed: up to %" PRIu32 " in all",
               grid->x_count, grid->y_count, grid->z_count, UINT32_MAX);
    SINO_CHECK(hypot(x, y) < pet->scanner.radius, SINO_BAD_INPUT,
               "the volume of %" PRId64 " × %" PRId64
               " voxels of %g mm reaches %g mm from the axis; allowed: less than "
               "the %g mm to the crystals",
               grid->x_count, grid->y_count, grid->size[0], hypot(x, y), pet->scanner.radius);
    return NULL;
}

SinoPetScanner sino_phantom_scanner(const SinoSettings *settings)
{
    const SinoCrystalShape *crystals = &settings->phantom.crystals;
    SinoPetScanner scanner = sino_pet_scanner(crystals->blocks, crystals->block_size, crystals->rings);
    scanner.ray_count = settings->phantom.rays;
    if (settings->counts.mirrors == SINO_MIRRORS_FOLDED) scanner.mirrors = sino_pet_mirrors(&scanner);
    choose_grid(&settings->geometry, &scanner);
    return scanner;
}

static SinoStatus describe(Pet *pet)
{
    const SinoCrystalShape *crystals = &pet->settings->phantom.crystals;
    pet->scanner = sino_phantom_scanner(pet->settings);
    const SinoVoxelGrid *grid = &pet->scanner.grid;
    pet->crystals = sino_times(crystals->blocks, sino_times(crystals->block_size, crystals->rings));
    pet->rows = sino_times(pet->crystals, pet->crystals);
    pet->voxels = sino_times(grid->x_count, sino_times(grid->y_count, grid->z_count));
    return check_scanner(pet);
}

/* The names of the files beside the matrix. */
static SinoStatus name_files(Pet *pet)
{
    static const char ending[] = ".csr4";
    const char *out = pet->settings->output.path, *truth = pet->settings->phantom.truth;
    const size_t length = strlen(out), cut = strlen(ending);
    const bool named = length > cut && strcmp(out + length - cut, ending) == 0;
    const int base = (int)(named ? length - cut : length);
    bool fine = asprintf(&pet->counts_name, "%.*s.counts", base, out) >= 0;
    fine = asprintf(&pet->terms_name, "%.*s.additive", base, out) >= 0 && fine;
    fine = (truth ? asprintf(&pet->truth_name, "%s", truth) : asprintf(&pet->truth_name, "%.*s.truth.h5", base, out)) >=
               0 &&
           fine;
    SINO_CHECK(fine, SINO_FAILED, "no memory for file names");
    return NULL;
}

static SinoStatus add_names(const Pet *pet, SinoNamedFiles *files)
{
    SINO_TRY(sino_files_input(files, "--config", pet->settings->config));
    SINO_TRY(sino_files_output(files, "--out", pet->settings->output.path));
    SINO_TRY(sino_files_output(files, "the counts", pet->counts_name));
    SINO_TRY(sino_files_output(files, "the true volume", pet->truth_name));
    return sino_files_output(files, "the additive terms",
                             pet->settings->phantom.background > 0 ? pet->terms_name : NULL);
}

static SinoStatus check_names(const Pet *pet)
{
    SinoNamedFiles files = {0};
    SinoStatus status = add_names(pet, &files);
    if (!status) status = sino_files_check(&files);
    sino_files_free(&files);
    return status;
}

static SinoStatus open_files(Pet *pet)
{
    const SinoSettings *settings = pet->settings;
    const SinoPetScanner *scanner = &pet->scanner;
    const SinoCsr4Scanner description = {.block_count = scanner->block_count,
                                         .block_size = scanner->block_size,
                                         .ring_count = scanner->ring_count,
                                         .crystal_width = scanner->crystal_width,
                                         .crystal_depth = scanner->crystal_depth,
                                         .gap = scanner->gap,
                                         .radius = scanner->radius,
                                         .attenuation = scanner->attenuation,
                                         .grid = scanner->grid,
                                         .mirrors = scanner->mirrors};
    const SinoVolumeRequest request = {.hdf5_path = pet->truth_name,
                                       .overwrite = settings->output.overwrite,
                                       .slice_count = scanner->grid.z_count,
                                       .height = scanner->grid.y_count,
                                       .width = scanner->grid.x_count,
                                       .row_step = 1,
                                       .units = "counts/mm"};
    SINO_TRY(check_names(pet));
    SINO_TRY(sino_output_open(pet->counts_name, settings->output.overwrite, &pet->counts_file));
    if (settings->phantom.background > 0)
        SINO_TRY(sino_output_open(pet->terms_name, settings->output.overwrite, &pet->terms_file));
    SINO_TRY(sino_volume_open(&request, &pet->truth));
    return sino_csr4_writer_open(settings->output.path, settings->output.overwrite, &description, &pet->matrix);
}

static SinoStatus new_buffers(Pet *pet)
{
    const int64_t slab = sino_times(SLAB_CRYSTALS, pet->crystals);
    const int64_t orientations = sino_orientation_count(pet->scanner.mirrors);
    SINO_TRY(
        sino_allocate(sino_times(orientations, pet->voxels), sizeof *pet->activity, "the true volume", &pet->activity));
    SINO_TRY(sino_allocate(pet->rows, sizeof *pet->mean, "mean counts", &pet->mean));
    SINO_TRY(sino_allocate(slab, sizeof *pet->counts, "counts", &pet->counts));
    return pet->terms_file ? sino_allocate(slab, sizeof *pet->terms, "additive terms", &pet->terms) : NULL;
}

static SinoStatus insert_activity(Pet *pet)
{
    const SinoVoxelGrid *grid = &pet->scanner.grid;
    for (int64_t z = 0; z < grid->z_count; z++)
        SINO_TRY(sino_insert_pet_activity(pet->runtime, &pet->scanner, z,
                                          pet->activity + sino_times(z, grid->x_count * grid->y_count)));
    return NULL;
}

/* Makes the mirrored images of the activity. */
static void mirror_activity(Pet *pet)
{
    const SinoMirror mirror = sino_pet_mirror(&pet->scanner);
    const int64_t orientations = sino_orientation_count(pet->scanner.mirrors);
    for (int64_t k = 1; k < orientations; k++)
        for (int64_t i = 0; i < pet->voxels; i++) {
            const int which = sino_orientation(pet->scanner.mirrors, k);
            pet->activity[k * pet->voxels + i] = pet->activity[sino_mirror_column(&mirror, which, (uint32_t)i)];
        }
}

static SinoStatus insert_rows(Pet *pet, int64_t first, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        pet->made[i].mean = pet->mean;
        SINO_TRY(sino_insert_pet_rows(pet->runtime, &pet->scanner, first + i, pet->activity, &pet->made[i]));
    }
    return NULL;
}

static void forget_rows(Pet *pet)
{
    for (int i = 0; i < SLAB_CRYSTALS; i++) sino_pet_rows_forget(&pet->made[i]);
}

static SinoStatus make_matrix(Pet *pet)
{
    for (int64_t first = 0; first < pet->crystals; first += SLAB_CRYSTALS) {
        const int64_t count = sino_smaller(pet->crystals - first, SLAB_CRYSTALS);
        SINO_TRY(sino_runtime_wait_after(pet->runtime, insert_rows(pet, first, count)));
        for (int64_t i = 0; i < count; i++) SINO_TRY(sino_csr4_writer_rows(pet->matrix, &pet->made[i].rows));
        forget_rows(pet);
    }
    return NULL;
}

/* Finds the scale at which the means add up to the counts asked for. */
static SinoStatus scale_activity(Pet *pet)
{
    const SinoSettings *settings = pet->settings;
    double sum = 0;
    for (int64_t row = 0; row < pet->rows; row++) {
        if (pet->mean[row] < 0) continue;
        sum += pet->mean[row];
        pet->used_rows++;
    }
    SINO_CHECK(sum > 0, SINO_BAD_INPUT,
               "no ray between two of the %" PRId64 " crystals meets activity in the volume of %" PRId64 " × %" PRId64
               " × %" PRId64 " voxels of %g mm; allowed: a larger volume",
               pet->crystals, pet->scanner.grid.x_count, pet->scanner.grid.y_count, pet->scanner.grid.z_count,
               pet->scanner.grid.size[0]);
    pet->scale = (1 - settings->phantom.background) * (double)settings->phantom.total_counts / sum;
    pet->additive = settings->phantom.background * (double)settings->phantom.total_counts / (double)pet->used_rows;
    for (int64_t i = 0; i < pet->voxels; i++) pet->activity[i] = (float)(pet->scale * (double)pet->activity[i]);
    return NULL;
}

static SinoStatus insert_counts(Pet *pet, int64_t set, int64_t first, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        const int64_t row = (first + i) * pet->crystals;
        const SinoPetCounts counts = {.row_count = pet->crystals,
                                      .seed = (uint64_t)pet->settings->phantom.seed,
                                      .first = (uint64_t)(set * pet->rows + row),
                                      .mean = pet->mean + row,
                                      .scale = pet->scale,
                                      .additive = pet->additive,
                                      .counts = pet->counts + i * pet->crystals,
                                      .terms = pet->terms ? pet->terms + i * pet->crystals : NULL};
        SINO_TRY(sino_insert_pet_counts(pet->runtime, &counts));
    }
    return NULL;
}

/* The additive terms, which are the same for every set, are written with the first one. */
static SinoStatus make_set(Pet *pet, int64_t set)
{
    for (int64_t first = 0; first < pet->crystals; first += SLAB_CRYSTALS) {
        const int64_t count = sino_smaller(pet->crystals - first, SLAB_CRYSTALS);
        const int64_t rows = sino_times(count, pet->crystals), bytes = rows * 4, offset = first * pet->crystals * 4;
        SINO_TRY(sino_runtime_wait_after(pet->runtime, insert_counts(pet, set, first, count)));
        for (int64_t i = 0; i < rows; i++) pet->total += (double)pet->counts[i];
        sino_output_write(pet->counts_file, set * pet->rows * 4 + offset, pet->counts, (size_t)bytes);
        if (pet->terms && set == 0) sino_output_write(pet->terms_file, offset, pet->terms, (size_t)bytes);
    }
    return sino_output_status(pet->counts_file);
}

static SinoStatus make_counts(Pet *pet)
{
    for (int64_t set = 0; set < pet->settings->phantom.replicates; set++) SINO_TRY(make_set(pet, set));
    return NULL;
}

static SinoStatus seal(SinoOutputFile **file)
{
    SinoOutputFile *sealed = *file;
    *file = NULL;
    return sealed ? sino_output_seal(sealed) : NULL;
}

static SinoStatus finish_files(Pet *pet)
{
    SinoCsr4Writer *matrix = pet->matrix;
    SinoVolume *truth = pet->truth;
    pet->matrix = NULL;
    SINO_TRY(sino_csr4_writer_finish(matrix));
    SINO_TRY(seal(&pet->counts_file));
    SINO_TRY(seal(&pet->terms_file));
    pet->truth = NULL;
    return sino_volume_finish(truth);
}

static void report(const Pet *pet, int64_t entries, SinoLog *log)
{
    const SinoSettings *settings = pet->settings;
    const SinoVoxelGrid *grid = &pet->scanner.grid;
    sino_log_info(log, "output",
                  "system matrix: %s, %" PRId64 " rows (%" PRId64 " crystals, %" PRId64
                  " lines that meet the volume), %" PRId64 " entries%s, voxels %" PRId64 "x%" PRId64 "x%" PRId64
                  " of %g mm",
                  settings->output.path, pet->rows, pet->crystals, pet->used_rows, entries,
                  pet->scanner.mirrors ? " (mirrored ones are left out)" : "", grid->x_count, grid->y_count,
                  grid->z_count, grid->size[0]);
    sino_log_info(log, "output", "counts: %s, %" PRId64 " set%s, %.0f in all", pet->counts_name,
                  settings->phantom.replicates, settings->phantom.replicates == 1 ? "" : "s", pet->total);
    if (pet->terms) sino_log_info(log, "output", "additive terms: %s", pet->terms_name);
    sino_log_info(log, "output", "truth: %s", pet->truth_name);
}

static SinoStatus run(Pet *pet, SinoLog *log)
{
    const SinoSettings *settings = pet->settings;
    const SinoRuntimeRequest request = {.workers = settings->runtime.workers,
                                        .scheduler = settings->runtime.scheduler,
                                        .stall_limit_s = settings->runtime.stall_limit_s,
                                        .log = log};
    SINO_TRY(describe(pet));
    SINO_TRY(name_files(pet));
    SINO_TRY(open_files(pet));
    SINO_TRY(new_buffers(pet));
    SINO_TRY(sino_runtime_start(&request, &pet->runtime));
    SINO_TRY(sino_runtime_wait_after(pet->runtime, insert_activity(pet)));
    mirror_activity(pet);
    SINO_TRY(make_matrix(pet));
    SINO_TRY(scale_activity(pet));
    SINO_TRY(make_counts(pet));
    SINO_TRY(sino_volume_write(pet->truth, 0, pet->scanner.grid.z_count, pet->activity));
    const int64_t entries = sino_csr4_writer_entries(pet->matrix);
    SINO_TRY(finish_files(pet));
    report(pet, entries, log);
    return NULL;
}

SinoStatus sino_phantom_pet(const SinoSettings *settings, SinoLog *log)
{
    Pet pet = {.settings = settings};
    SinoStatus status = run(&pet, log);
    sino_status_free(sino_runtime_stop(pet.runtime));
    sino_csr4_writer_abandon(pet.matrix);
    sino_output_discard(pet.counts_file);
    sino_output_discard(pet.terms_file);
    sino_volume_abandon(pet.truth);
    forget_rows(&pet);
    free(pet.counts_name);
    free(pet.terms_name);
    free(pet.truth_name);
    free(pet.activity);
    free(pet.mean);
    free(pet.counts);
    free(pet.terms);
    return status;
}
