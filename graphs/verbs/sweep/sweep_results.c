/* SPDX-License-Identifier: BSD-3-Clause */
/* Results of a sweep: figures from profiles, hashes of volumes, and whether volumes agree. */
#include "sweep.h"

#include "memory.h"
#include "paths.h"
#include "platform.h"
#include "volume.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Iterations amplify the rounding of sums that are added in another order; the volume itself is float32. */
double sino_sweep_tolerance(SinoPrecision precision)
{
    static const double tolerance[SINO_PRECISIONS] = {
        [SINO_SINGLE] = 1e-4, [SINO_DOUBLE] = 1e-6, [SINO_HALF] = 5e-2, [SINO_MIXED] = 2e-2};
    return tolerance[precision];
}

SinoStatus sino_sweep_take_profile(const SinoSweepChild *child, SinoSweepRow *row, SinoProfile *profile)
{
    SINO_TRY(sino_profile_read(child->profile_path, profile));
    row->makespan_s = profile->makespan_s;
    row->build_s = profile->build_s;
    row->inside_tasks = profile->inside_tasks;
    row->task_s = profile->task_s;
    row->area_bound_s = profile->area_bound_s;
    row->path_bound_s = profile->path_bound_s;
    row->starpu_bound_s = profile->starpu_bound_s;
    row->tasks = profile->tasks;
    row->transfer_bytes = profile->transfer_bytes;
    row->peak_bytes = profile->peak_bytes;
    return NULL;
}

/* ---- volumes ---- */

typedef struct Volume {
    int64_t count; /* of voxels */
    float *voxel;  /* owned */
} Volume;

static SinoStatus read_volume(const char *path, Volume *volume)
{
    int64_t slices, height, width;
    SINO_TRY(sino_volume_read(path, &slices, &height, &width, &volume->voxel));
    const int64_t shape[] = {slices, height, width};
    return sino_product(3, shape, "a volume", &volume->count);
}

/* ‖a − b‖/‖b‖; infinite: they differ in size, or a is not finite. */
static double difference(const Volume *a, const Volume *b)
{
    double off = 0, norm = 0;
    if (a->count != b->count) return INFINITY;
    for (int64_t i = 0; i < a->count; i++) {
        const double x = (double)a->voxel[i], y = (double)b->voxel[i];
        off += (x - y) * (x - y);
        norm += y * y;
    }
    const double ratio = off > 0 ? sqrt(off / norm) : off;
    return isfinite(ratio) ? ratio : INFINITY;
}

static bool same_problem(const SinoSweepCase *a, const SinoSweepCase *b)
{
    return a->columns == b->columns && a->angles == b->angles && a->slices == b->slices && a->precision == b->precision;
}

/* The first row of the same problem that has a hash; `exact`: and must have the same volume to the bit. */
static const SinoSweepRow *find_first(const SinoSweep *sweep, const SinoSweepRow *row, bool exact)
{
    if (exact && row->of.devices != SINO_DEVICE_CPU) return NULL;
    for (const SinoSweepRow *first = sweep->rows.row; first < sweep->rows.row + sweep->rows.count; first++) {
        const SinoSweepCase *a = &first->of, *b = &row->of;
        const bool planned_alike = (b->minibatch > 0 && b->partitions > 0) || a->workers == b->workers;
        const bool alike = a->minibatch == b->minibatch && a->partitions == b->partitions && planned_alike &&
                           a->devices == SINO_DEVICE_CPU;
        if (*first->hash && same_problem(a, b) && (alike || !exact)) return first;
    }
    return NULL;
}

/* The place of the first volume of a problem; of a table that is continued it is that of the first run from now on. */
static void reference_path(const SinoSweep *sweep, const SinoSweepCase *of, char path[SINO_SWEEP_PATH])
{
    sino_sweep_path(sweep, path, "first_%" PRId64 "_%" PRId64 "_%" PRId64 "_%s.h5", of->columns, of->angles, of->slices,
                    sino_precision_name(of->precision));
}

static SinoStatus compare_with(const char *path, const Volume *volume, double *result)
{
    Volume first = {0};
    SinoStatus status = read_volume(path, &first);
    if (!status) *result = difference(volume, &first);
    free(first.voxel);
    return status;
}

