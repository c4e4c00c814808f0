# SPDX-License-Identifier: BSD-3-Clause
"""Progress of a reconstruction: a bar in notebooks, a line in terminals."""
import html
import sys


def _in_notebook():
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return shell is not None and hasattr(shell, "kernel")


class _Line:
    """One line of a terminal, written again and again."""

    def __init__(self):
        self._length = 0

    def show(self, done, text):
        line = f"{100 * done:3.0f} %  {text}"
        sys.stderr.write("\r" + line.ljust(self._length))
        sys.stderr.flush()
        self._length = len(line)

    def end(self):
        if self._length:
            sys.stderr.write("\n")


class _Bar:
    """A bar below the cell of a notebook, with the line as text for those that show none."""

    def __init__(self):
        self._handle = None

    def show(self, done, text):
        from IPython import display  # pylint: disable=import-outside-toplevel

        line = f"{100 * done:3.0f} %  {text}"
        bundle = {
            "text/plain": line,
            "text/html": f'<progress value="{done:.4f}" max="1" style="width: 40%"></progress> {html.escape(line)}',
        }
        if self._handle is None:
            self._handle = display.display(bundle, raw=True, display_id=True)
        else:
            self._handle.update(bundle, raw=True)

    def end(self):
        pass


def indicator():
    """What shows progress here: show(share that is done, line of text), then end()."""
    return _Bar() if _in_notebook() else _Line()
