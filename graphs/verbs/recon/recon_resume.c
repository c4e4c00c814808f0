/* SPDX-License-Identifier: BSD-3-Clause */
/* recon --resume: goes on from the slices that an unfinished run has stored. */
#include "recon_resume.h"

#include "files_tasks.h"
#include "input_parts.h"
#include "memory.h"
#include "version.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Raised whenever a program makes other voxels of the same settings by a choice that no line of the identity names, so
 * that no run goes on from the slices of an older program. 2: subsets of fista and osem have whole orbits of angles;
 * iterative algorithms have a margin. 3: --iterations auto gives each slice a number of its own. 4: odd flat
 * and dark fields are left out. 6: the strength of a prior is sought with averaged columns; stripes and zingers of cone
 * beams are taken out. 7: rows are continued by ellipses, those of cone beams, too, whose volumes get room. 8: the
 * prior is a choice of the search. 9: wiener compares sectors of angles, and auto takes out the offsets that it
 * finds; fista gives back details; volumes of cones are solved with slices beyond them. 10: a part of the projections
 * tells fista's step of cones and fans; zingers and dead columns are found by their neighbours. 11: fista has more
 * iterations with few angles, more subsets and fewer iterations with cones of many projections; fbp gives long gaps
 * between angles no weight; wiener knows the axis; gaps along rays, and angles out of order, are told from zingers and
 * stripes. 12: volumes by vectors of a circle are solved with slices beyond them; wide pixels of cone beams have
 * several rays, and their strength is that of voxels as wide; --data line-integrals are continued where the object
 * reaches beyond the detector; few angles have a stronger prior. */
enum { CHOICES_REVISION = 12 };

static SinoStatus name_journal(const SinoOutputSettings *settings, int64_t rank, char **path)
{
    const int made = rank == 0 ? asprintf(path, "%s.journal", settings->path)
                               : asprintf(path, "%s.journal.%" PRId64, settings->path, rank);
    if (made >= 0) return NULL;
    *path = NULL;
    return sino_error(SINO_FAILED, "no memory for a file name");
}

/* Rank 0 sends a text to all ranks; NULL stays NULL. */
static SinoStatus broadcast_text(SinoProcesses *processes, const char *text, char **received)
{
    int64_t bytes = text ? (int64_t)strlen(text) + 1 : 0;
    char *copy = NULL;
    SINO_TRY(sino_processes_broadcast(processes, sizeof bytes, &bytes));
    *received = NULL;
    if (bytes == 0) return NULL;
    SINO_TRY(sino_processes_agree(processes, sino_allocate(bytes, 1, "a journal", &copy)));
    if (sino_processes_rank(processes) == 0 && text) memcpy(copy, text, (size_t)bytes);
    SINO_GIVE(sino_processes_broadcast(processes, bytes, copy), copy, free, received);
}

SinoStatus sino_resume_open(const SinoOutputSettings *settings, SinoProcesses *processes, SinoLog *log,
                            SinoResume *resume)
{
    SinoStatus status = NULL;
    *resume = (SinoResume){.processes = processes, .log = log};
    SINO_TRY(sino_processes_agree(processes, name_journal(settings, sino_processes_rank(processes), &resume->path)));
    if (!settings->resume) return NULL;
    status = sino_processes_agree(processes, sino_journal_open(resume->path, &resume->journal));
    if (status) return status;
    const char *own = resume->journal ? sino_journal_identity(resume->journal) : NULL;
    SINO_TRY(broadcast_text(processes, own, &resume->earlier));
    if (!resume->earlier) sino_log_info(log, "resume", "%s: nothing to resume, a new run begins", resume->path);
    /* A rank's journal of another run is of no use. */
    if (own && (!resume->earlier || strcmp(own, resume->earlier) != 0)) {
        sino_journal_close(resume->journal);
        resume->journal = NULL;
    }
    return NULL;
}

SinoStatus sino_resume_hint(const SinoResume *resume, SinoStatus status)
{
    SinoJournal *journal = NULL;
    if (!status || resume->earlier || !resume->path) return status;
    sino_status_free(sino_journal_open(resume->path, &journal)); /* another run may have it */
    sino_journal_close(journal);
    if (!journal) return status;
    SinoStatus told = sino_error((SinoErrorKind)sino_status_exit_code(status),
                                 "%s; %s is of an unfinished run, which --resume goes on with",
                                 sino_status_text(status), resume->path);
    sino_status_free(status);
    return told;
}

