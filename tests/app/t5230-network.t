#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# t5230-network.t - trace points of HTTP and object stores: where to, but neither
#                   queries nor credentials

. "${top_srcdir:-$(dirname "$0")/../..}/tests/lib.sh" || exit 99
. "$top_srcdir/tests/python.sh"

mkdir -p "$tmp/mods/urllib3" "$tmp/mods/requests" "$tmp/mods/botocore"
touch "$tmp"/mods/{urllib3,requests,botocore}/__init__.py
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
END

job=$tmp/job
traced "$job" "$tmp/program.py" "$tmp/mods"
is "$(cat "$tmp/out" "$tmp/err")" "" "says nothing"
is "$(args "$job" net urllib3)" "method=GET host=host port=8080 path=/a/b" "a path without its query"
is "$(args "$job" net requests | tr '\n' ';')" \
    "method=PUT url=https://host:1/a@b;method=PUT url=https://host;method=PUT url=relative/a;method=PUT;" \
    "an address without credentials; what is no text is left out"
is "$(args "$job" net botocore | tr '\n' ';')" "op=GetObject bucket=b key=k/1;op=ListBuckets;" "a bucket and a key"
is "$("$dftrace" export -f jsonl "$job" | grep -c hidden)" 0 "nothing of the rest is in the trace"

done_testing
