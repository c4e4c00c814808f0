/* SPDX-License-Identifier: BSD-3-Clause */
/* Version of the program. */
#pragma once

/* "1.0.0": the version in meson.build. Static text. */
const char *sino_version_text(void);
