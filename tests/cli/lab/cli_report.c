/* SPDX-License-Identifier: BSD-3-Clause */
/* Command line, --report: the page of a run is whole, needs no other file, and tells what the run did. */
#include "cli.h"

/* The page is well-formed, and names nothing outside itself. Skipped, loudly, where there is no Python. */
static void assert_whole(const char *directory, const char *name)
{
    char path[TESTING_PATH];
    const int code = cli_tool("python3", SINO_SOURCE_ROOT "/tests/page_check", testing_path(path, directory, name));
    if (code == 127)
        print_message("no python3 is here: %s was not read\n", name);
    else if (code != 0)
        fail_msg("tests/page_check %s fails", path);
}

static char *read_page(const char *directory, const char *name)
{
    const int64_t bytes = cli_file_size(directory, name);
    assert_true(bytes > 1000);
    char *raw = cli_read_bytes(directory, name, (size_t)bytes), *text = malloc((size_t)bytes + 1);
    memcpy(text, raw, (size_t)bytes);
    text[bytes] = '\0';
    free(raw);
    return text;
}

static int count(const char *text, const char *word)
{
    int found = 0;
    for (const char *at = text; (at = strstr(at, word)); at++) found++;
    return found;
}

/* Every word is in the page, which is whole and has so many pictures and plots. */
static void assert_tells(const char *directory, const char *name, int pictures, int plots, const char *const *word)
{
    char *page = read_page(directory, name);
    assert_whole(directory, name);
    for (; *word; word++)
        if (!strstr(page, *word)) fail_msg("'%s' is not in %s", *word, name);
    assert_int_equal(count(page, "<img "), pictures);
    assert_int_equal(count(page, "<svg "), plots);
    free(page);
}

/* A dropped projection and a dead column in one of many: what is odd is told first. */
static uint16_t faulty(uint64_t angle, uint64_t row, uint64_t column)
{
    return angle == 7 || column == 5 ? 0 : (uint16_t)(300 + (angle * 131 + row * 71 + column * 37) % 400);
}

static void parallel_beam(void **state)
{
    const char *const at = *state;
    CliScan scan = cli_scan;
    CliRun run = {.directory = at};
    scan.angles = scan.theta_count = 45;
    scan.rows = 12;
    scan.columns = 32;
    scan.count = faulty;
    cli_write_scan(at, "scan.h5", &scan);
    cli_start(&run, "recon scan.h5 -o out.h5 --algorithm cg --iterations 7 --pixel-size 1.5 --rotation-axis 15.25");
    cli_wait(&run);
    assert_int_equal(run.exit_code, 0);
    assert_non_null(strstr(run.err, "sinodag: report: out.html\n"));
    cli_free(&run);
    static const char *const word[] = {"<h1>out.h5</h1>",
                                       "What was odd",
                                       "projections without any value: 1 of 45, they have weight 0; number 7</li>",
                                       "detector columns without any value: 1 of 32",
                                       "45 projections of 12 × 32 pixels, 2 flat fields, 1 dark fields",
                                       "column 15.25 of the detector, given",
                                       "cg, 7 iterations, single precision",
                                       "12 slices of 32 × 32 voxels, values in 1/cm",
                                       "<td>side of a voxel</td><td>1.5 µm</td>",
                                       "<div class=\"bar\" style=\"width: 20.83%\"></div>", /* 10 µm of 48 µm */
                                       "10 µm<br/>",
                                       "Row 16 of all 12 slices",
                                       "Column 16 of all 12 slices",
                                       "Sinogram of detector row 6",
                                       "relative residual",
                                       "<tr><td>iterations</td><td>7</td></tr>",
                                       "<tr><td>rotation-axis</td><td>15.25</td></tr>",
                                       "<tr><td>projector</td><td>rays</td></tr>",
                                       "memory of a rank, at most",
                                       "the operator is built",
                                       "read from files",
                                       "scheduler ",
                                       NULL};
    assert_tells(at, "out.html", 4, 1, word);
    char *page = read_page(at, "out.html");
    assert_null(strstr(page, "nothing odd"));
    assert_null(strstr(page, "<tr><td>binning</td>")); /* a default, which only the list of all has */
    assert_non_null(strstr(page, "binning: 1\n"));
    free(page);
}

/* A direct method has no iterations, and a few slices no planes across them. */
static void direct_method_of_few_slices(void **state)
{
    static const char *const word[] = {"The run found nothing odd.",
                                       "found (by Vo&#39;s method; phase correlation: ",
                                       "fbp, single precision",
                                       "values in 1/pixel",
                                       "20 voxels<br/>",
                                       NULL};
    cli_works(*state, "phantom -o scan.h5 --size 64 --angles 60 --slices 2 --noise 0");
    cli_works(*state, "recon scan.h5 -o out.h5 --algorithm fbp --pictures no");
    assert_names(*state, "out.h5 out.html scan.h5");
    assert_tells(*state, "out.html", 2, 0, word);
    cli_works(*state, "recon scan.h5 -o fista.h5 --iterations 2 --pictures no");
    char *direct = read_page(*state, "out.html"), *searched = read_page(*state, "fista.html");
    assert_null(strstr(direct, "the strength of the prior is found"));
    assert_non_null(strstr(searched, "the strength of the prior is found"));
    free(direct);
    free(searched);
}

