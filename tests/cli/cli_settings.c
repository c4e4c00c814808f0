/* SPDX-License-Identifier: BSD-3-Clause */
/* Command line, settings: settings or outputs that cannot be honoured are refused with one sentence. */
#include "cli.h"

#include <sys/mount.h>
#include <sys/stat.h>

static void verbs(void **state)
{
    cli_refuses(*state, "no verb | recon | compare | --help", "%s", "");
    cli_refuses(*state, "'reco' | recon | allowed | recon | join", "reco scan.h5");
    static const char *const words[] = {"recn", "recon", "reconstruct", "recon", "pahntom", "phantom"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i += 2) {
        char message[200];
        snprintf(message, sizeof message, "'%s' | %s | allowed | recon | join", words[i], words[i + 1]);
        cli_refuses(*state, message, "%s scan.h5", words[i]);
    }
    cli_refuses(*state, "'view' | allowed | recon | join", "view scan.h5");
    cli_refuses(*state, "'--recon' | recon | allowed | recon | join", "--recon scan.h5");
    cli_refuses(*state, "plan | --angles, --columns and --slices | plan [FILE]", "plan --angles 3");
    cli_refuses(*state, "--memory | '2 GB' | 512MiB | 0 to 1048576 TiB", "recon a.h5 -o o.h5 --memory 2 GB");
    cli_refuses(*state, "--memory | '2 GB' | 512MiB | 0 to 1048576 TiB", "recon --memory 2 GB a.h5 -o o.h5");
    cli_refuses(*state, "--stall-limit | '10 min' | none | 1.5h", "recon --stall-limit 10 min a.h5 -o o.h5");
}

static void options(void **state)
{
    const char *const at = *state;
    cli_refuses(at, "--itertions | --iterations", "recon scan.h5 -o out.h5 --itertions 3");
    cli_refuses(at, "--iterations | '3x' | auto | 1 to 1000000000", "recon scan.h5 -o out.h5 --iterations 3x");
    cli_refuses(at, "--object | --geometry cone | head", "phantom -o out.h5 --object texture --geometry cone");
}

static void contradictions(void **state)
{
    const char *const at = *state;
    cli_write_scan(at, "scan.h5", &cli_scan);
    cli_refuses(at, "--theta | --geometry matrix | --geometry parallel | fan",
                "recon counts.npy -o out.h5 --system-matrix matrix.csr4 --theta 0:180");
    cli_refuses(at, "--algorithm fbp | --geometry matrix | cg | bsrem",
                "recon counts.npy -o out.h5 --system-matrix matrix.csr4 --algorithm fbp");
    cli_refuses(at, "--geometry | matrix | --system-matrix FILE", "recon counts.npy -o out.h5 --geometry matrix");
    cli_refuses(at, "--resume | --save-every | --start",
                "recon counts.npy -o out.h5 --system-matrix matrix.csr4 --resume --save-every 2");
    cli_refuses(at, "--out | same file | 'scan.h5' | different files", "recon scan.h5 -o scan.h5 --overwrite");
    cli_refuses(at, "--out | same file | 'scan.h5' | different files", "recon scan.h5 -o ./scan.h5 --overwrite");
    cli_refuses(at, "--graph | same file | 'scan.h5' | different files",
                "recon scan.h5 -o out.h5 --graph scan.h5 --overwrite");
    cli_refuses(at, "--truth | --out | 'out.h5' | different files", "phantom -o out.h5 --truth out.h5");
}

