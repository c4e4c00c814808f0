/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrix input: a system matrix, the counts of its rows, and what goes with them. */
#include "matrix_solution.h"

#include "arithmetic.h"
#include "matrix_survey.h"

#include <inttypes.h>

const SinoSolver *sino_matrix_solver(const SinoSettings *settings)
{
    const SinoSolver *of_counts = sino_solver_counts(settings->solver.algorithm, settings->counts.additive != NULL);
    return of_counts ? of_counts
                     : sino_solver_find(settings->solver.algorithm, SINO_PROJECTOR_RAYS, SINO_WEIGHTS_NONE, 2);
}

static SinoMatrixFolding folding_of(SinoMirrorChoice mirrors)
{
    if (mirrors == SINO_MIRRORS_AUTO) return SINO_FOLD_WELL;
    return mirrors == SINO_MIRRORS_FOLDED ? SINO_FOLD_ALWAYS : SINO_FOLD_NEVER;
}

/* The voxels that settings name; 0: they name none. */
static SinoVoxelGrid grid_of(const SinoGeometrySettings *settings)
{
    const double size = settings->voxel_size_mm;
    SinoVoxelGrid grid = {.size = {size, size, size}};
    if (settings->volume.x > 0) {
        grid.x_count = settings->volume.x;
        grid.y_count = settings->volume.y;
        grid.z_count = sino_larger(settings->volume.z, 1);
    }
    return grid;
}

static SinoCamera camera_of(const SinoCountSettings *settings)
{
    const SinoWeightList *blur = &settings->collimator;
    return (SinoCamera){.attenuation = settings->attenuation_map,
                        .slope = blur->count > 0 ? blur->value[0] : 0,
                        .width_mm = blur->count > 1 ? blur->value[1] : 0};
}

SinoMatrixRequest sino_matrix_request(const SinoSettings *settings, SinoMatrixShare share)
{
    const SinoWeightList *weights = &settings->team.node_weights;
    return (SinoMatrixRequest){.path = settings->counts.system_matrix,
                               .mask = settings->solver.mask,
                               .grid = grid_of(&settings->geometry),
                               .camera = camera_of(&settings->counts),
                               .folding = folding_of(settings->counts.mirrors),
                               .subset_count =
                                   sino_solver_subsets(sino_matrix_solver(settings), &settings->solver, INT64_MAX),
                               .rank = share.rank,
                               .rank_count = share.rank_count,
                               .rank_weight = weights->count > 0 ? weights->value : NULL,
                               .memory_bytes = settings->runtime.memory_bytes};
}

static SinoStatus open_file(const SinoCountsRequest *request, SinoCountsFile **file)
{
    if (!request->path) return NULL;
    SINO_TRY(sino_counts_try(request));
    return sino_counts_open(request, file);
}

/* Opens the counts, and what goes with them. */
static SinoStatus open_files(const SinoSettings *settings, SinoMatrixInput *input)
{
    const SinoMatrixOutline *outline = &input->survey->outline;
    const bool events = settings->input.scan_values == SINO_VALUES_EVENTS, counts = input->solver->has_likelihood;
    SinoCountsRequest rows = {.path = settings->input.file_name,
                              .element_count = outline->row_count,
                              .crystal_count = outline->crystal_count,
                              .rings = outline->rings,
                              .negative = !counts,
                              .events = events ? SINO_EVENTS_ONLY : SINO_EVENTS_ALLOWED};
    SinoCountsRequest image = {
        .element_count = outline->column_count, .image = true, .grid = outline->grid, .set_count = 1};
    SINO_TRY(open_file(&rows, &input->files.counts));
    input->set_count = sino_counts_info(input->files.counts)->set_count;
    rows = (SinoCountsRequest){
        .path = settings->counts.multiplicative, .element_count = outline->row_count, .set_count = 1};
    SINO_TRY(open_file(&rows, &input->files.multiplicative));
    rows.path = settings->counts.additive;
    rows.set_count = input->set_count;
    SINO_TRY(open_file(&rows, &input->files.additive));
    image.path = settings->counts.sensitivity;
    SINO_TRY(open_file(&image, &input->files.sensitivity));
    image.path = settings->solver.start;
    image.set_count = input->set_count;
    return open_file(&image, &input->files.start);
}

SinoStatus sino_matrix_input_survey(const SinoProjectionSettings *settings, SinoLog *log,
                                    const SinoMatrixRequest *request, SinoMatrixSurvey **survey)
{
    SINO_TRY(sino_bricks_kind.check(settings->cache));
    SINO_TRY(sino_matrix_cache_load(log, settings->cache, request, settings->precision, survey));
    if (!*survey) SINO_TRY(sino_matrix_survey_new(request, survey));
    return sino_matrix_read_mask(*survey);
}

