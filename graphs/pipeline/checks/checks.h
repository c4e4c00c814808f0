/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks: what in a scan is probably not meant, and what settings that are left to sinodag become. */
#pragma once

#include "input.h"
#include "record.h"
#include "settings.h"

/* Findings: what in a scan is probably not meant, and what settings that are left to sinodag are for it. */

typedef struct SinoFinding {
    bool refused;      /* recon refuses the scan; false: it warns */
    bool harmless;     /* recon only tells what it does */
    const char *event; /* of the log: "theta", "data" … */
    char text[640];    /* what was found, and what to type */
} SinoFinding;

/* What a setting that is left to sinodag is for this scan. */
typedef struct SinoEvidence {
    const char *setting; /* its name; constant */
    char value[24];
    char reason[256];
} SinoEvidence;

enum { SINO_FINDINGS_MAX = 16, SINO_EVIDENCE_MAX = 8 };
typedef struct SinoFindings {
    int64_t count;
    SinoStageChoice stages; /* the stages that the values ask for */
    double reverse_percent; /* mismatch of rays and their reverses that fit the beam of the settings, in a whole turn,
                             * in percent of the standard deviation; 0: not judged, or they do not fit */
    double reverse_axis;    /* the column about which they fit */
    int64_t half_side;      /* of a half acquisition whose size is left to sinodag: voxels along a side; else 0 */
    SinoFinding finding[SINO_FINDINGS_MAX];
    int64_t evidence_count;
    SinoEvidence evidence[SINO_EVIDENCE_MAX];
} SinoFindings;

