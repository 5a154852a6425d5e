/* SPDX-License-Identifier: MIT
 *
 * ncrequest.h - requests of PnetCDF from the post to the wait that ends them
 */
#ifndef DFT_HDF_NCREQUEST_H
#define DFT_HDF_NCREQUEST_H

#include "preload/hdf/nccall.h"

/* r is a post that has succeeded, of the variable *o with this path. */
void ncrequest_post (const struct nccall *c,
                     const struct record *r,
                     const struct hdfobject *o,
                     const char *path);

/* Before a wait, which may change its list: these are the ones. */
void ncrequest_choose (const struct nccall *c);

/* After it: a record for each, and *r for the wait. */
void ncrequest_ended (const struct nccall *c, struct record *r);

/* Requests of a file that is closed never end. */
void ncrequest_drop (uint32_t file, uint32_t turn);

#endif
