/* SPDX-License-Identifier: BSD-3-Clause */
/* Operator: the code that all kinds share. */
#include "operator.h"

#include "memory.h"

#include <stdlib.h>

const SinoOperatorKind *sino_operator_kind(const SinoProblem *problem)
{
    for (const SinoOperatorKind *const *kind = sino_operator_kinds; *kind; kind++)
        if ((*kind)->takes(*kind, problem)) return *kind;
    return NULL;
}

const SinoOperatorKind *sino_operator_of(SinoProjector projector)
{
    for (const SinoOperatorKind *const *kind = sino_operator_kinds; *kind; kind++)
        if ((*kind)->projector == projector && projector != SINO_PROJECTOR_AUTO) return *kind;
    return &sino_rays_kind;
}

const SinoOperatorKind *sino_operator_unstored(int number)
{
    for (const SinoOperatorKind *const *kind = sino_operator_kinds; *kind; kind++)
        if (!(*kind)->stores && (*kind)->projector != SINO_PROJECTOR_AUTO && number-- == 0) return *kind;
    return NULL;
}

SinoStatus sino_operator_new(SinoRuntime *runtime, const SinoOperatorRequest *request, SinoOperator **result)
{
    SinoOperator *op = NULL;
    SINO_TRY(sino_allocate(1, sizeof *op, "the operator", &op));
    *op = (SinoOperator){.kind = sino_operator_kind(&request->problem),
                         .runtime = runtime,
                         .problem = request->problem,
                         .slots = request->slots,
                         .idle = request->shape.idle};
    SINO_GIVE(op->kind->open(op, request), op, sino_operator_free, result);
}

void sino_operator_free(SinoOperator *op)
{
    if (!op) return;
    op->kind->close(op);
    free(op);
}

SinoStatus sino_operator_work_new(const SinoOperator *op, const SinoSlices *slices, int64_t number, bool overlap,
                                  SinoOperatorWork **result)
{
    SinoOperatorWork *work = NULL;
    SINO_TRY(sino_allocate(1, sizeof *work, "a minibatch", &work));
    work->op = op;
    SINO_GIVE(op->kind->work_open(work, slices, number, overlap), work, sino_operator_work_free, result);
}

void sino_operator_work_free(SinoOperatorWork *work)
{
    if (!work) return;
    work->op->kind->work_close(work);
    free(work);
}
