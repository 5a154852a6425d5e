/* SPDX-License-Identifier: MIT
 *
 * schema.h - the JSON schema of metrics.json
 */
#ifndef DFT_ANALYZE_SCHEMA_H
#define DFT_ANALYZE_SCHEMA_H

#include <stdio.h>

void schema_print (FILE *out);

#endif
