/* SPDX-License-Identifier: BSD-3-Clause */
/* Command line, list mode of a measured format: a point source of STIR's virtual SAFIR scanner (examples/
 * SAFIR-listmode-virtual-scanner of https://github.com/UCL/STIR) is found where it was.
 *
 * crystal_map_front.txt and safir_20.hs describe the scanner: 91 rings of 180 crystals at steps of 2.2 mm, whose fronts
 * are 63.019 mm from the axis, detector 0 on the x axis, the others counter-clockwise; photons reach a mean depth of 5
 * mm, which is that of crystals of LSO of 12 mm. That is a ring of sino_pet_scanner's kind with 180 blocks of one
 * crystal, block 0 of which is detector 45, on the y axis. The test takes the seven rings in the middle.
 *
 * The file of events is no format of counts_file.h: a header of 32 bytes, then records of 8 bytes, little-endian: ring
 * a, ring b (8 bits each), detector a, detector b (16 bits each), layers, flags; bit 63 marks a time. The test writes
 * them as text with a pair of crystals per line. */
#include "cli.h"
#include "csr4_writer.h"
#include "pet_scanner.h"

#include <math.h>

enum {
    DETECTORS = 180,
    ALL_RINGS = 91,
    RINGS = 7,
    CRYSTALS = RINGS * DETECTORS,
    SIDE = 21, /* voxels of 1 mm along x and y */
    SLICES = 11,
    HEADER_BYTES = 32,
    RECORD_BYTES = 8
};

static const SinoPetScanner safir = {.block_count = DETECTORS,
                                     .block_size = 1,
                                     .ring_count = RINGS,
                                     .crystal_width = 2.2,
                                     .crystal_depth = 12,
                                     .radius = 63.019,
                                     .attenuation = 0.087,
                                     .grid = {SIDE, SIDE, SLICES, {1, 1, 1}},
                                     .ray_count = 8};

/* The crystal of the scanner above that is this detector; −1: its ring is not one of those in the middle. */
static int64_t crystal_of(int64_t ring, int64_t detector)
{
    const int64_t own = ring - (ALL_RINGS - RINGS) / 2;
    return own < 0 || own >= RINGS ? -1 : own * DETECTORS + (detector + DETECTORS - DETECTORS / 4) % DETECTORS;
}

/* Each crystal is where the map says, which rounds to 0.001 mm. */
static void crystals_are_where_the_map_says(void **state)
{
    (void)state;
    static const double middle_of_front[] = {0.5, 0.5, 0};
    char path[TESTING_PATH], line[100], *rest;
    double point[3], place[3];
    int64_t compared = 0;
    FILE *map = fopen(testing_data(path, "pet/stir-safir-listmode/crystal_map_front.txt"), "r");
    assert_non_null(map);
    while (fgets(line, sizeof line, map)) {
        if (line[0] == '#') continue;
        const int64_t ring = strtol(line, &rest, 10), crystal = crystal_of(ring, strtol(rest, &rest, 10));
        for (int d = 0; d < 3; d++) place[d] = strtod(rest, &rest);
        assert_int_equal(*rest, '\n');
        if (crystal < 0) continue;
        sino_pet_point(&safir, crystal, middle_of_front, point);
        if (fabs(point[0] - place[0]) + fabs(point[1] - place[1]) + fabs(point[2] - place[2]) > 0.003)
            fail_msg("crystal %ld is at %g, %g, %g instead of %g, %g, %g", (long)crystal, point[0], point[1], point[2],
                     place[0], place[1], place[2]);
        compared++;
    }
    assert_int_equal(fclose(map), 0);
    assert_int_equal(compared, CRYSTALS);
}

