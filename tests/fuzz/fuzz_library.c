/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzzing: any sequence of calls of sinodag.h, with geometries, settings, sizes, strides, types and values that are
 * anything, and handles that were freed. Arrays keep within their memory, which the library cannot check. */
#include "fuzz.h"
#include "sinodag.h"

#include <math.h>

enum { HANDLES = 3, SIDE = 9, SLICES = 4, NUMBERS = 4096, CALLS = 24 };

/* What is left of the input. */
typedef struct Bytes {
    const uint8_t *at;
    size_t left;
} Bytes;

static int byte(Bytes *bytes)
{
    if (!bytes->left) return 0;
    bytes->left--;
    return *bytes->at++;
}

/* The next bytes up to a zero, as text; the end of the input ends it, too. */
static const char *text(Bytes *bytes, char *buffer, size_t size)
{
    size_t length = 0;
    for (int c = byte(bytes); c && length + 1 < size; c = byte(bytes)) buffer[length++] = (char)c;
    buffer[length] = '\0';
    return buffer;
}

/* A number that is usual, an edge, or not finite. */
static double number(Bytes *bytes)
{
    static const double edges[] = {0, 1, -1, 0.5, 3.14159, 1e-30, -1e30, 1e300, INFINITY, NAN};
    const int choice = byte(bytes);
    return choice < 10 ? edges[choice] : choice / 16.0;
}

static int64_t size(Bytes *bytes)
{
    static const int64_t edges[] = {0, -1, INT64_MAX, INT64_MIN,
                                    (1 << 20) + 1}; /* the last: more than any array may have */
    const int choice = byte(bytes);
    return choice < 250 ? choice % (SIDE + 1) : edges[(choice - 250) % 5];
}

typedef struct State {
    SinodagOperator *op[HANDLES];
    double memory[2][NUMBERS]; /* images and projections */
    Bytes bytes;
} State;

static void settle(SinodagStatus status)
{
    fuzz_require(!status || (sinodag_status_code(status) >= SINODAG_FAILED && *sinodag_status_text(status)));
    sinodag_status_free(status);
}

/* An array over memory of the state, in C order or in another one, from the first or the last element on; of sizes that
 * it may not have, or without memory. */
static SinodagArray array(State *state, int which)
{
    Bytes *bytes = &state->bytes;
    const int kind = byte(bytes); /* mostly in main memory; else on a device, or where no array is */
    SinodagArray made = {.data = state->memory[which],
                         .type = (SinodagType)(kind % 6 - 1),
                         .device = kind < 240 ? SINODAG_MAIN_MEMORY : (SinodagDevice)(kind % 5 - 1)};
    for (int d = 0; d < 3; d++) made.size[d] = size(bytes);
    const int64_t n[3] = {made.size[0], made.size[1], made.size[2]};
    bool fits = true;
    for (int d = 0; d < 3; d++) fits &= n[d] >= 0 && n[d] <= SIDE;
    const int order = byte(bytes);
    if (order >= 5 && fits && n[0] * n[1] * n[2] <= NUMBERS / 8) { /* -1 to 3 volumes keep within the memory, too */
        made.volumes = order / 5 % 5 - 1;
        made.volume_stride = order < 128 ? 0 : n[0] * n[1] * n[2];
    }
    switch (order % 6) {
    case 0:
        break;
    case 1:
        if (fits) memcpy(made.stride, (int64_t[]){1, n[0] * n[2], n[0]}, sizeof made.stride);
        break;
    case 2:
        if (fits) memcpy(made.stride, (int64_t[]){-n[1] * n[2], -n[2], -1}, sizeof made.stride);
        made.data = &state->memory[which][NUMBERS / 2];
        break;
    case 3:
        made.data = (char *)made.data + 1;
        break;
    case 4: /* more than all addresses from one element to the next */
        if (!fits) break;
        memcpy(made.stride, (int64_t[]){n[1] * n[2], n[2], 1}, sizeof made.stride);
        made.stride[order / 6 % 3] = order & 128 ? INT64_MIN >> order / 18 % 7 : INT64_MAX >> order / 18 % 6;
        break;
    default:
        made.data = NULL;
    }
    return made;
}

/* The arrays of a matrix. */
typedef struct Arrays {
    int64_t start[SIDE + 1];
    int64_t column[SIDE * SIDE];
    float value[SIDE * SIDE];
} Arrays;

