"""A real redis-server for one test, which can be frozen, killed and started again."""

import os
import signal
import socket

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

    def ask(self, command):
        """The answer to one command as it comes over the wire; the server closes behind it."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=5) as connection:
            connection.sendall(f"{command}\r\nQUIT\r\n".encode())
            answer = b""
            while part := connection.recv(65536):
                answer += part
            return answer.decode()

    def freeze(self):
        os.kill(self.process.pid, signal.SIGSTOP)

    def thaw(self):
        os.kill(self.process.pid, signal.SIGCONT)


class Sentinel(Redis):
    """A real Sentinel, alone and so its own majority, that watches `primary` under the name `shop`."""

    def __init__(self, folder, primary):
        super().__init__(folder, name="sentinel")
        file = folder / "sentinel.conf"
        file.write_text(f"port {self.port}\nbind 127.0.0.1\ndir {folder}\n"
                        f"sentinel monitor shop 127.0.0.1 {primary.port} 1\n"
                        "sentinel down-after-milliseconds shop 500\n"
                        "sentinel failover-timeout shop 3000\n")
        self.url = f"redis+sentinel://127.0.0.1:{self.port}/shop"
        self.process = Process("sentinel", ["redis-server", file, "--sentinel"], folder / "sentinel.log")
