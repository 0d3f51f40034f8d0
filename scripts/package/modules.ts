/** A module of the npm package. */
interface Module {
  readonly source: string
  /** Whether it also runs in other places than Node 24, and so without Effect. */
  readonly isPortable: boolean
}

/** The modules of the npm package: `testing` is imported as `sheaf/testing`. */
export const modules: Readonly<Record<string, Module>> = {
  testing: { source: "src/testing/Testing.ts", isPortable: false },
  client: { source: "src/client/SheafClient.ts", isPortable: true },
  sync: { source: "src/sync/SheafSync.ts", isPortable: true },
  "file-store": { source: "src/sync/FileSyncStore.ts", isPortable: true }
}
