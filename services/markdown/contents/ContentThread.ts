import { GuardedWorker } from "../../concurrency/GuardedWorker.ts"
import { workerModule } from "../../concurrency/WorkerModule.ts"
import type { Mention, NamedText } from "./NameMentions.ts"
import type { TextContents } from "./TextContents.ts"

const entry = workerModule(import.meta.url, "ContentWorker")

/** The limits are for all bodies of one call. A note that exceeds them alone has no contents, and is shown as plain text. */
const bounds = { maxMillis: 6_000, maxMegabytes: 384, isKept: true }

/** Reads the contents of bodies. */
export const contentThread = () =>
  new GuardedWorker<ReadonlyArray<string>, ReadonlyArray<TextContents | undefined>>(entry, bounds)

/** Finds mentions of names in bodies. */
export const mentionThread = () =>
  new GuardedWorker<ReadonlyArray<NamedText>, ReadonlyArray<Mention | undefined>>(entry, bounds)
