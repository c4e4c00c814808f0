/* SPDX-License-Identifier: BSD-3-Clause */
/* Volume as Zarr: slices gather in a flat file, OUT.slices.partial, from which shards are made when all are there. */
#include "volume_private.h"

#include <stdio.h>

SinoStatus sino_volume_zarr_names(SinoVolume *volume)
{
    const char *path = volume->request.zarr_path;
    if (!path) return NULL;
    const bool named = asprintf(&volume->slices_path, "%s.slices", path) >= 0 &&
                       asprintf(&volume->partial_path, "%s.partial", path) >= 0;
    SINO_CHECK(named, SINO_FAILED, "no memory for a file name");
    return NULL;
}

static SinoZarrPyramid pyramid_of(const SinoVolume *volume)
{
    return sino_zarr_pyramid(&volume->request, &volume->flat, volume->partial_path);
}

int64_t sino_volume_level_count(const SinoVolume *volume)
{
    return volume->request.zarr_path && !volume->flat.joined ? pyramid_of(volume).level_count : 0;
}

SinoStatus sino_volume_begin_levels(SinoVolume *volume)
{
    const SinoZarrPyramid pyramid = pyramid_of(volume);
    volume->has_levels = true;
    if (volume->attribute_file) (void)fclose(volume->attribute_file);
    volume->attribute_file = NULL;
    return sino_zarr_folder_make(&pyramid, volume->attributes ? volume->attributes : "");
}

int64_t sino_volume_level_shards(const SinoVolume *volume, int64_t level)
{
    int64_t count[3];
    const SinoZarrPyramid pyramid = pyramid_of(volume);
    return sino_zarr_shard_count(&pyramid.level[level], count);
}

int64_t sino_volume_level_slices(const SinoVolume *volume, int64_t level)
{
    return pyramid_of(volume).level[level].size[0];
}

SinoStatus sino_volume_write_shard(const SinoVolume *volume, int64_t level, int64_t shard)
{
    const SinoZarrPyramid pyramid = pyramid_of(volume);
    return sino_zarr_write_shard(&pyramid, level, shard);
}

SinoStatus sino_volume_shrink(const SinoVolume *volume, int64_t level, int64_t slice)
{
    const SinoZarrPyramid pyramid = pyramid_of(volume);
    return sino_zarr_shrink(&pyramid, level, slice);
}

SinoStatus sino_volume_make_levels(SinoVolume *volume)
{
    const SinoZarrPyramid pyramid = pyramid_of(volume);
    SINO_TRY(sino_volume_begin_levels(volume));
    for (int64_t l = 0; l < pyramid.level_count; l++) {
        const int64_t shards = sino_volume_level_shards(volume, l);
        const int64_t slices = l + 1 < pyramid.level_count ? sino_volume_level_slices(volume, l + 1) : 0;
        for (int64_t i = 0; i < shards; i++) SINO_TRY(sino_zarr_write_shard(&pyramid, l, i));
        for (int64_t i = 0; i < slices; i++) SINO_TRY(sino_zarr_shrink(&pyramid, l, i));
    }
    return NULL;
}
