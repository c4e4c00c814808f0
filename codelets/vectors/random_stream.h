/* SPDX-License-Identifier: BSD-3-Clause */
/* Random stream: uniform deviates from a counter and a hash, splitmix64 (Steele, Lea & Flood, OOPSLA 2014). The same
 * seed and index give the same deviates on any machine with any number of threads. */
#pragma once

#include <stdint.h>

typedef struct SinoRandomStream {
    uint64_t counter;
} SinoRandomStream;

static const uint64_t sino_golden_gamma = 0x9E3779B97F4A7C15;

static inline uint64_t sino_random_hash(uint64_t value)
{
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9;
    value = (value ^ (value >> 27)) * 0x94D049BB133111EB;
    return value ^ (value >> 31);
}

/* Opens the stream of a seed and an index. Both are hashed twice, so that the streams of neighbouring seeds and indices
 * do not overlap. */
static inline SinoRandomStream sino_random_stream(uint64_t seed, uint64_t index)
{
    const uint64_t start = sino_random_hash(seed + sino_golden_gamma) + (index + 1) * sino_golden_gamma;
    return (SinoRandomStream){sino_random_hash(start)};
}

/* The next deviate, in (0, 1): an odd multiple of 2⁻⁵³. */
static inline double sino_random_uniform(SinoRandomStream *stream)
{
    stream->counter += sino_golden_gamma;
    return ((double)(sino_random_hash(stream->counter) >> 12) + 0.5) * 0x1p-52;
}
