/* SPDX-License-Identifier: BSD-3-Clause */
/* Command line, --weights with a file: weights are selected, averaged and divided as the projections are, rays of
 * weight 0 have no value, and what holds no weights is refused. */
#include "cli.h"

#include <math.h>

enum { ANGLES = 36, ROWS = 7, COLUMNS = 48, RAYS = ANGLES * ROWS * COLUMNS, SIDE = COLUMNS };

#define RECON "recon b.npy --data line-integrals --overwrite --pictures no --report none --margin 0 "

/* Line integrals of two disks in a scan whose rows differ. */
static float integral(int angle, int row, int column)
{
    const double t = M_PI * angle / ANGLES, s = column - 23.5, aside = s - 8 * cos(t);
    return (float)(0.02 * (2 * sqrt(fmax(400 - s * s, 0)) + (2 + row) * sqrt(fmax(25 - aside * aside, 0))));
}

static float weight(int angle, int row, int column)
{
    const int number = (angle * ROWS + row) * COLUMNS + column;
    return number % 29 == 3 ? 0 : (float)(number * 11 % 17 + 1) / 4;
}

static int at(int angle, int row, int column)
{
    return (angle * ROWS + row) * COLUMNS + column;
}

typedef float Value(int angle, int row, int column);
static void write_all(const char *directory, const char *name, Value *value)
{
    float *all = calloc(RAYS, sizeof *all);
    for (int k = 0; k < ANGLES; k++)
        for (int r = 0; r < ROWS; r++)
            for (int c = 0; c < COLUMNS; c++) all[at(k, r, c)] = value(k, r, c);
    cli_write_npy(directory, name, "<f4", "(36, 7, 48)", all, RAYS * sizeof *all);
    free(all);
}

static void write_scan(const char *directory)
{
    float theta[ANGLES];
    for (int k = 0; k < ANGLES; k++) theta[k] = (float)(M_PI * k / ANGLES);
    cli_write_bytes(directory, "theta.bin", theta, sizeof theta);
    write_all(directory, "b.npy", integral);
    write_all(directory, "w.npy", weight);
}

static void assert_equal_volumes(const char *directory, const char *what, int64_t slices, int64_t side)
{
    const size_t count = (size_t)(slices * side * side);
    float *one = cli_read_volume(directory, "one.h5", slices, side);
    float *other = cli_read_volume(directory, "other.h5", slices, side);
    double size = 0;
    for (size_t i = 0; i < count; i++) size += fabs((double)one[i]);
    assert_true(size > 0);
    if (memcmp(one, other, count * sizeof *one) != 0) fail_msg("%s: volumes differ", what);
    free(one);
    free(other);
}

static void assert_alike(const char *directory, const char *what, int64_t slices, int64_t side, double within)
{
    float *one = cli_read_volume(directory, "one.h5", slices, side);
    float *other = cli_read_volume(directory, "other.h5", slices, side);
    const double off = cli_difference(slices * side * side, one, other);
    if (!(off <= within)) fail_msg("%s: volumes differ by %g", what, off);
    free(one);
    free(other);
}

/* The weights of whole projections, and the parts of both that a smaller scan has. */
static void weights_are_selected_as_projections(void **state)
{
    const char *const directory = *state;
    enum { LEFT = 30, KEPT = 5, WIDE = 40 };
    static const char *const solvers[] = {"cg --iterations 5", "sirt --iterations 8",
                                          "fista --regularization 0.1 --iterations 3"};
    float b[LEFT * KEPT * WIDE], w[LEFT * KEPT * WIDE], theta[LEFT];
    int n = 0, angles = 0;
    write_scan(directory);
    for (int k = 0; k < ANGLES; k++) {
        if (k == 4 || k == 11 || k < 2 || k > 33) continue;
        theta[angles++] = (float)(M_PI * k / ANGLES);
        for (int r = 1; r < 6; r++)
            for (int c = 3; c < 43; c++, n++) {
                b[n] = integral(k, r, c);
                w[n] = weight(k, r, c);
            }
    }
    assert_int_equal(angles, LEFT);
    cli_write_npy(directory, "part.npy", "<f4", "(30, 5, 40)", b, sizeof b);
    cli_write_npy(directory, "part_w.npy", "<f4", "(30, 5, 40)", w, sizeof w);
    cli_write_bytes(directory, "part_theta.bin", theta, sizeof theta);
    for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++) {
        cli_works(directory,
                  RECON
                  "--theta theta.bin -o one.h5 --rotation-axis 23.5 --exclude 4,11 --start-angle 9 --end-angle 166 "
                  "--start-row 1 --end-row 6 --start-column 3 --end-column 43 --weights w.npy --algorithm %s",
                  solvers[i]);
        cli_works(directory,
                  "recon part.npy --data line-integrals --overwrite --pictures no --report none --margin 0 --theta "
                  "part_theta.bin -o other.h5 --rotation-axis 20.5 --weights part_w.npy --algorithm %s",
                  solvers[i]);
        assert_alike(directory, solvers[i], KEPT, WIDE, 2e-5);
    }
}

