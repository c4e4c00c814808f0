/* SPDX-License-Identifier: BSD-3-Clause */
/* Command line: runs the program, and makes and reads the files of its tests. */
#include "cli.h"

#include "testing_hdf5.h"
#include "testing_npy.h"

#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include <tiffio.h>

static double now_s(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* In the child: everything that a shell would set up. Failures end in exit code 126. */
static void become(const CliRun *run, char **arguments)
{
    const int out = run->stdout_path ? open(run->stdout_path, O_WRONLY | O_CLOEXEC) : run->out_descriptor;
    struct rlimit limit;
    char *variable = run->environment ? strdup(run->environment) : NULL;
    bool fine = out >= 0 && dup2(out, STDOUT_FILENO) >= 0 && dup2(run->err_descriptor, STDERR_FILENO) >= 0;
    fine = fine && chdir(run->directory) == 0 && (!variable || putenv(variable) == 0);
    fine = fine && getrlimit(RLIMIT_FSIZE, &limit) == 0;
    if (run->file_bytes_max > 0) limit.rlim_cur = (rlim_t)run->file_bytes_max;
    fine = fine && setrlimit(RLIMIT_FSIZE, &limit) == 0;
    if (run->stdout_closed) close(STDOUT_FILENO);
    if (run->stderr_closed) close(STDERR_FILENO);
    if (fine) execvp(arguments[0], arguments);
    _exit(126);
}

/* Cuts the line into words, which stay in it; returns how many there are in all. */
static int add_words(char *line, int count, char *arguments[64])
{
    for (char *word; line && *line && (word = strsep(&line, " "));) {
        assert_true(count < 62);
        arguments[count++] = word;
    }
    return count;
}

static void start(CliRun *run, const char *format, va_list list)
{
    char *line = NULL, *arguments[64];
    const char *program = getenv("SINODAG");
    assert_non_null(program); /* it names the program to be tested */
    assert_true(vasprintf(&line, format, list) >= 0);
    char *launcher = strdup(run->launcher ? run->launcher : ""), *own = strdup(program ? program : "");
    int count = add_words(launcher, 0, arguments);
    arguments[count++] = own;
    count = add_words(line, count, arguments);
    arguments[count] = NULL;
    run->out_descriptor = memfd_create("stdout", MFD_CLOEXEC);
    run->err_descriptor = memfd_create("stderr", MFD_CLOEXEC);
    assert_true(run->out_descriptor >= 0 && run->err_descriptor >= 0);
    run->elapsed_s = -now_s();
    fflush(NULL);
    run->pid = fork();
    assert_true(run->pid >= 0);
    if (run->pid == 0) become(run, arguments);
    free(launcher);
    free(own);
    free(line);
}

void cli_start(CliRun *run, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    start(run, format, list);
    va_end(list);
}

/* What was written so far; caller frees. */
static char *read_all(int descriptor)
{
    struct stat info;
    assert_int_equal(fstat(descriptor, &info), 0);
    char *text = calloc(1, (size_t)info.st_size + 1);
    assert_non_null(text);
    assert_int_equal(pread(descriptor, text, (size_t)info.st_size, 0), info.st_size);
    return text;
}

void cli_wait(CliRun *run)
{
    int result;
    struct rusage usage;
    assert_int_equal(wait4(run->pid, &result, 0, &usage), run->pid);
    run->elapsed_s += now_s();
    run->exit_code = WIFEXITED(result) ? WEXITSTATUS(result) : -WTERMSIG(result);
    run->peak_bytes = (int64_t)usage.ru_maxrss * 1024;
    run->out = read_all(run->out_descriptor);
    run->err = read_all(run->err_descriptor);
    close(run->out_descriptor);
    close(run->err_descriptor);
}

void cli_free(CliRun *run)
{
    free(run->out);
    free(run->err);
    run->out = run->err = NULL;
}

void cli_await(const CliRun *run, const char *text)
{
    for (int i = 0; i < 6000; i++) {
        char *err = read_all(run->err_descriptor);
        const bool found = strstr(err, text) != NULL;
        free(err);
        if (found) return;
        usleep(10000);
    }
    fail_msg("the program did not say \"%s\" within a minute", text);
}

void cli_await_part(const CliRun *run, int least)
{
    for (int i = 0; i < 6000; i++) {
        char *err = read_all(run->err_descriptor);
        long part = 0;
        for (const char *at = err; (at = strstr(at, ": part ")); at++) part = strtol(at + strlen(": part "), NULL, 10);
        free(err);
        if (part >= least) return;
        usleep(10000);
    }
    fail_msg("the program was not at part %d within a minute", least);
}

bool cli_await_size(const CliRun *run, const char *name, int64_t bytes)
{
    const struct timespec millisecond = {.tv_nsec = 1000000};
    while (!cli_exists(run->directory, name) || cli_file_size(run->directory, name) < bytes) {
        siginfo_t ended = {0};
        if (waitid(P_PID, (id_t)run->pid, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid == run->pid)
            return false;
        nanosleep(&millisecond, NULL);
    }
    return true;
}

int cli_code_of_info(const char *out)
{
    return strstr(out, "\nrefused      ") || strstr(out, "\"refusals\": [\"") ? 2 : 0;
}

char *cli_output_of(const char *directory, const char *line)
{
    CliRun run = {.directory = directory};
    const bool info = strncmp(line, "info", 4) == 0;
    cli_start(&run, "%s", line);
    cli_wait(&run);
    char *text = strdup(info ? run.out : run.err);
    if (run.exit_code != (info ? cli_code_of_info(run.out) : 0))
        fail_msg("%s: exit code %d, %s", line, run.exit_code, run.err);
    cli_free(&run);
    return text;
}

void cli_works(const char *directory, const char *format, ...)
{
    CliRun run = {.directory = directory};
    va_list list;
    va_start(list, format);
    start(&run, format, list);
    va_end(list);
    cli_wait(&run);
    const int expected = strncmp(format, "info", 4) == 0 ? cli_code_of_info(run.out) : 0;
    if (run.exit_code != expected) fail_msg("exit code %d of a run that should work:\n%s", run.exit_code, run.err);
    cli_free(&run);
}

void cli_refuses(const char *directory, const char *keys, const char *format, ...)
{
    CliRun run = {.directory = directory};
    char *before = cli_listing(directory);
    va_list list;
    va_start(list, format);
    start(&run, format, list);
    va_end(list);
    cli_wait(&run);
    assert_string_equal(run.out, "");
    const char *const end = strchr(run.err, '\n');
    if (!end || end[1]) fail_msg("not one line:\n%s", run.err);
    cli_assert_ended(&run, 2, keys);
    char *after = cli_listing(directory);
    assert_string_equal(after, before);
    free(before);
    free(after);
}

/* What several ranks write comes in any order. */
void cli_assert_ended(CliRun *run, int exit_code, const char *keys)
{
    static const char program[] = "sinodag: ";
    bool found = false;
    for (char *line = run->err, *end; (end = strchr(line, '\n')) && !found; line = end + 1) {
        *end = '\0';
        found = (run->launcher || end[1] == '\0') && strncmp(line, program, sizeof program - 1) == 0 &&
                testing_tells(line, keys);
        *end = '\n';
    }
    if (!found) fail_msg("expected at the end of stderr\n%s%s\nfound\n%s", program, keys, run->err);
    assert_int_equal(run->exit_code, exit_code);
    cli_free(run);
}

double cli_number_after(const char *text, const char *before, const char **rest)
{
    const char *found = strstr(text, before);
    char *end;
    if (!found) {
        fail_msg("no \"%s\" in\n%s", before, text);
        return 0;
    }
    found += strlen(before);
    const double number = strtod(found, &end);
    assert_ptr_not_equal(end, found);
    if (rest) *rest = end;
    return number;
}

int cli_tool(const char *name, const char *first, const char *second)
{
    int result;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
        if (dup2(null, STDOUT_FILENO) >= 0 && dup2(null, STDERR_FILENO) >= 0)
            execlp(name, name, first, second, (char *)NULL);
        _exit(127);
    }
    assert_int_equal(waitpid(child, &result, 0), child);
    return WIFEXITED(result) ? WEXITSTATUS(result) : -1;
}

static void list(FILE *out, const char *directory, const char *prefix, bool sizes)
{
    struct dirent **entry = NULL;
    const int count = scandir(directory, &entry, NULL, alphasort);
    assert_true(count >= 0);
    for (int i = 0; i < count; i++) {
        char path[TESTING_PATH], name[TESTING_PATH];
        struct stat info;
        const bool dots = strcmp(entry[i]->d_name, ".") == 0 || strcmp(entry[i]->d_name, "..") == 0;
        snprintf(name, sizeof name, "%s%s", prefix, entry[i]->d_name);
        free(entry[i]);
        if (dots) continue;
        testing_path(path, directory, name + strlen(prefix));
        assert_int_equal(lstat(path, &info), 0);
        const bool is_directory = S_ISDIR(info.st_mode);
        if (sizes)
            fprintf(out, "%s %lld\n", name, is_directory ? 0 : (long long)info.st_size);
        else
            fprintf(out, "%s%s", ftell(out) > 0 ? " " : "", name);
        strncat(name, "/", sizeof name - strlen(name) - 1);
        if (is_directory) list(out, path, name, sizes);
    }
    free(entry);
}

static char *list_text(const char *directory, bool sizes)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    list(out, directory, "", sizes);
    assert_int_equal(fclose(out), 0);
    return text;
}

