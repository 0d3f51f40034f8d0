import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { expect, it } from "vitest"
import * as Ids from "../../services/Ids.ts"
import { Principal } from "../../services/Principal.ts"
import * as Respond from "../../src/http/Respond.ts"

const request = HttpServerRequest.fromWeb(new Request("http://127.0.0.1/v2/notes"))
const workspace_id = Ids.make("ws", 0)
const principal: Principal["Service"] = {
  user_id: Ids.make("us", 0),
  workspace_id,
  home_id: workspace_id,
  kind: "api_key",
  credential_id: "",
  digest: "",
  scopes: new Set(),
  role: "owner",
  plan: "free",
  expires_at: Infinity,
  device_id: null,
  names_foreign_device: false,
  ip: null,
  user_agent: null
}

/** What of an answer is written as a long one, and for whom. */
const long = async <E>(answer: Effect.Effect<unknown, E, HttpServerRequest.HttpServerRequest>) => {
  const written: Array<readonly [texts: number, caller: string]> = []
  await Effect.runPromise(
    answer.pipe(
      Effect.provideService(HttpServerRequest.HttpServerRequest, request),
      Effect.provideService(Principal, principal),
      Effect.provideService(Respond.LongAnswers, (texts, caller) => {
        written.push([texts.length, caller])
        return Effect.succeed(new Uint8Array())
      })
    )
  )
  return written
}

const pageOf = (items: ReadonlyArray<string>) => Respond.page({ items, has_more: false, next_cursor: null })
const item = JSON.stringify({ body: "x".repeat(30_000) })

it("a long answer is written in the turns of its caller, a short one at once", async () => {
  expect(await long(pageOf([item, item]))).toEqual([])
  expect(await long(pageOf([item, item, item]))).toEqual([[7, principal.user_id]])
  expect(await long(Respond.note("no_1", 1, item))).toEqual([])
  expect(await long(Respond.note("no_1", 1, JSON.stringify({ body: "x".repeat(70_000) })))).toEqual([
    [1, principal.user_id]
  ])
})
