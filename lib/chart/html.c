/* SPDX-License-Identifier: MIT
 *
 * html.c - text that is safe in a page, and the page around it
 *
 * In:  texts of traces and results, which anybody may have written
 * Out: HTML, to a stream; errors stay in the stream
 */
#include "config.h"

#include <stdarg.h>

#include "lib/base/text.h"
#include "lib/chart/html.h"
#include "lib/chart/svg.h"
#include "lib/util/sha256.h"
#include "lib/util/xalloc.h"

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

        if (n > 1 && escape_char ((const char *)p, n, &c) > 0 &&
            !escape_is_plain (c))
            e = "\xef\xbf\xbd";
        if (e)
            fputs (e, out);
        else
            (void)fwrite (p, 1, n, out);
        p += n ? n : 1;
    }
}

static void html_vformat (FILE *out, const char *format, va_list args)
{
    char *text = xvasprintf (format, args);

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

/* Write one argument as the n bytes of a conversion at p say. */
static void html_put_one (FILE *out, const char *p, size_t n, va_list *args)
{
    switch (p[n - 1]) {
    case 's':
        html_text (out, va_arg (*args, const char *));
        break;
    case 'f':
        svg_number (out, va_arg (*args, double));
        break;
    case 'g':
        fprintf (out, "%.*g", atoi (p + 2), va_arg (*args, double));
        break;
    case 'd':
        fprintf (out, "%d", va_arg (*args, int));
        break;
    case 'u':
        if (p[n - 2] == 'z')
            fprintf (out, "%zu", va_arg (*args, size_t));
        else if (n > 2)
            fprintf (out, "%lu", va_arg (*args, unsigned long));
        else
            fprintf (out, "%u", va_arg (*args, unsigned));
        break;
    default:
        fputc ('%', out);
    }
}

void html_put (FILE *out, const char *format, ...)
{
    va_list args;

    va_start (args, format);
    for (const char *p = format; *p;) {
        size_t n = strcspn (p, "%");

        (void)fwrite (p, 1, n, out);
        p += n;
        if (!*p)
            break;
        n = strcspn (p + 1, "%sfgdu") + 2;
        html_put_one (out, p, n, &args);
        p += n;
    }
    va_end (args);
}

/* --- elements ----------------------------------------------------------- */

void html_link (FILE *out,
                const char *prefix,
                const char *name,
                const char *text)
{
    html_put (out, "<a href=\"#%s%s%s\">%s</a>", prefix, *name ? "-" : "", name,
              text);
}

void html_paragraph (FILE *out, const char *class, const char *format, ...)
{
    va_list args;

    html_put (out, class ? "<p class=\"%s\">" : "<p>", class);
    va_start (args, format);
    html_vformat (out, format, args);
    va_end (args);
    fputs ("</p>\n", out);
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
            fputc (k <= n / 2 ? letter[bits >> (18 - 6 * k) & 63] : '=', out);
    }
}

void html_begin (FILE *out, const char *title)
{
    fputs ("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
           "<meta name=\"viewport\" content=\"width=device-width\">\n"
           "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
           "'none'; style-src 'unsafe-inline'; script-src 'sha256-",
           out);
    html_script_digest (out);
    html_put (out,
              "'\">\n<meta name=\"color-scheme\" content=\"light dark\">\n"
              "<title>%s</title>\n<style>\n",
              title);
    fputs (style_sheet, out);
    html_put (out, "</style></head><body><main>\n<h1>%s</h1>\n", title);
}

void html_end (FILE *out, const char *footer)
{
    html_put (out, "<footer>%s</footer></main>\n<script>" SCRIPT_START, footer);
    fputs (style_script, out);
    fputs ("</script></body></html>\n", out);
}

void html_section (FILE *out, const char *id, const char *heading)
{
    html_put (out, "<section id=\"%s\"><h2>%s</h2>\n", id, heading);
}

void html_section_end (FILE *out)
{
    fputs ("</section>\n", out);
}

void html_figure (FILE *out, const char *id, const char *heading)
{
    html_put (out, "<figure id=\"%s\"><h3>%s</h3>\n", id, heading);
}

void html_caption (FILE *out)
{
    fputs ("<figcaption>", out);
}

