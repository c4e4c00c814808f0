/* SPDX-License-Identifier: BSD-3-Clause */
/* Operand: the data of a task by name, as members of its arguments. For the files of tasks/ only.
 *
 * The submission sets such a member to data. Before the task's function is called, the runtime replaces them by the
 * address of their memory where the task runs. */
#pragma once

#include "data.h"
#include "opencl_device.h"

#include <stdbool.h>

typedef struct SinoOperand {
    union {
        SinoData *data; /* at submission; NULL: there is none, nor memory; void data have no memory either */
        void *at;       /* in a function for cores or CUDA */
        cl_mem opencl;  /* in a function for OpenCL devices */
        const struct SinoBlockInterface *block; /* in any function, of SINO_MAY_READ_BLOCK */
    };
    SinoAccessMode mode; /* at submission; 0: as the kind says */
} SinoOperand;

/* Operands of one role, such as the partitions of a vector. On devices a task with many runs only if all their data fit
 * there (resources.h counts fewer). */
typedef struct SinoOperandList {
    union {
        SinoData *const *data;   /* [count]; copied; NULL among them: there is none, nor memory */
        void *const *at;         /* [count] */
        const void *const *read; /* [count]; the same */
        const cl_mem *opencl;    /* [count] */
    };
    int64_t count;
    SinoAccessMode mode;
} SinoOperandList;

typedef enum SinoOperandShape { SINO_OPERAND_ONE, SINO_OPERAND_BLOCK, SINO_OPERAND_LIST } SinoOperandShape;

/* A row of a kind's table of operands; see the macros. */
typedef struct SinoOperandRow {
    const char *name;
    size_t place; /* of the member in the arguments */
    SinoAccessMode mode;
    SinoOperandShape shape;
    bool optional;
} SinoOperandRow;

/* Operands of a kind whose arguments have the type. _MAY_: there may be none. _EACH: a SinoOperandList. */
#define SINO_READS(type, member)          SINO_OPERAND_ROW(type, member, SINO_READ, SINO_OPERAND_ONE, false)
#define SINO_WRITES(type, member)         SINO_OPERAND_ROW(type, member, SINO_WRITE, SINO_OPERAND_ONE, false)
#define SINO_UPDATES(type, member)        SINO_OPERAND_ROW(type, member, SINO_READ_WRITE, SINO_OPERAND_ONE, false)
#define SINO_USES(type, member)           SINO_OPERAND_ROW(type, member, SINO_SCRATCH, SINO_OPERAND_ONE, false)
#define SINO_MAY_READ(type, member)       SINO_OPERAND_ROW(type, member, SINO_READ, SINO_OPERAND_ONE, true)
#define SINO_MAY_WRITE(type, member)      SINO_OPERAND_ROW(type, member, SINO_WRITE, SINO_OPERAND_ONE, true)
#define SINO_MAY_UPDATE(type, member)     SINO_OPERAND_ROW(type, member, SINO_READ_WRITE, SINO_OPERAND_ONE, true)
#define SINO_MAY_USE(type, member)        SINO_OPERAND_ROW(type, member, SINO_SCRATCH, SINO_OPERAND_ONE, true)
#define SINO_MAY_READ_BLOCK(type, member) SINO_OPERAND_ROW(type, member, SINO_READ, SINO_OPERAND_BLOCK, true)
#define SINO_READS_EACH(type, member)     SINO_OPERAND_ROW(type, member, SINO_READ, SINO_OPERAND_LIST, true)
#define SINO_WRITES_EACH(type, member)    SINO_OPERAND_ROW(type, member, SINO_WRITE, SINO_OPERAND_LIST, true)
#define SINO_UPDATES_EACH(type, member)   SINO_OPERAND_ROW(type, member, SINO_READ_WRITE, SINO_OPERAND_LIST, true)

/* clang-format off */
#define SINO_OPERAND_ROW(type, member, mode, shape, optional)                                                          \
    {#member, offsetof(type, member) + SINO_OPERAND_FITS(type, member, shape), mode, shape, optional}
/* clang-format on */
/* 0, if the member has the type that the shape needs. */
#define SINO_OPERAND_FITS(type, member, shape)                                                                         \
    (0 * sizeof(char[_Generic(((type *)0)->member, SinoOperand                                                         \
                              : (shape) != SINO_OPERAND_LIST, SinoOperandList                                          \
                              : (shape) == SINO_OPERAND_LIST)                                                          \
                         ? 1                                                                                           \
                         : -1]))
