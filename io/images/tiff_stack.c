/* SPDX-License-Identifier: BSD-3-Clause */
/* TIFF stack: reads images from a sequence of TIFF files, or from the pages of one file. */
#include "tiff_images.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "paths.h"

static const char *const endings[] = {".tif", ".tiff", NULL};

bool sino_tiff_stack_probe(const char *named)
{
    switch (sino_path_kind(named)) {
    case SINO_PATH_FILE:
        return sino_tiff_probe(named);
    case SINO_PATH_ABSENT:
        return sino_file_list_is_pattern(named);
    case SINO_PATH_FOLDER:
        return sino_file_list_has(named, endings);
    case SINO_PATH_OTHER:
        break;
    }
    return false;
}

static SinoStatus check_same(const SinoFileList *files, int64_t i, const SinoTiffPage *first, const SinoTiffPage *page,
                             const char *what)
{
    SINO_CHECK(page->row_count == first->row_count && page->column_count == first->column_count, SINO_BAD_INPUT,
               "%s%s has %" PRId64 " rows and %" PRId64 " columns; allowed: %" PRId64 " and %" PRId64 ", as %s has",
               files->name[i], what, page->row_count, page->column_count, first->row_count, first->column_count,
               i == 0 ? "its first page" : files->name[0]);
    SINO_CHECK(page->stored_type == first->stored_type, SINO_BAD_INPUT, "%s%s holds %s; allowed: %s, as %s has",
               files->name[i], what, page->stored_type, first->stored_type, i == 0 ? "its first page" : files->name[0]);
    return NULL;
}

/* Lists the pages of one file of the list. */
static SinoStatus look_at(const SinoFileList *files, int64_t i, int64_t *count, SinoTiffPage **pages)
{
    SinoTiffFile *file;
    SINO_TRY(sino_tiff_file_open(files->name[i], &file));
    SinoStatus status = sino_tiff_file_pages(file, count, pages);
    sino_tiff_file_close(file);
    return status;
}

static SinoStatus look_at_pages(SinoTiffStack *stack)
{
    SINO_TRY(look_at(&stack->files, 0, &stack->image_count, &stack->page));
    for (int64_t p = 1; p < stack->image_count; p++) {
        char what[32];
        snprintf(what, sizeof what, ", page %" PRId64 ",", p);
        SINO_TRY(check_same(&stack->files, 0, &stack->page[0], &stack->page[p], what));
    }
    return NULL;
}

static SinoStatus look_at_other(const SinoTiffStack *stack, int64_t i)
{
    SinoTiffPage *page = NULL;
    int64_t count;
    SINO_TRY(look_at(&stack->files, i, &count, &page));
    SinoStatus status = check_same(&stack->files, i, &stack->page[0], page, "");
    free(page);
    if (status) return status;
    SINO_CHECK(count == 1, SINO_BAD_INPUT,
               "%s has %" PRId64 " pages; allowed: one file of several pages, or several files of one page",
               stack->files.name[i], count);
    return NULL;
}

static SinoStatus look_at_all(SinoTiffStack *stack)
{
    const SinoFileList *files = &stack->files;
    SINO_TRY(look_at_pages(stack));
    if (files->count == 1) return NULL;
    SINO_CHECK(stack->image_count == 1, SINO_BAD_INPUT,
               "%s has %" PRId64 " pages; allowed: one file of several pages, or several files of one page",
               files->name[0], stack->image_count);
    for (int64_t i = 1; i < files->count; i++) SINO_TRY(look_at_other(stack, i));
    stack->image_count = files->count;
    return NULL;
}

SinoStatus sino_tiff_stack_open(const char *named, SinoTiffStack **opened)
{
    SinoTiffStack *stack;
    SINO_TRY(sino_allocate(1, sizeof *stack, "a TIFF stack", &stack));
    SinoStatus status = sino_file_list_new(1, &named, endings, &stack->files);
    if (!status) status = look_at_all(stack);
    SINO_GIVE(status, stack, sino_tiff_stack_close, opened);
}

/* Reads the box from the first page of one of several files; its place in that file may differ from the place in the
 * first file. */
static SinoStatus read_file(const char *path, const SinoTiffPage *first, const SinoScanBox *box, SinoCountType type,
                            void *counts)
{
    SinoTiffFile *file;
    SinoTiffPage page = *first;
    SINO_TRY(sino_tiff_file_open(path, &file));
    page.place = 0;
    SinoStatus status = sino_tiff_file_read(file, &page, box, type, counts);
    sino_tiff_file_close(file);
    return status;
}

/* Whether an image of the list can be read to its end. */
static SinoStatus look_at_whole(const SinoTiffStack *stack, const SinoFileList *files, int64_t i)
{
    const SinoTiffPage *page = &stack->page[0];
    const SinoScanBox last = {page->row_count - 1, 1, page->column_count - 1, 1};
    const SinoTiffStack other = {.files = *files, .page = stack->page};
    float pixel;
    SINO_TRY(look_at_other(&other, i));
    return read_file(files->name[i], page, &last, SINO_COUNT_FLOAT32, &pixel);
}

