/* SPDX-License-Identifier: BSD-3-Clause */
/* Text number: digits · 10ⁿ in extended precision, wherever that proves to round to the right double. */
#include "numbers.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum {
    DIGITS = 19,       /* so many always fit in 64 bits */
    POWER = 27,        /* 10²⁷ = 2²⁷ · 5²⁷ fits in 64 bits but for factors of 2 */
    EXPONENT = 100000, /* larger ones are not counted exactly; the result is 0 or infinity anyway */
};

bool sino_text_probe(const char *bytes, int64_t count)
{
    bool comment = false;
    for (int64_t i = 0; i < count; i++) {
        const unsigned char c = (unsigned char)bytes[i];
        if (c == '#') comment = true;
        if (c == '\n') comment = false;
        if (!(isprint(c) || isspace(c) || (comment && c >= 0x80))) return false;
    }
    return count > 0;
}

int64_t sino_text_mark_bytes(const char *bytes, int64_t count)
{
    static const char mark[] = "\xef\xbb\xbf";
    const int64_t length = sizeof mark - 1;
    return count >= length && memcmp(bytes, mark, (size_t)length) == 0 ? length : 0;
}

const char *sino_text_integer(const char *text, int64_t *number)
{
    int64_t value = 0;
    const char *at = text;
    for (; *at >= '0' && *at <= '9'; at++)
        if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, *at - '0', &value)) return NULL;
    if (at == text) return NULL;
    *number = value;
    return at;
}

/* A decimal number: digits · 10^exponent. */
typedef struct Decimal {
    uint64_t digits;
    int count, exponent; /* count: significant digits, those beyond DIGITS included, which `digits` lacks */
    bool negative;
} Decimal;

static const char *take_digits(const char *at, bool behind_point, Decimal *decimal)
{
    for (; *at >= '0' && *at <= '9'; at++) {
        if (decimal->count > 0 || *at != '0') decimal->count += decimal->count <= DIGITS;
        if (decimal->count <= DIGITS) decimal->digits = decimal->digits * 10 + (uint64_t)(*at - '0');
        decimal->exponent -= behind_point && decimal->exponent > -EXPONENT;
    }
    return at;
}

/* Reads e and the number behind it, if both are there. */
static const char *take_exponent(const char *at, Decimal *decimal)
{
    if (*at != 'e' && *at != 'E') return at;
    const char *digit = at + 1 + (at[1] == '+' || at[1] == '-');
    int exponent = 0;
    if (*digit < '0' || *digit > '9') return at;
    for (; *digit >= '0' && *digit <= '9'; digit++)
        if (exponent < EXPONENT) exponent = exponent * 10 + (*digit - '0');
    decimal->exponent += at[1] == '-' ? -exponent : exponent;
    return digit;
}

static const char *take_decimal(const char *text, Decimal *decimal)
{
    decimal->negative = *text == '-';
    const char *first = text + (*text == '-' || *text == '+');
    const char *at = take_digits(first, false, decimal);
    bool found = at > first;
    if (*at == '.') {
        const char *point = at++;
        at = take_digits(at, true, decimal);
        found |= at > point + 1;
    }
    return found ? take_exponent(at, decimal) : NULL;
}

#if LDBL_MANT_DIG == 64 && LDBL_MAX_EXP == 16384
/* digits · 10^exponent in a significand of 64 bits, after at most two operations that each err by at most 2⁻⁶⁴ of the
 * result. These are at most 2 units of the last bit, and less than 3. A double has the upper 53 bits: rounding goes the
 * same way for the exact number and the computed one, unless the lower 11 bits are within 3 units of one half. */
static bool convert(const Decimal *decimal, double *number)
{
    static const long double powers[POWER + 1] = {1e0L,  1e1L,  1e2L,  1e3L,  1e4L,  1e5L,  1e6L,  1e7L,  1e8L,  1e9L,
                                                  1e10L, 1e11L, 1e12L, 1e13L, 1e14L, 1e15L, 1e16L, 1e17L, 1e18L, 1e19L,
                                                  1e20L, 1e21L, 1e22L, 1e23L, 1e24L, 1e25L, 1e26L, 1e27L};
    const int power = decimal->exponent < 0 ? -decimal->exponent : decimal->exponent;
    uint64_t significand;
    if (decimal->count > DIGITS || power > 2 * POWER) return false;
    const int first = power < POWER ? power : POWER;
    long double value = (long double)decimal->digits;
    value = decimal->exponent < 0 ? value / powers[first] : value * powers[first];
    if (power > POWER) value = decimal->exponent < 0 ? value / powers[power - POWER] : value * powers[power - POWER];
    memcpy(&significand, &value, sizeof significand); /* it comes first */
    const unsigned rest = significand & 0x7ff;
    *number = (double)value;
    return rest < 0x400 - 3 || rest > 0x400 + 3;
}
#else
static bool convert(const Decimal *decimal, double *number)
{
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const int power = decimal->exponent < 0 ? -decimal->exponent : decimal->exponent;
    if (decimal->count > DIGITS || decimal->digits > UINT64_C(1) << 53 || power > 22) return false;
    *number = (double)decimal->digits;
    *number = decimal->exponent < 0 ? *number / powers[power] : *number * powers[power]; /* both are exact */
    return true;
}
#endif

const char *sino_text_double(const char *text, locale_t c_locale, double *number)
{
    Decimal decimal = {.digits = 0};
    char *end;
    const char *after = take_decimal(text, &decimal);
    if (!after) return NULL;
    if (convert(&decimal, number)) {
        if (decimal.negative) *number = -*number;
        return after;
    }
    *number = strtod_l(text, &end, c_locale);
    return end;
}
