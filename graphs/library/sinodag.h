/* SPDX-License-Identifier: BSD-3-Clause */
/* sinodag: tomographic operators for the programs of others; docs/LIBRARY.md has examples.
 *
 * A function that can fail returns a status: NULL is success, anything else is an error whose text says what was
 * received and what is allowed. The caller frees it. No function prints, exits, or touches signals; messages go to the
 * caller's function. Outputs are untouched on failure, but for arrays, whose contents are then undefined.
 *
 * Threads: any thread may call any function at any time. One call works at a time, since a process has one StarPU; the
 * others wait. Every call uses all workers, which sleep between calls. Functions of the caller must not call the
 * library: such a call is refused.
 *
 * Settings are texts "name=value", with the names and values of the program's settings (docs/SETTINGS.md); NULL ends a
 * list of them, and stands for an empty list. */
#ifndef SINODAG_H
#define SINODAG_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* "1.0.0" */
const char *sinodag_version(void);

typedef struct SinoError *SinodagStatus;

enum {
    SINODAG_FAILED = 1,   /* no memory, a full disk, a library's error */
    SINODAG_BAD_INPUT = 2 /* an argument or a setting is invalid */
};

int sinodag_status_code(SinodagStatus status);         /* 0: success */
const char *sinodag_status_text(SinodagStatus status); /* owned by the status; "": success */
void sinodag_status_free(SinodagStatus status);        /* takes NULL */

/* A setting, in the words of docs/SETTINGS.md. The texts are valid during the call; NULL: there is none. */
typedef struct SinodagSetting {
    const char *name, *group;
    const char *type;    /* "flag" (yes or no), "integer", "number", "choice", "list" (with commas), "text" */
    const char *usual;   /* the default */
    const char *allowed; /* "an integer from 1 to 9" */
    const char *words;   /* of a choice: "cg, sirt or fbp" */
    const char *unit;
    const char *needs; /* "; with --algorithm cg or sirt"; "": nothing */
    const char *help;
} SinodagSetting;
typedef void SinodagVisit(void *of, const SinodagSetting *setting);

/* Calls `visit` for every setting of "start", "operator", "solve" or "recon": of the function sinodag_start,
 * sinodag_operator_new, sinodag_solve or sinodag_recon. SINODAG_BAD_INPUT: there is no such function. */
SinodagStatus sinodag_settings(const char *function, SinodagVisit *visit, void *of);

/* A message: level "info" or "warning"; event a short word such as "operator". The texts are valid during the call,
 * which comes from any thread. */
typedef void SinodagLog(void *of, const char *level, const char *event, const char *message);

/* Starts StarPU, which serves all operators of the process; one that the caller has started is used as it is, and left
 * up by sinodag_stop. `settings`: workers, device, scheduler, models, which the caller's StarPU does not take, graph,
 * trace, overwrite. `log` NULL: messages are dropped. Further calls count, up to as many of sinodag_stop; they must
 * have no settings, and their `log` replaces the one before unless it is NULL. SINODAG_BAD_INPUT: a setting is invalid,
 * or StarPU has started with others. */
SinodagStatus sinodag_start(const char *const *settings, SinodagLog *log, void *of);

/* The last one of as many calls as of sinodag_start stops StarPU, once every operator is freed. SINODAG_BAD_INPUT: one
 * call too many. SINODAG_FAILED: a file of --trace or --graph cannot be written. */
SinodagStatus sinodag_stop(void);

typedef enum SinodagType {
    SINODAG_FLOAT32,
    SINODAG_FLOAT64,
    SINODAG_UINT8,
    SINODAG_UINT16,
    SINODAG_INT32,
    SINODAG_INT64
} SinodagType;

typedef enum SinodagDevice {
    SINODAG_MAIN_MEMORY,
    SINODAG_CUDA /* the CUDA device that has allocated `data`, or memory that CUDA manages */
} SinodagDevice;

/* An array of three dimensions, in an order of the caller's choice: element (i, j, k) is number i·stride[0] +
 * j·stride[1] + k·stride[2] of `data`, which is aligned to its type. Strides count elements and may be negative; all
 * three 0: row-major, stride = {size[1]·size[2], size[2], 1}. Borrowed during a call.
 *
 * An array on a CUDA device is copied to main memory, or from there, where the call needs as much room as its elements
 * take. The call waits for all work that the device has been given before, in any stream; when it returns, the copies
 * are complete. SINODAG_BAD_INPUT: sinodag was built without CUDA; the device has nothing at this address.
 * SINODAG_FAILED: an error of CUDA.
 *
 * Of cone beams an array may have several volumes, or their projections, of these sizes and strides: element (v, i, j,
 * k) is v·volume_stride further. Elsewhere `volumes` is 0 or 1. */
