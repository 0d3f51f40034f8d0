import { NodeHttpServer, NodeServices } from "@effect/platform-node"
import { Context, Effect, FileSystem, Layer, Path, Stdio, Terminal } from "effect"
import { Etag } from "effect/http"
import { ChildProcessSpawner } from "effect/process"
import { expect, it } from "vitest"
import { PublicUrl } from "../../src/http/Respond.ts"
import * as Lean from "../../src/http/Lean.ts"
import { Authorization } from "../../src/api/Authorization.ts"

class Given extends Context.Service<Given, string>()("sheaf/notes/Given") {}
class Other extends Context.Service<Other, string>()("sheaf/notes/Other") {}

/** The keys of what stands around a layer when it is built. */
const around = async (
  lean: <A, E, R>(layer: Layer.Layer<A, E, R>) => Layer.Layer<A, E, R>
): Promise<ReadonlyArray<string>> => {
  let keys: ReadonlyArray<string> = []
  const look = Layer.effectDiscard(
    Effect.contextWith((context: Context.Context<never>) =>
      Effect.sync(() => {
        keys = [...context.mapUnsafe.keys()]
      })
    )
  )
  const services = Layer.mergeAll(
    NodeServices.layer,
    NodeHttpServer.layerHttpServices,
    Layer.succeed(Given, "given"),
    Layer.succeed(Other, "other"),
    Layer.succeed(PublicUrl, "http://sheaf.test"),
    // What it does is not asked.
    Layer.succeedContext(Context.makeUnsafe<never>(new Map([[Authorization.key, undefined]])))
  )
  await Effect.runPromise(Effect.scoped(Layer.build(Layer.provide(lean(look), services))))
  return keys
}

const ofMachine = [
  FileSystem.FileSystem,
  Path.Path,
  Stdio.Stdio,
  Terminal.Terminal,
  ChildProcessSpawner.ChildProcessSpawner,
  Etag.Generator
].map(({ key }) => key)

it("without it, a request's context would hold all services and the machine's", async () => {
  const keys = await around((layer) => layer)
  expect(keys).toEqual(expect.arrayContaining([...ofMachine, Given.key, Other.key]))
})

it("the server's requests carry neither a service of the program nor the machine's, but what HTTP sets", async () => {
  const keys = await around(Lean.server)
  for (const key of [...ofMachine, Given.key, Other.key]) expect(keys).not.toContain(key)
  expect(keys).toContain(PublicUrl.key)
})

it("handlers carry the services they are built from, and their middlewares", async () => {
  const keys = await around(Lean.handlers(Given))
  expect(keys).toEqual(
    expect.arrayContaining([Given.key, Authorization.key, "effect/Scope", "effect/Layer/CurrentMemoMap"])
  )
  for (const key of [...ofMachine, Other.key]) expect(keys).not.toContain(key)
})
