/* SPDX-License-Identifier: BSD-3-Clause */
/* Center search: the rotation center of a scan, given or found by one method, or by several that check each other. */
#include "center_search.h"

#include "arithmetic.h"
#include "center_methods.h"
#include "checks.h"
#include "simulation.h"
#include "stages.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Half width of the search, in detector columns, if the user gives none. */
static const double default_width = 50;

/* Two methods agree if their centers differ by this many columns at most; the entropy is less precise. */
static const double agreement = 1, entropy_agreement = 2;

/* Half of the range of the rows' centers, in columns of the detector, above which they disagree. */
static const double most_spread = 0.5;

/* Degrees that a short arc must cover for its moments, and columns that its center may be off. */
static const double least_arc = 45, most_uncertain = 2;

/* Misfit is 1 − the correlation of opposite projections. Rows and columns are exchanged where the misfit about an axis
 * along the rows is at most this times the misfit about an axis along the columns. */
static const double lying_misfit = 0.25;

/* Columns to each side of a center in which the entropy looks for a better one. */
static const double neighbourhood = 3;

static const char *const method_names[] = {[SINO_CENTER_VO] = "Vo's method",
                                           [SINO_CENTER_PHASE] = "phase correlation",
                                           [SINO_CENTER_PAIRS] = "pairs of opposite projections",
                                           [SINO_CENTER_ENTROPY] = "entropy of the slice"};

/* --axes with rows and columns exchanged. */
static const char *const exchanged_axes[] = {
    [SINO_AXES_ANGLE_ROW_COLUMN] = "angle,column,row", [SINO_AXES_ROW_ANGLE_COLUMN] = "column,angle,row",
    [SINO_AXES_ANGLE_COLUMN_ROW] = "angle,row,column", [SINO_AXES_ROW_COLUMN_ANGLE] = "column,row,angle",
    [SINO_AXES_COLUMN_ANGLE_ROW] = "row,angle,column", [SINO_AXES_COLUMN_ROW_ANGLE] = "row,column,angle"};

/* A search in all columns of the detector. */
typedef struct Search {
    SinoRuntime *runtime;
    const SinoInput *input;
    SinoScanAxes axes; /* of the file */
    SinoCenterRow row; /* no sinogram with phase correlation alone */
    SinoCenterRange range;
} Search;

/* A center, and how it was found. */
typedef struct Result {
    double center; /* in columns of the search's input */
    double doubt;  /* columns that it may be off, as far as that is known */
    SinoCenterMethod method;
    bool leans;    /* the axis leans, which is told */
    char how[256]; /* for the log */
} Result;

/* What the methods say, the most precise first. */
enum { OPINIONS = 2 };
typedef struct Opinions {
    double lean, doubt; /* as of SinoCenterFound */
    bool half;          /* pairs alone tell: the axis is far off the middle */
    int64_t count;
    SinoCenterMethod method[OPINIONS];
    double center[OPINIONS];
} Opinions;

static void warn_edge(const Search *search)
{
    const double last = (double)(search->input->geometry.column_count - 1);
    sino_log_warning(sino_runtime_log(search->runtime), "center",
                     "the center found lies at the end of the search, columns %.1f to %.1f; consider "
                     "--center-search-width or --rotation-axis",
                     sino_input_column_of_file(search->input, fmax(ceil(search->range.low), 0)),
                     sino_input_column_of_file(search->input, fmin(floor(search->range.high), last)));
}

static SinoStatus run_method(const Search *search, SinoCenterMethod method, SinoCenterFound *found)
{
    switch (method) {
    case SINO_CENTER_PHASE:
        return sino_center_by_phase(search->runtime, search->input, found);
    case SINO_CENTER_PAIRS:
        return sino_center_by_pairs(&search->row, found);
    case SINO_CENTER_ENTROPY:
        return sino_center_by_entropy(&search->row, 1, &search->range, found);
    default:
        return sino_center_by_vo(&search->row, search->range, found);
    }
}

/* A simulation has no values: all methods find the middle. */
static SinoStatus by_method(const Search *search, SinoCenterMethod method, SinoCenterFound *found)
{
    SINO_TRY(run_method(search, method, found));
    if (SINO_SIMULATES) found->center = (double)(search->input->geometry.column_count - 1) / 2;
    return NULL;
}

