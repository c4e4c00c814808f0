/* SPDX-License-Identifier: BSD-3-Clause */
/* Input: the part of a scan that is reconstructed, checked against the scan's contents. */
#include "input.h"

#include "cone_scan.h"
#include "flat_sets.h"
#include "input_parts.h"
#include "job_kind.h"
#include "memory.h"
#include "plausible.h"
#include "redundancy.h"
#include "stream_socket.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Checks the range [start, end) against [0, size), where end −1 means size, and cuts its length to a multiple of
 * binning. */
static SinoStatus take_range(const char *what, int64_t start, int64_t end, int64_t size, int64_t binning,
                             int64_t *count)
{
    const int64_t last = end < 0 ? size : end;
    SINO_CHECK(start < size, SINO_BAD_INPUT, "start-%s is %" PRId64 "; allowed: 0 to %" PRId64 ", the scan's %ss", what,
               start, size - 1, what);
    SINO_CHECK(last <= size, SINO_BAD_INPUT, "end-%s is %" PRId64 "; allowed: up to %" PRId64 ", the scan's %ss", what,
               last, size, what);
    SINO_CHECK(start < last, SINO_BAD_INPUT, "empty %s range: start-%s is %" PRId64 " and end-%s is %" PRId64, what,
               what, start, what, last);
    *count = (last - start) / binning * binning;
    SINO_CHECK(*count > 0, SINO_BAD_INPUT, "binning is %" PRId64 "; only %" PRId64 " %ss are selected", binning,
               last - start, what);
    return NULL;
}

static SinoScanBox box_of(const SinoInput *input, int64_t first_row, int64_t row_count)
{
    return (SinoScanBox){.first_row = first_row,
                         .row_count = row_count,
                         .first_column = input->first_column,
                         .column_count = input->column_count};
}

/* Values of flat and dark fields that are looked at together, at least a row of one field. */
enum { PIECE_VALUES = 1 << 20 };

static int64_t flats_at_once(const SinoInput *input)
{
    return sino_larger(1, sino_smaller(PIECE_VALUES / input->column_count, input->info->flat_count));
}

/* Reads the flat fields piece by piece until it finds a positive count. */
static SinoStatus check_flats_of(const SinoInput *input, float *flats, bool *positive)
{
    const int64_t at_once = flats_at_once(input), images = input->info->flat_count;
    const int64_t end = input->first_row + input->row_count;
    for (int64_t row = input->first_row; row < end && !*positive; row++) {
        const SinoScanBox box = box_of(input, row, 1);
        for (int64_t i = 0; i < images && !*positive; i += at_once) {
            const int64_t count = sino_smaller(at_once, images - i);
            SINO_TRY(sino_scan_read_some_flats(input->scan, i, count, &box, flats));
            for (int64_t k = 0; k < count * box.column_count && !*positive; k++) *positive = flats[k] > 0;
        }
    }
    return NULL;
}

static SinoStatus check_flats(const SinoInput *input, const char *name)
{
    float *flats = NULL;
    bool positive = false;
    SINO_TRY(
        sino_allocate(sino_times(flats_at_once(input), input->column_count), sizeof *flats, "flat fields", &flats));
    SinoStatus status = check_flats_of(input, flats, &positive);
    free(flats);
    if (status) return status;
    SINO_CHECK(positive, SINO_BAD_INPUT,
               "'%s': every count of the %" PRId64 " flat fields is zero or less; allowed: flat fields with light",
               name, input->info->flat_count);
    return NULL;
}

