import { Effect } from "effect"
import { isIP } from "node:net"
import { connect } from "node:tls"

const timeout = 10_000

/**
 * When the certificate of an https address ends, in Unix milliseconds; undefined if it cannot be read from here. It is
 * read without being checked, also one that has ended, and nothing is sent.
 */
export const certificateEnd = (address: string): Effect.Effect<number | undefined> =>
  Effect.callback((resume) => {
    const { hostname, port } = new URL(address)
    const host = hostname.replace(/^\[(.*)\]$/, "$1")
    // RFC 6066: an address is no server name.
    const name = isIP(host) === 0 ? { servername: host } : {}
    const socket = connect({ host, port: Number(port || 443), rejectUnauthorized: false, ...name })
    const end = (at: number | undefined) => {
      socket.destroy()
      resume(Effect.succeed(at))
    }
    socket.setTimeout(timeout, () => end(undefined))
    socket.once("error", () => end(undefined))
    socket.once("secureConnect", () => {
      const at = Date.parse(socket.getPeerCertificate().valid_to)
      end(Number.isNaN(at) ? undefined : at)
    })
    return Effect.sync(() => socket.destroy())
  })
