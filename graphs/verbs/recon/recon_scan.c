/* SPDX-License-Identifier: BSD-3-Clause */
/* recon of a scan: opens the input of a parallel or cone beam. */
#include "recon_cone.h"
#include "recon_volume.h"

#include "memory.h"

SinoStatus sino_recon_open_scan(SinoRecon *recon)
{
    if (!recon->input.info) SINO_TRY(sino_input_open(recon->settings, recon->log, &recon->input));
    recon->files = (SinoInputFiles){recon->input.info->file_count, recon->input.info->file_name};
    int64_t side; /* of a half acquisition, which an earlier run has found */
    if (!sino_resume_number(&recon->resume, "side", &side)) return NULL;
    return sino_input_enlarge(&recon->input, side, recon->input.geometry.margin);
}

/* Collective. Whether the scan after its stages leaves half of a rank's memory to the reconstruction. */
static SinoStatus has_room(const SinoRecon *recon, bool *room)
{
    SinoMachine machine;
    SINO_TRY(sino_recon_cone_machine(recon, &machine));
    const int64_t bytes = sino_integrals_bytes(&recon->input);
    *room = bytes + sino_integrals_pass_bytes(&recon->input, machine.worker_count) <= machine.memory_bytes / 2;
    return NULL;
}

SinoStatus sino_recon_limit_stages(SinoRecon *recon)
{
    SinoInput *input = &recon->input;
    bool room;
    char bytes[24];
    if (recon->job->beam != SINO_BEAM_CONE || !sino_integrals_needed(input) || !input->stages_chosen) return NULL;
    SINO_TRY(has_room(recon, &room));
    if (room) return NULL;
    sino_log_warning(recon->log, "stages",
                     "no zingers and stripes are taken out: for cone and fan beams this needs %s of each rank's memory "
                     "for the scan",
                     sino_bytes_text(sino_integrals_bytes(input), bytes));
    input->stages_chosen = false;
    input->zinger_level = 0;
    input->stripes.method = SINO_STRIPES_NONE;
    return NULL;
}

SinoStatus sino_recon_keep_integrals(SinoRecon *recon)
{
    char text[24];
    const int64_t bytes = sino_integrals_bytes(&recon->input);
    if (recon->job->beam != SINO_BEAM_CONE || bytes == 0) return NULL;
    sino_log_info(recon->log, "stages", "stages take whole sinograms: the scan is in memory after them, %s",
                  sino_bytes_text(bytes, text));
    const int64_t total_bytes = recon->kind->facts(recon).memory_bytes;
    SINO_TRY(sino_processes_agree(recon->processes,
                                  sino_integrals_new(recon->runtime, &recon->input, total_bytes, &recon->integrals)));
    sino_recon_mark(recon, "the stages of whole sinograms run");
    return NULL;
}
