"""A certificate authority, a server's and a client's certificate, made with the openssl program."""

import subprocess


def _openssl(*args):
    subprocess.run(["openssl", *map(str, args)], check=True, stdin=subprocess.DEVNULL,
                   capture_output=True)


class Certificates:
    """Files in `folder`: ca.crt, NAME.crt and NAME.key for `server` (127.0.0.1, localhost),
    `client`, and `stranger`, whose issuer nobody knows."""

    def __init__(self, folder):
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self._authority("ca")
        self._authority("other-ca")
        self._issue("server", "ca", "subjectAltName=IP:127.0.0.1,DNS:localhost")
        self._issue("client", "ca", "subjectAltName=DNS:client.test")
        self._issue("stranger", "other-ca", "subjectAltName=DNS:stranger.test")

    def path(self, name):
        return str(self.folder / name)

    def bytes(self, name):
        return (self.folder / name).read_bytes()

    def _authority(self, name):
        _openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                 "-days", 2, "-subj", f"/CN={name}", "-keyout", self.path(f"{name}.key"),
                 "-out", self.path(f"{name}.crt"))

    def _issue(self, name, authority, extension):
        request, extensions = self.folder / f"{name}.csr", self.folder / f"{name}.ext"
        _openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj",
                 f"/CN={name}", "-keyout", self.path(f"{name}.key"), "-out", request)
        extensions.write_text(extension + "\n")
        _openssl("x509", "-req", "-in", request, "-CA", self.path(f"{authority}.crt"), "-CAkey",
                 self.path(f"{authority}.key"), "-CAcreateserial", "-days", 2, "-extfile", extensions,
                 "-out", self.path(f"{name}.crt"))
