/* SPDX-License-Identifier: BSD-3-Clause */
/* Operator file: a written file is mapped back; a file with any difference is refused. */
#include "ending.h"
#include "files.h"
#include "operator_file.h"
#include "testing.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <xxhash.h>

/* The format: pages, the header's members and those of the table, which follows it. */
enum {
    PAGE = 4096,
    AT_BYTE_ORDER = 8,
    AT_VERSION = 12,
    AT_KEY = 16,
    AT_PIECE_COUNT = 32,
    AT_TOTAL = 40,
    AT_TABLE_CHECKSUM = 48
};
enum { AT_CHECKSUM = 56, AT_TABLE = 64, ENTRY_SIZE = 24, AT_BYTES = 8 };

/* Four pages of pieces, one of them without bytes, behind one page of header and table. */
enum { PIECES = 4, FILE_BYTES = 5 * PAGE };
static const int64_t piece_bytes[PIECES] = {1, 0, PAGE + 1, 100};
static uint8_t content[2 * PAGE];

static int make_content(void **state)
{
    (void)state;
    for (int i = 0; i < 2 * PAGE; i++) content[i] = (uint8_t)(i * 7 + i / 256);
    return 0;
}

static void make_pieces(SinoOperatorPiece piece[PIECES])
{
    for (int i = 0; i < PIECES; i++) piece[i] = (SinoOperatorPiece){.memory = content + i, .bytes = piece_bytes[i]};
}

typedef struct Place {
    SinoOperatorKey key;
    char path[TESTING_PATH];
} Place;

static Place place_of(const char *directory, const char *text)
{
    Place place = {.key = sino_operator_file_key(text, (int64_t)strlen(text))};
    char *path = NULL;
    assert_success(sino_operator_file_path(directory, &place.key, &path));
    snprintf(place.path, sizeof place.path, "%s", path ? path : "");
    free(path);
    return place;
}

static SinoStatus write_pieces(const Place *place)
{
    SinoOperatorPiece piece[PIECES];
    make_pieces(piece);
    return sino_operator_file_write(place->path, &place->key, PIECES, piece);
}

static Place written(const char *directory)
{
    const Place place = place_of(directory, "a key");
    assert_success(write_pieces(&place));
    return place;
}

/* Opens the file and verifies its pieces. */
static SinoStatus open_verified(const Place *place, SinoOperatorFile **result)
{
    SinoOperatorFile *file = NULL;
    SINO_TRY(sino_operator_file_open(place->path, &place->key, &file));
    for (int64_t i = 0; file && i < sino_operator_file_piece_count(file); i++) {
        SinoStatus status = sino_operator_file_verify(file, i);
        if (!status) continue;
        SinoStatus told = sino_error(SINO_BAD_INPUT, "%s %s", place->path, sino_status_text(status));
        sino_status_free(status);
        sino_operator_file_close(file);
        return told;
    }
    *result = file;
    return NULL;
}

static void assert_whole(const Place *place)
{
    SinoOperatorFile *file = NULL;
    assert_success(open_verified(place, &file));
    assert_non_null(file);
    assert_int_equal(sino_operator_file_piece_count(file), PIECES);
    for (int i = 0; i < PIECES; i++) {
        const SinoOperatorPiece piece = sino_operator_file_piece(file, i);
        assert_int_equal(piece.bytes, piece_bytes[i]);
        assert_non_null(piece.memory);
        assert_int_equal((uintptr_t)piece.memory % PAGE, 0);
        assert_memory_equal(piece.memory, content + i, piece.bytes);
    }
    sino_operator_file_close(file);
}

static void assert_refused(const Place *place, const char *text)
{
    SinoOperatorFile *const untouched = (SinoOperatorFile *)content, *file = untouched;
    char expected[2 * TESTING_PATH];
    snprintf(expected, sizeof expected, "%s%s", place->path, text);
    assert_error(open_verified(place, &file), SINO_BAD_INPUT, expected);
    assert_ptr_equal(file, untouched);
}

