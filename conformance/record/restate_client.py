"""Clients that call the counter through every ingress in turn and write down what they see."""

from __future__ import annotations

import http.client
import random
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

CLIENTS = 4
_PAUSE_SECONDS = (0.03, 0.07)
_CALL_TIMEOUT_SECONDS = 5
_SHOWN_CHARACTERS = 80


class Load:
    """Four clients, each adding one to a key of its own; `rows` is what they saw."""

    def __init__(self, ingresses: Sequence[int], seed: int) -> None:
        self._ingresses, self._seed = tuple(ingresses), seed
        self.rows: list[dict[str, object]] = []
        self._served: Counter[tuple[int, int]] = Counter()
        self._lock = threading.Lock()

    @contextmanager
    def running(self) -> Iterator[None]:
        """Call while the block runs; leaving it waits for the last answers."""
        stop = threading.Event()
        threads = [threading.Thread(target=self._client, args=(client, stop), daemon=True) for client in range(CLIENTS)]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            stop.set()
            for thread in threads:
                thread.join()

    def served(self) -> Counter[tuple[int, int]]:
        """How many calls each client (0 to 3) had answered through each ingress (its port) so far."""
        with self._lock:
            return self._served.copy()

    def has_served(self, before: Counter[tuple[int, int]], ingresses: Sequence[int], calls: int) -> bool:
        """Whether, since `before`, every client and each of these ingresses had so many successes."""
        since = self.served() - before
        by_client: Counter[int] = Counter()
        by_ingress: Counter[int] = Counter()
        for (client, ingress), count in since.items():
            by_client[client] += count
            by_ingress[ingress] += count
        return all(by_client[c] >= calls for c in range(CLIENTS)) and all(by_ingress[i] >= calls for i in ingresses)

    def _client(self, client: int, stop: threading.Event) -> None:
        pace = random.Random(f"{self._seed}:{client}")
        operation = 0
        while not stop.wait(pace.uniform(*_PAUSE_SECONDS)):
            operation += 1
            self._call(client, operation, self._ingresses[(client + operation) % len(self._ingresses)])

    def _call(self, client: int, operation: int, ingress: int) -> None:
        key = f"k{client}"
        self._note(client, operation, "invoke", key, ingress=ingress)
        connection = http.client.HTTPConnection("127.0.0.1", ingress, timeout=_CALL_TIMEOUT_SECONDS)
        try:
            connection.request("POST", f"/Counter/{key}/add", "1", {"content-type": "application/json"})
            answer = connection.getresponse()
            status, text = answer.status, answer.read().decode(errors="replace")[:_SHOWN_CHARACTERS]
        except ConnectionRefusedError as error:  # nobody listened: the call was never sent
            self._note(client, operation, "fail", key, value=str(error), status=None)
        except (OSError, http.client.HTTPException) as error:
            self._note(client, operation, "info", key, error=type(error).__name__)
        else:
            self._note_answer(client, operation, key, ingress, status, text)
        finally:
            connection.close()

    def _note_answer(self, client: int, operation: int, key: str, ingress: int, status: int, text: str) -> None:
        """2xx is done, 4xx was refused before it was accepted, anything else may have been done."""
        match status // 100:
            case 2:
                self._note(client, operation, "ok", key, value=text, status=status)
                with self._lock:
                    self._served[client, ingress] += 1
            case 4:
                self._note(client, operation, "fail", key, value=text, status=status)
            case _:
                self._note(client, operation, "info", key, error=f"status {status}: {text}")

    def _note(self, client: int, operation: int, kind: str, key: str, **more: object) -> None:
        with self._lock:
            head = {"time_ns": time.time_ns(), "client": client, "op": operation, "kind": kind, "key": key}
            self.rows.append({**head, **more})