char *cli_listing(const char *directory)
{
    return list_text(directory, true);
}

void assert_names(const char *directory, const char *names)
{
    char *found = list_text(directory, false);
    assert_string_equal(found, names);
    free(found);
}

const CliScan cli_scan = {.angles = 12,
                          .rows = 4,
                          .columns = 16,
                          .data_rank = 3,
                          .flats = 2,
                          .darks = 1,
                          .flat_count = 1000,
                          .theta_count = 12};

static void write_frames(hid_t file, const char *name, int rank, const uint64_t size[3], const uint16_t *counts)
{
    const TestingDataset dataset = {
        name, H5T_STD_U16LE, H5T_NATIVE_UINT16, rank, {size[0], size[1], size[2]}, size[0] ? counts : NULL, 0};
    testing_hdf5_dataset(file, &dataset);
}

static void write_theta(hid_t file, const CliScan *scan)
{
    double theta[64];
    assert_true(scan->theta_count <= 64);
    for (uint64_t k = 0; k < scan->theta_count; k++)
        theta[k] = scan->theta ? scan->theta[k] : 180.0 * (double)k / (double)scan->theta_count;
    const TestingDataset dataset = {
        "/exchange/theta", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 1, {scan->theta_count}, theta, 0};
    testing_hdf5_dataset(file, &dataset);
}

