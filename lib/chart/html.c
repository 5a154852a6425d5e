/* SPDX-License-Identifier: MIT
 *
 * html.c - text that is safe in a page, and the page around it
 *
 * In:  texts of traces and results, which anybody may have written
 * Out: HTML, to a stream; errors stay in the stream
 */
#include "config.h"

#include "lib/chart/html.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "lib/chart/style.h"
#include "lib/base/escape.h"
#include "lib/util/sha256.h"

/* Length of the UTF-8 sequence at p, 0 when it is none. */
static int html_sequence (const unsigned char *p)
{
    int n = p[0] < 0x80                    ? 1
            : p[0] >= 0xc2 && p[0] < 0xe0  ? 2
            : p[0] >= 0xe0 && p[0] < 0xf0  ? 3
            : p[0] >= 0xf0 && p[0] <= 0xf4 ? 4
                                           : 0;

    for (int i = 1; i < n; i++)
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) ||
        (p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f))
        return 0;
    return n;
}

static const char *html_entity (unsigned char c)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return (c < 0x20 && c != '\n' && c != '\t') || c == 0x7f
                   ? "\xef\xbf\xbd"
                   : NULL;
    }
}

void html_text (FILE *out, const char *text)
{
    const unsigned char *p = (const unsigned char *)(text ? text : "");

    while (*p) {
        uint32_t c;
        int n = html_sequence (p);
        const char *e = n == 1   ? html_entity (*p)
                        : n == 0 ? "\xef\xbf\xbd"
                                 : NULL;

        if (n > 1 && escape_char ((const char *)p, (size_t)n, &c) > 0 &&
            !escape_is_plain (c))
            e = "\xef\xbf\xbd";
        if (e)
            (void)fputs (e, out);
        else
            (void)fwrite (p, 1, (size_t)n, out);
        p += n ? n : 1;
    }
}

static void html_vformat (FILE *out, const char *format, va_list args)
{
    char *text = NULL;

    if (vasprintf (&text, format, args) >= 0)
        html_text (out, text);
    free (text);
}

void html_format (FILE *out, const char *format, ...)
{
    va_list args;

    va_start (args, format);
    html_vformat (out, format, args);
    va_end (args);
}

/* --- elements ----------------------------------------------------------- */

static void html_attribute (FILE *out, const char *name, const char *value)
{
    if (!value)
        return;
    (void)fprintf (out, " %s=\"", name);
    html_text (out, value);
    (void)fputc ('"', out);
}

void html_open_id (FILE *out,
                   const char *tag,
                   const char *class,
                   const char *id)
{
    (void)fprintf (out, "<%s", tag);
    html_attribute (out, "id", id);
    html_attribute (out, "class", class);
    (void)fputc ('>', out);
}

void html_open (FILE *out, const char *tag, const char *class)
{
    html_open_id (out, tag, class, NULL);
}

void html_close (FILE *out, const char *tag)
{
    (void)fprintf (out, "</%s>", tag);
}

void html_element (FILE *out,
                   const char *tag,
                   const char *class,
                   const char *text)
{
    html_open (out, tag, class);
    html_text (out, text);
    html_close (out, tag);
}

void html_link (FILE *out,
                const char *prefix,
                const char *name,
                const char *text)
{
    (void)fputs ("<a href=\"#", out);
    html_format (out, "%s%s%s", prefix, *name ? "-" : "", name);
    (void)fputs ("\">", out);
    html_text (out, text);
    html_close (out, "a");
}

void html_paragraph (FILE *out, const char *class, const char *format, ...)
{
    va_list args;

    html_open (out, "p", class);
    va_start (args, format);
    html_vformat (out, format, args);
    va_end (args);
    (void)fputs ("</p>\n", out);
}

/* --- page, sections, figures ---------------------------------------------- */

#define SCRIPT_START "\n" /* behind <script>: a part of it */

/* Base64 of the digest, as a policy names the one script that may run. */
static void html_script_digest (FILE *out)
{
    static const char letter[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char hex[SHA256_HEX + 1], three[] = "000000"; /* bytes, as digits */
    struct sha256 s;

    sha256_init (&s);
    sha256_text (&s, SCRIPT_START);
    sha256_text (&s, style_script);
    sha256_hex (&s, hex);
    for (size_t i = 0; i < SHA256_HEX; i += 6) {
        size_t n = SHA256_HEX - i < 6 ? SHA256_HEX - i : 6;
        unsigned long bits;

        memcpy (three, "000000", 6);
        memcpy (three, hex + i, n);
        bits = strtoul (three, NULL, 16);
        for (size_t k = 0; k < 4; k++)
            (void)fputc (k <= n / 2 ? letter[bits >> (18 - 6 * k) & 63] : '=',
                         out);
    }
}

void html_begin (FILE *out, const char *title)
{
    (void)fputs (
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
        "'none'; style-src 'unsafe-inline'; script-src 'sha256-",
        out);
    html_script_digest (out);
    (void)fputs ("'\">\n"
                 "<meta name=\"color-scheme\" content=\"light dark\">\n<title>",
                 out);
    html_text (out, title);
    (void)fputs ("</title>\n<style>\n", out);
    (void)fputs (style_sheet, out);
    (void)fputs ("</style></head><body><main>\n<h1>", out);
    html_text (out, title);
    (void)fputs ("</h1>\n", out);
}

void html_end (FILE *out, const char *footer)
{
    (void)fputs ("<footer>", out);
    html_text (out, footer);
    (void)fputs ("</footer></main>\n<script>" SCRIPT_START, out);
    (void)fputs (style_script, out);
    (void)fputs ("</script></body></html>\n", out);
}

static void html_head (FILE *out,
                       const char *tag,
                       const char *id,
                       const char *level,
                       const char *heading)
{
    html_open_id (out, tag, NULL, id);
    html_element (out, level, NULL, heading);
    (void)fputc ('\n', out);
}

void html_section (FILE *out, const char *id, const char *heading)
{
    html_head (out, "section", id, "h2", heading);
}

void html_section_end (FILE *out)
{
    (void)fputs ("</section>\n", out);
}

void html_figure (FILE *out, const char *id, const char *heading)
{
    html_head (out, "figure", id, "h3", heading);
}

void html_caption (FILE *out)
{
    html_open (out, "figcaption", NULL);
}

void html_caption_end (FILE *out)
{
    (void)fputs ("</figcaption></figure>\n", out);
}

void html_figure_end (FILE *out, const char *format, ...)
{
    va_list args;

    html_caption (out);
    va_start (args, format);
    html_vformat (out, format, args);
    va_end (args);
    html_caption_end (out);
}
