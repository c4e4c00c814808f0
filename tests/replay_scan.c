/* SPDX-License-Identifier: BSD-3-Clause */
/* Replay: writes the projections of a Data Exchange scan one after another, as an instrument does.
 *
 *     replay_scan SCAN OUT swmr|plain|nxtomo|tiff|stream RATE [die|cut|hold|bad|other|end N]...
 *
 * swmr: OUT is an HDF5 file that is written with SWMR; plain: one that is closed after every projection; tiff: a
 * folder, which is made, of an image per projection; nxtomo: an NXtomo file with SWMR, whose first frame is the first
 * flat field, whose second is the first dark field, and whose last is a dark field, too; stream: the port of a run that
 * listens. RATE: projections per second; 0: as fast as they can be written. After N projections the program ends by
 * SIGKILL (die); takes the last kilobyte of the file away, and ends (cut); waits for a file named `go` in its working
 * directory (hold); or sends ten messages that are no frames (bad), all that it began with again (other), or the end
 * (end). A file or a stream has all angles, flat and dark fields from the beginning; a folder has none. The program
 * prints when it has written the last projection, in seconds since 1970. */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <hdf5.h>
#include <tiffio.h>

#include "replay_stream.h"

static const char exchange_data[] = "/exchange/data", entry_data[] = "/entry/instrument/detector/data";

enum { FIELDS_BEFORE = 2, FIELDS_AFTER = 1 }; /* of an NXtomo file */

typedef struct Replay {
    const char *out;
    hid_t from, data; /* of the scan */
    hsize_t size[3];
    void *image;   /* of float, else of uint16_t */
    bool is_float; /* as the scan's projections are stored; now and then as those of another field */
    bool swmr, nxtomo;
    ReplayStream stream;
    hid_t file, written; /* of a file with SWMR */
} Replay;

static void need(bool fine, const char *what)
{
    if (fine) return;
    fprintf(stderr, "replay_scan: %s\n", what);
    exit(1);
}

static bool has_floats(hid_t data)
{
    const hid_t type = H5Dget_type(data);
    const bool floats = H5Tget_class(type) == H5T_FLOAT;
    (void)H5Tclose(type);
    return floats;
}

static void open_scan(const char *path, Replay *replay)
{
    replay->from = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    need(replay->from >= 0, "the scan cannot be opened");
    replay->data = H5Dopen2(replay->from, exchange_data, H5P_DEFAULT);
    const hid_t space = H5Dget_space(replay->data);
    need(space >= 0 && H5Sget_simple_extent_dims(space, replay->size, NULL) == 3, "the scan has no projections");
    (void)H5Sclose(space);
    replay->is_float = has_floats(replay->data);
    replay->image = malloc(replay->size[1] * replay->size[2] * sizeof(float));
    need(replay->image, "no memory");
}

/* Moves image k between a file and memory. */
static bool move_image(const Replay *replay, hid_t data, hsize_t k, bool write)
{
    const hsize_t start[3] = {k, 0, 0}, count[3] = {1, replay->size[1], replay->size[2]};
    const hid_t space = H5Dget_space(data), memory = H5Screate_simple(3, count, NULL);
    const bool chosen = H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0;
    const hid_t type = replay->is_float ? H5T_NATIVE_FLOAT : H5T_NATIVE_UINT16;
    const herr_t moved = write ? H5Dwrite(data, type, memory, space, H5P_DEFAULT, replay->image)
                               : H5Dread(data, type, memory, space, H5P_DEFAULT, replay->image);
    (void)H5Sclose(space);
    (void)H5Sclose(memory);
    return chosen && moved >= 0;
}

static void write_numbers(hid_t file, const char *name, hid_t links, hsize_t count, const double *number)
{
    const hid_t space = H5Screate_simple(1, &count, NULL);
    const hid_t data = H5Dcreate2(file, name, H5T_IEEE_F64LE, space, links, H5P_DEFAULT, H5P_DEFAULT);
    need(data >= 0 && H5Dwrite(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, number) >= 0, name);
    (void)H5Dclose(data);
    (void)H5Sclose(space);
}

/* Keys and angles of all frames. */
static void make_entry(const Replay *replay, hid_t links)
{
    const hsize_t count = replay->size[0] + FIELDS_BEFORE + FIELDS_AFTER;
    double *angle = calloc(count, sizeof *angle), *key = calloc(count, sizeof *key);
    const hid_t theta = H5Dopen2(replay->from, "/exchange/theta", H5P_DEFAULT);
    need(angle && key && theta >= 0, "no angles");
    need(H5Dread(theta, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, angle + FIELDS_BEFORE) >= 0, "no angles");
    key[0] = 1;
    key[1] = key[count - 1] = 2;
    write_numbers(replay->file, "/entry/instrument/detector/image_key", links, count, key);
    write_numbers(replay->file, "/entry/sample/rotation_angle", links, count, angle);
    (void)H5Dclose(theta);
    free(angle);
    free(key);
}

