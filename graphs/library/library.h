/* SPDX-License-Identifier: BSD-3-Clause */
/* Library: what all functions of sinodag.h share: the one runtime of the process, its lock, and settings. */
#pragma once

#include "runtime.h"
#include "settings.h"
#include "sinodag.h"

/* Begins a call: locks the library. SINO_BAD_INPUT: the caller is a function that the library calls, or a process that
 * was forked since StarPU started; the library is then not locked. */
SinoStatus sino_library_enter(void);
void sino_library_leave(void);

/* Within a call. The runtime, or NULL: it was not started. */
SinoRuntime *sino_library_runtime(void);

/* Within a call. SINO_BAD_INPUT: the runtime was not started. */
SinoStatus sino_library_need_runtime(void);

/* Within a call: keeps the runtime up for one more user; ends it for the last one. */
void sino_library_keep(void);
SinoStatus sino_library_let_go(void);

/* Within a call: the caller's function for the progress of this call; NULL: none. */
void sino_library_show_progress(SinodagProgress *progress, void *of);

/* Marks that a function of the caller is called by this thread, which must not call the library then. */
void sino_library_calls(bool begins);

/* Reads settings of recon: those of the caller, of which `allowed` names all, or `denied` those that are not (NULL ends
 * either), and those of the library, which a caller's replaces. `what` names in messages what the settings are of: "an
 * operator". The caller frees *settings. SINO_BAD_INPUT: as of sino_settings_read; a text is no name=value; the name is
 * not allowed. */
typedef struct SinoLibrarySettings {
    const char *what;
    const char *const *allowed, *const *denied; /* one of them is NULL */
    const char *const *own;                     /* "name=value"; NULL ends it */
    const struct SinoMemoryRun *memory;         /* arrays that are reconstructed (SinoSettings.memory); NULL: none */
} SinoLibrarySettings;

/* Those of sinodag_start, sinodag_operator_new, sinodag_solve and sinodag_recon. */
extern const SinoLibrarySettings sino_library_start, sino_library_operator, sino_library_solve, sino_library_recon;

/* Whether a caller may give the setting whose name `text` begins with. */
bool sino_library_allows(const SinoLibrarySettings *of, const char *text);

/* The library's own default of a setting, else that of the program. */
const char *sino_library_usual(const SinoLibrarySettings *of, const SinoSettingText *text);

/* The value of a caller's setting; NULL: it is not given. */
const char *sino_library_given(const char *const *given, const char *name);

SinoStatus sino_library_settings(const SinoLibrarySettings *of, const char *const *given, SinoSettings **settings);
