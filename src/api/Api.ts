import { HttpApi, OpenApi } from "effect/http-api"
import { Authorization, Problems } from "./Authorization.ts"
import { NotebooksApi } from "./NotebooksApi.ts"
import { NotesApi } from "./NotesApi.ts"
import { SearchApi } from "./SearchApi.ts"
import { SyncApi } from "./SyncApi.ts"
import { TagsApi } from "./TagsApi.ts"

/** The whole contract. The major version is the last segment of base_url (interface.md, Versioning). */
export class Api extends HttpApi.make("sheaf")
  .add(NotesApi)
  .add(NotebooksApi)
  .add(TagsApi)
  .add(SyncApi)
  .add(SearchApi)
  .middleware(Authorization)
  .middleware(Problems)
  .prefix("/v2")
  // A client hears of every wrong field at once.
  .annotate(HttpApi.PayloadParseOptions, { errors: "all" })
  .annotateMerge(OpenApi.annotations({
    title: "Sheaf",
    version: "2.14.0",
    description: "Notes, sync and search"
  }))
{}
