import { Effect } from "effect"
import type { Contents } from "../../contents/Contents.ts"
import type { Export } from "./Export.ts"

/** Maximum number of further waits, of 10 s each: the first reading of many texts takes long. */
const maxWaits = 30

/** Waits for the links of a workspace, which an export in Markdown writes by the notes to which they lead. */
export const linksRead = (contents: Contents["Service"], workspace_id: string, format: Export["format"]) =>
  format === "json" ? Effect.void : Effect.retry(contents.catchUp(workspace_id), { times: maxWaits })
