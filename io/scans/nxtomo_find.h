/* SPDX-License-Identifier: BSD-3-Clause */
/* NXtomo, finding: the tomography scans of a NeXus file, by what groups contain rather than by their names. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <hdf5.h>

enum { SINO_NX_NAME = 512, SINO_NX_ENTRIES = 16 };

/* A group with instrument/DETECTOR/data and instrument/DETECTOR/image_key. */
typedef struct SinoNxEntry {
    char group[SINO_NX_NAME];    /* "/entry1/tomo_entry" */
    char detector[SINO_NX_NAME]; /* group of the frames and their keys */
    char angles[SINO_NX_NAME];   /* dataset; "": none was found */
    bool defined;                /* the group says that it is NXtomo */
    int score;                   /* higher: a better candidate */
} SinoNxEntry;

/* Finds the scans at and below a group, "/" or the user's choice, which may also be the dataset of frames itself. Of
 * scans with the same frames the first one remains, of others those with the highest score. *count: of those; 0: none,
 * or the file or the group cannot be read. */
void sino_nxtomo_find(const char *path, hid_t file, const char *group, SinoNxEntry entry[SINO_NX_ENTRIES],
                      int64_t *count);
