"""Latchkey in a container, by testcontainers-python."""

import json
import time
import urllib.request

from testcontainers.core.container import DockerContainer

PORT = 9000


class LatchkeyContainer(DockerContainer):
    """A server; `with LatchkeyContainer("ghcr.io/OWNER/latchkey:1") as latchkey` starts and stops it."""

    def __init__(self, image, settings=None):
        """settings: the content of the configuration file."""
        super().__init__(image)
        self.with_exposed_ports(PORT)
        # The port that the tests use is known only after the start.
        self.with_env("LATCHKEY_ISSUER", "from-host")
        self.with_env("LATCHKEY_CONTROL", "on")
        if settings is not None:
            self.with_env("LATCHKEY_CONFIG_JSON", json.dumps(settings))

    def start(self, timeout=60):
        """Returns when the server is ready."""
        super().start()
        deadline = time.monotonic() + timeout
        while True:
            try:
                with urllib.request.urlopen(self.issuer + "/readyz", timeout=5):
                    return self
            except OSError:
                if time.monotonic() > deadline:
                    self.stop()
                    raise
                time.sleep(0.1)

    @property
    def issuer(self):
        """The issuer for the application under test."""
        return f"http://{self.get_container_host_ip()}:{self.get_exposed_port(PORT)}"

    @property
    def control(self):
        """The control: POST control + "/decisions/loginNext" and so on."""
        return self.issuer + "/_control"
