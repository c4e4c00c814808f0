/* SPDX-License-Identifier: BSD-3-Clause */
/* Command line, bench: its table, its files, and the input that it refuses. The machine's speed is not tested. */
#include "cli.h"

#include "panel.h"
#include "settings.h"

#include <math.h>

static const char *const head[] = {
    "precision",          "slices",          "workers",   "nonzeros",       "project_gflops",
    "backproject_gflops", "fma_peak_gflops", "read_gbps", "operator_bytes", "build_mnnz_per_s"};
enum { HEAD = sizeof head / sizeof *head, FIELDS_MAX = 64 };

static char *read_text(const char *directory, const char *name)
{
    char path[TESTING_PATH];
    const int64_t size = cli_file_size(directory, name);
    char *text = calloc(1, (size_t)size + 1);
    FILE *file = fopen(testing_path(path, directory, name), "r");
    assert_true(text && file);
    assert_int_equal(fread(text, 1, (size_t)size, file), size);
    assert_int_equal(fclose(file), 0);
    return text;
}

static int split(char *line, char *field[FIELDS_MAX])
{
    int count = 0;
    for (char *word; (word = strsep(&line, ","));) {
        assert_true(count < FIELDS_MAX);
        field[count++] = word;
    }
    return count;
}

/* One line of figures: the right precision and slices; every number positive and finite. */
static void assert_row(char *line, int count, char *const name[FIELDS_MAX], const char *precision, int slices)
{
    char *field[FIELDS_MAX] = {NULL};
    assert_int_equal(split(line, field), count);
    assert_string_equal(field[0], precision);
    assert_int_equal(strtol(field[1], NULL, 10), slices);
    for (int i = 1; i < count; i++) {
        char *end;
        if (strcmp(name[i], "instruction_set") == 0) continue;
        const double value = strtod(field[i], &end);
        assert_true(end != field[i] && *end == '\0');
        if (!isfinite(value) || value <= 0) fail_msg("%s is %s", name[i], field[i]);
    }
}

/* A row for each precision, those of SinoPrecision in order, and each F as given. */
static void assert_csv(char *text, int precisions, int slices_count, const int *slices)
{
    char *rest = text, *name[FIELDS_MAX] = {NULL}, *line = strsep(&rest, "\n");
    const int count = split(line, name);
    assert_true(count > HEAD);
    for (int i = 0; i < HEAD; i++) assert_string_equal(name[i], head[i]);
    for (int p = 0; p < precisions; p++)
        for (int i = 0; i < slices_count; i++) {
            line = strsep(&rest, "\n");
            assert_non_null(line);
            assert_row(line, count, name, sino_precision_name((SinoPrecision)p), slices[i]);
        }
    assert_string_equal(rest, "");
}

static void assert_svg(const char *directory, const char *name)
{
    char path[TESTING_PATH], *program = NULL;
    testing_path(path, directory, name);
    assert_true(asprintf(&program,
                         "import xml.etree.ElementTree as t; assert t.parse('%s').getroot().tag[-3:] == 'svg'",
                         path) >= 0);
    assert_int_equal(cli_tool("python3", "-c", program), 0);
    free(program);
    char *text = read_text(directory, name);
    assert_non_null(strstr(text, "width=\"900\" height=\"600\""));
    assert_non_null(strstr(text, ">read bandwidth: "));
    assert_non_null(strstr(text, ">FMA, single: "));
    assert_non_null(strstr(text, ">FMA, double: "));
    assert_non_null(strstr(text, ">single, backproject</text>"));
    free(text);
}

