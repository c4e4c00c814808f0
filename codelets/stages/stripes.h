/* SPDX-License-Identifier: BSD-3-Clause */
/* Stripes: removes from sinograms the stripes along the angles that detector columns of a wrong sensitivity leave, and
 * with them the rings of the reconstructed slices. Each method is that of a publication, with TomoPy's parameters
 * (tomopy.prep.stripe), so that its users find them again. */
#pragma once

#include "cuda_stream.h"
#include "panel.h"
#include "status.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum SinoStripesMethod {
    SINO_STRIPES_NONE,
    /* Fourier-wavelet: damps the low frequencies along the angles in the wavelet bands (db5) that are smooth along the
     * angles and rough along the columns. Münch, Trtik, Marone, Stampanoni, Optics Express 17, 8567 (2009). The
     * sinogram is padded by a sixteenth of its angles with zeros at both ends. */
    SINO_STRIPES_FW,
    /* Titarenko's: adds to each column an offset that makes the mean over angles smooth, by first and by second
     * differences, and takes the root of both results' product. Miqueles, Rinkel, O'Dowd, Bermúdez, J. Synchrotron
     * Rad. 21, 1333 (2014). */
    SINO_STRIPES_TI,
    /* Sorting: sorts each column by value, takes the median of neighbouring columns, and puts the values back. Vo,
     * Atwood, Drakopoulos, Optics Express 26, 28396 (2018), algorithm 3. */
    SINO_STRIPES_SORTING,
    /* All of Vo's: dead and fluctuating columns are interpolated, large stripes replaced (algorithms 4 to 6 of the same
     * paper), then SORTING. */
    SINO_STRIPES_VO_ALL,
    /* Wiener's filter: takes from each column the offset that all sectors of the angles have, as far as it stands out
     * of their noise and object, by widths of stripes, and leaves detail around the axis. Columns that do not follow
     * the object, up to two beside each other, are dead. Angles are in order. It hardly changes a sinogram without
     * stripes. Cores alone. */
    SINO_STRIPES_WIENER
} SinoStripesMethod;

/* By default FW removes stripes up to this share of the detector's width. TomoPy's default, all levels, also takes the
 * part of the object that is the same all around the axis: of a slice of 256² most of its contrast. */
enum { SINO_STRIPES_WIDEST = 32 };

typedef struct SinoStripesOptions {
    SinoStripesMethod method;
    int64_t angle_count, column_count; /* K, M of the sinograms, each at least 1 */
    double fw_sigma;                   /* width of the damping, in frequencies; > 0 */
    int64_t fw_level;                  /* levels of the wavelet transform; 0: SINO_STRIPES_WIDEST */
    int64_t ti_nblock;                 /* blocks of angles that have offsets of their own; 0: one */
    double ti_alpha;                   /* of the product's least value that is added before the root; ≥ 1 */
    int64_t sorting_size;              /* columns of the median of SORTING; 0: a hundredth of M, 5 to 21 */
    int64_t large_size;                /* columns of the medians of large and dead stripes; 0: 3 % of M, 9 to 61 */
    double snr;                        /* how far above the noise a large or dead stripe is */
    bool has_axis;                     /* of WIENER: the next is known; false: it is sought in the sinogram */
    double axis;                       /* column of the rotation axis */
} SinoStripesOptions;

/* A method for sinograms of one size. Create and free on one thread at a time, while no other thread uses FFTW's
 * planner; many threads may run it at once. SINO_FAILED: no memory. */
typedef struct SinoStripes SinoStripes;
SinoStatus sino_stripes_new(const SinoStripesOptions *options, SinoStripes **stripes);
void sino_stripes_free(SinoStripes *stripes); /* takes NULL */

const SinoStripesOptions *sino_stripes_options(const SinoStripes *stripes);

/* Bytes of the scratch memory of one call, 64-byte aligned, whatever the method's object; also before it is made. */
int64_t sino_stripes_scratch_bytes(const SinoStripesOptions *options);

/* Removes stripes in place. Angle k has the rays place[k]·M + c of the sinogram, in panels (panel.h); place NULL: k.
 * Computes in single precision. Values −0 are undefined (correct.h): they are interpolated for the method, and stay −0.
 * With `marked` dead columns become −0, too; else their values are interpolated. Padding is unchanged. A slice's result
 * does not depend on the others. */
void sino_stripes_run(const SinoStripes *stripes, SinoSlices slices, const int64_t *place, bool marked, void *scratch,
                      void *sinogram);

/* Of sino_stripes_run_cuda: bytes of the scratch memory, aligned to 16 bytes; it holds nothing between calls. 0:
 * nothing is removed. */
int64_t sino_stripes_cuda_scratch_bytes(const SinoStripesOptions *options);

/* The same on a GPU, with sinogram, `place` and scratch memory in device memory. cuda_stream.h gives the contract of
 * launchers. A slice's result does not depend on the others. Sorting has the bits of the CPU's where no value is
 * undefined; values that are interpolated for undefined ones may differ in the last bit. */
SinoStatus sino_stripes_run_cuda(cudaStream_t stream, const SinoStripesOptions *options, SinoSlices slices,
                                 const int64_t *place, bool marked, void *scratch, void *sinogram);
