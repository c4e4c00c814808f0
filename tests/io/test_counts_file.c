/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts file: the same values through every format, events, sizes and values that are refused. */
#include "counts_file.h"
#include "memory.h"
#include "testing_hdf5.h"
#include "testing_mat.h"
#include "testing_npy.h"

#include <math.h>

/* Rows are pairs of 4 crystals. */
enum { CRYSTALS = 4, ROWS = CRYSTALS * CRYSTALS, SETS = 3, VALUES = SETS * ROWS };

static void write_text(const char *directory, const char *name, const char *text)
{
    char path[TESTING_PATH];
    testing_write_bytes(testing_path(path, directory, name), text, strlen(text));
}

static void write_npy(const char *directory, const char *name, const char *type, const char *shape, const void *values,
                      size_t bytes)
{
    char path[TESTING_PATH];
    size_t count;
    unsigned char *file = testing_npy(1, type, shape, values, bytes, &count);
    testing_write_bytes(testing_path(path, directory, name), file, count);
    free(file);
}

static const SinoCountsRequest rows = {.element_count = ROWS};
static const SinoCountsRequest pairs = {
    .element_count = ROWS, .crystal_count = CRYSTALS, .events = SINO_EVENTS_ALLOWED};
static const SinoCountsRequest image = {
    .element_count = 24, .image = true, .grid = {.x_count = 2, .y_count = 3, .z_count = 4}};

/* The name may be followed by ":…". */
static SinoStatus open_named(const char *directory, const char *name, const SinoCountsRequest *request,
                             SinoCountsFile **file)
{
    char path[TESTING_PATH];
    SinoCountsRequest named = *request;
    named.path = testing_path(path, directory, name);
    SinoStatus tried = sino_counts_try(&named), status = sino_counts_open(&named, file);
    assert_int_equal(sino_status_exit_code(tried), sino_status_exit_code(status));
    sino_status_free(tried);
    return status;
}

static void refuses(const char *directory, const char *name, const SinoCountsRequest *request, const char *text)
{
    SinoCountsFile *file = NULL;
    assert_error(open_named(directory, name, request, &file), SINO_BAD_INPUT, text);
    assert_null(file);
}

/* Reading the first set is refused. */
static void refuses_values(const char *directory, const char *name, const SinoCountsRequest *request, const char *text)
{
    SinoCountsFile *file = NULL;
    float values[VALUES];
    assert_success(open_named(directory, name, request, &file));
    assert_error(sino_counts_read(file, 0, sino_counts_info(file)->set_count, values), SINO_BAD_INPUT, text);
    sino_counts_close(file);
}

/* The file has these sets, in all, in one, and in two of them. */
static void reads(const char *directory, const char *name, const SinoCountsRequest *request, int64_t sets,
                  const float *expected)
{
    SinoCountsFile *file = NULL;
    const int64_t elements = request->element_count;
    float *values = calloc((size_t)(sets * elements), sizeof *values);
    assert_non_null(values);
    assert_success(open_named(directory, name, request, &file));
    assert_int_equal(sino_counts_info(file)->set_count, sets);
    for (int64_t count = 1; count <= sets; count++)
        for (int64_t first = 0; first + count <= sets; first++) {
            assert_success(sino_counts_read(file, first, count, values));
            assert_memory_equal(values, expected + first * elements, (size_t)(count * elements) * sizeof *values);
        }
    sino_counts_close(file);
    free(values);
}

static void make_counts(int32_t integer[VALUES], float real[VALUES])
{
    for (int i = 0; i < VALUES; i++) {
        integer[i] = i % 5 == 0 ? 0 : 7 * i;
        real[i] = (float)integer[i];
    }
}

static void raw_values_tell_their_type(void **state)
{
    int32_t integer[VALUES];
    float real[VALUES], zero[ROWS] = {0};
    char path[TESTING_PATH];
    make_counts(integer, real);
    testing_write_bytes(testing_path(path, *state, "integer"), integer, sizeof integer);
    testing_write_bytes(testing_path(path, *state, "real"), real, sizeof real);
    testing_write_bytes(testing_path(path, *state, "zero"), zero, sizeof zero);
    reads(*state, "integer", &rows, SETS, real);
    reads(*state, "integer:int32", &rows, SETS, real);
    reads(*state, "real", &rows, SETS, real);
    reads(*state, "real:float32", &rows, SETS, real);
    reads(*state, "zero", &rows, 1, zero);
    refuses(*state, "real:float64", &rows, "/real | int32 | float32");
}

