import { request as ask } from "node:http"
import { HttpServer } from "../servers/HttpServer.ts"

/** A proxy in front of a server that is updated: the service worker of the console is another one with each version. */
export class VersionProxy {
  version = ""
  /** Paths of files that the present version does not have. */
  missing = /$^/
  isAway = false
  /** Whether the connection of each change of a record breaks. */
  isLosingChanges = false
  readonly url: string
  readonly stop: () => Promise<void>

  private constructor(port: number, stop: () => Promise<void>) {
    this.url = `http://127.0.0.1:${port}`
    this.stop = stop
  }

  static async start(target: string): Promise<VersionProxy> {
    let proxy: VersionProxy | undefined
    const server = await HttpServer.start((request, response) => {
      const path = request.url ?? ""
      const { isAway = false, isLosingChanges = false, missing = /$^/, version = "" } = proxy ?? {}
      if (isLosingChanges && request.method === "PATCH") return void request.destroy()
      if (isAway) return void response.writeHead(502).end("Bad gateway")
      if (missing.test(path)) return void response.writeHead(404).end()
      const { method } = request
      const isWorker = path.endsWith("/sw.js")
      // The whole worker each time, and not compressed.
      const headers = isWorker ? {} : request.headers
      const forwarded = ask(new URL(path, target), { headers, method }, (found) => {
        const { "content-length": _, ...rest } = found.headers
        response.writeHead(found.statusCode!, isWorker ? rest : found.headers)
        if (isWorker && version !== "") response.write(`// Version ${version}.\n`)
        found.pipe(response)
      })
      forwarded.on("error", () => response.destroy())
      request.pipe(forwarded)
      response.on("close", () => forwarded.destroy())
    })
    return (proxy = new VersionProxy(server.port, () => server.stop()))
  }
}