typedef struct SinodagArray {
    void *data;
    SinodagType type;
    SinodagDevice device; /* where data is */
    int64_t size[3];
    int64_t stride[3];
    int64_t volumes;       /* S; 0: 1 */
    int64_t volume_stride; /* elements; 0 where all strides are 0: size[0]·size[1]·size[2] */
} SinodagArray;

/* A system matrix, compressed by rows: row i has the entries start[i] … start[i + 1] − 1, in any order, each with the
 * number of its column and a finite value of at least 0; those of one column are added. Arrays are aligned to their
 * types, and borrowed during a call. */
typedef struct SinodagMatrix {
    int64_t rows, columns;      /* R ≥ 1, V ≥ 1; columns are voxels, x fastest, then y, then z */
    SinodagType index_type;     /* of start and column: SINODAG_INT32 or SINODAG_INT64 */
    SinodagType value_type;     /* SINODAG_FLOAT32 or SINODAG_FLOAT64 */
    const void *start;          /* [rows + 1] */
    const void *column, *value; /* [start[rows]] */
} SinodagMatrix;

/* What an operator is of; members that its kind does not have are 0.
 *
 * Parallel beams, unless a setting says otherwise: through slices of N × N voxels, N = columns or the setting `volume`.
 * A ray obeys s = x·cosθ + y·sinθ in units of a voxel; column c of the detector sees s = c − center. x points right
 * along the columns of the image, y up, against its rows; the middle of the image is the axis (docs/CONVENTIONS.md).
 *
 * Cone beams, with the setting geometry=cone: through a volume of X × Y × Z voxels around the axis, whose lengths in mm
 * are settings: source-object-distance, source-detector-distance and detector-pixel must be given; voxel-size, volume
 * and center-row may be. Elements of A are lengths in voxels. With geometry=fan each row of the detector is a fan of
 * its own, and sees one slice: rows that are channels of one fan.
 *
 * A system matrix, with the setting system-matrix=FILE, or `matrix`. Elements of A are those of the matrix. */
typedef struct SinodagGeometry {
    int64_t angles, columns;     /* K, M: of projections */
    const double *angle_rad;     /* [angles]; copied */
    double center;               /* rotation axis as a column; 0 is the middle of column 0; NaN: (columns − 1)/2 */
    int64_t slices;              /* as many as a product will usually have, by which work is divided; 0: 1 */
    int64_t subsets;             /* N of the angles, or rows of a matrix, each with products of its own; 0: 1 */
    int64_t rows;                /* R: of the detector of cone beams */
    const SinodagMatrix *matrix; /* in memory; NULL: none */
} SinodagGeometry;

/* A and its transpose. */
typedef struct SinodagOperator SinodagOperator;

/* Builds the operator, which the caller frees. `settings`: precision, memory, volume; of parallel beams symmetry,
 * projector (default: rays), interpolation, partitions, minibatch, operator-cache; of cone beams those named above; of
 * a matrix system-matrix, voxel-size, mirrors, mask (a file) and, for a file, operator-cache. What the kind does not
 * have is refused. sinodag_start comes first. SINODAG_BAD_INPUT: a setting, a size, an angle or a matrix is invalid, or
 * memory does not suffice. */
SinodagStatus sinodag_operator_new(const SinodagGeometry *geometry, const char *const *settings, SinodagOperator **op);

/* NULL is allowed. SINODAG_BAD_INPUT: it is no operator, or freed. */
SinodagStatus sinodag_operator_free(SinodagOperator *op);

/* Sizes of arrays, of which the first is 0 where it is the number S of slices, any from 1 on:
 *
 *     parallel beams    images (S, N, N): slice, row, column    projections (S, K, M): slice, angle, column
 *     cone beams        images (Z, Y, X): slice, row, column    projections (K, R, M): angle, row, column, of each of
 *                                                               S volumes (SinodagArray.volumes)
 *     system matrix     images (S, V, 1): set, voxel            projections (S, R, 1): set, row */
typedef struct SinodagAbout {
    int64_t images[3], projections[3];
    int64_t voxels[3];  /* slices, rows and columns of one image: 1, N, N; Z, Y, X; of a matrix whose grid nothing tells
                         * 1, 1, V */
    int64_t nonzeros;   /* of A, for one slice; 0: A is not stored */
    int64_t bytes;      /* of A, at most */
    int64_t partitions; /* of a slice */
    int64_t subsets;    /* N */
} SinodagAbout;

SinodagStatus sinodag_operator_about(const SinodagOperator *op, SinodagAbout *about);

/* projections = A images, images = Aᵀ projections, of the sizes above. Types: float32 or float64. Arrays in which the
 * slices of a pixel follow each other (stride[0] = 1) are copied fastest. In main memory both lie apart from each
 * other, or are the same array with the same strides. SINODAG_BAD_INPUT: other sizes or types, arrays that overlap, a
 * value that is read is NaN or infinite, a freed operator. */
SinodagStatus sinodag_project(SinodagOperator *op, const SinodagArray *images, const SinodagArray *projections);
SinodagStatus sinodag_backproject(SinodagOperator *op, const SinodagArray *projections, const SinodagArray *images);

