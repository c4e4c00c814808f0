/* SPDX-License-Identifier: BSD-3-Clause */
/* SPECT header: the system matrix of a gamma camera with parallel holes, computed when its rows are read, from the
 * Interfile header of its projections. Row (view · rows + row) · bins + bin is a bin of the detector.
 *
 * The detector of angle φ stands toward n = (sin φ, cos φ), which is the top of the image at 0 and goes clockwise; its
 * bins count along (cos φ, −sin φ), its rows with the slices. Counter-clockwise, φ is negative.
 *
 * An entry is the chance that a photon of the voxel, of those that the holes let through, reaches the bin: the share of
 * the voxel's shadow that falls on it, times exp(−∫μ) from the middle of the voxel to the outside. The shadow is that
 * of the cuboid, exactly; with a collimator it is a Gaussian of the shadow's variance and the blur's, cut at three
 * standard deviations. The blur is that of the distance at which the bin's line passes the voxel's row or column. */
#include "matrix_source.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "counts_file.h"
#include "interfile.h"
#include "memory.h"

enum { MM_PER_CM = 10, CUT = 3 /* standard deviations */, ATTENUATION_MAX = 1000 /* per cm */ };
#define ROUNDING 1e-9 /* of a length */

typedef struct Spect {
    const char *path; /* not owned */
    SinoInterfileOrbit orbit;
    SinoVoxelGrid grid;
    SinoCamera camera;
    float *attenuation; /* [z][y][x]: 1/mm; NULL: none; owned */
} Spect;

/* A position of the detector. */
typedef struct View {
    double across[2], toward[2]; /* unit vectors */
    double radius_mm;
    int planes;     /* the axis, x 0 or y 1, from plane to plane of which a line of the detector is followed */
    double side[2]; /* mm: of the shadow of a voxel, which is the convolution of two boxes */
} View;

/* A range of indices. */
typedef struct Range {
    int64_t first, end;
} Range;

/* The shadow of voxels on the detector, along one of its axes. */
typedef struct Shadow {
    double side[2];      /* mm: of boxes; side[0] ≥ side[1] */
    double deviation_mm; /* of a Gaussian in place of the boxes; 0: boxes */
    double half_mm;      /* half of its width */
} Shadow;

/* ---- geometry ---- */

static View view_of(const Spect *spect, int64_t number)
{
    const SinoInterfileOrbit *orbit = &spect->orbit;
    const double degrees = orbit->start_degrees + orbit->extent_degrees * (double)number / (double)orbit->view_count;
    const double angle = (orbit->counter_clockwise ? -degrees : degrees) * SINO_PI / 180;
    const double c = cos(angle), s = sin(angle);
    const double x = fabs(c) * spect->grid.size[0], y = fabs(s) * spect->grid.size[1];
    return (View){.across = {c, -s},
                  .toward = {s, c},
                  .radius_mm = orbit->radius_mm[number],
                  .planes = fabs(c) >= fabs(s) ? 1 : 0,
                  .side = {fmax(x, y), fmin(x, y)}};
}

/* The middle of a voxel, in mm, along x, y or z; y falls with rows. */
static double middle_of(const SinoVoxelGrid *grid, int axis, int64_t index)
{
    const int64_t count[] = {grid->x_count, grid->y_count, grid->z_count};
    const double at = ((double)index - (double)(count[axis] - 1) / 2) * grid->size[axis];
    return axis == 1 ? -at : at;
}

/* The voxels along an axis whose middles lie nearer than `half` to a place, both in mm. */
static Range within(const SinoVoxelGrid *grid, int axis, double place, double half)
{
    const int64_t count[] = {grid->x_count, grid->y_count, grid->z_count};
    const double middle = (axis == 1 ? -place : place) / grid->size[axis] + (double)(count[axis] - 1) / 2;
    const double wide = half / grid->size[axis] * (1 - ROUNDING), most = (double)count[axis];
    const double first = fmax(ceil(middle - wide), 0), end = fmin(floor(middle + wide) + 1, most);
    return first < end ? (Range){(int64_t)first, (int64_t)end} : (Range){0, 0};
}

static Shadow shadow_of(double a, double b, double blur)
{
    Shadow shadow = {.side = {a, b}, .half_mm = (a + b) / 2};
    if (blur > 0) {
        shadow.deviation_mm = sqrt(blur * blur + (a * a + b * b) / 12);
        shadow.half_mm = CUT * shadow.deviation_mm;
    }
    return shadow;
}

/* The integral of the positive part of t. */
static double ramp(double t)
{
    return t > 0 ? t * t / 2 : 0;
}

