#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t5230-network.t - trace points of HTTP and object stores: where to, but neither
#                   queries nor credentials

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/python.sh"

folders='urllib3 requests botocore tensorflow tensorflow/python tensorflow/python/lib tensorflow/python/lib/io pyarrow pyarrow/parquet'
for folder in $folders; do
    mkdir -p "$tmp/mods/$folder"
    touch "$tmp/mods/$folder/__init__.py"
done
cat >"$tmp/mods/urllib3/connectionpool.py" <<'END'
class HTTPConnectionPool:
    def __init__(self, host, port):
        self.host, self.port = host, port

    def urlopen(self, method, url, body=None):
        return url
END
cat >"$tmp/mods/requests/sessions.py" <<'END'
class Request:
    def __init__(self, method, url):
        self.method, self.url = method, url


class Session:
    def send(self, request, **options):
        return request.url
END
cat >"$tmp/mods/botocore/client.py" <<'END'
class BaseClient:
    def _make_api_call(self, operation_name, api_params):
        return api_params
END
cat >"$tmp/mods/tensorflow/python/lib/io/file_io.py" <<'END'
class FileIO:
    def __init__(self, name):
        self.name = name

    def read(self, n=-1):
        return b"12345"

    def write(self, file_content):
        pass
END
cat >"$tmp/mods/pyarrow/parquet/core.py" <<'END'
class Table:
    nbytes = 4096


def read_table(source, *, columns=None):
    return Table()
END
cat >"$tmp/program.py" <<'END'
import sys

sys.path.insert(0, sys.argv[1])
from botocore.client import BaseClient
from requests.sessions import Request, Session
from urllib3.connectionpool import HTTPConnectionPool

HTTPConnectionPool("host", 8080).urlopen("GET", "/a/b?X-Amz-Signature=hidden#hidden")
for url in ("https://name:hidden@host:1/a@b?q=hidden", "https://host", "relative/a?hidden", b"hidden"):
    Session().send(Request("PUT", url))
BaseClient()._make_api_call("GetObject", {"Bucket": "b", "Key": "k/1", "SSECustomerKey": "hidden"})
BaseClient()._make_api_call("ListBuckets", {})

from pyarrow.parquet.core import read_table
from tensorflow.python.lib.io.file_io import FileIO

FileIO("s3://bucket/a/key").read()
FileIO("gs://bucket/b").write("123")
read_table("s3://name:hidden@bucket/table.parquet?hidden")
END

job=$tmp/job
traced "$job" "$tmp/program.py" "$tmp/mods"
is "$(cat "$tmp/out" "$tmp/err")" "" "says nothing"
is "$(args "$job" net urllib3)" "method=GET host=host port=8080 path=/a/b" "a path without its query"
is "$(args "$job" net requests | tr '\n' ';')" \
    "method=PUT url=https://host:1/a@b;method=PUT url=https://host;method=PUT url=relative/a;method=PUT;" \
    "an address without credentials; what is no text is left out"
is "$(args "$job" net botocore | tr '\n' ';')" "op=GetObject bucket=b key=k/1;op=ListBuckets;" "a bucket and a key"
is "$(args "$job" io tensorflow.read);$(args "$job" io tensorflow.write)" \
    "path=s3://bucket/a/key size=5;path=gs://bucket/b size=3" "files of TensorFlow: bucket and key"
is "$(args "$job" io pyarrow.read_table)" "path=s3://bucket/table.parquet size=4096" "tables of Arrow: bucket and key"
is "$("$dftrace" export -f jsonl "$job" | grep -c hidden)" 0 "nothing of the rest is in the trace"

done_testing
