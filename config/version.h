/* SPDX-License-Identifier: BSD-3-Clause */
/* Version: which sinodag this is. */
#ifndef SINO_VERSION_H
#define SINO_VERSION_H

/* "0.1.0": as meson.build has it. */
const char *sino_version_text(void);

#endif
