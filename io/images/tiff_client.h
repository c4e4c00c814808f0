/* SPDX-License-Identifier: BSD-3-Clause */
/* TIFF client: puts libtiff's messages about a file into errors, instead of printing them on stderr. */
#pragma once

/* The first member of every handle that io gives to TIFFClientOpen. */
typedef struct SinoTiffClient {
    char message[240]; /* first message of libtiff since the text was cleared; "": none */
} SinoTiffClient;

/* Stops libtiff from printing; its messages go to the clients. Call before TIFFClientOpen. */
void sino_tiff_quiet(void);

/* The message for the end of an error's text, or a text that says that there is none. */
const char *sino_tiff_reason(const SinoTiffClient *client);
