import type { HttpServerRequest } from "effect/http"
import * as ByteSize from "effect/ByteSize"

type Request = HttpServerRequest.HttpServerRequest

/** The body of a note has at most 1 MiB, which JSON escapes can make six times longer (contract 2, Bodies and text). */
const maxBody = ByteSize.mebibytes(7)
/** The body of a push. */
export const maxPush = ByteSize.mebibytes(16)
const pushPath = "/v2/sync/push"
/** A call of an MCP tool: its texts have at most 200 000 bytes each. */
const maxCall = ByteSize.mebibytes(1)
const mcpPath = "/mcp"
/** Requests without a credential have small bodies. */
const maxAuth = ByteSize.kibibytes(64)
const authPath = "/v2/auth/"

export const isOfApi = ({ url }: Request): boolean => url.startsWith("/v2")

/** The path of a URL, without its query. */
export const pathOf = (url: string): string => {
  const mark = url.indexOf("?")
  return mark < 0 ? url : url.slice(0, mark)
}

/** The maximum number of bytes in the body of a request. */
export const limitOf = (request: Request): ByteSize.ByteSize => {
  const { url } = request
  if (pathOf(url) === mcpPath) return maxCall
  if (!isOfApi(request) || url.startsWith(authPath)) return maxAuth
  return url.startsWith(pushPath) ? maxPush : maxBody
}
