/* SPDX-License-Identifier: BSD-3-Clause */
/* Plan, refusal: the sentences of plans that do not fit. */
#include "amounts.h"

#include "memory.h"

#include <inttypes.h>
#include <stdio.h>

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
