import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { networkKeyOf, networkOf, parseAddress, parseNetwork } from "../../../services/limits/Network.ts"

const contains = (network: string, address: string) => parseNetwork(network)!(parseAddress(address)!)

describe("Network", () => {
  it("identifies a client by its IPv4 address or its IPv6 /64", () => {
    expect(networkOf("192.0.2.1")).toBe("192.0.2.1")
    expect(networkOf("::ffff:192.0.2.1")).toBe("192.0.2.1")
    expect(networkOf("2001:db8::1")).toBe("2001:db8:0:0::/64")
    expect(networkOf("2001:db8::1:2:3:4")).toBe(networkOf("2001:db8::ffff:1"))
    expect(networkOf("2001:db8:0:1::1")).not.toBe(networkOf("2001:db8::1"))
    expect(networkOf(null)).toBe("unknown")
  })

  it("groups IPv4 by /24 and address, and IPv6 by /48 and /64", () => {
    const [groupOf, memberOf] = [0, 1].map((level) => (ip: string | null) => [networkKeyOf(ip)].flat()[level])
    expect(networkKeyOf("192.0.2.1")[1]).toBe(networkOf("192.0.2.1"))
    expect(networkKeyOf("::ffff:192.0.2.1")).toEqual(networkKeyOf("192.0.2.1"))
    expect(groupOf!("192.0.2.255")).toBe(groupOf!("192.0.2.1"))
    expect(memberOf!("192.0.2.255")).not.toBe(memberOf!("192.0.2.1"))
    expect(groupOf!("192.0.3.1")).not.toBe(groupOf!("192.0.2.1"))
    expect(networkKeyOf("2001:db8:1:2::1")[1]).toBe(networkOf("2001:db8:1:2::1"))
    expect(groupOf!("2001:db8:1:ffff::1")).toBe(groupOf!("2001:db8:1::1"))
    expect(memberOf!("2001:db8:1:ffff::1")).not.toBe(memberOf!("2001:db8:1::1"))
    expect(groupOf!("2001:db8:2::1")).not.toBe(groupOf!("2001:db8:1::1"))
    expect(networkKeyOf(null)).toBe(networkOf(null))
  })

  it("matches addresses by the prefix of a network", () => {
    expect(contains("10.0.0.0/8", "10.255.0.1")).toBe(true)
    expect(contains("10.0.0.0/8", "::ffff:10.1.1.1")).toBe(true)
    expect(contains("10.0.0.0/8", "11.0.0.0")).toBe(false)
    expect(contains("10.0.0.0/8", "a00::1")).toBe(false)
    expect(contains("192.0.2.7", "192.0.2.7")).toBe(true)
    expect(contains("192.0.2.7", "192.0.2.8")).toBe(false)
    expect(contains("fd00::/8", "fdff::1")).toBe(true)
    expect(contains("0.0.0.0/0", "255.255.255.255")).toBe(true)
  })

  it("rejects other notations of networks", () => {
    const wrong = ["", "10", "10.0.0.0/33", "10.0.0.0/", "010.0.0.1", "0x0a.1", "fe80::1%eth0", "::1/129", "host"]
    for (const text of wrong) expect(parseNetwork(text), text).toBeUndefined()
  })

  it("parses any text without throwing", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.ipV6(), fc.ipV4(), fc.ipV4Extended()), (text) => {
        parseNetwork(text)
        expect(typeof networkOf(text)).toBe("string")
        networkKeyOf(text)
        const address = parseAddress(text)
        if (address !== undefined) expect(parseAddress(address.toString())?.toString()).toBe(address.toString())
      })
    )
  })
})
