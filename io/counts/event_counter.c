/* SPDX-License-Identifier: BSD-3-Clause */
/* Event counter: row a · crystal_count + b has the events of crystals a < b. */
#include "counts_source.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

#include "memory.h"

SinoStatus sino_event_counter_new(const SinoCountsRequest *request, const char *where, SinoEventCounter *counter)
{
    *counter = (SinoEventCounter){.request = request, .where = where};
    return sino_allocate(request->element_count, sizeof *counter->count, "counts", &counter->count);
}

void sino_event_counter_free(SinoEventCounter *counter)
{
    free(counter->count);
    counter->count = NULL;
}

static SinoStatus find_pair(const SinoEventCounter *counter, int64_t number, const int64_t *crystal, int64_t *row)
{
    const SinoCountsRequest *request = counter->request;
    const int64_t crystals = request->crystal_count;
    SINO_CHECK(crystals > 0, SINO_BAD_INPUT,
               "%s: %s %" PRId64 " is a pair of numbers; allowed: the number of a row, for the rows of this matrix are "
               "not known to be pairs of crystals",
               request->path, counter->where, number);
    for (int i = 0; i < 2; i++)
        SINO_CHECK(crystal[i] >= 0 && crystal[i] < crystals, SINO_BAD_INPUT,
                   "%s: %s %" PRId64 " has crystal %" PRId64 "; allowed: from 0 to %" PRId64, request->path,
                   counter->where, number, crystal[i], crystals - 1);
    SINO_CHECK(crystal[0] != crystal[1], SINO_BAD_INPUT,
               "%s: %s %" PRId64 " has crystal %" PRId64 " twice; allowed: two crystals", request->path, counter->where,
               number, crystal[0]);
    *row = sino_smaller(crystal[0], crystal[1]) * crystals + sino_larger(crystal[0], crystal[1]);
    return NULL;
}

SinoStatus sino_event_counter_add(SinoEventCounter *counter, int64_t number, int members, const int64_t *member)
{
    const SinoCountsRequest *request = counter->request;
    int64_t row = member[0];
    assert(members == 1 || members == 2);
    if (members == 2) SINO_TRY(find_pair(counter, number, member, &row));
    SINO_CHECK(row >= 0 && row < request->element_count, SINO_BAD_INPUT,
               "%s: %s %" PRId64 " has row %" PRId64 "; allowed: from 0 to %" PRId64, request->path, counter->where,
               number, row, request->element_count - 1);
    SINO_CHECK(counter->count[row] < UINT32_MAX, SINO_BAD_INPUT,
               "%s: %s %" PRId64 " has row %" PRId64 " once more; allowed: up to %" PRIu32 " events of a row",
               request->path, counter->where, number, row, UINT32_MAX);
    counter->count[row]++;
    return NULL;
}

void sino_event_counter_take(const SinoEventCounter *counter, float *values)
{
    for (int64_t i = 0; i < counter->request->element_count; i++) values[i] = (float)counter->count[i];
}
