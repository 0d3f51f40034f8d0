import { readFileSync } from "node:fs"
import sheaf from "../../package.json" with { type: "json" }

export interface Build {
  /** The version with the commit, such as `0.1.0+89288c7`: two builds of one version differ. */
  readonly version: string
  /** The time of the commit (RFC 3339); null if it is unknown. */
  readonly date: string | null
}

/** Reads what `scripts/version.ts` has stored next to the bundle. The sources themselves have no build. */
const read = (): Build => {
  try {
    return JSON.parse(readFileSync(new URL("./build.json", import.meta.url), "utf8")) as Build
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error
    return { version: `${sheaf.version}+development`, date: null }
  }
}

export const build = read()
export const { version } = build