/* float32 of another machine: 1 would be 32831. One such count among others is a count. */
static void raw_values_in_the_other_byte_order(void **state)
{
    enum { FEW = 5 };
    uint32_t word[FEW] = {0, 0x803f, 0x40, 0x4040, 0xa042}; /* 0, 1, 2, 3 and 80 */
    const SinoCountsRequest few = {.element_count = FEW};
    char path[TESTING_PATH];
    testing_write_bytes(testing_path(path, *state, "other"), word, sizeof word);
    refuses(*state, "other", &few, "/other:int32 if they are integers");
    reads(*state, "other:int32", &few, 1, (const float[]){0, 32831, 64, 16448, 41026});
    word[4] = 3;
    testing_write_bytes(path, word, sizeof word);
    reads(*state, "other", &few, 1, (const float[]){0, 32831, 64, 16448, 3});
}

/* Of a file whose first value of another type comes late, too. */
static void raw_values_of_both_types(void **state)
{
    enum { MANY = 200000 };
    char path[TESTING_PATH];
    int32_t *value = NULL;
    float *read = NULL;
    SinoCountsFile *file = NULL;
    const float half = 0.5f;
    const SinoCountsRequest many = {.element_count = MANY};
    assert_success(sino_allocate(MANY, sizeof *value, "test", &value));
    assert_success(sino_allocate(MANY, sizeof *read, "test", &read));
    value[3] = 12;
    memcpy(&value[MANY - 1], &half, sizeof half);
    testing_write_bytes(testing_path(path, *state, "mixed"), value, MANY * sizeof *value);
    assert_success(open_named(*state, "mixed", &many, &file));
    assert_error(sino_counts_read(file, 0, 1, read), SINO_BAD_INPUT, "value 199999 | 1056964608 | int32 | values");
    sino_counts_close(file);
    assert_success(open_named(*state, "mixed:int32", &many, &file));
    assert_success(sino_counts_read(file, 0, 1, read));
    assert_true(read[3] == 12 && read[MANY - 1] == 1056964608);
    sino_counts_close(file);
    value[1] = 0x7fc00000;
    testing_write_bytes(path, value, MANY * sizeof *value);
    refuses(*state, "mixed", &many, "/mixed:float32 that does");
    free(value);
    free(read);
}

static void raw_sizes_must_fit(void **state)
{
    const char bytes[ROWS * 4 + 1] = {0};
    char path[TESTING_PATH];
    SinoCountsFile *file;
    SinoCountsRequest wide = rows;
    testing_write_bytes(testing_path(path, *state, "long"), bytes, sizeof bytes);
    testing_write_bytes(testing_path(path, *state, "short"), bytes, sizeof bytes - 2);
    testing_write_bytes(testing_path(path, *state, "empty"), bytes, 0);
    refuses(*state, "long", &rows, "/long | 65 bytes | 16 rows | 64 bytes");
    refuses(*state, "short", &rows, "/short | 63 bytes | 16 rows | 64 bytes");
    refuses(*state, "empty", &rows, "/empty | 0 bytes | 16 rows | 64 bytes");
    refuses(*state, "absent", &rows, "/absent: No such file or directory");
    refuses(*state, "absent:int32", &rows, "/absent:int32: No such file or directory");
    refuses(*state, "", &rows, "/ is a directory; give the name of a file");
    wide.element_count = INT64_MAX / 2;
    assert_error(open_named(*state, "long", &wide, &file), SINO_BAD_INPUT, "does not fit in 63 bits");
}

