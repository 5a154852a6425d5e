/* SPDX-License-Identifier: MIT
 *
 * html.c - text that is safe in a page, and the page around it
 *
 * In:  texts of traces and results, which anybody may have written
 * Out: HTML, to a stream; errors stay in the stream
 */
#include "config.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/text.h"
#include "lib/chart/html.h"
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

/* ---- the look of a page: colours for light, dark and paper; sorting ---- */

/* clang-format off */
#define STYLE_COLOURS \
":root{--bg:#fff;--fg:#1b1f24;--dim:#59636e;--line:#d0d7de;--card:#f6f8fa;" \
"--bad:#b42318;--badbg:#fee4e2;--link:#0550ae;" \
"--h0:#eef4fb;--h1:#dde9f6;--h2:#cbdff1;--h3:#b4d2ea;--h4:#98c3e1;" \
"--h5:#79b2d7;--h6:#5a9fcb;--h7:#408bbe;--h8:#2b76af;--h9:#19619c;" \
"--h10:#0e4c82;--h11:#083763;--tl:#10243a;--th:#fff;--na:#f2f2f2}\n" \
"@media screen and (prefers-color-scheme:dark){:root{--bg:#14171c;" \
"--fg:#e2e7ed;--dim:#9aa5b1;--line:#353c46;--card:#1c2128;" \
"--bad:#ff9a8f;--badbg:#4a1512;--link:#79b8ff;" \
"--h0:#12263a;--h1:#143049;--h2:#173b5a;--h3:#1b476c;--h4:#20557f;" \
"--h5:#286593;--h6:#3577a6;--h7:#488bb8;--h8:#62a0c9;--h9:#82b6d9;" \
"--h10:#a6cde8;--h11:#cfe5f6;--tl:#e6eef7;--th:#0b1724;--na:#23272e}}\n"
#define STYLE_MARKS \
"svg text{font:11px system-ui,-apple-system,'Segoe UI','DejaVu Sans'," \
"'Liberation Sans',Arial,sans-serif;fill:var(--fg);" \
"font-variant-numeric:tabular-nums}" \
"svg .dim{fill:var(--dim)}svg .strong{font-weight:600}" \
".axis{stroke:var(--dim);stroke-width:1;fill:none}" \
".grid{stroke:var(--line);stroke-width:1;fill:none}" \
".frame{fill:var(--card)}.na{fill:var(--na);stroke:var(--line)}" \
".whisker{stroke:var(--fg);stroke-width:1.2;fill:none}" \
".c0{fill:#0072b2}.c1{fill:#e69f00}.c2{fill:#009e73}.c3{fill:#cc79a7}" \
".c4{fill:#56b4e9}.c5{fill:#d55e00}.c6{fill:#8a8f98}.c7{fill:#d6c72a}" \
".l0{stroke:#0072b2}.l1{stroke:#e69f00}.l2{stroke:#009e73}" \
".l3{stroke:#cc79a7}.l4{stroke:#56b4e9}.l5{stroke:#d55e00}" \
".l6{stroke:#8a8f98}.l7{stroke:#d6c72a}" \
".ln{fill:none;stroke-width:2;stroke-linejoin:round}" \
".d1{stroke-dasharray:6 3}.d2{stroke-dasharray:2 3}" \
".h0{fill:var(--h0)}.h1{fill:var(--h1)}.h2{fill:var(--h2)}" \
".h3{fill:var(--h3)}.h4{fill:var(--h4)}.h5{fill:var(--h5)}" \
".h6{fill:var(--h6)}.h7{fill:var(--h7)}.h8{fill:var(--h8)}" \
".h9{fill:var(--h9)}.h10{fill:var(--h10)}.h11{fill:var(--h11)}" \
"svg .tl{fill:var(--tl)}svg .th{fill:var(--th)}" \
"svg .on{fill:#111}svg .c0+.on{fill:#fff}"
const char style_svg[] =
STYLE_COLOURS STYLE_MARKS
"svg{background:var(--bg)}";

