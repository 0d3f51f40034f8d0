import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http"
import type { RandomnessShape } from "../../../../services/Randomness.ts"
import * as MalformedRequests from "./MalformedRequests.ts"

/** What happens to requests before the routes exist. */
interface Early {
  readonly onRequest: RequestListener
  /** Called with the listener of the routes. */
  readonly onServed: (routes: RequestListener) => void
}

/** Responds with 503, except to `/healthz`. */
export const refused = (randomness: RandomnessShape, errors: string): Early => ({
  onRequest: (request, response) => {
    if (request.url === "/healthz") {
      response.writeHead(200, { "content-type": "text/plain" }).end("ok\n")
      return
    }
    const problem = MalformedRequests.bareProblem(randomness, errors, "service_unavailable", "The server is starting")
    response.writeHead(problem.status, { ...problem.headers, "retry-after": "1" }).end(problem.body)
  },
  onServed: () => {}
})

/** Has requests wait for the routes. Their number is limited by that of connections. */
export const held = (): Early => {
  const waiting: Array<readonly [IncomingMessage, ServerResponse]> = []
  return {
    onRequest: (...pair) => void waiting.push(pair),
    onServed: (routes) => {
      for (const pair of waiting.splice(0)) routes(...pair)
    }
  }
}

/** Handles requests until the routes replace this listener. */
export const watch = (server: Server, { onRequest, onServed }: Early): Server => {
  server.on("request", onRequest)
  const replaced = (event: string | symbol, listener: RequestListener) => {
    if (event !== "request") return
    server.off("request", onRequest).off("newListener", replaced)
    // The other listeners have seen these requests.
    onServed(listener.bind(server) as RequestListener)
  }
  return server.on("newListener", replaced)
}