static void arrays_of_all_shapes(void **state)
{
    int32_t integer[VALUES];
    float real[VALUES];
    int64_t wide[VALUES];
    make_counts(integer, real);
    for (int i = 0; i < VALUES; i++) wide[i] = integer[i];
    write_npy(*state, "one.npy", "<i4", "(16,)", integer, ROWS * 4);
    write_npy(*state, "sets.npy", "<f4", "(3, 16)", real, sizeof real);
    write_npy(*state, "wide.npy", "<i8", "(3, 16)", wide, sizeof wide);
    write_npy(*state, "cut.npy", "<f4", "(3, 16)", real, sizeof real - 1);
    write_npy(*state, "turned.npy", "<f4", "(16, 3)", real, sizeof real);
    write_npy(*state, "none.npy", "<f4", "(0, 16)", real, 0);
    write_npy(*state, "text.npy", "|S4", "(16,)", real, ROWS * 4);
    write_npy(*state, "volume.npy", "<f4", "(4, 3, 2)", real, 24 * 4);
    write_npy(*state, "volumes.npy", "<f4", "(2, 4, 3, 2)", real, 48 * 4);
    write_npy(*state, "list.npy", "<f4", "(24,)", real, 24 * 4);
    write_npy(*state, "xyz.npy", "<f4", "(2, 3, 4)", real, 24 * 4);
    reads(*state, "one.npy", &pairs, 1, real);
    reads(*state, "sets.npy", &rows, SETS, real);
    reads(*state, "wide.npy", &pairs, SETS, real);
    reads(*state, "volume.npy", &image, 1, real);
    reads(*state, "volumes.npy", &image, 2, real);
    reads(*state, "list.npy", &image, 1, real);
    refuses(*state, "cut.npy", &rows, "/cut.npy is cut: it has 191 of the 192 bytes of its values");
    refuses(*state, "turned.npy", &rows, "/turned.npy | 16 × 3 | 16 rows | 16");
    refuses(*state, "turned.npy", &pairs, "/turned.npy | 16 × 3 | 16 rows | 2 crystals");
    refuses(*state, "none.npy", &rows, "/none.npy | 0 × 16 | 16 rows | 16");
    refuses(*state, "text.npy", &rows, "/text.npy | numbers");
    refuses(*state, "xyz.npy", &image, "/xyz.npy | 2 × 3 × 4 | 4 × 3 × 2 | 24 voxels");
    refuses(*state, "one.npy:int32", &rows, "/one.npy | 'int32' | nothing");
}

/* A file with one array of this class and type, [size[0], size[1], …] as MATLAB says. */
static void write_mat(const char *directory, const char *name, int rank, const int32_t *size, TestingMatPart values)
{
    char path[TESTING_PATH];
    TestingMat mat = testing_mat(rank % 2);
    const uint32_t classes[] = {[5] = 12, [7] = 7, [9] = 6};
    testing_mat_variable(&mat, &(TestingMatVariable){.name = "m",
                                                     .compressed = rank == 3,
                                                     .class = classes[values.type],
                                                     .rank = rank,
                                                     .size = size,
                                                     .part_count = 1,
                                                     .part = {values}});
    testing_mat_write(&mat, testing_path(path, directory, name));
}

static void variables_of_all_shapes(void **state)
{
    static const int32_t column[] = {ROWS, 1}, row[] = {1, ROWS}, sets[] = {ROWS, SETS}, turned[] = {SETS, ROWS};
    static const int32_t volume[] = {2, 3, 4}, events[] = {2, 9};
    int32_t integer[VALUES];
    float real[VALUES];
    make_counts(integer, real);
    write_mat(*state, "column", 2, column, (TestingMatPart){5, 4, ROWS, integer});
    write_mat(*state, "row", 2, row, (TestingMatPart){7, 4, ROWS, real});
    write_mat(*state, "sets", 2, sets, (TestingMatPart){7, 4, VALUES, real});
    write_mat(*state, "turned", 2, turned, (TestingMatPart){7, 4, VALUES, real});
    write_mat(*state, "volume", 3, volume, (TestingMatPart){7, 4, 24, real});
    write_mat(*state, "events", 2, events, (TestingMatPart){5, 4, 18, integer});
    reads(*state, "column", &pairs, 1, real);
    reads(*state, "row:/m", &rows, 1, real);
    reads(*state, "sets:m", &rows, SETS, real);
    reads(*state, "volume", &image, 1, real);
    refuses(*state, "turned", &rows, "/turned | 16 × 3 | 16 rows | 16");
    refuses(*state, "row:/x", &rows, "/row has no variable x; it has: m (1 x 16 single)");
    refuses(*state, "events", &pairs, "/events | MATLAB");
}

