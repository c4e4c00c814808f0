/* SPDX-License-Identifier: BSD-3-Clause */
/* Watch: a thread that looks at the program in regular intervals, so that it does not matter which threads are stuck.
 */
#pragma once

#include "status.h"

#include <stdint.h>

typedef struct SinoWatch SinoWatch;

/* late_ns: for how long the process was suspended since the last look, when nothing could happen; else 0. */
typedef void (*SinoLook)(void *of, int64_t late_ns);

/* The clock that looks go by: monotonic. */
int64_t sino_watch_now_ns(void);

/* Calls look(of) every tenth of the limit, and every 5 s at least. SINO_FAILED: no thread or memory. */
SinoStatus sino_watch_start(double limit_s, SinoLook look, void *of, SinoWatch **watch);
void sino_watch_stop(SinoWatch *watch); /* no look comes afterwards; takes NULL */

double sino_watch_period_s(const SinoWatch *watch);