static void cone_beam(void **state)
{
    static const char *const word[] = {"fdk, single precision",
                                       "found (by rays and their reverses)",
                                       "cone beam: magnification 1.5",
                                       "a cone, magnification 1.5 at the axis",
                                       "25.6 mm to the rotation axis, 38.4 mm to the detector",
                                       "<td>detector pixel</td><td>200 µm × 200 µm</td>",
                                       "the sample turns clockwise as angles grow, seen from above",
                                       "<td>side of a voxel</td><td>133.33 µm</td>",
                                       "mm<br/>",
                                       "; 6.4 mm × 6.4 mm; x →, y ↑<br/>",
                                       "of all 32 slices, the first one on top; 6.4 mm × 4.2667 mm; x →, z ↓<br/>",
                                       "; y ←, z ↓<br/>",
                                       NULL};
    static const char *const other_rows[] = {"16 slices of 48 × 48 voxels", "rows 0 to 31, columns 0 to 47, binning 1",
                                             "Sinogram of detector row 16", NULL};
    static const char *const iterative[] = {"sirt, 3 iterations", "relative residual", "2 TIFF files", NULL};
    cli_works(*state, "phantom --geometry cone -o cone.h5 --size 48 --angles 60 --slices 32");
    cli_works(*state, "recon cone.h5 -o out.h5 --geometry cone --algorithm fdk");
    assert_tells(*state, "out.html", 4, 0, word);
    cli_works(*state, "recon cone.h5 -o flat.h5 --geometry cone --algorithm fdk --volume 48x48x16");
    assert_tells(*state, "flat.html", 4, 0, other_rows);
    cli_works(*state, "recon cone.h5 -o many/ --geometry cone --algorithm sirt --iterations 3 --save-format tiff");
    assert_tells(*state, "many.html", 4, 1, iterative);
}

static void system_matrix(void **state)
{
    static const char *const word[] = {"<td>system matrix</td><td>m.csr4</td>",
                                       "osem, 3 iterations",
                                       "Log-likelihood",
                                       "Largest value of all slices",
                                       "values in counts",
                                       "10 mm<br/>",
                                       NULL};
    cli_works(*state, "phantom --geometry pet -o m.csr4 --counts 20000");
    cli_works(*state, "recon m.counts --system-matrix m.csr4 -o out.h5 --algorithm osem --iterations 3");
    assert_tells(*state, "out.html", 4, 2, word);
}

/* Names of files and control characters are text. */
static void names_are_text(void **state)
{
    static const char *const word[] = {"&lt;b&gt;&amp;&quot;x&#39;.h5", "<h1>&lt;script&gt;.h5</h1>", NULL};
    cli_works(*state, "phantom -o <b>&\"x'.h5 --size 16 --angles 20 --slices 1");
    cli_works(*state, "recon <b>&\"x'.h5 -o <script>.h5 --algorithm cg --iterations 2 --rotation-axis 7.5");
    assert_tells(*state, "<script>.html", 2, 1, word);
}

static void names_and_refusals(void **state)
{
    const char *const at = *state;
    cli_works(at, "phantom -o scan.h5 --size 16 --angles 20 --slices 2");
    cli_works(at, "recon scan.h5 -o a.h5 --algorithm cg --iterations 2 --report page.html --pictures no");
    cli_works(at, "recon scan.h5 -o b.hdf5 --algorithm cg --iterations 2 --report none --pictures no");
    cli_works(at, "recon scan.h5 -o c.h5 --algorithm cg --iterations 2 --report auto --pictures no --save-format both");
    assert_names(at, "a.h5 b.hdf5 c c/recon_00000.tiff c/recon_00001.tiff c.h5 c.html page.html scan.h5");
    cli_refuses(at, "page.html exists | --overwrite", "recon scan.h5 -o d.h5 --report page.html");
    cli_refuses(at, "--report | --out | 'd.h5' | different files", "recon scan.h5 -o d.h5 --report d.h5");
    cli_refuses(at, "--report | same file | 'scan.h5' | different files", "recon scan.h5 -o d.h5 --report scan.h5");
    cli_refuses(at, "--report | p.html | --reconstruction-type try | --reconstruction-type full",
                "recon scan.h5 -o d --report p.html --reconstruction-type try");
    cli_refuses(at, "--report | recon | sweep", "info scan.h5 --report p.html");
    cli_works(at, "recon scan.h5 -o c.h5 --algorithm cg --iterations 1 --pictures no --save-format both --overwrite");
    static const char *const word[] = {"cg, 1 iterations", NULL};
    assert_tells(at, "c.html", 2, 1, word);
}

/* The folder of a report that is named may be missing: the run says so before it computes. */
static void folder_is_missing(void **state)
{
    cli_works(*state, "phantom -o scan.h5 --size 16 --angles 20 --slices 2");
    cli_refuses(*state, "nowhere/p.html | No such file", "recon scan.h5 -o d.h5 --report nowhere/p.html");
}

/* A page that the disk has no room for: the volume is there, and the run says so. */
static void page_beyond_the_limit(void **state)
{
    CliRun run = {.directory = *state, .file_bytes_max = 8192};
    cli_works(*state, "phantom -o scan.h5 --size 16 --angles 20 --slices 2");
    cli_start(
        &run,
        "recon scan.h5 -o out --save-format tiff --algorithm cg --iterations 2 --rotation-axis 7.5 --pictures no");
    cli_wait(&run);
    cli_assert_ended(&run, 1, "out.html | byte # | File too large | volume is complete");
    assert_names(*state, "out out/recon_00000.tiff out/recon_00001.tiff scan.h5");
}

int cli_report_tests(void)
{
    const struct CMUnitTest tests[] = {CLI_TEST(parallel_beam),     CLI_TEST(direct_method_of_few_slices),
                                       CLI_TEST(cone_beam),         CLI_TEST(system_matrix),
                                       CLI_TEST(names_are_text),    CLI_TEST(names_and_refusals),
                                       CLI_TEST(folder_is_missing), CLI_TEST(page_beyond_the_limit)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