/* The center by the method that the user chose. */
static SinoStatus find_one(const Search *search, SinoCenterMethod method, Result *result)
{
    SinoCenterFound found;
    SINO_TRY(by_method(search, method, &found));
    if (found.at_edge) warn_edge(search);
    if (method == SINO_CENTER_PAIRS && found.metric < SINO_CENTER_LIKENESS)
        sino_log_warning(sino_runtime_log(search->runtime), "center",
                         "opposite projections are little alike (correlation %.2f); look at the slice, or give "
                         "--rotation-axis",
                         found.metric);
    *result = (Result){.center = found.center, .doubt = found.doubt, .method = method};
    snprintf(result->how, sizeof result->how, "by %s", method_names[method]);
    return NULL;
}

static void add(Opinions *opinions, SinoCenterMethod method, double center)
{
    opinions->method[opinions->count] = method;
    opinions->center[opinions->count++] = center;
}

/* Whether the axis is far off the middle by pairs, and opposite projections are unlike about Vo's center. Vo's method
 * and the entropy take half a turn, of which a half acquisition sees a part only. */
static SinoStatus suspect_half(const Search *search, const SinoCenterFound *vo, double pairs, bool *half)
{
    const double last = (double)(search->input->geometry.column_count - 1);
    double likeness;
    *half = false;
    if (fabs(pairs - last / 2) < 0.1 * (last + 1) || fabs(pairs - vo->center) <= agreement) return NULL;
    SINO_TRY(sino_center_likeness(&search->row, vo->center, &likeness));
    *half = vo->at_edge || likeness < SINO_CENTER_LIKENESS;
    return NULL;
}

/* Asks Vo's method, and the method that compares opposite projections: in a whole turn that is the more precise one, as
 * it compares all projections as they are, and Vo's sees half a turn. Vo's center is dropped if the center lies at the
 * end of the search, and that of pairs if the projections are unlike, unless no other center is left. */
static SinoStatus ask(const Search *search, Opinions *opinions)
{
    const SinoGeometry *geometry = &search->input->geometry;
    const bool turn = sino_center_is_whole_turn(geometry);
    bool opposite = turn || sino_center_opposite(geometry) >= 0;
    const SinoCenterMethod second = turn ? SINO_CENTER_PAIRS : SINO_CENTER_PHASE;
    SinoCenterFound vo, other = {.metric = 0};
    SINO_TRY(by_method(search, SINO_CENTER_VO, &vo));
    if (opposite) {
        SinoStatus status = by_method(search, second, &other);
        if (status && sino_status_exit_code(status) != SINO_BAD_INPUT) return status;
        opposite = !status; /* else the projections are constant */
        sino_status_free(status);
    }
    const bool unlike = turn && other.metric < SINO_CENTER_LIKENESS;
    if (turn && opposite && !unlike) SINO_TRY(suspect_half(search, &vo, other.center, &opinions->half));
    const bool compared = opposite && (!unlike || vo.at_edge);
    if (compared && turn) add(opinions, second, other.center);
    if (!opinions->half && (!vo.at_edge || !opposite || unlike)) add(opinions, SINO_CENTER_VO, vo.center);
    if (compared && !turn) add(opinions, second, other.center);
    opinions->doubt = other.doubt;
    opinions->lean = opposite && !turn ? other.lean : NAN;
    if (vo.at_edge && (!turn || unlike)) warn_edge(search);
    return NULL;
}

/* The opinion next to a center. */
static int64_t nearest_to(const Opinions *opinions, double center)
{
    int64_t nearest = 0;
    for (int64_t i = 1; i < opinions->count; i++)
        if (fabs(opinions->center[i] - center) < fabs(opinions->center[nearest] - center)) nearest = i;
    return nearest;
}

static Result opinion(const Opinions *opinions, int64_t i)
{
    const double doubt = opinions->method[i] == SINO_CENTER_PAIRS ? opinions->doubt : 0;
    return (Result){opinions->center[i], doubt, .method = opinions->method[i]};
}

/* Tells the result first, then the opinions that it does not come from. */
static void tell_opinions(const Search *search, const Opinions *opinions, double entropy, Result *result)
{
    size_t length = (size_t)snprintf(result->how, sizeof result->how, "by %s", method_names[result->method]);
    for (int64_t i = 0; i <= opinions->count; i++) {
        const bool last = i == opinions->count;
        const SinoCenterMethod method = last ? SINO_CENTER_ENTROPY : opinions->method[i];
        const double center = last ? entropy : opinions->center[i];
        if (method != result->method)
            length += (size_t)snprintf(result->how + length, sizeof result->how - length, "; %s: %.2f",
                                       method_names[method], sino_input_column_of_file(search->input, center));
    }
}

