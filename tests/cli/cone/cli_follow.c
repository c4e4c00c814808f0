/* SPDX-License-Identifier: BSD-3-Clause */
/* Command line, --follow: scans that another program (replay_scan) writes meanwhile become the volumes of whole ones,
 * to the last bit; a writer that dies and a file that is cut end the run with one sentence. */
#include "cli.h"
#include "testing_port.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <hdf5.h>

enum { SIZE = 24, SLICES = 16, WORDS = 16 };

#define CONE    "--geometry cone --algorithm fdk --rotation-axis 11.5 --pictures no --report none "
#define LENGTHS "--source-object-distance 100 --source-detector-distance 150 --detector-pixel 0.5 "
#define FIELDS                                                                                                         \
    "--theta scan.h5:/exchange/theta --flats scan.h5:/exchange/data_white --darks "                                    \
    "scan.h5:/exchange/data_dark " LENGTHS

static void make_scan(const char *directory)
{
    cli_works(directory, "phantom -o scan.h5 --geometry cone --size 24 --slices 16 --angles 40 " LENGTHS);
}

/* Starts a program in the directory; words are separated by single blanks. */
static pid_t start(const char *directory, const char *line)
{
    char text[TESTING_PATH * 2], *word[WORDS] = {NULL};
    int count = 0;
    snprintf(text, sizeof text, "%s", line);
    for (char *at = strtok(text, " "); at && count + 1 < WORDS; at = strtok(NULL, " ")) word[count++] = at;
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid > 0) return pid;
    if (chdir(directory) == 0 && freopen("/dev/null", "w", stdout)) execv(word[0], word);
    _exit(127);
}

/* replay_scan scan.h5 with these words. */
static pid_t replay(const char *directory, const char *words)
{
    char line[TESTING_PATH * 2];
    const char *program = getenv("SINODAG_REPLAY");
    assert_non_null(program);
    snprintf(line, sizeof line, "%s scan.h5 %s", program, words);
    return start(directory, line);
}

