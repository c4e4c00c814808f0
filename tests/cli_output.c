#include "cli.h"
int cli_output_tests(void)
{
    return 0;
}
