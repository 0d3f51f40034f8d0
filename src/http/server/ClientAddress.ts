import { Context, Effect, Option } from "effect"
import { HttpServerRequest } from "effect/http"
import type { Origin } from "../../../services/identity/Sessions.ts"
import { parseAddress, parseNetwork } from "../../../services/limits/Network.ts"

/** A request as Effect sees it, or as Node does. */
interface Asking {
  readonly remoteAddress: Option.Option<string>
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
}

type AddressOf = (request: Asking) => string | null

const mapped = "::ffff:"

/** Who holds the other end of the socket. */
const socketAddress: AddressOf = ({ remoteAddress }) => {
  const address = Option.getOrNull(remoteAddress)
  return address?.startsWith(mapped) && address.includes(".") ? address.slice(mapped.length) : address
}

/** An address as proxies write it: alone, with a port, IPv6 also in brackets. */
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
 * Who a request comes from, when the addresses of `trustedProxies` say so truly: seen from here, the first address that
 * is not one of theirs. Each proxy adds at the right, so nothing is believed from the left of what is unknown or cannot
 * be read. Where `Forwarded` and `X-Forwarded-For` name different addresses, the client has sent one of them, and the
 * proxy let it through. A proxy adds its own to every request: that is the one that came alone when only one of them did
 * last, and it is believed. Until one has come alone, neither is.
 */
export const clientAddress = (trustedProxies: ReadonlyArray<string>): AddressOf => {
  if (trustedProxies.length === 0) return socketAddress
  const networks = trustedProxies.map((text) => {
    const network = parseNetwork(text)
    if (network === undefined) throw new Error("a trusted proxy is no network")
    return network
  })
  const isTrusted = (address: Parameters<(typeof networks)[number]>[0]) => networks.some((network) => network(address))

  const outermost = (from: string, header: string, read: (element: string) => string): string => {
    let known = from
    // No address holds a comma, so none that a client put into quotes can hide what follows it.
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

/** Who a request comes from: for limits, sessions and the log. */
export const ClientAddress = Context.Reference<AddressOf>("sheaf/http/server/ClientAddress", {
  defaultValue: () => socketAddress
})

/** Where a request comes from, whoever sends it. */
export const origin = Effect.withFiber<Origin, never, HttpServerRequest.HttpServerRequest>((fiber) => {
  const request = Context.getUnsafe(fiber.context, HttpServerRequest.HttpServerRequest)
  return Effect.succeed({
    ip: fiber.getRef(ClientAddress)(request),
    user_agent: request.headers["user-agent"] ?? null
  })
})