void cli_write_scan(const char *directory, const char *name, const CliScan *scan)
{
    char path[TESTING_PATH];
    const hid_t file = testing_hdf5_create(testing_path(path, directory, name));
    const uint64_t flat_rows = scan->flat_rows ? scan->flat_rows : scan->rows;
    const uint64_t data[3] = {scan->angles, scan->rows, scan->columns};
    const uint64_t flats[3] = {scan->flats, flat_rows, scan->columns};
    const uint64_t darks[3] = {scan->darks, scan->rows, scan->columns};
    const size_t count = (scan->angles + scan->flats + scan->darks + 1) * (scan->rows + flat_rows) * scan->columns;
    uint16_t *counts = calloc(count, sizeof *counts);
    assert_non_null(counts);
    for (size_t i = 0; i < count; i++) counts[i] = scan->dark_count;
    const int single = scan->single ? 1 : 0;
    if (scan->darks) write_frames(file, "/exchange/data_dark", 3 - single, darks + single, counts);
    for (size_t i = 0; i < count; i++) counts[i] = scan->flat_count;
    if (scan->flats) write_frames(file, "/exchange/data_white", 3 - single, flats + single, counts);
    for (size_t i = 0; i < count; i++) counts[i] = i < scan->changed ? scan->changed_count : i % 4 == 0 ? 900 : 500;
    for (size_t i = 0; scan->count && i < scan->angles * scan->rows * scan->columns; i++)
        counts[i] = scan->count(i / (scan->rows * scan->columns), i / scan->columns % scan->rows, i % scan->columns);
    if (scan->data_rank) write_frames(file, "/exchange/data", scan->data_rank, data, counts);
    if (scan->theta_count) write_theta(file, scan);
    testing_hdf5_close(file);
    free(counts);
}

