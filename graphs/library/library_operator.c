/* SPDX-License-Identifier: BSD-3-Clause */
/* Library, operators: builds and frees them, whatever their kind; checks the arrays of products. */
#include "library_operator.h"

#include "library.h"
#include "library_devices.h"

#include "memory.h"
#include "scan_limits.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The operators that exist; protected by the library's lock. Callers have numbers in place of addresses, which memory
 * of a later operator could have, too: a call that has waited while another thread freed its operator finds none. */
static SinodagOperator *first_operator;
static uintptr_t last_number;

static SinodagOperator *next_handle(void)
{
    SinodagOperator *handle;
    last_number += 16; /* a valid alignment of a pointer */
    memcpy(&handle, &last_number, sizeof handle);
    return handle;
}

static const char *const allowed[] = {"geometry",
                                      "precision",
                                      "symmetry",
                                      "projector",
                                      "interpolation",
                                      "partitions",
                                      "minibatch",
                                      "memory",
                                      "volume",
                                      "operator-cache",
                                      "source-object-distance",
                                      "source-detector-distance",
                                      "detector-pixel",
                                      "center-row",
                                      "voxel-size",
                                      "system-matrix",
                                      "mirrors",
                                      "mask",
                                      NULL};
/* For a matrix in memory, which has no file. */
static const char *const own_arrays[] = {"system-matrix=the matrix", NULL};
const SinoLibrarySettings sino_library_operator = {
    .what = "an operator", .allowed = allowed, .own = sino_library_own_parallel};

/* ---- kinds ---- */

static bool is_matrix(const SinodagGeometry *geometry, const char *const *given)
{
    const char *word = sino_library_given(given, "geometry");
    return (geometry && geometry->matrix) || sino_library_given(given, "system-matrix") ||
           (word && strcmp(word, "matrix") == 0);
}

static const SinoLibraryKind *kind_of(const SinodagGeometry *geometry, const char *const *given)
{
    const char *word = sino_library_given(given, "geometry");
    if (is_matrix(geometry, given)) return &sino_library_matrix;
    const bool cones = word && (strcmp(word, "cone") == 0 || strcmp(word, "fan") == 0);
    return cones ? &sino_library_cone : &sino_library_parallel;
}

/* What a list of settings cannot say. */
static SinoStatus check_given(const SinoLibraryKind *kind, const SinodagGeometry *geometry, const char *const *given)
{
    SINO_CHECK(kind != &sino_library_cone || !sino_library_given(given, "symmetry"), SINO_BAD_INPUT,
               "symmetry with geometry=cone, whose operator stores no angles; allowed: with parallel beams");
    SINO_CHECK(!geometry->matrix || !sino_library_given(given, "system-matrix"), SINO_BAD_INPUT,
               "there is a matrix in memory, and the setting system-matrix names a file; allowed: one of them");
    return NULL;
}

/* ---- operators ---- */

static void free_operator(SinodagOperator *op)
{
    sino_products_free(op->products);
    sino_lines_free(op->lines);
    sino_operator_free(op->op);
    sino_matrix_survey_free(op->matrix);
    sino_forecast_free(&op->forecast);
    free(op->angle_rad);
    free(op);
}

static SinoStatus copy_angles(const SinodagGeometry *geometry, SinodagOperator *made)
{
    if (!geometry->angle_rad) return NULL;
    SINO_TRY(sino_allocate(geometry->angles, sizeof *made->angle_rad, "angles", &made->angle_rad));
    memcpy(made->angle_rad, geometry->angle_rad, (size_t)geometry->angles * sizeof *made->angle_rad);
    return NULL;
}

static SinoStatus build(const SinoLibraryKind *kind, const SinodagGeometry *geometry, const SinoSettings *settings,
                        SinodagOperator *made)
{
    SinoOperatorRequest request = {0};
    SINO_TRY(copy_angles(geometry, made));
    SINO_TRY(kind->plan(geometry, settings, made, &request));
    SINO_TRY(sino_operator_new(sino_library_runtime(), &request, &made->op));
    made->memory_bytes = settings->runtime.memory_bytes;
    made->windows = request.window_count > 0;
    made->op->kind->report(made->op);
    if (made->op->kind->keep) made->op->kind->keep(made->op, request.cache);
    kind->tell(made, &made->about);
    return NULL;
}

