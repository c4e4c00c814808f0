/* SPDX-License-Identifier: BSD-3-Clause */
/* Command line, list mode of a measured format: a point source of STIR's virtual SAFIR scanner (examples/
 * SAFIR-listmode-virtual-scanner of https://github.com/UCL/STIR) is found where it was, by the map of its crystals
 * alone: 91 rings of 180 at steps of 2.2 mm, whose fronts are 63.019 mm from the axis. The test takes the seven rings
 * in the middle. */
#include "cli.h"

#include <math.h>

#define DATA  "pet/stir-safir-listmode/"
#define DEPTH 5.0

enum {
    FIRST_RING = 42,
    RINGS = 7,
    SIDE = 21, /* voxels of 1 mm along x and y */
    SLICES = 11,
    HEADER_BYTES = 32,
    RECORD_BYTES = 8
};

static bool is_in_middle(int64_t ring)
{
    return ring >= FIRST_RING && ring < FIRST_RING + RINGS;
}

/* The map of the rings in the middle, at the depth of the photons. */
static void write_map(const char *directory, const char *name)
{
    char from[TESTING_PATH], to[TESTING_PATH], line[100];
    char *rest;
    FILE *in = fopen(testing_data(from, DATA "crystal_map_front.txt"), "r");
    FILE *out = fopen(testing_path(to, directory, name), "w");
    assert_true(in && out && fgets(line, sizeof line, in) && fputs(line, out) >= 0);
    while (fgets(line, sizeof line, in)) {
        const long ring = strtol(line, &rest, 10), detector = strtol(rest, &rest, 10);
        const double x = strtod(rest, &rest), y = strtod(rest, &rest), outwards = 1 + DEPTH / hypot(x, y);
        if (is_in_middle(ring)) fprintf(out, "%ld %ld %.3f %.3f %s", ring, detector, x * outwards, y * outwards, rest);
    }
    assert_int_equal(fclose(in), 0);
    assert_int_equal(fclose(out), 0);
}

/* The records of these rings and of the time. Returns how many are events. */
static int64_t write_events(const char *directory, const char *name)
{
    char from[TESTING_PATH], to[TESTING_PATH];
    unsigned char head[HEADER_BYTES], record[RECORD_BYTES];
    int64_t count = 0;
    FILE *in = fopen(testing_data(from, DATA "point_5.clm.safir"), "rb");
    FILE *out = fopen(testing_path(to, directory, name), "wb");
    assert_true(in && out);
    assert_int_equal(fread(head, HEADER_BYTES, 1, in), 1);
    assert_int_equal(fwrite(head, HEADER_BYTES, 1, out), 1);
    while (fread(record, RECORD_BYTES, 1, in) == 1) {
        if (!(record[7] & 128) && !(is_in_middle(record[0]) && is_in_middle(record[1]))) continue;
        assert_int_equal(fwrite(record, RECORD_BYTES, 1, out), 1);
        count += record[7] == 0;
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
    write_map(at, "map.txt");
    assert_true(write_events(at, "events") > 3000);
    cli_works(at,
              "recon events --system-matrix map.txt --volume %dx%dx%d --voxel-size 1 --algorithm mlem "
              "--iterations 10 -o image.h5",
              SIDE, SIDE, SLICES);
    double *image = cli_read_doubles(at, "image.h5", "/exchange/data", 3, size);
    find_source(image, &maximum, middle);
    assert_int_equal(maximum, (SLICES / 2 * SIDE + SIDE / 2) * SIDE + SIDE / 2 + 5);
    if (fabs(middle[0] - 5) > 0.1 || fabs(middle[1]) > 0.1 || fabs(middle[2]) > 0.1)
        fail_msg("the source is at %g, %g, %g", middle[0], middle[1], middle[2]);
    free(image);
}

/* What the map lacks, and what events lack. */
static void wrong_files_are_refused(void **state)
{
    const char *const at = *state;
    char path[TESTING_PATH];
    write_map(at, "map.txt");
    testing_data(path, DATA "point_5.clm.safir");
    cli_refuses(at, "map.txt is a map of crystals | --volume | --voxel-size",
                "recon %s --system-matrix map.txt -o i.h5", path);
    CliRun run = {.directory = at};
    cli_start(&run, "recon %s --system-matrix map.txt --volume 9x9x9 --voxel-size 1 -o i.h5", path);
    cli_wait(&run);
    cli_assert_ended(&run, 2, "detector | rings 42 to 48 | of 35844 events are refused");
}

int cli_safir_tests(void)
{
    const struct CMUnitTest tests[] = {CLI_TEST(point_source_is_found), CLI_TEST(wrong_files_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
