/* SPDX-License-Identifier: BSD-3-Clause */
/* Sweep CSV: the table of a sweep, to which a row is added as each run ends. A table that a killed sweep left is read
 * and continued. */
#pragma once

#include "panel.h"
#include "status.h"

#include <stdbool.h>
#include <stdint.h>

/* What the runs of a sweep differ in, apart from their repetition. */
typedef struct SinoSweepCase {
    int64_t columns, angles, slices;        /* 0: of a scan from a file */
    int64_t minibatch, partitions, workers; /* 0: sinodag chooses */
    unsigned devices;                       /* bits of device.h */
    SinoPrecision precision;
    char scheduler[256]; /* NAME or FILE.so:NAME */
} SinoSweepCase;

typedef enum SinoSweepPhase {
    SINO_SWEEP_CALIBRATION, /* models were recorded */
    SINO_SWEEP_SIMULATION,
    SINO_SWEEP_MEASUREMENT,
    SINO_SWEEP_PHASES
} SinoSweepPhase;

extern const char *const sino_sweep_phase_name[SINO_SWEEP_PHASES];

/* One run. NaN and −1 of counts: not known, an empty field of the table. */
typedef struct SinoSweepRow {
    SinoSweepPhase phase;
    SinoSweepCase of;
    int64_t repetition, order,
        seed; /* from 1; order: place within the repetition; of other phases: number of the run */
    int64_t exit_code;
    double makespan_s, build_s, inside_tasks, task_s;
    double area_bound_s, path_bound_s, starpu_bound_s;
    int64_t tasks, transfer_bytes, peak_bytes;
    char hash[17];      /* of /exchange/data; "": none */
    double difference;  /* relative L2 difference from the first volume of the problem */
    double predicted_s; /* makespan that sinodag simulate predicts */
    double load;        /* load average of the machine when the run began */
    char message[400];  /* of a run that failed; "" */
} SinoSweepRow;

/* Nothing known of a run but what it is. */
SinoSweepRow sino_sweep_row(SinoSweepPhase phase, const SinoSweepCase *of);

typedef struct SinoSweepCsv SinoSweepCsv;

typedef struct SinoSweepRows {
    int64_t count;
    SinoSweepRow *row; /* owned */
} SinoSweepRows;

void sino_sweep_rows_free(SinoSweepRows *rows);
SinoStatus sino_sweep_rows_add(SinoSweepRows *rows, const SinoSweepRow *row);

/* Creates the table with `identity`, lines "name: value" that a continued table must have, and `remark`, lines that it
 * need not have; both become comments. With `resume`, a table that exists is continued, and its rows are added to
 * *rows; a last line without its end is dropped. SINO_BAD_INPUT: the file exists without resume and overwrite, is no
 * table of a sweep, has another identity, or another sweep is writing it. */
SinoStatus sino_sweep_csv_open(const char *path, bool overwrite, bool resume, const char *identity, const char *remark,
                               SinoSweepRows *rows, SinoSweepCsv **csv);

/* Appends a row, which is in the file when the function returns. SINO_FAILED: the disk is full, and similar errors. */
SinoStatus sino_sweep_csv_add(SinoSweepCsv *csv, const SinoSweepRow *row);
SinoStatus sino_sweep_csv_close(SinoSweepCsv *csv); /* takes NULL */
