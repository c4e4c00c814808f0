/* SPDX-License-Identifier: BSD-3-Clause */
/* HDF5 images: visits the links of a file, up to a number of them. */
#include "hdf5_files.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { VISITS_MAX = 4096, LISTED_MAX = 4, LINKS_SIZE = 512 };

typedef struct Visitor {
    const char *path;
    hid_t access;
    int visits, images, dangling;
    size_t size;
    char *text;
    char links[LINKS_SIZE]; /* those that lead nowhere */
} Visitor;

static void append_image(Visitor *visitor, const char *name, const SinoDataset *dataset)
{
    const size_t length = strlen(visitor->text);
    snprintf(visitor->text + length, visitor->size - length, "%s%.200s (%s, %" PRId64 " x %" PRId64 " x %" PRId64 ")",
             visitor->images++ > 0 ? ", " : "for --dataset: ", name, dataset->stored_type, dataset->size[0],
             dataset->size[1], dataset->size[2]);
}

/* The reason is that of sino_dataset_open: "FILE: /NAME is a link to …, which cannot be opened". */
static void append_dangling(Visitor *visitor, const char *reason)
{
    const char *name = strstr(reason, ": ");
    const size_t length = strlen(visitor->links);
    visitor->dangling++;
    snprintf(visitor->links + length, LINKS_SIZE - length, "%s%.300s", length ? "; " : "", name ? name + 2 : reason);
}

/* Opens what a link leads to: an image, or nothing. */
static void look_at(Visitor *visitor, hid_t file, const char *name)
{
    SinoDataset dataset;
    char place[512];
    if (snprintf(place, sizeof place, "/%s", name) >= (int)sizeof place) return;
    const bool exists = H5Oexists_by_name(file, name, visitor->access) > 0;
    if (exists ? visitor->images == LISTED_MAX : visitor->dangling == LISTED_MAX) return;
    SinoStatus status = sino_dataset_open(visitor->path, file, place, 3, false, &dataset);
    if (!status) {
        append_image(visitor, place, &dataset);
        sino_dataset_close(&dataset);
    } else if (!exists) {
        append_dangling(visitor, sino_status_text(status));
    }
    sino_status_free(status);
}

/* Links of the root come first: however large the file is, they are seen. */
static herr_t visit_root(hid_t file, const char *name, const H5L_info_t *about, void *to)
{
    Visitor *visitor = to;
    if (++visitor->visits > VISITS_MAX) return 1;
    if (about->type != H5L_TYPE_HARD && H5Oexists_by_name(file, name, visitor->access) <= 0)
        look_at(visitor, file, name);
    return 0;
}

static herr_t visit(hid_t file, const char *name, const H5L_info_t *about, void *to)
{
    Visitor *visitor = to;
    if (++visitor->visits > VISITS_MAX || visitor->images == LISTED_MAX) return 1;
    const bool seen =
        about->type != H5L_TYPE_HARD && !strchr(name, '/') && H5Oexists_by_name(file, name, visitor->access) <= 0;
    if (!seen) look_at(visitor, file, name);
    return 0;
}

void sino_hdf5_images(const char *path, hid_t file, size_t size, char *text)
{
    Visitor visitor = {.path = path, .size = size, .text = text, .access = sino_hdf5_link_access()};
    *text = '\0';
    if (visitor.access < 0) return;
    (void)H5Literate(file, H5_INDEX_NAME, H5_ITER_INC, NULL, visit_root, &visitor);
    visitor.visits = 0;
    (void)H5Lvisit(file, H5_INDEX_NAME, H5_ITER_INC, visit, &visitor);
    (void)H5Pclose(visitor.access);
    const size_t length = strlen(text);
    snprintf(text + length, size - length, "%s%s", length && *visitor.links ? "; " : "", visitor.links);
}