static void make_file(Replay *replay)
{
    static const char *const names[] = {"/exchange/theta", "/exchange/data_white", "/exchange/data_dark",
                                        "/measurement"};
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS), creation = H5Pcreate(H5P_DATASET_CREATE);
    const hid_t links = H5Pcreate(H5P_LINK_CREATE);
    if (replay->swmr) need(H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST) >= 0, "no new format");
    replay->file = H5Fcreate(replay->out, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    need(replay->file >= 0 && H5Pset_create_intermediate_group(links, 1) >= 0, "the file cannot be made");
    if (replay->nxtomo) make_entry(replay, links);
    for (size_t i = 0; i < sizeof names / sizeof *names && !replay->nxtomo; i++)
        if (H5Lexists(replay->from, names[i], H5P_DEFAULT) > 0)
            need(H5Ocopy(replay->from, names[i], replay->file, names[i], H5P_DEFAULT, links) >= 0, names[i]);
    const hsize_t none[3] = {0, replay->size[1], replay->size[2]}, chunk[3] = {1, replay->size[1], replay->size[2]};
    const hsize_t most[3] = {H5S_UNLIMITED, replay->size[1], replay->size[2]};
    const hid_t space = H5Screate_simple(3, none, most);
    need(H5Pset_chunk(creation, 3, chunk) >= 0, "no chunks");
    replay->written =
        H5Dcreate2(replay->file, replay->nxtomo ? entry_data : exchange_data,
                   replay->is_float ? H5T_IEEE_F32LE : H5T_STD_U16LE, space, links, creation, H5P_DEFAULT);
    need(replay->written >= 0, "the projections cannot be made");
    (void)H5Sclose(space);
    (void)H5Pclose(access);
    (void)H5Pclose(creation);
    (void)H5Pclose(links);
    if (replay->swmr) {
        need(H5Fstart_swmr_write(replay->file) >= 0, "no SWMR");
    } else {
        need(H5Dclose(replay->written) >= 0 && H5Fclose(replay->file) >= 0, "the file cannot be closed");
    }
}

static void append(const Replay *replay, hid_t data, hsize_t k)
{
    const hsize_t size[3] = {k + 1, replay->size[1], replay->size[2]};
    need(H5Dset_extent(data, size) >= 0 && move_image(replay, data, k, true), "a projection cannot be written");
}

static void write_hdf5(const Replay *replay, hsize_t k)
{
    if (replay->swmr) {
        append(replay, replay->written, replay->nxtomo ? k + FIELDS_BEFORE : k);
        need(H5Dflush(replay->written) >= 0, "a projection cannot be flushed");
        return;
    }
    const hid_t file = H5Fopen(replay->out, H5F_ACC_RDWR, H5P_DEFAULT);
    need(file >= 0, "the file cannot be opened again");
    const hid_t data = H5Dopen2(file, exchange_data, H5P_DEFAULT);
    append(replay, data, k);
    need(H5Dclose(data) >= 0 && H5Fclose(file) >= 0, "the file cannot be closed");
}

/* The first flat or dark field, as frame k of an NXtomo file. */
static void write_field(const Replay *replay, const char *name, hsize_t k)
{
    const hid_t field = H5Dopen2(replay->from, name, H5P_DEFAULT);
    need(field >= 0 && move_image(replay, field, 0, false), name);
    append(replay, replay->written, k);
    need(H5Dclose(field) >= 0 && H5Dflush(replay->written) >= 0, "a field cannot be flushed");
}

static void write_tiff(const Replay *replay, hsize_t k)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/p_%05d.tif", replay->out, (int)k);
    TIFF *tiff = TIFFOpen(path, "w");
    need(tiff && !replay->is_float, "an image cannot be made");
    TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, (uint32_t)replay->size[2]);
    TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, (uint32_t)replay->size[1]);
    TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, 16);
    TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, 1);
    TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
    TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, 8);
    for (uint32_t row = 0; row < replay->size[1]; row++)
        need(TIFFWriteScanline(tiff, (uint16_t *)replay->image + row * replay->size[2], row, 0) >= 0,
             "an image cannot be written");
    TIFFClose(tiff);
}

/* Opens the flat or dark fields of the scan; *count 0, negative: there are none. */
static hid_t open_fields(const Replay *replay, const char *name, hsize_t *count)
{
    hsize_t size[3] = {0};
    *count = 0;
    if (H5Lexists(replay->from, name, H5P_DEFAULT) <= 0) return H5I_INVALID_HID;
    const hid_t data = H5Dopen2(replay->from, name, H5P_DEFAULT), space = H5Dget_space(data);
    need(space >= 0 && H5Sget_simple_extent_dims(space, size, NULL) == 3, name);
    (void)H5Sclose(space);
    *count = size[0];
    return data;
}

