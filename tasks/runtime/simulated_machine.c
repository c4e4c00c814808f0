/* SPDX-License-Identifier: BSD-3-Clause */
/* Simulated machine: the files that StarPU has of a machine that it has measured, made of a machine file.
 *
 * SimGrid shares a link's bandwidth among the transfers that use it. A transfer between main memory and a device uses
 * the device's own link and one that all devices of the node share; one between two devices uses the port of each. */
#include "simulated_machine.h"

#include <errno.h>
#include <ftw.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* SimGrid's hosts compute at this rate, whatever they stand for: StarPU tells it for how long. */
#define HOST_SPEED "1000000000f"

/* Transfers are as fast as the links, without TCP's corrections. */
static const char head[] = "<?xml version='1.0'?>\n"
                           "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
                           "<platform version=\"4.1\">\n"
                           " <config>\n"
                           "  <prop id=\"network/TCP-gamma\" value=\"-1\"/>\n"
                           "  <prop id=\"network/latency-factor\" value=\"1\"/>\n"
                           "  <prop id=\"network/bandwidth-factor\" value=\"1\"/>\n"
                           "  <prop id=\"network/weight-S\" value=\"0.0\"/>\n"
                           "  <prop id=\"network/crosstraffic\" value=\"0\"/>\n"
                           " </config>\n"
                           " <zone id=\"machine\" routing=\"Full\">\n";

static void print_link(FILE *out, const char *name, int64_t number, double gbps, double latency_us)
{
    char suffix[24] = "";
    if (number >= 0) snprintf(suffix, sizeof suffix, "%" PRId64, number);
    fprintf(out, "  <link id=\"%s%s\" bandwidth=\"%.9gBps\" latency=\"%.9gs\"/>\n", name, suffix, 1e9 * gbps,
            1e-6 * latency_us);
}

static void print_hosts(FILE *out, const SinoMachineFile *machine, int64_t cores, int64_t devices)
{
    fputs("  <host id=\"MAIN\" speed=\"1f\"/>\n  <host id=\"RAM\" speed=\"1f\"/>\n", out);
    for (int64_t i = 0; i < cores; i++) fprintf(out, "  <host id=\"CPU%" PRId64 "\" speed=\"" HOST_SPEED "\"/>\n", i);
    for (int64_t i = 0; i < devices; i++)
        fprintf(out,
                "  <host id=\"CUDA%" PRId64 "\" speed=\"" HOST_SPEED "\">\n"
                "   <prop id=\"memsize\" value=\"%" PRId64 "\"/>\n   <prop id=\"memcpy_peer\" value=\"1\"/>\n"
                "  </host>\n",
                i, machine->device_bytes);
}

static void print_links(FILE *out, const SinoMachineFile *machine, int64_t devices)
{
    const SinoMachineLink *host = &machine->host_device, *peer = &machine->device_device;
    print_link(out, "Host down", -1, machine->host_gbps, 0);
    print_link(out, "Host up", -1, machine->host_gbps, 0);
    for (int64_t i = 0; i < devices; i++) {
        print_link(out, "to ", i, host->gbps, host->latency_us);
        print_link(out, "from ", i, host->gbps, host->latency_us);
        print_link(out, "peer in ", i, peer->gbps, 0);
        print_link(out, "peer out ", i, peer->gbps, peer->latency_us);
    }
}

static void print_routes(FILE *out, int64_t devices)
{
    for (int64_t i = 0; i < devices; i++) {
        fprintf(out,
                "  <route src=\"RAM\" dst=\"CUDA%" PRId64 "\" symmetrical=\"NO\"><link_ctn id=\"Host down\"/>"
                "<link_ctn id=\"to %" PRId64 "\"/></route>\n",
                i, i);
        fprintf(out,
                "  <route src=\"CUDA%" PRId64 "\" dst=\"RAM\" symmetrical=\"NO\"><link_ctn id=\"from %" PRId64
                "\"/><link_ctn id=\"Host up\"/></route>\n",
                i, i);
        for (int64_t j = 0; j < devices; j++)
            if (j != i)
                fprintf(out,
                        "  <route src=\"CUDA%" PRId64 "\" dst=\"CUDA%" PRId64 "\" symmetrical=\"NO\">"
                        "<link_ctn id=\"peer out %" PRId64 "\"/><link_ctn id=\"peer in %" PRId64 "\"/></route>\n",
                        i, j, i, j);
    }
}

