/* SPDX-License-Identifier: BSD-3-Clause */
/* Output file: the final name appears last, existing files stay, and two runs do not disturb each other. */
#include "ending.h"
#include "files.h"
#include "testing.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

/* What a file system lacks: the error of a call, 0: it has it. Network file systems lack the rename that replaces
 * nothing, some of them and FAT lack second names, and some lack locks. The functions below stand before libc's. */
static struct {
    int rename, link, lock;
} lacks;

static int refuse_or(int error_number, long result)
{
    if (error_number) errno = error_number;
    return error_number ? -1 : (int)result;
}

int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned int flags)
{
    const int lack = flags ? lacks.rename : 0;
    return refuse_or(lack, lack ? 0 : syscall(SYS_renameat2, from_folder, from, to_folder, to, flags));
}

int link(const char *from, const char *to)
{
    return refuse_or(lacks.link, lacks.link ? 0 : linkat(AT_FDCWD, from, AT_FDCWD, to, 0));
}

static bool ends_meanwhile; /* another thread ends the program while the next file is locked */

static void *end_program(void *nothing)
{
    (void)nothing;
    sino_ending_now("ended by the test", 9);
}

int flock(int descriptor, int operation)
{
    pthread_t thread;
    if (ends_meanwhile && pthread_create(&thread, NULL, end_program, NULL) == 0) usleep(200000);
    ends_meanwhile = false;
    return refuse_or(lacks.lock, lacks.lock ? 0 : syscall(SYS_flock, descriptor, operation));
}

static void put(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0 && fclose(file) == 0);
}

static void assert_content(const char *path, const char *text)
{
    char found[64] = "";
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    const size_t count = fread(found, 1, sizeof found - 1, file);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(count, strlen(text));
    assert_string_equal(found, text);
}

static void assert_absent(const char *path)
{
    assert_int_equal(access(path, F_OK), -1);
}

typedef struct Names {
    char path[TESTING_PATH], partial[TESTING_PATH];
} Names;

static const char *names(Names *names, const char *directory)
{
    testing_path(names->path, directory, "out");
    testing_path(names->partial, directory, "out.partial");
    return names->path;
}

static void name_comes_last(void **state)
{
    Names name;
    SinoOutputFile *file;
    char bytes[6] = "xxxxx";
    assert_success(sino_output_open(names(&name, *state), false, &file));
    sino_output_write(file, 2, "cd", 2);
    sino_output_write(file, 0, "ab", 2);
    assert_int_equal(sino_output_size(file), 4);
    assert_true(sino_output_read(file, 1, bytes, 5));
    assert_memory_equal(bytes, "bcd\0\0", 5);
    assert_absent(name.path);
    assert_success(sino_output_status(file));
    assert_success(sino_output_seal(file));
    assert_content(name.path, "abcd");
    assert_absent(name.partial);
}

static void discard_leaves_nothing(void **state)
{
    Names name;
    SinoOutputFile *file;
    assert_success(sino_output_open(names(&name, *state), false, &file));
    sino_output_write(file, 0, "ab", 2);
    sino_output_discard(file);
    sino_output_discard(NULL);
    assert_absent(name.path);
    assert_absent(name.partial);
    assert_success(sino_output_check(name.path, false));
    assert_absent(name.partial);
}

static void existing_files_stay(void **state)
{
    Names name;
    SinoOutputFile *file;
    put(names(&name, *state), "old");
    assert_error(sino_output_open(name.path, false, &file), SINO_BAD_INPUT, "/out exists; --overwrite replaces it");
    assert_error(sino_output_check(name.path, false), SINO_BAD_INPUT, "/out exists; --overwrite replaces it");
    assert_success(sino_output_open(name.path, true, &file));
    sino_output_write(file, 0, "new", 3);
    assert_content(name.path, "old");
    assert_success(sino_output_seal(file));
    assert_content(name.path, "new");
    assert_int_equal(unlink(name.path), 0);
    assert_int_equal(symlink("nowhere", name.path), 0);
    assert_error(sino_output_open(name.path, false, &file), SINO_BAD_INPUT, "/out exists; --overwrite replaces it");
}

