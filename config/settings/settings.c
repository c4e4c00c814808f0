/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings: combines defaults, YAML file and arguments into one checked SinoSettings. */
#include "settings.h"

#include "files.h"
#include "memory.h"
#include "settings_table.h"
#include "settings_vary.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    RECON = SINO_VERB_RECON,
    INIT = SINO_VERB_INIT,
    PHANTOM = SINO_VERB_PHANTOM,
    INFO = SINO_VERB_INFO,
    DEMO = SINO_VERB_DEMO,
    BENCH = SINO_VERB_BENCH,
    PLAN = SINO_VERB_PLAN,
    SIMULATE = SINO_VERB_SIMULATE,
    SWEEP = SINO_VERB_SWEEP,
    COMPARE = SINO_VERB_COMPARE,
    JOIN = SINO_VERB_JOIN
};

/* Sets every default. Where several rows share a name, the verb's own row counts. Settings of other verbs get their
 * defaults too, because info plans with the settings of recon. */
static SinoStatus assign_defaults(int verb, SinoSettings *settings)
{
    for (const SinoSetting *row = sino_setting_table; row < sino_setting_table + SINO_SETTING_COUNT; row++)
        if (row->fallback && ((row->verbs & verb) || sino_setting_find(verb, row->name, strlen(row->name)) == row))
            SINO_TRY(sino_setting_assign(row, row->name, row->fallback, settings));
    return NULL;
}

static SinoStatus assign_arguments(const char *const text[SINO_SETTING_COUNT], SinoSettings *settings,
                                   bool given[SINO_SETTING_COUNT])
{
    for (int i = 0; i < SINO_SETTING_COUNT; i++) {
        if (!text[i]) continue;
        char where[40];
        snprintf(where, sizeof where, "--%s", sino_setting_table[i].name);
        SINO_TRY(sino_setting_assign_given(&sino_setting_table[i], where, text[i], settings));
        given[i] = true;
    }
    return NULL;
}

/* The input files after the first. */
static SinoStatus take_files(int verb, const SinoArguments *arguments, SinoSettings *settings)
{
    SinoNameList *files = &settings->input.more_files;
    const SinoSetting *row = sino_setting_find(verb, "file-name", 9);
    if (arguments->more_count == 0) return NULL;
    SINO_TRY(sino_allocate(arguments->more_count, sizeof *files->name, "file names", &files->name));
    files->count = arguments->more_count;
    for (int64_t i = 0; i < files->count; i++)
        SINO_TRY(sino_setting_assign_member(row, "--file-name", arguments->more[i], (char *)&files->name[i]));
    return NULL;
}

static SinoStatus check_axis(const SinoSettings *settings)
{
    SINO_CHECK(settings->input.file_name || isnan(settings->center.rotation_axis), SINO_BAD_INPUT,
               "--rotation-axis is that of a file; allowed: with an input file");
    return NULL;
}

/* Without an input file, plan and simulate need a description of the scan. */
static SinoStatus check_described(const SinoVerbText *verb, const SinoSettings *settings)
{
    SINO_CHECK(settings->phantom.angles && settings->input.columns && settings->phantom.slices, SINO_BAD_INPUT,
               "%s has neither an input file nor all of --angles, --columns and --slices; needed: %s", verb->name,
               verb->usage);
    const char *const given[][2] = {{"flats", settings->input.flats},
                                    {"darks", settings->input.darks},
                                    {"dataset", settings->input.dataset},
                                    {"theta-dataset", settings->input.theta_dataset}};
    for (size_t i = 0; i < sizeof given / sizeof *given; i++)
        SINO_CHECK(!given[i][1], SINO_BAD_INPUT, "--%s is '%s' without an input file; allowed: with one", given[i][0],
                   given[i][1]);
    const bool whole = settings->input.start_row == 0 && settings->input.end_row == -1 &&
                       settings->input.start_column == 0 && settings->input.end_column == -1 &&
                       settings->input.binning == 1 && !settings->input.exclude && isnan(settings->input.start_angle) &&
                       isnan(settings->input.end_angle) && settings->input.angle_binning == 1;
    SINO_CHECK(whole, SINO_BAD_INPUT,
               "--binning, --exclude and ranges of rows, columns or angles choose a part of a file; allowed: with an "
               "input file");
    SINO_CHECK(!settings->output.halves, SINO_BAD_INPUT,
               "--halves takes every second projection of a file; allowed: with an input file");
    return NULL;
}

