/* SPDX-License-Identifier: BSD-3-Clause */
/* Operands: from members of a task's arguments to the data that it accesses, and to addresses when it runs. */
#include "runtime_private.h"

#include <stdlib.h>

/* The end of the kind's rows. */
static const SinoOperandRow *end_of(const SinoTaskKind *kind)
{
    const SinoOperandRow *row = kind->operand;
    while (row < kind->operand + SINO_OPERAND_ROWS && row->name) row++;
    return row;
}

/* Appends what a row accesses to the accesses, unless they are NULL; returns their new number. */
static int append(const SinoOperandRow *row, const void *arguments, int count, SinoAccess *access)
{
    const void *member = (const char *)arguments + row->place;
    const bool is_list = row->shape == SINO_OPERAND_LIST;
    const SinoOperand *one = member;
    const SinoOperandList *list = member;
    const SinoAccessMode mode = is_list ? list->mode : one->mode;
    for (int64_t i = 0; i < (is_list ? list->count : 1); i++) {
        SinoData *data = is_list ? list->data[i] : one->data;
        if (!data) continue;
        if (access) access[count] = (SinoAccess){data, mode ? mode : row->mode};
        count++;
    }
    return count;
}

SinoStatus sino_operands_access(const SinoTaskKind *kind, const void *arguments, SinoAccesses *accesses)
{
    const SinoOperandRow *end = end_of(kind);
    int most = 0;
    for (const SinoOperandRow *row = kind->operand; row < end; row++) {
        const int before = most;
        most = append(row, arguments, most, NULL);
        SINO_CHECK(row->optional || most > before, SINO_FAILED, "a task '%s' lacks its operand '%s'", kind->name,
                   row->name);
    }
    *accesses = (SinoAccesses){0};
    if (most == 0) return NULL;
    accesses->access = malloc((size_t)most * sizeof *accesses->access);
    SINO_CHECK(accesses->access, SINO_FAILED, "no memory for the data of a task '%s'", kind->name);
    for (const SinoOperandRow *row = kind->operand; row < end; row++)
        accesses->count = append(row, arguments, accesses->count, accesses->access);
    return NULL;
}

size_t sino_operands_list_bytes(const SinoTaskKind *kind, const void *arguments)
{
    const SinoOperandRow *end = end_of(kind);
    size_t bytes = 0;
    for (const SinoOperandRow *row = kind->operand; row < end; row++)
        if (row->shape == SINO_OPERAND_LIST)
            bytes += (size_t)((const SinoOperandList *)(const void *)((const char *)arguments + row->place))->count *
                     sizeof(void *);
    return bytes > 0 ? bytes + sizeof(void *) : 0; /* and up to an address */
}

void sino_operands_copy_lists(SinoTaskRecord *record)
{
    const SinoTaskKind *kind = record->kind;
    const SinoOperandRow *end = end_of(kind);
    void **to =
        (void **)(void *)(record->arguments + (kind->argument_bytes + sizeof *to - 1) / sizeof *to * sizeof *to);
    for (const SinoOperandRow *row = kind->operand; row < end; row++) {
        SinoOperandList *list = (SinoOperandList *)(void *)(record->arguments + row->place);
        if (row->shape != SINO_OPERAND_LIST) continue;
        for (int64_t i = 0; i < list->count; i++) to[i] = list->data[i];
        list->at = to;
        to += list->count;
    }
}

/* The address of data that may be void, which only order tasks. */
static void *bound(const SinoOperandRow *row, const SinoData *data, void *interface,
                   void *(*address_of)(void *interface))
{
    if (row->shape == SINO_OPERAND_BLOCK) return interface;
    return starpu_data_get_interface_id(data->handle) == STARPU_VOID_INTERFACE_ID ? NULL : address_of(interface);
}

void sino_operands_bind(SinoTaskRecord *record, void **interface, void *(*address_of)(void *interface))
{
    const SinoOperandRow *end = end_of(record->kind);
    for (const SinoOperandRow *row = record->kind->operand; row < end; row++) {
        void *member = record->arguments + row->place;
        const bool is_list = row->shape == SINO_OPERAND_LIST;
        const int64_t count = is_list ? ((SinoOperandList *)member)->count : 1;
        void **at = is_list ? (void **)((SinoOperandList *)member)->at : &((SinoOperand *)member)->at;
        for (int64_t i = 0; i < count; i++)
            if (at[i]) at[i] = bound(row, at[i], *interface++, address_of);
    }
}