static bool exists(const char *path)
{
    return access(path, F_OK) == 0;
}

static bool partial_exists(const Place *place)
{
    char path[2 * TESTING_PATH];
    snprintf(path, sizeof path, "%s.partial", place->path);
    return exists(path);
}

static void read_bytes(const Place *place, int64_t offset, void *bytes, size_t count)
{
    const int descriptor = open(place->path, O_RDONLY);
    assert_true(descriptor >= 0);
    assert_int_equal(pread(descriptor, bytes, count, offset), count);
    assert_int_equal(close(descriptor), 0);
}

static void patch(const Place *place, int64_t offset, const void *bytes, size_t count)
{
    const int descriptor = open(place->path, O_WRONLY);
    assert_true(descriptor >= 0);
    assert_int_equal(pwrite(descriptor, bytes, count, offset), count);
    assert_int_equal(close(descriptor), 0);
}

static void patch_integer(const Place *place, int64_t offset, int64_t value)
{
    patch(place, offset, &value, sizeof value);
}

/* The checksums of whatever header and table say now. */
static void seal(const Place *place)
{
    uint8_t front[AT_TABLE + PIECES * ENTRY_SIZE];
    read_bytes(place, 0, front, sizeof front);
    const uint64_t table = XXH3_64bits(front + AT_TABLE, PIECES * ENTRY_SIZE);
    memcpy(front + AT_TABLE_CHECKSUM, &table, sizeof table);
    const uint64_t header = XXH3_64bits(front, AT_CHECKSUM);
    memcpy(front + AT_CHECKSUM, &header, sizeof header);
    patch(place, 0, front, AT_TABLE);
}

static void what_is_written_is_read(void **state)
{
    const Place place = written(*state);
    struct stat info;
    assert_whole(&place);
    assert_int_equal(stat(place.path, &info), 0);
    assert_int_equal(info.st_size, FILE_BYTES);
    assert_false(partial_exists(&place));
    sino_operator_file_close(NULL);
}

static void nothing_in_it(void **state)
{
    const Place place = place_of(*state, "");
    SinoOperatorFile *file = NULL;
    assert_success(sino_operator_file_write(place.path, &place.key, 0, NULL));
    assert_success(sino_operator_file_open(place.path, &place.key, &file));
    assert_int_equal(sino_operator_file_piece_count(file), 0);
    sino_operator_file_close(file);
    const SinoOperatorPiece empty = {.memory = NULL, .bytes = 0};
    assert_success(sino_operator_file_write(place.path, &place.key, 1, &empty));
    assert_success(sino_operator_file_open(place.path, &place.key, &file));
    assert_int_equal(sino_operator_file_piece(file, 0).bytes, 0);
    assert_non_null(sino_operator_file_piece(file, 0).memory);
    sino_operator_file_close(file);
}

static void no_file(void **state)
{
    const Place place = place_of(*state, "a key");
    SinoOperatorFile *file = (SinoOperatorFile *)content;
    assert_success(sino_operator_file_open(place.path, &place.key, &file));
    assert_null(file);
}

/* Sixteen bytes of it as digits, and other bytes for another text. */
static void names_of_keys(void **state)
{
    (void)state;
    const Place place = place_of("folder", "a key"), other = place_of("folder", "a kez");
    char digits[33];
    for (int i = 0; i < 16; i++) snprintf(digits + 2 * i, 3, "%02x", place.key.digest[i]);
    assert_string_equal(place.path + strlen("folder/operator-") + 32, ".sinodag");
    assert_memory_equal(place.path, "folder/operator-", strlen("folder/operator-"));
    assert_memory_equal(place.path + strlen("folder/operator-"), digits, 32);
    assert_string_not_equal(place.path, other.path);
}

