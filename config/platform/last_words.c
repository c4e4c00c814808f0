/* SPDX-License-Identifier: BSD-3-Clause */
/* Last words: handlers of SIGABRT and SIGBUS. They call nothing but what POSIX allows in a handler. */
#include "ending.h"

#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

enum { FILES_MAX = 64, FAILED = 1 };

/* A mapped file. The handler takes no lock, so a file counts as long as its memory is set, and memory is set last. */
typedef struct Mapped {
    _Atomic(uintptr_t) memory; /* 0: a free place; 1: being filled */
    uintptr_t end;
    const char *path; /* not owned */
} Mapped;

static Mapped mapped[FILES_MAX];

static void say(const char *text)
{
    size_t left = strlen(text);
    while (left > 0) {
        const ssize_t written = write(STDERR_FILENO, text, left);
        if (written <= 0) return;
        text += written;
        left -= (size_t)written;
    }
}

static const char *file_at(uintptr_t address)
{
    for (int i = 0; i < FILES_MAX; i++) {
        const uintptr_t memory = atomic_load(&mapped[i].memory);
        if (memory > 1 && address >= memory && address < mapped[i].end) return mapped[i].path;
    }
    return "a mapped file";
}

static void end_here(void)
{
    say("; unfinished output has names that end in .partial\n");
    _exit(FAILED);
}

static void on_abort(int signal_number)
{
    (void)signal_number;
    if (sino_ending_has_begun()) /* another thread ends the process, and has said why */
        for (;;) pause();
    say("sinodag: a library stopped the run, perhaps for lack of memory; what it said, if anything, is above");
    end_here();
}

static void on_bus_error(int signal_number, siginfo_t *info, void *context)
{
    (void)signal_number;
    (void)context;
    say("sinodag: ");
    say(file_at((uintptr_t)info->si_addr));
    say(" became shorter, or cannot be read any more, while the run used it");
    end_here();
}

void sino_last_words_install(void)
{
    struct sigaction on_signal = {.sa_handler = on_abort, .sa_flags = SA_RESETHAND};
    sigaction(SIGABRT, &on_signal, NULL);
    on_signal = (struct sigaction){.sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO | SA_RESETHAND};
    sigaction(SIGBUS, &on_signal, NULL);
}

void sino_last_words_mapped(const void *memory, int64_t bytes, const char *path)
{
    for (int i = 0; i < FILES_MAX; i++) {
        uintptr_t unused = 0;
        if (!atomic_compare_exchange_strong(&mapped[i].memory, &unused, 1)) continue;
        mapped[i].end = (uintptr_t)memory + (uintptr_t)bytes;
        mapped[i].path = path;
        atomic_store(&mapped[i].memory, (uintptr_t)memory);
        return;
    }
}

void sino_last_words_unmapped(const void *memory)
{
    for (int i = 0; i < FILES_MAX; i++) {
        uintptr_t address = (uintptr_t)memory;
        if (atomic_compare_exchange_strong(&mapped[i].memory, &address, 0)) return;
    }
}
