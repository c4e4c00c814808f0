/* SPDX-License-Identifier: BSD-3-Clause */
/* Toy graph: seven chains of forty equal tasks, over StarPU alone. This one source runs on this machine, and, compiled
 * for the simulator's StarPU, in virtual time. tests/toy_graph_beside holds both beside each other.
 *
 *     toy_graph POLICY TIMES [mean]
 *
 * A run writes the time of each task to the file TIMES, in µs, as text. The simulation reads that file: its tasks take
 * these times, or, with `mean`, all of them the mean. Both print the makespan and the mean time of a task, in ms.
 * StarPU's directory for models (STARPU_PERF_MODEL_DIR) has the description of the machine: the run leaves it there. */
#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef SINO_SIMGRID
enum { SIMULATES = 1 };
int starpu_main(int argument_count, char **arguments); /* called by the main function of StarPU's library */
#define main starpu_main
#else
enum { SIMULATES = 0 };
#endif

enum { CHAINS = 7, LENGTH = 40, TASKS = CHAINS * LENGTH, ELEMENTS = 20000, PASSES = 200 };

static double task_us[TASKS];

static void work(void *buffers[], void *argument)
{
    double *x = (double *)STARPU_VECTOR_GET_PTR(buffers[0]);
    (void)argument;
    for (int pass = 0; pass < PASSES; pass++)
        for (int i = 0; i < ELEMENTS; i++) x[i] = x[i] * 0.999 + 1e-3;
}

/* StarPU's question in a simulation, of policies and of the simulation. */
static double cost_us(struct starpu_task *task, struct starpu_perfmodel_arch *arch, unsigned variant)
{
    (void)arch, (void)variant;
    return *(const double *)task->callback_arg;
}

/* StarPU's callback as a task ends. */
static void ended(void *time_us)
{
    struct starpu_profiling_task_info *info = starpu_task_get_current()->profiling_info;
    if (!SIMULATES) *(double *)time_us = starpu_timing_timespec_delay_us(&info->start_time, &info->end_time);
}

static struct starpu_perfmodel model = {.type = SIMULATES ? STARPU_PER_ARCH : STARPU_HISTORY_BASED,
                                        .symbol = "toy_graph",
                                        .arch_cost_function = SIMULATES ? cost_us : NULL};
static struct starpu_codelet codelet = {
    .cpu_funcs = {work}, .nbuffers = 1, .modes = {STARPU_RW}, .model = &model, .name = "work"};

static int submit(starpu_data_handle_t vector, double *time_us)
{
    struct starpu_task *task = starpu_task_create();
    task->cl = &codelet;
    task->handles[0] = vector;
    task->callback_func = ended;
    task->callback_arg = time_us;
    return starpu_task_submit(task);
}

/* The makespan in µs; negative: StarPU took no task. */
static double run(starpu_data_handle_t vector[CHAINS])
{
    const double begin = starpu_timing_now();
    for (int i = 0; i < TASKS; i++)
        if (submit(vector[i % CHAINS], &task_us[i]) != 0) return -1;
    starpu_task_wait_for_all();
    return starpu_timing_now() - begin;
}

/* The first run is for StarPU's models and for the pages of the vectors. */
static double measure(void)
{
    static double element[CHAINS][ELEMENTS];
    starpu_data_handle_t vector[CHAINS];
    for (int i = 0; i < CHAINS; i++)
        starpu_vector_data_register(&vector[i], STARPU_MAIN_RAM, (uintptr_t)element[i], ELEMENTS, sizeof **element);
    starpu_profiling_status_set(STARPU_PROFILING_ENABLE);
    if (!SIMULATES) (void)run(vector);
    const double makespan_us = run(vector);
    for (int i = 0; i < CHAINS; i++) starpu_data_unregister(vector[i]);
    return makespan_us;
}

static double mean_us(void)
{
    double sum = 0;
    for (int i = 0; i < TASKS; i++) sum += task_us[i];
    return sum / TASKS;
}

static int read_times(const char *path, int all_mean)
{
    FILE *in = fopen(path, "r");
    char line[64], *end = line;
    int count = 0;
    while (in && count < TASKS && fgets(line, sizeof line, in)) {
        task_us[count] = strtod(line, &end);
        if (end == line) break;
        count++;
    }
    if (in) fclose(in);
    const double mean = mean_us();
    for (int i = 0; all_mean && i < TASKS; i++) task_us[i] = mean;
    return count == TASKS;
}

static int write_times(const char *path)
{
    FILE *out = fopen(path, "w");
    for (int i = 0; out && i < TASKS; i++) fprintf(out, "%.9g\n", task_us[i]);
    return out && fclose(out) == 0;
}

int main(int argument_count, char **arguments)
{
    struct starpu_conf conf;
    const int all_mean = argument_count == 4 && strcmp(arguments[3], "mean") == 0;
    if (argument_count != 3 && !all_mean) return fprintf(stderr, "usage: toy_graph POLICY TIMES [mean]\n"), 2;
    if (SIMULATES && !read_times(arguments[2], all_mean))
        return fprintf(stderr, "toy_graph: %s does not have %d times\n", arguments[2], TASKS), 2;
    if (starpu_conf_init(&conf) != 0) return 1;
    conf.sched_policy_name = arguments[1];
    conf.calibrate = !SIMULATES;
    if (starpu_init(&conf) != 0) return 1;
    const double makespan_us = measure();
    if (makespan_us < 0 || (!SIMULATES && !write_times(arguments[2]))) return 1;
    printf("%u %.3f %.4f\n", starpu_worker_get_count(), makespan_us / 1e3, mean_us() / 1e3);
    starpu_shutdown();
    return 0;
}
