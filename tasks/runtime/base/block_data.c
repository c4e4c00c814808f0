/* SPDX-License-Identifier: BSD-3-Clause */
/* Block data: a StarPU data interface of blocks of A, whose devices have the lists only.
 *
 * Nodes of main memory share one address space, so a copy between two of them copies pointers only. */
#include "block_data.h"

#include "runtime_private.h"

#include <errno.h>
#include <inttypes.h>

/* StarPU 1.3 and 1.4 give the home node different types. */
#ifdef SINO_STARPU_SIGNED_HOME_NODE
typedef int HomeNode;
#else
typedef unsigned HomeNode;
#endif

static bool is_main(unsigned node)
{
    return starpu_node_get_kind(node) == STARPU_CPU_RAM;
}

static SinoBlockInterface *on_node(starpu_data_handle_t handle, unsigned node)
{
    return starpu_data_get_interface_on_node(handle, node);
}

static void register_handle(starpu_data_handle_t handle, HomeNode home, void *data_interface)
{
    for (unsigned node = 0; node < STARPU_MAXNODES; node++) {
        SinoBlockInterface *local = on_node(handle, node);
        *local = *(const SinoBlockInterface *)data_interface;
        if (node == (unsigned)home) continue;
        local->block = NULL;
        local->lists = 0;
    }
}

static starpu_ssize_t allocate(void *data_interface, unsigned node)
{
    SinoBlockInterface *local = data_interface;
    if (is_main(node)) return 0;
    local->lists = starpu_malloc_on_node(node, (size_t)local->room_bytes);
    return local->lists ? (starpu_ssize_t)local->room_bytes : -ENOMEM;
}

static void release(void *data_interface, unsigned node)
{
    SinoBlockInterface *local = data_interface;
    if (!is_main(node)) starpu_free_on_node(node, local->lists, (size_t)local->room_bytes);
    local->block = NULL;
    local->lists = 0;
}

static int copy(void *from_interface, unsigned from_node, void *to_interface, unsigned to_node, void *progress)
{
    const SinoBlockInterface *from = from_interface;
    SinoBlockInterface *to = to_interface;
    to->header = from->header;
    if (!is_main(to_node))
        return starpu_interface_copy(from->lists, 0, from_node, to->lists, 0, to_node, (size_t)from->lists_bytes,
                                     progress);
    /* Block data are read-only, so nothing is ever copied back to main memory. */
    if (!is_main(from_node)) return -EINVAL;
    to->block = from->block;
    to->lists = from->lists;
    return 0;
}

static const struct starpu_data_copy_methods copy_methods = {.any_to_any = copy};

static void *to_pointer(void *data_interface, unsigned node)
{
    const SinoBlockInterface *local = data_interface;
    return is_main(node) ? (void *)(uintptr_t)local->block : (void *)local->lists;
}

/* The bytes of one transfer. */
static size_t get_size(starpu_data_handle_t handle)
{
    return (size_t)on_node(handle, STARPU_MAIN_RAM)->lists_bytes;
}

static size_t get_room(starpu_data_handle_t handle)
{
    return (size_t)on_node(handle, STARPU_MAIN_RAM)->room_bytes;
}

static uint32_t hash(int64_t bytes)
{
    return starpu_hash_crc32c_be_n(&bytes, sizeof bytes, 0);
}

static uint32_t footprint(starpu_data_handle_t handle)
{
    return hash(on_node(handle, STARPU_MAIN_RAM)->lists_bytes);
}

static uint32_t room_footprint(starpu_data_handle_t handle)
{
    return hash(on_node(handle, STARPU_MAIN_RAM)->room_bytes);
}

static int compare(void *a, void *b)
{
    return ((const SinoBlockInterface *)a)->lists_bytes == ((const SinoBlockInterface *)b)->lists_bytes;
}

static int compare_room(void *a, void *b)
{
    return ((const SinoBlockInterface *)a)->room_bytes == ((const SinoBlockInterface *)b)->room_bytes;
}

static void display(starpu_data_handle_t handle, FILE *file)
{
    const SinoBlockInterface *local = on_node(handle, STARPU_MAIN_RAM);
    fprintf(file, "block %" PRId64 " lists %" PRId64 "\t", local->block_bytes, local->lists_bytes);
}

static starpu_ssize_t describe(void *data_interface, char *text, size_t size)
{
    const SinoBlockInterface *local = data_interface;
    return snprintf(text, size, "A%" PRId64, local->lists_bytes);
}

static struct starpu_data_interface_ops operations = {.register_data_handle = register_handle,
                                                      .allocate_data_on_node = allocate,
                                                      .free_data_on_node = release,
                                                      .copy_methods = &copy_methods,
                                                      .to_pointer = to_pointer,
                                                      .get_size = get_size,
                                                      .get_alloc_size = get_room,
                                                      .footprint = footprint,
                                                      .alloc_footprint = room_footprint,
                                                      .compare = compare,
                                                      .alloc_compare = compare_room,
                                                      .display = display,
                                                      .describe = describe,
                                                      .interfaceid = STARPU_UNKNOWN_INTERFACE_ID,
                                                      .interface_size = sizeof(SinoBlockInterface),
                                                      .name = "SinoBlockInterface"};

SinoStatus sino_block_data_new(SinoRuntime *runtime, const char *name, const void *block, const void *lists,
                               int64_t room_bytes, SinoData **result)
{
    const SinoBlockHeader *header = block;
    const SinoGatherHeader *gather = lists;
    (void)runtime;
    if (operations.interfaceid == STARPU_UNKNOWN_INTERFACE_ID)
        operations.interfaceid = starpu_data_interface_get_next_id();
    SinoBlockInterface local = {.id = (int)operations.interfaceid,
                                .block = block,
                                .block_bytes = header->bytes,
                                .lists = (uintptr_t)lists,
                                .lists_bytes = gather->bytes,
                                .room_bytes = room_bytes,
                                .header = *gather};
    SINO_TRY(sino_data_describe(name, block, header->bytes, result));
    starpu_data_register(&(*result)->handle, STARPU_MAIN_RAM, &local, &operations);
    starpu_data_set_name((*result)->handle, name);
    return NULL;
}