/* What products need, and what all kinds tell. */
static SinoStatus complete(const SinoRuntimeSettings *settings, SinodagOperator *made)
{
    SINO_TRY(sino_lines_new(made->op, &made->lines));
    const SinoArraySizes sizes = sino_lines_sizes(made->lines, SINO_ALL_SUBSETS);
    memcpy(made->about.images, sizes.images, sizeof sizes.images);
    memcpy(made->about.projections, sizes.projections, sizeof sizes.projections);
    made->about.subsets = made->op->problem.subset_count;
    const int64_t given = made->windows ? 0 : made->memory_bytes;
    const SinoProductsRequest request = {.op = made->op,
                                         .lines = made->lines,
                                         .partition_count = made->about.partitions,
                                         .minibatch = settings->minibatch,
                                         .room_bytes =
                                             given > 0 ? sino_larger(given - made->about.bytes, 0) : INT64_MAX};
    return sino_products_new(&request, &made->products);
}

static SinoStatus make_kind(const SinoLibraryKind *kind, const SinodagGeometry *geometry, const char *const *given,
                            SinodagOperator *made)
{
    const bool arrays = geometry->matrix != NULL;
    const SinoLibrarySettings all = {
        .what = sino_library_operator.what, .allowed = allowed, .own = arrays ? own_arrays : kind->own};
    SinoSettings *settings = NULL;
    SINO_TRY(sino_library_settings(&all, given, &settings));
    SinoStatus status = build(kind, geometry, settings, made);
    if (!status) status = complete(&settings->runtime, made);
    sino_settings_free(settings);
    return status;
}

static SinoStatus make(const SinodagGeometry *geometry, const char *const *given, SinodagOperator **result)
{
    const SinoLibraryKind *kind = kind_of(geometry, given);
    SinodagOperator *made;
    SINO_TRY(sino_library_need_runtime());
    SINO_TRY(kind->check(geometry));
    SINO_TRY(check_given(kind, geometry, given));
    SINO_TRY(sino_allocate(1, sizeof *made, "an operator", &made));
    SINO_GIVE(make_kind(kind, geometry, given, made), made, free_operator, result);
}

SinodagStatus sinodag_operator_new(const SinodagGeometry *geometry, const char *const *settings, SinodagOperator **op)
{
    SinoStatus status = sino_library_enter();
    if (status) return status;
    SinodagOperator *made = NULL;
    status = op ? make(geometry, settings, &made)
                : sino_error(SINO_BAD_INPUT, "there is no place for the operator; allowed: an address");
    if (!status) {
        made->next = first_operator;
        first_operator = made;
        made->handle = next_handle();
        sino_library_keep();
        *op = made->handle;
    }
    sino_library_leave();
    return status;
}

/* The place in the list that points to the operator; *place NULL: there is no such operator. */
static SinodagOperator **place_of(const SinodagOperator *handle)
{
    SinodagOperator **place = &first_operator;
    while (*place && (*place)->handle != handle) place = &(*place)->next;
    return place;
}

SinoStatus sino_library_find_operator(const SinodagOperator *handle, SinodagOperator **op)
{
    *op = *place_of(handle);
    SINO_CHECK(*op, SINO_BAD_INPUT, "the operator does not exist, or was freed; allowed: an operator");
    return NULL;
}

SinodagStatus sinodag_operator_free(SinodagOperator *handle)
{
    if (!handle) return NULL;
    SinoStatus status = sino_library_enter();
    if (status) return status;
    SinodagOperator *op;
    status = sino_library_find_operator(handle, &op);
    if (!status) {
        *place_of(handle) = op->next;
        free_operator(op);
        status = sino_library_let_go();
    }
    sino_library_leave();
    return status;
}

SinodagStatus sinodag_operator_about(const SinodagOperator *handle, SinodagAbout *about)
{
    SinoStatus status = sino_library_enter();
    if (status) return status;
    SinodagOperator *op;
    status = sino_library_find_operator(handle, &op);
    if (!status && about) *about = op->about;
    sino_library_leave();
    return status;
}

/* Strides that stand for C order. */
static bool in_order(const SinodagArray *array)
{
    return array->stride[0] == 0 && array->stride[1] == 0 && array->stride[2] == 0;
}

/* The bytes of memory from the first element to the last one. A double has every address; a stride may be anything. */
typedef struct Range {
    double first, end;
} Range;

