import { Effect, Fiber, ManagedRuntime } from "effect"
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http"
import { createServer, type Socket } from "node:net"
import { once } from "node:events"
import { gzipSync } from "node:zlib"
import { afterEach, describe, expect, it, vi } from "vitest"
import { Outgoing, type OutgoingRequest } from "../../../services/outgoing/Outgoing.ts"
import type { Resolve } from "../../../services/outgoing/Resolver.ts"
import { BadInput, missing } from "../../support/hostile/BadInput.ts"
import { type Certificate, certificateFor } from "../../support/servers/Certificate.ts"
import { HttpServer } from "../../support/servers/HttpServer.ts"

const endings: Array<() => Promise<unknown>> = []
afterEach(async () => {
  vi.useRealTimers()
  vi.unstubAllEnvs()
  for (const end of endings.splice(0).toReversed()) await end()
})

interface Options {
  readonly allow?: ReadonlyArray<string>
  readonly resolve?: Resolve
  readonly ca?: ReadonlyArray<string>
}

/** Resolves no names: tests that pass no resolver use only addresses. */
const noNames: Resolve = () => Promise.reject(Object.assign(new Error("no names here"), { code: "ENOTFOUND" }))

const outgoing = (options: Options = {}) => {
  const runtime = ManagedRuntime.make(Outgoing.layer({ allow: [], resolve: noNames, ...options }))
  endings.push(() => runtime.dispose())
  return {
    check: (url: string) =>
      runtime.runPromise(
        Effect.flatMap(Outgoing, (each) => Effect.flip(Effect.flip(each.check("url", url)))).pipe(
          Effect.match({ onSuccess: () => undefined, onFailure: ({ errors }) => errors?.[0]?.message })
        )
      ),
    ask: (url: string, request: Partial<OutgoingRequest> = {}) =>
      runtime.runPromise(
        Effect.flatMap(Outgoing, (each) =>
          each.request({ url, method: "POST", headers: {}, body: "{}", ...request })
        ).pipe(
          Effect.match({
            onSuccess: ({ body, ...answer }) => ({
              _tag: "Answer" as const,
              ...answer,
              text: Buffer.from(body).toString()
            }),
            onFailure: (error) => error
          })
        )
      )
  }
}

const serve = async (listener: RequestListener, certificate?: Certificate) => {
  const server = await HttpServer.start(listener, certificate)
  endings.push(() => server.stop())
  return server
}