static void truncated_anywhere(void **state)
{
    const Place place = place_of(*state, "a key");
    static const int64_t bytes[] = {0,
                                    1,
                                    AT_TABLE - 1,
                                    AT_TABLE,
                                    AT_TABLE + 1,
                                    AT_TABLE + 95,
                                    AT_TABLE + 96,
                                    PAGE - 1,
                                    PAGE,
                                    PAGE + 1,
                                    2 * PAGE,
                                    3 * PAGE,
                                    4 * PAGE,
                                    4 * PAGE + 100,
                                    FILE_BYTES - 1,
                                    FILE_BYTES + 1,
                                    FILE_BYTES + PAGE};
    for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++) {
        assert_success(write_pieces(&place));
        assert_int_equal(truncate(place.path, bytes[i]), 0);
        assert_refused(&place, " is damaged: it has ");
    }
    assert_success(write_pieces(&place));
    assert_whole(&place);
}

static void flip(const Place *place, int64_t offset)
{
    uint8_t byte;
    read_bytes(place, offset, &byte, 1);
    byte ^= (uint8_t)(1u << offset % 8);
    patch(place, offset, &byte, 1);
}

static void assert_flip_refused(const Place *place, int64_t offset)
{
    flip(place, offset);
    assert_refused(place, "");
    flip(place, offset);
}

static void flipped_bytes(void **state)
{
    const Place place = written(*state);
    for (int64_t i = 0; i < AT_TABLE + PIECES * ENTRY_SIZE; i++) assert_flip_refused(&place, i);
    int64_t begin = PAGE;
    for (int i = 0; i < PIECES; i++) {
        for (int64_t j = 0; j < piece_bytes[i]; j++) assert_flip_refused(&place, begin + j);
        begin += (piece_bytes[i] + PAGE - 1) / PAGE * PAGE;
    }
    assert_int_equal(begin, FILE_BYTES);
    assert_whole(&place);
    flip(&place, AT_KEY);
    assert_refused(&place, " is damaged: wrong checksum of its header");
    flip(&place, AT_KEY);
    flip(&place, AT_TABLE);
    assert_refused(&place, " is damaged: wrong checksum of its table");
    flip(&place, AT_TABLE);
    flip(&place, FILE_BYTES - PAGE);
    assert_refused(&place, " is damaged: wrong checksum of piece 3");
}

static void other_formats(void **state)
{
    const Place place = written(*state);
    const uint32_t future = 2;
    uint32_t mark;
    read_bytes(&place, AT_BYTE_ORDER, &mark, sizeof mark);
    mark = __builtin_bswap32(mark);
    patch(&place, AT_VERSION, &future, sizeof future);
    seal(&place);
    assert_refused(&place, " is an operator file of version 2; this program reads version 1");
    patch(&place, AT_BYTE_ORDER, &mark, sizeof mark);
    assert_refused(&place, " was written by a machine of another byte order");
    mark = 0;
    patch(&place, AT_BYTE_ORDER, &mark, sizeof mark);
    assert_refused(&place, " is damaged: it has no byte order");
    patch(&place, 0, "\211HDF\r\n\032\n", 8);
    assert_refused(&place, " is no operator file");
}

static void another_key(void **state)
{
    const Place place = written(*state), other = place_of(*state, "another key");
    assert_int_equal(rename(place.path, other.path), 0);
    assert_refused(&other, " holds another operator");
}

