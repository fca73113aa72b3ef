"""A real redis-server for one test, which can be frozen, killed and started again."""

import os
import signal

from support.process import Process, free_port


class Redis:
    def __init__(self, folder, *, name="redis", args=()):
        self.port = free_port()
        self.url = f"redis://127.0.0.1:{self.port}"
        self.process = Process(name, ["redis-server", "--port", self.port, "--bind", "127.0.0.1", "--save", "",
                                      "--appendonly", "no", *args], folder / f"{name}.log")

    def start(self):
        self.process.start([self.port])
        return self

    def freeze(self):
        os.kill(self.process.pid, signal.SIGSTOP)

    def thaw(self):
        os.kill(self.process.pid, signal.SIGCONT)
