/* SPDX-License-Identifier: BSD-3-Clause */
/* Volume part: reads /process of a finished volume. */
#include "volume_part.h"

#include "hdf5_files.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A longer text is none of recon's. */
enum { TEXT_MAX = 1 << 20 };

/* Reads a text of variable length; NULL: there is none, or it is no text. */
static char *read_text(hid_t file, const char *name)
{
    char *text = NULL, *copy = NULL;
    if (H5Lexists(file, "/process", H5P_DEFAULT) <= 0 || H5Lexists(file, name, H5P_DEFAULT) <= 0) return NULL;
    const hid_t data = H5Dopen2(file, name, H5P_DEFAULT);
    if (data < 0) return NULL;
    const hid_t type = H5Dget_type(data), space = H5Dget_space(data), memory = H5Tcopy(H5T_C_S1);
    const bool scalar = H5Sget_simple_extent_npoints(space) == 1 && H5Tis_variable_str(type) > 0;
    if (scalar && H5Tset_size(memory, H5T_VARIABLE) >= 0 && H5Tset_cset(memory, H5Tget_cset(type)) >= 0 &&
        H5Dread(data, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, &text) >= 0 && text) {
        copy = strnlen(text, TEXT_MAX) < TEXT_MAX ? strdup(text) : NULL;
        (void)H5Dvlen_reclaim(memory, space, H5P_DEFAULT, &text);
    }
    (void)H5Tclose(memory);
    (void)H5Tclose(type);
    (void)H5Sclose(space);
    (void)H5Dclose(data);
    return copy;
}

/* Reads `count` numbers, one of which may be a scalar; they stay if there are none. */
static void read_numbers(hid_t file, const char *name, int64_t count, double *numbers)
{
    double values[2];
    if (H5Lexists(file, "/process", H5P_DEFAULT) <= 0 || H5Lexists(file, name, H5P_DEFAULT) <= 0) return;
    const hid_t data = H5Dopen2(file, name, H5P_DEFAULT);
    if (data < 0) return;
    const hid_t type = H5Dget_type(data), space = H5Dget_space(data);
    const H5T_class_t class = H5Tget_class(type);
    const bool fits = H5Sget_simple_extent_npoints(space) == count && (class == H5T_FLOAT || class == H5T_INTEGER);
    if (fits && count <= 2 && H5Dread(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0)
        memcpy(numbers, values, (size_t)count * sizeof *values);
    (void)H5Tclose(type);
    (void)H5Sclose(space);
    (void)H5Dclose(data);
}

/* The number in the line "name: number" of the settings; false: there is none. */
static bool setting(const char *settings, const char *name, int64_t *number)
{
    const size_t length = strlen(name);
    for (const char *line = settings; line && *line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, name, length) != 0 || line[length] != ':') continue;
        char *end = NULL;
        errno = 0;
        *number = strtoll(line + length + 1, &end, 10);
        return errno == 0 && end > line + length + 1 && (*end == '\n' || *end == '\0');
    }
    return false;
}

static SinoStatus read_data(const char *path, hid_t file, SinoVolumePart *part)
{
    SinoDataset data = {.id = H5I_INVALID_HID};
    SINO_TRY(sino_dataset_open(path, file, "/exchange/data", SINO_ANY_RANK, false, &data));
    const bool integers = strcmp(data.stored_type, "float32") != 0;
    const bool small = strcmp(data.stored_type, "uint8") == 0;
    part->codes.type = !integers ? SINO_OUTPUT_FLOAT32 : small ? SINO_OUTPUT_UINT8 : SINO_OUTPUT_UINT16;
    const bool known = !integers || small || strcmp(data.stored_type, "uint16") == 0;
    const bool three = data.rank == 3;
    if (!sino_hdf5_text(data.id, "units", part->units)) part->units[0] = '\0';
    sino_dataset_close(&data);
    SINO_CHECK(known && three, SINO_BAD_INPUT,
               "%s: /exchange/data is no volume of float32, uint16 or uint8 with three dimensions", path);
    double range[2] = {0, 0};
    if (integers) read_numbers(file, "/process/output_range", 2, range);
    part->codes.range = (SinoValueRange){range[0], range[1]};
    return integers ? sino_codes_check(&part->codes) : NULL;
}

static bool find_rows(SinoVolumePart *part)
{
    int64_t first = -1, step = 0;
    if (!part->settings || !setting(part->settings, "start-row", &first) || !setting(part->settings, "binning", &step))
        return false;
    part->first_row = first;
    part->row_step = step;
    return first >= 0 && step >= 1;
}

static SinoStatus read_rest(const char *path, hid_t file, SinoVolumePart *part)
{
    SINO_CHECK(find_rows(part), SINO_BAD_INPUT,
               "%s does not say which rows it has; allowed: HDF5 volumes of parallel beams, by recon", path);
    read_numbers(file, "/process/center", 1, &part->center);
    read_numbers(file, "/process/regularization", 1, &part->strength);
    return read_data(path, file, part);
}

SinoStatus sino_volume_part_read(const char *path, SinoVolumePart *result)
{
    hid_t file;
    SinoVolumePart part = {.center = NAN, .strength = NAN};
    SINO_TRY(sino_hdf5_open(path, &file));
    part.settings = read_text(file, "/process/settings");
    part.input = read_text(file, "/process/input_xxh3");
    SinoStatus status = read_rest(path, file, &part);
    (void)H5Fclose(file); /* opened for reading: nothing can be lost */
    if (status)
        sino_volume_part_free(&part);
    else
        *result = part;
    return status;
}

void sino_volume_part_free(SinoVolumePart *part)
{
    free(part->settings);
    free(part->input);
    *part = (SinoVolumePart){0};
}