/* The mean of some pixels and projections has the mean of their weights, or none. */
static void averages_have_mean_weights(void **state)
{
    const char *const directory = *state;
    enum { SLICES = 3, WIDE = COLUMNS / 2, TURNS = ANGLES / 3 };
    float b[TURNS * SLICES * WIDE], w[TURNS * SLICES * WIDE], theta[TURNS], all[ANGLES];
    write_scan(directory);
    for (int k = 0; k < ANGLES; k++) all[k] = (float)(0.04 * k); /* averages are of angles within 10 degrees */
    cli_write_bytes(directory, "theta.bin", all, sizeof all);
    for (int k = 0; k < TURNS; k++) {
        theta[k] = (float)(0.04 * (3 * k + 1));
        for (int r = 0; r < SLICES; r++)
            for (int c = 0; c < WIDE; c++) {
                double sum = 0, weights = 0;
                bool whole = true;
                for (int i = 0; i < 12; i++) {
                    const int angle = 3 * k + i / 4, row = 2 * r + i / 2 % 2, column = 2 * c + i % 2;
                    sum += (double)integral(angle, row, column) / 12;
                    weights += (double)weight(angle, row, column) / 12;
                    whole = whole && weight(angle, row, column) > 0;
                }
                b[(k * SLICES + r) * WIDE + c] = (float)sum;
                w[(k * SLICES + r) * WIDE + c] = whole ? (float)weights : 0;
            }
    }
    cli_write_npy(directory, "part.npy", "<f4", "(12, 3, 24)", b, sizeof b);
    cli_write_npy(directory, "part_w.npy", "<f4", "(12, 3, 24)", w, sizeof w);
    cli_write_bytes(directory, "part_theta.bin", theta, sizeof theta);
    cli_works(directory,
              RECON "--theta theta.bin -o one.h5 --rotation-axis 23.5 --binning 2 --angle-binning 3 --weights "
                    "w.npy --algorithm cg --iterations 5");
    cli_works(directory, "recon part.npy --data line-integrals --overwrite --pictures no --report none --margin 0 "
                         "--theta part_theta.bin -o other.h5 --rotation-axis 11.5 --weights part_w.npy --algorithm cg "
                         "--iterations 5");
    float *one = cli_read_volume(directory, "one.h5", SLICES, WIDE);
    float *other = cli_read_volume(directory, "other.h5", SLICES, WIDE);
    for (int i = 0; i < SLICES * WIDE * WIDE; i++) other[i] /= 2; /* per pixel of the detector, as the first volume */
    const double off = cli_difference((int64_t)SLICES * WIDE * WIDE, one, other);
    print_message("averages: volumes differ by %.2g\n", off);
    assert_true(off <= 1e-4);
    free(one);
    free(other);
}

/* Arrays of fewer dimensions, and another order of them, are the same as whole ones. */
static float of_column(int angle, int row, int column)
{
    (void)angle, (void)row;
    return column == 7 ? 0 : (float)(1 + column % 5);
}

static float of_projection(int angle, int row, int column)
{
    (void)row;
    return weight(angle, 0, column);
}

