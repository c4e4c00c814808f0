/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared code: SMPI writes a file for each rank, and loads it. Of two files the system shares no pages. */
#include "simulation_private.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct SharedCode {
    int file, error; /* error: errno of the first mapping that failed, or 0 */
} SharedCode;

static bool contains(const struct dl_phdr_info *object, const ElfW(Phdr) * segment, uintptr_t address)
{
    const uintptr_t begin = object->dlpi_addr + segment->p_vaddr;
    return segment->p_type == PT_LOAD && address >= begin && address < begin + segment->p_memsz;
}

/* The pages of a segment that is only read, as the loader has mapped them. */
static bool map_segment(const struct dl_phdr_info *object, const ElfW(Phdr) * segment, int file)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), begin = object->dlpi_addr + segment->p_vaddr;
    const uintptr_t before = begin % page;
    const int access = PROT_READ | (segment->p_flags & PF_X ? PROT_EXEC : 0);
    return mmap((void *)(begin - before), segment->p_filesz + before, access, MAP_PRIVATE | MAP_FIXED, file,
                (off_t)(segment->p_offset - before)) != MAP_FAILED;
}

/* Called for each object; ends at the one with this function. */
static int map_object(struct dl_phdr_info *object, size_t bytes, void *argument)
{
    SharedCode *of = argument;
    bool own = false;
    (void)bytes;
    for (int i = 0; i < object->dlpi_phnum; i++)
        own = own || contains(object, &object->dlpi_phdr[i], (uintptr_t)map_object);
    for (int i = 0; own && i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *const segment = &object->dlpi_phdr[i];
        if (segment->p_type != PT_LOAD || segment->p_flags & PF_W) continue;
        if (!map_segment(object, segment, of->file) && of->error == 0) of->error = errno;
    }
    return own;
}

SinoStatus sino_shared_code_map(const char *path)
{
    SharedCode of = {.file = open(path, O_RDONLY | O_CLOEXEC)};
    SINO_CHECK(of.file >= 0, SINO_FAILED, "%s cannot be read: %s", path, strerror(errno));
    (void)dl_iterate_phdr(map_object, &of);
    (void)close(of.file);
    SINO_CHECK(of.error == 0, SINO_FAILED, "%s cannot be mapped: %s", path, strerror(of.error));
    return NULL;
}
