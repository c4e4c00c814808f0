/* SPDX-License-Identifier: BSD-3-Clause */
/* Sample table: times of tasks that runs have measured, with what they depend on. Beside StarPU's performance models,
 * whose entries have a hash in place of width, precision and bytes.
 *
 * An entry stands for tasks that are alike: one model, kind of processor and footprint (codelet.c), and bytes that
 * differ by less than a fifth. It holds a sample of their times, so that a median can be told, whatever disturbs a few
 * tasks. A new run takes two thirds of the places of the sample: times of older runs fade. */
#pragma once

#include "status.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { SINO_SAMPLE_TIMES = 15, SINO_SAMPLE_SYMBOL_BYTES = 64, SINO_SAMPLE_ENTRIES = 4096 };

typedef struct SinoSampleEntry {
    char symbol[SINO_SAMPLE_SYMBOL_BYTES];
    unsigned device; /* SINO_DEVICE_CPU, _CUDA, _OPENCL */
    uint32_t footprint;
    int64_t width;
    int precision; /* and what follows: as of SinoTaskFeatures */
    uint32_t variant;
    double work, flops, bytes;   /* means */
    double count;                /* tasks measured; those of older runs fade */
    int64_t age;                 /* runs that have measured other tasks since */
    int time_count;              /* 1 … SINO_SAMPLE_TIMES */
    float us[SINO_SAMPLE_TIMES]; /* ascending, once it is in a table */
} SinoSampleEntry;

/* Entries in the order of sino_sample_compare. */
typedef struct SinoSampleTable {
    SinoSampleEntry *entry; /* owned */
    int64_t count, capacity;
} SinoSampleTable;

/* The number of the step of a fifth in which bytes lie. */
long sino_sample_step(double bytes);

/* The order of entries: model, device, footprint, bytes. 0: they are of tasks that are alike. */
int sino_sample_compare(const SinoSampleEntry *a, const SinoSampleEntry *b);

/* Another time of a task that is like those of the entry; its sample then stands for all of them alike. `random`: state
 * of the caller's random numbers, not 0. Times need not be in order. */
void sino_sample_add(SinoSampleEntry *entry, double work, double flops, double bytes, double us, uint64_t *random);

/* Adds an entry whose times are in any order; those of an entry that is alike count by their number. SINO_FAILED: no
 * memory. */
SinoStatus sino_sample_table_add(SinoSampleTable *table, const SinoSampleEntry *entry);

/* Adds the table of a run to the one that is kept. `renew`: entries of the models and devices of the run are forgotten
 * first. More than SINO_SAMPLE_ENTRIES: the oldest ones go. SINO_FAILED: no memory. */
SinoStatus sino_sample_table_merge(SinoSampleTable *kept, const SinoSampleTable *run, bool renew);

/* What a worker needs between two tasks is an entry, too: of a policy, and of a class of bytes of the later task's
 * data, since large tasks leave less of StarPU's own data in the caches. */
enum { SINO_BETWEEN_CLASSES = 12 };
int sino_between_class(int64_t bytes);
void sino_between_symbol(const char *policy, char symbol[SINO_SAMPLE_SYMBOL_BYTES]); /* shortened if too long */
bool sino_between_is(const SinoSampleEntry *entry);
double sino_between_bytes(int number); /* that the entry of a class has */

/* As text, a line for each entry. Reading: false if the text is no such table (the table is then empty). */
void sino_sample_table_print(const SinoSampleTable *table, FILE *out);
bool sino_sample_table_parse(const char *text, SinoSampleTable *table);
void sino_sample_table_free(SinoSampleTable *table); /* leaves it empty */

/* The time below which a part of the times of an entry lies, in µs; 0.5: the median. */
double sino_sample_quantile(const SinoSampleEntry *entry, double part);
