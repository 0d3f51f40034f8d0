import { createSocket } from "node:dgram"
import { once } from "node:events"
import { connect as connectTcp, type Socket } from "node:net"
import { hostname } from "node:os"
import { connect as connectTls } from "node:tls"
import type { AuditDestination } from "./AuditDestination.ts"
import type { SentEntry, StoredEnd } from "./AuditLogFile.ts"
import { type AuditLine, genesis, lineAfter } from "./AuditLine.ts"

/** Milliseconds until a destination that does not accept a batch is given up. */
const patience = 10_000

type Syslog = Extract<AuditDestination, { readonly kind: "syslog" }>

/** Facility 13, "log audit", severity 6, "informational" (RFC 5424). */
const priority = 13 * 8 + 6

const message = ({ text }: AuditLine, { occurred_at }: SentEntry): Buffer =>
  Buffer.from(`<${priority}>1 ${occurred_at} ${hostname()} sheaf ${process.pid} audit - ${text}`)

/** One datagram for each message (RFC 5426). */
const sendDatagrams = async ({ host, port }: Syslog, messages: ReadonlyArray<Buffer>) => {
  const socket = createSocket(host.includes(":") ? "udp6" : "udp4")
  const failed = once(socket, "error").then(([error]) => Promise.reject(error as Error))
  try {
    for (const each of messages) {
      await Promise.race([
        failed,
        new Promise<void>((resolve, reject) => {
          socket.send(each, port, host, (error) => (error === null ? resolve() : reject(error)))
        })
      ])
    }
  } finally {
    failed.catch(() => {})
    socket.close()
  }
}

/** Messages with their lengths before them (octet counting, RFC 6587 and RFC 5425), on one connection. */
const sendStream = async ({ host, port, transport }: Syslog, messages: ReadonlyArray<Buffer>) => {
  const socket: Socket = transport === "tls" ? connectTls({ host, port, servername: host }) : connectTcp({ host, port })
  socket.setTimeout(patience, () => socket.destroy(new Error(`no response in ${patience / 1000} s`)))
  // The collector does not respond: the end of the connection without an error is all that can be known.
  socket.resume()
  const ended = once(socket, "close")
  socket.end(Buffer.concat(messages.flatMap((each) => [Buffer.from(`${each.length} `), each])))
  await ended
}

const print = (lines: ReadonlyArray<AuditLine>) =>
  new Promise<void>((resolve, reject) => {
    process.stdout.write(lines.map(({ text }) => `${text}\n`).join(""), (error) => (error ? reject(error) : resolve()))
  })

/** Sends a line for each entry to a collector, or to standard output, and returns the new end of the chain. */
export const sendEntries = async (
  destination: Exclude<AuditDestination, { readonly kind: "file" }>,
  entries: ReadonlyArray<SentEntry>,
  stored: StoredEnd | undefined
): Promise<StoredEnd> => {
  let end = stored ?? { ...genesis, first_hash: null }
  const lines = entries.map((entry) => {
    const line = lineAfter(end, entry)
    end = { n: line.n, hash: line.hash, first_hash: null }
    return line
  })
  if (destination.kind === "stdout") await print(lines)
  else {
    const messages = lines.map((line, index) => message(line, entries[index]!))
    await (destination.transport === "udp" ? sendDatagrams : sendStream)(destination, messages)
  }
  return end
}
