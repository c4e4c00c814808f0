/* SPDX-License-Identifier: BSD-3-Clause */
/* Processes: what they do alike in every build: exchange lists, abort. */
#include "arithmetic.h"
#include "ending.h"
#include "processes.h"

#include <string.h>

void sino_processes_abort(SinoProcesses *processes, SinoStatus status)
{
    const int exit_code = sino_status_exit_code(status);
    if (*sino_status_text(status)) sino_ending_now(sino_status_text(status), exit_code);
    sino_processes_end(processes, exit_code);
}

/* In step k each process sends to the k-th process after it. */
SinoStatus sino_processes_exchange(SinoProcesses *processes, const int64_t *send_count, const uint32_t *const *send,
                                   const int64_t *receive_count, uint32_t *const *receive)
{
    const int64_t own = sino_processes_rank(processes), count = sino_processes_count(processes);
    const int64_t element = sizeof **send;
    if (send_count[own] > 0) memcpy(receive[own], send[own], (size_t)send_count[own] * sizeof **send);
    for (int64_t k = 1; k < count; k++) {
        const int64_t to = (own + k) % count, from = (own + count - k) % count;
        const SinoPassage passage = {.to = to,
                                     .send_bytes = sino_times(send_count[to], element),
                                     .send = send[to],
                                     .from = from,
                                     .receive_bytes = sino_times(receive_count[from], element),
                                     .receive = receive[from]};
        SINO_TRY(sino_processes_pass(processes, &passage));
    }
    return NULL;
}
