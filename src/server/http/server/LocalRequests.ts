import { Option } from "effect"
import type { HttpServerRequest } from "effect/http"

type Request = HttpServerRequest.HttpServerRequest

const loopback = /^(127\.|::1$|::ffff:127\.)/

/** Local host names. Another name may be that of a site in a browser on this machine, by DNS rebinding. */
const localName = /^(?:localhost|127(?:\.\d+){3}|\[::1\])(?::\d+)?$/i

/** Whether a process on this machine sent the request, and not a proxy on it. */
export const isLocal = ({ headers, remoteAddress }: Request): boolean =>
  loopback.test(Option.getOrElse(remoteAddress, () => "")) &&
  localName.test(headers["host"] ?? "") &&
  headers["forwarded"] === undefined &&
  headers["x-forwarded-for"] === undefined

/** Whether a page in a browser sent the request, which may come from any site. */
export const isPage = ({ headers }: Request): boolean =>
  headers["origin"] !== undefined || !["none", undefined].includes(headers["sec-fetch-site"])
