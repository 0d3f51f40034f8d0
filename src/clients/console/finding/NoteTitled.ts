import { randomId } from "../../client/RandomId.ts"
import { route } from "../Navigation.ts"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"

/** Creates a note with a title, in the notebook of the open list or else the inbox, and returns its id. */
export const noteTitled = async (store: WorkspaceStore, title: string): Promise<string> => {
  const { filter } = route.value
  const notebook_id = filter.kind === "notebook" ? filter.id : (store.inbox.value?.id ?? "")
  return (await store.client.createNote({ notebook_id, title }, { idempotencyKey: randomId() })).id
}