static void every_precision(void **state)
{
    const char *const at = *state;
    static const int slices[] = {8, 1};
    CliRun run = {.directory = at};
    cli_start(&run, "bench --columns 64 --angles 48 --slices 8,1 --workers 1 --csv bench.csv --roofline bench.svg");
    cli_wait(&run);
    if (run.exit_code != 0) fail_msg("exit code %d:\n%s", run.exit_code, run.err);
    assert_memory_equal(run.out, "scan         64 columns, 48 angles\nmachine      ", 48);
    assert_true(cli_number_after(run.out, "\nFMA peak     ", NULL) > 0);
    assert_true(cli_number_after(run.out, "\nbandwidth    ", NULL) > 0);
    assert_true(cli_number_after(run.out, "\noperator     single: ", NULL) > 64 * 48);
    assert_true(cli_number_after(run.out, "\nsingle         8  backproject ", NULL) > 0);
    assert_true(cli_number_after(run.out, "\ndouble         1  project ", NULL) > 0);
    assert_non_null(strstr(run.err, "sinodag: single, 8 slices: project "));
    cli_free(&run);
    assert_names(at, "bench.csv bench.svg");
    char *text = read_text(at, "bench.csv");
    assert_csv(text, SINO_PRECISIONS, 2, slices);
    free(text);
    assert_svg(at, "bench.svg");
}

/* One worker, a scan smaller than a tile, a width that needs padding, settings from a file, messages in JSON. */
static void one_of_everything(void **state)
{
    const char *const at = *state;
    static const int slices[] = {3};
    cli_write_text(at, "bench.yaml", "columns: 5\nangles: 1\nslices: 3\nprecision: single\nlog: json\n");
    cli_write_text(at, "bench.csv", "old");
    CliRun run = {.directory = at};
    cli_start(&run, "bench --config bench.yaml --workers 1 --scheduler eager --memory 20GiB --csv bench.csv "
                    "--roofline bench.SVG --overwrite");
    cli_wait(&run);
    if (run.exit_code != 0) fail_msg("exit code %d:\n%s", run.exit_code, run.err);
    assert_memory_equal(run.err, "{\"time\":", 8);
    cli_free(&run);
    char *text = read_text(at, "bench.csv");
    assert_csv(text, 1, 1, slices);
    free(text);
    assert_svg(at, "bench.SVG");
}

static const char cone_head[] = "voxels,projections,precision,workers,gups,filter_gpixels_per_s,step,shared,";
static const char *const cone_words[] = {"precision", "step", "shared", "instruction_set"};

static bool is_word(const char *name)
{
    for (size_t i = 0; i < sizeof cone_words / sizeof *cone_words; i++)
        if (strcmp(name, cone_words[i]) == 0) return true;
    return false;
}

/* One line of figures of a cone beam: the expected words; every number positive and finite. */
static void assert_cone_row(char *line, int count, char *const name[FIELDS_MAX], const char *const words[3])
{
    char *field[FIELDS_MAX] = {NULL};
    int word = 0;
    assert_int_equal(split(line, field), count);
    for (int i = 0; i < count; i++) {
        char *end;
        if (is_word(name[i])) {
            if (word < 3) assert_string_equal(field[i], words[word++]);
            continue;
        }
        const char *text = field[i] ? field[i] : "";
        const double value = strtod(text, &end);
        assert_true(end != text && *end == '\0');
        if (!isfinite(value) || value <= 0) fail_msg("%s is %s", name[i], text);
    }
}

/* The table has exactly these rows. */
static void assert_cone_csv(char *text, int rows, const char *const words[][3])
{
    char *rest = text, *name[FIELDS_MAX] = {NULL}, *line;
    assert_memory_equal(text, cone_head, sizeof cone_head - 1);
    const int count = split(strsep(&rest, "\n"), name);
    for (int i = 0; i < rows; i++) {
        line = strsep(&rest, "\n");
        assert_non_null(line);
        assert_cone_row(line, count, name, words[i]);
    }
    assert_string_equal(rest, "");
}

