/* SPDX-License-Identifier: BSD-3-Clause */
/* Events in records of a fixed size, as list-mode files have them. Text after the name of the file describes a record:
 *
 *     skip 32, u8 ring_a, u8 ring_b, u16 det_a, u16 det_b, u8 zero, u8 mark
 *
 * An item is a type, u8, u16, u32 or u64, and a name; the lowest byte comes first. The numbers of an event are `row`;
 * or the crystals `a` and `b`; or, if the matrix knows its rings, `ring_a`, `det_a`, `ring_b` and `det_b`. A record
 * whose `mark` is not 0 is no event, and is left out; `zero` has to be 0. Other names are passed over. `skip` and a
 * number, which come first, are the bytes before the records.
 *
 * The list mode of SAFIR ("MUPET CListModeData") has the records above: `zero` are the layers of both crystals; `mark`
 * has bit 7 in records of the time, bit 6 in random coincidences. */
#include "counts_source.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files.h"
#include "memory.h"
#include "numbers.h"

static const char safir_magic[] = "MUPET CListModeData";
static const char safir_records[] = "skip 32, u8 ring_a, u8 ring_b, u16 det_a, u16 det_b, u8 zero, u8 mark";

enum { ROW, A, B, RING_A, DET_A, RING_B, DET_B, ZERO, MARK, NAMES };
enum { PIECE_BYTES = 1 << 18, RECORD_BYTES_MAX = 4096, SKIP_MAX = 1 << 30 };

static const char *const names[NAMES] = {"row", "a", "b", "ring_a", "det_a", "ring_b", "det_b", "zero", "mark"};

typedef struct Field {
    int64_t offset; /* in the record */
    int bytes;      /* 0: the record lacks it */
} Field;

typedef struct Records {
    int descriptor;
    int64_t skip, record_bytes, record_count;
    Field field[NAMES];
} Records;

/* What records become. */
typedef struct Reading {
    const SinoCountsFile *file;
    SinoEventCounter counter;
    int64_t event_count, other_count, refused_count;
    SinoStatus first; /* refusal; owned */
} Reading;

static bool probe_safir(const SinoCountsFile *file)
{
    char head[sizeof safir_magic] = "";
    return sino_regular_head(file->path, sizeof head, head) == (int64_t)sizeof head &&
           memcmp(head, safir_magic, sizeof head) == 0;
}

/* Texts that describe records have a blank, other texts after a name have none. */
static bool probe_records(const SinoCountsFile *file)
{
    return file->inner && strchr(file->inner, ' ');
}

/* ---- the description ---- */

static SinoStatus refuse_item(const SinoCountsFile *file, const char *item)
{
    return sino_error(
        SINO_BAD_INPUT,
        "%s: '%.60s' describes its records; allowed: u8, u16, u32 or u64 and a name, each once, separated "
        "by commas, such as 'u32 a, u32 b'; 'skip BYTES' before them",
        file->path, item);
}

static int find_name(const char *text, size_t length)
{
    int i = 0;
    while (i < NAMES && (strlen(names[i]) != length || strncmp(names[i], text, length) != 0)) i++;
    return i;
}

/* Takes "TYPE NAME" or "skip BYTES" at `item`; *end: what follows. */
static SinoStatus take_item(const SinoCountsFile *file, const char *item, const char **end, Records *records)
{
    static const struct {
        const char *name;
        int bytes;
    } types[] = {{"u8 ", 1}, {"u16 ", 2}, {"u32 ", 4}, {"u64 ", 8}};
    const bool first = records->record_bytes == 0 && records->skip == 0;
    if (first && strncmp(item, "skip ", 5) == 0) {
        *end = sino_text_integer(item + 5, &records->skip);
        return *end && records->skip >= 1 && records->skip <= SKIP_MAX ? NULL : refuse_item(file, item);
    }
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (strncmp(item, types[i].name, strlen(types[i].name)) != 0) continue;
        const char *name = item + strlen(types[i].name);
        const size_t length = strcspn(name, " ,");
        const int which = find_name(name, length);
        if (length == 0 || (which < NAMES && records->field[which].bytes > 0)) break;
        if (which < NAMES) records->field[which] = (Field){records->record_bytes, types[i].bytes};
        records->record_bytes += types[i].bytes;
        *end = name + length;
        return records->record_bytes <= RECORD_BYTES_MAX ? NULL : refuse_item(file, item);
    }
    return refuse_item(file, item);
}