static void warn(const SinoInput *input, SinoLog *log)
{
    const SinoScanInfo *info = input->info;
    for (const char *line = info->remark; *line; line += strspn(line, "\n")) {
        const size_t length = strcspn(line, "\n");
        sino_log_warning(log, "scan", "%.*s", (int)length, line);
        line += length;
    }
    if (info->beside) sino_log_info(log, "scan", "%s", info->evidence);
    if (info->angle_radians)
        sino_log_info(log, "theta",
                      "the angles are radians, as their file says; --theta-unit degrees takes them for "
                      "degrees");
    if (info->projection)
        sino_log_info(log, "angles", "projections: %" PRId64 " of %" PRId64 ", which make %" PRId64 " angles",
                      sino_times(info->angle_count, info->angle_binning), info->file_angle_count, info->angle_count);
    if (info->angle_assumed && !input->view)
        sino_log_warning(log, "theta",
                         "the scan has no angles; taking %" PRId64 " from 0 to 180 degrees, both included",
                         info->angle_count);
    if (input->flat_correction != SINO_FLAT_NONE && info->dark_count == 0)
        sino_log_warning(log, "dark", "the scan has no dark fields; taking 0");
    if (input->weights)
        sino_log_info(log, "weights", "weights of rays: %.2g %% of those of the middle slice are 0",
                      100 * input->weights_zero);
}

/* Checks that every size computed from these fits 63 bits, with room for vectors, binning and bytes. */
static SinoStatus check_sizes(int64_t angles, int64_t grid_size, int64_t columns, int64_t slices)
{
    const int64_t side = sino_larger(grid_size, columns);
    int64_t longest, elements, bytes;
    SINO_TRY(sino_multiply(side, sino_larger(angles, side), "the scan", &longest));
    SINO_TRY(sino_multiply(longest, slices, "the scan", &elements));
    return sino_multiply(elements, 4096, "the scan", &bytes);
}

/* Checks --margin; auto gets none before a sample of the scan is seen. */
static SinoStatus size_margin(const SinoSettings *settings, int64_t columns, int64_t *margin)
{
    const int64_t most = 4 * columns;
    *margin = 0;
    if (isnan(settings->geometry.margin)) return NULL;
    SINO_CHECK(
        settings->geometry.margin == floor(settings->geometry.margin) && settings->geometry.margin <= (double)most,
        SINO_BAD_INPUT, "margin is %g; allowed: auto, or an integer from 0 to %" PRId64 ", four times the columns",
        settings->geometry.margin, most);
    SINO_CHECK(settings->geometry.margin == 0 || !sino_operator_is_normal(settings->projection.projector),
               SINO_BAD_INPUT,
               "margin is %g with --projector toeplitz, which takes the columns beyond the detector for 0, so that "
               "nothing would be there; allowed: --margin 0, or --projector rays",
               settings->geometry.margin);
    *margin = (int64_t)settings->geometry.margin;
    return NULL;
}

SinoStatus sino_input_size_grid(const SinoSettings *settings, int64_t columns, SinoGeometry *grid)
{
    const SinoVolumeShape volume = settings->geometry.volume;
    grid->grid_size = volume.x > 0 ? volume.x : columns;
    if (sino_job_is_cone(settings)) return NULL;
    SINO_TRY(size_margin(settings, columns, &grid->margin));
    grid->grid_size += 2 * grid->margin;
    SINO_CHECK(volume.x == volume.y, SINO_BAD_INPUT, "volume is %" PRId64 "x%" PRId64 "; allowed: auto, or equal sides",
               volume.x, volume.y);
    SINO_CHECK(grid->grid_size >= columns || settings->solver.algorithm == SINO_ALGORITHM_FBP, SINO_BAD_INPUT,
               "volume is %" PRId64 "x%" PRId64 "; allowed: at least the %" PRId64 " detector columns, because every "
               "algorithm but fbp needs all voxels that rays cross, or --margin %" PRId64 " beside it",
               volume.x, volume.y, columns, sino_ceil_divide(columns - volume.x, 2));
    return NULL;
}

bool sino_input_is_half(const SinoInput *input)
{
    return input->geometry.center >= 0 && sino_redundancy_width(&input->geometry) > 0;
}

SinoStatus sino_input_enlarge(SinoInput *input, int64_t side, int64_t margin)
{
    const int64_t size = side + 2 * margin;
    SINO_TRY(check_sizes(input->info->angle_count, size, input->geometry.column_count, input->slice_count));
    input->geometry.grid_size = size;
    input->geometry.margin = margin;
    return NULL;
}