static SinoStatus check_file_alone(const SinoSettings *settings)
{
    SINO_CHECK(!settings->phantom.angles && !settings->phantom.slices, SINO_BAD_INPUT,
               "--angles and --slices describe a scan without a file; allowed: without '%s'",
               settings->input.file_name);
    return NULL;
}

static SinoStatus check_needed(int verb, const SinoSettings *settings)
{
    const SinoVerbText *text = sino_verb_text(verb);
    SINO_CHECK(verb != COMPARE || (settings->input.file_name && settings->compare.reference), SINO_BAD_INPUT,
               "compare has no %s; needed: %s", settings->input.file_name ? "reference" : "input files", text->usage);
    SINO_CHECK(settings->input.file_name || !(verb & (RECON | INFO | INIT | JOIN)), SINO_BAD_INPUT,
               "%s has no input file; needed: %s", text->name, text->usage);
    SINO_CHECK(!(verb & (PLAN | SIMULATE)) || settings->input.file_name || !settings->counts.system_matrix,
               SINO_BAD_INPUT, "%s has no counts of --system-matrix %s; needed: sinodag %s COUNTS --system-matrix FILE",
               text->name, settings->counts.system_matrix, text->name);
    SINO_CHECK(settings->output.path || !(verb & (RECON | PHANTOM | INIT | JOIN)), SINO_BAD_INPUT,
               "%s has no --out; needed: %s", text->name, text->usage);
    if (!(verb & (PLAN | SIMULATE))) return NULL;
    SINO_TRY(check_axis(settings));
    return settings->input.file_name ? check_file_alone(settings) : check_described(text, settings);
}

/* The value of the setting `name` as a word, if it contradicts --data; NULL: it does not. */
static const char *contradiction(SinoScanValues values, const SinoInputSettings *settings, const SinoSetting *row)
{
    const bool flats = values == SINO_VALUES_COUNTS, logarithm = values != SINO_VALUES_LINE_INTEGRALS;
    if (row->kind == SINO_SETTING_FLAG) return settings->minus_log == logarithm ? NULL : logarithm ? "no" : "yes";
    const bool given_flats = settings->flat_correction != SINO_FLAT_NONE;
    return given_flats == flats ? NULL : row->choices[settings->flat_correction];
}

/* Sets --flat-correction and --minus-log to what --data implies; an explicit other value is an error. */
static SinoStatus settle_values(int verb, const bool given[SINO_SETTING_COUNT], SinoSettings *settings)
{
    static const char *const names[] = {"flat-correction", "minus-log"};
    const SinoScanValues values = settings->input.scan_values;
    if (values == SINO_VALUES_AUTO || values == SINO_VALUES_EVENTS) return NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const SinoSetting *row = sino_setting_find(verb, names[i], strlen(names[i]));
        const char *value = contradiction(values, &settings->input, row);
        SINO_CHECK(!value || !given[row - sino_setting_table], SINO_BAD_INPUT,
                   "--%s %s contradicts --data %s; allowed: one of them", names[i], value,
                   sino_setting_find(verb, "data", 4)->choices[values]);
    }
    if (values != SINO_VALUES_COUNTS) settings->input.flat_correction = SINO_FLAT_NONE;
    if (values == SINO_VALUES_LINE_INTEGRALS) settings->input.minus_log = false;
    return NULL;
}

