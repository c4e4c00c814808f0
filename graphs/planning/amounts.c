/* SPDX-License-Identifier: BSD-3-Clause */
/* Amounts: bytes or seconds of a plan, as rows of a table and as JSON. */
#include "amounts.h"

#include "memory.h"
#include "text.h"

#include <inttypes.h>
#include <stdio.h>

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

/* Plan, refusal: the sentences of plans that do not fit. */

SinoStatus sino_plan_too_little(int64_t total_bytes, int64_t budget_bytes, const char *subject, const char *parts,
                                const char *others)
{
    char budget[24], total[24];
    return sino_error(SINO_BAD_INPUT, "memory: %s may be used, and %s %s%s; allowed: --memory %" PRId64 "MiB or more%s",
                      sino_bytes_text(budget_bytes, budget), subject, sino_bytes_text(total_bytes, total), parts,
                      (total_bytes >> 20) + 1, others);
}

SinoStatus sino_plan_too_small(const SinoDeviceRoom *room, int64_t lists, int64_t vectors, const char *parts,
                               const char *others)
{
    char bytes[24], all[24], more[24], held_text[64] = "";
    const int64_t held = sino_device_room_held(room, lists, vectors);
    if (held > 0) snprintf(held_text, sizeof held_text, ", and %s that StarPU holds", sino_bytes_text(held, more));
    return sino_error(SINO_BAD_INPUT,
                      "a device has %s of memory; two tasks of this reconstruction need %s there at a time (%s%s); "
                      "allowed: %s",
                      sino_bytes_text(room->bytes, bytes),
                      sino_bytes_text(sino_device_room_of_tasks(room, lists, vectors), all), parts, held_text, others);
}
