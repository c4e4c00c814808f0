#include "cli.h"
int cli_graph_tests(void)
{
    return 0;
}
