/* SPDX-License-Identifier: BSD-3-Clause */
/* Command line, projections that have vectors: those of an orbit give the bits of --geometry cone; phantoms of helices,
 * of tilted axes, of turned and shifted detectors and of parallel beams come back, also by the files of other programs;
 * fdk of what is near a circle, of short scans, helices, tilt series and laminography; the strength of fista; refusals.
 */
#include "cli.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 32, VIEWS = 40, NUMBERS = 12 };

/* A source and a detector that turn about z, and how they differ from an orbit. */
typedef struct Motion {
    const char *name;
    const char *words;         /* that tell recon the same; NULL: it reads the file, as phantom */
    double tilt_deg, roll_deg; /* of the axis towards the source; of the detector in its plane */
    double pitch_mm;           /* along z, a turn */
    double shift_mm;           /* of the detector, to another side at each projection */
    int turns;
    bool parallel;
    double error; /* relative, at most */
} Motion;

static const double distance = 4 * SIDE * 0.2 / 1.5, magnification = 1.5, pixel = 0.2;

/* Turns the vector about x by `tilt` and about z by `turn`. */
static void turn_vector(double tilt, double turn, const double vector[3], double turned[3])
{
    const double y = cos(tilt) * vector[1] - sin(tilt) * vector[2];
    turned[0] = cos(turn) * vector[0] - sin(turn) * y;
    turned[1] = sin(turn) * vector[0] + cos(turn) * y;
    turned[2] = sin(tilt) * vector[1] + cos(tilt) * vector[2];
}

/* How far a shifted detector is from the middle, and source and detector of a helix along z. */
static double side_of(const Motion *motion, int k)
{
    return motion->shift_mm * sin(7 * k);
}

static double lift_of(const Motion *motion, int k)
{
    return motion->shift_mm * cos(5 * k);
}

static double up_of(const Motion *motion, int k)
{
    return motion->pitch_mm * motion->turns * ((double)k / VIEWS - 0.5);
}

static void write_vectors(const char *at, const char *name, const Motion *motion)
{
    double vectors[VIEWS][NUMBERS];
    char prefixed[64];
    const double roll = motion->roll_deg * M_PI / 180, tilt = motion->tilt_deg * M_PI / 180;
    for (int k = 0; k < VIEWS; k++) {
        const double part = (double)k / VIEWS, up = up_of(motion, k);
        const double level[4][3] = {{0, motion->parallel ? 1 : -distance, 0},
                                    {side_of(motion, k), (magnification - 1) * distance, lift_of(motion, k)},
                                    {pixel * cos(roll), 0, pixel * sin(roll)},
                                    {-pixel * sin(roll), 0, pixel * cos(roll)}};
        for (int i = 0; i < 4; i++) turn_vector(tilt, 2 * M_PI * motion->turns * part, level[i], vectors[k] + 3 * i);
        if (!motion->parallel) vectors[k][2] += up;
        vectors[k][5] += up;
    }
    snprintf(prefixed, sizeof prefixed, "(%d, %d)", VIEWS, NUMBERS);
    cli_write_npy(at, name, "<f8", prefixed, vectors, sizeof vectors);
}

static FILE *open_file(const char *at, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", at, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    return file;
}

/* RTK's axes (X, Y, Z) are (x, z, -y): the axis leans by the angle out of the plane. */
static void write_rtk(const char *at, const char *name, const Motion *motion)
{
    FILE *file = open_file(at, name);
    fprintf(file,
            "<?xml version=\"1.0\"?>\n<!DOCTYPE RTKGEOMETRY>\n<RTKThreeDCircularGeometry version=\"3\">\n"
            "  <SourceToIsocenterDistance>%.15g</SourceToIsocenterDistance>\n"
            "  <SourceToDetectorDistance>%.15g</SourceToDetectorDistance>\n"
            "  <InPlaneAngle>%.15g</InPlaneAngle>\n  <OutOfPlaneAngle>%.15g</OutOfPlaneAngle>\n",
            distance, motion->parallel ? 0 : magnification * distance, motion->roll_deg, motion->tilt_deg);
    for (int k = 0; k < VIEWS; k++)
        fprintf(file,
                "  <Projection>\n    <GantryAngle>%.15g</GantryAngle>\n    <SourceOffsetY>%.15g</SourceOffsetY>\n"
                "    <ProjectionOffsetX>%.15g</ProjectionOffsetX>\n"
                "    <ProjectionOffsetY>%.15g</ProjectionOffsetY>\n  </Projection>\n",
                fmod(360.0 * motion->turns * k / VIEWS, 360), up_of(motion, k), side_of(motion, k),
                lift_of(motion, k) + up_of(motion, k));
    fprintf(file, "</RTKThreeDCircularGeometry>\n");
    assert_int_equal(fclose(file), 0);
}

