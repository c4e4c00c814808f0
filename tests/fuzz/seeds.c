/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzzing: writes the seeds, small inputs that the readers accept: FOLDER/TARGET/1 … */
#include "fuzz.h"
#include "journal.h"
#include "operator_file.h"
#include "tiff_image.h"

#include <sys/stat.h>

static char *path_of(const char *folder, const char *target, int number)
{
    static char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, target);
    (void)mkdir(path, 0777);
    snprintf(path, sizeof path, "%s/%s/%d", folder, target, number);
    return path;
}

/* A file that begins with `prefix`, as far as the target takes one, and goes on with a text. */
static void write_text(const char *folder, const char *target, int number, const char *prefix, size_t prefix_size,
                       const char *text)
{
    FILE *out = fopen(path_of(folder, target, number), "w");
    fuzz_require(out && fwrite(prefix, 1, prefix_size, out) == prefix_size && fputs(text, out) >= 0);
    fuzz_require(fclose(out) == 0);
}

static void write_scan(const char *path, SinoCountType type)
{
    static const uint16_t counts[3 * 2 * 4];
    static const double angle_rad[] = {0, 1, 2};
    const SinoScanShape shape = {type, 3, 2, 4, 1, 1, angle_rad, ""};
    SinoScanWriter *writer = NULL;
    fuzz_require(!sino_scan_writer_open(path, true, &shape, &writer));
    fuzz_require(!sino_scan_writer_rows(writer, 0, 2, counts, counts, counts));
    fuzz_require(!sino_scan_writer_finish(writer));
}

static void write_journal(const char *path)
{
    static double residuals[] = {4, 3, 2, 1};
    static int64_t counts[] = {0, 1, 2};
    const SinoJournalEntry entry = {.slice_count = 2,
                                    .columns = 2,
                                    .keeper = 1,
                                    .residuals = residuals,
                                    .repaired = counts,
                                    .tally_count = 3,
                                    .tally = counts};
    SinoJournal *journal = NULL;
    fuzz_require(!sino_journal_create(path, "version: 1\n", &journal));
    sino_journal_append(journal, &entry);
    sino_journal_append(journal, &entry);
    sino_journal_close(journal);
}

int main(int count, char **arguments)
{
    static const float values[16] = {1, 2};
    static const uint16_t pieces[] = {1, 2, 3};
    const char *folder = count == 2 ? arguments[1] : ".";
    const SinoOperatorKey key = sino_operator_file_key("fuzz", 4);
    const SinoOperatorPiece piece[] = {{pieces, 6}, {pieces, 2}, {pieces, 0}};
    write_scan(path_of(folder, "hdf5", 1), SINO_COUNT_UINT16);
    fuzz_require(!sino_tiff_image_write(path_of(folder, "tiff", 1), 4, 4, values, "text"));
    fuzz_require(!sino_operator_file_write(path_of(folder, "operator", 1), &key, 3, piece));
    write_journal(path_of(folder, "journal", 1));
    write_text(folder, "shapes", 1, "", 0, "\x04\x03\x02\x02\x03\x01\x04\x03\x02\x02\x03\x01\x04\x01\x02\x01\x03");
    write_text(folder, "sinogram", 1, "\3\0\4", 3, "0\n1\naaaabbbbccccddddaaaabbbbccccdddd");
    write_text(folder, "theta", 1, "\0\1", 2, "# degrees\n0\n 0.5e1\n-3\n");
    write_text(folder, "theta", 2, "\7\0", 2, "0:180:excluded");
    write_text(folder, "theta", 3, "\7\0", 2, "0:step:0.5");
    write_text(folder, "yaml", 1, "\0", 1,
               "file-name: a.h5\nout: \"b.h5\"\nalgorithm: sirt\nmemory: 2GiB\ngrid: 2x3\n");
    write_text(folder, "yaml", 2, "\5", 1, "angles: 3\ncolumns: 4\nslices: 5\nnode-weights: 1,2.5\n");
    write_text(folder, "arguments", 1, "\0", 1,
               "a.h5\n--out=b.h5\n--num_iter\n3\n--minus-log\nTrue\n--topology\nnodes=2");
    write_text(folder, "arguments", 2, "\4", 1, "--slices\n1,2\n--precision\nsingle,half\n--center\n3");
    write_text(folder, "table", 1, "", 0,
               "precision,slices,workers,project_gflops,backproject_gflops,read_gbps\nsingle,4,2,10,10,40\n");
    return 0;
}
