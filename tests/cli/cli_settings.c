/* SPDX-License-Identifier: BSD-3-Clause */
/* Command line, settings: settings or outputs that cannot be honoured are refused with one sentence. */
#include "cli.h"

#include <sys/mount.h>
#include <sys/stat.h>

static void verbs(void **state)
{
    cli_refuses(
        *state,
        "no verb; allowed: recon, phantom, info, demo, bench, plan, simulate, sweep, init, compare, join (sinodag "
        "--help tells more)",
        "%s", "");
    cli_refuses(
        *state,
        "unknown verb 'reco' (did you mean recon?); allowed: recon, phantom, info, demo, bench, plan, simulate, sweep, "
        "init, compare, join",
        "reco scan.h5");
    static const char *const words[] = {"recn", "recon", "reconstruct", "recon", "pahntom", "phantom"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i += 2) {
        char message[200];
        snprintf(message, sizeof message,
                 "unknown verb '%s' (did you mean %s?); allowed: recon, phantom, info, demo, bench, plan, simulate, "
                 "sweep, init, compare, join",
                 words[i], words[i + 1]);
        cli_refuses(*state, message, "%s scan.h5", words[i]);
    }
    cli_refuses(
        *state,
        "unknown verb 'view'; allowed: recon, phantom, info, demo, bench, plan, simulate, sweep, init, compare, join",
        "view scan.h5");
    cli_refuses(*state,
                "unknown verb '--recon' (did you mean recon?); allowed: recon, phantom, info, demo, bench, plan, "
                "simulate, sweep, init, compare, join",
                "--recon scan.h5");
    cli_refuses(*state, "recon has no input file; needed: sinodag recon FILE --out FILE [options]", "recon");
    cli_refuses(*state, "recon has no --out; needed: sinodag recon FILE --out FILE [options]", "recon scan.h5");
    cli_refuses(*state, "phantom has no --out; needed: sinodag phantom --out FILE [options]", "phantom");
    cli_refuses(*state,
                "plan has neither an input file nor all of --angles, --columns and --slices; needed: sinodag plan "
                "[FILE] [options]",
                "plan --angles 3");
    cli_refuses(*state, "info has no input file; needed: sinodag info FILE [options]", "info");
    cli_refuses(*state,
                "there are two input files, 'a.h5' and 'b.h5'; allowed: one, or a quoted pattern of TIFF images",
                "info a.h5 b.h5");
    cli_refuses(*state, "--memory is '2 GB'; allowed: a size such as 512MiB, 2G or 1.5GB, from 0 to 1048576 TiB",
                "recon a.h5 -o o.h5 --memory 2 GB");
    cli_refuses(*state, "--memory is '2 GB'; allowed: a size such as 512MiB, 2G or 1.5GB, from 0 to 1048576 TiB",
                "recon --memory 2 GB a.h5 -o o.h5");
    cli_refuses(*state, "--stall-limit is '10 min'; allowed: none, or a time such as 90s, 10min or 1.5h",
                "recon --stall-limit 10 min a.h5 -o o.h5");
    cli_refuses(*state,
                "'scan.h5' is not an option of phantom, which takes no file name; needed: sinodag phantom --out FILE "
                "[options]",
                "phantom scan.h5 -o out.h5");
}

static void options(void **state)
{
    const char *const at = *state;
    cli_refuses(at, "unknown option --itertions of recon; did you mean --iterations?",
                "recon scan.h5 -o out.h5 --itertions 3");
    cli_refuses(at, "unknown option --overwite of phantom; did you mean --overwrite?", "phantom -o out.h5 --overwite");
    cli_refuses(at, "unknown option --xyzzy of info; allowed: those that sinodag info --help all lists",
                "info scan.h5 --xyzzy");
    cli_refuses(at, "unknown option -q of info; allowed: those that sinodag info --help all lists", "info scan.h5 -q");
    cli_refuses(at, "--iterations is not an option of info; allowed: with recon, demo, plan, simulate or sweep",
                "info scan.h5 --iterations 3");
    cli_refuses(at, "--size is not an option of recon; allowed: with phantom or demo",
                "recon scan.h5 -o out.h5 --size 64");
    cli_refuses(at, "--iterations is '3x'; allowed: auto or an integer from 1 to 1000000000",
                "recon scan.h5 -o out.h5 --iterations 3x");
    cli_refuses(at, "--noise is 'nan'; allowed: a number from 0 to 1", "phantom -o out.h5 --noise nan");
    cli_refuses(at, "--object is 'bone'; allowed: head or texture", "phantom -o out.h5 --object bone");
    cli_refuses(at, "--object texture contradicts --geometry cone; allowed: head",
                "phantom -o out.h5 --object texture --geometry cone");
    cli_refuses(at, "--out has no value; allowed: a file name in UTF-8", "phantom --out");
    cli_refuses(at, "--size is given twice, '3' and '4'; allowed: once", "phantom -o out.h5 --size 3 --size 4");
    cli_refuses(at, "--algorithm is 'art'; allowed: cg, sirt, fbp, mlem, osem, fdk, fista or bsrem",
                "recon scan.h5 -o out.h5 --algorithm art");
}

