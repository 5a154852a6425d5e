#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""contrast.py PAGE - contrast of each colour with its background, in both themes

Out: "THEME COLOUR RATIO" lines, by the formula of WCAG 2; shades as the page
     mixes them.
"""
import re, sys

page = open (sys.argv[1], encoding = "utf-8").read ()
root = re.findall (r":root\{(.*?)\}", page)
rules = dict (re.findall (r"\.c(\d+)\{--k:(.*?)\}", page))

def rgb (text):
    text = text.lstrip ("#")
    text = "".join (c + c for c in text) if len (text) == 3 else text
    return [int (text[i:i + 2], 16) for i in (0, 2, 4)]

def luminance (colour):
    parts = [c / 255 for c in colour]
    parts = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
             for c in parts]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]

def ratio (a, b):
    high, low = sorted ((luminance (a), luminance (b)), reverse = True)
    return (high + 0.05) / (low + 0.05)

for theme, text in zip (("light", "dark"), root[:2]):
    var = {k: rgb (v) for k, v in re.findall (r"--(\w+):(#\w+)", text)}
    for name in ("fg", "dim", "link", "bad"):
        print (theme, name, "%.2f" % ratio (var[name], var["bg"]))
    for number, rule in rules.items ():
        mix = re.match (r"color-mix\(in srgb,var\(--(\w+)\) (\d+)%,var\(--(\w+)\)\)", rule)
        if mix:
            share = int (mix[2]) / 100
            colour = [x * share + y * (1 - share)
                      for x, y in zip (var[mix[1]], var[mix[3]])]
        else:
            colour = var[re.match (r"var\(--(\w+)\)", rule)[1]]
        for back in ("bg", "card"):
            print (theme, "c%s on %s" % (number, back), "%.2f" % ratio (colour, var[back]))
