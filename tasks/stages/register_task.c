/* SPDX-License-Identifier: BSD-3-Clause */
/* Task register: how far measured projections lie from predicted ones. */
#include "stages_tasks.h"

#include "arithmetic.h"
#include "task.h"

typedef struct Register {
    SinoOperand predicted, pitched, rolled;
    SinoRegister of;
} Register;

static SinoStatus register_cpu(const SinoTask *task)
{
    const Register *arguments = task->arguments;
    const SinoRegister *of = &arguments->of;
    const int64_t pixels = sino_times(of->column_count, of->row_count);
    const float *predicted = arguments->predicted.at, *pitched = arguments->pitched.at, *rolled = arguments->rolled.at;
    for (int64_t k = of->first; k < of->first + of->count; k++) {
        const float *measured = of->measured + k * pixels;
        if (of->centroid)
            of->centroid[k] = sino_register_centroid(of->column_count, of->row_count, measured);
        else if (pitched)
            of->result[k] = sino_register_turned(of->column_count, of->row_count, measured,
                                                 &(SinoTurnedPredictions){predicted + k * pixels, pitched + k * pixels,
                                                                          rolled + k * pixels, of->turn_rad});
        else
            of->result[k] = sino_register(of->column_count, of->row_count, measured, predicted + k * pixels);
    }
    return NULL;
}

static const SinoTaskKind register_kind = {.name = "register",
                                           SINO_ARGUMENTS(Register, SINO_MAY_READ(Register, predicted),
                                                          SINO_MAY_READ(Register, pitched),
                                                          SINO_MAY_READ(Register, rolled)),
                                           .cpu = register_cpu};

SinoStatus sino_insert_register(SinoRuntime *runtime, const SinoRegister *wanted,
                                SinoData *const predicted[SINO_REGISTER_PREDICTIONS])
{
    const Register arguments = {
        .predicted.data = predicted[0], .pitched.data = predicted[1], .rolled.data = predicted[2], .of = *wanted};
    const double pixels = (double)wanted->column_count * (double)wanted->row_count;
    return SINO_SUBMIT(runtime, &register_kind, SINO_NOWHERE, &arguments, .work = pixels * (double)wanted->count);
}
