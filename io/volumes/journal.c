/* SPDX-License-Identifier: BSD-3-Clause */
/* Journal: format, reading, appending. */
#include "journal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <xxhash.h>

#include "memory.h"
#include "numbers.h"

/* The version counts changes of the format. Read with the other byte order it has another value. */
enum { FORMAT_VERSION = 2, LOCK_ATTEMPTS = 40 };

/* A journal of 10⁶ slices with 1000 residuals each has 8 GB; a larger file is none. */
static const int64_t bytes_max = (int64_t)1 << 36;

static const char magic[8] = "sinodagJ";

typedef struct Header {
    char magic[8];
    int64_t version, text_bytes;
} Header;

/* The numbers at the beginning of an entry; residuals, repair counts, clipped voxels, the tally and a checksum of all
 * of them follow. */
typedef struct EntryHead {
    int64_t first_slice, slice_count, columns, keeper, tally_count;
    uint64_t checksum;
} EntryHead;

_Static_assert(sizeof(Header) == 24 && sizeof(EntryHead) == 48, "the file's format has no padding");

struct SinoJournal {
    char *path, *identity;
    int descriptor;
    int64_t end; /* where the next entry begins */
    int error_number;
    int64_t count, room;
    SinoJournalEntry *entry; /* [room]; the arrays point into `bytes` */
    char *bytes;             /* what was read */
};

uint64_t sino_journal_checksum(int64_t count, const float *voxels)
{
    return XXH3_64bits(voxels, (size_t)count * sizeof *voxels);
}

static uint64_t digest(const void *bytes, int64_t count)
{
    return XXH3_64bits(bytes, (size_t)count);
}

static SinoStatus cannot(const char *path, const char *what, int error_number)
{
    return sino_error(SINO_FAILED, "%s: %s failed: %s", path, what, strerror(error_number));
}

/* Locks the file. A run that has just been killed keeps its lock until the system has taken back its memory, so a lock
 * that is taken is tried again for a while. False: another run has the lock. */
static bool lock(int descriptor)
{
    const struct timespec pause = {.tv_nsec = 50000000};
    for (int i = 0; i < LOCK_ATTEMPTS; i++) {
        /* Some network file systems have no locks; the lock is skipped there. */
        if (flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return true;
        nanosleep(&pause, NULL);
    }
    return false;
}

/* Opens and locks the file. */
static SinoStatus open_file(const char *path, int flags, int *descriptor)
{
    struct stat about;
    const int opened = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | flags, 0666);
    if (opened < 0) return cannot(path, "opening", errno);
    const bool taken = !lock(opened);
    const bool ours = fstat(opened, &about) == 0 && S_ISREG(about.st_mode) && about.st_nlink <= 1;
    if (!taken && ours) {
        *descriptor = opened;
        return NULL;
    }
    close(opened);
    if (taken) return sino_error(SINO_BAD_INPUT, "%s is being written by another run", path);
    return sino_error(SINO_BAD_INPUT, "%s is not a regular file with this one name; remove it", path);
}

static SinoStatus new_journal(const char *path, SinoJournal **result)
{
    SinoJournal *journal;
    SINO_TRY(sino_allocate(1, sizeof *journal, "a journal", &journal));
    journal->descriptor = -1;
    journal->path = strdup(path);
    if (!journal->path) {
        free(journal);
        return sino_error(SINO_FAILED, "no memory for a file name");
    }
    *result = journal;
    return NULL;
}

/* False, and errno, if not all bytes could be written. */
static bool write_all(int descriptor, int64_t offset, const void *bytes, int64_t count)
{
    const char *rest = bytes;
    while (count > 0) {
        const ssize_t written = pwrite(descriptor, rest, (size_t)count, offset);
        if (written < 0 && errno == EINTR) continue;
        if (written == 0) errno = EIO;
        if (written <= 0) return false;
        rest += written;
        offset += written;
        count -= written;
    }
    return true;
}

static bool read_all(int descriptor, void *bytes, int64_t count)
{
    char *rest = bytes;
    for (int64_t offset = 0; offset < count;) {
        const ssize_t got = pread(descriptor, rest + offset, (size_t)(count - offset), offset);
        if (got < 0 && errno == EINTR) continue;
        if (got == 0) errno = EIO;
        if (got <= 0) return false;
        offset += got;
    }
    return true;
}

