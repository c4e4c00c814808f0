#include "cli.h"
int cli_info_tests(void)
{
    return 0;
}