/* With all checksums right: no size that the header or the table may give leads out of the file. */
static void sizes_that_do_not_fit(void **state)
{
    static const char layout[] = " is damaged: its table does not fit the file";
    static const char table[] = " is damaged: wrong checksum of its table", size[] = " is damaged: it has ";
    static const struct {
        int64_t offset, value;
        const char *text;
    } wrong[] = {
        {AT_TABLE, PAGE + 8, layout},                                      /* not on a page */
        {AT_TABLE, 0, layout},                                             /* in the header */
        {AT_TABLE + 2 * ENTRY_SIZE, PAGE, layout},                         /* where another piece is */
        {AT_TABLE + AT_BYTES, -1, layout},                                 /* negative */
        {AT_TABLE + AT_BYTES, INT64_MAX, layout},                          /* beyond 63 bits when rounded up */
        {AT_TABLE + 3 * ENTRY_SIZE + AT_BYTES, PAGE + 1, layout},          /* beyond the end */
        {AT_TABLE + 2 * ENTRY_SIZE + AT_BYTES, PAGE, layout},              /* a page that belongs to no piece */
        {AT_TABLE + 3 * ENTRY_SIZE + AT_BYTES, 0, layout},                 /* the last one */
        {AT_PIECE_COUNT, PIECES - 1, table},                               /* another table */
        {AT_PIECE_COUNT, -1, table},                                       /* negative */
        {AT_PIECE_COUNT, INT64_MAX / ENTRY_SIZE, table},                   /* beyond 63 bits with the header */
        {AT_PIECE_COUNT, (FILE_BYTES - AT_TABLE) / ENTRY_SIZE + 1, table}, /* beyond the end */
        {AT_TOTAL, FILE_BYTES - PAGE, size},
        {AT_TOTAL, INT64_MAX, size},
    };
    const Place place = place_of(*state, "a key");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_success(write_pieces(&place));
        patch_integer(&place, wrong[i].offset, wrong[i].value);
        seal(&place);
        assert_refused(&place, wrong[i].text);
    }
}

static void things_that_are_no_file(void **state)
{
    const Place folder = place_of(*state, "folder"), pipe = place_of(*state, "pipe");
    assert_int_equal(mkdir(folder.path, 0700), 0);
    assert_refused(&folder, " is not a regular file");
    assert_error(write_pieces(&folder), SINO_BAD_INPUT, " is a directory; give the name of a file");
    assert_int_equal(mkfifo(pipe.path, 0600), 0);
    assert_refused(&pipe, " is not a regular file");
}

/* Who has mapped the old file keeps it. */
static void replaced_while_mapped(void **state)
{
    const Place place = written(*state);
    const SinoOperatorPiece other = {.memory = "other", .bytes = 5};
    SinoOperatorFile *file = NULL;
    assert_success(sino_operator_file_open(place.path, &place.key, &file));
    assert_success(sino_operator_file_write(place.path, &place.key, 1, &other));
    assert_memory_equal(sino_operator_file_piece(file, 2).memory, content + 2, piece_bytes[2]);
    sino_operator_file_close(file);
    assert_success(sino_operator_file_open(place.path, &place.key, &file));
    assert_int_equal(sino_operator_file_piece_count(file), 1);
    assert_memory_equal(sino_operator_file_piece(file, 0).memory, "other", 5);
    sino_operator_file_close(file);
}

static void damaged_is_replaced(void **state)
{
    const Place place = written(*state);
    flip(&place, PAGE);
    assert_refused(&place, " is damaged: wrong checksum of piece 0");
    assert_success(write_pieces(&place));
    assert_whole(&place);
}

/* Computing with what others have written is like running their program. */
static void files_of_others_are_refused(void **state)
{
    const Place place = written(*state);
    struct stat info;
    assert_int_equal(stat(place.path, &info), 0);
    assert_int_equal(info.st_mode & 022, 0);
    assert_int_equal(chmod(place.path, 0664), 0);
    assert_refused(&place, " may have been changed by others (mode 0664); `chmod go-w` on files that you trust");
    assert_int_equal(chmod(place.path, 0644), 0);
    assert_whole(&place);
    if (chown(place.path, 12345, (gid_t)-1) != 0) return;
    assert_refused(&place, " belongs to another user, who may have changed it");
}

static void directories_of_others_are_refused(void **state)
{
    const char *const at = *state;
    char message[3 * TESTING_PATH];
    assert_success(sino_operator_file_check(at));
    assert_int_equal(chmod(at, 0775), 0);
    snprintf(message, sizeof message, "--operator-cache | '%s' | mode 0775 | chmod go-w '%s'", at, at);
    assert_error(sino_operator_file_check(at), SINO_BAD_INPUT, message);
    assert_int_equal(chmod(at, 0755), 0);
    assert_success(sino_operator_file_check(at));
    if (chown(at, 12345, (gid_t)-1) != 0) return;
    assert_error(sino_operator_file_check(at), SINO_BAD_INPUT, "another user | number 12345 | a directory of your own");
}

