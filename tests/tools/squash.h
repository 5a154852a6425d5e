/* SPDX-License-Identifier: MIT
 *
 * squash.h - files that squash.c serves, and answers about them
 *
 * Each answers the request `in`, whose arguments are at `arg`.
 */
#ifndef DFT_TESTS_VICTIMS_SQUASH_H
#define DFT_TESTS_VICTIMS_SQUASH_H

#include <linux/fuse.h>
#include <stddef.h>

enum {
    DATA_MAX = 128 * 1024, /* of one request */
    NODES_MAX = 65536
};

extern int fuse_fd;

/* FUSE_ROOT_ID is dir, from now on. 0 or -1. */
int squash_root (const char *dir);
int squash_fd (uint64_t id);
const char *squash_path (uint64_t id); /* good until the next but one */

void answer (const struct fuse_in_header *in,
             int error,
             const void *body,
             size_t n);
/* 0, or -1 and errno. */
void answer_rc (const struct fuse_in_header *in, int rc);
/* The entry `name` of a directory, where rc is 0. */
void answer_made (const struct fuse_in_header *in, int rc, const char *name);
void answer_attr (const struct fuse_in_header *in);
void answer_init (const struct fuse_in_header *in, const void *arg);
void set_attr (const struct fuse_in_header *in, const void *arg);
void open_node (const struct fuse_in_header *in, const void *arg);
void create (const struct fuse_in_header *in, const void *arg);
void open_dir (const struct fuse_in_header *in);
void read_dir (const struct fuse_in_header *in, const void *arg);
void read_file (const struct fuse_in_header *in, const void *arg);
void write_file (const struct fuse_in_header *in, const void *arg);
void read_link (const struct fuse_in_header *in);
void stat_fs (const struct fuse_in_header *in);

#endif
