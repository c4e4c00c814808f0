/* SPDX-License-Identifier: BSD-3-Clause */
/* Amounts: bytes or seconds of a plan, as rows of a table and as JSON. */
#include "amounts.h"

#include "memory.h"
#include "text.h"

void sino_amount_print(SinoAmountUnit unit, const SinoAmount *amount, FILE *out)
{
    char text[SINO_DURATION_SIZE];
    fprintf(out, "  %-28s %12s", amount->label,
            unit == SINO_AMOUNT_BYTES ? sino_bytes_text((int64_t)amount->value, text)
                                      : sino_duration_text(amount->value, text));
}

void sino_amounts_print_numbers(const SinoAmounts *amounts, FILE *out)
{
    fprintf(out, "%-13s", amounts->name);
    for (int i = 0; i < amounts->count; i++)
        fprintf(out, "%s%s %.0f", i > 0 ? ", " : "", amounts->item[i].label, amounts->item[i].value);
}

void sino_amounts_print(const SinoAmounts *amounts, FILE *out)
{
    for (int i = 0; i < amounts->count; i++) {
        if (!(amounts->item[i].value > 0)) continue;
        sino_amount_print(amounts->unit, &amounts->item[i], out);
        fputc('\n', out);
    }
}

void sino_amounts_json_members(const SinoAmounts *amounts, SinoJson *json)
{
    for (int i = 0; i < amounts->count; i++) {
        const SinoAmount *item = &amounts->item[i];
        if (amounts->unit == SINO_AMOUNT_SECONDS)
            sino_json_real(json, item->key, item->value);
        else
            sino_json_integer(json, item->key, (int64_t)item->value);
    }
}

void sino_amounts_json(const SinoAmounts *amounts, SinoJson *json)
{
    sino_json_open(json, amounts->name);
    sino_amounts_json_members(amounts, json);
    sino_json_close(json);
}
