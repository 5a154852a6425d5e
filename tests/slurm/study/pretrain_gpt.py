# SPDX-License-Identifier: MIT
#
# pretrain_gpt.py - a stand-in for the model: each rank reads its share of
#     SEQ x BATCH bytes of the corpus and rank 0 writes a checkpoint of BATCH bytes
import argparse
import os

parser = argparse.ArgumentParser()
parser.add_argument('--seq-length', type=int)
parser.add_argument('--global-batch-size', type=int)
parser.add_argument('--data-path')
parser.add_argument('--save')
args = parser.parse_known_args()[0]
rank, ranks = int(os.environ['RANK']), int(os.environ['WORLD_SIZE'])

share = args.seq_length * args.global_batch_size // ranks
corpus = os.open(args.data_path + '.bin', os.O_RDONLY)
for at in range(0, share, 8192):
    assert len(os.pread(corpus, min(8192, share - at), rank * share + at))
os.close(corpus)
if rank == 0:
    os.makedirs(args.save, exist_ok=True)
    out = os.open(args.save + '/model.ckpt', os.O_WRONLY | os.O_CREAT, 0o644)
    os.write(out, bytes(args.global_batch_size))
    os.close(out)
    with open('/proc/self/maps') as maps:
        cuda = 'libcudart.so.12' in maps.read()
    print('cudart', cuda, 'LD_PRELOAD', os.environ.get('LD_PRELOAD'), flush=True)
