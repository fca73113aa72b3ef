"""One `weir serve`, as a person would start it."""

import http.client

from support.process import Process, free_port


class Weir:
    def __init__(self, binary, folder, policies, *, name="weir", profile="native", args=()):
        """`policies` maps file names to YAML texts; `folder` holds them and the log."""
        self.policy_dir = folder / f"{name}-policy"
        self.policy_dir.mkdir(parents=True)
        for file, text in policies.items():
            (self.policy_dir / file).write_text(text)
        self.grpc_port, self.http_port, self.admin_port = free_port(), free_port(), free_port()
        self.process = Process(name, [
            binary, "serve", "--profile", profile, "--policy", self.policy_dir,
            "--listen-grpc", f"127.0.0.1:{self.grpc_port}",
            "--listen-http", f"127.0.0.1:{self.http_port}",
            "--admin", f"127.0.0.1:{self.admin_port}", "--workers", 1, *args,
        ], folder / f"{name}.log")

    def start(self):
        self.process.start([self.grpc_port, self.http_port, self.admin_port])
        return self

    def stop(self):
        return self.process.stop()

    def write_policy(self, file, text):
        """Replaces a policy file at once, as an editor or a deployment does: a reader sees old or new."""
        fresh = self.policy_dir / f".{file}.new"
        fresh.write_text(text)
        fresh.rename(self.policy_dir / file)

    def admin_get(self, path):
        connection = http.client.HTTPConnection("127.0.0.1", self.admin_port, timeout=10)
        try:
            connection.request("GET", path)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        finally:
            connection.close()

    def metric(self, name):
        """The value of an unlabelled metric, or None where it is not exported."""
        for line in self.admin_get("/metrics")[1].splitlines():
            words = line.split()
            if len(words) == 2 and words[0] == name:
                return float(words[1])
        return None