static void write_part(FILE *file, const char *name, const Motion *motion, double y, const char *vectors,
                       const char *deviations)
{
    fprintf(file,
            "\"%s\": {\"type\": \"%s\", %s, \"deviations\": [%s], \"center\": "
            "{\"y\": {\"value\": %.15g, \"unit\": \"um\", \"drifts\": null}",
            name, motion->parallel ? "parallel" : "cone", vectors, deviations, 1000 * y);
}

static void write_drift(FILE *file, const char *axis, const Motion *motion, int count,
                        double (*value)(const Motion *, int))
{
    fprintf(file, ", \"%s\": {\"value\": 0, \"drifts\": [{\"unit\": \"cm\", \"value\": [", axis);
    for (int i = 0; i < count; i++)
        fprintf(file, "%s%.15g", i ? ", " : "", 0.1 * value(motion, i * (VIEWS - 1) / (count - 1)));
    fprintf(file, "]}, {\"value\": 9, \"known_to_reconstruction\": false}]}");
}

#define DIRECTION(name, x, y, z) "\"" name "\": {\"x\": {\"value\": " #x "}, \"y\": " #y ", \"z\": " #z "}"
#define AMOUNT                   "\"amount\": {\"value\": %.15g, \"unit\": \"deg\"}"

/* The stage turns the other way, and leans; the detector turns about the beam. A helix drifts along a line. */
static void write_ctsimu(const char *at, const char *name, const Motion *motion)
{
    FILE *file = open_file(at, name);
    char lean[256], roll[256];
    snprintf(lean, sizeof lean, "{\"type\": \"rotation\", \"axis\": \"x\", " AMOUNT "}", -motion->tilt_deg);
    snprintf(roll, sizeof roll,
             "{\"type\": \"rotation\", \"axis\": {\"u\": 0, \"v\": 0, \"w\": 3}, \"pivot\": null, " AMOUNT "}, "
             "{\"type\": \"translation\", \"axis\": \"x\", \"amount\": 7, \"known_to_reconstruction\": false}",
             motion->roll_deg);
    fprintf(file, "{\"geometry\": {");
    write_part(file, "source", motion, -distance, DIRECTION("vector_u", 1, 0, 0) ", " DIRECTION("vector_w", 0, 2, 0),
               "");
    fprintf(file, ", \"x\": 0");
    write_drift(file, "z", motion, 2, up_of);
    fprintf(file, "}}, ");
    write_part(file, "stage", motion, 0, DIRECTION("vector_u", 1, 0, 0) ", " DIRECTION("vector_w", 0, 0, 1), lean);
    fprintf(file, ", \"x\": 0, \"z\": 0}}, ");
    write_part(file, "detector", motion, (magnification - 1) * distance,
               DIRECTION("vector_u", 1, 0, 0) ", " DIRECTION("vector_w", 0, -1, 0), roll);
    write_drift(file, "x", motion, VIEWS, side_of);
    if (motion->shift_mm != 0)
        write_drift(file, "z", motion, VIEWS, lift_of);
    else
        write_drift(file, "z", motion, 2, up_of);
    fprintf(file,
            "}}}, \"detector\": {\"columns\": {\"value\": %d, \"unit\": \"px\"}, \"rows\": %d, "
            "\"pixel_pitch\": {\"u\": {\"value\": %g, \"unit\": \"mm\"}, \"v\": %g}}, ",
            2 * SIDE, SIDE, pixel / 2, pixel);
    fprintf(file,
            "\"acquisition\": {\"start_angle\": 0, \"stop_angle\": {\"value\": %d, \"unit\": \"deg\"}, "
            "\"direction\": \"CW\", \"number_of_projections\": %d, \"include_final_angle\": false, "
            "\"pixel_binning\": {\"u\": 2, \"v\": 1}}}\n",
            360 * motion->turns, VIEWS);
    assert_int_equal(fclose(file), 0);
}

