/* SPDX-License-Identifier: BSD-3-Clause */
/* Volume plan: the memory of an iterative reconstruction of a cone beam, and its time. */
#include "unit_plan.h"

#include "amounts.h"
#include "cone_kind.h"
#include "cone_scan.h"
#include "halves.h"
#include "input_parts.h"
#include "job_kind.h"
#include "memory.h"
#include "resources.h"
#include "stages.h"
#include "task.h"
#include "vectors_strength.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const SinoConeProductRates usual_products = {.project_gups = 2.0, .backproject_gups = 1.6};

/* Of a projection whose rays are computed one by one (sino_cone_leaning_count). */
static const SinoConeProductRates leaning_products = {.project_gups = 0.45, .backproject_gups = 0.27};

static const double giga = 1e9;

/* Ranks share the projections, and each has some of every subset. */
static SinoStatus check_ranks(const SinoTeamSettings *settings, int64_t angles, int64_t subsets, int64_t ranks)
{
    const SinoGridShape grid = settings->grid;
    char each[48] = "";
    SINO_CHECK(grid.batch_groups == 0 || (grid.batch_groups == 1 && grid.data_ranks == ranks), SINO_BAD_INPUT,
               "grid is %" PRId64 "x%" PRId64 ", and there are %" PRId64
               " ranks, which share the projections of an iterative algorithm; allowed: auto, or 1x%" PRId64,
               grid.batch_groups, grid.data_ranks, ranks, ranks);
    SINO_CHECK(ranks <= angles, SINO_BAD_INPUT,
               "there are %" PRId64 " ranks, and the scan has %" PRId64 " angles; allowed: 1 to %" PRId64 " ranks",
               ranks, angles, angles);
    if (ranks > 1) snprintf(each, sizeof each, " for %" PRId64 " ranks", ranks);
    SINO_CHECK(subsets <= angles / ranks, SINO_BAD_INPUT,
               "subsets is %" PRId64 ", and the scan has %" PRId64 " angles%s; allowed: 1 to %" PRId64, subsets, angles,
               each, angles / ranks);
    return NULL;
}

SinoStatus sino_volume_problem(const SinoSettings *settings, const SinoInput *input, const SinoCone *cone,
                               int64_t rank_count, SinoProblem *problem)
{
    const SinoSolver *solver = sino_solver_of_cone(settings);
    const int64_t subsets =
        (cone->view ? sino_solver_subsets : sino_solver_orbit_subsets)(solver, &settings->solver, cone->angle_count);
    if (settings->projection.precision != SINO_SINGLE)
        SINO_TRY(sino_job_check(sino_job_kind(settings), SINO_JOB_MIXED));
    SINO_TRY(check_ranks(&settings->team, cone->angle_count, subsets, rank_count));
    *problem =
        (SinoProblem){.geometry = input->geometry, .cone = cone, .precision = SINO_SINGLE, .subset_count = subsets};
    return NULL;
}

/* Of vectors the search for a threshold alone takes memory, too. */
static bool is_sought(const SinoSettings *settings, const SinoSolver *solver, const SinoCone *cone)
{
    const bool smooth = sino_prior_first(&settings->prior) != SINO_PRIOR_TOTAL_VARIATION;
    return solver->choice == SINO_ALGORITHM_FISTA && (isnan(settings->prior.regularization) || (cone->view && smooth));
}

/* Mostly the time of so many trials, one after the other or some at a time (halves.h), as iterations of the
 * whole row; vectors have a search of their own. */
static int64_t search_iterations(const SinoSettings *settings, const SinoSolver *solver, const SinoCone *cone)
{
    enum { TRIALS = 5, TOGETHER = 3 };
    if (cone->view || !is_sought(settings, solver, cone)) return 0;
    const SinoHalvesFan fan = sino_halves_fan(settings, cone);
    const int64_t trials = fan.count > 1 ? TOGETHER : TRIALS;
    const double voxels = (double)(fan.binning * fan.binning * fan.step) * fan.voxels * fan.voxels;
    return (int64_t)((double)sino_times(trials, sino_halves_trial_iterations(&settings->solver)) / voxels);
}