/* The same for subset s of 0 … N − 1, which has the angles, or rows of a matrix, s, s + N, s + 2N … and no others:
 * (n − s + N − 1)/N rounded down of n. Its projections may be a view of all projections, which begins at angle s and
 * whose stride of angles is N times theirs. A·image has the projections of all subsets; Aᵀ·projections is the sum over
 * the subsets. SINODAG_BAD_INPUT, too: subsets of a matrix whose file has mirrors, which are no such rows. */
SinodagStatus sinodag_project_subset(SinodagOperator *op, int64_t subset, const SinodagArray *images,
                                     const SinodagArray *projections);
SinodagStatus sinodag_backproject_subset(SinodagOperator *op, int64_t subset, const SinodagArray *projections,
                                         const SinodagArray *images);

/* A scan in memory: counts, or what the setting `data` says they are. Types: float32, float64, uint8, uint16; sizes
 * (angle, row, column). */
typedef struct SinodagScan {
    SinodagArray projections;
    SinodagArray flats, darks; /* fields without object and without light; data NULL: none */
    const double *angle_rad;   /* of the projections; NULL: from 0 to π, both included */
    SinodagArray weights;      /* of the projections' rays, with fista, cg and sirt of a parallel beam: finite, at least
                                * 0, which leaves a ray out; a size may be 1, for all; data NULL: what the setting
                                * `weights` says */
} SinodagScan;

/* Called once the sizes of the volume are known: returns memory for float32 [slice][row][column], or NULL, which ends
 * the call. The memory stays the caller's. */
typedef float *SinodagAllocate(void *of, int64_t slices, int64_t rows, int64_t columns);

/* Progress: the finished share of the call, 0 to 1, and a line about it. Anything but 0 ends the call soon, as a
 * failure. Called from any thread. */
typedef int SinodagProgress(void *of, double done, const char *text);

/* Where a solution goes, and what is known of it. Arrays are of the types of a product's. */
typedef struct SinodagSolution {
    SinodagArray volume; /* images */
    double *residual; /* [S][columns]: ‖b‖², then ‖A x − b‖² after each iteration, NaN once a slice has stopped; NULL:
                       * not wanted */
    int64_t columns;           /* iterations + 1; of fbp 1; 0 without `residual` */
    SinodagProgress *progress; /* of the iterations; NULL: none */
    void *of;                  /* its argument */
    /* NULL: none. Images, or one for all, that the first iteration begins from: of parallel beams, of cone beams one
     * volume for all, and of a matrix with mlem, osem and bsrem. */
    const SinodagArray *start;
    /* Of a system matrix; NULL: none. The expected values of rows are multiplicative · A x + additive. */
    const SinodagArray *multiplicative; /* (1, R, 1): factors of rows, at least 0; default: 1 */
    const SinodagArray *additive;       /* projections, or those of one set for all; at least 0; default: 0 */
    const SinodagArray *sensitivity;    /* one image, in place of Aᵀ·multiplicative; mlem, osem, bsrem */
} SinodagSolution;

/* Solves A x = b by a solver of the program, for projections b: line integrals, or, by mlem, osem and bsrem of a system
 * matrix, counts, of at least 0. x has the unit of A: attenuation per voxel of beams. `settings`: algorithm (default:
 * cg; of a matrix mlem), iterations, tolerance, relaxation, nonnegativity, minimum, maximum, support-ratio,
 * regularization, likelihood-tolerance, fbp-filter, padding-type, and, of a matrix, post-filter; what the algorithm or
 * the kind of the operator does not use is refused. osem and fista take the operator's subsets; fbp takes any, and so
 * does fdk, which is for cone beams alone and has no residuals; others need an operator with one. A message "plan"
 * tells the memory of the solvers' vectors. The arrays of the solution that are read lie apart from the volume, or are
 * the same array with the same strides. SINODAG_BAD_INPUT: other sizes or types, a value is NaN or infinite, a
 * setting that only a scan can tell (regularization and iterations auto), too short an arc for fdk, less memory than
 * one slice or volume takes. SINODAG_FAILED: cancelled, no memory. */
SinodagStatus sinodag_solve(SinodagOperator *op, const SinodagArray *projections, const char *const *settings,
                            const SinodagSolution *solution);

typedef struct SinodagOutput {
    SinodagAllocate *allocate;
    SinodagProgress *progress; /* NULL: none */
    void *of;                  /* argument of both */
} SinodagOutput;

/* Reconstructs the volume of a scan as the program's recon does, to the same bits. `settings`: those of recon but for
 * the names of files, what is written to files, and what sinodag_start decides. sinodag_start comes first. Errors as of
 * the program; SINODAG_FAILED: cancelled. */
SinodagStatus sinodag_recon(const SinodagScan *scan, const char *const *settings, const SinodagOutput *output);

#ifdef __cplusplus
}
#endif

#endif
