/* SPDX-License-Identifier: BSD-3-Clause */
/* Vectors file of CTSimU: the JSON of a scenario, file format 1.
 *
 * Source, stage and detector have a center and unit vectors u, w and v = w x u in the world. The stage turns about its
 * w; then deviations move each of them, if the reconstruction is to know them, and centers drift, by values in the
 * scenario or in a file beside it. The volume's x, y and z are the stage's u, v and w. Columns and rows of the detector
 * run along its u and v; its center is its middle. Parallel rays run along w of the source. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "arithmetic.h"
#include "vectors_private.h"

static const double number_max = 1e8;

/* Bounds of a scenario, so that reading one ends soon. */
enum { PROJECTIONS_MAX = 100000, LIST_MAX = 16 };

typedef struct Unit {
    const char *name;
    double factor;
} Unit;

/* The first unit of each is assumed where the file names none. */
static const Unit lengths[] = {{"mm", 1}, {"nm", 1e-6}, {"um", 1e-3}, {"cm", 10}, {"dm", 100}, {"m", 1000}, {NULL, 0}};
static const Unit angles[] = {{"rad", 1}, {"deg", SINO_PI / 180}, {NULL, 0}};
static const Unit turns[] = {{"deg", SINO_PI / 180}, {"rad", 1}, {NULL, 0}};
static const Unit counts[] = {{"px", 1}, {NULL, 0}}, none[] = {{"1", 1}, {NULL, 0}};

typedef struct Scenario {
    const char *path;
    const json_t *geometry;
    int64_t count, frame; /* projections; the one that is placed */
} Scenario;

/* A part of the scanner: its center and its vectors u, v and w. */
typedef struct Part {
    double center[3], axis[3][3];
} Part;

static bool is_not_false(const json_t *object, const char *name)
{
    return !json_is_false(json_object_get(object, name));
}

static SinoStatus factor_of(const Scenario *scenario, const json_t *object, const Unit *units, double *factor)
{
    const char *name = json_string_value(json_object_get(object, "unit"));
    for (const Unit *unit = units; unit->name; unit++)
        if (!name || strcmp(name, unit->name) == 0) {
            *factor = unit->factor;
            return NULL;
        }
    return sino_error(SINO_BAD_INPUT, "%s has a value in %.16s; allowed: %s and its like", scenario->path, name,
                      units->name);
}

/* *list: object.name; NULL: there is none. */
static SinoStatus read_list(const Scenario *scenario, const json_t *object, const char *name, const json_t **list)
{
    const json_t *value = json_object_get(object, name);
    SINO_CHECK(!value || json_is_null(value) || (json_is_array(value) && json_array_size(value) <= LIST_MAX),
               SINO_BAD_INPUT, "%s has %s that are no list, or a long one; allowed: a list of up to %d", scenario->path,
               name, (int)LIST_MAX);
    *list = json_is_array(value) ? value : NULL;
    return NULL;
}

/* Appends the first number of each line, but for empty ones and those that begin with '#'. */
static SinoStatus parse_values(const SinoHeaderText *text, json_t *values)
{
    for (const char *line = text->text; *line;) {
        const size_t length = strcspn(line, "\r\n");
        const char *at = line + strspn(line, " \t");
        if (at < line + length && *at != '#') {
            char *end;
            const double value = strtod_l(at, &end, text->c_locale);
            SINO_CHECK(end > at && isfinite(value) && strchr(" \t,;\r\n", *end), SINO_BAD_INPUT,
                       "%s has a line '%.*s'; allowed: lines that begin with a number", text->path,
                       (int)sino_smaller((int64_t)length, 40), line);
            SINO_CHECK(json_array_size(values) < PROJECTIONS_MAX, SINO_BAD_INPUT,
                       "%s has many lines; allowed: up to %d", text->path, (int)PROJECTIONS_MAX);
            SINO_CHECK(json_array_append_new(values, json_real(value)) == 0, SINO_FAILED, "no memory for drifts");
        }
        line += length + strspn(line + length, "\r\n");
    }
    return NULL;
}

