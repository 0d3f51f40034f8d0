import { beforeAll, describe, expect, it } from "vitest"
import { register, type Person } from "../support/people/People.ts"
import { RawWire, statuses } from "../support/RawHttp.ts"
import { useApp } from "../support/useApp.ts"

const mebibyte = 1024 * 1024

const { app } = useApp()
let wire: RawWire
let one: Person
let other: Person

beforeAll(async () => {
  wire = new RawWire(app)
  one = await register(app)
  other = await register(app)
})

/** Sends the head of a large request, and a part of its body. */
const half = (path: string, headers: ReadonlyArray<string>, body: string) =>
  wire.begin(
    ["POST /v2" + path + " HTTP/1.1", "Host: x", "Content-Type: application/json", ...headers, "", body].join("\r\n")
  )

/** Creates a note with a body of this size, and returns the status, with code and Retry-After for 503. */
const large = async (person: Person, bytes: number) => {
  const notebook = (await app.call("GET", "/notebooks", undefined, person.headers)).body.data[0].id
  const note = JSON.stringify({ notebook_id: notebook, title: "large" }).padEnd(bytes)
  const { body, headers, status } = await app.call("POST", "/notes", note, person.headers)
  return status === 503 ? [status, body.code, headers.get("retry-after")] : [status]
}

/** The bytes of large bodies that the server holds, according to its metrics. */
const heldBytes = async () => {
  const text = await (await fetch(new URL("/metrics", app.url))).text()
  return Number(/^sheaf_http_large_body_bytes (\d+)$/m.exec(text)?.[1])
}

describe("incomplete bodies", () => {
  it("leave space for bodies of other users, and for a small body of the same user", async () => {
    const bearer = `Authorization: Bearer ${one.access}`
    const sockets = await Promise.all([
      // More bytes than the server may hold.
      ...Array.from({ length: 10 }, () => half("/auth/login", ["Transfer-Encoding: chunked"], '5\r\n{"ema\r\n')),
      ...Array.from({ length: 40 }, () => half("/notes", [bearer, "Content-Length: 7340032"], '{"tit')),
      ...Array.from({ length: 10 }, () => half("/sync/push", [bearer, "Transfer-Encoding: chunked"], '5\r\n{"cha\r\n'))
    ])
    // The server has read the earlier data when it responds on a connection that was opened later.
    expect(await large(other, 100_000)).toEqual([201])
    expect(await large(one, 100_000)).toEqual([201])
    for (const socket of sockets) socket.destroy()
  })

  it("reserve their announced length from the space of their sender only, and release it", async () => {
    const bearer = `Authorization: Bearer ${one.access}`
    const sockets = await Promise.all(
      Array.from({ length: 4 }, () => half("/notes", [bearer, "Content-Length: 7340032"], " ".repeat(6.5 * mebibyte)))
    )
    await expect.poll(heldBytes).toBe(4 * 7 * mebibyte)
    expect(await large(one, 6.5 * mebibyte)).toEqual([503, "overloaded", "1"])
    expect(await large(other, 6.5 * mebibyte)).toEqual([201])
    for (const socket of sockets) socket.destroy()
    await expect.poll(heldBytes).toBe(0)
    expect(await large(one, 6.5 * mebibyte)).toEqual([201])
  })
})

describe("a body under /auth", () => {
  it("is 413 above 64 KiB, by its announced length or when more arrives", async () => {
    const limit = 64 * 1024
    for (const path of [
      "/auth/login",
      "/auth/register",
      "/auth/refresh",
      "/auth/logout",
      "/auth/password",
      "/auth/forgot",
      "/auth/reset"
    ]) {
      const refused = await app.call("POST", path, " ".repeat(limit - 1) + "{}", { authorization: "" })
      expect([path, refused.status, refused.body.code, refused.body.limit_bytes]).toEqual([
        path,
        413,
        "payload_too_large",
        limit
      ])
      expect([401, 422]).toContain(
        (await app.call("POST", path, " ".repeat(limit - 2) + "{}", { authorization: "" })).status
      )
    }
    const chunk = `${(0x8000).toString(16)}\r\n${" ".repeat(0x8000)}\r\n`
    const text = await wire.exchange(
      `POST /v2/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${chunk}${chunk}${chunk}`
    )
    expect(statuses(text)).toEqual([413])
    expect(text).toContain(`"limit_bytes":${limit}`)
  })
})
