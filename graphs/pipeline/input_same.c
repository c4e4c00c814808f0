/* SPDX-License-Identifier: BSD-3-Clause */
/* Input, same: every rank must have the same scan, if not the same files. */
#include "input_same.h"

#include "checksum.h"
#include "consensus.h"
#include "scan_identity.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const char differs[] = "the ranks have different input";

static SinoStatus identify(const SinoInput *input, char **text, int64_t *modified_s)
{
    const SinoScanBox row = {.first_row = input->first_row + input->row_count / 2,
                             .row_count = 1,
                             .first_column = input->first_column,
                             .column_count = input->column_count};
    return sino_scan_identity(input->scan, &row, text, modified_s);
}

/* Compares the checksums of all bytes of the files. */
static SinoStatus compare_all_bytes(SinoProcesses *processes, const SinoInput *input)
{
    char digits[17], text[64] = "";
    SINO_TRY(
        sino_processes_agree(processes, sino_checksum_files(input->info->file_count, input->info->file_name, digits)));
    snprintf(text, sizeof text, "the checksum of the files: %s\n", digits);
    return sino_consensus_check(processes, differs, text);
}

/* A copy that was made without keeping the time is newer than the scan. A scan that was changed after it had been
 * copied is newer than the copy, and may differ anywhere: so then every byte counts. */
static SinoStatus compare_times(SinoProcesses *processes, const SinoInput *input, int64_t modified_s, SinoLog *log)
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
    return compare_all_bytes(processes, input);
}

SinoStatus sino_input_check_same(SinoProcesses *processes, const SinoInput *input, SinoLog *log)
{
    char *text = NULL;
    int64_t modified_s = 0;
    if (sino_processes_count(processes) == 1) return NULL;
    SINO_TRY(sino_processes_agree(processes, identify(input, &text, &modified_s)));
    SinoStatus status = sino_consensus_check(processes, differs, text);
    free(text);
    return status ? status : compare_times(processes, input, modified_s, log);
}
