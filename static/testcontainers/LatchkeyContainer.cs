using System;
using System.Threading;
using System.Threading.Tasks;
using DotNet.Testcontainers.Builders;
using DotNet.Testcontainers.Containers;

/// <summary>Latchkey in a container, by Testcontainers for .NET 4.</summary>
public sealed class LatchkeyContainer : IAsyncDisposable
{
    private const ushort Port = 9000;
    private readonly IContainer container;

    /// <param name="image">Such as ghcr.io/OWNER/latchkey:1.</param>
    /// <param name="settings">The content of the configuration file, as JSON.</param>
    public LatchkeyContainer(string image, string? settings = null)
    {
        var builder = new ContainerBuilder()
            .WithImage(image)
            .WithPortBinding(Port, true)
            // The port that the tests use is known only after the start.
            .WithEnvironment("LATCHKEY_ISSUER", "from-host")
            .WithEnvironment("LATCHKEY_CONTROL", "on")
            .WithWaitStrategy(Wait.ForUnixContainer()
                .UntilHttpRequestIsSucceeded(request => request.ForPath("/readyz").ForPort(Port)));
        container = (settings is null ? builder : builder.WithEnvironment("LATCHKEY_CONFIG_JSON", settings)).Build();
    }

    /// <summary>The issuer for the application under test.</summary>
    public string Issuer => $"http://{container.Hostname}:{container.GetMappedPublicPort(Port)}";

    /// <summary>The control: POST Control + "/decisions/loginNext" and so on.</summary>
    public string Control => Issuer + "/_control";

    public Task StartAsync(CancellationToken cancellation = default) => container.StartAsync(cancellation);

    public ValueTask DisposeAsync() => container.DisposeAsync();
}