static void datasets_of_all_shapes(void **state)
{
    int32_t integer[VALUES];
    float real[VALUES];
    char path[TESTING_PATH];
    make_counts(integer, real);
    const hid_t file = testing_hdf5_create(testing_path(path, *state, "counts.h5"));
    const TestingDataset datasets[] = {{"/exchange/data", H5T_STD_U16BE, H5T_NATIVE_INT32, 1, {ROWS}, integer, 0},
                                       {"/frames", H5T_STD_I64LE, H5T_NATIVE_INT32, 2, {SETS, ROWS}, integer, 0},
                                       {"/volume", H5T_IEEE_F64LE, H5T_NATIVE_FLOAT, 3, {4, 3, 2}, real, 0},
                                       {"/volumes", H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, 4, {2, 4, 3, 2}, real, 0},
                                       {"/scalar", H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, 0, {0}, real, 0}};
    for (size_t i = 0; i < sizeof datasets / sizeof *datasets; i++) testing_hdf5_dataset(file, &datasets[i]);
    testing_hdf5_close(file);
    testing_hdf5_close(H5Fcreate(testing_path(path, *state, "empty.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    reads(*state, "counts.h5", &rows, 1, real);
    reads(*state, "counts.h5:/exchange/data", &rows, 1, real);
    reads(*state, "counts.h5:/frames", &rows, SETS, real);
    reads(*state, "counts.h5:/volume", &image, 1, real);
    reads(*state, "counts.h5:/volumes", &image, 2, real);
    refuses(*state, "counts.h5:/absent", &rows, "/counts.h5 has no dataset /absent");
    refuses(*state, "empty.h5", &rows, "/empty.h5:/DATASET");
    refuses(*state, "counts.h5:frames", &rows, "/counts.h5:/exchange/data");
    refuses(*state, "counts.h5:/volume", &rows, "/counts.h5:/volume | 4 × 3 × 2 | 16 rows | 16");
    refuses(*state, "counts.h5:/scalar", &rows, "/counts.h5:/scalar | 16 rows | 16");
}

static void numbers_of_sets(void **state)
{
    float real[VALUES] = {0};
    SinoCountsRequest request = rows;
    write_npy(*state, "sets.npy", "<f4", "(3, 16)", real, sizeof real);
    write_npy(*state, "one.npy", "<f4", "(16,)", real, ROWS * 4);
    request.set_count = 3;
    reads(*state, "sets.npy", &request, 3, real);
    reads(*state, "one.npy", &request, 1, real);
    request.set_count = 2;
    refuses(*state, "sets.npy", &request, "/sets.npy | 3 sets | 16 rows | 1 | 2");
    request.set_count = 1;
    refuses(*state, "sets.npy", &request, "/sets.npy | 3 sets | 16 rows | 1");
}

static void values_that_are_no_counts(void **state)
{
    float real[VALUES] = {0};
    SinoCountsRequest signed_rows = rows;
    signed_rows.negative = true;
    real[ROWS + 3] = -0.5f;
    write_npy(*state, "negative.npy", "<f4", "(3, 16)", real, sizeof real);
    write_npy(*state, "volumes.npy", "<f4", "(2, 4, 3, 2)", real, 48 * 4);
    reads(*state, "negative.npy", &signed_rows, 3, real);
    refuses_values(*state, "negative.npy", &rows, "/negative.npy | row 3 | -0.5 | numbers | more");
    refuses_values(*state, "volumes.npy", &image, "/volumes.npy | voxel 19 | -0.5 | numbers | more");
    real[ROWS + 3] = INFINITY;
    write_npy(*state, "infinite.npy", "<f4", "(3, 16)", real, sizeof real);
    refuses_values(*state, "infinite.npy", &signed_rows, "/infinite.npy | row 3 | inf | finite numbers");
    real[5] = NAN;
    write_npy(*state, "nan.npy", "<f4", "(16,)", real, ROWS * 4);
    refuses_values(*state, "nan.npy", &rows, "/nan.npy | row 5 | nan | numbers | more");
}

/* Events of the crystals 1 3, 3 1, 0 1 and 2 3. */
static const float event_counts[ROWS] = {[1] = 1, [7] = 2, [11] = 1};

static void events_are_counted(void **state)
{
    static const int32_t crystals[] = {1, 3, 3, 1, 0, 1, 2, 3}, numbers[] = {7, 11, 7, 1};
    SinoCountsRequest only = pairs;
    char path[TESTING_PATH];
    only.events = SINO_EVENTS_ONLY;
    write_text(*state, "pairs.txt", "# crystals – in either order\n1 3\n\n 3,1 # again\r\n0\t1\n2, 3");
    write_text(*state, "rows.txt", "7\n7\n1\n11\n");
    write_npy(*state, "pairs.npy", "<i4", "(4, 2)", crystals, sizeof crystals);
    write_npy(*state, "rows.npy", "<i4", "(4,)", numbers, sizeof numbers);
    const hid_t file = testing_hdf5_create(testing_path(path, *state, "events.h5"));
    testing_hdf5_dataset(file, &(TestingDataset){"/pairs", H5T_STD_U8LE, H5T_NATIVE_INT32, 2, {4, 2}, crystals, 0});
    testing_hdf5_dataset(file, &(TestingDataset){"/rows", H5T_STD_U8LE, H5T_NATIVE_INT32, 1, {4}, numbers, 0});
    testing_hdf5_close(file);
    static const char *const names[] = {"pairs.txt", "rows.txt",         "pairs.npy",
                                        "rows.npy",  "events.h5:/pairs", "events.h5:/rows"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) reads(*state, names[i], &only, 1, event_counts);
    reads(*state, "pairs.txt", &pairs, 1, event_counts);
    reads(*state, "rows.txt", &pairs, 1, event_counts);
    reads(*state, "pairs.npy", &pairs, 1, event_counts);
    reads(*state, "events.h5:/pairs", &pairs, 1, event_counts);
    refuses(*state, "rows.npy", &pairs, "/rows.npy | 4 | 16 rows | 2 crystals");
    refuses(*state, "pairs.npy", &rows, "/pairs.npy | 4 × 2 | 16 rows | 16");
    refuses(*state, "pairs.txt", &rows, "/pairs.txt | array | float32");
}

/* More text than is read at a time. */
static void many_events(void **state)
{
    enum { EVENTS = 300000 };
    char path[TESTING_PATH];
    float expected[ROWS] = {0};
    uint32_t seed = 1;
    FILE *file = fopen(testing_path(path, *state, "many.txt"), "w");
    assert_non_null(file);
    for (int i = 0; i < EVENTS; i++) {
        seed = seed * 1664525 + 1013904223;
        const int a = seed >> 30, b = (a + 1 + (int)(seed >> 20 & 1)) % CRYSTALS;
        fprintf(file, "%*d %d%s", (int)(seed >> 25 & 15), a, b, i < EVENTS - 1 ? "\n" : "");
        expected[a < b ? a * CRYSTALS + b : b * CRYSTALS + a]++;
    }
    assert_int_equal(fclose(file), 0);
    reads(*state, "many.txt", &pairs, 1, expected);
}

static void events_that_are_refused(void **state)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"7\n-1\n", "/e | line 2 | '-1' | crystals"},
        {"1.0\n", "/e | line 1 | '1.0' | crystals"},
        {"1 2 3\n", "/e | line 1 | '1 2 3' | crystals"},
        {"1,\n,2\n", "/e | line 2 | ',2' | crystals"},
        {"99999999999999999999\n", "/e | line 1 | '99999999999999999999' | crystals"},
        {"#\n\n16\n", "/e | line 3 | row 16 | 0 to 15"},
        {"0 4\n", "/e | line 1 | crystal 4 | 0 to 3"},
        {"2 2\n", "/e | line 1 | crystal 2 | two crystals"},
        {"1 2\n3\n", "/e | line 2 | 2 | lines"},
        {"# none\n", "/e | no events | one per line"},
        {"0\n0\n0\n0\n0\n0\n0\n0\n0\n0\n0\n0\n0\n0\n0\n0\n", "/e | 16 | HDF5 | float32"},
    };
    static const int64_t beyond[] = {INT64_MIN, 16};
    char line[TESTING_PATH];
    SinoCountsRequest only = pairs;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_text(*state, "e", cases[i].text);
        refuses_values(*state, "e", &pairs, cases[i].message);
    }
    snprintf(line, 400, "7\n%0300d", 7);
    write_text(*state, "e", line);
    refuses_values(*state, "e", &pairs, "/e | line 2 | 200 bytes | one event per line");
    only.events = SINO_EVENTS_ONLY;
    write_npy(*state, "e.npy", "<i8", "(2,)", beyond, sizeof beyond);
    refuses_values(*state, "e.npy", &only, "/e.npy | event 0 | row -9223372036854775808 | 0 to 15");
    only.crystal_count = 0;
    write_text(*state, "e", "1 2\n");
    refuses_values(*state, "e", &only, "/e | line 1 | crystals");
    testing_write_bytes(testing_path(line, *state, "raw"), "\0\0\0\0", 4);
    refuses(*state, "raw", &only, "/raw | HDF5 | events");
    write_npy(*state, "real.npy", "<f4", "(1,)", "\0\0\0\0", 4);
    refuses(*state, "real.npy", &only, "/real.npy | float32 | for events: integers");
}

