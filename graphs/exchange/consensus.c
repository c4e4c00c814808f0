/* SPDX-License-Identifier: BSD-3-Clause */
/* Consensus: rank 0 sends its text to all ranks, and each compares it with its own. */
#include "consensus.h"

#include "memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A line "name: value" of a text; nothing is owned. */
typedef struct Line {
    const char *name, *value;
    int name_length, value_length;
} Line;

/* Takes the line at *text, and moves *text behind it. False: the text has ended. */
static bool next_line(const char **text, Line *line)
{
    const size_t length = strcspn(*text, "\n");
    const char *colon = memchr(*text, ':', length);
    if (!colon) return false;
    line->name = *text;
    line->name_length = (int)(colon - *text);
    line->value = colon + 2;
    line->value_length = (int)(length - (size_t)(colon - *text) - 2);
    *text += length + ((*text)[length] == '\n');
    return true;
}

static bool find_line(const char *text, const Line *wanted, Line *line)
{
    while (next_line(&text, line))
        if (line->name_length == wanted->name_length &&
            strncmp(line->name, wanted->name, (size_t)line->name_length) == 0)
            return true;
    return false;
}

/* Prints a value; NULL: there is none. A list can be long, and its beginning shows what it is. */
static void print_value(FILE *out, const Line *line)
{
    enum { MOST = 80 };
    if (!line)
        fputs("not given", out);
    else
        fprintf(out, "%.*s%s", line->value_length < MOST ? line->value_length : MOST, line->value,
                line->value_length > MOST ? " …" : "");
}

static void print_difference(FILE *out, const Line *first, const Line *other, int64_t rank)
{
    const Line *any = first ? first : other;
    fprintf(out, "%s%.*s is ", ftell(out) > 0 ? ", " : "", any->name_length, any->name);
    print_value(out, first);
    fputs(" on rank 0 and ", out);
    print_value(out, other);
    fprintf(out, " on rank %" PRId64, rank);
}

char *sino_consensus_differences(const char *first, const char *other, int64_t rank)
{
    char *text = NULL;
    size_t size;
    Line line, match;
    FILE *out = open_memstream(&text, &size);
    if (!out) return NULL;
    for (const char *at = first; next_line(&at, &line);) {
        const bool found = find_line(other, &line, &match);
        const bool same = found && line.value_length == match.value_length &&
                          strncmp(line.value, match.value, (size_t)line.value_length) == 0;
        if (!same) print_difference(out, &line, found ? &match : NULL, rank);
    }
    for (const char *at = other; next_line(&at, &line);)
        if (!find_line(first, &line, &match)) print_difference(out, NULL, &line, rank);
    if (fclose(out) == 0) return text;
    free(text);
    return NULL;
}

static SinoStatus compare(const char *what, const char *first, const char *own, int64_t rank)
{
    char *differences = sino_consensus_differences(first, own, rank);
    SINO_CHECK(differences, SINO_FAILED, "no memory to compare what the ranks have");
    SinoStatus status =
        *differences ? sino_error(SINO_BAD_INPUT, "%s: %s; allowed: the same on every rank", what, differences) : NULL;
    free(differences);
    return status;
}

SinoStatus sino_consensus_check(SinoProcesses *processes, const char *what, const char *text)
{
    char *first = NULL;
    int64_t bytes = (int64_t)strlen(text) + 1;
    SINO_TRY(sino_processes_broadcast(processes, (int64_t)sizeof bytes, &bytes));
    SINO_TRY(sino_processes_agree(processes, sino_allocate(bytes, 1, "what ranks have in common", &first)));
    if (sino_processes_rank(processes) == 0) memcpy(first, text, (size_t)bytes);
    SinoStatus status = sino_processes_broadcast(processes, bytes, first);
    if (!status) status = sino_processes_agree(processes, compare(what, first, text, sino_processes_rank(processes)));
    free(first);
    return status;
}

SinoStatus sino_consensus_go_on(SinoRuntime *runtime)
{
    int64_t failed = sino_runtime_failed(runtime);
    SINO_TRY(sino_processes_largest(sino_runtime_processes(runtime), &failed));
    return failed && !sino_runtime_failed(runtime) ? sino_error_told(SINO_FAILED) : NULL;
}
