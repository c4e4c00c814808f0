/* SPDX-License-Identifier: BSD-3-Clause */
/* SIMT host: threads of a block as fibers that take turns, on one thread of the host. */
#include "simt_host.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#ifndef __x86_64__
#include <ucontext.h>
#endif

#ifdef SIMT_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

uint3 threadIdx, blockIdx;
dim3 blockDim, gridDim;

namespace
{

enum { THREADS_MAX = 1024, GUARD = 4096, CANARY_BYTES = 64, COLOUR = 128 };
enum : unsigned char { CANARY = 0xa5, UNDEFINED = 0xff };
const size_t stack_bytes = 256 << 10, shared_bytes_max = SIMT_SHARED_BYTES;

enum State : unsigned char { READY, AT_BARRIER, IN_WARP, RETURNED };

/* A copy that a thread has asked for and not waited for. */
struct Copy {
    void *to;
    const void *from;
    size_t bytes;
    Copy *next;
};

struct Fiber {
    uint3 index;
    int line; /* of the barrier */
    int vote;
    uint32_t mask;
    void *data;
    void (*resolve)(void *const *lane_data);
    Copy *first_copy, *last_copy;
    int groups; /* committed, not waited for */
    char *stack;
#ifdef __x86_64__
    void *stack_pointer;
#else
    ucontext_t context;
#endif
#ifdef SIMT_ASAN
    void *fake_stack;
#endif
};

struct Machine {
    SimtOrder order = SIMT_RANDOM;
    uint64_t random = 1;
    Fiber *fibers, *current;
    Copy *unused_copies;
    State state[THREADS_MAX];                  /* of the fibers: together, as each turn looks at all of them */
    uint32_t in_warp[THREADS_MAX / SIMT_WARP]; /* of each warp: lanes that are IN_WARP */
    char *stacks;
    unsigned thread_count;
    uint64_t block; /* blocks run so far, of all launches */
    char *shared;
    void (*thread)(void *closure);
    void *closure;
    int vote; /* of the last barrier */
    bool failed;
    char fault[256];
#ifdef __x86_64__
    void *stack_pointer; /* of the scheduler */
#else
    ucontext_t context;
#endif
#ifdef SIMT_ASAN
    void *fake_stack;
    const void *stack_bottom;
    size_t stack_size;
#endif
} machine;

} // namespace

extern "C" void simt_set_order(SimtOrder order, uint64_t seed)
{
    machine.order = order;
    machine.random = seed * 2 + 1;
}

/* xorshift64*, by Vigna. */
static uint64_t random_below(unsigned bound)
{
    uint64_t x = machine.random;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    machine.random = x;
    return (x * 0x2545f4914f6cdd1dULL >> 32) * bound >> 32;
}

/* 0 … count − 1 in the order that was chosen. */
static void arrange(unsigned count, unsigned *order)
{
    for (unsigned i = 0; i < count; i++) order[i] = machine.order == SIMT_DESCENDING ? count - 1 - i : i;
    if (machine.order != SIMT_RANDOM) return;
    for (unsigned i = count; i > 1; i--) {
        const unsigned j = static_cast<unsigned>(random_below(i)), swapped = order[i - 1];
        order[i - 1] = order[j];
        order[j] = swapped;
    }
}

/* The first fault stays. */
__attribute__((format(printf, 1, 2))) static void fail(const char *format, ...)
{
    if (machine.failed) return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(machine.fault, sizeof machine.fault, format, arguments);
    va_end(arguments);
    machine.failed = true;
}

#ifdef __x86_64__
/* Keeps what a call preserves on the stack, leaves its address in *keep and goes on with another stack's. */
asm(R"(
.text
.type simt_switch, @function
simt_switch:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
.size simt_switch, .-simt_switch
)");
extern "C" void simt_switch(void **keep, void *stack_pointer);
#endif

static unsigned current_number()
{
    return static_cast<unsigned>(machine.current - machine.fibers);
}

