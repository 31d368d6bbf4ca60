"""What libraries of Python say of wrong settings and tokens is what `latchkey explain` knows. `pytest test_messages.py`"""

import json, re, subprocess, traceback
import jwt as pyjwt
import pytest, requests
from authlib.integrations.requests_client import OAuth2Session
from authlib.jose import JsonWebKey, JsonWebToken, jwt
from authlib.oidc.core import CodeIDToken
from jose import jwt as python_jose
from requests_oauthlib import OAuth2Session as OAuthlibSession
from social_core.backends.open_id_connect import OpenIdConnectAuth
from test_providers import Strategy

REDIRECT_URI = "http://localhost:3000/cb"
CLIENT = {"client_id": "shop", "client_secret": "a-secret-of-32-characters-or-more", "redirect_uris": [REDIRECT_URI]}


class Server:
    def __init__(self, issuer):
        self.issuer = issuer
        self.metadata = requests.get(f"{issuer}/.well-known/openid-configuration").json()
        self.jwks = requests.get(self.metadata["jwks_uri"]).json()
        self.key = next(key for key in self.jwks["keys"] if key["alg"] == "RS256")
        self.keys = JsonWebKey.import_key_set(self.jwks)
        self.pem = JsonWebKey.import_key(self.key).as_pem().decode()
        self.id_token, self.access_token = self.log_in()

    def control(self, verb, **input):
        response = requests.post(f"{self.issuer}/_control/{verb}", json=input)
        assert response.ok, response.text

    def log_in(self):
        """The tokens of a login, which has the nonce n0nce."""
        session = OAuth2Session("shop", CLIENT["client_secret"], scope="openid", redirect_uri=REDIRECT_URI)
        url, state = session.create_authorization_url(self.metadata["authorization_endpoint"], nonce="n0nce")
        callback = requests.get(url, allow_redirects=False).headers["location"]
        tokens = session.fetch_token(self.metadata["token_endpoint"], authorization_response=callback, state=state)
        return tokens["id_token"], tokens["access_token"]

    def with_fault(self, fault, **parameters):
        """The ID token of a login with a fault."""
        self.control("faults/add", fault=f"idToken.{fault}", endpoint="token", parameters=parameters)
        return self.log_in()[0]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    file = tmp_path_factory.mktemp("config") / "config.json"
    file.write_text(json.dumps({"clients": [CLIENT], "alg": "RS256"}))
    command = ["latchkey", "--config", str(file), "--port", "0", "--log", "off", "--control", "on"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        yield Server(process.stdout.readline().split()[-1])  # the first line ends with the issuer
        process.terminate()


def with_pyjwt(server, token, audience="shop", algorithms=("RS256",), key=None):
    return pyjwt.decode(token, key or server.pem, algorithms=list(algorithms), audience=audience, issuer=server.issuer)


def find_key(server, token):
    """PyJWKClient uses urllib, which finds localhost itself."""
    return pyjwt.PyJWKClient(server.metadata["jwks_uri"]).get_signing_key_from_jwt(token)


def with_jose(server, token, audience="shop", algorithms="RS256", access_token=None):
    access_token = access_token or server.access_token
    return python_jose.decode(
        token, server.pem, algorithms=algorithms, audience=audience, issuer=server.issuer, access_token=access_token
    )


def with_authlib(server, token, nonce="n0nce", audience="shop", access_token=None):
    options = {"iss": {"value": server.issuer}, "aud": {"value": audience}}
    params = {"nonce": nonce, "client_id": "shop", "access_token": access_token or server.access_token}
    jwt.decode(token, server.keys, CodeIDToken, options, params).validate()


def wrong_state(server):
    session = OAuth2Session("shop", CLIENT["client_secret"], redirect_uri=REDIRECT_URI)
    session.fetch_token(
        server.metadata["token_endpoint"], authorization_response=f"{REDIRECT_URI}?code=1&state=2", state="another"
    )


def oauthlib_state(server):
    session = OAuthlibSession("shop", redirect_uri=REDIRECT_URI, state="another")
    session.fetch_token(server.metadata["token_endpoint"].replace("http:", "https:"), client_secret="secret",
                        authorization_response=f"https{REDIRECT_URI[4:]}?code=1&state=2")  # fmt: skip


def oauthlib_http(server):
    OAuthlibSession("shop", redirect_uri=REDIRECT_URI).fetch_token(server.metadata["token_endpoint"], code="1")


def social(session):
    def run(server):
        strategy = Strategy({"KEY": "shop", "SECRET": CLIENT["client_secret"], "OIDC_ENDPOINT": server.issuer})
        backend = OpenIdConnectAuth(strategy, REDIRECT_URI)
        strategy.session.update(session)
        strategy.data.update(code="1", state="2")
        backend.data = strategy.data
        backend.validate_state()

    return run


def social_iat(server):
    backend = OpenIdConnectAuth(Strategy({}), REDIRECT_URI)
    backend.validate_claims({"iat": 1})


MESSAGES = [
    # PyJWT
    ("Invalid issuer", lambda s: with_pyjwt(s, s.with_fault("wrongIssuer"))),
    ("Invalid audience", lambda s: with_pyjwt(s, s.id_token, audience="another")),
    ("Signature has expired", lambda s: with_pyjwt(s, s.with_fault("expired"))),
    ("The token is not yet valid (nbf)", lambda s: with_pyjwt(s, s.with_fault("notYetValid"))),
    ("The token is not yet valid (iat)", lambda s: with_pyjwt(s, s.with_fault("edited", edit={"iat": 9999999999}))),
    ("Signature verification failed", lambda s: with_pyjwt(s, s.with_fault("wrongSignature"))),
    ("The specified alg value is not allowed", lambda s: with_pyjwt(s, s.id_token, algorithms=["ES256"])),
    ("Not enough segments", lambda s: with_pyjwt(s, "opaque")),
    ('Unable to find a signing key that matches: "*"', lambda s: find_key(s, s.with_fault("unknownKid", how="an unknown kid"))),
    # python-jose
    ("Invalid issuer", lambda s: with_jose(s, s.with_fault("wrongIssuer"))),
    ("Invalid audience", lambda s: with_jose(s, s.id_token, audience="another")),
    ("Signature has expired", lambda s: with_jose(s, s.with_fault("expired"))),
    ("at_hash claim does not match access_token.", lambda s: with_jose(s, s.id_token, access_token="another")),
    # Authlib
    ('invalid_claim: Invalid claim "iss"', lambda s: with_authlib(s, s.with_fault("wrongIssuer"))),
    ('invalid_claim: Invalid claim "aud"', lambda s: with_authlib(s, s.id_token, audience="another")),
    ('invalid_claim: Invalid claim "nonce"', lambda s: with_authlib(s, s.id_token, nonce="another")),
    ('missing_claim: Missing "nonce" claim', lambda s: with_authlib(s, s.with_fault("missingNonce", value="absent"))),
    ('invalid_claim: Invalid claim "at_hash"', lambda s: with_authlib(s, s.id_token, access_token="another")),
    ("expired_token: The token is expired", lambda s: with_authlib(s, s.with_fault("expired"))),
    ("invalid_token: The token is not valid yet", lambda s: with_authlib(s, s.with_fault("notYetValid"))),
    ("bad_signature", lambda s: with_authlib(s, s.with_fault("wrongSignature"))),
    ("unsupported_algorithm", lambda s: JsonWebToken(["ES256"]).decode(s.id_token, s.keys)),
    ("CSRF Warning! State not equal in request and response.", wrong_state),
    # OAuthlib and requests-oauthlib
    ("CSRF Warning! State not equal in request and response.", oauthlib_state),
    ("OAuth 2 MUST utilize https.", oauthlib_http),
    # social-auth-core
    ("Session value state missing.", social({})),
    ("Wrong state parameter given.", social({"oidc_state": "another"})),
    ("Incorrect id_token: iat", social_iat),
    # requests and the standard library
    ("[SSL: WRONG_VERSION_NUMBER]", lambda s: requests.get(s.issuer.replace("http:", "https:"))),
    ("[Errno 111] Connection refused", lambda s: requests.get("http://localhost:1/")),
]


def found(printed):
    """The messages that `latchkey explain` finds on standard input, and knows."""
    result = subprocess.run(["latchkey", "explain", "-"], input=printed, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr + printed
    return re.findall("^(.+?)(?:…|  \\(.+\\))?\n  means ", result.stdout, re.MULTILINE)


@pytest.mark.parametrize("message,run", MESSAGES)
def test_explain_knows_what_the_library_says(server, message, run):
    with pytest.raises(Exception) as caught:
        run(server)
    printed = "".join(traceback.format_exception_only(caught.type, caught.value))
    fixed = message.split("*")[0]
    assert fixed in printed
    assert any(line in printed for line in found(printed)), printed