static void smaller_arrays_hold_for_all(void **state)
{
    const char *const directory = *state;
    float columns[COLUMNS], table[ANGLES * COLUMNS], *turned = calloc(RAYS, sizeof *turned);
    for (int c = 0; c < COLUMNS; c++) columns[c] = of_column(0, 0, c);
    for (int i = 0; i < ANGLES * COLUMNS; i++) table[i] = weight(i / COLUMNS, 0, i % COLUMNS);
    write_scan(directory);
    write_all(directory, "columns.npy", of_column);
    write_all(directory, "table.npy", of_projection);
    cli_write_npy(directory, "c1.npy", "<f4", "(48,)", columns, sizeof columns);
    cli_write_npy(directory, "t2.npy", "<f4", "(36, 48)", table, sizeof table);
    static const char *const pair[][2] = {{"columns.npy", "c1.npy"}, {"table.npy", "t2.npy"}};
    for (int i = 0; i < 2; i++) {
        cli_works(directory,
                  RECON "--theta theta.bin --rotation-axis 23.5 --algorithm cg --iterations 4 -o one.h5 "
                        "--weights %s",
                  pair[i][0]);
        cli_works(directory,
                  RECON "--theta theta.bin --rotation-axis 23.5 --algorithm cg --iterations 4 -o other.h5 "
                        "--weights %s",
                  pair[i][1]);
        assert_equal_volumes(directory, pair[i][1], ROWS, SIDE);
    }
    for (int k = 0; k < ANGLES; k++) /* sinograms */
        for (int r = 0; r < ROWS; r++)
            for (int c = 0; c < COLUMNS; c++) turned[(r * ANGLES + k) * COLUMNS + c] = integral(k, r, c);
    cli_write_npy(directory, "b.npy", "<f4", "(7, 36, 48)", turned, RAYS * sizeof *turned);
    for (int k = 0; k < ANGLES; k++)
        for (int r = 0; r < ROWS; r++)
            for (int c = 0; c < COLUMNS; c++) turned[(r * ANGLES + k) * COLUMNS + c] = of_projection(k, r, c);
    cli_write_npy(directory, "turned.npy", "<f4", "(7, 36, 48)", turned, RAYS * sizeof *turned);
    cli_works(directory,
              RECON "--axes row,angle,column --theta theta.bin --rotation-axis 23.5 --algorithm cg --iterations 4 "
                    "-o other.h5 --weights turned.npy");
    assert_equal_volumes(directory, "other axes", ROWS, SIDE);
    free(turned);
}

/* Rays of weight 0 need have no line integral: the volume is that of a scan in which they are undefined. */
static float spoilt(int angle, int row, int column)
{
    return weight(angle, row, column) > 0 ? integral(angle, row, column) : 1e6F;
}

static float undefined(int angle, int row, int column)
{
    return weight(angle, row, column) > 0 ? integral(angle, row, column) : NAN;
}

static float weight_of_all(int angle, int row, int column)
{
    return weight(angle, row, column) > 0 ? weight(angle, row, column) : 2;
}

static void rays_of_weight_0_have_no_value(void **state)
{
    const char *const directory = *state;
    static const char *const solvers[] = {"cg --iterations 5", "sirt --iterations 8", "fista --regularization 0.2",
                                          "fista --prior-dimensions 3 --regularization 0.2",
                                          "sirt --iterations 30 --tolerance 0.1"};
    for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++) {
        write_scan(directory);
        write_all(directory, "b.npy", spoilt);
        cli_works(directory,
                  RECON "--theta theta.bin --rotation-axis 23.5 -o one.h5 --weights w.npy "
                        "--zinger-removal-method none --remove-stripe-method none --air 0 --algorithm %s",
                  solvers[i]);
        write_all(directory, "w.npy", weight_of_all);
        write_all(directory, "b.npy", undefined);
        cli_works(directory,
                  RECON "--theta theta.bin --rotation-axis 23.5 -o other.h5 --weights w.npy "
                        "--zinger-removal-method none --remove-stripe-method none --air 0 --algorithm %s",
                  solvers[i]);
        assert_alike(directory, solvers[i], ROWS, SIDE, 1e-4);
    }
}