/* A table of StarPU's: from each memory node to each, main memory first. StarPU drops the last number of a line, and of
 * latencies the last line, so that they end with one more. */
static void print_table(FILE *out, int64_t devices, double host, double peer)
{
    for (int64_t i = 0; i <= devices; i++) {
        for (int64_t j = 0; j <= devices; j++) fprintf(out, "%.9g\t", i == j ? 0.0 : i == 0 || j == 0 ? host : peer);
        fputs("nan\n", out);
    }
    fputs("nan\n", out);
}

static SinoStatus create(const char *folder, const char *host, const char *ending, FILE **out)
{
    char path[192];
    snprintf(path, sizeof path, "%s/bus/%s.%s", folder, host, ending);
    *out = fopen(path, "w");
    SINO_CHECK(*out, SINO_FAILED, "%s cannot be written: %s", path, strerror(errno));
    return NULL;
}

static SinoStatus close_file(FILE *out, const char *folder)
{
    const bool fine = !ferror(out);
    SINO_CHECK(fclose(out) == 0 && fine, SINO_FAILED, "the description of the machine cannot be written to %s", folder);
    return NULL;
}

static SinoStatus write_files(const SinoMachineFile *machine, int64_t cores, int64_t devices, const char *host,
                              const char *folder)
{
    FILE *out;
    SINO_TRY(create(folder, host, "platform.v4.xml", &out));
    fputs(head, out);
    print_hosts(out, machine, cores, devices);
    if (devices > 0) print_links(out, machine, devices);
    print_routes(out, devices);
    fputs(" </zone>\n</platform>\n", out);
    SINO_TRY(close_file(out, folder));
    SINO_TRY(create(folder, host, "bandwidth", &out)); /* in MB/s */
    print_table(out, devices, 1e3 * machine->host_device.gbps, 1e3 * machine->device_device.gbps);
    SINO_TRY(close_file(out, folder));
    SINO_TRY(create(folder, host, "latency", &out)); /* in µs */
    print_table(out, devices, machine->host_device.latency_us, machine->device_device.latency_us);
    return close_file(out, folder);
}

static SinoStatus make_folder(char folder[64])
{
    const char *parent = getenv("TMPDIR");
    char bus[80];
    if (!parent || !*parent || strlen(parent) > 32) parent = "/tmp";
    snprintf(folder, 64, "%s/sinodag-machine-XXXXXX", parent);
    if (!mkdtemp(folder)) {
        folder[0] = '\0';
        return sino_error(SINO_FAILED, "no directory for the description of the machine can be made in %s: %s", parent,
                          strerror(errno));
    }
    snprintf(bus, sizeof bus, "%s/bus", folder);
    SINO_CHECK(mkdir(bus, 0777) == 0, SINO_FAILED, "%s cannot be made: %s", bus, strerror(errno));
    return NULL;
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *walk)
{
    (void)info;
    (void)kind;
    (void)walk;
    return remove(path);
}

void sino_simulated_machine_remove(const char *folder)
{
    if (folder[0]) (void)nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS); /* a failure leaves temporary files only */
}

SinoStatus sino_simulated_machine_write(const SinoMachineFile *machine, int64_t cores, int64_t devices,
                                        const char *host, char folder[64])
{
    SinoStatus status = make_folder(folder);
    if (!status) status = write_files(machine, cores, devices, host, folder);
    if (status) sino_simulated_machine_remove(folder);
    return status;
}
