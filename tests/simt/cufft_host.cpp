/* SPDX-License-Identifier: BSD-3-Clause */
/* cuFFT's names for the host, by FFTW; every row is computed alike, whatever its alignment. */
#include "cufft.h"

#include <fftw3.h>

namespace
{

enum { PLANS = 8, WORK_BYTES = 1024 };

struct Plan {
    bool used, automatic;
    cufftType type;
    int points, batch;
    void *work;
};

Plan plans[PLANS];

} // namespace

cufftResult cufftCreate(cufftHandle *plan)
{
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
    plans[plan].used = false;
    return CUFFT_SUCCESS;
}

cufftResult cufftSetAutoAllocation(cufftHandle plan, int automatic)
{
    plans[plan].automatic = automatic != 0;
    return CUFFT_SUCCESS;
}

cufftResult cufftMakePlanMany(cufftHandle plan, int rank, int *points, int *before, int before_stride,
                              int before_distance, int *after, int after_stride, int after_distance, cufftType type,
                              int batch, size_t *work_bytes)
{
    const bool forward = type == CUFFT_R2C || type == CUFFT_D2Z;
    const int reals = *points + 2, complexes = *points / 2 + 1; /* rows in place */
    const bool in_place = *before == before_distance && *after == after_distance && before_stride == 1 &&
                          after_stride == 1 && before_distance == (forward ? reals : complexes) &&
                          after_distance == (forward ? complexes : reals);
    if (rank != 1 || !in_place || *points % 2 != 0 || batch < 1) return CUFFT_INVALID_VALUE;
    plans[plan].type = type;
    plans[plan].points = *points;
    plans[plan].batch = batch;
    *work_bytes = WORK_BYTES;
    return CUFFT_SUCCESS;
}

cufftResult cufftSetStream(cufftHandle, cudaStream_t)
{
    return CUFFT_SUCCESS;
}

cufftResult cufftSetWorkArea(cufftHandle plan, void *work)
{
    plans[plan].work = work;
    return CUFFT_SUCCESS;
}

/* Whether the plan is of this type and has what it needs; its work area is spoilt. */
static bool begin(const Plan &plan, cufftType type, const void *from, const void *to)
{
    if (plan.type != type || plan.automatic || !plan.work || from != to) return false;
    memset(plan.work, 0xff, WORK_BYTES);
    return true;
}

cufftResult cufftExecR2C(cufftHandle handle, cufftReal *rows, cufftComplex *spectra)
{
    const Plan &plan = plans[handle];
    if (!begin(plan, CUFFT_R2C, rows, spectra)) return CUFFT_INVALID_VALUE;
    for (int i = 0; i < plan.batch; i++) {
        float *const row = rows + static_cast<ptrdiff_t>(i) * (plan.points + 2);
        const fftwf_plan one = fftwf_plan_dft_r2c_1d(plan.points, row, reinterpret_cast<fftwf_complex *>(row),
                                                     FFTW_ESTIMATE | FFTW_UNALIGNED);
        fftwf_execute(one);
        fftwf_destroy_plan(one);
    }
    return CUFFT_SUCCESS;
}

cufftResult cufftExecC2R(cufftHandle handle, cufftComplex *spectra, cufftReal *rows)
{
    const Plan &plan = plans[handle];
    if (!begin(plan, CUFFT_C2R, spectra, rows)) return CUFFT_INVALID_VALUE;
    for (int i = 0; i < plan.batch; i++) {
        float *const row = rows + static_cast<ptrdiff_t>(i) * (plan.points + 2);
        const fftwf_plan one = fftwf_plan_dft_c2r_1d(plan.points, reinterpret_cast<fftwf_complex *>(row), row,
                                                     FFTW_ESTIMATE | FFTW_UNALIGNED);
        fftwf_execute(one);
        fftwf_destroy_plan(one);
    }
    return CUFFT_SUCCESS;
}

cufftResult cufftExecD2Z(cufftHandle handle, cufftDoubleReal *rows, cufftDoubleComplex *spectra)
{
    const Plan &plan = plans[handle];
    if (!begin(plan, CUFFT_D2Z, rows, spectra)) return CUFFT_INVALID_VALUE;
    for (int i = 0; i < plan.batch; i++) {
        double *const row = rows + static_cast<ptrdiff_t>(i) * (plan.points + 2);
        const fftw_plan one = fftw_plan_dft_r2c_1d(plan.points, row, reinterpret_cast<fftw_complex *>(row),
                                                   FFTW_ESTIMATE | FFTW_UNALIGNED);
        fftw_execute(one);
        fftw_destroy_plan(one);
    }
    return CUFFT_SUCCESS;
}

cufftResult cufftExecZ2D(cufftHandle handle, cufftDoubleComplex *spectra, cufftDoubleReal *rows)
{
    const Plan &plan = plans[handle];
    if (!begin(plan, CUFFT_Z2D, spectra, rows)) return CUFFT_INVALID_VALUE;
    for (int i = 0; i < plan.batch; i++) {
        double *const row = rows + static_cast<ptrdiff_t>(i) * (plan.points + 2);
        const fftw_plan one = fftw_plan_dft_c2r_1d(plan.points, reinterpret_cast<fftw_complex *>(row), row,
                                                   FFTW_ESTIMATE | FFTW_UNALIGNED);
        fftw_execute(one);
        fftw_destroy_plan(one);
    }
    return CUFFT_SUCCESS;
}
