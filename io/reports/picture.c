/* SPDX-License-Identifier: BSD-3-Clause */
/* Picture: grey levels from values, and libpng's simplified interface. */
#include "picture.h"

#include "files.h"
#include "memory.h"

#include <inttypes.h>
#include <math.h>
#include <png.h>
#include <stdbool.h>
#include <stdlib.h>

static const double low_share = 0.002, high_share = 0.998;

/* The value at index `rank` of the sorted values, in linear time; reorders the values (Hoare, Comm. ACM 4, 321, 1961).
 */
static float select_rank(float *values, int64_t count, int64_t rank)
{
    int64_t first = 0, last = count - 1;
    while (first < last) {
        const float pivot = values[first + (last - first) / 2];
        int64_t i = first, j = last;
        while (i <= j) {
            while (values[i] < pivot) i++;
            while (values[j] > pivot) j--;
            if (i > j) break;
            const float swapped = values[i];
            values[i++] = values[j];
            values[j--] = swapped;
        }
        if (rank <= j) {
            last = j;
        } else if (rank >= i) {
            first = i;
        } else {
            break;
        }
    }
    return values[rank];
}

SinoStatus sino_picture_window(int64_t count, const float *values, float *low, float *high)
{
    float *finite;
    SINO_TRY(sino_allocate(count, sizeof *finite, "a picture's percentiles", &finite));
    int64_t n = 0;
    for (int64_t i = 0; i < count; i++) {
        if (isfinite(values[i])) finite[n++] = values[i];
    }
    if (n > 0) {
        *low = select_rank(finite, n, llround(low_share * (double)(n - 1)));
        *high = select_rank(finite, n, llround(high_share * (double)(n - 1)));
    }
    free(finite);
    return NULL;
}

static unsigned char grey(float value, double low, double high)
{
    if (isnan(value)) return 0;
    if (low == high) return value > low ? 255 : 0;
    const double share = ((double)value - low) / (high - low);
    return (unsigned char)lround(255 * fmin(fmax(share, 0), 1));
}

static SinoStatus encode(int64_t height, int64_t width, const unsigned char *greys, size_t *bytes, unsigned char **png)
{
    png_image image = {.version = PNG_IMAGE_VERSION,
                       .width = (png_uint_32)width,
                       .height = (png_uint_32)height,
                       .format = PNG_FORMAT_GRAY,
                       .flags = PNG_IMAGE_FLAG_FAST}; /* a run waits for its pictures; noise hardly shrinks anyway */
    png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
    unsigned char *encoded;
    SINO_TRY(sino_allocate((int64_t)size, 1, "a picture's file", &encoded));
    if (!png_image_write_to_memory(&image, encoded, &size, 0, greys, 0, NULL)) {
        free(encoded);
        return sino_error(SINO_FAILED, "libpng: %s", image.message);
    }
    *bytes = size;
    *png = encoded;
    return NULL;
}

SinoStatus sino_picture_encode(int64_t height, int64_t width, const float *values, float low, float high, size_t *bytes,
                               unsigned char **png)
{
    unsigned char *greys;
    /* libpng allows larger images, but computes the size of the whole image in 32 bits. */
    SINO_CHECK(height >= 1 && width >= 1 && height <= INT32_MAX / width, SINO_BAD_INPUT,
               "a picture of %" PRId64 " × %" PRId64 " pixels; allowed: 1 × 1 to %d in all", height, width, INT32_MAX);
    const int64_t count = sino_times(height, width);
    if (low == 0 && high == 0) SINO_TRY(sino_picture_window(count, values, &low, &high));
    SINO_TRY(sino_allocate(count, 1, "a picture", &greys));
    for (int64_t i = 0; i < count; i++) greys[i] = grey(values[i], (double)low, (double)high);
    SinoStatus status = encode(height, width, greys, bytes, png);
    free(greys);
    return status;
}

static SinoStatus save(const char *path, size_t bytes, const unsigned char *png)
{
    SinoOutputFile *file;
    SINO_TRY(sino_output_open(path, true, &file));
    sino_output_write(file, 0, png, bytes);
    return sino_output_seal(file);
}

SinoStatus sino_picture_write(const char *path, int64_t height, int64_t width, const float *values, float low,
                              float high)
{
    unsigned char *png;
    size_t bytes;
    SinoStatus status = sino_picture_encode(height, width, values, low, high, &bytes, &png);
    if (status) return sino_error_prefix(status, "%s", path);
    status = save(path, bytes, png);
    free(png);
    return status;
}

static const int64_t gap = 4; /* pixels between the images */

/* Where a value lies from low to high; 0.5 if both are equal, NaN of NaN. */
static float share(double value, double low, double high)
{
    if (isnan(value)) return NAN;
    return high > low ? (float)fmin(fmax((value - low) / (high - low), 0), 1) : 0.5F;
}

static void fill(int64_t height, int64_t width, const float *a, const float *b, const float range[2], float reach,
                 float *shares)
{
    const int64_t whole = 3 * width + 2 * gap;
    for (int64_t i = 0; i < height * whole; i++) shares[i] = 1;
    for (int64_t r = 0; r < height; r++)
        for (int64_t c = 0; c < width; c++) {
            const double x = (double)a[r * width + c], y = (double)b[r * width + c];
            float *to = shares + r * whole + c;
            to[0] = share(x, (double)range[0], (double)range[1]);
            to[width + gap] = share(y, (double)range[0], (double)range[1]);
            to[2 * (width + gap)] = share(x - y, -(double)reach, (double)reach);
        }
}

SinoStatus sino_picture_beside_write(const char *path, int64_t height, int64_t width, const float *a, const float *b,
                                     float range[2], float *reach)
{
    const int64_t count = sino_times(height, width), whole = sino_times(height, sino_times(3, width) + 2 * gap);
    float low = 0, high = 0, *shares = NULL;
    SinoStatus status = NULL;
    range[0] = range[1] = 0;
    SINO_TRY(sino_allocate(whole, sizeof *shares, "a picture", &shares));
    for (int64_t i = 0; i < count; i++) shares[i] = a[i] - b[i];
    SINO_TRY_OR(status, end, sino_picture_window(count, b, &range[0], &range[1]));
    SINO_TRY_OR(status, end, sino_picture_window(count, shares, &low, &high));
    *reach = fmaxf(fabsf(low), fabsf(high));
    fill(height, width, a, b, range, *reach, shares);
    SINO_TRY_OR(status, end, sino_picture_write(path, height, 3 * width + 2 * gap, shares, 0, 1));
end:
    free(shares);
    return status;
}
