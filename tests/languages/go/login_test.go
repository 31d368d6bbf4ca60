// Latchkey in a Go suite: go test login_test.go, with the program latchkey in the PATH.
package login

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"testing"
)

const redirectURI = "http://localhost:3000/cb"

type object = map[string]any

var issuer string
var client = http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

func TestMain(m *testing.M) {
	server := exec.Command("latchkey", "--port", "0", "--control", "on", "--log", "off")
	output, err := server.StdoutPipe()
	if err == nil {
		err = server.Start()
	}
	if err != nil {
		panic(err)
	}
	line, _ := bufio.NewReader(output).ReadString('\n')
	words := strings.Fields(line) // the first line ends with the issuer
	issuer = words[len(words)-1]
	code := m.Run()
	server.Process.Signal(os.Interrupt)
	server.Wait()
	os.Exit(code)
}

func send(t *testing.T, request *http.Request) (response *http.Response, result object) {
	t.Helper()
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	json.NewDecoder(response.Body).Decode(&result)
	return response, result
}

func control(t *testing.T, verb string, input object) {
	t.Helper()
	body, _ := json.Marshal(input)
	request, _ := http.NewRequest("POST", issuer+"/_control/"+verb, strings.NewReader(string(body)))
	request.Header.Set("Content-Type", "application/json")
	if response, result := send(t, request); response.StatusCode >= 300 {
		t.Fatal(verb, result["detail"], result["errors"])
	}
}

// setUp waits for the server and creates a client and a user.
func setUp(t *testing.T) {
	ready, _ := http.NewRequest("GET", issuer+"/readyz", nil)
	if response, _ := send(t, ready); response.StatusCode != 200 {
		t.Fatal("the server is not ready:", response.Status)
	}
	control(t, "clients/set", object{"client_id": "shop", "client_secret": "shop-secret",
		"token_endpoint_auth_method": "client_secret_post", "redirect_uris": []string{redirectURI}})
	control(t, "users/set", object{"sub": "carol", "email": "carol@example.com"})
	t.Cleanup(func() { control(t, "reset", object{}) }) // fails if a fault has not fired
}

// logIn does what the application and its browser do in your suite. It returns the token response.
func logIn(t *testing.T) (int, object) {
	query := url.Values{"response_type": {"code"}, "client_id": {"shop"}, "redirect_uri": {redirectURI}, "scope": {"openid"}}
	authorize, _ := http.NewRequest("GET", issuer+"/oauth2/authorize?"+query.Encode(), nil)
	redirect, _ := send(t, authorize)
	callback, err := redirect.Location()
	if err != nil {
		t.Fatal(err)
	}
	form := url.Values{"grant_type": {"authorization_code"}, "code": {callback.Query().Get("code")},
		"redirect_uri": {redirectURI}, "client_id": {"shop"}, "client_secret": {"shop-secret"}}
	exchange, _ := http.NewRequest("POST", issuer+"/oauth2/token", strings.NewReader(form.Encode()))
	exchange.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	response, tokens := send(t, exchange)
	return response.StatusCode, tokens
}

func userinfo(t *testing.T, tokens object) int {
	request, _ := http.NewRequest("GET", issuer+"/oauth2/userinfo", nil)
	request.Header.Set("Authorization", "Bearer "+tokens["access_token"].(string))
	response, _ := send(t, request)
	return response.StatusCode
}

func TestLogsInAUserWithoutAPage(t *testing.T) {
	setUp(t)
	control(t, "decisions/loginNext", object{"sub": "carol"})
	control(t, "issue/nextIdToken", object{"claims": object{"acr": "urn:example:silver"}})
	_, tokens := logIn(t)
	payload, _ := base64.RawURLEncoding.DecodeString(strings.Split(tokens["id_token"].(string), ".")[1])
	var claims object
	json.Unmarshal(payload, &claims)
	if claims["sub"] != "carol" || claims["acr"] != "urn:example:silver" {
		t.Fatal(claims)
	}
}

func TestSurvivesAFailure(t *testing.T) {
	setUp(t)
	control(t, "faults/add", object{"fault": "status", "parameters": object{"code": 503}, "endpoint": "token", "client": "shop"})
	for _, expected := range []int{503, 200} {
		if status, _ := logIn(t); status != expected {
			t.Fatal(status)
		}
	}
}

func TestAccessTokensExpire(t *testing.T) {
	setUp(t)
	_, tokens := logIn(t)
	if status := userinfo(t, tokens); status != 200 {
		t.Fatal(status)
	}
	control(t, "clock/advance", object{"seconds": tokens["expires_in"]})
	if status := userinfo(t, tokens); status != 401 {
		t.Fatal(status)
	}
}

func TestSendsCorrectRequests(t *testing.T) {
	setUp(t)
	logIn(t)
	code := object{"grant_type": "authorization_code", "redirect_uri": redirectURI}
	control(t, "log/expect", object{"endpoint": "token", "called": 1, "by": "shop", "withParams": code, "succeeded": true})
	control(t, "log/expectNoWarnings", object{})
}
