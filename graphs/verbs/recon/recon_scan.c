/* SPDX-License-Identifier: BSD-3-Clause */
/* recon of a scan: opens the input of a parallel or cone beam. */
#include "recon_volume.h"

SinoStatus sino_recon_open_scan(SinoRecon *recon)
{
    SINO_TRY(sino_input_open(recon->settings, recon->log, &recon->input));
    recon->files = (SinoInputFiles){recon->input.info->file_count, recon->input.info->file_name};
    int64_t side; /* of a half acquisition, which an earlier run has found */
    if (!sino_resume_number(&recon->resume, "side", &side)) return NULL;
    return sino_input_enlarge(&recon->input, side, recon->input.geometry.margin);
}
