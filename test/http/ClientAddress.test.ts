import { Option } from "effect"
import type { HttpServerRequest } from "effect/http"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { clientAddress } from "../../src/server/http/server/ClientAddress.ts"

interface Sent {
  readonly forwarded?: string
  readonly "x-forwarded-for"?: string
}

const trusted = ["10.0.0.0/8", "fd00::/8", "192.0.2.7"]

const from = (socket: string | undefined, headers: Sent = {}, proxies: ReadonlyArray<string> = trusted) =>
  clientAddress(proxies)({
    remoteAddress: Option.fromUndefinedOr(socket),
    headers
  } as unknown as HttpServerRequest.HttpServerRequest)

const chain = (value: string) => from("10.0.0.1", { "x-forwarded-for": value })
const forwarded = (value: string) => from("10.0.0.1", { forwarded: value })

/** Addresses outside the networks of the proxies, in the usual notation. */
const clients = fc
  .oneof(
    fc.ipV4(),
    fc.ipV6().map((text) => from(text, {}, [])!)
  )
  .filter((address) => !/^(10\.|192\.0\.2\.7$|fd)/i.test(address) && !address.startsWith("::"))
const proxies = fc.oneof(
  fc.nat(255).map((last) => `10.1.2.${last}`),
  fc.nat(0xffff).map((last) => `fd00::${last.toString(16)}`)
)
const lists = fc.array(proxies, { maxLength: 4 })

const canonical = (address: string) =>
  address.includes(":") ? new URL(`http://[${address}]`).hostname.slice(1, -1) : address
const quoted = (address: string) => (address.includes(":") ? `"[${address}]:4711"` : address)

describe("the address of a client", () => {
  it("is that of the socket if no proxy is trusted, whatever the headers say", () => {
    const sent = { forwarded: "for=198.51.100.1", "x-forwarded-for": "198.51.100.1" }
    expect(from("203.0.113.9", sent, [])).toBe("203.0.113.9")
    expect(from("::ffff:203.0.113.9", sent, [])).toBe("203.0.113.9")
    expect(from("2001:db8::1", sent, [])).toBe("2001:db8::1")
    expect(from(undefined, sent, [])).toBeNull()
    expect(from("203.0.113.9", sent)).toBe("203.0.113.9")
  })

  it("is the right-most address that is not a trusted proxy", () => {
    expect(chain("198.51.100.1")).toBe("198.51.100.1")
    expect(chain("1.1.1.1, 198.51.100.1, 10.9.9.9,192.0.2.7")).toBe("198.51.100.1")
    expect(chain("1.1.1.1, 2001:DB8::1")).toBe("2001:db8::1")
    expect(chain("::ffff:198.51.100.1")).toBe("198.51.100.1")
    expect(chain("198.51.100.1:4711")).toBe("198.51.100.1")
    expect(chain("[2001:db8::1]:4711")).toBe("2001:db8::1")
    expect(chain("10.0.0.3, 10.0.0.2")).toBe("10.0.0.3")
    expect(from("::ffff:10.0.0.1", { "x-forwarded-for": "198.51.100.1" })).toBe("198.51.100.1")
  })

  it("is read from Forwarded according to RFC 7239", () => {
    expect(forwarded("for=198.51.100.1")).toBe("198.51.100.1")
    expect(forwarded("for=1.1.1.1, For=198.51.100.1;proto=https;by=10.0.0.1")).toBe("198.51.100.1")
    expect(forwarded(`proto=https;for="[2001:db8:cafe::17]:4711"`)).toBe("2001:db8:cafe::17")
    expect(forwarded(`for="198.51.100.1:80" , for="\\[fd00::1]"`)).toBe("198.51.100.1")
    expect(forwarded(`for="[2001:db8::1]:_port"`)).toBe("2001:db8::1")
  })

  it("ignores everything to the left of an unreadable element, which a client may have sent", () => {
    expect(chain("198.51.100.1, unknown, 10.0.0.2")).toBe("10.0.0.2")
    expect(chain("198.51.100.1,")).toBe("10.0.0.1")
    expect(chain("")).toBe("10.0.0.1")
    const unreadable = ["for=unknown", "for=_hidden", "proto=http", `for="`, "for=1.2.3", "for=1.1.1.1;for=2.2.2.2", ""]
    for (const hidden of [...unreadable, "for =1.1.1.1"]) {
      expect(forwarded(`for=198.51.100.1, ${hidden}`), hidden).toBe("10.0.0.1")
    }
    expect(forwarded(`for=", for=198.51.100.1`)).toBe("198.51.100.1")
    expect(forwarded(`for="x, for="[2001:db8::1]:4711"`)).toBe("2001:db8::1")
  })

  it("is taken from the proxy's own header once that has come without the other header", () => {
    const addressOf = clientAddress(trusted)
    const see = (headers: Sent) =>
      addressOf({ remoteAddress: Option.some("10.0.0.1"), headers } as unknown as HttpServerRequest.HttpServerRequest)
    const both = { forwarded: "for=1.1.1.1", "x-forwarded-for": "198.51.100.1" }
    expect(see(both)).toBe("10.0.0.1")
    expect(see({ "x-forwarded-for": "198.51.100.2" })).toBe("198.51.100.2")
    expect(see({})).toBe("10.0.0.1")
    expect(see(both)).toBe("198.51.100.1")
    expect(see({ forwarded: "for=198.51.100.3" })).toBe("198.51.100.3")
    expect(see(both)).toBe("1.1.1.1")
  })

  it("is that of the proxy if the two headers differ and neither is known to be the proxy's own", () => {
    const both = (forwarded: string, chain: string) => from("10.0.0.1", { forwarded, "x-forwarded-for": chain })
    expect(both("for=1.1.1.1", "198.51.100.1")).toBe("10.0.0.1")
    expect(both("for=198.51.100.1", "1.1.1.1, 198.51.100.1")).toBe("198.51.100.1")
  })

  it("is found whatever a client sends before the proxies append to it", () => {
    const junk = fc.oneof(fc.string(), clients, fc.constantFrom("for=", `"`, "unknown", ";", "\\", "[", `for="`))
    fc.assert(
      fc.property(fc.array(junk, { maxLength: 5 }), clients, lists, (sent, client, passed) => {
        const added = [client, ...passed]
        expect(chain([...sent, ...added].join(", "))).toBe(canonical(client))
        expect(chain([...sent, ...added].join(","))).toBe(canonical(client))
        const elements = added.map((address) => `for=${quoted(address)}`)
        expect(forwarded([...sent, ...elements].join(", "))).toBe(canonical(client))
      })
    )
  })

  it("is always an address, and never taken from a header that did not come from a trusted proxy", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), clients, (one, other, client) => {
        expect(from(client, { forwarded: one, "x-forwarded-for": other })).toBe(client)
        const seen = from("10.0.0.1", { forwarded: one, "x-forwarded-for": other })
        expect(seen === "10.0.0.1" || URL.canParse(`http://${seen!.includes(":") ? `[${seen}]` : seen}`)).toBe(true)
      })
    )
  })
})
