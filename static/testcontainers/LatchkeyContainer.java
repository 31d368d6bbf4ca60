import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;

/** Latchkey in a container, for Testcontainers 1.x and 2.x. */
public final class LatchkeyContainer extends GenericContainer<LatchkeyContainer> {
  private static final int PORT = 9000;

  /** @param image such as ghcr.io/OWNER/latchkey:1 */
  public LatchkeyContainer(String image) {
    super(image);
    withExposedPorts(PORT);
    // The port that the tests use is known only after the start.
    withEnv("LATCHKEY_ISSUER", "from-host");
    withEnv("LATCHKEY_CONTROL", "on");
    waitingFor(Wait.forHttp("/readyz").forPort(PORT));
  }

  /** @param json the content of the configuration file */
  public LatchkeyContainer withSettings(String json) {
    return withEnv("LATCHKEY_CONFIG_JSON", json);
  }

  /** The issuer for the application under test. */
  public String issuer() {
    return "http://" + getHost() + ":" + getMappedPort(PORT);
  }

  /** The control of the server: POST control() + "/decisions/loginNext" and so on. */
  public String control() {
    return issuer() + "/_control";
  }
}
