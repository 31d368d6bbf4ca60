"""Latchkey in a pytest suite: `pytest test_login.py`, with the program `latchkey` in the PATH."""

import base64, json, subprocess, urllib.parse, urllib.request
import pytest

REDIRECT_URI = "http://localhost:3000/cb"
SHOP = {"client_id": "shop", "client_secret": "shop-secret", "token_endpoint_auth_method": "client_secret_post"}


class EveryStatus(urllib.request.HTTPErrorProcessor):
    def http_response(self, request, response):
        return response  # also errors and redirects


def send(url, body=None, **headers):
    response = urllib.request.build_opener(EveryStatus).open(urllib.request.Request(url, body, headers))
    content = response.read()
    return response, json.loads(content) if content.startswith(b"{") else None


class Latchkey:
    def __init__(self, issuer):
        self.issuer = issuer

    def control(self, verb, **values):
        body = json.dumps(values).encode()
        response, result = send(f"{self.issuer}/_control/{verb}", body, **{"Content-Type": "application/json"})
        assert response.status < 300, f"{verb}: {result['detail']} {result.get('errors')}"
        return result

    def log_in(self):
        """In your suite the application and its browser do this. Returns the token response."""
        query = {"response_type": "code", "client_id": "shop", "redirect_uri": REDIRECT_URI, "scope": "openid"}
        redirect, _ = send(f"{self.issuer}/oauth2/authorize?{urllib.parse.urlencode(query)}")
        code = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(redirect.headers["location"]).query))["code"]
        form = {"grant_type": "authorization_code", "code": code, "redirect_uri": REDIRECT_URI}
        form |= {"client_id": "shop", "client_secret": "shop-secret"}
        return send(f"{self.issuer}/oauth2/token", urllib.parse.urlencode(form).encode())

    def userinfo(self, tokens):
        return send(f"{self.issuer}/oauth2/userinfo", Authorization=f"Bearer {tokens['access_token']}")


@pytest.fixture(scope="session")
def server():
    command = ["latchkey", "--port", "0", "--control", "on", "--log", "off"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        yield Latchkey(process.stdout.readline().split()[-1])  # the first line ends with the issuer
        process.terminate()


@pytest.fixture
def latchkey(server):
    assert send(f"{server.issuer}/readyz")[0].status == 200
    server.control("clients/set", **SHOP, redirect_uris=[REDIRECT_URI])
    server.control("users/set", sub="carol", email="carol@example.com")
    yield server
    server.control("reset")  # fails if a fault has not fired


def test_logs_in_a_user_without_a_page(latchkey):
    latchkey.control("decisions/loginNext", sub="carol")
    latchkey.control("issue/nextIdToken", claims={"acr": "urn:example:silver"})
    _, tokens = latchkey.log_in()
    claims = json.loads(base64.urlsafe_b64decode(tokens["id_token"].split(".")[1] + "=="))
    assert (claims["sub"], claims["acr"]) == ("carol", "urn:example:silver")


def test_survives_a_failure(latchkey):
    latchkey.control("faults/add", fault="status", parameters={"code": 503}, endpoint="token", client="shop")
    assert [latchkey.log_in()[0].status for _ in range(2)] == [503, 200]


def test_access_tokens_expire(latchkey):
    _, tokens = latchkey.log_in()
    assert latchkey.userinfo(tokens)[0].status == 200
    latchkey.control("clock/advance", seconds=tokens["expires_in"])
    assert latchkey.userinfo(tokens)[0].status == 401


def test_sends_correct_requests(latchkey):
    latchkey.log_in()
    code = {"grant_type": "authorization_code", "redirect_uri": REDIRECT_URI}
    latchkey.control("log/expect", endpoint="token", called=1, by="shop", withParams=code, succeeded=True)
    latchkey.control("log/expectNoWarnings")