static Range range_of(const SinodagArray *array, int64_t element_bytes, const int64_t step[3], int64_t volume_step)
{
    const double address = (double)(uintptr_t)array->data, element = (double)element_bytes;
    const int64_t count[4] = {array->size[0], array->size[1], array->size[2], sino_larger(1, array->volumes)};
    const int64_t steps[4] = {step[0], step[1], step[2], volume_step};
    Range range = {.first = address, .end = address + element};
    for (int d = 0; d < 4; d++) {
        const double reach = element * (double)(count[d] - 1) * (double)steps[d];
        range.first += fmin(reach, 0);
        range.end += fmax(reach, 0);
    }
    return range;
}

/* No address wraps, nor do those of the next lines, which are fetched ahead. */
static SinoStatus check_reach(const char *what, const SinodagArray *array, int64_t element_bytes, const int64_t step[3],
                              int64_t volume_step)
{
    const double addresses = 0x1p57; /* more than a process has */
    const Range range = range_of(array, element_bytes, step, volume_step);
    SINO_CHECK(range.first >= 0 && range.end <= addresses, SINO_BAD_INPUT,
               "%s have the strides (%" PRId64 ", %" PRId64 ", %" PRId64 ") and that of volumes %" PRId64
               ", which lead out of memory; allowed: strides of arrays that are in memory",
               what, step[0], step[1], step[2], array->volume_stride);
    return NULL;
}

SinoStatus sino_library_steps(const char *what, const SinodagArray *array, int64_t element_bytes, int64_t step[3])
{
    const int64_t *size = array->size, usual[] = {sino_times(size[1], size[2]), size[2], 1};
    for (int d = 0; d < 3; d++) step[d] = in_order(array) || size[d] == 1 ? usual[d] : array->stride[d];
    return check_reach(what, array, element_bytes, step, 0);
}

/* Of an element. */
static int64_t bytes_of(const SinoStrided *used)
{
    return used->type == SINO_STRIDED_FLOAT64 ? sizeof(double) : sizeof(float);
}

/* "S, 33, 33" */
static const char *sizes_text(const int64_t size[3], char text[80])
{
    char first[24] = "S";
    if (size[0] > 0) snprintf(first, sizeof first, "%" PRId64, size[0]);
    snprintf(text, 80, "%s, %" PRId64 ", %" PRId64, first, size[1], size[2]);
    return text;
}

static SinoStatus use(const char *what, const SinodagArray *array, const int64_t size[3], SinoStrided *used)
{
    char text[80];
    SINO_CHECK(array && array->data, SINO_BAD_INPUT, "%s have no data; allowed: an array", what);
    SINO_CHECK(array->type == SINODAG_FLOAT32 || array->type == SINODAG_FLOAT64, SINO_BAD_INPUT,
               "%s are of type %d; allowed: SINODAG_FLOAT32, SINODAG_FLOAT64", what, (int)array->type);
    SINO_TRY(sino_library_check_device(what, array));
    const bool first = size[0] > 0 ? array->size[0] == size[0] : array->size[0] >= 1;
    SINO_CHECK(first && array->size[1] == size[1] && array->size[2] == size[2], SINO_BAD_INPUT,
               "%s have the sizes (%" PRId64 ", %" PRId64 ", %" PRId64 "); allowed: (%s)%s", what, array->size[0],
               array->size[1], array->size[2], sizes_text(size, text), size[0] > 0 ? "" : " with S slices");
    SINO_CHECK(array->size[0] <= SINO_SIDE_MAX, SINO_BAD_INPUT, "there are %" PRId64 " slices; allowed: 1 to %d",
               array->size[0], SINO_SIDE_MAX);
    const bool wide = array->type == SINODAG_FLOAT64;
    SINO_CHECK((uintptr_t)array->data % (wide ? sizeof(double) : sizeof(float)) == 0, SINO_BAD_INPUT,
               "%s begin at an address that is no multiple of the size of their elements; allowed: aligned arrays",
               what);
    *used = (SinoStrided){.type = wide ? SINO_STRIDED_FLOAT64 : SINO_STRIDED_FLOAT32, .first = array->data};
    return sino_library_steps(what, array, bytes_of(used), used->step);
}

SinoStatus sino_library_use_array(const char *what, const SinodagArray *array, const int64_t size[3], SinoStrided *used)
{
    SINO_TRY(use(what, array, size, used));
    SINO_CHECK(array->volumes == 0 || array->volumes == 1, SINO_BAD_INPUT,
               "%s are of %" PRId64
               " volumes; allowed: 0 or 1; arrays of more are volumes and projections of cone beams",
               what, array->volumes);
    return NULL;
}

