/* SPDX-License-Identifier: BSD-3-Clause */
/* Testing with MATLAB files of level 5: makes them as MATLAB does, in either order of bytes, compressed or not. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

/* Bytes that grow. */
typedef struct TestingMat {
    bool big; /* the highest byte first */
    size_t length, capacity;
    unsigned char *bytes; /* owned */
} TestingMat;

/* Values of a variable: in the machine's order of bytes. */
typedef struct TestingMatPart {
    uint32_t type; /* 1 int8 … 9 double */
    size_t width, count;
    const void *values;
} TestingMatPart;

typedef struct TestingMatVariable {
    const char *name;
    bool compressed;
    uint32_t class, flags; /* 5 sparse, 6 double … 15 uint64; 8 complex */
    int rank;
    const int32_t *size; /* the first is contiguous */
    int part_count;
    TestingMatPart part[4];
    int field_count; /* of a structure, class 2 */
    const char *const *field_name;
    const struct TestingMat *fields; /* [field_count]: the bytes of each; NULL: no structure */
} TestingMatVariable;

__attribute__((unused)) static void testing_mat_put(TestingMat *mat, const void *bytes, size_t count)
{
    if (mat->length + count >= mat->capacity) {
        mat->capacity = 2 * (mat->length + count + 1);
        mat->bytes = realloc(mat->bytes, mat->capacity);
        if (!mat->bytes) abort();
    }
    if (count > 0) memcpy(mat->bytes + mat->length, bytes, count);
    mat->length += count;
}

__attribute__((unused)) static void testing_mat_word(TestingMat *mat, uint32_t word)
{
    unsigned char bytes[4];
    for (int i = 0; i < 4; i++) bytes[mat->big ? 3 - i : i] = (unsigned char)(word >> 8 * i);
    testing_mat_put(mat, bytes, 4);
}

/* Begins a file. */
__attribute__((unused)) static TestingMat testing_mat(bool big)
{
    TestingMat mat = {.big = big};
    static const char name[] = "MATLAB 5.0 MAT-file";
    char text[124];
    memset(text, ' ', sizeof text);
    memcpy(text, name, sizeof name - 1);
    testing_mat_put(&mat, text, sizeof text);
    testing_mat_put(&mat, big ? "\1\0MI" : "\0\1IM", 4);
    return mat;
}

/* A part behind its tag, which holds up to 4 bytes itself. */
__attribute__((unused)) static void testing_mat_part(TestingMat *mat, const TestingMatPart *part)
{
    const size_t bytes = part->width * part->count, first = mat->length;
    const bool small = bytes > 0 && bytes <= 4;
    testing_mat_word(mat, small ? part->type | (uint32_t)bytes << 16 : part->type);
    if (!small) testing_mat_word(mat, (uint32_t)bytes);
    for (size_t i = 0; i < part->count; i++) {
        unsigned char value[8];
        memcpy(value, (const char *)part->values + i * part->width, part->width);
        for (size_t b = 0; b < part->width / 2 && mat->big; b++) {
            const unsigned char low = value[b];
            value[b] = value[part->width - 1 - b];
            value[part->width - 1 - b] = low;
        }
        testing_mat_put(mat, value, part->width);
    }
    while ((mat->length - first) % 8) testing_mat_put(mat, "", 1);
}

/* The fields of a structure, whose bytes testing_mat_variable has made. */
__attribute__((unused)) static void testing_mat_fields(TestingMat *mat, int count, const char *const *names,
                                                       const TestingMat *fields)
{
    enum { WIDTH = 32 };
    static const int32_t width = WIDTH;
    char text[8 * WIDTH] = "";
    if (count > 8) abort();
    for (int i = 0; i < count; i++) snprintf(text + (size_t)i * WIDTH, WIDTH, "%s", names[i]);
    testing_mat_part(mat, &(TestingMatPart){5, 4, 1, &width});
    testing_mat_part(mat, &(TestingMatPart){1, 1, (size_t)count * WIDTH, text});
    for (int i = 0; i < count; i++) testing_mat_put(mat, fields[i].bytes, fields[i].length);
}

__attribute__((unused)) static void testing_mat_variable(TestingMat *file, const TestingMatVariable *variable)
{
    TestingMat mat = {.big = file->big};
    testing_mat_word(&mat, 6); /* flags */
    testing_mat_word(&mat, 8);
    testing_mat_word(&mat, variable->class | variable->flags << 8);
    testing_mat_word(&mat, variable->part_count > 1 ? (uint32_t)variable->part[0].count : 0);
    testing_mat_part(&mat, &(TestingMatPart){5, 4, (size_t)variable->rank, variable->size});
    testing_mat_part(&mat, &(TestingMatPart){1, 1, strlen(variable->name), variable->name});
    for (int i = 0; i < variable->part_count; i++) testing_mat_part(&mat, &variable->part[i]);
    if (variable->fields) testing_mat_fields(&mat, variable->field_count, variable->field_name, variable->fields);
    TestingMat element = {.big = file->big};
    testing_mat_word(&element, 14);
    testing_mat_word(&element, (uint32_t)mat.length);
    testing_mat_put(&element, mat.bytes, mat.length);
    free(mat.bytes);
    if (variable->compressed) {
        uLongf bytes = compressBound(element.length);
        unsigned char *packed = malloc(bytes);
        if (!packed || compress(packed, &bytes, element.bytes, element.length) != Z_OK) abort();
        testing_mat_word(file, 15);
        testing_mat_word(file, (uint32_t)bytes);
        testing_mat_put(file, packed, bytes);
        free(packed);
    } else {
        testing_mat_put(file, element.bytes, element.length);
    }
    free(element.bytes);
}

/* Writes the file, and frees its bytes. */
__attribute__((unused)) static void testing_mat_write(TestingMat *mat, const char *path)
{
    FILE *file = fopen(path, "w");
    if (!file || fwrite(mat->bytes, 1, mat->length, file) != mat->length || fclose(file) != 0) abort();
    free(mat->bytes);
    *mat = (TestingMat){.length = 0};
}
