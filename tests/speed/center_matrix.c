/* SPDX-License-Identifier: BSD-3-Clause */
/* Center matrix: prints how often the true center of phantoms lies within the ± that recon prints, and the errors, by
 * angles and photons: center_matrix [PHANTOMS [whole]]; `whole`: scans of a whole turn. */
#include "cli.h"
#include "phantom.h"

#include <math.h>
#include <stdlib.h>

enum { COLUMNS = 256, ROWS = 3, MOST_ANGLES = 400, MOST_DISKS = 40, MOST_PHANTOMS = 64, FLATS = 20 };

static int phantoms = 4;
static double turn_rad = M_PI;

/* A phantom of disks, which may be holes. */
typedef struct Disks {
    int count;
    double x[MOST_DISKS], y[MOST_DISKS], radius[MOST_DISKS], density[MOST_DISKS];
} Disks;

/* Between 0 and 1: the next of a sequence. */
static double chance(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) / 9007199254740992.0;
}

static void add_disk(Disks *disks, double x, double y, double radius, double density)
{
    const int i = disks->count++;
    disks->x[i] = x;
    disks->y[i] = y;
    disks->radius[i] = radius;
    disks->density[i] = density;
}

/* By turns foam (a disk with holes), gravel (disks), an object beside the axis, and low contrast. */
static Disks make_disks(int number)
{
    enum { FOAM, GRAVEL, BESIDE, FAINT, KINDS };
    const int kind = number % KINDS;
    uint64_t state = 77 + (uint64_t)number;
    Disks disks = {0};
    const double shift = kind == BESIDE ? 40 : 0, body = kind == BESIDE ? 45 : 90;
    if (kind != GRAVEL) add_disk(&disks, shift, -shift / 2, body, 0.01);
    while (disks.count < MOST_DISKS) {
        const double angle = 2 * M_PI * chance(&state), far = (body - 14) * sqrt(chance(&state));
        const double density = kind == FOAM ? -0.01 : kind == FAINT ? 0.001 : 0.02;
        add_disk(&disks, shift + far * cos(angle), far * sin(angle) - shift / 2, 2 + 10 * chance(&state), density);
    }
    return disks;
}

static double line_integral(const Disks *disks, double angle_rad, double s)
{
    double sum = 0;
    for (int i = 0; i < disks->count; i++) {
        const double off = s - disks->x[i] * cos(angle_rad) - disks->y[i] * sin(angle_rad);
        sum += 2 * disks->density[i] * sqrt(fmax(disks->radius[i] * disks->radius[i] - off * off, 0));
    }
    return fmax(sum, 0);
}

/* Writes three rows of the same slice, divided by flat fields; all with photon noise of their own. */
static void write_scan(const char *directory, int number, int angles, double photons, double center)
{
    static float scan[ROWS * MOST_ANGLES * COLUMNS], theta[MOST_ANGLES];
    const Disks disks = make_disks(number);
    float *value = scan;
    for (int k = 0; k < angles; k++) theta[k] = (float)(turn_rad * k / angles);
    for (int r = 0; r < ROWS; r++) {
        const uint64_t seed = (uint64_t)number * ROWS + (uint64_t)r + 1;
        for (int i = 0; i < angles * COLUMNS; i++) {
            const int c = i % COLUMNS;
            const double flat = sino_phantom_poisson(photons * FLATS, seed + 1000, (uint64_t)c) / FLATS;
            const double ray = line_integral(&disks, (double)theta[i / COLUMNS], c - center);
            const double count = sino_phantom_poisson(photons * exp(-ray), seed, (uint64_t)i);
            *value++ = (float)log(flat / fmax(count, 1));
        }
    }
    cli_write_bytes(directory, "scan.bin", scan, (size_t)(value - scan) * sizeof *scan);
    cli_write_bytes(directory, "theta.bin", theta, (size_t)angles * sizeof *theta);
}

static int by_value(const void *a, const void *b)
{
    const double first = *(const double *)a, second = *(const double *)b;
    return (first > second) - (first < second);
}

static void print_line(const char *directory, int angles, double photons)
{
    double error[MOST_PHANTOMS] = {0}, spread[MOST_PHANTOMS] = {0};
    int within = 0;
    uint64_t state = 5;
    for (int i = 0; i < phantoms; i++) {
        const double center = 118 + 20 * chance(&state);
        write_scan(directory, i, angles, photons, center);
        char *said = cli_output_of(directory, "recon scan.bin --theta theta.bin --columns 256 -o o.h5 --overwrite "
                                              "--pictures no --report none --algorithm fbp");
        error[i] = fabs(cli_number_after(said, "rotation center: column ", NULL) - center);
        spread[i] = strstr(said, " ± ") ? cli_number_after(said, " ± ", NULL) : 0;
        within += error[i] <= spread[i] + 0.005; /* both are printed with two digits */
        free(said);
    }
    qsort(error, (size_t)phantoms, sizeof *error, by_value);
    qsort(spread, (size_t)phantoms, sizeof *spread, by_value);
    print_message("| %d, %.0e | %d of %d | %.2f, %.2f | %.2f |\n", angles, photons, within, phantoms,
                  error[phantoms / 2], error[phantoms - 1], spread[phantoms / 2]);
}

static void center_matrix(void **state)
{
    static const int angles[] = {MOST_ANGLES, 90, 45, 20};
    print_message(
        "| angles, photons | true center within ± | error: median, largest | median ± |\n|---|---|---|---|\n");
    for (int i = 0; i < 4; i++) {
        print_line(*state, angles[i], 1e5);
        print_line(*state, angles[i], 1e3);
    }
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {CLI_TEST(center_matrix)};
    if (count > 1) phantoms = (int)strtol(arguments[1], NULL, 10);
    if (count > 2) turn_rad = 2 * M_PI;
    if (phantoms < 1 || phantoms > MOST_PHANTOMS) return 2;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
