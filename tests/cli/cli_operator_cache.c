/* SPDX-License-Identifier: BSD-3-Clause */
/* Command line, operator cache: a run that reads a cached operator gives the same volume to the bit. A run builds the
 * operator again if the cached one cannot be trusted. A run never fails because the operator could not be cached. */
#include "cli.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include <xxhash.h>

enum { SIZE = 64, SLICES = 4, VOXELS = SLICES * SIZE * SIZE };

#define RECON_BY(algorithm)                                                                                            \
    "recon scan.h5 --iterations 3 --pictures no --report none --overwrite --memory 2GiB --algorithm " algorithm
#define RECON  RECON_BY("cg")
#define CENTER " --rotation-axis 31.5"
#define KEEP   " --operator-cache cache"

static void make_scan(const char *directory)
{
    cli_works(directory, "phantom -o scan.h5 --size 64 --angles 30 --slices 4");
}

/* What a run that works says; caller frees. */
static char *said(CliRun *run, const char *arguments)
{
    cli_start(run, "%s", arguments);
    cli_wait(run);
    if (run->exit_code != 0) fail_msg("exit code %d\n%s", run->exit_code, run->err);
    char *text = run->err;
    free(run->out);
    return text;
}

/* Runs; the words are in what it says, or not. */
static void assert_says(const char *directory, const char *arguments, const char *has, const char *lacks)
{
    CliRun run = {.directory = directory};
    char *text = said(&run, arguments);
    if (!strstr(text, has) || strstr(text, lacks))
        fail_msg("expected \"%s\" and not \"%s\" of %s in\n%s", has, lacks, arguments, text);
    free(text);
}

static void assert_built(const char *directory, const char *arguments)
{
    assert_says(directory, arguments, "ray lengths: kept in cache/operator-", "warning");
}

static void assert_read(const char *directory, const char *arguments)
{
    CliRun run = {.directory = directory};
    char *text = said(&run, arguments);
    if (!strstr(text, "ray lengths: read from cache/operator-") || !strstr(text, "iB, read in ") ||
        strstr(text, "kept in") || strstr(text, "warning"))
        fail_msg("expected an operator that is read and no warning of %s in\n%s", arguments, text);
    free(text);
}

static void assert_same_volume(const char *directory, const char *name, const char *expected)
{
    float *found = cli_read_volume(directory, name, SLICES, SIZE);
    float *wanted = cli_read_volume(directory, expected, SLICES, SIZE);
    assert_memory_equal(found, wanted, VOXELS * sizeof *found);
    free(found);
    free(wanted);
}

/* The files in the folder; the name of the first one in `name`. */
static int files_in(const char *directory, const char *folder, char name[TESTING_PATH])
{
    char path[TESTING_PATH], *rest;
    int count = 0;
    char *listing = cli_listing(testing_path(path, directory, folder));
    rest = listing;
    for (char *line; (line = strsep(&rest, "\n")) && *line; count++) {
        line[strcspn(line, " ")] = '\0';
        if (count == 0) snprintf(name, TESTING_PATH, "%s/%s", folder, line);
    }
    free(listing);
    return count;
}

static int kept(const char *directory)
{
    char name[TESTING_PATH];
    return files_in(directory, "cache", name);
}

static char *only_file(const char *directory, char name[TESTING_PATH])
{
    assert_int_equal(files_in(directory, "cache", name), 1);
    return name;
}

/* The same memory is planned, and of the same budget. */
static void assert_same_plan(const char *first, const char *second)
{
    const char *a = strstr(first, "memory: "), *b = strstr(second, "memory: ");
    assert_true(a && b);
    assert_int_equal(strcspn(a, "\n"), strcspn(b, "\n"));
    assert_memory_equal(a, b, strcspn(a, "\n"));
}

