import { NodeFileSystem, NodeHttpPlatform, NodeHttpServer, NodePath } from "@effect/platform-node"
import {
  Clock,
  Context,
  Duration,
  Effect,
  Layer,
  Logger,
  Metric,
  type Redacted,
  References,
  Scope,
  Tracer
} from "effect"
import { Etag, HttpMiddleware, HttpRouter, HttpServer, UrlParams } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import type { ServerOptions } from "node:http"
import { Randomness } from "../../services/Randomness.ts"
import type { BackgroundWork } from "../../services/concurrency/BackgroundWork.ts"
import type { Database } from "../../services/database/Database.ts"
import type { ProviderSignIns } from "../../services/oidc/ProviderSignIns.ts"
import { Streams } from "../../services/sync/Streams.ts"
import { Sync } from "../../services/sync/Sync.ts"
import { Api } from "./api/Api.ts"
import { HealthRoutes } from "./HealthRoutes.ts"
import { ConfigError } from "./settings/Config.ts"
import { AccountPagesHttp } from "./http/pages/AccountPagesHttp.ts"
import * as Admission from "./http/server/Admission.ts"
import { AdminJobsHttp, AdminUsersHttp, AdminWorkspacesHttp } from "./http/handlers/admin/AdminHttp.ts"
import { AdminBackupsHttp, AdminMailsHttp, AdminServerHttp } from "./http/handlers/admin/AdminServerHttp.ts"
import { ApiKeysHttp } from "./http/handlers/account/ApiKeysHttp.ts"
import { AttachmentsHttp } from "./http/handlers/AttachmentsHttp.ts"
import { AuditLogHttp } from "./http/handlers/AuditLogHttp.ts"
import { AuthHttp } from "./http/handlers/account/AuthHttp.ts"
import { ChangeSetsHttp } from "./http/handlers/ChangeSetsHttp.ts"
import { ContentsHttp } from "./http/handlers/ContentsHttp.ts"
import { CommentsHttp } from "./http/handlers/CommentsHttp.ts"
import { ConnectedAppsHttp } from "./http/handlers/account/ConnectedAppsHttp.ts"
import { ClientAddress, clientAddress } from "./http/server/ClientAddress.ts"
import { Connections, defaults } from "./http/server/Connections.ts"
import { ConsoleHttp } from "./http/pages/ConsoleHttp.ts"
import * as DeclaredRights from "./http/pipeline/DeclaredRights.ts"
import { AssistantHttp } from "./http/pages/AssistantHttp.ts"
import { DocsHttp } from "./http/pages/DocsHttp.ts"
import { ErrorsHttp } from "./http/pages/ErrorsHttp.ts"
import { EventsHttp } from "./http/handlers/EventsHttp.ts"
import { ExportsHttp } from "./http/handlers/ExportsHttp.ts"
import { FilesHttp } from "./http/handlers/FilesHttp.ts"
import { HomeHttp } from "./http/pages/HomeHttp.ts"
import { FactorsHttp } from "./http/handlers/account/FactorsHttp.ts"
import { IdentitiesHttp } from "./http/handlers/account/IdentitiesHttp.ts"
import { ImportsHttp } from "./http/handlers/ImportsHttp.ts"
import { InvitationsHttp } from "./http/handlers/InvitationsHttp.ts"
import { LargeBodies } from "./http/server/LargeBodies.ts"
import { ParentLink } from "../../services/concurrency/ParentLink.ts"
import * as EarlyRequests from "./http/server/EarlyRequests.ts"
import * as MalformedRequests from "./http/server/MalformedRequests.ts"
import { createServer } from "./http/server/NodeHttp.ts"
import { MeHttp } from "./http/handlers/account/MeHttp.ts"
import { MembersHttp } from "./http/handlers/MembersHttp.ts"
import { routing } from "./http/pipeline/Methods.ts"
import { MetricsHttp } from "./http/handlers/MetricsHttp.ts"
import { NotebooksHttp } from "./http/handlers/NotebooksHttp.ts"
import { NotesHttp } from "./http/handlers/NotesHttp.ts"
import { OAuthHttp } from "./http/oauth/OAuthHttp.ts"
import { OpenApiHttp } from "./http/handlers/OpenApiHttp.ts"
import * as Pipeline from "./http/pipeline/Pipeline.ts"
import { ErrorsUrl } from "./http/responses/Problem.ts"
import { PublicUrl } from "./http/responses/Respond.ts"
import { RemindersHttp } from "./http/handlers/RemindersHttp.ts"
import { SearchHttp } from "./http/handlers/SearchHttp.ts"
import { SharePageHttp } from "./http/pages/SharePageHttp.ts"
import { SharesHttp } from "./http/handlers/SharesHttp.ts"
import { SyncHttp } from "./http/handlers/SyncHttp.ts"
import { SignInPagesHttp } from "./http/pages/SignInPagesHttp.ts"
import { TagsHttp } from "./http/handlers/TagsHttp.ts"
import { TemplatesHttp } from "./http/handlers/TemplatesHttp.ts"
import { UsageHttp } from "./http/handlers/UsageHttp.ts"
import { WebhooksHttp } from "./http/handlers/WebhooksHttp.ts"
import { WorkspacesHttp } from "./http/handlers/WorkspacesHttp.ts"
import { McpHttp } from "./mcp/McpHttp.ts"
import * as RuntimeMetrics from "./metrics/RuntimeMetrics.ts"
import * as ServiceMetrics from "./ServiceMetrics.ts"
import { Readiness } from "./http/server/Readiness.ts"
import { ServedSettings, StartWarnings } from "./settings/ServedSettings.ts"
import * as ShutdownDelay from "./ShutdownDelay.ts"

