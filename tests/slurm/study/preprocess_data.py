# SPDX-License-Identifier: MIT
#
# preprocess_data.py - a stand-in for the tokenizer: two bytes a character, an
#     index of eight bytes a document
import argparse
import json

parser = argparse.ArgumentParser()
parser.add_argument('--input')
parser.add_argument('--output-prefix')
args = parser.parse_known_args()[0]

prefix = args.output_prefix + '_text_document'
at = 0
with open(args.input) as source, open(prefix + '.bin', 'wb') as tokens, open(prefix + '.idx', 'wb') as index:
    for line in source:
        text = json.loads(line)['text']
        tokens.write(text.encode('utf-16-le'))
        index.write(at.to_bytes(8, 'little'))
        at += 2 * len(text)