/* The angles of the scan with the other sign. */
static SinoStatus turn(SinoInput *input)
{
    const SinoScanInfo *info = input->info;
    SINO_TRY(sino_allocate(info->angle_count, sizeof *input->negated_rad, "angles", &input->negated_rad));
    for (int64_t k = 0; k < info->angle_count; k++) input->negated_rad[k] = -info->angle_rad[k];
    input->geometry.angle_rad = input->negated_rad;
    return NULL;
}

static SinoStatus take_angles(const SinoGeometrySettings *settings, SinoInput *input)
{
    input->geometry.angle_rad = input->info->angle_rad;
    return settings->angle_direction == SINO_COUNTERCLOCKWISE ? turn(input) : NULL;
}

static SinoStatus select_part(const SinoSettings *settings, SinoInput *input)
{
    const SinoScanInfo *info = input->info;
    input->binning = settings->input.binning;
    input->first_row = settings->input.start_row;
    input->first_column = settings->input.start_column;
    SINO_TRY(take_range("row", settings->input.start_row, settings->input.end_row, info->row_count, input->binning,
                        &input->row_count));
    SINO_TRY(take_range("column", settings->input.start_column, settings->input.end_column, info->column_count,
                        input->binning, &input->column_count));
    input->slice_count = input->row_count / input->binning;
    const int64_t columns = input->column_count / input->binning;
    input->geometry = (SinoGeometry){.angle_count = info->angle_count, .column_count = columns, .center = -1};
    SINO_TRY(sino_input_size_grid(settings, columns, &input->geometry));
    SINO_TRY(check_sizes(info->angle_count, input->geometry.grid_size, columns, input->slice_count));
    SINO_TRY(take_angles(&settings->geometry, input));
    input->angle_count = info->angle_count;
    input->run_count = 1;
    SINO_TRY(sino_allocate(1, sizeof *input->run, "angles", &input->run));
    input->run[0] = (SinoAngleRun){.first = 0, .count = info->angle_count};
    return sino_vectors_take(&settings->geometry, input);
}

SinoScanRequest sino_input_scan_request(const SinoSettings *settings)
{
    const bool follows = settings->input.follow && settings->plan.arrival_per_s == 0; /* else the file is there */
    return (SinoScanRequest){.path = settings->input.file_name,
                             .dataset = settings->input.dataset,
                             .axes = settings->input.axes,
                             .theta = settings->input.theta,
                             .theta_dataset = settings->input.theta_dataset,
                             .theta_unit = settings->input.theta_unit,
                             .flats = settings->input.flats,
                             .darks = settings->input.darks,
                             .exclude = settings->input.exclude,
                             .limit_angles = !isnan(settings->input.start_angle) || !isnan(settings->input.end_angle),
                             .start_angle =
                                 isnan(settings->input.start_angle) ? -INFINITY : settings->input.start_angle,
                             .end_angle = isnan(settings->input.end_angle) ? INFINITY : settings->input.end_angle,
                             .angle_binning = settings->input.angle_binning,
                             .half = settings->input.half,
                             .saturation = isnan(settings->input.saturation) ? 0 : settings->input.saturation,
                             .open_beam = settings->input.open_beam,
                             .columns = settings->input.columns,
                             .follow_s = follows ? settings->input.follow_timeout_s : 0,
                             .memory = settings->memory ? &settings->memory->scan : NULL};
}

SinoStatus sino_input_try(const SinoSettings *settings)
{
    if (settings->memory) return NULL; /* arrays have no headers */
    const SinoScanRequest request = sino_input_scan_request(settings);
    SINO_TRY(sino_scan_try(&request));
    return sino_input_weights_try(settings);
}

/* The limit of saturation. A pixel at the largest value of its type says only "this much or more", which is no count.
 * Values that are not counts may have been scaled to the range of their type. */