/* On one worker no row is there twice. */
static void cone_beam(void **state)
{
    const char *const at = *state;
    static const char *const words[][3] = {{"single", "backproject", "turns+halves"}, {"single", "run", "turns+halves"},
                                           {"single", "backproject", "none"},         {"single", "run", "none"},
                                           {"mixed", "backproject", "turns+halves"},  {"mixed", "run", "turns+halves"},
                                           {"mixed", "backproject", "none"},          {"mixed", "run", "none"}};
    CliRun run = {.directory = at};
    cli_start(&run, "bench --geometry cone --columns 16 --angles 12 --workers 1 --csv bench.csv");
    cli_wait(&run);
    if (run.exit_code != 0) fail_msg("exit code %d:\n%s", run.exit_code, run.err);
    static const char scan[] = "scan         12 projections of 16 x 16 pixels\nvolume       16 x 16 x 16 voxels\n";
    assert_memory_equal(run.out, scan, sizeof scan - 1);
    assert_true(cli_number_after(run.out, "\nFMA peak     ", NULL) > 0);
    assert_non_null(strstr(run.err, "sinodag: mixed, general, workers: 1: run "));
    cli_free(&run);
    char *text = read_text(at, "bench.csv");
    assert_true(strstr(text, "\n4096,12,single,1,") != NULL);
    assert_cone_csv(text, 8, words);
    free(text);
}

/* Angles that do not come in fours, and an odd number of slices, leave the general kernel alone. */
static void cone_beam_without_symmetry(void **state)
{
    const char *const at = *state;
    static const char *const words[][3] = {{"mixed", "backproject", "none"}, {"mixed", "run", "none"}};
    static const char *const lines[] = {"--angles 7 --volume 9x11x5", "--angles 8 --symmetry no"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        cli_works(at, "bench --geometry cone --columns 14 --precision mixed --workers 1 --csv b.csv --overwrite %s",
                  lines[i]);
        char *text = read_text(at, "b.csv");
        assert_cone_csv(text, 2, words);
        free(text);
    }
}

/* Several workers have rows of one of them, and of all. */
static void cone_beam_on_workers(void **state)
{
    CliRun run = {.directory = *state};
    cli_start(&run, "bench --geometry cone --columns 8 --angles 5 --precision single --csv bench.csv");
    cli_wait(&run);
    if (run.exit_code != 0) fail_msg("exit code %d:\n%s", run.exit_code, run.err);
    const double workers = cli_number_after(run.out, "\nmachine      ", NULL);
    cli_free(&run);
    char *text = read_text(*state, "bench.csv"), row[60];
    snprintf(row, sizeof row, "\n512,5,single,%.0f,", workers);
    assert_non_null(strstr(text, row));
    assert_non_null(strstr(text, "\n512,5,single,1,"));
    free(text);
}

static void bad_cones(void **state)
{
    const char *const at = *state;
    cli_refuses(at, "--precision | double | --geometry cone | single | mixed",
                "bench --geometry cone --precision single,double");
    cli_refuses(at, "--precision | half | --geometry cone | single | mixed", "bench --geometry cone --precision half");
    cli_refuses(at, "--slices | --geometry cone | --geometry parallel", "bench --geometry cone --slices 16");
    cli_refuses(at, "--roofline | --geometry cone | --geometry parallel", "bench --geometry cone --roofline a.svg");
    cli_refuses(at, "--volume | --geometry parallel | --geometry cone", "bench --volume 8x8x8");
    cli_refuses(at, "--volume | '8' | auto | 1 to 65536", "bench --geometry cone --volume 8");
    cli_write_text(at, "old.csv", "");
    cli_refuses(at, "old.csv exists | --overwrite", "bench --geometry cone --csv old.csv");
    CliRun run = {.directory = at};
    cli_start(&run, "bench --geometry cone --columns 8 --angles 8 --workers 1 --memory 100MiB");
    cli_wait(&run);
    cli_assert_ended(&run, 2, "memory | 100 MiB | needs | # | columns | workers");
}

/* 1.8 million nonzeros: so many that blocks are as dense as those of large matrices. */
#define SCANNER "phantom --geometry pet --crystals 16x4x4 --rays 6 --volume 32x32x16 --voxel-size 0.8 -o m.csr4"

static const char matrix_head[] =
    "nonzeros,bytes_per_nonzero,project_s,backproject_s,mlem_s,read_gbps,precision,sets,workers,";

