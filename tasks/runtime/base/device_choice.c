/* SPDX-License-Identifier: BSD-3-Clause */
/* Device choice: the processing units with which StarPU is started, and those on which a task may run. */
#include "device_choice.h"

#include <starpu_heteroprio.h>

#if (defined SINO_CUDA && defined STARPU_USE_CUDA) || defined SINO_SIMGRID
enum { CUDA_BUILT = 1 };
#else
enum { CUDA_BUILT = 0 };
#endif

#if defined SINO_OPENCL && defined STARPU_USE_OPENCL
enum { OPENCL_BUILT = 1 };
#else
enum { OPENCL_BUILT = 0 };
#endif

static SinoStatus check_cuda_built(void)
{
#ifdef SINO_SIMGRID
    return NULL; /* devices are simulated */
#elif !defined SINO_CUDA
    return sino_error(SINO_BAD_INPUT, "device is 'cuda'; this program was built without CUDA (meson's option cuda)");
#elif !defined STARPU_USE_CUDA
    return sino_error(SINO_BAD_INPUT, "device is 'cuda'; the StarPU of this program was built without CUDA (./run "
                                      "starpu builds one with it)");
#else
    return NULL;
#endif
}

static SinoStatus check_opencl_built(void)
{
#ifndef SINO_OPENCL
    return sino_error(SINO_BAD_INPUT,
                      "device is 'opencl'; this program was built without OpenCL (meson's option opencl)");
#elif !defined STARPU_USE_OPENCL
    return sino_error(SINO_BAD_INPUT, "device is 'opencl'; the StarPU of this program was built without OpenCL");
#else
    return NULL;
#endif
}

static bool by_name(unsigned wanted, unsigned device)
{
    return wanted != SINO_DEVICE_ALL && (wanted & device);
}

SinoStatus sino_device_configure(unsigned wanted, struct starpu_conf *conf)
{
    if (by_name(wanted, SINO_DEVICE_CUDA)) SINO_TRY(check_cuda_built());
    if (by_name(wanted, SINO_DEVICE_OPENCL)) SINO_TRY(check_opencl_built());
    /* Unused devices would take cores and compute nothing. StarPU's own variables may further reduce the devices
     * used. */
    if (!CUDA_BUILT || !(wanted & SINO_DEVICE_CUDA)) conf->ncuda = 0;
    if (!OPENCL_BUILT || !by_name(wanted, SINO_DEVICE_OPENCL)) conf->nopencl = 0;
    return NULL;
}

SinoStatus sino_device_find(unsigned wanted, unsigned *found)
{
    *found = wanted & SINO_DEVICE_CPU;
    if (wanted == 0) *found = SINO_DEVICE_CPU;
    if (starpu_cuda_worker_get_count() > 0) *found |= SINO_DEVICE_CUDA;
    if (starpu_opencl_worker_get_count() > 0) *found |= SINO_DEVICE_OPENCL;
    SINO_CHECK((*found & SINO_DEVICE_CUDA) || !by_name(wanted, SINO_DEVICE_CUDA), SINO_BAD_INPUT,
               "device is 'cuda'; StarPU finds no CUDA device here; allowed: cpu");
    SINO_CHECK((*found & SINO_DEVICE_OPENCL) || !by_name(wanted, SINO_DEVICE_OPENCL), SINO_BAD_INPUT,
               "device is 'opencl'; StarPU finds no OpenCL device here (with STARPU_OPENCL_ON_CPUS=1 CPUs are some); "
               "allowed: cpu");
    return NULL;
}

int sino_device_where(unsigned devices, const struct starpu_codelet *codelet, bool host)
{
    int where = 0;
    if (host) return STARPU_CPU;
    if ((devices & SINO_DEVICE_CUDA) && codelet->cuda_funcs[0]) where |= (int)STARPU_CUDA;
    if ((devices & SINO_DEVICE_OPENCL) && codelet->opencl_funcs[0]) where |= (int)STARPU_OPENCL;
    const bool cores = where == 0 || (devices & SINO_DEVICE_CPU);
    return cores ? where | (int)STARPU_CPU : where;
}

/* The kinds of processing units in StarPU's order. A bucket's number has one bit for each kind. */
static const int unit_bit[] = {STARPU_CPU, STARPU_CUDA, STARPU_OPENCL};
enum { UNITS = sizeof unit_bit / sizeof *unit_bit, BUCKETS = 1 << UNITS };

int sino_device_bucket(int where)
{
    int bucket = 0;
    for (int unit = 0; unit < UNITS; unit++)
        if (where & unit_bit[unit]) bucket |= 1 << unit;
    return bucket;
}

void sino_device_make_buckets(unsigned context)
{
    const unsigned count[UNITS] = {starpu_cpu_worker_get_count(), starpu_cuda_worker_get_count(),
                                   starpu_opencl_worker_get_count()};
    for (int unit = 0; unit < UNITS; unit++) {
        unsigned place = 0;
        if (count[unit] == 0) continue;
        starpu_heteroprio_set_nb_prios(context, unit, BUCKETS / 2);
        for (int bits = 1; bits <= UNITS; bits++)
            for (int bucket = 1; bucket < BUCKETS; bucket++)
                if (__builtin_popcount((unsigned)bucket) == bits && (bucket >> unit & 1))
                    starpu_heteroprio_set_mapping(context, unit, place++, (unsigned)bucket);
    }
}