/* The names in the directory; second NULL: there is one. */
/* Rows are pairs of 2 × 2 crystals. */
static const SinoCountsRequest in_rings = {.element_count = ROWS,
                                           .crystal_count = CRYSTALS,
                                           .rings = {.first = 5, .count = 2, .size = 2},
                                           .events = SINO_EVENTS_ALLOWED};

/* Crystals 0 and 3; 3 and 1; 0 and 3; a time; a random coincidence. */
static const unsigned char safir[][8] = {{5, 6, 0, 0, 1, 0, 0, 0},  {6, 5, 1, 0, 1, 0, 0, 0},
                                         {6, 5, 1, 0, 0, 0, 0, 0},  {1, 2, 3, 4, 5, 6, 0, 128},
                                         {5, 6, 0, 0, 0, 0, 0, 64}, {0, 0, 0, 0, 0, 0, 0, 0}};
enum { SAFIR_FINE = 5 * 8 };

static void write_safir(const char *directory, const char *name, size_t count)
{
    char path[TESTING_PATH];
    unsigned char file[32 + sizeof safir] = "MUPET CListModeData";
    memcpy(file + 32, safir, sizeof safir);
    testing_write_bytes(testing_path(path, directory, name), file, 32 + count);
}

static void records_are_counted(void **state)
{
    static const float expected[ROWS] = {[3] = 2, [7] = 1};
    const uint16_t wide[] = {0, 9, 3, 3, 9, 1, 3, 9, 0}; /* little-endian, as the machine */
    const uint64_t row[] = {7, 3, 3};
    char path[TESTING_PATH];
    SinoCountsFile *file = NULL;
    float values[ROWS];
    write_safir(*state, "safir", SAFIR_FINE);
    testing_write_bytes(testing_path(path, *state, "wide"), wide, sizeof wide);
    testing_write_bytes(testing_path(path, *state, "row"), row, sizeof row);
    reads(*state, "safir", &in_rings, 1, expected);
    reads(*state, "safir:skip 32, u8 ring_a,u8 ring_b , u16 det_a, u16 det_b, u8 zero, u8 mark", &in_rings, 1,
          expected);
    reads(*state, "wide:u16 a, u16 energy, u16 b", &pairs, 1, expected);
    reads(*state, "row:u64 row", &pairs, 1, expected);
    reads(*state, "row:u32 row, u32 zero", &pairs, 1, expected);
    assert_success(open_named(*state, "safir", &in_rings, &file));
    assert_success(sino_counts_read(file, 0, 1, values));
    assert_int_equal(sino_counts_info(file)->other_count, 2);
    sino_counts_close(file);
}