void cli_write_bytes(const char *directory, const char *name, const void *bytes, size_t count)
{
    char path[TESTING_PATH];
    FILE *file = fopen(testing_path(path, directory, name), "w");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
}

void cli_write_npy(const char *directory, const char *name, const char *type, const char *shape, const void *values,
                   size_t bytes)
{
    size_t file_bytes;
    unsigned char *file = testing_npy(1, type, shape, values, bytes, &file_bytes);
    cli_write_bytes(directory, name, file, file_bytes);
    free(file);
}

void cli_write_text(const char *directory, const char *name, const char *text)
{
    cli_write_bytes(directory, name, text, strlen(text));
}

int64_t cli_file_size(const char *directory, const char *name)
{
    char path[TESTING_PATH];
    struct stat info;
    assert_int_equal(stat(testing_path(path, directory, name), &info), 0);
    return info.st_size;
}

bool cli_exists(const char *directory, const char *name)
{
    char path[TESTING_PATH];
    return access(testing_path(path, directory, name), F_OK) == 0;
}

void *cli_read_bytes(const char *directory, const char *name, size_t bytes)
{
    char path[TESTING_PATH];
    unsigned char *read = malloc(bytes + 1);
    FILE *file = fopen(testing_path(path, directory, name), "rb");
    assert_true(read && file);
    assert_int_equal(fread(read, 1, bytes + 1, file), bytes);
    assert_int_equal(fclose(file), 0);
    return read;
}

bool cli_same_files(const char *directory, const char *a, const char *b)
{
    const size_t bytes = (size_t)cli_file_size(directory, a);
    if ((size_t)cli_file_size(directory, b) != bytes) return false;
    void *first = cli_read_bytes(directory, a, bytes), *second = cli_read_bytes(directory, b, bytes);
    const bool same = memcmp(first, second, bytes) == 0;
    free(first);
    free(second);
    return same;
}

/* The dataset in the memory's type, after a look at its type in the file, unless that is 0, and at its sizes. */
static void *read_dataset(const char *path, const char *name, hid_t file_type, hid_t type, int rank,
                          const int64_t *size)
{
    hsize_t found[4] = {0}, count = 1;
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0);
    const hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
    assert_true(dataset >= 0);
    const hid_t space = H5Dget_space(dataset), stored = H5Dget_type(dataset);
    if (file_type) assert_true(H5Tequal(stored, file_type) > 0);
    assert_int_equal(H5Sget_simple_extent_ndims(space), rank);
    assert_int_equal(H5Sget_simple_extent_dims(space, found, NULL), rank);
    for (int i = 0; i < rank; i++) {
        assert_int_equal(found[i], size[i]);
        count *= found[i];
    }
    void *values = calloc(count, H5Tget_size(type));
    assert_non_null(values);
    assert_true(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    assert_true(H5Tclose(stored) >= 0 && H5Sclose(space) >= 0 && H5Dclose(dataset) >= 0 && H5Fclose(file) >= 0);
    return values;
}

double *cli_read_doubles(const char *directory, const char *name, const char *dataset, int rank, const int64_t *size)
{
    char path[TESTING_PATH];
    return read_dataset(testing_path(path, directory, name), dataset, 0, H5T_NATIVE_DOUBLE, rank, size);
}

