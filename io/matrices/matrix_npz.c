/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrix npz: what scipy.sparse.save_npz writes: a zip file of NPY arrays, compressed or not. `format` says csr, csc or
 * coo; `shape` has two numbers; `data`, `indices` and `indptr`, or `data`, `row` and `col`. */
#include "matrix_source.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "npy.h"

typedef struct Npz {
    const char *path; /* not owned */
    SinoNpzMember member[SINO_ARRAYS];
} Npz;

/* An archive that is open, and how far each of its arrays has been read. */
typedef struct Archive {
    const Npz *npz;
    zip_t *zip;
    zip_file_t *file[SINO_ARRAYS]; /* NULL: not open */
    int64_t at[SINO_ARRAYS];       /* bytes that were read */
    unsigned char *block;          /* SINO_NPZ_BLOCK */
} Archive;

/* Finds an array of one dimension. */
static SinoStatus find_array(const char *path, zip_t *zip, const char *name, bool integer, unsigned char *block,
                             SinoNpzMember *member)
{
    *member = (SinoNpzMember){.name = name};
    SINO_TRY(sino_npz_find(path, zip, name, block, member, NULL));
    SINO_CHECK(member->npy.rank == 1, SINO_BAD_INPUT, "%s: %s has %d dimensions; allowed: 1", path, name,
               member->npy.rank);
    SINO_CHECK(integer ? sino_npy_is_integer(&member->npy) : sino_npy_is_number(&member->npy), SINO_BAD_INPUT,
               "%s: %s holds %s; allowed: %s", path, name, member->npy.stored_type, integer ? "integers" : "numbers");
    return NULL;
}

static SinoStatus take_layout(const char *path, zip_t *zip, unsigned char *block, SinoMatrixLayout *layout)
{
    static const char *const words[] = {"csr", "csc", "coo"};
    SinoNpzMember member = {.name = NULL};
    char text[16] = "";
    SINO_TRY(sino_npz_find(path, zip, "format.npy", block, &member, NULL));
    const SinoNpy *npy = &member.npy;
    if (npy->count == 1 && !sino_npy_is_number(npy) && npy->header_bytes + npy->item_bytes <= SINO_NPZ_BLOCK)
        (void)sino_npy_text(npy, block + npy->header_bytes, text, sizeof text);
    for (int i = 0; i < 3; i++) {
        if (strcmp(text, words[i]) != 0) continue;
        *layout = (SinoMatrixLayout)i;
        return NULL;
    }
    return sino_error(SINO_BAD_INPUT, "%s: its format is '%s'; allowed: csr, csc and coo", path, text);
}

static SinoStatus take_shape(const char *path, zip_t *zip, unsigned char *block, SinoMatrixArrays *arrays)
{
    SinoNpzMember member;
    int64_t shape[2];
    SINO_TRY(find_array(path, zip, "shape.npy", true, block, &member));
    SINO_CHECK(member.npy.count == 2, SINO_BAD_INPUT, "%s: shape.npy has %" PRId64 " numbers; allowed: 2", path,
               member.npy.count);
    SINO_CHECK(member.npy.header_bytes <= SINO_NPZ_BLOCK - 16, SINO_BAD_INPUT, "%s: shape.npy has too long a header",
               path);
    sino_npy_integers(&member.npy, block + member.npy.header_bytes, 2, shape);
    arrays->row_count = shape[0];
    arrays->column_count = shape[1];
    return NULL;
}

static SinoStatus take_arrays(Npz *npz, zip_t *zip, unsigned char *block, SinoMatrixArrays *arrays)
{
    static const char *const names[2][SINO_ARRAYS] = {{"indptr.npy", "indices.npy", "data.npy"},
                                                      {"row.npy", "col.npy", "data.npy"}};
    SINO_TRY(take_layout(npz->path, zip, block, &arrays->layout));
    SINO_TRY(take_shape(npz->path, zip, block, arrays));
    arrays->random_access = true;
    for (int i = 0; i < SINO_ARRAYS; i++) {
        SinoNpzMember *member = &npz->member[i];
        const char *name = names[arrays->layout == SINO_COO][i];
        SINO_TRY(find_array(npz->path, zip, name, i != SINO_ARRAY_VALUES, block, member));
        arrays->name[i] = member->name;
        arrays->count[i] = member->npy.count;
        arrays->random_access &= member->stored;
    }
    return NULL;
}

static void end_pass(void *pass)
{
    Archive *archive = pass;
    for (int i = 0; i < SINO_ARRAYS; i++)
        if (archive->file[i]) (void)zip_fclose(archive->file[i]);
    zip_discard(archive->zip);
    free(archive->block);
    free(archive);
}

