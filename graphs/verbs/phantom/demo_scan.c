/* SPDX-License-Identifier: BSD-3-Clause */
/* demo of a scan: a phantom's, its reconstruction, and the error of the result. */
#include "phantom_verb.h"
#include "rays_private.h"
#include "volume.h"
#include "workflows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct Names {
    char *scan, *truth, *volume;
} Names;

static SinoStatus new_names(const char *folder, Names *names)
{
    SINO_CHECK(asprintf(&names->scan, "%s/scan.h5", folder) >= 0 &&
                   asprintf(&names->truth, "%s/truth.h5", folder) >= 0 &&
                   asprintf(&names->volume, "%s/volume.h5", folder) >= 0,
               SINO_FAILED, "no memory for file names");
    return NULL;
}

/* ‖volume − truth‖/‖truth‖ within the inscribed circle, which every ray angle covers. */
static double relative_error(int64_t slices, int64_t size, const float *volume, const float *truth)
{
    const double half = (double)size / 2;
    double error = 0, norm = 0;
    for (int64_t z = 0; z < slices; z++)
        for (int64_t i = 0; i < size * size; i++) {
            const int64_t row = i / size, column = i % size;
            const double x = (double)column + 0.5 - half, y = (double)row + 0.5 - half;
            if (x * x + y * y > half * half) continue;
            const double expected = (double)truth[z * size * size + i];
            const double off = (double)volume[z * size * size + i] - expected;
            error += off * off;
            norm += expected * expected;
        }
    return sqrt(error / norm);
}

static SinoStatus compare(const Names *names, SinoLog *log)
{
    int64_t slices, height, width, truth_slices, truth_height, truth_width;
    float *volume = NULL, *truth = NULL;
    SinoStatus status = sino_volume_read(names->volume, &slices, &height, &width, &volume);
    if (!status) status = sino_volume_read(names->truth, &truth_slices, &truth_height, &truth_width, &truth);
    if (!status)
        sino_log_info(log, "accuracy", "relative L2 error against the true volume %s: %.2f %%", names->truth,
                      100 * relative_error(slices, width, volume, truth));
    free(volume);
    free(truth);
    return status;
}

static SinoStatus run(const SinoSettings *settings, const Names *names, SinoLog *log)
{
    SinoSettings phantom = *settings, recon = *settings;
    SINO_TRY(sino_rays_cache_check(settings->projection.cache));
    phantom.output.path = names->scan;
    phantom.phantom.truth = names->truth;
    SINO_TRY(sino_phantom(&phantom, log));
    recon.input.file_name = names->scan;
    recon.output.path = names->volume;
    SINO_TRY(sino_recon(&recon, NULL, log));
    return compare(names, log);
}

SinoStatus sino_demo_scan(const SinoSettings *settings, SinoLog *log)
{
    Names names = {0};
    SinoStatus status = new_names(settings->output.path, &names);
    if (!status) status = run(settings, &names, log);
    free(names.scan);
    free(names.truth);
    free(names.volume);
    return status;
}