static void records_that_are_refused(void **state)
{
    static const char *const wrong[][2] = {
        {"raw:u32 a", "'u32 a' | row; or a and b; or ring_a"},
        {"raw:u32 a, u16 row", "row; or a and b"},
        {"raw:u32 a, u32 b, u8 ring_a", "row; or a and b"},
        {"raw:u32 a, u32 a", "'u32 a' | each once"},
        {"raw:u24 a, u32 b", "'u24 a, u32 b' | u8, u16, u32 or u64"},
        {"raw:u32 a u32 b", "'u32 b' | commas"},
        {"raw:u32 a, ", "'' | u8, u16, u32 or u64"},
        {"raw:u32 , u32 b", "u8, u16, u32 or u64"},
        {"raw:u8 a, skip 4, u8 b", "'skip 4, u8 b'"},
        {"raw:skip 0, u8 a, u8 b", "'skip 0, u8 a, u8 b'"},
        {"raw:skip 99999999999999999999, u8 a, u8 b", "'skip 99999999999999999999, u8 a, u8 b'"},
        {"raw:u32 a, u32 b, u8 -", "16 bytes | a multiple of 9"},
        {"raw:skip 16, u8 a, u8 b", "16 bytes | 16 and a multiple of 2"}};
    const unsigned char raw[16] = {0, 3, 4, 1, 2, 2};
    char path[TESTING_PATH];
    testing_write_bytes(testing_path(path, *state, "raw"), raw, sizeof raw);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) refuses(*state, wrong[i][0], &pairs, wrong[i][1]);
    refuses(*state, "raw:u8 ring_a, u8 det_a, u8 ring_b, u8 det_b", &pairs, "rings of its crystals | map of crystals");
    refuses(*state, "raw:u8 a, u8 b", &rows, "records of events");
    refuses_values(*state, "raw:u8 a, u8 b", &pairs, "record 1 has crystal 4 | 0 to 3 | 7 of 8 events are refused");
    refuses_values(*state, "raw:u8 mark, u8 a, u16 b, u32 -, u32 -, u32 -", &pairs, "crystal 260 | 1 of 1 events");
    refuses_values(*state, "raw:skip 1, u8 mark, u8 a, u8 b, u32 -, u64 -", &pairs, "no events in 1 records");
    refuses_values(*state, "raw:u64 row", &pairs, "record 0 has row ");
    refuses_values(*state, "raw:u8 zero, u8 zeros, u16 a, u32 b, u64 -", &pairs, "crystal 260");
    refuses_values(*state, "raw:u16 zero, u32 a, u16 b, u64 -", &pairs, "record 0 has 768, described as zero | 0");
    write_safir(*state, "safir", sizeof safir);
    refuses(*state, "safir", &pairs, "rings of its crystals");
    refuses_values(*state, "safir", &in_rings, "record 5 has ring 0, detector 0 | rings 5 to 6 | 1 of 4 events");
    write_safir(*state, "safir", SAFIR_FINE - 1);
    refuses(*state, "safir", &in_rings, "71 bytes | 32 and a multiple of 8");
}

