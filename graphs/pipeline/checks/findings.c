/* SPDX-License-Identifier: BSD-3-Clause */
/* Findings: a list of texts. */
#include "checks.h"

#include <stdarg.h>
#include <stdio.h>

static void add(SinoFindings *findings, const SinoFinding *finding, const char *format, va_list arguments)
{
    if (findings->count == SINO_FINDINGS_MAX) return;
    SinoFinding *to = &findings->finding[findings->count++];
    *to = *finding;
    vsnprintf(to->text, sizeof to->text, format, arguments);
}

void sino_findings_add(SinoFindings *findings, bool refused, const char *event, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add(findings, &(SinoFinding){.refused = refused, .event = event}, format, arguments);
    va_end(arguments);
}

void sino_findings_note(SinoFindings *findings, const char *event, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add(findings, &(SinoFinding){.harmless = true, .event = event}, format, arguments);
    va_end(arguments);
}

void sino_findings_tell(SinoFindings *findings, const char *setting, const char *value, const char *format, ...)
{
    if (findings->evidence_count == SINO_EVIDENCE_MAX) return;
    SinoEvidence *to = &findings->evidence[findings->evidence_count++];
    va_list arguments;
    *to = (SinoEvidence){.setting = setting};
    snprintf(to->value, sizeof to->value, "%s", value);
    va_start(arguments, format);
    vsnprintf(to->reason, sizeof to->reason, format, arguments);
    va_end(arguments);
}

bool sino_findings_refuse(const SinoFindings *findings)
{
    bool refused = false;
    for (int64_t i = 0; i < findings->count; i++) refused |= findings->finding[i].refused;
    return refused;
}
