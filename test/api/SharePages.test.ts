import { Effect } from "effect"
import { beforeAll, describe, expect, it } from "vitest"
import { ShareViews } from "../../services/notes/ShareViews.ts"
import { Files, someBytes } from "../support/Files.ts"
import { useApp } from "../support/useApp.ts"

const { app, given } = useApp({ settings: { trustedProxies: ["127.0.0.1"] } })

let inbox: string
beforeAll(async () => {
  inbox = (await given("GET", "/notebooks")).data[0].id
})

interface Page {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

const browser = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" }
const json = { accept: "application/json" }

const ask = async (url: string, headers: Record<string, string> = browser, init: RequestInit = {}): Promise<Page> => {
  const { origin } = new URL(app.url)
  const answer = await fetch(url.replace("http://sheaf.test", origin), { redirect: "manual", ...init, headers })
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}

const form = (url: string, fields: string, headers: Record<string, string> = browser) =>
  ask(url, { ...headers, "content-type": "application/x-www-form-urlencoded" }, { method: "POST", body: fields })

const newNote = (body: string, title = "A <note> & more") =>
  given("POST", "/notes", { notebook_id: inbox, title, body }).then(({ id }) => id as string)

const newShare = async (body: string, more: object = {}, title?: string) => {
  const note_id = await newNote(body, title)
  return given("POST", "/shares", { note_id, ...more })
}

/** From another address each time, so that no test is held back by another. */
let addresses = 0
const from = () => ({ "x-forwarded-for": `192.0.2.${++addresses}` })

const viewsOf = async (id: string): Promise<number> => {
  await app.run(Effect.flatMap(Effect.service(ShareViews), ({ writeDown }) => writeDown))
  return (await given("GET", `/shares/${id}`)).view_count
}

describe("the page of a share", () => {
  it("shows the note to whoever has the link, with no script, to nobody's index, and by strict headers", async () => {
    const { url } = await newShare("Hello **world**, this is [a link](https://x.test).\n\n## Part")
    const { headers, status, text } = await ask(url)
    expect(status).toBe(200)
    expect(text).toMatch(/^<!doctype html>\n<html lang="en">/)
    expect(text).toContain("<title>A &lt;note&gt; &amp; more</title>")
    expect(text).toContain('<meta name="description" content="Hello world, this is a link.">')
    expect(text).toContain('<meta property="og:title" content="A &lt;note&gt; &amp; more">')
    expect(text).toContain("<p>Hello <strong>world</strong>, this is")
    expect(text).toContain('<time datetime="2026-03-01T12:00:00.000Z">1 March 2026</time>')
    expect(text).not.toMatch(/<script|javascript:| on\w+=/i)
    expect(Object.fromEntries(headers)).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": expect.stringMatching(
        /^default-src 'none'; style-src 'sha256-[^']+'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/
      ),
      "x-robots-tag": "noindex, nofollow",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      "cache-control": "private, no-cache",
      vary: expect.stringMatching(/^Accept, Cookie, Share-Password/)
    })
  })

  it("is in the language that its note says, or else in that of whoever shares it", async () => {
    expect((await ask((await newShare("---\nlang: ar\n---\nمرحبا")).url)).text).toContain('<html lang="ar">')
    await given("PATCH", "/me", { locale: "de-AT" })
    expect((await ask((await newShare("Hallo")).url)).text).toMatch(
      /<html lang="de-AT">[\s\S]*<p class="about" lang="en">/
    )
    await given("PATCH", "/me", { locale: "en" })
  })

  it("comes as JSON and as Markdown too, and in no other form", async () => {
    const { id, url } = await newShare("---\nlang: fr\n---\nHello *world*")
    expect(JSON.parse((await ask(url, json)).text)).toEqual({
      title: "A <note> & more",
      body: "---\nlang: fr\n---\nHello *world*",
      html: "<p>Hello <em>world</em></p>",
      description: "Hello world",
      lang: "fr",
      word_count: expect.any(Number),
      version: 1,
      updated_at: "2026-03-01T12:00:00.000Z",
      expires_at: null
    })
    const markdown = await ask(url, { accept: "text/markdown" })
    expect([markdown.headers.get("content-type"), markdown.text]).toEqual([
      "text/markdown; charset=utf-8",
      "---\nlang: fr\n---\nHello *world*"
    ])
    expect((await ask(url, { accept: "*/*" })).headers.get("content-type")).toBe("text/html; charset=utf-8")
    const other = await ask(url, { accept: "image/png" })
    expect([other.status, JSON.parse(other.text).code]).toEqual([406, "not_acceptable"])
    expect(await viewsOf(id)).toBe(3)
  })

  it("shows the files of the note by signed addresses that are good as long as any 304", async () => {
    const note_id = await newNote("![[cat.png]] [doc](attachment:none) ![[report.pdf]]")
    const files = new Files(app)
    await files.make(note_id, someBytes(), { filename: "cat.png" })
    await files.make(note_id, someBytes(), { filename: "report.pdf" })
    const { url } = await given("POST", "/shares", { note_id })
    const page = await ask(url)
    const [, src = ""] = /<img src="([^"]+)"/.exec(page.text) ?? []
    expect(src).toMatch(/^\/files\/ws_[^/]+\/at_\w+\?expires=\d+&amp;signature=/)
    const { origin } = new URL(app.url)
    const served = await fetch(origin + src.replaceAll("&amp;", "&"))
    expect([served.status, served.headers.get("content-type")]).toEqual([200, "image/png"])
    expect(page.text).toMatch(/<a href="\/files\/ws_[^"]+">report\.pdf<\/a>/)
    const markdown = (await ask(url, { accept: "text/markdown" })).text
    expect(markdown).toMatch(
      /^!\[cat\.png\]\(http:\/\/sheaf\.test\/files\/[^)]+\) \[doc\]\(attachment:none\) \[report\.pdf\]\(http/
    )
    const etag = page.headers.get("etag")!
    expect((await ask(url, { ...browser, "if-none-match": etag })).status).toBe(304)
    await app.advance("5 minutes")
    const later = await ask(url, { ...browser, "if-none-match": etag })
    expect(later.status).toBe(200)
    expect(/<img src="([^"]+)"/.exec(later.text)![1]).not.toBe(src)
    // A file that is added is found by a name that led nowhere before.
    await files.make(note_id, someBytes(), { filename: "none" })
    expect((await ask(url, { ...browser, "if-none-match": later.headers.get("etag")! })).status).toBe(200)
  })

  it("follows its note at once, and is answered with 304 while that stays", async () => {
    const { id, note_id, url } = await newShare("first")
    const first = await ask(url)
    const again = await ask(url, { ...browser, "if-none-match": first.headers.get("etag")! })
    expect([again.status, again.text, again.headers.get("etag")]).toEqual([304, "", first.headers.get("etag")])
    await given("PATCH", `/notes/${note_id}`, { body: "second" })
    const second = await ask(url, { ...browser, "if-none-match": first.headers.get("etag")! })
    expect([second.status, second.text.includes("<p>second</p>")]).toEqual([200, true])
    expect(await viewsOf(id)).toBe(2)
  })

  it("counts readers, and neither HEAD, nor 304, nor robots", async () => {
    const { id, url } = await newShare("text")
    const etagBefore = (await app.call("GET", `/shares/${id}`)).headers.get("etag")
    const head = await ask(url, browser, { method: "HEAD" })
    expect([head.status, head.text, head.headers.get("content-type")]).toEqual([200, "", "text/html; charset=utf-8"])
    await ask(url, { ...browser, "user-agent": "Mozilla/5.0 (compatible; Googlebot/2.1)" })
    expect(await viewsOf(id)).toBe(0)
    for (let view = 0; view < 3; view++) await ask(url, { ...browser, "user-agent": "Mozilla/5.0 Firefox/140.0" })
    const seq = await app.seq()
    expect(await viewsOf(id)).toBe(3)
    expect(await app.seq()).toBe(seq)
    expect((await app.call("GET", `/shares/${id}`)).headers.get("etag")).not.toBe(etagBefore)
  })

  it("is asked for by GET and HEAD, and sent no other form than that of a password", async () => {
    const { url } = await newShare("text")
    for (const method of ["PUT", "PATCH", "DELETE"]) {
      const answer = await ask(url, browser, { method })
      expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, HEAD, POST, OPTIONS"])
    }
    expect(
      (await ask(url, { ...json, "content-type": "application/json" }, { method: "POST", body: "{}" })).status
    ).toBe(415)
    expect((await ask(url, json, { method: "POST" })).status).toBe(415)
    const open = await form(url, "password=whatever")
    expect([open.status, open.headers.get("location"), open.headers.get("set-cookie")]).toEqual([
      303,
      new URL(url).pathname,
      null
    ])
  })
})

