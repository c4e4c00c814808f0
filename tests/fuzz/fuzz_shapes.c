/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzzing: a scan in a sound HDF5 file of strange contents: ranks, sizes, types, layouts, links and virtual sources.
 * The input has a few bytes for each dataset. HDF5 itself is not fuzzed, as it is by fuzz_hdf5. */
#include "fuzz.h"
#include "hdf5_scan.h"

#include <hdf5.h>
#include <string.h>

static const uint8_t *rest, *end; /* of the input */

static unsigned next(unsigned choices)
{
    return rest < end ? *rest++ % choices : 0;
}

/* An attribute of some type: a text, of fixed or of variable length, or numbers. */
static void make_unit(hid_t dataset)
{
    static const char *const text[] = {"mm", "m", "", "a long text that is no unit of length at all"};
    const hsize_t size = 2;
    const unsigned kind = next(4), which = next(4);
    if (kind == 0) return;
    const hid_t type = H5Tcopy(kind == 3 ? H5T_NATIVE_DOUBLE : H5T_C_S1);
    if (kind < 3) (void)H5Tset_size(type, kind == 1 ? H5T_VARIABLE : strlen(text[which]) + 1);
    const hid_t space = kind == 3 ? H5Screate_simple(1, &size, NULL) : H5Screate(H5S_SCALAR);
    const hid_t attribute = H5Acreate2(dataset, "units", type, space, H5P_DEFAULT, H5P_DEFAULT);
    if (kind < 3 && next(2))
        (void)H5Awrite(attribute, type, kind == 1 ? (const void *)&text[which] : (const void *)text[which]);
    (void)H5Aclose(attribute);
    (void)H5Sclose(space);
    (void)H5Tclose(type);
}

static void make_dataset(hid_t file, const char *name)
{
    static const hsize_t size[] = {0, 1, 2, 3, 5, 17, 1 << 20, 1ULL << 31, 1ULL << 40, 1ULL << 62, INT64_MAX};
    static const char *const source[] = {".", "/proc/self/fd/999", "self\x1b[2J", ""};
    const hid_t type[] = {H5T_NATIVE_UINT16, H5T_NATIVE_FLOAT, H5T_NATIVE_UINT8, H5T_NATIVE_DOUBLE,
                          H5T_STD_I64BE,     H5T_C_S1,         H5T_NATIVE_B16,   H5T_NATIVE_LDOUBLE};
    hsize_t sizes[4], chunk[4] = {1, 1, 1, 1}, offset[4] = {0};
    const int rank = (int)next(5);
    for (int i = 0; i < rank; i++) sizes[i] = size[next(sizeof size / sizeof *size)];
    const hid_t creation = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(rank, sizes, NULL);
    const unsigned layout = next(5);
    if (layout == 1 && rank > 0) (void)H5Pset_chunk(creation, rank, chunk);
    if (layout == 2) (void)H5Pset_external(creation, source[next(4)], (off_t)next(9), H5F_UNLIMITED);
    if (layout == 3 && rank > 0) {
        const hid_t part = H5Scopy(space);
        for (int i = 0; i < rank; i++) sizes[i] = 1;
        (void)H5Sselect_hyperslab(part, H5S_SELECT_SET, offset, NULL, sizes, NULL);
        (void)H5Pset_virtual(creation, part, source[next(4)], name, part);
        (void)H5Sclose(part);
    }
    const hid_t dataset = H5Dcreate2(file, name, type[next(8)], space, H5P_DEFAULT, creation, H5P_DEFAULT);
    if (dataset >= 0) make_unit(dataset);
    (void)H5Dclose(dataset);
    (void)H5Pclose(creation);
    (void)H5Sclose(space);
}

static void make_member(hid_t file, const char *name)
{
    const unsigned kind = next(8);
    if (kind == 1) (void)H5Gclose(H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    if (kind == 2) (void)H5Lcreate_soft(name, file, name, H5P_DEFAULT, H5P_DEFAULT);
    if (kind == 3) (void)H5Lcreate_external("missing.h5", name, file, name, H5P_DEFAULT, H5P_DEFAULT);
    if (kind > 3) make_dataset(file, name);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char image[1 << 20];
    rest = data;
    end = data + size;
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    fuzz_require(H5Pset_fapl_core(access, 1 << 12, false) >= 0);
    const hid_t file = H5Fcreate("fuzz_shapes.h5", H5F_ACC_TRUNC, H5P_DEFAULT, access);
    static const char *const group[] = {"/exchange", "/measurement", "/measurement/instrument",
                                        "/measurement/instrument/source", "/measurement/instrument/detector"};
    for (int i = 0; i < 5; i++) (void)H5Gclose(H5Gcreate2(file, group[i], H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    static const char *const member[] = {"/exchange/data",  "/exchange/data_white", "/exchange/data_dark",
                                         "/exchange/theta", SINO_SOURCE_DISTANCE,   SINO_PIXEL_WIDTH};
    for (int i = 0; i < 6; i++) make_member(file, member[i]);
    (void)H5Fflush(file, H5F_SCOPE_GLOBAL);
    const ssize_t length = H5Fget_file_image(file, image, sizeof image);
    (void)H5Fclose(file);
    (void)H5Pclose(access);
    if (length > 0) fuzz_scan(&(SinoScanRequest){.path = fuzz_file(0, image, (size_t)length)});
    return 0;
}
