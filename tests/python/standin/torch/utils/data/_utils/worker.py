# SPDX-License-Identifier: MIT


def _worker_loop(kind, dataset, indices, out, auto_collation, collate_fn, init,
                 worker_id):
    fetcher = kind.create_fetcher(dataset, auto_collation, collate_fn, False)
    for index in iter(indices.get, None):
        try:
            out.put((worker_id, fetcher.fetch(index)))
        except StopIteration:
            out.put((worker_id, None))
    init(worker_id)