static SinoStatus begin_pass(void *state, void **pass)
{
    const Npz *npz = state;
    Archive *archive = NULL;
    SINO_TRY(sino_allocate(1, sizeof *archive, "an archive", &archive));
    archive->npz = npz;
    SinoStatus status = sino_allocate(SINO_NPZ_BLOCK, 1, "an archive", &archive->block);
    if (!status) status = sino_npz_open(npz->path, &archive->zip);
    if (status) {
        free(archive->block);
        free(archive);
        return status;
    }
    *pass = archive;
    return NULL;
}

/* Begins an array anew. */
static SinoStatus reopen(Archive *archive, SinoMatrixArray array)
{
    const SinoNpzMember *member = &archive->npz->member[array];
    if (archive->file[array]) (void)zip_fclose(archive->file[array]);
    archive->at[array] = 0;
    archive->file[array] = zip_fopen_index(archive->zip, member->index, 0);
    return archive->file[array] ? NULL : sino_npz_refuse(archive->npz->path, member->name, zip_strerror(archive->zip));
}

/* Moves to a byte of an array: at once when it is stored, else by reading what is before. */
static SinoStatus move_to(Archive *archive, SinoMatrixArray array, int64_t target)
{
    const SinoNpzMember *member = &archive->npz->member[array];
    int64_t *at = &archive->at[array], more;
    if (!archive->file[array] || *at > target) SINO_TRY(reopen(archive, array));
    if (member->stored && *at < target && zip_fseek(archive->file[array], target, SEEK_SET) == 0) *at = target;
    for (; *at < target; *at += more) {
        more = sino_smaller(SINO_NPZ_BLOCK, target - *at);
        SINO_TRY(sino_npz_read(archive->npz->path, member->name, archive->file[array], archive->block, more, NULL));
    }
    return NULL;
}

/* Reads as many of these elements as fit in the block. */
static SinoStatus read_block(Archive *archive, SinoMatrixArray array, int64_t first, int64_t count, int64_t *got)
{
    const SinoNpzMember *member = &archive->npz->member[array];
    *got = sino_smaller(count, SINO_NPZ_BLOCK / member->npy.item_bytes);
    const int64_t bytes = sino_times(*got, member->npy.item_bytes);
    SINO_TRY(move_to(archive, array, member->npy.header_bytes + first * member->npy.item_bytes));
    SINO_TRY(sino_npz_read(archive->npz->path, member->name, archive->file[array], archive->block, bytes, NULL));
    archive->at[array] += bytes;
    return NULL;
}

static SinoStatus read_integers(void *pass, SinoMatrixArray array, int64_t first, int64_t count, int64_t *values)
{
    Archive *archive = pass;
    int64_t got;
    for (int64_t done = 0; done < count; done += got) {
        SINO_TRY(read_block(archive, array, first + done, count - done, &got));
        sino_npy_integers(&archive->npz->member[array].npy, archive->block, got, values + done);
    }
    return NULL;
}

static SinoStatus read_doubles(void *pass, SinoMatrixArray array, int64_t first, int64_t count, double *values)
{
    Archive *archive = pass;
    int64_t got;
    for (int64_t done = 0; done < count; done += got) {
        SINO_TRY(read_block(archive, array, first + done, count - done, &got));
        sino_npy_doubles(&archive->npz->member[array].npy, archive->block, got, values + done);
    }
    return NULL;
}

static const SinoArrayReader reader = {
    .begin = begin_pass, .integers = read_integers, .doubles = read_doubles, .end = end_pass, .close = free};

static bool probe(const char *path, const unsigned char *head, int64_t bytes)
{
    (void)path;
    return bytes >= 4 && memcmp(head, "PK\3\4", 4) == 0;
}

static SinoStatus open_npz(SinoMatrixFile *file)
{
    SinoMatrixArrays arrays = {.reader = &reader};
    unsigned char *block = NULL;
    Npz *npz = NULL;
    zip_t *zip = NULL;
    SinoStatus status = NULL;
    SINO_TRY_OR(status, end, sino_allocate(1, sizeof *npz, "a matrix file", &npz));
    npz->path = file->path;
    SINO_TRY_OR(status, end, sino_allocate(SINO_NPZ_BLOCK, 1, "an archive", &block));
    SINO_TRY_OR(status, end, sino_npz_open(file->path, &zip));
    SINO_TRY_OR(status, end, take_arrays(npz, zip, block, &arrays));
end:
    if (zip) zip_discard(zip);
    free(block);
    arrays.state = npz;
    if (!status) return sino_matrix_arrays_open(file, &arrays);
    free(npz);
    return status;
}

const SinoMatrixFormat sino_npz_format = {
    .name = "SciPy", .example = "scipy.sparse.save_npz", .of_scans = true, .probe = probe, .open = open_npz};
