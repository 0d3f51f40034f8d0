import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { expect, it } from "vitest"
import { compressed } from "../../src/server/http/responses/Compression.ts"

const request = HttpServerRequest.fromWeb(new Request("http://sheaf.test/v2/notes"))

const answer = (bytes: number) =>
  compressed(request, "gzip", HttpServerResponse.text("a".repeat(bytes), { contentType: "application/json" }))

const codings = async (sizes: ReadonlyArray<number>) =>
  (await Effect.runPromise(Effect.all(sizes.map(answer), { concurrency: "unbounded" }))).map(({ headers }) => [
    headers["content-encoding"],
    headers["vary"]?.toLowerCase()
  ])

it("compresses a few large responses at a time, and sends others uncompressed", async () => {
  const coded = ["gzip", "accept-encoding"]
  const plain = [undefined, "accept-encoding"]
  const megabyte = 1024 * 1024
  expect(await codings([3 * megabyte, 3 * megabyte, megabyte, megabyte, 2_000])).toEqual([
    coded,
    plain,
    coded,
    plain,
    coded
  ])
  // A single response is compressed whatever its size.
  expect(await codings([9 * megabyte, 100_000])).toEqual([coded, plain])
  expect(await codings([3 * megabyte])).toEqual([coded])
})