static void contradictions(void **state)
{
    const char *const at = *state;
    cli_write_scan(at, "scan.h5", &cli_scan);
    cli_refuses(at,
                "--iterations contradicts --algorithm fbp; allowed: --iterations with --algorithm cg, sirt, mlem, osem "
                "or fista",
                "recon scan.h5 -o out.h5 --algorithm fbp --iterations 3");
    cli_refuses(at, "--fbp-filter contradicts --algorithm fista; allowed: --fbp-filter with --algorithm fbp",
                "recon scan.h5 -o out.h5 --fbp-filter hann");
    cli_refuses(at, "--theta contradicts --geometry matrix; allowed: --theta with --geometry parallel, cone or fan",
                "recon counts.npy -o out.h5 --system-matrix matrix.csr4 --theta 0:180");
    cli_refuses(at, "--algorithm fbp contradicts --geometry matrix; allowed: cg, sirt, mlem, osem or bsrem",
                "recon counts.npy -o out.h5 --system-matrix matrix.csr4 --algorithm fbp");
    cli_refuses(at, "--geometry is matrix without --system-matrix; needed: --system-matrix FILE",
                "recon counts.npy -o out.h5 --geometry matrix");
    cli_refuses(
        at,
        "--resume contradicts --save-every 2, whose images are of one run; allowed: one of them, or --start with "
        "an image that was saved",
        "recon counts.npy -o out.h5 --system-matrix matrix.csr4 --resume --save-every 2");
    cli_refuses(at, "--out and the input file are the same file, 'scan.h5'; allowed: different files",
                "recon scan.h5 -o scan.h5 --overwrite");
    cli_refuses(at, "--out and the input file are the same file, './scan.h5' and 'scan.h5'; allowed: different files",
                "recon scan.h5 -o ./scan.h5 --overwrite");
    cli_refuses(at, "--graph and the input file are the same file, 'scan.h5'; allowed: different files",
                "recon scan.h5 -o out.h5 --graph scan.h5 --overwrite");
    cli_refuses(at, "--truth and --out are the same file, 'out.h5'; allowed: different files",
                "phantom -o out.h5 --truth out.h5");
}

static void yaml(void **state)
{
    const char *const at = *state;
    cli_write_text(at, "unknown.yaml", "itertions: 3\n");
    cli_write_text(at, "other.yaml", "size: 3\n");
    cli_write_text(at, "bad.yaml", "iterations: none\n");
    cli_write_text(at, "text.yaml", "Hello\n");
    cli_write_text(at, "contradiction.yaml", "iterations: 7\n");
    cli_refuses(at, "unknown.yaml: unknown setting itertions of recon; did you mean iterations?",
                "recon scan.h5 -o out.h5 --config unknown.yaml");
    cli_refuses(at, "other.yaml: size is not an option of recon; allowed: with phantom or demo",
                "recon scan.h5 -o out.h5 --config other.yaml");
    cli_refuses(at, "bad.yaml: iterations is 'none'; allowed: auto or an integer from 1 to 1000000000",
                "recon scan.h5 -o out.h5 --config bad.yaml");
    cli_refuses(at, "text.yaml: Expecting MAPPING, got event: SCALAR; allowed: one \"name: value\" line per setting",
                "recon scan.h5 -o out.h5 --config text.yaml");
    cli_refuses(at,
                "--iterations contradicts --algorithm fbp; allowed: --iterations with --algorithm cg, sirt, mlem, osem "
                "or fista",
                "recon scan.h5 -o out.h5 --config contradiction.yaml --algorithm fbp");
    cli_refuses(at, "--config: nope.yaml: No such file or directory", "recon scan.h5 -o out.h5 --config nope.yaml");
}

