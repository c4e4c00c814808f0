/* SPDX-License-Identifier: BSD-3-Clause */
/* Input, its parts: weights, masks, start volumes, and files that another process writes. */
#pragma once

#include "data.h"
#include "files_tasks.h"
#include "input.h"
#include "live.h"
#include "minibatch.h"
#include "paths.h"
#include "processes.h"
#include "settings.h"
#include "solver_settings.h"
#include "status.h"
#include "volume_input.h"

#include <stdint.h>

/* Angle order: which projections see the object from sides close together. Golden angles, several revolutions and other
 * interlaced scans have neighbours in the file that see it from sides far apart. */

/* Makes *order [angle_count]: the input's angles in order, the first one first, where neighbours in the file are 1.4
 * times as far apart; the caller frees it. Else NULL. A sample that has turned round is seen as before. SINO_FAILED:
 * out of memory. */
SinoStatus sino_angle_order(const SinoInput *input, int64_t **order);

/* The place of an angle in a turn, from 0 to 2π. */
double sino_angle_turned_rad(double angle_rad);

/* Input follow: waits for the projections of a scan that another process still writes (--follow). A graph calls
 * sino_input_await before it submits tasks that load projections; nothing else of it knows whether a scan is followed.
 */

/* Waits until angles 0 … end − 1 of the input's scan can be read, or a task has failed; at once if the scan is not
 * followed. In a simulation: until they have come at the input's rate, in virtual time. `io`: the data that orders the
 * tasks that call HDF5, which wait while the file is looked at. `live`: the page that is kept up to date meanwhile;
 * NULL: none. Called by the thread that submits. SINO_FAILED: as of sino_scan_await. */
SinoStatus sino_input_await(const SinoInput *input, SinoRuntime *runtime, SinoData *io, SinoLive *live, int64_t end);

/* Waits until the scan of the settings, which is not followed any more, can be opened as a whole one: its writer has
 * closed the file, and what follows the last projection has come. SINO_FAILED: it cannot for --follow-timeout. */
SinoStatus sino_input_await_whole(const SinoSettings *settings, SinoLog *log);

/* Logs how fast the scan came, and how long ago its last projection did; nothing if it was not followed. */
void sino_input_tell_arrival(const SinoInput *input, SinoLog *log);

/* The checksum of what tells a scan that was followed from others (scan_follow.h), for runs that join their volumes;
 * unchanged if it was not followed, or cannot be read any more. Call it when no task reads the scan. */
void sino_input_follow_checksum(const SinoInput *input, char digits[17]);

/* SINO_BAD_INPUT: the settings ask for --follow, and for what needs the whole scan before a projection is used. */
SinoStatus sino_input_check_follow(const SinoSettings *settings);

/* Input, same: every rank must have the same input, if not the same files. Collective. Compares what each rank reads,
 * independent of names: sizes, angles and types of the scan (NULL: the settings name a system matrix and its counts),
 * and sizes and checksums of parts of the files of every option. If these are equal but the times of the last change
 * differ, the checksums of whole files are compared. SINO_BAD_INPUT: the ranks have different input; one rank has the
 * text. */
SinoStatus sino_input_check_same(SinoProcesses *processes, const SinoSettings *settings, const SinoInput *scan,
                                 SinoLog *log);

/* Input, weights: the weights of rays that --weights names, or a caller's array has. */

/* Tries in a child process whether the headers can be read, if the settings name a file. */
SinoStatus sino_input_weights_try(const SinoSettings *settings);

/* Opens the weights of an input whose scan is open, if the settings have any, and reads those of the middle slice.
 * SINO_BAD_INPUT: as of weights_file.h. */
SinoStatus sino_input_weights_open(const SinoSettings *settings, SinoInput *input);

/* The load of the weights of a minibatch's slices, the first of which is `first_slice` of the input. */
SinoLoadWeights sino_input_load_weights(const SinoInput *input, SinoSlices slices, int64_t first_slice);

