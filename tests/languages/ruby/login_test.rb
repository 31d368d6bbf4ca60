# Latchkey in a minitest suite: ruby login_test.rb, with the program latchkey in the PATH.

require "json"
require "minitest/autorun"
require "net/http"

SERVER = IO.popen(%w[latchkey --port 0 --control on --log off])
ISSUER = SERVER.gets.split.last # the first line ends with the issuer
Minitest.after_run { Process.kill("TERM", SERVER.pid) }

class LoginTest < Minitest::Test
  REDIRECT_URI = "http://localhost:3000/cb"
  CREDENTIALS = { client_id: "shop", client_secret: "shop-secret" }

  def control(verb, **input)
    response = Net::HTTP.post(URI("#{ISSUER}/_control/#{verb}"), input.to_json, "Content-Type" => "application/json")
    assert_operator response.code.to_i, :<, 300, "#{verb}: #{response.body}"
  end

  def setup
    assert_equal "200", Net::HTTP.get_response(URI("#{ISSUER}/readyz")).code
    control("clients/set", **CREDENTIALS, token_endpoint_auth_method: "client_secret_post", redirect_uris: [REDIRECT_URI])
    control("users/set", sub: "carol", email: "carol@example.com")
  end

  def teardown
    control("reset") # fails if a fault has not fired
  end

  # In your suite the application and its browser do this. Returns the token response.
  def log_in
    query = { response_type: "code", client_id: "shop", redirect_uri: REDIRECT_URI, scope: "openid" }
    redirect = Net::HTTP.get_response(URI("#{ISSUER}/oauth2/authorize?#{URI.encode_www_form(query)}"))
    code = URI.decode_www_form(URI(redirect["location"]).query).to_h["code"]
    form = { grant_type: "authorization_code", code:, redirect_uri: REDIRECT_URI, **CREDENTIALS }
    Net::HTTP.post_form(URI("#{ISSUER}/oauth2/token"), form)
  end

  def userinfo(tokens)
    uri = URI("#{ISSUER}/oauth2/userinfo")
    Net::HTTP.get_response(uri, "Authorization" => "Bearer #{tokens["access_token"]}")
  end

  def test_logs_in_a_user_without_a_page
    control("decisions/loginNext", sub: "carol")
    control("issue/nextIdToken", claims: { acr: "urn:example:silver" })
    id_token = JSON.parse(log_in.body)["id_token"]
    claims = JSON.parse(id_token.split(".")[1].tr("-_", "+/").unpack1("m"))
    assert_equal ["carol", "urn:example:silver"], claims.values_at("sub", "acr")
  end

  def test_survives_a_failure
    control("faults/add", fault: "status", parameters: { code: 503 }, endpoint: "token", client: "shop")
    assert_equal %w[503 200], [log_in.code, log_in.code]
  end

  def test_access_tokens_expire
    tokens = JSON.parse(log_in.body)
    assert_equal "200", userinfo(tokens).code
    control("clock/advance", seconds: tokens["expires_in"])
    assert_equal "401", userinfo(tokens).code
  end

  def test_sends_correct_requests
    log_in
    code = { grant_type: "authorization_code", redirect_uri: REDIRECT_URI }
    control("log/expect", endpoint: "token", called: 1, by: "shop", withParams: code, succeeded: true)
    control("log/expectNoWarnings")
  end
end
