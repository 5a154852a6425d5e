# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# browser.sh - what a browser sees in a page; after tests/lib.sh
#
# In:  an HTML file
# Out: facts about its figures, one a line, in $tmp/seen:
#        error TEXT              a message on the console, a script's error
#        figure ID MARKS W H     marks drawn, size of the drawing on screen
#        overlap ID A | B        two labels of a figure that touch
#        outside ID A            a label that leaves its figure
#        mark METRIC POINT VALUE what a mark says it stands for
#        place FIGURE POINT LEFT BELOW  labels beside and below a cell
#        background COLOUR       of the page
#        deadlink HREF           a link in the page that leads to nothing seen
#        sorted YES|NO           a click on a heading sorts a table
#        filtered YES|NO         words in its filter hide the other rows
#
#   browser_found               is there one
#        textsize PIXELS         height of the smallest text of a figure
#
#   browser_look FILE [dark|narrow]  fills $tmp/seen; fails when it cannot start
#                               (narrow: a window of 400 pixels)

browser=$(command -v chromium || command -v chromium-browser ||
    command -v google-chrome) || browser=

browser_found ()
{
    [[ -n $browser ]]
}

# The page as it is, with our questions behind it; its policy lets them run, too.
browser_ask ()
{
    sed 's|<meta name="viewport"|<script nonce="test">var seen=[];onerror=function(m){seen.push("error "+m)};addEventListener("securitypolicyviolation",function(e){seen.push("error blocked "+e.blockedURI)});</script>&|' "$1" |
        sed "s|script-src '|script-src 'nonce-test' '|"
    cat <<'END'
<script nonce="test">
(function () {
    function touch(a, b) {
        return Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 &&
            Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1.5;
    }
    document.querySelectorAll('details').forEach(function (d) { d.open = true; });
    document.querySelectorAll('figure').forEach(function (f) {
        var marks = f.querySelectorAll('svg rect,svg path,svg circle').length;
        f.querySelectorAll(':scope>svg').forEach(function (s) {
            var box = s.getBoundingClientRect();
            var texts = Array.prototype.slice.call(s.querySelectorAll('text'));
            var boxes = texts.map(function (t) { return t.getBoundingClientRect(); });
            seen.push('figure ' + f.id + ' ' + marks + ' ' + Math.round(box.width) +
                ' ' + Math.round(box.height));
            texts.forEach(function (t, i) {
                var b = boxes[i];
                if (b.left < box.left - 1 || b.right > box.right + 1 ||
                    b.top < box.top - 2 || b.bottom > box.bottom + 1)
                    seen.push('outside ' + f.id + ' ' + t.textContent);
                for (var k = i + 1; k < texts.length; k++)
                    if (touch(b, boxes[k]))
                        seen.push('overlap ' + f.id + ' ' + t.textContent + ' | ' +
                            texts[k].textContent);
            });
        });
    });
    document.querySelectorAll('a[href^="#"]').forEach(function (a) {
        var to = document.getElementById(a.getAttribute('href').slice(1));
        if (!to || to.getBoundingClientRect().height < 1)
            seen.push('deadlink ' + a.getAttribute('href'));
    });
    document.querySelectorAll('[data-m]').forEach(function (e) {
        seen.push('mark ' + e.dataset.m + ' ' + e.dataset.p + ' ' + (e.dataset.v || ''));
    });
    function middle(b, from, to) { return (b[from] + b[to]) / 2; }
    document.querySelectorAll('figure').forEach(function (f) {
        var texts = Array.prototype.map.call(f.querySelectorAll('svg text'), function (t) {
            return {text: t.textContent, box: t.getBoundingClientRect()};
        });
        var cells = f.querySelectorAll('rect[data-p]');
        texts = texts.filter(function (t) { // not the numbers in the cells
            return !Array.prototype.some.call(cells, function (r) {
                return touch(r.getBoundingClientRect(), t.box);
            });
        });
        cells.forEach(function (r) {
            var b = r.getBoundingClientRect();
            var below = texts.filter(function (t) {
                return t.box.top >= b.bottom - 1 &&
                    Math.abs(middle(t.box, 'left', 'right') - middle(b, 'left', 'right')) < 2;
            }).sort(function (x, y) { return x.box.top - y.box.top; })[0];
            var left = texts.filter(function (t) {
                return t.box.right <= b.left + 1 &&
                    Math.abs(middle(t.box, 'top', 'bottom') - middle(b, 'top', 'bottom')) < 2;
            }).sort(function (x, y) { return y.box.right - x.box.right; })[0];
            if (below && left)
                seen.push('place ' + f.id + ' ' + r.dataset.p + ' ' + left.text + ' ' + below.text);
        });
    });
    var size = Infinity;
    document.querySelectorAll('figure>svg').forEach(function (s) {
        var zoom = s.getBoundingClientRect().width / s.viewBox.baseVal.width;
        s.querySelectorAll('text').forEach(function (t) {
            size = Math.min(size, zoom * parseFloat(getComputedStyle(t).fontSize));
        });
    });
    if (size < Infinity)
        seen.push('textsize ' + Math.round(size));
    seen.push('background ' + getComputedStyle(document.body).backgroundColor);
    var t = document.querySelector('table.sort'), h = t && t.tHead.rows[0].cells;
    if (t) {
        h[h.length - 1].click();
        seen.push('sorted ' + (h[h.length - 1].getAttribute('aria-sort') ? 'YES' : 'NO'));
    }
    var filter = document.querySelector('input.filter');
    if (filter) {
        var rows = Array.from(filter.nextElementSibling.tBodies[0].rows);
        var words = function (r) {
            return (r.cells[0].textContent + ' ' + r.cells[1].textContent).toLowerCase().split(/\s+/);
        };
        var has = function (r, w) { return r.textContent.toLowerCase().indexOf(w) >= 0; };
        var all = function (r, list) { return list.every(function (w) { return has(r, w); }); };
        // a row that not all others are like: which rows come first depends on times
        var wanted = rows.filter(function (r) {
            return !rows.every(function (other) { return all(other, words(r)); });
        })[0];
        filter.value = wanted ? words(wanted).join(' ') : '';
        filter.dispatchEvent(new Event('input'));
        var right = wanted && !wanted.hidden && rows.every(function (r) {
            return r.hidden !== all(r, words(wanted));
        });
        seen.push('filtered ' + (right ? 'YES' : 'NO'));
    }
    var p = document.createElement('pre');
    p.id = 'seen';
    p.textContent = '\nSEEN\n' + seen.join('\n') + '\nEND\n';
    document.body.appendChild(p);
}());
</script>
END
}

browser_look ()
{
    local dark=() window=1280,1000
    [[ ${2-} == dark ]] && dark=(--blink-settings=preferredColorScheme=0)
    [[ ${2-} == narrow ]] && window=400,800
    browser_ask "$1" >"$tmp/asked.html"
    timeout 60 "$browser" --headless --no-sandbox --disable-gpu \
        --disable-dev-shm-usage --user-data-dir="$tmp/browser" \
        --enable-logging=stderr --window-size=$window "${dark[@]}" \
        --dump-dom "file://$tmp/asked.html" \
        >"$tmp/dom" 2>"$tmp/console" </dev/null
    {
        sed -n 's/.*CONSOLE[^"]*"/error "/p' "$tmp/console"
        sed -n '/^SEEN$/,/^END$/p' "$tmp/dom" | sed '1d;$d; s/&lt;/</g; s/&gt;/>/g; s/&amp;/\&/g'
    } >"$tmp/seen"
    grep -q '^background' "$tmp/seen"
}

# browser_says WORD: the lines of that kind.
browser_says ()
{
    sed -n "s/^$1 //p" "$tmp/seen"
}