describe("what is not there to be read", () => {
  const both = async (url: string, headers = from()) => {
    const page = await ask(url, { ...browser, ...headers })
    const problem = await ask(url, { ...json, ...headers })
    expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8")
    expect(problem.headers.get("content-type")).toBe("application/problem+json")
    expect(page.headers.get("x-robots-tag")).toBe("noindex, nofollow")
    expect(page.text).toMatch(/<main>\n<h1>/)
    return [page.status, problem.status, JSON.parse(problem.text).code]
  }

  it("is 404 as a page and as a problem: unknown, deleted, in the trash, and of a deleted workspace", async () => {
    const { id, note_id, url } = await newShare("text")
    const gone = [404, 404, "not_found"]
    expect(await both(`${url.slice(0, -22)}${"A".repeat(22)}`)).toEqual(gone)
    expect(await both(`${url}x`)).toEqual(gone)
    await given("DELETE", `/notes/${note_id}`)
    expect(await both(url)).toEqual(gone)
    await given("POST", `/notes/${note_id}/restore`)
    expect((await ask(url)).status).toBe(200)
    await given("DELETE", `/shares/${id}`)
    expect(await both(url)).toEqual(gone)
  })

  it("is 410 when its time is over, until it has another", async () => {
    const now = (await given("POST", "/notes", { notebook_id: inbox, title: "Now" })).created_at
    const { id, url } = await newShare("text", { expires_at: new Date(Date.parse(now) + 60_000).toISOString() })
    expect((await ask(url)).status).toBe(200)
    await app.advance("1 minute")
    expect(await both(url)).toEqual([410, 410, "share_expired"])
    await given("PATCH", `/shares/${id}`, { expires_at: null })
    expect((await ask(url)).status).toBe(200)
  })

  it("is 429 for whoever guesses, and never for who has a good link", async () => {
    const { url } = await newShare("text")
    const guesser = from()
    const guess = (index: number) =>
      ask(`${url.slice(0, -22)}${String(index).padStart(22, "A")}`, { ...json, ...guesser })
    for (let index = 0; index < 20; index++) expect((await guess(index)).status).toBe(404)
    const refused = await guess(20)
    expect([refused.status, Number(refused.headers.get("retry-after")) > 0]).toEqual([429, true])
    expect(await both(`${url.slice(0, -22)}${"B".repeat(22)}`, guesser)).toEqual([429, 429, "rate_limited"])
    expect((await ask(url, { ...browser, ...guesser })).status).toBe(200)
    expect((await ask(`${url.slice(0, -22)}${"C".repeat(22)}`, { ...json, ...from() })).status).toBe(404)
  })
})

