// Latchkey in a JUnit 5 suite, with the program latchkey in the PATH.

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Base64;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LoginTest {
  static final String REDIRECT_URI = "http://localhost:3000/cb";
  static final HttpClient client = HttpClient.newHttpClient(); // does not follow redirects
  static Process server;
  static String issuer;

  @BeforeAll
  static void start() throws Exception {
    server = new ProcessBuilder("latchkey", "--port", "0", "--control", "on", "--log", "off").start();
    issuer = server.inputReader().readLine().replaceFirst(".* ", ""); // the first line ends with the issuer
  }

  @AfterAll
  static void stop() {
    server.destroy();
  }

  @BeforeEach
  void setUp() throws Exception {
    assertEquals(200, get("/readyz").statusCode());
    control("clients/set", """
        {"client_id":"shop","client_secret":"shop-secret","token_endpoint_auth_method":"client_secret_post",
         "redirect_uris":["%s"]}""".formatted(REDIRECT_URI));
    control("users/set", """
        {"sub":"carol","email":"carol@example.com"}""");
  }

  @AfterEach
  void reset() throws Exception {
    control("reset", "{}"); // fails if a fault has not fired
  }

  static HttpResponse<String> get(String path, String... headers) throws Exception {
    var request = HttpRequest.newBuilder(URI.create(issuer + path));
    if (headers.length > 0) request.headers(headers);
    return client.send(request.build(), BodyHandlers.ofString());
  }

  static HttpResponse<String> post(String path, String type, String body) throws Exception {
    var request = HttpRequest.newBuilder(URI.create(issuer + path)).header("Content-Type", type);
    return client.send(request.POST(BodyPublishers.ofString(body)).build(), BodyHandlers.ofString());
  }

  static void control(String verb, String input) throws Exception {
    var response = post("/_control/" + verb, "application/json", input);
    assertTrue(response.statusCode() < 300, () -> verb + ": " + response.body());
  }

  /** In your suite the application and its browser do this. Returns the token response. */
  static HttpResponse<String> logIn() throws Exception {
    var redirect = get("/oauth2/authorize?response_type=code&client_id=shop&scope=openid&redirect_uri="
        + URLEncoder.encode(REDIRECT_URI, UTF_8));
    var code = find("[?&]code=([^&]+)", redirect.headers().firstValue("location").orElseThrow());
    return post("/oauth2/token", "application/x-www-form-urlencoded",
        "grant_type=authorization_code&client_id=shop&client_secret=shop-secret&code=" + code
            + "&redirect_uri=" + URLEncoder.encode(REDIRECT_URI, UTF_8));
  }

  static int userinfo(String accessToken) throws Exception {
    return get("/oauth2/userinfo", "Authorization", "Bearer " + accessToken).statusCode();
  }

  /** A member of a JSON object, without a JSON library: yours has a better one. */
  static String member(String name, String json) {
    return find("\"" + name + "\":\"?([^\",}]+)", json);
  }

  static String find(String pattern, String text) {
    var matcher = Pattern.compile(pattern).matcher(text);
    assertTrue(matcher.find(), () -> pattern + " is not in " + text);
    return matcher.group(1);
  }

  @Test
  void logsInAUserWithoutAPage() throws Exception {
    control("decisions/loginNext", """
        {"sub":"carol"}""");
    control("issue/nextIdToken", """
        {"claims":{"acr":"urn:example:silver"}}""");
    var payload = member("id_token", logIn().body()).split("\\.")[1];
    var claims = new String(Base64.getUrlDecoder().decode(payload), UTF_8);
    assertEquals("carol", member("sub", claims));
    assertEquals("urn:example:silver", member("acr", claims));
  }

  @Test
  void survivesAFailure() throws Exception {
    control("faults/add", """
        {"fault":"status","parameters":{"code":503},"endpoint":"token","client":"shop"}""");
    assertEquals(503, logIn().statusCode());
    assertEquals(200, logIn().statusCode());
  }

  @Test
  void accessTokensExpire() throws Exception {
    var tokens = logIn().body();
    assertEquals(200, userinfo(member("access_token", tokens)));
    control("clock/advance", """
        {"seconds":%s}""".formatted(member("expires_in", tokens)));
    assertEquals(401, userinfo(member("access_token", tokens)));
  }

  @Test
  void sendsCorrectRequests() throws Exception {
    logIn();
    control("log/expect", """
        {"endpoint":"token","called":1,"by":"shop","succeeded":true,
         "withParams":{"grant_type":"authorization_code","redirect_uri":"%s"}}""".formatted(REDIRECT_URI));
    control("log/expectNoWarnings", "{}");
  }
}
