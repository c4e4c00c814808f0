/* SPDX-License-Identifier: BSD-3-Clause */
/* sino_tilt_correct and sino_phase_correct by the functions of tilt_cuda.h and phase_cuda.h. */
#include "images_on_device.h"

#include "simt_device.h"
#include "tilt_cuda.h"

#include <math.h>

enum { GUARD = 4096 }; /* bytes behind the scratch memory */

/* What is corrected: with a tilt unless it is NULL, and with phase retrieval likewise. */
typedef struct Given {
    const SinoTilt *tilt;
    const SinoPhase *phase;
    const SinoCorrection *correction;
    const void *counts;
    const float *flat, *dark;
} Given;

/* What both sides write. */
typedef struct Result {
    void *sinogram;
    int64_t *repaired, *tally;
} Result;

/* Sizes of a call, in bytes. */
typedef struct Sizes {
    size_t counts, field, flat, at, place, sinogram, repaired, tally;
} Sizes;

static Sizes sizes_of(const SinoCorrection *correction, int64_t detector_columns)
{
    static const size_t input[] = {sizeof(uint8_t), sizeof(uint16_t), sizeof(float)};
    const int64_t pixels = correction->row_count * detector_columns,
                  columns = correction->column_count / correction->binning;
    const size_t sets = (size_t)(correction->flat_sets > 1 ? correction->flat_sets : 1);
    const size_t angles = (size_t)correction->angle_count, field = (size_t)pixels * sizeof(float);
    return (Sizes){.counts = angles * (size_t)pixels * input[correction->input],
                   .field = field,
                   .flat = sets * field,
                   .at = angles * sizeof *correction->flat_at,
                   .place = angles * sizeof *correction->place,
                   .sinogram = angles * (size_t)(columns * correction->slices.stride) *
                               sino_precision_bytes(correction->slices.precision),
                   .repaired = (size_t)correction->slices.slice_count * sizeof(int64_t),
                   .tally = (angles + (size_t)columns) * sizeof(int64_t)};
}

static double value_at(SinoPrecision precision, const void *values, size_t i)
{
    return precision == SINO_DOUBLE ? ((const double *)values)[i] : (double)((const float *)values)[i];
}

/* Transmissions are compared where there is a logarithm. A GPU adds products in single precision by fused
 * multiply-adds. */
static void compare(const Given *given, const Sizes *sizes, const Result *cpu, const Result *device)
{
    const SinoPrecision precision = given->correction->slices.precision;
    const bool weak = given->phase && sino_phase_options(given->phase)->weak;
    const bool logarithm = given->correction->minus_log && !weak;
    for (size_t i = 0; i < sizes->sinogram / sino_precision_bytes(precision); i++) {
        const double a = value_at(precision, cpu->sinogram, i), b = value_at(precision, device->sinogram, i);
        const bool marked = a == 0 && signbit(a), also = b == 0 && signbit(b);
        const double off = logarithm ? fabs(exp(-a) - exp(-b)) / fmax(1, exp(-a)) : fabs(a - b) / fmax(1, fabs(a));
        if (off <= 1e-5 && marked == also) continue;
        fprintf(stderr, "images: value %zu is %.9g on cores, %.9g on the device\n", i, a, b);
        abort();
    }
    if (memcmp(cpu->repaired, device->repaired, sizes->repaired) != 0 ||
        memcmp(cpu->tally, device->tally, sizes->tally) != 0) {
        fprintf(stderr, "images: other numbers of undefined values on the device\n");
        abort();
    }
}

