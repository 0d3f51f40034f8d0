import { Redacted } from "effect"
import { runInNewContext } from "node:vm"
import { brotliDecompressSync } from "node:zlib"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { noteStyle } from "../../src/server/http/pages/SharePage.ts"
import { policies } from "../../src/program/testing/TestSettings.ts"
import { raw, request } from "../support/RawHttp.ts"
import { startApp, type TestApp } from "../support/TestApp.ts"

let app: TestApp
beforeAll(async () => {
  app = await startApp({ settings: { publicUrl: "http://sheaf.test/notes" } })
})
afterAll(() => app.stop())

const get = (path: string, headers: Record<string, string> = {}) => raw(app.url, request(`GET ${path}`, headers))

/** The paths that the page loads, without the path of PUBLIC_URL, which a proxy removes. */
const loaded = async () => {
  const page = (await get("/console")).body.toString()
  return [...page.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, path]) => {
    expect(path).toMatch(/^\/notes\/console\//)
    return path!.slice("/notes".length)
  })
}

const dataIn = (page: Buffer) =>
  JSON.parse(/name="sheaf" content="([^"]+)"/.exec(page.toString())![1]!.replaceAll("&quot;", '"'))

describe("/console", () => {
  it("is one page at every path that is no file, which browsers check each time", async () => {
    for (const path of ["/console", "/console/", "/console/notes/nt_1?q=x"]) {
      const { body, headers, status } = await get(path)
      expect([path, status, headers["content-type"], headers["cache-control"]]).toEqual([
        path,
        200,
        "text/html; charset=utf-8",
        "no-cache"
      ])
      for (const part of [
        '<html lang="en">',
        '<div id="app"></div>',
        '<noscript><p lang="en">',
        "<title>Sheaf</title>"
      ]) {
        expect(body.toString()).toContain(part)
      }
      expect(body.toString()).not.toMatch(/<script(?! type="module" src=)|<style| on[a-z]+=/)
    }
  })

  it("has a strict policy, with a nonce for styles that differs in each response", async () => {
    const [one, other] = [await get("/console"), await get("/console")]
    const { nonce, ...data } = dataIn(one.body)
    expect(data).toEqual({
      base: "/notes/console",
      api: "/notes/v2",
      signUp: "open",
      providers: [],
      passwords: true,
      passkeys: false,
      noteStyle: expect.stringMatching(/^\/notes\/console\/assets\/note-/),
      editorAsset: expect.stringMatching(/^\/notes\/console\/assets\/WritingParts-/)
    })
    expect(nonce).toMatch(/^[\w+/]{22}==$/)
    expect(dataIn(other.body).nonce).not.toBe(nonce)
    expect(one.headers["content-security-policy"]!.split("; ")).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      `style-src 'self' 'nonce-${nonce}'`,
      "img-src 'self' http://sheaf.test blob: data:",
      "media-src 'self' http://sheaf.test blob:",
      "connect-src 'self' http://sheaf.test",
      "font-src 'self'",
      "manifest-src 'self'",
      "worker-src 'self'",
      "frame-src 'self'",
      "form-action 'self'",
      "base-uri 'none'",
      "frame-ancestors 'none'"
    ])
    expect(one.headers).toMatchObject({
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      "cross-origin-opener-policy": "same-origin",
      "permissions-policy": expect.stringContaining("camera=()"),
      "x-robots-tag": "noindex, nofollow"
    })
  })

  it("says whether an account needs an invitation", async () => {
    const invited = await startApp({ databaseOf: app, settings: { policies: { ...policies, signUp: "invite" } } })
    expect(dataIn((await raw(invited.url, request("GET /console"))).body).signUp).toBe("invite")
    await invited.stop()
  })

  it("allows files from the bucket, if the server has one", async () => {
    const access = { region: "x", accessKeyId: Redacted.make("x"), secretAccessKey: Redacted.make("x") }
    const s3 = { ...access, endpoint: "http://127.0.0.1:9", bucket: "notes" }
    const inBucket = await startApp({ databaseOf: app, settings: { s3 } })
    const { headers } = await raw(inBucket.url, request("GET /console"))
    const policy = headers["content-security-policy"]!.split("; ")
    for (const kind of ["img-src", "media-src", "connect-src"]) {
      expect(policy.find((each) => each.startsWith(kind))).toContain(`'self' http://sheaf.test ${s3.endpoint}`)
    }
    await inBucket.stop()
  })
})