/* A drift whose values are in a file beside the scenario gets them, once. */
static SinoStatus read_file(const Scenario *scenario, json_t *drift)
{
    const char *name = json_string_value(json_object_get(drift, "file"));
    const json_t *value = json_object_get(drift, "value");
    if (!name || (value && !json_is_null(value))) return NULL;
    const char *slash = strrchr(scenario->path, '/');
    const int folder = slash && *name != '/' ? (int)(slash + 1 - scenario->path) : 0;
    SinoHeaderText text = {.path = NULL};
    char *path;
    SINO_CHECK(asprintf(&path, "%.*s%s", folder, scenario->path, name) >= 0, SINO_FAILED, "no memory for a file name");
    json_t *values = json_array();
    SinoStatus status = values ? sino_header_text_read(path, &text) : sino_error(SINO_FAILED, "no memory for drifts");
    if (!status) status = parse_values(&text, values);
    if (!status && json_object_set(drift, "value", values) != 0)
        status = sino_error(SINO_FAILED, "no memory for drifts");
    sino_header_text_clear(&text);
    json_decref(values);
    free(path);
    return status;
}

/* Numbers that are spread over the projections, with a line between each two. */
static double between(const json_t *list, const Scenario *scenario)
{
    const size_t last = json_array_size(list) - 1;
    const double at = scenario->count > 1 ? (double)last * (double)scenario->frame / (double)(scenario->count - 1) : 0;
    const size_t left = (size_t)at, right = left < last ? left + 1 : last;
    const double a = json_number_value(json_array_get(list, left)), b = json_number_value(json_array_get(list, right));
    return a + (at - (double)left) * (b - a);
}

/* *drift: the sum of the drifts that the reconstruction is to know, at the frame. */
static SinoStatus read_drift(const Scenario *scenario, const json_t *parameter, const Unit *units, double *drift)
{
    size_t i;
    json_t *one;
    const json_t *list = NULL;
    *drift = 0;
    SINO_TRY(read_list(scenario, parameter, "drifts", &list));
    json_array_foreach(list, i, one)
    {
        double factor = 1;
        if (!is_not_false(one, "known_to_reconstruction")) continue;
        SINO_TRY(read_file(scenario, one));
        const json_t *value = json_object_get(one, "value");
        SINO_TRY(factor_of(scenario, one, units, &factor));
        SINO_CHECK(json_is_number(value) || json_array_size(value) > 0, SINO_BAD_INPUT,
                   "%s has a drift without values; allowed: numbers, or a file of them", scenario->path);
        *drift += factor * (json_is_number(value) ? json_number_value(value) : between(value, scenario));
    }
    return NULL;
}

/* Reads object.name, a number or {value, unit, drifts}. */
static SinoStatus read_number(const Scenario *scenario, const json_t *object, const char *name, const Unit *units,
                              double *value, double *drift)
{
    double factor = 1;
    const json_t *parameter = json_object_get(object, name);
    const json_t *number = json_is_number(parameter) ? parameter : json_object_get(parameter, "value");
    SINO_CHECK(json_is_number(number), SINO_BAD_INPUT, "%s does not tell a number %s; allowed: a scenario of CTSimU",
               scenario->path, name);
    SINO_TRY(factor_of(scenario, parameter, units, &factor));
    SINO_TRY(read_drift(scenario, parameter, units, drift));
    *value = factor * json_number_value(number);
    SINO_CHECK(fabs(*value) <= number_max && fabs(*drift) <= number_max, SINO_BAD_INPUT,
               "%s: %s is %g; allowed: up to %g", scenario->path, name, *value + *drift, number_max);
    return NULL;
}

static SinoStatus read_count(const Scenario *scenario, const json_t *object, const char *name, int64_t *count)
{
    double value = NAN, drift;
    SINO_TRY(read_number(scenario, object, name, counts, &value, &drift));
    SINO_CHECK(value >= 1 && value <= number_max && value == floor(value), SINO_BAD_INPUT,
               "%s: %s is %g; allowed: an integer from 1 on", scenario->path, name, value);
    *count = (int64_t)value;
    return NULL;
}

