/* SPDX-License-Identifier: BSD-3-Clause */
/* Testing main: `PROGRAM SUBJECT` runs the tests of one of the program's files (TESTING_SUBJECT). With
 * $SINODAG_TEST_LOCALE it takes the locale of the environment before, whose decimal point must be a comma. */
#include "testing_subject.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static TestingSubject *subjects;

void testing_add(TestingSubject *subject)
{
    subject->next = subjects;
    subjects = subject;
}

int main(int argument_count, char **arguments)
{
    if (getenv("SINODAG_TEST_LOCALE") && (!setlocale(LC_ALL, "") || *localeconv()->decimal_point != ',')) {
        fputs("the locale of the environment has no decimal comma\n", stderr);
        return 2;
    }
    for (const TestingSubject *subject = subjects; argument_count == 2 && subject; subject = subject->next)
        if (strcmp(arguments[1], subject->name) == 0) return subject->run();
    fprintf(stderr, "usage: %s SUBJECT; subjects:", arguments[0]);
    for (const TestingSubject *subject = subjects; subject; subject = subject->next)
        fprintf(stderr, " %s", subject->name);
    fputc('\n', stderr);
    return 2;
}
