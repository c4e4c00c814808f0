/* SPDX-License-Identifier: BSD-3-Clause */
/* Input, same: every rank must have the same input, if not the same files. */
#include "input_parts.h"

#include "consensus.h"
#include "paths.h"
#include "scan_follow.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char differs[] = "the ranks have different input";

/* The scan by its sizes and values, which may be in files that its own refer to. */
static SinoStatus print_scan(FILE *out, const SinoInput *input)
{
    const SinoScanBox row = {.first_row = input->first_row + input->row_count / 2,
                             .row_count = 1,
                             .first_column = input->first_column,
                             .column_count = input->column_count};
    char *text = NULL;
    SINO_TRY(sino_scan_identity(input->scan, &row, &text));
    fputs(text, out);
    free(text);
    return NULL;
}

/* Number, bytes, and a checksum of the files of an option; *modified_s: when the last of them was changed, if later. */
static SinoStatus print_files(FILE *out, const SinoReadFiles *read, int64_t *modified_s)
{
    const SinoFileList *list = &read->list;
    int64_t bytes = 0;
    char digits[17];
    for (int64_t i = 0; i < list->count; i++) {
        struct stat about;
        SINO_CHECK(stat(list->name[i], &about) == 0, SINO_BAD_INPUT, "%s: %s", list->name[i], strerror(errno));
        bytes += about.st_size;
        if (about.st_mtime > *modified_s) *modified_s = about.st_mtime;
    }
    SINO_TRY(sino_checksum_parts(list->count, (const char *const *)list->name, digits));
    fprintf(out,
            "the number of files of %s: %" PRId64 "\nthe bytes of %s: %" PRId64 "\nthe checksum of parts of %s: %s\n",
            read->option, list->count, read->option, bytes, read->option, digits);
    return NULL;
}

static SinoStatus print_all_bytes(FILE *out, const SinoReadFiles *read, int64_t *modified_s)
{
    char digits[17];
    (void)modified_s;
    SINO_TRY(sino_checksum_files(read->list.count, (const char *const *)read->list.name, digits));
    fprintf(out, "the checksum of %s: %s\n", read->option, digits);
    return NULL;
}

typedef SinoStatus Printer(FILE *out, const SinoReadFiles *read, int64_t *modified_s);

/* What `print` says of the files of every option, after the scan, if there is one. The caller frees *text. */
static SinoStatus describe(const SinoInput *scan, const SinoReadFiles read[SINO_READS], Printer *print,
                           int64_t *modified_s, char **text)
{
    size_t size;
    FILE *out = open_memstream(text, &size);
    SINO_CHECK(out, SINO_FAILED, "no memory to compare the input of ranks");
    SinoStatus status = scan ? print_scan(out, scan) : NULL;
    for (int r = 0; r < SINO_READS && read[r].option && !status; r++)
        if (read[r].list.count > 0) status = print(out, &read[r], modified_s);
    if (fclose(out) != 0 && !status) status = sino_error(SINO_FAILED, "no memory to compare the input of ranks");
    return status;
}

static SinoStatus compare(SinoProcesses *processes, const SinoInput *scan, const SinoReadFiles read[SINO_READS],
                          Printer *print, int64_t *modified_s)
{
    char *text = NULL;
    SinoStatus status = sino_processes_agree(processes, describe(scan, read, print, modified_s, &text));
    if (!status) status = sino_consensus_check(processes, differs, text);
    free(text);
    return status;
}

/* A copy that was made without keeping the time is newer than the file. A file that was changed after it had been
 * copied is newer than the copy, and may differ anywhere: so then every byte counts. */
static SinoStatus compare_times(SinoProcesses *processes, const SinoReadFiles read[SINO_READS], int64_t modified_s,
                                SinoLog *log)
{
    int64_t oldest = modified_s, newest = modified_s;
    SINO_TRY(sino_processes_least(processes, &oldest));
    SINO_TRY(sino_processes_largest(processes, &newest));
    if (oldest == newest) return NULL;
    sino_log_info(
        log, "ranks",
        "the ranks have input files of different times (%" PRId64
        " s apart); each rank reads all of its files to compare them (copies that keep the time, as cp -p and "
        "rsync -t make, spare this)",
        newest - oldest);
    return compare(processes, NULL, read, print_all_bytes, &modified_s);
}

SinoStatus sino_input_check_same(SinoProcesses *processes, const SinoSettings *settings, const SinoInput *scan,
                                 SinoLog *log)
{
    SinoReadFiles read[SINO_READS] = {0};
    int64_t modified_s = 0;
    if (sino_processes_count(processes) == 1) return NULL;
    if (settings->input.follow) return compare(processes, scan, read, print_files, &modified_s); /* its files grow */
    SinoStatus status = sino_processes_agree(processes, sino_read_files_list(settings, scan, read));
    if (!status) status = compare(processes, scan, read, print_files, &modified_s);
    if (!status) status = compare_times(processes, read, modified_s, log);
    sino_read_files_free(read);
    return status;
}