SinoStatus sino_matrix_input_open(const SinoSettings *settings, SinoMatrixShare share, SinoLog *log,
                                  SinoMatrixInput *input)
{
    const int64_t ranks = share.rank_count, weights = settings->team.node_weights.count;
    const SinoMatrixRequest request = sino_matrix_request(settings, share);
    SINO_CHECK(weights == 0 || weights == ranks, SINO_BAD_INPUT,
               "node-weights has %" PRId64 " numbers; allowed: one for each of the %" PRId64 " processes", weights,
               ranks);
    input->solver = sino_matrix_solver(settings);
    SINO_TRY(sino_matrix_input_survey(&settings->projection, log, &request, &input->survey));
    SINO_TRY(sino_matrix_check_grid(&settings->solver, &input->survey->outline.grid));
    SINO_TRY(open_files(settings, input));
    input->problem = (SinoProblem){
        .matrix = input->survey, .precision = settings->projection.precision, .subset_count = request.subset_count};
    return NULL;
}

SinoStatus sino_matrix_input_unfold(const SinoSettings *settings, SinoMatrixShare share, SinoLog *log,
                                    SinoMatrixInput *input)
{
    SinoMatrixRequest request = sino_matrix_request(settings, share);
    SinoMatrixSurvey *survey = NULL;
    if (!input->survey->mirrors || settings->counts.mirrors == SINO_MIRRORS_FOLDED) return NULL;
    request.folding = SINO_FOLD_NEVER;
    SinoStatus status = sino_matrix_input_survey(&settings->projection, log, &request, &survey);
    if (status) {
        sino_matrix_survey_free(survey);
        return status;
    }
    sino_matrix_survey_free(input->survey);
    input->survey = survey;
    input->problem.matrix = survey;
    return NULL;
}

void sino_matrix_input_close(SinoMatrixInput *input)
{
    sino_matrix_files_close(&input->files);
    sino_matrix_survey_free(input->survey);
    input->survey = NULL;
}

SinoRecordShape sino_matrix_record_shape(const SinoSettings *settings, const SinoMatrixInput *input)
{
    const SinoMatrixOutline *outline = &input->survey->outline;
    const SinoVoxelGrid *grid = &outline->grid;
    const bool many = grid->z_count > 1;
    return (SinoRecordShape){.slice_count = sino_times(input->set_count, sino_larger(grid->z_count, 1)),
                             .set_count = input->set_count,
                             .height = sino_larger(grid->y_count, 1),
                             .width = grid->x_count > 0 ? grid->x_count : outline->column_count,
                             .columns = sino_solver_history_columns(input->solver, &settings->solver),
                             .numbers = sino_solver_history_numbers(input->solver, &settings->solver),
                             .row_name = "rows",
                             .pictures = sino_settings_records_planes(settings),
                             .planes = many,
                             .maximum = many};
}

SinoStatus sino_matrix_check_grid(const SinoSolverSettings *settings, const SinoVoxelGrid *grid)
{
    SINO_CHECK(settings->algorithm != SINO_ALGORITHM_BSREM || grid->x_count > 0, SINO_BAD_INPUT,
               "--algorithm bsrem compares neighbouring voxels, and nothing is known of the grid of voxels; allowed: "
               "with --volume");
    return NULL;
}

SinoStatus sino_matrix_filter(const SinoCountSettings *settings, const SinoVoxelGrid *grid, SinoGaussian *result)
{
    SinoGaussian filter = {.count = {grid->x_count, grid->y_count, grid->z_count}};
    const double width = settings->post_filter_mm;
    for (int i = 0; i < 3 && width > 0; i++) {
        SINO_CHECK(filter.count[i] > 0, SINO_BAD_INPUT,
                   "post-filter is %g mm, and nothing is known of the grid of voxels; allowed: with --volume", width);
        SINO_CHECK(grid->size[i] > 0, SINO_BAD_INPUT,
                   "post-filter is %g mm, and the size of the voxels is not known; allowed: with --voxel-size, or a "
                   "matrix that has it",
                   width);
        const double most = grid->size[i] * (double)filter.count[i] * 4;
        SINO_CHECK(filter.count[i] == 1 || width <= most, SINO_BAD_INPUT,
                   "post-filter is %g mm; allowed: at most four times the volume, %g mm", width, most);
        if (filter.count[i] > 1) filter.fwhm[i] = width / grid->size[i];
    }
    *result = filter;
    return NULL;
}