/* A matrix of up to 9 rows, of which start, columns and values may be anything but ends that are past the arrays. */
static SinodagMatrix matrix(Bytes *bytes, Arrays *arrays)
{
    const int64_t rows = byte(bytes) % (SIDE + 1), columns = size(bytes), usual = byte(bytes) % 2;
    for (int64_t i = 0; i <= rows; i++) arrays->start[i] = usual ? i * 3 : byte(bytes) % 8 - 1;
    for (int64_t i = 0; i < SIDE * SIDE; i++) {
        arrays->column[i] = i % 3 + (i < 8 ? byte(bytes) % 4 - !usual : 0);
        arrays->value[i] = i < 8 ? (float)number(bytes) : (float)i / 8;
    }
    if (arrays->start[rows] > SIDE * SIDE) arrays->start[rows] = SIDE * SIDE;
    return (SinodagMatrix){.rows = rows,
                           .columns = columns,
                           .index_type = byte(bytes) % 5 ? SINODAG_INT64 : (SinodagType)(byte(bytes) % 8 - 1),
                           .value_type = byte(bytes) % 5 ? SINODAG_FLOAT32 : SINODAG_UINT8,
                           .start = byte(bytes) == 9 ? NULL : arrays->start,
                           .column = arrays->column,
                           .value = arrays->value};
}

static void make_operator(State *state)
{
    static const char *const cone[] = {"geometry=cone", "source-object-distance=99", "source-detector-distance=150",
                                       "detector-pixel=0.5"};
    enum { CONE = sizeof cone / sizeof *cone };
    Bytes *bytes = &state->bytes;
    double angle_rad[SIDE];
    char setting[3][64];
    const char *settings[CONE + 4] = {NULL};
    static Arrays arrays;
    SinodagMatrix of;
    SinodagGeometry geometry = {.angles = size(bytes), .columns = size(bytes), .angle_rad = angle_rad};
    const int kind = byte(bytes) % 4;
    int count = 0;
    if (kind == 1) geometry.rows = size(bytes);
    for (; kind == 1 && count < CONE; count++) settings[count] = cone[count];
    if (kind == 2) {
        of = matrix(bytes, &arrays);
        geometry = (SinodagGeometry){.matrix = &of, .columns = byte(bytes) == 9};
    }
    geometry.slices = size(bytes);
    geometry.subsets = byte(bytes) % 3 ? 0 : size(bytes);
    geometry.center = byte(bytes) % 2 ? (double)NAN : number(bytes);
    for (int k = 0; k < SIDE; k++) angle_rad[k] = k < 2 ? number(bytes) : k / 3.0;
    const int more = byte(bytes) % 4;
    for (int i = 0; i < more; i++) settings[count++] = text(bytes, setting[i], sizeof setting[i]);
    SinodagOperator *made = NULL;
    SinodagStatus status = sinodag_operator_new(&geometry, settings, byte(bytes) == 99 ? NULL : &made);
    if (made) {
        SinodagOperator **place = &state->op[byte(bytes) % HANDLES];
        settle(sinodag_operator_free(*place)); /* which may have been freed */
        *place = made;
    }
    settle(status);
}

static float *allocate(void *of, int64_t slices, int64_t rows, int64_t columns)
{
    State *state = of;
    return slices * rows * columns <= NUMBERS / 2 ? (float *)(void *)state->memory[0] : NULL;
}

static int progress(void *of, double done, const char *words)
{
    (void)of;
    return done > 0.5 && *words == 'x';
}

/* Settings of a reconstruction. The last one searches a strength, which takes a hundred times as long as the others,
 * so that one byte alone chooses it. */
static const char *const ways[][3] = {{"algorithm=fbp"},
                                      {"algorithm=fbp", "rotation-axis=2"},
                                      {"algorithm=cg", "iterations=1", "rotation-axis=2"},
                                      {"iterations=1", "regularization=0.1"},
                                      {"iterations=1", "regularization=0.1", "rotation-axis=2"},
                                      {"iterations=1"}};
enum { WAYS = sizeof ways / sizeof *ways };