/* A program that reads the log as JSON reads the result as JSON, too, unless it is told otherwise. */
static void settle_json(int verb, const bool given[SINO_SETTING_COUNT], SinoSettings *settings)
{
    const SinoSetting *row = sino_setting_find(verb, "json", 4);
    if ((row->verbs & verb) && !given[row - sino_setting_table]) settings->output.json = settings->log == SINO_LOG_JSON;
}

static SinoStatus check_range(const char *what, int64_t start, int64_t end)
{
    SINO_CHECK(end == -1 || end > start, SINO_BAD_INPUT,
               "empty %s range: --start-%s is %" PRId64 ", --end-%s is %" PRId64
               "; allowed: an end above the start, or "
               "-1",
               what, what, start, what, end);
    return NULL;
}

/* A file implies the geometry that it is of. */
static SinoStatus imply_geometry(const SinoSetting *row, bool given, const char *name, const char *file,
                                 SinoGeometryChoice of_file, SinoGeometryChoice *geometry)
{
    SINO_CHECK(file || *geometry != of_file, SINO_BAD_INPUT, "--geometry is %s without --%s; needed: --%s FILE",
               row->choices[of_file], name, name);
    if (!file) return NULL;
    SINO_CHECK(!given || *geometry == of_file, SINO_BAD_INPUT,
               "--geometry %s contradicts --%s %s; allowed: one of them", row->choices[*geometry], name, file);
    *geometry = of_file;
    return NULL;
}

static SinoStatus settle_geometry(int verb, const bool given[SINO_SETTING_COUNT], SinoSettings *settings)
{
    const SinoSetting *row = sino_setting_find(verb, "geometry", 8);
    SinoGeometryChoice *geometry = &settings->geometry.kind;
    if (!row) return NULL;
    const bool is_given = given[row - sino_setting_table];
    SINO_TRY(
        imply_geometry(row, is_given, "system-matrix", settings->counts.system_matrix, SINO_GEOMETRY_MATRIX, geometry));
    return imply_geometry(row, is_given || settings->counts.system_matrix, "vectors", settings->geometry.vectors,
                          SINO_GEOMETRY_VECTORS, geometry);
}

/* fista compares neighbouring voxels of a slice, which must lie in one rank, and multiplies by A of a subset of the
 * angles. --reconstruction-type try takes cg, which needs no strength. */
static bool allows_fista(const SinoSettings *settings)
{
    return settings->team.grid.data_ranks <= 1 && settings->projection.projector != SINO_PROJECTOR_TOEPLITZ &&
           settings->center.reconstruction_type == SINO_RECONSTRUCTION_FULL;
}

/* A cone beam has an algorithm of its own, which is its default; counts of a system matrix are mostly counts of
 * emissions. */
static void settle_algorithm(int verb, const bool given[SINO_SETTING_COUNT], SinoSettings *settings)
{
    const SinoSetting *row = sino_setting_find(verb, "algorithm", 9);
    settings->solver.usual_algorithm = !given[row - sino_setting_table];
    if (!settings->solver.usual_algorithm) return;
    if (settings->solver.algorithm == SINO_ALGORITHM_FISTA && !allows_fista(settings))
        settings->solver.algorithm = SINO_ALGORITHM_CG;
    if (verb == INFO) settings->solver.algorithm = SINO_ALGORITHM_FISTA; /* of the recon whose memory it tells */
    if (sino_geometry_is_cone(settings->geometry.kind) && verb != PHANTOM)
        settings->solver.algorithm = SINO_ALGORITHM_FDK;
    if (settings->geometry.kind == SINO_GEOMETRY_VECTORS) settings->solver.algorithm = SINO_ALGORITHM_CG;
    if (settings->geometry.kind == SINO_GEOMETRY_MATRIX) settings->solver.algorithm = SINO_ALGORITHM_MLEM;
    if (settings->geometry.kind == SINO_GEOMETRY_PET) settings->solver.algorithm = SINO_ALGORITHM_OSEM;
}

