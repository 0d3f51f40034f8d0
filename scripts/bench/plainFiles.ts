/**
 * What files are measured against: `node:http`, a pipeline that hashes, a file that is synced; no database, no rights.
 *   node scripts/bench/plainFiles.ts <directory>
 * Prints its port.
 */
import { createHash } from "node:crypto"
import { createReadStream, createWriteStream } from "node:fs"
import { rename, stat } from "node:fs/promises"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { Transform } from "node:stream"
import { pipeline } from "node:stream/promises"

const directory = process.argv[2]!

const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const path = join(directory, request.url!.slice(1))
  if (request.method === "GET") {
    response.writeHead(200, { "content-length": (await stat(path)).size })
    return pipeline(createReadStream(path), response)
  }
  const hash = createHash("sha256")
  const hashing = new Transform({
    transform(chunk, _, done) {
      hash.update(chunk)
      done(null, chunk)
    }
  })
  await pipeline(request, hashing, createWriteStream(`${path}.part`, { flush: true }))
  await rename(`${path}.part`, path)
  response
    .writeHead(200, { "content-type": "application/json" })
    .end(JSON.stringify({ url: request.url, sha256: hash.digest("hex") }))
}

const server = createServer((request, response) => {
  handle(request, response).catch((error: NodeJS.ErrnoException) => {
    // A client that has read all of it may be gone before the pipeline hears of its end.
    if (error.code !== "ERR_STREAM_PREMATURE_CLOSE") console.error(String(error))
    response.destroy()
  })
})
server.listen(0, "127.0.0.1", () => console.log((server.address() as AddressInfo).port))
process.once("SIGTERM", () => process.exit(0))
