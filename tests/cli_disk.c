#include "cli.h"
int cli_disk_tests(void)
{
    return 0;
}
