import { Context, Effect, Option } from "effect"
import { HttpServerRequest } from "effect/http"
import type { Origin } from "../../../../services/identity/Sessions.ts"
import { parseAddress, parseNetwork } from "../../../../services/limits/Network.ts"

/** The part of a request that is needed, which both Effect's and Node's requests have. */
interface RequestHead {
  readonly remoteAddress: Option.Option<string>
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
}

type AddressOf = (request: RequestHead) => string | null

const mapped = "::ffff:"

/** The address at the other end of the socket. */
const socketAddress: AddressOf = ({ remoteAddress }) => {
  const address = Option.getOrNull(remoteAddress)
  return address?.startsWith(mapped) && address.includes(".") ? address.slice(mapped.length) : address
}

/** Parses an address in the formats of proxies: with or without a port, IPv6 also in brackets. */
const nodeOf = (text: string) => {
  const bracketed = /^\[([^\]]*)\](?::[\w.-]+)?$/.exec(text)
  if (bracketed !== null) return parseAddress(bracketed[1]!)
  return parseAddress(text) ?? parseAddress(/^([\d.]+):[\w.-]+$/.exec(text)?.[1] ?? "")
}

/** `for` of one element of `Forwarded` (RFC 7239, section 4). */
const forOf = (element: string): string => {
  const pairs = element.split(";").map((pair) => /^\s*([\w!#$%&'*+.^`|~-]+)=(.*?)\s*$/.exec(pair))
  const named = pairs.filter((pair) => pair?.[1]!.toLowerCase() === "for")
  if (pairs.includes(null) || named.length !== 1) return ""
  const value = named[0]![2]!
  return value.startsWith(`"`) && value.endsWith(`"`) ? value.slice(1, -1).replaceAll(/\\(.)/g, "$1") : value
}

/**
 * The address of a client behind `trustedProxies`: from right to left, the first address that is not a trusted proxy. Each
 * proxy appends at the right, so nothing to the left of an unknown or unreadable address is trusted. If `Forwarded` and
 * `X-Forwarded-For` have different addresses, the client has sent one of the headers, and the proxy passed it on. The
 * proxy sends its own header with every request: that is the header which most recently came without the other. Until
 * one has come without the other, neither is trusted.
 */
export const clientAddress = (trustedProxies: ReadonlyArray<string>): AddressOf => {
  if (trustedProxies.length === 0) return socketAddress
  const networks = trustedProxies.map((text) => {
    const network = parseNetwork(text)
    if (network === undefined) throw new Error("a trusted proxy is not a network")
    return network
  })
  const isTrusted = (address: Parameters<(typeof networks)[number]>[0]) => networks.some((network) => network(address))

  const outermost = (from: string, header: string, read: (element: string) => string): string => {
    let known = from
    // Addresses contain no comma, so a comma in quotes, sent by a client, cannot hide the addresses after it.
    for (const element of header.split(",").reverse()) {
      const address = nodeOf(read(element.trim()))
      if (address === undefined) return known
      known = address.toString()
      if (!isTrusted(address)) return known
    }
    return known
  }

  let own: "forwarded" | "x-forwarded-for" | undefined

  return (request) => {
    const socket = socketAddress(request)
    const near = socket === null ? undefined : parseAddress(socket)
    if (socket === null || near === undefined || !isTrusted(near)) return socket
    const forwarded = request.headers["forwarded"]?.toString()
    const chain = request.headers["x-forwarded-for"]?.toString()
    const one = forwarded === undefined ? undefined : outermost(socket, forwarded, forOf)
    const other = chain === undefined ? undefined : outermost(socket, chain, (element) => element)
    if (one === undefined && other === undefined) return socket
    if (one === undefined || other === undefined) {
      own = one === undefined ? "x-forwarded-for" : "forwarded"
      return one ?? other ?? socket
    }
    if (one === other || own === "forwarded") return one
    return own === "x-forwarded-for" ? other : socket
  }
}

/** The address of a client, for limits, sessions and the log. */
export const ClientAddress = Context.Reference<AddressOf>("sheaf/http/server/ClientAddress", {
  defaultValue: () => socketAddress
})

/** The client's address and user agent of the current request. */
export const origin = Effect.withFiber<Origin, never, HttpServerRequest.HttpServerRequest>((fiber) => {
  const request = Context.getUnsafe(fiber.context, HttpServerRequest.HttpServerRequest)
  return Effect.succeed({
    ip: fiber.getRef(ClientAddress)(request),
    user_agent: request.headers["user-agent"] ?? null
  })
})
