import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { Redacted } from "effect"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { freePort } from "../../support/servers/freePort.ts"
import { startApp, type TestApp } from "../../support/TestApp.ts"

/** A request that the collector received. */
interface Sent {
  readonly path: string
  readonly headers: Readonly<Record<string, unknown>>
  readonly text: string
}

const sent: Array<Sent> = []
let collector: Server
let app: TestApp
let inbox: string

beforeAll(async () => {
  collector = createServer((request, response) => {
    let text = ""
    request
      .setEncoding("utf8")
      .on("data", (part: string) => (text += part))
      .on("end", () => {
        sent.push({ path: request.url!, headers: request.headers, text })
        response.end("{}")
      })
  })
  await new Promise<void>((done) => collector.listen(0, "127.0.0.1", done))
  app = await startApp({
    settings: {
      otlp: {
        endpoint: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
        headers: Redacted.make({ "x-collector-key": "for the collector" }),
        protocol: "http/json",
        serviceName: "sheaf-test"
      },
      logLevel: "info"
    }
  })
  inbox = (await app.call("GET", "/notebooks")).body.data[0].id
})
afterAll(async () => {
  await app.stop()
  collector.close()
})

interface Span {
  readonly name: string
  readonly kind: number
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly attributes: ReadonlyArray<{ readonly key: string; readonly value: Record<string, unknown> }>
}

const spans = (): ReadonlyArray<Span> =>
  sent
    .filter(({ headers, path }) => path === "/v1/traces" && headers["content-type"] === "application/json")
    .flatMap(({ text }) =>
      JSON.parse(text).resourceSpans.flatMap((each: any) => each.scopeSpans.flatMap((scope: any) => scope.spans))
    )

const attribute = (span: Span, key: string) =>
  Object.values(span.attributes.find((each) => each.key === key)?.value ?? {})[0]

/** Returns the spans of one trace, after waiting for the span of its request. */
const traceOf = async (traceId: string) => {
  await expect
    .poll(async () => {
      await app.advance("10 seconds")
      return spans().some((span) => span.traceId === traceId && span.kind === 2)
    })
    .toBe(true)
  return spans().filter((span) => span.traceId === traceId)
}

let traces = 0
/** Sends a request inside a trace of the caller. */
const traced = async (method: string, path: string, body?: unknown) => {
  const traceId = `${++traces}`.padStart(32, "a")
  const answer = await app.call(method, path, body, { traceparent: `00-${traceId}-00f067aa0ba902b7-01` })
  return { answer, spans: await traceOf(traceId) }
}

describe("telemetry with a collector", () => {
  it("sends spans of requests and service methods in the caller's trace", async () => {
    const { spans } = await traced("POST", "/notes", { notebook_id: inbox, title: "Traced" })
    const server = spans.find((span) => span.name === "POST /v2/notes")!
    expect(server).toMatchObject({ kind: 2, parentSpanId: "00f067aa0ba902b7" })
    expect(attribute(server, "http.route")).toBe("/v2/notes")
    expect(Number(attribute(server, "http.response.status_code"))).toBe(201)
    const method = spans.find((span) => span.name === "Notes.create")!
    expect(method.parentSpanId).toBe(server.spanId)
  })

  it("names spans by the pattern of a route, without its values", async () => {
    const { spans } = await traced("GET", "/notes/nt_missing")
    expect(spans.map((span) => span.name)).toContain("GET /v2/notes/{id}")
  })

  it("sends no user content and no credentials", async () => {
    await app.sql("ALTER TABLE notes ADD CONSTRAINT refused CHECK (title NOT LIKE '%refused%')")
    await traced("GET", "/search/suggest?q=hush-query-hush")
    await traced("POST", "/search", { query: "hush-search-hush" })
    await (await fetch(`${new URL(app.url).origin}/password/reset?token=hush-link-hush`)).text()
    // The failed request is also logged to the console.
    const logged = vi.spyOn(console, "error").mockImplementation(() => {})
    const note = { notebook_id: inbox, title: "hush-title-hush refused", body: "hush-body-hush" }
    const { answer } = await traced("POST", "/notes", note)
    expect(answer.status).toBe(500)
    expect(logged).toHaveBeenCalled()
    logged.mockRestore()
    await app.advance("10 seconds")
    const all = sent.map(({ text }) => text).join("\n")
    expect(all.match(/hush-\w+-hush/g) ?? []).toEqual([])
    expect(all).not.toContain(app.key)
    expect(all).toContain(answer.headers.get("request-id"))
  })

  it("sends metrics and logs too, with the service name and the configured headers", async () => {
    // The clock moves repeatedly, because an exporter that is sending does not see it move.
    await expect
      .poll(async () => {
        await app.advance("1 minute")
        return [...new Set(sent.map(({ path }) => path))].toSorted()
      })
      .toEqual(["/v1/logs", "/v1/metrics", "/v1/traces"])
    for (const { headers, text } of sent) {
      expect(headers["x-collector-key"]).toBe("for the collector")
      expect(text).toContain("sheaf-test")
    }
    const metrics = sent.find(({ path }) => path === "/v1/metrics")!
    expect(metrics.text).toContain("sheaf_http_requests_total")
  })

  it("sends the last telemetry before the end, by protobuf as the default", async () => {
    const { port } = collector.address() as AddressInfo
    const own = await startApp({
      settings: {
        otlp: {
          endpoint: `http://127.0.0.1:${port}/`,
          headers: undefined,
          protocol: "http/protobuf",
          serviceName: "sheaf-last"
        }
      }
    })
    await own.call("GET", "/tags")
    await own.stop()
    const last = sent.filter(({ text }) => text.includes("sheaf-last"))
    expect(new Set(last.map(({ headers }) => headers["content-type"]))).toEqual(new Set(["application/x-protobuf"]))
    const traces = last
      .filter(({ path }) => path === "/v1/traces")
      .map(({ text }) => text)
      .join("")
    expect(traces).toContain("GET /v2/tags")
  })

  it("omits health checks and metrics", async () => {
    const seen = spans().length
    for (const path of ["/healthz", "/metrics"]) await app.call("GET", new URL(app.url).origin + path)
    const { spans: last } = await traced("GET", "/tags")
    expect(last.length).toBeGreaterThan(0)
    const names = spans()
      .slice(seen)
      .filter((span) => span.kind === 2)
      .map((span) => span.name)
    expect(names).toEqual(["GET /v2/tags"])
  })
})

describe("collector that cannot be reached", () => {
  it("delays neither requests nor the shutdown", async () => {
    const own = await startApp({
      settings: {
        otlp: {
          endpoint: `http://127.0.0.1:${await freePort()}`,
          headers: undefined,
          protocol: "http/protobuf",
          serviceName: "sheaf"
        }
      },
      clock: "live"
    })
    expect((await own.call("GET", "/notebooks")).status).toBe(200)
    // This would not end if it waited for the collector.
    await own.stop()
  })
})
