import { createHash } from "node:crypto"
import { readFileSync, realpathSync } from "node:fs"
import { homedir } from "node:os"
import { join, resolve } from "node:path"
import { writePrivate } from "../../PrivateFile.ts"
import { Refused } from "../Refused.ts"

/** The server of a folder, and a credential for it. */
export interface Connection {
  readonly url: string
  readonly key: string
}

/** The connection in one text: `https://sfk_…@notes.example.org`. */
export const connectionOf = (text: string): Connection => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username === "") {
    throw new Refused({ message: "--connect needs an address with a key, such as https://sfk_…@notes.example.org" })
  }
  const path = url.pathname === "/" ? "/v2" : url.pathname
  return { url: url.origin + path, key: decodeURIComponent(url.username) }
}

/** Where the state of a folder is by default: outside of it, under a name that its path decides. */
export const stateOf = (folder: string): string => {
  const base = process.env["XDG_STATE_HOME"] || join(homedir(), ".local", "state")
  return join(base, "sheaf", "folders", createHash("sha256").update(folder).digest("hex").slice(0, 16))
}

/** The real path of a folder. */
export const realFolder = (folder: string): string => {
  try {
    return realpathSync(resolve(folder))
  } catch (cause) {
    throw new Refused({ message: `${folder} is not there: ${(cause as Error).message}` })
  }
}

/** What an earlier run has kept in a file of the state. */
export const storedIn = <Kept>(file: string): Kept | undefined => {
  try {
    // This program has written it.
    return JSON.parse(readFileSync(file, "utf8")) as Kept
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined
    throw error
  }
}

/** The connection that is given, which is stored, else that of the environment, else that of an earlier run. */
export const connected = (state: string, given: string | undefined): Connection => {
  const { SHEAF_CONNECT, SHEAF_KEY: key, SHEAF_URL: url } = process.env
  const file = join(state, "connection.json")
  if (given !== undefined) {
    const connection = connectionOf(given)
    writePrivate(file, JSON.stringify(connection))
    return connection
  }
  // The state of a run in CI may be kept in a cache: it has no key.
  if (SHEAF_CONNECT !== undefined) return connectionOf(SHEAF_CONNECT)
  if (url !== undefined && key !== undefined) return { url, key }
  const last = storedIn<Connection>(file)
  if (last !== undefined) return last
  throw new Refused({
    message: "It is not set up: state --connect https://KEY@ADDRESS once, or SHEAF_URL and SHEAF_KEY"
  })
}
