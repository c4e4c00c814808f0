#include "cli.h"
int cli_interrupt_tests(void)
{
    return 0;
}
