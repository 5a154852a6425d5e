/* SPDX-License-Identifier: MIT
 *
 * regions.h - category and name of a region -> what it stands for; pure
 */
#ifndef DFT_REPORT_REGIONS_H
#define DFT_REPORT_REGIONS_H

/* As lib/model/roles.def, which the numbers are made with; a test compares. */
enum region_role {
    REGION_OTHER,
    REGION_COMPUTE,
    REGION_LOADER,
    REGION_STALL,
    REGION_CHECKPOINT
};

enum region_role region_role (const char *category, const char *name);

#endif
