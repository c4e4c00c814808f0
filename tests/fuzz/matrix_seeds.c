/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzzing: a matrix of 4 rows and 3 columns in every format; MATLAB files hold a scan, too. */
#include "matrix_seeds.h"

#include "fuzz.h"
#include "testing_mat.h"
#include "testing_npy.h"

#include <hdf5.h>
#include <zip.h>
#include <zlib.h>

static const int32_t pointers[] = {0, 1, 1, 2, 3}, indices[] = {1, 0, 2}, rows[] = {0, 2, 3}, shape[] = {4, 3};
static const float values[] = {1.5F, 2, 3};

static void write_bytes(const char *path, const void *bytes, size_t size)
{
    FILE *out = fopen(path, "w");
    fuzz_require(out && fwrite(bytes, size, 1, out) == 1 && fclose(out) == 0);
}

/* Two rings of one crystal, whose pairs are rows (0, 0), (0, 1), (1, 0) and (1, 1); 1 × 1 × 3 voxels. */
static void write_csr4(const char *path, unsigned char flags)
{
    static const uint64_t ends[] = {1, 2, 2, 3};
    const uint32_t header[] = {0x52534350, 4U | (uint32_t)flags << 8, 4, 3, 3, 0, 64}, one = 1, two = 2; /* PCSR */
    const uint32_t grid[] = {1, 1, 3};
    const float zeros[5] = {0};
    FILE *out = fopen(path, "w");
    fuzz_require(out && fwrite(header, sizeof header, 1, out) == 1);
    fuzz_require(fwrite(&one, 4, 1, out) == 1 && fwrite(zeros, 20, 1, out) == 1 && fwrite(&one, 4, 1, out) == 1);
    fuzz_require(fwrite(&one, 4, 1, out) == 1 && fwrite(&two, 4, 1, out) == 1 && fwrite(zeros, 4, 1, out) == 1);
    fuzz_require(fwrite(zeros, 12, 1, out) == 1 && fwrite(grid, 12, 1, out) == 1 && fwrite(ends, 32, 1, out) == 1);
    for (int i = 0; i < 3; i++) fuzz_require(fwrite(&indices[i], 4, 1, out) == 1 && fwrite(&values[i], 4, 1, out) == 1);
    fuzz_require(fclose(out) == 0);
}

static void write_market(const char *path, const char *mode, const char *text)
{
    gzFile out = gzopen(path, mode);
    fuzz_require(out && gzputs(out, text) > 0 && gzclose(out) == Z_OK);
}

static void write_npy(const char *path, int version, const char *type, const char *size, const void *bytes,
                      size_t count)
{
    size_t length;
    unsigned char *file = testing_npy(version, type, size, bytes, count, &length);
    write_bytes(path, file, length);
    free(file);
}

static void add(zip_t *zip, const char *name, bool deflate, const char *type, const char *size, const void *bytes,
                size_t count)
{
    size_t length;
    unsigned char *file = testing_npy(1, type, size, bytes, count, &length);
    const zip_int64_t index = zip_file_add(zip, name, zip_source_buffer(zip, file, length, 1), ZIP_FL_OVERWRITE);
    fuzz_require(index >= 0);
    zip_set_file_compression(zip, (zip_uint64_t)index, deflate ? ZIP_CM_DEFLATE : ZIP_CM_STORE, 0);
}

static void write_npz(const char *path, const char *format, bool deflate)
{
    static const int32_t turned[] = {3, 4};
    const bool coordinates = strcmp(format, "coo") == 0, columns = strcmp(format, "csc") == 0;
    int error;
    (void)unlink(path);
    zip_t *zip = zip_open(path, ZIP_CREATE | ZIP_TRUNCATE, &error);
    fuzz_require(zip != NULL);
    add(zip, coordinates ? "col.npy" : "indices.npy", deflate, "<i4", "(3,)", indices, sizeof indices);
    if (coordinates)
        add(zip, "row.npy", deflate, "<i4", "(3,)", rows, sizeof rows);
    else
        add(zip, "indptr.npy", deflate, "<i4", "(5,)", pointers, sizeof pointers);
    add(zip, "format.npy", deflate, "|S3", "()", format, 3);
    add(zip, "shape.npy", deflate, "<i4", "(2,)", columns ? turned : shape, sizeof shape);
    add(zip, "data.npy", deflate, "<f4", "(3,)", values, sizeof values);
    fuzz_require(zip_close(zip) == 0);
}

static void add_dataset(hid_t file, const char *name, hid_t type, hsize_t count, const void *array)
{
    const hid_t space = H5Screate_simple(1, &count, NULL);
    const hid_t dataset = H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    fuzz_require(dataset >= 0 && H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, array) >= 0);
    fuzz_require(H5Dclose(dataset) >= 0 && H5Sclose(space) >= 0);
}

