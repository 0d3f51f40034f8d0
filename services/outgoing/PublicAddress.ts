import ipaddr from "ipaddr.js"
import { parseAddress } from "../limits/Network.ts"

/** The IPv6 addresses in use (RFC 4291, section 2.4); others are local, reserved, or another notation of an address. */
const globalUnicast = [ipaddr.IPv6.parse("2000::"), 3] as const

/** The prefix of RFC 6052, by which networks without IPv4 reach IPv4 hosts. The embedded IPv4 address is checked. */
const nat64 = [ipaddr.IPv6.parse("64:ff9b::"), 96] as const

/** Whether an address is on the public Internet: not of this machine, its networks, or a special use (RFC 6890). */
export const isPublic = (text: string): boolean => {
  const address = parseAddress(text)
  if (address === undefined) return false
  if (address instanceof ipaddr.IPv4) return address.range() === "unicast"
  if (address.match(...nat64)) return isPublic(address.toByteArray().slice(12).join("."))
  return address.match(...globalUnicast) && address.range() === "unicast"
}
