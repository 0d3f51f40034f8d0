import { NodeHttpServerRequest } from "@effect/platform-node"
import { Effect } from "effect"
import { HttpEffect, HttpServerRequest, HttpServerResponse } from "effect/http"
import type { IncomingMessage } from "node:http"
import { Incoming } from "../../../../services/files/Blobs.ts"
import { releasePermit } from "./Admission.ts"
import { stateOf } from "./RequestState.ts"

type Request = HttpServerRequest.HttpServerRequest

interface Head {
  readonly method?: string | undefined
  readonly url?: string | undefined
  readonly headers: { readonly [name: string]: string | ReadonlyArray<string> | undefined }
}

/** Whether the URL is that of a file, which has a signature instead of a credential. */
export const isFile = ({ url = "" }: Head): boolean => url.startsWith("/files/")

const formPath = /^\/v2\/(?:attachments|imports)(?:\?|$)/
const formType = /^multipart\/form-data(?:;|\s|$)/i

/** Whether the body is a form with a file, according to the headers. */
export const isForm = ({ headers }: Pick<Head, "headers">): boolean => formType.test(String(headers["content-type"]))

/** Whether the body is a file, according to the head of the request. Its handler limits the size. */
export const isUpload = (request: Head): boolean => {
  const { method, url = "" } = request
  if (method === "PUT") return isFile(request)
  return method === "POST" && formPath.test(url) && isForm(request)
}

const nodeRequest = (request: Request): IncomingMessage =>
  NodeHttpServerRequest.toIncomingMessage(request) as IncomingMessage

/**
 * Accepts an upload, once its sender is known to have the right. From then on it may take any time while bytes arrive,
 * other requests of the same caller are processed meanwhile, and a client that expects 100 Continue receives it (RFC 9110,
 * section 10.1.1). A client that is refused before has sent no bytes.
 */
export const continueUpload: Effect.Effect<void, never, Request> = Effect.flatMap(
  HttpServerRequest.HttpServerRequest,
  (request) =>
    Effect.suspend(() => {
      const state = stateOf(request.source)
      if (state.isAcceptedUpload) return Effect.void
      state.isAcceptedUpload = true
      const response = NodeHttpServerRequest.toServerResponse(request)
      const isAwaited = /^100-continue$/i.test(request.headers["expect"] ?? "")
      if (isAwaited && !response.headersSent && !response.destroyed) response.writeContinue()
      releasePermit(request)
      return Effect.void
    })
)

/** If the body was not read to its end, the response announces that it is the last on its connection. */
export const closingUnread: Effect.Effect<void, never, Request> = HttpEffect.appendPreResponseHandler(
  (request, response) =>
    Effect.sync(() =>
      nodeRequest(request).complete ? response : HttpServerResponse.setHeader(response, "connection", "close")
    )
)

const lengthOf = ({ headers }: Request): number | undefined =>
  /^\d{1,15}$/.test(headers["content-length"] ?? "") ? Number(headers["content-length"]) : undefined

/** Accepts an upload, and returns its bytes. A reader may stop early: the connection stays open for the response. */
export const uploadSource: Effect.Effect<Incoming, never, HttpServerRequest.HttpServerRequest> = Effect.flatMap(
  HttpServerRequest.HttpServerRequest,
  (request) =>
    Effect.as(Effect.andThen(closingUnread, continueUpload), new Incoming(nodeRequest(request), lengthOf(request)))
)
