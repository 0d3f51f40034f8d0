import { Effect } from "effect"
import type { RequestListener } from "node:http"
import { expect, it } from "vitest"
import { probe } from "../src/program/cli/AddressProbe.ts"
import { HttpServer } from "./support/servers/HttpServer.ts"

it.each<readonly [string, RequestListener, object]>([
  [
    "responds, and is not ready",
    (_, response) => response.writeHead(503).end("no database\n"),
    { responds: true, response: "no database" }
  ],
  [
    "is another program",
    (_, response) => response.writeHead(404).end("<html>"),
    { responds: false, response: "another program responds, with status 404" }
  ],
  [
    "has an endless response",
    (_, response) => response.write("x".repeat(100_000)),
    { responds: true, response: "x".repeat(1000) }
  ],
  ["hangs up", (request) => request.socket.destroy(), { responds: false, response: "other side closed" }]
])("a probe finds out that an address %s", async (_, listener, found) => {
  const server = await HttpServer.start(listener)
  expect(await Effect.runPromise(probe({ host: "0.0.0.0", port: server.port }))).toEqual(found)
  await server.stop()
})
