import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Outgoing } from "../../services/outgoing/Outgoing.ts"
import { callback, pkce, registerClient, requestOf } from "../support/oauth/OAuthFlow.ts"
import { register } from "../support/people/People.ts"
import { useApp } from "../support/useApp.ts"

/** Every name leads to this machine, as that of an attacker may. */
const outgoing = Outgoing.layer({ allow: [], resolve: async () => ["127.0.0.1", "::1"] })
const { app } = useApp({ layers: outgoing })

const { challenge } = pkce()

const authorize = async (query: string) => {
  const response = await fetch(`${app.url.replace(/\/v2$/, "")}/oauth/authorize?${query}`, { redirect: "manual" })
  await response.arrayBuffer()
  return { status: response.status, location: response.headers.get("location") }
}

describe("no document of a client", () => {
  let server: Server
  let port: number
  let connections = 0
  beforeAll(async () => {
    server = createServer((_, response) => response.end("{}")).on("connection", () => connections++)
    await new Promise<void>((listening) => server.listen(0, "::", listening))
    port = (server.address() as AddressInfo).port
  })
  afterAll(() => server.close())

  it("is read from an address that is not public, however it is written", async () => {
    const hosts = [
      ...["127.0.0.1", "127.1", "127.0.1", "0x7f.1", "0x7f000001", "0177.0.0.1", "2130706433", "017700000001"],
      ...["0.0.0.0", "0", "10.0.0.1", "10.1", "172.16.0.1", "172.31.255.255", "192.168.0.1", "192.168.257"],
      ...["169.254.169.254", "169.254.0.1", "100.64.0.1", "192.0.2.1", "198.18.0.1", "224.0.0.1", "255.255.255.255"],
      ...["[::1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::127.0.0.1]", "[64:ff9b::7f00:1]", "[fd00::1]"],
      ...["[fe80::1]", "[ff02::1]", "[2002:7f00:1::]", "[2001::1]", "[::ffff:10.0.0.1]", "[::ffff:169.254.169.254]"],
      ...[
        "localhost",
        "LOCALHOST",
        "localhost.",
        "app.localhost",
        "127.0.0.1.nip.example",
        "printer.local",
        "x.internal"
      ],
      ...["router.lan", "nas.home.arpa", "intranet", "metadata.google.internal", "１２７.0.0.1", "127。0。0。1"]
    ]
    const forms = [
      (host: string) => `https://${host}:${port}/client`,
      (host: string) => `https://${host}/client.json`,
      (host: string) => `http://${host}:${port}/client`,
      (host: string) => `https://${host}:${port}/%63lient?a=b`,
      (host: string) => `https://user@${host}:${port}/client`,
      (host: string) => `https://host.example@${host}:${port}/client`
    ]
    const ids = hosts.flatMap((host) => forms.map((form) => form(host)))
    expect(ids.length).toBeGreaterThan(250)
    const person = await register(app)
    for (const client_id of ids) {
      const request = requestOf(client_id, challenge)
      const { status } = await app.call("POST", "/me/connected-apps/describe", { request }, person.headers)
      expect([client_id, status]).toEqual([client_id, 422])
    }
    expect(connections).toBe(0)
  })
})

describe("no code", () => {
  it("goes to an address that differs from the registered one", async () => {
    const client_id = await registerClient(app)
    const person = await register(app)
    const { host, origin, pathname } = new URL(callback)
    const uris = [
      ...["/", "?x", "?", "//", "/.", "/..", "%2f", "%00", ";x", "&code=1", "\\", " ", "\t", "\n", "#", "#x"].map(
        (end) => callback + end
      ),
      ...[
        "evil.example",
        `${host}.evil.example`,
        `evil.${host}`,
        `${host}:8443`,
        `${host}:80`,
        `${host}.`,
        host.toUpperCase()
      ].map((other) => `https://${other}${pathname}`),
      ...[`https://${host}@evil.example${pathname}`, `https://evil.example\\@${host}${pathname}`],
      ...[`https://evil.example/${callback}`, `https://evil.example?${callback}`, `https://evil.example#${callback}`],
      ...["http:", "javascript:", "data:", "file:", "ftp:", "ws:", "app:"].map((scheme) =>
        callback.replace("https:", scheme)
      ),
      ...[
        `${origin}/Callback`,
        `${origin}//callback`,
        `${origin}/./callback`,
        `${origin}/x/../callback`,
        origin,
        `${origin}/`
      ],
      ...[
        callback.replace("c", "с"),
        callback.replace("//", "///"),
        callback.replace("//", "/"),
        ` ${callback}`,
        `"${callback}"`
      ],
      ...["callback", "/callback", "//host.example/callback", "", "null", "undefined"]
    ]
    expect(uris).not.toContain(callback)
    for (const redirect_uri of uris) {
      const request = requestOf(client_id, challenge, { redirect_uri })
      expect([redirect_uri, await authorize(request)]).toEqual([redirect_uri, { status: 400, location: null }])
      const { body, status } = await app.call("POST", "/me/connected-apps", { request }, person.headers)
      expect([redirect_uri, status, body.redirect_url]).toEqual([redirect_uri, 422, undefined])
    }
  })
})
