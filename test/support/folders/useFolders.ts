import { afterEach, beforeEach, inject, vi } from "vitest"
import { Sheaf } from "../../../src/program/testing/Sheaf.ts"
import { SyncedFolder } from "./SyncedFolder.ts"

/** A server with two folders. */
interface Folders {
  readonly sheaf: Sheaf
  readonly folder: SyncedFolder
  readonly other: SyncedFolder
}

/** Starts a server with two folders for each test. `begin` gets them before it. */
export const useFolders = (begin: (given: Folders) => void): void => {
  let given: Folders
  beforeEach(async () => {
    const sheaf = await Sheaf.start({ postgres: inject("postgres") })
    given = { sheaf, folder: new SyncedFolder(sheaf), other: new SyncedFolder(sheaf) }
    begin(given)
  })
  afterEach(async () => {
    vi.restoreAllMocks()
    await given.folder[Symbol.asyncDispose]()
    await given.other[Symbol.asyncDispose]()
    await given.sheaf.stop()
  })
}
