import type { Server, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import type { RandomnessShape } from "../../../../services/Randomness.ts"
import type { ProblemCode } from "../../../../services/ProblemCodes.ts"
import { problemCodes } from "../../api/ProblemExplanations.ts"
import { STATUS_CODES } from "./NodeHttp.ts"

/** The status, body and headers of a problem for a request that could not be read. */
export const bareProblem = (randomness: RandomnessShape, errorsUrl: string, code: ProblemCode, detail: string) => {
  const { status, title } = problemCodes[code]
  const request_id = `req_${randomness.text(20)}`
  const body = JSON.stringify({ type: errorsUrl + code, title, status, detail, code, request_id })
  return {
    status,
    body,
    headers: {
      "content-type": "application/problem+json",
      "content-length": Buffer.byteLength(body),
      "request-id": request_id,
      "x-content-type-options": "nosniff"
    }
  }
}

const problemFor = (randomness: RandomnessShape, errorsUrl: string, error: NodeJS.ErrnoException) => {
  switch (error.code) {
    case "HPE_HEADER_OVERFLOW":
      return bareProblem(randomness, errorsUrl, "headers_too_large", "The request line and header fields are too large")
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return bareProblem(randomness, errorsUrl, "payload_too_large", "The chunk extensions of the body are too large")
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return bareProblem(randomness, errorsUrl, "request_timeout", "The request did not arrive completely in time")
    default:
      return bareProblem(randomness, errorsUrl, "malformed_request", "The request is not valid HTTP")
  }
}

/**
 * Responds with a problem to requests that Node cannot read or that are too slow, to which Node would respond without a
 * body. Expectations other than 100-continue are ignored, instead of a bare 417 (RFC 9110, section 10.1.1).
 */
export const watch = (server: Server, randomness: RandomnessShape, errorsUrl: string): Server => {
  /** The response in progress of each connection: a second response would be written into it. */
  const responses = new WeakMap<Socket, ServerResponse>()
  server.on("request", ({ socket }, response) => {
    responses.set(socket, response)
    response.once("close", () => responses.delete(socket))
  })
  server.on("checkExpectation", (request, response) => server.emit("request", request, response))
  return server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => {
    if (!socket.writable || responses.get(socket)?.headersSent === true) {
      socket.destroy(error)
      return
    }
    const { body, headers, status } = problemFor(randomness, errorsUrl, error)
    const lines = Object.entries({ ...headers, connection: "close" }).map(([name, value]) => `${name}: ${value}\r\n`)
    socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${body}`, () => socket.destroy())
  })
}
