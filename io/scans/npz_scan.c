/* SPDX-License-Identifier: BSD-3-Clause */
/* NPZ scan: projections, flat and dark fields, and angles in arrays of an archive that numpy.savez has written. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "array_scan.h"
#include "memory.h"
#include "npy.h"
#include "numbers.h"

/* An array of an archive. */
typedef struct Npz {
    const char *path; /* not owned */
    char *name;       /* "data.npy"; owned */
    SinoNpzMember member;
    int unpacked; /* the member in a file of its own; < 0: not yet */
    unsigned char block[SINO_NPZ_BLOCK];
} Npz;

static void close_owner(void *owner)
{
    Npz *npz = owner;
    if (npz->unpacked >= 0) close(npz->unpacked);
    free(npz->name);
    free(npz);
}

static SinoStatus copy_member(Npz *npz, zip_t *zip, int descriptor)
{
    zip_file_t *file = zip_fopen_index(zip, npz->member.index, 0);
    if (!file) return sino_npz_refuse(npz->path, npz->name, zip_strerror(zip));
    SinoStatus status = NULL;
    for (int64_t got = 1; got > 0 && !status;) {
        status = sino_npz_read(npz->path, npz->name, file, npz->block, SINO_NPZ_BLOCK, &got);
        if (!status) status = sino_nameless_write(npz->path, descriptor, (const char *)npz->block, got);
    }
    (void)zip_fclose(file); /* opened for reading */
    return status;
}

static SinoStatus unpack(void *owner, int descriptor)
{
    Npz *npz = owner;
    zip_t *zip;
    SINO_TRY(sino_npz_open(npz->path, &zip));
    SinoStatus status = copy_member(npz, zip, descriptor);
    zip_discard(zip);
    return status;
}

static SinoStatus prepare(void *owner, int *descriptor)
{
    Npz *npz = owner;
    if (npz->unpacked < 0) SINO_TRY(sino_nameless_new(unpack, npz, &npz->unpacked));
    *descriptor = npz->unpacked;
    return NULL;
}

/* Looks through the archive: the names of all arrays, the last one that may be projections, and the reason why another
 * is not read. */
static SinoStatus look_through(Npz *npz, zip_t *zip, size_t size, char *names, int *fitting, SinoStatus *reason)
{
    const zip_int64_t count = zip_get_num_entries(zip, 0);
    size_t length = 0;
    for (zip_int64_t i = 0; i < count; i++) {
        SinoNpzMember member;
        const char *name = zip_get_name(zip, (zip_uint64_t)i, 0);
        const size_t stem = name ? strlen(name) : 0;
        if (stem < 5 || strcmp(name + stem - 4, ".npy") != 0) continue;
        if (length < size)
            length +=
                (size_t)snprintf(names + length, size - length, "%s%.*s", length ? ", " : "", (int)stem - 4, name);
        SinoStatus status = sino_npz_find(npz->path, zip, name, npz->block, &member, NULL);
        const SinoNpy *npy = &member.npy;
        const bool fits =
            !status && sino_npy_is_number(npy) && npy->kind != SINO_NPY_BOOL && (npy->rank == 2 || npy->rank == 3);
        if (status && !*reason)
            *reason = status;
        else
            sino_status_free(status);
        if (!fits) continue;
        ++*fitting;
        free(npz->name);
        npz->name = strdup(name);
        SINO_CHECK(npz->name, SINO_FAILED, "no memory for a name");
    }
    return NULL;
}

static SinoStatus find(Npz *npz, zip_t *zip, const char *name)
{
    char names[160] = "nothing";
    int fitting = 0;
    bool found;
    if (name) {
        SINO_CHECK(asprintf(&npz->name, "%s.npy", name + (*name == '/')) >= 0, SINO_FAILED, "no memory for a name");
        SINO_TRY(sino_npz_find(npz->path, zip, npz->name, npz->block, &npz->member, &found));
        if (found) return NULL;
    }
    SinoStatus reason = NULL, status = look_through(npz, zip, sizeof names, names, &fitting, &reason);
    if (!status && !name && fitting == 0 && reason) return reason;
    sino_status_free(reason);
    SINO_TRY(status);
    SINO_CHECK(!name, SINO_BAD_INPUT, "%s has no array %s; it has: %s", npz->path, name, names);
    SINO_CHECK(fitting == 1, SINO_BAD_INPUT,
               "%s has %d arrays of two or three dimensions; allowed: one of them by --dataset: %s", npz->path, fitting,
               names);
    return sino_npz_find(npz->path, zip, npz->name, npz->block, &npz->member, NULL);
}

/* Opens an array; name NULL: the only one that may be projections. The caller ends with close_owner. */
static SinoStatus open_member(const char *path, const char *name, Npz **opened)
{
    zip_t *zip;
    Npz *npz;
    SINO_TRY(sino_allocate(1, sizeof *npz, "an archive", &npz));
    npz->path = path;
    npz->unpacked = -1;
    SinoStatus status = sino_npz_open(path, &zip);
    if (!status) {
        status = find(npz, zip, name);
        zip_discard(zip);
    }
    const SinoNpy *npy = &npz->member.npy;
    if (!status && (!sino_npy_is_number(npy) || npy->kind == SINO_NPY_BOOL))
        status = sino_error(SINO_BAD_INPUT, "%s: %s holds %s; allowed: integers or floating-point numbers", path,
                            npz->name, npy->stored_type);
    SINO_GIVE(status, npz, close_owner, opened);
}

static SinoStatus open_array(const char *path, const char *name, SinoScanPart *part, SinoArrayScan **arrays)
{
    Npz *npz;
    SINO_TRY(sino_array_scan_new(path, part, arrays));
    SINO_TRY(open_member((*arrays)->files.name[0], name, &npz));
    (*arrays)->owner = npz;
    (*arrays)->prepare = prepare;
    (*arrays)->close = close_owner;
    (*arrays)->array = npz->member.npy;
    return NULL;
}

static bool probe_npz(const SinoScanRequest *request)
{
    return sino_npz_probe_file(request->path);
}

static SinoStatus open_npz(const SinoScanRequest *request, SinoScan *scan)
{
    SinoArrayScan *arrays;
    SINO_TRY(open_array(request->path, request->dataset, &scan->data, &arrays));
    const Npz *npz = arrays->owner;
    scan->info.type = sino_plain_count_type(&arrays->array);
    scan->info.angle_named = true;
    scan->info.certainty = request->dataset ? "by your option" : "likely";
    snprintf(scan->evidence, sizeof scan->evidence, "%s %.*s", request->dataset ? "array" : "the only array,",
             (int)sino_smaller((int64_t)strlen(npz->name) - 4, 200), npz->name);
    snprintf(scan->stored_type, sizeof scan->stored_type, "%s", arrays->array.stored_type);
    return sino_array_scan_data(arrays, request, &scan->info);
}

const SinoScanFormat sino_npz_scan_format = {.name = "NumPy archive",
                                             .example = ".npz",
                                             .takes_dataset = true,
                                             .takes_axes = true,
                                             .probe = probe_npz,
                                             .open = open_npz,
                                             .open_array = open_array};