/* From the fiber that runs back to the scheduler. */
static void leave(bool for_good)
{
    Fiber *const fiber = machine.current;
#ifdef SIMT_ASAN
    __sanitizer_start_switch_fiber(for_good ? nullptr : &fiber->fake_stack, machine.stack_bottom, machine.stack_size);
#else
    (void)for_good;
#endif
#ifdef __x86_64__
    simt_switch(&fiber->stack_pointer, machine.stack_pointer);
#else
    swapcontext(&fiber->context, &machine.context);
#endif
#ifdef SIMT_ASAN
    __sanitizer_finish_switch_fiber(fiber->fake_stack, nullptr, nullptr);
#endif
}

static void live()
{
#ifdef SIMT_ASAN
    __sanitizer_finish_switch_fiber(nullptr, &machine.stack_bottom, &machine.stack_size);
#endif
    machine.thread(machine.closure);
    machine.state[current_number()] = RETURNED;
    leave(true);
    abort();
}

static void resume(Fiber *fiber)
{
    machine.current = fiber;
    threadIdx = fiber->index;
#ifdef SIMT_ASAN
    __sanitizer_start_switch_fiber(&machine.fake_stack, fiber->stack, stack_bytes);
#endif
#ifdef __x86_64__
    simt_switch(&machine.stack_pointer, fiber->stack_pointer);
#else
    swapcontext(&machine.context, &fiber->context);
#endif
#ifdef SIMT_ASAN
    __sanitizer_finish_switch_fiber(machine.fake_stack, nullptr, nullptr);
#endif
}

/* A fiber that begins at `live`. */
static void prepare(Fiber *fiber, unsigned number)
{
    char *const stack = fiber->stack;
    *fiber = Fiber{};
    fiber->stack = stack;
    fiber->index = {number % blockDim.x, number / blockDim.x % blockDim.y, number / blockDim.x / blockDim.y};
#ifdef __x86_64__
    /* Stacks that began at the same place of their pages would share few lines of the processor's cache. */
    void **top = reinterpret_cast<void **>(stack + stack_bytes - number % 32 * COLOUR);
    *--top = nullptr; /* where `live` would return to; keeps the stack aligned */
    *--top = reinterpret_cast<void *>(live);
    fiber->stack_pointer = top - 6; /* six registers */
    memset(fiber->stack_pointer, 0, 6 * sizeof(void *));
#else
    getcontext(&fiber->context);
    fiber->context.uc_stack.ss_sp = stack;
    fiber->context.uc_stack.ss_size = stack_bytes;
    fiber->context.uc_link = nullptr;
    makecontext(&fiber->context, live, 0);
#endif
}

