/* SPDX-License-Identifier: BSD-3-Clause */
/* cuFFT's names for the host, by FFTW; every row is computed alike, whatever its alignment. */
#include "cufft.h"

#include <fftw3.h>
#include <mutex>

extern "C" {
#include "cufft_load.h"
}

namespace
{

enum { PLANS = 256, WORK_BYTES = 1024 };

struct Plan {
    bool used, automatic;
    cufftType type;
    int points, batch;
    cudaStream_t stream;
    void *work;
    fftw_plan in_double;
    fftwf_plan in_single, back_in_single; /* back: of complex rows */
};

Plan plans[PLANS];
std::mutex mutex; /* of the table, and of FFTW's planner */

} // namespace

SinoStatus sino_cufft_load(void)
{
    return NULL;
}

cufftResult cufftCreate(cufftHandle *plan)
{
    const std::lock_guard<std::mutex> lock(mutex);
    for (int i = 0; i < PLANS; i++) {
        if (plans[i].used) continue;
        plans[i] = Plan{};
        plans[i].used = plans[i].automatic = true;
        *plan = i;
        return CUFFT_SUCCESS;
    }
    return CUFFT_INVALID_VALUE;
}

cufftResult cufftDestroy(cufftHandle plan)
{
    const std::lock_guard<std::mutex> lock(mutex);
    if (plans[plan].in_double) fftw_destroy_plan(plans[plan].in_double);
    if (plans[plan].in_single) fftwf_destroy_plan(plans[plan].in_single);
    if (plans[plan].back_in_single) fftwf_destroy_plan(plans[plan].back_in_single);
    plans[plan].used = false;
    return CUFFT_SUCCESS;
}

cufftResult cufftSetAutoAllocation(cufftHandle plan, int automatic)
{
    plans[plan].automatic = automatic != 0;
    return CUFFT_SUCCESS;
}

static fftwf_plan complex_plan(int points, void *row, int direction, unsigned flags)
{
    fftwf_complex *const at = static_cast<fftwf_complex *>(row);
    return fftwf_plan_dft_1d(points, at, at, direction, flags);
}

/* FFTW's plan of one row, where it is. FFTW_ESTIMATE leaves the row as it is. */
static bool make_row_plan(Plan *plan)
{
    const unsigned flags = FFTW_ESTIMATE | FFTW_UNALIGNED;
    const int points = plan->points;
    void *const row = fftw_malloc(sizeof(double) * static_cast<size_t>(points + 2));
    switch (plan->type) {
    case CUFFT_C2C:
        plan->in_single = complex_plan(points, row, FFTW_FORWARD, flags);
        plan->back_in_single = complex_plan(points, row, FFTW_BACKWARD, flags);
        break;
    case CUFFT_R2C:
        plan->in_single =
            fftwf_plan_dft_r2c_1d(points, static_cast<float *>(row), static_cast<fftwf_complex *>(row), flags);
        break;
    case CUFFT_C2R:
        plan->in_single =
            fftwf_plan_dft_c2r_1d(points, static_cast<fftwf_complex *>(row), static_cast<float *>(row), flags);
        break;
    case CUFFT_D2Z:
        plan->in_double =
            fftw_plan_dft_r2c_1d(points, static_cast<double *>(row), static_cast<fftw_complex *>(row), flags);
        break;
    case CUFFT_Z2D:
        plan->in_double =
            fftw_plan_dft_c2r_1d(points, static_cast<fftw_complex *>(row), static_cast<double *>(row), flags);
        break;
    }
    fftw_free(row);
    return plan->in_single || plan->in_double;
}

