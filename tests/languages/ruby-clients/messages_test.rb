# What libraries of Ruby say of wrong settings and tokens is what `latchkey explain` knows. ruby messages_test.rb

require "json"
require "jwt"
require "minitest/autorun"
require "net/http"
require "oauth2"
require "open3"
require "openid_connect"

SERVER = IO.popen(%w[latchkey --port 0 --control on --log off])
ISSUER = SERVER.gets.split.last # the first line ends with the issuer
Minitest.after_run { Process.kill("TERM", SERVER.pid) }

class MessagesTest < Minitest::Test
  REDIRECT_URI = "http://localhost:3000/cb"

  def self.post(url, **input)
    Net::HTTP.post(URI(url), input.to_json, "Content-Type" => "application/json")
  end

  post("#{ISSUER}/_control/clients/set", client_id: "shop", client_secret: "shop-secret",
    token_endpoint_auth_method: "client_secret_post", redirect_uris: [REDIRECT_URI])
  JWKS = JSON.parse(Net::HTTP.get(URI("#{ISSUER}/oauth2/jwks")))

  # The ID token of a login, with a fault.
  def id_token(fault = nil, **parameters)
    unless fault.nil?
      added = { fault: "idToken.#{fault}", endpoint: "token", parameters: parameters }
      response = self.class.post("#{ISSUER}/_control/faults/add", **added)
      assert_operator response.code.to_i, :<, 300, response.body
    end
    query = { response_type: "code", client_id: "shop", redirect_uri: REDIRECT_URI, scope: "openid", nonce: "n0nce" }
    callback = URI(Net::HTTP.get_response(URI("#{ISSUER}/oauth2/authorize?#{URI.encode_www_form(query)}"))["location"])
    code = URI.decode_www_form(callback.query).to_h["code"]
    form = { grant_type: "authorization_code", code: code, redirect_uri: REDIRECT_URI, client_id: "shop",
             client_secret: "shop-secret" }
    JSON.parse(Net::HTTP.post_form(URI("#{ISSUER}/oauth2/token"), form).body)["id_token"]
  end

  # The library must fail, and the program must know what it says.
  def assert_known(message)
    error = assert_raises(StandardError) { yield }
    printed = "#{error.class}: #{error.message}"
    assert_includes printed, message
    output, = Open3.capture2("latchkey", "explain", "-", stdin_data: printed)
    known = output.force_encoding("UTF-8").scan(/^(.+?)(?:…|  \(.+\))?\n  means /).flatten
    assert known.any? { |line| printed.include?(line) }, "#{printed}\n#{output}"
  end

  def decode(token, algorithms: ["RS256"], **options)
    JWT.decode(token, nil, true, algorithms: algorithms, jwks: JSON.parse(JWKS.to_json, symbolize_names: true), **options)
  end

  def verify(token, nonce: "n0nce", client_id: "shop")
    OpenIDConnect::ResponseObject::IdToken.decode(token, JSON::JWK::Set.new(JWKS["keys"]))
      .verify!(issuer: ISSUER, client_id: client_id, nonce: nonce)
  end

  def test_jwt_issuer = assert_known("Invalid issuer. Expected ") { decode(id_token("wrongIssuer"), iss: ISSUER, verify_iss: true) }
  def test_jwt_audience = assert_known("Invalid audience. Expected ") { decode(id_token, aud: "another", verify_aud: true) }
  def test_jwt_expired = assert_known("Signature has expired") { decode(id_token("expired")) }
  def test_jwt_not_before = assert_known("Signature nbf has not been reached") { decode(id_token("notYetValid")) }
  def test_jwt_signature = assert_known("Signature verification failed") { decode(id_token("wrongSignature")) }
  def test_jwt_algorithm = assert_known("Expected a different algorithm") { decode(id_token, algorithms: ["ES256"]) }
  def test_jwt_key = assert_known("Could not find public key for kid ") { decode(id_token("unknownKid", how: "an unknown kid")) }
  def test_jwt_opaque = assert_known("Not enough or too many segments") { decode("opaque") }

  def test_openid_issuer = assert_known("Invalid ID token: Issuer does not match") { verify(id_token("wrongIssuer")) }
  def test_openid_audience = assert_known("Invalid ID token: Audience does not match") { verify(id_token, client_id: "cart") }
  def test_openid_nonce = assert_known("Invalid ID Token: Nonce does not match") { verify(id_token, nonce: "another") }
  def test_openid_expired = assert_known("Invalid ID token: Expired token") { verify(id_token("expired")) }

  def test_oauth2_refresh
    client = OAuth2::Client.new("shop", "shop-secret", site: ISSUER)
    assert_known("A refresh_token is not available") { OAuth2::AccessToken.new(client, "old").refresh! }
  end
end
