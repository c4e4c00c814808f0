/* SPDX-License-Identifier: BSD-3-Clause */
/* Simulated machine: the files that StarPU has of a machine that it has measured, made of a machine file.
 *
 * SimGrid shares a link's bandwidth among the transfers that use it. A transfer between main memory and a device uses
 * the device's own link and one that all devices of the node share; one between two devices uses the port of each.
 *
 * Of several ranks each has a zone of its own, whose hosts StarPU finds by its number. Messages leave a node by its
 * link, and enter another one by that node's link; those between ranks of a node go through its memory. */
#include "simulation_private.h"

#include "platform.h"
#include "simulated_ranks.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
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
                           " </config>\n";

/* A part of the machine that StarPU takes for a whole one. */
typedef struct Zone {
    const char *prefix; /* of the names of its hosts and of its own links */
    const char *node;   /* of the names of links that it shares with other zones of the node */
    bool first;         /* of the node */
} Zone;

static void print_link(FILE *out, const char *prefix, const char *name, int64_t number, double gbps, double latency_us)
{
    char suffix[24] = "";
    if (number >= 0) snprintf(suffix, sizeof suffix, "%" PRId64, number);
    fprintf(out, "  <link id=\"%s%s%s\" bandwidth=\"%.9gBps\" latency=\"%.9gs\"/>\n", prefix, name, suffix, 1e9 * gbps,
            1e-6 * latency_us);
}

static void print_hosts(FILE *out, const Zone *zone, const SinoMachineFile *machine, int64_t cores, int64_t devices)
{
    const char *const at = zone->prefix;
    fprintf(out, "  <host id=\"%sMAIN\" speed=\"1f\"/>\n  <host id=\"%sRAM\" speed=\"1f\"/>\n", at, at);
    for (int64_t i = 0; i < cores; i++)
        fprintf(out, "  <host id=\"%sCPU%" PRId64 "\" speed=\"" HOST_SPEED "\"/>\n", at, i);
    for (int64_t i = 0; i < devices; i++)
        fprintf(out,
                "  <host id=\"%sCUDA%" PRId64 "\" speed=\"" HOST_SPEED "\">\n"
                "   <prop id=\"memsize\" value=\"%" PRId64 "\"/>\n   <prop id=\"memcpy_peer\" value=\"1\"/>\n"
                "  </host>\n",
                at, i, machine->device_bytes);
}

static void print_links(FILE *out, const Zone *zone, const SinoMachineFile *machine, int64_t devices)
{
    const SinoMachineLink *host = &machine->host_device, *peer = &machine->device_device;
    const char *const at = zone->prefix;
    if (zone->first) print_link(out, zone->node, "Host down", -1, machine->host_gbps, 0);
    if (zone->first) print_link(out, zone->node, "Host up", -1, machine->host_gbps, 0);
    for (int64_t i = 0; i < devices; i++) {
        print_link(out, at, "to ", i, host->gbps, host->latency_us);
        print_link(out, at, "from ", i, host->gbps, host->latency_us);
        print_link(out, at, "peer in ", i, peer->gbps, 0);
        print_link(out, at, "peer out ", i, peer->gbps, peer->latency_us);
    }
}

static void print_routes(FILE *out, const Zone *zone, int64_t devices)
{
    const char *const at = zone->prefix, *const node = zone->node;
    for (int64_t i = 0; i < devices; i++) {
        fprintf(out,
                "  <route src=\"%sRAM\" dst=\"%sCUDA%" PRId64 "\" symmetrical=\"NO\"><link_ctn id=\"%sHost down\"/>"
                "<link_ctn id=\"%sto %" PRId64 "\"/></route>\n",
                at, at, i, node, at, i);
        fprintf(out,
                "  <route src=\"%sCUDA%" PRId64 "\" dst=\"%sRAM\" symmetrical=\"NO\"><link_ctn id=\"%sfrom %" PRId64
                "\"/><link_ctn id=\"%sHost up\"/></route>\n",
                at, i, at, at, i, node);
        for (int64_t j = 0; j < devices; j++)
            if (j != i)
                fprintf(out,
                        "  <route src=\"%sCUDA%" PRId64 "\" dst=\"%sCUDA%" PRId64 "\" symmetrical=\"NO\">"
                        "<link_ctn id=\"%speer out %" PRId64 "\"/><link_ctn id=\"%speer in %" PRId64 "\"/></route>\n",
                        at, i, at, j, at, i, at, j);
    }
}

