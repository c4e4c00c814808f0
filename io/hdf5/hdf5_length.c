/* SPDX-License-Identifier: BSD-3-Clause */
/* HDF5 length: one length of an apparatus, with its unit, as other programs store it. */
#include "hdf5_files.h"

#include <math.h>
#include <string.h>

double sino_length_unit(const char *text)
{
    static const char *const stems[] = {"m", "metre", "metres", "meter", "meters"};
    static const struct {
        const char *word;
        double mm;
    } prefixes[] = {{"", 1e3},          {"c", 10},          {"centi", 10},   {"m", 1},    {"milli", 1},  {"u", 1e-3},
                    {"\xc2\xb5", 1e-3}, {"\xce\xbc", 1e-3}, {"micro", 1e-3}, {"n", 1e-6}, {"nano", 1e-6}};
    if (strcmp(text, "micron") == 0 || strcmp(text, "microns") == 0) return 1e-3;
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        const size_t length = strlen(prefixes[i].word);
        if (strncmp(text, prefixes[i].word, length) != 0) continue;
        for (size_t k = 0; k < sizeof stems / sizeof *stems; k++)
            if (strcmp(text + length, stems[k]) == 0) return prefixes[i].mm;
    }
    return 0;
}

/* Millimetres of the unit of a dataset; 0: it has no unit of length. */
static double unit_of(hid_t dataset)
{
    char text[SINO_HDF5_TEXT];
    return sino_hdf5_text(dataset, "units", text) ? sino_length_unit(text) : 0;
}

static bool read_number(const SinoDataset *dataset, double *number)
{
    const int64_t first[SINO_DATASET_RANK] = {0};
    for (int d = 0; d < dataset->rank; d++)
        if (dataset->size[d] != 1) return false;
    if (dataset->rank == 0) return H5Dread(dataset->id, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, number) >= 0;
    SinoStatus status = sino_dataset_read(dataset, first, dataset->size, H5T_NATIVE_DOUBLE, number);
    const bool fine = !status;
    sino_status_free(status);
    return fine;
}

double sino_hdf5_length(const char *path, hid_t file, const char *name)
{
    SinoDataset dataset = {.id = H5I_INVALID_HID};
    SinoFileList sources = {0}; /* they are checked, so that HDF5 opens regular files only */
    double number = 0;
    SinoStatus status = sino_dataset_open_whole(path, file, name, SINO_ANY_RANK, true, &sources, &dataset);
    const double unit = !status && dataset.id >= 0 ? unit_of(dataset.id) : 0;
    const double length = unit > 0 && read_number(&dataset, &number) ? number * unit : 0;
    if (!status) sino_dataset_close(&dataset);
    sino_status_free(status);
    sino_file_list_free(&sources);
    return isfinite(length) ? length : 0;
}