describe("a protected share", () => {
  const password = "open sesame"

  it("asks browsers by a form that says nothing of the note, and programs by a problem", async () => {
    const { url } = await newShare("secret text", { password }, "Secret title")
    const page = await ask(url)
    expect([page.status, page.headers.get("cache-control")]).toEqual([401, "no-store"])
    expect(page.text).toContain('<form method="post">')
    expect(page.text).not.toMatch(/secret/i)
    const problem = await ask(url, json)
    expect([problem.status, JSON.parse(problem.text).code]).toEqual([401, "authentication_required"])
    expect(problem.headers.get("www-authenticate")).toBe('Share-Password realm="share"')
  })

  it("opens to the form, and remembers by a cookie that ends with the password", async () => {
    const { id, url } = await newShare("secret text", { password })
    const wrong = await form(url, "password=open+sesam", { ...browser, ...from() })
    expect([wrong.status, wrong.headers.get("set-cookie"), wrong.text.includes('role="alert"')]).toEqual([
      401,
      null,
      true
    ])
    const opened = await form(url, "password=open+sesame")
    expect([opened.status, opened.headers.get("location")]).toEqual([303, new URL(url).pathname])
    const cookie = opened.headers.get("set-cookie")!
    expect(cookie).toMatch(
      new RegExp(`^sheaf_share=[\\w.-]+; Path=${new URL(url).pathname}; Max-Age=604800; HttpOnly; SameSite=Lax$`)
    )
    const [pass = ""] = cookie.split(";", 1)
    const inside = await ask(url, { ...browser, cookie: `other=1; ${pass}` })
    expect([inside.status, inside.text.includes("secret text")]).toEqual([200, true])
    const other = await newShare("other text", { password })
    expect((await ask(other.url, { ...browser, cookie: pass })).status).toBe(401)
    const forged = pass.replace(/=(\d)/, (_, digit) => `=${(Number(digit) + 1) % 10}`)
    expect((await ask(url, { ...browser, cookie: forged })).status).toBe(401)
    await given("PATCH", `/shares/${id}`, { password: "another one" })
    expect((await ask(url, { ...browser, cookie: pass })).status).toBe(401)
    expect((await ask(url, { ...json, "share-password": "another one" })).status).toBe(200)
    await given("PATCH", `/shares/${id}`, { password: null })
    expect((await ask(url)).status).toBe(200)
  })

  it("forgets whom it let in after a week", async () => {
    const { url } = await newShare("secret text", { password })
    const [cookie = ""] = (await form(url, "password=open+sesame")).headers.get("set-cookie")!.split(";", 1)
    await app.advance("6 days")
    expect((await ask(url, { ...browser, cookie })).status).toBe(200)
    await app.advance("1 day")
    expect((await ask(url, { ...browser, cookie })).status).toBe(401)
  })

  it("refuses after 10 wrong tries of an address, which are its own, and lets it in again when the time is over", async () => {
    const { url } = await newShare("secret text", { password })
    const guesser = { ...json, ...from() }
    for (let tried = 0; tried < 10; tried++) {
      const answer = await ask(url, {
        ...guesser,
        "share-password": tried % 2 === 0 ? `wrong ${tried} guess` : "short"
      })
      expect([answer.status, JSON.parse(answer.text).code]).toEqual([401, "invalid_credentials"])
    }
    const refused = await ask(url, { ...guesser, "share-password": password })
    expect([refused.status, JSON.parse(refused.text).code]).toEqual([429, "rate_limited"])
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0)
    const page = await form(url, "password=open+sesame", { ...browser, ...guesser, accept: "text/html" })
    expect([page.status, page.text.includes("Too many tries")]).toEqual([429, true])
    expect((await ask(url, { ...json, ...from(), "share-password": password })).status).toBe(200)
    await app.advance("15 minutes")
    expect((await ask(url, { ...guesser, "share-password": password })).status).toBe(200)
  })

  it("takes a password of any script, in a header as UTF-8", async () => {
    const said = "пароль 密码 ñ"
    const { url } = await newShare("secret text", { password: said })
    const header = Buffer.from(said).toString("latin1")
    expect((await ask(url, { ...json, "share-password": header })).status).toBe(200)
    expect((await form(url, new URLSearchParams({ password: said }).toString())).status).toBe(303)
  })

  it("does not count right passwords, nor being asked", async () => {
    const { url } = await newShare("secret text", { password })
    const reader = { ...json, ...from() }
    for (let tried = 0; tried < 12; tried++) {
      expect((await ask(url, { ...reader, "share-password": password })).status).toBe(200)
      expect((await ask(url, reader)).status).toBe(401)
      expect((await form(url, "password=", { ...browser, ...reader })).status).toBe(401)
    }
  })

  it.each([
    ["nothing", ""],
    ["other fields", "user=a&pass=b"],
    ["many fields", "password=".repeat(2_000)],
    ["broken percent signs", "password=%E0%A4%A&%%%"],
    ["NUL and lone surrogates", "password=%00%ED%A0%80aaaaaaaa"],
    ["a long password", `password=${"x".repeat(50_000)}`]
  ])("stays shut to a form of %s", async (_, fields) => {
    const { url } = await newShare("secret text", { password })
    expect((await form(url, fields, { ...browser, ...from() })).status).toBe(401)
  })

  it("stays shut to forms beyond 64 KiB, and to cookies of nonsense", async () => {
    const { url } = await newShare("secret text", { password })
    expect((await form(url, `password=${"x".repeat(70_000)}`, { ...browser, ...from() })).status).toBe(413)
    for (const cookie of [
      "sheaf_share=",
      "sheaf_share=1.2",
      `sheaf_share=${"9".repeat(15)}.${"A".repeat(22)}`,
      "sheaf_share=x; ".repeat(1_000),
      "=;;=;%"
    ]) {
      expect((await ask(url, { ...browser, cookie })).status).toBe(401)
    }
  })
})