/* Reads the members that `letters` name. */
static SinoStatus read_vector(const Scenario *scenario, const json_t *object, const char letters[3], const Unit *units,
                              double vector[3], double drift[3])
{
    for (int i = 0; i < 3; i++) {
        const char name[2] = {letters[i], '\0'};
        SINO_TRY(read_number(scenario, object, name, units, &vector[i], &drift[i]));
    }
    return NULL;
}

static double length_of(const double vector[3])
{
    return sqrt(sino_view_dot(vector, vector));
}

/* to += times·vector */
static void add(double to[3], double times, const double vector[3])
{
    for (int i = 0; i < 3; i++) to[i] += times * vector[i];
}

/* Turns a vector about an axis of length 1 (Rodrigues). */
static void turn(const double axis[3], double angle_rad, double vector[3])
{
    double side[3];
    const double along = (1 - cos(angle_rad)) * sino_view_dot(axis, vector);
    sino_view_cross(axis, vector, side);
    for (int i = 0; i < 3; i++) vector[i] = cos(angle_rad) * vector[i] + sin(angle_rad) * side[i] + along * axis[i];
}

/* A vector of the world, by its members x, y and z, or of the part, by u, v and w; *local says which. */
static SinoStatus read_either(const Scenario *scenario, const json_t *object, const Part *part, const Unit *units,
                              double vector[3], bool *local)
{
    double given[3] = {0}, drift[3] = {0};
    *local = json_object_get(object, "u") != NULL;
    SINO_TRY(read_vector(scenario, object, *local ? "uvw" : "xyz", units, given, drift));
    for (int i = 0; i < 3; i++) vector[i] = *local ? 0 : given[i] + drift[i];
    for (int i = 0; i < 3 && *local; i++) add(vector, given[i] + drift[i], part->axis[i]);
    return NULL;
}

static SinoStatus read_axis(const Scenario *scenario, const json_t *axis, const Part *part, double vector[3])
{
    static const char letters[] = "xyzuvw";
    const char *word = json_string_value(axis);
    bool local;
    if (word) {
        const char *letter = *word && !word[1] ? strchr(letters, *word) : NULL;
        SINO_CHECK(letter, SINO_BAD_INPUT, "%s has a deviation along %.16s; allowed: x, y, z, u, v, w or a vector",
                   scenario->path, word);
        const int i = (int)(letter - letters);
        for (int k = 0; k < 3; k++) vector[k] = i < 3 ? (double)(k == i) : part->axis[i - 3][k];
        return NULL;
    }
    SINO_TRY(read_either(scenario, axis, part, none, vector, &local));
    const double length = length_of(vector);
    SINO_CHECK(length > 1e-9, SINO_BAD_INPUT, "%s has a deviation along a vector of length %g; allowed: above 0",
               scenario->path, length);
    for (int k = 0; k < 3; k++) vector[k] /= length;
    return NULL;
}

static SinoStatus turn_part(const Scenario *scenario, const json_t *deviation, const double axis[3], double angle_rad,
                            Part *part)
{
    double pivot[3] = {0};
    const json_t *given = json_object_get(deviation, "pivot");
    bool local = true;
    if (json_is_object(given)) SINO_TRY(read_either(scenario, given, part, lengths, pivot, &local));
    if (local) add(pivot, 1, part->center);
    add(part->center, -1, pivot);
    turn(axis, angle_rad, part->center);
    add(part->center, 1, pivot);
    for (int i = 0; i < 3; i++) turn(axis, angle_rad, part->axis[i]);
    return NULL;
}

static SinoStatus deviate(const Scenario *scenario, const json_t *deviation, Part *part)
{
    double axis[3], amount, drift;
    const char *type = json_string_value(json_object_get(deviation, "type"));
    const bool rotation = type && strcmp(type, "rotation") == 0;
    if (!is_not_false(deviation, "known_to_reconstruction")) return NULL;
    SINO_CHECK(rotation || (type && strcmp(type, "translation") == 0), SINO_BAD_INPUT,
               "%s has a deviation of type %.16s; allowed: translation or rotation", scenario->path,
               type ? type : "that is no word");
    SINO_TRY(read_axis(scenario, json_object_get(deviation, "axis"), part, axis));
    SINO_TRY(read_number(scenario, deviation, "amount", rotation ? angles : lengths, &amount, &drift));
    if (rotation) return turn_part(scenario, deviation, axis, amount + drift, part);
    add(part->center, amount + drift, axis);
    return NULL;
}

