# SPDX-License-Identifier: MIT
"""What has a stream of Arrow -> data frames, Parquet.

Nothing of this is needed to read: each library is imported when it is asked
for.
"""

import importlib
import os


def _library(name, what):
    try:
        return importlib.import_module(name)
    except ImportError:
        from ._read import Error
        raise Error("%s: needs the package %s: install it (pip install %s)"
                    % (what, name, name)) from None


class Arrow:
    """For those that have __arrow_c_stream__."""

    def to_arrow(self):
        """A pyarrow.Table."""
        return _library("pyarrow", "to_arrow").table(self)

    def to_polars(self):
        """A polars.DataFrame."""
        return _library("polars", "to_polars").DataFrame(self)

    def to_pandas(self):
        """A pandas.DataFrame, by pyarrow; texts are categories."""
        _library("pandas", "to_pandas")
        table = _library("pyarrow", "to_pandas").table(self)
        return table.unify_dictionaries().to_pandas()

    def to_parquet(self, path, **options):
        """Write a Parquet file by pyarrow, batch by batch, whole or not at
        all. options are those of pyarrow.parquet.ParquetWriter."""
        pyarrow = _library("pyarrow", "to_parquet")
        parquet = _library("pyarrow.parquet", "to_parquet")
        path = os.fspath(path)
        part = "%s.%d.part" % (path, os.getpid())
        options.setdefault("compression", "zstd")
        try:
            with pyarrow.RecordBatchReader.from_stream(self) as batches:
                with parquet.ParquetWriter(part, batches.schema,
                                           **options) as out:
                    for batch in batches:
                        out.write_batch(batch)
            os.replace(part, path)
        except BaseException:
            if os.path.exists(part):
                os.unlink(part)
            raise