static void machine(void **state)
{
    CliRun run = {.directory = *state, .environment = "STARPU_SCHED=nonsense"};
    cli_write_scan(*state, "scan.h5", &cli_scan);
    char message[TESTING_PATH];
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    cli_start(&run, "recon scan.h5 -o out.h5 --graph graph.dot --scheduler foo");
    cli_wait(&run);
    assert_int_equal(run.exit_code, 2);
    assert_non_null(strstr(run.err, "sinodag: scheduler is 'foo'; this StarPU has: "));
    assert_non_null(strstr(run.err, " lws "));
    cli_free(&run);
    cli_start(&run, "recon scan.h5 -o out.h5 --graph graph.dot");
    cli_wait(&run);
    assert_int_equal(run.exit_code, 2);
    assert_non_null(strstr(run.err, "sinodag: scheduler is 'nonsense'; this StarPU has: "));
    cli_free(&run);
    assert_names(*state, "scan.h5");
    snprintf(message, sizeof message, "workers is %ld; ", cores + 1);
    run.environment = NULL;
    cli_start(&run, "recon scan.h5 -o out.h5 --graph graph.dot --workers %ld", cores + 1);
    cli_wait(&run);
    assert_int_equal(run.exit_code, 2);
    assert_non_null(strstr(run.err, message));
    assert_null(strchr(run.err, '\n')[1] ? "more than one line" : NULL);
    cli_free(&run);
    assert_names(*state, "scan.h5");
    run.environment = "STARPU_NCPU=many";
    cli_start(&run, "recon scan.h5 -o out.h5");
    cli_wait(&run);
    cli_assert_ended(&run, 2, "STARPU_NCPU is 'many'; allowed: a number of cores");
    cli_refuses(*state, "nodir/graph.dot cannot be written in directory nodir: No such file or directory",
                "recon scan.h5 -o out.h5 --graph nodir/graph.dot");
}

/* StarPU alone would end the program. */
static void home_that_takes_nothing(void **state)
{
    char home[TESTING_PATH + 20], models[TESTING_PATH + 40];
    CliRun run = {.directory = *state, .environment = home};
    cli_write_scan(*state, "scan.h5", &cli_scan);
    snprintf(home, sizeof home, "XDG_CACHE_HOME=%s/scan.h5", (const char *)*state);
    cli_start(&run, "recon scan.h5 -o out.h5 --rotation-axis 7.5 --iterations 2 --scheduler dmda --pictures no "
                    "--report none");
    cli_wait(&run);
    assert_int_equal(run.exit_code, 0);
    assert_non_null(strstr(run.err, "sinodag: StarPU's measurements are not kept: "));
    assert_names(*state, "out.h5 scan.h5");
    cli_free(&run);
    run.environment = models;
    snprintf(models, sizeof models, "STARPU_PERF_MODEL_DIR=%s/scan.h5/models", (const char *)*state);
    cli_start(&run, "recon scan.h5 -o new.h5");
    cli_wait(&run);
    assert_int_equal(run.exit_code, 2);
    assert_non_null(strstr(run.err, "scan.h5/models', which cannot be written: Not a directory\n"));
    assert_names(*state, "out.h5 scan.h5");
    cli_free(&run);
    run.environment = home;
    cli_mount(*state, "disk", 0, "size=32k");
    snprintf(home, sizeof home, "XDG_CACHE_HOME=%s/disk", (const char *)*state);
    cli_start(&run, "recon scan.h5 -o out.h5 --rotation-axis 7.5 --iterations 2 --overwrite");
    cli_wait(&run);
    assert_int_equal(run.exit_code, 0);
    assert_non_null(strstr(run.err, "disk/.starpu/sampling/sinodag cannot be written (No space left on device)\n"));
    cli_free(&run);
}

static void places_that_take_no_output(void **state)
{
    const char *const at = *state;
    char path[TESTING_PATH];
    cli_write_scan(at, "scan.h5", &cli_scan);
    cli_write_text(at, "file", "");
    assert_int_equal(mkdir(testing_path(path, at, "folder"), 0700), 0);
    cli_refuses(at, "nodir/out.h5 cannot be written in directory nodir: No such file or directory",
                "recon scan.h5 -o nodir/out.h5");
    cli_refuses(at, "directory nodir/out cannot be made: No such file or directory",
                "recon scan.h5 -o nodir/out --save-format tiff");
    cli_refuses(at, "file/out.h5 cannot be written in directory file: Not a directory", "recon scan.h5 -o file/out.h5");
    cli_refuses(at, "file is not a directory; TIFF files need one", "recon scan.h5 -o file --save-format tiff");
    cli_refuses(at, "folder is a directory; give the name of a file", "recon scan.h5 -o folder");
    cli_refuses(at, "/dev/null is not a regular file and cannot be replaced", "recon scan.h5 -o /dev/null --overwrite");
    cli_refuses(at, "nodir/scan.h5 cannot be written in directory nodir: No such file or directory",
                "phantom -o nodir/scan.h5 --size 8 --angles 3 --truth truth.h5");
    cli_refuses(at, "nodir/truth.h5 cannot be written in directory nodir: No such file or directory",
                "phantom -o new.h5 --size 8 --angles 3 --truth nodir/truth.h5");
    cli_refuses(at, "out: cannot make the folder 'nodir/demo': No such file or directory", "demo --out nodir/demo");
    cli_refuses(at, "file/truth.h5 cannot be written in directory file: Not a directory", "demo --out file --size 8");
    CliRun run = {.directory = at};
    cli_start(&run, "recon scan.h5 -o file --rotation-axis 7 --reconstruction-type try");
    cli_wait(&run);
    cli_assert_ended(&run, 2, "out is 'file', which is no folder; trying centers writes a folder of TIFF files");
    assert_names(at, "file folder scan.h5");
}

