/* SPDX-License-Identifier: MIT
 *
 * help_site.h - what a site may configure, in words
 *
 * All print to standard output, from the tables.
 */
#ifndef DFT_CLI_HELP_SITE_H
#define DFT_CLI_HELP_SITE_H

void help_site (void);      /* `dftrace help site` */
void help_option (void);    /* `dftrace help option`: --dftrace=... */
void help_conf (void);      /* dftrace.conf with every key commented */
void help_conf_man (void);  /* dftrace.conf(5) */
void help_spank_man (void); /* dftrace-spank(8) */

#endif