/* The share of a shadow below t, which is counted from its middle. */
static double share_below(const Shadow *shadow, double t)
{
    const double a = shadow->side[0], b = shadow->side[1], thin = 1e-6;
    if (shadow->deviation_mm > 0) {
        const double most = erf(CUT / M_SQRT2), share = erf(t / shadow->deviation_mm / M_SQRT2);
        return fmin(fmax(share / most, -1), 1) / 2 + 0.5;
    }
    if (b <= thin * a) return fmin(fmax(t / a + 0.5, 0), 1);
    if (t >= shadow->half_mm) return 1;
    const double p = (a + b) / 2, q = (a - b) / 2;
    return (ramp(t + p) - ramp(t + q) - ramp(t - q)) / (a * b);
}

/* The share of a shadow, whose middle lies `beside` that of a bin of this width. */
static double share_of(const Shadow *shadow, double beside, double width)
{
    return fmax(share_below(shadow, width / 2 - beside) - share_below(shadow, -width / 2 - beside), 0);
}

/* ---- a row ---- */

/* The line of a bin. */
typedef struct Line {
    View view;
    double across_mm, z_mm;
} Line;

static Line line_of(const Spect *spect, int64_t row)
{
    const SinoInterfileOrbit *orbit = &spect->orbit;
    const int64_t bin = row % orbit->bin_count, line = row / orbit->bin_count;
    return (Line){.view = view_of(spect, line / orbit->row_count),
                  .across_mm = ((double)bin - (double)(orbit->bin_count - 1) / 2) * orbit->bin_mm,
                  .z_mm = ((double)(line % orbit->row_count) - (double)(orbit->row_count - 1) / 2) * orbit->row_mm};
}

/* Where a line meets a plane of voxels. */
typedef struct Meeting {
    double plane_mm;      /* along the axis of planes */
    Shadow across, along; /* of the plane's voxels, along bins and along z */
    Range voxels, slices;
} Meeting;

static Meeting meet(const Spect *spect, const Line *line, int64_t plane)
{
    const SinoVoxelGrid *grid = &spect->grid;
    const View *view = &line->view;
    const int planes = view->planes, other = 1 - planes;
    Meeting meeting = {.plane_mm = middle_of(grid, planes, plane)};
    double at[2];
    at[planes] = meeting.plane_mm;
    at[other] = (line->across_mm - meeting.plane_mm * view->across[planes]) / view->across[other];
    const double distance = view->radius_mm - at[0] * view->toward[0] - at[1] * view->toward[1];
    const double blur = spect->camera.slope * fmax(distance, 0) + spect->camera.width_mm;
    meeting.across = shadow_of(view->side[0], view->side[1], blur);
    meeting.along = shadow_of(grid->size[2], 0, blur);
    meeting.voxels =
        within(grid, other, at[other], (meeting.across.half_mm + spect->orbit.bin_mm / 2) / fabs(view->across[other]));
    meeting.slices = within(grid, 2, line->z_mm, meeting.along.half_mm + spect->orbit.row_mm / 2);
    return meeting;
}

static int64_t plane_count(const SinoVoxelGrid *grid, const View *view)
{
    return view->planes == 0 ? grid->x_count : grid->y_count;
}

/* At most. */
static int64_t entries_of(const Spect *spect, int64_t row)
{
    const Line line = line_of(spect, row);
    int64_t entries = 0;
    for (int64_t plane = 0; plane < plane_count(&spect->grid, &line.view); plane++) {
        const Meeting meeting = meet(spect, &line, plane);
        entries += sino_times(meeting.voxels.end - meeting.voxels.first, meeting.slices.end - meeting.slices.first);
    }
    return entries;
}

static SinoStatus count_rows(void *state, int64_t first, int64_t count, int64_t *entries)
{
    const Spect *spect = state;
    for (int64_t i = 0; i < count; i++) entries[i] = entries_of(spect, first + i);
    return NULL;
}

/* Appends the entries of a row; returns where those of all rows so far end. share: [z][y][x], the part of a voxel's
 * photons that passes toward the detector; NULL: all. along: work memory, [z]. */