/* The field of a line that a column of the table has. */
static double number_of(const char *name, int count, char *const names[FIELDS_MAX], char *const field[FIELDS_MAX])
{
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0 && field[i]) return strtod(field[i], NULL);
    fail_msg("no column %s", name);
    return 0;
}

/* One line of figures, of which every number is positive and finite. */
static void assert_matrix_row(char *line, int count, char *const name[FIELDS_MAX], bool mixed, int sets)
{
    char *field[FIELDS_MAX] = {NULL};
    assert_int_equal(split(line, field), count);
    for (int i = 0; i < count; i++) {
        char *end;
        const char *text = field[i] ? field[i] : "";
        const bool word = strcmp(name[i], "precision") == 0 || strcmp(name[i], "instruction_set") == 0;
        if (word) continue;
        const double value = strtod(text, &end);
        const bool fine = end != text && isfinite(value) && value > 0;
        if (!fine || *end != '\0') fail_msg("%s is '%s'", name[i], text);
    }
    assert_string_equal(field[6], mixed ? "mixed" : "single");
    assert_true(number_of("sets", count, name, field) == sets);
    assert_true(number_of("bytes_per_nonzero", count, name, field) <= (mixed ? 3 : 5));
    assert_true(number_of("bytes_per_nonzero", count, name, field) >= (mixed ? 2 : 4));
}

/* Rows of both precisions with these numbers of sets. */
static void assert_matrix_csv(char *text, const char *nonzeros, int count, const int *sets)
{
    char *rest = text, *name[FIELDS_MAX] = {NULL}, *line;
    assert_memory_equal(text, matrix_head, sizeof matrix_head - 1);
    const int fields = split(strsep(&rest, "\n"), name);
    for (int i = 0; i < 2 * count; i++) {
        line = strsep(&rest, "\n");
        assert_non_null(line);
        assert_memory_equal(line, nonzeros, strlen(nonzeros));
        assert_matrix_row(line, fields, name, i >= count, sets[i % count]);
    }
    assert_string_equal(rest, "");
}

/* How many entries phantom says that the matrix has, and a comma. */
static void make_matrix(const char *directory, char nonzeros[40])
{
    CliRun run = {.directory = directory};
    cli_start(&run, SCANNER);
    cli_wait(&run);
    if (run.exit_code != 0) fail_msg("exit code %d:\n%s", run.exit_code, run.err);
    snprintf(nonzeros, 40, "%.0f,", cli_number_after(run.err, " lines that meet the volume), ", NULL));
    cli_free(&run);
}

static void system_matrix(void **state)
{
    const char *const at = *state;
    static const int sets[] = {1, 3};
    char nonzeros[40], said[120];
    make_matrix(at, nonzeros);
    CliRun run = {.directory = at};
    cli_start(&run, "bench --system-matrix m.csr4 --slices 1,3 --csv bench.csv");
    cli_wait(&run);
    if (run.exit_code != 0) fail_msg("exit code %d:\n%s", run.exit_code, run.err);
    snprintf(said, sizeof said, "matrix       csr4: 65536 rows, 16384 columns, %.*s nonzeros\nmachine      ",
             (int)strlen(nonzeros) - 1, nonzeros);
    assert_memory_equal(run.out, said, strlen(said));
    assert_true(cli_number_after(run.out, "\nbandwidth    ", NULL) > 0);
    assert_true(cli_number_after(run.out, "\nmixed        3  mlem ", NULL) > 0);
    assert_non_null(strstr(run.err, "sinodag: mixed, count sets: 3: project "));
    cli_free(&run);
    char *text = read_text(at, "bench.csv");
    assert_matrix_csv(text, nonzeros, 2, sets);
    free(text);
}

