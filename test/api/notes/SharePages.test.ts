import { Effect } from "effect"
import { beforeAll, describe, expect, it } from "vitest"
import { Markdown } from "../../../services/markdown/Markdown.ts"
import { ShareViews } from "../../../services/notes/shares/ShareViews.ts"
import { Files, someBytes } from "../../support/Files.ts"
import { LeapClock } from "../../../src/program/testing/LeapClock.ts"
import { startApp } from "../../support/TestApp.ts"
import { useApp } from "../../support/useApp.ts"

const { app, given } = useApp({ settings: { trustedProxies: ["127.0.0.1"], rateLimit: 0 } })

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

/** Uses another address for each request, so that tests do not throttle each other. */
let addresses = 0
const from = () => ({ "x-forwarded-for": `192.0.2.${++addresses}` })

const viewsOf = async (id: string): Promise<number> => {
  await app.run(Effect.flatMap(Effect.service(ShareViews), ({ flush }) => flush))
  return (await given("GET", `/shares/${id}`)).view_count
}

describe("page of a share", () => {
  it("shows the note to a visitor with the link, without scripts, not indexed, and with strict headers", async () => {
    const { url } = await newShare("Hello **world**, this is [a link](https://x.test).\n\n## Part")
    const { headers, status, text } = await ask(url)
    expect(status).toBe(200)
    expect(text).toMatch(/^<!doctype html>\n<html lang="en">/)
    expect(text).toContain("<title>A &lt;note&gt; &amp; more</title>")
    expect(text).toContain('<meta name="description" content="Hello world, this is a link.">')
    expect(text).toContain('<meta property="og:title" content="A &lt;note&gt; &amp; more">')
    expect(text).toContain(`<meta property="og:url" content="${url}">`)
    expect(text).toContain('<meta property="og:site_name" content="Sheaf">')
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

  it("uses the language of the note's front matter, or else of the user who shares it", async () => {
    expect((await ask((await newShare("---\nlang: ar\n---\nمرحبا")).url)).text).toContain('<html lang="ar">')
    await given("PATCH", "/me", { locale: "de-AT" })
    expect((await ask((await newShare("Hallo")).url)).text).toMatch(
      /<html lang="de-AT">[\s\S]*<p class="about" lang="en">/
    )
    await given("PATCH", "/me", { locale: "en" })
  })

  it("is also available as JSON and Markdown, and returns 406 for other types", async () => {
    const { id, url } = await newShare("---\nlang: fr\n---\nHello *world*")
    expect(JSON.parse((await ask(url, json)).text)).toEqual({
      title: "A <note> & more",
      body: "Hello *world*",
      html: "<p>Hello <em>world</em></p>",
      description: "Hello world",
      lang: "fr",
      word_count: 2,
      version: 1,
      updated_at: "2026-03-01T12:00:00.000Z",
      expires_at: null
    })
    for (const type of ["text/markdown", "text/plain"]) {
      const markdown = await ask(url, { accept: type })
      expect([markdown.headers.get("content-type"), markdown.text]).toEqual([`${type}; charset=utf-8`, "Hello *world*"])
    }
    expect((await ask(url, { accept: "*/*" })).headers.get("content-type")).toBe("text/html; charset=utf-8")
    const other = await ask(url, { accept: "image/png" })
    expect([other.status, JSON.parse(other.text).code]).toEqual([406, "not_acceptable"])
    expect(await viewsOf(id)).toBe(4)
  })

  it("has no private part in any form", async () => {
    const { url } = await newShare(
      "---\nsecret: secret\n---\npublic %%secret%% <!-- secret --> text",
      {},
      "Name %%secret%%"
    )
    for (const accept of ["text/html", "text/markdown", "text/plain", "application/json", "*/*"]) {
      const { text } = await ask(url, { accept })
      expect([text.includes("public"), text.includes("secret")], accept).toEqual([true, false])
    }
  })

  it("reflects changes of its note at once, and returns 304 while it is unchanged", async () => {
    const { id, note_id, url } = await newShare("first")
    const first = await ask(url)
    const again = await ask(url, { ...browser, "if-none-match": first.headers.get("etag")! })
    expect([again.status, again.text, again.headers.get("etag")]).toEqual([304, "", first.headers.get("etag")])
    await given("PATCH", `/notes/${note_id}`, { body: "second" })
    const second = await ask(url, { ...browser, "if-none-match": first.headers.get("etag")! })
    expect([second.status, second.text.includes("<p>second</p>")]).toEqual([200, true])
    expect(await viewsOf(id)).toBe(2)
  })

  it("counts views, but not HEAD, 304 or robots", async () => {
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

  it("allows GET and HEAD, and POST of a password form only", async () => {
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

describe("page of a share while rendering is slow", () => {
  it("shows plain text that browsers do not store", async () => {
    const heavy = await Promise.all([0, 1].map(() => newShare(">".repeat(50_000))))
    const { url } = await newShare("*five* words & no more")
    const others = heavy.map(({ url }) => ask(url, json))
    const markdown = await app.run(Effect.service(Markdown))
    await expect.poll(markdown.waiting).toBeGreaterThanOrEqual(1)
    const page = ask(url)
    await app.run(Effect.flatMap(LeapClock, (clock) => clock.asleep("500 millis")))
    await app.advance("500 millis")
    const { headers, status, text } = await page
    expect(status).toBe(200)
    expect(text).toContain('<pre class="plain" tabindex="0">*five* words &amp; no more</pre>')
    expect([headers.get("etag"), headers.get("cache-control")]).toEqual([null, "no-store"])
    await Promise.all(others)
    expect((await ask(url)).text).toContain("<em>five</em> words")
  })
})

describe("published content of a shared note", () => {
  const forms = async (url: string) => {
    const page = await ask(url)
    const data = JSON.parse((await ask(url, json)).text)
    return { page: page.text, data, markdown: (await ask(url, { accept: "text/markdown" })).text }
  }

  it("excludes comments and front matter in all formats", async () => {
    const body =
      "---\nauthor: secret@example.org\nlocation: 48.1, secret\n---\nPublic text %%secret aside%% <!-- secret remark --> end\n\n%%\nsecret block\n%%\n\n`%%code%%`"
    const { url } = await newShare(body, {}, "Trip %%secret%%")
    const { data, markdown, page } = await forms(url)
    for (const text of [page, markdown, JSON.stringify(data)]) expect(text).not.toMatch(/secret|location|author/)
    expect(page).toContain('<meta property="og:title" content="Trip">')
    expect(page).toContain('<meta property="og:description" content="Public text end %%code%%">')
    expect(page).toContain("<code>%%code%%</code>")
    expect(data.body).toBe(markdown)
    expect(markdown).toBe("Public text   end\n\n\n\n`%%code%%`")
    expect(data).toMatchObject({ title: "Trip", description: "Public text end %%code%%", word_count: 4 })
  })

  it("excludes TOML front matter, and text after an unclosed comment", async () => {
    const { data, markdown, page } = await forms(
      (await newShare("+++\nkey = 'secret'\n+++\nPublic %%secret\n\n- secret")).url
    )
    for (const text of [page, markdown, JSON.stringify(data)]) {
      expect(text).toContain("Public")
      expect(text).not.toContain("secret")
    }
  })

  it("includes formulas, colours, marks and folded callouts, without scripts and inline styles", async () => {
    const { url } = await newShare("$x*y$ ==m==\n\n```js\nlet a\n```\n\n> [!note]- F\n> x")
    const { text } = await ask(url)
    expect(text).toContain("<mi>x</mi><mo>∗</mo>")
    expect(text).toContain("<mark>m</mark>")
    expect(text).toContain('<span class="hljs-keyword">let</span>')
    expect(text).toContain('<details class="callout callout-note">')
    expect(text).not.toMatch(/<script| style=/)
  })

  it("renders single line breaks as the share is set, and changes its ETag", async () => {
    const { id, url } = await newShare("one\ntwo")
    const first = await ask(url)
    expect(first.text).toContain("<p>one<br>\ntwo</p>")
    await given("PATCH", `/shares/${id}`, { breaks: false })
    const again = await ask(url, { ...browser, "if-none-match": first.headers.get("etag")! })
    expect([again.status, again.text.includes("<p>one\ntwo</p>")]).toEqual([200, true])
    // Another share of the same note may differ.
    const other = await given("POST", "/shares", { note_id: (await given("GET", `/shares/${id}`)).note_id })
    expect((await ask(other.url)).text).toContain("one<br>")
    expect((await ask(url)).text).not.toContain("one<br>")
  })
})

describe("files of a share", () => {
  const files = new Files(app)
  const password = "open sesame"

  /** Creates a note with two files that it shows, one that only a comment links, and one that is not linked. */
  const withFiles = async (more: object = {}) => {
    const note_id = await newNote("![[cat.png]] [doc](report.pdf)\n\n%%![[hidden.png]]%%")
    const make = async (filename: string) => {
      const bytes = someBytes()
      return { ...(await files.make(note_id, bytes, { filename })), bytes }
    }
    const [cat, report, hidden, unused] = [
      await make("cat.png"),
      await make("report.pdf"),
      await make("hidden.png"),
      await make("unused.png")
    ]
    const share = await given("POST", "/shares", { note_id, ...more })
    const at = (file: { readonly id: string }, headers: Record<string, string> = {}, init: RequestInit = {}) =>
      ask(`${share.url}/files/${file.id}`, { accept: "image/png", ...headers }, init)
    return { note_id, share, cat, report, hidden, unused, at }
  }

  it("have URLs of the share, which are absolute in Markdown and JSON", async () => {
    const { cat, report, share } = await withFiles()
    const path = new URL(share.url).pathname
    const page = await ask(share.url)
    expect(page.text).toContain(`<img src="${path}/files/${cat.id}"`)
    expect(page.text).toContain(`<a href="${path}/files/${report.id}">doc</a>`)
    const markdown = (await ask(share.url, { accept: "text/markdown" })).text
    expect(markdown.trim()).toBe(`![cat.png](${share.url}/files/${cat.id}) [doc](${share.url}/files/${report.id})`)
    const { body, html } = JSON.parse((await ask(share.url, json)).text)
    expect(body).toBe(markdown)
    expect(html).toContain(`<img src="${share.url}/files/${cat.id}"`)
    // These URLs do not expire, so an unchanged page keeps its ETag.
    await app.advance("3 days")
    expect((await ask(share.url, { ...browser, "if-none-match": page.headers.get("etag")! })).status).toBe(304)
  })

  it("are served with the security headers, ranges and ETags of signed URLs, and with noindex", async () => {
    const { at, cat, report, share } = await withFiles()
    const whole = await fetch(new URL(`${new URL(share.url).pathname}/files/${cat.id}`, app.url))
    expect(Buffer.from(await whole.arrayBuffer()).equals(cat.bytes)).toBe(true)
    expect(Object.fromEntries(whole.headers)).toMatchObject({
      "content-type": "image/png",
      "content-disposition": "inline; filename=cat.png",
      "content-security-policy": expect.stringMatching(/^sandbox; default-src 'none'/),
      "x-content-type-options": "nosniff",
      "x-robots-tag": "noindex, nofollow",
      "referrer-policy": "no-referrer",
      "cache-control": "private, no-cache",
      "accept-ranges": "bytes",
      vary: expect.stringMatching(/Cookie, Share-Password/)
    })
    const etag = whole.headers.get("etag")!
    expect((await at(cat, { "if-none-match": etag })).status).toBe(304)
    const part = await at(cat, { range: "bytes=0-9" })
    expect([part.status, part.headers.get("content-range")]).toEqual([206, "bytes 0-9/64"])
    expect((await at(cat, { range: "bytes=99-" })).status).toBe(416)
    const head = await at(cat, {}, { method: "HEAD" })
    expect([head.status, head.headers.get("content-length"), head.text]).toEqual([200, "64", ""])
    expect((await at(report)).headers.get("content-disposition")).toMatch(/report\.pdf/)
    const put = await at(cat, {}, { method: "PUT", body: "x" })
    expect([put.status, put.headers.get("allow")]).toEqual([405, "GET, HEAD, OPTIONS"])
    expect(await viewsOf(share.id)).toBe(0)
  })

  it("are limited to those that the published text shows", async () => {
    const { at, cat, hidden, note_id, unused } = await withFiles()
    const other = await withFiles()
    expect((await at(cat)).status).toBe(200)
    for (const file of [
      hidden,
      unused,
      other.cat,
      { id: "at_0000000000000000000000" },
      { id: "..%2f..%2fx" },
      { id: "%00" }
    ]) {
      expect([file.id, (await at(file)).status]).toEqual([file.id, 404])
    }
    await given("PATCH", `/notes/${note_id}`, { body: "%%![[cat.png]]%%" })
    expect((await at(cat)).status).toBe(404)
    await given("PATCH", `/notes/${note_id}`, { body: `![x](attachment:${other.cat.id}) ![[cat.png]]` })
    expect([(await at(other.cat)).status, (await at(cat)).status]).toEqual([404, 200])
    await given("DELETE", `/attachments/${cat.id}`)
    expect((await at(cat)).status).toBe(404)
  })

  it("are available as long as the share", async () => {
    const { at, cat, note_id, share } = await withFiles()
    await given("DELETE", `/notes/${note_id}`)
    expect((await at(cat)).status).toBe(404)
    await given("POST", `/notes/${note_id}/restore`)
    expect((await at(cat)).status).toBe(200)
    const now = (await given("POST", "/notes", { notebook_id: inbox, title: "Now" })).created_at
    await given("PATCH", `/shares/${share.id}`, { expires_at: new Date(Date.parse(now) + 60_000).toISOString() })
    expect((await at(cat)).status).toBe(200)
    await app.advance("1 minute")
    const over = await at(cat)
    expect([over.status, JSON.parse(over.text).code]).toEqual([410, "share_expired"])
    await given("PATCH", `/shares/${share.id}`, { expires_at: null })
    expect((await at(cat)).status).toBe(200)
    await given("DELETE", `/shares/${share.id}`)
    expect((await at(cat)).status).toBe(404)
  })

  it("of a protected share require its password or a cookie, which a new password revokes", async () => {
    const { at, cat, share } = await withFiles({ password })
    const asked = await at(cat)
    expect([asked.status, JSON.parse(asked.text).code]).toEqual([401, "authentication_required"])
    const page = await at(cat, browser)
    expect([page.status, page.text.includes(`action="${new URL(share.url).pathname}"`)]).toEqual([401, true])
    expect((await at(cat, { "share-password": password })).status).toBe(200)
    const [cookie = ""] = (await form(share.url, "password=open+sesame")).headers.get("set-cookie")!.split(";", 1)
    const known = await at(cat, { cookie })
    expect(known.status).toBe(200)
    const other = await withFiles({ password })
    expect((await other.at(other.cat, { cookie })).status).toBe(401)
    await given("PATCH", `/shares/${share.id}`, { password: "another one" })
    for (const headers of [
      { cookie },
      { cookie, "if-none-match": known.headers.get("etag")! },
      { "share-password": password }
    ]) {
      expect((await at(cat, { ...from(), ...headers })).status).toBe(401)
    }
  })

  it("count wrong passwords and unknown tokens as the share does", async () => {
    const { at, cat } = await withFiles({ password })
    const guesser = from()
    for (let tried = 0; tried < 10; tried++) {
      expect((await at(cat, { ...guesser, "share-password": `wrong ${tried} guess` })).status).toBe(401)
    }
    expect((await at(cat, { ...guesser, "share-password": password })).status).toBe(429)
    const unknown = from()
    const guess = (index: number) =>
      ask(`http://sheaf.test/s/${String(index).padStart(22, "A")}/files/${cat.id}`, { ...json, ...unknown })
    for (let index = 0; index < 20; index++) expect((await guess(index)).status).toBe(404)
    expect((await guess(20)).status).toBe(429)
  })
})

describe("unavailable share", () => {
  const both = async (url: string, headers = from()) => {
    const page = await ask(url, { ...browser, ...headers })
    const problem = await ask(url, { ...json, ...headers })
    expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8")
    expect(problem.headers.get("content-type")).toBe("application/problem+json")
    expect(page.headers.get("x-robots-tag")).toBe("noindex, nofollow")
    expect(page.text).toMatch(/<main>\n<h1>/)
    return [page.status, problem.status, JSON.parse(problem.text).code]
  }

  it("returns 404 as a page and as a problem if it is unknown, deleted, or its note is in the trash", async () => {
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

  it("returns 410 after it expires, until it has another expiry", async () => {
    const now = (await given("POST", "/notes", { notebook_id: inbox, title: "Now" })).created_at
    const { id, url } = await newShare("text", { expires_at: new Date(Date.parse(now) + 60_000).toISOString() })
    expect((await ask(url)).status).toBe(200)
    await app.advance("1 minute")
    expect(await both(url)).toEqual([410, 410, "share_expired"])
    await given("PATCH", `/shares/${id}`, { expires_at: null })
    expect((await ask(url)).status).toBe(200)
  })

  it("returns 429 to a client that guesses tokens, also with RATE_LIMIT=0, and never to a request with a valid link", async () => {
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

describe("protected share", () => {
  const password = "open sesame"

  it("shows browsers a form and programs a problem, without content of the note", async () => {
    const { url } = await newShare("secret text", { password }, "Secret title")
    const page = await ask(url)
    expect([page.status, page.headers.get("cache-control")]).toEqual([401, "no-store"])
    expect(page.text).toContain(`<form method="post" action="${new URL(url).pathname}">`)
    expect(page.text).not.toMatch(/secret/i)
    const problem = await ask(url, json)
    expect([problem.status, JSON.parse(problem.text).code]).toEqual([401, "authentication_required"])
    expect(problem.headers.get("www-authenticate")).toBe('Share-Password realm="share"')
  })

  it("opens with the form, and sets a cookie that is valid until the password changes", async () => {
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

  it("requires the password again after a week", async () => {
    const { url } = await newShare("secret text", { password })
    const [cookie = ""] = (await form(url, "password=open+sesame")).headers.get("set-cookie")!.split(";", 1)
    await app.advance("6 days")
    expect((await ask(url, { ...browser, cookie })).status).toBe(200)
    await app.advance("1 day")
    expect((await ask(url, { ...browser, cookie })).status).toBe(401)
  })

  it("throttles an address after 10 wrong passwords, but no other address, for 15 minutes", async () => {
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
    expect([page.status, page.text.includes("Too many attempts")]).toEqual([429, true])
    expect((await ask(url, { ...json, ...from(), "share-password": password })).status).toBe(200)
    await app.advance("15 minutes")
    expect((await ask(url, { ...guesser, "share-password": password })).status).toBe(200)
  })

  it("accepts a password of any script, in a header as UTF-8", async () => {
    const secret = "пароль 密码 ñ"
    const { url } = await newShare("secret text", { password: secret })
    const header = Buffer.from(secret).toString("latin1")
    expect((await ask(url, { ...json, "share-password": header })).status).toBe(200)
    expect((await form(url, new URLSearchParams({ password: secret }).toString())).status).toBe(303)
  })

  it("does not count correct or missing passwords", async () => {
    const { url } = await newShare("secret text", { password })
    const reader = { ...json, ...from() }
    for (let tried = 0; tried < 12; tried++) {
      expect((await ask(url, { ...reader, "share-password": password })).status).toBe(200)
      expect((await ask(url, reader)).status).toBe(401)
      expect((await form(url, "password=", { ...browser, ...reader })).status).toBe(401)
    }
  })

  it.each([
    ["no fields", ""],
    ["other fields", "user=a&pass=b"],
    ["many fields", "password=".repeat(2_000)],
    ["broken percent signs", "password=%E0%A4%A&%%%"],
    ["NUL and lone surrogates", "password=%00%ED%A0%80aaaaaaaa"],
    ["a long password", `password=${"x".repeat(50_000)}`]
  ])("rejects a form with %s", async (_, fields) => {
    const { url } = await newShare("secret text", { password })
    expect((await form(url, fields, { ...browser, ...from() })).status).toBe(401)
  })

  it("has a cookie with a prefix where PUBLIC_URL is HTTPS", async () => {
    const secure = await startApp({ settings: { publicUrl: "https://notes.example.org" }, databaseOf: app })
    try {
      const { url } = await newShare("secret text", { password })
      const at = url.replace("http://sheaf.test", new URL(secure.url).origin)
      const opened = await form(at, "password=open+sesame")
      const cookie = opened.headers.get("set-cookie")!
      expect(cookie).toMatch(/^__Secure-sheaf_share=.+; Secure$/)
      const [pass = ""] = cookie.split(";", 1)
      expect((await ask(at, { ...browser, cookie: pass })).status).toBe(200)
      expect((await ask(at, { ...browser, cookie: pass.replace("__Secure-", "") })).status).toBe(401)
    } finally {
      await secure.stop()
    }
  })

  it("rejects forms above 64 KiB, and invalid cookies", async () => {
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