static int64_t put_row(const Spect *spect, int64_t row, const float *share, double *along, SinoSparseRows *rows,
                       int64_t end)
{
    const Line line = line_of(spect, row);
    const SinoVoxelGrid *grid = &spect->grid;
    const View *view = &line.view;
    const int planes = view->planes, other = 1 - planes;
    const int64_t slice = grid->x_count * grid->y_count;
    for (int64_t plane = 0; plane < plane_count(grid, view); plane++) {
        const Meeting meeting = meet(spect, &line, plane);
        for (int64_t z = meeting.slices.first; z < meeting.slices.end; z++)
            along[z] = share_of(&meeting.along, middle_of(grid, 2, z) - line.z_mm, spect->orbit.row_mm);
        for (int64_t i = meeting.voxels.first; i < meeting.voxels.end; i++) {
            const double place =
                meeting.plane_mm * view->across[planes] + middle_of(grid, other, i) * view->across[other];
            const double across = share_of(&meeting.across, place - line.across_mm, spect->orbit.bin_mm);
            const int64_t in_slice = planes == 0 ? i * grid->x_count + plane : plane * grid->x_count + i;
            for (int64_t z = meeting.slices.first; z < meeting.slices.end && across > 0; z++) {
                const int64_t voxel = z * slice + in_slice;
                rows->column[end] = (uint32_t)voxel;
                rows->value[end++] = (float)(across * along[z] * (share ? (double)share[voxel] : 1));
            }
        }
    }
    return end;
}

/* ---- attenuation ---- */

/* A value between two voxels of a line of `count`, which are `step` apart in memory; outside it is 0. */
static double between(const float *line, int64_t step, int64_t count, double at)
{
    const double below = floor(at), share = at - below;
    const int64_t i = (int64_t)below;
    const double low = i >= 0 && i < count ? (double)line[i * step] : 0;
    const double high = i + 1 >= 0 && i + 1 < count ? (double)line[(i + 1) * step] : 0;
    return low + share * (high - low);
}

/* ∫μ from the middles of the voxels of a slice to the outside, plane by plane from the detector's side, each from the
 * one before it. */
static void integrate(const SinoVoxelGrid *grid, const View *view, const float *attenuation, float *integral)
{
    const int axis = fabs(view->toward[0]) >= fabs(view->toward[1]) ? 0 : 1, other = 1 - axis;
    const int64_t planes = axis == 0 ? grid->x_count : grid->y_count, count = axis == 0 ? grid->y_count : grid->x_count;
    const int64_t plane_step = axis == 0 ? 1 : grid->x_count, step = axis == 0 ? grid->x_count : 1;
    const double sign[] = {1, -1}; /* of indices along x and y */
    const bool from_last = view->toward[axis] * sign[axis] > 0;
    const double length = grid->size[axis] / fabs(view->toward[axis]);
    const double shift = view->toward[other] * sign[other] * length / grid->size[other];
    for (int64_t k = 0; k < planes; k++) {
        const int64_t plane = from_last ? planes - 1 - k : k, before = from_last ? plane + 1 : plane - 1;
        for (int64_t i = 0; i < count; i++) {
            const double at = (double)i + shift;
            double sum = (double)attenuation[plane * plane_step + i * step];
            if (k > 0) sum += between(attenuation + before * plane_step, step, count, at);
            sum *= length / 2;
            if (k > 0) sum += between(integral + before * plane_step, step, count, at);
            integral[plane * plane_step + i * step] = (float)sum;
        }
    }
}

/* What a buffer keeps from one range of rows to the next, as they are often of one view. */
typedef struct Passed {
    const Spect *of;
    int64_t view;
    float share[]; /* [z][y][x]: exp(−∫μ) toward the detector */
} Passed;

/* *share: of a view; NULL: nothing is attenuated. */
static SinoStatus pass(const Spect *spect, int64_t number, SinoRowBuffer *buffer, const float **share)
{
    const SinoVoxelGrid *grid = &spect->grid;
    const int64_t slice = sino_times(grid->x_count, grid->y_count), voxels = sino_times(slice, grid->z_count);
    const int64_t bytes = (int64_t)sizeof(Passed) + sino_times(voxels, (int64_t)sizeof(float));
    const bool kept = buffer->piece_bytes >= bytes;
    Passed *passed;
    *share = NULL;
    if (!spect->attenuation) return NULL;
    SINO_TRY(sino_row_buffer_piece(buffer, bytes, &passed));
    *share = passed->share;
    if (kept && passed->of == spect && passed->view == number) return NULL;
    const View view = view_of(spect, number);
    for (int64_t z = 0; z < grid->z_count; z++)
        integrate(grid, &view, spect->attenuation + z * slice, passed->share + z * slice);
    for (int64_t i = 0; i < voxels; i++) passed->share[i] = expf(-passed->share[i]);
    passed->of = spect;
    passed->view = number;
    return NULL;
}