cufftResult cufftMakePlanMany(cufftHandle handle, int rank, int *points, int *before, int before_stride,
                              int before_distance, int *after, int after_stride, int after_distance, cufftType type,
                              int batch, size_t *work_bytes)
{
    const bool forward = type == CUFFT_R2C || type == CUFFT_D2Z;
    const bool complex = type == CUFFT_C2C;
    const int reals = complex ? *points : *points + 2, complexes = complex ? *points : *points / 2 + 1; /* in place */
    const bool in_place = *before == before_distance && *after == after_distance && before_stride == 1 &&
                          after_stride == 1 && before_distance == (forward ? reals : complexes) &&
                          after_distance == (forward ? complexes : reals);
    if (rank != 1 || !in_place || *points % 2 != 0 || batch < 1) return CUFFT_INVALID_VALUE;
    const std::lock_guard<std::mutex> lock(mutex);
    Plan *const plan = &plans[handle];
    plan->type = type;
    plan->points = *points;
    plan->batch = batch;
    *work_bytes = WORK_BYTES;
    return make_row_plan(plan) ? CUFFT_SUCCESS : CUFFT_INVALID_VALUE;
}

cufftResult cufftSetStream(cufftHandle plan, cudaStream_t stream)
{
    plans[plan].stream = stream;
    return CUFFT_SUCCESS;
}

cufftResult cufftSetWorkArea(cufftHandle plan, void *work)
{
    plans[plan].work = work;
    return CUFFT_SUCCESS;
}

/* Whether the plan is of this type and has what it needs. */
static bool allowed(const Plan &plan, cufftType type, const void *from, const void *to)
{
    return plan.type == type && !plan.automatic && plan.work && from == to && !simt_host_address(&from, sizeof from) &&
           !simt_host_address(&plan.work, sizeof plan.work);
}

/* Transforms the rows in the plan's stream, and spoils its work area. */
template <class Number, class Transform>
static cufftResult submit(cufftHandle handle, cufftType type, Number *rows, const void *spectra, Transform transform)
{
    const Plan plan = plans[handle];
    const ptrdiff_t row = type == CUFFT_C2C ? plan.points : plan.points + 2;
    if (!allowed(plan, type, rows, spectra)) return CUFFT_INVALID_VALUE;
    simt_submit(plan.stream, [=] {
        memset(plan.work, 0xff, WORK_BYTES);
        for (int i = 0; i < plan.batch; i++) transform(plan, rows + i * row);
        return static_cast<const char *>(NULL);
    });
    return CUFFT_SUCCESS;
}

cufftResult cufftExecC2C(cufftHandle handle, cufftComplex *rows, cufftComplex *transformed, int direction)
{
    if (direction != CUFFT_FORWARD && direction != CUFFT_INVERSE) return CUFFT_INVALID_VALUE;
    return submit(handle, CUFFT_C2C, rows, transformed, [=](const Plan &plan, cufftComplex *row) {
        fftwf_complex *const at = reinterpret_cast<fftwf_complex *>(row);
        fftwf_execute_dft(direction == CUFFT_FORWARD ? plan.in_single : plan.back_in_single, at, at);
    });
}

cufftResult cufftExecR2C(cufftHandle handle, cufftReal *rows, cufftComplex *spectra)
{
    return submit(handle, CUFFT_R2C, rows, spectra, [](const Plan &plan, float *row) {
        fftwf_execute_dft_r2c(plan.in_single, row, reinterpret_cast<fftwf_complex *>(row));
    });
}

cufftResult cufftExecC2R(cufftHandle handle, cufftComplex *spectra, cufftReal *rows)
{
    return submit(handle, CUFFT_C2R, rows, spectra, [](const Plan &plan, float *row) {
        fftwf_execute_dft_c2r(plan.in_single, reinterpret_cast<fftwf_complex *>(row), row);
    });
}

cufftResult cufftExecD2Z(cufftHandle handle, cufftDoubleReal *rows, cufftDoubleComplex *spectra)
{
    return submit(handle, CUFFT_D2Z, rows, spectra, [](const Plan &plan, double *row) {
        fftw_execute_dft_r2c(plan.in_double, row, reinterpret_cast<fftw_complex *>(row));
    });
}

cufftResult cufftExecZ2D(cufftHandle handle, cufftDoubleComplex *spectra, cufftDoubleReal *rows)
{
    return submit(handle, CUFFT_Z2D, rows, spectra, [](const Plan &plan, double *row) {
        fftw_execute_dft_c2r(plan.in_double, reinterpret_cast<fftw_complex *>(row), row);
    });
}
