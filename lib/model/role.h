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

/* What a region is to a sample of the data set. */
enum role_sample {
    ROLE_SAMPLE_NONE = 0,
    ROLE_SAMPLE_ITEM, /* it handles one, be its size said or not */
    ROLE_SAMPLE_READ, /* it takes bytes of one from the file: what it says wins
                         over what regions around it say */
    ROLE_SAMPLE_COUNT
};

/* Of regions of the loader that have no row: whether they are a sample says
 * their image_size. */
enum role_sample role_sample_of (const char *category, const char *name);

enum role role_of (const char *category, const char *name);

/* "loader", …; "-" for ROLE_NONE. */
const char *role_word (enum role role);

#endif