/* Adds a finding: what recon refuses, or warns of. */
void sino_findings_add(SinoFindings *findings, bool refused, const char *event, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Adds a harmless finding: what recon does. */
void sino_findings_note(SinoFindings *findings, const char *event, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Whether recon refuses the scan. */
bool sino_findings_refuse(const SinoFindings *findings);

/* Adds evidence. */
void sino_findings_tell(SinoFindings *findings, const char *setting, const char *value, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Beam check: whether the rays of a scan of a whole turn run as the settings say. Adds a finding if another beam fits a
 * scan of a whole turn far better than that of the settings: a fan or cone instead of parallel rays or the reverse,
 * another direction of turning, or another distance of the source. By rays and their reverses (cone_center.h) in one
 * row, the plane of the source or the middle of the detector, of up to 360 projections. A direction that the settings
 * leave to sinodag is set in findings->stages. SINO_FAILED: the file cannot be read, or no memory. */
SinoStatus sino_beam_check(const SinoSettings *settings, const SinoInput *input, SinoFindings *findings);

/* Detector check: how the detector of a cone beam stands. Adds a finding with the tilt and the center row of a cone
 * beam, by up to 90 projections of all rows, averaged to at most 128 columns and 96 rows (cone_consistency.h). Those
 * that the settings leave to sinodag, and that the projections deny without doubt, are set in findings->stages, whose
 * direction of turning counts. SINO_FAILED: the file cannot be read, or no memory. */
SinoStatus sino_detector_check(const SinoSettings *settings, const SinoInput *input, SinoFindings *findings);

/* Repairs: what a run tells of the undefined values of its scan (codelets/stages/correct.h), and whether it accepts
 * them. */

/* Logs one line for each kind of undefined values that the record has: projections without any value, by number;
 * detector columns without any value, by number; the number of all others. `input` gives the numbers of columns in the
 * file. weighted: the values had weight 0; false: they were interpolated. */
void sino_repairs_tell(SinoLog *log, const SinoInput *input, const SinoRecord *record, bool weighted);

/* SINO_BAD_INPUT: more than the share `most` of all values is undefined. */
SinoStatus sino_repairs_check(const SinoRecord *record, double most);

/* What the user can do about many undefined values: the end of a refusal. */
extern const char sino_repairs_advice[];

/* Scan likeness: how alike projections are that were taken one after the other, by which raw sinograms of a wrong width
 * are told. */

/* How alike neighbouring projections are in one row: mean squares of differences, relative to those of two unrelated
 * values of the row. */
typedef struct SinoScanLikeness {
    double lag[5];  /* [l]: between projections that are l angles apart, l = 1 … 4 */
    double part[5]; /* [f]: between a projection and itself shifted by 1/f of its columns, f = 2 … 4 */
} SinoScanLikeness;

/* Compares consecutive projections in the middle row; all NaN if they are too few or all alike. */
SinoStatus sino_scan_likeness(const SinoInput *input, SinoScanLikeness *likeness);

/* Scan sample: some values of a scan, by which `info` and `recon` judge whether the scan is what it is taken for. */

/* A column is odd if it is off both neighbours by more than this, as a difference of line integrals in their natural
 * unit. */
#define SINO_ODD_COLUMN 0.15

/* A pixel stands out if it is off both neighbours by more than this in the mean of projections, in the same unit. */
#define SINO_STANDING 0.02

/* Fringes of phase contrast that nonnegative slices cannot have. */
#define SINO_FRINGES 0.03

/* Air that is brighter or darker than the flat fields by more than a factor of e^0.05 has another exposure. */
#define SINO_AIR_LEVEL 0.05

/* Statistics of the counts (or values) of a sample, and of the line integrals that follow from them. */
typedef struct SinoScanSample {
    int64_t projections, rows; /* sampled: projections spread over the scan, rows in blocks spread over the detector */
    bool in_order;             /* neighbours in the file see the object from sides close together (input_parts.h) */
    int64_t count, finite, zero;
    double mean, edges;   /* means of the finite values; edges: of the outermost columns */
    bool fields;          /* the scan has the flat fields that its values are divided by */
    bool lacks_fields;    /* its values are taken for counts, and it has no flat fields */
    double flat, dark;    /* means of the fields; dark NaN: the scan has none */
    double flat_change;   /* of the second half of the flat fields against the first, as a share of their light; 0 if
                           * it is no more than they differ among themselves, or if they are sets */
    double most;          /* without flat fields: where values begin to be implausible, by the level of the sample's
                           * values, which a hundredth of them exceeds; 0: nowhere, as of integers */
    double unit;          /* how large a line integral of 1 is in the unit of the values: 1 of counts and transmissions;
                           * of line integrals, whose unit is not known, half of their level, for few objects let less
                           * than e^-2 of the light through */
    int64_t undefined;    /* values without a line integral (codelets/stages/correct.h) */
    double integral;      /* mean of the defined line integrals; 0 if there is none */
    int64_t column_count; /* of the part of the scan that is reconstructed */
    double *column_integral;  /* [column]: mean of the absolute line integrals; owned */
    double *column_level;     /* [column]: mean of the defined line integrals; NaN if there is none; owned */
    double transmission;      /* mean where the flat fields have light; NaN: none has, or there are no flat fields */
    double edge_transmission; /* likewise, of the outermost columns */
    double evenness;          /* of the weights w of rays by their photons: 1/(mean of w · mean of 1/w); NaN: no ray */
    double stripes;       /* deviation of the columns' offsets, in line integrals (stripe_sample.h); NaN if the sample
                           * is too small for that */
    double fringed;       /* share of rows of projections that fall below air beside the object by more than
                           * SINO_FRINGES of their large line integrals, as fringes of phase contrast do */
    int64_t zingers;      /* values of neighbouring projections that are far brighter than those around them */
    int64_t neighbours;   /* values of neighbouring projections that were looked at */
    int64_t looked_at;    /* these projections */
    int64_t with_zingers; /* those of them that have some */
    int64_t air_columns;  /* columns of air at each side, whose light changes during the scan, or differs from the
                           * flat fields'; 0: not air, or neither */
    double air_drift;     /* standard deviation of its line integrals over the projections */
    double air_level;     /* mean line integral of the outermost columns; NaN: not known */
    double brightest;     /* the largest mean transmission of the outermost columns, over sides and projections; without
                           * fields their largest mean count; NaN: not known */
    int64_t standing;     /* pixels that are off both neighbours by more than SINO_STANDING, far above their noise */
    int64_t odd_columns;  /* columns that differ from both neighbours in every projection: hot or dead */
} SinoScanSample;

/* Reads a sample of the part of the scan that `input` selects. stages: looks for stripes, odd columns, fringes and
 * zingers, too; without, their numbers are 0, or NaN. SINO_FAILED: no memory, or the file cannot be read. */
SinoStatus sino_scan_sample_new(const SinoInput *input, bool stages, SinoScanSample *sample);
void sino_scan_sample_free(SinoScanSample *sample);

/* Stage choice: which stages a sample of the scan asks for, where the settings leave that to sinodag. Sets
 * findings->stages, adds a warning for each choice, and tells the evidence of all of them. */
void sino_choose_stages(const SinoSettings *settings, const SinoInput *input, const SinoScanSample *sample,
                        SinoFindings *findings);

/* Suspicion: what in a scan is probably not meant: angles in another unit, values of another kind, fields that are
 * swapped, values that are missing. `info` prints the same findings that `recon` refuses or warns of. */

/* Looks at the angles and the beam and, unless the scan is followed, at a sample of the values and at the detector.
 * SINO_FAILED: the file cannot be read, or no memory. */
SinoStatus sino_suspect(const SinoSettings *settings, const SinoInput *input, SinoFindings *findings);

/* Looks at the rotation center, input->geometry.center: whether the object reaches beyond the shorter side of the
 * detector in a scan of a whole turn, which direct methods would count twice and the slice cut off. */
SinoStatus sino_suspect_center(const SinoSettings *settings, const SinoInput *input, SinoFindings *findings);

/* sino_suspect and sino_suspect_center for a run: tell the stages to choose (sino_input_choose_stages), and log the
 * warnings. The slice of a half acquisition gets room for the object. SINO_BAD_INPUT: the text of the first finding
 * that is refused. */
SinoStatus sino_check_scan(const SinoSettings *settings, const SinoInput *input, SinoLog *log, SinoStageChoice *stages);
SinoStatus sino_findings_judge(const SinoFindings *findings, SinoLog *log); /* what both do with findings */
SinoStatus sino_check_center(const SinoSettings *settings, SinoInput *input, SinoLog *log);