static void system_matrix_in_little_memory(void **state)
{
    const char *const at = *state;
    static const int sets[] = {2};
    char nonzeros[40];
    make_matrix(at, nonzeros);
    CliRun run = {.directory = at};
    cli_start(&run, "bench --system-matrix m.csr4 --slices 2 --workers 1 --memory 100MiB");
    cli_wait(&run);
    const char *unit;
    double needed = cli_number_after(run.err, " workers needs ", &unit);
    if (strncmp(unit, " GiB", 4) == 0) needed *= 1024; /* where caches are large */
    cli_assert_ended(&run, 2, "memory | 100 MiB | needs | # | --slices");
    run = (CliRun){.directory = at};
    cli_start(&run, "bench --system-matrix m.csr4 --slices 2 --workers 1 --csv bench.csv --memory %.0fMiB",
              1.01 * needed + 2);
    cli_wait(&run);
    if (run.exit_code != 0) fail_msg("exit code %d:\n%s", run.exit_code, run.err);
    cli_free(&run);
    char *text = read_text(at, "bench.csv");
    assert_matrix_csv(text, nonzeros, 1, sets);
    free(text);
}

/* Matrix Market: a part without entries, fewer rows than workers, entries in no order. */
static void small_matrices(void **state)
{
    const char *const at = *state;
    static const char head_text[] = "%%MatrixMarket matrix coordinate real general\n";
    static const char *const bodies[] = {"1 1 1\n1 1 2.5\n", "5 3 4\n5 2 1\n1 3 0.5\n5 1 2\n1 1 1\n",
                                         "9 2 1\n9 1 1e-20\n"};
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        char text[200];
        snprintf(text, sizeof text, "%s%s", head_text, bodies[i]);
        cli_write_text(at, "m.mtx", text);
        cli_works(at, "bench --system-matrix m.mtx --slices 5 --precision mixed --csv m.csv --overwrite");
    }
    cli_write_text(at, "m.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 1\n1 1 0\n");
    CliRun run = {.directory = at};
    cli_start(&run, "bench --system-matrix m.mtx --precision mixed --csv none.csv");
    cli_wait(&run);
    cli_assert_ended(&run, 2, "m.mtx | no entry | above #");
    assert_false(cli_exists(at, "none.csv"));
}

static void bad_matrices(void **state)
{
    const char *const at = *state;
#define BENCH "bench --system-matrix m.mtx "
    cli_write_text(at, "m.mtx", "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1\n");
    cli_write_text(at, "old.csv", "");
    cli_write_text(at, "damaged.mtx", "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 2 1\n");
    cli_refuses(at, "none.csr4 | No such file", "bench --system-matrix none.csr4");
    cli_refuses(at, "old.csv exists | --overwrite", BENCH "--csv old.csv");
    cli_refuses(at, "nodir/new.csv | No such file", BENCH "--csv nodir/new.csv");
    cli_refuses(at, "--csv | --system-matrix | 'm.mtx' | different files", BENCH "--csv m.mtx --overwrite");
    cli_refuses(at, "--precision | half | --geometry matrix | single | mixed", BENCH "--precision single,half");
    cli_refuses(at, "--geometry cone | --system-matrix | m.mtx | one of them", BENCH "--geometry cone");
    cli_refuses(at, "--geometry | matrix | --system-matrix FILE", "bench --geometry matrix");
    cli_refuses(at, "--columns | --geometry matrix | --geometry parallel | fan", BENCH "--columns 64");
    cli_refuses(at, "--roofline | --geometry matrix | --geometry parallel", BENCH "--roofline a.svg");
    cli_refuses(at, "--volume | --geometry matrix | --geometry cone", BENCH "--volume 8x8x8");
    CliRun run = {.directory = at};
    cli_start(&run, "bench --system-matrix damaged.mtx --csv new.csv");
    cli_wait(&run);
    assert_int_equal(run.exit_code, 2);
    assert_non_null(strstr(run.err, "damaged.mtx"));
    cli_free(&run);
    assert_false(cli_exists(at, "new.csv"));
#undef BENCH
}

