import { beforeAll, describe, expect, it } from "vitest"
import { expectTruth } from "../support/people/Truth.ts"
import { RawWire, statuses } from "../support/RawHttp.ts"
import { useApp } from "../support/useApp.ts"

const { app } = useApp()
let wire: RawWire

beforeAll(async () => {
  wire = new RawWire(app)
})

const json = `{"notebook_id":"x","title":"t"}`

const close = "Connection: close"

/** Requests to which the server must return a client error, or close the connection. */
const absurd: ReadonlyArray<readonly [name: string, text: () => string]> = [
  ["random bytes", () => Buffer.from(Array.from({ length: 512 }, (_, index) => (index * 37) & 255)).toString("latin1")],
  ["a TLS hello", () => "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"],
  ["HTTP/2 with prior knowledge", () => "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
  ["HTTP/0.9", () => "GET /v2/notes\r\n\r\n"],
  ["HTTP/3.0", () => wire.head("GET /v2/notes HTTP/3.0")],
  ["an unknown method", () => wire.head("STEAL /v2/notes HTTP/1.1")],
  ["a method in lower case", () => wire.head("get /v2/notes HTTP/1.1")],
  ["a method of 10 000 letters", () => wire.head(`${"G".repeat(10_000)} /v2/notes HTTP/1.1`)],
  ["CONNECT", () => wire.head("CONNECT example.com:443 HTTP/1.1")],
  ...["TRACE", "PROPFIND", "LOCK", "MOVE", "PURGE", "M-SEARCH", "QUERY", "PUT"].map(
    (method) => [method, () => wire.head(`${method} /v2/notes HTTP/1.1`, [close])] as const
  ),
  ["a URL of another host", () => wire.head("GET http://169.254.169.254/latest HTTP/1.1", [close])],
  ["a path of dots", () => wire.head("GET /v2/../../../../etc/passwd HTTP/1.1", [close])],
  ...[
    "*",
    "//",
    "///v2//notes",
    "/v2/notes/%",
    "/v2/notes/%zz",
    "/v2/notes/%00",
    "/v2/notes/%2e%2e%2f",
    "/v2/notes/..%2f..",
    "/v2/notes?%",
    "/v2/notes?limit=%",
    "/v2/notes?limit=1&limit=2",
    "/v2/notes?cursor[]=a&cursor[b]=c",
    "/v2/notes;a=b",
    "/v2/notes#x",
    "/v2/notes?#",
    "?",
    "/v2",
    "/v2/",
    "/v2/notes/",
    "/V2/NOTES",
    "/v2/notes\\..",
    "/v2/notes/\u00e9",
    "/v2/sync/push/x",
    "/v2/__proto__",
    "/v2/notes/__proto__/constructor",
    `/v2/${"a/".repeat(2_000)}`,
    `/v2/notes/${"x".repeat(10_000)}`,
    `/v2/notes?${"a=b&".repeat(2_500)}`,
    "http://",
    "http://[",
    "/v2/notes?a=http://[",
    "//[/v2/notes",
    "/:id",
    "/v2/notes/:id",
    "/v2/*"
  ].flatMap((path) =>
    ["GET", "POST"].map(
      (method) =>
        [
          `${method} ${path.slice(0, 60)}`,
          () => wire.head(`${method} ${path} HTTP/1.1`, [close, "Content-Length: 0"])
        ] as const
    )
  ),
  ["a header of a megabyte", () => wire.head("GET /v2/notes HTTP/1.1", [`X-Large: ${"a".repeat(1_048_576)}`])],
  [
    "ten thousand headers",
    () =>
      wire.head(
        "GET /v2/notes HTTP/1.1",
        Array.from({ length: 10_000 }, (_, index) => `X-${index}: a`)
      )
  ],
  [
    "a thousand short headers",
    () => wire.head("GET /v2/notes HTTP/1.1", [close, ...Array.from({ length: 1_000 }, () => "a: b")])
  ],
  ["a header without a colon", () => wire.head("GET /v2/notes HTTP/1.1", ["nonsense"])],
  ["a header with NUL", () => wire.head("GET /v2/notes HTTP/1.1", ["X-Nul: a\0b"])],
  ["a folded header", () => wire.head("GET /v2/notes HTTP/1.1", ["X-Fold: a\r\n b"])],
  ["a bare line feed in a header", () => wire.head("GET /v2/notes HTTP/1.1", ["X-A: a\nX-B: b", close])],
  [
    "headers that are not ASCII",
    () =>
      wire.head("GET /v2/notes HTTP/1.1", [
        "X-Request-Id: \xc3\x28",
        "If-None-Match: \xff",
        "Device-Id: \xe9",
        "Workspace-Id: \xe9",
        close
      ])
  ],
  ["no Host", () => "GET /v2/notes HTTP/1.1\r\n\r\n"],
  ["two Hosts", () => wire.head("GET /v2/notes HTTP/1.1", ["Host: y", close])],
  ["two credentials", () => wire.head("GET /v2/notes HTTP/1.1", ["Authorization: Bearer x", close])],
  [
    "a credential of 15 000 letters",
    () =>
      `GET /v2/notes HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${"a".repeat(15_000)}\r\nConnection: close\r\n\r\n`
  ],
  ["a length that is not a number", () => wire.post("/notes", ["Content-Length: many"], json)],
  ["a negative length", () => wire.post("/notes", ["Content-Length: -1"], json)],
  ["a length beyond any number", () => wire.post("/notes", ["Content-Length: 99999999999999999999999"], json)],
  ["a length of an exabyte", () => wire.post("/notes", ["Content-Length: 1000000000000000000"], json)],
  ["two lengths", () => wire.post("/notes", ["Content-Length: 5", "Content-Length: 6"], json)],
  ["a length and chunks", () => wire.post("/notes", ["Content-Length: 5", "Transfer-Encoding: chunked"], `0\r\n\r\n`)],
  [
    "chunked that is not the last coding",
    () => wire.post("/notes", ["Transfer-Encoding: chunked, identity"], `0\r\n\r\n`)
  ],
  ["an unknown coding", () => wire.post("/notes", ["Transfer-Encoding: gzip", close], json)],
  ["an invalid chunk size", () => wire.post("/notes", ["Transfer-Encoding: chunked"], `zz\r\n${json}\r\n0\r\n\r\n`)],
  [
    "a chunk size beyond any number",
    () => wire.post("/notes", ["Transfer-Encoding: chunked"], `${"f".repeat(40)}\r\n${json}`)
  ],
  [
    "a chunk longer than its size",
    () => wire.post("/notes", ["Transfer-Encoding: chunked"], `1\r\n${json}\r\n0\r\n\r\n`)
  ],
  [
    "an endless chunk extension",
    () => wire.post("/notes", ["Transfer-Encoding: chunked"], `1;${"a".repeat(100_000)}\r\n{`)
  ],
  [
    "endless trailers",
    () => wire.post("/notes", ["Transfer-Encoding: chunked"], `0\r\n${"a: b\r\n".repeat(20_000)}\r\n`)
  ],
  [
    "an invalid compressed body",
    () => wire.post("/notes", ["Content-Encoding: gzip", `Content-Length: ${json.length}`, close], json)
  ],
  [
    "an unknown expectation",
    () => wire.post("/notes", ["Expect: the-unexpected", `Content-Length: ${json.length}`, close], json)
  ],
  [
    "an upgrade",
    () =>
      wire.head("GET /v2/notes HTTP/1.1", [
        "Connection: Upgrade, close",
        "Upgrade: websocket",
        "Sec-WebSocket-Key: eA=="
      ])
  ],
  ...[
    "",
    "text/plain",
    "application/json; charset=utf-16",
    "application/json;;;",
    "multipart/form-data",
    "multipart/form-data; boundary=x",
    "application/x-www-form-urlencoded",
    "application/JSON",
    "a",
    "/",
    "application/json, text/plain",
    "application/octet-stream"
  ].map(
    (type) =>
      [
        `a body of type "${type}"`,
        () =>
          wire.head("POST /v2/notes HTTP/1.1", [`Content-Type: ${type}`, `Content-Length: ${json.length}`, close]) +
          json
      ] as const
  ),
  ["a body with GET", () => wire.head("GET /v2/notes HTTP/1.1", ["Content-Length: 5", close]) + "hello"],
  ["a body with DELETE", () => wire.head("DELETE /v2/notes/nt_none HTTP/1.1", ["Content-Length: 5", close]) + "hello"]
]

describe("an absurd request", () => {
  it.each(absurd)("%s gets a client error or a success", async (name, text) => {
    const answer = await wire.exchange(Buffer.from(text(), "latin1"))
    for (const status of statuses(answer))
      expect(status === 505 || status < 500, `${name}: ${answer.slice(0, 400)}`).toBe(true)
    expect(answer).not.toMatch(/\n\s+at |node_modules|SqlError|root:x:/)
  })

  it("leaves the server working", async () => {
    expect(statuses(await wire.exchange(wire.head("GET /v2/notebooks HTTP/1.1", [close])))).toEqual([200])
    await expectTruth(app)
  })
})
