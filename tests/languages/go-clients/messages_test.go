// What libraries of Go say of wrong settings and tokens is what `latchkey explain` knows.
// GOPATH=/usr/share/gocode GO111MODULE=off go test messages_test.go
package messages

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/coreos/go-oidc"
	"golang.org/x/oauth2"
)

const redirectURI = "http://localhost:3000/cb"

type object = map[string]any

var issuer string
var browser = http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

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

func control(verb string, input object) {
	body, _ := json.Marshal(input)
	response, err := http.Post(issuer+"/_control/"+verb, "application/json", strings.NewReader(string(body)))
	if err != nil || response.StatusCode >= 300 {
		panic(verb)
	}
}

func config(provider *oidc.Provider) oauth2.Config {
	endpoint := provider.Endpoint()
	endpoint.AuthStyle = oauth2.AuthStyleInParams
	return oauth2.Config{ClientID: "shop", ClientSecret: "shop-secret", Endpoint: endpoint, RedirectURL: redirectURI,
		Scopes: []string{"openid"}}
}

// logIn returns the ID token of a login, and verifies it as the application does.
func logIn(provider *oidc.Provider, verifier *oidc.Config) (*oidc.IDToken, *oauth2.Token, error) {
	settings := config(provider)
	redirect, err := browser.Get(settings.AuthCodeURL("st4te"))
	if err != nil {
		return nil, nil, err
	}
	location, err := redirect.Location()
	if err != nil {
		return nil, nil, err
	}
	token, err := settings.Exchange(context.Background(), location.Query().Get("code"))
	if err != nil {
		return nil, nil, err
	}
	idToken, err := provider.Verifier(verifier).Verify(context.Background(), token.Extra("id_token").(string))
	return idToken, token, err
}

// explain asks the program, by standard input.
func explain(t *testing.T, printed string) string {
	command := exec.Command("latchkey", "explain", "-")
	command.Stdin = strings.NewReader(printed)
	output, err := command.Output()
	if err != nil {
		t.Fatal(err, printed)
	}
	return string(output)
}

func TestMessages(t *testing.T) {
	ctx := context.Background()
	provider, err := oidc.NewProvider(ctx, issuer)
	if err != nil {
		t.Fatal(err)
	}
	control("clients/set", object{"client_id": "shop", "client_secret": "shop-secret", "redirect_uris": []string{redirectURI},
		"token_endpoint_auth_method": "client_secret_post"})
	shop := &oidc.Config{ClientID: "shop"}
	withFault := func(fault string, settings *oidc.Config) func() error {
		return func() error {
			control("faults/add", object{"fault": "idToken." + fault, "endpoint": "token"})
			_, _, err := logIn(provider, settings)
			return err
		}
	}
	other := func(url string) func() error {
		return func() error { _, err := oidc.NewProvider(ctx, url); return err }
	}
	port := issuer[strings.LastIndex(issuer, ":"):]
	for _, one := range []struct {
		message string
		run     func() error
	}{
		{"oidc: issuer did not match the issuer returned by provider", other("http://127.0.0.1" + port)},
		{"oidc: id token issued by a different provider", withFault("wrongIssuer", shop)},
		{"oidc: expected audience", withFault("wrongAudience", shop)},
		{"oidc: token is expired (Token Expiry: ", withFault("expired", shop)},
		{"oidc: current time ", withFault("notYetValid", shop)},
		{"failed to verify id token signature", withFault("wrongSignature", shop)},
		{"oidc: id token signed with unsupported algorithm", func() error {
			_, _, err := logIn(provider, &oidc.Config{ClientID: "shop", SupportedSigningAlgs: []string{"ES256"}})
			return err
		}},
		{"oidc: malformed jwt", func() error { _, err := provider.Verifier(shop).Verify(ctx, "opaque"); return err }},
		{"access token hash does not match value in ID token", func() error {
			idToken, _, err := logIn(provider, shop)
			if err != nil {
				return err
			}
			return idToken.VerifyAccessToken("another")
		}},
		{"oauth2: token expired and refresh token is not set", func() error {
			settings := config(provider)
			_, err := settings.TokenSource(ctx, &oauth2.Token{AccessToken: "old", Expiry: time.Unix(1, 0)}).Token()
			return err
		}},
		{"oauth2: cannot fetch token: ", func() error {
			control("faults/add", object{"fault": "status", "parameters": object{"code": 503}, "endpoint": "token"})
			_, _, err := logIn(provider, shop)
			return err
		}},
		{"http: server gave HTTP response to HTTPS client", other("https://localhost" + port)},
		{"connect: connection refused", other("http://localhost:1")},
	} {
		t.Run(url.PathEscape(one.message), func(t *testing.T) {
			err := one.run()
			if err == nil {
				t.Fatal("the library did not fail")
			}
			explained := explain(t, "panic: "+err.Error())
			if !strings.Contains(err.Error(), one.message) {
				t.Fatal(err)
			}
			for _, known := range regexp.MustCompile(`(?m)^(.+?)(?:…|  \(.+\))?\n  means `).FindAllStringSubmatch(explained, -1) {
				if strings.Contains("panic: "+err.Error(), known[1]) {
					return
				}
			}
			t.Fatal(err, explained)
		})
	}
}