static SinoStatus assign_unless_given(int verb, const char *name, const char *value,
                                      const bool given[SINO_SETTING_COUNT], SinoSettings *settings)
{
    const SinoSetting *row = sino_setting_find(verb, name, strlen(name));
    return given[row - sino_setting_table] ? NULL : sino_setting_assign(row, name, value, settings);
}

/* What bench measures by default of a cone beam and of a system matrix. */
static SinoStatus settle_sizes(int verb, const bool given[SINO_SETTING_COUNT], SinoSettings *settings)
{
    if (verb != BENCH) return NULL;
    if (settings->geometry.kind == SINO_GEOMETRY_MATRIX)
        return assign_unless_given(verb, "slices", "1,8", given, settings);
    if (!sino_geometry_is_cone(settings->geometry.kind)) return NULL;
    SINO_TRY(assign_unless_given(verb, "columns", "256", given, settings));
    return assign_unless_given(verb, "angles", "360", given, settings);
}

static SinoStatus settle_iterations(int verb, const bool given[SINO_SETTING_COUNT], SinoSettings *settings)
{
    const SinoSetting *row = sino_setting_find(verb, "iterations", 10);
    settings->solver.usual_iterations = !row || !given[row - sino_setting_table];
    if (!row) return NULL;
    return assign_unless_given(verb, "iterations", sino_setting_settled(row, verb, settings), given, settings);
}

static SinoStatus settle_prior(int verb, const bool given[SINO_SETTING_COUNT], SinoSettings *settings)
{
    const SinoSetting *row = sino_setting_find(verb, "prior", 5);
    if (!row) return NULL;
    return assign_unless_given(verb, "prior", sino_setting_settled(row, verb, settings), given, settings);
}

/* A slice has two sides, an image three. */
static SinoStatus check_volume(const SinoGeometrySettings *settings)
{
    const SinoVolumeShape *volume = &settings->volume;
    SINO_CHECK(volume->z == 0 || settings->kind != SINO_GEOMETRY_PARALLEL, SINO_BAD_INPUT,
               "--volume is %" PRId64 "x%" PRId64 "x%" PRId64 "; allowed with --geometry parallel: auto, or the sides "
               "of a slice such as %" PRId64 "x%" PRId64,
               volume->x, volume->y, volume->z, volume->x, volume->y);
    SINO_CHECK(volume->x == 0 || volume->z > 0 || settings->kind != SINO_GEOMETRY_MATRIX, SINO_BAD_INPUT,
               "--volume is %" PRId64 "x%" PRId64 "; allowed with --geometry matrix: auto, or three sides such as "
               "%" PRId64 "x%" PRId64 "x1",
               volume->x, volume->y, volume->x, volume->y);
    return NULL;
}

/* Settings and words that the algorithm or the geometry does not have. */
static SinoStatus check_applicable(int verb, const bool given[SINO_SETTING_COUNT], const SinoSettings *settings)
{
    SINO_TRY(sino_setting_check(sino_setting_find(verb, "algorithm", 9), settings));
    for (int i = 0; i < SINO_SETTING_COUNT; i++)
        if (given[i]) SINO_TRY(sino_setting_check(&sino_setting_table[i], settings));
    return verb == COMPARE ? NULL
                           : check_volume(&settings->geometry); /* of raw volumes the verb itself says what it needs */
}

/* The values that are tried. */
static SinoStatus check_swept(int verb, const SinoSettings *settings)
{
    SinoSwept swept;
    if (!(verb & (RECON | INIT)) || !settings->center.sweep) return NULL;
    return sino_swept_read(settings, settings->center.sweep, &swept);
}

/* --partitions and --topology both set the number of partitions of a slice, so only one may be given. */
static SinoStatus check_shares(const SinoSettings *settings)
{
    SINO_CHECK(settings->runtime.partitions == 0 || settings->team.topology.workers == 0, SINO_BAD_INPUT,
               "--partitions is %" PRId64 ", and --topology has workers=%" PRId64 "; allowed: one of them",
               settings->runtime.partitions, settings->team.topology.workers);
    const int64_t nodes = settings->team.topology.nodes, ranks = settings->team.grid.data_ranks;
    SINO_CHECK(nodes == 0 || ranks == 0 || nodes % ranks == 0, SINO_BAD_INPUT,
               "--topology has nodes=%" PRId64 ", and --grid %" PRId64 " ranks for each slice; allowed: a multiple of "
               "them",
               nodes, ranks);
    return NULL;
}

