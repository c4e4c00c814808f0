/* SPDX-License-Identifier: BSD-3-Clause */
/* Update, one panel of elements in single precision. */
#define REAL         float
#define UPDATE_PANEL sino_update_panel_single
#include "update_tmpl.c"
