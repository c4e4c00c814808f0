/* SPDX-License-Identifier: BSD-3-Clause */
/* Update, one panel of elements in double precision. */
#define REAL         double
#define UPDATE_PANEL sino_update_panel_double
#include "update_tmpl.c"