/* The relative difference of the voxels within 0.4 sides of the middle. */
static double difference_of(const char *at, const char *name, const char *reference)
{
    float *a = cli_read_volume(at, name, SIDE, SIDE), *b = cli_read_volume(at, reference, SIDE, SIDE);
    double error = 0, norm = 0;
    for (int i = 0; i < SIDE * SIDE * SIDE; i++) {
        const double x = i % SIDE - 0.5 * (SIDE - 1), y = i / SIDE % SIDE - 0.5 * (SIDE - 1);
        const double z = (double)(i / SIDE / SIDE) - 0.5 * (SIDE - 1);
        if (sqrt(x * x + y * y + z * z) > 0.4 * SIDE) continue;
        error += (double)(a[i] - b[i]) * (double)(a[i] - b[i]);
        norm += (double)b[i] * (double)b[i];
    }
    free(a);
    free(b);
    return sqrt(error / norm);
}

static const Motion orbit = {.name = "orbit", .turns = 1};

static void vectors_of_an_orbit_are_the_orbit(void **state)
{
    static const char *const algorithms[] = {"cg", "osem --subsets 3", "sirt", "mlem"};
    const char *const at = *state;
    cli_works(at, "phantom -o scan.h5 --geometry cone --size %d --slices %d --angles %d", SIDE, SIDE, VIEWS);
    write_vectors(at, "orbit.npy", &orbit);
    for (size_t i = 0; i < sizeof algorithms / sizeof *algorithms; i++) {
        static const char same[] = "--overwrite --pictures no --report none --iterations 3 --volume 32x32x32 "
                                   "--exclude 2:4 --binning 2 --start-row 2";
        cli_works(at, "recon scan.h5 -o cone.h5 %s --geometry cone --rotation-axis 15.5 --algorithm %s", same,
                  algorithms[i]);
        cli_works(at, "recon scan.h5 -o vectors.h5 %s --vectors orbit.npy --algorithm %s", same, algorithms[i]);
        const double difference = difference_of(at, "vectors.h5", "cone.h5");
        if (!(difference < 1e-5)) fail_msg("%s: %g", algorithms[i], difference);
    }
}

#define CONE "orbit:source=17.0666666666666667,detector=25.6,pixel=0.2,"

static const Motion motions[] = {
    {.name = "orbit", .turns = 1, .error = 0.21},
    {.name = "helix", .words = CONE "turns=2,pitch=1.5", .pitch_mm = 1.5, .turns = 2, .error = 0.23},
    {.name = "laminography", .words = CONE "tilt=30,turns=1", .tilt_deg = 30, .turns = 1, .error = 0.28},
    {.name = "roll", .words = CONE "turns=1,roll=20", .roll_deg = 20, .turns = 1, .error = 0.24},
    {.name = "jitter", .shift_mm = 0.4, .turns = 1, .error = 0.24},
    {.name = "tilted parallel beam",
     .words = "orbit:turns=1,tilt=30,pixel=0.2",
     .tilt_deg = 30,
     .turns = 1,
     .parallel = true,
     .error = 0.3},
};
enum { MOTIONS = sizeof motions / sizeof *motions };

