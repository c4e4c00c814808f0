/* SPDX-License-Identifier: BSD-3-Clause */
/* recon of a cone beam, --output-range auto: planes of a coarse volume by FDK.
 *
 * Projections are filtered as they are, and not averaged, so that the voxels of the coarse volume (unit_plan.h) have
 * the noise of the volume's. */
#include "recon_cone.h"

#include "arithmetic.h"
#include "cone_reconstruction.h"
#include "cone_scan.h"

SinoStatus sino_recon_cone_machine(const SinoRecon *recon, SinoMachine *machine)
{
    SINO_TRY(sino_machine_here(recon->settings, recon->runtime, machine));
    return sino_machine_agree(recon->processes, machine);
}

static SinoStatus plan_coarse(const SinoRecon *recon, const SinoCone *coarse, SinoUnitPlan *plan)
{
    const SinoSettings quick = sino_cone_coarse_settings(recon->settings);
    SinoMachine machine;
    SINO_TRY(sino_recon_cone_machine(recon, &machine));
    const SinoUnitPlanRequest request =
        sino_fdk_plan_request(&quick, &recon->input, coarse, &machine, sino_processes_count(recon->processes));
    return sino_processes_agree(recon->processes, sino_unit_plan_new(&request, plan));
}

SinoStatus sino_recon_cone_range_plan(const SinoRecon *recon, const SinoCone *cone, int64_t *total_bytes,
                                      int64_t *data_bytes)
{
    SinoUnitPlan plan;
    const SinoCone coarse = sino_cone_coarse(cone);
    if (!sino_recon_samples_range(recon)) return NULL;
    SINO_TRY(plan_coarse(recon, &coarse, &plan));
    *total_bytes = sino_larger(*total_bytes, plan.total_bytes);
    *data_bytes = sino_larger(*data_bytes, plan.bytes.data);
    return NULL;
}

SinoStatus sino_recon_cone_sample(SinoRecon *recon, SinoRecord *record)
{
    const SinoSettings quick = sino_cone_coarse_settings(recon->settings);
    SinoCone cone;
    SinoUnitPlan plan;
    SinoConeTraffic traffic = {0};
    SINO_TRY(sino_processes_agree(recon->processes,
                                  sino_cone_scan(&quick, &recon->input, recon->input.geometry.center, &cone)));
    const SinoCone coarse = sino_cone_coarse(&cone);
    SINO_TRY(plan_coarse(recon, &coarse, &plan));
    const SinoRecordShape shape = sino_cone_record_shape(&coarse, 1, 1, true);
    SINO_TRY(sino_processes_agree(recon->processes, sino_record_new(&shape, record)));
    const SinoConeReconstruction reconstruction = {.runtime = recon->runtime,
                                                   .settings = &quick,
                                                   .input = sino_integrals_or(recon->integrals, &recon->input),
                                                   .cone = &coarse,
                                                   .streaming = &plan.streaming,
                                                   .scale = sino_recon_cone_scale(&coarse),
                                                   .record = record,
                                                   .traffic = &traffic,
                                                   .aside = true};
    SINO_TRY(sino_processes_agree(recon->processes, sino_cone_reconstruct(&reconstruction)));
    return sino_record_join(recon->processes, record);
}