/* Sets hash and difference of the row, and keeps or removes the volume. */
static SinoStatus take_volume(SinoSweep *sweep, const char *path, SinoSweepRow *row)
{
    char reference[SINO_SWEEP_PATH];
    Volume volume = {0};
    int64_t bytes;
    SinoStatus status = read_volume(path, &volume);
    reference_path(sweep, &row->of, reference);
    if (!status) status = sino_multiply(volume.count, sizeof *volume.voxel, "a volume", &bytes);
    if (!status) {
        sino_checksum_bytes(volume.voxel, (size_t)bytes, row->hash);
        const SinoSweepRow *first = find_first(sweep, row, false);
        row->difference = 0;
        if (access(reference, R_OK) != 0)
            (void)rename(path, reference);
        else if (!first || strcmp(first->hash, row->hash) != 0)
            status = compare_with(reference, &volume, &row->difference);
    }
    free(volume.voxel);
    (void)unlink(path);
    return status;
}

/* The row whose volume must be that of `row` to the bit, if it is another one. */
static const SinoSweepRow *other_bits(const SinoSweep *sweep, const SinoSweepRow *row)
{
    const SinoSweepRow *exact = find_first(sweep, row, true);
    return exact && strcmp(exact->hash, row->hash) != 0 ? exact : NULL;
}

bool sino_sweep_differs(const SinoSweep *sweep, const SinoSweepRow *row)
{
    return *row->hash && (other_bits(sweep, row) || row->difference > sino_sweep_tolerance(row->of.precision));
}

/* Tells a volume that is not what it must be. */
static void judge(const SinoSweep *sweep, const SinoSweepRow *row)
{
    if (!sino_sweep_differs(sweep, row)) return;
    const SinoSweepRow *exact = other_bits(sweep, row);
    char *setup = sino_sweep_setup_text(sweep, &row->of);
    if (exact)
        sino_log_warning(sweep->log, "difference",
                         "%s, %s: the volume is not that of %s to the bit, as it must be on cores: hashes %s and %s, "
                         "relative difference %.1e",
                         setup ? setup : "", row->of.scheduler, exact->of.scheduler, row->hash, exact->hash,
                         row->difference);
    else
        sino_log_warning(sweep->log, "difference",
                         "%s, %s: the volume differs by %.1e from the first one; allowed: %.0e, for rounding",
                         setup ? setup : "", row->of.scheduler, row->difference,
                         sino_sweep_tolerance(row->of.precision));
    free(setup);
}

/* ---- rows ---- */

static void fail(const SinoSweep *sweep, SinoSweepRow *row, int exit_code, const char *message)
{
    char *setup = sino_sweep_setup_text(sweep, &row->of);
    row->exit_code = exit_code;
    snprintf(row->message, sizeof row->message, "%s", *message ? message : "no message");
    sino_log_warning(sweep->log, "failed", "%s of %s, %s failed with exit code %d: %s",
                     sino_sweep_phase_name[row->phase], setup ? setup : "", row->of.scheduler, exit_code, row->message);
    free(setup);
}

/* Takes what the child left; failures to read it are failures of the run. */
static SinoStatus take(SinoSweep *sweep, const SinoSweepChild *child, SinoSweepRow *row)
{
    SinoProfile profile;
    SINO_TRY(sino_sweep_take_profile(child, row, &profile));
    if (row->phase == SINO_SWEEP_SIMULATION) {
        row->predicted_s = row->makespan_s;
        row->makespan_s = NAN;
    }
    return *child->volume_path ? take_volume(sweep, child->volume_path, row) : NULL;
}

static void tell_progress(const SinoSweep *sweep)
{
    const int64_t now = sweep->runs_done - sweep->runs_found;
    const double done = (double)sweep->runs_done / (double)sweep->run_count;
    const double elapsed_s = sino_platform_now_s() - sweep->start_s;
    sino_log_progress(sweep->log, &(SinoProgress){.slab = sweep->runs_done,
                                                  .slab_count = sweep->run_count,
                                                  .residual = NAN,
                                                  .done = done,
                                                  .elapsed_s = elapsed_s / (double)now * (double)sweep->runs_done});
}

SinoStatus sino_sweep_record(SinoSweep *sweep, const SinoSweepChild *child, SinoSweepRow *row)
{
    SinoStatus status = child->end.exit_code == 0 ? take(sweep, child, row) : NULL;
    if (child->end.exit_code != 0 || status)
        fail(sweep, row, status ? sino_status_exit_code(status) : child->end.exit_code,
             status ? sino_status_text(status) : child->end.message);
    else if (*row->hash)
        judge(sweep, row);
    sino_status_free(status);
    (void)unlink(child->volume_path);
    SINO_TRY(sino_sweep_csv_add(sweep->csv, row));
    SINO_TRY(sino_sweep_rows_add(&sweep->rows, row));
    if (row->phase == SINO_SWEEP_CALIBRATION) return NULL;
    sweep->runs_done++;
    tell_progress(sweep);
    return NULL;
}
