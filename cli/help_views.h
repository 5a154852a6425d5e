/* SPDX-License-Identifier: MIT
 *
 * help_views.h - tables and keys of --view, rules of insights, as text
 */
#ifndef DFT_CLI_HELP_VIEWS_H
#define DFT_CLI_HELP_VIEWS_H

void help_views (void);
void help_where (void);
void help_columns (void);
void help_rules (void);

#endif
