/* SPDX-License-Identifier: MIT
 *
 * evterm.h - one term of a condition, of the events of a batch
 */
#ifndef DFT_ANALYZE_EVTERM_H
#define DFT_ANALYZE_EVTERM_H

#include "analyze/query/column.h"
#include "analyze/query/where.h"

/* A term that an entry of the dictionary or the thread decides, for event i of
 * the source's batch. */
int evterm_entry (const struct where_node *n,
                  const struct column_source *s,
                  size_t i);

/* A term of what each event says, for all of them; start is that of the job. */
void evterm_batch (const struct where_node *n,
                   const struct column_source *s,
                   uint64_t start,
                   unsigned char *wanted);

/* The same of arguments with this key. */
void evterm_argument (const struct where_node *n,
                      const struct column_source *s,
                      uint32_t key,
                      unsigned char *wanted);

/* The numbers of a column, and which events have one. */
void evterm_numbers (enum where_column column,
                     const struct column_source *s,
                     uint64_t start,
                     int64_t *value,
                     unsigned char *has);

/* The text of event i; NULL: none. buf has room for KEYTEXT_MAX. */
const char *evterm_text (enum where_column column,
                         const struct column_source *s,
                         size_t i,
                         char *buf);

#endif
