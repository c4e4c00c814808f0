/* SPDX-License-Identifier: BSD-3-Clause */
/* Tar file: a head of a block for each file, then its bytes, filled up to whole blocks; two blocks of zeros end it. */
#include "tar_file.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

enum { BLOCK = 512 };
static const int64_t most_bytes = (INT64_C(1) << 33) - 1; /* eleven octal digits */

typedef struct Head {
    char name[100], mode[8], user[8], group[8], size[12], time[12], sum[8], type, link[100], magic[6], version[2],
        rest[247];
} Head;
_Static_assert(sizeof(Head) == BLOCK, "a head is a block");

static void print_head(FILE *out, const char *name, const struct stat *about)
{
    Head head = {.magic = "ustar", .version = {'0', '0'}, .type = '0'};
    unsigned sum = 0;
    const size_t length = strlen(name);
    assert(length < sizeof head.name);
    memcpy(head.name, name, length);
    snprintf(head.mode, sizeof head.mode, "%07o", 0644u);
    snprintf(head.user, sizeof head.user, "%07o", 0u);
    snprintf(head.group, sizeof head.group, "%07o", 0u);
    snprintf(head.size, sizeof head.size, "%011" PRIo64, (uint64_t)about->st_size);
    snprintf(head.time, sizeof head.time, "%011" PRIo64, (uint64_t)about->st_mtime & (uint64_t)most_bytes);
    memset(head.sum, ' ', sizeof head.sum);
    for (size_t i = 0; i < sizeof head; i++) sum += ((const unsigned char *)&head)[i];
    snprintf(head.sum, sizeof head.sum, "%06o", sum & 0777777u);
    fwrite(&head, sizeof head, 1, out);
}

static int64_t copy(FILE *in, FILE *out)
{
    char block[64 * BLOCK];
    int64_t bytes = 0;
    for (size_t got; (got = fread(block, 1, sizeof block, in)) > 0; bytes += (int64_t)got) fwrite(block, 1, got, out);
    for (int64_t filled = bytes; filled % BLOCK != 0; filled++) fputc(0, out);
    return bytes;
}

SinoStatus sino_tar_add(FILE *out, const char *name, const char *path)
{
    struct stat about;
    FILE *in = fopen(path, "re");
    SINO_CHECK(in, SINO_FAILED, "%s cannot be read: %s", path, strerror(errno));
    if (fstat(fileno(in), &about) != 0 || about.st_size > most_bytes) {
        (void)fclose(in);
        return sino_error(SINO_FAILED, "%s cannot be archived; allowed: a file of less than 8 GiB", path);
    }
    print_head(out, name, &about);
    const bool whole = copy(in, out) == about.st_size && !ferror(in);
    (void)fclose(in); /* opened for reading: nothing can be lost */
    SINO_CHECK(whole, SINO_FAILED, "%s cannot be archived: it does not have the %" PRId64 " bytes that it had", path,
               (int64_t)about.st_size);
    return NULL;
}

void sino_tar_end(FILE *out)
{
    static const char zeros[2 * BLOCK];
    fwrite(zeros, sizeof zeros, 1, out);
}
