/* SPDX-License-Identifier: BSD-3-Clause */
/* Input follow: waits for the projections of a scan that another process still writes (--follow). A graph calls
 * sino_input_await before it submits tasks that load projections; nothing else of it knows whether a scan is followed.
 */
#pragma once

#include "data.h"
#include "input.h"
#include "live.h"

/* Waits until angles 0 … end − 1 of the input's scan can be read, or a task has failed; at once if the scan is not
 * followed. In a simulation: until they have come at the input's rate, in virtual time. `io`: the data that orders the
 * tasks that call HDF5, which wait while the file is looked at. `live`: the page that is kept up to date meanwhile;
 * NULL: none. Called by the thread that submits. SINO_FAILED: as of sino_scan_await. */
SinoStatus sino_input_await(const SinoInput *input, SinoRuntime *runtime, SinoData *io, SinoLive *live, int64_t end);

/* Waits until the scan of the settings, which is not followed any more, can be opened as a whole one: its writer has
 * closed the file, and what follows the last projection has come. SINO_FAILED: it cannot for --follow-timeout. */
SinoStatus sino_input_await_whole(const SinoSettings *settings, SinoLog *log);

/* Logs how fast the scan came, and how long ago its last projection did; nothing if it was not followed. */
void sino_input_tell_arrival(const SinoInput *input, SinoLog *log);

/* The checksum of what tells a scan that was followed from others (scan_identity.h), for runs that join their volumes;
 * unchanged if it was not followed, or cannot be read any more. Call it when no task reads the scan. */
void sino_input_follow_checksum(const SinoInput *input, char digits[17]);

/* SINO_BAD_INPUT: the settings ask for --follow, and for what needs the whole scan before a projection is used. */
SinoStatus sino_input_check_follow(const SinoSettings *settings);
