/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzzing: the journal of an unfinished run, with checksums that are right, so that what they protect is reached. The
 * input is the file, whose last byte chooses whether they are put right. What is read must be what is read again after
 * one more entry has been appended. */
#include "fuzz.h"
#include "journal.h"

#include <fcntl.h>

#include <xxhash.h>

/* Bytes of the numbers at the beginning of the file and of an entry, and of a checksum. */
enum { HEADER = 24, ENTRY = 48, SUM = 8 };

static char path[64];

static void remove_file(void)
{
    unlink(path);
}

/* A new file with these contents; journals are not opened through links. */
static void write_file(const void *data, size_t size)
{
    if (!path[0]) {
        snprintf(path, sizeof path, "/dev/shm/fuzz-journal-%ld", (long)getpid());
        fuzz_require(atexit(remove_file) == 0);
    }
    const int descriptor = open(path, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
    fuzz_require(descriptor >= 0 && write(descriptor, data, size) == (ssize_t)size && close(descriptor) == 0);
}

/* Writes the checksum of [begin, end) behind it; 0: there is no room, else the end. */
static size_t put_sum(uint8_t *file, size_t size, size_t begin, size_t end)
{
    if (end < begin || size < SUM || end > size - SUM) return 0;
    const uint64_t sum = XXH3_64bits(file + begin, end - begin);
    memcpy(file + end, &sum, sizeof sum);
    return end + SUM;
}

static void put_right(uint8_t *file, size_t size)
{
    int64_t text, head[ENTRY / 8];
    memcpy(&text, file + 16, sizeof text);
    if (text < 0 || text > (int64_t)size) return;
    size_t at = put_sum(file, size, 0, HEADER + (size_t)text);
    while (at > 0 && size - at >= ENTRY) {
        int64_t numbers;
        memcpy(head, file + at, sizeof head);
        if (__builtin_add_overflow(head[2], 1, &numbers) || __builtin_mul_overflow(numbers, head[1], &numbers) ||
            __builtin_add_overflow(numbers, head[4], &numbers) || numbers < 0 || numbers > (int64_t)size)
            return;
        at = put_sum(file, size, at, at + ENTRY + (size_t)numbers * 8);
    }
}

/* A sum that every number of the journal enters. */
static uint64_t read_all(const SinoJournal *journal)
{
    uint64_t sum = strlen(sino_journal_identity(journal));
    for (int64_t e = 0; e < sino_journal_count(journal); e++) {
        const SinoJournalEntry *entry = sino_journal_entry(journal, e);
        sum += (uint64_t)entry->first_slice + entry->checksum;
        for (int64_t i = 0; i < entry->slice_count * entry->columns; i++) {
            uint64_t bits;
            memcpy(&bits, entry->residuals + i, sizeof bits);
            sum += bits;
        }
        for (int64_t i = 0; i < entry->slice_count; i++) sum += (uint64_t)entry->repaired[i];
        for (int64_t i = 0; i < entry->tally_count; i++) sum += (uint64_t)entry->tally[i];
    }
    return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < HEADER) return 0;
    int64_t numbers[] = {1, 2};
    double residual = 0;
    const SinoJournalEntry more = {.slice_count = 2, .repaired = numbers, .residuals = &residual};
    SinoJournal *journal = NULL;
    uint8_t *copy = malloc(size);
    fuzz_require(copy != NULL);
    memcpy(copy, data, size);
    if (data[size - 1] & 1) put_right(copy, size);
    write_file(copy, size);
    free(copy);
    SinoStatus status = sino_journal_open(path, &journal);
    if (journal) {
        const int64_t count = sino_journal_count(journal);
        const uint64_t sum = read_all(journal);
        sino_journal_append(journal, &more);
        sino_journal_close(journal);
        fuzz_require(!sino_journal_open(path, &journal) && journal);
        fuzz_require(sino_journal_count(journal) == count + 1 && read_all(journal) == sum + 3);
    }
    sino_journal_close(journal);
    sino_status_free(status);
    return 0;
}
