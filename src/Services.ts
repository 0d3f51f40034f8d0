import { Layer } from "effect"
import { Events } from "../services/activity/Events.ts"
import { ApiKeys } from "../services/identity/ApiKeys.ts"
import { Credentials } from "../services/identity/Credentials.ts"
import { Users } from "../services/identity/Users.ts"
import { Notebooks } from "../services/notes/Notebooks.ts"
import { Notes } from "../services/notes/Notes.ts"
import { Tags } from "../services/notes/Tags.ts"
import { Indexes } from "../services/search/Indexes.ts"
import * as Scheduler from "../services/scheduler/Scheduler.ts"
import { Search } from "../services/search/Search.ts"
import { ChangeLog } from "../services/storage/ChangeLog.ts"
import { Committer } from "../services/storage/Committer.ts"
import { IdempotencyKeys } from "../services/storage/IdempotencyKeys.ts"
import { DatabaseUse } from "../services/storage/DatabaseUse.ts"
import { Lists } from "../services/storage/Lists.ts"
import { Writer } from "../services/storage/Writer.ts"
import { Devices } from "../services/sync/Devices.ts"
import { Feeds } from "../services/sync/Feeds.ts"
import { Push } from "../services/sync/Push.ts"
import { Pushables } from "../services/sync/Pushables.ts"
import { Streams } from "../services/sync/Streams.ts"
import { Sync } from "../services/sync/Sync.ts"
import { Workspaces } from "../services/workspaces/Workspaces.ts"

/** Every service, tier by tier, each tier on those above it in this list. */
export const layer = (options: { readonly streamsPerCredential: number }) => {
  const storage = Writer.layer.pipe(
    Layer.provideMerge(Layer.mergeAll(Committer.layer, ChangeLog.layer, DatabaseUse.layer, Lists.layer, IdempotencyKeys.layer))
  )
  const workspaces = Workspaces.layer
  const identity = ApiKeys.layer.pipe(Layer.provideMerge(Layer.mergeAll(Users.layer, Credentials.layer)))
  const notes = Layer.mergeAll(Notes.layer, Notebooks.layer, Tags.layer)
  const sync = Layer.mergeAll(Push.layer, Streams.layer({ perCredential: options.streamsPerCredential })).pipe(
    Layer.provideMerge(Layer.mergeAll(Sync.layer, Feeds.layer, Pushables.layer)),
    Layer.provideMerge(Devices.layer)
  )
  const search = Search.layer.pipe(Layer.provideMerge(Indexes.layer))
  return Scheduler.layer.pipe(
    Layer.provideMerge(Layer.mergeAll(sync, search, Events.layer)),
    Layer.provideMerge(notes),
    Layer.provideMerge(identity),
    Layer.provideMerge(workspaces),
    Layer.provideMerge(storage)
  )
}