const char style_sheet[] =
STYLE_COLOURS
"*{box-sizing:border-box}body{margin:0;background:var(--bg);color:var(--fg);"
"font:15px/1.5 system-ui,-apple-system,'Segoe UI','DejaVu Sans',"
"'Liberation Sans',Arial,sans-serif}"
"main{max-width:1180px;margin:0 auto;padding:24px 28px 48px}"
"h1{font-size:26px;margin:0 0 4px;overflow-wrap:anywhere}"
"h2{font-size:20px;margin:40px 0 10px;border-bottom:1px solid var(--line);"
"padding-bottom:4px}h3{font-size:15.5px;margin:0 0 8px}"
"p{margin:6px 0}.lead,figcaption,footer,.note{color:var(--dim)}"
"figcaption,.note{font-size:13px;margin-top:6px;max-width:960px}"
"figure{margin:18px 0 26px;padding:14px 16px;border:1px solid var(--line);"
"border-radius:8px;break-inside:avoid}"
"svg{display:block;width:100%;height:auto;max-width:100%}"
STYLE_MARKS
".banner{background:var(--badbg);color:var(--bad);border:1px solid var(--bad);"
"border-radius:8px;padding:10px 14px;margin:14px 0;font-weight:600}"
".cards{display:flex;flex-wrap:wrap;gap:10px;margin:14px 0}"
".card{background:var(--card);border:1px solid var(--line);border-radius:8px;"
"padding:8px 12px;min-width:100px}.card b{display:block;font-size:19px}"
".card span{color:var(--dim);font-size:12.5px}"
"table{border-collapse:collapse;font-size:13px;margin:6px 0;"
"font-variant-numeric:tabular-nums}.scroll{overflow-x:auto}"
"th,td{padding:3px 10px;border-bottom:1px solid var(--line);"
"text-align:right;white-space:nowrap}"
"th{color:var(--dim);font-weight:600;vertical-align:bottom}"
"td.t,th.t{text-align:left}td.text{white-space:normal;text-align:left}"
"td.path{white-space:normal;"
"overflow-wrap:anywhere;text-align:left;min-width:260px}"
"input.filter{font:inherit;font-size:13px;margin:4px 0;padding:2px 8px;"
"border:1px solid var(--line);border-radius:6px;background:var(--bg);"
"color:var(--fg)}"
".insights{list-style:none;padding:0;margin:8px 0}"
".insight{border-left:4px solid #e69f00;padding:2px 12px;margin:10px 0}"
".insight.bad{border-color:var(--bad)}.insight.bad>b{color:var(--bad)}"
"tr:target td{background:var(--card)}"
"td.bad{color:var(--bad);font-weight:600}td.none{color:var(--dim)}"
"th[data-sort]{cursor:pointer}th[data-sort]:hover{color:var(--fg)}"
"th[aria-sort=ascending]::after{content:' \\2191'}"
"th[aria-sort=descending]::after{content:' \\2193'}"
"details{margin:10px 0}summary{cursor:pointer;color:var(--link)}"
"nav{font-size:13px;margin:10px 0}nav a{margin-right:14px}"
"a{color:var(--link);text-decoration:none}a:hover{text-decoration:underline}"
"code{font:12.5px ui-monospace,'DejaVu Sans Mono',monospace;"
"overflow-wrap:anywhere}dl{display:grid;grid-template-columns:max-content 1fr;"
"gap:2px 16px;margin:10px 0;font-size:13.5px}dt{color:var(--dim)}dd{margin:0;"
"overflow-wrap:anywhere}footer{margin-top:40px;font-size:12.5px}\n"
"@media screen and (max-width:1000px){main{padding:16px 12px 40px}"
"figure{overflow-x:auto;padding:12px 10px}figure svg{width:1100px;"
"max-width:none}h3,figcaption,figure>p{position:sticky;left:0}}\n"
/* a definition below its number, where there is no room beside it */
"@media screen and (max-width:600px){"
"table:has(td.text),table:has(td.text) tbody{display:block}"
"table:has(td.text) thead{display:none}"
"tr:has(>td.text){display:grid;grid-template-columns:1fr auto;"
"border-bottom:1px solid var(--line)}tr:has(>td.text)>td{border:0;padding:3px 0}"
"tr:has(>td.text)>td.text{grid-column:1/-1;color:var(--dim)}}\n"
"@media print{main{max-width:none;padding:0}body{font-size:12px}"
"nav,input.filter{display:none}.scroll{overflow:visible}h2{break-after:avoid}"
"table{font-size:8.5px}th,td{padding:2px 4px}tr{break-inside:avoid}"
"td.path{min-width:0}}\n";

/* Sort a table by the column that is clicked, numbers by data-v; show only the
 * rows of a long one that have the words of its filter. */
const char style_script[] =
"'use strict';\n"
"document.querySelectorAll('table.sort').forEach(function(t){\n"
" var body=t.tBodies[0],f;\n"
" if(body.rows.length>8){\n"
"  f=document.createElement('input');f.type='search';f.className='filter';\n"
"  f.placeholder='filter rows';f.setAttribute('aria-label','filter rows');\n"
"  t.parentNode.insertBefore(f,t);\n"
"  f.addEventListener('input',function(){\n"
"   var words=f.value.toLowerCase().split(/\\s+/);\n"
"   Array.prototype.forEach.call(body.rows,function(r){\n"
"    var text=r.textContent.toLowerCase();\n"
"    r.hidden=!words.every(function(w){return text.indexOf(w)>=0});});});}\n"
" var heads=t.tHead.rows[t.tHead.rows.length-1].cells;\n"
" Array.prototype.forEach.call(heads,function(h,i){\n"
"  h.dataset.sort='';h.tabIndex=0;\n"
"  function key(r){var c=r.cells[i];if(!c)return -Infinity;\n"
"   if('v' in c.dataset)return c.dataset.v===''?-Infinity:+c.dataset.v;\n"
"   return c.textContent;}\n"
"  function go(){\n"
"   var down=h.getAttribute('aria-sort')!=='descending';\n"
"   Array.prototype.forEach.call(heads,function(o){o.removeAttribute('aria-sort')});\n"
"   h.setAttribute('aria-sort',down?'descending':'ascending');\n"
"   Array.prototype.slice.call(body.rows).sort(function(a,b){\n"
"    var x=key(a),y=key(b),c=x<y?-1:x>y?1:0;return down?-c:c;\n"
"   }).forEach(function(r){body.appendChild(r)});}\n"
"  h.addEventListener('click',go);\n"
"  h.addEventListener('keydown',function(e){if(e.key==='Enter')go()});\n"
" });\n"
"});\n";
/* clang-format on */