/* However the work is divided, and when weights are multiplied by a number. */
static float large_weight(int angle, int row, int column)
{
    return 4096 * weight(angle, row, column);
}

static void divisions_and_units_do_not_matter(void **state)
{
    const char *const directory = *state;
    static const struct {
        const char *solver;
        double off;
    } cases[] = {{"cg --iterations 6", 2e-5},
                 {"sirt --iterations 9", 2e-5},
                 {"fista", 5e-3}, /* of two digits of the strength the last may differ */
                 {"fista --prior-dimensions 3", 5e-3},
                 {"cg --iterations auto", 5e-3}};
    static const char *const others[] = {"w.npy --partitions 5 --minibatch 3", "w.npy --minibatch 1 --symmetry no",
                                         "large.npy", "w.npy --precision double"};
    write_scan(directory);
    write_all(directory, "large.npy", large_weight);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cli_works(directory, RECON "--theta theta.bin --rotation-axis 23.5 -o one.h5 --weights w.npy --algorithm %s",
                  cases[i].solver);
        float *one = cli_read_volume(directory, "one.h5", ROWS, SIDE);
        for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
            cli_works(directory, RECON "--theta theta.bin --rotation-axis 23.5 -o other.h5 --algorithm %s --weights %s",
                      cases[i].solver, others[k]);
            float *other = cli_read_volume(directory, "other.h5", ROWS, SIDE);
            const double off = cli_difference((int64_t)ROWS * SIDE * SIDE, other, one);
            if (!(off <= cases[i].off)) fail_msg("%s, %s: volumes differ by %g", cases[i].solver, others[k], off);
            free(other);
        }
        free(one);
    }
}

/* The log of a run tells the memory of its plan; a scan that is not there may have a file of weights that is not. */
static void plans_know_weights(void **state)
{
    const char *const directory = *state;
    static const char *const solvers[] = {"cg", "sirt", "fista --subsets 4"};
    write_scan(directory);
    for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++) {
        CliRun plan = {.directory = directory};
        char words[200];
        cli_start(&plan,
                  "plan b.npy --data line-integrals --theta theta.bin --margin 0 --json --weights w.npy --algorithm %s",
                  solvers[i]);
        cli_wait(&plan);
        assert_int_equal(plan.exit_code, 0);
        const double total = cli_number_after(strstr(plan.out, "\"memory_bytes\": {"), "\"total\": ", NULL);
        cli_free(&plan);
        snprintf(words, sizeof words,
                 RECON "--theta theta.bin --rotation-axis 23.5 -o one.h5 --iterations 2 --weights w.npy --algorithm %s",
                 solvers[i]);
        char *said = cli_output_of(directory, words);
        const double told = cli_number_after(said, ", memory: ", NULL);
        assert_true(fabs(told - total / 0x1p20) <= 0.006 * told);
        free(said);
    }
    cli_works(directory, "plan --angles 90 --columns 64 --slices 4 --algorithm cg --weights none.npy");
}

/* Files of what_is_no_weight, and what is said of them. */
static const char *const refused[][2] = {
    {"few.npy", "--weights few.npy | 47 numbers | 48 columns"},
    {"other.npy", "--weights other.npy | 35 x 48 numbers | 36 projections | 48 columns"},
    {"rows.npy", "--weights rows.npy | 6 rows and 48 columns | 36 of 7 and 48"},
    {"cut.npy", "cut.npy is cut: it has 188 of the 192 bytes of its values"},
    {"four.npy", "--weights | four.npy | 4 dimensions | 3, or 2"},
    {"inf.npy", "--weights inf.npy | column 5 of row 0 of projection 0 | inf | 0 or more"},
    {"minus.npy", "--weights minus.npy | column 9 of row 3 of projection 7 | -1 | 0 or more"},
    {"nan.npy", "--weights nan.npy | column 9 of row 3 of projection 7 | nan | 0 or more"},
    {"zero.npy", "--weights zero.npy | row 3 | 0"},
    {"scan.h5:/exchange/none", "scan.h5 has no dataset /exchange/none"},
    {"scan.h5:/exchange/theta", "--weights scan.h5 | :/exchange/theta | 12 numbers | 48 columns"},
    {"count", "--weights, which is a file unless it is auto, counts or none: count: No such file or directory"}};