static void reconstruct(State *state)
{
    Bytes *bytes = &state->bytes;
    double angle_rad[SIDE];
    char setting[3][64];
    const char *settings[8] = {"data=line-integrals", NULL};
    int given = 1;
    const int chosen = byte(bytes), way = chosen == 255 ? WAYS - 1 : chosen % (WAYS - 1);
    for (int i = 0; i < 3 && ways[way][i]; i++) settings[given++] = ways[way][i];
    SinodagScan scan = {.projections = array(state, 1)};
    if (byte(bytes) % 3 == 0) scan.flats = array(state, 1);
    for (int k = 0; k < SIDE; k++) angle_rad[k] = k < 2 ? number(bytes) : k / 3.0;
    if (byte(bytes) % 2) scan.angle_rad = angle_rad;
    const int count = byte(bytes) % 4;
    for (int i = 0; i < count; i++) settings[given++] = text(bytes, setting[i], sizeof setting[i]);
    const SinodagOutput output = {allocate, byte(bytes) % 2 ? progress : NULL, state};
    settle(sinodag_recon(&scan, settings, &output));
}

static void solve(State *state, SinodagOperator *op)
{
    Bytes *bytes = &state->bytes;
    char setting[2][64];
    const char *settings[4] = {NULL};
    double residual[SIDE * 3]; /* of as many slices as an array has, and of two iterations */
    const SinodagArray data = array(state, 1), beside = array(state, byte(bytes) % 2);
    SinodagSolution solution = {.volume = array(state, 0), .of = state};
    const int how = byte(bytes);
    settings[0] = how & 2 ? "algorithm=fdk" : "iterations=2";
    if (how & 1) solution.progress = progress;
    const int count = byte(bytes) % 3;
    for (int i = 0; i < count; i++) settings[1 + i] = text(bytes, setting[i], sizeof setting[i]);
    if (byte(bytes) % 2) {
        solution.residual = residual;
        solution.columns = byte(bytes) % 4;
    }
    const int what = byte(bytes);
    if (what % 8 == 1) solution.start = &beside;
    if (what % 8 == 2) solution.multiplicative = &beside;
    if (what % 8 == 3) solution.additive = &beside;
    if (what % 8 == 4) solution.sensitivity = &beside;
    settle(sinodag_solve(op, &data, settings, byte(bytes) == 99 ? NULL : &solution));
}

static void look(void *of, const SinodagSetting *setting)
{
    (void)of;
    fuzz_require(setting->name && setting->allowed);
}

static void call(State *state)
{
    Bytes *bytes = &state->bytes;
    char name[32];
    SinodagOperator *op = state->op[byte(bytes) % HANDLES];
    SinodagAbout about;
    SinodagArray x, y;
    int64_t subset;
    switch (byte(bytes) % 9) {
    case 0:
        make_operator(state);
        break;
    case 1:
        settle(sinodag_operator_free(op)); /* and is kept in the state */
        break;
    case 2:
        settle(sinodag_operator_about(op, &about));
        break;
    case 3:
    case 4:
        x = array(state, 0);
        y = array(state, 1);
        settle(byte(bytes) % 2 ? sinodag_project(op, &x, &y) : sinodag_backproject(op, &y, &x));
        break;
    case 5:
        x = array(state, 0);
        y = array(state, 1);
        subset = size(bytes);
        settle(byte(bytes) % 2 ? sinodag_project_subset(op, subset, &x, &y)
                               : sinodag_backproject_subset(op, subset, &y, &x));
        break;
    case 6:
        settle(sinodag_settings(text(bytes, name, sizeof name), look, NULL));
        break;
    case 7:
        solve(state, op);
        break;
    default:
        reconstruct(state);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    static bool started; /* one worker: more wait for each other longer than the calls take, on few cores */
    static State state;
    if (!started) settle(sinodag_start((const char *const[]){"workers=1", "models=frozen", NULL}, NULL, NULL));
    started = true;
    state.bytes = (Bytes){data, length};
    for (int i = 0; i < NUMBERS; i++) state.memory[0][i] = state.memory[1][i] = (i % 13) / 8.0;
    if (byte(&state.bytes) == 7) state.memory[byte(&state.bytes) % 2][byte(&state.bytes)] = (double)NAN;
    for (int i = 0; i < CALLS && state.bytes.left; i++) call(&state);
    for (int i = 0; i < HANDLES; i++) settle(sinodag_operator_free(state.op[i]));
    return 0;
}