static SinoStatus write_identity(SinoJournal *journal, const char *identity)
{
    const int64_t length = (int64_t)strlen(identity);
    /* Whole numbers of 8 bytes, so that the numbers of entries are aligned. */
    Header header = {.version = FORMAT_VERSION, .text_bytes = sino_ceil_multiple(length + 1, 8)};
    const int64_t count = (int64_t)sizeof header + header.text_bytes;
    char *bytes;
    memcpy(header.magic, magic, sizeof magic);
    SINO_TRY(sino_allocate(count + (int64_t)sizeof(uint64_t), 1, "a journal", &bytes));
    memcpy(bytes, &header, sizeof header);
    memcpy(bytes + sizeof header, identity, (size_t)length); /* zeros follow */
    const uint64_t checksum = digest(bytes, count);
    memcpy(bytes + count, &checksum, sizeof checksum);
    journal->end = count + (int64_t)sizeof checksum;
    const bool written =
        ftruncate(journal->descriptor, 0) == 0 && write_all(journal->descriptor, 0, bytes, journal->end);
    free(bytes);
    return written ? NULL : cannot(journal->path, "writing", errno);
}

SinoStatus sino_journal_create(const char *path, const char *identity, SinoJournal **created)
{
    SinoJournal *journal;
    SinoStatus status = NULL;
    SINO_TRY(new_journal(path, &journal));
    SINO_TRY_OR(status, fail, open_file(path, O_CREAT, &journal->descriptor));
    status = write_identity(journal, identity);
    if (status) {
        sino_journal_remove(journal);
        return status;
    }
    *created = journal;
    return NULL;
fail:
    sino_journal_close(journal);
    return status;
}

/* Whether the checksum behind `count` bytes, which exist, is theirs. */
static bool is_whole(const char *bytes, int64_t count)
{
    uint64_t checksum;
    memcpy(&checksum, bytes + count, sizeof checksum);
    return checksum == digest(bytes, count);
}

/* Takes the identity; false: there is no whole one. */
static bool take_identity(SinoJournal *journal, int64_t byte_count)
{
    Header header;
    const int64_t rest = byte_count - (int64_t)(sizeof header + sizeof(uint64_t));
    if (rest < 1) return false;
    memcpy(&header, journal->bytes, sizeof header);
    if (memcmp(header.magic, magic, sizeof magic) != 0 || header.version != FORMAT_VERSION || header.text_bytes < 8 ||
        header.text_bytes % 8 != 0 || header.text_bytes > rest)
        return false;
    const int64_t count = (int64_t)sizeof header + header.text_bytes;
    if (!is_whole(journal->bytes, count) || journal->bytes[count - 1] != '\0') return false;
    journal->identity = journal->bytes + sizeof header;
    journal->end = count + (int64_t)sizeof(uint64_t);
    return true;
}

/* The bytes of an entry without its checksum; −1: more than `most`, or no entry. */
static int64_t entry_bytes(const EntryHead *head, int64_t most)
{
    int64_t numbers;
    if (head->first_slice < 0 || head->slice_count < 1 || head->columns < 0 || head->tally_count < 0) return -1;
    if (head->columns > most || __builtin_mul_overflow(head->slice_count, head->columns + 1 + SINO_CLIPPED, &numbers) ||
        __builtin_add_overflow(numbers, head->tally_count, &numbers) || numbers > (most - (int64_t)sizeof *head) / 8)
        return -1;
    return (int64_t)sizeof *head + 8 * numbers;
}

static SinoStatus add_entry(SinoJournal *journal, const EntryHead *head)
{
    if (journal->count == journal->room) {
        const int64_t room = 2 * journal->room + 16;
        SinoJournalEntry *grown = realloc(journal->entry, (size_t)room * sizeof *grown);
        SINO_CHECK(grown, SINO_FAILED, "no memory for a journal of %" PRId64 " entries", room);
        journal->entry = grown;
        journal->room = room;
    }
    char *arrays = journal->bytes + journal->end + sizeof *head;
    double *residuals = (double *)(void *)arrays;
    int64_t *repaired = (int64_t *)(void *)(residuals + sino_times(head->slice_count, head->columns));
    journal->entry[journal->count++] = (SinoJournalEntry){.first_slice = head->first_slice,
                                                          .slice_count = head->slice_count,
                                                          .columns = head->columns,
                                                          .keeper = head->keeper,
                                                          .checksum = head->checksum,
                                                          .residuals = residuals,
                                                          .repaired = repaired,
                                                          .clipped = repaired + head->slice_count,
                                                          .tally_count = head->tally_count,
                                                          .tally = repaired + (1 + SINO_CLIPPED) * head->slice_count};
    return NULL;
}

/* Takes the entries up to the first one that is not whole. */
static SinoStatus take_entries(SinoJournal *journal, int64_t byte_count)
{
    for (;;) {
        EntryHead head;
        const int64_t rest = byte_count - journal->end - (int64_t)sizeof(uint64_t);
        if (rest < (int64_t)sizeof head) return NULL;
        memcpy(&head, journal->bytes + journal->end, sizeof head);
        const int64_t bytes = entry_bytes(&head, rest);
        if (bytes < 0 || !is_whole(journal->bytes + journal->end, bytes)) return NULL;
        SINO_TRY(add_entry(journal, &head));
        journal->end += bytes + (int64_t)sizeof(uint64_t);
    }
}