static SinoStatus name_files(const SinoSettings *settings, SinoNamedFiles *files)
{
    SINO_TRY(sino_files_input(files, "the input file", settings->input.file_name));
    for (int64_t i = 0; i < settings->input.more_files.count; i++)
        SINO_TRY(sino_files_input(files, "an input file", settings->input.more_files.name[i]));
    SINO_TRY(sino_files_input(files, "the reference", settings->compare.reference));
    SINO_TRY(sino_files_input(files, "--theta", settings->input.theta));
    SINO_TRY(sino_files_input(files, "--flats", settings->input.flats));
    SINO_TRY(sino_files_input(files, "--darks", settings->input.darks));
    SINO_TRY(sino_files_input(files, "--system-matrix", settings->counts.system_matrix));
    SINO_TRY(sino_files_input(files, "--multiplicative", settings->counts.multiplicative));
    SINO_TRY(sino_files_input(files, "--additive", settings->counts.additive));
    SINO_TRY(sino_files_input(files, "--sensitivity", settings->counts.sensitivity));
    SINO_TRY(sino_files_input(files, "--attenuation-map", settings->counts.attenuation_map));
    SINO_TRY(sino_files_input(files, "--start", settings->solver.start));
    SINO_TRY(sino_files_input(files, "--mask", settings->solver.mask));
    if (settings->solver.weights == SINO_WEIGHTS_FILE)
        SINO_TRY(sino_files_input(files, "--weights", settings->solver.weights_file));
    SINO_TRY(sino_files_input(files, "--config", settings->config));
    SINO_TRY(sino_files_output(files, "--out", settings->output.path));
    SINO_TRY(sino_files_output(files, "--graph", settings->runtime.graph));
    SINO_TRY(sino_files_output(files, "--trace", settings->runtime.trace));
    SINO_TRY(sino_files_output(files, "--profile", sino_settings_profile_file(&settings->runtime)));
    SINO_TRY(sino_files_output(files, "--operator-cache", settings->projection.cache));
    SINO_TRY(sino_files_output(files, "--truth", settings->phantom.truth));
    SINO_TRY(sino_files_output(files, "--csv", settings->bench.csv));
    SINO_TRY(sino_files_output(files, "--report", settings->sweep.report));
    SINO_TRY(sino_files_output(files, "--report", sino_settings_report_file(settings)));
    SINO_TRY(sino_files_output(files, "--plots", settings->sweep.plots));
    SINO_TRY(sino_files_output(files, "--keep", settings->sweep.keep));
    SINO_TRY(sino_files_output(files, "--archive", settings->sweep.archive));
    SINO_TRY(sino_files_output(files, "--frc", settings->compare.frc));
    SINO_TRY(sino_files_output(files, "--picture", settings->compare.picture));
    SINO_TRY(sino_files_output(files, "--error-map", settings->compare.error_map));
    return sino_files_output(files, "--roofline", settings->bench.roofline);
}

/* Refuses outputs that name an input or another output: with --overwrite they would replace the scan. */
static SinoStatus check_files(const SinoSettings *settings)
{
    SinoNamedFiles files = {0};
    SinoStatus status = name_files(settings, &files);
    if (!status) status = sino_files_check(&files);
    sino_files_free(&files);
    return status;
}

static SinoStatus check_raw(int verb, const SinoInputSettings *settings)
{
    const bool described = verb == BENCH || !settings->file_name; /* by sizes */
    SINO_CHECK(described || !settings->columns || settings->theta, SINO_BAD_INPUT,
               "--columns is %" PRId64 " without --theta; raw sinograms need both", settings->columns);
    return NULL;
}

