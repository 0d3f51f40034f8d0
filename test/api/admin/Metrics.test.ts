import { Context, Metric, Redacted } from "effect"
import { PrometheusMetrics } from "effect/observability"
import { once } from "node:events"
import { request } from "node:http"
import { networkInterfaces } from "node:os"
import { beforeAll, describe, expect, it } from "vitest"
import { build } from "../../../src/server/Version.ts"
import { EventStream } from "../../support/EventStream.ts"
import * as FaultyBlobs from "../../support/FaultyBlobs.ts"
import { parse } from "../../support/PrometheusText.ts"
import { startApp, type TestApp } from "../../support/TestApp.ts"
import { useApp } from "../../support/useApp.ts"

const { app } = useApp()
let inbox: string

beforeAll(async () => {
  inbox = (await app.call("GET", "/notebooks")).body.data[0].id
})

const metricsUrl = (of: TestApp) => `${new URL(of.url).origin}/metrics`

const scrape = async (of = app) => {
  const response = await fetch(metricsUrl(of))
  expect(response.status).toBe(200)
  expect(response.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8")
  const families = parse(await response.text())
  return {
    families,
    /** Returns the value of the sample with these labels, or 0. */
    value: (name: string, labels: Record<string, string> = {}) => {
      const family = families.get(name.replace(/_(bucket|sum|count)$/, "")) ?? families.get(name)
      return (
        family?.samples.find(
          (sample) =>
            sample.name === name && Object.entries(labels).every(([label, value]) => sample.labels[label] === value)
        )?.value ?? 0
      )
    }
  }
}

/** Returns the increase of the request counter while `act` runs. */
const counted = async (labels: Record<string, string>, act: () => Promise<unknown>) => {
  const name = "sheaf_http_requests_total"
  const before = (await scrape()).value(name, labels)
  await act()
  return (await scrape()).value(name, labels) - before
}

describe("metrics", () => {
  it("are in the Prometheus format, each with a type and a help text", async () => {
    await app.call("POST", "/notes", { notebook_id: inbox, title: "counted" })
    const { families } = await scrape()
    const types = Object.fromEntries([...families].map(([name, { type }]) => [name, type]))
    expect(types).toMatchObject({
      sheaf_http_requests_total: "counter",
      sheaf_http_request_duration_seconds: "histogram",
      sheaf_build_info: "gauge",
      sheaf_files_up: "gauge",
      sheaf_http_requests_in_flight: "gauge",
      sheaf_database_up: "gauge",
      sheaf_database_connections: "gauge",
      sheaf_database_pool_size: "gauge",
      sheaf_committer_flush_seconds: "histogram",
      sheaf_committer_flush_drafts: "histogram",
      sheaf_committer_waiting: "gauge",
      sheaf_writer_workspaces: "gauge",
      sheaf_writer_workspaces_active: "gauge",
      sheaf_writer_rows_held: "gauge",
      sheaf_writer_waiting: "gauge",
      sheaf_streams_open: "gauge",
      sheaf_stream_lag_seconds: "gauge",
      sheaf_feeds_open: "gauge",
      sheaf_search_indexes: "gauge",
      sheaf_search_index_bytes: "gauge",
      sheaf_search_lag_seconds: "gauge",
      sheaf_markdown_cache_bytes: "gauge",
      process_cpu_seconds_total: "counter",
      process_resident_memory_bytes: "gauge",
      nodejs_heap_size_used_bytes: "gauge",
      nodejs_eventloop_lag_p99_seconds: "gauge"
    })
    for (const [name, family] of families) expect(family.help, name).not.toBe("")
  })

  it("escape label values; the test's parser rejects unescaped ones", () => {
    const registry: Metric.MetricRegistry = new Map()
    const context = Context.make(Metric.MetricRegistry, registry)
    const label = 'a "quote", a back\\slash\nand a line'
    Metric.counter("labelled", { description: "what\nis counted", attributes: { label } }).updateUnsafe(2, context)
    const text = PrometheusMetrics.formatUnsafe(context)
    expect(parse(text).get("labelled")?.samples).toEqual([{ name: "labelled", labels: { label }, value: 2 }])
    const broken = [text.slice(0, -1), text.replace("# TYPE", "# TIPE"), text.replaceAll('\\"', '"'), text + text]
    for (const bad of broken) {
      expect(() => parse(bad)).toThrow()
    }
  })

  it("count requests by route, method and status class, and measure their duration", async () => {
    const labels = { route: "/v2/notes/{id}", method: "GET", status: "4xx" }
    const seconds = { route: "/v2/notes/{id}", method: "GET" }
    const before = (await scrape()).value("sheaf_http_request_duration_seconds_count", seconds)
    expect(
      await counted(labels, async () => {
        for (let n = 0; n < 3; n++) await app.call("GET", `/notes/nt_missing${n}`)
      })
    ).toBe(3)
    const { families, value } = await scrape()
    expect(value("sheaf_http_request_duration_seconds_count", seconds) - before).toBe(3)
    expect(value("sheaf_http_problems_total", { code: "not_found" })).toBeGreaterThanOrEqual(3)
    const routes = families.get("sheaf_http_requests_total")!.samples.map((sample) => sample.labels["route"])
    expect(routes.join()).not.toContain("nt_missing")
  })

  it("contain no label from unknown paths or methods", async () => {
    expect(
      await counted({ route: "none", method: "none", status: "4xx" }, async () => {
        await app.call("GET", "/made-up-1")
        await app.call("GET", `${new URL(app.url).origin}/made-up-2?made=up`)
        await app.call("PROPFIND", "/notes")
      })
    ).toBe(3)
    expect(JSON.stringify([...(await scrape()).families])).not.toMatch(/made-up|PROPFIND/)
  })

  it("contain the route of a request with a chunked body", async () => {
    expect(
      await counted(
        { route: "/v2/notes", method: "POST", status: "2xx" },
        () =>
          new Promise((done, failed) => {
            const sending = request(
              `${app.url}/notes`,
              {
                method: "POST",
                headers: { authorization: `Bearer ${app.key}`, "content-type": "application/json" }
              },
              (response) => response.resume().on("end", done)
            )
            sending.on("error", failed)
            sending.write(`{"notebook_id":"${inbox}",`)
            sending.end(`"title":"in pieces"}`)
          })
      )
    ).toBe(1)
  })

  it("count requests that the client aborted, and show requests in flight", async () => {
    const { cursor } = (await app.call("GET", "/sync/cursor")).body
    const abort = new AbortController()
    const polled = fetch(`${app.url}/sync/pull`, {
      method: "POST",
      signal: abort.signal,
      headers: { authorization: `Bearer ${app.key}`, "content-type": "application/json" },
      body: JSON.stringify({ cursor, wait: 30 })
    }).catch(() => "aborted")
    // The scrape itself is in flight too.
    await expect.poll(async () => (await scrape()).value("sheaf_http_requests_in_flight")).toBe(2)
    const labels = { route: "/v2/sync/pull", status: "aborted" }
    const before = (await scrape()).value("sheaf_http_requests_total", labels)
    abort.abort()
    expect(await polled).toBe("aborted")
    await expect.poll(async () => (await scrape()).value("sheaf_http_requests_total", labels)).toBe(before + 1)
    await expect.poll(async () => (await scrape()).value("sheaf_http_requests_in_flight")).toBe(1)
  })

  it("show open streams and their feeds until they are closed", async () => {
    const stream = await EventStream.open(app)
    const shown = async () => {
      const { value } = await scrape()
      return [value("sheaf_streams_open"), value("sheaf_feeds_open")]
    }
    await expect.poll(shown).toEqual([1, 1])
    stream.close()
    await expect.poll(shown).toEqual([0, 0])
  })

  it("show the load of writer, committer, search and database", async () => {
    const before = await scrape()
    for (let n = 0; n < 5; n++) await app.call("POST", "/notes", { notebook_id: inbox, title: `held ${n}` })
    await app.call("POST", "/search", { query: "held" })
    const { value } = await scrape()
    const flushes = "sheaf_committer_flush_drafts_count"
    expect(value(flushes) - before.value(flushes)).toBe(5)
    expect(value("sheaf_writer_workspaces")).toBe(1)
    expect(value("sheaf_writer_waiting")).toBe(0)
    expect(value("sheaf_search_indexes")).toBe(1)
    expect(value("sheaf_search_index_bytes")).toBeGreaterThan(0)
    expect(value("sheaf_database_up")).toBe(1)
    expect(value("sheaf_database_pool_size", { pool: "write" })).toBeGreaterThan(0)
    // The connection that runs the query of the scrape.
    expect(value("sheaf_database_connections", { state: "active" })).toBeGreaterThanOrEqual(1)
    expect(value("process_resident_memory_bytes")).toBeGreaterThan(1e7)
    expect(value("process_cpu_seconds_total")).toBeGreaterThan(0)
  })

  it("contain the version, and whether files are available", async () => {
    const faults = new FaultyBlobs.BlobFaults()
    const own = await startApp({ layers: FaultyBlobs.layer(faults) })
    try {
      const up = async () => (await scrape(own)).value("sheaf_files_up")
      await expect.poll(() => faults.called).toContain("ready")
      expect(await up()).toBe(1)
      expect((await scrape(own)).value("sheaf_build_info", { version: build.version, date: "" })).toBe(1)
      faults.fail("ready")
      await own.advance("10 seconds")
      await expect.poll(up).toBe(0)
      await own.advance("10 seconds")
      await expect.poll(up).toBe(1)
    } finally {
      await own.stop()
    }
  })

  it("show for each queue how long its oldest due entry has waited", async () => {
    const own = await startApp()
    try {
      await own.advance("5 seconds")
      const queues = async () =>
        (await scrape(own)).families
          .get("sheaf_queue_overdue_seconds")
          ?.samples.map(({ labels, value }) => `${labels["queue"]} ${value}`)
          .sort()
      const waiting = ["due_reverts", "mails", "reminder_pushes", "transfers", "webhook_deliveries"]
      await expect.poll(queues).toEqual(waiting.map((name) => `${name} 0`))
    } finally {
      await own.stop()
    }
  })

  it("show for how long streams and search indexes have missed changes that cannot be read", async () => {
    const own = await startApp()
    try {
      const lag = async (of: string) => (await scrape(own)).value(`sheaf_${of}_lag_seconds`)
      expect([await lag("stream"), await lag("search")]).toEqual([0, 0])
      const stream = await EventStream.open(own)
      await own.sql("ALTER TABLE changes RENAME TO changes_away")
      await own.sql("UPDATE heads SET seq = seq + 1")
      const afterSeconds = async (seconds: number) => {
        await own.advance(`${seconds} seconds`)
        return lag("stream")
      }
      await expect.poll(() => afterSeconds(5)).toBeGreaterThan(0)
      const before = await lag("stream")
      expect(await afterSeconds(60)).toBe(before + 60)
      await own.sql("ALTER TABLE changes_away RENAME TO changes")
      await expect.poll(() => afterSeconds(1)).toBe(0)
      stream.close()
      await own.call("POST", "/search", { query: "anything" })
      await own.sql("ALTER TABLE heads RENAME TO heads_away")
      // The thread of the search has the clock of the machine, and looks every two seconds.
      await expect.poll(() => lag("search"), { interval: 250 }).toBeGreaterThan(3)
      await own.sql("ALTER TABLE heads_away RENAME TO heads")
      await expect.poll(() => lag("search"), { interval: 250 }).toBeLessThan(3)
    } finally {
      await own.stop()
    }
  })

  it("count runs and failures of scheduled jobs", async () => {
    const own = await startApp()
    try {
      const runs = async (job: string, outcome: string) =>
        (await scrape(own)).value("sheaf_job_runs_total", { job, outcome })
      await own.advance("2 minutes")
      await own.idle()
      expect([await runs("forgetMutations", "done"), await runs("dropTombstones", "done")]).toEqual([1, 1])
      await own.sql("ALTER TABLE mutations RENAME TO mutations_away")
      await own.advance("1 hour")
      await own.idle()
      expect(await runs("forgetMutations", "failed")).toBe(1)
      expect([await runs("forgetMutations", "done"), await runs("dropTombstones", "done")]).toEqual([1, 2])
    } finally {
      await own.stop()
    }
  })
})

describe("access to metrics", () => {
  const ask = async (url: string, headers: Record<string, string> = {}) => {
    const response = await fetch(url, { headers })
    const text = await response.text()
    const isProblem = response.headers.get("content-type") === "application/problem+json"
    return [response.status, isProblem ? JSON.parse(text).code : undefined, response.headers.get("www-authenticate")]
  }

  it("is limited to this machine, without proxied requests", async () => {
    expect(await ask(metricsUrl(app), { "x-forwarded-for": "192.0.2.1" })).toEqual([403, "forbidden", null])
    expect(await ask(metricsUrl(app), { forwarded: "for=192.0.2.1" })).toEqual([403, "forbidden", null])
    expect(await ask(metricsUrl(app))).toEqual([200, undefined, null])
    expect(await ask(metricsUrl(app), { origin: "http://evil.example" })).toEqual([403, "forbidden", null])
    expect(await ask(metricsUrl(app), { "sec-fetch-site": "same-origin" })).toEqual([403, "forbidden", null])
  })

  it("is denied to pages of other hosts whose name resolves to this machine", async () => {
    const { port } = new URL(app.url)
    const statusOf = async (host: string) => {
      const [response] = await once(request({ port, path: "/metrics", headers: { host } }).end(), "response")
      response.resume()
      return response.statusCode
    }
    expect(await statusOf(`rebind.example:${port}`)).toBe(403)
    expect(await statusOf("localhost.rebind.example")).toBe(403)
    for (const host of [`localhost:${port}`, "127.0.0.1", `[::1]:${port}`]) expect(await statusOf(host)).toBe(200)
  })

  it("is denied to other machines", async ({ skip }) => {
    const address = Object.values(networkInterfaces())
      .flat()
      .find((each) => each?.family === "IPv4" && !each.internal)
    if (address === undefined) return skip("this machine has only loopback addresses")
    const open = await startApp({ settings: { host: "0.0.0.0" } })
    try {
      expect(await ask(metricsUrl(open).replace("127.0.0.1", address.address))).toEqual([403, "forbidden", null])
      expect(await ask(metricsUrl(open))).toEqual([200, undefined, null])
    } finally {
      await open.stop()
    }
  })

  it("is granted with METRICS_TOKEN, and only with it, where it is set", async () => {
    const token = "a-token-for-metrics"
    const own = await startApp({ settings: { metricsToken: Redacted.make(token) } })
    try {
      const url = metricsUrl(own)
      const asked = `Bearer realm="metrics"`
      expect(await ask(url)).toEqual([401, "authentication_required", asked])
      for (const wrong of ["x", `${token}x`, token.slice(1), own.key]) {
        expect(await ask(url, { authorization: `Bearer ${wrong}` })).toEqual([
          401,
          "invalid_token",
          `${asked}, error="invalid_token"`
        ])
      }
      expect(await ask(url, { authorization: `Basic ${token}` })).toEqual([401, "authentication_required", asked])
      expect(await ask(url, { authorization: `Bearer ${token}` })).toEqual([200, undefined, null])
      expect(await ask(url, { authorization: `bearer ${token}`, "x-forwarded-for": "192.0.2.1" })).toEqual([
        200,
        undefined,
        null
      ])
    } finally {
      await own.stop()
    }
  })
})
