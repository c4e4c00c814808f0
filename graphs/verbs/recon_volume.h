/* SPDX-License-Identifier: BSD-3-Clause */
/* recon of a volume, inside: the state of a run (recon_volume.c), and what differs between beams (recon_parallel.c,
 * recon_cone.c, recon_cone_solution.c). */
#ifndef SINO_RECON_VOLUME_H
#define SINO_RECON_VOLUME_H

#include "ending.h"
#include "recon.h"
#include "recon_resume.h"

#include <stdio.h>

typedef struct SinoReconKind SinoReconKind;

/* A run. The kind owns `own`; runtime and volume are opened by the run. */
typedef struct SinoRecon {
    const SinoReconKind *kind;
    const SinoSettings *settings;
    SinoLog *log;
    SinoProcesses *processes;
    SinoRuntime *runtime;
    SinoInput input; /* after `build`: this rank's share of the input */
    SinoResume resume;
    SinoOutputNames names;
    SinoVolumeRequest request;
    SinoVolume *volume;
    SinoRecord record;
    SinoLastAct last;  /* tells what --resume goes on from; once the volume is complete, tells so */
    char checksum[17]; /* of the input; rank 0 only */
    void *own;
} SinoRecon;

/* What a kind of beam does in a run, in this order. Functions are collective where they say so; a status is not agreed
 * upon otherwise. */
struct SinoReconKind {
    /* Once the input is open, on every rank: allocates `own`, and completes the request of the volume. */
    SinoStatus (*begin)(SinoRecon *recon);
    /* Collective. Divides the work; the runtime is up. */
    SinoStatus (*plan)(SinoRecon *recon);
    /* Finds the rotation axis, which is not given; rank 0 only. */
    SinoStatus (*find_center)(SinoRecon *recon);
    /* Writes the choices of the plan that a resumed run must have, as "name: value" lines. */
    void (*print_plan)(const SinoRecon *recon, FILE *out);
    SinoRecordShape (*record)(const SinoRecon *recon);
    /* Collective. Makes what the whole run needs, tells the plan, and restricts the input to this rank's share. */
    SinoStatus (*build)(SinoRecon *recon);
    /* How journals count, and the ranks that share a slice. */
    SinoRestored (*restored)(const SinoRecon *recon);
    /* Computes and stores all slices, while rank 0 computes the checksum of the input. */
    SinoStatus (*compute)(SinoRecon *recon);
    int64_t (*data_bytes)(const SinoRecon *recon); /* planned bytes of StarPU data */
    /* Collective. With --profile: logs more of the run. NULL: nothing. */
    SinoStatus (*report)(SinoRecon *recon);
    bool (*weighted)(const SinoRecon *recon); /* undefined values have weight 0; false: they are interpolated */
    /* Writes entries of /process; rank 0 only. */
    SinoStatus (*write_process)(SinoRecon *recon);
    /* After the output is complete. NULL: nothing is kept. */
    void (*keep)(SinoRecon *recon);
    void (*release)(SinoRecon *recon); /* `own` may be NULL */
};

extern const SinoReconKind sino_recon_parallel, sino_recon_cone, sino_recon_cone_solution;

#endif