static void second_run_reads(void **state)
{
    static const char *const variant[] = {"--partitions 1 --precision single", "--partitions 3 --precision single",
                                          "--partitions 1 --precision double", "--partitions 3 --precision double",
                                          "--partitions 40 --algorithm fbp"};
    const char *const at = *state;
    make_scan(at);
    for (int i = 0; i < 5; i++) {
        char line[400];
        CliRun run = {.directory = at};
        const char *fbp = strstr(variant[i], "fbp");
        snprintf(line, sizeof line,
                 "recon scan.h5 --pictures no --report none --overwrite --memory 2GiB" CENTER " %s%s -o plain.h5",
                 fbp ? "" : "--algorithm cg --iterations 3 ", variant[i]);
        cli_works(at, "%s", line);
        snprintf(strrchr(line, ' '), 100, " out.h5 --operator-cache cache");
        char *first = said(&run, line);
        assert_non_null(strstr(first, "ray lengths: kept in cache/operator-"));
        assert_non_null(strstr(first, "iB, computed in "));
        assert_int_equal(kept(at), i + 1);
        assert_same_volume(at, "out.h5", "plain.h5");
        char *second = said(&run, line);
        assert_non_null(strstr(second, "ray lengths: read from cache/operator-"));
        assert_null(strstr(second, "kept in"));
        assert_null(strstr(second, "warning"));
        assert_int_equal(kept(at), i + 1);
        assert_same_volume(at, "out.h5", "plain.h5");
        assert_same_plan(first, second);
        free(first);
        free(second);
    }
}

