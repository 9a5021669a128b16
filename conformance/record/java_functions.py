"""Functions that are put together inside a JVM, of methods that it has: many calls cross the gateway as two.

Java, java.lang.invoke: method handles are composed while a program runs, and nothing is compiled.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, TypeAlias, TypeVar

STRING: Final = "java.lang.String"
FUTURE: Final = "java.util.concurrent.CompletableFuture"
FUNCTION: Final = "java.util.function.Function"
FAILED: Final = "!"
"""What a line begins with that says what was thrown instead of what was asked for."""

T = TypeVar("T")

Later: TypeAlias = Callable[[], T]
"""What was asked for, for whoever waits for it."""

_GUAVA: Final = "com.google.common"
_TRANSFORM: Final = f"{_GUAVA}.base.Function"


class Functions:
    """Makes functions, as method handles, of the public methods of a JVM that has Guava.

    Args:
        jvm: its packages.
        folder: through which answers come: of a long one, the gateway would hold back the end for 40 milliseconds, as
            both ends of a connection wait for each other (RFC 896, RFC 1122, 4.2.3.2).
    """

    def __init__(self, jvm: Any, folder: Path) -> None:
        self._jvm, self._handles, self._folder = jvm, jvm.java.lang.invoke.MethodHandles, folder
        self._lookup = self._handles.publicLookup()

    def method(self, owner: str, name: str, *parameters: str, of: Any = None) -> Any:
        """A method: it takes what it is called on, unless that is given or the method is static, and its parameters."""
        found = self._class(owner).getMethod(name, self._array("java.lang.Class", map(self._class, parameters)))
        function = self._lookup.unreflect(found)
        return function if of is None else function.bindTo(of)

    def new(self, owner: str) -> Any:
        """A new object of a class, made of nothing."""
        return (
            self._class(owner)
            .getConstructor(self._array("java.lang.Class", ()))
            .newInstance(self._array("java.lang.Object", ()))
        )

    def threads(self, count: int) -> Any:
        """So many threads, for what would wait otherwise."""
        return self._jvm.java.util.concurrent.Executors.newFixedThreadPool(count)

    def in_text(self) -> Any:
        """From bytes to text: Base64."""
        encoder = self._jvm.java.util.Base64.getEncoder()
        return self.method("java.util.Base64$Encoder", "encodeToString", "[B", of=encoder)

    def given(self, function: Any, *values: Any) -> Any:
        """A function whose last parameters are given."""
        first = function.type().parameterCount() - len(values)
        return self._handles.insertArguments(function, first, self._array("java.lang.Object", values))

    def then(self, function: Any, *following: Any) -> Any:
        """A function, and then others, each of what came of the one before."""
        for one in following:
            told = function.type().returnType()
            function = self._handles.filterReturnValue(function, one.asType(one.type().changeParameterType(0, told)))
        return function

    def both(self, function: Any, first: Any, second: Any) -> Any:
        """A function of two, which are what two others make of the same."""
        filters = self._array("java.lang.invoke.MethodHandle", [second])
        return self._handles.foldArguments(self._handles.filterArguments(function, 1, filters), first)

    def instance(self, function: Any, interface: str = FUNCTION) -> Any:
        """A function as an object, to be handed to methods."""
        return self._jvm.java.lang.invoke.MethodHandleProxies.asInterfaceInstance(self._class(interface), function)

    def in_time(self, asking: Any, told: Any, limit_ms: int) -> Any:
        """From a function to a future: one to a future text that always comes, of what is told or what was thrown.

        Args:
            asking: from a line to a future.
            told: from what that brings to a line.
            limit_ms: how long it may take.
        """
        to_future = asking.asType(asking.type().changeReturnType(self._class(FUTURE)))
        failed = self.method(FUTURE, "failedFuture", "java.lang.Throwable")
        limit = self.method(FUTURE, "orTimeout", "long", "java.util.concurrent.TimeUnit")
        unit = self._jvm.java.util.concurrent.TimeUnit.MILLISECONDS
        return self.then(
            self._handles.catchException(to_future, self._class("java.lang.Throwable"), failed),
            self.given(limit, limit_ms, unit),
            self.given(self.method(FUTURE, "thenApply", FUNCTION), self.instance(told)),
            self.given(self.method(FUTURE, "exceptionally", FUNCTION), self.instance(self._thrown())),
        )

    def together(self, asking: Any) -> Callable[[Sequence[str]], Later[list[str]]]:
        """What asks for many lines at once, in one call, and takes all that comes of them in another.

        Args:
            asking: from a line to a future line, as ``in_time`` makes it.
        """
        answer = self._folder / "answer"
        base, lists = self._jvm.com.google.common.base, f"{_GUAVA}.collect.Lists"
        split, join = base.Splitter.on("\n"), base.Joiner.on("\n")
        transform = self.method(lists, "transform", "java.util.List", _TRANSFORM)
        start = self._called(
            self.method(f"{_GUAVA}.base.Splitter", "splitToList", "java.lang.CharSequence", of=split),
            self.given(transform, self.instance(asking, _TRANSFORM)),
            self.method(lists, "newArrayList", "java.lang.Iterable"),
        )
        end = self._called(
            self.given(transform, self.instance(self.method(FUTURE, "join"), _TRANSFORM)),
            self.method(f"{_GUAVA}.base.Joiner", "join", "java.lang.Iterable", of=join),
            self._written(answer),
        )

        def ask(lines: Sequence[str]) -> Later[list[str]]:
            if not lines:
                return list
            started = start("\n".join(lines))

            def answers() -> list[str]:
                end(started)
                return answer.read_text(encoding="utf-8").split("\n")

            return answers

        return ask

    def _called(self, *steps: Any) -> Any:
        """Functions one after the other, which are called at once: a list of arguments would be three calls more."""
        return self.instance(self.then(*steps)).apply

    def _thrown(self) -> Any:
        """From what was thrown to a line, of what it came from."""
        thrown, words = "java.lang.Throwable", "java.lang.CharSequence"
        return self.then(
            self.method(f"{_GUAVA}.base.Throwables", "getRootCause", thrown),
            self.method(thrown, "toString"),
            self.given(self.method(STRING, "replace", words, words), "\n", " "),
            self.method(STRING, "concat", STRING, of=FAILED),
        )

    def _written(self, file: Path) -> Any:
        """From a text to a file that has it."""
        options = self._array("java.nio.file.OpenOption", ())
        write = self.method(
            "java.nio.file.Files",
            "writeString",
            *("java.nio.file.Path", "java.lang.CharSequence", "[Ljava.nio.file.OpenOption;"),
            of=self._jvm.java.io.File(str(file)).toPath(),
        )
        return self.given(write, options)

    def _class(self, name: str) -> Any:
        return self._jvm.java.lang.Long.TYPE if name == "long" else self._jvm.java.lang.Class.forName(name)

    def _array(self, name: str, values: Any) -> Any:
        given = list(values)
        array = self._jvm.java.lang.reflect.Array.newInstance(self._class(name), len(given))
        for place, value in enumerate(given):
            array[place] = value
        return array