/* No center suits a scan whose axis lies along the rows. Warns where opposite projections fit each other much better as
 * mirror images about such an axis than about an upright one, and than unchanged. */
static SinoStatus warn_exchanged(const Search *search)
{
    SinoCenterMirror mirror;
    char tilt[64] = "";
    SINO_TRY(sino_center_mirrored(search->runtime, search->input, &mirror));
    const double least_misfit = fmin(1 - mirror.upright, 1 - mirror.still);
    if (mirror.lying < SINO_CENTER_LIKENESS || 1 - mirror.lying > lying_misfit * least_misfit) return NULL;
    if (fabs(mirror.lean_deg) > 1 && search->input->tilt_rad == 0)
        snprintf(tilt, sizeof tilt, ", and --detector-tilt %g lets it stand upright", mirror.lean_deg);
    sino_log_warning(sino_runtime_log(search->runtime), "center",
                     "opposite projections are mirror images about an axis along the rows (correlation %.2f), not "
                     "along the columns (%.2f), as if rows and columns were exchanged; --axes %s exchanges them%s; "
                     "images in files of their own are to be turned by 90 degrees",
                     mirror.lying, mirror.upright, exchanged_axes[search->axes], tilt);
    return NULL;
}

/* The entropy decides between opinions, and checks a single one. Where it is far from all of several, none of them is
 * right, and the center is that of the entropy. */
static SinoStatus decide(const Search *search, const Opinions *opinions, Result *result)
{
    SinoCenterRange range[OPINIONS];
    SinoCenterFound found;
    for (int64_t i = 0; i < opinions->count; i++)
        range[i] = (SinoCenterRange){opinions->center[i] - neighbourhood, opinions->center[i] + neighbourhood};
    SINO_TRY(sino_center_by_entropy(&search->row, opinions->count, range, &found));
    const int64_t nearest = nearest_to(opinions, found.center);
    const double apart = fabs(opinions->center[nearest] - found.center);
    *result = opinion(opinions, nearest);
    if (opinions->count > 1) result->doubt = fmax(result->doubt, apart);
    if (opinions->count > 1 && apart > agreement && !found.at_edge)
        *result = (Result){found.center, apart, .method = SINO_CENTER_ENTROPY};
    tell_opinions(search, opinions, found.center, result);
    if (apart <= entropy_agreement && opinions->count <= 1) return NULL;
    sino_log_warning(sino_runtime_log(search->runtime), "center",
                     "the methods that find the center disagree; look at the slice, or compare centers by "
                     "--reconstruction-type try, and give --rotation-axis");
    return warn_exchanged(search);
}

/* One center for all rows suits an axis that stands upright. */
static bool warn_lean(const Search *search, double lean)
{
    const double rows = (double)search->input->slice_count / 2; /* between the middles of the halves */
    if (!(fabs(lean) > agreement)) return false;
    const double tilt_rad = atan2(lean, rows);
    sino_log_warning(
        sino_runtime_log(search->runtime), "center",
        "the rotation axis leans: the lower half of the rows has its center %.1f columns beside that of the "
        "upper half, as if the detector was turned by %.2f degrees; slices far from the middle row are blurred; "
        "--detector-tilt %.2f turns the projections back",
        lean, tilt_rad * 180 / SINO_PI, (search->input->tilt_rad + tilt_rad) * 180 / SINO_PI);
    return true;
}

/* The center that methods agree on. */
static SinoStatus find_agreed(const Search *search, Result *result)
{
    Opinions opinions = {0};
    SINO_TRY(ask(search, &opinions));
    *result = opinion(&opinions, 0);
    if (opinions.half) {
        snprintf(result->how, sizeof result->how, "by %s", method_names[opinions.method[0]]);
        return NULL;
    }
    if (opinions.count < 2 || fabs(opinions.center[0] - opinions.center[1]) > agreement)
        return decide(search, &opinions, result);
    snprintf(result->how, sizeof result->how, "by %s; %s: %.2f", method_names[opinions.method[0]],
             method_names[opinions.method[1]], sino_input_column_of_file(search->input, opinions.center[1]));
    result->leans = warn_lean(search, opinions.lean);
    return NULL;
}

