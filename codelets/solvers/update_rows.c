/* SPDX-License-Identifier: BSD-3-Clause */
/* Update: the list of formulas as a table. */
#include "update.h"

const SinoUpdateRow sino_update_row[SINO_UPDATE_FORMULA_COUNT] = {
#define ROW(name, NAME, task, a, b, c, d, sums, state) [SINO_UPDATE_##NAME] = {task, {a, b, c, d}, sums, state},
    SINO_UPDATE_FORMULAS(ROW)
#undef ROW
};
