/* SPDX-License-Identifier: BSD-3-Clause */
/* CUDA, the host's side: launches of several threads, errors of earlier calls, free memory, and cuFFT that is loaded
 * late or is not there. CUDA's runtime and cuFFT are played (cuda_double, cufft_double). */
#include "testing.h"

#include "cufft_load.h"
#include "device_memory.h"
#include "launch_cuda.h"

#include <cufft.h>
#include <dlfcn.h>
#include <sys/wait.h>

static const char kernel[2];

static int most_shared(const void *of)
{
    struct cudaFuncAttributes attributes;
    (void)cudaFuncGetAttributes(&attributes, of);
    return attributes.maxDynamicSharedSizeBytes;
}

/* Between one thread's request and its launch another one may ask for less. */
static void a_launch_takes_no_shared_memory_from_others(void **state)
{
    (void)state;
    assert_int_equal(sino_launch_prepare(&kernel[0], (size_t)160 << 10), cudaSuccess);
    assert_int_equal(sino_launch_prepare(&kernel[0], (size_t)64 << 10), cudaSuccess);
    assert_true(most_shared(&kernel[0]) >= 160 << 10);
    assert_int_equal(most_shared(&kernel[0]), SINO_DOUBLE_SHARED_BYTES - SINO_DOUBLE_STATIC_BYTES);
    assert_int_equal(sino_launch_prepare(&kernel[1], (size_t)48 << 10), cudaSuccess);
    assert_int_equal(most_shared(&kernel[1]), 48 << 10);
}

/* A plan of cuFFT that was refused for want of memory is no error of the kernels that follow. */
static void a_launch_has_no_errors_of_earlier_calls(void **state)
{
    (void)state;
    assert_int_equal(cudaSetDevice(7), cudaErrorInvalidDevice);
    assert_int_equal(sino_launch_prepare(&kernel[0], 0), cudaSuccess);
    assert_int_equal(cudaGetLastError(), cudaSuccess);
}

/* Two transfers a cycle. */
static void memory_has_a_rate(void **state)
{
    (void)state;
    assert_float_equal(sino_device_memory_gbps(0), 2 * 2.5e9 * 4096 / 8 / 1e9, 1e-6);
    assert_float_equal(sino_device_memory_gbps(2), 0, 0);
    assert_int_equal(cudaGetLastError(), cudaSuccess);
}

static void memory_of_others_is_not_free(void **state)
{
    int64_t left = 0;
    void *const held = sino_double_allocate(1, (int64_t)600 << 20);
    (void)state;
    assert_int_equal(cudaSetDevice(0), cudaSuccess);
    assert_true(sino_device_memory_left(1, &left));
    assert_int_equal(left, (int64_t)(SINO_DOUBLE_MEMORY_MIB - 600) << 20);
    assert_true(sino_device_memory_left(0, &left));
    assert_int_equal(left, (int64_t)SINO_DOUBLE_MEMORY_MIB << 20);
    assert_false(sino_device_memory_left(2, &left));
    int device = -1;
    assert_int_equal(cudaGetDevice(&device), cudaSuccess);
    assert_int_equal(device, 0);
    assert_int_equal(cudaGetLastError(), cudaSuccess);
    sino_double_free(held);
}

/* A process of its own loads cuFFT, after the library at `path`, whose name is then found. *text: the message. */
static bool loads(const char *path, bool (*use)(void), char text[512])
{
    int channel[2];
    assert_int_equal(pipe(channel), 0);
    const pid_t child = fork();
    if (child == 0) {
        SinoStatus status = path && !dlopen(path, RTLD_NOW) ? sino_error(SINO_FAILED, "%s", dlerror()) : NULL;
        if (!status) status = sino_cufft_load();
        const char *const message = status ? sino_status_text(status) : "";
        const bool written = write(channel[1], message, strlen(message)) == (ssize_t)strlen(message);
        _exit(written && !status && use() ? 0 : 1);
    }
    close(channel[1]);
    const ssize_t length = read(channel[0], text, 511);
    text[length > 0 ? length : 0] = '\0';
    close(channel[0]);
    int code = -1;
    assert_int_equal(waitpid(child, &code, 0), child);
    return WIFEXITED(code) && WEXITSTATUS(code) == 0;
}

static bool plans_are_made(void)
{
    int plan = 0, points = 4, before = 6, after = 8;
    size_t bytes = 0;
    char work = 0;
    if (cufftCreate(&plan) || plan != 42 || cufftSetAutoAllocation(plan, 0)) return false;
    (void)cufftMakePlanMany(plan, 1, &points, &before, 2, 3, &after, 5, 7, CUFFT_C2C, 9, &bytes);
    if (bytes != 42 + 2 + 12 + 30 + 14 + 33 + 104 + 85 + 133 + 261) return false;
    return !cufftSetStream(plan, cudaStreamLegacy) && !cufftSetWorkArea(plan, &work) && work == 42 &&
           !cufftDestroy(plan);
}

static bool cufft_is_called(void)
{
    cufftComplex c = {1, 0};
    cufftDoubleComplex z = {1, 0};
    float r = 2;
    double d = 3;
    if (!plans_are_made() || cufftExecC2C(2, &c, &c, -1) || c.imaginary != -2) return false;
    if (cufftExecR2C(2, &r, &c) || c.imaginary != 4 || cufftExecC2R(2, &c, &r) || r != 8) return false;
    return !cufftExecD2Z(2, &d, &z) && z.imaginary == 6 && !cufftExecZ2D(2, &z, &d) && d == 12;
}

static void cufft_is_loaded_when_it_is_needed(void **state)
{
    char text[512];
    (void)state;
    assert_true(loads(SINO_CUFFT_WHOLE, cufft_is_called, text));
}

static void cufft_that_is_missing_is_named(void **state)
{
    char text[512];
    (void)state;
    assert_false(loads(NULL, cufft_is_called, text));
    assert_non_null(strstr(text, "libcufft.so.0"));
    assert_false(loads(SINO_CUFFT_PART, cufft_is_called, text));
    assert_non_null(strstr(text, "no function cufftExecZ2D"));
}

TESTING_SUBJECT(cuda_host)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_launch_takes_no_shared_memory_from_others),
        cmocka_unit_test(a_launch_has_no_errors_of_earlier_calls),
        cmocka_unit_test(memory_of_others_is_not_free),
        cmocka_unit_test(memory_has_a_rate),
        cmocka_unit_test(cufft_is_loaded_when_it_is_needed),
        cmocka_unit_test(cufft_that_is_missing_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
