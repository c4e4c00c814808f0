/* SPDX-License-Identifier: BSD-3-Clause */
/* Shifts file: how far each projection of a scan lies from its place on the detector. */
#include "shifts_file.h"

#include "files.h"
#include "hdf5_files.h"
#include "memory.h"
#include "numbers.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TEXT_BYTES_MAX = 1 << 28 };

static const char header[] = "columns,rows", of_volume[] = "/process/shifts";

static SinoStatus check_count(const char *path, int64_t found, int64_t count)
{
    SINO_CHECK(found == count, SINO_BAD_INPUT,
               "%s has shifts of %" PRId64 " projections, and the scan has %" PRId64
               "; allowed: as many, in the order of the scan's file",
               path, found, count);
    return NULL;
}

static SinoStatus read_dataset(const char *path, int64_t count, SinoShift *shift)
{
    const int64_t first[2] = {0, 0}, all[2] = {count, 2};
    SinoDataset dataset = {.id = H5I_INVALID_HID};
    hid_t file;
    _Static_assert(sizeof *shift == 2 * sizeof(double), "a shift is a row of the dataset");
    SINO_TRY(sino_hdf5_open(path, &file));
    SinoStatus status = sino_dataset_open(path, file, of_volume, 2, false, &dataset);
    if (!status) status = check_count(path, dataset.size[0], count);
    if (!status && dataset.size[1] != 2)
        status = sino_error(SINO_BAD_INPUT, "%s: %s has %" PRId64 " numbers of a projection; allowed: 2", path,
                            of_volume, dataset.size[1]);
    if (!status) status = sino_dataset_read(&dataset, first, all, H5T_NATIVE_DOUBLE, shift);
    sino_dataset_close(&dataset);
    (void)H5Fclose(file);
    return status;
}

static bool parse(const char *line, SinoShift *shift)
{
    char *end;
    shift->column = strtod(line, &end);
    end += strspn(end, " \t");
    if (end == line || *end != ',') return false;
    const char *second = end + 1;
    shift->row = strtod(second, &end);
    return end != second && end[strspn(end, " \t\r")] == '\0';
}

static SinoStatus parse_text(const char *path, char *text, int64_t count, SinoShift *shift)
{
    char *rest = text, *line = strsep(&rest, "\n");
    line[strcspn(line, " \t\r")] = '\0';
    SINO_CHECK(strcmp(line, header) == 0, SINO_BAD_INPUT,
               "%s begins with '%.60s'; allowed: text whose first line is %s, or a volume in HDF5 that was aligned",
               path, line, header);
    int64_t found = 0, number = 1;
    while (rest) {
        SinoShift one;
        line = strsep(&rest, "\n");
        number++;
        if (line[strspn(line, " \t\r")] == '\0') continue;
        SINO_CHECK(parse(line, &one), SINO_BAD_INPUT,
                   "%s: line %" PRId64 " is '%.60s'; allowed: two numbers with a comma between them", path, number,
                   line);
        if (found < count) shift[found] = one;
        found++;
    }
    return check_count(path, found, count);
}

static SinoStatus read_text(const char *path, int64_t count, SinoShift *shift)
{
    int descriptor;
    int64_t bytes;
    char *text = NULL;
    SINO_TRY(sino_regular_open(path, &descriptor, &bytes));
    SinoStatus status = bytes <= TEXT_BYTES_MAX
                            ? sino_allocate(bytes + 1, 1, "shifts", &text)
                            : sino_error(SINO_BAD_INPUT, "%s has %" PRId64 " bytes; allowed of shifts: up to %d", path,
                                         bytes, (int)TEXT_BYTES_MAX);
    if (!status) status = sino_regular_read(path, descriptor, 0, bytes, text);
    if (!status) status = parse_text(path, text + sino_text_mark_bytes(text, bytes), count, shift);
    free(text);
    close(descriptor);
    return status;
}

SinoStatus sino_shifts_read(const char *path, int64_t count, double most, SinoShift *shift)
{
    SINO_TRY(sino_hdf5_probe(path) ? read_dataset(path, count, shift) : read_text(path, count, shift));
    for (int64_t k = 0; k < count; k++)
        SINO_CHECK(fabs(shift[k].column) <= most && fabs(shift[k].row) <= most, SINO_BAD_INPUT,
                   "%s: projection %" PRId64 " is shifted by (%g, %g) pixels; allowed: up to %g", path, k,
                   shift[k].column, shift[k].row, most);
    return NULL;
}
