// Package latchkey runs Latchkey in a container, by testcontainers-go.
package latchkey

import (
	"context"

	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/wait"
)

const port = "9000/tcp"

// Container is a server that runs. Terminate stops it.
type Container struct {
	testcontainers.Container
	// Issuer is the issuer for the application under test.
	Issuer string
	// Control is the URL of the control: POST Control + "/decisions/loginNext" and so on.
	Control string
}

// Run starts an image, such as ghcr.io/OWNER/latchkey:1. Settings are the content of the configuration file, or "".
func Run(ctx context.Context, image, settings string) (*Container, error) {
	env := map[string]string{
		// The port that the tests use is known only after the start.
		"LATCHKEY_ISSUER":  "from-host",
		"LATCHKEY_CONTROL": "on",
	}
	if settings != "" {
		env["LATCHKEY_CONFIG_JSON"] = settings
	}
	started, err := testcontainers.GenericContainer(ctx, testcontainers.GenericContainerRequest{
		ContainerRequest: testcontainers.ContainerRequest{
			Image:        image,
			ExposedPorts: []string{port},
			Env:          env,
			WaitingFor:   wait.ForHTTP("/readyz").WithPort(port),
		},
		Started: true,
	})
	if err != nil {
		return nil, err
	}
	issuer, err := started.PortEndpoint(ctx, port, "http")
	if err != nil {
		_ = started.Terminate(ctx)
		return nil, err
	}
	return &Container{Container: started, Issuer: issuer, Control: issuer + "/_control"}, nil
}
