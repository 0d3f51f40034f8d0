import { once } from "node:events"
import { type AddressInfo, createServer, type Server } from "node:net"

/**
 * Node takes one connection from a listening socket in each turn of its loop. Under load a turn takes tens of milliseconds,
 * and with 32 sockets the last of six hundred that came at once waited for a second. Taking one costs 0.1 ms.
 */
const sockets = 256

/**
 * When a listening socket is closed, the system resets the connections that wait there, with the requests that clients have
 * sent on them: a proxy must not repeat these. So sockets are closed, some at a time, right after a turn of the loop in which
 * nothing came. Milliseconds that such a turn takes; and after which a busy loop closes them all the same.
 */
const quietTurn = 0.1
const busyFor = 200
const closedAtOnce = 8

/** Whether the system shares what comes to a port among several sockets of a process (socket(7), SO_REUSEPORT). */
export const isShared = process.platform === "linux" && !("Deno" in globalThis)

/** Fails where somebody listens already: a socket that shares its port would take connections from another such one. */
export const requireFree = async (port: number, host: string): Promise<void> => {
  if (!isShared || port === 0) return
  const server = createServer()
  server.listen({ port, host, exclusive: true })
  await once(server, "listening")
  server.close()
  await once(server, "close")
}

interface Listening {
  readonly _handle: { onconnection: (...given: ReadonlyArray<unknown>) => void } | null
}

/**
 * Further sockets on the port of a server, from when it listens until it is closed. What they accept is the server's
 * own, as if it had come by its own socket: counted, bounded and ended by it.
 */
export const listenMore = <S extends Server>(server: S): S => {
  if (!isShared) return server
  const more = Array.from({ length: sockets - 1 }, () => createServer())
  server.once("listening", () => {
    const { address, port } = server.address() as AddressInfo
    const own = (server as unknown as Listening)._handle!
    for (const each of more) {
      each.on("error", (error) => process.emitWarning(error))
      each.listen({ port, host: address, reusePort: true }, () => {
        ;(each as unknown as Listening)._handle!.onconnection = own.onconnection.bind(own)
      })
    }
  })
  const close: Server["close"] = server.close.bind(server)
  server.close = (done) => {
    const until = performance.now() + busyFor
    // The first of these comes in the turn that is under way.
    let before = Number.NEGATIVE_INFINITY
    const turned = () => {
      const now = performance.now()
      if (now - before < quietTurn || now > until) {
        if (more.length === 0) return void close(done)
        for (const each of more.splice(0, closedAtOnce)) each.close()
      }
      before = performance.now()
      setImmediate(turned)
    }
    setImmediate(turned)
    return server
  }
  return server
}