static SinoStatus read_rows(void *state, int64_t first, int64_t count, SinoRowBuffer *buffer)
{
    const Spect *spect = state;
    const SinoVoxelGrid *grid = &spect->grid;
    const int64_t of_view = sino_times(spect->orbit.row_count, spect->orbit.bin_count);
    const float *share;
    double *along;
    int64_t most = 0, end = 0;
    for (int64_t i = 0; i < count; i++) most += entries_of(spect, first + i);
    SINO_TRY(sino_row_buffer_need(buffer, first, count, most));
    SINO_TRY(sino_allocate(grid->z_count, sizeof *along, "shares of slices", &along));
    SinoStatus status = NULL;
    for (int64_t i = 0; i < count && !status; i++) {
        status = pass(spect, (first + i) / of_view, buffer, &share);
        if (!status) end = put_row(spect, first + i, share, along, &buffer->rows, end);
        buffer->rows.start[i + 1] = end;
    }
    free(along);
    if (status) return status;
    return sino_rows_put(spect->path, sino_times(sino_times(grid->x_count, grid->y_count), grid->z_count), NULL,
                         buffer);
}

/* ---- the file ---- */

static SinoStatus read_attenuation(Spect *spect, int64_t voxels)
{
    const SinoCountsRequest request = {
        .path = spect->camera.attenuation, .element_count = voxels, .image = true, .grid = spect->grid, .set_count = 1};
    SinoCountsFile *file = NULL;
    SINO_TRY(sino_counts_try(&request));
    SINO_TRY(sino_counts_open(&request, &file));
    SinoStatus status = sino_allocate(voxels, sizeof *spect->attenuation, "a map of attenuation", &spect->attenuation);
    if (!status) status = sino_counts_read(file, 0, 1, spect->attenuation);
    sino_counts_close(file);
    for (int64_t i = 0; i < voxels && !status; i++) {
        const double size = (double)spect->attenuation[i];
        if (size > ATTENUATION_MAX)
            status = sino_error(SINO_BAD_INPUT, "%s: voxel %" PRId64 " attenuates by %g/cm; allowed: 0 to %d",
                                spect->camera.attenuation, i, size, ATTENUATION_MAX);
        spect->attenuation[i] /= MM_PER_CM;
    }
    return status;
}

/* The voxels of the detector's bins, unless the user gives others. */
static SinoVoxelGrid grid_of(const SinoInterfileOrbit *orbit, const SinoVoxelGrid *given)
{
    SinoVoxelGrid grid = *given;
    if (grid.x_count == 0) {
        grid.x_count = grid.y_count = orbit->bin_count;
        grid.z_count = orbit->row_count;
    }
    for (int d = 0; d < 3; d++)
        if (grid.size[d] <= 0) grid.size[d] = d == 2 ? orbit->row_mm : orbit->bin_mm;
    return grid;
}

static SinoStatus frame(void *state, const SinoVoxelGrid *grid, const SinoCamera *camera, SinoMatrixOutline *outline)
{
    Spect *spect = state;
    spect->grid = grid_of(&spect->orbit, grid);
    spect->camera = *camera;
    const int64_t slice = sino_times(spect->grid.x_count, spect->grid.y_count);
    const int64_t voxels = sino_times(slice, spect->grid.z_count);
    SINO_TRY(sino_matrix_check_size(spect->path, outline->row_count, voxels));
    outline->grid = spect->grid;
    outline->column_count = voxels;
    outline->image_bytes = camera->attenuation ? sino_times(voxels, (int64_t)sizeof(float)) : 0;
    return camera->attenuation ? read_attenuation(spect, voxels) : NULL;
}

static void close_spect(void *state)
{
    Spect *spect = state;
    free(spect->attenuation);
    free(spect->orbit.radius_mm);
    free(spect);
}

static const SinoMatrixSource source = {
    .frame = frame, .takes_camera = true, .count_rows = count_rows, .read = read_rows, .close = close_spect};

static bool probe_spect(const char *path, const unsigned char *head, int64_t bytes)
{
    (void)path;
    return sino_interfile_probe((const char *)head, bytes);
}

static SinoStatus open_spect(SinoMatrixFile *file)
{
    Spect *spect = NULL;
    SINO_TRY(sino_allocate(1, sizeof *spect, "a SPECT header", &spect));
    spect->path = file->path;
    file->source = &source;
    file->state = spect;
    SINO_TRY(sino_interfile_read_orbit(file->path, &spect->orbit));
    const SinoInterfileOrbit *orbit = &spect->orbit;
    file->outline = (SinoMatrixOutline){
        .row_count = sino_times(sino_times(orbit->view_count, orbit->row_count), orbit->bin_count), .row_access = true};
    return NULL;
}

const SinoMatrixFormat sino_spect_format = {
    .name = "a SPECT header", .example = "scan.hs", .of_scans = true, .probe = probe_spect, .open = open_spect};