static void send_fields(Replay *replay, const char *htype, hid_t data, hsize_t count)
{
    const bool is_float = replay->is_float;
    replay->is_float = count > 0 && has_floats(data);
    for (hsize_t k = 0; k < count; k++) {
        need(move_image(replay, data, k, false), htype);
        replay_stream_send(&replay->stream, htype, (int64_t)k, replay->is_float, replay->image);
    }
    if (count > 0) (void)H5Dclose(data);
    replay->is_float = is_float;
}

/* Sends all but the projections. */
static void begin_stream(Replay *replay)
{
    hsize_t flats, darks;
    double *angle = calloc(replay->size[0], sizeof *angle);
    const hid_t theta = H5Dopen2(replay->from, "/exchange/theta", H5P_DEFAULT);
    const hid_t white = open_fields(replay, "/exchange/data_white", &flats);
    const hid_t dark = open_fields(replay, "/exchange/data_dark", &darks);
    need(angle && theta >= 0, "no angles");
    need(H5Dread(theta, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, angle) >= 0, "no angles");
    replay->stream.rows = (int64_t)replay->size[1];
    replay->stream.columns = (int64_t)replay->size[2];
    replay_stream_begin(&replay->stream, (int64_t)replay->size[0], replay->is_float, (int64_t)flats, (int64_t)darks,
                        angle);
    send_fields(replay, "flat", white, flats);
    send_fields(replay, "dark", dark, darks);
    (void)H5Dclose(theta);
    free(angle);
}

static double now_s(clockid_t clock)
{
    struct timespec now;
    (void)clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void wait_until(double time_s)
{
    const double left = time_s - now_s(CLOCK_MONOTONIC);
    if (left > 0) (void)usleep((useconds_t)(1e6 * left));
}

static void cut(const char *path)
{
    struct stat about;
    need(stat(path, &about) == 0 && truncate(path, about.st_size - 1024) == 0, "the file cannot be cut");
    _exit(0);
}

/* What happens after as many projections as were told; returns the seconds that it takes. */
static double happen(const char *what, Replay *replay)
{
    if (strcmp(what, "die") == 0) (void)raise(SIGKILL);
    if (strcmp(what, "cut") == 0) cut(replay->out);
    if (strcmp(what, "bad") == 0) replay_stream_send_bad(&replay->stream);
    if (strcmp(what, "other") == 0) begin_stream(replay);
    if (strcmp(what, "end") == 0) {
        replay_stream_end(&replay->stream);
        exit(0);
    }
    const double begin_s = now_s(CLOCK_MONOTONIC);
    while (strcmp(what, "hold") == 0 && access("go", F_OK) != 0 && now_s(CLOCK_MONOTONIC) - begin_s < 60)
        (void)usleep(10000);
    return now_s(CLOCK_MONOTONIC) - begin_s;
}

int main(int count, char **word)
{
    need(count >= 5 && count % 2 == 1,
         "needed: SCAN OUT swmr|plain|nxtomo|tiff|stream RATE [die|cut|hold|bad|other|end N]...");
    Replay replay = {.out = word[2], .nxtomo = strcmp(word[3], "nxtomo") == 0};
    replay.swmr = replay.nxtomo || strcmp(word[3], "swmr") == 0;
    const bool tiff = strcmp(word[3], "tiff") == 0, stream = strcmp(word[3], "stream") == 0;
    const double rate = strtod(word[4], NULL);
    open_scan(word[1], &replay);
    if (stream) {
        replay_stream_open(replay.out, &replay.stream);
        begin_stream(&replay);
    } else if (tiff)
        need(mkdir(replay.out, 0777) == 0 || errno == EEXIST, "the folder cannot be made");
    else
        make_file(&replay);
    if (replay.nxtomo) write_field(&replay, "/exchange/data_white", 0);
    if (replay.nxtomo) write_field(&replay, "/exchange/data_dark", 1);
    double begin_s = now_s(CLOCK_MONOTONIC);
    for (hsize_t k = 0; k < replay.size[0]; k++) {
        for (int i = 5; i < count; i += 2)
            if (k == strtoull(word[i + 1], NULL, 10)) begin_s += happen(word[i], &replay);
        if (rate > 0) wait_until(begin_s + (double)k / rate);
        need(move_image(&replay, replay.data, k, false), "a projection cannot be read");
        if (stream)
            replay_stream_send(&replay.stream, "image", (int64_t)k, replay.is_float, replay.image);
        else if (tiff)
            write_tiff(&replay, k);
        else
            write_hdf5(&replay, k);
    }
    printf("%.6f\n", now_s(CLOCK_REALTIME));
    if (stream) replay_stream_end(&replay.stream);
    if (replay.nxtomo) write_field(&replay, "/exchange/data_dark", replay.size[0] + FIELDS_BEFORE);
    if (replay.swmr) need(H5Dclose(replay.written) >= 0 && H5Fclose(replay.file) >= 0, "the file cannot be closed");
    free(replay.image);
    (void)H5Dclose(replay.data);
    (void)H5Fclose(replay.from);
    return 0;
}