float *cli_read_volume(const char *directory, const char *name, int64_t slices, int64_t size)
{
    char path[TESTING_PATH];
    const int64_t sizes[] = {slices, size, size};
    return read_dataset(testing_path(path, directory, name), "/exchange/data", H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, 3,
                        sizes);
}

float *cli_read_tiff(const char *directory, const char *name, int64_t size)
{
    char path[TESTING_PATH];
    uint32_t width = 0, height = 0;
    uint16_t bits = 0, format = 0;
    TIFF *tiff = TIFFOpen(testing_path(path, directory, name), "r");
    assert_non_null(tiff);
    assert_true(TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &width) && TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &height) &&
                TIFFGetField(tiff, TIFFTAG_BITSPERSAMPLE, &bits) && TIFFGetField(tiff, TIFFTAG_SAMPLEFORMAT, &format));
    assert_true(width == size && height == size && bits == 32 && format == SAMPLEFORMAT_IEEEFP);
    float *values = calloc((size_t)(size * size), sizeof *values);
    assert_non_null(values);
    for (int64_t row = 0; row < size; row++)
        assert_int_equal(TIFFReadScanline(tiff, values + row * size, (uint32_t)row, 0), 1);
    TIFFClose(tiff);
    return values;
}

double cli_correlation(int64_t size, double radius, const float *a, const float *b)
{
    const double middle = (double)(size - 1) / 2;
    double n = 0, x = 0, y = 0, xx = 0, xy = 0, yy = 0;
    for (int64_t i = 0; i < size * size; i++) {
        const double v = (double)a[i], t = (double)b[i];
        if (hypot((double)(i % size) - middle, (double)(i / size) - middle) > radius) continue;
        n++;
        x += v;
        y += t;
        xx += v * v;
        xy += v * t;
        yy += t * t;
    }
    return (n * xy - x * y) / sqrt((n * xx - x * x) * (n * yy - y * y));
}

double cli_difference(int64_t count, const float *a, const float *b)
{
    double off = 0, norm = 0;
    for (int64_t i = 0; i < count; i++) {
        off += ((double)a[i] - (double)b[i]) * ((double)a[i] - (double)b[i]);
        norm += (double)b[i] * (double)b[i];
    }
    return sqrt(off / norm);
}

double cli_error(const char *directory, const char *name, int64_t size)
{
    float *a = cli_read_volume(directory, name, 1, size), *b = cli_read_volume(directory, "t.h5", 1, size);
    double off = 0, norm = 0;
    for (int64_t i = 0; i < size * size; i++) {
        const double x = (double)(i % size) - (double)(size - 1) / 2, y = (double)(i / size) - (double)(size - 1) / 2;
        if (hypot(x, y) >= (double)size / 2 - 1) continue;
        off += ((double)a[i] - (double)b[i]) * ((double)a[i] - (double)b[i]);
        norm += (double)b[i] * (double)b[i];
    }
    free(a);
    free(b);
    return sqrt(off / norm);
}

void cli_mount(const char *directory, const char *name, unsigned long flags, const char *options)
{
    char path[TESTING_PATH];
    testing_path(path, directory, name);
    assert_int_equal(mkdir(path, 0700), 0);
    if (mount("none", path, "tmpfs", flags, options) == 0) return;
    print_message("skipped: no file system can be mounted here; run as root\n");
    skip();
}

int cli_directory_remove(void **state)
{
    struct dirent **entry = NULL;
    const int count = scandir(*state, &entry, NULL, NULL);
    for (int i = 0; i < count; i++) {
        char path[TESTING_PATH];
        if (entry[i]->d_name[0] != '.') (void)umount(testing_path(path, *state, entry[i]->d_name)); /* if it is one */
        free(entry[i]);
    }
    free(entry);
    return testing_directory_remove(state);
}

int cli_one_core_make(void **state)
{
    return setenv("STARPU_NCPU", "1", 1) ? -1 : testing_directory_make(state);
}

int cli_one_core_remove(void **state)
{
    return unsetenv("STARPU_NCPU") ? -1 : cli_directory_remove(state);
}
