/* SPDX-License-Identifier: BSD-3-Clause */
/* Vectors file: the table of formats, and the checks of all views. */
#include "vectors_file.h"

#include <inttypes.h>
#include <string.h>

#include "files.h"
#include "vectors_private.h"

/* The first format whose probe recognises a file reads it. */
static const SinoVectorsFormat *const formats[] = {&sino_vectors_npy,    &sino_vectors_volume,  &sino_vectors_rtk,
                                                   &sino_vectors_ctsimu, &sino_vectors_scanner, &sino_vectors_text};
enum { FORMATS = sizeof formats / sizeof *formats };

static const char parallel_prefix[] = "parallel:";

static SinoStatus check_view(const char *path, int64_t number, const SinoView *view)
{
    const double flat = 1e-6; /* sine of the least angle */
    double normal[3], ray[3];
    sino_view_cross(view->column, view->row, normal);
    sino_view_direction(view, ray);
    const double area = sqrt(sino_view_dot(normal, normal)), length = sqrt(sino_view_dot(ray, ray));
    const double sides = sqrt(sino_view_dot(view->column, view->column) * sino_view_dot(view->row, view->row));
    SINO_CHECK(area > flat * sides, SINO_BAD_INPUT,
               "%s: the pixels of projection %" PRId64 " have no area, as columns and rows run along (%g, %g, %g) and "
               "(%g, %g, %g) mm; allowed: two directions",
               path, number, view->column[0], view->column[1], view->column[2], view->row[0], view->row[1],
               view->row[2]);
    SINO_CHECK(fabs(sino_view_dot(ray, normal)) > flat * length * area, SINO_BAD_INPUT,
               "%s: the %s of projection %" PRId64 " is (%g, %g, %g)%s, in the plane of its detector; allowed: outside "
               "it",
               path, view->parallel ? "direction" : "source", number, view->source[0], view->source[1], view->source[2],
               view->parallel ? "" : " mm");
    return NULL;
}

/* A name of parallel rays has a prefix, whose end is at *path. */
static bool cut_prefix(const char *name, const char **path)
{
    const size_t prefix = sizeof parallel_prefix - 1;
    const bool parallel = strncmp(name, parallel_prefix, prefix) == 0;
    *path = name + (parallel ? prefix : 0);
    return parallel;
}

static SinoStatus parse_text(const SinoVectorsFormat *format, const char *path, SinoVectors *vectors)
{
    SinoHeaderText text;
    SinoStatus status = sino_header_text_read(path, &text);
    if (!status) status = format->parse(&text, vectors);
    sino_header_text_clear(&text);
    return status;
}

static SinoStatus read_format(const char *name, SinoVectors *vectors)
{
    char head[SINO_VECTORS_HEAD + 1];
    const char *path;
    int i = 0;
    const bool parallel = cut_prefix(name, &path);
    const int64_t bytes = sino_regular_head(path, SINO_VECTORS_HEAD, head);
    head[bytes] = '\0';
    while (i + 1 < FORMATS && !formats[i]->probe(head, bytes)) i++;
    SINO_TRY(formats[i]->parse ? parse_text(formats[i], path, vectors) : formats[i]->read(path, parallel, vectors));
    SINO_CHECK(!parallel || formats[i]->bare || vectors->view[0].parallel, SINO_BAD_INPUT,
               "vectors is %s, but %s tells of sources; allowed: %s", name, path, path);
    for (int64_t k = 0; k < vectors->count; k++) {
        const SinoView *view = &vectors->view[k];
        if (vectors->partial && sino_view_dot(view->column, view->column) == 0) continue;
        SINO_TRY(check_view(path, k, view));
        SINO_CHECK(view->parallel == vectors->view[0].parallel, SINO_BAD_INPUT,
                   "%s: projection %" PRId64 " has %s; allowed: all projections alike", path, k,
                   view->parallel ? "parallel rays, and the first one a source"
                                  : "a source, and the first one parallel rays");
    }
    return NULL;
}

SinoStatus sino_vectors_read(const char *name, SinoVectors *result)
{
    SinoVectors vectors = {0};
    SinoStatus status = read_format(name, &vectors);
    if (status)
        sino_vectors_free(&vectors);
    else
        *result = vectors;
    return status;
}
