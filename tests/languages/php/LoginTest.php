<?php
// Latchkey in a PHPUnit suite: phpunit LoginTest.php, with the program latchkey in the PATH.

use PHPUnit\Framework\TestCase;

final class LoginTest extends TestCase
{
    private const REDIRECT_URI = 'http://localhost:3000/cb';
    private const CREDENTIALS = ['client_id' => 'shop', 'client_secret' => 'shop-secret'];

    private static $server;
    private static string $issuer;

    public static function setUpBeforeClass(): void
    {
        $command = ['latchkey', '--port', '0', '--control', 'on', '--log', 'off'];
        self::$server = proc_open($command, [1 => ['pipe', 'w']], $pipes);
        self::$issuer = preg_replace('/.* /', '', trim(fgets($pipes[1]))); // the first line ends with the issuer
    }

    public static function tearDownAfterClass(): void
    {
        proc_terminate(self::$server);
    }

    protected function setUp(): void
    {
        $this->assertSame(200, $this->send('/readyz')['status']);
        $method = ['token_endpoint_auth_method' => 'client_secret_post'];
        $this->control('clients/set', self::CREDENTIALS + $method + ['redirect_uris' => [self::REDIRECT_URI]]);
        $this->control('users/set', ['sub' => 'carol', 'email' => 'carol@example.com']);
    }

    protected function tearDown(): void
    {
        $this->control('reset'); // fails if a fault has not fired
    }

    private function send(string $path, ?string $body = null, string $header = ''): array
    {
        $method = $body === null ? 'GET' : 'POST';
        $http = ['method' => $method, 'content' => $body, 'header' => $header, 'follow_location' => 0, 'ignore_errors' => true];
        $content = file_get_contents(self::$issuer . $path, false, stream_context_create(['http' => $http]));
        $status = (int) explode(' ', $http_response_header[0])[1];
        return ['status' => $status, 'headers' => $http_response_header, 'json' => json_decode($content, true)];
    }

    private function control(string $verb, array $input = []): void
    {
        $response = $this->send("/_control/$verb", json_encode((object) $input), 'Content-Type: application/json');
        $this->assertLessThan(300, $response['status'], "$verb: " . json_encode($response['json']));
    }

    /** In your suite the application and its browser do this. Returns the token response. */
    private function logIn(): array
    {
        $query = ['response_type' => 'code', 'client_id' => 'shop', 'redirect_uri' => self::REDIRECT_URI, 'scope' => 'openid'];
        $redirect = $this->send('/oauth2/authorize?' . http_build_query($query));
        [$location] = array_values(preg_grep('/^location: /i', $redirect['headers']));
        parse_str(parse_url(substr($location, 10), PHP_URL_QUERY), $callback);
        $form = ['grant_type' => 'authorization_code', 'code' => $callback['code'], 'redirect_uri' => self::REDIRECT_URI];
        $header = 'Content-Type: application/x-www-form-urlencoded';
        return $this->send('/oauth2/token', http_build_query($form + self::CREDENTIALS), $header);
    }

    private function userinfo(array $tokens): int
    {
        return $this->send('/oauth2/userinfo', null, "Authorization: Bearer {$tokens['access_token']}")['status'];
    }

    public function testLogsInAUserWithoutAPage(): void
    {
        $this->control('decisions/loginNext', ['sub' => 'carol']);
        $this->control('issue/nextIdToken', ['claims' => ['acr' => 'urn:example:silver']]);
        $payload = explode('.', $this->logIn()['json']['id_token'])[1];
        $claims = json_decode(base64_decode(strtr($payload, '-_', '+/')), true);
        $this->assertSame(['carol', 'urn:example:silver'], [$claims['sub'], $claims['acr']]);
    }

    public function testSurvivesAFailure(): void
    {
        $fault = ['fault' => 'status', 'parameters' => ['code' => 503]];
        $this->control('faults/add', $fault + ['endpoint' => 'token', 'client' => 'shop']);
        $this->assertSame([503, 200], [$this->logIn()['status'], $this->logIn()['status']]);
    }

    public function testAccessTokensExpire(): void
    {
        $tokens = $this->logIn()['json'];
        $this->assertSame(200, $this->userinfo($tokens));
        $this->control('clock/advance', ['seconds' => $tokens['expires_in']]);
        $this->assertSame(401, $this->userinfo($tokens));
    }

    public function testSendsCorrectRequests(): void
    {
        $this->logIn();
        $code = ['grant_type' => 'authorization_code', 'redirect_uri' => self::REDIRECT_URI];
        $expected = ['endpoint' => 'token', 'called' => 1, 'by' => 'shop', 'withParams' => $code, 'succeeded' => true];
        $this->control('log/expect', $expected);
        $this->control('log/expectNoWarnings');
    }
}
