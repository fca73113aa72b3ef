"""A child process with a log: started, waited for until it really answers, and always ended."""

import os
import signal
import socket
import subprocess
import time

READY_SECONDS = 20  # A start takes a fraction of a second; a machine under load may need more.


def wait_until(condition, seconds, what):
    """Polls `condition` until it is true and returns its value; fails after `seconds`, naming `what`."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() >= end:
            raise AssertionError(f"not within {seconds} s: {what}")
        time.sleep(0.02)


_given = set()


def free_port():
    """A port of 127.0.0.1 that nobody listens on, and that this run has not handed out before."""
    while True:
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            port = s.getsockname()[1]
        if port not in _given:
            _given.add(port)
            return port


def accepts(port):
    with socket.socket() as s:
        s.settimeout(1)
        return s.connect_ex(("127.0.0.1", port)) == 0


class Process:
    """`argv` with both outputs appended to the file `log`."""

    def __init__(self, name, argv, log):
        self.name = name
        self.argv = [str(a) for a in argv]
        self.log_path = log
        self._child = None

    def start(self, ports):
        """Starts it and waits until it listens on all of `ports`."""
        assert self._child is None
        with open(self.log_path, "ab") as log:
            # A group of its own, so that a wrapper's children end with it.
            self._child = subprocess.Popen(self.argv, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                           start_new_session=True)
        try:
            wait_until(lambda: self._listens_on(ports), READY_SECONDS,
                       f"{self.name} listens on {ports}")
        except AssertionError as e:
            self.kill()
            raise AssertionError(f"{e}\n{' '.join(self.argv)}\n{self.log()[-4000:]}") from None

    def _listens_on(self, ports):
        if self._child.poll() is not None:
            raise AssertionError(f"{self.name} ended with {self._child.returncode}")
        return all(accepts(port) for port in ports)

    @property
    def pid(self):
        return self._child.pid

    def running(self):
        return self._child is not None and self._child.poll() is None

    def signal(self, number):
        self._child.send_signal(number)

    def wait(self, seconds):
        """Its exit status; fails if it does not end by itself."""
        try:
            status = self._child.wait(seconds)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"{self.name} still runs after {seconds} s") from None
        self._child = None
        return status

    def stop(self, seconds=30):
        """SIGTERM; returns the exit status."""
        self.signal(signal.SIGTERM)
        return self.wait(seconds)

    def kill(self):
        """Ends it and its children at once, however they are."""
        if self._child is None:
            return
        try:
            os.killpg(self._child.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self._child.wait()
        self._child = None

    def log(self):
        with open(self.log_path, encoding="utf-8", errors="replace") as f:
            return f.read()
