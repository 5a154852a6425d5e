/* SPDX-License-Identifier: MIT
 *
 * plant.h - what planted jobs share: their clock, work, naps, and account
 */
#ifndef TESTS_CAUSES_PLANT_H
#define TESTS_CAUSES_PLANT_H

#include <netinet/in.h>
#include <pthread.h>
#include <stddef.h>

#define PIECE  (256 * 1024) /* bytes of a large read or write */
#define PIECES 16           /* of slow.bin */

extern double planted_s;
extern double own_share; /* below 0: it is planted_s / wall () */
extern char buf[PIECE];
extern const char *extra; /* the job's argument, or "" */

/* Print the reason from errno, and exit with status 99. */
__attribute__ ((noreturn)) void die (const char *what);

double now (void);  /* seconds of the monotonic clock */
double wall (void); /* seconds since the program began */
double runq (void); /* seconds this thread waited for a CPU; 0: not known */
void nap (int ms);
void work (double ms); /* compute for ms of wall time */

/* Time between them is planted, but for waiting for a CPU. */
void begin (void);
void end (void);

double *shared (size_t n); /* numbers that children share */
int open_file (const char *name, int flags);
void thread (void *(*run) (void *), void *arg, pthread_t *t);
/* A socket on the loopback; *at gets its port. */
int listener (int type, struct sockaddr_in *at, int backlog);

#define PLANT(name) void job_##name (int rounds);
#include "plants.def"
#undef PLANT

#endif
