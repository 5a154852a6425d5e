/* SPDX-License-Identifier: MIT
 *
 * groupvalue.h - an event -> the texts and numbers that it is grouped by
 */
#ifndef DFT_ANALYZE_GROUPVALUE_H
#define DFT_ANALYZE_GROUPVALUE_H

#include "analyze/query/groupscan.h"

#define GROUP_NO_NUMBER (-1)

/* What an event says of itself. */
struct group_event {
    int64_t mark[MARK_KINDS]; /* step, epoch; -1 not said */
    uint64_t bytes;           /* moved */
    enum placed placed;
    int moves, failed; /* reads or writes; did not work */
};

void group_event_read (struct group_event *what,
                       const struct decoder *d,
                       const struct event *ev,
                       struct place *at);

/* The bin of a size: its upper limit in bytes. */
int64_t group_size_bin (uint64_t bytes);

/* The text of a number ("-" for GROUP_NO_NUMBER), of an interval its start in
 * seconds. buf has room for 32 bytes; returns it. */
const char *
group_number (enum group_key key, int64_t number, uint64_t interval, char *buf);

/* The text of an event under a key that is no number. buf has room for
 * EVNAME_TEXT; the result may be it. */
const char *group_text (enum group_key key,
                        const struct groupscan *s,
                        const struct event *ev,
                        const struct group_event *what,
                        char *buf);

#endif
