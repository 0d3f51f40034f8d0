import { HttpApi, OpenApi } from "effect/http-api"
import { StoredShare } from "../../../services/notes/shares/Share.ts"
import { StreamData, StreamEvent } from "../../../services/sync/StreamEvent.ts"
import { PushEntry, SyncedType } from "../../../services/sync/SyncObject.ts"
import { AdminBackupsApi } from "./groups/admin/AdminBackupsApi.ts"
import { AdminJobsApi } from "./groups/admin/AdminJobsApi.ts"
import { AdminMailsApi } from "./groups/admin/AdminMailsApi.ts"
import { AdminServerApi } from "./groups/admin/AdminServerApi.ts"
import { AdminUsersApi } from "./groups/admin/AdminUsersApi.ts"
import { AdminWorkspacesApi } from "./groups/admin/AdminWorkspacesApi.ts"
import { ApiKeysApi } from "./groups/ApiKeysApi.ts"
import { AttachmentsApi } from "./groups/AttachmentsApi.ts"
import { AuditLogApi } from "./groups/AuditLogApi.ts"
import { AuthApi } from "./groups/AuthApi.ts"
import { Problems } from "./Authorization.ts"
import { ChangeSetsApi } from "./groups/ChangeSetsApi.ts"
import { ContentsApi } from "./groups/ContentsApi.ts"
import { CommentsApi } from "./groups/CommentsApi.ts"
import { ConnectedAppsApi } from "./groups/ConnectedAppsApi.ts"
import { EventsApi } from "./groups/EventsApi.ts"
import { ExportsApi } from "./groups/ExportsApi.ts"
import { FactorsApi } from "./groups/FactorsApi.ts"
import { IdentitiesApi } from "./groups/IdentitiesApi.ts"
import { ImportsApi } from "./groups/ImportsApi.ts"
import { InvitationsApi } from "./groups/InvitationsApi.ts"
import { MeApi } from "./groups/MeApi.ts"
import { MembersApi } from "./groups/MembersApi.ts"
import { NotebooksApi } from "./groups/NotebooksApi.ts"
import { NotesApi } from "./groups/NotesApi.ts"
import { around, signedIn } from "./Middlewares.ts"
import { RemindersApi } from "./groups/RemindersApi.ts"
import { SearchApi } from "./groups/SearchApi.ts"
import { SharesApi } from "./groups/SharesApi.ts"
import { SyncApi } from "./groups/SyncApi.ts"
import { TagsApi } from "./groups/TagsApi.ts"
import { TemplatesApi } from "./groups/TemplatesApi.ts"
import { UsageApi } from "./groups/UsageApi.ts"
import { WebhooksApi } from "./groups/WebhooksApi.ts"
import { WorkspacesApi } from "./groups/WorkspacesApi.ts"

/** The groups that need a credential, in alphabetical order. */
const resources = [
  AdminBackupsApi,
  AdminJobsApi,
  AdminMailsApi,
  AdminServerApi,
  AdminUsersApi,
  AdminWorkspacesApi,
  ApiKeysApi,
  AttachmentsApi,
  AuditLogApi,
  ChangeSetsApi,
  ContentsApi,
  CommentsApi,
  ConnectedAppsApi,
  EventsApi,
  ExportsApi,
  FactorsApi,
  IdentitiesApi,
  ImportsApi,
  InvitationsApi,
  MeApi,
  MembersApi,
  NotebooksApi,
  NotesApi,
  RemindersApi,
  SearchApi,
  SharesApi,
  SyncApi,
  TagsApi,
  TemplatesApi,
  UsageApi,
  WebhooksApi,
  WorkspacesApi
] as const

/** The whole API. The major version is the last segment of base_url (contract, Versioning). */
export class Api extends around(HttpApi.make("sheaf").add(...resources), signedIn)
  // Most endpoints of this group need no sign-in, so each of them declares its own middlewares.
  .add(AuthApi)
  .middleware(Problems)
  .prefix("/v2")
  // Schemas of streamed data and of entries that are checked one by one: no payload refers to them.
  .annotate(HttpApi.AdditionalSchemas, [PushEntry, SyncedType, StreamData, StreamEvent, StoredShare])
  // A response reports all wrong fields at once.
  .annotate(HttpApi.PayloadParseOptions, { errors: "all" })
  .annotateMerge(
    OpenApi.annotations({
      title: "Sheaf",
      version: "2.15.0",
      description: "Notes, sync and search"
    })
  ) {}
