import { HttpApi, OpenApi } from "effect/http-api"
import { StoredShare } from "../../services/notes/shares/Share.ts"
import { StreamData, StreamEvent } from "../../services/sync/StreamEvent.ts"
import { PushEntry, SyncedType } from "../../services/sync/SyncObject.ts"
import { ApiKeysApi } from "./ApiKeysApi.ts"
import { AttachmentsApi } from "./AttachmentsApi.ts"
import { AuditLogApi } from "./AuditLogApi.ts"
import { AuthApi } from "./AuthApi.ts"
import { Problems } from "./Authorization.ts"
import { CommentsApi } from "./CommentsApi.ts"
import { EventsApi } from "./EventsApi.ts"
import { ExportsApi } from "./ExportsApi.ts"
import { ImportsApi } from "./ImportsApi.ts"
import { InvitationsApi } from "./InvitationsApi.ts"
import { MeApi } from "./MeApi.ts"
import { MembersApi } from "./MembersApi.ts"
import { NotebooksApi } from "./NotebooksApi.ts"
import { NotesApi } from "./NotesApi.ts"
import { around, signedIn } from "./Middlewares.ts"
import { RemindersApi } from "./RemindersApi.ts"
import { SearchApi } from "./SearchApi.ts"
import { SharesApi } from "./SharesApi.ts"
import { SyncApi } from "./SyncApi.ts"
import { TagsApi } from "./TagsApi.ts"
import { TemplatesApi } from "./TemplatesApi.ts"
import { UsageApi } from "./UsageApi.ts"
import { WebhooksApi } from "./WebhooksApi.ts"
import { WorkspacesApi } from "./WorkspacesApi.ts"

/** The groups that need a credential, in alphabetical order. */
const resources = [
  ApiKeysApi,
  AttachmentsApi,
  AuditLogApi,
  CommentsApi,
  EventsApi,
  ExportsApi,
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
      version: "2.14.0",
      description: "Notes, sync and search"
    })
  ) {}
