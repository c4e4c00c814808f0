/* SPDX-License-Identifier: BSD-3-Clause */
/* Version: SINO_VERSION comes from meson.build. */
#include "version.h"

const char *sino_version_text(void)
{
    return SINO_VERSION;
}
