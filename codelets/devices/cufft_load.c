/* SPDX-License-Identifier: BSD-3-Clause */
/* cuFFT, loaded by dlopen: functions of its names that call it. */
#include "cufft_load.h"

#include <cufft.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define TEXT_OF(number) #number
#define TEXT(number)    TEXT_OF(number)
static const char library_name[] = "libcufft.so." TEXT(CUFFT_VER_MAJOR);

/* What cufft_rows.cuh calls: name, parameters, arguments. */
#define FOR_EACH_FUNCTION(DO)                                                                                          \
    DO(cufftCreate, (cufftHandle * plan), (plan))                                                                      \
    DO(cufftDestroy, (cufftHandle plan), (plan))                                                                       \
    DO(cufftSetAutoAllocation, (cufftHandle plan, int automatic), (plan, automatic))                                   \
    DO(cufftMakePlanMany,                                                                                              \
       (cufftHandle plan, int rank, int *points, int *before, int before_stride, int before_distance, int *after,      \
        int after_stride, int after_distance, cufftType type, int batch, size_t *work_bytes),                          \
       (plan, rank, points, before, before_stride, before_distance, after, after_stride, after_distance, type, batch,  \
        work_bytes))                                                                                                   \
    DO(cufftSetStream, (cufftHandle plan, cudaStream_t stream), (plan, stream))                                        \
    DO(cufftSetWorkArea, (cufftHandle plan, void *work), (plan, work))                                                 \
    DO(cufftExecC2C, (cufftHandle plan, cufftComplex * from, cufftComplex * to, int direction),                        \
       (plan, from, to, direction))                                                                                    \
    DO(cufftExecR2C, (cufftHandle plan, cufftReal * from, cufftComplex * to), (plan, from, to))                        \
    DO(cufftExecC2R, (cufftHandle plan, cufftComplex * from, cufftReal * to), (plan, from, to))                        \
    DO(cufftExecD2Z, (cufftHandle plan, cufftDoubleReal * from, cufftDoubleComplex * to), (plan, from, to))            \
    DO(cufftExecZ2D, (cufftHandle plan, cufftDoubleComplex * from, cufftDoubleReal * to), (plan, from, to))

#define MEMBER(name, parameters, arguments) cufftResult(*name) parameters;
static struct {
    FOR_EACH_FUNCTION(MEMBER)
} cufft;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char failure[256]; /* empty: cuFFT is there */

static void find(void *library, const char *name, void *function)
{
    void *const found = dlsym(library, name);
    if (!found && !failure[0]) snprintf(failure, sizeof failure, "%s has no function %s", library_name, name);
    memcpy(function, &found, sizeof found);
}

static void load(void)
{
    void *const library = dlopen(library_name, RTLD_NOW | RTLD_LOCAL);
    const char *const reason = library ? "" : dlerror();
    if (!library) {
        snprintf(failure, sizeof failure, "%s", reason ? reason : library_name);
        return;
    }
#define FIND(name, parameters, arguments) find(library, #name, &cufft.name);
    FOR_EACH_FUNCTION(FIND)
}

SinoStatus sino_cufft_load(void)
{
    (void)pthread_once(&once, load);
    SINO_CHECK(!failure[0], SINO_FAILED,
               "Fourier transforms on a GPU need cuFFT, which cannot be loaded: %s; it is a part of the CUDA toolkit",
               failure);
    return NULL;
}

#define CALL(name, parameters, arguments)                                                                              \
    cufftResult name parameters                                                                                        \
    {                                                                                                                  \
        return cufft.name arguments;                                                                                   \
    }
FOR_EACH_FUNCTION(CALL)