describe("files of the console", () => {
  it("are immutable for a year, and compressed once", async () => {
    const assets = (await loaded()).filter((path) => path.startsWith("/console/assets/"))
    expect(assets.length).toBeGreaterThanOrEqual(4)
    assets.push(dataIn((await get("/console")).body).noteStyle.slice("/notes".length))
    for (const path of assets) {
      const { body, headers, status } = await get(path)
      expect([path, status, headers["cache-control"]]).toEqual([path, 200, "public, max-age=31536000, immutable"])
      expect(body.length).toBeGreaterThan(0)
      expect((await get(path, { "if-none-match": headers["etag"]! })).status).toBe(304)
    }
    const style = assets.at(-1)!
    const coded = await get(style, { "accept-encoding": "br" })
    expect([coded.headers["content-encoding"], coded.headers["content-type"]]).toEqual([
      "br",
      "text/css; charset=utf-8"
    ])
    expect(brotliDecompressSync(coded.body).toString()).toBe(noteStyle.css)
  })

  it("are 404 if there is none of that name", async () => {
    for (const name of ["main-00000000.js", "main.js", "..%2fentry.json", "../entry.json", "x/main-00000000.js", ""]) {
      expect([name, (await get(`/console/assets/${name}`)).status]).toEqual([name, 404])
    }
  })

  it("include a service worker for all pages below /console/, which browsers check each time", async () => {
    const { headers, status } = await get("/console/sw.js")
    expect([status, headers["cache-control"], headers["service-worker-allowed"], headers["content-type"]]).toEqual([
      200,
      "no-cache",
      "/notes/console/",
      "text/javascript; charset=utf-8"
    ])
  })

  it("include a service worker that starts without a page", async () => {
    const worker = (await get("/console/sw.js")).body.toString()
    const registration = { scope: "http://sheaf.test/notes/console/" }
    const handled: Array<string> = []
    const self = { registration, addEventListener: (type: string) => handled.push(type) }
    runInNewContext(worker, {
      self,
      URL,
      BroadcastChannel,
      navigator,
      console,
      location: new URL("http://sheaf.test/notes/console/sw.js")
    })
    expect(handled.toSorted()).toEqual(["activate", "fetch", "install", "message", "notificationclick", "push"])
  })

  it("include a manifest whose icons exist", async () => {
    expect(await loaded()).toContain("/console/manifest.webmanifest")
    const { body, headers } = await get("/console/manifest.webmanifest")
    expect([headers["content-type"], headers["cache-control"]]).toEqual(["application/manifest+json", "no-cache"])
    const { icons, ...manifest } = JSON.parse(body.toString())
    expect(manifest).toMatchObject({
      id: "/notes/console/",
      name: "Sheaf",
      start_url: "/notes/console/",
      scope: "/notes/console/",
      display: "standalone",
      share_target: {
        action: "/notes/console/share",
        method: "POST",
        enctype: "multipart/form-data",
        params: { title: "title", text: "text", url: "url", files: [{ name: "files", accept: ["*/*"] }] }
      }
    })
    expect(icons.map(({ sizes }: any) => sizes)).toEqual(["any", "192x192", "512x512"])
    for (const { src, type } of icons) {
      const icon = await get(src.slice("/notes".length))
      expect([src, icon.status, icon.headers["content-type"]]).toEqual([src, 200, type])
    }
  })
})

describe("POST /console/share", () => {
  it("leads to the console while no service worker runs", async () => {
    const form = new FormData()
    form.set("title", "Shared")
    const response = await fetch(new URL("/console/share", app.url), { method: "POST", body: form, redirect: "manual" })
    expect([response.status, response.headers.get("location")]).toEqual([303, "/notes/console/?shared=lost"])
    expect((await fetch(new URL("/console/other", app.url), { method: "POST" })).status).toBe(405)
  })

  it("sends browsers on with their key if the content is of their device, by what they say of its origin", async () => {
    const led = async (site: string | undefined) => {
      const { headers, status } = await get("/console/share/check?key=1-2%26", site ? { "sec-fetch-site": site } : {})
      expect([status, headers["cache-control"]]).toEqual([303, "no-store"])
      return headers["location"]
    }
    for (const site of ["none", "same-origin"]) expect(await led(site)).toBe("/notes/console/share/kept?key=1-2%26")
    for (const site of ["same-site", "cross-site", "other", undefined]) {
      expect(await led(site)).toBe("/notes/console/share/foreign?key=1-2%26")
    }
    // Without the service worker.
    expect((await get("/console/share/kept?key=1")).headers["location"]).toBe("/notes/console/?shared=lost")
    expect((await get("/console/share/foreign?key=1")).headers["location"]).toBe("/notes/console/?shared=foreign")
  })
})
