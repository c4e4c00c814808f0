/* SPDX-License-Identifier: BSD-3-Clause */
/* Linked into the programs whose coverage is measured, in place of _exit (ld --wrap): stores the counters of processes
 * that end without what exit does, as the child that reads headers and a run that a signal ends. */

void __gcov_dump(void);
void __real__exit(int code) __attribute__((noreturn));
void __wrap__exit(int code) __attribute__((noreturn));

void __wrap__exit(int code)
{
    __gcov_dump();
    __real__exit(code);
}