/* In a child: reads what is cut off meanwhile. */
static void read_after_cut(const Place *place, int message)
{
    SinoOperatorFile *file = NULL;
    const struct rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    sino_last_words_install();
    if (dup2(message, STDERR_FILENO) < 0 || open_verified(place, &file) != NULL) _exit(3);
    const volatile uint8_t *last = sino_operator_file_piece(file, PIECES - 1).memory;
    if (truncate(place->path, PAGE) != 0) _exit(4);
    _exit(*last ? 5 : 6);
}

static void cut_while_mapped(void **state)
{
    const Place place = written(*state);
    char found[2 * TESTING_PATH] = "", expected[2 * TESTING_PATH];
    int ends[2], result;
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) read_after_cut(&place, ends[1]);
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_true(WIFEXITED(result) && WEXITSTATUS(result) == 1);
    assert_true(read(ends[0], found, sizeof found - 1) > 0);
    close(ends[0]);
    close(ends[1]);
    snprintf(expected, sizeof expected,
             "sinodag: %s became shorter, or cannot be read any more, while the run used it; unfinished output has "
             "names that end in .partial\n",
             place.path);
    assert_string_equal(found, expected);
}

/* Memory that cannot be read ends the writer at its second piece. */
static void die_while_writing(const Place *place)
{
    const struct rlimit no_core = {0, 0};
    void *forbidden = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const SinoOperatorPiece piece[] = {{.memory = content, .bytes = PAGE}, {.memory = forbidden, .bytes = PAGE}};
    setrlimit(RLIMIT_CORE, &no_core);
    signal(SIGSEGV, SIG_DFL);
    (void)!sino_operator_file_write(place->path, &place->key, 2, piece);
    _exit(0);
}

static void killed_while_writing(void **state)
{
    const Place place = place_of(*state, "a key");
    int result;
    SinoOperatorFile *file = (SinoOperatorFile *)content;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) die_while_writing(&place);
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_true(WIFSIGNALED(result));
    assert_int_equal(WTERMSIG(result), SIGSEGV);
    assert_true(partial_exists(&place));
    assert_false(exists(place.path));
    assert_success(sino_operator_file_open(place.path, &place.key, &file));
    assert_null(file);
    assert_success(write_pieces(&place));
    assert_whole(&place);
    assert_false(partial_exists(&place));
}

/* The second writer is told so; what the first one writes is whole. */
static void written_by_another_run(void **state)
{
    const Place place = place_of(*state, "a key");
    SinoOutputFile *first;
    assert_success(sino_output_open(place.path, true, &first));
    assert_error(write_pieces(&place), SINO_BAD_INPUT, " is being written by another run");
    sino_output_discard(first);
    assert_success(write_pieces(&place));
    assert_whole(&place);
}

static void write_often(const Place *place)
{
    for (int i = 0; i < 20; i++) {
        SinoStatus status = write_pieces(place);
        if (status && !strstr(sino_status_text(status), " is being written by another run")) _exit(1);
        sino_status_free(status);
    }
    _exit(0);
}

static void readers_and_writers(void **state)
{
    const Place place = written(*state);
    int result, alive = 3;
    for (int i = 0; i < alive; i++) {
        const pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) write_often(&place);
    }
    while (alive > 0) {
        assert_whole(&place);
        if (waitpid(-1, &result, WNOHANG) <= 0) continue;
        assert_true(WIFEXITED(result) && WEXITSTATUS(result) == 0);
        alive--;
    }
    assert_whole(&place);
    assert_false(partial_exists(&place));
}