void html_caption_end (FILE *out)
{
    fputs ("</figcaption></figure>\n", out);
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
"--h0:#d3e4f4;--h1:#c7ddf0;--h2:#bad5ec;--h3:#abcbe7;--h4:#95bfdf;" \
"--h5:#79b2d7;--h6:#5a9fcb;--h7:#408bbe;--h8:#2b76af;--h9:#19619c;" \
"--h10:#0e4c82;--h11:#083763;--tl:#10243a;--th:#fff;--na:#f2f2f2;" \
"--c0:#0067ad;--c1:#b85f00;--c2:#007d5c;--c3:#b8478c;--c4:#2b8cc4;" \
"--c5:#c8401f;--c6:#767d86;--c7:#857400;--c8:#6f4fb0;--c9:#8a5536;" \
"--on:#fff}\n" \
"@media screen and (prefers-color-scheme:dark){:root{--bg:#14171c;" \
"--fg:#e2e7ed;--dim:#9aa5b1;--line:#353c46;--card:#1c2128;" \
"--bad:#ff9a8f;--badbg:#4a1512;--link:#79b8ff;" \
"--h0:#16385a;--h1:#183f65;--h2:#1b466f;--h3:#1e4e7a;--h4:#225986;" \
"--h5:#286593;--h6:#3577a6;--h7:#488bb8;--h8:#62a0c9;--h9:#82b6d9;" \
"--h10:#a6cde8;--h11:#cfe5f6;--tl:#e6eef7;--th:#0b1724;--na:#23272e;" \
"--c0:#4a9fe0;--c1:#f0a13a;--c2:#2fbf8f;--c3:#e58bbd;--c4:#8ccdf2;" \
"--c5:#ff7d5c;--c6:#9aa5b1;--c7:#d6c93c;--c8:#b298ee;--c9:#c99a7a;" \
"--on:#10141a}}\n"
#define STYLE_MARKS \
"svg text{font:11px system-ui,-apple-system,'Segoe UI','DejaVu Sans'," \
"'Liberation Sans',Arial,sans-serif;fill:var(--fg);" \
"font-variant-numeric:tabular-nums}" \
"svg .dim{fill:var(--dim)}svg .strong{font-weight:600}" \
".axis{stroke:var(--dim);stroke-width:1;fill:none}" \
".grid{stroke:var(--line);stroke-width:1;fill:none}" \
".frame{fill:var(--card)}.na{fill:var(--na);stroke:var(--line)}" \
".whisker{stroke:var(--fg);stroke-width:1.2;fill:none}" \
".c{fill:var(--k)}" \
".c0{--k:var(--c0)}.c1{--k:var(--c1)}.c2{--k:var(--c2)}" \
".c3{--k:var(--c3)}.c4{--k:var(--c4)}.c5{--k:var(--c5)}" \
".c6{--k:var(--c6)}.c7{--k:var(--c7)}.c8{--k:var(--c8)}" \
".c9{--k:var(--c9)}" \
".c10{--k:color-mix(in srgb,var(--c0) 62%,var(--fg))}" \
".c11{--k:color-mix(in srgb,var(--c1) 62%,var(--fg))}" \
".c12{--k:color-mix(in srgb,var(--c2) 62%,var(--fg))}" \
".c13{--k:color-mix(in srgb,var(--c3) 62%,var(--fg))}" \
".c14{--k:color-mix(in srgb,var(--c4) 62%,var(--fg))}" \
".c15{--k:color-mix(in srgb,var(--c5) 62%,var(--fg))}" \
".c16{--k:color-mix(in srgb,var(--c6) 62%,var(--fg))}" \
".c17{--k:color-mix(in srgb,var(--c7) 62%,var(--fg))}" \
".c18{--k:color-mix(in srgb,var(--c8) 62%,var(--fg))}" \
".c19{--k:color-mix(in srgb,var(--c9) 62%,var(--fg))}" \
".c20{--k:color-mix(in srgb,var(--c0) 30%,var(--fg))}" \
".c21{--k:color-mix(in srgb,var(--c1) 30%,var(--fg))}" \
".c22{--k:color-mix(in srgb,var(--c2) 30%,var(--fg))}" \
".c23{--k:color-mix(in srgb,var(--c3) 30%,var(--fg))}" \
".c24{--k:color-mix(in srgb,var(--c4) 30%,var(--fg))}" \
".c25{--k:color-mix(in srgb,var(--c5) 30%,var(--fg))}" \
".c26{--k:color-mix(in srgb,var(--c6) 30%,var(--fg))}" \
".c27{--k:color-mix(in srgb,var(--c7) 30%,var(--fg))}" \
".c28{--k:color-mix(in srgb,var(--c8) 30%,var(--fg))}" \
".c29{--k:color-mix(in srgb,var(--c9) 30%,var(--fg))}" \
".ln{fill:none;stroke:var(--k);stroke-width:2;stroke-linejoin:round}" \
".d1{stroke-dasharray:6 3}.d2{stroke-dasharray:2 3}" \
".h0{fill:var(--h0)}.h1{fill:var(--h1)}.h2{fill:var(--h2)}" \
".h3{fill:var(--h3)}.h4{fill:var(--h4)}.h5{fill:var(--h5)}" \
".h6{fill:var(--h6)}.h7{fill:var(--h7)}.h8{fill:var(--h8)}" \
".h9{fill:var(--h9)}.h10{fill:var(--h10)}.h11{fill:var(--h11)}" \
"svg .tl{fill:var(--tl)}svg .th{fill:var(--th)}" \
"svg .on{fill:var(--on)}"
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
"figure>svg{display:block;width:100%;height:auto;max-width:1000px}"
"svg.plot{cursor:crosshair;touch-action:pan-y}"
".plot .ln{vector-effect:non-scaling-stroke}"
".chosen{fill:var(--link);fill-opacity:.18;pointer-events:none}"
".here{fill:none;stroke:var(--fg);stroke-width:2px;pointer-events:none;"
"vector-effect:non-scaling-stroke}"
"svg.plot:focus-visible,[data-m]:focus{outline:2px solid var(--link);"
"outline-offset:1px}"
".tip{position:fixed;left:8px;bottom:0;background:var(--card);padding:4px 8px;"
"border:1px solid var(--line);font-size:13px}.off{display:none}"
"tr[data-k]{cursor:pointer}"
STYLE_MARKS
".banner{background:var(--badbg);color:var(--bad);border:1px solid var(--bad);"
"border-radius:8px;padding:10px 14px;margin:14px 0;font-weight:600}"
".cards{display:flex;flex-wrap:wrap;gap:10px;margin:14px 0}"
".card{background:var(--card);border:1px solid var(--line);border-radius:8px;"
"padding:8px 12px;min-width:100px}.card b{display:block;font-size:19px}"
".card span{color:var(--dim);font-size:12.5px}"
"table{border-collapse:collapse;font-size:13px;margin:6px 0;"
"font-variant-numeric:tabular-nums}"
/* a shadow where a table goes on */
".scroll{overflow-x:auto;background:"
"linear-gradient(90deg,var(--bg) 50%,transparent) 0 0/40px 100% no-repeat local,"
"linear-gradient(270deg,var(--bg) 50%,transparent) 100% 0/40px 100% no-repeat local,"
"linear-gradient(90deg,var(--line),transparent) 0 0/14px 100% no-repeat,"
"linear-gradient(270deg,var(--line),transparent) 100% 0/14px 100% no-repeat}"
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
".insight{border-left:4px solid var(--c1);padding:2px 12px;margin:10px 0}"
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
"figure{padding:12px 10px}th,td{padding:3px 5px}th{white-space:normal}"
"table{font-size:12px}td.path{min-width:150px}}\n"
"@media screen and (max-width:640px){figure{overflow-x:auto}"
"figure>svg{width:820px;max-width:none}"
"h3,figcaption,figure>p{position:sticky;left:0}}\n"
/* while a time is selected: what stays that of the whole job */
"body.part section:not(#events):not(#figures)>h2::after,"
"body.part figure:not(:has(svg.plot)):not(:has(.cells))>h3::after"
"{content:\" (whole job)\";color:var(--dim);font-weight:normal}\n"
/* a definition below its number, where there is no room beside it */
"@media screen and (max-width:600px){"
"table:has(td.text),table:has(td.text) tbody{display:block}"
"table:has(td.text) thead{display:none}"
"tr:has(>td.text){display:grid;grid-template-columns:1fr auto;"
"border-bottom:1px solid var(--line)}tr:has(>td.text)>td{border:0;padding:3px 0}"
"tr:has(>td.text)>td.text{grid-column:1/-1;color:var(--dim)}}\n"
"@media print{.tip{display:none}main{max-width:none;padding:0}body{font-size:12px}"
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
"});\n"
/* Figures over time: wheel, drag and keys zoom and select; a selection filters
 * the tables of processes and calls. Marks are reached by arrow keys. */
"(function(){\n"
" var D=document,plots=[].slice.call(D.querySelectorAll('svg.plot')),sel={},\n"
"  from=0,to=1,command=D.getElementById('command'),tip=D.createElement('p');\n"
" tip.className='tip';tip.hidden=true;tip.setAttribute('role','status');\n"
" D.body.appendChild(tip);\n"
" plots.forEach(function(p){var v=p.viewBox.baseVal;\n"
"  p.box={x:v.x,y:v.y,w:v.width,h:v.height};p.s=+p.dataset.s;});\n"
" function say(text){tip.textContent=text||'';tip.hidden=!text;}\n"
" function words(s){return s>=1?+s.toFixed(3)+' s':+(s*1e3).toFixed(3)+' ms';}\n"
" function make(tag,parent,attributes){\n"
"  var e=D.createElementNS(parent.namespaceURI,tag);\n"
"  Object.keys(attributes).forEach(function(k){e.setAttribute(k,attributes[k])});\n"
"  parent.appendChild(e);return e;}\n"
" function ticks(p){\n"
"  var g=p.parentNode.querySelector('.ticks'),b=p.box,a=from*p.s,z=to*p.s,\n"
"   texts=g.querySelectorAll('text'),line=g.querySelector('line');\n"
"  if(!line)return;\n"
"  if(!g.f){var y=+line.getAttribute('y1'),x=+texts[1].getAttribute('x');\n"
"   g.f=parseFloat(texts[1].textContent)/((x-b.x)/b.w*p.s);g.y=y;}\n"
"  var raw=(z-a)*g.f/8,step=Math.pow(10,Math.floor(Math.log10(raw)));\n"
"  step*=raw>5*step?10:raw>2*step?5:raw>step?2:1;\n"
"  g.textContent='';\n"
"  for(var i=Math.ceil(a*g.f/step-1e-9);i*step<=z*g.f*(1+1e-9);i++){\n"
"   var at=b.x+(i*step/g.f-a)/(z-a)*b.w;\n"
"   make('line',g,{x1:at,x2:at,y1:g.y,y2:g.y+4,'class':'axis'});\n"
"   make('text',g,{x:at,y:g.y+13,dy:'.35em','text-anchor':'middle','class':'dim'})\n"
"    .textContent=+(i*step).toPrecision(9);}}\n"
" function zoom(a,z){\n"
"  var w=Math.min(1,Math.max(z-a,1e-6));\n"
"  a=Math.min(Math.max(a,0),1-w);\n"
"  if(a===from&&a+w===to)return;\n"
"  from=a;to=a+w;\n"
"  plots.forEach(function(p){var b=p.box;\n"
"   p.setAttribute('viewBox',[b.x+a*b.w,b.y,w*b.w,b.h].join(' '));ticks(p);});}\n"
" function quote(t){return '\"'+t.replace(/([\"\\\\])/g,'\\\\$1')+'\"';}\n"
/* The part of the timeline's seconds by class and of the maps' bytes that lies in
 * the selected time, of the selected process. */
" function sums(){\n"
"  var sum={};\n"
"  function add(name,m,all,part,unit){\n"
"   if(sel.process&&process(m)!==sel.process||!all)return;\n"
"   sum[name]=sum[name]||{v:0,unit:unit};sum[name].v+=part;}\n"
"  function share(a,z){\n"
"   return Math.max(0,Math.min(z,sel.z)-Math.max(a,sel.a))/(z-a);}\n"
"  D.querySelectorAll('#fig-timeline path[data-m=busy]').forEach(function(m){\n"
"   var p=m.closest('svg.plot'),v=/(.*) (\\S+)$/.exec(m.dataset.v),all=0,part=0;\n"
"   m.getAttribute('d').replace(/M([\\d.]+) [\\d.]+v-([\\d.]+)h([\\d.]+)/g,function(t,x,h,w){\n"
"    var a=(x-p.box.x)/p.box.w*p.s;\n"
"    all+=h*w;part+=h*w*share(a,a+w/p.box.w*p.s);});\n"
"   if(v)add(v[1],m,all,v[2]*part/all,words);});\n"
"  D.querySelectorAll('#fig-bytes g.cells').forEach(function(m){\n"
"   var v=m.dataset.v.split(' '),w=plots.length?plots[0].s/v.length:0,part=0,h=m;\n"
"   while(h&&!h.classList.contains('strong'))h=h.previousElementSibling;\n"
"   v.forEach(function(n,i){part+=n*share(i*w,(i+1)*w)});\n"
"   add(h?h.textContent:'moved',m,w,part,bytes);});\n"
"  return Object.keys(sum).map(function(k){return k+' '+sum[k].unit(+sum[k].v.toPrecision(3))}).join(', ');}\n"
" function bytes(n){var u=['B','KiB','MiB','GiB','TiB'],i=0;\n"
"  while(n>=1024&&i<4){n/=1024;i++;}return +n.toPrecision(3)+' '+u[i];}\n"
" function show(){\n"
"  var parts=['process','function','file'].filter(function(k){return sel[k]}),all,n=0;\n"
"  var where=parts.map(function(k){return k+' = '+quote(sel[k])});\n"
"  var text=parts.map(function(k){return k+' '+sel[k]});\n"
"  plots.forEach(function(p){var r=p.querySelector('.chosen');if(r)r.remove();\n"
"   if('a' in sel)make('rect',p,{x:p.box.x+sel.a/p.s*p.box.w,y:p.box.y,\n"
"    width:Math.max((sel.z-sel.a)/p.s*p.box.w,0),height:p.box.h,'class':'chosen'});});\n"
"  if('a' in sel){\n"
"   where.push('time >= '+sel.a.toFixed(6)+'s and time < '+sel.z.toFixed(6)+'s');\n"
"   text.push('begun between '+words(sel.a)+' and '+words(sel.z));}\n"
"  D.querySelectorAll('tr[data-k=process]').forEach(function(r){\n"
"   r.classList.toggle('off',!!sel.process&&r.dataset.q!==sel.process)});\n"
"  D.body.classList.toggle('part','a' in sel);\n"
"  if(!command)return;\n"
"  all=D.querySelectorAll('#events tbody tr');\n"
"  all.forEach(function(r){var c=r.cells,t=+c[0].dataset.v,\n"
"   off=('a' in sel&&!(t>=sel.a&&t<sel.z))||(sel.process&&c[2].textContent!==sel.process)||\n"
"    (sel['function']&&c[3].textContent!==sel['function'])||(sel.file&&c[5].textContent!==sel.file);\n"
"   r.classList.toggle('off',!!off);n+=!off;});\n"
"  command.textContent=\"dftrace analyze --view event \"+(where.length?\n"
"   \"--where '\"+where.join(' and ').replace(/'/g,\"'\\\\''\")+\"' \":'')+command.dataset.dir;\n"
"  var p=D.getElementById('selection');p.textContent='';\n"
"  if(!text.length)return;\n"
"  p.textContent='Selected: '+text.join(', ')+'. '+n+' of the '+all.length+' longest calls. '+\n"
"   ('a' in sel&&sums()?'In that time: '+sums()+'. ':'');\n"
"  var b=D.createElement('button');b.textContent='clear';b.onclick=clear;p.appendChild(b);}\n"
" function clear(){sel={};show();}\n"
" function process(e){var m=e&&/([^ ,]+:\\d+)$/.exec(e.dataset.p||'');return m&&m[1];}\n"
" function choose(e,a,z,jump){\n"
"  var p=process(e);\n"
"  if(p)sel.process=p;\n"
"  if(z>a){sel.a=a;sel.z=z;}\n"
"  if(p||z>a){show();if(jump&&command)D.getElementById('events').scrollIntoView();}}\n"
" plots.forEach(function(p){\n"
"  var start=null,band;\n"
"  function at(e){var r=p.getBoundingClientRect();\n"
"   return from+(to-from)*Math.min(1,Math.max(0,(e.clientX-r.left)/r.width));}\n"
"  p.addEventListener('wheel',function(e){\n"
"   if(e.deltaY>0&&to-from===1)return;\n"
"   e.preventDefault();\n"
"   var t=at(e),f=e.deltaY<0?0.8:1.25;zoom(t-(t-from)*f,t+(to-t)*f);},{passive:false});\n"
"  p.addEventListener('pointerdown',function(e){if(e.button)return;\n"
"   start=at(e);p.setPointerCapture(e.pointerId);p.from=e.target;});\n"
"  p.addEventListener('pointermove',function(e){if(start===null)return;\n"
"   var t=at(e),a=Math.min(t,start),b=p.box;\n"
"   band=band||make('rect',p,{y:b.y,height:b.h,'class':'chosen band'});\n"
"   band.setAttribute('x',b.x+a*b.w);band.setAttribute('width',Math.abs(t-start)*b.w);});\n"
"  p.addEventListener('pointerup',function(e){if(start===null)return;\n"
"   var t=at(e),a=Math.min(t,start),z=Math.max(t,start);\n"
"   if(band)band.remove();band=null;start=null;\n"
"   if((z-a)/(to-from)>0.005)choose(null,a*p.s,z*p.s);\n"
"   else{var w=(to-from)/100;choose(p.from.closest('[data-p]'),\n"
"    Math.max(0,t-w)*p.s,(t+w)*p.s);}});\n"
"  p.addEventListener('keydown',function(e){\n"
"   var w=to-from,m=(from+to)/2,k=e.key;\n"
"   if(k==='+'||k==='=')zoom(m-w*0.4,m+w*0.4);\n"
"   else if(k==='-')zoom(m-w*0.625,m+w*0.625);\n"
"   else if(k==='ArrowRight')zoom(from+w/5,to+w/5);\n"
"   else if(k==='ArrowLeft')zoom(from-w/5,to-w/5);\n"
"   else if(k==='Home'||k==='0')zoom(0,1);\n"
"   else if(k==='Enter')choose(null,from*p.s,to*p.s);\n"
"   else if(k==='Escape')clear();\n"
"   else return;\n"
"   e.preventDefault();});});\n"
" D.querySelectorAll('figure>svg').forEach(function(s){\n"
"  var marks=[].slice.call(s.querySelectorAll('[data-m]')).filter(function(m){\n"
"   return !m.closest('.plot')}),plot=D.querySelector('svg.plot');\n"
"  function cell(m,i){var n=m.dataset.v.split(' ').length;\n"
"   i=Math.min(n-1,Math.max(0,i));\n"
"   return {i:i,a:i/n*plot.s,z:(i+1)/n*plot.s};}\n"
"  function span(m,e){var r=m.getBoundingClientRect();\n"
"   return cell(m,Math.floor((e.clientX-r.left)/r.width*m.dataset.v.split(' ').length));}\n"
"  function tell(m,c){\n"
"   say(m.dataset.p+', '+words(c.a)+' to '+words(c.z)+': '+(+m.dataset.v.split(' ')[c.i]).toLocaleString('en')+' B');}\n"
"  function point(m,i){var c=cell(m,i),b=m.querySelector('.here');\n"
"   m.at=c.i;b=b||make('rect',m,{y:0,width:1,height:1,'class':'here'});\n"
"   b.setAttribute('x',c.i);tell(m,c);}\n"
"  function leave(m){var b=m.querySelector('.here');if(b)b.remove();say();}\n"
"  function text(m){var t=m.querySelector('title');return t?t.textContent:m.dataset.p;}\n"
"  marks.forEach(function(m,i){\n"
"   m.setAttribute('tabindex',i?-1:0);m.setAttribute('role','img');\n"
"   m.setAttribute('aria-label',text(m));\n"
"   m.addEventListener('focus',function(){say(text(m))});\n"
"   m.addEventListener('blur',function(){leave(m)});\n"
"   if(m.classList.contains('cells')&&plot){\n"
"    m.addEventListener('mousemove',function(e){tell(m,span(m,e))});\n"
"    m.addEventListener('mouseleave',function(){say()});\n"
"    m.addEventListener('click',function(e){var c=span(m,e);choose(m,c.a,c.z,1)});}\n"
"   else m.addEventListener('click',function(){choose(m,0,0,1)});});\n"
"  s.addEventListener('keydown',function(e){\n"
"   var i=marks.indexOf(D.activeElement),k=e.key,m=marks[i],c,at;\n"
"   if(i<0)return;\n"
"   at=m.at;if(m.classList.contains('cells')&&plot)c=cell(m,at||0);\n"
"   if(c&&(k==='ArrowRight'||k==='ArrowLeft'))point(m,at===undefined?0:k==='ArrowRight'?at+1:at-1);\n"
"   else if(k==='Enter')choose(m,c&&at!==undefined?c.a:0,c&&at!==undefined?c.z:0,1);\n"
"   else if(k==='Escape')clear();\n"
"   else{i={ArrowRight:i+1,ArrowDown:i+1,ArrowLeft:i-1,ArrowUp:i-1,Home:0,End:marks.length-1}[k];\n"
"    if(i===undefined||!marks[i])return;\n"
"    marks[i].focus();if(c&&at!==undefined)point(marks[i],at);}\n"
"   e.preventDefault();});});\n"
" D.querySelectorAll('tr[data-k]').forEach(function(r){\n"
"  function go(){sel[r.dataset.k]=r.dataset.q;show();\n"
"   if(command)D.getElementById('events').scrollIntoView();}\n"
"  r.tabIndex=0;r.title='its events';\n"
"  r.addEventListener('click',go);\n"
"  r.addEventListener('keydown',function(e){if(e.key==='Enter')go()});});\n"
" show();\n"
"}());\n";
/* clang-format on */
