/* SPDX-License-Identifier: BSD-3-Clause */
/* Compare settings: input.file_name is the volume that is judged. */
#pragma once

typedef struct SinoCompareSettings {
    char *reference;             /* the volume that it is compared with */
    char *slices;                /* --slices A:B; NULL: all */
    char *region;                /* "circle", "all", X0:X1,Y0:Y1 or X,Y,RADIUS */
    char *object, *surroundings; /* --object, --background: circles X,Y,RADIUS; NULL: no contrast */
    char *frc, *picture;         /* paths of the ring correlation's table and of a picture; NULL: none */
    char *error_map;             /* path of the volume of estimated errors; NULL: none */
    double at_most;              /* largest relative L2 error that passes; 0: any */
} SinoCompareSettings;
