# SPDX-License-Identifier: MIT


class Module:
    def _wrapped_call_impl(self, *args, **kwargs):
        return self.forward(*args, **kwargs)

    __call__ = _wrapped_call_impl
