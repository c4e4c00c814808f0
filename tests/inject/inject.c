/* SPDX-License-Identifier: BSD-3-Clause */
/* Inject: a library for LD_PRELOAD that makes calls of the program fail as the system would.
 *
 *     SINODAG_INJECT=alloc:N    the Nth allocation of memory fails
 *     SINODAG_INJECT=io:N       the Nth call that opens, reads, writes, syncs, resizes, maps or renames a file fails
 *     SINODAG_INJECT=alloc:N+   … and so does every later one
 *     SINODAG_INJECT=alloc:0    none fails
 *     SINODAG_INJECT_COUNT=FILE at the end, the number of such calls is written to FILE
 *     SINODAG_INJECT_ALL=1      calls of libraries count, too; else those of the program itself
 *
 * Calls are counted from main() on, in the order in which the threads make them. Writing to stdout and stderr never
 * fails. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { NOTHING, ALLOCATION, INPUT_OUTPUT };

static uintptr_t program_begin, program_end;
static int kind;
static bool onwards, everyone, ready;
static long target;
static atomic_long count;

/* The program comes first. */
static int find_program(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size, (void)unused;
    program_begin = info->dlpi_addr;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const uintptr_t end = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz;
        if (info->dlpi_phdr[i].p_type == PT_LOAD && end > program_end) program_end = end;
    }
    return 1;
}

__attribute__((constructor)) static void begin(void)
{
    const char *wanted = getenv("SINODAG_INJECT");
    if (!wanted) return;
    dl_iterate_phdr(find_program, NULL);
    kind = strncmp(wanted, "alloc:", 6) == 0 ? ALLOCATION : strncmp(wanted, "io:", 3) == 0 ? INPUT_OUTPUT : NOTHING;
    const char *number = strchr(wanted, ':');
    target = number ? strtol(number + 1, NULL, 10) : 0;
    onwards = strchr(wanted, '+') != NULL;
    everyone = getenv("SINODAG_INJECT_ALL") != NULL;
}

__attribute__((destructor)) static void end(void)
{
    const char *path = getenv("SINODAG_INJECT_COUNT");
    ready = false;
    FILE *file = path ? fopen(path, "w") : NULL;
    if (!file) return;
    fprintf(file, "%ld\n", atomic_load(&count));
    fclose(file);
}

#define REAL(name)                                                                                                     \
    static __typeof__(name) *real;                                                                                     \
    if (!real) real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

/* What runs before main() is not the program's own: CUDA's runtime, which is linked into the program, registers kernels
 * there and ends by SIGSEGV if an allocation fails. */
static int (*program_main)(int, char **, char **);

static int main_of_program(int argc, char **argv, char **environment)
{
    ready = kind != NOTHING;
    return program_main(argc, argv, environment);
}

int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv, void (*init)(void), void (*fini)(void),
                      void (*rtld_fini)(void), void *stack_end)
{
    REAL(__libc_start_main);
    program_main = main;
    return real(main_of_program, argc, argv, init, fini, rtld_fini, stack_end);
}

/* Whether this call shall fail. */
static bool fails(int of, const void *caller)
{
    const uintptr_t from = (uintptr_t)caller;
    if (!ready || of != kind || (!everyone && (from < program_begin || from >= program_end))) return false;
    const long number = atomic_fetch_add(&count, 1) + 1;
    return number == target || (onwards && target > 0 && number > target);
}

#define FAIL_IF(of, error_number, result)                                                                              \
    if (fails(of, __builtin_return_address(0))) {                                                                      \
        errno = error_number;                                                                                          \
        return result;                                                                                                 \
    }

/* ---- allocations; dlsym allocates, so that these call the C library by its own names ---- */

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

void *malloc(size_t size)
{
    FAIL_IF(ALLOCATION, ENOMEM, NULL)
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size)
{
    FAIL_IF(ALLOCATION, ENOMEM, NULL)
    return __libc_calloc(number, size);
}

