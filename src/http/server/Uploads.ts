import { NodeHttpServerRequest } from "@effect/platform-node"
import { Effect } from "effect"
import { HttpEffect, HttpServerRequest, HttpServerResponse } from "effect/http"
import type { IncomingMessage } from "node:http"
import { Incoming } from "../../../services/files/Blobs.ts"
import { stepAside } from "./Admission.ts"
import { stateOf } from "./RequestState.ts"

type Request = HttpServerRequest.HttpServerRequest

interface Head {
  readonly method?: string | undefined
  readonly url?: string | undefined
  readonly headers: { readonly [name: string]: string | ReadonlyArray<string> | undefined }
}

/** Whether the address is one of a file, which its signature opens. */
export const isFile = ({ url = "" }: Head): boolean => url.startsWith("/files/")

const formPath = /^\/v2\/(?:attachments|imports)(?:\?|$)/
const formType = /^multipart\/form-data(?:;|\s|$)/i

/** Whether the body is a form with a file, by the head of the request. */
export const isForm = ({ headers }: Pick<Head, "headers">): boolean => formType.test(String(headers["content-type"]))

/** Whether the body is a file, by the head of the request: it is as large as whoever takes it in allows. */
export const isUpload = (request: Head): boolean => {
  const { method, url = "" } = request
  if (method === "PUT") return isFile(request)
  return method === "POST" && formPath.test(url) && isForm(request)
}

const nodeRequest = (request: Request): IncomingMessage =>
  NodeHttpServerRequest.toIncomingMessage(request) as IncomingMessage

/**
 * Lets an upload in, once it is known that it may come. From then on it may take as long as it goes on, others of the same
 * caller are worked on meanwhile, and a client that waits to be told to go on is told (RFC 9110, section 10.1.1). Who is
 * refused before has sent nothing.
 */
export const continueUpload: Effect.Effect<void, never, Request> = Effect.flatMap(
  HttpServerRequest.HttpServerRequest,
  (request) =>
    Effect.suspend(() => {
      const state = stateOf(request.source)
      if (state.isLetIn) return Effect.void
      state.isLetIn = true
      const response = NodeHttpServerRequest.toServerResponse(request)
      const isAwaited = /^100-continue$/i.test(request.headers["expect"] ?? "")
      if (isAwaited && !response.headersSent && !response.destroyed) response.writeContinue()
      stepAside(request)
      return Effect.void
    })
)

/** What an upload leaves unread is not waited for: the answer is the last of its connection, and says so. */
export const closingUnread: Effect.Effect<void, never, Request> = HttpEffect.appendPreResponseHandler(
  (request, response) =>
    Effect.sync(() =>
      nodeRequest(request).complete ? response : HttpServerResponse.setHeader(response, "connection", "close")
    )
)

const lengthOf = ({ headers }: Request): number | undefined =>
  /^\d{1,15}$/.test(headers["content-length"] ?? "") ? Number(headers["content-length"]) : undefined

/** The bytes of an upload, which is let in by this. Who stops before their end leaves the connection open for the answer. */
export const uploadSource: Effect.Effect<Incoming, never, HttpServerRequest.HttpServerRequest> = Effect.flatMap(
  HttpServerRequest.HttpServerRequest,
  (request) =>
    Effect.as(Effect.andThen(closingUnread, continueUpload), new Incoming(nodeRequest(request), lengthOf(request)))
)