/* The value in the line "name: value"; *length: its bytes. NULL: no such line. */
static const char *value_of(const char *text, const char *name, size_t name_length, size_t *length)
{
    for (const char *line = text; *line;) {
        const size_t end = strcspn(line, "\n");
        if (end > name_length + 2 && strncmp(line, name, name_length) == 0 && line[name_length] == ':') {
            *length = end - name_length - 2;
            return line + name_length + 2;
        }
        line += end + (line[end] == '\n');
    }
    return NULL;
}

static bool scan_line(const SinoResume *resume, const char *name, const char *format, ...)
    __attribute__((format(scanf, 3, 4)));

/* Reads a line of the earlier run's identity by scanf's format; false: there is no such line. */
static bool scan_line(const SinoResume *resume, const char *name, const char *format, ...)
{
    size_t length;
    const char *value = value_of(resume->earlier, name, strlen(name), &length);
    if (!value) return false;
    va_list arguments;
    va_start(arguments, format);
    const int count = vsscanf(value, format, arguments);
    va_end(arguments);
    return count >= 1;
}

void sino_resume_plan(const SinoResume *resume, SinoSettings *planned)
{
    SinoTopologyShape topology = {0};
    SinoGridShape grid = {0};
    int64_t minibatch, windows = 0;
    char symmetry[4] = "", projector[12] = "";
    if (!resume->earlier) return;
    if (planned->runtime.minibatch == 0 && scan_line(resume, "minibatch", "%" SCNd64, &minibatch))
        planned->runtime.minibatch = minibatch;
    if (scan_line(resume, "symmetry", "%3s", symmetry) && strcmp(symmetry, "no") == 0)
        planned->projection.symmetry = false;
    if (planned->projection.projector == SINO_PROJECTOR_AUTO && scan_line(resume, "projector", "%11s", projector))
        planned->projection.projector = sino_projector_of(projector);
    if (planned->team.grid.data_ranks == 0 &&
        scan_line(resume, "grid", "%" SCNd64 "x%" SCNd64, &grid.batch_groups, &grid.data_ranks))
        planned->team.grid = grid;
    (void)scan_line(resume, "windows", "%" SCNd64, &windows);
    if (planned->runtime.partitions > 0 || planned->team.topology.nodes > 0 || planned->team.topology.sockets > 0 ||
        planned->team.topology.workers > 0 ||
        !scan_line(resume, "topology", "nodes=%" SCNd64 ",sockets=%" SCNd64 ",workers=%" SCNd64, &topology.nodes,
                   &topology.sockets, &topology.workers))
        return;
    if (windows > 0)
        planned->runtime.partitions =
            topology.nodes * topology.sockets * topology.workers; /* one rank; they take turns */
    else
        planned->team.topology = topology;
}

double sino_resume_center(const SinoResume *resume)
{
    double center;
    return resume->earlier && scan_line(resume, "center", "%lf", &center) ? center : NAN;
}

bool sino_resume_number(const SinoResume *resume, const char *name, int64_t *number)
{
    return resume->earlier && scan_line(resume, name, "%" SCNd64, number);
}

bool sino_resume_range(const SinoResume *resume, SinoValueRange *range)
{
    SinoValueRange found;
    if (!resume->earlier || !scan_line(resume, "lowest", "%lf", &found.low) ||
        !scan_line(resume, "highest", "%lf", &found.high))
        return false;
    *range = found;
    return true;
}

/* The files without their names, since they may have moved. */
static SinoStatus print_files(FILE *out, const SinoReadFiles *read)
{
    for (int64_t i = 0; i < read->list.count; i++) {
        struct stat about;
        const char *path = read->list.name[i];
        SINO_CHECK(stat(path, &about) == 0, SINO_BAD_INPUT, "%s: %s", path, strerror(errno));
        fprintf(out, "file %" PRId64 " of %s: %" PRId64 " bytes, changed at %" PRId64 ".%09ld\n", i + 1, read->option,
                (int64_t)about.st_size, (int64_t)about.st_mtim.tv_sec, about.st_mtim.tv_nsec);
    }
    return NULL;
}