static void what_is_no_weight(void **state)
{
    const char *const directory = *state;
    float value[RAYS] = {0};
    write_scan(directory);
    cli_write_npy(directory, "few.npy", "<f4", "(47,)", value, 47 * sizeof *value);
    cli_write_npy(directory, "other.npy", "<f4", "(35, 48)", value, 35 * 48 * sizeof *value);
    cli_write_npy(directory, "rows.npy", "<f4", "(36, 6, 48)", value, 36 * 6 * 48 * sizeof *value);
    cli_write_npy(directory, "cut.npy", "<f4", "(48,)", value, 47 * sizeof *value);
    cli_write_npy(directory, "four.npy", "<f4", "(1, 1, 1, 48)", value, 48 * sizeof *value);
    value[5] = INFINITY;
    cli_write_npy(directory, "inf.npy", "<f4", "(48,)", value, 48 * sizeof *value);
    value[5] = 0;
    value[at(7, 3, 9)] = -1;
    cli_write_npy(directory, "minus.npy", "<f4", "(36, 7, 48)", value, sizeof value);
    value[at(7, 3, 9)] = NAN;
    cli_write_npy(directory, "nan.npy", "<f4", "(36, 7, 48)", value, sizeof value);
    cli_write_npy(directory, "zero.npy", "<f4", "(48,)", (float[48]){0}, 48 * sizeof(float));
    cli_write_scan(directory, "scan.h5", &cli_scan);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        cli_refuses(directory, refused[i][1],
                    RECON "--theta theta.bin --rotation-axis 23.5 --algorithm cg --iterations 2 "
                          "-o v.h5 --weights %s",
                    refused[i][0]);
        assert_false(cli_exists(directory, "v.h5"));
    }
    value[at(7, 3, 9)] = 1; /* a slice that is not looked at before */
    value[at(9, 6, 1)] = -2;
    cli_write_npy(directory, "late.npy", "<f4", "(36, 7, 48)", value, sizeof value);
    CliRun run = {.directory = directory};
    cli_start(&run, RECON "--theta theta.bin --rotation-axis 23.5 --algorithm cg -o v.h5 --weights late.npy");
    cli_wait(&run);
    cli_assert_ended(&run, 2,
                     "--weights late.npy | column 1 of row 6 of projection 9 | -2 | 0 or more | v.h5 was not written");
    assert_false(cli_exists(directory, "v.h5"));
    cli_refuses(directory, "--weights few.npy | 47 numbers | 48 columns",
                "plan b.npy --theta theta.bin --data line-integrals --algorithm cg --weights few.npy");
    cli_refuses(directory, "--weights | --algorithm fbp | --algorithm cg | fista",
                RECON "-o v.h5 --algorithm fbp --weights w.npy");
    cli_refuses(directory, "--weights w.npy | --projector toeplitz | --weights none",
                RECON "-o v.h5 --algorithm cg --projector toeplitz --weights w.npy");
    cli_refuses(directory, "--weights | 'w.npy' | auto | none", "demo -o d --weights w.npy");
    cli_refuses(directory, "--sweep | 'w.npy' | auto | none",
                RECON "-o try --reconstruction-type try --algorithm cg --sweep weights=none,w.npy");
    cli_refuses(directory, "--out | --weights | 'w.npy' | different files",
                RECON "-o w.npy --algorithm cg --weights w.npy");
}

int cli_weights_tests(void)
{
    const struct CMUnitTest tests[] = {
        CLI_ONE_CORE(weights_are_selected_as_projections),
        CLI_TEST(averages_have_mean_weights),
        CLI_TEST(smaller_arrays_hold_for_all),
        CLI_ONE_CORE(rays_of_weight_0_have_no_value),
        CLI_TEST(divisions_and_units_do_not_matter),
        CLI_TEST(plans_know_weights),
        CLI_TEST(what_is_no_weight),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
