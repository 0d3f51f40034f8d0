/**
 * Receives webhooks, in a process of its own: prints its port, and then, for each line that comes, as many milliseconds
 * from the event to its arrival as came since the last one, with the time that lay between the first and the last of them.
 */
import { createServer } from "node:http"
import { createInterface } from "node:readline"
import type { AddressInfo } from "node:net"

let latencies: Array<number> = []
let first = 0
let last = 0

const server = createServer((request, response) => {
  const chunks: Array<Buffer> = []
  request.on("data", (chunk: Buffer) => chunks.push(chunk))
  request.on("end", () => {
    last = Date.now()
    first ||= last
    latencies.push(last - Date.parse(JSON.parse(Buffer.concat(chunks).toString()).timestamp))
    response.writeHead(204).end()
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, "127.0.0.1", () => console.log((server.address() as AddressInfo).port))

createInterface(process.stdin)
  .on("line", (line) => {
    console.log(
      JSON.stringify({
        count: latencies.length,
        seconds: (last - first) / 1000,
        latencies: line === "all" ? latencies : []
      })
    )
    if (line !== "all") return
    latencies = []
    first = 0
  })
  .on("close", () => process.exit())