/* A link stays, and leads to the new file, in whatever folder that is. Links of devices stay, too. */
static void links_are_followed(void **state)
{
    Names name;
    SinoOutputFile *file;
    char disk[TESTING_PATH], volume[TESTING_PATH], through[TESTING_PATH];
    struct stat info;
    names(&name, *state);
    assert_int_equal(mkdir(testing_path(disk, *state, "disk"), 0700), 0);
    put(testing_path(volume, *state, "disk/volume"), "old");
    assert_int_equal(symlink("disk/volume", testing_path(through, *state, "through")), 0);
    assert_int_equal(symlink(through, name.path), 0);
    assert_success(sino_output_open(name.path, true, &file));
    sino_output_write(file, 0, "new", 3);
    assert_absent(name.partial);
    assert_success(sino_output_seal(file));
    assert_content(volume, "new");
    assert_true(lstat(name.path, &info) == 0 && S_ISLNK(info.st_mode));
    assert_true(lstat(through, &info) == 0 && S_ISLNK(info.st_mode));
    const int descriptor = open(volume, O_RDONLY);
    assert_true(descriptor >= 0);
    snprintf(through, sizeof through, "/proc/self/fd/%d", descriptor);
    assert_error(sino_output_open(through, true, &file), SINO_BAD_INPUT, "stands for a device or an open file");
    assert_int_equal(unlink(name.path), 0);
    assert_int_equal(symlink(through, name.path), 0);
    assert_error(sino_output_open(name.path, true, &file), SINO_BAD_INPUT, "stands for a device or an open file");
    assert_content(volume, "new");
    assert_int_equal(close(descriptor), 0);
}

static void name_taken_meanwhile(void **state)
{
    Names name;
    SinoOutputFile *file;
    assert_success(sino_output_open(names(&name, *state), false, &file));
    sino_output_write(file, 0, "mine", 4);
    put(name.path, "theirs");
    assert_error(sino_output_seal(file), SINO_FAILED,
                 "/out appeared while it was being written and is left as it is; the new file is ");
    assert_content(name.path, "theirs");
    assert_content(name.partial, "mine");
}

/* A file gets its name, and replaces none, whatever the file system offers for it. */
static void file_systems_that_lack_a_rename(void **state)
{
    static const int rename_errors[] = {EINVAL, ENOSYS}, link_errors[] = {0, EPERM, EOPNOTSUPP, ENOSYS};
    for (int i = 0; i < 8; i++) {
        Names name;
        SinoOutputFile *file;
        lacks.rename = rename_errors[i % 2];
        lacks.link = link_errors[i / 2];
        assert_success(sino_output_open(names(&name, *state), false, &file));
        sino_output_write(file, 0, "mine", 4);
        assert_success(sino_output_seal(file));
        assert_content(name.path, "mine");
        assert_absent(name.partial);
        assert_int_equal(unlink(name.path), 0);
        name_taken_meanwhile(state);
        assert_int_equal(unlink(name.path) + unlink(name.partial), 0);
    }
}

/* Neither by a failure of another kind: the new file is then removed, and the other one stays. */
static void names_that_cannot_be_given(void **state)
{
    static const struct {
        int rename, link;
        const char *why;
    } trial[] = {{EACCES, 0, "Permission denied"}, {EINVAL, ENOSPC, "No space left on device"}};
    for (int i = 0; i < 2; i++) {
        Names name;
        SinoOutputFile *file;
        char message[100];
        lacks.rename = trial[i].rename;
        lacks.link = trial[i].link;
        snprintf(message, sizeof message, "/out cannot be given its name: %s", trial[i].why);
        assert_success(sino_output_open(names(&name, *state), false, &file));
        assert_error(sino_output_seal(file), SINO_FAILED, message);
        assert_absent(name.path);
        assert_absent(name.partial);
    }
}

static void file_systems_without_locks(void **state)
{
    Names name;
    SinoOutputFile *file;
    names(&name, *state);
    lacks.lock = ENOLCK;
    put(name.partial, "left by a killed run");
    assert_success(sino_output_check(name.path, false));
    assert_content(name.partial, "left by a killed run");
    assert_success(sino_output_open(name.path, false, &file));
    sino_output_write(file, 0, "new", 3);
    assert_success(sino_output_seal(file));
    assert_content(name.path, "new");
    put(name.partial, "half");
    assert_success(sino_output_reopen(name.path, true, &file));
    sino_output_write(file, 4, " done", 5);
    assert_success(sino_output_seal(file));
    assert_content(name.path, "half done");
}