static void phantoms_come_back(void **state)
{
    const char *const at = *state;
    for (size_t i = 0; i < MOTIONS; i++) {
        char name[32];
        const Motion *motion = &motions[i];
        snprintf(name, sizeof name, "%svectors.npy", motion->parallel ? "parallel:" : "");
        write_vectors(at, "vectors.npy", motion);
        cli_works(at,
                  "phantom -o scan.h5 --overwrite --vectors %s --size %d --slices %d --angles %d --noise 0 "
                  "--truth truth.h5",
                  name, SIDE, SIDE, VIEWS);
        cli_works(at,
                  "recon scan.h5 -o volume.h5 --overwrite --pictures no --report none --vectors %s --algorithm sirt "
                  "--iterations 40 --nonnegativity yes",
                  motion->words ? motion->words : name);
        const double error = difference_of(at, "volume.h5", "truth.h5");
        print_message("%s: %.3f\n", motion->name, error);
        if (!(error < motion->error)) fail_msg("%s: %.3f", motion->name, error);
    }
}

/* The error of the volume by fdk. */
static double error_of_fdk(const char *at, const Motion *motion)
{
    const char *prefix = motion->parallel ? "parallel:" : "";
    write_vectors(at, "vectors.npy", motion);
    cli_works(at,
              "phantom -o scan.h5 --overwrite --vectors %svectors.npy --size %d --slices %d --angles %d --noise 0 "
              "--truth truth.h5",
              prefix, SIDE, SIDE, VIEWS);
    cli_works(
        at,
        "recon scan.h5 -o volume.h5 --overwrite --pictures no --report none --vectors %svectors.npy --algorithm fdk",
        prefix);
    return difference_of(at, "volume.h5", "truth.h5");
}

static void fdk_takes_what_is_near_a_circle(void **state)
{
    static const Motion shifted = {.name = "shifted", .shift_mm = 0.2, .turns = 1};
    static const Motion level = {.name = "parallel", .turns = 1, .parallel = true};
    const char *const at = *state;
    const double jitter = error_of_fdk(at, &shifted), parallel = error_of_fdk(at, &level);
    const double still = error_of_fdk(at, &orbit);
    cli_works(at, "recon scan.h5 -o cone.h5 --pictures no --report none --geometry cone --rotation-axis 15.5 "
                  "--source-object-distance 17.0666666666667 --source-detector-distance 25.6 --detector-pixel 0.2 "
                  "--theta 0:360:excluded --algorithm fdk");
    const double circle = difference_of(at, "cone.h5", "truth.h5"), beside = difference_of(at, "volume.h5", "cone.h5");
    print_message("circle %.3f, by vectors %.3f, %.3f beside it, shifted %.3f, parallel %.3f\n", circle, still, beside,
                  jitter, parallel);
    assert_true(still < 1.1 * circle && parallel < 1.1 * circle && beside < 0.1);
    assert_true(jitter < 1.25 * circle); /* the shifted detector does not see the outermost voxels */
    cli_refuses(at, "algorithm | fdk | of the radius | helix | 0.05",
                "recon scan.h5 -o v.h5 --vectors %sturns=0.9,pitch=6 --algorithm fdk", CONE);
    cli_refuses(at, "algorithm is fdk | the angles cover 175.5 | 180 degrees and the fan, 193.8",
                "recon scan.h5 -o v.h5 --vectors %sturns=0.5 --algorithm fdk", CONE);
    cli_refuses(at, "algorithm | fdk | --vectors | lean by 20 degrees | 5.74 degrees",
                "recon scan.h5 -o v.h5 --vectors orbit:turns=1,roll=20 --algorithm fdk");
    cli_refuses(at, "algorithm | fdk | columns beside | 0.1",
                "recon scan.h5 -o v.h5 --vectors vectors.npy --start-column 12 --algorithm fdk");
}