static SinoStatus print_input(FILE *out, const SinoSettings *settings, const SinoInput *input)
{
    const SinoScanInfo *info = input ? input->info : NULL;
    SinoReadFiles read[SINO_READS] = {0};
    if (info) {
        fprintf(out, "input: %" PRId64 " angles of %" PRId64 " x %" PRId64 " pixels in %" PRId64 " files\n",
                info->angle_count, info->row_count, info->column_count, info->file_count);
        fprintf(out, "format: %s; %s\n", info->kind, info->evidence);
    }
    SinoStatus status = sino_read_files_list(settings, input, read);
    for (int r = 0; r < SINO_READS && read[r].option && !status; r++) status = print_files(out, &read[r]);
    sino_read_files_free(read);
    return status;
}

/* `fixed`: the settings that change voxels. *text: owned by the caller. */
static SinoStatus print_identity(const SinoSettings *settings, const SinoInput *input, const char *fixed,
                                 const char *plan, char **text)
{
    char *made = NULL;
    size_t size;
    FILE *out = open_memstream(&made, &size);
    SINO_CHECK(out, SINO_FAILED, "no memory for the identity of the run");
    fprintf(out, "version: %s\nchoices of the program: %d\n", sino_version_text(), CHOICES_REVISION);
    SinoStatus status = print_input(out, settings, input);
    fprintf(out, "%s%s", fixed, plan);
    if (fclose(out) != 0 && !status) status = sino_error(SINO_FAILED, "no memory for the identity of the run");
    if (status)
        free(made);
    else
        *text = made;
    return status;
}

static SinoStatus identity_of(const SinoSettings *settings, const SinoInput *input, const char *plan, char **text)
{
    char *fixed = NULL;
    SinoStatus status = sino_settings_fixed_text(settings, SINO_VERB_RECON, &fixed);
    if (!status) status = print_identity(settings, input, fixed, plan, text);
    free(fixed);
    return status;
}

/* The error for the first line of `lines` that `others` has not. */
static SinoStatus compare(const SinoResume *resume, const char *lines, const char *others, bool lines_are_earlier)
{
    for (const char *line = lines; *line;) {
        size_t length = 0;
        const int end = (int)strcspn(line, "\n"), name = (int)strcspn(line, ":");
        const char *value = line + name + 2, *other = value_of(others, line, (size_t)name, &length);
        const int value_length = end - name - 2;
        if (!other || (int)length != value_length || memcmp(value, other, length) != 0) {
            const char *mine = lines_are_earlier ? other : value, *earlier = lines_are_earlier ? value : other;
            return sino_error(
                SINO_BAD_INPUT,
                "%s: %.*s is %.*s, and was %.*s in the unfinished run; allowed: the same, or no --resume, "
                "which begins anew",
                resume->path, name, line, mine ? lines_are_earlier ? (int)length : value_length : 7,
                mine ? mine : "not set", earlier ? lines_are_earlier ? value_length : (int)length : 7,
                earlier ? earlier : "not set");
        }
        line += end + (line[end] == '\n');
    }
    return NULL;
}

SinoStatus sino_resume_identify(SinoResume *resume, const SinoSettings *settings, const SinoInput *input,
                                const char *plan)
{
    SINO_TRY(identity_of(settings, input, plan, &resume->identity));
    if (!resume->earlier) return NULL;
    SINO_TRY(compare(resume, resume->identity, resume->earlier, false));
    return compare(resume, resume->earlier, resume->identity, true);
}

/* Marks the slices that all ranks know (SinoRestore.told, summed over ranks), and tells how many there are. A slice
 * that is computed again overwrites what the record has of it. */
static void mark(const SinoResume *resume, const int64_t *told, int64_t data_ranks, SinoVolume *volume,
                 const SinoRecord *record)
{
    int64_t count = 0;
    for (int64_t i = 0; i < record->slice_count; i++) {
        if (told[i] < data_ranks || told[record->slice_count + i] == 0) continue;
        sino_volume_mark_done(volume, i, 1);
        count++;
    }
    sino_log_info(resume->log, "resume", "%" PRId64 " of %" PRId64 " slices are complete, from an unfinished run",
                  count, record->slice_count);
}