static double saturation_of(const SinoInputSettings *settings, const SinoInput *input)
{
    if (!isnan(settings->saturation)) return settings->saturation;
    if (input->flat_correction == SINO_FLAT_NONE) return 0;
    return input->info->full_count;
}

static SinoStripesOptions stripes_of(const SinoStageSettings *settings)
{
    static const SinoStripesMethod method[] = {
        [SINO_REMOVE_AUTO] = SINO_STRIPES_NONE,       [SINO_REMOVE_NONE] = SINO_STRIPES_NONE,
        [SINO_REMOVE_FW] = SINO_STRIPES_FW,           [SINO_REMOVE_TI] = SINO_STRIPES_TI,
        [SINO_REMOVE_SORTING] = SINO_STRIPES_SORTING, [SINO_REMOVE_VO_ALL] = SINO_STRIPES_VO_ALL,
        [SINO_REMOVE_WIENER] = SINO_STRIPES_WIENER};
    return (SinoStripesOptions){.method = method[settings->stripe_removal],
                                .fw_sigma = settings->fw_sigma,
                                .fw_level = settings->fw_level,
                                .ti_nblock = settings->ti_nblock,
                                .ti_alpha = settings->ti_alpha,
                                .sorting_size = settings->vo_small_size,
                                .large_size = settings->vo_large_size,
                                .snr = settings->vo_snr};
}

/* Columns of air: at both sides together not more than there are. */
static SinoStatus take_air(const SinoStageSettings *settings, SinoInput *input)
{
    const int64_t most = input->column_count / 2;
    if (isnan(settings->air)) return NULL;
    SINO_CHECK(settings->air == floor(settings->air) && settings->air <= (double)most, SINO_BAD_INPUT,
               "air is %g; allowed: auto, or an integer from 0 to %" PRId64 ", half of the columns", settings->air,
               most);
    SINO_CHECK(
        settings->air == 0 || input->minus_log || input->flat_correction == SINO_FLAT_NONE, SINO_BAD_INPUT,
        "air is %g, but the values are transmissions of which no logarithm is taken; allowed: with --data counts "
        "or transmission",
        settings->air);
    input->air = (int64_t)settings->air;
    return NULL;
}

static void take_hardening(const SinoStageSettings *settings, SinoInput *input)
{
    const SinoWeightList *given = &settings->beam_hardening;
    assert(given->count <= SINO_HARDEN_MOST); /* the table of settings takes no more */
    input->hardening.count = given->count;
    for (int64_t i = 0; i < given->count; i++) input->hardening.coefficient[i] = given->value[i];
}

SinoStatus sino_input_choose_stages(const SinoStageSettings *settings, SinoStageChoice choice, SinoInput *input)
{
    input->stages_chosen = choice.zingers || choice.stripes != SINO_STRIPES_NONE;
    if (choice.air > 0) input->air = choice.air;
    if (choice.zingers) input->zinger_level = settings->zinger_level;
    if (choice.stripes != SINO_STRIPES_NONE) input->stripes.method = choice.stripes;
    if (choice.edges) input->pad_edges = true;
    input->uneven = choice.uneven;
    input->most = choice.most;
    if (choice.unit > 0) input->unit = choice.unit;
    if (choice.tilt_rad != 0) input->tilt_rad = choice.tilt_rad;
    input->row_shift = choice.row_shift;
    if (choice.turned) SINO_TRY(turn(input));
    if (choice.side > 0) return sino_input_enlarge(input, choice.side, 0);
    if (choice.margin == 0) return NULL;
    return sino_input_enlarge(input, sino_geometry_slice_side(&input->geometry), choice.margin);
}

SinoStripesOptions sino_input_stripes(const SinoInput *input)
{
    SinoStripesOptions stripes = input->stripes;
    stripes.angle_count = input->angle_count;
    stripes.column_count = input->geometry.column_count;
    stripes.has_axis = !input->view && input->geometry.center >= 0;
    stripes.axis = input->geometry.center;
    return stripes;
}

