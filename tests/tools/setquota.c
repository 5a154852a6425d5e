/* SPDX-License-Identifier: MIT
 *
 * setquota.c - what setquota(8) does, where it is not installed
 *
 * setquota DEVICE UID KIB: the user gets no more blocks than that on the file
 * system of DEVICE; 0 lifts the limit
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/quota.h>

int main (int argc, char **argv)
{
    struct dqblk limit = {.dqb_valid = QIF_BLIMITS};

    if (argc != 4)
        return 2;
    limit.dqb_bhardlimit = strtoull (argv[3], NULL, 10);
    if (quotactl (QCMD (Q_SETQUOTA, USRQUOTA), argv[1], atoi (argv[2]),
                  (char *)&limit) == 0)
        return 0;
    perror (argv[1]);
    return 1;
}
