/* SPDX-License-Identifier: BSD-3-Clause */
/* Library in a program that has started StarPU itself: both use the same workers, and the program's StarPU stays as it
 * was. */
#include "sinodag.h"

#include <math.h>
#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ANGLES = 12, COLUMNS = 17 };

static void require(int holds, const char *what)
{
    if (holds) return;
    fprintf(stderr, "library_starpu: not so: %s\n", what);
    exit(1);
}

static void succeeds(SinodagStatus status)
{
    if (status) fprintf(stderr, "library_starpu: %s\n", sinodag_status_text(status));
    require(!status, "a call succeeds");
}

static void refused(SinodagStatus status, const char *text)
{
    require(sinodag_status_code(status) == SINODAG_BAD_INPUT && strstr(sinodag_status_text(status), text), text);
    sinodag_status_free(status);
}

static void add_one(void *buffers[], void *argument)
{
    (void)argument;
    ++*(int *)STARPU_VARIABLE_GET_PTR(buffers[0]);
}

/* A task of the program on its own data. */
static void run_task(starpu_data_handle_t counter)
{
    static struct starpu_codelet codelet = {
        .cpu_funcs = {add_one}, .nbuffers = 1, .modes = {STARPU_RW}, .name = "count"};
    require(starpu_task_insert(&codelet, STARPU_RW, counter, 0) == 0, "a task of the program is inserted");
}

static void project_ones(void)
{
    double angle_rad[ANGLES];
    float x[COLUMNS * COLUMNS], y[ANGLES * COLUMNS] = {0};
    for (int k = 0; k < ANGLES; k++) angle_rad[k] = 3.14159265358979323846 * k / ANGLES;
    for (int i = 0; i < COLUMNS * COLUMNS; i++) x[i] = 1;
    const SinodagGeometry geometry = {.angles = ANGLES, .columns = COLUMNS, .angle_rad = angle_rad, .center = NAN};
    const SinodagArray images = {.data = x, .size = {1, COLUMNS, COLUMNS}};
    const SinodagArray projections = {.data = y, .size = {1, ANGLES, COLUMNS}};
    SinodagOperator *op = NULL;
    succeeds(sinodag_operator_new(&geometry, NULL, &op));
    succeeds(sinodag_project(op, &images, &projections));
    require(fabsf(y[COLUMNS / 2] - COLUMNS) < 1e-4F, "a ray along a column sums it");
    succeeds(sinodag_operator_free(op));
}

/* FDK of two volumes of a cone beam, whose values in the middle are those of the volumes that were projected. */
static void solve_cones(void)
{
    enum { SIDE = 12, VIEWS = 40, VOXELS = SIDE * SIDE * SIDE, PIXELS = VIEWS * SIDE * SIDE };
    static float x[2 * VOXELS], y[2 * PIXELS];
    const char *const lengths[] = {"geometry=cone", "source-object-distance=200", "source-detector-distance=300",
                                   "detector-pixel=0.3", NULL};
    const char *const by_fdk[] = {"algorithm=fdk", NULL};
    double angle_rad[VIEWS];
    for (int k = 0; k < VIEWS; k++) angle_rad[k] = 2 * 3.14159265358979323846 * k / VIEWS;
    for (int i = 0; i < 2 * VOXELS; i++) {
        const int r = i / SIDE % SIDE, c = i % SIDE;
        x[i] = r > 1 && r < SIDE - 2 && c > 1 && c < SIDE - 2 ? (float)(1 + i / VOXELS) : 0;
    }
    const SinodagGeometry geometry = {
        .angles = VIEWS, .columns = SIDE, .rows = SIDE, .angle_rad = angle_rad, .center = NAN};
    const SinodagArray volumes = {.data = x, .size = {SIDE, SIDE, SIDE}, .volumes = 2};
    const SinodagArray projections = {.data = y, .size = {VIEWS, SIDE, SIDE}, .volumes = 2};
    SinodagOperator *op = NULL;
    succeeds(sinodag_operator_new(&geometry, lengths, &op));
    succeeds(sinodag_project(op, &volumes, &projections));
    succeeds(sinodag_solve(op, &projections, by_fdk, &(SinodagSolution){.volume = volumes}));
    for (int v = 0; v < 2; v++) {
        const float middle = x[v * VOXELS + (SIDE / 2 * SIDE + SIDE / 2) * SIDE + SIDE / 2];
        require(fabsf(middle - (float)(1 + v)) < 0.2F, "the middle of a volume is as it was");
    }
    succeeds(sinodag_operator_free(op));
}

/* A matrix of two rows, by subsets. */
static void solve_matrix(void)
{
    const int32_t start[] = {0, 1, 2}, column[] = {0, 1};
    const float value[] = {2, 4};
    const SinodagMatrix matrix = {2, 2, SINODAG_INT32, SINODAG_FLOAT32, start, column, value};
    const char *const by_osem[] = {"algorithm=osem", "iterations=2", NULL};
    double counts[] = {6, 20}, image[2] = {0};
    SinodagOperator *op = NULL;
    succeeds(sinodag_operator_new(&(SinodagGeometry){.matrix = &matrix, .subsets = 2}, NULL, &op));
    const SinodagArray rows = {.data = counts, .type = SINODAG_FLOAT64, .size = {1, 2, 1}};
    const SinodagSolution to = {.volume = {.data = image, .type = SINODAG_FLOAT64, .size = {1, 2, 1}}};
    succeeds(sinodag_solve(op, &rows, by_osem, &to));
    require(fabs(image[0] - 3) < 1e-5 && fabs(image[1] - 5) < 1e-5, "counts are explained");
    succeeds(sinodag_operator_free(op));
}

static void use_all_kinds(void)
{
    project_ones();
    solve_cones();
    solve_matrix();
}

/* From the program's start of StarPU to its end. */
static void share(void)
{
    struct starpu_conf conf;
    int count = 0;
    starpu_data_handle_t counter;
    starpu_conf_init(&conf);
    conf.ncpus = 1; /* not what sinodag would choose */
    conf.sched_policy_name = "eager";
    require(starpu_init(&conf) == 0, "StarPU starts");
    starpu_variable_data_register(&counter, STARPU_MAIN_RAM, (uintptr_t)&count, sizeof count);
    run_task(counter);
    refused(sinodag_start((const char *const[]){"scheduler=lws", NULL}, NULL, NULL), "this process has started StarPU");
    for (int i = 0; i < 3; i++) {
        succeeds(sinodag_start(NULL, NULL, NULL));
        run_task(counter);
        use_all_kinds();
        succeeds(sinodag_stop());
        require(starpu_is_initialized() && starpu_worker_get_count() == 1, "StarPU is up with its worker");
    }
    run_task(counter);
    starpu_data_unregister(counter);
    require(count == 5, "every task of the program ran");
    starpu_shutdown();
    require(!starpu_is_initialized(), "StarPU is down when the program wants it");
}

int main(void)
{
    share();
    succeeds(sinodag_start((const char *const[]){"workers=1", NULL}, NULL, NULL)); /* a StarPU of its own */
    use_all_kinds();
    succeeds(sinodag_stop());
    share();
    return 0;
}
