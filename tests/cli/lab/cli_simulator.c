/* SPDX-License-Identifier: BSD-3-Clause */
/* Command line, simulator: where it is, and what it says. */
#include "cli_simulator.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *cli_simulator(void)
{
    static char path[TESTING_PATH];
    const char *given = getenv("SINODAG_SIMULATOR");
    snprintf(path, sizeof path, "%s", given ? given : getenv("SINODAG"));
    char *const slash = strrchr(path, '/');
    if (!given && slash) snprintf(slash, sizeof path - (size_t)(slash - path), "/../build-simulator/sinodag");
    if (access(path, X_OK) != 0) {
        print_message("there is no %s, so nothing was simulated: `./run simulator` builds it\n", path);
        skip();
    }
    return path;
}

char *cli_simulated(const char *directory, const char *options)
{
    return cli_simulated_with(directory, NULL, options);
}

char *cli_simulated_with(const char *directory, const char *environment, const char *options)
{
    CliRun run = {.directory = directory, .environment = environment};
    cli_start(&run, "simulate %s", options);
    cli_wait(&run);
    if (run.exit_code != 0) fail_msg("%s: exit code %d\n%s", options, run.exit_code, run.err);
    char *out = strdup(run.out);
    assert_non_null(out);
    cli_free(&run);
    return out;
}

double cli_simulated_s(const char *directory, const char *options)
{
    char *json = cli_simulated(directory, options);
    const double seconds = cli_number_after(json, "\"makespan_s\": ", NULL);
    assert_true(cli_number_after(json, "\"critical_path_s\": ", NULL) <= seconds * (1 + 1e-6));
    assert_true(cli_number_after(json, "\"area_s\": ", NULL) <= seconds * (1 + 1e-6));
    free(json);
    return seconds;
}

int64_t cli_tasks_of(const char *json, const char *name)
{
    char text[80];
    snprintf(text, sizeof text, "\"name\": \"%s\", \"on\": \"cpu\", \"count\": ", name);
    return strstr(json, text) ? (int64_t)cli_number_after(json, text, NULL) : 0;
}