const basePath = "/v2"

/** The handlers of each group of the API, by name. */
const resources = Layer.mergeAll(
  AdminBackupsHttp,
  AdminJobsHttp,
  AdminMailsHttp,
  AdminServerHttp,
  AdminUsersHttp,
  AdminWorkspacesHttp,
  ApiKeysHttp,
  AttachmentsHttp,
  AuditLogHttp,
  AuthHttp,
  ChangeSetsHttp,
  ContentsHttp,
  CommentsHttp,
  ConnectedAppsHttp,
  EventsHttp,
  ExportsHttp,
  FactorsHttp,
  IdentitiesHttp,
  ImportsHttp,
  InvitationsHttp,
  MeHttp,
  MembersHttp,
  NotebooksHttp,
  NotesHttp,
  RemindersHttp,
  SearchHttp,
  SharesHttp,
  SyncHttp,
  TagsHttp,
  TemplatesHttp,
  UsageHttp,
  WebhooksHttp,
  WorkspacesHttp
)

const ApiRoutes = HttpApiBuilder.layer(Api).pipe(
  Layer.provide(resources),
  Layer.provide(Pipeline.stations),
  Layer.provide(DeclaredRights.layer(Api))
)

interface Options {
  readonly publicUrl: string
  readonly metricsToken: Redacted.Redacted | undefined
  readonly trustedProxies: ReadonlyArray<string>
  readonly shutdownDelay: number
}

/** Routes and middleware in addition to those of the server. */
export type Further = Layer.Layer<never, never, HttpRouter.HttpRouter | Database | BackgroundWork | ProviderSignIns>

const errorsUrl = (publicUrl: string): string => `${publicUrl}${basePath}/errors/`

const AllRoutes = ({ metricsToken, publicUrl }: Options, further: Further) =>
  Pipeline.edge(
    Layer.mergeAll(
      further,
      ApiRoutes,
      ErrorsHttp(basePath),
      HomeHttp(publicUrl),
      OpenApiHttp,
      DocsHttp,
      AssistantHttp,
      ConsoleHttp(publicUrl),
      AccountPagesHttp(publicUrl),
      FilesHttp,
      McpHttp(publicUrl),
      OAuthHttp(publicUrl),
      SharePageHttp(publicUrl),
      SignInPagesHttp(publicUrl),
      HealthRoutes,
      MetricsHttp(metricsToken)
    )
  )

const refuse = (cause: unknown): Effect.Effect<Layer.Layer<unknown>, ConfigError> =>
  Effect.fail(new ConfigError({ message: `The server cannot listen on HOST and PORT: ${(cause as Error).message}` }))