/* The flat and dark fields, without the odd ones by some pixels in the middle. */
static SinoStatus take_fields(const SinoInputSettings *settings, SinoInput *input)
{
    const int64_t rows = sino_smaller(input->row_count, 4);
    SinoScanBox box = box_of(input, input->first_row + (input->row_count - rows) / 2, rows);
    box.column_count = sino_smaller(input->column_count, 1024);
    box.first_column += (input->column_count - box.column_count) / 2;
    if (input->flat_correction == SINO_FLAT_NONE) return NULL;
    SINO_TRY(sino_flat_sets_new(settings, input->info, &input->flat_sets));
    return sino_odd_fields_leave_out(input->scan, &box, &input->flat_sets);
}

/* An imagined scan has no fields. */
static SinoStatus take_settings(const SinoSettings *settings, SinoInput *input)
{
    input->saturation = saturation_of(&settings->input, input);
    input->zinger_level = settings->stages.zinger_removal == SINO_ZINGERS_STANDARD ? settings->stages.zinger_level : 0;
    input->stripes = stripes_of(&settings->stages);
    SINO_TRY(select_part(settings, input));
    if (input->scan) SINO_TRY(take_fields(&settings->input, input));
    SINO_TRY(sino_input_take_images(settings, input));
    SINO_TRY(take_air(&settings->stages, input));
    take_hardening(&settings->stages, input);
    return NULL;
}

SinoStatus sino_input_describe(const SinoSettings *settings, SinoInput *result)
{
    SinoInput input = {0};
    const SinoScanRequest request = sino_input_scan_request(settings);
    SINO_TRY(sino_scan_open(&request, &input.scan));
    input.info = sino_scan_info(input.scan);
    const bool integrals = settings->input.scan_values == SINO_VALUES_AUTO && input.info->line_integrals;
    input.unit = 1;
    input.flat_correction = integrals ? SINO_FLAT_NONE : settings->input.flat_correction;
    input.minus_log = !integrals && settings->input.minus_log;
    input.pad_edges = settings->solver.padding == SINO_PADDING_EDGES;
    SinoStatus status = take_settings(settings, &input);
    if (!status) status = sino_input_weights_open(settings, &input);
    if (status)
        sino_input_close(&input);
    else
        *result = input;
    return status;
}

SinoStatus sino_input_imagine(const SinoSettings *settings, const SinoScanInfo *info, SinoInput *result)
{
    SinoInput input = {.info = info,
                       .flat_correction = settings->input.flat_correction,
                       .minus_log = settings->input.minus_log,
                       .unit = 1};
    SinoStatus status = take_settings(settings, &input);
    if (status)
        sino_input_close(&input);
    else
        *result = input;
    return status;
}

bool sino_input_lacks_angles(const SinoInput *input)
{
    return !input->view && input->info->angle_assumed && input->info->angle_needed;
}

SinoStatus sino_input_check(const SinoInputSettings *settings, const SinoInput *input)
{
    const bool divided = input->flat_correction != SINO_FLAT_NONE;
    SINO_CHECK(!sino_input_lacks_angles(input), SINO_BAD_INPUT,
               "'%s' has no angles; needed: --theta with a file of degrees, or a range such as 0:180 (both included), "
               "0:180:excluded or 0:step:0.5%s",
               settings->file_name,
               input->info->angle_named ? "; or --theta-dataset with the name of an array of this file" : "");
    SINO_CHECK(!divided || input->info->flat_count > 0, SINO_BAD_INPUT,
               "'%s' has no flat fields; allowed: --flats with their images, --open-beam with the count of pixels "
               "without object, or --data transmission or line-integrals "
               "if its values are not counts",
               settings->file_name);
    SINO_CHECK(!settings->flats || !(settings->open_beam > 0), SINO_BAD_INPUT,
               "open-beam is %g, and --flats is '%s'; allowed: one of them", settings->open_beam, settings->flats);
    SINO_CHECK(divided || !(settings->open_beam > 0), SINO_BAD_INPUT,
               "open-beam is %g, but the values are not divided by flat fields; allowed: without --open-beam",
               settings->open_beam);
    SINO_CHECK(divided || (!settings->flats && !settings->darks), SINO_BAD_INPUT,
               "--%s is '%s', but the values are not divided by flat fields; allowed: without --flats and --darks",
               settings->flats ? "flats" : "darks", settings->flats ? settings->flats : settings->darks);
    return NULL;
}