/* A short scan, whose rays are seen once or twice, also where columns of the detector run against the turn. */
static void fdk_takes_short_scans(void **state)
{
    const char *const at = *state;
    double error[2];
    for (int i = 0; i < 2; i++) {
        const char *const roll = i ? ",roll=180" : "";
        cli_works(at,
                  "phantom -o scan.h5 --overwrite --vectors %sturns=0.6%s --size %d --slices %d --angles %d --noise 0 "
                  "--truth truth.h5",
                  CONE, roll, SIDE, SIDE, VIEWS);
        cli_works(at,
                  "recon scan.h5 -o volume%d.h5 --pictures no --report none --vectors %sturns=0.6%s --algorithm fdk", i,
                  CONE, roll);
        error[i] = difference_of(at, i ? "volume1.h5" : "volume0.h5", "truth.h5");
        if (i > 0) continue;
        cli_works(at, "recon scan.h5 -o cone.h5 --pictures no --report none --geometry cone --rotation-axis 15.5 "
                      "--source-object-distance 17.0666666666667 --source-detector-distance 25.6 --detector-pixel 0.2 "
                      "--theta 0:216:excluded --algorithm fdk");
    }
    const double circle = difference_of(at, "cone.h5", "truth.h5"), beside = difference_of(at, "volume0.h5", "cone.h5");
    print_message("216 degrees: cone %.3f, by vectors %.3f and %.3f, %.3f beside it\n", circle, error[0], error[1],
                  beside);
    assert_true(error[0] < 1.05 * circle && error[1] < 1.05 * circle && beside < 0.1);
}

/* Within 0.3 sides of the axis, without a fifth of the slices at each end: the error of the volume, and how far the
 * means of slices go up and down with the pitch, in slices, as a share of the truth. */
static double bands_of(const char *at, double pitch, double *difference)
{
    float *a = cli_read_volume(at, "volume.h5", SIDE, SIDE), *b = cli_read_volume(at, "truth.h5", SIDE, SIDE);
    double error[SIDE] = {0}, truth = 0, mean = 0, off = 0, norm = 0, wave[2] = {0, 0};
    const int first = SIDE / 5, end = SIDE - SIDE / 5;
    for (int i = first * SIDE * SIDE; i < end * SIDE * SIDE; i++) {
        const double x = i % SIDE - 0.5 * (SIDE - 1), y = i / SIDE % SIDE - 0.5 * (SIDE - 1);
        if (hypot(x, y) > 0.3 * SIDE) continue;
        error[i / SIDE / SIDE] += (double)a[i] - (double)b[i];
        truth += (double)b[i] / (end - first);
        off += pow((double)a[i] - (double)b[i], 2);
        norm += pow((double)b[i], 2);
    }
    free(a);
    free(b);
    *difference = sqrt(off / norm);
    for (int z = first; z < end; z++) mean += error[z] / truth / (end - first);
    for (int z = first; z < end; z++)
        for (int i = 0; i < 2; i++)
            wave[i] += 2 * (error[z] / truth - mean) * sin(2 * M_PI * z / pitch + i * M_PI / 2) / (end - first);
    return hypot(wave[0], wave[1]);
}

/* A helix is as good as a circle, without bands at its pitch, also where columns lie along the turn. No circle is seen
 * in one that is far away, or whose rays are parallel. */