static SinoStatus describe(const SinoCountsFile *file, const char *text, Records *records)
{
    const char *at = text;
    for (;;) {
        at += strspn(at, " ");
        SINO_TRY(take_item(file, at, &at, records));
        at += strspn(at, " ");
        if (*at == '\0') break;
        if (*at++ != ',') return refuse_item(file, at - 1);
    }
    const Field *field = records->field;
    bool has[NAMES];
    for (int i = 0; i < NAMES; i++) has[i] = field[i].bytes > 0;
    const int ring = has[RING_A] + has[DET_A] + has[RING_B] + has[DET_B], pair = has[A] + has[B];
    SINO_CHECK((has[ROW] && pair + ring == 0) || (pair == 2 && !has[ROW] && ring == 0) ||
                   (ring == 4 && !has[ROW] && pair == 0),
               SINO_BAD_INPUT,
               "%s: '%.60s' describes its records; allowed: row; or a and b; or ring_a, det_a, ring_b and det_b",
               file->path, text);
    SINO_CHECK(
        ring == 0 || file->request.rings.size > 0, SINO_BAD_INPUT,
        "%s has rings and detectors, and the matrix does not tell the rings of its crystals; allowed: with a map "
        "of crystals that has rings as --system-matrix",
        file->path);
    return NULL;
}

static void close_records(void *content)
{
    Records *records = content;
    if (records->descriptor >= 0) close(records->descriptor);
    free(records);
}

static SinoStatus open_records(SinoCountsFile *file)
{
    Records *records;
    int64_t bytes;
    SINO_CHECK(file->request.events != SINO_EVENTS_REFUSED, SINO_BAD_INPUT,
               "%s has records of events; allowed: a NumPy array, HDF5, Interfile, or raw int32 or float32",
               file->path);
    SINO_TRY(sino_allocate(1, sizeof *records, "a file", &records));
    records->descriptor = -1;
    file->content = records;
    SINO_TRY(describe(file, file->format == &sino_counts_safir ? safir_records : file->inner, records));
    SINO_TRY(sino_regular_open(file->path, &records->descriptor, &bytes));
    const int64_t left = bytes - records->skip;
    SINO_CHECK(left > 0 && left % records->record_bytes == 0, SINO_BAD_INPUT,
               "%s has %" PRId64 " bytes; allowed: %" PRId64 " and a multiple of %" PRId64 ", the bytes of a record",
               file->path, bytes, records->skip, records->record_bytes);
    records->record_count = left / records->record_bytes;
    file->info.set_count = 1;
    file->info.events = true;
    file->info.stored_type = file->info.kind;
    return NULL;
}

/* ---- the records ---- */

/* The value of a field of a record; 0: the record lacks it. Values beyond 63 bits become negative, which no number of
 * an event is. */
static int64_t value_of(const unsigned char *record, const Field *field)
{
    uint64_t value = 0;
    for (int i = field->bytes; i-- > 0;) value = value << 8 | record[field->offset + i];
    return (int64_t)value;
}

static SinoStatus find_crystal(const SinoCountsFile *file, int64_t number, int64_t ring, int64_t detector,
                               int64_t *crystal)
{
    const SinoRings *rings = &file->request.rings;
    SINO_CHECK(ring >= rings->first && ring - rings->first < rings->count && detector >= 0 && detector < rings->size,
               SINO_BAD_INPUT,
               "%s: record %" PRId64 " has ring %" PRId64 ", detector %" PRId64 "; allowed: rings %" PRId64
               " to %" PRId64 ", detectors 0 to %" PRId64,
               file->path, number, ring, detector, rings->first, rings->first + rings->count - 1, rings->size - 1);
    *crystal = sino_times(ring - rings->first, rings->size) + detector;
    return NULL;
}