static void bad_values(void **state)
{
    const char *const at = *state;
    static const char size[] = "an integer from 1 to 65536", angles[] = "an integer from 1 to 1000000";
    static const char counts[] = "1 to 32 different integers from 1 to 256, separated by commas";
    static const struct {
        const char *option, *value, *allowed;
    } bad[] = {
        {"columns", "0", size},    {"columns", "-3", size},    {"columns", "99999999999999999999", size},
        {"angles", "0", angles},   {"angles", "1e3", angles},  {"angles", "1000001", angles},
        {"slices", "0", counts},   {"slices", "1,-2", counts}, {"slices", "257", counts},
        {"slices", "8,8", counts}, {"slices", "8,", counts},   {"workers", "-1", "an integer from 0 to 1000000"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char message[200];
        snprintf(message, sizeof message, "--%s | '%s' | %s", bad[i].option, bad[i].value, bad[i].allowed);
        cli_refuses(at, message, "bench --%s %s", bad[i].option, bad[i].value);
    }
    cli_refuses(at, "65536 angles | 65536 columns | 2³²", "bench --columns 65536 --angles 65536");
    CliRun run = {.directory = at};
    cli_start(&run, "bench --precision single,quad");
    cli_wait(&run);
    assert_non_null(testing_tells(run.err, "--precision | 'single,quad' | single"));
    assert_int_equal(run.exit_code, 2);
    cli_free(&run);
}

static void bad_files(void **state)
{
    const char *const at = *state;
    cli_write_text(at, "old.csv", "");
    cli_write_text(at, "old.svg", "");
    cli_refuses(at, "old.csv exists | --overwrite", "bench --csv old.csv");
    cli_refuses(at, "old.svg exists | --overwrite", "bench --csv new.csv --roofline old.svg");
    cli_refuses(at, "nodir/new.csv | No such file", "bench --csv nodir/new.csv");
    cli_refuses(at, "nodir/new.svg | No such file", "bench --csv new.csv --roofline nodir/new.svg");
    cli_refuses(at, ". is a directory | name of a file", "bench --csv .");
    cli_refuses(at, "--roofline | 'new.png' | .svg", "bench --csv new.csv --roofline new.png");
    cli_refuses(at, "--roofline | --csv | 'new.svg' | different files", "bench --csv new.svg --roofline new.svg");
}

/* Before anything is measured; how much memory and how many workers there are is the machine's business. */
static void memory_that_is_not_there(void **state)
{
    CliRun run = {.directory = *state};
    cli_start(&run, "bench --columns 65536 --angles 65535 --workers 1 --csv bench.csv");
    cli_wait(&run);
    assert_non_null(strstr(run.err, " columns and 65535 angles with 1 workers needs "));
    cli_assert_ended(&run, 2, "# GiB | 65536 columns | # PiB | columns | workers");
    run = (CliRun){.directory = *state};
    cli_start(&run, "bench --columns 8 --angles 8 --workers 1 --memory 100MiB --roofline bench.svg");
    cli_wait(&run);
    cli_assert_ended(&run, 2, "memory | 100 MiB | needs | # | columns | workers");
    assert_names(*state, "");
}

/* The table and the CSV file are small enough, the picture is not. */
static void files_that_cannot_grow(void **state)
{
    CliRun run = {.directory = *state, .file_bytes_max = 2000};
    cli_start(&run, "bench --columns 16 --angles 8 --slices 1 --precision single --csv bench.csv --roofline bench.svg");
    cli_wait(&run);
    assert_non_null(strstr(run.out, "\nsingle         1  project "));
    cli_assert_ended(&run, 1, "bench.svg | # | File too large");
    assert_names(*state, "bench.csv");
}

int cli_bench_tests(void)
{
    const struct CMUnitTest tests[] = {
        CLI_TEST(every_precision),
        CLI_TEST(one_of_everything),
        CLI_TEST(bad_values),
        CLI_TEST(bad_files),
        CLI_TEST(memory_that_is_not_there),
        CLI_TEST(files_that_cannot_grow),
        CLI_TEST(cone_beam),
        CLI_TEST(cone_beam_without_symmetry),
        CLI_TEST(cone_beam_on_workers),
        CLI_TEST(bad_cones),
        CLI_TEST(system_matrix),
        CLI_TEST(system_matrix_in_little_memory),
        CLI_TEST(small_matrices),
        CLI_TEST(bad_matrices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