/** A server on plain sockets. */
const speak = async (answer: (socket: Socket) => void) => {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on("error", () => {})
    socket.once("data", () => answer(socket))
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  endings.push(async () => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("no port")
  return address.port
}

const ok = (_: IncomingMessage, response: ServerResponse) => void response.end("taken")

describe("a URL of a user", () => {
  it(`is refused when it leads into a private network${missing}`, async () => {
    const { ask, check } = outgoing()
    for (const url of BadInput.ssrf) {
      for (const each of [url, url.replace(/^http:/, "https:")]) {
        expect([each, await check(each)]).toEqual([each, expect.any(String)])
        expect([each, (await ask(each))._tag]).toEqual([each, "Refused"])
      }
    }
    if (missing === "") expect(BadInput.ssrf.length).toBeGreaterThan(40)
  })

  it.each([
    ["https://[::ffff:10.0.0.1]/", "must name a public address"],
    ["https://[64:ff9b::7f00:1]/", "must name a public address"],
    ["https://[64:ff9b:1::808:808]/", "must name a public address"],
    ["https://[2002:7f00:1::]/", "must name a public address"],
    ["https://[2001:0:4136:e378::]/", "must name a public address"],
    ["https://[ff02::1]/", "must name a public address"],
    ["https://[fec0::1]/", "must name a public address"],
    ["https://224.0.0.1/", "must name a public address"],
    ["https://255.255.255.255/", "must name a public address"],
    ["https://198.18.0.1/", "must name a public address"],
    ["https://100.127.255.254/", "must name a public address"],
    ["https://0x7f.1/", "must name a public address"],
    ["https://017700000001/", "must name a public address"],
    ["https://intranet/", "must name a public host"],
    ["https://printer.local/", "must name a public host"],
    ["https://api.localhost/", "must name a public host"],
    ["https://example.com./", "must name a host without a trailing dot"],
    ["https://user@example.com/", "must not contain a user name or a password"],
    ["https://:@example.com/", "must not contain a user name or a password"],
    ["https://example.com:25/", "must not name port 25, which belongs to another protocol"],
    ["https://example.com:0/", "must not name port 0, which belongs to another protocol"],
    ["http://example.com/", "must begin with https://"],
    ["https://example.com/a b", "must be a URL such as https://example.com/hook"],
    ["https://example.com\\@127.0.0.1/", "must be a URL such as https://example.com/hook"],
    ["https:/example.com", "must be a URL such as https://example.com/hook"],
    ["https:///example.com", "must be a URL such as https://example.com/hook"],
    [" https://example.com/", "must be a URL such as https://example.com/hook"],
    ["https://exa\tmple.com/", "must be a URL such as https://example.com/hook"],
    ["https://example.com:99999/", "must be a URL such as https://example.com/hook"],
    ["https://1.2.3.4.5/", "must be a URL such as https://example.com/hook"],
    ["", "must be a URL such as https://example.com/hook"],
    [`https://example.com/${"a".repeat(2048)}`, "must be at most 2048 characters"]
  ])("is refused: %s %s", async (url, why) => {
    expect(await outgoing().check(url)).toBe(why)
  })

  it.each([
    "https://example.com/hook?a=b#c",
    "HTTPS://EXAMPLE.COM/",
    "https://example.com:8443/@someone",
    "https://bücher.example/",
    "https://93.184.215.14/",
    "https://[2606:2800:21f:cb07:6820:80da:af6b:8b2c]/",
    "https://[64:ff9b::5db8:d70e]/"
  ])("is accepted when its host is public: %s", async (url) => {
    expect(await outgoing().check(url)).toBeUndefined()
  })

  it("is accepted when the operator exempts its host or network, even without TLS", async () => {
    const { check } = outgoing({ allow: ["hooks.internal", "*.lab.internal:8080", "10.1.0.0/16", "::1"] })
    for (const url of ["http://hooks.internal/", "http://a.lab.internal:8080/", "http://10.1.2.3/", "http://[::1]/"]) {
      expect([url, await check(url)]).toEqual([url, undefined])
    }
    for (const url of [
      "http://other.internal/",
      "http://a.lab.internal/",
      "http://lab.internal:8080/",
      "http://10.2.0.1/"
    ]) {
      expect([url, await check(url)]).toEqual([url, expect.any(String)])
    }
    // The name may lead into an exempt network: that is checked when it is resolved.
    expect(await check("https://other.internal/")).toBeUndefined()
  })
})

describe("a connection", () => {
  const certificate = certificateFor(["hooks.example"])

  it("goes to an address that was checked, even if the name leads elsewhere a moment later", async () => {
    const server = await serve(ok, certificate)
    const answers = [["127.0.0.1"], ["93.184.215.14"]]
    let asked = 0
    // The address of this machine at the first lookup, and a public one at the next.
    const { ask } = outgoing({ ca: [certificate.cert], resolve: async () => answers[asked++ % 2]! })
    const answer = await ask(`https://hooks.example:${server.port}/`)
    expect(answer).toMatchObject({ _tag: "Refused", message: "leads to an address that is not public" })
    expect([asked, server.connections]).toEqual([1, 0])
  })

  it("is not made when one of several addresses is not public", async () => {
    const server = await serve(ok, certificate)
    for (const address of ["127.0.0.1", "::1", "::ffff:127.0.0.1", "64:ff9b::7f00:1", "169.254.169.254", "nonsense"]) {
      const { ask } = outgoing({ ca: [certificate.cert], resolve: async () => ["93.184.215.14", address] })
      expect(await ask(`https://hooks.example:${server.port}/`)).toMatchObject({ _tag: "Refused" })
    }
    expect(server.connections).toBe(0)
  })

  it("is made to a network that the operator exempts, with the host name and its certificate", async () => {
    const names: Array<string | undefined> = []
    const server = await serve((request, response) => {
      names.push(request.headers.host)
      response.end("taken")
    }, certificate)
    const { ask } = outgoing({ allow: ["127.0.0.0/8"], ca: [certificate.cert], resolve: async () => ["127.0.0.1"] })
    const url = `https://hooks.example:${server.port}/in?x=1`
    expect(await ask(url)).toMatchObject({ _tag: "Answer", status: 200, text: "taken", isCut: false })
    expect(names).toEqual([`hooks.example:${server.port}`])
  })

  it("is reused for the next request to the host", async () => {
    const server = await serve(ok, certificate)
    const { ask } = outgoing({ allow: ["127.0.0.1"], ca: [certificate.cert], resolve: async () => ["127.0.0.1"] })
    for (let i = 0; i < 20; i++) {
      expect(await ask(`https://hooks.example:${server.port}/${i}`)).toMatchObject({ status: 200 })
    }
    // A connection is released a moment after its response.
    expect(server.connections).toBeLessThan(10)
  })

  it("uses no proxy of the environment", async () => {
    const proxy = await serve((_, response) => void response.end("by proxy"))
    const server = await serve(ok)
    for (const name of ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy"]) {
      vi.stubEnv(name, `http://127.0.0.1:${proxy.port}`)
    }
    vi.stubEnv("NODE_USE_ENV_PROXY", "1")
    const { ask } = outgoing({ allow: ["127.0.0.1"] })
    expect(await ask(`http://127.0.0.1:${server.port}/`)).toMatchObject({ text: "taken" })
    expect(proxy.connections).toBe(0)
  })

  it.each<[string, Certificate, ReadonlyArray<string>]>([
    ["is not trusted", certificate, []],
    ["is for another host", certificateFor(["other.example"]), ["own"]],
    ["has expired", certificateFor(["hooks.example"], Date.now() - 86_400_000), ["own"]]
  ])("fails with a certificate that %s", async (_, shown, ca) => {
    const server = await serve(ok, shown)
    const { ask } = outgoing({
      allow: ["127.0.0.1"],
      ca: ca.length === 0 ? [] : [shown.cert],
      resolve: async () => ["127.0.0.1"]
    })
    const answer = await ask(`https://hooks.example:${server.port}/`)
    expect(answer).toMatchObject({ _tag: "NoResponse", code: "certificate" })
  })

  it("fails when TLS is interrupted, the port is closed, or the name has no address", async () => {
    const port = await speak((socket) => socket.destroy())
    const { ask } = outgoing({ allow: ["127.0.0.1"] })
    expect(await ask(`https://127.0.0.1:${port}/`)).toMatchObject({ _tag: "NoResponse", code: "connection" })
    const server = await HttpServer.start(ok)
    const url = `http://127.0.0.1:${server.port}/`
    await server.stop()
    expect(await ask(url)).toMatchObject({
      code: "connection",
      message: "the server refused the connection"
    })
    expect(await ask("https://nowhere.example/")).toMatchObject({ code: "name" })
  })
})

describe("a response", () => {
  const start = async (listener: RequestListener) => {
    const server = await serve(listener)
    const { ask } = outgoing({ allow: ["127.0.0.1"] })
    return (request: Partial<OutgoingRequest> = {}) => ask(`http://127.0.0.1:${server.port}/`, request)
  }

  it("is not followed when it is a redirect", async () => {
    const other = await serve(ok)
    const ask = await start((_, response) => {
      response.writeHead(302, { location: `http://127.0.0.1:${other.port}/` }).end()
    })
    expect(await ask()).toMatchObject({ _tag: "Answer", status: 302 })
    expect(other.connections).toBe(0)
  })

  it("is read up to its maximum when it has no end", async () => {
    let isOver = false
    const ask = await start((_, response) => {
      const more = () => {
        while (response.write("x".repeat(16_384)));
        response.once("drain", more)
      }
      response.once("close", () => (isOver = true))
      more()
    })
    const answer = await ask({ maxBytes: 1000 })
    expect(answer).toMatchObject({ _tag: "Answer", status: 200, isCut: true, text: "x".repeat(1000) })
    await expect.poll(() => isOver).toBe(true)
  })

  it("is not decompressed, even when it is a bomb", async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024))
    let accepted: string | undefined
    const ask = await start((request, response) => {
      accepted = request.headers["accept-encoding"]
      response.writeHead(200, { "content-encoding": "gzip" }).end(bomb)
    })
    const answer = await ask({ maxBytes: 1024 * 1024 })
    expect(answer).toMatchObject({ _tag: "Answer", isCut: false, text: bomb.toString() })
    expect(accepted).toBe("identity")
  })

  it("ends with the time of the whole request, even when it arrives byte by byte", async () => {
    // The time passes once a part of the response has arrived, however long that takes.
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    const ask = await start((_, response) => {
      let drips = 0
      const timer = setInterval(() => {
        response.write(".")
        if (++drips === 5) vi.advanceTimersByTime(300)
      }, 20)
      response.once("close", () => clearInterval(timer))
    })
    const dripped = await ask({ timeout: 300 })
    expect(dripped).toMatchObject({ _tag: "NoResponse", code: "timeout", begun: { status: 200 } })
    vi.useRealTimers()
    const silent = await start(() => {})
    expect(await silent({ timeout: 100 })).toMatchObject({
      code: "timeout",
      message: "there was no complete response within 0.1 s",
      begun: undefined
    })
  })

  it("is the final one, after an informational one", async () => {
    const ask = await start((_, response) => {
      response.writeEarlyHints({ link: "</style.css>; rel=preload; as=style" }, () => response.end("taken"))
    })
    const answer = await ask()
    expect(answer).toMatchObject({ _tag: "Answer", status: 200, text: "taken" })
    expect(answer).not.toMatchObject({ headers: { link: expect.anything() } })
  })

  it("is not read further when its request is interrupted", async () => {
    let isOver = false
    let begun = () => {}
    const begins = new Promise<void>((resolve) => (begun = resolve))
    const server = await serve((_, response) => {
      response.once("close", () => (isOver = true))
      response.write("half")
      begun()
    })
    const runtime = ManagedRuntime.make(Outgoing.layer({ allow: ["127.0.0.1"], resolve: noNames }))
    endings.push(() => runtime.dispose())
    const asking = runtime.runFork(
      Effect.flatMap(Outgoing, (each) =>
        each.request({ url: `http://127.0.0.1:${server.port}/`, method: "GET", headers: {} })
      )
    )
    await begins
    await runtime.runPromise(Fiber.interrupt(asking))
    await expect.poll(() => isOver).toBe(true)
  })

  it("is reported as begun when its connection is lost", async () => {
    const ask = await start((_, response) => {
      response.writeHead(200, { "content-length": "100" })
      response.write("half", () => response.destroy())
    })
    const answer = await ask()
    expect(answer).toMatchObject({ _tag: "NoResponse", code: "connection", begun: { status: 200 } })
  })

  it.each([
    ["is not HTTP", "SSH-2.0-OpenSSH_9.6\r\n"],
    ["has headers without an end", `HTTP/1.1 200 OK\r\n${"x: y\r\n".repeat(100_000)}`]
  ])("is refused when it %s", async (_, text) => {
    const port = await speak((socket) => socket.write(text))
    const { ask } = outgoing({ allow: ["127.0.0.1"] })
    expect(await ask(`http://127.0.0.1:${port}/`)).toMatchObject({ _tag: "NoResponse", code: "protocol" })
  })
})
