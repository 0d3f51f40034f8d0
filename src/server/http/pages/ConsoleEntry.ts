/** Names of the files of the console. */
export const consoleFiles = {
  entry: "entry.json",
  worker: "sw.js",
  asset: (name: string) => `assets/${name}`
}

/** The files that the page loads: names of assets, each with a hash of its content. */
export interface ConsoleEntry {
  readonly script: string
  /** The modules that the script imports at once. */
  readonly preloads: ReadonlyArray<string>
  readonly style: string
  /** The style of rendered notes, which is that of shared pages. */
  readonly noteStyle: string
  /** The module that the script imports when a user begins to write. */
  readonly editor: string
  /** The script and the style of the pages on which users choose a password. */
  readonly accountForms: string
  readonly accountPages: string
  /** The assets of icons by the names of their files. */
  readonly icons: Readonly<Record<string, string>>
}