/* A scan has sizes of its own; only a simulation has another machine. */
static SinoStatus check_sweep(const bool given[SINO_SETTING_COUNT], const SinoSettings *settings)
{
    static const char *const sizes[] = {"columns", "angles", "slices"};
    SINO_CHECK(settings->bench.csv, SINO_BAD_INPUT, "sweep has no --csv; needed: %s", sino_verb_text(SWEEP)->usage);
    for (size_t i = 0; settings->input.file_name && i < sizeof sizes / sizeof *sizes; i++) {
        const SinoSetting *row = sino_setting_find(SWEEP, sizes[i], strlen(sizes[i]));
        SINO_CHECK(!given[row - sino_setting_table], SINO_BAD_INPUT,
                   "--%s describes scans without a file; allowed: without '%s'", sizes[i], settings->input.file_name);
    }
    return check_axis(settings);
}

/* Refuses a name by which others take an HDF5 file for another one. */
static SinoStatus check_hdf5(const char *option, const char *path)
{
    static const char *const others[] = {".tif", ".tiff", ".zarr", ".npy", NULL};
    SINO_CHECK(!path || !sino_file_name_ends(path, others), SINO_BAD_INPUT,
               "%s is '%s', but becomes HDF5; allowed: another ending, such as .h5", option, path);
    return NULL;
}

/* Both settings bound from below. */
static SinoStatus check_bounds(const SinoSolverSettings *settings)
{
    SINO_CHECK(settings->nonnegativity != SINO_NONNEGATIVITY_YES || !(settings->minimum < 0), SINO_BAD_INPUT,
               "--minimum is %g with --nonnegativity yes; allowed: one of them, or --minimum 0", settings->minimum);
    return NULL;
}

static SinoStatus check_weights(int verb, const SinoSolverSettings *settings)
{
    SINO_CHECK(settings->weights != SINO_WEIGHTS_FILE || (verb != DEMO && verb != SWEEP), SINO_BAD_INPUT,
               "--weights is '%s'; allowed with a phantom: auto, counts or none", settings->weights_file);
    return NULL;
}

/* A contradiction may be one of a value that a file told: remarks say so; NULL: there are none. */
static SinoStatus with_remarks(SinoStatus status, const char *remarks)
{
    if (!status || !remarks) return status;
    SinoStatus longer =
        sino_error((SinoErrorKind)sino_status_exit_code(status), "%s; %s", sino_status_text(status), remarks);
    sino_status_free(status);
    return longer;
}

static SinoStatus check(int verb, const bool given[SINO_SETTING_COUNT], const SinoSettings *settings)
{
    SINO_TRY(check_range("row", settings->input.start_row, settings->input.end_row));
    SINO_TRY(check_range("column", settings->input.start_column, settings->input.end_column));
    SINO_TRY(with_remarks(check_applicable(verb, given, settings), settings->remarks));
    SINO_TRY(with_remarks(sino_settings_check_conflicts(verb, settings), settings->remarks));
    SINO_TRY(check_raw(verb, &settings->input));
    SINO_TRY(check_shares(settings));
    SINO_TRY(check_bounds(&settings->solver));
    SINO_TRY(check_weights(verb, &settings->solver));
    if (verb == SWEEP) SINO_TRY(check_sweep(given, settings));
    SINO_TRY(check_swept(verb, settings));
    SINO_TRY(check_hdf5("--truth", settings->phantom.truth));
    SINO_TRY(check_hdf5("--error-map", settings->compare.error_map));
    return check_files(settings);
}

/* Asks a source, if the verb has a scan. */
static SinoStatus ask(int verb, SinoSettingsSource *source, const SinoSettings *settings, SinoToldSettings *told)
{
    const bool described = verb & (PLAN | SIMULATE);
    *told = (SinoToldSettings){.by = ""};
    if (!source || !(described || (verb & (RECON | INFO | INIT)))) return NULL;
    return described || settings->input.file_name ? source(settings, told) : NULL;
}

