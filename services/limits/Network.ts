import ipaddr from "ipaddr.js"
import { isIP, isIPv6 } from "node:net"
import type { Key } from "../concurrency/RoundRobinQueue.ts"

type Address = ipaddr.IPv4 | ipaddr.IPv6

/** The network that one client may have (contract 2): an IPv4 address, or the /64 of an IPv6 address. */
export const networkOf = (ip: string | null): string => {
  if (ip === null) return "unknown"
  if (!isIPv6(ip)) return ip
  const address = ipaddr.process(ip)
  return address instanceof ipaddr.IPv6
    ? `${address.parts
        .slice(0, 4)
        .map((part) => part.toString(16))
        .join(":")}::/64`
    : address.toString()
}

/**
 * The key by which requests share permits before their user is known (contract 2): IPv4 by /24 and within it by
 * address, IPv6 by /48 and within it by /64. One client can have all addresses of the wider network.
 */
export const networkKeyOf = (ip: string | null): Key => {
  const network = networkOf(ip)
  const address = ip === null ? undefined : parseAddress(ip)
  if (address === undefined) return network
  const parts = address.toByteArray().slice(0, address.kind() === "ipv4" ? 3 : 6)
  return [`${address.kind()} ${Buffer.from(parts).toString("hex")}`, network]
}

/** Parses an address; `::ffff:1.2.3.4` is 1.2.3.4. Undefined when the text is no address. */
export const parseAddress = (text: string): Address | undefined =>
  isIP(text) === 0 || text.includes("%") ? undefined : ipaddr.process(text)

/** Tests whether an address is in a network, such as `10.0.0.0/8`, or is this address. Undefined for other texts. */
export const parseNetwork = (text: string): ((address: Address) => boolean) | undefined => {
  const [, address = "", length] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text.trim()) ?? []
  if (isIP(address) === 0 || address.includes("%")) return undefined
  const network = ipaddr.parse(address)
  const most = network.kind() === "ipv4" ? 32 : 128
  const bits = length === undefined ? most : Number(length)
  if (bits > most) return undefined
  return (other) => other.kind() === network.kind() && other.match(network, bits)
}
