/* SPDX-License-Identifier: BSD-3-Clause */
/* Amounts: bytes or seconds of a plan, as rows of a table for people and as members of a JSON object. */
#ifndef SINO_AMOUNTS_H
#define SINO_AMOUNTS_H

#include "json.h"

#include <stdio.h>

typedef enum SinoAmountUnit { SINO_AMOUNT_BYTES, SINO_AMOUNT_SECONDS } SinoAmountUnit;

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

/* All rows. */
void sino_amounts_print(const SinoAmounts *amounts, FILE *out);

/* A member of the open object. */
void sino_amounts_json(const SinoAmounts *amounts, SinoJson *json);

#endif