/* Assigns what is told, and adds a remark with those settings that the user could have given, but has not. */
static SinoStatus take_told(int verb, const bool given[SINO_SETTING_COUNT], const SinoToldSettings *told,
                            SinoSettings *settings)
{
    char words[512] = "", line[768];
    size_t length = 0;
    for (int i = 0; i < told->count; i++) {
        const SinoSetting *row = sino_setting_find(verb, told->of[i].name, strlen(told->of[i].name));
        if (!row || given[row - sino_setting_table] || !sino_setting_applies(row, settings)) continue;
        SINO_TRY(sino_setting_assign(row, told->by, told->of[i].value, settings));
        if ((row->verbs & verb) && length < sizeof words)
            length += (size_t)snprintf(words + length, sizeof words - length, " --%s %s", row->name, told->of[i].value);
    }
    if (*words == '\0') return NULL;
    snprintf(line, sizeof line, "%s says%s; options overrule it", told->by, words);
    return sino_settings_remark(settings, line);
}

/* Settles what depends on the algorithm, and checks all. */
static SinoStatus finish(int verb, const bool given[SINO_SETTING_COUNT], SinoSettings *settings)
{
    SINO_TRY(settle_sizes(verb, given, settings));
    SINO_TRY(settle_iterations(verb, given, settings));
    SINO_TRY(settle_prior(verb, given, settings));
    SINO_TRY(check_needed(verb, settings));
    if ((verb & SIMULATE) && !settings->input.file_name)
        settings->center.rotation_axis = (double)(settings->input.columns - 1) / 2;
    return check(verb, given, settings);
}

/* Finishes with the algorithm that the projections ask for, if the other settings allow it. Where they allow neither it
 * nor the usual one, they are refused with it, and with the reason for it. */
static SinoStatus finish_told(int verb, const bool given[SINO_SETTING_COUNT], SinoSettingsSource *source,
                              SinoSettings *settings)
{
    const SinoAlgorithmChoice usual = settings->solver.algorithm;
    SinoToldSettings told = {.by = ""};
    char reason[sizeof told.by + sizeof told.of[0].value + 32];
    if (!settings->solver.usual_algorithm) return finish(verb, given, settings);
    SinoStatus refused = ask(verb, source, settings, &told);
    if (refused && verb != INFO) return refused; /* info tells what it can */
    sino_status_free(refused);
    if (told.count == 0) return finish(verb, given, settings);
    SINO_TRY(sino_setting_assign(sino_setting_find(verb, "algorithm", 9), told.by, told.of[0].value, settings));
    SinoStatus status = finish(verb, given, settings);
    if (!status) return take_told(verb, given, &told, settings);
    settings->solver.algorithm = usual;
    SinoStatus other = finish(verb, given, settings);
    sino_status_free(other ? other : status);
    snprintf(reason, sizeof reason, "%s says --algorithm %s", told.by, told.of[0].value);
    return other ? with_remarks(status, reason) : NULL;
}

static SinoStatus read_all(int verb, const SinoArguments *arguments, const SinoSettingsSources *sources,
                           SinoSettings *settings)
{
    bool given[SINO_SETTING_COUNT] = {false};
    SinoToldSettings told;
    SINO_TRY(assign_defaults(verb, settings));
    settings->memory = sources->memory;
    if (verb == DEMO) SINO_TRY(sino_setting_assign(sino_setting_find(DEMO, "out", 3), "--out", "demo", settings));
    const char *config = arguments->text[sino_setting_find(verb, "config", 6) - sino_setting_table];
    if (config) SINO_TRY(sino_settings_yaml_read(config, verb, settings, given));
    SINO_TRY(assign_arguments(arguments->text, settings, given));
    SINO_TRY(take_files(verb, arguments, settings));
    if (settings->help) return NULL;
    SINO_TRY(ask(verb, sources->header, settings, &told));
    SINO_TRY(take_told(verb, given, &told, settings));
    SINO_TRY(settle_values(verb, given, settings));
    settle_json(verb, given, settings);
    SINO_TRY(settle_geometry(verb, given, settings));
    settle_algorithm(verb, given, settings);
    return finish_told(verb, given, sources->algorithm, settings);
}

