"""h2spec, the HTTP/2 conformance suite, passes whole on the gRPC port."""

import re
import subprocess
import xml.etree.ElementTree



def run_h2spec(program, folder, *args):
    """(number of cases that ran, [what failed])"""
    report = folder / "h2spec.xml"
    with open(folder / "h2spec.log", "wb") as log:
        subprocess.run([program, "--host", "127.0.0.1", "--timeout", "2", "--junit-report", report, *args],
                       stdin=subprocess.DEVNULL, stdout=log, stderr=log, timeout=240, check=False)
    suites = xml.etree.ElementTree.parse(report).getroot()
    cases = [case for case in suites.iter("testcase") if case.find("skipped") is None]
    failed = [f"{case.get('package')}: {case.get('classname')}" for case in cases
              if case.find("failure") is not None or case.find("error") is not None]
    return len(cases), failed


def test_conforms_over_cleartext(bench, h2spec):
    weir = bench.weir()
    ran, failed = run_h2spec(h2spec, bench.folder, "--port", str(weir.grpc_port))
    assert failed == []
    assert ran > 100
    assert weir.process.running()
    # The suite sends nonsense on purpose: none of it may look like a fault of ours.
    assert not re.search(r"AddressSanitizer|runtime error|terminate called", weir.process.log())


def test_conforms_over_tls(bench, h2spec):
    certificates = bench.certificates()
    weir = bench.weir(args=["--tls-cert", certificates.path("server.crt"),
                            "--tls-key", certificates.path("server.key")])
    ran, failed = run_h2spec(h2spec, bench.folder, "--port", str(weir.grpc_port), "--tls", "--insecure")
    assert failed == []
    assert ran > 100
