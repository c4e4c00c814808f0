/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli_devices.h"

static const CliDeviceKind kinds[] = {
    {"opencl", "opencl", "cpu,opencl", " on opencl", "OpenCL", "STARPU_NOPENCL", "STARPU_LIMIT_OPENCL_MEM=1",
     "STARPU_LIMIT_OPENCL_MEM=8", 48, 180, "--partitions 6 --algorithm cg --iterations 8"},
    /* StarPU takes memory of GPUs in pieces of 32 MiB. */
    {"cuda", "cuda", "cpu,cuda", " on cuda", "CUDA", "STARPU_NCUDA", "STARPU_LIMIT_CUDA_MEM=1",
     "STARPU_LIMIT_CUDA_MEM=256", 256, 360, "--partitions 24 --algorithm cg --iterations 8"},
    /* GPUs that the host plays (tests/simt): slowly. With this little memory lists are for cores. */
    {"simt", "cuda", "cpu,cuda", " on cuda", "CUDA", "STARPU_NCUDA", "STARPU_LIMIT_CUDA_MEM=1",
     "STARPU_LIMIT_CUDA_MEM=42", 96, 120, "--partitions 24 --algorithm cg --iterations 2 --precision double"},
};

const CliDeviceKind *cli_device_kind(void)
{
    const char *wanted = getenv("SINODAG_TEST_DEVICE");
    const CliDeviceKind *of = kinds;
    while (wanted && of < kinds + sizeof kinds / sizeof *kinds - 1 && strcmp(of->name, wanted) != 0) of++;
    return of;
}

bool cli_device_is_cuda(void)
{
    return strcmp(cli_device_kind()->device, "cuda") == 0;
}

float *cli_device_volume(const char *directory, int slices, int size, const char *environment, const char *device,
                         const char *words, CliRun *run)
{
    *run = (CliRun){.directory = directory, .environment = environment};
    cli_start(run, "recon scan.h5 -o out.h5 --overwrite --rotation-axis %g --profile --device %s %s",
              (double)(size - 1) / 2, device, words);
    cli_wait(run);
    if (run->exit_code != 0) print_message("%s\n", run->err);
    assert_int_equal(run->exit_code, 0);
    assert_null(strstr(run->err, "page-lock"));
    return cli_read_volume(directory, "out.h5", slices, size);
}

int64_t cli_device_tasks_on(const CliRun *run, const char *name, const char *place)
{
    char before[64];
    snprintf(before, sizeof before, "sinodag: %s%s ", name, place);
    return strstr(run->err, before) ? (int64_t)cli_number_after(run->err, before, NULL) : 0;
}

bool cli_device_has_transfers(const CliRun *run, bool to_device)
{
    char line[64];
    for (int number = 0; number < 2; number++) {
        if (to_device)
            snprintf(line, sizeof line, "sinodag: transfers from NUMA 0 to %s %d: ", cli_device_kind()->node, number);
        else
            snprintf(line, sizeof line, "sinodag: transfers from %s %d to NUMA 0: ", cli_device_kind()->node, number);
        if (strstr(run->err, line)) return true;
    }
    return false;
}

double cli_device_bytes_after(const char *line, const char *text)
{
    const char *unit;
    const double number = cli_number_after(line, text, &unit);
    return number * (strncmp(unit, " GiB", 4) == 0   ? 0x1p30
                     : strncmp(unit, " MiB", 4) == 0 ? 0x1p20
                     : strncmp(unit, " KiB", 4) == 0 ? 0x1p10
                                                     : 1);
}

double cli_device_bytes_received(const CliRun *run)
{
    double sum = 0;
    char before[64];
    snprintf(before, sizeof before, "sinodag: transfers from NUMA 0 to %s", cli_device_kind()->node);
    for (const char *at = run->err; (at = strstr(at, before)); at++) {
        const char *rest;
        cli_number_after(at + strlen(before), ": ", &rest);
        sum += cli_device_bytes_after(rest, ", ");
    }
    return sum;
}

bool cli_device_found(void)
{
    void *directory = NULL;
    if (testing_directory_make(&directory) != 0) return false;
    CliRun run = {.directory = directory};
    cli_start(&run, "demo --size 16 --angles 40 --slices 1 --algorithm cg --iterations 1 --device %s",
              cli_device_kind()->device);
    cli_wait(&run);
    const bool found = run.exit_code == 0;
    if (!found)
        print_message("tests on %s devices are skipped%s: %s", cli_device_kind()->device,
                      cli_device_kind() == &kinds[0] ? " (pocl-opencl-icd makes some)" : "", run.err);
    cli_free(&run);
    testing_directory_remove(&directory);
    return found;
}