SinoUnitPlanRequest sino_volume_plan_request(const SinoSettings *settings, const SinoInput *input,
                                             const SinoProblem *problem, int64_t rank_count, const SinoMachine *machine)
{
    const SinoSolver *solver = sino_solver_of_cone(settings);
    const SinoRecordShape shape = sino_cone_record_shape(
        problem->cone, sino_solver_history_columns(solver, &settings->solver),
        sino_solver_history_numbers(solver, &settings->solver), sino_settings_records_planes(settings));
    return (SinoUnitPlanRequest){
        .kind = &sino_volume_plan,
        .problem = problem,
        .input = input,
        .solver = solver,
        .supported = sino_workload_is_supported(&settings->solver),
        .search_iterations = search_iterations(settings, solver, problem->cone),
        .searching = is_sought(settings, solver, problem->cone) ? settings : NULL,
        .machine = *machine,
        .rank_count = rank_count,
        .unit_count = 1,
        .history_numbers = shape.numbers,
        .record_bytes = sino_unit_record_bytes(&settings->output, machine, &shape,
                                               sino_times(SINO_CONE_IMAGE_SETS_MAX, SINO_CONE_IMAGE_SLICES)) +
                        sino_mask_bytes(&settings->solver, problem->cone->y_count, problem->cone->x_count)};
}

static int64_t workers_of(const SinoUnitPlanRequest *request)
{
    return sino_larger(request->machine.worker_count, 1);
}

static void fewest(const SinoUnitPlanRequest *request, SinoUnitPlan *plan)
{
    plan->batch_units = 1;
    plan->sets =
        (SinoConeSets){1, sino_smaller(SINO_CONE_IMAGE_SLICES, sino_cone_slices(request->problem->cone)), 1, false};
}

static void least(const SinoUnitPlanRequest *request, SinoUnitPlan *plan)
{
    fewest(request, plan);
    plan->sets.paged = true;
}

static SinoStatus widest(const SinoUnitPlanRequest *request, SinoUnitPlan *plan)
{
    const int64_t workers = workers_of(request);
    fewest(request, plan);
    plan->sets.piece_sets = sino_smaller(sino_larger(workers, 2), SINO_COUNT_SETS_MAX);
    plan->sets.image_sets = sino_smaller(sino_larger(workers / 2, 2), SINO_CONE_IMAGE_SETS_MAX);
    return NULL;
}

static bool narrow(const SinoUnitPlanRequest *request, SinoUnitPlan *plan)
{
    if (plan->sets.paged) return false;
    (plan->sets.piece_sets == 1 ? least : fewest)(request, plan);
    return true;
}

static SinoStatus count_fans(const SinoUnitPlanRequest *request, SinoVectorsSearchBytes *search)
{
    const SinoConeSets sets = {1, 1, 1, false};
    const SinoHalvesFan trials = sino_halves_fan(request->searching, request->problem->cone);
    SinoInput input = *request->input;
    SinoCone cone = *request->problem->cone, seen;
    SinoProblem row = *request->problem;
    SinoUnitBytes bytes;
    double *angle_rad;
    sino_cone_take_row(&input, &cone);
    row.geometry = input.geometry;
    row.cone = &cone;
    SINO_TRY(sino_allocate(cone.angle_count, sizeof *angle_rad, "angles", &angle_rad));
    const SinoProblem problem = sino_halves_fan_problem(trials, &row, angle_rad, &seen);
    SinoStatus status = sino_cone_solution_bytes(&problem, &input, request->solver, false, request->history_numbers,
                                                 &sets, workers_of(request), 1, &bytes);
    free(angle_rad);
    if (!status) *search = (SinoVectorsSearchBytes){.vectors = bytes.vectors, .rest = bytes.scratch};
    return status;
}

