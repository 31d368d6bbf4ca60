"""Clients of Python against the profiles of providers: only their URLs are other ones. `pytest test_providers.py`"""

import json, subprocess, urllib.parse
import pytest, requests
from authlib.integrations.requests_client import OAuth2Session
from authlib.jose import JsonWebKey, jwt
from authlib.oidc.core import CodeIDToken
from authlib.oidc.discovery import get_well_known_url
from social_core.backends.cognito import CognitoOAuth2
from social_core.backends.github_enterprise import GithubEnterpriseOAuth2
from social_core.backends.keycloak import KeycloakOAuth2
from social_core.backends.okta import OktaOAuth2
from social_core.backends.open_id_connect import OpenIdConnectAuth
from social_core.strategy import BaseStrategy

REDIRECT_URI = "http://localhost:3000/cb"
CLIENT = {"client_id": "shop", "client_secret": "a-secret-of-32-characters-or-more", "redirect_uris": [REDIRECT_URI]}
USER = {
    "sub": "110169484474386276334", "preferred_username": "alice", "name": "Alice Adams", "given_name": "Alice",
    "family_name": "Adams", "email": "alice@app.example", "email_verified": True,
}  # fmt: skip

# The audience mapper that social-core asks for.
AUDIENCE = {"access_token": {"*": {"aud": ["account", "shop"]}}}
PROFILES = {"keycloak": ["keycloak", {"name": "audience-mapper", "fixedClaims": AUDIENCE}]}


class Provider:
    def __init__(self, issuer):
        self.issuer = issuer
        self.origin = "{0.scheme}://{0.netloc}".format(urllib.parse.urlsplit(issuer))

    def metadata(self):
        return requests.get(get_well_known_url(self.issuer, external=True)).json()


def callback(url):
    """What a browser does: the user is logged in without a page."""
    response = requests.get(url, allow_redirects=False)
    assert response.status_code in (302, 303), response.text
    return response.headers["location"]


@pytest.fixture
def provider(request, tmp_path):
    config = {"profile": PROFILES.get(request.param, request.param), "clients": [CLIENT], "users": [USER]}
    (tmp_path / "config.json").write_text(json.dumps(config))
    command = ["latchkey", "--config", str(tmp_path / "config.json"), "--port", "0", "--log", "off"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        yield Provider(process.stdout.readline().split()[-1])  # the first line ends with the issuer
        process.terminate()


@pytest.mark.parametrize("provider", ["okta", "keycloak", "google", "auth0", "cognito", "entra"], indirect=True)
def test_authlib_logs_in_and_verifies_the_id_token(provider):
    metadata = provider.metadata()
    session = OAuth2Session("shop", CLIENT["client_secret"], scope="openid profile email", redirect_uri=REDIRECT_URI)
    url, state = session.create_authorization_url(metadata["authorization_endpoint"], nonce="n0nce")
    tokens = session.fetch_token(metadata["token_endpoint"], authorization_response=callback(url), state=state)
    keys = JsonWebKey.import_key_set(requests.get(metadata["jwks_uri"]).json())
    options = {"iss": {"value": provider.issuer}, "aud": {"value": "shop"}}
    params = {"nonce": "n0nce", "client_id": "shop", "access_token": tokens["access_token"]}
    claims = jwt.decode(tokens["id_token"], keys, CodeIDToken, options, params)
    claims.validate()
    user = session.get(metadata["userinfo_endpoint"]).json()
    assert user["sub"] == claims["sub"]
    assert user.get("email") == USER["email"]


class Nonces:
    kept = {}

    @classmethod
    def store(cls, server_url, association):
        cls.kept[association.handle] = association
        association.id = association.handle

    @classmethod
    def get(cls, server_url, handle):
        return [cls.kept[handle]]

    @classmethod
    def remove(cls, ids):
        for handle in ids:
            del cls.kept[handle]


class Storage:
    association = Nonces


class Strategy(BaseStrategy):
    """social-core in an application without a framework: settings, and a session of one browser."""

    def __init__(self, settings):
        super().__init__(storage=Storage)
        self.settings, self.session, self.data = settings, {}, {}

    def get_setting(self, name):
        return self.settings[name]

    def request_data(self, merge=True):
        return self.data

    def build_absolute_uri(self, path=None):
        return path

    def session_get(self, name, default=None):
        return self.session.get(name, default)

    def session_set(self, name, value):
        self.session[name] = value

    def session_pop(self, name):
        return self.session.pop(name, None)

    def authenticate(self, backend, *args, **kwargs):
        return kwargs["response"]

    def get_pipeline(self, backend=None):
        return []


def keycloak(provider):
    metadata = provider.metadata()
    key = next(key for key in requests.get(metadata["jwks_uri"]).json()["keys"] if key["use"] == "sig")
    pem = JsonWebKey.import_key(key).as_pem().decode()
    return {
        "AUTHORIZATION_URL": metadata["authorization_endpoint"],
        "ACCESS_TOKEN_URL": metadata["token_endpoint"],
        "PUBLIC_KEY": "".join(pem.split("\n")[1:-2]),
    }


def github(provider):
    return {"URL": provider.origin, "API_URL": f"{provider.origin}/api/v3", "SCOPE": ["user:email"]}


BACKENDS = [
    ("okta", OktaOAuth2, lambda provider: {"API_URL": provider.issuer}),
    ("keycloak", KeycloakOAuth2, keycloak),
    ("google", OpenIdConnectAuth, lambda provider: {"OIDC_ENDPOINT": provider.origin}),
    ("cognito", CognitoOAuth2, lambda provider: {"POOL_DOMAIN": provider.origin}),
    ("github", GithubEnterpriseOAuth2, github),
]


@pytest.mark.parametrize("provider,backend,settings", BACKENDS, indirect=["provider"])
def test_social_core_logs_in_and_reads_the_user(provider, backend, settings):
    strategy = Strategy({"KEY": CLIENT["client_id"], "SECRET": CLIENT["client_secret"], **settings(provider)})
    client = backend(strategy, REDIRECT_URI)
    location = callback(client.auth_url())
    strategy.data = client.data = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(location).query))
    details = client.get_user_details(client.auth_complete())
    assert details["email"] == USER["email"]