/* Volumes of cone beams, or their projections; their number, and the elements between them. */
static SinoStatus use_volumes(const char *what, const SinodagArray *array, const int64_t size[3], SinoStrided *used,
                              int64_t *count, int64_t *step)
{
    SINO_TRY(use(what, array, size, used));
    SINO_CHECK(array->volumes >= 0 && array->volumes <= SINO_SIDE_MAX, SINO_BAD_INPUT,
               "%s are of %" PRId64 " volumes; allowed: 0 to %d", what, array->volumes, SINO_SIDE_MAX);
    const bool usual = in_order(array) && array->volume_stride == 0;
    *count = sino_larger(1, array->volumes);
    *step = usual || *count == 1 ? sino_times(used->step[0], size[0]) : array->volume_stride;
    return check_reach(what, array, bytes_of(used), used->step, *step);
}

static SinoStatus use_cone(const SinoArraySizes *sizes, const SinodagArray *images, const SinodagArray *projections,
                           SinoArrays *arrays)
{
    int64_t count = 0;
    SINO_TRY(use_volumes("the images", images, sizes->images, &arrays->images, &count, &arrays->image_step));
    SINO_TRY(use_volumes("the projections", projections, sizes->projections, &arrays->projections, &arrays->slice_count,
                         &arrays->projection_step));
    SINO_CHECK(count == arrays->slice_count, SINO_BAD_INPUT,
               "there are %" PRId64 " volumes and projections of %" PRId64 "; allowed: as many of both", count,
               arrays->slice_count);
    return NULL;
}

static SinoStatus check_counts(const SinodagArray *images, const SinodagArray *projections)
{
    SINO_CHECK(images->size[0] == projections->size[0], SINO_BAD_INPUT,
               "there are %" PRId64 " images and projections of %" PRId64 " slices; allowed: as many of both",
               images->size[0], projections->size[0]);
    return NULL;
}

static SinoStatus use_slices(const SinoArraySizes *sizes, const SinodagArray *images, const SinodagArray *projections,
                             SinoArrays *arrays)
{
    SINO_TRY(sino_library_use_array("the images", images, sizes->images, &arrays->images));
    SINO_TRY(sino_library_use_array("the projections", projections, sizes->projections, &arrays->projections));
    SINO_TRY(check_counts(images, projections));
    arrays->slice_count = images->size[0];
    return NULL;
}

/* An array of the caller, as it is used. */
typedef struct Use {
    const char *what;
    const SinodagArray *array;
    const SinoStrided *used;
    int64_t volume_step;
} Use;

static Range range_used(Use of)
{
    return range_of(of.array, bytes_of(of.used), of.used->step, of.volume_step);
}

/* Whether element i of one array is element i of the other one. */
static bool are_same(Use a, Use b)
{
    return a.array->data == b.array->data && a.array->type == b.array->type &&
           memcmp(a.array->size, b.array->size, sizeof a.array->size) == 0 &&
           memcmp(a.used->step, b.used->step, sizeof a.used->step) == 0 && a.volume_step == b.volume_step;
}

/* Slices are written while others are still to be read. What lies on a device is copied as a whole before. */
static SinoStatus check_apart(Use a, Use b)
{
    if (a.array->device != SINODAG_MAIN_MEMORY || b.array->device != SINODAG_MAIN_MEMORY) return NULL;
    const Range of_a = range_used(a), of_b = range_used(b);
    SINO_CHECK(of_a.end <= of_b.first || of_b.end <= of_a.first || are_same(a, b), SINO_BAD_INPUT,
               "%s and %s overlap in memory; allowed: arrays apart from each other, or the same array with the same "
               "strides",
               a.what, b.what);
    return NULL;
}

SinoStatus sino_library_check_apart(const char *what, const SinodagArray *array, const int64_t size[3],
                                    const SinodagArray *images, const SinoStrided *used)
{
    SinoStrided read;
    SINO_TRY(sino_library_use_array(what, array, size, &read));
    return check_apart((Use){what, array, &read, 0}, (Use){"the volume", images, used, 0});
}

