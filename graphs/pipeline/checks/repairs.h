/* SPDX-License-Identifier: BSD-3-Clause */
/* Repairs: what a run tells of the undefined values of its scan (codelets/stages/correct.h), and whether it accepts
 * them. */
#pragma once

#include "input.h"
#include "record.h"

/* Logs one line for each kind of undefined values that the record has: projections without any value, by number;
 * detector columns without any value, by number; the number of all others. `input` gives the numbers of columns in the
 * file. weighted: the values had weight 0; false: they were interpolated. */
void sino_repairs_tell(SinoLog *log, const SinoInput *input, const SinoRecord *record, bool weighted);

/* SINO_BAD_INPUT: more than the share `most` of all values is undefined. */
SinoStatus sino_repairs_check(const SinoRecord *record, double most);

/* What the user can do about many undefined values: the end of a refusal. */
extern const char sino_repairs_advice[];