/* One center for all rows suits rows that agree. */
static void warn_rows(const Search *search, const SinoCenterRows *rows)
{
    const double spread = sino_center_of_rows(rows, 0).uncertainty * (double)search->input->binning;
    if (spread > most_spread)
        sino_log_warning(sino_runtime_log(search->runtime), "center",
                         "the centers of %" PRId64 " rows of the detector differ by %.1f columns; look at slices near "
                         "the top and the bottom, or give --rotation-axis",
                         rows->count, 2 * spread);
}

/* Adds to the log's words. */
static void tell(Result *result, const char *words, ...)
{
    const size_t length = strlen(result->how);
    va_list arguments;
    va_start(arguments, words);
    vsnprintf(result->how + length, sizeof result->how - length, words, arguments);
    va_end(arguments);
}

/* Makes the center that of several rows, and of their moments where the method is chosen here; tells how uncertain it
 * is. */
static SinoStatus ask_rows(const Search *search, const SinoCenterSettings *settings, int64_t slice, Result *result,
                           SinoInput *input)
{
    SinoCenterRows rows = {.count = 1, .center = {result->center}};
    double doubt = 0;
    const bool automatic = settings->method == SINO_CENTER_AUTO, phase = result->method == SINO_CENTER_PHASE;
    if (automatic) SINO_TRY(sino_center_add_moments(&search->row, &rows));
    if (phase && rows.moment_count == 0) return NULL; /* all rows have been compared, without a doubt that is known */
    if (phase) doubt = agreement;                     /* a single pair, which may be a step off half a turn */
    if (result->method == SINO_CENTER_VO || result->method == SINO_CENTER_ENTROPY)
        SINO_TRY(sino_center_doubt(&search->row, result->method == SINO_CENTER_ENTROPY, result->center, &doubt));
    if (settings->nsino < 0)
        SINO_TRY(sino_center_add_rows(search->runtime, search->input, result->method, &search->row, slice, &rows));
    SinoCenterEstimate estimate = sino_center_of_rows(&rows, fmax(doubt, result->doubt));
    if (rows.moment_count > 0) {
        const SinoCenterEstimate moments = sino_center_of_moments(&rows);
        tell(result, "; moments: %.2f", sino_input_column_of_file(search->input, moments.center));
        estimate = sino_center_mean(estimate, moments);
    }
    result->center = estimate.center;
    input->center_rows = sino_larger(rows.count, rows.moment_count);
    input->center_uncertainty = estimate.uncertainty * (double)input->binning;
    if (input->center_rows > 1) tell(result, "; %" PRId64 " rows", input->center_rows);
    if (!result->leans) warn_rows(search, &rows);
    return NULL;
}

/* Whether the angles are too few for the methods that compare opposite projections: a tilt series, for instance. */
static bool is_short_arc(const SinoGeometry *geometry)
{
    return sino_center_span_rad(geometry) <= SINO_CENTER_LEAST_DEG * SINO_PI / 180;
}

/* Moments alone tell the center of a short arc. */
static SinoStatus find_in_arc(const Search *search, const SinoCenterSettings *settings, int64_t slice, Result *result,
                              SinoInput *input)
{
    SinoCenterRows rows = {.count = 1, .center = {(double)(search->input->geometry.column_count - 1) / 2}};
    SINO_TRY(sino_center_add_moments(&search->row, &rows));
    if (settings->nsino < 0 && rows.moment_count > 0) /* phase correlation searches no other rows itself */
        SINO_TRY(sino_center_add_rows(search->runtime, search->input, SINO_CENTER_PHASE, &search->row, slice, &rows));
    const SinoCenterEstimate estimate = sino_center_of_moments(&rows);
    const double arc = sino_center_span_rad(search->row.geometry) * 180 / SINO_PI;
    SINO_CHECK(
        (arc > least_arc && estimate.uncertainty <= most_uncertain) || SINO_SIMULATES, SINO_BAD_INPUT,
        "the angles cover %.1f degrees; finding the center needs about 180, or more than %g, little noise and an "
        "object that stays within the detector; give --rotation-axis",
        arc, least_arc);
    *result = (Result){.center = estimate.center, .doubt = estimate.uncertainty};
    snprintf(result->how, sizeof result->how, "by moments");
    if (rows.moment_count > 1) tell(result, "; %" PRId64 " rows", rows.moment_count);
    input->center_rows = rows.moment_count;
    input->center_uncertainty = estimate.uncertainty * (double)input->binning;
    return NULL;
}

