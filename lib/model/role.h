/* SPDX-License-Identifier: MIT
 *
 * role.h - category and name of a region -> its role in the metrics
 */
#ifndef DFT_ANALYZE_ROLE_H
#define DFT_ANALYZE_ROLE_H

enum role {
    ROLE_NONE = 0,
    ROLE_LOADER,
    ROLE_STALL,
    ROLE_CHECKPOINT,
    ROLE_COMPUTE,
    ROLE_BARRIER,
    ROLE_EPOCH,
    ROLE_COLLECTIVE,
    ROLE_BODY,
    ROLE_COUNT
};

enum role role_of (const char *category, const char *name);

/* "loader", …; "-" for ROLE_NONE. */
const char *role_word (enum role role);

#endif