static void fdk_takes_a_helix(void **state)
{
    static const char *const turns[] = {"turns=1", "turns=4,pitch=1.6,roll=90", "turns=4,pitch=1.6"};
    const char *const at = *state;
    double error[3], bands[3];
    for (int i = 0; i < 3; i++) {
        cli_works(at,
                  "phantom -o scan.h5 --overwrite --vectors %s%s --size %d --slices %d --angles 160 --noise 0 "
                  "--truth truth.h5",
                  CONE, turns[i], SIDE, SIDE);
        cli_works(at,
                  "recon scan.h5 -o volume.h5 --overwrite --pictures no --report none --vectors %s%s --algorithm fdk",
                  CONE, turns[i]);
        bands[i] = bands_of(at, 1.6 * magnification / pixel, &error[i]);
    }
    for (int i = 0; i < 3; i++) print_message("%s: error %.3f, bands %.4f\n", turns[i], error[i], bands[i]);
    for (int i = 1; i < 3; i++) assert_true(error[i] < 1.2 * error[0] && bands[i] < 0.01);
    cli_refuses(at, "algorithm | fdk | helix of 6 mm a turn | rows see 3.733 mm | up to 3.556 mm | fista, sirt or cg",
                "recon scan.h5 -o v.h5 --vectors %sturns=4,pitch=6 --algorithm fdk", CONE);
    cli_refuses(
        at, "algorithm | fdk | helix of 6 mm a turn",
        "recon scan.h5 -o v.h5 --vectors orbit:source=170,detector=255,pixel=0.2,turns=2,pitch=6 --algorithm fdk");
    cli_refuses(at, "algorithm | fdk | middle in rows -0.2013 to 31.4 of 32; | 6.4 of them apart | fista, sirt or cg",
                "recon scan.h5 -o v.h5 --vectors orbit:pixel=0.2,turns=4,pitch=1.59 --algorithm fdk");
    cli_refuses(at, "algorithm | fdk | rows see 0.1333 mm | voxels have 0.3 mm | --voxel-size of up to 0.1333",
                "recon scan.h5 -o v.h5 --vectors %sturns=1 --algorithm fdk --start-row 15 --end-row 16 --voxel-size "
                "0.3 --volume 16x16x1",
                CONE);
    cli_refuses(at, "algorithm | fdk | rows | lean by 10 degrees | up to 5.74 degrees",
                "recon scan.h5 -o v.h5 --vectors %sturns=4,pitch=1.6,roll=10 --algorithm fdk", CONE);
}

/* Parallel rays of `arc` degrees about z; `turned`: rows of pixels run along the axis. */
static void write_series(const char *at, const char *name, double arc, bool turned)
{
    double vectors[VIEWS][NUMBERS] = {{0}};
    char shape[64];
    for (int k = 0; k < VIEWS; k++) {
        const double angle = arc * M_PI / 180 * ((double)k / (VIEWS - 1) - 0.5);
        double *of = vectors[k], *level = of + (turned ? 9 : 6), *up = of + (turned ? 6 : 9);
        of[0] = -sin(angle);
        of[1] = cos(angle);
        level[0] = pixel * cos(angle);
        level[1] = pixel * sin(angle);
        up[2] = pixel;
    }
    snprintf(shape, sizeof shape, "(%d, %d)", VIEWS, NUMBERS);
    cli_write_npy(at, name, "<f8", shape, vectors, sizeof vectors);
}

static void fdk_takes_tilt_series_and_laminography(void **state)
{
    static const Motion slow = {.name = "tilted", .tilt_deg = 30, .turns = 1},
                        flat = {.name = "tilted parallel beam", .tilt_deg = 30, .turns = 1, .parallel = true};
    static const char *const name[] = {"rows", "columns"};
    const char *const at = *state;
    double error[2];
    for (int turned = 0; turned < 2; turned++) {
        write_series(at, "series.npy", 120, turned);
        cli_works(at,
                  "phantom -o scan.h5 --overwrite --vectors parallel:series.npy --size %d --slices %d --angles %d "
                  "--noise 0 --truth truth.h5",
                  SIDE, SIDE, VIEWS);
        cli_works(at,
                  "recon scan.h5 -o %s.h5 --pictures no --report none --vectors parallel:series.npy --algorithm fdk",
                  name[turned]);
        error[turned] = difference_of(at, turned ? "columns.h5" : "rows.h5", "truth.h5");
    }
    const double apart = difference_of(at, "rows.h5", "columns.h5");
    const double tilted = error_of_fdk(at, &slow), parallel = error_of_fdk(at, &flat);
    print_message("120 degrees %.3f and %.3f, %.2g apart; laminography %.3f, parallel %.3f\n", error[0], error[1],
                  apart, tilted, parallel);
    assert_true(error[0] < 0.3 && apart < 1e-4 && tilted < 0.35 && parallel < 0.35);
    cli_refuses(at, "algorithm | fdk | gap | a whole turn | fista, sirt or cg",
                "recon scan.h5 -o v.h5 --vectors orbit:turns=0.7,tilt=30 --algorithm fdk");
    write_series(at, "series.npy", 0, false);
    cli_refuses(at, "algorithm | fdk | one direction | turn about an axis",
                "recon scan.h5 -o v.h5 --vectors parallel:series.npy --algorithm fdk");
}