void *realloc(void *memory, size_t size)
{
    FAIL_IF(ALLOCATION, ENOMEM, NULL)
    return __libc_realloc(memory, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    FAIL_IF(ALLOCATION, ENOMEM, NULL)
    return __libc_memalign(alignment, size);
}

char *strdup(const char *text)
{
    FAIL_IF(ALLOCATION, ENOMEM, NULL)
    const size_t size = strlen(text) + 1;
    char *copy = __libc_malloc(size);
    return copy ? memcpy(copy, text, size) : NULL;
}

int vasprintf(char **text, const char *format, va_list list)
{
    REAL(vasprintf);
    FAIL_IF(ALLOCATION, ENOMEM, -1)
    return real(text, format, list);
}

int asprintf(char **text, const char *format, ...)
{
    va_list list;
    FAIL_IF(ALLOCATION, ENOMEM, -1)
    static __typeof__(vasprintf) *real;
    if (!real) real = (__typeof__(vasprintf) *)dlsym(RTLD_NEXT, "vasprintf");
    va_start(list, format);
    const int length = real(text, format, list);
    va_end(list);
    return length;
}

FILE *open_memstream(char **text, size_t *size)
{
    REAL(open_memstream);
    FAIL_IF(ALLOCATION, ENOMEM, NULL)
    return real(text, size);
}

FILE *fopencookie(void *cookie, const char *mode, cookie_io_functions_t functions)
{
    REAL(fopencookie);
    FAIL_IF(ALLOCATION, ENOMEM, NULL)
    return real(cookie, mode, functions);
}

/* ---- files; programs with 64-bit offsets call the functions that end in 64 ---- */

#define OPEN(name)                                                                                                     \
    int name(const char *path, int flags, ...)                                                                         \
    {                                                                                                                  \
        va_list list;                                                                                                  \
        va_start(list, flags);                                                                                         \
        const mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(list, mode_t) : 0;                                \
        va_end(list);                                                                                                  \
        REAL(name);                                                                                                    \
        FAIL_IF(INPUT_OUTPUT, EIO, -1)                                                                                 \
        return real(path, flags, mode);                                                                                \
    }

#define FOPEN(name)                                                                                                    \
    FILE *name(const char *path, const char *mode)                                                                     \
    {                                                                                                                  \
        REAL(name);                                                                                                    \
        FAIL_IF(INPUT_OUTPUT, EIO, NULL)                                                                               \
        return real(path, mode);                                                                                       \
    }

#define READ_AT(name, offset_type)                                                                                     \
    ssize_t name(int file, void *bytes, size_t size, offset_type offset)                                               \
    {                                                                                                                  \
        REAL(name);                                                                                                    \
        FAIL_IF(INPUT_OUTPUT, EIO, -1)                                                                                 \
        return real(file, bytes, size, offset);                                                                        \
    }

#define WRITE_AT(name, offset_type)                                                                                    \
    ssize_t name(int file, const void *bytes, size_t size, offset_type offset)                                         \
    {                                                                                                                  \
        REAL(name);                                                                                                    \
        FAIL_IF(INPUT_OUTPUT, ENOSPC, -1)                                                                              \
        return real(file, bytes, size, offset);                                                                        \
    }

#define RESIZE(name, offset_type)                                                                                      \
    int name(int file, offset_type size)                                                                               \
    {                                                                                                                  \
        REAL(name);                                                                                                    \
        FAIL_IF(INPUT_OUTPUT, EIO, -1)                                                                                 \
        return real(file, size);                                                                                       \
    }

#define RESERVE(name, offset_type)                                                                                     \
    int name(int file, int mode, offset_type offset, offset_type size)                                                 \
    {                                                                                                                  \
        REAL(name);                                                                                                    \
        FAIL_IF(INPUT_OUTPUT, ENOSPC, -1)                                                                              \
        return real(file, mode, offset, size);                                                                         \
    }

#define MAP(name, offset_type)                                                                                         \
    void *name(void *at, size_t size, int protection, int flags, int file, offset_type offset)                         \
    {                                                                                                                  \
        REAL(name);                                                                                                    \
        FAIL_IF(file >= 0 ? INPUT_OUTPUT : ALLOCATION, ENOMEM, MAP_FAILED)                                             \
        return real(at, size, protection, flags, file, offset);                                                        \
    }

OPEN(open)
OPEN(open64)
FOPEN(fopen)
FOPEN(fopen64)
READ_AT(pread, off_t)
READ_AT(pread64, off64_t)
WRITE_AT(pwrite, off_t)
WRITE_AT(pwrite64, off64_t)
RESIZE(ftruncate, off_t)
RESIZE(ftruncate64, off64_t)
RESERVE(fallocate, off_t)
RESERVE(fallocate64, off64_t)
MAP(mmap, off_t)
MAP(mmap64, off64_t)

ssize_t read(int file, void *bytes, size_t size)
{
    REAL(read);
    FAIL_IF(INPUT_OUTPUT, EIO, -1)
    return real(file, bytes, size);
}

ssize_t write(int file, const void *bytes, size_t size)
{
    REAL(write);
    if (file > STDERR_FILENO) FAIL_IF(INPUT_OUTPUT, ENOSPC, -1)
    return real(file, bytes, size);
}

int fsync(int file)
{
    REAL(fsync);
    FAIL_IF(INPUT_OUTPUT, EIO, -1)
    return real(file);
}

int rename(const char *from, const char *to)
{
    REAL(rename);
    FAIL_IF(INPUT_OUTPUT, EIO, -1)
    return real(from, to);
}

int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags)
{
    REAL(renameat2);
    FAIL_IF(INPUT_OUTPUT, EIO, -1)
    return real(from_folder, from, to_folder, to, flags);
}

int mkdir(const char *path, mode_t mode)
{
    REAL(mkdir);
    FAIL_IF(INPUT_OUTPUT, EIO, -1)
    return real(path, mode);
}
