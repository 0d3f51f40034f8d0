/** A module of the npm package. */
interface Module {
  readonly source: string
  /** Whether it also runs in browsers, and so without Effect and without modules of Node. */
  readonly isPortable: boolean
}

/** The modules of the npm package: `testing` is imported as `sheaf/testing`. */
export const modules: Readonly<Record<string, Module>> = {
  testing: { source: "src/testing/Testing.ts", isPortable: false },
  client: { source: "src/client/SheafClient.ts", isPortable: true }
}
