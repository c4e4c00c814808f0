/* SPDX-License-Identifier: BSD-3-Clause */
/* Journal: what was appended is read; whatever is cut off or changed, no entry is read that was not written. */
#include "journal.h"
#include "testing.h"

#include <sys/stat.h>

enum { ENTRIES = 3, SLICES = 2, COLUMNS = 4, TALLY = 5 };

static const char identity[] = "version: 1\niterations: 3\n";

typedef struct Content {
    double residuals[SLICES * COLUMNS];
    int64_t repaired[SLICES];
    int64_t tally[TALLY];
} Content;

/* Entry e: slices 2e and 2e + 1; the second entry is of a rank that stored nothing. */
static SinoJournalEntry entry_of(int e, Content *content)
{
    for (int i = 0; i < SLICES * COLUMNS; i++) content->residuals[i] = 100 * e + i;
    for (int i = 0; i < SLICES; i++) content->repaired[i] = 10 * e + i;
    for (int i = 0; i < TALLY; i++) content->tally[i] = 7 * e + i;
    return (SinoJournalEntry){.first_slice = SLICES * e,
                              .slice_count = SLICES,
                              .columns = e == 1 ? 0 : COLUMNS,
                              .keeper = e != 1,
                              .checksum = (uint64_t)e * 12345,
                              .residuals = content->residuals,
                              .repaired = content->repaired,
                              .tally_count = TALLY,
                              .tally = content->tally};
}

static void append(SinoJournal *journal, int e)
{
    Content content;
    const SinoJournalEntry entry = entry_of(e, &content);
    sino_journal_append(journal, &entry);
    assert_success(sino_journal_status(journal));
}

static void make(const char *path, int entries)
{
    SinoJournal *journal;
    assert_success(sino_journal_create(path, identity, &journal));
    for (int e = 0; e < entries; e++) append(journal, e);
    sino_journal_close(journal);
}

static void assert_entries(const SinoJournal *journal, int64_t count)
{
    assert_string_equal(sino_journal_identity(journal), identity);
    assert_int_equal(sino_journal_count(journal), count);
    for (int e = 0; e < count; e++) {
        Content content;
        const SinoJournalEntry *found = sino_journal_entry(journal, e), expected = entry_of(e, &content);
        assert_int_equal(found->first_slice, expected.first_slice);
        assert_int_equal(found->slice_count, expected.slice_count);
        assert_int_equal(found->columns, expected.columns);
        assert_int_equal(found->keeper, expected.keeper);
        assert_int_equal(found->checksum, expected.checksum);
        assert_memory_equal(found->residuals, expected.residuals, (size_t)(SLICES * expected.columns) * sizeof(double));
        assert_memory_equal(found->repaired, expected.repaired, sizeof content.repaired);
        assert_int_equal(found->tally_count, TALLY);
        assert_memory_equal(found->tally, expected.tally, sizeof content.tally);
    }
}

static SinoJournal *opened(const char *path)
{
    SinoJournal *journal;
    assert_success(sino_journal_open(path, &journal));
    return journal;
}

static void entries_come_back(void **state)
{
    char path[TESTING_PATH];
    testing_path(path, *state, "journal");
    assert_null(opened(path));
    make(path, ENTRIES - 1);
    SinoJournal *journal = opened(path);
    assert_entries(journal, ENTRIES - 1);
    append(journal, ENTRIES - 1);
    sino_journal_close(journal);
    journal = opened(path);
    assert_entries(journal, ENTRIES);
    sino_journal_remove(journal);
    assert_null(opened(path));
}

/* The bytes of the file; caller frees. */
static unsigned char *read_bytes(const char *path, size_t *size)
{
    struct stat about;
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fstat(fileno(file), &about), 0);
    *size = (size_t)about.st_size;
    unsigned char *bytes = malloc(*size);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    fclose(file);
    return bytes;
}