static void print_zone(FILE *out, const Zone *zone, const char *name, const SinoMachineFile *machine, int64_t cores,
                       int64_t devices)
{
    fprintf(out, " <zone id=\"%s\" routing=\"Full\">\n", name);
    print_hosts(out, zone, machine, cores, devices);
    if (devices > 0) print_links(out, zone, machine, devices);
    print_routes(out, zone, devices);
    fputs(" </zone>\n", out);
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

static SinoStatus create(const char *folder, const char *name, const char *ending, FILE **out)
{
    char path[192];
    snprintf(path, sizeof path, "%s/%s%s", folder, name, ending);
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

static SinoStatus write_platform(const SinoMachineFile *machine, int64_t cores, int64_t devices, const char *host,
                                 const char *folder)
{
    const Zone zone = {.prefix = "", .node = "", .first = true};
    FILE *out;
    SINO_TRY(create(folder, host, ".platform.v4.xml", &out));
    fputs(head, out);
    print_zone(out, &zone, "machine", machine, cores, devices);
    fputs("</platform>\n", out);
    return close_file(out, folder);
}

/* What StarPU reads beside the platform. */
static SinoStatus write_tables(const SinoMachineFile *machine, int64_t devices, const char *host, const char *folder)
{
    FILE *out;
    SINO_TRY(create(folder, host, ".bandwidth", &out)); /* in MB/s */
    print_table(out, devices, 1e3 * machine->host_device.gbps, 1e3 * machine->device_device.gbps);
    SINO_TRY(close_file(out, folder));
    SINO_TRY(create(folder, host, ".latency", &out)); /* in µs */
    print_table(out, devices, machine->host_device.latency_us, machine->device_device.latency_us);
    return close_file(out, folder);
}

/* A message between ranks of a node takes this time, and that of its bytes. */
#define MEMORY_LATENCY_S 1e-6

/* The nodes as SMPI sees them. Of a link's latency each of the two nodes gives a half. */
static void print_nodes(FILE *out, const SinoMachineFile *machine, int64_t nodes)
{
    fprintf(out,
            " <cluster id=\"network\" prefix=\"" SINO_SIMULATED_NODE "\" suffix=\"\" radical=\"0-%" PRId64
            "\" speed=\"1f\" bw=\"%.9gBps\" lat=\"%.9gs\" loopback_bw=\"%.9gBps\" loopback_lat=\"%.9gs\"/>\n",
            nodes - 1, 1e9 * machine->network.gbps, 0.5e-6 * machine->network.latency_us, 1e9 * machine->node_gbps,
            MEMORY_LATENCY_S);
}

static SinoStatus write_cluster(const SinoMachineFile *machine, const SinoSimulatedCluster *cluster, int64_t cores,
                                int64_t devices, const char *folder)
{
    FILE *out;
    SINO_TRY(create(folder, "cluster", ".xml", &out));
    fputs(head, out);
    fputs(" <zone id=\"ranks\" routing=\"Full\">\n", out);
    for (int64_t r = 0; r < cluster->ranks; r++) {
        char name[48], prefix[64], node[48];
        snprintf(name, sizeof name, "StarPU-MPI%" PRId64, r);
        snprintf(prefix, sizeof prefix, "%s-", name);
        snprintf(node, sizeof node, SINO_SIMULATED_NODE " %" PRId64 " ", r / cluster->per_node);
        const Zone zone = {.prefix = prefix, .node = node, .first = r % cluster->per_node == 0};
        print_zone(out, &zone, name, machine, cores, devices);
    }
    print_nodes(out, machine, (cluster->ranks + cluster->per_node - 1) / cluster->per_node);
    fputs(" </zone>\n</platform>\n", out);
    SINO_TRY(close_file(out, folder));
    SINO_TRY(create(folder, "hosts", "", &out));
    for (int64_t r = 0; r < cluster->ranks; r++)
        fprintf(out, SINO_SIMULATED_NODE "%" PRId64 "\n", r / cluster->per_node);
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

void sino_simulated_machine_remove(const char *folder)
{
    if (folder[0]) sino_platform_remove_folder(folder);
}

SinoStatus sino_simulated_machine_write(const SinoMachineFile *machine, const SinoSimulatedCluster *cluster,
                                        int64_t cores, int64_t devices, const char *host, char folder[64])
{
    char name[80];
    SinoStatus status = make_folder(folder);
    snprintf(name, sizeof name, "bus/%s", host);
    if (!status && cluster)
        status = write_cluster(machine, cluster, cores, devices, folder);
    else if (!status)
        status = write_platform(machine, cores, devices, name, folder);
    if (!status) status = write_tables(machine, devices, name, folder);
    if (status) sino_simulated_machine_remove(folder);
    return status;
}