/* The search for a strength ends before the iterations begin. */
static SinoStatus add_search(const SinoUnitPlanRequest *request, SinoUnitPlan *plan)
{
    SinoUnitBytes *bytes = &plan->bytes;
    SinoVectorsSearchBytes search;
    if (!request->searching) return NULL;
    if (request->problem->cone->view)
        SINO_TRY(sino_vectors_strength_bytes(request->searching, request->input, workers_of(request), &search));
    else
        SINO_TRY(count_fans(request, &search));
    const int64_t vectors = plan->sets.paged ? sino_smaller(search.vectors, bytes->window) : search.vectors;
    bytes->search = sino_larger(bytes->integrals + search.rest + vectors - bytes->total, 0);
    bytes->total += bytes->search;
    bytes->data = sino_larger(bytes->data, search.vectors);
    return NULL;
}

static SinoStatus count_bytes(const SinoUnitPlanRequest *request, SinoUnitPlan *plan)
{
    SINO_TRY(sino_cone_solution_bytes(request->problem, request->input, request->solver, request->supported,
                                      request->history_numbers, &plan->sets, workers_of(request), request->rank_count,
                                      &plan->bytes));
    return add_search(request, plan);
}

static SinoStatus refuse(const SinoUnitPlanRequest *request, const SinoUnitPlan *plan)
{
    const SinoCone *cone = request->problem->cone;
    char subject[240], parts[48], vectors[24];
    snprintf(subject, sizeof subject,
             "an iterative algorithm with %" PRId64 " x %" PRId64 " x %" PRId64 " voxels and %" PRId64
             " projections of %" PRId64 " x %" PRId64 " rays needs",
             cone->x_count, cone->y_count, sino_cone_slices(cone), cone->angle_count, cone->column_count,
             cone->row_count);
    snprintf(parts, sizeof parts, " (%s of vectors at a time)", sino_bytes_text(plan->bytes.window, vectors));
    return sino_plan_too_little(plan->total_bytes, plan->budget_bytes, subject, parts,
                                ", --algorithm fdk, or a smaller --volume");
}

/* Those of all projections together: rates are of a ray for each voxel. */
SinoConeProductRates sino_cone_products(const SinoCone *cone)
{
    const SinoConeProductRates *upright = &usual_products, *leaning = &leaning_products;
    const double share = (double)sino_cone_leaning_count(cone) / (double)cone->angle_count, rest = 1 - share;
    const double rays = sino_cone_mean_voxel_rays(cone);
    return (SinoConeProductRates){
        .project_gups = 1 / (rest / upright->project_gups + share / leaning->project_gups) / rays,
        .backproject_gups = 1 / (rest / upright->backproject_gups + share / leaning->backproject_gups) / rays};
}

double sino_cone_device_gups(const SinoMachine *machine, const SinoCone *cone)
{
    const bool devices = machine->rates.of_devices && machine->devices.count > 0 && cone->window.pitch_mm == 0;
    return devices ? machine->rates.kernel_gflops / SINO_CONE_UPDATE_FLOPS : 0;
}

/* Of all workers of a rank. With GPUs the bands are projected one after the other, as they add to the same rays. */
static SinoConeProductRates products_of_rank(const SinoUnitPlanRequest *request)
{
    const SinoCone *cone = request->problem->cone;
    const SinoConeProductRates rates = sino_cone_products(cone);
    const double gpu = sino_cone_device_gups(&request->machine, cone), workers = (double)workers_of(request);
    const double gpu_updates = gpu / sino_cone_mean_voxel_rays(cone);
    if (gpu > 0) return (SinoConeProductRates){gpu_updates, gpu_updates * (double)request->machine.devices.count};
    return (SinoConeProductRates){rates.project_gups * workers, rates.backproject_gups * workers};
}

/* Bytes that an iteration reads and writes of scratch files, as much of them as is not in the window. A product of a
 * subset has all voxels once for each round of angles, or the rays once for each round of bands, and writes the other;
 * the solver reads and writes its vectors. */
