/* SPDX-License-Identifier: BSD-3-Clause */
/* Cairo stream: what cairo writes goes to an output file. */
#ifndef SINO_CAIRO_STREAM_H
#define SINO_CAIRO_STREAM_H

#include "output_file.h"

#include <cairo.h>

typedef struct SinoCairoStream {
    SinoOutputFile *file; /* not owned */
    int64_t bytes;        /* written so far */
} SinoCairoStream;

/* Of cairo's type cairo_write_func_t; the closure is a SinoCairoStream. The output file records failures, so cairo
 * always gets success. */
static inline cairo_status_t sino_cairo_write(void *closure, const unsigned char *bytes, unsigned count)
{
    SinoCairoStream *stream = closure;
    sino_output_write(stream->file, stream->bytes, bytes, count);
    stream->bytes += count;
    return CAIRO_STATUS_SUCCESS;
}

#endif