/* Finds the center from all columns, with the sinogram of the middle row, or of --nsino, and those of two rows beside
 * the middle one. *result: in columns of the input with all columns. */
static SinoStatus find(SinoRuntime *runtime, const SinoSettings *settings, const SinoInput *all, Result *result,
                       SinoInput *input)
{
    /* With `try`, --center-search-width is the width of the centers tried, not of this search. */
    const bool full = settings->center.reconstruction_type == SINO_RECONSTRUCTION_FULL;
    const double asked = full ? settings->center.search_width : 0;
    const double width = (asked > 0 ? asked : default_width) / (double)all->binning;
    const double middle = (double)(all->geometry.column_count - 1) / 2;
    SinoCenterOrder order;
    int64_t slice;
    SINO_TRY(sino_input_slice_of_row(all, settings->center.nsino, &slice));
    SINO_TRY(sino_center_order_new(&all->geometry, &order));
    Search search = {.runtime = runtime,
                     .input = all,
                     .axes = settings->input.axes,
                     .row = {.runtime = runtime, .geometry = &order.geometry, .order = &order},
                     .range = {middle - width, middle + width}};
    SinoStatus status = NULL;
    float *sinogram = NULL;
    if (settings->center.method != SINO_CENTER_PHASE) { /* which reads two projections of its own */
        SINO_TRY_OR(status, cleanup, sino_stages_read(runtime, all, false, false, slice, 1, &sinogram));
        SINO_TRY_OR(status, cleanup, sino_center_order_apply(&order, sinogram));
    }
    search.row.sinogram = sinogram;
    const bool automatic = settings->center.method == SINO_CENTER_AUTO;
    if (automatic && is_short_arc(&order.geometry)) {
        status = find_in_arc(&search, &settings->center, slice, result, input);
    } else {
        status = automatic ? find_agreed(&search, result) : find_one(&search, settings->center.method, result);
        if (!status) status = ask_rows(&search, &settings->center, slice, result, input);
    }
cleanup:
    free(sinogram);
    sino_center_order_free(&order);
    return status;
}

void sino_center_tell(SinoRuntime *runtime, const SinoInput *input, const char *how)
{
    const double center = input->geometry.center, of_file = sino_input_column_of_file(input, center);
    SinoLog *log = sino_runtime_log(runtime);
    char spread[32] = "";
    if (input->center_rows > 0) snprintf(spread, sizeof spread, " ± %.2f", input->center_uncertainty);
    if (input->geometry.column_count == input->info->column_count)
        sino_log_info(log, "center", "rotation center: column %.2f%s (%s)", of_file, spread, how);
    else
        sino_log_info(log, "center",
                      "rotation center: column %.2f%s (%s), which is column %.2f of the %" PRId64
                      " columns after crop and binning",
                      of_file, spread, how, center, input->geometry.column_count);
}

SinoStatus sino_center_take(SinoRuntime *runtime, const SinoCenterSettings *settings, SinoInput *input)
{
    SINO_TRY(sino_center_given(settings, input, &input->geometry.center));
    sino_center_tell(runtime, input, "given");
    return NULL;
}

SinoStatus sino_center_search(SinoRuntime *runtime, const SinoSettings *settings, SinoInput *input)
{
    Result result;
    if (!isnan(settings->center.rotation_axis)) {
        SINO_TRY(sino_center_take(runtime, &settings->center, input));
        return sino_check_center(settings, input, sino_runtime_log(runtime));
    }
    const SinoInput all = sino_input_with_all_columns(input);
    SINO_TRY(find(runtime, settings, &all, &result, input));
    if (SINO_SIMULATES) { /* of no values */
        result = (Result){.center = (double)(all.geometry.column_count - 1) / 2, .how = "assumed"};
        input->center_rows = 0;
    }
    const double of_file = sino_input_column_of_file(&all, result.center);
    input->geometry.center = sino_input_column_of_grid(input, of_file);
    sino_center_tell(runtime, input, result.how);
    return sino_check_center(settings, input, sino_runtime_log(runtime));
}
