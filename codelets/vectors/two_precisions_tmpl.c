/* SPDX-License-Identifier: BSD-3-Clause */
/* Two precisions: includes the file TEMPLATE once for float and once for double. REAL is the element, NAME(x) the names
 * of functions, FFTW(x) those of FFTW. A source defines TEMPLATE, and includes this file instead of its template. */
#define REAL    float
#define NAME(x) x##_single
#define FFTW(x) fftwf_##x
#include TEMPLATE
#undef REAL
#undef NAME
#undef FFTW

#define REAL    double
#define NAME(x) x##_double
#define FFTW(x) fftw_##x
#include TEMPLATE
#undef REAL
#undef NAME
#undef FFTW
#undef TEMPLATE
