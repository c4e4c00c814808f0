/* SPDX-License-Identifier: BSD-3-Clause */
/* Layout: which rays of a scan are stored, which follow from them by symmetry, and in which order they are numbered.
 *
 * Orientations. The grid is centered on the rotation axis, so a ray at angle θ + 90° crosses the image as the ray at θ
 * with the same offset crosses the image turned by 90°; likewise 180° − θ and the image mirrored left to right, for any
 * rotation center. An angle is stored once and serves every orientation of the image whose angle the scan has too.
 * Turned and mirrored tiles must be tiles: the grid has an even number of voxels a side, or there is but one
 * orientation.
 *
 * Order. Angles of a layout come class by class (one class per set of orientations), within a class orientation by
 * orientation, within an orientation by ascending stored angle: rays of one group have neighbouring angles whatever the
 * order of the scan, and the rays of two orientations are a fixed number of rows apart. Ray (angle k of the layout,
 * column c) is number k·M + c. */
#ifndef SINO_LAYOUT_H
#define SINO_LAYOUT_H

#include "geometry.h"
#include "precision.h"
#include "status.h"

#include <stdbool.h>

enum {
    SINO_ORIENTATIONS = 8,   /* g = quarter turns, + 4 when mirrored (left to right, before it is turned) */
    SINO_ANGLE_CLASSES = 12, /* the most classes; angles of rarer sets of orientations are stored each */
    SINO_GROUP_ANGLES_MAX = 32
};

typedef struct SinoAngleClass {
    uint32_t orientations; /* bit g: the scan has the angle of orientation g; bit 0 always */
    int64_t orientation_count;
    int64_t first; /* number of the first stored angle in the layout's order */
    int64_t count; /* stored angles; with each orientation's the class has count·orientation_count */
} SinoAngleClass;

typedef struct SinoLayout {
    SinoGeometry geometry; /* of the scan, its angles in the layout's order */
    SinoPrecision precision;
    int64_t group_angles;  /* neighbouring stored angles whose rays may share a group */
    uint32_t orientations; /* bits of every orientation that some class has */
    int class_count;
    SinoAngleClass angle_class[SINO_ANGLE_CLASSES];
    int64_t *place;    /* angle k of the scan is number place[k] of the layout; owned */
    double *angle_rad; /* what geometry refers to; owned */
} SinoLayout;

/* `symmetry` false: every angle is stored. Angles pair up when the rays at the grid's edge are 1/1000 voxel apart at
 * most. SINO_FAILED: out of memory. */
SinoStatus sino_layout_new(const SinoGeometry *scan, SinoPrecision precision, bool symmetry, SinoLayout *layout);
void sino_layout_free(SinoLayout *layout);

/* Stored angles of all classes. */
int64_t sino_layout_stored_angles(const SinoLayout *layout);

/* The angle at which the image shows what it shows at angle_rad in orientation g. */
double sino_orientation_angle_rad(int orientation, double angle_rad);

/* The bits of all orientations that come about when the given ones follow each other, in any order: what takes a place
 * to every place that shares lengths with it. 1, 2, 4 or 8 of them. */
uint32_t sino_orientation_group(uint32_t orientations);

/* Where (row, column) of a square of `size` cells a side lies in orientation g. */
void sino_orientation_place(int orientation, int64_t size, int64_t *row, int64_t *column);

#endif
