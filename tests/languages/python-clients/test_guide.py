"""The files of the guides for an API run as they are written: the API with PyJWT, and its suite. `pytest test_guide.py`"""

import os, pathlib, re, subprocess, sys

GUIDES = pathlib.Path(__file__).parents[3] / "static" / "docs"
SERVER = '''
import http.server, json
class Api(http.server.BaseHTTPRequestHandler):
    def log_message(self, *parts):
        pass
    def do_GET(self):
        try:
            status, body = 200, claims_of(self.headers["Authorization"].removeprefix("Bearer "))
        except jwt.PyJWTError as error:
            status, body = 401, {"error": str(error)}
        self.send_response(status)
        self.end_headers()
        self.wfile.write(json.dumps(body).encode())
http.server.ThreadingHTTPServer(("localhost", PORT), Api).serve_forever()
'''


def block(guide, contains):
    """The block of Python in a guide that contains a text."""
    blocks = re.findall(r"```python\n(.*?)```", (GUIDES / guide).read_text(), re.DOTALL)
    return next(text for text in blocks if contains in text)


def run_suite(folder, port, verify):
    """Writes the two files, and runs the suite beside a server."""
    issuer = 'ISSUER = __import__("os").environ["ORDERS_ISSUER"]'
    api = verify.replace('ISSUER = "http://localhost:9000"', issuer) + SERVER.replace("PORT", str(port))
    (folder / "api.py").write_text(api)
    suite = block("test-in-any-language.md", "# test_api.py")
    (folder / "test_api.py").write_text(suite.replace("localhost:8000", f"localhost:{port}"))
    pytest = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "test_api.py"]
    command = ["latchkey", "exec", "--report", "reports", "--", *pytest]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, env={**os.environ})


def test_the_suite_of_the_guide_passes_with_the_api_of_the_guide(tmp_path):
    result = run_suite(tmp_path, 9541, block("verify-tokens.md", "def claims_of"))
    assert result.returncode == 0, result.stdout + result.stderr
    assert "7 passed" in result.stdout


def test_the_suite_of_the_guide_finds_an_api_that_needs_no_exp(tmp_path):
    verify = block("verify-tokens.md", "def claims_of")
    result = run_suite(tmp_path, 9542, verify.replace('["exp", "iss", "aud"]', "[]"))
    assert result.returncode == 1
    assert "1 failed, 6 passed" in result.stdout, result.stdout + result.stderr
    assert "No application sent a request" not in result.stderr