static void write_hdf5(const char *path)
{
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    fuzz_require(file >= 0);
    add_dataset(file, "data", H5T_NATIVE_FLOAT, 3, values);
    add_dataset(file, "indices", H5T_NATIVE_INT32, 3, indices);
    add_dataset(file, "indptr", H5T_NATIVE_INT32, 5, pointers);
    add_dataset(file, "shape", H5T_NATIVE_INT32, 2, shape);
    fuzz_require(H5Fclose(file) >= 0);
}

/* A scan of 2 projections of 3 columns, its angles, and the matrix, in either order of bytes. */
static void write_mat(const char *path, bool big, bool compressed)
{
    static const double angles[] = {0, 90}, reals[] = {1.5, 2, 3};
    static const int32_t size[] = {3, 2}, turned[] = {3, 4};
    static const uint16_t counts[] = {1, 2, 3, 4, 5, 6};
    TestingMat mat = testing_mat(big);
    testing_mat_variable(&mat, &(TestingMatVariable){.name = "d",
                                                     .compressed = compressed,
                                                     .class = 11,
                                                     .rank = 2,
                                                     .size = size,
                                                     .part_count = 1,
                                                     .part = {{4, 2, 6, counts}}});
    testing_mat_variable(&mat, &(TestingMatVariable){.name = "t",
                                                     .class = 6,
                                                     .rank = 2,
                                                     .size = (int32_t[]){1, 2},
                                                     .part_count = 1,
                                                     .part = {{9, 8, 2, angles}}});
    testing_mat_variable(&mat,
                         &(TestingMatVariable){.name = "A",
                                               .compressed = compressed,
                                               .class = 5,
                                               .rank = 2,
                                               .size = turned,
                                               .part_count = 3,
                                               .part = {{5, 4, 3, indices}, {5, 4, 5, pointers}, {9, 8, 3, reals}}});
    TestingMat field = {.big = big};
    static const char *const name[] = {"f"};
    testing_mat_variable(
        &field, &(TestingMatVariable){
                    .name = "", .class = 11, .rank = 2, .size = size, .part_count = 1, .part = {{4, 2, 6, counts}}});
    testing_mat_variable(&mat, &(TestingMatVariable){.name = "s",
                                                     .compressed = compressed,
                                                     .class = 2,
                                                     .rank = 2,
                                                     .size = (int32_t[]){1, 1},
                                                     .field_count = 1,
                                                     .field_name = name,
                                                     .fields = &field});
    free(field.bytes);
    testing_mat_write(&mat, path);
}

void fuzz_matrix_seeds(const char *folder)
{
    static const char *const symmetric =
        "%%MatrixMarket matrix coordinate pattern symmetric\n% text\n3 3 2\n2 1\n3 3\n";
    static const char *const general =
        "%%MatrixMarket matrix coordinate real general\n4 3 3\n1 2 1.5\n3 1 2e0\n4 3 30E-1";
    write_csr4(fuzz_seed_path(folder, "csr4", 1), 0);
    write_csr4(fuzz_seed_path(folder, "csr4", 2), 5);
    write_market(fuzz_seed_path(folder, "market", 1), "wbT", general);
    write_market(fuzz_seed_path(folder, "market", 2), "wb", symmetric);
    write_market(fuzz_seed_path(folder, "crystals", 1), "wbT", "# id x y z\n0 -9, 0.1 0\n1\t9 0 1e-1 # mm\n2 0 9 0\n");
    write_market(fuzz_seed_path(folder, "crystals", 2), "wbT", "4 0 -9 0 0\n4 1 9 0 0\n5 0 -9 0 1\n5 1 9 0 1\n");
    write_npy(fuzz_seed_path(folder, "npy", 1), 1, "<f4", "(3,)", values, sizeof values);
    write_npy(fuzz_seed_path(folder, "npy", 2), 3, ">i4", "(2, 2)", pointers, 16);
    write_npy(fuzz_seed_path(folder, "npy", 3), 2, "<U1", "()", "c\0\0\0", 4);
    write_npz(fuzz_seed_path(folder, "npz", 1), "csr", false);
    write_npz(fuzz_seed_path(folder, "npz", 2), "csc", true);
    write_npz(fuzz_seed_path(folder, "npz", 3), "coo", false);
    write_hdf5(fuzz_seed_path(folder, "matrix_hdf5", 1));
    write_mat(fuzz_seed_path(folder, "mat", 1), false, false);
    write_mat(fuzz_seed_path(folder, "mat", 2), true, false);
    write_mat(fuzz_seed_path(folder, "mat", 3), false, true);
}
