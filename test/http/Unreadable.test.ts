import { once } from "node:events"
import { connect } from "node:net"
import { expect, it } from "vitest"
import { useApp } from "../support/useApp.ts"

const { app } = useApp()

it("ends the connection on garbage after a request, without adding to a response that has begun", async () => {
  const { hostname, port } = new URL(app.url)
  const socket = connect(Number(port), hostname)
  let received = ""
  socket.setEncoding("utf8").on("data", (text: string) => (received += text))
  // The server may reset the connection.
  socket.on("error", () => {})
  socket.write(`GET /v2/sync/stream HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${app.key}\r\n\r\n`)
  await expect.poll(() => received).toContain("text/event-stream")
  const closed = once(socket, "close")
  socket.write("garbage garbage garbage\r\n\r\n")
  await closed
  expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 200"])
})