/* Takes the directions u and w, which must be at right angles. */
static SinoStatus read_axes(const Scenario *scenario, const json_t *object, const char *name, Part *part)
{
    static const char *const names[2] = {"vector_u", "vector_w"};
    double drift[3];
    double *const axes[2] = {part->axis[0], part->axis[2]};
    for (int i = 0; i < 2; i++) {
        double *axis = axes[i];
        SINO_TRY(read_vector(scenario, json_object_get(object, names[i]), "xyz", none, axis, drift));
        const double length = length_of(axis);
        SINO_CHECK(length > 1e-9 && length_of(drift) == 0, SINO_BAD_INPUT,
                   "%s: %s of the %s %s; allowed: a direction that does not drift", scenario->path, names[i], name,
                   length > 1e-9 ? "drifts" : "has no length");
        for (int k = 0; k < 3; k++) axis[k] /= length;
    }
    const double cosine = sino_view_dot(part->axis[0], part->axis[2]);
    SINO_CHECK(fabs(cosine) < 1e-6, SINO_BAD_INPUT,
               "%s: vector_u and vector_w of the %s have the cosine %g; allowed: right angles", scenario->path, name,
               cosine);
    sino_view_cross(part->axis[2], part->axis[0], part->axis[1]);
    return NULL;
}

static SinoStatus place(const Scenario *scenario, const char *name, double angle_rad, Part *part)
{
    const json_t *object = json_object_get(scenario->geometry, name);
    const json_t *deviations = NULL;
    json_t *deviation;
    double drift[3];
    size_t i;
    SINO_CHECK(!json_is_object(json_object_get(object, "deviation")), SINO_BAD_INPUT,
               "%s has a deviation of the %s as before file format 1; allowed: its deviations", scenario->path, name);
    SINO_TRY(read_vector(scenario, json_object_get(object, "center"), "xyz", lengths, part->center, drift));
    SINO_TRY(read_axes(scenario, object, name, part));
    for (int k = 0; k < 2; k++) turn(part->axis[2], angle_rad, part->axis[k]);
    SINO_TRY(read_list(scenario, object, "deviations", &deviations));
    json_array_foreach(deviations, i, deviation) SINO_TRY(deviate(scenario, deviation, part));
    add(part->center, 1, drift);
    return NULL;
}

/* The angle of the stage at the frame. */
static SinoStatus read_angle(const Scenario *scenario, const json_t *acquisition, double *angle_rad)
{
    double start, stop, drift;
    const char *direction = json_string_value(json_object_get(acquisition, "direction"));
    const int64_t steps = scenario->count - is_not_false(acquisition, "include_final_angle");
    SINO_TRY(read_number(scenario, acquisition, "start_angle", turns, &start, &drift));
    SINO_TRY(read_number(scenario, acquisition, "stop_angle", turns, &stop, &drift));
    SINO_CHECK(direction && (strcmp(direction, "CCW") == 0 || strcmp(direction, "CW") == 0), SINO_BAD_INPUT,
               "%s: direction is %.16s; allowed: CCW or CW", scenario->path, direction ? direction : "no word");
    const double angle = start + (stop - start) * (double)scenario->frame / (double)sino_larger(steps, 1);
    *angle_rad = direction[1] == 'W' ? -angle : angle;
    return NULL;
}

static SinoStatus make_view(const Scenario *scenario, const json_t *acquisition, bool parallel, const double pitch[2],
                            SinoView *view)
{
    Part source, stage, detector;
    double angle_rad;
    SINO_TRY(read_angle(scenario, acquisition, &angle_rad));
    SINO_TRY(place(scenario, "source", 0, &source));
    SINO_TRY(place(scenario, "stage", angle_rad, &stage));
    SINO_TRY(place(scenario, "detector", 0, &detector));
    add(source.center, -1, stage.center);
    add(detector.center, -1, stage.center);
    view->parallel = parallel;
    for (int i = 0; i < 3; i++) {
        view->source[i] = sino_view_dot(stage.axis[i], parallel ? source.axis[2] : source.center);
        view->first[i] = sino_view_dot(stage.axis[i], detector.center);
        view->column[i] = pitch[0] * sino_view_dot(stage.axis[i], detector.axis[0]);
        view->row[i] = pitch[1] * sino_view_dot(stage.axis[i], detector.axis[1]);
    }
    return NULL;
}