static void make_fibers()
{
    if (machine.fibers) return;
    const size_t each = stack_bytes + GUARD;
    machine.fibers = static_cast<Fiber *>(calloc(THREADS_MAX, sizeof(Fiber)));
    void *const stacks = mmap(nullptr, THREADS_MAX * each, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (!machine.fibers || stacks == MAP_FAILED) {
        perror("stacks of fibers");
        abort();
    }
    machine.stacks = static_cast<char *>(stacks);
    for (int i = 0; i < THREADS_MAX; i++) {
        char *const stack = machine.stacks + static_cast<size_t>(i) * each;
        mprotect(stack, GUARD, PROT_NONE);
        machine.fibers[i].stack = stack + GUARD;
    }
}

/* Waits in this state until the scheduler, or the last lane, has set it back. */
static void wait_in(State state)
{
    machine.state[current_number()] = state;
    leave(false);
}

int __syncthreads_or(int predicate, int line)
{
    machine.current->line = line;
    machine.current->vote = predicate;
    wait_in(AT_BARRIER);
    return machine.vote;
}

void __syncthreads(int line)
{
    __syncthreads_or(0, line);
}

int simt_lane()
{
    return static_cast<int>(current_number() % SIMT_WARP);
}

/* Whether the lanes of the mask, which all are IN_WARP, wait for each other. */
static bool all_came(const Fiber *warp, uint32_t mask, void (*resolve)(void *const *lane_data))
{
    for (int lane = 0; lane < SIMT_WARP; lane++)
        if (mask >> lane & 1 && (warp[lane].mask != mask || warp[lane].resolve != resolve)) return false;
    return true;
}

void simt_together(uint32_t mask, void *mine, void (*resolve)(void *const *lane_data))
{
    Fiber *const fiber = machine.current, *const warp = fiber - simt_lane();
    uint32_t *const in_warp = &machine.in_warp[current_number() / SIMT_WARP];
    if (!(mask >> simt_lane() & 1)) fail("a warp's function whose mask %08x leaves out lane %d", mask, simt_lane());
    fiber->mask = mask;
    fiber->data = mine;
    fiber->resolve = resolve;
    machine.state[current_number()] = IN_WARP;
    *in_warp |= 1u << simt_lane();
    if ((*in_warp & mask) != mask || !all_came(warp, mask, resolve)) {
        leave(false);
        return;
    }
    void *lane_data[SIMT_WARP] = {};
    for (int lane = 0; lane < SIMT_WARP; lane++)
        if (mask >> lane & 1) lane_data[lane] = warp[lane].data;
    resolve(lane_data);
    State *const state = &machine.state[warp - machine.fibers];
    for (int lane = 0; lane < SIMT_WARP; lane++)
        if (mask >> lane & 1) state[lane] = READY;
    *in_warp &= ~mask;
}

namespace
{
struct Vote {
    int predicate;
    unsigned ballot;
};
} // namespace

static void count_votes(void *const *lane_data)
{
    unsigned ballot = 0;
    for (int lane = 0; lane < SIMT_WARP; lane++) {
        const Vote *const vote = static_cast<const Vote *>(lane_data[lane]);
        if (vote && vote->predicate) ballot |= 1u << lane;
    }
    for (int lane = 0; lane < SIMT_WARP; lane++)
        if (lane_data[lane]) static_cast<Vote *>(lane_data[lane])->ballot = ballot;
}

unsigned __ballot_sync(unsigned mask, int predicate)
{
    Vote mine = {predicate, 0};
    simt_together(mask, &mine, count_votes);
    return mine.ballot;
}

namespace
{
struct Ldmatrix {
    const void *row;
    unsigned *fragment;
    bool transposed;
};

struct Mma {
    float *c;
    const unsigned *a, *b;
};
} // namespace

static void load_matrices(void *const *lane_data)
{
    const Ldmatrix *lane[SIMT_WARP];
    for (int l = 0; l < SIMT_WARP; l++) lane[l] = static_cast<const Ldmatrix *>(lane_data[l]);
    for (int m = 0; m < 4; m++) {
        unsigned short matrix[8][8];
        for (int row = 0; row < 8; row++) memcpy(matrix[row], lane[8 * m + row]->row, sizeof matrix[row]);
        for (int l = 0; l < SIMT_WARP; l++) {
            const int major = l / 4, minor = 2 * (l % 4);
            const unsigned low = lane[0]->transposed ? matrix[minor][major] : matrix[major][minor];
            const unsigned high = lane[0]->transposed ? matrix[minor + 1][major] : matrix[major][minor + 1];
            lane[l]->fragment[m] = low | high << 16;
        }
    }
}

void simt_ldmatrix(unsigned *fragment, bool transposed, const void *row)
{
    Ldmatrix mine = {row, fragment, transposed};
    if (reinterpret_cast<uintptr_t>(row) % 16) fail("ldmatrix of a row that is not aligned to 16 bytes");
    simt_together(0xffffffffu, &mine, load_matrices);
}

static double half_of(unsigned pair, int which)
{
    return static_cast<double>(sino_half_value(static_cast<SinoHalf>(pair >> 16 * which)));
}

/* Elements of A, B and C as PTX numbers them: register i/2, half i%2 of A and B. */
static void multiply_matrices(void *const *lane_data)
{
    double a[16][16], b[16][8];
    for (int l = 0; l < SIMT_WARP; l++) {
        const Mma *const mine = static_cast<const Mma *>(lane_data[l]);
        const int group = l / 4, in_group = l % 4;
        for (int i = 0; i < 8; i++)
            a[group + 8 * (i / 2 % 2)][2 * in_group + i % 2 + 8 * (i / 4)] = half_of(mine->a[i / 2], i % 2);
        for (int i = 0; i < 4; i++) b[2 * in_group + i % 2 + 8 * (i / 2)][group] = half_of(mine->b[i / 2], i % 2);
    }
    for (int l = 0; l < SIMT_WARP; l++)
        for (int i = 0; i < 4; i++) {
            float *const c = &static_cast<Mma *>(lane_data[l])->c[i];
            double sum = static_cast<double>(*c);
            for (int k = 0; k < 16; k++) sum += a[l / 4 + 8 * (i / 2)][k] * b[k][2 * (l % 4) + i % 2];
            *c = static_cast<float>(sum);
        }
}

void sino_mma_16816(float (&c)[4], const unsigned (&a)[4], const unsigned (&b)[2])
{
    Mma mine = {c, a, b};
    simt_together(0xffffffffu, &mine, multiply_matrices);
}

char *simt_dynamic_shared()
{
    return machine.shared;
}

void simt_begin_shared(uint64_t *block, void *memory, size_t bytes)
{
    if (*block == machine.block) return;
    *block = machine.block;
    memset(memory, UNDEFINED, bytes);
}

/* For the next one. */
static void put_away(Copy *copy)
{
    copy->next = machine.unused_copies;
    machine.unused_copies = copy;
}

/* Open copies of a thread are a list; NULL destinations end groups. */
static void append_copy(void *to, const void *from, size_t bytes)
{
    Copy *const copy = machine.unused_copies ? machine.unused_copies : static_cast<Copy *>(malloc(sizeof *copy));
    if (!copy) abort();
    if (copy == machine.unused_copies) machine.unused_copies = copy->next;
    *copy = {to, from, bytes, nullptr};
    Fiber *const fiber = machine.current;
    if (fiber->last_copy)
        fiber->last_copy->next = copy;
    else
        fiber->first_copy = copy;
    fiber->last_copy = copy;
}

void simt_copy_async(void *shared, const void *global, size_t bytes)
{
    if ((reinterpret_cast<uintptr_t>(shared) | reinterpret_cast<uintptr_t>(global)) % bytes)
        fail("an asynchronous copy of %d bytes between addresses that are not aligned to it", static_cast<int>(bytes));
    memset(shared, UNDEFINED, bytes);
    append_copy(shared, global, bytes);
}

void sino_copy_async_commit()
{
    append_copy(nullptr, nullptr, 0);
    machine.current->groups++;
}

void simt_copy_async_wait(int left)
{
    Fiber *const fiber = machine.current;
    while (fiber->groups > left) {
        Copy *const copy = fiber->first_copy;
        if (copy->to)
            memcpy(copy->to, copy->from, copy->bytes);
        else
            fiber->groups--;
        fiber->first_copy = copy->next;
        if (!copy->next) fiber->last_copy = nullptr;
        put_away(copy);
    }
}

static void drop_copies(Fiber *fiber)
{
    if (fiber->first_copy) fail("a thread returned with asynchronous copies that nothing waited for");
    for (Copy *copy = fiber->first_copy, *next; copy; copy = next) {
        next = copy->next;
        put_away(copy);
    }
}

/* When every thread waits at the same barrier, lets them on. Else what they wait for will never come. */
static bool open_barrier()
{
    unsigned waiting = 0, in_warp = 0;
    const int line = machine.fibers[0].line;
    bool same = true;
    machine.vote = 0;
    for (unsigned i = 0; i < machine.thread_count; i++) {
        const Fiber *const fiber = &machine.fibers[i];
        waiting += machine.state[i] == AT_BARRIER;
        in_warp += machine.state[i] == IN_WARP;
        same = same && (machine.state[i] != AT_BARRIER || fiber->line == line);
        machine.vote |= fiber->vote != 0;
    }
    if (in_warp) fail("%u threads wait for other lanes of their warps that do not come", in_warp);
    if (waiting < machine.thread_count)
        fail("a barrier that %u of %u threads do not reach", machine.thread_count - waiting, machine.thread_count);
    if (!same) fail("threads of a block at different barriers");
    memset(machine.state, READY, machine.thread_count);
    return !machine.failed;
}

/* Every thread that can run does, until it waits or returns. How many have returned. */
static unsigned run_turn(bool *progress)
{
    static unsigned order[THREADS_MAX];
    unsigned returned = 0;
    arrange(machine.thread_count, order);
    for (unsigned i = 0; i < machine.thread_count && !machine.failed; i++) {
        const unsigned number = order[i];
        if (machine.state[number] == READY) {
            *progress = true;
            resume(&machine.fibers[number]);
        }
        returned += machine.state[number] == RETURNED;
    }
    return returned;
}

static void run_block()
{
    machine.block++;
    memset(machine.state, READY, machine.thread_count);
    memset(machine.in_warp, 0, sizeof machine.in_warp);
    for (unsigned i = 0; i < machine.thread_count; i++) prepare(&machine.fibers[i], i);
    while (!machine.failed) {
        bool progress = false;
        if (run_turn(&progress) == machine.thread_count) break;
        if (!progress && !open_barrier()) break;
    }
    for (unsigned i = 0; i < machine.thread_count; i++) drop_copies(&machine.fibers[i]);
}

static bool sizes_allowed(dim3 blocks, dim3 threads, size_t shared_bytes)
{
    const uint64_t count = static_cast<uint64_t>(threads.x) * threads.y * threads.z;
    if (count < 1 || count > THREADS_MAX || threads.z > 64)
        fail("%llu threads in a block; allowed: 1 to %d", static_cast<unsigned long long>(count), THREADS_MAX);
    if (!blocks.x || !blocks.y || !blocks.z || blocks.x > 0x7fffffffu || blocks.y > 0xffff || blocks.z > 0xffff)
        fail("%u x %u x %u blocks; allowed: 1 to 2147483647 x 65535 x 65535", blocks.x, blocks.y, blocks.z);
    if (shared_bytes > shared_bytes_max)
        fail("%llu bytes of shared memory; allowed: %llu", static_cast<unsigned long long>(shared_bytes),
             static_cast<unsigned long long>(shared_bytes_max));
    return !machine.failed;
}

static void run_blocks(dim3 blocks, size_t shared_bytes)
{
    const unsigned count = blocks.x * blocks.y * blocks.z;
    unsigned *const order = static_cast<unsigned *>(calloc(count, sizeof *order));
    if (!order) abort();
    arrange(count, order);
    for (unsigned i = 0; i < count && !machine.failed; i++) {
        blockIdx = {order[i] % blocks.x, order[i] / blocks.x % blocks.y, order[i] / blocks.x / blocks.y};
        memset(machine.shared, UNDEFINED, shared_bytes);
        memset(machine.shared + shared_bytes, CANARY, CANARY_BYTES);
        run_block();
        for (int c = 0; c < CANARY_BYTES; c++)
            if (static_cast<unsigned char>(machine.shared[shared_bytes + static_cast<size_t>(c)]) != CANARY)
                fail("a write beyond the dynamic shared memory");
    }
    free(order);
}

/* Fibers that were left in the middle of a function have told the sanitizer of its variables. */
static void forget_stacks()
{
#ifdef SIMT_ASAN
    if (machine.failed && machine.fibers)
        __asan_unpoison_memory_region(machine.stacks, THREADS_MAX * (stack_bytes + GUARD));
#endif
}

const char *simt_run(dim3 blocks, dim3 threads, size_t shared_bytes, void (*thread)(void *closure), void *closure)
{
    forget_stacks();
    machine.failed = false;
    if (!sizes_allowed(blocks, threads, shared_bytes)) return machine.fault;
    make_fibers();
    machine.shared = static_cast<char *>(aligned_alloc(128, (shared_bytes + CANARY_BYTES + 127) / 128 * 128));
    if (!machine.shared) abort();
    machine.thread = thread;
    machine.closure = closure;
    machine.thread_count = threads.x * threads.y * threads.z;
    blockDim = threads;
    gridDim = blocks;
    run_blocks(blocks, shared_bytes);
    free(machine.shared);
    return machine.failed ? machine.fault : nullptr;
}

/* Only words that could be addresses of mapped memory are looked at: sizes and counts are far smaller. */
const void *simt_host_address(const void *argument, size_t bytes)
{
    const uintptr_t least = uintptr_t(1) << 44, end = uintptr_t(1) << 47, page_bytes = 4096;
    for (size_t i = 0; i + sizeof(uintptr_t) <= bytes; i += sizeof(uintptr_t)) {
        uintptr_t word;
        unsigned char resident;
        memcpy(&word, static_cast<const char *>(argument) + i, sizeof word);
        void *const page = reinterpret_cast<void *>(word & ~uintptr_t(page_bytes - 1));
        if (word < least || word >= end || word % 4 != 0 || simt_is_device(reinterpret_cast<void *>(word))) continue;
        if (mincore(page, 1, &resident) == 0) return reinterpret_cast<void *>(word);
    }
    return nullptr;
}