/* *whole: the file has a whole identity. */
static SinoStatus read_file(SinoJournal *journal, bool *whole)
{
    struct stat about;
    *whole = false;
    if (fstat(journal->descriptor, &about) != 0) return cannot(journal->path, "reading", errno);
    if (about.st_size > bytes_max) return NULL;
    SINO_TRY(sino_allocate(about.st_size + 1, 1, "a journal", &journal->bytes));
    if (!read_all(journal->descriptor, journal->bytes, about.st_size)) return cannot(journal->path, "reading", errno);
    *whole = take_identity(journal, about.st_size);
    if (!*whole) return NULL;
    SINO_TRY(take_entries(journal, about.st_size));
    if (journal->end == about.st_size) return NULL; /* which leaves the time of the last entry */
    if (ftruncate(journal->descriptor, journal->end) != 0) return cannot(journal->path, "writing", errno);
    return NULL;
}

SinoStatus sino_journal_open(const char *path, SinoJournal **opened)
{
    SinoJournal *journal;
    SinoStatus status = NULL;
    bool whole = false;
    *opened = NULL;
    if (access(path, F_OK) != 0 && errno == ENOENT) return NULL;
    SINO_TRY(new_journal(path, &journal));
    SINO_TRY_OR(status, end, open_file(path, 0, &journal->descriptor));
    SINO_TRY_OR(status, end, read_file(journal, &whole));
    if (whole) {
        *opened = journal;
        return NULL;
    }
end:
    sino_journal_close(journal);
    return status;
}

const char *sino_journal_identity(const SinoJournal *journal)
{
    return journal->identity;
}

int64_t sino_journal_count(const SinoJournal *journal)
{
    return journal->count;
}

const SinoJournalEntry *sino_journal_entry(const SinoJournal *journal, int64_t index)
{
    return &journal->entry[index];
}

void sino_journal_append(SinoJournal *journal, const SinoJournalEntry *entry)
{
    const EntryHead head = {.first_slice = entry->first_slice,
                            .slice_count = entry->slice_count,
                            .columns = entry->columns,
                            .keeper = entry->keeper,
                            .tally_count = entry->tally_count,
                            .checksum = entry->checksum};
    const size_t residuals = (size_t)sino_times(entry->slice_count, entry->columns) * sizeof *entry->residuals;
    const size_t repaired = (size_t)entry->slice_count * sizeof *entry->repaired;
    const size_t clipped = SINO_CLIPPED * repaired, tally = (size_t)entry->tally_count * sizeof *entry->tally;
    const int64_t count = (int64_t)(sizeof head + residuals + repaired + clipped + tally);
    if (journal->error_number) return;
    char *bytes = malloc((size_t)count + sizeof(uint64_t));
    if (!bytes) {
        journal->error_number = ENOMEM;
        return;
    }
    memcpy(bytes, &head, sizeof head);
    if (residuals > 0) memcpy(bytes + sizeof head, entry->residuals, residuals);
    memcpy(bytes + sizeof head + residuals, entry->repaired, repaired);
    if (entry->clipped)
        memcpy(bytes + sizeof head + residuals + repaired, entry->clipped, clipped);
    else
        memset(bytes + sizeof head + residuals + repaired, 0, clipped);
    if (tally > 0) memcpy(bytes + sizeof head + residuals + repaired + clipped, entry->tally, tally);
    const uint64_t checksum = digest(bytes, count);
    memcpy(bytes + count, &checksum, sizeof checksum);
    if (write_all(journal->descriptor, journal->end, bytes, count + (int64_t)sizeof checksum))
        journal->end += count + (int64_t)sizeof checksum;
    else
        journal->error_number = errno;
    free(bytes);
}

SinoStatus sino_journal_status(const SinoJournal *journal)
{
    return journal->error_number ? cannot(journal->path, "writing", journal->error_number) : NULL;
}

void sino_journal_close(SinoJournal *journal)
{
    if (!journal) return;
    if (journal->descriptor >= 0) close(journal->descriptor); /* an entry that is lost here fails its checksum */
    free(journal->path);
    free(journal->entry);
    free(journal->bytes);
    free(journal);
}

void sino_journal_unlink(const SinoJournal *journal)
{
    unlink(journal->path);
}

void sino_journal_remove(SinoJournal *journal)
{
    if (!journal) return;
    sino_journal_unlink(journal);
    sino_journal_close(journal);
}