/* Inserts load_weights into all members of a vector of the minibatch, whose vector 0 has the line integrals. */
SinoStatus sino_minibatch_load_weights(SinoRuntime *runtime, const SinoMinibatch *minibatch, int64_t vector,
                                       SinoLoadWeights *load, SinoData *io);

/* Reads the weights of one slice: weights[angle of the scan][column]. No task may read files meanwhile. */
SinoStatus sino_input_read_weights(const SinoInput *input, int64_t slice, float *weights);

/* Bytes of the weights that stay in memory, and those of a piece that is being read; 0: the settings have no file. */
int64_t sino_input_weights_bytes(const SinoSolverSettings *settings, const SinoInput *input, int64_t slice_count);

/* Mask: the voxels of slices that may have a value, which --mask names. */

/* Tries in a child process whether the header can be read, if there is a file; before MPI or StarPU starts. */
SinoStatus sino_mask_try(const SinoSolverSettings *settings);

/* Reads the image. *mask: [height][width], 0 where voxels stay 0; owned by the caller, who frees it; NULL: the settings
 * name none. SINO_BAD_INPUT: other sizes than one slice of width x height, a value that is no finite number, no voxel
 * other than 0. */
SinoStatus sino_mask_read(const SinoSolverSettings *settings, int64_t height, int64_t width, unsigned char **mask);

/* Bytes of the image of a run, 0 without one. */
int64_t sino_mask_bytes(const SinoSolverSettings *settings, int64_t height, int64_t width);

/* Material: refraction and absorption of X-rays by a material of known formula, density and attenuation.
 *
 *     δ = r_e·λ²·n_e/(2π),    n_e = ρ·N_A·ΣZ/ΣA,    β = µ·λ/(4π)
 *
 * with the classical radius of the electron r_e and the electrons of the formula, ΣZ of mass ΣA (Als-Nielsen and
 * McMorrow, Elements of Modern X-ray Physics, 2nd ed., ch. 3.1). Beside the absorption edges of the heavier elements δ
 * differs from that by a few percent. Atomic weights are the standard ones, abridged (IUPAC, 2021). */

/* The electrons and the mass, in g/mol, of a formula such as CaCO3, Ca10(PO4)6(OH)2 or Fe0.7Ni0.3. SINO_BAD_INPUT: it
 * is none, or has an element without a standard atomic weight. */
SinoStatus sino_material_formula(const char *formula, double *electrons, double *mass);

/* *delta_beta at an energy. density in g/cm³, attenuation µ in 1/cm, both above 0. Errors: as above. */
SinoStatus sino_material_delta_beta(const char *formula, double density, double attenuation, double energy_kev,
                                    double *delta_beta);

/* Read files: every file that a run of recon reads, except its settings. */

/* The files of one option. */
typedef struct SinoReadFiles {
    const char *option; /* "--mask"; of the projections or counts "the input"; NULL: no more */
    SinoFileList list;  /* empty: the option names no file */
} SinoReadFiles;

enum { SINO_READS = 9 };

/* Lists the files of every option that reads some, for a scan, or (`scan` NULL) for a system matrix and its counts:
 * matches of patterns, files in folders and in folders within them, and what headers name. The caller frees them, on
 * failure too, if they were zeroed. SINO_BAD_INPUT: a file of a system matrix is not there. */
SinoStatus sino_read_files_list(const SinoSettings *settings, const SinoInput *scan, SinoReadFiles read[SINO_READS]);
void sino_read_files_free(SinoReadFiles read[SINO_READS]);

/* Start volume: the first estimate of a volume, which --start names. */

/* Tries in a child process whether the header can be read, if there is a file; before MPI or StarPU starts. */
SinoStatus sino_start_volume_try(const SinoSolverSettings *settings);

/* Opens the volume, which the caller closes; *input NULL: the settings name none. */
SinoStatus sino_start_volume_open(const SinoSolverSettings *settings, SinoVolumeInput **input);

/* SINO_BAD_INPUT: the volume has other sizes than the run's. `input` NULL: there is none. */
SinoStatus sino_start_volume_check(const SinoSolverSettings *settings, const SinoVolumeInput *input,
                                   int64_t slice_count, int64_t height, int64_t width);
