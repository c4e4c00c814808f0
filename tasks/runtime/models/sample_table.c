/* SPDX-License-Identifier: BSD-3-Clause */
/* Sample table: samples of bounded size, merging, text. */
#include "models.h"

#include "device.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- samples ---- */

static int by_time(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static void sort_times(SinoSampleEntry *entry)
{
    qsort(entry->us, (size_t)entry->time_count, sizeof *entry->us, by_time);
}

double sino_sample_quantile(const SinoSampleEntry *entry, double part)
{
    const double at = part * (entry->time_count - 1);
    const int i = (int)at;
    const double next = entry->us[i + 1 < entry->time_count ? i + 1 : i];
    return (double)entry->us[i] + (at - i) * (next - (double)entry->us[i]);
}

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* Vitter's algorithm R: the n-th time replaces one of k with the probability k/n. */
void sino_sample_add(SinoSampleEntry *entry, double work, double flops, double bytes, double us, uint64_t *random)
{
    entry->count++;
    entry->work += (work - entry->work) / entry->count;
    entry->flops += (flops - entry->flops) / entry->count;
    entry->bytes += (bytes - entry->bytes) / entry->count;
    if (entry->time_count < SINO_SAMPLE_TIMES) {
        entry->us[entry->time_count++] = (float)us;
        return;
    }
    const uint64_t place = next_random(random) % (uint64_t)entry->count;
    if (place < SINO_SAMPLE_TIMES) entry->us[place] = (float)us;
}

/* `wanted` of the times of an entry, spread evenly over them. */
static void pick(const SinoSampleEntry *from, int wanted, SinoSampleEntry *to)
{
    for (int i = 0; i < wanted; i++) to->us[to->time_count++] = from->us[(2 * i + 1) * from->time_count / (2 * wanted)];
}

static double mean_of(double a, double a_weight, double b, double b_weight)
{
    const double part = a_weight / (a_weight + b_weight);
    return b + part * (a - b);
}

/* Adds `other` to `entry`, whose times fill at most `own` places. The times of both are in order. */
static void join(SinoSampleEntry *entry, const SinoSampleEntry *other, int own)
{
    const SinoSampleEntry old = *entry;
    const int places = SINO_SAMPLE_TIMES;
    int of_old = old.time_count < own ? old.time_count : own;
    const int of_other = other->time_count < places - of_old ? other->time_count : places - of_old;
    if (of_old < places - of_other) of_old = old.time_count < places - of_other ? old.time_count : places - of_other;
    entry->time_count = 0;
    pick(&old, of_old, entry);
    pick(other, of_other, entry);
    sort_times(entry);
    entry->work = mean_of(old.work, old.count, other->work, other->count);
    entry->flops = mean_of(old.flops, old.count, other->flops, other->count);
    entry->bytes = mean_of(old.bytes, old.count, other->bytes, other->count);
    entry->count = old.count + other->count;
}

/* ---- tables ---- */

/* The bytes of a partition differ a little from those of the next. */
long sino_sample_step(double bytes)
{
    return lround(3.8 * log2(fmax(bytes, 1)));
}

int sino_sample_compare(const SinoSampleEntry *a, const SinoSampleEntry *b)
{
    const int order = strcmp(a->symbol, b->symbol);
    if (order != 0) return order;
    if (a->device != b->device) return a->device < b->device ? -1 : 1;
    if (a->footprint != b->footprint) return a->footprint < b->footprint ? -1 : 1;
    const long x = sino_sample_step(a->bytes), y = sino_sample_step(b->bytes);
    return (x > y) - (x < y);
}

/* Where the entry is, or belongs. */
static int64_t place_of(const SinoSampleTable *table, const SinoSampleEntry *entry, bool *there)
{
    int64_t low = 0, high = table->count;
    *there = false;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        const int order = sino_sample_compare(&table->entry[middle], entry);
        if (order == 0) {
            *there = true;
            return middle;
        }
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static SinoStatus insert(SinoSampleTable *table, int64_t place, const SinoSampleEntry *entry)
{
    if (table->count == table->capacity) {
        const int64_t capacity = 2 * table->capacity + 64;
        SinoSampleEntry *longer = realloc(table->entry, (size_t)capacity * sizeof *longer);
        SINO_CHECK(longer, SINO_FAILED, "no memory for times of tasks");
        table->entry = longer;
        table->capacity = capacity;
    }
    memmove(&table->entry[place + 1], &table->entry[place], (size_t)(table->count - place) * sizeof *entry);
    table->entry[place] = *entry;
    table->count++;
    return NULL;
}

static SinoStatus add(SinoSampleTable *table, const SinoSampleEntry *entry, bool newer)
{
    bool there;
    SinoSampleEntry sorted = *entry;
    sort_times(&sorted);
    const int64_t place = place_of(table, &sorted, &there);
    if (!there) return insert(table, place, &sorted);
    SinoSampleEntry *old = &table->entry[place];
    if (newer) old->count = fmin(old->count / 2, 2 * entry->count);
    const double part = newer ? 1.0 / 3 : old->count / (old->count + entry->count);
    join(old, &sorted, (int)lround(part * SINO_SAMPLE_TIMES));
    old->age = 0;
    return NULL;
}

SinoStatus sino_sample_table_add(SinoSampleTable *table, const SinoSampleEntry *entry)
{
    return add(table, entry, false);
}

static bool has_model(const SinoSampleTable *table, const SinoSampleEntry *like)
{
    for (int64_t i = 0; i < table->count; i++)
        if (table->entry[i].device == like->device && strcmp(table->entry[i].symbol, like->symbol) == 0) return true;
    return false;
}

static void forget(SinoSampleTable *kept, const SinoSampleTable *run)
{
    int64_t count = 0;
    for (int64_t i = 0; i < kept->count; i++)
        if (!has_model(run, &kept->entry[i])) kept->entry[count++] = kept->entry[i];
    kept->count = count;
}

/* Drops the oldest entries. */
static void shorten(SinoSampleTable *table)
{
    while (table->count > SINO_SAMPLE_ENTRIES) {
        int64_t oldest = 0, count = 0;
        for (int64_t i = 0; i < table->count; i++)
            if (table->entry[i].age > oldest) oldest = table->entry[i].age;
        int64_t drop = table->count - SINO_SAMPLE_ENTRIES;
        for (int64_t i = 0; i < table->count; i++) {
            if (table->entry[i].age == oldest && drop-- > 0) continue;
            table->entry[count++] = table->entry[i];
        }
        table->count = count;
    }
}

SinoStatus sino_sample_table_merge(SinoSampleTable *kept, const SinoSampleTable *run, bool renew)
{
    if (run->count == 0) return NULL;
    if (renew) forget(kept, run);
    for (int64_t i = 0; i < kept->count; i++) kept->entry[i].age++;
    for (int64_t i = 0; i < run->count; i++) SINO_TRY(add(kept, &run->entry[i], true));
    shorten(kept);
    return NULL;
}

void sino_sample_table_free(SinoSampleTable *table)
{
    free(table->entry);
    *table = (SinoSampleTable){0};
}

/* ---- between tasks ---- */

static const char between[] = "between_tasks_";

enum { LEAST_BYTES = 1024, BYTES_STEP = 4 };

int sino_between_class(int64_t bytes)
{
    int number = 0;
    for (int64_t upper = LEAST_BYTES; bytes > upper && number + 1 < SINO_BETWEEN_CLASSES; upper *= BYTES_STEP) number++;
    return number;
}

double sino_between_bytes(int number)
{
    return LEAST_BYTES * pow(BYTES_STEP, number);
}

void sino_between_symbol(const char *policy, char symbol[SINO_SAMPLE_SYMBOL_BYTES])
{
    snprintf(symbol, SINO_SAMPLE_SYMBOL_BYTES, "%s%s", between, policy);
    for (char *at = symbol; *at; at++)
        if (isspace((unsigned char)*at)) *at = '_'; /* the table separates words by spaces */
}

bool sino_between_is(const SinoSampleEntry *entry)
{
    return strncmp(entry->symbol, between, sizeof between - 1) == 0;
}

/* ---- text ---- */

static const char first_line[] = "# sinodag samples 1: model device footprint width precision variant work flops "
                                 "bytes count age, then times in us\n";

void sino_sample_table_print(const SinoSampleTable *table, FILE *out)
{
    fputs(first_line, out);
    for (int64_t i = 0; i < table->count; i++) {
        const SinoSampleEntry *entry = &table->entry[i];
        fprintf(out, "%s %u %08" PRIx32 " %" PRId64 " %d %08" PRIx32 " %.9g %.9g %.9g %.4g %" PRId64, entry->symbol,
                entry->device, entry->footprint, entry->width, entry->precision, entry->variant, entry->work,
                entry->flops, entry->bytes, entry->count, entry->age);
        for (int t = 0; t < entry->time_count; t++) fprintf(out, " %.4g", (double)entry->us[t]);
        fputc('\n', out);
    }
}

static bool is_amount(double value)
{
    return value >= 0 && value < 1e30; /* also as float */
}

/* The fields of a line, each behind a space. */
typedef struct Fields {
    const char *at; /* NULL: a field was no number */
} Fields;

static bool has_field(const Fields *fields)
{
    return fields->at && fields->at[0] == ' ' && (isalnum((unsigned char)fields->at[1]) || fields->at[1] == '.');
}

static double real_field(Fields *fields)
{
    char *end = NULL;
    const double value = has_field(fields) ? strtod(fields->at + 1, &end) : 0;
    const bool good = end && (*end == ' ' || *end == '\n') && is_amount(value);
    fields->at = good ? end : NULL;
    return good ? value : 0;
}

static int64_t whole_field(Fields *fields, int base, int64_t most)
{
    char *end = NULL;
    const long long value = has_field(fields) ? strtoll(fields->at + 1, &end, base) : 0;
    const bool good = end && (*end == ' ' || *end == '\n') && value >= 0 && value <= most;
    fields->at = good ? end : NULL;
    return good ? value : 0;
}

/* Reads the line that begins at `text`. */
static bool parse_line(const char *text, SinoSampleEntry *entry)
{
    const size_t length = strcspn(text, " \n");
    Fields fields = {.at = text + length};
    *entry = (SinoSampleEntry){.symbol = ""};
    if (length == 0 || length >= sizeof entry->symbol) return false;
    memcpy(entry->symbol, text, length);
    entry->device = (unsigned)whole_field(&fields, 10, SINO_DEVICE_OPENCL);
    entry->footprint = (uint32_t)whole_field(&fields, 16, UINT32_MAX);
    entry->width = whole_field(&fields, 10, INT64_MAX / 2);
    entry->precision = (int)whole_field(&fields, 10, INT32_MAX);
    entry->variant = (uint32_t)whole_field(&fields, 16, UINT32_MAX);
    entry->work = real_field(&fields);
    entry->flops = real_field(&fields);
    entry->bytes = real_field(&fields);
    entry->count = real_field(&fields);
    entry->age = whole_field(&fields, 10, INT64_MAX / 2);
    while (has_field(&fields) && entry->time_count < SINO_SAMPLE_TIMES)
        entry->us[entry->time_count++] = (float)real_field(&fields);
    const bool known =
        entry->device == SINO_DEVICE_CPU || entry->device == SINO_DEVICE_CUDA || entry->device == SINO_DEVICE_OPENCL;
    return fields.at && *fields.at == '\n' && known && entry->time_count > 0 && entry->count > 0;
}

bool sino_sample_table_parse(const char *text, SinoSampleTable *table)
{
    SinoSampleEntry entry;
    *table = (SinoSampleTable){0};
    bool good = strncmp(text, first_line, sizeof first_line - 1) == 0;
    for (const char *line = strchr(text, '\n'); good && line && line[1]; line = strchr(line + 1, '\n')) {
        good = parse_line(line + 1, &entry);
        SinoStatus status = good ? sino_sample_table_add(table, &entry) : NULL;
        good = good && !status;
        sino_status_free(status);
    }
    if (!good) sino_sample_table_free(table);
    return good;
}