static void write_matrix(const char *directory, const char *name)
{
    const SinoCsr4Scanner description = {.block_count = DETECTORS,
                                         .block_size = 1,
                                         .ring_count = RINGS,
                                         .crystal_width = safir.crystal_width,
                                         .crystal_depth = safir.crystal_depth,
                                         .radius = safir.radius,
                                         .attenuation = safir.attenuation,
                                         .grid = safir.grid};
    char path[TESTING_PATH];
    SinoCsr4Writer *writer;
    SinoSparseRows rows;
    assert_success(sino_csr4_writer_open(testing_path(path, directory, name), false, &description, &writer));
    for (int64_t crystal = 0; crystal < CRYSTALS; crystal++) {
        assert_success(sino_pet_rows(&safir, crystal, &rows));
        assert_success(sino_csr4_writer_rows(writer, &rows));
        sino_pet_rows_free(&rows);
    }
    assert_success(sino_csr4_writer_finish(writer));
}

/* Returns how many events were written. */
static int64_t write_events(const char *directory, const char *name)
{
    char from[TESTING_PATH], to[TESTING_PATH];
    unsigned char record[RECORD_BYTES];
    int64_t count = 0;
    FILE *in = fopen(testing_data(from, "pet/stir-safir-listmode/point_5.clm.safir"), "rb");
    FILE *out = fopen(testing_path(to, directory, name), "w");
    assert_true(in && out);
    assert_int_equal(fseek(in, HEADER_BYTES, SEEK_SET), 0);
    fprintf(out, "# crystal crystal\n");
    while (fread(record, RECORD_BYTES, 1, in) == 1) {
        const int64_t a = crystal_of(record[0], record[2] + 256 * record[3]);
        const int64_t b = crystal_of(record[1], record[4] + 256 * record[5]);
        if (record[7] & 128 || a < 0 || b < 0) continue;
        fprintf(out, "%ld %ld\n", (long)a, (long)b);
        count++;
    }
    assert_int_equal(fclose(in), 0);
    assert_int_equal(fclose(out), 0);
    return count;
}

/* The middle of what is within two voxels of the maximum, in mm. */
static void find_source(const double *image, int64_t *maximum, double middle[3])
{
    double sum = 0, part[3] = {0};
    *maximum = 0;
    for (int64_t i = 0; i < SLICES * SIDE * SIDE; i++) *maximum = image[i] > image[*maximum] ? i : *maximum;
    const int64_t column = *maximum % SIDE, row = *maximum / SIDE % SIDE, slice = *maximum / SIDE / SIDE;
    for (int64_t i = 0; i < SLICES * SIDE * SIDE; i++) {
        const int64_t x = i % SIDE, y = i / SIDE % SIDE, z = i / SIDE / SIDE;
        if (labs(x - column) > 2 || labs(y - row) > 2 || labs(z - slice) > 2) continue;
        sum += image[i];
        part[0] += image[i] * (double)(x - SIDE / 2);
        part[1] -= image[i] * (double)(y - SIDE / 2);
        part[2] += image[i] * (double)(z - SLICES / 2);
    }
    for (int d = 0; d < 3; d++) middle[d] = part[d] / sum;
}

/* The source was at x = 5 mm, y = z = 0, as the name of its file says. */
static void point_source_is_found(void **state)
{
    static const int64_t size[] = {SLICES, SIDE, SIDE};
    const char *const at = *state;
    double middle[3];
    int64_t maximum;
    const int64_t events = write_events(at, "events.txt");
    assert_true(events > 3000);
    write_matrix(at, "safir.csr4");
    cli_works(at, "recon events.txt --system-matrix safir.csr4 --algorithm mlem --iterations 10 -o image.h5");
    double *image = cli_read_doubles(at, "image.h5", "/exchange/data", 3, size);
    find_source(image, &maximum, middle);
    assert_int_equal(maximum, (SLICES / 2 * SIDE + SIDE / 2) * SIDE + SIDE / 2 + 5);
    if (fabs(middle[0] - 5) > 0.1 || fabs(middle[1]) > 0.1 || fabs(middle[2]) > 0.1)
        fail_msg("the source is at %g, %g, %g", middle[0], middle[1], middle[2]);
    free(image);
}

int cli_safir_tests(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(crystals_are_where_the_map_says),
                                       CLI_TEST(point_source_is_found)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
