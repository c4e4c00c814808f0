/* SPDX-License-Identifier: BSD-3-Clause */
/* Testing main: `PROGRAM SUBJECT` runs the tests of one of the program's files (TESTING_SUBJECT). */
#include "testing_subject.h"

#include <stdio.h>
#include <string.h>

static TestingSubject *subjects;

void testing_add(TestingSubject *subject)
{
    subject->next = subjects;
    subjects = subject;
}

int main(int argument_count, char **arguments)
{
    for (const TestingSubject *subject = subjects; argument_count == 2 && subject; subject = subject->next)
        if (strcmp(arguments[1], subject->name) == 0) return subject->run();
    fprintf(stderr, "usage: %s SUBJECT; subjects:", arguments[0]);
    for (const TestingSubject *subject = subjects; subject; subject = subject->next)
        fprintf(stderr, " %s", subject->name);
    fputc('\n', stderr);
    return 2;
}