SinoStatus sino_settings_read(int verb, int argument_count, char **arguments, SinoSettings **settings)
{
    return sino_settings_read_told(verb, argument_count, arguments, &(SinoSettingsSources){.header = NULL}, settings);
}

SinoStatus sino_settings_read_told(int verb, int argument_count, char **arguments, const SinoSettingsSources *sources,
                                   SinoSettings **settings)
{
    SinoArguments given = {.more = NULL};
    SinoSettings *result = NULL;
    const int64_t most = argument_count > 0 ? argument_count : 1;
    SINO_TRY(sino_allocate(most, sizeof *given.more, "arguments", &given.more));
    SinoStatus status = sino_allocate(most, sizeof *given.tune, "arguments", &given.tune);
    if (!status) status = sino_settings_arguments(verb, argument_count, arguments, &given);
    if (!status) status = sino_allocate(1, sizeof *result, "the settings", &result);
    if (!status) status = read_all(verb, &given, sources, result);
    for (int64_t i = 0; i < given.tune_count; i++) free(given.tune[i]);
    free(given.tune);
    free(given.more);
    SINO_GIVE(status, result, sino_settings_free, settings);
}

bool sino_settings_nonnegative(const SinoSolverSettings *settings)
{
    if (settings->nonnegativity != SINO_NONNEGATIVITY_AUTO) return settings->nonnegativity == SINO_NONNEGATIVITY_YES;
    return settings->algorithm == SINO_ALGORITHM_FISTA && !(settings->minimum < 0);
}

int64_t sino_settings_iterations(const SinoSolverSettings *settings)
{
    enum { AUTO_MOST = 40, AUTO_MOST_OF_SLOW = 400 };
    const bool slow = settings->algorithm == SINO_ALGORITHM_SIRT || settings->algorithm == SINO_ALGORITHM_MLEM;
    if (settings->iterations > 0) return settings->iterations;
    return slow ? AUTO_MOST_OF_SLOW : AUTO_MOST;
}

bool sino_settings_wants_report(const SinoSettings *settings)
{
    const bool full = settings->center.reconstruction_type == SINO_RECONSTRUCTION_FULL;
    return settings->output.report && strcmp(settings->output.report, "none") != 0 && full;
}

const char *sino_settings_report_file(const SinoSettings *settings)
{
    const bool chosen = settings->output.report && strcmp(settings->output.report, "auto") != 0;
    return chosen && sino_settings_wants_report(settings) ? settings->output.report : NULL;
}

bool sino_settings_records_planes(const SinoSettings *settings)
{
    return settings->output.pictures || sino_settings_wants_report(settings);
}

const char *sino_settings_profile_file(const SinoRuntimeSettings *settings)
{
    return settings->profile && strcmp(settings->profile, "yes") != 0 ? settings->profile : NULL;
}

const char *sino_settings_live_page(const SinoInputSettings *settings)
{
    return settings->follow && strcmp(settings->follow, "yes") != 0 ? settings->follow : NULL;
}

void sino_settings_free(SinoSettings *settings)
{
    if (!settings) return;
    for (const SinoSetting *row = sino_setting_table; row < sino_setting_table + SINO_SETTING_COUNT; row++) {
        char *text = NULL;
        if (row->kind == SINO_SETTING_TEXT || row->kind == SINO_SETTING_REPORT)
            memcpy(&text, (const char *)settings + row->offset, sizeof text);
        free(text);
    }
    free(settings->solver.weights_file);
    for (int64_t i = 0; i < settings->input.more_files.count; i++) free(settings->input.more_files.name[i]);
    free(settings->input.more_files.name);
    free(settings->team.node_weights.value);
    free(settings->stages.beam_hardening.value);
    free(settings->remarks);
    free(settings);
}
