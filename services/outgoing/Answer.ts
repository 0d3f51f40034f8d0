import { Data } from "effect"

export interface OutgoingAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** As it came: a compressed one is not inflated. */
  readonly body: Uint8Array
  /** There was more of the body than was read. */
  readonly isCut: boolean
}

/** The guard refuses the URL, or where it leads: nothing was sent. */
export class Refused extends Data.TaggedError("Refused")<{ readonly message: string }> {}

/** No whole answer came. Whether the request arrived is not known. */
export class NoAnswer extends Data.TaggedError("NoAnswer")<{
  readonly code: "timeout" | "name" | "connection" | "certificate" | "protocol"
  /** For whoever gave the URL. */
  readonly message: string
  /** What had come of it when it broke off. */
  readonly begun: OutgoingAnswer | undefined
}> {}

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : ""

/** What of an error of the system concerns whoever gave the URL; undefined of one that is a mistake here. */
export const noAnswer = (error: unknown, begun: OutgoingAnswer | undefined): NoAnswer | undefined => {
  const code = codeOf(error)
  const failure = (kind: NoAnswer["code"], message: string) => new NoAnswer({ code: kind, message, begun })
  if (/^UND_ERR_(CONNECT|HEADERS|BODY)_TIMEOUT$|^ETIMEDOUT$/.test(code)) {
    return failure("timeout", "the server could not be reached in time")
  }
  if (code === "ENOTFOUND" || code === "ENODATA") return failure("name", "the name of the host has no address")
  if (/^(EAI_\w+|ESERVFAIL|EREFUSED|ETIMEOUT|EBADNAME|EFORMERR|EBADRESP)$/.test(code)) {
    return failure("name", "the name of the host could not be looked up")
  }
  if (code === "ECONNREFUSED") return failure("connection", "the server refused the connection")
  if (code === "EHOSTUNREACH" || code === "ENETUNREACH") return failure("connection", "there is no way to the server")
  if (/^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO|DEPTH_ZERO|SELF_SIGNED|HOSTNAME_MISMATCH|INVALID_CA|EPROTO)/.test(code)) {
    return failure("certificate", `TLS with the server failed: ${code}`)
  }
  if ((error instanceof Error && error.name === "HTTPParserError") || /^UND_ERR_(HEADERS_OVERFLOW|RES_)/.test(code)) {
    return failure("protocol", "what the server answered is not HTTP")
  }
  return code === "" || code === "UND_ERR_INVALID_ARG" ? undefined : failure("connection", "the connection broke off")
}
