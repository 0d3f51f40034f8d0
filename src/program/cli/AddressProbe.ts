import { Effect } from "effect"
import { rootOf } from "../../../services/ErrorCause.ts"
import type { Settings } from "../../server/settings/Config.ts"
import { reachableHost } from "../../server/settings/SettingParsers.ts"

type Address = Pick<Settings, "host" | "port">

/** Whether Sheaf responds at an address. */
interface Probed {
  /** Also true while it is not ready to serve requests. */
  readonly responds: boolean
  /** The text of `/readyz`, such as "ready" or "no database"; or why there is none. */
  readonly response: string
}

/** Milliseconds in which the server must respond. */
const patience = 2_000

/** Maximum characters that are read of a response: another program may have the port. */
const maxCharacters = 1_000

/** The address by which this machine reaches the listener. */
const urlOf = ({ host, port }: Address): string => `http://${reachableHost(host)}:${port}/readyz`

/** Requests `/readyz` at HOST and PORT. */
export const probe = (address: Address): Effect.Effect<Probed> =>
  Effect.tryPromise(async (): Promise<Probed> => {
    // `fetch` refuses some ports.
    const { request } = (await import("undici")).default
    const { body, statusCode } = await request(urlOf(address), { signal: AbortSignal.timeout(patience) })
    let text = ""
    for await (const chunk of body.setEncoding("utf8") as AsyncIterable<string>) {
      text += chunk.slice(0, maxCharacters)
      if (text.length >= maxCharacters) break
    }
    return [200, 503].includes(statusCode)
      ? { responds: true, response: text.slice(0, maxCharacters).trim() }
      : { responds: false, response: `another program responds, with status ${statusCode}` }
  }).pipe(Effect.catch((error) => Effect.succeed({ responds: false, response: rootOf(error).message })))
