/* SPDX-License-Identifier: BSD-3-Clause */
/* Output settings: the volume and what is written beside it. */
#pragma once

#include <stdbool.h>

/* Numbers of the volume in its file. */
typedef enum SinoOutputType { SINO_OUTPUT_FLOAT32, SINO_OUTPUT_UINT16, SINO_OUTPUT_UINT8 } SinoOutputType;

typedef enum SinoSaveFormat {
    SINO_SAVE_HDF5,
    SINO_SAVE_TIFF,
    SINO_SAVE_BOTH,
    SINO_SAVE_STACK,
    SINO_SAVE_ZARR
} SinoSaveFormat;

typedef enum SinoCompression { SINO_COMPRESSION_NONE, SINO_COMPRESSION_DEFLATE, SINO_COMPRESSION_ZSTD } SinoCompression;

/* Values from low to high; both 0: auto. */
typedef struct SinoValueRange {
    double low, high;
} SinoValueRange;

typedef struct SinoOutputSettings {
    bool resume; /* go on from what an unfinished run left behind */
    char *path;  /* -o, --out-path-name; demo: "demo" when not given */
    SinoSaveFormat format;
    SinoCompression compression;
    SinoOutputType type;
    SinoValueRange range; /* what the least and the largest number of an integer type mean */
    double mask_ratio;    /* voxels beyond this share of the inscribed circle are zero; 0: no mask */
    bool pictures, overwrite;
    bool halves;  /* also the volumes of both halves of the projections */
    char *report; /* recon, demo: path of a page about the run, or "auto", beside the volume, or "none"; NULL: none */
    bool json;    /* info, plan: print one JSON object */
} SinoOutputSettings;