/** Options for reading requests from connections. */
const wire: ServerOptions = {
  keepAliveTimeout: 75_000,
  headersTimeout: 20_000,
  // Uploads may take long: `Connections` ends other slow requests.
  requestTimeout: 0,
  // A filter of 4 KB in a non-Latin script is 12 KB in a URL, and a cursor is next to it.
  maxHeaderSize: 32 * 1024,
  // Makes a repeated header visible. Otherwise the first value would count here, and in a proxy perhaps the last.
  joinDuplicateHeaders: true,
  // The edge checks it, and responds with a problem.
  requireHostHeader: false,
  // No other protocol is supported: a request to upgrade gets a normal response.
  shouldUpgradeCallback: () => false
}

/** The listening socket. It opens before the rest is ready; until then requests get 503. */
const listener = (
  options: Pick<Options, "publicUrl" | "trustedProxies"> & { readonly port: number; readonly host: string }
) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const connections = yield* Connections
      const randomness = yield* Randomness
      const errors = errorsUrl(options.publicUrl)
      const link = yield* ParentLink
      const server = () =>
        EarlyRequests.watch(
          connections.watch(MalformedRequests.watch(createServer(wire), randomness, errors)),
          // Clients of the other workers do not see that this one starts.
          link?.isFirst === false ? EarlyRequests.held() : EarlyRequests.refused(randomness, errors)
        )
      // Not NodeHttpServer.layer, whose terminal listens to standard input.
      return Layer.mergeAll(
        NodeHttpServer.layerServer(server, {
          port: options.port,
          host: options.host,
          gracefulShutdownTimeout: Duration.seconds(10)
        }),
        NodeHttpPlatform.layer,
        Etag.layerWeak,
        NodeFileSystem.layer,
        NodePath.layer
      )
    })
  ).pipe(
    Layer.catchTag("ServeError", ({ cause }) => Layer.unwrap(refuse(cause))),
    Layer.provideMerge(Connections.layer(defaults)),
    Layer.provideMerge(Admission.Admission.layer(Admission.defaults)),
    Layer.provideMerge(Layer.succeed(ClientAddress, clientAddress(options.trustedProxies)))
  )

/**
 * Starts the shutdown: a delay, in which requests are still served and streams and long polls end; after it the server
 * finishes open requests. Built last, so it ends first.
 */
const drain = ({ shutdownDelay }: Options) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const readiness = yield* Readiness
      const streams = yield* Streams
      const sync = yield* Sync
      const connections = yield* Connections
      readiness.state = "ready"
      const link = yield* ParentLink
      if (link !== undefined) yield* link.respond("retire", Effect.sync(connections.retire))
      yield* Effect.addFinalizer(() =>
        Effect.gen(function* () {
          readiness.state = "draining"
          connections.retire()
          yield* ShutdownDelay.around(shutdownDelay, Effect.andThen(sync.endWaits, streams.endAll("shutdown")))
          yield* Effect.logInfo("stopping: open requests are finished first")
          connections.drain()
        })
      )
    })
  )

/**
 * The context of requests: Effect copies it into each of them. Handlers hold the services that they need, so that a request
 * needs only what its pipeline, its spans and its log entries read.
 */
const ofRequests = Context.pick(
  Scope.Scope,
  Clock.Clock,
  Randomness,
  ClientAddress,
  PublicUrl,
  ErrorsUrl,
  ServedSettings,
  StartWarnings,
  Metric.MetricRegistry,
  Logger.CurrentLoggers,
  References.MinimumLogLevel,
  References.LogToStderr,
  References.TracerEnabled,
  Tracer.Tracer,
  HttpMiddleware.SpanNameGenerator,
  HttpMiddleware.TracerDisabledWhen,
  UrlParams.CurrentRedactedNames
)

const serve = (options: Options, further: Further) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const server = yield* HttpServer.HttpServer
      const routes = HttpRouter.toHttpEffect(AllRoutes(options, further))
      const handler = yield* Effect.provideService(routes, HttpRouter.RouterConfig, routing)
      yield* Effect.updateContext(server.serve(handler), (context: Context.Context<Scope.Scope>) => ofRequests(context))
    })
  )

export const layer = (options: Options, further: Further) =>
  Layer.mergeAll(drain(options), ServiceMetrics.layer, RuntimeMetrics.layer).pipe(
    Layer.provideMerge(serve(options, further)),
    Layer.provide(Layer.succeed(ErrorsUrl, errorsUrl(options.publicUrl))),
    Layer.provide(Layer.succeed(PublicUrl, options.publicUrl)),
    Layer.provide(LargeBodies.layer)
  )

export { listener }