static double paged_bytes(const SinoUnitPlanRequest *request, const SinoUnitPlan *plan)
{
    const SinoUnitBytes *bytes = &plan->bytes;
    const SinoProblem *problem = request->problem;
    const SinoCone *cone = problem->cone;
    const double window = (double)bytes->window, paged = (double)bytes->paged, workers = (double)workers_of(request);
    const double voxels = (double)sizeof(float) * (double)cone->x_count * (double)cone->y_count * (double)cone->z_count;
    const double of_angle = (double)sizeof(float) * (double)cone->column_count * (double)cone->row_count;
    const double rays = of_angle * (double)cone->angle_count / (double)request->rank_count;
    const double bands = ceil((double)cone->y_count / (double)sino_cone_band_rows(cone));
    if (bytes->paged == 0) return 0;
    const double rounds = fmax(1, 2 * rays / (double)problem->subset_count / window);
    const double project = (double)problem->subset_count * rounds * voxels + 2 * rays;
    const double backproject = (double)problem->subset_count * voxels + ceil(bands / workers) * rays;
    return (1 - window / paged) * (project + backproject + 2 * paged);
}

static SinoUnitTimes count_times(const SinoUnitPlanRequest *request, const SinoUnitPlan *plan)
{
    const SinoCone *cone = request->problem->cone;
    const SinoMachine *machine = &request->machine;
    const SinoConeProductRates rates = products_of_rank(request);
    const double ranks = (double)request->rank_count;
    const double workers =
        (double)(sino_cone_device_gups(machine, cone) > 0 ? machine->devices.count : workers_of(request));
    const double voxels = (double)cone->x_count * (double)cone->y_count * (double)cone->z_count;
    const double rays = (double)cone->angle_count * (double)cone->column_count * (double)cone->row_count;
    const double updates = voxels * (double)cone->angle_count / (giga * ranks);
    const double file = giga * machine->rates.file_gbps / sizeof(float);
    const double products = updates / rates.project_gups + updates / rates.backproject_gups;
    const double search = (double)request->search_iterations * products * ranks / (double)cone->row_count;
    return (SinoUnitTimes){.load = rays / file,
                           .start = search + updates / rates.backproject_gups,
                           .products = products,
                           .vectors = 2 * (double)plan->bytes.vectors / /* each is read once and written once */
                                      (giga * workers * machine->rates.memory_gbps),
                           .paging = paged_bytes(request, plan) / (giga * request->machine.rates.file_gbps),
                           .exchange = sino_unit_sums_seconds(request, voxels, request->problem->subset_count),
                           .store = voxels / file};
}

static SinoAmounts list_bytes(const SinoUnitPlan *plan)
{
    const SinoUnitBytes *bytes = &plan->bytes;
    const int64_t rest = plan->total_bytes - bytes->total; /* program and record */
    return (SinoAmounts){"memory_bytes",
                         SINO_AMOUNT_BYTES,
                         9,
                         {{"base", "program, pictures", (double)rest},
                          {"vectors", "volume, scan, vectors", (double)(bytes->vectors - bytes->paged + bytes->window)},
                          {"pieces", "counts, sinograms", (double)(bytes->pieces + bytes->integrals)},
                          {"images", "images", (double)bytes->images},
                          {"scratch", "work memory of tasks", (double)bytes->scratch},
                          {"loading", "fields being averaged", (double)bytes->loading},
                          {"search", "search for a strength, more", (double)bytes->search},
                          {"total", "total", (double)plan->total_bytes},
                          {"scratch_files", "vectors in scratch files", (double)bytes->paged}}};
}

const SinoUnitPlanKind sino_volume_plan = {.widest = widest,
                                           .narrow = narrow,
                                           .least = least,
                                           .bytes = count_bytes,
                                           .refuse = refuse,
                                           .times = count_times,
                                           .list_bytes = list_bytes};
