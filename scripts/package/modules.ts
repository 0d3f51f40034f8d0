/** A module of the npm package. */
interface Module {
  readonly source: string
  /** Whether it also runs in other places than Node 24, and so without Effect. */
  readonly isPortable: boolean
}

/** The modules of the npm package: `testing` is imported as `sheaf/testing`. */
export const modules: Readonly<Record<string, Module>> = {
  testing: { source: "src/program/testing/Testing.ts", isPortable: false },
  client: { source: "src/clients/client/ClientPackage.ts", isPortable: true },
  sync: { source: "src/clients/sync/SheafSync.ts", isPortable: true },
  "file-store": { source: "src/clients/sync/FileSyncStore.ts", isPortable: true },
  folder: { source: "src/clients/folder/SheafFolder.ts", isPortable: false },
  indexeddb: { source: "src/clients/indexeddb/IndexedDbStore.ts", isPortable: true },
  rxdb: { source: "src/clients/rxdb/SheafRxDB.ts", isPortable: true },
  tanstack: { source: "src/clients/tanstack/SheafCollection.ts", isPortable: true }
}

/** Packages that projects install themselves for one of the modules, so that both use one copy. */
export const peers: ReadonlyArray<string> = ["@tanstack/db", "rxdb", "rxjs"]
