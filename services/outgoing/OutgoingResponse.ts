import { Data, type Exit } from "effect"

export interface OutgoingResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** As received: a compressed body is not decompressed. */
  readonly body: Uint8Array
  /** Whether the body was longer than what was read. */
  readonly isCut: boolean
}

/** The URL, or its address, is refused: nothing was sent. */
export class Refused extends Data.TaggedError("Refused")<{ readonly message: string }> {}

/** No complete response was received. It is not known whether the request arrived. */
export class NoResponse extends Data.TaggedError("NoResponse")<{
  readonly code: "timeout" | "name" | "connection" | "certificate" | "protocol"
  /** For the user who gave the URL. */
  readonly message: string
  /** The part of the response that was received before the failure. */
  readonly begun: OutgoingResponse | undefined
}> {}

/** The result of a request. A defect is a bug of the sender. */
export type Outcome = Exit.Exit<OutgoingResponse, Refused | NoResponse>

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : ""

/** The failure that the user sees for an error of the system; undefined for a bug here. */
export const noResponse = (error: unknown, begun: OutgoingResponse | undefined): NoResponse | undefined => {
  const code = codeOf(error)
  const failure = (kind: NoResponse["code"], message: string) => new NoResponse({ code: kind, message, begun })
  if (/^UND_ERR_(CONNECT|HEADERS|BODY)_TIMEOUT$|^ETIMEDOUT$/.test(code)) {
    return failure("timeout", "the server could not be reached in time")
  }
  if (code === "ENOTFOUND" || code === "ENODATA") return failure("name", "the name of the host has no address")
  if (/^(EAI_\w+|ESERVFAIL|EREFUSED|ETIMEOUT|EBADNAME|EFORMERR|EBADRESP)$/.test(code)) {
    return failure("name", "the name of the host could not be looked up")
  }
  if (code === "ECONNREFUSED") return failure("connection", "the server refused the connection")
  if (code === "EHOSTUNREACH" || code === "ENETUNREACH") return failure("connection", "there is no route to the server")
  if (/^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO|DEPTH_ZERO|SELF_SIGNED|HOSTNAME_MISMATCH|INVALID_CA|EPROTO)/.test(code)) {
    return failure("certificate", `TLS with the server failed: ${code}`)
  }
  if ((error instanceof Error && error.name === "HTTPParserError") || /^UND_ERR_(HEADERS_OVERFLOW|RES_)/.test(code)) {
    return failure("protocol", "the response of the server is not HTTP")
  }
  return code === "" || code === "UND_ERR_INVALID_ARG" ? undefined : failure("connection", "the connection was lost")
}