static void yaml(void **state)
{
    const char *const at = *state;
    cli_write_text(at, "unknown.yaml", "itertions: 3\n");
    cli_write_text(at, "other.yaml", "size: 3\n");
    cli_write_text(at, "bad.yaml", "iterations: none\n");
    cli_write_text(at, "text.yaml", "Hello\n");
    cli_write_text(at, "contradiction.yaml", "iterations: 7\n");
    cli_refuses(at, "unknown.yaml | itertions | iterations", "recon scan.h5 -o out.h5 --config unknown.yaml");
    cli_refuses(at, "other.yaml | size | recon | phantom or demo", "recon scan.h5 -o out.h5 --config other.yaml");
    cli_refuses(at, "bad.yaml | iterations | 'none' | auto | 1 to 1000000000",
                "recon scan.h5 -o out.h5 --config bad.yaml");
    cli_refuses(at, "text.yaml | MAPPING | SCALAR | name: value", "recon scan.h5 -o out.h5 --config text.yaml");
    cli_refuses(at, "--iterations | --algorithm fbp | --algorithm cg | fista",
                "recon scan.h5 -o out.h5 --config contradiction.yaml --algorithm fbp");
    cli_refuses(at, "--config | nope.yaml | No such file", "recon scan.h5 -o out.h5 --config nope.yaml");
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
    cli_assert_ended(&run, 2, "STARPU_NCPU | 'many' | a number of cores");
    cli_refuses(*state, "nodir/graph.dot | No such file", "recon scan.h5 -o out.h5 --graph nodir/graph.dot");
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
    cli_refuses(at, "nodir/out.h5 | No such file", "recon scan.h5 -o nodir/out.h5");
    cli_refuses(at, "nodir/out | No such file", "recon scan.h5 -o nodir/out --save-format tiff");
    cli_refuses(at, "file/out.h5 | Not a directory", "recon scan.h5 -o file/out.h5");
    cli_refuses(at, "file is not a directory", "recon scan.h5 -o file --save-format tiff");
    cli_refuses(at, "folder is a directory | name of a file", "recon scan.h5 -o folder");
    cli_refuses(at, "/dev/null | not a regular file | replaced", "recon scan.h5 -o /dev/null --overwrite");
    cli_refuses(at, "nodir/scan.h5 | No such file", "phantom -o nodir/scan.h5 --size 8 --angles 3 --truth truth.h5");
    cli_refuses(at, "nodir/truth.h5 | No such file", "phantom -o new.h5 --size 8 --angles 3 --truth nodir/truth.h5");
    cli_refuses(at, "'nodir/demo' | No such file", "demo --out nodir/demo");
    cli_refuses(at, "file/truth.h5 | Not a directory", "demo --out file --size 8");
    CliRun run = {.directory = at};
    cli_start(&run, "recon scan.h5 -o file --rotation-axis 7 --reconstruction-type try");
    cli_wait(&run);
    cli_assert_ended(&run, 2, "out | 'file' | no folder | TIFF");
    assert_names(at, "file folder scan.h5");
}

static void read_only_place(void **state)
{
    const char *const at = *state;
    cli_write_scan(at, "scan.h5", &cli_scan);
    cli_mount(at, "ro", MS_RDONLY, NULL);
    cli_refuses(at, "ro/out.h5 | Read-only", "recon scan.h5 -o ro/out.h5");
    cli_refuses(at, "ro/out | Read-only", "recon scan.h5 -o ro/out --save-format tiff");
    cli_refuses(at, "ro/recon_00000.tiff | Read-only", "recon scan.h5 -o ro --save-format tiff --pictures no");
    cli_refuses(at, "ro/graph.dot | Read-only", "recon scan.h5 -o out.h5 --graph ro/graph.dot");
    cli_refuses(at, "ro/scan.h5 | Read-only", "phantom -o ro/scan.h5");
    cli_refuses(at, "'ro/demo' | Read-only", "demo --out ro/demo");
}

static void outputs_that_exist(void **state)
{
    const char *const at = *state;
    cli_write_scan(at, "scan.h5", &cli_scan);
    cli_works(at, "recon scan.h5 -o out.h5 --rotation-axis 7.5 --iterations 2 --graph graph.dot --save-format both");
    cli_refuses(at, "out.h5 exists | --overwrite", "recon scan.h5 -o out.h5 --iterations 2");
    cli_refuses(at, "out is a directory | name of a file", "recon scan.h5 -o out --iterations 2");
    cli_refuses(at, "out_slice_00002.png exists | --overwrite", "recon scan.h5 -o out.hdf5 --iterations 2");
    cli_refuses(at, "out | 4 of the files | recon_00000.tiff | --overwrite",
                "recon scan.h5 -o out --save-format tiff --pictures no");
    cli_refuses(at, "graph.dot exists | --overwrite", "recon scan.h5 -o new.h5 --graph graph.dot");
    cli_refuses(at, "scan.h5 exists | --overwrite", "phantom -o scan.h5");
    cli_refuses(at, "out.h5 exists | --overwrite", "phantom -o new.h5 --truth out.h5");
    cli_refuses(at, "./scan.h5 exists | --overwrite", "demo --out . --size 8 --angles 3 --slices 1");
    cli_works(at, "recon scan.h5 -o out.h5 --rotation-axis 7.5 --iterations 2 --graph graph.dot --save-format both "
                  "--overwrite");
    cli_works(at, "recon scan.h5 -o try --rotation-axis 7.5 --iterations 2 --reconstruction-type try "
                  "--center-search-width 1");
    CliRun run = {.directory = at};
    cli_start(&run, "recon scan.h5 -o try --rotation-axis 7.5 --reconstruction-type try --center-search-width 1");
    cli_wait(&run);
    cli_assert_ended(&run, 2, "try/recon_00006.50.tiff exists | --overwrite");
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