static void assert_ends(pid_t pid, int signal)
{
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(signal ? WIFSIGNALED(status) && WTERMSIG(status) == signal
                       : WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* Waits, for ten seconds at most, until a file is there. */
static void await(const char *directory, const char *name)
{
    for (int i = 0; i < 1000 && (!cli_exists(directory, name) || cli_file_size(directory, name) == 0); i++)
        (void)usleep(10000);
    assert_true(cli_exists(directory, name));
}

static void assert_same_volume(const char *directory, const char *name)
{
    float *whole = cli_read_volume(directory, "whole.h5", SLICES, SIZE);
    float *found = cli_read_volume(directory, name, SLICES, SIZE);
    assert_memory_equal(found, whole, SLICES * SIZE * SIZE * sizeof *whole);
    free(whole);
    free(found);
}

/* A file with SWMR, which two runs follow, and whose second half comes once they wait; one that is closed after each
 * projection, as a dataset of any name; images in a folder; NXtomo, whose last dark field comes too late. */
static void scans_that_come_make_the_same_volume(void **state)
{
    enum { RUNS = 5, WRITERS = 4 };
    CliRun run[RUNS];
    const char *const at = *state;
    make_scan(at);
    cli_works(at, "recon scan.h5 -o whole.h5 --symmetry no " CONE);
    pid_t writer[] = {replay(at, "swmr.h5 swmr 0 hold 20"), replay(at, "plain.h5 plain 30"),
                      replay(at, "images tiff 30"), replay(at, "scan.nxs nxtomo 0 hold 20")};
    await(at, "plain.h5");
    await(at, "images/p_00001.tif"); /* the one before is whole */
    for (int i = 0; i < RUNS; i++) run[i] = (CliRun){.directory = at};
    cli_start(&run[0], "recon swmr.h5 -o v_0.h5 --follow " CONE);
    cli_start(&run[1], "recon swmr.h5 -o v_1.h5 --follow " CONE);
    cli_start(&run[2], "recon scan.nxs -o v_2.h5 --follow " CONE LENGTHS);
    cli_start(&run[3], "recon plain.h5 -o v_3.h5 --follow --dataset /exchange/data " CONE LENGTHS);
    cli_start(&run[4], "recon images -o v_4.h5 --follow " CONE FIELDS);
    for (int i = 0; i < 3; i++) cli_await(&run[i], "20 of 40 projections have come");
    cli_write_text(at, "go", "");
    for (int i = 0; i < RUNS; i++) {
        char name[16];
        cli_wait(&run[i]);
        assert_int_equal(run[i].exit_code, 0);
        assert_true(i > 2 || strstr(run[i].err, "20 projections came in "));
        snprintf(name, sizeof name, "v_%d.h5", i);
        if (i != 2) assert_same_volume(at, name);
        assert_true(i != 2 || strstr(run[i].err, "1 flat and dark fields had not come"));
        cli_free(&run[i]);
    }
    for (int i = 0; i < WRITERS; i++) assert_ends(writer[i], 0);
    cli_works(at, "recon scan.nxs -o whole.h5 --overwrite --symmetry no " CONE LENGTHS);
    assert_same_volume(at, "v_2.h5"); /* both dark fields are alike */
}

/* live.html as it is now; NULL: there is none. The caller frees it. */
static char *read_page(const char *directory)
{
    char path[TESTING_PATH], *text = NULL;
    size_t size = 0;
    FILE *file = fopen(testing_path(path, directory, "live.html"), "r");
    if (!file) return NULL;
    assert_true(getdelim(&text, &size, '\0', file) > 0);
    assert_int_equal(fclose(file), 0);
    return text;
}

/* Waits, for ten seconds at most, until the page has the text. */
static void await_page(const char *directory, const char *text)
{
    bool found = false;
    for (int i = 0; i < 1000 && !found; i++) {
        char *page = read_page(directory);
        found = page && strstr(page, text);
        free(page);
        (void)usleep(10000);
    }
    if (!found) fail_msg("live.html never has '%s'", text);
}

static void check_page(const char *directory)
{
    char path[TESTING_PATH];
    const int code =
        cli_tool("python3", SINO_SOURCE_ROOT "/tests/page_check", testing_path(path, directory, "live.html"));
    if (code == 127) print_message("no python3 is here: live.html was not checked\n");
    assert_true(code == 0 || code == 127);
}

/* The largest grey level of the page's first picture. */
static double white_of(const char *page)
{
    const char *const white = strstr(page, ", white ");
    assert_non_null(white);
    return strtod(white + strlen(", white "), NULL);
}

/* Two blocks of projections are shown while others have not come. The page of a later run replaces that of an
 * earlier one. */
static void a_page_shows_a_volume_that_grows(void **state)
{
    const char *const at = *state;
    CliRun run = {.directory = at};
    cli_write_text(at, "live.html", "of an earlier run");
    cli_works(at, "phantom -o scan.h5 --geometry cone --size 24 --slices 16 --angles 100 " LENGTHS);
    cli_works(at, "recon scan.h5 -o whole.h5 --symmetry no " CONE);
    const pid_t writer = replay(at, "live.h5 swmr 0 hold 70");
    await(at, "live.h5");
    cli_start(&run, "recon live.h5 -o v.h5 --follow=live.html " CONE);
    await_page(at, "<td>64 of 100</td>");
    check_page(at);
    char *early = read_page(at);
    assert_non_null(strstr(early, "http-equiv=\"refresh\" content=\"1\""));
    assert_non_null(strstr(early, "column 11.50"));
    assert_non_null(strstr(early, "yz, middle column"));
    cli_write_text(at, "go", "");
    cli_wait(&run);
    assert_int_equal(run.exit_code, 0);
    cli_free(&run);
    assert_ends(writer, 0);
    check_page(at);
    char *late = read_page(at);
    assert_null(strstr(late, "refresh"));
    assert_non_null(strstr(late, "<td>100 of 100</td>"));
    assert_non_null(strstr(late, "complete"));
    assert_string_not_equal(strstr(late, "<img"), strstr(early, "<img"));
    assert_true(fabs(white_of(early) / white_of(late) - 1) < 0.25);
    free(early);
    free(late);
    assert_same_volume(at, "v.h5");
    cli_refuses(at, "live.htm | yes, no | .html", "recon live.h5 -o w.h5 --follow=live.htm " CONE);
    cli_refuses(at, "none/live.html", "recon live.h5 -o w.h5 --follow=none/live.html " CONE);
}

static void a_whole_scan_is_followed_too(void **state)
{
    const char *const at = *state;
    make_scan(at);
    assert_ends(replay(at, "live.h5 swmr 0"), 0);
    cli_refuses(at, "live.h5 | /exchange/none", "recon live.h5 -o v.h5 --follow --theta-dataset /exchange/none " CONE);
    cli_works(at, "recon live.h5 -o v.h5 --follow --exclude 38,39 " CONE);
    cli_works(at, "recon scan.h5 -o whole.h5 --symmetry no --exclude 38,39 " CONE);
    assert_same_volume(at, "v.h5");
}

/* Puts the projections of a scan of 100 angles, 16 rows and 24 columns, in golden order: each is 61 steps on. */
static void order_by_golden_angle(const char *directory)
{
    enum { ANGLES = 100, PIXELS = SLICES * SIZE };
    static uint16_t data[ANGLES][PIXELS], ordered[ANGLES][PIXELS];
    char path[TESTING_PATH];
    float theta[ANGLES], angle[ANGLES];
    const hid_t file = H5Fopen(testing_path(path, directory, "scan.h5"), H5F_ACC_RDWR, H5P_DEFAULT);
    const hid_t projections = H5Dopen2(file, "/exchange/data", H5P_DEFAULT);
    const hid_t angles = H5Dopen2(file, "/exchange/theta", H5P_DEFAULT);
    assert_true(H5Dread(projections, H5T_NATIVE_UINT16, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
    assert_true(H5Dread(angles, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, theta) >= 0);
    for (int k = 0; k < ANGLES; k++) {
        memcpy(ordered[k], data[61 * k % ANGLES], sizeof *ordered);
        angle[k] = theta[61 * k % ANGLES];
    }
    assert_true(H5Dwrite(projections, H5T_NATIVE_UINT16, H5S_ALL, H5S_ALL, H5P_DEFAULT, ordered) >= 0);
    assert_true(H5Dwrite(angles, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, angle) >= 0);
    assert_true(H5Dclose(projections) >= 0 && H5Dclose(angles) >= 0 && H5Fclose(file) >= 0);
}

/* Slices of a parallel beam, in four blocks of projections in golden order, half of which come once the runs wait. The
 * first planes have the grey levels of the last ones. */
static void slices_of_a_scan_that_comes(void **state)
{
    enum { RUNS = 3 };
    static const char fbp[] = "--algorithm fbp --rotation-axis 11.2 --pictures no --report none --air 0 "
                              "--zinger-removal-method none --remove-stripe-method none --tune padding-type=zeros";
    static const char *const projectors[RUNS] = {"gridding", "rays", "pixels"}, *const pages[RUNS] = {"live.html",
                                                                                                      "rays.html",
                                                                                                      "pixels.html"};
    CliRun run[RUNS];
    const char *const at = *state;
    cli_works(at, "phantom -o scan.h5 --size 24 --slices 16 --angles 100");
    order_by_golden_angle(at);
    const pid_t writer = replay(at, "live.h5 swmr 0 hold 50");
    await(at, "live.h5");
    for (int i = 0; i < RUNS; i++) {
        run[i] = (CliRun){.directory = at};
        cli_start(&run[i], "recon live.h5 -o v_%d.h5 --follow=%s --projector %s %s", i, pages[i], projectors[i], fbp);
    }
    for (int i = 0; i < RUNS; i++) cli_await(&run[i], "50 of 100 projections have come");
    await_page(at, "yz, middle column");
    check_page(at);
    char *early = read_page(at);
    cli_write_text(at, "go", "");
    for (int i = 0; i < RUNS; i++) {
        char name[16];
        cli_wait(&run[i]);
        assert_int_equal(run[i].exit_code, 0);
        cli_works(at, "recon scan.h5 -o whole.h5 --overwrite --projector %s %s", projectors[i], fbp);
        snprintf(name, sizeof name, "v_%d.h5", i);
        assert_same_volume(at, name);
        cli_free(&run[i]);
    }
    assert_ends(writer, 0);
    await_page(at, "<td>100 of 100</td>");
    await_page(at, "rotation center by the projections so far");
    char *late = read_page(at);
    assert_non_null(strstr(early, "<td>32 of 100</td>"));
    assert_true(fabs(white_of(early) / white_of(late) - 1) < 0.1);
    free(early);
    free(late);
    cli_works(at, "recon live.h5 -o up.h5 --follow --end-row 9 --projector pixels %s", fbp);
    cli_works(at, "recon live.h5 -o down.h5 --follow --start-row 9 --projector pixels %s", fbp);
    cli_works(at, "join up.h5 down.h5 -o joined.h5");
    assert_same_volume(at, "joined.h5");
    cli_start(&run[0], "recon live.h5 -o v.h5 --follow --memory 93MiB --projector gridding %s", fbp);
    cli_wait(&run[0]);
    cli_assert_ended(&run[0], 2, "93.0 MiB | --follow | 16 slices | --memory | --start-row");
}

/* fbp or fdk while the scan comes, then the default algorithm for parallel beams, which finds the axis, and cg for
 * cones. They have the bits of a run without --follow. The last dark field comes last. */
static void another_algorithm_goes_on(void **state)
{
    static const char *const beam[] = {"--iterations 3 --regularization 0.05",
                                       "--geometry cone --rotation-axis 11.5 --algorithm cg --iterations 2 " LENGTHS};
    static const char *const kind[] = {"", "--geometry cone " LENGTHS}, *const first[] = {"fbp", "fdk"};
    const char *const at = *state;
    CliRun run = {.directory = at};
    char name[16];
    for (int i = 0; i < 2; i++) {
        cli_works(at, "phantom -o scan.h5 --overwrite --size 24 --slices 16 --angles 40 %s", kind[i]);
        const pid_t writer = replay(at, i ? "1.nxs nxtomo 0 hold 20" : "0.nxs nxtomo 0 hold 20");
        await(at, i ? "1.nxs" : "0.nxs");
        cli_start(&run, "recon %d.nxs -o v_%d.h5 --pictures no --report none --follow=live.html %s", i, i, beam[i]);
        cli_await(&run, "20 of 40 projections have come");
        cli_write_text(at, "go", "");
        cli_wait(&run);
        if (run.exit_code != 0) fail_msg("%s", run.err);
        assert_non_null(strstr(run.err, "20 projections came in "));
        assert_true(i > 0 || strstr(run.err, "fbp takes the middle column, 11.50, for the rotation axis"));
        cli_free(&run);
        assert_ends(writer, 0);
        assert_int_equal(unlink(testing_path((char[TESTING_PATH]){0}, at, "go")), 0);
        await_page(at, "The run is complete.");
        await_page(at, i ? "<td>fdk</td>" : "<td>fista</td>");
        cli_works(at, "recon %d.nxs -o whole.h5 --overwrite --pictures no --report none %s", i, beam[i]);
        snprintf(name, sizeof name, "v_%d.h5", i);
        assert_same_volume(at, name);
        snprintf(name, sizeof name, "v_%d_%s.h5", i, first[i]);
        free(cli_read_volume(at, name, SLICES, SIZE));
    }
    assert_ends(replay(at, "open.h5 swmr 0 die 39"), SIGKILL); /* as a writer that never closes it */
    cli_start(&run, "recon open.h5 -o o.h5 --exclude 39 --follow=live.html --follow-timeout 0.3 %s", beam[1]);
    cli_wait(&run);
    cli_assert_ended(&run, 1, "as a whole | --follow-timeout | open.h5 | the volume by fdk is complete: o_fdk.h5");
    await_page(at, "The run has failed: the scan cannot be opened as a whole");
    cli_refuses(at, "--projector | pixels | sirt",
                "recon 0.nxs -o w.h5 --follow --projector pixels --algorithm sirt --rotation-axis 11.2");
    assert_false(cli_exists(at, "w_fbp.h5"));
    cli_refuses(at, "v_0.h5 exists", "recon 0.nxs -o v_0.h5 --follow %s", beam[0]);
    cli_write_text(at, "w_fbp.h5", "");
    cli_refuses(at, "w_fbp.h5 exists", "recon 0.nxs -o w.h5 --follow %s", beam[0]);
}

static void a_dead_writer_ends_the_run(void **state)
{
    CliRun run = {.directory = *state};
    make_scan(*state);
    assert_ends(replay(*state, "live.h5 swmr 0 die 13"), SIGKILL);
    cli_start(&run, "recon live.h5 -o v.h5 --follow=live.html --follow-timeout 0.3 " CONE);
    cli_wait(&run);
    cli_assert_ended(&run, 1, "live.h5 | 13 of 40 projections | 0.3 s | --follow-timeout | v.h5 was not written");
    await_page(*state, "The run has failed: live.h5: 13 of 40 projections have come");
    cli_start(&run, "recon live.h5 -o v.h5 --follow=live.html " CONE);
    await_page(*state, "<td>13 of 40</td>");
    assert_int_equal(kill(run.pid, SIGTERM), 0);
    cli_wait(&run);
    assert_int_equal(run.exit_code, 128 + SIGTERM);
    cli_free(&run);
    await_page(*state, "The run was ended early.");
    check_page(*state);
    assert_false(cli_exists(*state, "v.h5"));
}

static void a_cut_file_ends_the_run(void **state)
{
    CliRun run = {.directory = *state};
    make_scan(*state);
    const pid_t writer = replay(*state, "live.h5 plain 0 hold 20 cut 21");
    await(*state, "live.h5");
    cli_start(&run, "recon live.h5 -o v.h5 --follow --follow-timeout 0.5 " CONE);
    cli_await(&run, " of 40 projections have come");
    cli_write_text(*state, "go", "");
    cli_wait(&run);
    assert_ends(writer, 0);
    cli_assert_ended(&run, 1, "live.h5 | of 40 projections | --follow-timeout | truncated");
    assert_false(cli_exists(*state, "v.h5"));
}

/* Images that are copied into a folder, a quarter of a measured scan. */
static void a_pepper_that_comes(void **state)
{
    enum { SIDE = 35, HEIGHT = 37 };
    static const char beam[] =
        "--geometry cone --source-object-distance 410.66 --source-detector-distance 553.74 "
        "--detector-pixel 0.8 --padding-type edges --rotation-axis 69.62 --open-beam 2160 --binning 4 --theta "
        "angles.txt --pictures no --report none --symmetry no";
    char folder[TESTING_PATH], text[TESTING_PATH * 2], angles[800] = "";
    testing_data(folder, "pepper-cone");
    for (int k = 0; k < 91; k++) snprintf(angles + strlen(angles), sizeof angles - strlen(angles), "%d\n", 4 * k);
    cli_write_text(*state, "angles.txt", angles);
    snprintf(text, sizeof text,
             "mkdir pepper; for i in $(seq 1 4 361); do cp %s/*_$(printf %%03d $i).tif pepper; done\n", folder);
    cli_write_text(*state, "copy", text);
    const pid_t writer = start(*state, "/bin/sh copy");
    await(*state, "pepper/binned_16_20211129_bell_pepper_009.tif");
    cli_works(*state, "recon pepper -o live.h5 --follow %s", beam);
    assert_ends(writer, 0);
    cli_works(*state, "recon pepper -o whole.h5 --zinger-removal-method none --remove-stripe-method none %s", beam);
    const int64_t size[] = {HEIGHT, SIDE, SIDE};
    double *whole = cli_read_doubles(*state, "whole.h5", "/exchange/data", 3, size);
    double *found = cli_read_doubles(*state, "live.h5", "/exchange/data", 3, size);
    assert_memory_equal(found, whole, HEIGHT * SIDE * SIDE * sizeof *whole);
    free(whole);
    free(found);
}

/* Messages by TCP, half of which come once the run waits, among them ten that are no frames. */
static void a_stream_makes_the_same_volume(void **state)
{
    CliRun run = {.directory = *state};
    char words[64];
    const int port = testing_free_port();
    make_scan(*state);
    cli_works(*state, "recon scan.h5 -o whole.h5 --symmetry no " CONE LENGTHS);
    snprintf(words, sizeof words, "%d stream 0 bad 3 hold 20", port);
    const pid_t writer = replay(*state, words);
    cli_start(&run, "recon tcp://:%d -o v.h5 --follow " CONE LENGTHS, port);
    cli_await(&run, " of 40 projections have come");
    cli_write_text(*state, "go", "");
    cli_wait(&run);
    assert_int_equal(run.exit_code, 0);
    assert_non_null(strstr(run.err, "waits for a sender"));
    assert_non_null(strstr(run.err, "messages refused: 10, the first one because "));
    assert_non_null(strstr(run.err, ", the last one because image 39 has values of uint8"));
    cli_free(&run);
    assert_ends(writer, 0);
    assert_same_volume(*state, "v.h5");
}

static void a_stream_that_ends_early_ends_the_run(void **state)
{
    static const struct {
        const char *words, *keys;
        int signal;
    } ends[] = {
        {"die 13", "13 of 40 projections have come | 0.3 s | --follow-timeout | no sender is connected", SIGKILL},
        {"end 13", "the series has ended | 13 of 40 projections", 0},
        {"other 13", "another series begins | 13 of 40 projections", 0},
    };
    CliRun run = {.directory = *state};
    char words[64], keys[256];
    make_scan(*state);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        const int port = testing_free_port();
        snprintf(words, sizeof words, "%d stream 0 %s", port, ends[i].words);
        snprintf(keys, sizeof keys, "tcp://127.0.0.1: | %s | v.h5 was not written", ends[i].keys);
        const pid_t writer = replay(*state, words);
        cli_start(&run, "recon tcp://127.0.0.1:%d -o v.h5 --follow --follow-timeout 0.3 " CONE LENGTHS, port);
        cli_wait(&run);
        cli_assert_ended(&run, 1, keys);
        int status;
        assert_int_equal(waitpid(writer, &status, 0), writer); /* the receiver of another series has gone */
        assert_true(!ends[i].signal || (WIFSIGNALED(status) && WTERMSIG(status) == ends[i].signal));
    }
    cli_refuses(*state, "tcp://:0 | 1 to 65535", "recon tcp://:0 -o v.h5 --follow " CONE LENGTHS);
    cli_refuses(*state, "tcp://:5555 | recon --follow", "recon tcp://:5555 -o v.h5 " CONE LENGTHS);
    cli_refuses(*state, "ABSENT.h5: No such file", "recon ABSENT.h5 -o v.h5 --follow");
}

static void what_needs_the_whole_scan_is_refused(void **state)
{
    const char *const at = *state;
    make_scan(at);
    cli_refuses(at, "scan.h5 | chunks", "recon scan.h5 -o v.h5 --follow " CONE);
    cli_refuses(at, "--follow | --rotation-axis auto | column", "recon scan.h5 -o v.h5 --follow --geometry cone");
    cli_refuses(at, "--follow | --remove-stripe-method | none",
                "recon scan.h5 -o v.h5 --follow --remove-stripe-method fw " CONE);
    cli_refuses(at, "--follow | --halves", "recon scan.h5 -o v.h5 --follow --halves " CONE);
    cli_refuses(at, "tcp://:9 | once | sirt | fbp or fdk",
                "recon tcp://:9 -o v.h5 --follow --algorithm sirt --geometry cone --rotation-axis 11.5 " LENGTHS);
    assert_ends(replay(at, "live.h5 plain 0"), 0);
    cli_refuses(at, "/exchange/data_white | SWMR",
                "recon live.h5 -o v.h5 --follow --flats :/exchange/data_white " CONE);
    cli_refuses(at, "output-range | auto | --follow | MIN:MAX",
                "recon scan.h5 -o v.h5 --follow --output-type uint16 " CONE);
}

/* Each rank follows the scan by itself. */
static void ranks_follow_a_scan(void **state)
{
    enum { RUNS = 3 };
    static const char plain[] = "--pictures no --report none --zinger-removal-method none --remove-stripe-method none ";
    static const char *const launcher[RUNS] = {"mpirun -q -n 2", "mpirun -q -n 4", "mpirun -q -n 2"},
                             *const projector[RUNS] = {"pixels", "gridding", "rays"};
    const char *const at = *state;
    CliRun run[RUNS];
    char name[16];
    cli_works(at, "phantom -o scan.h5 --size 24 --slices 16 --angles 100");
    pid_t writer = replay(at, "live.h5 swmr 0 hold 50");
    await(at, "live.h5");
    for (int i = 0; i < RUNS; i++) {
        run[i] = (CliRun){.directory = at, .launcher = launcher[i]};
        cli_start(&run[i], "recon live.h5 -o v_%d.h5 --follow --rotation-axis 11.2 --projector %s %s%s", i,
                  projector[i], plain, i < 2 ? "--air 0 --algorithm fbp" : "--algorithm sirt --iterations 2");
        cli_await(&run[i], "50 of 100 projections have come");
    }
    cli_write_text(at, "go", "");
    for (int i = 0; i < RUNS; i++) {
        cli_wait(&run[i]);
        if (run[i].exit_code != 0) fail_msg("%s", run[i].err);
        cli_free(&run[i]);
        cli_works(at, "recon scan.h5 -o whole.h5 --overwrite --rotation-axis 11.2 --projector %s %s%s", projector[i],
                  plain, i < 2 ? "--air 0 --algorithm fbp" : "--algorithm sirt --iterations 2");
        snprintf(name, sizeof name, "v_%d.h5", i);
        assert_same_volume(at, name);
    }
    assert_ends(writer, 0);
    assert_ends(replay(at, "dead.h5 swmr 0 die 13"), SIGKILL);
    run[0] = (CliRun){.directory = at, .launcher = "mpirun -q -n 2"};
    cli_start(&run[0], "recon dead.h5 -o v.h5 --follow --follow-timeout 0.3 --algorithm fbp --rotation-axis 11");
    cli_wait(&run[0]);
    cli_assert_ended(&run[0], 1, "dead.h5 | 13 of 100 projections | --follow-timeout");
    cli_start(&run[0], "recon dead.h5 -o v.h5 --follow --grid 1x2 --algorithm fbp --rotation-axis 11");
    cli_wait(&run[0]);
    cli_assert_ended(&run[0], 2, "--grid | 1x2 | --follow | --grid Nx1");
    cli_start(&run[0], "recon dead.h5 -o v.h5 --follow=live.html --algorithm fbp --rotation-axis 11");
    cli_wait(&run[0]);
    cli_assert_ended(&run[0], 2, "--follow=live.html | 2 processes | in one");
}

/* Ranks that share the projections of a cone beam, which each awaits its own. */
static void ranks_follow_a_cone(void **state)
{
    const char *const at = *state;
    CliRun run = {.directory = at, .launcher = "mpirun -q -n 2"};
    make_scan(at);
    cli_start(&run, "recon scan.h5 -o whole.h5 --symmetry no " CONE);
    cli_wait(&run);
    cli_free(&run);
    const pid_t writer = replay(at, "live.h5 swmr 0 hold 20");
    await(at, "live.h5");
    cli_start(&run, "recon live.h5 -o v.h5 --follow " CONE);
    cli_await(&run, "20 of 40 projections have come");
    cli_write_text(at, "go", "");
    cli_wait(&run);
    if (run.exit_code != 0) fail_msg("%s", run.err);
    cli_free(&run);
    assert_ends(writer, 0);
    assert_same_volume(at, "v.h5");
}

int cli_follow_ranks_tests(void)
{
    const struct CMUnitTest tests[] = {CLI_TEST(ranks_follow_a_scan), CLI_TEST(ranks_follow_a_cone)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

int cli_follow_tests(void)
{
    const struct CMUnitTest tests[] = {
        CLI_TEST(scans_that_come_make_the_same_volume),
        CLI_ONE_CORE(a_page_shows_a_volume_that_grows),
        CLI_ONE_CORE(a_whole_scan_is_followed_too),
        CLI_ONE_CORE(slices_of_a_scan_that_comes),
        CLI_ONE_CORE(another_algorithm_goes_on),
        CLI_ONE_CORE(a_dead_writer_ends_the_run),
        CLI_ONE_CORE(a_cut_file_ends_the_run),
        CLI_ONE_CORE(a_pepper_that_comes),
        CLI_ONE_CORE(a_stream_makes_the_same_volume),
        CLI_ONE_CORE(a_stream_that_ends_early_ends_the_run),
        CLI_ONE_CORE(what_needs_the_whole_scan_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