static void no_room(void **state)
{
    const Place place = place_of(*state, "a key");
    testing_limit_file_size(FILE_BYTES - 1);
    SinoStatus status = write_pieces(&place);
    testing_limit_file_size(RLIM_INFINITY);
    assert_error(status, SINO_FAILED, ".sinodag: no room for 20.0 KiB: File too large");
    assert_false(exists(place.path));
    assert_false(partial_exists(&place));
}

static void mount_or_skip(const char *directory, unsigned long flags, const char *options)
{
    if (mount("none", directory, "tmpfs", flags, options) == 0) return;
    print_message("skipped: no file system can be mounted here\n");
    skip();
}

static void full_disk(void **state)
{
    const Place place = place_of(*state, "a key");
    mount_or_skip(*state, 0, "size=16k");
    SinoStatus status = write_pieces(&place);
    const bool left = exists(place.path) || partial_exists(&place);
    assert_int_equal(umount(*state), 0);
    assert_error(status, SINO_FAILED, ".sinodag: no room for 20.0 KiB: No space left on device");
    assert_false(left);
}

static void directory_is_made(void **state)
{
    char path[TESTING_PATH];
    testing_path(path, *state, "new");
    assert_success(sino_operator_file_check(path));
    assert_false(exists(path));
    const Place place = written(path);
    assert_whole(&place);
    assert_success(sino_operator_file_check(path));
    assert_success(sino_operator_file_check(testing_path(path, *state, "other/")));
}

static void assert_check_refuses(const char *path, const char *which)
{
    char expected[2 * TESTING_PATH];
    snprintf(expected, sizeof expected, "--operator-cache | '%s' | %s | can be written", path, which);
    assert_error(sino_operator_file_check(path), SINO_BAD_INPUT, expected);
}

static void directories_that_cannot_be(void **state)
{
    char path[TESTING_PATH];
    const int descriptor = creat(testing_path(path, *state, "file"), 0600);
    assert_true(descriptor >= 0 && close(descriptor) == 0);
    assert_check_refuses(path, "cannot be used: Not a directory");
    assert_check_refuses(testing_path(path, *state, "file/new"), "cannot be made: Not a directory");
    assert_check_refuses(testing_path(path, *state, "new/newer"), "cannot be made: No such file or directory");
    const Place place = place_of(path, "a key");
    assert_error(write_pieces(&place), SINO_BAD_INPUT, "new/newer: No such file or directory");
}

static void read_only_directory(void **state)
{
    char path[TESTING_PATH];
    mount_or_skip(*state, MS_RDONLY, NULL);
    SinoStatus itself = sino_operator_file_check(*state);
    SinoStatus inside = sino_operator_file_check(testing_path(path, *state, "new"));
    assert_int_equal(umount(*state), 0);
    assert_error(itself, SINO_BAD_INPUT, "which cannot be used: Read-only file system");
    assert_error(inside, SINO_BAD_INPUT, "which cannot be made: Read-only file system");
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, testing_directory_make, testing_directory_remove)

TESTING_SUBJECT(operator_file)
{
    const struct CMUnitTest tests[] = {
        TEST(what_is_written_is_read),
        TEST(nothing_in_it),
        TEST(no_file),
        TEST(names_of_keys),
        TEST(truncated_anywhere),
        TEST(flipped_bytes),
        TEST(other_formats),
        TEST(another_key),
        TEST(sizes_that_do_not_fit),
        TEST(things_that_are_no_file),
        TEST(files_of_others_are_refused),
        TEST(directories_of_others_are_refused),
        TEST(cut_while_mapped),
        TEST(replaced_while_mapped),
        TEST(damaged_is_replaced),
        TEST(killed_while_writing),
        TEST(written_by_another_run),
        TEST(readers_and_writers),
        TEST(no_room),
        TEST(full_disk),
        TEST(directory_is_made),
        TEST(directories_that_cannot_be),
        TEST(read_only_directory),
    };
    return cmocka_run_group_tests(tests, make_content, NULL);
}