SinoStatus sino_input_open(const SinoSettings *settings, SinoLog *log, SinoInput *result)
{
    SinoInput input;
    if (settings->input.follow && sino_stream_named(settings->input.file_name))
        sino_log_info(log, "follow", "%s: waits for a sender, and for angles, flat and dark fields",
                      settings->input.file_name);
    SINO_TRY(sino_input_describe(settings, &input));
    SinoStatus status = sino_input_check(&settings->input, &input);
    if (!status && input.flat_correction != SINO_FLAT_NONE) status = check_flats(&input, settings->input.file_name);
    if (status) {
        sino_input_close(&input);
        return status;
    }
    warn(&input, log);
    *result = input;
    return NULL;
}

void sino_input_close(SinoInput *input)
{
    sino_scan_close(input->scan);
    sino_weights_close(input->weights);
    free(input->run);
    free(input->place);
    free(input->negated_rad);
    free(input->dropped);
    free(input->view);
    free(input->shift);
    sino_flat_sets_free(&input->flat_sets);
    *input = (SinoInput){0};
}

SinoInput sino_input_with_all_columns(const SinoInput *input)
{
    SinoInput all = *input;
    all.geometry.column_count = input->info->column_count / input->binning;
    all.first_column = 0;
    all.column_count = sino_times(all.geometry.column_count, input->binning);
    return all;
}

void sino_input_take_slices(SinoInput *input, int64_t first, int64_t count)
{
    input->first_slice += first;
    input->first_row += first * input->binning;
    input->row_count = sino_times(count, input->binning);
    input->slice_count = count;
}

SinoStatus sino_input_take_angles(SinoInput *input, const int64_t *place)
{
    SinoAngleRun *run = NULL;
    int64_t *taken = NULL, count = 0, runs = 0;
    const int64_t angle_count = input->geometry.angle_count;
    SINO_TRY(sino_allocate(angle_count, sizeof *run, "angles", &run));
    SinoStatus status = sino_allocate(angle_count, sizeof *taken, "angles", &taken);
    if (status) {
        free(run);
        return status;
    }
    for (int64_t k = 0; k < angle_count; k++) {
        if (place[k] < 0) continue;
        if (runs == 0 || run[runs - 1].first + run[runs - 1].count < k) run[runs++] = (SinoAngleRun){.first = k};
        run[runs - 1].count++;
        taken[count++] = place[k];
    }
    free(input->run);
    free(input->place);
    input->run = run;
    input->place = taken;
    input->run_count = runs;
    input->angle_count = count;
    return NULL;
}

double sino_input_column_of_file(const SinoInput *input, double grid_column)
{
    const double binning = (double)input->binning;
    return grid_column * binning + (binning - 1) / 2 + (double)input->first_column;
}

double sino_input_column_of_grid(const SinoInput *input, double file_column)
{
    const double binning = (double)input->binning;
    return (file_column - (double)input->first_column - (binning - 1) / 2) / binning;
}

double sino_input_row_of_grid(const SinoInput *input, double file_row)
{
    const double binning = (double)input->binning;
    const double first_row = (double)input->first_row - (double)input->first_slice * binning;
    return (file_row - first_row - (binning - 1) / 2) / binning;
}

/* The rows of the detector that a slab loads: its own and, for the images' stages, those beside it. */
static void rows_of_slab(const SinoInput *input, int64_t first_slice, int64_t slice_count, int64_t *first,
                         int64_t *count)
{
    const int64_t halo = sino_input_halo(input), begin = input->first_row + sino_times(first_slice, input->binning);
    *count = sino_times(slice_count, input->binning);
    *first = sino_larger(begin - halo, 0);
    *count = sino_smaller(begin + *count + halo, input->info->row_count) - *first;
}