/* As a killed run, or a full disk, leaves it. */
static void a_cut_journal_ends_with_its_last_whole_entry(void **state)
{
    char path[TESTING_PATH];
    size_t size[ENTRIES + 1];
    unsigned char *bytes = NULL;
    testing_path(path, *state, "journal");
    for (int e = 0; e <= ENTRIES; e++) {
        free(bytes);
        make(path, e);
        bytes = read_bytes(path, &size[e]);
    }
    for (size_t cut = 0; cut < size[ENTRIES]; cut++) {
        int whole = -1;
        while (whole < ENTRIES && size[whole + 1] <= cut) whole++;
        testing_write_bytes(path, bytes, cut);
        SinoJournal *journal = opened(path);
        if (whole < 0) {
            assert_null(journal);
            continue;
        }
        assert_entries(journal, whole);
        for (int e = whole; e < ENTRIES; e++) append(journal, e); /* in place of the cut one */
        sino_journal_close(journal);
        journal = opened(path);
        assert_entries(journal, ENTRIES);
        sino_journal_close(journal);
    }
    free(bytes);
}

static void a_changed_byte_ends_the_journal(void **state)
{
    char path[TESTING_PATH];
    size_t size;
    testing_path(path, *state, "journal");
    make(path, ENTRIES);
    unsigned char *bytes = read_bytes(path, &size);
    for (size_t i = 0; i < size; i++) {
        bytes[i] ^= (unsigned char)(1u << i % 8);
        testing_write_bytes(path, bytes, size);
        bytes[i] ^= (unsigned char)(1u << i % 8);
        SinoJournal *journal = opened(path);
        if (!journal) continue;
        assert_true(sino_journal_count(journal) < ENTRIES);
        assert_entries(journal, sino_journal_count(journal));
        sino_journal_close(journal);
    }
    free(bytes);
}

static void what_is_not_ours_stays(void **state)
{
    char path[TESTING_PATH], other[TESTING_PATH];
    SinoJournal *journal, *second;
    testing_path(path, *state, "journal");
    testing_path(other, *state, "other");
    make(other, 1);
    assert_int_equal(link(other, path), 0);
    assert_error(sino_journal_create(path, identity, &journal), SINO_BAD_INPUT, "not a regular file");
    assert_int_equal(unlink(path), 0);
    assert_int_equal(symlink(other, path), 0);
    assert_error(sino_journal_create(path, identity, &journal), SINO_FAILED, "opening failed");
    journal = opened(other);
    assert_entries(journal, 1);
    assert_error(sino_journal_create(other, identity, &second), SINO_BAD_INPUT, "is being written by another run");
    assert_error(sino_journal_open(other, &second), SINO_BAD_INPUT, "is being written by another run");
    sino_journal_close(journal);
}

static void a_full_disk_is_told_later(void **state)
{
    struct rlimit before, small;
    char path[TESTING_PATH];
    SinoJournal *journal;
    Content content;
    const SinoJournalEntry entry = entry_of(0, &content);
    signal(SIGXFSZ, SIG_IGN);
    assert_success(sino_journal_create(testing_path(path, *state, "journal"), identity, &journal));
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = (struct rlimit){.rlim_cur = 100, .rlim_max = before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    sino_journal_append(journal, &entry);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_error(sino_journal_status(journal), SINO_FAILED, "writing failed: File too large");
    sino_journal_append(journal, &entry); /* behind a part of the first one, it would be lost */
    sino_journal_close(journal);
    journal = opened(path);
    assert_entries(journal, 0);
    sino_journal_close(journal);
}

TESTING_SUBJECT(journal)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(entries_come_back, testing_directory_make, testing_directory_remove),
        cmocka_unit_test_setup_teardown(a_cut_journal_ends_with_its_last_whole_entry, testing_directory_make,
                                        testing_directory_remove),
        cmocka_unit_test_setup_teardown(a_changed_byte_ends_the_journal, testing_directory_make,
                                        testing_directory_remove),
        cmocka_unit_test_setup_teardown(what_is_not_ours_stays, testing_directory_make, testing_directory_remove),
        cmocka_unit_test_setup_teardown(a_full_disk_is_told_later, testing_directory_make, testing_directory_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