/* Sizes of the images' pixels, and how many there are. */
static SinoStatus read_detector(const Scenario *scenario, const json_t *root, double pitch[2], SinoVectors *vectors)
{
    static const char *const axes[2] = {"u", "v"}, *const names[2] = {"columns", "rows"};
    const json_t *detector = json_object_get(root, "detector");
    const json_t *binnings = json_object_get(json_object_get(root, "acquisition"), "pixel_binning");
    int64_t *const count[2] = {&vectors->column_count, &vectors->row_count};
    for (int i = 0; i < 2; i++) {
        int64_t binning = 1;
        double drift;
        SINO_TRY(read_count(scenario, detector, names[i], count[i]));
        SINO_TRY(read_number(scenario, json_object_get(detector, "pixel_pitch"), axes[i], lengths, &pitch[i], &drift));
        SINO_CHECK(pitch[i] > 0, SINO_BAD_INPUT, "%s: pixel_pitch is %g mm; allowed: above 0", scenario->path,
                   pitch[i]);
        if (json_is_object(binnings)) SINO_TRY(read_count(scenario, binnings, axes[i], &binning));
        SINO_CHECK(*count[i] % binning == 0, SINO_BAD_INPUT,
                   "%s: pixel_binning is %" PRId64 " of %" PRId64 " %s; allowed: a divisor", scenario->path, binning,
                   *count[i], names[i]);
        *count[i] /= binning;
        pitch[i] *= (double)binning;
    }
    return NULL;
}

static SinoStatus take(const char *path, const json_t *root, SinoVectors *vectors)
{
    const json_t *acquisition = json_object_get(root, "acquisition");
    Scenario scenario = {.path = path, .geometry = json_object_get(root, "geometry"), .count = 1};
    const char *type = json_string_value(json_object_get(json_object_get(scenario.geometry, "source"), "type"));
    double pitch[2];
    SINO_CHECK(json_is_object(scenario.geometry) && json_is_object(acquisition), SINO_BAD_INPUT,
               "%s has no geometry and acquisition; allowed: a scenario of CTSimU, no metadata", path);
    SINO_CHECK(!type || strcmp(type, "cone") == 0 || strcmp(type, "parallel") == 0, SINO_BAD_INPUT,
               "%s: the type of the source is %.16s; allowed: cone or parallel", path, type);
    SINO_TRY(read_detector(&scenario, root, pitch, vectors));
    SINO_TRY(read_count(&scenario, acquisition, "number_of_projections", &scenario.count));
    SINO_CHECK(scenario.count <= PROJECTIONS_MAX, SINO_BAD_INPUT,
               "%s: number_of_projections is %" PRId64 "; allowed: up to %d", path, scenario.count,
               (int)PROJECTIONS_MAX);
    SINO_TRY(sino_vectors_new(path, scenario.count, vectors));
    for (scenario.frame = 0; scenario.frame < scenario.count; scenario.frame++)
        SINO_TRY(make_view(&scenario, acquisition, type && *type == 'p', pitch, &vectors->view[scenario.frame]));
    return NULL;
}

static bool probe(const char *head, int64_t bytes)
{
    (void)bytes;
    return head[strspn(head, " \t\r\n")] == '{';
}

static SinoStatus parse(const SinoHeaderText *text, SinoVectors *vectors)
{
    json_error_t error;
    json_t *root = json_loads(text->text, JSON_REJECT_DUPLICATES, &error);
    SINO_CHECK(root, SINO_BAD_INPUT, "%s is no JSON: line %d: %s; allowed: a scenario of CTSimU", text->path,
               error.line, error.text);
    SinoStatus status = take(text->path, root, vectors);
    json_decref(root);
    return status;
}

const SinoVectorsFormat sino_vectors_ctsimu = {.probe = probe, .parse = parse};