static int lack_nothing(void **state)
{
    lacks.rename = lacks.link = lacks.lock = 0;
    return testing_directory_remove(state);
}

static void two_runs_do_not_meet(void **state)
{
    Names name;
    SinoOutputFile *first, *second;
    put(names(&name, *state), "");
    put(name.partial, "left by a killed run");
    assert_success(sino_output_open(name.path, true, &first));
    assert_error(sino_output_open(name.path, true, &second), SINO_BAD_INPUT, "/out is being written by another run");
    sino_output_write(first, 0, "first", 5);
    assert_success(sino_output_seal(first));
    assert_content(name.path, "first");
    assert_success(sino_output_check(name.path, true));
}

/* What lies under the temporary name and is not a killed run's is neither written to nor removed. */
static void assert_partial_refused(const char *path, const char *why)
{
    SinoOutputFile *file;
    char message[3 * TESTING_PATH];
    snprintf(message, sizeof message,
             "%s cannot be written, because %s.partial exists and no killed run of yours left it: %s; remove it, or "
             "give another name",
             path, path, why);
    assert_error(sino_output_open(path, true, &file), SINO_BAD_INPUT, message);
    assert_error(sino_output_check(path, true), SINO_BAD_INPUT, message);
}

static void temporary_name_is_taken(void **state)
{
    Names name;
    char other[TESTING_PATH];
    put(testing_path(other, *state, "other"), "precious");
    names(&name, *state);
    assert_int_equal(link(other, name.partial), 0);
    assert_partial_refused(name.path, "it has a second name");
    assert_int_equal(unlink(name.partial), 0);
    assert_int_equal(symlink(other, name.partial), 0);
    assert_partial_refused(name.path, "it is a symbolic link");
    assert_int_equal(unlink(name.partial), 0);
    assert_int_equal(mkfifo(name.partial, 0600), 0);
    assert_partial_refused(name.path, "it is not a regular file");
    assert_int_equal(unlink(name.partial), 0);
    assert_int_equal(mkdir(name.partial, 0700), 0);
    assert_partial_refused(name.path, "it is not a regular file");
    assert_int_equal(rmdir(name.partial), 0);
    put(name.partial, "theirs");
    if (chown(name.partial, 12345, (gid_t)-1) == 0) {
        assert_partial_refused(name.path, "it belongs to another user");
        assert_content(name.partial, "theirs");
    }
    assert_content(other, "precious");
}

static void temporary_file_is_replaced_meanwhile(void **state)
{
    Names name;
    SinoOutputFile *file;
    for (int sealed = 0; sealed < 2; sealed++) {
        assert_success(sino_output_open(names(&name, *state), true, &file));
        assert_int_equal(unlink(name.partial), 0);
        put(name.partial, "theirs");
        if (sealed)
            assert_error(sino_output_seal(file), SINO_FAILED, "/out.partial was removed or replaced meanwhile");
        else
            sino_output_discard(file);
        assert_content(name.partial, "theirs");
        assert_absent(name.path);
    }
}

static void stream_writes_in_order(void **state)
{
    Names name;
    SinoOutputFile *file;
    assert_success(sino_output_open(names(&name, *state), false, &file));
    FILE *stream = sino_output_stream(file);
    assert_non_null(stream);
    assert_true(fprintf(stream, "a%d", 1) > 0 && fflush(stream) == 0 && fprintf(stream, "b%d", 2) > 0);
    assert_int_equal(fclose(stream), 0);
    assert_success(sino_output_seal(file));
    assert_content(name.path, "a1b2");
}

static void joined_file_is_the_one_that_was_made(void **state)
{
    Names name;
    SinoOutputFile *file, *joined;
    assert_success(sino_output_open(names(&name, *state), false, &file));
    assert_success(sino_output_join(name.path, &joined));
    sino_output_write(joined, 0, "ab", 2);
    assert_success(sino_output_leave(joined));
    assert_success(sino_output_seal(file));
    assert_content(name.path, "ab");
    assert_error(sino_output_join(name.path, &joined), SINO_FAILED, "cannot be opened: No such file or directory");
    assert_int_equal(link(name.path, name.partial), 0);
    assert_error(sino_output_join(name.path, &joined), SINO_FAILED,
                 "/out.partial is not the file that rank 0 has made");
}