static bool graph_has_task(const char *directory, const char *name, const char *task)
{
    char path[TESTING_PATH], line[400];
    bool found = false;
    FILE *file = fopen(testing_path(path, directory, name), "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) found = found || strstr(line, task);
    assert_int_equal(fclose(file), 0);
    return found;
}

static void nothing_is_traced(void **state)
{
    const char *const at = *state;
    make_scan(at);
    assert_built(at, RECON CENTER KEEP " -o out.h5 --graph built.dot");
    assert_read(at, RECON CENTER KEEP " -o out.h5 --graph read.dot");
    assert_true(graph_has_task(at, "built.dot", "\"trace\\n"));
    assert_false(graph_has_task(at, "read.dot", "\"trace\\n"));
    assert_true(graph_has_task(at, "read.dot", "\"spmm_project\\n"));
}

static void whatever_determines_it_is_in_the_key(void **state)
{
    static const char *const other[] = {
        CENTER,
        " --rotation-axis 31.500001",
        CENTER " --end-column 63",
        CENTER " --binning 2",
        CENTER " --precision double",
        CENTER " --partitions 2",
    };
    const char *const at = *state;
    char line[400];
    make_scan(at);
    for (int i = 0; i < 6; i++) {
        snprintf(line, sizeof line, RECON KEEP " -o out.h5%s%s", other[i], i == 5 ? "" : " --partitions 1");
        assert_built(at, line);
        assert_int_equal(kept(at), i + 1);
    }
    cli_works(at, "phantom -o scan.h5 --overwrite --size 64 --angles 31 --slices 4");
    assert_built(at, RECON KEEP CENTER " -o out.h5 --partitions 1");
    assert_int_equal(kept(at), 7);
    assert_read(at, RECON KEEP CENTER " -o out.h5 --partitions 1");
}

/* Two scans that differ in one angle, by a millionth of a degree. */
static void every_angle_is_in_the_key(void **state)
{
    const char *const at = *state;
    double theta[12];
    CliScan scan = cli_scan;
    for (int k = 0; k < 12; k++) theta[k] = 15.0 * k;
    scan.theta = theta;
    cli_write_scan(at, "scan.h5", &scan);
    assert_built(at, RECON KEEP " -o out.h5 --rotation-axis 7.5");
    assert_read(at, RECON KEEP " -o out.h5 --rotation-axis 7.5");
    theta[11] += 1e-6;
    cli_write_scan(at, "scan.h5", &scan);
    assert_built(at, RECON KEEP " -o out.h5 --rotation-axis 7.5");
    assert_int_equal(kept(at), 2);
}

/* Neither solver nor slices are. */
static void whatever_does_not_is_not(void **state)
{
    const char *const at = *state;
    make_scan(at);
    assert_built(at, RECON CENTER KEEP " --partitions 1 -o out.h5");
    assert_read(at, RECON_BY("sirt") CENTER KEEP " --partitions 1 -o out.h5 --end-row 2 --workers 1");
    assert_int_equal(kept(at), 1);
}

static void change_byte(const char *directory, const char *name, int64_t offset)
{
    char path[TESTING_PATH];
    uint8_t byte = 0;
    const int descriptor = open(testing_path(path, directory, name), O_RDWR);
    assert_true(descriptor >= 0 && pread(descriptor, &byte, 1, offset) == 1);
    byte ^= 16;
    assert_true(pwrite(descriptor, &byte, 1, offset) == 1 && close(descriptor) == 0);
}

static int count_of(const char *text, const char *word)
{
    int count = 0;
    for (; (text = strstr(text, word)); text += strlen(word)) count++;
    return count;
}

/* One warning with this reason, the right volume, and a file that is good again. */
static void assert_rebuilt(const char *directory, const char *reason)
{
    CliRun run = {.directory = directory};
    char *text = said(&run, RECON CENTER KEEP " --partitions 2 -o out.h5");
    if (count_of(text, "warning: cache/operator-") != 1 || count_of(text, "warning") != 1 || !strstr(text, reason) ||
        count_of(text, "; the ray lengths are computed again\n") != 1 ||
        !strstr(text, "ray lengths: kept in cache/operator-"))
        fail_msg("expected one warning with \"%s\" in\n%s", reason, text);
    free(text);
    assert_same_volume(directory, "out.h5", "plain.h5");
    assert_read(directory, RECON CENTER KEEP " --partitions 2 -o out.h5");
    assert_same_volume(directory, "out.h5", "plain.h5");
    assert_int_equal(kept(directory), 1);
}

static void damaged_files_are_replaced(void **state)
{
    const char *const at = *state;
    char name[TESTING_PATH], path[TESTING_PATH];
    make_scan(at);
    cli_works(at, RECON CENTER " --partitions 2 -o plain.h5");
    assert_built(at, RECON CENTER KEEP " --partitions 2 -o out.h5");
    testing_path(path, at, only_file(at, name));
    const int64_t size = cli_file_size(at, name);
    change_byte(at, name, 40);
    assert_rebuilt(at, " is damaged: wrong checksum of its header");
    change_byte(at, name, 12);
    assert_rebuilt(at, " is an operator file of version 17; this program reads version 1");
    change_byte(at, name, 64);
    assert_rebuilt(at, " is damaged: wrong checksum of its table");
    change_byte(at, name, 4096 + 10);
    assert_rebuilt(at, " is damaged: wrong checksum of piece 0");
    assert_int_equal(truncate(path, size / 2), 0);
    assert_rebuilt(at, " is damaged: it has ");
    assert_int_equal(truncate(path, 0), 0);
    assert_rebuilt(at, " is damaged: it has 0 bytes");
    cli_write_text(at, name, "Not an operator, but something else that is longer than a header would be.");
    assert_rebuilt(at, " is no operator file");
}

static void put_word(uint8_t *at, uint64_t word)
{
    memcpy(at, &word, sizeof word);
}

/* Changes a word of the second partition's block, the file's third piece, and makes every checksum right again. */
static void forge(const char *directory, const char *name, int64_t offset, uint64_t word)
{
    enum { TABLE = 64, ENTRY_BYTES = 24, ENTRY = TABLE + 2 * ENTRY_BYTES, COUNT = 32, TABLE_SUM = 48, SUM = 56 };
    char path[TESTING_PATH];
    const size_t size = (size_t)cli_file_size(directory, name);
    const int descriptor = open(testing_path(path, directory, name), O_RDWR);
    uint8_t *file = malloc(size);
    int64_t begin, bytes, count;
    assert_true(descriptor >= 0 && file && pread(descriptor, file, size, 0) == (ssize_t)size);
    memcpy(&begin, file + ENTRY, sizeof begin);
    memcpy(&bytes, file + ENTRY + 8, sizeof bytes);
    memcpy(&count, file + COUNT, sizeof count);
    put_word(file + begin + offset, word);
    put_word(file + ENTRY + 16, XXH3_64bits(file + begin, (size_t)bytes));
    put_word(file + TABLE_SUM, XXH3_64bits(file + TABLE, (size_t)count * ENTRY_BYTES));
    put_word(file + SUM, XXH3_64bits(file, SUM));
    assert_true(pwrite(descriptor, file, size, 0) == (ssize_t)size && close(descriptor) == 0);
    free(file);
}

/* Whoever can write checksums can write anything else. */
static void forged_files_are_replaced(void **state)
{
    const char *const at = *state;
    char name[TESTING_PATH];
    make_scan(at);
    cli_works(at, RECON CENTER " --partitions 2 -o plain.h5");
    assert_built(at, RECON CENTER KEEP " --partitions 2 -o out.h5");
    only_file(at, name);
    forge(at, name, 0, 64);
    assert_rebuilt(at, " has another size");
    forge(at, name, 16, 1 << 30);
    assert_rebuilt(at, " has other tiles, rays or another precision");
    forge(at, name, 64, UINT64_MAX);
    assert_rebuilt(at, " has pieces outside its memory");
    forge(at, name, 72, 0);
    assert_rebuilt(at, " has another number of nonzeros than its sections");
}

static void another_operator_under_its_name(void **state)
{
    const char *const at = *state;
    char name[TESTING_PATH], from[TESTING_PATH], to[TESTING_PATH];
    make_scan(at);
    cli_works(at, RECON CENTER " --partitions 2 -o plain.h5");
    assert_built(at, RECON CENTER KEEP " --partitions 2 -o out.h5");
    testing_path(to, at, only_file(at, name));
    cli_works(at, RECON " --rotation-axis 30 --partitions 2 -o out.h5 --operator-cache other");
    assert_int_equal(files_in(at, "other", name), 1);
    assert_int_equal(rename(testing_path(from, at, name), to), 0);
    assert_rebuilt(at, " holds another operator");
}

static void directories_that_take_nothing(void **state)
{
    static const struct {
        const char *directory, *which;
    } wrong[] = {
        {"file", "cannot be used: Not a directory"},
        {"scan.h5/cache", "cannot be made: Not a directory"},
        {"none/cache", "cannot be made: No such file or directory"},
    };
    const char *const at = *state;
    char message[400];
    make_scan(at);
    cli_write_text(at, "file", "");
    for (int i = 0; i < 3; i++) {
        snprintf(message, sizeof message, "--operator-cache | '%s' | %s | can be written", wrong[i].directory,
                 wrong[i].which);
        cli_refuses(at, message, "recon scan.h5 -o out.h5 --operator-cache %s", wrong[i].directory);
        cli_refuses(at, message, "recon scan.h5 -o out --reconstruction-type try --operator-cache %s",
                    wrong[i].directory);
        cli_refuses(at, message, "demo --out demo --size 16 --angles 8 --slices 1 --operator-cache %s",
                    wrong[i].directory);
    }
    cli_refuses(at, "--operator-cache | --out | 'out.h5' | different files",
                "recon scan.h5 -o out.h5 --operator-cache out.h5");
    cli_refuses(at, "--operator-cache | same file | 'scan.h5' | different files",
                "recon scan.h5 -o out.h5 --operator-cache scan.h5");
    cli_refuses(at, "--operator-cache | --graph | 'graph' | different files",
                "recon scan.h5 -o out.h5 --graph graph --operator-cache graph");
    cli_mount(at, "ro", MS_RDONLY, NULL);
    cli_refuses(at, "--operator-cache | 'ro' | Read-only | can be written",
                "recon scan.h5 -o out.h5 --operator-cache ro");
}

/* A refused run does not even leave the directory. */
static void directory_comes_late(void **state)
{
    make_scan(*state);
    cli_refuses(*state, "--partitions | '-1' | 0 to 1000000", "recon scan.h5 -o out.h5 --partitions -1" KEEP);
    cli_refuses(*state, "none/out.h5 | none | No such file", "recon scan.h5 -o none/out.h5" KEEP);
}

/* The volume is there, the operator is not, and one warning says why. */
static void assert_not_kept(CliRun *run, const char *arguments, const char *reason)
{
    char *text = said(run, arguments);
    if (count_of(text, "warning: the ray lengths are not kept: ") != 1 || count_of(text, "warning") != 1 ||
        !strstr(text, reason))
        fail_msg("expected a warning with \"%s\" in\n%s", reason, text);
    assert_same_volume(run->directory, "out.h5", "plain.h5");
    free(text);
}

static void disk_is_full(void **state)
{
    CliRun run = {.directory = *state};
    char path[TESTING_PATH];
    make_scan(*state);
    cli_works(*state, RECON CENTER " -o plain.h5");
    cli_mount(*state, "disk", 0, "size=256k");
    assert_not_kept(&run, RECON CENTER " -o out.h5 --operator-cache disk/cache", ": No space left on device\n");
    assert_names(testing_path(path, *state, "disk"), "cache");
}

/* The operator is larger than the limit, the volume is smaller. */
static void file_is_too_large(void **state)
{
    CliRun run = {.directory = *state, .file_bytes_max = 256 << 10};
    make_scan(*state);
    cli_works(*state, RECON CENTER " -o plain.h5");
    assert_not_kept(&run, RECON CENTER KEEP " -o out.h5", ": File too large\n");
    assert_int_equal(kept(*state), 0);
}

static void directory_is_lost_meanwhile(void **state)
{
    CliRun run = {.directory = *state};
    make_scan(*state);
    cli_start(&run, RECON CENTER " -o out.h5 --operator-cache cache/cache");
    cli_wait(&run);
    assert_int_equal(run.exit_code, 2);
    cli_free(&run);
    char path[TESTING_PATH];
    assert_int_equal(mkdir(testing_path(path, *state, "cache"), 0700), 0);
    cli_start(&run, "recon scan.h5 --overwrite --minibatch 1 --algorithm cg --iterations 2000" CENTER
                    " -o out.h5 --operator-cache cache/cache");
    cli_await(&run, ", iteration ");
    assert_int_equal(rmdir(path), 0);
    cli_wait(&run);
    assert_int_equal(run.exit_code, 0);
    assert_non_null(strstr(run.err, "warning: the ray lengths are not kept: cache/cache/operator-"));
    assert_non_null(strstr(run.err, "cannot be written in directory cache/cache: No such file or directory\n"));
    cli_free(&run);
}

/* Waits, for a minute at most, until something lies in the folder. */
static void await_file(const char *folder)
{
    for (int i = 0; i < 300000; i++) {
        int entries = 0;
        DIR *open_folder = opendir(folder);
        assert_non_null(open_folder);
        while (readdir(open_folder)) entries++;
        assert_int_equal(closedir(open_folder), 0);
        if (entries > 2) return; /* . and .. */
        usleep(200);
    }
    fail_msg("nothing came into %s", folder);
}

/* A run that is killed when its operator's file is there; false: it was faster, and the file has its name. */
static bool killed_while_writing(const char *directory, const char *arguments)
{
    CliRun run = {.directory = directory};
    char name[TESTING_PATH], path[TESTING_PATH];
    assert_int_equal(mkdir(testing_path(path, directory, "cache"), 0700), 0);
    cli_start(&run, "%s", arguments);
    await_file(path);
    assert_int_equal(kill(run.pid, SIGKILL), 0);
    cli_wait(&run);
    cli_free(&run);
    only_file(directory, name);
    if (strcmp(strrchr(name, '.'), ".partial") == 0) return true;
    assert_int_equal(unlink(testing_path(path, directory, name)), 0);
    assert_int_equal(rmdir(testing_path(path, directory, "cache")), 0);
    return false;
}

static void killed_run_leaves_no_operator(void **state)
{
    const char *const at = *state;
    static const char arguments[] =
        "recon scan.h5 -o out.h5 --rotation-axis 127.5 --algorithm cg --iterations 1 --pictures no --report none "
        "--overwrite --partitions 1" KEEP;
    char name[TESTING_PATH];
    bool killed = false;
    cli_works(at, "phantom -o scan.h5 --size 256 --angles 200 --slices 1");
    for (int i = 0; i < 5 && !killed; i++) killed = killed_while_writing(at, arguments);
    assert_true(killed);
    assert_built(at, arguments);
    assert_string_equal(strrchr(only_file(at, name), '.'), ".sinodag");
    assert_read(at, arguments);
}

static void two_runs_at_once(void **state)
{
    const char *const at = *state;
    CliRun first = {.directory = at}, second = {.directory = at};
    make_scan(at);
    cli_works(at, RECON CENTER " --partitions 1 -o plain.h5");
    for (int i = 0; i < 5; i++) {
        char name[TESTING_PATH], path[TESTING_PATH];
        cli_start(&first, RECON CENTER KEEP " --partitions 1 -o first.h5 --workers 1");
        cli_start(&second, RECON CENTER KEEP " --partitions 1 -o second.h5 --workers 1");
        cli_wait(&first);
        cli_wait(&second);
        if (first.exit_code || second.exit_code) fail_msg("a run failed\n%s\n%s", first.err, second.err);
        assert_same_volume(at, "first.h5", "plain.h5");
        assert_same_volume(at, "second.h5", "plain.h5");
        assert_read(at, RECON CENTER KEEP " --partitions 1 -o out.h5");
        assert_int_equal(unlink(testing_path(path, at, only_file(at, name))), 0);
        cli_free(&first);
        cli_free(&second);
    }
}

static void try_reads_but_keeps_none(void **state)
{
    const char *const at = *state;
    static const char arguments[] = "recon scan.h5 -o try --overwrite --reconstruction-type try --algorithm fbp "
                                    "--rotation-axis 31.5 --center-search-width 1 --center-search-step 1 "
                                    "--partitions 1 --operator-cache cache";
    make_scan(at);
    assert_says(at, arguments, "center 31.5: try/recon_00031.50.tiff", "operator");
    assert_false(cli_exists(at, "cache"));
    float *built = cli_read_tiff(at, "try/recon_00031.50.tiff", SIZE);
    assert_built(at, RECON CENTER KEEP " -o out.h5 --partitions 1");
    assert_says(at, arguments, "ray lengths: read from cache/operator-", "warning");
    float *read = cli_read_tiff(at, "try/recon_00031.50.tiff", SIZE);
    assert_memory_equal(read, built, SIZE * SIZE * sizeof *read);
    assert_int_equal(kept(at), 1);
    free(built);
    free(read);
}

static void demo_keeps_one(void **state)
{
    static const char arguments[] =
        "demo --out demo --size 64 --angles 30 --slices 2 --algorithm cg --iterations 3 --overwrite "
        "--operator-cache demo/cache";
    assert_says(*state, arguments, "ray lengths: kept in demo/cache/operator-", "read from");
    assert_says(*state, arguments, "ray lengths: read from demo/cache/operator-", "kept in");
}

#define COUNTS "recon ring.counts --system-matrix ring.csr4 --iterations 3 --pictures no --report none --overwrite "

static void assert_same_image(const char *directory, const char *name, const char *expected)
{
    enum { IMAGE_SLICES = 10, IMAGE_SIZE = 38 };
    float *found = cli_read_volume(directory, name, IMAGE_SLICES, IMAGE_SIZE);
    float *wanted = cli_read_volume(directory, expected, IMAGE_SLICES, IMAGE_SIZE);
    assert_memory_equal(found, wanted, IMAGE_SLICES * IMAGE_SIZE * IMAGE_SIZE * sizeof *found);
    free(found);
    free(wanted);
}

/* Changes the last number of a matrix file, whose time stays, as in a copy that keeps times. */
static void halve_last_value(const char *directory, const char *name)
{
    char path[TESTING_PATH];
    float value;
    struct stat info = {0};
    const int descriptor = open(testing_path(path, directory, name), O_RDWR);
    assert_true(descriptor >= 0 && fstat(descriptor, &info) == 0);
    const off_t at = info.st_size - (off_t)sizeof value;
    assert_true(pread(descriptor, &value, sizeof value, at) == sizeof value);
    value /= 2;
    assert_true(pwrite(descriptor, &value, sizeof value, at) == sizeof value);
    assert_int_equal(futimens(descriptor, (struct timespec[]){info.st_atim, info.st_mtim}), 0);
    assert_int_equal(close(descriptor), 0);
}

/* A packed system matrix is kept, too; a damaged one is packed again; another number of subsets is another one. */
static void system_matrices_are_kept(void **state)
{
    char name[TESTING_PATH], path[TESTING_PATH];
    cli_works(*state, "phantom --geometry pet -o ring.csr4");
    cli_works(*state, COUNTS "-o plain.h5");
    assert_says(*state, COUNTS "-o image.h5" KEEP, "matrix: kept in cache/operator-", "read from");
    assert_same_image(*state, "image.h5", "plain.h5");
    assert_says(*state, COUNTS "-o image.h5" KEEP, "matrix: read from cache/operator-", "kept in");
    assert_same_image(*state, "image.h5", "plain.h5");
    assert_int_equal(files_in(*state, "cache", name), 1);
    const int descriptor = open(testing_path(path, *state, name), O_WRONLY);
    assert_true(descriptor >= 0 && pwrite(descriptor, "damage", 6, cli_file_size(*state, name) / 2) == 6);
    assert_int_equal(close(descriptor), 0);
    assert_says(*state, COUNTS "-o image.h5" KEEP, "the matrix is packed again", "read from");
    assert_same_image(*state, "image.h5", "plain.h5");
    assert_says(*state, COUNTS "-o image.h5 --algorithm osem --subsets 4" KEEP, "matrix: kept in cache/operator-",
                "read from");
    assert_int_equal(files_in(*state, "cache", name), 2);
    halve_last_value(*state, "ring.csr4");
    assert_says(*state, COUNTS "-o image.h5" KEEP, "matrix: kept in cache/operator-", "read from");
}

/* With less memory than the matrix needs it is read from the cache in every iteration. */
static void system_matrices_larger_than_memory(void **state)
{
    char line[400];
    cli_works(*state, "phantom --geometry pet -o ring.csr4");
    cli_works(*state, COUNTS "-o plain.h5");
    CliRun run = {.directory = *state};
    cli_start(&run, COUNTS "-o image.h5 --memory 90MiB");
    cli_wait(&run);
    assert_int_equal(run.exit_code, 2);
    const int needed = (int)cli_number_after(run.err, "allowed: --memory ", NULL);
    assert_non_null(strstr(run.err, "or --operator-cache"));
    cli_free(&run);
    for (int i = 0; i < 2; i++) {
        snprintf(line, sizeof line, COUNTS "-o image.h5 --memory %dMiB" KEEP, needed - 12);
        assert_says(*state, line, i == 0 ? "matrix: kept in" : "matrix: read from", "warning");
        assert_same_image(*state, "image.h5", "plain.h5");
    }
}

int cli_operator_cache_tests(void)
{
    const struct CMUnitTest tests[] = {
        CLI_TEST(second_run_reads),
        CLI_TEST(nothing_is_traced),
        CLI_TEST(whatever_determines_it_is_in_the_key),
        CLI_TEST(every_angle_is_in_the_key),
        CLI_TEST(whatever_does_not_is_not),
        CLI_TEST(damaged_files_are_replaced),
        CLI_TEST(forged_files_are_replaced),
        CLI_TEST(another_operator_under_its_name),
        CLI_TEST(directories_that_take_nothing),
        CLI_TEST(directory_comes_late),
        CLI_TEST(disk_is_full),
        CLI_TEST(file_is_too_large),
        CLI_TEST(directory_is_lost_meanwhile),
        CLI_TEST(killed_run_leaves_no_operator),
        CLI_TEST(two_runs_at_once),
        CLI_TEST(try_reads_but_keeps_none),
        CLI_TEST(demo_keeps_one),
        CLI_TEST(system_matrices_are_kept),
        CLI_TEST(system_matrices_larger_than_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
