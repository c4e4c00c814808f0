/* SPDX-License-Identifier: BSD-3-Clause */
/* Testing subject: how the tests of one file become an argument of a program that consists of several such files. */
#pragma once

/* One argument of a test program (testing_main.c), and the tests that the program runs for it. */
typedef struct TestingSubject {
    const char *name;
    int (*run)(void); /* returns the program's exit code: 0 when every test passed */
    struct TestingSubject *next;
} TestingSubject;

/* Adds a subject, which must have static lifetime, to those that the program knows. */
void testing_add(TestingSubject *subject);

/* Heads the function that runs a file's tests, and adds this function to the program's subjects:
 *     TESTING_SUBJECT(cast) { const struct CMUnitTest tests[] = {...}; return cmocka_run_group_tests(tests, NULL,
 * NULL); } */
#define TESTING_SUBJECT(subject)                                                                                       \
    static int subject##_tests(void);                                                                                  \
    __attribute__((constructor)) static void subject##_add(void)                                                       \
    {                                                                                                                  \
        static TestingSubject added = {#subject, subject##_tests, NULL};                                               \
        testing_add(&added);                                                                                           \
    }                                                                                                                  \
    static int subject##_tests(void)