/* The columns that a slab loads: the images' stages need all. */
static int64_t columns_of_slab(const SinoInput *input)
{
    return sino_input_has_images(input) ? input->info->column_count : input->column_count;
}

SinoCorrection sino_input_correction(const SinoInput *input, SinoSlices slices, int64_t first_slice,
                                     int64_t slab_slices, int64_t slice_in_slab)
{
    static const SinoCorrectInput type[] = {[SINO_COUNT_UINT8] = SINO_CORRECT_UINT8,
                                            [SINO_COUNT_UINT16] = SINO_CORRECT_UINT16,
                                            [SINO_COUNT_FLOAT32] = SINO_CORRECT_FLOAT32};
    int64_t first_row, row_count;
    rows_of_slab(input, first_slice, slab_slices, &first_row, &row_count);
    const int64_t own_row = input->first_row + (first_slice + slice_in_slab) * input->binning;
    const bool divided = input->flat_correction != SINO_FLAT_NONE;
    return (SinoCorrection){.input = type[input->info->type],
                            .slices = slices,
                            .angle_count = input->angle_count,
                            .column_count = input->column_count,
                            .row_count = row_count,
                            .first_row = own_row - first_row,
                            .binning = input->binning,
                            .flat_field = divided,
                            .flat_sets = input->flat_sets.count,
                            .minus_log = input->minus_log,
                            .saturation = input->saturation,
                            .plausible = divided ? SINO_PLAUSIBLE_MOST : input->most,
                            .place = input->place};
}

SinoLoad sino_input_load(const SinoInput *input, int64_t first_slice, int64_t slice_count)
{
    SinoScanBox box = box_of(input, 0, 0);
    rows_of_slab(input, first_slice, slice_count, &box.first_row, &box.row_count);
    if (sino_input_has_images(input)) box.first_column = 0;
    box.column_count = columns_of_slab(input);
    return (SinoLoad){.scan = input->scan,
                      .box = box,
                      .run_count = input->run_count,
                      .run = input->run,
                      .flat_correction = input->flat_correction,
                      .flat_sets = input->flat_sets.count,
                      .flat_set_end = input->flat_sets.end,
                      .fields = true};
}

/* Pixels of one image of a slab, at most. */
static int64_t slab_pixels(const SinoInput *input, int64_t slice_count)
{
    int64_t rows = sino_times(slice_count, input->binning);
    rows = sino_smaller(rows + 2 * sino_input_halo(input), input->info->row_count);
    return sino_times(rows, columns_of_slab(input));
}

int64_t sino_input_slab_bytes(const SinoInput *input, int64_t angle_count, int64_t slice_count)
{
    return sino_times(sino_times(slab_pixels(input, slice_count), angle_count), sino_count_bytes(input->info->type));
}

int64_t sino_input_field_bytes(const SinoInput *input, int64_t slice_count)
{
    return sino_times(slab_pixels(input, slice_count), (int64_t)sizeof(float));
}

int64_t sino_input_fields_bytes(const SinoInput *input, int64_t slice_count)
{
    const int64_t fields = 1 + sino_larger(input->flat_sets.count, 1);
    return sino_times(fields, sino_input_field_bytes(input, slice_count));
}

SinoStatus sino_input_slice_of_row(const SinoInput *input, int64_t row, int64_t *slice)
{
    if (row < 0) {
        *slice = input->slice_count / 2;
        return NULL;
    }
    SINO_CHECK(row >= input->first_row && row < input->first_row + input->row_count, SINO_BAD_INPUT,
               "nsino is %" PRId64 "; allowed: rows %" PRId64 " to %" PRId64, row, input->first_row,
               input->first_row + input->row_count - 1);
    *slice = (row - input->first_row) / input->binning;
    return NULL;
}
