import { hostname } from "node:os"
import { resolve } from "node:path"

/** Where the lines of the audit log are written (AUDIT_LOG). */
export type AuditDestination =
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "stdout" }
  | {
      readonly kind: "syslog"
      readonly transport: "udp" | "tcp" | "tls"
      readonly host: string
      readonly port: number
    }

const ports = { udp: 514, tcp: 601, tls: 6514 } as const

/** Reads `file:PATH`, `stdout`, or `syslog+udp://host:port`, also with tcp or tls; undefined for any other text. */
export const parseDestination = (text: string): AuditDestination | undefined => {
  if (text === "stdout") return { kind: "stdout" }
  const [, path] = /^file:(.+)$/.exec(text) ?? []
  if (path !== undefined) return path.endsWith("/") ? undefined : { kind: "file", path: resolve(path) }
  const [, transport] = /^syslog\+(udp|tcp|tls):/.exec(text) ?? []
  if (transport === undefined || !URL.canParse(text)) return undefined
  const { hash, hostname: host, password, pathname, port, search, username } = new URL(text)
  if (host === "" || !/^\/?$/.test(pathname) || [username, password, search, hash].some((part) => part !== ""))
    return undefined
  const known = transport as keyof typeof ports
  return {
    kind: "syslog",
    transport: known,
    host: host.replaceAll(/^\[|\]$/g, ""),
    port: port === "" ? ports[known] : Number(port)
  }
}

/**
 * The name of the chain that ends at a destination. Each machine has its own file, and so its own chain; what is sent to one
 * collector, or printed, is one chain of all nodes.
 */
export const chainOf = (destination: AuditDestination): string =>
  destination.kind === "file"
    ? `file:${hostname()}:${destination.path}`
    : destination.kind === "stdout"
      ? "stdout"
      : `syslog:${destination.host}:${destination.port}`
