import { ConfigProvider, Effect, Redacted } from "effect"
import { describe, expect, it } from "vitest"
import * as Config from "../src/Config.ts"

const load = (env: Record<string, string>) =>
  Effect.runPromise(Effect.provideService(Config.load, ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env })))

/** The one line that stops the start. */
const refusal = (env: Record<string, string>) =>
  load(env).then(
    () => undefined,
    (error) => String(error.message)
  )

describe("what the environment says of observing", () => {
  it("is nothing: metrics for this machine, and no collector", async () => {
    expect(await load({})).toMatchObject({ metricsToken: undefined, otlp: undefined, logLevel: "info" })
    expect(
      await load({ METRICS_TOKEN: "", OTEL_EXPORTER_OTLP_ENDPOINT: "", OTEL_SERVICE_NAME: "unused" })
    ).toMatchObject({ metricsToken: undefined, otlp: undefined })
  })

  it("is a token, and a collector in the words of OpenTelemetry", async () => {
    const { metricsToken, otlp } = await load({
      METRICS_TOKEN: "to-scrape",
      OTEL_EXPORTER_OTLP_ENDPOINT: "https://collector.test:4318",
      OTEL_EXPORTER_OTLP_HEADERS: "api-key=a%20b, x-tenant = c=d",
      OTEL_SERVICE_NAME: "notes"
    })
    expect(Redacted.value(metricsToken!)).toBe("to-scrape")
    expect(otlp).toMatchObject({
      endpoint: "https://collector.test:4318",
      protocol: "http/protobuf",
      serviceName: "notes"
    })
    expect(Redacted.value(otlp!.headers!)).toEqual({ "api-key": "a b", "x-tenant": "c=d" })
    expect(String(JSON.stringify({ metricsToken, otlp }))).not.toMatch(/to-scrape|a b/)
  })

  it("stops the start with a line that names what is wrong, and does not repeat it", async () => {
    const wrong = {
      METRICS_TOKEN: "with a space",
      OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4318",
      OTEL_EXPORTER_OTLP_HEADERS: "secret-without-a-name",
      OTEL_EXPORTER_OTLP_PROTOCOL: "grpc",
      LOG_LEVEL: "loud"
    }
    for (const [name, value] of Object.entries(wrong)) {
      const line = await refusal({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector.test", [name]: value })
      expect(line).toMatch(new RegExp(`^${name} must be `))
      expect(line).not.toContain(value)
    }
  })
})
