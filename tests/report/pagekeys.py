#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""pagekeys.py BROWSER PAGE PROFILE OTHER… - wheel, drag, keys and clicks on a page

In:  a page of a job, in a headless Chromium that is driven over a pipe; others whose width
     is looked at
Out: TAP without a plan; "command" lines with what the page says lists a
     selection's events
"""
import json, os, re, subprocess, sys

browser, page, profile = sys.argv[1:4]
to_us, theirs_out = os.pipe ()
theirs_in, to_them = os.pipe ()

def plumb ():
    keep = [os.dup2 (theirs_in, 3 + 40), os.dup2 (theirs_out, 4 + 40)]
    os.dup2 (keep[0], 3)
    os.dup2 (keep[1], 4)

child = subprocess.Popen (
    [browser, "--headless", "--no-sandbox", "--disable-gpu",
     "--disable-dev-shm-usage", "--remote-debugging-pipe",
     "--user-data-dir=" + profile, "about:blank"],
    preexec_fn = plumb, close_fds = False, stdin = subprocess.DEVNULL,
    stdout = subprocess.DEVNULL, stderr = subprocess.DEVNULL)
os.close (theirs_in)
os.close (theirs_out)
pending, number, session = b"", 0, None

def call (method, **params):
    global pending, number
    number += 1
    message = {"id": number, "method": method, "params": params}
    if session:
        message["sessionId"] = session
    os.write (to_them, json.dumps (message).encode () + b"\0")
    while True:
        while b"\0" in pending:
            one, pending = pending.split (b"\0", 1)
            answer = json.loads (one)
            if answer.get ("id") == number:
                return answer.get ("result", {})
        more = os.read (to_us, 1 << 16)
        if not more:
            raise SystemExit ("not ok - the browser answers")
        pending += more

def value (script):
    answer = call ("Runtime.evaluate", expression = script, returnByValue = True)
    return answer["result"].get ("value")

def mouse (kind, x, y, **more):
    call ("Input.dispatchMouseEvent", type = kind, x = x, y = y, **more)

def click (x, y):
    mouse ("mousePressed", x, y, button = "left", clickCount = 1)
    mouse ("mouseReleased", x, y, button = "left", clickCount = 1)

def key (name, text = ""):
    call ("Input.dispatchKeyEvent", type = "keyDown", key = name, text = text)
    call ("Input.dispatchKeyEvent", type = "keyUp", key = name)

def check (fine, name):
    print (("ok - " if fine else "not ok - ") + name, flush = True)

def place (selector):
    value ("document.querySelector(%s).scrollIntoView({block:'center'})" % json.dumps (selector))
    return value ("(r=>[r.left,r.top,r.width,r.height])"
                  "(document.querySelector(%s).getBoundingClientRect())" % json.dumps (selector))

def view ():
    return value ("[].map.call(document.querySelectorAll('#fig-timeline svg.plot'),"
                  "p=>{var v=p.viewBox.baseVal;return [v.x,v.width]})[0]")

def shown (table):
    return value ("[].filter.call(document.querySelectorAll('#%s tbody tr'),"
                  "r=>r.getClientRects().length).length" % table)

def command ():
    return value ("document.getElementById('command').textContent")

target = call ("Target.createTarget", url = "about:blank")["targetId"]
session = call ("Target.attachToTarget", targetId = target, flatten = True)["sessionId"]
call ("Emulation.setDeviceMetricsOverride", width = 700, height = 900,
      deviceScaleFactor = 1, mobile = False)
call ("Page.enable")
call ("Page.navigate", url = "file://" + page)
while value ("document.readyState") != "complete" or not value ("!!document.querySelector('.tip')"):
    pass

check (value ("document.documentElement.scrollWidth") <= 700,
       "at 700 pixels the page is no wider")
check (value ("[].every.call(document.querySelectorAll('figure>svg'),"
              "s=>s.getBoundingClientRect().right<=700)"),
       "and no figure")
plot = "#fig-timeline svg.plot"
x, y, w, h = place (plot)
whole = view ()
mouse ("mouseWheel", x + w / 2, y + 5, deltaX = 0, deltaY = -120)
near = view ()
check (near[1] < whole[1] and near[0] > whole[0], "the wheel zooms in around the pointer")
check (value ("document.querySelector('#fig-rates svg.plot')?"
              "document.querySelector('#fig-rates svg.plot').viewBox.baseVal.width/"
              "document.querySelector('#fig-rates svg.plot').box.w:0.8") < 0.99,
       "the other figures over time zoom with it")
value ("document.querySelector('%s').focus()" % plot)
key ("ArrowRight")
check (view ()[0] > near[0], "an arrow key moves")
key ("+", "+")
check (view ()[1] < near[1], "+ zooms in")
key ("Home")
check (view () == whole, "Home shows the whole job again")

events = shown ("events")
mouse ("mousePressed", x + w * 0.25, y + 5, button = "left", clickCount = 1)
mouse ("mouseMoved", x + w * 0.5, y + 5, button = "left")
mouse ("mouseReleased", x + w * 0.5, y + 5, button = "left", clickCount = 1)
check (0 < shown ("events") < events, "a drag selects a time, which filters the calls")
check ("time >= " in command (), "the command lists the events of that time")
print ("command", command (), flush = True)
def sums ():
    """Seconds on storage and bytes that the selection says."""
    said = value ("document.getElementById('selection').textContent")
    busy = re.search (r"I/O on storage ([\d.]+) (m?)s", said)
    moved = re.findall (r"(?:read|written) ([\d.e+]+) ([KMGT]?)i?B", said)
    return (float (busy[1]) / (1e3 if busy[2] else 1) if busy else 0,
            sum (float (n) * 1024 ** " KMGT".index (u or " ") for n, u in moved))
def after (selector):
    return value ("getComputedStyle(document.querySelector(%s),'::after').content" %
                  json.dumps (selector))
half = sums ()
check (after ("#calls h2") == '" (whole job)"' and after ("#events h2") == "none" and
       after ("#fig-cost h3") == '" (whole job)"' and after ("#fig-rates h3") == "none",
       "what a selected time does not filter says that it is the whole job's")
key ("Escape")
check (shown ("events") == events, "Escape clears it")
check (after ("#calls h2") == "none", "then nothing does")
value ("document.querySelector('%s').focus()" % plot)
key ("Enter")
check ("time >= 0.0" in command (), "Enter selects what is shown")
every = (value ("[].slice.call(document.querySelectorAll('#fig-timeline path[data-m=busy]'))"
                ".filter(m=>m.dataset.v.startsWith('I/O on storage '))"
                ".reduce((n,m)=>n+ +m.dataset.v.split(' ').pop(),0)"),
         value ("[].slice.call(document.querySelectorAll('#fig-bytes g.cells'))"
                ".reduce((n,m)=>m.dataset.v.split(' ').reduce((n,v)=>n+ +v,n),0)"))
check (every[0] > 0 and every[1] > 0 and
       all (abs (a - b) <= 0.01 * b for a, b in zip (sums (), every)),
       "its sums are those of the whole job: %s, %s" % (sums (), every))
check (0 < half[0] < every[0] and half[1] < every[1], "half of the time has less: %s" % (half,))
key ("Escape")

processes = shown ("ranks")
x, y, w, h = place ("#fig-bytes g.cells:nth-of-type(2)")
click (x + w * 0.6, y + h / 2)
check ("process = " in command () and "time >= " in command (),
       "a cell of a map leads to the events of its process and time")
print ("command", command (), flush = True)
check (shown ("events") < events, "and leaves those of the longest that are there")
value ("document.querySelector('#selection button').focus()")
key ("Enter", "\r")
check (shown ("events") == events, "the button clears the selection")
value ("document.querySelector('#fig-cost [data-m]').focus()")
first = value ("document.activeElement.getAttribute('aria-label')")
key ("ArrowRight")
second = value ("document.activeElement.getAttribute('aria-label')")
check (first and second and first != second and
       value ("document.querySelector('.tip').textContent") == second,
       "bars are reached by keyboard and say what they are")
key ("Enter")
check ("process = " in command (), "Enter on a bar selects its process")
key ("Escape")
# single cells of a map by keyboard
value ("document.querySelector('#fig-bytes g.cells').focus()")
tips = []
for name in ("ArrowRight", "ArrowRight", "ArrowDown"):
    key (name)
    tips.append (value ("document.querySelector('.tip').textContent"))
check (len (set (tips)) == 3 and all (" to " in tip for tip in tips) and
       tips[1].split (", ")[-1].split (":")[0] == tips[2].split (", ")[-1].split (":")[0],
       "arrow keys go from cell to cell, and say each")
key ("Enter")
row = value ("document.activeElement.dataset.p").split (" ")[-1]
check ('process = "%s"' % row in command () and "time >= " in command (),
       "Enter on a cell selects its process and time")
key ("Escape")
x, y, w, h = place ("#calls tbody tr[data-k] td")
click (x + w / 2, y + h / 2)
check ("function = " in command () and shown ("events") < events,
       "a cell of the calls leads to their events")
print ("command", command (), flush = True)
check (not value ("window.failed||''"), "no error")
for other in sys.argv[4:]:
    call ("Page.navigate", url = "file://" + other)
    while value ("location.pathname") != other or value ("document.readyState") != "complete":
        pass
    check (value ("[].every.call(document.querySelectorAll('html,figure>svg'),"
                  "e=>e.scrollWidth<=700&&e.getBoundingClientRect().right<=700)"),
           "%s at 700 pixels: no wider, nor a figure" % os.path.basename (other))
call ("Browser.close")
child.wait (20)
