/* SPDX-License-Identifier: MIT
 *
 * troff.c - text -> man(7)
 */
#include "config.h"

#include <stdio.h>

#include "cli/troff.h"

void put_troff (const char *text)
{
    for (; *text; text++) {
        if (*text == '-' || *text == '\\')
            (void)fputs (*text == '-' ? "\\-" : "\\e", stdout);
        else
            (void)putchar (*text);
        if (*text == ':' && text[1] && text[1] != ' ')
            (void)fputs ("\\:", stdout); /* a list may be broken here */
    }
}

void put_item (const char *term, const char *text)
{
    (void)fputs (".TP\n.B ", stdout);
    put_troff (term);
    (void)putchar ('\n');
    put_troff (text);
    (void)fputs (".\n", stdout);
}