static SinoStatus take_event(Reading *reading, const Records *records, int64_t number, const unsigned char *record)
{
    const SinoCountsFile *file = reading->file;
    int64_t value[NAMES];
    for (int i = 0; i < NAMES; i++) value[i] = value_of(record, &records->field[i]);
    reading->other_count += value[MARK] != 0;
    if (value[MARK] != 0) return NULL;
    reading->event_count++;
    SINO_CHECK(value[ZERO] == 0, SINO_BAD_INPUT, "%s: record %" PRId64 " has %" PRId64 "%s; allowed: 0", file->path,
               number, value[ZERO],
               file->format == &sino_counts_safir ? " as the layers of its crystals" : ", described as zero");
    if (records->field[RING_A].bytes > 0) {
        SINO_TRY(find_crystal(file, number, value[RING_A], value[DET_A], &value[A]));
        SINO_TRY(find_crystal(file, number, value[RING_B], value[DET_B], &value[B]));
    }
    const bool row = records->field[ROW].bytes > 0;
    return sino_event_counter_add(&reading->counter, number, row ? 1 : 2, row ? &value[ROW] : &value[A]);
}

/* Keeps the first refusal, and counts all. */
static void take_record(Reading *reading, const Records *records, int64_t number, const unsigned char *record)
{
    SinoStatus status = take_event(reading, records, number, record);
    if (!status) return;
    reading->refused_count++;
    if (reading->first)
        sino_status_free(status);
    else
        reading->first = status;
}

static SinoStatus take_records(Reading *reading, const Records *records)
{
    const int64_t bytes = records->record_bytes, piece = PIECE_BYTES / bytes;
    unsigned char *memory;
    SINO_TRY(sino_allocate(piece, (size_t)bytes, "records", &memory));
    SinoStatus status = NULL;
    for (int64_t done = 0; done < records->record_count && !status; done += piece) {
        const int64_t count = sino_smaller(records->record_count - done, piece);
        status = sino_regular_read(reading->file->path, records->descriptor, records->skip + done * bytes,
                                   sino_times(count, bytes), memory);
        for (int64_t i = 0; i < count && !status; i++) take_record(reading, records, done + i, memory + i * bytes);
    }
    free(memory);
    return status;
}

static SinoStatus judge(const Reading *reading)
{
    SINO_CHECK(!reading->first, (SinoErrorKind)sino_status_exit_code(reading->first),
               "%s; %" PRId64 " of %" PRId64 " events are refused", sino_status_text(reading->first),
               reading->refused_count, reading->event_count);
    SINO_CHECK(reading->event_count > 0, SINO_BAD_INPUT,
               "%s has no events in %" PRId64 " records; allowed: one or more", reading->file->path,
               reading->other_count);
    return NULL;
}

static SinoStatus read_records(SinoCountsFile *file, int64_t first_set, int64_t set_count, float *values)
{
    Reading reading = {.file = file};
    (void)first_set;
    (void)set_count;
    SINO_TRY(sino_event_counter_new(&file->request, "record", &reading.counter));
    SinoStatus status = take_records(&reading, file->content);
    if (!status) status = judge(&reading);
    if (!status) sino_event_counter_take(&reading.counter, values);
    file->info.other_count = reading.other_count;
    sino_status_free(reading.first);
    sino_event_counter_free(&reading.counter);
    return status;
}

const SinoCountsFormat sino_counts_safir = {.name = "list mode of SAFIR",
                                            .probe = probe_safir,
                                            .open = open_records,
                                            .read = read_records,
                                            .close = close_records};

const SinoCountsFormat sino_counts_records = {.name = "records",
                                              .takes_inner = true,
                                              .probe = probe_records,
                                              .open = open_records,
                                              .read = read_records,
                                              .close = close_records};
