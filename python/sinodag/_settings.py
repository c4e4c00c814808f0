# SPDX-License-Identifier: BSD-3-Clause
"""The settings of functions as the library tells them: docstrings and signatures, which are thus always those of the table."""
import inspect
import re
import textwrap

from ._library import VISIT, check, library

WIDTH = 110


class Setting:
    """One setting: its keyword, default, allowed values, unit and meaning."""

    def __init__(self, told):
        def text(name):
            value = getattr(told, name)
            return value.decode() if value is not None else None

        self.keyword = text("name").replace("-", "_")
        self.group, self.type, self.unit = text("group"), text("type"), text("unit")
        self.words = re.split(", | or ", text("words")) if told.words else []
        self.allowed = as_keywords(text("allowed"))
        self.needs = as_keywords(text("needs"))
        self.help = as_keywords(text("help"))
        self.default = self._value(text("usual"))

    def _value(self, usual):
        """The default as Python writes it; None: there is none."""
        if self.type == "flag" and usual in ("yes", "no"):
            return usual == "yes"
        for kind in {"integer": (int,), "number": (int, float)}.get(self.type, ()):
            try:
                return kind(usual)
            except (TypeError, ValueError):
                pass
        return usual

    def facts(self):
        """Default, allowed values, unit, and what has the setting."""
        default = "" if self.default is None else f"default {self.default!r}; "
        allowed = "True or False" if self.type == "flag" else self.allowed
        return default + allowed + (f"; {self.unit}" if self.unit else "") + self.needs


def as_keywords(text):
    """Options of the command line in a text as keywords of Python."""
    return re.sub(r"(?<![\w-])--([a-z][a-z0-9-]*)", lambda option: option[1].replace("-", "_"), text or "")


def settings_of_function(function):
    """The settings of "start", "operator" or "recon"."""
    found = []
    check(library.sinodag_settings(function.encode(), VISIT(lambda _, told: found.append(Setting(told.contents))), None))
    return found


def paragraphs(settings):
    """The settings as text, group after group."""
    lines, group = [], None
    for setting in settings:
        if setting.group != group:
            group = setting.group
            lines += ["", group]
        lines.append(f"  {setting.keyword}")
        for text in (setting.help, f"({setting.facts()})"):
            lines += textwrap.wrap(text, WIDTH, initial_indent="      ", subsequent_indent="      ",
                                   break_on_hyphens=False)
    return "\n".join(lines)


def with_settings(function):
    """Decorates a function, or a class, with the docstring and the signature of its settings."""

    def decorate(target):
        settings = settings_of_function(function)
        target.__doc__ = inspect.cleandoc(target.__doc__) + "\n\nSettings\n" + paragraphs(settings) + "\n"
        usual = inspect.signature(target)
        own = [value for value in usual.parameters.values() if value.kind is not inspect.Parameter.VAR_KEYWORD]
        keyword = inspect.Parameter.KEYWORD_ONLY
        of_table = [inspect.Parameter(setting.keyword, keyword, default=setting.default) for setting in settings]
        target.__signature__ = usual.replace(parameters=own + of_table)
        return target

    return decorate