SinoStatus sino_tiff_stack_follow(const char *named, SinoTiffStack **opened)
{
    SinoTiffStack *stack;
    SINO_TRY(sino_allocate(1, sizeof *stack, "a TIFF stack", &stack));
    stack->named = strdup(named);
    SinoStatus status =
        stack->named ? sino_file_list_new(1, &named, endings, &stack->files) : sino_error(SINO_FAILED, "no memory");
    if (!status) status = look_at(&stack->files, 0, &stack->image_count, &stack->page);
    if (!status) status = look_at_whole(stack, &stack->files, 0);
    SINO_GIVE(status, stack, sino_tiff_stack_close, opened);
}

/* A file that came between others would move their images. */
static SinoStatus check_order(const SinoTiffStack *stack, const SinoFileList *files)
{
    for (int64_t i = 0; i < stack->whole && i < files->count; i++)
        SINO_CHECK(strcmp(files->name[i], stack->files.name[i]) == 0, SINO_FAILED,
                   "%s is there now, before %s in the order of the names, whose projection has been read",
                   files->name[i], stack->files.name[i]);
    return NULL;
}

/* Counts whole images. */
static SinoStatus count_whole(SinoTiffStack *stack, int64_t end)
{
    bool settled = true;
    assert(stack->state);
    for (int64_t i = stack->whole; i < end; i++) {
        const SinoFileState before = stack->state[i];
        stack->state[i] = sino_file_state(stack->files.name[i]);
        settled &= sino_file_state_same(&before, &stack->state[i]);
        if (!settled) continue;
        SINO_TRY(look_at_whole(stack, &stack->files, i));
        stack->whole++;
    }
    return NULL;
}

static SinoStatus check_unchanged(const SinoTiffStack *stack, int64_t i)
{
    const SinoFileState now = sino_file_state(stack->files.name[i]);
    SINO_CHECK(sino_file_state_same(&now, &stack->state[i]), SINO_FAILED,
               "%s was written again after it had come, so that the projections may be those of two scans",
               stack->files.name[i]);
    return NULL;
}

SinoStatus sino_tiff_stack_look(SinoTiffStack *stack, SinoStatus *reason)
{
    SinoFileList files = {0};
    int64_t before;
    *reason = stack->state ? NULL : sino_allocate(stack->image_count, sizeof *stack->state, "files", &stack->state);
    if (!*reason) *reason = sino_file_list_new(1, (const char *const *)&stack->named, endings, &files);
    if (*reason) return NULL;
    SinoStatus status = check_order(stack, &files);
    sino_file_list_free(&stack->files);
    stack->files = files;
    if (status) return status;
    const bool skips = sino_file_list_gap(&files, &before);
    const int64_t end = sino_smaller(skips ? before + 1 : files.count, stack->image_count);
    stack->whole = sino_smaller(stack->whole, files.count);
    *reason = count_whole(stack, end);
    if (!*reason && skips && stack->whole == end)
        *reason = sino_error(SINO_FAILED, "the numbers of the files skip some between %s and %s", files.name[before],
                             files.name[before + 1]);
    for (int64_t i = 0; i < stack->whole && stack->whole == stack->image_count; i++)
        SINO_TRY(check_unchanged(stack, i));
    return NULL;
}

void sino_tiff_stack_close(SinoTiffStack *stack)
{
    if (!stack) return;
    free(stack->named);
    sino_file_list_free(&stack->files);
    free(stack->state);
    free(stack->page);
    free(stack);
}

static SinoStatus read_pages(const SinoTiffStack *stack, int64_t first, int64_t count, const SinoScanBox *box,
                             SinoCountType type, char *counts, int64_t image_bytes)
{
    SinoTiffFile *file;
    SinoStatus status = NULL;
    SINO_TRY(sino_tiff_file_open(stack->files.name[0], &file));
    for (int64_t i = 0; i < count && !status; i++)
        status = sino_tiff_file_read(file, &stack->page[first + i], box, type, counts + i * image_bytes);
    sino_tiff_file_close(file);
    return status;
}

SinoStatus sino_tiff_stack_read(const SinoTiffStack *stack, int64_t first, int64_t count, const SinoScanBox *box,
                                SinoCountType type, void *counts)
{
    const int64_t image_bytes = sino_times(sino_times(box->row_count, box->column_count), sino_count_bytes(type));
    if (stack->files.count == 1 && !stack->named)
        return read_pages(stack, first, count, box, type, counts, image_bytes);
    for (int64_t i = first; i < first + count; i++, counts = (char *)counts + image_bytes) {
        SINO_TRY(read_file(stack->files.name[i], &stack->page[0], box, type, counts));
        if (i < stack->whole) SINO_TRY(check_unchanged(stack, i));
    }
    return NULL;
}