/* The launcher of what is given, and its scratch memory. */
static void launch(const Given *given, const SinoCorrection *correction, const Given *of_device, const Result *result)
{
    const SinoPhaseOptions *options = given->phase ? sino_phase_options(given->phase) : NULL;
    const size_t bytes = (size_t)(given->tilt ? sino_tilt_cuda_scratch_bytes(given->tilt, options, correction)
                                              : sino_phase_cuda_scratch_bytes(options, correction));
    void *const scratch = device_memory(bytes + GUARD);
    SinoPhaseCuda *phase = NULL;
    if (given->phase) device_check(sino_phase_cuda_new(given->phase, &phase));
    if (given->tilt)
        device_check(sino_tilt_correct_cuda(NULL, given->tilt, phase, correction, of_device->counts, of_device->flat,
                                            of_device->dark, scratch, result->sinogram, result->repaired,
                                            result->tally));
    else
        device_check(sino_phase_correct_cuda(NULL, phase, correction, of_device->counts, of_device->flat,
                                             of_device->dark, NULL, scratch, result->sinogram, result->repaired,
                                             result->tally));
    sino_phase_cuda_free(phase);
    device_free_guarded(scratch, bytes, GUARD);
}

/* Compares the device's result with the CPU's, and puts it in its place. */
static void take(const Given *given, const Sizes *sizes, const Result *device, const Result *cpu)
{
    const Result copy = {device_copy(device->sinogram, sizes->sinogram),
                         (int64_t *)(void *)device_copy(device->repaired, sizes->repaired),
                         (int64_t *)(void *)device_copy(device->tally, sizes->tally)};
    compare(given, sizes, cpu, &copy);
    free(copy.sinogram);
    free(copy.repaired);
    free(copy.tally);
    device_return(cpu->sinogram, device->sinogram, sizes->sinogram);
    device_return(cpu->repaired, device->repaired, sizes->repaired);
    device_return(cpu->tally, device->tally, sizes->tally);
}

/* Corrects on the device, where nothing is written before. */
static void run_on_device(const Given *given, const Result *cpu)
{
    const SinoCorrection *correction = given->correction;
    const int64_t columns = given->tilt ? given->tilt->column_count : sino_phase_options(given->phase)->column_count;
    const Sizes sizes = sizes_of(correction, columns);
    const Result device = {device_memory(sizes.sinogram), device_memory(sizes.repaired), device_memory(sizes.tally)};
    SinoCorrection of_correction = *correction;
    void *of_place = device_lend(correction->place, sizes.place), *of_at = device_lend(correction->flat_at, sizes.at);
    void *of_counts = device_lend(given->counts, sizes.counts);
    void *of_flat = device_lend(given->flat, sizes.flat), *of_dark = device_lend(given->dark, sizes.field);
    of_correction.place = of_place;
    of_correction.flat_at = of_at;
    launch(given, &of_correction, &(Given){.counts = of_counts, .flat = of_flat, .dark = of_dark}, &device);
    device_unlend(correction->place, of_place, sizes.place);
    device_unlend(correction->flat_at, of_at, sizes.at);
    device_unlend(given->counts, of_counts, sizes.counts);
    device_unlend(given->flat, of_flat, sizes.flat);
    device_unlend(given->dark, of_dark, sizes.field);
    take(given, &sizes, &device, cpu);
}

SinoStatus tilt_correct_on_device(const SinoTilt *tilt, const SinoPhase *phase, const SinoCorrection *correction,
                                  const void *counts, const float *flat, const float *dark, void *scratch,
                                  void *sinogram, int64_t *repaired, int64_t *tally)
{
    SINO_TRY(sino_tilt_correct(tilt, phase, correction, counts, flat, dark, scratch, sinogram, repaired, tally));
    run_on_device(&(Given){tilt, phase, correction, counts, flat, dark}, &(Result){sinogram, repaired, tally});
    return NULL;
}

SinoStatus phase_correct_on_device(const SinoPhase *phase, const SinoCorrection *correction, int64_t image_row,
                                   const void *counts, const float *flat, const float *dark, void *scratch,
                                   void *sinogram, int64_t *repaired, int64_t *tally)
{
    SINO_TRY(sino_phase_correct(phase, correction, image_row, counts, flat, dark, scratch, sinogram, repaired, tally));
    run_on_device(&(Given){NULL, phase, correction, counts, flat, dark}, &(Result){sinogram, repaired, tally});
    return NULL;
}