/* Adds the tallies of the slices that are done. Of several entries for the same slices the last one counts. */
static SinoStatus add_tallies(const SinoResume *resume, const SinoTally *tally, const SinoVolume *volume,
                              int64_t slice_count)
{
    bool *added;
    if (!resume->journal) return NULL;
    SINO_TRY(sino_allocate(slice_count, sizeof *added, "slices that are done", &added));
    for (int64_t e = sino_journal_count(resume->journal) - 1; e >= 0; e--) {
        const SinoJournalEntry *entry = sino_journal_entry(resume->journal, e);
        const int64_t first = entry->first_slice;
        if (first > slice_count - entry->slice_count || added[first] || entry->tally_count != sino_tally_count(tally) ||
            !sino_volume_is_done(volume, first, entry->slice_count))
            continue;
        sino_tally_add(tally, entry->tally);
        added[first] = true;
    }
    free(added);
    return NULL;
}

static SinoStatus resume_slices(SinoResume *resume, const SinoRestored *restored, SinoRuntime *runtime,
                                SinoVolume *volume, SinoRecord *record)
{
    const int64_t count = 2 * record->slice_count;
    int64_t *told;
    SinoStatus status = NULL;
    SINO_TRY(sino_allocate(count, sizeof *told, "slices that are done", &told));
    if (resume->journal) {
        const SinoRestore restore = {.journal = resume->journal,
                                     .volume = volume,
                                     .slice_count = record->slice_count,
                                     .numbers = record->numbers,
                                     .history = record->history,
                                     .repaired = restored->repaired,
                                     .tally_count = sino_tally_count(&restored->tally),
                                     .sections = record->sections,
                                     .told = told};
        status = sino_runtime_wait_after(runtime, sino_insert_restore(runtime, &restore));
    }
    status = sino_processes_agree(resume->processes, status);
    if (!status) status = sino_processes_sum_integers(resume->processes, count, told);
    if (!status) status = sino_processes_broadcast(resume->processes, count * (int64_t)sizeof *told, told);
    if (!status) mark(resume, told, restored->data_ranks, volume, record);
    if (!status) status = add_tallies(resume, &restored->tally, volume, record->slice_count);
    free(told);
    return sino_processes_agree(resume->processes, status);
}

/* Warns that a new run replaces what an unfinished one left behind. */
static void tell_earlier(const SinoResume *resume)
{
    SinoJournal *journal = NULL;
    int64_t slices = 0;
    SinoStatus status = sino_journal_open(resume->path, &journal);
    for (int64_t e = 0; journal && e < sino_journal_count(journal); e++)
        slices += sino_journal_entry(journal, e)->slice_count;
    if (slices > 0)
        sino_log_warning(resume->log, "resume",
                         "%s: an unfinished run stored %" PRId64 " slices; this run begins anew (--resume: go on from "
                         "them)",
                         resume->path, slices);
    sino_journal_close(journal);
    sino_status_free(status);
}

/* Creates the journal of this rank; a file system without room for it makes a warning only. */
static SinoStatus create_journal(SinoResume *resume)
{
    if (!resume->earlier) tell_earlier(resume);
    SinoStatus status = sino_journal_create(resume->path, resume->identity, &resume->journal);
    if (sino_status_exit_code(status) == SINO_FAILED) {
        sino_log_warning(resume->log, "resume", "%s; the run could not be resumed", sino_status_text(status));
        sino_status_free(status);
        status = NULL;
    }
    return status;
}

SinoStatus sino_resume_begin(SinoResume *resume, const SinoRestored *restored, SinoRuntime *runtime, SinoVolume *volume,
                             SinoRecord *record)
{
    if (resume->earlier) SINO_TRY(resume_slices(resume, restored, runtime, volume, record));
    /* A rank that was killed early may have left no journal, while others have theirs. */
    return sino_processes_agree(resume->processes, resume->journal ? NULL : create_journal(resume));
}

void sino_resume_end(SinoResume *resume, bool complete)
{
    SinoStatus status = resume->journal ? sino_journal_status(resume->journal) : NULL;
    if (status && !complete)
        sino_log_warning(resume->log, "resume", "%s; slices after that cannot be resumed", sino_status_text(status));
    sino_status_free(status);
    if (complete)
        sino_journal_remove(resume->journal);
    else
        sino_journal_close(resume->journal);
    free(resume->path);
    free(resume->identity);
    free(resume->earlier);
    *resume = (SinoResume){0};
}
