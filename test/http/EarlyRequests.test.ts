import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { expect, it } from "vitest"
import * as EarlyRequests from "../../src/server/http/server/EarlyRequests.ts"

it("has early requests wait for the routes, which see each once", async () => {
  const server = createServer()
  const seen: Array<string> = []
  server.prependListener("request", ({ url }) => seen.push(url!))
  EarlyRequests.watch(server, EarlyRequests.held())
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  const textOf = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).text()
  const early = [textOf("/one"), textOf("/two")]
  await expect.poll(() => seen.toSorted()).toEqual(["/one", "/two"])
  server.on("request", ({ url }, response) => response.end(`served ${url}`))
  expect(await Promise.all([...early, textOf("/three")])).toEqual(["served /one", "served /two", "served /three"])
  expect(seen.toSorted()).toEqual(["/one", "/three", "/two"])
  server.close()
  server.closeAllConnections()
})
