/* SPDX-License-Identifier: BSD-3-Clause */
/* TIFF client: stores libtiff's messages with the file that they concern. */
#include "tiff_images.h"

#include <stdarg.h>
#include <stdio.h>

#include <tiffio.h>

static void keep_message(thandle_t handle, const char *module, const char *format, va_list arguments)
{
    SinoTiffClient *client = handle;
    (void)module;
    if (client && !client->message[0]) vsnprintf(client->message, sizeof client->message, format, arguments);
}

void sino_tiff_quiet(void)
{
    TIFFSetErrorHandler(NULL);
    TIFFSetWarningHandler(NULL);
    TIFFSetWarningHandlerExt(NULL);
    TIFFSetErrorHandlerExt(keep_message);
}

const char *sino_tiff_reason(const SinoTiffClient *client)
{
    return client->message[0] ? client->message : "no reason given";
}
