import { Redacted } from "effect"
import { afterEach, describe, expect, it } from "vitest"
import * as FaultyBlobs from "../support/FaultyBlobs.ts"
import { startApp, type TestApp, type TestAppOptions } from "../support/TestApp.ts"

describe("/readyz", () => {
  let app: TestApp | undefined
  afterEach(() => app?.stop())

  const start = async (options: TestAppOptions) => {
    app = await startApp(options)
    const { call, url } = app
    return { call, readyz: () => fetch(new URL("/readyz", url)) }
  }

  it("says so while files cannot be reached, and what needs none is served", async () => {
    const faults = new FaultyBlobs.BlobFaults()
    const { call, readyz } = await start({ blobs: FaultyBlobs.layer(faults) })
    expect((await readyz()).status).toBe(200)
    faults.fail("ready")
    const answer = await readyz()
    expect([answer.status, answer.headers.get("retry-after"), await answer.text()]).toEqual([503, "2", "no files\n"])
    expect((await call("GET", "/notebooks")).status).toBe(200)
    expect((await readyz()).status).toBe(200)
  })

  it("says so of a bucket that is away, which keeps nobody from starting", async () => {
    const { call, readyz } = await start({
      clock: "live",
      settings: {
        logLevel: "error",
        s3: {
          // Nobody listens there.
          endpoint: "http://127.0.0.1:1",
          bucket: "sheaf",
          region: "us-east-1",
          accessKeyId: Redacted.make("key"),
          secretAccessKey: Redacted.make("secret")
        }
      }
    })
    const answer = await readyz()
    expect([answer.status, await answer.text()]).toEqual([503, "no files\n"])
    expect((await call("GET", "/notebooks")).status).toBe(200)
  })
})