/* The strength that averaged pixels find for fista, which is the default, is about as good as the best of three; and
 * that of a smooth prior, whose threshold is a share of the volume's values. */
static void strength_is_found(void **state)
{
    enum { FOUND = 3 };
    static const char *const strengths[] = {"0.05",
                                            "0.2",
                                            "0.8",
                                            "auto",
                                            "auto --prior huber",
                                            "auto --prior huber --prior-threshold 0.2",
                                            "0.2 --prior qggmrf"};
    enum { COUNT = sizeof strengths / sizeof *strengths };
    const char *const at = *state;
    double error[COUNT], threshold[COUNT] = {0}, best = INFINITY;
    write_series(at, "series.npy", 120, true);
    cli_works(at,
              "phantom -o scan.h5 --overwrite --vectors parallel:series.npy --size %d --slices %d --angles %d "
              "--noise 0.02 --truth truth.h5",
              SIDE, SIDE, VIEWS);
    for (int i = 0; i < COUNT; i++) {
        cli_works(at,
                  "recon scan.h5 -o volume.h5 --overwrite --pictures no --report none --vectors parallel:series.npy "
                  "--regularization %s",
                  strengths[i]);
        error[i] = difference_of(at, "volume.h5", "truth.h5");
        if (i < FOUND) best = fmin(best, error[i]);
        if (i > FOUND) {
            double *found = cli_read_doubles(at, "volume.h5", "/process/prior_threshold", 0, NULL);
            threshold[i] = *found;
            free(found);
        }
        print_message("strength %s: %.3f, threshold %g\n", strengths[i], error[i], threshold[i]);
        if (i >= FOUND) assert_true(error[i] < 1.1 * best);
    }
    assert_true(fabs(threshold[FOUND + 2] / threshold[FOUND + 1] - 2) < 0.1);
    assert_true(threshold[FOUND + 3] == threshold[FOUND + 1]);
}

static void files_of_other_programs_agree(void **state)
{
    static const char same[] = "--overwrite --pictures no --report none --algorithm sirt --iterations 2";
    const char *const at = *state;
    for (int i = 0; i < MOTIONS; i++) {
        const Motion *motion = &motions[i];
        const char *prefix = motion->parallel ? "parallel:" : "";
        write_vectors(at, "vectors.npy", motion);
        write_rtk(at, "geometry.xml", motion);
        write_ctsimu(at, "scenario.json", motion);
        cli_works(at, "phantom -o scan.h5 --overwrite --vectors %svectors.npy --size %d --slices %d --angles %d",
                  prefix, SIDE, SIDE, VIEWS);
        cli_works(at, "recon scan.h5 -o npy.h5 %s --vectors %svectors.npy", same, prefix);
        cli_works(at, "recon scan.h5 -o xml.h5 %s --vectors geometry.xml --detector-pixel %g", same, pixel);
        const double xml = difference_of(at, "xml.h5", "npy.h5");
        if (!(xml < 1e-5)) fail_msg("%s: %g", motion->name, xml);
        cli_works(at, "recon scan.h5 -o json.h5 %s --vectors scenario.json", same);
        const double json = difference_of(at, "json.h5", "npy.h5");
        if (!(json < 1e-5)) fail_msg("%s: %g", motion->name, json);
    }
}