SinoStatus sino_library_use_arrays(const SinodagOperator *op, const SinodagArray *images,
                                   const SinodagArray *projections, SinoArrays *arrays)
{
    const SinoArraySizes sizes = sino_lines_sizes(op->lines, arrays->subset);
    SINO_TRY(sizes.images[0] > 0 ? use_cone(&sizes, images, projections, arrays)
                                 : use_slices(&sizes, images, projections, arrays));
    return check_apart((Use){"the images", images, &arrays->images, arrays->image_step},
                       (Use){"the projections", projections, &arrays->projections, arrays->projection_step});
}

SinoStatus sino_library_check_room(const SinodagOperator *op, const char *slice, int64_t count, int64_t bytes)
{
    const int64_t room = sino_products_room(op->products);
    char wanted[24], there[24];
    SINO_CHECK(bytes <= room, SINO_BAD_INPUT,
               "memory: the solution of %s needs %s beside the operator, and there are %s; allowed: an operator with a "
               "larger setting of memory, or more free memory",
               slice, sino_bytes_text(bytes, wanted), sino_bytes_text(room, there));
    sino_log_info(sino_runtime_log(op->op->runtime), "plan",
                  "solution: %" PRId64 " at a time (%s), memory beside the operator: %s", count, slice,
                  sino_bytes_text(bytes, wanted));
    return NULL;
}

/* The product of arrays that have been checked, of which one is on a device, or both. */
static SinoStatus multiply_brought(SinodagOperator *op, SinoArrays arrays, const SinodagArray *images,
                                   const SinodagArray *projections)
{
    SinoBrought image, projection = {0};
    SinoStatus status = sino_library_bring("the images", images, arrays.back, &image);
    if (!status) status = sino_library_bring("the projections", projections, !arrays.back, &projection);
    if (!status) status = sino_library_use_arrays(op, &image.array, &projection.array, &arrays);
    if (!status) status = sino_products_compute(op->products, &arrays);
    if (!status) status = sino_library_give(arrays.back ? &image : &projection);
    sino_library_forget(&image);
    sino_library_forget(&projection);
    return status;
}

static SinoStatus multiply(const SinodagOperator *handle, SinoArrays arrays, const SinodagArray *images,
                           const SinodagArray *projections)
{
    SinodagOperator *op;
    SINO_TRY(sino_library_find_operator(handle, &op));
    SINO_CHECK(arrays.subset == SINO_ALL_SUBSETS || (arrays.subset >= 0 && arrays.subset < op->about.subsets),
               SINO_BAD_INPUT, "subset is %" PRId64 "; allowed: 0 to %" PRId64, arrays.subset, op->about.subsets - 1);
    SINO_TRY(sino_lines_check_subset(op->lines, arrays.subset));
    SINO_TRY(sino_library_use_arrays(op, images, projections, &arrays));
    if (images->device == SINODAG_MAIN_MEMORY && projections->device == SINODAG_MAIN_MEMORY)
        return sino_products_compute(op->products, &arrays);
    return multiply_brought(op, arrays, images, projections);
}

static SinodagStatus locked(SinodagOperator *op, SinoArrays arrays, const SinodagArray *images,
                            const SinodagArray *projections)
{
    SinoStatus status = sino_library_enter();
    if (status) return status;
    status = multiply(op, arrays, images, projections);
    sino_library_leave();
    return status;
}

/* A number that stands for all subsets is none of a caller's. */
static SinodagStatus of_subset(SinodagOperator *op, bool back, int64_t subset, const SinodagArray *images,
                               const SinodagArray *projections)
{
    SINO_CHECK(subset >= 0, SINO_BAD_INPUT, "subset is %" PRId64 "; allowed: 0 or more", subset);
    return locked(op, (SinoArrays){.back = back, .subset = subset}, images, projections);
}

SinodagStatus sinodag_project(SinodagOperator *op, const SinodagArray *images, const SinodagArray *projections)
{
    return locked(op, (SinoArrays){.subset = SINO_ALL_SUBSETS}, images, projections);
}

SinodagStatus sinodag_backproject(SinodagOperator *op, const SinodagArray *projections, const SinodagArray *images)
{
    return locked(op, (SinoArrays){.back = true, .subset = SINO_ALL_SUBSETS}, images, projections);
}

SinodagStatus sinodag_project_subset(SinodagOperator *op, int64_t subset, const SinodagArray *images,
                                     const SinodagArray *projections)
{
    return of_subset(op, false, subset, images, projections);
}

SinodagStatus sinodag_backproject_subset(SinodagOperator *op, int64_t subset, const SinodagArray *projections,
                                         const SinodagArray *images)
{
    return of_subset(op, true, subset, images, projections);
}