static void read_only_place(void **state)
{
    const char *const at = *state;
    cli_write_scan(at, "scan.h5", &cli_scan);
    cli_mount(at, "ro", MS_RDONLY, NULL);
    cli_refuses(at, "ro/out.h5 cannot be written in directory ro: Read-only file system", "recon scan.h5 -o ro/out.h5");
    cli_refuses(at, "directory ro/out cannot be made: Read-only file system",
                "recon scan.h5 -o ro/out --save-format tiff");
    cli_refuses(at, "ro/recon_00000.tiff cannot be written in directory ro: Read-only file system",
                "recon scan.h5 -o ro --save-format tiff --pictures no");
    cli_refuses(at, "ro/graph.dot cannot be written in directory ro: Read-only file system",
                "recon scan.h5 -o out.h5 --graph ro/graph.dot");
    cli_refuses(at, "ro/scan.h5 cannot be written in directory ro: Read-only file system", "phantom -o ro/scan.h5");
    cli_refuses(at, "out: cannot make the folder 'ro/demo': Read-only file system", "demo --out ro/demo");
}

static void outputs_that_exist(void **state)
{
    const char *const at = *state;
    cli_write_scan(at, "scan.h5", &cli_scan);
    cli_works(at, "recon scan.h5 -o out.h5 --rotation-axis 7.5 --iterations 2 --graph graph.dot --save-format both");
    cli_refuses(at, "out.h5 exists; --overwrite replaces it", "recon scan.h5 -o out.h5 --iterations 2");
    cli_refuses(at, "out is a directory; give the name of a file", "recon scan.h5 -o out --iterations 2");
    cli_refuses(at, "out_slice_00002.png exists; --overwrite replaces it", "recon scan.h5 -o out.hdf5 --iterations 2");
    cli_refuses(at, "out has 4 of the files to be written, the first recon_00000.tiff; --overwrite replaces them",
                "recon scan.h5 -o out --save-format tiff --pictures no");
    cli_refuses(at, "graph.dot exists; --overwrite replaces it", "recon scan.h5 -o new.h5 --graph graph.dot");
    cli_refuses(at, "scan.h5 exists; --overwrite replaces it", "phantom -o scan.h5");
    cli_refuses(at, "out.h5 exists; --overwrite replaces it", "phantom -o new.h5 --truth out.h5");
    cli_refuses(at, "./scan.h5 exists; --overwrite replaces it", "demo --out . --size 8 --angles 3 --slices 1");
    cli_works(at, "recon scan.h5 -o out.h5 --rotation-axis 7.5 --iterations 2 --graph graph.dot --save-format both "
                  "--overwrite");
    cli_works(at, "recon scan.h5 -o try --rotation-axis 7.5 --iterations 2 --reconstruction-type try "
                  "--center-search-width 1");
    CliRun run = {.directory = at};
    cli_start(&run, "recon scan.h5 -o try --rotation-axis 7.5 --reconstruction-type try --center-search-width 1");
    cli_wait(&run);
    cli_assert_ended(&run, 2, "try/recon_00006.50.tiff exists; --overwrite replaces it");
    cli_works(at, "recon scan.h5 -o try --rotation-axis 7.5 --iterations 2 --reconstruction-type try "
                  "--center-search-width 1 --overwrite");
}

int cli_settings_tests(void)
{
    const struct CMUnitTest tests[] = {
        CLI_TEST(verbs),
        CLI_TEST(options),
        CLI_TEST(contradictions),
        CLI_TEST(yaml),
        CLI_TEST(machine),
        CLI_TEST(home_that_takes_nothing),
        CLI_TEST(places_that_take_no_output),
        CLI_TEST(read_only_place),
        CLI_TEST(outputs_that_exist),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