static void places_that_take_no_file(void **state)
{
    char path[TESTING_PATH], message[2 * TESTING_PATH];
    SinoOutputFile *file;
    testing_path(path, *state, "absent/out");
    snprintf(message, sizeof message, "%s cannot be written in directory %s/absent: No such file or directory", path,
             (const char *)*state);
    assert_error(sino_output_open(path, true, &file), SINO_BAD_INPUT, message);
    put(testing_path(path, *state, "file"), "");
    testing_path(path, *state, "file/out");
    assert_error(sino_output_open(path, true, &file), SINO_BAD_INPUT, "/file: Not a directory");
    assert_error(sino_output_open(*state, true, &file), SINO_BAD_INPUT, " is a directory; give the name of a file");
    assert_error(sino_output_open("", true, &file), SINO_BAD_INPUT, "\"\" is not the name of a file");
    assert_error(sino_output_open("/dev/null", true, &file), SINO_BAD_INPUT,
                 "/dev/null is not a regular file and cannot be replaced");
    testing_path(path, *state, "absent/");
    assert_error(sino_output_open(path, true, &file), SINO_BAD_INPUT, "absent/\" is not the name of a file");
}

static void read_only_directory(void **state)
{
    Names name;
    SinoOutputFile *file;
    names(&name, *state);
    if (mount("none", *state, "tmpfs", MS_RDONLY, NULL) != 0) {
        print_message("skipped: no file system can be mounted here\n");
        skip();
    }
    SinoStatus opened = sino_output_open(name.path, false, &file), checked = sino_output_check(name.path, false);
    assert_int_equal(umount(*state), 0);
    assert_error(opened, SINO_BAD_INPUT, ": Read-only file system");
    assert_error(checked, SINO_BAD_INPUT, ": Read-only file system");
}

static void first_failure_is_kept(void **state)
{
    Names name;
    SinoOutputFile *file;
    char bytes[100] = {0};
    assert_success(sino_output_open(names(&name, *state), false, &file));
    testing_limit_file_size(1000);
    sino_output_write(file, 950, bytes, 100); /* its first half fits */
    sino_output_write(file, 2000, bytes, 100);
    sino_output_write(file, 0, bytes, 100);
    SinoStatus reserved = sino_output_reserve(file, 5 << 20), sealed = sino_output_seal(file);
    testing_limit_file_size(RLIM_INFINITY);
    assert_error(reserved, SINO_FAILED, "/out: no room for 5.00 MiB: File too large");
    assert_error(sealed, SINO_FAILED, "/out: writing failed at byte 1000: File too large");
    assert_absent(name.path);
    assert_absent(name.partial);
}

/* The end that comes while a file is being made leaves none behind. */
static void end_leaves_no_file(void **state)
{
    char path[TESTING_PATH], partial[TESTING_PATH];
    testing_path(path, *state, "out");
    testing_path(partial, *state, "out.partial");
    const pid_t child = fork();
    if (child == 0) {
        SinoOutputFile *file;
        ends_meanwhile = true;
        if (!freopen("/dev/null", "w", stderr) || sino_output_open(path, false, &file)) _exit(1);
        for (;;) pause();
    }
    int ended = 0;
    assert_int_equal(waitpid(child, &ended, 0), child);
    assert_true(WIFEXITED(ended) && WEXITSTATUS(ended) == 9);
    assert_absent(path);
    assert_absent(partial);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, testing_directory_make, lack_nothing)

TESTING_SUBJECT(output_file)
{
    const struct CMUnitTest tests[] = {
        TEST(name_comes_last),
        TEST(discard_leaves_nothing),
        TEST(existing_files_stay),
        TEST(links_are_followed),
        TEST(name_taken_meanwhile),
        TEST(two_runs_do_not_meet),
        TEST(places_that_take_no_file),
        TEST(read_only_directory),
        TEST(first_failure_is_kept),
        TEST(temporary_name_is_taken),
        TEST(temporary_file_is_replaced_meanwhile),
        TEST(stream_writes_in_order),
        TEST(joined_file_is_the_one_that_was_made),
        TEST(file_systems_that_lack_a_rename),
        TEST(names_that_cannot_be_given),
        TEST(file_systems_without_locks),
        TEST(end_leaves_no_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
