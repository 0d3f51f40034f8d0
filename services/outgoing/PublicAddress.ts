import ipaddr from "ipaddr.js"
import { parseAddress } from "../limits/Network.ts"

/** What IPv6 is in use as (RFC 4291, section 2.4): all else is local, reserved, or a way to write another address. */
const globalUnicast = [ipaddr.IPv6.parse("2000::"), 3] as const

/** The prefix of RFC 6052, behind which a network without IPv4 has the addresses of IPv4: they count as what they are. */
const nat64 = [ipaddr.IPv6.parse("64:ff9b::"), 96] as const

/** Whether an address is one of the public Internet: not of this machine, its networks, or a special use (RFC 6890). */
export const isPublic = (text: string): boolean => {
  const address = parseAddress(text)
  if (address === undefined) return false
  if (address instanceof ipaddr.IPv4) return address.range() === "unicast"
  if (address.match(...nat64)) return isPublic(address.toByteArray().slice(12).join("."))
  return address.match(...globalUnicast) && address.range() === "unicast"
}