static void has_paths(const char *directory, const char *name, const char *first, const char *second)
{
    char given[TESTING_PATH], expected[TESTING_PATH], *path[SINO_COUNTS_PATHS];
    assert_success(sino_counts_paths(testing_path(given, directory, name), path));
    assert_string_equal(path[0], testing_path(expected, directory, first));
    if (second)
        assert_string_equal(path[1], testing_path(expected, directory, second));
    else
        assert_null(path[1]);
    free(path[0]);
    free(path[1]);
}

static void names_of_files(void **state)
{
    char given[TESTING_PATH], *path[SINO_COUNTS_PATHS];
    write_text(*state, "raw", "1234");
    write_text(
        *state, "counts.hs",
        "!INTERFILE :=\n!name of data file := counts.s\n!number format := float\n!number of bytes per pixel := 4\n"
        "!matrix size [1] := 16\nnumber of dimensions := 1\n!END OF INTERFILE :=\n");
    write_text(*state, "broken.hs", "!INTERFILE :=\n!END OF INTERFILE :=\n");
    has_paths(*state, "raw", "raw", NULL);
    has_paths(*state, "raw:int32", "raw", NULL);
    has_paths(*state, "raw:/counts", "raw", NULL);
    has_paths(*state, "counts.hs", "counts.hs", "counts.s"); /* it need not exist */
    assert_error(sino_counts_paths(testing_path(given, *state, "broken.hs"), path), SINO_BAD_INPUT, "/broken.hs");
    free(path[0]);
    assert_null(path[1]);
    assert_error(sino_counts_paths(testing_path(given, *state, "absent"), path), SINO_BAD_INPUT, "/absent");
    free(path[0]);
    assert_null(path[1]);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, testing_directory_make, testing_directory_remove)

TESTING_SUBJECT(counts_file)
{
    const struct CMUnitTest tests[] = {
        TEST(raw_values_tell_their_type),
        TEST(raw_values_in_the_other_byte_order),
        TEST(raw_values_of_both_types),
        TEST(raw_sizes_must_fit),
        TEST(arrays_of_all_shapes),
        TEST(variables_of_all_shapes),
        TEST(datasets_of_all_shapes),
        TEST(numbers_of_sets),
        TEST(values_that_are_no_counts),
        TEST(events_are_counted),
        TEST(many_events),
        TEST(events_that_are_refused),
        TEST(records_are_counted),
        TEST(records_that_are_refused),
        TEST(names_of_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
