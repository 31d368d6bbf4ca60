// The lines of the guides for Go run as they are written, with the library of Debian: its version 2 has the same names.
package messages

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/coreos/go-oidc"
)

const header = `package main

import (
	"context"
	"log"
	"net/http"
	"os"
	"strings"

	"github.com/coreos/go-oidc"
)

func main() {
	ctx := context.Background()
	r, _ := http.NewRequest("GET", "http://localhost/", nil)
	r.Header.Set("Authorization", "Bearer "+os.Args[1])
	var claims struct{ Scope string }
`

const footer = `	if err != nil || claims.Scope == "" {
		log.Fatal(claims, err)
	}
}
`

func TestGuide(t *testing.T) {
	guide, err := os.ReadFile("../../../static/docs/verify-tokens.md")
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)```go\n(.*?)```").FindSubmatch(guide)[1]
	file := filepath.Join(t.TempDir(), "main.go")
	text := header + strings.ReplaceAll(string(block), "http://localhost:9000", issuer) + footer
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	control("clients/set", object{"client_id": "shop", "client_secret": "shop-secret", "redirect_uris": []string{redirectURI},
		"token_endpoint_auth_method": "client_secret_post"})
	provider, err := oidc.NewProvider(context.Background(), issuer)
	if err != nil {
		t.Fatal(err)
	}
	_, token, err := logIn(provider, &oidc.Config{ClientID: "shop"})
	if err != nil {
		t.Fatal(err)
	}
	run := func(token string) (string, error) {
		output, err := exec.Command("go", "run", file, token).CombinedOutput()
		return string(output), err
	}
	t.Run("an access token is accepted", func(t *testing.T) {
		if output, err := run(token.AccessToken); err != nil {
			t.Fatal(output)
		}
	})
	t.Run("an ID token is rejected", func(t *testing.T) {
		if output, err := run(token.Extra("id_token").(string)); err == nil || strings.Contains(output, "undefined") {
			t.Fatal(output)
		}
	})
}
