/* SPDX-License-Identifier: BSD-3-Clause */
/* Amounts: bytes or seconds of a plan, as rows of a table for people and as members of a JSON object. */
#pragma once

#include "device_room.h"
#include "text.h"

#include <stdio.h>

typedef enum SinoAmountUnit { SINO_AMOUNT_BYTES, SINO_AMOUNT_SECONDS, SINO_AMOUNT_NUMBER } SinoAmountUnit;

typedef struct SinoAmount {
    const char *key, *label; /* in JSON; in the table */
    double value;            /* 0: the table leaves it out */
} SinoAmount;

enum { SINO_AMOUNTS_MAX = 13 };

typedef struct SinoAmounts {
    const char *name; /* of the JSON object: "memory_bytes" */
    SinoAmountUnit unit;
    int count;
    SinoAmount item[SINO_AMOUNTS_MAX];
} SinoAmounts;

/* The table's row of an amount, as far as its value: the caller ends the line. */
void sino_amount_print(SinoAmountUnit unit, const SinoAmount *amount, FILE *out);

/* "KEY VALUE, KEY VALUE" of numbers, in one line behind the name, which the caller ends. */
void sino_amounts_print_numbers(const SinoAmounts *amounts, FILE *out);

/* All rows. */
void sino_amounts_print(const SinoAmounts *amounts, FILE *out);

/* Members of the open object: the amounts; one object of them. */
void sino_amounts_json_members(const SinoAmounts *amounts, SinoJson *json);
void sino_amounts_json(const SinoAmounts *amounts, SinoJson *json);

/* Plan, refusal: the sentences of plans that do not fit. */

/* SINO_BAD_INPUT: "memory: BUDGET may be used, and SUBJECT TOTALPARTS; allowed: --memory TOTAL or moreOTHERS".
 * `subject` ends with "needs", `parts` and `others` begin with their own separators. */
SinoStatus sino_plan_too_little(int64_t total_bytes, int64_t budget_bytes, const char *subject, const char *parts,
                                const char *others);

/* SINO_BAD_INPUT: two tasks, with data of `lists` and `vectors` bytes each, do not fit a device. `parts`: what the data
 * are; `others`: what is allowed. */
SinoStatus sino_plan_too_small(const SinoDeviceRoom *room, int64_t lists, int64_t vectors, const char *parts,
                               const char *others);