/* ASTRA's fanflat_vec: x and y of source, middle and column. */
static void fans_of_astra_agree(void **state)
{
    static const char same[] = "--overwrite --pictures no --report none --iterations 3 --algorithm sirt";
    const char *const at = *state;
    double vectors[VIEWS][6];
    char shape[64];
    for (int k = 0; k < VIEWS; k++) {
        const double c = cos(2 * M_PI * k / VIEWS), s = sin(2 * M_PI * k / VIEWS),
                     behind = (magnification - 1) * distance;
        const double of[6] = {distance * s, -distance * c, -behind * s, behind * c, pixel * c, pixel * s};
        for (int i = 0; i < 6; i++) vectors[k][i] = of[i];
    }
    snprintf(shape, sizeof shape, "(%d, 6)", VIEWS);
    cli_write_npy(at, "flat.npy", "<f8", shape, vectors, sizeof vectors);
    cli_works(at, "phantom -o fan.h5 --geometry cone --size %d --slices 1 --angles %d", SIDE, VIEWS);
    cli_works(at, "recon fan.h5 -o fan_volume.h5 %s --geometry fan --rotation-axis 15.5", same);
    cli_works(at, "recon fan.h5 -o flat_volume.h5 %s --vectors flat.npy", same);
    float *a = cli_read_volume(at, "flat_volume.h5", 1, SIDE), *b = cli_read_volume(at, "fan_volume.h5", 1, SIDE);
    for (int i = 0; i < SIDE * SIDE; i++)
        if (!(fabsf(a[i] - b[i]) <= 1e-4F)) fail_msg("voxel %d: %g and %g", i, (double)a[i], (double)b[i]);
    free(a);
    free(b);
}

static void refusals_of_other_programs(void **state)
{
    const char *const at = *state;
    cli_works(at, "phantom -o scan.h5 --geometry cone --size %d --slices 4 --angles %d", SIDE, VIEWS);
    write_rtk(at, "geometry.xml", &orbit);
    write_ctsimu(at, "scenario.json", &orbit);
    cli_refuses(at, "--vectors scenario.json | 32 x 32 | 32 x 4",
                "recon scan.h5 -o volume.h5 --vectors scenario.json --algorithm cg");
    cli_refuses(at, "detector-pixel | 0.3x0.3 | scenario.json",
                "recon scan.h5 -o volume.h5 --vectors scenario.json --detector-pixel 0.3 --algorithm cg");
    cli_refuses(at, "detector-pixel | orbit:turns=1",
                "recon scan.h5 -o volume.h5 --vectors orbit:turns=1 --detector-pixel 0.3 --algorithm cg");
    cli_refuses(at, "--vectors geometry.xml | 40 | 7",
                "plan --angles 7 --columns 9 --slices 9 --vectors geometry.xml --detector-pixel 0.2 --algorithm cg");
}

static void refusals(void **state)
{
    const char *const at = *state;
    cli_works(at, "phantom -o scan.h5 --geometry cone --size %d --slices 4 --angles %d", SIDE, VIEWS);
    write_vectors(at, "vectors.npy", &orbit);
    cli_refuses(at, "--geometry | vectors | --vectors FILE", "recon scan.h5 -o volume.h5 --geometry vectors");
    cli_refuses(at, "--geometry cone | --vectors vectors.npy",
                "recon scan.h5 -o volume.h5 --geometry cone --vectors vectors.npy");
    cli_refuses(at, "--rotation-axis | --geometry vectors | parallel",
                "recon scan.h5 -o volume.h5 --vectors vectors.npy --rotation-axis 3");
    cli_refuses(at, "--vectors vectors.npy | 40 | 7",
                "plan --angles 7 --columns 9 --slices 9 --vectors vectors.npy --algorithm cg");
    cli_refuses(at, "999 x 999 x 4 voxels | projection 0 | 0, -17.0667, 0 | --volume | --voxel-size",
                "recon scan.h5 -o volume.h5 --vectors vectors.npy --volume 999x999x4 --algorithm cg");
}

int cli_vectors_tests(void)
{
    const struct CMUnitTest tests[] = {
        CLI_TEST(vectors_of_an_orbit_are_the_orbit),
        CLI_ONE_CORE(phantoms_come_back),
        CLI_ONE_CORE(files_of_other_programs_agree),
        CLI_TEST(fans_of_astra_agree),
        CLI_TEST(refusals_of_other_programs),
        CLI_TEST(fdk_takes_what_is_near_a_circle),
        CLI_TEST(fdk_takes_short_scans),
        CLI_TEST(fdk_takes_a_helix),
        CLI_TEST(fdk_takes_tilt_series_and_laminography),
        CLI_TEST(strength_is_found),
        CLI_TEST(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
