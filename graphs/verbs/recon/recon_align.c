/* SPDX-License-Identifier: BSD-3-Clause */
/* recon --align shifts or pose: finds the shifts of the projections, and the turns of their views, before anything else
 * is made of them. */
#include "recon_volume.h"

#include "align.h"
#include "cone_scan.h"
#include "memory.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static void tell(const SinoRecon *recon, const SinoAligned *found)
{
    const int64_t angles = recon->input.geometry.angle_count;
    double columns = 0, rows = 0, most = 0;
    if (!found->found) {
        sino_log_warning(recon->log, "align",
                         "--align %s found none: no shifts let a volume predict the projections better by 2 %% "
                         "(residual %.4g without, %.4g with shifts); projections are taken as they are",
                         recon->settings->stages.align, found->before, found->after);
        return;
    }
    for (int64_t k = 0; k < angles; k++) {
        columns += found->shift[k].column * found->shift[k].column / (double)angles;
        rows += found->shift[k].row * found->shift[k].row / (double)angles;
        most = fmax(most, fmax(fabs(found->shift[k].column), fabs(found->shift[k].row)));
    }
    sino_log_info(recon->log, "align",
                  "projections are shifted back, by %.3g columns and %.3g rows (root mean square), %.3g at most; the "
                  "residual falls from %.3g to %.3g in %" PRId64 " rounds, of averages of %" PRId64 " x %" PRId64
                  " pixels; projections do not tell where the whole object is: the least shifts are taken",
                  sqrt(columns), sqrt(rows), most, found->before, found->after, found->rounds, found->binning,
                  found->binning);
}

static void tell_turns(const SinoRecon *recon, const SinoAligned *found)
{
    const int64_t angles = recon->input.geometry.angle_count;
    double pitch = 0, roll = 0;
    if (!found->turn) {
        sino_log_info(recon->log, "align",
                      "views are not turned: turns lower the residual by less than 2 %%, or do not become smaller");
        return;
    }
    for (int64_t k = 0; k < angles; k++) {
        pitch += found->turn[k].pitch * found->turn[k].pitch / (double)angles;
        roll += found->turn[k].roll * found->turn[k].roll / (double)angles;
    }
    sino_log_info(
        recon->log, "align",
        "views are turned, by %.3g degrees about the columns and %.3g about the beam (root mean square), which "
        "lowers the residual by %.2g %%; the least turns are taken",
        sqrt(pitch) * 180 / SINO_PI, sqrt(roll) * 180 / SINO_PI, 100 * found->turned);
}

/* all[projection of the file], of the input's angles; 0 where it has none. The caller frees them. */
static SinoStatus of_file(const SinoInput *input, const SinoShift *shift, SinoShift **all)
{
    SINO_TRY(sino_allocate(sino_input_projections(input), sizeof **all, "shifts", all));
    for (int64_t k = 0; k < input->geometry.angle_count; k++) (*all)[sino_input_projection(input, k)] = shift[k];
    return NULL;
}

static SinoStatus take(const SinoInput *from, const SinoShift *shift, SinoInput *input)
{
    SinoShift *all;
    SINO_TRY(of_file(from, shift, &all));
    SinoStatus status = sino_input_take_shifts(all, input);
    free(all);
    return status;
}

/* Views that are turned are shifted, too, instead of their images. */
static void turn_views(const SinoAligned *found, SinoInput *input)
{
    for (int64_t k = 0; k < input->geometry.angle_count; k++) {
        SinoView view = sino_view_turned(found->turn[k], input->view[k]);
        for (int i = 0; i < 3; i++)
            view.first[i] -=
                (found->shift[k].column * view.column[i] + found->shift[k].row * view.row[i]) / (double)input->binning;
        input->view[k] = view;
    }
    input->turned = true;
}

/* Of a part of the projections. */
static SinoStatus take_views(const SinoInput *from, SinoInput *input)
{
    SinoView *all;
    SINO_TRY(sino_allocate(sino_input_projections(from), sizeof *all, "vectors", &all));
    for (int64_t k = 0; k < from->geometry.angle_count; k++) all[sino_input_projection(from, k)] = from->view[k];
    for (int64_t k = 0; k < input->geometry.angle_count; k++) input->view[k] = all[sino_input_projection(input, k)];
    free(all);
    input->turned = true;
    return NULL;
}

SinoStatus sino_recon_align(SinoRecon *recon)
{
    SinoInput *input = &recon->input;
    SinoMachine machine;
    SinoAligned found;
    if (!input->info || !sino_input_searches_shifts(&recon->settings->stages)) return NULL;
    if (recon->whole) {
        const SinoInput *whole = &recon->whole->input;
        if (whole->turned) return take_views(whole, input);
        return whole->shift ? take(whole, whole->shift, input) : NULL;
    }
    SINO_CHECK(sino_processes_count(recon->processes) == 1, SINO_BAD_INPUT,
               "align is %s, with %" PRId64 " ranks; allowed: a file of shifts, such as the volume of a run of one "
               "rank, or 1 rank",
               recon->settings->stages.align, sino_processes_count(recon->processes));
    SINO_TRY(sino_machine_here(recon->settings, recon->runtime, &machine));
    SINO_TRY(sino_align(recon->runtime, recon->settings, input, machine.memory_bytes, &found));
    tell(recon, &found);
    if (sino_input_searches_turns(&recon->settings->stages)) tell_turns(recon, &found);
    SinoStatus status = found.found && !found.turn ? take(input, found.shift, input) : NULL;
    if (found.turn) turn_views(&found, input);
    free(found.shift);
    free(found.turn);
    sino_recon_mark(recon, "the projections are aligned");
    return status;
}

static SinoStatus write_vectors(const SinoRecon *recon)
{
    const int64_t projections = sino_input_projections(&recon->input);
    double(*numbers)[SINO_VIEW_NUMBERS];
    SINO_TRY(sino_allocate(projections, sizeof *numbers, "vectors", &numbers));
    sino_vectors_of_file(&recon->input, numbers);
    SinoStatus status = sino_volume_process_doubles(
        recon->volume, recon->input.view->parallel ? "parallel_vectors" : "vectors", projections, SINO_VIEW_NUMBERS,
        *numbers,
        "mm, of each projection: source or direction of its rays, middle of the detector, steps of columns and rows");
    free(numbers);
    return status;
}

SinoStatus sino_recon_write_shifts(SinoRecon *recon)
{
    const SinoInput *input = &recon->input;
    SinoShift *all;
    if (input->turned) return write_vectors(recon);
    if (!input->info || !input->shift) return NULL;
    SINO_TRY(of_file(input, input->shift, &all));
    SinoStatus status =
        sino_volume_process_doubles(recon->volume, "shifts", sino_input_projections(input), 2, &all[0].column,
                                    "columns and rows by which each projection lies beside its place");
    free(all);
    return status;
}
