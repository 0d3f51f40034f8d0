import { Context, Effect, Layer, Schema } from "effect"
import { McpProtocol, McpSchema, McpServer } from "effect/ai"
import { type HttpRouter, HttpServerRequest } from "effect/http"
import { Principal } from "../../../services/Principal.ts"
import type { McpTool } from "./McpTool.ts"
import type { ToolResult } from "./ToolResults.ts"

/** The only module that uses `effect/ai`, because that part of Effect is not stable yet. */

/** The revision of the protocol that is served natively. */
export const nativeRevision = McpProtocol.v2026_07_28.protocolVersion

/** The tool or resource that a header `Mcp-Name` names. */
export const nameOf = (header: string | undefined): string | undefined =>
  header === undefined ? undefined : McpServer.decodeNameHeader(header)

/** A request as the server takes it: it needs two media types, which it compares as texts. */
export const nativeRequest = (url: string, headers: Readonly<Record<string, string>>, body: ArrayBuffer | string) => {
  const types = { "content-type": "application/json", accept: "application/json, text/event-stream" }
  const options = { method: "POST", headers: { ...headers, ...types }, body }
  return HttpServerRequest.fromWeb(new Request(`http://localhost${url}`, options))
}

/** A text that clients can read. */
export interface McpResource {
  readonly uri: string
  readonly name: string
  readonly title: string
  readonly description: string
  readonly mimeType: string
  readonly text: string
}

export interface Server {
  readonly tools: ReadonlyArray<McpTool>
  readonly resources: ReadonlyArray<McpResource>
  readonly call: (tool: McpTool, args: unknown) => Effect.Effect<ToolResult, never, Principal>
}

/** The caller, which a middleware of the router has put into the context. */
const asCaller = <A>(effect: Effect.Effect<A, never, Principal>): Effect.Effect<A> =>
  Effect.withFiber((fiber) =>
    Effect.provideService(effect, Principal, Context.getUnsafe(fiber.context as Context.Context<Principal>, Principal))
  )

const toolOf = ({ description, inputSchema, isDestructive, isReadOnly, name, outputSchema, title }: McpTool) =>
  Effect.map(
    Effect.all([
      Schema.decodeUnknownEffect(McpSchema.ToolJson)(inputSchema),
      Schema.decodeUnknownEffect(McpSchema.ToolOutputJson)(outputSchema)
    ]),
    ([input, output]) =>
      new McpSchema.Tool({
        name,
        title,
        description,
        inputSchema: input,
        outputSchema: output,
        annotations: {
          readOnlyHint: isReadOnly,
          destructiveHint: isDestructive,
          openWorldHint: false
        }
      })
  )

const register = Effect.fnUntraced(function* ({ call, resources, tools }: Server) {
  const server = yield* McpServer.McpServer
  for (const tool of tools) {
    yield* server.addTool({
      tool: yield* Effect.orDie(toolOf(tool)),
      annotations: Context.empty(),
      handle: (args) =>
        Effect.map(
          asCaller(call(tool, args)),
          ({ blocks, isError, structured, text }) =>
            new McpSchema.CallToolResult({
              isError,
              content: [{ type: "text", text }, ...blocks],
              structuredContent: structured
            })
        )
    })
  }
  for (const { text, ...resource } of resources) {
    const contents = [{ uri: resource.uri, mimeType: resource.mimeType, text }]
    yield* server.addResource({
      resource: new McpSchema.Resource(resource),
      annotations: Context.empty(),
      handle: Effect.succeed({ contents })
    })
  }
})

/**
 * Serves tools and resources at `path`. `mayCall` decides, for each request, which tools exist for its caller. Effect
 * writes the result of `server/discover`: it always has the capabilities `logging` and `completions`, which no tool uses,
 * and as supported revision only the native one.
 */
export const layer = (options: {
  readonly path: HttpRouter.PathInput
  readonly name: string
  readonly version: string
  readonly instructions: string
  readonly origin: string
  readonly server: Server
  readonly mayCall: (name: string, caller: Principal["Service"]) => boolean
}) =>
  McpServer.layerHttp({
    name: options.name,
    version: options.version,
    instructions: options.instructions,
    path: options.path,
    protocols: [McpProtocol.v2026_07_28],
    allowedOrigins: [options.origin],
    // A stream of changes would hold the server for the whole time of a shutdown.
    allowSubscriptions: false,
    registrations: Layer.merge(
      Layer.effectDiscard(register(options.server)),
      McpServer.visibility(
        ({ method, target }) =>
          Effect.map(Principal, (caller) =>
            method === "tools/list" || method === "tools/call" ? options.mayCall(target, caller) : true
          ),
        { global: true }
      )
    )
  })
