import fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as RedirectUris from "../../../services/oauth/RedirectUris.ts"

describe("a redirect URI", () => {
  it.each([
    "https://claude.ai/api/mcp/auth_callback",
    "http://localhost:33418/callback",
    "http://127.0.0.1/callback",
    "http://[::1]:8080/",
    "cursor://anysphere.cursor-mcp/oauth/callback",
    "vscode://vscode.github-authentication/did-authenticate",
    "com.example.app:/callback",
    "https://host.example/callback?kept=1"
  ])("is accepted: %s", (uri) => expect(RedirectUris.refusalOf(uri)).toBeUndefined())

  it.each([
    "http://host.example/callback",
    "http://localhost.evil.example/callback",
    "http://127.0.0.1.evil.example/",
    "https://host.example/callback#fragment",
    "https://user@host.example/callback",
    "https://host.example\\@evil.example/",
    "https:host.example/callback",
    "https:///callback",
    "https://host.example/call\nback",
    "https://host.example/ callback",
    " https://host.example/",
    "javascript:alert(1)",
    "JaVaScRiPt://%0aalert(1)",
    "data:text/html,x",
    "file:///etc/passwd",
    "blob:https://host.example/1",
    "view-source:https://host.example",
    "intent://x#Intent;end",
    "//host.example/callback",
    "/callback",
    "callback",
    "",
    `https://host.example/${"x".repeat(2_000)}`
  ])("is refused: %s", (uri) => expect(RedirectUris.refusalOf(uri)).toBeTypeOf("string"))
})

describe("isRegistered", () => {
  it.each([
    ["http://localhost:1234/callback", "http://localhost:5678/callback"],
    ["http://127.0.0.1/callback", "http://127.0.0.1:5678/callback"],
    ["http://[::1]:1/x?y=1", "http://[::1]/x?y=1"]
  ])("accepts another port of a loopback: %s, %s", (registered, sent) =>
    expect(RedirectUris.isRegistered([registered], sent)).toBe(true)
  )

  it.each([
    ["https://host.example/callback", "https://host.example/callback/"],
    ["https://host.example/callback", "https://host.example/callback?x=1"],
    ["https://host.example/callback", "https://host.example:8443/callback"],
    ["https://host.example/callback", "https://HOST.example/callback"],
    ["https://host.example/callback", "https://host.example/x/../callback"],
    ["https://host.example/callback", "https://host.example/callback%2e"],
    ["http://localhost:1/callback", "http://localhost:1/other"],
    ["http://localhost:1/callback", "http://127.0.0.1:1/callback"],
    ["cursor://app/callback", "cursor://app/callback/x"]
  ])("refuses anything else: %s, %s", (registered, sent) =>
    expect(RedirectUris.isRegistered([registered], sent)).toBe(false)
  )

  it("never accepts another host", () => {
    const part = fc.stringMatching(/^[a-z0-9.:@%\\/?-]{0,20}$/)
    fc.assert(
      fc.property(part, part, (one, other) => {
        const sent = `https://${one}host.example${other}/callback`
        if (RedirectUris.refusalOf(sent) !== undefined) return
        if (!RedirectUris.isRegistered(["https://host.example/callback"], sent)) return
        expect(new URL(sent).host).toBe("host.example")
      })
    )
  })
})

describe("withParameters", () => {
  it("keeps the bytes of the URI", () => {
    expect(RedirectUris.withParameters("cursor://App/CallBack", { code: "a b", state: undefined })).toBe(
      "cursor://App/CallBack?code=a+b"
    )
    expect(RedirectUris.withParameters("https://host.example/%7Ex?a=1", { code: "1" })).toBe(
      "https://host.example/%7Ex?a=1&code=1"
    )
  })
})
